//! What tests of ops share: [`check_op`] holds one program against itself, simplified and under every transform.
//!
//! A test is a program as text and inputs to run it on, in `f64` (or `c128`) where derivatives are to be checked.

use wengert_core::compare::{ComplexRule, Tolerance};
use wengert_core::simplify::Simplifier;
use wengert_core::text::Parser;
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Complex, DType, Program, Scalar, Tensor, Type};
use wengert_eval::{run, run_op};

/// The size of the batches tried.
const BATCH: usize = 3;
/// The step of central differences, and how close they come to a derivative.
const STEP: f64 = 1e-5;
const NEAR: f64 = 1e-6;
/// How close two ways to compute the same thing come.
const SAME: f64 = 1e-10;

/// Checks a program at these inputs: it prints and parses back; inputs that repeat one value give what they give spelled
/// out; `jvp` agrees with finite differences and `vjp` with `jvp`, for the program and for its `vjp` (second order); `batch`
/// agrees with a loop, for both, for every choice of batched inputs.
#[track_caller]
pub fn check_op(text: &str, inputs: &[Tensor]) {
    check_program(&parse(text), inputs);
}

/// [`check_op`] for a program that is built already.
#[track_caller]
pub fn check_program(p: &Program, inputs: &[Tensor]) {
    check_text(p);
    check_simplified(p, inputs);
    check_splats(p, inputs);
    check_batch(p, inputs);
    if differentiable(&p.input_types()).contains(&true) && differentiable(&p.output_types()).contains(&true) {
        let (back, args) = check_derivatives(p, inputs);
        check_text(&back);
        check_simplified(&back, &args);
        check_batch(&back, &args);
        check_derivatives(&back, &args);
    }
}

/// A program from text.
#[track_caller]
pub fn parse(text: &str) -> Program {
    Program::parse(text).unwrap_or_else(|e| panic!("{e}"))
}

/// The results of a program given as text.
#[track_caller]
pub fn eval(text: &str, inputs: &[Tensor]) -> Vec<Tensor> {
    run_on(&parse(text), inputs)
}

/// Why a program given as text is refused.
#[track_caller]
pub fn refused(text: &str) -> String {
    match Program::parse(text) {
        Ok(p) => panic!("this program is accepted:\n{p}"),
        Err(e) => e.message().to_string(),
    }
}

fn ty(text: &str) -> Type {
    Parser::new(text).ty().unwrap_or_else(|e| panic!("{e}"))
}

/// An array of the type written, with these elements.
#[track_caller]
pub fn tensor(of: &str, elements: &[f64]) -> Tensor {
    let ty = ty(of);
    assert_eq!(ty.shape.size(), elements.len(), "elements of {of}");
    from_numbers(&ty, |i| Complex::new(elements[i], 0.0))
}

/// An array of the type written, with numbers that look random: floats between -2 and 2, integers from 0 to 9.
pub fn random(of: &str, seed: u64) -> Tensor {
    let ty = ty(of);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678_9abc_def1);
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let floating = ty.dtype.is_differentiable();
    from_numbers(&ty, |_| match floating {
        true => Complex::new(4.0 * next() - 2.0, 4.0 * next() - 2.0),
        false if ty.dtype == DType::Bool => Complex::new((next() > 0.5) as u8 as f64, 0.0),
        false => Complex::new((10.0 * next()).floor(), 0.0),
    })
}

/// An array of these numbers, in the nearest elements of its type.
pub fn from_numbers(ty: &Type, mut f: impl FnMut(usize) -> Complex<f64>) -> Tensor {
    from_scalars(ty, |i| Scalar::from_complex(ty.dtype, f(i)))
}

fn from_scalars(ty: &Type, mut f: impl FnMut(usize) -> Scalar) -> Tensor {
    Tensor::from_bits(ty, |i| f(i).bits())
}

/// The elements as complex numbers.
pub fn numbers(t: &Tensor) -> Vec<Complex<f64>> {
    (0..t.size()).map(|i| t.get(i).as_complex()).collect()
}

/// The elements as real numbers.
pub fn reals(t: &Tensor) -> Vec<f64> {
    (0..t.size()).map(|i| t.get(i).as_f64().expect("real numbers")).collect()
}

/// Every index of a shape in row-major order.
pub fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape
        .iter()
        .fold(vec![vec![]], |all, &n| all.iter().flat_map(|i| (0..n).map(|k| [i.clone(), vec![k]].concat())).collect())
}

