//! `WENGERT_CHECK=nan` (E4), in a process of its own: what the environment asks for is asked once.

use std::sync::Arc;
use wengert::custom::{Builder, CustomOp, apply};
use wengert::{
    Array, Complex, DType, IndexMode, Program, Result, Tensor, TreeFn, Type, associative_scan, call_program,
    checkpoint, cond, custom_linear_solve, custom_root, device, grad, jit, scan, try_run, vmap, where_, while_loop,
};
use wengert_core::Var;
use wengert_core::compare::is_finite;
use wengert_core::ops::Unary;
use wengert_core::run::{Block, Observer, Run, Value, Visit};
use wengert_testing::{Choices, Recipe, random_program, random_values};

/// The error of a function, which must be the same however it runs: eagerly, and staged.
#[track_caller]
fn fault(f: fn(Array) -> Array, x: Array) -> String {
    let [eager, staged] = [try_run(|| f(x.clone())), try_run(|| jit(f)(x.clone()))];
    let (eager, staged) = (eager.unwrap_err(), staged.unwrap_err());
    assert_eq!((eager.message(), eager.place()), (staged.message(), staged.place()), "{eager}\n{staged}");
    staged.to_string()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}\n{text}"));
}

/// A loop that takes more than there is, in step 2.
fn takes(x: Array) -> Array {
    let step = |c: Array, x: Array| {
        let left = (c - x).log();
        (left.clone(), left)
    };
    scan(step, Array::from(10.0f32), x).1.sum(..)
}

fn numbers() -> Array {
    Array::from([1.0f32, 2.0, 20.0])
}

fn an_op_and_what_leads_to_it() {
    let e = fault(|x| ((x * 2.0 - 6.0).log() + 1.0).sum(..), Array::from([4.0f32, 1.0]));
    has(
        &e,
        &[
            "`log` gives NaN of finite numbers: f32[2]\n  at crates/wengert/tests/nan.rs:",
            "the first is at [1], where it is given -4.0",
        ],
    );
    let e = fault(|x| 1.0 / x, Array::from(0.0f32));
    has(&e, &["`div` gives an infinity of finite numbers: f32[]", "it is given 1.0 and 0.0"]);
    let e = fault(|x| x.to(DType::C64).log().abs(), Array::from([0.0f32]));
    has(&e, &["`log` gives"]);
    let e = try_run(|| Array::from([Complex::new(0.0f64, 0.0)]).log()).unwrap_err();
    has(&e.to_string(), &["`log` gives"]);
}

fn a_number_that_is_given_silences_no_other() {
    let given = || Array::from([f32::NAN, 1.0, 9.0]);
    let e = fault(|x| (x * 2.0 - 6.0).log() + 1.0, given());
    has(&e, &["`log` gives NaN of finite numbers: f32[3]", "the first is at [1], where it is given -4.0"]);
    let e = fault(|x| scan(|c: Array, _: Array| (1.0 / (c - 1.0), ()), x, Array::from([0.0f32, 0.0])).0, given());
    has(
        &e,
        &["`div` gives an infinity of finite numbers: f32[3]", "the first is at [1], where it is given 1.0 and 0.0"],
    );
    // Nor does it silence other rows, what comes before it, or other matrices.
    let rows = || Array::from([[f32::NAN, 1.0], [3e38, 3e38]]);
    let infinity = "gives an infinity of finite numbers";
    has(&fault(|x| x.sum(1), rows()), &["`reduce`", infinity, "f32[2]", "the first is at [1]"]);
    has(&fault(|x| x.matmul(x.ones_like()), rows()), &["`dot_general`", infinity, "the first is at [1, 0]"]);
    has(&fault(|x| x.ones_like().matmul(x.mt()), rows()), &["`dot_general`", infinity, "the first is at [0, 1]"]);
    // Of these the number at its position is one of many.
    for f in [(|x: Array| x.matmul(x.ones_like())) as fn(Array) -> Array, |x| x.cumsum(1), |x| x.cumsum(0)] {
        assert!(!fault(f, Array::from([[3e38f32, 3e38], [3e38, 3e38]])).contains("where it is given"));
    }
    has(&fault(|x| x.cumsum(1), rows()), &["`cumulative`", infinity, "the first is at [1, 1]"]);
    has(&fault(|x| x.to(DType::C64).fft(-1).real(), rows()), &["`fft`", infinity, "the first is at [1, 0]"]);
    let matrices = || Array::from([[[f32::NAN, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, -1.0]]]);
    has(&fault(|x| x.cholesky(), matrices()), &["`cholesky` gives NaN of finite numbers", "the first is at [1, "]);
    let wide = || Array::from([f64::NAN, 1e300]);
    has(&fault(|x| x.to(DType::F32), wide()), &["`convert`", infinity, "the first is at [1], where it is given 1e300"]);
    let added = |x: Array| x.at(Array::from([1, 1, 2])).add(Array::from([3e38f32, 3e38, 1.0]));
    has(&fault(added, given()), &["`scatter`", infinity, "f32[3]", "the first is at [1]"]);
    let set = |x: Array| x.at(Array::from([1])).set(f32::NAN) + x.at(Array::from([2])).add(f32::NAN);
    assert!(try_run(|| set(given())).is_ok() && try_run(|| jit(set)(given())).is_ok());
    // In a loop, whose steps are looked at one by one.
    let summed = |x| scan(|c: Array, _: Array| (c.clone() * 1.5, c.sum(1)), x, Array::from([0.0f32, 0.0])).1;
    has(&fault(summed, rows() * 0.5), &["`reduce`", infinity, "the first is at [1]", "inside of step 1 of `scan`"]);
    // What is made of it is no fault, whether or not positions are kept.
    let fine = |x: Array| (x.clone() + 1.0).sum(..) + x.max(..) + x.cumsum(0).sum(..) + x.matmul(&x);
    assert!(try_run(|| fine(given())).is_ok() && try_run(|| jit(fine)(given())).is_ok());
}

