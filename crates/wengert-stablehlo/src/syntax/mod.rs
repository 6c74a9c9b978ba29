//! MLIR text as a tree of operations. Both ways to write one, the quoted form that all have and the short one of
//! its own, give the same tree: names of operands and attributes are those of the quoted form.

mod attr;
mod cursor;
mod literal;
mod location;
mod operation;
mod pretty;
mod tokens;
mod types;

pub use attr::{Attr, Dense, Named};
pub(crate) use cursor::DEEPEST;
pub use location::Loc;
pub use operation::{Argument, Operation, Region, Results, Use};
pub use types::{Signature, Ty};

use cursor::Cursor;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use wengert_core::text::error_at;
use wengert_core::{Error, ErrorKind, Result, Tensor};

/// A module: its operations, and what they refer to by name.
#[derive(Debug)]
pub struct Module<'a> {
    text: &'a str,
    /// The operations at the top: functions, or one that holds them.
    pub operations: Vec<Operation<'a>>,
    attributes: FxHashMap<&'a str, Attr<'a>>,
    locations: FxHashMap<&'a str, Loc<'a>>,
    /// Resources by name: their bytes in hexadecimal, and where these stand.
    resources: FxHashMap<Cow<'a, str>, (Cow<'a, str>, usize)>,
}

impl<'a> Module<'a> {
    /// Reads a module.
    pub fn parse(text: &'a str) -> Result<Module<'a>> {
        let mut module = Module {
            text,
            operations: Vec::new(),
            attributes: FxHashMap::default(),
            locations: FxHashMap::default(),
            resources: FxHashMap::default(),
        };
        let mut p = Cursor::new(text);
        while let Some(c) = p.peek() {
            match c {
                b'#' => {
                    let name = p.suffix("#", "the name of an attribute")?;
                    p.expect("=")?;
                    if p.next_is("loc") {
                        module.locations.insert(name, p.location()?);
                    } else {
                        module.attributes.insert(name, p.attr(true)?);
                    }
                }
                b'!' => {
                    let at = p.position();
                    return Err(p.unsupported_at(at, "a short name for a type is not supported"));
                }
                b'{' => module.resource_section(&mut p)?,
                _ => module.operations.push(p.operation()?),
            }
        }
        tokens::take_out(&mut module.operations);
        Ok(module)
    }

    /// `{-# dialect_resources: { builtin: { name: "0x…" } } #-}`.
    fn resource_section(&mut self, p: &mut Cursor<'a>) -> Result<()> {
        p.expect("{-#")?;
        while !p.accept("#-}") {
            p.name("a section")?;
            p.expect(":")?;
            p.expect("{")?;
            p.items("}", |p| {
                p.name("the name of a dialect")?;
                p.expect(":")?;
                p.expect("{")?;
                p.items("}", |p| {
                    let name = if p.next_is("\"") { p.string()? } else { p.name("the name of a resource")?.into() };
                    p.expect(":")?;
                    let at = p.position();
                    if p.next_is("\"") {
                        self.resources.insert(name, (p.string()?, at));
                    } else {
                        p.attr(true)?;
                    }
                    Ok(())
                })
            })?;
            p.accept(",");
        }
        Ok(())
    }

    /// The text itself.
    pub fn text(&self) -> &'a str {
        self.text
    }

    /// An error at a position of the text.
    pub fn error_at(&self, kind: ErrorKind, at: usize, message: impl Into<String>) -> Error {
        error_at(kind, self.text, at, message)
    }

    /// The attribute, or the one its alias stands for.
    pub fn resolved<'m>(&'m self, mut attr: &'m Attr<'a>) -> &'m Attr<'a> {
        for _ in 0..DEEPEST {
            match attr {
                Attr::Alias(name) => match self.attributes.get(name) {
                    Some(a) => attr = a,
                    None => break,
                },
                _ => break,
            }
        }
        attr
    }

    /// The location a name stands for.
    pub fn location(&self, name: &str) -> Option<&Loc<'a>> {
        self.locations.get(name)
    }

    /// The elements of an array of numbers.
    pub fn tensor(&self, dense: &Dense<'a>) -> Result<Tensor> {
        let ty = dense.ty.array(self.text)?;
        let wrong = |(offset, message): (usize, String)| self.error_at(ErrorKind::Text, dense.at + offset, message);
        if !dense.resource {
            return literal::tensor(dense.body, ty).map_err(wrong);
        }
        let name = dense.body.trim_matches('"');
        let Some((hex, at)) = self.resources.get(name) else {
            return Err(wrong((0, format!("there is no resource `{name}`"))));
        };
        literal::resource(hex, ty).map_err(|message| self.error_at(ErrorKind::Text, *at, message))
    }
}
