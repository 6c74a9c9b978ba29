//! The tests of this crate that need no process of their own, as one binary.

mod decompositions;
mod diff;
mod loops;
mod passes;
mod python;
mod reduce;
mod tapes;
mod workers;
mod workloads;
