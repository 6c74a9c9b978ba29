//! The tape being written: its rows, and what finds the number of a type, a place, a label again.

use super::copy::{Look, Moved};
use super::origin::{Origin, Recorded};
use crate::context::{Context, Says};
use crate::meta::MetaValue;
use crate::row::{Keep, Kept, Kind, NONE, Ref, Row};
use crate::summary::{Capture, Summary};
use crate::tape::{Constant, LONGEST_PATH, Label, Tape};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::Arc;
use wengert_core::{Id, Op, Place, Scalar, Tensor, Type};

/// What is recorded of loops and staged calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Iterations {
    /// The program once, with the number of iterations.
    #[default]
    Summary,
    /// Each iteration, and the inside of each staged call, with values as captured.
    All,
}

/// How a run is recorded.
#[derive(Clone)]
pub struct Settings {
    /// What is kept of values.
    pub capture: Capture,
    /// What is kept of loops and staged calls.
    pub inside: Iterations,
    /// Bytes of values after which summaries are kept instead.
    pub limit: usize,
    /// Whether the time of each op is measured.
    pub times: bool,
    /// The user's hooks.
    pub context: Option<Arc<dyn Context>>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            capture: Capture::default(),
            inside: Iterations::default(),
            limit: usize::MAX,
            times: false,
            context: None,
        }
    }
}

/// Numbers for things, the same for equal ones.
pub(super) struct Interner<T>(FxHashMap<T, u32>);

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner(FxHashMap::default())
    }
}

impl<T: Hash + Eq + Clone> Interner<T> {
    pub(super) fn number(&mut self, table: &mut Vec<T>, x: &T) -> u32 {
        if let Some(&i) = self.0.get(x) {
            return i;
        }
        let i = table.len() as u32;
        table.push(x.clone());
        self.0.insert(x.clone(), i);
        i
    }
}

/// The end of a name that is too long.
fn end_of(file: &str) -> String {
    let from = file.len() + '…'.len_utf8() - LONGEST_PATH;
    let from = (from..=file.len()).find(|&i| file.is_char_boundary(i)).unwrap_or(from);
    format!("…{}", &file[from..])
}

/// What a node is, before its operands and results.
#[derive(Clone, Copy)]
pub(super) struct What<'a> {
    pub(super) kind: Kind,
    pub(super) label: u32,
    pub(super) place: &'a Place,
    pub(super) nanos: f32,
}

impl<'a> What<'a> {
    pub(super) fn new(kind: Kind, label: u32, place: &'a Place) -> What<'a> {
        What { kind, label, place, nanos: f32::NAN }
    }
}

/// The types of a node's results, and their values where they are known, which are asked for only if somebody wants
/// them: they may have to come from a device.
#[derive(Clone, Copy)]
pub(super) struct Made<'a> {
    pub(super) types: &'a [Type],
    pub(super) value: &'a dyn Fn(usize) -> Option<Tensor>,
}

impl<'a> Made<'a> {
    /// No results, or none yet.
    pub(super) const NOTHING: Made<'static> = Made { types: &[], value: &|_| None };

