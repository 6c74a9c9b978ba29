//! Ops of the user's that hold programs, and ops of ours that run as the user's.

#[path = "../../../tutorial/examples/14_custom_solver.rs"]
mod solver;

use solver::{FixedPoint, cosine, fixed_point};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert::custom::{Builder, Custom, CustomOp, apply, lower, lowered, register_holding};
use wengert::{
    Array, DType, Error, Program, Result, Tensor, Type, call_program, grad, hessian, jit, jvp, make_program, record,
    vmap,
};

/// `dx/da` of `x = cos(a·x)`.
fn slope(a: f64, x: f64) -> f64 {
    let s = -(a * x).sin();
    s * x / (1.0 - s * a)
}

fn near(got: &Array, wanted: &[f64], tolerance: f64) {
    let got = got.to_vec::<f64>();
    assert_eq!(got.len(), wanted.len());
    assert!(got.iter().zip(wanted).all(|(g, w)| (g - w).abs() <= tolerance), "{got:?}, not {wanted:?}");
}

const A: [f64; 3] = [0.2, 0.5, 0.9];

#[test]
fn a_solver_of_the_users_has_derivatives_of_any_order_and_batches() {
    let x = cosine(&Array::from(A)).to_vec::<f64>();
    for (a, x) in A.iter().zip(&x) {
        assert!(((a * x).cos() - x).abs() < 1e-13);
    }
    let slopes: Vec<f64> = A.iter().zip(&x).map(|(&a, &x)| slope(a, x)).collect();
    let loss = |a: Array| cosine(&a).sum(..);
    near(&grad(loss)(Array::from(A)), &slopes, 1e-11);
    near(&jit(grad(loss))(Array::from(A)), &slopes, 1e-11);
    near(&vmap(grad(|a: Array| cosine(&a)))(Array::from(A)), &slopes, 1e-11);
    near(&jit(vmap(|a: Array| grad(|a: Array| cosine(&a))(a)))(Array::from(A)), &slopes, 1e-11);
    let (_, forward) = jvp(|a: Array| cosine(&a), (Array::from(A),), (Array::from([1.0, 1.0, 1.0]),));
    near(&forward, &slopes, 1e-11);
    let second = hessian(loss)(Array::from(A)).to_vec::<f64>();
    let step = 1e-5;
    for i in 0..3 {
        let at = |d: f64| {
            let mut a = A;
            a[i] += d;
            let x = cosine(&Array::from(a)).to_vec::<f64>()[i];
            slope(a[i], x)
        };
        let numeric = (at(step) - at(-step)) / (2.0 * step);
        assert!((second[4 * i] - numeric).abs() < 1e-8, "{} and {numeric}", second[4 * i]);
    }
}

#[test]
fn what_is_captured_at_each_level_counts() {
    // x = m·cos(x) + b for a matrix of the caller's, in a batch of b.
    let m = Array::from([[0.1, 0.2], [0.3, 0.1]]);
    let solve = |m: &Array, b: &Array| fixed_point(|x| m.matmul(x.cos()) + b, &b.zeros_like());
    let bs = Array::from([[1.0, 2.0], [0.5, -1.0], [0.0, 0.3]]);
    let of_m = |m: Array| vmap(|b: Array| solve(&m, &b))(bs.clone()).square().sum(..);
    let g = grad(of_m)(m.clone());
    let step = 1e-6;
    for i in 0..4 {
        let at = |d: f64| {
            let mut v = m.to_vec::<f64>();
            v[i] += d;
            of_m(Array::from(v).reshape([2, 2])).item::<f64>()
        };
        let numeric = (at(step) - at(-step)) / (2.0 * step);
        assert!((g.to_vec::<f64>()[i] - numeric).abs() < 1e-6, "{g} and {numeric}");
    }
    assert_eq!(jit(grad(of_m))(m.clone()).to_vec::<f64>().len(), 4);
}

