//! The array users hold: a value, or a variable of a program being traced.

use crate::fail::ok;
use crate::record::Limited;
use crate::trace::{self, Tracer};
use std::fmt;
use std::sync::Arc;
use wengert_core::backend::{OnDevice, Value};
use wengert_core::{DType, Element, Error, Place, Result, Scalar, Shape, Tensor, Type};
use wengert_tape::record::{self, For, Memory, Origin, Recorded};

/// A cheap handle on an n-dimensional value. Concrete, or traced: a variable of a program being built, with or without
/// a value beside it.
#[derive(Clone)]
pub struct Array(pub(crate) Repr, pub(crate) Origin);

#[derive(Clone)]
pub(crate) enum Repr {
    Concrete(Value),
    Traced(Arc<Tracer>),
}

impl Array {
    /// A concrete array.
    ///
    /// ```
    /// use wengert::{Array, Tensor};
    /// let x = Array::from_tensor(Tensor::new([2], vec![1.0f32, 2.0])?);
    /// assert_eq!(x.to_vec::<f32>(), [1.0, 2.0]);
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn from_tensor(t: Tensor) -> Array {
        Array::from_value(Value::Host(t))
    }

    /// A concrete array, wherever it is.
    pub(crate) fn from_value(v: Value) -> Array {
        Array(Repr::Concrete(v), Origin::default())
    }

    /// A number the user wrote beside an array.
    pub(crate) fn literal(t: Tensor) -> Array {
        Array(Repr::Concrete(Value::Host(t)), Origin::LITERAL)
    }

    /// Whether this is a number the user wrote beside an array.
    pub(crate) fn is_literal(&self) -> bool {
        self.1 == Origin::LITERAL
    }

