//! Products of small matrices, on scalars.

use super::form::{Form, kind};
use super::{Lowering, elementwise};
use wengert_core::ops::DotGeneral;
use wengert_core::{Shape, Type};
use wengert_eval::kernels::FEW_PRODUCTS;
use wengert_kernel::{Binary, Value};

/// The row-major positions of the elements of an array, by these lists of axes, one inside the other.
fn by_axes(shape: &Shape, lists: [&[usize]; 3]) -> Vec<usize> {
    let mut steps = vec![1; shape.rank()];
    for d in (1..shape.rank()).rev() {
        steps[d - 1] = steps[d] * shape[d];
    }
    let axes = lists.into_iter().flatten();
    axes.fold(vec![0], |some, &d| {
        let (n, step) = (shape[d], steps[d]);
        some.iter().flat_map(|at| (0..n).map(move |i| at + i * step)).collect()
    })
}

impl Lowering {
    /// A product of few numbers, in the evaluator's order: sums by halves.
    pub(super) fn dot(&mut self, op: &DotGeneral, x: &[Form], y: &Type) -> Option<Form> {
        let (l, r) = (&x[0].ty.shape, &x[1].ty.shape);
        let size = |shape: &Shape, axes: &[usize]| axes.iter().map(|&d| shape[d]).product::<usize>();
        let (lf, rf) = (op.lhs_free(l.rank()), op.rhs_free(r.rank()));
        let (m, n, k) = (size(l, &lf), size(r, &rf), size(l, &op.contract.0));
        let products = y.shape.size().checked_mul(k)?;
        let to = kind(y.dtype)?;
        let kept = elementwise::computed(to);
        if products > FEW_PRODUCTS
            || products == 0
            || !kept.is_float()
            || x.iter().any(|x| kind(x.ty.dtype).is_none())
            || !self.spend(2 * products)
        {
            return None;
        }
        let mut wide = |x: &Form| -> Vec<Value> {
            self.scalars(x).into_iter().map(|v| elementwise::convert(&mut self.b, v, kept)).collect()
        };
        let (lv, rv) = (wide(&x[0]), wide(&x[1]));
        let (la, ra) = (by_axes(l, [&op.batch.0, &lf, &op.contract.0]), by_axes(r, [&op.batch.1, &rf, &op.contract.1]));
        let mut out: Vec<Value> = Vec::with_capacity(y.shape.size());
        for batch in 0..y.shape.size() / (m * n) {
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let pair = |p: usize| (lv[la[(batch * m + i) * k + p]], rv[ra[(batch * n + j) * k + p]]);
                let row: Vec<Value> = (0..k)
                    .map(|p| {
                        let (x, y) = pair(p);
                        self.b.binary(Binary::Mul, x, y)
                    })
                    .collect();
                let sum = self.halved(wengert_core::ops::Binary::Add, row);
                out.push(elementwise::convert(&mut self.b, sum, to));
            }
        }
        Some(Form::each(y.clone(), out))
    }
}
