//! The arguments and results of calls as a tape shows them: the arrays in a value with their paths, other values as text.

use crate::array::Array;
use crate::known::{AnyValue, number_of};
use crate::numpy::Operand;
use crate::tape::LimitedText;
use crate::tree::{Static, Tree};
use std::any::type_name;
use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Debug, Display, Formatter};
use std::rc::Rc;
use std::sync::Arc;
use wengert_core::{DType, Shape, bf16, f16};
use wengert_tape::HostNumber;
use wengert_tape::record::{self, Silence, silence};

/// The arguments or results of a call: arrays with their names, and other values as text.
#[derive(Default)]
pub struct CallValues(pub(crate) Vec<(String, ShownValue)>);

pub(crate) enum ShownValue {
    Array(Array),
    Number(HostNumber),
    Text(String),
    /// A text, and the name of the type.
    Shown(String, String),
}

impl CallValues {
    /// One value without a name.
    pub(crate) fn single(text: &str) -> CallValues {
        CallValues(vec![(String::new(), ShownValue::Text(text.to_string()))])
    }

    fn text(&mut self, name: &str, text: String) {
        self.0.push((name.to_string(), ShownValue::Text(text)));
    }

    /// A number of the host; whether it is one.
    fn number<T: ?Sized>(&mut self, name: &str, x: &T) -> bool {
        let number = number_of(x);
        self.0.extend(number.map(|x| (name.to_string(), ShownValue::Number(x))));
        number.is_some()
    }

    fn debug<T: Debug + ?Sized>(&mut self, name: &str, x: &T) {
        if self.number(name, x) {
            return;
        }
        self.shown::<T>(name, &x);
    }

    /// A value of this type, which is shown so.
    fn shown<T: ?Sized>(&mut self, name: &str, x: &dyn Debug) {
        let _showing = ShowingGuard::start();
        let (text, ty) = (LimitedText::debug(x), short_type(type_name::<T>()));
        self.0.push((name.to_string(), ShownValue::Shown(text, ty)));
    }

    /// An argument that the function gives no name.
    pub fn unnamed(&mut self) {
        self.text("_", "_".to_string());
    }

    fn array(&mut self, name: &str, x: &Array) {
        self.0.push((name.to_string(), ShownValue::Array(x.clone())));
    }

    fn inspect<T: Inspect + ?Sized>(&mut self, name: &str, x: &T) {
        if self.number(name, x) {
            return;
        }
        let mut arrays = Vec::new();
        let _showing = ShowingGuard::start();
        x.arrays(&ValuePath { before: None, part: &name }, &mut arrays);
        if arrays.is_empty() {
            return self.shown::<T>(name, &Shown(x));
        }
        self.0.extend(arrays.into_iter().map(|(name, x)| (name, ShownValue::Array(x))));
    }

    /// A value whose type the compiler may not have inferred yet: what is done with the value here must not decide it.
    pub fn any<T: ?Sized>(&mut self, name: &str, x: &T) {
        let any = AnyValue::new(x);
        if let Some(x) = any.array() {
            return self.array(name, x);
        }
        if let Some(x) = any.number() {
            return self.0.push((name.to_string(), ShownValue::Number(x)));
        }
        if let Some(text) = any.text() {
            return self.0.push((name.to_string(), ShownValue::Shown(text, any.type_name())));
        }
        self.text(name, short(type_name::<T>()).to_string());
    }

    pub(crate) fn as_call_values(&self) -> Vec<(&str, record::CallValue<'_, Array>)> {
        let given = self.0.iter().map(|(name, v)| match v {
            ShownValue::Array(x) => (name.as_str(), record::CallValue::Array(x)),
            ShownValue::Number(x) => (name.as_str(), record::CallValue::Number(*x)),
            ShownValue::Text(t) => (name.as_str(), record::CallValue::Text(t)),
            ShownValue::Shown(t, ty) => (name.as_str(), record::CallValue::Shown(t, ty)),
        });
        given.collect()
    }
}

thread_local! {
    static SHOWING: Cell<bool> = const { Cell::new(false) };
}

