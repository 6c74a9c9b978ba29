//! What `#[track]` and `tracked!` write into functions: reports of calls, blocks and jumps to the recording around them.
//!
//! Every report stands behind a flag that is read once when the function is entered. Nothing here is for users to call.

use crate::array::{Array, Repr};
use crate::tape::cut;
use crate::trace;
use crate::values::{Value, as_array, short, showing};
use std::any::type_name;
use std::ops::ControlFlow;
use wengert_core::Place;
use wengert_tape::record::{self, Call};

pub use crate::values::{Give, Leaves, Look, Path, Probe, Values};
pub use wengert_macros::untracked_in;
pub use wengert_tape::record::{Quiet, quiet};

/// Whether a recording or a trace on this thread wants to know.
#[inline]
pub fn live() -> bool {
    record::watched() && live_here()
}

#[cold]
fn live_here() -> bool {
    (record::listening() || trace::tracing()) && !showing()
}

/// What `?` sees.
pub enum Attempt {
    /// It goes on.
    Went(&'static str),
    /// It returns; the second is what it returns, as text.
    Left(&'static str, String),
}

/// Types with a `?` that is not known here.
pub trait UnknownAttempt {
    /// Nothing is known.
    fn wengert_attempt(&self) -> Option<Attempt> {
        None
    }
}
impl<T> UnknownAttempt for Probe<'_, T> {}

// These go before the trait, whatever the types inside are: nothing about them has to be inferred.
impl<T, E> Probe<'_, Result<T, E>> {
    /// What `?` sees.
    pub fn wengert_attempt(&self) -> Option<Attempt> {
        Some(match self.0 {
            Ok(_) => Attempt::Went("Ok"),
            Err(_) => Attempt::Left("Err", format!("Err({})", short(type_name::<E>()))),
        })
    }
}
impl<T> Probe<'_, Option<T>> {
    /// What `?` sees.
    pub fn wengert_attempt(&self) -> Option<Attempt> {
        Some(match self.0 {
            Some(_) => Attempt::Went("Some"),
            None => Attempt::Left("None", "None".to_string()),
        })
    }
}
impl<B, C> Probe<'_, ControlFlow<B, C>> {
    /// What `?` sees.
    pub fn wengert_attempt(&self) -> Option<Attempt> {
        Some(match self.0 {
            ControlFlow::Continue(_) => Attempt::Went("Continue"),
            ControlFlow::Break(_) => Attempt::Left("Break", format!("Break({})", short(type_name::<B>()))),
        })
    }
}

/// Names what a variable holds, if that is an array.
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

/// The open call of a tracked function; it ends when this is dropped, if it did not before. Where nothing is recorded it
/// is a null pointer.
pub struct Frame(Option<Box<Open>>);

struct Open {
    call: Call,
    /// Where the function ends if nothing else says so, and the type of what it gives there.
    end: Place,
    gives: &'static str,
}

impl Frame {
    /// A call that is not recorded.
    pub const SILENT: Frame = Frame(None);

    fn finish(&mut self, values: &Values, place: &Place) {
        let Some(open) = self.0.take() else { return };
        let given: Vec<record::Given<'_, Array>> = values.given().into_iter().map(|(_, g)| g).collect();
        open.call.finish(&given, place);
    }

    #[cold]
    fn leave(&mut self) {
        let fell = |open: &Open| !open.call.unwinds();
        if let Some((place, gives)) = self.0.as_deref().filter(|o| fell(o)).map(|o| (o.end.clone(), o.gives)) {
            self.finish(&Values::only(gives), &place);
        }
    }
}

impl Drop for Frame {
    #[inline]
    fn drop(&mut self) {
        if self.0.is_some() {
            self.leave();
        }
    }
}

/// Opens a call. Its place is the statement that it is called from, if a tracked function says so, else its own. With
/// it come where the function ends, the type of what it gives there, and what adds what it was given.
#[cold]
#[track_caller]
pub fn enter(
    name: &str,
    owner: &str,
    module: &str,
    end: Place,
    gives: &'static str,
    give: impl FnOnce(&mut Values),
) -> Frame {
    let mut given = Values::default();
    give(&mut given);
    let own = Place::caller();
    let place = record::here().unwrap_or(own);
    let name = if owner.is_empty() { name.to_string() } else { format!("{}::{name}", short(owner)) };
    let call = Call::enter(&name, module, &given.given(), &place);
    for (name, v) in &given.0 {
        if let Value::Array(x) = v {
            suggest(x, name);
        }
    }
    record::block(1);
    Frame(call.is_open().then(|| Box::new(Open { call, end, gives })))
}

/// A value that a function gives, of the type that it says, and how to show it.
#[inline]
#[track_caller]
pub fn returned<T>(x: T, frame: &mut Frame, live: bool, show: impl FnOnce(&T, &mut Values)) -> T {
    if live {
        returns(&x, frame, show);
    }
    x
}

#[cold]
#[track_caller]
fn returns<T>(x: &T, frame: &mut Frame, show: impl FnOnce(&T, &mut Values)) {
    let mut values = Values::default();
    show(x, &mut values);
    frame.finish(&values, &Place::caller());
}

/// The function ends here, with a value that is not looked at.
#[cold]
#[track_caller]
pub fn ends(frame: &mut Frame) {
    let place = Place::caller();
    if let Some(open) = &mut frame.0 {
        open.end = place;
    }
}

/// What `?` does with a value.
#[cold]
#[track_caller]
pub fn attempt(frame: &mut Frame, attempt: Option<Attempt>, text: &str) {
    let place = Place::caller();
    match attempt {
        None => {}
        Some(Attempt::Went(how)) => record::branch(text, how, None, &place),
        Some(Attempt::Left(how, value)) => {
            record::branch(text, how, None, &place);
            frame.finish(&Values::only(&value), &place);
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
        record::condition();
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
        record::condition();
    }
    record::branch(text, how, Some(target).filter(|&t| t != 0), place);
}

/// A value that was computed while nothing was recorded.
#[inline]
pub fn quietly<T>(_quiet: Quiet, x: T) -> T {
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
        record::block(block);
    }
    record::statement(Place::caller());
}

/// What a `for` goes over, telling of each step.
pub struct Each<I> {
    inner: I,
    text: &'static str,
    blocks: [u32; 3],
    /// None if nobody wants to know.
    place: Option<Place>,
}

/// What a `for` goes over. The blocks: where the next item is asked for, the body, and what comes after.
#[inline]
#[track_caller]
pub fn each<I: IntoIterator>(items: I, live: bool, text: &'static str, blocks: [u32; 3]) -> Each<I::IntoIter> {
    let place = if live { Some(Place::caller()) } else { None };
    Each { inner: items.into_iter(), text, blocks, place }
}

impl<I: Iterator> Iterator for Each<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if self.place.is_some() {
            record::block(self.blocks[0]);
            record::condition();
        }
        let item = self.inner.next();
        if let Some(place) = &self.place {
            let (how, target) = if item.is_some() { ("Some", self.blocks[1]) } else { ("None", self.blocks[2]) };
            record::branch(self.text, how, Some(target), place);
        }
        item
    }
}
