//! What makes a case interesting, and how a failure is told from another one.

use crate::backend::{BackendName, Compiling};
use crate::case::Case;
use crate::decomposition::has_others;
use crate::determined::epsilon;
use crate::diff::{Excuse, ProgramDiff, Sides, rounding};
use crate::jax::{death, not_asked};
use crate::memory;
use crate::sizes::Sizes;
use crate::worker::Sign;
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use wengert_core::compare::is_finite;
use wengert_core::ops::{Custom, holds};
use wengert_core::{DType, Error, ErrorKind, Program, Result, Tensor};

/// What a case does that is worth keeping.
#[derive(Clone, Debug)]
pub enum Symptom {
    /// The process that runs it dies.
    Crash,
    /// Compiling or running it gives an error, or a panic, whose message has this pattern.
    Error(Pattern),
    /// Its results have a NaN or an infinity, and its inputs have none.
    NonFinite,
    /// Two backends give results that part by more than a part of the larger number.
    Differs {
        /// The one that is right.
        reference: BackendName,
        /// The other.
        other: BackendName,
        /// How far apart numbers may be, as a part of their sizes.
        tolerance: f64,
    },
    /// Compiling takes at least so many seconds: by JAX, compiling and running.
    SlowCompile(f64),
}

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern(regex_lite::Regex);

impl Pattern {
    /// Whether it is in a text.
    ///
    /// ```
    /// let pattern: wengert_repro::Pattern = "no (memory|room)".parse().unwrap();
    /// assert!(pattern.is_in("there is no room") && !pattern.is_in("there is room"));
    /// ```
    pub fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str())
    }
}

impl std::str::FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Pattern, String> {
        regex_lite::Regex::new(text).map(Pattern).map_err(|e| e.to_string())
    }
}

impl Symptom {
    /// How far numbers may be apart, as a part of their sizes, if it is about that.
    pub fn within(&self) -> Option<f64> {
        match self {
            Symptom::Differs { tolerance, .. } => Some(*tolerance),
            _ => None,
        }
    }

    /// The symptom as arguments of the command, which a process for candidates is given.
    pub fn arguments(&self) -> Vec<String> {
        vec![match self {
            Symptom::Crash => "--crash".into(),
            Symptom::Error(pattern) => format!("--error={}", pattern.0.as_str()),
            Symptom::NonFinite => "--nan".into(),
            Symptom::Differs { reference, other, tolerance } => {
                format!("--differs={},{}:{tolerance:e}", reference.name(), other.name())
            }
            Symptom::SlowCompile(seconds) => format!("--slow-compile={seconds:e}"),
        }]
    }

    /// What of a process shows it.
    pub fn sign(&self) -> Sign {
        match self {
            Symptom::Crash => Sign::Death,
            Symptom::SlowCompile(_) => Sign::Delay,
            Symptom::Error(_) | Symptom::NonFinite | Symptom::Differs { .. } => Sign::Answer,
        }
    }

    /// How long a process may take for a case, where others get this long: nobody waits for the end of what is slow.
    pub fn limit(&self, others: Duration) -> Duration {
        match self {
            Symptom::SlowCompile(seconds) => Duration::from_secs_f64(1.2 * seconds).saturating_add(BEYOND).min(others),
            _ => others,
        }
    }

