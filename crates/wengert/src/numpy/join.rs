//! Arrays put together along an axis.

use super::axes::resolve_axis;
use super::operators::convert;
use crate::array::Array;
use crate::fail::ok;
use crate::trace::try_bind;
use wengert_core::ops::Concatenate;
use wengert_core::{DType, Error, Place, Result};

/// The arrays in one element type.
fn promoted(by: &str, arrays: &[Array], place: &Place) -> Result<Vec<Array>> {
    let dtype = arrays.iter().map(Array::dtype).reduce(DType::promote);
    let dtype = dtype.ok_or_else(|| Error::shape(format!("`{by}` needs at least one array")).at(place.clone()))?;
    arrays.iter().map(|x| convert(x, dtype, place)).collect()
}

fn try_concatenate(arrays: &[Array], axis: isize, place: &Place) -> Result<Array> {
    let arrays = promoted("concatenate", arrays, place)?;
    let dim = resolve_axis(axis, arrays[0].rank(), place)?;
    let x: Vec<&Array> = arrays.iter().collect();
    if let [only] = x[..] {
        return Ok(only.clone());
    }
    Ok(try_bind(Concatenate { dim }.into(), &x, place.clone())?.remove(0))
}

/// Arrays one after the other along an axis they have.
///
/// ```
/// use wengert::{concatenate, Array};
/// let x = concatenate(&[Array::from([1, 2]), Array::from([3])], 0);
/// assert_eq!(x.to_vec::<i32>(), [1, 2, 3]);
/// ```
#[track_caller]
pub fn concatenate(arrays: &[Array], axis: isize) -> Array {
    ok(try_concatenate(arrays, axis, &Place::caller()))
}

/// Arrays of one shape side by side along a new axis.
///
/// ```
/// use wengert::{stack, Array};
/// let x = stack(&[Array::from([1, 2]), Array::from([3, 4])], -1);
/// assert_eq!(x.to_vec::<i32>(), [1, 3, 2, 4]);
/// ```
#[track_caller]
pub fn stack(arrays: &[Array], axis: isize) -> Array {
    let place = Place::caller();
    ok((|| {
        let first = arrays.first().map(|x| x.shape().clone()).unwrap_or_default();
        let at = resolve_axis(axis, first.rank() + 1, &place)?;
        if let Some(x) = arrays.iter().find(|x| *x.shape() != first) {
            let m = format!("`stack` needs arrays of one shape, and got {first} and {}", x.shape());
            return Err(Error::shape(m).at(place.clone()));
        }
        let columns: Vec<Array> =
            arrays.iter().map(|x| x.try_reshape(first.with_axis(at, 1), &place)).collect::<Result<_>>()?;
        try_concatenate(&columns, at as isize, &place)
    })())
}
