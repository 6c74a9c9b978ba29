//! What a program that fails leaves behind (E4): `src/fails.rs` in processes of its own, with `WENGERT_REPRO_DIR`.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// The program in a process: how it fails, and the folder for what it leaves.
fn command(how: &str, folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wengert-fails"));
    command.env("FAILS", how).env("WENGERT_REPRO_DIR", folder).env("RUST_BACKTRACE", "0");
    command.env_remove("WENGERT_CHECK").env_remove("WENGERT_TAPE");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A folder that no other test has.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wengert-fails-{}-{}", std::process::id(), name.replace(' ', "_")));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn reproducers(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    all.sort();
    all
}

fn read(folder: &Path, file: &str) -> String {
    std::fs::read_to_string(folder.join(file)).unwrap_or_default()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part}\n{text}"));
}

/// A way to fail: its name, what the standard error has, and what `main.rs` has.
type Way = (&'static str, &'static [&'static str], &'static [&'static str]);

const WAYS: &[Way] = &[
    ("shape", &["`matmul` can't multiply"], &["v0.matmul(&v1)", "vec![1.0f32, 2.0, 3.0]"]),
    ("operator", &["do not broadcast together"], &["&v0 + &v1"]),
    ("op", &["`atan2` needs operands of one shape"], &["lax::atan2(&v0, &v1)"]),
    ("axis", &["axis 7 is out of range"], &["v0.sum(7)"]),
    ("axes", &["axis 3 is out of range"], &["v0.mean(keep([0, 3]))"]),
    ("softmax", &["axis 5 is out of range"], &["v0.max(keep(5))"]),
    ("compare", &["`gt`: arrays of shapes [2] and [3]"], &["v0.gt(&v1)"]),
    ("where", &["`where_`: arrays of shapes [2] and [3]"], &["where_(&v0, &v1, &v2)"]),
    ("index", &["index 5 is out of range"], &["v0.get(5)"]),
    ("index in a loop", &["1 index for an array of shape []"], &["scan(", ".get(4)"]),
    ("record", &["`matmul` can't multiply"], &[".sin()", ".matmul(&v1)"]),
    ("record and panic", &["no matrix"], &[".sin()", "repro::raise(\"no matrix\")"]),
    ("make_program", &["`matmul` can't multiply"], &["jit(closure)(v0)", ".matmul(&v2)"]),
    ("eval_shape", &["do not broadcast together"], &["jit(closure)(v0)", "&v1 + &v2"]),
    ("nested", &["no matrix in the body"], &["jit(vmap(closure))(v0)", "scan(", "repro::raise("]),
    ("backward", &["do not broadcast together"], &["custom_vjp(", "&r_0 + &v"]),
    ("branches", &["must give the same types"], &["= cond("]),
    ("carry", &["must keep its type"], &["while_loop(while_cond, while_body, v0)"]),
    ("associative", &["`associative_scan` must give what it is given"], &["repro::raise("]),
    ("thread", &["`matmul` can't multiply"], &["grad(closure)(v0)"]),
    ("drop", &["`matmul` can't multiply"], &["v0.matmul(&v1)"]),
    ("double panic", &["the first\n", "`matmul` can't multiply"], &["v0.matmul(&v1)"]),
    ("callback", &["a callback that is broken", "`operands.safetensors`"], &[".sin()", "repro::raise("]),
    ("custom", &["`fails.ends`, which failed, is code of this process"], &["&arg0 * &v1", "repro::raise("]),
    (
        "custom of a wrong type",
        &["`fails.doubles` must give [f32[2]] here", "`operands.safetensors` has what it was given"],
        &[".cos()", "repro::raise("],
    ),
    ("custom in a loop", &["a step is broken", "`operands.safetensors`"], &["repro::raise("]),
    ("jit in record", &["index 7 is out of range"], &["jit(closure)(v0)", ".sin()"]),
    ("record in jit", &["`matmul` can't multiply"], &["jit(closure)(v0)", ".sin()"]),
    (
        "caught, then another",
        &["the inner one failed"],
        &["grad(closure_2)(v0)", "repro::caught(", "the inner one failed"],
    ),
    ("switch", &["needs a function that gives a real scalar"], &["grad(closure)(v0)", ".sin()"]),
    ("record under a switch", &["`matmul` can't multiply"], &[".sin()", ".matmul(&v1)"]),
    ("op under a switch", &["do not broadcast together"], &["&v0 * &v1"]),
    ("call under a switch", &["`take(f32[2], i32[2], 5)`, which is on `run.tape`"], &["repro::raise("]),
    ("take", &["`take(f32[2], i32[2], 5)`, which is on `run.tape`"], &["repro::raise("]),
    ("einsum", &["`einsum(", "which is on `run.tape`"], &["repro::raise("]),
    ("linear", &["`sin` can't be transposed: it is not linear"], &["repro::raise("]),
    ("guards", &["`matmul` can't multiply"], &["v0.matmul(&v1)"]),
    ("other type", &["Box<dyn Any>"], &["grad(closure)(v0)", "a panic of another type than text"]),
    ("long name", &["a message of many lines"], &["grad(closure)(v0)"]),
    ("large", &["`matmul` can't multiply"], &["v0.matmul(&v1)"]),
    ("leak", &["used after the trace it belongs to has ended"], &["repro::raise("]),
];

#[test]
fn e4_every_way_to_fail_leaves_one_reproducer() {
    for (how, said, rust) in WAYS {
        let all = folder(how);
        let output = command(how, &all).output().unwrap();
        let text = errors(&output);
        has(&text, said);
        let [one] = &reproducers(&all)[..] else { panic!("{how}: {:?}\n{text}", reproducers(&all)) };
        has(&text, &[&format!("a reproducer is in {}", one.display())]);
        assert_eq!(text.matches("reproducer").count(), 1, "{how}: {text}");
        has(&read(one, "main.rs"), rust);
        has(&read(one, "main.rs"), &["repro::fails(message, ||"]);
        assert!(!read(one, "error.txt").is_empty() && !one.join("running").exists(), "{how}");
        std::fs::remove_dir_all(&all).unwrap();
    }
}

/// The tape of the whole process as text without constants, which a recording that leaves a reproducer keeps; with a folder for reproducers or without.
fn tape_of_process(how: &str, reproducers: bool) -> String {
    let all = folder(&format!("tape of {how}"));
    std::fs::create_dir_all(&all).unwrap();
    let path = all.join("run.tape");
    let mut process = command(how, &all);
    process.env("WENGERT_TAPE", &path).env("WENGERT_TAPE_CAPTURE", "values");
    if !reproducers {
        process.env_remove("WENGERT_REPRO_DIR");
    }
    let output = process.output().unwrap();
    let tape = wengert::Tape::open(&path).unwrap_or_else(|e| panic!("{how}: {e}\n{}", errors(&output)));
    tape.verify().unwrap();
    let line = |line: &str| line.split("constant").next().unwrap_or_default().trim_end().to_string() + "\n";
    let text = tape.to_string().lines().map(line).collect();
    std::fs::remove_dir_all(&all).unwrap();
    text
}

#[test]
fn e4_the_tape_of_the_process_is_the_same_with_reproducers_and_without() {
    for how in
        WAYS.iter().map(|(how, ..)| *how).chain(["caught", "pull", "nothing", "nothing, of transforms of transforms"])
    {
        assert_eq!(tape_of_process(how, true), tape_of_process(how, false), "{how}");
    }
    assert!(tape_of_process("jit in record", true).contains("unwound"));
}

#[test]
fn e4_a_user_who_goes_on_goes_on() {
    let all = folder("caught");
    let output = command("caught", &all).output().unwrap();
    assert!(output.status.success() && errors(&output).is_empty(), "{}", errors(&output));
    // The same failure, three times.
    assert_eq!(reproducers(&all).len(), 1);
    // What comes again and again leaves a few, and the error says where.
    let all_many = folder("many");
    let output = command("many", &all_many).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(reproducers(&all_many).len(), 8);
    let all_at_once = folder("pool");
    assert!(command("pool", &all_at_once).output().unwrap().status.success());
    assert_eq!(reproducers(&all_at_once).len(), 4, "of eight threads");
    has(&errors(&output), &["no reproducer is left: that of a failure which differs in numbers alone is in"]);
    assert!(!errors(&output).contains("the same failure"));
    // The same failure leaves one, on however many threads.
    let alike = folder("pool alike");
    let output = command("pool alike", &alike).output().unwrap();
    assert!(output.status.success(), "{}", errors(&output));
    assert_eq!(reproducers(&alike).len(), 1);
    assert_eq!(errors(&output).matches("a reproducer of the same failure is in").count(), 3, "{}", errors(&output));
    // Nothing fails, and nothing is left.
    let nothing = folder("nothing");
    assert!(command("nothing", &nothing).output().unwrap().status.success());
    assert!(reproducers(&nothing).is_empty());
    [all, all_many, all_at_once, alike, nothing].iter().for_each(|f| std::fs::remove_dir_all(f).unwrap());
}

#[test]
fn e4_a_number_that_is_not_finite_leaves_a_reproducer_that_says_what_it_needs() {
    let ways: &[Way] = &[
        ("nan", &["`log` gives NaN", "inside of step 2 of `scan`"], &[".log()", "scan("]),
        ("nan outside", &["`log` gives NaN", "inside of step 2 of `scan`"], &[".log()", "scan("]),
        ("nan masked", &["`div` gives an infinity", "at [0, 1], where it is given 1.0 and 0.0"], &[" / "]),
        ("after callback", &["`div` gives an infinity", "which run nowhere else, are inputs of it"], &[" / "]),
        ("printed", &["`div` gives an infinity"], &[" / "]),
    ];
    for (how, said, rust) in ways {
        let all = folder(how);
        let output = command(how, &all).env("WENGERT_CHECK", "nan").output().unwrap();
        let text = errors(&output);
        has(&text, said);
        has(&text, &["of finite numbers", "it fails only with WENGERT_CHECK=nan"]);
        let [one] = &reproducers(&all)[..] else { panic!("{text}") };
        has(&read(one, "main.rs"), rust);
        has(&read(one, "main.rs"), &["// It fails only with WENGERT_CHECK=nan"]);
        // What is looked at again is not printed again.
        assert!(String::from_utf8_lossy(&output.stdout).matches("x = ").count() <= 1);
        std::fs::remove_dir_all(&all).unwrap();
    }
}

/// What the next process says of the folder.
fn next_start(folder: &Path) -> String {
    let output = command("nothing", folder).output().unwrap();
    assert!(output.status.success());
    errors(&output)
}

#[test]
fn e4_what_a_process_did_when_it_died_is_named_by_the_next() {
    let ways = [
        ("abort", "it ran `jit wengert_fails::staged", "whole.wg"),
        ("overflow", "it ran `jit wengert_fails::staged", "whole.wg"),
        ("kill", "it ran `jit wengert_fails::staged", "whole.wg"),
        ("eager abort", "it ran `fails.ends`", "whole.wg"),
        ("endless", "it traced or ran `jit` of `wengert_fails::endless`", "about.txt"),
        ("compiled", "it ran `jit wengert_fails::fail", "program.wg"),
    ];
    for (how, said, file) in ways {
        let all = folder(how);
        let output = command(how, &all).output().unwrap();
        assert!(output.status.code().is_none(), "{how} ends by a signal: {:?}", output.status);
        let [one] = &reproducers(&all)[..] else { panic!("{how}: {:?}", reproducers(&all)) };
        assert!(one.join(file).is_file() && one.join("running").is_file(), "{how}");
        has(&next_start(&all), &["ended while", said, &one.display().to_string()]);
        assert_eq!(next_start(&all), "", "it is said once");
        std::fs::remove_dir_all(&all).unwrap();
    }
}

#[test]
fn e4_a_process_without_memory_is_named() {
    let all = folder("memory");
    let program = env!("CARGO_BIN_EXE_wengert-fails");
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 3000000; exec \"$0\"", program]);
    let output = shell.env("FAILS", "memory").env("WENGERT_REPRO_DIR", &all).output().unwrap();
    assert!(output.status.code().is_none(), "{:?}", output.status);
    assert_eq!(reproducers(&all).len(), 1);
    has(&next_start(&all), &["ended while it ran `jit wengert_fails::staged"]);
    std::fs::remove_dir_all(&all).unwrap();
}

/// The program, as soon as it waits.
fn waiting(folder: &Path) -> Child {
    let mut child = command("wait", folder).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|l| l.unwrap().contains("ready")));
    child
}

