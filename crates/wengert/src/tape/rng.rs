//! Random generators of the host whose draws are on the tape.

use std::collections::VecDeque;
use wengert_core::Place;
use wengert_tape::record::{self};
use wengert_tape::{HostNumber, HostType, Kind, Tape};

/// The name of a draw on a tape.
const DRAW: &str = "draw";

/// A generator of random numbers whose draws are nodes of the recording around them, also in functions that are not tracked;
/// and that can give the draws of an earlier run once more. Where [`LiveRun::update_or_rerun`](crate::tape::LiveRun::update_or_rerun) runs a
/// function again from a node on, what was drawn before it stays as it was. With the feature `rand` it is an `RngCore` where the generator in
/// it is one.
///
/// ```
/// use wengert::{record, tape::Rng};
/// let mut state = 1u64;
/// let mut rng = Rng::new(move || { state = state.wrapping_mul(6364136223846793005).wrapping_add(1); state });
/// let (first, tape) = record(|| [rng.draw(), rng.draw()].iter().fold(0, |a: u64, b| a ^ b));
/// assert_eq!(tape.nodes().filter(|n| n.function() == "draw").count(), 2);
/// let mut again = Rng::replaying(|| 0, &tape);
/// assert_eq!(again.draw() ^ again.draw(), first);
/// ```
pub struct Rng<R> {
    inner: R,
    /// Draws that are given before those of the generator.
    replayed: VecDeque<HostNumber>,
}

impl<R> Rng<R> {
    /// A generator whose draws are recorded.
    ///
    /// ```
    /// let mut rng = wengert::tape::Rng::new(|| 7);
    /// assert_eq!(rng.draw(), 7);
    /// ```
    pub fn new(inner: R) -> Rng<R> {
        Rng { inner, replayed: VecDeque::new() }
    }

    /// A generator that gives the draws on a tape first, as long as they are asked for in the same types, and then its own.
    /// Draws that a context renamed are not found.
    ///
    /// ```
    /// use wengert::{record, tape::Rng};
    /// let (_, tape) = record(|| Rng::new(|| 7).draw());
    /// let mut rng = Rng::replaying(|| 1, &tape);
    /// assert_eq!([rng.draw(), rng.draw()], [7, 1]);
    /// ```
    pub fn replaying(inner: R, tape: &Tape) -> Rng<R> {
        let draws = tape.nodes().filter(|n| n.kind() == Kind::Constant && n.function() == DRAW);
        Rng { inner, replayed: draws.filter_map(|n| n.number(0)).collect() }
    }

    /// The generator.
    ///
    /// ```
    /// assert_eq!(wengert::tape::Rng::new(|| 7).into_inner()(), 7);
    /// ```
    pub fn into_inner(self) -> R {
        self.inner
    }

    #[track_caller]
    fn next(&mut self, ty: HostType, draw: impl FnOnce(&mut R) -> HostNumber) -> u64 {
        let x = self.take_replayed(ty).unwrap_or_else(|| draw(&mut self.inner));
        recorded(x, &Place::caller())
    }

    /// The next draw of the earlier run, if it is of this type; else there are no more.
    fn take_replayed(&mut self, ty: HostType) -> Option<HostNumber> {
        if self.replayed.front().is_some_and(|x| x.ty != ty) {
            self.replayed.clear();
        }
        self.replayed.pop_front()
    }
}

/// Puts a draw on the tape. Where a run is made again, what it drew before is kept, while the generator goes on.
fn recorded(x: HostNumber, place: &Place) -> u64 {
    if !record::is_recording() {
        return x.bits;
    }
    let x = record::recall_draw(DRAW, x.ty, place).unwrap_or(x);
    record::drawn(DRAW, x, place);
    x.bits
}

impl<R: FnMut() -> u64> Rng<R> {
    /// The next number of a generator that is a function.
    ///
    /// ```
    /// use wengert::{record, tape::Rng};
    /// let (_, tape) = record(|| Rng::new(|| 7).draw());
    /// assert!(tape.to_string().contains("draw = 7 : u64"));
    /// ```
    #[track_caller]
    pub fn draw(&mut self) -> u64 {
        self.next(HostType::U64, |f| f().into())
    }
}

#[cfg(feature = "rand")]
impl<R: rand_core::RngCore> rand_core::RngCore for Rng<R> {
    #[track_caller]
    fn next_u32(&mut self) -> u32 {
        self.next(HostType::U32, |r| r.next_u32().into()) as u32
    }

    #[track_caller]
    fn next_u64(&mut self) -> u64 {
        self.next(HostType::U64, |r| r.next_u64().into())
    }

    #[track_caller]
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        // The generator fills them as it does by itself; eight at a time are a number on the tape.
        let mut from = 0;
        while from < bytes.len() && !self.replayed.is_empty() {
            let Some(x) = self.take_replayed(HostType::U64) else { break };
            let part = 8.min(bytes.len() - from);
            bytes[from..from + part].copy_from_slice(&x.bits.to_le_bytes()[..part]);
            from += part;
        }
        if from < bytes.len() {
            self.inner.fill_bytes(&mut bytes[from..]);
        }
        for part in bytes.chunks_mut(8) {
            let mut number = [0; 8];
            number[..part.len()].copy_from_slice(part);
            let x = recorded(u64::from_le_bytes(number).into(), &Place::caller());
            part.copy_from_slice(&x.to_le_bytes()[..part.len()]);
        }
    }
}
