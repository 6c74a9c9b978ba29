//! Where in the user's source something was written.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;

/// A place in the user's source: file, line and column. Cheap to copy around; unknown for what no user wrote.
#[derive(Clone, Default)]
pub struct Place(Repr);

#[derive(Clone, Default)]
enum Repr {
    #[default]
    Unknown,
    Rust(&'static Location<'static>),
    Named(Arc<(Arc<str>, u32, u32)>),
}

impl Place {
    /// No place.
    pub fn unknown() -> Place {
        Place::default()
    }

    /// The place of the caller of the function marked `#[track_caller]`; unknown if that is in the standard library, as of a
    /// function that was handed to an iterator.
    #[track_caller]
    pub fn caller() -> Place {
        let caller = Location::caller();
        if caller.file().starts_with("/rustc/") { Place::unknown() } else { Place(Repr::Rust(caller)) }
    }

    /// A place read from text. A name of a file stays on one line.
    pub fn named(file: impl Into<Arc<str>>, line: u32, column: u32) -> Place {
        let mut file: Arc<str> = file.into();
        if file.contains(char::is_control) {
            file = file.replace(char::is_control, " ").into();
        }
        Place(Repr::Named(Arc::new((file, line, column))))
    }

    /// Whether nothing is known.
    pub fn is_unknown(&self) -> bool {
        matches!(self.0, Repr::Unknown)
    }

    /// File, line and column, where known.
    pub fn parts(&self) -> Option<(&str, u32, u32)> {
        match &self.0 {
            Repr::Unknown => None,
            Repr::Rust(l) => Some((l.file(), l.line(), l.column())),
            Repr::Named(n) => Some((&n.0, n.1, n.2)),
        }
    }
}

impl PartialEq for Place {
    fn eq(&self, other: &Place) -> bool {
        self.parts() == other.parts()
    }
}
impl Eq for Place {}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            None => f.write_str("an unknown place"),
            Some((file, line, column)) => write!(f, "{file}:{line}:{column}"),
        }
    }
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
