//! Random numbers from keys: the same key gives the same numbers, here and in JAX.
//!
//! A [`Key`] is a value. Nothing is hidden and nothing changes: to draw twice, [`Key::split`] it, and use each part once.
//!
//! ```
//! use wengert::{random, DType};
//! let keys = random::key(42).split(2);
//! let x = random::normal(&keys[0], [2, 3], DType::F32);
//! let y = random::uniform(&keys[1], [3], DType::F64);
//! assert_eq!((&x.shape()[..], &y.shape()[..]), (&[2, 3][..], &[3][..]));
//! ```

mod continuous;
mod counts;
mod derived;
mod discrete;
mod gamma;
#[cfg(test)]
mod tests;

pub use continuous::{
    cauchy, exponential, gumbel, laplace, logistic, normal, truncated_normal, uniform, uniform_between,
};
pub use counts::{geometric, poisson};
pub use derived::{lognormal, multivariate_normal, pareto, rayleigh, weibull};
pub use discrete::{
    Choice, bernoulli, categorical, choice, choice_from, permutation, rademacher, randint, shuffle, shuffle_each,
};
pub use gamma::{beta, chisquare, dirichlet, gamma, loggamma, t};

use crate::array::Array;
use crate::dispatch::{bind, try_bind, try_bind_staged};
use crate::fail::{fail, ok};
use crate::numpy::{IntoShape, Operand};
use crate::tape::composite;
use crate::{Tree, s};
use wengert_core::ops::{Broadcast, Iota, Threefry};
use wengert_core::{DType, Dims, Error, Place, Result, Shape, Tensor, Type};

/// The source of some random numbers. A tree, so it can be an argument of staged and batched functions.
#[derive(Clone, Debug, Tree)]
pub struct Key {
    data: Array,
}

/// The key of a seed.
///
/// ```
/// use wengert::random;
/// assert_eq!(random::key(42).data().to_vec::<u32>(), [0, 42]);
/// ```
pub fn key(seed: impl Into<i64>) -> Key {
    let seed: i64 = seed.into();
    Key { data: Array::from([(seed >> 32) as u32, seed as u32]) }
}

impl Key {
    /// The key with these two words.
    ///
    /// # Panics
    /// If the array is not of type `u32[2]`.
    #[track_caller]
    pub fn from_data(data: Array) -> Key {
        if data.ty() != Type::new(DType::U32, [2]) {
            let e = Error::shape(format!("the words of a key have type u32[2], and this array has {}", data.ty()));
            fail(e.at(Place::caller()));
        }
        Key { data }
    }

    /// The two words of the key.
    pub fn data(&self) -> &Array {
        &self.data
    }

    /// New keys, as many as asked for, each a source of its own.
    ///
    /// ```
    /// use wengert::random;
    /// let [a, b] = <[_; 2]>::try_from(random::key(0).split(2)).unwrap();
    /// assert_ne!(a.data().to_vec::<u32>(), b.data().to_vec::<u32>());
    /// ```
    #[composite(random)]
    #[track_caller]
    pub fn split(&self, n: usize) -> Vec<Key> {
        let (a, b) = ok(self.words(&Shape::from([n]), &Place::caller()));
        (0..n).map(|i| Key { data: crate::stack([a.get(i), b.get(i)], 0) }).collect()
    }

    /// New keys stacked along a leading axis, to be walked along by `scan` or `vmap`.
    ///
    /// ```
    /// use wengert::{random, vmap, Array, DType};
    /// let keys = random::key(0).split_stacked(3);
    /// let x = vmap(|k: random::Key| random::normal(&k, [2], DType::F32))(keys);
    /// assert_eq!(x.shape()[..], [3, 2]);
    /// ```
    #[composite(random)]
    #[track_caller]
    pub fn split_stacked(&self, n: usize) -> Key {
        let (a, b) = ok(self.words(&Shape::from([n]), &Place::caller()));
        Key { data: crate::stack([a, b], -1) }
    }

    /// A new key made from this one and a number.
    ///
    /// ```
    /// use wengert::random;
    /// let steps: Vec<_> = (0..3u32).map(|i| random::key(0).fold_in(i)).collect();
    /// assert_eq!(steps.len(), 3);
    /// ```
    #[composite(random)]
    #[track_caller]
    pub fn fold_in(&self, number: impl Into<Array>) -> Key {
        let number = number.into().to(DType::U32);
        let [a, b] = ok(self.halves(&Place::caller()));
        let y = bind(Threefry {}, &[&a, &b, &Array::from(0u32), &number]);
        Key { data: crate::stack([&y[0], &y[1]], 0) }
    }