#[test]
fn e4_a_process_that_runs_is_not_dead() {
    let all = folder("alive");
    let mut child = waiting(&all);
    assert_eq!(next_start(&all), "");
    child.kill().unwrap();
    // Nobody has asked how it ended yet.
    std::thread::sleep(std::time::Duration::from_millis(100));
    has(&next_start(&all), &[&format!("process {} ended", child.id())]);
    child.wait().unwrap();
    // Another process of its number is not it.
    let mut child = waiting(&all);
    let running = reproducers(&all).into_iter().map(|f| f.join("running")).find(|f| f.is_file()).unwrap();
    std::fs::write(&running, format!("{} 1", child.id())).unwrap();
    let said = next_start(&all);
    assert!(said.contains("ended") || !Path::new("/proc/self/stat").is_file(), "{said}");
    child.kill().unwrap();
    child.wait().unwrap();
    std::fs::remove_dir_all(&all).unwrap();
}

#[test]
fn e4_many_processes_share_a_folder() {
    let all = folder("shared");
    let children: Vec<Child> = (0..6).map(|_| command("caught", &all).spawn().unwrap()).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && errors(&output).is_empty(), "{}", errors(&output));
    }
    assert_eq!(reproducers(&all).len(), 6);
    std::fs::remove_dir_all(&all).unwrap();
}

