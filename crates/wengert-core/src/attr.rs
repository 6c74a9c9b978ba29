//! Attributes: the static parts of an op, with their text form. The [`attributes!`](crate::attributes) macro makes an
//! op's struct from its fields, so that printing, parsing, equality and the walk over nested programs are written once.

use crate::error::Result;
use crate::host::{Scalar, Tensor};
use crate::op::Op;
use crate::program::Program;
use crate::text::{Parser, Printer};
use crate::types::{DType, Dims, Shape, Type};
use std::fmt;
use std::sync::Arc;

/// A function that rewrites a nested program.
pub type ProgramMap<'a> = &'a mut dyn FnMut(&Arc<Program>) -> Arc<Program>;

/// One attribute value.
pub trait Attr: Sized + Clone {
    /// Writes the value.
    fn print(&self, p: &mut Printer);
    /// Reads it back.
    fn parse(p: &mut Parser<'_>) -> Result<Self>;
    /// Collects nested programs.
    fn programs<'a>(&'a self, _out: &mut Vec<&'a Arc<Program>>) {}
    /// Rewrites nested programs.
    fn map_programs(&self, _f: ProgramMap<'_>) -> Self {
        self.clone()
    }
}

/// What every op's struct can do with its attributes.
pub trait Attributes: fmt::Debug {
    /// The op's name in the text form.
    fn name(&self) -> &str;
    /// Writes the attributes between brackets; nothing if there are none.
    fn print_attributes(&self, p: &mut Printer);
    /// The programs the op holds.
    fn programs(&self) -> Vec<&Arc<Program>>;
    /// The same op with other programs.
    fn map_programs(&self, f: ProgramMap<'_>) -> Op;
    /// The op itself.
    fn to_op(&self) -> Op;
}

/// How an op's struct is found from its name and read back.
pub trait Read: Sized {
    /// The names it is found by.
    fn names() -> Vec<&'static str>;
    /// Reads the attributes if `name` names this op.
    fn read(name: &str, p: &mut Parser<'_>) -> Result<Option<Self>>;
}

/// Declares an op's struct: `attributes! { "slice" => pub struct Slice { pub start: Dims, … } }`.
#[macro_export]
macro_rules! attributes {
    ($(#[$meta:meta])* $name:literal => pub struct $ty:ident { $($(#[$fmeta:meta])* pub $field:ident: $fty:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $ty { $($(#[$fmeta])* pub $field: $fty,)* }

        impl $crate::attr::Attributes for $ty {
            fn name(&self) -> &str {
                $name
            }
            #[allow(unused_variables)]
            fn print_attributes(&self, p: &mut $crate::text::Printer) {
                p.begin_attributes();
                $(p.attribute(stringify!($field), &self.$field);)*
                p.end_attributes();
            }
            fn programs(&self) -> Vec<&std::sync::Arc<$crate::Program>> {
                #[allow(unused_mut)]
                let mut out = Vec::new();
                $($crate::attr::Attr::programs(&self.$field, &mut out);)*
                out
            }
            #[allow(unused_variables)]
            fn map_programs(&self, f: $crate::attr::ProgramMap<'_>) -> $crate::Op {
                $ty { $($field: $crate::attr::Attr::map_programs(&self.$field, f),)* }.into()
            }
            fn to_op(&self) -> $crate::Op {
                self.clone().into()
            }
        }

        impl $crate::attr::Read for $ty {
            fn names() -> Vec<&'static str> {
                vec![$name]
            }
            #[allow(unused_variables)]
            fn read(name: &str, p: &mut $crate::text::Parser<'_>) -> $crate::Result<Option<Self>> {
                if name != $name {
                    return Ok(None);
                }
                p.begin_attributes()?;
                let op = $ty { $($field: p.attribute(stringify!($field))?,)* };
                p.end_attributes()?;
                Ok(Some(op))
            }
        }
    };
}

/// Declares attributes that several ops share as one attribute: `record! { pub struct Indexing { pub window_dims: Dims, … } }`.
#[macro_export]
macro_rules! record {
    ($(#[$meta:meta])* pub struct $ty:ident { $($(#[$fmeta:meta])* pub $field:ident: $fty:ty),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub struct $ty { $($(#[$fmeta])* pub $field: $fty,)* }

        impl $crate::attr::Attr for $ty {
            fn print(&self, p: &mut $crate::text::Printer) {
                p.begin_attributes();
                $(p.attribute(stringify!($field), &self.$field);)*
                p.end_attributes();
            }
            fn parse(p: &mut $crate::text::Parser<'_>) -> $crate::Result<Self> {
                p.begin_attributes()?;
                let record = $ty { $($field: p.attribute(stringify!($field))?,)* };
                p.end_attributes()?;
                Ok(record)
            }
        }
    };
}

/// Declares a family of ops that differ by name alone: `names! { pub enum Unary { Abs = "abs", … } }`.
#[macro_export]
macro_rules! names {
    ($(#[$meta:meta])* pub enum $ty:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal),* $(,)? }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $ty { $($(#[$vmeta])* $variant,)* }

        impl $ty {
            /// Every member of the family.
            pub const ALL: &[$ty] = &[$($ty::$variant),*];
            /// The name in the text form.
            pub fn as_str(self) -> &'static str {
                match self { $($ty::$variant => $name,)* }
            }
            /// The member with this name.
            pub fn from_name(name: &str) -> Option<$ty> {
                match name { $($name => Some($ty::$variant),)* _ => None }
            }
        }
    };
}

/// Makes a [`names!`](crate::names) family an op of its own, one op a name.
#[macro_export]
macro_rules! named_ops {
    ($ty:ident) => {
        impl $crate::attr::Attributes for $ty {
            fn name(&self) -> &str {
                self.as_str()
            }
            fn print_attributes(&self, _: &mut $crate::text::Printer) {}
            fn programs(&self) -> Vec<&std::sync::Arc<$crate::Program>> {
                Vec::new()
            }
            fn map_programs(&self, _: $crate::attr::ProgramMap<'_>) -> $crate::Op {
                (*self).into()
            }
            fn to_op(&self) -> $crate::Op {
                (*self).into()
            }
        }
        impl $crate::attr::Read for $ty {
            fn names() -> Vec<&'static str> {
                $ty::ALL.iter().map(|x| x.as_str()).collect()
            }
            fn read(name: &str, _: &mut $crate::text::Parser<'_>) -> $crate::Result<Option<Self>> {
                Ok($ty::from_name(name))
            }
        }
    };
}

/// Makes a [`names!`](crate::names) family an attribute.
#[macro_export]
macro_rules! named_attr {
    ($ty:ident) => {
        impl $crate::attr::Attr for $ty {
            fn print(&self, p: &mut $crate::text::Printer) {
                p.word(self.as_str());
            }
            fn parse(p: &mut $crate::text::Parser<'_>) -> $crate::Result<Self> {
                let at = p.position();
                let word = p.ident()?;
                $ty::from_name(word).ok_or_else(|| {
                    p.error_at(
                        at,
                        format!(
                            "`{word}` is not one of {}",
                            $ty::ALL.iter().map(|x| x.as_str()).collect::<Vec<_>>().join(", ")
                        ),
                    )
                })
            }
        }
    };
}

impl Attr for usize {
    fn print(&self, p: &mut Printer) {
        p.word(&self.to_string());
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.number()
    }
}

impl Attr for i64 {
    fn print(&self, p: &mut Printer) {
        p.word(&self.to_string());
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.number()
    }
}

impl Attr for bool {
    fn print(&self, p: &mut Printer) {
        p.word(if *self { "true" } else { "false" });
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.bool()
    }
}

impl Attr for DType {
    fn print(&self, p: &mut Printer) {
        p.word(self.name());
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.dtype()
    }
}

impl Attr for Type {
    fn print(&self, p: &mut Printer) {
        p.word(&self.to_string());
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.ty()
    }
}

/// Names of axes and functions.
impl Attr for Arc<str> {
    fn print(&self, p: &mut Printer) {
        p.quoted(self);
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        Ok(p.string()?.into())
    }
}

impl<T: Attr> Attr for Vec<T> {
    fn print(&self, p: &mut Printer) {
        p.list(self.iter());
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.list()
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        self.iter().for_each(|x| x.programs(out));
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        self.iter().map(|x| x.map_programs(f)).collect()
    }
}

impl Attr for Dims {
    fn print(&self, p: &mut Printer) {
        p.list(self.iter());
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        Ok(p.list::<usize>()?.into())
    }
}

impl Attr for Shape {
    fn print(&self, p: &mut Printer) {
        self.0.print(p);
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        Ok(Shape(Dims::parse(p)?))
    }
}

impl<A: Attr, B: Attr> Attr for (A, B) {
    fn print(&self, p: &mut Printer) {
        p.word("(");
        self.0.print(p);
        p.word(", ");
        self.1.print(p);
        p.word(")");
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.expect("(")?;
        let a = A::parse(p)?;
        p.expect(",")?;
        let b = B::parse(p)?;
        p.expect(")")?;
        Ok((a, b))
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        self.0.programs(out);
        self.1.programs(out);
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        (self.0.map_programs(f), self.1.map_programs(f))
    }
}

impl<T: Attr> Attr for Option<T> {
    fn print(&self, p: &mut Printer) {
        match self {
            None => p.word("none"),
            Some(x) => x.print(p),
        }
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        if p.accept("none") { Ok(None) } else { Ok(Some(T::parse(p)?)) }
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        if let Some(x) = self {
            x.programs(out);
        }
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        self.as_ref().map(|x| x.map_programs(f))
    }
}

impl Attr for Arc<Program> {
    fn print(&self, p: &mut Printer) {
        p.program(self);
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        Ok(Arc::new(p.program()?))
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        out.push(self);
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        f(self)
    }
}

impl Attr for Tensor {
    fn print(&self, p: &mut Printer) {
        p.tensor(self);
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        p.tensor()
    }
}

impl Attr for Scalar {
    fn print(&self, p: &mut Printer) {
        p.tensor(&Tensor::splat(Shape::scalar(), *self));
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        let at = p.position();
        let value = p.tensor()?;
        match value.shape().rank() {
            0 => Ok(value.get(0)),
            _ => Err(p.error_at(at, format!("expected a single value, found one of type {}", value.ty()))),
        }
    }
}
