//! What `#[track]` and `tracked!` write into functions: reports of calls, blocks and jumps to the recording around them.
//!
//! Every report stands behind a flag that is read once when the function is entered. Nothing here is for users to call.

use crate::array::{Array, Repr};
use crate::call_values::{ShownValue, short, short_type, showing, shown_text};
use crate::fail::fail;
use crate::known::{AnyValue, as_type, from_number, type_id};
use crate::tape::cut;
use crate::trace;
use std::any::type_name;
use std::borrow::Cow;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit};
use std::ops::ControlFlow;
use std::ptr::NonNull;
use wengert_core::{Error, ErrorKind, Place};
use wengert_tape::Meta;
use wengert_tape::record::{self, Call, Called, Callee, HostValue, Refocused, seldom};
use wengert_tape::{HostNumber, Substitute};

pub use crate::call_values::{AddValue, CallValues, Inspect, Probe, TreeLeaves, ValuePath};
pub use crate::receiver::{OtherReceiver, Receiver, same_function};
pub use crate::shown::{ByNothing, HasDebug, HasNone, How, last, show};
pub use crate::spot::{Spot, UnknownElement, after, index, only_looking, then};
pub use crate::tie::{
    Tie, called, called_closure, called_of, called_of_value, called_unknown, of_type, tie, tie_place, tie_value,
};
pub use wengert_macros::untracked_in;
pub use wengert_tape::HostFunction;
pub use wengert_tape::record::{
    Body, Change, Does, Effects, HostOp, Method, Operand, Silence, Site, Through, Types, silence,
};

/// Whether a recording or a trace on this thread listens to tracked functions.
#[inline]
pub fn live() -> bool {
    record::has_listeners() && live_here()
}

#[cold]
fn live_here() -> bool {
    (record::is_listening() || trace::tracing()) && !showing()
}

/// The declared result of a function. What `?` leaves with is shown by it, and not by the type that `?` is applied to: that one
/// may not be inferred yet, and a bound on it would have to hold.
pub struct Declared<T>(pub PhantomData<fn() -> T>);

/// How to show what `?` leaves with.
pub trait LeftWith {
    /// A value in its variant as text, if this is how to show it.
    fn text<E>(&self, variant: &str, x: &E) -> Option<String>;
}

/// See [`LeftWith`]: this type, by `Debug`.
pub struct ShownLeft<E>(PhantomData<fn() -> E>);
impl<D: Debug> LeftWith for ShownLeft<D> {
    fn text<E>(&self, variant: &str, x: &E) -> Option<String> {
        // SAFETY: the types are the same but for lifetimes. Then `?` converts by the identity, so the one is a subtype.
        let x = (type_id::<E>() == type_id::<D>()).then(|| unsafe { &*(&raw const *x).cast::<D>() });
        x.map(|x| shown_text(&InVariant(variant, x)))
    }
}

/// See [`LeftWith`]: not at all.
pub struct UnshownLeft;
impl LeftWith for UnshownLeft {
    fn text<E>(&self, _: &str, _: &E) -> Option<String> {
        None
    }
}

/// A value in a variant, as `derive(Debug)` writes it.
struct InVariant<'a, T>(&'a str, &'a T);
impl<T: Debug> Debug for InVariant<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple(self.0).field(self.1).finish()
    }
}

/// Looked up with one more `&` than [`UnknownLeft`], it goes before it.
pub trait KnownLeft {
    /// What shows the type that the function may leave with.
    type Left: LeftWith;
    /// It.
    fn wengert_left(&self) -> Self::Left;
}
impl<T, E: Debug> KnownLeft for &Declared<Result<T, E>> {
    type Left = ShownLeft<E>;
    fn wengert_left(&self) -> ShownLeft<E> {
        ShownLeft(PhantomData)
    }
}
impl<B: Debug, C> KnownLeft for &Declared<ControlFlow<B, C>> {
    type Left = ShownLeft<B>;
    fn wengert_left(&self) -> ShownLeft<B> {
        ShownLeft(PhantomData)
    }
}

/// Any other result.
pub trait UnknownLeft {
    /// Nothing shows it.
    fn wengert_left(&self) -> UnshownLeft {
        UnshownLeft
    }
}
impl<T> UnknownLeft for Declared<T> {}

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
    fn wengert_try_outcome(&self, _: impl LeftWith) -> Option<TryOutcome> {
        None
    }
}
impl<T> UnknownTry for Probe<'_, T> {}

