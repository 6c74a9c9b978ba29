//! Metadata: what users write on nodes, typed by its key.

use std::fmt;
use std::marker::PhantomData;

/// A value on a node, as it is stored.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum MetaValue {
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl fmt::Display for MetaValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MetaValue::Bool(x) => write!(f, "{x}"),
            MetaValue::Int(x) => write!(f, "{x}"),
            MetaValue::Float(x) => write!(f, "{x:?}"),
            MetaValue::Text(x) => write!(f, "{x:?}"),
            MetaValue::Bytes(x) => write!(f, "{x:02x?}"),
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
meta! { bool, Bool; i64, Int; f64, Float; String, Text; Vec<u8>, Bytes; }

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
