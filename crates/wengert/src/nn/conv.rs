//! Convolution and pooling.

use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use crate::numpy::{Widths, convert};
use crate::tape::composite;
use wengert_core::ops::{Combiner, Convolution, ReduceWindow, Window};
use wengert_core::{Dims, Error, Place, Result, Shape};

/// One number for every spatial axis, or one for each: `2`, `[2, 1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// The same for every axis.
    Every(usize),
    /// One for each axis.
    Each(Vec<usize>),
}

impl From<usize> for Sizes {
    fn from(n: usize) -> Sizes {
        Sizes::Every(n)
    }
}
impl<const N: usize> From<[usize; N]> for Sizes {
    fn from(n: [usize; N]) -> Sizes {
        Sizes::Each(n.to_vec())
    }
}
impl From<Vec<usize>> for Sizes {
    fn from(n: Vec<usize>) -> Sizes {
        Sizes::Each(n)
    }
}

impl Sizes {
    fn resolve(&self, what: &str, axes: usize, place: &Place) -> Result<Dims> {
        match self {
            Sizes::Every(n) => Ok(smallvec::smallvec![*n; axes]),
            Sizes::Each(n) if n.len() == axes => Ok(n.as_slice().into()),
            Sizes::Each(n) => {
                Err(Error::shape(format!("{} {what} for {axes} spatial axes", n.len())).at(place.clone()))
            }
        }
    }
}

/// What is put around an array before a window moves over it.
#[derive(Clone, Debug)]
pub enum Padding {
    /// Nothing.
    Valid,
    /// As much as makes the result as large as the array (over the stride), evenly at both ends.
    Same,
    /// This much at the ends of each spatial axis.
    Given(Widths),
}

/// How a window moves over an array: stride, padding, dilation, groups, and where the channels are.
///
/// The axes are `[batch, channel, spatial…]` unless [`Sliding::channels_last`] is asked for.
#[derive(Clone, Debug)]
pub struct Sliding {
    strides: Option<Sizes>,
    padding: Padding,
    dilation: Sizes,
    groups: usize,
    channels_last: bool,
}

impl Default for Sliding {
    fn default() -> Sliding {
        Sliding::new()
    }
}

impl Sliding {
    /// One step at a time for a convolution, one window at a time for pooling; no padding.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 2, 8, 8], DType::F32), Array::ones([3, 2, 3, 3], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new()).shape()[..], [1, 3, 6, 6]);
    /// ```
    pub fn new() -> Sliding {
        Sliding { strides: None, padding: Padding::Valid, dilation: Sizes::Every(1), groups: 1, channels_last: false }
    }

    /// The window moves in steps of this size.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 2, 9, 9], DType::F32), Array::ones([3, 2, 3, 3], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new().stride(2)).shape()[..], [1, 3, 4, 4]);
    /// ```
    pub fn stride(self, strides: impl Into<Sizes>) -> Sliding {
        Sliding { strides: Some(strides.into()), ..self }
    }

    /// Padded so that the result is as large as the array, over the stride.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 2, 8, 8], DType::F32), Array::ones([3, 2, 3, 3], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new().same()).shape()[..], [1, 3, 8, 8]);
    /// ```
    pub fn same(self) -> Sliding {
        Sliding { padding: Padding::Same, ..self }
    }

    /// Padded by this much at the ends of each spatial axis.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 2, 8, 8], DType::F32), Array::ones([3, 2, 3, 3], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new().padding(2)).shape()[..], [1, 3, 10, 10]);
    /// ```
    pub fn padding(self, widths: impl Into<Widths>) -> Sliding {
        Sliding { padding: Padding::Given(widths.into()), ..self }
    }

    /// The distance between neighbouring elements of the window.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 2, 8, 8], DType::F32), Array::ones([3, 2, 3, 3], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new().dilation(2)).shape()[..], [1, 3, 4, 4]);
    /// ```
    pub fn dilation(self, dilation: impl Into<Sizes>) -> Sliding {
        Sliding { dilation: dilation.into(), ..self }
    }

    /// The channels of both sides cut in this many groups, each convolved by itself.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 4, 8], DType::F32), Array::ones([6, 2, 3], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new().groups(2)).shape()[..], [1, 6, 6]);
    /// ```
    pub fn groups(self, groups: usize) -> Sliding {
        Sliding { groups, ..self }
    }

    /// The axes of arrays are `[batch, spatial…, channel]`, those of kernels `[spatial…, in, out]`.
    ///
    /// ```
    /// use wengert::nn::{conv, Sliding};
    /// use wengert::{Array, DType};
    /// let (x, k) = (Array::ones([1, 8, 8, 2], DType::F32), Array::ones([3, 3, 2, 5], DType::F32));
    /// assert_eq!(conv(&x, &k, Sliding::new().channels_last()).shape()[..], [1, 6, 6, 5]);
    /// ```
    pub fn channels_last(self) -> Sliding {
        Sliding { channels_last: true, ..self }
    }

