//! Calls that the library itself puts on a tape: its functions made of ops, transforms, functions being traced, files.

use super::text::cut;
use crate::array::{Array, Stager, StagingInfo};
use crate::call_values::CallValues;
use crate::fail::message_of;
use crate::set_aside::OpenList;
use crate::tree::{Tree, leaves};
use crate::watch;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::sync::Arc;
use wengert_core::{Place, Result, Tensor};
use wengert_tape::api::API;
use wengert_tape::record::{self, Call, CallValue, Recording, Refocused, TracedBody};
use wengert_tape::{Meta, MetaKey};

/// The attribute of our own functions that are made of ops: each of their calls is a call of the recording, with its ops
/// inside.
pub(crate) use wengert_macros::composite;

/// An open call of a [`composite`].
pub(crate) struct Composite(Call, #[allow(dead_code)] Option<Refocused>);

impl Composite {
    /// A call that is not recorded.
    pub(crate) const SILENT: Composite = Composite(Call::SILENT, None);

    #[track_caller]
    pub(crate) fn open(name: &str, given: &CallValues) -> Composite {
        let mut given = given.as_call_values();
        // An argument that is not an array stands in the call, and has no node inside it.
        given.iter_mut().filter(|(_, x)| !matches!(x, CallValue::Array(_))).for_each(|(name, _)| *name = "");
        let scope = around_of_call(&given);
        Composite(Call::enter_own(name, &given, &Place::caller()), scope)
    }

    /// Ends the call with its result.
    #[track_caller]
    pub(crate) fn give<T: Tree>(self, out: T) -> T {
        if self.0.is_open() {
            finish_call(self.0, &leaves(&out), &Place::caller());
        }
        out
    }
}

/// A value as `impl Into` of its own type: an argument of a [`composite`] after it was converted.
#[inline]
pub(crate) fn into_itself<T>(x: T) -> impl Into<T> {
    x
}

thread_local! {
    /// The scope in which what transforms do is recorded, and not their calls.
    static DISSOLVED: Cell<Option<u64>> = const { Cell::new(None) };
}

/// Whether the transform that runs is not recorded as a call: see [`Dissolved`].
pub(crate) fn is_dissolved() -> bool {
    DISSOLVED.get().is_some_and(|scope| record::scope_around_bodies() == Some(scope))
}

/// A transform of arrays that are known, in the body of a loop or a branch that is being traced. What it computes of them is known
/// too, and recorded before the loop; but its function may use what is not, and that is a part of the body. So there is no place
/// for a call that has both, and none is recorded.
struct Dissolved(Option<u64>);

impl Dissolved {
    fn start(info: &StagingInfo, given: &[Array]) -> Option<Dissolved> {
        // What `vmap` traces has no values.
        let known = info.by != Stager::Vmap && !given.is_empty() && given.iter().all(|x| !x.is_traced());
        let scope = record::scope_around_bodies().filter(|_| known)?;
        Some(Dissolved(DISSOLVED.replace(Some(scope))))
    }
}

impl Drop for Dissolved {
    fn drop(&mut self) {
        DISSOLVED.set(self.0);
    }
}

/// Where a call belongs that is given these values: if all arrays are known, it is no part of a loop or branch whose body is being
/// traced.
pub(crate) fn around_of_call(given: &[(&str, CallValue<'_, Array>)]) -> Option<Refocused> {
    let mut arrays = given.iter().filter_map(|(_, x)| if let CallValue::Array(x) = x { Some(*x) } else { None });
    let known = |x: &Array| !x.is_traced();
    (arrays.next().is_some_and(known) && arrays.all(known)).then(record::around_bodies).flatten()
}

fn finish_call(call: Call, results: &[Array], place: &Place) {
    let results: SmallVec<[CallValue<'_, Array>; 2]> = results.iter().map(CallValue::Array).collect();
    call.finish(&results, place);
}

/// Runs a transform as one call of the recording, if there is one: `given` are the arrays it takes, `out` those it gives.
pub(crate) fn transform<T>(
    info: &StagingInfo,
    given: impl Fn() -> Vec<Array>,
    f: impl FnOnce() -> Result<T>,
    out: impl Fn(&T) -> Vec<Array>,
) -> Result<T> {
    if !watch::wants_recording_of_call() && !record::is_recording() {
        return f();
    }
    let made = RefCell::new(None);
    let gives = || made.borrow().as_ref().map_or_else(Vec::new, &out);
    let mut f = Some(f);
    transform_recorded(info, &given, &mut || once(&mut f).map(|y| *made.borrow_mut() = Some(y)), &gives)?;
    Ok(made.into_inner().expect("it ran"))
}

/// Calls what is called once.
fn once<T, F: FnOnce() -> T>(f: &mut Option<F>) -> T {
    f.take().expect("it is called once")()
}

/// The same of something that is compiled once, and not for each of what it gives.
fn transform_recorded(
    info: &StagingInfo,
    given: &dyn Fn() -> Vec<Array>,
    f: &mut dyn FnMut() -> Result<()>,
    out: &dyn Fn() -> Vec<Array>,
) -> Result<()> {
    if watch::wants_recording_of_call() {
        let what = info.by.to_string();
        return watch::recorded_call(&what, &info.function, &info.place, || transform_recorded(info, given, f, out));
    }
    if !record::is_recording() {
        return f();
    }
    let x = given();
    let _dissolved = Dissolved::start(info, &x);
    if _dissolved.is_some() || is_dissolved() {
        return f();
    }
    let given: SmallVec<[(&str, CallValue<'_, Array>); 4]> = x.iter().map(|x| ("", CallValue::Array(x))).collect();
    let call = Call::enter(&format!("{} {}", info.by, info.function), "", &given, &info.place);
    say_of_open_call(API, info.by.to_string());
    match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(())) => {
            finish_call(call, &out(), &info.place);
            Ok(())
        }
        Ok(Err(e)) => {
            call.fail(e.message());
            Err(e)
        }
        Err(panic) => {
            call.fail(message_of(&*panic));
            resume_unwind(panic)
        }
    }
}

/// A function that was traced for an op or a staged call, which has no call around it unless something fails.
enum TracedPart {
    Finished(Arc<TracedBody>),
    Failed(Box<TracedBody>),
}

/// The functions that were traced for what [`call_if_failed`] runs.
#[derive(Default)]
struct TracedParts {
    parts: Vec<TracedPart>,
    /// Whether the op that they are parts of is the next.
    op_is_next: bool,
}

thread_local! {
    /// Those of each [`call_if_failed`] on the stack.
    static TRACED: OpenList<TracedParts> = const { OpenList::new() };
}

fn with_last_parts<T>(f: impl FnOnce(&mut TracedParts) -> T) -> Option<T> {
    TRACED.with(|t| t.change(|t| t.last_mut().map(f)))
}

fn add_part(part: TracedPart) {
    with_last_parts(|t| t.parts.push(part));
}

/// Runs what records the op that the functions were traced for; a tape may then show these, instead of the programs of the op.
pub(crate) fn with_parts<T>(f: impl FnOnce() -> T) -> T {
    if record::is_recording() {
        with_last_parts(|t| t.op_is_next = true);
    }
    f()
}

/// Puts the functions that an op was made of inside its call, which is open, if these called others that the op does not know.
pub(crate) fn add_parts() {
    let taken = with_last_parts(|last| {
        if !std::mem::take(&mut last.op_is_next) {
            return None;
        }
        let has_calls = |p: &TracedPart| matches!(p, TracedPart::Finished(body) if body.has_calls());
        last.parts.iter().any(has_calls).then(|| std::mem::take(&mut last.parts))
    });
    for part in taken.flatten().into_iter().flatten() {
        if let TracedPart::Finished(body) = part {
            body.add(None);
        }
    }
}

/// Runs what traces functions for one op or staged call. That is a node itself; only if it fails before it is there, a call is
/// recorded, with what was traced: `given` are the arrays it takes, and `tell` says how it was asked for.
pub(crate) fn call_if_failed<T>(
    info: &StagingInfo,
    given: impl Fn() -> Vec<Array>,
    tell: impl Fn(),
    f: impl FnOnce() -> Result<T>,
) -> Result<T> {
    if !watch::wants_recording_of_call() && !record::is_recording() {
        return f();
    }
    let (mut made, mut f) = (None, Some(f));
    call_if_failed_recorded(info, &given, &tell, &mut || once(&mut f).map(|y| made = Some(y)))?;
    Ok(made.expect("it ran"))
}

fn call_if_failed_recorded(
    info: &StagingInfo,
    given: &dyn Fn() -> Vec<Array>,
    tell: &dyn Fn(),
    f: &mut dyn FnMut() -> Result<()>,
) -> Result<()> {
    if watch::wants_recording_of_call() {
        let what = info.by.to_string();
        let run = || call_if_failed_recorded(info, given, tell, f);
        return watch::recorded_call(&what, &info.function, &info.place, run);
    }
    if !record::is_recording() {
        return f();
    }
    TRACED.with(|t| t.change(|t| t.push(TracedParts::default())));
    let done = catch_unwind(AssertUnwindSafe(f));
    let parts = TRACED.with(|t| t.change(Vec::pop)).map_or_else(Vec::new, |t| t.parts);
    let message = match &done {
        Ok(Ok(_)) => return done.expect("it did not panic"),
        Ok(Err(e)) => e.message(),
        Err(panic) => message_of(&**panic),
    };
    if !record::has_failed(message) {
        let x = given();
        let given: Vec<(&str, CallValue<'_, Array>)> = x.iter().map(|x| ("", CallValue::Array(x))).collect();
        let call = Call::enter(&format!("{} {}", info.by, info.function), "", &given, &info.place);
        say_of_open_call(API, info.by.to_string());
        tell();
        for part in parts {
            match part {
                TracedPart::Finished(body) => body.add(None),
                TracedPart::Failed(body) => body.add(Some(message)),
            }
        }
        call.fail(message);
    }
    match done {
        Ok(result) => result,
        Err(panic) => resume_unwind(panic),
    }
}

/// Says of the open call of a transform how it was asked for.
pub(crate) fn say<T: Meta>(key: MetaKey<T>, value: T) {
    if record::is_recording() && !is_dissolved() {
        say_of_open_call(key, value);
    }
}

/// The same of any call that was opened here.
pub(crate) fn say_of_open_call<T: Meta>(key: MetaKey<T>, value: T) {
    record::set_meta(key.name(), value.to_value());
}

/// Says it as a list of numbers.
pub(crate) fn say_numbers(key: MetaKey<Tensor>, numbers: impl Iterator<Item = i64>) {
    if record::is_recording() {
        let numbers: Vec<i64> = numbers.collect();
        say(key, Tensor::from_slice([numbers.len()], &numbers).expect("as many as there are"));
    }
}

/// The recording of a function being traced.
pub(crate) enum TracingRecord {
    /// Nothing is recorded.
    Off,
    /// A tape of its own, kept with the program: the values are not known.
    CallBody(Recording),
    /// A call of the recording around it: the values are known.
    Call(Call),
}

impl TracingRecord {
    /// Begins to record a function that is traced with these arguments.
    pub(crate) fn start(info: &StagingInfo, tracers: &mut [Array], names: &[String]) -> TracingRecord {
        let known = info.by != Stager::Vmap && !tracers.is_empty() && tracers.iter().all(|t| t.value().is_some());
        if known && record::is_recording() && is_dissolved() {
            return TracingRecord::Off;
        }
        if known && record::is_recording() {
            return TracingRecord::Call(Call::enter_traced(&info.function, names, tracers, &info.place));
        }
        if !known && (info.by == Stager::Jit || record::is_recording()) {
            let scope = Recording::start_body(&info.function, info.traced_for(), &info.place);
            for (t, n) in tracers.iter_mut().zip(names) {
                scope.argument(n, t, &info.place);
            }
            return TracingRecord::CallBody(scope);
        }
        TracingRecord::Off
    }

    /// Runs the function; what it did before it failed stays on the tape.
    pub(crate) fn run<T>(self, info: &StagingInfo, f: impl FnOnce() -> T) -> (T, TracingRecord) {
        if matches!(self, TracingRecord::Off) {
            return (f(), self);
        }
        match catch_unwind(AssertUnwindSafe(f)) {
            Ok(out) => (out, self),
            Err(panic) => {
                self.fail(info, message_of(&*panic));
                resume_unwind(panic)
            }
        }
    }

    /// Ends with an error.
    fn fail(self, info: &StagingInfo, message: &str) {
        record::raised(message, &info.place);
        match self {
            TracingRecord::Off => {}
            TracingRecord::Call(call) => call.fail(message),
            TracingRecord::CallBody(scope) => match scope.abandon() {
                _ if !record::is_recording() => {}
                Some(body) if info.has_no_call() => add_part(TracedPart::Failed(Box::new(body))),
                Some(body) if !info.by.keeps_program() => body.add(Some(message)),
                _ => {}
            },
        }
    }

    /// Ends with what the function gave. What was traced without values goes inside the open call of the transform, or to the op
    /// or staged call that it is for; it is given back where the program is kept.
    pub(crate) fn finish(self, info: &StagingInfo, outputs: &[Array]) -> Option<Arc<TracedBody>> {
        let given: SmallVec<[CallValue<'_, Array>; 4]> = outputs.iter().map(CallValue::Array).collect();
        let place = &info.place;
        match self {
            TracingRecord::Off => None,
            TracingRecord::CallBody(scope) => {
                let (body, is_kept) = (Arc::new(scope.finish_body(&given, place)), info.by.keeps_program());
                match info.has_no_call() {
                    _ if !record::is_recording() => {}
                    true => add_part(TracedPart::Finished(body.clone())),
                    false if is_kept || is_dissolved() => {}
                    false => body.add(None),
                }
                is_kept.then_some(body)
            }
            TracingRecord::Call(call) => {
                call.finish(&given, place);
                None
            }
        }
    }
}

/// Records that an array came from a file.
pub(crate) fn loaded(by: &str, path: &Path, x: &mut Array, place: &Place) {
    if record::is_recording() {
        record::received(by, &cut(&format!("{path:?}")), std::slice::from_mut(x), place);
    }
}

/// Records that an array went to a file.
pub(crate) fn saved(by: &str, path: &Path, x: &Array, place: &Place) {
    if record::is_recording() {
        record::sent(x, by, &cut(&format!("{path:?}")), place);
    }
}
