//! Trees of arrays: what functions take and give. A tree is its leaves, which are arrays, and its structure, which is
//! everything else.

use crate::array::Array;
use crate::known::from_number;
use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;
use wengert_core::{bf16, f16};
use wengert_tape::HostNumber;

/// A type made of arrays and of plain values.
///
/// Arrays are the leaves. Plain values (numbers, strings, [`Static`], fields marked `#[tree(static)]`) belong to the
/// structure: staged functions are staged once for each value of them. Derive it for structs with `#[derive(Tree)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no tree of arrays and plain values",
    note = "transformed functions take and give owned values: `Array` instead of `&Array`",
    note = "a struct or an enum needs `#[derive(wengert::Tree)]`; what is neither array nor number can go in `Static(..)`"
)]
pub trait Tree: Sized {
    /// All but the leaves.
    type Structure: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// Puts the leaves in order and gives the structure.
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure;

    /// [`Tree::flatten`] of a tree that is given away: no other handle on the leaves is left behind, so that memory which
    /// nobody else holds can be written again.
    fn into_leaves(self, leaves: &mut Vec<Array>) -> Self::Structure {
        self.flatten(leaves)
    }

    /// The tree with this structure and the next leaves.
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self;

    /// The name of each leaf, in the same order, with `path` before it.
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>);

    /// The structure for people to read: `Layer { weight: Array, act: "tanh" }`.
    fn describe(structure: &Self::Structure) -> String {
        format!("{structure:?}")
    }

    /// Gives each number of the structure, in order, another value: whether all were found. A structure may hide some.
    fn replace_numbers(structure: &mut Self::Structure, _by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        size_of_val(structure) == 0
    }
}

/// The leaves of a tree, in order.
///
/// ```
/// use wengert::{leaves, Array};
/// assert_eq!(leaves(&(Array::from(1.0f32), vec![Array::from(2.0f32)])).len(), 2);
/// ```
pub fn leaves<T: Tree>(tree: &T) -> Vec<Array> {
    let mut out = Vec::new();
    tree.flatten(&mut out);
    out
}

/// The path of each leaf of a tree, in order.
pub(crate) fn tree_paths<T: Tree>(structure: &T::Structure) -> Vec<String> {
    let mut paths = Vec::new();
    T::paths(structure, "", &mut paths);
    paths
}

/// The tree with every leaf replaced.
///
/// ```
/// use wengert::{Array, map_leaves};
/// let (a, b) = map_leaves(&(Array::from([1.0f32]), Array::from([2.0f32])), |x| x * 2.0);
/// assert_eq!((a.item::<f32>(), b.item::<f32>()), (2.0, 4.0));
/// ```
pub fn map_leaves<T: Tree>(tree: &T, f: impl FnMut(&Array) -> Array) -> T {
    let mut leaves = Vec::new();
    let structure = tree.flatten(&mut leaves);
    T::unflatten(&structure, &mut leaves.iter().map(f).collect::<Vec<_>>().into_iter())
}

/// Two trees of one structure, combined leaf by leaf.
///
/// ```
/// use wengert::{zip_leaves, Array};
/// let (p, dp) = (vec![Array::from(1.0f32)], vec![Array::from(0.5f32)]);
/// assert_eq!(zip_leaves(&p, &dp, |p, dp| p - 0.1 * dp)[0].item::<f32>(), 0.95);
/// ```
///
/// # Panics
/// If the structures differ.
#[track_caller]
pub fn zip_leaves<T: Tree>(a: &T, b: &T, mut f: impl FnMut(&Array, &Array) -> Array) -> T {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let structure = a.flatten(&mut x);
    let other = b.flatten(&mut y);
    if structure != other {
        crate::fail::fail(mismatch::<T>("two trees", &structure, &other));
    }
    let leaves: Vec<Array> = x.iter().zip(&y).map(|(x, y)| f(x, y)).collect();
    T::unflatten(&structure, &mut leaves.into_iter())
}

