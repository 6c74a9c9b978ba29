//! The identity of a value: memory is reused, identities are not.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of a value. All handles on one value share it; a write gives a new one, and none is given twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(u64);

/// Identities that a thread takes at a time.
const RANGE: u64 = 1 << 16;

static NEXT: AtomicU64 = AtomicU64::new(1);

thread_local! {
    /// The next identity of this thread, and the end of its range.
    static RANGE_HERE: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

impl Id {
    /// An identity that no value has.
    #[inline]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Id {
        RANGE_HERE.with(|range| {
            let (mut next, mut end) = range.get();
            if next == end {
                next = NEXT.fetch_add(RANGE, Ordering::Relaxed);
                end = next + RANGE;
            }
            range.set((next + 1, end));
            Id(next)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{Id, RANGE};
    use std::collections::HashSet;

    #[test]
    fn identities_differ_in_and_across_threads() {
        let take = || (0..2 * RANGE).map(|_| Id::new()).collect::<Vec<Id>>();
        let all: Vec<Vec<Id>> = std::thread::scope(|s| {
            let threads: Vec<_> = (0..3).map(|_| s.spawn(take)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        let distinct: HashSet<Id> = all.iter().flatten().copied().collect();
        assert_eq!(distinct.len(), 6 * RANGE as usize);
    }
}
