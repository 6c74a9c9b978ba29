//! What happens to arrays that no recording knows, while recordings are open and where they do not see it: on other threads, in
//! silences, in functions that are traced. Whether such an array is one that a recording has from outside is known when that
//! ends: what the host read of it is added then, and what was made of it is no constant.

use super::origin::{HostValue, NoArray, Origin, Recorded};
use super::outside::LateRead;
use super::scope::with_innermost;
use super::shared::SharedWriter;
use super::slots::with_slots;
use super::writer::Writer;
use crate::row::{Kind, Ref};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use wengert_core::{Id, Place};

/// Arrays that are known of, at the most, since the first of the recordings was opened that are open. One that is open when there are
/// more counts as one that read anything.
const LIMIT: usize = 1 << 19;

/// How many recordings are open that are told of what happens.
static TOLD: AtomicUsize = AtomicUsize::new(0);

/// That a recording is open, and is told of what happens elsewhere, since when.
pub(super) struct Told(u64);

impl Told {
    /// The recording is told of what happens from now on; and when that is.
    pub(super) fn new() -> (Told, u64) {
        let mut e = elsewhere();
        let e = e.get_or_insert_default();
        TOLD.fetch_add(1, Ordering::Relaxed);
        *e.told.entry(e.now).or_default() += 1;
        (Told(e.now), e.now)
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let mut e = elsewhere();
        let is_last = TOLD.fetch_sub(1, Ordering::Relaxed) == 1;
        let Some(e) = e.as_mut() else { return };
        if let Entry::Occupied(mut since) = e.told.entry(self.0) {
            *since.get_mut() -= 1;
            if *since.get() == 0 {
                since.remove();
            }
        }
        if is_last {
            // Nobody asks for what happened until now.
            *e = Elsewhere { now: e.now, ..Elsewhere::default() };
        }
    }
}

/// What happened, in order, since the first of the recordings that are open was opened.
#[derive(Default)]
struct Elsewhere {
    /// The number of the next thing that happens.
    now: u64,
    /// How much is known.
    count: usize,
    /// How many of the recordings that are open were opened when.
    told: BTreeMap<u64, usize>,
    /// When arrays were made, and what of.
    made: FxHashMap<Id, (u64, SmallVec<[Id; 2]>)>,
    /// What the host read of arrays last, and when.
    read: FxHashMap<Id, SmallVec<[ReadElsewhere; 1]>>,
    /// When recordings ended, and what they had from outside: arrays of theirs may be made of it.
    recorded: FxHashMap<u32, (u64, Vec<Id>)>,
    /// When there was more to know than the limit.
    forgotten: Option<u64>,
}

#[derive(Clone)]
struct ReadElsewhere {
    when: u64,
    /// The recording that has it already.
    by: Option<u32>,
    read: LateRead,
}

static ELSEWHERE: Mutex<Option<Elsewhere>> = Mutex::new(None);

/// Locked by itself or inside the lock of a recording, and nothing is locked meanwhile.
fn elsewhere() -> MutexGuard<'static, Option<Elsewhere>> {
    ELSEWHERE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Elsewhere {
    fn next(&mut self) -> u64 {
        self.now += 1;
        self.count += 1;
        if self.count > LIMIT {
            self.drop_old();
            // With little room left, all would be looked through again soon.
            if self.count > LIMIT / 4 * 3 {
                (self.made, self.read, self.recorded, self.count) = Default::default();
                self.forgotten = Some(self.now);
            }
        }
        self.now
    }

    /// Drops what happened before the first of the recordings was opened that are open: nobody asks for it.
    fn drop_old(&mut self) {
        let since = self.told.keys().next().copied().unwrap_or(self.now);
        self.made.retain(|_, (when, _)| *when > since);
        self.recorded.retain(|_, (when, _)| *when > since);
        self.read.retain(|_, reads| {
            reads.retain(|read| read.when > since);
            !reads.is_empty()
        });
        let recorded: usize = self.recorded.values().map(|(_, ids)| ids.len() + 1).sum();
        self.count = self.made.len() + self.read.values().map(SmallVec::len).sum::<usize>() + recorded;
    }

    /// Whether an array was made, since then, of one of these.
    fn is_made_of(&self, id: Id, since: u64, known: impl Fn(Id) -> bool) -> bool {
        let mut todo = vec![id];
        let mut seen: FxHashSet<Id> = FxHashSet::default();
        while let Some(id) = todo.pop() {
            let of = self.made.get(&id).filter(|(when, _)| *when > since).map_or(&[][..], |(_, of)| of);
            if of.iter().any(|id| known(*id)) {
                return true;
            }
            todo.extend(of.iter().filter(|id| seen.insert(**id)));
        }
        false
    }
}

