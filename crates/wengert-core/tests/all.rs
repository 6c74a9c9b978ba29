//! The tests of this crate that need no process of their own, as one binary.

mod host;
mod hostile;
mod properties;
mod safetensors;
mod text;
