//! A tape as text: one node a line.

use crate::node::{Argument, Node, NodeRef};
use crate::row::Kind;
use crate::tape::{Constant, Tape};
use std::fmt::{self, Write};

/// The most characters of a value in a line.
const VALUE: usize = 60;

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
        let mut out = String::new();
        if let Some(name) = self.name() {
            let _ = write!(out, "{name} = ");
        }
        let args = || self.arguments().map(|a| a.to_string()).collect::<Vec<_>>().join(", ");
        match self.kind() {
            Kind::Argument if self.arguments().len() == 0 => out.push_str("argument"),
            Kind::Argument => out.push_str(&args()),
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
                    None if self.left() => out.push_str("left"),
                    None => out.push_str("went on"),
                }
                let _ = match self.because() {
                    Some(because) => write!(out, " since {because}"),
                    None => write!(out, " ({})", self.function()),
                };
                return out;
            }
            Kind::Primitive | Kind::Call | Kind::Special => {
                match self.op().filter(|op| self.kind() == Kind::Primitive && op.programs().is_empty()) {
                    Some(op) => drop(write!(out, "{op}")),
                    None => out.push_str(self.function()),
                }
                let _ = write!(out, "({})", args());
            }
        }
        if let Some(n) = self.meta(crate::Key::<i64>::new("iterations")) {
            let _ = write!(out, " × {n}");
        }
        if let Some(n) = self.meta(crate::Key::<i64>::new("branch")) {
            let _ = write!(out, " took branch {n}");
        }
        if let Some(first) = self.shares() {
            let _ = write!(out, " as {}", first.id());
        }
        if self.unwound() {
            out.push_str(" unwound");
        }
        let results: Vec<String> = (0..self.result_count()).map(|i| self.result(i)).collect();
        if self.kind() != Kind::Return && !results.is_empty() {
            let _ = write!(out, " {}", results.join(" · "));
        }
        out
    }

    /// Of a branch, its condition and how it came out: `@5 == false`, `rand() < beta == true (read @5)`.
    fn because(self) -> Option<String> {
        let taken = self.text(0)?;
        let args = self.arguments().map(|a| a.to_string()).collect::<Vec<_>>().join(", ");
        let read = matches!(self.function(), "to_bool" | "item");
        let mut out = if read { args.clone() } else { self.function().to_string() };
        let is = if taken.contains("match") { "" } else { "== " };
        let _ = write!(out, " {is}{taken}");
        if !read && !args.is_empty() {
            let _ = write!(out, " (read {args})");
        }
        Some(out)
    }

    /// The value and type of a result, as far as they are known: `= 3 : i64`, `: f32[2,3]`.
    fn result(self, out: usize) -> String {
        if let Some(text) = self.text(out) {
            return format!("= {text}");
        }
        let ty = self.ty(out).map(|t| t.to_string()).unwrap_or_default();
        if let Some(t) = self.value(out) {
            return format!("= {} : {ty}", short(&t));
        }
        match self.summary(out) {
            Some(s) => {
                let nans = if s.nans > 0 { format!(", {} NaN", s.nans) } else { String::new() };
                format!("in {:.4}..{:.4}, mean {:.4}{nans} : {ty}", s.min, s.max, s.mean)
            }
            None => format!(": {ty}"),
        }
    }
}

/// A value in few characters.
pub(crate) fn short(t: &wengert_core::Tensor) -> String {
    let one = |i: usize| {
        let s = t.get(i);
        match s.dtype() {
            wengert_core::DType::Bool => format!("{}", s.as_i64() == Some(1)),
            d if d.is_complex() => format!("{}", s.as_complex()),
            d if d.is_float() => format!("{}", s.as_f64().unwrap_or(f64::NAN) as f32),
            wengert_core::DType::U64 => format!("{}", s.bits() as u64),
            _ => format!("{}", s.as_i64().unwrap_or_default()),
        }
    };
    if t.shape().rank() == 0 {
        return one(0);
    }
    let mut out = String::from("[");
    for i in 0..t.size() {
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
        write!(f, "{}", self.id())?;
        let place = self.place();
        match (self.block(), place.is_unknown()) {
            (Some(b), true) => write!(f, " [§{b}]")?,
            (Some(b), false) => write!(f, " [§{b} {place}]")?,
            (None, false) => write!(f, " [{place}]")?,
            (None, true) => {}
        }
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
        if self.node.result_count() > 1 { write!(f, ".{}", self.out) } else { Ok(()) }
    }
}

impl fmt::Display for Argument<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Argument::Node(r) => write!(f, "{r}"),
            Argument::Constant(c) => write!(f, "⟨{c}⟩"),
        }
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::Text(t) => f.write_str(t),
            Constant::Number(s, t) if t.rank() == 0 => f.write_str(&short(&wengert_core::Tensor::splat([], *s))),
            Constant::Number(s, t) => write!(f, "{} : {t}", short(&wengert_core::Tensor::splat([], *s))),
        }
    }
}
