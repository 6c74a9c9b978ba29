//! Whole Jacobians and Hessians, in trees of arrays and of them.

mod passes;
mod tree;

pub use tree::{Jacobian, ReplaceLeaves};

use crate::array::{Stager, StagingInfo};
use crate::fail::ok;
use crate::function::{Arg, Args, Func, Function, Select, SharedFn, callable};
use crate::tape;
use crate::tree::leaves;
use passes::{JacobianOptions, forward, reverse};
use std::marker::PhantomData;
use std::sync::Arc;
use wengert_core::Place;

/// Arguments that a Jacobian can be taken in: [`Arg`] and [`All`](crate::All) are.
pub trait JacobianIn<A: Args>: Select<A, Picked: ReplaceLeaves> {}
impl<A: Args, W: Select<A, Picked: ReplaceLeaves>> JacobianIn<A> for W {}

/// Each array of `R` replaced by `P`, and each array of that by `P` again.
type SecondOrder<R, P> = <<R as ReplaceLeaves>::By<P> as ReplaceLeaves>::By<P>;

const FORWARD: &str = "jacfwd";
const REVERSE: &str = "jacrev";

/// The Jacobian, as one call of a recording.
fn first_order<A: Args, R: ReplaceLeaves, W: JacobianIn<A>>(
    options: &JacobianOptions,
    args: A,
    f: &dyn Fn(A) -> R,
) -> R::By<W::Picked> {
    let pass = if options.info.by == Stager::Other(FORWARD) { forward::<A, R, W> } else { reverse::<A, R, W> };
    ok(tape::transform(&options.info, || leaves(&args), || pass(options, &args, f), leaves))
}

/// The Hessian, forward over reverse, as one call of a recording.
fn second_order<A: Args, R: ReplaceLeaves, W: JacobianIn<A>>(
    options: &JacobianOptions,
    args: A,
    f: &dyn Fn(A) -> R,
) -> SecondOrder<R, W::Picked> {
    let info = StagingInfo { by: Stager::Other(REVERSE), ..options.info.clone() };
    let inner = JacobianOptions { info, ..options.clone() };
    let first = |a: A| first_order::<A, R, W>(&inner, a, f);
    ok(tape::transform(&options.info, || leaves(&args), || forward::<A, _, W>(options, &args, &first), leaves))
}

