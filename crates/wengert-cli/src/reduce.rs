//! `wengert reduce`: makes a program that fails small, while it still fails as it did.

use crate::arguments::{count, file, flag, given_file, given_list, number, option, seconds};
use crate::failure::{EXIT_CODES, Failure};
use crate::outputs::{Outputs, force};
use crate::progress::{Running, Shown};
use crate::question::Question;
use crate::results::ResultFolder;
use crate::screen::say;
use crate::source::Source;
use crate::values::Inputs;
use clap::{ArgAction, ArgGroup, ArgMatches, Command, value_parser};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use wengert::Rewrite;
use wengert_core::{Error, ErrorKind, Program, Result, counted};
use wengert_emit::files::{RESULT_MARK, save_text};
use wengert_emit::{CallTree, Options, RecordedError};
use wengert_repro::backend::Compiling;
use wengert_repro::calls::{FailedCalls, reduce_calls};
use wengert_repro::files::{save, save_all, save_calls};
use wengert_repro::interrupt;
use wengert_repro::{
    BackendName, Case, Learned, Outcome, PYTHON_VARIABLE, Pattern, Reduction, ScriptPool, Symptom, Test, WorkerPool,
    WorkerTest, end_what_is_left, lacks_code, reduce, serve,
};

/// What `wengert reduce` was asked for.
pub struct Reduce {
    file: PathBuf,
    input: Vec<PathBuf>,
    random: Option<i64>,
    ones: bool,
    symptom: Wanted,
    pair: Option<Pair>,
    backend: BackendName,
    out_dir: PathBuf,
    timeout: f64,
    memory: f64,
    times: Option<usize>,
    jobs: usize,
    resume: bool,
    force: bool,
    python: Option<String>,
}

const USAGE: &str = "wengert reduce <FILE> --nan [OPTIONS]
       wengert reduce <FILE> --differs <A,B[:TOLERANCE]> [OPTIONS]
       wengert reduce <FILE> --error <REGEX> [OPTIONS]
       wengert reduce <FILE> --crash [OPTIONS]
       wengert reduce <FILE> --slow-compile <SECONDS> [OPTIONS]
       wengert reduce <FILE> --script <CMD> [OPTIONS]";

const RESULTS: &str = "What is in the folder:
  reduced.wg, reduced.safetensors       the smallest program so far and its inputs, at any time
  reduced.mlir, reduced.rs, reduced.py  at the end, the same as StableHLO, Rust and Python for JAX
  report.txt                            the steps, and which part of our own compiler the failure needs
Of a tape that ended in an error of a transform, or of a function while it was traced, no program fails so: with `--error`, its calls
are reduced, in this process, on the recorded inputs and without `--resume`. There are reduced.rs and reduced.py then.";

/// What a reduction begins with.
enum Start {
    /// A program, what was asked for, and what is said if it does not fail because a recorded failure can't be a part of it.
    Program(Case, Question, Option<String>),
    /// The calls of a run that failed where no program can, and what its message has.
    Calls(FailedCalls, Pattern),
}

/// What is to be kept.
enum Wanted {
    /// The arguments of a worker, and what it looks for.
    Symptom(Vec<String>, Symptom),
    Script(String),
}

impl Wanted {
    /// The arguments that say so; a script runs by itself.
    fn arguments(&self, backend: &BackendName) -> Vec<String> {
        match self {
            Wanted::Symptom(arguments, Symptom::Differs { .. }) => arguments.clone(),
            Wanted::Symptom(arguments, _) => [arguments, &[format!("--backend={}", backend.name())][..]].concat(),
            Wanted::Script(command) => vec![format!("--script={command}")],
        }
    }

    /// How far results may be apart, if it is about that.
    fn within(&self) -> Option<f64> {
        match self {
            Wanted::Symptom(_, symptom) => symptom.within(),
            Wanted::Script(_) => None,
        }
    }
}

/// `A,B` or `A,B:0.001`.
#[derive(Clone, Debug)]
pub struct Pair(pub BackendName, pub BackendName, pub f64);

/// How far apart numbers may be where nobody said, as a part of their sizes.
pub const TOLERANCE: f64 = 1e-3;

