//! What emitted programs use to hold a run against what was recorded.
//!
//! `wengert emit` writes a run as a Rust file; its `main` ends in [`check`], [`fails`] or [`show`].

use crate::array::Array;
use crate::dispatch::try_bind;
use crate::fail::{message_of, ok};
use crate::io::array_of_safetensors;
use crate::random;
pub use crate::recorded_calls::RecordedCalls;
use crate::watch;
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Once};
use wengert_core::compare::{ComplexRule, Mismatch, Tolerance};
use wengert_core::run::Executable;
use wengert_core::{Complex, DType, Error, Op, Place, Program, Result, Tensor, Type};
use wengert_tape::api::REPRODUCED;
use wengert_tape::{MetaValue, record};

/// Leaves a reproducer in a folder wherever a transform, a function given to one, a recording, or an op by itself fails, and where
/// the compilation or the run of a staged function fails or ends the process: what is about to run is there before it does. The
/// variable `WENGERT_REPRO_DIR` does the same for a program that was not changed. The error says where the reproducer is; that of
/// a panic is named on the standard error.
///
/// A folder in it has the run as Rust (`main.rs`) and the error. Of a staged function that ran, it has the program as it ran
/// (`program.wg`) and its inputs, and for `WENGERT_CHECK=nan` what gives the number that is not finite as its result (`nan.wg`), which the
/// program may mask; of all else the tape (`run.tape`). Ops of the user's own run in this process alone: where one fails
/// in staged code, there is what it was given (`operands.safetensors`), and where something else does, what they gave are inputs of
/// the program. What an earlier process was doing when it died is named on the standard error. A failure that comes again and again
/// leaves a few. Where the whole process is recorded (`tape::enable`), each call of a transform is a recording inside of that one; an op
/// by itself leaves nothing there, but that tape can be emitted.
///
/// ```
/// let folder = std::env::temp_dir().join(format!("wengert-failures-{}", std::process::id()));
/// wengert::repro::on_failure(&folder)?;
/// assert!(folder.is_dir());
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), wengert::Error>(())
/// ```
///
/// # Errors
/// If the folder can't be made.
pub fn on_failure(folder: impl AsRef<Path>) -> Result<()> {
    watch::on_failure(folder.as_ref())
}

/// An array of a safetensors file that was read as a whole.
///
/// ```
/// use wengert::{repro, save_safetensors, Array};
/// let path = std::env::temp_dir().join(format!("wengert-repro-a-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("w", Array::from([1.0f32, 2.0]))])?;
/// assert_eq!(repro::array(&std::fs::read(&path).unwrap(), "w"), Array::from([1.0f32, 2.0]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), wengert::Error>(())
/// ```
///
/// # Panics
/// If there is none of that name, or the file is damaged.
#[track_caller]
pub fn array(file: &[u8], name: &str) -> Array {
    ok(array_of_safetensors(file, name))
}

/// As [`array`], for complex numbers of double precision: the file holds both parts along an axis of their own.
///
/// ```
/// use wengert::{repro, save_safetensors, Array};
/// let path = std::env::temp_dir().join(format!("wengert-repro-c-{}.safetensors", std::process::id()));
/// save_safetensors(&path, [("w", Array::from([[1.0f64, 2.0]]))])?;
/// let w = repro::complex_array(&std::fs::read(&path).unwrap(), "w");
/// assert_eq!(w, Array::from([wengert::Complex::new(1.0f64, 2.0)]));
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), wengert::Error>(())
/// ```
///
/// # Panics
/// As [`array`], and if the array is not such.
#[track_caller]
pub fn complex_array(file: &[u8], name: &str) -> Array {
    let parts = ok(host(&array(file, name))).dense();
    let (shape, rank) = (parts.shape().clone(), parts.shape().rank());
    if parts.dtype() != DType::F64 || shape.last() != Some(&2) {
        ok(Err(Error::dtype(format!("`{name}` holds no complex numbers: {}", parts.ty()))))
    }
    let numbers = parts.elements::<f64>().chunks(2).map(|c| Complex::new(c[0], c[1])).collect();
    Array::from_tensor(ok(Tensor::new(&shape[..rank - 1], numbers)))
}

