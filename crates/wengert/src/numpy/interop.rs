//! To and from `ndarray`, with the feature of that name.

use crate::array::Array;
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};
use wengert_core::{Element, Tensor};

/// The elements of an `ndarray` array or view. Needs the feature `ndarray`.
///
/// ```
/// # use wengert::Array;
/// let x = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
/// assert_eq!(Array::from(x.t()), Array::from([[1.0f32, 3.0], [2.0, 4.0]]));
/// ```
impl<T: Element, S: Data<Elem = T>, D: Dimension> From<ArrayBase<S, D>> for Array {
    fn from(x: ArrayBase<S, D>) -> Array {
        let elements: Vec<T> = x.iter().copied().collect();
        Array::from_tensor(Tensor::new(x.shape(), elements).expect("as many elements as the shape has"))
    }
}

impl Array {
    /// The elements as an `ndarray` array. Needs the feature `ndarray`.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[1, 2], [3, 4]]).to_ndarray::<i32>();
    /// assert_eq!(x[[1, 0]], 3);
    /// ```
    ///
    /// # Panics
    /// If the elements have another type, or the array is traced without a value.
    #[track_caller]
    pub fn to_ndarray<T: Element>(&self) -> ArrayD<T> {
        ArrayD::from_shape_vec(IxDyn(self.shape()), self.to_vec()).expect("as many elements as the shape has")
    }
}