/// Trees that had to have one structure, and do not.
pub(crate) fn mismatch<T: Tree>(what: &str, a: &T::Structure, b: &T::Structure) -> wengert_core::Error {
    wengert_core::Error::new(wengert_core::ErrorKind::Tree, format!("{what} must have one structure"))
        .note(format!("one is    {}", T::describe(a)))
        .note(format!("the other {}", T::describe(b)))
}

/// The items between brackets, for [`Tree::describe`].
fn listed(open: &str, items: impl Iterator<Item = String>, close: &str) -> String {
    format!("{open}{}{close}", items.collect::<Vec<_>>().join(", "))
}

/// A plain value as an argument: not traced, and part of the key under which staged functions are kept.
///
/// ```
/// use wengert::{jit, Array, Static};
/// let power = jit(|x: Array, n: Static<i32>| (1..n.0).fold(x.clone(), |y, _| y * &x));
/// assert_eq!(power(Array::from(3.0f32), Static(4)).item::<f32>(), 81.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Static<T>(pub T);

impl<T: Clone + Eq + Hash + Debug + Send + Sync + 'static> Tree for Static<T> {
    type Structure = T;
    fn flatten(&self, _: &mut Vec<Array>) -> T {
        self.0.clone()
    }
    fn unflatten(structure: &T, _: &mut dyn Iterator<Item = Array>) -> Self {
        Static(structure.clone())
    }
    fn paths(_: &T, _: &str, _: &mut Vec<String>) {}
    fn describe(structure: &T) -> String {
        format!("Static({structure:?})")
    }
    fn replace_numbers(structure: &mut T, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        replace_static(structure, by)
    }
}

/// The structure of an array: there is a leaf here.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Leaf;

impl Debug for Leaf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Array")
    }
}

impl Tree for Array {
    type Structure = Leaf;
    fn flatten(&self, leaves: &mut Vec<Array>) -> Leaf {
        leaves.push(self.clone());
        Leaf
    }
    fn into_leaves(self, leaves: &mut Vec<Array>) -> Leaf {
        leaves.push(self);
        Leaf
    }
    #[track_caller]
    fn unflatten(_: &Leaf, leaves: &mut dyn Iterator<Item = Array>) -> Array {
        leaves.next().expect("a leaf for every array of the structure")
    }
    fn paths(_: &Leaf, path: &str, names: &mut Vec<String>) {
        names.push(path.to_string());
    }
}

/// [`Tree::replace_numbers`] of a plain value.
#[doc(hidden)]
pub fn replace_static<T: 'static>(x: &mut T, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
    let x: &mut dyn Any = x;
    macro_rules! try_all {
        ($($t:ty)*) => {$(
            if let Some(x) = x.downcast_mut::<$t>() {
                from_number(by((*x).into())).into_iter().for_each(|new| *x = new);
                return true;
            }
        )*};
    }
    try_all!(bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64);
    x.is::<()>() || x.is::<String>() || x.is::<&'static str>() || x.is::<wengert_core::DType>()
}

