//! Special functions in `f64`. Tables of Chebyshev coefficients were computed to 60 digits from the definitions.

mod bessel;
pub(crate) mod complex;
mod gamma;

pub(crate) use bessel::{i0e, i1e};
pub(crate) use gamma::polygamma;

/// `c₀/2 + Σ cᵢ Tᵢ(x)` for `x` in `-1..=1`, by Clenshaw's recurrence.
fn chebyshev(c: &[f64], x: f64) -> f64 {
    let (mut b0, mut b1) = (0.0, 0.0);
    for &c in c[1..].iter().rev() {
        (b0, b1) = (2.0 * x * b0 - b1 + c, b0);
    }
    x * b0 - b1 + c[0] / 2.0
}
