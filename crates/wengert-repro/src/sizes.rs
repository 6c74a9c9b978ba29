//! How large the numbers are that an element of a result is what is left of: a difference is a part of that.
//!
//! The largest number of an array says how far the others may be rounded where they are made by one sum or another, and nothing where
//! they are not: the `-1e9` of a mask is beside scores, and a column beside others. Which it is, the program knows: it is run with
//! numbers that are rounded otherwise, and what is summed disturbed by as much. How far an element moves, in roundings, is the size of
//! what it is left of.

use crate::determined::{epsilon, rounded_otherwise, rounded_up};
use crate::diff::{beyond, rounding};
use crate::patience::{at_once, with_patience};
use std::sync::Arc;
use wengert::repro::scale;
use wengert_core::compare::compare;
use wengert_core::{DType, Program, Tensor, Var};

/// What a difference of 1 between integers, or of truth values, counts as: no tolerance allows it.
pub const INTEGER_STEP: f64 = 1e100;

/// How often a program is run otherwise: once, what moves may cancel out by chance.
pub(crate) const TRIES: u64 = 4;

/// So many bytes of values are held at once, at most. Programs with more are not run otherwise.
pub(crate) const MOST_BYTES: usize = 256 << 20;

/// What a difference of an element is a part of, if the element itself is not larger.
#[derive(Clone, Debug)]
pub(crate) enum Sizes {
    /// The same for all elements.
    Same(f64),
    /// One for each element.
    Each(Arc<[f64]>),
}

impl Sizes {
    /// The sizes where nothing is known but an array ([`scale`]).
    pub(crate) fn of_values(x: &Tensor) -> Sizes {
        Sizes::Same(scale(x, None).max(f64::MIN_POSITIVE))
    }

    /// The largest number, for all elements.
    fn of_largest(x: &Tensor) -> Sizes {
        Sizes::Same(largest(x).max(f64::MIN_POSITIVE))
    }

    /// Nothing but the elements themselves.
    pub(crate) fn of_elements(x: &Tensor) -> Sizes {
        Sizes::Each(vec![0.0; x.size()].into())
    }

    /// The sizes of elements that move so far where numbers are rounded otherwise, so that what rounding makes of them is within a tolerance.
    pub(crate) fn of_moved(x: &Tensor, moved: &[f64], tolerance: f64) -> Sizes {
        let left = left_by(x, moved);
        let rounding = |by: f64| rounding::most_of(by) / tolerance;
        Sizes::Each(moved.iter().zip(left.iter()).map(|(&by, &left)| left.max(rounding(by))).collect())
    }

    /// For each result of a program, what its differences are parts of. The largest number, unless whether results differ by more than
    /// a tolerance depends on it; and whether that was not found where it does, so that the largest number counts.
    pub(crate) fn of_results(
        program: &Program,
        inputs: &[Tensor],
        want: &[Tensor],
        got: &[Tensor],
        tolerance: f64,
    ) -> (Vec<Sizes>, bool) {
        let by_largest: Vec<Sizes> = want.iter().map(Sizes::of_largest).collect();
        let open: Vec<bool> = want.iter().zip(got).map(|(want, got)| is_open(want, got, tolerance)).collect();
        if !open.contains(&true) {
            return (by_largest, false);
        }
        let left = left_of(program, inputs, want);
        let one = |(i, sizes): (usize, Sizes)| match &left {
            _ if !open[i] => sizes,
            Some(left) => Sizes::Each(left[i].clone()),
            None => Sizes::of_values(&want[i]),
        };
        (by_largest.into_iter().enumerate().map(one).collect(), left.is_none())
    }

    /// By how much two values of the result differ that are not the reference's: where the largest number counts, it is that of the first.
    pub(crate) fn gap_of_others(&self, x: &Tensor, y: &Tensor) -> f64 {
        match self {
            Sizes::Same(_) => Sizes::of_values(x).gap(x, y),
            Sizes::Each(_) => self.gap(x, y),
        }
    }

