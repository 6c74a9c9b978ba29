//! Functions that are written with others.

use super::body::Body;
use super::elementwise::operand;
use wengert_core::ops::{Binary, Compare, Direction};
use wengert_core::{Builder, Op, Result, Var, Vars};

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

/// Hurwitz's zeta function of `s > 1` and `q`, by the formula of Euler and Maclaurin: NaN for `s < 1`, infinite for
/// `s = 1`.
pub(super) fn zeta(c: &mut Body<'_, '_, '_>, x: &[Var]) -> Result<Vars> {
    let (s, q) = (operand(x, 0)?, operand(x, 1)?);
    let types = [s, q].map(|v| c.b.ty(v).clone());
    Op::from(Binary::Polygamma).result_types(&types)?;
    let b = &mut c.b;
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
    let one = b.full_like(s, 1.0);
    let nan = b.full_like(s, f64::NAN);
    let infinite = b.full_like(s, f64::INFINITY);
    let below = c.one(Compare { direction: Direction::Lt }, &[s, one])?;
    let at = c.one(Compare { direction: Direction::Eq }, &[s, one])?;
    let y = c.b.select(at, infinite, sum);
    Ok([c.b.select(below, nan, y)].as_slice().into())
}