    /// The axes of an array with this many spatial ones: batch, channel, spatial.
    fn array_axes(&self, n: usize) -> Dims {
        if self.channels_last { [0, n + 1].into_iter().chain(1..n + 1).collect() } else { (0..n + 2).collect() }
    }

    /// The axes of a kernel: out, in, spatial.
    fn kernel_axes(&self, n: usize) -> Dims {
        if self.channels_last { [n + 1, n].into_iter().chain(0..n).collect() } else { (0..n + 2).collect() }
    }

    /// The padding of each spatial axis, of these sizes, for a window of these sizes.
    fn ends(&self, sizes: &[usize], window: &[usize], strides: &[usize], place: &Place) -> Result<Vec<(i64, i64)>> {
        match &self.padding {
            Padding::Valid => Ok(vec![(0, 0); sizes.len()]),
            Padding::Given(widths) => {
                let widths = widths.clone().resolve(sizes.len(), place)?;
                Ok(widths.into_iter().map(|(a, b)| (a as i64, b as i64)).collect())
            }
            Padding::Same => {
                let ends = |i: usize| {
                    let stride = strides[i].max(1);
                    let steps = sizes[i].div_ceil(stride).saturating_sub(1);
                    let total = (steps * stride + window[i]).saturating_sub(sizes[i]);
                    ((total / 2) as i64, total.div_ceil(2) as i64)
                };
                Ok((0..sizes.len()).map(ends).collect())
            }
        }
    }

    /// The padding of a transposed convolution, under which it undoes the sizes of one with this stride.
    fn transposed_ends(&self, window: &[usize], strides: &[usize]) -> Vec<(i64, i64)> {
        let ends = |(&k, &s): (&usize, &usize)| {
            let (k, s) = (k as i64, s as i64);
            let (total, low) = match self.padding {
                Padding::Same if s > k - 1 => (k + s - 2, k - 1),
                Padding::Same => (k + s - 2, (k + s - 1) / 2),
                _ => (k + s - 2 + (k - s).max(0), k - 1),
            };
            (low, total - low)
        };
        window.iter().zip(strides).map(ends).collect()
    }
}

/// The extent of a window with its elements this far apart.
fn dilated(sizes: &[usize], dilation: &[usize]) -> Dims {
    sizes.iter().zip(dilation).map(|(&k, &d)| k.saturating_sub(1) * d + 1).collect()
}

fn at(shape: &Shape, axes: &[usize]) -> Dims {
    axes.iter().map(|&d| shape[d]).collect()
}

/// Both kinds of convolution: they differ in where the stride goes, and in the padding that follows from it.
fn convolve(name: &str, x: &Array, kernel: &Array, how: Sliding, transposed: bool, place: &Place) -> Result<Array> {
    if x.rank() < 2 || kernel.rank() != x.rank() {
        let (x, k) = (x.ty(), kernel.ty());
        return Err(Error::shape(format!(
            "`{name}` takes an array and a kernel with as many axes, and got {x} and {k}"
        ))
        .at(place.clone())
        .note("the axes are batch, channel, spatial…, and those of the kernel out, in, spatial…"));
    }
    let n = x.rank() - 2;
    let strides = how.strides.clone().unwrap_or(Sizes::Every(1)).resolve("strides", n, place)?;
    let rhs_dilation = how.dilation.resolve("dilations", n, place)?;
    let (axes, kernel_axes) = (how.array_axes(n), how.kernel_axes(n));
    let window = dilated(&at(kernel.shape(), &kernel_axes[2..]), &rhs_dilation);
    let padding = match (transposed, &how.padding) {
        (true, Padding::Valid | Padding::Same) => how.transposed_ends(&window, &strides),
        _ => how.ends(&at(x.shape(), &axes[2..]), &window, &strides, place)?,
    };
    let ones: Dims = smallvec::smallvec![1; n];
    let (strides, lhs_dilation) = if transposed { (ones, strides) } else { (strides, ones) };
    let op = Convolution {
        lhs: axes.clone(),
        rhs: kernel_axes,
        out: axes,
        strides,
        padding,
        lhs_dilation,
        rhs_dilation,
        reversal: vec![false; n],
        feature_groups: how.groups,
        batch_groups: 1,
    };
    let dtype = x.dtype().promote(kernel.dtype());
    let (x, kernel) = (convert(x, dtype, place)?, convert(kernel, dtype, place)?);
    Ok(try_bind(op.into(), &[&x, &kernel], place.clone())?.remove(0))
}

