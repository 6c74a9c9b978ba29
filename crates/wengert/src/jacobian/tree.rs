//! What a Jacobian is as a type: the result's tree, with the argument's tree in place of each array.

use crate::array::Array;
use crate::fail::fail;
use crate::tree::{Leaf, Static, Tree, for_tuples, join_path, tree_paths};
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, bf16, f16};

/// A tree in which each array can be replaced by another tree. `#[derive(Tree)]` gives it too; for a [`Tree`] written by hand,
/// `type By<P: ReplaceLeaves> = Jacobian<Self, P>` and [`Jacobian::new`] do it.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tree that a Jacobian can be made of",
    note = "a struct or an enum needs `#[derive(wengert::Tree)]`; what implements `Tree` by hand needs `ReplaceLeaves`"
)]
pub trait ReplaceLeaves: Tree {
    /// This tree with a `P` in place of each array.
    type By<P: ReplaceLeaves>: ReplaceLeaves;

    /// The tree with the next `P` in place of each array.
    fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P>;
}

impl ReplaceLeaves for Array {
    type By<P: ReplaceLeaves> = P;
    fn replace<P: ReplaceLeaves>(_: &Leaf, next: &mut dyn FnMut() -> P) -> P {
        next()
    }
}

/// Trees without arrays.
macro_rules! no_arrays {
    ($($t:ty)*) => {$(
        impl ReplaceLeaves for $t {
            type By<P: ReplaceLeaves> = $t;
            fn replace<P: ReplaceLeaves>(structure: &Self::Structure, _: &mut dyn FnMut() -> P) -> $t {
                Self::unflatten(structure, &mut std::iter::empty())
            }
        }
    )*};
}
no_arrays!(() bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 f16 bf16);
no_arrays!(String &'static str Arc<str> wengert_core::DType wengert_core::Shape);

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> ReplaceLeaves for Static<T> {
    type By<P: ReplaceLeaves> = Self;
    fn replace<P: ReplaceLeaves>(structure: &T, _: &mut dyn FnMut() -> P) -> Self {
        Static(structure.clone())
    }
}

macro_rules! tuple {
    ($($T:ident $i:tt),*) => {
        impl<$($T: ReplaceLeaves),*> ReplaceLeaves for ($($T,)*) {
            type By<P: ReplaceLeaves> = ($($T::By<P>,)*);
            fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
                ($($T::replace(&structure.$i, next),)*)
            }
        }
    };
}
for_tuples!(tuple);

impl<T: ReplaceLeaves> ReplaceLeaves for Vec<T> {
    type By<P: ReplaceLeaves> = Vec<T::By<P>>;
    fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
        structure.iter().map(|s| T::replace(s, next)).collect()
    }
}

impl<T: ReplaceLeaves, const N: usize> ReplaceLeaves for [T; N] {
    type By<P: ReplaceLeaves> = [T::By<P>; N];
    fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
        std::array::from_fn(|i| T::replace(&structure[i], next))
    }
}

impl<T: ReplaceLeaves> ReplaceLeaves for Option<T> {
    type By<P: ReplaceLeaves> = Option<T::By<P>>;
    fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
        structure.as_ref().map(|s| T::replace(s, next))
    }
}

impl<T: ReplaceLeaves> ReplaceLeaves for Box<T> {
    type By<P: ReplaceLeaves> = Box<T::By<P>>;
    fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
        Box::new(T::replace(structure, next))
    }
}

macro_rules! map {
    ($($map:ident)*) => {$(
        impl<K: crate::tree::MapKey, T: ReplaceLeaves> ReplaceLeaves for $map<K, T> {
            type By<P: ReplaceLeaves> = $map<K, T::By<P>>;
            fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
                structure.iter().map(|(k, s)| (k.clone(), T::replace(s, next))).collect()
            }
        }
    )*};
}
map!(BTreeMap HashMap);

