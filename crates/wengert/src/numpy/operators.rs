//! Operators (`+ - * / % & | ^ << >> ! -`) and native comparison, between arrays and with numbers on either side.

use crate::array::Array;
use crate::dispatch::{bind_one, try_bind};
use crate::fail::{fail, ok};
use crate::numpy::elementwise::try_compare;
use crate::watch;
use std::iter::{Product, Sum};
use std::ops::*;
use wengert_core::ops::{Binary, Broadcast, Convert, Direction, Unary};
use wengert_core::{Complex, DType, Dims, Error, Place, Result, Scalar, Shape, Tensor, Type};
use wengert_tape::record;

/// What can stand beside an array in an expression: an array, or a number, which takes the array's element type.
///
/// On the left of an operator a float is `f64`: `2.0 * &x`. For an `f32` in a variable write `&x * a`, or `f64::from(a) * &x`: were
/// both types allowed there, `(1.0 - x).exp()` would have to say which it means.
#[derive(Clone, Debug)]
pub enum Operand {
    /// An array, with its own element type.
    Array(Array),
    /// An integer literal.
    Int(i64),
    /// A float literal.
    Float(f64),
    /// A bool literal.
    Bool(bool),
    /// A complex literal.
    Complex(Complex<f64>),
}

impl From<&Array> for Operand {
    fn from(x: &Array) -> Operand {
        Operand::Array(x.clone())
    }
}
impl From<Array> for Operand {
    fn from(x: Array) -> Operand {
        Operand::Array(x)
    }
}
impl From<bool> for Operand {
    fn from(x: bool) -> Operand {
        Operand::Bool(x)
    }
}
impl From<Complex<f64>> for Operand {
    fn from(x: Complex<f64>) -> Operand {
        Operand::Complex(x)
    }
}
impl From<Complex<f32>> for Operand {
    fn from(x: Complex<f32>) -> Operand {
        Operand::Complex(Complex::new(x.re as f64, x.im as f64))
    }
}
macro_rules! literal {
    ($kind:ident $as:ty: $($t:ty)*) => {
        $(impl From<$t> for Operand {
            fn from(x: $t) -> Operand {
                Operand::$kind(x as $as)
            }
        })*
    };
}
literal!(Int i64: i8 i16 i32 i64 isize u8 u16 u32 u64 usize);
literal!(Float f64: f32 f64);

impl Operand {
    /// The array, if it is one.
    pub(crate) fn as_array(&self) -> Option<&Array> {
        match self {
            Operand::Array(x) => Some(x),
            _ => None,
        }
    }

    /// The operand as an array, numbers in this element type.
    pub(crate) fn array(self, dtype: DType) -> Result<Array> {
        let scalar = match self {
            Operand::Array(x) => return Ok(x),
            Operand::Int(x) if !dtype.is_integer() => Scalar::from_i64(dtype, x),
            Operand::Int(x) => match Scalar::from_i64(dtype, x) {
                s if s.as_i64() == Some(x) => s,
                _ => {
                    return Err(Error::dtype(format!(
                        "the number {x} does not fit the element type {dtype} of the array beside it"
                    )));
                }
            },
            Operand::Bool(x) => Scalar::from_i64(dtype, x as i64),
            Operand::Float(x) if dtype.is_differentiable() => Scalar::from_f64(dtype, x),
            Operand::Complex(c) if dtype.is_complex() => Scalar::from_complex(dtype, c),
            Operand::Float(_) | Operand::Complex(_) => {
                let (what, kind) = match self {
                    Operand::Float(x) => (format!("{x:?}"), "float"),
                    Operand::Complex(c) => (c.to_string(), "complex"),
                    _ => unreachable!("matched above"),
                };
                return Err(Error::dtype(format!(
                    "the {kind} number {what} can't take the element type {dtype} of the array beside it"
                ))
                .note("convert the array first, for example with `.to(DType::F32)`"));
            }
        };
        Ok(Array::literal(Tensor::splat(Shape::scalar(), scalar)))
    }

    /// The element type, if this is an array.
    pub(crate) fn dtype(&self) -> Option<DType> {
        match self {
            Operand::Array(x) => Some(x.dtype()),
            _ => None,
        }
    }
}

