//! Losses. Those that say so give one number for each example or element: take the `.mean(..)` to train.

use crate::array::Array;
use crate::fail::fail;
use crate::numpy::{Operand, where_};
use crate::tape::composite;
use wengert_core::{DType, Error, Place};

/// The cross-entropy between logits (their last axis the classes) and labels, for each example. Labels are integers that
/// name the class, or a distribution over the classes.
///
/// ```
/// use wengert::{nn, Array};
/// let logits = Array::from([[2.0f32, 0.0], [0.0, 0.0]]);
/// let loss = nn::cross_entropy(&logits, Array::from([0, 1])).to_vec::<f32>();
/// assert!((loss[0] - 0.126928).abs() < 1e-6 && (loss[1] - 0.6931472).abs() < 1e-6);
/// let soft = nn::cross_entropy(&logits, Array::from([[1.0f32, 0.0], [0.5, 0.5]])).to_vec::<f32>();
/// assert!((soft[1] - 0.6931472).abs() < 1e-6);
/// ```
#[composite]
#[track_caller]
pub fn cross_entropy(logits: &Array, labels: impl Into<Array>) -> Array {
    let labels = labels.into();
    let log_p = logits.log_softmax(-1);
    if labels.dtype().is_float() {
        return -(log_p * labels).sum(-1);
    }
    if labels.shape()[..] != logits.shape()[..logits.rank() - 1] {
        fail(
            Error::shape(format!("labels of type {} do not fit logits of type {}", labels.ty(), logits.ty()))
                .at(Place::caller())
                .note("the labels have the shape of the logits without the last axis, which holds the classes"),
        );
    }
    let here = labels.one_hot(log_p.shape()[log_p.rank() - 1], DType::Bool);
    -where_(here, &log_p, log_p.zeros_like()).sum(-1)
}

/// The cross-entropy between independent logits and labels in 0..=1, for each element.
///
/// ```
/// use wengert::{nn, Array};
/// let loss = nn::binary_cross_entropy_with_logits(&Array::from(0.0f32), 1.0);
/// assert!((loss.item::<f32>() - 0.6931472).abs() < 1e-6);
/// ```
#[composite]
#[track_caller]
pub fn binary_cross_entropy_with_logits(logits: &Array, labels: impl Into<Operand>) -> Array {
    // -y log σ(x) - (1 - y) log σ(-x)
    let x = logits.to_inexact();
    let y = x.zeros_like() + labels;
    -(x.log_sigmoid() * &y + (-x).log_sigmoid() * (1.0 - y))
}

/// The mean of the squares of the differences: one number.
///
/// ```
/// use wengert::{nn, Array};
/// assert_eq!(nn::mse(&Array::from([1.0f32, 2.0]), Array::from([1.0f32, 4.0])).item::<f32>(), 2.0);
/// ```
#[composite]
#[track_caller]
pub fn mse(prediction: &Array, target: impl Into<Operand>) -> Array {
    (prediction.to_inexact() - target).abs2().mean(..)
}

/// The mean of the absolute differences: one number.
///
/// ```
/// use wengert::{nn, Array};
/// assert_eq!(nn::mae(&Array::from([1.0f32, 2.0]), Array::from([1.0f32, 4.0])).item::<f32>(), 1.0);
/// ```
#[composite]
#[track_caller]
pub fn mae(prediction: &Array, target: impl Into<Operand>) -> Array {
    (prediction.to_inexact() - target).abs().mean(..)
}

/// Half the square of the difference, from `delta` on a straight line, for each element.
///
/// ```
/// use wengert::{nn, Array};
/// assert_eq!(nn::huber(&Array::from([0.5f32, 3.0]), 0.0, 1.0).to_vec::<f32>(), [0.125, 2.5]);
/// ```
#[composite]
#[track_caller]
pub fn huber(prediction: &Array, target: impl Into<Operand>, delta: f64) -> Array {
    let far = (prediction.to_inexact() - target).abs();
    let near = far.minimum(delta);
    near.square() * 0.5 + (far - near) * delta
}

/// `max(0, 1 - prediction · target)` for targets of -1 and 1, for each element.
///
/// ```
/// use wengert::{nn, Array};
/// assert_eq!(nn::hinge(&Array::from([0.5f32, 3.0]), 1.0).to_vec::<f32>(), [0.5, 0.0]);
/// ```
#[composite]
#[track_caller]
pub fn hinge(prediction: &Array, target: impl Into<Operand>) -> Array {
    (1.0 - prediction.to_inexact() * target).relu()
}

/// The divergence of a distribution (along the last axis) from one given by logarithms, for each example.
///
/// ```
/// use wengert::{nn, Array};
/// let loss = nn::kl_div(&Array::from([0.5f32, 0.5]).log(), Array::from([1.0f32, 0.0]));
/// assert!((loss.item::<f32>() - 0.6931472).abs() < 1e-6);
/// ```
#[composite]
#[track_caller]
pub fn kl_div(log_prediction: &Array, target: impl Into<Operand>) -> Array {
    let p = log_prediction.zeros_like() + target;
    // 0 · log 0 is 0.
    let none = p.eq(0);
    let log_p = where_(&none, p.ones_like(), &p).log();
    (&p * (log_p - log_prediction)).sum(-1)
}
