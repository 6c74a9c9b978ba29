//! Tests that run apart: candidates go to a process that is kept while it lives, with a limit of time for each.

use crate::backend::BackendName;
use crate::case::Case;
use crate::group::{end_group, own_group};
use crate::memory;
use crate::reduce::{Test, first_at_once};
use crate::symptom::{SLOW, Symptom, is_same};
use crate::wire::{read_case, read_text, write_bytes, write_case};
use std::io::{self, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Program, Result, Tensor};

/// Answers cases from the standard input with what is seen of a symptom, until there are no more: the other side of
/// [`WorkerTest`].
///
/// # Errors
/// If the other side says what is no case.
pub fn serve(symptom: &Symptom, backend: &BackendName) -> io::Result<()> {
    end_with_parent();
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    while let Some(case) = read_case(&mut from)? {
        let seen = symptom.seen(backend, &case);
        let answer = seen.map_or_else(|| "-".to_string(), |s| format!("+{s}"));
        write_bytes(&mut to, answer.as_bytes())?;
        to.flush()?;
    }
    Ok(())
}

/// Ends this process when the one that started it is gone, whatever it is at, and what it has started: an interrupt leaves
/// nothing behind.
#[cfg(unix)]
fn end_with_parent() {
    let parent = std::os::unix::process::parent_id();
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(Duration::from_millis(200));
            if std::os::unix::process::parent_id() != parent {
                // SAFETY: these look up a number, end the processes of a group that is this one's own, and this one at once.
                unsafe {
                    if libc::getpgrp() == libc::getpid() {
                        libc::kill(0, libc::SIGKILL);
                    }
                    libc::_exit(1)
                };
            }
        }
    });
}

#[cfg(not(unix))]
fn end_with_parent() {}

struct Worker {
    child: Child,
    to: BufWriter<ChildStdin>,
    answers: Receiver<String>,
}

impl Worker {
    fn answer(&mut self, case: &Case, limit: Duration) -> io::Result<Answer> {
        // A process that dies while it reads is known by its answer.
        let _ = write_case(&mut self.to, case);
        Ok(match self.answers.recv_timeout(limit) {
            Ok(text) => Answer::Seen(text.strip_prefix('+').map(String::from)),
            Err(RecvTimeoutError::Timeout) => Answer::TooLong,
            Err(RecvTimeoutError::Disconnected) => Answer::Died(self.child.wait()?),
        })
    }
}

/// What a process is given first.
fn first_case() -> Case {
    let same = Program::parse("program (x: f32[]) { return x }").expect("a program");
    Case::new(same, vec![Tensor::scalar(1.0f32)]).expect("its input")
}

/// What a case may take beyond what the first took, unless somebody said.
const MORE_MEMORY: u64 = 4 << 30;

/// How long a process may take to start, at least: pip's JAX takes seconds.
const START_LIMIT: Duration = Duration::from_secs(60);

/// What a case may take beyond a multiple of what another took: machines do other work too.
const SLACK: Duration = Duration::from_millis(300);

impl Drop for Worker {
    fn drop(&mut self) {
        let _ = end_group(&mut self.child);
    }
}

/// What of a process shows a symptom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// What it answers, alone.
    Answer,
    /// Its death.
    Death,
    /// That it does not answer in time, too.
    Delay,
}

/// What a worker said of a case.
enum Answer {
    Seen(Option<String>),
    Died(ExitStatus),
    TooLong,
}

/// A test in a process of its own: what is seen there must be what was seen of the first case.
pub struct WorkerTest {
    command: Box<dyn FnMut() -> Command + Send>,
    worker: Option<Worker>,
    sign: Sign,
    /// How long a process may take to start, and how long for a case.
    start_limit: Duration,
    limit: Duration,
    /// How long the last one took.
    took: Duration,
    /// What was seen of the first case, and its content: it is not looked at again.
    signature: Option<String>,
    learned: Option<u64>,
    /// How much memory a case may take beyond what the first took, and how much that is in all.
    more_memory: u64,
    most_memory: Option<u64>,
    /// How often a case is run, and how often it must fail.
    times: usize,
    needed: usize,
}

