//! Discrete Fourier transforms.

use super::axes::{Axes, resolve_axis};
use super::operators::convert;
use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{fail, ok};
use wengert_core::ops::{Fft, FftKind};
use wengert_core::{DType, Error, Place, Result};

/// The type a transform computes in: `f32` or `f64`, or the complex type of these.
fn computed(d: DType) -> DType {
    match super::unary::inexact(d) {
        DType::F16 | DType::BF16 => DType::F32,
        d => d,
    }
}

impl Array {
    /// One transform along an axis; `length` is that of the real side.
    fn try_fourier(&self, kind: FftKind, length: Option<usize>, axis: usize, place: &Place) -> Result<Array> {
        let d = computed(self.dtype());
        let d = if kind == FftKind::Rfft { d } else { d.complex().expect("f32 or f64") };
        let x = convert(self, d, place)?;
        let last = x.rank() - 1;
        let x = x.axis_to(axis, last, place)?;
        let lengths = [length.unwrap_or(x.shape()[last])].as_slice().into();
        let y = try_bind(Fft { kind, lengths }.into(), &[&x], place.clone())?.remove(0);
        y.axis_to(last, axis, place)
    }

    #[track_caller]
    fn fourier(&self, kind: FftKind, axes: impl Into<Axes>) -> Array {
        let place = Place::caller();
        let mut x = self.clone();
        for d in ok(axes.into().resolve(self.rank(), &place)) {
            x = ok(x.try_fourier(kind, None, d, &place));
        }
        x
    }

