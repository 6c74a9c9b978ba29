//! Memory that a kernel needs while it runs, from the pool: pages that were touched before cost nothing.

use std::ops::{Deref, DerefMut};
use wengert_core::{Element, Tensor, Type};

/// So many elements, of any value at first.
pub(crate) struct Scratch<T>(Tensor, std::marker::PhantomData<T>);

impl<T: Element> Scratch<T> {
    pub(crate) fn new(count: usize) -> Scratch<T> {
        Scratch(Tensor::room(&Type::new(T::DTYPE, [count])), std::marker::PhantomData)
    }

    /// One element for each of so many numbers.
    pub(crate) fn of(values: impl ExactSizeIterator<Item = T>) -> Scratch<T> {
        let mut all = Scratch::new(values.len());
        all.iter_mut().zip(values).for_each(|(y, x)| *y = x);
        all
    }
}

impl<T: Element> Deref for Scratch<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.0.view().elements()
    }
}

impl<T: Element> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        let mut view = self.0.view_mut().expect("nothing shares it");
        let elements = view.elements::<T>();
        // SAFETY: the elements live as long as the tensor, which is borrowed as long.
        unsafe { std::slice::from_raw_parts_mut(elements.as_mut_ptr(), elements.len()) }
    }
}