impl WorkerTest {
    /// A test by processes that `command` gives, each of which runs [`serve`] and gets so much time for a case.
    pub fn new(command: impl FnMut() -> Command + Send + 'static, sign: Sign, limit: Duration) -> WorkerTest {
        let command = Box::new(command);
        let start_limit = limit.max(START_LIMIT);
        let took = Duration::ZERO;
        WorkerTest {
            command,
            worker: None,
            sign,
            start_limit,
            limit,
            took,
            signature: None,
            learned: None,
            more_memory: MORE_MEMORY,
            most_memory: None,
            times: 1,
            needed: 1,
        }
    }

    /// The same test, where a case may take so many bytes more than the first: 4 GiB unless said.
    pub fn with_more_memory(self, more_memory: u64) -> WorkerTest {
        WorkerTest { more_memory, ..self }
    }

    /// Looks at the case to begin with: how it fails, how long that takes, and whether it always does. `times` is how often
    /// it is run, if somebody said.
    ///
    /// # Errors
    /// If it does not fail.
    pub fn learn(&mut self, case: &Case, times: Option<usize>) -> Result<Learned> {
        let (mut failed, mut tries, mut longest) = (0, 0, Duration::ZERO);
        // Three runs, or more if some of them fail and others do not, or none does.
        while tries < times.unwrap_or(if failed == tries && tries > 0 { 3 } else { OFTEN }).max(1) {
            tries += 1;
            let seen = self.look(case)?;
            longest = longest.max(self.took);
            if let Some(seen) = seen {
                failed += 1;
                self.signature.get_or_insert(seen);
            }
        }
        let Some(signature) = self.signature.clone() else {
            let m = format!("the program does not fail as was said, in {}", wengert_core::counted(tries, "run"));
            return Err(Error::new(ErrorKind::Run, m));
        };
        self.bound(longest);
        self.learned = Some(case.content());
        self.bound_memory();
        if failed < tries || times.is_some() {
            // So often that one that fails as surely is missed once in twenty times or less.
            let rate = failed as f64 / tries as f64;
            let often = if rate < 1.0 { (3.0 / rate).ceil() as usize } else { tries };
            self.times = times.unwrap_or(often);
            self.needed = ((0.5 * rate * self.times as f64).floor() as usize).max(1);
        }
        Ok(Learned { signature, failed, tries, times: self.times })
    }

    /// The same test by other processes, which begin with what this one has learned.
    pub fn by(&self, command: impl FnMut() -> Command + Send + 'static) -> WorkerTest {
        let new = WorkerTest::new(command, self.sign, self.limit);
        let (signature, more_memory, most_memory) = (self.signature.clone(), self.more_memory, self.most_memory);
        WorkerTest { signature, times: self.times, needed: self.needed, more_memory, most_memory, ..new }
    }

    fn ask(&mut self, case: &Case) -> Result<Answer> {
        let cannot =
            |e: io::Error| Error::new(ErrorKind::Run, format!("a process for candidates can't be started: {e}"));
        if self.worker.is_none() {
            let mut command = (self.command)();
            own_group(&mut command).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
            let mut child = command.spawn().map_err(cannot)?;
            let (to, from) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
            let (sender, answers) = channel();
            std::thread::spawn(move || {
                let mut from = BufReader::new(from);
                while let Ok(answer) = read_text(&mut from) {
                    if sender.send(answer).is_err() {
                        break;
                    }
                }
            });
            let worker = self.worker.insert(Worker { child, to: BufWriter::new(to), answers });
            // The start of a process, and of what it starts, is not the time of a case.
            let answer = worker.answer(&first_case(), self.start_limit).map_err(cannot)?;
            if !matches!(answer, Answer::Seen(_)) {
                self.worker = None;
                return Ok(answer);
            }
            // By now, whatever else a backend needs has been started.
            if let Some(most) = self.most_memory {
                memory::bound(worker.child.id(), most);
            }
        }
        let worker = self.worker.as_mut().expect("there is one");
        let time = Instant::now();
        let answer = worker.answer(case, self.limit).map_err(cannot)?;
        self.took = time.elapsed();
        if self.learned.is_some() && self.most_memory.is_none() {
            self.bound_memory();
        }
        if !matches!(answer, Answer::Seen(_)) {
            self.worker = None;
        }
        Ok(answer)
    }

