//! Products of matrices: small ones on scalars, the others by a call with a record of their sizes.

use super::form::{Form, Memory, kind};
use super::held::Number;
use super::{Lowering, SMALL, VECTOR, elementwise};
use std::sync::Arc;
use wengert_core::ops::{Convert, DotGeneral, Transpose};
use wengert_core::{DType, Dims, Op, Program, Shape, Type, Var};
use wengert_eval::kernels::{CHAIN, Products, Real, chains, products};
use wengert_kernel::{Binary, Callee, Inst, Kind, Signature, Value};

/// Products of at most this many pairs of numbers that are scalars already are done on scalars.
const FEW: usize = 256;
/// The same for numbers that are read from memory.
const FEW_IN_MEMORY: usize = 128;
// Sums on scalars are one chain.
const _: () = assert!(FEW <= CHAIN);

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

/// Whether a program has products too large for scalars, of or to arrays that are small enough for them but no single few
/// numbers.
pub(super) fn multiplies_vectors(program: &Program) -> bool {
    program.any(|p, e| match &e.op {
        Op::DotGeneral(op) => {
            let (l, y) = (&p.ty(e.inputs[0]).shape, &p.ty(e.outputs[0]).shape);
            let depth: usize = op.contract.0.iter().map(|&d| l[d]).product();
            let is_vector = |v: &Var| (VECTOR + 1..=SMALL[0]).contains(&p.ty(*v).shape.size());
            y.size().saturating_mul(depth) > FEW && e.inputs.iter().chain(&e.outputs).any(is_vector)
        }
        _ => false,
    })
}

/// Computes products with a record of them.
///
/// # Safety
/// As [`Products::run`].
unsafe extern "C" fn run<T: Real>(record: *const Products<T>, x: *const T, y: *const T, out: *mut T) -> bool {
    // SAFETY: the caller's word.
    unsafe { (*record).run(x, y, out) };
    true
}

impl Lowering {
    /// A product, with the evaluator's order of sums; none if a kernel computes it.
    pub(super) fn dot(&mut self, op: &DotGeneral, x: &[Form], y: &Type) -> Option<Form> {
        if let Some(form) = self.small_dot(op, x, y) {
            return Some(form);
        }
        // `f16` and `bf16` are multiplied and summed in `f32`.
        let computed_in = match y.dtype {
            DType::F64 => DType::F64,
            d if d.is_float() => DType::F32,
            _ => return None,
        };
        let mut op = op.clone();
        let targets = std::mem::take(&mut self.targets);
        let mut x = [self.converted(&x[0], computed_in), self.converted(&x[1], computed_in)];
        // Axes that lie apart are brought together.
        if products::<f32>(&op, &x[0].ty.shape, &x[1].ty.shape).is_none() {
            let free = [op.lhs_free(x[0].ty.rank()), op.rhs_free(x[1].ty.rank())];
            let sides = [(&op.batch.0, &op.contract.0), (&op.batch.1, &op.contract.1)];
            let mut axes = Vec::new();
            for (i, (batch, contract)) in sides.into_iter().enumerate() {
                let order: Dims = batch.iter().chain(&free[i]).chain(contract).copied().collect();
                x[i] = self.turned(&x[i], &order);
                let (first, rank) = (batch.len() + free[i].len(), order.len());
                axes.push(((0..batch.len()).collect::<Dims>(), (first..rank).collect::<Dims>()));
            }
            let (right, left) = (axes.pop()?, axes.pop()?);
            op = DotGeneral { batch: (left.0, right.0), contract: (left.1, right.1) };
        }
        if computed_in == y.dtype {
            self.targets = targets.clone();
        }
        let ty = y.with_dtype(computed_in);
        let form = match computed_in {
            DType::F64 => self.products::<f64>(&op, &x, ty, computed_in == y.dtype),
            _ => self.products::<f32>(&op, &x, ty, computed_in == y.dtype),
        }?;
        if computed_in == y.dtype {
            return Some(form);
        }
        self.targets = targets;
        Some(self.converted(&form, y.dtype))
    }

    /// The array in another element type.
    fn converted(&mut self, x: &Form, dtype: DType) -> Form {
        if x.ty.dtype == dtype {
            return x.clone();
        }
        let (op, ty) = (Op::from(Convert { dtype }), x.ty.with_dtype(dtype));
        match self.elementwise(&op, std::slice::from_ref(x), &ty) {
            Some(mut forms) => forms.remove(0),
            None => self.kernel(&op, vec![x.clone()], &[ty]).remove(0),
        }
    }

    /// The array with its axes in this order.
    pub(super) fn turned(&mut self, x: &Form, order: &[usize]) -> Form {
        if order.is_sorted() {
            return x.clone();
        }
        let shape: Shape = order.iter().map(|&d| x.ty.shape[d]).collect();
        let (op, ty) = (Op::from(Transpose { perm: order.into() }), x.ty.with_shape(shape));
        match self.moved(&op, std::slice::from_ref(x), &ty, self.is_small(&ty)) {
            Some(form) => form,
            None => self.kernel(&op, vec![x.clone()], &[ty]).remove(0),
        }
    }

