//! Many arrays by name in one file, in the safetensors format.

use super::{damaged, from_bytes, in_file, io_error};
use crate::array::Array;
use crate::tape::{loaded, saved};
use std::collections::BTreeMap;
use std::path::Path;
use wengert_core::replace::replace_file;
use wengert_core::safetensors::{Entry, Header, Layout};
use wengert_core::{DType, Place, Result, shown};
use wengert_tape::record::set_name;

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
    let array = |(name, entry): (String, Entry)| {
        let x = read(bytes, &name, entry)?;
        Ok((name, x))
    };
    Header::parse(bytes)?.arrays.into_iter().map(array).collect()
}

fn read(bytes: &[u8], name: &str, Entry { ty, range }: Entry) -> Result<Array> {
    let t = from_bytes(ty.dtype, ty.shape, &bytes[range], false);
    Ok(Array::from_tensor(t.map_err(|e| e.within(format!("`{}`", shown(name, 80))))?))
}

/// One array of a safetensors file that was read.
pub(crate) fn array_of_safetensors(bytes: &[u8], name: &str) -> Result<Array> {
    let entry = Header::parse(bytes)?.arrays.into_iter().find(|(n, _)| n == name);
    let (name, entry) = entry.ok_or_else(|| damaged(format!("the file has no array `{}`", shown(name, 80))))?;
    read(bytes, &name, entry)
}

/// Writes arrays with their names to a safetensors file; see [`load_safetensors`]. What was there before is replaced at
/// once, when all is written, or not at all.
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
    let mut tensors = BTreeMap::new();
    for (name, array) in arrays {
        let (name, array) = (name.into(), array.into());
        saved("save_safetensors", path.as_ref(), &array, &place);
        let t = array.concretize_for_file("a safetensors file")?;
        if t.dtype() == DType::C128 {
            let name = shown(&name, 80);
            return Err(damaged(format!("`{name}`: a safetensors file can't hold elements of type c128")));
        }
        tensors.insert(name, t.clone());
    }
    let layout =
        Layout::new(&tensors).map_err(|e| damaged(e.message()).within("a safetensors file can't hold this"))?;
    in_file(path.as_ref(), replace_file(path.as_ref(), |to| layout.write(to)))
}
