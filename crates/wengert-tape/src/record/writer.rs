//! The tape being written: its rows, and what finds the number of a type, a place, a label again.

use crate::context::{Context, Says};
use crate::meta::MetaValue;
use crate::row::{ABSTRACT, Keep, Kept, Kind, NONE, Ref, Row, SHARED};
use crate::summary::{Capture, Summary};
use crate::tape::{Constant, Label, Tape};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::sync::{Arc, Weak};
use wengert_core::{Data, Op, Place, Scalar, Tensor, Type};

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

impl Settings {
    /// Whether anything may want to see values.
    pub(super) fn wants_values(&self) -> bool {
        self.capture != Capture::Shapes || self.context.is_some()
    }
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
struct Interner<T>(FxHashMap<T, u32>);

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Interner(FxHashMap::default())
    }
}

impl<T: Hash + Eq + Clone> Interner<T> {
    fn number(&mut self, table: &mut Vec<T>, x: &T) -> u32 {
        if let Some(&i) = self.0.get(x) {
            return i;
        }
        let i = table.len() as u32;
        table.push(x.clone());
        self.0.insert(x.clone(), i);
        i
    }
}

/// What a new node is made of.
pub(super) struct New<'a> {
    pub(super) kind: Kind,
    pub(super) label: u32,
    pub(super) place: &'a Place,
    pub(super) parent: u32,
    pub(super) block: u32,
    pub(super) refs: &'a [Ref],
    pub(super) types: &'a [Type],
    pub(super) values: &'a [Option<Tensor>],
    pub(super) nanos: f32,
}

#[derive(Default)]
pub(super) struct Writer {
    pub(super) tape: Tape,
    pub(super) settings: Settings,
    places: FxHashMap<(usize, u32, u32), u32>,
    names: Interner<Arc<str>>,
    types: Interner<Type>,
    labels: Interner<Label>,
    ops: FxHashMap<Op, u32>,
    /// Ops that hold programs, by the identity of these: equal programs may stand at different places.
    structured: FxHashMap<Vec<usize>, Vec<u32>>,
    /// The call that has the children of a structured op, by label.
    of_labels: FxHashMap<u32, u32>,
    constants: Interner<Constant>,
    /// Arrays from outside, and results of calls that were not recorded inside, by the identity of their elements. The
    /// weak handle keeps the address from being used again.
    outside: FxHashMap<(usize, u32), (Ref, Weak<Data>)>,
    /// The bodies of staged functions already here, and the call that has their children. The handle keeps the address.
    bodies: FxHashMap<usize, (u32, Arc<Tape>)>,
    kept_bytes: usize,
    /// How many hooks are running, on all threads: until they end, it must stay.
    pub(super) hooks: usize,
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

    fn place(&mut self, p: &Place) -> u32 {
        let Some((file, line, column)) = p.parts() else { return 0 };
        let key = (file.as_ptr() as usize, line, column);
        if let Some(&i) = self.places.get(&key) {
            return i;
        }
        // The place is kept, and with it the address of its file's name.
        self.tape.places.push(p.clone());
        let i = self.tape.places.len() as u32;
        self.places.insert(key, i);
        i
    }

    pub(super) fn label(&mut self, name: &str, op: Option<&Op>) -> u32 {
        let label = Label { name: name.into(), op: op.cloned() };
        self.labels.number(&mut self.tape.labels, &label)
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
        self.tape.labels.push(Label { name: name.into(), op: Some(op.clone()) });
        i
    }

