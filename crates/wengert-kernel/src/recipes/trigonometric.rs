//! Trigonometric functions and their inverses.

use super::log::{two_sum, two_sum_of_any};
use super::machine::{Machine, Rare, Series};
use crate::ir::{Binary, Compare, Unary};
use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, PI};

/// `(sin r / r - 1) / r²` in `r²`, for up to half a right angle.
const SIN: Series = Series {
    narrow: &[-1.9517995e-4, 0.008332188, -0.16666655],
    wide: &[
        1.589600483114913e-10,
        -2.5050744899205993e-8,
        2.755731361043564e-6,
        -0.00019841269829582052,
        0.008333333333322144,
        -0.1666666666666663,
    ],
};

/// `(cos r - 1 + r²/2) / r⁴` in `r²`, for up to half a right angle.
const COS: Series = Series {
    narrow: &[2.443066e-5, -0.0013887301, 0.041666646],
    wide: &[
        -1.1359107667168363e-11,
        2.08757131962967e-9,
        -2.755731428101778e-7,
        2.480158728924596e-5,
        -0.0013888888888873765,
        0.041666666666666595,
    ],
};

/// `(tan r / r - 1) / r²` in `r²`, for up to half a right angle.
const TAN: Series = Series {
    narrow: &[0.004441823, -4.6177567e-5, 0.010945539, 0.02123861, 0.05406865, 0.13332583, 0.33333352],
    wide: &[
        9.92067466996897e-6,
        -2.483024681970253e-5,
        4.978045106723531e-5,
        -2.7032667062175538e-5,
        6.83520337108325e-5,
        8.292365977749738e-5,
        0.0002440057922345844,
        0.0005887910937924474,
        0.0014560607430799022,
        0.0035920986675874976,
        0.00886323814232243,
        0.021869488385178458,
        0.05396825397344173,
        0.13333333333324307,
        0.33333333333333387,
    ],
};

/// `(arctan x / x - 1) / x²` in `x²`, for numbers up to 1.
const ATAN: Series = Series {
    narrow: &[
        -0.0018186817,
        0.011028854,
        -0.031394307,
        0.058177967,
        -0.084164575,
        0.10956658,
        -0.14265092,
        0.19998626,
        -0.33333302,
    ],
    wide: &[
        1.348928276605108e-5,
        -0.00015479709917125154,
        0.0008434849782747932,
        -0.0029193438734478544,
        0.007263364570346198,
        -0.01399500378174666,
        0.022085180215594528,
        -0.029985606798037755,
        0.036693559060028906,
        -0.04221719823112714,
        0.047232942951668175,
        -0.05253805882642733,
        0.05880592642773095,
        -0.0666641501522624,
        0.07692281189358215,
        -0.09090907119520095,
        0.11111111013668348,
        -0.14285714282802914,
        0.19999999999955448,
        -0.33333333333333093,
    ],
};

/// `(arcsin x / x - 1) / x²` in `x²`, for numbers up to 0.5.
const ASIN: Series = Series {
    narrow: &[0.042219825, 0.024148123, 0.04547666, 0.07495249, 0.16666754],
    wide: &[
        0.03270225654907818,
        -0.02111689265948539,
        0.021790787946934283,
        0.0036721183616007917,
        0.01078934159518913,
        0.011397288811532473,
        0.013981019138450334,
        0.01735159544154414,
        0.022372215909694175,
        0.030381942675123036,
        0.044642857175289895,
        0.07499999999970093,
        0.16666666666666763,
    ],
};

/// An angle and the right angles in it.
struct Reduced<M: Machine> {
    /// The angle less all of them, each without its last digits: exact.
    exact: M::Float,
    /// How many there are.
    whole: M::Float,
    /// The same in the lowest bits.
    turns: M::Int,
    /// The last digits of a right angle, with the other sign.
    last: [M::Float; 2],
}

#[inline(always)]
fn reduced<M: Machine>(m: &M, x: M::Float) -> Reduced<M> {
    // The last bit of this number is worth 1, so that a sum with it is rounded to a whole number.
    let magic = m.float(m.pick(12_582_912.0, 6_755_399_441_055_744.0));
    let sum = m.mul_add(x, m.float(FRAC_2_PI), magic);
    let whole = m.sub(sum, magic);
    let narrow = [std::f32::consts::FRAC_PI_2, -4.371139e-8, -1.7151245e-15].map(f64::from);
    let wide = [FRAC_PI_2, 6.123233995736766e-17, -1.4973849048591698e-33];
    let [first, second, third] = m.pick(narrow, wide).map(|part| m.float(-part));
    Reduced { exact: m.mul_add(whole, first, x), whole, turns: m.bits(sum), last: [second, third] }
}

