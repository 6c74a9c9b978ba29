//! How much a process has computed, whatever else the machine does meanwhile. Only Linux has what this needs.

use std::time::Duration;

/// The time that processors spent on a process and what it started, of what is alive.
#[cfg(target_os = "linux")]
pub(crate) fn busy(process: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // What is before may have spaces: it is the name of the program.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?;
    // SAFETY: it gives a number.
    let each = unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64;
    let others = crate::left::children(process).into_iter().filter_map(busy);
    Some(others.fold(Duration::from_secs_f64(ticks as f64 / each), |all, one| all + one))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn busy(_: u32) -> Option<Duration> {
    None
}

/// Whether a process that took so long, and was busy for so long of it, took as long as this by itself: not because others had the
/// processors. One that does nothing waits for something, and does so anywhere.
pub(crate) fn is_long(took: Duration, busy: Option<Duration>, least: Duration) -> bool {
    took >= least && busy.is_none_or(|busy| busy >= least.mul_f64(0.8) || busy <= took.mul_f64(0.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn e6_who_waits_for_a_processor_is_not_slow() {
        let seconds = Duration::from_secs_f64;
        let is_long = |took, busy| is_long(seconds(took), Some(seconds(busy)), seconds(1.0));
        assert!(is_long(1.2, 1.1) && is_long(3.0, 1.1) && is_long(1.2, 0.01));
        assert!(!is_long(0.9, 0.9) && !is_long(1.2, 0.4) && !is_long(3.0, 0.7));
        if let Some(before) = busy(std::process::id()) {
            let start = std::time::Instant::now();
            let mut n = 0u64;
            while start.elapsed() < seconds(0.3) {
                n = std::hint::black_box(n + 1);
            }
            assert!(busy(std::process::id()).unwrap() > before);
        }
    }
}