/// A function that gives derivatives of another.
macro_rules! derivative {
    (
        $(#[$meta:meta])* $name:ident => $out:ty, $of:ident;
        $(#[$wrt:meta])* wrt;
        $(#[$holomorphic:meta])* holomorphic;
    ) => {
        $(#[$meta])*
        pub struct $name<'f, A: Args + 'f, R: ReplaceLeaves + 'f, W: JacobianIn<A> + 'f = Arg<0>> {
            f: SharedFn<'f, A, R>,
            options: JacobianOptions,
            call: Func<'f, A, $out>,
            which: PhantomData<W>,
        }

        impl<'f, A: Args + 'f, R: ReplaceLeaves + 'f, W: JacobianIn<A> + 'f> $name<'f, A, R, W> {
            fn new(f: SharedFn<'f, A, R>, options: JacobianOptions) -> Self {
                let (g, o) = (f.clone(), options.clone());
                let call = Func::new(&options.info.function, move |args| $of::<A, R, W>(&o, args, &*g));
                $name { f, options, call, which: PhantomData }
            }

            #[track_caller]
            fn of(by: &'static str, f: impl Function<A, Output = R> + Send + Sync + 'f) -> Self {
                let info = StagingInfo::new(by, f.name(), Place::caller());
                $name::new(Arc::new(move |a| f.call(a)), JacobianOptions { info, holomorphic: false })
            }

            $(#[$wrt])*
            pub fn wrt<V: JacobianIn<A> + 'f>(self, _which: V) -> $name<'f, A, R, V> {
                $name::new(self.f, self.options)
            }

            $(#[$holomorphic])*
            pub fn holomorphic(self) -> Self {
                let options = JacobianOptions { holomorphic: true, ..self.options };
                $name::new(self.f, options)
            }
        }
        callable!($name<R: ReplaceLeaves, W: JacobianIn<A>> => $out);
    };
}
derivative! {
    /// A Jacobian: see [`jacfwd`] and [`jacrev`]. Call it like the function it was made from.
    JacobianFn => R::By<W::Picked>, first_order;
    /// The Jacobian in another argument, or in all.
    ///
    /// ```
    /// use wengert::{jacrev, All, Arg, Array};
    /// let f = |x: Array, y: Array| &x * &x * y;
    /// let (x, y) = (Array::from([1.0, 2.0]), Array::from(3.0));
    /// assert_eq!(jacrev(f).wrt(Arg::<1>)(x.clone(), y.clone()).to_vec::<f64>(), [1.0, 4.0]);
    /// let (by_x, _) = jacrev(f).wrt(All)(x, y);
    /// assert_eq!(by_x.to_vec::<f64>(), [6.0, 0.0, 0.0, 12.0]);
    /// ```
    wrt;
    /// The complex derivative, of a function that has one: from complex numbers to complex numbers, holomorphic.
    ///
    /// ```
    /// use wengert::{jacfwd, Array, Complex};
    /// let z = Array::from([Complex::new(1.0f64, 2.0)]);
    /// let j = jacfwd(|z: Array| &z * &z).holomorphic()(z);
    /// assert_eq!(j.item::<Complex<f64>>(), Complex::new(2.0, 4.0));
    /// ```
    holomorphic;
}
derivative! {
    /// A Hessian: see [`hessian`]. Call it like the function it was made from.
    HessianFn => SecondOrder<R, W::Picked>, second_order;
    /// The Hessian in another argument, or in all.
    ///
    /// ```
    /// use wengert::{hessian, All, Array};
    /// let f = |x: Array, y: Array| &x * &x * y;
    /// let ((xx, xy), (yx, yy)) = hessian(f).wrt(All)(Array::from(3.0), Array::from(5.0));
    /// assert_eq!([xx, xy, yx, yy].map(|h| h.item::<f64>()), [10.0, 6.0, 6.0, 0.0]);
    /// ```
    wrt;
    /// The second complex derivative, of a function that has one.
    ///
    /// ```
    /// use wengert::{hessian, Array, Complex};
    /// let h = hessian(|z: Array| &z * &z * &z).holomorphic()(Array::from(Complex::new(1.0f64, 2.0)));
    /// assert_eq!(h.item::<Complex<f64>>(), Complex::new(6.0, 12.0));
    /// ```
    holomorphic;
}

/// The Jacobian in the first argument by forward mode, one pass for each element of the argument.
///
/// It has the axes of the result, then those of the argument. Of trees it is the result's tree with the argument's tree in
/// place of each array; of a struct of the user's, a [`Jacobian`].
///
/// ```
/// use wengert::{jacfwd, Array};
/// let j = jacfwd(|x: Array| &x * &x)(Array::from([1.0f32, 2.0]));
/// assert_eq!(j.to_vec::<f32>(), [2.0, 0.0, 0.0, 4.0]);
/// let f = |(x, y): (Array, Array)| (&x * &y, x.sum(..));
/// let ((_, product_by_y), (sum_by_x, _)) = jacfwd(f)((Array::from([1.0f32, 2.0]), Array::from(3.0f32)));
/// assert_eq!((product_by_y.to_vec::<f32>(), sum_by_x.to_vec::<f32>()), (vec![1.0, 2.0], vec![1.0, 1.0]));
/// ```
#[track_caller]
pub fn jacfwd<'f, A: Args + 'f, F>(f: F) -> JacobianFn<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: ReplaceLeaves + 'f,
    Arg<0>: JacobianIn<A>,
{
    JacobianFn::of(FORWARD, f)
}

/// The Jacobian in the first argument by reverse mode, one pass for each element of the result.
///
/// It is made as that of [`jacfwd`] is.
///
/// ```
/// use wengert::{jacrev, Array};
/// let j = jacrev(|x: Array| (&x * &x).sum(..))(Array::from([1.0f32, 2.0]));
/// assert_eq!(j.to_vec::<f32>(), [2.0, 4.0]);
/// ```
#[track_caller]
pub fn jacrev<'f, A: Args + 'f, F>(f: F) -> JacobianFn<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: ReplaceLeaves + 'f,
    Arg<0>: JacobianIn<A>,
{
    JacobianFn::of(REVERSE, f)
}

/// The Hessian in the first argument, forward over reverse: the Jacobian of the Jacobian.
///
/// ```
/// use wengert::{hessian, Array};
/// let h = hessian(|x: Array| (&x * &x * &x).sum(..))(Array::from([1.0f32, 2.0]));
/// assert_eq!(h.to_vec::<f32>(), [6.0, 0.0, 0.0, 12.0]);
/// ```
#[track_caller]
pub fn hessian<'f, A: Args + 'f, F>(f: F) -> HessianFn<'f, A, F::Output>
where
    F: Function<A> + Send + Sync + 'f,
    F::Output: ReplaceLeaves + 'f,
    Arg<0>: JacobianIn<A>,
{
    HessianFn::of("hessian", f)
}
