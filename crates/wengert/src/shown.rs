//! How variables of tracked functions are shown whose type is inferred. Where a variable gets its value, its type may be known only by
//! what follows; so the compiler is asked at the end of the function whether the type has `Debug`, and the answer, which is a type
//! itself, goes back to where the value is looked at. Outside of a recording nothing is done with it.

use crate::call_values::{short_type, shown_text};
use crate::tie::Tie;
use std::any::type_name;
use std::fmt::Debug;
use std::marker::PhantomData;
use wengert_tape::record::{self, Site};

/// How the values of a type are shown, which is said at the end of the function.
pub struct How<M>(PhantomData<M>);

impl<M> How<M> {
    /// It is said elsewhere.
    pub const NEW: How<M> = How(PhantomData);

    /// Says it, in code that is never run.
    pub fn is(&self, _: M) {}
}

/// How values of a type are shown.
pub trait Shows<T> {
    /// The text of a value, if it is shown at all.
    fn text(x: &T) -> Option<String>;
}

/// As `Debug` does.
pub struct ByDebug;

impl<T: Debug> Shows<T> for ByDebug {
    fn text(x: &T) -> Option<String> {
        Some(shown_text(x))
    }
}

/// Not at all.
pub struct ByNothing;

impl<T> Shows<T> for ByNothing {
    fn text(_: &T) -> Option<String> {
        None
    }
}

/// Looked up with one more `&` than [`HasNone`], it goes before it.
pub trait HasDebug {
    /// How the values of a type are shown.
    fn wengert_how(&self) -> ByDebug {
        ByDebug
    }
}

impl<T: Debug> HasDebug for &Tie<T> {}

/// Any other type.
pub trait HasNone {
    /// How the values of a type are shown.
    fn wengert_how(&self) -> ByNothing {
        ByNothing
    }
}

impl<T> HasNone for Tie<T> {}

/// A variable has got this value: its node shows it, if none of what is known of it did.
#[cold]
#[inline(never)]
pub fn show<T, M: Shows<T>>(x: &T, _: &Tie<T>, _: &How<M>, slot: u32) {
    // Where something lies is another address in each run.
    let is_address = |ty: &str| ["*const ", "*mut ", "fn("].iter().any(|p| ty.contains(p));
    if record::is_unshown(slot)
        && !is_address(type_name::<T>())
        && let Some(text) = M::text(x)
    {
        record::show(slot, &text, &short_type(type_name::<T>()));
    }
}

/// The same of a value that went to a site's slot.
pub(crate) fn show_at<T, M: Shows<T>>(x: &T, site: &'static Site) {
    if let [slot, ..] = site.into {
        show(x, &Tie::NEW, &How::<M>::NEW, *slot);
    }
}

/// The value of a body, and what stands after it.
#[inline(always)]
pub fn last<T>(x: T, (): ()) -> T {
    x
}
