//! The folder for reproducers, and those that are left in it: one failure leaves one, however deep it is and however often it
//! comes, and failures that differ in numbers alone leave a few.

use crate::fail::message_of;
use rustc_hash::FxHashMap;
use std::cell::RefCell;
use std::io::{ErrorKind as IoKind, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError, RwLock};
use wengert_core::{Error, Op, Result};
use wengert_emit::files::{save_arrays, save_text};
use wengert_emit::{CallTree, Options, RecordedTree, Run};
use wengert_tape::{Argument, Node, Tape};

static FOLDER: RwLock<Option<PathBuf>> = RwLock::new(None);

/// The word that every note about one has.
pub(super) const REPRODUCER: &str = "reproducer";

/// How many reproducers of failures that differ in numbers alone a process leaves.
const MOST_ALIKE: usize = 4;
/// How many reproducers a process leaves.
const MOST: usize = 100;

/// Says something to the user. Where nobody can hear it, nothing happens.
pub(crate) fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "wengert: {text}");
}

/// Whether there is a folder for reproducers.
pub(super) fn is_set() -> bool {
    FOLDER.read().unwrap_or_else(PoisonError::into_inner).is_some()
}

thread_local! {
    /// What the failure said that left a reproducer last: it is left once on its way out.
    static LEFT: RefCell<Option<String>> = const { RefCell::new(None) };
}

fn first_line(message: &str) -> &str {
    message.lines().next().unwrap_or_default()
}

/// What fails from now on is another failure.
pub(super) fn forget_left() {
    // A thread that ends has none any more, here and below.
    _ = LEFT.try_with(RefCell::take);
}

/// This failure has its reproducer.
pub(super) fn set_left(message: &str) {
    _ = LEFT.try_with(|left| left.replace(Some(first_line(message).into())));
}

/// Whether this failure has its reproducer.
fn has_left(message: &str) -> bool {
    LEFT.try_with(|left| left.borrow().as_deref() == Some(first_line(message))).unwrap_or(false)
}

/// Makes a folder for a function of this name; none if no reproducers are asked for.
pub(super) fn new_folder(name: &str) -> Option<Result<PathBuf>> {
    let all = FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone()?;
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let last = name.rsplit("::").find(|s| !s.contains('{')).unwrap_or("program");
    let name: String = last.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(40).collect();
    let name = if name.is_empty() { "program" } else { &name };
    let made = || {
        // It may have been removed.
        std::fs::create_dir_all(&all).map_err(|e| file_error(&all, &e))?;
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let folder = all.join(format!("{name}-{}-{number}", std::process::id()));
            match std::fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                // Another process had this number before.
                Err(e) if e.kind() == IoKind::AlreadyExists && all.is_dir() => {}
                Err(e) => return Err(file_error(&folder, &e)),
            }
        }
    };
    Some(made())
}

fn file_error(path: &Path, e: &dyn std::fmt::Display) -> Error {
    Error::new(wengert_core::ErrorKind::File, format!("{}: {e}", path.display()))
}

/// A failure that has a reproducer: what it said, and the folder.
struct Kept {
    line: String,
    folder: PathBuf,
}

/// The reproducers of each kind of failure.
type Alike = FxHashMap<(PathBuf, String), Vec<Kept>>;
static ALIKE: LazyLock<Mutex<Alike>> = LazyLock::new(Mutex::default);

/// A failure of a function without what may differ from one time to the next: numbers.
fn key(name: &str, message: &str) -> Option<(PathBuf, String)> {
    let all = FOLDER.read().unwrap_or_else(PoisonError::into_inner).clone()?;
    let text: String = first_line(message).chars().filter(|c| !c.is_ascii_digit()).collect();
    Some((all, format!("{name}: {text}")))
}

/// Counts a reproducer of a failure in this folder. If enough are there, it is not wanted, and this is what is said instead.
pub(super) fn count(name: &str, message: &str, folder: &Path) -> Option<String> {
    let key = key(name, message)?;
    let mut all = ALIKE.lock().unwrap_or_else(PoisonError::into_inner);
    all.values_mut().for_each(|kept| kept.retain(|k| k.folder.is_dir()));
    let alike = all.get(&key).map_or(&[][..], Vec::as_slice);
    if let Some(same) = alike.iter().find(|k| k.line == first_line(message)) {
        return Some(format!("a reproducer of the same failure is in {}", same.folder.display()));
    }
    if let Some(first) = alike.first().filter(|_| alike.len() >= MOST_ALIKE) {
        let shown = first.folder.display();
        return Some(format!("no reproducer is left: that of a failure which differs in numbers alone is in {shown}"));
    }
    if all.iter().filter(|(k, _)| k.0 == key.0).map(|(_, f)| f.len()).sum::<usize>() >= MOST {
        return Some(format!("no reproducer is left: {MOST} of this process are in {}", key.0.display()));
    }
    all.entry(key).or_default().push(Kept { line: first_line(message).into(), folder: folder.to_path_buf() });
    None
}