    /// The process that ran a case gets so much memory and little more, and so do those after it. One that died is not there
    /// to be asked: the next that lives tells.
    fn bound_memory(&mut self) {
        if let Some(process) = self.worker.as_ref().map(|w| w.child.id())
            && let Some(most) = memory::peak(process).map(|peak| peak.saturating_add(self.more_memory))
        {
            memory::bound(process, most);
            self.most_memory = Some(most);
        }
    }

    /// One that fails took so long: none that takes much longer is waited for, unless taking long is the failure.
    fn bound(&mut self, took: Duration) {
        if self.sign != Sign::Delay {
            self.limit = self.limit.min(SLACK + 20 * took);
        }
    }

    /// What is seen of the symptom in one run.
    fn look(&mut self, case: &Case) -> Result<Option<String>> {
        Ok(match self.ask(case)? {
            Answer::Seen(seen) => seen,
            Answer::Died(status) if self.sign == Sign::Death => Some(status.to_string()),
            Answer::TooLong if self.sign == Sign::Delay => Some(SLOW.into()),
            Answer::Died(_) | Answer::TooLong => None,
        })
    }
}

/// How often a case is run to learn how often it fails, if it does not always.
const OFTEN: usize = 25;

/// Several such tests, which look at several cases at once.
pub struct WorkerPool {
    tests: Vec<WorkerTest>,
}

impl WorkerPool {
    /// A test that has learned of its case, and so many in all by processes that `command` gives.
    pub fn new<C: FnMut() -> Command + Send + 'static>(
        first: WorkerTest,
        count: usize,
        mut command: impl FnMut() -> C,
    ) -> WorkerPool {
        let mut tests = vec![first];
        while tests.len() < count {
            let one = tests[0].by(command());
            tests.push(one);
        }
        WorkerPool { tests }
    }

    /// One of the tests.
    pub fn test(&self) -> &WorkerTest {
        &self.tests[0]
    }
}

impl Test for WorkerPool {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        self.tests[0].is_interesting(case)
    }

    fn first_interesting(&mut self, cases: &[Case]) -> Result<(Option<usize>, usize)> {
        let found = first_at_once(&mut self.tests, cases);
        // What one has learned of time, all know.
        let limit = self.tests.iter().map(|t| t.limit).min().expect("there is one");
        self.tests.iter_mut().for_each(|t| t.limit = limit);
        found
    }
}

/// What was learned of the case to begin with.
#[derive(Clone, Debug)]
pub struct Learned {
    /// How it fails.
    pub signature: String,
    /// In how many of how many runs.
    pub failed: usize,
    /// See `failed`.
    pub tries: usize,
    /// How often each candidate is run.
    pub times: usize,
}

impl Test for WorkerTest {
    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        if self.learned == Some(case.content()) {
            return Ok(true);
        }
        let (mut failed, mut longest) = (0, Duration::ZERO);
        for run in 0..self.times {
            if self.look(case)?.is_some_and(|seen| self.signature.as_ref().is_none_or(|s| is_same(s, &seen))) {
                failed += 1;
                longest = longest.max(self.took);
            }
            let left = self.times - run - 1;
            if failed >= self.needed || failed + left < self.needed {
                break;
            }
        }
        let is_interesting = failed >= self.needed;
        if is_interesting {
            self.bound(longest);
        }
        Ok(is_interesting)
    }
}
