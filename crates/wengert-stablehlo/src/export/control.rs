//! Calls, branches, loops, and ops that users add.

use super::function::{Function, named_inputs, types};
use super::ops::unsupported;
use super::text::{Joined, List, Signature, Ty, Types, Value};
use super::{Callee, Operand, Values};
use std::sync::Arc;
use wengert_core::ops::{Binary, Call, CallKind, Cond, Custom, Direction, Reshape, Scan, While};
use wengert_core::{DType, Program, Result, Scalar, Shape, Tensor, Type};

impl Function<'_> {
    pub(super) fn call_op(&mut self, op: &Call, x: &[Operand<'_>]) -> Values {
        if op.kind == CallKind::Staged {
            return self.call(&op.program, op.program.name(), x);
        }
        // Behind the barrier XLA does not see that these values were computed before.
        let held = self.barrier(x);
        let held: Vec<Operand<'_>> = held.iter().zip(x).map(|(&value, x)| Operand { value, ty: x.ty }).collect();
        self.call(&op.program, op.program.name(), &held)
    }

    pub(super) fn custom_op(&mut self, op: &Custom, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let types: Vec<Type> = x.iter().map(|x| x.ty.clone()).collect();
        // Whether there is some does not depend on the names of functions.
        let functions = vec![String::new(); op.get().programs().len()];
        if op.get().stablehlo(&types, &functions).is_some() {
            let name = self.module.function(Callee::Custom(op.clone(), types), op.get().name());
            return Ok(self.call_function(&name, x, y));
        }
        match wengert_expand::expand(&op.clone().into(), &types) {
            Some(program) => Ok(self.call(&program?.into(), op.get().name(), x)),
            None => Err(unsupported(op.get().name(), "it has neither StableHLO of its own nor a decomposition")),
        }
    }

    pub(super) fn cond(&mut self, op: &Cond, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        if y.is_empty() {
            return Ok(Values::new());
        }
        let (name, choice, branches): (_, _, Vec<&Arc<Program>>) = match x[0].ty.dtype {
            DType::Bool => ("if", x[0].value, op.branches.iter().rev().collect()),
            _ => ("case", self.branch_index(x[0], op.branches.len()), op.branches.iter().collect()),
        };
        let z = self.begin(y.len());
        self.put(format_args!("\"stablehlo.{name}\"({choice}) ("));
        for (i, branch) in branches.into_iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            self.region(&[], |f, _| {
                let args = f.captured(&x[1..], &named_inputs(branch));
                f.inline_typed(branch, &args)
            })?;
        }
        self.put(format_args!(") : {}", Signature(&[x[0].ty], y)));
        self.end();
        Ok(z)
    }

    /// The position of a branch, taken into range: to StableHLO anything outside means the last.
    fn branch_index(&mut self, x: Operand<'_>, branches: usize) -> Value {
        let last = branches as i64 - 1;
        if self.ranges.get(&x.value).is_some_and(|&(low, high)| low >= 0 && high <= last) {
            return x.value;
        }
        let (low, high) = (self.scalar(0i32), self.scalar(last as i32));
        let z = self.one(format_args!("stablehlo.clamp {low}, {}, {high} : {}", x.value, Ty(x.ty)));
        self.ranges.insert(z, (0, last));
        z
    }

    pub(super) fn while_loop(&mut self, op: &While, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let (consts, carries) = x.split_at(op.consts);
        let run = |f: &mut Self, program: &Program, args: &[Value]| {
            let mut all = f.captured(consts, &named_inputs(program));
            all.extend(args);
            f.inline(program, &all)
        };
        self.repeat(carries, y, |f, args| run(f, &op.cond, args), |f, args| run(f, &op.body, args))
    }

    /// A loop: its operands, whether to go on, and one step.
    fn repeat(
        &mut self,
        x: &[Operand<'_>],
        y: &[&Type],
        cond: impl FnOnce(&mut Self, &[Value]) -> Result<Values>,
        step: impl FnOnce(&mut Self, &[Value]) -> Result<Values>,
    ) -> Result<Values> {
        if y.is_empty() {
            return Ok(Values::new());
        }
        let z = self.begin(y.len());
        let from = types(x);
        let head = |f: &mut Self, args: &[Value]| {
            let pairs = args.iter().zip(x).map(|(arg, x)| format!("{arg} = {}", x.value));
            f.put(format_args!("stablehlo.while({}) : {}", Joined(pairs), Types(&from)));
            f.line();
            f.text.push_str("cond {\n");
        };
        // Both blocks have the same arguments.
        let mut shared = Vec::new();
        self.block(&from, head, |f, args| {
            shared = args.to_vec();
            Ok((cond(f, args)?, vec![Type::scalar(DType::Bool)]))
        })?;
        let types = y.iter().map(|&t| t.clone()).collect();
        self.block(&[], |f, _| f.text.push_str(" do {\n"), |f, _| Ok((step(f, &shared)?, types)))?;
        self.end();
        Ok(z)
    }

    pub(super) fn scan(&mut self, op: &Scan, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let (consts, rest) = x.split_at(op.consts);
        let (carries, arrays) = rest.split_at(op.carries);
        let stacked = &y[op.carries..];
        let mut start: Vec<Value> = carries.iter().map(|x| x.value).collect();
        start.extend(stacked.iter().map(|t| self.constant(&Tensor::zeros(t))));
        if op.length == 0 {
            return Ok(start.into());
        }
        let index = Type::scalar(counter(op.length));
        let number = |f: &mut Self, n: usize| {
            f.constant(&Tensor::splat(Shape::scalar(), Scalar::from_i64(index.dtype, n as i64)))
        };
        let first = number(self, 0);
        let all_types: Vec<&Type> = [&index].into_iter().chain(y.iter().copied()).collect();
        let all: Vec<Operand<'_>> =
            [first].iter().chain(&start).zip(&all_types).map(|(&value, &ty)| Operand { value, ty }).collect();
        let at = |value: Value| Operand { value, ty: &index };
        let go_on = |f: &mut Self, args: &[Value]| -> Result<Values> {
            let end = number(f, op.length);
            Ok(Values::from_slice(&[f.compare(Direction::Lt, at(args[0]), at(end))]))
        };
        let step = |f: &mut Self, args: &[Value]| -> Result<Values> {
            let (&i, args) = args.split_first().expect("the counter");
            let mut place = i;
            if op.reverse && !(arrays.is_empty() && stacked.is_empty()) {
                let last = number(f, op.length - 1);
                place = f.binary(Binary::Sub, &[at(last), at(i)], &index)?[0];
            }
            let is_deep = |ty: &Type| ty.rank() > 1;
            let deep = arrays.iter().any(|x| is_deep(x.ty)) || stacked.iter().any(|t| is_deep(t));
            let zero = if deep { number(f, 0) } else { place };
            let mut rows = Vec::new();
            for array in arrays {
                let starts = Starts { place, zero, rank: array.ty.rank(), index: &index };
                rows.push(f.read_row(array, &starts)?);
            }
            let mut inner = f.captured(consts, &named_inputs(&op.body));
            inner.extend(&args[..op.carries]);
            inner.extend(rows);
            let out = f.inline(&op.body, &inner)?;
            let mut next = Values::new();
            next.push(place);
            next.extend_from_slice(&out[..op.carries]);
            for ((&row, &sofar), &ty) in out[op.carries..].iter().zip(&args[op.carries..]).zip(stacked) {
                let starts = Starts { place, zero, rank: ty.rank(), index: &index };
                next.push(f.write_row(sofar, ty, row, &starts)?);
            }
            let one = number(f, 1);
            next[0] = f.binary(Binary::Add, &[at(i), at(one)], &index)?[0];
            Ok(next)
        };
        let z = self.repeat(&all, &all_types, go_on, step)?;
        Ok(z[1..].into())
    }

    /// One row of an array.
    fn read_row(&mut self, array: &Operand<'_>, at: &Starts<'_>) -> Result<Value> {
        let row = row(array.ty);
        let x: Vec<Operand<'_>> = [*array].into_iter().chain(at.operands()).collect();
        let value = self.plain("dynamic_slice", &x, format_args!(", sizes = {}", List(&row.shape)), &[&row])[0];
        let shape = array.ty.shape.without_axes(&[0]);
        Ok(self.apply(Reshape { shape }, &[Operand { value, ty: &row }])?[0])
    }

    /// An array of this type with one row written over.
    fn write_row(&mut self, array: Value, ty: &Type, value: Value, at: &Starts<'_>) -> Result<Value> {
        let flat = ty.with_shape(ty.shape.without_axes(&[0]));
        let row = row(ty);
        let value = self.apply(Reshape { shape: row.shape.clone() }, &[Operand { value, ty: &flat }])?[0];
        let both = [Operand { value: array, ty }, Operand { value, ty: &row }];
        let x: Vec<Operand<'_>> = both.into_iter().chain(at.operands()).collect();
        Ok(self.plain("dynamic_update_slice", &x, "", &[ty])[0])
    }
}

/// The type of one row of an array, with its leading axis.
fn row(ty: &Type) -> Type {
    let mut row = ty.clone();
    row.shape.0[0] = 1;
    row
}

/// Where a row starts: at a place along the first axis, and at zero along the others.
struct Starts<'a> {
    place: Value,
    zero: Value,
    rank: usize,
    index: &'a Type,
}

impl<'a> Starts<'a> {
    fn operands(&self) -> impl Iterator<Item = Operand<'a>> {
        let zeros = std::iter::repeat_n(self.zero, self.rank - 1);
        std::iter::once(self.place).chain(zeros).map(|value| Operand { value, ty: self.index })
    }
}

/// The type of an index into something of this size.
fn counter(n: usize) -> DType {
    if i32::try_from(n).is_ok() { DType::I32 } else { DType::I64 }
}
