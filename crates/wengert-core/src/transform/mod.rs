//! Functions from programs to programs: derivatives and batching.
//!
//! In reading order: [`jvp`] pushes tangents forward; [`linearize`] does so with the linear part kept apart;
//! [`transpose`] runs a linear part backward; [`vjp`] is one after the other; [`batch`] adds an axis.

mod batch;
mod jvp;
mod linearize;
mod transpose;

pub use batch::{Batched, Batcher, batch};
pub use jvp::{Dual, KnownVars, Mode, WithKnown, differentiate, dual, jvp, jvp_known, linear_tangents};
pub use linearize::{Linearized, Residual, linearize, linearize_known};
pub use transpose::{Operand, backward, transpose, vjp, vjp_known};