/// Numbers in the place of an array that was not kept, the same for the same seed: normal ones, small integers, or `bool`s.
///
/// ```
/// use wengert::{repro, DType};
/// assert_eq!(repro::fake(1, &[3], DType::F32), repro::fake(1, &[3], DType::F32));
/// ```
#[track_caller]
pub fn fake(seed: i64, shape: &[usize], dtype: DType) -> Array {
    crate::untracked!({
        let key = random::key(seed);
        match dtype {
            DType::Bool => random::bernoulli(&key, 0.5, shape),
            d if d.is_integer() => random::randint(&key, shape, 0, 8, DType::I32).to(d),
            d if d.is_complex() => random::normal(&key, shape, d),
            d => random::normal(&key, shape, DType::F32).to(d),
        }
    })
}

/// Says of each result whether it is what was recorded, within what rounding does; the exit status is 1 if one is not.
///
/// ```
/// use wengert::{repro, Array};
/// use std::process::ExitCode;
/// assert_eq!(repro::check([Array::from(1.0f32)], [Array::from(1.0f32)]), ExitCode::SUCCESS);
/// assert_eq!(repro::check([Array::from(1.0f32)], [Array::from(2.0f32)]), ExitCode::FAILURE);
/// ```
pub fn check<const N: usize>(got: [Array; N], expected: [Array; N]) -> ExitCode {
    compare(&got, &expected, &[Allowed::Rounding(None); N], &[], &[])
}

/// [`check_but`] of a program that computes with floats of this type, narrower than those of its results.
///
/// ```
/// use wengert::{repro, Array, DType};
/// use std::process::ExitCode;
/// let [a, b] = [1.0f32, 1.01].map(Array::from);
/// assert_eq!(repro::check_in([a.clone()], [b.clone()], DType::BF16, &[]), ExitCode::SUCCESS);
/// assert_eq!(repro::check([a], [b]), ExitCode::FAILURE);
/// ```
pub fn check_in<const N: usize>(got: [Array; N], expected: [Array; N], dtype: DType, free: &[usize]) -> ExitCode {
    compare(&got, &expected, &[Allowed::Rounding(Some(dtype)); N], free, &[])
}

/// [`check`], where results of these numbers depend on vectors of a decomposition that its matrix does not determine: where one of
/// them is another, that is said and is no failure, if the same of its numbers are finite, and columns or rows are orthonormal that were
/// so.
///
/// ```
/// use wengert::{repro, Array};
/// use std::process::ExitCode;
/// let [a, b] = [[[1.0f32, 0.0], [0.0, 1.0]], [[0.0, 1.0], [1.0, 0.0]]].map(Array::from);
/// assert_eq!(repro::check_but([a.clone()], [b.clone()], &[0]), ExitCode::SUCCESS);
/// assert_eq!(repro::check_but([a.clone()], [b.clone()], &[]), ExitCode::FAILURE);
/// assert_eq!(repro::check_but([a.clone() * f32::NAN], [b.clone()], &[0]), ExitCode::FAILURE);
/// assert_eq!(repro::check_but([a * 2.0], [b], &[0]), ExitCode::FAILURE);
/// ```
pub fn check_but<const N: usize>(got: [Array; N], expected: [Array; N], free: &[usize]) -> ExitCode {
    compare(&got, &expected, &[Allowed::Rounding(None); N], free, &[])
}

/// [`check`], where floats may differ by so much, as a part of the largest of their array ([`scale`]) or of themselves, if they are
/// larger. Integers may not.
///
/// ```
/// use wengert::{repro, Array};
/// use std::process::ExitCode;
/// let [a, b] = [[1.0f32, 0.001], [1.0, 0.002]].map(Array::from);
/// assert_eq!(repro::check_within([a.clone()], [b.clone()], 1e-2), ExitCode::SUCCESS);
/// assert_eq!(repro::check_within([a], [b], 1e-5), ExitCode::FAILURE);
/// let [a, b] = [[2000, 14, 6], [2030, 40, -20]].map(Array::from);
/// assert_eq!(repro::check_within([a], [b], 0.02), ExitCode::FAILURE);
/// ```
pub fn check_within<const N: usize>(got: [Array; N], expected: [Array; N], part: f64) -> ExitCode {
    compare(&got, &expected, &[Allowed::Part(part); N], &[], &[])
}

