//! An array on the host: a handle on elements in a block of the pool.

use super::block::Block;
use super::element::{Element, Scalar};
use super::id::Id;
use super::view::{View, ViewMut};
use crate::error::{Error, ErrorKind, Result};
use crate::types::{DType, Shape, Type};
use crate::{with_dtype, with_elements};
use num_complex::Complex;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Weak};

/// An array on the host, dense or one value repeated. A cheap handle: clones share the elements.
///
/// A value has an identity ([`Tensor::id`]), which its clones share and a write changes.
#[derive(Clone)]
pub struct Tensor {
    shape: Shape,
    dtype: DType,
    /// A splat: one value repeated over the shape.
    splat: bool,
    id: Id,
    storage: Storage,
}

#[derive(Clone)]
enum Storage {
    /// One element, in the handle itself.
    OneElement(OneElement),
    /// Elements in a block, from this byte on.
    Many(Arc<Block>, usize),
}

/// Room for one element of any type.
#[derive(Clone, Copy)]
#[repr(align(16))]
struct OneElement([u8; 16]);

impl Storage {
    fn one(value: Scalar) -> Storage {
        let mut one = OneElement([0; 16]);
        // SAFETY: it has room for any element, aligned for all of them.
        with_dtype!(value.dtype(), T => unsafe { one.0.as_mut_ptr().cast::<T>().write(value.element()) });
        Storage::OneElement(one)
    }

    /// Room for this many elements, which hold something; none if there is no memory for them.
    fn room(dtype: DType, count: usize) -> Option<Storage> {
        if count == 1 {
            return Some(Storage::OneElement(OneElement([0; 16])));
        }
        let bytes = dtype.bytes_of(count).filter(|&bytes| bytes <= isize::MAX as usize)?;
        let block = Block::new(bytes)?;
        if dtype == DType::Bool {
            // What was there before may be no boolean.
            // SAFETY: the block is new and has this many bytes.
            unsafe { block.start().as_ptr().write_bytes(0, bytes) };
        }
        Some(Storage::Many(Arc::new(block), 0))
    }

    fn start(&self) -> *const u8 {
        match self {
            Storage::OneElement(one) => one.0.as_ptr(),
            // SAFETY: offsets lie in their block.
            Storage::Many(block, offset) => unsafe { block.start().as_ptr().add(*offset) },
        }
    }

    /// Where it can be written, if nothing else shares it.
    fn start_mut(&mut self) -> Option<*mut u8> {
        match self {
            Storage::OneElement(one) => Some(one.0.as_mut_ptr()),
            // SAFETY: offsets lie in their block.
            Storage::Many(block, offset) => Arc::get_mut(block).map(|b| unsafe { b.start().as_ptr().add(*offset) }),
        }
    }
}

impl Tensor {
    /// A tensor of these elements in row-major order.
    pub fn new<T: Element>(shape: impl Into<Shape>, elements: Vec<T>) -> Result<Tensor> {
        Tensor::from_slice(shape, &elements)
    }

    /// A tensor of copies of these elements in row-major order.
    pub fn from_slice<T: Element>(shape: impl Into<Shape>, elements: &[T]) -> Result<Tensor> {
        let shape = shape.into();
        if shape.size() != elements.len() {
            return Err(Error::shape(format!(
                "{} elements do not fill the shape {shape}, which has {}",
                elements.len(),
                shape.size()
            )));
        }
        Ok(Tensor::write(shape, |room| room.copy_from_slice(elements)))
    }

    /// A tensor of the elements that `write` puts into the room it is given, in row-major order.
    pub fn write<T: Element>(shape: impl Into<Shape>, write: impl FnOnce(&mut [T])) -> Tensor {
        let mut t = Tensor::room(&Type::new(T::DTYPE, shape));
        write(t.view_mut().expect("nothing shares it").elements());
        t
    }

    /// A tensor of this type whose elements are still to be written.
    ///
    /// # Panics
    /// If there is no memory for them.
    pub fn room(ty: &Type) -> Tensor {
        Tensor::try_room(ty).unwrap_or_else(|| panic!("this machine has no memory for an array of type {ty}"))
    }

    /// [`Tensor::room`], if there is memory for the elements.
    pub fn try_room(ty: &Type) -> Option<Tensor> {
        let storage = Storage::room(ty.dtype, ty.shape.size())?;
        Some(Tensor { shape: ty.shape.clone(), dtype: ty.dtype, splat: false, id: Id::new(), storage })
    }

    /// A tensor of this type whose element at each row-major position has these bits.
    pub fn from_bits(ty: &Type, mut bits: impl FnMut(usize) -> u128) -> Tensor {
        with_dtype!(ty.dtype, T => Tensor::write(ty.shape.clone(), |room: &mut [T]| {
            room.iter_mut().enumerate().for_each(|(i, x)| *x = <T as Element>::from_bits(bits(i)));
        }))
    }

