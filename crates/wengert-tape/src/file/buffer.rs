//! As much of FlatBuffers as a tape needs: one table of numbers, vectors of structs and vectors of strings.
//!
//! Parts are written one after another, straight from where they lie in memory, and read where they lie in the file;
//! everything that a file says of itself is checked before it is used.

use super::damaged;
use std::borrow::Cow;
use std::io::Write;
use std::ops::Range;
use wengert_core::{Error, ErrorKind, Result};

/// The first four bytes after the place of the root table.
const IDENTIFIER: &[u8; 4] = b"WGTP";
/// Offsets of FlatBuffers reach this far.
pub(super) const LARGEST: u64 = i32::MAX as u64;
/// Where the list of the root table's fields begins: right after the head of the file.
const VTABLE: u64 = 8;

/// One field of the root table.
pub(super) enum Part<'a> {
    Absent,
    U32(u32),
    /// The bytes that all of them take, as a `u64`.
    Size,
    /// Structs of this size and alignment, as bytes.
    Vector(Cow<'a, [u8]>, usize, usize),
    Strings(Vec<Cow<'a, str>>),
}

fn string_size(s: &str) -> u64 {
    (4 + s.len() as u64 + 1).next_multiple_of(4)
}

impl Part<'_> {
    /// Bytes in the table itself: the number, or where the part begins.
    fn inline(&self) -> u64 {
        match self {
            Part::Absent => 0,
            Part::Size => 8,
            _ => 4,
        }
    }

    /// Bytes outside the table.
    fn size(&self) -> u64 {
        match self {
            Part::Vector(bytes, ..) => 4 + bytes.len() as u64,
            Part::Strings(list) => 4 + 4 * list.len() as u64 + list.iter().map(|s| string_size(s)).sum::<u64>(),
            _ => 0,
        }
    }

    /// Where it begins, if the parts before it end at `end`: what follows its length is aligned.
    fn start(&self, end: u64) -> u64 {
        let align = if let Part::Vector(_, _, align) = self { *align as u64 } else { 4 };
        (end + 4).next_multiple_of(align.max(4)) - 4
    }
}

/// Where everything will lie.
pub(super) struct Layout<'a> {
    parts: Vec<Part<'a>>,
    /// Where each field lies in the table, and where its part begins.
    fields: Vec<(u64, u64)>,
    table: u64,
    table_size: u64,
    size: u64,
}

