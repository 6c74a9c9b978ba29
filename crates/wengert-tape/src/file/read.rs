//! A tape from its file. Nodes stay as they were read; the tables they refer to are taken apart once.

use super::arrays::StoredValues;
use super::buffer::{LARGEST, Table};
use super::format::{Field, HOST_PREFIX, LabelRow, MetaRow, PlaceRow, VERSION, ValueRow};
use super::source::{AlignedBytes, Source};
use super::{check, damaged};
use crate::function::HostFunction;
use crate::host::{HostNumber, HostType};
use crate::meta::{MetaValue, array_of_bytes};
use crate::row::{Column, NONE, Ref, ResultRow, Row};
use crate::source::FunctionSource;
use crate::summary::Summary;
use crate::tape::{Constant, Label, Tape};
use bytemuck::Pod;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Op, Place, Result, Scalar, Type, text};

/// Types written longer than this are damage: [`check`] lets no array have so many axes.
const LONGEST_TYPE: usize = 2048;

/// As many bytes have the root table in them, and how much more of the file is the FlatBuffers part.
const HEAD: u64 = 4096;

/// A file whose checksum was right.
pub(super) struct CheckedFile<'a> {
    buffer: &'a Arc<AlignedBytes>,
    table: Table<'a>,
    version: u32,
    /// Of the first version: the name, size and checksum of the file that its arrays are in.
    pub(super) arrays_file: Option<(&'a str, u64, u32)>,
}

/// Reads the FlatBuffers part of a file.
pub(super) fn read_buffer(source: &Source) -> Result<Arc<AlignedBytes>> {
    let head = source.aligned(source.size().min(HEAD))?;
    Table::check_identifier(head.bytes())?;
    // Files of the first version have no arrays in them, and may have their table anywhere.
    let size = Table::new(head.bytes()).and_then(|t| t.u64(Field::BufferSize as usize, source.size()));
    let size = size.unwrap_or(source.size());
    if size > LARGEST {
        return Err(damaged("it is larger than a tape can be"));
    }
    if size > source.size() {
        return Err(damaged("it is not whole"));
    }
    Ok(Arc::new(source.aligned(size)?))
}

/// The strings of a file, by number.
struct Strings<'a> {
    all: Vec<&'a str>,
    taken: Vec<bool>,
    shared: FxHashMap<u32, Arc<str>>,
}

impl<'a> Strings<'a> {
    fn get(&self, i: u32) -> Result<&'a str> {
        self.all.get(i as usize).copied().ok_or_else(|| damaged("a string is not there"))
    }

    /// A string that is copied. Each string can be copied once: otherwise a small file could ask for a lot of memory.
    fn take(&mut self, i: u32) -> Result<&'a str> {
        let s = self.get(i)?;
        match std::mem::replace(&mut self.taken[i as usize], true) {
            true => Err(damaged("a string is used twice")),
            false => Ok(s),
        }
    }

    fn share(&mut self, i: u32) -> Result<Arc<str>> {
        if let Some(s) = self.shared.get(&i) {
            return Ok(s.clone());
        }
        let s: Arc<str> = self.get(i)?.into();
        self.shared.insert(i, s.clone());
        Ok(s)
    }
}

/// The CRC-32 of a file with the four bytes at `at` zero.
fn checksum(bytes: &[u8], at: usize) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..at]);
    sum.update(&[0; 4]);
    sum.update(&bytes[at + 4..]);
    sum.finalize()
}

