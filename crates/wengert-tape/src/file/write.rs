//! A tape to its file.

use super::buffer::{Layout, Part};
use super::format::{ArrayRow, Field, HOST_PREFIX, LabelRow, MetaRow, PlaceRow, VERSION, ValueRow};
use super::source::ChecksumWriter;
use super::{arrays, check, io_error, unsupported_host};
use crate::host::HostType;
use crate::meta::{MetaValue, array_bytes};
use crate::row::{Column, NONE};
use crate::tape::{Constant, Tape};
use bytemuck::Pod;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use wengert_core::ops::{Custom, holds, opaque};
use wengert_core::replace::replace_file;
use wengert_core::{Op, Result, Tensor, Type};

/// The tables of a file, as they are gathered.
#[derive(Default)]
struct Tables<'a> {
    strings: Vec<Cow<'a, str>>,
    types: Vec<Type>,
    type_numbers: FxHashMap<Type, u32>,
    bytes: Vec<u8>,
}

impl<'a> Tables<'a> {
    fn string(&mut self, s: impl Into<Cow<'a, str>>) -> u32 {
        self.strings.push(s.into());
        self.strings.len() as u32 - 1
    }

    /// The number of a type, from 1.
    fn ty(&mut self, ty: &Type) -> u32 {
        if let Some(&i) = self.type_numbers.get(ty) {
            return i;
        }
        self.types.push(ty.clone());
        let i = self.types.len() as u32;
        self.type_numbers.insert(ty.clone(), i);
        i
    }

    fn meta(&mut self, value: &'a MetaValue) -> (u32, u32, u64) {
        match value {
            MetaValue::Bool(x) => (0, 0, u64::from(*x)),
            MetaValue::Int(x) => (1, 0, *x as u64),
            MetaValue::Float(x) => (2, 0, x.to_bits()),
            MetaValue::Text(x) => (3, 0, u64::from(self.string(x.as_str()))),
            MetaValue::Array(x) => {
                let (at, bytes) = (self.bytes.len() as u64, array_bytes(x));
                self.bytes.extend_from_slice(&bytes);
                (5, bytes.len() as u32, at)
            }
            MetaValue::Bytes(x) => {
                let at = self.bytes.len() as u64;
                self.bytes.extend_from_slice(x);
                (4, x.len() as u32, at)
            }
        }
    }
}

fn vector<T: Pod>(rows: Vec<T>) -> Part<'static> {
    Part::Vector(Cow::Owned(bytemuck::cast_slice(&rows).to_vec()), size_of::<T>(), align_of::<T>())
}

fn column<T: Pod>(rows: &Column<T>) -> Part<'_> {
    Part::Vector(Cow::Borrowed(bytemuck::cast_slice(rows)), size_of::<T>(), align_of::<T>())
}

/// The values as rows, and the arrays that are not one element repeated, each once.
fn values(tape: &Tape, tables: &mut Tables<'_>) -> Result<(Vec<ValueRow>, Vec<Tensor>)> {
    let mut arrays: Vec<Tensor> = Vec::new();
    let (mut known, mut stored) = (FxHashMap::default(), FxHashMap::default());
    let mut row = |i: usize| {
        let ty = tables.ty(&tape.values.ty(i));
        let in_file = tape.values.stored_array(i);
        if let Some(&index) = in_file.and_then(|number| stored.get(&number)) {
            return Ok(ValueRow { ty, index, low: 0, high: 0 });
        }
        let t = tape.values.get(i)?;
        if let Some(s) = t.splat_value() {
            return Ok(ValueRow::number(ty, NONE, s.bits()));
        }
        let index = *known.entry((t.id(), ty)).or_insert_with(|| {
            arrays.push(t.clone());
            arrays.len() as u32 - 1
        });
        stored.extend(in_file.map(|number| (number, index)));
        Ok(ValueRow { ty, index, low: 0, high: 0 })
    };
    let rows = (0..tape.values.len()).map(&mut row).collect::<Result<_>>()?;
    Ok((rows, arrays))
}