fn an_op_inside_of_loops_and_branches() {
    let e = fault(takes, numbers());
    has(
        &e,
        &[
            "`log` gives NaN",
            "it is given the result of `sub`",
            "inside of step 2 of `scan` at crates/wengert/tests/nan.rs:",
        ],
    );
    let e = fault(
        |x| while_loop(|c: Array| c.sum(..).gt(-9.0), |c: Array| (c - 1.0).sqrt() - 1.0, x),
        Array::from([9.0f32]),
    );
    has(&e, &["`sqrt` gives NaN", "inside of step 2 of `while`"]);
    // In a condition: where the loop goes on, and where it ends.
    let e = fault(|x| while_loop(|c: Array| !(c - 4.0).log().lt(9.0), |c: Array| c + 1.0, x), Array::from(3.0f32));
    has(&e, &["`log` gives NaN", "inside of the condition before step 0 of `while`"]);
    let e =
        fault(|x| while_loop(|c: Array| (c * 3.0 - 4.0).sqrt().gt(0.0), |c: Array| c - 1.0, x), Array::from(3.0f32));
    has(&e, &["`sqrt` gives NaN", "inside of the condition before step 2 of `while`"]);
    let root = |x: Array| cond(x.sum(..).gt(0.0), |x: Array| x.sin(), |x: Array| x.sqrt(), x);
    let e = fault(root, Array::from([-1.0f32]));
    has(&e, &["`sqrt` gives NaN", "inside of branch 0 of `cond`"]);
    // In a loop in a batch in a loop.
    let nested = |x: Array| scan(|c: Array, x: Array| (c + vmap(takes)(x).sum(..), ()), Array::from(0.0f32), x).0;
    let rows = Array::from([[[0.1f32, 0.1, 0.1], [0.1, 0.1, 0.1]], [[0.1, 0.1, 0.1], [1.0, 2.0, 20.0]]]);
    let e = fault(nested, rows);
    has(&e, &["`log` gives NaN of finite numbers: f32[2]", "inside of step 2 of `scan`", "inside of step 1 of `scan`"]);
    let e = fault(|x| checkpoint(|x: Array| x.log().sum(..))(x), Array::from([-1.0f32]));
    has(&e, &["`log` gives NaN"]);
    let e = fault(|x| associative_scan(|a: Array, b: Array| (a - b).sqrt(), x, false), numbers());
    has(&e, &["`sqrt` gives NaN"]);
}

fn what_a_mask_hides_is_found() {
    let masked = |x: Array| where_(x.gt(0.0), x.log(), 0.0);
    let x = Array::from([1.0f32, 0.0]);
    has(&fault(masked, x.clone()), &["`log` gives an infinity", "the first is at [1], where it is given 0.0"]);
    // In a loop, too, whose results are finite.
    let inside =
        |x: Array| scan(|c: Array, x: Array| (c + where_(x.gt(0.0), x.log(), 0.0), ()), Array::from(0.0f32), x).0;
    has(&fault(inside, x.clone()), &["`log` gives an infinity", "inside of step 1 of `scan`"]);
    // The way out, which also keeps the derivative finite.
    let safe = |x: Array| where_(x.gt(0.0), where_(x.gt(0.0), &x, 1.0).log(), 0.0).sum(..);
    assert_eq!((safe(x.clone()).item::<f32>(), jit(safe)(x.clone()).item::<f32>()), (0.0, 0.0));
    assert_eq!(jit(grad(safe))(x).to_vec::<f32>(), [1.0, 0.0]);
}

