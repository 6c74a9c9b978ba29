//! Processes with all that they start: a group of its own for each, which ends as one.

use std::process::{Child, Command, ExitStatus};

/// The command in a group of its own.
pub(crate) fn own_group(command: &mut Command) -> &mut Command {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    command
}

/// Ends a process that [`own_group`] started and nobody has waited for, and all that it started.
pub(crate) fn end_group(child: &mut Child) -> std::io::Result<ExitStatus> {
    #[cfg(unix)]
    {
        // SAFETY: the group was made for this child, which was not waited for, so that its number is its own.
        unsafe { libc::kill(-(child.id() as i32), libc::SIGKILL) };
    }
    let _ = child.kill();
    child.wait()
}

/// Whether a process has ended. It is not waited for by that: its number stays its own.
pub(crate) fn has_ended(child: &mut Child) -> std::io::Result<bool> {
    #[cfg(unix)]
    return ended(child.id());
    #[cfg(not(unix))]
    child.try_wait().map(|status| status.is_some())
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