fn parts<'a>(tape: &'a Tape, mut tables: Tables<'a>, values: Vec<ValueRow>, arrays: Vec<ArrayRow>) -> Vec<Part<'a>> {
    let names = tape.names.iter().map(|n| tables.string(&**n)).collect();
    let mut files: FxHashMap<&str, u32> = FxHashMap::default();
    let place = |p: &'a wengert_core::Place| {
        let (file, line, column) = p.parts().unwrap_or_default();
        let file = *files.entry(file).or_insert_with(|| tables.string(file));
        PlaceRow { file, line, column }
    };
    let places = tape.places.iter().map(place).collect();
    let label = |l: &'a crate::Label| {
        let name = tables.string(&*l.name);
        let op = || l.op.as_ref().map(|op| Cow::from(readable(op).to_text()));
        let function = l.function.map(|f| Cow::from(format!("{HOST_PREFIX}{}", f.name())));
        let text = function.or_else(op).or(l.unknown.as_deref().map(Cow::from));
        LabelRow { name, op: text.map_or(NONE, |t| tables.string(t)) }
    };
    let labels = tape.labels.iter().map(label).collect();
    let mut known: FxHashMap<&str, u32> = FxHashMap::default();
    let module = |l: &'a crate::Label| match l.module.as_deref() {
        None => NONE,
        Some(m) => *known.entry(m).or_insert_with(|| tables.string(m)),
    };
    let modules = tape.labels.iter().map(module).collect();
    // For each tracked function: its label, its text, where that begins, and how many statements follow, four numbers each.
    let mut sources: Vec<u32> = Vec::new();
    for (&label, s) in &tape.sources_of {
        let text = tables.string(&*s.text);
        sources.extend([label, text, s.start[0], s.start[1], s.statements.len() as u32]);
        sources.extend(s.statements.iter().flatten());
    }
    let constant = |c: &'a Constant| match c {
        Constant::Number(s, ty) => ValueRow::number(tables.ty(ty), NONE, s.bits()),
        Constant::Linked(from, ty) => {
            ValueRow { ty: tables.ty(ty), index: from.node.index() as u32, low: from.out as u64, high: 0 }
        }
        Constant::Text(text) => ValueRow { ty: 0, index: tables.string(&**text), low: 0, high: 0 },
        Constant::Shown(text, ty) => {
            let (index, ty) = (tables.string(&**text), tables.string(&**ty));
            ValueRow { ty: 0, index, low: u64::from(ty) + 1, high: 0 }
        }
        Constant::Host(x) => ValueRow { ty: 0, index: NONE, low: x.bits, high: u64::from(HostType::code(Some(x.ty))) },
    };
    let constants = tape.constants.iter().map(constant).collect();
    let mut keys: FxHashMap<&str, u32> = FxHashMap::default();
    let mut metadata = Vec::new();
    for ((node, key), value) in &tape.metadata {
        let key = *keys.entry(key).or_insert_with(|| tables.string(&**key));
        let (kind, length, value) = tables.meta(value);
        metadata.push(MetaRow { node: *node, key, kind, length, value });
    }
    let types: Vec<String> = tables.types.iter().map(Type::to_string).collect();
    let types = types.into_iter().map(|t| tables.string(t)).collect();
    // In the order of `Field`.
    vec![
        Part::U32(VERSION),
        Part::U32(0),
        column(&tape.rows),
        column(&tape.refs),
        column(&tape.results),
        column(&tape.summaries),
        Part::Strings(tables.strings),
        vector::<u32>(types),
        vector::<u32>(names),
        vector::<PlaceRow>(places),
        vector::<LabelRow>(labels),
        vector::<ValueRow>(constants),
        vector(values),
        vector(metadata),
        vector(tables.bytes),
        Part::U32(tape.limited.unwrap_or(NONE)),
        // The first version had arrays in a file of their own.
        Part::Absent,
        Part::Absent,
        Part::Absent,
        Part::Absent,
        Part::Absent,
        column(&tape.numbers),
        vector::<u32>(modules),
        vector::<u32>(sources),
        Part::Size,
        vector(arrays),
    ]
}

/// Writes a tape and its arrays.
pub(super) fn save(tape: &Tape, path: &Path) -> Result<()> {
    unsupported_host()?;
    check::check(tape).map_err(|e| e.within("this tape can't be saved"))?;
    // The types keep their numbers, for the results have them.
    let mut tables = Tables { types: tape.types.clone(), ..Tables::default() };
    tables.type_numbers = tape.types.iter().cloned().zip(1..).collect();
    let (rows, arrays) = values(tape, &mut tables)?;
    let places = arrays::places(&arrays)?;
    let mut layout = Layout::new(parts(tape, tables, rows, places))?;
    let mut sum = ChecksumWriter::default();
    layout.write(&mut sum).map_err(io_error)?;
    layout.set_u32(Field::Checksum as usize, sum.finish());
    replace_file(path, |out| {
        layout.write(out)?;
        arrays::write(&arrays, layout.size(), out)
    })
}

/// An op that holds programs, with the ops of the user's in these that nobody could read written out, or as their names.
fn readable(op: &Op) -> Cow<'_, Op> {
    let is_unknown = |op: &Custom| !op.is_readable();
    if matches!(op, Op::Custom(_)) || !holds(op, &is_unknown) {
        return Cow::Borrowed(op);
    }
    Cow::Owned(op.map_programs(&mut |p| Arc::new(opaque(p, &is_unknown))))
}
