//! Writing programs as text.

use super::RESERVED;
use crate::attr::Attr;
use crate::op::Op;
use crate::program::{Equation, Program, Var};
use rustc_hash::FxHashMap;

/// Writes programs, equations and attributes.
#[derive(Debug)]
pub struct Printer {
    out: String,
    indent: usize,
    /// Everything, exactly; otherwise what a reader wants.
    full: bool,
    first_attribute: bool,
}

/// How the variables of the program being printed are written.
#[derive(Debug)]
struct Scope<'a> {
    program: &'a Program,
    /// Names held by more than one variable, which then carry their number.
    ambiguous: FxHashMap<&'a str, bool>,
    /// Constants written at their one use: the equation that defines each.
    inlined: Vec<bool>,
    defined_by: Vec<Option<usize>>,
}

impl<'a> Scope<'a> {
    fn new(program: &'a Program) -> Scope<'a> {
        let mut ambiguous = FxHashMap::default();
        for v in &program.vars {
            if let Some(n) = &v.name {
                ambiguous.entry(&**n).and_modify(|x| *x = true).or_insert(RESERVED.contains(&&**n));
            }
        }
        let mut uses = vec![0usize; program.var_count()];
        let mut defined_by = vec![None; program.var_count()];
        for (i, e) in program.equations().iter().enumerate() {
            e.inputs.iter().for_each(|v| uses[v.index()] += 1);
            e.outputs.iter().for_each(|v| defined_by[v.index()] = Some(i));
        }
        program.outputs().iter().for_each(|v| uses[v.index()] += 1);
        let mut scope = Scope { program, ambiguous, inlined: vec![false; program.equations().len()], defined_by };
        for (i, e) in program.equations().iter().enumerate() {
            scope.inline_constants(i, e, &uses);
        }
        scope
    }

    /// Constants are written at their use if reading them back puts them where they are: once used, right before.
    fn inline_constants(&mut self, i: usize, e: &Equation, uses: &[usize]) {
        let eqs = self.program.equations();
        let consts: Vec<usize> = e
            .inputs
            .iter()
            .filter(|v| uses[v.index()] == 1 && self.program.var_name(**v).is_none())
            .filter_map(|v| self.defined_by[v.index()])
            .filter(|&d| eqs[d].place == e.place)
            .filter(|&d| matches!(&eqs[d].op, Op::Constant(c) if c.value.splat_value().is_some()))
            .collect();
        let n = consts.len();
        if n <= i && consts.iter().enumerate().all(|(k, &d)| d == i - n + k) {
            consts.iter().for_each(|&d| self.inlined[d] = true);
        }
    }

    fn var(&self, v: Var) -> String {
        match self.program.var_name(v) {
            None => format!("%{}", v.index()),
            Some(n) if self.ambiguous[n] => format!("{n}%{}", v.index()),
            Some(n) => n.to_string(),
        }
    }
}

impl Printer {
    pub(super) fn text(program: &Program, full: bool) -> String {
        let mut p = Printer { out: String::new(), indent: 0, full, first_attribute: true };
        p.program(program);
        p.out.push('\n');
        p.out
    }

    /// The attributes of an op, for people.
    pub(crate) fn attributes_of(op: &Op) -> String {
        let mut p = Printer { out: String::new(), indent: 0, full: false, first_attribute: true };
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

    /// Writes a string between quotes.
    pub fn quoted(&mut self, s: &str) {
        self.out.push_str(&format!("{s:?}"));
    }

    /// Opens the list of attributes.
    pub fn begin_attributes(&mut self) {
        self.first_attribute = true;
    }

    /// Writes one attribute.
    pub fn attribute<T: Attr>(&mut self, name: &str, value: &T) {
        self.word(if self.first_attribute { "[" } else { ", " });
        self.word(name);
        self.word("=");
        value.print(self);
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

    /// Writes a program, nested at the current depth.
    pub fn program(&mut self, program: &Program) {
        let scope = Scope::new(program);
        let typed = |v: &Var| format!("{}: {}", scope.var(*v), program.ty(*v));
        let comma = |vs: &[Var], f: &dyn Fn(&Var) -> String| vs.iter().map(f).collect::<Vec<_>>().join(", ");
        self.word("program ");
        self.word(program.name());
        self.word(&format!("({}) {{", comma(program.inputs(), &typed)));
        self.indent += 1;
        for (i, e) in program.equations().iter().enumerate() {
            if scope.inlined[i] {
                continue;
            }
            self.line();
            self.word(&comma(&e.outputs, &typed));
            if !e.outputs.is_empty() {
                self.word(" = ");
            }
            self.word(e.op.name());
            let mut attributes =
                Printer { out: String::new(), indent: self.indent, full: self.full, first_attribute: true };
            e.op.rules().print_attributes(&mut attributes);
            self.word(&attributes.out);
            self.word("(");
            for (k, v) in e.inputs.iter().enumerate() {
                if k > 0 {
                    self.word(", ");
                }
                match scope.defined_by[v.index()].filter(|&d| scope.inlined[d]) {
                    None => self.word(&scope.var(*v)),
                    Some(d) => match &program.equations()[d].op {
                        Op::Constant(c) => self.tensor(&c.value),
                        _ => unreachable!("only constants are inlined"),
                    },
                }
            }
            self.word(")");
            if self.full && !e.place.is_unknown() {
                self.word(&format!(" @ {}", e.place));
            }
        }
        self.line();
        self.word(format!("return {}", comma(program.outputs(), &|v| scope.var(*v))).trim_end());
        self.indent -= 1;
        self.line();
        self.word("}");
    }
}