    /// The discrete Fourier transform along one or more axes.
    ///
    /// ```
    /// # use wengert::{Array, Complex};
    /// let y = Array::from([1.0f32, 0.0, -1.0, 0.0]).fft(-1);
    /// assert_eq!(y.real().to_vec::<f32>(), [0.0, 2.0, 0.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn fft(&self, axes: impl Into<Axes>) -> Array {
        self.fourier(FftKind::Fft, axes)
    }

    /// The inverse of [`Array::fft`].
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f64, 2.0, 4.0]);
    /// assert!((x.fft(0).ifft(0).real() - x).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn ifft(&self, axes: impl Into<Axes>) -> Array {
        self.fourier(FftKind::Ifft, axes)
    }

    /// The discrete Fourier transform of a real array along an axis: the first half, which tells the rest.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 0.0, -1.0, 0.0]).rfft(-1).real().to_vec::<f32>(), [0.0, 2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn rfft(&self, axis: isize) -> Array {
        let place = Place::caller();
        if self.dtype().is_complex() {
            fail(Error::dtype("`rfft` takes real numbers, and got complex ones").at(place).note("use `fft`"));
        }
        let dim = ok(resolve_axis(axis, self.rank(), &place));
        ok(self.try_fourier(FftKind::Rfft, None, dim, &place))
    }

    /// The inverse of [`Array::rfft`]; `n` is the length of the result, which the transform does not tell.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f64, 2.0, 4.0]);
    /// assert!((x.rfft(0).irfft(3, 0) - x).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn irfft(&self, n: usize, axis: isize) -> Array {
        let place = Place::caller();
        let dim = ok(resolve_axis(axis, self.rank(), &place));
        ok(self.try_fourier(FftKind::Irfft, Some(n), dim, &place))
    }

    /// The first `n` elements along an axis, with zeros after them where there are fewer.
    #[track_caller]
    fn of_length(&self, n: usize, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        let have = self.shape()[dim];
        if n <= have {
            return self.slice_axis(dim, 0, n);
        }
        let ends: Vec<(usize, usize)> = (0..self.rank()).map(|d| (0, if d == dim { n - have } else { 0 })).collect();
        self.pad(ends, 0)
    }

    /// [`Array::fft`] of the first `n` elements along an axis, with zeros after them where there are fewer.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f32, 1.0, 5.0]);
    /// assert_eq!(x.fft_n(2, 0).real().to_vec::<f32>(), [2.0, 0.0]);
    /// assert_eq!(x.fft_n(4, 0).shape()[..], [4]);
    /// ```
    #[track_caller]
    pub fn fft_n(&self, n: usize, axis: isize) -> Array {
        self.of_length(n, axis).fft(axis)
    }

    /// [`Array::ifft`] of the first `n` elements along an axis, with zeros after them where there are fewer.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([2.0f32, 0.0, 7.0]).ifft_n(2, 0).real().to_vec::<f32>(), [1.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn ifft_n(&self, n: usize, axis: isize) -> Array {
        self.of_length(n, axis).ifft(axis)
    }

    /// [`Array::rfft`] of the first `n` elements along an axis, with zeros after them where there are fewer.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 1.0]).rfft_n(4, 0).real().to_vec::<f32>(), [2.0, 1.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn rfft_n(&self, n: usize, axis: isize) -> Array {
        self.of_length(n, axis).rfft(axis)
    }

    /// The discrete Fourier transform of a real array along several axes; of the last of them, the first half.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1.0f64, 2.0, 3.0], [4.0, 5.0, 7.0]]);
    /// assert_eq!(x.rfftn([0, 1]).shape()[..], [2, 2]);
    /// assert!((x.rfftn(..).irfftn(3, ..) - x).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn rfftn(&self, axes: impl Into<Axes>) -> Array {
        match &self.listed_axes("rfftn", axes)[..] {
            [others @ .., last] => self.rfft(*last).fft(others),
            [] => self.clone(),
        }
    }

    /// The inverse of [`Array::rfftn`]; `n` is the length of the result along the last of the axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1.0f64, 2.0], [4.0, 5.0]]);
    /// assert!((x.rfftn([1, 0]).irfftn(2, [1, 0]) - x).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn irfftn(&self, n: usize, axes: impl Into<Axes>) -> Array {
        match &self.listed_axes("irfftn", axes)[..] {
            [others @ .., last] => self.ifft(others).irfft(n, *last),
            [] => self.clone(),
        }
    }

    /// The axes in the order they are given in; there must be one.
    #[track_caller]
    fn listed_axes(&self, name: &str, axes: impl Into<Axes>) -> Vec<isize> {
        let place = Place::caller();
        let axes = ok(axes.into().resolve(self.rank(), &place));
        if axes.is_empty() {
            fail(Error::shape(format!("`{name}` needs at least one axis")).at(place));
        }
        axes.into_iter().map(|d| d as isize).collect()
    }

    /// The transform of a signal whose spectrum is real: of `n` numbers, of which the first half is given.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.0f32, 2.0, 0.0]).hfft(4, 0).to_vec::<f32>(), [5.0, 1.0, -3.0, 1.0]);
    /// ```
    #[track_caller]
    pub fn hfft(&self, n: usize, axis: isize) -> Array {
        self.to(computed(self.dtype()).complex().expect("f32 or f64")).conj().irfft(n, axis) * n as f64
    }

    /// The inverse of [`Array::hfft`].
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([5.0f32, 1.0, -3.0, 1.0]).ihfft(0);
    /// assert_eq!(y.real().to_vec::<f32>(), [1.0, 2.0, 0.0]);
    /// ```
    #[track_caller]
    pub fn ihfft(&self, axis: isize) -> Array {
        let dim = ok(resolve_axis(axis, self.rank(), &Place::caller()));
        self.rfft(axis).conj() / self.shape()[dim] as f64
    }

    /// The halves along some axes exchanged, so that frequency 0 of a transform is in the middle.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([0, 1, 2, -2, -1]).fftshift(..), Array::from([-2, -1, 0, 1, 2]));
    /// ```
    #[track_caller]
    pub fn fftshift(&self, axes: impl Into<Axes>) -> Array {
        let mut x = self.clone();
        for d in ok(axes.into().resolve(self.rank(), &Place::caller())) {
            x = x.roll((self.shape()[d] / 2) as isize, d as isize);
        }
        x
    }

    /// The inverse of [`Array::fftshift`].
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([-2, -1, 0, 1, 2]).ifftshift(..), Array::from([0, 1, 2, -2, -1]));
    /// ```
    #[track_caller]
    pub fn ifftshift(&self, axes: impl Into<Axes>) -> Array {
        let mut x = self.clone();
        for d in ok(axes.into().resolve(self.rank(), &Place::caller())) {
            x = x.roll(-((self.shape()[d] / 2) as isize), d as isize);
        }
        x
    }

    /// The frequencies of [`Array::fft`] for `n` samples `d` apart.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::fftfreq(4, 0.5, DType::F32).to_vec::<f32>(), [0.0, 0.5, -1.0, -0.5]);
    /// ```
    #[track_caller]
    pub fn fftfreq(n: usize, d: f64, dtype: DType) -> Array {
        let at = |i: usize| if i < n.div_ceil(2) { i as f64 } else { i as f64 - n as f64 };
        (0..n).map(|i| at(i) / (n as f64 * d)).collect::<Array>().to(dtype)
    }

    /// The frequencies of [`Array::rfft`] for `n` samples `d` apart.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::rfftfreq(4, 0.5, DType::F32).to_vec::<f32>(), [0.0, 0.5, 1.0]);
    /// ```
    #[track_caller]
    pub fn rfftfreq(n: usize, d: f64, dtype: DType) -> Array {
        (0..n / 2 + 1).map(|i| i as f64 / (n as f64 * d)).collect::<Array>().to(dtype)
    }
}
