//! The paths that a function with native control flow took, for arguments of one type: a tree that parts at what the host
//! read.
//!
//! A path is cut at its reads. Each part computes the number that is read next, and with it what later parts need; the last
//! one computes the results. A call runs the first part, reads, and goes on with the part that belongs to what it saw: nothing
//! is computed for a path that is not taken. Paths share their beginnings, and parts that do the same are one program,
//! compiled once: a native loop is compiled for one turn.

mod parts;

use crate::array::Array;
use crate::guards::{GuardedRead, SeenNumber};
use crate::staged::StagedProgram;
use parts::{FoundPart, Parts};
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use wengert_core::{Equation, Error, ErrorKind, Place, Program, Result, Tensor, Var, counted};
use wengert_tape::record::ReadPurpose;

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
    /// How many paths were added and not forgotten, or a few more.
    count: AtomicUsize,
}

/// From one read to the next, or to the results.
struct Step<S> {
    /// The equations that the path got on the way, for other paths to be held against.
    equations: Vec<Equation>,
    /// How many variables the path has up to its results.
    vars: usize,
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

/// What follows a read, for each number that was seen.
type Branches<S> = Vec<(SeenNumber, Arc<Step<S>>)>;

enum End<S> {
    Read(GuardedRead, RwLock<Branches<S>>),
    Return { outputs: Vec<Var>, out: Arc<S>, used: AtomicU64 },
}

/// A call on its way through the tree.
pub(crate) struct Walk<S> {
    /// The values of the path's variables, where they are known.
    values: Vec<Option<Array>>,
    /// The steps so far.
    steps: Vec<Arc<Step<S>>>,
    /// The last step, and what was read at its end.
    at: Option<(Arc<Step<S>>, SeenNumber)>,
    /// What was read so far.
    pub(crate) decided: Vec<Tensor>,
}

/// Runs a part: its name, its program and the operands.
pub(crate) type RunPart<'a> = &'a dyn Fn(&str, &StagedProgram, Vec<Array>) -> Result<Vec<Array>>;

impl<S> Walk<S> {
    pub(crate) fn new(leaves: Vec<Array>) -> Walk<S> {
        Walk { values: leaves.into_iter().map(Some).collect(), steps: Vec::new(), at: None, decided: Vec::new() }
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
            self.values.resize(step.vars.max(self.values.len()), None);
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
                    let x = self.value(read.var);
                    let saw = x.read(&read.by, &read.read_as, ReadPurpose::Decision, &read.place, |t| {
                        value = Some(t.clone());
                        Ok(read.saw.of(t))
                    })?;
                    self.decided.extend(value);
                    self.steps.push(step.clone());
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
        if saw.is_float() {
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
    fn after(&self, saw: SeenNumber) -> Option<Arc<Step<S>>> {
        let End::Read(_, then) = &self.end else { return None };
        let then = then.read().unwrap_or_else(PoisonError::into_inner);
        then.iter().find(|b| b.0 == saw).map(|b| b.1.clone())
    }

    /// The steps that follow, which are none of its own any more.
    fn take_branches(&mut self) -> Branches<S> {
        match &mut self.end {
            End::Read(_, then) => std::mem::take(then.get_mut().unwrap_or_else(PoisonError::into_inner)),
            End::Return { .. } => Vec::new(),
        }
    }
}

impl<S> Drop for Step<S> {
    /// Paths may be longer than the stack is deep: steps go one after the other.
    fn drop(&mut self) {
        let mut open = self.take_branches();
        while let Some((_, step)) = open.pop() {
            if let Some(mut step) = Arc::into_inner(step) {
                open.extend(step.take_branches());
            }
        }
    }
}

impl<S> Paths<S> {
    pub(crate) fn new() -> Paths<S> {
        Paths { first: RwLock::default(), parts: Mutex::default(), count: AtomicUsize::new(0) }
    }

    /// Adds the path that a call was traced to, from where the call is in the tree; keeps at most so many paths.
    ///
    /// # Errors
    /// If the path is another one although the host read the same: the function is not pure.
    pub(crate) fn add(&self, walk: &Walk<S>, path: TracedPath<S>, capacity: usize) -> Result<()> {
        let TracedPath { program, reads, out } = path;
        let program = Arc::new(program);
        let from = self.compare(walk, &program, &reads)?;
        let mut known: Vec<bool> = walk.values.iter().map(Option::is_some).collect();
        known.resize(program.var_count(), false);
        let depth = walk.decided.len();
        let ends = (depth..=reads.len()).map(|i| match reads.get(i) {
            Some(read) => vec![read.var],
            None => program.outputs().to_vec(),
        });
        let computed = self.cut(&program, known, &ends.collect::<Vec<_>>());
        let (outputs, out) = (program.outputs().to_vec(), Arc::new(out));
        let mut end = End::Return { outputs, out, used: AtomicU64::new(u64::MAX) };
        let mut first = None;
        for (i, computed) in (depth..).zip(computed).collect::<Vec<_>>().into_iter().rev() {
            let start = if i == depth { from } else { reads[i - 1].equations };
            let until = reads.get(i).map_or(program.equations().len(), |r| r.equations);
            let (equations, vars) = (program.equations()[start..until].to_vec(), program.var_count());
            let step = Arc::new(Step { equations, vars, computed, end });
            if i == depth {
                first = Some(step);
                break;
            }
            let read = reads[i - 1].clone();
            let saw = read.saw;
            end = End::Read(read, RwLock::new(vec![(saw, step)]));
        }
        let step = first.expect("a path has a step");
        match &walk.at {
            None => _ = self.first.write().unwrap_or_else(PoisonError::into_inner).get_or_insert(step),
            // The step may have been forgotten meanwhile: then this path is for this call alone.
            Some((before, saw)) => {
                let End::Read(_, then) = &before.end else { unreachable!("a path ends where it returns") };
                let mut then = then.write().unwrap_or_else(PoisonError::into_inner);
                if then.iter().all(|b| b.0 != *saw) {
                    then.push((*saw, step));
                }
            }
        }
        if self.count.fetch_add(1, Ordering::Relaxed) >= capacity {
            self.bound(capacity);
        }
        Ok(())
    }

    /// Holds a path against the steps that the call has made; gives how many equations these have.
    fn compare(&self, walk: &Walk<S>, path: &Program, reads: &[GuardedRead]) -> Result<usize> {
        let mut from = 0;
        for (i, step) in walk.steps.iter().enumerate() {
            from = same_until(step, path, reads.get(i), from)?;
        }
        Ok(from)
    }

    /// Cuts a path into parts, each of which gives the variables that it ends with.
    fn cut(&self, path: &Arc<Program>, mut known: Vec<bool>, ends: &[Vec<Var>]) -> Vec<Option<Computed>> {
        let defined_by = path.definitions();
        let owners = owners(path, &defined_by, &known, ends);
        // The last part that uses each variable.
        let mut last = vec![0; path.var_count()];
        let mut owned: Vec<Vec<usize>> = vec![Vec::new(); ends.len()];
        for (i, (e, owner)) in path.equations().iter().zip(&owners).enumerate() {
            e.inputs.iter().for_each(|v| last[v.index()] = last[v.index()].max(owner.unwrap_or(0)));
            owner.iter().for_each(|&owner| owned[owner].push(i));
        }
        for (i, end) in ends.iter().enumerate() {
            end.iter().for_each(|v| last[v.index()] = last[v.index()].max(i));
        }
        let each = ends.iter().enumerate().map(|(i, end)| {
            let mut gives: Vec<Var> = end.iter().copied().filter(|v| !known[v.index()]).collect();
            for &e in &owned[i] {
                let outputs = &path.equations()[e].outputs;
                gives.extend(outputs.iter().filter(|v| !known[v.index()] && last[v.index()] > i));
            }
            gives.sort();
            gives.dedup();
            if gives.is_empty() {
                return None;
            }
            let (program, takes) = path.part_by(&defined_by, &known, &gives);
            gives.iter().for_each(|v| known[v.index()] = true);
            let found = self.lock_parts().find(program.with_name(path.name()));
            Some(Computed { found, takes, gives })
        });
        each.collect()
    }

    fn lock_parts(&self) -> MutexGuard<'_, Parts> {
        self.parts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Every step, and the position of the one before it, which comes earlier.
    fn steps(&self) -> Vec<(Arc<Step<S>>, Option<usize>)> {
        let first = self.first.read().unwrap_or_else(PoisonError::into_inner).clone();
        let mut found: Vec<(Arc<Step<S>>, Option<usize>)> = first.into_iter().map(|s| (s, None)).collect();
        let mut next = 0;
        while next < found.len() {
            if let End::Read(_, then) = &found[next].0.clone().end {
                let then = then.read().unwrap_or_else(PoisonError::into_inner);
                found.extend(then.iter().map(|b| (b.1.clone(), Some(next))));
            }
            next += 1;
        }
        found
    }

    /// How many paths there are.
    pub(crate) fn count(&self) -> usize {
        self.steps().iter().filter(|(s, _)| matches!(s.end, End::Return { .. })).count()
    }

    /// Forgets the paths that were not used for the longest time, and parts that only they had.
    fn bound(&self, capacity: usize) {
        let steps = self.steps();
        let used = |s: &Step<S>| match &s.end {
            End::Return { used, .. } => Some(used.load(Ordering::Relaxed)),
            End::Read(..) => None,
        };
        let mut times: Vec<u64> = steps.iter().filter_map(|(s, _)| used(s)).collect();
        self.count.store(times.len().min(capacity), Ordering::Relaxed);
        if times.len() <= capacity {
            return;
        }
        times.sort_unstable();
        let oldest = times[times.len() - capacity];
        // Steps of paths that stay; those after a step come later.
        let mut stays: Vec<bool> = steps.iter().map(|(s, _)| used(s).is_some_and(|t| t >= oldest)).collect();
        for i in (0..steps.len()).rev() {
            if let (true, Some(before)) = (stays[i], steps[i].1) {
                stays[before] = true;
            }
        }
        for ((step, before), _) in steps.iter().zip(&stays).filter(|(_, stays)| !**stays) {
            match before {
                None => *self.first.write().unwrap_or_else(PoisonError::into_inner) = None,
                Some(before) if stays[*before] => {
                    let End::Read(_, then) = &steps[*before].0.end else { continue };
                    then.write().unwrap_or_else(PoisonError::into_inner).retain(|b| !Arc::ptr_eq(&b.1, step));
                }
                // It goes with the one before it.
                Some(_) => {}
            }
        }
        drop(steps);
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
        first.iter().for_each(|s| s.write(&mut text));
        text
    }
}

impl<S> Step<S> {
    /// Writes the paths from here. What has one way to go on stays at its level.
    fn write(self: &Arc<Step<S>>, text: &mut String) {
        let mut open: Vec<(Option<SeenNumber>, Arc<Step<S>>, usize)> = vec![(None, self.clone(), 1)];
        while let Some((label, step, indent)) = open.pop() {
            if let Some(saw) = label {
                let _ = writeln!(text, "{}{saw}:", "  ".repeat(indent - 1));
            }
            let pad = "  ".repeat(indent);
            let does = step.computed.as_ref().map_or(String::new(), |c| format!("part {}, ", c.found.part.number));
            let End::Read(read, then) = &step.end else {
                let _ = writeln!(text, "{pad}{does}return");
                continue;
            };
            let then = then.read().unwrap_or_else(PoisonError::into_inner);
            let _ = write!(text, "{pad}{does}read as {} at {}", read.read_as, read.place);
            match &then[..] {
                [(saw, next)] => {
                    let _ = writeln!(text, ": {saw}");
                    open.push((None, next.clone(), indent));
                }
                several => {
                    let _ = writeln!(text);
                    open.extend(several.iter().rev().map(|(saw, next)| (Some(*saw), next.clone(), indent + 1)));
                }
            }
        }
    }
}

/// For each equation the first part that needs it, counted from 0. What has no operands is made where it is needed.
fn owners(path: &Program, defined_by: &[Option<usize>], known: &[bool], ends: &[Vec<Var>]) -> Vec<Option<usize>> {
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
        (End::Read(old, _), Some(new)) if old.var == new.var && old.saw.is_like(new.saw) => old.equations,
        (End::Read(..), Some(new)) => return Err(impure(&new.place)),
        (End::Read(old, _), None) => return Err(impure(&old.place)),
        (End::Return { .. }, Some(new)) => return Err(impure(&new.place)),
        (End::Return { .. }, None) => from + step.equations.len(),
    };
    let new = path.equations().get(from..until).unwrap_or_default();
    let differs = step.equations.iter().zip(new).find(|(a, b)| a.op != b.op || a.inputs != b.inputs);
    match differs {
        Some((_, new)) => Err(impure(&new.place)),
        None if step.equations.len() != new.len() => Err(impure(&Place::unknown())),
        None => Ok(until),
    }
}