    /// An error if no run of a case can show the symptom, whatever the program does.
    ///
    /// # Errors
    /// If NaN or infinities are looked for, and an input has some.
    ///
    /// ```
    /// use wengert_core::{Program, Tensor};
    /// use wengert_repro::{Case, Symptom};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = log(x) return y }")?;
    /// let case = |x: f32| Case::new(p.clone(), vec![Tensor::scalar(x)]).unwrap();
    /// assert!(Symptom::NonFinite.check(&case(-1.0)).is_ok() && Symptom::NonFinite.check(&case(f32::NAN)).is_err());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn check(&self, case: &Case) -> Result<()> {
        let Symptom::NonFinite = self else { return Ok(()) };
        let Some(i) = case.inputs().iter().position(|t| !is_finite(t)) else { return Ok(()) };
        let p = case.program();
        let name = p.var_name(p.inputs()[i]).map_or(String::new(), |name| format!(" `{name}`"));
        let what = if numbers(&case.inputs()[i]).any(f64::is_nan) { "NaN" } else { "an infinity" };
        let m = format!(
            "input {i}{name} has {what} in it, and what is looked for are those that the program makes of finite inputs"
        );
        let e = Error::new(ErrorKind::Run, m);
        Err(e.note(
            "what to do: `WENGERT_CHECK=nan wengert run` with these inputs names the first op that makes one of finite numbers; to \
             reduce it, give inputs without them, as with `--random 0`, or say with `--script` what is to be kept",
        ))
    }

    /// What is said where no run shows the symptom.
    pub fn absent(&self) -> String {
        match self {
            Symptom::Crash => "no run ended its process: an error that is told is looked for by `--error`".into(),
            Symptom::Error(_) => {
                "no run gave an error, or panicked, with such a message: `wengert run` shows what it does".into()
            }
            Symptom::NonFinite => "all numbers of the results were finite".into(),
            Symptom::Differs { reference, other, tolerance } => {
                let (a, b) = (reference.name(), other.name());
                match *tolerance == 0.0 {
                    true => format!("{a} and {b} give the same numbers"),
                    false => format!("{a} and {b} agree within {tolerance:e}; `{a},{b}:0` asks for the same numbers"),
                }
            }
            Symptom::SlowCompile(seconds) => format!("compiling always took less than {seconds} s"),
        }
    }

    /// What two sides part by in a case that was seen to fail so, if that is rounding alone wherever it is looked at, equation by equation.
    /// Large programs make much of rounding, so that what they give as a whole does not tell. None too if it takes longer than this.
    ///
    /// # Errors
    /// If a side can't be asked.
    ///
    /// ```
    /// use std::time::Duration;
    /// use wengert_core::{Program, Tensor};
    /// use wengert_repro::{Case, Symptom};
    /// let p = Program::parse("program (x: f32[]) { y: f32[] = sin(x) return y }")?;
    /// let case = Case::new(p, vec![Tensor::scalar(1.0f32)])?;
    /// let [reference, other] = ["eval", "cpu"].map(|name| name.parse().unwrap());
    /// let symptom = Symptom::Differs { reference, other, tolerance: 1e-3 };
    /// assert_eq!(symptom.rounding_alone("results that differ: other numbers", &case, Duration::from_secs(9))?, None);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn rounding_alone(&self, signature: &str, case: &Case, limit: Duration) -> Result<Option<String>> {
        let Symptom::Differs { reference, other, tolerance } = self else { return Ok(None) };
        // What is left of numbers that cancel out is zero by chance.
        let may_be = signature.contains(ROUNDING) || signature.contains(Class::Zero.name());
        // Who asks for less than a rounding asks for roundings.
        let least = case.program().output_types().iter().map(|t| epsilon(t.dtype)).fold(1.0, f64::min);
        if *tolerance < least || !may_be {
            return Ok(None);
        }
        let ((a, b), start) = ((reference.name(), other.name()), Instant::now());
        let [mut left, mut right] = [reference, other].map(|side| {
            move |p: &Program, x: &[Tensor]| match start.elapsed() < limit {
                true => side.run_once(p, x),
                false => Err(Error::new(ErrorKind::Run, "it takes too long")),
            }
        });
        let sides = Sides::new(&mut left, &mut right, *tolerance).patience(limit);
        let found = ProgramDiff::new(case.program(), case.inputs(), sides)?;
        let agree = found.first.is_none() && found.is_complete;
        Ok(agree.then(|| {
            let of = found.excused.first().map_or(String::new(), |e| format!(" first in {}", e.equation.text));
            format!(
                "{a} and {b} agree within {tolerance:e} but for rounding,{of}; `{a},{b}:0` asks for the same numbers"
            )
        }))
    }

    /// What is seen of the symptom in a case, told apart from other failures; none if nothing is. Runs in this process.
    pub fn seen(&self, backend: &BackendName, case: &Case) -> Option<String> {
        match self.look(backend, case) {
            Err(Unseen::NotAsked(_)) => self.look(backend, case).ok(),
            found => found.ok(),
        }
    }

    /// The same, asked once; where nothing is seen, what happened instead.
    pub(crate) fn look(&self, backend: &BackendName, case: &Case) -> std::result::Result<String, Unseen> {
        let cannot = |name: &str, e: &Error| Unseen::Instead(format!("{name} can't run it: {}", e.message()));
        let run = |backend: &BackendName, case: &Case| {
            let done = run(backend, case);
            match &done {
                // The program would run, if it were no candidate.
                Err(e) if e.kind() == ErrorKind::OutOfMemory && fits_without_limit(backend, case) => {
                    Err(Unseen::Instead("it needs more memory than candidates may have (`--memory`)".into()))
                }
                Err(e) => not_asked(e).map_or(Ok(()), |why| Err(Unseen::NotAsked(why.into()))),
                Ok(_) => Ok(()),
            }?;
            Ok(done)
        };
        match self {
            // JAX has a process of its own, which dies instead of this one.
            Symptom::Crash => match run(backend, case)? {
                Err(e) => death(&e).map(String::from).ok_or_else(|| {
                    let told = e.message();
                    Unseen::Instead(format!("no run ended its process; `--error` looks for what is told: {told}"))
                }),
                Ok(_) => Err(Unseen::Nothing),
            },
            Symptom::Error(pattern) => {
                let e = run(backend, case)?.err().ok_or(Unseen::Nothing)?;
                let message = e.to_string();
                // That code is missing here is no failure of the program, whatever its name is.
                let is_missing = e.kind() == ErrorKind::Unsupported && lacks_code(case.program());
                let is_it = pattern.is_in(&message) && !is_missing;
                is_it
                    .then(|| without_numbers(&message))
                    .ok_or_else(|| Unseen::Instead(format!("it fails otherwise: {}", e.message())))
            }
            Symptom::NonFinite => {
                if !case.inputs().iter().all(is_finite) {
                    return Err(Unseen::Nothing);
                }
                let y = run(backend, case)?.map_err(|e| cannot(backend.name(), &e))?;
                let nan = y.iter().any(|t| numbers(t).any(f64::is_nan));
                let infinite = y.iter().any(|t| numbers(t).any(f64::is_infinite));
                if !nan && !infinite {
                    return Err(Unseen::Nothing);
                }
                let seen = if nan { "NaN" } else { "infinity" };
                // What one backend alone makes of it is not what the program makes of it.
                let is_its_own = !backend.is_plain()
                    && caught(|| BackendName::plain().run_once(case.program(), case.inputs()))
                        .is_ok_and(|y| y.iter().all(is_finite));
                Ok(format!("{seen}{}", if is_its_own { ", and the evaluator has finite numbers" } else { "" }))
            }
            Symptom::Differs { reference, other, tolerance } => {
                let want = run(reference, case)?.map_err(|e| cannot(reference.name(), &e))?;
                let got = match run(other, case)? {
                    Err(e) => return Ok(format!("an error on one side: {}", without_numbers(&e.to_string()))),
                    Ok(got) => got,
                };
                let seen = difference(case, &want, &got, *tolerance).ok_or(Unseen::Nothing)?;
                match are_as_right(case, [reference, other], *tolerance) {
                    Ok(true) => Err(Unseen::Instead("both have a decomposition that is as right".into())),
                    Err(e) if not_asked(&e).is_some() => Err(Unseen::NotAsked(e.message().to_string())),
                    Ok(false) | Err(_) => Ok(seen),
                }
            }
            Symptom::SlowCompile(seconds) => {
                let time = Instant::now();
                let done = match backend.name() {
                    // Its compiler is not asked for by itself.
                    "jax" => run(backend, case)?.map(drop),
                    _ => backend.compile(case.program(), Compiling::default(), |_, _| Ok(())).map(drop),
                };
                done.map_err(|e| cannot(backend.name(), &e))?;
                (time.elapsed().as_secs_f64() >= *seconds).then(|| SLOW.to_string()).ok_or(Unseen::Nothing)
            }
        }
    }
}

