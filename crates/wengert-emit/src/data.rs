//! Which arrays stand in the text, and which in the file of arrays beside it.

use crate::{Emitted, Options};
use wengert_core::{Element, Scalar, Tensor, with_elements};

/// Where the elements of an array are written.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    /// In the text, one by one.
    Inline,
    /// In the text, once: all are this one. There are two at least.
    Repeated(Scalar),
    /// In the file of arrays, under this name.
    File(String),
}

/// The arrays that go to the file.
pub(crate) struct DataFile {
    inline: usize,
    arrays: Vec<(String, Tensor)>,
}

impl DataFile {
    pub(crate) fn new(options: &Options) -> DataFile {
        DataFile { inline: options.inline, arrays: Vec::new() }
    }

    /// Decides where an array is written. An array in the file has `name`, or the name under which it is there already.
    pub(crate) fn written(&mut self, name: &str, t: &Tensor) -> Written {
        if let Some(value) = repeated(t) {
            return Written::Repeated(value);
        }
        if t.size() <= self.inline {
            return Written::Inline;
        }
        if let Some((name, _)) = self.arrays.iter().find(|(_, other)| other.id() == t.id()) {
            return Written::File(name.clone());
        }
        self.arrays.push((name.into(), t.clone()));
        Written::File(name.into())
    }

    /// Whether nothing is in the file.
    pub(crate) fn is_empty(&self) -> bool {
        self.arrays.is_empty()
    }

    /// How many arrays are in the file.
    pub(crate) fn len(&self) -> usize {
        self.arrays.len()
    }

    /// The text with these arrays.
    pub(crate) fn emitted(self, text: String) -> Emitted {
        Emitted { text, data: self.arrays, notes: Vec::new() }
    }
}

/// The one value that all elements have, if there are two at least.
pub(crate) fn repeated(t: &Tensor) -> Option<Scalar> {
    fn all<T: Element>(v: &[T]) -> Option<Scalar> {
        let (first, rest) = v.split_first()?;
        rest.iter().all(|x| x.bits() == first.bits()).then(|| first.scalar())
    }
    if t.size() < 2 {
        return None;
    }
    t.splat_value().or_else(|| with_elements!(*t, v => all(v)))
}
