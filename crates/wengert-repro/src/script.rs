//! A script of the user's as the test: it is given the program's file, and ends with 0 where the case is interesting.

use crate::case::Case;
use crate::group::Group;
use crate::interrupt;
use crate::pool::{RepeatedTest, confirm, falls_short};
use crate::rate::FailureRate;
use crate::reduce::{Test, first_at_once};
use crate::worker::Learned;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Program, Result};
use wengert_emit::files::save_program;

/// A command of the shell that is run in a folder of its own, with the program as `$1` and its inputs as `$2`; they are its last
/// arguments, where it does not say otherwise.
pub struct ScriptTest {
    command: String,
    folder: PathBuf,
    limit: Duration,
    /// The content of the case to begin with, which is not looked at again.
    learned: Option<u64>,
    rate: FailureRate,
}

/// How a case fails that the script finds interesting.
const SIGNATURE: &str = "the script succeeds";

/// How a script ended.
enum ScriptEnd {
    /// By itself or by a signal.
    Ended(ExitStatus),
    /// It took too long, and was ended.
    TooLong,
}

/// What becomes of what a script writes.
#[derive(Clone, Copy)]
enum Output {
    Dropped,
    Kept,
}

/// The file beside a candidate that has what the script wrote.
const SAID: &str = ".candidate.said.tmp";

/// The command with the files as its last arguments, unless it says itself where they go, or has a pipe.
fn with_files(command: &str) -> String {
    let says = ["$1", "$2", "${1", "${2", "$@", "$*"].iter().any(|part| command.contains(part));
    if says || has_pipe(command) { command.into() } else { format!("{command} \"$@\"") }
}

/// Whether what one command writes goes to the next, outside of quotes.
fn has_pipe(command: &str) -> bool {
    let (mut plain, mut quote) = (String::new(), None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None | Some('"'), '\\') => _ = chars.next(),
            (Some(q), c) if c == q => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, c) => plain.push(c),
            _ => {}
        }
    }
    plain.replace("||", "").contains('|')
}

/// A command whose paths of files count from where this process is: the script runs in another folder.
fn from_anywhere(command: &str) -> String {
    let absolute = |word: &str| match word.contains(['/', '.']).then(|| std::path::absolute(word)) {
        Some(Ok(path)) if path.is_file() && !word.contains(['\'', '"', '$', '\\']) => {
            format!("'{}'", path.display().to_string().replace('\'', "'\\''"))
        }
        _ => word.to_string(),
    };
    command.split_inclusive(' ').map(|w| absolute(w.trim_end()) + &w[w.trim_end().len()..]).collect()
}

impl ScriptTest {
    /// A test by this command, whose files lie in a folder that is there.
    pub fn new(command: &str, folder: PathBuf, limit: Duration) -> ScriptTest {
        ScriptTest { command: from_anywhere(command), folder, limit, learned: None, rate: FailureRate::once() }
    }

    /// An error if the script can't tell a program that does nothing from one that fails.
    ///
    /// # Errors
    /// That, or what keeps the script from being run.
    pub fn check(&mut self) -> Result<()> {
        let nothing =
            Program::parse("program () { x: f32[] = 0.0:f32[] return x }").and_then(|p| Case::new(p, Vec::new()))?;
        if !self.is_interesting(&nothing)? {
            return Ok(());
        }
        let m = format!("the script `{}` succeeds for a program that does nothing, too", self.command);
        let way =
            "what to do: let it look at the file it is given as `$1`, and end with 0 only if that fails as it should";
        Err(Error::new(ErrorKind::Run, m).note(way))
    }

    /// How often the script succeeds for the case to begin with: it is run `times`, if somebody said.
    ///
    /// # Errors
    /// If it never does: how it ended; or what keeps it from being run.
    fn learn(&mut self, case: &Case, times: Option<usize>) -> Result<Learned> {
        let (mut rate, mut how) = (self.rate, String::new());
        let (failed, tries) = rate.learn(times, || {
            how = match self.run(case, Output::Kept)? {
                ScriptEnd::Ended(status) if status.code() == Some(0) => return Ok(true),
                ScriptEnd::Ended(status) => format!("it ended with {status}"),
                ScriptEnd::TooLong => format!("it took longer than {} s (`--timeout`)", self.limit.as_secs_f64()),
            };
            Ok(false)
        })?;
        if failed > 0 {
            (self.rate, self.learned) = (rate, Some(case.content()));
            return Ok(Learned { signature: SIGNATURE.into(), failed, tries, times: rate.times });
        }
        let runs = wengert_core::counted(tries, "run");
        let m = format!("the script `{}` does not succeed for the program to reduce, in {runs}: {how}", self.command);
        let e = self.said().into_iter().fold(Error::new(ErrorKind::Run, m), Error::note);
        Err(e.note("what to do: let it end with 0 where the program fails as it should"))
    }