    /// Whether it is a handle on the same array.
    pub(crate) fn is_same(&self, other: &Array) -> bool {
        match (&self.0, &other.0) {
            (Repr::Traced(a), Repr::Traced(b)) => Arc::ptr_eq(&a.trace, &b.trace) && a.var == b.var,
            (Repr::Concrete(Value::Host(a)), Repr::Concrete(Value::Host(b))) => {
                a.same_storage(b) && a.ty() == b.ty() && self.1 == other.1
            }
            (Repr::Concrete(Value::Device(a)), Repr::Concrete(Value::Device(b))) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// Another value that is a literal if this one is.
    pub(crate) fn with_tensor(&self, t: Tensor) -> Array {
        if self.is_literal() { Array::literal(t) } else { Array::from_tensor(t) }
    }

    /// The type: element type and shape. Known for traced arrays too.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0]]).ty().to_string(), "f32[1,2]");
    /// ```
    pub fn ty(&self) -> Type {
        match &self.0 {
            Repr::Concrete(v) => v.ty(),
            Repr::Traced(t) => t.ty.clone(),
        }
    }

    /// The sizes along each axis. Known for traced arrays too.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0]]).shape()[..], [1, 2]);
    /// ```
    pub fn shape(&self) -> &Shape {
        match &self.0 {
            Repr::Concrete(v) => v.shape(),
            Repr::Traced(t) => &t.ty.shape,
        }
    }

    /// The element type.
    ///
    /// ```
    /// # use wengert::{Array, DType};
    /// assert_eq!(Array::from([1, 2]).dtype(), DType::I32);
    /// ```
    pub fn dtype(&self) -> DType {
        match &self.0 {
            Repr::Concrete(v) => v.dtype(),
            Repr::Traced(t) => t.ty.dtype,
        }
    }

    /// The number of axes.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2]]).rank(), 2);
    /// ```
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// The number of elements.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).size(), 4);
    /// ```
    pub fn size(&self) -> usize {
        self.shape().size()
    }

    /// Whether this is a variable of a program being traced.
    ///
    /// ```
    /// use wengert::{jit, Array};
    /// jit(|x: Array| {
    ///     assert!(x.is_traced());
    ///     x
    /// })(Array::from(1.0f32));
    /// ```
    pub fn is_traced(&self) -> bool {
        matches!(self.0, Repr::Traced(_))
    }

    /// Gives the value a name, used wherever a program or tape is printed.
    ///
    /// ```
    /// use wengert::{make_program, Array};
    /// let p = make_program(|x: Array| x.sin().named("height") * 2.0, (Array::from(1.0f32),));
    /// assert!(p.to_string().contains("height: f32[] = sin(arg0)"));
    /// ```
    #[track_caller]
    pub fn named(self, name: &str) -> Array {
        if record::active() {
            record::set_name(&self, name, &Place::caller());
        }
        if let Repr::Traced(t) = &self.0 {
            t.trace.set_name(t.var, name);
        }
        self
    }

    /// Where the array is: `host`, or a device such as `cuda:0`. A traced array is nowhere yet.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).device(), Some("host"));
    /// ```
    pub fn device(&self) -> Option<&str> {
        match &self.0 {
            Repr::Concrete(v) => Some(v.device()),
            Repr::Traced(_) => None,
        }
    }

    /// Waits until the elements are there: a staged function returns while a device is still at work.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([1.0f32, 2.0]).sin();
    /// x.wait()?;
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn wait(&self) -> Result<()> {
        match &self.0 {
            Repr::Concrete(v) => v.wait(),
            Repr::Traced(_) => Ok(()),
        }
    }

    /// The array on the host. A traced array is itself.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([1, 2]).to_host()?.device(), Some("host"));
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn to_host(&self) -> Result<Array> {
        match &self.0 {
            Repr::Concrete(v) => v.host().cloned().map(Array::from_tensor),
            Repr::Traced(_) => Ok(self.clone()),
        }
    }

    /// The value, if it is known: a concrete array, or a traced one with its value beside it. Copied to the host if it
    /// is not there.
    pub(crate) fn value(&self) -> Option<&Tensor> {
        match &self.0 {
            Repr::Concrete(v) => Some(ok(v.host())),
            Repr::Traced(t) => t.value.as_ref(),
        }
    }

    /// The value, or an error that says why there is none here and what to do; `read_as` is what it was wanted for.
    #[track_caller]
    pub(crate) fn concretize(&self, read_as: &str) -> Result<&Tensor> {
        self.concretize_at(read_as, &Place::caller())
    }

    fn concretize_at(&self, read_as: &str, place: &Place) -> Result<&Tensor> {
        match &self.0 {
            Repr::Concrete(v) => v.host().map_err(|e| e.at(place.clone())),
            Repr::Traced(t) => t.value.as_ref().ok_or_else(|| trace::concretization_error(t, read_as, place.clone())),
        }
    }

    /// What the host sees of the value, which a recording knows from then on as something it read: the only way from
    /// arrays to what the host decides, the user's code or ours. `by` is the name on the tape, `read_as` what it was
    /// wanted for.
    pub(crate) fn read<T: fmt::Debug>(
        &self,
        by: &str,
        read_as: &str,
        purpose: For,
        place: &Place,
        see: impl FnOnce(&Tensor) -> Result<T>,
    ) -> Result<T> {
        let seen = self.concretize_at(read_as, place).and_then(|t| see(t).map_err(|e| e.at(place.clone())))?;
        if record::active() {
            record::read(self, by, &Limited::debug(&seen), purpose, place);
        }
        Ok(seen)
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
        ok(self.read("to_vec", "a vector", For::Anything, &Place::caller(), |t| t.to_vec()))
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
        ok(self.read("to_tensor", "a tensor", For::Anything, &Place::caller(), |t| Ok(t.clone())))
    }

    /// Reads the one element, as `see` makes it of it.
    #[track_caller]
    fn read_element<T: fmt::Debug>(&self, by: &str, read_as: &str, see: impl FnOnce(Scalar) -> Result<T>) -> T {
        ok(self.read(by, read_as, For::Anything, &Place::caller(), |t| match t.size() {
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
        self.read_element("item", &read_as, |s| match T::unwrap(&s.repeat(1)) {
            Some(v) => Ok(v[0]),
            None => Err(Error::dtype(format!("an array of type {} was read as {}", self.ty(), T::DTYPE))
                .note(format!("convert it first with `.to(DType::{:?})`", T::DTYPE))),
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

impl Recorded for Array {
    fn origin(&self) -> Origin {
        self.1
    }
    fn set_origin(&mut self, origin: Origin) {
        self.1 = origin;
    }
    fn ty(&self) -> Type {
        Array::ty(self)
    }
    fn is_of(&self, ty: &Type) -> bool {
        match &self.0 {
            Repr::Concrete(Value::Host(t)) => (t.dtype(), t.shape()) == (ty.dtype, &ty.shape),
            _ => Array::ty(self) == *ty,
        }
    }
    fn tensor(&self) -> Option<&Tensor> {
        self.value()
    }
    fn memory(&self) -> Option<Memory> {
        let host = |t: &Tensor| Memory::new(t.weak_storage());
        match &self.0 {
            Repr::Concrete(Value::Host(t)) => Some(host(t)),
            Repr::Concrete(Value::Device(d)) => Some(Memory::new(Arc::<OnDevice>::downgrade(d))),
            Repr::Traced(t) => t.value.as_ref().map(host),
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Concrete(v) => write!(f, "{v:?}"),
            Repr::Traced(t) => match &t.value {
                None => write!(f, "Traced<{}>", t.ty),
                Some(v) => write!(f, "Traced<{}> with value {v:?}", t.ty),
            },
        }
    }
}
