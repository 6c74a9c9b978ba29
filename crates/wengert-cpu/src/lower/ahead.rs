//! Memory is asked for before it is read or written.

use super::stages::Nest;

/// Memory is asked for this many bytes before it is read or written.
const AHEAD: i64 = 2048;
/// Where a row is gone through several times, all of the next one is asked for, if it is no longer than this.
const ROW_AHEAD: i64 = 16384;

/// Memory that a loop asks for: so many bytes further than an access is.
pub(super) struct Ask {
    pub(super) access: usize,
    pub(super) further: i64,
    pub(super) write: bool,
}

impl Nest<'_> {
    /// What the loops of a stage ask for along an axis, of which rows have so many elements. Of the stages that go through a
    /// row, the one that computes longest asks for all: what is read of the next row, and what later ones write of this.
    pub(super) fn asks(&self, stage: usize, axis: usize, length: usize) -> Vec<Ask> {
        let row = |a: usize| self.accesses[a].kind.bytes() as i64 * length as i64;
        let count = self.stages.iter().flatten().max().map_or(0, |s| s + 1);
        let all: Vec<(usize, usize, bool)> = (0..count).flat_map(|stage| self.far(stage, axis)).collect();
        if count < 2 || !all.iter().all(|(_, a, _)| (AHEAD..=ROW_AHEAD).contains(&row(*a))) {
            let here = all.into_iter().filter(|(s, ..)| *s == stage);
            return here.map(|(_, access, write)| Ask { access, further: AHEAD, write }).collect();
        }
        let longest = (0..count).rev().max_by(|a, b| self.nanoseconds_of(*a).total_cmp(&self.nanoseconds_of(*b)));
        let mut asks: Vec<Ask> = Vec::new();
        for (s, access, write) in all.into_iter().filter(|_| longest == Some(stage)) {
            if asks.iter().all(|a| a.access != access) {
                let further = if write && s > stage { 0 } else { row(access) };
                asks.push(Ask { access, further, write });
            }
        }
        asks
    }

    /// The accesses of a stage that are far, element after element along an axis, and whether they are written.
    fn far(&self, stage: usize, axis: usize) -> Vec<(usize, usize, bool)> {
        let (reads, writes) = self.used(&self.of_stage(stage));
        let is_far =
            |a: usize| self.accesses[a].is_far && self.accesses[a].steps[axis] == self.accesses[a].kind.bytes() as i64;
        let all = reads.into_iter().map(|a| (a, false)).chain(writes.into_iter().map(|a| (a, true)));
        all.filter(|(a, _)| is_far(*a)).map(|(a, write)| (stage, a, write)).collect()
    }
}