/// Reads a [`Pair`].
pub fn pair(text: &str) -> std::result::Result<Pair, String> {
    let Some((a, b)) = text.split_once(',') else {
        return Err("two backends are needed, as in `eval,cpu` or `eval,jax:1e-4`".into());
    };
    let a = a.trim().parse()?;
    // What stands after a colon is a tolerance if it is a number, or if it is no device.
    let (name, number) = b.rsplit_once(':').unwrap_or((b, ""));
    match (number.trim().parse::<f64>(), b.trim().parse()) {
        (Ok(tolerance), _) if tolerance >= 0.0 && tolerance.is_finite() => Ok(Pair(a, name.trim().parse()?, tolerance)),
        (Err(_), Ok(b)) => Ok(Pair(a, b, TOLERANCE)),
        (_, of_all) => match name.trim().parse::<BackendName>() {
            Ok(_) => Err(format!("the tolerance `{number}` is no finite number from 0 on, as in `eval,jax:1e-4`")),
            Err(_) => of_all.map(|b| Pair(a, b, TOLERANCE)),
        },
    }
}

fn gibibytes(text: &str) -> std::result::Result<f64, String> {
    let is_size = |x: &f64| *x >= 0.0 && x.is_finite();
    text.parse().ok().filter(is_size).ok_or_else(|| "a number of gibibytes is needed, as in 0.5".into())
}

fn symptoms() -> [clap::Arg; 5] {
    [
        flag("crash").help("The process that runs it dies"),
        option("error", "REGEX", value_parser!(Pattern)).help("An error or panic whose message has this"),
        flag("nan").help("A NaN or an infinity in the results, of inputs that have none"),
        option("differs", "A,B[:TOLERANCE]", pair).help(
            "Two backends give other results, by more than this part of a number's size (0.001), as for `diff`. The first \
             is taken for right. Backends are as for `run`, and jax: XLA's CPU compiler, as pip's JAX has it",
        ),
        number("slow-compile", "SECONDS", seconds).help("Compiling takes at least so long"),
    ]
}

/// The symptom that was asked for: the death of the process, if no other was.
fn given_symptom(given: &mut ArgMatches) -> Symptom {
    if let Some(pattern) = given.remove_one("error") {
        Symptom::Error(pattern)
    } else if let Some(Pair(reference, other, tolerance)) = given.remove_one("differs") {
        Symptom::Differs { reference, other, tolerance }
    } else if let Some(seconds) = given.remove_one("slow-compile") {
        Symptom::SlowCompile(seconds)
    } else if given.get_flag("nan") {
        Symptom::NonFinite
    } else {
        Symptom::Crash
    }
}

