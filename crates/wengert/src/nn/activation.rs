//! Activations, and what normalizes along axes.

use crate::array::Array;
use crate::numpy::{Axes, Operand, keep, where_};
use crate::random::{self, Key};
use crate::tape::composite;
use crate::{DType, stop_gradient};
use std::f64::consts::{PI, SQRT_2};

/// One activation a line: name, what it computes, the example its documentation runs.
macro_rules! activations {
    ($($name:ident |$x:ident| $body:expr, $what:literal: $at:expr, $value:expr;)*) => {
        impl Array {
            $(#[doc = concat!($what, ", element by element.")]
            ///
            /// ```
            /// # use wengert::Array;
            #[doc = concat!("let y = Array::from(", stringify!($at), "f32).", stringify!($name), "();")]
            #[doc = concat!("assert!((y.item::<f32>() - ", stringify!($value), ").abs() < 1e-6);")]
            /// ```
            #[composite]
            #[track_caller]
            pub fn $name(&self) -> Array {
                let $x = self;
                $body
            })*
        }
    };
}
activations! {
    // Chosen, not the larger of two: the derivative at the corner is then that of the flat side.
    relu |x| where_(x.le(0), x.zeros_like(), x), "`max(x, 0)`": -1.5, 0.0;
    relu6 |x| where_(x.ge(6), x.full_like(6), x.relu()), "`min(max(x, 0), 6)`": 7.5, 6.0;
    silu |x| x.to_inexact() * x.sigmoid(), "`x · sigmoid(x)`, also called swish": 1.0, 0.7310586;
    softplus |x| x.logaddexp(0), "`log(1 + exp(x))`": 1.0, 1.3132617;
    soft_sign |x| x.to_inexact() / (x.abs() + 1), "`x / (1 + |x|)`": 1.0, 0.5;
    log_sigmoid |x| -(-x).softplus(), "`log(sigmoid(x))`": 1.0, -0.3132617;
    mish |x| x.to_inexact() * x.softplus().tanh(), "`x · tanh(softplus(x))`": 1.0, 0.8650984;
    hard_tanh |x| where_(x.gt(1), x.ones_like(), where_(x.lt(-1), x.full_like(-1), x)),
        "`x` cut off at -1 and 1": 1.5, 1.0;
    hard_sigmoid |x| (x.to_inexact() + 3).relu6() / 6, "`relu6(x + 3) / 6`": 1.5, 0.75;
    hard_silu |x| x.to_inexact() * x.hard_sigmoid(), "`x · hard_sigmoid(x)`, also called hard swish": 1.5, 1.125;
    selu |x| x.elu(1.6732632423543772) * 1.0507009873554805,
        "`elu` scaled so that a network keeps mean 0 and variance 1": 1.0, 1.050701;
}

