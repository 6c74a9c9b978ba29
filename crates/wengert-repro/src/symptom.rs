//! What makes a case interesting, and how a failure is told from another one.

use crate::backend::{BackendName, Compiling};
use crate::case::Case;
use crate::diff::{beyond, rounding};
use crate::jax::death;
use crate::worker::Sign;
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
        /// How far apart numbers may be, as a part of the largest of the array.
        tolerance: f64,
    },
    /// Compiling takes at least so many seconds: by JAX, compiling and running.
    SlowCompile(f64),
}

/// A regular expression.
#[derive(Clone, Debug)]
pub struct Pattern(regex_lite::Regex);

impl std::str::FromStr for Pattern {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Pattern, String> {
        regex_lite::Regex::new(text).map(Pattern).map_err(|e| e.to_string())
    }
}

impl Symptom {
    /// How far results may be apart, as a part of the largest number of an array, if it is about that.
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
            Symptom::SlowCompile(seconds) => Duration::from_secs_f64(1.2 * seconds + 0.2).min(others),
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
            "what to do: give inputs without them, as with `--random 0`; or say with `--script` what is to be kept",
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
                    false => format!(
                        "{a} and {b} agree within {tolerance:e} of the largest number; `{a},{b}:0` asks for the same numbers"
                    ),
                }
            }
            Symptom::SlowCompile(seconds) => format!("compiling always took less than {seconds} s"),
        }
    }

    /// What is seen of the symptom in a case, told apart from other failures; none if nothing is. Runs in this process.
    pub fn seen(&self, backend: &BackendName, case: &Case) -> Option<String> {
        self.look(backend, case).ok()
    }

    /// The same; where nothing is seen, what happened instead, if more than nothing.
    pub(crate) fn look(&self, backend: &BackendName, case: &Case) -> std::result::Result<String, Option<String>> {
        let cannot = |name: &str, e: &Error| Some(format!("{name} can't run it: {}", e.message()));
        match self {
            // JAX has a process of its own, which dies instead of this one.
            Symptom::Crash => match run(backend, case) {
                Err(e) => death(&e).map(String::from).ok_or_else(|| {
                    Some(format!("no run ended its process; `--error` looks for what is told: {}", e.message()))
                }),
                Ok(_) => Err(None),
            },
            Symptom::Error(pattern) => {
                let e = run(backend, case).err().ok_or(None)?;
                let message = e.to_string();
                // That code is missing here is no failure of the program, whatever its name is.
                let is_missing = e.kind() == ErrorKind::Unsupported && lacks_code(case.program());
                let is_it = pattern.0.is_match(&message) && !is_missing;
                is_it
                    .then(|| without_numbers(&message))
                    .ok_or_else(|| Some(format!("it fails otherwise: {}", e.message())))
            }
            Symptom::NonFinite => {
                if !case.inputs().iter().all(is_finite) {
                    return Err(None);
                }
                let y = run(backend, case).map_err(|e| cannot(backend.name(), &e))?;
                let nan = y.iter().any(|t| numbers(t).any(f64::is_nan));
                let infinite = y.iter().any(|t| numbers(t).any(f64::is_infinite));
                (nan || infinite).then(|| if nan { "NaN" } else { "infinity" }.to_string()).ok_or(None)
            }
            Symptom::Differs { reference, other, tolerance } => {
                let want = run(reference, case).map_err(|e| cannot(reference.name(), &e))?;
                match run(other, case) {
                    Err(e) => Ok(format!("an error on one side: {}", without_numbers(&e.to_string()))),
                    Ok(got) => {
                        let how = part(&want, &got, *tolerance).ok_or(None)?;
                        let tiny = if how == NUMBERS && is_subnormal(&want, &got, *tolerance) { SUBNORMAL } else { "" };
                        let rounding = if is_rounding(case, &want, &got, *tolerance) { ROUNDING } else { "" };
                        let finite = if how == LOST || want.iter().all(is_finite) { "" } else { NOT_FINITE };
                        Ok(format!("{how}{tiny}{rounding}{finite}"))
                    }
                }
            }
            Symptom::SlowCompile(seconds) => {
                let time = Instant::now();
                let done = match backend.name() {
                    // Its compiler is not asked for by itself.
                    "jax" => run(backend, case).map(drop),
                    _ => backend.compile(case.program(), Compiling::default(), |_, _| Ok(())).map(drop),
                };
                done.map_err(|e| cannot(backend.name(), &e))?;
                (time.elapsed().as_secs_f64() >= *seconds).then(|| SLOW.to_string()).ok_or(None)
            }
        }
    }
}

/// What is seen of a compile that takes long.
pub(crate) const SLOW: &str = "slow";

/// How finite numbers part.
const NUMBERS: &str = "other numbers";

