//! The named axes that are open on a thread.

use crate::set_aside::SetAsideList;
use std::cell::RefCell;
use std::sync::Arc;

/// A named axis and its size.
pub(crate) type Axis = (Arc<str>, usize);

thread_local! {
    static AXES: RefCell<Vec<Axis>> = const { RefCell::new(Vec::new()) };
}

/// The axes that enclosing transforms on this thread name.
pub(crate) fn axes() -> Vec<Axis> {
    AXES.try_with(|a| a.borrow().clone()).unwrap_or_default()
}

/// Whether there are some.
pub(crate) fn named_here() -> bool {
    AXES.try_with(|a| !a.borrow().is_empty()).unwrap_or(false)
}

/// These axes, set aside until this is dropped.
pub(crate) fn set_aside() -> SetAsideList<Axis> {
    SetAsideList::new(&AXES)
}

/// Runs a function with a named axis around it.
pub(crate) fn with_axis<T>(axis: Option<Axis>, f: impl FnOnce() -> T) -> T {
    struct Scope(usize);
    impl Drop for Scope {
        fn drop(&mut self) {
            AXES.with_borrow_mut(|a| a.truncate(self.0));
        }
    }
    let _scope = Scope(AXES.with_borrow(Vec::len));
    AXES.with_borrow_mut(|a| a.extend(axis));
    f()
}

/// The innermost axis of this name.
pub(crate) fn innermost(name: &str) -> Option<Axis> {
    AXES.try_with(|a| a.borrow().iter().rev().find(|(n, _)| **n == *name).cloned()).ok().flatten()
}
