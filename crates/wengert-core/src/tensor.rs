//! Values on the host: one element ([`Scalar`]), or an array of them ([`Tensor`]).

use crate::error::{Error, Result};
use crate::types::{DType, Shape, Type};
use half::{bf16, f16};
use num_complex::Complex;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// Calls a macro with the list of all element types: `(Variant, rust type)`.
#[macro_export]
macro_rules! for_each_dtype {
    ($m:ident $($args:tt)*) => {
        $m! { $($args)* (Bool, bool) (I8, i8) (I16, i16) (I32, i32) (I64, i64) (U8, u8) (U16, u16) (U32, u32)
            (U64, u64) (F16, $crate::f16) (BF16, $crate::bf16) (F32, f32) (F64, f64)
            (C64, $crate::Complex<f32>) (C128, $crate::Complex<f64>) }
    };
}

/// Matches on a [`Data`] (or a reference to one) and runs the same expression for each element type, with `$v` bound
/// to the vector.
#[macro_export]
macro_rules! with_data {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            $crate::Data::Bool($v) => $body,
            $crate::Data::I8($v) => $body,
            $crate::Data::I16($v) => $body,
            $crate::Data::I32($v) => $body,
            $crate::Data::I64($v) => $body,
            $crate::Data::U8($v) => $body,
            $crate::Data::U16($v) => $body,
            $crate::Data::U32($v) => $body,
            $crate::Data::U64($v) => $body,
            $crate::Data::F16($v) => $body,
            $crate::Data::BF16($v) => $body,
            $crate::Data::F32($v) => $body,
            $crate::Data::F64($v) => $body,
            $crate::Data::C64($v) => $body,
            $crate::Data::C128($v) => $body,
        }
    };
}

/// Runs the same expression for each element type, with `$t` naming the Rust type.
#[macro_export]
macro_rules! with_dtype {
    ($dtype:expr, $t:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bool => {
                type $t = bool;
                $body
            }
            $crate::DType::I8 => {
                type $t = i8;
                $body
            }
            $crate::DType::I16 => {
                type $t = i16;
                $body
            }
            $crate::DType::I32 => {
                type $t = i32;
                $body
            }
            $crate::DType::I64 => {
                type $t = i64;
                $body
            }
            $crate::DType::U8 => {
                type $t = u8;
                $body
            }
            $crate::DType::U16 => {
                type $t = u16;
                $body
            }
            $crate::DType::U32 => {
                type $t = u32;
                $body
            }
            $crate::DType::U64 => {
                type $t = u64;
                $body
            }
            $crate::DType::F16 => {
                type $t = $crate::f16;
                $body
            }
            $crate::DType::BF16 => {
                type $t = $crate::bf16;
                $body
            }
            $crate::DType::F32 => {
                type $t = f32;
                $body
            }
            $crate::DType::F64 => {
                type $t = f64;
                $body
            }
            $crate::DType::C64 => {
                type $t = $crate::Complex<f32>;
                $body
            }
            $crate::DType::C128 => {
                type $t = $crate::Complex<f64>;
                $body
            }
        }
    };
}

/// A Rust type that is an element type.
pub trait Element: Copy + Send + Sync + fmt::Debug + PartialEq + Default + 'static {
    /// Its element type.
    const DTYPE: DType;
    /// A vector of these as data.
    fn wrap(v: Vec<Self>) -> Data;
    /// The vector, if the data has this element type.
    fn unwrap(d: &Data) -> Option<&Vec<Self>>;
    /// The vector, if the data has this element type.
    fn unwrap_mut(d: &mut Data) -> Option<&mut Vec<Self>>;
    /// One element.
    fn scalar(self) -> Scalar;
    /// This number in this element type: rounded, wrapped or cut as `as` does.
    fn from_f64(x: f64) -> Self;
    /// This integer in this element type, wrapping.
    fn from_i64(x: i64) -> Self;
    /// Bits, zero-extended: equal bits mean the same value.
    fn bits(self) -> u128;
    /// The element with these bits; bits beyond its width do not count.
    fn from_bits(bits: u128) -> Self;
}

