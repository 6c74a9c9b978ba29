//! The tape of a program that was not changed (D1): `WENGERT_TAPE`, and the log of `WENGERT_LOG`, in processes of their own.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use wengert::{Array, Device, Node, Tape};

/// The program in a process, with these variables.
fn command(how: &str, variables: &[(&str, &str)]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wengert-whole-run"));
    for name in ["WENGERT_TAPE", "WENGERT_TAPE_CAPTURE", "WENGERT_LOG"] {
        command.env_remove(name);
    }
    command.env("WHOLE_RUN", how).envs(variables.iter().copied());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// A file that no other test has.
fn file(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wengert-whole-run-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

struct Ended {
    code: Option<i32>,
    out: String,
    errors: String,
    tape: Tape,
}

/// Runs the program, and opens what it left.
fn run(how: &str) -> Ended {
    let path = file(&format!("{how}.tape"));
    let variables = [("WENGERT_TAPE", path.to_str().unwrap()), ("WENGERT_TAPE_CAPTURE", "values")];
    let output = command(how, &variables).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    let (out, errors) = (text(output.stdout), text(output.stderr));
    let tape = Tape::open(&path).unwrap_or_else(|e| panic!("{e}\n{out}{errors}"));
    tape.verify().unwrap();
    Ended { code: output.status.code(), out, errors, tape }
}

fn find<'t>(tape: &'t Tape, function: &str) -> Node<'t> {
    tape.nodes().find(|n| n.function() == function).unwrap_or_else(|| panic!("no {function} in\n{tape}"))
}

fn count(tape: &Tape, function: &str) -> usize {
    tape.nodes().filter(|n| n.function() == function).count()
}

#[test]
fn d1_the_tape_of_a_program_that_was_not_changed() {
    let Ended { code, tape, errors, .. } = run("nothing more");
    assert_eq!((code, errors.contains("wengert:")), (Some(0), false), "{errors}");
    assert_eq!((find(&tape, "sin").parent(), find(&tape, "tan").parent()), (Some(tape.root()), Some(tape.root())));
    assert!(find(&tape, "tan").backward().any(|n| n.function() == "sin"), "{tape}");
    let program = tape.to_program().unwrap();
    let y = program.run(&Device::cpu(), program.recorded_inputs(&tape).unwrap()).unwrap();
    assert_eq!(y, [Array::from([1.0f32, 2.0]).sin().tan().to_tensor()]);
}

#[test]
fn d1_a_program_that_printed_its_results_runs_on_other_inputs() {
    let other = || vec![Array::from([3.0f32, 4.0]).to_tensor()];
    let program = run("printed").tape.to_program().unwrap();
    let y = program.run_guarded(&Device::cpu(), other()).unwrap();
    let x = Array::from([3.0f32, 4.0]);
    assert_eq!(y, [x.sin().tan().to_tensor(), x.cos().sum(..).to_tensor()]);
    // What is computed after a value was read may hang on it.
    let program = run("printed before").tape.to_program().unwrap();
    let error = program.run_guarded(&Device::cpu(), other()).unwrap_err();
    assert!(error.to_string().contains("the host read"), "{error}");
}

#[test]
fn d1_a_program_that_panics_leaves_its_tape() {
    let Ended { code, tape, .. } = run("panic");
    assert_eq!((code, count(&tape, "sin"), count(&tape, "tan")), (Some(101), 1, 0), "{tape}");
    // It says what ended the run, where nobody caught it.
    let last = tape.root().children().last().unwrap();
    let message = last.meta(wengert::tape::MetaKey::<String>::new("error"));
    assert_eq!((last.function(), message.as_deref()), ("error", Some("in main")), "{tape}");
    assert!(!tape.root().ended_well() && tape.to_program().unwrap().failure().is_some());
    // What destructors do meanwhile did not lead there.
    let Ended { code, tape, .. } = run("op while unwinding");
    assert_eq!((code, count(&tape, "cosh"), count(&tape, "sinh")), (Some(101), 1, 1), "{tape}");
    let program = tape.to_program().unwrap();
    assert!(!tape.root().ended_well() && program.failure().is_some(), "{tape}");
    assert_eq!(program.program().output_types().len(), 1, "{}", program.program());
    let Ended { code, tape, .. } = run("panic in a thread");
    assert_eq!((code, count(&tape, "tan")), (Some(0), 1), "{tape}");
    let parent = find(&tape, "exp").parent().unwrap();
    assert_eq!((parent.function(), parent.arguments().next().unwrap().to_string()), ("thread", "⟨worker⟩".to_string()));
}

#[test]
#[cfg(target_env = "gnu")]
fn d1_a_program_that_caught_its_last_error_ended_well() {
    let Ended { code, tape, .. } = run("caught last");
    assert!(code == Some(0) && tape.root().children().last().unwrap().unwound(), "{tape}");
    assert!(tape.root().ended_well() && tape.to_program().unwrap().failure().is_none(), "{tape}");
}

