//! The tests of this crate that need no process of their own, as one binary.

mod coverage;
mod empty;
mod kernels;
mod ops;
mod random_programs;
#[allow(dead_code)]
#[path = "../../../tests/reference/reader.rs"]
mod reader;
mod reference;
mod repeated;
