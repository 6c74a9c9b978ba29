//! Tapes in files: what is written is read back, and what is damaged is an error.

use std::path::{Path, PathBuf};
use wengert::custom::{CustomOp, apply};
use wengert::tape::{Context, Draft, MetaKey};
use wengert::{Array, Capture, Complex, Program, Recorder, Result, Tensor, Type};
use wengert::{fori_loop, grad, jit, make_program, record};
use wengert_tape::{Kind, Tape};

const LOSS: MetaKey<f64> = MetaKey::new("loss");
const STEP: MetaKey<i64> = MetaKey::new("step");
const GOOD: MetaKey<bool> = MetaKey::new("good");
const NOTE: MetaKey<String> = MetaKey::new("note");
const BLOB: MetaKey<Vec<u8>> = MetaKey::new("blob");

/// Writes on nodes.
struct Notes;

impl Context for Notes {
    fn primitive(&self, node: &mut Draft<'_>) {
        node.set_meta(LOSS, 0.5);
        node.set_meta(STEP, -3);
        node.set_meta(GOOD, true);
        node.set_meta(NOTE, format!("at depth {}", node.depth));
        node.set_meta(BLOB, vec![1, 2, 255]);
    }
}

/// `x²`, as the program it is short for; the text form is not told of it.
#[derive(Debug)]
struct Square;

impl CustomOp for Square {
    fn name(&self) -> &str {
        "tests.square"
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let like = Array::from_tensor(Tensor::zeros(&x[0]));
        Some(Ok(make_program(|x: Array| &x * &x, (like,))))
    }
}

/// A run with something of everything: staged calls, loops, derivatives, decisions, complex numbers, ops of users.
fn run() -> Array {
    let step = jit(|x: Array| (&x * 2.0).sin());
    let x = Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    let y = step(step(x.clone()));
    let z = fori_loop(0, 3, |_, c: Array| c * 0.5 + 1.0, y.clone());
    let g = grad(|w: Array| if w.sum(..).item::<f32>() > 0.0 { (&w * &w).sum(..) } else { w.sum(..) })(z);
    let c = Array::from([Complex::new(1.0f64, 2.0), Complex::new(-3.0, 0.25)]);
    let c = (&c * &c).real().sum(..);
    let squared = apply(Square, &[&g]).remove(0);
    let chosen = if c.gt(0.0).item::<bool>() { squared } else { g };
    chosen.sum(..) * (c.item::<f64>() as f32)
}

fn sample(capture: Capture) -> Tape {
    Recorder::new().capture(capture).context(Notes).record(run).1
}

/// A folder of its own for a test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("wengert-tape-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn names(&self) -> Vec<String> {
        let names = std::fs::read_dir(&self.0).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asks a tape everything there is to ask.
fn ask(tape: &Tape) -> usize {
    let mut n = tape.to_string().len() + tape.root().to_dot(50).len() + tape.bytes() + tape.value_bytes();
    n += tape.limited().map_or(0, |n| n.id().index());
    for node in tape.nodes() {
        n += node.children().count() + node.ancestors().count() + node.preceding().count() + node.following().count();
        n += node.backward().count() + node.forward().count() + node.dependents().count();
        n += node.descendants().take(10_000).count() + node.depth() + node.position();
        n += usize::from(node.condition().is_some()) + usize::from(node.meta(STEP).is_some());
        for out in 0..node.result_count() {
            let asked = (node.value(out).is_some(), node.summary(out).is_some(), node.text(out).is_some());
            n += usize::from(asked.0) + usize::from(asked.1) + usize::from(asked.2);
        }
        n += node.op().filter(|op| op.name() != "tests.square").map_or(0, |op| op.to_string().len());
    }
    n
}

fn same(a: &Tape, b: &Tape) {
    assert_eq!(a.to_string(), b.to_string());
    assert_eq!(a.len(), b.len());
    for (x, y) in a.nodes().zip(b.nodes()) {
        assert_eq!((x.kind(), x.place(), x.name(), x.block()), (y.kind(), y.place(), y.name(), y.block()));
        assert_eq!(x.nanos().map(f64::to_bits), y.nanos().map(f64::to_bits));
        assert_eq!((x.meta(LOSS), x.meta(BLOB)), (y.meta(LOSS), y.meta(BLOB)));
        assert!(x.metadata().eq(y.metadata()));
        if x.function() != "tests.square" {
            assert_eq!(x.label(), y.label());
        }
        for out in 0..x.result_count() {
            assert_eq!((x.ty(out), x.value(out), x.text(out)), (y.ty(out), y.value(out), y.text(out)));
            assert_eq!(x.summary(out).map(|s| s.hash), y.summary(out).map(|s| s.hash));
        }
    }
}