impl Reduce {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let path = || value_parser!(PathBuf);
        let about = "Make a failing program small: find the smallest program that still fails in the same way";
        let script = option("script", "CMD", value_parser!(String)).help(
            "A command of the shell that ends with 0 for programs to keep. It is given the program's file as `$1`, in Wengert's own \
             form, and the file with its inputs as `$2`: its last arguments, if it names neither and has no pipe. It runs in a folder \
             of its own; paths of files in it count from this one",
        );
        let symptoms =
            symptoms().into_iter().chain([script]).map(|arg| arg.help_heading("What the failure is (one of these)"));
        Command::new("reduce").about(about).override_usage(USAGE).after_help(format!("{RESULTS}\n\n{EXIT_CODES}")).args(symptoms).group(
            ArgGroup::new("symptom").args(["crash", "error", "nan", "differs", "slow-compile", "script"]).required(true),
        ).args([
            file().help("The program: StableHLO text, Wengert's own, or a tape; `-` reads a program from the standard input"),
            option("input", "FILE", path()).help("The inputs, as for `run`; they are kept as they are where that matters")
                .num_args(0..).action(ArgAction::Append).conflicts_with_all(["random", "ones"]),
            number("random", "SEED", value_parser!(i64)).help("Draw the inputs").conflicts_with("ones"),
            flag("ones").help("Every element of every input is 1"),
            option("backend", "BACKEND", value_parser!(BackendName)).help("What runs the program: cpu unless said")
                .conflicts_with_all(["differs", "script"]),
            option("out-dir", "DIR", path()).help(
                "Where the smallest case is written, after every step: `reduced` unless said. It is a new folder, an empty one, or \
                 that of an earlier run, whose results are replaced",
            ),
            number("timeout", "SECONDS", seconds).help(
                "The longest that a candidate may take: 60 unless said; less once it is known how long a failure takes: 20 times \
                 that, and 0.3 s",
            ),
            number("memory", "GIB", gibibytes).help(
                "How much more memory than the program a candidate may take, on Linux: 4 unless said. A script has no limit",
            ),
            number("times", "N", |n: &str| count(n, 1_000_000)).help(
                "How often each candidate is run. Without it, one run each; more, if the program fails only sometimes",
            ),
            number("jobs", "N", |n: &str| count(n, 1024))
                .help("How many candidates run at once: as many as there are processors unless said")
                .short('j'),
            flag("resume").help("Go on from the smallest case in the folder of an earlier run, which was asked the same about the same program: inputs are as they are there"),
            force(),
            option("python", "PATH", value_parser!(String)).help("The interpreter that has JAX: `WENGERT_PYTHON`, or python3, unless said"),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Reduce {
        let backend: BackendName = given.remove_one("backend").unwrap_or_default();
        let pair = given.get_one::<Pair>("differs").cloned();
        let symptom = match given.remove_one::<String>("script") {
            Some(script) => Wanted::Script(script),
            None => {
                let symptom = given_symptom(given);
                Wanted::Symptom(symptom.arguments(), symptom)
            }
        };
        Reduce {
            file: given_file(given),
            input: given_list(given, "input"),
            random: given.remove_one("random"),
            ones: given.get_flag("ones"),
            symptom,
            pair,
            backend,
            out_dir: given.remove_one("out-dir").unwrap_or_else(|| "reduced".into()),
            timeout: given.remove_one("timeout").unwrap_or(60.0),
            memory: given.remove_one("memory").unwrap_or(4.0),
            times: given.remove_one("times"),
            jobs: given
                .remove_one("jobs")
                .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, |n| n.get())),
            resume: given.get_flag("resume"),
            force: given.get_flag("force"),
            python: given.remove_one("python"),
        }
    }

