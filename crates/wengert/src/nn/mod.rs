//! What neural networks are made of: activations (methods of [`Array`](crate::Array)), losses, convolution.

mod activation;
mod loss;

pub use loss::*;
