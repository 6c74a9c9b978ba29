//! Functions of CHLO that no op of ours is: `zeta`, `square` and `mulhi`.

use wengert_core::ops::{Binary, Bitcast, Direction, Unary};
use wengert_core::{Builder, DType, Error, Op, Result, Scalar, Tensor, Var};

/// Terms of the sum that are added one by one.
const TERMS: usize = 10;

/// Bernoulli numbers over factorials, `(2k)! / B₂ₖ`: what the terms of the remainder are divided by.
const DIVISORS: [f64; 12] = [
    12.0,
    -720.0,
    30240.0,
    -1209600.0,
    47900160.0,
    -1892437580.3183792,
    7.47242496e10,
    -2950130727918.164,
    116467828143500.67,
    -4597978722407473.0,
    1.8152105401943546e17,
    -7.166165256175667e18,
];

/// Hurwitz's zeta function of `s > 1` and `q`, by the formula of Euler and Maclaurin: NaN for `s < 1`, infinite for `s
/// = 1`. For `q ≤ 0` it has values where `s` is whole only; where `q` is whole too there are poles, which have a sign
/// if `s` is even.
pub fn zeta(b: &mut Builder, s: Var, q: Var) -> Result<Var> {
    let types = [s, q].map(|v| b.ty(v).clone());
    // It takes what `polygamma` takes.
    Op::from(Binary::Polygamma).result_types(&types)?;
    // Short floats are too short to add up in.
    let dtype = types[0].dtype;
    let wide = if dtype.bits() == 16 { DType::F32 } else { dtype };
    let [s, q] = [s, q].map(|v| b.convert(v, wide));
    let power = |b: &mut Builder, base: Var, exponent: Var| b.binary(Binary::Pow, base, exponent);
    let minus_s = b.neg(s);
    let mut sum = power(b, q, minus_s);
    let mut a = q;
    for _ in 1..TERMS {
        a = b.offset(a, 1.0);
        let term = power(b, a, minus_s);
        sum = b.add(sum, term);
    }
    a = b.offset(a, 1.0);
    let last = power(b, a, minus_s);
    let less = b.offset(s, -1.0);
    let tail = b.mul(last, a);
    let tail = b.div(tail, less);
    sum = b.add(sum, tail);
    let half = b.scale(last, 0.5);
    sum = b.add(sum, half);
    // s·a^(-s-1)/12 - s(s+1)(s+2)·a^(-s-3)/720 + …
    let mut factor = b.div(s, a);
    factor = b.mul(factor, last);
    for (k, divisor) in DIVISORS.into_iter().enumerate() {
        let term = b.scale(factor, 1.0 / divisor);
        sum = b.add(sum, term);
        for i in [2 * k + 1, 2 * k + 2] {
            let next = b.offset(s, i as f64);
            let next = b.div(next, a);
            factor = b.mul(factor, next);
        }
    }
    let [zero, one, two] = [0.0, 1.0, 2.0].map(|n| b.full_like(s, n));
    let [nan, infinite] = [f64::NAN, f64::INFINITY].map(|n| b.full_like(s, n));
    let below = b.compare(Direction::Lt, s, one);
    let y = b.select(below, nan, sum);
    let [s_whole, q_whole] = [s, q].map(|v| {
        let floor = b.unary(Unary::Floor, v);
        b.compare(Direction::Eq, v, floor)
    });
    let left = b.compare(Direction::Le, q, zero);
    let s_broken = b.unary(Unary::Not, s_whole);
    let outside = b.binary(Binary::And, left, s_broken);
    let y = b.select(outside, nan, y);
    let pole = b.binary(Binary::And, left, q_whole);
    let half = b.binary(Binary::Rem, s, two);
    let even = b.compare(Direction::Eq, half, zero);
    let at_pole = b.select(even, infinite, nan);
    let y = b.select(pole, at_pole, y);
    let harmonic = b.compare(Direction::Eq, s, one);
    let y = b.select(harmonic, infinite, y);
    Ok(b.convert(y, dtype))
}

/// `z²`, with the real part as a product, so that it is zero and not NaN where both parts are as large.
pub fn square(b: &mut Builder, x: Var) -> Var {
    if !b.dtype(x).is_complex() {
        return b.mul(x, x);
    }
    let [re, im] = [Unary::Real, Unary::Imag].map(|part| b.unary(part, x));
    let (less, more) = (b.sub(re, im), b.add(re, im));
    let (real, product) = (b.mul(less, more), b.mul(re, im));
    let imag = b.add(product, product);
    b.binary(Binary::Complex, real, imag)
}

/// The upper half of the product of two integers, which has twice their bits.
pub fn mulhi(b: &mut Builder, x: Var, y: Var) -> Result<Var> {
    let ty = b.ty(x).clone();
    Op::from(Binary::Mul).result_types(&[ty.clone(), b.ty(y).clone()])?;
    if !ty.dtype.is_integer() {
        return Err(Error::shape(format!("`mulhi` takes integers, and got {ty}")));
    }
    let (signed, bits) = (ty.dtype.is_signed(), ty.dtype.bits());
    if bits < 64 {
        let (wide, shift) = match signed {
            true => (DType::I64, Binary::ShrArithmetic),
            false => (DType::U64, Binary::ShrLogical),
        };
        let [x, y] = [x, y].map(|v| b.convert(v, wide));
        let product = b.mul(x, y);
        let by = b.full_like(product, bits as f64);
        let upper = b.binary(shift, product, by);
        return Ok(b.convert(upper, ty.dtype));
    }
    let unsigned = |b: &mut Builder, v: Var| if signed { b.one(Bitcast { dtype: DType::U64 }, &[v]) } else { v };
    let (p, q) = (unsigned(b, x), unsigned(b, y));
    let mut upper = upper_half(b, p, q);
    if signed {
        // A negative number is 2⁶⁴ too large without its sign.
        for (one, other) in [(x, q), (y, p)] {
            let zero = b.full_like(one, 0.0);
            let negative = b.compare(Direction::Lt, one, zero);
            let none = b.full_like(other, 0.0);
            let excess = b.select(negative, other, none);
            upper = b.sub(upper, excess);
        }
        upper = b.one(Bitcast { dtype: DType::I64 }, &[upper]);
    }
    Ok(upper)
}

/// The upper 64 bits of a product of unsigned integers, by halves of 32 bits.
fn upper_half(b: &mut Builder, x: Var, y: Var) -> Var {
    let shape = b.shape(x).clone();
    let [mask, half] = [u32::MAX as u64, 32].map(|n| b.constant(Tensor::splat(shape.clone(), Scalar::U64(n))));
    let low = |b: &mut Builder, v: Var| b.binary(Binary::And, v, mask);
    let high = |b: &mut Builder, v: Var| b.binary(Binary::ShrLogical, v, half);
    let [x0, y0] = [x, y].map(|v| low(b, v));
    let [x1, y1] = [x, y].map(|v| high(b, v));
    let lowest = b.mul(x0, y0);
    let crossed = [b.mul(x0, y1), b.mul(x1, y0)];
    let mut middle = high(b, lowest);
    let mut upper = b.mul(x1, y1);
    for c in crossed {
        let (down, up) = (low(b, c), high(b, c));
        middle = b.add(middle, down);
        upper = b.add(upper, up);
    }
    let carry = high(b, middle);
    b.add(upper, carry)
}
