//! What a failure outside of staged programs leaves behind (E4), in a process of its own: the folder is that of the process.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use wengert::{
    Array, Device, Result, Tape, Tensor, Type, cond, custom, custom_jvp, grad, jit, repro, scan, try_run, vmap,
    with_device,
};
use wengert_testing::MockPlugin;

/// A folder for the reproducers of one test; the tests take turns.
struct Folder {
    path: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Folder {
    fn new(name: &str) -> Folder {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let path = std::env::temp_dir().join(format!("wengert-failures-{}-{name}", std::process::id()));
        repro::on_failure(&path).unwrap();
        Folder { path, _turn }
    }

    /// The reproducers that were left since it was asked last.
    fn take(&self) -> Vec<Reproducer> {
        let folders = std::fs::read_dir(&self.path).unwrap().map(|e| e.unwrap().path());
        let read = |p: PathBuf| {
            let read = |name: &str| std::fs::read_to_string(p.join(name)).unwrap_or_default();
            let r = Reproducer {
                rust: read("main.rs"),
                error: read("error.txt"),
                tape: Tape::open(p.join("run.tape")).ok(),
            };
            std::fs::remove_dir_all(&p).unwrap();
            r
        };
        folders.map(read).collect()
    }

    /// The one that was left.
    #[track_caller]
    fn one(&self) -> Reproducer {
        let mut all = self.take();
        assert_eq!(all.len(), 1);
        all.remove(0)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.path);
    }
}

struct Reproducer {
    rust: String,
    error: String,
    tape: Option<Tape>,
}

impl Reproducer {
    #[track_caller]
    fn has(&self, parts: &[&str]) {
        for part in parts {
            assert!(self.rust.contains(part), "{part}\n{}", self.rust);
        }
    }
}

fn x() -> Array {
    Array::from([1.0f32, 2.0])
}

fn three() -> Array {
    Array::from([1.0f32, 2.0, 3.0])
}

/// An op whose kernel fails.
#[derive(Debug)]
struct Broken;

impl custom::CustomOp for Broken {
    fn name(&self) -> &str {
        "test.broken"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, _: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        panic!("a kernel that is broken")
    }
}

#[test]
fn e4_a_panic_in_a_function_of_the_users_leaves_a_reproducer() {
    let all = Folder::new("panic");
    let loss = |x: Array| {
        let y = (x * 2.0).sin();
        assert!(y.rank() > 1, "no matrix");
        y.sum(..)
    };
    let run = |f: &dyn Fn()| catch_unwind(AssertUnwindSafe(f)).unwrap_err();
    let panic = run(&|| drop(grad(loss)(x())));
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no matrix"), "the panic is the user's");
    let left = all.one();
    left.has(&["grad(", ".sin()", "repro::raise(\"no matrix\")", "repro::fails(message, || {"]);
    assert_eq!(left.error, "no matrix\n");
    assert!(left.tape.unwrap().to_string().contains("sin"));

    run(&|| drop(jit(loss)(x())));
    all.one().has(&["jit(", "repro::raise(\"no matrix\")"]);
    run(&|| drop(vmap(loss)(three())));
    all.one().has(&["vmap(", "repro::raise(\"no matrix\")"]);
    run(&|| drop(scan(|c: Array, x: Array| (loss(c * x), ()), Array::from(1.0f32), x())));
    all.one().has(&["scan(", "repro::raise(\"no matrix\")"]);
    // What ends well leaves nothing, and neither does what is caught inside.
    grad(|x: Array| x.sin().sum(..))(x());
    grad(|x: Array| try_run(|| &x + three()).unwrap_or(x).sum(..))(x());
    assert!(all.take().is_empty());
}

#[test]
fn e4_an_error_of_a_transform_leaves_a_reproducer_and_says_where() {
    let all = Folder::new("error");
    let e = try_run(|| grad(|x: Array| x.sin())(x())).unwrap_err();
    assert!(e.message().contains("needs a function that gives a real scalar"), "{e}");
    assert!(e.to_string().contains(&format!("a reproducer is in {}", all.path.display())), "{e}");
    all.one().has(&["grad(closure)(", "real scalar"]);

    let e = try_run(|| cond(x().sum(..).gt(0.0), |x: Array| x + three(), |x: Array| x, x())).unwrap_err();
    assert!(e.to_string().contains("a reproducer is in"), "{e}");
    all.one().has(&["= cond("]);
    let bad = custom_jvp(|x: Array| x.sin(), |(x,): (Array,), (t,): (Array,)| (x, t + three()));
    assert!(try_run(|| bad(x())).is_err());
    all.one().has(&["custom_jvp("]);
    // One failure, one reproducer, however deep.
    assert!(try_run(|| jit(grad(|x: Array| vmap(|x: Array| x.reshape([2]))(x).sum(..)))(x())).is_err());
    all.one().has(&["jit(grad(vmap(closure)))(v0)"]);
}