/// Arrays of which others are about to be made where nothing is recorded.
pub struct Sources(SmallVec<[Id; 2]>);

impl Sources {
    /// None if no recording is open, or they are no arrays with values.
    pub fn of<'a, A: Recorded + 'a>(x: impl IntoIterator<Item = &'a A>) -> Option<Sources> {
        let ids = || x.into_iter().filter_map(Recorded::id).collect::<SmallVec<_>>();
        (TOLD.load(Ordering::Relaxed) > 0).then(ids).filter(|ids| !ids.is_empty()).map(Sources)
    }

    /// These arrays were made of them.
    pub fn made<A: Recorded>(self, y: &[A]) {
        let mut guard = elsewhere();
        let e = guard.get_or_insert_default();
        for y in y.iter().filter_map(Recorded::id).filter(|y| !self.0.contains(y)) {
            let when = e.next();
            e.made.insert(y, (when, self.0.clone()));
        }
    }
}

/// An array became a constant of a program that is kept: a recording that has it from outside knows only of the program. One that was
/// made in the function that is traced may be made of all that this has from outside.
pub fn captured<A: Recorded>(x: &A, place: &Place) {
    if TOLD.load(Ordering::Relaxed) == 0 {
        return;
    }
    let of_body = match x.origin() {
        origin if origin == Origin::default() => Vec::new(),
        origin if super::outside::is_of_its_own(origin, true) => Vec::new(),
        origin => super::outside::from_outside_of_body(origin.recording),
    };
    let value: HostValue<'static, NoArray> = HostValue::Text { text: super::UNSHOWN.into(), ty: "Array".into() };
    for id in x.id().into_iter().chain(of_body) {
        note(id, None, LateRead::new("captured", value.clone(), place));
    }
}

/// The host read an array.
pub(super) fn read<A>(id: Id, name: &str, value: &HostValue<'_, A>, place: &Place) {
    let Some(value) = value.without_arrays().filter(|_| TOLD.load(Ordering::Relaxed) > 0) else { return };
    let by = with_innermost(|l| (l.records() && !l.shared.is_body()).then_some(l.shared.id));
    note(id, by, LateRead::new(name, value, place));
}

fn note(id: Id, by: Option<u32>, read: LateRead) {
    let mut guard = elsewhere();
    let e = guard.get_or_insert_default();
    let new = ReadElsewhere { when: e.next(), by, read };
    let reads = e.read.entry(id).or_default();
    match reads.iter_mut().find(|read| read.by == by) {
        Some(read) => *read = new,
        None => reads.push(new),
    }
}

/// Tells a recording what happened to the arrays that it has from outside.
pub(super) fn settle(shared: &SharedWriter) {
    if shared.is_body() {
        return;
    }
    let is_alone = !with_slots(|s| s.iter().any(|s| s.recording != shared.id && s.body_of.is_none()));
    let mut writer = shared.lock();
    let Some(w) = writer.as_mut() else { return };
    let mut guard = elsewhere();
    let e = guard.get_or_insert_default();
    // One that is around it on this thread gets all of its nodes.
    if is_alone && TOLD.load(Ordering::Relaxed) > 1 && !w.outside.by_id.is_empty() {
        let ids: Vec<Id> = w.outside.by_id.keys().copied().collect();
        e.count += ids.len();
        let when = e.next();
        e.recorded.insert(shared.id, (when, ids));
    }
    // Of most recordings there is nothing to tell.
    if e.made.is_empty() && e.read.is_empty() && e.recorded.is_empty() && e.forgotten.is_none() {
        return;
    }
    let (made, reads) = (e.made_elsewhere(w), e.read_elsewhere(shared.id, w));
    let forgotten = e.forgotten.is_some_and(|when| when > w.outside.since && !w.outside.forgotten);
    drop(guard);
    let label = w.label(UNRECORDED, None);
    for at in made {
        let row = w.row_mut(at);
        // What an expression of the host made it of was not all.
        (row.kind, row.label, row.refs_len) = (Kind::Special as u8, label, 0);
    }
    for (id, r, read) in reads {
        w.outside.settled.insert((id, read.by));
        w.push_late_read(r.as_slice(), &read.read);
    }
    if forgotten {
        w.outside.forgotten = true;
        let value: HostValue<'static, NoArray> = HostValue::Text { text: super::UNSHOWN.into(), ty: "Array".into() };
        w.push_late_read(&[], &LateRead::new("arrays", value, &Place::unknown()));
    }
}

