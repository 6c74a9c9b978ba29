//! The tests of this crate that need no process of their own, as one binary.

mod common;
mod linalg;
mod programs;
mod values;
