//! What processes leave behind that have ended: on Linux, this process can be its next parent, and ends it. Elsewhere, what leaves the
//! group of its process stays.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// From here on, this process is the parent of what candidates leave behind, and ends that as soon as a candidate has ended. It is for
/// processes that start nothing but candidates: any other child is ended too.
pub fn end_what_is_left() {
    let mut started = Started::lock();
    started.0.ends_adopted = system::adopt();
}

/// The processes that were started here and not waited for, and what is done with others.
pub(crate) struct Started(MutexGuard<'static, Children>);

struct Children {
    started: BTreeSet<u32>,
    ends_adopted: bool,
}

static CHILDREN: Mutex<Children> = Mutex::new(Children { started: BTreeSet::new(), ends_adopted: false });

impl Started {
    /// While this is held, no other process is started here.
    pub(crate) fn lock() -> Started {
        Started(CHILDREN.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn add(&mut self, process: u32) {
        self.0.started.insert(process);
    }

    pub(crate) fn remove(&mut self, process: u32) {
        self.0.started.remove(&process);
    }

    /// Ends the children that were not started here: those who started them have ended.
    pub(crate) fn end_adopted(&self) {
        if self.0.ends_adopted {
            system::end_children(|child| !self.0.started.contains(&child));
        }
    }
}

#[cfg(target_os = "linux")]
pub(crate) use system::{adopt, end_children};
pub(crate) use system::{children, end_tree, inherits};

#[cfg(target_os = "linux")]
mod system {
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    use std::time::{Duration, Instant};

    /// How long it is tried to end what starts others faster than it can be ended.
    const LONGEST: Duration = Duration::from_secs(2);

    /// What is left by what this process starts becomes its own.
    pub(crate) fn adopt() -> bool {
        // SAFETY: it sets a flag of this process.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0 }
    }

    /// The command as a process that inherits what outlives whoever started it, so that all it started is found below it.
    pub(crate) fn inherits(command: &mut Command) -> &mut Command {
        let inherit = || {
            adopt();
            Ok(())
        };
        // SAFETY: after a fork it does nothing but a call of the system.
        unsafe { command.pre_exec(inherit) }
    }

    /// The processes that a process has started or inherited.
    pub(crate) fn children(process: u32) -> Vec<u32> {
        let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
        let lists = threads.flatten().filter_map(|t| std::fs::read_to_string(t.path().join("children")).ok());
        lists.flat_map(|l| l.split(' ').filter_map(|n| n.parse().ok()).collect::<Vec<_>>()).collect()
    }

    /// Ends such children of this process, and all that they have started.
    pub(crate) fn end_children(is_meant: impl Fn(u32) -> bool) {
        let end = Instant::now() + LONGEST;
        loop {
            let meant: Vec<u32> = children(std::process::id()).into_iter().filter(|c| is_meant(*c)).collect();
            if meant.is_empty() || Instant::now() > end {
                return;
            }
            for child in meant {
                end_tree(child);
                // SAFETY: the child was not started here, so that nobody else waits for it.
                unsafe { libc::waitpid(child as i32, std::ptr::null_mut(), libc::WNOHANG) };
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Ends a process that nobody has waited for, and what it started. It is stopped first, and starts nothing more.
    pub(crate) fn end_tree(process: u32) {
        if !lives(process) {
            return;
        }
        let send = |signal| {
            // SAFETY: a signal is all that the process gets.
            unsafe { libc::kill(process as i32, signal) }
        };
        send(libc::SIGSTOP);
        children(process).into_iter().for_each(end_tree);
        send(libc::SIGKILL);
    }

    /// Whether a process has not ended yet.
    fn lives(process: u32) -> bool {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name stands in brackets, and may hold some.
        stat.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['Z', 'X']))
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::process::Command;

    pub(super) fn adopt() -> bool {
        false
    }

    pub(crate) fn inherits(command: &mut Command) -> &mut Command {
        command
    }

    pub(crate) fn children(_: u32) -> Vec<u32> {
        Vec::new()
    }

    pub(crate) fn end_tree(_: u32) {}

    pub(super) fn end_children(_: impl Fn(u32) -> bool) {}
}
