//! How windows move over arrays: the geometry that convolution and the windowed ops share.

use super::check;
use super::structure::{one_each, with_first};
use crate::error::Result;
use crate::record;
use crate::types::{Dims, Shape, Type};

/// How a window moves along one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowAxis {
    /// The number of elements under the window.
    pub size: usize,
    /// How far it moves from one position to the next.
    pub stride: usize,
    /// How much is put before and after; negative numbers take elements away.
    pub padding: (i64, i64),
    /// The distance between neighbouring elements of the axis.
    pub base_dilation: usize,
    /// The distance between neighbouring elements of the window.
    pub window_dilation: usize,
}

/// The length of `n` elements at a distance.
fn length(n: usize, distance: usize) -> i64 {
    if n == 0 { 0 } else { (n as i64 - 1) * distance as i64 + 1 }
}

impl WindowAxis {
    /// The number of positions over an axis of `n` elements, or why the window does not fit there.
    pub(super) fn check(&self, op: &str, n: usize) -> Result<usize> {
        let WindowAxis { size, stride, padding: (low, high), base_dilation, window_dilation } = *self;
        check::that(size > 0, || format!("`{op}` needs windows of at least one element, and got one of size 0"))?;
        check::that(stride.min(base_dilation).min(window_dilation) > 0, || {
            format!("`{op}` needs strides and dilations of at least 1, and got 0")
        })?;
        // Everything counted from here on stays far from the end of 64 bits.
        let wide = |n: usize, by: usize| n as i128 * by as i128;
        let padded = wide(n.saturating_sub(1), base_dilation) + (n > 0) as i128 + low as i128 + high as i128;
        let most = [padded, wide(size, window_dilation), low.unsigned_abs().into(), wide(stride, 1)];
        check::that(most.iter().all(|&m| m < 1 << 60), || format!("`{op}`: the padded axis is too large to address"))?;
        check::that(padded >= 0, || {
            format!("`{op}`: padding with {low} and {high} takes away more than all of an axis of size {n}")
        })?;
        Ok(self.positions(n))
    }

    /// The number of positions over an axis of `n` elements.
    pub fn positions(&self, n: usize) -> usize {
        let room = length(n, self.base_dilation) + self.padding.0 + self.padding.1;
        let span = length(self.size, self.window_dilation);
        if room < span { 0 } else { (room - span) as usize / self.stride + 1 }
    }

    /// Whether each position of the window is one element, in order.
    pub fn stays(&self) -> bool {
        (self.size, self.stride, self.padding, self.base_dilation) == (1, 1, (0, 0), 1)
    }

    /// The element of an axis of `n` that lies at place `k` of the window at position `at`; none in the padding and
    /// between elements.
    pub fn element(&self, n: usize, at: usize, k: usize) -> Option<usize> {
        let place = (at * self.stride + k * self.window_dilation) as i64 - self.padding.0;
        let i = place as usize / self.base_dilation;
        (place >= 0 && i < n && i * self.base_dilation == place as usize).then_some(i)
    }

    /// The window that moves over the positions of this one over `n` elements, and has the elements as its positions:
    /// element `i` is at place `k` of position `o` where `o` is at place `size - 1 - k` of position `i`.
    pub(super) fn adjoint(&self, n: usize) -> WindowAxis {
        let span = length(self.size, self.window_dilation);
        let low = span - 1 - self.padding.0;
        let high = length(n, self.base_dilation) + span - 1 - length(self.positions(n), self.stride) - low;
        WindowAxis { stride: self.base_dilation, base_dilation: self.stride, padding: (low, high), ..*self }
    }

    /// The window whose elements are the positions of this one over `n` elements, and its positions the elements of
    /// this one.
    pub(super) fn exchanged(&self, n: usize) -> WindowAxis {
        let positions = self.positions(n);
        let low = self.padding.0;
        let span = length(self.size, self.window_dilation);
        let high = length(positions, self.stride) - length(n, self.base_dilation) + span - low - 1;
        WindowAxis {
            size: positions,
            stride: self.window_dilation,
            padding: (low, high),
            window_dilation: self.stride,
            ..*self
        }
    }
}

record! {
    /// How a window moves over an array: one entry for each axis in every list.
    pub struct Window {
        /// The number of elements under the window.
        pub size: Dims,
        /// How far it moves from one position to the next.
        pub strides: Dims,
        /// How much is put before and after; negative numbers take elements away.
        pub padding: Vec<(i64, i64)>,
        /// The distance between neighbouring elements of the array.
        pub base_dilation: Dims,
        /// The distance between neighbouring elements of the window.
        pub window_dilation: Dims,
    }
}

impl FromIterator<WindowAxis> for Window {
    fn from_iter<I: IntoIterator<Item = WindowAxis>>(axes: I) -> Window {
        let axes: Vec<WindowAxis> = axes.into_iter().collect();
        Window {
            size: axes.iter().map(|a| a.size).collect(),
            strides: axes.iter().map(|a| a.stride).collect(),
            padding: axes.iter().map(|a| a.padding).collect(),
            base_dilation: axes.iter().map(|a| a.base_dilation).collect(),
            window_dilation: axes.iter().map(|a| a.window_dilation).collect(),
        }
    }
}

impl Window {
    /// Whether every list has so many entries.
    pub fn has_rank(&self, rank: usize) -> bool {
        self.lists().iter().all(|&(_, n)| n == rank)
    }

    /// What each list is, and how many entries it has.
    fn lists(&self) -> [(&'static str, usize); 5] {
        [
            ("window size", self.size.len()),
            ("stride", self.strides.len()),
            ("padding", self.padding.len()),
            ("base dilation", self.base_dilation.len()),
            ("window dilation", self.window_dilation.len()),
        ]
    }

    /// How the window moves along each axis; its lists must be of one length.
    pub fn axes(&self) -> Vec<WindowAxis> {
        (0..self.size.len())
            .map(|i| WindowAxis {
                size: self.size[i],
                stride: self.strides[i],
                padding: self.padding[i],
                base_dilation: self.base_dilation[i],
                window_dilation: self.window_dilation[i],
            })
            .collect()
    }

    /// The positions over an array of this type, or why the window does not fit there.
    pub(super) fn check(&self, op: &str, x: &Type) -> Result<Shape> {
        one_each(op, x, &self.lists())?;
        self.axes().iter().zip(x.shape.iter()).map(|(w, &n)| w.check(op, n)).collect()
    }

    /// The positions over an array of this shape.
    pub fn positions(&self, shape: &Shape) -> Shape {
        self.axes().iter().zip(shape.iter()).map(|(w, &n)| w.positions(n)).collect()
    }

    /// Whether some places under the window may have no element.
    pub fn has_holes(&self) -> bool {
        self.padding.iter().any(|&(low, high)| low > 0 || high > 0) || self.base_dilation.iter().any(|&d| d > 1)
    }

    /// See [`WindowAxis::adjoint`].
    pub(super) fn adjoint(&self, shape: &Shape) -> Window {
        self.axes().iter().zip(shape.iter()).map(|(w, &n)| w.adjoint(n)).collect()
    }

    /// The window over a batch: one element along a new leading axis.
    pub(super) fn over_batch(&self) -> Window {
        Window {
            size: with_first(1, &self.size),
            strides: with_first(1, &self.strides),
            padding: with_first((0, 0), &self.padding),
            base_dilation: with_first(1, &self.base_dilation),
            window_dilation: with_first(1, &self.window_dilation),
        }
    }
}
