//! What choices element by element go by.

use super::creation::Nested;
use crate::array::Array;

/// What a choice element by element goes by, as in [`where_`](crate::where_): an array, or bools in arrays of Rust.
///
/// A `bool` is refused. `x == y`, `x < y` and the like are one `bool` about the whole of two arrays, for `if`; element by
/// element it is `x.eq(y)`, `x.lt(y)`.
///
/// ```
/// use wengert::{where_, Array};
/// let x = Array::from([1.0, 2.0]);
/// assert_eq!(where_(x.eq(1.0), 0.0, &x).to_vec::<f64>(), [0.0, 2.0]);
/// assert_eq!(where_([true, false], 0.0, &x).to_vec::<f64>(), [0.0, 2.0]);
/// ```
///
/// ```compile_fail
/// use wengert::{where_, Array};
/// let x = Array::from([1.0, 2.0]);
/// where_(x == 1.0, 0.0, &x);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't choose element by element",
    label = "not an array of bools",
    note = "`x == y`, `x < y` and the like give one `bool` for `if`; element by element it is `x.eq(y)`, `x.lt(y)`",
    note = "a `bool` that is meant for all elements is `Array::from(b)`"
)]
pub trait Mask {
    /// The array.
    fn into_mask(self) -> Array;
}

impl Mask for Array {
    fn into_mask(self) -> Array {
        self
    }
}
impl Mask for &Array {
    fn into_mask(self) -> Array {
        self.clone()
    }
}
impl<T: Nested, const N: usize> Mask for [T; N] {
    fn into_mask(self) -> Array {
        self.into()
    }
}
impl<T: Nested> Mask for Vec<T> {
    fn into_mask(self) -> Array {
        self.into()
    }
}
impl<T: Nested + Clone> Mask for &[T] {
    fn into_mask(self) -> Array {
        self.into()
    }
}

/// Several of them: `[x.lt(0), x.lt(1)]`, a vector, an iterator.
pub trait Masks: IntoIterator<Item: Mask> {}
impl<T: IntoIterator<Item: Mask>> Masks for T {}
