//! The reducer: candidates of many passes, each smaller than the best so far, until none is interesting any more.

mod attributes;
mod axes;
mod bodies;
mod canonical;
mod data;
pub(crate) mod edit;
mod ends;
mod ops;
mod ranges;
mod ranks;
pub(crate) mod sizes;
mod turns;
pub(crate) mod types;
mod unwrap;
mod windows;

use crate::case::{Case, Size};
use crate::interrupt;
use crate::patience::with_patience;
use rustc_hash::FxHashSet;
use wengert_core::{Error, ErrorKind, Result, Tensor};

/// Says whether a case still fails as the first one did.
pub trait Test {
    /// Whether a case is interesting. An error means that nothing can be said any more, and ends the reduction with the best
    /// so far: a script that is gone, a disk that is full.
    fn is_interesting(&mut self, case: &Case) -> Result<bool>;

    /// The first of several cases that is interesting, and how many were looked at. A test that can look at several at once
    /// does so.
    fn first_interesting(&mut self, cases: &[Case]) -> Result<(Option<usize>, usize)> {
        for (i, case) in cases.iter().enumerate() {
            if self.is_interesting(case)? {
                return Ok((Some(i), i + 1));
            }
        }
        Ok((None, cases.len()))
    }

    /// Looks again at a case that was interesting, where it is not known yet whether it always is. Gives whether it is not: cases that
    /// were not interesting may be so after all.
    fn confirm(&mut self, case: &Case) -> Result<bool> {
        let _ = case;
        Ok(false)
    }

    /// Whether a case, run a few times more, fails less surely than that to begin with: it was taken by chance.
    fn falls_short(&mut self, case: &Case, start: &Case) -> Result<bool> {
        let _ = (case, start);
        Ok(false)
    }
}

impl<F: FnMut(&Case) -> bool> Test for F {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        Ok(self(case))
    }
}

/// [`Test::first_interesting`] by several tests, each of which looks at one case at a time.
pub(crate) fn first_at_once<T: Test + Send>(tests: &mut [T], cases: &[Case]) -> Result<(Option<usize>, usize)> {
    if let [case] = cases {
        return Ok((tests[0].is_interesting(case)?.then_some(0), 1));
    }
    let mut looked_at = 0;
    for some in cases.chunks(tests.len()) {
        let found: Vec<Result<bool>> = std::thread::scope(|s| {
            let each = |(t, c)| s.spawn(move || Test::is_interesting(t, c));
            let running: Vec<_> = tests.iter_mut().zip(some).map(each).collect();
            running.into_iter().map(|r| r.join().expect("a test does not panic")).collect()
        });
        let found: Vec<bool> = found.into_iter().collect::<Result<_>>()?;
        let first = found.iter().position(|f| *f).map(|i| looked_at + i);
        looked_at += some.len();
        if first.is_some() {
            return Ok((first, looked_at));
        }
    }
    Ok((None, looked_at))
}

/// A candidate that was taken.
#[derive(Clone, Debug)]
pub struct Step {
    /// The pass that made it.
    pub pass: &'static str,
    /// How large the case is since.
    pub size: Size,
    /// How many candidates were looked at until then.
    pub candidates: usize,
}

/// Where a reduction is.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The smallest case so far.
    pub best: &'a Case,
    /// The pass that is at work.
    pub pass: &'static str,
    /// How many candidates were looked at.
    pub candidates: usize,
    /// Whether the best case has just become another: smaller, or an earlier one that fails more surely.
    pub is_smaller: bool,
}

/// How a reduction ended.
#[derive(Debug)]
pub enum Outcome {
    /// Nothing more goes: no candidate of any pass is interesting.
    Minimal,
    /// It was asked to stop.
    Stopped,
    /// The test could not go on.
    Failed(Error),
}

/// What a reduction came to.
#[derive(Debug)]
pub struct Reduction {
    /// The smallest case that was interesting.
    pub best: Case,
    /// The way there.
    pub steps: Vec<Step>,
    /// How many candidates were looked at, those of known content not counted.
    pub candidates: usize,
    /// How it ended.
    pub outcome: Outcome,
}