impl Elsewhere {
    /// The constants of a recording that were made of others that it has from outside, while it was open.
    fn made_elsewhere(&self, w: &Writer) -> Vec<u32> {
        let since = w.outside.since;
        let is_known = |id: Id| w.outside.by_id.contains_key(&id);
        let is_made = |id: Id| self.is_made_of(id, since, is_known);
        let is_constant = |r: &Ref| match w.tape.row(r.at).kind() {
            Kind::Constant => true,
            // What an expression of the host gave: `thread.join().unwrap()`.
            Kind::Primitive => w.tape.labels[w.tape.row(r.at).label as usize].op.is_none(),
            _ => false,
        };
        let constants = w.outside.by_id.iter().filter(|(id, r)| is_constant(r) && is_made(**id)).map(|(_, r)| r.at);
        // Arrays of recordings on other threads may be made of all that these have from outside.
        let others: FxHashSet<u32> = w.outside.foreign.iter().map(|(_, origin)| origin.recording).collect();
        let is_of_known = |other: &u32| {
            let of = self.recorded.get(other).filter(|(when, _)| *when > since);
            of.is_some_and(|(_, of)| of.iter().any(|of| is_known(*of) || is_made(*of)))
        };
        let others: FxHashSet<u32> = others.into_iter().filter(is_of_known).collect();
        let is_of_others = |(_, origin): &&(u32, Origin)| others.contains(&origin.recording);
        constants.chain(w.outside.foreign.iter().filter(is_of_others).map(|(node, _)| *node)).collect()
    }

    /// What the host read, in order, of arrays that a recording has from outside, or of what was made of them.
    fn read_elsewhere(&self, recording: u32, w: &Writer) -> Vec<(Id, Option<Ref>, ReadElsewhere)> {
        let since = w.outside.since;
        let has_it = |by: u32| by == recording || w.outside.absorbed.contains_key(&by);
        let mut reads = Vec::new();
        for (&id, all) in &self.read {
            let is_new = |read: &&ReadElsewhere| {
                read.when > since && !read.by.is_some_and(has_it) && !w.outside.settled.contains(&(id, read.by))
            };
            let r = w.outside.by_id.get(&id).copied();
            if r.is_some() || self.is_made_of(id, since, |of| w.outside.by_id.contains_key(&of)) {
                reads.extend(all.iter().filter(is_new).map(|read| (id, r, read.clone())));
            }
        }
        reads.sort_by_key(|(.., read)| read.when);
        reads
    }
}

/// The name of nodes of arrays that were made where nothing was recorded.
pub(super) const UNRECORDED: &str = "unrecorded";

#[cfg(test)]
mod tests {
    use super::*;

    fn make(e: &mut Elsewhere, count: usize) {
        for _ in 0..count {
            let when = e.next();
            e.made.insert(Id::new(), (when, SmallVec::new()));
        }
    }

    #[test]
    fn what_happened_before_the_recordings_that_are_open_is_dropped_first() {
        let mut e = Elsewhere::default();
        e.told.insert(0, 1);
        make(&mut e, LIMIT - 10);
        // The first one ends after another was opened.
        e.told = BTreeMap::from([(e.now, 1)]);
        make(&mut e, LIMIT / 2);
        assert!(e.forgotten.is_none() && e.made.len() == LIMIT / 2, "{}", e.made.len());
        make(&mut e, LIMIT);
        assert!(e.forgotten.is_some());
    }
}
