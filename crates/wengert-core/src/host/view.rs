//! Memory as kernels are given it: elements to read ([`View`]), and room for elements to write ([`ViewMut`]).

use super::element::{Element, Scalar};
use crate::types::{DType, Shape, Type};
use crate::with_dtype;
use std::marker::PhantomData;
use std::sync::OnceLock;

/// Elements of an array in row-major order, dense or one value repeated: what kernels read.
#[derive(Clone, Copy)]
pub struct View<'a> {
    dtype: DType,
    shape: &'a Shape,
    splat: bool,
    start: *const u8,
    borrowed: PhantomData<&'a [u8]>,
}

/// Room for the elements of an array in row-major order: what kernels write. It holds anything before that.
///
/// It may be the memory of an operand that the op may overwrite ([`ViewMut::is`]); such a kernel reads that operand
/// before it writes.
pub struct ViewMut<'a> {
    dtype: DType,
    shape: &'a Shape,
    start: *mut u8,
    borrowed: PhantomData<&'a mut [u8]>,
}

// SAFETY: a view is a shared borrow of plain elements.
unsafe impl Send for View<'_> {}
// SAFETY: as above.
unsafe impl Sync for View<'_> {}
// SAFETY: room is an exclusive borrow of plain elements.
unsafe impl Send for ViewMut<'_> {}
// SAFETY: what is shared of it can only be asked for its type and place.
unsafe impl Sync for ViewMut<'_> {}

mod sealed {
    pub trait Sealed {}
}

/// An integer as wide as an element: what kernels move that only copy elements.
pub trait Word: Copy + Send + Sync + PartialEq + sealed::Sealed + 'static {}

macro_rules! words {
    ($($t:ty)*) => {$(
        impl sealed::Sealed for $t {}
        impl Word for $t {}
    )*};
}
words! { u8 u16 u32 u64 [u64; 2] }

/// Runs the same expression for each width of elements, with `$w` naming the [`Word`](crate::host::Word) of a
/// [`DType`](crate::DType).
#[macro_export]
macro_rules! with_word {
    ($dtype:expr, $w:ident => $body:expr) => {
        match $dtype.storage_bits() {
            8 => {
                type $w = u8;
                $body
            }
            16 => {
                type $w = u16;
                $body
            }
            32 => {
                type $w = u32;
                $body
            }
            64 => {
                type $w = u64;
                $body
            }
            _ => {
                type $w = [u64; 2];
                $body
            }
        }
    };
}

impl<'a> View<'a> {
    /// Elements that lie at this place.
    ///
    /// # Safety
    /// For as long as the view lives there are `shape.size()` elements of this type (or one, if it is repeated), and
    /// nothing writes them but through a [`ViewMut`] that [is](ViewMut::is) this view.
    #[inline]
    pub unsafe fn from_raw(dtype: DType, shape: &'a Shape, splat: bool, start: *const u8) -> View<'a> {
        View { dtype, shape, splat, start, borrowed: PhantomData }
    }

    /// These elements.
    ///
    /// # Panics
    /// If there are more or fewer than the shape has.
    pub fn of<T: Element>(shape: &'a Shape, elements: &'a [T]) -> View<'a> {
        assert_eq!(shape.size(), elements.len(), "elements of the shape {shape}");
        View { dtype: T::DTYPE, shape, splat: false, start: elements.as_ptr().cast(), borrowed: PhantomData }
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// Element type and shape.
    pub fn ty(&self) -> Type {
        Type { dtype: self.dtype, shape: self.shape.clone() }
    }

    /// The number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.shape.size()
    }

    /// Whether it is one value repeated; every scalar is.
    #[inline]
    pub fn is_splat(&self) -> bool {
        self.splat || self.shape.rank() == 0
    }

    /// The repeated value, if it is one.
    #[inline]
    pub fn splat_value(&self) -> Option<Scalar> {
        self.is_splat().then(|| self.get(0))
    }

