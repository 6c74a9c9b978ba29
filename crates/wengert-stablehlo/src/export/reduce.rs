//! Reductions over axes, and what combines elements: a name, or a region of scalars.

use super::elementwise::{has_binary, stable_name};
use super::function::Function;
use super::text::{Joined, List, Signature, Ty, Value};
use super::{Operand, Values};
use wengert_core::ops::{Binary, Broadcast, Combiner, Reduce};
use wengert_core::{DType, Dims, Op, Result, Scalar, Shape, Tensor, Type};

impl Function<'_> {
    /// Combines scalars of these types: those so far with the next.
    pub(super) fn combined(&mut self, combiner: &Combiner, scalars: &[&Type], args: &[Value]) -> Result<Values> {
        match combiner {
            Combiner::Program(p) => self.inline(p, args),
            named => {
                let x: Vec<Operand<'_>> = args.iter().map(|&value| Operand { value, ty: scalars[0] }).collect();
                self.binary(named.binary().expect("named"), &x, scalars[0])
            }
        }
    }

    /// The value a combination starts from: what is given, or the identity.
    pub(super) fn starts(&mut self, combiner: &Combiner, given: &[Operand<'_>], d: DType) -> Vec<Value> {
        match combiner.identity(d) {
            Some(identity) => vec![self.constant(&Tensor::splat(Shape::scalar(), identity))],
            None => given.iter().map(|x| x.value).collect(),
        }
    }

    /// What a reduction that starts from its identity gives, started from another value.
    pub(super) fn started(&mut self, named: &Combiner, start: Operand<'_>, y: Value, ty: &Type) -> Result<Values> {
        let binary = named.binary().expect("named");
        let value = self.repeated.get(&start.value).map(|t| t.get(0));
        let zero = binary == Binary::Add && value.and_then(Scalar::as_f64) == Some(0.0);
        if value.is_some() && value == named.identity(ty.dtype) || zero {
            return Ok(Values::from_slice(&[y]));
        }
        let spread = Broadcast { shape: ty.shape.clone(), dims: Dims::new() };
        let start = self.apply(spread, &[start])?[0];
        self.binary(binary, &[start, y].map(|value| Operand { value, ty }), ty)
    }

    pub(super) fn reduce(&mut self, op: &Reduce, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        if let Some(combiner) = by_name(&op.combiner) {
            let named = Reduce { combiner: combiner.clone(), dims: op.dims.clone() };
            let z = self.reduce(&named, &x[..1], y)?[0];
            return self.started(&combiner, x[1], z, y[0]);
        }
        let n = y.len();
        let (arrays, given) = x.split_at(n);
        let starts = self.starts(&op.combiner, given, y[0].dtype);
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let scalars: Vec<&Type> = scalars.iter().collect();
        let from: Vec<&Type> = arrays.iter().map(|x| x.ty).chain(scalars.iter().copied()).collect();
        let pairs = arrays.iter().zip(&starts).map(|(x, s)| format!("({} init: {s})", x.value));
        let z = self.begin(n);
        self.put(format_args!("stablehlo.reduce{}", Joined(pairs)));
        let (dims, signature) = (List(&op.dims), Signature(&from, y));
        let simple = op.combiner.binary().filter(|_| !y[0].dtype.is_complex());
        if let Some(name) = simple.and_then(|op| stable_name(op, y[0].dtype)) {
            self.put(format_args!(" applies {name} across dimensions = {dims} : {signature}"));
            self.end();
            return Ok(z);
        }
        self.put(format_args!(" across dimensions = {dims} : {signature}"));
        self.line();
        let head = |f: &mut Self, args: &[Value]| {
            f.text.push_str(" reducer");
            for i in 0..n {
                let (p, q, t) = (args[i], args[n + i], Ty(scalars[i]));
                f.put(format_args!("({p}: {t}, {q}: {t}) "));
            }
            f.text.push_str(" {\n");
        };
        let twice = [&scalars[..], &scalars[..]].concat();
        self.block(&twice, head, |f, args| {
            Ok((f.combined(&op.combiner, &scalars, args)?, scalars.iter().map(|&t| t.clone()).collect()))
        })?;
        self.end();
        Ok(z)
    }
}

/// Whether what combines elements of this type is read back as it is: by name, or by a program that has no name.
pub(super) fn is_itself(combiner: &Combiner, d: DType) -> bool {
    match combiner.binary() {
        Some(op) => has_binary(op, d),
        None => by_name(combiner).is_none(),
    }
}

/// The named combiner that a program is, if it is one op on its two inputs.
pub(super) fn by_name(combiner: &Combiner) -> Option<Combiner> {
    let Combiner::Program(p) = combiner else { return None };
    let ([e], [a, b]) = (p.equations(), p.inputs()) else { return None };
    let Op::Binary(op) = e.op else { return None };
    let on_both = e.inputs[..] == [*a, *b] || e.inputs[..] == [*b, *a];
    (on_both && p.outputs() == &e.outputs[..]).then(|| Combiner::from_binary(op)).flatten()
}
