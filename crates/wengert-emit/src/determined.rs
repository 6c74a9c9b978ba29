//! Results of decompositions: where a matrix does not determine them, they may be others elsewhere.

use wengert_core::Op;
use wengert_core::ops::Eigenvectors;

/// The results of an op that a matrix does not always determine: what rounding chooses is as right as any other.
///
/// ```
/// use wengert_core::Op;
/// use wengert_core::ops::Eigh;
/// assert_eq!(wengert_emit::free_results(&Op::Eigh(Eigh { lower: true })), [1]);
/// ```
pub fn free_results(op: &Op) -> &'static [usize] {
    match op {
        Op::Qr(_) => &[0, 1],
        Op::Eigh(_) => &[1],
        Op::Svd(o) if o.compute_uv => &[0, 2],
        // Eigenvalues that repeat may be far from what they are without rounding.
        Op::Eig(o) if o.compute_v == Eigenvectors::Right => &[0, 1],
        Op::Eig(o) if o.compute_v == Eigenvectors::Both => &[0, 1, 2],
        _ => &[],
    }
}

/// What a file says where it compares such results.
pub(crate) const NOTE: &str = "These depend on a decomposition that its matrix does not determine, or on what only rounding decides: others are as right.";