/// The shape that all of these broadcast to, by NumPy's rule.
pub(crate) fn broadcast_shapes(shapes: &[&Shape]) -> Result<Shape> {
    let rank = shapes.iter().map(|s| s.rank()).max().unwrap_or(0);
    let mut out: Dims = smallvec::smallvec![1; rank];
    for s in shapes {
        let skip = rank - s.rank();
        for (i, &d) in s.iter().enumerate() {
            let o = &mut out[skip + i];
            if *o == 1 {
                *o = d;
            } else if d != 1 && d != *o {
                let list: Vec<String> = shapes.iter().map(|s| s.to_string()).collect();
                return Err(Error::shape(format!("arrays of shapes {} do not broadcast together", list.join(" and ")))
                    .note("sizes are compared from the last axis; each pair must be equal, or one of them 1"));
            }
        }
    }
    Ok(Shape(out))
}

/// The number, if the array is one number repeated, and a change of its shape or type need not be seen by anyone.
fn one_number(x: &Array) -> Option<Scalar> {
    if x.is_traced() || (record::is_recording() && !x.is_literal()) {
        return None;
    }
    x.value().and_then(Tensor::splat_value)
}

/// The array repeated to this shape, its axes the last ones.
pub(crate) fn broadcast_to(x: &Array, shape: &Shape, place: &Place) -> Result<Array> {
    if x.shape() == shape {
        return Ok(x.clone());
    }
    if let Some(s) = one_number(x) {
        let ty = Type::new(x.dtype(), shape.clone());
        if ty.bytes().is_none() {
            return Err(Error::shape(format!("an array of type {ty} is too large to address")).at(place.clone()));
        }
        return Ok(x.with_tensor(Tensor::splat(shape.clone(), s)));
    }
    let skip = shape.rank() - x.rank();
    let dims: Dims = (skip..shape.rank()).collect();
    let op = Broadcast { shape: shape.clone(), dims };
    Ok(try_bind(op.into(), &[x], place.clone())?.remove(0))
}

/// Another element type.
pub(crate) fn convert(x: &Array, dtype: DType, place: &Place) -> Result<Array> {
    if x.dtype() == dtype {
        return Ok(x.clone());
    }
    if let Some(s) = one_number(x) {
        let scalar = Array::from_tensor(Tensor::splat(Shape::scalar(), s));
        let y = record::silently(|| try_bind(Convert { dtype }.into(), &[&scalar], place.clone()))?.remove(0);
        let s = y.value().and_then(Tensor::splat_value).expect("a scalar");
        return Ok(x.with_tensor(Tensor::splat(x.shape().clone(), s)));
    }
    Ok(try_bind(Convert { dtype }.into(), &[x], place.clone())?.remove(0))
}

/// Operands of one element type: that of the arrays, which numbers take. Beside a float number integers become floats of 32 bits,
/// or of 64 where they have as many, and beside a complex one all become complex, as JAX has it.
pub(crate) fn unify_dtypes(operands: Vec<Operand>, place: &Place) -> Result<Vec<Array>> {
    let arrays = operands.iter().filter_map(Operand::dtype).reduce(DType::promote);
    let has_float = operands.iter().any(|o| matches!(o, Operand::Float(_) | Operand::Complex(_)));
    let has_complex = operands.iter().any(|o| matches!(o, Operand::Complex(_)));
    let dtype = match arrays {
        Some(t) if t.is_differentiable() || !has_float => t,
        Some(t) if t.size() == 8 => DType::F64,
        _ => DType::F32,
    };
    let dtype = if has_complex { dtype.promote(DType::C64) } else { dtype };
    operands.into_iter().map(|o| o.array(dtype).and_then(|x| convert(&x, dtype, place))).collect()
}

/// Operands of one element type and one shape.
pub(crate) fn unify(operands: Vec<Operand>, place: &Place) -> Result<Vec<Array>> {
    let arrays = unify_dtypes(operands, place)?;
    let shapes: Vec<&Shape> = arrays.iter().map(Array::shape).collect();
    let shape = broadcast_shapes(&shapes)?;
    arrays.iter().map(|x| broadcast_to(x, &shape, place)).collect()
}

