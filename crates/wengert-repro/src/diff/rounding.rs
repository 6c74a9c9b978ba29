//! How much of a number is rounding: what a program gives is compared with what it gives in doubles.

use super::beyond;
use crate::decomposition::has_others;
use crate::determined::{epsilon, without_subnormal};
use crate::reduce::edit::TypeChange;
use crate::reduce::types::ElementTypes;
use crate::sizes::{MOST_BYTES, Sizes, bytes_of, distance, moved};
use crate::symptom::gap;
use wengert_core::{DType, Op, Program, Tensor, Var};

/// What becomes what, where nothing shall be rounded.
const WIDER: ElementTypes<'static> = ElementTypes(&[
    (DType::F16, DType::F64),
    (DType::BF16, DType::F64),
    (DType::F32, DType::F64),
    (DType::C64, DType::C128),
]);

/// Doubles are rounded too, and nothing wider is there: in half the width, a program shows how much it makes of that.
const NARROWER: ElementTypes<'static> = ElementTypes(&[(DType::F64, DType::F32), (DType::C128, DType::C64)]);

/// The rounding of a double as a part of that of a single.
const HALF_WIDTH: f64 = 1.0 / (1u64 << 29) as f64;

/// How far each number of the results of a program, or of those of the evaluator, is from what it is without rounding, in the order of
/// [`Sizes::numbers`]: a compiler may round less, and is right too. None where that can't be found: the program can't be run in other
/// element types.
pub(super) fn noise(program: &Program, inputs: &[Tensor], results: &[Tensor]) -> Option<Vec<Vec<f64>>> {
    let (program, inputs) = without_bits(program, inputs)?;
    let floats = |p: &Program, d: DType| p.input_types().iter().any(|t| t.dtype.real() == d) || uses(p, d);
    let doubles = floats(&program, DType::F64);
    let singles = [DType::F16, DType::BF16, DType::F32].iter().any(|&d| floats(&program, d));
    match (singles, doubles) {
        // Some rounding is in singles: that of doubles is little beside it.
        (true, _) => {
            let wide = in_types(&program, &inputs, WIDER)?;
            let plain = wengert_eval::run(&program, inputs).ok()?;
            let larger = |(x, y): (f64, f64)| if x.is_nan() || y.is_nan() { f64::NAN } else { x.max(y) };
            let both = |((y, plain), wide): ((&Tensor, &Tensor), &Tensor)| {
                distances(y, wide).zip(distances(plain, wide)).map(larger).collect()
            };
            Some(results.iter().zip(&plain).zip(&wide).map(both).collect())
        }
        (false, true) => {
            let narrow = in_types(&program, &inputs, NARROWER)?;
            let one = |(y, narrow): (&Tensor, &Tensor)| distances(y, narrow).map(|by| by * HALF_WIDTH).collect();
            Some(results.iter().zip(&narrow).map(one).collect())
        }
        (false, false) => None,
    }
}

fn distances(x: &Tensor, y: &Tensor) -> impl Iterator<Item = f64> + use<> {
    let pairs = x.dense().as_complex().into_iter().zip(y.dense().as_complex());
    pairs.flat_map(|(x, y)| [distance(x.re, y.re), distance(x.im, y.im)])
}

/// Whether each number of the results of a program that parts by more than a tolerance does so by no more than rounding makes of that number.
/// The rounding of one number says nothing of those beside it, and may be nothing by chance: then it counts how far the number moves where
/// the program is rounded otherwise.
pub(crate) fn covers_all(
    program: &Program,
    inputs: &[Tensor],
    [want, got]: [&[Tensor]; 2],
    sizes: &[Sizes],
    tolerance: f64,
) -> bool {
    let noise = noise(program, inputs, want);
    let apart = |i: usize| {
        let least = if want[i].dtype().is_differentiable() { tolerance } else { 0.0 };
        let numbers = sizes[i].numbers(&want[i], &got[i]).map(|(a, b, size)| (distance(a, b), size)).enumerate();
        numbers.filter(move |(_, (by, size))| beyond(by / size, least)).map(|(k, (by, _))| (k, by))
    };
    let all_are =
        |covers: &dyn Fn(usize, usize, f64) -> bool| (0..want.len()).all(|i| apart(i).all(|(k, by)| covers(i, k, by)));
    let by_noise = |i: usize, k: usize, by: f64| noise.as_ref().is_some_and(|noise| covers(noise[i][k], by));
    if all_are(&by_noise) {
        return true;
    }
    if is_of_subnormal(program, inputs, [want, got], sizes, tolerance) {
        return true;
    }
    // What a matrix does not determine moves without a limit: what is made of these decompositions is looked at.
    let decomposes = |op: &Op| has_others(op) || op.programs().iter().any(|p| p.any(|_, e| has_others(&e.op)));
    let Some((program, inputs)) = after(program, inputs, decomposes) else { return false };
    match moved(&program, &inputs, want) {
        Some(moved) => all_are(&|i, k, by| by_noise(i, k, by) || covers(moved[i][k / 2], by)),
        None => {
            noise.is_some_and(|noise| all_are(&|i, _, by| covers(noise[i].iter().copied().fold(0.0, f64::max), by)))
        }
    }
}

/// Whether results are what a program gives to which subnormal numbers are zero.
fn is_of_subnormal(
    program: &Program,
    inputs: &[Tensor],
    [want, got]: [&[Tensor]; 2],
    sizes: &[Sizes],
    tolerance: f64,
) -> bool {
    let Some(flushed) = without_subnormal(program, inputs) else { return false };
    let agrees = |i: usize| {
        let least = if want[i].dtype().is_differentiable() { tolerance } else { 0.0 };
        sizes[i].numbers(&flushed[i], &got[i]).all(|(a, b, size)| !beyond(distance(a, b) / size, least))
    };
    flushed.iter().zip(want).any(|(flushed, want)| !flushed.same_bits(want)) && (0..want.len()).all(agrees)
}