#[test]
fn the_text_holds_the_programs() {
    let read = |_: &str, programs: Vec<Arc<Program>>| match programs.into_iter().next() {
        Some(f) => Ok(FixedPoint { f }),
        None => Err(Error::malformed("a fixed point of what?")),
    };
    register_holding("example.fixed_point", read).unwrap();
    let p = make_program(|a: Array| cosine(&a), (Array::from(A),));
    let text = p.to_string();
    assert!(text.contains("programs=[program cosine("), "{text}");
    let read = Program::parse(&text).unwrap();
    assert_eq!(read, p);
    assert_eq!(call_program(&read, &[Array::from(A)])[0].to_vec::<f64>(), cosine(&Array::from(A)).to_vec::<f64>());
    // Ops with other programs are other ops.
    let other = make_program(|a: Array| fixed_point(|x| (&a * x).sin(), &a.zeros_like()), (Array::from(A),));
    assert_ne!(other.equations().last().map(|e| &e.op), p.equations().last().map(|e| &e.op));
    for bad in ["example.fixed_point[programs=[]]", "example.fixed_point[programs=[program"] {
        let text = format!("program (x: f64[]) {{ y: f64[] = {bad}(x) return y }}");
        assert!(Program::parse(&text).is_err(), "{bad}");
    }
}

#[test]
fn a5_a_program_that_does_not_fit_is_an_error_where_text_is_read() {
    register_holding("test.doubled", |_, programs| Ok(Doubled(programs[0].clone()))).unwrap();
    let parse = |held: &str| {
        Program::parse(&format!("program (x: f32[]) {{ y: f32[] = test.doubled[programs=[{held}]](x) return y }}"))
    };
    parse("program (a: f32[]) { b: f32[] = sin(a) return b }").unwrap();
    let e = parse("program (a: f32[], c: f32[]) { b: f32[] = mul(a, c) return b }").unwrap_err().to_string();
    assert!(e.contains("the rules of `test.doubled` panic on what it is given or holds here: "), "{e}");
    assert!(e.contains("inlined program takes other arguments"), "{e}");
    // Nor does what is read of it.
    let e = Program::parse("program (x: f32[]) { y: f32[] = test.doubled(x) return y }").unwrap_err().to_string();
    assert!(e.contains("`test.doubled`"), "{e}");
}

#[test]
fn a_tape_shows_what_the_op_does() {
    let (_, tape) = record(|| cosine(&Array::from(A)));
    let n = tape.nodes().find(|n| n.op().is_some_and(|op| op.name() == "example.fixed_point")).expect("a node");
    assert!(n.function() == "example.fixed_point");
    assert!(tape.to_string().contains("example.fixed_point"), "{tape}");
}

/// Twice what a program gives, with its own StableHLO.
#[derive(Debug)]
struct Doubled(Arc<Program>);

impl CustomOp for Doubled {
    fn name(&self) -> &str {
        "test.doubled"
    }
    fn programs(&self) -> Vec<&Arc<Program>> {
        vec![&self.0]
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let mut b = Builder::new();
        let x = b.inputs(x);
        let y = b.inline(&self.0, &x);
        let y = b.scale(y[0], 2.0);
        Some(Ok(b.finish(&[y])))
    }
    fn stablehlo(&self, _: &[Type], functions: &[String]) -> Option<Result<String>> {
        let f = &functions[0];
        Some(Ok(format!(
            "%0 = call {f}(%arg0) : (tensor<f64>) -> tensor<f64>\n%1 = stablehlo.add %0, %0 : tensor<f64>\n\
             return %1 : tensor<f64>"
        )))
    }
}

#[test]
fn a_lowering_calls_the_programs_that_the_op_holds() {
    let f = Arc::new(make_program(|x: Array| x.sin(), (Array::from(0.0),)));
    let p = make_program(|x: Array| apply(Doubled(f.clone()), &[&x]).remove(0), (Array::from(0.0),));
    let text = wengert_stablehlo::export(&p).unwrap();
    let back = wengert_stablehlo::parse(&text).unwrap();
    let y = call_program(&back, &[Array::from(0.5)]).remove(0);
    assert_eq!(y.item::<f64>(), 2.0 * 0.5f64.sin(), "{text}");
}

static RUNS: AtomicUsize = AtomicUsize::new(0);

/// `erf_inv` by a count and a made-up number: what runs it shows.
#[derive(Debug)]
struct Own;

impl CustomOp for Own {
    fn name(&self) -> &str {
        "test.own_erf_inv"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        RUNS.fetch_add(1, Ordering::Relaxed);
        let v = x[0].to_vec::<f64>().map(|v| v.iter().map(|x| 100.0 + x).collect());
        Some(v.and_then(|v: Vec<f64>| Tensor::new(x[0].shape().clone(), v)).map(|y| vec![y]))
    }
}

/// Gives what it should not.
#[derive(Debug)]
struct Wrong;

