//! Tests that run apart: candidates go to a process that is kept while it lives, with a limit of time for each.

use crate::backend::BackendName;
use crate::busy::{busy, is_long};
use crate::case::Case;
use crate::group::{Group, is_from_outside};
use crate::interrupt;
use crate::jax;
use crate::left::{self, end_what_is_left};
use crate::memory::{self, Memory};
use crate::pool::{RepeatedTest, confirm, falls_short};
use crate::rate::FailureRate;
use crate::reduce::Test;
use crate::symptom::{SLOW, Symptom, Unseen, is_same, slow_from};
use crate::wire::{read_case, read_text, write_bytes, write_case};
use std::io::{self, BufReader, BufWriter, Write};
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use wengert_core::{Error, ErrorKind, Program, Result, Tensor};

/// Answers cases from the standard input with what is seen of a symptom, until there are no more: the other side of
/// [`WorkerTest`].
///
/// # Errors
/// If the other side says what is no case.
pub fn serve(symptom: &Symptom, backend: &BackendName) -> io::Result<()> {
    // Programs of StableHLO may hold what fails where a run comes there.
    wengert_stablehlo::import::register();
    end_with_parent();
    // JAX alone is started here.
    end_what_is_left();
    let (mut from, mut to) = (io::stdin().lock(), io::stdout().lock());
    while let Some(case) = read_case(&mut from)? {
        let answer = match symptom.look(backend, &case) {
            Ok(seen) => format!("+{seen}"),
            Err(Unseen::Nothing) => "-".into(),
            Err(Unseen::Instead(instead)) => format!("-{instead}"),
            Err(Unseen::NotAsked(why)) => format!("?{why}"),
        };
        jax::start_again();
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
                left::children(std::process::id()).into_iter().for_each(left::end_tree);
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
    group: Group,
    to: BufWriter<ChildStdin>,
    answers: Receiver<String>,
    /// Whether it has answered, so that its start is over.
    is_ready: bool,
}

impl Worker {
    /// Starts a process, and gives it something to begin with: until it answers that, it is not ready.
    fn start(mut command: Command) -> io::Result<Worker> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut group = Group::start(&mut command)?;
        let (to, from) = group.pipes();
        let (sender, answers) = channel();
        std::thread::spawn(move || {
            let mut from = BufReader::new(from);
            while let Ok(answer) = read_text(&mut from) {
                if sender.send(answer).is_err() {
                    break;
                }
            }
        });
        let mut worker = Worker { group, to: BufWriter::new(to), answers, is_ready: false };
        worker.give(&first_case());
        Ok(worker)
    }

    fn give(&mut self, case: &Case) {
        // A process that dies while it reads is known by its answer.
        let _ = write_case(&mut self.to, case);
    }

    /// What it says within a time; what it started may use so many bytes, if somebody said. If it is about the time, what others take of
    /// the processors does not count.
    fn answer(&mut self, limit: Duration, most: Option<u64>, is_timed: bool) -> io::Result<Answer> {
        /// How long an interrupt may go unseen, or memory that is taken.
        const SLICE: Duration = Duration::from_millis(25);
        /// How many times as long a process is waited for that others keep from its work.
        const PATIENCE: u32 = 4;
        let start = Instant::now();
        let before = if is_timed { busy(self.group.id()) } else { None };
        let mut end = start + limit;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            // What it started may hold the pipe when it has ended. What it said before is in the pipe then.
            let has_ended = self.group.has_ended()?;
            match self.answers.recv_timeout(left.min(SLICE)) {
                _ if interrupt::is_asked() => return Err(io::Error::other("interrupted")),
                Ok(text) if text.starts_with('?') => return Ok(Answer::NotAsked(text[1..].into())),
                Ok(text) => {
                    let instead = text.strip_prefix('-').filter(|instead| !instead.is_empty()).map(String::from);
                    return Ok(text.strip_prefix('+').map_or(Answer::Instead(instead), |s| Answer::Seen(s.into())));
                }
                Err(_) if has_ended => {
                    let status = self.group.end()?;
                    return Ok(match is_from_outside(status) {
                        true => Answer::NotAsked(format!("the process that ran it was ended from outside: {status}")),
                        false => Answer::Died(status),
                    });
                }
                Err(_) if most.is_some_and(|most| self.children_use() > most) => return Ok(Answer::TooMuchMemory),
                Err(_) if left <= SLICE => {
                    let took = start.elapsed();
                    let worked = before.and_then(|before| Some(busy(self.group.id())?.saturating_sub(before)));
                    if !is_timed || is_long(took, worked, limit.saturating_sub(SLICE)) || took >= limit * PATIENCE {
                        return Ok(Answer::TooLong);
                    }
                    end += limit / 4;
                }
                Err(RecvTimeoutError::Timeout) => {}
                // It ends, or has closed its pipe: that is at once.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(SLICE / 25),
            }
        }
    }
}

