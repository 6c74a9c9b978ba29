//! The tests of this crate that need no process of their own, as one binary.

#![cfg(all(target_arch = "x86_64", target_os = "linux"))]

mod control;
mod instructions;
mod interpreter;
mod lanes;
mod memory;
mod profile;
mod quotients;
mod random;
mod reference;
