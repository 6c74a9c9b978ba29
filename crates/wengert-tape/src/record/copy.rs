//! Nodes of one tape on another: the inside of staged functions, of calls that are recalled, and of recordings that ended
//! inside another.

use super::replay::Recalled;
use super::scope::{At, Given, Recorded, Written};
use super::writer::{Interner, What, Writer};
use crate::row::{ABSTRACT, Keep, Kept, Kind, NONE, Ref, Row, SHARED};
use crate::summary::Capture;
use crate::tape::Tape;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::sync::Arc;
use wengert_core::{Place, Type};

/// What the numbers of one table are in another, as far as they were asked for.
#[derive(Default)]
struct Renumbered(FxHashMap<u32, u32>);

impl Renumbered {
    fn of<T: Hash + Eq + Clone>(&mut self, i: u32, from: &[T], to: &mut Interner<T>, table: &mut Vec<T>) -> u32 {
        *self.0.entry(i).or_insert_with(|| to.number(table, &from[i as usize]))
    }
}

/// What is known of nodes that are copied.
#[derive(Default)]
struct Known {
    /// What nodes outside of them, to which they refer, are on the other tape.
    given: Vec<(Ref, Ref)>,
    /// Those that came from outside and are arguments on the other tape, and what they are there.
    arguments: BTreeMap<u32, Ref>,
}

impl Tape {
    /// All that is inside a node, itself left out, by number. Calls that share their inside have none.
    fn inside(&self, of: u32) -> Vec<u32> {
        if of == 0 {
            return (1..self.len() as u32).collect();
        }
        let mut found = Vec::new();
        let mut todo = vec![self.row(of).first_child];
        while let Some(id) = todo.pop() {
            if id != NONE {
                found.push(id);
                todo.extend([self.row(id).next, self.row(id).first_child]);
            }
        }
        found.sort_unstable();
        found
    }
}

impl Writer {
    /// Gives a call the children of the root of another tape: the first time by copying them, later by sharing those.
    pub(super) fn graft(&mut self, call: u32, body: &Arc<Tape>) {
        let address = Arc::as_ptr(body) as usize;
        let first = self.bodies.get(&address).map(|(first, _)| *first);
        if first.is_none() {
            self.bodies.insert(address, (call, body.clone()));
        }
        self.program_inside(call, first, || body.clone());
    }

    /// Gives a call the children that its op's programs are, once for each op.
    pub(super) fn graft_op(&mut self, call: u32, types: &[Type]) {
        let label = self.tape.row(call).label;
        let Some(op) = self.tape.labels[label as usize].op.clone() else { return };
        let first = self.of_labels.get(&label).copied();
        self.of_labels.entry(label).or_insert(call);
        self.program_inside(call, first, || Arc::new(super::body::of_op(&op, types)));
    }

    /// The inside of a call is a program, which another call may have already.
    fn program_inside(&mut self, call: u32, first: Option<u32>, body: impl FnOnce() -> Arc<Tape>) {
        let (flags, extra) = match first {
            Some(first) => (SHARED | ABSTRACT, first),
            None => {
                self.copy_inside(call, &body(), 0, &Known::default());
                (ABSTRACT, NONE)
            }
        };
        let row = self.row_mut(call);
        (row.flags, row.extra) = (row.flags | flags, extra);
    }

    /// Gives a node the inside that it has on the tape being replayed.
    pub(super) fn copy_recalled(&mut self, node: u32, known: &Recalled) {
        let there = known.tape.refs_of(known.node).iter().copied();
        let given = there.zip(self.tape.refs_of(node).iter().copied()).collect();
        self.copy_inside(node, &known.tape, known.node, &Known { given, ..Known::default() });
    }

