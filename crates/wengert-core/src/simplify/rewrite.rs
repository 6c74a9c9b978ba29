//! The walk that tries rewrites on each equation in turn, and what rewrites can ask and do.

use super::{Pass, RewriteCounts};
use crate::builder::Builder;
use crate::error::Result;
use crate::host::{Scalar, Tensor};
use crate::op::Op;
use crate::ops::{Binary, Unary};
use crate::program::{Equation, Program, Var, VarInfo, Vars};
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// Runs one op on these operands.
pub type Evaluate<'a> = &'a dyn Fn(&Op, &[Tensor]) -> Result<Vec<Tensor>>;

/// What a rewrite may use beside the program.
#[derive(Clone, Copy, Default)]
pub(super) struct Settings<'a> {
    pub evaluate: Option<Evaluate<'a>>,
    /// The most elements that an array computed beforehand may have.
    pub limit: usize,
}

impl fmt::Debug for Settings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Settings {{ evaluate: {}, limit: {} }}", self.evaluate.is_some(), self.limit)
    }
}

/// One small change: an equation becomes others that give the same, or variables that are there already.
#[derive(Debug)]
pub struct Rewrite {
    /// What the rewrite does, in a few words.
    pub name: &'static str,
    apply: RewriteFn,
}

/// An equation that may be rewritten, its operands rewritten already.
pub(super) struct Candidate<'e> {
    pub op: &'e Op,
    pub x: &'e [Var],
    /// The types of the results.
    pub types: &'e [Type],
}

/// How a rewrite is applied, by the ops that it looks at; it gives the variables that replace the results.
#[derive(Debug)]
enum RewriteFn {
    Any(fn(&mut Rewriter<'_, '_>, &Candidate<'_>) -> Option<Vars>),
    Unary(fn(&mut Rewriter<'_, '_>, Unary, Var) -> Option<Var>),
    Binary(fn(&mut Rewriter<'_, '_>, Binary, Var, Var) -> Option<Var>),
}

impl Rewrite {
    /// A rewrite of any op.
    pub(super) const fn any(
        name: &'static str,
        apply: fn(&mut Rewriter<'_, '_>, &Candidate<'_>) -> Option<Vars>,
    ) -> Rewrite {
        Rewrite { name, apply: RewriteFn::Any(apply) }
    }

    /// A rewrite of unary elementwise ops.
    pub(super) const fn unary(
        name: &'static str,
        apply: fn(&mut Rewriter<'_, '_>, Unary, Var) -> Option<Var>,
    ) -> Rewrite {
        Rewrite { name, apply: RewriteFn::Unary(apply) }
    }

    /// A rewrite of binary elementwise ops.
    pub(super) const fn binary(
        name: &'static str,
        apply: fn(&mut Rewriter<'_, '_>, Binary, Var, Var) -> Option<Var>,
    ) -> Rewrite {
        Rewrite { name, apply: RewriteFn::Binary(apply) }
    }

    fn apply(&self, r: &mut Rewriter<'_, '_>, c: &Candidate<'_>) -> Option<Vars> {
        match (&self.apply, c.op) {
            (RewriteFn::Any(f), _) => f(r, c),
            (RewriteFn::Unary(f), Op::Unary(op)) => f(r, *op, c.x[0]).map(one),
            (RewriteFn::Binary(f), Op::Binary(op)) => f(r, *op, c.x[0], c.x[1]).map(one),
            _ => None,
        }
    }
}

/// A list of one variable.
pub(super) fn one(v: Var) -> Vars {
    let mut vars = Vars::new();
    vars.push(v);
    vars
}

/// A rewrite that leads to others does so at most this often.
const DEEPEST: usize = 16;

/// One pass forward over a program and those nested in it.
pub(super) struct ForwardPass<'a> {
    rewrites: Vec<&'static Rewrite>,
    pub settings: &'a Settings<'a>,
    /// Nested programs and their memoized results: one that is held many times is rewritten once, and stays shared.
    nested: FxHashMap<*const Program, (Arc<Program>, Arc<Program>)>,
    /// How many equations hold each nested program.
    holders: FxHashMap<*const Program, usize>,
    made: &'a mut RewriteCounts,
}

impl<'a> ForwardPass<'a> {
    pub fn new(
        pass: Pass,
        settings: &'a Settings<'a>,
        program: &Program,
        made: &'a mut RewriteCounts,
    ) -> ForwardPass<'a> {
        let mut holders = FxHashMap::default();
        count_holders(program, &mut holders);
        ForwardPass { rewrites: pass.rewrites(), settings, nested: FxHashMap::default(), holders, made }
    }

    /// The program rewritten.
    pub fn program(&mut self, program: Program) -> Program {
        let Program { name, vars, inputs, equations, outputs, .. } = program;
        let mut r = Rewriter { builder: Builder::new(), pass: self, depth: 0 };
        // Variables are numbered as they are defined, so both lists go along with the equations.
        let mut vars = vars.into_iter();
        let mut env: Vec<Var> = Vec::with_capacity(vars.len());
        for VarInfo { ty, name } in vars.by_ref().take(inputs.len()) {
            let v = r.input(ty);
            if let Some(n) = name {
                r.set_name(v, n);
            }
            env.push(v);
        }
        for Equation { op, inputs, outputs, place } in equations {
            r.set_place(place);
            let x: Vars = inputs.iter().map(|v| env[v.index()]).collect();
            let op = r.pass.rewrite_nested(op);
            let (types, names): (Vec<Type>, Vec<Option<Arc<str>>>) =
                vars.by_ref().take(outputs.len()).map(|v| (v.ty, v.name)).unzip();
            let y = r.equation(op, &x, types);
            for (&v, name) in y.iter().zip(names) {
                if let Some(n) = name
                    && r.name(v).is_none()
                    && r.definition(v).is_some()
                {
                    r.set_name(v, n);
                }
            }
            env.extend(y);
        }
        let outputs: Vec<Var> = outputs.iter().map(|v| env[v.index()]).collect();
        r.builder.finish(&outputs).with_name(name)
    }

    /// How many equations hold this nested program.
    pub fn holders_of(&self, program: *const Program) -> usize {
        self.holders.get(&program).copied().unwrap_or(1)
    }

    fn rewrite_nested(&mut self, op: Op) -> Op {
        if op.programs().is_empty() {
            return op;
        }
        op.map_programs(&mut |p| {
            if let Some((_, new)) = self.nested.get(&Arc::as_ptr(p)) {
                return new.clone();
            }
            let before: usize = self.made.values().sum();
            let new = self.program(Program::clone(p));
            let new = if self.made.values().sum::<usize>() == before { p.clone() } else { Arc::new(new) };
            self.holders.insert(Arc::as_ptr(&new), self.holders_of(Arc::as_ptr(p)));
            self.nested.insert(Arc::as_ptr(p), (p.clone(), new.clone()));
            new
        })
    }
}

/// Counts the equations that hold each nested program; a program itself is read once.
fn count_holders(program: &Program, holders: &mut FxHashMap<*const Program, usize>) {
    for p in program.equations().iter().flat_map(|e| e.op.programs()) {
        let n = holders.entry(Arc::as_ptr(p)).or_insert(0);
        *n += 1;
        if *n == 1 {
            count_holders(p, holders);
        }
    }
}

/// The program being written by a pass, for rewrites to ask about and add to.
pub(super) struct Rewriter<'r, 'a> {
    builder: Builder,
    pub pass: &'r mut ForwardPass<'a>,
    depth: usize,
}

impl Deref for Rewriter<'_, '_> {
    type Target = Builder;
    fn deref(&self) -> &Builder {
        &self.builder
    }
}
impl DerefMut for Rewriter<'_, '_> {
    fn deref_mut(&mut self) -> &mut Builder {
        &mut self.builder
    }
}

impl Rewriter<'_, '_> {
    fn equation(&mut self, op: Op, x: &[Var], types: Vec<Type>) -> Vars {
        match self.rewritten(&Candidate { op: &op, x, types: &types }) {
            Some(y) => {
                debug_assert!(y.iter().map(|&v| self.ty(v)).eq(&types), "a rewrite of `{}` changed a type", op.name());
                y
            }
            None => self.builder.push_typed(op, x, types),
        }
    }

