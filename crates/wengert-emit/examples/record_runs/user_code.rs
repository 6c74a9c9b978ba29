//! Runs with code of the user's that is no program of ops: callbacks, and ops that evaluate themselves.

use super::{Body, rows, w, x};
use wengert::custom::{Builder, CustomOp, Var, apply};
use wengert::*;

/// How many digits a number has, which no op says.
fn digits(x: &Array) -> Array {
    let count = |x: &f32| (x * 1000.0).abs().round().to_string().len() as f32;
    let f = move |x: &[Array]| vec![Array::from_vec(x[0].shape(), x[0].to_vec::<f32>().iter().map(count).collect())];
    pure_callback(f, &[x.ty()], &[x]).remove(0)
}

/// Of a number of the host.
#[track]
fn digits_of(i: usize) -> Array {
    let a = Array::from(i as f32 * 0.7);
    digits(&a)
}

/// The largest and where it is, by the host.
fn largest(x: &Array, than: &Array) -> [Array; 2] {
    let f = |x: &[Array]| {
        let (x, than) = (x[0].to_vec::<f32>(), x[1].to_vec::<f32>()[0]);
        let at = (0..x.len()).max_by(|&i, &j| x[i].total_cmp(&x[j])).unwrap_or(0);
        vec![Array::from(x[at].max(than)), Array::from(at as i32)]
    };
    let y = pure_callback(f, &[Type::scalar(DType::F32), Type::scalar(DType::I32)], &[x, than]);
    y.try_into().expect("two arrays")
}

/// Twice its operand, by an evaluation of its own alone.
#[derive(Debug)]
struct Twice {
    is_elementwise: bool,
}

impl CustomOp for Twice {
    fn name(&self) -> &str {
        "user.twice!"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn elementwise(&self) -> bool {
        self.is_elementwise
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let y: Vec<f32> = x[0].dense().elements::<f32>().iter().map(|x| x * 2.0).collect();
        Some(Tensor::new(x[0].shape().clone(), y).map(|y| vec![y]))
    }
}

fn twice(x: &Array) -> Array {
    apply(Twice { is_elementwise: true }, &[x]).remove(0)
}

/// The cube of its operand, by an evaluation and a rule for its tangent.
#[derive(Debug)]
struct Cube;

impl CustomOp for Cube {
    fn name(&self) -> &str {
        "user.cube"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let y: Vec<f32> = x[0].dense().elements::<f32>().iter().map(|x| x * x * x).collect();
        Some(Tensor::new(x[0].shape().clone(), y).map(|y| vec![y]))
    }
    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let square = b.mul(x[0], x[0]);
        let slope = b.scale(square, 3.0);
        Some(Ok(vec![t[0].map(|t| b.mul(t, slope))]))
    }
}

fn cubes(x: Array) -> Array {
    apply(Cube, &[&x.sin()]).remove(0).sum(..)
}

/// The digits, with a derivative that is given.
fn smooth_digits(x: Array) -> Array {
    custom_jvp(|x: Array| digits(&x), |(x,): (Array,), (t,): (Array,)| (digits(&x), t * 2.0))(x)
}

pub const USER_CODE: &[(&str, Body)] = runs! {
    callback: vec![digits(&x().sin()) + 1.0, digits(&w())];
    callback_in_staged: vec![jit(|x: Array| digits(&x.sin()) + 1.0)(x())];
    callback_in_staged_twice: { let f = jit(|x: Array| digits(&x.sin()) + 1.0); vec![f(x()), f(x() * 2.0), f(x())] };
    callback_in_scan: vec![scan(|c: Array, x: Array| (digits(&(c * x)), ()), Array::from(1.0f32), x()).0];
    callback_in_while: vec![while_loop(|c: Array| c.lt(30.0), |c: Array| digits(&c) * &c, Array::from(1.5f32))];
    callback_in_branch: vec![cond(x().sum(..).gt(0.0), |x: Array| digits(&x), |x: Array| x * 2.0, x())];
    callback_in_branch_not_taken: vec![cond(x().sum(..).lt(-9.0), |x: Array| digits(&x), |x: Array| x * 2.0, x())];
    callback_in_staged_branch: {
        let f = jit(|p: Array, x: Array| cond(p, |x: Array| digits(&x) + 1.0, |x: Array| twice(&x), x));
        vec![f(Array::from(true), x()), f(Array::from(false), x() + 1.0), f(Array::from(true), x() * 3.0)]
    };
    callback_in_staged_branch_never_taken: {
        let f = jit(|p: Array, x: Array| cond(p, |x: Array| digits(&x) + 1.0, |x: Array| x.sin(), x));
        vec![f(Array::from(false), x()), f(Array::from(false), x() * 3.0)]
    };
    callback_in_batch: vec![vmap(|x: Array| digits(&x.sin()) + x)(x()), jit(vmap(|x: Array| digits(&x)))(w())];
    callback_of_many: vec![digits(&(Array::iota([5000], 0, DType::F32).sin())).sum(..)];
    callback_of_number_in_tracked: vec![digits_of(3), digits_of(4)];
    callback_with_two_results: { let [a, i] = largest(&x(), &Array::from(0.5f32)); vec![a, i] };
    callback_of_batch_and_shared: { let c = Array::from(2.5f32); vec![vmap(|r: Array| largest(&r, &c)[0].clone())(rows())] };
    callback_with_rule: vec![smooth_digits(x()), grad(|x: Array| smooth_digits(x).sum(..))(x())];
    callback_of_known: vec![grad(|x: Array| (digits(&w()) * x).sum(..))(x())];
    callback_of_known_two_deep: {
        let f = |x: Array| (digits(&w()) * x).sum(..);
        vec![jit(grad(f))(x()), jit(move |x: Array| vmap(f)(x))(rows())]
    };
    evaluated_op: vec![twice(&x()), twice(&w()), twice(&twice(&x()))];
    evaluated_op_in_staged: vec![jit(|x: Array| twice(&x) + twice(&x.sin()))(x())];
    evaluated_op_in_batch: vec![vmap(|x: Array| twice(&x).sum(..))(rows())];
    evaluated_op_with_rule: vec![grad(cubes)(x()), value_and_grad(cubes)(w()).1, jvp(cubes, (x(),), (x(),)).1];
    evaluated_op_with_rule_in_staged: vec![jit(grad(cubes))(x()), jit(value_and_grad(cubes))(x()).1];
    evaluated_op_with_rule_in_batch: vec![vmap(grad(cubes))(rows())];
    evaluated_op_in_scan: vec![scan(|c: Array, r: Array| (twice(&c) * r * 0.1, ()), x(), rows()).0];
};
