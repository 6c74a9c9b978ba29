//! What methods and functions of tracked functions are called of: numbers of the host, or anything else. The compiler tells them
//! apart by the type that stands in the source, where a parameter of a generic function is no number.

use crate::spot::Spot;
use std::any::TypeId;
use wengert_tape::record::{self, Site};

/// A value that a method is called of.
pub struct Receiver<T>(pub T);

/// Looked up after the methods that numbers have.
pub trait OtherReceiver<A, B>: Sized {
    /// What the method is called of.
    type Given;
    /// It is not known to be a number.
    fn wengert_receiver(self, a: A, b: B) -> Self::Given;
}

impl<T> OtherReceiver<bool, &'static Site> for Receiver<T> {
    type Given = T;
    #[inline]
    fn wengert_receiver(self, _: bool, _: &'static Site) -> T {
        self.0
    }
}

impl<T: ?Sized> OtherReceiver<&'static Site, &'static Site> for Spot<T> {
    type Given = ();
    #[cold]
    fn wengert_receiver(self, _: &'static Site, other: &'static Site) {
        record::copy_slots(other);
    }
}

/// A number of the host.
pub trait Number: Copy {}

macro_rules! numbers {
    ($($t:ty)*) => {$(
        impl Number for $t {}
    )*};
}
numbers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);

// One for all numbers: a literal whose type is not known yet is one of them.
impl<T: Number> Receiver<T> {
    /// It is a number: a slot says so.
    #[inline]
    pub fn wengert_receiver(self, live: bool, site: &'static Site) -> T {
        if live {
            record::copy_slots(site);
        }
        self.0
    }
}

impl<T: Number> Spot<T> {
    /// It is a number, which is looked at: a slot says so.
    #[cold]
    #[track_caller]
    pub fn wengert_receiver(self, number: &'static Site, _: &'static Site) {
        self.look(number);
    }
}

/// A function is called by a path: whether that is the function of a number.
pub fn same_function<F: 'static, N: 'static>(_: F, _: N, site: &'static Site) {
    if TypeId::of::<F>() == TypeId::of::<N>() {
        record::copy_slots(site);
    }
}
