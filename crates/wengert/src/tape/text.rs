//! Values that are not arrays, as text of a limited length.

use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert_tape::record::UNSHOWN;

/// Values that are not arrays are shown with at most this many characters.
const TEXT: usize = 80;

/// The text of a value, cut to a length.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Text on one line that is cut to a length while it is written.
#[derive(Default)]
pub(crate) struct LimitedText {
    text: String,
    /// A line has just ended: what indents the next is left out.
    ended: bool,
}

impl LimitedText {
    /// A value as `Debug` shows it, as far as it fits.
    pub(crate) fn debug(x: &(impl std::fmt::Debug + ?Sized)) -> String {
        let mut text = LimitedText::default();
        // An error says that it was cut. What is not shown without a panic is not shown: the run would not have had it.
        let shown = catch_unwind(AssertUnwindSafe(|| std::fmt::write(&mut text, format_args!("{x:?}"))));
        if shown.is_err() {
            return UNSHOWN.to_string();
        }
        cut(&text.text)
    }
}

impl std::fmt::Write for LimitedText {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        for c in s.chars() {
            match c {
                _ if self.text.len() > 4 * TEXT => return Err(std::fmt::Error),
                ' ' if self.ended => continue,
                c if !c.is_control() => self.text.push(c),
                _ if self.ended => continue,
                _ => self.text.push(' '),
            }
            self.ended = c.is_control();
        }
        Ok(())
    }
}
