//! What `#[track]` and `tracked!` write into functions: reports of calls, blocks and jumps to the recording around them.
//!
//! Every report stands behind a flag that is read once when the function is entered. Nothing here is for users to call.

use crate::array::{Array, Repr};
use crate::call_values::{ShownValue, as_array, short, showing};
use crate::tape::cut;
use crate::trace;
use std::any::type_name;
use std::ops::ControlFlow;
use wengert_core::Place;
use wengert_tape::record::{self, Call};

pub use crate::call_values::{AddValue, CallValues, Inspect, Probe, TreeLeaves, ValuePath};
pub use wengert_macros::untracked_in;
pub use wengert_tape::record::{Silence, silence};

/// Whether a recording or a trace on this thread listens to tracked functions.
#[inline]
pub fn live() -> bool {
    record::has_listeners() && live_here()
}

#[cold]
fn live_here() -> bool {
    (record::is_listening() || trace::tracing()) && !showing()
}

/// What `?` does with a value.
pub enum TryOutcome {
    /// The function goes on; the variant of the value.
    Continued(&'static str),
    /// The function returns; the variant of the value, and what it returns as text.
    Returned(&'static str, String),
}

/// Types whose `?` is not known here.
pub trait UnknownTry {
    /// Nothing is known.
    fn wengert_try_outcome(&self) -> Option<TryOutcome> {
        None
    }
}
impl<T> UnknownTry for Probe<'_, T> {}

// These go before the trait, whatever the types inside are: nothing about them has to be inferred.
impl<T, E> Probe<'_, Result<T, E>> {
    /// What `?` does with the value.
    pub fn wengert_try_outcome(&self) -> Option<TryOutcome> {
        Some(match self.0 {
            Ok(_) => TryOutcome::Continued("Ok"),
            Err(_) => TryOutcome::Returned("Err", format!("Err({})", short(type_name::<E>()))),
        })
    }
}
impl<T> Probe<'_, Option<T>> {
    /// What `?` does with the value.
    pub fn wengert_try_outcome(&self) -> Option<TryOutcome> {
        Some(match self.0 {
            Some(_) => TryOutcome::Continued("Some"),
            None => TryOutcome::Returned("None", "None".to_string()),
        })
    }
}
impl<B, C> Probe<'_, ControlFlow<B, C>> {
    /// What `?` does with the value.
    pub fn wengert_try_outcome(&self) -> Option<TryOutcome> {
        Some(match self.0 {
            ControlFlow::Continue(_) => TryOutcome::Continued("Continue"),
            ControlFlow::Break(_) => TryOutcome::Returned("Break", format!("Break({})", short(type_name::<B>()))),
        })
    }
}

/// Gives an array the name of the variable that holds it; other values get none.
#[cold]
#[track_caller]
pub fn name<T: ?Sized>(x: &T, name: &str) {
    let Some(x) = as_array(x) else { return };
    record::set_name(x, name, &Place::caller());
    suggest(x, name);
}

fn suggest(x: &Array, name: &str) {
    if let Repr::Traced(t) = &x.0 {
        t.trace.suggest_name(t.var, name);
    }
}

/// The open call of a tracked function. The call ends when this is dropped, if it did not before. A null pointer where
/// nothing is recorded.
pub struct TrackedCall(Option<Box<OpenCall>>);

struct OpenCall {
    call: Call,
    /// Where the function ends if nothing else says so, and the type of what it gives there.
    end: Place,
    gives: &'static str,
}

impl TrackedCall {
    /// A call that is not recorded.
    pub const SILENT: TrackedCall = TrackedCall(None);

    fn finish(&mut self, values: &CallValues, place: &Place) {
        let Some(open) = self.0.take() else { return };
        let given: Vec<record::CallValue<'_, Array>> = values.as_call_values().into_iter().map(|(_, g)| g).collect();
        open.call.finish(&given, place);
    }

    #[cold]
    fn leave(&mut self) {
        let fell = |open: &OpenCall| !open.call.is_unwinding();
        if let Some((place, gives)) = self.0.as_deref().filter(|o| fell(o)).map(|o| (o.end.clone(), o.gives)) {
            self.finish(&CallValues::single(gives), &place);
        }
    }
}

impl Drop for TrackedCall {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            self.leave();
        }
    }
}

/// Opens a call. Its place is the statement that calls it, if that is in a tracked function, else its own. `end` is where
/// the function ends if nothing else says so, `gives` the type of its result there, and `add_arguments` adds its arguments.
#[cold]
#[track_caller]
pub fn enter(
    name: &str,
    owner: &str,
    module: &str,
    end: Place,
    gives: &'static str,
    add_arguments: impl FnOnce(&mut CallValues),
) -> TrackedCall {
    let mut given = CallValues::default();
    add_arguments(&mut given);
    let own = Place::caller();
    let place = record::statement_place().unwrap_or(own);
    let name = if owner.is_empty() { name.to_string() } else { format!("{}::{name}", short(owner)) };
    let call = Call::enter(&name, module, &given.as_call_values(), &place);
    for (name, v) in &given.0 {
        if let ShownValue::Array(x) = v {
            suggest(x, name);
        }
    }
    record::set_block(1);
    TrackedCall(call.is_open().then(|| Box::new(OpenCall { call, end, gives })))
}

