//! Nodes of one tape on another: the inside of staged functions, of calls that are recalled, and of recordings that ended
//! inside another.

use super::at::At;
use super::call::Body;
use super::origin::{Given, Recorded};
use super::replay::Recalled;
use super::scope::Frame;
use super::shared::Written;
use super::writer::{Interner, Made, What};
use crate::context::{Context, Enter, Says, visit};
use crate::row::{ABSTRACT, Keep, Kept, Kind, NONE, Ref, Row, SHARED};
use crate::summary::Capture;
use crate::tape::{Label, Tape};
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

/// Where the nodes of a recording are on the tape of another, in which it ended.
#[derive(Clone)]
pub(super) enum Moved {
    /// All of them one after another: number 1 is at this number.
    By(u32),
    /// Each at its own, from number 1 on; [`NONE`] if the context left it out.
    Each(Arc<[u32]>),
}

impl Moved {
    /// Where a node is. The root has no node of its own there.
    pub(super) fn of(&self, node: u32) -> Option<u32> {
        let i = node.checked_sub(1)?;
        match self {
            Moved::By(first) => Some(first + i),
            Moved::Each(all) => all.get(i as usize).copied().filter(|&n| n != NONE),
        }
    }

    /// Moved once more.
    fn then(&self, next: &Moved) -> Moved {
        match (self, next) {
            (Moved::By(first), Moved::By(next)) => Moved::By(next + first - 1),
            (Moved::By(first), Moved::Each(next)) => Moved::Each(next.get(*first as usize - 1..).unwrap_or(&[]).into()),
            (Moved::Each(all), next) => Moved::Each(all.iter().map(|&n| next.found(n)).collect()),
        }
    }

    fn found(&self, node: u32) -> u32 {
        if node == NONE { NONE } else { self.of(node).unwrap_or(NONE) }
    }
}

/// How a context sees what is inside a call: how deep it is, and whether only tracked functions are looked for. What two
/// calls have inside can be shared where this is the same. Without a context it always is.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct Look {
    depth: usize,
    searched: bool,
}

/// What became of a node that was copied.
#[derive(Clone, Copy)]
struct Fate {
    /// Its number, or [`NONE`] if it was left out.
    here: u32,
    /// The node that has what is inside it, or [`NONE`] if all that was left out.
    inside: u32,
    look: Look,
}

impl Fate {
    const LEFT_OUT: Fate = Fate { here: NONE, inside: NONE, look: Look { depth: 0, searched: false } };
}

/// Nodes being copied from a tape.
struct Copying<'t> {
    from: &'t Tape,
    /// Who is asked about them.
    context: Option<Arc<dyn Context>>,
    /// What is kept of their values unless the context says so.
    capture: Capture,
    labels: Renumbered,
    names: Renumbered,
    types: Renumbered,
    constants: Renumbered,
    /// Which call has the inside of a call there, for those who share it.
    shared: FxHashMap<(u32, Look), u32>,
    /// Calls that share an inside which is not copied yet, and the call that has it there.
    later: Vec<(Fate, u32)>,
}

