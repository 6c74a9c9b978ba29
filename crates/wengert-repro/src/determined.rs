//! What a program determines of its results: it is run with values that are disturbed by as little as rounding does.
//!
//! Where eigenvalues or singular values repeat, or columns depend on each other, rounding chooses the vectors of a decomposition, and
//! another library has others that are as right. What is left of numbers that are much larger has few digits.

use crate::changed::each_number;
use crate::diff::rounding::is_exact;
use crate::patience::at_once;
use crate::symptom::gap;
use std::convert::Infallible;
use std::sync::Arc;
use wengert::repro::{rounding, scale};
use wengert_core::compare::Tolerance;
use wengert_core::ops::{Binary, Combiner, Unary};
use wengert_core::simplify::{Pass, Simplifier};
use wengert_core::{Builder, DType, Op, Program, Scalar, Tensor, Type, Var};
use wengert_emit::free_results;

/// How often the matrices are disturbed: vectors that are not determined turn by chance, and once that may be by little.
const TRIES: u64 = 4;

/// What numbers are drawn by.
const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

/// What leaves every number as it is when it is added.
const NOTHING: f64 = -0.0;

/// A result that may be so far away, as a part of itself, has no digits that could be compared.
const FEW_DIGITS: f64 = 0.1;

/// The results of a program on these inputs, by their numbers, that are others where the matrices of its decompositions, at any
/// depth, are disturbed by as little as rounding does. What is made of singular values alone, or of all that a matrix was taken
/// apart into, is none of them. A run that fails has none.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::undetermined_results;
/// let p = Program::parse("program (x: f32[2,2]) { w: f32[2], v: f32[2,2] = eigh[lower=true](x) return w, v }")?;
/// let matrix = |x: [f32; 4]| [Tensor::new([2, 2], x.to_vec()).unwrap()];
/// assert_eq!(undetermined_results(&p, &matrix([1.0, 0.0, 0.0, 1.0])), [1]);
/// assert!(undetermined_results(&p, &matrix([1.0, 0.0, 0.0, 2.0])).is_empty());
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn undetermined_results(program: &Program, inputs: &[Tensor]) -> Vec<usize> {
    if !program.any(|_, e| !free_results(&e.op).is_empty()) {
        return Vec::new();
    }
    let run = |p: &Program| wengert_eval::run(p, inputs.to_vec());
    let Ok(expected) = run(program) else { return Vec::new() };
    let mut is_free = vec![false; expected.len()];
    for number in 0..TRIES {
        let Ok(got) = run(&disturbed(program, number)) else { continue };
        for (is_free, (got, expected)) in is_free.iter_mut().zip(got.iter().zip(&expected)) {
            *is_free |= rounding(expected, None).check(got, expected).is_err();
        }
    }
    (0..is_free.len()).filter(|&i| is_free[i]).collect()
}

/// The program whose decompositions, at any depth, are those of matrices that are a little different.
fn disturbed(program: &Program, number: u64) -> Program {
    let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
        let mut x = x.to_vec();
        if !free_results(&e.op).is_empty() {
            x[0] = near(b, x[0], number);
        }
        let gives = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
        let op = e.op.map_programs(&mut |p| Arc::new(disturbed(p, number)));
        let mut y = b.push_typed(op, &x, gives).to_vec();
        for &(i, axis) in factors_with_more(&e.op) {
            let shape = b.shape(x[0]).clone();
            let determined = shape[shape.rank() - 2..].iter().copied().min().unwrap_or(0);
            y[i] = turned(b, y[i], axis, determined);
        }
        Ok::<_, Infallible>(y)
    });
    b.finish(&y).with_name(program.name())
}

/// The square factors of a decomposition, by the number of the result, and along which axis from the end their vectors are: those that
/// belong to no column (or row) of the matrix are free.
fn factors_with_more(op: &Op) -> &'static [(usize, usize)] {
    match op {
        Op::Qr(o) if o.full_matrices => &[(0, 1)],
        Op::Svd(o) if o.full_matrices && o.compute_uv => &[(0, 1), (2, 2)],
        _ => &[],
    }
}

