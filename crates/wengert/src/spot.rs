//! Places of the user's that `#[track]` looks at by their address: fields and elements, after they were changed or before they
//! are compared.
//!
//! A reference would not do: there is none to a packed field.

use crate::array::Array;
use crate::call_values::{Showing, short_type};
use crate::known::{AnyValue, type_id};
use crate::tape::LimitedText;
use std::any::{TypeId, type_name};
use std::mem::align_of;
use wengert_core::Place;
use wengert_tape::record::{self, HostValue, Site};

/// The address of a place, if it is known.
///
/// `#[track]` makes one, and uses it up in the same expression: the place is initialized, and nobody writes to it.
pub struct Spot<T: ?Sized>(Option<*const T>);

/// While this lives, tracked functions record nothing: `Deref` may be one.
pub fn only_looking() -> Showing {
    Showing::start()
}

impl<T: ?Sized> Spot<T> {
    /// The place at an address.
    ///
    /// # Safety
    /// Until the spot is used up, a value of the type is there, also where a reference or a box in it leads to, and nobody
    /// writes to it. The address need not be aligned.
    pub unsafe fn of(place: *const T) -> Spot<T> {
        Spot(Some(place))
    }

    /// The value there as one of this type, if it is one and can be borrowed.
    fn borrowed<U: 'static>(&self) -> Option<&U> {
        let p = self.0.filter(|_| type_id::<T>() == TypeId::of::<U>())?.cast::<U>();
        // SAFETY: the place has a value of this type, which has no lifetimes, and see the type.
        (p.addr() % align_of::<U>() == 0).then(|| unsafe { &*p })
    }

    fn number(&self) -> Option<HostValue<'static, Array>> {
        // SAFETY: the place has a value of this type, and see the type.
        self.0.and_then(|p| unsafe { AnyValue::at(p) }.own_number())
    }

    /// Records what is there.
    #[cold]
    #[track_caller]
    pub fn look(self, site: &'static Site) {
        let value = match (self.number(), self.borrowed::<Array>()) {
            (Some(x), _) => x,
            (_, Some(x)) => HostValue::Array(x),
            _ => {
                let text = self.borrowed::<String>().map(LimitedText::debug);
                let text = text.unwrap_or(record::UNSHOWN.to_string()).into();
                HostValue::Text { text, ty: short_type(type_name::<T>()).into() }
            }
        };
        record::evaluated(site, value, &Place::caller());
        self.stored(site, &Place::caller());
    }

    /// Says of an assignment that its value may have borrowed variables, unless its type says that it has not.
    fn stored(self, site: &'static Site, place: &Place) {
        // SAFETY: the place has a value of this type, and see the type.
        if self.0.is_none_or(|p| unsafe { !AnyValue::at(p).borrows_nothing() }) {
            record::stored(site, place);
        }
    }

    /// Records what is there now, which is behind a variable: what else than a reference or a box may lead elsewhere to change it.
    #[cold]
    #[track_caller]
    pub fn look_behind<P: ?Sized>(self, _: *const P, site: &'static Site) {
        let leads_here = ["&", "*", "alloc::boxed::Box<"].iter().any(|p| type_name::<P>().starts_with(p));
        if leads_here { self.look(site) } else { self.changed(site) }
    }

    /// Records that a part of a variable was changed, and what it is now if it is a number.
    #[cold]
    #[track_caller]
    pub fn changed(self, site: &'static Site) {
        record::changed(site, self.number(), &Place::caller());
        self.stored(site, &Place::caller());
    }
}

/// The elements of what is no list that is known here.
pub trait UnknownElement {
    /// Nothing is known.
    fn wengert_element<I>(&self, _: &Option<I>) -> Spot<()> {
        Spot(None)
    }
}
impl<T: ?Sized> UnknownElement for Spot<T> {}

/// An element of a slice, if the index is a number.
fn element<T, I>(list: *const [T], index: &Option<I>) -> Spot<T> {
    let index = index.as_ref().filter(|_| type_id::<I>() == TypeId::of::<usize>());
    // SAFETY: `I` is `usize`.
    let index = index.map(|i| unsafe { *(&raw const *i).cast::<usize>() }).filter(|&i| i < list.len());
    Spot(index.map(|i| list.cast::<T>().wrapping_add(i)))
}

// These go before the trait, whatever the types inside are.
macro_rules! lists {
    ($(impl[$($g:tt)*] $list:ty, $p:ident => $slice:expr;)*) => {$(
        impl<$($g)*> Spot<$list> {
            /// An element.
            pub fn wengert_element<I>(&self, index: &Option<I>) -> Spot<T> {
                self.0.map_or(Spot(None), |$p| element($slice, index))
            }
        }
    )*};
}
lists! {
    impl[T] [T], p => p;
    impl[T, const N: usize] [T; N], p => p as *const [T];
    impl[T] Vec<T>, p => slice_of(p);
    impl[T] &mut [T], p => pointed_to(p.cast::<*const [T]>());
    impl[T, const N: usize] &mut [T; N], p => pointed_to(p.cast::<*const [T; N]>()) as *const [T];
    impl[T] &mut Vec<T>, p => slice_of(pointed_to(p.cast::<*const Vec<T>>()));
    impl[T] Box<[T]>, p => pointed_to(p.cast::<*const [T]>());
}

/// What a reference or a box leads to, which may be in a packed struct.
fn pointed_to<P: Copy>(p: *const P) -> P {
    // SAFETY: a reference and a box are pointers to the same, and see `Spot`.
    unsafe { p.read_unaligned() }
}

fn slice_of<T>(p: *const Vec<T>) -> *const [T] {
    // SAFETY: it was borrowed to be indexed, so it is not in a packed struct; and see `Spot`.
    unsafe { (*p).as_slice() }
}

/// An index on its way, which is kept if it is a number.
#[inline]
pub fn index<I>(i: I, live: bool, kept: &mut Option<I>) -> I {
    if live && type_id::<I>() == TypeId::of::<usize>() {
        // SAFETY: `I` is `usize`, of which there may be copies.
        *kept = Some(unsafe { std::ptr::read(&i) });
    }
    i
}

/// A value after which something else was done.
#[inline]
pub fn then<T>(x: T, _done: ()) -> T {
    x
}

/// A value that was computed after something else was done.
#[inline]
pub fn after<T>(_done: (), x: T) -> T {
    x
}
