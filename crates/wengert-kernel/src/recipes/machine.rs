//! What recipes are done on: numbers, one at a time, or instructions of the kernel language.

use crate::ir::{Binary, Builder, Callee, Compare, Kind, Unary, Value};
use std::cell::RefCell;
use std::marker::PhantomData;

/// Numbers whose last bit is worth 1, of `f32` and of `f64`: a sum with one is rounded to a whole number.
pub const WHOLE: (f64, f64) = (12_582_912.0, 6_755_399_441_055_744.0);

/// What recipes are done on. Its floats are all `f32` or all `f64`, its whole numbers have as many bits.
pub trait Machine {
    /// A float.
    type Float: Copy;
    /// A whole number with a sign.
    type Int: Copy;
    /// A boolean.
    type Bool: Copy;

    /// Whether floats are `f64`.
    fn is_wide(&self) -> bool;
    /// A number, rounded.
    fn float(&self, x: f64) -> Self::Float;
    /// A whole number.
    fn int(&self, x: i64) -> Self::Int;
    /// An operation on one number.
    fn unary(&self, op: Unary, x: Self::Float) -> Self::Float;
    /// An operation on two numbers.
    fn binary(&self, op: Binary, x: Self::Float, y: Self::Float) -> Self::Float;
    /// `x · y + z`, rounded once.
    fn mul_add(&self, x: Self::Float, y: Self::Float, z: Self::Float) -> Self::Float;
    /// An operation on two whole numbers.
    fn integers(&self, op: Binary, x: Self::Int, y: Self::Int) -> Self::Int;
    /// A comparison.
    fn compare(&self, op: Compare, x: Self::Float, y: Self::Float) -> Self::Bool;
    /// Whether a whole number is zero.
    fn is_zero(&self, x: Self::Int) -> Self::Bool;
    /// The first number if the condition holds, else the second.
    fn select(&self, condition: Self::Bool, x: Self::Float, y: Self::Float) -> Self::Float;
    /// The bits.
    fn bits(&self, x: Self::Float) -> Self::Int;
    /// The number with these bits.
    fn of_bits(&self, x: Self::Int) -> Self::Float;

    /// What a function gives where a condition holds, which is rare, else a number.
    fn call_where(&self, f: &Rare, condition: Self::Bool, x: Self::Float, otherwise: Self::Float) -> Self::Float;
    /// What a function of two numbers gives where a condition holds, which is rare, else a number.
    fn call_pair_where(
        &self,
        f: &RarePair,
        condition: Self::Bool,
        x: [Self::Float; 2],
        otherwise: Self::Float,
    ) -> Self::Float;

