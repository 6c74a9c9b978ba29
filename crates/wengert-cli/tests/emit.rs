//! `wengert emit` as a user runs it: what it writes over, and what an anonymous file holds.

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::Command;
use wengert::custom::{CustomOp, apply};
use wengert::{
    Array, Capture, Program, Recorder, Result, Tensor, Type, debug_print, grad, jit, make_program, pure_callback,
    record, scan, track, while_loop,
};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-emit-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// How the command ended, and what it wrote to both streams.
    fn wengert(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        let out = command.current_dir(&self.0).args(arguments).env_remove("WENGERT_BACKEND").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout) + &text(&out.stderr))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        String::from_utf8_lossy(&std::fs::read(self.0.join(name)).unwrap()).into_owned()
    }

    /// Records a run that may fail.
    fn record(&self, name: &str, f: impl FnOnce() -> Array) {
        let (_, tape) = Recorder::new().capture(Capture::Values).try_record(f);
        tape.save(self.0.join(name)).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[track_caller]
fn check((code, text): (Option<i32>, String), wanted: i32, has: &[&str]) {
    assert_eq!(code, Some(wanted), "{text}");
    for line in has {
        assert!(text.contains(line), "`{line}` is missing:\n{text}");
    }
}

const PROGRAM: &str = "program f(x: f32[50]) {\n  y: f32[50] = sin(x)\n  return y\n}\n";

#[test]
fn e2_emit_writes_over_nothing_that_is_not_its_own() {
    let f = Folder::new("over");
    f.write("p.wg", PROGRAM);
    for form in ["rust", "jax", "stablehlo", "wg"] {
        let (mine, own) = (format!("mine.{form}"), format!("own.{form}"));
        f.write(&mine, "fn mine() {}\n");
        let emit = |more: &[&str]| f.wengert(&[&["emit", "p.wg", "--random", "1", "--to", form], more].concat());
        check(emit(&["-o", &mine]), 2, &["is there already, and was not written by this command", "`--force`"]);
        assert_eq!(f.read(&mine), "fn mine() {}\n");
        // Its own input, by whatever name, also where it is told to.
        check(emit(&["-o", "./p.wg", "--force"]), 2, &["`./p.wg` is what the command reads"]);
        assert_eq!(f.read("p.wg"), PROGRAM);
        // What it wrote itself, as often as one likes.
        check(emit(&["-o", &own]), 0, &[]);
        check(emit(&["-o", &own]), 0, &[]);
        check(emit(&["-o", &mine, "--force"]), 0, &[]);
        let below = |name: &str| f.read(name).split_once('\n').unwrap().1.replace("mine", "own");
        assert_eq!(below(&mine), below(&own));
        // What was changed since is the user's, wherever that was.
        let text = f.read(&own);
        for edited in
            [text.replace("sin", "cos"), text.replacen("wengert emit", "wengert emit again", 1), text.clone() + "\n"]
        {
            assert_ne!(edited, text);
            f.write(&own, &edited);
            check(emit(&["-o", &own]), 2, &["was changed since this command wrote it", "`--force`"]);
            assert_eq!(f.read(&own), edited);
        }
        check(emit(&["-o", &own, "--force"]), 0, &[]);
        assert_eq!(f.read(&own), text);
    }
    // Arrays beside a text are files too.
    wengert::save_safetensors(f.0.join("weights-py.safetensors"), [("x", x())]).unwrap();
    let weights = f.read("weights-py.safetensors");
    let emit = ["emit", "p.wg", "--to", "jax", "-o", "weights.py", "--random", "1"];
    check(f.wengert(&emit), 2, &["`weights-py.safetensors` is there already"]);
    let emit = ["emit", "p.wg", "--to", "jax", "-o", "weights.py", "--force", "--input", "weights-py.safetensors"];
    check(f.wengert(&emit), 2, &["`weights-py.safetensors` is what the command reads"]);
    assert!(f.read("weights-py.safetensors") == weights && !f.0.join("weights.py").exists());
    // What was changed of them is the user's too.
    let emit = ["emit", "p.wg", "--to", "jax", "-o", "edited.py", "--random", "1"];
    check(f.wengert(&emit), 0, &[]);
    let mut arrays = std::fs::read(f.0.join("edited-py.safetensors")).unwrap();
    *arrays.last_mut().unwrap() ^= 1;
    std::fs::write(f.0.join("edited-py.safetensors"), &arrays).unwrap();
    check(f.wengert(&emit), 2, &["`edited-py.safetensors` was changed since"]);
    assert_eq!(std::fs::read(f.0.join("edited-py.safetensors")).unwrap(), arrays);
    // What went to the standard output is known as well.
    let (_, text) = f.wengert(&["emit", "p.wg", "--to", "jax", "--fake-data", "1", "--random", "1"]);
    f.write("redirected.py", &text[text.find("# Written").unwrap()..]);
    check(
        f.wengert(&["emit", "p.wg", "--to", "jax", "--fake-data", "1", "--random", "1", "-o", "redirected.py"]),
        0,
        &[],
    );
    // A program that is converted.
    check(f.wengert(&["convert", "p.wg", "-o", "p.wg"]), 2, &["is what the command reads"]);
    check(f.wengert(&["convert", "p.wg", "-o", "mine.txt"]), 0, &[]);
    check(f.wengert(&["convert", "p.wg", "-o", "mine.txt"]), 0, &[]);
    f.write("mine.txt", "mine");
    check(f.wengert(&["convert", "p.wg", "-o", "mine.txt"]), 2, &["was not written by this command"]);
    check(f.wengert(&["convert", "p.wg", "-o", "mine.txt", "--force"]), 0, &[]);
    assert_eq!(f.wengert(&["run", "mine.txt", "--ones"]), f.wengert(&["run", "p.wg", "--ones"]));
    for (path, message) in [("no/such/f.rs", "there is no folder `no/such`"), (".", "`.` is a folder")] {
        check(f.wengert(&["emit", "p.wg", "--to", "rust", "-o", path]), 2, &[message]);
    }
}

/// What is emitted in one form stays as it was, with its arrays, where another form has the same name and other arrays.
#[test]
fn e2_forms_of_one_name_have_arrays_of_their_own() {
    let f = Folder::new("forms");
    f.write("p.wg", PROGRAM);
    let forms = [
        ("rust", "t.rs", "t-rs.safetensors"),
        ("jax", "t.py", "t-py.safetensors"),
        ("stablehlo", "t.mlir", "t-mlir.safetensors"),
        ("wg", "t.wg", "t.safetensors"),
    ];
    let mut written = Vec::new();
    for (i, (form, text, arrays)) in forms.into_iter().enumerate() {
        check(f.wengert(&["emit", "p.wg", "--to", form, "-o", text, "--random", &i.to_string()]), 0, &[]);
        written.extend([text, arrays].map(|name| (name, std::fs::read(f.0.join(name)).unwrap())));
    }
    for (name, bytes) in written {
        assert!(std::fs::read(f.0.join(name)).unwrap() == bytes, "{name} was written over");
    }
    check(f.wengert(&["run", "t.mlir", "--input", "t-mlir.safetensors"]), 0, &["out_0: f32[50]"]);
    check(f.wengert(&["emit", "p.wg", "--to", "rust", "-o", "t.safetensors"]), 2, &["is a name for arrays"]);
}

/// Code of the user's that runs op by op: what it gave is written, and where that can't be, the message says what to do.
#[test]
fn e2_code_of_the_users_is_written_or_the_way_is_said() {
    let f = Folder::new("code");
    let twice = |x: &[Array]| vec![&x[0] * 2.0];
    let run = || pure_callback(twice, &[x().ty()], &[&x()]).remove(0) + 1.0;
    f.record("values.tape", run);
    record(run).1.save(f.0.join("shapes.tape")).unwrap();
    for (form, to) in [("rust", "a.rs"), ("jax", "a.py")] {
        check(f.wengert(&["emit", "values.tape", "--to", form, "-o", to]), 0, &[]);
        check(f.wengert(&["emit", "shapes.tape", "--to", form, "-o", to]), 1, &["recorded with `Capture::Values`"]);
    }
    for form in ["stablehlo", "wg"] {
        let way =
            ["what to do: give the op a decomposition", "`wengert emit --to rust` and `--to jax` write what it gave"];
        check(f.wengert(&["emit", "values.tape", "--to", form]), 1, &way);
    }
}

/// An op of the user's that is a program of others.
#[derive(Debug)]
struct Doubled;

impl CustomOp for Doubled {
    fn name(&self) -> &str {
        "tests.doubled"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        Some(Ok(make_program(|x: Array| x * 2.0, (Array::from_tensor(Tensor::zeros(&x[0])),))))
    }
}

#[test]
fn e2_an_op_with_a_decomposition_goes_out_as_that_in_all_forms() {
    let f = Folder::new("doubled");
    f.record("run.tape", || apply(Doubled, &[&Array::from([1.0f32, 2.0])]).remove(0) + 1.0);
    for (form, has) in
        [("wg", "program tests_doubled("), ("stablehlo", "@tests_doubled"), ("rust", "fn "), ("jax", "def ")]
    {
        check(f.wengert(&["emit", "run.tape", "--to", form]), 0, &[has]);
    }
    check(f.wengert(&["convert", "run.tape"]), 0, &["tests_doubled"]);
    check(f.wengert(&["run", "run.tape"]), 0, &["f32[2]"]);
}

#[test]
fn e2_a_package_is_not_written_into_that_of_others() {
    let f = Folder::new("package");
    f.write("p.wg", PROGRAM);
    f.write("mine/Cargo.toml", "[package]\n");
    f.write("mine/src/main.rs", "fn main() {}\n");
    f.write("notes/a.txt", "notes");
    let emit = |folder: &str, more: &[&str]| {
        f.wengert(&[&["emit", "p.wg", "--random", "1", "--to", "rust", "--package", folder], more].concat())
    };
    for folder in ["mine", "notes"] {
        check(emit(folder, &[]), 2, &["has files in it that this command did not write", "`--force`"]);
    }
    assert_eq!(
        (f.read("mine/Cargo.toml"), f.read("mine/src/main.rs")),
        ("[package]\n".into(), "fn main() {}\n".into())
    );
    check(emit("p.wg", &[]), 2, &["is no folder"]);
    f.write("new/.keep", "");
    std::fs::remove_file(f.0.join("new/.keep")).unwrap();
    check(emit("new", &[]), 0, &[]);
    check(emit("new", &[]), 0, &[]);
    // Folders without files, as a full disk leaves them, are in nobody's way; with one file in them they are.
    std::fs::create_dir_all(f.0.join("full/src/deep")).unwrap();
    check(emit("full", &[]), 0, &[]);
    f.write("deep/src/deep/a.txt", "notes");
    check(emit("deep", &[]), 2, &["has files in it that this command did not write"]);
    assert!(f.read("new/Cargo.toml").contains("name = \"new\"") && f.0.join("new/src/data.safetensors").exists());
    check(emit("mine", &["--force"]), 0, &[]);
    // What was changed since is the user's.
    for file in ["src/main.rs", "Cargo.toml", "src/data.safetensors"] {
        let file = format!("new/{file}");
        let mut bytes = std::fs::read(f.0.join(&file)).unwrap();
        bytes.push(b'\n');
        std::fs::write(f.0.join(&file), &bytes).unwrap();
        check(emit("new", &[]), 2, &["was changed since this command wrote it", "`--force`"]);
        assert_eq!(std::fs::read(f.0.join(&file)).unwrap(), bytes);
        check(emit("new", &["--force"]), 0, &[]);
        check(emit("new", &[]), 0, &[]);
    }
    check(f.wengert(&["emit", "p.wg", "--to", "jax", "--package", "other"]), 2, &["goes with `--to rust` alone"]);
}

#[test]
fn e2_a_run_that_prints_prints_again_and_a_note_is_said() {
    let f = Folder::new("prints");
    let looped = |x: Array| while_loop(|c: Array| c.lt(9.0), |c: Array| c * 1.5, debug_print("x is {}", &x));
    let tape = Recorder::new().capture(Capture::Values).record(|| grad(looped)(Array::from(2.5f32))).1;
    tape.save(f.0.join("run.tape")).unwrap();
    check(f.wengert(&["run", "run.tape"]), 0, &["x is 2.5"]);
    check(f.wengert(&["emit", "run.tape", "--to", "jax", "-o", "run.py"]), 0, &["JAX refuses this run"]);
    assert!(f.read("run.py").lines().nth(1).unwrap().starts_with("# JAX refuses this run"));
    check(f.wengert(&["emit", "run.tape", "--to", "rust"]), 0, &["debug_print(\"x is {}\", &"]);
}

/// Of a tape as of a program: whether a matrix determines its decomposition is seen in its values.
#[test]
fn e2_decompositions_that_are_not_determined_are_told() {
    let f = Folder::new("determined");
    let columns = |second: f32| Array::from([[1.0f32, second], [2.0, 4.0], [3.0, 6.0]]);
    let decomposed = jit(|x: Array| {
        let (q, r) = x.qr(false);
        (q.matmul(&r), q.sin())
    });
    for (name, second, rust, jax) in [
        ("same", 2.0, "repro::check_but(got, expected, &[1])", "check(results, expected, free=[1])"),
        ("other", 3.0, "repro::check(got, expected)", "check(results, expected)"),
    ] {
        let tape = Recorder::new().capture(Capture::Values).record(|| decomposed(columns(second))).1;
        tape.save(f.0.join(format!("{name}.tape"))).unwrap();
        check(f.wengert(&["emit", &format!("{name}.tape"), "--to", "rust"]), 0, &[rust]);
        check(f.wengert(&["emit", &format!("{name}.tape"), "--to", "jax"]), 0, &[jax]);
    }
    f.write("p.wg", "program (x: f32[2,2]) { u: f32[2,2], s: f32[2], v: f32[2,2] = svd[full_matrices=false, compute_uv=true](x) return u, s, v }");
    check(f.wengert(&["emit", "p.wg", "--ones", "--to", "jax"]), 0, &["check(results, expected, free=[2])"]);
    check(f.wengert(&["emit", "p.wg", "--random", "1", "--to", "jax"]), 0, &["check(results, expected)"]);
}

/// What is computed with narrow floats is compared by these, whatever the type of the results is.
#[test]
fn e2_results_are_compared_by_the_narrowest_float() {
    let f = Folder::new("narrow");
    let program = |d: &str| {
        format!(
            "program (x: f32[4]) {{ h: {d}[4] = convert[dtype={d}](x) y: {d}[4] = sin(h) z: f32[4] = convert[dtype=f32](y) return z }}"
        )
    };
    f.write("p.wg", &program("bf16"));
    check(
        f.wengert(&["emit", "p.wg", "--ones", "--to", "rust"]),
        0,
        &["repro::check_in(got, expected, DType::BF16, &[])"],
    );
    check(
        f.wengert(&["emit", "p.wg", "--ones", "--to", "jax"]),
        0,
        &["check(results, expected, narrowest=\"bfloat16\")"],
    );
    f.write("q.wg", &program("f64"));
    check(f.wengert(&["emit", "q.wg", "--ones", "--to", "rust"]), 0, &["repro::check(got, expected)"]);
    // What one result depends on is nothing to the others.
    f.write("r.wg", &program("bf16").replace("return z", "w: f32[4] = sin(x) return z, w"));
    check(f.wengert(&["emit", "r.wg", "--ones", "--to", "jax"]), 0, &["narrowest=[\"bfloat16\", None])"]);
    check(
        f.wengert(&["emit", "r.wg", "--ones", "--to", "rust"]),
        0,
        &[
            "repro::check_each(",
            "  repro::Allowed::Rounding(Some(DType::BF16)),\n",
            "  repro::Allowed::Rounding(None),\n",
        ],
    );
    f.write(
        "s.wg",
        "program (x: f32[]) { y: f32[] = add(x, 12345.6:f32[]) z: f32[] = sub(y, 12345.6:f32[]) return y, z }",
    );
    check(f.wengert(&["emit", "s.wg", "--ones", "--to", "jax"]), 0, &["check(results, expected, [None, 0."]);
    check(
        f.wengert(&["emit", "s.wg", "--ones", "--to", "rust"]),
        0,
        &["[repro::Allowed::Rounding(None), repro::Allowed::Part(0."],
    );
    let straight = "program (x: f32[]) { z: f32[] = call[program=program g(x: f32[]) { y: f32[] = add(x, 12345.6:f32[]) z: f32[] = sub(y, 12345.6:f32[]) return z }, kind=staged](x) return z }";
    f.write("t.wg", straight);
    check(f.wengert(&["emit", "t.wg", "--ones", "--to", "rust"]), 0, &["repro::check_within(got, expected, 0."]);
}

/// Who waits for a loop that does not end is told what runs.
#[test]
fn e2_a_run_that_takes_long_is_told_of() {
    let f = Folder::new("endless");
    let endless = "program (x: f32[]) { y: f32[] = while[consts=0, cond=program (c: f32[]) { b: bool[] = compare[direction=gt](c, 0.0:f32[]) return b },
        body=program (c: f32[]) { d: f32[] = abs(c) return d }](x) return y }";
    f.write("p.wg", endless);
    for args in [&["emit", "p.wg", "--ones", "--to", "jax"][..], &["diff", "p.wg", "p.wg", "--ones"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        command.current_dir(&f.0).args(args).stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut said = String::new();
        std::io::BufReader::new(child.stderr.take().unwrap()).read_line(&mut said).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(said.starts_with("run 1 on eval: ") && said.trim_end().ends_with(" s so far"), "{args:?}: {said}");
    }
}