/// By how much a result parts, and how much of that is rounding, both as parts of its sizes, where it is far more than that; none if it is
/// nowhere. Where nothing is known of the rounding, there is none that could be less.
pub(super) fn far_beyond(noise: Option<&[f64]>, [want, got]: [&Tensor; 2], sizes: &Sizes) -> Option<(f64, f64)> {
    let noise = noise?;
    let least = 4.0 * epsilon(want.dtype());
    let each = sizes.numbers(want, got).zip(noise).map(|((a, b, size), noise)| (distance(a, b) / size, noise / size));
    let far = each.filter(|(by, noise)| *by > 256.0 * noise.max(least));
    far.reduce(|x, y| (x.0.max(y.0), x.1.max(y.1)))
}

/// Whether some number is too large for its element type on the way to the results, and is none of a wider one: what becomes of an
/// infinity is no rounding. Looks at variables of the program itself, not at those of programs inside, and at no very large programs.
pub(crate) fn overflows(program: &Program, inputs: &[Tensor]) -> bool {
    if bytes_of(program) > MOST_BYTES {
        return false;
    }
    let every = |p: &Program, x: Vec<Tensor>| {
        let all = p.equations().iter().flat_map(|e| e.outputs.iter().copied()).collect::<Vec<Var>>();
        let mut known = vec![false; p.var_count()];
        p.inputs().iter().for_each(|v| known[v.index()] = true);
        let (part, taken) = p.part(&known, &all);
        let x = taken.iter().map(|v| x[v.index()].clone()).collect();
        wengert_eval::run(&part, x).ok()
    };
    let wide = WIDER.program(program).zip(inputs.iter().map(|x| WIDER.tensor(x)).collect::<Option<Vec<Tensor>>>());
    let Some(wide) = wide.and_then(|(p, x)| every(&p, x)) else { return false };
    let Some(plain) = every(program, inputs.to_vec()) else { return false };
    plain.iter().zip(&wide).any(|(p, w)| gap(w, p).is_nan())
}

fn uses(p: &Program, d: DType) -> bool {
    p.any(|p, e| e.outputs.iter().any(|&v| p.ty(v).dtype.real() == d))
}

fn in_types(p: &Program, x: &[Tensor], types: ElementTypes<'_>) -> Option<Vec<Tensor>> {
    let program = types.program(p)?;
    let x: Option<Vec<Tensor>> = x.iter().map(|x| types.tensor(x)).collect();
    let y = wengert_eval::run(&program, x?).ok()?;
    let alike = y.iter().zip(p.output_types()).all(|(y, t)| *y.shape() == t.shape);
    (alike && y.len() == p.outputs().len()).then_some(y)
}

/// The program from the first values on that were numbers of other types before: bits of another width are other bits.
fn without_bits(program: &Program, inputs: &[Tensor]) -> Option<(Program, Vec<Tensor>)> {
    after(program, inputs, |op| matches!(op, Op::Bitcast(_)))
}

/// The program from what these ops give on, and its inputs; all of it where there is none.
fn after(program: &Program, inputs: &[Tensor], is_before: impl Fn(&Op) -> bool) -> Option<(Program, Vec<Tensor>)> {
    let last = program.equations().iter().filter(|e| is_before(&e.op));
    let last: Vec<Var> = last.flat_map(|e| e.outputs.iter().copied()).collect();
    if last.is_empty() {
        return Some((program.clone(), inputs.to_vec()));
    }
    let mut known = vec![false; program.var_count()];
    program.inputs().iter().for_each(|v| known[v.index()] = true);
    let (before, taken) = program.part(&known, &last);
    let given = |taken: &[Var]| taken.iter().map(|v| inputs[v.index()].clone()).collect::<Vec<_>>();
    let values = wengert_eval::run(&before, given(&taken)).ok()?;
    last.iter().for_each(|v| known[v.index()] = true);
    let (after, taken) = program.part(&known, program.outputs());
    let value = |v: &Var| match last.iter().position(|c| c == v) {
        Some(i) => values[i].clone(),
        None => inputs[v.index()].clone(),
    };
    let x = taken.iter().map(value).collect();
    Some((after, x))
}

/// Whether something in a program is rounded in more than one right way.
pub(crate) fn may_round(p: &Program) -> bool {
    !p.equations().iter().all(|e| is_exact(&e.op))
}

/// Whether an op only moves, chooses or converts.
pub(crate) fn is_exact(op: &Op) -> bool {
    matches!(
        op,
        Op::Constant(_) | Op::Iota(_) | Op::Compare(_) | Op::Select(_) | Op::Clamp(_) | Op::Convert(_) | Op::Bitcast(_)
    ) || matches!(op, Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Reverse(_) | Op::Slice(_) | Op::Pad(_))
        || matches!(
            op,
            Op::Concatenate(_) | Op::DynamicSlice(_) | Op::DynamicUpdateSlice(_) | Op::Gather(_) | Op::Sort(_)
        )
}

/// The most that rounding of this size may make of a number: another order, or fewer roundings, make another error of about the same size.
pub(crate) fn most_of(noise: f64) -> f64 {
    16.0 * noise
}

/// Whether a difference is no more than rounding of this size may make.
pub(crate) fn covers(noise: f64, gap: f64) -> bool {
    gap <= most_of(noise)
}
