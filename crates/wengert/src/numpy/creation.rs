//! Arrays from Rust values.

use crate::array::Array;
use wengert_core::{Element, Tensor};

/// Elements, and arrays of them nested to any depth: `[[1.0, 2.0], [3.0, 4.0]]`.
pub trait Nested {
    /// The element type.
    type Item: Element;
    /// The sizes, outermost first.
    fn sizes(out: &mut Vec<usize>);
    /// The elements in order.
    fn elements(self, out: &mut Vec<Self::Item>);
}

macro_rules! nested {
    ($($t:ty)*) => {$(
        impl Nested for $t {
            type Item = $t;
            fn sizes(_: &mut Vec<usize>) {}
            fn elements(self, out: &mut Vec<$t>) {
                out.push(self);
            }
        }
        impl From<$t> for Array {
            fn from(x: $t) -> Array {
                Array::from_tensor(Tensor::scalar(x))
            }
        }
    )*};
}
nested!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 wengert_core::f16 wengert_core::bf16
    wengert_core::Complex<f32> wengert_core::Complex<f64>);

impl<T: Nested, const N: usize> Nested for [T; N] {
    type Item = T::Item;
    fn sizes(out: &mut Vec<usize>) {
        out.push(N);
        T::sizes(out);
    }
    fn elements(self, out: &mut Vec<T::Item>) {
        self.into_iter().for_each(|x| x.elements(out));
    }
}

fn collect<T: Nested>(length: usize, items: impl Iterator<Item = T>) -> Array {
    let mut shape = vec![length];
    T::sizes(&mut shape);
    let mut elements = Vec::with_capacity(shape.iter().product());
    items.for_each(|x| x.elements(&mut elements));
    Array::from_tensor(Tensor::new(shape, elements).expect("as many elements as the shape has"))
}

impl<T: Nested, const N: usize> From<[T; N]> for Array {
    fn from(v: [T; N]) -> Array {
        collect(N, v.into_iter())
    }
}
impl<T: Nested> From<Vec<T>> for Array {
    fn from(v: Vec<T>) -> Array {
        collect(v.len(), v.into_iter())
    }
}
impl<T: Nested + Clone> From<&[T]> for Array {
    fn from(v: &[T]) -> Array {
        collect(v.len(), v.iter().cloned())
    }
}
impl From<&Array> for Array {
    fn from(x: &Array) -> Array {
        x.clone()
    }
}
