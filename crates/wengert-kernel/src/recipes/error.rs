//! The error function, its complement and its inverse.

use super::exp::{exp, exp_in_parts};
use super::log::{log, two_sum, two_sum_of_any};
use super::machine::{Machine, Series};
use crate::ir::{Binary, Compare, Unary};
use std::f64::consts::FRAC_1_SQRT_2;

/// `erf x / x - 1` in `x²`, for numbers up to 1.
const ERF: Series = Series {
    narrow: &[7.920364e-5, -8.0307614e-4, 0.005190734, -0.026855126, 0.11283618, -0.3761263, 0.12837917],
    wide: &[
        5.960682533395558e-11,
        -1.1374953984024188e-9,
        1.466032824127728e-8,
        -1.6350396146328575e-7,
        1.6461008470019228e-6,
        -1.492559577165214e-5,
        0.00012055331132931494,
        -0.000854832698142479,
        0.005223977624828416,
        -0.026866170645077875,
        0.11283791670954885,
        -0.3761263890318375,
        0.1283791670955126,
    ],
};

/// `-log(1 - erf x)`, from 1 on to where `erf x` is 1 to the last bit.
const ERF_TAIL: Series = Series {
    narrow: &[-1.8556886e-4, 0.0029395714, -0.021805225, 0.10303725, 0.63822573, 1.12704, 3.5371925e-4],
    wide: &[
        4.865188296302495e-12,
        -2.0203770957782872e-10,
        3.890076219541629e-9,
        -4.593392749032493e-8,
        3.695710324555391e-7,
        -2.114831726755434e-6,
        8.578917515109204e-6,
        -2.2533318396996647e-5,
        1.952397218809836e-5,
        0.00013655383825459226,
        -0.0007730424738691921,
        0.0019189448010197424,
        -0.0004135357051101226,
        -0.018988042720202134,
        0.10270229019592705,
        0.6366440549402285,
        1.1283739917504727,
        5.132369390637237e-7,
    ],
};

#[inline(always)]
pub(super) fn erf<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let inside = m.at_most(size, m.pick(4.0, 6.0));
    let tail = m.sub(m.float(1.0), exp(m, m.neg(m.series(inside, &ERF_TAIL))));
    let small = m.mul_add(size, m.series(m.mul(size, size), &ERF), size);
    m.binary(Binary::CopySign, m.where_less(size, 1.0, small, tail), x)
}

/// `(1 + 2x) e^(x²) (1 - erf x)` in `(x - 4) / (x + 4)`, from 0.49 on to 28.
const ERFC: Series = Series {
    narrow: &[
        0.005267743,
        -0.016581865,
        0.03699271,
        -0.06625855,
        0.09376849,
        -0.10104483,
        0.06809445,
        0.015379834,
        -0.13962106,
        1.2329952,
    ],
    wide: &[
        -1.0054520990397787e-08,
        -1.2097423215018541e-08,
        1.0439683266422845e-07,
        6.667844400159019e-08,
        -8.208840990085084e-07,
        2.999582498468774e-07,
        5.707416107439866e-06,
        -1.1224987383537346e-05,
        -2.439843200829132e-05,
        0.00015062259280408232,
        -0.00019925687050687465,
        -0.0007577734716583087,
        0.005031970003689728,
        -0.016197734035002798,
        0.03716751553516602,
        -0.06633036581387038,
        0.09373283499846674,
        -0.1010390660362431,
        0.06809705425468991,
        0.015379652102618862,
        -0.1396211168405625,
        1.2329951186255526,
    ],
};

/// What the constant coefficient of the narrow one was rounded by.
const ERFC_LOST: f64 = -3.4959e-8;

#[inline(always)]
pub(super) fn erfc<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let (size, one) = (m.abs(x), m.float(1.0));
    let a = m.at_most(size, m.pick(10.5, 28.0));
    // The square in two parts: the exponential function makes much of its last digits.
    let square = m.mul(a, a);
    let lost = m.mul_add(a, a, m.neg(square));
    let s = m.div(m.sub(a, m.float(4.0)), m.add(a, m.float(4.0)));
    let (above, unseen) = match m.is_wide() {
        true => {
            let (last, others) = ERFC.wide.split_last().expect("a table");
            let others = m.by_table(s, others);
            let product = m.mul(s, others);
            let [above, lost] = two_sum(m, m.float(*last), product);
            (above, m.add(lost, m.mul_add(s, others, m.neg(product))))
        }
        false => (m.constant_last(s, ERFC.narrow.len(), |i| ERFC.narrow[i] as f64), m.float(0.0)),
    };
    let below = m.mul_add(a, m.float(2.0), one);
    let quotient = m.div(above, below);
    // What is lost on the way, in parts of the result: by the quotient (which `above` is divided by to see it, a number
    // always near 1.18), by what is divided and its divisor, and by the square.
    let rest = m.minus_product(above, quotient, below);
    let rest = if m.is_wide() { m.add(rest, unseen) } else { rest };
    let divisor = m.mul_add(a, m.float(2.0), m.sub(one, below));
    let rest = m.mul(m.minus_product(rest, quotient, divisor), m.float(1.0 / 1.18));
    let off = m.sub(rest, if m.is_wide() { lost } else { m.add(lost, m.float(-ERFC_LOST / 1.18)) });
    // Scaled up, so that what is lost of small numbers is no subnormal one.
    let [power, more] = exp_in_parts(m, m.neg(square), 60);
    let tail = m.mul(power, quotient);
    let rounded = m.mul_add(power, quotient, m.neg(tail));
    let tail = m.add(tail, m.mul_add(more, quotient, m.mul_add(tail, off, rounded)));
    let tail = m.mul(tail, m.float(1.0 / (1u64 << 60) as f64));
    let beyond = m.where_less(x, 0.0, m.sub(m.float(2.0), tail), tail);
    // From one half on, the difference is exact.
    let small = m.minus_product(m.sub(one, x), x, m.series(m.mul(x, x), &ERF));
    m.where_less(size, 0.7, small, beyond)
}

