//! Arrays cut and put together: how a slice is written.

use super::text::List;
use std::fmt::{self, Display, Formatter};
use wengert_core::ops::Slice;

/// Along each axis `start:limit`, or `start:limit:stride`.
pub(super) struct Ranges<'a>(pub &'a Slice);

impl Display for Ranges<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Slice { start, limit, strides } = self.0;
        let range = |i: usize| match strides[i] {
            1 => format!("{}:{}", start[i], limit[i]),
            stride => format!("{}:{}:{stride}", start[i], limit[i]),
        };
        write!(f, " {}", List(&(0..start.len()).map(range).collect::<Vec<_>>()))
    }
}
