//! Writing programs as text.

use super::RESERVED;
use crate::attr::Attr;
use crate::host::Tensor;
use crate::op::Op;
use crate::program::{Program, Var};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Lists that would go past this column are continued on the next line.
const WIDTH: usize = 110;

/// Constants shorter than this are written where they are used.
const SHORT: usize = 24;

/// Writes programs, equations and attributes.
#[derive(Debug)]
pub struct Printer {
    out: String,
    indent: usize,
    /// Whether everything is written exactly, and not shortened for people.
    full: bool,
    first_attribute: bool,
}

/// How the variables of one program are written: `x`, `%3` where nobody named it, `x%3` where `x` would not be clear.
#[derive(Debug)]
pub(crate) struct Names<'a> {
    program: &'a Program,
    /// For each name, whether it needs its number.
    ambiguous: FxHashMap<&'a str, bool>,
}

impl<'a> Names<'a> {
    pub(crate) fn new(program: &'a Program) -> Names<'a> {
        let mut ambiguous = FxHashMap::default();
        for n in program.vars.iter().filter_map(|v| v.name.as_deref()) {
            ambiguous.entry(n).and_modify(|x| *x = true).or_insert(RESERVED.contains(&n));
        }
        Names { program, ambiguous }
    }

    /// A variable as printed, even one that the program does not have.
    pub(crate) fn var(&self, v: Var) -> String {
        match self.program.vars.get(v.index()).and_then(|v| v.name.as_deref()) {
            None => format!("%{}", v.index()),
            Some(n) if self.ambiguous[n] => format!("{n}%{}", v.index()),
            Some(n) => n.to_string(),
        }
    }

    /// Variables as printed: `x, %3`.
    pub(crate) fn list(&self, vars: &[Var]) -> String {
        vars.iter().map(|&v| self.var(v)).collect::<Vec<_>>().join(", ")
    }

    fn typed(&self, v: Var) -> String {
        format!("{}: {}", self.var(v), self.program.ty(v))
    }
}

/// For each equation, whether it is a constant that is written at its use instead of on a line of its own: nobody named
/// the constant, it is used once, and it stands right before its use, where reading it back puts it.
fn constants_in_place(program: &Program) -> Vec<bool> {
    let equations = program.equations();
    let mut uses = vec![0usize; program.var_count()];
    let used = equations.iter().flat_map(|e| &e.inputs).chain(program.outputs());
    used.for_each(|v| uses[v.index()] += 1);
    let mut candidate: Vec<Option<usize>> = vec![None; program.var_count()];
    let mut in_place = vec![false; equations.len()];
    for (i, e) in equations.iter().enumerate() {
        if let (Op::Constant(c), &[v]) = (&e.op, &e.outputs[..]) {
            let fits = c.value.splat_value().is_some() && program.var_name(v).is_none() && uses[v.index()] == 1;
            candidate[v.index()] = fits.then_some(i);
        }
        let constants = e.inputs.iter().rev().filter_map(|v| candidate[v.index()]);
        for (at, k) in (0..i).rev().zip(constants) {
            if k != at || equations[k].place != e.place {
                break;
            }
            in_place[k] = true;
        }
    }
    in_place
}

impl Printer {
    fn new(full: bool) -> Printer {
        Printer { out: String::new(), indent: 0, full, first_attribute: true }
    }

    pub(super) fn text(program: &Program, full: bool) -> String {
        let mut p = Printer::new(full);
        p.program(program);
        p.out.push('\n');
        p.out
    }

    pub(super) fn op(op: &Op) -> String {
        let mut p = Printer::new(true);
        p.word(op.name());
        op.rules().print_attributes(&mut p);
        p.out
    }

    pub(super) fn value(value: &Tensor) -> String {
        let mut p = Printer::new(true);
        p.tensor(value);
        p.out
    }

    /// Each equation on a line, for people: constants where they are used, and no programs inside.
    pub(super) fn lines(program: &Program) -> Vec<String> {
        let names = Names::new(program);
        let mut constants: FxHashMap<Var, String> = FxHashMap::default();
        let mut lines = Vec::with_capacity(program.equations().len());
        for e in program.equations() {
            let mut p = Printer::new(false);
            let outputs: Vec<String> = e.outputs.iter().map(|&v| names.typed(v)).collect();
            p.word(&outputs.join(", "));
            p.word(if outputs.is_empty() { "" } else { " = " });
            if let Some(value) = p.literal(&e.op) {
                p.word(&value);
                constants.extend(e.outputs.first().filter(|_| value.len() < SHORT).map(|&v| (v, value)));
            } else {
                p.word(e.op.name());
                if e.op.programs().is_empty() {
                    e.op.rules().print_attributes(&mut p);
                }
                let operand = |v: &Var| constants.get(v).cloned().unwrap_or_else(|| names.var(*v));
                let operands: Vec<String> = e.inputs.iter().map(operand).collect();
                p.word(&format!("({})", operands.join(", ")));
            }
            lines.push(p.out);
        }
        lines
    }

