//! Building a program equation by equation, each typed as it is added.

use crate::error::Result;
use crate::host::{Scalar, Tensor};
use crate::op::Op;
use crate::ops::*;
use crate::place::Place;
use crate::program::{Equation, Program, Var, VarInfo, Vars};
use crate::text::identifier;
use crate::types::{DType, Dims, Shape, Type};
use std::sync::Arc;

/// A program being built. Equations are typed as they are added; [`Builder::finish`] drops those nothing needs.
#[derive(Debug, Default)]
pub struct Builder {
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) equations: Vec<Equation>,
    inputs: Vec<Var>,
    /// For each variable, whether it depends on a tangent: such equations are the linear part.
    linear: Vec<bool>,
    /// For each variable, the equation that defines it; inputs and phantoms have none.
    defined_by: Vec<Option<u32>>,
    place: Place,
}

impl Builder {
    /// An empty program.
    pub fn new() -> Builder {
        Builder::default()
    }

    /// The place that equations added from now on have.
    pub fn set_place(&mut self, place: Place) {
        self.place = place;
    }

    fn new_var(&mut self, ty: Type, linear: bool, defined_by: Option<u32>) -> Var {
        let v = Var(u32::try_from(self.vars.len()).expect("a program has fewer than 2^32 variables"));
        self.vars.push(VarInfo { ty, name: None });
        self.linear.push(linear);
        self.defined_by.push(defined_by);
        v
    }

    /// A new input.
    pub fn input(&mut self, ty: Type) -> Var {
        let v = self.new_var(ty, false, None);
        self.inputs.push(v);
        v
    }

    /// New inputs of these types.
    pub fn inputs(&mut self, types: &[Type]) -> Vec<Var> {
        types.iter().map(|t| self.input(t.clone())).collect()
    }

    /// New inputs like those of a program, with their names.
    pub fn inputs_of(&mut self, program: &Program) -> Vec<Var> {
        let args = self.inputs(&program.input_types());
        for (&a, &v) in args.iter().zip(program.inputs()) {
            self.copy_name(program, v, a);
        }
        args
    }

    /// Gives a variable the name that another has in a program, if it has one.
    pub fn copy_name(&mut self, program: &Program, v: Var, new: Var) {
        if let Some(n) = &program.vars[v.index()].name {
            // A name in a program is printable.
            self.vars[new.index()].name = Some(n.clone());
        }
    }

    /// A new input of the type of another variable, and named after it.
    pub fn input_like(&mut self, v: Var, ending: &str) -> Var {
        let new = self.input(self.ty(v).clone());
        self.name_after(new, v, ending)
    }

    /// A new phantom of the type of another variable, and named after it.
    pub fn phantom_like(&mut self, v: Var, ending: &str) -> Var {
        let new = self.phantom(self.ty(v).clone());
        self.name_after(new, v, ending)
    }

    fn name_after(&mut self, v: Var, other: Var, ending: &str) -> Var {
        if let Some(name) = self.name(other).map(|n| format!("{n}{ending}")) {
            self.set_name(v, name);
        }
        v
    }

    /// A stand-in for a tangent that will be transposed away: no equation of the finished program may use it.
    pub fn phantom(&mut self, ty: Type) -> Var {
        self.new_var(ty, true, None)
    }

    /// Whether a variable depends on a phantom.
    pub fn is_linear(&self, v: Var) -> bool {
        self.linear[v.index()]
    }

    /// The equation that defines a variable; none for inputs.
    pub fn definition(&self, v: Var) -> Option<&Equation> {
        self.defined_by[v.index()].map(|i| &self.equations[i as usize])
    }

    /// Gives a variable a name. Any text will do: what the text form can't carry in a name is replaced.
    pub fn set_name(&mut self, v: Var, name: impl Into<Arc<str>>) {
        self.vars[v.index()].name = Some(identifier(name.into())).filter(|n| !n.is_empty());
    }

    /// The name of a variable.
    pub fn name(&self, v: Var) -> Option<&Arc<str>> {
        self.vars[v.index()].name.as_ref()
    }

