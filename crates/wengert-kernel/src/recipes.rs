//! Math functions as recipes: each is written once, and is done on numbers by the evaluator and with instructions by
//! compiled code, so that both give the same bits.
//!
//! Functions of `f32` are computed in `f64` and rounded once. Their error is a little over half a unit in the last place.

use crate::ir::{Binary, Builder, Compare, Kind, Unary, Value};
use std::f64::consts::{FRAC_1_SQRT_2, LN_2, LOG2_E, SQRT_2};

/// What recipes are done on.
pub trait Machine {
    /// An `f64`.
    type Float: Copy;
    /// An `i64`.
    type Int: Copy;
    /// A boolean.
    type Bool: Copy;

    /// A number.
    fn float(&mut self, x: f64) -> Self::Float;
    /// A whole number.
    fn int(&mut self, x: i64) -> Self::Int;
    /// An operation on one number.
    fn unary(&mut self, op: Unary, x: Self::Float) -> Self::Float;
    /// An operation on two numbers.
    fn binary(&mut self, op: Binary, x: Self::Float, y: Self::Float) -> Self::Float;
    /// An operation on two whole numbers.
    fn integers(&mut self, op: Binary, x: Self::Int, y: Self::Int) -> Self::Int;
    /// A comparison.
    fn compare(&mut self, op: Compare, x: Self::Float, y: Self::Float) -> Self::Bool;
    /// The first number if the condition holds, else the second.
    fn select(&mut self, condition: Self::Bool, x: Self::Float, y: Self::Float) -> Self::Float;
    /// The number as a whole one, cut.
    fn to_int(&mut self, x: Self::Float) -> Self::Int;
    /// The whole number as a float.
    fn to_float(&mut self, x: Self::Int) -> Self::Float;
    /// The bits.
    fn bits(&mut self, x: Self::Float) -> Self::Int;
    /// The number with these bits.
    fn of_bits(&mut self, x: Self::Int) -> Self::Float;

    /// The sum.
    fn add(&mut self, x: Self::Float, y: Self::Float) -> Self::Float {
        self.binary(Binary::Add, x, y)
    }
    /// The product.
    fn mul(&mut self, x: Self::Float, y: Self::Float) -> Self::Float {
        self.binary(Binary::Mul, x, y)
    }
    /// A polynomial, from the highest coefficient on.
    fn polynomial(&mut self, x: Self::Float, coefficients: &[f64]) -> Self::Float {
        let mut y = self.float(coefficients[0]);
        for &c in &coefficients[1..] {
            let c = self.float(c);
            let product = self.mul(y, x);
            y = self.add(product, c);
        }
        y
    }
}

/// A function that is a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recipe {
    /// `eˣ`.
    Exp,
    /// `eˣ - 1`.
    Expm1,
    /// The natural logarithm.
    Log,
    /// The natural logarithm of `1 + x`.
    Log1p,
    /// `1 / (1 + e⁻ˣ)`.
    Logistic,
    /// The hyperbolic tangent.
    Tanh,
    /// The inverse of the error function.
    ErfInv,
}

impl Recipe {
    /// All of them.
    pub const ALL: &'static [Recipe] =
        &[Recipe::Exp, Recipe::Expm1, Recipe::Log, Recipe::Log1p, Recipe::Logistic, Recipe::Tanh, Recipe::ErfInv];

    /// The function of an `f32`, given and wanted as `f64`.
    pub fn run<M: Machine>(self, m: &mut M, x: M::Float) -> M::Float {
        match self {
            Recipe::Exp => exp(m, x),
            Recipe::Expm1 => expm1(m, x),
            Recipe::Log => log(m, x),
            Recipe::Log1p => log1p(m, x),
            Recipe::Logistic => logistic(m, x),
            Recipe::Tanh => tanh(m, x),
            Recipe::ErfInv => erf_inv(m, x),
        }
    }

    /// The function of a number.
    pub fn of_f32(self, x: f32) -> f32 {
        self.run(&mut Numbers, x as f64) as f32
    }

