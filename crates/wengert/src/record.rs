//! Recording what a run does: the scope users open, and where the operations on arrays report.

use crate::array::Array;
use crate::backend;
use crate::fail::{ok, try_run};
use crate::numpy::Arrays;
use crate::trace::About;
use crate::track::Values;
use crate::tree::{Tree, leaves};
use smallvec::SmallVec;
use std::path::Path;
use std::sync::Arc;
use wengert_core::{Op, Place, Program, Result, Tensor};
use wengert_cpu::Step;
use wengert_tape::record::{self, Body, Call, Given, Inside, Iterations, Recalled, Recording, Settings, Taken, Watch};
use wengert_tape::{Capture, Context, Tape};

/// Values that are not arrays are shown with at most this many characters.
const TEXT: usize = 80;

/// Records what a function does.
///
/// ```
/// use wengert::{record, Array};
/// let x = Array::from([1.0f32, 2.0]);
/// let (y, tape) = record(|| (&x * 2.0).sin());
/// assert_eq!(y.shape()[..], [2]);
/// assert!(tape.to_string().contains("sin(@2) : f32[2]"));
/// ```
#[track_caller]
pub fn record<R: Tree>(f: impl FnOnce() -> R) -> (R, Tape) {
    Recorder::new().record(f)
}

/// How to record: what is kept of values, of loops and staged calls, and the user's context.
///
/// ```
/// use wengert::{Array, Capture, DepthLimit, Recorder};
/// let recorder = Recorder::new().capture(Capture::Values).context(DepthLimit(2));
/// let (_, tape) = recorder.record(|| Array::from([1.0f32, 2.0]) * 3.0);
/// assert_eq!(tape.node(2).value(0).unwrap().to_vec::<f32>().unwrap(), [3.0, 6.0]);
/// ```
#[derive(Clone, Default)]
pub struct Recorder {
    pub(crate) settings: Settings,
}

impl Recorder {
    /// Shapes and places, no values.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let (_, tape) = Recorder::new().record(|| Array::from([1.0f32]).sin());
    /// assert!(tape.to_string().contains("sin"));
    /// ```
    pub fn new() -> Recorder {
        Recorder::default()
    }

    /// What is kept of values. Of a recording that ends inside this one, it is what that one kept, and no more than this.
    ///
    /// ```
    /// use wengert::{Array, Capture, Recorder};
    /// let (_, tape) = Recorder::new().capture(Capture::Values).record(|| Array::from([1.0f32, 2.0]) * 3.0);
    /// assert!(tape.node(2).value(0).is_some());
    /// ```
    pub fn capture(mut self, capture: Capture) -> Recorder {
        self.settings.capture = capture;
        self
    }

    /// Records each iteration of loops and the inside of staged calls as they run, on the host, and not their programs
    /// once. Staged calls show what really runs: their simplified programs.
    ///
    /// ```
    /// use wengert::{jit, Array, Recorder};
    /// let f = jit(|x: Array| x.sin());
    /// let (_, tape) = Recorder::new().inside().record(|| f(Array::from(1.0f32)));
    /// assert!(tape.to_string().contains("sin"));
    /// ```
    pub fn inside(mut self) -> Recorder {
        self.settings.inside = Iterations::All;
        self
    }

    /// Keeps summaries instead of values once values take this many bytes; [`Tape::limited`] says from where.
    ///
    /// ```
    /// use wengert::{Array, Capture, Recorder};
    /// let recorder = Recorder::new().capture(Capture::Values).limit(0);
    /// let (_, tape) = recorder.record(|| Array::from([1.0f32, 2.0]) * 3.0);
    /// assert!(tape.node(2).value(0).is_none());
    /// ```
    pub fn limit(mut self, bytes: usize) -> Recorder {
        self.settings.limit = bytes;
        self
    }

    /// Measures how long each op and call takes.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let (y, _) = Recorder::new().times().record(|| Array::from(0.0f32).sin());
    /// assert_eq!(y.item::<f32>(), 0.0);
    /// ```
    pub fn times(mut self) -> Recorder {
        self.settings.times = true;
        self
    }

