//! Recording: the scope a run is recorded in, and what is called as things happen.
//!
//! A recording belongs to the scope that opened it. Each thread has a stack of scopes, and what happens goes to the
//! innermost. Without a scope, all of this costs one load and one branch.

mod body;
mod host;
mod scope;
mod writer;

pub use body::Watch;
pub use host::{Quiet, block, branch, condition, here, jump, quiet, read, silently, statement};
pub use scope::{
    Body, Call, Given, Handle, Origin, Recorded, Recording, absorb, active, collect, current, disable, enable, inside,
    primitive, primitive_with, purge, recall, set_meta, set_name, started,
};
pub use writer::{Iterations, Settings};
