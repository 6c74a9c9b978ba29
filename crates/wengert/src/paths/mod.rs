//! The paths that a function with native control flow took, for arguments of one type: a tree that parts at what the host
//! read.
//!
//! A path is cut at its reads. Each part computes the number that is read next, and with it what later parts need; the last
//! one computes the results. A call runs the first part, reads, and goes on with the part that belongs to what it saw: nothing
//! is computed for a path that is not taken. Paths share their beginnings, and parts that do the same are one program,
//! compiled once: a native loop is compiled for one turn.

mod parts;

use crate::array::Array;
use crate::guards::GuardedRead;
use crate::staged::StagedProgram;
use parts::{FoundPart, Parts};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use wengert_core::{Error, ErrorKind, Place, Program, Result, Tensor, Var, counted};
use wengert_tape::record::ReadPurpose;
use wengert_tape::{HostNumber, HostType};

/// A path as it was traced: every equation, and what the host read on the way.
pub(crate) struct TracedPath<S> {
    pub(crate) program: Program,
    pub(crate) reads: Vec<GuardedRead>,
    pub(crate) out: S,
}

/// The tree of paths. `S` is the structure of results.
pub(crate) struct Paths<S> {
    first: RwLock<Option<Arc<Step<S>>>>,
    parts: Mutex<Parts>,
}

/// From one read to the next, or to the results.
struct Step<S> {
    path: Arc<Program>,
    /// What is computed; none if all is known already.
    computed: Option<Computed>,
    end: End<S>,
}

/// A part, the variables of the path that it takes, and those that it gives.
struct Computed {
    found: FoundPart,
    takes: Vec<Var>,
    gives: Vec<Var>,
}

enum End<S> {
    Read(GuardedRead, RwLock<Vec<(HostNumber, Arc<Step<S>>)>>),
    Return { outputs: Vec<Var>, out: Arc<S>, used: AtomicU64 },
}

/// A call on its way through the tree.
pub(crate) struct Walk<S> {
    /// The values of the path's variables, where they are known.
    values: Vec<Option<Array>>,
    /// The last step, and what was read at its end.
    at: Option<(Arc<Step<S>>, HostNumber)>,
    /// What was read so far.
    pub(crate) decided: Vec<Tensor>,
}

/// Runs a part: its name, its program and the operands.
pub(crate) type RunPart<'a> = &'a dyn Fn(&str, &StagedProgram, Vec<Array>) -> Result<Vec<Array>>;

impl<S> Walk<S> {
    pub(crate) fn new(leaves: Vec<Array>) -> Walk<S> {
        Walk { values: leaves.into_iter().map(Some).collect(), at: None, decided: Vec::new() }
    }

    fn value(&self, v: Var) -> &Array {
        self.values[v.index()].as_ref().expect("computed by an earlier part")
    }

    /// Goes on until the results are there with their structure, or until a step is not in the tree. `now` is the time,
    /// for what was used last.
    pub(crate) fn go(&mut self, paths: &Paths<S>, run: RunPart<'_>, now: u64) -> Result<Option<(Vec<Array>, Arc<S>)>> {
        loop {
            let next = match &self.at {
                None => paths.first.read().unwrap_or_else(PoisonError::into_inner).clone(),
                Some((step, saw)) => step.after(*saw),
            };
            let Some(step) = next else { return Ok(None) };
            self.values.resize(step.path.var_count().max(self.values.len()), None);
            if let Some(Computed { found: FoundPart { part, numbers }, takes, gives }) = &step.computed {
                let x = takes.iter().map(|&v| self.value(v)).chain(numbers).cloned().collect();
                for (v, y) in gives.iter().zip(run(&part.name, &part.staged, x)?) {
                    self.values[v.index()] = Some(y);
                }
            }
            match &step.end {
                End::Return { outputs, out, used } => {
                    used.store(now, Ordering::Relaxed);
                    return Ok(Some((outputs.iter().map(|&v| self.value(v).clone()).collect(), out.clone())));
                }
                End::Read(read, _) => {
                    let mut value = None;
                    let saw = self.value(read.var).read(
                        &read.by,
                        &read.read_as,
                        ReadPurpose::Decision,
                        &read.place,
                        |t| {
                            value = Some(t.clone());
                            Ok(HostNumber::of_scalar(read.saw.ty, t.get(0)).expect("it was read as this before"))
                        },
                    )?;
                    self.decided.extend(value);
                    self.at = Some((step, saw));
                }
            }
        }
    }

