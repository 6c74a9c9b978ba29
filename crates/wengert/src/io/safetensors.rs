//! Many arrays by name in one file, in the safetensors format.

use super::{damaged, from_bytes, in_file, io_error, to_bytes};
use crate::array::Array;
use crate::tape::{loaded, saved};
use safetensors::tensor::{Dtype, SafeTensors, TensorView, serialize};
use std::collections::BTreeMap;
use std::path::Path;
use wengert_core::{DType, Place, Result, Shape};
use wengert_tape::record::set_name;

const TYPES: [(DType, Dtype); 14] = [
    (DType::Bool, Dtype::BOOL),
    (DType::I8, Dtype::I8),
    (DType::I16, Dtype::I16),
    (DType::I32, Dtype::I32),
    (DType::I64, Dtype::I64),
    (DType::U8, Dtype::U8),
    (DType::U16, Dtype::U16),
    (DType::U32, Dtype::U32),
    (DType::U64, Dtype::U64),
    (DType::F16, Dtype::F16),
    (DType::BF16, Dtype::BF16),
    (DType::F32, Dtype::F32),
    (DType::F64, Dtype::F64),
    (DType::C64, Dtype::C64),
];

/// Reads the arrays of a safetensors file, by name.
///
/// ```
/// use wengert::{load_safetensors, save_safetensors, Array};
/// let path = std::env::temp_dir().join(format!("wengert-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("weight", Array::from([[1.0f32, 2.0]])), ("bias", Array::from([0.5f32]))])?;
/// let arrays = load_safetensors(&path)?;
/// assert_eq!(arrays["weight"], Array::from([[1.0f32, 2.0]]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), wengert::Error>(())
/// ```
#[track_caller]
pub fn load_safetensors(path: impl AsRef<Path>) -> Result<BTreeMap<String, Array>> {
    let (path, place) = (path.as_ref(), Place::caller());
    let mut arrays = in_file(path, std::fs::read(path).map_err(io_error).and_then(|bytes| parse(&bytes)))?;
    for (name, x) in &mut arrays {
        loaded("load_safetensors", path, x, &place);
        set_name(x, name, &place);
    }
    Ok(arrays)
}

fn parse(bytes: &[u8]) -> Result<BTreeMap<String, Array>> {
    let file = SafeTensors::deserialize(bytes).map_err(|e| damaged(format!("not a sound safetensors file: {e}")))?;
    let array = |(name, view): (String, TensorView<'_>)| {
        let Some((dtype, _)) = TYPES.iter().find(|(_, d)| *d == view.dtype()) else {
            return Err(damaged(format!("`{name}`: elements of type {:?} can't be read", view.dtype())));
        };
        let shape = Shape::from(view.shape());
        let t = from_bytes(*dtype, shape, view.data(), false).map_err(|e| e.within(format!("`{name}`")))?;
        Ok((name, Array::from_tensor(t)))
    };
    file.tensors().into_iter().map(array).collect()
}

/// Writes arrays with their names to a safetensors file; see [`load_safetensors`].
///
/// ```
/// use wengert::{load_safetensors, save_safetensors, Array};
/// # let path = std::env::temp_dir().join(format!("wengert-save-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("w", Array::from([1.0f32, 2.0]))])?;
/// assert_eq!(load_safetensors(&path)?["w"].to_vec::<f32>(), [1.0, 2.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), wengert::Error>(())
/// ```
#[track_caller]
pub fn save_safetensors<N: Into<String>, A: Into<Array>>(
    path: impl AsRef<Path>,
    arrays: impl IntoIterator<Item = (N, A)>,
) -> Result<()> {
    let place = Place::caller();
    let mut parts = BTreeMap::new();
    for (name, array) in arrays {
        let (name, array) = (name.into(), array.into());
        saved("save_safetensors", path.as_ref(), &array, &place);
        let t = array.concretize("a safetensors file")?;
        let Some((_, dtype)) = TYPES.iter().find(|(d, _)| *d == t.dtype()) else {
            return Err(damaged(format!("`{name}`: a safetensors file can't hold elements of type {}", t.dtype())));
        };
        parts.insert(name, (*dtype, t.shape().to_vec(), to_bytes(t)));
    }
    let wrong = |e| damaged(format!("a safetensors file can't hold this: {e}"));
    let views = parts
        .iter()
        .map(|(name, (dtype, shape, bytes))| Ok((name, TensorView::new(*dtype, shape.clone(), bytes).map_err(wrong)?)));
    let bytes = serialize(views.collect::<Result<Vec<_>>>()?, None).map_err(wrong)?;
    in_file(path.as_ref(), std::fs::write(path.as_ref(), bytes).map_err(io_error))
}
