//! A file out, byte for byte as the library of the format's authors writes it.

use super::{MAX_HEADER, METADATA, TYPES, stored_type};
use crate::bytes::write_bytes;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Tensor;
use crate::types::Type;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

/// A file that can be written: its header, and the arrays in the order of their elements.
pub struct Layout<'a> {
    header: String,
    arrays: Vec<&'a Tensor>,
}

impl<'a> Layout<'a> {
    /// The file of these arrays, each under its name and as its [`stored_type`].
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use wengert_core::{Tensor, safetensors::{Header, Layout}};
    /// let arrays = BTreeMap::from([("w".to_string(), Tensor::scalar(2.0f32))]);
    /// let mut file = Vec::new();
    /// Layout::new(&arrays)?.write(&mut file).expect("memory takes all");
    /// assert_eq!(file[Header::parse(&file)?.arrays["w"].range.clone()], 2.0f32.to_le_bytes());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the header would be too long, which it is for about 1.3 million arrays; if there are more elements than can be
    /// addressed; if an array has the one name that the format keeps for itself.
    pub fn new(arrays: &'a BTreeMap<String, Tensor>) -> Result<Layout<'a>> {
        Layout::with_metadata(arrays, &[])
    }

    /// [`Layout::new`], with texts by name, which those who read the arrays pass over.
    ///
    /// ```
    /// use std::collections::BTreeMap;
    /// use wengert_core::{Tensor, safetensors::{Header, Layout}};
    /// let arrays = BTreeMap::from([("w".to_string(), Tensor::scalar(2.0f32))]);
    /// let mut file = Vec::new();
    /// Layout::with_metadata(&arrays, &[("about", "a test")])?.write(&mut file).expect("memory takes all");
    /// assert!(file[8..].starts_with(br#"{"__metadata__":{"about":"a test"},"w":{"#));
    /// assert_eq!(Header::parse(&file)?.arrays.len(), 1);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Layout::new`].
    pub fn with_metadata(arrays: &'a BTreeMap<String, Tensor>, texts: &[(&str, &str)]) -> Result<Layout<'a>> {
        let unsupported = |why: &str| Err(Error::new(ErrorKind::Unsupported, why));
        if arrays.contains_key(METADATA) {
            return unsupported("no array can have the name `__metadata__`");
        }
        // Wider elements go first, so that all are aligned if the first are; among arrays of one type names decide.
        let place_of = |stored: &Type| TYPES.iter().position(|(d, _)| *d == stored.dtype);
        let placed = |(name, t): (&'a String, &'a Tensor)| {
            let stored = stored_type(&t.ty());
            (place_of(&stored).expect("files hold every stored type"), name, stored.shape, t)
        };
        let mut order: Vec<_> = arrays.iter().map(placed).collect();
        order.sort_by_key(|(place, ..)| Reverse(*place));
        let (mut header, mut at) = (String::from("{"), 0usize);
        for (i, (name, text)) in texts.iter().enumerate() {
            match i {
                0 => {
                    push_string(&mut header, METADATA);
                    header.push_str(":{");
                }
                _ => header.push(','),
            }
            push_string(&mut header, name);
            header.push(':');
            push_string(&mut header, text);
        }
        header.push_str(if texts.is_empty() { "" } else { "}" });
        for (place, name, shape, t) in &order {
            let end = t.dtype().bytes_of(t.size()).and_then(|n| at.checked_add(n));
            let Some(end) = end.filter(|end| *end <= isize::MAX as usize) else {
                return unsupported("their elements take more bytes than can be addressed");
            };
            header.push_str(if header.len() == 1 { "" } else { "," });
            push_string(&mut header, name);
            let dtype = TYPES[*place].1;
            let _ = write!(header, r#":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{at},{end}]}}"#);
            if header.len() >= MAX_HEADER {
                return unsupported("their names and types take more than 100 MB");
            }
            at = end;
        }
        header.push('}');
        // The elements begin at a multiple of 8 bytes.
        header.push_str(&" ".repeat(header.len().next_multiple_of(8) - header.len()));
        Ok(Layout { header, arrays: order.into_iter().map(|(.., t)| t).collect() })
    }

    /// Writes the file.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(&(self.header.len() as u64).to_le_bytes())?;
        to.write_all(self.header.as_bytes())?;
        self.arrays.iter().try_for_each(|t| write_bytes(t, to))
    }
}

/// Appends a string of JSON.
fn push_string(to: &mut String, text: &str) {
    to.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => to.extend(['\\', c]),
            '\x08' => to.push_str("\\b"),
            '\t' => to.push_str("\\t"),
            '\n' => to.push_str("\\n"),
            '\x0c' => to.push_str("\\f"),
            '\r' => to.push_str("\\r"),
            '\0'..' ' => {
                let _ = write!(to, "\\u{:04x}", c as u32);
            }
            _ => to.push(c),
        }
    }
    to.push('"');
}
