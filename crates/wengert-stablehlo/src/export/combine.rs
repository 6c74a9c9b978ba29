//! Ops that combine or order elements by a program of scalars: reductions, windows, scatter, sort.

use super::elementwise::{has_binary, stable_name};
use super::function::{Function, operands, types};
use super::ops::unsupported;
use super::text::{Array, Joined, List, Pairs, Signature, Ty, Value};
use super::{Operand, Values};
use crate::cumulative::log_sum_exp;
use std::iter::repeat_n;
use wengert_core::ops::*;
use wengert_core::{DType, Dims, Op, Result, Scalar, Shape, Tensor, Type};

/// What a region computes from its arguments.
type Body<'a, 'm> = &'a dyn Fn(&mut Function<'m>, &[Value]) -> Result<Values>;

impl<'m> Function<'m> {
    /// Combines scalars of these types: those so far with the next.
    fn combined(&mut self, combiner: &Combiner, scalars: &[&Type], args: &[Value]) -> Result<Values> {
        match combiner {
            Combiner::Program(p) => self.inline(p, args),
            named => {
                let x: Vec<Operand<'_>> = args.iter().map(|&value| Operand { value, ty: scalars[0] }).collect();
                self.binary(named.binary().expect("named"), &x, scalars[0])
            }
        }
    }

