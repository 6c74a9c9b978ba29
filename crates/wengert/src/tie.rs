//! Which functions the calls of a tracked function are of. The compiler knows them by their types: the type of what is called, or of
//! what a method is called of, goes from the call to where its value is looked at. It has no size, and outside of a recording
//! nothing is done with it.

use crate::shown::{How, Shows, show_at};
use crate::track::{passed_on, unknown};
use std::any::type_name;
use std::marker::PhantomData;
use wengert_tape::record::{Called, Site};

/// The type of something.
pub struct Tie<T: ?Sized>(PhantomData<fn(&T)>);

impl<T: ?Sized> Tie<T> {
    /// Of what it is, is said elsewhere.
    pub const NEW: Tie<T> = Tie(PhantomData);
}

/// A function that is called next, by its path.
#[inline(always)]
pub fn tie<'a, F: ?Sized>(f: &'a F, _: &Tie<F>) -> &'a F {
    f
}

/// A value that a method is called of.
#[inline(always)]
pub fn tie_value<T>(x: T, _: &Tie<T>) -> T {
    x
}

/// A place that a method is called of.
#[inline(always)]
pub fn tie_place<T: ?Sized>(_: *const T, _: &Tie<T>) {}

/// An index, in code that is never run: its type is that of what it is made of.
pub fn of_type<T>(_: &T) -> T {
    unreachable!("it stands where it is not run")
}

/// A call of a function by its path was evaluated: its value goes on, and is shown so.
#[inline]
#[track_caller]
pub fn called<T, F: ?Sized, M: Shows<T>>(
    x: T,
    live: bool,
    site: &'static Site,
    _: &Tie<F>,
    _: &Tie<T>,
    _: &How<M>,
) -> T {
    passed_on(x, live, site, || Called::Path(type_name::<F>()), show_at::<T, M>)
}

/// The same of a method.
#[inline]
#[track_caller]
pub fn called_of<T, R: ?Sized, M: Shows<T>>(
    _: &Tie<R>,
    x: T,
    live: bool,
    site: &'static Site,
    _: &Tie<T>,
    _: &How<M>,
) -> T {
    passed_on(x, live, site, || Called::MethodOf(type_name::<R>()), show_at::<T, M>)
}

/// The same, of a value that the method was called of.
#[inline]
#[track_caller]
pub fn called_of_value<T, R: ?Sized, M: Shows<T>>(
    x: T,
    live: bool,
    site: &'static Site,
    tie: &Tie<R>,
    of: &Tie<T>,
    how: &How<M>,
) -> T {
    called_of(tie, x, live, site, of, how)
}

/// The same of a tracked closure that the function has made.
#[inline]
#[track_caller]
pub fn called_closure<T, M: Shows<T>>(x: T, live: bool, site: &'static Site, _: &Tie<T>, _: &How<M>) -> T {
    passed_on(x, live, site, || Called::Closure, show_at::<T, M>)
}

/// The same where nothing is known of the function but its name.
#[inline]
#[track_caller]
pub fn called_unknown<T, M: Shows<T>>(x: T, live: bool, site: &'static Site, _: &Tie<T>, _: &How<M>) -> T {
    passed_on(x, live, site, unknown, show_at::<T, M>)
}