fn what_is_meant_is_no_fault() {
    // What is read where nothing is.
    let filled = |x: Array| x.at(Array::from([0, 7])).mode(IndexMode::Fill).get() * 2.0;
    let y = |x: Array| try_run(|| [filled(x.clone()), jit(filled)(x)]).unwrap().map(|y| y.to_vec::<f32>());
    assert!(y(numbers()).iter().all(|y| y[0] == 2.0 && y[1].is_nan()));
    let x = Array::from([1.0f32, 2.0]);
    // An infinity that the program says, and what is made of one that it was given.
    let largest = |x: Array| where_(x.gt(1.5), x, f32::NEG_INFINITY).max(..);
    assert_eq!((largest(x.clone()).item::<f32>(), jit(largest)(x.clone()).item::<f32>()), (2.0, 2.0));
    let masked = |x: Array| where_(x.gt(1.5), x, f32::NEG_INFINITY);
    assert_eq!(jit(masked)(x.clone()).to_vec::<f32>(), masked(x).to_vec::<f32>());
    let infinite = Array::from(f32::INFINITY);
    assert!(jit(|x: Array| x * 0.0)(infinite).item::<f32>().is_nan());
    let counted = |x: Array| while_loop(|c: Array| c.sum(..).lt(9), |c: Array| c * 2, x);
    assert_eq!(jit(counted)(Array::from([1, 2])).to_vec::<i32>(), [4, 8]);
}

fn derivatives_and_batches() {
    let e = try_run(|| jit(grad(|x: Array| x.sqrt().sum(..)))(Array::from([0.0f32]))).unwrap_err();
    has(e.message(), &["gives an infinity of finite numbers"]);
    let e = try_run(|| grad(|x: Array| x.sqrt().sum(..))(Array::from([0.0f32]))).unwrap_err();
    has(e.message(), &["gives an infinity of finite numbers"]);
    let e = try_run(|| jit(vmap(|x: Array| x.log()))(Array::from([1.0f32, -1.0]))).unwrap_err();
    has(&e.to_string(), &["`log` gives NaN", "the first is at [1]"]);
}

/// The first op at fault, by the definition: what the evaluator sees, equation by equation.
#[derive(Default)]
struct Definition {
    /// The programs that run, with the values of their variables so far; none of a condition, which is not looked at.
    frames: Vec<Option<Vec<Option<Tensor>>>>,
    found: Option<String>,
}

impl Definition {
    fn set(&mut self, values: impl IntoIterator<Item = (Var, Value)>) {
        if let Some(Some(frame)) = self.frames.last_mut() {
            values.into_iter().for_each(|(v, x)| frame[v.index()] = x.into_host().ok());
        }
    }
}

impl Observer for Definition {
    fn enter(&mut self, program: &Arc<Program>, visit: Visit, inputs: &[Value]) {
        let seen = self.frames.last().is_none_or(Option::is_some) && !matches!(visit, Visit::Condition(_));
        self.frames.push(seen.then(|| vec![None; program.var_count()]));
        self.set(program.inputs().iter().copied().zip(inputs.iter().cloned()));
    }
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, program: &Arc<Program>, equation: usize, outputs: &[Value]) {
        self.set(program.equations()[equation].outputs.iter().copied().zip(outputs.iter().cloned()));
    }
    fn ran(&mut self, block: Block<'_>) {
        self.set(block.outputs.iter().cloned());
        let (&[i], Some(Some(frame))) = (block.equations, self.frames.last()) else { return };
        let e = &block.program.equations()[i];
        let finite = |v: &[Var]| v.iter().all(|v| frame[v.index()].as_ref().is_none_or(is_finite));
        if e.op.name() != "constant" && finite(&e.inputs) && !finite(&e.outputs) {
            self.found.get_or_insert(e.op.name().to_string());
        }
    }
    fn leave(&mut self, _: &Arc<Program>) {
        self.frames.pop();
    }
}

/// The logarithm of the logarithm.
#[derive(Debug)]
struct LogLog;

