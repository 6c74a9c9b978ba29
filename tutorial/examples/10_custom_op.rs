//! Chapter 10: ops of your own. One with its rules, one that is short for a program; both under every transform.
//!
//! `cargo run --release --example 10_custom_op`

use wengert::custom::{Builder, CustomOp, Var, apply};
use wengert::{Array, Error, Program, Result, Tensor, Type, grad, hessian, jit, make_program, vmap};

/// `x³`, with a typing rule, an evaluation and a tangent. It is elementwise, so batching follows.
#[derive(Debug)]
struct Cube;

impl CustomOp for Cube {
    fn name(&self) -> &str {
        "example.cube"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        match x {
            [x] if x.dtype.is_float() => Ok(vec![x.clone()]),
            _ => Err(Error::dtype("`example.cube` takes one array of floats")),
        }
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let cube = |v: Vec<f64>| Tensor::new(x[0].shape().clone(), v.iter().map(|x| x * x * x).collect());
        Some(x[0].to_vec::<f64>().and_then(cube).map(|t| vec![t]))
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn tangents(&self, b: &mut Builder, x: &[Var], _: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        // 3x² · t. Reverse mode is the transpose of this, and needs no rule.
        let square = b.mul(x[0], x[0]);
        let slope = b.scale(square, 3.0);
        Some(Ok(vec![t[0].map(|t| b.mul(t, slope))]))
    }
}

/// `limit · tanh(x / limit)`, as the program it is short for: every rule and the evaluation follow.
#[derive(Debug)]
struct SoftCap {
    limit: f64,
}

impl CustomOp for SoftCap {
    fn name(&self) -> &str {
        "example.softcap"
    }
    fn attributes(&self) -> String {
        format!("limit={}", self.limit)
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let [x] = x else { return Some(Err(Error::shape("`example.softcap` takes one array"))) };
        let limit = self.limit;
        let like = Array::from_tensor(Tensor::zeros(x));
        Some(Ok(make_program(move |x: Array| (x / limit).tanh() * limit, (like,))))
    }
}

fn cube(x: &Array) -> Array {
    apply(Cube, &[x]).remove(0)
}

fn softcap(x: &Array, limit: f64) -> Array {
    apply(SoftCap { limit }, &[x]).remove(0)
}

fn main() {
    let f = |x: Array| softcap(&cube(&x), 5.0).sum(..);
    let x = Array::from([0.5f64, 1.0, 2.0]);
    println!("f = {}", f(x.clone()));
    println!("gradient {}", grad(f)(x.clone()));
    println!("hessian\n{}", hessian(f)(x.clone()));

    let xs = Array::from([[0.5f64, 1.0, 2.0], [-1.0, 0.0, 1.0]]);
    let step = jit(vmap(grad(f)));
    println!("jit(vmap(grad(f)))\n{}", step(xs));
    println!("{}", step.programs()[0]);
}