/// Why nothing is seen of a symptom.
#[derive(Debug)]
pub(crate) enum Unseen {
    Nothing,
    /// What happened instead.
    Instead(String),
    /// Why a backend was not asked: nothing is known of the case.
    NotAsked(String),
}

/// How much longer a process is waited for than a compile takes that is slow.
const BEYOND: Duration = Duration::from_millis(200);

/// From when on a compile is slow, by how long it is waited for.
pub(crate) fn slow_from(limit: Duration) -> Duration {
    limit.saturating_sub(BEYOND).div_f64(1.2)
}

/// What is seen of a compile that takes long.
pub(crate) const SLOW: &str = "slow";

/// What the kinds of a difference come after, where they are the signature of a failure.
const KINDS: &str = "results that differ: ";

/// What is between two kinds.
const BETWEEN: &str = "; ";

/// The kind of numbers that differ, of which neither is zero or subnormal on the other side alone.
const NUMBERS: &str = "other numbers";

/// The kind of numbers that differ by rounding.
const ROUNDING: &str = "other numbers, as far apart as rounding may lead";

/// The kind of numbers that do not differ, and are not finite.
const NOT_FINITE: &str = "the same NaN or infinity";

/// Results of other types than the reference has.
const TYPES: &str = "other types";

/// The kinds of a difference as the signature of a failure.
fn signature(kinds: BTreeSet<String>, is_rounding: bool) -> String {
    let named = |kind: String| if is_rounding && kind == NUMBERS { ROUNDING.to_string() } else { kind };
    format!("{KINDS}{}", kinds.into_iter().map(named).collect::<Vec<_>>().join(BETWEEN))
}

