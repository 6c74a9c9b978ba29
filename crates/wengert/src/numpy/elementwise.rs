//! Elementwise functions of two arrays or more, which broadcast together: arithmetic, comparison, logic, choice; and
//! conversion.

use super::mask::Mask;
use super::operators::{Operand, binary, broadcast_shapes, broadcast_to, convert, try_binary, unify};
use super::unary::inexact;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use crate::tape::composite;
use crate::watch;
use wengert_core::ops::{Binary, Compare, Direction, Select};
use wengert_core::{DType, Error, Place, Result};

/// One function a line: name, op, what it is, and the example its documentation runs.
macro_rules! binary {
    ($($name:ident $op:ident $what:literal: $x:expr, $y:expr => $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!($what, ", element by element.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let y = Array::from(", stringify!($x), ").", stringify!($name), "(", stringify!($y), ");")]
            #[doc = concat!("assert_eq!(y, Array::from(", stringify!($value), "));")]
            /// ```
            #[track_caller]
            pub fn $name(&self, other: impl Into<Operand>) -> Array {
                binary(Binary::$op, self, other)
            })*
        }
    };
}
binary! {
    maximum Max "The larger of two; NaN wins": [1, 5], 3 => [3, 5];
    minimum Min "The smaller of two; NaN wins": [1, 5], 3 => [1, 3];
    rem Rem "The remainder of a division, with the sign of the dividend, as `%`": [7, -7], 3 => [1, -1];
    bitwise_and And "The bits set in both, as `&`": [6, 5], 3 => [2, 1];
    bitwise_or Or "The bits set in one or both, as `|`": [6, 5], 3 => [7, 7];
    bitwise_xor Xor "The bits set in one but not both, as `^`": [6, 5], 3 => [5, 6];
    nextafter Nextafter "The next float towards the other": [1.0f32], 2.0 => [1.0000001f32];
}

/// A complex array from its parts.
///
/// ```
/// use wengert::{complex, Array, Complex};
/// let z = complex(Array::from([1.0f32, 2.0]), 0.5);
/// assert_eq!(z.to_vec::<Complex<f32>>(), [Complex::new(1.0, 0.5), Complex::new(2.0, 0.5)]);
/// ```
#[track_caller]
pub fn complex(re: impl Into<Operand>, im: impl Into<Operand>) -> Array {
    binary(Binary::Complex, re, im)
}

/// Two operands of one shape and one float (or complex) type.
#[track_caller]
fn inexact_pair(x: &Array, other: impl Into<Operand>) -> [Array; 2] {
    let other = other.into();
    let dtype = other.dtype().map_or(x.dtype(), |d| d.promote(x.dtype()));
    let place = Place::caller();
    let mut v = ok(unify(vec![x.to(inexact(dtype)).into(), other], &place).map_err(|e| e.at(place)));
    let y = v.pop().expect("two");
    [v.pop().expect("two"), y]
}

/// Two real operands of one shape and type.
#[track_caller]
fn real_pair(name: &str, x: &Array, other: impl Into<Operand>) -> [Array; 2] {
    let place = Place::caller();
    let mut v = ok(unify(vec![x.into(), other.into()], &place).map_err(|e| e.at(place.clone())));
    if v[0].dtype().is_complex() {
        fail(Error::dtype(format!("`{name}` takes integers and floats, and got {}", v[0].ty())).at(place));
    }
    let y = v.pop().expect("two");
    [v.pop().expect("two"), y]
}

impl Array {
    /// Each element to a power. An integer literal is exact repeated multiplication.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([2.0f32, -3.0]);
    /// assert_eq!(x.pow(3).to_vec::<f32>(), [8.0, -27.0]);
    /// assert_eq!(x.pow(-1).to_vec::<f32>(), [0.5, -1.0 / 3.0]);
    /// assert_eq!(Array::from(16.0f32).pow(0.25).item::<f32>(), 2.0);
    /// ```
    #[track_caller]
    pub fn pow(&self, exponent: impl Into<Operand>) -> Array {
        match exponent.into() {
            Operand::Int(n) => self.integer_pow(n),
            other => binary(Binary::Pow, self, other),
        }
    }