    /// The largest difference of two arrays of one type, as a part of these sizes; NaN where only one of two numbers is finite. That of
    /// integers counts in steps of [`INTEGER_STEP`].
    pub(crate) fn gap(&self, want: &Tensor, got: &Tensor) -> f64 {
        if !want.dtype().is_differentiable() {
            return compare(want, got).map_or(f64::NAN, |c| c.absolute * INTEGER_STEP);
        }
        self.numbers(want, got)
            .map(|(a, b, size)| distance(a, b) / size)
            .fold(0.0, |m: f64, x| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x) })
    }

    /// The real and imaginary parts of two arrays of floats, each with what a difference is a part of.
    pub(crate) fn numbers(&self, want: &Tensor, got: &Tensor) -> impl Iterator<Item = (f64, f64, f64)> {
        let least = match want.dtype().real() {
            DType::F16 => 2f64.powi(-14),
            DType::F64 => 1e3 * f64::MIN_POSITIVE,
            _ => 1e3 * f64::from(f32::MIN_POSITIVE),
        };
        let size = move |i: usize| match self {
            // Whether numbers are subnormal or zero is no question of digits.
            Sizes::Same(size) => size.max(least),
            Sizes::Each(sizes) => sizes[i].max(least),
        };
        let pairs = want.dense().as_complex().into_iter().zip(got.dense().as_complex());
        pairs.enumerate().flat_map(move |(i, (a, b))| {
            let size = Some(a.norm()).filter(|x| x.is_finite()).map_or(size(i), |x| x.max(size(i)));
            [(a.re, b.re, size), (a.im, b.im, size)]
        })
    }
}

/// How far two numbers are apart; NaN where only one of them is finite.
pub(crate) fn distance(a: f64, b: f64) -> f64 {
    match a == b || a.is_nan() && b.is_nan() {
        true => 0.0,
        false if a.is_finite() && b.is_finite() => (a - b).abs(),
        false => f64::NAN,
    }
}

/// Whether it depends on what elements are left of that two arrays differ by more than a tolerance.
pub(crate) fn is_open(want: &Tensor, got: &Tensor, tolerance: f64) -> bool {
    let is = |sizes: Sizes| beyond(sizes.gap(want, got), tolerance);
    let may_be = want.dtype().is_differentiable() && !want.same_bits(got);
    may_be && !is(Sizes::of_largest(want)) && is(Sizes::of_elements(want))
}

/// The size of the largest number that is finite.
fn largest(x: &Tensor) -> f64 {
    x.as_complex().iter().take(x.size()).map(|x| x.norm()).filter(|x| x.is_finite()).fold(0.0, f64::max)
}

/// For each element of the results of a program, the size of the numbers that it is what is left of, no more than the largest of the
/// array. None if that can't be found, or takes too long.
pub(crate) fn left_of(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> Option<Vec<Arc<[f64]>>> {
    let moved = moved(program, inputs, results)?;
    Some(moved.iter().zip(results).map(|(moved, y)| left_by(y, moved)).collect())
}

/// The size of the numbers that elements are what is left of which move so far.
fn left_by(y: &Tensor, moved: &[f64]) -> Arc<[f64]> {
    let (most, roundings) = (largest(y), 1.0 / epsilon(y.dtype()));
    moved.iter().map(|by| if by * roundings < most { by * roundings } else { most }).collect()
}

/// The bytes of all values of a program.
pub(crate) fn bytes_of(program: &Program) -> usize {
    bytes_of_vars(program, program.equations().iter().flat_map(|e| &e.outputs))
}

/// The bytes of some of them.
pub(crate) fn bytes_of_vars<'a>(program: &Program, vars: impl IntoIterator<Item = &'a Var>) -> usize {
    vars.into_iter().map(|&v| program.ty(v).bytes().unwrap_or(usize::MAX)).fold(0, usize::saturating_add)
}

