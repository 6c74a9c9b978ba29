//! The scope users open to record a run, and how they want it recorded.

use super::text::cut;
use crate::array::Array;
use crate::fail::{message_of, try_run};
use crate::known::number_of;
use crate::tree::Tree;
use crate::watch::UsersRecording;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Place, Result};
use wengert_tape::context::BothContexts;
use wengert_tape::record::{self, CallValue, InnerNodes, Recording, Settings};
use wengert_tape::{Capture, Context, Tape};

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
/// use wengert::{Array, Capture, Recorder, tape::DepthLimit};
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

    /// What is kept of values. Of a recording that ends inside this one, it is what that one kept, and no more than this. Inside of
    /// a staged function nothing is kept of its arrays, [with guards](crate::Jit::with_guards) too: other calls have other values.
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

    /// Records every step of loops and every equation of staged calls as it runs, on the host, and not their programs
    /// once. Staged calls show what really runs: their simplified programs.
    ///
    /// ```
    /// use wengert::{jit, Array, Recorder};
    /// let f = jit(|x: Array| x.sin());
    /// let (_, tape) = Recorder::new().every_step().record(|| f(Array::from(1.0f32)));
    /// assert!(tape.to_string().contains("sin"));
    /// ```
    pub fn every_step(mut self) -> Recorder {
        self.settings.inner_nodes = InnerNodes::EveryStep;
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
    /// use wengert::{Array, Recorder, tape::DepthLimit};
    /// let (_, tape) = Recorder::new().context(DepthLimit(1)).record(|| Array::from(0.0f32).sin());
    /// assert!(!tape.is_empty());
    /// ```
    pub fn context(mut self, context: impl Context + 'static) -> Recorder {
        self.settings.context = Some(match self.settings.context.take() {
            None => Arc::new(context),
            Some(first) => Arc::new(BothContexts::new(first, Arc::new(context))),
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
        let (watched, settings) = UsersRecording::new(self.settings);
        let scope = Recording::start(settings, "record", &place);
        let (out, scope) = watched.run(scope, &place, f);
        let tape = finish(scope, &out, &place);
        (out, tape)
    }

    /// Records what a function does up to a mistake in an array expression or another panic, if there is one: the tape is
    /// there anyway.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// let wrong = || Array::from([1.0f32, 2.0]).sin() + Array::from([1.0f32, 2.0, 3.0]);
    /// let (result, tape) = Recorder::new().try_record(wrong);
    /// assert!(result.is_err() && tape.to_string().contains("sin"));
    /// let (result, tape) = Recorder::new().try_record(|| Array::from([1.0f32, 2.0]).to_vec::<f32>()[2]);
    /// assert!(result.unwrap_err().message().contains("index out of bounds") && tape.to_string().contains("to_vec"));
    /// ```
    #[track_caller]
    pub fn try_record<R: Tree>(self, f: impl FnOnce() -> R) -> (Result<R>, Tape) {
        let place = Place::caller();
        let (watched, settings) = UsersRecording::new(self.settings);
        let scope = Recording::start(settings, "record", &place);
        let out = match catch_unwind(AssertUnwindSafe(|| try_run(f))) {
            Ok(out) => out,
            Err(panic) => {
                record::raised(message_of(&*panic), &place);
                Err(Error::new(ErrorKind::Run, format!("the function panicked: {}", message_of(&*panic))))
            }
        };
        let tape = match &out {
            Ok(out) => finish(scope, out, &place),
            Err(e) => scope.finish_inside::<Array>(&[CallValue::Text(&cut(e.message()))], &place),
        };
        (out.map_err(|e| watched.leave(e, &tape)), tape)
    }
}

/// Ends a recording with a result. A recording around it has it as a call.
pub(crate) fn finish<R: Tree>(scope: Recording, out: &R, place: &Place) -> Tape {
    let mut results = Vec::new();
    let structure = out.flatten(&mut results);
    let text = cut(&format!("{structure:?}"));
    let given: Vec<CallValue<'_, Array>> = match results.is_empty() {
        true => {
            let number = number_of(out);
            number.into_iter().for_each(|x| scope.refer_to_call(x));
            vec![number.map_or(CallValue::Text(&text), CallValue::Number)]
        }
        false => results.iter().map(CallValue::Array).collect(),
    };
    scope.finish_inside(&given, place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_values::CallValues;
    use crate::tape::Composite;
    use std::any::Any;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use wengert_core::run::{Buffer, Value};
    use wengert_core::{Tensor, Type};
    use wengert_tape::DepthLimit;
    use wengert_tape::record::ReadPurpose;

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
        let read = || x.read("to_vec", "a vector", ReadPurpose::Unknown, &Place::unknown(), many);
        // Other threads may record meanwhile, and then a read that no recording has is shown too.
        assert!(read().is_ok() && SHOWN.load(Ordering::Relaxed) < 100, "{SHOWN:?}");
        let (_, tape) = record(|| drop(read()));
        assert!(SHOWN.load(Ordering::Relaxed) < 200, "{SHOWN:?}");
        assert!(tape.to_string().contains("[1.5, 1.5, ") && tape.to_string().contains('…'), "{tape}");
    }

    #[test]
    fn d2_an_array_on_a_device_stays_there_unless_its_value_is_wanted() {
        let copies = |recorder: Recorder| {
            let count = Arc::new(AtomicUsize::new(0));
            let far = Far(Type::new(wengert_core::DType::F32, [3]), count.clone());
            let x = Array::from_value(Value::on_device(far));
            let (_, tape) = recorder.record(|| {
                let call = Composite::open("outer", &CallValues::default());
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