/// [`check_but`], with what is allowed for each result.
///
/// ```
/// use wengert::{repro, repro::Allowed, Array};
/// use std::process::ExitCode;
/// let [a, b] = [[1.0f32, 1.0], [1.0, 1.01]].map(|x| x.map(Array::from));
/// let check = |allowed| repro::check_each(a.clone(), b.clone(), allowed, &[]);
/// assert_eq!(check([Allowed::Rounding(None), Allowed::Part(0.02)]), ExitCode::SUCCESS);
/// assert_eq!(check([Allowed::Part(0.02), Allowed::Rounding(None)]), ExitCode::FAILURE);
/// ```
pub fn check_each<const N: usize>(
    got: [Array; N],
    expected: [Array; N],
    allowed: [Allowed; N],
    free: &[usize],
) -> ExitCode {
    compare(&got, &expected, &allowed, free, &[])
}

/// [`check_each`], where small numbers of a result may be what is left of numbers of this size, and not of the largest of their array: a mask
/// is beside them.
///
/// ```
/// use wengert::{repro, repro::Allowed, Array};
/// use std::process::ExitCode;
/// let [a, b] = [[-1e6f32, 1.0], [-1e6, 1.5]].map(|x| [Array::from(x)]);
/// let check = |scale| repro::check_sized(a.clone(), b.clone(), [Allowed::Rounding(None)], &[], [scale]);
/// assert_eq!(check(Some(1.0)), ExitCode::FAILURE);
/// assert_eq!(check(None), ExitCode::SUCCESS);
/// ```
pub fn check_sized<const N: usize>(
    got: [Array; N],
    expected: [Array; N],
    allowed: [Allowed; N],
    free: &[usize],
    scales: [Option<f64>; N],
) -> ExitCode {
    compare(&got, &expected, &allowed, free, &scales)
}

/// How far apart the floats of a result may be. Integers may not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Allowed {
    /// What rounding does to floats, of this type if they are wider.
    Rounding(Option<DType>),
    /// This part of the largest of their array.
    Part(f64),
}

