//! `wengert reduce` as a user runs it.

use super::at_once;
use std::path::PathBuf;
use std::process::{Command, Output};

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-reduce-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn reduce(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        command.current_dir(&self.0).arg("reduce").args(args).output().unwrap()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn shown(o: &Output) -> String {
    String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr)
}

/// Many equations around a logarithm of a negative number, and a sum of products that one rounding makes another.
fn program() -> String {
    let mut text = String::from("program f(x: f32[4,8], y: f32[8]) {\n  v0: f32[4,8] = sin(x)\n");
    for i in 0..60 {
        let op = ["tanh", "cos", "abs", "sin"][i % 4];
        text += &format!("  v{}: f32[4,8] = {op}(v{i})\n", i + 1);
    }
    text +=
        "  w: f32[4,8] = broadcast[shape=[4,8], dims=[1]](y)\n  p: f32[4,8] = mul(v60, w)\n  q: f32[4,8] = add(p, x)\n";
    text += "  n: f32[4,8] = sub(v60, 2.0:f32[4,8])\n  l: f32[4,8] = log(n)\n  m: f32[4,8] = add(l, q)\n";
    text + "  r: f32[4] = reduce[combiner=add, dims=[1]](m)\n  return r, q\n}\n"
}

#[test]
fn e6_a_nan_is_reduced_to_what_makes_it() {
    let f = Folder::new("nan");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--nan", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let text = f.read("out/reduced.wg");
    assert!(text.contains("log(") && text.matches(" = ").count() <= 2, "{text}");
    assert!(f.read("out/reduced.mlir").contains("stablehlo.log"));
    let report = f.read("out/report.txt");
    assert!(report.contains("\nit fails with: NaN\nfrom 68 equations"), "{report}");
    assert!(report.contains("nothing more goes: 1 equation, "), "{report}");
    // With more processes at once, the same comes out.
    let o = f.reduce(&["p.wg", "--nan", "--random", "1", "--out-dir", "several", "-j", "5"]);
    assert!(o.status.success() && f.read("several/reduced.wg") == text, "{}", shown(&o));
    // What came out fails as the program did.
    let again = f.reduce(&["p.wg", "--nan", "--resume", "--out-dir", "out"]);
    assert!(again.status.success() && shown(&again).contains("from 1 equation"), "{}", shown(&again));
}

