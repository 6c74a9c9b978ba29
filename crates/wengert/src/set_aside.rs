//! What is open on a thread, put out of sight for a while.

use std::cell::RefCell;
use std::thread::LocalKey;

/// A list of this thread, set aside until this is dropped.
pub(crate) struct SetAsideList<T: 'static> {
    list: &'static LocalKey<RefCell<Vec<T>>>,
    held: Vec<T>,
}

impl<T> SetAsideList<T> {
    pub(crate) fn new(list: &'static LocalKey<RefCell<Vec<T>>>) -> SetAsideList<T> {
        SetAsideList { list, held: list.take() }
    }
}

impl<T> Drop for SetAsideList<T> {
    fn drop(&mut self) {
        let held = std::mem::take(&mut self.held);
        self.list.with_borrow_mut(|list| list.extend(held));
    }
}
