//! Ops that only move elements.

use super::form::{Form, Scalars, kind};
use super::{Lowering, elementwise};
use wengert_core::{DType, Op, Tensor, Type};
use wengert_kernel::Value;

impl Lowering {
    /// An op that moves elements. On scalars it is only other names for them; which, the evaluator says, by moving
    /// numbers.
    pub(super) fn moved(&mut self, op: &Op, x: &[Form], y: &Type, small: bool) -> Option<Form> {
        // One value repeated stays that, unless others come in.
        let repeated = matches!(op, Op::Broadcast(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_));
        if repeated && let Some(v) = x[0].splat_scalar() {
            return Some(Form::splat(y.clone(), v));
        }
        if !small || x.iter().any(|x| kind(x.ty.dtype).is_none()) {
            return None;
        }
        if x.iter().any(|x| x.ty.shape.size() > self.limit && !matches!(x.scalars, Some(Scalars::Splat(_)))) {
            return None;
        }
        if let Op::Iota(_) = op {
            let values = wengert_eval::run_op(op, Vec::new()).ok()?.remove(0);
            let kind = kind(y.dtype)?;
            let v = (0..values.size()).map(|i| elementwise::element(&mut self.b, kind, values.get(i))).collect();
            return Some(Form::each(y.clone(), v));
        }
        let all: Vec<Value> = x.iter().flat_map(|x| self.scalars(x)).collect();
        let v = numbered(op, x, y)?.into_iter().map(|i| all[i]).collect();
        Some(Form::each(y.clone(), v))
    }
}

/// For each element of the result, the number of the element it is: those of the first operand, then of the next.
fn numbered(op: &Op, x: &[Form], y: &Type) -> Option<Vec<usize>> {
    let mut first = 0;
    let operands = x.iter().map(|x| {
        let n = x.ty.shape.size();
        let numbers = (first..first + n as i64).collect();
        first += n as i64;
        Tensor::new(x.ty.shape.clone(), numbers).expect("as many as it has")
    });
    let moved = wengert_eval::run_op(op, operands.collect()).ok()?.remove(0);
    debug_assert_eq!((moved.shape(), moved.dtype()), (&y.shape, DType::I64));
    Some((0..moved.size()).map(|i| moved.get(i).as_i64().expect("an integer") as usize).collect())
}