    /// The function with instructions; `x` is an `f32`.
    pub fn build(self, b: &mut Builder, x: Value) -> Value {
        let wide = b.convert(x, Kind::F64);
        let y = self.run(&mut Instructions(b), wide);
        b.convert(y, Kind::F32)
    }
}

/// `eˣ` for `x` that is an `f32` or twice one: what is too large or too small for `f32` only has to stay so.
fn exp<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let (low, high) = (m.float(-200.0), m.float(200.0));
    let x = m.binary(Binary::Max, x, low);
    let x = m.binary(Binary::Min, x, high);
    let scale = m.float(LOG2_E);
    let k = m.mul(x, scale);
    let k = m.unary(Unary::RoundEven, k);
    let ln2 = m.float(LN_2);
    let whole = m.mul(k, ln2);
    let f = m.binary(Binary::Sub, x, whole);
    // Taylor's, on ±ln 2 / 2.
    let y =
        m.polynomial(f, &[1.0 / 40320.0, 1.0 / 5040.0, 1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0]);
    // Times a power of two.
    let (k, bias, place) = (m.to_int(k), m.int(1023), m.int(52));
    let k = m.integers(Binary::Add, k, bias);
    let bits = m.integers(Binary::Shl, k, place);
    let power = m.of_bits(bits);
    m.mul(y, power)
}

fn expm1<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let (y, one) = (exp(m, x), m.float(1.0));
    let large = m.binary(Binary::Sub, y, one);
    let small = m.polynomial(x, &[1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0]);
    let small = m.mul(small, x);
    near_zero(m, x, 0.01, small, large)
}

/// One value for `x` near zero, the other elsewhere.
fn near_zero<M: Machine>(m: &mut M, x: M::Float, limit: f64, near: M::Float, else_: M::Float) -> M::Float {
    let (size, limit) = (m.unary(Unary::Abs, x), m.float(limit));
    let is_near = m.compare(Compare::Lt, size, limit);
    m.select(is_near, near, else_)
}

fn log<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let bits = m.bits(x);
    let (place, bias, mantissa, one_bits) = (m.int(52), m.int(1023), m.int((1 << 52) - 1), m.int(1023 << 52));
    let e = m.integers(Binary::ShrLogical, bits, place);
    let e = m.integers(Binary::Sub, e, bias);
    let e = m.to_float(e);
    let low = m.integers(Binary::And, bits, mantissa);
    let low = m.integers(Binary::Or, low, one_bits);
    let f = m.of_bits(low);
    // From 1/√2 to √2.
    let (limit, half, one) = (m.float(SQRT_2), m.float(0.5), m.float(1.0));
    let upper = m.compare(Compare::Gt, f, limit);
    let halved = m.mul(f, half);
    let f = m.select(upper, halved, f);
    let next = m.add(e, one);
    let e = m.select(upper, next, e);
    let (below, above) = (m.binary(Binary::Sub, f, one), m.add(f, one));
    let s = m.binary(Binary::Div, below, above);
    let z = m.mul(s, s);
    let series =
        m.polynomial(z, &[2.0 / 15.0, 2.0 / 13.0, 2.0 / 11.0, 2.0 / 9.0, 2.0 / 7.0, 2.0 / 5.0, 2.0 / 3.0, 2.0]);
    let (part, ln2) = (m.mul(s, series), m.float(LN_2));
    let whole = m.mul(e, ln2);
    let y = m.add(whole, part);
    // Zero, what is below, infinity and NaN.
    let (zero, infinity, nan) = (m.float(0.0), m.float(f64::INFINITY), m.float(f64::NAN));
    let minus = m.float(f64::NEG_INFINITY);
    let positive = m.compare(Compare::Gt, x, zero);
    let none = m.compare(Compare::Eq, x, zero);
    let endless = m.compare(Compare::Eq, x, infinity);
    let y = m.select(positive, y, nan);
    let y = m.select(none, minus, y);
    m.select(endless, infinity, y)
}