/// Whether what is seen now is the failure that was seen first. A difference may lose kinds, and gets no new ones, but that rounding
/// may become more than that: of a large program, more is taken for rounding.
pub(crate) fn is_same(first: &str, now: &str) -> bool {
    let (Some(of_first), Some(of_now)) = (first.strip_prefix(KINDS), now.strip_prefix(KINDS)) else {
        return first == now;
    };
    let has = |kind: &str| of_first.split(BETWEEN).any(|k| k == kind);
    of_now.split(BETWEEN).all(|kind| has(kind) || kind == NUMBERS && has(ROUNDING))
}

/// The signature of what two sides give for a case, if they part.
fn difference(case: &Case, want: &[Tensor], got: &[Tensor], tolerance: f64) -> Option<String> {
    if want.len() == got.len() && want.iter().zip(got).all(|(w, g)| w.same_bits(g)) {
        return None;
    }
    let sizes = match are_alike(want, got) {
        true => Sizes::of_results(case.program(), case.inputs(), want, got, tolerance).0,
        false => Vec::new(),
    };
    let kinds = kinds(want, got, &sizes, tolerance)?;
    Some(signature(kinds, is_rounding(case, want, got, &sizes, tolerance)))
}

/// Whether the results that two backends have for a case part only by what is made of decompositions that are as right.
fn are_as_right(case: &Case, sides: [&BackendName; 2], tolerance: f64) -> Result<bool> {
    if tolerance == 0.0 || !case.program().any(|_, e| has_others(&e.op)) {
        return Ok(false);
    }
    let [mut reference, mut other] = sides.map(|side| |p: &Program, x: &[Tensor]| side.run_once(p, x));
    let found = ProgramDiff::new(case.program(), case.inputs(), Sides::new(&mut reference, &mut other, tolerance))?;
    let is_other = found.excused.iter().any(|e| e.why == Excuse::Undetermined);
    Ok(found.first.is_none() && found.is_complete && is_other)
}

/// Whether results part by no more than rounding makes of them; where the same bits are asked for, rounding is a difference as any other.
fn is_rounding(case: &Case, want: &[Tensor], got: &[Tensor], sizes: &[Sizes], tolerance: f64) -> bool {
    let (p, x) = (case.program(), case.inputs());
    tolerance > 0.0
        && !sizes.is_empty()
        && rounding::may_round(p)
        && rounding::covers_all(p, x, [want, got], sizes, tolerance)
        && !rounding::overflows(p, x)
}