    /// Hooks on what is recorded and how. A second context is asked after the first.
    ///
    /// ```
    /// use wengert::{Array, DepthLimit, Recorder};
    /// let (_, tape) = Recorder::new().context(DepthLimit(1)).record(|| Array::from(0.0f32).sin());
    /// assert!(!tape.is_empty());
    /// ```
    pub fn context(mut self, context: impl Context + 'static) -> Recorder {
        self.settings.context = Some(match self.settings.context.take() {
            None => Arc::new(context),
            Some(first) => Arc::new(Shared(first).and(context)),
        });
        self
    }

    /// Records what a function does.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let (y, tape) = Recorder::new().record(|| Array::from(0.0f32).sin());
    /// assert!(y.item::<f32>() == 0.0 && !tape.is_empty());
    /// ```
    #[track_caller]
    pub fn record<R: Tree>(self, f: impl FnOnce() -> R) -> (R, Tape) {
        let place = Place::caller();
        let scope = Recording::start(self.settings, "record", &place);
        let out = f();
        let tape = finish(scope, &out, &place);
        (out, tape)
    }

    /// Records what a function does up to a mistake in an array expression, if there is one: the tape is there anyway.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let wrong = || Array::from([1.0f32, 2.0]).sin() + Array::from([1.0f32, 2.0, 3.0]);
    /// let (result, tape) = Recorder::new().try_record(wrong);
    /// assert!(result.is_err() && tape.to_string().contains("sin"));
    /// ```
    #[track_caller]
    pub fn try_record<R: Tree>(self, f: impl FnOnce() -> R) -> (Result<R>, Tape) {
        let place = Place::caller();
        let scope = Recording::start(self.settings, "record", &place);
        let out = try_run(f);
        let tape = match &out {
            Ok(out) => finish(scope, out, &place),
            Err(e) => scope.finish_inside::<Array>(&[Given::Text(&cut(e.message()))], &place),
        };
        (out, tape)
    }
}

/// Ends a recording with a result. A recording around it has it as a call.
pub(crate) fn finish<R: Tree>(scope: Recording, out: &R, place: &Place) -> Tape {
    let mut results = Vec::new();
    let structure = out.flatten(&mut results);
    let text = cut(&format!("{structure:?}"));
    let given: Vec<Given<'_, Array>> = match results.is_empty() {
        true => vec![Given::Text(&text)],
        false => results.iter().map(Given::Array).collect(),
    };
    scope.finish_inside(&given, place)
}

/// A context that is already shared.
struct Shared(Arc<dyn Context>);

impl Context for Shared {
    fn recurse(&self, call: &wengert_tape::Draft<'_>) -> bool {
        self.0.recurse(call)
    }
    fn enter(&self, call: &wengert_tape::Draft<'_>) -> wengert_tape::Enter {
        self.0.enter(call)
    }
    fn node(&self, node: &mut wengert_tape::Draft<'_>) {
        wengert_tape::context::visit(&*self.0, node);
    }
}

/// The text of a value, cut to a length.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(TEXT) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

/// Text on one line that is cut to a length while it is written.
#[derive(Default)]
pub(crate) struct Limited {
    text: String,
    /// A line has just ended: what indents the next is left out.
    ended: bool,
}

impl Limited {
    /// A value as `Debug` shows it, as far as it fits.
    pub(crate) fn debug(x: &(impl std::fmt::Debug + ?Sized)) -> String {
        let mut text = Limited::default();
        // An error says that it was cut.
        let _ = std::fmt::write(&mut text, format_args!("{x:?}"));
        cut(&text.text)
    }
}

impl std::fmt::Write for Limited {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        for c in s.chars() {
            match c {
                _ if self.text.len() > 4 * TEXT => return Err(std::fmt::Error),
                ' ' if self.ended => continue,
                c if !c.is_control() => self.text.push(c),
                _ if self.ended => continue,
                _ => self.text.push(' '),
            }
            self.ended = c.is_control();
        }
        Ok(())
    }
}

/// Records what happens on this thread from now on, or goes on with what was stopped by [`disable`].
///
/// A recording that is open meanwhile goes on, and is a call of this one when it ends.
///
/// ```
/// use wengert::{trace, Array};
/// trace::enable();
/// let y = Array::from([1.0f32, 2.0]).sin();
/// assert!(trace::collect().to_string().contains("sin"));
/// trace::purge();
/// trace::disable();
/// assert!(trace::collect().is_empty());
/// ```
#[track_caller]
pub fn enable() {
    record::enable(Settings::default(), &Place::caller());
}

