//! Elementwise functions.

use super::operators::{Operand, binary, convert, unify};
use crate::array::Array;
use crate::fail::ok;
use crate::trace::{bind_one, try_bind};
use wengert_core::ops::{Binary, Compare, Direction, Select, Unary};
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
    ok((|| {
        let pred = convert(&pred.into(), DType::Bool, &place)?;
        let v = unify(vec![on_true.into(), on_false.into()], &place)?;
        let shape = super::operators::broadcast_shapes(&[pred.shape(), v[0].shape()])?;
        let spread = |x: &Array| super::operators::broadcast_to(x, &shape, &place);
        let pred = if pred.rank() == 0 { pred } else { spread(&pred)? };
        let (t, f) = (spread(&v[0])?, spread(&v[1])?);
        Ok(try_bind(Select {}.into(), &[&pred, &t, &f], place.clone())?.remove(0))
    })())
}

fn try_compare(direction: Direction, x: &Array, y: Operand, place: Place) -> Result<Array> {
    let v = unify(vec![x.into(), y], &place)
        .map_err(|e| e.within(format!("`{}`", direction.as_str())).at(place.clone()))?;
    Ok(try_bind(Compare { direction }.into(), &[&v[0], &v[1]], place)?.remove(0))
}

macro_rules! comparisons {
    ($($name:ident $direction:ident $what:literal;)*) => {
        impl Array {
            $(#[doc = concat!("Element by element, whether this is ", $what, " the other.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let b = Array::from([1, 2, 3]).", stringify!($name), "(2);")]
            /// assert_eq!(b.to_vec::<bool>().len(), 3);
            /// ```
            #[track_caller]
            pub fn $name(&self, other: impl Into<Operand>) -> Array {
                ok(try_compare(Direction::$direction, self, other.into(), Place::caller()))
            })*
        }
    };
}
comparisons! {
    eq Eq "equal to";
    ne Ne "different from";
    lt Lt "less than";
    le Le "at most";
    gt Gt "greater than";
    ge Ge "at least";
}

macro_rules! unary {
    ($($name:ident $op:ident $what:literal $at:literal;)*) => {
        impl Array {
            $(#[doc = concat!($what, ", element by element.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let y = Array::from([", $at, "f32]).", stringify!($name), "();")]
            /// assert_eq!(y.size(), 1);
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Array {
                bind_one(Unary::$op, &[self])
            })*
        }
    };
}
unary! {
    exp Exp "The exponential" 1.0;
    log Log "The natural logarithm" 1.0;
    sin Sin "The sine" 1.0;
    cos Cos "The cosine" 1.0;
    tanh Tanh "The hyperbolic tangent" 1.0;
}

impl Array {
    /// The same values in another element type.
    #[track_caller]
    pub fn to(&self, dtype: DType) -> Array {
        ok(convert(self, dtype, &Place::caller()))
    }

    /// The larger of two, element by element; NaN wins.
    #[track_caller]
    pub fn maximum(&self, other: impl Into<Operand>) -> Array {
        binary(Binary::Max, self, other)
    }
}