    /// Results without values.
    pub(super) fn types(types: &'a [Type]) -> Made<'a> {
        Made { types, value: &|_| None }
    }
}

/// The arrays that a recording has from elsewhere.
#[derive(Clone, Default)]
pub(super) struct Seen {
    /// Arrays from outside, and results of calls that were not recorded inside, by the identity of their values.
    pub(super) outside: FxHashMap<Id, Ref>,
    /// The nodes of arrays that came from another recording, and what they are there.
    pub(super) foreign: Vec<(u32, Origin)>,
    /// The recordings that ended inside this one, and where their nodes are.
    pub(super) absorbed: FxHashMap<u32, Moved>,
}

/// The address of a file's name, line and column.
type PlaceKey = (usize, u32, u32);

/// Where a place is among the recent ones, if it is.
fn recent((_, line, column): PlaceKey) -> usize {
    (line.wrapping_mul(5) ^ column) as usize % 16
}

/// What was recorded last at a place: a run comes by it again and again, mostly to do the same.
#[derive(Clone, Copy, Default)]
struct Last {
    label: u32,
    /// The type of the result, from 1.
    ty: u32,
    /// The constant among the operands, from 1.
    constant: u32,
}

#[derive(Default)]
pub(super) struct Writer {
    pub(super) tape: Tape,
    pub(super) settings: Settings,
    /// Places by the address of their file's name, which the place beside the number keeps.
    places: FxHashMap<PlaceKey, (u32, Place)>,
    /// Places that were asked for a short while ago, and their numbers.
    recent: [(PlaceKey, u32); 16],
    /// What was recorded last at each place, by its number.
    last: Vec<Last>,
    pub(super) names: Interner<Arc<str>>,
    pub(super) types: Interner<Type>,
    pub(super) labels: Interner<Label>,
    ops: FxHashMap<Op, u32>,
    /// Ops that hold programs, by the identity of these: equal programs may stand at different places.
    structured: FxHashMap<Vec<usize>, Vec<u32>>,
    /// The call that has the children of a structured op, by label and by how the context looked at them.
    pub(super) of_labels: FxHashMap<(u32, Look), u32>,
    pub(super) constants: Interner<Constant>,
    /// The bodies of staged functions already here, and the call that has their children. The handle keeps the address.
    pub(super) bodies: FxHashMap<(usize, Look), (u32, Arc<Tape>)>,
    kept_bytes: usize,
    /// Whether the limit was reached: no more values are kept.
    full: bool,
    /// How many hooks are running, on all threads: until they end, it must stay.
    pub(super) hooks: usize,
    pub(super) seen: Seen,
}

impl Writer {
    /// A new tape, whose root has this name; it is there whatever the context says.
    pub(super) fn new(settings: Settings, name: &str, place: &Place) -> Writer {
        let mut w = Writer { settings, ..Writer::default() };
        w.tape.labels.clear();
        let (label, place) = (w.label(name, None), w.place(place));
        let root = w.row_mut(0);
        (root.label, root.place) = (label, place);
        w
    }

    pub(super) fn ty(&mut self, t: &Type) -> u32 {
        self.types.number(&mut self.tape.types, t) + 1
    }

    pub(super) fn name(&mut self, name: &str) -> u32 {
        if let Some(&i) = self.names.0.get(name) {
            return i + 1;
        }
        self.names.number(&mut self.tape.names, &name.into()) + 1
    }

    #[inline]
    pub(super) fn place(&mut self, p: &Place) -> u32 {
        let Some((file, line, column)) = p.parts() else { return 0 };
        let key = (file.as_ptr() as usize, line, column);
        let (recent, number) = self.recent[recent(key)];
        if recent == key { number } else { self.other_place(p, file, key) }
    }

    /// The number of a place that was not asked for just now.
    fn other_place(&mut self, p: &Place, file: &str, key @ (_, line, column): PlaceKey) -> u32 {
        if let Some(&(i, _)) = self.places.get(&key) {
            self.recent[recent(key)] = (key, i);
            return i;
        }
        let kept = match file.len() > LONGEST_PATH {
            false => p.clone(),
            true => Place::named(end_of(file), line, column),
        };
        self.tape.places.push(kept);
        let i = self.tape.places.len() as u32;
        self.places.insert(key, (i, p.clone()));
        i
    }

    pub(super) fn label(&mut self, name: &str, op: Option<&Op>) -> u32 {
        let label = Label::new(name, op.cloned());
        self.labels.number(&mut self.tape.labels, &label)
    }

    /// The label of a user's function, in this module if it is tracked.
    pub(super) fn function(&mut self, name: &str, module: &str) -> u32 {
        let module = (!module.is_empty()).then(|| module.into());
        self.labels.number(&mut self.tape.labels, &Label { module, ..Label::new(name, None) })
    }

    /// The label of an op under its own name.
    pub(super) fn op(&mut self, op: &Op) -> u32 {
        if let Some(&i) = self.ops.get(op) {
            return i;
        }
        let i = self.label(op.name(), Some(op));
        self.ops.insert(op.clone(), i);
        i
    }