#[test]
fn e4_an_op_that_fails_by_itself_leaves_a_reproducer() {
    let all = Folder::new("op");
    let failed = catch_unwind(|| custom::apply(Broken, &[&x()]));
    assert!(failed.is_err());
    let left = all.one();
    assert!(left.tape.as_ref().unwrap().to_string().contains("test.broken"));
    left.has(&["repro::raise(\"a kernel that is broken\")"]);

    let plugin = MockPlugin::new("failing=PJRT_LoadedExecutable_Execute");
    let device = Device::plugin(plugin.path(), 0).unwrap();
    let e = try_run(|| x().to_device(&device).unwrap().sin()).unwrap_err();
    assert!(e.to_string().contains("a reproducer is in"), "{e}");
    all.one().has(&[".sin()"]);
}

#[test]
fn e4_a_device_that_fails_in_staged_code_leaves_the_program() {
    let all = Folder::new("device");
    for entry in ["PJRT_Client_Compile", "PJRT_LoadedExecutable_Execute"] {
        let plugin = MockPlugin::new(&format!("failing={entry}"));
        let device = Device::plugin(plugin.path(), 0).unwrap();
        let f = jit(|x: Array| (x * 2.0).sin());
        let e = try_run(|| with_device(&device, || f(x()))).unwrap_err();
        assert!(e.to_string().contains("a reproducer is in"), "{e}");
        assert!(e.to_string().contains("`wengert run program.wg --input program.safetensors` there runs it"), "{e}");
        all.one().has(&[".sin()", "repro::fails(message, || {"]);
    }
}

#[test]
fn e4_a_call_of_ours_by_itself_leaves_a_reproducer() {
    let all = Folder::new("call");
    let e = try_run(|| x().matmul(three())).unwrap_err();
    assert_eq!(e.to_string().matches("a reproducer is in").count(), 1, "{e}");
    all.one().has(&["v0.matmul(&v1)", "vec![1.0f32, 2.0, 3.0]"]);
    assert!(try_run(|| x().dot(three())).is_err());
    all.one().has(&["dot_general("]);
    assert!(try_run(|| x() - three()).is_err());
    all.one().has(&["&v0 - &v1"]);
    assert!(try_run(|| x().sum([0, -3])).is_err());
    all.one().has(&["v0.sum([0, -3])"]);
    assert!(try_run(|| x().sin().get(-7)).is_err());
    all.one().has(&["v0.get(-7)"]);
    // One that is made of ops: what it did is there.
    let e = try_run(|| Array::ones([2, 2], wengert::DType::F32).solve(three())).unwrap_err();
    assert!(e.to_string().contains("a reproducer is in"), "{e}");
    assert!(all.one().tape.unwrap().to_string().contains("solve"));
    // What is wrong in no array has its message.
    let e = try_run(|| x().take(x(), 0)).unwrap_err();
    assert!(e.to_string().contains("with no more than the message"), "{e}");
    all.one().has(&["repro::raise(\"positions are integers"]);
    // What went well is recorded nowhere.
    assert!(!wengert::tape::is_recording());
    x().matmul(x());
    assert!(all.take().is_empty());
}

#[test]
fn e4_a_tape_of_the_process_still_has_all_of_it() {
    let _all = Folder::new("switch");
    wengert::tape::enable();
    let z = grad(|x: Array| x.sin().sum(..))(x()).tanh();
    wengert::tape::disable();
    let tape = wengert::tape::collect();
    wengert::tape::purge();
    assert_eq!(z.shape()[..], [2]);
    let tanh = tape.nodes().find(|n| n.function() == "tanh").unwrap_or_else(|| panic!("{tape}"));
    assert!(tanh.backward().any(|n| n.function() == "value and gradient"), "{tape}");
}

#[test]
fn e4_where_nothing_can_be_written_the_error_is_the_same() {
    let all = Folder::new("gone");
    std::fs::remove_dir_all(&all.path).unwrap();
    std::fs::write(&all.path, "a file in its place").unwrap();
    let e = try_run(|| grad(|x: Array| x.sin())(x())).unwrap_err();
    std::fs::remove_file(&all.path).unwrap();
    assert!(e.message().contains("needs a function that gives a real scalar"), "{e}");
    assert!(e.to_string().contains("a reproducer can't be written"), "{e}");
}

#[test]
fn e4_threads_that_fail_alike_leave_one() {
    let all = Folder::new("threads");
    std::thread::scope(|s| {
        for _ in 0..4 {
            s.spawn(|| try_run(|| grad(|x: Array| x.sin())(x())).unwrap_err());
        }
    });
    let left = all.take();
    assert_eq!(left.len(), 1);
    left.iter().for_each(|r| r.has(&["grad(closure)("]));
}

#[test]
fn e4_a_reproducer_is_on_disk_as_a_whole() {
    let all = Folder::new("files");
    let large = (Array::arange(0, 1000, 1) * 3).to(wengert::DType::F32);
    assert!(try_run(|| grad(|x: Array| x.sin())(large)).is_err());
    let folder = std::fs::read_dir(&all.path).unwrap().next().unwrap().unwrap().path();
    let names = ["main.rs", "data.safetensors", "run.tape", "error.txt"];
    names.iter().for_each(|n| assert!(Path::new(&folder).join(n).is_file(), "{n}"));
}
