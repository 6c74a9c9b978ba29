//! Functions as values: what transforms take and give.

use crate::tree::{Tree, for_tuples};
use std::sync::Arc;

/// The arguments of a function of one to twelve trees, as a tuple.
pub trait Args: Tree {
    /// `dyn Fn(A, B, …) -> R`: what makes a transformed function look like a function when called.
    type Callable<'f, R: 'f>: ?Sized + Send + Sync + 'f
    where
        Self: 'f;

    /// A function of a tuple as a function of its parts.
    fn callable<'f, R: 'f>(f: SharedFn<'f, Self, R>) -> Box<Self::Callable<'f, R>>
    where
        Self: 'f;

    /// For each argument, how many leaves it has.
    fn leaf_counts(&self) -> Vec<usize>;

    /// The structure of each argument, for messages.
    fn structures(structure: &Self::Structure) -> Vec<String>;
}

/// A function of a tuple of arguments, shared.
pub type SharedFn<'f, A, R> = Arc<dyn Fn(A) -> R + Send + Sync + 'f>;

/// What can be transformed: `Fn` closures and functions of one to twelve arguments, and what transforms give.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be transformed",
    label = "not a function of one to twelve trees of arrays",
    note = "it takes and gives owned values: `|x: Array| ..`, not `|x: &Array| ..`; the arguments need their types",
    note = "a struct or an enum among them needs `#[derive(wengert::Tree)]`"
)]
pub trait Function<A: Args> {
    /// What it gives.
    type Output;
    /// Calls it.
    fn call(&self, args: A) -> Self::Output;
    /// A name for messages and programs.
    fn name(&self) -> &str {
        std::any::type_name::<Self>()
    }
}

/// A transformed function: call it like a function.
///
/// ```
/// use wengert::{grad, Array};
/// let slope = grad(|x: Array| &x * &x);
/// assert_eq!(slope(Array::from(3.0f32)).item::<f32>(), 6.0);
/// ```
pub struct Func<'f, A: Args + 'f, R: 'f> {
    shared: SharedFn<'f, A, R>,
    name: Arc<str>,
    call: Box<A::Callable<'f, R>>,
}

impl<'f, A: Args + 'f, R: 'f> Func<'f, A, R> {
    pub(crate) fn new(name: &str, f: impl Fn(A) -> R + Send + Sync + 'f) -> Self {
        let shared: SharedFn<'f, A, R> = Arc::new(f);
        Func { call: A::callable(shared.clone()), shared, name: name.into() }
    }
}

impl<'f, A: Args + 'f, R: 'f> Clone for Func<'f, A, R> {
    fn clone(&self) -> Self {
        Func { shared: self.shared.clone(), name: self.name.clone(), call: A::callable(self.shared.clone()) }
    }
}

impl<'f, A: Args + 'f, R: 'f> std::ops::Deref for Func<'f, A, R> {
    type Target = A::Callable<'f, R>;
    fn deref(&self) -> &Self::Target {
        &self.call
    }
}

impl<'f, A: Args + 'f, R: 'f> Function<A> for Func<'f, A, R> {
    type Output = R;
    fn call(&self, args: A) -> R {
        (self.shared)(args)
    }
    fn name(&self) -> &str {
        &self.name
    }
}

/// Lets a transformed function be called like a function, and be transformed again. It has a field `call` that is a
/// [`Func`] or like one.
macro_rules! callable {
    ($ty:ident<$R:ident: $bound:path $(, $W:ident: $select:path)?> => $out:ty) => {
        impl<'f, A: Args + 'f, $R: $bound + 'f $(, $W: $select + 'f)?> std::ops::Deref for $ty<'f, A, $R $(, $W)?> {
            type Target = A::Callable<'f, $out>;
            fn deref(&self) -> &Self::Target {
                &self.call
            }
        }

        impl<'f, A: Args + 'f, $R: $bound + 'f $(, $W: $select + 'f)?> Function<A> for $ty<'f, A, $R $(, $W)?> {
            type Output = $out;
            fn call(&self, args: A) -> $out {
                self.call.call(args)
            }
            fn name(&self) -> &str {
                self.call.name()
            }
        }
    };
}
pub(crate) use callable;

macro_rules! arity {
    ($($T:ident $i:tt),*) => {
        impl<$($T: Tree),*> Args for ($($T,)*) {
            type Callable<'f, R: 'f> = dyn Fn($($T),*) -> R + Send + Sync + 'f where Self: 'f;
            #[allow(non_snake_case)]
            fn callable<'f, R: 'f>(f: SharedFn<'f, Self, R>) -> Box<Self::Callable<'f, R>> where Self: 'f {
                Box::new(move |$($T),*| f(($($T,)*)))
            }
            fn leaf_counts(&self) -> Vec<usize> {
                vec![$(crate::tree::leaves(&self.$i).len()),*]
            }
            fn structures(structure: &Self::Structure) -> Vec<String> {
                vec![$($T::describe(&structure.$i)),*]
            }
        }
        impl<Fun: Fn($($T),*) -> R, R, $($T: Tree),*> Function<($($T,)*)> for Fun {
            type Output = R;
            fn call(&self, args: ($($T,)*)) -> R {
                self($(args.$i),*)
            }
        }
    };
}
for_tuples!(arity);

/// Which arguments a derivative is taken in: one by position ([`Arg`]), or all ([`All`]).
pub trait Select<A: Args>: Send + Sync {
    /// The arguments chosen.
    type Picked: Tree;
    /// Takes them out.
    fn pick(args: &A) -> Self::Picked;
    /// Whether each argument is chosen.
    fn chosen(count: usize) -> Vec<bool>;
}

/// The argument at position `N`.
#[derive(Clone, Copy, Debug)]
pub struct Arg<const N: usize>;

/// All arguments; the derivative is a tuple.
#[derive(Clone, Copy, Debug)]
pub struct All;

impl<A: Args> Select<A> for All {
    type Picked = A;
    fn pick(args: &A) -> A {
        crate::tree::map_leaves(args, |x| x.clone())
    }
    fn chosen(count: usize) -> Vec<bool> {
        vec![true; count]
    }
}

macro_rules! select {
    ([$($T:ident)*] $P:ident $i:tt) => {
        impl<$($T: Tree),*> Select<($($T,)*)> for Arg<$i> {
            type Picked = $P;
            fn pick(args: &($($T,)*)) -> $P {
                crate::tree::map_leaves(&args.$i, |x| x.clone())
            }
            fn chosen(count: usize) -> Vec<bool> {
                (0..count).map(|i| i == $i).collect()
            }
        }
    };
}
macro_rules! selects {
    ($($T:ident $i:tt),*) => { selects!(@ [$($T)*] $($T $i),*); };
    (@ $all:tt $($P:ident $i:tt),*) => { $(select!($all $P $i);)* };
}
for_tuples!(selects);
