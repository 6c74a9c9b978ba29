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
    // A value of a later input is none of those.
    let two = "program (a: f32[], b: f32[2], c: f32[2]) { return a }";
    save_safetensors(&named, [("c", Array::from([5.0f32, 6.0])), ("z", Array::from(0.0f32))]).unwrap();
    let done = wengert(&["run", "-", "--input", named.to_str().unwrap()], two);
    assert!(text(&done.stderr).contains("values that no input took: z\n"), "{}", text(&done.stderr));
    let done = wengert(&["run", "-", "--input", x.to_str().unwrap(), x.to_str().unwrap()], DOUBLE);
    let many = format!("1 value too many: {}\n", x.display());
    assert!(text(&done.stderr).contains(&many), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("JAX leaves out arguments that nothing uses"), "{}", text(&done.stderr));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn backends_agree() {
    let done = wengert(&["run", "-", "--random", "7", "--compare", "eval", "--time", "--backend", "cpu"], DOUBLE);
    assert_eq!(text(&done.stdout), "out_0 f32[2]: cpu and eval differ by 0.000e0, relative 0.000e0\n");
    assert!(text(&done.stderr).contains("best of"));
    // NaN are the same number, and said to be.
    let nan = "program (x: f32[2]) { y: f32[2] = sub(x, x) z: f32[2] = div(y, y) return z }";
    let done = wengert(&["run", "-", "--ones", "--compare", "eval"], nan);
    let said = "out_0 f32[2]: cpu and eval differ by 0.000e0, relative 0.000e0; NaN: 2 in both\n";
    assert_eq!(text(&done.stdout), said, "{}", text(&done.stderr));
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
fn e4_the_environment_asks_for_numbers_that_are_not_finite() {
    let program = "program (x: f32[2]) {\n  y: f32[2] = sub(x, 2.0:f32[2])\n  z: f32[2] = log(y)\n  return z\n}\n";
    for backend in ["cpu", "eval"] {
        let run = |checks: &str| {
            let mut command = command(&["run", "-", "--ones", "--backend", backend]);
            finish(command.env("WENGERT_CHECK", checks).spawn().unwrap(), program)
        };
        let o = run("nan");
        let said = text(&o.stderr);
        assert!(o.status.code() == Some(1) && said.contains("`log` gives NaN of finite numbers: f32[2]"), "{said}");
        assert!(run("").status.success());
    }
    // Where reproducers are asked for, it leaves one, which is reduced as it says.
    let left = folder("left");
    let mut command = command(&["run", "-", "--ones"]);
    command.env("WENGERT_CHECK", "nan").env("WENGERT_REPRO_DIR", &left);
    let said = text(&finish(command.spawn().unwrap(), program).stderr);
    assert!(said.contains("a reproducer is in ") && said.contains("wengert reduce nan.wg --nan"), "{said}");
    let folders: Vec<_> = std::fs::read_dir(&left).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(folders.len() == 1 && ["main.rs", "nan.wg", "program.wg"].iter().all(|f| folders[0].join(f).exists()));
    std::fs::remove_dir_all(left).unwrap();
}

#[test]
fn prints_what_a_stage_made() {
    let done = wengert(&["run", "-", "--ones", "--print-after", "import"], DOUBLE);
    let printed = "// after import\nprogram double(x: f32[2]) {\n  %1: f32[2] = add(x, x)\n  return %1\n}\n\n";
    assert!(text(&done.stdout).starts_with(printed.trim_end()), "{}", text(&done.stdout));
}

/// A program with a loop over elements and a kernel, as StableHLO.
const SORTED: &str = "module @sorted {
  func.func public @main(%arg0: tensor<1000xf32>) -> tensor<1000xf32> {
    %0 = stablehlo.exponential %arg0 : tensor<1000xf32>
    %1 = stablehlo.add %0, %arg0 : tensor<1000xf32>
    %2 = \"stablehlo.sort\"(%1) <{dimension = 0 : i64, is_stable = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<1000xf32>) -> tensor<1000xf32>
    return %2 : tensor<1000xf32>
  }
}
";

