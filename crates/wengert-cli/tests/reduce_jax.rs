//! `wengert reduce` with JAX on one side, by interpreters that only seem to have it, and fail as XLA does.
#![cfg(unix)]

use super::at_once;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};

struct Folder {
    path: PathBuf,
    /// The interpreter itself: what stands for it in a path may take ten times as long to start.
    python: String,
}

impl Folder {
    /// A folder, if there is a `python3` to play JAX.
    fn new(name: &str) -> Option<Folder> {
        let python = Command::new("python3").args(["-c", "import sys; print(sys.executable, end='')"]).output();
        let Some(python) = python.ok().filter(|o| o.status.success()) else {
            println!("skipped: there is no `python3`");
            return None;
        };
        let python = String::from_utf8(python.stdout).unwrap();
        let path = std::env::temp_dir().join(format!("wengert-reduce-jax-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Some(Folder { path, python })
    }

    /// An interpreter that says it is ready, does this with the `text` of each program, and gives back what that is given.
    fn jax(&self, each: &str) -> String {
        let path = self.path.join("python");
        let text = format!(
            "#!{} -S
import os, signal, struct, sys, time
inp, out = sys.stdin.buffer, sys.stdout.buffer
def write(data):
    out.write(struct.pack('<Q', len(data)) + data)
    out.flush()
def number():
    head = inp.read(8)
    if len(head) < 8:
        sys.exit(0)
    return struct.unpack('<Q', head)[0]
def read():
    return inp.read(number())
write(b'ready')
while True:
    text = read().decode()
    arrays = []
    for _ in range(number()):
        dtype = read()
        shape = [number() for _ in range(number())]
        arrays.append((dtype, struct.pack(f'<{{len(shape) + 1}}Q', len(shape), *shape) + inp.read(1), read()))
    has = lambda *names: all('stablehlo.' + name in text for name in names)
{each}
    write(b'results')
    out.write(struct.pack('<Q', len(arrays)))
    for dtype, shape, data in arrays:
        write(dtype)
        out.write(shape)
        write(data)
",
            self.python
        );
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        path.display().to_string()
    }

    /// The command with `p.wg`, an interpreter for JAX, and ones for the inputs.
    fn command(&self, name: &str, python: &str, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        command.current_dir(&self.path).args([name, "p.wg", "--ones", "--python", python]).args(args);
        command
    }

    /// What `wengert reduce` ended with, and said.
    fn reduce(&self, python: &str, args: &[&str]) -> (ExitStatus, String) {
        ended(&mut self.command("reduce", python, args))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

fn ended(command: &mut Command) -> (ExitStatus, String) {
    let o = command.output().unwrap();
    (o.status, String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr))
}

/// A folder with a program of 31 equations, `p.wg`.
fn folder(name: &str) -> Option<Folder> {
    let f = Folder::new(name)?;
    let mut text = String::from("program (x: f32[8]) {\n  v0: f32[8] = sin(x)\n");
    for i in 0..30 {
        let op = ["tanh", "cos", "abs", "exp", "neg"][i % 5];
        text += &format!("  v{}: f32[8] = {op}(v{i})\n", i + 1);
    }
    std::fs::write(f.path.join("p.wg"), text + "  return v30\n}\n").unwrap();
    Some(f)
}

#[test]
fn e6_a_death_of_jax_is_a_crash() {
    let Some(f) = folder("crash") else { return };
    // Two equations together kill it, and one of them is an error like others.
    let python = f.jax("    if has('cosine', 'abs'):\n        os.kill(os.getpid(), signal.SIGSEGV)");
    let (status, text) = f.reduce(&python, &["--crash", "--backend", "jax", "--out-dir", "out"]);
    assert!(status.success() && text.contains("it fails with: JAX's process died: signal: 11"), "{text}");
    assert!(text.contains("nothing more goes: 2 equations, "), "{text}");
}

/// What JAX's process started holds its pipe when it dies: that is a death all the same, and nothing is left of it.
#[cfg(target_os = "linux")]
#[test]
fn e6_what_jax_starts_ends_with_it() {
    let Some(f) = folder("starts") else { return };
    let each = "    if has('cosine', 'abs'):
        if os.fork() == 0:
            os.setsid()
            with open(sys.argv[0] + '-started', 'a') as file: file.write(f'{os.getpid()}\\n')
            time.sleep(1000)
        time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGSEGV)";
    let python = f.jax(each);
    let (status, text) = f.reduce(&python, &["--crash", "--backend", "jax", "--out-dir", "out"]);
    assert!(status.success() && text.contains("it fails with: JAX's process died: signal: 11"), "{text}");
    assert!(text.contains("nothing more goes: 2 equations, "), "{text}");
    let started = std::fs::read_to_string(f.path.join("python-started")).unwrap();
    let is_there = |id: &&str| std::path::Path::new(&format!("/proc/{id}")).exists();
    let left: Vec<&str> = started.lines().filter(is_there).collect();
    assert!(started.lines().count() > 5 && left.is_empty(), "{left:?} are left");
}

/// A side that has eigenvectors of the other sign has no other results; one that has none has.
#[test]
fn e6_another_decomposition_is_not_reduced() {
    let Some(f) = folder("decomposition") else { return };
    let text = "program (x: f32[2,2]) { w: f32[2], v: f32[2,2] = eigh[lower=true](x) return w, v }";
    std::fs::write(f.path.join("p.wg"), text).unwrap();
    let reduce = |last: &str, out: &str| {
        let each = format!(
            "    gives = text.split('@main', 1)[1].split('->', 1)[1].split('{{', 1)[0]
    w = (b'f32', struct.pack('<QQ', 1, 2) + b'\\0', struct.pack('<2f', 0.0, 2.0))
    h = 0.5 ** 0.5
    v = (b'f32', struct.pack('<QQQ', 2, 2, 2) + b'\\0', struct.pack('<4f', h, h, -h, {last}))
    if 'ssyevd' in text:
        arrays = [w] * ('<2xf32>' in gives) + [v] * ('<2x2xf32>' in gives)"
        );
        f.reduce(&f.jax(&each), &["--differs", "eval,jax", "--out-dir", out])
    };
    let (status, text) = reduce("h", "as-right");
    assert!(!status.success() && text.contains("both have a decomposition that is as right"), "{text}");
    let (status, text) = reduce("0.9", "wrong");
    assert!(status.success() && text.contains("other numbers"), "{text}");
}

#[test]
fn e6_a_slow_compile_of_jax_is_reduced() {
    let Some(f) = folder("slow") else { return };
    let python = f.jax("    if has('tanh'):\n        time.sleep(60)");
    let (_, text) = f.reduce(&python, &["--slow-compile", "0.4", "--backend", "jax", "--out-dir", "out", "-j", "6"]);
    assert!(text.contains("it fails with: slow") && text.contains("nothing more goes: 1 equation, "), "{text}");
}

/// A candidate that eats memory in JAX's process is ended there, and is none, however it would have failed.
#[cfg(target_os = "linux")]
#[test]
fn e6_jax_has_a_limit_of_memory() {
    let Some(f) = folder("memory") else { return };
    let each = "    if has('cosine', 'abs'):
        if not has('tanh'):
            much = b'1' * (1 << 27)
            time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGSEGV)";
    let python = f.jax(each);
    let reduce = |memory: &str, out: &str| {
        let args = ["--crash", "--backend", "jax", "--out-dir", out, "--memory", memory, "-j1"];
        f.reduce(&python, &args).1
    };
    let small = || {
        let text = reduce("0.05", "small");
        assert!(text.contains("nothing more goes: 3 equations, ") && text.contains("tanh"), "{text}");
    };
    let large = || {
        let text = reduce("2", "large");
        assert!(text.contains("nothing more goes: 2 equations, ") && !text.contains("tanh"), "{text}");
    };
    at_once(&[&small, &large]);
}

/// Numbers that are wrong where there is a cosine, and an error where there is none.
const WRONG_COSINES: &str = "    if not has('cosine') and text.count('stablehlo.'):
        write(b'nothing to say')
        continue";

#[test]
fn e6_a_process_of_jax_that_somebody_ends_is_no_difference() {
    let Some(f) = folder("ended") else { return };
    // Every fourth program is ended when it is seen first, and so is that to begin with.
    let each = "    import pathlib, zlib
    seen = pathlib.Path(sys.argv[0]).parent / f'seen-{zlib.crc32(text.encode())}'
    if (zlib.crc32(text.encode()) % 4 == 0 or text.count('tanh') > 5) and not seen.exists():
        seen.touch()
        os.kill(os.getpid(), signal.SIGKILL)\n";
    let python = f.jax(&format!("{each}{WRONG_COSINES}"));
    let (status, text) = f.reduce(&python, &["--differs", "eval,jax", "--out-dir", "out"]);
    assert!(status.success() && text.contains("it fails with: results that differ: other numbers"), "{text}");
    assert!(text.contains("nothing more goes: 1 equation, ") && text.contains("= cos("), "{text}");

    // One that is ended each time says nothing of the program.
    let python = f.jax("    if has('cosine'):\n        os.kill(os.getpid(), signal.SIGKILL)");
    let (status, text) = f.reduce(&python, &["--differs", "eval,jax", "--out-dir", "none"]);
    assert!(!status.success() && text.contains("ended from outside: signal: 9"), "{text}");
    let (status, text) = ended(&mut f.command("diff", &python, &["--backends", "eval,jax"]));
    assert!(status.code() == Some(2) && text.contains("ended from outside: signal: 9"), "{text}");
}

#[test]
fn e6_an_interpreter_that_is_ended_while_it_starts_is_told_of() {
    let Some(f) = folder("start") else { return };
    let path = f.path.join("python");
    std::fs::write(&path, "#!/bin/sh\nkill -9 $$\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let python = path.display().to_string();
    let (_, text) = f.reduce(&python, &["--differs", "eval,jax"]);
    assert!(text.contains("was ended from outside before it was ready: signal: 9"), "{text}");
    assert!(!text.contains("say which interpreter"), "{text}");
}

#[test]
fn d5_who_waits_for_a_diff_is_told_what_runs() {
    let Some(f) = folder("waits") else { return };
    let python = f.jax("    if has('cosine'):\n        time.sleep(4.5)\n        write(b'no')\n        continue");
    let mut command = f.command("diff", &python, &["--backends", "eval,jax"]);
    let mut child = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    // The first line comes while the first program runs.
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(child.stderr.take().unwrap()), &mut line).unwrap();
    let _ = child.kill();
    let _ = child.wait();
    assert!(line.starts_with("run 2 on jax: 31 equations, "), "{line}");
}

/// A program that JAX refuses has no numbers there, and so has all that comes of it.
#[test]
fn d5_an_error_of_jax_is_said() {
    let Some(f) = folder("error") else { return };
    let text =
        "program (x: f32[2]) { a: f32[2] = sin(x) b: f32[2] = cos(a) c: f32[2] = tanh(b) d: f32[2] = neg(c) return d }";
    std::fs::write(f.path.join("p.wg"), text).unwrap();
    let python = f.jax("    if has('cosine'):\n        write(b'XlaRuntimeError: no cosines here')\n        continue\n    import math\n    if has('sine'):\n        arrays = [(d, s, struct.pack('<2f', *[math.sin(x) for x in struct.unpack('<2f', v)])) for d, s, v in arrays]");
    let (status, text) = ended(&mut f.command("diff", &python, &["--backends", "eval,jax"]));
    assert_eq!(status.code(), Some(1), "{text}");
    assert!(text.contains("cos(a)") && text.contains("jax fails: JAX: XlaRuntimeError: no cosines here"), "{text}");
    assert!(text.matches("jax has no result").count() == 2 && text.contains("in output 0 jax has no result"), "{text}");
    assert!(!text.contains("NaN"), "{text}");
}

#[test]
fn d5_what_jax_is_waited_for_is_said_and_for_how_long() {
    let folder = |name: &str| {
        let f = Folder::new(name)?;
        std::fs::write(f.path.join("p.wg"), "program (x: f32[2]) { y: f32[2] = sin(x) return y }").unwrap();
        Some(f)
    };
    let diff =
        |f: &Folder, python: &str| ended(&mut f.command("diff", python, &["--backends", "eval,jax", "--timeout", "4"]));
    let never_ready = || {
        let Some(f) = folder("sleeps") else { return };
        let path = f.path.join("sleeps");
        std::fs::write(&path, "#!/bin/sh\nexec sleep 1000\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let (status, text) = diff(&f, &path.display().to_string());
        assert_eq!(status.code(), Some(2), "{text}");
        assert!(
            text.contains("waiting for JAX to start, ") && text.contains("it took longer than 4 s to start"),
            "{text}"
        );
    };
    let takes_a_program_and_is_heard_of_no_more = || {
        let Some(f) = folder("hangs") else { return };
        let (status, text) = diff(&f, &f.jax("    if has('sine'): time.sleep(1000)"));
        assert_eq!(status.code(), Some(2), "{text}");
        assert!(
            text.contains("run 2 on jax: 1 equation, ") && text.contains("longer than 4 s for a program of 1 equation"),
            "{text}"
        );
        assert!(text.contains("what to do: give it more time (`--timeout`)"), "{text}");
    };
    let takes_long_at_first_and_agrees = || {
        let Some(f) = folder("begins") else { return };
        let slow = f.jax("    time.sleep(0 if 'begun' in globals() else 3)\n    begun = True");
        let (_, text) = f.reduce(&slow, &["--differs", "eval,jax:100", "-j", "1"]);
        assert!(
            text.contains("waiting for JAX to start, ") && text.contains("waiting for the first run of the program"),
            "{text}"
        );
    };
    at_once(&[&never_ready, &takes_a_program_and_is_heard_of_no_more, &takes_long_at_first_and_agrees]);
}