macro_rules! plain {
    ($($t:ty => $key:ty, |$x:ident| $to:expr, |$k:ident| $from:expr;)*) => {$(
        impl Tree for $t {
            type Structure = $key;
            fn flatten(&self, _: &mut Vec<Array>) -> $key {
                let $x = self;
                $to
            }
            fn unflatten($k: &$key, _: &mut dyn Iterator<Item = Array>) -> $t {
                $from
            }
            fn paths(_: &$key, _: &str, _: &mut Vec<String>) {}
            fn replace_numbers($k: &mut $key, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
                let mut x: $t = $from;
                let found = replace_static(&mut x, by);
                let $x = &x;
                *$k = $to;
                found
            }
        }
    )*};
}
macro_rules! plain_eq {
    ($($t:ty)*) => { plain! { $($t => $t, |x| x.clone(), |k| k.clone();)* } };
}
plain_eq!(bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize String &'static str Arc<str> wengert_core::DType wengert_core::Shape);
// Floats by their bits, so that NaN is equal to itself.
plain! {
    f32 => FloatBits<u32>, |x| FloatBits(x.to_bits()), |k| f32::from_bits(k.0);
    f64 => FloatBits<u64>, |x| FloatBits(x.to_bits()), |k| f64::from_bits(k.0);
    f16 => FloatBits<u16>, |x| FloatBits(x.to_bits()), |k| f16::from_bits(k.0);
    bf16 => FloatBits<i16>, |x| FloatBits(x.to_bits() as i16), |k| bf16::from_bits(k.0 as u16);
}

/// The bits of a float, as part of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FloatBits<T>(T);

macro_rules! float_debug {
    ($($t:ty, $f:ty, |$b:ident| $from:expr;)*) => {$(
        impl Debug for FloatBits<$t> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let $b = self.0;
                let x: $f = $from;
                write!(f, "{x:?}")
            }
        }
    )*};
}
float_debug! {
    u32, f32, |b| f32::from_bits(b);
    u64, f64, |b| f64::from_bits(b);
    u16, f16, |b| f16::from_bits(b);
    i16, bf16, |b| bf16::from_bits(b as u16);
}

impl Tree for () {
    type Structure = ();
    fn flatten(&self, _: &mut Vec<Array>) {}
    fn unflatten(_: &(), _: &mut dyn Iterator<Item = Array>) {}
    fn paths(_: &(), _: &str, _: &mut Vec<String>) {}
}

fn join(path: &str, part: impl std::fmt::Display) -> String {
    if path.is_empty() { part.to_string() } else { format!("{path}.{part}") }
}

/// A struct or variant with its fields, for `#[derive(Tree)]`.
#[doc(hidden)]
pub fn describe_fields(name: &str, fields: Vec<(&str, String)>) -> String {
    if fields.is_empty() {
        return name.to_string();
    }
    listed(&format!("{name} {{ "), fields.into_iter().map(|(field, s)| format!("{field}: {s}")), " }")
}

/// The path of a field, for `#[derive(Tree)]`.
#[doc(hidden)]
pub fn join_path(path: &str, part: &str) -> String {
    join(path, part)
}

impl<T: Tree> Tree for Vec<T> {
    type Structure = Vec<T::Structure>;
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        self.iter().map(|x| x.flatten(leaves)).collect()
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        structure.iter().map(|s| T::unflatten(s, leaves)).collect()
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        structure.iter().enumerate().for_each(|(i, s)| T::paths(s, &join(path, i), names));
    }
    fn describe(structure: &Self::Structure) -> String {
        listed("[", structure.iter().map(T::describe), "]")
    }
    fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        structure.iter_mut().all(|s| T::replace_numbers(s, by))
    }
}

impl<T: Tree, const N: usize> Tree for [T; N] {
    type Structure = [T::Structure; N];
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        std::array::from_fn(|i| self[i].flatten(leaves))
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        std::array::from_fn(|i| T::unflatten(&structure[i], leaves))
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        structure.iter().enumerate().for_each(|(i, s)| T::paths(s, &join(path, i), names));
    }
    fn describe(structure: &Self::Structure) -> String {
        listed("[", structure.iter().map(T::describe), "]")
    }
    fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        structure.iter_mut().all(|s| T::replace_numbers(s, by))
    }
}

impl<T: Tree> Tree for Option<T> {
    type Structure = Option<T::Structure>;
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        self.as_ref().map(|x| x.flatten(leaves))
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        structure.as_ref().map(|s| T::unflatten(s, leaves))
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        if let Some(s) = structure {
            T::paths(s, path, names);
        }
    }
    fn describe(structure: &Self::Structure) -> String {
        structure.as_ref().map_or("None".into(), |s| format!("Some({})", T::describe(s)))
    }
    fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        structure.as_mut().is_none_or(|s| T::replace_numbers(s, by))
    }
}