#[test]
fn shows_every_stage_of_the_compiler() {
    for (stage, expected) in [
        ("rewrite", "program sorted("),
        ("fuse", "loop over 1000 elements\n"),
        ("schedule", "kernel of `sort`; reads"),
        ("memory", "8000 of inputs"),
        ("kernel", "lanes %"),
        ("machine", "bytes of machine code"),
    ] {
        let expected = expected.replace("8000", "4000");
        let done = wengert(&["run", "-", "--ones", "--print-after", stage], SORTED);
        let said = text(&done.stdout);
        let off = std::env::var_os("WENGERT_NATIVE").is_some_and(|v| v == "off");
        let native = cfg!(all(target_arch = "x86_64", target_os = "linux")) && !off || stage != "machine";
        assert!(said.starts_with(&format!("// after {stage}\n")) && (said.contains(&expected) || !native), "{said}");
        // The same by the environment, on the standard error.
        let mut asked = command(&["run", "-", "--ones"]);
        asked.env("WENGERT_PRINT_AFTER", format!("simplify, {stage}"));
        let said = text(&finish(asked.spawn().unwrap(), SORTED).stderr);
        assert!(said.contains(&format!(" after {stage}\n")) && said.contains(" after simplify\nprogram"), "{said}");
    }
    let mut asked = command(&["run", "-", "--ones"]);
    asked.env("WENGERT_PRINT_AFTER", "fusion");
    let done = finish(asked.spawn().unwrap(), SORTED);
    let said = text(&done.stderr);
    assert!(!done.status.success() && said.contains("the stages are simplify, rewrite, fuse, schedule"), "{said}");
    assert!(said.contains("WENGERT_PRINT_AFTER asks for it"), "{said}");
}

#[test]
fn says_where_time_and_memory_go() {
    let done = wengert(&["run", "-", "--ones", "--memory", "--profile"], SORTED);
    let said = text(&done.stderr);
    assert!(done.status.success() && said.contains("bytes at most: 4000 of inputs, 4000 of results"), "{said}");
    assert!(said.contains("kernel of `sort`") && said.contains("loop over 1000 elements"), "{said}");
    let said = text(&wengert(&["run", "-", "--ones", "--profile", "--backend", "eval"], SORTED).stderr);
    assert!(said.contains("`eval` has no profile: the backend that has one is cpu"), "{said}");
    // By the environment, when the process ends.
    let mut asked = command(&["run", "-", "--ones"]);
    asked.env("WENGERT_PROFILE", "1");
    let said = text(&finish(asked.spawn().unwrap(), SORTED).stderr);
    assert!(said.matches("kernel of `sort`").count() == 1 && said.contains(", 1 runs"), "{said}");
}

#[test]
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn writes_a_map_for_perf() {
    let mut asked = command(&["run", "-", "--ones"]);
    let child = asked.env("WENGERT_PERF_MAP", "1").env_remove("WENGERT_NATIVE").spawn().unwrap();
    let map = PathBuf::from(format!("/tmp/perf-{}.map", child.id()));
    assert!(finish(child, SORTED).status.success());
    let lines = std::fs::read_to_string(&map).unwrap();
    std::fs::remove_file(map).unwrap();
    let mut next = 0;
    for line in lines.lines() {
        let words: Vec<&str> = line.splitn(3, ' ').collect();
        let number = |s: &str| u64::from_str_radix(s, 16).unwrap();
        let (start, size) = (number(words[0]), number(words[1]));
        assert!(size > 0 && (next == 0 || start == next) && words[2].starts_with("wengert "), "{lines}");
        next = start + size;
    }
    assert!(lines.contains("kernel of `sort`"), "{lines}");
}

#[test]
fn converts_both_ways() {
    let ours = text(&wengert(&["convert", "-"], DOUBLE).stdout);
    assert!(ours.starts_with("program double(x: f32[2])"), "{ours}");
    let back = text(&wengert(&["convert", "-"], &ours).stdout);
    assert!(back.contains("stablehlo.add %arg0, %arg0 : tensor<2xf32>"), "{back}");
    assert_eq!(text(&wengert(&["convert", "-", "--to", "wengert"], &back).stdout), ours);
}