impl Worker {
    fn children_use(&self) -> u64 {
        memory::of_children(self.group.id(), Memory::Used).unwrap_or(0)
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
pub(crate) const START_LIMIT: Duration = Duration::from_secs(60);

/// What a case may take beyond a multiple of what another took: machines do other work too.
const SLACK: Duration = Duration::from_millis(300);

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
    Seen(String),
    /// What happened instead, if more than nothing.
    Instead(Option<String>),
    Died(ExitStatus),
    /// Why nothing is known of the case: somebody ended what runs it.
    NotAsked(String),
    TooLong,
    /// What it started used more than it may.
    TooMuchMemory,
}

/// A test in a process of its own: what is seen there must be what was seen of the first case.
pub struct WorkerTest {
    command: Box<dyn FnMut() -> Command + Send>,
    worker: Option<Worker>,
    sign: Sign,
    /// How long a process may take to start, and how long for a case.
    start_limit: Duration,
    pub(crate) limit: Duration,
    /// How long the last one took.
    took: Duration,
    /// What happened last where nothing was seen, if more than nothing.
    instead: Option<String>,
    /// What was seen of the first case, and its content: it is not looked at again.
    signature: Option<String>,
    learned: Option<u64>,
    /// How much memory a case may take beyond what the first took, and how much that is in all; in what the process started, such as
    /// JAX, too.
    more_memory: u64,
    most_memory: Option<u64>,
    most_in_children: Option<u64>,
    /// How often a case is run; what that is learned of is not known while one was looked at once.
    pub(crate) rate: FailureRate,
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
            instead: None,
            signature: None,
            learned: None,
            more_memory: MORE_MEMORY,
            most_memory: None,
            most_in_children: None,
            rate: FailureRate::once(),
        }
    }

    /// The same test, where a case may take so many bytes more than the first: 4 GiB unless said.
    pub fn with_more_memory(self, more_memory: u64) -> WorkerTest {
        WorkerTest { more_memory, ..self }
    }

    /// Looks at the case to begin with: how it fails, and how long that takes. One that fails at once is looked at again when it is
    /// smaller ([`Test::confirm`]), to learn whether it always does; one that does not is run so often that this is known. `times` is
    /// how often it is run, if somebody said.
    ///
    /// # Errors
    /// If it does not fail.
    pub fn learn(&mut self, case: &Case, times: Option<usize>) -> Result<Learned> {
        let (mut rate, mut longest) = (self.rate, Duration::ZERO);
        let (failed, tries) = rate.learn(times, || {
            let seen = self.look(case)?;
            longest = longest.max(self.took);
            Ok(seen.map(|seen| _ = self.signature.get_or_insert(seen)).is_some())
        })?;
        self.rate = rate;
        let Some(signature) = self.signature.clone() else {
            let m = format!("the program does not fail as was said, in {}", wengert_core::counted(tries, "run"));
            return Err(self.instead.take().into_iter().fold(Error::new(ErrorKind::Run, m), Error::note));
        };
        self.bound(longest);
        self.learned = Some(case.content());
        self.bound_memory();
        Ok(Learned { signature, failed, tries, times: self.rate.times })
    }

    /// How often the case to begin with failed, or one that came of it, and each candidate is run so often since.
    pub fn learned(&self) -> Option<Learned> {
        let (failed, tries) = self.rate.known?;
        Some(Learned { signature: self.signature.clone()?, failed, tries, times: self.rate.times })
    }

    /// Takes over what another has learned.
    pub(crate) fn learn_of(&mut self, other: &WorkerTest) {
        (self.signature, self.learned) = (other.signature.clone(), other.learned);
        (self.limit, self.more_memory, self.most_memory) = (other.limit, other.more_memory, other.most_memory);
        self.most_in_children = other.most_in_children;
        self.rate = other.rate;
    }

    /// The same test by other processes, which begin with what this one has learned.
    pub fn by(&self, command: impl FnMut() -> Command + Send + 'static) -> WorkerTest {
        let mut new = WorkerTest::new(command, self.sign, self.limit);
        new.learn_of(self);
        // A case that is looked at by others is looked at.
        new.learned = None;
        new
    }

    /// Whether it is about how long something takes.
    pub(crate) fn is_of_time(&self) -> bool {
        self.sign == Sign::Delay
    }

    /// Starts the process, and does not wait for it.
    pub(crate) fn start(&mut self) -> io::Result<()> {
        if self.worker.is_none() {
            self.worker = Some(Worker::start((self.command)())?);
        }
        Ok(())
    }

    fn ask(&mut self, case: &Case) -> Result<Answer> {
        let cannot = |e: io::Error| match interrupt::is_asked() {
            true => interrupt::error(),
            false => Error::new(ErrorKind::Run, format!("a process for candidates can't be started: {e}")),
        };
        self.start().map_err(cannot)?;
        let worker = self.worker.as_mut().expect("there is one");
        if !worker.is_ready {
            // The start of a process, and of what it starts, is not the time of a case.
            let answer = worker.answer(self.start_limit, None, false).map_err(cannot)?;
            if !matches!(answer, Answer::Seen(_) | Answer::Instead(_)) {
                self.worker = None;
                return Ok(answer);
            }
            worker.is_ready = true;
            // By now, whatever else a backend needs has been started.
            if let Some(most) = self.most_memory {
                memory::bound(worker.group.id(), most);
            }
        }
        // What died of the first case is there again.
        if self.learned.is_some() && self.most_in_children.is_none() {
            self.bound_memory();
        }
        let worker = self.worker.as_mut().expect("there is one");
        let time = Instant::now();
        worker.give(case);
        let is_timed = self.sign == Sign::Delay;
        let before = if is_timed { busy(worker.group.id()) } else { None };
        let mut answer = worker.answer(self.limit, self.most_in_children, is_timed).map_err(cannot)?;
        self.took = time.elapsed();
        if let (true, Answer::Seen(_)) = (is_timed, &answer) {
            let worked = before.and_then(|before| Some(busy(worker.group.id())?.saturating_sub(before)));
            if !is_long(self.took, worked, slow_from(self.limit)) {
                answer = Answer::Instead(Some("it took so long because others had the processors".into()));
            }
        }
        if self.learned.is_some() && self.most_memory.is_none() {
            self.bound_memory();
        }
        if !matches!(answer, Answer::Seen(_) | Answer::Instead(_)) {
            self.worker = None;
        }
        Ok(answer)
    }

    /// The process that ran a case gets so much memory and little more, and so do those after it. One that died is not there
    /// to be asked: the next that lives tells.
    fn bound_memory(&mut self) {
        let Some(process) = self.worker.as_ref().map(|w| w.group.id()) else { return };
        let most = |peak: Option<u64>| peak.map(|peak| peak.saturating_add(self.more_memory));
        if self.most_memory.is_none()
            && let Some(most) = most(memory::of(process, Memory::PeakReserved))
        {
            memory::bound(process, most);
            self.most_memory = Some(most);
        }
        if self.most_in_children.is_none() {
            self.most_in_children = most(memory::of_children(process, Memory::PeakUsed));
        }
    }

    /// One that fails took so long: none that takes much longer is waited for, unless taking long is the failure.
    fn bound(&mut self, took: Duration) {
        if self.sign != Sign::Delay {
            self.limit = self.limit.min(SLACK + 20 * took);
        }
    }

    /// What is seen of the symptom in one run. Where nothing is known of that, there is another: what ends twice is not interesting,
    /// unless its end is what was looked for.
    fn look(&mut self, case: &Case) -> Result<Option<String>> {
        let answer = match self.ask(case)? {
            Answer::NotAsked(_) => self.ask(case)?,
            answer => answer,
        };
        Ok(match answer {
            Answer::NotAsked(why) if self.sign == Sign::Death => Some(why),
            Answer::NotAsked(why) => {
                self.instead = Some(why);
                None
            }
            Answer::Seen(seen) => Some(seen),
            Answer::Died(status) if self.sign == Sign::Death => Some(status.to_string()),
            Answer::TooLong if self.sign == Sign::Delay => Some(SLOW.into()),
            Answer::Instead(instead) => {
                self.instead = instead;
                None
            }
            Answer::Died(status) => {
                self.instead = Some(format!("the process that ran it died: {status}"));
                None
            }
            Answer::TooMuchMemory => {
                let gibibytes = self.more_memory as f64 / f64::from(1 << 30);
                self.instead = Some(format!("it took {gibibytes} GiB more memory than the program (`--memory`)"));
                None
            }
            Answer::TooLong => {
                self.instead = Some(format!("it took longer than {} s", self.limit.as_secs_f64()));
                None
            }
        })
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

impl RepeatedTest for WorkerTest {
    fn rate(&mut self) -> &mut FailureRate {
        &mut self.rate
    }

    fn fails(&mut self, case: &Case) -> Result<bool> {
        let seen = self.look(case)?;
        Ok(seen.is_some_and(|seen| self.signature.as_ref().is_none_or(|s| is_same(s, &seen))))
    }
}

impl Test for WorkerTest {
    fn confirm(&mut self, case: &Case) -> Result<bool> {
        confirm(std::slice::from_mut(self), case)
    }

    fn falls_short(&mut self, case: &Case, start: &Case) -> Result<bool> {
        falls_short(std::slice::from_mut(self), case, start)
    }

    fn is_interesting(&mut self, case: &Case) -> Result<bool> {
        if self.learned == Some(case.content()) {
            return Ok(true);
        }
        let (rate, mut longest) = (self.rate, Duration::ZERO);
        let is_interesting = rate.is_reached(|| {
            let fails = self.fails(case)?;
            if fails {
                longest = longest.max(self.took);
            }
            Ok(fails)
        })?;
        if is_interesting {
            self.bound(longest);
        }
        Ok(is_interesting)
    }
}
