//! Where text goes: to a terminal with colours and a pager, or plain to whatever else.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::{Child, Command, Stdio};
use wengert_core::{Error, ErrorKind, Result};

/// The standard output, through a pager if it is a terminal; or the standard error.
pub struct Screen {
    out: Box<dyn Write>,
    colours: bool,
    pager: Option<Child>,
}

/// What stands for a control character. It is as wide as a letter.
pub const MARK: &str = "\u{fffd}";

/// How a piece of text looks.
#[derive(Clone, Copy)]
pub enum Ink {
    Plain,
    Bold,
    Faint,
    Number,
    Alarm,
}

/// Prints to the standard output at once. That nobody reads it any more is no mistake, and changes nothing of how the command
/// ends; where it can't be written, that is an error.
pub fn say(text: impl Display) -> Result<()> {
    let mut out = io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|e| Error::new(ErrorKind::File, format!("the standard output: {e}"))),
    }
}

impl Screen {
    /// Opens the standard output.
    pub fn new(paged: bool) -> Screen {
        let terminal = io::stdout().is_terminal();
        let mut pager = (terminal && paged).then(pager).flatten();
        let out: Box<dyn Write> = match pager.as_mut().and_then(|p| p.stdin.take()) {
            Some(pipe) => Box::new(io::BufWriter::new(pipe)),
            None => Box::new(io::BufWriter::new(io::stdout())),
        };
        Screen { out, colours: terminal && colours_wanted(), pager }
    }

    /// Opens the standard error.
    pub fn of_errors() -> Screen {
        let colours = io::stderr().is_terminal() && colours_wanted();
        Screen { out: Box::new(io::BufWriter::new(io::stderr())), colours, pager: None }
    }

    /// Whether [`Ink`] makes a difference.
    pub fn has_colours(&self) -> bool {
        self.colours
    }

    /// Writes a piece of text on the line. What could move the cursor is shown as a mark: names come from files.
    pub fn put(&mut self, ink: Ink, text: &str) -> io::Result<()> {
        let code = match ink {
            _ if !self.colours => "",
            Ink::Plain => "",
            Ink::Bold => "\x1b[1m",
            Ink::Faint => "\x1b[2m",
            Ink::Number => "\x1b[36m",
            Ink::Alarm => "\x1b[31m",
        };
        self.out.write_all(code.as_bytes())?;
        match text.contains(char::is_control) {
            true => self.out.write_all(text.replace(char::is_control, MARK).as_bytes())?,
            false => self.out.write_all(text.as_bytes())?,
        }
        self.out.write_all(if code.is_empty() { b"" } else { b"\x1b[0m" })
    }

    /// Ends the line.
    pub fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n")
    }

    /// Closes the output, and waits for the pager.
    pub fn close(mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        drop(self.out);
        if let Some(mut pager) = self.pager.take() {
            pager.wait()?;
        }
        flushed
    }
}

/// Whether a terminal shows colours, and its user wants them.
fn colours_wanted() -> bool {
    let set = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty());
    set("NO_COLOR").is_none() && set("TERM").is_none_or(|t| t != "dumb")
}

/// Starts the user's pager, if there is one that starts.
fn pager() -> Option<Child> {
    let command = std::env::var("PAGER").unwrap_or_else(|_| "less -R".into());
    let mut words = command.split_whitespace();
    let mut process = Command::new(words.next().filter(|w| *w != "cat")?);
    process.args(words).stdin(Stdio::piped());
    if std::env::var_os("LESS").is_none() {
        process.env("LESS", "FRX");
    }
    process.spawn().ok()
}
