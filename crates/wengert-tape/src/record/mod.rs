//! Recording: the scope a run is recorded in, and what is called as things happen.
//!
//! A recording belongs to the scope that opened it. Each thread has a stack of scopes, and what happens goes to the
//! innermost. Without a scope, all of this costs one load and one branch.

mod at;
mod body;
mod call;
mod copy;
mod host;
mod origin;
mod recording;
mod replay;
mod scope;
mod shared;
mod writer;

pub use at::{Inside, inside, primitive, set_meta, set_name};
pub use body::{Note, Steps, Taken, Watch};
pub use call::{Body, Call};
pub use host::{For, Quiet, block, branch, condition, here, jump, quiet, read, sent, silently, special, statement};
pub use origin::{Given, Origin, Recorded};
pub use recording::{Handle, Recording, collect, current, disable, enable, purge};
pub use replay::{Recalled, recall};
pub use scope::{
    Around, Elsewhere, Watching, active, anywhere, away, listening, on_this_thread, started, unseen, watched,
};
pub use writer::{Iterations, Settings};