    /// A scalar.
    pub fn scalar<T: Element>(x: T) -> Tensor {
        Tensor::splat(Shape::scalar(), x.scalar())
    }

    /// A splat: one value repeated over a shape, in the memory of one element.
    pub fn splat(shape: impl Into<Shape>, value: Scalar) -> Tensor {
        let (shape, dtype, storage) = (shape.into(), value.dtype(), Storage::one(value));
        Tensor { shape, dtype, splat: true, id: Id::new(), storage }
    }

    /// Zeros.
    pub fn zeros(ty: &Type) -> Tensor {
        Tensor::splat(ty.shape.clone(), Scalar::from_i64(ty.dtype, 0))
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The type.
    pub fn ty(&self) -> Type {
        Type { dtype: self.dtype, shape: self.shape.clone() }
    }

    /// Whether that is its type.
    #[inline]
    pub fn is_of(&self, ty: &Type) -> bool {
        self.dtype == ty.dtype && self.shape == ty.shape
    }

    /// The number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.shape.size()
    }

    /// The identity of the value: clones share it, a write changes it, and no other value ever has it.
    #[inline]
    pub fn id(&self) -> Id {
        self.id
    }

    /// The elements, for a kernel to read.
    #[inline]
    pub fn view(&self) -> View<'_> {
        // SAFETY: the elements are there for as long as the handle is borrowed, and only a handle that nothing shares is
        // written.
        unsafe { View::from_raw(self.dtype, &self.shape, self.splat, self.storage.start()) }
    }

    /// The room of the elements, for a kernel to write, if the tensor is dense and nothing else shares them. The value is
    /// another one from then on.
    #[inline]
    pub fn view_mut(&mut self) -> Option<ViewMut<'_>> {
        if self.splat && self.size() != 1 {
            return None;
        }
        let start = self.storage.start_mut()?;
        self.id = Id::new();
        self.splat = self.shape.rank() == 0;
        // SAFETY: nothing shares the memory, and the handle is borrowed for as long as the room lives.
        Some(unsafe { ViewMut::from_raw(self.dtype, &self.shape, start) })
    }

    /// Whether the tensor is dense and nothing else shares its elements: [`Tensor::view_mut`] would give them.
    #[inline]
    pub fn is_writable(&mut self) -> bool {
        (!self.splat || self.size() == 1) && self.storage.start_mut().is_some()
    }

    /// Whether it is a splat; every scalar is.
    #[inline]
    pub fn is_splat(&self) -> bool {
        self.splat || self.shape.rank() == 0
    }

    /// The repeated value, if this is a splat; every scalar is.
    #[inline]
    pub fn splat_value(&self) -> Option<Scalar> {
        self.is_splat().then(|| self.get(0))
    }

    /// The elements as stored: all of them, or one where [`Tensor::splat_value`] is given.
    ///
    /// # Panics
    /// If they have another type.
    #[inline]
    pub fn elements<T: Element>(&self) -> &[T] {
        self.view().elements()
    }

    /// The elements to write in place, if the tensor is dense and nothing else shares them.
    ///
    /// # Panics
    /// If they have another type.
    pub fn elements_mut<T: Element>(&mut self) -> Option<&mut [T]> {
        let (start, count) = self.view_mut().map(|mut v| (v.elements::<T>().as_mut_ptr(), v.size()))?;
        // SAFETY: the room of `view_mut`, for as long as the handle is borrowed.
        Some(unsafe { std::slice::from_raw_parts_mut(start, count) })
    }

    /// The bytes of the elements as stored.
    pub fn stored_bytes(&self) -> usize {
        self.dtype.bytes_of(if self.is_splat() { 1 } else { self.size() }).expect("they are there")
    }

    /// The tensor with all elements stored, in row-major order.
    pub fn dense(&self) -> Tensor {
        if !self.splat || self.size() == 1 {
            return Tensor { splat: false, ..self.clone() };
        }
        let mut t = Tensor::room(&self.ty());
        t.view_mut().expect("nothing shares it").copy_from(self.view());
        t
    }

    /// The elements as a vector, if they have this type.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if self.dtype != T::DTYPE {
            let m = format!("elements of type {} were asked for as {}", self.dtype, T::DTYPE);
            return Err(Error::dtype(m));
        }
        let v = self.elements::<T>();
        let mut all = Vec::new();
        let no_room = |_| {
            Error::new(
                ErrorKind::OutOfMemory,
                format!("this machine has no memory for the elements of an array of type {}", self.ty()),
            )
        };
        all.try_reserve_exact(self.size()).map_err(no_room)?;
        if self.is_splat() {
            all.resize(self.size(), v[0])
        } else {
            all.extend_from_slice(v)
        }
        Ok(all)
    }

    /// The elements as stored ([`Tensor::elements`]), of any type, as complex numbers: many at once take less time than each by
    /// [`Tensor::get`].
    pub fn as_complex(&self) -> Vec<Complex<f64>> {
        with_elements!(*self, v => v.iter().map(|x| x.scalar().as_complex()).collect())
    }

    /// A tensor of this type of as many numbers; of a real type, of their real parts.
    ///
    /// # Panics
    /// If there are not as many as it has elements.
    pub fn from_complex(ty: &Type, numbers: &[Complex<f64>]) -> Tensor {
        assert_eq!(ty.shape.size(), numbers.len(), "the elements of {ty}");
        with_dtype!(ty.dtype, T => Tensor::write(ty.shape.clone(), |room: &mut [T]| {
            room.iter_mut().zip(numbers).for_each(|(x, c)| *x = Scalar::from_complex(T::DTYPE, *c).element());
        }))
    }

    /// The element at a flat position.
    #[inline]
    pub fn get(&self, i: usize) -> Scalar {
        self.view().get(i)
    }

    /// The same elements under another shape of the same size: another value.
    pub fn reshaped(&self, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        if shape == self.shape {
            return self.clone();
        }
        assert_eq!(shape.size(), self.size(), "reshape of {} to {shape}", self.shape);
        Tensor { shape, id: Id::new(), ..self.clone() }
    }

    /// [`Tensor::reshaped`] of a handle that is given away: elements that nothing else shared stay so.
    pub fn into_reshaped(mut self, shape: impl Into<Shape>) -> Tensor {
        let shape = shape.into();
        if shape != self.shape {
            assert_eq!(shape.size(), self.size(), "reshape of {} to {shape}", self.shape);
            (self.shape, self.id) = (shape, Id::new());
        }
        self
    }

    /// The slice at `i` of the leading axis: a handle on a part of the same memory.
    ///
    /// # Panics
    /// If there is no such slice.
    pub fn leading_slice(&self, i: usize) -> Tensor {
        assert!(self.shape.first().is_some_and(|&n| i < n), "slice {i} of the shape {}", self.shape);
        let shape = self.shape.without_axes(&[0]);
        if let Some(s) = self.splat_value() {
            return Tensor::splat(shape, s);
        }
        let count = shape.size();
        let storage = match &self.storage {
            Storage::Many(block, offset) if count != 1 => {
                let skipped = self.dtype.bytes_of(i * count).expect("in the array");
                Storage::Many(block.clone(), offset + skipped)
            }
            _ => Storage::one(self.get(i * count)),
        };
        Tensor { shape, dtype: self.dtype, splat: false, id: Id::new(), storage }
    }

    /// Whether both share the same stored elements.
    pub fn same_storage(&self, other: &Tensor) -> bool {
        match (&self.storage, &other.storage) {
            (Storage::Many(a, i), Storage::Many(b, j)) => Arc::ptr_eq(a, b) && i == j,
            _ => self.id == other.id,
        }
    }

    /// Whether both have the same type and all elements the same bits, dense or splat.
    pub fn same_bits(&self, other: &Tensor) -> bool {
        if self.dtype != other.dtype || self.shape != other.shape {
            return false;
        }
        if self.size() == 0 || self.same_storage(other) {
            return true;
        }
        match (self.splat_value(), other.splat_value()) {
            (Some(x), Some(y)) => x == y,
            (Some(x), None) => with_elements!(*other, v => v.iter().all(|y| y.bits() == x.bits())),
            (None, Some(y)) => with_elements!(*self, v => v.iter().all(|x| x.bits() == y.bits())),
            (None, None) => self.raw() == other.raw(),
        }
    }

    /// A handle that does not keep the elements alive; none where they lie in the handle itself.
    pub fn weak(&self) -> Option<Weak<Block>> {
        match &self.storage {
            Storage::OneElement(_) => None,
            Storage::Many(block, _) => Some(Arc::downgrade(block)),
        }
    }

    /// The bytes of the elements as stored, in the machine's order.
    pub fn raw(&self) -> &[u8] {
        // SAFETY: elements are plain, and all their bytes are initialized.
        unsafe { std::slice::from_raw_parts(self.storage.start(), self.stored_bytes()) }
    }
}

impl PartialEq for Tensor {
    /// Same type, same representation and the same bits.
    fn eq(&self, other: &Tensor) -> bool {
        self.is_splat() == other.is_splat() && self.same_bits(other)
    }
}
impl Eq for Tensor {}

impl Hash for Tensor {
    fn hash<H: Hasher>(&self, h: &mut H) {
        self.shape.hash(h);
        self.dtype.hash(h);
        // A few elements tell most constants apart cheaply; equality reads them all. What is repeated no times is not
        // told apart.
        let n = if self.is_splat() { self.size().min(1) } else { self.size() };
        for i in (0..n).step_by((n / 16).max(1)) {
            self.get(i).bits().hash(h);
        }
    }
}
