//! Sorting, by a region that compares, and the largest elements.

use super::function::{Function, RegionBody, operands, types};
use super::ops::unsupported;
use super::text::{Signature, Ty, Types, Value};
use super::{Operand, Values};
use std::iter::repeat_n;
use wengert_core::ops::{Binary, Direction, Order, Sort, TopK, Unary};
use wengert_core::{DType, Result, Scalar, Shape, Tensor, Type};

impl<'m> Function<'m> {
    pub(super) fn sort(&mut self, op: &Sort, x: &[Operand<'_>], y: &[&Type]) -> Result<Values> {
        let pairs: Vec<Type> = x.iter().flat_map(|x| repeat_n(Type::scalar(x.ty.dtype), 2)).collect();
        let body: RegionBody<'_, 'm> = &|f, args| match &op.order {
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

    pub(super) fn top_k(&mut self, op: &TopK, x: Operand<'_>, y: &[&Type]) -> Values {
        let types = Ty(x.ty);
        self.many(2, format_args!("chlo.top_k({}, k = {}) : {types} -> ({})", x.value, op.k, Types(y)))
    }
}