impl<'a> CheckedFile<'a> {
    pub(super) fn new(buffer: &'a Arc<AlignedBytes>) -> Result<CheckedFile<'a>> {
        let bytes = buffer.bytes();
        let table = Table::new(bytes)?;
        let version = table.u32(Field::Version as usize, 0)?;
        if version > VERSION {
            let message = format!("it has version {version}, and this program reads up to {VERSION}");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let at = table.field(Field::Checksum as usize, 4)?;
        let sound = at.is_some_and(|at| table.u32(Field::Checksum as usize, 0).is_ok_and(|x| x == checksum(bytes, at)));
        if version == 0 || !sound {
            return Err(damaged("its checksum is wrong: it was damaged, or is not whole"));
        }
        let arrays_file = match table.string(Field::ArraysFile as usize)? {
            Some(name) if version == 1 => {
                let size = table.u64(Field::ArraysFileSize as usize, 0)?;
                Some((name, size, table.u32(Field::ArraysFileChecksum as usize, 0)?))
            }
            _ => None,
        };
        Ok(CheckedFile { buffer, table, version, arrays_file })
    }

    fn column<T: Pod>(&self, field: Field) -> Result<Column<T>> {
        let range = self.table.vector(field as usize, size_of::<T>(), align_of::<T>())?;
        Ok(if range.is_empty() { Column::default() } else { Column::InFile(self.buffer.clone(), range) })
    }

    /// The values, of arrays in the file itself or, by the first version, in the one beside it.
    fn values(&self, types: Vec<Type>, source: Source) -> Result<StoredValues> {
        let rows = self.column(Field::Values)?;
        if self.version > 1 {
            let arrays = self.column(Field::Arrays)?;
            return StoredValues::in_file(rows, types, &arrays, (source, self.buffer.bytes().len() as u64));
        }
        let Some((_, size, sum)) = self.arrays_file else { return StoredValues::beside(rows, types, None) };
        let bytes = source.bytes(0, source.size())?;
        if bytes.len() as u64 != size || crc32fast::hash(&bytes) != sum {
            return Err(damaged("its arrays are those of another tape, or were damaged"));
        }
        StoredValues::beside(rows, types, Some(bytes))
    }

    /// The tape; `source` is what its arrays are in: the file itself or, by the first version, the one beside it.
    pub(super) fn tape(&self, source: Source) -> Result<Tape> {
        let all = self.table.strings(Field::Strings as usize)?;
        let mut strings = Strings { taken: vec![false; all.len()], all, shared: FxHashMap::default() };
        let types =
            self.column::<u32>(Field::Types)?.iter().map(|&i| ty(strings.get(i)?)).collect::<Result<Vec<_>>>()?;
        let names = self.column::<u32>(Field::Names)?.iter().map(|&i| strings.share(i)).collect::<Result<_>>()?;
        let places = self.column(Field::Places)?.iter().map(|p| place(&mut strings, p)).collect::<Result<_>>()?;
        let mut labels =
            self.column(Field::Labels)?.iter().map(|l| label(&mut strings, l)).collect::<Result<Vec<Label>>>()?;
        for (label, &module) in labels.iter_mut().zip(self.column::<u32>(Field::Modules)?.iter()) {
            label.module = if module == NONE { None } else { Some(strings.share(module)?) };
        }
        let constants = self.column(Field::Constants)?;
        let constants = constants.iter().map(|c| constant(&mut strings, &types, c)).collect::<Result<_>>()?;
        let mut tape = Tape {
            rows: self.column::<Row>(Field::Nodes)?,
            refs: self.column::<Ref>(Field::References)?,
            results: self.column::<ResultRow>(Field::Results)?,
            summaries: self.column::<Summary>(Field::Summaries)?,
            numbers: self.column::<u64>(Field::Numbers)?,
            places,
            names,
            labels,
            constants,
            values: self.values(types.clone(), source)?.into(),
            types,
            limited: Some(self.table.u32(Field::Limited as usize, NONE)?).filter(|&n| n != NONE),
            ..Tape::default()
        };
        tape.sources_of = sources(&mut strings, &self.column::<u32>(Field::Sources)?, tape.labels.len())?;
        let bytes = self.column::<u8>(Field::Bytes)?;
        let mut end = 0;
        for m in self.column::<MetaRow>(Field::Metadata)?.iter() {
            let key = strings.share(m.key)?;
            tape.metadata.insert((m.node, key), meta(&mut strings, &bytes, &mut end, m)?);
        }
        if self.version < 2 {
            super::upgrade::from_first(&mut tape);
        }
        check::check(&tape)?;
        Ok(tape)
    }
}

fn ty(text: &str) -> Result<Type> {
    let parsed = (text.len() <= LONGEST_TYPE).then(|| text::Parser::new(text).ty().ok()).flatten();
    parsed.filter(|t| t.to_string() == text).ok_or_else(|| damaged("a type is not one"))
}

fn place(strings: &mut Strings<'_>, p: &PlaceRow) -> Result<Place> {
    Ok(Place::named(strings.share(p.file)?, p.line, p.column))
}

/// A label. Of an op that is not known here, such as one of a user's own, the text stays.
fn label(strings: &mut Strings<'_>, l: &LabelRow) -> Result<Label> {
    let text = if l.op == NONE { None } else { Some(strings.take(l.op)?) };
    let op = text.and_then(|t| Op::parse(t).ok());
    let function = text.and_then(|t| HostFunction::of_name(t.strip_prefix(HOST_PREFIX)?));
    let unknown = text.filter(|_| op.is_none() && function.is_none()).map(Arc::from);
    Ok(Label { name: strings.share(l.name)?, op, function, unknown, module: None })
}

/// The sources of tracked functions, by label.
fn sources(strings: &mut Strings<'_>, all: &[u32], labels: usize) -> Result<BTreeMap<u32, FunctionSource>> {
    let mut found = BTreeMap::new();
    let mut rest = all;
    while !rest.is_empty() {
        let broken = || damaged("the source of a function is not whole");
        let ([label, text, line, column, count], after) = rest.split_first_chunk::<5>().ok_or_else(broken)?;
        let (statements, after) = after.split_at_checked(4 * *count as usize).ok_or_else(broken)?;
        if *label as usize >= labels {
            return Err(broken());
        }
        let statements = statements.chunks_exact(4).map(|s| [s[0], s[1], s[2], s[3]]).collect();
        let text = strings.take(*text)?.to_string();
        found.insert(*label, FunctionSource { text, start: [*line, *column], statements });
        rest = after;
    }
    Ok(found)
}

fn constant(strings: &mut Strings<'_>, types: &[Type], c: &ValueRow) -> Result<Constant> {
    if c.ty == 0 && c.index == NONE {
        let ty = u16::try_from(c.high).ok().and_then(HostType::of_code);
        let ty = ty.ok_or_else(|| damaged("a number of the host has no type"))?;
        return Ok(Constant::Host(HostNumber { ty, bits: c.low }));
    }
    if c.ty == 0 {
        let text = strings.share(c.index)?;
        return Ok(match c.low.checked_sub(1) {
            None => Constant::Text(text),
            Some(ty) => Constant::Shown(text, strings.share(u32::try_from(ty).unwrap_or(NONE))?),
        });
    }
    let ty = types.get(c.ty as usize - 1).ok_or_else(|| damaged("a constant has no type"))?;
    if c.index != NONE {
        let out = usize::try_from(c.low).map_err(|_| damaged("a number came from nowhere"))?;
        return Ok(Constant::Linked((c.index, out).into(), ty.clone()));
    }
    Ok(Constant::Number(Scalar::from_bits(ty.dtype, c.bits()), ty.clone()))
}

fn meta(strings: &mut Strings<'_>, bytes: &[u8], end: &mut u64, m: &MetaRow) -> Result<MetaValue> {
    Ok(match m.kind {
        0 => MetaValue::Bool(m.value != 0),
        1 => MetaValue::Int(m.value as i64),
        2 => MetaValue::Float(f64::from_bits(m.value)),
        3 => {
            let i = u32::try_from(m.value).map_err(|_| damaged("a string is not there"))?;
            MetaValue::Text(strings.take(i)?.to_string())
        }
        kind @ (4 | 5) => {
            let stop = m.value.checked_add(u64::from(m.length)).filter(|&s| m.value >= *end && s <= bytes.len() as u64);
            *end = stop.ok_or_else(|| damaged("metadata lies outside its bytes"))?;
            let bytes = &bytes[m.value as usize..*end as usize];
            match kind {
                4 => MetaValue::Bytes(bytes.to_vec()),
                _ => MetaValue::Array(array_of_bytes(bytes).ok_or_else(|| damaged("metadata is no array"))?),
            }
        }
        _ => return Err(damaged("metadata is of no known kind")),
    })
}
