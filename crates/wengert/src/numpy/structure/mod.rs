//! Arrays cut and put together, and elements moved within them.

mod join;
mod rearrange;

pub(crate) use join::several;
pub use join::{Arrays, block, concatenate, hstack, meshgrid, stack, vstack};
pub use rearrange::{PadMode, Widths};
