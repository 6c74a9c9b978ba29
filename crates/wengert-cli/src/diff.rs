//! `wengert diff`: where two runs part: of a program on two backends, two tapes, or two programs.

use crate::arguments::{file, flag, given_file, given_list, number, option, seconds};
use crate::diff_program::{SidePair, is_decided};
use crate::diff_text::TapePair;
use crate::failure::Failure;
use crate::progress::Running;
use crate::recorded::{RecordedRun, sound_tape};
use crate::reduce::{Pair, TOLERANCE, pair};
use crate::screen::say;
use crate::source::Source;
use crate::values::Inputs;
use clap::{Arg, ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wengert_core::{DType, Error, ErrorKind, Program, Tensor};
use wengert_repro::diff::{ProgramDiff, Sides, TapeDiff, record_program};
use wengert_repro::{BackendName, JaxLimits, PYTHON_VARIABLE, limit_jax};

const USAGE: &str = "wengert diff <FILE> <OTHER> [OPTIONS]
       wengert diff <FILE> --backends <A,B> [OPTIONS]
       wengert diff <FILE> --eager [OPTIONS]
       wengert diff <FILE> --types <A,B> [OPTIONS]";

const EXIT_CODES: &str = "Exit codes:
  0  the two agree
  1  they differ
  2  they could not be compared: a mistake in the command, a program, a tape or a run
  3  nothing was found that differs, and not all was looked at: tapes kept no values, or an op takes no other types";

/// What `wengert diff` was asked for.
pub struct Diff {
    file: PathBuf,
    other: Option<PathBuf>,
    input: Vec<PathBuf>,
    random: Option<i64>,
    ones: bool,
    sides: Option<Wanted>,
    backend: Option<BackendName>,
    tolerance: Option<f64>,
    python: Option<String>,
    timeout: Option<f64>,
    patience: Option<f64>,
    json: bool,
}

/// What came of a comparison.
enum Verdict {
    Agree,
    Differ,
    Undecided,
}

/// What the two sides are.
enum Wanted {
    Backends(Pair),
    Types(DType, DType),
}

/// Reads `f32,f64`.
fn types(text: &str) -> Result<(DType, DType), String> {
    let float = |name: &str| DType::ALL.into_iter().find(|d| d.is_float() && d.to_string() == name.trim());
    let both = text.split_once(',').and_then(|(a, b)| float(a).zip(float(b))).filter(|(a, b)| a != b);
    both.ok_or_else(|| "two of f16, bf16, f32 and f64 are needed, as in `f32,f64`".into())
}

fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|t| *t >= 0.0 && t.is_finite());
    number.ok_or_else(|| "a finite number from 0 on is needed, as in `1e-4`".into())
}

impl Diff {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Find where two runs part: the first node whose results differ although what it is given agrees";
        let other = Arg::new("other").value_name("OTHER").value_parser(value_parser!(PathBuf));
        Command::new("diff").about(about).override_usage(USAGE).after_help(EXIT_CODES).args([
            file().help("A program (StableHLO text, or Wengert's own), or a tape"),
            other.help(
                "Another tape, or another program. Tapes are compared by the values they kept, or by running them again where \
                 they kept none; programs are run by the evaluator on the same inputs",
            ),
            option("backends", "A,B[:TOLERANCE]", pair).help(
                "The program on two backends, of which the first is taken for right: cpu; eval, equation by equation; eager, op \
                 by op as programs run that are not staged; rewritten, as eval, but the program that cpu compiles; jax, pip's \
                 JAX; xla, cuda:1 and the like",
            ),
            flag("eager").help("The same as `--backends eager,cpu`: operations one by one against the compiled program"),
            option("types", "A,B", types).help(
                "The program with its floats of these types in the one type, and in the other: what rounding makes of it. Digits that \
                 are lost are told, also where nothing is left of them, as of a sum that is zero but for rounding. An op that \
                 takes no others (it looks at the bits of numbers, say) runs in its own types, which is said",
            ),
            option("backend", "BACKEND", value_parser!(BackendName)).requires("types")
                .help("What runs the program for `--types`: eval unless said"),
            number("tolerance", "PART", tolerance).help(
                "Results part where a number differs by more than this part of its size: its own, or that of the numbers it is \
                 what is left of, and no more than the largest of its array: 0.001 unless said. Rounding that grew is no \
                 difference, but for `--types`, nor is, of two backends, another decomposition of a matrix that does not determine it, \
                 unless this is 0",
            ),
            option("input", "FILE", value_parser!(PathBuf)).help("The inputs, as for `run`; of tapes, as recorded unless said")
                .num_args(1..).action(ArgAction::Append).conflicts_with_all(["random", "ones"]),
            number("random", "SEED", value_parser!(i64)).help("Draw the inputs").conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            option("python", "PATH", value_parser!(String)).help("The interpreter that has JAX: `WENGERT_PYTHON`, or python3, unless said"),
            number("timeout", "SECONDS", seconds)
                .help("The longest that JAX may take to start (60 unless said), and for one program (600 unless said)"),
            number("patience", "SECONDS", seconds).help(
                "Of `--backends`: where rounding grew, how long to look at what comes after it, from the start on: 300 unless said",
            ),
            flag("json").help("Write one object of JSON"),
        ]).group(ArgGroup::new("sides").args(["other", "backends", "eager", "types"]).required(true))
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Diff {
        let backends = match given.get_flag("eager") {
            true => Some(pair("eager,cpu").expect("these are two backends")),
            false => given.remove_one("backends"),
        };
        let types = given.remove_one::<(DType, DType)>("types").map(|(a, b)| Wanted::Types(a, b));
        Diff {
            file: given_file(given),
            other: given.remove_one("other"),
            input: given_list(given, "input"),
            random: given.remove_one("random"),
            ones: given.get_flag("ones"),
            sides: backends.map(Wanted::Backends).or(types),
            backend: given.remove_one("backend"),
            tolerance: given.remove_one("tolerance"),
            python: given.remove_one("python"),
            timeout: given.remove_one("timeout"),
            patience: given.remove_one("patience"),
            json: given.get_flag("json"),
        }
    }

