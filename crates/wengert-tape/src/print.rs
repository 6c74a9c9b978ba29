//! A tape as text: one node a line.

use crate::node::{Argument, Node, NodeRef};
use crate::row::{CONDITION, Kind, READ, Ref};
use crate::tape::{Constant, Tape};
use std::fmt::{self, Write};
use wengert_core::{DType, Op, Tensor, Type};

/// The most characters of a value in a line.
const VALUE: usize = 60;

/// Elements of a value that are enough for those characters.
const FIRST: usize = VALUE;

/// The most bytes of a name, a text or an op in a line: many nodes may share a long one.
const NAME: usize = 400;

/// Lines nested deeper than this are not moved further to the right.
const DEEPEST_INDENT: usize = 60;

pub(crate) fn indent(depth: usize) -> String {
    "  ".repeat(depth.min(DEEPEST_INDENT))
}

impl Tape {
    /// The tree to this depth, one node a line.
    pub fn print_levels(&self, levels: usize) -> String {
        self.root().print_levels(levels)
    }
}

impl fmt::Display for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.print_levels(usize::MAX))
    }
}

impl Node<'_> {
    /// The node and what ran inside it to this depth, one node a line, indented.
    pub fn print_levels(self, levels: usize) -> String {
        let mut out = String::new();
        let mut stack = vec![(self, 0)];
        while let Some((n, depth)) = stack.pop() {
            let _ = writeln!(out, "{}{n}", indent(depth));
            if depth < levels && n.shares().is_none() {
                let at = stack.len();
                stack.extend(n.children().map(|c| (c, depth + 1)));
                stack[at..].reverse();
            }
        }
        out
    }

    /// What it did, without its number and place: `y = mul(@2, ⟨2⟩) = [2, 4] : f32[2]`.
    pub fn line(self) -> String {
        self.tape.looked_at();
        let mut out = String::new();
        if let Some(name) = self.name() {
            let _ = write!(out, "{} = ", clip(name));
        }
        let args = || self.arguments().map(|a| a.to_string()).collect::<Vec<_>>().join(", ");
        match self.kind() {
            Kind::Argument if self.arguments().len() == 0 => out.push_str("argument"),
            Kind::Argument if self.arguments().len() > 1 => {
                let _ = write!(out, "{}({})", clip(self.function()), args());
            }
            Kind::Argument => out.push_str(&args()),
            Kind::Constant if self.host_type().is_some() && !self.function().is_empty() => {
                out.push_str(&clip(self.function()));
            }
            Kind::Constant => out.push_str("constant"),
            Kind::Return => {
                let _ = write!(out, "return {}", args());
                // Asked once for each call: it looks at all that came before.
                let ends = self.parent().is_some_and(|p| self.tape.row(p.id).returns() == Some(self.id));
                if let Some(because) = Some(self).filter(|_| ends).and_then(Node::since).and_then(Node::because) {
                    let _ = write!(out, " since {because}");
                }
            }
            Kind::Branch => {
                match self.target() {
                    Some(t) => drop(write!(out, "goto §{t}")),
                    None if self.left_function() => out.push_str("left"),
                    None => out.push_str("went on"),
                }
                let _ = match self.because() {
                    Some(because) => write!(out, " since {because}"),
                    // What the block gets that it goes to.
                    None if self.arguments().len() > 0 => write!(out, " ({})", args()),
                    None => write!(out, " ({})", clip(self.function())),
                };
                return out;
            }
            Kind::Primitive | Kind::Call | Kind::Special => {
                let host = self.host_type().is_some();
                // What the host made of a number is called as the host did: `from`.
                let is_word = |op: &Op| matches!(op, Op::Convert(_)) && self.function() != op.name();
                let shown =
                    |op: &&Op| self.kind() == Kind::Primitive && op.programs().is_empty() && !host && !is_word(op);
                match self.op().filter(shown) {
                    Some(op) => out.push_str(&clip(op)),
                    None => out.push_str(&clip(self.function())),
                }
                let _ = write!(out, "({})", args());
            }
        }
        if let Some(n) = self.meta(crate::MetaKey::<i64>::new("iterations")) {
            let _ = write!(out, " × {n}");
        }
        if let Some(n) = self.meta(crate::MetaKey::<i64>::new("branch")) {
            let _ = write!(out, " took branch {n}");
        }
        if let Some(first) = self.shares() {
            let _ = write!(out, " as {}", first.id());
        }
        if self.unwound() {
            out.push_str(" unwound");
        }
        let results: Vec<String> = (0..self.result_count()).map(|i| self.result(i)).collect();
        if self.kind() != Kind::Return && results.iter().any(|r| !r.is_empty()) {
            let _ = write!(out, " {}", results.join(" · "));
        }
        out
    }

    /// Of a branch, its condition and how it came out: `@5 == false`, `rand() < beta == true (read @5)`.
    fn because(self) -> Option<String> {
        let row = self.tape.row(self.id);
        let taken = self.condition()?;
        let args = self.arguments().map(|a| a.to_string()).collect::<Vec<_>>().join(", ");
        let by_node = row.has(CONDITION) || row.has(READ);
        let mut out = if by_node { args.clone() } else { clip(self.function()) };
        let _ = match self.text(1) {
            None => write!(out, " == {taken}"),
            Some(how) => write!(out, " {}", clip(how)),
        };
        if !by_node && !args.is_empty() {
            let _ = write!(out, " (read {args})");
        }
        Some(out)
    }

    /// The value and type of a result, as far as they are known: `= 3 : i64`, `: f32[2,3]`.
    fn result(self, out: usize) -> String {
        if let Some(text) = self.text(out) {
            if text == "()" && self.kind() == Kind::Primitive {
                return String::new();
            }
            let ty = self.type_name(out).map_or(String::new(), |t| format!(" : {}", clip(t)));
            return format!("= {}{ty}", clip(text));
        }
        if let Some(x) = self.number(out) {
            return format!("= {x} : {}", x.ty.name());
        }
        let Some(ty) = self.ty(out) else { return ": ".into() };
        match self.tape.first_of(Ref { at: self.id, out: out as u32 }, FIRST) {
            Ok(Some(first)) => return format!("= {} : {ty}", elements(&first, ty)),
            Ok(None) => {}
            Err(_) => return format!("= damaged : {ty}"),
        }
        match self.summary(out) {
            Some(s) => format!("{s} : {ty}"),
            None => format!(": {ty}"),
        }
    }

    /// The block and the place it stands at: `[§1 src/model.rs:41:9]`; empty if nothing is known of them.
    pub fn place_text(self) -> String {
        let place = self.place();
        match (self.block(), place.is_unknown()) {
            (Some(b), true) => format!("[§{b}]"),
            (Some(b), false) => format!("[§{b} {}]", one_line(place.to_string())),
            (None, false) => format!("[{}]", one_line(place.to_string())),
            (None, true) => String::new(),
        }
    }
}

