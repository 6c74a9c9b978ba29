//! Array programs that fail, handed back small.
//!
//! A [`Case`] is a program with the inputs it fails on. [`reduce`] looks for smaller cases that are still interesting, which
//! a [`Test`] says of each candidate, until nothing more goes.

mod case;
pub mod reduce;

pub use case::{Case, Size};
pub use reduce::{Outcome, Progress, Reduction, Step, Test, reduce};