macro_rules! data {
    ($(($v:ident, $t:ty))*) => {
        /// The elements of a tensor, in row-major order.
        #[derive(Clone, Debug)]
        #[allow(missing_docs)]
        pub enum Data { $($v(Vec<$t>),)* }

        /// One element, with its type.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum Scalar { $($v($t),)* }

        impl Data {
            /// The element type.
            pub fn dtype(&self) -> DType {
                match self { $(Data::$v(_) => DType::$v,)* }
            }
            /// `n` zeros.
            pub fn zeros(dtype: DType, n: usize) -> Data {
                match dtype { $(DType::$v => Data::$v(vec![<$t>::default(); n]),)* }
            }
            /// The element at a flat position.
            pub fn get(&self, i: usize) -> Scalar {
                match self { $(Data::$v(v) => Scalar::$v(v[i]),)* }
            }
        }

        impl Scalar {
            /// The element type.
            pub fn dtype(self) -> DType {
                match self { $(Scalar::$v(_) => DType::$v,)* }
            }
            /// `n` copies.
            pub fn repeat(self, n: usize) -> Data {
                match self { $(Scalar::$v(x) => Data::$v(vec![x; n]),)* }
            }
            /// This number in this element type.
            pub fn from_f64(dtype: DType, x: f64) -> Scalar {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_f64(x)),)* }
            }
            /// This integer in this element type, wrapping.
            pub fn from_i64(dtype: DType, x: i64) -> Scalar {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_i64(x)),)* }
            }
            /// Bits, zero-extended.
            pub fn bits(self) -> u128 {
                match self { $(Scalar::$v(x) => x.bits(),)* }
            }
            /// The element with these bits; bits beyond its width do not count.
            pub fn from_bits(dtype: DType, bits: u128) -> Scalar {
                match dtype { $(DType::$v => Scalar::$v(<$t as Element>::from_bits(bits)),)* }
            }
        }
    };
}
for_each_dtype!(data);

macro_rules! element {
    ($v:ident, $t:ty, |$x:ident| $f:expr, |$i:ident| $int:expr, |$b:ident| $bits:expr, |$u:ident| $from:expr) => {
        impl Element for $t {
            const DTYPE: DType = DType::$v;
            fn wrap(v: Vec<Self>) -> Data {
                Data::$v(v)
            }
            fn unwrap(d: &Data) -> Option<&Vec<Self>> {
                if let Data::$v(v) = d { Some(v) } else { None }
            }
            fn unwrap_mut(d: &mut Data) -> Option<&mut Vec<Self>> {
                if let Data::$v(v) = d { Some(v) } else { None }
            }
            fn scalar(self) -> Scalar {
                Scalar::$v(self)
            }
            fn from_f64($x: f64) -> Self {
                $f
            }
            fn from_i64($i: i64) -> Self {
                $int
            }
            fn bits(self) -> u128 {
                let $b = self;
                ($bits) as u128
            }
            fn from_bits($u: u128) -> Self {
                $from
            }
        }
    };
}
element!(Bool, bool, |x| x != 0.0, |i| i != 0, |b| b, |u| u & 1 == 1);

macro_rules! integers {
    ($(($v:ident, $t:ty, $unsigned:ty))*) => {
        $(element!($v, $t, |x| x as $t, |i| i as $t, |b| b as $unsigned, |u| u as $t);)*
    };
}
integers! { (I8, i8, u8) (I16, i16, u16) (I32, i32, u32) (I64, i64, u64) (U8, u8, u8) (U16, u16, u16) (U32, u32, u32)
(U64, u64, u64) }

macro_rules! floats {
    ($(($v:ident, $t:ty, $bits:ty, |$x:ident| $round:expr, |$i:ident| $int:expr))*) => {
        $(element!($v, $t, |$x| $round, |$i| $int, |b| b.to_bits(), |u| <$t>::from_bits(u as $bits));)*
    };
}
floats! {
    (F16, f16, u16, |x| f16::from_f32(to_odd(x)), |i| f16::from_f32(to_odd(i as f64)))
    (BF16, bf16, u16, |x| bf16::from_f32(to_odd(x)), |i| bf16::from_f32(to_odd(i as f64)))
    (F32, f32, u32, |x| x as f32, |i| i as f32)
    (F64, f64, u64, |x| x, |i| i as f64)
}

macro_rules! complex {
    ($(($v:ident, $t:ty, $width:expr))*) => {
        $(element!(
            $v, Complex<$t>,
            |x| Complex::new(x as $t, 0.0),
            |i| Complex::new(i as $t, 0.0),
            |b| b.re.bits() << $width | b.im.bits(),
            |u| Complex::new(Element::from_bits(u >> $width), Element::from_bits(u))
        );)*
    };
}
complex! { (C64, f32, 32) (C128, f64, 64) }