    /// Reduces the program.
    pub fn perform(&self) -> Result<(), Failure> {
        if let Some(python) = &self.python {
            // SAFETY: nothing else runs in this process yet.
            unsafe { std::env::set_var(PYTHON_VARIABLE, python) };
        }
        end_what_is_left();
        let running = Running::new();
        match &self.pair {
            Some(Pair(a, b, _)) => [a, b].into_iter().try_for_each(|backend| running.check(backend))?,
            None if matches!(self.symptom, Wanted::Symptom(..)) => running.check(&self.backend)?,
            None => {}
        }
        drop(running);
        let folder = &self.out_dir;
        let reads = [&self.file].into_iter().chain(&self.input).filter(|_| !self.resume);
        let results = ResultFolder::new(folder, self.jobs);
        results.check(&Outputs::new(reads, self.force))?;
        let (mut case, question, lacks) = match self.start()? {
            Start::Program(case, question, lacks) => (case, question, lacks),
            Start::Calls(calls, pattern) => return self.reduce_calls(calls, &pattern, results),
        };
        if let Wanted::Symptom(_, symptom) = &self.symptom
            && let Err(e) = symptom.check(&case)
        {
            let none = || e.clone().note("none is made of finite numbers, whatever these are");
            case = self.of_finite(&case).ok_or_else(none)?;
            eprintln!("{}: what is reduced is the part that makes one of finite numbers", e.message());
        }
        let no_folder = |e: std::io::Error| Error::new(ErrorKind::File, e.to_string()).within(folder.display());
        let results = results.lock()?;
        // What lies in the folder goes, and the report comes, whoever ends this.
        interrupt::watch();
        let limit = Duration::from_secs_f64(self.timeout.clamp(0.01, 1e6));
        let mut note = Vec::new();
        let mut learned_test = None;
        let mut script = None;
        match &self.symptom {
            Wanted::Script(command) => {
                let folders = results.scratch().to_vec();
                folders.iter().try_for_each(std::fs::create_dir_all).map_err(no_folder)?;
                let learned = script.insert(ScriptPool::new(command, folders, limit)).learn(&case, self.times)?;
                note.extend(by_chance(&learned));
            }
            Wanted::Symptom(arguments, symptom) => {
                let test = WorkerTest::new(self.worker(arguments)?, symptom.sign(), symptom.limit(limit));
                let test = test.with_more_memory((self.memory.max(0.0) * f64::from(1 << 30)) as u64);
                let own = || self.worker(arguments);
                drop(own()?);
                let mut pool = WorkerPool::new(test, self.jobs, || own().expect("asked before"));
                let running = Running::new();
                running.first_run();
                let learned = pool.learn(&case, self.times);
                drop(running);
                let learned = learned.map_err(|e| {
                    // What happened instead says more, and so does what can't happen.
                    let is_told = interrupt::is_asked() || !e.notes().is_empty() || lacks.is_some();
                    let absent = (!is_told).then(|| symptom.absent());
                    absent.into_iter().chain(lacks).fold(e, Error::note)
                })?;
                let running = Running::new();
                running.looks_for_rounding();
                // A side that can't be asked here was asked by the workers. What was reduced before is small.
                let rounding = match self.resume {
                    false => symptom.rounding_alone(&learned.signature, &case, ROUNDING_LIMIT).unwrap_or(None),
                    true => None,
                };
                drop(running);
                if let Some(why) = rounding {
                    let m = "the program does not fail as was said";
                    return Err(Error::new(ErrorKind::Run, m).note(why).into());
                }
                note.push(format!("it fails with: {}", learned.signature));
                note.extend(by_chance(&learned));
                learned_test = Some((pool, arguments));
            }
        }
        for line in &note {
            eprintln!("{line}");
        }
        eprintln!("{FROM}{}", case.size());
        // From here on there is something to resume from.
        let comments = question.comments();
        save(&case, folder, "reduced", &comments)?;
        let earlier = EarlierSteps::take(folder, self.resume);
        let mut shown = Shown::new();
        let mut saved = Ok(());
        let start = case.clone();
        let test: &mut dyn Test = match (&mut script, &mut learned_test) {
            (Some(script), _) => script,
            (None, Some((test, _))) => test,
            (None, None) => unreachable!("clap asks for a symptom"),
        };
        let found = reduce(case, test, &mut |p| {
            shown.progress(&p);
            if p.is_smaller {
                saved = save(p.best, folder, "reduced", &comments).map(|_| ());
            }
            saved.is_ok() && !interrupt::is_asked()
        })?;
        shown.end();
        saved.map_err(|e| {
            e.note("reduced.wg and reduced.safetensors are the smallest program before that, and its inputs")
        })?;
        // What fails by chance may have been found out on the way.
        let learned = match (&script, &learned_test) {
            (Some(script), _) => script.learned(),
            (None, pool) => pool.as_ref().and_then(|(pool, _)| pool.test().learned()),
        };
        if let Some(line) = learned.as_ref().and_then(by_chance).filter(|line| !note.contains(line)) {
            eprintln!("{line}");
            note.push(line);
        }
        if let (Some((test, arguments)), Outcome::Minimal) = (&learned_test, &found.outcome)
            && (self.backend.name() == "cpu" || arguments.iter().any(|a| a.contains("cpu")))
        {
            // Whatever ends this, what was found is written.
            let unknown = |e: Error| Some(format!("which part of the compiler it needs is not known: {}", e.message()));
            let blamed = self.blamed(test.test(), arguments, &found.best).unwrap_or_else(unknown);
            blamed.iter().for_each(|line| eprintln!("{line}"));
            note.extend(blamed);
        }
        self.finish(&start, &found, &comments, earlier, &note)?;
        match found.outcome {
            Outcome::Failed(e) => Err(e.note(format!("the smallest case so far is in {}", folder.display())).into()),
            Outcome::Stopped if interrupt::is_asked() => {
                let e = Error::new(ErrorKind::Run, "it was interrupted before nothing more went");
                Err(e.note(format!("what to do: `--resume` goes on from what is in {}", folder.display())).into())
            }
            Outcome::Minimal | Outcome::Stopped => Ok(()),
        }
    }

    /// Whether nothing was asked for that goes for programs alone: other inputs, a backend, a number of runs.
    fn takes_calls(&self) -> bool {
        let other_inputs = !self.input.is_empty() || self.random.is_some() || self.ones;
        !other_inputs && self.times.is_none() && self.backend.name() == BackendName::default().name()
    }

