//! What `#[track]` and `tracked!` write into functions: reports of calls, blocks and jumps to the recording around them.
//!
//! Every report stands behind a flag that is read once when the function is entered. Nothing here is for users to call.

use crate::array::{Array, Repr};
use crate::numpy::Operand;
use crate::record::{Limited, cut};
use crate::trace;
use crate::tree::Tree;
use std::any::{TypeId, type_name};
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use wengert_core::Place;
use wengert_tape::record::{self, Call};

pub use wengert_tape::record::{Quiet, quiet};

/// Whether a recording or a trace on this thread wants to know.
#[inline]
pub fn live() -> bool {
    record::listening() || trace::tracing()
}

/// What a call is given or gives: arrays with their names, and other values as text.
#[derive(Default)]
pub struct Values(Vec<(String, Value)>);

enum Value {
    Array(Array),
    Text(String),
}

impl Values {
    fn text(&mut self, name: &str, text: String) {
        self.0.push((name.to_string(), Value::Text(text)));
    }

    fn debug(&mut self, name: &str, x: &(impl Debug + ?Sized)) {
        let _quiet = quiet();
        self.text(name, Limited::debug(x));
    }

    /// An argument that the function does not look at.
    pub fn unnamed(&mut self) {
        self.text("_", "_".to_string());
    }

    fn array(&mut self, name: &str, x: &Array) {
        self.0.push((name.to_string(), Value::Array(x.clone())));
    }

    fn tree<T: Tree>(&mut self, name: &str, x: &T) {
        let (mut leaves, mut names) = (Vec::new(), Vec::new());
        let structure = x.flatten(&mut leaves);
        T::paths(&structure, name, &mut names);
        if leaves.is_empty() {
            return self.debug(name, &structure);
        }
        self.0.extend(names.into_iter().zip(leaves.into_iter().map(Value::Array)));
    }

    /// A value of which the type may not be inferred yet: it must not depend on what is done with the value here.
    pub fn any<T: ?Sized>(&mut self, name: &str, x: &T) {
        if let Some(x) = as_array(x) {
            return self.array(name, x);
        }
        macro_rules! plain {
            ($($t:ty)*) => {$(
                if let Some(x) = cast::<T, $t>(x) {
                    return self.debug(name, x);
                }
            )*};
        }
        plain!(() bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 String);
        if let Some((a, b)) = cast::<T, (Array, Array)>(x) {
            self.array(name, a);
            return self.array(name, b);
        }
        self.text(name, short(type_name::<T>()).to_string());
    }

    pub(crate) fn given(&self) -> Vec<(&str, record::Given<'_, Array>)> {
        let given = self.0.iter().map(|(name, v)| match v {
            Value::Array(x) => (name.as_str(), record::Given::Array(x)),
            Value::Text(t) => (name.as_str(), record::Given::Text(t)),
        });
        given.collect()
    }
}

/// The last part of a path.
fn short(path: &str) -> &str {
    let head = path.find('<').unwrap_or(path.len());
    path[..head].rfind("::").map_or(path, |i| &path[i + 2..])
}

/// A value whose type decides how it is shown. The method is looked up with several `&` before it, and each is one
/// level: trees of arrays first, then what has `Debug`, then anything.
pub struct Probe<'a, T: ?Sized>(pub &'a T);

/// See [`Probe`].
pub trait Give {
    /// Adds the value under a name.
    fn give(&self, name: &str, to: &mut Values);
}

impl<T: Tree> Give for &&&Probe<'_, T> {
    fn give(&self, name: &str, to: &mut Values) {
        to.tree(name, self.0);
    }
}

macro_rules! give_references {
    ($($t:ty),*) => {$(
        impl<T: Tree> Give for &&Probe<'_, $t> {
            fn give(&self, name: &str, to: &mut Values) {
                to.tree(name, &**self.0);
            }
        }
    )*};
}
give_references!(&T, &mut T);

impl<T: Tree> Give for &&Probe<'_, Option<&T>> {
    fn give(&self, name: &str, to: &mut Values) {
        match self.0 {
            Some(x) => to.tree(name, *x),
            None => to.text(name, "None".to_string()),
        }
    }
}

impl Give for &&Probe<'_, Operand> {
    fn give(&self, name: &str, to: &mut Values) {
        match self.0 {
            Operand::Array(x) => to.array(name, x),
            Operand::Int(x) => to.debug(name, x),
            Operand::Float(x) => to.debug(name, x),
            Operand::Bool(x) => to.debug(name, x),
            Operand::Complex(x) => to.debug(name, x),
        }
    }
}

macro_rules! give_slices {
    ($($t:ty),*) => {$(
        impl<T: Tree> Give for &&Probe<'_, $t> {
            fn give(&self, name: &str, to: &mut Values) {
                if self.0.is_empty() {
                    to.text(name, "[]".to_string());
                }
                self.0.iter().enumerate().for_each(|(i, x)| to.tree(&format!("{name}.{i}"), x));
            }
        }
    )*};
}
give_slices!(&[T], &mut [T]);

impl<T: Debug + ?Sized> Give for &Probe<'_, T> {
    fn give(&self, name: &str, to: &mut Values) {
        to.debug(name, self.0);
    }
}

impl<T: ?Sized> Give for Probe<'_, T> {
    fn give(&self, name: &str, to: &mut Values) {
        to.text(name, short(type_name::<T>()).to_string());
    }
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
    fn attempt(&self) -> Option<Attempt> {
        None
    }
}
impl<T> UnknownAttempt for Probe<'_, T> {}