/// Vectors along an axis from the end: those after the first are in the other order, with the other sign.
fn turned(b: &mut Builder, x: Var, from_end: usize, first: usize) -> Var {
    let shape = b.shape(x).clone();
    let axis = shape.rank() - from_end;
    if shape[axis] <= first {
        return x;
    }
    let (kept, others) = (b.slice_axis(x, axis, 0, first), b.slice_axis(x, axis, first, shape[axis]));
    let others = b.reverse(others, &[axis]);
    let others = b.scale(others, -1.0);
    b.concatenate(&[kept, others], axis)
}

/// A matrix whose numbers are each a few roundings away from those of another one: what is zero stays so, and with it the signs that
/// libraries agree on.
fn near(b: &mut Builder, x: Var, number: u64) -> Var {
    let ty = b.ty(x).clone();
    // Numbers that are the same change their order in one of two tries.
    let (seed, sign) = (SEED ^ (number / 2), if number.is_multiple_of(2) { 1.0 } else { -1.0 });
    let factor = |i| 1.0 + 8.0 * sign * epsilon(ty.dtype) * drawn(seed, i);
    let factors = b.constant(Tensor::from_bits(&ty, |i| Scalar::from_f64(ty.dtype, factor(i)).bits()));
    b.mul(x, factors)
}

/// How far each result of a program on these inputs may be away where the program is rounded otherwise, as a part of the largest number
/// of the array; none of a result that has as many digits as its element type, or this narrower one, lets expect, or has none at all.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::lost_digits;
/// let p = "program (x: f32[]) { y: f32[] = add(x, 1e4:f32[]) z: f32[] = sub(y, 1e4:f32[]) return y, z }";
/// let p = Program::parse(p)?;
/// let run = |x: f32| wengert_eval::run(&p, vec![Tensor::scalar(x)]).unwrap();
/// let lost = |x: f32| lost_digits(&p, &[Tensor::scalar(x)], &run(x), &[None, None]);
/// assert!(lost(1.1)[0].is_none() && lost(1.1)[1].is_some_and(|part| part > 1e-3));
/// assert_eq!(lost(1.0), [None, None]); // Whole numbers have all their digits.
/// assert_eq!(lost(1e6), [None, None]);
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn lost_digits(
    program: &Program,
    inputs: &[Tensor],
    results: &[Tensor],
    narrow: &[Option<DType>],
) -> Vec<Option<f64>> {
    Roundings::new(program, inputs, results, narrow).lost
}

/// What becomes of the results of a program that is rounded otherwise.
#[derive(Default)]
pub(crate) struct Roundings {
    /// See [`lost_digits`].
    pub(crate) lost: Vec<Option<f64>>,
    /// Of each result that has no digits that could be compared, as it is what is left of numbers that are far larger: their size.
    pub(crate) sizes: Vec<Option<f64>>,
    /// The results that are no floats, and others then: what is compared or sorted there is the same but for rounding.
    pub(crate) chosen: Vec<usize>,
}

impl Roundings {
    pub(crate) fn new(program: &Program, inputs: &[Tensor], results: &[Tensor], narrow: &[Option<DType>]) -> Roundings {
        let (mut most, mut farthest) = (vec![0.0f64; results.len()], vec![0.0f64; results.len()]);
        let mut chosen = Vec::new();
        let allowed = |i: usize| rounding(&results[i], narrow.get(i).copied().flatten());
        // What a sum rounds inside matters where nothing else is left.
        let shakes_sums = |number| number >= TRIES;
        let run = |number| {
            let p = rounded_otherwise(program, number, shakes_sums(number));
            (wengert_eval::run(&p, inputs.to_vec()), shakes_sums(number))
        };
        for (got, shakes_sums) in at_once(2 * TRIES, run) {
            let Ok(got) = got else { return Roundings::default() };
            for (i, (got, y)) in got.iter().zip(results).enumerate() {
                if !y.dtype().is_differentiable() {
                    if !got.same_bits(y) && !chosen.contains(&i) {
                        chosen.push(i);
                    }
                    continue;
                }
                // Some other way may lead farther than a few do.
                let may = 4.0 * gap(y, got);
                match may < FEW_DIGITS && scale(y, None) > 0.0 {
                    true if may > allowed(i).relative && !shakes_sums => most[i] = most[i].max(may),
                    true => {}
                    false => farthest[i] = farthest[i].max(4.0 * farthest_apart(y, got)),
                }
            }
        }
        let some = |x: f64| (x.is_finite() && x > 0.0).then(|| rounded_up(x));
        // So that what is allowed of the size is as far as that.
        let size = |(i, by): (usize, f64)| {
            let Tolerance { absolute, .. } = allowed(i);
            let now = scale(&results[i], None);
            some(by / absolute * if now > 0.0 { now } else { 1.0 }).filter(|_| by > absolute)
        };
        Roundings {
            lost: most.into_iter().map(some).collect(),
            sizes: farthest.into_iter().enumerate().map(size).collect(),
            chosen,
        }
    }
}

