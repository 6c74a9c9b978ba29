//! A program: a closed, typed, pure list of equations in the order they run.

use crate::op::Op;
use crate::place::Place;
use crate::types::Type;
use smallvec::SmallVec;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A variable of one program or builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The position in the program's list of variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A short list of variables.
pub type Vars = SmallVec<[Var; 2]>;

/// What a program knows of a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its type.
    pub ty: Type,
    /// The name the user gave it.
    pub name: Option<Arc<str>>,
}

/// `outputs = op(inputs)`, and where the user wrote it.
#[derive(Clone, Debug)]
pub struct Equation {
    /// What is done.
    pub op: Op,
    /// The operands.
    pub inputs: Vars,
    /// The variables defined here.
    pub outputs: Vars,
    /// The user's source.
    pub place: Place,
}

/// A closed, typed, pure list of equations. Made by a [`Builder`](crate::Builder), by tracing, or from text.
///
/// Equality compares what programs do: names and places do not count.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: Arc<str>,
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) inputs: Vec<Var>,
    pub(crate) equations: Vec<Equation>,
    pub(crate) outputs: Vec<Var>,
}

impl Program {
    /// The name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same program under another name.
    pub fn with_name(mut self, name: impl Into<Arc<str>>) -> Program {
        self.name = name.into();
        self
    }

    /// The variables the caller gives.
    pub fn inputs(&self) -> &[Var] {
        &self.inputs
    }

    /// The variables the caller gets.
    pub fn outputs(&self) -> &[Var] {
        &self.outputs
    }

    /// The equations in the order they run.
    pub fn equations(&self) -> &[Equation] {
        &self.equations
    }

    /// How many variables there are; [`Var::index`] is below this.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    /// The type of a variable.
    pub fn ty(&self, v: Var) -> &Type {
        &self.vars[v.index()].ty
    }

    /// The name of a variable.
    pub fn var_name(&self, v: Var) -> Option<&str> {
        self.vars[v.index()].name.as_deref()
    }

    /// The types of the inputs.
    pub fn input_types(&self) -> Vec<Type> {
        self.inputs.iter().map(|&v| self.ty(v).clone()).collect()
    }

    /// The types of the outputs.
    pub fn output_types(&self) -> Vec<Type> {
        self.outputs.iter().map(|&v| self.ty(v).clone()).collect()
    }

    /// The number of equations, those of nested programs included.
    pub fn equation_count(&self) -> usize {
        self.equations.iter().map(|e| 1 + e.op.programs().iter().map(|p| p.equation_count()).sum::<usize>()).sum()
    }

    /// Calls `f` on every equation, nested ones included, outer before inner.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Equation)) {
        for e in &self.equations {
            f(e);
            for p in e.op.programs() {
                p.visit(f);
            }
        }
    }

    /// Which outputs depend on the inputs with `on`.
    pub fn dependent_outputs(&self, on: &[bool]) -> Vec<bool> {
        let mut marked = vec![false; self.var_count()];
        for (v, &on) in self.inputs.iter().zip(on) {
            marked[v.index()] = on;
        }
        for e in &self.equations {
            if e.inputs.iter().any(|v| marked[v.index()]) {
                e.outputs.iter().for_each(|v| marked[v.index()] = true);
            }
        }
        self.outputs.iter().map(|v| marked[v.index()]).collect()
    }

    /// Whether an op inside communicates over this named axis.
    pub fn mentions_axis(&self, axis: &str) -> bool {
        self.equations.iter().any(|e| e.op.mentions_axis(axis))
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Program) -> bool {
        std::ptr::eq(self, other)
            || self.inputs.len() == other.inputs.len()
                && self.equations.len() == other.equations.len()
                && self.outputs.len() == other.outputs.len()
                && Renaming::default().same(self, other)
    }
}
impl Eq for Program {}

/// Which variable of one program stands for which of the other, so that numbering does not count in equality.
#[derive(Default)]
struct Renaming(rustc_hash::FxHashMap<Var, Var>);

impl Renaming {
    fn bind(&mut self, p: &Program, a: &[Var], q: &Program, b: &[Var]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(&a, &b)| {
                self.0.insert(a, b);
                p.ty(a) == q.ty(b)
            })
    }

    fn uses(&self, a: &[Var], b: &[Var]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.0.get(a) == Some(b))
    }

    fn same(mut self, p: &Program, q: &Program) -> bool {
        self.bind(p, &p.inputs, q, &q.inputs)
            && p.equations.iter().zip(&q.equations).all(|(e, g)| {
                self.uses(&e.inputs, &g.inputs) && e.op == g.op && self.bind(p, &e.outputs, q, &g.outputs)
            })
            && self.uses(&p.outputs, &q.outputs)
    }
}

impl Hash for Program {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.equations.len().hash(h);
        for v in self.inputs.iter().chain(&self.outputs) {
            self.ty(*v).hash(h);
        }
    }
}
