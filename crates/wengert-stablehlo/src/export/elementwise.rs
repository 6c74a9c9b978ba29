//! Elementwise ops of two and three operands: by their names, and the few that have none in StableHLO for some element types.

use super::function::{Function, operands, types};
use super::text::{Short, Signature, Ty, Types, Value};
use super::{Operand, Values};
use crate::names::{Named, word};
use smallvec::smallvec;
use wengert_core::ops::{Binary, Convert, Direction};
use wengert_core::{DType, Result, Type};

/// The op by its name among bools: XLA's devices do not agree on what their sum is.
fn among(op: Binary, d: DType) -> Binary {
    match op {
        Binary::Add | Binary::Max if d == DType::Bool => Binary::Or,
        Binary::Mul | Binary::Min if d == DType::Bool => Binary::And,
        op => op,
    }
}

/// The name in StableHLO of an op of two operands of this element type, if it has one.
pub(super) fn stable_name(op: Binary, d: DType) -> Option<&'static str> {
    among(op, d).spelling().filter(|name| name.starts_with("stablehlo."))
}

/// Whether an op of two operands of this element type has a name, and means what it says.
pub(super) fn has_binary(op: Binary, d: DType) -> bool {
    among(op, d) == op && !(matches!(op, Binary::Max | Binary::Min) && d.is_complex())
}

/// How elements are compared.
fn comparison(d: DType) -> &'static str {
    match d {
        d if d.is_signed() => "SIGNED",
        d if d.is_differentiable() => "FLOAT",
        _ => "UNSIGNED",
    }
}

impl Function<'_> {
    pub(super) fn binary(&mut self, op: Binary, x: &[Operand<'_>], y: &Type) -> Result<Values> {
        match op {
            Binary::Max | Binary::Min if y.dtype.is_complex() => self.expanded(op, x),
            // Its type is that of the result alone.
            Binary::Complex => {
                let name = op.spelling().expect("it has one");
                Ok(smallvec![self.one(format_args!("{name} {} : {}", operands(x), Ty(y)))])
            }
            op => Ok(self.named(among(op, y.dtype), x, y)),
        }
    }

    pub(super) fn named(&mut self, op: impl Named, x: &[Operand<'_>], y: &Type) -> Values {
        let (values, from) = (operands(x), types(x));
        let name = op.spelling().expect("lowered before");
        let y = match name.starts_with("chlo.") {
            true => self.one(format_args!("{name} {values} : {} -> {}", Types(&from), Ty(y))),
            false => self.one(format_args!("{name} {values} : {}", Short(Signature(&from, &[y])))),
        };
        smallvec![y]
    }

    pub(super) fn compare(&mut self, d: Direction, x: Operand<'_>, y: Operand<'_>) -> Value {
        self.compare_as(d, x, y, comparison(x.ty.dtype))
    }

    pub(super) fn compare_as(&mut self, d: Direction, x: Operand<'_>, y: Operand<'_>, how: &str) -> Value {
        let (to, d) = (x.ty.with_dtype(DType::Bool), word(d));
        let types = [x.ty, y.ty];
        let signature = Signature(&types, &[&to]);
        self.one(format_args!("stablehlo.compare {d}, {}, {}, {how} : {signature}", x.value, y.value))
    }

    pub(super) fn select(&mut self, pred: Operand<'_>, on_true: Operand<'_>, on_false: Operand<'_>) -> Value {
        let (p, x, y) = (pred.value, on_true.value, on_false.value);
        self.one(format_args!("stablehlo.select {p}, {x}, {y} : {}, {}", Ty(pred.ty), Ty(on_true.ty)))
    }

    pub(super) fn clamp(&mut self, x: &[Operand<'_>], y: &Type) -> Values {
        let z = self.short("clamp", x, "", y);
        let bound = |x: &Operand<'_>| self.ranges.get(&x.value).filter(|(low, high)| low == high).map(|r| r.0);
        if y.rank() == 0
            && let (Some(low), Some(high)) = (bound(&x[0]), bound(&x[2]))
        {
            self.ranges.insert(z[0], (low, high));
        }
        z
    }

    pub(super) fn convert(&mut self, x: Operand<'_>, y: &Type) -> Result<Values> {
        // StableHLO does not say what becomes of imaginary parts.
        if x.ty.dtype.is_complex() && !y.dtype.is_complex() {
            return self.expanded(Convert { dtype: y.dtype }, &[x]);
        }
        let z = self.one(format_args!("stablehlo.convert {} : {}", x.value, Signature(&[x.ty], &[y])));
        if x.ty.dtype == DType::Bool && y.dtype.is_integer() && y.rank() == 0 {
            self.ranges.insert(z, (0, 1));
        }
        Ok(smallvec![z])
    }
}