/// What a program gives where numbers that are subnormal are zero, as they are to compilers that ask for it. None if it can't be run.
pub(crate) fn without_subnormal(program: &Program, inputs: &[Tensor]) -> Option<Vec<Tensor>> {
    let input = |x: &Tensor| {
        let mut b = Builder::new();
        let v = b.input(x.ty());
        let y = flushed(&mut b, v);
        wengert_eval::run(&b.finish(&[y]), vec![x.clone()]).ok()?.pop()
    };
    let inputs = inputs.iter().map(input).collect::<Option<Vec<Tensor>>>()?;
    wengert_eval::run(&all_flushed(program), inputs).ok()
}

/// The results, by their numbers, that are others where subnormal numbers are zero.
pub(crate) fn subnormal_results(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> Vec<usize> {
    let Some(flushed) = without_subnormal(program, inputs) else { return Vec::new() };
    let is_other = |i: &usize| rounding(&results[*i], None).check(&flushed[*i], &results[*i]).is_err();
    (0..results.len()).filter(is_other).collect()
}

fn all_flushed(program: &Program) -> Program {
    let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
        let gives = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
        let op = e.op.map_programs(&mut |p| Arc::new(all_flushed(p)));
        let y = b.push_typed(op, x, gives).to_vec();
        Ok::<_, Infallible>(y.into_iter().map(|y| flushed(b, y)).collect::<Vec<Var>>())
    });
    b.finish(&y).with_name(program.name())
}

/// The array with zeros for what is subnormal. Halves are computed with as singles, which these numbers are none of.
fn flushed(b: &mut Builder, x: Var) -> Var {
    let tiny = match b.ty(x).dtype {
        DType::F32 | DType::BF16 => f64::from(f32::MIN_POSITIVE),
        DType::F64 => f64::MIN_POSITIVE,
        _ => return x,
    };
    each_number(b, x, move |_, x| if x.abs() < tiny { 0.0 * x } else { x })
}

/// How far apart two arrays are where they are farthest.
fn farthest_apart(x: &Tensor, y: &Tensor) -> f64 {
    let (x, y) = (x.dense().as_complex(), y.dense().as_complex());
    x.iter()
        .zip(&y)
        .map(|(x, y)| (x - y).norm())
        .fold(0.0, |most, by| if by.is_nan() { f64::INFINITY } else { most.max(by) })
}

/// The program, each of whose numbers that may be rounded is the next one or the one before; and each number of what is summed, if that is
/// asked for, since what an op rounds inside is not seen. What is chosen of numbers, and what is computed twice, has the same bits: the
/// largest number of an array is one of it.
pub(crate) fn rounded_otherwise(program: &Program, number: u64, shakes_sums: bool) -> Program {
    let program = Simplifier::new(&[Pass::Common]).run(program);
    Otherwise { seed: SEED ^ number, count: 0, shakes_sums }.program(&program)
}

/// Whether an op gives one of its operands, or that with another sign.
fn chooses(op: &Op) -> bool {
    match op {
        Op::Binary(b) => matches!(b, Binary::Max | Binary::Min),
        Op::Unary(u) => matches!(u, Unary::Neg | Unary::Abs | Unary::Sign | Unary::Real | Unary::Imag | Unary::Conj),
        Op::Reduce(r) => matches!(r.combiner, Combiner::Max | Combiner::Min),
        Op::ReduceWindow(r) => matches!(r.combiner, Combiner::Max | Combiner::Min),
        _ => false,
    }
}

/// Whether an op gives whole numbers, which nobody rounds.
fn gives_integers(op: &Op) -> bool {
    matches!(op, Op::Unary(Unary::Floor | Unary::Ceil | Unary::Round | Unary::RoundEven | Unary::Sign))
}

