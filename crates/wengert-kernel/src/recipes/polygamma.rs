//! Derivatives of `digamma`: `(-1)ⁿ⁺¹ n! ζ(n+1, x)`, by Hurwitz' `ζ(s, x) = Σ (x+k)⁻ˢ`.
//!
//! Recipes have the orders from 1 to 20 of positive numbers: some terms of the sum, and Euler and Maclaurin's formula for the
//! others. All else is left to a function.

use super::exp::exp;
use super::gamma::digamma;
use super::log::{log_of_sum, two_sum};
use super::machine::{Machine, Numbers, RarePair, WHOLE};
use super::power::pow_long;
use crate::ir::{Binary, Compare, Unary};

/// The largest order that recipes have.
const MOST: usize = 20;

/// `b₂/b₁, b₃/b₂, …`, where `bₖ` is Bernoulli's number `B₂ₖ` over `(2k)!`.
const QUOTIENTS: [f64; 11] = [
    -1.0 / 60.0,
    -1.0 / 42.0,
    -1.0 / 40.0,
    -0.025252525252525252,
    -0.02531135531135531,
    -0.02532561505065123,
    -0.025329131652661065,
    -0.025330005504037488,
    -0.02533022338183393,
    -0.025330277786482922,
    -0.025330291380456796,
];

/// The derivative of an order: of `f32`, computed in `f64`. Powers are products, which have digits enough to spare.
#[inline(always)]
pub(super) fn polygamma<M: Machine>(m: &M, n: M::Float, x: M::Float) -> M::Float {
    const TERMS: usize = 3;
    const BITS: usize = MOST.ilog2() as usize + 1;
    let one = m.float(1.0);
    let order = in_range(m, n);
    let bases: [M::Float; TERMS + 1] = std::array::from_fn(|k| m.add(x, m.float(k as f64)));
    let whole = m.bits(m.add(order, m.float(m.pick(WHOLE.0, WHOLE.1))));
    let (mut powers, mut squares) = ([one; TERMS + 1], bases);
    for bit in 0..BITS {
        let unset = m.is_zero(m.integers(Binary::And, whole, m.int(1 << bit)));
        for k in 0..=TERMS {
            powers[k] = m.select(unset, powers[k], m.mul(powers[k], squares[k]));
            squares[k] = m.mul(squares[k], squares[k]);
        }
    }
    let last = bases[TERMS];
    let tail = m.mul_add(order, rest(m, order, last, &QUOTIENTS[..7]), one);
    let mut sum = m.div(tail, m.mul(powers[TERMS], order));
    for k in (0..TERMS).rev() {
        sum = m.add(sum, m.div(one, m.mul(powers[k], bases[k])));
    }
    signed(m, n, x, m.mul(factorial(m, order), sum))
}

/// The derivative of an order: of `f64`. Each term is the first one times `(1 + k/x)⁻ˢ`, whose logarithm is as small as its
/// error may be large.
#[inline(always)]
pub(super) fn polygamma_long<M: Machine>(m: &M, n: M::Float, x: M::Float) -> M::Float {
    const TERMS: usize = 7;
    let one = m.float(1.0);
    let order = in_range(m, n);
    let minus_s = m.sub(m.float(-1.0), order);
    // Numbers whose inverse is larger have an infinite derivative.
    let inverse = m.at_most(m.div(one, x), 1e300);
    let logarithm = |k: usize| {
        let more = m.mul(inverse, m.float(k as f64));
        let larger = m.compare(Compare::Gt, more, one);
        let [sum, lost] = two_sum(m, m.select(larger, more, one), m.select(larger, one, more));
        log_of_sum(m, sum, lost, m.float(0.0))
    };
    let mut terms = exp(m, m.mul(minus_s, logarithm(TERMS - 1)));
    for k in (1..TERMS - 1).rev() {
        terms = m.add(terms, exp(m, m.mul(minus_s, logarithm(k))));
    }
    let terms = m.mul(m.add(terms, one), inverse);
    let last = m.add(x, m.float(TERMS as f64));
    let tail = m.add(m.div(one, order), rest(m, order, last, &QUOTIENTS));
    let sum = m.mul_add(exp(m, m.mul(m.neg(order), logarithm(TERMS))), tail, terms);
    let power = pow_long(m, x, m.neg(order));
    signed(m, n, x, m.mul(m.mul(factorial(m, order), sum), power))
}

/// The order, or the nearest one that recipes have.
#[inline(always)]
fn in_range<M: Machine>(m: &M, n: M::Float) -> M::Float {
    let whole = m.unary(Unary::Floor, n);
    m.at_least(m.at_most(whole, MOST as f64), 1.0)
}