impl<'t> Copying<'t> {
    fn new(from: &'t Tape, context: Option<Arc<dyn Context>>, capture: Capture) -> Copying<'t> {
        Copying {
            from,
            context,
            capture,
            labels: Renumbered::default(),
            names: Renumbered::default(),
            types: Renumbered::default(),
            constants: Renumbered::default(),
            shared: FxHashMap::default(),
            later: Vec::new(),
        }
    }

    /// Copies what is inside a node, to the inside of another. Gives what became of each, in the order of their numbers.
    fn inside(&mut self, at: &mut At<'_>, of: u32, parent: Fate, known: &Known) -> Vec<Fate> {
        let from = self.from;
        let ids = from.inside(of);
        let mut fates: Vec<Fate> = Vec::with_capacity(ids.len());
        for &id in &ids {
            let find = |fates: &[Fate], id: u32| match ids.binary_search(&id) {
                Ok(i) => fates[i],
                Err(_) if id == of => parent,
                Err(_) => Fate::LEFT_OUT,
            };
            let around = find(&fates, from.row(id).parent);
            let argument = known.arguments.get(&id).copied();
            let fate = match self.decide(at, id, around, argument.is_some()) {
                Err(fate) => fate,
                Ok((enter, says)) => {
                    let mut refs: SmallVec<[Ref; 4]> = argument.into_iter().collect();
                    for &r in from.refs_of(id) {
                        let given = || known.given.iter().find(|(there, _)| *there == r).map(|(_, here)| *here);
                        refs.push(match r.is_constant() {
                            true => self.constant(at, r),
                            false => match find(&fates, r.at).here {
                                NONE => given().unwrap_or_else(|| self.unknown(at, r)),
                                here => Ref { at: here, out: r.out },
                            },
                        });
                    }
                    self.copy(at, id, around, (enter, says), &refs, argument.is_some())
                }
            };
            // A return that is there is that of its call.
            let row = from.row(id);
            if fate.here != NONE && row.parent != of && from.row(row.parent).returns() == Some(id) {
                at.writer.row_mut(around.here).extra = fate.here;
            }
            fates.push(fate);
        }
        fates
    }

    /// How a node and its inside are recorded, or else what becomes of it.
    fn decide(
        &mut self,
        at: &mut At<'_>,
        id: u32,
        around: Fate,
        argument: bool,
    ) -> std::result::Result<(Enter, Says), Fate> {
        let from = self.from;
        let says = Says { capture: self.capture, skipped: false, metadata: Vec::new() };
        if around.inside == NONE {
            return Err(Fate::LEFT_OUT);
        }
        let Some(context) = &self.context else { return Ok((Enter::Everything, says)) };
        let row = from.row(id);
        let kind = if argument { Kind::Argument } else { row.kind() };
        let call = kind == Kind::Call;
        let has_inside = call || row.first_child != NONE;
        let own;
        let label = match argument {
            false => &from.labels[row.label as usize],
            true => {
                own = Label::new("argument", None);
                &own
            }
        };
        let place = row.place.checked_sub(1).map_or(Place::unknown(), |i| from.places[i as usize].clone());
        let node = (kind, label, &place, around.look.depth);
        let mut enter = None;
        if around.look.searched {
            // Others are gone through.
            let wanted = match label.module.is_some() {
                true => at.consult(&**context, node, Made::NOTHING, |c, draft| c.enter(draft)).0,
                false => Enter::Tracked,
            };
            if !call || wanted == Enter::Nothing {
                return Err(Fate::LEFT_OUT);
            }
            if wanted == Enter::Tracked {
                let depth = around.look.depth + 1;
                return Err(Fate { here: NONE, look: Look { depth, searched: true }, ..around });
            }
            enter = Some(wanted);
        }
        let results = from.results_of(id);
        let types: SmallVec<[Type; 2]> = match call {
            true => SmallVec::new(),
            false => results.iter().filter_map(|&k| from.type_of(k).cloned()).collect(),
        };
        let value = |out: usize| from.value_of(Ref { at: id, out: out as u32 });
        let value = |out: usize| (out < results.len()).then(|| value(out)).flatten();
        let ((), says) =
            at.consult(&**context, node, Made { types: &types, value: &value }, |c, draft| visit(c, draft));
        if says.skipped {
            return Err(Fate::LEFT_OUT);
        }
        if has_inside && enter.is_none() {
            enter = Some(at.consult(&**context, node, Made::NOTHING, |c, draft| c.enter(draft)).0);
        }
        Ok((enter.unwrap_or(Enter::Everything), says))
    }

    fn constant(&mut self, at: &mut At<'_>, r: Ref) -> Ref {
        match r.at {
            NONE => r,
            i => {
                let w = &mut *at.writer;
                Ref::constant(self.constants.of(i, &self.from.constants, &mut w.constants, &mut w.tape.constants))
            }
        }
    }

    /// An operand whose node was left out.
    fn unknown(&mut self, at: &mut At<'_>, r: Ref) -> Ref {
        let Some(kept) = self.from.keep_of(r) else { return at.writer.note("?") };
        match (Keep::unpack(kept.kept), self.from.type_of(kept)) {
            (Keep::Constant(i), _) => self.constant(at, Ref::constant(i)),
            (_, Some(ty)) => at.writer.note(&ty.to_string()),
            _ => at.writer.note("?"),
        }
    }

    /// What is here of a result.
    fn result(&mut self, at: &mut At<'_>, r: Ref, k: Kept, here: u32, capture: Capture, alone: bool) -> Kept {
        let from = self.from;
        let kept = match Keep::unpack(k.kept) {
            // The value of a call is where it returns, which is not here.
            Keep::Nothing if alone => at.writer.keep(capture, || from.value_of(r), here),
            Keep::Nothing => Keep::Nothing,
            Keep::Value(i) => at.writer.keep(capture, || from.values.get(i as usize).ok(), here),
            Keep::Summary(_) if capture == Capture::Shapes => Keep::Nothing,
            Keep::Summary(i) => at.writer.keep_summary(from.summaries[i as usize]),
            Keep::Constant(i) => Keep::Constant(self.constant(at, Ref::constant(i)).at),
        };
        let w = &mut *at.writer;
        let ty = match k.ty.checked_sub(1) {
            None => 0,
            Some(i) => 1 + self.types.of(i, &from.types, &mut w.types, &mut w.tape.types),
        };
        Kept { ty, kept: kept.pack() }
    }

    /// Copies one node that is wanted.
    fn copy(
        &mut self,
        at: &mut At<'_>,
        id: u32,
        around: Fate,
        (enter, says): (Enter, Says),
        operands: &[Ref],
        argument: bool,
    ) -> Fate {
        let from = self.from;
        let row = *from.row(id);
        let here = at.writer.tape.rows.len() as u32;
        let (refs, results) = (at.writer.tape.refs.len() as u32, at.writer.tape.results.len() as u32);
        at.writer.tape.refs.room(operands.len()).extend_from_slice(operands);
        let alone = row.kind() == Kind::Call && enter != Enter::Everything;
        for (out, &k) in from.results_of(id).iter().enumerate() {
            let kept = self.result(at, Ref { at: id, out: out as u32 }, k, here, says.capture, alone);
            at.writer.tape.results.room(1).push(kept);
        }
        let w = &mut *at.writer;
        let place = row.place.checked_sub(1).map_or(0, |i| w.place(&from.places[i as usize]));
        let name = match row.name.checked_sub(1) {
            None => 0,
            Some(i) => 1 + self.names.of(i, &from.names, &mut w.names, &mut w.tape.names),
        };
        let label = match argument {
            true => w.label("argument", None),
            false => self.labels.of(row.label, &from.labels, &mut w.labels, &mut w.tape.labels),
        };
        // A call is told what it returns when that is copied.
        let extra = if row.kind() == Kind::Branch { row.extra } else { NONE };
        w.link(Row {
            kind: if argument { Kind::Argument as u8 } else { row.kind },
            flags: row.flags & !SHARED,
            parent: around.inside,
            position: 0,
            next: NONE,
            first_child: NONE,
            last_child: NONE,
            label,
            place,
            name,
            refs,
            refs_len: operands.len() as u32,
            results,
            extra,
            ..row
        });
        for ((_, key), value) in from.metadata.range((id, "".into())..(id + 1, "".into())) {
            w.tape.metadata.insert((here, key.clone()), value.clone());
        }
        says.metadata.into_iter().for_each(|(key, value)| w.set_meta(here, key, value));
        let (depth, searched) = (around.look.depth + 1, enter == Enter::Tracked);
        let depth = if self.context.is_some() { depth } else { 0 };
        let inside = if enter == Enter::Nothing { NONE } else { here };
        let fate = Fate { here, inside, look: Look { depth, searched } };
        if inside != NONE && row.kind() == Kind::Call {
            self.share(at, id, fate);
        }
        fate
    }

    /// The inside of a call that was just copied may be that of another, or others may share it.
    fn share(&mut self, at: &mut At<'_>, id: u32, call: Fate) {
        let mut owner = id;
        while self.from.row(owner).has(SHARED) {
            owner = self.from.row(owner).extra;
        }
        match self.shared.get(&(owner, call.look)) {
            Some(&first) => {
                let row = at.writer.row_mut(call.here);
                (row.flags, row.extra) = (row.flags | SHARED, first);
            }
            None => {
                self.shared.insert((owner, call.look), call.here);
                if owner != id {
                    self.later.push((call, owner));
                }
            }
        }
    }
}

/// Whether an inside that is copied is asked about.
#[derive(Clone, Copy, PartialEq)]
enum Ask {
    /// As all that is recorded.
    Anew,
    /// It was, when it was recorded before.
    No,
}

impl At<'_> {
    fn look(&self, searched: bool) -> Look {
        match self.writer.settings.context {
            Some(_) => Look { depth: self.depth + self.frames.len() + 1, searched },
            None => Look::default(),
        }
    }