    /// The type of a variable.
    pub fn ty(&self, v: Var) -> &Type {
        &self.vars[v.index()].ty
    }

    /// The shape of a variable.
    pub fn shape(&self, v: Var) -> &Shape {
        &self.ty(v).shape
    }

    /// The element type of a variable.
    pub fn dtype(&self, v: Var) -> DType {
        self.ty(v).dtype
    }

    /// The positions of the inputs that a variable depends on.
    pub fn origins(&self, v: Var) -> Vec<usize> {
        let mut needed = vec![false; self.vars.len()];
        needed[v.index()] = true;
        for e in self.equations.iter().rev() {
            if e.outputs.iter().any(|v| needed[v.index()]) {
                e.inputs.iter().for_each(|v| needed[v.index()] = true);
            }
        }
        (0..self.inputs.len()).filter(|&i| needed[self.inputs[i].index()]).collect()
    }

    /// How many equations were added.
    pub fn equation_count(&self) -> usize {
        self.equations.len()
    }

    /// Adds an equation, or says why the operands do not fit.
    pub fn try_push(&mut self, op: impl Into<Op>, x: &[Var]) -> Result<Vars> {
        self.try_push_op(op.into(), x)
    }

    /// [`Builder::try_push`], compiled once and not for every op; so are the next two.
    fn try_push_op(&mut self, op: Op, x: &[Var]) -> Result<Vars> {
        let types: Vec<Type> = x.iter().map(|&v| self.ty(v).clone()).collect();
        let results = op.result_types(&types)?;
        Ok(self.push_typed(op, x, results))
    }

    /// Adds an equation whose result types are known to be right.
    pub fn push_typed(&mut self, op: Op, x: &[Var], results: Vec<Type>) -> Vars {
        let linear = x.iter().any(|&v| self.is_linear(v));
        let by = Some(self.equations.len() as u32);
        let outputs: Vars = results.into_iter().map(|t| self.new_var(t, linear, by)).collect();
        self.equations.push(Equation { op, inputs: x.into(), outputs: outputs.clone(), place: self.place.clone() });
        outputs
    }

    /// Adds an equation whose operands are known to fit.
    ///
    /// # Panics
    /// If they do not: that is a mistake in a rule, not in the user's program.
    #[track_caller]
    pub fn push(&mut self, op: impl Into<Op>, x: &[Var]) -> Vars {
        self.push_op(op.into(), x)
    }

    #[track_caller]
    fn push_op(&mut self, op: Op, x: &[Var]) -> Vars {
        match self.try_push_op(op, x) {
            Ok(y) => y,
            Err(e) => panic!("a rule of Wengert's built an ill-typed equation: {e}"),
        }
    }

    /// Adds an equation with one result.
    #[track_caller]
    pub fn one(&mut self, op: impl Into<Op>, x: &[Var]) -> Var {
        self.one_op(op.into(), x)
    }

    #[track_caller]
    fn one_op(&mut self, op: Op, x: &[Var]) -> Var {
        self.push_op(op, x)[0]
    }

    /// Adds all equations of a program, its inputs standing for `args`, and gives its outputs.
    pub fn inline(&mut self, program: &Program, args: &[Var]) -> Vec<Var> {
        let all = self.inline_all(program, args);
        program.outputs().iter().map(|v| all[v.index()]).collect()
    }

    /// [`Builder::inline`], and gives what stands for each variable of the program.
    pub fn inline_all(&mut self, program: &Program, args: &[Var]) -> Vec<Var> {
        let written = self.inline_by(program, args, |b, e, x| {
            let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
            let y = b.push_typed(e.op.clone(), x, types);
            e.outputs.iter().zip(&y).for_each(|(&v, &new)| b.copy_name(program, v, new));
            Ok::<_, std::convert::Infallible>(y)
        });
        let Ok(all) = written;
        all
    }

