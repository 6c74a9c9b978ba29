//! Every op under every transform: one file a family, named as in `wengert-core/src/ops`.
//!
//! `cargo test -p wengert-eval --test all ops::gather` runs one family.

mod common;
mod in_place;

mod argreduce;
mod collective;
mod control;
mod conv;
mod creation;
mod cumulative;
mod dot;
mod dynamic;
mod elementwise;
mod fft;
mod gather;
mod identity;
mod linalg;
mod random;
mod reduce;
mod representation;
mod scatter;
mod shape;
mod sort;
mod structure;
mod unary;
mod windowed;
