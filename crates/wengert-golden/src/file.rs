//! The files of `programs/`: reading them, running their steps, and writing what came out.
//! Positions in messages are those of the file.

use crate::steps::{Args, Input, Step, step};
use crate::{Failure, Stage};
use std::path::{Path, PathBuf};
use wengert_core::{Program, Tensor};

const BAR: &str = "====\n";

/// One of the files.
#[derive(Debug)]
pub struct Golden {
    path: PathBuf,
    /// All before the bar.
    input: String,
    /// The text after the bar: what the steps gave when somebody last looked.
    pub expected: String,
}

/// All above the program.
struct Header<'a> {
    /// Each step, with its line and the words after `test`.
    steps: Vec<(&'static dyn Step, usize, &'a str)>,
    inputs: Vec<Input>,
}

impl Golden {
    /// All files, by name.
    pub fn all() -> Vec<Golden> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let entries = std::fs::read_dir(folder).expect("the folder").map(|e| e.expect("an entry").path());
        let mut paths: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "wg")).collect();
        paths.sort();
        assert!(!paths.is_empty());
        let read = |path: PathBuf| {
            let text = std::fs::read_to_string(&path).expect("a readable file");
            Golden::new(path, &text)
        };
        paths.into_iter().map(read).collect()
    }

    /// The file with this text.
    pub fn new(path: impl Into<PathBuf>, text: &str) -> Golden {
        let (input, expected) = text.split_once(BAR).unwrap_or((text, ""));
        Golden { path: path.into(), input: input.into(), expected: expected.into() }
    }

    /// What the file is called.
    pub fn name(&self) -> String {
        self.path.file_stem().expect("a name").to_string_lossy().into_owned()
    }

    /// Writes this text as the expected one.
    pub fn bless(&self, found: &str) {
        std::fs::write(&self.path, format!("{}\n{BAR}{found}", self.input.trim_end())).expect("a writable file");
    }

    /// The values of the `input` lines.
    pub fn inputs(&self) -> Result<Vec<Tensor>, Failure> {
        Ok(self.header()?.inputs.into_iter().map(|i| i.value).collect())
    }

    /// Runs the steps, and gives what the last one gave. `see` gets the program as it is written and what each step
    /// gives, with the step.
    pub fn run(&self, mut see: impl FnMut(&str, &Stage)) -> Result<Stage, Failure> {
        let header = self.header()?;
        let (above, _) = self.parts();
        let program = Program::parse(&self.alone(above.len(), self.input.len()))?;
        sound(&program).map_err(|why| Failure::Broken(format!("{}: the program {why}", self.file())))?;
        let mut stage = Stage::from(program);
        see("", &stage);
        for (step, line, written) in header.steps {
            let args = Args {
                file: &self.file(),
                line,
                step: step.name(),
                words: written.split_whitespace().skip(1).collect(),
                inputs: &header.inputs,
            };
            stage = step.run(&stage, &args)?;
            let sound = stage.programs().iter().try_for_each(sound);
            sound.map_err(|why| args.mistake(format!("gives a program that {why}")))?;
            see(written, &stage);
        }
        Ok(stage)
    }

    /// How messages name the file.
    fn file(&self) -> String {
        format!("programs/{}.wg", self.name())
    }

    /// The header, and the program.
    fn parts(&self) -> (&str, &str) {
        let starts = |at: &usize| self.input[*at..].starts_with("program");
        let lines = std::iter::once(0).chain(self.input.match_indices('\n').map(|(i, _)| i + 1));
        self.input.split_at(lines.into_iter().find(starts).unwrap_or(self.input.len()))
    }

    /// This part of the text with only blanks before it: positions in it are positions in the file.
    fn alone(&self, start: usize, end: usize) -> String {
        let blank = |c| if c == '\n' { c } else { ' ' };
        self.input[..start].chars().map(blank).chain(self.input[start..end].chars()).collect()
    }

    fn header(&self) -> Result<Header<'_>, Failure> {
        let mut header = Header { steps: Vec::new(), inputs: Vec::new() };
        let (above, program) = self.parts();
        let mistake =
            |line: usize, what: &str| Err(Failure::Broken(format!("{}:{line}: {}", self.file(), what.trim_end())));
        let mut end = 0;
        for (i, written) in above.split_inclusive('\n').enumerate() {
            end += written.len();
            let (line, text) = (i + 1, written.trim());
            let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
            match word {
                "" => {}
                _ if text.starts_with("//") => {}
                "test" => match step(rest.split_whitespace().next().unwrap_or("")) {
                    Ok(step) => header.steps.push((step, line, rest.trim())),
                    Err(what) => return mistake(line, &what),
                },
                "input" => {
                    // The error names the line itself.
                    let value = Tensor::parse(&self.alone(end - written.trim_start().len() + word.len(), end));
                    let value = value.map_err(|e| Failure::Broken(format!("{}: {e}", self.file())))?;
                    header.inputs.push(Input { line, value });
                }
                _ => return mistake(line, "a header has lines `test STEP`, `input VALUE` and `// COMMENT`"),
            }
        }
        let last = above.lines().count() + 1;
        if program.is_empty() {
            return mistake(last, "there is no program");
        }
        if header.steps.is_empty() {
            return mistake(last, "no line `test STEP` above the program");
        }
        match header.inputs.first() {
            Some(input) if !header.steps.iter().any(|(step, ..)| step.reads_inputs()) => {
                mistake(input.line, "no step reads this input")
            }
            _ => Ok(header),
        }
    }
}

/// What holds of each program that is read or that a step gives: it verifies, and its text reads back to itself.
fn sound(program: &Program) -> Result<(), String> {
    let text = program.to_text();
    program.verify().map_err(|e| format!("does not verify: {e}\n{text}"))?;
    let again = Program::parse(&text).map_err(|e| format!("has a text that does not parse: {e}\n{text}"))?;
    match again.to_text() == text {
        true => Ok(()),
        false => Err(format!("has a text that reads back as another program:\n{text}{}", again.to_text())),
    }
}