    /// A program written anew, equation by equation: `write` writes each, at its place, on what stands for its operands, and
    /// gives what stands for its results. Gives what stands for each variable of the program.
    ///
    /// # Errors
    /// The first that `write` gives.
    pub fn inline_by<Y: AsRef<[Var]>, E>(
        &mut self,
        program: &Program,
        args: &[Var],
        mut write: impl FnMut(&mut Builder, &Equation, &[Var]) -> Result<Y, E>,
    ) -> Result<Vec<Var>, E> {
        assert_eq!(program.inputs().len(), args.len(), "inlined program takes other arguments");
        let mut env: Vec<Option<Var>> = vec![None; program.var_count()];
        for (v, &a) in program.inputs().iter().zip(args) {
            env[v.index()] = Some(a);
        }
        let place = self.place.clone();
        for e in program.equations() {
            let x: Vars = e.inputs.iter().map(|v| env[v.index()].expect("defined before use")).collect();
            self.place = if e.place.is_unknown() { place.clone() } else { e.place.clone() };
            let y = write(self, e, &x)?;
            assert_eq!(e.outputs.len(), y.as_ref().len(), "an equation is written with other results");
            e.outputs.iter().zip(y.as_ref()).for_each(|(v, &new)| env[v.index()] = Some(new));
        }
        self.place = place;
        Ok(env.into_iter().map(|v| v.expect("every variable is defined")).collect())
    }

    /// A program written anew as [`Builder::inline_by`] does, with its inputs; what stands for its outputs is given.
    ///
    /// # Errors
    /// The first that `write` gives.
    pub fn rewritten<Y: AsRef<[Var]>, E>(
        program: &Program,
        write: impl FnMut(&mut Builder, &Equation, &[Var]) -> Result<Y, E>,
    ) -> Result<(Builder, Vec<Var>), E> {
        let mut b = Builder::new();
        let args = b.inputs_of(program);
        let all = b.inline_by(program, &args, write)?;
        let outputs = program.outputs().iter().map(|v| all[v.index()]).collect();
        Ok((b, outputs))
    }

    /// The program with these outputs, without equations that nothing needs.
    pub fn finish(mut self, outputs: &[Var]) -> Program {
        let mut live = self.live(outputs, |_| true).into_iter();
        self.equations.retain(|_| live.next() == Some(true));
        self.finish_all(outputs)
    }

    /// [`Builder::finish`], and for each variable of the program its variable in this builder.
    pub fn finish_numbered(mut self, outputs: &[Var]) -> (Program, Vec<Var>) {
        let mut live = self.live(outputs, |_| true).into_iter();
        self.equations.retain(|_| live.next() == Some(true));
        let defined = self.equations.iter().flat_map(|e| &e.outputs);
        let before = self.inputs.iter().chain(defined).copied().collect();
        (self.finish_all(outputs), before)
    }

    /// The program with these outputs that takes known variables as further inputs instead of computing them; and which of
    /// them it takes, in order. An equation stays if another of its results is needed.
    pub(crate) fn finish_with_known(mut self, outputs: &[Var], known: &[Var]) -> (Program, Vec<Var>) {
        let mut is_known = vec![false; self.vars.len()];
        known.iter().for_each(|v| is_known[v.index()] = true);
        let mut needed = vec![false; self.vars.len()];
        outputs.iter().for_each(|v| needed[v.index()] = true);
        let mut kept: Vec<Equation> = Vec::with_capacity(self.equations.len());
        for e in self.equations.into_iter().rev() {
            let computed = e.outputs.iter().any(|v| needed[v.index()] && !is_known[v.index()]);
            if computed {
                e.inputs.iter().for_each(|v| needed[v.index()] = true);
                // The equation gives these too.
                e.outputs.iter().for_each(|v| needed[v.index()] = false);
                kept.push(e);
            }
        }
        kept.reverse();
        self.equations = kept;
        let taken: Vec<Var> = known.iter().copied().filter(|v| needed[v.index()]).collect();
        self.inputs.extend(&taken);
        (self.finish_all(outputs), taken)
    }