/// How results part that are the same where the reference is finite.
const LOST: &str = "other numbers where the reference has NaN or infinity";

/// What is added to a difference where the reference gives numbers that are not finite.
const NOT_FINITE: &str = ", where the reference has numbers that are not finite";

/// What is added to a difference that is no more than rounding.
const ROUNDING: &str = ", by rounding alone";

/// What is added to a difference of numbers that are all so small that some compilers take them for zero.
const SUBNORMAL: &str = ", below the smallest normal number";

/// Whether what is seen now is the failure that was seen first. A reference may become finite, rounding more than that, and small
/// numbers larger, and never the other way round.
pub(crate) fn is_same(first: &str, now: &str) -> bool {
    let (mut first, mut now) = (first, now);
    for addition in [NOT_FINITE, ROUNDING, SUBNORMAL] {
        let [(of_first, first_without), (of_now, now_without)] = [first, now].map(|s| without(s, addition));
        if first_without && !now_without {
            return false;
        }
        (first, now) = (of_first, of_now);
    }
    first == now
}

/// What is seen without this addition, and whether it has none.
fn without<'a>(seen: &'a str, addition: &str) -> (&'a str, bool) {
    seen.strip_suffix(addition).map_or((seen, true), |rest| (rest, false))
}

/// Whether results part by no more than rounding makes of them; where the same bits are asked for, rounding is a difference as any other.
fn is_rounding(case: &Case, want: &[Tensor], got: &[Tensor], tolerance: f64) -> bool {
    let is_covered = |noise: Vec<f64>| {
        let gaps = want.iter().zip(got).map(|(w, g)| gap(w, g));
        noise.into_iter().zip(gaps).all(|(noise, gap)| !beyond(gap, tolerance) || rounding::covers(noise, gap))
    };
    let (p, x) = (case.program(), case.inputs());
    tolerance > 0.0
        && rounding::may_round(p)
        && rounding::noise(p, x, want).is_some_and(is_covered)
        && !rounding::overflows(p, x)
}

/// Whether a program holds ops of the user's whose code is in another process.
pub fn lacks_code(program: &Program) -> bool {
    program.equations().iter().any(|e| holds(&e.op, &Custom::is_name_alone))
}

/// Runs a case, a panic being an error like any other.
fn run(backend: &BackendName, case: &Case) -> Result<Vec<Tensor>> {
    caught(|| backend.run(case.program(), case.inputs()))
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
fn without_numbers(message: &str) -> String {
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
    let n = if t.is_splat() { t.size().min(1) } else { t.size() };
    (0..n).flat_map(|i| {
        let c = t.get(i).as_complex();
        [c.re, c.im]
    })
}

/// The largest difference of two arrays of one type, as a part of the largest number of the first; NaN where only one of
/// two numbers is finite.
pub(crate) fn gap(want: &Tensor, got: &Tensor) -> f64 {
    let (want, got) = (want.dense(), got.dense());
    let largest = numbers(&want).filter(|x| x.is_finite()).fold(f64::MIN_POSITIVE, |m: f64, x| m.max(x.abs()));
    let each = numbers(&want).zip(numbers(&got)).map(|(a, b)| match a == b || a.is_nan() && b.is_nan() {
        true => 0.0,
        false if a.is_finite() && b.is_finite() => (a - b).abs() / largest,
        false => f64::NAN,
    });
    each.fold(0.0, |m: f64, x| if m.is_nan() || x.is_nan() { f64::NAN } else { m.max(x) })
}

/// How results part; none if they do not.
fn part(want: &[Tensor], got: &[Tensor], tolerance: f64) -> Option<&'static str> {
    if want.len() != got.len() || want.iter().zip(got).any(|(w, g)| w.ty() != g.ty()) {
        return Some("other types");
    }
    let (mut apart, mut nan, mut no_nan) = (false, false, false);
    for (a, b, _) in differing(want, got, tolerance) {
        match (a.is_finite(), b.is_finite()) {
            (true, true) => apart = true,
            (true, false) => nan = true,
            (false, _) => no_nan = true,
        }
    }
    match (nan, apart, no_nan) {
        (true, _, _) => Some("NaN or infinity"),
        (_, true, _) => Some(NUMBERS),
        (_, _, true) => Some(LOST),
        _ => None,
    }
}

/// The numbers that differ by more than a part of the largest of their array, with its element type.
fn differing(want: &[Tensor], got: &[Tensor], tolerance: f64) -> impl Iterator<Item = (f64, f64, DType)> {
    want.iter().zip(got).flat_map(move |(w, g)| {
        let (w, g) = (w.dense(), g.dense());
        let largest = numbers(&w).filter(|x| x.is_finite()).fold(0.0, |m: f64, x| m.max(x.abs()));
        let differ = |a: f64, b: f64| {
            let gap = (a - b).abs();
            !(a == b || a.is_nan() && b.is_nan()) && (gap.is_nan() || gap > tolerance * largest)
        };
        let both = numbers(&w).zip(numbers(&g)).filter(|&(a, b)| differ(a, b));
        both.map(|(a, b)| (a, b, w.dtype())).collect::<Vec<_>>()
    })
}

