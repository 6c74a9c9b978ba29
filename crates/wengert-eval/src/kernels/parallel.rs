//! Work spread over threads: the calling one and those that help it ([`team`]), or the pool of `rayon` for a thread that
//! belongs to one, and for a second thread that has work at the same time.

use super::team;
use std::ops::Range;
use std::sync::Once;

/// Work on more elements than this is split over threads.
pub const PARALLEL: usize = 1 << 16;
/// Elements a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// The environment variable that says how many threads there are for work that is spread.
pub const THREADS_VARIABLE: &str = "WENGERT_THREADS";

/// How many threads there are for work that is spread: as many as [`set_threads`] or the environment said, or as the
/// machine has cores.
pub fn threads() -> usize {
    static START: Once = Once::new();
    START.call_once(|| {
        let Ok(asked) = std::env::var(THREADS_VARIABLE) else { return };
        match asked.trim().parse() {
            // If somebody has started the pool already, it stays as it is.
            Ok(n) if n > 0 => _ = set_threads(n),
            _ if asked.is_empty() => {}
            _ => {
                eprintln!("{THREADS_VARIABLE} is `{asked}`, which is no number of threads: there are as many as cores")
            }
        }
    });
    rayon_core::current_num_threads()
}

/// Says how many threads there are for work that is spread, before there is any. `false` if they run already: the number is
/// that of `rayon`'s pool, which all of a process shares.
pub fn set_threads(count: usize) -> bool {
    rayon_core::ThreadPoolBuilder::new().num_threads(count).build_global().is_ok()
}

/// Runs `f` on all numbers below `n`, or on pieces of them on many threads.
pub fn split(n: usize, f: &(dyn Fn(Range<usize>) + Sync)) {
    if n <= PARALLEL {
        return f(0..n);
    }
    each(n.div_ceil(CHUNK), n, &|i| f(i * CHUNK..n.min((i + 1) * CHUNK)));
}

/// Runs `f` on each number below `count`, on many threads if the work is large.
pub fn each(count: usize, work: usize, f: &(dyn Fn(usize) + Sync)) {
    if work <= PARALLEL || count <= 1 {
        return (0..count).for_each(f);
    }
    let threads = threads();
    let is_apart = rayon_core::current_thread_index().is_none();
    if !(is_apart && team::run(count, threads - 1, f)) {
        halves(0..count, count.div_ceil(4 * threads), f);
    }
}

/// Runs `f` on the numbers of a range, of which threads of the pool take halves down to so many.
fn halves(range: Range<usize>, least: usize, f: &(dyn Fn(usize) + Sync)) {
    if range.len() <= least.max(1) {
        return range.for_each(f);
    }
    let middle = range.start + range.len() / 2;
    rayon_core::join(|| halves(range.start..middle, least, f), || halves(middle..range.end, least, f));
}

/// Runs both, on two threads if the work is large.
pub fn join(work: usize, a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    match work <= PARALLEL {
        true => {
            a();
            b();
        }
        false => drop(rayon_core::join(a, b)),
    }
}

/// Elements that threads write parts of.
pub struct Parts<T>(*mut T, usize);

// SAFETY: who takes parts says that no two overlap.
unsafe impl<T: Send> Sync for Parts<T> {}

impl<T> Parts<T> {
    /// Parts of these elements. They must not be used otherwise while parts are.
    pub fn of(v: &mut [T]) -> Parts<T> {
        Parts(v.as_mut_ptr(), v.len())
    }

    /// One part.
    ///
    /// # Safety
    /// The elements are still borrowed, and no other part that is in use overlaps this one.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn part(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.1, "a part of the elements");
        // SAFETY: inside the elements; the rest is the caller's word.
        unsafe { std::slice::from_raw_parts_mut(self.0.add(range.start), range.len()) }
    }
}

/// Writes all elements by `f`, which is given a range and the room for it.
pub fn fill<T: Send>(out: &mut [T], f: &(dyn Fn(Range<usize>, &mut [T]) + Sync)) {
    let n = out.len();
    let parts = Parts::of(out);
    // SAFETY: `split` gives each element to one range.
    split(n, &|r| f(r.clone(), unsafe { parts.part(r) }));
}

/// Runs `f` on blocks of elements, with the number of each; on many threads if the work is large.
pub fn blocks<T: Send>(v: &mut [T], block: usize, work: usize, f: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let n = v.len();
    if n == 0 {
        return;
    }
    let parts = Parts::of(v);
    // SAFETY: blocks do not overlap.
    each(n.div_ceil(block), work, &|i| f(i, unsafe { parts.part(i * block..n.min((i + 1) * block)) }));
}