    /// The program so far that gives this variable.
    pub fn so_far(&self, v: Var) -> Program {
        let live = self.live(&[v], |_| true);
        self.extract(&self.inputs, &[v], &live)
    }

    /// The program with these outputs, every equation kept as it was added.
    pub fn finish_all(self, outputs: &[Var]) -> Program {
        Program::new(self.vars, self.inputs, self.equations, outputs.to_vec()).renumbered()
    }

    /// The program with these outputs, every equation kept but those that define `optional` variables nothing uses.
    pub fn finish_without(mut self, outputs: &[Var], optional: &[Var]) -> Program {
        let mut needed = vec![true; self.vars.len()];
        optional.iter().for_each(|v| needed[v.index()] = false);
        outputs.iter().for_each(|v| needed[v.index()] = true);
        let mut kept: Vec<Equation> = Vec::with_capacity(self.equations.len());
        for e in self.equations.into_iter().rev() {
            if e.outputs.is_empty() || e.outputs.iter().any(|v| needed[v.index()]) {
                e.inputs.iter().for_each(|v| needed[v.index()] = true);
                kept.push(e);
            }
        }
        kept.reverse();
        self.equations = kept;
        self.finish_all(outputs)
    }

    /// Which equations the outputs need, of those for which `keep` holds.
    pub(crate) fn live(&self, outputs: &[Var], keep: impl Fn(&Equation) -> bool) -> Vec<bool> {
        let mut needed = vec![false; self.vars.len()];
        outputs.iter().for_each(|v| needed[v.index()] = true);
        let mut live = vec![false; self.equations.len()];
        for (live, e) in live.iter_mut().zip(&self.equations).rev() {
            if keep(e) && e.outputs.iter().any(|v| needed[v.index()]) {
                *live = true;
                e.inputs.iter().for_each(|v| needed[v.index()] = true);
            }
        }
        live
    }

    /// The program from `inputs` to `outputs` made of the live equations.
    pub(crate) fn extract(&self, inputs: &[Var], outputs: &[Var], live: &[bool]) -> Program {
        let equations = self.equations.iter().zip(live).filter(|(_, live)| **live).map(|(e, _)| e.clone());
        Program::new(self.vars.clone(), inputs.to_vec(), equations.collect(), outputs.to_vec()).renumbered()
    }

    // The ops that rules use most, by name.

    /// A constant.
    pub fn constant(&mut self, t: Tensor) -> Var {
        self.one(Constant { value: t }, &[])
    }

    /// A splat: one number repeated over a type.
    pub fn full(&mut self, ty: &Type, x: f64) -> Var {
        self.constant(Tensor::splat(ty.shape.clone(), Scalar::from_f64(ty.dtype, x)))
    }

    /// A splat of the type of `v`.
    pub fn full_like(&mut self, v: Var, x: f64) -> Var {
        let ty = self.ty(v).clone();
        self.full(&ty, x)
    }

    /// Zeros.
    pub fn zeros(&mut self, ty: &Type) -> Var {
        self.full(ty, 0.0)
    }

    /// `x`, or zeros of type `ty`.
    pub fn or_zeros(&mut self, x: Option<Var>, ty: &Type) -> Var {
        x.unwrap_or_else(|| self.zeros(ty))
    }

    /// A unary elementwise op.
    pub fn unary(&mut self, op: Unary, x: Var) -> Var {
        self.one(op, &[x])
    }

    /// A binary elementwise op.
    #[track_caller]
    pub fn binary(&mut self, op: Binary, x: Var, y: Var) -> Var {
        self.one(op, &[x, y])
    }