impl<'a> Layout<'a> {
    /// Plans a file of these fields, in the order of the schema. An error if it would be too large.
    pub(super) fn new(parts: Vec<Part<'a>>) -> Result<Layout<'a>> {
        let table = (VTABLE + 4 + 2 * parts.len() as u64).next_multiple_of(8);
        let mut in_table = 4u64;
        let mut fields = Vec::new();
        for p in &parts {
            in_table = in_table.next_multiple_of(p.inline().max(1));
            fields.push((in_table, 0));
            in_table += p.inline();
        }
        let mut end = table + in_table;
        for (p, (_, start)) in parts.iter().zip(&mut fields).filter(|(p, _)| p.size() > 0) {
            *start = p.start(end);
            end = *start + p.size();
        }
        if end > LARGEST {
            let message = format!("the tape would take {end} bytes, and a FlatBuffers file holds at most {LARGEST}");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        Ok(Layout { parts, fields, table, table_size: in_table, size: end })
    }

    /// The bytes that it takes.
    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Puts another number in the place of one.
    pub(super) fn set_u32(&mut self, field: usize, x: u32) {
        debug_assert!(matches!(self.parts[field], Part::U32(_)));
        self.parts[field] = Part::U32(x);
    }

    /// Writes it.
    pub(super) fn write(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut out = CountingWriter { out, at: 0 };
        out.u32(self.table as u32)?;
        out.put(IDENTIFIER)?;
        out.u16((4 + 2 * self.parts.len()) as u16)?;
        out.u16(self.table_size as u16)?;
        for (p, (at, _)) in self.parts.iter().zip(&self.fields) {
            out.u16(if p.inline() == 0 { 0 } else { *at as u16 })?;
        }
        out.fill_to(self.table)?;
        out.u32((self.table - VTABLE) as u32)?;
        for (p, &(at, start)) in self.parts.iter().zip(&self.fields) {
            let at = self.table + at;
            out.fill_to(if p.inline() == 0 { out.at } else { at })?;
            match p {
                Part::Absent => {}
                Part::U32(x) => out.u32(*x)?,
                Part::Size => out.put(&self.size.to_le_bytes())?,
                _ => out.u32((start - at) as u32)?,
            }
        }
        for (p, &(_, start)) in self.parts.iter().zip(&self.fields).filter(|(p, _)| p.size() > 0) {
            out.fill_to(start)?;
            match p {
                Part::Vector(bytes, size, _) => {
                    out.u32((bytes.len() / size) as u32)?;
                    out.put(bytes)?;
                }
                Part::Strings(list) => {
                    out.u32(list.len() as u32)?;
                    let mut next = out.at + 4 * list.len() as u64;
                    for s in list {
                        out.u32((next - out.at) as u32)?;
                        next += string_size(s);
                    }
                    list.iter().try_for_each(|s| out.string(s))?;
                }
                _ => unreachable!("it has no bytes outside the table"),
            }
        }
        debug_assert_eq!(out.at, self.size);
        Ok(())
    }
}

struct CountingWriter<'a> {
    out: &'a mut dyn Write,
    at: u64,
}

impl CountingWriter<'_> {
    fn put(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    fn u16(&mut self, x: u16) -> std::io::Result<()> {
        self.put(&x.to_le_bytes())
    }

    fn u32(&mut self, x: u32) -> std::io::Result<()> {
        self.put(&x.to_le_bytes())
    }

    fn fill_to(&mut self, at: u64) -> std::io::Result<()> {
        self.put(&[0; 8][..(at - self.at) as usize])
    }

    fn string(&mut self, s: &str) -> std::io::Result<()> {
        let end = self.at + string_size(s);
        self.u32(s.len() as u32)?;
        self.put(s.as_bytes())?;
        self.fill_to(end)
    }
}

/// The root table of a file.
pub(super) struct Table<'a> {
    bytes: &'a [u8],
    at: usize,
    size: usize,
    vtable: &'a [u8],
}

/// What begins here, if all of it is there.
fn part(bytes: &[u8], at: usize, size: usize) -> Result<&[u8]> {
    let end = at.checked_add(size);
    end.and_then(|end| bytes.get(at..end)).ok_or_else(|| damaged("it says that a part lies past its end"))
}

fn u32_at(bytes: &[u8], at: usize) -> Result<u32> {
    Ok(u32::from_le_bytes(part(bytes, at, 4)?.try_into().expect("four bytes")))
}

