//! Convolution as it is defined: for each element of the result, a sum over the places of the window, and at each over
//! the features.

use super::elementwise::{convert, converted};
use super::parallel::blocks;
use super::shape::{made, strides};
use std::ops::{Add, Mul};
use wengert_core::ops::{Convolution, WindowAxis};
use wengert_core::{Complex, DType, Element, Tensor, Type, View, ViewMut};

/// The type a convolution is computed in. Few are enough: sums of products wrap alike in any integer, and are truths
/// where they are not zero.
pub fn computed_in(dtype: DType) -> DType {
    match dtype {
        DType::F64 | DType::C64 | DType::C128 => dtype,
        d if d.is_float() => DType::F32,
        _ => DType::I64,
    }
}

pub(crate) fn convolution(op: &Convolution, lhs: View<'_>, rhs: View<'_>, y: &mut ViewMut<'_>) {
    let wide = computed_in(y.dtype());
    let [l, r] = [lhs, rhs].map(|x| made(&x.ty().with_dtype(wide), |y| convert(x, y)));
    let mut sums = Tensor::room(&Type::new(wide, y.shape().clone()));
    let mut room = sums.view_mut().expect("nothing shares it");
    match wide {
        DType::F32 => convolve::<f32>(op, &l, &r, &mut room),
        DType::F64 => convolve::<f64>(op, &l, &r, &mut room),
        DType::C64 => convolve::<Complex<f32>>(op, &l, &r, &mut room),
        DType::C128 => convolve::<Complex<f64>>(op, &l, &r, &mut room),
        _ => convolve::<Wrapping>(op, &l, &r, &mut room),
    }
    y.copy_from(converted(&sums, y.dtype()).view());
}

/// A type with sums and products.
trait Ring: Copy + Send + Sync {
    type Element: Element;
    fn of(x: Self::Element) -> Self;
    fn element(self) -> Self::Element;
    fn add_product(self, x: Self, y: Self) -> Self;
}

macro_rules! ring {
    ($($t:ty)*) => {$(
        impl Ring for $t {
            type Element = $t;
            fn of(x: $t) -> $t {
                x
            }
            fn element(self) -> $t {
                self
            }
            fn add_product(self, x: $t, y: $t) -> $t {
                self.add(x.mul(y))
            }
        }
    )*};
}
ring! { f32 f64 Complex<f32> Complex<f64> }

/// An integer whose sums and products wrap.
#[derive(Clone, Copy)]
struct Wrapping(i64);

impl Ring for Wrapping {
    type Element = i64;
    fn of(x: i64) -> Wrapping {
        Wrapping(x)
    }
    fn element(self) -> i64 {
        self.0
    }
    fn add_product(self, x: Wrapping, y: Wrapping) -> Wrapping {
        Wrapping(self.0.wrapping_add(x.0.wrapping_mul(y.0)))
    }
}

fn convolve<T: Ring>(op: &Convolution, lhs: &Tensor, rhs: &Tensor, y: &mut ViewMut<'_>) {
    let (windows, shape) = (op.windows(rhs.shape()), y.shape());
    let (ls, rs, os) = (strides(lhs.shape()), strides(rhs.shape()), strides(shape));
    let (batch, outs, features) = (shape[op.out[0]], shape[op.out[1]], rhs.shape()[op.rhs[1]]);
    // Output features of one group see its features, or its part of the batch.
    let group = |out: usize, groups: usize| out / (outs / groups).max(1);
    let axes: Vec<Axis> = (0..windows.len())
        .map(|i| {
            let (l, r, o) = (op.lhs[2 + i], op.rhs[2 + i], op.out[2 + i]);
            Axis::new(&windows[i], op.reversal[i], (lhs.shape()[l], ls[l]), rs[r], (shape[o], os[o]))
        })
        .collect();
    let (v, kernel) = (lhs.elements::<T::Element>(), rhs.elements::<T::Element>());
    let one = |index: usize| {
        let at = |d: usize| index / os[d] as usize % shape[d];
        let (image, out) = (at(op.out[0]), at(op.out[1]));
        let left = (group(out, op.batch_groups) * batch + image) as isize * ls[op.lhs[0]]
            + (group(out, op.feature_groups) * features) as isize * ls[op.lhs[1]];
        let right = out as isize * rs[op.rhs[0]];
        // The places that see an element, in row-major order, and where both operands are there.
        let mut places = vec![(left, right)];
        for axis in &axes {
            let seen = &axis.seen[index / axis.stride % axis.positions];
            places = places.iter().flat_map(|(l, r)| seen.iter().map(move |(a, b)| (l + a, r + b))).collect();
        }
        let mut sum = T::of(T::Element::default());
        for (l, r) in places {
            for f in 0..features as isize {
                let (x, w) = (v[(l + f * ls[op.lhs[1]]) as usize], kernel[(r + f * rs[op.rhs[1]]) as usize]);
                sum = sum.add_product(T::of(x), T::of(w));
            }
        }
        sum.element()
    };
    let work = y.size().saturating_mul(rhs.size() / outs.max(1));
    let block = 64;
    blocks(y.elements::<T::Element>(), block, work, &|i, out| {
        out.iter_mut().enumerate().for_each(|(k, out)| *out = one(i * block + k));
    });
}

/// What a window sees along an axis.
struct Axis {
    /// The axis of the result: its size and stride.
    positions: usize,
    stride: usize,
    /// For each position, the places that see an element: how far that is in the left operand, and the place in the
    /// right one.
    seen: Vec<Vec<(isize, isize)>>,
}

impl Axis {
    fn new(
        w: &WindowAxis,
        reversal: bool,
        (n, left): (usize, isize),
        right: isize,
        (positions, stride): (usize, isize),
    ) -> Axis {
        let turned = |k: usize| if reversal { w.size - 1 - k } else { k };
        let seen = |at: usize| {
            let place = |k: usize| Some((w.element(n, at, k)? as isize * left, turned(k) as isize * right));
            (0..w.size).filter_map(place).collect()
        };
        Axis { positions, stride: stride as usize, seen: (0..positions).map(seen).collect() }
    }
}