fn log1p<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let one = m.float(1.0);
    let more = m.add(x, one);
    let large = log(m, more);
    let small = m.polynomial(x, &[-0.25, 1.0 / 3.0, -0.5, 1.0]);
    let small = m.mul(small, x);
    near_zero(m, x, 1e-4, small, large)
}

fn logistic<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let x = m.unary(Unary::Neg, x);
    let (y, one) = (exp(m, x), m.float(1.0));
    let y = m.add(y, one);
    m.binary(Binary::Div, one, y)
}

fn tanh<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let (size, most) = (m.unary(Unary::Abs, x), m.float(16.0));
    let t = m.binary(Binary::Min, size, most);
    let twice = m.add(t, t);
    let (e, one) = (exp(m, twice), m.float(1.0));
    let (below, above) = (m.binary(Binary::Sub, e, one), m.add(e, one));
    let large = m.binary(Binary::Div, below, above);
    let z = m.mul(t, t);
    let small = m.polynomial(z, &[2.0 / 15.0, -1.0 / 3.0, 1.0]);
    let small = m.mul(small, t);
    let y = near_zero(m, t, 0.01, small, large);
    m.binary(Binary::CopySign, y, x)
}

/// By three quotients of polynomials for the quantiles of the normal distribution (Wichura, Applied Statistics 37, 1988):
/// near the middle in the square of `x`, in the tails in the root of the logarithm.
fn erf_inv<M: Machine>(m: &mut M, x: M::Float) -> M::Float {
    let (half, quarter, centre) = (m.float(0.5), m.float(0.25), m.float(0.180625));
    let z = m.mul(x, x);
    let z = m.mul(z, quarter);
    let r = m.binary(Binary::Sub, centre, z);
    let (scale, root) = (m.float(0.5 * FRAC_1_SQRT_2), m.float(FRAC_1_SQRT_2));
    let middle = quotient(m, r, &MIDDLE);
    let middle = m.mul(middle, scale);
    let middle = m.mul(middle, x);
    let (a, one) = (m.unary(Unary::Abs, x), m.float(1.0));
    let rest = m.binary(Binary::Sub, one, a);
    let rest = m.mul(rest, half);
    let ln = log(m, rest);
    let ln = m.unary(Unary::Neg, ln);
    let r = m.unary(Unary::Sqrt, ln);
    let (near, far, five) = (m.float(1.6), m.float(5.0), m.float(5.0));
    let r_near = m.binary(Binary::Sub, r, near);
    let r_far = m.binary(Binary::Sub, r, far);
    let (near, far) = (quotient(m, r_near, &TAIL), quotient(m, r_far, &FAR));
    let is_near = m.compare(Compare::Le, r, five);
    let tail = m.select(is_near, near, far);
    let tail = m.mul(tail, root);
    let tail = m.binary(Binary::CopySign, tail, x);
    let y = near_zero(m, x, 0.85, middle, tail);
    let infinity = m.float(f64::INFINITY);
    let infinity = m.binary(Binary::CopySign, infinity, x);
    let edge = m.compare(Compare::Eq, a, one);
    let nan = m.float(f64::NAN);
    let inside = m.compare(Compare::Le, a, one);
    let y = m.select(inside, y, nan);
    m.select(edge, infinity, y)
}

/// [`Recipe::ErfInv`] of an `f64`, good to a few units in the last place.
pub fn erf_inv_f64(x: f64) -> f64 {
    let (m, a) = (&mut Numbers, x.abs());
    if a >= 1.0 || a.is_nan() {
        return if a == 1.0 { f64::INFINITY.copysign(x) } else { f64::NAN };
    }
    if a < 0.85 {
        return x * (0.5 * FRAC_1_SQRT_2) * quotient(m, 0.180625 - 0.25 * x * x, &MIDDLE);
    }
    let r = (-(0.5 * (1.0 - a)).ln()).sqrt();
    let y = if r <= 5.0 { quotient(m, r - 1.6, &TAIL) } else { quotient(m, r - 5.0, &FAR) };
    (y * FRAC_1_SQRT_2).copysign(x)
}

