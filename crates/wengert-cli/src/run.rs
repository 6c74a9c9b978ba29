//! `wengert run`: runs a program on values, and writes, times or compares what it gives.

use crate::arguments::{file, flag, given_file, given_list, number, option};
use crate::failure::{EXIT_CODES, Failure};
use crate::screen::say;
use crate::source::Source;
use crate::values::{self, Inputs};
use clap::builder::PossibleValuesParser;
use clap::{ArgAction, ArgMatches, Command, value_parser};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use wengert::{Array, BACKEND_VARIABLE, Rewrite};
use wengert_core::compare::{Comparison, compare, nan_counts};
use wengert_core::run::Executable;
use wengert_core::simplify::Pass;
use wengert_core::{Error, ErrorKind, Program, Result, Tensor};
use wengert_repro::backend::{BackendName, Compiling};

/// What `wengert run` was asked for.
#[derive(Debug)]
pub struct Run {
    file: PathBuf,
    input: Vec<PathBuf>,
    /// The seed.
    random: Option<i64>,
    ones: bool,
    out_dir: Option<PathBuf>,
    backend: Option<BackendName>,
    time: bool,
    compare: Option<BackendName>,
    print_after: Vec<String>,
    memory: bool,
    profile: bool,
    unguarded: bool,
}

/// The stages a program goes through.
fn stages() -> PossibleValuesParser {
    let passes = Pass::ALL.iter().map(|p| p.as_str());
    let rewrites = Rewrite::ALL.iter().map(|r| r.as_str());
    let (simplify, compiled) =
        wengert::stages().split_first().map(|(s, c)| (*s, c.to_vec())).expect("there are stages");
    let programs = ["import"].into_iter().chain(passes).chain([simplify]).chain(rewrites);
    programs.chain(compiled).collect::<Vec<_>>().into()
}

/// How long runs are repeated to find the shortest.
const TIMED: Duration = Duration::from_millis(500);

