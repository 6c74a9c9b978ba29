//! Floats of 16 bits by their definition, for the tests of both crates that compute with them.

use wengert_kernel::Kind;

/// Bits of the fraction, the smallest exponent, and the bits of infinity.
fn half_format(kind: Kind) -> (i32, i32, u64) {
    if kind == Kind::F16 { (10, -14, 0x7c00) } else { (7, -126, 0x7f80) }
}

/// What a float of 16 bits is.
pub fn half_value(kind: Kind, x: u64) -> f64 {
    let (digits, least, infinity) = half_format(kind);
    let (size, sign) = (x & 0x7fff, if x >> 15 == 1 { -1.0 } else { 1.0 });
    let (e, m) = ((size >> digits) as i32, (size & ((1 << digits) - 1)) as f64);
    sign * match size {
        _ if size > infinity => f64::NAN,
        _ if size == infinity => f64::INFINITY,
        _ if e == 0 => m * 2f64.powi(least - digits),
        _ => (m + 2f64.powi(digits)) * 2f64.powi(e - 1 + least - digits),
    }
}

/// The nearest float of 16 bits, ties to even.
pub fn half_bits(kind: Kind, x: f64) -> u64 {
    let (digits, least, infinity) = half_format(kind);
    let (size, sign) = (x.abs(), if x.is_sign_negative() { 0x8000 } else { 0 });
    if x.is_nan() || x.is_infinite() {
        return sign | if x.is_nan() { infinity + 1 } else { infinity };
    }
    let e = ((size.to_bits() >> 52) as i32 - 1023).max(least);
    let n = (size / 2f64.powi(e - digits)).round_ties_even() as u64;
    sign | (((e - least) as u64) << digits).wrapping_add(n).min(infinity)
}