    /// Why the path that is missing is new.
    pub(crate) fn missing(&self) -> String {
        let Some((step, saw)) = &self.at else { return "nothing is kept yet".into() };
        let End::Read(read, then) = &step.end else { unreachable!("a path ends where it returns") };
        let seen: Vec<String> =
            then.read().unwrap_or_else(PoisonError::into_inner).iter().map(|b| b.0.to_string()).collect();
        let mut why = format!("at {} the host read {saw}, and so far {}", read.place, shortened(&seen));
        if matches!(saw.ty, HostType::F32 | HostType::F64) {
            why += "; each number it reads there has a path of its own: compare arrays (`x.gt(1.0)`, `x > 1.0`) \
                    instead of numbers that were read";
        }
        why
    }
}

/// A list, cut where it gets long.
fn shortened(seen: &[String]) -> String {
    const SHOWN: usize = 4;
    let more = seen.len().saturating_sub(SHOWN);
    let end = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{end}", seen[..seen.len() - more].join(", "))
}

impl<S> Step<S> {
    fn after(&self, saw: HostNumber) -> Option<Arc<Step<S>>> {
        let End::Read(_, then) = &self.end else { return None };
        let then = then.read().unwrap_or_else(PoisonError::into_inner);
        then.iter().find(|b| b.0 == saw).map(|b| b.1.clone())
    }
}

impl<S> Paths<S> {
    pub(crate) fn new() -> Paths<S> {
        Paths { first: RwLock::default(), parts: Mutex::default() }
    }

    /// Adds a path to the tree, and keeps at most this many.
    ///
    /// # Errors
    /// If the path is another one although the host read the same: the function is not pure.
    pub(crate) fn add(&self, path: TracedPath<S>, capacity: usize) -> Result<()> {
        let TracedPath { program, reads, out } = path;
        let program = Arc::new(program);
        let mut known = vec![false; program.var_count()];
        program.inputs().iter().for_each(|v| known[v.index()] = true);
        // What is in the tree already.
        let mut before: Option<Arc<Step<S>>> = None;
        let mut there = self.first.read().unwrap_or_else(PoisonError::into_inner).clone();
        let (mut depth, mut compared) = (0, 0);
        while let Some(step) = there {
            let end = reads.get(depth);
            compared = same_until(&step, &program, end, compared)?;
            step.computed.iter().flat_map(|c| &c.gives).for_each(|v| known[v.index()] = true);
            let Some(read) = end else { return Ok(()) };
            there = step.after(read.saw);
            before = Some(step);
            depth += 1;
        }
        let ends = (depth..=reads.len()).map(|i| match reads.get(i) {
            Some(read) => vec![read.var],
            None => program.outputs().to_vec(),
        });
        let computed = self.cut(&program, known, &ends.collect::<Vec<_>>());
        let (outputs, out) = (program.outputs().to_vec(), Arc::new(out));
        let mut end = End::Return { outputs, out, used: AtomicU64::new(u64::MAX) };
        for (i, computed) in (depth..).zip(computed).collect::<Vec<_>>().into_iter().rev() {
            let step = Arc::new(Step { path: program.clone(), computed, end });
            if i > depth {
                let read = reads[i - 1].clone();
                let saw = read.saw;
                end = End::Read(read, RwLock::new(vec![(saw, step)]));
                continue;
            }
            match &before {
                None => {
                    self.first.write().unwrap_or_else(PoisonError::into_inner).get_or_insert(step);
                }
                Some(before) => {
                    let End::Read(_, then) = &before.end else { unreachable!("a path ends where it returns") };
                    let mut then = then.write().unwrap_or_else(PoisonError::into_inner);
                    let saw = reads[depth - 1].saw;
                    if then.iter().all(|b| b.0 != saw) {
                        then.push((saw, step));
                    }
                }
            }
            break;
        }
        self.bound(capacity);
        Ok(())
    }

