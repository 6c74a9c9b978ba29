//! The arrays that are too large to stand in the text.

use crate::names::Names;
use wengert_core::Tensor;

/// Arrays with names of their own.
#[derive(Debug)]
pub(crate) struct Data {
    names: Names,
    arrays: Vec<(String, Tensor)>,
}

impl Default for Data {
    fn default() -> Data {
        Data { names: Names::new(&[]), arrays: Vec::new() }
    }
}

impl Data {
    /// Adds an array, and gives the name it has: a string of letters, digits and `_`. One that is there already is not added.
    pub(crate) fn add(&mut self, wanted: &str, t: &Tensor) -> String {
        if let Some((name, _)) = self.arrays.iter().find(|(_, other)| other.ty() == t.ty() && other.same_bits(t)) {
            return name.clone();
        }
        let name = self.names.fresh(wanted);
        self.arrays.push((name.clone(), t.clone()));
        name
    }

    pub(crate) fn into_arrays(self) -> Vec<(String, Tensor)> {
        self.arrays
    }
}