/// Whether a program holds ops of the user's whose code is in another process.
pub fn lacks_code(program: &Program) -> bool {
    program.equations().iter().any(|e| holds(&e.op, &Custom::is_name_alone))
}

/// Whether it is the limit of this process alone that a case has no memory by.
fn fits_without_limit(backend: &BackendName, case: &Case) -> bool {
    memory::without_limit(|| backend.has_room(case.program())).flatten().unwrap_or(false)
}

/// Runs a case once, a panic being an error like any other.
fn run(backend: &BackendName, case: &Case) -> Result<Vec<Tensor>> {
    caught(|| backend.run_once(case.program(), case.inputs()))
}

/// What a run gives, a panic being an error like any other.
pub(crate) fn caught(run: impl FnOnce() -> Result<Vec<Tensor>>) -> Result<Vec<Tensor>> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("a panic");
        Err(Error::new(ErrorKind::Run, format!("panicked: {text}")))
    })
}

/// The first line of a message, with its numbers as `#`: the same failure of a smaller program has others.
pub(crate) fn without_numbers(message: &str) -> String {
    let mut text = String::new();
    for c in message.lines().next().unwrap_or_default().chars() {
        match c {
            '0'..='9' if text.ends_with('#') => {}
            '0'..='9' => text.push('#'),
            c => text.push(c),
        }
    }
    text
}

fn numbers(t: &Tensor) -> impl Iterator<Item = f64> + '_ {
    t.as_complex().into_iter().take(t.size()).flat_map(|c| [c.re, c.im])
}

/// The largest difference of two arrays of one type, as a part of the largest number of the first, as far as the array alone says what that is
/// ([`Sizes::of_values`]); NaN where only one of two numbers is finite.
pub(crate) fn gap(want: &Tensor, got: &Tensor) -> f64 {
    Sizes::of_values(want).gap(want, got)
}

/// Whether two arrays have infinities of other signs at the same place: no rounding leads from one to the other.
pub(crate) fn has_opposite_infinities(want: &Tensor, got: &Tensor) -> bool {
    let (want, got) = (want.dense(), got.dense());
    numbers(&want).zip(numbers(&got)).any(|(a, b)| a.is_infinite() && a == -b)
}

/// What sort of number one is, as far as compilers treat it in a way of its own.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Nan,
    Infinity,
    Zero,
    Subnormal,
    Other,
}

impl Class {
    fn of(x: f64, dtype: DType) -> Class {
        // Of integers and truth values, zero is one like any other, and none is subnormal.
        let smallest = match dtype.real() {
            DType::F16 => 2f64.powi(-14),
            DType::BF16 | DType::F32 => f64::from(f32::MIN_POSITIVE),
            DType::F64 => f64::MIN_POSITIVE,
            _ => return Class::Other,
        };
        match x.abs() {
            x if x.is_nan() => Class::Nan,
            x if x.is_infinite() => Class::Infinity,
            0.0 => Class::Zero,
            x if x < smallest => Class::Subnormal,
            _ => Class::Other,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Class::Nan => "NaN",
            Class::Infinity => "infinity",
            Class::Zero => "zero",
            Class::Subnormal => "subnormal numbers",
            Class::Other => "numbers",
        }
    }
}

/// The kind of a number that differs. What the reference has may become zero on the way, as gradients do; where the other has
/// zero, something was lost.
fn kind(want: f64, got: f64, dtype: DType) -> String {
    let want = match Class::of(want, dtype) {
        Class::Zero => Class::Other,
        class => class,
    };
    match (want, Class::of(got, dtype)) {
        (Class::Other, Class::Other) => NUMBERS.into(),
        (Class::Infinity, Class::Infinity) => "an infinity of the other sign".into(),
        (want, got) => format!("{} for {}", got.name(), want.name()),
    }
}

/// Whether two runs gave arrays of the same types.
fn are_alike(want: &[Tensor], got: &[Tensor]) -> bool {
    want.iter().map(Tensor::ty).eq(got.iter().map(Tensor::ty))
}

