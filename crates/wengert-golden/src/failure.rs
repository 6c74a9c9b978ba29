//! Why a file gives no text. Either its program is refused, which may be the point of the file, or the file itself is
//! wrong.

use std::fmt;
use wengert_core::Error;

/// Why a file gives no text.
#[derive(Debug)]
pub enum Failure {
    /// The parser or a step refuses the program.
    Refused(Error),
    /// The file is wrong, or what a step gives is: with file and line. No file expects this.
    Broken(String),
}

impl From<Error> for Failure {
    fn from(e: Error) -> Failure {
        Failure::Refused(e)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Refused(e) => write!(f, "error: {e}"),
            Failure::Broken(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Failure {}