/// A binary op on operands that broadcast together.
pub(crate) fn try_binary(op: Binary, x: Operand, y: Operand, place: Place) -> Result<Array> {
    let arrays = match (&x, &y) {
        (Operand::Array(x), Operand::Array(y)) if watch::keeps_failed() => Some([x.clone(), y.clone()]),
        _ => None,
    };
    let v = unify(vec![x, y], &place).map_err(|e| {
        let e = e.within(format!("`{}`", op.as_str())).at(place.clone());
        arrays.iter().fold(e, |e, [x, y]| watch::failed_call(op.as_str(), &[x, y], None, &place, e))
    })?;
    Ok(try_bind(op.into(), &[&v[0], &v[1]], place)?.remove(0))
}

#[track_caller]
pub(crate) fn binary(op: Binary, x: impl Into<Operand>, y: impl Into<Operand>) -> Array {
    ok(try_binary(op, x.into(), y.into(), Place::caller()))
}

/// `>>` as Rust has it: copies of the sign bit come into signed integers, zeros into unsigned ones.
#[track_caller]
fn shift_right(x: impl Into<Operand>, y: impl Into<Operand>) -> Array {
    let (x, y) = (x.into(), y.into());
    let signed = [&x, &y].into_iter().filter_map(|o| o.dtype()).reduce(DType::promote).is_none_or(DType::is_signed);
    binary(if signed { Binary::ShrArithmetic } else { Binary::ShrLogical }, x, y)
}

macro_rules! operator {
    ($types:tt: $($trait:ident $method:ident $f:ident($($op:path)?);)*) => {$(
        impl<T: Into<Operand>> $trait<T> for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: T) -> Array {
                $f($($op,)? self, other)
            }
        }
        impl<T: Into<Operand>> $trait<T> for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: T) -> Array {
                $f($($op,)? self, other)
            }
        }
        operator!(@ $types $trait $method $f($($op)?));
    )*};
    (@ [$($t:ty)*] $trait:ident $method:ident $f:ident $op:tt) => {$(
        operator!(@@ $t, $trait $method $f $op);
    )*};
    (@@ $t:ty, $trait:ident $method:ident $f:ident($($op:path)?)) => {
        impl $trait<Array> for $t {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: Array) -> Array {
                $f($($op,)? self, other)
            }
        }
        impl $trait<&Array> for $t {
            type Output = Array;
            #[track_caller]
            fn $method(self, other: &Array) -> Array {
                $f($($op,)? self, other)
            }
        }
    };
}
// On the left stand one float and one integer type only: then a literal there has a type at once, and the methods of
// the result can be called: `(1.0 - x).exp()`.
operator! {
    [f64 i32 Complex<f64>]:
    Add add binary(Binary::Add);
    Sub sub binary(Binary::Sub);
    Mul mul binary(Binary::Mul);
    Div div binary(Binary::Div);
    Rem rem binary(Binary::Rem);
}
operator! {
    [bool i32]:
    BitAnd bitand binary(Binary::And);
    BitOr bitor binary(Binary::Or);
    BitXor bitxor binary(Binary::Xor);
    Shl shl binary(Binary::Shl);
    Shr shr shift_right();
}

macro_rules! assign {
    ($($trait:ident $method:ident $op:tt;)*) => {$(
        impl<T: Into<Operand>> $trait<T> for Array {
            #[track_caller]
            fn $method(&mut self, other: T) {
                *self = &*self $op other;
            }
        }
    )*};
}
assign! {
    AddAssign add_assign +;
    SubAssign sub_assign -;
    MulAssign mul_assign *;
    DivAssign div_assign /;
    RemAssign rem_assign %;
    BitAndAssign bitand_assign &;
    BitOrAssign bitor_assign |;
    BitXorAssign bitxor_assign ^;
    ShlAssign shl_assign <<;
    ShrAssign shr_assign >>;
}

