//! Tapes as programs (D4): a run that was recorded, saved and opened gives the same bits again, takes other inputs, and says
//! where the host would have decided otherwise.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use wengert::{Array, Capture, Device, Recorder, Tape, Tensor, grad, jit, save_safetensors, scan, track, while_loop};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-recorded-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn wengert(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_wengert")).args(arguments).env_remove("WENGERT_BACKEND").output().unwrap()
}

/// How the command ended, and what it wrote to both streams.
fn said(arguments: &[&str]) -> (Option<i32>, String) {
    let out = wengert(arguments);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code(), text(&out.stdout) + &text(&out.stderr))
}

fn x() -> Array {
    Array::from((1..40).map(|i| i as f32 / 7.0).collect::<Vec<_>>())
}

fn eager() -> Array {
    (x().sin() * 3.0 + x().exp()).tanh() / x().sum(..)
}

fn staged() -> Array {
    // Simplification makes two products of the power, which round once more.
    let f = jit(|x: Array| x.pow(3.0) + x * 0.1);
    f(x()) + f(x() * 0.5)
}

fn differentiated() -> Array {
    grad(|x: Array| (x.sin() * x.log()).sum(..))(x())
}

fn scanned() -> Array {
    let (last, all) = scan(|c: Array, x: Array| ((&c * 0.9 + &x).tanh(), c * x), x().sum(..), x());
    all * last
}

fn looped() -> Array {
    while_loop(|v: Array| v.sum(..).lt(1e6), |v: Array| v * 1.7, x())
}

/// Newton's method, by the host: how often it steps, and by how much, is decided with numbers that it read.
#[track]
fn newton(y: Array) -> Array {
    let mut r = Array::from(1.0f32);
    let mut steps = 0u32;
    while (&r * &r - &y).abs().item::<f32>() > 1e-4 && steps < 20 {
        r = (&r + &y / &r) * 0.5;
        steps += 1;
    }
    r * steps as f32
}

#[track]
fn tracked() -> Array {
    let scale = 0.25f64 + 0.5;
    let y = x().sum(..) * scale as f32;
    newton(y)
}