    /// Products of arrays whose axes lie together: put off, if what follows may be done with their rows, or called. `is_last`
    /// says whether nothing else is computed for the equation.
    fn products<T: Number>(&mut self, op: &DotGeneral, x: &[Form; 2], ty: Type, is_last: bool) -> Option<Form> {
        let products = Arc::new(products::<T>(op, &x[0].ty.shape, &x[1].ty.shape)?);
        if is_last && let Some(form) = self.put_off_after(&products, op, x, &ty) {
            return Some(form);
        }
        if let Some(form) = self.put_off_product(&products, op, x, &ty) {
            return Some(form);
        }
        let from: Vec<Memory> = x.iter().map(|x| self.memory(x)).collect();
        let to = self.room_of(0, &ty);
        self.call_products(&products, [&from[0], &from[1], &to]);
        Some(Form::memory(ty, to))
    }

    /// Calls what computes products of two arrays to a third, with a record of them.
    pub(super) fn call_products<T: Real>(&mut self, products: &Arc<Products<T>>, places: [&Memory; 3]) {
        let mut args = vec![self.b.constant(Kind::Ptr, Arc::as_ptr(products) as u64)];
        for place in places {
            let at = self.address(place, 0);
            args.push(self.b.pointer(at));
        }
        // SAFETY: it takes four pointers, gives a boolean, keeps none of the pointers, and does not unwind.
        let callee = unsafe { Callee::new(run::<T> as *const (), Signature::Kernel) };
        self.b.push(Inst::Call { callee, x: args });
        self.records.push(products.clone());
    }

    /// A product of few numbers, on scalars.
    fn small_dot(&mut self, op: &DotGeneral, x: &[Form], y: &Type) -> Option<Form> {
        let (l, r) = (&x[0].ty.shape, &x[1].ty.shape);
        let size = |shape: &Shape, axes: &[usize]| axes.iter().map(|&d| shape[d]).product::<usize>();
        let (lf, rf) = (op.lhs_free(l.rank()), op.rhs_free(r.rank()));
        let (m, n, k) = (size(l, &lf), size(r, &rf), size(l, &op.contract.0));
        let pairs = y.shape.size().checked_mul(k)?;
        let few = if x.iter().all(|x| x.scalars.is_some()) { FEW } else { FEW_IN_MEMORY };
        let to = kind(y.dtype)?;
        let kept = elementwise::computed(to);
        let known = (kept.is_float() || kept.is_integer()) && x.iter().all(|x| kind(x.ty.dtype).is_some());
        if pairs > few || pairs == 0 || !known || !self.spend(2 * pairs) {
            return None;
        }
        let mut wide = |x: &Form| -> Vec<Value> {
            self.scalars(x).into_iter().map(|v| elementwise::convert(&mut self.b, v, kept)).collect()
        };
        let (lv, rv) = (wide(&x[0]), wide(&x[1]));
        let (la, ra) = (by_axes(l, [&op.batch.0, &lf, &op.contract.0]), by_axes(r, [&op.batch.1, &rf, &op.contract.1]));
        // The order of sums of integers does not matter.
        let chains = if kept.is_float() { chains(m, n, k) } else { 1 };
        let mut out: Vec<Value> = Vec::with_capacity(y.shape.size());
        for batch in 0..y.shape.size() / (m * n) {
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let pair = |p: usize| (lv[la[(batch * m + i) * k + p]], rv[ra[(batch * n + j) * k + p]]);
                let sums = (0..k.min(chains)).map(|c| {
                    let (x, y) = pair(c);
                    let first = self.b.binary(Binary::Mul, x, y);
                    (c + chains..k).step_by(chains).fold(first, |sum, p| self.add_product(pair(p), sum))
                });
                let sums: Vec<Value> = sums.collect();
                let sum = self.by_halves(sums, chains);
                out.push(elementwise::convert(&mut self.b, sum, to));
            }
        }
        Some(Form::each(y.clone(), out))
    }

    /// A sum with one more product.
    fn add_product(&mut self, (x, y): (Value, Value), sum: Value) -> Value {
        let kind = self.b.kind(sum);
        if kind.is_float() {
            return self.b.mul_add([x, y, sum]);
        }
        let product = self.b.binary(Binary::Mul, x, y);
        self.b.binary(Binary::Add, sum, product)
    }

    /// The first `count` of so many sums are there: all added by halves, the first half with the second.
    fn by_halves(&mut self, mut sums: Vec<Value>, mut count: usize) -> Value {
        while count > 1 {
            count /= 2;
            for (i, sum) in sums.split_off(count.min(sums.len())).into_iter().enumerate() {
                sums[i] = self.b.binary(Binary::Add, sums[i], sum);
            }
        }
        sums[0]
    }
}
