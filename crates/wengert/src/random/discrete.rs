//! Distributions of integers and of choices.

use super::continuous::{gumbel, uniform};
use super::{Key, sizes};
use crate::array::Array;
use crate::fail::{fail, ok};
use crate::numpy::{IntoShape, Operand};
use crate::trace::bind;
use crate::where_;
use wengert_core::ops::{ArgReduce, Extreme, Order, Sort};
use wengert_core::{DType, Error, Place, Shape};

/// `true` with probability `p`, which broadcasts to the shape.
///
/// ```
/// use wengert::random;
/// let x = random::bernoulli(&random::key(42), 0.3, [4]);
/// assert_eq!(x.to_vec::<bool>(), [false, true, false, false]);
/// ```
#[track_caller]
pub fn bernoulli(key: &Key, p: impl Into<Operand>, shape: impl IntoShape) -> Array {
    let place = Place::caller();
    // A literal is a probability in double precision, as it is in JAX with 64 bits.
    let p = ok(p.into().array(DType::F64).map_err(|e| e.at(place)));
    uniform(key, shape, p.dtype()).lt(p)
}

/// Integers from `low` up to, and without, `high`.
///
/// ```
/// use wengert::{random, DType};
/// let x = random::randint(&random::key(42), [4], -5, 100, DType::I32);
/// assert_eq!(x.to_vec::<i32>(), [94, 49, 76, -1]);
/// ```
#[track_caller]
pub fn randint(
    key: &Key,
    shape: impl IntoShape,
    low: impl Into<Operand>,
    high: impl Into<Operand>,
    dtype: DType,
) -> Array {
    let place = Place::caller();
    if !dtype.is_integer() {
        fail(Error::dtype(format!("`randint` draws integers, not {dtype}")).at(place));
    }
    // Narrow integers are drawn as wide ones: the fewer bits, the more some values would be favoured.
    let drawn = if dtype.size() < 4 { DType::I32 } else { dtype };
    let unsigned = if drawn.size() == 4 { DType::U32 } else { DType::U64 };
    let end = |x: Operand| x.array(drawn).map(|x| x.to(drawn)).map_err(|e| e.at(place.clone()));
    let (low, high) = (ok(end(low.into())), ok(end(high.into())));
    let shape = ok(sizes(shape, &place));
    let keys = key.split(2);
    let [upper, lower] = [0, 1].map(|i| ok(keys[i].try_bits(&shape, unsigned, &place)));
    // Twice the bits, taken modulo the span: 2^n ≡ multiplier.
    let span = where_(high.le(&low), 1, (&high - &low).to(unsigned)).to(unsigned);
    let half = Array::from(1u64 << (drawn.bits() / 2)).to(unsigned) % &span;
    let multiplier = (&half * &half) % &span;
    let offset = (upper % &span * multiplier + lower % &span) % &span;
    (low + offset.to(drawn)).to(dtype)
}

/// The slices along an axis in a random order, all in the same one.
///
/// ```
/// use wengert::{random, Array};
/// let x = Array::from([[0, 1], [2, 3], [4, 5]]);
/// assert_eq!(random::shuffle(&random::key(42), &x, 0).to_vec::<i32>(), [4, 5, 0, 1, 2, 3]);
/// ```
#[track_caller]
pub fn shuffle(key: &Key, x: &Array, axis: isize) -> Array {
    let place = Place::caller();
    let dim = ok(crate::numpy::resolve_axis(axis, x.rank(), &place));
    let order = permutation(key, x.shape()[dim]);
    let mut index = vec![crate::Index::from(..); dim];
    index.push(order.into());
    x.get(index)
}

/// The numbers from 0 up to, and without, `n` in a random order, of type `i64`.
///
/// ```
/// use wengert::random;
/// assert_eq!(random::permutation(&random::key(42), 5).sum(..).item::<i64>(), 10);
/// ```
#[track_caller]
pub fn permutation(key: &Key, n: usize) -> Array {
    let place = Place::caller();
    let mut x = Array::from((0..n as i64).collect::<Vec<i64>>());
    // Sorting by random words, so often that equal words hardly matter.
    let rounds = (3.0 * (n.max(1) as f64).ln() / (u32::MAX as f64).ln()).ceil() as usize;
    let mut key = key.clone();
    for _ in 0..rounds {
        let mut keys = key.split(2);
        let words = ok(keys[1].try_bits(&Shape::from([n]), DType::U32, &place));
        x = bind(Sort { dim: 0, stable: true, order: Order::Natural(1) }, &[&words, &x]).remove(1);
        key = keys.remove(0);
    }
    x
}

/// Positions drawn with probabilities `softmax(logits)` along an axis, which disappears. Of type `i64`.
///
/// `shape` comes before the other axes of the logits: `()` draws one for each distribution.
///
/// ```
/// use wengert::{random, Array};
/// let logits = Array::from([0.1f32, 0.2, 0.7]).log();
/// let x = random::categorical(&random::key(42), &logits, -1, [8]);
/// assert_eq!(x.to_vec::<i64>(), [2, 2, 2, 2, 1, 2, 1, 2]);
/// ```
#[track_caller]
pub fn categorical(key: &Key, logits: &Array, axis: isize, shape: impl IntoShape) -> Array {
    let place = Place::caller();
    let dim = ok(crate::numpy::resolve_axis(axis, logits.rank(), &place));
    let front = ok(sizes(shape, &place));
    let shape: Shape = front.iter().chain(logits.shape().iter()).copied().collect();
    let scores = gumbel(key, shape, logits.dtype()) + logits;
    let op = ArgReduce { extreme: Extreme::Max, dim: front.rank() + dim, dtype: DType::I64 };
    bind(op, &[&scores]).remove(0)
}

/// Numbers from 0 up to, and without, `n`, drawn with or without replacement. Of type `i64`.
///
/// ```
/// use wengert::random;
/// assert_eq!(random::choice(&random::key(42), 10, [5], true).to_vec::<i64>(), [5, 8, 3, 1, 5]);
/// assert_eq!(random::choice(&random::key(42), 10, [5], false).to_vec::<i64>(), [7, 4, 2, 5, 3]);
/// ```
#[track_caller]
pub fn choice(key: &Key, n: usize, shape: impl IntoShape, replace: bool) -> Array {
    let place = Place::caller();
    let shape = ok(sizes(shape, &place));
    if replace {
        return randint(key, shape, 0, n as i64, DType::I64);
    }
    if shape.size() > n {
        fail(Error::shape(format!("{} of {n} can't be drawn without replacement", shape.size())).at(place));
    }
    permutation(key, n).get(0..shape.size()).reshape(shape)
}
