//! The tests of this crate that need no process of their own, as one binary.

mod command;
mod conformance;
mod diff;
mod emit;
mod killed;
mod recorded;
mod reduce;
mod reduce_jax;
mod reduce_tape;
mod show;
