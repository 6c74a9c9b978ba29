//! Chapter 14: an op that holds a program. The fixed point `x = f(x, p)` of a function, found by repeating it; its derivatives are
//! those of the equation, and cost a fixed point each, of the linear equation that the tangents fulfil.
//!
//! `cargo run --release --example 14_custom_solver`

use std::sync::Arc;
use wengert::custom::{Batched, Batcher, Builder, Custom, CustomOp, Operand, Var, apply, staged, transform};
use wengert::{Array, Error, Program, Result, Tensor, Type, call_program, grad, jit, make_program, vmap, while_loop};

/// `x = f(x, p…)`, from a first guess: operands are the guess, then `p…`.
#[derive(Debug)]
pub struct FixedPoint {
    /// Takes `x` and `p…`, gives the next `x`.
    pub f: Arc<Program>,
}

/// The steps that are taken at most.
const STEPS: i32 = 1000;

impl CustomOp for FixedPoint {
    fn name(&self) -> &str {
        "example.fixed_point"
    }
    fn programs(&self) -> Vec<&Arc<Program>> {
        vec![&self.f]
    }
    fn with_programs(&self, mut programs: Vec<Arc<Program>>) -> Option<Custom> {
        programs.pop().map(|f| Custom::new(FixedPoint { f }))
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        match self.f.input_types() == x && self.f.output_types() == x[..1] {
            true => Ok(x[..1].to_vec()),
            false => {
                Err(Error::shape(format!("a fixed point on {x:?} needs a function of these that gives the first")))
            }
        }
    }

    /// What runs it: repeat until nothing changes any more.
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let like: Vec<Array> = x.iter().map(|t| Array::from_tensor(Tensor::zeros(t))).collect();
        let f = self.f.clone();
        let solve = move |x: Vec<Array>| {
            let step = |now: Array| call_program(&f, &[&[now], &x[1..]].concat()).remove(0);
            let moves = |(x, next, n): (Array, Array, Array)| {
                let change = (&next - &x).abs().max(..);
                (change.gt(x.abs().max(..) * 1e-14 + 1e-300)).logical_and(n.lt(STEPS))
            };
            let go_on = |(_, x, n): (Array, Array, Array)| (x.clone(), step(x), n + 1);
            while_loop(moves, go_on, (x[0].clone(), step(x[0].clone()), Array::from(0i32))).1
        };
        Some(Ok(make_program(solve, (like,))))
    }

    /// `t = ∂f/∂x · t + ∂f/∂p · dp`: again a fixed point.
    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let moving: Vec<Var> = t[1..].iter().flatten().copied().collect();
        if moving.is_empty() {
            return Some(Ok(vec![None]));
        }
        let active: Vec<bool> = t.iter().enumerate().map(|(i, t)| i == 0 || t.is_some()).collect();
        let dual = match transform::jvp(&self.f, &active) {
            Ok((dual, _)) => dual,
            Err(e) => return Some(Err(e)),
        };
        // It takes the tangent of x, then x, p… and the tangents of p.
        let known: Vec<Var> = [y, &x[1..]].concat();
        let mut inner = Builder::new();
        let t = inner.input(b.ty(x[0]).clone());
        let given: Vec<Var> = known.iter().chain(&moving).map(|&v| inner.input(b.ty(v).clone())).collect();
        let (primals, tangents) = given.split_at(known.len());
        let z = inner.inline(&dual, &[primals, &[t], tangents].concat());
        let next = z.get(1).copied().unwrap_or_else(|| inner.zeros(b.ty(x[0])));
        let f = Arc::new(inner.finish(&[next]));
        let zero = b.zeros(&b.ty(x[0]).clone());
        let tangent = b.one(Custom::new(FixedPoint { f }), &[&[zero], &known[..], &moving].concat());
        Some(Ok(vec![Some(tangent)]))
    }

    /// Of a fixed point that is linear in some of `p`: `w = (∂f/∂x)ᵀ w + ct`, and from that what belongs to each.
    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let Some(ct) = ct[0] else { return Some(Ok(vec![None; x.len()])) };
        let linear: Vec<bool> = x.iter().enumerate().map(|(i, x)| i == 0 || x.is_linear()).collect();
        let (back, have) = match transform::transpose(&self.f, &linear, &[true]) {
            Ok(back) => back,
            Err(e) => return Some(Err(e)),
        };
        let known: Vec<Var> = x[1..].iter().filter(|x| !x.is_linear()).map(Operand::known).collect();
        let ty = b.ty(ct).clone();
        let mut inner = Builder::new();
        let w = inner.input(ty.clone());
        let given: Vec<Var> = known.iter().map(|&v| inner.input(b.ty(v).clone())).collect();
        let seed = inner.input(ty.clone());
        let pulled = inner.inline(&back, &[&given[..], &[w]].concat());
        let next = if have[0] { inner.add(pulled[0], seed) } else { seed };
        let f = Arc::new(inner.finish(&[next]));
        let zero = b.zeros(&ty);
        let w = b.one(Custom::new(FixedPoint { f }), &[&[zero], &known[..], &[ct]].concat());
        let mut pulled = b.inline(&back, &[&known[..], &[w]].concat()).into_iter();
        let mut found = have.iter().map(|&h| h.then(|| pulled.next()).flatten());
        let mut each: Vec<Option<Var>> = linear.iter().map(|&l| l.then(|| found.next()).flatten().flatten()).collect();
        // The first guess has no part in the solution.
        each[0] = None;
        Some(Ok(each))
    }

    /// All examples at once, until none moves.
    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Option<Result<Vec<Batched>>> {
        let guess = Batched::yes(b.materialize(x[0]));
        let batched: Vec<bool> = [true].into_iter().chain(x[1..].iter().map(|x| x.batched)).collect();
        let f = match b.batch_program(&self.f, &batched, &[true]) {
            Ok((f, _)) => Arc::new(f),
            Err(e) => return Some(Err(e)),
        };
        let operands: Vec<Var> = [guess].iter().chain(&x[1..]).map(|x| x.var).collect();
        Some(Ok(vec![Batched::yes(b.one(Custom::new(FixedPoint { f }), &operands))]))
    }
}

/// The fixed point of a function, from this guess. What the function captures has derivatives.
#[track_caller]
pub fn fixed_point(f: impl Fn(Array) -> Array, guess: &Array) -> Array {
    let (f, captured) = staged(f, (guess.clone(),));
    let operands: Vec<&Array> = [guess].into_iter().chain(&captured).collect();
    apply(FixedPoint { f }, &operands).remove(0)
}

/// `x = cos(a·x)`, each for itself.
pub fn cosine(a: &Array) -> Array {
    fixed_point(|x| (a * x).cos(), &a.zeros_like())
}

#[allow(dead_code)] // Where it is no program of its own.
fn main() {
    let a = Array::from([0.2, 0.5, 0.9]);
    println!("x = {}", cosine(&a));
    let loss = |a: Array| cosine(&a).sum(..);
    println!("gradient {}", grad(loss)(a.clone()));
    println!("second   {}", grad(|a: Array| grad(loss)(a).sum(..))(a.clone()));
    let each = jit(vmap(grad(|a: Array| cosine(&a))));
    println!("one at a time {}", each(a.clone()));
    let staged = jit(grad(loss));
    staged(a);
    println!("{}", staged.programs()[0]);
}
