//! Triangular solves and decompositions of small matrices, on scalars: by the recipes of the evaluator.

use super::Lowering;
use super::form::{Form, kind};
use wengert_core::{Op, Type};
use wengert_eval::kernels::{is_small, triangle};
use wengert_kernel::matrices;
use wengert_kernel::recipes::Instructions;
use wengert_kernel::{Kind, Value};

impl Lowering {
    /// An op that a recipe does, on matrices that are scalars; none if they are not.
    pub(super) fn small_matrices(&mut self, op: &Op, x: &[Form], y: &Type) -> Option<Form> {
        let kind = kind(y.dtype).filter(|k| k.is_float())?;
        let shape = &x[0].ty.shape;
        if !is_small(op, y.dtype, shape) || !self.is_small(y) || !self.is_small(&x[0].ty) {
            return None;
        }
        let n = shape[shape.rank() - 1];
        let (batch, columns) = (shape.size() / (n * n), y.shape[y.shape.rank() - 1]);
        let of_one = y.shape.size() / batch.max(1);
        // Half of the products of two matrices, each of two instructions.
        if batch == 0 || !self.spend(batch * of_one * (n + 1)) {
            return None;
        }
        let scalars: Vec<Vec<Value>> = x.iter().map(|x| self.wide_scalars(x)).collect();
        let mut out = Vec::with_capacity(y.shape.size());
        for (i, a) in scalars[0].chunks(n * n).enumerate() {
            match op {
                Op::TriangularSolve(op) => {
                    let mut b = scalars[1][i * of_one..(i + 1) * of_one].to_vec();
                    let (triangle, steps) = triangle(op, columns);
                    let m = &Instructions::new(&mut self.b, Kind::F64);
                    matrices::triangular_solve(m, triangle, n, a, &mut b, (of_one / n, steps));
                    out.extend(b);
                }
                Op::Cholesky(op) => {
                    let turned = |i: usize| if op.lower { i } else { i % n * n + i / n };
                    let lower: Vec<Value> = (0..n * n).map(|i| a[turned(i)]).collect();
                    let l = matrices::cholesky(&Instructions::new(&mut self.b, Kind::F64), n, &lower);
                    out.extend((0..n * n).map(|i| l[turned(i)]));
                }
                _ => return None,
            }
        }
        let out = out.into_iter().map(|v| self.b.convert(v, kind)).collect();
        Some(Form::each(y.clone(), out))
    }

    /// The scalars of a small array, as `f64`.
    fn wide_scalars(&mut self, x: &Form) -> Vec<Value> {
        self.scalars(x).into_iter().map(|v| self.b.convert(v, Kind::F64)).collect()
    }
}