/// The kernel `[out, in, spatial…]` moved over the array `[batch, in, spatial…]`, products summed.
///
/// ```
/// use wengert::{nn, Array};
/// let x = Array::from([[[1.0f32, 2.0, 3.0, 4.0]]]);
/// let kernel = Array::from([[[1.0f32, 1.0]]]);
/// assert_eq!(nn::conv(&x, &kernel, nn::Sliding::new()), Array::from([[[3.0f32, 5.0, 7.0]]]));
/// let strided = nn::conv(&x, &kernel, nn::Sliding::new().stride(2).same());
/// assert_eq!(strided, Array::from([[[3.0f32, 7.0]]]));
/// ```
#[composite]
#[track_caller]
pub fn conv(x: &Array, kernel: &Array, how: Sliding) -> Array {
    ok(convolve("conv", x, kernel, how, false, &Place::caller()))
}

/// The transposed convolution: the array spread out by the stride, then convolved, so that it grows.
///
/// The kernel is `[out, in, spatial…]` as for [`conv`], and is not turned around.
///
/// ```
/// use wengert::{nn, Array};
/// let x = Array::from([[[1.0f32, 2.0]]]);
/// let kernel = Array::from([[[1.0f32, 10.0]]]);
/// let y = nn::conv_transpose(&x, &kernel, nn::Sliding::new().stride(2));
/// assert_eq!(y, Array::from([[[10.0f32, 1.0, 20.0, 2.0]]]));
/// ```
#[composite]
#[track_caller]
pub fn conv_transpose(x: &Array, kernel: &Array, how: Sliding) -> Array {
    ok(convolve("conv_transpose", x, kernel, how, true, &Place::caller()))
}

/// Combines the elements of a window that moves over the spatial axes.
#[track_caller]
fn pool(name: &str, x: &Array, combiner: Combiner, size: Sizes, how: &Sliding) -> Array {
    let place = Place::caller();
    if x.rank() < 2 || how.groups != 1 {
        let message =
            format!("`{name}` takes an array with axes for batch and channel, and no groups, and got {}", x.ty());
        fail(Error::shape(message).at(place));
    }
    let n = x.rank() - 2;
    let size_of = ok(size.resolve("window sizes", n, &place));
    let strides = ok(how.strides.clone().unwrap_or(size).resolve("strides", n, &place));
    let dilation = ok(how.dilation.resolve("dilations", n, &place));
    let axes = how.array_axes(n);
    let ends = ok(how.ends(&at(x.shape(), &axes[2..]), &dilated(&size_of, &dilation), &strides, &place));
    let one = || -> Dims { smallvec::smallvec![1; n + 2] };
    let mut window = Window {
        size: one(),
        strides: one(),
        padding: vec![(0, 0); n + 2],
        base_dilation: one(),
        window_dilation: one(),
    };
    for (i, &d) in axes[2..].iter().enumerate() {
        window.size[d] = size_of[i];
        window.strides[d] = strides[i];
        window.padding[d] = ends[i];
        window.window_dilation[d] = dilation[i];
    }
    ok(try_bind(ReduceWindow { combiner, window }.into(), &[x], place)).remove(0)
}

/// The largest element of each window of this size over the spatial axes.
///
/// ```
/// use wengert::{nn, Array};
/// let x = Array::from([[[1.0f32, 3.0, 2.0, 4.0]]]);
/// assert_eq!(nn::max_pool(&x, 2, nn::Sliding::new()), Array::from([[[3.0f32, 4.0]]]));
/// assert_eq!(nn::max_pool(&x, 2, nn::Sliding::new().stride(1)), Array::from([[[3.0f32, 3.0, 4.0]]]));
/// ```
#[composite]
#[track_caller]
pub fn max_pool(x: &Array, size: impl Into<Sizes>, how: Sliding) -> Array {
    pool("max_pool", x, Combiner::Max, size.into(), &how)
}

/// The mean of each window of this size over the spatial axes; padding counts as zeros.
///
/// ```
/// use wengert::{nn, Array};
/// let x = Array::from([[[1.0f32, 3.0, 2.0, 4.0]]]);
/// assert_eq!(nn::avg_pool(&x, 2, nn::Sliding::new()), Array::from([[[2.0f32, 3.0]]]));
/// ```
#[composite]
#[track_caller]
pub fn avg_pool(x: &Array, size: impl Into<Sizes>, how: Sliding) -> Array {
    let (x, size) = (x.to_inexact(), size.into());
    let count: usize = ok(size.resolve("window sizes", x.rank().saturating_sub(2), &Place::caller())).iter().product();
    pool("avg_pool", &x, Combiner::Add, size, &how) / (count as f64)
}
