//! A recording on more threads than the one that opened it.

use wengert_tape::record;

/// The recording on this thread, for other threads to take part in: see [`scope`].
#[derive(Clone)]
pub struct Scope(Option<record::Handle>);

impl Scope {
    /// Runs something on whatever thread this is called on: what it does is recorded where the scope was taken, inside
    /// the call that was open there, until that recording ends.
    ///
    /// ```
    /// use wengert::{record, scope, Array};
    /// let x = Array::from([1.0f32, 2.0]);
    /// let (y, tape) = record(|| {
    ///     let scope = scope();
    ///     std::thread::scope(|s| s.spawn(|| scope.run(|| x.sin())).join().unwrap())
    /// });
    /// assert!(tape.to_string().contains("sin") && y.size() == 2);
    /// ```
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(scope) => scope.run(f),
            None => f(),
        }
    }
}

/// The recording on this thread, to be taken to any others: those of a pool, too. Without a recording, what runs in it
/// just runs.
///
/// ```
/// use rayon::prelude::*;
/// use wengert::{record, scope, Array};
/// let batches: Vec<Array> = (0..4).map(|i| Array::from([i as f32, 1.0])).collect();
/// let (_, tape) = record(|| {
///     let scope = scope();
///     batches.par_iter().map(|x| scope.run(|| x.tanh())).collect::<Vec<Array>>()
/// });
/// assert_eq!(tape.nodes().filter(|n| n.function() == "tanh").count(), 4);
/// ```
pub fn scope() -> Scope {
    Scope(record::current())
}

/// A closure that another thread runs as a part of the recording here, if there is one; see [`scope`] for more than one.
///
/// ```
/// use wengert::{hand_over, record, Array};
/// let (_, tape) = record(|| {
///     let x = Array::from([1.0f32, 2.0]);
///     std::thread::spawn(hand_over(move || x.sin())).join().unwrap()
/// });
/// assert!(tape.to_string().contains("sin"));
/// ```
pub fn hand_over<T>(f: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let scope = scope();
    move || scope.run(f)
}
