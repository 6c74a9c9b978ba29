//! Modified Bessel functions of the first kind, scaled by `e^(-|x|)`: those of an `f32` computed in `f64`, with the digits
//! that an `f32` needs, and those of an `f64` by Chebyshev series.

use super::machine::Machine;
use super::series::{I0E_LARGE, I0E_SMALL, I1E_LARGE, I1E_SMALL};
use crate::ir::{Binary, Unary};

/// Order 0 in `x/4 - 1`, for `0 <= x <= 8`.
const I0_SMALL: [f64; 20] = [
    -0.00011895680895322493,
    0.00034218505615905923,
    -0.0002846991876027372,
    0.00044092404704414303,
    -0.0018942887111727629,
    0.004117736337998984,
    -0.006766337561565287,
    0.011604550417571611,
    -0.01967507981832683,
    0.03033193409502767,
    -0.042994950022666074,
    0.0567368269071855,
    -0.06953823668963797,
    0.07928120279456081,
    -0.08496381837640092,
    0.08734296848098518,
    -0.08904341441152722,
    0.09451564144783277,
    -0.1130043273481085,
    0.20700192116302943,
];

/// Order 0 times `√x` in `16/x - 1`, from 8 on.
const I0_LARGE: [f64; 8] = [
    3.1826974803453594e-08,
    1.08694317153107e-07,
    3.0696069667091005e-07,
    1.4760969126254713e-06,
    1.1140006504489903e-05,
    0.00013621717003943864,
    0.0033605522170984175,
    0.40217650941895133,
];

/// Order 1 over `x` in `x/4 - 1`, for `0 <= x <= 8`.
const I1_SMALL: [f64; 20] = [
    -1.3382439849711725e-05,
    4.5619970500444106e-05,
    -5.938787271432432e-05,
    0.00010188047910496975,
    -0.0003327816069660006,
    0.0007973158288583905,
    -0.0015543961533381536,
    0.0029707098091953602,
    -0.005522437853017414,
    0.009597994680131495,
    -0.015576428749588096,
    0.02368268656787555,
    -0.033670157640904974,
    0.04467501264276087,
    -0.05528018531133573,
    0.0637673753633253,
    -0.0684825983568837,
    0.06805760057854879,
    -0.06112433814976021,
    0.0446877098732268,
];

/// Order 1 times `√x` in `16/x - 1`, from 8 on.
const I1_LARGE: [f64; 8] = [
    -3.585659291504807e-08,
    -1.2261782756605235e-07,
    -3.5823187505055995e-07,
    -1.82583611513787e-06,
    -1.5035395188373495e-05,
    -0.00021923708091449367,
    -0.009749577437924884,
    0.38939845905776593,
];

/// The values of both polynomials at the size of a number, the second one over its root.
#[inline(always)]
fn both<M: Machine>(m: &M, size: M::Float, small: &[f64], large: &[f64]) -> [M::Float; 2] {
    let one = m.float(1.0);
    let u = m.mul_add(size, m.float(0.25), m.neg(one));
    let v = m.sub(m.div(m.float(16.0), size), one);
    let far = m.div(m.by_table(v, large), m.unary(Unary::Sqrt, size));
    [m.by_table(u, small), far]
}

/// Order 0.
#[inline(always)]
pub(super) fn i0e<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let [near, far] = both(m, size, &I0_SMALL, &I0_LARGE);
    m.where_less(size, 8.0, near, far)
}

/// Order 1.
#[inline(always)]
pub(super) fn i1e<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let [near, far] = both(m, size, &I1_SMALL, &I1_LARGE);
    let y = m.where_less(size, 8.0, m.mul(near, size), far);
    // Half of a subnormal number is rounded as a half, not as a number next to it.
    m.binary(Binary::CopySign, m.where_less(size, 1e-12, m.mul(size, m.float(0.5)), y), x)
}

/// A Chebyshev series, the first coefficient of which counts half.
#[inline(always)]
fn chebyshev<M: Machine>(m: &M, x: M::Float, series: &[f64]) -> M::Float {
    let twice = m.add(x, x);
    let (mut b0, mut b1) = (m.float(series[series.len() - 1]), m.float(0.0));
    for &c in series[1..series.len() - 1].iter().rev() {
        (b0, b1) = (m.mul_add(twice, b0, m.sub(m.float(c), b1)), b0);
    }
    m.mul_add(x, b0, m.sub(m.float(series[0] / 2.0), b1))
}

/// Where the series are taken, near zero and far from it, and the root that the second one is divided by.
#[inline(always)]
fn places<M: Machine>(m: &M, size: M::Float) -> [M::Float; 3] {
    let one = m.float(1.0);
    let far = m.sub(m.div(m.float(16.0), size), one);
    [m.mul_add(size, m.float(0.25), m.neg(one)), far, m.unary(Unary::Sqrt, size)]
}

/// Order 0 of an `f64`.
#[inline(always)]
pub(super) fn i0e_long<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let [near, far, root] = places(m, size);
    let far = m.div(chebyshev(m, far, &I0E_LARGE), root);
    m.where_less(size, 8.0, chebyshev(m, near, &I0E_SMALL), far)
}

/// Order 1 of an `f64`.
#[inline(always)]
pub(super) fn i1e_long<M: Machine>(m: &M, x: M::Float) -> M::Float {
    let size = m.abs(x);
    let [near, far, root] = places(m, size);
    let far = m.div(chebyshev(m, far, &I1E_LARGE), root);
    let y = m.where_less(size, 8.0, m.mul(chebyshev(m, near, &I1E_SMALL), size), far);
    // As in the short form.
    m.binary(Binary::CopySign, m.where_less(size, 1e-17, m.mul(size, m.float(0.5)), y), x)
}