    fn halves(&self, place: &Place) -> Result<[Array; 2]> {
        if self.data.rank() != 1 {
            let e = Error::shape(format!("one key is needed here, and these are several: {}", self.data.ty()));
            return Err(e.at(place.clone()).note("map over them with `vmap`, or walk along them with `scan`"));
        }
        Ok([0, 1].map(|i| self.data.get(s![i])))
    }

    /// Two words for each position of a shape: the key's answer to the position's number.
    fn words(&self, shape: &Shape, place: &Place) -> Result<(Array, Array)> {
        let counts = Type::new(DType::U32, shape.clone());
        if shape.size() as u64 > u32::MAX as u64 {
            return Err(Error::shape(format!("{shape} asks for more random numbers than one key gives: split it"))
                .at(place.clone()));
        }
        let flat = Iota { ty: Type::new(DType::U32, [shape.size()]), dim: 0 };
        let few = self.data.is_traced() && shape.size() <= 8;
        let low = if few {
            let positions: Vec<u32> = (0..shape.size() as u32).collect();
            Array::literal(Tensor::new(shape.clone(), positions)?)
        } else {
            // In a staged function they are counted when it runs, not kept as a constant.
            let low = match self.data.is_traced() {
                true => try_bind_staged(flat.into(), &[], place.clone())?.remove(0),
                false => try_bind(flat.into(), &[], place.clone())?.remove(0),
            };
            low.try_reshape(shape.clone(), place)?
        };
        let high = Array::literal(wengert_core::Tensor::zeros(&counts));
        let spread = |x: &Array| {
            let op = Broadcast { shape: shape.clone(), dims: Dims::new() };
            Ok::<_, Error>(try_bind(op.into(), &[x], place.clone())?.remove(0))
        };
        let [a, b] = self.halves(place)?;
        let mut y = try_bind(Threefry {}.into(), &[&spread(&a)?, &spread(&b)?, &high, &low], place.clone())?;
        let second = y.remove(1);
        Ok((y.remove(0), second))
    }

    fn try_bits(&self, shape: &Shape, dtype: DType, place: &Place) -> Result<Array> {
        if !dtype.is_unsigned() {
            return Err(Error::dtype(format!("random bits fill unsigned integers, not {dtype}")).at(place.clone()));
        }
        let (a, b) = self.words(shape, place)?;
        Ok(match dtype {
            DType::U64 => (a.to(DType::U64) << 32) | b.to(DType::U64),
            DType::U32 => a ^ b,
            narrow => (a ^ b).to(narrow),
        })
    }
}

/// Random bits in an unsigned integer type.
///
/// ```
/// use wengert::{random, DType};
/// assert_eq!(random::bits(&random::key(42), [2], DType::U8).to_vec::<u8>(), [162, 217]);
/// ```
#[composite(random)]
#[track_caller]
pub fn bits(key: &Key, shape: impl IntoShape, dtype: DType) -> Array {
    let place = Place::caller();
    ok(sizes(shape, &place).and_then(|s| key.try_bits(&s, dtype, &place)))
}

/// A shape whose sizes are all given.
fn sizes(shape: impl IntoShape, place: &Place) -> Result<Shape> {
    let sizes = shape.sizes();
    match sizes.iter().find(|d| **d < 0) {
        Some(d) => Err(Error::shape(format!("{d} is not a size")).at(place.clone())),
        None => Ok(sizes.iter().map(|&d| d as usize).collect()),
    }
}

/// A parameter of a distribution, in the type that is drawn.
fn parameter(x: impl Into<Operand>, dtype: DType, place: &Place) -> Result<Array> {
    x.into().array(dtype).map(|x| x.to(dtype)).map_err(|e| e.at(place.clone()))
}

/// The shape of what is drawn between two bounds, and these.
fn range(
    shape: impl IntoShape,
    low: impl Into<Operand>,
    high: impl Into<Operand>,
    dtype: DType,
    place: &Place,
) -> Result<(Shape, [Array; 2])> {
    Ok((sizes(shape, place)?, [parameter(low, dtype, place)?, parameter(high, dtype, place)?]))
}