    /// The label of an op that holds programs.
    pub(super) fn structured(&mut self, name: &str, op: &Op) -> u32 {
        let key: Vec<usize> = op.programs().iter().map(|p| Arc::as_ptr(p) as usize).collect();
        let labels = self.structured.entry(key).or_default();
        let same = |&&i: &&u32| {
            let l = &self.tape.labels[i as usize];
            &*l.name == name && l.op.as_ref() == Some(op)
        };
        if let Some(&i) = labels.iter().find(same) {
            return i;
        }
        let i = self.tape.labels.len() as u32;
        labels.push(i);
        // The label keeps the programs, and with them their addresses.
        self.tape.labels.push(Label::new(name, Some(op.clone())));
        i
    }

    pub(super) fn constant(&mut self, c: &Constant) -> u32 {
        self.constants.number(&mut self.tape.constants, c)
    }

    pub(super) fn text(&mut self, text: &str) -> Kept {
        let i = self.constant(&Constant::Text(text.into()));
        Kept { ty: 0, kept: Keep::Constant(i).pack() }
    }

    /// A text as an operand.
    pub(super) fn note(&mut self, text: &str) -> Ref {
        Ref::constant(self.constant(&Constant::Text(text.into())))
    }

    /// One number, repeated, as an operand.
    pub(super) fn number(&mut self, s: Scalar, ty: Type) -> Ref {
        Ref::constant(self.constant(&Constant::Number(s, ty)))
    }

    /// [`Writer::number`] of an array that the user wrote as one number at this place.
    pub(super) fn literal(&mut self, s: Scalar, x: &Tensor, place: &Place) -> Ref {
        let place = self.place(place);
        if let Some(i) = self.last_at(place).constant.checked_sub(1)
            && let Constant::Number(last, ty) = &self.tape.constants[i as usize]
            && (*last, ty.dtype, &ty.shape) == (s, x.dtype(), x.shape())
        {
            return Ref::constant(i);
        }
        let r = self.number(s, x.ty());
        self.last_at(place).constant = r.at + 1;
        r
    }

    #[inline]
    fn last_at(&mut self, place: u32) -> &mut Last {
        let i = place as usize;
        if i >= self.last.len() {
            self.last.resize(i + 1, Last::default());
        }
        &mut self.last[i]
    }

    fn fits(&self, bytes: usize) -> bool {
        self.kept_bytes.saturating_add(bytes) <= self.settings.limit
    }

    /// What becomes of a value. The first that is over the limit is the end of keeping values.
    pub(super) fn keep(&mut self, capture: Capture, value: impl FnOnce() -> Option<Tensor>, id: u32) -> Keep {
        if capture == Capture::Shapes {
            return Keep::Nothing;
        }
        let Some(t) = value() else { return Keep::Nothing };
        let bytes = t.stored_bytes();
        if capture == Capture::Values && !self.full && self.fits(bytes) {
            return self.keep_value(t);
        }
        if capture == Capture::Values {
            self.full = true;
            self.tape.limited.get_or_insert(id);
        }
        self.keep_summary(Summary::of(&t))
    }

    /// Values of another recording, from this node on, were cut there.
    pub(super) fn limited_at(&mut self, id: u32) {
        if self.settings.capture == Capture::Values {
            self.tape.limited = Some(self.tape.limited.map_or(id, |n| n.min(id)));
        }
    }

    fn keep_value(&mut self, t: Tensor) -> Keep {
        self.kept_bytes += t.stored_bytes();
        Keep::Value(self.tape.values.push(t) as u32)
    }

    pub(super) fn keep_summary(&mut self, s: Summary) -> Keep {
        self.tape.summaries.room(1).push(s);
        Keep::Summary(self.tape.summaries.len() as u32 - 1)
    }

    /// A result of a node as the settings say.
    pub(super) fn result(&mut self, ty: &Type, value: impl FnOnce() -> Option<Tensor>, id: u32) -> Kept {
        Kept { ty: self.ty(ty), kept: self.keep(self.settings.capture, value, id).pack() }
    }

