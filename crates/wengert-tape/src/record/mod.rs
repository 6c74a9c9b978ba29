//! Recording: the scope a run is recorded in, and what is called as things happen.
//!
//! A recording belongs to the scope that opened it. Each thread has a stack of scopes, and what happens goes to the
//! innermost. Without a scope, all of this costs one load and one branch.

mod body;
mod call;
mod copy;
mod cursor;
mod host;
mod origin;
mod recording;
mod replay;
mod scope;
mod shared;
mod writer;

pub use body::{ControlObserver, MetaEntry, ProgramRecorder, StepObserver};
pub use call::{Call, CallBody};
pub use cursor::{OpBody, inner_nodes, primitive, set_meta, set_name};
pub use host::{
    ReadPurpose, Silence, begin_condition, branch, jump, read, received, sent, set_block, set_statement, silence,
    silently, statement_place,
};
pub use origin::{CallValue, Origin, Recorded};
pub use recording::{Handle, Recording, collect, current_handle, disable, enable, purge};
pub use replay::{RecalledOp, recall};
pub use scope::{
    ListenerGuard, OpenRecordings, SetAside, any_recording, has_listeners, has_scope, is_listening, is_recording,
    mark_unrecorded, set_aside, start_time,
};
pub use writer::{InnerNodes, Settings};