/// The inverse of the error function over `x` in `w`, which is `-log(1 - x²)`, up to 5.
const INVERSE_NEAR: [f32; 10] = [
    -8.79061e-9,
    2.2102184e-7,
    -1.9763847e-6,
    3.9828756e-6,
    4.4566208e-5,
    -1.2748323e-4,
    -0.0023342948,
    0.011548653,
    0.23201382,
    0.8862269,
];

/// The same in `√w - 3`, from there on to where an `f32` is 1.
const INVERSE_FAR: [f32; 10] = [
    1.2981039e-4,
    -3.1924353e-4,
    -7.781833e-5,
    0.0014964239,
    -0.0035863973,
    0.0056829886,
    -0.0076395217,
    0.009445702,
    1.0016751,
    2.8329768,
];

/// Of `f32` by polynomials in the logarithm (as M. Giles has it in GPU Computing Gems, 2011), of `f64` by quotients.
#[inline(always)]
pub(super) fn erf_inv<M: Machine>(m: &M, x: M::Float) -> M::Float {
    if m.is_wide() {
        return erf_inv_by_quotients(m, x);
    }
    let w = m.neg(log(m, m.minus_product(m.float(1.0), x, x)));
    let root = m.sub(m.unary(Unary::Sqrt, w), m.float(3.0));
    let near = m.polynomial(w, 9, |i| INVERSE_NEAR[i] as f64);
    let far = m.polynomial(root, 9, |i| INVERSE_FAR[i] as f64);
    let is_near = m.compare(Compare::Lt, w, m.float(5.0));
    let (v, q) = (m.select(is_near, w, root), m.select(is_near, near, far));
    let constant = m.select(is_near, m.float(INVERSE_NEAR[9] as f64), m.float(INVERSE_FAR[9] as f64));
    // The last step of the polynomial with what it is rounded by.
    let product = m.mul(v, q);
    let [sum, lost] = two_sum_of_any(m, constant, product);
    let lost = m.add(lost, m.mul_add(v, q, m.neg(product)));
    let y = m.mul_add(x, sum, m.mul(x, lost));
    // The logarithm of zero is infinite, and so are polynomials of it, with any sign.
    let edge = m.compare(Compare::Eq, m.abs(x), m.float(1.0));
    m.select(edge, m.mul(x, m.float(f64::INFINITY)), y)
}

/// By three quotients of polynomials for the quantiles of the normal distribution (Wichura, Applied Statistics 37, 1988):
/// near the middle in the square of `x`, in the tails in the root of the logarithm.
#[inline(always)]
fn erf_inv_by_quotients<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let r = m.minus_product(m.float(0.180625), m.mul(x, x), m.float(0.25));
    let middle = m.mul(m.mul(quotient(m, r, &MIDDLE), m.float(0.5 * FRAC_1_SQRT_2)), x);
    let rest = m.mul(m.sub(m.float(1.0), size), m.float(0.5));
    let r = m.unary(Unary::Sqrt, m.neg(log(m, rest)));
    let near = quotient(m, m.sub(r, m.float(1.6)), &TAIL);
    let far = quotient(m, m.sub(r, m.float(5.0)), &FAR);
    let tail = m.where_less(r, 5.0, near, far);
    let tail = m.binary(Binary::CopySign, m.mul(tail, m.float(FRAC_1_SQRT_2)), x);
    let y = m.where_less(size, 0.85, middle, tail);
    let infinity = m.binary(Binary::CopySign, m.float(f64::INFINITY), x);
    let edge = m.compare(Compare::Eq, size, m.float(1.0));
    let y = m.select(edge, infinity, y);
    let inside = m.compare(Compare::Le, size, m.float(1.0));
    m.select(inside, y, m.float(f64::NAN))
}

/// A quotient of two polynomials.
#[inline(always)]
fn quotient<M: Machine>(m: &M, x: M::Float, [p, q]: &[[f64; 8]; 2]) -> M::Float {
    m.div(m.polynomial(x, p.len(), |i| p[i]), m.polynomial(x, q.len(), |i| q[i]))
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