/// Reduces a case while it is interesting. `watch` sees where it is after each candidate, and says whether to go on.
///
/// # Errors
/// If the case is not interesting to begin with, or the test can't say.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::{Case, reduce};
/// let p = Program::parse("program (x: f32[3]) { y: f32[3] = exp(x) z: f32[3] = log(y) w: f32[3] = sin(z) return w }")?;
/// let case = Case::new(p, vec![Tensor::new([3], vec![1.0f32, 2.0, 3.0])?])?;
/// let has_log = |c: &Case| c.program().equations().iter().any(|e| e.op.name() == "log");
/// let found = reduce(case, &mut { has_log }, &mut |_| true)?;
/// assert_eq!(found.best.size().equations, 1);
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn reduce(start: Case, test: &mut dyn Test, watch: &mut dyn FnMut(Progress<'_>) -> bool) -> Result<Reduction> {
    reduce_by(|_| true, start, test, watch)
}

/// The names of all passes, in the order they are made in.
pub fn passes() -> impl Iterator<Item = &'static str> {
    PASSES.iter().map(|(name, _)| *name).chain([CANONICAL])
}

/// The same by the passes of these names alone: what is left is minimal for those.
///
/// # Errors
/// As [`reduce`].
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::{Case, reduce_by};
/// let p = Program::parse("program (x: f32[9]) { y: f32[9] = exp(x) z: f32[9] = log(y) return z }")?;
/// let case = Case::new(p, vec![Tensor::new([9], vec![1.5f32; 9])?])?;
/// let has_log = |c: &Case| c.program().equations().iter().any(|e| e.op.name() == "log");
/// let found = reduce_by(|pass| pass == "ranges", case, &mut { has_log }, &mut |_| true)?;
/// assert_eq!(found.best.program().output_types()[0].shape[0], 9);
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn reduce_by(
    uses: impl Fn(&str) -> bool,
    start: Case,
    test: &mut dyn Test,
    watch: &mut dyn FnMut(Progress<'_>) -> bool,
) -> Result<Reduction> {
    if !test.is_interesting(&start)? {
        let m = "the program to reduce is not interesting to begin with: it does not fail as was said";
        return Err(Error::new(ErrorKind::Run, m));
    }
    let mut r = Reducer {
        best: start.clone(),
        test,
        watch,
        seen: FxHashSet::default(),
        pass: "start",
        steps: Vec::new(),
        candidates: 1,
        has_values: true,
        ended: None,
        taken: vec![start],
    };
    let mut fallbacks = 0;
    loop {
        let before = r.best.size();
        let mut by_chance = false;
        for (name, pass) in PASSES.into_iter().filter(|(name, _)| uses(name)) {
            r.pass = name;
            pass(&mut r);
            by_chance |= r.fails_by_chance();
            if let Some(outcome) = r.ended.take() {
                return Ok(Reduction { best: r.best, steps: r.steps, candidates: r.candidates, outcome });
            }
        }
        if r.best.size() == before && !by_chance {
            if fallbacks < MOST_FALLBACKS && r.falls_back() {
                fallbacks += 1;
                continue;
            }
            if let Some(outcome) = r.ended.take() {
                return Ok(Reduction { best: r.best, steps: r.steps, candidates: r.candidates, outcome });
            }
            if uses(CANONICAL) {
                r.pass = CANONICAL;
                canonical::canonical(&mut r);
            }
            return Ok(Reduction { best: r.best, steps: r.steps, candidates: r.candidates, outcome: Outcome::Minimal });
        }
    }
}

type Pass = fn(&mut Reducer<'_>);

/// What is tried, in the order of what it usually takes away.
const PASSES: [(&str, Pass); 14] = [
    ("windows", windows::windows),
    ("unused", ends::unused),
    ("outputs", ends::outputs),
    ("ranges", ranges::ranges),
    ("turns", turns::turns),
    ("unwrap", unwrap::unwrap),
    ("bodies", bodies::bodies),
    ("sizes", sizes::sizes),
    ("ranks", ranks::ranks),
    ("types", types::types),
    ("inputs", ends::inputs),
    ("ops", ops::ops),
    ("attributes", attributes::attributes),
    ("data", data::data),
];

/// How often a reduction goes on from an earlier case, because the best was taken by chance.
const MOST_FALLBACKS: usize = 4;

/// Of cases that are smaller, all that were taken are kept.
const FEW_EQUATIONS: usize = 100;

/// The step back to a case that fails as surely as that to begin with.
const BACK: &str = "back";

/// What is done once, when nothing more goes.
const CANONICAL: &str = "canonical";

/// A reduction at work.
struct Reducer<'a> {
    best: Case,
    test: &'a mut dyn Test,
    watch: &'a mut dyn FnMut(Progress<'_>) -> bool,
    /// The contents that were looked at.
    seen: FxHashSet<u64>,
    pass: &'static str,
    steps: Vec<Step>,
    candidates: usize,
    /// Whether the values of a run can be asked for.
    has_values: bool,
    ended: Option<Outcome>,
    /// The cases that were taken, from that to begin with; of large ones, few.
    taken: Vec<Case>,
}