/// What stands at the top of the source of a run.
fn header(message: &str) -> &'static str {
    match super::is_nan_message(message) {
        true => "// It fails only with WENGERT_CHECK=nan, which `repro::fails` turns on.\n",
        false => "",
    }
}

/// Writes a run as Rust, with the arrays it needs and the error it ended in, into a folder.
pub(super) fn write_source(folder: &Path, run: &Run, message: &str) -> Result<()> {
    save_text(&folder.join("error.txt"), &format!("{message}\n"))?;
    let options = Options { data_file: "data.safetensors".into(), ..Options::default() };
    let rust = guarded(|| wengert_emit::rust(run, &options))?;
    if !rust.data.is_empty() {
        save_arrays(&folder.join("data.safetensors"), rust.data)?;
    }
    save_text(&folder.join("main.rs"), &format!("{}{}", header(message), rust.text))
}

/// Runs what writes a reproducer. A panic in it is an error: it must not hide the failure that it is about.
pub(super) fn guarded<T>(f: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|panic| Err(Error::malformed(message_of(&*panic).to_string())))
}

/// What is said of a reproducer that fails in one way alone.
pub(super) fn how_it_fails(message: &str) -> &'static str {
    if super::is_nan_message(message) { "; it fails only with WENGERT_CHECK=nan, which `main.rs` turns on" } else { "" }
}

/// Leaves the tape of a run that failed, and the run as source; what is said of it. None if the failure has one already.
pub(super) fn leave_tape(name: &str, tape: &Tape, message: &str) -> Option<String> {
    if has_left(message) {
        return None;
    }
    set_left(message);
    let folder = match new_folder(name)? {
        Ok(folder) => folder,
        Err(e) => return Some(format!("a reproducer can't be written: {}", e.message())),
    };
    if let Some(said) = count(name, message, &folder) {
        let _ = std::fs::remove_dir_all(&folder);
        return Some(said);
    }
    let (tape, mut is_error_alone) = (&tape.unobserved(), false);
    let saved = guarded(|| {
        tape.save(folder.join("run.tape"))?;
        let RecordedTree { tree, inputs, outcome, .. } = CallTree::of_tape(tape)?;
        is_error_alone = tree.is_error_alone();
        write_source(&folder, &Run { tree, inputs, outcome }, message)
    });
    let (shown, how) = (folder.display(), how_it_fails(message));
    let said = match saved {
        Ok(()) if is_error_alone => {
            let what = match tape.nodes().find(|n| n.unwound() && n.arguments().len() > 0).map(|n| (n, n.op())) {
                Some((_, Some(Op::Custom(_)))) => {
                    "what failed is code of this process, and `run.tape` has what it was given".to_string()
                }
                Some((n, _)) => format!("the call {}, which is on `run.tape`, can't be written", shown_call(n)),
                None => "it is no op that failed".to_string(),
            };
            format!("a reproducer is in {shown}, with no more than the message: {what}")
        }
        Ok(()) => format!(
            "a reproducer is in {shown}: `main.rs` runs it, and `wengert emit run.tape --to jax` there writes it for JAX{how}"
        ),
        Err(e) if folder.join("run.tape").is_file() => {
            let _ = save_text(&folder.join("error.txt"), &format!("{message}\n"));
            format!("a reproducer is in {shown}, in part, with the tape `run.tape`: {}", e.message())
        }
        Err(e) => {
            let _ = std::fs::remove_dir_all(&folder);
            format!("a reproducer can't be written: {}", e.message())
        }
    };
    Some(said)
}

/// A call by its name and what it was given: arrays by their types, and all else as it is written.
fn shown_call(n: Node<'_>) -> String {
    let given = n.arguments().map(|a| match a {
        Argument::Node(r) => r.node.ty(r.out).map_or_else(|| r.to_string(), |ty| ty.to_string()),
        Argument::Constant(c) => c.text().map_or_else(|| c.to_string(), str::to_string),
    });
    format!("`{}({})`", n.function(), given.collect::<Vec<_>>().join(", "))
}

/// Looks at the environment; whether it names a folder.
pub(super) fn ask() -> bool {
    if is_set() {
        return true;
    }
    match std::env::var_os(super::FOLDER).filter(|p| !p.is_empty()) {
        Some(path) => match on_failure(Path::new(&path)) {
            Ok(()) => true,
            Err(e) => {
                say(&format!("{}: no reproducers are left: {}", super::FOLDER, e.message()));
                false
            }
        },
        None => false,
    }
}

/// Leaves reproducers in a folder from now on.
pub(crate) fn on_failure(folder: &Path) -> Result<()> {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    std::fs::create_dir_all(&folder).map_err(|e| file_error(&folder, &e))?;
    super::dead::name_the_dead(&folder);
    *FOLDER.write().unwrap_or_else(PoisonError::into_inner) = Some(folder);
    super::WATCHING.store(2, Ordering::Relaxed);
    Ok(())
}