    /// `x + y`.
    #[track_caller]
    pub fn add(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Add, x, y)
    }

    /// `x - y`.
    #[track_caller]
    pub fn sub(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Sub, x, y)
    }

    /// `x * y`.
    #[track_caller]
    pub fn mul(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Mul, x, y)
    }

    /// `x / y`.
    #[track_caller]
    pub fn div(&mut self, x: Var, y: Var) -> Var {
        self.binary(Binary::Div, x, y)
    }

    /// `-x`.
    pub fn neg(&mut self, x: Var) -> Var {
        self.unary(Unary::Neg, x)
    }

    /// `x` times a number.
    pub fn scale(&mut self, x: Var, by: f64) -> Var {
        let c = self.full_like(x, by);
        self.mul(x, c)
    }

    /// `x` plus a number.
    pub fn offset(&mut self, x: Var, by: f64) -> Var {
        let c = self.full_like(x, by);
        self.add(x, c)
    }

    /// The sum, where `None` is zero.
    pub fn add_some(&mut self, x: Option<Var>, y: Option<Var>) -> Option<Var> {
        match (x, y) {
            (Some(x), Some(y)) => Some(self.add(x, y)),
            (x, y) => x.or(y),
        }
    }

    /// Elementwise comparison.
    pub fn compare(&mut self, direction: Direction, x: Var, y: Var) -> Var {
        self.one(Compare { direction }, &[x, y])
    }

    /// `on_true` where `pred`, else `on_false`; `pred` is a scalar or has the shape of both.
    pub fn select(&mut self, pred: Var, on_true: Var, on_false: Var) -> Var {
        self.one(Select {}, &[pred, on_true, on_false])
    }

    /// Another element type; `x` itself if it has it already.
    pub fn convert(&mut self, x: Var, dtype: DType) -> Var {
        if self.dtype(x) == dtype {
            return x;
        }
        self.one(Convert { dtype }, &[x])
    }

    /// `x` placed in `shape`, its axis `i` at `dims[i]`, repeated along the others. Constants stay constants.
    #[track_caller]
    pub fn broadcast(&mut self, x: Var, shape: &Shape, dims: &[usize]) -> Var {
        if self.shape(x) == shape && dims.iter().enumerate().all(|(i, &d)| i == d) {
            return x;
        }
        if let Some(s) = self.constant_splat(x) {
            return self.constant(Tensor::splat(shape.clone(), s));
        }
        self.one(Broadcast { shape: shape.clone(), dims: dims.into() }, &[x])
    }

    /// `x` repeated along a new leading axis.
    pub fn broadcast_leading(&mut self, x: Var, size: usize) -> Var {
        let shape = self.shape(x).with_axis(0, size);
        let dims: Dims = (1..shape.rank()).collect();
        self.broadcast(x, &shape, &dims)
    }

    /// The value of a splat, if `x` is one.
    pub fn constant_splat(&self, x: Var) -> Option<Scalar> {
        match &self.definition(x)?.op {
            Op::Constant(c) => c.value.splat_value(),
            _ => None,
        }
    }

    /// The same elements in row-major order under another shape.
    #[track_caller]
    pub fn reshape(&mut self, x: Var, shape: &Shape) -> Var {
        if self.shape(x) == shape {
            return x;
        }
        self.one(Reshape { shape: shape.clone() }, &[x])
    }

    /// Axis `i` of the result is axis `perm[i]` of `x`.
    #[track_caller]
    pub fn transpose(&mut self, x: Var, perm: &[usize]) -> Var {
        if perm.iter().enumerate().all(|(i, &p)| i == p) {
            return x;
        }
        self.one(Transpose { perm: perm.into() }, &[x])
    }

    /// Moves an axis, keeping the order of the others.
    pub fn move_axis(&mut self, x: Var, from: usize, to: usize) -> Var {
        let mut perm: Dims = (0..self.shape(x).rank()).collect();
        let a = perm.remove(from);
        perm.insert(to, a);
        self.transpose(x, &perm)
    }

    /// Reduces over some axes.
    pub fn reduce(&mut self, combiner: Combiner, x: Var, dims: &[usize]) -> Var {
        if dims.is_empty() {
            return x;
        }
        self.one(Reduce { combiner, dims: dims.into() }, &[x])
    }

    /// Sums over some axes.
    pub fn sum(&mut self, x: Var, dims: &[usize]) -> Var {
        self.reduce(Combiner::Add, x, dims)
    }
}
