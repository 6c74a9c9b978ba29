//! The kernel language: what stands between programs and machines.
//!
//! A [`Function`] computes with scalars, in structured loops and branches, on memory that it is given pointers to. What
//! each instruction gives is fixed to the bit ([`ir`] says how), so that everything that runs a function gives the same
//! result. An instruction of a [`Lanes`](ir::Inst::Lanes) loop is done for several elements at once, as many as the one
//! who runs it likes.

pub mod half;
pub mod interpret;
pub mod ir;
pub mod matrices;
pub mod outline;
pub mod profile;
#[doc(hidden)]
pub mod random;
pub mod recipes;
pub mod text;
pub mod verify;
mod visit;

pub use interpret::Interpreter;
pub use ir::{Address, Binary, Block, Builder, Callee, Compare, Function, Inst, Kind, Signature, Unary, Value};
pub use verify::verify;
