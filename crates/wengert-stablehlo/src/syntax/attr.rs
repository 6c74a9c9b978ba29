//! Attributes: numbers, words, lists, dictionaries, arrays of numbers.

use super::cursor::{Cursor, parse_int};
use super::types::Ty;
use std::borrow::Cow;
use wengert_core::Result;

/// A value that is part of an operation.
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub enum Attr<'a> {
    /// A name without a value.
    Unit,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Cow<'a, str>),
    /// `@name`.
    Symbol(Cow<'a, str>),
    /// A word by itself, such as `LT`, also where it is written `#stablehlo<comparison_direction LT>`.
    Word(&'a str),
    List(Vec<Attr<'a>>),
    Dict(Vec<Named<'a>>),
    Dense(Dense<'a>),
    /// `#name`, defined elsewhere in the module.
    Alias(&'a str),
    /// Something of no meaning here.
    Opaque(&'a str),
}

/// An attribute with its name.
pub type Named<'a> = (Cow<'a, str>, Attr<'a>);

/// An array of numbers, its elements not read yet.
#[derive(Clone, Debug)]
pub struct Dense<'a> {
    /// What stands between the angle brackets; of a resource, its name.
    pub body: &'a str,
    /// Where that begins.
    pub at: usize,
    /// Whether the elements are in the module's section of resources.
    pub resource: bool,
    /// The type.
    pub ty: Ty<'a>,
}

impl<'a> Cursor<'a> {
    /// A value. `typed`: a number may be followed by `: type`, which says nothing here.
    pub fn attr(&mut self, typed: bool) -> Result<Attr<'a>> {
        let at = self.position();
        Ok(match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                self.type_after(typed)?;
                Attr::Text(text)
            }
            Some(b'@') => {
                let symbol = self.symbol()?;
                while self.accept("::") {
                    self.symbol()?;
                }
                Attr::Symbol(symbol)
            }
            Some(b'[') => {
                self.at += 1;
                Attr::List(self.nested(|p| p.items("]", |p| p.attr(true)))?)
            }
            Some(b'{') => Attr::Dict(self.dict()?),
            Some(b'#') => self.hash_attr()?,
            Some(b'(' | b'!') => {
                self.ty()?;
                Attr::Opaque(&self.text[at..self.at])
            }
            Some(b'-' | b'0'..=b'9') => {
                let text = self.number_text().ok_or_else(|| self.expected("a number"))?;
                self.type_after(typed)?;
                match (parse_int(text), text.parse()) {
                    (Some(n), _) => Attr::Int(n),
                    (None, Ok(x)) => Attr::Float(x),
                    _ => return Err(self.error_at(at, "this number is out of range")),
                }
            }
            _ => self.word_attr(typed)?,
        })
    }

    fn type_after(&mut self, typed: bool) -> Result<()> {
        if typed && self.accept(":") {
            self.ty()?;
        }
        Ok(())
    }

    fn word_attr(&mut self, typed: bool) -> Result<Attr<'a>> {
        let at = self.position();
        let word = self.name("a value")?;
        let open = self.text[self.at..].starts_with('<');
        Ok(match word {
            "true" => Attr::Bool(true),
            "false" => Attr::Bool(false),
            "unit" => Attr::Unit,
            "dense" | "dense_resource" if open => Attr::Dense(self.dense(word)?),
            "array" if open => {
                self.at += 1;
                self.name("an element type")?;
                match self.accept(":") {
                    true => Attr::List(self.items(">", |p| p.attr(false))?),
                    false => {
                        self.expect(">")?;
                        Attr::List(Vec::new())
                    }
                }
            }
            "loc" if self.next_is("(") => {
                self.at = at;
                self.location()?;
                Attr::Opaque(&self.text[at..self.at])
            }
            // A type, or an attribute of another dialect's own.
            _ if open => {
                self.at += 1;
                self.skip_balanced()?;
                Attr::Opaque(&self.text[at..self.at])
            }
            _ => {
                // `inf` and `nan` have types too.
                self.type_after(typed)?;
                Attr::Word(word)
            }
        })
    }

    /// `dense<…> : type`, the cursor after `dense`.
    pub fn dense(&mut self, word: &str) -> Result<Dense<'a>> {
        self.expect("<")?;
        let at = self.position();
        let body = self.skip_balanced()?;
        self.expect(":")?;
        Ok(Dense { body: body.trim_ascii(), at, resource: word == "dense_resource", ty: self.ty()? })
    }

    /// `{name = value, …}`.
    pub fn dict(&mut self) -> Result<Vec<Named<'a>>> {
        self.expect("{")?;
        self.nested(|p| p.items("}", Self::named_attr))
    }

    fn named_attr(&mut self) -> Result<Named<'a>> {
        let name = match self.peek() {
            Some(b'"') => self.string()?,
            _ => self.name("the name of an attribute")?.into(),
        };
        let value = if self.accept("=") { self.attr(true)? } else { Attr::Unit };
        Ok((name, value))
    }

    /// `#alias`, `#stablehlo<kind WORD>`, `#stablehlo.scatter<name = value, …>`, `#other.dialect<…>`.
    fn hash_attr(&mut self) -> Result<Attr<'a>> {
        self.at += 1;
        let at = self.at;
        let name = match self.take(|c| c.is_ascii_alphanumeric() || matches!(c, b'_' | b'$' | b'.' | b'-')) {
            "" => return Err(self.expected("the name of an attribute")),
            name => name,
        };
        if !self.text[self.at..].starts_with('<') {
            return Ok(Attr::Alias(name));
        }
        self.at += 1;
        self.nested(|p| match name {
            "stablehlo" | "chlo" => {
                p.name("the kind of an attribute")?;
                let value = p.attr(false)?;
                p.expect(">")?;
                Ok(value)
            }
            "stablehlo.conv" => {
                let dims = p.conv_dimensions()?;
                p.expect(">")?;
                Ok(dims)
            }
            "stablehlo.scatter" | "stablehlo.gather" | "stablehlo.dot" | "stablehlo.channel_handle" => {
                let item = |p: &mut Self| {
                    let name = p.name("the name of a field")?;
                    p.expect("=")?;
                    Ok((name.into(), p.attr(false)?))
                };
                Ok(Attr::Dict(p.items(">", item)?))
            }
            _ => {
                p.skip_balanced()?;
                Ok(Attr::Opaque(&p.text[at - 1..p.at]))
            }
        })
    }

    /// `[b, 0, f]x[o, 0, i]->[b, 0, f]`: three lists of words and numbers.
    pub fn conv_dimensions(&mut self) -> Result<Attr<'a>> {
        let mut lists = Vec::new();
        for between in ["x", "->", ""] {
            self.expect("[")?;
            lists.push(Attr::List(self.items("]", |p| p.attr(false))?));
            if !between.is_empty() {
                self.expect(between)?;
            }
        }
        Ok(Attr::List(lists))
    }
}
