//! Arrays from Rust values, and arrays of a pattern: zeros, ranges, diagonals.

use super::operators::Operand;
use super::shape::{IntoShape, resolve_shape};
use crate::array::Array;
use crate::fail::{fail, ok};
use wengert_core::ops::Iota;
use wengert_core::{DType, Element, Error, Place, Result, Shape, Tensor, Type};
use wengert_tape::record::{self, Origin};

/// Elements, and arrays of them nested to any depth: `[[1.0, 2.0], [3.0, 4.0]]`.
#[diagnostic::on_unimplemented(
    message = "no array is made of `{Self}`",
    note = "elements are bools, numbers, and arrays of fixed length of them: `vec![[1.0, 2.0], [3.0, 4.0]]`",
    note = "rows in `Vec`s of their own are joined first: `Array::from_vec([rows, columns], all.concat())`"
)]
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
            #[track_caller]
            fn from(x: $t) -> Array {
                let x = Array::from_tensor(Tensor::scalar(x));
                if record::any_recording() {
                    let by = std::any::type_name_of_val(&<Array as From<$t>>::from);
                    record::made_of_number(&x, by, &Place::caller());
                }
                x
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

/// A vector of elements, or of nested arrays of them.
///
/// ```
/// # use wengert::Array;
/// let x: Array = (0..3).map(|i| [i, i * i]).collect();
/// assert_eq!(x, Array::from([[0, 0], [1, 1], [2, 4]]));
/// ```
impl<T: Nested> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Array {
        let (mut length, mut elements) = (0, Vec::new());
        for x in items {
            length += 1;
            x.elements(&mut elements);
        }
        let mut shape = vec![length];
        T::sizes(&mut shape);
        Array::from_tensor(Tensor::new(shape, elements).expect("as many elements as the shape has"))
    }
}
impl<T: Nested, const N: usize> From<[T; N]> for Array {
    fn from(v: [T; N]) -> Array {
        v.into_iter().collect()
    }
}
impl<T: Nested> From<Vec<T>> for Array {
    fn from(v: Vec<T>) -> Array {
        v.into_iter().collect()
    }
}
impl<T: Nested + Clone> From<&[T]> for Array {
    fn from(v: &[T]) -> Array {
        v.iter().cloned().collect()
    }
}
impl From<&Array> for Array {
    fn from(x: &Array) -> Array {
        x.clone()
    }
}

/// A shape whose sizes are all given.
pub(crate) fn full_shape(shape: impl IntoShape) -> Result<Shape> {
    let sizes = shape.sizes();
    if sizes.iter().any(|&d| d < 0) {
        return Err(Error::shape(format!("{sizes:?} is not a shape: sizes can't be negative")));
    }
    let shape: Shape = sizes.iter().map(|&d| d as usize).collect();
    match Type::new(DType::C128, shape.clone()).bytes() {
        Some(_) => Ok(shape),
        None => Err(Error::shape(format!("an array of shape {shape} is too large to address"))),
    }
}

impl Array {
    /// These elements in row-major order; one size may be -1.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from_vec([2, 2], vec![1, 2, 3, 4]), Array::from([[1, 2], [3, 4]]));
    /// ```
    #[track_caller]
    pub fn from_vec<T: Element>(shape: impl IntoShape, elements: Vec<T>) -> Array {
        let place = Place::caller();
        let shape = resolve_shape(&shape.sizes(), elements.len());
        ok(shape.and_then(|s| Tensor::new(s, elements)).map(Array::from_tensor).map_err(|e| e.at(place)))
    }

    /// One value repeated. It takes the memory of one element.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::full([2], 0.5, DType::F32).to_vec::<f32>(), [0.5, 0.5]);
    /// ```
    #[track_caller]
    pub fn full(shape: impl IntoShape, value: impl Into<Operand>, dtype: DType) -> Array {
        let place = Place::caller();
        let value = ok(value.into().array(dtype).map_err(|e| e.at(place.clone())));
        let shape = ok(full_shape(shape).map_err(|e| e.at(place)));
        let x = value.to(dtype).broadcast_to(shape);
        // Made before a recording, it is an array that comes into it, and not a number that stands there.
        if record::is_recording() || x.is_traced() { x } else { Array(x.0, Origin::default()) }
    }

    /// Zeros.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::zeros([2], DType::I32).to_vec::<i32>(), [0, 0]);
    /// ```
    #[track_caller]
    pub fn zeros(shape: impl IntoShape, dtype: DType) -> Array {
        Array::full(shape, 0, dtype)
    }