#[test]
fn e2_the_standard_output_has_the_text_alone() {
    let f = Folder::new("stdout");
    f.write("p.wg", PROGRAM);
    for form in ["wg", "stablehlo"] {
        check(f.wengert(&["emit", "p.wg", "--to", form]), 0, &["sin", "the inputs are not written: `-o FILE`"]);
    }
    check(f.wengert(&["emit", "p.wg", "--to", "wg", "--fake-data", "1"]), 2, &["is for Rust and JAX"]);
    check(f.wengert(&["emit", "p.wg", "--to", "rust"]), 1, &["arrays that are too large for the text"]);
    check(f.wengert(&["emit", "p.wg", "--to", "rust", "--fake-data", "1", "-o", "-"]), 0, &["repro::fake(1, "]);
}

fn x() -> Array {
    Array::from((0..50).map(|i| 4711.25f32 + i as f32).collect::<Vec<_>>())
}

#[track]
fn secret_layer(secret_rows: Array, secret_weight: Array) -> Array {
    let secret_product = (&secret_rows * &secret_weight).tanh();
    secret_product
}

fn secret_model() -> Array {
    let secret_table = Array::from([4712.25f32, 4713.25]);
    let secret_large = x();
    let secret_staged = jit(move |a: Array| a * &secret_table + secret_large.sum(..));
    let y = secret_staged(secret_layer(Array::from([4714.25f32, 4715.25]), Array::from([4716.25f32, 4717.25])));
    let (last, _) = scan(|c: Array, x: Array| (secret_layer(c, x.clone()), x), y.sum(..), x());
    last + x().sum(..)
}

