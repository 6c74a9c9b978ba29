//! Attention.

use crate::array::Array;
use crate::tape::composite;
use crate::{DType, where_};

/// Scaled dot-product attention over the last two axes: `softmax(q kᵀ / √d) v`, for queries `[…, n, d]`, keys
/// `[…, m, d]` and values `[…, m, e]`. Where the mask (`[…, n, m]`, `bool`) is false, a key is not seen.
///
/// ```
/// use wengert::{nn, Array};
/// let (q, k) = (Array::from([[1.0f32, 0.0]]), Array::from([[1.0f32, 0.0], [1.0, 0.0]]));
/// let v = Array::from([[1.0f32], [3.0]]);
/// assert_eq!(nn::attention(&q, &k, &v, None), Array::from([[2.0f32]]));
/// let first = Array::from([[true, false]]);
/// assert_eq!(nn::attention(&q, &k, &v, Some(&first)), Array::from([[1.0f32]]));
/// ```
#[composite]
#[track_caller]
pub fn attention(q: &Array, k: &Array, v: &Array, mask: Option<&Array>) -> Array {
    let width = q.shape()[q.rank().saturating_sub(1)..].first().copied().unwrap_or(1);
    let scores = q.matmul(k.swap_axes(-1, -2)) / (width as f64).sqrt();
    let scores = match mask {
        None => scores,
        // Far below any score, and finite: a row without keys gives their mean, and not NaN.
        Some(seen) => {
            let unseen = if scores.dtype() == DType::F16 { -3e4 } else { -1e30 };
            where_(seen, &scores, scores.full_like(unseen))
        }
    };
    scores.softmax(-1).matmul(v)
}
