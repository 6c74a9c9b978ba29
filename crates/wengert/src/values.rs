//! What a call is given and gives, as it is shown: the arrays in a value with their paths, and other values as text.

use crate::array::Array;
use crate::numpy::Operand;
use crate::tape::Limited;
use crate::tree::{Static, Tree};
use std::any::{TypeId, type_name};
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug, Display, Formatter};
use std::marker::PhantomData;
use std::rc::Rc;
use std::sync::Arc;
use wengert_core::{DType, Shape, bf16, f16};
use wengert_tape::record::{self, Quiet, quiet};

/// What a call is given or gives: arrays with their names, and other values as text.
#[derive(Default)]
pub struct Values(pub(crate) Vec<(String, Value)>);

pub(crate) enum Value {
    Array(Array),
    Text(String),
}

impl Values {
    /// One value that has no name.
    pub(crate) fn only(text: &str) -> Values {
        Values(vec![(String::new(), Value::Text(text.to_string()))])
    }

    fn text(&mut self, name: &str, text: String) {
        self.0.push((name.to_string(), Value::Text(text)));
    }

    fn debug(&mut self, name: &str, x: &(impl Debug + ?Sized)) {
        let _showing = Showing::start();
        self.text(name, Limited::debug(x));
    }

    /// An argument that the function does not look at.
    pub fn unnamed(&mut self) {
        self.text("_", "_".to_string());
    }

    fn array(&mut self, name: &str, x: &Array) {
        self.0.push((name.to_string(), Value::Array(x.clone())));
    }

    fn look(&mut self, name: &str, x: &(impl Look + ?Sized)) {
        let mut arrays = Vec::new();
        let _showing = Showing::start();
        x.arrays(&Path { before: None, part: &name }, &mut arrays);
        if arrays.is_empty() {
            return self.debug(name, &Shown(x));
        }
        self.0.extend(arrays.into_iter().map(|(name, x)| (name, Value::Array(x))));
    }

    /// A value of which the type may not be inferred yet: it must not depend on what is done with the value here.
    pub fn any<T: ?Sized>(&mut self, name: &str, x: &T) {
        if let Some(x) = as_array(x) {
            return self.array(name, x);
        }
        macro_rules! plain {
            ($($t:ty)*) => {$(
                if let Some(x) = cast::<T, $t>(x) {
                    return self.debug(name, x);
                }
            )*};
        }
        plain!(() bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 String);
        if let Some(x) = cast::<T, (Array, Array)>(x) {
            return self.look(name, x);
        }
        self.text(name, short(type_name::<T>()).to_string());
    }

    pub(crate) fn given(&self) -> Vec<(&str, record::Given<'_, Array>)> {
        let given = self.0.iter().map(|(name, v)| match v {
            Value::Array(x) => (name.as_str(), record::Given::Array(x)),
            Value::Text(t) => (name.as_str(), record::Given::Text(t)),
        });
        given.collect()
    }
}

thread_local! {
    static SHOWING: Cell<bool> = const { Cell::new(false) };
}

/// While values are shown, by code that is the user's, nothing of it is recorded, and tracked functions show nothing:
/// what shows a value may call one that is given it.
struct Showing {
    before: bool,
    _quiet: Quiet,
}

impl Showing {
    fn start() -> Showing {
        Showing { before: SHOWING.replace(true), _quiet: quiet() }
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        SHOWING.set(self.before);
    }
}

/// Whether values are being shown on this thread.
pub(crate) fn showing() -> bool {
    SHOWING.get()
}

/// The last part of a path.
pub(crate) fn short(path: &str) -> &str {
    let head = path.find('<').unwrap_or(path.len());
    path[..head].rfind("::").map_or(path, |i| &path[i + 2..])
}

/// A value whose type decides how it is shown. The method is looked up with several `&` before it, and each is one
/// level: what has [`Look`] first, then trees, if those are wanted, then what has `Debug`, then anything.
pub struct Probe<'a, T: ?Sized, const TREES: bool = true>(pub &'a T);

/// See [`Probe`].
pub trait Give {
    /// Adds the value under a name.
    fn wengert_give(&self, name: &str, to: &mut Values);
}

impl<T: Look + ?Sized, const TREES: bool> Give for &&&&Probe<'_, T, TREES> {
    fn wengert_give(&self, name: &str, to: &mut Values) {
        to.look(name, self.0);
    }
}

impl<T: Tree> Give for &&&Probe<'_, T> {
    fn wengert_give(&self, name: &str, to: &mut Values) {
        to.look(name, &Leaves(self.0));
    }
}

macro_rules! give_references {
    ($($t:ty),*) => {$(
        impl<T: Tree> Give for &&Probe<'_, $t> {
            fn wengert_give(&self, name: &str, to: &mut Values) {
                to.look(name, &Leaves(&**self.0));
            }
        }
    )*};
}
give_references!(&T, &mut T);

impl<T: Debug + ?Sized, const TREES: bool> Give for &Probe<'_, T, TREES> {
    fn wengert_give(&self, name: &str, to: &mut Values) {
        to.debug(name, self.0);
    }
}

impl<T: ?Sized, const TREES: bool> Give for Probe<'_, T, TREES> {
    fn wengert_give(&self, name: &str, to: &mut Values) {
        to.text(name, short(type_name::<T>()).to_string());
    }
}

/// A value that shows the arrays in it. What a [`Tree`] is, but of any lifetime: the type of a value must not be asked
/// to live longer because it is shown.
pub trait Look {
    /// Adds the arrays in it, each with its path.
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>);

    /// Writes it, where it has no arrays.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

