//! Whole Jacobians and Hessians: a linear map applied to every direction at once.

use crate::array::Array;
use crate::array::StagingInfo;
use crate::autodiff::{grad, linear_part};
use crate::fail::ok;
use crate::function::{Arg, Args, Func, Function, Select};
use crate::stage::FlatArgs;
use crate::tape;
use crate::tree::leaves;
use crate::vmap::vmap;
use wengert_core::{Error, Place, Result, Scalar, Shape, Tensor, Type};

/// Arrays of type `ty` along a new leading axis, each one in one place and zero elsewhere.
fn basis(ty: &Type) -> Array {
    let n = ty.shape.size();
    let one = Scalar::from_i64(ty.dtype, 1).bits();
    let ty = ty.with_shape(ty.shape.with_axis(0, n));
    Array::from_tensor(Tensor::from_bits(&ty, |i| if i / n == i % n { one } else { 0 }))
}

fn joined(a: &Shape, b: &Shape) -> Shape {
    a.iter().chain(b.iter()).copied().collect()
}

/// Only a float has a Jacobian in it.
fn float_argument(info: &StagingInfo, x: &Array) -> Result<()> {
    if x.dtype().is_float() {
        return Ok(());
    }
    let m = format!("`{}` needs a first argument of floats, and got {}", info.by, x.ty());
    Err(Error::dtype(m).at(info.place.clone()))
}

/// The Jacobian in the first argument by forward mode, one pass for each element of the argument.
///
/// It has the axes of the result, then those of the argument. For trees of arrays, see [`ravel`](crate::ravel).
///
/// ```
/// use wengert::{jacfwd, Array};
/// let j = jacfwd(|x: Array| &x * &x)(Array::from([1.0f32, 2.0]));
/// assert_eq!(j.to_vec::<f32>(), [2.0, 0.0, 0.0, 4.0]);
/// ```
#[track_caller]
pub fn jacfwd<'f, A: Args + 'f, F>(f: F) -> Func<'f, A, Array>
where
    F: Function<A, Output = Array> + Send + Sync + 'f,
    Arg<0>: Select<A, Picked = Array>,
{
    forward(StagingInfo::new("jacfwd", f.name(), Place::caller()), f)
}

fn forward<'f, A: Args + 'f, F>(info: StagingInfo, f: F) -> Func<'f, A, Array>
where
    F: Function<A, Output = Array> + Send + Sync + 'f,
    Arg<0>: Select<A, Picked = Array>,
{
    transformed(info, move |info, args: &A| {
        let x = <Arg<0> as Select<A>>::pick(args);
        float_argument(info, &x)?;
        let (y, linear) = linear_part(info, &|a| f.call(a), args)?;
        let FlatArgs { mut leaves, structure } = FlatArgs::new(args);
        for l in &mut leaves {
            *l = Array::from_tensor(Tensor::zeros(&l.ty()));
        }
        let along = |v: Array| {
            let mut leaves = leaves.clone();
            leaves[0] = v;
            ok(linear.push(&A::unflatten(&structure, &mut leaves.into_iter()), &info.place))
        };
        let columns = vmap(along).out_axis(-1)(basis(&x.ty()));
        Ok(columns.reshape(joined(y.shape(), x.shape())))
    })
}

/// A function that is one call of a recording.
fn transformed<'f, A: Args + 'f>(
    info: StagingInfo,
    f: impl Fn(&StagingInfo, &A) -> Result<Array> + Send + Sync + 'f,
) -> Func<'f, A, Array> {
    Func::new(&info.function.clone(), move |args: A| {
        ok(tape::transform(&info, || leaves(&args), || f(&info, &args), |y| vec![y.clone()]))
    })
}

/// The Jacobian in the first argument by reverse mode, one pass for each element of the result.
///
/// It has the axes of the result, then those of the argument.
///
/// ```
/// use wengert::{jacrev, Array};
/// let j = jacrev(|x: Array| (&x * &x).sum(..))(Array::from([1.0f32, 2.0]));
/// assert_eq!(j.to_vec::<f32>(), [2.0, 4.0]);
/// ```
#[track_caller]
pub fn jacrev<'f, A: Args + 'f, F>(f: F) -> Func<'f, A, Array>
where
    F: Function<A, Output = Array> + Send + Sync + 'f,
    Arg<0>: Select<A, Picked = Array>,
{
    let info = StagingInfo::new("jacrev", f.name(), Place::caller());
    transformed(info, move |info, args: &A| {
        let x = <Arg<0> as Select<A>>::pick(args);
        float_argument(info, &x)?;
        let (y, linear) = linear_part(info, &|a| f.call(a), args)?;
        let pull = |ct: Array| <Arg<0> as Select<A>>::pick(&ok(linear.pull(&ct, info.place.clone())));
        let rows = vmap(pull)(basis(&y.ty()));
        Ok(rows.reshape(joined(y.shape(), x.shape())))
    })
}

/// The Hessian of a scalar function in its first argument, forward over reverse.
///
/// ```
/// use wengert::{hessian, Array};
/// let h = hessian(|x: Array| (&x * &x * &x).sum(..))(Array::from([1.0f32, 2.0]));
/// assert_eq!(h.to_vec::<f32>(), [6.0, 0.0, 0.0, 12.0]);
/// ```
#[track_caller]
pub fn hessian<'f, A: Args + 'f, F>(f: F) -> Func<'f, A, Array>
where
    F: Function<A, Output = Array> + Send + Sync + 'f,
    Arg<0>: Select<A, Picked = Array>,
{
    forward(StagingInfo::new("hessian", f.name(), Place::caller()), grad(f))
}
