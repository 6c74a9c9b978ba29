//! The tape being written: its rows, and what finds the number of a type, a place, a label again.

use super::again::KnownSites;
use super::copy::{NodeMap, Visibility};
use super::elsewhere::Told;
use super::origin::{Origin, Recorded};
use super::outside::LateRead;
use super::recording::TracedBody;
use super::site::Site;
use crate::api::UNWINDING;
use crate::context::{Arguments, Context};
use crate::function::Meaning;
use crate::host::HostType;
use crate::meta::{Meta, MetaValue};
use crate::row::{KeptValue, Kind, NONE, Ref, ResultRow, Row};
use crate::summary::Capture;
use crate::tape::{Constant, LONGEST_PATH, Label, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hash;
use std::sync::Arc;
use wengert_core::{Id, Op, Place, Scalar, Tensor, Type};

/// What many nodes are.
#[derive(Clone, Copy)]
pub(super) enum FixedLabel {
    Argument,
    Return,
    Goto,
}

/// The nodes inside loops and staged calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InnerNodes {
    /// The program once, with the number of iterations.
    #[default]
    Program,
    /// Each iteration of a loop and each equation of a staged call as it runs, with values as captured.
    EveryStep,
}

/// How a run is recorded.
#[derive(Clone)]
pub struct Settings {
    /// What is kept of values.
    pub capture: Capture,
    /// The nodes inside loops and staged calls.
    pub inner_nodes: InnerNodes,
    /// Bytes of values after which summaries are kept instead.
    pub limit: usize,
    /// Whether values that come from outside are kept, whatever is kept of others.
    pub constants: bool,
    /// Whether values of a function that is staged with guards are kept although the recording began inside of it: then no code
    /// of the user's may see the tape.
    pub guarded: bool,
    /// Whether the time of each op is measured.
    pub times: bool,
    /// The user's hooks.
    pub context: Option<Arc<dyn Context>>,
}

impl Settings {
    /// Whether values that come from outside are kept.
    pub(super) fn keeps_constants(&self) -> bool {
        self.capture == Capture::Values || self.constants
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            capture: Capture::default(),
            inner_nodes: InnerNodes::default(),
            limit: usize::MAX,
            constants: false,
            guarded: false,
            times: false,
            context: None,
        }
    }
}

/// The number of each entry of a table: equal entries have one number.
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

/// The end of a file name that is too long.
fn end_of(file: &str) -> String {
    let from = file.len() + '…'.len_utf8() - LONGEST_PATH;
    let from = (from..=file.len()).find(|&i| file.is_char_boundary(i)).unwrap_or(from);
    format!("…{}", &file[from..])
}

/// A node without its operands and results.
#[derive(Clone, Copy)]
pub(super) struct NodeHeader<'a> {
    pub(super) kind: Kind,
    pub(super) label: u32,
    pub(super) place: &'a Place,
    pub(super) nanos: f32,
    /// What a call is given, for contexts.
    pub(super) arguments: Arguments<'a>,
}

impl<'a> NodeHeader<'a> {
    pub(super) fn new(kind: Kind, label: u32, place: &'a Place) -> NodeHeader<'a> {
        NodeHeader { kind, label, place, nanos: f32::NAN, arguments: None }
    }
}

/// The types of a node's results, and their values where they are known. Values are asked for only if the settings or the
/// context want them: they may have to come from a device.
#[derive(Clone, Copy)]
pub(super) struct NodeResults<'a> {
    pub(super) types: &'a [Type],
    pub(super) value: &'a dyn Fn(usize) -> Option<Tensor>,
}

impl<'a> NodeResults<'a> {
    /// No results, or none yet.
    pub(super) const NONE: NodeResults<'static> = NodeResults { types: &[], value: &|_| None };

