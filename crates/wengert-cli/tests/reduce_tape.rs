//! `wengert reduce` on the tape of a run that failed, and on what a failure leaves.

use std::path::PathBuf;
use std::process::Command;
use wengert::custom::{CustomOp, apply};
use wengert::{
    Array, Capture, DType, Error, ErrorKind, Recorder, Result, Tensor, Type, concatenate, grad, jit, pure_callback,
    scan, vmap, where_,
};

type Run = fn() -> Array;

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-reduce-tape-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// Saves the tape of a run that fails.
    fn record(&self, run: impl FnOnce() -> Array) {
        let (result, tape) = Recorder::new().capture(Capture::Values).try_record(run);
        assert!(result.is_err());
        tape.save(self.0.join("run.tape")).unwrap();
    }

    /// The exit code of `wengert reduce run.tape`, and what it wrote.
    fn reduce(&self, symptom: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        let o = command.current_dir(&self.0).args(["reduce", "run.tape", "--out-dir", "out", "--force"]).args(symptom);
        let o = o.output().unwrap();
        (o.status.code(), String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Much that has nothing to do with what fails.
fn around(x: &Array) -> Array {
    (0..20).fold(x.clone(), |y, i| (y * 0.5 + i as f32).sin().tanh())
}

fn x() -> Array {
    Array::from([1.0f32, 2.0, 3.0])
}

/// More than machines have.
fn huge(x: &Array) -> Array {
    let row = Array::iota([1 << 14], 0, DType::F32) * x.sum(..);
    row.broadcast_to([1 << 14, 1 << 14, 1 << 14]).sin()
}

#[test]
fn e6_a_run_that_failed_is_reduced_to_the_op_that_failed() {
    // Op by op, and then staged. One run: candidates at the edge of what memory there is have a gigabyte each.
    let f = Folder::new("memory");
    f.record(|| jit(|x: Array| huge(&around(&x)).sum(..))(around(&x())));
    let (code, text) = f.reduce(&["--error", "no memory", "--memory", "0.01"]);
    let words = ["what is reduced is what it did up to the op that failed", "it fails with: `broadcast` gives f#["];
    assert!(code == Some(0) && words.iter().all(|w| text.contains(w)), "{text}");
    // What compilers do not compute first, such as an iota, they may not need memory for either.
    let left = text.lines().filter(|l| l.starts_with("  %")).count();
    assert!(left <= 3 && text.contains(" = broadcast["), "{text}");
}

/// Much of everything, with a sum at its end that does not fit, in the body of a loop in a batch in a gradient.
fn deep(x: Array) -> Array {
    let weights = jit(|x: Array| around(&x))(x.clone());
    let slopes = grad(|w: Array| (around(&w) * &weights).sum(..))(x.exp());
    let rows = Array::iota([4, 3], 0, DType::F32).sin();
    let loss = |x: Array| {
        let each = |row: Array| {
            let step = |c: Array, k: Array| {
                let y = around(&c) * &slopes * k;
                let wrong = where_(y.gt(0.0), &y, -&y) + concatenate([&around(&y), &y], 0);
                (wrong, ())
            };
            scan(step, row * &x, Array::iota([5], 0, DType::F32)).0
        };
        around(&vmap(each)(rows.clone())).sum(..)
    };
    grad(loss)(around(&x))
}

#[test]
fn e5_the_calls_of_a_run_are_reduced_to_the_op_that_failed() {
    let f = Folder::new("deep");
    f.record(|| deep(x()));
    let (code, text) = f.reduce(&["--error", "do not broadcast"]);
    let words = ["what is reduced are the calls that led there", "nothing more goes: 1 step in 1 function, "];
    assert!(code == Some(0) && words.iter().all(|w| text.contains(w)), "{text}");
    let rust = std::fs::read_to_string(f.0.join("out/reduced.rs")).unwrap();
    assert!(rust.contains("    let v2 = &v0 + &v1;\n") && rust.lines().count() < 25, "{rust}");
    assert!(std::fs::read_to_string(f.0.join("out/reduced.py")).unwrap().contains("v2 = "), "{rust}");
    let report = std::fs::read_to_string(f.0.join("out/report.txt")).unwrap();
    assert!(report.contains("from ") && report.contains(" unwrap "), "{report}");
    // The folder is that of an earlier run then; and what is no program has nothing to go on from.
    assert_eq!(f.reduce(&["--error", "broadcast"]).0, Some(0));
    let (code, text) = f.reduce(&["--error", "broadcast", "--resume"]);
    assert!(code == Some(1) && text.contains("there is nothing to go on from"), "{text}");
}

#[test]
fn e5_a_transform_that_fails_itself_stays_with_a_function_that_does_next_to_nothing() {
    let f = Folder::new("transform");
    let no_scalar = |x: Array| jit(|x: Array| grad(|y: Array| around(&y) * 2.0)(around(&x)).sum(..))(x);
    f.record(|| vmap(no_scalar)(around(&x()).broadcast_to([4, 3])));
    let (code, text) = f.reduce(&["--error", "needs a function that gives a real scalar"]);
    assert!(code == Some(0) && text.contains("nothing more goes: 1 step in 2 functions"), "{text}");
    let rust = std::fs::read_to_string(f.0.join("out/reduced.rs")).unwrap();
    assert!(rust.contains("grad(closure)(v0)") && !rust.contains("jit") && !rust.contains("vmap"), "{rust}");
    assert!(rust.contains("this one gives f32[2]\""), "{rust}");
}

#[test]
fn e6_calls_keep_what_was_asked_for() {
    let sizes: Run = || {
        let rows = Array::iota([12, 3], 0, DType::F32);
        vmap(|x: Array, y: Array| (x * y).sum(..))(around(&rows), wengert::lax::slice(&rows, &[0, 0], &[5, 3], &[1, 1]))
    };
    let f = Folder::new("asked");
    f.record(sizes);
    let (code, text) = f.reduce(&["--error", "`arg0` has 12"]);
    let words =
        ["it fails with: `vmap` over arrays of different sizes: `arg0` has 12, and `arg1` has 5", "has 12, and"];
    assert!(code == Some(0) && words.iter().all(|w| text.contains(w)), "{text}");
    // The message is that of another, and nothing is replaced.
    let before = std::fs::read(f.0.join("out/reduced.rs")).unwrap();
    let (code, text) = f.reduce(&["--error", "no such thing"]);
    assert!(code == Some(1) && text.contains("its message does not have `no such thing`"), "{text}");
    assert_eq!(std::fs::read(f.0.join("out/reduced.rs")).unwrap(), before);
    // What is no window of its array shrinks too.
    let f = Folder::new("slice");
    f.record(|| jit(|x: Array| wengert::lax::slice(&around(&x), &[1], &[9], &[1]))(x()));
    let (code, text) = f.reduce(&["--error", "slice"]);
    assert!(code == Some(0) && text.contains("nothing more goes: 1 step in 1 function"), "{text}");
    // Functions that a transform gave are called where others hold them.
    let f = Folder::new("held");
    f.record(|| {
        let (y, back) = wengert::vjp(|x: Array| around(&x), (x(),));
        jit(|c: Array| back.pull(c).0 + Array::from([1.0f32, 2.0]))(y)
    });
    let (code, text) = f.reduce(&["--error", "broadcast"]);
    assert!(code == Some(0) && text.contains("nothing more goes: 1 step in 1 function"), "{text}");
}

/// An op of this process, which the command does not have.
#[derive(Clone, Debug)]
struct Fails;

impl CustomOp for Fails {
    fn name(&self) -> &str {
        "test.fails"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, _: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        Some(Err(Error::new(ErrorKind::Run, "it never works")))
    }
}

fn not_finite() -> Array {
    let y = (around(&x()) - 5.0).log();
    assert!(y.to_vec::<f32>().iter().all(|y| y.is_finite()), "not finite");
    y
}

#[test]
fn e6_what_no_program_can_do_is_said_and_what_led_there_is_reduced() {
    let staged: Run = || jit(|x: Array| apply(Fails, &[&around(&x)]).remove(0) * 2.0)(x());
    let runs: [(&str, Run, &str); 3] = [
        ("staged", staged, "it fails otherwise: `test.fails` is code of the user's"),
        ("custom", || apply(Fails, &[&around(&x())]).remove(0) * 2.0, "needs an op that this process does not have"),
        ("host", not_finite, "it is no op that failed"),
    ];
    for (name, run, why) in runs {
        let f = Folder::new(name);
        f.record(run);
        let (code, text) = f.reduce(&["--error", ".*"]);
        let words = ["the recorded run failed: ", why, "--to jax`, writes the run with what failed"];
        assert!(code == Some(1) && words.iter().all(|w| text.contains(w)), "{name}: {text}");
        assert!(!text.contains("shows what it does"), "{name}: {text}");
    }
    let f = Folder::new("nan");
    f.record(not_finite);
    let (code, text) = f.reduce(&["--nan"]);
    assert!(code == Some(0) && text.contains("log(") && text.contains("nothing more goes: 1 equation, "), "{text}");
}

/// The logarithm of numbers that are positive, and zero of others.
fn masked(x: &Array) -> Array {
    where_(x.gt(0.0), around(x).sin() + x.log(), 0.0)
}

/// Runs that give nothing but finite numbers, and compute others on the way; with the op at fault.
fn masked_runs() -> Vec<(&'static str, &'static str, Run)> {
    fn x() -> Array {
        Array::from([1.0f32, -2.0, 3.0])
    }
    fn callback(x: &Array) -> Array {
        pure_callback(|x: &[Array]| vec![&x[0] * 2.0], &[Type::new(DType::F32, [3])], &[x]).remove(0)
    }
    vec![
        ("masked", "log", || jit(|x: Array| masked(&x))(x())),
        ("in a loop", "log", || {
            let step = |c: Array, x: Array| (masked(&(c - &x)), x);
            jit(move |x: Array| scan(step, Array::from(2.0f32), x).0)(x())
        }),
        ("with infinite inputs", "log", || {
            jit(|x: Array, y: Array| masked(&(x + where_(y.lt(9.0), y, 0.0))))(x(), Array::from([f32::INFINITY; 3]))
        }),
        // It is given to the op beside the number that the op is at fault for.
        ("with NaN in an input", "log", || jit(|x: Array| masked(&x))(Array::from([1.0f32, -2.0, f32::NAN]))),
        ("after code of the users", "log", || jit(|x: Array| masked(&callback(&x)))(x())),
    ]
}

/// What names the run that this process is to do for the test below.
const MASKED: &str = "MASKED_RUN";

/// What `WENGERT_CHECK=nan` leaves of a number that a mask hides is reduced by the command that it prints.
#[test]
fn e4_a_masked_number_that_is_not_finite_is_reduced_as_told() {
    let own = "reduce_tape::e4_a_masked_number_that_is_not_finite_is_reduced_as_told";
    if let Ok(name) = std::env::var(MASKED) {
        let (.., run) = masked_runs().into_iter().find(|(n, ..)| *n == name).unwrap();
        println!("{:?}", wengert::try_run(run).map_err(|e| println!("{e}")));
        return;
    }
    for (name, op, _) in masked_runs() {
        let f = Folder::new(&name.replace(' ', "-"));
        let mut process = Command::new(std::env::current_exe().unwrap());
        let process = process.args(["--exact", own, "--nocapture"]).env(MASKED, name);
        let o = process.env("WENGERT_CHECK", "nan").env("WENGERT_REPRO_DIR", &f.0).output().unwrap();
        let said = String::from_utf8_lossy(&o.stdout).into_owned();
        let told = |before: &str, after: &str| {
            let rest = said.split_once(before).unwrap_or_else(|| panic!("{name}: {said}")).1;
            rest.split_once(after).unwrap().0.to_string()
        };
        assert!(said.contains(&format!("`{op}` gives NaN of finite numbers")), "{name}: {said}");
        let (folder, words) = (told("a reproducer is in ", ": "), told("`wengert ", "`"));
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        let o = command.current_dir(folder).args(words.split(' ')).output().unwrap();
        let text = String::from_utf8_lossy(&o.stdout).into_owned() + &String::from_utf8_lossy(&o.stderr);
        assert!(o.status.success(), "{name}: {words}: {text}");
        assert!(text.contains(&format!("= {op}(")) && text.contains("1 equation"), "{name}: {text}");
    }
}
