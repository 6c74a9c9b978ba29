//! Integers: arithmetic wraps, division by zero gives all bits set, shifts by the width or more push every bit out.

use super::{Map, Number, Zip, map, ordered, zip};
use wengert_core::ops::{Binary, Direction, Unary};

macro_rules! integer {
    ($(($t:ty, $unsigned:ty, $signed:ty))*) => {$(
        impl Number for $t {
            type Part = $t;

            fn unary(op: Unary) -> Option<Map<$t, $t>> {
                Some(match op {
                    #[allow(unused_comparisons)]
                    Unary::Abs => map!(|x: $t| if x < 0 { x.wrapping_neg() } else { x }),
                    #[allow(unused_comparisons)]
                    Unary::Sign => map!(|x: $t| (x > 0) as $t - (x < 0) as $t),
                    Unary::Neg => map!(<$t>::wrapping_neg),
                    Unary::Not => map!(|x: $t| !x),
                    Unary::Popcnt => map!(|x: $t| x.count_ones() as $t),
                    Unary::Clz => map!(|x: $t| x.leading_zeros() as $t),
                    _ => return None,
                })
            }

            fn binary(op: Binary) -> Option<Zip<$t, $t>> {
                Some(match op {
                    Binary::Add => zip!(<$t>::wrapping_add),
                    Binary::Sub => zip!(<$t>::wrapping_sub),
                    Binary::Mul => zip!(<$t>::wrapping_mul),
                    Binary::Div => zip!(|x: $t, y: $t| if y == 0 { !0 } else { x.wrapping_div(y) }),
                    Binary::Rem => zip!(|x: $t, y: $t| if y == 0 { x } else { x.wrapping_rem(y) }),
                    Binary::Pow => zip!(|x: $t, y: $t| {
                        // As reals and cut towards zero: 1/xⁿ is zero unless x is a unit.
                        #[allow(unused_comparisons)]
                        match (x, y < 0) {
                            (_, false) => power(x, y as $unsigned, <$t>::wrapping_mul),
                            (1, true) => 1,
                            (x, true) if x == !0 => if y & 1 == 0 { 1 } else { x },
                            _ => 0,
                        }
                    }),
                    Binary::Max => zip!(<$t as Ord>::max),
                    Binary::Min => zip!(<$t as Ord>::min),
                    Binary::And => zip!(|x: $t, y: $t| x & y),
                    Binary::Or => zip!(|x: $t, y: $t| x | y),
                    Binary::Xor => zip!(|x: $t, y: $t| x ^ y),
                    Binary::Shl => zip!(|x: $t, y: $t| if within(y) { x << y } else { 0 }),
                    Binary::ShrArithmetic => zip!(|x: $t, y: $t| {
                        ((x as $signed) >> if within(y) { y as u32 } else { <$t>::BITS - 1 }) as $t
                    }),
                    Binary::ShrLogical => zip!(|x: $t, y: $t| {
                        if within(y) { ((x as $unsigned) >> y) as $t } else { 0 }
                    }),
                    _ => return None,
                })
            }

            fn compare(op: Direction) -> Option<Zip<$t, bool>> {
                Some(ordered(op))
            }
        }

        impl Shift for $t {
            fn within(self) -> bool {
                (self as $unsigned as u64) < <$t>::BITS as u64
            }
        }
    )*};
}
integer! {
    (i8, u8, i8) (i16, u16, i16) (i32, u32, i32) (i64, u64, i64)
    (u8, u8, i8) (u16, u16, i16) (u32, u32, i32) (u64, u64, i64)
}

/// Whether a number, taken as unsigned, is a shift by less than the width.
trait Shift {
    fn within(self) -> bool;
}

fn within(y: impl Shift) -> bool {
    y.within()
}

/// `x` multiplied `n` times, by squaring.
fn power<T: Copy + From<bool>>(mut x: T, n: impl Into<u64>, mul: fn(T, T) -> T) -> T {
    let (mut n, mut y): (u64, T) = (n.into(), true.into());
    while n > 0 {
        if n & 1 == 1 {
            y = mul(y, x);
        }
        x = mul(x, x);
        n >>= 1;
    }
    y
}
