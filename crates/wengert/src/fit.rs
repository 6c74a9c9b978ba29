//! Whether derivatives that users give fit the values that they are of.

use crate::array::{Array, StagingInfo};
use crate::tree::Tree;
use wengert_core::{Error, Place, Result, Type};

/// Names for the leaves of a tree: `result`, `result.0`.
pub(crate) fn leaf_names_of<T: Tree>(name: &str, structure: &T::Structure) -> Vec<String> {
    let mut names = Vec::new();
    T::paths(structure, name, &mut names);
    names
}

/// Checks that a tangent or cotangent fits the value that it belongs to.
pub(crate) fn same_type(
    what: &str,
    name: &str,
    want: &Type,
    got: &Array,
    info: &StagingInfo,
    place: &Place,
) -> Result<()> {
    if !want.dtype.is_differentiable() || *want == got.ty() {
        return Ok(());
    }
    let m = format!("`{}`: the {what} of `{name}`, which is {want}, must be so too, and is {}", info.by, got.ty());
    let to_do = match want.shape == got.ty().shape {
        true => format!("convert it with `.to(DType::{:?})`", want.dtype),
        false => {
            format!("give one number for each of the value: `Array::ones({:?}, ..)` has its shape", &want.shape[..])
        }
    };
    let e = Error::shape(m).at(place.clone()).note(format!("the function is {}", info.shown_function()));
    Err(e.note(format!("what to do: {to_do}")))
}
