//! As much of JSON as a header can hold: objects, lists, strings, whole numbers from 0. What is in an object or a list is
//! read by the caller, who knows what has to be there: nothing here calls itself, however deep a text is nested.

use super::read::unsound;
use crate::error::{Error, Result, shown};
use std::borrow::Cow;

/// A cursor over the text of a header.
pub(super) struct Json<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Json<'a> {
    pub(super) fn new(text: &'a str) -> Json<'a> {
        Json { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes over spaces.
    fn skip_spaces(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches([' ', '\n', '\r', '\t']).len();
    }

    pub(super) fn accept(&mut self, token: char) -> bool {
        self.skip_spaces();
        let found = self.rest().starts_with(token);
        self.at += if found { token.len_utf8() } else { 0 };
        found
    }

    fn expect(&mut self, token: char) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.wrong(&format!("`{token}`"))) }
    }

    /// What is here is not what has to be.
    pub(super) fn wrong(&self, expected: &str) -> Error {
        let found = match self.rest() {
            "" => "its end".to_string(),
            rest => format!("`{}`", shown(rest, 20)),
        };
        unsound(format!("at byte {} of its header is {found}, where {expected} should be", self.at))
    }

    /// Reads `{"key": …, …}`; `value` reads what comes after each key.
    pub(super) fn object(&mut self, mut value: impl FnMut(&mut Self, Cow<'a, str>) -> Result<()>) -> Result<()> {
        self.between('{', '}', |json| {
            let key = json.string()?;
            json.expect(':')?;
            value(json, key)
        })
    }

    /// Reads `[…, …]`; `item` reads each part.
    pub(super) fn list(&mut self, item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.between('[', ']', item)
    }

    fn between(&mut self, open: char, close: char, mut item: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.expect(open)?;
        if self.accept(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.accept(close) {
                return Ok(());
            }
            if !self.accept(',') {
                return Err(self.wrong(&format!("`,` or `{close}`")));
            }
        }
    }

    pub(super) fn number(&mut self) -> Result<usize> {
        self.skip_spaces();
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        // JSON has no zeros in front; fractions and exponents are not whole.
        if (digits.len() > 1 && digits.starts_with('0')) || after.starts_with(['.', 'e', 'E']) {
            return Err(self.wrong("a whole number"));
        }
        let number = digits.parse().map_err(|_| self.wrong("a whole number of up to 64 bits"))?;
        self.at += end;
        Ok(number)
    }

    pub(super) fn string(&mut self) -> Result<Cow<'a, str>> {
        if !self.accept('"') {
            return Err(self.wrong("a string"));
        }
        let mut text = Cow::Borrowed("");
        loop {
            let rest = self.rest();
            let end = rest.find(|c: char| c == '"' || c == '\\' || c < ' ').unwrap_or(rest.len());
            // Borrowed where nothing came before.
            text += &rest[..end];
            self.at += end;
            match rest[end..].chars().next() {
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => text.to_mut().push(self.escaped()?),
                _ => return Err(self.wrong("the end of a string")),
            }
        }
    }

    /// One character that is written as `\…`.
    fn escaped(&mut self) -> Result<char> {
        let plain = match self.rest()[1..].chars().next() {
            Some('u') => return self.escaped_number(),
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\x08',
            Some('f') => '\x0c',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            _ => return Err(self.wrong("an escape of JSON")),
        };
        self.at += 2;
        Ok(plain)
    }

    /// One character that is written as `\u` and four digits, or as two such units of UTF-16.
    fn escaped_number(&mut self) -> Result<char> {
        let unit = |text: &str| {
            let digits = text.strip_prefix("\\u")?.get(..4)?;
            // `from_str_radix` takes a sign too.
            digits.bytes().all(|b| b.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
        };
        let units = [unit(self.rest()), self.rest().get(6..).and_then(unit)];
        let first = char::decode_utf16(units.into_iter().map_while(|u| u)).next();
        let c = first.and_then(|c| c.ok()).ok_or_else(|| self.wrong("an escape of a character"))?;
        self.at += 6 * c.len_utf16();
        Ok(c)
    }

    /// Nothing but spaces may be left.
    pub(super) fn end(&mut self) -> Result<()> {
        self.skip_spaces();
        if self.rest().is_empty() { Ok(()) } else { Err(self.wrong("its end")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str) -> Result<String> {
        let mut json = Json::new(text);
        let found = json.string()?.into_owned();
        json.end()?;
        Ok(found)
    }

    #[test]
    fn strings_with_escapes() {
        for (text, expected) in [
            (r#""""#, ""),
            (r#" "a b" "#, "a b"),
            (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\x08\x0c\n\r\t"),
            (r#""\u0041\u00e9\uD83D\ude00\u0000é\u2028""#, "Aé😀\0é\u{2028}"),
        ] {
            assert_eq!(string(text).unwrap(), expected);
        }
        assert!(matches!(Json::new(r#""plain""#).string(), Ok(Cow::Borrowed("plain"))));
        for text in [
            "",
            "x",
            "\"",
            "\"a",
            "\"a\n\"",
            r#""\"#,
            r#""\""#,
            r#""\x""#,
            r#""\u12"#,
            r#""\u12""#,
            r#""\u+123""#,
            r#""\u12é4""#,
            r#""\ud83d""#,
            r#""\ud83dx""#,
            r#""\ud83d\u0041""#,
            r#""\ude00\ud83d""#,
            r#""\ud83d\ud"#,
            r#""a" b"#,
        ] {
            let e = string(text).expect_err(text);
            assert!(e.message().contains("of its header is"), "{text}: {e}");
        }
    }

    #[test]
    fn numbers_are_whole() {
        for (text, expected) in [("0", 0), (" 18446744073709551615 ", usize::MAX), ("7", 7)] {
            assert_eq!(Json::new(text).number().unwrap(), expected);
        }
        for text in ["", "-1", "-0", "+1", "01", "00", "1.0", "1e2", "1E2", "18446744073709551616", "x", "\"1\"", "٣"]
        {
            let e = Json::new(text).number().expect_err(text);
            assert!(e.message().contains("where a whole number"), "{text}: {e}");
        }
    }
}