    /// One of two values, by the precision: of `f32`, of `f64`.
    #[inline(always)]
    fn pick<T>(&self, narrow: T, wide: T) -> T {
        if self.is_wide() { wide } else { narrow }
    }
    /// How many bits stand below those of the exponent.
    #[inline(always)]
    fn place(&self) -> i64 {
        self.pick(23, 52)
    }
    /// The bits of a number, rounded.
    #[inline(always)]
    fn bits_of(&self, x: f64) -> i64 {
        self.pick((x as f32).to_bits() as i64, x.to_bits() as i64)
    }
    /// The sum.
    #[inline(always)]
    fn add(&self, x: Self::Float, y: Self::Float) -> Self::Float {
        self.binary(Binary::Add, x, y)
    }
    /// The difference.
    #[inline(always)]
    fn sub(&self, x: Self::Float, y: Self::Float) -> Self::Float {
        self.binary(Binary::Sub, x, y)
    }
    /// The product.
    #[inline(always)]
    fn mul(&self, x: Self::Float, y: Self::Float) -> Self::Float {
        self.binary(Binary::Mul, x, y)
    }
    /// The quotient.
    #[inline(always)]
    fn div(&self, x: Self::Float, y: Self::Float) -> Self::Float {
        self.binary(Binary::Div, x, y)
    }
    /// The number with the other sign.
    #[inline(always)]
    fn neg(&self, x: Self::Float) -> Self::Float {
        self.unary(Unary::Neg, x)
    }
    /// The absolute value.
    #[inline(always)]
    fn abs(&self, x: Self::Float) -> Self::Float {
        self.unary(Unary::Abs, x)
    }
    /// `z - x · y`, rounded once.
    #[inline(always)]
    fn minus_product(&self, z: Self::Float, x: Self::Float, y: Self::Float) -> Self::Float {
        self.mul_add(self.neg(x), y, z)
    }
    /// `x · 2ⁿ`, of numbers as [`Binary::Scale`] takes them.
    #[inline(always)]
    fn scale(&self, x: Self::Float, n: Self::Float) -> Self::Float {
        // The last bit of this number is worth 1, so that a sum with it has the whole number in its lowest bits.
        let whole = self.bits(self.add(n, self.float(self.pick(WHOLE.0, WHOLE.1))));
        let half = self.integers(Binary::ShrLogical, whole, self.int(1));
        let other = self.integers(Binary::Sub, whole, half);
        [half, other].into_iter().fold(x, |x, part| {
            let exponent = self.integers(Binary::Shl, part, self.int(self.place()));
            self.mul(x, self.of_bits(self.integers(Binary::Add, exponent, self.int(self.bits_of(1.0)))))
        })
    }
    /// The first number where `x` is less than a limit, else the second.
    #[inline(always)]
    fn where_less(&self, x: Self::Float, limit: f64, then: Self::Float, otherwise: Self::Float) -> Self::Float {
        let limit = self.float(limit);
        let is_less = self.compare(Compare::Lt, x, limit);
        self.select(is_less, then, otherwise)
    }
    /// The number, or a limit where it is greater; NaN stays.
    #[inline(always)]
    fn at_most(&self, x: Self::Float, limit: f64) -> Self::Float {
        self.binary(Binary::MinOrSecond, self.float(limit), x)
    }
    /// The number, or a limit where it is less; NaN stays.
    #[inline(always)]
    fn at_least(&self, x: Self::Float, limit: f64) -> Self::Float {
        self.binary(Binary::MaxOrSecond, self.float(limit), x)
    }
    /// A polynomial, by the coefficients of the precision.
    #[inline(always)]
    fn series(&self, x: Self::Float, series: &Series) -> Self::Float {
        if self.is_wide() {
            self.polynomial(x, series.wide.len(), |i| series.wide[i])
        } else {
            self.polynomial(x, series.narrow.len(), |i| series.narrow[i] as f64)
        }
    }
    /// The same where the square is known.
    #[inline(always)]
    fn series_by(&self, x: Self::Float, square: Self::Float, series: &Series) -> Self::Float {
        if self.is_wide() {
            self.by_square(x, square, series.wide.len(), |i| series.wide[i])
        } else {
            self.by_square(x, square, series.narrow.len(), |i| series.narrow[i] as f64)
        }
    }
    /// A polynomial by a table of coefficients, from the highest on. The constant one comes last: what the others are rounded
    /// by counts as little as they do.
    #[inline(always)]
    fn by_table(&self, x: Self::Float, table: &[f64]) -> Self::Float {
        self.constant_last(x, table.len(), |i| table[i])
    }
    /// The same by a function that gives coefficients.
    #[inline(always)]
    fn constant_last(&self, x: Self::Float, count: usize, coefficient: impl Fn(usize) -> f64) -> Self::Float {
        self.mul_add(x, self.polynomial(x, count - 1, &coefficient), self.float(coefficient(count - 1)))
    }
    /// A polynomial of so many coefficients, from the highest on. Long ones are two, of even and of odd powers: each waits
    /// for itself only.
    #[inline(always)]
    fn polynomial(&self, x: Self::Float, count: usize, coefficient: impl Fn(usize) -> f64) -> Self::Float {
        if count >= 6 {
            return self.by_square(x, self.mul(x, x), count, coefficient);
        }
        let mut sum = self.float(coefficient(0));
        for i in 1..count {
            sum = self.mul_add(sum, x, self.float(coefficient(i)));
        }
        sum
    }
    /// A polynomial of so many coefficients as two, of even and of odd powers.
    #[inline(always)]
    fn by_square(
        &self,
        x: Self::Float,
        square: Self::Float,
        count: usize,
        coefficient: impl Fn(usize) -> f64,
    ) -> Self::Float {
        let at = |i| self.float(coefficient(i));
        let mut sum = at(0);
        let mut other = at(1);
        for i in 2..count {
            let next = self.mul_add(sum, square, at(i));
            (sum, other) = (other, next);
        }
        self.mul_add(sum, x, other)
    }
}