    /// The value a combination starts from: what is given, or the identity.
    fn starts(&mut self, combiner: &Combiner, given: &[Operand<'_>], d: DType) -> Vec<Value> {
        match combiner.identity(d) {
            Some(identity) => vec![self.constant(&Tensor::splat(Shape::scalar(), identity))],
            None => given.iter().map(|x| x.value).collect(),
        }
    }

    /// What a reduction that starts from its identity gives, started from another value.
    fn started(&mut self, named: &Combiner, start: Operand<'_>, y: Value, ty: &Type) -> Result<Values> {
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

    /// An op in the generic form with one region of scalars for each `(arguments, results, body)`.
    fn with_regions(
        &mut self,
        head: std::fmt::Arguments<'_>,
        signature: Signature<'_>,
        regions: &[(Vec<Type>, Vec<Type>, Body<'_, 'm>)],
    ) -> Result<Values> {
        let z = self.begin(signature.1.len());
        self.put(head);
        self.text.push_str(" (");
        for (i, (arguments, results, body)) in regions.iter().enumerate() {
            if i > 0 {
                self.text.push_str(", ");
            }
            let arguments: Vec<&Type> = arguments.iter().collect();
            self.region(&arguments, |f, args| Ok((body(f, args)?, results.clone())))?;
        }
        self.put(format_args!(") : {signature}"));
        self.end();
        Ok(z)
    }

    pub(super) fn reduce_window(&mut self, op: &ReduceWindow, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        if let Some(combiner) = by_name(&op.combiner) {
            let named = ReduceWindow { combiner: combiner.clone(), window: op.window.clone() };
            let z = self.apply(named, &x[..1])?[0];
            return self.started(&combiner, x[1], z, y[0]);
        }
        // XLA combines what it pads with; only the identity does no harm then.
        if matches!(op.combiner, Combiner::Program(_)) && op.window.has_holes() {
            return self.expanded(op.clone(), x);
        }
        let (arrays, given) = x.split_at(y.len());
        let starts = self.starts(&op.combiner, given, y[0].dtype);
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let refs: Vec<&Type> = scalars.iter().collect();
        self.windows(&op.window, arrays, &starts, y, &|f, args| f.combined(&op.combiner, &refs, args))
    }

    /// A `reduce_window` that combines as `body` does.
    fn windows(
        &mut self,
        w: &Window,
        arrays: &[Operand<'_>],
        starts: &[Value],
        y: &[&Type],
        body: Body<'_, 'm>,
    ) -> Result<Values> {
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let from: Vec<&Type> = arrays.iter().map(|x| x.ty).chain(&scalars).collect();
        let values = Joined(arrays.iter().map(|x| x.value).chain(starts.iter().copied()));
        let twice = [&scalars[..], &scalars[..]].concat();
        self.with_regions(
            format_args!(
                "\"stablehlo.reduce_window\"({values}) <{{base_dilations = {}, padding = {}, window_dilations = {}, \
                 window_dimensions = {}, window_strides = {}}}>",
                Array(&w.base_dilation),
                Pairs(&w.padding),
                Array(&w.window_dilation),
                Array(&w.size),
                Array(&w.strides)
            ),
            Signature(&from, y),
            &[(twice, scalars.clone(), body)],
        )
    }

    /// What a window sees that ends (or, in reverse, starts) at each element and is as long as the axis.
    pub(super) fn cumulative(&mut self, op: &Cumulative, x: Operand<'_>, y: &Type) -> Result<Values> {
        let n = x.ty.shape[op.dim];
        if x.ty.shape.size() == 0 {
            return Ok(Values::from_slice(&[x.value]));
        }
        let before = n as i64 - 1;
        let axis = |d: usize| WindowAxis {
            size: if d == op.dim { n } else { 1 },
            stride: 1,
            padding: match (d == op.dim, op.reverse) {
                (false, _) => (0, 0),
                (true, false) => (before, 0),
                (true, true) => (0, before),
            },
            base_dilation: 1,
            window_dilation: 1,
        };
        let window: Window = (0..x.ty.rank()).map(axis).collect();
        let (combiner, start) = match op.kind {
            CumulativeKind::Sum => (Combiner::Add, None),
            CumulativeKind::Prod => (Combiner::Mul, None),
            CumulativeKind::Max => (Combiner::Max, None),
            CumulativeKind::Min => (Combiner::Min, None),
            CumulativeKind::LogSumExp => {
                let nothing = Scalar::from_f64(y.dtype, f64::NEG_INFINITY);
                (Combiner::Program(log_sum_exp(y.dtype).into()), Some(nothing))
            }
        };
        let start = start.or(combiner.identity(y.dtype)).expect("all have one");
        let start = self.constant(&Tensor::splat(Shape::scalar(), start));
        let scalar = Type::scalar(y.dtype);
        self.windows(&window, &[x], &[start], &[y], &|f, args| f.combined(&combiner, &[&scalar], args))
    }

    pub(super) fn select_and_scatter(&mut self, op: &SelectAndScatter, x: &[Operand<'_>], y: &Type) -> Result<Values> {
        let w = &op.window;
        if !is_plain(w) {
            return self.expanded(op.clone(), x);
        }
        let (operand, source) = (Type::scalar(x[0].ty.dtype), Type::scalar(y.dtype));
        let start = self.starts(&op.combiner, &x[2..], y.dtype)[0];
        let from = [x[0].ty, x[1].ty, &source];
        let head = format!(
            "\"stablehlo.select_and_scatter\"({}, {}, {start}) <{{padding = {}, window_dimensions = {}, \
             window_strides = {}}}>",
            x[0].value,
            x[1].value,
            Pairs(&w.padding),
            Array(&w.size),
            Array(&w.strides)
        );
        let select: Body<'_, 'm> = &|f, args| match &op.select {
            Selector::Program(p) => f.inline(p, args),
            Selector::Named(direction) => {
                let [p, q] = [args[0], args[1]].map(|value| Operand { value, ty: &operand });
                Ok(Values::from_slice(&[f.compare(*direction, p, q)]))
            }
        };
        let combine: Body<'_, 'm> = &|f, args| f.combined(&op.combiner, &[&source], args);
        let pair = |t: &Type| vec![t.clone(), t.clone()];
        self.with_regions(
            format_args!("{head}"),
            Signature(&from, &[y]),
            &[
                (pair(&operand), vec![Type::scalar(DType::Bool)], select),
                (pair(&source), vec![source.clone()], combine),
            ],
        )
    }

    pub(super) fn scatter(&mut self, op: &Scatter, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let scalars: Vec<Type> = y.iter().map(|t| Type::scalar(t.dtype)).collect();
        let refs: Vec<&Type> = scalars.iter().collect();
        let body: Body<'_, 'm> = &|f, args| match &op.update {
            Update::Set => Ok(Values::from_slice(&args[1..])),
            Update::Combine(c) => f.combined(c, &refs, args),
        };
        let twice = [&scalars[..], &scalars[..]].concat();
        let (values, from, numbers) = (operands(x), types(x), super::indexing::scatter_numbers(&op.indexing));
        self.with_regions(
            format_args!(
                "\"stablehlo.scatter\"({values}) <{{indices_are_sorted = {}, scatter_dimension_numbers = {numbers}, \
                 unique_indices = {}}}>",
                op.indices_are_sorted, op.unique_indices
            ),
            Signature(&from, y),
            &[(twice, scalars.clone(), body)],
        )
    }

    pub(super) fn sort(&mut self, op: &Sort, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let pairs: Vec<Type> = x.iter().flat_map(|x| repeat_n(Type::scalar(x.ty.dtype), 2)).collect();
        let body: Body<'_, 'm> = &|f, args| match &op.order {
            Order::Program(p) => f.inline(p, args),
            Order::Natural(keys) => {
                let keys = args.iter().zip(&pairs).map(|(&value, ty)| Operand { value, ty }).take(2 * keys);
                Ok(Values::from_slice(&[f.before(&keys.collect::<Vec<_>>())?]))
            }
        };
        let (values, from) = (operands(x), types(x));
        self.with_regions(
            format_args!("\"stablehlo.sort\"({values}) <{{dimension = {} : i64, is_stable = {}}}>", op.dim, op.stable),
            Signature(&from, y),
            &[(pairs.clone(), vec![Type::scalar(DType::Bool)], body)],
        )
    }

    /// Whether one list of keys comes before another in the natural order. `keys` has two of each. XLA knows this form,
    /// and sorts faster for it.
    fn before(&mut self, keys: &[Operand<'_>]) -> Result<Value> {
        let bool = Type::scalar(DType::Bool);
        let real: Vec<Type> = keys.iter().map(|k| k.ty.with_dtype(k.ty.dtype.real())).collect();
        let mut parts: Vec<[Operand<'_>; 2]> = Vec::new();
        for (pair, ty) in keys.chunks(2).zip(real.iter().step_by(2)) {
            let each: &[Option<Unary>] =
                if pair[0].ty.dtype.is_complex() { &[Some(Unary::Real), Some(Unary::Imag)] } else { &[None] };
            for part in each {
                let mut two = [pair[0].value, pair[1].value];
                if let Some(part) = part {
                    two = [self.unary(*part, pair[0], ty)?[0], self.unary(*part, pair[1], ty)?[0]];
                }
                if ty.dtype.is_float() {
                    two = [self.canonical(two[0], ty), self.canonical(two[1], ty)];
                }
                parts.push(two.map(|value| Operand { value, ty }));
            }
        }
        let mut before: Option<Value> = None;
        for [p, q] in parts.into_iter().rev() {
            let total = p.ty.dtype.is_float().then_some("TOTALORDER");
            let compare = |f: &mut Self, d: Direction| match total {
                Some(how) => f.compare_as(d, p, q, how),
                None => f.compare(d, p, q),
            };
            let less = compare(self, Direction::Lt);
            before = Some(match before {
                None => less,
                Some(rest) => {
                    let equal = compare(self, Direction::Eq);
                    let [equal, rest, less] = [equal, rest, less].map(|value| Operand { value, ty: &bool });
                    let both = self.binary(Binary::And, &[equal, rest], &bool)?[0];
                    self.binary(Binary::Or, &[less, Operand { value: both, ty: &bool }], &bool)?[0]
                }
            });
        }
        before.ok_or_else(|| unsupported("sort", "it has no keys"))
    }

    /// One zero and one NaN, so that the total order is the natural one.
    fn canonical(&mut self, x: Value, ty: &Type) -> Value {
        let bool = Type::scalar(DType::Bool);
        let float = |value: Value| Operand { value, ty };
        let choice = |value: Value| Operand { value, ty: &bool };
        let constant =
            |f: &mut Self, c: f64| f.constant(&Tensor::splat(Shape::scalar(), Scalar::from_f64(ty.dtype, c)));
        let zero = constant(self, 0.0);
        let is_zero = self.compare(Direction::Eq, float(x), float(zero));
        let y = self.select(choice(is_zero), float(zero), float(x));
        let is_nan = self.compare(Direction::Ne, float(x), float(x));
        let nan = constant(self, f64::NAN);
        self.select(choice(is_nan), float(nan), float(y))
    }
}

/// Whether a window neither skips elements nor cuts any off: all that StableHLO's `select_and_scatter` knows.
pub(super) fn is_plain(w: &Window) -> bool {
    w.base_dilation.iter().chain(&w.window_dilation).all(|&d| d == 1) && w.padding.iter().all(|p| p.0 >= 0 && p.1 >= 0)
}

/// Whether what combines elements of this type is read back as it is: by name, or by a program that has no name.
pub(super) fn is_itself(combiner: &Combiner, d: DType) -> bool {
    match combiner.binary() {
        Some(op) => has_binary(op, d),
        None => by_name(combiner).is_none(),
    }
}

/// The named combiner that a program is, if it is one op on its two inputs.
fn by_name(combiner: &Combiner) -> Option<Combiner> {
    let Combiner::Program(p) = combiner else { return None };
    let ([e], [a, b]) = (p.equations(), p.inputs()) else { return None };
    let Op::Binary(op) = e.op else { return None };
    let on_both = e.inputs[..] == [*a, *b] || e.inputs[..] == [*b, *a];
    (on_both && p.outputs() == &e.outputs[..]).then(|| Combiner::from_binary(op)).flatten()
}
