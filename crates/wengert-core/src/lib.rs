//! What a Wengert program is: types, ops and their rules, transforms, verifier, text form.
//!
//! Nothing here runs a program or knows how one was made; see `wengert-eval` and `wengert` for that.

pub mod attr;

mod builder;
mod builder_structure;
pub mod bytes;
pub mod compare;
mod error;
pub mod host;
mod op;
pub mod ops;
mod place;
mod program;
pub mod replace;
mod report;
pub mod run;
pub mod safetensors;
pub mod simplify;
pub mod text;
pub mod transform;
mod types;
mod verify;

pub use builder::Builder;
pub use error::{Error, ErrorKind, Result, counted, shown};
pub use half::{bf16, f16};
pub use host::{Element, Id, Scalar, Tensor, View, ViewMut};
pub use num_complex::Complex;
pub use op::{Linearity, LoopOperands, Op, Rules};
pub use place::Place;
pub use program::{Equation, Program, Var, VarInfo, Vars};
pub use report::{MemoryUse, Profile, ProfiledBlock};
pub use types::{DType, Dims, MAX_RANK, Shape, Type};