    /// Cuts a path into parts, each of which gives the variables that it ends with.
    fn cut(&self, path: &Arc<Program>, mut known: Vec<bool>, ends: &[Vec<Var>]) -> Vec<Option<Computed>> {
        let owners = owners(path, &known, ends);
        // The last part that uses each variable.
        let mut last = vec![0; path.var_count()];
        for (e, owner) in path.equations().iter().zip(&owners) {
            e.inputs.iter().for_each(|v| last[v.index()] = last[v.index()].max(owner.unwrap_or(0)));
        }
        for (i, end) in ends.iter().enumerate() {
            end.iter().for_each(|v| last[v.index()] = last[v.index()].max(i));
        }
        let each = ends.iter().enumerate().map(|(i, end)| {
            let mut gives: Vec<Var> = end.iter().copied().filter(|v| !known[v.index()]).collect();
            for (e, _) in path.equations().iter().zip(&owners).filter(|(_, owner)| **owner == Some(i)) {
                gives.extend(e.outputs.iter().filter(|v| !known[v.index()] && last[v.index()] > i));
            }
            gives.sort();
            gives.dedup();
            if gives.is_empty() {
                return None;
            }
            let (program, takes) = path.part(&known, &gives);
            gives.iter().for_each(|v| known[v.index()] = true);
            let found = self.lock_parts().find(program.with_name(path.name()));
            Some(Computed { found, takes, gives })
        });
        each.collect()
    }

    fn lock_parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many paths there are.
    pub(crate) fn count(&self) -> usize {
        let mut count = 0;
        self.first.read().unwrap_or_else(PoisonError::into_inner).iter().for_each(|s| s.ends(&mut |_| count += 1));
        count
    }

    /// Forgets the paths that were not used for the longest time, and parts that only they had.
    fn bound(&self, capacity: usize) {
        let mut first = self.first.write().unwrap_or_else(PoisonError::into_inner);
        let mut times = Vec::new();
        first.iter().for_each(|s| s.ends(&mut |t| times.push(t)));
        if times.len() <= capacity {
            return;
        }
        times.sort_unstable();
        let oldest = times[times.len() - capacity];
        if first.as_ref().is_some_and(|s| !s.keep_since(oldest)) {
            *first = None;
        }
        drop(first);
        self.lock_parts().forget_unused();
    }

    /// What a function gives for each part.
    pub(crate) fn parts<T>(&self, of: impl Fn(&StagedProgram) -> T) -> Vec<T> {
        self.lock_parts().all().iter().map(|p| of(&p.staged)).collect()
    }

    /// The parts as programs, and how paths go through them.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        for p in self.lock_parts().all() {
            let _ = writeln!(text, "part {}: {}", p.number, p.staged.traced.to_string().trim_end());
        }
        let _ = writeln!(text, "{}:", counted(self.count(), "path"));
        let first = self.first.read().unwrap_or_else(PoisonError::into_inner).clone();
        first.iter().for_each(|s| s.write(&mut text, 1));
        text
    }
}

impl<S> Step<S> {
    /// Gives the time when each path from here was last used.
    fn ends(&self, found: &mut dyn FnMut(u64)) {
        match &self.end {
            End::Return { used, .. } => found(used.load(Ordering::Relaxed)),
            End::Read(_, then) => {
                then.read().unwrap_or_else(PoisonError::into_inner).iter().for_each(|b| b.1.ends(found));
            }
        }
    }