/// The result, but for angles so large that their right angles are not counted.
#[inline(always)]
fn unless_large<M: Machine>(m: &M, f: &Rare, x: M::Float, y: M::Float) -> M::Float {
    let large = m.compare(Compare::Gt, m.abs(x), m.float(m.pick(1e5, 1e9)));
    m.call_where(f, large, x, y)
}

/// The sine of an angle and so many right ones.
#[inline(always)]
fn sine<M: Machine>(m: &M, x: M::Float, more: i64) -> M::Float {
    let Reduced { exact, whole, turns, last } = reduced(m, x);
    let (r, last) = (m.mul_add(whole, last[0], exact), m.mul(whole, last[1]));
    let turns = if more == 0 { turns } else { m.integers(Binary::Add, turns, m.int(more)) };
    let square = m.mul(r, r);
    let sine = m.add(r, m.mul_add(m.mul(r, square), m.series(square, &SIN), last));
    let cosine = m.minus_product(m.float(1.0), square, m.float(0.5));
    let cosine = m.mul_add(m.mul(square, square), m.series(square, &COS), cosine);
    let even = m.is_zero(m.integers(Binary::And, turns, m.int(1)));
    let y = m.bits(m.select(even, sine, cosine));
    let half_turns = m.integers(Binary::And, turns, m.int(2));
    let sign = m.integers(Binary::Shl, half_turns, m.int(m.pick(30, 62)));
    m.of_bits(m.integers(Binary::Xor, y, sign))
}

/// The result, or `x` where it is zero, with its sign.
#[inline(always)]
fn unless_zero<M: Machine>(m: &M, x: M::Float, y: M::Float) -> M::Float {
    let zero = m.compare(Compare::Eq, x, m.float(0.0));
    m.select(zero, x, y)
}

macro_rules! rare {
    ($($name:ident)*) => {$(
        mod $name {
            pub(super) extern "C" fn narrow(x: f32) -> f32 {
                (x as f64).$name() as f32
            }
            pub(super) extern "C" fn wide(x: f64) -> f64 {
                x.$name()
            }
        }
    )*};
}
rare! { sin cos tan }

#[inline(always)]
pub(super) fn sin<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let y = unless_zero(m, x, sine(m, x, 0));
    unless_large(m, &Rare { narrow: sin::narrow, wide: sin::wide }, x, y)
}

#[inline(always)]
pub(super) fn cos<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let y = sine(m, x, 1);
    unless_large(m, &Rare { narrow: cos::narrow, wide: cos::wide }, x, y)
}

#[inline(always)]
pub(super) fn tan<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let Reduced { exact, whole, turns, last } = reduced(m, x);
    let product = m.mul(whole, last[0]);
    let [r, lost] = two_sum_of_any(m, exact, product);
    let lost = m.add(lost, m.mul_add(whole, last[0], m.neg(product)));
    let lost = m.mul_add(whole, last[1], lost);
    let square = m.mul(r, r);
    let more = m.mul_add(lost, square, lost);
    let beyond = m.mul_add(m.mul(r, square), m.series(square, &TAN), more);
    let [tangent, lost] = two_sum(m, r, beyond);
    let even = m.is_zero(m.integers(Binary::And, turns, m.int(1)));
    let y = m.div(m.select(even, tangent, m.float(-1.0)), m.select(even, m.float(1.0), tangent));
    // What the tangent lacks, its reciprocal need not lack.
    let y = m.select(even, y, m.mul_add(m.mul(y, y), lost, y));
    unless_large(m, &Rare { narrow: tan::narrow, wide: tan::wide }, x, unless_zero(m, x, y))
}

/// A multiple of π in two parts, of the precision.
#[inline(always)]
fn times_pi<M: Machine>(m: &M, factor: f64) -> [M::Float; 2] {
    let high = m.pick((factor * PI) as f32 as f64, factor * PI);
    let low = m.pick(factor * PI - high, factor * 1.2246467991473532e-16);
    [m.float(high), m.float(low)]
}

/// A multiple of π less a number.
#[inline(always)]
fn less<M: Machine>(m: &M, [high, low]: [M::Float; 2], x: M::Float) -> M::Float {
    m.sub(high, m.sub(x, low))
}

