//! Communication over a named axis: what one example of a `vmap` can know of the others.

use crate::array::Array;
use crate::dispatch::try_bind_staged;
use crate::fail::ok;
use crate::named_axes;
use std::sync::Arc;
use wengert_core::ops::{AllGather, AllReduce, AllToAll, AxisIndex, CollectivePermute, ReduceScatter, Reduction};
use wengert_core::{Error, ErrorKind, Op, Place, Result};

/// An op over the innermost axis of this name.
fn bind_over(name: &str, x: &[&Array], place: Place, op: impl FnOnce(Arc<str>, usize) -> Op) -> Result<Array> {
    let (axis, size) = named_axes::innermost(name).ok_or_else(|| {
        Error::new(ErrorKind::Unsupported, format!("no axis named `{name}` is there to communicate over"))
            .at(place.clone())
            .note(format!("name one around this call: `vmap(f).axis_name(\"{name}\")`"))
    })?;
    Ok(try_bind_staged(op(axis, size), x, place)?.remove(0))
}

macro_rules! reductions {
    ($($(#[$meta:meta])* $name:ident $reduction:ident;)*) => {$(
        $(#[$meta])*
        #[track_caller]
        pub fn $name(x: impl Into<Array>, axis: &str) -> Array {
            let op = |axis, size| AllReduce { axis, size, reduction: Reduction::$reduction }.into();
            ok(bind_over(axis, &[&x.into()], Place::caller(), op))
        }
    )*};
}
reductions! {
    /// The sum over a named axis; every member gets the same.
    ///
    /// ```
    /// use wengert::{psum, vmap, Array};
    /// let share = vmap(|x: Array| &x / psum(&x, "i")).axis_name("i");
    /// assert_eq!(share(Array::from([1.0f32, 3.0])).to_vec::<f32>(), [0.25, 0.75]);
    /// ```
    psum Add;
    /// The largest over a named axis.
    ///
    /// ```
    /// use wengert::{pmax, vmap, Array};
    /// let gap = vmap(|x: Array| pmax(&x, "i") - x).axis_name("i");
    /// assert_eq!(gap(Array::from([1, 3])).to_vec::<i32>(), [2, 0]);
    /// ```
    pmax Max;
    /// The smallest over a named axis.
    ///
    /// ```
    /// use wengert::{pmin, vmap, Array};
    /// let gap = vmap(|x: Array| &x - pmin(&x, "i")).axis_name("i");
    /// assert_eq!(gap(Array::from([1, 3])).to_vec::<i32>(), [0, 2]);
    /// ```
    pmin Min;
}

/// The mean over a named axis.
///
/// ```
/// use wengert::{pmean, vmap, Array};
/// let centred = vmap(|x: Array| &x - pmean(&x, "i")).axis_name("i");
/// assert_eq!(centred(Array::from([1.0f32, 3.0])).to_vec::<f32>(), [-1.0, 1.0]);
/// ```
#[track_caller]
pub fn pmean(x: impl Into<Array>, axis: &str) -> Array {
    let size = named_axes::innermost(axis).map_or(1, |(_, size)| size);
    psum(x, axis) / size as f64
}

/// The values of all members stacked along a new leading axis.
///
/// ```
/// use wengert::{all_gather, vmap, Array};
/// let all = vmap(|x: Array| all_gather(&x, "i")).axis_name("i");
/// assert_eq!(all(Array::from([1, 3])).to_vec::<i32>(), [1, 3, 1, 3]);
/// ```
#[track_caller]
pub fn all_gather(x: impl Into<Array>, axis: &str) -> Array {
    ok(bind_over(axis, &[&x.into()], Place::caller(), |axis, size| AllGather { axis, size }.into()))
}

/// The sum over a named axis, of which member `i` gets the slice at `i` of the leading axis.
///
/// ```
/// use wengert::{psum_scatter, vmap, Array};
/// let f = vmap(|x: Array| psum_scatter(&x, "i")).axis_name("i");
/// assert_eq!(f(Array::from([[1, 2], [3, 4]])).to_vec::<i32>(), [4, 6]);
/// ```
#[track_caller]
pub fn psum_scatter(x: impl Into<Array>, axis: &str) -> Array {
    ok(bind_over(axis, &[&x.into()], Place::caller(), |axis, size| ReduceScatter { axis, size }.into()))
}

/// Slices exchanged: member `i` gets, as slice `j` of the leading axis, slice `i` of member `j`.
///
/// ```
/// use wengert::{all_to_all, vmap, Array};
/// let f = vmap(|x: Array| all_to_all(&x, "i")).axis_name("i");
/// assert_eq!(f(Array::from([[1, 2], [3, 4]])).to_vec::<i32>(), [1, 3, 2, 4]);
/// ```
#[track_caller]
pub fn all_to_all(x: impl Into<Array>, axis: &str) -> Array {
    ok(bind_over(axis, &[&x.into()], Place::caller(), |axis, size| AllToAll { axis, size }.into()))
}

/// Values sent along: for each pair `(from, to)`, member `to` gets the value of member `from`; the others get zeros.
///
/// ```
/// use wengert::{ppermute, vmap, Array};
/// let shift = vmap(|x: Array| ppermute(&x, "i", &[(0, 1), (1, 2)])).axis_name("i");
/// assert_eq!(shift(Array::from([1, 2, 3])).to_vec::<i32>(), [0, 1, 2]);
/// ```
#[track_caller]
pub fn ppermute(x: impl Into<Array>, axis: &str, pairs: &[(usize, usize)]) -> Array {
    let op = |axis, size| CollectivePermute { axis, size, pairs: pairs.to_vec() }.into();
    ok(bind_over(axis, &[&x.into()], Place::caller(), op))
}

/// The position of this member on a named axis.
///
/// ```
/// use wengert::{axis_index, vmap, Array};
/// let f = vmap(|x: Array| x * axis_index("i")).axis_name("i");
/// assert_eq!(f(Array::from([5, 5, 5])).to_vec::<i32>(), [0, 5, 10]);
/// ```
#[track_caller]
pub fn axis_index(axis: &str) -> Array {
    ok(bind_over(axis, &[], Place::caller(), |axis, size| AxisIndex { axis, size }.into()))
}