impl Array {
    /// `x`, or `slope · x` below zero.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-2.0f32, 3.0]).leaky_relu(0.25).to_vec::<f32>(), [-0.5, 3.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn leaky_relu(&self, slope: impl Into<Operand>) -> Array {
        let x = self.to_inexact();
        where_(x.ge(0), &x, &x * slope)
    }

    /// `x`, or `alpha · (exp(x) - 1)` below zero.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(-1.0f32).elu(1.0).item::<f32>() + 0.6321206).abs() < 1e-6);
    /// ```
    #[composite]
    #[track_caller]
    pub fn elu(&self, alpha: impl Into<Operand>) -> Array {
        let x = self.to_inexact();
        let above = x.gt(0);
        // The exponential of what is above zero may overflow, and would spoil the derivative.
        let below = where_(&above, x.zeros_like(), &x);
        where_(above, &x, below.expm1() * alpha)
    }

    /// `max(x, 0) + alpha · (exp(min(x, 0) / alpha) - 1)`: an `elu` with a continuous derivative.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(-1.0f32).celu(2.0).item::<f32>() + 0.7869387).abs() < 1e-6);
    /// ```
    #[composite]
    #[track_caller]
    pub fn celu(&self, alpha: impl Into<Operand>) -> Array {
        let (x, alpha) = (self.to_inexact(), alpha.into());
        x.maximum(0) + (x.minimum(0) / alpha.clone()).expm1() * alpha
    }

    /// `(x + sqrt(x² + b)) / 2`: a smooth `relu` of algebra alone.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([0.0f32, 1.5]).squareplus(4.0).to_vec::<f32>(), [1.0, 2.0]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn squareplus(&self, b: impl Into<Operand>) -> Array {
        let x = self.to_inexact();
        (&x + (x.square() + b).sqrt()) * 0.5
    }

    /// `x` times the probability that a standard normal number is smaller; `approximate` uses `tanh` for it.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!((Array::from(1.0f32).gelu(false).item::<f32>() - 0.8413447).abs() < 1e-6);
    /// assert!((Array::from(1.0f32).gelu(true).item::<f32>() - 0.841192).abs() < 1e-6);
    /// ```
    #[composite]
    #[track_caller]
    pub fn gelu(&self, approximate: bool) -> Array {
        let x = self.to_inexact();
        if approximate {
            let inner = (&x + x.pow(3) * 0.044715) * (2.0 / PI).sqrt();
            return &x * ((inner.tanh() + 1.0) * 0.5);
        }
        (&x * 0.5) * (-&x / SQRT_2).erfc()
    }

    /// The first half along an axis times the sigmoid of the second.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3.0f32, 0.0]).glu(-1).to_vec::<f32>(), [1.5]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn glu(&self, axis: isize) -> Array {
        let halves = self.split(2, axis);
        &halves[0] * halves[1].sigmoid()
    }

    /// The logarithm of the sum of the exponentials along some axes, without overflow.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([1000.0f32, 1000.0]).logsumexp(..).item::<f32>();
    /// assert!((y - 1000.6931).abs() < 1e-3);
    /// ```
    #[composite]
    #[track_caller]
    pub fn logsumexp(&self, axes: impl Into<Axes>) -> Array {
        let (x, axes) = (self.to_inexact(), axes.into());
        if x.count(&axes) == 0 {
            return x.sum(axes).full_like(f64::NEG_INFINITY);
        }
        let largest = stop_gradient(x.real().max(keep(axes.clone())));
        let largest = where_(largest.is_finite(), &largest, largest.zeros_like());
        let y = (&x - &largest).exp().sum(axes.clone()).log();
        &y + largest.reshape(if axes.keeps() { largest.shape() } else { y.shape() })
    }

    /// Exponentials scaled to sum to 1 along some axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 1.0]).softmax(-1).to_vec::<f32>(), [0.5, 0.5]);
    /// ```
    #[composite]
    #[track_caller]
    pub fn softmax(&self, axes: impl Into<Axes>) -> Array {
        let (x, axes) = (self.to_inexact(), keep(axes));
        if x.size() == 0 {
            return x;
        }
        let e = (&x - stop_gradient(x.max(axes.clone()))).exp();
        &e / e.sum(axes)
    }

    /// The logarithm of [`Array::softmax`].
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([0.0f32, 0.0]).log_softmax(-1).to_vec::<f32>();
    /// assert!((y[0] + 0.6931472).abs() < 1e-6);
    /// ```
    #[composite]
    #[track_caller]
    pub fn log_softmax(&self, axes: impl Into<Axes>) -> Array {
        let (x, axes) = (self.to_inexact(), keep(axes));
        if x.size() == 0 {
            return x;
        }
        let shifted = &x - stop_gradient(x.max(axes.clone()));
        &shifted - shifted.exp().sum(axes).log()
    }

    /// With mean 0 and variance 1 along some axes; `epsilon` is added to the variance.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([1.0f32, 3.0]).standardize(-1, 1e-5).to_vec::<f32>();
    /// assert!((y[0] + 1.0).abs() < 1e-4 && (y[1] - 1.0).abs() < 1e-4);
    /// ```
    #[composite]
    #[track_caller]
    pub fn standardize(&self, axes: impl Into<Axes>, epsilon: f64) -> Array {
        let (x, axes) = (self.to_inexact(), keep(axes));
        let centered = &x - x.mean(axes.clone());
        let variance = centered.abs2().mean(axes);
        centered * (variance + epsilon).rsqrt()
    }

    /// [`Array::standardize`] along the last axis, then scaled and shifted.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([[1.0f32, 3.0]]).layer_norm(2.0, 1.0, 0.0);
    /// assert_eq!(y, Array::from([[-1.0f32, 3.0]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn layer_norm(&self, scale: impl Into<Operand>, bias: impl Into<Operand>, epsilon: f64) -> Array {
        self.standardize(-1, epsilon) * scale + bias
    }

    /// A new last axis of size `classes`, 1 at the position each integer names and 0 elsewhere.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::from([0, 2]).one_hot(3, DType::F32), Array::from([[1.0f32, 0.0, 0.0], [0.0, 0.0, 1.0]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn one_hot(&self, classes: usize, dtype: DType) -> Array {
        self.expand_dims(-1).eq(Array::iota([classes], 0, self.dtype())).to(dtype)
    }
}

/// Zeros with probability `rate`, and the rest scaled so that the mean stays.
///
/// ```
/// use wengert::{nn, random, Array, DType};
/// let y = nn::dropout(&random::key(0), &Array::ones([1000], DType::F32), 0.5);
/// assert!((y.mean(..).item::<f32>() - 1.0).abs() < 0.1);
/// assert_eq!(y.max(..).item::<f32>(), 2.0);
/// ```
#[composite]
#[track_caller]
pub fn dropout(key: &Key, x: &Array, rate: f64) -> Array {
    if rate >= 1.0 {
        return x.zeros_like();
    }
    let kept = random::bernoulli(key, 1.0 - rate, x.shape());
    where_(kept, x / (1.0 - rate), x.zeros_like())
}