/// What something is shown as, cut to a length while it is written, on one line.
pub(crate) fn clip(x: impl fmt::Display) -> String {
    struct Clipped(String);
    impl Write for Clipped {
        fn write_str(&mut self, s: &str) -> fmt::Result {
            let room = NAME - self.0.len();
            if s.len() <= room {
                self.0.push_str(s);
                return Ok(());
            }
            let end = (0..=room).rev().find(|&i| s.is_char_boundary(i)).unwrap_or(0);
            self.0.push_str(&s[..end]);
            self.0.push('…');
            Err(fmt::Error)
        }
    }
    let mut out = Clipped(String::new());
    // An error says that it was cut.
    let _ = write!(out, "{x}");
    one_line(out.0)
}

/// A text without what would end the line, or move on it.
fn one_line(text: String) -> String {
    if text.contains(char::is_control) { text.replace(char::is_control, "\u{fffd}") } else { text }
}

/// A number with the digits that tell it from others of its type, and a power of ten instead of many zeros.
fn number(x: f64, dtype: DType) -> String {
    let plain = x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs());
    match (dtype.real() == DType::F64, plain) {
        (true, true) => format!("{x}"),
        (true, false) => format!("{x:e}"),
        (false, true) => format!("{}", x as f32),
        (false, false) => format!("{:e}", x as f32),
    }
}

/// A value in few characters.
pub(crate) fn short(t: &Tensor) -> String {
    elements(t, &t.ty())
}

/// A value of this type in few characters, by its first elements.
fn elements(first: &Tensor, ty: &Type) -> String {
    let one = |i: usize| {
        let s = first.get(i);
        match s.dtype() {
            DType::Bool => format!("{}", s.as_i64() == Some(1)),
            d if d.is_complex() => {
                let c = s.as_complex();
                let plus = if c.im.is_sign_negative() && !c.im.is_nan() { "" } else { "+" };
                format!("{}{plus}{}i", number(c.re, d), number(c.im, d))
            }
            d if d.is_float() => number(s.as_f64().unwrap_or(f64::NAN), d),
            DType::U64 => format!("{}", s.bits() as u64),
            _ => format!("{}", s.as_i64().unwrap_or_default()),
        }
    };
    if ty.rank() == 0 {
        return one(0);
    }
    let mut out = String::from("[");
    for i in 0..ty.shape.size() {
        let x = one(i);
        if out.len() + x.len() > VALUE {
            out.push_str(", …");
            break;
        }
        if i > 0 {
            out.push_str(", ");
        }
        out.push_str(&x);
    }
    out.push(']');
    out
}

impl fmt::Display for Node<'_> {
    /// `@4 [§1 src/model.rs:41:9] y = mul(@2, ⟨2⟩) = 6 : f32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.place_text();
        write!(f, "{}{}{place}", self.id(), if place.is_empty() { "" } else { " " })?;
        write!(f, " {}", self.line())
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl fmt::Display for NodeRef<'_> {
    /// `@4`, or `@4.1` where there are several results.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.node.id())?;
        if self.node.kind() == Kind::Branch && self.node.result_count() == 0 {
            return write!(f, "#{}", self.out);
        }
        if self.node.result_count() > 1 && self.node.kind() != Kind::Branch {
            write!(f, ".{}", self.out)
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Node(r) => write!(f, "{r}"),
            Argument::Constant(c @ Constant::Linked(..)) => write!(f, "{c}"),
            Argument::Constant(c) => write!(f, "⟨{c}⟩"),
        }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Text(t) | Constant::Shown(t, _) => f.write_str(&clip(t)),
            Constant::Host(x) => write!(f, "{x}"),
            Constant::Linked(from, _) => write!(f, "{from}"),
            Constant::Number(s, t) if t.rank() == 0 => f.write_str(&short(&Tensor::splat([], *s))),
            Constant::Number(s, t) => write!(f, "{} : {t}", short(&Tensor::splat([], *s))),
        }
    }
}
