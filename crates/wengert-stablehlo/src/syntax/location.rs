//! Locations: `loc("name"("file":1:2))`, `loc(#loc3)`, `loc(callsite(… at …))`, `loc(fused[…])`.

use super::cursor::Cursor;
use std::borrow::Cow;
use wengert_core::Result;

/// Where something comes from, as written.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)]
pub enum Loc<'a> {
    #[default]
    Unknown,
    /// `#name`, defined elsewhere in the module.
    Alias(&'a str),
    File(Cow<'a, str>, u32, u32),
    Named(Cow<'a, str>, Option<Box<Loc<'a>>>),
    /// The place itself, and the call that led there.
    CallSite(Box<(Loc<'a>, Loc<'a>)>),
    Fused(Vec<Loc<'a>>),
}

impl<'a> Cursor<'a> {
    /// `loc(…)`, if it is next.
    pub fn optional_location(&mut self) -> Result<Loc<'a>> {
        if self.next_is("loc") { self.location() } else { Ok(Loc::Unknown) }
    }

    /// `loc(…)`.
    pub fn location(&mut self) -> Result<Loc<'a>> {
        self.expect("loc")?;
        self.expect("(")?;
        let loc = self.inner_location()?;
        self.expect(")")?;
        Ok(loc)
    }

    fn inner_location(&mut self) -> Result<Loc<'a>> {
        self.nested(|p| match p.peek() {
            Some(b'#') => Ok(Loc::Alias(p.suffix("#", "the name of a location")?)),
            Some(b'"') => p.quoted_location(),
            _ if p.accept("unknown") => Ok(Loc::Unknown),
            _ if p.accept("callsite") => {
                p.expect("(")?;
                let place = p.inner_location()?;
                p.expect("at")?;
                let call = p.inner_location()?;
                p.expect(")")?;
                Ok(Loc::CallSite(Box::new((place, call))))
            }
            _ if p.accept("fused") => {
                if p.accept("<") {
                    p.skip_balanced()?;
                }
                p.expect("[")?;
                Ok(Loc::Fused(p.items("]", Self::inner_location)?))
            }
            _ if p.next_is("loc") => p.location(),
            _ => Err(p.expected("a location")),
        })
    }

    /// `"file":line:column`, with or without `to line:column`; or `"name"`, with or without a location in parentheses.
    fn quoted_location(&mut self) -> Result<Loc<'a>> {
        let text = self.string()?;
        if self.accept("(") {
            let inner = self.inner_location()?;
            self.expect(")")?;
            return Ok(Loc::Named(text, Some(Box::new(inner))));
        }
        if !self.accept(":") {
            return Ok(Loc::Named(text, None));
        }
        let line = self.integer()?;
        self.expect(":")?;
        let column = self.integer()?;
        if self.accept("to") {
            if !self.next_is(":") {
                self.integer::<u32>()?;
            }
            self.expect(":")?;
            self.integer::<u32>()?;
        }
        Ok(Loc::File(text, line, column))
    }
}
