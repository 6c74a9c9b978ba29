//! Limits of memory: a process that has one and wants more ends itself alone. Only Linux has what this needs.

/// The most that a process has had so far, in bytes, with what it reserved and did not use.
#[cfg(target_os = "linux")]
pub(crate) fn peak(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmPeak:"))?;
    line.trim().trim_end_matches(" kB").parse::<u64>().ok().map(|kb| kb * 1024)
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn peak(_: u32) -> Option<u64> {
    None
}

/// From here on a process gets so many bytes and no more.
#[cfg(target_os = "linux")]
pub(crate) fn bound(process: u32, most: u64) {
    let limit = libc::rlimit { rlim_cur: most, rlim_max: most };
    // SAFETY: the limit is a plain value, which is read and not kept; the old one is not asked for.
    unsafe { libc::prlimit(process as i32, libc::RLIMIT_AS, &limit, std::ptr::null_mut()) };
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn bound(_: u32, _: u64) {}
