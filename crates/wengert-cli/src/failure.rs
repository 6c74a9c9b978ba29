//! What failed, shown as compilers do, and the exit code it means.

use crate::excerpt::Excerpt;
use crate::screen::{Ink, Screen};
use std::io;
use std::process::ExitCode;
use wengert_core::{Error, ErrorKind};
use wengert_repro::interrupt;

/// What `--help` says of the codes that [`Failure::report`] gives.
pub const EXIT_CODES: &str = "Exit codes:
  0  all went well
  1  a mistake in a program or its run, or nothing was found
  2  the command makes no sense, or would write over a file that it must not
  3  not supported: an operation, a form, a newer version of tapes
  4  a tape that can't be opened, is none, or is damaged
  more than 128: ended by a signal; 130 by Ctrl-C";

/// A mistake, and the text it is in if it is in one.
#[derive(Debug)]
pub struct Failure {
    error: Error,
    text: Option<NamedText>,
    subject: Subject,
}

/// What a mistake is about.
#[derive(Debug)]
enum Subject {
    /// The program, its run, or what was looked for.
    Program,
    /// The command itself.
    Usage,
    /// A tape that can't be opened, is none, or is damaged.
    Damage,
}

#[derive(Debug)]
struct NamedText {
    name: String,
    text: String,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        Failure { error, text: None, subject: Subject::Program }
    }
}

impl Failure {
    /// A mistake in a text, which has this name.
    pub fn within(error: Error, name: &str, text: &str) -> Failure {
        let text = NamedText { name: name.into(), text: text.into() };
        Failure { error, text: Some(text), subject: Subject::Program }
    }

    /// A mistake in the text of an argument of the command.
    pub fn in_argument(error: Error, name: &str, text: &str) -> Failure {
        Failure { subject: Subject::Usage, ..Failure::within(error, name, text) }
    }

    /// A command that makes no sense, or would do harm.
    pub fn of_usage(error: Error) -> Failure {
        Failure { subject: Subject::Usage, ..error.into() }
    }

    /// A tape that can't be opened, is none, or is damaged.
    pub fn of_tape(error: Error) -> Failure {
        Failure { subject: Subject::Damage, ..error.into() }
    }

    /// Shows the mistake, and says how the command ends.
    pub fn report(self) -> ExitCode {
        let code = match (interrupt::signal(), &self.subject, self.error.kind()) {
            // As of a process that the signal ended, for scripts that stop with it.
            (Some(signal), _, _) => 128 + signal,
            (None, Subject::Usage, _) => 2,
            (None, _, ErrorKind::Unsupported) => 3,
            (None, Subject::Damage, _) => 4,
            (None, Subject::Program, _) => 1,
        };
        self.report_as(code)
    }

    /// Shows the mistake; the command ends with this code.
    pub fn report_as(self, code: u8) -> ExitCode {
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