/// Where a value is in another.
pub struct Path<'a> {
    before: Option<&'a Path<'a>>,
    part: &'a dyn Display,
}

impl Path<'_> {
    fn then<'a>(&'a self, part: &'a dyn Display) -> Path<'a> {
        Path { before: Some(self), part }
    }
}

impl Display for Path<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.before {
            None => Display::fmt(self.part, f),
            Some(before) => write!(f, "{before}.{}", self.part),
        }
    }
}

struct Shown<'a, T: ?Sized>(&'a T);

impl<T: Look + ?Sized> Debug for Shown<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.show(f)
    }
}

/// A tree, as [`Look`] sees it.
pub struct Leaves<'a, T>(pub &'a T);

impl<T: Tree> Look for Leaves<'_, T> {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        let (mut leaves, mut names) = (Vec::new(), Vec::new());
        let structure = self.0.flatten(&mut leaves);
        T::paths(&structure, &path.to_string(), &mut names);
        to.extend(names.into_iter().zip(leaves));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0.flatten(&mut Vec::new()), f)
    }
}

impl Look for Array {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        to.push((path.to_string(), self.clone()));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Array")
    }
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Look for $t {
            fn arrays(&self, _: &Path<'_>, _: &mut Vec<(String, Array)>) {}
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Debug::fmt(self, f)
            }
        }
    )*};
}
plain!(() bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 f16 bf16 str String DType Shape);

impl<T: Debug> Look for Static<T> {
    fn arrays(&self, _: &Path<'_>, _: &mut Vec<(String, Array)>) {}
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl Look for Operand {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        if let Operand::Array(x) = self {
            x.arrays(path, to);
        }
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Array(x) => x.show(f),
            Operand::Int(x) => Debug::fmt(x, f),
            Operand::Float(x) => Debug::fmt(x, f),
            Operand::Bool(x) => Debug::fmt(x, f),
            Operand::Complex(x) => Debug::fmt(x, f),
        }
    }
}

macro_rules! through {
    ($($t:ty),*) => {$(
        impl<T: Look + ?Sized> Look for $t {
            fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
                (**self).arrays(path, to);
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                (**self).show(f)
            }
        }
    )*};
}
through!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

impl<T: Look> Look for Option<T> {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        self.iter().for_each(|x| x.arrays(path, to));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.as_ref().map(Shown), f)
    }
}

impl<T: Look, E: Debug> Look for Result<T, E> {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        self.iter().for_each(|x| x.arrays(path, to));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.as_ref().map(Shown), f)
    }
}

impl<T: Look> Look for [T] {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        self.iter().enumerate().for_each(|(i, x)| x.arrays(&path.then(&i), to));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Shown)).finish()
    }
}

macro_rules! slices {
    ($([$($n:tt)*] $t:ty),*) => {$(
        impl<T: Look, $($n)*> Look for $t {
            fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
                self[..].arrays(path, to);
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self[..].show(f)
            }
        }
    )*};
}
slices!([] Vec<T>, [const N: usize] [T; N]);

fn entries<'a, K: Debug + 'a, T: Look + 'a>(
    entries: impl Iterator<Item = (&'a K, &'a T)>,
    path: &Path<'_>,
    to: &mut Vec<(String, Array)>,
) {
    for (k, x) in entries {
        x.arrays(&path.then(&format!("{k:?}").trim_matches('"')), to);
    }
}

impl<K: Debug, T: Look> Look for BTreeMap<K, T> {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        entries(self.iter(), path, to);
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(k, x)| (k, Shown(x)))).finish()
    }
}

/// In the order of the keys.
impl<K: Debug + Ord, T: Look, S> Look for HashMap<K, T, S> {
    fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
        entries(self.iter().collect::<BTreeMap<_, _>>().into_iter(), path, to);
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.iter().collect::<BTreeMap<_, _>>().show(f)
    }
}

macro_rules! tuple {
    ($($T:ident $i:tt),*) => {
        impl<$($T: Look),*> Look for ($($T,)*) {
            fn arrays(&self, path: &Path<'_>, to: &mut Vec<(String, Array)>) {
                $(self.$i.arrays(&path.then(&$i), to);)*
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.debug_tuple("")$(.field(&Shown(&self.$i)))*.finish()
            }
        }
    };
}
crate::tree::for_tuples!(tuple);

/// A type by its identity, whatever its lifetimes.
fn type_id<T: ?Sized>() -> TypeId {
    trait Id {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T: ?Sized> Id for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let phantom = PhantomData::<T>;
    // SAFETY: the value has no content, and `id` looks only at the type. Types that differ in lifetimes get one id.
    let phantom: &(dyn Id + 'static) = unsafe { std::mem::transmute::<&dyn Id, &(dyn Id + 'static)>(&phantom) };
    phantom.id()
}

/// A value as a type without lifetimes, if it is of that type.
fn cast<T: ?Sized, U: 'static>(x: &T) -> Option<&U> {
    // SAFETY: `U` has no lifetimes, so a type with its identity is `U` itself.
    (type_id::<T>() == TypeId::of::<U>()).then(|| unsafe { &*(&raw const *x).cast::<U>() })
}

/// An array, or a reference to one.
pub(crate) fn as_array<T: ?Sized>(x: &T) -> Option<&Array> {
    let reference = || {
        let id = type_id::<T>();
        let is = id == TypeId::of::<&'static Array>() || id == TypeId::of::<&'static mut Array>();
        // SAFETY: `T` is a reference to an array, of a lifetime that is at least that of the borrow `x`.
        is.then(|| unsafe { *(&raw const *x).cast::<&Array>() })
    };
    cast::<T, Array>(x).or_else(reference)
}
