//! A cursor over MLIR text: white space, comments, words, numbers, strings.

use std::borrow::Cow;
use wengert_core::text::error_at;
use wengert_core::{Error, ErrorKind, Result};

/// Brackets nested deeper than this are refused instead of overflowing the stack.
pub(crate) const DEEPEST: usize = 64;

/// A place in the text, and how deep in brackets it is.
#[derive(Debug)]
pub(crate) struct Cursor<'a> {
    pub text: &'a str,
    pub at: usize,
    depth: usize,
}

fn word_byte(c: u8) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.')
}

impl<'a> Cursor<'a> {
    pub fn new(text: &'a str) -> Cursor<'a> {
        // A byte order mark says nothing of UTF-8.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Cursor { text, at, depth: 0 }
    }

    /// An error at a position.
    pub fn error_at(&self, at: usize, message: impl Into<String>) -> Error {
        error_at(ErrorKind::Text, self.text, at, message)
    }

    /// What is valid and not supported, at a position.
    pub fn unsupported_at(&self, at: usize, message: impl Into<String>) -> Error {
        error_at(ErrorKind::Unsupported, self.text, at, message)
    }

    /// An error that says what was found instead of what is expected.
    pub fn expected(&mut self, what: &str) -> Error {
        let at = self.position();
        let rest = &self.text[at..];
        let found = match rest.chars().next() {
            None => "the end of the text".into(),
            Some(c) if c.is_ascii() && word_byte(c as u8) => {
                format!("`{}`", &rest[..rest.bytes().take_while(|&c| word_byte(c)).count().min(40)])
            }
            Some(c) => format!("`{}`", c.escape_debug()),
        };
        self.error_at(at, format!("expected {what}, found {found}"))
    }

    /// Where the cursor is, past white space and comments.
    pub fn position(&mut self) -> usize {
        let bytes = self.text.as_bytes();
        loop {
            while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
                self.at += 1;
            }
            if !bytes[self.at..].starts_with(b"//") {
                return self.at;
            }
            self.at += self.text[self.at..].find('\n').unwrap_or(self.text.len() - self.at);
        }
    }

    /// The next byte that is not white space; nothing at the end.
    pub fn peek(&mut self) -> Option<u8> {
        let at = self.position();
        self.text.as_bytes().get(at).copied()
    }

    /// Whether this token is next. Words match whole.
    pub fn next_is(&mut self, token: &str) -> bool {
        let at = self.position();
        let Some(rest) = self.text.as_bytes()[at..].strip_prefix(token.as_bytes()) else { return false };
        !(token.ends_with(|c: char| c.is_ascii_alphanumeric()) && rest.first().is_some_and(|&c| word_byte(c)))
    }

