//! Recording: the scope a run is recorded in, and what is called as things happen.
//!
//! A recording belongs to the scope that opened it. Each thread has a stack of scopes, and what happens goes to the
//! innermost; the switches are around the scopes of all threads. Without a scope, all of this costs one load and one branch.

mod absorb;
mod again;
mod around;
mod body;
mod call;
mod callee;
mod copy;
mod cursor;
mod effects;
mod elsewhere;
mod environment;
mod evaluate;
mod host;
mod keep;
mod link;
mod listeners;
mod lock;
mod log;
mod origin;
mod outside;
mod recording;
mod replay;
mod scope;
mod shared;
#[cfg(unix)]
mod signals;
mod site;
mod slots;
mod switch;
mod writer;

pub use around::{
    AroundProgram, Refocused, TracedFor, around_bodies, around_bodies_of, around_program, inside_bodies,
    is_part_of_body, scope_around_bodies,
};
pub use body::{ControlObserver, MetaEntry, ProgramRecorder, StepObserver};
pub use call::{Call, CallBody, failed_call, failed_op, has_failed, raised};
pub use callee::{Called, Callee};
pub use cursor::{OpBody, inner_nodes, primitive, set_meta, set_name};
pub use effects::{borrowed, stored, wrote};
pub use elsewhere::{Sources, captured};
pub use evaluate::{
    UNSHOWN, changed, clear_slots, copy_slots, drawn, evaluated, evaluated_call, is_unshown, pass, receive, set_body,
    set_return, set_return_of_all, show,
};
pub use host::{
    ReadPurpose, Silence, begin_condition, branch, decide, is_in_body, jump, left, moved, read, read_in_trace,
    received, sent, set_block, set_statement, silence, silently, statement_place,
};
pub use link::made_of_number;
pub use listeners::{ListenerGuard, has_listeners, seldom};
pub use log::{LoggedOp, logs_ops};
pub use origin::{CallValue, HostValue, Origin, Recorded};
pub use outside::{is_constant_of_body, read_of_tape, read_of_whole_tape};
pub use recording::{Handle, Recording, TracedBody, current_handle, current_settings};
pub use replay::{RecalledOp, recall, recall_draw};
pub use scope::{
    OpenRecordings, any_recording, has_own_scope, has_scope, is_listening, is_recording, mark_unrecorded, may_mark,
    start_time,
};
pub use shared::next_recording;
pub use site::{Body, Change, Does, Effects, HostOp, Method, Operand, Site, Through, Types};
pub use slots::{SetAside, set_aside};
pub use switch::{collect, disable, enable, purge};
pub use writer::{InnerNodes, Settings};