    /// Adds a node inside `parent`, in this block of it, and gives its number.
    pub(super) fn push(
        &mut self,
        what: &What<'_>,
        [parent, block]: [u32; 2],
        refs: &[Ref],
        made: Made<'_>,
        says: Says,
    ) -> u32 {
        let id = self.tape.rows.len() as u32;
        for (key, value) in says.metadata {
            self.tape.metadata.insert((id, key.into()), value);
        }
        let results = self.tape.results.len() as u32;
        for (i, t) in made.types.iter().enumerate() {
            let kept = Kept { ty: self.ty(t), kept: self.keep(says.capture, || (made.value)(i), id).pack() };
            self.tape.results.room(1).push(kept);
        }
        self.add(what, [parent, block], refs, results);
        id
    }

    /// Adds a node that has done what the last one at its place did, with one result of the same type, and gives its
    /// number. None if it has not, or if more than shapes is kept.
    pub(super) fn push_again<A: Recorded>(
        &mut self,
        op: &Op,
        at: [u32; 2],
        refs: &[Ref],
        y: &[A],
        (place, nanos): (&Place, f32),
    ) -> Option<u32> {
        let number = self.place(place);
        let Last { label, ty, .. } = *self.last_at(number);
        let [y] = y else { return None };
        let known = self.tape.types.get((ty as usize).wrapping_sub(1)).is_some_and(|t| y.is_of(t))
            && self.tape.labels[label as usize].op.as_ref() == Some(op);
        if !known || self.settings.capture != Capture::Shapes {
            return None;
        }
        let (id, results) = (self.tape.rows.len() as u32, self.tape.results.len() as u32);
        self.tape.results.room(1).push(Kept { ty, kept: Keep::Nothing.pack() });
        self.add(&What { nanos, ..What::new(Kind::Primitive, label, place) }, at, refs, results);
        Some(id)
    }

    /// What [`Writer::push_again`] will look for.
    pub(super) fn remember(&mut self, id: u32) {
        let row = *self.tape.row(id);
        if let [k] = self.tape.results_of(id) {
            let ty = k.ty;
            let last = self.last_at(row.place);
            (last.label, last.ty) = (row.label, ty);
        }
    }

    /// Adds a node whose results are the last ones, from this number on.
    fn add(&mut self, what: &What<'_>, [parent, block]: [u32; 2], refs: &[Ref], results: u32) {
        let place = self.place(what.place);
        let start = self.tape.refs.len() as u32;
        self.tape.refs.room(refs.len()).extend_from_slice(refs);
        let row = Row {
            kind: what.kind as u8,
            parent,
            label: what.label,
            place,
            block,
            refs: start,
            refs_len: refs.len() as u32,
            results,
            results_len: self.tape.results.len() as u32 - results,
            nanos: what.nanos,
            ..Row::ROOT
        };
        self.link(row);
    }

    /// Adds a row as the last child of its parent.
    pub(super) fn link(&mut self, mut row: Row) {
        let rows = self.tape.rows.room(1);
        let id = rows.len() as u32;
        if row.parent != NONE {
            let parent = &mut rows[row.parent as usize];
            let last = std::mem::replace(&mut parent.last_child, id);
            if last == NONE {
                parent.first_child = id;
            } else {
                row.position = rows[last as usize].position + 1;
                rows[last as usize].next = id;
            }
        }
        rows.push(row);
    }

    pub(super) fn row_mut(&mut self, id: u32) -> &mut Row {
        &mut self.tape.rows.to_mut()[id as usize]
    }

    /// Gives a node its results, once they are known.
    pub(super) fn set_results(&mut self, id: u32, results: &[Kept]) {
        let start = self.tape.results.len() as u32;
        self.tape.results.room(results.len()).extend_from_slice(results);
        let row = self.row_mut(id);
        (row.results, row.results_len) = (start, results.len() as u32);
    }

    pub(super) fn set_meta(&mut self, id: u32, key: &str, value: MetaValue) {
        self.tape.metadata.insert((id, key.into()), value);
    }
}
