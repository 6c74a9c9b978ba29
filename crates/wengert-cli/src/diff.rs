//! `wengert diff`: the first equation that two backends do not agree on.

use crate::arguments::{file, flag, given_file, given_list, option};
use crate::failure::{EXIT_CODES, Failure};
use crate::reduce::{Pair, pair};
use crate::screen::say;
use crate::source::Source;
use crate::values::Inputs;
use clap::{ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use wengert_core::{Error, ErrorKind, Program, Result, Tensor};
use wengert_repro::PYTHON_VARIABLE;
use wengert_repro::diff::{Parting, first_parting};

/// What `wengert diff` was asked for.
pub struct Diff {
    file: PathBuf,
    input: Vec<PathBuf>,
    random: Option<i64>,
    ones: bool,
    backends: Pair,
    python: Option<String>,
}

impl Diff {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Find the first equation that two backends do not agree on; the exit code is 1 if there is one";
        Command::new("diff").about(about).after_help(EXIT_CODES).args([
            file().help("The program: StableHLO text, Wengert's own, or a tape"),
            option("backends", "A,B[:TOLERANCE]", pair).required(true).help(
                "The two, of which the first is taken for right, as for `reduce --differs`: results part where they differ by \
                 more than this part of the largest number of an array (0.001)",
            ),
            option("input", "FILE", value_parser!(PathBuf)).help("The inputs, as for `run`").num_args(0..)
                .action(ArgAction::Append).conflicts_with_all(["random", "ones"]),
            option("random", "SEED", value_parser!(i64)).help("Draw the inputs").allow_negative_numbers(true)
                .conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            option("python", "PATH", value_parser!(String)).help("The interpreter that has JAX: python3 unless said"),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Diff {
        Diff {
            file: given_file(given),
            input: given_list(given, "input"),
            random: given.remove_one("random"),
            ones: given.get_flag("ones"),
            backends: given.remove_one("backends").expect("clap refuses a command without it"),
            python: given.remove_one("python"),
        }
    }

    /// Looks for the equation.
    pub fn perform(&self) -> Result<(), Failure> {
        if let Some(python) = &self.python {
            // SAFETY: nothing else runs in this process yet.
            unsafe { std::env::set_var(PYTHON_VARIABLE, python) };
        }
        self.backends.check()?;
        let source = Source::read(&self.file)?;
        let inputs = match (self.random, self.ones) {
            (Some(seed), _) => Inputs::Random(seed),
            (None, true) => Inputs::Ones,
            (None, false) => Inputs::Files(self.input.clone()),
        };
        let here = |e: Error| Failure::within(e, &source.name, &source.text);
        let values = inputs.values(&source).map_err(here)?;
        let Pair(a, b, tolerance) = &self.backends;
        let mut left = |p: &Program, x: &[Tensor]| a.run(p, x);
        let mut right = |p: &Program, x: &[Tensor]| b.run(p, x);
        let found = first_parting(&source.program, &values, &mut left, &mut right, *tolerance).map_err(here)?;
        let Some(parting) = found else {
            return Ok(say(format_args!("{} and {} agree within {tolerance:.0e}\n", a.name(), b.name()))?);
        };
        say(format_args!("{}", self.shown(&parting)))?;
        Err(Error::new(ErrorKind::Run, format!("{} and {} do not agree", a.name(), b.name())).into())
    }

    fn shown(&self, p: &Parting) -> String {
        let Pair(a, b, _) = &self.backends;
        let mut text = format!("equation {}: {}\n", p.equation, p.text);
        if !p.place.is_unknown() {
            text += &format!("  at {}\n", p.place);
        }
        let c = &p.comparison;
        text += &format!("  what it is given agrees, and {} of {} elements differ", c.count, c.ty.shape.size());
        if let Some(worst) = &c.worst {
            let (b, a) = (b.name(), a.name());
            text += &format!("; most of all element {}, {b} against {a}: {worst}", worst.position);
        }
        let part =
            |x: f64| if x.is_nan() { "not finite on one side alone".into() } else { format!("{x:.3e} of the largest") };
        let (i, by) = p.output;
        text + &format!("\n  there {}; in output {i} {}\n  found with {} programs\n", part(p.own), part(by), p.runs)
    }
}