fn differentiable(types: &[Type]) -> Vec<bool> {
    types.iter().map(|t| t.dtype.is_differentiable()).collect()
}

#[track_caller]
fn run_on(p: &Program, inputs: &[Tensor]) -> Vec<Tensor> {
    run(p, inputs.to_vec()).unwrap_or_else(|e| panic!("{e}\nin\n{p}"))
}

/// Checks that two arrays are the same up to `tolerance`, relative to the larger of 1 and the numbers.
#[track_caller]
pub fn close(found: &Tensor, expected: &Tensor, tolerance: f64, what: &dyn Fn() -> String) {
    let near = Tolerance::near(tolerance).complex(ComplexRule::AnyNan);
    if let Err(e) = near.check(found, expected) {
        panic!("{}: {e}\n{found:?}\n{expected:?}", what());
    }
}

/// Checks that a program prints to text that parses back to it.
#[track_caller]
pub fn check_text(p: &Program) {
    let text = p.to_text();
    let back = Program::parse(&text).unwrap_or_else(|e| panic!("{e}\nin\n{text}"));
    assert_eq!(back.to_text(), text);
    assert!(back == *p, "the text form lost something of\n{text}");
}

/// Checks that the simplified program gives the same values. Powers may differ in the last places.
#[track_caller]
pub fn check_simplified(p: &Program, inputs: &[Tensor]) {
    let simple = Simplifier::default().evaluating(&|op, x| run_op(op, x.to_vec()), 64).run(p);
    for (found, expected) in run_on(&simple, inputs).iter().zip(run_on(p, inputs)) {
        close(found, &expected, 1e-14, &|| format!("simplified\n{p}\n{simple}"));
    }
}

/// Checks that an input that is one value repeated gives what the same array spelled out gives, to the bit.
#[track_caller]
pub fn check_splats(p: &Program, inputs: &[Tensor]) {
    for (i, x) in inputs.iter().enumerate().filter(|(_, x)| x.size() > 0) {
        let [splat, dense] = [Tensor::splat(x.shape().clone(), x.get(0)), from_scalars(&x.ty(), |_| x.get(0))];
        let [found, expected] = [splat, dense].map(|x| {
            let mut inputs = inputs.to_vec();
            inputs[i] = x;
            run_on(p, &inputs)
        });
        for (found, expected) in found.iter().zip(&expected) {
            close(found, expected, 0.0, &|| format!("input {i} repeats one value\n{p}"));
        }
    }
}

/// `x + by·t` for the arrays that have derivatives.
fn moved(x: &[Tensor], t: &[Tensor], by: f64) -> Vec<Tensor> {
    let mut t = t.iter();
    x.iter()
        .map(|x| match x.dtype().is_differentiable() {
            false => x.clone(),
            true => {
                let t = t.next().expect("a tangent each");
                from_numbers(&x.ty(), |i| x.get(i).as_complex() + by * t.get(i).as_complex())
            }
        })
        .collect()
}

/// The real part of the pairing of two lists of arrays, which forward and reverse mode must agree on.
fn paired(x: &[Tensor], y: &[Tensor]) -> f64 {
    let products = x.iter().zip(y).flat_map(|(x, y)| numbers(x).into_iter().zip(numbers(y)).map(|(a, b)| (a * b).re));
    products.sum()
}

fn directions(types: &[Type], seed: u64) -> Vec<Tensor> {
    let active = types.iter().filter(|t| t.dtype.is_differentiable());
    active.enumerate().map(|(i, t)| random(&t.to_string(), seed + i as u64)).collect()
}