/// What follows `1/n` in the sum of the terms from `a` on, as a part of `a⁻ⁿ`: `1/2a + b₁ s/a² + b₂ s(s+1)(s+2)/a⁴ + …`, of
/// which `b₁` is a twelfth.
#[inline(always)]
fn rest<M: Machine>(m: &M, order: M::Float, a: M::Float, quotients: &[f64]) -> M::Float {
    let one = m.float(1.0);
    let s = m.add(order, one);
    let inverse = m.div(one, a);
    let square = m.mul(inverse, inverse);
    let mut series = one;
    for (i, quotient) in quotients.iter().enumerate().rev() {
        // The quotient of two terms: that of their numbers times (s + p) (s + p + 1).
        let p = (2 * i + 1) as f64;
        let linear = m.mul_add(s, m.float(*quotient), m.float(quotient * (2.0 * p + 1.0)));
        let factor = m.mul_add(s, linear, m.float(quotient * (p * (p + 1.0))));
        series = m.mul_add(m.mul(series, square), factor, one);
    }
    let first = m.mul(m.mul(s, m.float(1.0 / 12.0)), inverse);
    m.mul(inverse, m.mul_add(first, series, m.float(0.5)))
}

/// The factorial of an order that recipes have, which is exact.
#[inline(always)]
fn factorial<M: Machine>(m: &M, order: M::Float) -> M::Float {
    (2..=MOST)
        .fold(m.float(1.0), |product, k| m.where_less(order, k as f64, product, m.mul(product, m.float(k as f64))))
}

/// A derivative by its size; where recipes have none, what the function gives.
#[inline(always)]
fn signed<M: Machine>(m: &M, n: M::Float, x: M::Float, size: M::Float) -> M::Float {
    let half = m.mul(n, m.float(0.5));
    let even = m.compare(Compare::Eq, m.unary(Unary::Floor, half), half);
    let y = m.select(even, m.neg(size), size);
    let has_order = m.compare(Compare::Eq, in_range(m, n), n);
    let positive = m.select(has_order, x, m.float(-1.0));
    let other = m.compare(Compare::Le, positive, m.float(0.0));
    m.call_pair_where(&RarePair { narrow: other::narrow, wide: other::wide }, other, [n, x], y)
}

/// The derivatives that recipes lack.
mod other {
    use super::{Numbers, digamma};

    /// Bernoulli's numbers `B₂, B₄, …`.
    const BERNOULLI: [f64; 12] = [
        1.0 / 6.0,
        -1.0 / 30.0,
        1.0 / 42.0,
        -1.0 / 30.0,
        5.0 / 66.0,
        -691.0 / 2730.0,
        7.0 / 6.0,
        -3617.0 / 510.0,
        43867.0 / 798.0,
        -174611.0 / 330.0,
        854513.0 / 138.0,
        -236364091.0 / 2730.0,
    ];
    /// From here on, and an order further, the asymptotic series is exact to the last bits.
    const LARGE: f64 = 12.0;

    pub(super) extern "C" fn narrow(n: f32, x: f32) -> f32 {
        wide(n as f64, x as f64) as f32
    }

    pub(super) extern "C" fn wide(n: f64, x: f64) -> f64 {
        if n == 0.0 {
            return digamma(&Numbers::<f64>::new(), x);
        }
        if n < 0.0 || n.fract() != 0.0 || n.is_nan() {
            return f64::NAN;
        }
        let odd = n % 2.0 == 1.0;
        if x <= 0.0 && x.fract() == 0.0 {
            return if odd { f64::INFINITY } else { f64::NAN };
        }
        let factorial = if n > 170.0 { f64::INFINITY } else { (1..=n as u32).map(f64::from).product() };
        let s = n + 1.0;
        let zeta = if x > 0.0 {
            zeta(s, x)
        } else {
            // The terms (x+k)⁻ˢ below zero are a sum of the same kind, of their distances from zero.
            let above = x - x.floor();
            let below = zeta(s, 1.0 - above) - zeta(s, 1.0 - x);
            zeta(s, above) + if odd { below } else { -below }
        };
        factorial * if odd { zeta } else { -zeta }
    }

    /// Hurwitz' `ζ(s, q)` for `s >= 2` and `q > 0`.
    fn zeta(s: f64, q: f64) -> f64 {
        let (mut a, mut sum) = (q, 0.0);
        while a < LARGE + s {
            let term = a.powf(-s);
            sum += term;
            // Zeros too: of a large order, all terms may be none.
            if term <= sum * 1e-18 {
                return sum;
            }
            a += 1.0;
        }
        let power = a.powf(-s);
        if power == 0.0 {
            return sum;
        }
        let mut rest = a / (s - 1.0) + 0.5;
        // B₂ⱼ/(2j)! · s(s+1)…(s+2j-2) / a²ʲ⁻¹
        let mut factor = s / (2.0 * a);
        for (j, b) in BERNOULLI.iter().enumerate() {
            rest += b * factor;
            let m = 2.0 * j as f64;
            factor *= (s + m + 1.0) * (s + m + 2.0) / ((m + 3.0) * (m + 4.0) * a * a);
        }
        sum + power * rest
    }
}