    /// Gives a call the children of the root of another tape: the first time by copying them, later by sharing those.
    pub(super) fn graft(&mut self, call: u32, body: &Arc<Tape>, searched: bool) {
        let look = self.look(searched);
        let key = (Arc::as_ptr(body) as usize, look);
        let first = self.writer.bodies.get(&key).map(|(first, _)| *first);
        if first.is_none() {
            self.writer.bodies.insert(key, (call, body.clone()));
        }
        self.program_inside(call, first, look, || body.clone());
    }

    /// Gives a call the children that its op's programs are, once for each op.
    pub(super) fn graft_op(&mut self, call: u32, types: &[Type], searched: bool) {
        let label = self.writer.tape.row(call).label;
        let Some(op) = self.writer.tape.labels[label as usize].op.clone() else { return };
        let look = self.look(searched);
        let first = self.writer.of_labels.get(&(label, look)).copied();
        self.writer.of_labels.entry((label, look)).or_insert(call);
        self.program_inside(call, first, look, || Arc::new(super::body::of_op(&op, types)));
    }

    /// The inside of a call is a program, which another call may have already.
    fn program_inside(&mut self, call: u32, first: Option<u32>, look: Look, body: impl FnOnce() -> Arc<Tape>) {
        let (flags, extra) = match first {
            Some(first) => (SHARED | ABSTRACT, first),
            None => {
                self.copy_inside(&body(), 0, (call, look), &Known::default(), Ask::Anew);
                (ABSTRACT, NONE)
            }
        };
        let row = self.writer.row_mut(call);
        (row.flags, row.extra) = (row.flags | flags, extra);
    }