    /// Compares, and says how the command ends.
    pub fn end(&self) -> ExitCode {
        match self.perform() {
            Ok(Verdict::Agree) => ExitCode::SUCCESS,
            Ok(Verdict::Differ) => ExitCode::from(1),
            Err(failure) => failure.report_as(2),
            Ok(Verdict::Undecided) => ExitCode::from(3),
        }
    }

    /// Whether the two differ; what is found is written.
    fn perform(&self) -> Result<Verdict, Failure> {
        if let Some(python) = &self.python {
            // SAFETY: nothing else runs in this process yet.
            unsafe { std::env::set_var(PYTHON_VARIABLE, python) };
        }
        let limit = |unless_said: f64| Duration::from_secs_f64(self.timeout.unwrap_or(unless_said).clamp(0.01, 1e6));
        limit_jax(JaxLimits { start: limit(60.0), program: Some(limit(600.0)) });
        if self.other.as_ref().is_some_and(|other| *other == self.file && other.as_os_str() == "-") {
            let e = Error::new(ErrorKind::Run, "the standard input is one program, and can't be both sides");
            return Err(e.note("what to do: name a file for one of them").into());
        }
        if let Some(other) = &self.other
            && !self.has_inputs()
            && [&self.file, other].into_iter().all(|path| RecordedRun::is_at(path))
        {
            return self.recorded(&self.file, other);
        }
        let source = Source::read_with_places(&self.file)?;
        let Some(other) = &self.other else { return self.sides(&source) };
        let other = Source::read_with_places(other)?;
        match (&source.recorded, &other.recorded) {
            (Some(x), Some(y)) => {
                let (x, y) = (x.tape(), y.tape());
                let values = self.values(&source)?;
                let running = Running::new();
                running.runs("eval", source.program.equation_count());
                let found = TapeDiff::on(x, y, &values, self.tolerance()).map_err(Failure::of_tape)?;
                drop(running);
                self.told(TapePair { tapes: (x, y), names: (&source.name, &other.name), are_programs: false }, &found)
            }
            (None, None) => self.programs(&source, &other),
            (of_tape, _) => {
                let (tape, program) = if of_tape.is_some() { (&source, &other) } else { (&other, &source) };
                let m = format!("`{}` is a tape, and `{}` is a program", tape.name, program.name);
                let e = Error::new(ErrorKind::Run, m);
                Err(e
                    .note("what to do: compare two tapes, or two programs; `wengert convert` makes a program of a tape")
                    .into())
            }
        }
    }

    fn tolerance(&self) -> f64 {
        self.tolerance.unwrap_or(TOLERANCE)
    }

    fn inputs(&self) -> Inputs {
        match (self.random, self.ones) {
            (Some(seed), _) => Inputs::Random(seed),
            (None, true) => Inputs::Ones,
            (None, false) => Inputs::Files(self.input.clone()),
        }
    }

    fn values(&self, source: &Source) -> Result<Vec<Tensor>, Failure> {
        let values = self.inputs().values(source);
        let values = values.map_err(|e| Failure::within(e, &source.name, &source.text))?;
        if let Some(run) = source.recorded.as_ref().filter(|_| self.has_inputs()) {
            run.say_decisions();
        }
        Ok(values)
    }

    /// Whether inputs are given.
    fn has_inputs(&self) -> bool {
        !self.input.is_empty() || self.random.is_some() || self.ones
    }

    /// Two runs as they were recorded: they need be no programs.
    fn recorded(&self, a: &Path, b: &Path) -> Result<Verdict, Failure> {
        let (x, y) = (sound_tape(a)?, sound_tape(b)?);
        let found = TapeDiff::new(&x, &y, self.tolerance()).map_err(Failure::of_tape)?;
        let names = [a, b].map(|path| path.display().to_string());
        self.told(TapePair { tapes: (&x, &y), names: (&names[0], &names[1]), are_programs: false }, &found)
    }