/// The neighbour in `f32` with an odd last bit, unless exact: rounding that to a shorter type gives the nearest of `x`.
fn to_odd(x: f64) -> f32 {
    let y = x as f32;
    let (bits, distance) = (y.to_bits(), y.abs() as f64 - x.abs());
    match bits & 1 == 0 {
        true if distance > 0.0 => f32::from_bits(bits - 1),
        true if distance < 0.0 => f32::from_bits(bits + 1),
        _ => y,
    }
}

impl Data {
    /// The number of elements stored.
    pub fn len(&self) -> usize {
        with_data!(self, v => v.len())
    }

    /// Whether no element is stored.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether both hold the same elements, bit by bit.
    pub fn same_bits(&self, other: &Data) -> bool {
        fn same<T: Element>(v: &[T], other: &Data) -> bool {
            T::unwrap(other).is_some_and(|w| v.len() == w.len() && v.iter().zip(w).all(|(x, y)| x.bits() == y.bits()))
        }
        with_data!(self, v => same(v, other))
    }
}

impl Scalar {
    /// The real number, if the type is real.
    pub fn as_f64(self) -> Option<f64> {
        Some(match self {
            Scalar::Bool(x) => x as u8 as f64,
            Scalar::I8(x) => x as f64,
            Scalar::I16(x) => x as f64,
            Scalar::I32(x) => x as f64,
            Scalar::I64(x) => x as f64,
            Scalar::U8(x) => x as f64,
            Scalar::U16(x) => x as f64,
            Scalar::U32(x) => x as f64,
            Scalar::U64(x) => x as f64,
            Scalar::F16(x) => x.to_f64(),
            Scalar::BF16(x) => x.to_f64(),
            Scalar::F32(x) => x as f64,
            Scalar::F64(x) => x,
            Scalar::C64(_) | Scalar::C128(_) => return None,
        })
    }

    /// The integer, if the type is an integer or `bool` and the value fits.
    pub fn as_i64(self) -> Option<i64> {
        Some(match self {
            Scalar::Bool(x) => x as i64,
            Scalar::I8(x) => x as i64,
            Scalar::I16(x) => x as i64,
            Scalar::I32(x) => x as i64,
            Scalar::I64(x) => x,
            Scalar::U8(x) => x as i64,
            Scalar::U16(x) => x as i64,
            Scalar::U32(x) => x as i64,
            Scalar::U64(x) => i64::try_from(x).ok()?,
            _ => return None,
        })
    }

    /// The integer, if the type is an integer or `bool`.
    pub fn as_i128(self) -> Option<i128> {
        match self {
            Scalar::U64(x) => Some(x.into()),
            s => s.as_i64().map(i128::from),
        }
    }

    /// Both parts; the imaginary part of a real number is zero.
    pub fn as_complex(self) -> Complex<f64> {
        match self {
            Scalar::C64(c) => Complex::new(c.re as f64, c.im as f64),
            Scalar::C128(c) => c,
            s => Complex::new(s.as_f64().unwrap_or(f64::NAN), 0.0),
        }
    }

    /// A complex number in a complex element type; in a real one, its real part.
    pub fn from_complex(dtype: DType, c: Complex<f64>) -> Scalar {
        match dtype {
            DType::C64 => Scalar::C64(Complex::new(c.re as f32, c.im as f32)),
            DType::C128 => Scalar::C128(c),
            d => Scalar::from_f64(d, c.re),
        }
    }
}

impl PartialEq for Scalar {
    /// Same type and same bits.
    fn eq(&self, other: &Scalar) -> bool {
        self.dtype() == other.dtype() && self.bits() == other.bits()
    }
}
impl Eq for Scalar {}

impl Hash for Scalar {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.dtype().hash(h);
        self.bits().hash(h);
    }
}

/// An array on the host, dense or one value repeated. A cheap handle: clones share the elements.
#[derive(Clone)]
pub struct Tensor {
    shape: Shape,
    data: Arc<Data>,
    splat: bool,
}

impl Tensor {
    /// A tensor of these elements in row-major order.
    pub fn new<T: Element>(shape: impl Into<Shape>, elements: Vec<T>) -> Result<Tensor> {
        Tensor::from_data(shape, T::wrap(elements))
    }

    /// A tensor of this data in row-major order.
    pub fn from_data(shape: impl Into<Shape>, data: Data) -> Result<Tensor> {
        let shape = shape.into();
        if shape.size() != data.len() {
            return Err(Error::shape(format!(
                "{} elements do not fill the shape {shape}, which has {}",
                data.len(),
                shape.size()
            )));
        }
        Ok(Tensor { shape, data: Arc::new(data), splat: false })
    }