/// A product that is rounded once on one side, and what is left of it: `diff` calls that rounding, and so does `reduce`.
#[test]
fn e6_rounding_alone_is_no_difference_to_reduce() {
    let f = Folder::new("rounding");
    f.write("p.wg", "program f(x: f32[9]) { z: f32[9] = mul(x, x) i: f32[9] = mul(x, x) n: f32[9] = neg(i) w: f32[9] = add(z, n) r: f32[9] = mul(w, 3.0:f32[9]) return r }");
    let o = f.reduce(&["p.wg", "--differs", "eval,rewritten", "--random", "1"]);
    let text = shown(&o);
    assert!(!o.status.success() && text.contains("agree within 1e-3"), "{text}");
    f.write("q.wg", "program f(x: f32[9]) { e: f32[9] = exp(x) n: f32[9] = neg(x) i: f32[9] = exp(n) m: f32[9] = mul(e, i) y: f32[9] = sub(m, 1.0:f32[9]) return y }");
    let o = f.reduce(&["q.wg", "--differs", "eval,cpu", "--random", "1", "--out-dir", "out"]);
    let text = shown(&o);
    assert!(!o.status.success() && text.contains("but for rounding, first in"), "{text}");
    assert!(text.contains("`eval,cpu:0` asks for the same numbers") && !f.0.join("out").exists(), "{text}");
    // Asked so, it is reduced.
    let o = f.reduce(&["q.wg", "--differs", "eval,cpu:0", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
}

/// The smallest program comes in every form that can express it, and the report says why another can't.
#[test]
fn e5_the_smallest_program_in_all_forms() {
    let f = Folder::new("forms");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--script", "grep -q reduce", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let (rust, python) = (f.read("out/reduced.rs"), f.read("out/reduced.py"));
    // Compiled as a whole, and compared with what the evaluator gives.
    assert!(rust.contains("jit(") && rust.contains("repro::check("), "{rust}");
    assert!(python.contains("jax.jit(") && python.contains("expected = ["), "{python}");
    assert!(f.read("out/reduced.mlir").contains("stablehlo.reduce") && !f.read("out/report.txt").contains("no "));
    // An op that JAX has for states of two words alone; what an earlier program left there goes.
    f.write(
        "q.wg",
        "program (s: u64[3]) { t: u64[3], y: u8[2] = rng_bit_generator[algorithm=philox, ty=u8[2]](s) return y }",
    );
    let o = f.reduce(&["q.wg", "--script", "grep -q '3.,.*philox'", "--ones", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    assert!(f.read("out/reduced.rs").contains("rng_bit_generator") && !f.0.join("out/reduced.py").exists());
    let report = f.read("out/report.txt");
    assert!(report.contains("no JAX of it: ") && report.contains("two words"), "{report}");
}

#[test]
fn e6_two_backends_that_round_differently() {
    let f = Folder::new("differs");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--differs", "eval,cpu:0", "--random", "2", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let text = f.read("out/reduced.wg");
    // A product and a sum, which the machine rounds once; or one function of the machine's own.
    assert!(text.lines().filter(|l| l.contains(" = ") && !l.contains("constant")).count() <= 4, "{text}");
    // Which part of the compiler it goes away without.
    assert!(f.read("out/report.txt").contains("WENGERT_"), "{}", f.read("out/report.txt"));
    let o = f.reduce(&["p.wg", "--differs", "eval,eval", "--random", "2", "--out-dir", "same"]);
    assert!(o.status.code() == Some(1) && shown(&o).contains("does not fail as was said, in 25 runs"), "{}", shown(&o));
}

#[test]
fn d5_diff_names_the_equation_and_rounding_is_none() {
    let f = Folder::new("diff");
    f.write("p.wg", &program().replace("log(n)", "exp(n)"));
    let diff = |pair: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        command.current_dir(&f.0).args(["diff", "p.wg", "--random", "2", "--backends", pair]).output().unwrap()
    };
    let o = diff("eval,cpu");
    assert!(o.status.success() && shown(&o).contains("eval and cpu agree within 1e-3"), "{}", shown(&o));
    // What the compiler rewrites is replayed on the reference side.
    let o = diff("rewritten,cpu:0");
    assert!(o.status.success(), "{}", shown(&o));
    let o = diff("eval,cpu:0");
    assert_eq!(o.status.code(), Some(1), "{}", shown(&o));
    // A product and a sum are rounded once: that is of both.
    for said in ["= mul(v60, w)", "= add(p, x)", "these 2 equations together differ, none of them alone"] {
        assert!(shown(&o).contains(said), "{said}: {}", shown(&o));
    }
    assert!(shown(&o).contains("what they are given agrees, and "), "{}", shown(&o));
    let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
    command.current_dir(&f.0).args(["diff", "p.wg", "--ones", "--backends", "eval,jax", "--python", "/not/there"]);
    let o = command.output().unwrap();
    assert!(shown(&o).contains("can't be started") && !shown(&o).contains("do not agree"), "{}", shown(&o));
    let o = diff("eval");
    assert_eq!(o.status.code(), Some(2), "{}", shown(&o));
}

#[test]
fn e6_a_script_decides() {
    let f = Folder::new("script");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--script", "grep -q reduce", "--ones", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    assert!(f.read("out/report.txt").contains("nothing more goes: 1 equation, "), "{}", f.read("out/report.txt"));
    // Several at once, each in a folder of its own: the same comes out.
    // A command that says where the file goes gets it there alone, and what is given another's output gets none.
    for script in [
        "[ \"$(grep -c reduce \"$1\")\" -ge 1 ]",
        "if grep -q reduce \"$1\"; then exit 0; else exit 1; fi",
        "cat \"$1\" | grep -q reduce",
    ] {
        let o = f.reduce(&["p.wg", "--script", script, "--ones", "--out-dir", "placed", "--force"]);
        assert!(o.status.success() && f.read("placed/report.txt").contains("1 equation, "), "{script}: {}", shown(&o));
    }
    let o = f.reduce(&["p.wg", "--script", "echo hello | grep -q reduce", "--ones", "--out-dir", "none"]);
    assert!(shown(&o).contains("does not succeed for the program to reduce"), "{}", shown(&o));
    f.write("look.sh", "grep -q reduce \"$1\"");
    let o = f.reduce(&["p.wg", "--script", "sh look.sh", "--ones", "--out-dir", "named"]);
    assert!(o.status.success(), "{}", shown(&o));
    let o = f.reduce(&["p.wg", "--script", "grep -q reduce", "--ones", "--out-dir", "several", "-j", "3"]);
    assert!(o.status.success() && f.read("several/reduced.wg") == f.read("out/reduced.wg"), "{}", shown(&o));
    assert!(!f.0.join("several/candidate-2").exists());
    // One that takes its time shows how far it is.
    let slow = || {
        let o = f.reduce(&["p.wg", "--script", "sleep 0.1; grep -q reduce", "--ones", "--out-dir", "slow", "-j", "1"]);
        let line = |l: &&str| l.contains(" equation") && l.contains(" candidates, ") && l.ends_with(" a second");
        assert!(o.status.success() && shown(&o).lines().any(|l| line(&l)), "{}", shown(&o));
    };
    let refused = || {
        for (script, message) in [
            ("./not-there", "is not there, or can't be executed"),
            ("false", "does not succeed for the program to reduce"),
            ("true", "the script `true` succeeds for a program that does nothing, too"),
            ("sleep 100", "does not succeed for the program to reduce"),
        ] {
            let args = ["p.wg", "--script", script, "--ones", "--timeout", "0.3", "--times", "4", "--out-dir", "other"];
            let o = f.reduce(&args);
            assert!(o.status.code() == Some(1) && shown(&o).contains(message), "{script}: {}", shown(&o));
        }
    };
    // Candidates that hang or end badly are not interesting, and nothing is left of them.
    let hangs = || {
        let script = "sh -c 'grep -q log \"$0\" || sleep 1000'";
        let o = f.reduce(&["p.wg", "--script", script, "--ones", "--timeout", "0.2", "--out-dir", "hang"]);
        assert!(o.status.success(), "{}", shown(&o));
        assert!(!f.0.join("hang/candidate").exists());
    };
    at_once(&[&slow, &refused, &hangs]);
}

/// Scripts that leave processes behind, kill themselves, or change what they were not given.
#[cfg(target_os = "linux")]
#[test]
fn e6_a_script_that_misbehaves() {
    let f = Folder::new("misbehaves");
    f.write("p.wg", &program());
    let reduce = |name: &str, script: &str| {
        f.write("test.sh", script);
        let o = f.reduce(&["p.wg", "--script", "sh ../../test.sh", "--ones", "--out-dir", name]);
        assert!(o.status.success(), "{}", shown(&o));
        let report = f.read(&format!("{name}/report.txt"));
        assert!(report.contains("nothing more goes: 1 equation, "), "{report}");
    };
    // What it starts is gone when it has ended.
    reduce("forks", "sleep 1000 & echo $! >> ../../started\ngrep -q log \"$1\"");
    let started = f.read("started");
    let state = |id: &str| std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let is_there = |id: &str| state(id).contains("(sleep) S");
    assert!(started.lines().count() > 20 && !started.lines().any(is_there), "{started}");
    // So is what leaves its group, and outlives whoever started it.
    let away = "setsid sh -c 'echo $$ >> ../../away; exec sleep 1000' < /dev/null > /dev/null 2>&1 &";
    reduce("leaves", &format!("({away})\nsleep 0.02; grep -q log \"$1\""));
    let away = f.read("away");
    assert!(away.lines().count() > 5 && !away.lines().any(is_there), "{away}");
    reduce("kills", "grep -q log \"$1\" || kill -9 $$");
    // The program was read once.
    reduce("changes", "echo nonsense > ../../p.wg; grep -q log \"$1\"");
    assert_eq!(f.read("p.wg"), "nonsense\n");
}

/// A script that does not succeed to begin with: it is said how it ended, and what an earlier run found stays.
#[cfg(unix)]
#[test]
fn e6_a_script_that_does_not_succeed_is_told_of() {
    let f = Folder::new("fails");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--nan", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let before = f.read("out/reduced.wg");
    for (script, times, how) in [
        ("false", "25", "it ended with exit status: 1"),
        ("kill -9 $$;", "3", "it ended with signal: 9"),
        (
            "echo it has $(grep -c log $1) of them; echo none >&2; false",
            "1",
            "it said:\n    it has 1 of them\n    none\n",
        ),
        ("sleep 100;", "2", "it took longer than 0.5 s (`--timeout`)"),
    ] {
        let args = ["p.wg", "--script", script, "--ones", "--timeout", "0.5", "--times", times, "--out-dir", "out"];
        let o = f.reduce(&args);
        let text = shown(&o);
        assert!(o.status.code() == Some(1) && text.contains("does not succeed") && text.contains(how), "{text}");
        assert_eq!(f.read("out/reduced.wg"), before);
    }
}

/// A script that succeeds by chance: how often is measured before anything else, and candidates are run as often as that asks for.
#[cfg(unix)]
#[test]
fn e6_a_script_that_succeeds_by_chance() {
    let reduce = |name: &str, more: &[&str]| {
        let f = Folder::new(name);
        f.write("p.wg", &program());
        // Every third run succeeds, and not the first.
        f.write(
            "test.sh",
            "grep -q log \"$1\" || exit 1\necho >> ../../count\n[ $(($(wc -l < ../../count) % 3)) = 0 ]\n",
        );
        f.write("count", "");
        let script = ["p.wg", "--script", "sh ../../test.sh", "--ones", "-j1", "--out-dir", "out"];
        (f.reduce(&[&script[..], more].concat()), f)
    };
    let succeeds = |name: &str, more: &[&str], says: &str| {
        let (o, f) = reduce(name, more);
        assert!(o.status.success() && shown(&o).contains(says), "{}", shown(&o));
        let report = f.read("out/report.txt");
        assert!(report.contains(says) && report.contains("nothing more goes: 1 equation, "), "{report}");
    };
    at_once(&[
        &|| succeeds("chance-nine", &["--times", "9"], "in 3 of 9 runs: each candidate is run 9 times"),
        &|| succeeds("chance", &[], "in 8 of 25 runs: each candidate is run 10 times"),
    ]);
    let (o, _) = reduce("chance-once", &["--times", "1"]);
    assert!(o.status.code() == Some(1) && shown(&o).contains("program to reduce, in 1 run: it ended"), "{}", shown(&o));
}

/// A script that succeeds at once, and by chance later on: that is noticed when the program is smaller, and what did not succeed by
/// chance is looked at again.
#[cfg(unix)]
#[test]
fn e6_a_script_that_succeeds_by_chance_only_later() {
    let f = Folder::new("later");
    f.write("p.wg", &program());
    // Every second run succeeds, beginning with the first that has a logarithm.
    f.write("test.sh", "grep -q log \"$1\" || exit 1\necho >> ../../count\n[ $(($(wc -l < ../../count) % 2)) = 1 ]\n");
    f.write("count", "");
    let o = f.reduce(&["p.wg", "--script", "sh ../../test.sh", "--ones", "-j1", "--out-dir", "out"]);
    let says = "of 25 runs: each candidate is run ";
    let (said, report) = (shown(&o), f.read("out/report.txt"));
    assert!(o.status.success() && said.contains(says) && report.contains(says), "{said}\n{report}");
    assert!(report.contains("nothing more goes: 1 equation, "), "{report}");
}

/// A disk without room is an error that names the file, and what an earlier run found stays.
#[cfg(target_os = "linux")]
#[test]
fn e6_a_full_disk_loses_nothing() {
    let f = Folder::new("full");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--nan", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let before = f.read("out/reduced.wg");
    // No file may have more than a block: to a program that is as if the disk were full.
    let limited = format!(
        "trap '' XFSZ; ulimit -f 1; exec {} reduce p.wg --nan --random 1 --out-dir out",
        env!("CARGO_BIN_EXE_wengert")
    );
    let o = Command::new("sh").current_dir(&f.0).args(["-c", &limited]).output().unwrap();
    assert!(o.status.code() == Some(1) && shown(&o).contains("out/reduced."), "{}", shown(&o));
    assert_eq!(f.read("out/reduced.wg"), before);
    // A folder that goes meanwhile ends it, and it says so.
    let script = "sh -c 'grep -q log \"$0\" && rm -rf ../../gone'";
    let o = f.reduce(&["p.wg", "--script", script, "--ones", "--out-dir", "gone"]);
    assert!(o.status.code() == Some(1) && shown(&o).contains("gone"), "{}", shown(&o));
}

/// How many processes for candidates there are whose command and environment have these in them.
#[cfg(target_os = "linux")]
fn workers(in_command: &str, in_environment: &str) -> usize {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let has = |p: &std::fs::DirEntry, file: &str, text: &str| {
        std::fs::read(p.path().join(file)).is_ok_and(|bytes| String::from_utf8_lossy(&bytes).contains(text))
    };
    let is_worker = |p: &std::fs::DirEntry| has(p, "cmdline", "reduce-worker") && has(p, "cmdline", in_command);
    all.filter(|p| is_worker(p) && has(p, "environ", in_environment)).count()
}

/// Interrupts a reduction once there are such processes; whether it ended well, and what it said. None of them is left then.
#[cfg(target_os = "linux")]
fn interrupted(f: &Folder, args: &[&str], signal: &str, in_command: &str, in_environment: &str) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
    command.current_dir(&f.0).arg("reduce").args(args).stderr(std::process::Stdio::piped());
    let child = command.stdout(std::process::Stdio::null()).spawn().unwrap();
    let start = std::time::Instant::now();
    while workers(in_command, in_environment) == 0 {
        assert!(start.elapsed().as_secs() < 60, "no process for candidates");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    let asked = std::time::Instant::now();
    let o = child.wait_with_output().unwrap();
    assert!(asked.elapsed().as_secs() < 10, "{}", shown(&o));
    while workers(in_command, "") > 0 {
        assert!(asked.elapsed().as_secs() < 20, "a process is left");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    (o.status.success(), shown(&o))
}

/// An interrupt while it is learned how a program fails: what an earlier run found stays, and no process.
#[cfg(target_os = "linux")]
#[test]
fn e6_an_interrupt_loses_nothing_and_leaves_nothing() {
    let f = Folder::new("interrupt");
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--nan", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let results = || ["reduced.wg", "reduced.rs", "report.txt"].map(|name| f.read(&format!("out/{name}")));
    let before = results();
    // One that is never done: compiling is always slow enough.
    let marker = format!("--slow-compile=1e-{}", 5 + std::process::id() % 7);
    for signal in ["-TERM", "-INT"] {
        let args = ["p.wg", "--random", "1", "--out-dir", "out", &marker, "--times", "200000"];
        let (is_well, said) = interrupted(&f, &args, signal, &marker, "");
        assert!(!is_well && said.contains("interrupted"), "{said}");
        assert!(results() == before && !f.0.join("out/.lock").exists(), "{said}");
        // A folder that was made for it goes with it.
        let args = ["p.wg", "--random", "1", "--out-dir", "new", &marker, "--times", "200000"];
        interrupted(&f, &args, signal, &marker, "");
        assert!(!f.0.join("new").exists());
    }
}

/// An interrupt while it is found out which part of the compiler a failure needs: the result is whole, and says what is not known.
#[cfg(target_os = "linux")]
#[test]
fn e6_an_interrupt_while_the_compiler_is_bisected() {
    let f = Folder::new("bisected");
    f.write(
        "p.wg",
        "program (x: f32[4], y: f32[4]) { a: f32[4] = sin(x) p: f32[4] = mul(a, y) q: f32[4] = add(p, x) return q }",
    );
    // Each candidate is run so often that there is time to interrupt.
    let pair = format!("eval,cpu:1e-{}", 20 + std::process::id() % 7);
    let args = ["p.wg", "--differs", &pair, "--random", "2", "--out-dir", "out", "--times", "150"];
    let (_, said) = interrupted(&f, &args, "-INT", &pair, "WENGERT_REWRITES=");
    let unknown = "which part of the compiler it needs is not known: interrupted";
    assert!(said.contains(unknown) && said.contains("nothing more goes: 2 equations"), "{said}");
    assert!(f.read("out/report.txt").contains(unknown) && f.read("out/reduced.rs").contains("jit("));
    assert!(!f.0.join("out/.lock").exists());
    let o = f.reduce(&["p.wg", "--differs", &pair, "--resume", "--out-dir", "out"]);
    assert!(o.status.success() && shown(&o).contains("it does not fail with WENGERT_REWRITES="), "{}", shown(&o));
}

/// An interrupt while a script looks at a candidate: the report is there, and nothing that candidates left.
#[cfg(unix)]
#[test]
fn e6_an_interrupt_leaves_a_report() {
    let f = Folder::new("report");
    f.write("p.wg", &program());
    // The first candidates go quickly, and one hangs.
    f.write(
        "slow.sh",
        "grep -q log \"$1\" || exit 1\necho >> ../../count\n[ $(wc -l < ../../count) -lt 5 ] && exit 0\ntouch ../../hangs\nsleep 50\n",
    );
    let mut child = Command::new(env!("CARGO_BIN_EXE_wengert"))
        .current_dir(&f.0)
        .args(["reduce", "p.wg", "--random", "1", "--out-dir", "out", "-j1", "--script", "sh ../../slow.sh"])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    while !f.0.join("hangs").exists() && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(f.0.join("out/candidate").exists());
    let asked = std::time::Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert!(!child.wait().unwrap().success() && asked.elapsed().as_secs() < 10, "{said}");
    assert!(said.contains("stopped: ") && said.contains("`--resume` goes on"), "{said}");
    assert!(f.read("out/report.txt").contains("\nstopped: "));
    let mut left: Vec<String> =
        std::fs::read_dir(f.0.join("out")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    left.sort();
    assert_eq!(left, ["reduced.mlir", "reduced.py", "reduced.rs", "reduced.safetensors", "reduced.wg", "report.txt"]);
}

/// What can be read and not run, such as a call of Python in a module of JAX, fails in the processes of candidates too.
#[test]
fn e6_what_fails_where_a_run_comes_there_is_reduced() {
    let f = Folder::new("refused");
    f.write(
        "p.wg",
        "program (x: f32[8,24]) { a: f32[8,24] = sin(x)
           b: f32[8,24] = stablehlo.refused[attributes=\"f32[8,24]: it asks Python\"](a)
           c: f32[8,24] = exp(b) d: f32[8,24] = add(c, x) return d }",
    );
    let o = f.reduce(&["p.wg", "--error", "asks Python", "--ones", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    assert!(
        f.read("out/report.txt").contains("nothing more goes: 1 equation, 1 element after"),
        "{}",
        f.read("out/report.txt")
    );
}

/// Where the failure is not the one that was said, it is told what happened instead.
#[test]
fn e6_another_failure_is_told_of() {
    let f = Folder::new("instead");
    let text =
        "program (x: f32[3]) { b: f32[3] = stablehlo.refused[attributes=\"f32[3]: it asks Python\"](x) return b }";
    f.write("p.wg", text);
    for (symptom, instead) in [
        (&["--differs", "eval,cpu"][..], "eval can't run it: it asks Python"),
        (&["--nan"], "cpu can't run it: it asks Python"),
        (&["--error", "no memory"], "it fails otherwise: it asks Python"),
        (&["--crash"], "`--error` looks for what is told: it asks Python"),
    ] {
        let o = f.reduce(&[&["p.wg", "--ones", "--out-dir", "out"], symptom].concat());
        assert!(o.status.code() == Some(1) && shown(&o).contains(instead), "{symptom:?}: {}", shown(&o));
        assert!(!shown(&o).contains("agree") && !shown(&o).contains("finite"), "{symptom:?}: {}", shown(&o));
    }
}

/// Candidates may take more memory than the program: an array that was never whole may become an input.
#[test]
fn e6_a_large_array_in_the_middle_goes() {
    let f = Folder::new("memory");
    // The sum of a large array: without it, the array itself would be the result.
    f.write(
        "p.wg",
        "program (x: f32[]) { a: f32[40000,1000] = broadcast[shape=[40000,1000], dims=[]](x)
           s: f32[] = reduce[combiner=add, dims=[0, 1]](a) z: f32[] = sub(x, x) q: f32[] = div(s, z) return q }",
    );
    let o = f.reduce(&["p.wg", "--nan", "--ones", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    assert!(
        f.read("out/report.txt").contains("nothing more goes: 1 equation, 1 element"),
        "{}",
        f.read("out/report.txt")
    );
}

/// What has no memory by the limit of candidates alone does not fail: what comes out fails where it has all of the machine.
#[test]
fn e6_the_limit_of_candidates_is_no_failure() {
    let f = Folder::new("limit");
    f.write(
        "p.wg",
        "program (x: f32[]) { a: f32[9000000,9000] = broadcast[shape=[9000000,9000], dims=[]](x) i: f32[9000000,9000] = iota[ty=f32[9000000,9000], dim=0]()
           y: f32[9000000,9000] = mul(a, i) z: f32[9000000,9000] = sin(y) s: f32[] = reduce[combiner=add, dims=[0, 1]](z) q: f32[] = cos(s) return q }",
    );
    for backend in ["cpu", "eval", "eager"] {
        let o = f.reduce(&[
            "p.wg",
            "--error",
            "no memory",
            "--ones",
            "--memory",
            "0.02",
            "--out-dir",
            "out",
            "--backend",
            backend,
        ]);
        assert!(o.status.success(), "{backend}: {}", shown(&o));
        let same = f.reduce(&[
            "out/reduced.wg",
            "--input",
            "out/reduced.safetensors",
            "--error",
            "no memory",
            "--out-dir",
            "again",
            "--backend",
            backend,
        ]);
        assert!(same.status.success() && shown(&same).contains("nothing more goes"), "{backend}: {}", shown(&same));
    }
}

#[test]
fn e6_an_error_keeps_its_message() {
    let f = Folder::new("error");
    // The index of a branch is never wrong here; a plugin that is not there is an error of every program.
    f.write("p.wg", &program());
    let o = f.reduce(&["p.wg", "--error", "no such thing", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.code() == Some(1) && shown(&o).contains("does not fail as was said"), "{}", shown(&o));
    for (args, message) in [
        (&["p.wg", "--random", "1"][..], "required"),
        (&["p.wg", "--differs", "eval"], "two backends are needed"),
        (&["p.wg", "--differs", "eval,abacus"], "backends are cpu, eval"),
        (&["p.wg", "--differs", "eval,cpu:nan"], "the tolerance `nan` is no finite number"),
        // A backend that is missing is no difference of results.
        (&["p.wg", "--differs", "eval,jax", "--ones", "--python", "/not/there"], "can't be started"),
        (&["p.wg", "--error", "("], "error"),
        (&["gone.wg", "--nan"], "gone.wg"),
        (&[".", "--nan", "--ones"], "`.` is a folder, and a program or a tape is a file"),
    ] {
        let o = f.reduce(args);
        assert!(!o.status.success() && shown(&o).contains(message), "{args:?}: {}", shown(&o));
    }
    assert_eq!(f.reduce(&[".", "--nan", "--ones"]).status.code(), Some(2));
}

/// Numbers that make no sense are mistakes of the command, and are said before anything runs.
#[test]
fn e6_numbers_that_make_no_sense() {
    let f = Folder::new("numbers");
    f.write("p.wg", &program());
    for (option, message) in [
        ("--times=0", "a whole number from 1 to"),
        ("--times=-2", "a whole number from 1 to"),
        ("-j0", "a whole number from 1 to 1024"),
        ("-j5000", "a whole number from 1 to 1024"),
        ("--timeout=-1", "a number of seconds above 0"),
        ("--timeout=0", "a number of seconds above 0"),
        ("--timeout=nan", "a number of seconds above 0"),
        ("--memory=-1", "a number of gibibytes"),
    ] {
        let o = f.reduce(&["p.wg", "--nan", "--ones", option]);
        assert!(o.status.code() == Some(2) && shown(&o).contains(message), "{option}: {}", shown(&o));
    }
    let o = f.reduce(&["p.wg", "--nan", "--ones", "--timeout", "-1"]);
    assert!(o.status.code() == Some(2) && shown(&o).contains("a number of seconds above 0"), "{}", shown(&o));
    let o = f.reduce(&["p.wg", "--slow-compile", "0", "--ones"]);
    assert_eq!(o.status.code(), Some(2), "{}", shown(&o));
    for (pair, message) in [
        ("eval,cpu:-1", "the tolerance `-1` is no finite number from 0 on"),
        ("eval,cpu:nan", "the tolerance `nan`"),
        ("eval,cpu:inf", "the tolerance `inf`"),
        ("eval,cpu:1e-3x", "the tolerance `1e-3x`"),
        ("eval,cpu:", "the tolerance ``"),
        ("eval,cpo:1", "backends are cpu, eval"),
        ("eval,cpo", "backends are cpu, eval"),
        ("evil,cpu:-1", "backends are cpu, eval"),
        ("eval", "two backends are needed"),
    ] {
        let o = f.reduce(&["p.wg", "--ones", "--differs", pair]);
        assert!(o.status.code() == Some(2) && shown(&o).contains(message), "{pair}: {}", shown(&o));
    }
    let o = f.reduce(&["p.wg", "--differs", "eval,cpu", "--backend", "cpu", "--ones"]);
    assert_eq!(o.status.code(), Some(2), "{}", shown(&o));
    assert!(!f.0.join("reduced").exists());
}

#[test]
fn e6_a_nan_in_the_inputs_is_said() {
    let f = Folder::new("given");
    f.write("p.wg", "program (x: f32[2], y: f32[2]) { z: f32[2] = add(x, y) return z }");
    let save = |name: &str, v: [f32; 2]| wengert::Array::from(v).save_npy(f.0.join(name)).unwrap();
    save("x.npy", [1.0, 2.0]);
    save("nan.npy", [1.0, f32::NAN]);
    save("inf.npy", [1.0, f32::INFINITY]);
    for (name, what) in [("nan.npy", "input 1 `y` has NaN in it"), ("inf.npy", "input 1 `y` has an infinity in it")] {
        let o = f.reduce(&["p.wg", "--nan", "--input", "x.npy", name]);
        assert!(o.status.code() == Some(1) && shown(&o).contains(what), "{}", shown(&o));
        assert!(shown(&o).contains("`WENGERT_CHECK=nan wengert run` with these inputs names"), "{}", shown(&o));
    }
    // One that is made of finite numbers is reduced all the same.
    let text =
        "program (x: f32[2], y: f32[2]) { z: f32[2] = add(x, y) a: f32[2] = sub(x, 1.125:f32[2]) b: f32[2] = log(a)
                c: f32[2] = mul(z, b) return c }";
    f.write("q.wg", text);
    let o = f.reduce(&["q.wg", "--nan", "--input", "x.npy", "nan.npy", "--out-dir", "made"]);
    assert!(o.status.success() && shown(&o).contains("the part that makes one of finite numbers"), "{}", shown(&o));
    // By the simplest number that does it.
    assert!(f.read("made/reduced.wg").contains(" = log(-1.0"), "{}", f.read("made/reduced.wg"));
    let o = f.reduce(&["p.wg", "--nan", "--input", "x.npy", "x.npy"]);
    assert!(
        o.status.code() == Some(1) && shown(&o).contains("all numbers of the results were finite"),
        "{}",
        shown(&o)
    );
    assert!(!f.0.join("reduced").exists());
}

/// Results go to a folder of their own: nothing that others wrote is replaced or removed, least of all what is read.
#[test]
fn e6_results_replace_nothing_but_earlier_results() {
    let f = Folder::new("folder");
    f.write("p.wg", &program());
    std::fs::create_dir_all(f.0.join("mine/candidate")).unwrap();
    f.write("mine/reduced.wg", "mine");
    f.write("mine/candidate/notes.txt", "mine");
    let reduce = |more: &[&str]| f.reduce(&[&["p.wg", "--script", "grep -q log", "--ones"], more].concat());
    let o = reduce(&["--out-dir", "mine"]);
    assert!(o.status.code() == Some(2) && shown(&o).contains("files in it that this command did not"), "{}", shown(&o));
    // The folder of candidates is removed at the end, so it is never another's.
    let o = reduce(&["--out-dir", "mine", "--force"]);
    assert!(o.status.code() == Some(2) && shown(&o).contains("is where candidates are put"), "{}", shown(&o));
    assert_eq!((f.read("mine/reduced.wg"), f.read("mine/candidate/notes.txt")), ("mine".into(), "mine".into()));
    std::fs::remove_dir_all(f.0.join("mine/candidate")).unwrap();
    let o = reduce(&["--out-dir", "mine", "--force"]);
    assert!(o.status.success() && f.read("mine/reduced.wg").contains("log"), "{}", shown(&o));
    // Again, where an earlier run has been.
    let o = reduce(&["--out-dir", "mine"]);
    assert!(o.status.success(), "{}", shown(&o));
    // What somebody changed since is kept, but where `--force` says otherwise.
    for name in ["reduced.wg", "reduced.mlir", "reduced.rs", "reduced.py", "report.txt"] {
        let path = format!("mine/{name}");
        let changed = f.read(&path) + "\n// a remark";
        f.write(&path, &changed);
        for more in [&["--out-dir", "mine"][..], &["--out-dir", "mine", "--resume"]] {
            let o = reduce(more);
            assert!(o.status.code() == Some(2) && shown(&o).contains("was changed since"), "{name}: {}", shown(&o));
            assert_eq!(f.read(&path), changed);
        }
        let o = reduce(&["--out-dir", "mine", "--force"]);
        assert!(o.status.success() && f.read(&path) != changed, "{}", shown(&o));
    }
    // Scripts see no mark, whose checksum could be what they look for.
    let o = f.reduce(&["p.wg", "--script", "sh -c 'grep -q Checksum \"$0\"'", "--ones", "--out-dir", "mine"]);
    assert!(o.status.code() == Some(1) && shown(&o).contains("does not succeed for the program"), "{}", shown(&o));
    let before = f.read("mine/reduced.wg");
    let o = f.reduce(&["mine/reduced.wg", "--script", "grep -q log", "--ones", "--out-dir", "mine", "--force"]);
    assert!(o.status.code() == Some(2) && shown(&o).contains("is what the command reads"), "{}", shown(&o));
    assert_eq!(f.read("mine/reduced.wg"), before);
    let o = reduce(&["--out-dir", "p.wg"]);
    assert!(o.status.code() == Some(2) && shown(&o).contains("is no folder"), "{}", shown(&o));
    let o = reduce(&["--out-dir", "none", "--resume"]);
    assert!(o.status.code() == Some(1) && shown(&o).contains("nothing to go on from"), "{}", shown(&o));
    // A run that was killed before it had found anything leaves its candidates, and the next goes on.
    f.write("slow.sh", "sleep 0.2; grep -q log \"$1\"");
    let mut child = Command::new(env!("CARGO_BIN_EXE_wengert"))
        .current_dir(&f.0)
        .args(["reduce", "p.wg", "--ones", "--out-dir", "killed", "-j1", "--script", "sh ../../slow.sh"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let start = std::time::Instant::now();
    while !f.0.join("killed/candidate/candidate.wg").exists() && start.elapsed().as_secs() < 20 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    // Meanwhile the folder is its own.
    let o = reduce(&["--out-dir", "killed"]);
    assert!(o.status.code() == Some(2) && shown(&o).contains("another `wengert reduce` is at work"), "{}", shown(&o));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(f.0.join("killed/candidate").exists());
    let o = reduce(&["--out-dir", "killed"]);
    assert!(o.status.success() && !f.0.join("killed/candidate").exists(), "{}", shown(&o));
    assert!(!f.0.join("killed/.lock").exists());
}

/// `--resume` goes on with what the folder is of, whatever the file is called, and refuses another program and another failure.
#[test]
fn e6_another_question_is_not_resumed() {
    let f = Folder::new("question");
    f.write("p.wg", &program());
    f.write("other.wg", &program().replace("tanh", "exp"));
    let o = f.reduce(&["p.wg", "--nan", "--random", "1", "--out-dir", "out"]);
    assert!(o.status.success(), "{}", shown(&o));
    let before = ["out/reduced.wg", "out/report.txt"].map(|name| f.read(name));
    let resume = |args: &[&str]| f.reduce(&[args, &["--resume", "--out-dir", "out"]].concat());
    for (args, words) in [
        (&["other.wg", "--nan"][..], ["has a case of another program than `other.wg`", "bytes with checksum"]),
        (&["p.wg", "--nan", "--backend", "eval"], ["`--nan --backend=cpu`", "`--nan --backend=eval`"]),
        (&["p.wg", "--differs", "eval,cpu:0"], ["`--nan --backend=cpu`", "`--differs=eval,cpu:0e0`"]),
        (&["p.wg", "--script", "grep -q log"], ["`--nan --backend=cpu`", "`--script=grep -q log`"]),
        (&["p.wg", "--error", "a\nb"], ["`--nan --backend=cpu`", "`--error=a\\nb --backend=cpu`"]),
    ] {
        let o = resume(args);
        assert!(o.status.code() == Some(2), "{}", shown(&o));
        assert!(words.iter().all(|w| shown(&o).contains(w)), "{}", shown(&o));
        assert_eq!(["out/reduced.wg", "out/report.txt"].map(|name| f.read(name)), before);
    }
    std::fs::rename(f.0.join("p.wg"), f.0.join("moved.wg")).unwrap();
    let o = resume(&["moved.wg", "--nan"]);
    assert!(o.status.success() && f.read("out/reduced.wg") == before[0], "{}", shown(&o));
    // The steps of both runs.
    let report = f.read("out/report.txt");
    let steps = before[1].lines().filter(|line| line.starts_with(' '));
    assert!(steps.clone().count() > 2 && steps.clone().all(|step| report.contains(step)), "{report}");
    assert!(report.contains("\nfrom 68 equations") && report.contains("\nfrom 1 equation, "), "{report}");
    // A run that begins anew has a report of its own.
    let o = f.reduce(&["other.wg", "--script", "grep -q reduce", "--ones", "--out-dir", "out"]);
    let report = f.read("out/report.txt");
    assert!(o.status.success() && report.lines().filter(|l| l.starts_with("from ")).count() == 1, "{report}");
}

/// Faults that tests plant in the compiler are in no build that users get.
#[test]
fn e5_the_command_has_no_planted_faults() {
    let bytes = std::fs::read(env!("CARGO_BIN_EXE_wengert")).unwrap();
    let has = |text: &[u8]| bytes.windows(text.len()).any(|w| w == text);
    assert!(has(b"WENGERT_REWRITES") && !has(b"WENGERT_FAULT") && !has(b"no fault is called"));
}

/// A script that always succeeds for the program, and for smaller ones at first: what was taken by chance is given back.
#[cfg(unix)]
#[test]
fn e6_a_sure_failure_is_not_reduced_to_one_by_chance() {
    // With a sine it always succeeds; without, in the first four runs of each program and one of four after that.
    let script =
        "grep -q log \"$1\" || exit 1\ngrep -q 'sin(' \"$1\" && exit 0\nn=../../count-$(cksum < \"$1\" | cut -d' ' -f1)
echo >> $n\nk=$(wc -l < $n)\n[ $k -le 4 ] || [ $((k % 4)) = 0 ]\n";
    let reduced = |name: &str, more: &[&str]| {
        let f = Folder::new(name);
        f.write("p.wg", &program());
        f.write("test.sh", script);
        let args = ["p.wg", "--script", "sh ../../test.sh", "--ones", "-j1", "--out-dir", "out"];
        let o = f.reduce(&[&args[..], more].concat());
        let report = f.read("out/report.txt");
        assert!(o.status.success() && report.contains(" back "), "{}{report}", shown(&o));
        let best = f.read("out/reduced.wg");
        assert!(best.contains("log(") && best.contains("sin("), "{best}");
        assert!(report.contains("nothing more goes: 2 equations, "), "{report}");
    };
    at_once(&[&|| reduced("sure-times", &["--times", "4"]), &|| reduced("sure", &[])]);
}