/// While values are shown, nothing is recorded and tracked functions show nothing: the user's code that shows a value may
/// call a tracked function with the same value.
struct ShowingGuard {
    _showing: Showing,
    _silence: Silence,
}

impl ShowingGuard {
    fn start() -> ShowingGuard {
        ShowingGuard { _showing: Showing::start(), _silence: silence() }
    }
}

/// A value as text, cut to a length.
pub(crate) fn shown_text(x: &dyn Debug) -> String {
    let _showing = ShowingGuard::start();
    LimitedText::debug(x)
}

/// While this lives, tracked functions show nothing and are not recorded.
pub struct Showing {
    before: bool,
}

impl Showing {
    pub(crate) fn start() -> Showing {
        Showing { before: SHOWING.replace(true) }
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

/// A type without the paths to its parts.
pub(crate) fn short_type(ty: &str) -> String {
    let mut out = String::new();
    let mut start = 0;
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    for (i, c) in ty.char_indices() {
        if ty[i..].starts_with("::") && ty[start..i].chars().all(is_name) {
            start = i + 2;
        } else if !is_name(c) && c != ':' {
            out.push_str(&ty[start..i]);
            out.push(c);
            start = i + c.len_utf8();
        }
    }
    out.push_str(&ty[start..]);
    out
}

/// The last part of a path.
pub(crate) fn short(path: &str) -> &str {
    let head = path.find('<').unwrap_or(path.len());
    path[..head].rfind("::").map_or(path, |i| &path[i + 2..])
}

/// A value whose type decides how it is shown. The method is looked up with several `&` before it, and each is one
/// level: types with [`Inspect`] first, then trees, if those are wanted, then types with `Debug`, then any type.
pub struct Probe<'a, T: ?Sized, const TREES: bool = true>(pub &'a T);

/// See [`Probe`].
pub trait AddValue {
    /// Adds the value under a name.
    fn wengert_add_value(&self, name: &str, to: &mut CallValues);
}

impl<T: Inspect + ?Sized, const TREES: bool> AddValue for &&&&Probe<'_, T, TREES> {
    fn wengert_add_value(&self, name: &str, to: &mut CallValues) {
        to.inspect(name, self.0);
    }
}

impl<T: Tree> AddValue for &&&Probe<'_, T> {
    fn wengert_add_value(&self, name: &str, to: &mut CallValues) {
        to.inspect(name, &TreeLeaves(self.0));
    }
}

macro_rules! add_references {
    ($($t:ty),*) => {$(
        impl<T: Tree> AddValue for &&Probe<'_, $t> {
            fn wengert_add_value(&self, name: &str, to: &mut CallValues) {
                to.inspect(name, &TreeLeaves(&**self.0));
            }
        }
    )*};
}
add_references!(&T, &mut T);

impl<T: Debug + ?Sized, const TREES: bool> AddValue for &Probe<'_, T, TREES> {
    fn wengert_add_value(&self, name: &str, to: &mut CallValues) {
        to.debug(name, self.0);
    }
}

impl<T: ?Sized, const TREES: bool> AddValue for Probe<'_, T, TREES> {
    fn wengert_add_value(&self, name: &str, to: &mut CallValues) {
        to.text(name, short(type_name::<T>()).to_string());
    }
}

/// A type whose values show the arrays in them. Unlike a [`Tree`] it may have any lifetime: that a value is shown must not
/// ask its type to live longer.
pub trait Inspect {
    /// Adds the arrays in the value, each with its path.
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>);

    /// Writes a value without arrays.
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result;
}

/// The path of a value inside another.
pub struct ValuePath<'a> {
    before: Option<&'a ValuePath<'a>>,
    part: &'a dyn Display,
}

impl ValuePath<'_> {
    fn then<'a>(&'a self, part: &'a dyn Display) -> ValuePath<'a> {
        ValuePath { before: Some(self), part }
    }
}

impl Display for ValuePath<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.before {
            None => Display::fmt(self.part, f),
            Some(before) => write!(f, "{before}.{}", self.part),
        }
    }
}

