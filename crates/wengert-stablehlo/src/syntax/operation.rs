//! Operations and regions, in the quoted form that all operations have.

use super::attr::{Attr, Named};
use super::cursor::Cursor;
use super::location::Loc;
use super::types::{Signature, Ty};
use std::borrow::Cow;
use wengert_core::{Error, Result};

/// A value where it is used: `%name`, or `%name#2` of several results.
#[derive(Clone, Copy, Debug)]
pub struct Use<'a> {
    /// Where it stands.
    pub at: usize,
    /// Its name.
    pub name: &'a str,
    /// Which of the results that share the name.
    pub index: usize,
}

/// Results with one name, as many as `count`.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Results<'a> {
    pub at: usize,
    pub name: &'a str,
    pub count: usize,
}

/// What a region takes.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Argument<'a> {
    pub at: usize,
    pub name: &'a str,
    pub ty: Ty<'a>,
    pub attributes: Vec<Named<'a>>,
    pub loc: Loc<'a>,
}

/// Operations inside another.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub struct Region<'a> {
    pub arguments: Vec<Argument<'a>>,
    pub operations: Vec<Operation<'a>>,
}

/// An operation.
#[derive(Clone, Debug, Default)]
pub struct Operation<'a> {
    /// Where it begins.
    pub at: usize,
    /// Its full name, such as `stablehlo.add`.
    pub name: &'a str,
    /// The names of its results.
    pub results: Vec<Results<'a>>,
    /// What it takes.
    pub operands: Vec<Use<'a>>,
    /// Its attributes.
    pub attributes: Vec<Named<'a>>,
    /// The regions it holds.
    pub regions: Vec<Region<'a>>,
    /// The types it was written with.
    pub signature: Signature<'a>,
    /// Where it comes from.
    pub loc: Loc<'a>,
}

impl<'a> Operation<'a> {
    /// The attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<&Attr<'a>> {
        self.attributes.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }

    /// How many results it is written with.
    pub fn result_count(&self) -> usize {
        self.results.iter().fold(0, |n, r| n.saturating_add(r.count))
    }
}

/// Names that stand for a longer one inside functions and modules.
fn full_name(name: &str) -> &str {
    match name {
        "return" => "func.return",
        "call" => "func.call",
        "module" => "builtin.module",
        name => name,
    }
}

impl<'a> Cursor<'a> {
    /// An operation with its results and its location.
    pub fn operation(&mut self) -> Result<Operation<'a>> {
        let at = self.position();
        let mut results = Vec::new();
        if self.peek() == Some(b'%') {
            loop {
                let at = self.position();
                let name = self.suffix("%", "a result")?;
                let count = if self.accept(":") { self.integer()? } else { 1 };
                results.push(Results { at, name, count });
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        let mut op = Operation { at, results, ..Operation::default() };
        if self.peek() == Some(b'"') {
            op.at = self.position();
            self.quoted(&mut op)?;
        } else {
            op.at = self.position();
            op.name = full_name(self.name("an operation")?);
            if op.name.ends_with('.') {
                return Err(self.expected("the name of an operation"));
            }
            self.pretty(&mut op).map_err(|e| match crate::import::is_known(op.name) || !op.name.contains('.') {
                true => e,
                // Its short form may be anything.
                false => self.not_supported(op.at, op.name),
            })?;
        }
        if let Loc::Unknown = op.loc {
            op.loc = self.optional_location()?;
        }
        Ok(op)
    }

    /// `"name"(operands) <{attributes}> ({regions}) {attributes} : types`.
    fn quoted(&mut self, op: &mut Operation<'a>) -> Result<()> {
        op.name = match self.string()? {
            Cow::Borrowed("") => return Err(self.error_at(op.at, "expected the name of an operation")),
            Cow::Borrowed(name) => full_name(name),
            Cow::Owned(name) => return Err(self.not_supported(op.at, &name)),
        };
        self.expect("(")?;
        op.operands = self.items(")", Self::operand)?;
        if self.accept("[") {
            let at = self.at;
            return Err(self.unsupported_at(at, "jumps between blocks are not supported"));
        }
        if self.accept("<") {
            op.attributes.extend(self.dict()?);
            self.expect(">")?;
        }
        if self.accept("(") {
            op.regions = self.items(")", |p| p.region(Vec::new()))?;
        }
        if self.peek() == Some(b'{') {
            op.attributes.extend(self.dict()?);
        }
        self.expect(":")?;
        op.signature = self.signature()?;
        match op.signature {
            Signature::Function(..) => Ok(()),
            _ => Err(self.expected("`->`")),
        }
    }

    /// The error for an operation that is not read.
    pub fn not_supported(&self, at: usize, name: &str) -> Error {
        self.unsupported_at(at, format!("the operation `{name}` is not supported"))
    }

    /// A value that is used.
    pub fn operand(&mut self) -> Result<Use<'a>> {
        let at = self.position();
        let name = self.suffix("%", "an operand")?;
        let index = match self.text[self.at..].starts_with('#') {
            true => {
                self.at += 1;
                self.integer()?
            }
            false => 0,
        };
        Ok(Use { at, name, index })
    }

    /// `%name: type {attributes} loc(…)`.
    pub fn argument(&mut self) -> Result<Argument<'a>> {
        let at = self.position();
        let name = self.suffix("%", "an argument")?;
        self.expect(":")?;
        let ty = self.ty()?;
        let attributes = if self.peek() == Some(b'{') { self.dict()? } else { Vec::new() };
        Ok(Argument { at, name, ty, attributes, loc: self.optional_location()? })
    }

    /// `{ ^bb0(arguments): operations }`; `arguments` are those that stand before the brace.
    pub fn region(&mut self, arguments: Vec<Argument<'a>>) -> Result<Region<'a>> {
        self.expect("{")?;
        self.nested(|p| {
            let mut region = Region { arguments, operations: Vec::new() };
            if p.peek() == Some(b'^') {
                p.suffix("^", "the name of a block")?;
                if p.accept("(") {
                    region.arguments = p.items(")", Self::argument)?;
                }
                p.expect(":")?;
            }
            while !p.accept("}") {
                if p.peek() == Some(b'^') {
                    let at = p.position();
                    return Err(p.unsupported_at(at, "more than one block in a region is not supported"));
                }
                region.operations.push(p.operation()?);
            }
            Ok(region)
        })
    }
}