    /// The attributes of an op, for people.
    pub(crate) fn attributes_of(op: &Op) -> String {
        let mut p = Printer::new(false);
        op.rules().print_attributes(&mut p);
        p.out
    }

    /// Whether everything is written, exactly.
    pub fn is_full(&self) -> bool {
        self.full
    }

    /// Writes text as it is.
    pub fn word(&mut self, s: &str) {
        self.out.push_str(s);
    }

    /// Writes what displays itself.
    pub(super) fn display(&mut self, s: impl std::fmt::Display) {
        write!(self.out, "{s}").expect("writing to a string can't fail");
    }

    /// Writes a string between quotes.
    pub fn quoted(&mut self, s: &str) {
        self.word("\"");
        for c in s.chars() {
            match c {
                '"' => self.word("\\\""),
                '\\' => self.word("\\\\"),
                '\n' => self.word("\\n"),
                '\t' => self.word("\\t"),
                '\r' => self.word("\\r"),
                c => self.out.push(c),
            }
        }
        self.word("\"");
    }

    /// Opens the list of attributes.
    pub fn begin_attributes(&mut self) {
        self.first_attribute = true;
    }

    /// Writes one attribute. One that holds a program begins on a line of its own, so that the program can be seen.
    pub fn attribute<T: Attr>(&mut self, name: &str, value: &T) {
        let mut programs = Vec::new();
        value.programs(&mut programs);
        self.word(if self.first_attribute { "[" } else { "," });
        self.indent += 1;
        match programs.is_empty() {
            true if self.first_attribute => {}
            true => self.word(" "),
            false => self.line(),
        }
        self.word(name);
        self.word("=");
        value.print(self);
        self.indent -= 1;
        self.first_attribute = false;
    }

    /// Closes the list of attributes.
    pub fn end_attributes(&mut self) {
        if !self.first_attribute {
            self.word("]");
        }
    }

    /// Writes `[a, b]`.
    pub fn list<'b, T: Attr + 'b>(&mut self, items: impl Iterator<Item = &'b T>) {
        self.word("[");
        for (i, x) in items.enumerate() {
            if i > 0 {
                self.word(", ");
            }
            x.print(self);
        }
        self.word("]");
    }

    fn line(&mut self) {
        self.out.push('\n');
        self.out.extend(std::iter::repeat_n("  ", self.indent));
    }

    /// Writes `a, b, c`, continued on further lines where they would be too long.
    fn items(&mut self, items: impl IntoIterator<Item = String>) {
        let mut column = self.out.len() - self.out.rfind('\n').map_or(0, |i| i + 1);
        let mut separator = "";
        for item in items {
            self.word(separator);
            column += item.len() + 2;
            if column > WIDTH && !separator.is_empty() {
                self.out.truncate(self.out.trim_end().len());
                self.indent += 2;
                self.line();
                self.indent -= 2;
                column = 2 * self.indent + 4 + item.len();
            }
            self.word(&item);
            separator = ", ";
        }
    }

    fn literal(&self, op: &Op) -> Option<String> {
        let Op::Constant(c) = op else { return None };
        let mut p = Printer::new(self.full);
        p.tensor(&c.value);
        Some(p.out)
    }

    /// Writes a program, nested at the current depth.
    pub fn program(&mut self, program: &Program) {
        let names = Names::new(program);
        let in_place = constants_in_place(program);
        let mut written: FxHashMap<Var, &Op> = FxHashMap::default();
        self.word("program ");
        self.word(program.name());
        self.word("(");
        self.items(program.inputs().iter().map(|&v| names.typed(v)));
        self.word(") {");
        self.indent += 1;
        for (e, in_place) in program.equations().iter().zip(in_place) {
            if in_place {
                written.insert(e.outputs[0], &e.op);
                continue;
            }
            self.line();
            self.items(e.outputs.iter().map(|&v| names.typed(v)));
            if !e.outputs.is_empty() {
                self.word(" = ");
            }
            if let Some(value) = self.literal(&e.op) {
                self.word(&value);
            } else {
                self.word(e.op.name());
                e.op.rules().print_attributes(self);
                self.word("(");
                let operand = |p: &Self, v: &Var| written.get(v).and_then(|op| p.literal(op));
                let operands: Vec<String> =
                    e.inputs.iter().map(|v| operand(self, v).unwrap_or_else(|| names.var(*v))).collect();
                self.items(operands);
                self.word(")");
            }
            if self.full && !e.place.is_unknown() {
                self.word(" @ ");
                self.display(&e.place);
            }
        }
        self.line();
        self.word("return ");
        self.items(program.outputs().iter().map(|&v| names.var(v)));
        self.out.truncate(self.out.trim_end().len());
        self.indent -= 1;
        self.line();
        self.word("}");
    }
}
