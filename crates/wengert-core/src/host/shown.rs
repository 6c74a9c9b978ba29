//! Elements as text, for people who look for errors: `[[1.0, 2.0], [3.0, 4.0]]`, the middle of large arrays left out.

use super::{Scalar, Tensor};
use std::fmt::{self, Debug, Display, Formatter};

/// Arrays with more elements than this are shown by their edges.
pub const LARGEST_SHOWN: usize = 1000;
/// How many slices are shown at each edge.
const EDGE: usize = 3;

/// The positions shown along an axis; `None` stands for those left out.
pub fn shown_positions(n: usize, cut: bool) -> impl Iterator<Item = Option<usize>> {
    let (head, tail) = if !cut || n <= 2 * EDGE { (n, n) } else { (EDGE, n - EDGE) };
    (0..head).map(Some).chain((head < tail).then_some(None)).chain((tail..n).map(Some))
}

impl Tensor {
    /// Writes the elements, with as many digits as the formatter asks for.
    pub fn write_elements(&self, f: &mut Formatter<'_>) -> fmt::Result {
        // However many axes and rows without elements there are.
        if self.size() == 0 {
            return f.write_str("[]");
        }
        self.write_axis(0, 0, self.size() > LARGEST_SHOWN, f)
    }

    fn write_axis(&self, axis: usize, offset: usize, cut: bool, f: &mut Formatter<'_>) -> fmt::Result {
        if axis == self.shape().rank() {
            return write_scalar(self.get(offset), f);
        }
        let stride = self.shape().strides()[axis];
        f.write_str("[")?;
        for (k, i) in shown_positions(self.shape()[axis], cut).enumerate() {
            f.write_str(if k > 0 { ", " } else { "" })?;
            match i {
                Some(i) => self.write_axis(axis + 1, offset + i * stride, cut, f)?,
                None => f.write_str("...")?,
            }
        }
        f.write_str("]")
    }
}

impl Display for Scalar {
    /// As it stands in Rust, without its type.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write_scalar(*self, f)
    }
}

/// A number as it stands in Rust, without its type.
fn write_scalar(s: Scalar, f: &mut Formatter<'_>) -> fmt::Result {
    match s {
        Scalar::Bool(x) => Debug::fmt(&x, f),
        Scalar::U64(x) => Debug::fmt(&x, f),
        Scalar::F64(x) => Debug::fmt(&x, f),
        Scalar::C64(x) => Display::fmt(&x, f),
        Scalar::C128(x) => Display::fmt(&x, f),
        s if s.dtype().is_float() => Debug::fmt(&(s.as_f64().expect("real") as f32), f),
        s => Debug::fmt(&s.as_i64().expect("an integer"), f),
    }
}

impl Debug for Tensor {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}>(", self.ty())?;
        self.write_elements(f)?;
        f.write_str(")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Complex, f16};

    #[test]
    fn elements_stand_as_in_rust() {
        let shown = |t: Tensor| format!("{t:?}");
        assert_eq!(shown(Tensor::scalar(2.0f32)), "Tensor<f32[]>(2.0)");
        assert_eq!(shown(Tensor::new([2, 2], vec![1u8, 2, 3, 4]).unwrap()), "Tensor<u8[2,2]>([[1, 2], [3, 4]])");
        assert_eq!(shown(Tensor::new([1, 2], vec![true, false]).unwrap()), "Tensor<bool[1,2]>([[true, false]])");
        assert_eq!(shown(Tensor::scalar(f16::from_f32(0.5))), "Tensor<f16[]>(0.5)");
        assert_eq!(shown(Tensor::scalar(Complex::new(1.0f32, -2.5))), "Tensor<c64[]>(1-2.5i)");
        assert_eq!(shown(Tensor::splat([1_000_000_000_000, 0], Scalar::F32(0.0))), "Tensor<f32[1000000000000,0]>([])");
        let pi = Tensor::from_slice([2], &[std::f64::consts::PI, f64::NAN]).unwrap();
        assert_eq!(format!("{pi:.3?}"), "Tensor<f64[2]>([3.142, NaN])");
        let many = Tensor::new([2000], (0..2000).collect::<Vec<i32>>()).unwrap();
        assert_eq!(shown(many), "Tensor<i32[2000]>([0, 1, 2, ..., 1997, 1998, 1999])");
    }
}
