//! Processes above the one that works: whoever of them is killed, another one ends what is left. Only Linux has what this needs.

use std::process::ExitCode;

/// Does this work in a process of its own, and gives what it ends with. However that process ends, and whoever kills the one that
/// was asked for, its group, or the one that works, nothing that they have started goes on. It is for processes that have one
/// thread so far.
pub fn supervised(work: impl FnOnce() -> ExitCode) -> ExitCode {
    #[cfg(target_os = "linux")]
    system::supervise();
    work()
}

#[cfg(target_os = "linux")]
mod system {
    use crate::left::{adopt, end_children};
    use libc::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, c_int, pid_t, sigset_t};

    /// What the process that works is told, too.
    const FORWARDED: [c_int; 4] = [SIGINT, SIGTERM, SIGHUP, SIGQUIT];

    /// Returns in the process that works, which stays in the group of the one that was asked for, so that it has the terminal. The
    /// one between them has a group of its own: a kill of the other group (`kill -9 %1`, `timeout -s KILL`) does not reach it.
    pub(super) fn supervise() {
        // SAFETY: these are calls of the system, with plain values that are not kept. There is one thread, so that the processes
        // that are made have all that this one has.
        unsafe {
            let mut before: sigset_t = std::mem::zeroed();
            libc::sigprocmask(libc::SIG_BLOCK, &watched(), &mut before);
            libc::signal(SIGCHLD, libc::SIG_DFL);
            let first = libc::getpid();
            match libc::fork() {
                child @ 1.. => keep(child, None),
                -1 => {}
                _ => {
                    let child = libc::fork();
                    if child > 0 {
                        libc::setpgid(0, 0);
                        libc::prctl(libc::PR_SET_PDEATHSIG, SIGUSR1, 0, 0, 0);
                        keep(child, Some(first));
                    }
                }
            }
            libc::sigprocmask(libc::SIG_SETMASK, &before, std::ptr::null_mut());
        }
    }

    /// The signals that a process which keeps another one waits for: its parent's end is one.
    fn watched() -> sigset_t {
        // SAFETY: it writes a plain value.
        unsafe {
            let mut set = std::mem::zeroed();
            libc::sigemptyset(&mut set);
            FORWARDED.iter().chain(&[SIGCHLD, SIGUSR1]).for_each(|&signal| _ = libc::sigaddset(&mut set, signal));
            set
        }
    }

    /// Waits until a process ends, or this one's parent if one is named; ends all that is below; and ends as that process did.
    fn keep(child: pid_t, parent: Option<pid_t>) -> ! {
        adopt();
        let mut status = None;
        // SAFETY: calls of the system with plain values that are not kept.
        while status.is_none() && parent.is_none_or(|parent| unsafe { libc::getppid() } == parent) {
            let signal = next_signal();
            // SAFETY: the child was not waited for, so that its number is its own.
            unsafe {
                if let Some(signal) = signal {
                    libc::kill(child, signal);
                }
                let mut how = 0;
                status = (libc::waitpid(child, &mut how, libc::WNOHANG) == child).then_some(how);
            }
        }
        end_children(|_| true);
        end_as(status)
    }

    /// Waits for a signal: which it is, if the child should have it. The keyboard gives it to the child by itself.
    fn next_signal() -> Option<c_int> {
        // SAFETY: it waits, and writes a plain value.
        let (signal, is_from_keyboard) = unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            let signal = libc::sigwaitinfo(&watched(), &mut info);
            (signal, info.si_code == libc::SI_KERNEL)
        };
        (FORWARDED.contains(&signal) && !is_from_keyboard).then_some(signal)
    }

    /// Ends this process at once, as another one did.
    fn end_as(status: Option<c_int>) -> ! {
        let status = status.unwrap_or(1 << 8);
        // SAFETY: calls of the system that end this process, which has no other thread; it leaves no core beside that of the other.
        unsafe {
            if libc::WIFSIGNALED(status) {
                let signal = libc::WTERMSIG(status);
                libc::prctl(libc::PR_SET_DUMPABLE, 0, 0, 0, 0);
                libc::signal(signal, libc::SIG_DFL);
                let mut none: sigset_t = std::mem::zeroed();
                libc::sigemptyset(&mut none);
                libc::sigprocmask(libc::SIG_SETMASK, &none, std::ptr::null_mut());
                libc::kill(libc::getpid(), signal);
            }
            libc::_exit(libc::WEXITSTATUS(status))
        }
    }
}
