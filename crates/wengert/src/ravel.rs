//! A tree of arrays as one vector, and back.

use crate::array::Array;
use crate::tree::Tree;
use wengert_core::{DType, Tensor, Type};

/// All leaves of a tree as one vector, and how to put such a vector back in the tree.
///
/// ```
/// use wengert::{ravel, Array};
/// let (flat, unravel) = ravel(&(Array::from([1.0f32, 2.0]), Array::from(3.0f32)));
/// assert_eq!(flat.to_vec::<f32>(), [1.0, 2.0, 3.0]);
/// assert_eq!(unravel(&flat).0.to_vec::<f32>(), [1.0, 2.0]);
/// ```
#[track_caller]
pub fn ravel<T: Tree>(tree: &T) -> (Array, impl Fn(&Array) -> T + Clone + Send + Sync + 'static + use<T>) {
    let mut parts = Vec::new();
    let structure = tree.flatten(&mut parts);
    let types: Vec<Type> = parts.iter().map(Array::ty).collect();
    let flat: Vec<Array> = parts.iter().map(|x| x.reshape([x.size()])).collect();
    let flat = if flat.is_empty() {
        Array::from_tensor(Tensor::zeros(&Type::new(DType::F32, [0])))
    } else {
        crate::concatenate(&flat, 0)
    };
    let unravel = move |v: &Array| {
        let mut at = 0;
        let parts: Vec<Array> = types
            .iter()
            .map(|t| {
                let n = t.shape.size();
                let part = v.slice_axis(0, at, at + n).to(t.dtype).reshape(&t.shape[..]);
                at += n;
                part
            })
            .collect();
        T::unflatten(&structure, &mut parts.into_iter())
    };
    (flat, unravel)
}