impl Reducer<'_> {
    fn has_ended(&self) -> bool {
        self.ended.is_some()
    }

    /// The values of all variables of the best case, if it runs to its end on the evaluator. One that does not is the last
    /// that is asked.
    fn values(&mut self) -> Option<Vec<Tensor>> {
        let best = self.best.clone();
        let found = if self.has_values { with_patience(move || edit::values(&best)) } else { None };
        self.has_values = found.is_some();
        found.flatten()
    }

    /// Whether it turns out now that the best case does not always fail: what did not is looked at again then.
    fn fails_by_chance(&mut self) -> bool {
        if self.has_ended() {
            return false;
        }
        match self.test.confirm(&self.best) {
            Ok(false) => false,
            Ok(true) => {
                self.seen.clear();
                self.falls_back();
                true
            }
            Err(e) => {
                self.end_by(e);
                false
            }
        }
    }

    /// Goes back to the smallest case that fails as surely as that to begin with, where the best does not: candidates are run more often
    /// since, and all are looked at again.
    fn falls_back(&mut self) -> bool {
        let start = self.taken[0].clone();
        let falls_short = |r: &mut Self, case: &Case| match r.test.falls_short(case, &start) {
            Ok(falls_short) => Some(falls_short),
            Err(e) => {
                r.end_by(e);
                None
            }
        };
        if self.best.content() == start.content() || falls_short(self, &self.best.clone()) != Some(true) {
            return false;
        }
        // That to begin with is as sure as itself, and those before one that is are, too.
        let (mut sure, mut by_chance) = (0, self.taken.len());
        while sure + 1 < by_chance {
            let middle = (sure + by_chance) / 2;
            match falls_short(self, &self.taken[middle].clone()) {
                Some(true) => by_chance = middle,
                Some(false) => sure = middle,
                None => return false,
            }
        }
        self.taken.truncate(sure + 1);
        self.pass = BACK;
        self.seen.clear();
        self.take_over(self.taken[sure].clone());
        self.tell(true);
        true
    }

    /// The test can't go on, for this reason or because somebody wants an end.
    fn end_by(&mut self, e: Error) {
        self.ended = Some(if interrupt::is_asked() { Outcome::Stopped } else { Outcome::Failed(e) });
    }

    /// The first of these cases that is interesting.
    fn check(&mut self, cases: &[Case]) -> Option<usize> {
        if self.has_ended() || cases.is_empty() {
            return None;
        }
        match self.test.first_interesting(cases) {
            Ok((found, looked_at)) => {
                self.candidates += looked_at;
                found
            }
            Err(e) => {
                self.end_by(e);
                None
            }
        }
    }

    /// Takes a candidate that is as small as the best, if it is still interesting.
    fn take_as_small(&mut self, candidate: Case) {
        if candidate.size() == self.best.size() && self.check(std::slice::from_ref(&candidate)).is_some() {
            self.take_over(candidate);
        }
    }

    fn take_over(&mut self, best: Case) {
        let (now, last) = (best.size().equations, self.taken.last().map_or(usize::MAX, |c| c.size().equations));
        if now < FEW_EQUATIONS || now < last - last / 8 {
            self.taken.push(best.clone());
        }
        self.best = best;
        self.steps.push(Step { pass: self.pass, size: self.best.size(), candidates: self.candidates });
    }

    /// Takes a candidate, if it is smaller and still interesting.
    fn take(&mut self, candidate: Option<Case>) -> bool {
        self.take_first(candidate.into_iter().collect())
    }

    /// Takes the first of these candidates that is smaller and still interesting.
    fn take_first(&mut self, mut candidates: Vec<Case>) -> bool {
        if self.has_ended() {
            return false;
        }
        let size = self.best.size();
        candidates.retain(|c| c.size() < size && c.program().verify().is_ok() && self.seen.insert(c.content()));
        if candidates.is_empty() {
            return false;
        }
        let found = self.check(&candidates);
        if let Some(i) = found {
            self.take_over(candidates.swap_remove(i));
        }
        self.tell(found.is_some());
        found.is_some()
    }

    /// Says where it is to whoever watches, who may want an end.
    fn tell(&mut self, is_smaller: bool) {
        let (best, pass, candidates) = (&self.best, self.pass, self.candidates);
        let goes_on = (self.watch)(Progress { best, pass, candidates, is_smaller });
        if !goes_on && self.ended.is_none() {
            self.ended = Some(Outcome::Stopped);
        }
    }
}