#[test]
fn e4_a_folder_that_cannot_be_used_hides_no_failure() {
    let file = folder("a file");
    std::fs::write(&file, "").unwrap();
    for bad in [file.clone(), file.join("below")] {
        let output = command("shape", &bad).output().unwrap();
        assert_eq!(output.status.code(), Some(101));
        has(&errors(&output), &["no reproducers are left", "`matmul` can't multiply"]);
    }
    // Full: nothing can be written to a file.
    let full = folder("full");
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\"", env!("CARGO_BIN_EXE_wengert-fails")]);
    let output = shell.env("FAILS", "custom").env("WENGERT_REPRO_DIR", &full).output().unwrap();
    assert_eq!(output.status.code(), Some(101));
    has(&errors(&output), &["a kernel that is broken", "a reproducer can't be written"]);
    assert!(reproducers(&full).is_empty(), "nothing is left in part");
    std::fs::remove_dir_all(&full).unwrap();
    // Gone while the program runs.
    let all = folder("gone");
    let output = command("folder goes", &all).output().unwrap();
    assert_eq!(output.status.code(), Some(101));
    has(&errors(&output), &["`matmul` can't multiply", "a reproducer is in"]);
    // Nothing can be written there.
    let output = command("folder becomes a file", &all).output().unwrap();
    assert_eq!(output.status.code(), Some(101));
    has(&errors(&output), &["`matmul` can't multiply", "a reproducer can't be written"]);
    std::fs::remove_file(&file).unwrap();
    let _ = std::fs::remove_dir_all(&all).or_else(|_| std::fs::remove_file(&all));
}