#[test]
fn what_is_saved_is_opened() {
    let folder = Folder::new("round");
    for capture in [Capture::Shapes, Capture::Summaries, Capture::Values] {
        let tape = sample(capture);
        let path = folder.path("run.tape");
        tape.save(&path).unwrap();
        let opened = Tape::open(&path).unwrap();
        same(&tape, &opened);
        assert_eq!(ask(&tape), ask(&opened));
        assert_eq!(tape.root().to_dot(9), opened.root().to_dot(9));
        // Once more, from a file to the same file, to the byte; and from its bytes.
        let written = std::fs::read(&path).unwrap();
        opened.save(&path).unwrap();
        same(&opened, &Tape::open(&path).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), written);
        same(&opened, &Tape::from_bytes(&written).unwrap());
        assert_eq!(folder.names(), ["run.tape"]);
    }
}

#[test]
fn ops_of_users_are_known_by_name_where_they_are_not_registered() {
    let folder = Folder::new("custom");
    let tape = sample(Capture::Shapes);
    let square = |t: &Tape| t.nodes().find(|n| n.function() == "tests.square").unwrap().label().clone();
    assert!(square(&tape).op.is_some());
    tape.save(folder.path("a.tape")).unwrap();
    let opened = Tape::open(folder.path("a.tape")).unwrap();
    assert_eq!(square(&opened).op, None);
    let text = square(&opened).unknown.expect("what the file says of it");
    assert_eq!(&*text, square(&tape).op.unwrap().to_text());
    // What is not known here goes on to those who know it.
    opened.save(folder.path("b.tape")).unwrap();
    let again = Tape::open(folder.path("b.tape")).unwrap();
    assert_eq!(square(&again).unknown, Some(text));
}

#[test]
fn limits_threads_times_and_unwinding_are_kept() {
    let folder = Folder::new("more");
    let x = Array::from([1.0f32, 2.0, 3.0]);
    let recorder = Recorder::new().capture(Capture::Values).limit(20).times().every_step();
    let (_, tape) = recorder.try_record(|| {
        let y = jit(|x: Array| fori_loop(0, 2, |_, c: Array| c * 2.0, x))(x.clone());
        let handed = wengert::tape::attach(move || y.exp());
        let y = std::thread::spawn(handed).join().unwrap();
        jit(|x: Array| x.reshape([7]))(y)
    });
    assert!(tape.limited().is_some());
    tape.save(folder.path("a.tape")).unwrap();
    let opened = Tape::open(folder.path("a.tape")).unwrap();
    same(&tape, &opened);
    assert_eq!(opened.limited().unwrap().id(), tape.limited().unwrap().id());
    assert!(opened.nodes().any(|n| n.nanos().is_some()));
}

#[test]
fn nodes_left_out_by_a_context_leave_a_tape_that_is_sound() {
    let folder = Folder::new("skipped");
    let x = Array::from([1.0f32, 2.0, 3.0]);
    let recorder =
        Recorder::new().capture(Capture::Values).every_step().context(wengert::tape::NodeFilter::ops(["sine"]));
    let (_, tape) = recorder.record(|| jit(|x: Array| (&x * 2.0 + 1.0).sin())(x.clone()));
    tape.save(folder.path("a.tape")).unwrap();
    same(&tape, &Tape::open(folder.path("a.tape")).unwrap());
}

#[test]
fn an_opened_tape_can_be_changed_and_saved() {
    let folder = Folder::new("changed");
    let x = Array::from([1.0f32, 2.0, 3.0]);
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| (&x * 2.0).sum(..));
    let path = folder.path("a.tape");
    tape.save(&path).unwrap();
    let mut opened = Tape::open(&path).unwrap();
    let constant = opened.nodes().find(|n| n.kind() == Kind::Constant).unwrap().id();
    opened.set(constant, Tensor::new([3], vec![5.0f32, 6.0, 7.0]).unwrap()).unwrap();
    opened.update(&wengert::Device::cpu()).unwrap();
    opened.save(&path).unwrap();
    let last = Tape::open(&path).unwrap();
    same(&opened, &last);
    let sum = last.nodes().rfind(|n| n.kind() == Kind::Primitive).unwrap();
    assert_eq!(sum.value(0).unwrap().to_vec::<f32>().unwrap(), [36.0]);
    assert_eq!(folder.names(), ["a.tape"]);
}