    /// Of a staged function that was called where only tracked functions are looked for, these.
    pub(super) fn look_through(&mut self, frame: Frame, body: Body<'_>) {
        if let Body::Tape(body) = body
            && frame.searched
        {
            let look = self.look(true);
            self.copy_inside(body, 0, (frame.node, look), &Known::default(), Ask::Anew);
        }
    }

    /// Gives a node the inside that it has on the tape being replayed.
    pub(super) fn copy_recalled(&mut self, node: u32, known: &Recalled) {
        let there = known.tape.refs_of(known.node).iter().copied();
        let given = there.zip(self.writer.tape.refs_of(node).iter().copied()).collect();
        let given = Known { given, ..Known::default() };
        self.copy_inside(&known.tape, known.node, (node, Look::default()), &given, Ask::No);
    }

    /// Copies what is inside a node of another tape, and makes it the inside of `parent`.
    fn copy_inside(&mut self, from: &Tape, of: u32, (parent, look): (u32, Look), known: &Known, ask: Ask) -> Vec<Fate> {
        let settings = &self.writer.settings;
        let (context, capture) = match ask {
            Ask::Anew => (settings.context.clone(), settings.capture),
            Ask::No => (None, Capture::Values),
        };
        let mut copying = Copying::new(from, context, capture);
        let fates = copying.inside(self, of, Fate { here: parent, inside: parent, look }, known);
        while let Some((call, owner)) = copying.later.pop() {
            copying.inside(self, owner, call, &Known::default());
        }
        fates
    }

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
        for (&id, r) in &inner.seen.outside {
            match self.writer.seen.outside.get(&id) {
                None => new.push((id, *r)),
                Some(&here) if inner.tape.row(r.at).kind() == Kind::Constant => drop(given.entry(r.at).or_insert(here)),
                Some(_) => {}
            }
        }
        given.values_mut().for_each(|r| *r = self.alias(*r));
        let refs: SmallVec<[Ref; 4]> = given.values().copied().collect();
        let label = self.writer.label(inner.tape.root().function(), None);
        let (_, call, enter) = self.open(&What::new(Kind::Call, label, place), &refs);
        self.frames.pop();
        let Some(call) = call else { return };
        let silent = enter != Enter::Everything;
        if enter != Enter::Nothing {
            let known = Known { arguments: given, ..Known::default() };
            let first = self.writer.tape.rows.len() as u32;
            let look = self.look(enter == Enter::Tracked);
            let fates = self.copy_inside(&inner.tape, 0, (call, look), &known, Ask::Anew);
            let moved = match self.writer.settings.context {
                None => Moved::By(first),
                Some(_) => Moved::Each(fates.iter().map(|f| f.here).collect()),
            };
            let found = |r: Ref| Some(Ref { at: moved.of(r.at)?, out: r.out });
            let here = new.into_iter().filter_map(|(id, r)| Some((id, found(r)?)));
            self.writer.seen.outside.extend(here);
            self.writer.seen.absorbed.extend(inner.seen.absorbed.iter().map(|(&id, m)| (id, m.then(&moved))));
            let unknown = inner.seen.foreign.iter().filter(|(node, _)| !known.arguments.contains_key(node));
            self.writer.seen.foreign.extend(unknown.filter_map(|&(node, origin)| Some((moved.of(node)?, origin))));
            if let Some(limited) = inner.tape.limited.and_then(|n| moved.of(n)) {
                self.writer.limited_at(limited);
            }
            let end = inner.tape.row(0).extra;
            if !silent && end != NONE {
                self.writer.row_mut(call).extra = moved.found(end);
                for (out, &r) in inner.tape.refs_of(end).iter().enumerate().filter(|(_, r)| !r.is_constant()) {
                    // An array from outside is what it was.
                    if inner.tape.row(r.at).kind() != Kind::Constant
                        && let Some(r) = found(r)
                    {
                        self.frame().aliases.insert(r, Ref { at: call, out: out as u32 });
                    }
                }
            }
            self.writer.seen.absorbed.insert(id, moved);
        }
        let mut kept: SmallVec<[Kept; 2]> = SmallVec::new();
        for (out, r) in results.iter().enumerate() {
            kept.push(match r {
                Given::Text(t) => self.writer.text(t),
                // What is not recorded inside comes from the call.
                Given::Array(x) if silent && self.of_origin(x.origin()).is_none() => {
                    if let Some(id) = x.id() {
                        self.writer.seen.outside.insert(id, Ref { at: call, out: out as u32 });
                    }
                    self.writer.result(&x.ty(), || x.tensor().cloned(), call)
                }
                Given::Array(x) => Kept { ty: self.writer.ty(&x.ty()), kept: Keep::Nothing.pack() },
            });
        }
        self.writer.set_results(call, &kept);
    }
}