    /// Results without values.
    pub(super) fn types(types: &'a [Type]) -> NodeResults<'a> {
        NodeResults { types, value: &|_| None }
    }
}

/// The arrays that a recording has from outside itself.
#[derive(Clone, Default)]
pub(super) struct OutsideArrays {
    /// Arrays from outside, and results of calls that were not recorded inside, by the identity of their values.
    pub(super) by_id: FxHashMap<Id, Ref>,
    /// The calls that gave arrays without identity which were made in them silently, by the numbers of these.
    pub(super) by_number: FxHashMap<u32, Ref>,
    /// What the host read while the switch of this recording is off, by what it read; none while it is on.
    pub(super) paused: Option<FxHashMap<Option<Ref>, LateRead>>,
    /// The nodes of arrays that came from another recording, and what they are there.
    pub(super) foreign: Vec<(u32, Origin)>,
    /// The nodes of its arguments, and what these arrays were before.
    pub(super) arguments: Vec<(u32, Origin, Option<Id>)>,
    /// Those of them that are known by what they are there: of recordings around a function that is traced, and those without
    /// identity, for their values are not known.
    pub(super) by_origin: FxHashMap<Origin, Ref>,
    /// The recordings that ended inside this one, and where their nodes are.
    pub(super) absorbed: FxHashMap<u32, NodeMap>,
    /// When it was opened, as the recordings that are open count.
    pub(super) since: u64,
    /// The reads of arrays elsewhere that it was told of, each with the recording that has it already.
    pub(super) settled: FxHashSet<(Id, Option<u32>)>,
    /// Whether it was told that more happened elsewhere than is known.
    pub(super) forgotten: bool,
}

/// The address of a file's name, line and column.
type PlaceKey = (usize, u32, u32);

const RECENT_PLACES: usize = 64;

struct RecentPlaces([(PlaceKey, u32); RECENT_PLACES]);

impl Default for RecentPlaces {
    fn default() -> Self {
        RecentPlaces([((0, 0, 0), 0); RECENT_PLACES])
    }
}

/// The entry of [`Writer::recent_places`] that a place may be in.
fn recent_entry((_, line, column): PlaceKey) -> usize {
    (line.wrapping_mul(37) ^ column) as usize % RECENT_PLACES
}

/// The last node that was recorded at a place: a loop of the host comes by it again and again, mostly to do the same.
#[derive(Clone, Copy, Default)]
struct LastNode {
    label: u32,
    /// The type of the result, from 1.
    ty: u32,
    /// The constant among the operands, from 1.
    constant: u32,
}

#[derive(Default)]
pub(super) struct Writer {
    pub(super) tape: Tape,
    /// None of a function that is traced: its tape has no values that change.
    pub(super) told: Option<Told>,
    pub(super) settings: Settings,
    /// Places by the address of their file's name, which the place beside the number keeps.
    places: FxHashMap<PlaceKey, (u32, Place)>,
    /// Places that were asked for a short while ago, and their numbers.
    recent_places: RecentPlaces,
    /// The last node at each place, by the number of the place.
    last_nodes: Vec<LastNode>,
    pub(super) names: Interner<Arc<str>>,
    /// The names that were asked for a short while ago.
    recent_names: [u32; 16],
    pub(super) types: Interner<Type>,
    /// The numbers of the types of the host's numbers; 0 until they are asked for.
    pub(super) host_types: [u32; HostType::ALL.len()],
    pub(super) labels: Interner<Label>,
    /// The labels of functions that were called a short while ago.
    recent_functions: [u32; 16],
    ops: FxHashMap<Op, u32>,
    /// The numbers of fixed labels, from 1.
    fixed_labels: [u32; 3],
    /// The constants of operands that stand in the source, by their address and the type they have.
    pub(super) literals: FxHashMap<(usize, u16), u32>,
    /// The expressions of the host that were evaluated last.
    pub(super) known_sites: KnownSites,
    /// The labels of expressions of the host, by their address and by whether they have an op.
    sites: FxHashMap<(usize, Option<Meaning>), u32>,
    /// Ops that hold programs, by the identity of these: equal programs may stand at different places.
    structured: FxHashMap<Vec<usize>, Vec<u32>>,
    /// The call that has the children of a structured op, by label, by the types that one of the user's takes, and by visibility.
    pub(super) op_bodies: FxHashMap<(u32, Vec<Type>, Visibility), u32>,
    pub(super) constants: Interner<Constant>,
    /// The call that has the children of a staged function, by the address of its tape, which the handle keeps, and by
    /// visibility.
    pub(super) staged_bodies: FxHashMap<(usize, Visibility), (u32, Arc<TracedBody>)>,
    pub(super) kept_bytes: usize,
    /// Whether the limit was reached: no more values are kept.
    pub(super) full: bool,
    /// Whether nothing is kept of values from here on: see [`Cursor::meet`](super::cursor::Cursor::meet).
    pub(super) keeps_nothing: bool,
    /// How many hooks are running, on all threads: until they end, the writer must stay.
    pub(super) hooks: usize,
    pub(super) outside: OutsideArrays,
}

impl Writer {
    /// The type of a number of the host.
    pub(super) fn host_type_of(&self, r: Ref) -> Option<HostType> {
        match r.is_constant() {
            true => match self.tape.constants.get(r.at as usize)? {
                Constant::Host(x) => Some(x.ty),
                _ => None,
            },
            false => HostType::of_code(self.tape.row(r.at).host),
        }
    }

