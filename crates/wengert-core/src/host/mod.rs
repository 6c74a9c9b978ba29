//! Values on the host: one element ([`Scalar`]), an array of them ([`Tensor`]), and the memory they lie in.
//!
//! Memory comes from [`pool`] and is handed to kernels as [`View`]s and [`ViewMut`]s: nothing here computes.

mod block;
mod element;
mod id;
pub mod pool;
mod shown;
mod tensor;
mod view;

pub use block::Block;
pub use element::{Element, Scalar};
pub use id::Id;
pub use shown::{LARGEST_SHOWN, shown_positions};
pub use tensor::Tensor;
pub use view::{View, ViewMut, Word};
