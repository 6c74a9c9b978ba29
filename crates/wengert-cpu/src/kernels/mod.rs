//! Kernels that are faster than the plain ones.

mod conv;
mod windowed;

use wengert_core::run::Step;
use wengert_core::{Op, View, ViewMut};
use wengert_eval::Kernels;

/// The kernels of this crate.
pub(crate) struct Fast;

impl Fast {
    /// Whether there may be one for an op.
    pub(crate) fn has(op: &Op) -> bool {
        matches!(op, Op::Convolution(_) | Op::SelectAndScatter(_))
    }
}

// SAFETY: results lie apart from operands, as they do in the plain kernels of these ops.
unsafe impl Kernels for Fast {
    fn run(&self, op: &Op, x: &[View<'_>], y: &mut [ViewMut<'_>], steps: &mut Option<Vec<Step>>) -> bool {
        match op {
            Op::Convolution(op) if !conv::is_for_tiles(op, x[0], x[1], &y[0]) => return false,
            Op::Convolution(op) => conv::convolution(op, x[0], x[1], &mut y[0], steps),
            Op::SelectAndScatter(op) => return windowed::select_and_scatter(op, x, &mut y[0]),
            _ => return false,
        }
        true
    }
}
