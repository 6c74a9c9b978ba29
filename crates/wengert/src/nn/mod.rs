//! What neural networks are made of: activations (methods of [`Array`](crate::Array)), losses, convolution,
//! attention.

mod activation;
mod attention;
mod conv;
mod loss;

pub use activation::dropout;
pub use attention::attention;
pub use conv::{Padding, Sizes, Sliding, avg_pool, conv, conv_transpose, max_pool};
pub use loss::*;