    #[track_caller]
    fn integer_pow(&self, n: i64) -> Array {
        if n < 0 && !self.dtype().is_differentiable() {
            fail(
                Error::dtype(format!("an array of type {} can't be raised to the negative power {n}", self.ty()))
                    .at(Place::caller())
                    .note("convert it first, for example with `.to(DType::F32)`"),
            );
        }
        let (mut left, mut power, mut result) = (n.unsigned_abs(), self.clone(), None);
        while left > 0 {
            if left & 1 == 1 {
                result = Some(match result {
                    None => power.clone(),
                    Some(r) => r * &power,
                });
            }
            left >>= 1;
            if left > 0 {
                power = power.square();
            }
        }
        let y = result.unwrap_or_else(|| self.ones_like());
        if n < 0 { y.reciprocal() } else { y }
    }

    /// The quotient as a float; `/` on integers is integer division instead.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([7, -7]).divide(2).to_vec::<f32>(), [3.5, -3.5]);
    /// ```
    #[track_caller]
    pub fn divide(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = inexact_pair(self, other);
        x / y
    }

    /// The quotient rounded down.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([7, -7]).floor_divide(2).to_vec::<i32>(), [3, -4]);
    /// assert_eq!(Array::from([7.5f32, -7.5]).floor_divide(2).to_vec::<f32>(), [3.0, -4.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn floor_divide(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = real_pair("floor_divide", self, other);
        if x.dtype().is_unsigned() {
            return x / y;
        }
        let r = x.rem(&y);
        // The quotient of what divides exactly, one less where the remainder was on the other side.
        let q = if x.dtype().is_float() { ((&x - &r) / &y).round() } else { &x / &y };
        let below = r.ne(0) & r.sign().ne(y.sign());
        where_(below, &q - 1, &q)
    }

    /// The remainder of a division, with the sign of the divisor; see [`Array::rem`] for that of the dividend. That of
    /// an integer by 0 is 0.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([7, -7]).modulo(3).to_vec::<i32>(), [1, 2]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn modulo(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = real_pair("modulo", self, other);
        let y = if x.dtype().is_integer() { where_(y.eq(0), y.ones_like(), y) } else { y };
        let r = x.rem(&y);
        if x.dtype().is_unsigned() {
            return r;
        }
        where_(r.ne(0) & r.lt(0).ne(y.lt(0)), &r + &y, &r)
    }

    /// The angle of the point `(other, self)`, in radians.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([1.0f64, -1.0]).atan2(0.0).degrees();
    /// assert!((y - Array::from([90.0, -90.0])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn atan2(&self, other: impl Into<Operand>) -> Array {
        let [y, x] = inexact_pair(self, other);
        binary(Binary::Atan2, y, x)
    }

    /// `sqrt(x² + y²)` without overflow.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3.0f32, 3e30]).hypot(Array::from([4.0f32, 4e30])).to_vec::<f32>(), [5.0, 5e30]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn hypot(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = inexact_pair(self, other);
        let (x, y) = (x.abs(), y.abs());
        let (large, small) = (x.maximum(&y), x.minimum(&y));
        let flat = large.eq(0) | large.is_inf();
        let ratio = small / where_(&flat, 1, &large);
        where_(flat, &large, &large * (ratio.square() + 1).sqrt())
    }

    /// `log(exp(x) + exp(y))` without overflow.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([0.0f32, 1000.0]).logaddexp(Array::from([0.0f32, 1000.0]));
    /// assert!((y - Array::from([0.6931472f32, 1000.6931])).abs().max(..).item::<f32>() < 1e-3);
    /// ```
    #[composite]
    #[track_caller]
    pub fn logaddexp(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = inexact_pair(self, other);
        // Infinities of one sign leave no difference; NaN stays through the sum.
        let odd = (&x - &y).is_nan();
        // Minus the size of the difference, with a derivative of zero where there is none.
        let [low, high] = [x.minimum(&y), x.maximum(&y)];
        let apart = where_(&odd, 0, low - &high);
        where_(odd, &x + &y, high + apart.exp().log1p())
    }

    /// Whether the sign bit is set: also of -0.0 and NaN.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-0.0f32, 1.0, -2.0]).signbit().to_vec::<bool>(), [true, false, true]);
    /// ```
    #[track_caller]
    pub fn signbit(&self) -> Array {
        match self.dtype() {
            DType::F16 | DType::BF16 => self.bitcast(DType::I16).lt(0),
            DType::F32 => self.bitcast(DType::I32).lt(0),
            DType::F64 => self.bitcast(DType::I64).lt(0),
            _ => self.lt(0),
        }
    }

    /// This magnitude with the sign of the other.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3.0f32, -4.0]).copysign(-1.0).to_vec::<f32>(), [-3.0, -4.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn copysign(&self, other: impl Into<Operand>) -> Array {
        let [x, y] = inexact_pair(self, other);
        where_(x.signbit().ne(y.signbit()), -&x, &x)
    }

    /// 0 below zero, 1 above it, `at_zero` in between.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-2.0f32, 0.0, 2.0]).heaviside(0.5).to_vec::<f32>(), [0.0, 0.5, 1.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn heaviside(&self, at_zero: impl Into<Operand>) -> Array {
        let [x, at] = inexact_pair(self, at_zero);
        let step = where_(x.gt(0), x.ones_like(), x.zeros_like());
        let y = where_(x.eq(0), at, step);
        where_(x.is_nan(), &x, y)
    }

    /// No smaller than `low` and no larger than `high`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-5, 3, 12]).clip(0, 10).to_vec::<i32>(), [0, 3, 10]);
    /// ```
    #[track_caller]
    pub fn clip(&self, low: impl Into<Operand>, high: impl Into<Operand>) -> Array {
        self.maximum(low).minimum(high)
    }
}