impl CustomOp for Wrong {
    fn name(&self) -> &str {
        "test.wrong"
    }
    fn infer(&self, _: &[Type]) -> Result<Vec<Type>> {
        Ok(vec![Type::scalar(DType::I32)])
    }
}

/// In one test: a lowering counts for the whole process, and these are for types that no other test uses.
#[test]
fn an_op_of_ours_runs_as_one_of_the_users() {
    let ours = |x: &[Type]| x[0].shape[..] == [7, 1, 7];
    lower("erf_inv", move |_, x| ours(x).then(|| Custom::new(Own))).unwrap();
    let x = || Array::full([7, 1, 7], 0.25, DType::F64);
    let before = RUNS.load(Ordering::Relaxed);
    assert_eq!(x().erf_inv().get((0, 0, 0)).item::<f64>(), 100.25);
    assert_eq!(jit(|x: Array| x.erf_inv() * 2.0)(x()).get((0, 0, 0)).item::<f64>(), 200.5);
    // In a branch of a loop too, and in what a transform made.
    let inside = |x: Array| wengert::fori_loop(0, 3, |_, x: Array| x.erf_inv() - 100.0, x);
    assert_eq!(jit(inside)(x()).get((0, 0, 0)).item::<f64>(), 0.25);
    assert_eq!(inside(x()).get((0, 0, 0)).item::<f64>(), 0.25);
    assert!(RUNS.load(Ordering::Relaxed) >= before + 8);
    // Derivatives are those of the op: √π/2 · e^(y²), at what ran.
    let slope = grad(|x: Array| x.erf_inv().sum(..))(x() * 0.0).get((0, 0, 0)).item::<f64>();
    assert!(slope.is_infinite(), "{slope}");
    // Others run as they do.
    let plain = Array::from(0.5).erf_inv().item::<f64>();
    assert!((plain - 0.4769362762044699).abs() < 1e-15);
    let p = Arc::new(make_program(|x: Array| x.erf_inv(), (x(),)));
    assert!(lowered(p).unwrap().to_string().contains("test.own_erf_inv"));

    let e = lower("no_such_op", |_, _| None).unwrap_err().to_string();
    assert!(e.contains("no op `no_such_op`"), "{e}");
    lower("erf_inv", move |_, x| ours(x).then(|| Custom::new(Wrong))).unwrap();
    let e = wengert::try_run(|| x().erf_inv()).unwrap_err().to_string();
    assert!(e.contains("`test.wrong` in place of `erf_inv` must give"), "{e}");
    lower("erf_inv", |_, _| None).unwrap();
    assert!(x().erf_inv().get((0, 0, 0)).item::<f64>() < 1.0);
}

static DECOMPOSED: AtomicUsize = AtomicUsize::new(0);

/// `3x`, as the program it is short for, which is counted.
#[derive(Debug)]
struct Counted;

impl CustomOp for Counted {
    fn name(&self) -> &str {
        "test.thrice"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        DECOMPOSED.fetch_add(1, Ordering::Relaxed);
        let mut b = Builder::new();
        let x = b.input(x[0].clone());
        let y = b.scale(x, 3.0);
        Some(Ok(b.finish(&[y])))
    }
}

#[test]
fn a_staged_function_decomposes_an_op_once() {
    let f = jit(|x: Array| apply(Counted, &[&x.sin()]).remove(0) + 1.0);
    f(Array::from(0.0));
    let before = DECOMPOSED.load(Ordering::Relaxed);
    for i in 0..20 {
        let x = f64::from(i);
        assert!((f(Array::from(x)).item::<f64>() - (3.0 * x.sin() + 1.0)).abs() < 1e-12);
    }
    assert_eq!(DECOMPOSED.load(Ordering::Relaxed), before);
}

#[test]
fn a_callback_that_uses_an_array_of_a_transform_is_refused() {
    let x = Array::from(2.0);
    let f = |k: Array| {
        let times = move |v: &[Array]| vec![&v[0] * &k];
        wengert::pure_callback(times, &[Type::scalar(DType::F64)], &[&x]).remove(0)
    };
    for e in [
        wengert::try_run(|| grad(f)(Array::from(3.0))).unwrap_err(),
        wengert::try_run(|| jvp(f, (Array::from(3.0),), (Array::from(1.0),))).unwrap_err(),
    ] {
        assert!(e.to_string().contains("uses an array of a transform around it"), "{e}");
    }
}