#[test]
fn d1_a_program_that_exits_leaves_its_tape() {
    let Ended { code, tape, .. } = run("exit");
    assert_eq!((code, count(&tape, "sin"), count(&tape, "tan")), (Some(3), 1, 0), "{tape}");
    // What was recorded in a recording that never ended.
    let Ended { code, tape, .. } = run("exit in a recording");
    assert_eq!((code, find(&tape, "exp").parent().unwrap().function()), (Some(3), "record"), "{tape}");
}

/// The program, as soon as it waits.
fn waiting(path: &str) -> Child {
    let mut child = command("wait", &[("WENGERT_TAPE", path)]).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|l| l.unwrap().contains("ready")));
    child
}

/// Whether this process ignores a signal, and so those that it starts: what `nohup` starts is told to.
fn is_ignored(number: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|l| l.strip_prefix("SigIgn:")).map(str::trim);
    let mask = mask.and_then(|m| u64::from_str_radix(m, 16).ok()).unwrap_or(0);
    mask >> (number - 1) & 1 == 1
}

#[test]
fn d1_a_program_that_is_interrupted_leaves_its_tape() {
    for (name, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(number) {
            continue;
        }
        let path = file(&format!("{name}.tape"));
        let mut child = waiting(path.to_str().unwrap());
        // Some send it more than once: `timeout` does, to the process and to its group.
        let id = child.id().to_string();
        let killed = Command::new("kill").arg(format!("-{name}")).args([&id; 20]).status().unwrap();
        assert!(killed.success());
        // It dies by the signal, as without a tape.
        assert_eq!(child.wait().unwrap().signal(), Some(number));
        let tape = Tape::open(&path).unwrap();
        assert!(count(&tape, "sin") == 1 && count(&tape, "cos") > 5, "{tape}");
    }
    // Killed, it leaves a tape of nothing, and not that of an earlier run.
    let path = file("INT.tape");
    let mut child = waiting(path.to_str().unwrap());
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    assert!(Tape::open(&path).unwrap().is_empty());
}

#[test]
fn d1_threads_of_a_pool_are_on_the_tape_of_a_program() {
    let Ended { code, tape, out, .. } = run("pool");
    assert_eq!((code, count(&tape, "tanh")), (Some(0), 16));
    assert!(tape.nodes().filter(|n| n.function() == "tanh").all(|n| n.parent().unwrap().function() == "thread"));
    assert_eq!(find(&tape, "tan").parent(), Some(tape.root()));
    let program = tape.to_program().unwrap();
    let y = program.run(&Device::cpu(), program.recorded_inputs(&tape).unwrap()).unwrap();
    assert!(y.iter().any(|y| out.contains(&format!("{:?}", y.to_vec::<f32>().unwrap()))), "{out}{tape}");
}

#[test]
fn d1_a_program_that_turns_its_own_switch_is_on_the_tape() {
    let Ended { code, tape, out, errors } = run("switch");
    assert_eq!(code, Some(0), "{out}{errors}");
    assert_eq!(find(&tape, "cos").parent().unwrap().function(), "trace", "{tape}");
    assert!(find(&tape, "exp").backward().any(|n| n.function() == "sin"), "{tape}");
}

#[test]
fn d1_a_tape_that_cannot_be_written_is_said_at_the_start() {
    let path = file("absent").join("folder").join("run.tape");
    let output = command("nothing more", &[("WENGERT_TAPE", path.to_str().unwrap())]).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(errors.matches("wengert: WENGERT_TAPE: this run is not recorded").count(), 1, "{errors}");
    assert!(errors.contains("run.tape"), "{errors}");
    // Of a word that is not known, too; and each process has its file.
    let path = file("of-%p.tape");
    let variables = [("WENGERT_TAPE", path.to_str().unwrap()), ("WENGERT_TAPE_CAPTURE", "everything")];
    let child = command("nothing more", &variables).spawn().unwrap();
    let path = file(&format!("of-{}.tape", child.id()));
    let errors = String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap();
    assert_eq!(errors.matches("`shapes`, `summaries` or `values`, and not \"everything\"").count(), 1, "{errors}");
    let tape = Tape::open(path).unwrap();
    assert!(find(&tape, "sin").value(0).is_none() && count(&tape, "tan") == 1);
}

#[test]
fn a_log_of_ops_as_they_run() {
    let errors = |word: &str| {
        let output = command("staged", &[("WENGERT_LOG", word)]).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        String::from_utf8(output.stderr).unwrap()
    };
    let log = errors("ops");
    let lines: Vec<&str> = log.lines().filter(|l| l.contains(" : ")).collect();
    let beginnings = ["sin(f32[2]) : f32[2] in ", "closure", "closure", "cos(f32[2]) : f32[2] in ", "tan(f32[2])"];
    assert_eq!(lines.len(), beginnings.len(), "{log}");
    for (line, beginning) in lines.iter().zip(beginnings) {
        assert!(line.starts_with("[crates/wengert-whole-run/src/main.rs:") && line.contains(beginning), "{line}");
        assert!(line.contains(" µs") || line.contains(" ms"), "{line}");
        assert_eq!(line.ends_with(" on thread worker"), beginning.starts_with("cos"), "{line}");
    }
    assert_eq!(errors("everything").matches("wengert: WENGERT_LOG is `ops`, and not \"everything\"").count(), 1);
    assert!(!errors("").contains("wengert"));
}
