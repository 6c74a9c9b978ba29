//! Calls that the library itself puts on a tape: its functions made of ops, transforms, functions being traced, files.

use super::text::cut;
use crate::array::{Array, Stager, StagingInfo};
use crate::call_values::CallValues;
use crate::tree::{Tree, leaves};
use smallvec::SmallVec;
use std::path::Path;
use std::sync::Arc;
use wengert_core::{Place, Result, Tensor};
use wengert_tape::api::API;
use wengert_tape::record::{self, Call, CallBody, CallValue, Recording};
use wengert_tape::{Meta, MetaKey, Tape};

/// The attribute of our own functions that are made of ops: each of their calls is a call of the recording, with its ops
/// inside.
pub(crate) use wengert_macros::composite;

/// An open call of a [`composite`].
pub(crate) struct Composite(Call);

impl Composite {
    /// A call that is not recorded.
    pub(crate) const SILENT: Composite = Composite(Call::SILENT);

    #[track_caller]
    pub(crate) fn open(name: &str, given: &CallValues) -> Composite {
        let mut given = given.as_call_values();
        // An argument that is not an array stands in the call, and has no node inside it.
        given.iter_mut().filter(|(_, x)| !matches!(x, CallValue::Array(_))).for_each(|(name, _)| *name = "");
        Composite(Call::enter_own(name, &given, &Place::caller()))
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

fn finish_call(call: Call, results: &[Array], place: &Place) {
    let results: SmallVec<[CallValue<'_, Array>; 2]> = results.iter().map(CallValue::Array).collect();
    call.finish(&results, place);
}

/// Runs a transform as one call of the recording, if there is one: `given` are the arrays it takes, `out` those it gives.
pub(crate) fn transform<T>(
    info: &StagingInfo,
    given: impl FnOnce() -> Vec<Array>,
    f: impl FnOnce() -> Result<T>,
    out: impl FnOnce(&T) -> Vec<Array>,
) -> Result<T> {
    if !record::is_recording() {
        return f();
    }
    let x = given();
    let given: SmallVec<[(&str, CallValue<'_, Array>); 4]> = x.iter().map(|x| ("", CallValue::Array(x))).collect();
    let call = Call::enter(&format!("{} {}", info.by, info.function), "", &given, &info.place);
    say(API, info.by.to_string());
    let made = f()?;
    finish_call(call, &out(&made), &info.place);
    Ok(made)
}

/// Says of the open call of a transform how it was asked for.
pub(crate) fn say<T: Meta>(key: MetaKey<T>, value: T) {
    if record::is_recording() {
        record::set_meta(key.name(), value.to_value());
    }
}

/// Says it as a list of numbers.
pub(crate) fn say_numbers(key: MetaKey<Tensor>, numbers: impl Iterator<Item = i64>) {
    if record::is_recording() {
        let numbers: Vec<i64> = numbers.collect();
        say(key, Tensor::from_slice([numbers.len()], &numbers).expect("as many as there are"));
    }
}

/// Puts a function that was traced without values inside the open call of the transform that traced it.
pub(crate) fn traced(info: &StagingInfo, body: &Arc<Tape>) {
    if !info.by.keeps_program() && !info.function.is_empty() && record::is_recording() {
        let call = Call::enter::<Array>(&info.function, "", &[], &info.place);
        call.finish_whole::<Array>(&mut [], CallBody::Tape(body));
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
        if known && record::is_recording() {
            let given: Vec<(&str, CallValue<'_, Array>)> =
                tracers.iter().zip(names).map(|(t, n)| (n.as_str(), CallValue::Array(t))).collect();
            return TracingRecord::Call(Call::enter(&info.function, "", &given, &info.place));
        }
        if !known && (info.by == Stager::Jit || record::is_recording()) {
            let scope = Recording::start_body(&info.function, &info.place);
            for (t, n) in tracers.iter_mut().zip(names) {
                scope.argument(n, t, &info.place);
            }
            return TracingRecord::CallBody(scope);
        }
        TracingRecord::Off
    }

    /// Ends with what the function gave; the tape, if it has one of its own.
    pub(crate) fn finish(self, outputs: &[Array], place: &Place) -> Option<Arc<Tape>> {
        let given: SmallVec<[CallValue<'_, Array>; 4]> = outputs.iter().map(CallValue::Array).collect();
        match self {
            TracingRecord::Off => None,
            TracingRecord::CallBody(scope) => Some(Arc::new(scope.finish(&given, place))),
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