    fn rewritten(&mut self, c: &Candidate<'_>) -> Option<Vars> {
        if self.depth == DEEPEST {
            return None;
        }
        self.depth += 1;
        let found = (0..self.pass.rewrites.len()).find_map(|i| {
            let rewrite = self.pass.rewrites[i];
            rewrite.apply(self, c).inspect(|_| *self.pass.made.entry(rewrite.name).or_insert(0) += 1)
        });
        self.depth -= 1;
        found
    }

    /// Adds an equation, which is rewritten too where that can be.
    #[track_caller]
    pub fn add(&mut self, op: impl Into<Op>, x: &[Var]) -> Vars {
        let op = op.into();
        let types: Vec<Type> = x.iter().map(|&v| self.ty(v).clone()).collect();
        match op.result_types(&types) {
            Ok(types) => self.equation(op, x, types),
            Err(e) => panic!("a rewrite built an ill-typed equation: {e}"),
        }
    }

    /// Adds an equation with one result, which is rewritten too where that can be.
    #[track_caller]
    pub fn add_one(&mut self, op: impl Into<Op>, x: &[Var]) -> Var {
        self.add(op, x)[0]
    }

    /// The op and operands that define a variable alone.
    pub fn defined(&self, v: Var) -> Option<(&Op, &[Var])> {
        let e = self.definition(v)?;
        (e.outputs.len() == 1).then_some((&e.op, &e.inputs[..]))
    }

    /// The operand of this unary op, if it defines the variable.
    pub fn operand_of(&self, op: Unary, v: Var) -> Option<Var> {
        match self.defined(v)? {
            (Op::Unary(o), &[x]) if *o == op => Some(x),
            _ => None,
        }
    }

    /// Whether a variable is this number everywhere, bit by bit.
    pub fn is_splat(&self, v: Var, value: Scalar) -> bool {
        self.constant_splat(v) == Some(value)
    }

    /// A constant of this type with one value.
    pub fn splat(&mut self, ty: &Type, value: Scalar) -> Var {
        self.constant(Tensor::splat(ty.shape.clone(), value))
    }
}