    /// What there is to reduce.
    fn start(&self) -> Result<Start, Failure> {
        let (path, input) = match self.resume {
            true => (self.out_dir.join("reduced.wg"), vec![self.out_dir.join("reduced.safetensors")]),
            false => (self.file.clone(), self.input.clone()),
        };
        if self.resume && !path.exists() {
            let e = Error::new(ErrorKind::File, format!("there is nothing to go on from: no `{}`", path.display()));
            let e = match self.out_dir.join("reduced.rs").exists() {
                true => e.note("what is there are the calls of a run, which are reduced from the beginning each time"),
                false => e,
            };
            return Err(e.note("what to do: begin without `--resume`, or name the folder with `--out-dir`").into());
        }
        let is_input = self.file.as_os_str() == "-";
        if self.resume && !is_input && !self.file.exists() {
            return Err(Error::new(ErrorKind::File, format!("there is no `{}`", self.file.display())).into());
        }
        if self.resume {
            eprintln!("goes on from {}, and not from {}", path.display(), self.file.display());
        }
        let source = Source::read(&path)?;
        // What is no file, such as a pipe, is read once.
        let again = if self.resume && is_input { Some(Source::read(&self.file)?) } else { None };
        let read = again.as_ref().or((!self.resume).then_some(&source)).filter(|_| !self.file.is_file());
        let text = read.map(|source| source.text.as_str());
        let question = Question::new(&self.file, text, &self.symptom.arguments(&self.backend))?;
        if self.resume {
            question.check(&source.text, &self.out_dir, &self.file)?;
        }
        let mut lacks = None;
        if let Some(run) = &source.recorded
            && let Some(RecordedError { message, .. }) = RecordedError::of_tape(run.tape())
        {
            eprintln!("the recorded run failed: {message}");
            let is_missing = matches!(run.straight.failure(), Some(Err(_))) || lacks_code(&source.program);
            let pattern = match &self.symptom {
                Wanted::Symptom(_, Symptom::Error(pattern)) => Some(pattern),
                _ => None,
            };
            if let Some(pattern) = pattern.filter(|pattern| !pattern.is_in(&message)) {
                eprintln!("its message does not have `{pattern}`");
            }
            if is_missing
                && let Some(pattern) = pattern.filter(|pattern| pattern.is_in(&message))
                && let Some(calls) = CallTree::of_tape(run.tape()).ok().and_then(FailedCalls::new)
            {
                if self.takes_calls() {
                    eprintln!("what is reduced are the calls that led there: no program of ops fails so");
                    return Ok(Start::Calls(calls, pattern.clone()));
                }
                eprintln!(
                    "the calls that led there are reduced where no other inputs, backend or number of runs are asked for"
                );
            }
            eprintln!("what is reduced is what it did {}", run.end());
            lacks = is_missing.then(|| {
                let name = path.display();
                format!(
                    "what to do: `wengert emit {name} --to rust`, or `--to jax`, writes the run with what failed, which this \
                     program can't do"
                )
            });
        }
        let inputs = match (self.random.filter(|_| !self.resume), self.ones && !self.resume) {
            (Some(seed), _) => Inputs::Random(seed),
            (None, true) => Inputs::Ones,
            (None, false) => Inputs::Files(input),
        };
        let values = inputs.values(&source).map_err(|e| Failure::within(e, &source.name, &source.text))?;
        let has_inputs = !matches!(&inputs, Inputs::Files(files) if files.is_empty());
        if let Some(run) = source.recorded.as_ref().filter(|_| has_inputs) {
            run.say_decisions();
        }
        Ok(Start::Program(Case::new(source.program, values)?, question, lacks))
    }

