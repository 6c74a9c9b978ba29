//! The one error type of the workspace.

use crate::place::Place;
use std::fmt;

/// What kind of mistake an [`Error`] reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Operand shapes, ranks or axes that do not fit the op.
    Shape,
    /// An element type the op does not take.
    DType,
    /// A tree of arrays that is not the expected one.
    Tree,
    /// A traced value used after its trace ended.
    LeakedTracer,
    /// An abstract value read as a number or a bool.
    Concretization,
    /// No rule for this transform.
    NoRule,
    /// A program that breaks an invariant.
    Malformed,
    /// Text that does not parse.
    Text,
    /// A file that can't be read or written.
    File,
    /// Something valid that is not supported.
    Unsupported,
    /// A failure while running.
    Run,
    /// A decision that would go another way than the tape has it.
    Flipped,
    /// A plugin that is not there, can't be loaded, or is of a version that is not understood.
    Plugin,
    /// A program that a device's compiler refused.
    Compile,
    /// A device, or the host, has no memory left for an array.
    OutOfMemory,
    /// A failure that a device reported.
    Device,
}

/// A mistake: what was wrong, where in the user's source, and what to do about it.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    place: Place,
    notes: Vec<String>,
    offset: Option<usize>,
}

/// The result of anything that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// An error of this kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        let (place, notes) = (Place::unknown(), Vec::new());
        Error(Box::new(Inner { kind, message: message.into(), place, notes, offset: None }))
    }

    /// Operands that do not fit.
    pub fn shape(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Shape, message)
    }

    /// An element type that is not taken.
    pub fn dtype(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::DType, message)
    }

    /// A program that breaks an invariant.
    pub fn malformed(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::Malformed, message)
    }

    /// A file that can't be read or written.
    pub fn file(message: impl Into<String>) -> Error {
        Error::new(ErrorKind::File, message)
    }

    /// The place in the user's source, unless one is already known.
    pub fn at(mut self, place: Place) -> Error {
        if self.0.place.is_unknown() {
            self.0.place = place;
        }
        self
    }

    /// One more line of explanation, printed under the message.
    pub fn note(mut self, note: impl Into<String>) -> Error {
        self.0.notes.push(note.into());
        self
    }

    /// The position in the text that was read, in bytes.
    pub fn at_offset(mut self, offset: usize) -> Error {
        self.0.offset = Some(offset);
        self
    }

    /// `context: message`.
    pub fn within(mut self, context: impl fmt::Display) -> Error {
        self.0.message = format!("{context}: {}", self.0.message);
        self
    }

    /// What kind of mistake this is.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// What was wrong, in one line.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where in the user's source.
    pub fn place(&self) -> &Place {
        &self.0.place
    }

    /// The position in the text that was read, in bytes, if the mistake is in a text.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// The lines under the message.
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.message)?;
        if !self.0.place.is_unknown() {
            write!(f, "\n  at {}", self.0.place)?;
        }
        for n in &self.0.notes {
            write!(f, "\n  {n}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl std::error::Error for Error {}

/// So many of a thing, for messages.
///
/// ```
/// use wengert_core::counted;
/// assert_eq!((counted(1, "operand"), counted(2, "operand")), ("1 operand".into(), "2 operands".into()));
/// assert_eq!((counted(1, "axis"), counted(2, "axis")), ("1 axis".into(), "2 axes".into()));
/// ```
pub fn counted(n: usize, thing: &str) -> String {
    match thing.strip_suffix("is") {
        _ if n == 1 => format!("1 {thing}"),
        Some(stem) => format!("{n} {stem}es"),
        None => format!("{n} {thing}s"),
    }
}

/// The beginning of some text of a file, up to so many characters, as it can be printed anywhere.
///
/// ```
/// use wengert_core::shown;
/// assert_eq!((shown("x['é']", 9), shown("\x1b[2J and more", 4)), ("x['é']".into(), r"\u{1b}[2J…".into()));
/// ```
pub fn shown(text: &str, most: usize) -> String {
    let printable = |c: char| match c {
        '\'' | '"' | '\\' => c.to_string(),
        c => c.escape_debug().to_string(),
    };
    let more = if text.chars().nth(most).is_some() { "…" } else { "" };
    text.chars().take(most).map(printable).chain([more.to_string()]).collect()
}