/// The kinds of floats that differ by more than a part of these sizes, and of integers that differ at all, and whether some are the same and
/// not finite; none if no number differs.
fn kinds(want: &[Tensor], got: &[Tensor], sizes: &[Sizes], tolerance: f64) -> Option<BTreeSet<String>> {
    if !are_alike(want, got) {
        return Some([TYPES.to_string()].into());
    }
    let (mut kinds, mut has_not_finite) = (BTreeSet::new(), false);
    for ((w, g), sizes) in want.iter().zip(got).zip(sizes) {
        if !w.dtype().is_differentiable() {
            kinds.extend((sizes.gap(w, g) > 0.0).then(|| NUMBERS.to_string()));
            continue;
        }
        for (a, b, size) in sizes.numbers(w, g) {
            let gap = (a - b).abs();
            if a == b || a.is_nan() && b.is_nan() {
                has_not_finite |= !a.is_finite();
            } else if gap.is_nan() || gap > tolerance * size {
                kinds.insert(kind(a, b, w.dtype()));
            }
        }
    }
    let differs = !kinds.is_empty();
    kinds.extend(has_not_finite.then(|| NOT_FINITE.to_string()));
    differs.then_some(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::beyond;
    use wengert_core::Scalar;

    /// The kinds of a difference where nothing is known but the arrays.
    fn by_values(want: &[Tensor], got: &[Tensor], tolerance: f64) -> Option<BTreeSet<String>> {
        kinds(want, got, &want.iter().map(Sizes::of_values).collect::<Vec<_>>(), tolerance)
    }

    /// What is seen of these equations where one side gives what the evaluator does, and the other this.
    fn seen(equations: &str, x: [f32; 2], got: f32, tolerance: f64) -> Option<String> {
        let program = format!("program (x: f32[], y: f32[]) {{ {equations} return w }}");
        let case = Case::new(Program::parse(&program).unwrap(), x.map(Tensor::scalar).to_vec()).unwrap();
        let (want, got) = (run(&BackendName::plain(), &case).unwrap(), [Tensor::scalar(got)]);
        difference(&case, &want, &got, tolerance)
    }

    #[test]
    fn e6_a_difference_by_rounding_alone_is_no_other_difference() {
        let [plain, rounded] = [NUMBERS, ROUNDING].map(|kind| format!("{KINDS}{kind}"));
        // What is left of a product that is rounded once, where it is rounded twice before.
        let (text, x) = ("z: f32[] = mul(x, x) w: f32[] = sub(z, y)", 1.1f32);
        let once = x.mul_add(x, -(x * x));
        assert_eq!(seen(text, [x, x * x], once, 1e-3).unwrap(), rounded);
        assert_eq!(seen(text, [x, x * x], 1e-3, 1e-3).unwrap(), plain);
        // Where the same bits are asked for, it counts.
        assert_eq!(seen(text, [x, x * x], once, 0.0).unwrap(), plain);
        // A number that is too large for its type is no rounding, whatever is made of it.
        let text = "z: f32[] = mul(x, x) r: f32[] = sqrt(z) w: f32[] = min(r, y)";
        assert_eq!(seen(text, [2e19, 1e30], 2e19, 1e-3).unwrap(), plain);

        assert!(is_same(&rounded, &plain) && !is_same(&plain, &rounded));
        let not_finite = |s: &str| format!("{s}{BETWEEN}{NOT_FINITE}");
        assert!(is_same(&not_finite(&rounded), &plain) && !is_same(&rounded, &not_finite(&rounded)));
        assert!(!is_same(&not_finite(&plain), &rounded) && !is_same(&plain, "NaN or infinity"));
        // Other failures have texts that are not looked into.
        assert!(!is_same("a; b", "a") && is_same("a; b", "a; b"));
    }

    #[test]
    fn e6_another_kind_of_difference_is_another_failure() {
        let how = |want: &[f32], got: &[f32]| {
            let [want, got] = [want, got].map(|x| [Tensor::new([x.len()], x.to_vec()).unwrap()]);
            signature(by_values(&want, &got, 1e-3).unwrap_or_default(), false)
        };
        let (nan, infinity) = (f32::NAN, f32::INFINITY);
        // What is there for a NaN is told apart, and so are numbers that are wrong.
        let lost = how(&[nan, 1.0], &[2.0, 1.0]);
        assert_eq!(lost, format!("{KINDS}numbers for NaN"));
        let wrong = how(&[3.0, 1.0], &[3.0, 2.0]);
        for other in [
            how(&[nan], &[infinity]),
            how(&[infinity], &[nan]),
            how(&[1.0], &[nan]),
            how(&[infinity], &[1.0]),
            how(&[1.0], &[0.0]),
            how(&[1e-40], &[0.0]),
        ] {
            for one in [&lost, &wrong] {
                assert!(!is_same(one, &other) && !is_same(&other, one), "{one}, {other}");
            }
        }
        assert!(!is_same(&lost, &wrong) && !is_same(&wrong, &lost));
        let beside_nan = how(&[nan, 1.0], &[nan, 2.0]);
        assert!(is_same(&beside_nan, &wrong) && !is_same(&wrong, &beside_nan));
        // One of several may go, and none comes.
        let both = how(&[nan, infinity, 1.0], &[1.0, 1.0, 1.0]);
        assert!(is_same(&both, &lost) && is_same(&both, &how(&[infinity], &[1.0])) && !is_same(&lost, &both));
        assert!(!is_same(&both, &how(&[infinity, 1.0], &[nan, 1.0])) && !is_same(&both, &how(&[0.99], &[0.0])));
        // What the reference has may become zero; infinities have no sign, and integers no zero of their own.
        assert!(is_same(&wrong, &how(&[0.0], &[1.0])) && is_same(&both, &how(&[-infinity], &[1.0])));
        let [want, got] = [1, 0].map(|x| [Tensor::scalar(x)]);
        assert_eq!(signature(by_values(&want, &got, 0.0).unwrap(), false), wrong);
        assert_eq!(how(&[1e-40, 1.0], &[0.0, 1.0]), KINDS);
    }

    #[test]
    fn e6_a_mask_hides_no_difference() {
        let [masked, other] = [1.0f32, 1.5].map(|x| {
            let scores = (0..9).map(|i| if i % 3 == 2 { -1e9 } else { x * (i + 1) as f32 }).collect();
            [Tensor::new([9], scores).unwrap()]
        });
        assert!(beyond(gap(&masked[0], &other[0]), 1e-3) && by_values(&masked, &other, 1e-3).is_some());
        // The numbers of the mask are rounded too.
        let next = masked.clone().map(|t| {
            Tensor::new([9], t.elements::<f32>().iter().map(|&x| if x < 0.0 { x.next_down() } else { x }).collect())
                .unwrap()
        });
        assert!(!beyond(gap(&masked[0], &next[0]), 1e-3) && by_values(&masked, &next, 1e-3).is_none());
        // What is left of a wave elsewhere in its spectrum is rounding.
        let [a, b] = [1e-6f32, -2e-6].map(|x| [Tensor::new([5], vec![x, 512.0, 2.0 * x, -x, 3.0 * x]).unwrap()]);
        assert!(!beyond(gap(&a[0], &b[0]), 1e-3) && by_values(&a, &b, 1e-3).is_none());
    }

    #[test]
    fn e6_integers_are_the_same_or_not() {
        let far = |a: i64, b: i64| {
            let [want, got] = [a, b].map(|x| [Tensor::scalar(x)]);
            (beyond(gap(&want[0], &got[0]), 0.1), by_values(&want, &got, 0.1).is_some())
        };
        assert_eq!(far(10_000_000, 10_000_001), (true, true));
        assert_eq!(far(1 << 60, (1 << 60) + 1), (true, true));
        assert_eq!(far(1 << 60, 1 << 60), (false, false));
        let [yes, no] = [true, false].map(|x| [Tensor::splat([3], Scalar::Bool(x))]);
        assert!(beyond(gap(&yes[0], &no[0]), 2.0) && by_values(&yes, &no, 2.0).is_some());
    }
}