/// A name, and what is run.
type NamedRun = (&'static str, fn() -> Array);

const RUNS: [NamedRun; 6] = [
    ("eager", eager),
    ("staged", staged),
    ("differentiated", differentiated),
    ("scanned", scanned),
    ("looped", looped),
    ("tracked", tracked),
];

fn recorded(f: impl FnOnce() -> Array, path: &str) -> Tensor {
    let (y, tape) = Recorder::new().capture(Capture::Values).record(f);
    tape.save(path).unwrap();
    y.to_tensor()
}

#[test]
fn d4_a_tape_that_is_opened_is_a_program_with_the_bits_of_the_run() {
    let folder = Folder::new("opened");
    for (name, f) in RUNS {
        let path = folder.path(&format!("{name}.tape"));
        let y = recorded(f, &path);
        let tape = Tape::open(&path).unwrap();
        let straight = tape.to_program().unwrap();
        straight.program().verify().unwrap();
        let inputs = straight.recorded_inputs(&tape).unwrap();
        for device in [Device::cpu(), wengert::device("eval").unwrap()] {
            let again = straight.run_guarded(&device, inputs.clone()).unwrap_or_else(|e| panic!("{name}: {e}"));
            assert!(again.len() == 1 && again[0].same_bits(&y), "{name} on {device}: {again:?} and {y:?}");
        }
        assert_eq!(straight.unchecked().count(), 0, "{name}");
    }
}

#[test]
fn d4_the_command_runs_tapes_and_writes_them_as_programs() {
    let folder = Folder::new("run");
    for (name, f) in RUNS {
        let (path, out) = (folder.path(&format!("{name}.tape")), folder.path(name));
        let y = recorded(f, &path);
        let first = |dir: &str| Array::load_npy(Path::new(dir).join("out_0.npy")).unwrap().to_tensor();
        let (code, text) = said(&["run", &path, "--out-dir", &out, "--compare", "eval"]);
        assert!(code == Some(0) && text.contains("cpu and eval differ by 0.000e0"), "{name}: {text}");
        assert!(first(&out).same_bits(&y), "{name}: {:?} and {y:?}", first(&out));
        // As text, the same program with the inputs of the run.
        let tape = Tape::open(&path).unwrap();
        let inputs = tape.to_program().unwrap().recorded_inputs(&tape).unwrap();
        let files: Vec<String> = (0..inputs.len()).map(|i| folder.path(&format!("{name}_{i}.npy"))).collect();
        files.iter().zip(inputs).for_each(|(f, x)| Array::from_tensor(x).save_npy(f).unwrap());
        let files: Vec<&str> = files.iter().map(|f| &**f).collect();
        for (form, ending) in [("wengert", "wg"), ("stablehlo", "mlir")] {
            let program = folder.path(&format!("{name}.{ending}"));
            let (code, text) = said(&["convert", &path, "--to", form, "-o", &program]);
            assert_eq!(code, Some(0), "{name}: {text}");
            let run = ["run", &program, "--backend", "eval", "--out-dir", &out, "--input"];
            let (code, text) = said(&[&run[..], &files].concat());
            assert_eq!(code, Some(0), "{name}: {text}");
            // StableHLO has some ops as several of its own, which round otherwise.
            let near = wengert_core::compare::compare(&first(&out), &y).unwrap().relative;
            assert!(if form == "wengert" { first(&out).same_bits(&y) } else { near < 1e-5 }, "{name} {form}: {near}");
        }
        let written = std::fs::read(folder.path(&format!("{name}.wg"))).unwrap();
        assert!(written.starts_with(b"// Written by `wengert convert`. Checksum: "), "{name}");
        let first = written.iter().position(|b| *b == b'\n').unwrap();
        assert!(wengert(&["convert", &path]).stdout == written[first + 1..], "{name}");
    }
}

/// `x` with its sign, by a decision of the host.
#[track]
fn folded(x: Array) -> Array {
    if x.sum(..) > 0.0 { x * 2.0 } else { x * -1.0 }
}

#[test]
fn d4_other_inputs_are_run_with_guards() {
    let folder = Folder::new("guards");
    let path = folder.path("run.tape");
    let run = || {
        let (a, b) = (Array::from([1.0f32, 2.0]), Array::from([0.5f32, 0.25]));
        folded(a) + b
    };
    recorded(run, &path);
    assert_eq!(said(&["run", &path]), (Some(0), "out_0: f32[2] =\n[2.5  4.25]\n".into()));
    let (near, far) = (folder.path("near.npy"), folder.path("far.npy"));
    Array::from([3.0f32, -1.0]).save_npy(&near).unwrap();
    Array::from([-3.0f32, -1.0]).save_npy(&far).unwrap();
    // What is not given is as it was, and that is said.
    let (code, text) = said(&["run", &path, "--input", &near]);
    assert!(code == Some(0) && text.contains("[ 6.5  -1.75]") && text.contains("1 input as recorded: @"), "{text}");
    let (code, text) = said(&["run", &path, "--input", &far]);
    let words =
        ["the host read true here, and with these inputs it reads false", "recorded.rs:", "`--unguarded` takes"];
    assert!(code == Some(1) && words.iter().all(|w| text.contains(w)), "{text}");
    let (code, text) = said(&["run", &path, "--unguarded", "--input", &far]);
    assert!(code == Some(0) && text.contains("[-5.5  -1.75]"), "{text}");
    // What is written of it has the same decisions, and so has what is compared or reduced.
    for form in ["rust", "jax", "wg", "stablehlo"] {
        let out = folder.path("out");
        let emit = |input: &str, more: &[&str]| {
            said(&[&["emit", &path, "--to", form, "--input", input, "-o", &out], more].concat())
        };
        assert_eq!(emit(&near, &[]).0, Some(0), "{form}");
        let (code, text) = emit(&far, &["--force"]);
        assert!(code == Some(1) && words.iter().all(|w| text.contains(w)), "{form}: {text}");
        assert_eq!(emit(&far, &["--force", "--unguarded"]).0, Some(0), "{form}");
    }
    let decided = "the host read values in the recorded run, and what it decided by them stays as it was";
    let (code, text) = said(&["diff", &path, "--eager", "--input", &far]);
    assert!(code == Some(0) && text.contains(decided), "{text}");
    assert!(!said(&["diff", &path, "--eager"]).1.contains(decided));
    let (_, text) = said(&["reduce", &path, "--nan", "--input", &far, "--out-dir", &folder.path("reduced")]);
    assert!(text.contains(decided), "{text}");
    // By the numbers of nodes, where variables have no name; and by name where they do.
    let named = folder.path("named.safetensors");
    let tape = Tape::open(&path).unwrap();
    let (first, _) = tape.to_program().unwrap().inputs()[0];
    save_safetensors(&named, [(&*first.to_string(), Array::from([7.0f32, 8.0]))]).unwrap();
    let (code, text) = said(&["run", &path, "--input", &named, "--backend", "eval", "--time"]);
    assert!(code == Some(0) && text.contains("[14.5  16.25]") && text.contains("eval: compile"), "{text}");
    assert_eq!(said(&["run", &path, "--ones"]).0, Some(0));
    let (code, text) = said(&["run", &path, "--print-after", "fold"]);
    assert!(code == Some(1) && text.contains("the run on a tape runs as it is written"), "{text}");
    let (code, text) = said(&["run", &path, "--print-after", "fuse", "--print-after", "import", "--memory"]);
    assert!(code == Some(0) && text.contains("// after fuse") && text.contains("// after import"), "{text}");
    let program = folder.path("f.wg");
    std::fs::write(&program, "program (x: f32[]) { return x }").unwrap();
    assert_eq!(said(&["run", &program, "--ones", "--unguarded"]).0, Some(2));
}

#[test]
fn d4_what_a_tape_did_not_keep_is_said() {
    let folder = Folder::new("lacking");
    let path = folder.path("shapes.tape");
    Recorder::new().record(|| x().sin()).1.save(&path).unwrap();
    let (code, text) = said(&["run", &path]);
    assert!(code == Some(1) && text.contains("no value for input 0") && text.contains("Capture::Values"), "{text}");
    assert_eq!(said(&["run", &path, "--random", "1"]).0, Some(0));
    // A tape by another name is known by its bytes, and one that is damaged by its name.
    std::fs::copy(&path, folder.path("shapes.bin")).unwrap();
    assert_eq!(said(&["convert", &folder.path("shapes.bin")]).0, Some(0));
    std::fs::write(folder.path("no.tape"), "no tape").unwrap();
    for task in ["run", "convert", "show"] {
        let (code, text) = said(&[task, &folder.path("no.tape")]);
        assert!(code == Some(4) && text.contains("this is not a tape"), "{text}");
    }
}

/// Adds arrays that do not fit, after something that does.
#[track]
fn mismatch(x: Array) -> Array {
    let y = x.sin();
    y + Array::from([1.0f32, 2.0, 3.0])
}

#[test]
fn d4_what_became_of_a_run_that_failed_is_said() {
    let folder = Folder::new("failed");
    let path = folder.path("run.tape");
    let (y, tape) = Recorder::new().capture(Capture::Values).try_record(|| mismatch(Array::from([1.0f32, 2.0])));
    assert!(y.is_err());
    tape.save(&path).unwrap();
    let words =
        ["the recorded run failed: `add`: arrays of shapes [2] and [3] do not broadcast together", "recorded.rs:"];
    let out = folder.path("out");
    for arguments in [
        &["run", &path][..],
        &["convert", &path],
        &["convert", &path, "--to", "stablehlo", "-o", &out],
        &["emit", &path, "--to", "wg"],
        &["emit", &path, "--to", "stablehlo"],
        // On other inputs it is written as a program too.
        &["emit", &path, "--to", "rust", "--ones"],
    ] {
        let (code, text) = said(arguments);
        assert!(code == Some(1) && words.iter().all(|w| text.contains(w)), "{arguments:?}: {text}");
        assert!(text.contains("--to rust`, or `--to jax`, writes the failure too"), "{text}");
    }
    for form in ["rust", "jax"] {
        assert_eq!(said(&["emit", &path, "--to", form]).0, Some(0));
    }
    let (code, text) = said(&["diff", &path, &path]);
    assert!(code == Some(0) && text.contains("run.tape failed at ") && text.contains("do not broadcast"), "{text}");
}

#[test]
fn d4_a_damaged_array_is_an_error_whatever_is_done_with_the_tape() {
    let folder = Folder::new("damaged");
    let path = folder.path("run.tape");
    recorded(eager, &path);
    let whole = std::fs::read(&path).unwrap();
    let arrays = Tape::open(&path).unwrap().value_bytes();
    // The arrays are the last in the file: the first that was made, one on the way, and the result.
    for at in [whole.len() - arrays, whole.len() - arrays / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        std::fs::write(&path, bytes).unwrap();
        for arguments in [
            &["run", &path][..],
            &["convert", &path],
            &["emit", &path, "--to", "rust", "--fake-data", "1"],
            &["emit", &path, "--to", "jax", "--fake-data", "1"],
            &["emit", &path, "--to", "wg"],
            &["reduce", &path, "--nan"],
        ] {
            let (code, text) = said(arguments);
            assert!(code == Some(4) && text.contains("damaged") && text.contains("run.tape"), "{arguments:?}: {text}");
        }
        assert_eq!(said(&["diff", &path, &path]).0, Some(2));
    }
}

#[test]
fn d4_an_input_is_not_written_over() {
    let folder = Folder::new("input");
    let program = folder.path("f.wg");
    std::fs::write(&program, "program (x: f32[]) { return x }").unwrap();
    for name in ["out_0.npy", "out_7.npy"] {
        let input = folder.path(name);
        Array::from(2.0f32).save_npy(&input).unwrap();
        let before = std::fs::read(&input).unwrap();
        let (code, text) = said(&["run", &program, "--input", &input, "--out-dir", &folder.path("")]);
        assert!(code == Some(1) && text.contains("has the name of an output, and would be lost"), "{text}");
        assert_eq!(std::fs::read(&input).unwrap(), before);
    }
}

/// What is left of a process that was killed before its tape was saved.
#[test]
fn e4_an_empty_tape_is_said_to_be_one() {
    let f = Folder::new("empty");
    let path = f.path("died.tape");
    Tape::default().save(&path).unwrap();
    let reduced = f.path("reduced");
    for (arguments, code) in [
        (&["show", &path][..], 1),
        (&["emit", &path, "--to", "rust"], 1),
        (&["emit", &path, "--to", "stablehlo"], 1),
        (&["run", &path], 1),
        (&["convert", &path], 1),
        (&["diff", &path, &path], 2),
        (&["diff", &path, "--backends", "eval,cpu"], 2),
        (&["reduce", &path, "--nan", "--out-dir", &reduced], 1),
    ] {
        let (status, text) = said(arguments);
        assert_eq!(status, Some(code), "{arguments:?}: {text}");
        let has = text.contains("the tape is empty: the process ended before it was saved (it crashed, or was killed)");
        assert!(has && text.contains("WENGERT_REPRO_DIR"), "{arguments:?}: {text}");
    }
}
