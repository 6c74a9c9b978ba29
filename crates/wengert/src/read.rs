//! What the host sees of arrays: the only way from values to what native code decides.

use crate::array::{Array, Repr};
use crate::call_values::{short_type, showing};
use crate::fail::ok;
use crate::guards::GuardedVar;
use crate::known::number_of;
use crate::tape::LimitedText;
use crate::trace;
use std::fmt;
use wengert_core::{Element, Error, ErrorKind, Place, Result, Scalar, Tensor};
use wengert_tape::record::{self, HostValue, ReadPurpose};

/// The way out where elements have another type.
fn convert_first<T: Element>() -> String {
    format!("convert it first with `.to(DType::{:?})`", T::DTYPE)
}

impl Array {
    /// Gives the value a name, used wherever a program or tape is printed.
    ///
    /// ```
    /// use wengert::{make_program, Array};
    /// let p = make_program(|x: Array| x.sin().named("height") * 2.0, (Array::from(1.0f32),));
    /// assert!(p.to_string().contains("height: f32[] = sin(arg0)"));
    /// ```
    #[track_caller]
    pub fn named(self, name: &str) -> Array {
        if record::is_recording() {
            record::set_name(&self, name, &Place::caller());
        }
        if let Repr::Traced(t) = &self.0 {
            t.trace.set_name(t.var, name);
        }
        self
    }

    /// The value, or an error that says why there is none here and what to do; `read_as` is what the value is read as.
    #[track_caller]
    pub(crate) fn concretize(&self, read_as: &str) -> Result<&Tensor> {
        self.concretize_at(read_as, &Place::caller())
    }

    /// The value, to be written to a file: an error where a call would write it that others do not repeat.
    #[track_caller]
    pub(crate) fn concretize_for_file(&self, read_as: &str) -> Result<&Tensor> {
        let place = Place::caller();
        let value = self.concretize_at(read_as, &place)?;
        match GuardedVar::of(self, &place)? {
            Some(guarded) => Err(guarded.unguarded(read_as, &place)),
            None => Ok(value),
        }
    }

    fn concretize_at(&self, read_as: &str, place: &Place) -> Result<&Tensor> {
        match &self.0 {
            Repr::Concrete(v) => v.host().map_err(|e| e.at(place.clone())),
            Repr::Traced(t) => t.value.as_ref().ok_or_else(|| trace::concretization_error(t, read_as, place.clone())),
        }
    }

    /// Reads the value, and records the read: the only way from arrays to decisions of the host, in the user's code or ours.
    /// `see` makes of the value what the host sees, `by` is the name on the tape, `read_as` what the value is read as.
    pub(crate) fn read<T: fmt::Debug>(
        &self,
        by: &str,
        read_as: &str,
        purpose: ReadPurpose,
        place: &Place,
        see: impl FnOnce(&Tensor) -> Result<T>,
    ) -> Result<T> {
        let value = self.concretize_at(read_as, place)?;
        let guarded = GuardedVar::of(self, place)?;
        let decided = guarded.as_ref().and_then(|g| g.decided.as_ref());
        let value = decided.unwrap_or(value).clone();
        let seen = see(&value).map_err(|e| e.at(place.clone()))?;
        guarded.map_or(Ok(()), |g| g.saw(by, read_as, number_of(&seen), &value, place))?;
        if record::any_recording() && !showing() {
            let value = match number_of(&seen) {
                Some(x) => HostValue::Number(x),
                None => HostValue::Text {
                    text: LimitedText::debug(&seen).into(),
                    ty: short_type(std::any::type_name::<T>()).into(),
                },
            };
            self.record_read(by, value, purpose, place);
        }
        Ok(seen)
    }

    /// The value is shown as text, which the host may use: a recording has it as a read.
    pub(crate) fn shown(&self) {
        if record::any_recording() && !showing() {
            let value = HostValue::Text { text: record::UNSHOWN.into(), ty: "str".into() };
            self.record_read("shown", value, ReadPurpose::Unknown, &Place::unknown());
        }
    }

    /// The elements in row-major order.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).to_vec::<i32>(), [1, 2, 3, 4]);
    /// ```
    ///
    /// # Panics
    /// If the elements have another type, or the array is traced without a value.
    #[track_caller]
    pub fn to_vec<T: Element>(&self) -> Vec<T> {
        let way_out = |e: Error| match e.kind() {
            ErrorKind::DType => e.note(convert_first::<T>()),
            _ => e,
        };
        ok(self.read("to_vec", "a vector", ReadPurpose::Unknown, &Place::caller(), |t| t.to_vec().map_err(way_out)))
    }

    /// The value on the host.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).to_tensor().shape()[..], [2, 2]);
    /// ```
    ///
    /// # Panics
    /// If the array is traced without a value.
    #[track_caller]
    pub fn to_tensor(&self) -> Tensor {
        ok(self.read("to_tensor", "a tensor", ReadPurpose::Unknown, &Place::caller(), |t| Ok(t.clone())))
    }

    /// Reads the one element; `see` makes of it what the host sees.
    #[track_caller]
    fn read_element<T: fmt::Debug>(&self, by: &str, read_as: &str, see: impl FnOnce(Scalar) -> Result<T>) -> T {
        ok(self.read(by, read_as, ReadPurpose::Unknown, &Place::caller(), |t| match t.size() {
            1 => see(t.get(0)),
            _ => {
                let m = format!("an array of type {} was read as {read_as}, and has not one element", t.ty());
                Err(Error::shape(m).note("reduce it first, for example with `.any(..)`, `.all(..)` or `.sum(..)`"))
            }
        }))
    }

    /// The one element of a scalar or an array of size 1, as this type.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1.5f32, 2.0]).sum(..).item::<f32>(), 3.5);
    /// ```
    ///
    /// # Panics
    /// If there is not exactly one element, it has another type, or the array is traced without a value.
    #[track_caller]
    pub fn item<T: Element>(&self) -> T {
        let read_as = format!("an element of type {}", T::DTYPE);
        self.read_element("item", &read_as, |s| match T::from_scalar(s) {
            Some(x) => Ok(x),
            None => Err(Error::dtype(format!("an array of type {} was read as {}", self.ty(), T::DTYPE))
                .note(convert_first::<T>())),
        })
    }

    /// The one element as a `bool`: whether it is not zero. This is how native `if` reads an array.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from(2.0f32);
    /// assert!(x.gt(1.0).to_bool() && x > 1.0);
    /// ```
    #[track_caller]
    pub fn to_bool(&self) -> bool {
        self.read_element("to_bool", "a bool", |s| {
            let c = s.as_complex();
            Ok(c.re != 0.0 || c.im != 0.0)
        })
    }

    /// The one element as an `f64`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from(3).to_f64(), 3.0);
    /// ```
    #[track_caller]
    pub fn to_f64(&self) -> f64 {
        let wrong = || Error::dtype(format!("an array of type {} was read as a real number", self.ty()));
        self.read_element("to_f64", "a float", |s| s.as_f64().ok_or_else(wrong))
    }

    /// The one element as an `i64`.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([3u8]).to_i64(), 3);
    /// ```
    #[track_caller]
    pub fn to_i64(&self) -> i64 {
        let wrong = || Error::dtype(format!("an array of type {} was read as an integer", self.ty()));
        self.read_element("to_i64", "an integer", |s| s.as_i64().ok_or_else(wrong))
    }
}
