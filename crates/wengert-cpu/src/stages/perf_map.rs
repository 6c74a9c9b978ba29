//! A map for `perf`, so that samples in generated code have the names of programs and blocks: with `WENGERT_PERF_MAP=1` in
//! the environment, `/tmp/perf-PID.map` gets a line for each piece of code that belongs to a block.

use super::Shown;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::sync::{Mutex, OnceLock};
use wengert_x86::Code;

/// The file of this process, if it was asked for and can be written.
fn file() -> Option<&'static Mutex<File>> {
    static FILE: OnceLock<Option<Mutex<File>>> = OnceLock::new();
    let open = || {
        std::env::var_os("WENGERT_PERF_MAP").filter(|v| !v.is_empty() && v != "0")?;
        let path = format!("/tmp/perf-{}.map", std::process::id());
        let file = OpenOptions::new().create(true).append(true).open(path).ok()?;
        wengert_x86::lay_code_out_for_perf();
        Some(Mutex::new(file))
    };
    FILE.get_or_init(open).as_ref()
}

/// Whether a map is written; asked before code is made, which is laid out for it.
pub(crate) fn is_wanted() -> bool {
    file().is_some()
}

/// Adds the code of a program to the map.
pub(crate) fn add(code: &Code, shown: &Shown<'_>) {
    if let Some(file) = file()
        && let Ok(mut file) = file.lock()
    {
        // A map that can't be written is no reason not to run.
        let _ = file.write_all(lines(code, shown).as_bytes());
        for code in shown.lowered.parallel.iter().filter_map(|p| p.runner()?.code()) {
            let _ = file.write_all(lines(code, shown).as_bytes());
        }
    }
}

/// A line for each piece of code: where it starts, how many bytes it has, its name.
fn lines(code: &Code, shown: &Shown<'_>) -> String {
    let (bytes, program) = (code.bytes(), &shown.lowered.function.name);
    let mut text = String::new();
    let mut add = |from: usize, to: usize, name: String| {
        if to > from {
            let start = bytes.as_ptr() as usize + from;
            text += &format!("{start:x} {:x} wengert {program}{name}\n", to - from);
        }
    };
    let first = code.marks().first().map_or(bytes.len(), |m| m.0 as usize);
    add(0, first, String::new());
    for (i, &(from, mark)) in code.marks().iter().enumerate() {
        let to = code.marks().get(i + 1).map_or(bytes.len(), |next| next.0 as usize);
        let block = &shown.plan.blocks[mark as usize];
        add(from as usize, to, format!(" {mark}: {}", shown.name(block)));
    }
    text
}