/// The sum of arrays that broadcast together; of none, the number 0.
///
/// ```
/// # use wengert::Array;
/// let layers = [Array::from([1.0, 2.0]), Array::from([3.0, 4.0])];
/// assert_eq!(layers.iter().map(|x| x * x).sum::<Array>().to_vec::<f64>(), [10.0, 20.0]);
/// assert_eq!(layers.iter().product::<Array>().to_vec::<f64>(), [3.0, 8.0]);
/// ```
impl<A: Into<Operand>> Sum<A> for Array {
    #[track_caller]
    fn sum<I: Iterator<Item = A>>(arrays: I) -> Array {
        fold(arrays, 0.0, |x, y| x + y)
    }
}

/// The product of arrays that broadcast together; of none, the number 1.
impl<A: Into<Operand>> Product<A> for Array {
    #[track_caller]
    fn product<I: Iterator<Item = A>>(arrays: I) -> Array {
        fold(arrays, 1.0, |x, y| x * y)
    }
}

#[track_caller]
fn fold(arrays: impl Iterator<Item: Into<Operand>>, of_none: f64, with: impl Fn(Array, Operand) -> Array) -> Array {
    let place = Place::caller();
    let number = |x: Operand| ok(unify_dtypes(vec![x], &place)).remove(0);
    let mut arrays = arrays.map(Into::into);
    let first = number(arrays.next().unwrap_or(Operand::Float(of_none)));
    arrays.fold(first, with)
}

macro_rules! prefix {
    ($($trait:ident $method:ident $op:ident;)*) => {$(
        impl $trait for Array {
            type Output = Array;
            #[track_caller]
            fn $method(self) -> Array {
                bind_one(Unary::$op, &[&self])
            }
        }
        impl $trait for &Array {
            type Output = Array;
            #[track_caller]
            fn $method(self) -> Array {
                bind_one(Unary::$op, &[self])
            }
        }
    )*};
}
prefix! {
    Neg neg Neg;
    Not not Not;
}

/// Native comparison reads values: it works on concrete arrays and under `grad`, and is an error under `jit`. `==` says whether
/// two arrays of one shape are equal in all elements; other shapes are an error, since nobody can tell whether they were meant
/// to broadcast. Element by element it is [`Array::eq`], [`Array::lt`] and their siblings; broadcast, `x.eq(y).all(..)`.
///
/// ```
/// # use wengert::Array;
/// let x = Array::from([1, 2]);
/// assert!(x == Array::from([1, 2]) && x != Array::from([1, 3]));
/// assert!(x.sum(..) == 3);
/// assert_eq!(x.eq(2).to_vec::<bool>(), [false, true]);
/// ```
impl<T: Clone + Into<Operand>> PartialEq<T> for Array {
    #[track_caller]
    fn eq(&self, other: &T) -> bool {
        let (other, place) = (other.clone().into(), Place::caller());
        let shape = match &other {
            Operand::Array(y) => y.shape().clone(),
            _ => Shape::scalar(),
        };
        if *self.shape() != shape {
            let message = format!("`==` needs two arrays of one shape, and got {} and {shape}", self.shape());
            fail(Error::shape(message).at(place).note(
                "it says whether all elements are equal; element by element it is `x.eq(y)`, and `x.eq(y).all(..)` broadcasts",
            ));
        }
        ok(try_compare(Direction::Eq, self, other, place)).all(..).to_bool()
    }
}

impl<T: Clone + Into<Operand>> PartialOrd<T> for Array {
    #[track_caller]
    fn partial_cmp(&self, other: &T) -> Option<std::cmp::Ordering> {
        use std::cmp::Ordering::*;
        let other = other.clone().into();
        [
            (Array::lt(self, other.clone()), Less),
            (Array::eq(self, other.clone()), Equal),
            (Array::gt(self, other), Greater),
        ]
        .into_iter()
        .find(|(holds, _)| holds.to_bool())
        .map(|(_, order)| order)
    }
    #[track_caller]
    fn lt(&self, other: &T) -> bool {
        Array::lt(self, other.clone()).to_bool()
    }
    #[track_caller]
    fn le(&self, other: &T) -> bool {
        Array::le(self, other.clone()).to_bool()
    }
    #[track_caller]
    fn gt(&self, other: &T) -> bool {
        Array::gt(self, other.clone()).to_bool()
    }
    #[track_caller]
    fn ge(&self, other: &T) -> bool {
        Array::ge(self, other.clone()).to_bool()
    }
}