/// The result of a function, of its declared type; `show` adds it to the values of the call.
#[inline]
#[track_caller]
pub fn returned<T>(x: T, frame: &mut TrackedCall, live: bool, show: impl FnOnce(&T, &mut CallValues)) -> T {
    if live {
        returns(&x, frame, show);
    }
    x
}

#[cold]
#[track_caller]
fn returns<T>(x: &T, frame: &mut TrackedCall, show: impl FnOnce(&T, &mut CallValues)) {
    let mut values = CallValues::default();
    show(x, &mut values);
    frame.finish(&values, &Place::caller());
}

/// The function ends here, with a result that is not shown.
#[cold]
#[track_caller]
pub fn ends(frame: &mut TrackedCall) {
    let place = Place::caller();
    if let Some(open) = &mut frame.0 {
        open.end = place;
    }
}

/// What `?` does with a value.
#[cold]
#[track_caller]
pub fn try_outcome(frame: &mut TrackedCall, outcome: Option<TryOutcome>, text: &str) {
    let place = Place::caller();
    match outcome {
        None => {}
        Some(TryOutcome::Continued(how)) => record::branch(text, how, None, &place),
        Some(TryOutcome::Returned(how, value)) => {
            record::branch(text, how, None, &place);
            frame.finish(&CallValues::single(&value), &place);
        }
    }
}

/// The place where it is called.
#[track_caller]
pub fn place() -> Place {
    Place::caller()
}

/// A condition begins to be evaluated.
#[inline]
pub fn begin(live: bool) -> bool {
    if live {
        record::begin_condition();
    }
    live
}

/// What a condition was, and the blocks it leads to.
#[inline]
#[track_caller]
pub fn decide(began: bool, condition: bool, text: &str, then: u32, other: u32) -> bool {
    if began {
        decided(condition, text, then, other);
    }
    condition
}

#[cold]
#[track_caller]
fn decided(condition: bool, text: &str, then: u32, other: u32) {
    let target = Some(if condition { then } else { other }).filter(|&t| t != 0);
    record::branch(text, if condition { "true" } else { "false" }, target, &Place::caller());
}

/// A value that is compared with patterns next.
#[inline]
pub fn scrutinee<T>(_began: bool, x: T) -> T {
    x
}

/// A value matched a pattern. `began` if its evaluation was seen.
#[cold]
#[track_caller]
pub fn matched(began: bool, text: &str, pattern: &str, target: u32) {
    compared(began, text, &format!("matched {}", cut(pattern)), target, &Place::caller());
}

/// A value did not match a pattern.
#[cold]
#[track_caller]
pub fn missed(began: bool, text: &str, pattern: &str, target: u32) {
    compared(began, text, &format!("did not match {}", cut(pattern)), target, &Place::caller());
}

fn compared(began: bool, text: &str, how: &str, target: u32, place: &Place) {
    if !began {
        record::begin_condition();
    }
    record::branch(text, how, Some(target).filter(|&t| t != 0), place);
}

/// A value that was computed in a silence.
#[inline]
pub fn silenced<T>(_silence: Silence, x: T) -> T {
    x
}

/// `break` or `continue`, with the value it gives.
#[inline]
#[track_caller]
pub fn jump<T>(value: T, live: bool, name: &str, target: u32) -> T {
    if live {
        record::jump(name, target, &Place::caller());
    }
    value
}

/// A statement is reached, which begins a block if that is not 0.
#[cold]
#[track_caller]
pub fn statement(block: u32) {
    if block != 0 {
        record::set_block(block);
    }
    record::set_statement(Place::caller());
}

/// The iterator of a `for`, which reports each step.
pub struct TrackedIter<I> {
    inner: I,
    text: &'static str,
    blocks: [u32; 3],
    /// None if nothing is reported.
    place: Option<Place>,
}

/// The iterator of a `for`. The blocks: where the next item is asked for, the body, and what comes after.
#[inline]
#[track_caller]
pub fn each<I: IntoIterator>(items: I, live: bool, text: &'static str, blocks: [u32; 3]) -> TrackedIter<I::IntoIter> {
    let place = if live { Some(Place::caller()) } else { None };
    TrackedIter { inner: items.into_iter(), text, blocks, place }
}

impl<I: Iterator> Iterator for TrackedIter<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.place.is_some() {
            record::set_block(self.blocks[0]);
            record::begin_condition();
        }
        let item = self.inner.next();
        if let Some(place) = &self.place {
            let (how, target) = if item.is_some() { ("Some", self.blocks[1]) } else { ("None", self.blocks[2]) };
            record::branch(self.text, how, Some(target), place);
        }
        item
    }
}
