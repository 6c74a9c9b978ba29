//! Arithmetic on single elements, with StableHLO's meaning: for each class of element types, a table from ops to loops.

mod complex;
mod convert;
mod float;
mod integer;

pub(crate) use convert::{Cast, narrow_into, widest};
pub(crate) use float::Real;

use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Complex, Element, bf16, f16};

/// An operand of a loop: one value at every position, or one for each.
#[derive(Clone, Copy)]
pub(crate) enum Arg<'a, T> {
    One(T),
    Each(&'a [T]),
}

impl<T: Copy> Arg<'_, T> {
    /// The value at a position.
    pub(crate) fn at(&self, i: usize) -> T {
        match self {
            Arg::One(x) => *x,
            Arg::Each(v) => v[i],
        }
    }

    /// The operand at some of the positions.
    pub(crate) fn slice(&self, range: std::ops::Range<usize>) -> Self {
        match self {
            Arg::One(x) => Arg::One(*x),
            Arg::Each(v) => Arg::Each(&v[range]),
        }
    }
}

/// A loop over one operand. What runs it splits large arrays.
pub(crate) type Map<T, U> = fn(&[T], &mut [U]);

/// A loop over two operands.
pub(crate) type Zip<T, U> = fn(Arg<'_, T>, Arg<'_, T>, &mut [U]);

/// The [`Map`] of a function of one element. The loop is spelled out: there are hundreds of these, and each iterator would be
/// ten functions more to compile.
macro_rules! map {
    ($f:expr) => {
        |x, y| {
            let f = $f;
            let (n, mut i) = (y.len(), 0);
            let x = &x[..n];
            while i < n {
                y[i] = f(x[i]);
                i += 1;
            }
        }
    };
}

/// The [`Zip`] of a function of two elements.
macro_rules! zip {
    ($f:expr) => {
        |x, y, out| {
            $crate::kernels::number::zipped(x, y, out, |x, y, out| {
                let f = $f;
                let (n, mut i) = (out.len(), 0);
                let (x, y) = (&x[..n], &y[..n]);
                while i < n {
                    out[i] = f(x[i], y[i]);
                    i += 1;
                }
            })
        }
    };
}
pub(crate) use {map, zip};

/// Runs a loop that wants an element of each operand at every position. So each op is one loop, and not one for every form
/// that its operands may have.
#[inline(never)]
pub(crate) fn zipped<T: Copy, U: Copy>(x: Arg<'_, T>, y: Arg<'_, T>, out: &mut [U], f: fn(&[T], &[T], &mut [U])) {
    /// How often a value is written side by side that is there at every position.
    const COPIES: usize = 128;
    match (x, y) {
        (Arg::Each(x), Arg::Each(y)) => f(x, y, out),
        (Arg::One(x), Arg::One(y)) => {
            if let Some((first, rest)) = out.split_first_mut() {
                f(&[x], &[y], std::slice::from_mut(first));
                rest.fill(*first);
            }
        }
        (Arg::Each(x), Arg::One(y)) => {
            let y = [y; COPIES];
            x.chunks(COPIES).zip(out.chunks_mut(COPIES)).for_each(|(x, out)| f(x, &y[..x.len()], out));
        }
        (Arg::One(x), Arg::Each(y)) => {
            let x = [x; COPIES];
            y.chunks(COPIES).zip(out.chunks_mut(COPIES)).for_each(|(y, out)| f(&x[..y.len()], y, out));
        }
    }
}

/// The elementwise ops an element type has; `None` for those it has not.
pub(crate) trait Number: Element + Cast {
    /// The type of the parts of complex numbers; other types are their own.
    type Part: Element;
    /// Ops whose result has the type of the operand.
    fn unary(op: Unary) -> Option<Map<Self, Self>>;
    /// Ops that take a complex number to a real one.
    fn part(_: Unary) -> Option<Map<Self, Self::Part>> {
        None
    }
    /// Ops whose result is `bool`.
    fn test(_: Unary) -> Option<Map<Self, bool>> {
        None
    }
    /// Ops whose result has the type of the operands.
    fn binary(op: Binary) -> Option<Zip<Self, Self>>;
    /// Comparisons.
    fn compare(op: Direction) -> Option<Zip<Self, bool>>;
}

/// The loop of an op on two operands of a type it takes.
pub(crate) fn binary<T: Number>(op: Binary) -> Zip<T, T> {
    T::binary(op).unwrap_or_else(|| missing::<T>(op.as_str()))
}

/// Typing let an op through that the table of its element type lacks.
pub(crate) fn missing<T: Number>(op: &str) -> ! {
    panic!("`{op}` takes {}, and the table for that type in `kernels/number/` does not have it", T::DTYPE)
}

/// A type with the one its sums and products are kept in.
pub(crate) trait Accumulate: Number {
    /// `f32` for the short floats; other types are their own.
    type Acc: Number;
    /// These elements; `room` is for those that need another form.
    fn lift<'a>(x: &'a [Self], room: &'a mut [Self::Acc]) -> &'a [Self::Acc];
    /// One element.
    fn lift_one(self) -> Self::Acc;
    /// Back, rounded.
    fn lower(x: Self::Acc) -> Self;
}

macro_rules! accumulate {
    ($($t:ty)*) => {$(
        impl Accumulate for $t {
            type Acc = $t;
            fn lift<'a>(x: &'a [$t], _: &'a mut [$t]) -> &'a [$t] {
                x
            }
            fn lift_one(self) -> $t {
                self
            }
            fn lower(x: $t) -> $t {
                x
            }
        }
    )*};
}
accumulate! { bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Complex<f32> Complex<f64> }

macro_rules! accumulate_wide {
    ($($t:ty)*) => {$(
        impl Accumulate for $t {
            type Acc = f32;
            fn lift<'a>(x: &'a [$t], room: &'a mut [f32]) -> &'a [f32] {
                let room = &mut room[..x.len()];
                x.iter().zip(room.iter_mut()).for_each(|(x, y)| *y = x.to_f32());
                room
            }
            fn lift_one(self) -> f32 {
                self.to_f32()
            }
            fn lower(x: f32) -> $t {
                <$t>::from_f32(x)
            }
        }
    )*};
}
accumulate_wide! { f16 bf16 }

/// The comparisons of an ordered type; those with NaN are false, but for `ne`.
fn ordered<T: Element + PartialOrd>(op: Direction) -> Zip<T, bool> {
    match op {
        Direction::Eq => zip!(|x: T, y: T| x == y),
        Direction::Ne => zip!(|x: T, y: T| x != y),
        Direction::Lt => zip!(|x: T, y: T| x < y),
        Direction::Le => zip!(|x: T, y: T| x <= y),
        Direction::Gt => zip!(|x: T, y: T| x > y),
        Direction::Ge => zip!(|x: T, y: T| x >= y),
    }
}

impl Number for bool {
    type Part = bool;

    fn unary(op: Unary) -> Option<Map<bool, bool>> {
        (op == Unary::Not).then_some(map!(|x: bool| !x))
    }

    fn binary(op: Binary) -> Option<Zip<bool, bool>> {
        Some(match op {
            Binary::Add | Binary::Or | Binary::Max => zip!(|x: bool, y: bool| x | y),
            Binary::Mul | Binary::And | Binary::Min => zip!(|x: bool, y: bool| x & y),
            Binary::Xor => zip!(|x: bool, y: bool| x ^ y),
            _ => return None,
        })
    }

    fn compare(op: Direction) -> Option<Zip<bool, bool>> {
        Some(ordered(op))
    }
}