/// Whether an op makes whole numbers of whole numbers, which are as they are in whatever order: counts, and what they are the index of.
fn keeps_integers(op: &Op) -> bool {
    matches!(op, Op::Binary(Binary::Add | Binary::Sub | Binary::Mul))
}

/// A program that is rounded otherwise, while it is written.
struct Otherwise {
    seed: u64,
    /// How many results were rounded so far.
    count: usize,
    shakes_sums: bool,
}

impl Otherwise {
    fn program(&mut self, program: &Program) -> Program {
        let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
            let gives: Vec<Type> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
            let holds = matches!(e.op, Op::Call(_) | Op::Cond(_) | Op::Scan(_) | Op::While(_))
                || self.shakes_sums && matches!(e.op, Op::CustomJvp(_) | Op::CustomVjp(_));
            let op = match holds {
                true => e.op.map_programs(&mut |p| Arc::new(self.program(p))),
                false => e.op.clone(),
            };
            let mut x = x.to_vec();
            if self.shakes_sums && is_sum(&e.op) {
                // What a window selects of numbers that are the same is no question of rounding.
                let first = usize::from(matches!(e.op, Op::SelectAndScatter(_)));
                x.iter_mut().skip(first).for_each(|x| *x = self.shaken(b, *x));
            }
            let mut y = b.push_typed(op, &x, gives.clone()).to_vec();
            for (y, ty) in y
                .iter_mut()
                .zip(gives)
                .filter(|_| !holds && !is_exact(&e.op) && !chooses(&e.op) && !gives_integers(&e.op))
            {
                if ty.dtype.is_differentiable() {
                    self.count += 1;
                    let epsilon = epsilon(ty.dtype);
                    let by = epsilon.copysign(drawn(self.seed, self.count));
                    // Whole numbers that have all their digits.
                    let keeps = keeps_integers(&e.op) && !ty.dtype.is_complex();
                    let is_exact = move |x: f64| keeps && x.floor() == x && x.abs() < 0.25 / epsilon;
                    // Near their roots these are what is left of logarithms.
                    let more = if matches!(e.op, Op::Unary(Unary::Lgamma | Unary::Digamma)) { by } else { NOTHING };
                    let otherwise = move |_, x| if is_exact(x) { x } else { x * (1.0 + by) + more };
                    *y = each_number(b, *y, otherwise);
                }
            }
            Ok::<_, Infallible>(y)
        });
        b.finish(&y).with_name(program.name())
    }

    /// An array, each of whose numbers is a few roundings away.
    fn shaken(&mut self, b: &mut Builder, x: Var) -> Var {
        let ty = b.ty(x).clone();
        if !ty.dtype.is_differentiable() {
            return x;
        }
        self.count += 1;
        let seed = self.seed.wrapping_mul(2 * self.count as u64 + 1);
        // Not all by as much: what two numbers move by would cancel out half of the time.
        let epsilon = epsilon(ty.dtype);
        let by = move |i| drawn(seed, i).signum() * (2.0 * drawn(seed, i).abs()).ceil() * epsilon;
        each_number(b, x, move |i, x| x * (1.0 + by(i)))
    }
}

/// Whether an op adds numbers up, and rounds between.
pub(crate) fn is_sum(op: &Op) -> bool {
    match op {
        Op::Reduce(o) => !matches!(o.combiner, Combiner::Max | Combiner::Min),
        Op::ReduceWindow(o) => !matches!(o.combiner, Combiner::Max | Combiner::Min),
        Op::DotGeneral(_) | Op::Cumulative(_) | Op::Convolution(_) | Op::Scatter(_) | Op::Fft(_) => true,
        Op::SelectAndScatter(_) | Op::TriangularSolve(_) | Op::Cholesky(_) | Op::Lu(_) | Op::AllReduce(_) => true,
        Op::LinearSolve(_) | Op::Root(_) | Op::Pullback(_) | Op::Custom(_) => true,
        op => !free_results(op).is_empty() || matches!(op, Op::Svd(_) | Op::Eig(_)),
    }
}

/// A number with one digit that is no smaller.
pub(crate) fn rounded_up(x: f64) -> f64 {
    let unit = 10f64.powf(x.log10().floor());
    format!("{:.0e}", (x / unit).ceil() * unit).parse().expect("a number")
}

