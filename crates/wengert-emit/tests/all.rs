//! The tests of this crate that need no process of their own, as one binary.

mod errors;
mod jax;
mod layout;
mod recorded;