/// A quotient of two polynomials.
fn quotient<M: Machine>(m: &mut M, x: M::Float, [p, q]: &[[f64; 8]; 2]) -> M::Float {
    let (p, q) = (m.polynomial(x, p), m.polynomial(x, q));
    m.binary(Binary::Div, p, q)
}

const MIDDLE: [[f64; 8]; 2] = [
    [
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ],
    [
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ],
];

const TAIL: [[f64; 8]; 2] = [
    [
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ],
    [
        1.0507500716444169e-09,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ],
];

const FAR: [[f64; 8]; 2] = [
    [
        2.0103343992922881e-07,
        2.7115555687434876e-05,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ],
    [
        2.0442631033899397e-15,
        1.421511758316446e-07,
        1.8463183175100548e-05,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
        1.0,
    ],
];

/// Recipes done on numbers.
pub struct Numbers;

impl Machine for Numbers {
    type Float = f64;
    type Int = i64;
    type Bool = bool;

    fn float(&mut self, x: f64) -> f64 {
        x
    }
    fn int(&mut self, x: i64) -> i64 {
        x
    }
    #[inline(always)]
    fn unary(&mut self, op: Unary, x: f64) -> f64 {
        match op {
            Unary::Neg => -x,
            Unary::Abs => x.abs(),
            Unary::Sqrt => x.sqrt(),
            Unary::RoundEven => x.round_ties_even(),
            op => unreachable!("no recipe has {op:?}"),
        }
    }
    #[inline(always)]
    fn binary(&mut self, op: Binary, x: f64, y: f64) -> f64 {
        match op {
            Binary::Add => x + y,
            Binary::Sub => x - y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Max => {
                if x > y || x.is_nan() {
                    x
                } else {
                    y
                }
            }
            Binary::Min => {
                if x < y || x.is_nan() {
                    x
                } else {
                    y
                }
            }
            Binary::CopySign => x.copysign(y),
            op => unreachable!("no recipe has {op:?} of floats"),
        }
    }
    #[inline(always)]
    fn integers(&mut self, op: Binary, x: i64, y: i64) -> i64 {
        match op {
            Binary::Add => x.wrapping_add(y),
            Binary::Sub => x.wrapping_sub(y),
            Binary::And => x & y,
            Binary::Or => x | y,
            Binary::Shl => x << y,
            Binary::ShrLogical => ((x as u64) >> y) as i64,
            op => unreachable!("no recipe has {op:?} of integers"),
        }
    }
    #[inline(always)]
    fn compare(&mut self, op: Compare, x: f64, y: f64) -> bool {
        match op {
            Compare::Eq => x == y,
            Compare::Ne => x != y,
            Compare::Lt => x < y,
            Compare::Le => x <= y,
            Compare::Gt => x > y,
            Compare::Ge => x >= y,
        }
    }
    fn select(&mut self, condition: bool, x: f64, y: f64) -> f64 {
        if condition { x } else { y }
    }
    fn to_int(&mut self, x: f64) -> i64 {
        x as i64
    }
    fn to_float(&mut self, x: i64) -> f64 {
        x as f64
    }
    fn bits(&mut self, x: f64) -> i64 {
        x.to_bits() as i64
    }
    fn of_bits(&mut self, x: i64) -> f64 {
        f64::from_bits(x as u64)
    }
}

/// Recipes done with instructions.
pub struct Instructions<'a>(pub &'a mut Builder);