/// [`enable`] as a recorder says, if nothing is recorded yet.
///
/// ```
/// use wengert::{trace, Array, Capture, Recorder};
/// trace::enable_with(Recorder::new().capture(Capture::Values));
/// let _ = Array::from(0.0f32).sin();
/// trace::disable();
/// assert!(trace::collect().to_string().contains("sin"));
/// trace::purge();
/// ```
#[track_caller]
pub fn enable_with(recorder: Recorder) {
    record::enable(recorder.settings, &Place::caller());
}

/// Stops the recording of [`enable`]; what was recorded stays until [`purge`].
///
/// ```
/// use wengert::{trace, Array};
/// trace::enable();
/// trace::disable();
/// let _ = Array::from(0.0f32).sin();
/// assert!(!trace::collect().to_string().contains("sin"));
/// trace::purge();
/// ```
pub fn disable() {
    record::disable();
}

/// What was recorded so far between [`enable`] and [`disable`] on this thread.
///
/// ```
/// use wengert::{trace, Array};
/// trace::enable();
/// let _ = Array::from(0.0f32).cos();
/// assert!(trace::collect().to_string().contains("cos"));
/// trace::disable();
/// trace::purge();
/// ```
pub fn collect() -> Tape {
    record::collect()
}

/// Forgets what was recorded, and frees its memory.
///
/// ```
/// use wengert::{trace, Array};
/// trace::enable();
/// let _ = Array::from(0.0f32).cos();
/// trace::purge();
/// assert!(!trace::collect().to_string().contains("cos"));
/// trace::disable();
/// ```
pub fn purge() {
    record::purge();
}

/// Whether what happens now on this thread is recorded.
///
/// ```
/// assert!(!wengert::trace::is_recording());
/// wengert::record(|| assert!(wengert::trace::is_recording()));
/// ```
#[inline]
pub fn is_recording() -> bool {
    record::active()
}

/// The recording on this thread, for other threads to take part in: see [`scope`].
#[derive(Clone)]
pub struct Scope(Option<record::Handle>);

impl Scope {
    /// Runs something on whatever thread this is called on: what it does is recorded where the scope was taken, inside
    /// the call that was open there, until that recording ends.
    ///
    /// ```
    /// use wengert::{record, scope, Array};
    /// let x = Array::from([1.0f32, 2.0]);
    /// let (y, tape) = record(|| {
    ///     let scope = scope();
    ///     std::thread::scope(|s| s.spawn(|| scope.run(|| x.sin())).join().unwrap())
    /// });
    /// assert!(tape.to_string().contains("sin") && y.size() == 2);
    /// ```
    pub fn run<T>(&self, f: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(scope) => scope.run(f),
            None => f(),
        }
    }
}

/// The recording on this thread, to be taken to any others: those of a pool, too. Without a recording, what runs in it
/// just runs.
///
/// ```
/// use rayon::prelude::*;
/// use wengert::{record, scope, Array};
/// let batches: Vec<Array> = (0..4).map(|i| Array::from([i as f32, 1.0])).collect();
/// let (_, tape) = record(|| {
///     let scope = scope();
///     batches.par_iter().map(|x| scope.run(|| x.tanh())).collect::<Vec<Array>>()
/// });
/// assert_eq!(tape.nodes().filter(|n| n.function() == "tanh").count(), 4);
/// ```
pub fn scope() -> Scope {
    Scope(record::current())
}

/// A closure that another thread runs as a part of the recording here, if there is one; see [`scope`] for more than one.
///
/// ```
/// use wengert::{hand_over, record, Array};
/// let (_, tape) = record(|| {
///     let x = Array::from([1.0f32, 2.0]);
///     std::thread::spawn(hand_over(move || x.sin())).join().unwrap()
/// });
/// assert!(tape.to_string().contains("sin"));
/// ```
pub fn hand_over<T>(f: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let scope = scope();
    move || scope.run(f)
}

/// The attribute of our own functions that are made of ops: each call is one of the recording, and what it does is inside.
pub(crate) use wengert_macros::composite;

/// An open call of a [`composite`].
pub(crate) struct Composite(Call);

impl Composite {
    /// A call that is not recorded.
    pub(crate) const SILENT: Composite = Composite(Call::SILENT);