// These go before the trait, whatever the types inside are: nothing about them has to be inferred.
impl<T, E> Probe<'_, Result<T, E>> {
    /// What `?` does with the value.
    pub fn wengert_try_outcome(&self, left: impl LeftWith) -> Option<TryOutcome> {
        Some(match self.0 {
            Ok(_) => TryOutcome::Continued("Ok"),
            Err(e) => {
                let text = left.text("Err", e).unwrap_or_else(|| format!("Err({})", short(type_name::<E>())));
                TryOutcome::Returned("Err", text)
            }
        })
    }
}
impl<T> Probe<'_, Option<T>> {
    /// What `?` does with the value.
    pub fn wengert_try_outcome(&self, _: impl LeftWith) -> Option<TryOutcome> {
        Some(match self.0 {
            Some(_) => TryOutcome::Continued("Some"),
            None => TryOutcome::Returned("None", "None".to_string()),
        })
    }
}
impl<B, C> Probe<'_, ControlFlow<B, C>> {
    /// What `?` does with the value.
    pub fn wengert_try_outcome(&self, left: impl LeftWith) -> Option<TryOutcome> {
        Some(match self.0 {
            ControlFlow::Continue(_) => TryOutcome::Continued("Continue"),
            ControlFlow::Break(b) => {
                let text = left.text("Break", b).unwrap_or_else(|| format!("Break({})", short(type_name::<B>())));
                TryOutcome::Returned("Break", text)
            }
        })
    }
}

/// Gives an array the name of the variable that holds it; other values get none.
#[cold]
#[track_caller]
pub fn name<T: ?Sized>(x: &T, name: &str) {
    let Some(x) = AnyValue::new(x).array() else { return };
    record::set_name(x, name, &Place::caller());
    suggest(x, name);
}

fn suggest(x: &Array, name: &str) {
    if let Repr::Traced(t) = &x.0 {
        t.trace.suggest_name(t.var, name);
    }
}

/// Where a tracked function keeps its call. Nothing is written there, and nothing read, while the function is not live.
pub struct OpenSlot(MaybeUninit<Option<Box<OpenCall>>>);

/// The call of a tracked function. It ends when this is dropped, if it did not before.
pub struct TrackedCall<'a> {
    /// Whether the slot has been written.
    live: bool,
    slot: &'a mut OpenSlot,
}

struct OpenCall {
    call: Call,
    /// Where the function ends if nothing else says so, and the type of what it gives there.
    end: Place,
    gives: &'static str,
    name: &'static str,
    /// The recording that the call belongs to, if it is not the innermost. Dropped after the call.
    _scope: Option<Refocused>,
}

impl OpenSlot {
    /// A slot of a function of which is not known yet whether it is live.
    pub const NEW: OpenSlot = OpenSlot(MaybeUninit::uninit());

    /// The call, if it is open, of a function that is live.
    fn get(&mut self) -> &mut Option<Box<OpenCall>> {
        // SAFETY: it is only asked of functions that are live, whose call was entered.
        unsafe { self.0.assume_init_mut() }
    }

    fn finish(&mut self, values: &CallValues, place: &Place) {
        let Some(open) = self.get().take() else { return };
        let given: Vec<record::CallValue<'_, Array>> = values.as_call_values().into_iter().map(|(_, g)| g).collect();
        open.call.finish(&given, place);
    }

    #[cold]
    #[inline(never)]
    fn leave(&mut self) {
        let Some(open) = self.get().take() else { return };
        if !open.call.is_unwinding() {
            let gives = match open.gives {
                "()" => record::CallValue::<Array>::Shown("()", "()"),
                ty => {
                    record::set_return_of_all();
                    record::CallValue::Text(ty)
                }
            };
            open.call.finish(&[gives], &open.end);
        }
    }
}

impl<'a> TrackedCall<'a> {
    /// The call in a slot, which [`enter`] was called with if the function is live.
    #[inline(always)]
    pub fn new(live: bool, slot: &'a mut OpenSlot) -> TrackedCall<'a> {
        TrackedCall { live, slot }
    }

    /// The slot. The compiler sees that what is done with it leaves the flag alone, which can stay in a register.
    #[inline(always)]
    pub fn slot(&mut self) -> &mut OpenSlot {
        self.slot
    }

    /// The call, for a function that runs inside it, and that nothing else uses meanwhile.
    #[inline(always)]
    pub fn running(&mut self) -> RunningCall {
        RunningCall(Some(NonNull::from(&mut *self.slot)))
    }
}

/// A call that is open in the frame around a function, where it ends when the function has left without saying how.
#[derive(Clone, Copy)]
pub struct RunningCall(Option<NonNull<OpenSlot>>);

impl RunningCall {
    /// That of a function that is not live.
    pub const NONE: RunningCall = RunningCall(None);