// These go before the trait, whatever the types inside are: nothing about them has to be inferred.
impl<T, E> Probe<'_, Result<T, E>> {
    /// What `?` sees.
    pub fn attempt(&self) -> Option<Attempt> {
        Some(match self.0 {
            Ok(_) => Attempt::Went("Ok"),
            Err(_) => Attempt::Left("Err", format!("Err({})", short(type_name::<E>()))),
        })
    }
}
impl<T> Probe<'_, Option<T>> {
    /// What `?` sees.
    pub fn attempt(&self) -> Option<Attempt> {
        Some(match self.0 {
            Some(_) => Attempt::Went("Some"),
            None => Attempt::Left("None", "None".to_string()),
        })
    }
}
impl<B, C> Probe<'_, ControlFlow<B, C>> {
    /// What `?` sees.
    pub fn attempt(&self) -> Option<Attempt> {
        Some(match self.0 {
            ControlFlow::Continue(_) => Attempt::Went("Continue"),
            ControlFlow::Break(_) => Attempt::Left("Break", format!("Break({})", short(type_name::<B>()))),
        })
    }
}

/// A type by its identity, whatever its lifetimes.
fn type_id<T: ?Sized>() -> TypeId {
    trait Id {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Id for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let phantom = PhantomData::<T>;
    // SAFETY: the value has no content, and `id` looks only at the type. Types that differ in lifetimes get one id.
    let phantom: &(dyn Id + 'static) = unsafe { std::mem::transmute::<&dyn Id, &(dyn Id + 'static)>(&phantom) };
    phantom.id()
}

/// A value as a type without lifetimes, if it is of that type.
fn cast<T: ?Sized, U: 'static>(x: &T) -> Option<&U> {
    // SAFETY: `U` has no lifetimes, so a type with its identity is `U` itself.
    (type_id::<T>() == TypeId::of::<U>()).then(|| unsafe { &*(&raw const *x).cast::<U>() })
}

/// An array, or a reference to one.
fn as_array<T: ?Sized>(x: &T) -> Option<&Array> {
    let reference = || {
        let id = type_id::<T>();
        let is = id == TypeId::of::<&'static Array>() || id == TypeId::of::<&'static mut Array>();
        // SAFETY: `T` is a reference to an array, of a lifetime that is at least that of the borrow `x`.
        is.then(|| unsafe { *(&raw const *x).cast::<&Array>() })
    };
    cast::<T, Array>(x).or_else(reference)
}

/// Names what a variable holds, if that is an array.
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

/// The open call of a tracked function; it ends when this is dropped, if it did not before.
pub struct Frame {
    call: Call,
    /// Where the function ends, if it may end without giving a value.
    end: Option<Place>,
}

impl Frame {
    /// A call that is not recorded.
    pub const SILENT: Frame = Frame { call: Call::SILENT, end: None };

    /// The function gives these values.
    #[track_caller]
    pub fn returns(&mut self, values: &Values) {
        self.finish(values, &Place::caller());
    }

    fn finish(&mut self, values: &Values, place: &Place) {
        let call = std::mem::replace(&mut self.call, Call::SILENT);
        let given: Vec<record::Given<'_, Array>> = values.given().into_iter().map(|(_, g)| g).collect();
        call.finish(&given, place);
    }

    /// What `?` does with a value.
    #[track_caller]
    pub fn attempt(&mut self, attempt: Option<Attempt>, text: &str) {
        let place = Place::caller();
        match attempt {
            None => {}
            Some(Attempt::Went(how)) => record::branch(text, how, None, &place),
            Some(Attempt::Left(how, value)) => {
                record::branch(text, how, None, &place);
                let mut values = Values::default();
                values.text("", value);
                self.finish(&values, &place);
            }
        }
    }
}

impl Drop for Frame {
    fn drop(&mut self) {
        if let Some(end) = self.end.take()
            && self.call.is_open()
            && !self.call.unwinds()
        {
            let mut values = Values::default();
            values.text("", "()".to_string());
            self.finish(&values, &end);
        }
    }
}

/// Opens a call. Its place is the statement that it is called from, if a tracked function says so, else its own.
#[track_caller]
pub fn enter(name: &str, owner: &str, module: &str, given: &Values, end: Option<Place>) -> Frame {
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
    Frame { call, end }
}

/// A value that a function gives, of the type that it says, and how to show it.
#[inline]
#[track_caller]
pub fn returned<T>(x: T, frame: &mut Frame, live: bool, show: impl FnOnce(&T, &mut Values)) -> T {
    if live {
        let mut values = Values::default();
        show(&x, &mut values);
        frame.returns(&values);
    }
    x
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
        let target = Some(if condition { then } else { other }).filter(|&t| t != 0);
        record::branch(text, if condition { "true" } else { "false" }, target, &Place::caller());
    }
    condition
}

/// A value that is compared with patterns next.
#[inline]
pub fn scrutinee<T>(_began: bool, x: T) -> T {
    x
}

/// A value matched a pattern. `began` if its evaluation was seen.
#[track_caller]
pub fn matched(began: bool, text: &str, pattern: &str, target: u32) {
    compared(began, text, &format!("matched {}", cut(pattern)), target, &Place::caller());
}

/// A value did not match a pattern.
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