impl Machine for Instructions<'_> {
    type Float = Value;
    type Int = Value;
    type Bool = Value;

    fn float(&mut self, x: f64) -> Value {
        self.0.constant(Kind::F64, x.to_bits())
    }
    fn int(&mut self, x: i64) -> Value {
        self.0.constant(Kind::I64, x as u64)
    }
    fn unary(&mut self, op: Unary, x: Value) -> Value {
        self.0.unary(op, x)
    }
    fn binary(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.0.binary(op, x, y)
    }
    fn integers(&mut self, op: Binary, x: Value, y: Value) -> Value {
        self.0.binary(op, x, y)
    }
    fn compare(&mut self, op: Compare, x: Value, y: Value) -> Value {
        self.0.compare(op, x, y)
    }
    fn select(&mut self, condition: Value, x: Value, y: Value) -> Value {
        self.0.select(condition, x, y)
    }
    fn to_int(&mut self, x: Value) -> Value {
        self.0.convert(x, Kind::I64)
    }
    fn to_float(&mut self, x: Value) -> Value {
        self.0.convert(x, Kind::F64)
    }
    fn bits(&mut self, x: Value) -> Value {
        self.0.bitcast(x, Kind::I64)
    }
    fn of_bits(&mut self, x: Value) -> Value {
        self.0.bitcast(x, Kind::F64)
    }
}

#[cfg(test)]
mod tests {
    use super::Recipe;

    /// Units in the last place between a result and the true value.
    fn ulps(got: f32, want: f64) -> f64 {
        let rounded = want as f32;
        if got == rounded || got.is_nan() && rounded.is_nan() {
            return 0.0;
        }
        if !rounded.is_finite() || !got.is_finite() {
            return f64::INFINITY;
        }
        let unit = (f32::from_bits(rounded.abs().to_bits() + 1) - rounded.abs()) as f64;
        (got as f64 - want).abs() / unit
    }

    fn worst(recipe: Recipe, truth: fn(f64) -> f64) -> (f64, f32) {
        let mut worst = (0.0, 0.0);
        for bits in (0..=u32::MAX).step_by(1009) {
            let x = f32::from_bits(bits);
            let off = ulps(recipe.of_f32(x), truth(x as f64));
            if off > worst.0 {
                worst = (off, x);
            }
        }
        worst
    }

    #[test]
    fn recipes_are_good_to_six_tenths_of_a_unit() {
        type Truth = fn(f64) -> f64;
        let all: [(Recipe, Truth); 6] = [
            (Recipe::Exp, f64::exp),
            (Recipe::Expm1, f64::exp_m1),
            (Recipe::Log, f64::ln),
            (Recipe::Log1p, f64::ln_1p),
            (Recipe::Logistic, |x| 1.0 / (1.0 + (-x).exp())),
            (Recipe::Tanh, f64::tanh),
        ];
        for (recipe, truth) in all {
            let (off, x) = worst(recipe, truth);
            assert!(off <= 0.6, "{recipe:?} of {x:e} is off by {off}");
        }
    }

    #[test]
    fn special_values() {
        let (inf, nan) = (f32::INFINITY, f32::NAN);
        let bits = |x: f32| x.to_bits();
        assert_eq!((Recipe::Exp.of_f32(inf), Recipe::Exp.of_f32(-inf)), (inf, 0.0));
        assert_eq!((Recipe::Log.of_f32(0.0), Recipe::Log.of_f32(-0.0), Recipe::Log.of_f32(inf)), (-inf, -inf, inf));
        assert_eq!((Recipe::Log1p.of_f32(-1.0), Recipe::Expm1.of_f32(-inf)), (-inf, -1.0));
        assert_eq!((Recipe::Tanh.of_f32(inf), Recipe::Tanh.of_f32(-inf)), (1.0, -1.0));
        assert_eq!((Recipe::ErfInv.of_f32(1.0), Recipe::ErfInv.of_f32(-1.0)), (inf, -inf));
        assert_eq!((Recipe::Logistic.of_f32(inf), Recipe::Logistic.of_f32(-inf)), (1.0, 0.0));
        for recipe in [Recipe::Expm1, Recipe::Log1p, Recipe::Tanh, Recipe::ErfInv] {
            assert_eq!(bits(recipe.of_f32(-0.0)), bits(-0.0), "{recipe:?}");
        }
        assert!(Recipe::ALL.iter().all(|r| r.of_f32(nan).is_nan()));
        assert!(Recipe::Log.of_f32(-1.0).is_nan() && Recipe::ErfInv.of_f32(1.5).is_nan());
    }
}