    /// A new tape, whose root has this name; it is there whatever the context says.
    pub(super) fn new(settings: Settings, name: &str, place: &Place) -> Writer {
        let mut w = Writer { settings, ..Writer::default() };
        w.tape.labels.clear();
        let (label, place) = (w.label(name, None), w.place(place));
        let root = w.row_mut(0);
        (root.label, root.place) = (label, place);
        if std::thread::panicking() {
            w.set_unwinding(0);
        }
        w
    }

    /// Says of a node that it came after a failure: a destructor made it while a panic unwound.
    pub(super) fn set_unwinding(&mut self, id: u32) {
        self.set_meta(id, UNWINDING.name(), true.to_value());
    }

    pub(super) fn ty(&mut self, t: &Type) -> u32 {
        self.types.number(&mut self.tape.types, t) + 1
    }

    #[inline]
    pub(super) fn name(&mut self, name: &str) -> u32 {
        let recent = name.as_ptr() as usize % self.recent_names.len();
        let i = self.recent_names[recent];
        if self.tape.names.get(i as usize).is_some_and(|n| **n == *name) {
            return i + 1;
        }
        let i = self.other_name(name);
        self.recent_names[recent] = i;
        i + 1
    }

    /// The place among names of one that was not asked for just now.
    fn other_name(&mut self, name: &str) -> u32 {
        match self.names.0.get(name) {
            Some(&i) => i,
            None => self.names.number(&mut self.tape.names, &name.into()),
        }
    }

    #[inline]
    pub(super) fn place(&mut self, p: &Place) -> u32 {
        let Some((file, line, column)) = p.parts() else { return 0 };
        let key = (file.as_ptr() as usize, line, column);
        let (recent, number) = self.recent_places.0[recent_entry(key)];
        if recent == key { number } else { self.other_place(p, file, key) }
    }

