//! The values a tape keeps: our own, or those of an opened file, which are read when asked for.

use crate::file::StoredValues;
use std::borrow::Cow;
use std::sync::Arc;
use wengert_core::{Tensor, Type};

#[derive(Clone)]
pub(crate) enum Values {
    Owned(Vec<Tensor>),
    Stored(Arc<StoredValues>),
}

impl Default for Values {
    fn default() -> Self {
        Values::Owned(Vec::new())
    }
}

impl Values {
    pub(crate) fn len(&self) -> usize {
        match self {
            Values::Owned(v) => v.len(),
            Values::Stored(v) => v.len(),
        }
    }

    pub(crate) fn get(&self, i: usize) -> Tensor {
        match self {
            Values::Owned(v) => v[i].clone(),
            Values::Stored(v) => v.get(i),
        }
    }

    /// At least so many of the first elements, or all.
    pub(crate) fn first(&self, i: usize, count: usize) -> Tensor {
        match self {
            Values::Owned(v) => v[i].clone(),
            Values::Stored(v) => v.first(i, count),
        }
    }

    pub(crate) fn ty(&self, i: usize) -> Cow<'_, Type> {
        match self {
            Values::Owned(v) => Cow::Owned(v[i].ty()),
            Values::Stored(v) => Cow::Borrowed(v.ty(i)),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Tensor> {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Bytes of the elements kept; those that several values share count once each.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Values::Owned(v) => v.iter().map(|t| t.stored().len() * t.dtype().size()).sum(),
            Values::Stored(v) => v.bytes(),
        }
    }

    /// To write to; what lies in a file is read first.
    pub(crate) fn to_mut(&mut self) -> &mut Vec<Tensor> {
        if let Values::Stored(_) = self {
            *self = Values::Owned(self.iter().collect());
        }
        match self {
            Values::Owned(v) => v,
            Values::Stored(_) => unreachable!("made our own above"),
        }
    }
}
