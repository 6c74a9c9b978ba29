//! The command as people call it: what it prints, writes, and how it ends.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use wengert::{Array, save_safetensors};

const DOUBLE: &str = "module @double {
  func.func public @main(%arg0: tensor<2xf32> loc(\"x\")) -> (tensor<2xf32> {jax.result_info = \"result\"}) {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
";

/// The command, its streams in our hands.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Gives a command its standard input, and waits for its end.
fn finish(mut child: Child, input: impl AsRef<[u8]>) -> Output {
    // A command that fails early does not read its input.
    let _ = child.stdin.take().unwrap().write_all(input.as_ref());
    child.wait_with_output().unwrap()
}

/// Runs the command on a program given to its standard input.
fn wengert(arguments: &[&str], input: impl AsRef<[u8]>) -> Output {
    finish(command(arguments).spawn().unwrap(), input)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wengert-cli-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn runs_on_files_and_writes_files() {
    let folder = folder("files");
    let (x, out) = (folder.join("x.npy"), folder.join("out"));
    Array::from([1.5f32, -2.0]).save_npy(&x).unwrap();
    let done = wengert(&["run", "-", "--input", x.to_str().unwrap(), "--out-dir", out.to_str().unwrap()], DOUBLE);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert_eq!(Array::load_npy(out.join("out_0.npy")).unwrap(), Array::from([3.0f32, -4.0]));
    // By the name that the location gives.
    let named = folder.join("x.safetensors");
    save_safetensors(&named, [("x", Array::from([5.0f32, 6.0]))]).unwrap();
    let done = wengert(&["run", "-", "--input", named.to_str().unwrap()], DOUBLE);
    assert_eq!(text(&done.stdout), "out_0: f32[2] =\n[10. 12.]\n");
    // A name that no input has, beside values in order.
    save_safetensors(&named, [("z", Array::from([5.0f32, 6.0]))]).unwrap();
    let done = wengert(&["run", "-", "--input", named.to_str().unwrap(), x.to_str().unwrap()], DOUBLE);
    assert!(text(&done.stderr).contains("no input is called `z`"), "{}", text(&done.stderr));
    let done = wengert(&["run", "-", "--input", named.to_str().unwrap()], DOUBLE);
    assert!(text(&done.stderr).contains("values that no input took: z"), "{}", text(&done.stderr));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn backends_agree() {
    let done = wengert(&["run", "-", "--random", "7", "--compare", "eval", "--time", "--backend", "cpu"], DOUBLE);
    assert_eq!(text(&done.stdout), "out_0 f32[2]: cpu and eval differ by 0.000e0, relative 0.000e0\n");
    assert!(text(&done.stderr).contains("best of"));
}

/// Who reads a part of what is printed, as `head` does, is served; nothing panics.
#[test]
fn a_closed_pipe_is_no_error() {
    let big = DOUBLE.replace("2xf32", "200000xf32");
    for task in [&["run", "-", "--ones", "--print-after", "import"][..], &["convert", "-"], &["devices"]] {
        let mut child = command(task).spawn().unwrap();
        drop(child.stdout.take());
        let done = finish(child, &big);
        assert!(done.status.success() && done.stderr.is_empty(), "{task:?}: {}", text(&done.stderr));
    }
}

#[test]
fn the_environment_chooses_a_backend() {
    let run = |name: &str, more: &[&str]| {
        let mut command = command(&["run", "-", "--ones", "--time"]);
        let child = command.args(more).env("WENGERT_BACKEND", name).spawn().unwrap();
        text(&finish(child, DOUBLE).stderr)
    };
    assert!(run("eval", &[]).starts_with("eval: compile"));
    assert!(run("eval", &["--backend", "cpu"]).starts_with("cpu: compile"));
    assert!(run("", &[]).starts_with("cpu: compile"));
    assert!(run("abacus", &[]).contains("WENGERT_BACKEND is `abacus`"));
}

#[test]
fn prints_what_a_stage_made() {
    let done = wengert(&["run", "-", "--ones", "--print-after", "import"], DOUBLE);
    let printed = "// after import\nprogram double(x: f32[2]) {\n  %1: f32[2] = add(x, x)\n  return %1\n}\n\n";
    assert!(text(&done.stdout).starts_with(printed.trim_end()), "{}", text(&done.stdout));
}

#[test]
fn converts_both_ways() {
    let ours = text(&wengert(&["convert", "-"], DOUBLE).stdout);
    assert!(ours.starts_with("program double(x: f32[2])"), "{ours}");
    let back = text(&wengert(&["convert", "-"], &ours).stdout);
    assert!(back.contains("stablehlo.add %arg0, %arg0 : tensor<2xf32>"), "{back}");
    assert_eq!(text(&wengert(&["convert", "-", "--to", "wengert"], &back).stdout), ours);
}

#[test]
fn says_how_it_ended() {
    let ends = |arguments: &[&str], input: &[u8], code: i32, message: &str| {
        let done = wengert(arguments, input);
        let said = text(&done.stderr);
        assert!(done.status.code() == Some(code) && said.contains(message), "{:?}: {said}", done.status);
    };
    let with = |from: &str, to: &str| DOUBLE.replacen(from, to, 1).into_bytes();
    ends(&["run", "-"], DOUBLE.as_bytes(), 1, "no value for input 0 `x` of type f32[2]");
    ends(&["run", "-", "--ones"], &with("%arg0, %arg0", "%arg0, %y"), 1, "<stdin>:3:31");
    ends(&["run", "-", "--ones"], b"module {\xff}", 1, "not UTF-8");
    ends(&["run", "no-such-file.mlir"], b"", 1, "no-such-file.mlir");
    ends(&["run"], b"", 2, "Usage");
    ends(&["run", "-", "--ones", "--random", "1"], b"", 2, "cannot be used with");
    ends(
        &["run", "-", "--ones"],
        &with("stablehlo.add", "stablehlo.frobnicate"),
        3,
        "`stablehlo.frobnicate` is not supported",
    );
    ends(
        &["run", "-", "--ones"],
        &with("tensor<2xf32> loc", "tensor<2xf8E5M2> loc"),
        3,
        "`tensor<2xf8E5M2>` is not supported",
    );
    ends(&["devices"], b"", 0, "");
    ends(
        &["run", "-", "--ones", "--backend", "eval", "--print-after", "fold"],
        DOUBLE.as_bytes(),
        1,
        "no stage `fold`",
    );
    let huge = with(
        "%0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>",
        "%0 = stablehlo.add %arg0, %arg0 : tensor<2xf32>
    %1 = stablehlo.iota dim = 0 : tensor<1099511627776xf32>",
    );
    ends(&["run", "-", "--ones", "--backend", "eval"], &huge, 1, "f32[1099511627776]");
}
