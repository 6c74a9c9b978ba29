//! Planted faults, and large programs in which they show.
//!
//! With the feature `faults`, and only with it, the CPU's compiler has wrong rewrites, wrong kernels and wrong machine code
//! in it; the environment variable `WENGERT_FAULT` names the one that a process has. `faults bench` reduces a large program
//! for each, beside other ways to do that; `faults diff` asks which equation is named first.

#[cfg(feature = "faults")]
pub mod bench;
#[cfg(feature = "faults")]
pub mod compare;
#[cfg(feature = "faults")]
pub mod measure;
#[cfg(feature = "faults")]
pub mod noise;
#[cfg(feature = "faults")]
pub mod plants;
#[cfg(feature = "faults")]
pub mod table;