    /// Copies what is inside a node of another tape, and makes it the inside of `parent`.
    fn copy_inside(&mut self, parent: u32, from: &Tape, of: u32, known: &Known) {
        let ids = from.inside(of);
        let base = self.tape.rows.len() as u32;
        let moved = |id: u32| match ids.binary_search(&id) {
            Ok(i) => base + i as u32,
            Err(_) if id == of => parent,
            Err(_) => NONE,
        };
        let (mut labels, mut names, mut types, mut constants) =
            (Renumbered::default(), Renumbered::default(), Renumbered::default(), Renumbered::default());
        for &id in &ids {
            let row = *from.row(id);
            let (refs, results) = (self.tape.refs.len() as u32, self.tape.results.len() as u32);
            let argument = known.arguments.get(&id);
            self.tape.refs.to_mut().extend(argument);
            for &r in from.refs_of(id) {
                let r = match r.is_constant() {
                    true if r.at == NONE => r,
                    true => Ref::constant(constants.of(
                        r.at,
                        &from.constants,
                        &mut self.constants,
                        &mut self.tape.constants,
                    )),
                    false => match known.given.iter().find(|(there, _)| *there == r) {
                        Some((_, here)) if moved(r.at) == NONE => *here,
                        _ => Ref { at: moved(r.at), out: r.out },
                    },
                };
                self.tape.refs.to_mut().push(r);
            }
            for &k in from.results_of(id) {
                let kept = match Keep::unpack(k.kept) {
                    Keep::Nothing => Keep::Nothing,
                    Keep::Value(i) => self.keep(Capture::Values, || Some(from.values.get(i as usize)), moved(id)),
                    Keep::Summary(i) => self.keep_summary(from.summaries[i as usize]),
                    Keep::Constant(i) => {
                        let i = constants.of(i, &from.constants, &mut self.constants, &mut self.tape.constants);
                        Keep::Constant(i)
                    }
                };
                let ty = match k.ty.checked_sub(1) {
                    None => 0,
                    Some(i) => 1 + types.of(i, &from.types, &mut self.types, &mut self.tape.types),
                };
                self.tape.results.to_mut().push(Kept { ty, kept: kept.pack() });
            }
            let place = row.place.checked_sub(1).map_or(0, |i| self.place(&from.places[i as usize]));
            let name = match row.name.checked_sub(1) {
                None => 0,
                Some(i) => 1 + names.of(i, &from.names, &mut self.names, &mut self.tape.names),
            };
            let label = match argument {
                Some(_) => self.label("argument", None),
                None => labels.of(row.label, &from.labels, &mut self.labels, &mut self.tape.labels),
            };
            self.link(Row {
                kind: if argument.is_some() { Kind::Argument as u8 } else { row.kind },
                parent: moved(row.parent),
                position: 0,
                next: NONE,
                first_child: NONE,
                last_child: NONE,
                label,
                place,
                name,
                refs,
                refs_len: row.refs_len + u32::from(argument.is_some()),
                results,
                extra: if row.kind() == Kind::Branch { row.extra } else { moved(row.extra) },
                ..row
            });
            for ((_, key), value) in from.metadata.range((id, "".into())..(id + 1, "".into())) {
                self.tape.metadata.insert((moved(id), key.clone()), value.clone());
            }
        }
    }
}

impl At<'_> {
    /// Puts a recording that ended inside this one here, as a call. What it took from here are arguments of that call, and
    /// what it gave comes from it.
    pub(super) fn absorb<A: Recorded>(&mut self, id: u32, inner: &Written, results: &[Given<'_, A>], place: &Place) {
        let mut given: BTreeMap<u32, Ref> = BTreeMap::new();
        for &(node, origin) in &inner.seen.foreign {
            if let Some(r) = self.of_origin(origin) {
                given.insert(node, r);
            }
        }
        let mut new = Vec::new();
        for (&(_, ty), (r, memory)) in &inner.seen.outside {
            let ty = &inner.tape.types[ty as usize - 1];
            match self.writer.outside(memory, ty) {
                None => new.push((memory, ty, *r)),
                Some(here) if inner.tape.row(r.at).kind() == Kind::Constant => drop(given.entry(r.at).or_insert(here)),
                Some(_) => {}
            }
        }
        given.values_mut().for_each(|r| *r = self.alias(*r));
        let refs: SmallVec<[Ref; 4]> = given.values().copied().collect();
        let label = self.writer.label(inner.tape.root().function(), None);
        let (_, call, silent) = self.open(&What::new(Kind::Call, label, place), &refs);
        self.frames.pop();
        let Some(call) = call else { return };
        let first = self.writer.tape.rows.len() as u32;
        let moved = |r: Ref| Ref { at: first + r.at - 1, out: r.out };
        if !silent {
            let known = Known { arguments: given, ..Known::default() };
            self.writer.copy_inside(call, &inner.tape, 0, &known);
            new.into_iter().for_each(|(memory, ty, r)| self.writer.set_outside(memory.clone(), ty, moved(r)));
            self.writer.seen.absorbed.insert(id, first);
            self.writer.seen.absorbed.extend(inner.seen.absorbed.iter().map(|(&id, &at)| (id, first + at - 1)));
            let unknown = inner.seen.foreign.iter().filter(|(node, _)| !known.arguments.contains_key(node));
            self.writer.seen.foreign.extend(unknown.map(|&(node, origin)| (first + node - 1, origin)));
            let end = inner.tape.row(0).extra;
            if end != NONE {
                self.writer.row_mut(call).extra = first + end - 1;
                for (out, &r) in inner.tape.refs_of(end).iter().enumerate().filter(|(_, r)| !r.is_constant()) {
                    // An array from outside is what it was.
                    if inner.tape.row(r.at).kind() != Kind::Constant {
                        self.frame().aliases.insert(moved(r), Ref { at: call, out: out as u32 });
                    }
                }
            }
        }
        let mut kept: SmallVec<[Kept; 2]> = SmallVec::new();
        for (out, r) in results.iter().enumerate() {
            kept.push(match r {
                Given::Text(t) => self.writer.text(t),
                // What is not recorded inside comes from the call.
                Given::Array(x) if silent && self.of_origin(x.origin()).is_none() => {
                    if let Some(m) = x.memory() {
                        self.writer.set_outside(m, &x.ty(), Ref { at: call, out: out as u32 });
                    }
                    self.writer.result(&x.ty(), || x.tensor().cloned(), call)
                }
                Given::Array(x) => Kept { ty: self.writer.ty(&x.ty()), kept: Keep::Nothing.pack() },
            });
        }
        self.writer.set_results(call, &kept);
    }
}