    /// The number of a place that was not asked for just now.
    fn other_place(&mut self, p: &Place, file: &str, key @ (_, line, column): PlaceKey) -> u32 {
        if let Some(&(i, _)) = self.places.get(&key) {
            self.recent_places.0[recent_entry(key)] = (key, i);
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

    /// The label of what many nodes are.
    #[inline]
    pub(super) fn fixed_label(&mut self, label: FixedLabel) -> u32 {
        match self.fixed_labels[label as usize] {
            0 => {
                let i = self.label(["argument", "return", "goto"][label as usize], None);
                self.fixed_labels[label as usize] = i + 1;
                i
            }
            i => i - 1,
        }
    }

    pub(super) fn label(&mut self, name: &str, op: Option<&Op>) -> u32 {
        let label = Label::new(name, op.cloned());
        self.labels.number(&mut self.tape.labels, &label)
    }

    /// The label of a user's function, in this module if it is tracked.
    pub(super) fn function(&mut self, name: &str, module: &str) -> u32 {
        let recent = name.as_ptr() as usize / 8 % self.recent_functions.len();
        let is_known =
            |l: &Label| *l.name == *name && l.module.as_deref().unwrap_or_default() == module && l.op.is_none();
        let i = self.recent_functions[recent];
        if self.tape.labels.get(i as usize).is_some_and(is_known) {
            return i;
        }
        let module = (!module.is_empty()).then(|| module.into());
        let i = self.labels.number(&mut self.tape.labels, &Label { module, ..Label::new(name, None) });
        self.recent_functions[recent] = i;
        i
    }

    /// The label of an expression of the host, with what it does if that can be done again.
    pub(super) fn site_label(&mut self, site: &'static Site, meaning: Option<Meaning>) -> u32 {
        let key = (std::ptr::from_ref(site) as usize, meaning);
        if let Some(&i) = self.sites.get(&key) {
            return i;
        }
        // What is given a value as it is has no text of its own.
        let text = if site.label.is_empty() && !site.operands.is_empty() { "=" } else { site.label };
        let i = self.labels.number(&mut self.tape.labels, &Label::of_host(text, key.1.clone()));
        self.sites.insert(key, i);
        i
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

    /// [`Writer::splat_operand`] of an array that the user wrote as one number at this place.
    pub(super) fn literal(&mut self, s: Scalar, x: &Tensor, place: &Place) -> Ref {
        let place = self.place(place);
        if let Some(i) = self.last_node_at(place).constant.checked_sub(1)
            && let Constant::Number(last, ty) = &self.tape.constants[i as usize]
            && (*last, ty.dtype, &ty.shape) == (s, x.dtype(), x.shape())
        {
            return Ref::constant(i);
        }
        let r = self.splat_operand(s, x.ty());
        self.last_node_at(place).constant = r.at + 1;
        r
    }

    #[inline]
    fn last_node_at(&mut self, place: u32) -> &mut LastNode {
        let i = place as usize;
        if i >= self.last_nodes.len() {
            self.last_nodes.resize(i + 1, LastNode::default());
        }
        &mut self.last_nodes[i]
    }

    /// Adds a node inside `parent`, in this block of it, and gives its number.
    pub(super) fn push(
        &mut self,
        header: &NodeHeader<'_>,
        [parent, block]: [u32; 2],
        refs: &[Ref],
        results: NodeResults<'_>,
        capture: Capture,
    ) -> u32 {
        let id = self.tape.rows.len() as u32;
        let first_result = self.tape.results.len() as u32;
        let whole = self.settings.constants && header.kind == Kind::Constant;
        let capture = if whole { Capture::Values } else { capture };
        for (i, t) in results.types.iter().enumerate() {
            let kept = ResultRow { ty: self.ty(t), kept: self.keep(capture, || (results.value)(i), id).pack() };
            self.tape.results.room(1).push(kept);
        }
        self.add(header, [parent, block], refs, first_result);
        id
    }

    /// Adds a node that repeats the op of the last node at its place, with one result of the same type, and gives its
    /// number. None if the op or the type is another, or if more than shapes is kept.
    pub(super) fn push_repeated<A: Recorded>(
        &mut self,
        op: &Op,
        at: [u32; 2],
        refs: &[Ref],
        y: &[A],
        (place, nanos): (&Place, f32),
    ) -> Option<u32> {
        let number = self.place(place);
        let LastNode { label, ty, .. } = *self.last_node_at(number);
        let [y] = y else { return None };
        let known = self.tape.types.get((ty as usize).wrapping_sub(1)).is_some_and(|t| y.is_of(t))
            && self.tape.labels[label as usize].op.as_ref() == Some(op);
        if !known || self.settings.capture != Capture::Shapes {
            return None;
        }
        let (id, first_result) = (self.tape.rows.len() as u32, self.tape.results.len() as u32);
        self.tape.results.room(1).push(ResultRow { ty, kept: KeptValue::Nothing.pack() });
        self.add(&NodeHeader { nanos, ..NodeHeader::new(Kind::Primitive, label, place) }, at, refs, first_result);
        Some(id)
    }

    /// Remembers a node for [`Writer::push_repeated`].
    pub(super) fn remember(&mut self, id: u32) {
        let row = *self.tape.row(id);
        if let [k] = self.tape.results_of(id) {
            let ty = k.ty;
            let last = self.last_node_at(row.place);
            (last.label, last.ty) = (row.label, ty);
        }
    }

    /// Adds a node whose results are already in the table, from this number to the end.
    fn add(&mut self, header: &NodeHeader<'_>, [parent, block]: [u32; 2], refs: &[Ref], first_result: u32) {
        let place = self.place(header.place);
        let start = self.tape.refs.len() as u32;
        self.tape.refs.room(refs.len()).extend_from_slice(refs);
        let row = Row {
            kind: header.kind as u8,
            parent,
            label: header.label,
            place,
            block,
            refs: start,
            refs_len: refs.len() as u32,
            results: first_result,
            results_len: self.tape.results.len() as u32 - first_result,
            nanos: header.nanos,
            ..Row::ROOT
        };
        self.link(row);
    }

    /// Adds a node with these operands and this result, and gives its number.
    #[inline(always)]
    pub(super) fn add_row(&mut self, mut row: Row, refs: &[Ref], result: Option<ResultRow>) -> u32 {
        let id = self.tape.rows.len() as u32;
        (row.refs, row.refs_len) = (self.tape.refs.len() as u32, refs.len() as u32);
        (row.results, row.results_len) = (self.tape.results.len() as u32, result.is_some() as u32);
        // One after the other: a copy of so few would be a call.
        let all = self.tape.refs.room(refs.len());
        refs.iter().for_each(|r| all.push(*r));
        if let Some(result) = result {
            self.tape.results.room(1).push(result);
        }
        self.link(row);
        id
    }

    /// Adds a row as the last child of its parent.
    #[inline(always)]
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

    #[inline]
    pub(super) fn row_mut(&mut self, id: u32) -> &mut Row {
        &mut self.tape.rows.to_mut()[id as usize]
    }

    /// Gives a node its results, once they are known.
    pub(super) fn set_results(&mut self, id: u32, results: &[ResultRow]) {
        let start = self.tape.results.len() as u32;
        self.tape.results.room(results.len()).extend_from_slice(results);
        let row = self.row_mut(id);
        (row.results, row.results_len) = (start, results.len() as u32);
    }

    pub(super) fn set_meta(&mut self, id: u32, key: &str, value: MetaValue) {
        self.tape.metadata.insert((id, key.into()), value);
    }
}