/// The coefficients of a polynomial in both precisions, from the highest on.
pub struct Series {
    /// For `f32`.
    pub narrow: &'static [f32],
    /// For `f64`.
    pub wide: &'static [f64],
}

/// A function that is called for the few numbers that a recipe has nothing for, in both precisions.
pub struct Rare {
    /// Of an `f32`.
    pub narrow: extern "C" fn(f32) -> f32,
    /// Of an `f64`.
    pub wide: extern "C" fn(f64) -> f64,
}

/// The same of two numbers.
pub struct RarePair {
    /// Of `f32`.
    pub narrow: extern "C" fn(f32, f32) -> f32,
    /// Of `f64`.
    pub wide: extern "C" fn(f64, f64) -> f64,
}

/// Recipes done on numbers of one type.
pub struct Numbers<F>(PhantomData<F>);

impl<F> Numbers<F> {
    /// The machine.
    pub fn new() -> Numbers<F> {
        Numbers(PhantomData)
    }
}

impl<F> Default for Numbers<F> {
    fn default() -> Numbers<F> {
        Numbers::new()
    }
}

macro_rules! numbers {
    ($(($F:ty, $I:ty, $U:ty, $wide:literal, $rare:ident))*) => {$(
        impl Machine for Numbers<$F> {
            type Float = $F;
            type Int = $I;
            type Bool = bool;

            #[inline(always)]
            fn is_wide(&self) -> bool {
                $wide
            }
            #[inline(always)]
            fn float(&self, x: f64) -> $F {
                x as $F
            }
            #[inline(always)]
            fn int(&self, x: i64) -> $I {
                x as $I
            }
            #[inline(always)]
            fn unary(&self, op: Unary, x: $F) -> $F {
                match op {
                    Unary::Neg => -x,
                    Unary::Abs => x.abs(),
                    Unary::Sqrt => x.sqrt(),
                    Unary::Floor => x.floor(),
                    Unary::RoundEven => x.round_ties_even(),
                    op => unreachable!("no recipe has {op:?}"),
                }
            }
            #[inline(always)]
            fn binary(&self, op: Binary, x: $F, y: $F) -> $F {
                match op {
                    Binary::Add => x + y,
                    Binary::Sub => x - y,
                    Binary::Mul => x * y,
                    Binary::Div => x / y,
                    Binary::CopySign => x.copysign(y),
                    Binary::MinOrSecond => if x < y { x } else { y },
                    Binary::MaxOrSecond => if x > y { x } else { y },
                    op => unreachable!("no recipe has {op:?} of floats"),
                }
            }
            #[inline(always)]
            fn mul_add(&self, x: $F, y: $F, z: $F) -> $F {
                x.mul_add(y, z)
            }
            #[inline(always)]
            fn integers(&self, op: Binary, x: $I, y: $I) -> $I {
                match op {
                    Binary::Add => x.wrapping_add(y),
                    Binary::Sub => x.wrapping_sub(y),
                    Binary::And => x & y,
                    Binary::Or => x | y,
                    Binary::Xor => x ^ y,
                    Binary::Shl => x.wrapping_shl(y as u32),
                    Binary::ShrLogical => ((x as $U).wrapping_shr(y as u32)) as $I,
                    op => unreachable!("no recipe has {op:?} of integers"),
                }
            }
            #[inline(always)]
            fn compare(&self, op: Compare, x: $F, y: $F) -> bool {
                match op {
                    Compare::Eq => x == y,
                    Compare::Ne => x != y,
                    Compare::Lt => x < y,
                    Compare::Le => x <= y,
                    Compare::Gt => x > y,
                    Compare::Ge => x >= y,
                }
            }
            #[inline(always)]
            fn is_zero(&self, x: $I) -> bool {
                x == 0
            }
            #[inline(always)]
            fn select(&self, condition: bool, x: $F, y: $F) -> $F {
                if condition { x } else { y }
            }
            #[inline(always)]
            fn call_where(&self, f: &Rare, condition: bool, x: $F, otherwise: $F) -> $F {
                if condition { (f.$rare)(x) } else { otherwise }
            }
            #[inline(always)]
            fn call_pair_where(&self, f: &RarePair, condition: bool, x: [$F; 2], otherwise: $F) -> $F {
                if condition { (f.$rare)(x[0], x[1]) } else { otherwise }
            }
            #[inline(always)]
            fn bits(&self, x: $F) -> $I {
                x.to_bits() as $I
            }
            #[inline(always)]
            fn of_bits(&self, x: $I) -> $F {
                <$F>::from_bits(x as $U)
            }
        }
    )*};
}
numbers! { (f32, i32, u32, false, narrow) (f64, i64, u64, true, wide) }

