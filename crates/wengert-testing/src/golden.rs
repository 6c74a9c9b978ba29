//! The files of `wengert-core/tests/programs/`: each is a header of steps, a program, and after `====` what the steps make
//! of it.
//!
//! Steps are written one a line and work on what the one before gave:
//!
//! - `test text`: parse and print;
//! - `test simplify`, `test simplify fold algebra`: all passes, or these once;
//! - `test jvp 1 0`, `test vjp 1 0`: derivative for the inputs marked 1;
//! - `test linearize 1 0`: both halves;
//! - `test transpose 0 1`: linear in the inputs marked 1;
//! - `test batch 5 1 0`: over a batch of 5 for the inputs marked 1.

use std::path::{Path, PathBuf};
use wengert_core::simplify::{Pass, Simplifier, stack_less};
use wengert_core::{Program, Result, transform};

const BAR: &str = "====\n";

/// One of the files.
#[derive(Debug)]
pub struct Golden {
    path: PathBuf,
    /// The header and the program.
    input: String,
    /// What the steps made of it when somebody last looked.
    pub expected: String,
}

/// The programs after a step.
#[derive(Debug)]
pub struct Stage {
    /// The step; nothing for the program as it is written.
    pub step: String,
    /// What it gave.
    pub programs: Vec<Program>,
}

impl Golden {
    /// All files, by name.
    pub fn all() -> Vec<Golden> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../wengert-core/tests/programs");
        let entries = std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path());
        let mut paths: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "wg")).collect();
        paths.sort();
        assert!(!paths.is_empty());
        paths.into_iter().map(Golden::read).collect()
    }

    fn read(path: PathBuf) -> Golden {
        let file = std::fs::read_to_string(&path).expect("a readable file");
        let (input, expected) = file.split_once(BAR).unwrap_or((&file, ""));
        Golden { path, input: input.into(), expected: expected.into() }
    }

    /// What the file is called.
    pub fn name(&self) -> String {
        self.path.file_stem().expect("a name").to_string_lossy().into_owned()
    }

    /// Writes what was found as what is expected.
    pub fn bless(&self, found: &str) {
        std::fs::write(&self.path, format!("{}\n{BAR}{found}", self.input.trim_end())).expect("a writable file");
    }

    /// The program and what each step makes of it; ends with the first error.
    pub fn stages(&self) -> impl Iterator<Item = Result<Stage>> {
        let (header, text) = self.input.split_at(self.input.find("\nprogram").map_or(self.input.len(), |i| i + 1));
        let mut steps = header.lines().filter_map(|l| l.strip_prefix("test "));
        let mut last: Option<Program> = None;
        let mut failed = false;
        std::iter::from_fn(move || {
            let made = match &last {
                _ if failed => return None,
                None => (String::new(), Program::parse(text).map(|p| vec![p])),
                Some(p) => {
                    let line = steps.next()?;
                    (line.to_string(), step(p, &line.split_whitespace().collect::<Vec<_>>()))
                }
            };
            failed = made.1.is_err();
            last = made.1.as_ref().ok().and_then(|p| p.first().cloned());
            Some(made.1.map(|programs| Stage { step: made.0, programs }))
        })
    }
}

fn flags(words: &[&str]) -> Vec<bool> {
    words.iter().map(|w| *w == "1").collect()
}

fn step(program: &Program, words: &[&str]) -> Result<Vec<Program>> {
    let (&command, args) = words.split_first().expect("a header line names a step");
    let outputs = program.outputs().len();
    Ok(vec![match command {
        "text" => program.clone(),
        "simplify" if args.is_empty() => Simplifier::default().run(program),
        "simplify" => {
            let passes: Vec<Pass> = args.iter().map(|a| Pass::from_name(a).expect("a pass")).collect();
            Simplifier::new(&passes).run(program)
        }
        "stack_less" => stack_less(program),
        "jvp" => transform::jvp(program, &flags(args))?.0,
        "vjp" => transform::vjp(program, &flags(args))?,
        "linearize" => {
            let halves = transform::linearize(program, &flags(args), &vec![false; outputs])?;
            return Ok(vec![halves.forward.with_name("forward"), halves.linear.with_name("linear")]);
        }
        "transpose" => transform::transpose(program, &flags(args), &vec![true; outputs])?.0,
        "batch" => {
            let size = args[0].parse().expect("the size of the batch");
            transform::batch(program, size, None, &flags(&args[1..]), &vec![false; outputs])?.0
        }
        _ => panic!("there is no step `{command}`"),
    }])
}