    /// Whether there is one.
    #[inline(always)]
    pub fn is_live(self) -> bool {
        self.0.is_some()
    }

    /// The slot of a function that is live.
    #[inline(always)]
    pub fn slot(&mut self) -> &mut OpenSlot {
        let mut slot = self.0.expect("the function is live");
        // SAFETY: the frame around the function has it, waits for the function, and uses it only after that.
        unsafe { slot.as_mut() }
    }
}

/// What a function that is left has of its call.
pub trait Frame {
    /// The slot of a function that is live.
    fn slot(&mut self) -> &mut OpenSlot;
}

impl Frame for TrackedCall<'_> {
    #[inline(always)]
    fn slot(&mut self) -> &mut OpenSlot {
        self.slot()
    }
}

impl Frame for RunningCall {
    #[inline(always)]
    fn slot(&mut self) -> &mut OpenSlot {
        self.slot()
    }
}

impl Drop for TrackedCall<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        if self.live {
            seldom();
            self.slot.leave();
        }
    }
}

/// Whether a value is passed in registers, and has nothing to drop.
const fn is_small<T>() -> bool {
    size_of::<T>() <= 16 && !std::mem::needs_drop::<T>()
}

/// A value to look at.
pub enum Held<'a, T> {
    /// A copy of a small value, which is only looked at: so the value itself can stay in a register.
    Small(ManuallyDrop<T>),
    /// Any other.
    Borrowed(&'a T),
}

