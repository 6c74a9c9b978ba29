//! Workers of tests, written in Python.

use std::process::Command;
use wengert_core::{Program, Tensor};
use wengert_repro::Case;

pub const SIN: &str = "program (x: f32[]) { y: f32[] = sin(x) return y }";
pub const COS: &str = "program (x: f32[]) { y: f32[] = cos(x) return y }";

/// A program of one input, and a one for it.
pub fn case(text: &str) -> Case {
    Case::new(Program::parse(text).unwrap(), vec![Tensor::scalar(1.0f32)]).unwrap()
}

/// A worker that does something of its own with each case, whose text it has in `$case`; it answers with what it prints.
pub fn worker(each: &str) -> impl FnMut() -> Command + 'static + use<> {
    let script = format!(
        r#"import sys, struct, os, random, time, signal, mmap
i, o = sys.stdin.buffer, sys.stdout.buffer
def frame():
    head = i.read(8)
    if len(head) < 8: sys.exit(0)
    return i.read(struct.unpack("<Q", head)[0])
def array():
    frame(); n = struct.unpack("<Q", i.read(8))[0]; i.read(8 * n + 1); frame()
while True:
    case = frame().decode()
    for _ in range(struct.unpack("<Q", i.read(8))[0]): array()
    answer = b"-"
{each}
    o.write(struct.pack("<Q", len(answer)) + answer); o.flush()
"#
    );
    move || {
        let mut command = Command::new("python3");
        command.args(["-c", &script]);
        command
    }
}

/// Workers of these tests are written in Python.
pub fn has_python() -> bool {
    let found = Command::new("python3").arg("--version").output().is_ok();
    if !found {
        eprintln!("there is no python3: nothing was tested");
    }
    found
}
