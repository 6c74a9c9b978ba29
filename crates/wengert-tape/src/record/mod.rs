//! Recording: the scope a run is recorded in, and what is called as things happen.
//!
//! A recording belongs to the scope that opened it. Each thread has a stack of scopes, and what happens goes to the
//! innermost. Without a scope, all of this costs one load and one branch.

mod body;
mod scope;
mod writer;

pub use body::Watch;
pub use scope::{
    Body, Call, Given, Handle, Origin, Recorded, Recording, absorb, active, block, branch, collect, condition, current,
    disable, enable, inside, primitive, primitive_with, purge, read, recall, set_meta, set_name, silently, started,
};
pub use writer::{Iterations, Settings};