fn secret_panic() -> Array {
    let y = secret_layer(x(), x());
    assert!(y.size() == 0, "secret words of {}", y.size());
    y
}

fn secret_mismatch() -> Array {
    secret_layer(x(), Array::from([4718.25f32, 4719.25, 1.0]))
}

/// All files in a folder, at any depth.
fn files(folder: &Path) -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    all.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

/// Nothing in any of the files tells whose they are: no word of theirs, no place, no number.
fn check_anonymous(folder: &Path) {
    let all = files(folder);
    assert!(!all.is_empty());
    for path in all {
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for word in ["secret", "words", "emit.rs", ".rs:", "tests/", "/home", "wengert-emit-", "record("] {
            assert!(!text.contains(word), "`{word}` is in {}:\n{text}", path.display());
        }
        for number in 0..70 {
            let number = 4711.25f32 + number as f32;
            assert!(!text.contains(&number.to_string()), "{number} is in {}:\n{text}", path.display());
            let has = bytes.windows(4).any(|b| b == number.to_le_bytes());
            assert!(!has, "{number} is in the bytes of {}", path.display());
        }
    }
}

#[test]
fn e2_nothing_of_the_users_is_in_anonymous_files() {
    let f = Folder::new("anonymous");
    f.record("model.tape", secret_model);
    f.record("panic.tape", secret_panic);
    f.record("mismatch.tape", secret_mismatch);
    f.write(
        "text.wg",
        "program secret(secret_x: f32[50]) {\n  secret_y: f32[2] = dense[4712.25, 4713.25]:f32[2] @ secret.rs:1:2\n  \
         s: f32[50] = call[program=program secret_inner(secret_a: f32[50]) { secret_b: f32[50] = sin(secret_a)\n\
         return secret_b }, kind=staged](secret_x) @ secret.rs:2:2\n  return s, secret_y\n}\n",
    );
    wengert::save_safetensors(f.0.join("x.safetensors"), [("secret_x", x())]).unwrap();
    for name in ["model.tape", "panic.tape", "mismatch.tape", "text.wg"] {
        let failed = matches!(name, "panic.tape" | "mismatch.tape");
        let inputs: &[&str] = if name == "text.wg" { &["--input", "x.safetensors"] } else { &[] };
        let out = f.0.join(format!("out-{name}"));
        std::fs::create_dir_all(&out).unwrap();
        for (form, to) in [("rust", "a.rs"), ("jax", "b.py"), ("stablehlo", "c.mlir"), ("wg", "d.wg")] {
            let to = out.join(to).display().to_string();
            let (code, text) = f.wengert(&[&["emit", name, "--anonymous", "--to", form, "-o", &to], inputs].concat());
            // A program can't hold a failure.
            let wanted = i32::from(failed && matches!(form, "stablehlo" | "wg"));
            assert_eq!(code, Some(wanted), "{name} {form}: {text}");
        }
        let package = out.join("again").display().to_string();
        let emit = ["emit", name, "--anonymous", "--to", "rust", "--package", &package];
        check(f.wengert(&[&emit[..], inputs].concat()), 0, &[]);
        check_anonymous(&out);
    }
    let [panic, mismatch] = ["panic", "mismatch"].map(|name| f.read(&format!("out-{name}.tape/a.rs")));
    assert!(panic.contains("repro::raise(\"an error of the user's\")"), "{panic}");
    assert!(mismatch.contains("`mul`: arrays of shapes [50] and [3] do not broadcast together"), "{mismatch}");
    // What is written runs, on inputs of its own.
    let out = f.0.join("out-text.wg");
    let (program, arrays) = (out.join("d.wg"), out.join("d.safetensors"));
    let run = ["run", program.to_str().unwrap(), "--input", arrays.to_str().unwrap()];
    check(f.wengert(&run), 0, &["out_0: f32[50]", "out_1: f32[2]"]);
    check(f.wengert(&["emit", "text.wg", "--to", "rust", "--package", "p", "--wengert", ".", "--anonymous"]), 2, &[]);
    // Numbers that were drawn are not the user's.
    check(f.wengert(&["emit", "text.wg", "--to", "wg", "--ones", "--anonymous", "-o", "ones.wg"]), 0, &[]);
    assert!(f.read("ones.safetensors").contains(&String::from_utf8_lossy(&1f32.to_le_bytes().repeat(50)).into_owned()));
}