fn refused(path: &Path, says: &str) {
    let e = Tape::open(path).expect_err("a damaged file");
    let text = e.to_string();
    assert!(text.contains(says) && text.contains(&path.display().to_string()), "{text}");
}

#[test]
fn what_is_not_a_tape_is_an_error() {
    let folder = Folder::new("wrong");
    let path = folder.path("a.tape");
    refused(&folder.path("none.tape"), "No such file");
    refused(&folder.0, "this is not a file");
    for content in [&b""[..], b"\0", b"0123456789abcdef", b"\xff\xff\xff\xffWGTP", b"\0\0\0\0WGTP\0\0\0\0"] {
        std::fs::write(&path, content).unwrap();
        refused(&path, "");
    }
    record(run).1.save(&path).unwrap();
    Tape::open(&path).unwrap();
    let mut good = std::fs::read(&path).unwrap();
    let table = u32::from_le_bytes(good[..4].try_into().unwrap()) as usize;
    good[table + 4] = 3;
    std::fs::write(&path, &good).unwrap();
    refused(&path, "it has version 3, and this program reads up to 2");
    // To where nothing can be written.
    let e = record(run).1.save(folder.path("no/such/folder.tape")).unwrap_err();
    assert!(e.to_string().contains("No such file"), "{e}");
    // A tape of nothing is one.
    Tape::default().save(&path).unwrap();
    assert_eq!(Tape::open(&path).unwrap().to_string(), Tape::default().to_string());
    assert_eq!(folder.names(), ["a.tape"]);
}

#[test]
fn a_save_that_fails_leaves_nothing() {
    let folder = Folder::new("fails");
    let path = folder.path("a.tape");
    // A folder is there, which a file can't replace.
    std::fs::create_dir(&path).unwrap();
    assert!(sample(Capture::Values).save(&path).is_err());
    assert_eq!(folder.names(), ["a.tape"]);
}

#[test]
fn what_is_recorded_is_opened_again() {
    use wengert_tape::record::{CallValue, Recording, Settings};
    let folder = Folder::new("long");
    let path = folder.path("a.tape");
    // A place as a program that was read from text may have.
    let place = wengert::Place::named(format!("{}/é{}/model.py", "x".repeat(3), "é".repeat(5000)), 41, 9);
    let scope = Recording::start(Settings::default(), "f", &place);
    let tape = scope.finish::<Array>(&[CallValue::Text("()")], &place);
    tape.save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    let place = opened.root().place().to_string();
    assert!(place.starts_with('…') && place.ends_with("é/model.py:41:9"), "{place}");
    assert!(place.len() > 4000);
    assert_eq!(opened.to_string(), tape.to_string());
}

#[test]
fn arrays_of_the_first_version_that_are_gone_or_of_another_tape_are_an_error() {
    let folder = Folder::new("arrays");
    let (path, name) = (folder.path("a.tape"), "v1.tape.b55ab9f8.safetensors");
    std::fs::copy(kept("v1.tape"), &path).unwrap();
    refused(&path, &format!("{name}, are not beside it"));
    let whole = std::fs::read(kept(name)).unwrap();
    let mut other = whole.clone();
    *other.last_mut().unwrap() ^= 1;
    for damage in [&whole[1..], &other, &[]] {
        std::fs::write(folder.path(name), damage).unwrap();
        refused(&path, "arrays");
    }
    std::fs::write(folder.path(name), &whole).unwrap();
    let tape = Tape::open(&path).unwrap();
    tape.verify().unwrap();
    assert!(Tape::from_bytes(&std::fs::read(&path).unwrap()).unwrap_err().to_string().contains(name));
    // Saved again, it is one file, and what other tapes may refer to stays.
    tape.save(&path).unwrap();
    same(&tape, &Tape::open(&path).unwrap());
    assert_eq!(folder.names(), ["a.tape", name]);
}

/// The file of each version, as it was written then. They open for ever.
fn kept(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

/// `v1_sums`: with checksums for each array.
const VERSIONS: [&str; 3] = ["v1", "v1_sums", "v2"];

/// A file that is kept is never written again: with `BLESS=1`, the one of the current version is, where there is none.
#[test]
fn files_of_all_versions_open() {
    if std::env::var_os("BLESS").is_some() && !kept("v2.tape").exists() {
        sample(Capture::Values).save(kept("v2.tape")).unwrap();
    }
    for version in VERSIONS {
        let tape = Tape::open(kept(&format!("{version}.tape"))).unwrap();
        wengert_testing::expect_file(kept(&format!("{version}.txt")), &tape.to_string());
        assert!(ask(&tape) > 0);
    }
}