fn u16_in(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

impl<'a> Table<'a> {
    /// Looks whether a file that begins so is one of a tape.
    pub(super) fn check_identifier(bytes: &[u8]) -> Result<()> {
        let found = bytes.get(4..8) == Some(IDENTIFIER);
        if found { Ok(()) } else { Err(damaged("this is not a tape")) }
    }

    /// Finds the root table.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Table<'a>> {
        Table::check_identifier(bytes)?;
        let at = u32_at(bytes, 0)? as usize;
        let back = i64::from(u32_at(bytes, at)? as i32);
        let start = usize::try_from(at as i64 - back).map_err(|_| damaged("its table has no fields"))?;
        let head = part(bytes, start, 4)?;
        let (fields, size) = (u16_in(head, 0) as usize, u16_in(head, 2) as usize);
        part(bytes, at, size)?;
        Ok(Table { bytes, at, size, vtable: part(bytes, start, fields)? })
    }

    /// Where a field lies that takes this many bytes.
    pub(super) fn field(&self, field: usize, size: usize) -> Result<Option<usize>> {
        let entry = 4 + 2 * field;
        if entry + 2 > self.vtable.len() {
            return Ok(None);
        }
        match u16_in(self.vtable, entry) as usize {
            0 => Ok(None),
            at if at + size <= self.size => Ok(Some(self.at + at)),
            _ => Err(damaged("a field lies outside its table")),
        }
    }

    pub(super) fn u32(&self, field: usize, or: u32) -> Result<u32> {
        self.field(field, 4)?.map_or(Ok(or), |at| u32_at(self.bytes, at))
    }

    pub(super) fn u64(&self, field: usize, or: u64) -> Result<u64> {
        let Some(at) = self.field(field, 8)? else { return Ok(or) };
        Ok(u64::from_le_bytes(part(self.bytes, at, 8)?.try_into().expect("eight bytes")))
    }

    /// Where an offset leads.
    fn follow(&self, at: usize) -> Result<usize> {
        Ok(at + u32_at(self.bytes, at)? as usize)
    }

    /// Where the structs of a vector lie; nowhere if it is not there.
    pub(super) fn vector(&self, field: usize, size: usize, align: usize) -> Result<Range<usize>> {
        let Some(at) = self.field(field, 4)? else { return Ok(0..0) };
        let at = self.follow(at)?;
        let count = u32_at(self.bytes, at)? as usize;
        let whole = count.checked_mul(size).ok_or_else(|| damaged("a vector is too long"))?;
        let found = part(self.bytes, at + 4, whole)?;
        if count > 0 && !(found.as_ptr() as usize).is_multiple_of(align) {
            return Err(damaged("a vector is not aligned"));
        }
        Ok(if count == 0 { 0..0 } else { at + 4..at + 4 + whole })
    }

    fn text_at(&self, at: usize) -> Result<&'a str> {
        let len = u32_at(self.bytes, at)? as usize;
        let text = part(self.bytes, at + 4, len)?;
        std::str::from_utf8(text).map_err(|_| damaged("a string is not UTF-8"))
    }

    pub(super) fn string(&self, field: usize) -> Result<Option<&'a str>> {
        let Some(at) = self.field(field, 4)? else { return Ok(None) };
        self.text_at(self.follow(at)?).map(Some)
    }

    /// The strings of a vector. They lie in order: what a file's strings take in memory is no more than the file.
    pub(super) fn strings(&self, field: usize) -> Result<Vec<&'a str>> {
        let mut end = 0;
        let offsets = self.vector(field, 4, 4)?;
        let text = |at: usize| {
            let at = self.follow(at)?;
            if at < end {
                return Err(damaged("strings overlap"));
            }
            let text = self.text_at(at)?;
            end = at + 4 + text.len();
            Ok(text)
        };
        offsets.step_by(4).map(text).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_large_is_refused_before_it_is_written() {
        // Zeros that nobody looks at take no memory.
        let rows = vec![0u8; LARGEST as usize - 8];
        let e = Layout::new(vec![Part::U32(1), Part::Vector(Cow::Owned(rows), 8, 8)]).err().expect("it is too large");
        assert!(e.message().contains("a FlatBuffers file holds at most 2147483647"), "{e}");
    }

    #[test]
    fn parts_are_found_again() {
        let parts = vec![
            Part::U32(7),
            Part::Absent,
            Part::Size,
            Part::Vector(Cow::Borrowed(&[1; 40]), 40, 8),
            Part::Strings(vec!["é".into(), "".into(), "abc".into(), "abcd".into()]),
        ];
        let mut out = Vec::new();
        let mut layout = Layout::new(parts).unwrap();
        layout.set_u32(0, 9);
        layout.write(&mut out).unwrap();
        let t = Table::new(&out).unwrap();
        assert_eq!(
            (t.u32(0, 0).unwrap(), t.u32(1, 3).unwrap(), t.u64(2, 0).unwrap(), t.u32(99, 5).unwrap()),
            (9, 3, out.len() as u64, 5)
        );
        let rows = t.vector(3, 40, 1).unwrap();
        assert_eq!((rows.start % 8, &out[rows]), (0, &[1; 40][..]));
        assert_eq!(t.strings(4).unwrap(), ["é", "", "abc", "abcd"]);
        assert_eq!((layout.size(), t.string(0).is_err()), (out.len() as u64, true));
    }
}