impl<T: Tree> Tree for Box<T> {
    type Structure = T::Structure;
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        (**self).flatten(leaves)
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        Box::new(T::unflatten(structure, leaves))
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        T::paths(structure, path, names);
    }
    fn describe(structure: &Self::Structure) -> String {
        T::describe(structure)
    }
    fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        T::replace_numbers(structure, by)
    }
}

/// A key of a map that is a tree.
pub trait MapKey: Clone + Ord + Hash + Debug + Send + Sync + 'static {}
impl<K: Clone + Ord + Hash + Debug + Send + Sync + 'static> MapKey for K {}

/// Whether a key is of a type that holds no number.
fn key_is_no_number<K: MapKey>(key: &K) -> bool {
    let mut is_number = false;
    let all = replace_static(&mut key.clone(), &mut |x| {
        is_number = true;
        x
    });
    all && !is_number
}

impl<K: MapKey, T: Tree> Tree for BTreeMap<K, T> {
    type Structure = Vec<(K, T::Structure)>;
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        self.iter().map(|(k, x)| (k.clone(), x.flatten(leaves))).collect()
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        structure.iter().map(|(k, s)| (k.clone(), T::unflatten(s, leaves))).collect()
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        for (k, s) in structure {
            T::paths(s, &join(path, format!("{k:?}").trim_matches('"')), names);
        }
    }
    fn describe(structure: &Self::Structure) -> String {
        listed("{", structure.iter().map(|(k, s)| format!("{k:?}: {}", T::describe(s))), "}")
    }
    // The keys are made by the host too.
    fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        structure.iter_mut().all(|(k, s)| key_is_no_number(k) && T::replace_numbers(s, by))
    }
}

/// In the order of the keys.
impl<K: MapKey, T: Tree> Tree for HashMap<K, T> {
    type Structure = Vec<(K, T::Structure)>;
    fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
        let mut entries: Vec<(&K, &T)> = self.iter().collect();
        entries.sort_by(|a, b| a.0.cmp(b.0));
        entries.into_iter().map(|(k, x)| (k.clone(), x.flatten(leaves))).collect()
    }
    fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
        structure.iter().map(|(k, s)| (k.clone(), T::unflatten(s, leaves))).collect()
    }
    fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
        BTreeMap::<K, T>::paths(structure, path, names);
    }
    fn describe(structure: &Self::Structure) -> String {
        BTreeMap::<K, T>::describe(structure)
    }
    fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
        BTreeMap::<K, T>::replace_numbers(structure, by)
    }
}

/// Calls a macro for each length of tuple, with a name and a number for each member.
macro_rules! for_tuples {
    ($each:ident) => {
        $each!(A 0);
        $each!(A 0, B 1);
        $each!(A 0, B 1, C 2);
        $each!(A 0, B 1, C 2, D 3);
        $each!(A 0, B 1, C 2, D 3, E 4);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10);
        $each!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7, I 8, J 9, K 10, L 11);
    };
}
pub(crate) use for_tuples;

macro_rules! tuple {
    ($($T:ident $i:tt),*) => {
        impl<$($T: Tree),*> Tree for ($($T,)*) {
            type Structure = ($($T::Structure,)*);
            fn flatten(&self, leaves: &mut Vec<Array>) -> Self::Structure {
                ($(self.$i.flatten(leaves),)*)
            }
            fn unflatten(structure: &Self::Structure, leaves: &mut dyn Iterator<Item = Array>) -> Self {
                ($($T::unflatten(&structure.$i, leaves),)*)
            }
            fn paths(structure: &Self::Structure, path: &str, names: &mut Vec<String>) {
                $($T::paths(&structure.$i, &join(path, $i), names);)*
            }
            fn describe(structure: &Self::Structure) -> String {
                listed("(", [$($T::describe(&structure.$i)),*].into_iter(), ")")
            }
            fn replace_numbers(structure: &mut Self::Structure, by: &mut dyn FnMut(HostNumber) -> HostNumber) -> bool {
                [$($T::replace_numbers(&mut structure.$i, by)),*].into_iter().all(|found| found)
            }
        }
    };
}
for_tuples!(tuple);
