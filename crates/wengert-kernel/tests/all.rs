//! The tests of this crate that need no process of their own, as one binary.

mod instructions;
mod pairs;
mod random;
mod recipes;
mod structure;
mod support;
mod text;
