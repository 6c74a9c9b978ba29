//! Metadata: what users write on nodes, typed by its key.

use crate::node::NodeId;
use crate::tape::Tape;
use std::fmt;
use std::marker::PhantomData;
use wengert_core::Tensor;

/// A value on a node, as it is stored.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum MetaValue {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Array(Tensor),
}

impl fmt::Display for MetaValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetaValue::Bool(x) => write!(f, "{x}"),
            MetaValue::Int(x) => write!(f, "{x}"),
            MetaValue::Float(x) => write!(f, "{x:?}"),
            MetaValue::Text(x) => write!(f, "{x:?}"),
            MetaValue::Bytes(x) => write!(f, "{x:02x?}"),
            MetaValue::Array(x) => write!(f, "{} : {}", crate::print::short(x), x.ty()),
        }
    }
}

/// A type that can be written on a node.
pub trait Meta: Sized {
    /// As it is stored.
    fn to_value(self) -> MetaValue;
    /// From what is stored, if that is of this type.
    fn from_value(value: &MetaValue) -> Option<Self>;
}

macro_rules! meta {
    ($($t:ty, $v:ident;)*) => {$(
        impl Meta for $t {
            fn to_value(self) -> MetaValue {
                MetaValue::$v(self)
            }
            fn from_value(value: &MetaValue) -> Option<$t> {
                if let MetaValue::$v(x) = value { Some(x.clone()) } else { None }
            }
        }
    )*};
}
meta! { bool, Bool; i64, Int; f64, Float; String, Text; Vec<u8>, Bytes; Tensor, Array; }

impl Tape {
    /// Writes something on a node, or over what was written there.
    ///
    /// # Panics
    /// If there is no such node.
    #[track_caller]
    pub fn set_meta<T: Meta>(&mut self, node: impl Into<NodeId>, key: MetaKey<T>, value: T) {
        let id = self.node(node).id;
        self.metadata.insert((id, key.name().into()), value.to_value());
    }
}

/// An array as bytes: its type as text, how long that is before it, and its elements.
pub(crate) fn array_bytes(t: &Tensor) -> Vec<u8> {
    let ty = t.ty().to_string();
    let mut out = (ty.len() as u32).to_le_bytes().to_vec();
    out.extend_from_slice(ty.as_bytes());
    out.extend(wengert_core::bytes::to_bytes(t));
    out
}

/// The array that these bytes are, if they are one.
pub(crate) fn array_of_bytes(bytes: &[u8]) -> Option<Tensor> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    let (ty, elements) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    let ty = wengert_core::text::Parser::new(std::str::from_utf8(ty).ok()?).ty().ok()?;
    ty.check().ok()?;
    wengert_core::bytes::from_bytes(ty.dtype, ty.shape, elements, false).ok()
}

/// A name under which values of one type are written on nodes.
///
/// ```
/// use wengert_tape::MetaKey;
/// const LOG_PROB: MetaKey<f64> = MetaKey::new("log_prob");
/// assert_eq!(LOG_PROB.name(), "log_prob");
/// ```
pub struct MetaKey<T>(&'static str, PhantomData<fn() -> T>);

impl<T: Meta> MetaKey<T> {
    /// The key with this name.
    pub const fn new(name: &'static str) -> MetaKey<T> {
        MetaKey(name, PhantomData)
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.0
    }
}

impl<T> Clone for MetaKey<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MetaKey<T> {}
