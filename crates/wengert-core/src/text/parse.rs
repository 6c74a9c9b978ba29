//! Reading programs from text.

use super::RESERVED;
use crate::attr::Attr;
use crate::builder::Builder;
use crate::error::{Error, ErrorKind, Result};
use crate::op::Op;
use crate::place::Place;
use crate::program::{Program, Var};
use crate::types::{DType, Dims, Shape, Type};
use rustc_hash::FxHashMap;
use std::str::FromStr;

/// Programs nested deeper than this are refused instead of overflowing the stack.
const DEEPEST: usize = 64;

/// Reads programs, equations and attributes.
#[derive(Debug)]
pub struct Parser<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    first_attribute: bool,
}

/// The names of one program's variables.
struct Scope {
    builder: Builder,
    vars: FxHashMap<String, Var>,
}

fn word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.'
}

impl<'a> Parser<'a> {
    /// A parser at the start of this text.
    pub fn new(text: &'a str) -> Parser<'a> {
        Parser { text, at: 0, depth: 0, first_attribute: true }
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
        let before = &self.text[..at];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let column = before[start..].chars().count() + 1;
        let shown = self.text[start..].lines().next().unwrap_or("");
        let mut e = Error::new(ErrorKind::Text, format!("line {line}, column {column}: {}", message.into()));
        if !shown.trim().is_empty() && shown.len() < 400 {
            e = e.note(format!("| {shown}")).note(format!("| {}^", " ".repeat(column - 1)));
        }
        e
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

    /// A word.
    pub fn ident(&mut self) -> Result<String> {
        if !self.peek().is_some_and(|c| c.is_alphabetic() || c == '_') {
            return Err(self.error("a name"));
        }
        Ok(self.take(word_char).to_string())
    }

    /// An integer.
    pub fn number<T: FromStr>(&mut self) -> Result<T> {
        let at = self.position();
        let word = self.take(|c| c == '-' || c.is_ascii_digit());
        word.parse().map_err(|_| {
            self.at = at;
            self.error("an integer")
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
    pub(super) fn literal_word(&mut self) -> Result<String> {
        let at = self.position();
        let mut previous = ' ';
        let rest = &self.text[at..];
        let end = rest
            .find(|c| {
                let sign = (c == '-' || c == '+') && (previous == ' ' || previous == 'e');
                previous = c;
                !(sign || word_char(c))
            })
            .unwrap_or(rest.len());
        if end == 0 {
            return Err(self.error("a number"));
        }
        self.at = at + end;
        Ok(rest[..end].to_string())
    }

    /// An element type.
    pub fn dtype(&mut self) -> Result<DType> {
        let at = self.position();
        let name = self.ident()?;
        DType::from_name(&name).ok_or_else(|| self.error_at(at, format!("`{name}` is not an element type")))
    }

    /// A type: `f32[3,4]`.
    pub fn ty(&mut self) -> Result<Type> {
        let at = self.position();
        let dtype = self.dtype()?;
        let ty = Type { dtype, shape: Shape(Dims::parse(self)?) };
        if ty.bytes().is_none() {
            return Err(self.error_at(at, format!("an array of type {ty} is too large to address")));
        }
        Ok(ty)
    }

    /// `[a, b]`.
    pub fn list<T: Attr>(&mut self) -> Result<Vec<T>> {
        self.expect("[")?;
        let mut items = Vec::new();
        while !self.accept("]") {
            if !items.is_empty() {
                self.expect(",")?;
            }
            items.push(T::parse(self)?);
        }
        Ok(items)
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

    /// Closes the list of attributes.
    pub fn end_attributes(&mut self) -> Result<()> {
        if self.first_attribute { Ok(()) } else { self.expect("]") }
    }

    /// A variable as written: its key in the scope, and its name if it has one.
    fn var(&mut self) -> Result<(String, Option<String>)> {
        let name = match self.peek() {
            Some('%') => None,
            _ => Some(self.ident()?),
        };
        let mut key = name.clone().unwrap_or_default();
        if self.text[self.at..].starts_with('%') {
            self.at += 1;
            key.push('%');
            key.push_str(&self.number::<u32>()?.to_string());
        } else if RESERVED.contains(&key.as_str()) {
            return Err(self.error("a variable"));
        }
        Ok((key, name))
    }

    fn typed_var(&mut self) -> Result<(usize, String, Option<String>, Type)> {
        let at = self.position();
        let (key, name) = self.var()?;
        self.expect(":")?;
        Ok((at, key, name, self.ty()?))
    }

    fn operand(&mut self, scope: &mut Scope) -> Result<Var> {
        let at = self.position();
        let literal = match self.peek() {
            Some(c) => c.is_ascii_digit() || c == '-' || c == '(',
            None => false,
        } || ["true", "false", "inf", "NaN"].iter().any(|w| self.next_is(w));
        if literal {
            let value = self.tensor()?;
            return Ok(scope.builder.constant(value));
        }
        let (key, _) = self.var()?;
        scope
            .vars
            .get(&key)
            .copied()
            .ok_or_else(|| self.error_at(at, format!("`{key}` is not defined before this use")))
    }

    fn define(&self, scope: &mut Scope, at: usize, key: String, name: Option<String>, v: Var) -> Result<()> {
        if let Some(n) = name {
            scope.builder.set_name(v, n);
        }
        match scope.vars.insert(key.clone(), v) {
            None => Ok(()),
            Some(_) => Err(self.error_at(at, format!("`{key}` is defined twice"))),
        }
    }

    /// The place after `@`, to the end of the line.
    fn place(&mut self) -> Result<Place> {
        if !self.accept("@") {
            return Ok(Place::unknown());
        }
        let at = self.position();
        let line = self.text[at..].lines().next().unwrap_or("").trim_end();
        let mut parts = line.rsplitn(3, ':');
        let column = parts.next().and_then(|s| s.parse().ok());
        let row = parts.next().and_then(|s| s.parse().ok());
        match (parts.next(), row, column) {
            (Some(file), Some(row), Some(column)) => {
                self.at = at + line.len();
                Ok(Place::named(file, row, column))
            }
            _ => Err(self.error_at(at, "expected a place: file:line:column")),
        }
    }

    fn equation(&mut self, scope: &mut Scope) -> Result<()> {
        let start = self.position();
        let mut outputs = Vec::new();
        // `op(…)` has no outputs; anything else begins with typed variables.
        let head = self.at;
        let is_op = self.ident().is_ok() && matches!(self.peek(), Some('(' | '['));
        self.at = head;
        if !is_op {
            loop {
                outputs.push(self.typed_var()?);
                if !self.accept(",") {
                    break;
                }
            }
            self.expect("=")?;
        }
        let op_at = self.position();
        let name = self.ident()?;
        let op = Op::read(&name, self)?.ok_or_else(|| self.error_at(op_at, format!("there is no op `{name}`")))?;
        self.expect("(")?;
        // The place stands at the end, and the constants written inside the operands have it too.
        let first = scope.builder.equations.len();
        let mut x = Vec::new();
        while !self.accept(")") {
            if !x.is_empty() {
                self.expect(",")?;
            }
            x.push(self.operand(scope)?);
        }
        let place = self.place()?;
        let y = scope.builder.try_push(op, &x).map_err(|e| self.error_at(op_at, e.message().to_string()))?;
        for e in &mut scope.builder.equations[first..] {
            e.place = place.clone();
        }
        if y.len() != outputs.len() {
            let m = format!("`{name}` has {} results, and {} variables stand for them", y.len(), outputs.len());
            return Err(self.error_at(start, m));
        }
        for (v, (at, key, name, ty)) in y.iter().zip(outputs) {
            let inferred = scope.builder.ty(*v);
            if *inferred != ty {
                return Err(self.error_at(at, format!("`{key}` is declared {ty}, and the op gives {inferred}")));
            }
            self.define(scope, at, key, name, *v)?;
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
        let name = if self.peek() == Some('(') { String::new() } else { self.ident()? };
        self.expect("(")?;
        let mut scope = Scope { builder: Builder::new(), vars: FxHashMap::default() };
        let mut first = true;
        while !self.accept(")") {
            if !first {
                self.expect(",")?;
            }
            first = false;
            let (at, key, name, ty) = self.typed_var()?;
            let v = scope.builder.input(ty);
            self.define(&mut scope, at, key, name, v)?;
        }
        self.expect("{")?;
        while !self.accept("return") {
            self.equation(&mut scope)?;
        }
        let mut outputs = Vec::new();
        while !self.accept("}") {
            if !outputs.is_empty() {
                self.expect(",")?;
            }
            let at = self.position();
            let (key, _) = self.var()?;
            let v = scope.vars.get(&key).copied();
            outputs.push(v.ok_or_else(|| self.error_at(at, format!("`{key}` is not defined")))?);
        }
        self.depth -= 1;
        Ok(scope.builder.finish_all(&outputs).with_name(name))
    }

    pub(super) fn whole(mut self) -> Result<Program> {
        let program = self.program()?;
        let at = self.position();
        if at < self.text.len() {
            return Err(self.error_at(at, "expected nothing after the program"));
        }
        Ok(program)
    }
}