    /// Two programs, run by the evaluator on the same inputs.
    fn programs(&self, a: &Source, b: &Source) -> Result<Verdict, Failure> {
        let (takes, others) = (a.program.input_types(), b.program.input_types());
        if takes != others {
            let list = |t: &[wengert_core::Type]| t.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ");
            let m = format!("`{}` takes ({}), and `{}` takes ({})", a.name, list(&takes), b.name, list(&others));
            let e =
                Error::shape(m).note("what to do: programs are compared on the same inputs: make them take the same");
            return Err(e.into());
        }
        let values = self.values(a)?;
        let running = Running::new();
        let tape = |s: &Source| {
            running.runs("eval", s.program.equation_count());
            // Programs are what they do, whatever they are called.
            let program = s.program.clone().with_name("program");
            record_program(&program, &values).map_err(|e| Failure::within(e.within(&s.name), &s.name, &s.text))
        };
        let (x, y) = (tape(a)?, tape(b)?);
        let found = TapeDiff::new(&x, &y, self.tolerance())?;
        drop(running);
        self.told(TapePair { tapes: (&x, &y), names: (&a.name, &b.name), are_programs: true }, &found)
    }

    fn told(&self, pair: TapePair<'_>, found: &TapeDiff) -> Result<Verdict, Failure> {
        match self.json {
            true => say(format_args!("{}\n", pair.json(found)))?,
            false => say(pair.text(found, self.tolerance()))?,
        }
        Ok(match found.is_none() {
            false => Verdict::Differ,
            true if found.is_undecided() => Verdict::Undecided,
            true => Verdict::Agree,
        })
    }

    /// One program on two sides.
    fn sides(&self, source: &Source) -> Result<Verdict, Failure> {
        match self.sides.as_ref().expect("clap refuses a command without sides") {
            Wanted::Backends(both) => {
                let Pair(a, b, tolerance) = both;
                let running = Running::new();
                [a, b].into_iter().try_for_each(|backend| running.check(backend))?;
                let mut left = |p: &Program, x: &[Tensor]| running.run(a, p, x);
                let mut right = |p: &Program, x: &[Tensor]| running.run(b, p, x);
                let tolerance = self.tolerance.unwrap_or(*tolerance);
                let pair = SidePair { names: (a.name(), b.name()), backends: Some((a, b)), tolerance };
                let values = self.values(source)?;
                let patience = Duration::from_secs_f64(self.patience.unwrap_or(300.0).clamp(0.0, 1e6));
                let sides = Sides::new(&mut left, &mut right, tolerance).patience(patience);
                let found = ProgramDiff::new(&source.program, &values, sides);
                drop(running);
                self.found(source, pair, found)
            }
            &Wanted::Types(a, b) => {
                let has = |d: DType| {
                    let p = &source.program;
                    let of = |t: wengert_core::Type| t.dtype.real() == d;
                    p.input_types().into_iter().any(of) || p.any(|p, e| e.outputs.iter().any(|&v| of(p.ty(v).clone())))
                };
                if !has(a) && !has(b) {
                    let e = Error::dtype(format!("`{}` has no numbers of type {a} or {b}", source.name));
                    let floats = [DType::F16, DType::BF16, DType::F32, DType::F64];
                    let has = floats.into_iter().filter(|&d| has(d)).map(|d| d.to_string()).collect::<Vec<_>>();
                    let way = match has.is_empty() {
                        true => "it has no floats, and `--types` is about these".to_string(),
                        false => format!("what to do: name a type that it has ({}), and another", has.join(", ")),
                    };
                    return Err(e.note(way).into());
                }
                let (a, b) = if a.bits() >= b.bits() { (a, b) } else { (b, a) };
                let backend = self.backend.clone().unwrap_or_else(|| "eval".parse().expect("a backend"));
                let running = Running::new();
                running.check(&backend)?;
                let (names, tolerance) = ((a.to_string(), b.to_string()), self.tolerance());
                let values = self.values(source)?;
                running.runs(backend.name(), source.program.equation_count());
                let found = ProgramDiff::in_types(&source.program, &values, &backend, (a, b), tolerance);
                drop(running);
                self.found(source, SidePair { names: (&names.0, &names.1), backends: None, tolerance }, found)
            }
        }
    }

    fn found(
        &self,
        source: &Source,
        pair: SidePair<'_>,
        found: wengert_core::Result<ProgramDiff>,
    ) -> Result<Verdict, Failure> {
        let found = found.map_err(|e| Failure::within(e, &source.name, &source.text))?;
        match self.json {
            true => say(format_args!("{}\n", pair.json(&found)))?,
            false => say(pair.text(&found))?,
        }
        Ok(match found.first {
            Some(_) => Verdict::Differ,
            None if is_decided(&found) => Verdict::Agree,
            None => Verdict::Undecided,
        })
    }
}
