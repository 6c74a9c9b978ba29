//! The plain evaluator: what programs mean, one kernel for each op, simple and right. Everything that is faster is judged
//! by it.
//!
//! Where an op leaves freedom, this is what it means here:
//!
//! - A **sum** (or product, or any named combination) over axes is a tree that the shape alone decides. Rows of up to 256
//!   neighbours are combined element by element, up to 16 rows one after the other, more by halves; what is left in a row
//!   is combined by halves, the first half with the second. The identity is combined in at the end. An array that is one
//!   value repeated gives the bits of the array spelled out. A cumulative op combines blocks of 16 in order, then what
//!   the blocks have together, the same way.
//! - Elements of **`f16` and `bf16`** are computed in `f32` and rounded after each op; sums and products of them are kept in
//!   `f32` and rounded once.
//! - **Math** functions are recipes ([`wengert_kernel::recipes`]), off by at most two units in the last place (near their zeros
//!   `lgamma`, `digamma` and Bessel functions are right to a part of the values around them), derivatives of `digamma` of `f64`
//!   by at most four, of orders up to 20 and positive numbers; functions of complex numbers are in `kernels/math`.
//! - **Products** of `f32` and `f64` are sums in order, each product multiplied and added with one rounding, in chains of one
//!   length ([`kernels::chain`]), which are added one after the other; where results are few, 16 or 64 sums side by side, added
//!   by halves ([`kernels::chains`] says which, by sizes alone). Products of complex numbers are those of their parts: of `m` by
//!   `2 k` and `2 k` by `2 n` numbers.
//! - **Decompositions** are those of [`wengert_linalg`] (but for triangular solves and Cholesky of up to 8 rows, which are
//!   [recipes](wengert_kernel::matrices)), which faster backends use too, judged by the values that JAX computes.
//! - **Fourier transforms** are those of [`wengert_fft`]: the bits of a line depend on its numbers and its length alone.
//! - A **convolution** of reals is a sum over the places of its window in order, and at each over the features; where
//!   features come before the batch in the left operand, a sum over the features, and for each over the places. Products
//!   are multiplied and added with one rounding, in chains of 256, which are added one after the other.
//!   What lies outside of the array are zeros like others; what lies between dilated elements is left out.

mod control;
mod device;
pub mod kernels;
mod memory;
mod plan;
mod results;

pub use device::{Eval, run, run_custom, run_op};
pub use memory::{check, has_room, scratch};
pub use plan::{Kernels, Plan, nested_plans};
pub use results::overwritable;