    /// The last lines that the script wrote in a run whose output was kept.
    fn said(&self) -> Option<String> {
        /// As much as one looks at.
        const LINES: usize = 8;
        const BYTES: u64 = 4096;
        let mut file = File::open(self.folder.join(SAID)).ok()?;
        let from = file.metadata().ok()?.len().saturating_sub(BYTES);
        file.seek(SeekFrom::Start(from)).ok()?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().map(str::trim_end).filter(|line| !line.is_empty()).collect();
        let last = &lines[lines.len().saturating_sub(LINES)..];
        (!last.is_empty()).then(|| format!("it said:\n  {}", last.join("\n  ")))
    }

    fn run(&self, case: &Case, output: Output) -> Result<ScriptEnd> {
        let no = |e: std::io::Error| Error::new(ErrorKind::Run, format!("the script can't be run: {e}"));
        // The script runs in the folder, wherever this process is.
        let folder = self.folder.canonicalize().map_err(no)?;
        // Without a mark: its checksum could be what a script looks for, as in `grep add`.
        let files = save_program(&folder, "candidate", "", case.program(), case.inputs())?;
        let mut command = Command::new("sh");
        command.arg("-c").arg(with_files(&self.command)).arg("sh").args(&files).current_dir(&folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if let Output::Kept = output {
            let said = File::create(folder.join(SAID)).map_err(no)?;
            command.stdout(said.try_clone().map_err(no)?).stderr(said);
        }
        let mut group = Group::start(&mut command).map_err(no)?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            if group.has_ended().map_err(no)? {
                // What it left running goes with it.
                let status = group.end().map_err(no)?;
                if let Some(126 | 127) = status.code() {
                    let m = format!("the script `{}` is not there, or can't be executed", self.command);
                    return Err(Error::new(ErrorKind::Run, m));
                }
                return Ok(ScriptEnd::Ended(status));
            }
            if start.elapsed() > self.limit || interrupt::is_asked() {
                group.end().map_err(no)?;
                return if interrupt::is_asked() { Err(interrupt::error()) } else { Ok(ScriptEnd::TooLong) };
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// Several such tests, which look at several cases at once.
pub struct ScriptPool(Vec<ScriptTest>);

impl ScriptPool {
    /// Tests by this command, whose files lie in these folders, one for each.
    pub fn new(command: &str, folders: Vec<PathBuf>, limit: Duration) -> ScriptPool {
        ScriptPool(folders.into_iter().map(|folder| ScriptTest::new(command, folder, limit)).collect())
    }

    /// How often the script succeeds for the case to begin with, which is run `times` if somebody said. Candidates are run so often
    /// that this is seen of them.
    ///
    /// # Errors
    /// If the script can't tell that case from a program that does nothing: how it ended; or what keeps it from being run.
    pub fn learn(&mut self, case: &Case, times: Option<usize>) -> Result<Learned> {
        let [first, others @ ..] = &mut self.0[..] else { unreachable!("there is one") };
        first.check()?;
        let learned = first.learn(case, times)?;
        others.iter_mut().for_each(|test| test.rate = first.rate);
        Ok(learned)
    }

    /// How often the script succeeded for the case to begin with, or one that came of it, and each candidate is run so often since.
    pub fn learned(&self) -> Option<Learned> {
        let rate = self.0[0].rate;
        rate.known.map(|(failed, tries)| Learned { signature: SIGNATURE.into(), failed, tries, times: rate.times })
    }
}

impl Test for ScriptPool {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        self.0[0].is_interesting(case)
    }

    fn first_interesting(&mut self, cases: &[Case]) -> Result<(Option<usize>, usize)> {
        first_at_once(&mut self.0, cases)
    }

    fn confirm(&mut self, case: &Case) -> Result<bool> {
        confirm(&mut self.0, case)
    }

    fn falls_short(&mut self, case: &Case, start: &Case) -> Result<bool> {
        falls_short(&mut self.0, case, start)
    }
}

impl RepeatedTest for ScriptTest {
    fn rate(&mut self) -> &mut FailureRate {
        &mut self.rate
    }

    fn fails(&mut self, case: &Case) -> Result<bool> {
        Ok(matches!(self.run(case, Output::Dropped)?, ScriptEnd::Ended(status) if status.code() == Some(0)))
    }
}

impl Test for ScriptTest {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        let is_known = self.learned.is_some_and(|learned| learned == case.content());
        let rate = self.rate;
        Ok(is_known || rate.is_reached(|| self.fails(case))?)
    }

    fn confirm(&mut self, case: &Case) -> Result<bool> {
        confirm(std::slice::from_mut(self), case)
    }

    fn falls_short(&mut self, case: &Case, start: &Case) -> Result<bool> {
        falls_short(std::slice::from_mut(self), case, start)
    }
}

#[cfg(test)]
mod tests {
    use super::has_pipe;

    #[test]
    fn e6_a_pipe_is_one_outside_of_quotes() {
        for (command, has) in [
            ("cat | grep x", true),
            ("a || b", false),
            ("grep 'a|b'", false),
            (r#"grep "a\"|b""#, false),
            (r#"grep \" | cat"#, true),
            (r"grep '\' | cat", true),
        ] {
            assert_eq!(has_pipe(command), has, "{command}");
        }
    }
}
