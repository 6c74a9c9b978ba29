//! Code of the user's in an emitted program: what it gave when it was recorded, in the place of what it does.

use crate::array::Array;
use crate::custom::{Batched, Batcher, CustomOp, apply};
use crate::fail::ok;
use crate::repro::rounding;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use wengert_core::bytes::to_bytes;
use wengert_core::compare::compare;
use wengert_core::ops::Custom;
use wengert_core::{Builder, Error, ErrorKind, Place, Result, Tensor, Type, Var};
use wengert_tape::record;

/// What code of the user's, such as the function of a [`pure_callback`](crate::pure_callback), gave for what it was given when a run
/// was recorded. An emitted program has it in the place of that code, which no tape has.
///
/// ```
/// use wengert::repro::RecordedCalls;
/// use wengert::{jit, Array, DType, Type};
/// let f = jit(|x: Array| {
///     let mut calls = RecordedCalls::new("digits", [Type::scalar(DType::I32)]);
///     calls.add([Array::from(12.5f32)], [Array::from(4)]);
///     let [y] = calls.call([&x]);
///     y
/// });
/// assert_eq!(f(Array::from(12.5f32)).item::<i32>(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct RecordedCalls {
    name: String,
    gives: Vec<Type>,
    calls: Vec<Call>,
}

#[derive(Clone, Debug)]
struct Call {
    given: Vec<Tensor>,
    gave: Vec<Tensor>,
}

impl RecordedCalls {
    /// Calls of an op of this name, which gives arrays of these types.
    ///
    /// ```
    /// use wengert::repro::RecordedCalls;
    /// use wengert::{Array, DType, Type};
    /// let mut calls = RecordedCalls::new("now", [Type::scalar(DType::I32)]);
    /// calls.add([], [Array::from(1964)]);
    /// let [y] = calls.call([]);
    /// assert_eq!(y, Array::from(1964));
    /// ```
    pub fn new<const M: usize>(name: &str, gives: [Type; M]) -> RecordedCalls {
        RecordedCalls { name: name.into(), gives: gives.into(), calls: Vec::new() }
    }

    /// One more call: what it was given, and what it gave.
    ///
    /// ```
    /// use wengert::repro::RecordedCalls;
    /// use wengert::{Array, DType, Type};
    /// let mut calls = RecordedCalls::new("half", [Type::scalar(DType::F32)]);
    /// calls.add([Array::from(8.0f32)], [Array::from(4.0f32)]);
    /// calls.add([Array::from(4.0f32)], [Array::from(2.0f32)]);
    /// let [y] = calls.call([&Array::from(4.0f32)]);
    /// assert_eq!(y, Array::from(2.0f32));
    /// ```
    ///
    /// # Panics
    /// If an array has no value: it is a variable of a function that is traced.
    #[track_caller]
    pub fn add<const N: usize, const M: usize>(&mut self, given: [Array; N], gave: [Array; M]) {
        // What stands in the text is nothing that a run reads.
        let _silence = record::silence();
        let values = |x: &[Array]| x.iter().map(Array::to_tensor).collect();
        self.calls.push(Call { given: values(&given), gave: values(&gave) });
    }

    /// What the code gave for these, or for arrays that differ from these by rounding.
    ///
    /// ```
    /// use wengert::repro::RecordedCalls;
    /// use wengert::{try_run, Array, DType, Type};
    /// let mut calls = RecordedCalls::new("half", [Type::scalar(DType::F32)]);
    /// calls.add([Array::from(8.0f32)], [Array::from(4.0f32)]);
    /// let [y] = calls.call([&Array::from(8.000001f32)]);
    /// assert_eq!(y, Array::from(4.0f32));
    /// let e = try_run(|| calls.call::<1, 1>([&Array::from(9.0f32)])).unwrap_err();
    /// assert!(e.message().contains("`half` was not given these arrays when it was recorded"));
    /// let none = RecordedCalls::new("third", [Type::scalar(DType::F32)]);
    /// let e = try_run(|| none.call::<1, 1>([&Array::from(9.0f32)])).unwrap_err();
    /// assert!(e.message().contains("`third` was never called in the recorded run"));
    /// ```
    ///
    /// # Panics
    /// If it was given none like these; if it gives another number of arrays.
    #[track_caller]
    pub fn call<const N: usize, const M: usize>(&self, x: [&Array; N]) -> [Array; M] {
        let y = apply(self.clone(), &x);
        let count = y.len();
        let wrong = |_| Error::malformed(format!("`{}` gives {count} arrays, and {M} are taken", self.name));
        ok(y.try_into().map_err(wrong).map_err(|e: Error| e.at(Place::caller())))
    }

    /// The call that was given what is nearest to these, if that is rounding away.
    fn nearest(&self, x: &[Tensor]) -> Option<&Call> {
        let near = |call: &Call| {
            let mut each = x.iter().zip(&call.given).map(|(x, given)| distance(x, given));
            each.try_fold(0.0, |most: f64, d| d.map(|d| most.max(d)))
        };
        let found = self.calls.iter().filter(|c| c.given.len() == x.len()).filter_map(|c| Some((near(c)?, c)));
        found.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, call)| call)
    }
}

/// How far an array is from another; none if that is more than rounding does.
fn distance(x: &Tensor, from: &Tensor) -> Option<f64> {
    rounding(from, None).check(x, from).ok()?;
    compare(x, from).ok().map(|c| c.absolute)
}

impl CustomOp for RecordedCalls {
    fn name(&self) -> &str {
        &self.name
    }
    /// Two are the same if they gave the same for the same.
    fn attributes(&self) -> String {
        let mut hash = FxHasher::default();
        let arrays = self.calls.iter().flat_map(|c| c.given.iter().chain(&c.gave));
        arrays.for_each(|t| (t.ty(), to_bytes(t)).hash(&mut hash));
        format!("{:016x}", hash.finish())
    }
    fn infer(&self, _: &[Type]) -> Result<Vec<Type>> {
        Ok(self.gives.clone())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<Result<Vec<Tensor>>> {
        let Some(call) = self.nearest(x) else {
            let given: Vec<String> = x.iter().cloned().map(|t| Array::from_tensor(t).to_string()).collect();
            let why = match self.calls.is_empty() {
                true => "was never called in the recorded run",
                false => "was not given these arrays when it was recorded",
            };
            let m = format!("`{}` {why}, and what it does is not known: {}", self.name, given.join(", "));
            let way = "what to do: write that function here, in a `pure_callback`";
            return Some(Err(Error::new(ErrorKind::Run, m).note(way)));
        };
        Some(Ok(call.gave.clone()))
    }
    fn tangents(&self, _: &mut Builder, _: &[Var], _: &[Var], _: &[Option<Var>]) -> Option<Result<Vec<Option<Var>>>> {
        let m = format!("`{}` has no derivative: what it does is not known", self.name);
        Some(Err(Error::new(ErrorKind::NoRule, m)))
    }
    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Option<Result<Vec<Batched>>> {
        Some(b.in_loop(Custom::new(self.clone()), x))
    }
}