/// Checks the first derivatives of a program; gives its `vjp` and inputs for that.
#[track_caller]
pub fn check_derivatives(p: &Program, inputs: &[Tensor]) -> (Program, Vec<Tensor>) {
    let (wrt, kept) = (differentiable(&p.input_types()), differentiable(&p.output_types()));
    let values = run_on(p, inputs);

    // Forward, against central differences.
    let (forward, moving) = jvp(p, &wrt).unwrap_or_else(|e| panic!("{e}\nin the jvp of\n{p}"));
    let tangents = directions(&p.input_types(), 11);
    let y = run_on(&forward, &[inputs, &tangents[..]].concat());
    for (i, (y, value)) in y.iter().zip(&values).enumerate() {
        close(y, value, SAME, &|| format!("value {i} of the jvp\n{forward}"));
    }
    let [high, low] = [STEP, -STEP].map(|by| run_on(p, &moved(inputs, &tangents, by)));
    let mut given = y[values.len()..].iter();
    let mut moves = Vec::new();
    for i in 0..values.len() {
        let t = if moving[i] { given.next().expect("a tangent").clone() } else { Tensor::zeros(&values[i].ty()) };
        if kept[i] {
            let slope = |k| (high[i].get(k).as_complex() - low[i].get(k).as_complex()) / (2.0 * STEP);
            let expected = from_numbers(&t.ty(), slope);
            close(&t, &expected, NEAR, &|| format!("tangent {i} against finite differences\n{forward}"));
            moves.push(t);
        }
    }

    // Reverse, against forward.
    let back = vjp(p, &wrt).unwrap_or_else(|e| panic!("{e}\nin the vjp of\n{p}"));
    let cotangents = directions(&p.output_types(), 23);
    let args = [inputs, &cotangents[..]].concat();
    let y = run_on(&back, &args);
    for (i, (y, value)) in y.iter().zip(&values).enumerate() {
        close(y, value, SAME, &|| format!("value {i} of the vjp\n{back}"));
    }
    let (there, again) = (paired(&cotangents, &moves), paired(&y[values.len()..], &tangents));
    let scale = there.abs().max(1.0);
    assert!((there - again).abs() <= 1e-9 * scale, "forward gives {there}, reverse {again}\n{forward}\n{back}");
    (back, args)
}

/// One of the arrays a batch is made of: like `x`, but not the same for each `i`. Structure that ops may need (signs,
/// symmetry, zeros) is kept, and so is the set of integers.
fn variant(x: &Tensor, input: usize, i: usize) -> Tensor {
    let n = x.size();
    let factor = 1.0 + 0.07 * i as f64 + 0.01 * (i * input) as f64;
    from_scalars(&x.ty(), |k| match x.get(k) {
        s if s.dtype().is_differentiable() => Scalar::from_complex(s.dtype(), s.as_complex() * factor),
        Scalar::Bool(p) if n == 1 => Scalar::Bool(p ^ (i % 2 == 1)),
        s if n == 1 => Scalar::from_i64(s.dtype(), s.as_i64().expect("an integer") + i as i64),
        _ => x.get((k + i) % n),
    })
}

fn stacked(x: &[Tensor], each: &Type) -> Tensor {
    let n = each.shape.size();
    from_scalars(&each.with_shape(each.shape.with_axis(0, x.len())), |i| x[i / n].get(i % n))
}

/// Checks that the program over a batch is a loop of the program, for every choice of batched inputs.
#[track_caller]
pub fn check_batch(p: &Program, inputs: &[Tensor]) {
    let n = inputs.len();
    assert!(n <= 8, "{n} inputs are too many to try every choice of batched ones");
    let types = p.output_types();
    let demand = vec![true; types.len()];
    for size in [BATCH, 0] {
        let variants: Vec<Vec<Tensor>> =
            (0..size).map(|i| inputs.iter().enumerate().map(|(k, x)| variant(x, k, i)).collect()).collect();
        for choice in 1u32..1 << n {
            let batched: Vec<bool> = (0..n).map(|k| choice >> k & 1 == 1).collect();
            let (over, _) = batch(p, size, None, &batched, &demand).unwrap_or_else(|e| panic!("{e}\nbatching\n{p}"));
            let pick = |k: usize, many: &dyn Fn() -> Tensor| if batched[k] { many() } else { inputs[k].clone() };
            let args: Vec<Tensor> = (0..n)
                .map(|k| {
                    let column = || variants.iter().map(|v| v[k].clone()).collect::<Vec<_>>();
                    pick(k, &|| stacked(&column(), &inputs[k].ty()))
                })
                .collect();
            let found = run_on(&over, &args);
            let loops: Vec<Vec<Tensor>> = variants
                .iter()
                .map(|v| run_on(p, &(0..n).map(|k| pick(k, &|| v[k].clone())).collect::<Vec<_>>()))
                .collect();
            for (o, t) in types.iter().enumerate() {
                let expected = stacked(&loops.iter().map(|y| y[o].clone()).collect::<Vec<_>>(), t);
                close(&found[o], &expected, SAME, &|| {
                    format!("result {o} of a batch of {size}, inputs batched {batched:?}\n{p}\nover the batch\n{over}")
                });
            }
        }
    }
}