impl Run {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let path = || value_parser!(PathBuf);
        let backend = || value_parser!(BackendName);
        let about = "Run a program: StableHLO text as JAX prints it, Wengert's own, or the run on a tape";
        Command::new("run").about(about).after_help(EXIT_CODES).args([
            file().help("The program, or a tape as `Tape::save` wrote it; `-` reads a program from the standard input"),
            option("input", "FILE", path())
                .help(
                    "The inputs: npy files in order, or safetensors files whose arrays have the inputs' names. Of a tape, \
                     inputs that are not given are as recorded",
                )
                .num_args(0..)
                .action(ArgAction::Append)
                .conflicts_with_all(["random", "ones"]),
            number("random", "SEED", value_parser!(i64))
                .help("Draw the inputs: normal floats, integers below 10, fair coins")
                .conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            option("out-dir", "DIR", path()).help(
                "Write the outputs to `out_0.npy`, `out_1.npy`, … there instead of printing them. Files with such names \
                 and higher numbers, which an earlier run left there, are removed",
            ),
            option("backend", "BACKEND", backend()).help(
                "What runs the program: cpu; eval, equation by equation as written; rewritten, as eval, but the program \
                 that cpu compiles, which gives the same bits; or xla, cuda:1 and the like. Without it, what \
                 WENGERT_BACKEND says, or cpu",
            ),
            flag("time").help("Say how long compiling and running took"),
            option("compare", "BACKEND", backend())
                .help("Run on this backend too, and print how far apart the outputs are instead of the outputs"),
            option("print-after", "STAGE", stages())
                .help(
                    "Print the program after this stage: import, the name of a pass, simplify, and on the CPU the name of a \
                     rewrite that was made, rewrite (all of them), fuse (which equations run as one), schedule, memory, \
                     kernel, machine",
                )
                .action(ArgAction::Append),
            flag("memory").help("Say how much memory a run takes"),
            flag("profile").help("Say where the time of a run goes, by block"),
            flag("unguarded").help(
                "Run a tape with the decisions of the host as they were, also where it would have read other values; \
                 without this, that is an error, which names the read",
            ),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Run {
        Run {
            file: given_file(given),
            input: given_list(given, "input"),
            random: given.remove_one("random"),
            ones: given.get_flag("ones"),
            out_dir: given.remove_one("out-dir"),
            backend: given.remove_one("backend"),
            time: given.get_flag("time"),
            compare: given.remove_one("compare"),
            print_after: given_list(given, "print-after"),
            memory: given.get_flag("memory"),
            profile: given.get_flag("profile"),
            unguarded: given.get_flag("unguarded"),
        }
    }

    /// Runs the program.
    pub fn perform(&self) -> Result<(), Failure> {
        let source = Source::read(&self.file)?;
        if self.unguarded && source.recorded.is_none() {
            let e = Error::new(ErrorKind::Run, "a program has no guards: `--unguarded` is for tapes");
            return Err(Failure::in_argument(e, "--unguarded", ""));
        }
        self.run(&source).map_err(|e| Failure::within(e, &source.name, &source.text))?;
        source.recorded.as_ref().map_or(Ok(()), |run| run.check_ended(&self.file))
    }

    fn run(&self, source: &Source) -> Result<()> {
        let guarded = source.recorded.as_ref().filter(|_| !self.unguarded);
        let program = guarded.map_or(&source.program, |run| run.straight.guarded_program());
        let watch = |stage: &str, program: &Program| match self.print_after.iter().any(|s| s == stage) {
            true => say(format_args!("// after {stage}\n{program}\n")),
            false => Ok(()),
        };
        let backend = self.backend()?;
        let as_written = source.recorded.is_some();
        let compiled = &wengert::stages()[1..];
        let lacks = |stage: &&String| match stage.as_str() {
            "import" => false,
            stage => backend.is_plain() || (as_written && backend.keeps_runs() && !compiled.contains(&stage)),
        };
        if let Some(stage) = self.print_after.iter().find(lacks) {
            let what = if backend.is_plain() { "`eval` runs a program" } else { "the run on a tape runs" };
            let m = format!("{what} as it is written: there is no stage `{stage}` to print");
            return Err(Error::new(ErrorKind::Run, m));
        }
        self.out_dir.as_deref().map_or(Ok(()), |dir| values::may_take_outputs(dir, &self.input))?;
        watch("import", &source.program)?;
        let inputs = match (self.random, self.ones) {
            (Some(seed), _) => Inputs::Random(seed),
            (None, true) => Inputs::Ones,
            (None, false) => Inputs::Files(self.input.clone()),
        };
        let inputs = inputs.values(source)?;
        guarded.map_or(Ok(()), |run| run.check_given(&inputs))?;
        let start = Instant::now();
        let show_rewrites = self.print_after.iter().any(|s| Rewrite::from_name(s).is_some());
        let compiling = Compiling { show_rewrites, profiled: self.profile, as_written };
        let executable = backend.compile(program, compiling, watch)?;
        let compile_time = start.elapsed();
        for stage in self.print_after.iter().filter(|s| compiled.contains(&s.as_str())) {
            say(format_args!("// after {stage}\n{}\n", executable.after(stage)?))?;
        }
        if self.memory {
            let memory = executable.memory().ok_or_else(|| {
                Error::new(ErrorKind::Run, format!("`{}` does not say how much memory a run takes", backend.name()))
            })?;
            eprintln!("{}: {memory}", backend.name());
        }
        let start = Instant::now();
        let outputs = executable.run_on_host(inputs.clone())?;
        let first = start.elapsed();
        if wengert::repro::looks_for_nan() {
            let compile =
                |p: Program| backend.compile(&p, Compiling { as_written, ..Compiling::default() }, |_, _| Ok(()));
            wengert::repro::check_nan(program, &inputs, &outputs, &compile)?;
        }
        let outputs = guarded.map_or(Ok(outputs.clone()), |run| run.check(outputs))?;
        if self.time {
            let (best, n) = best_of(&*executable, &inputs)?;
            eprintln!("{}: compile {compile_time:.2?}, first run {first:.2?}, best of {n} {best:.2?}", backend.name());
        }
        if self.profile {
            if !self.time {
                best_of(&*executable, &inputs)?;
            }
            match executable.profile() {
                Some(profile) => eprint!("{profile}"),
                None => eprintln!("{}: the evaluator runs this program, which has no profile", backend.name()),
            }
        }
        match &self.out_dir {
            Some(dir) => values::write(dir, &outputs)?,
            None if self.compare.is_none() => print(&outputs)?,
            None => (),
        }
        if let Some(other) = &self.compare {
            let there = other
                .compile(&source.program, Compiling { as_written, ..Compiling::default() }, |_, _| Ok(()))?
                .run_on_host(inputs)?;
            for (i, (a, b)) in outputs.iter().zip(&there).enumerate() {
                let Comparison { ty, absolute, relative, .. } = compare(a, b).expect("one program, so one type");
                let (here, there) = (backend.name(), other.name());
                let nans = nan_counts(a, b).expect("one program, so one type");
                let nans = if nans.any() { format!("; NaN: {nans}") } else { String::new() };
                say(format_args!(
                    "out_{i} {ty}: {here} and {there} differ by {absolute:.3e}, relative {relative:.3e}{nans}\n"
                ))?;
            }
        }
        Ok(())
    }

    /// What was asked for here, or in the environment for all programs.
    fn backend(&self) -> Result<BackendName> {
        if let Some(backend) = &self.backend {
            return Ok(backend.clone());
        }
        match std::env::var(BACKEND_VARIABLE).as_deref() {
            Err(_) | Ok("") => Ok(BackendName::default()),
            Ok(name) => {
                name.parse().map_err(|m| Error::new(ErrorKind::Device, format!("{BACKEND_VARIABLE} is `{name}`: {m}")))
            }
        }
    }
}

/// The shortest of several runs, and how many there were.
fn best_of(executable: &dyn Executable, inputs: &[Tensor]) -> Result<(Duration, usize)> {
    let (start, mut best, mut n) = (Instant::now(), Duration::MAX, 0);
    while n < 3 || start.elapsed() < TIMED {
        let one = Instant::now();
        executable.run_on_host(inputs.to_vec())?;
        best = best.min(one.elapsed());
        n += 1;
    }
    Ok((best, n))
}

fn print(outputs: &[Tensor]) -> Result<()> {
    let mut outputs = outputs.iter().enumerate();
    outputs.try_for_each(|(i, x)| say(format_args!("out_{i}: {} =\n{}\n", x.ty(), Array::from_tensor(x.clone()))))
}
