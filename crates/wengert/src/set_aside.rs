//! What is open on a thread, and how it is put out of sight for a while.

use std::cell::RefCell;
use std::mem::ManuallyDrop;
use std::thread::LocalKey;

/// What is open on a thread, the innermost last. It has no destructor, so that it is there as long as the thread is: while that
/// ends, destructors of what is its own may trace and compute. It holds nothing by then, not even memory.
pub(crate) struct OpenList<T>(ManuallyDrop<RefCell<Vec<T>>>);

impl<T> OpenList<T> {
    pub(crate) const fn new() -> OpenList<T> {
        OpenList(ManuallyDrop::new(RefCell::new(Vec::new())))
    }

    pub(crate) fn see<R>(&self, f: impl FnOnce(&[T]) -> R) -> R {
        f(&self.0.borrow())
    }

    pub(crate) fn change<R>(&self, f: impl FnOnce(&mut Vec<T>) -> R) -> R {
        let mut list = self.0.borrow_mut();
        let y = f(&mut list);
        if list.is_empty() {
            *list = Vec::new();
        }
        y
    }
}

/// A list of this thread, set aside until this is dropped.
pub(crate) struct SetAsideList<T: 'static> {
    list: &'static LocalKey<OpenList<T>>,
    held: Vec<T>,
}

impl<T> SetAsideList<T> {
    pub(crate) fn new(list: &'static LocalKey<OpenList<T>>) -> SetAsideList<T> {
        SetAsideList { list, held: list.with(|l| l.change(std::mem::take)) }
    }
}

impl<T> Drop for SetAsideList<T> {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.list.with(|l| l.change(|l| l.extend(held)));
    }
}
