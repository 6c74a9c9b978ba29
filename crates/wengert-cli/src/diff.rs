//! `wengert diff`: where two runs part: of a program on two backends, two tapes, or two programs.

use crate::arguments::{file, flag, given_file, given_list, option};
use crate::diff_text::{TapePair, comparison_json, elements, object, part};
use crate::failure::Failure;
use crate::json::Json;
use crate::reduce::{Pair, TOLERANCE, pair};
use crate::screen::say;
use crate::source::Source;
use crate::values::Inputs;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::process::ExitCode;
use wengert_core::{Error, ErrorKind, Program, Tensor};
use wengert_repro::PYTHON_VARIABLE;
use wengert_repro::diff::{Parting, TapeDiff, first_parting, record_program};

const EXIT_CODES: &str = "Exit codes:
  0  the two agree
  1  they differ
  2  they could not be compared: a mistake in the command, a program, a tape or a run";

/// What `wengert diff` was asked for.
pub struct Diff {
    file: PathBuf,
    other: Option<PathBuf>,
    input: Vec<PathBuf>,
    random: Option<i64>,
    ones: bool,
    backends: Option<Pair>,
    tolerance: Option<f64>,
    python: Option<String>,
    json: bool,
}

fn tolerance(text: &str) -> Result<f64, String> {
    text.parse::<f64>().ok().filter(|t| *t >= 0.0).ok_or_else(|| "a number that is not negative is needed".into())
}