impl CustomOp for LogLog {
    fn name(&self) -> &str {
        "test.log_log"
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let mut b = Builder::new();
        let x = b.input(x[0].clone());
        let once = b.unary(Unary::Log, x);
        let twice = b.unary(Unary::Log, once);
        Some(Ok(b.finish(&[twice])))
    }
}

/// The same, by the host.
#[derive(Debug)]
struct HostLog;

impl CustomOp for HostLog {
    fn name(&self) -> &str {
        "test.host_log"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let logs = |v: Vec<f32>| Tensor::new(x[0].shape().clone(), v.iter().map(|x| x.ln()).collect());
        Some(x[0].to_vec::<f32>().and_then(logs).map(|y| vec![y]))
    }
}

fn ops_and_solvers_of_the_users() {
    let e = fault(|x| apply(LogLog, &[&x]).remove(0) + 1.0, Array::from([9.0f32, 0.5]));
    has(&e, &["`log` gives NaN of finite numbers", "where it is given -0.69", "inside of `test.log_log` at crates/"]);
    has(&e, &["at crates/wengert/tests/nan.rs:"]);
    let inside =
        |x: Array| scan(|c: Array, x: Array| (c + apply(LogLog, &[&x]).remove(0), ()), Array::from(0.0f32), x).0;
    let e = fault(inside, Array::from([9.0f32, 0.5]));
    has(&e, &["`log` gives NaN", "inside of `test.log_log`", "inside of step 1 of `scan`"]);
    let e = fault(|x| apply(HostLog, &[&x]).remove(0) + 1.0, Array::from([9.0f32, -0.5]));
    has(&e, &["`test.host_log` gives NaN of finite numbers", "where it is given -0.5"]);
    // A solver is looked into.
    let root = |x: Array| {
        let newton = |f: &TreeFn<'_, Array>, guess: Array| (f(guess.clone()) - guess).sqrt();
        custom_root(move |y: Array| &y * &y - &x, Array::from([1.0f32]), newton, |g, y| y / g(Array::from([1.0f32])))
    };
    let e = fault(root, Array::from([4.0f32]));
    has(&e, &["`sqrt` gives NaN of finite numbers", "inside of `"]);
    let solve = |b: Array| custom_linear_solve(|x: Array| x * 0.0, b, |f, b| &b / f(b.clone()), None);
    let e = fault(solve, Array::from([4.0f32]));
    has(&e, &["`div` gives an infinity", "inside of `"]);
}

/// Of random programs, the op that is named is the one that the definition says.
fn random_programs() {
    let (mut at_fault, mut seed) = (0, 1u64);
    for i in 0..400 {
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 40) as u16
        };
        let numbers: Vec<u16> = (0..60).map(|_| next()).collect();
        let mut choices = Choices::new(&numbers);
        // What nothing uses is in no staged program.
        let whole = random_program(&Recipe::any(), &mut choices);
        let inputs: Vec<bool> = (0..whole.var_count()).map(|v| whole.inputs().iter().any(|i| i.index() == v)).collect();
        let program = Arc::new(whole.part(&inputs, whole.outputs()).0);
        let inputs = random_values(&program.input_types(), &mut choices, i % 2 == 0);
        let mut definition = Definition::default();
        let run = Run::new(inputs.iter().cloned().map(Value::Host).collect()).observed_by(&mut definition);
        device("eval").unwrap().compile(program.clone()).unwrap().run(run).unwrap();
        let x: Vec<Array> = inputs.into_iter().map(Array::from_tensor).collect();
        let named = |e: wengert::Error| e.message().split('`').nth(1).unwrap_or_default().to_string();
        let eager = try_run(|| call_program(&program, &x)).err().map(named);
        let staged = try_run(|| jit(|x: Vec<Array>| call_program(&program, &x))(x.clone())).err().map(named);
        assert_eq!((&eager, &staged), (&definition.found, &definition.found), "{program}");
        at_fault += usize::from(eager.is_some());
    }
    assert!(at_fault > 10, "{at_fault}");
}

#[test]
fn e4_the_first_number_that_is_not_finite_is_named_wherever_it_comes_up() {
    // SAFETY: no other thread of this process runs.
    unsafe { std::env::set_var("WENGERT_CHECK", "nan") };
    an_op_and_what_leads_to_it();
    a_number_that_is_given_silences_no_other();
    an_op_inside_of_loops_and_branches();
    what_a_mask_hides_is_found();
    what_is_meant_is_no_fault();
    derivatives_and_batches();
    ops_and_solvers_of_the_users();
    random_programs();
}
