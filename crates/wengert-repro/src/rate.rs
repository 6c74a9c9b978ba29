//! How often a case that fails by chance is run, and how many of these runs must fail.

use std::time::{Duration, Instant};
use wengert_core::Result;

/// How often a case is run to learn how often it fails, if it does not always.
pub(crate) const OFTEN: usize = 25;

/// How often a case is run to learn that it always fails: one of two times is missed once in sixty.
pub(crate) const SURE: usize = 6;

/// How often at least, however long that takes.
pub(crate) const FEW: usize = 3;

/// How long a case is run again that takes long.
pub(crate) const LONG: Duration = Duration::from_secs(20);

/// How often each candidate is run, and of what that was learned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailureRate {
    /// How often a candidate is run.
    pub times: usize,
    /// How many of these runs must fail.
    needed: usize,
    /// In how many of how many runs the case to begin with failed, once that is known.
    pub known: Option<(usize, usize)>,
}

impl FailureRate {
    /// One run is enough, as long as nothing else is known.
    pub fn once() -> FailureRate {
        FailureRate { times: 1, needed: 1, known: None }
    }

    /// In how many of how many runs the case to begin with fails: one, if that fails, and many if not; `times` if somebody said. It
    /// is known afterwards, if it was run more than once.
    pub fn learn(&mut self, times: Option<usize>, mut fails: impl FnMut() -> Result<bool>) -> Result<(usize, usize)> {
        let (mut failed, mut tries) = (0, 0);
        let start = Instant::now();
        let often = |tries: usize| if tries >= FEW && start.elapsed() > LONG { tries } else { OFTEN };
        while tries < times.unwrap_or(if failed == tries && tries > 0 { 1 } else { often(tries) }).max(1) {
            tries += 1;
            failed += usize::from(fails()?);
        }
        if failed > 0 && (failed < tries || times.is_some()) {
            self.set(failed, tries, times);
        }
        Ok((failed, tries))
    }

    /// The case to begin with failed in so many of so many runs: candidates are run `times`, or as often as that asks for.
    pub fn set(&mut self, failed: usize, tries: usize, times: Option<usize>) {
        self.known = Some((failed, tries));
        // So often that one that fails as surely is missed once in twenty times or less.
        let rate = failed as f64 / tries as f64;
        let often = if rate < 1.0 { (3.0 / rate).ceil() as usize } else { 1 };
        self.times = times.unwrap_or(often);
        self.needed = match failed == tries {
            true => self.times,
            false => ((0.5 * rate * self.times as f64).floor() as usize).max(1),
        };
    }

    /// The case to begin with always fails, and a candidate was taken that does not: others are run more often.
    pub fn be_sure(&mut self) {
        self.set(OFTEN, OFTEN, Some((2 * self.times).max(SURE)));
    }

    /// Whether the case to begin with is known to fail in each of many runs.
    pub fn is_sure(&self) -> bool {
        self.known.is_some_and(|(failed, tries)| failed == tries && tries >= OFTEN)
    }

    /// Whether enough runs fail.
    pub fn is_reached(&self, mut fails: impl FnMut() -> Result<bool>) -> Result<bool> {
        let mut failed = 0;
        for run in 0..self.times {
            failed += usize::from(fails()?);
            let left = self.times - run - 1;
            if failed >= self.needed || failed + left < self.needed {
                break;
            }
        }
        Ok(failed >= self.needed)
    }
}