/// Whether all numbers that differ are smaller than those of their element type that have all digits.
fn is_subnormal(want: &[Tensor], got: &[Tensor], tolerance: f64) -> bool {
    let smallest = |dtype: DType| match dtype.real() {
        DType::F16 => 2f64.powi(-14),
        DType::BF16 | DType::F32 => f64::from(f32::MIN_POSITIVE),
        DType::F64 => f64::MIN_POSITIVE,
        _ => 0.0,
    };
    differing(want, got, tolerance).all(|(a, b, dtype)| a.abs().max(b.abs()) < smallest(dtype))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is seen of these equations where one side gives what the evaluator does, and the other this.
    fn seen(equations: &str, x: [f32; 2], got: f32, tolerance: f64) -> (Option<String>, bool) {
        let program = format!("program (x: f32[], y: f32[]) {{ {equations} return w }}");
        let case = Case::new(Program::parse(&program).unwrap(), x.map(Tensor::scalar).to_vec()).unwrap();
        let (want, got) = (run(&BackendName::plain(), &case).unwrap(), [Tensor::scalar(got)]);
        (part(&want, &got, tolerance).map(String::from), is_rounding(&case, &want, &got, tolerance))
    }

    #[test]
    fn e6_a_difference_by_rounding_alone_is_no_other_difference() {
        let other = |is_rounding: bool| (Some("other numbers".to_string()), is_rounding);
        // What is left of a product that is rounded once, where it is rounded twice before.
        let (text, x) = ("z: f32[] = mul(x, x) w: f32[] = sub(z, y)", 1.1f32);
        let once = x.mul_add(x, -(x * x));
        assert_eq!(seen(text, [x, x * x], once, 1e-3), other(true));
        assert_eq!(seen(text, [x, x * x], 1e-3, 1e-3), other(false));
        // Where the same bits are asked for, it counts.
        assert_eq!(seen(text, [x, x * x], once, 0.0), other(false));
        // A number that is too large for its type is no rounding, whatever is made of it.
        let text = "z: f32[] = mul(x, x) r: f32[] = sqrt(z) w: f32[] = min(r, y)";
        assert_eq!(seen(text, [2e19, 1e30], 2e19, 1e-3), other(false));

        let [plain, rounded] = ["other numbers".to_string(), format!("other numbers{ROUNDING}")];
        assert!(is_same(&rounded, &plain) && !is_same(&plain, &rounded));
        let not_finite = |s: &str| format!("{s}{NOT_FINITE}");
        assert!(is_same(&not_finite(&rounded), &plain) && !is_same(&rounded, &not_finite(&rounded)));
        assert!(!is_same(&not_finite(&plain), &rounded) && !is_same(&plain, "NaN or infinity"));
    }

    #[test]
    fn e6_another_kind_of_difference_is_another_failure() {
        let how = |want: &[f32], got: &[f32]| {
            let [want, got] = [want, got].map(|x| [Tensor::new([x.len()], x.to_vec()).unwrap()]);
            let tiny = if is_subnormal(&want, &got, 1e-3) { SUBNORMAL } else { "" };
            format!("{}{tiny}", part(&want, &got, 1e-3).unwrap_or("none"))
        };
        let nan = f32::NAN;
        // What is lost of a NaN is not a number that is wrong, unless there is one too.
        let lost = how(&[nan, 1.0], &[f32::INFINITY, 1.0]);
        assert_eq!(how(&[nan, 1.0], &[2.0, 1.0]), lost);
        let wrong = how(&[nan, 1.0], &[nan, 2.0]);
        assert_eq!(how(&[nan, 1.0], &[2.0, 2.0]), wrong);
        assert_eq!(how(&[1.0, 1.0], &[nan, 1.0]), "NaN or infinity");
        assert!(!is_same(&lost, &wrong) && !is_same(&wrong, &lost) && !is_same(&wrong, &how(&[1.0], &[nan])));
        // Small numbers that become zero are one failure, and numbers that are wrong are another.
        let flushed = how(&[1e-40, 2e-40], &[0.0, 0.0]);
        assert_eq!(flushed, format!("{wrong}{SUBNORMAL}"));
        assert!(is_same(&flushed, &wrong) && !is_same(&wrong, &flushed));
        assert_eq!(how(&[1e-40, 1.0], &[0.0, 1.0]), format!("none{SUBNORMAL}"));
    }
}
