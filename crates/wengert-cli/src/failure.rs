//! What failed, shown as compilers do, and the exit code it means.

use crate::excerpt::Excerpt;
use crate::screen::{Ink, Screen};
use std::io;
use std::process::ExitCode;
use wengert_core::{Error, ErrorKind};

/// A mistake, and the text it is in if it is in one.
#[derive(Debug)]
pub struct Failure {
    error: Error,
    text: Option<NamedText>,
    /// Whether the command itself is what is wrong.
    usage: bool,
}

#[derive(Debug)]
struct NamedText {
    name: String,
    text: String,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, text: None, usage: false }
    }
}

impl Failure {
    /// A mistake in a text, which has this name.
    pub fn within(error: Error, name: &str, text: &str) -> Failure {
        Failure { error, text: Some(NamedText { name: name.into(), text: text.into() }), usage: false }
    }

    /// A mistake in the text of an argument of the command.
    pub fn in_argument(error: Error, name: &str, text: &str) -> Failure {
        Failure { usage: true, ..Failure::within(error, name, text) }
    }

    /// Shows the mistake, and says how the command ends.
    pub fn report(self) -> ExitCode {
        let code = match self.error.kind() {
            _ if self.usage => 2,
            ErrorKind::Unsupported => 3,
            _ => 1,
        };
        let mut screen = Screen::of_errors();
        // Where nobody can be told of the mistake, the code still tells.
        let _ = self.show(&mut screen).and(screen.close());
        ExitCode::from(code)
    }

    fn show(&self, s: &mut Screen) -> io::Result<()> {
        let error = &self.error;
        let kind = if error.kind() == ErrorKind::Unsupported { "unsupported" } else { "error" };
        s.put(Ink::Alarm, &format!("{kind}:"))?;
        let Some((offset, text)) = error.offset().zip(self.text.as_ref()) else {
            lines(" ", error.message(), s)?;
            if !error.place().is_unknown() {
                place(&error.place().to_string(), s)?;
            }
            return error.notes().iter().try_for_each(|note| lines("  ", note, s));
        };
        let excerpt = Excerpt::new(&text.text, offset);
        // The line and column stand under the message, and so does the line that the notes show.
        let message = error.message();
        let message = message.split_once(": ").filter(|(at, _)| at.starts_with("line ")).map_or(message, |(_, m)| m);
        lines(" ", message, s)?;
        place(&format!("{}:{}:{}", text.name, excerpt.line, excerpt.column), s)?;
        excerpt.show(s)?;
        let mut notes = error.notes().iter().filter(|note| !note.starts_with("| "));
        notes.try_for_each(|note| lines("  ", note, s))
    }
}

/// Writes where a mistake is.
fn place(place: &str, s: &mut Screen) -> io::Result<()> {
    s.put(Ink::Plain, "  at ")?;
    s.put(Ink::Number, place)?;
    s.end()
}

/// Writes lines, the first of them after this much space.
fn lines(space: &str, text: &str, s: &mut Screen) -> io::Result<()> {
    for (i, line) in text.split('\n').enumerate() {
        s.put(Ink::Plain, if i == 0 { space } else { "  " })?;
        s.put(Ink::Plain, &line.trim_end().replace('\t', "  "))?;
        s.end()?;
    }
    Ok(())
}
