//! What a Wengert program is: types, ops and their rules, transforms, verifier, text form.
//!
//! Nothing here runs a program or knows how one was made; see `wengert-cpu` and `wengert` for that.

pub mod attr;
pub mod backend;
mod builder;
mod builder_structure;
pub mod bytes;
pub mod compare;
mod error;
mod op;
pub mod ops;
mod place;
mod program;
pub mod simplify;
mod tensor;
pub mod text;
pub mod transform;
mod types;
mod verify;

pub use builder::Builder;
pub use error::{Error, ErrorKind, Result, counted};
pub use half::{bf16, f16};
pub use num_complex::Complex;
pub use op::{Linearity, Loop, Op, Rules};
pub use place::Place;
pub use program::{Equation, Program, Var, VarInfo, Vars};
pub use tensor::{Data, Element, Scalar, Tensor};
pub use types::{DType, Dims, MAX_RANK, Shape, Type};