struct Shown<'a, T: ?Sized>(&'a T);

impl<T: Inspect + ?Sized> Debug for Shown<'_, T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.0.show(f)
    }
}

/// A tree, for [`Inspect`].
pub struct TreeLeaves<'a, T>(pub &'a T);

impl<T: Tree> Inspect for TreeLeaves<'_, T> {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        let (mut leaves, mut names) = (Vec::new(), Vec::new());
        let structure = self.0.flatten(&mut leaves);
        T::paths(&structure, &path.to_string(), &mut names);
        to.extend(names.into_iter().zip(leaves));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0.flatten(&mut Vec::new()), f)
    }
}

impl Inspect for Array {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        to.push((path.to_string(), self.clone()));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("Array")
    }
}

macro_rules! plain {
    ($($t:ty)*) => {$(
        impl Inspect for $t {
            fn arrays(&self, _: &ValuePath<'_>, _: &mut Vec<(String, Array)>) {}
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                Debug::fmt(self, f)
            }
        }
    )*};
}
plain!(() bool char i8 i16 i32 i64 isize u8 u16 u32 u64 usize f32 f64 f16 bf16 str String DType Shape);

impl<T: Debug> Inspect for Static<T> {
    fn arrays(&self, _: &ValuePath<'_>, _: &mut Vec<(String, Array)>) {}
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.0, f)
    }
}

impl Inspect for Operand {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
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
        impl<T: Inspect + ?Sized> Inspect for $t {
            fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
                (**self).arrays(path, to);
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                (**self).show(f)
            }
        }
    )*};
}
through!(&T, &mut T, Box<T>, Rc<T>, Arc<T>);

impl<T: Inspect> Inspect for Option<T> {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        self.iter().for_each(|x| x.arrays(path, to));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.as_ref().map(Shown), f)
    }
}

impl<T: Inspect, E: Debug> Inspect for Result<T, E> {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        self.iter().for_each(|x| x.arrays(path, to));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.as_ref().map(Shown), f)
    }
}

impl<T: Inspect> Inspect for [T] {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        self.iter().enumerate().for_each(|(i, x)| x.arrays(&path.then(&i), to));
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(Shown)).finish()
    }
}

macro_rules! slices {
    ($([$($n:tt)*] $t:ty),*) => {$(
        impl<T: Inspect, $($n)*> Inspect for $t {
            fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
                self[..].arrays(path, to);
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                self[..].show(f)
            }
        }
    )*};
}
slices!([] Vec<T>, [const N: usize] [T; N]);

fn entries<'a, K: Debug + 'a, T: Inspect + 'a>(
    entries: impl Iterator<Item = (&'a K, &'a T)>,
    path: &ValuePath<'_>,
    to: &mut Vec<(String, Array)>,
) {
    for (k, x) in entries {
        x.arrays(&path.then(&format!("{k:?}").trim_matches('"')), to);
    }
}

impl<K: Debug, T: Inspect> Inspect for BTreeMap<K, T> {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        entries(self.iter(), path, to);
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter().map(|(k, x)| (k, Shown(x)))).finish()
    }
}

/// In the order of the keys.
impl<K: Debug + Ord, T: Inspect, S> Inspect for HashMap<K, T, S> {
    fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
        entries(self.iter().collect::<BTreeMap<_, _>>().into_iter(), path, to);
    }
    fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.iter().collect::<BTreeMap<_, _>>().show(f)
    }
}

macro_rules! tuple {
    ($($T:ident $i:tt),*) => {
        impl<$($T: Inspect),*> Inspect for ($($T,)*) {
            fn arrays(&self, path: &ValuePath<'_>, to: &mut Vec<(String, Array)>) {
                $(self.$i.arrays(&path.then(&$i), to);)*
            }
            fn show(&self, f: &mut Formatter<'_>) -> fmt::Result {
                f.debug_tuple("")$(.field(&Shown(&self.$i)))*.finish()
            }
        }
    };
}
crate::tree::for_tuples!(tuple);
