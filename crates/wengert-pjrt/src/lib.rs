//! XLA devices through PJRT plugins: shared libraries that compile StableHLO and run it on a GPU, a TPU or a CPU.
//!
//! [`Plugin`] loads one, [`Client`] opens its devices, [`Client::compile`] makes an [`Executable`] of StableHLO text,
//! [`Buffer`] is an array on a device. Everything is freed when it is dropped, in the order PJRT asks for: what belongs
//! to a client keeps the client alive. All of it may be used from any thread. Where plugins are found is in
//! [`discover`].

mod api;
mod buffer;
mod client;
pub mod discover;
mod executable;
mod ffi;
mod plugin;
mod proto;

pub use buffer::{Buffer, Event};
pub use client::{Client, ClientOption, Device, MemoryUse};
pub use executable::{Compile, Executable, Input};
pub use plugin::Plugin;
