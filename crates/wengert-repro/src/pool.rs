//! Several processes that candidates run in, all of which know what one has learned; and how often a failure is seen.

use crate::case::Case;
use crate::rate::{FEW, FailureRate, LONG, OFTEN, SURE};
use crate::reduce::{Test, first_at_once};
use crate::worker::{Learned, WorkerTest};
use std::process::Command;
use std::time::Instant;
use wengert_core::Result;

/// How often a case that failed is run again, to learn that it always does.
const AGAIN: usize = 2;

/// How many processes are started before there is something to do for them.
const STARTED: usize = 4;

/// Several tests by processes, which look at several cases at once.
pub struct WorkerPool {
    tests: Vec<WorkerTest>,
}

impl WorkerPool {
    /// This test, and so many in all by processes that `command` gives.
    pub fn new<C: FnMut() -> Command + Send + 'static>(
        first: WorkerTest,
        count: usize,
        mut command: impl FnMut() -> C,
    ) -> WorkerPool {
        let mut tests = vec![first];
        while tests.len() < count {
            let one = tests[0].by(command());
            tests.push(one);
        }
        WorkerPool { tests }
    }

    /// [`WorkerTest::learn`] by the first, while the others start.
    ///
    /// # Errors
    /// If the case does not fail.
    pub fn learn(&mut self, case: &Case, times: Option<usize>) -> Result<Learned> {
        // One that can't be started says so when it is asked.
        self.tests.iter_mut().take(STARTED).for_each(|test| _ = test.start());
        let learned = self.tests[0].learn(case, times)?;
        share(&mut self.tests);
        Ok(learned)
    }

    /// The first case that takes long, also while no other runs: several at once take each other's time.
    fn first_slow(&mut self, cases: &[Case]) -> Result<(Option<usize>, usize)> {
        let mut looked_at = 0;
        while let left @ [_, ..] = &cases[looked_at..] {
            let (found, count) = first_at_once(&mut self.tests, left)?;
            let Some(i) = found.map(|i| looked_at + i) else { break };
            if self.tests[0].fails(&cases[i])? {
                return Ok((Some(i), looked_at + count));
            }
            looked_at = i + 1;
        }
        Ok((None, cases.len()))
    }

    /// One of the tests.
    pub fn test(&self) -> &WorkerTest {
        &self.tests[0]
    }
}

impl Test for WorkerPool {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        self.tests[0].is_interesting(case)
    }

    fn first_interesting(&mut self, cases: &[Case]) -> Result<(Option<usize>, usize)> {
        let found = match self.tests[0].is_of_time() {
            true => self.first_slow(cases),
            false => first_at_once(&mut self.tests, cases),
        };
        // What one has learned of time, all know.
        let limit = self.tests.iter().map(|t| t.limit).min().expect("there is one");
        self.tests.iter_mut().for_each(|t| t.limit = limit);
        found
    }

    fn confirm(&mut self, case: &Case) -> Result<bool> {
        confirm(&mut self.tests, case)
    }

    fn falls_short(&mut self, case: &Case, start: &Case) -> Result<bool> {
        falls_short(&mut self.tests, case, start)
    }
}

/// What the first has learned, all know.
fn share(tests: &mut [WorkerTest]) {
    if let [first, others @ ..] = tests {
        others.iter_mut().for_each(|test| test.learn_of(first));
    }
}

/// A test of one run at a time, of cases that may fail by chance.
pub(crate) trait RepeatedTest: Send {
    /// How often cases are run.
    fn rate(&mut self) -> &mut FailureRate;

    /// Whether a case fails in one run as the first did.
    fn fails(&mut self, case: &Case) -> Result<bool>;
}

/// [`Test::confirm`] by several tests at once: a few more runs where all fail, and many where not, to learn how often.
pub(crate) fn confirm<T: RepeatedTest>(tests: &mut [T], case: &Case) -> Result<bool> {
    if tests[0].rate().known.is_some() {
        return Ok(false);
    }
    let again = count_failed(tests, case, AGAIN)?;
    let is_sure = again == AGAIN;
    let (failed, tries) = match is_sure {
        true => (1 + AGAIN, 1 + AGAIN),
        false => (1 + again + count_failed(tests, case, OFTEN - 1 - AGAIN)?, OFTEN),
    };
    tests.iter_mut().for_each(|test| test.rate().set(failed, tries, None));
    Ok(!is_sure)
}

/// [`Test::falls_short`] by several tests at once. A case that always fails is as sure as any.
pub(crate) fn falls_short<T: RepeatedTest>(tests: &mut [T], case: &Case, start: &Case) -> Result<bool> {
    let time = Instant::now();
    let (mut failed, mut tries) = (count_failed(tests, case, FEW)?, FEW);
    if failed == tries && time.elapsed() < LONG {
        (failed, tries) = (failed + count_failed(tests, case, SURE - FEW)?, SURE);
    }
    // A machine that does much else may be too slow for one run of many.
    if failed + 1 == tries {
        (failed, tries) = (failed + count_failed(tests, case, SURE)?, tries + SURE);
    }
    if failed == tries || failed + 1 == tries && tries > SURE {
        return Ok(false);
    }
    if tests[0].rate().is_sure() {
        return Ok(true);
    }
    let of_start = count_failed(tests, start, OFTEN)?;
    if of_start == OFTEN {
        tests.iter_mut().for_each(|test| test.rate().be_sure());
        return Ok(true);
    }
    Ok(2 * (failed + count_failed(tests, case, OFTEN - tries)?) < of_start)
}

/// In how many of so many runs a case fails as the first did.
fn count_failed<T: RepeatedTest>(tests: &mut [T], case: &Case, tries: usize) -> Result<usize> {
    let (mut left, mut failed) = (tries, 0);
    while left > 0 {
        let count = left.min(tests.len());
        let found: Vec<Result<bool>> = std::thread::scope(|s| {
            let running: Vec<_> = tests[..count].iter_mut().map(|t| s.spawn(|| t.fails(case))).collect();
            running.into_iter().map(|r| r.join().expect("a test does not panic")).collect()
        });
        for fails in found {
            failed += usize::from(fails?);
        }
        left -= count;
    }
    Ok(failed)
}