    /// Ones.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::ones([2], DType::F64).to_vec::<f64>(), [1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn ones(shape: impl IntoShape, dtype: DType) -> Array {
        Array::full(shape, 1, dtype)
    }

    /// One value repeated, in this array's shape and element type.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0]).full_like(7).to_vec::<f32>(), [7.0, 7.0]);
    /// ```
    #[track_caller]
    pub fn full_like(&self, value: impl Into<Operand>) -> Array {
        Array::full(self.shape(), value, self.dtype())
    }

    /// Zeros in this array's shape and element type.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).zeros_like().to_vec::<i32>(), [0, 0]);
    /// ```
    #[track_caller]
    pub fn zeros_like(&self) -> Array {
        self.full_like(0)
    }

    /// Ones in this array's shape and element type.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([5, 2]).ones_like().to_vec::<i32>(), [1, 1]);
    /// ```
    #[track_caller]
    pub fn ones_like(&self) -> Array {
        self.full_like(1)
    }

    /// The numbers from `start`, each `step` after the last, up to and without `stop`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::arange(0, 10, 3).to_vec::<i32>(), [0, 3, 6, 9]);
    /// assert_eq!(Array::arange(1.0f32, 0.0, -0.25).to_vec::<f32>(), [1.0, 0.75, 0.5, 0.25]);
    /// ```
    #[track_caller]
    pub fn arange<T: Element>(start: T, stop: T, step: T) -> Array {
        let [a, b, s] = [start, stop, step].map(T::scalar);
        let place = Place::caller();
        let elements: Vec<T> = match (a.as_i64(), b.as_i64(), s.as_i64()) {
            (Some(a), Some(b), Some(s)) if s != 0 => {
                let n = ((b as i128 - a as i128) * (s as i128).signum()).max(0) as u128;
                let n = n.div_ceil(s.unsigned_abs() as u128);
                (0..n as i64).map(|i| T::from_i64(a.wrapping_add(i.wrapping_mul(s)))).collect()
            }
            _ => match (a.as_f64(), b.as_f64(), s.as_f64()) {
                (Some(a), Some(b), Some(s)) if ((b - a) / s).is_finite() => {
                    (0..((b - a) / s).ceil().max(0.0) as i64).map(|i| T::from_f64(a + i as f64 * s)).collect()
                }
                _ => fail(Error::shape(format!("there is no range from {start:?} to {stop:?} by {step:?}")).at(place)),
            },
        };
        Array::from_vec([elements.len()], elements)
    }

    /// `n` numbers evenly apart, the first `start` and the last `stop`.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::linspace(0.0, 1.0, 5, DType::F32).to_vec::<f32>(), [0.0, 0.25, 0.5, 0.75, 1.0]);
    /// ```
    #[track_caller]
    pub fn linspace(start: f64, stop: f64, n: usize, dtype: DType) -> Array {
        let last = n.saturating_sub(1).max(1) as f64;
        let at = |i: usize| {
            // From both ends, so that the last one is `stop` itself.
            let t = i as f64 / last;
            start * (1.0 - t) + stop * t
        };
        let x: Array = (0..n).map(at).collect();
        if dtype.is_integer() { x.floor().to(dtype) } else { x.to(dtype) }
    }

    /// `n` powers of `base`, the exponents evenly apart from `start` to `stop`.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::logspace(0.0, 3.0, 4, 10.0, DType::F32).to_vec::<f32>(), [1.0, 10.0, 100.0, 1000.0]);
    /// ```
    #[track_caller]
    pub fn logspace(start: f64, stop: f64, n: usize, base: f64, dtype: DType) -> Array {
        super::operators::binary(wengert_core::ops::Binary::Pow, base, Array::linspace(start, stop, n, DType::F64))
            .to(dtype)
    }

    /// `n` numbers with even ratios, the first `start` and the last `stop`.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// let x = Array::geomspace(1.0, 8.0, 4, DType::F32).to_vec::<f32>();
    /// assert!(x.iter().zip([1.0, 2.0, 4.0, 8.0]).all(|(a, b)| (a - b).abs() < 1e-5));
    /// ```
    #[track_caller]
    pub fn geomspace(start: f64, stop: f64, n: usize, dtype: DType) -> Array {
        let x = Array::linspace(start.abs().ln(), stop.abs().ln(), n, DType::F64).exp();
        (x * start.signum()).to(dtype)
    }

    /// Counts from 0 along one axis of this shape.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::iota([2, 3], 1, DType::I32), Array::from([[0, 1, 2], [0, 1, 2]]));
    /// ```
    #[track_caller]
    pub fn iota(shape: impl IntoShape, axis: isize, dtype: DType) -> Array {
        let place = Place::caller();
        let shape = ok(full_shape(shape).map_err(|e| e.at(place.clone())));
        let dim = ok(super::axes::resolve_axis(axis, shape.rank(), &place));
        crate::dispatch::bind_one(Iota { ty: Type::new(dtype, shape), dim }, &[])
    }

    /// A matrix with ones on the diagonal `k` above the main one, else zeros.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::eye(2, 3, 1, DType::I32), Array::from([[0, 1, 0], [0, 0, 1]]));
    /// ```
    #[track_caller]
    pub fn eye(rows: usize, columns: usize, k: i64, dtype: DType) -> Array {
        let (i, j) = grid(rows, columns);
        (i + k).eq(j).to(dtype)
    }

    /// The square matrix with ones on the diagonal.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::identity(2, DType::I32), Array::from([[1, 0], [0, 1]]));
    /// ```
    #[track_caller]
    pub fn identity(n: usize, dtype: DType) -> Array {
        Array::eye(n, n, 0, dtype)
    }

    /// A matrix with ones on and below the diagonal `k` above the main one, else zeros.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::tri(2, 3, 0, DType::I32), Array::from([[1, 0, 0], [1, 1, 0]]));
    /// ```
    #[track_caller]
    pub fn tri(rows: usize, columns: usize, k: i64, dtype: DType) -> Array {
        let (i, j) = grid(rows, columns);
        (i + k).ge(j).to(dtype)
    }
}

/// The row and column numbers of a matrix, as a column and a row that broadcast together.
#[track_caller]
pub(crate) fn grid(rows: usize, columns: usize) -> (Array, Array) {
    (Array::iota([rows, 1], 0, DType::I64), Array::iota([1, columns], 1, DType::I64))
}