    /// A scalar.
    pub fn scalar<T: Element>(x: T) -> Tensor {
        Tensor::splat(Shape::scalar(), x.scalar())
    }

    /// One value repeated over a shape; takes the memory of one element.
    pub fn splat(shape: impl Into<Shape>, value: Scalar) -> Tensor {
        Tensor { shape: shape.into(), data: Arc::new(value.repeat(1)), splat: true }
    }

    /// Zeros.
    pub fn zeros(ty: &Type) -> Tensor {
        Tensor::splat(ty.shape.clone(), Scalar::from_i64(ty.dtype, 0))
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.data.dtype()
    }

    /// The type.
    pub fn ty(&self) -> Type {
        Type { dtype: self.dtype(), shape: self.shape.clone() }
    }

    /// The number of elements.
    pub fn size(&self) -> usize {
        self.shape.size()
    }

    /// The repeated value, if this is one value repeated (every scalar is).
    pub fn splat_value(&self) -> Option<Scalar> {
        (self.splat || (self.shape.rank() == 0)).then(|| self.data.get(0))
    }

    /// The elements as stored: all of them, or one where [`Tensor::splat_value`] is given.
    pub fn stored(&self) -> &Data {
        &self.data
    }

    /// All elements in row-major order, spelled out.
    pub fn dense(&self) -> Tensor {
        if !self.splat || self.size() == 1 {
            return Tensor { splat: false, ..self.clone() };
        }
        Tensor { shape: self.shape.clone(), data: Arc::new(self.data.get(0).repeat(self.size())), splat: false }
    }

    /// All elements in row-major order, copied only if shared or repeated.
    pub fn into_data(self) -> Data {
        let dense = if self.splat { self.dense() } else { self };
        Arc::try_unwrap(dense.data).unwrap_or_else(|shared| (*shared).clone())
    }

    /// The elements to write in place, if nothing else shares them and they are spelled out.
    pub fn data_mut(&mut self) -> Option<&mut Data> {
        if self.splat {
            return None;
        }
        Arc::get_mut(&mut self.data)
    }

    /// The elements as a vector, if they have this type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let v = T::unwrap(&self.data)
            .ok_or_else(|| Error::dtype(format!("elements of type {} were asked for as {}", self.dtype(), T::DTYPE)))?;
        Ok(if self.splat { vec![v[0]; self.size()] } else { v.clone() })
    }

    /// The element at a flat position.
    pub fn get(&self, i: usize) -> Scalar {
        self.data.get(if self.splat { 0 } else { i })
    }

    /// The same elements under another shape of the same size.
    pub fn reshaped(&self, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        assert_eq!(shape.size(), self.size(), "reshape of {} to {shape}", self.shape);
        Tensor { shape, ..self.clone() }
    }

    /// Whether both share the same stored elements.
    pub fn same_storage(&self, other: &Tensor) -> bool {
        Arc::ptr_eq(&self.data, &other.data) && self.splat == other.splat
    }

    /// A handle that keeps the address of the stored elements from being used again, and not the elements.
    pub fn weak_storage(&self) -> Weak<Data> {
        Arc::downgrade(&self.data)
    }

    /// The address of the stored elements, as an identity while this handle lives.
    pub fn storage_id(&self) -> usize {
        Arc::as_ptr(&self.data) as usize
    }
}

impl PartialEq for Tensor {
    /// Same type, same representation and the same bits.
    fn eq(&self, other: &Tensor) -> bool {
        self.shape == other.shape
            && self.dtype() == other.dtype()
            && self.splat_value().is_some() == other.splat_value().is_some()
            && (Arc::ptr_eq(&self.data, &other.data) || self.data.same_bits(&other.data))
    }
}
impl Eq for Tensor {}

impl Hash for Tensor {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.shape.hash(h);
        self.dtype().hash(h);
        // A few elements tell most constants apart cheaply; equality reads them all.
        let n = self.data.len();
        for i in (0..n).step_by((n / 16).max(1)) {
            self.data.get(i).bits().hash(h);
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}>", self.ty())?;
        match self.splat_value() {
            Some(s) => write!(f, "({s:?})"),
            None => f.debug_list().entries((0..self.size().min(16)).map(|i| self.get(i))).finish(),
        }
    }
}
