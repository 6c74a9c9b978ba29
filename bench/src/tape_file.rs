//! Large tapes in files: how long writing, opening and asking take, and how much memory, as the number of nodes grows.

use std::time::Instant;
use wengert::{Array, Tape, record};

/// The most memory the process had since the last [`forget_peak`], in bytes, where the system tells.
fn peak() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    Some(line.trim().trim_end_matches(" kB").parse::<usize>().ok()? * 1024)
}

fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// Runs something, and says how long it took and how high the memory rose.
pub(crate) fn phase<T>(name: &str, f: impl FnOnce() -> T) -> T {
    forget_peak();
    let start = Instant::now();
    let out = f();
    let memory = peak().map_or("?".into(), |p| format!("{:.0} MB", p as f64 / 1e6));
    println!("  {name:<28}{:>10.1} ms   peak memory {memory}", start.elapsed().as_secs_f64() * 1e3);
    out
}

/// Chains of small ops side by side, `n` nodes in all.
fn run(n: usize) -> Vec<Array> {
    const WIDTH: usize = 1000;
    let mut x: Vec<Array> = (0..WIDTH).map(|i| Array::from(i as f32 * 1e-3)).collect();
    for i in 0..n {
        x[i % WIDTH] = x[i % WIDTH].sin();
    }
    x
}

/// Prints the table.
pub fn print(sizes: &[usize]) {
    let path = std::env::temp_dir().join(format!("wengert-bench-{}.tape", std::process::id()));
    for &n in sizes {
        println!("{n} ops");
        let tape = phase("record", || record(|| run(n)).1);
        phase("save", || tape.save(&path)).expect("the tape is sound, and there is room");
        drop(tape);
        let size = std::fs::metadata(&path).map(|m| m.len()).unwrap_or(0);
        let tape = phase("open", || Tape::open(&path)).expect("it was just written");
        let last = tape.nodes().rfind(|n| n.op().is_some()).expect("ops were recorded");
        let slice = phase("backward slice of the last op", || last.backward().count());
        let middle = tape.node((n / 2) as u32);
        phase("dependents, with the index", || middle.dependents().count());
        phase("dependents again", || middle.dependents().count());
        let (len, slice) = (tape.len(), slice as f64 / 1e3);
        println!(
            "  {len} nodes, {:.1} bytes each in the file; {slice:.1}k nodes in the slice",
            size as f64 / len as f64
        );
    }
    let _ = std::fs::remove_file(&path);
}