/// Choosing element by element: `on_true` where `pred` holds, else `on_false`. All three broadcast together.
///
/// ```
/// use wengert::{where_, Array};
/// let x = Array::from([-1.0f32, 2.0]);
/// assert_eq!(where_(x.gt(0.0), &x, 0.0).to_vec::<f32>(), [0.0, 2.0]);
/// ```
///
/// `x == 0.0` is no such choice but one `bool`, and is refused: see [`Mask`].
#[track_caller]
pub fn where_(pred: impl Mask, on_true: impl Into<Operand>, on_false: impl Into<Operand>) -> Array {
    let (place, pred, on_true, on_false) = (Place::caller(), pred.into_mask(), on_true.into(), on_false.into());
    let given = match (on_true.as_array(), on_false.as_array()) {
        (Some(t), Some(f)) if watch::keeps_failed() => Some([pred.clone(), t.clone(), f.clone()]),
        _ => None,
    };
    ok(try_where(pred, on_true, on_false, &place).map_err(|e| {
        let e = e.within("`where_`").at(place.clone());
        given.iter().fold(e, |e, [p, t, f]| watch::failed_call("where_", &[p, t, f], None, &place, e))
    }))
}

pub(crate) fn try_where(pred: Array, on_true: Operand, on_false: Operand, place: &Place) -> Result<Array> {
    let pred = convert(&pred, DType::Bool, place)?;
    let v = unify(vec![on_true, on_false], place)?;
    let shape = broadcast_shapes(&[pred.shape(), v[0].shape()])?;
    let pred = if pred.rank() == 0 { pred } else { broadcast_to(&pred, &shape, place)? };
    let (t, f) = (broadcast_to(&v[0], &shape, place)?, broadcast_to(&v[1], &shape, place)?);
    Ok(try_bind(Select {}.into(), &[&pred, &t, &f], place.clone())?.remove(0))
}