    /// The elements as stored: all of them, or the one that is repeated.
    ///
    /// # Panics
    /// If they have another type.
    #[inline]
    pub fn elements<T: Element>(&self) -> &'a [T] {
        assert_eq!(self.dtype, T::DTYPE, "the type of the elements");
        let count = if self.is_splat() { 1 } else { self.size() };
        // SAFETY: as `from_raw` asks; all bytes are initialized, and booleans are 0 or 1.
        unsafe { std::slice::from_raw_parts(self.start.cast::<T>(), count) }
    }

    /// The elements as stored, by their bytes.
    ///
    /// # Panics
    /// If they have another width.
    #[inline]
    pub fn words<W: Word>(&self) -> &'a [W] {
        assert_eq!(self.dtype.storage_bits(), 8 * size_of::<W>(), "the width of the elements");
        let count = if self.is_splat() { 1 } else { self.size() };
        // SAFETY: as `from_raw` asks; elements of this width are aligned as words are, and all their bytes are initialized.
        unsafe { std::slice::from_raw_parts(self.start.cast::<W>(), count) }
    }

    /// The element at a row-major position.
    #[inline]
    pub fn get(&self, i: usize) -> Scalar {
        let i = if self.is_splat() { 0 } else { i };
        with_dtype!(self.dtype, T => self.elements::<T>()[i].scalar())
    }

    /// The value that is repeated, as a scalar.
    ///
    /// # Panics
    /// If none is.
    #[inline]
    pub fn as_scalar(&self) -> View<'a> {
        static SCALAR: OnceLock<Shape> = OnceLock::new();
        assert!(self.is_splat(), "one value repeated");
        View { shape: SCALAR.get_or_init(Shape::scalar), splat: true, ..*self }
    }

    /// The same elements under another shape of the same size.
    #[inline]
    pub fn reshaped<'b>(&self, shape: &'b Shape) -> View<'b>
    where
        'a: 'b,
    {
        assert_eq!(shape.size(), self.size(), "a view of shape {} as {shape}", self.shape);
        View { dtype: self.dtype, shape, splat: self.splat, start: self.start, borrowed: PhantomData }
    }

    /// Where the elements lie.
    #[inline]
    pub fn start(&self) -> *const u8 {
        self.start
    }
}

impl<'a> ViewMut<'a> {
    /// Room at this place.
    ///
    /// # Safety
    /// For as long as it lives there is initialized room for `shape.size()` elements of this type (booleans are 0 or 1),
    /// and nothing else reads or writes it, but for a view of an operand that the op may overwrite.
    #[inline]
    pub unsafe fn from_raw(dtype: DType, shape: &'a Shape, start: *mut u8) -> ViewMut<'a> {
        ViewMut { dtype, shape, start, borrowed: PhantomData }
    }

    /// The room of these elements.
    ///
    /// # Panics
    /// If there are more or fewer than the shape has.
    pub fn of<T: Element>(shape: &'a Shape, elements: &'a mut [T]) -> ViewMut<'a> {
        assert_eq!(shape.size(), elements.len(), "room of the shape {shape}");
        ViewMut { dtype: T::DTYPE, shape, start: elements.as_mut_ptr().cast(), borrowed: PhantomData }
    }

    /// The element type.
    #[inline]
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    #[inline]
    pub fn shape(&self) -> &'a Shape {
        self.shape
    }

    /// The number of elements.
    #[inline]
    pub fn size(&self) -> usize {
        self.shape.size()
    }

    /// The elements, to be written.
    ///
    /// # Panics
    /// If they have another type.
    #[inline]
    pub fn elements<T: Element>(&mut self) -> &mut [T] {
        assert_eq!(self.dtype, T::DTYPE, "the type of the elements");
        // SAFETY: as `from_raw` asks.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast::<T>(), self.size()) }
    }

    /// The elements by their bytes, to be written.
    ///
    /// # Safety
    /// What is written are the bytes of elements of this type.
    ///
    /// # Panics
    /// If they have another width.
    #[inline]
    pub unsafe fn words<W: Word>(&mut self) -> &mut [W] {
        assert_eq!(self.dtype.storage_bits(), 8 * size_of::<W>(), "the width of the elements");
        // SAFETY: as `from_raw` asks.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast::<W>(), self.size()) }
    }

    /// Reborrows the room.
    #[inline]
    pub fn again(&mut self) -> ViewMut<'_> {
        ViewMut { dtype: self.dtype, shape: self.shape, start: self.start, borrowed: PhantomData }
    }

    /// Whether this is the memory that a view is of.
    #[inline]
    pub fn is(&self, x: &View<'_>) -> bool {
        std::ptr::eq(self.start, x.start()) && !x.is_splat() && self.size() > 0
    }

    /// Where the room lies.
    #[inline]
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// Writes the elements of a view of this type and shape, unless they are here already.
    pub fn copy_from(&mut self, x: View<'_>) {
        if self.is(&x) {
            return;
        }
        assert_eq!(self.dtype, x.dtype(), "the type of the elements");
        with_word!(self.dtype, W => {
            // SAFETY: these are elements of the same type.
            let room = unsafe { self.words::<W>() };
            if x.is_splat() { room.fill(x.words::<W>()[0]) } else { room.copy_from_slice(x.words::<W>()) }
        });
    }
}