/// How far each element of the results of a program moves where numbers are rounded otherwise, and what is summed is disturbed by as much.
/// None if that can't be found, or takes too long.
pub(crate) fn moved(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> Option<Vec<Vec<f64>>> {
    if bytes_of(program) > MOST_BYTES {
        return None;
    }
    let (program, inputs, results) = (program.clone(), inputs.to_vec(), results.to_vec());
    with_patience(move || {
        let run = |number| wengert_eval::run(&rounded_otherwise(&program, number, true), inputs.clone()).ok();
        let mut moved: Vec<Vec<f64>> = results.iter().map(|y| vec![0.0; y.size()]).collect();
        for got in at_once(TRIES, run) {
            move_to(&mut moved, &results, &got?);
        }
        Some(moved)
    })
    .flatten()
}

/// Lets the elements of results have moved as far as these others at least.
pub(crate) fn move_to(moved: &mut [Vec<f64>], results: &[Tensor], others: &[Tensor]) {
    for ((moved, y), other) in moved.iter_mut().zip(results).zip(others) {
        let (y, other) = (y.dense().as_complex(), other.dense().as_complex());
        for (by, (y, other)) in moved.iter_mut().zip(y.iter().zip(&other)) {
            let now = (other - y).norm();
            *by = if now.is_nan() { f64::INFINITY } else { by.max(now) };
        }
    }
}

/// How many times as large as all others numbers are that may hide them.
const HIDES: f64 = 1e3;

/// How many times as large as an element what it is left of is, where the element has fewer digits than others of its size.
const FEWER_DIGITS: f64 = 16.0;

/// For each result of a program whose numbers are hidden, by what the array alone says ([`scale`]), behind others that are far larger: the size
/// of what small numbers may be left of. Empty if there is none.
pub(crate) fn scales(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> Vec<Option<f64>> {
    let own = |y: &Tensor| -> Vec<f64> { y.dense().as_complex().iter().map(|y| y.norm()).collect() };
    let scales_by = |left: &dyn Fn(usize) -> Arc<[f64]>| -> Vec<Option<f64>> {
        let one = |(i, y): (usize, &Tensor)| {
            let least = least_scale(&own(y), &left(i)).filter(|_| y.dtype().is_differentiable()).map(rounded_up);
            least.filter(|least| scale(y, None) > HIDES * least)
        };
        let all: Vec<Option<f64>> = results.iter().enumerate().map(one).collect();
        if all.iter().any(Option::is_some) { all } else { Vec::new() }
    };
    // Without large numbers among the results, nothing is hidden. What numbers are left of is not found for programs of many.
    if bytes_of(program) > MOST_BYTES || scales_by(&|i| vec![0.0; results[i].size()].into()).is_empty() {
        return Vec::new();
    }
    left_of(program, inputs, results).map_or(Vec::new(), |left| scales_by(&|i| left[i].clone()))
}

/// The size of what elements are left of that have fewer digits than others, or that of the smallest element; none where no element, or what it
/// is left of, is far larger than another.
fn least_scale(own: &[f64], left: &[f64]) -> Option<f64> {
    let is_size = |x: &f64| x.is_finite() && *x > 0.0;
    let mut sizes: Vec<f64> = own.iter().zip(left).map(|(own, left)| own.max(*left)).filter(is_size).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let has_gap = sizes.windows(2).any(|x| x[1] > HIDES * x[0]);
    let lacking = own.iter().zip(left).filter(|(own, left)| **left > FEWER_DIGITS * **own).map(|(_, left)| *left);
    has_gap.then(|| lacking.filter(is_size).fold(sizes[0], f64::max))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::ExitCode;
    use wengert::Array;
    use wengert::repro::{Allowed, check_sized};
    use wengert_core::{Scalar, Type};

    /// By how much the results of a program part where one side has other equations, as parts of their sizes.
    fn gap(text: &str, from: &str, to: &str, x: &[Tensor]) -> f64 {
        let [p, other] = [text.to_string(), text.replace(from, to)].map(|t| Program::parse(&t).unwrap());
        let [want, got] = [&p, &other].map(|p| wengert_eval::run(p, x.to_vec()).unwrap());
        Sizes::of_results(&p, x, &want, &got, 1e-3).0[0].gap(&want[0], &got[0])
    }

    #[test]
    fn d5_a_mask_of_any_size_and_type_hides_no_difference() {
        for (dtype, mask) in [("f32", "1e5"), ("f32", "1e8"), ("f64", "1e12"), ("bf16", "1e6"), ("f16", "6e4")] {
            let ty = |d: &str| Type::new(DType::ALL.into_iter().find(|x| x.to_string() == d).unwrap(), [3, 3]);
            let matrix = |k: f64| {
                let number = |i: usize| Scalar::from_f64(ty(dtype).dtype, ((i as f64 + k) * 0.7).sin());
                Tensor::from_bits(&ty(dtype), |i| number(i).bits())
            };
            let x = [matrix(1.0), matrix(5.0)];
            let scores = format!("s: {dtype}[3,3] = dot_general[contract=([1], [0]), batch=([], [])](q, k)");
            // Only one element is masked, or all but one.
            for masked in [1, 8] {
                let hidden = |i: usize| i < masked;
                let list = |each: &dyn Fn(usize) -> String| (0..9).map(each).collect::<Vec<_>>().join(", ");
                let chosen = list(&|i| hidden(i).to_string());
                let added = list(&|i| if hidden(i) { format!("-{mask}") } else { "0.0".to_string() });
                for masking in [
                    format!("y: {dtype}[3,3] = select(dense[{chosen}]:bool[3,3], -{mask}:{dtype}[3,3], t)"),
                    format!("y: {dtype}[3,3] = add(t, dense[{added}]:{dtype}[3,3])"),
                ] {
                    let text = format!(
                        "program (q: {dtype}[3,3], k: {dtype}[3,3]) {{ {scores} t: {dtype}[3,3] = mul(s, 0.5:{dtype}[3,3])
                            {masking} return y }}"
                    );
                    let by = gap(&text, "0.5:", "0.75:", &x);
                    assert!(by > 1e-2, "{by}: {text}");
                    // What is emitted says so too, where the array alone does not.
                    let p = Program::parse(&text).unwrap();
                    let y = wengert_eval::run(&p, x.to_vec()).unwrap();
                    let found = scales(&p, &x, &y).first().copied().flatten();
                    assert!(found.unwrap_or(scale(&y[0], None)) < 10.0, "{found:?}: {text}");
                }
            }
        }
    }

    #[test]
    fn d5_what_is_left_of_large_numbers_is_rounding() {
        // A spectrum of one wave, and a sum of numbers that cancel out.
        let wave =
            Tensor::new([16], (0..16).map(|i| (i as f32 * std::f32::consts::TAU / 16.0).sin()).collect()).unwrap();
        let fft = "program (x: f32[16]) { c: c64[16] = convert[dtype=c64](x)
            y: c64[16] = fft[kind=fft, lengths=[16]](c) r: f32[16] = real(y) i: f32[16] = imag(y)
            s: f32[16] = add(r, i) d: f32[16] = add(s, 0.0:f32[16]) return d }";
        assert!(gap(fft, "0.0:", "3e-7:", std::slice::from_ref(&wave)) < 1e-3);
        assert!(gap(fft, "0.0:", "1.0:", std::slice::from_ref(&wave)) > 1e-2);
        let p = Program::parse(fft).unwrap();
        let y = wengert_eval::run(&p, vec![wave.clone()]).unwrap();
        assert!(scales(&p, &[wave], &y).is_empty());
        let x = [Tensor::new([2, 3], vec![1e6f32, 1.0, -1e6, 1e-3, 1.0, 2e-3]).unwrap()];
        let sums = "program (x: f32[2,3]) { s: f32[2] = reduce[combiner=add, dims=[1]](x) r: f32[2,1] = reshape[shape=[2,1]](s)
            y: f32[2,1] = mul(r, 1.0:f32[2,1]) big: f32[2,1] = slice[start=[0, 0], limit=[2, 1], strides=[1, 1]](x)
            z: f32[2,2] = concatenate[dim=1](y, big) return z }";
        // Two numbers that cancel out, beside one that does not.
        let pairs = "program (x: f32[2,2]) { s: f32[2] = reduce[combiner=add, dims=[1]](x) y: f32[2] = add(s, dense[0.0, 0.0]:f32[2]) return y }";
        for i in 1..20 {
            let x = [Tensor::new([2, 2], vec![i as f32 * 0.3, i as f32 * -0.3, 1e-3, 1.0]).unwrap()];
            assert!(gap(pairs, "dense[0.0,", "dense[3e-8,", &x) < 1e-3, "{i}");
        }
        // The first row may be anything up to a rounding of what it is left of, the second is no such sum.
        assert!(gap(sums, "mul(r, 1.0:f32[2,1])", "add(r, dense[0.06, 0.0]:f32[2,1])", &x) < 1e-3);
        assert!(gap(sums, "mul(r, 1.0:f32[2,1])", "add(r, dense[0.0, 0.06]:f32[2,1])", &x) > 1e-2);
    }

    /// Numbers beside masks of two sizes, and a program in which one of them is wrong.
    #[test]
    fn e2_masks_of_two_sizes_hide_nothing_from_what_is_emitted() {
        let p = |numbers: &str| {
            let text = format!(
                "program (x: f32[4]) {{ a: f32[4] = mul(x, 2.0:f32[4]) y: f32[4] = add(a, dense[{numbers}]:f32[4]) return y }}"
            );
            Program::parse(&text).unwrap()
        };
        let x = vec![Tensor::new([4], vec![0.3f32, 0.7, 0.9, 1.1]).unwrap()];
        let right = p("-1e9, -30.0, 0.0, -1e4");
        let want = wengert_eval::run(&right, x.clone()).unwrap();
        let by = scales(&right, &x, &want)[0];
        for (numbers, allowed, is_fault) in [
            ("-1e9, -30.1, 0.0, -1e4", Allowed::Part(1e-3), true),
            ("-1e9, -30.0, 0.01, -1e4", Allowed::Part(1e-3), true),
            ("-1e9, -30.01, 0.0, -1e4", Allowed::Rounding(None), true),
            ("-1e9, -30.0, 0.001, -1e4", Allowed::Rounding(None), true),
            ("-1.0000001e9, -30.00001, 0.000001, -10000.001", Allowed::Rounding(None), false),
        ] {
            let got = wengert_eval::run(&p(numbers), x.clone()).unwrap();
            let [got, want] = [&got[0], &want[0]].map(|t| [Array::from_tensor(t.clone())]);
            let code = check_sized(got, want, [allowed], &[], [by]);
            assert_eq!(code == ExitCode::FAILURE, is_fault, "{numbers}, {by:?}");
        }
    }

    #[test]
    fn e2_what_is_emitted_says_what_a_mask_is_beside() {
        let p = "program (x: f32[2]) { y: f32[2] = select(dense[true, false]:bool[2], -1e5:f32[2], x) z: f32[2] = exp(x) return y, z }";
        let (p, x) = (Program::parse(p).unwrap(), vec![Tensor::new([2], vec![1.0f32, 3.0]).unwrap()]);
        let run = crate::files::run_of(&p, x.clone());
        for within in [None, Some(1e-3)] {
            let options = wengert_emit::Options { within, ..Default::default() };
            let options = crate::files::compared_by(&run, &p, &x, options);
            let [rust, jax] =
                [wengert_emit::rust(&run, &options), wengert_emit::jax(&run, &options)].map(|e| e.unwrap().text);
            assert!(jax.contains("scales=[3.0, None])"), "{jax}");
            assert!(rust.contains("repro::check_sized(") && rust.contains("[Some(3.0), None]"), "{rust}");
        }
    }
}