fn compare(got: &[Array], expected: &[Array], allowed: &[Allowed], free: &[usize], scales: &[Option<f64>]) -> ExitCode {
    let mut all = true;
    for (i, ((got, expected), allowed)) in got.iter().zip(expected).zip(allowed).enumerate() {
        let scale = scales.get(i).copied().flatten();
        match compared(got, expected, *allowed, scale) {
            Ok(None) if scale.is_some() && is_passed_by_zeros(expected, *allowed, scale) => {
                println!("result {i}: {} is decided by rounding alone", got.ty());
            }
            Ok(None) => println!("result {i}: {} as recorded", got.ty()),
            Ok(Some(_)) if free.contains(&i) && is_as_right(got, expected) => {
                println!("result {i}: {} is another: it is not determined", got.ty());
            }
            Ok(Some(how)) => {
                all = false;
                println!("result {i}: {} is not as recorded: {how}", got.ty());
            }
            Err(e) => {
                all = false;
                println!("result {i}: {e}");
            }
        }
    }
    if all { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Whether zeros are as near to numbers that are none as is allowed: then whatever they are is.
fn is_passed_by_zeros(expected: &Array, allowed: Allowed, scale: Option<f64>) -> bool {
    let zeros = expected.zeros_like();
    let same = |scale| matches!(compared(&zeros, expected, allowed, scale), Ok(None));
    same(scale) && !same(None)
}

/// Whether an array that need not be another one has what can be asked of it: the type, the same of its numbers finite, and columns or rows
/// that are orthonormal where those of the other are.
fn is_as_right(got: &Array, expected: &Array) -> bool {
    let [now, then] = [got, expected].map(orthonormal);
    finite(got) == finite(expected) && now.iter().zip(then).all(|(now, then)| *now || !then)
}

/// Whether the columns of matrices are of length 1 and orthogonal, and whether the rows are.
fn orthonormal(x: &Array) -> [bool; 2] {
    let tolerance = 10.0 * part_of(x.dtype());
    if x.rank() < 2 || tolerance == 0.0 {
        return [false; 2];
    }
    crate::untracked!({
        let x = x.to(DType::C128);
        [x.clone(), x.mt()].map(|x| {
            let columns = x.shape()[x.rank() - 1];
            let product = x.mt().conj().matmul(&x) - Array::eye(columns, columns, 0, DType::C128);
            columns == 0 || product.abs().max(..).item::<f64>() <= tolerance
        })
    })
}

/// The type of an array, and which of its numbers are finite.
fn finite(x: &Array) -> Option<(Type, Vec<bool>)> {
    let dense = host(x).ok()?.dense();
    Some((x.ty(), (0..dense.size()).map(|i| dense.get(i).as_complex().norm().is_finite()).collect()))
}

/// How two arrays differ by more than is allowed.
fn compared(got: &Array, expected: &Array, allowed: Allowed, by: Option<f64>) -> Result<Option<String>> {
    let [got, expected] = [host(got)?, host(expected)?];
    let tolerance = match allowed {
        _ if !expected.dtype().is_differentiable() => Tolerance::EXACT,
        Allowed::Part(part) => {
            let absolute = part * by.unwrap_or_else(|| scale(&expected, None));
            Tolerance { absolute, relative: part, complex: ComplexRule::Distance, ..Tolerance::EXACT }
        }
        Allowed::Rounding(narrow) => rounding_by(&expected, narrow, by),
    };
    Ok(tolerance.check(&got, &expected).err().map(|m: Mismatch| m.to_string()))
}

/// How many times as large as most numbers of an array one is that is none of them.
const OUTLIER: f64 = 1e4;

/// The size of the largest number of an array that may say how far the others are rounded: one that is finite and no outlier, such as
/// the `-1e9` of a mask. Outliers are [`OUTLIER`] times as large as the median of the sizes that are not zero, each taken once. But what
/// is left where numbers cancel out is about a rounding of them, with floats of its type or this narrower one: where the median
/// may be that, the largest counts.
///
/// ```
/// use wengert::{Tensor, repro::scale};
/// let of = |x: &[f32]| scale(&Tensor::from_slice([x.len()], x).unwrap(), None);
/// assert_eq!(of(&[0.5, -1e9, 2.0, -1e9, 1.0, -1e9, -1e9, -1e9]), 2.0);
/// // A spectrum of one wave, and too few numbers to tell.
/// assert_eq!(of(&[3e-6, 512.0, -2e-5, 1e-5, 4e-6]), 512.0);
/// assert_eq!(of(&[1.0, 1e9]), 1e9);
/// ```
pub fn scale(x: &Tensor, narrow: Option<DType>) -> f64 {
    let n = if x.is_splat() { x.size().min(1) } else { x.size() };
    let is_size = |x: &f64| x.is_finite() && *x > 0.0;
    let mut sizes: Vec<f64> = (0..n).map(|i| x.get(i).as_complex().norm()).filter(is_size).collect();
    let [least, most] = [f64::min, f64::max].map(|f| sizes.iter().copied().reduce(f).unwrap_or(0.0));
    if most <= OUTLIER * least {
        return most;
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let counted: Vec<(f64, usize)> = sizes.chunk_by(|x, y| x == y).map(|same| (same[0], same.len())).collect();
    let median = counted[counted.len() / 2].0;
    let epsilon = [Some(x.dtype()), narrow].into_iter().flatten().map(epsilon).fold(0.0, f64::max);
    let is_outlier = |&(x, count): &(f64, usize)| {
        // A number that is there again and again is rather one of a mask.
        let fewest = if count > 2 { 0.1 } else { 0.01 };
        let roundings = median / (epsilon * x);
        x > OUTLIER * median && !(fewest..100.0).contains(&roundings)
    };
    counted.iter().rev().find(|x| !is_outlier(x)).map_or(most, |x| x.0)
}

/// The step from 1 to the next number of a type.
fn epsilon(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F32 => f64::from(f32::EPSILON),
        DType::F64 => f64::EPSILON,
        _ => 0.0,
    }
}

/// How far rounding may lead the numbers of an array away, computed with floats of its type or of a narrower one: a part of each
/// number, and for small ones a smaller part of the largest ([`scale`]), of which they may be what is left.
///
/// ```
/// use wengert::repro::rounding;
/// use wengert::Tensor;
/// let [a, b, c] = [1e-6f32, 2e-6, 1.00001e-6].map(Tensor::scalar);
/// assert!(rounding(&a, None).check(&b, &a).is_err() && rounding(&a, None).check(&c, &a).is_ok());
/// ```
pub fn rounding(expected: &Tensor, narrow: Option<DType>) -> Tolerance {
    rounding_by(expected, narrow, None)
}

/// [`rounding`], where what numbers are left of has this size.
fn rounding_by(expected: &Tensor, narrow: Option<DType>, by: Option<f64>) -> Tolerance {
    let dtype = expected.dtype();
    let relative = part_of(dtype).max(narrow.filter(|_| dtype.is_differentiable()).map_or(0.0, part_of));
    let share = if relative < 1e-3 { 0.1 } else { 0.5 };
    // Zeros alone do not say how large the numbers were that they are left of.
    let scale = by.or_else(|| Some(scale(expected, narrow)).filter(|x| *x > 0.0)).unwrap_or(1.0);
    let absolute = share * relative * scale;
    Tolerance { absolute, relative, complex: ComplexRule::Distance, ..Tolerance::EXACT }
}

/// Which part of a number rounding may lead away, with floats of this type.
fn part_of(dtype: DType) -> f64 {
    match dtype.real() {
        DType::F16 => 1e-2,
        DType::BF16 => 4e-2,
        DType::F32 => 1e-4,
        DType::F64 => 1e-9,
        _ => 0.0,
    }
}

fn host(x: &Array) -> Result<Tensor> {
    Ok(x.to_host()?.concretize("a comparison")?.clone())
}

/// Prints the results.
///
/// ```
/// use wengert::{repro, Array};
/// repro::show([Array::from(1.0f32)]);
/// ```
pub fn show<const N: usize>(got: [Array; N]) -> ExitCode {
    for (i, x) in got.iter().enumerate() {
        println!("result {i}: {} =\n{x}", x.ty());
    }
    ExitCode::SUCCESS
}

/// Whether numbers that are not finite are looked for: `WENGERT_CHECK=nan` says so.
///
/// ```
/// assert!(std::env::var_os("WENGERT_CHECK").is_some() || !wengert::repro::looks_for_nan());
/// ```
pub fn looks_for_nan() -> bool {
    watch::checks_nan()
}

/// What `WENGERT_CHECK=nan` says of a program that gave these outputs: an error names the first op that gives NaN or an infinity of finite
/// numbers. `compile` makes parts of the program ready to run.
///
/// # Errors
/// If there is such an op.
///
/// ```
/// use wengert::{device, repro, Program, Tensor};
/// let p = Program::parse("program (x: f32[]) { y: f32[] = log(x) z: f32[] = sin(y) return z }")?;
/// let eval = device("eval")?;
/// let compile = |p: Program| eval.compile(p.into());
/// let check = |x: f32| {
///     let x = vec![Tensor::scalar(x)];
///     let y = compile(p.clone())?.run_on_host(x.clone())?;
///     repro::check_nan(&p, &x, &y, &compile)
/// };
/// assert!(check(1.0).is_ok());
/// assert!(check(-1.0).unwrap_err().message().starts_with("`log` gives NaN of finite numbers"));
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn check_nan(
    program: &Program,
    inputs: &[Tensor],
    outputs: &[Tensor],
    compile: &dyn Fn(Program) -> Result<Arc<dyn Executable>>,
) -> Result<()> {
    watch::check_run(program, inputs, outputs, compile)
}

/// The part of a program that gives NaN or an infinity as its result, and the numbers that this is made of, which are finite, whatever the
/// inputs are; none if there is no such part. `compile` makes parts of the program ready to run.
///
/// ```
/// use wengert::{device, repro, Program, Tensor};
/// let p = Program::parse("program (x: f32[], y: f32[]) { z: f32[] = log(x) w: f32[] = add(z, y) return w }")?;
/// let eval = device("eval")?;
/// let compile = |p: Program| eval.compile(p.into());
/// let part = |x: f32| repro::made_of_finite(&p, &[x, f32::NAN].map(Tensor::scalar), &compile);
/// let (small, inputs) = part(-1.0).expect("a logarithm");
/// assert!(small.equations().len() == 1 && inputs.len() == 1 && part(1.0).is_none());
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn made_of_finite(
    program: &Program,
    inputs: &[Tensor],
    compile: &dyn Fn(Program) -> Result<Arc<dyn Executable>>,
) -> Option<(Program, Vec<Tensor>)> {
    watch::made_of_finite(program, inputs, compile)
}

/// Runs what ended with this message when it was recorded: the exit status is 1 if it does not end so. The names in a message,
/// which stand in `` ` ``, may differ: functions have others in a program that was emitted. What failed by `WENGERT_CHECK=nan` is
/// looked at in the same way.
///
/// ```
/// use wengert::{repro, Array};
/// let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([1.0f32, 2.0, 3.0]));
/// let message = "`add`: arrays of shapes [2] and [3] do not broadcast together";
/// assert_eq!(repro::fails(message, || drop(&x + &y)), std::process::ExitCode::SUCCESS);
/// ```
pub fn fails(message: &str, f: impl FnOnce()) -> ExitCode {
    match failed(message, f) {
        Ok(panic) => {
            record::set_meta(REPRODUCED.name(), MetaValue::Bool(true));
            println!("it failed as recorded: {panic}");
            ExitCode::SUCCESS
        }
        Err(otherwise) => {
            println!("{otherwise}");
            ExitCode::FAILURE
        }
    }
}

/// Runs what ended with this message when it was recorded: what it says now; an error says how it ended otherwise.
fn failed(message: &str, f: impl FnOnce()) -> std::result::Result<String, String> {
    if watch::is_nan_message(message) {
        watch::check_nan();
    }
    let Some(panic) = failure_of(f) else {
        return Err(format!("it ran to its end; when it was recorded it failed: {message}"));
    };
    match without_names(&panic) == without_names(message) {
        true => Ok(panic),
        false => Err(format!("it failed otherwise than recorded: {panic}")),
    }
}

/// What a function ends with, if that is an error or a panic: its message. Nothing of it is on the standard error.
///
/// ```
/// use wengert::{repro, Array};
/// let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([1.0f32, 2.0, 3.0]));
/// assert!(repro::failure_of(|| drop(&x + &y)).unwrap().contains("do not broadcast together"));
/// assert_eq!(repro::failure_of(|| drop(&x + &x)), None);
/// ```
pub fn failure_of(f: impl FnOnce()) -> Option<String> {
    match quietly(|| catch_unwind(AssertUnwindSafe(|| crate::try_run(f)))) {
        Ok(Ok(())) => None,
        Ok(Err(e)) => Some(Error::message(&e).to_string()),
        Err(panic) => Some(message_of(&*panic).to_string()),
    }
}

/// An op on arrays, as an equation has it: now, or in the program being traced.
///
/// ```
/// use wengert::{repro, Array, Program};
/// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }").unwrap();
/// let y = repro::apply(p.equations()[0].op.clone(), &[Array::from(0.0f32)]);
/// assert_eq!(y[0].item::<f32>(), 0.0);
/// ```
///
/// # Panics
/// If the op does not take these arrays.
#[track_caller]
pub fn apply(op: Op, x: &[Array]) -> Vec<Array> {
    ok(try_bind(op, &x.iter().collect::<Vec<_>>(), Place::caller())).into_vec()
}

thread_local! {
    /// Whether a panic of this thread is one that is looked for.
    static IS_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what is to panic without a word of that on the standard error, unless `RUST_BACKTRACE` asks for more.
fn quietly<T>(f: impl FnOnce() -> T) -> T {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let told = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !IS_EXPECTED.get() {
                told(panic);
            }
        }));
    });
    let asks = std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0");
    let around = IS_EXPECTED.replace(!asks);
    let y = f();
    IS_EXPECTED.set(around);
    y
}

/// Runs what ended with this message when it was recorded, and goes on, as the recorded run did.
///
/// ```
/// use wengert::{repro, Array};
/// let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([1.0f32, 2.0, 3.0]));
/// repro::caught("`add`: arrays of shapes [2] and [3] do not broadcast together", || drop(&x + &y));
/// ```
///
/// # Panics
/// If it does not end so.
#[track_caller]
pub fn caught(message: &str, f: impl FnOnce()) {
    if let Err(otherwise) = failed(message, f) {
        panic!("{otherwise}");
    }
}

/// The first line of a message, without what stands in `` ` ``.
fn without_names(message: &str) -> String {
    message.lines().next().unwrap_or_default().split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// Panics with the message of what ended a recorded run where no call of this library did: code of the user's, of which a
/// reproducer has nothing else.
///
/// ```
/// use wengert::repro;
/// let message = "the step must be positive";
/// assert_eq!(repro::fails(message, || repro::raise(message)), std::process::ExitCode::SUCCESS);
/// ```
///
/// # Panics
/// Always.
#[track_caller]
pub fn raise(message: &str) -> ! {
    record::raised(message, &Place::caller());
    panic!("{message}")
}
