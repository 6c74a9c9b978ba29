//! The values a tape keeps: our own, and those of an opened file, which are read when asked for.

use crate::file::StoredValues;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use wengert_core::{Result, Tensor, Type};

/// Values by number: first those of the file, then our own.
#[derive(Clone, Default)]
pub(crate) struct Values {
    stored: Option<Arc<StoredValues>>,
    /// Values that replace those of the file.
    replaced: BTreeMap<usize, Tensor>,
    own: Vec<Tensor>,
}

impl From<StoredValues> for Values {
    fn from(stored: StoredValues) -> Values {
        Values { stored: Some(Arc::new(stored)), ..Values::default() }
    }
}

/// Where a value is.
enum ValueLocation<'a> {
    Here(&'a Tensor),
    InFile(&'a StoredValues),
}

impl Values {
    fn stored_len(&self) -> usize {
        self.stored.as_ref().map_or(0, |v| v.len())
    }

    fn locate(&self, i: usize) -> ValueLocation<'_> {
        match &self.stored {
            Some(v) if i < v.len() => self.replaced.get(&i).map_or(ValueLocation::InFile(v), ValueLocation::Here),
            _ => ValueLocation::Here(&self.own[i - self.stored_len()]),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.stored_len() + self.own.len()
    }

    /// A value.
    ///
    /// # Errors
    /// If it is in a file, and is not what was written.
    pub(crate) fn get(&self, i: usize) -> Result<Tensor> {
        match self.locate(i) {
            ValueLocation::Here(t) => Ok(t.clone()),
            ValueLocation::InFile(v) => v.get(i),
        }
    }

    /// At least so many of the first elements, or all. Those of a large array are given as they lie in the file.
    pub(crate) fn first(&self, i: usize, count: usize) -> Result<Tensor> {
        match self.locate(i) {
            ValueLocation::Here(t) => Ok(t.clone()),
            ValueLocation::InFile(v) => v.first(i, count),
        }
    }

    pub(crate) fn ty(&self, i: usize) -> Cow<'_, Type> {
        match self.locate(i) {
            ValueLocation::Here(t) => Cow::Owned(t.ty()),
            ValueLocation::InFile(v) => Cow::Borrowed(v.ty(i)),
        }
    }

    /// The number of the array in the file that a value is, if it is there and not one element repeated.
    pub(crate) fn stored_array(&self, i: usize) -> Option<u32> {
        match self.locate(i) {
            ValueLocation::Here(_) => None,
            ValueLocation::InFile(v) => v.array(i),
        }
    }

    /// Bytes of the elements kept; those that several values share count once each.
    pub(crate) fn bytes(&self) -> usize {
        let size = |i: usize| match self.locate(i) {
            ValueLocation::Here(t) => t.stored_bytes(),
            ValueLocation::InFile(v) => v.bytes(i),
        };
        (0..self.len()).map(size).fold(0, usize::saturating_add)
    }

    /// Adds one, and gives its number.
    pub(crate) fn push(&mut self, t: Tensor) -> usize {
        self.own.push(t);
        self.len() - 1
    }

    /// Puts another in the place of one. A file stays as it is.
    pub(crate) fn set(&mut self, i: usize, t: Tensor) {
        match i.checked_sub(self.stored_len()) {
            Some(own) => self.own[own] = t,
            None => drop(self.replaced.insert(i, t)),
        }
    }

    /// Reads all that is in a file, and checks it.
    pub(crate) fn verify(&self) -> Result<()> {
        self.stored.as_ref().map_or(Ok(()), |v| v.verify())
    }
}