/// The step from 1 to the next number of a type.
pub(crate) fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F16 => f64::from(2f32.powi(-10)),
        DType::BF16 => f64::from(2f32.powi(-7)),
        DType::F32 => f64::from(f32::EPSILON),
        _ => f64::EPSILON,
    }
}

/// A number between -1 and 1, by chance.
fn drawn(seed: u64, i: usize) -> f64 {
    let mut z = seed.wrapping_mul(i as u64 + 1);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(equations: &str, shape: [usize; 2], x: &[f32]) -> Vec<usize> {
        let [m, n] = shape;
        let p = Program::parse(&format!("program (x: f32[{m},{n}]) {{ {equations} }}")).unwrap();
        undetermined_results(&p, &[Tensor::from_slice([m, n], x).unwrap()])
    }

    #[test]
    fn e2_what_a_matrix_determines_is_not_free() {
        let svd = "u: f32[2,2], s: f32[2], v: f32[2,2] = svd[full_matrices=false, compute_uv=true](x)
            t: f32[2] = log(s) r: f32[2,2] = broadcast[shape=[2,2], dims=[1]](s) us: f32[2,2] = mul(u, r)
            y: f32[2,2] = dot_general[contract=([1], [0]), batch=([], [])](us, v) return u, t, y, v";
        // Two singular values that are the same, and two that are not.
        assert_eq!(free(svd, [2, 2], &[0.0, 2.0, -2.0, 0.0]), [0, 3]);
        assert!(free(svd, [2, 2], &[0.0, 2.0, -3.0, 0.0]).is_empty());
        // A vector that stands for no column.
        let qr = "q: f32[4,3], r: f32[3,3] = qr[full_matrices=false](x)
            y: f32[4,3] = dot_general[contract=([1], [0]), batch=([], [])](q, r) return q, y";
        let outer: Vec<f32> = (0..12).map(|i| (i / 3 * (i % 3)) as f32).collect();
        assert_eq!(free(qr, [4, 3], &outer), [0]);
        let other: Vec<f32> = (0..12).map(|i| (i * i % 7) as f32).collect();
        assert!(free(qr, [4, 3], &other).is_empty());
        // Vectors beyond the columns of a matrix are free, whatever it is: by themselves, and not in what they are no part of.
        let qr = "q: f32[4,4], r: f32[4,3] = qr[full_matrices=true](x)
            t: f32[4,3] = slice[start=[0, 0], limit=[4, 3], strides=[1, 1]](q)
            y: f32[4,3] = dot_general[contract=([1], [0]), batch=([], [])](q, r) return q, r, t, y";
        assert_eq!(free(qr, [4, 3], &other), [0]);
        let svd = "u: f32[3,3], s: f32[3], v: f32[4,4] = svd[full_matrices=true, compute_uv=true](x) return u, s, v";
        assert_eq!(free(svd, [3, 4], &other), [2]);
    }

    #[test]
    fn e2_a_difference_that_is_looked_for_is_not_excused() {
        let p = "program (x: f32[3,3]) { q: f32[3,3], r: f32[3,3] = qr[full_matrices=false](x) return q }";
        let (p, x) = (Program::parse(p).unwrap(), vec![Tensor::splat([3, 3], Scalar::F32(1.0))]);
        let run = crate::files::run_of(&p, x.clone());
        let free = |within| {
            let options = wengert_emit::Options { within, ..Default::default() };
            crate::files::compared_by(&run, &p, &x, options).free
        };
        assert_eq!((free(None), free(Some(1e-3))), (vec![0], vec![]));
    }

    fn options(p: &Program, x: &[Tensor]) -> wengert_emit::Options {
        crate::files::compared_by(&crate::files::run_of(p, x.to_vec()), p, x, wengert_emit::Options::default())
    }

    #[test]
    fn e2_what_rounding_leaves_has_the_size_of_what_it_is_left_of() {
        let p = "program (x: f32[3]) { e: f32[3] = exp(x) n: f32[3] = neg(x) i: f32[3] = exp(n) m: f32[3] = mul(e, i)
            y: f32[3] = sub(m, 1.0:f32[3]) return e, y }";
        let x = [Tensor::from_slice([3], &[0.11f32, 0.57, 2.9]).unwrap()];
        let found = options(&Program::parse(p).unwrap(), &x);
        assert_eq!((found.lost, found.scales[0]), (vec![], None));
        // Ten thousand times smaller than what is allowed of it, which is about a rounding of 1.
        assert!(found.scales[1].is_some_and(|size| (0.01..1.0).contains(&size)), "{:?}", found.scales);
    }

    /// A position that an element is taken from is whole, and the element is compared as others are.
    #[test]
    fn e2_whole_numbers_are_not_rounded() {
        let p = "program (x: f32[5], at: f32[]) { n: f32[] = sub(5.0:f32[], 1.0:f32[]) q: f32[] = mul(n, at) f: f32[] = floor(q)
            c: f32[] = clamp(0.0:f32[], f, n) i: i32[] = convert[dtype=i32](c) y: f32[1] = dynamic_slice[sizes=[1]](x, i) return y }";
        let p = Program::parse(p).unwrap();
        for at in [0.5f32, 0.625, 0.999, 1.0] {
            let x = [Tensor::from_slice([5], &[0.5f32, 20.0, -3.0, 700.0, 1.5]).unwrap(), Tensor::scalar(at)];
            let found = options(&p, &x);
            assert_eq!((found.lost, found.scales, found.free), (vec![], vec![], vec![]), "{at}");
        }
    }

    #[test]
    fn e2_results_that_subnormal_numbers_decide_are_named() {
        let p = "program (x: f32[2]) { s: f32[2] = sign(x) y: f32[2] = exp(x) return s, y }";
        let p = Program::parse(p).unwrap();
        let subnormal = |x: [f32; 2]| options(&p, &[Tensor::from_slice([2], &x).unwrap()]).subnormal;
        assert_eq!((subnormal([1e-40, 1.0]), subnormal([1e-30, 1.0])), (vec![0], vec![]));
    }

    #[test]
    fn e2_what_only_rounding_chooses_is_free() {
        let p = "program (x: f32[2]) { a: f32[2] = mul(x, 3.0:f32[2]) b: f32[2] = div(a, 3.0:f32[2])
            c: bool[2] = compare[direction=gt](b, dense[0.3, 1.0]:f32[2]) d: bool[2] = compare[direction=gt](b, 5.0:f32[2]) return c, d }";
        let x = [Tensor::from_slice([2], &[0.3f32, 0.5]).unwrap()];
        assert_eq!(options(&Program::parse(p).unwrap(), &x).free, [0]);
    }

    #[test]
    fn e2_what_is_chosen_of_numbers_is_not_rounded() {
        let x = [Tensor::from_slice([3], &[0.31f32, 2.0, -0.7]).unwrap()];
        for chosen in [
            "m: f32[3] = max(s, 0.0:f32[3])",
            "t: f32[3] = sin(x) r: f32[] = reduce[combiner=max, dims=[0]](t) m: f32[3] = broadcast[shape=[3], dims=[]](r)",
            "n: f32[3] = neg(s) p: f32[3] = neg(n) m: f32[3] = min(p, 0.5:f32[3])",
        ] {
            let p = format!(
                "program (x: f32[3]) {{ s: f32[3] = sin(x) {chosen} e: bool[3] = compare[direction=eq](s, m)
                 c: f32[3] = convert[dtype=f32](e) y: f32[3] = mul(c, x) return e, y }}"
            );
            let options = options(&Program::parse(&p).unwrap(), &x);
            assert!(options.free.is_empty() && options.scales.is_empty(), "{p}: {:?}", options.scales);
        }
    }

    #[test]
    fn e2_results_are_found_among_the_outputs_of_the_program() {
        let text = "program (x: f32[3]) { y: f32[3] = sub(x, x) e: f32[3] = exp(x) l: f32[3] = log(e) z: f32[3] = sub(l, x) return OUT }";
        let p = |out: &str| Program::parse(&text.replace("OUT", out)).unwrap();
        let x = [Tensor::from_slice([3], &[0.11f32, 0.57, 2.9]).unwrap()];
        let run = crate::files::run_of(&p("z, e"), x.to_vec());
        let by = |out: &str| crate::files::compared_by(&run, &p(out), &x, wengert_emit::Options::default()).scales;
        let size = by("z, e")[0];
        assert!(size.is_some(), "the logarithm of an exponential has few digits");
        assert_eq!((by("e, y, z"), by("e, y, y")), (vec![size, None], vec![]));
    }
}
