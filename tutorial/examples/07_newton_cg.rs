//! Chapter 7: Newton's method in a thousand unknowns, without ever making the Hessian.
//!
//! `cargo run --release --example 07_newton_cg`

use wengert::{Array, DType, Tree, fori_loop, hvp, jit, s, value_and_grad, where_, while_loop};

const SIZE: usize = 1000;

/// How bad `x` is as a clean version of `noisy`: near it, and of few jumps.
fn badness(x: &Array, noisy: &Array) -> Array {
    let jumps = x.get(s![1..]) - x.get(s![..-1]);
    let smooth = (jumps.square() + 1e-3).sqrt();
    0.5 * (x - noisy).square().sum(..) + 2.0 * smooth.sum(..)
}

/// Where the method of conjugate gradients is: the solution so far, what is left, the direction.
#[derive(Tree, Clone)]
struct Cg {
    solution: Array,
    rest: Array,
    direction: Array,
    rounds: Array,
}

/// Solves `A x = b` until the rest is smaller than `enough`. `A` is a function: only its products are needed.
fn conjugate_gradients(product: impl Fn(&Array) -> Array, b: &Array, enough: &Array) -> Cg {
    let going = |c: Cg| c.rest.norm(2, ..).gt(enough) & c.rounds.lt(500);
    let round = |c: Cg| {
        let (rr, ap) = (c.rest.vdot(&c.rest), product(&c.direction));
        let far = &rr / c.direction.vdot(&ap);
        let rest = &c.rest - &far * ap;
        let turn = rest.vdot(&rest) / rr;
        Cg {
            solution: c.solution + far * &c.direction,
            direction: &rest + turn * c.direction,
            rest,
            rounds: c.rounds + 1,
        }
    };
    let start = Cg { solution: b.zeros_like(), rest: b.clone(), direction: b.clone(), rounds: Array::from(0) };
    while_loop(going, round, start)
}

/// What to print of a step.
#[derive(Tree, Clone)]
struct Report {
    badness: Array,
    slope: Array,
    rounds: Array,
    length: Array,
}

fn newton_step(x: Array, noisy: Array) -> (Array, Report) {
    let f = |x: Array| badness(&x, &noisy);
    let (value, slope) = value_and_grad(f)(x.clone());
    let norm = slope.norm(2, ..);

    // A rough direction does while the slope is steep; near the end it must be a good one.
    let enough = norm.sqrt().minimum(0.5) * &norm;
    let cg = conjugate_gradients(|v| hvp(f, x.clone(), v.clone()), &-&slope, &enough);

    // Half the step as long as it does not go down enough.
    let downhill = 1e-4 * slope.vdot(&cg.solution);
    let too_long = |t: Array| f(&x + &t * &cg.solution).gt(&value + &t * &downhill) & t.gt(1e-6);
    let length = while_loop(too_long, |t: Array| t * 0.5, Array::from(1.0f64));
    let report = Report { badness: value, slope: norm, rounds: cg.rounds, length: length.clone() };
    (x + length * cg.solution, report)
}

fn main() {
    // A signal of five levels, under noise that is the same in each run.
    let i = Array::arange(0.0, SIZE as f64, 1.0);
    let clean = where_((&i / 200.0).floor().modulo(2.0).eq(0.0), 1.0, &i * 0.002);
    let noisy = &clean + 0.4 * (&i * &i * 0.7).sin();

    // One program: the gradient, a loop of Hessian-vector products, a loop that finds the length.
    let step = jit(newton_step);
    let mut x = Array::zeros([SIZE], DType::F64);
    println!("step      badness     |gradient|   products   length");
    for n in 0..30 {
        let (next, r) = step(x, noisy.clone());
        x = next;
        let [badness, slope, length] = [&r.badness, &r.slope, &r.length].map(Array::to_f64);
        println!("{n:4}  {badness:11.6}   {slope:12.3e}   {:8}   {length:6}", r.rounds.to_i64());
        if slope < 1e-8 {
            break;
        }
    }
    let error = |y: &Array| (y - &clean).square().mean(..).sqrt().to_f64();
    println!("\nerror of the noisy signal {:.3}, of the clean one {:.3}", error(&noisy), error(&x));

    // The same with steps along the gradient.
    let descend = jit(|x: Array, noisy: Array| {
        let f = |x: Array| badness(&x, &noisy);
        let x = fori_loop(0, 500, |_: Array, x: Array| &x - 0.007 * value_and_grad(f)(x.clone()).1, x);
        value_and_grad(f)(x).1.norm(2, ..)
    });
    println!("500 steps along the gradient: |gradient| = {:.3e}", descend(noisy.zeros_like(), noisy).to_f64());
}