/// A mistake is shown where it is.
#[test]
fn mistakes_are_shown_in_the_text() {
    let shows = |program: &str, picture: &str| {
        assert_eq!(text(&wengert(&["run", "-"], program).stderr), picture);
    };
    shows(
        "program (x: f32[2]) {\n  %1: f32[2] = sin(y)\n  return %1\n}\n",
        "\
error: `y` is not defined before this use
  at <stdin>:2:20
  |
1 | program (x: f32[2]) {
2 |   %1: f32[2] = sin(y)
  |                    ^^ here
3 |   return %1
",
    );
    // At the end of the text.
    shows(
        "program (x: f32[2]) {",
        "\
error: expected a variable, found the end of the text
  at <stdin>:1:22
  |
1 | program (x: f32[2]) {
  |                      ^ here
",
    );
    // Not in the text at all.
    shows(
        DOUBLE,
        "\
error: no value for input 0 `x` of type f32[2]
  the program takes 1 input: x: f32[2]
  what to do: name files after `--input`, draw the inputs with `--random 0`, or take `--ones`
",
    );
    // With control characters, which end up in the message too.
    let wrong = DOUBLE.replace("stablehlo.add", "\tstablehlo.frob\u{9b}nicate");
    let said = text(&wengert(&["run", "-"], wrong).stderr);
    assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{said:?}");
}

/// Of a line that is too long for a terminal, the part with the mistake.
#[test]
fn long_lines_are_cut() {
    let zeros = "0.0, ".repeat(50_000);
    let long = format!("%0 = stablehlo.constant dense<[{zeros}, 1.0]> : tensor<50001xf32> return %y : tensor<2xf32>");
    let done = wengert(&["run", "-", "--ones"], DOUBLE.replace("%0 =", &format!("{long} %1 =")));
    let said = text(&done.stderr);
    assert!(said.len() < 1000 && said.contains("<stdin>:3:250") && said.contains("0.0, , 1.0]>"), "{said}");
}

/// Inputs of another type: which file, and what NumPy calls the type. Names are compared as they are written.
#[test]
fn inputs_that_do_not_fit_are_explained() {
    let folder = folder("inputs");
    let at = |name: &str| folder.join(name).display().to_string();
    let run = |program: &str, file: &str| {
        let done = wengert(&["run", "-", "--input", &at(file)], program);
        (done.status.code(), text(&done.stdout) + &text(&done.stderr))
    };
    let says = |program: &str, file: &str, message: &str| {
        let (code, said) = run(program, file);
        assert!(code == Some(1) && said.contains(message), "{said}");
    };
    Array::from([1i64, 2]).save_npy(at("x.npy")).unwrap();
    let got = format!("{}: input 0 `x`: expected f32[2], and got i64[2]", at("x.npy"));
    says(DOUBLE, "x.npy", &got);
    for (ty, name) in [("f32", "float32"), ("i32", "int32"), ("ui8", "uint8"), ("complex<f64>", "complex128")] {
        says(&DOUBLE.replace("f32", ty), "x.npy", &format!("`x.astype(np.{name})`"));
    }
    says(&DOUBLE.replace("f32", "bf16"), "x.npy", "`x.view(np.uint16)`");
    std::fs::write(at("x.npz"), "").unwrap();
    says(DOUBLE, "x.npz", "an npz file holds several arrays");
    let two = "func.func @main(%0: tensor<f32> loc(\"x['a-b']\"), %1: tensor<f32> loc(\"x['a_b']\")) -> tensor<f32> {
      %2 = stablehlo.subtract %0, %1 : tensor<f32> return %2 : tensor<f32> }";
    let save = |names: [&str; 2]| {
        save_safetensors(at("x.safetensors"), [(names[0], Array::from(7f32)), (names[1], Array::from(2f32))]).unwrap();
    };
    save(["x['a-b']", "x['a_b']"]);
    assert_eq!(run(two, "x.safetensors"), (Some(0), "out_0: f32[] =\n5.0\n".into()));
    // A program in our form has identifiers for names, and these may be those of one value only.
    let ours = "program (x__a_b__: f32[], y: f32[]) { %1: f32[] = sub(x__a_b__, y) return %1 }";
    says(ours, "x.safetensors", "values that no input took: x['a-b'], x['a_b']");
    save(["x['a-b']", "y"]);
    assert_eq!(run(ours, "x.safetensors"), (Some(0), "out_0: f32[] =\n5.0\n".into()));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_command_has_a_version() {
    let version = text(&wengert(&["--version"], "").stdout);
    assert_eq!(version, format!("wengert {}\n", env!("CARGO_PKG_VERSION")));
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
    ends(&["run", "-"], DOUBLE.as_bytes(), 1, "the program takes 1 input: x: f32[2]");
    ends(&["run", "-", "--ones"], &with("%arg0, %arg0", "%arg0, %y"), 1, "<stdin>:3:31");
    ends(&["run", "-", "--ones"], b"module {\xff}", 1, "not UTF-8");
    ends(&["run", "-"], b"module {\x1b[31m \xff}", 1, "module {\u{fffd}[31m");
    ends(&["run", "-"], b"ML\xefR\x0dStableHLO_v1.0.0\0", 3, "<stdin>: this is MLIR bytecode");
    ends(&["run", "-"], b"HloModule jit_f\nENTRY main { ROOT p = f32[] parameter(0) }", 3, "this is HLO text");
    ends(&["run", "-"], b"\x7fELF\x00\xff", 1, "this is no text");
    ends(&["run", "no-such-file.mlir"], b"", 1, "no-such-file.mlir");
    ends(&["run", "-"], b"", 1, "<stdin> is empty");
    ends(&["convert", "-"], b" \n", 1, "<stdin> is empty");
    ends(&["run"], b"", 2, "Usage");
    ends(&["run", "-", "--ones", "--random", "1"], b"", 2, "cannot be used with");
    ends(&["run", "-", "--random", "-5"], DOUBLE.as_bytes(), 0, "");
    ends(&["run", "--input", "x.npy", "f.mlir"], b"", 2, "`f.mlir` was taken for an input");
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
    // The mark is under the type, and the way out below it.
    ends(&["run", "-", "--ones"], &with("tensor<2xf32> loc", "tensor<2xf8E5M2> loc"), 3, "<stdin>:2:33");
    ends(&["run", "-", "--ones"], &with("tensor<2xf32> loc", "tensor<2xf8E5M2> loc"), 3, "what to do: convert");
    ends(&["run", "-", "--ones"], &with("%arg0 : tensor<2xf32>", "%arg0 : tensor<?xf32>"), 3, "<stdin>:3:39");
    ends(&["run", "-", "--ones"], &with("%arg0 : tensor<2xf32>", "%arg0 : tensor<?xf32>"), 3, "known shapes");
    // Said, and no failure.
    let printed =
        with("    %0", "    stablehlo.custom_call @xla_ffi_python_cpu_callback(%arg0) : (tensor<2xf32>) -> ()\n    %0");
    ends(&["run", "-", "--ones"], &printed, 0, "<stdin>: line 3, column 5: the call of `xla_ffi_python_cpu_callback`");
    ends(&["run", "-", "--ones"], format!("\u{feff}{DOUBLE}").as_bytes(), 0, "");
    ends(&["run", "-", "--ones"], "\u{feff}program (x: f32[2]) { return x }".as_bytes(), 0, "");
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

/// D3: a small file never ends the process, whatever it claims to need.
#[test]
fn what_takes_too_much_memory_is_an_error() {
    let folder = folder("memory");
    let out = folder.join("out");
    let out = out.to_str().unwrap();
    let fails = |arguments: &[&str], input: String, message: &str| {
        let done = wengert(&[&["run", "-"], arguments].concat(), input);
        let said = text(&done.stderr);
        assert!(done.status.code() == Some(1) && said.contains(message), "{:?}: {said}", done.status);
    };
    let (ty, one) = ("tensor<99999999999xf32>", "%z = stablehlo.constant dense<0.0> : tensor<f32>");
    let ones = format!("%0 = stablehlo.constant dense<1.0> : {ty}");
    let dot = format!("stablehlo.dot_general %0, %0, contracting_dims = [0] x [0] : ({ty}, {ty}) -> tensor<f32>");
    let main = |operations: &str, result: &str| {
        format!("func.func @main(%x: tensor<2xf32>) -> {result} {{ {operations} return %1 : {result} }}")
    };
    // A broadcast of more than one number.
    let wide = "tensor<2x99999999999xf32>";
    let sum = "stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1]";
    let sum = format!("%1 = {sum} : ({wide}, tensor<f32>) -> tensor<2xf32>");
    let broadcast = format!("%0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<2xf32>) -> {wide} {one} {sum}");
    for backend in ["cpu", "eval"] {
        let broadcast = main(&broadcast, "tensor<2xf32>");
        fails(&["--ones", "--backend", backend], broadcast, "`broadcast` gives f32[2,99999999999]");
        // One number repeated that a kernel spells out, here and inside a call.
        let repeated = main(&format!("{ones} %1 = {dot}"), "tensor<f32>");
        fails(&["--ones", "--backend", backend], repeated, "`dot_general` of f32[99999999999], f32[99999999999] gives");
    }
    let called = format!(
        "{} func.func @f(%0: {ty}) -> tensor<f32> {{ %1 = {dot} return %1 : tensor<f32> }}",
        main(&format!("{ones} %1 = call @f(%0) : ({ty}) -> tensor<f32>"), "tensor<f32>")
    );
    fails(&["--ones", "--backend", "eval"], called, "`dot_general` of");
    // An output that is one number repeated: printed, not written.
    let constant = main(&ones.replace("%0", "%1"), ty);
    assert!(wengert(&["run", "-", "--ones"], &constant).status.success());
    fails(&["--ones", "--out-dir", out], constant, "out_0: this machine has no memory for f32[99999999999]");
    assert!(std::fs::read_dir(out).map_or(true, |d| d.count() == 0));
    // An input.
    let input = DOUBLE.replace("tensor<2xf32>", ty);
    for made in [&["--random", "1"][..], &["--ones"]] {
        fails(made, input.clone(), "input 0 `x`: this machine has no memory for f32[99999999999]");
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// What an earlier run wrote does not pass for an output of this one.
#[test]
fn outputs_of_an_earlier_run_are_removed() {
    let out = folder("stale");
    let there = |name: &str| out.join(name).exists();
    for name in ["out_0.npy", "out_1.npy", "out_12.npy", "out_x.npy", "in_1.npy"] {
        std::fs::write(out.join(name), "old").unwrap();
    }
    let done = wengert(&["run", "-", "--ones", "--out-dir", out.to_str().unwrap()], DOUBLE);
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(text(&done.stderr).contains("out_12.npy"), "{}", text(&done.stderr));
    assert_eq!(Array::load_npy(out.join("out_0.npy")).unwrap(), Array::from([2.0f32, 2.0]));
    assert!(!there("out_1.npy") && !there("out_12.npy") && there("out_x.npy") && there("in_1.npy"));
    std::fs::remove_dir_all(out).unwrap();
}

/// What can't be written or read is named, and what is half written goes again.
#[test]
#[cfg(unix)]
fn files_that_fail_are_named() {
    let folder = folder("failing");
    let at = |name: &str| folder.join(name).display().to_string();
    let fails = |arguments: &[&str], message: &str| {
        let two = DOUBLE.replace("(tensor<2xf32> {jax.result_info = \"result\"})", "(tensor<2xf32>, tensor<2xf32>)");
        let two = two.replace("return %0 : tensor<2xf32>", "return %0, %arg0 : tensor<2xf32>, tensor<2xf32>");
        let done = wengert(&[&["run", "-"], arguments].concat(), two);
        let said = text(&done.stderr);
        assert!(done.status.code() == Some(1) && said.contains(message), "{:?}: {said}", done.status);
    };
    let writing = |to: &str, message: &str| fails(&["--ones", "--out-dir", &at(to)], message);
    std::fs::write(at("file"), "").unwrap();
    std::os::unix::fs::symlink(at("nowhere"), at("link")).unwrap();
    writing("file", &format!("--out-dir: `{}` is not a folder", at("file")));
    writing("file/a/b", &format!("--out-dir: `{}` is not a folder", at("file")));
    writing("link", &format!("--out-dir: `{}` is not a folder", at("link")));
    // Before anything runs, or is looked at.
    fails(&["--out-dir", &at("file")], "is not a folder");
    std::fs::create_dir_all(at("taken/out_1.npy")).unwrap();
    writing("taken", &format!("{}: ", at("taken/out_1.npy")));
    assert!(!folder.join("taken/out_1.npy.part").exists());
    for (input, why) in [("file", "not an npy file: it is empty"), ("taken", "directory"), ("none", "No such file")] {
        fails(&["--input", &at(input)], &format!("{}: ", at(input)));
        fails(&["--input", &at(input)], why);
    }
    // A disk that is full at the second output: those of an earlier run are still all there.
    if std::path::Path::new("/dev/full").exists() {
        std::fs::create_dir(at("full")).unwrap();
        std::fs::write(at("full/out_0.npy"), "old").unwrap();
        std::os::unix::fs::symlink("/dev/full", at("full/out_1.npy.part")).unwrap();
        writing("full", &format!("{}: No space left", at("full/out_1.npy.part")));
        assert_eq!(std::fs::read(at("full/out_0.npy")).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(at("full")).unwrap().count(), 1);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn e2_a_package_is_built_without_debug_information() {
    // Of a function of thousands of lines, it is more than rustc can write.
    let folder = folder("package");
    let done = wengert(&["emit", "-", "--to", "rust", "--package", folder.to_str().unwrap()], DOUBLE);
    assert!(done.status.success(), "{}", text(&done.stderr));
    let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
    assert!(manifest.ends_with("[profile.dev]\ndebug = false\n"), "{manifest}");
}
