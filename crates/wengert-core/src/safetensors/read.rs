//! A file's header in: what is where, checked to be there before anything is read.

use super::json::Json;
use super::{MAX_HEADER, METADATA, TYPES};
use crate::error::{Error, Result, shown};
use crate::types::{Dims, Type};
use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::ops::Range;

/// An array of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its type in the file; see [`super::stored_type`].
    pub ty: Type,
    /// Where its elements are in the file: as many bytes as the type has, row-major, little end first.
    pub range: Range<usize>,
}

/// What a file says of its arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Where the elements of the first array begin.
    pub end: usize,
    /// The arrays by name.
    pub arrays: BTreeMap<String, Entry>,
}

/// An error about the form of a file.
pub(super) fn unsound(what: impl std::fmt::Display) -> Error {
    Error::file(format!("not a sound safetensors file: {what}"))
}

/// The name of an array, as it can be printed anywhere.
fn quoted(name: &str) -> String {
    format!("`{}`", shown(name, 80))
}

impl Header {
    /// The header of a file with these bytes. Of the elements nothing is read.
    ///
    /// ```
    /// use wengert_core::safetensors::Header;
    /// let text = r#"{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}"#;
    /// let file = [&text.len().to_le_bytes()[..], text.as_bytes(), &[0; 8]].concat();
    /// let header = Header::parse(&file)?;
    /// assert_eq!(header.arrays["w"].ty.to_string(), "f32[2]");
    /// assert_eq!(file[header.arrays["w"].range.clone()], [0; 8]);
    /// assert!(Header::parse(&file[..file.len() - 1]).is_err());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are not a whole file of this format, or if it has elements of a type that is none here.
    pub fn parse(file: &[u8]) -> Result<Header> {
        let Some((length, rest)) = file.split_first_chunk::<8>() else {
            return Err(unsound("it ends within its first 8 bytes, which say how long its header is"));
        };
        let length = u64::from_le_bytes(*length);
        if length > MAX_HEADER as u64 {
            return Err(unsound(format!("its header would take {length} bytes, and may take 100 MB")));
        }
        let Some((text, elements)) = rest.split_at_checked(length as usize) else {
            return Err(unsound(format!("it ends within its header: {} of {length} bytes are there", rest.len())));
        };
        let not_text = |e: std::str::Utf8Error| unsound(format!("byte {} of its header is not UTF-8", e.valid_up_to()));
        let mut header = Header { end: 8 + text.len(), arrays: parse(std::str::from_utf8(text).map_err(not_text)?)? };
        header.check_covers(elements.len())?;
        for entry in header.arrays.values_mut() {
            entry.range = header.end + entry.range.start..header.end + entry.range.end;
        }
        Ok(header)
    }

    /// Checks that the arrays, whose ranges count from the first element, follow each other and take all bytes there are.
    fn check_covers(&self, bytes: usize) -> Result<()> {
        let mut order: Vec<(&String, &Range<usize>)> = self.arrays.iter().map(|(name, e)| (name, &e.range)).collect();
        order.sort_by_key(|(_, range)| (range.start, range.end));
        let mut at = 0;
        for (name, range) in order {
            if range.start != at {
                let (name, start) = (quoted(name), range.start);
                return Err(unsound(format!("{name} begins at byte {start} of the elements, where {at} should be")));
            }
            at = range.end;
        }
        if at == bytes { Ok(()) } else { Err(unsound(format!("its arrays take {at} bytes, and {bytes} are there"))) }
    }
}

/// The entries of a header's text; ranges count from the first element, and no two may be of one name.
fn parse(text: &str) -> Result<BTreeMap<String, Entry>> {
    let (mut arrays, mut metadata) = (BTreeMap::new(), false);
    let mut json = Json::new(text);
    json.object(|json, name| {
        if name == METADATA {
            if std::mem::replace(&mut metadata, true) {
                return Err(unsound(format!("its header has `{METADATA}` twice")));
            }
            return skip_metadata(json);
        }
        match arrays.entry(name.into_owned()) {
            btree_map::Entry::Occupied(entry) => {
                Err(unsound(format!("two arrays have the name {}", quoted(entry.key()))))
            }
            btree_map::Entry::Vacant(place) => {
                let entry = parse_entry(json, place.key())?;
                place.insert(entry);
                Ok(())
            }
        }
    })?;
    json.end()?;
    Ok(arrays)
}

/// Texts by name.
fn skip_metadata(json: &mut Json<'_>) -> Result<()> {
    let mut keys = BTreeSet::new();
    json.object(|json, key| {
        json.string()?;
        if keys.contains(&key) {
            return Err(unsound(format!("`{METADATA}` has the key {} twice", quoted(&key))));
        }
        keys.insert(key);
        Ok(())
    })
}

/// What the header says of the array of this name.
fn parse_entry(json: &mut Json<'_>, name: &str) -> Result<Entry> {
    let (mut dtype, mut shape, mut offsets) = (None, None, None);
    let wrong = |what: &str| unsound(format!("{} {what}", quoted(name)));
    json.object(|json, key| {
        let twice = match &*key {
            "dtype" => dtype.replace(json.string()?).is_some(),
            "shape" => shape.replace(parse_numbers(json)?).is_some(),
            "data_offsets" => offsets.replace(parse_numbers(json)?).is_some(),
            _ => return Err(wrong(&format!("has an unknown key {}", quoted(&key)))),
        };
        if twice { Err(wrong(&format!("has `{key}` twice"))) } else { Ok(()) }
    })?;
    let (Some(dtype), Some(shape), Some(offsets)) = (dtype, shape, offsets) else {
        return Err(wrong("does not say `dtype`, `shape` and `data_offsets`"));
    };
    let Some((dtype, _)) = TYPES.iter().find(|(_, name)| *name == dtype) else {
        return Err(Error::file(format!("{}: elements of type {} can't be read", quoted(name), quoted(&dtype))));
    };
    let [start, end] = offsets[..] else {
        return Err(wrong(&format!("has {} `data_offsets`, and not a beginning and an end", offsets.len())));
    };
    if end < start {
        return Err(wrong(&format!("ends at byte {end}, before it begins at {start}")));
    }
    let ty = Type::new(*dtype, shape);
    match ty.bytes() {
        Some(n) if n == end - start => Ok(Entry { ty, range: start..end }),
        Some(n) => Err(wrong(&format!("takes {n} bytes by its shape, and {} by its `data_offsets`", end - start))),
        None => Err(wrong("has a shape that is too large to address")),
    }
}

fn parse_numbers(json: &mut Json<'_>) -> Result<Dims> {
    let mut numbers = Dims::new();
    json.list(|json| {
        numbers.push(json.number()?);
        Ok(())
    })?;
    Ok(numbers)
}
