//! Tapes as programs: what a recorded run takes, what it took then, and whether the host would decide the same again.

use crate::failure::Failure;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use wengert::tape::{Kind, NodeRef, ResultId, StraightProgram};
use wengert::{Node, Tape};
use wengert_core::{Error, ErrorKind, Result, Tensor};
use wengert_emit::{Options, RecordedError, Run};
use wengert_repro::files::compared_by;

/// The bytes of a tape from the fifth on, as the schema of tapes has them.
const IDENTIFIER: &[u8] = b"WGTP";

/// Whether these are the first bytes of a tape.
pub fn is_tape(bytes: &[u8]) -> bool {
    bytes.get(4..8) == Some(IDENTIFIER)
}

/// A tape, all of which is as it was written.
pub fn sound_tape(path: &Path) -> Result<Tape, Failure> {
    let tape = Tape::open(path).map_err(Failure::of_tape)?;
    tape.verify().map_err(|e| Failure::of_tape(e.within(path.display())))?;
    check_any(&tape, path)?;
    Ok(tape)
}

/// An error if a tape holds no run: under `WENGERT_TAPE`, such a one is there until the process ends.
pub fn check_any(tape: &Tape, path: &Path) -> Result<()> {
    if !tape.is_empty() || tape.root().function() != Tape::default().root().function() {
        return Ok(());
    }
    let m =
        "the tape is empty: the process ended before it was saved (it crashed, or was killed), or nothing was recorded";
    let e = Error::new(ErrorKind::Run, m).within(path.display());
    Err(e.note(
        "what to do: run it with `WENGERT_REPRO_DIR=failures`, which leaves what was about to run where a process dies",
    ))
}

/// These options, with what the program of a recorded run says of its results, which are at these places, as far as there is one
/// and its inputs were kept.
pub fn compared_by_tape(run: &Run, results: &[ResultId], tape: &Tape, options: Options) -> Options {
    // What a process gives may be no op's result, and the program of all that it did has others.
    let straight = if results.is_empty() { tape.to_program() } else { tape.program_of(results) };
    let Ok(straight) = straight else { return options };
    let kept = |&(node, out)| tape.node(node).read(out).ok().flatten();
    let inputs: Option<Vec<Tensor>> = straight.inputs().iter().map(kept).collect();
    match inputs {
        Some(x) => compared_by(run, &straight.program(), &x, options),
        None => options,
    }
}

/// A run, and the program that it was.
pub struct RecordedRun {
    tape: Tape,
    pub straight: StraightProgram,
}

impl RecordedRun {
    /// Whether a file is a tape, by its name or its first bytes.
    pub fn is_at(path: &Path) -> bool {
        let mut head = [0; 8];
        // Only a file is read twice.
        path.is_file()
            && (path.extension().is_some_and(|e| e == "tape")
                || File::open(path).and_then(|mut f| f.read_exact(&mut head)).is_ok_and(|()| is_tape(&head)))
    }

    /// Opens a tape, looks whether all of it is as it was written, and makes a program of its run.
    pub fn open(path: &Path) -> Result<RecordedRun, Failure> {
        let tape = sound_tape(path)?;
        let straight = tape.to_program().map_err(|e| e.within(path.display()))?;
        Ok(RecordedRun { tape, straight })
    }

    /// The tape.
    pub fn tape(&self) -> &Tape {
        &self.tape
    }

    /// An error if the run failed. A program holds what was done before that.
    pub fn check_ended(&self, path: &Path) -> Result<(), Failure> {
        let Some(RecordedError { message, place }) = RecordedError::of_tape(&self.tape) else { return Ok(()) };
        let e = Error::new(ErrorKind::Run, format!("the recorded run failed: {message}")).at(place);
        let e = e.note(format!("a program holds what the run did {}", self.end()));
        let name = path.display();
        Err(e
            .note(format!("what to do: `wengert emit {name} --to rust`, or `--to jax`, writes the failure too"))
            .into())
    }

    /// How far the program of a run that failed goes.
    pub fn end(&self) -> String {
        match self.straight.failure() {
            Some(Ok(node)) => format!("up to the op that failed ({node})"),
            Some(Err(why)) => format!("before that, and no more: {why}"),
            None => "before that, and no more".to_string(),
        }
    }

    /// The names of the inputs: of variables where no two inputs have the same, and numbers of nodes otherwise.
    pub fn input_names(&self) -> Vec<String> {
        let all = || self.straight.inputs().iter().map(|&(node, out)| (self.tape.node(node), out));
        let mut counts = BTreeMap::<&str, usize>::new();
        all().filter_map(|(n, _)| n.name()).for_each(|name| *counts.entry(name).or_default() += 1);
        let called = |(n, out): (Node<'_>, usize)| match n.name().filter(|name| counts[name] == 1) {
            Some(name) => name.to_string(),
            None => NodeRef { node: n, out }.to_string(),
        };
        all().map(called).collect()
    }

    /// The value of an input in the recorded run, if it was kept.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn input(&self, i: usize) -> Result<Option<Tensor>> {
        let (node, out) = self.straight.inputs()[i];
        self.tape.node(node).read(out)
    }

    /// An error if the host would have read other values with these inputs: the program has its decisions as they were.
    pub fn check_on(&self, inputs: Vec<Tensor>) -> Result<()> {
        self.check_given(&inputs)?;
        let outputs = wengert_eval::run(self.straight.guarded_program(), inputs)?;
        self.check(outputs).map(drop)
    }

    /// An error if the host read what may be something else with these inputs.
    pub fn check_given(&self, inputs: &[Tensor]) -> Result<()> {
        self.straight.check_given(inputs).map_err(unguarded)
    }

    /// Says of a run on other inputs that the host decides nothing anew in it, if it decided anything.
    pub fn say_decisions(&self) {
        if self.straight.guarded_program().outputs().len() > self.straight.program().outputs().len() {
            eprintln!(
                "the host read values in the recorded run, and what it decided by them stays as it was: `wengert run` with these \
                 inputs says whether it would read others"
            );
        }
    }

    /// The results among what the program with its guards gave, if the host would have read the same values.
    pub fn check(&self, outputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let results = self.straight.check(outputs).map_err(unguarded)?;
        for node in self.straight.unchecked() {
            let n = self.tape.node(node);
            let place = if n.place().is_unknown() { String::new() } else { format!(" at {}", n.place()) };
            let what = if n.kind() == Kind::Call { "used beside its arguments" } else { "read" };
            eprintln!("not checked: what `{}` ({node}){place} {what}", n.function());
        }
        Ok(results)
    }
}

/// The error, with the way around it.
fn unguarded(e: Error) -> Error {
    e.note("`--unguarded` takes it with the decisions of the host as they were")
}