impl<'a, T> Held<'a, T> {
    /// A value to look at.
    #[inline(always)]
    pub fn of(x: &'a T) -> Held<'a, T> {
        match const { is_small::<T>() } {
            // SAFETY: the copy is only looked at while the value is borrowed, and there is nothing to drop.
            true => Held::Small(ManuallyDrop::new(unsafe { std::ptr::read(x) })),
            false => Held::Borrowed(x),
        }
    }

    /// The value.
    #[inline(always)]
    pub fn get(&self) -> &T {
        match self {
            Held::Small(x) => x,
            Held::Borrowed(x) => x,
        }
    }
}

/// An expression was evaluated: its value goes on.
#[inline]
#[track_caller]
pub fn seen<T>(x: T, live: bool, site: &'static Site) -> T {
    passed_on(x, live, site, unknown, |_, _| ())
}

/// What is known of the function that is called. It is asked for in a recording alone: outside of one, where it is made costs nothing.
pub(crate) type AskCalled = fn() -> Called;

/// How a value is shown that went to a site's slot.
pub(crate) type ShowValue<T> = fn(&T, &'static Site);

/// Nothing but its name is known.
pub(crate) fn unknown() -> Called {
    Called::Unknown
}

/// A type as that of a result, where the compiler can't take what it expects there for the argument's.
pub trait Itself {
    /// It.
    type Type;
    /// The same value.
    fn itself(self) -> Self::Type;
}

impl<T> Itself for T {
    type Type = T;
    #[inline(always)]
    fn itself(self) -> T {
        self
    }
}

/// The operand of `-` or `!`. Of that, the compiler expects the type that it expects of the result: where the operand has a type of
/// its own, that does not matter, but a function that it is passed through would have to give it.
#[inline(always)]
pub fn operand<T: Itself>(x: T) -> T::Type {
    x.itself()
}

/// A value that is looked at goes on; of a call, given what is known of the function that is called.
#[inline(always)]
#[track_caller]
pub(crate) fn passed_on<T>(x: T, live: bool, site: &'static Site, called: AskCalled, show: ShowValue<T>) -> T {
    if live {
        // In the function that asks: in another, the compiler would not lay it out of the way.
        seldom();
        if const { is_small::<T>() } {
            return looked_at(x, site, called, show);
        }
        bound_call(&x, site, called);
        show(&x, site);
    }
    x
}

/// A small value was looked at: it goes on, or the number that a context gives instead.
#[cold]
#[inline(never)]
#[track_caller]
fn looked_at<T>(x: T, site: &'static Site, called: AskCalled, show: ShowValue<T>) -> T {
    let instead = bound_call(&x, site, called).and_then(from_number);
    show(&x, site);
    instead.unwrap_or(x)
}

/// The call of a tracked function gives what its context gives instead of running: what that is, if it does.
#[cold]
#[track_caller]
fn substituted<T>(slot: &mut OpenSlot) -> Option<T> {
    let open = slot.get().as_mut()?;
    let (place, name) = (Place::caller(), open.name);
    let (value, shown) = match open.call.take_substitute()? {
        Substitute::Number(x) => (from_number::<T>(x), ShownValue::Number(x)),
        Substitute::Array(t) => {
            let x = Array::from_tensor(t);
            (as_type::<T, Array>(x.clone()), ShownValue::Array(x))
        }
    };
    let Some(value) = value else { refuse_substitute(name, &short_type(type_name::<T>()), place) };
    slot.finish(&CallValues(vec![(String::new(), shown)]), &place);
    Some(value)
}

/// A context gave something that is no result of the function.
fn refuse_substitute(name: &str, ty: &str, place: Place) -> ! {
    let message = format!("a context gave another type than `{name}` gives, which is `{ty}`");
    fail(Error::new(ErrorKind::DType, message).at(place))
}

/// A place was looked at.
#[inline]
#[track_caller]
pub fn seen_at<'a, T: ?Sized>(x: &'a T, live: bool, site: &'static Site) -> &'a T {
    if live {
        seldom();
        bound(x, site);
    }
    x
}

/// A value was given to a variable.
#[cold]
#[inline(never)]
#[track_caller]
pub fn bound<T: ?Sized>(x: &T, site: &'static Site) -> Option<HostNumber> {
    bound_call(x, site, unknown)
}

/// The same of what a call gave, given what is known of the function that is called.
#[cold]
#[inline(never)]
#[track_caller]
fn bound_call<T: ?Sized>(x: &T, site: &'static Site, called: AskCalled) -> Option<HostNumber> {
    any_bound(AnyValue::new(x), std::mem::needs_drop::<T>(), site, called, &Place::caller())
}

fn any_bound(
    x: AnyValue<'_>,
    needs_drop: bool,
    site: &'static Site,
    called: AskCalled,
    place: &Place,
) -> Option<HostNumber> {
    let (value, borrows_nothing) = x.host_value();
    if let HostValue::Array(x) = value
        && !site.name.is_empty()
    {
        suggest(x, site.name);
    }
    let instead = record::evaluated_call(site, value, called, place);
    if !borrows_nothing {
        record::borrowed(site, needs_drop, place);
    }
    match (instead?, x.own_number()) {
        (Substitute::Number(x), Some(HostValue::Number(was))) if x.ty == was.ty => Some(x),
        _ => refuse_substitute(site.label, &x.type_name(), place.clone()),
    }
}

/// Something was written to what is no variable of the function, or through what an expression gave.
#[cold]
#[track_caller]
pub fn wrote(site: &'static Site) {
    record::wrote(site, &Place::caller());
}

/// Values that a variable gets as they are.
#[cold]
pub fn copied(site: &'static Site) {
    record::copy_slots(site);
}

/// The function goes to a block that has arguments.
#[cold]
#[track_caller]
pub fn pass(target: u32, arguments: &'static [Operand]) {
    record::pass(target, arguments, &Place::caller());
}

/// A block begins that has arguments.
#[cold]
#[track_caller]
pub fn receive(block: u32, variables: &[(&str, u32)]) {
    let place = Place::caller();
    record::receive(block, variables, &place);
    record::set_statement(place);
}

/// What a condition was that has a node.
#[inline]
#[track_caller]
pub fn decide_by(condition: bool, live: bool, site: &'static Site, then: u32, other: u32) -> bool {
    if live {
        seldom();
        decided_by(condition, site, if condition { then } else { other });
    }
    condition
}

#[cold]
#[track_caller]
fn decided_by(condition: bool, site: &'static Site, target: u32) {
    record::decide(site, (condition, ""), block(target), &Place::caller());
    record::clear_slots(site.into);
}

/// A number of a block, if it is one.
fn block(number: u32) -> Option<u32> {
    Some(number).filter(|&n| n != 0)
}

/// A value matched a pattern.
#[cold]
#[track_caller]
pub fn matched_by(site: &'static Site, pattern: &str, target: u32) {
    let how = format!("matched {}", cut(pattern));
    record::decide(site, (true, &how), block(target), &Place::caller());
}

/// A value did not match a pattern.
#[cold]
#[track_caller]
pub fn missed_by(site: &'static Site, pattern: &str, target: u32) {
    let how = format!("did not match {}", cut(pattern));
    record::decide(site, (false, &how), block(target), &Place::caller());
}

/// Opens a call in a slot, of a function that gives neither a number nor an array, but `gives`: whatever a context gives as its
/// result is refused.
#[cold]
#[track_caller]
pub fn enter<C: FnOnce(&mut CallValues)>(
    slot: &mut OpenSlot,
    body: &'static Body,
    owner: &'static str,
    end: Place,
    add_arguments: C,
    gives: &str,
) {
    open_call(slot, body, owner, end, add_arguments);
    let mut frame = TrackedCall::new(true, slot);
    if frame.slot().get().as_mut().is_some_and(|open| open.call.take_substitute().is_some()) {
        refuse_substitute(body.name, gives, Place::caller());
    }
    std::mem::forget(frame);
}

/// Opens a call in a slot. Its place is the statement that calls it, if that is in a tracked function, else its own. `owner` is the type
/// of a method, `end` where the function ends if nothing else says so, and `add_arguments` adds its arguments.
#[cold]
#[track_caller]
fn open_call<C: FnOnce(&mut CallValues)>(
    slot: &mut OpenSlot,
    body: &'static Body,
    owner: &'static str,
    end: Place,
    add_arguments: C,
) {
    let mut given = CallValues::default();
    add_arguments(&mut given);
    opened(slot, body, Callee { inside: type_name::<C>(), owner }, end, given, Place::caller());
}

fn opened(slot: &mut OpenSlot, body: &'static Body, callee: Callee, end: Place, given: CallValues, own: Place) {
    let owner = callee.owner;
    let place = record::statement_place().unwrap_or(own);
    let name = body.name;
    let name: Cow<'_, str> = if owner.is_empty() { name.into() } else { format!("{}::{name}", short(owner)).into() };
    let open = if body.boundary { Call::enter_boundary } else { Call::enter };
    let values = given.as_call_values();
    let _scope = crate::tape::around_of_call(&values);
    let mut call = open(&name, body.module, &values, &place);
    if !body.sparse {
        call.set_callee(callee);
    }
    drop(values);
    record::set_body(body);
    if let Some(place) = body.place.filter(|_| call.is_open()) {
        record::set_meta(wengert_tape::api::PLACE.name(), place.to_string().to_value());
    }
    for (name, v) in &given.0 {
        if let ShownValue::Array(x) = v {
            suggest(x, name);
        }
    }
    record::set_block(1);
    let open = call.is_open().then(|| Box::new(OpenCall { call, end, gives: body.gives, name: body.name, _scope }));
    slot.0.write(open);
}

/// Opens a call in a slot. What a context gives instead of its result, if it does, ends it.
#[cold]
#[inline(never)]
#[track_caller]
pub fn enter_or_end<T, C: FnOnce(&mut CallValues)>(
    slot: &mut OpenSlot,
    body: &'static Body,
    owner: &'static str,
    end: Place,
    add_arguments: C,
) -> Option<T> {
    open_call(slot, body, owner, end, add_arguments);
    // Of a value that does not fit, which is a panic, the call ends too.
    let mut frame = TrackedCall::new(true, slot);
    let instead = substituted(frame.slot());
    std::mem::forget(frame);
    instead
}

/// The result of a function, of its declared type; `show` adds it to the values of the call.
#[inline]
#[track_caller]
pub fn returned<T>(
    x: T,
    mut frame: impl Frame,
    live: bool,
    show: impl FnOnce(&T, &mut CallValues),
    site: Option<&'static Site>,
) -> T {
    if live {
        seldom();
        if const { is_small::<T>() } {
            let x = returns_small(x, frame.slot(), show, site);
            std::mem::forget(frame);
            return x;
        }
        returns(&x, frame.slot(), show, site);
    }
    // The call has ended: there is nothing to drop, and nothing to ask.
    std::mem::forget(frame);
    x
}

/// The same, of a value that need not be in memory for it otherwise.
#[cold]
#[inline(never)]
#[track_caller]
fn returns_small<T>(
    x: T,
    slot: &mut OpenSlot,
    show: impl FnOnce(&T, &mut CallValues),
    site: Option<&'static Site>,
) -> T {
    returns(&x, slot, show, site);
    x
}

#[cold]
#[track_caller]
fn returns<T>(x: &T, slot: &mut OpenSlot, show: impl FnOnce(&T, &mut CallValues), site: Option<&'static Site>) {
    if let Some(site) = site {
        record::set_return(site, AnyValue::new(x).host_value().0, &Place::caller());
    }
    let mut values = CallValues::default();
    show(x, &mut values);
    slot.finish(&values, &Place::caller());
}

/// The function ends here, with a result that is not shown.
#[cold]
#[track_caller]
pub fn ends(slot: &mut OpenSlot) {
    let place = Place::caller();
    if let Some(open) = slot.get() {
        open.end = place;
    }
}

/// What `?` does with a value.
#[cold]
#[track_caller]
pub fn try_outcome(slot: &mut OpenSlot, outcome: Option<TryOutcome>, text: &str) {
    let place = Place::caller();
    match outcome {
        None => {}
        Some(TryOutcome::Continued(how)) => record::branch(text, (true, &format!("== {how}")), None, &place),
        Some(TryOutcome::Returned(how, value)) => {
            record::branch(text, (false, &format!("== {how}")), None, &place);
            record::left();
            slot.finish(&CallValues::single(&value), &place);
        }
    }
}

/// What `?` does with a value that has a node.
#[cold]
#[track_caller]
pub fn try_outcome_by(slot: &mut OpenSlot, outcome: Option<TryOutcome>, site: &'static Site) {
    let place = Place::caller();
    let decide = |taken, how: &str| record::decide(site, (taken, &format!("== {how}")), None, &place);
    match outcome {
        None => {}
        Some(TryOutcome::Continued(how)) => decide(true, how),
        Some(TryOutcome::Returned(how, value)) => {
            decide(false, how);
            record::left();
            slot.finish(&CallValues::single(&value), &place);
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
    record::branch(text, (condition, ""), block(if condition { then } else { other }), &Place::caller());
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
    compared(began, text, (true, &format!("matched {}", cut(pattern))), target, &Place::caller());
}

/// A value did not match a pattern.
#[cold]
#[track_caller]
pub fn missed(began: bool, text: &str, pattern: &str, target: u32) {
    compared(began, text, (false, &format!("did not match {}", cut(pattern))), target, &Place::caller());
}

fn compared(began: bool, text: &str, how: (bool, &str), target: u32, place: &Place) {
    if !began {
        record::begin_condition();
    }
    record::branch(text, how, block(target), place);
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
        seldom();
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
    header: Header,
    /// None if nothing is reported.
    place: Option<Place>,
}

/// The header of a `for`: where the next item is asked for.
struct Header {
    text: &'static str,
    /// The iterator, if everything is recorded.
    from: Option<&'static Site>,
    /// The header, the body, and what comes after.
    blocks: [u32; 3],
    /// The variables that it gets.
    variables: &'static [(&'static str, u32)],
}

/// The iterator of a `for`. The blocks: where the next item is asked for, the body, and what comes after.
#[inline]
#[track_caller]
pub fn each<I: IntoIterator>(items: I, live: bool, text: &'static str, blocks: [u32; 3]) -> TrackedIter<I::IntoIter> {
    let place = if live { Some(Place::caller()) } else { None };
    TrackedIter { inner: items.into_iter(), header: Header { text, from: None, blocks, variables: &[] }, place }
}

/// The same where everything is recorded; the variables are those that the header gets.
#[inline]
#[track_caller]
pub fn each_by<I: IntoIterator>(
    items: I,
    live: bool,
    site: &'static Site,
    blocks: [u32; 3],
    variables: &'static [(&'static str, u32)],
) -> TrackedIter<I::IntoIter> {
    let place = if live { Some(Place::caller()) } else { None };
    let header = Header { text: site.label, from: Some(site), blocks, variables };
    TrackedIter { inner: items.into_iter(), header, place }
}

impl Header {
    #[cold]
    fn begin(&self, place: &Place) {
        match self.from {
            Some(_) => record::receive(self.blocks[0], self.variables, place),
            None => {
                record::set_block(self.blocks[0]);
                record::begin_condition();
            }
        }
    }

    #[cold]
    fn end(&self, is_some: bool, place: &Place) {
        let (how, target) = if is_some { ("== Some", self.blocks[1]) } else { ("== None", self.blocks[2]) };
        match self.from {
            Some(site) => record::decide(site, (is_some, how), Some(target), place),
            None => record::branch(self.text, (is_some, how), Some(target), place),
        }
    }
}

impl<I: Iterator> Iterator for TrackedIter<I> {
    type Item = I::Item;
    #[inline]
    fn next(&mut self) -> Option<I::Item> {
        if let Some(place) = &self.place {
            self.header.begin(place);
        }
        let item = self.inner.next();
        if let Some(place) = &self.place {
            self.header.end(item.is_some(), place);
        }
        item
    }
}