/// The Jacobian of a result that is a struct or an enum of the user's: for each array in it, by its path, a tree like the
/// argument.
///
/// ```
/// use wengert::{jacrev, Array, Tree};
///
/// #[derive(Tree)]
/// struct Moved {
///     place: Array,
///     energy: Array,
/// }
/// let fall = |(x, v): (Array, Array)| Moved { place: &x + 2.0 * &v, energy: (&v * &v).sum(..) };
/// let j = jacrev(fall)((Array::from([1.0, 2.0]), Array::from([3.0, 4.0])));
/// let (by_x, by_v) = j.get("energy");
/// assert_eq!((by_x.to_vec::<f64>(), by_v.to_vec::<f64>()), (vec![0.0, 0.0], vec![6.0, 8.0]));
/// assert_eq!(j.get("place").1.to_vec::<f64>(), [2.0, 0.0, 0.0, 2.0]);
/// ```
#[derive(Clone, Debug)]
pub struct Jacobian<R: Tree, P> {
    structure: R::Structure,
    parts: Vec<P>,
}

impl<R: Tree, P> Jacobian<R, P> {
    /// What [`ReplaceLeaves::replace`] of a tree gives that has no type of its own with `P` in place of arrays.
    ///
    /// ```
    /// use wengert::{Array, Jacobian, Tree};
    /// let structure = (Array::from(1.0), Array::from(2.0)).flatten(&mut Vec::new());
    /// let mut n = 0;
    /// let numbered = Jacobian::<(Array, Array), i32>::new(&structure, &mut || { n += 1; n });
    /// assert_eq!(*numbered.get("1"), 2);
    /// ```
    pub fn new(structure: &R::Structure, next: &mut dyn FnMut() -> P) -> Self {
        let parts = tree_paths::<R>(structure).iter().map(|_| next()).collect();
        Jacobian { structure: structure.clone(), parts }
    }

    /// The part that belongs to the array of the result with this path (`weight`, `layers.0.bias`).
    ///
    /// ```
    /// use wengert::{jacfwd, Array, Tree};
    ///
    /// #[derive(Tree)]
    /// struct Pair(Array, Array);
    /// let j = jacfwd(|x: Array| Pair(&x * 2.0, x.sin()))(Array::from(0.0));
    /// assert_eq!((j.get("0").item::<f64>(), j.get("1").item::<f64>()), (2.0, 1.0));
    /// ```
    ///
    /// # Panics
    /// If the result has no array of this path.
    #[track_caller]
    pub fn get(&self, path: &str) -> &P {
        let paths = tree_paths::<R>(&self.structure);
        match paths.iter().position(|p| p == path) {
            Some(i) => &self.parts[i],
            None => {
                let m = format!("this Jacobian is of a result without an array `{path}`");
                fail(Error::new(ErrorKind::Tree, m).note(format!("it has `{}`", paths.join("`, `"))))
            }
        }
    }
}

impl<R: Tree, P: Tree> Tree for Jacobian<R, P> {
    type Structure = (R::Structure, Vec<P::Structure>);
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        (self.structure.clone(), self.parts.iter().map(|p| p.flatten(leaves)).collect())
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        let parts = structure.1.iter().map(|s| P::unflatten(s, leaves)).collect();
        Jacobian { structure: structure.0.clone(), parts }
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        for (part, s) in tree_paths::<R>(&structure.0).iter().zip(&structure.1) {
            P::paths(s, &join_path(path, part), names);
        }
    }
    fn describe(structure: &Self::Structure) -> String {
        let of = |(path, s): (&String, &P::Structure)| format!("{path}: {}", P::describe(s));
        let parts: Vec<String> = tree_paths::<R>(&structure.0).iter().zip(&structure.1).map(of).collect();
        format!("Jacobian {{ {} }}", parts.join(", "))
    }
}

impl<R: Tree, Q: ReplaceLeaves> ReplaceLeaves for Jacobian<R, Q> {
    type By<P: ReplaceLeaves> = Jacobian<R, Q::By<P>>;
    fn replace<P: ReplaceLeaves>(structure: &Self::Structure, next: &mut dyn FnMut() -> P) -> Self::By<P> {
        let parts = structure.1.iter().map(|s| Q::replace(s, next)).collect();
        Jacobian { structure: structure.0.clone(), parts }
    }
}
