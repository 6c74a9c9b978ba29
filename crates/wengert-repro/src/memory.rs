//! Limits of memory: a process that has one and wants more ends itself alone; what it starts is watched, since JAX reserves much more
//! than it uses. Only Linux has what this needs.

#[cfg(target_os = "linux")]
pub(crate) use linux::{bound, of, of_children, unbounded, without_limit};
#[cfg(not(target_os = "linux"))]
pub(crate) use other::{bound, of, of_children, unbounded, without_limit};

/// What of a process and its memory is asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Memory {
    /// The most that it has reserved so far.
    PeakReserved,
    /// The most that it has used so far.
    PeakUsed,
    /// What it uses now.
    Used,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Memory;
    use crate::left::children;
    use std::os::unix::process::CommandExt;
    use std::process::Command;

    /// The memory of a process, in bytes.
    pub(crate) fn of(process: u32, which: Memory) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        let name = match which {
            Memory::PeakReserved => "VmPeak:",
            Memory::PeakUsed => "VmHWM:",
            Memory::Used => "VmRSS:",
        };
        let line = status.lines().find_map(|l| l.strip_prefix(name))?;
        line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kb| kb * 1024)
    }

    /// The memory of all that a process has started, in bytes; none if there is nothing.
    pub(crate) fn of_children(process: u32, which: Memory) -> Option<u64> {
        let each =
            children(process).into_iter().filter_map(|c| Some(of(c, which)? + of_children(c, which).unwrap_or(0)));
        each.reduce(|a, b| a + b)
    }

    /// From here on a process gets so many bytes and no more; what it starts may lift that.
    pub(crate) fn bound(process: u32, most: u64) {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit is a plain value, which is written or read and not kept.
        unsafe {
            if libc::prlimit(process as i32, libc::RLIMIT_AS, std::ptr::null(), &mut limit) == 0 {
                limit.rlim_cur = most.min(limit.rlim_max);
                libc::prlimit(process as i32, libc::RLIMIT_AS, &limit, std::ptr::null_mut());
            }
        }
    }

    /// What is found out while this process has no limit of memory; none if it has none anyway.
    pub(crate) fn without_limit<T>(find: impl FnOnce() -> T) -> Option<T> {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: the limit is a plain value, which is written or read and not kept.
        let is_limited =
            unsafe { libc::getrlimit(libc::RLIMIT_AS, &mut limit) } == 0 && limit.rlim_cur < limit.rlim_max;
        let set = |rlim_cur| {
            let limit = libc::rlimit { rlim_cur, ..limit };
            // SAFETY: as above.
            unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) };
        };
        is_limited.then(|| {
            set(limit.rlim_max);
            let found = find();
            set(limit.rlim_cur);
            found
        })
    }

    /// The command without the limit of this process.
    pub(crate) fn unbounded(command: &mut Command) -> &mut Command {
        let lift = || {
            let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
            // SAFETY: the limit is a plain value, which is written or read and not kept.
            unsafe {
                if libc::getrlimit(libc::RLIMIT_AS, &mut limit) == 0 {
                    limit.rlim_cur = limit.rlim_max;
                    libc::setrlimit(libc::RLIMIT_AS, &limit);
                }
            }
            Ok(())
        };
        // SAFETY: after a fork it does nothing but calls of the system.
        unsafe { command.pre_exec(lift) }
    }
}

#[cfg(not(target_os = "linux"))]
mod other {
    use super::Memory;
    use std::process::Command;

    pub(crate) fn of(_: u32, _: Memory) -> Option<u64> {
        None
    }

    pub(crate) fn of_children(_: u32, _: Memory) -> Option<u64> {
        None
    }

    pub(crate) fn bound(_: u32, _: u64) {}

    pub(crate) fn without_limit<T>(_: impl FnOnce() -> T) -> Option<T> {
        None
    }

    pub(crate) fn unbounded(command: &mut Command) -> &mut Command {
        command
    }
}