impl Diff {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Find where two runs part: the first node whose results differ although what it is given agrees";
        let other = Arg::new("other").value_name("OTHER").value_parser(value_parser!(PathBuf));
        Command::new("diff").about(about).after_help(EXIT_CODES).args([
            file().help("A program (StableHLO text, or Wengert's own), or a tape"),
            other.help(
                "Another tape, or another program. Tapes are compared by the values they kept, or by running them again where \
                 they kept none; programs are run by the evaluator on the same inputs",
            ),
            option("backends", "A,B[:TOLERANCE]", pair).conflicts_with("other").required_unless_present("other").help(
                "The program on two backends, of which the first is taken for right, as for `reduce --differs`",
            ),
            option("tolerance", "PART", tolerance).help(
                "Results part where they differ by more than this part of the largest number of an array: 0.001 unless said",
            ),
            option("input", "FILE", value_parser!(PathBuf)).help("The inputs, as for `run`; of tapes, as recorded unless said")
                .num_args(1..).action(ArgAction::Append).conflicts_with_all(["random", "ones"]),
            option("random", "SEED", value_parser!(i64)).help("Draw the inputs").allow_negative_numbers(true)
                .conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            option("python", "PATH", value_parser!(String)).help("The interpreter that has JAX: python3 unless said"),
            flag("json").help("Write one object of JSON"),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Diff {
        Diff {
            file: given_file(given),
            other: given.remove_one("other"),
            input: given_list(given, "input"),
            random: given.remove_one("random"),
            ones: given.get_flag("ones"),
            backends: given.remove_one("backends"),
            tolerance: given.remove_one("tolerance"),
            python: given.remove_one("python"),
            json: given.get_flag("json"),
        }
    }

    /// Compares, and says how the command ends.
    pub fn end(&self) -> ExitCode {
        match self.perform() {
            Ok(differs) => ExitCode::from(u8::from(differs)),
            Err(failure) => failure.report_as(2),
        }
    }

    /// Whether the two differ; what is found is written.
    fn perform(&self) -> Result<bool, Failure> {
        if let Some(python) = &self.python {
            // SAFETY: nothing else runs in this process yet.
            unsafe { std::env::set_var(PYTHON_VARIABLE, python) };
        }
        let source = Source::read(&self.file)?;
        let Some(other) = &self.other else { return self.backends(&source) };
        let other = Source::read(other)?;
        match (&source.recorded, &other.recorded) {
            (Some(_), Some(_)) => self.tapes(&source, &other),
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
        self.inputs().values(source).map_err(|e| Failure::within(e, &source.name, &source.text))
    }

    /// Two runs as they were recorded, or both on other inputs.
    fn tapes(&self, a: &Source, b: &Source) -> Result<bool, Failure> {
        let (Some(x), Some(y)) = (&a.recorded, &b.recorded) else { unreachable!("both are tapes") };
        let (x, y) = (x.tape(), y.tape());
        let found = match self.input.is_empty() && self.random.is_none() && !self.ones {
            true => TapeDiff::new(x, y, self.tolerance()),
            false => TapeDiff::on(x, y, &self.values(a)?, self.tolerance()),
        };
        let found = found.map_err(Failure::of_tape)?;
        self.told(TapePair { tapes: (x, y), names: (&a.name, &b.name) }, &found)
    }

    /// Two programs, run by the evaluator on the same inputs.
    fn programs(&self, a: &Source, b: &Source) -> Result<bool, Failure> {
        let (takes, others) = (a.program.input_types(), b.program.input_types());
        if takes != others {
            let list = |t: &[wengert_core::Type]| t.iter().map(|t| t.to_string()).collect::<Vec<_>>().join(", ");
            let m = format!("`{}` takes ({}), and `{}` takes ({})", a.name, list(&takes), b.name, list(&others));
            let e =
                Error::shape(m).note("what to do: programs are compared on the same inputs: make them take the same");
            return Err(e.into());
        }
        let values = self.values(a)?;
        let tape = |s: &Source| {
            record_program(&s.program, &values).map_err(|e| Failure::within(e.within(&s.name), &s.name, &s.text))
        };
        let (x, y) = (tape(a)?, tape(b)?);
        let found = TapeDiff::new(&x, &y, self.tolerance())?;
        self.told(TapePair { tapes: (&x, &y), names: (&a.name, &b.name) }, &found)
    }

    fn told(&self, pair: TapePair<'_>, found: &TapeDiff) -> Result<bool, Failure> {
        match self.json {
            true => say(format_args!("{}\n", pair.json(found)))?,
            false => say(pair.text(found, self.tolerance()))?,
        }
        Ok(!found.is_none())
    }

    /// One program on two backends.
    fn backends(&self, source: &Source) -> Result<bool, Failure> {
        let Pair(a, b, given) = self.backends.as_ref().expect("clap refuses a command without it");
        let tolerance = self.tolerance.unwrap_or(*given);
        self.backends.as_ref().map_or(Ok(()), Pair::check)?;
        let values = self.values(source)?;
        let mut left = |p: &Program, x: &[Tensor]| a.run(p, x);
        let mut right = |p: &Program, x: &[Tensor]| b.run(p, x);
        let found = first_parting(&source.program, &values, &mut left, &mut right, tolerance);
        let found = found.map_err(|e| Failure::within(e, &source.name, &source.text))?;
        let (a, b) = (a.name(), b.name());
        match (&found, self.json) {
            (Some(p), true) => say(format_args!("{}\n", parting_json(p)))?,
            (None, true) => say(format_args!("{}\n", object([("differs", Json::Bool(false))])))?,
            (Some(p), false) => say(shown(p, a, b))?,
            (None, false) => say(format_args!("{a} and {b} agree within {tolerance:.0e}\n"))?,
        }
        Ok(found.is_some())
    }
}

fn shown(p: &Parting, a: &str, b: &str) -> String {
    let mut text = format!("equation {}: {}\n", p.equation, p.text);
    if !p.place.is_unknown() {
        text += &format!("  at {}\n", p.place);
    }
    text += &format!("  what it is given agrees, and {}", elements(&p.comparison, a, b));
    let (i, by) = p.output;
    text + &format!("\n  there {}; in output {i} {}\n  found with {} programs\n", part(p.own), part(by), p.runs)
}

fn parting_json(p: &Parting) -> Json {
    object([
        ("differs", Json::Bool(true)),
        ("equation", Json::count(p.equation)),
        ("text", Json::text(&p.text)),
        ("place", if p.place.is_unknown() { Json::Null } else { Json::text(p.place.to_string()) }),
        ("comparison", comparison_json(&p.comparison)),
        ("gap", Json::float(p.own)),
        ("output", Json::count(p.output.0)),
        ("output_gap", Json::float(p.output.1)),
        ("runs", Json::count(p.runs)),
    ])
}