/// The angle whose tangent is `t`, up to one, and a right angle less that: its parts are added up for each, so that neither
/// is rounded twice. The right angle is less by what is `lost`, too.
#[inline(always)]
fn angles<M: Machine>(m: &M, t: M::Float, lost: Option<M::Float>) -> [M::Float; 2] {
    let square = m.mul(t, t);
    // Of many coefficients the largest come last, or the others are rounded by as much as they.
    let series = match m.is_wide() {
        true => {
            let rest = m.by_table(square, &ATAN.wide[..ATAN.wide.len() - 1]);
            m.mul_add(square, rest, m.float(ATAN.wide[ATAN.wide.len() - 1]))
        }
        false => m.series(square, &ATAN),
    };
    let cube = m.mul(t, square);
    let [high, low] = times_pi(m, 0.5);
    let low = lost.map_or(low, |lost| m.sub(low, lost));
    let [rest, lost] = two_sum(m, high, m.neg(t));
    let rest = m.add(rest, m.add(lost, m.minus_product(low, cube, series)));
    [m.mul_add(cube, series, t), rest]
}

#[inline(always)]
pub(super) fn atan<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (size, one) = (m.abs(x), m.float(1.0));
    let large = m.compare(Compare::Gt, size, one);
    let t = m.div(m.select(large, one, size), m.select(large, size, one));
    // What the reciprocal lacks, times the slope of the angle, or about that. That of infinity lacks nothing.
    let lost = m.is_wide().then(|| {
        let lost = m.mul(m.minus_product(one, t, size), t);
        let slope = m.minus_product(one, m.mul(t, t), m.float(0.5));
        m.select(m.compare(Compare::Gt, t, m.float(0.0)), m.mul(lost, slope), m.float(0.0))
    });
    let [angle, rest] = angles(m, t, lost);
    m.binary(Binary::CopySign, m.select(large, rest, angle), x)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub(super) fn atan2<M: Machine>(m: &M, y: M::Float, x: M::Float) -> M::Float {
    let (a, b) = (m.abs(y), m.abs(x));
    let steep = m.compare(Compare::Gt, a, b);
    let (small, large) = (m.select(steep, b, a), m.select(steep, a, b));
    // Two zeros are at no angle, two infinities at half a right one.
    let equal = m.compare(Compare::Eq, small, large);
    let zero = m.compare(Compare::Eq, large, m.float(0.0));
    let t = m.select(equal, m.select(zero, large, m.float(1.0)), m.div(small, large));
    let [angle, rest] = angles(m, t, None);
    let [quarter, half] = [times_pi(m, 0.5), times_pi(m, 1.0)];
    let upright = m.select(steep, rest, angle);
    let turned = m.select(steep, m.add(quarter[0], m.add(angle, quarter[1])), less(m, half, angle));
    let positive = m.is_zero(m.integers(Binary::ShrLogical, m.bits(x), m.int(m.pick(31, 63))));
    m.binary(Binary::CopySign, m.select(positive, upright, turned), y)
}

/// Arc sines of numbers up to one half; those of larger ones `a` are a right angle less twice that of `√((1 - a) / 2)`.
/// Gives whether `a` is larger, and the arc sine in two parts.
#[inline(always)]
fn half_arc<M: Machine>(m: &M, size: M::Float) -> (M::Bool, [M::Float; 2]) {
    let half = m.float(0.5);
    let rest = m.mul(m.sub(m.float(1.0), size), half);
    let root = m.unary(Unary::Sqrt, rest);
    let large = m.compare(Compare::Gt, size, half);
    let (t, square) = (m.select(large, root, size), m.select(large, rest, m.mul(size, size)));
    (large, [t, m.mul(m.mul(t, square), m.series(square, &ASIN))])
}

#[inline(always)]
pub(super) fn asin<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (large, [arc, more]) = half_arc(m, m.abs(x));
    let [high, low] = times_pi(m, 0.5);
    let [angle, lost] = two_sum(m, high, m.neg(m.add(arc, arc)));
    let beyond = m.add(angle, m.add(lost, m.sub(low, m.add(more, more))));
    let y = m.select(large, beyond, m.add(arc, more));
    m.binary(Binary::CopySign, y, x)
}

#[inline(always)]
pub(super) fn acos<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (large, [arc, more]) = half_arc(m, m.abs(x));
    let arc = m.add(arc, more);
    let small = less(m, times_pi(m, 0.5), m.binary(Binary::CopySign, arc, x));
    let twice = m.add(arc, arc);
    let beyond = m.where_less(x, 0.0, less(m, times_pi(m, 1.0), twice), twice);
    m.select(large, beyond, small)
}
