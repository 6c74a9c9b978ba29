//! Running sums, products and extremes along an axis.

use super::axes::resolve_axis;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::ok;
use wengert_core::ops::{Cumulative, CumulativeKind};
use wengert_core::{DType, Place};

impl Array {
    #[track_caller]
    fn cumulative(&self, kind: CumulativeKind, axis: isize) -> Array {
        let place = Place::caller();
        let dim = ok(resolve_axis(axis, self.rank(), &place));
        ok(try_bind(Cumulative { kind, dim, reverse: false }.into(), &[self], place)).remove(0)
    }

    /// Counts instead of bools, for sums and products.
    #[track_caller]
    fn counts(&self) -> Array {
        if self.dtype() == DType::Bool { self.to(DType::I64) } else { self.clone() }
    }
}

macro_rules! cumulative {
    ($($name:ident $kind:ident $prepare:ident $what:literal: $of:expr => $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!($what, " each element and all before it along an axis.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let y = Array::from(", stringify!($of), ").", stringify!($name), "(0);")]
            #[doc = concat!("assert_eq!(y, Array::from(", stringify!($value), "));")]
            /// ```
            #[track_caller]
            pub fn $name(&self, axis: isize) -> Array {
                self.$prepare().cumulative(CumulativeKind::$kind, axis)
            })*
        }
    };
}
cumulative! {
    cumsum Sum counts "The sum of": [1, 2, 3] => [1, 3, 6];
    cumprod Prod counts "The product of": [1, 2, 3, 4] => [1, 2, 6, 24];
    cummax Max clone "The largest of": [1, 3, 2] => [1, 3, 3];
    cummin Min clone "The smallest of": [3, 1, 2] => [3, 1, 1];
    cumlogsumexp LogSumExp to_inexact "The logarithm of the sum of the exponentials of": [0.0f32, -1e9] => [0.0f32, 0.0];
}
