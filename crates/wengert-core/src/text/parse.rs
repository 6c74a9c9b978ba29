//! Reading programs from text.

use super::RESERVED;
use crate::attr::Attr;
use crate::builder::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::host::Tensor;
use crate::op::Op;
use crate::ops::Constant;
use crate::place::Place;
use crate::program::{Program, Var, Vars};
use crate::types::{DType, Dims, Shape, Type};
use rustc_hash::FxHashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::Arc;

/// Programs nested deeper than this are refused instead of overflowing the stack, here or in what is done with them.
/// It is as deep as what comes from StableHLO, 256 and a few that ops are made of, so that this can be written and read.
const DEEPEST: usize = 272;
/// How much of a line an error shows.
const SHOWN: usize = 100;

/// Calls code of the user's about an op of this name. Where it panics, what was read does not fit it.
pub(crate) fn of_user<T>(name: &str, f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
        let m = format!("the rules of `{name}` panic on what it is given or holds here: {}", why.unwrap_or_default());
        Err(Error::malformed(m))
    })
}

/// Reads programs, equations and attributes.
#[derive(Debug)]
pub struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    first_attribute: bool,
    file: Option<TextFile>,
}

/// The file that a text is from, and a position in it with the line that it is on.
#[derive(Debug)]
struct TextFile {
    name: Arc<str>,
    at: usize,
    line: u32,
}

/// The names of one program's variables, as written.
struct ProgramScope<'a> {
    builder: Builder,
    vars: FxHashMap<&'a str, Var>,
}

/// A variable where it is defined.
struct Definition<'a> {
    at: usize,
    /// As written, its number included.
    key: &'a str,
    name: &'a str,
    ty: Type,
}