    /// Reduces the calls of a run that failed where no program can. What is smallest so far is on disk.
    fn reduce_calls(&self, calls: FailedCalls, pattern: &Pattern, results: ResultFolder) -> Result<(), Failure> {
        let results = results.lock()?;
        let folder = &self.out_dir;
        interrupt::watch();
        let start = calls.size();
        let limit = Duration::from_secs_f64(self.timeout.clamp(0.01, 1e6));
        let (mut shown, mut missing, mut saved, mut unsaved) = (Shown::new(), Ok(Vec::new()), Instant::now(), false);
        let found = reduce_calls(calls, &|message| pattern.is_in(message), limit, &mut |p| {
            shown.line(p.pass, &p.best.size(), p.candidates);
            unsaved |= p.is_smaller;
            if p.candidates == 1 {
                // From here on there is something to hand on.
                let _ = std::fs::remove_file(folder.join(REPORT));
                eprintln!("it fails with: {}\n{FROM}{start}", p.best.message());
            }
            if p.candidates == 1 || unsaved && saved.elapsed() > BETWEEN_SAVES {
                missing = save_calls(&p.best.run(), folder, "reduced");
                (saved, unsaved) = (Instant::now(), false);
            }
            missing.is_ok() && !interrupt::is_asked()
        });
        shown.end();
        let emit = || {
            let name = self.file.display();
            format!("what to do: `wengert emit {name} --to rust`, or `--to jax`, writes the run with what failed")
        };
        let found = found.map_err(|e| e.note(emit()))?;
        let whole =
            |e: Error| e.note("reduced.rs and reduced.py, as far as they are there, are the smallest run before that");
        if missing.is_ok() {
            missing = save_calls(&found.best.run(), folder, "reduced");
        }
        let missing = missing.map_err(whole)?;
        let (size, candidates) = (found.best.size(), counted(found.candidates, "candidate"));
        let ended = if found.is_minimal { "nothing more goes" } else { "stopped" };
        let mut report = format!("{RESULT_MARK}\nit fails with: {}\n{FROM}{start}\n", found.best.message());
        found.steps.iter().for_each(|(pass, size, at)| report += &format!("{at:>8} {pass:<8} {size}\n"));
        report += &format!("{ended}: {size} after {candidates}\n");
        missing.iter().for_each(|line| report += &format!("{line}\n"));
        save_text(&folder.join(REPORT), &report).map_err(whole)?;
        drop(results);
        if !found.is_minimal {
            let e = Error::new(ErrorKind::Run, "it was interrupted before nothing more went");
            return Err(e.note(format!("the smallest run so far is in {}", folder.display())).into());
        }
        match wengert_emit::rust(&found.best.run(), &Options::default()) {
            Ok(emitted) => say(format_args!("{}\n", emitted.text.trim_end()))?,
            Err(e) => eprintln!("no Rust of it: {}", e.message()),
        }
        eprintln!("{ended}: {size} after {candidates}; in {}", folder.display());
        Ok(())
    }

    /// The part of a case that gives NaN or an infinity of finite numbers, with these; none if there is none.
    fn of_finite(&self, case: &Case) -> Option<Case> {
        let compile = |p: Program| self.backend.compile(&p, Compiling::default(), |_, _| Ok(()));
        let (program, inputs) = wengert::repro::made_of_finite(case.program(), case.inputs(), &compile)?;
        Case::new(program, inputs).ok()
    }

    /// Which parts of our own compiler a failure goes away without.
    fn blamed(&self, test: &WorkerTest, arguments: &[String], case: &Case) -> Result<Option<String>> {
        let fails_with = |setting: Option<(&'static str, String)>| {
            let mut start = self.worker(arguments)?;
            let mut test = test.by(move || {
                let mut command = start();
                command.envs(setting.clone());
                command
            });
            test.is_interesting(case)
        };
        // What a new process does not show goes away without anything.
        if !fails_with(None)? {
            return Ok(None);
        }
        let rewrite = |r: &Rewrite| ("WENGERT_REWRITES", format!("{}=off", r.as_str()));
        let native = ("WENGERT_NATIVE", "off".to_string());
        let mut found = Vec::new();
        for (name, value) in Rewrite::ALL.iter().map(rewrite).chain([native]) {
            if !fails_with(Some((name, value.clone())))? {
                found.push(format!("{name}={value}"));
            }
        }
        Ok((!found.is_empty()).then(|| format!("it does not fail with {}", found.join(", nor with "))))
    }

