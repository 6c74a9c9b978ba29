//! The tests of this crate that need no process of their own, as one binary.

mod export;
mod identity;
mod import;
mod loops;
mod malformed;
mod mutated;
mod nesting;
#[allow(dead_code)]
#[path = "../../../tests/reference/reader.rs"]
mod reader;
mod roundtrip;
mod same;
