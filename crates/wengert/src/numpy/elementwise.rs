//! Comparison, logic, choice and conversion, element by element.

use super::operators::{Operand, broadcast_shapes, broadcast_to, convert, unify};
use crate::array::Array;
use crate::dispatch::{bind_one, try_bind};
use crate::fail::ok;
use crate::tape::composite;
use wengert_core::ops::{Binary, Bitcast, Compare, Direction, Select};
use wengert_core::{DType, Place, Result};

/// Choosing element by element: `on_true` where `pred` holds, else `on_false`. All three broadcast together.
///
/// ```
/// use wengert::{where_, Array};
/// let x = Array::from([-1.0f32, 2.0]);
/// assert_eq!(where_(x.gt(0.0), &x, 0.0).to_vec::<f32>(), [0.0, 2.0]);
/// ```
#[track_caller]
pub fn where_(pred: impl Into<Array>, on_true: impl Into<Operand>, on_false: impl Into<Operand>) -> Array {
    let place = Place::caller();
    ok(try_where(pred.into(), on_true.into(), on_false.into(), &place)
        .map_err(|e| e.within("`where_`").at(place.clone())))
}

fn try_where(pred: Array, on_true: Operand, on_false: Operand, place: &Place) -> Result<Array> {
    let pred = convert(&pred, DType::Bool, place)?;
    let v = unify(vec![on_true, on_false], place)?;
    let shape = broadcast_shapes(&[pred.shape(), v[0].shape()])?;
    let pred = if pred.rank() == 0 { pred } else { broadcast_to(&pred, &shape, place)? };
    let (t, f) = (broadcast_to(&v[0], &shape, place)?, broadcast_to(&v[1], &shape, place)?);
    Ok(try_bind(Select {}.into(), &[&pred, &t, &f], place.clone())?.remove(0))
}

fn try_compare(direction: Direction, x: &Array, y: Operand, place: Place) -> Result<Array> {
    let v = unify(vec![x.into(), y], &place)
        .map_err(|e| e.within(format!("`{}`", direction.as_str())).at(place.clone()))?;
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
    super::operators::try_binary(op, x.into(), y.into(), place.clone())
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

    /// The same bits under another element type. A narrower one adds a last axis, lowest bits first; a wider one takes
    /// it away.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::from([1.0f32]).bitcast(DType::U32).to_vec::<u32>(), [0x3f80_0000]);
    /// ```
    #[track_caller]
    pub fn bitcast(&self, dtype: DType) -> Array {
        bind_one(Bitcast { dtype }, &[self])
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
