//! Convolution as it is defined: each element of the result is a sum over the places of the window and the input features.
//!
//! The order of a sum is said by the shapes and the attributes alone. Places are taken in row-major order, and at each of
//! them all features; where features come before the batch in the left operand, as in the gradient of a kernel, features are
//! taken in order, and for each of them all places. Places between dilated elements are left out; at places outside of
//! the array there are zeros, which are multiplied like all numbers. Every product is multiplied and added with one rounding.
//! After [`CHAIN`] products a new sum begins, which is added to those before it when it is complete. A sum of no products
//! is zero.
//!
//! Numbers of 16 bits are computed as `f32` and rounded once. A convolution of complex numbers is that of their parts:
//! every feature is two, the real part and the imaginary part, and the kernel's products with each are in order.

mod chains;
mod complex;
mod geometry;

pub use chains::Chains;
pub use geometry::{Along, Geometry, Phase, Spatial};

use super::elementwise::convert;
use super::parallel::blocks;
use super::product::{self, nothing};
use super::shape::{made, strides};
use wengert_core::ops::Convolution;
use wengert_core::{DType, Element, Tensor, Type, View, ViewMut};

/// How many products a sum has before another begins.
pub const CHAIN: usize = 256;

/// The type a convolution is computed in. Few are enough: sums of products wrap alike in any integer, and are truths
/// where they are not zero.
fn computed_in(dtype: DType) -> DType {
    match dtype {
        DType::F64 | DType::C64 | DType::C128 => dtype,
        d if d.is_float() => DType::F32,
        _ => DType::I64,
    }
}

/// What convolves arrays of `f32` or of `f64`, which are spelled out.
pub type Real<'a> = dyn FnMut(&Convolution, View<'_>, View<'_>, &mut ViewMut<'_>) + 'a;

pub(crate) fn convolution(op: &Convolution, lhs: View<'_>, rhs: View<'_>, y: &mut ViewMut<'_>) {
    convolution_by(op, lhs, rhs, y, &mut |op, l, r, y| match y.dtype() {
        DType::F32 => convolve::<f32>(op, l, r, y),
        _ => convolve::<f64>(op, l, r, y),
    });
}

/// A convolution of elements of any type, by one of real numbers: integers alone are convolved here.
pub fn convolution_by(op: &Convolution, lhs: View<'_>, rhs: View<'_>, y: &mut ViewMut<'_>, real: &mut Real<'_>) {
    let wide = computed_in(y.dtype());
    let spelled = |x: View<'_>| {
        let as_given = x.dtype() == wide && !x.is_splat();
        (!as_given).then(|| made(&x.ty().with_dtype(wide), |y| convert(x, y)))
    };
    let (l, r) = (spelled(lhs), spelled(rhs));
    let (l, r) = (l.as_ref().map_or(lhs, Tensor::view), r.as_ref().map_or(rhs, Tensor::view));
    let mut room = (y.dtype() != wide).then(|| Tensor::room(&Type::new(wide, y.shape().clone())));
    let mut out = match &mut room {
        Some(room) => room.view_mut().expect("nothing shares it"),
        None => y.again(),
    };
    match wide {
        DType::F32 | DType::F64 => real(op, l, r, &mut out),
        DType::C64 | DType::C128 => complex::convolution(op, l, r, &mut out, real),
        _ => convolve::<Wrapping>(op, l, r, &mut out),
    }
    if let Some(room) = room {
        convert(room.view(), y);
    }
}

/// A type with sums and products.
trait Ring: Copy + Send + Sync {
    type Element: Element;
    fn of(x: Self::Element) -> Self;
    fn element(self) -> Self::Element;
    /// A zero that changes nothing when it is added to.
    fn nothing() -> Self;
    fn plus(self, x: Self) -> Self;
    fn plus_product(self, x: Self, y: Self) -> Self;
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
            fn nothing() -> $t {
                nothing()
            }
            fn plus(self, x: $t) -> $t {
                self + x
            }
            fn plus_product(self, x: $t, y: $t) -> $t {
                product::Real::fused(x, y, self)
            }
        }
    )*};
}
ring! { f32 f64 }

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
    fn nothing() -> Wrapping {
        Wrapping(0)
    }
    fn plus(self, x: Wrapping) -> Wrapping {
        Wrapping(self.0.wrapping_add(x.0))
    }
    fn plus_product(self, x: Wrapping, y: Wrapping) -> Wrapping {
        Wrapping(self.0.wrapping_add(x.0.wrapping_mul(y.0)))
    }
}

/// A sum that is being computed: what its whole chains have together, and the chain that is not whole.
struct Sum<T> {
    chains: Option<T>,
    chain: T,
    products: usize,
}

impl<T: Ring> Sum<T> {
    fn new() -> Sum<T> {
        Sum { chains: None, chain: T::nothing(), products: 0 }
    }

    fn add_product(&mut self, x: T, y: T) {
        if self.products == CHAIN {
            *self = Sum { chains: self.total(), ..Sum::new() };
        }
        self.chain = self.chain.plus_product(x, y);
        self.products += 1;
    }

    /// All that was added; none if nothing was.
    fn total(&self) -> Option<T> {
        match self.chains {
            Some(chains) => Some(chains.plus(self.chain)),
            None => (self.products > 0).then_some(self.chain),
        }
    }
}

fn convolve<T: Ring>(op: &Convolution, lhs: View<'_>, rhs: View<'_>, y: &mut ViewMut<'_>) {
    let (g, shape) = (Geometry::new(op, lhs.shape(), rhs.shape(), y.shape()), y.shape().clone());
    let os = strides(&shape);
    let (v, kernel) = (lhs.elements::<T::Element>(), rhs.elements::<T::Element>());
    let zero = T::of(T::Element::default());
    let one = |index: usize| {
        let at = |d: usize| index / os[d] as usize % shape[d];
        let (image, out) = (at(op.out[0]) as isize, at(op.out[1]));
        let left = (out / g.outs.n) as isize * g.groups.x + image * g.batch.x;
        // The places in row-major order: where the left operand has an element, and where the kernel has one.
        let mut places = vec![(Some(left), out as isize * g.outs.y)];
        for (axis, &d) in g.spatial.iter().zip(&op.out[2..]) {
            let seen = axis.seen(at(d));
            let further = |&(l, r): &(Option<isize>, isize)| {
                seen.clone().map(move |(a, b)| (l.zip(a).map(|(l, a)| l + a), r + b))
            };
            places = places.iter().flat_map(further).collect();
        }
        let mut sum = Sum::new();
        let mut add = |(l, r): (Option<isize>, isize), f: isize| {
            let x = l.map_or(zero, |l| T::of(v[(l + f * g.features.x) as usize]));
            sum.add_product(x, T::of(kernel[(r + f * g.features.y) as usize]));
        };
        let features = 0..g.features.n as isize;
        match g.features_first {
            true => features.for_each(|f| places.iter().for_each(|&place| add(place, f))),
            false => places.iter().for_each(|&place| features.clone().for_each(|f| add(place, f))),
        }
        sum.total().unwrap_or(zero).element()
    };
    let work = y.size().saturating_mul(rhs.size() / shape[op.out[1]].max(1));
    let block = 64;
    blocks(y.elements::<T::Element>(), block, work, &|i, out| {
        out.iter_mut().enumerate().for_each(|(k, out)| *out = one(i * block + k));
    });
}