    #[track_caller]
    pub(crate) fn open(name: &str, given: &Values) -> Composite {
        let mut given = given.given();
        // What is not an array stands in the call, and has no node inside it.
        given.iter_mut().filter(|(_, x)| matches!(x, Given::Text(_))).for_each(|(name, _)| *name = "");
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

/// A value as something that becomes it: an argument of a [`composite`] after it was converted.
#[inline]
pub(crate) fn into_itself<T>(x: T) -> impl Into<T> {
    x
}

/// [`into_itself`] for a list of arrays.
#[inline]
pub(crate) fn several(x: Vec<Array>) -> impl Arrays {
    x
}

fn finish_call(call: Call, results: &[Array], place: &Place) {
    let results: SmallVec<[Given<'_, Array>; 2]> = results.iter().map(Given::Array).collect();
    call.finish(&results, place);
}

/// Runs a transform as one call of the recording, if there is one: `given` are the arrays it takes, `out` those it gives.
pub(crate) fn transform<T>(
    about: &About,
    given: impl FnOnce() -> Vec<Array>,
    f: impl FnOnce() -> Result<T>,
    out: impl FnOnce(&T) -> Vec<Array>,
) -> Result<T> {
    if !record::active() {
        return f();
    }
    let x = given();
    let given: SmallVec<[(&str, Given<'_, Array>); 4]> = x.iter().map(|x| ("", Given::Array(x))).collect();
    let call = Call::enter(&format!("{} {}", about.by, about.function), "", &given, &about.place);
    let made = f()?;
    finish_call(call, &out(&made), &about.place);
    Ok(made)
}

/// Does one op on values and records it, if that is wanted here: alone, or with what runs inside it. On a tape that is
/// replayed it may be there already.
pub(crate) fn op(op: &Op, x: &[&Array], place: &Place) -> Result<SmallVec<[Array; 1]>> {
    if !record::active() {
        return unseen(backend::run_op(op, x).map(SmallVec::from));
    }
    let known = record::recall(op, x);
    if !holds_programs(op) {
        let started = record::started();
        let (mut y, steps): (SmallVec<[Array; 1]>, Vec<Step>) = match &known {
            Some(known) => (arrays(known.values.clone()).collect(), Vec::new()),
            None => {
                let (y, steps) = watched(op, || backend::run_op(op, x));
                (y?.into(), steps)
            }
        };
        let inside = known.as_ref().map_or(Inside::Steps(&steps), Inside::Recalled);
        record::primitive(op, x, &mut y, place, started, inside);
        return Ok(y);
    }
    let call = Call::enter_op(op.name(), op, x, place);
    if let Some(known) = known {
        let notes = ["iterations", "branch"].map(|key| (key, known.meta(key).cloned()));
        notes.into_iter().for_each(|(key, value)| value.into_iter().for_each(|v| record::set_meta(key, v)));
        let mut y: SmallVec<[Array; 1]> = arrays(known.values.clone()).collect();
        call.finish_whole(&mut y, inside(&known, Body::Op(&types(x))));
        return Ok(y);
    }
    let values = || x.iter().map(|x| ok(x.concretize("an operand")).clone()).collect();
    if record::inside() == Some(Iterations::All) {
        let mut y: SmallVec<[Array; 1]> =
            arrays(wengert_cpu::run_op_watched(op, values(), &mut Watch::of_op())?).collect();
        call.finish_whole(&mut y, Body::Recorded);
        return Ok(y);
    }
    let mut y: SmallVec<[Array; 1]> = if x.iter().all(|x| x.device() == Some("host")) {
        let (y, note) = Taken::run(op, values())?;
        note.into_iter().for_each(|(key, value)| record::set_meta(key, value));
        arrays(y).collect()
    } else {
        backend::run_op(op, x)?.into()
    };
    call.finish_whole(&mut y, Body::Op(&types(x)));
    Ok(y)
}

/// What was made where nothing is recorded, though there may be a recording around it.
fn unseen<Y: AsMut<[Array]>>(y: Result<Y>) -> Result<Y> {
    y.map(|mut y| {
        record::unseen(y.as_mut());
        y
    })
}

fn arrays(values: Vec<Tensor>) -> impl Iterator<Item = Array> {
    values.into_iter().map(Array::from_tensor)
}

/// What is inside a call that is known already: what ran there, or else its program.
fn inside<'a>(known: &'a Recalled, program: Body<'a>) -> Body<'a> {
    if known.ran_inside() { Body::Recalled(known) } else { program }
}

/// Records an op that becomes an equation of a trace; `run` makes it one, and does it where the values are known, unless a
/// tape that is replayed has the results.
pub(crate) fn traced(
    op: &Op,
    x: &[&Array],
    place: &Place,
    run: impl FnOnce(Option<Vec<Tensor>>) -> Result<SmallVec<[Array; 1]>>,
) -> Result<SmallVec<[Array; 1]>> {
    if !record::active() {
        return unseen(run(None));
    }
    let known = if abstractly(x) { None } else { record::recall(op, x) };
    let values = known.as_ref().map(|known| known.values.clone());
    if holds_programs(op) {
        let call = Call::enter_op(op.name(), op, x, place);
        let mut y = run(values)?;
        let types = types(x);
        call.finish_whole(&mut y, known.as_ref().map_or(Body::Op(&types), |known| inside(known, Body::Op(&types))));
        return Ok(y);
    }
    let started = record::started();
    let (y, steps) = watched(op, || run(values));
    let mut y = y?;
    let inside = known.as_ref().map_or(Inside::Steps(&steps), Inside::Recalled);
    record::primitive(op, x, &mut y, place, started, inside);
    Ok(y)
}

/// Does an op, and says what its kernel ran.
fn watched<T>(op: &Op, run: impl FnOnce() -> T) -> (T, Vec<Step>) {
    if matches!(op, Op::Convolution(_)) { wengert_cpu::with_steps(run) } else { (run(), Vec::new()) }
}

/// Whether a value is not known yet.
fn abstractly(x: &[&Array]) -> bool {
    x.iter().any(|x| x.is_traced() && x.value().is_none())
}

fn types(x: &[&Array]) -> Vec<wengert_core::Type> {
    x.iter().map(|x| x.ty()).collect()
}

fn holds_programs(op: &Op) -> bool {
    matches!(op, Op::Custom(_)) || !op.programs().is_empty()
}

/// Runs a program on values as one call, and records it; `run` gives its results without looking inside, given the
/// values they have, if those are known.
pub(crate) fn program(
    name: &str,
    program: &Arc<Program>,
    x: &[&Array],
    body: Option<&Arc<Tape>>,
    place: &Place,
    run: impl FnOnce(Option<Vec<Tensor>>) -> Result<Vec<Array>>,
) -> Result<Vec<Array>> {
    use wengert_core::ops::{Call as CallOp, CallKind};
    if !record::listening() {
        return unseen(run(None));
    }
    let op: Op = CallOp { program: program.clone(), kind: CallKind::Staged }.into();
    let known = if abstractly(x) || !record::active() { None } else { record::recall(&op, x) };
    let call = Call::enter_op(name, &op, x, place);
    if known.is_none() && record::inside() == Some(Iterations::All) && !x.iter().any(|x| x.is_traced()) {
        let values = x.iter().map(|x| ok(x.concretize("an operand")).clone()).collect();
        let y = wengert_cpu::Plan::new(program.clone()).run_watched(values, &mut Watch::new())?;
        let mut y: Vec<Array> = arrays(y).collect();
        call.finish_whole(&mut y, Body::Recorded);
        return Ok(y);
    }
    let mut y = run(known.as_ref().map(|known| known.values.clone()))?;
    let types = types(x);
    let program = body.map_or(Body::Op(&types), Body::Tape);
    let body = match &known {
        Some(known) => inside(known, program),
        None => program,
    };
    call.finish_whole(&mut y, body);
    Ok(y)
}

/// The recording of a function being traced.
pub(crate) enum Tracing {
    /// Nothing is recorded.
    Off,
    /// A tape of its own, kept with the program: the values are not known.
    Body(Recording),
    /// A call of the recording around it: the values are known.
    Call(Call),
}

impl Tracing {
    /// Begins to record a function that is traced with these arguments.
    pub(crate) fn start(about: &About, tracers: &mut [Array], names: &[String]) -> Tracing {
        let known = !tracers.is_empty() && tracers.iter().all(|t| t.value().is_some());
        if known && record::active() {
            let given: Vec<(&str, Given<'_, Array>)> =
                tracers.iter().zip(names).map(|(t, n)| (n.as_str(), Given::Array(t))).collect();
            return Tracing::Call(Call::enter(&about.function, "", &given, &about.place));
        }
        if !known && (about.by == "jit" || record::active()) {
            let scope = Recording::start(Settings::default(), &about.function, &about.place);
            for (t, n) in tracers.iter_mut().zip(names) {
                scope.argument(n, t, &about.place);
            }
            return Tracing::Body(scope);
        }
        Tracing::Off
    }

    /// Ends with what the function gave; the tape, if it has one of its own.
    pub(crate) fn finish(self, outputs: &[Array], place: &Place) -> Option<Arc<Tape>> {
        let given: SmallVec<[Given<'_, Array>; 4]> = outputs.iter().map(Given::Array).collect();
        match self {
            Tracing::Off => None,
            Tracing::Body(scope) => Some(Arc::new(scope.finish(&given, place))),
            Tracing::Call(call) => {
                call.finish(&given, place);
                None
            }
        }
    }
}

/// Says of an array that it came from a file.
pub(crate) fn loaded(by: &str, path: &Path, x: &mut Array, place: &Place) {
    if record::active() {
        record::special(by, &cut(&format!("{path:?}")), std::slice::from_mut(x), place);
    }
}

/// Says of an array that it went to a file.
pub(crate) fn saved(by: &str, path: &Path, x: &Array, place: &Place) {
    if record::active() {
        record::sent(x, by, &cut(&format!("{path:?}")), place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::any::Any;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use wengert_core::Type;
    use wengert_core::backend::{Buffer, Value};
    use wengert_tape::DepthLimit;
    use wengert_tape::record::For;

    /// An array on a device that counts how often it is copied to the host.
    struct Far(Type, Arc<AtomicUsize>);

    impl Buffer for Far {
        fn ty(&self) -> &Type {
            &self.0
        }
        fn device(&self) -> &str {
            "far:0"
        }
        fn wait(&self) -> Result<()> {
            Ok(())
        }
        fn to_host(&self) -> Result<Tensor> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(Tensor::zeros(&self.0))
        }
        fn as_any(&self) -> &dyn Any {
            self
        }
    }

    #[test]
    fn d2_of_what_the_host_reads_no_more_is_written_than_is_kept() {
        static SHOWN: AtomicUsize = AtomicUsize::new(0);
        #[derive(Clone)]
        struct Element;
        impl std::fmt::Debug for Element {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                SHOWN.fetch_add(1, Ordering::Relaxed);
                f.write_str("1.5")
            }
        }
        let x = Array::from([1.5f32]);
        let many = |_: &Tensor| Ok(vec![Element; 1 << 20]);
        let read = || x.read("to_vec", "a vector", For::Anything, &Place::unknown(), many);
        assert!(read().is_ok() && SHOWN.load(Ordering::Relaxed) == 0);
        let (_, tape) = record(|| drop(read()));
        assert!(SHOWN.load(Ordering::Relaxed) < 100, "{SHOWN:?}");
        assert!(tape.to_string().contains("[1.5, 1.5, ") && tape.to_string().contains('…'), "{tape}");
    }

    #[test]
    fn d2_an_array_on_a_device_stays_there_unless_its_value_is_wanted() {
        let copies = |recorder: Recorder| {
            let count = Arc::new(AtomicUsize::new(0));
            let far = Far(Type::new(wengert_core::DType::F32, [3]), count.clone());
            let x = Array::from_value(Value::on_device(far));
            let (_, tape) = recorder.record(|| {
                let call = Composite::open("outer", &Values::default());
                let y = call.give(x.clone().named("x"));
                (record(|| x.clone()).0, y)
            });
            assert!(tape.to_string().contains("x = constant"), "{tape}");
            // One array, one node.
            assert_eq!(tape.nodes().filter(|n| n.kind() == wengert_tape::Kind::Constant).count(), 1, "{tape}");
            count.load(Ordering::Relaxed)
        };
        assert_eq!(copies(Recorder::new()), 0);
        assert_eq!(copies(Recorder::new().context(DepthLimit(9))), 0);
        assert_eq!(copies(Recorder::new().capture(Capture::Summaries)), 1);
    }
}
