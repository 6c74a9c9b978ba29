//! What a moving window sees along an axis: what convolution and the windowed kernels walk along.

use wengert_core::ops::WindowAxis;

/// Numbers in even steps.
#[derive(Clone, Copy)]
pub(crate) struct Run {
    first: usize,
    by: usize,
    count: usize,
}

impl Run {
    fn numbers(self) -> impl DoubleEndedIterator<Item = usize> {
        (0..self.count).map(move |i| self.first + i * self.by)
    }

    /// What there is after all of another run (or, in reverse, before it), if that is the other end of this one.
    fn beyond(self, other: Run, reverse: bool) -> Option<Run> {
        let count = self.count.checked_sub(other.count).filter(|_| other.count > 0)?;
        let skipped = if reverse { count } else { 0 };
        let first = if reverse { self.first } else { self.first + other.count * self.by };
        (self.first + skipped * self.by == other.first).then_some(Run { first, count, ..self })
    }
}

/// The elements of an axis of `n` that a window sees from a position, and the places of the window they are at. Of both,
/// only as many are looked at as it takes to find the first.
fn seen(w: &WindowAxis, n: usize, at: usize) -> [Run; 2] {
    let [base, window] = [w.base_dilation, w.window_dilation].map(|d| d as i64);
    // Both on the padded axis, where place `k` is at `start + k * window`, and element `i` at `i * base`.
    let start = (at * w.stride) as i64 - w.padding.0;
    let (low, high) = (start.max(0), (start + (w.size as i64 - 1) * window).min((n as i64 - 1) * base));
    // Those that lie further apart are tried.
    let found = if window >= base {
        let places = (ceil(low - start, window)..).map(|k| start + k * window);
        places.take_while(|&p| p <= high).find(|p| p % base == 0)
    } else {
        let elements = (ceil(low, base)..).map(|i| i * base);
        elements.take_while(|&p| p <= high).find(|p| (p - start) % window == 0)
    };
    let common = gcd(base, window);
    let [elements, places] = [window / common, base / common];
    let count = found.map_or(0, |p| (high - p) / base / elements + 1);
    let first = found.unwrap_or(start);
    let run = |first: i64, by: i64| Run { first: first as usize, by: by as usize, count: count as usize };
    [run(first / base, elements), run((first - start) / window, places)]
}

fn ceil(n: i64, by: i64) -> i64 {
    (n + by - 1).div_euclid(by)
}

fn gcd(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// How what lies under one position of a window is combined: what another position has, if that sees a part of it, and
/// then more elements.
pub(crate) struct Turn {
    pub(crate) at: usize,
    pub(crate) from: Option<usize>,
    more: Run,
    reverse: bool,
}

impl Turn {
    /// The elements in the order in which they are combined: away from those of the other position.
    pub(crate) fn elements(&self) -> impl Iterator<Item = usize> + use<> {
        let (mut elements, reverse) = (self.more.numbers(), self.reverse);
        std::iter::from_fn(move || if reverse { elements.next_back() } else { elements.next() })
    }
}

/// The turns of all positions of a window, each after the one it goes on from: where the window grows or shrinks from
/// one position to the next, each element is combined once.
pub(crate) fn turns(w: &WindowAxis, n: usize) -> impl Iterator<Item = Turn> + use<> {
    let (w, count) = (*w, w.positions(n));
    let turn = move |at: usize| {
        let all = seen(&w, n, at)[0];
        let beside = |other: usize, reverse: bool| {
            let there = (other < count).then(|| seen(&w, n, other)[0])?;
            Some(Turn { at, from: Some(other), more: all.beyond(there, reverse)?, reverse })
        };
        let growing = beside(at.wrapping_sub(1), false);
        let shrinking = || beside(at + 1, true).filter(|t| t.more.count > 0);
        growing.or_else(shrinking).unwrap_or(Turn { at, from: None, more: all, reverse: false })
    };
    let forward = (0..count).map(turn).filter(|t| !t.reverse);
    forward.chain((0..count).rev().map(turn).filter(|t| t.reverse))
}

/// How many elements are combined in the turns of a window.
pub(crate) fn combined(w: &WindowAxis, n: usize) -> usize {
    turns(w, n).map(|t| t.more.count).sum()
}

/// The places of a window at which there is an element from some of these positions, in order.
pub(crate) fn places(w: &WindowAxis, n: usize, positions: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut runs: Vec<Run> = positions.map(|at| seen(w, n, at)[1]).filter(|run| run.count > 0).collect();
    runs.sort_by_key(|run| (run.first % run.by, run.first));
    let mut places: Vec<usize> = Vec::new();
    for run in runs {
        let had = places.last().filter(|&last| last % run.by == run.first % run.by).map_or(0, |last| last + run.by);
        places.extend((had.max(run.first)..run.first + run.count * run.by).step_by(run.by));
    }
    places.sort_unstable();
    places
}