    /// Goes past this token if it is next.
    pub fn accept(&mut self, token: &str) -> bool {
        let found = self.next_is(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Goes past this token, which must be next.
    pub fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.expected(&format!("`{token}`"))) }
    }

    /// The bytes from here on for which `f` holds.
    pub fn take(&mut self, f: impl Fn(u8) -> bool) -> &'a str {
        let rest = &self.text[self.at..];
        let n = rest.bytes().take_while(|&c| c.is_ascii() && f(c)).count();
        self.at += n;
        &rest[..n]
    }

    /// A word, if one is next: letters, digits, `_`, `$` and `.`, not a digit first.
    pub fn word(&mut self) -> Option<&'a str> {
        self.peek().filter(|c| c.is_ascii_alphabetic() || *c == b'_')?;
        Some(self.take(word_byte))
    }

    pub fn name(&mut self, what: &str) -> Result<&'a str> {
        self.word().ok_or_else(|| self.expected(what))
    }

    /// A name after a sigil such as `%`, digits allowed first.
    pub fn suffix(&mut self, sigil: &str, what: &str) -> Result<&'a str> {
        self.expect(sigil).map_err(|_| self.expected(what))?;
        match self.take(|c| word_byte(c) || c == b'-') {
            "" => Err(self.expected(what)),
            name => Ok(name),
        }
    }

    /// `@name` or `@"any text"`.
    pub fn symbol(&mut self) -> Result<Cow<'a, str>> {
        self.expect("@")?;
        if self.text[self.at..].starts_with('"') {
            return self.string();
        }
        match self.take(word_byte) {
            "" => Err(self.expected("the name of a function")),
            name => Ok(name.into()),
        }
    }

    /// A string between quotes. Escapes are `\n`, `\t`, `\\`, `\"` and two hexadecimal digits.
    pub fn string(&mut self) -> Result<Cow<'a, str>> {
        let open = self.position();
        self.expect("\"").map_err(|_| self.expected("a string"))?;
        let start = self.at;
        let bytes = self.text.as_bytes();
        // Only a string with escapes is copied.
        let Some(end) = bytes[start..].iter().position(|&c| c == b'"' || c == b'\\') else {
            return Err(self.error_at(open, "this string has no end"));
        };
        if bytes[start + end] == b'"' {
            self.at = start + end + 1;
            return Ok(self.text[start..start + end].into());
        }
        let mut out = Vec::new();
        let mut i = start;
        loop {
            match (bytes.get(i), bytes.get(i + 1)) {
                (Some(b'"'), _) => break,
                (Some(b'\\'), Some(&c)) => {
                    let hex =
                        bytes.get(i + 1..i + 3).and_then(|h| u8::from_str_radix(str::from_utf8(h).ok()?, 16).ok());
                    out.push(match (c, hex) {
                        (_, Some(byte)) => byte,
                        (b'n', _) => b'\n',
                        (b't', _) => b'\t',
                        (b'"' | b'\\', _) => c,
                        _ => return Err(self.error_at(i, "unknown escape in a string")),
                    });
                    i += if hex.is_some() { 3 } else { 2 };
                }
                (Some(&c), Some(_)) => {
                    out.push(c);
                    i += 1;
                }
                _ => return Err(self.error_at(open, "this string has no end")),
            }
        }
        self.at = i + 1;
        Ok(String::from_utf8_lossy(&out).into_owned().into())
    }

    /// The text of a number, if one is next.
    pub fn number_text(&mut self) -> Option<&'a str> {
        let at = self.position();
        let digits = self.text.as_bytes()[at..].strip_prefix(b"-").unwrap_or(&self.text.as_bytes()[at..]);
        digits.first().filter(|c| c.is_ascii_digit())?;
        self.at += usize::from(self.text.as_bytes()[at] == b'-');
        if self.text[self.at..].starts_with("0x") {
            self.at += 2;
            self.take(|c| c.is_ascii_hexdigit());
        } else {
            self.take(|c| c.is_ascii_digit());
            if self.text[self.at..].starts_with('.') {
                self.at += 1;
                self.take(|c| c.is_ascii_digit());
            }
            let exponent = self.text[self.at..].strip_prefix(['e', 'E']);
            if let Some(e) = exponent
                && e.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
            {
                self.at += 1;
                self.take(|c| c.is_ascii_digit() || matches!(c, b'+' | b'-'));
            }
        }
        Some(&self.text[at..self.at])
    }

    /// An integer in range.
    pub fn integer<T: TryFrom<i128>>(&mut self) -> Result<T> {
        let at = self.position();
        let text = self.number_text().ok_or_else(|| self.expected("an integer"))?;
        parse_int(text).and_then(|n| T::try_from(n).ok()).ok_or_else(|| {
            let whole = text.bytes().all(|c| c.is_ascii_digit() || c == b'-');
            self.error_at(at, if whole { "this integer is out of range" } else { "expected an integer" })
        })
    }

    /// Items between commas up to `close`.
    pub fn items<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.accept(close) {
                return Ok(items);
            }
            if !self.accept(",") {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    /// Runs `f` one level deeper, if that is not too deep.
    pub fn nested<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth == DEEPEST {
            let at = self.position();
            return Err(self
                .unsupported_at(at, format!("brackets inside of each other, more than {DEEPEST}, are not supported")));
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Goes past text up to the bracket that closes the one before the cursor, and gives what lies between.
    pub fn skip_balanced(&mut self) -> Result<&'a str> {
        let start = self.at;
        let mut open = 1usize;
        let bytes = self.text.as_bytes();
        while let Some(&c) = bytes.get(self.at) {
            match c {
                b'"' => {
                    self.string()?;
                    continue;
                }
                // The arrow of a function type is not a bracket.
                b'>' if self.at > start && bytes[self.at - 1] == b'-' => (),
                b'<' | b'(' | b'[' | b'{' => open += 1,
                b'>' | b')' | b']' | b'}' => open -= 1,
                _ => (),
            }
            self.at += 1;
            if open == 0 {
                return Ok(&self.text[start..self.at - 1]);
            }
        }
        Err(self.error_at(start.saturating_sub(1), "this bracket is never closed"))
    }
}

/// A decimal or hexadecimal integer.
pub(crate) fn parse_int(text: &str) -> Option<i128> {
    match text.strip_prefix("0x") {
        Some(hex) => i128::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}