/// Recipes done with instructions.
pub struct Instructions<'a> {
    builder: RefCell<&'a mut Builder>,
    wide: bool,
}

impl<'a> Instructions<'a> {
    /// Instructions on floats of this kind.
    pub fn new(builder: &'a mut Builder, kind: Kind) -> Instructions<'a> {
        debug_assert!(kind.is_float(), "recipes compute with floats");
        Instructions { builder: RefCell::new(builder), wide: kind == Kind::F64 }
    }

    fn float_kind(&self) -> Kind {
        self.pick(Kind::F32, Kind::F64)
    }

    fn int_kind(&self) -> Kind {
        self.pick(Kind::I32, Kind::I64)
    }
}

impl Machine for Instructions<'_> {
    type Float = Value;
    type Int = Value;
    type Bool = Value;

    fn is_wide(&self) -> bool {
        self.wide
    }
    fn float(&self, x: f64) -> Value {
        self.builder.borrow_mut().constant(self.float_kind(), self.pick((x as f32).to_bits() as u64, x.to_bits()))
    }
    fn int(&self, x: i64) -> Value {
        self.builder.borrow_mut().constant(self.int_kind(), self.pick(x as u32 as u64, x as u64))
    }
    fn unary(&self, op: Unary, x: Value) -> Value {
        self.builder.borrow_mut().unary(op, x)
    }
    fn binary(&self, op: Binary, x: Value, y: Value) -> Value {
        self.builder.borrow_mut().binary(op, x, y)
    }
    fn scale(&self, x: Value, n: Value) -> Value {
        self.builder.borrow_mut().binary(Binary::Scale, x, n)
    }
    fn mul_add(&self, x: Value, y: Value, z: Value) -> Value {
        self.builder.borrow_mut().mul_add([x, y, z])
    }
    fn integers(&self, op: Binary, x: Value, y: Value) -> Value {
        self.builder.borrow_mut().binary(op, x, y)
    }
    fn compare(&self, op: Compare, x: Value, y: Value) -> Value {
        self.builder.borrow_mut().compare(op, x, y)
    }
    fn is_zero(&self, x: Value) -> Value {
        let zero = self.int(0);
        self.builder.borrow_mut().compare(Compare::Eq, x, zero)
    }
    fn select(&self, condition: Value, x: Value, y: Value) -> Value {
        self.builder.borrow_mut().select(condition, x, y)
    }
    fn call_where(&self, f: &Rare, condition: Value, x: Value, otherwise: Value) -> Value {
        let callee = self.pick(Callee::f32(f.narrow), Callee::f64(f.wide));
        self.builder.borrow_mut().call_where(callee, condition, &[x], otherwise)
    }
    fn call_pair_where(&self, f: &RarePair, condition: Value, x: [Value; 2], otherwise: Value) -> Value {
        let callee = self.pick(Callee::pair_f32(f.narrow), Callee::pair_f64(f.wide));
        self.builder.borrow_mut().call_where(callee, condition, &x, otherwise)
    }
    fn bits(&self, x: Value) -> Value {
        self.builder.borrow_mut().bitcast(x, self.int_kind())
    }
    fn of_bits(&self, x: Value) -> Value {
        self.builder.borrow_mut().bitcast(x, self.float_kind())
    }
}