    /// How a worker is started.
    fn worker(&self, arguments: &[String]) -> Result<impl FnMut() -> std::process::Command + Send + 'static> {
        let own = std::env::current_exe();
        let own =
            own.map_err(|e| Error::new(ErrorKind::Run, format!("this command does not know its own file: {e}")))?;
        let (arguments, backend) = (arguments.to_vec(), self.backend.name().to_string());
        Ok(move || {
            let mut command = std::process::Command::new(&own);
            command.arg(WORKER).args(&arguments).args(["--backend", &backend]);
            command
        })
    }

    /// Writes what came out in all forms, and the report.
    fn finish(
        &self,
        start: &Case,
        found: &Reduction,
        comments: &str,
        earlier: EarlierSteps,
        note: &[String],
    ) -> Result<()> {
        let folder = &self.out_dir;
        let whole = |e: Error| {
            let m = "reduced.wg and reduced.safetensors are the smallest program and its inputs; of the files beside them, some may be \
                     missing: `--resume` writes them all once there is room";
            e.note(m)
        };
        let missing = save_all(&found.best, folder, "reduced", comments, self.symptom.within()).map_err(whole)?;
        let mut report = format!("{RESULT_MARK}\n");
        note.iter().for_each(|line| report += &format!("{line}\n"));
        report += &earlier.0;
        report += &format!("{FROM}{}\n", start.size());
        for step in &found.steps {
            report += &format!("{:>8} {:<8} {}\n", step.candidates, step.pass, step.size);
        }
        let ended = match &found.outcome {
            Outcome::Minimal => "nothing more goes".to_string(),
            Outcome::Stopped => "stopped".to_string(),
            Outcome::Failed(e) => format!("the test failed: {}", e.message()),
        };
        let candidates = counted(found.candidates, "candidate");
        report += &format!("{ended}: {} after {candidates}\n", found.best.size());
        missing.iter().for_each(|line| report += &format!("{line}\n"));
        save_text(&folder.join(REPORT), &report).map_err(whole)?;
        say(format_args!("{}\n", found.best.program().to_string().trim_end()))?;
        eprintln!("{ended}: {} after {candidates}; in {}", found.best.size(), folder.display());
        Ok(())
    }
}

/// How long the smallest calls may be on no disk.
const BETWEEN_SAVES: Duration = Duration::from_millis(200);

/// The file of the report.
const REPORT: &str = "report.txt";

/// What a report has before the size that a run began with.
const FROM: &str = "from ";

/// The steps of the runs that this one goes on from, as their report has them.
struct EarlierSteps(String);

impl EarlierSteps {
    /// Those in a folder. Where a run begins anew, the report of another one goes.
    fn take(folder: &Path, is_resumed: bool) -> EarlierSteps {
        let path = folder.join(REPORT);
        if !is_resumed {
            let _ = std::fs::remove_file(path);
            return EarlierSteps(String::new());
        }
        let report = std::fs::read_to_string(path).unwrap_or_default();
        let steps = report.lines().filter(|line| line.starts_with(' ') || line.starts_with(FROM));
        EarlierSteps(steps.map(|line| format!("{line}\n")).collect())
    }
}

/// What is said of a program that fails in some of its runs.
fn by_chance(learned: &Learned) -> Option<String> {
    let Learned { failed, tries, times, .. } = learned;
    (failed < tries).then(|| format!("in {failed} of {}: each candidate is run {times} times", counted(*tries, "run")))
}

/// How long it may take to find out that two sides part by rounding alone.
const ROUNDING_LIMIT: Duration = Duration::from_secs(60);

/// The subcommand of the processes that candidates run in.
const WORKER: &str = "reduce-worker";

/// A process that candidates run in.
pub struct Worker {
    symptom: Symptom,
    backend: BackendName,
}

impl Worker {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let backend = option("backend", "BACKEND", value_parser!(BackendName));
        Command::new(WORKER).hide(true).args(symptoms()).arg(backend)
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Worker {
        let backend = given.remove_one("backend").unwrap_or_default();
        let symptom = given_symptom(given);
        Worker { symptom, backend }
    }

    /// Answers until nothing more is asked.
    pub fn perform(&self) -> Result<(), Failure> {
        // What a candidate says when it panics is nobody's business.
        std::panic::set_hook(Box::new(|_| ()));
        serve(&self.symptom, &self.backend).map_err(|e| Error::new(ErrorKind::Run, e.to_string()).into())
    }
}