pub(crate) fn try_compare(direction: Direction, x: &Array, y: Operand, place: Place) -> Result<Array> {
    let other = if watch::keeps_failed() { y.as_array().cloned() } else { None };
    let v = unify(vec![x.into(), y], &place).map_err(|e| {
        let e = e.within(format!("`{}`", direction.as_str())).at(place.clone());
        other.iter().fold(e, |e, y| watch::failed_call(direction.as_str(), &[x, y], None, &place, e))
    })?;
    Ok(try_bind(Compare { direction }.into(), &[&v[0], &v[1]], place)?.remove(0))
}

macro_rules! comparisons {
    ($($name:ident $direction:ident $what:literal: $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!("Element by element, whether this is ", $what, " the other.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let b = Array::from([1, 2, 3]).", stringify!($name), "(2);")]
            #[doc = concat!("assert_eq!(b.to_vec::<bool>(), ", stringify!($value), ");")]
            /// ```
            #[track_caller]
            pub fn $name(&self, other: impl Into<Operand>) -> Array {
                ok(try_compare(Direction::$direction, self, other.into(), Place::caller()))
            })*
        }
    };
}
comparisons! {
    eq Eq "equal to": [false, true, false];
    ne Ne "different from": [true, false, true];
    lt Lt "less than": [true, false, false];
    le Le "at most": [true, true, false];
    gt Gt "greater than": [false, false, true];
    ge Ge "at least": [false, true, true];
}

fn try_logical(op: Binary, x: &Array, y: Operand, place: &Place) -> Result<Array> {
    let y = match y {
        Operand::Array(y) => y,
        number => number.array(x.dtype())?,
    };
    let (x, y) = (convert(x, DType::Bool, place)?, convert(&y, DType::Bool, place)?);
    try_binary(op, x.into(), y.into(), place.clone())
}

macro_rules! logical {
    ($($name:ident $op:ident $what:literal: $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!("Element by element, whether ", $what, ". What is not zero is true.")]
            ///
            /// ```
            /// # use wengert::Array;
            /// let (x, y) = (Array::from([0, 0, 1, 1]), Array::from([false, true, false, true]));
            #[doc = concat!("let b = x.", stringify!($name), "(y);")]
            #[doc = concat!("assert_eq!(b.to_vec::<bool>(), ", stringify!($value), ");")]
            /// ```
            #[track_caller]
            pub fn $name(&self, other: impl Into<Operand>) -> Array {
                let place = Place::caller();
                ok(try_logical(Binary::$op, self, other.into(), &place).map_err(|e| e.at(place)))
            })*
        }
    };
}
logical! {
    logical_and And "both are true": [false, false, false, true];
    logical_or Or "one of them is true": [false, true, true, true];
    logical_xor Xor "exactly one of them is true": [false, true, true, false];
}

impl Array {
    /// Whether each element is zero or false.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([0, 3]).logical_not().to_vec::<bool>(), [true, false]);
    /// ```
    #[track_caller]
    pub fn logical_not(&self) -> Array {
        !self.to(DType::Bool)
    }

    /// The same values in another element type. Floats go to integers by truncation, complex numbers to real ones by
    /// their real part.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::from([1.9f32, -1.9]).to(DType::I32).to_vec::<i32>(), [1, -1]);
    /// ```
    #[track_caller]
    pub fn to(&self, dtype: DType) -> Array {
        ok(convert(self, dtype, &Place::caller()))
    }

    /// Whether each element is close to the other's: `|x - y| <= atol + rtol·|y|`. NaN is close to nothing.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f32, 2.0]);
    /// assert_eq!(x.is_close(Array::from([1.0f32, 2.1]), 1e-5, 1e-8).to_vec::<bool>(), [true, false]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn is_close(&self, other: impl Into<Operand>, rtol: f64, atol: f64) -> Array {
        let place = Place::caller();
        let v = ok(unify(vec![self.into(), other.into()], &place).map_err(|e| e.at(place)));
        let (x, y) = (v[0].to_inexact(), v[1].to_inexact());
        let near = (&x - &y).abs().le(y.abs() * rtol + atol);
        x.eq(&y) | near & x.is_finite() & y.is_finite()
    }
}
