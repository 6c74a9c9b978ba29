//! Processes with all that they start: each ends as one, with what left its group, and with what outlived whoever started it.

use crate::left::{self, Started};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus};

/// A process that was started here, and all that it starts. It is judged by its own end: what it started may hold its pipes.
pub(crate) struct Group {
    child: Child,
    has_own_group: bool,
    /// How it ended, once it was waited for: its number may be another's since.
    status: Option<ExitStatus>,
}

impl Group {
    /// Starts a command in a group of its own, which an interrupt from the keyboard does not reach.
    pub(crate) fn start(command: &mut Command) -> std::io::Result<Group> {
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(command, 0);
        Group::spawn(command, true)
    }

    /// Starts a command in the group of this process.
    pub(crate) fn start_within(command: &mut Command) -> std::io::Result<Group> {
        Group::spawn(command, false)
    }

    fn spawn(command: &mut Command, has_own_group: bool) -> std::io::Result<Group> {
        let mut started = Started::lock();
        let child = left::inherits(command).spawn()?;
        started.add(child.id());
        Ok(Group { child, has_own_group, status: None })
    }

    /// The number of the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// The ends of its pipes.
    pub(crate) fn pipes(&mut self) -> (ChildStdin, ChildStdout) {
        (self.child.stdin.take().expect("piped"), self.child.stdout.take().expect("piped"))
    }

    /// Whether the process has ended. It is not waited for by that: its number stays its own.
    pub(crate) fn has_ended(&mut self) -> std::io::Result<bool> {
        if self.status.is_some() {
            return Ok(true);
        }
        #[cfg(unix)]
        return ended(self.child.id());
        #[cfg(not(unix))]
        self.child.try_wait().map(|status| status.is_some())
    }

    /// Ends the process, unless it has ended, and all that it started: how it ended.
    pub(crate) fn end(&mut self) -> std::io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        left::end_tree(self.child.id());
        #[cfg(unix)]
        if self.has_own_group {
            // SAFETY: the group was made for this process, which was not waited for, so that its number is its own.
            unsafe { libc::kill(-(self.child.id() as i32), libc::SIGKILL) };
        }
        let _ = self.child.kill();
        let status = self.child.wait()?;
        self.status = Some(status);
        let mut started = Started::lock();
        started.remove(self.child.id());
        started.end_adopted();
        Ok(status)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

#[cfg(unix)]
fn ended(process: u32) -> std::io::Result<bool> {
    // SAFETY: zeros are a value of this plain struct, which is written and not kept.
    let (asked, info) = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let how = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        (libc::waitid(libc::P_PID, process, &mut info, how), info.si_pid())
    };
    if asked == 0 { Ok(info != 0) } else { Err(std::io::Error::last_os_error()) }
}

/// Whether a process was ended by a signal that programs do not give themselves by what they compute: somebody ended it, or the
/// system did because memory is short.
pub(crate) fn is_from_outside(status: ExitStatus) -> bool {
    #[cfg(unix)]
    {
        use libc::{SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP};
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        signal.is_some_and(|s| ![SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP].contains(&s))
    }
    #[cfg(not(unix))]
    {
        let _ = status;
        false
    }
}