    /// Gives a call the children that its op's programs are, once for each op.
    pub(super) fn graft_op(&mut self, call: u32, types: &[Type]) {
        let label = self.tape.row(call).label;
        if let Some(&first) = self.of_labels.get(&label) {
            let row = self.row_mut(call);
            (row.flags, row.extra) = (row.flags | SHARED | ABSTRACT, first);
            return;
        }
        let Some(op) = self.tape.labels[label as usize].op.clone() else { return };
        self.of_labels.insert(label, call);
        let body = super::body::of_op(&op, types);
        self.copy_children(call, &body);
        let row = self.row_mut(call);
        (row.flags, row.extra) = (row.flags | ABSTRACT, NONE);
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

    pub(super) fn number(&mut self, s: Scalar, ty: Type) -> Ref {
        Ref::constant(self.constant(&Constant::Number(s, ty)))
    }

    /// The node for an array from outside the recording, if it was seen before.
    pub(super) fn outside(&mut self, t: &Tensor) -> Option<Ref> {
        let ty = self.ty(&t.ty());
        self.outside.get(&(t.storage_id(), ty)).map(|(r, _)| *r)
    }

    pub(super) fn set_outside(&mut self, t: &Tensor, r: Ref) {
        let ty = self.ty(&t.ty());
        self.outside.insert((t.storage_id(), ty), (r, t.weak_storage()));
    }

    fn fits(&self, bytes: usize) -> bool {
        self.kept_bytes.saturating_add(bytes) <= self.settings.limit
    }

    /// What becomes of a value. The first that is over the limit is the end of keeping values.
    fn keep(&mut self, capture: Capture, value: Option<&Tensor>, id: u32) -> Keep {
        let Some(t) = value else { return Keep::Nothing };
        let bytes = t.stored().len() * t.dtype().size();
        match capture {
            Capture::Shapes => Keep::Nothing,
            Capture::Values if self.tape.limited.is_none() && self.fits(bytes) => {
                self.kept_bytes += bytes;
                self.tape.values.to_mut().push(t.clone());
                Keep::Value(self.tape.values.len() as u32 - 1)
            }
            _ => {
                if capture == Capture::Values {
                    self.tape.limited.get_or_insert(id);
                }
                self.tape.summaries.to_mut().push(Summary::of(t));
                Keep::Summary(self.tape.summaries.len() as u32 - 1)
            }
        }
    }

    /// What becomes of a value as the settings say.
    pub(super) fn keep_result(&mut self, value: Option<&Tensor>, id: u32) -> Keep {
        self.keep(self.settings.capture, value, id)
    }

    /// Adds a node, and gives its number.
    pub(super) fn push(&mut self, n: &New<'_>, says: Says) -> u32 {
        let id = self.tape.rows.len() as u32;
        for (key, value) in says.metadata {
            self.tape.metadata.insert((id, key.into()), value);
        }
        let results = self.tape.results.len() as u32;
        for (i, t) in n.types.iter().enumerate() {
            let kept = Kept {
                ty: self.ty(t),
                kept: self.keep(says.capture, n.values.get(i).and_then(Option::as_ref), id).pack(),
            };
            self.tape.results.to_mut().push(kept);
        }
        let place = self.place(n.place);
        let refs = self.tape.refs.len() as u32;
        self.tape.refs.to_mut().extend_from_slice(n.refs);
        let row = Row {
            kind: n.kind as u8,
            parent: n.parent,
            label: n.label,
            place,
            block: n.block,
            refs,
            refs_len: n.refs.len() as u32,
            results,
            results_len: n.types.len() as u32,
            nanos: n.nanos,
            ..Row::ROOT
        };
        self.link(row);
        id
    }

    /// Adds a row as the last child of its parent.
    fn link(&mut self, mut row: Row) {
        let rows = self.tape.rows.to_mut();
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
        self.tape.results.to_mut().extend_from_slice(results);
        let row = self.row_mut(id);
        (row.results, row.results_len) = (start, results.len() as u32);
    }

    pub(super) fn set_meta(&mut self, id: u32, key: &str, value: MetaValue) {
        self.tape.metadata.insert((id, key.into()), value);
    }

    /// Gives a call the children of the root of another tape: the first time by copying them, later by sharing those.
    pub(super) fn graft(&mut self, call: u32, body: &Arc<Tape>) {
        let address = Arc::as_ptr(body) as usize;
        if let Some((first, _)) = self.bodies.get(&address) {
            let first = *first;
            let row = self.row_mut(call);
            (row.flags, row.extra) = (row.flags | SHARED | ABSTRACT, first);
            return;
        }
        self.bodies.insert(address, (call, body.clone()));
        self.copy_children(call, body);
        let row = self.row_mut(call);
        (row.flags, row.extra) = (row.flags | ABSTRACT, NONE);
    }

    /// Copies all nodes of another tape but its root, whose children become those of `parent`.
    pub(super) fn copy_children(&mut self, parent: u32, from: &Tape) {
        let base = self.tape.rows.len() as u32;
        // Node 0 becomes the parent; the others follow in their order.
        let moved = |id: u32| match id {
            NONE => NONE,
            0 => parent,
            id => base + id - 1,
        };
        let labels: Vec<u32> = from.labels.iter().map(|l| self.labels.number(&mut self.tape.labels, l)).collect();
        let places: Vec<u32> = from.places.iter().map(|p| self.place(p)).collect();
        let names: Vec<u32> = from.names.iter().map(|n| self.names.number(&mut self.tape.names, n) + 1).collect();
        let types: Vec<u32> = from.types.iter().map(|t| self.ty(t)).collect();
        let constants: Vec<u32> = from.constants.iter().map(|c| self.constant(c)).collect();
        let (values, summaries) = (self.tape.values.len() as u32, self.tape.summaries.len() as u32);
        self.tape.values.to_mut().extend(from.values.iter());
        self.tape.summaries.to_mut().extend_from_slice(&from.summaries);
        let some = |table: &[u32], i: u32| if i == 0 { 0 } else { table[i as usize - 1] };
        let (refs, results) = (self.tape.refs.len() as u32, self.tape.results.len() as u32);
        self.tape.refs.to_mut().extend(from.refs.iter().map(|r| match r.is_constant() {
            true => Ref::constant(constants[r.at as usize]),
            false => Ref { at: moved(r.at), out: r.out },
        }));
        self.tape.results.to_mut().extend(from.results.iter().map(|k| {
            Kept {
                ty: some(&types, k.ty),
                kept: match Keep::unpack(k.kept) {
                    Keep::Nothing => Keep::Nothing,
                    Keep::Value(i) => Keep::Value(i + values),
                    Keep::Summary(i) => Keep::Summary(i + summaries),
                    Keep::Constant(i) => Keep::Constant(constants[i as usize]),
                }
                .pack(),
            }
        }));
        let rows = self.tape.rows.to_mut();
        let Some(root) = from.rows.first() else { return };
        // After the children the parent has already, if any.
        let last = rows[parent as usize].last_child;
        let shift = if last == NONE { 0 } else { rows[last as usize].position + 1 };
        match (last, moved(root.first_child)) {
            (_, NONE) => {}
            (NONE, first) => rows[parent as usize].first_child = first,
            (last, first) => rows[last as usize].next = first,
        }
        if root.last_child != NONE {
            rows[parent as usize].last_child = moved(root.last_child);
        }
        rows.extend(from.rows[1..].iter().map(|r| Row {
            parent: moved(r.parent),
            position: r.position + if r.parent == 0 { shift } else { 0 },
            next: moved(r.next),
            first_child: moved(r.first_child),
            last_child: moved(r.last_child),
            label: labels[r.label as usize],
            place: some(&places, r.place),
            name: some(&names, r.name),
            refs: r.refs + refs,
            results: r.results + results,
            extra: if r.kind() == Kind::Branch { r.extra } else { moved(r.extra) },
            ..*r
        }));
        for ((id, key), value) in &from.metadata {
            self.tape.metadata.insert((moved(*id), key.clone()), value.clone());
        }
    }
}
