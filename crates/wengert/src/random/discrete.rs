//! Distributions of integers and of choices.

use super::continuous::{gumbel, uniform};
use super::{Key, range, sizes};
use crate::array::Array;
use crate::dispatch::bind;
use crate::fail::{fail, ok};
use crate::numpy::{IntoShape, Operand};
use crate::tape::composite;
use crate::where_;
use wengert_core::ops::{ArgReduce, Cumulative, CumulativeKind, Extreme, Order, Sort, TopK};
use wengert_core::{DType, Error, Place, Shape};

/// `true` with probability `p`, which broadcasts to the shape.
///
/// ```
/// use wengert::random;
/// let x = random::bernoulli(&random::key(42), 0.3, [4]);
/// assert_eq!(x.to_vec::<bool>(), [false, true, false, false]);
/// ```
#[composite(random)]
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
#[composite(random)]
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
    let (shape, [low, high]) = ok(range(shape, low, high, drawn, &place));
    let keys = key.split(2);
    let [upper, lower] = [0, 1].map(|i| ok(keys[i].try_bits(&shape, unsigned, &place)));
    // Twice the bits, taken modulo the span: 2^n ≡ multiplier.
    let span = where_(high.le(&low), 1, (&high - &low).to(unsigned)).to(unsigned);
    let half = Array::from(1u64 << (drawn.bits() / 2)).to(unsigned) % &span;
    let multiplier = (&half * &half) % &span;
    let offset = (upper % &span * multiplier + lower % &span) % &span;
    (low + offset.to(drawn)).to(dtype)
}

/// -1 or 1, as likely as each other.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::rademacher(&random::key(42), [4], DType::I32).to_vec::<i32>(), [1, 1, -1, -1]);
/// ```
#[composite(random)]
#[track_caller]
pub fn rademacher(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    bernoulli(key, 0.5, shape).to(dtype) * 2 - 1
}

/// The slices along an axis in a random order, all in the same one.
///
/// ```
/// use wengert::{random, Array};
/// let x = Array::from([[0, 1], [2, 3], [4, 5]]);
/// assert_eq!(random::shuffle(&random::key(42), &x, 0).to_vec::<i32>(), [4, 5, 0, 1, 2, 3]);
/// ```
#[composite(random)]
#[track_caller]
pub fn shuffle(key: &Key, x: &Array, axis: isize) -> Array {
    let place = Place::caller();
    let dim = ok(crate::numpy::resolve_axis(axis, x.rank(), &place));
    take(x, permutation(key, x.shape()[dim]), dim)
}

/// The elements along an axis in a random order, another one for each place on the other axes.
///
/// ```
/// use wengert::{random, Array};
/// let x = Array::from([[0, 1], [2, 3], [4, 5]]);
/// assert_eq!(random::shuffle_each(&random::key(42), &x, 0).to_vec::<i32>(), [4, 5, 2, 3, 0, 1]);
/// ```
#[composite(random)]
#[track_caller]
pub fn shuffle_each(key: &Key, x: &Array, axis: isize) -> Array {
    let place = Place::caller();
    let dim = ok(crate::numpy::resolve_axis(axis, x.rank(), &place));
    // Sorting by random words, so often that equal words hardly matter.
    let rounds = (3.0 * (x.size().max(1) as f64).ln() / (u32::MAX as f64).ln()).ceil() as usize;
    let (mut key, mut x) = (key.clone(), x.clone());
    for _ in 0..rounds {
        let mut keys = key.split(2);
        let words = ok(keys[1].try_bits(x.shape(), DType::U32, &place));
        x = bind(Sort { dim, stable: true, order: Order::Natural(1) }, &[&words, &x]).remove(1);
        key = keys.remove(0);
    }
    x
}

/// The numbers from 0 up to, and without, `n` in a random order, of type `i64`.
///
/// ```
/// use wengert::random;
/// assert_eq!(random::permutation(&random::key(42), 5).sum(..).item::<i64>(), 10);
/// ```
#[composite(random)]
#[track_caller]
pub fn permutation(key: &Key, n: usize) -> Array {
    shuffle_each(key, &Array::iota([n], 0, DType::I64), 0)
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
#[composite(random)]
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
#[composite(random)]
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

/// How [`choice_from`] chooses.
#[derive(Clone, Debug)]
pub struct Choice {
    /// Whether the same element may be chosen again.
    pub replace: bool,
    /// The probability of each element, if they differ.
    pub p: Option<Array>,
    /// The axis along which the elements lie.
    pub axis: isize,
}

impl Default for Choice {
    /// With replacement, all as likely as each other, along the first axis.
    fn default() -> Choice {
        Choice { replace: true, p: None, axis: 0 }
    }
}

/// Elements of an array along an axis, which the shape takes the place of.
///
/// ```
/// use wengert::{random::{self, Choice}, Array};
/// let x = Array::from([10, 20, 30]);
/// let key = random::key(42);
/// assert_eq!(random::choice_from(&key, &x, [4], &Choice::default()).to_vec::<i32>(), [10, 20, 10, 20]);
/// let p = Some(Array::from([0.5f64, 0.25, 0.25]));
/// let how = Choice { p: p.clone(), ..Choice::default() };
/// assert_eq!(random::choice_from(&key, &x, [4], &how).to_vec::<i32>(), [20, 30, 10, 10]);
/// let how = Choice { p, replace: false, axis: 0 };
/// assert_eq!(random::choice_from(&key, &x, [2], &how).to_vec::<i32>(), [10, 30]);
/// ```
#[composite(random)]
#[track_caller]
pub fn choice_from(key: &Key, x: &Array, shape: impl IntoShape, how: &Choice) -> Array {
    let place = Place::caller();
    let shape = ok(sizes(shape, &place));
    let dim = ok(crate::numpy::resolve_axis(how.axis, x.rank(), &place));
    let (n, draws) = (x.shape()[dim], shape.size());
    let at = match &how.p {
        None => choice(key, n, [draws], how.replace),
        Some(p) if p.shape()[..] != [n] => {
            let m = format!("`choice_from` takes a probability for each of {n} elements, and got {}", p.ty());
            fail(Error::shape(m).at(place))
        }
        Some(p) if how.replace => {
            // Where the running sum of probabilities reaches uniform numbers.
            let sum = bind(Cumulative { kind: CumulativeKind::Sum, dim: 0, reverse: false }, &[p]).remove(0);
            let u = (1.0 - uniform(key, [draws], p.dtype())) * sum.get(-1);
            sum.lt(u.expand_dims(1)).to(DType::I64).sum(1)
        }
        // The largest logarithms of probabilities with noise.
        Some(p) => bind(TopK { k: draws }, &[&(gumbel(key, [n], p.dtype()) + p.log())]).remove(1),
    };
    let sizes = x.shape()[..dim].iter().chain(shape.iter()).chain(&x.shape()[dim + 1..]);
    take(x, at, dim).reshape(sizes.copied().collect::<Shape>())
}

/// The slices at these positions along an axis.
#[track_caller]
fn take(x: &Array, at: Array, dim: usize) -> Array {
    let mut index = vec![crate::Index::from(..); dim];
    index.push(at.into());
    x.get(index)
}