    /// Forgets the paths from here that were last used before this time; whether any is left.
    fn keep_since(&self, oldest: u64) -> bool {
        match &self.end {
            End::Return { used, .. } => used.load(Ordering::Relaxed) >= oldest,
            End::Read(_, then) => {
                let mut then = then.write().unwrap_or_else(PoisonError::into_inner);
                then.retain(|b| b.1.keep_since(oldest));
                !then.is_empty()
            }
        }
    }

    fn write(&self, text: &mut String, indent: usize) {
        let mut step = None;
        loop {
            let at: &Step<S> = step.as_deref().unwrap_or(self);
            let part = at.computed.as_ref().map(|c| c.found.part.number);
            let pad = "  ".repeat(indent);
            let does = part.map_or(String::new(), |n| format!("part {n}, "));
            let next = match &at.end {
                End::Return { .. } => {
                    let _ = writeln!(text, "{pad}{does}return");
                    return;
                }
                End::Read(read, then) => {
                    let then = then.read().unwrap_or_else(PoisonError::into_inner).clone();
                    let _ = write!(text, "{pad}{does}read as {} at {}", read.read_as, read.place);
                    if then.len() > 1 {
                        let _ = writeln!(text);
                        for (saw, next) in &then {
                            let _ = writeln!(text, "{pad}{saw}:");
                            next.write(text, indent + 1);
                        }
                        return;
                    }
                    let Some((saw, next)) = then.into_iter().next() else { return };
                    let _ = writeln!(text, ": {saw}");
                    next
                }
            };
            step = Some(next);
        }
    }
}

/// For each equation the first part that needs it, counted from 0. What has no operands is made where it is needed.
fn owners(path: &Program, known: &[bool], ends: &[Vec<Var>]) -> Vec<Option<usize>> {
    let mut defined_by = vec![None; path.var_count()];
    for (i, e) in path.equations().iter().enumerate() {
        e.outputs.iter().for_each(|v| defined_by[v.index()] = Some(i));
    }
    let mut owners = vec![None; path.equations().len()];
    for (part, end) in ends.iter().enumerate() {
        let mut open = end.clone();
        while let Some(v) = open.pop() {
            let Some(i) = defined_by[v.index()].filter(|_| !known[v.index()]) else { continue };
            let e = &path.equations()[i];
            if owners[i].is_none() && !e.inputs.is_empty() {
                owners[i] = Some(part);
                open.extend(&e.inputs);
            }
        }
    }
    owners
}

/// An error unless a path does what a step of the tree did, up to its end; and up to which equation that was compared.
fn same_until<S>(step: &Step<S>, path: &Program, end: Option<&GuardedRead>, from: usize) -> Result<usize> {
    let impure = |place: &Place| {
        let m = "the function did something else here than in an earlier call that read the same numbers".to_string();
        Error::new(ErrorKind::Run, m).at(place.clone()).note(
            "`jit` with guards keeps what a call did for the next one: what a function does may depend on its arguments and on \
             numbers that it reads of arrays, and on nothing else",
        )
    };
    let until = match (&step.end, end) {
        (End::Read(old, _), Some(new)) if old.var == new.var && old.saw.ty == new.saw.ty => old.equations,
        (End::Read(..), Some(new)) => return Err(impure(&new.place)),
        (End::Read(old, _), None) => return Err(impure(&old.place)),
        (End::Return { .. }, Some(new)) => return Err(impure(&new.place)),
        (End::Return { .. }, None) => step.path.equations().len(),
    };
    let all = |p: &Program| p.equations().get(from..until).map(<[_]>::to_vec).unwrap_or_default();
    let (old, new) = (all(&step.path), all(path));
    let differs = old.iter().zip(&new).find(|(a, b)| a.op != b.op || a.inputs != b.inputs);
    match differs {
        Some((_, new)) => Err(impure(&new.place)),
        None if old.len() != new.len() => Err(impure(&Place::unknown())),
        None => Ok(until),
    }
}