pub(super) fn starts_word(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

pub(super) fn word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

/// An error in a text: it names line and column of a position, and shows the line.
pub fn error_at(kind: ErrorKind, text: &str, at: usize, message: impl Into<String>) -> Error {
    // Positions count bytes, and one may be inside a character.
    let at = (0..=at.min(text.len())).rev().find(|&i| text.is_char_boundary(i)).unwrap_or(0);
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    let column = before[start..].chars().count();
    let shown = text[start..].lines().next().unwrap_or("");
    let e = Error::new(kind, format!("line {line}, column {}: {}", column + 1, message.into())).at_offset(at);
    if shown.trim().is_empty() {
        return e;
    }
    // Of a long line, the part around the column, with … where something is left out.
    let first = column.saturating_sub(SHOWN / 2);
    let mut rest = shown.chars().skip(first).map(|c| if c.is_control() { ' ' } else { c });
    let part: String = rest.by_ref().take(SHOWN).collect();
    let [before, after] = [first > 0, rest.next().is_some()].map(|cut| if cut { "…" } else { "" });
    let space = " ".repeat(before.chars().count() + column - first);
    e.note(format!("| {before}{part}{after}")).note(format!("| {space}^"))
}

impl<'a> Parser<'a> {
    /// A parser at the start of this text.
    pub fn new(text: &'a str) -> Parser<'a> {
        Parser { text, at: 0, depth: 0, first_attribute: true, file: None }
    }

    /// Equations without a place of their own have the one where they stand in this file.
    pub(super) fn in_file(self, name: &str) -> Parser<'a> {
        Parser { file: Some(TextFile { name: name.into(), at: 0, line: 1 }), ..self }
    }

    /// A position, which is not before the last that was asked for, as a place in the file.
    fn place_in_file(&mut self, at: usize) -> Place {
        let Some(file) = &mut self.file else { return Place::unknown() };
        file.line += self.text[file.at..at].matches('\n').count() as u32;
        file.at = at;
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        Place::named(file.name.clone(), file.line, self.text[start..at].chars().count() as u32 + 1)
    }

    /// Where the parser is, past white space and comments.
    pub fn position(&mut self) -> usize {
        loop {
            let rest = &self.text[self.at..];
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with("//") {
                return self.at;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// An error that shows line and column of a position.
    pub fn error_at(&self, at: usize, message: impl Into<String>) -> Error {
        error_at(ErrorKind::Text, self.text, at, message)
    }

    fn found(&mut self) -> String {
        let at = self.position();
        let rest = &self.text[at..];
        match rest.chars().next() {
            None => "the end of the text".into(),
            Some(c) if word_char(c) => format!("`{}`", rest.split(|c| !word_char(c)).next().unwrap_or("")),
            Some(c) => format!("`{c}`"),
        }
    }

    fn error(&mut self, expected: &str) -> Error {
        let at = self.position();
        let found = self.found();
        self.error_at(at, format!("expected {expected}, found {found}"))
    }

    fn peek(&mut self) -> Option<char> {
        let at = self.position();
        self.text[at..].chars().next()
    }

    /// Goes past this token if it is next. Words match whole.
    pub fn accept(&mut self, token: &str) -> bool {
        let at = self.position();
        let Some(rest) = self.text[at..].strip_prefix(token) else { return false };
        if token.ends_with(word_char) && rest.starts_with(|c| word_char(c) || c == '%') {
            return false;
        }
        self.at = at + token.len();
        true
    }

    /// Whether this token is next.
    pub fn next_is(&mut self, token: &str) -> bool {
        let at = self.position();
        let found = self.accept(token);
        self.at = at;
        found
    }

    /// Goes past this token, which must be next.
    pub fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.error(&format!("`{token}`"))) }
    }

    fn take(&mut self, f: impl Fn(char) -> bool) -> &'a str {
        let at = self.position();
        let rest = &self.text[at..];
        let end = rest.find(|c| !f(c)).unwrap_or(rest.len());
        self.at = at + end;
        &rest[..end]
    }

    /// A word, if one is next.
    fn word(&mut self) -> Option<&'a str> {
        self.peek().is_some_and(starts_word).then(|| self.take(word_char))
    }

    /// A word.
    pub fn ident(&mut self) -> Result<&'a str> {
        self.word().ok_or_else(|| self.error("a name"))
    }

    /// An integer.
    pub fn number<T: FromStr>(&mut self) -> Result<T> {
        let at = self.position();
        let word = self.take(|c| c == '-' || c.is_ascii_digit());
        word.parse().map_err(|_| {
            self.at = at;
            match word.bytes().any(|c| c.is_ascii_digit()) {
                true => self.error_at(at, "this integer is out of range"),
                false => self.error("an integer"),
            }
        })
    }

    /// `true` or `false`.
    pub fn bool(&mut self) -> Result<bool> {
        if self.accept("true") {
            return Ok(true);
        }
        if self.accept("false") { Ok(false) } else { Err(self.error("`true` or `false`")) }
    }

    /// A string between quotes, with Rust's escapes for `"`, `\` and white space.
    pub fn string(&mut self) -> Result<String> {
        self.expect("\"")?;
        let start = self.at;
        let mut out = String::new();
        let mut chars = self.text[start..].char_indices();
        while let Some((i, c)) = chars.next() {
            match c {
                '"' => {
                    self.at = start + i + 1;
                    return Ok(out);
                }
                '\\' => out.push(match chars.next() {
                    Some((_, 'n')) => '\n',
                    Some((_, 't')) => '\t',
                    Some((_, 'r')) => '\r',
                    Some((_, c @ ('"' | '\\' | '\''))) => c,
                    _ => return Err(self.error_at(start + i, "unknown escape in a string")),
                }),
                c => out.push(c),
            }
        }
        Err(self.error_at(start - 1, "this string has no end"))
    }

    /// The text of a number or bool.
    pub(super) fn literal_word(&mut self) -> Result<&'a str> {
        let mut previous = None;
        let at = self.position();
        let rest = &self.text[at..];
        let end = rest.find(|c| {
            let sign = (c == '-' || c == '+') && matches!(previous, None | Some('e'));
            previous = Some(c);
            !(sign || word_char(c))
        });
        match end.unwrap_or(rest.len()) {
            0 => Err(self.error("a number")),
            end => {
                self.at = at + end;
                Ok(&rest[..end])
            }
        }
    }

    /// An element type.
    pub fn dtype(&mut self) -> Result<DType> {
        let at = self.position();
        let name = self.ident()?;
        DType::from_name(name).ok_or_else(|| self.error_at(at, format!("`{name}` is not an element type")))
    }

    /// A type: `f32[3,4]`.
    pub fn ty(&mut self) -> Result<Type> {
        let at = self.position();
        let dtype = self.dtype()?;
        let ty = Type { dtype, shape: Shape(Dims::parse(self)?) };
        ty.check().map_err(|e| self.error_at(at, e.message()))?;
        Ok(ty)
    }

    /// Items between commas up to `close`; a comma after the last is fine too.
    pub(super) fn items<T>(&mut self, close: &str, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while !self.accept(close) {
            items.push(item(self)?);
            if !self.accept(",") && !self.next_is(close) {
                return Err(self.error(&format!("`,` or `{close}`")));
            }
        }
        Ok(items)
    }

    /// `[a, b]`.
    pub fn list<T: Attr>(&mut self) -> Result<Vec<T>> {
        self.expect("[")?;
        self.items("]", T::parse)
    }

    /// Opens the list of attributes.
    pub fn begin_attributes(&mut self) -> Result<()> {
        self.first_attribute = true;
        Ok(())
    }

    /// One attribute, in its order.
    pub fn attribute<T: Attr>(&mut self, name: &str) -> Result<T> {
        self.expect(if self.first_attribute { "[" } else { "," })?;
        self.expect(name)?;
        self.expect("=")?;
        let value = T::parse(self)?;
        self.first_attribute = false;
        Ok(value)
    }

    /// Whether the next attribute, if there is one, has this name.
    pub fn next_attribute_is(&mut self, name: &str) -> bool {
        let at = self.position();
        let found = self.accept(if self.first_attribute { "[" } else { "," }) && self.accept(name) && self.accept("=");
        self.at = at;
        found
    }

    /// Closes the list of attributes.
    pub fn end_attributes(&mut self) -> Result<()> {
        if self.first_attribute { Ok(()) } else { self.expect("]") }
    }

    /// A variable as written, its number included, and its name alone.
    fn var(&mut self) -> Result<(&'a str, &'a str)> {
        let at = self.position();
        let name = self.word().unwrap_or("");
        if self.text[self.at..].starts_with('%') {
            self.at += 1;
            if !self.text[self.at..].starts_with(|c: char| c.is_ascii_digit()) {
                return Err(self.error("the number of a variable"));
            }
            self.take(|c| c.is_ascii_digit());
        } else if name.is_empty() || RESERVED.contains(&name) {
            self.at = at;
            return Err(self.error("a variable"));
        }
        Ok((&self.text[at..self.at], name))
    }

    fn typed_var(&mut self) -> Result<Definition<'a>> {
        let at = self.position();
        let (key, name) = self.var()?;
        self.expect(":")?;
        Ok(Definition { at, key, name, ty: self.ty()? })
    }

    /// A variable that is used.
    fn used(&mut self, scope: &ProgramScope<'a>) -> Result<Var> {
        let at = self.position();
        let (key, _) = self.var()?;
        let v = scope.vars.get(key).copied();
        v.ok_or_else(|| self.error_at(at, format!("`{key}` is not defined before this use")))
    }

    /// Whether a number, bool or array of them is next.
    fn literal_is_next(&mut self) -> bool {
        self.peek().is_some_and(|c| c.is_ascii_digit() || c == '-' || c == '(')
            || ["true", "false", "inf", "NaN", "dense"].iter().any(|w| self.next_is(w))
    }

    fn operand(&mut self, scope: &mut ProgramScope<'a>) -> Result<Var> {
        if self.literal_is_next() {
            let value = self.tensor()?;
            return Ok(scope.builder.constant(value));
        }
        self.used(scope)
    }

    fn define(&self, scope: &mut ProgramScope<'a>, d: &Definition<'a>, v: Var) -> Result<()> {
        if !d.name.is_empty() {
            scope.builder.set_name(v, d.name);
        }
        match scope.vars.insert(d.key, v) {
            None => Ok(()),
            Some(_) => Err(self.error_at(d.at, format!("`{}` is defined twice", d.key))),
        }
    }

    /// The place after `@`, to the end of the line; `otherwise` if there is none.
    fn place(&mut self, otherwise: Place) -> Result<Place> {
        if !self.accept("@") {
            return Ok(otherwise);
        }
        let line = self.text[self.at..].lines().next().unwrap_or("");
        let at = self.at;
        self.at += line.len();
        let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
        let mut parts = line.rsplitn(3, ':');
        let column = parts.next().and_then(|s| s.parse().ok());
        let row = parts.next().and_then(|s| s.parse().ok());
        match (parts.next(), row, column) {
            (Some(file), Some(row), Some(column)) => Ok(Place::named(file, row, column)),
            _ => Err(self.error_at(at, "expected a place: file:line:column")),
        }
    }

    /// `op[attributes](operands)`, or a constant as it is.
    fn right_side(&mut self, scope: &mut ProgramScope<'a>) -> Result<(Box<Op>, Vars)> {
        if self.literal_is_next() {
            return Ok((self.constant()?, Vars::new()));
        }
        let op = self.op()?;
        self.expect("(")?;
        let x = self.items(")", |p| p.operand(scope))?;
        Ok((op, x.into()))
    }

    fn constant(&mut self) -> Result<Box<Op>> {
        Ok(Box::new(Constant { value: self.tensor()? }.into()))
    }

    /// `op[attributes]`.
    fn op(&mut self) -> Result<Box<Op>> {
        let at = self.position();
        let name = self.ident()?;
        Op::read(name, self)?.ok_or_else(|| self.error_at(at, format!("there is no op `{name}`")))
    }

    /// The variables that an equation defines.
    fn left_side(&mut self) -> Result<Vec<Definition<'a>>> {
        let start = self.position();
        // `op(…)` has no outputs; anything else begins with typed variables.
        let is_op = self.word().is_some() && matches!(self.peek(), Some('(' | '['));
        self.at = start;
        if is_op { Ok(Vec::new()) } else { self.items("=", Self::typed_var) }
    }

    fn equation(&mut self, scope: &mut ProgramScope<'a>) -> Result<()> {
        let start = self.position();
        let here = self.place_in_file(start);
        let outputs = self.left_side()?;
        let at = self.position();
        let first = scope.builder.equations.len();
        let (op, x) = self.right_side(scope)?;
        // The place stands at the end, and the constants written as operands have it too.
        let place = self.place(here)?;
        let y = self.push(scope, at, op, &x)?;
        for e in &mut scope.builder.equations[first..] {
            e.place = place.clone();
        }
        self.results(scope, start, &y, &outputs)
    }

    /// Adds an equation whose right side is at `at`.
    fn push(&self, scope: &mut ProgramScope<'a>, at: usize, op: Box<Op>, x: &[Var]) -> Result<Vars> {
        if !matches!(*op, Op::Custom(_)) {
            return scope.builder.try_push(*op, x).map_err(|e| self.error_at(at, e.message()));
        }
        // Code of the user's types it, which may hold programs that do not fit.
        let name = op.name().to_string();
        let typed = of_user(&name, || scope.builder.try_push(*op, x));
        typed.map_err(|e| self.error_at(at, e.message()))
    }

    /// Gives the results of the last equation, which begins at `start`, their variables.
    fn results(&self, scope: &mut ProgramScope<'a>, start: usize, y: &[Var], outputs: &[Definition<'a>]) -> Result<()> {
        if y.len() != outputs.len() {
            let name = scope.builder.equations.last().map_or("", |e| e.op.name());
            let m = format!("`{name}` has {} results, and {} variables stand for them", y.len(), outputs.len());
            return Err(self.error_at(start, m));
        }
        for (&v, d) in y.iter().zip(outputs) {
            let inferred = scope.builder.ty(v);
            if *inferred != d.ty {
                let m = format!("`{}` is declared {}, and the op gives {inferred}", d.key, d.ty);
                return Err(self.error_at(d.at, m));
            }
            self.define(scope, d, v)?;
        }
        Ok(())
    }

    /// A program.
    pub fn program(&mut self) -> Result<Program> {
        let at = self.position();
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.error_at(at, format!("programs are nested more than {DEEPEST} deep")));
        }
        self.expect("program")?;
        let name = self.word().unwrap_or("");
        self.expect("(")?;
        let mut scope = ProgramScope { builder: Builder::new(), vars: FxHashMap::default() };
        self.items(")", |p| {
            let d = p.typed_var()?;
            let v = scope.builder.input(d.ty.clone());
            p.define(&mut scope, &d, v)
        })?;
        self.expect("{")?;
        while !self.accept("return") {
            self.equation(&mut scope)?;
        }
        let outputs = self.items("}", |p| p.used(&scope))?;
        self.depth -= 1;
        Ok(scope.builder.finish_all(&outputs).with_name(name))
    }

    pub(super) fn whole(mut self) -> Result<Program> {
        let program = self.program()?;
        self.end("the program").map(|()| program)
    }

    pub(super) fn whole_op(mut self) -> Result<Op> {
        let op = self.op()?;
        self.end("the op").map(|()| *op)
    }

    pub(super) fn whole_tensor(mut self) -> Result<Tensor> {
        let value = self.tensor()?;
        self.end("the value").map(|()| value)
    }

    fn end(&mut self, what: &str) -> Result<()> {
        match self.position() {
            at if at < self.text.len() => Err(self.error_at(at, format!("expected nothing after {what}"))),
            _ => Ok(()),
        }
    }
}
