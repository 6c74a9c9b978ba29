//! The named axes that are open on a thread.

use crate::set_aside::{OpenList, SetAsideList};
use std::sync::Arc;

/// A named axis and its size.
pub(crate) type Axis = (Arc<str>, usize);

thread_local! {
    static AXES: OpenList<Axis> = const { OpenList::new() };
}

/// The axes that enclosing transforms on this thread name.
pub(crate) fn axes() -> Vec<Axis> {
    AXES.with(|a| a.see(<[Axis]>::to_vec))
}

/// Whether there are some.
pub(crate) fn named_here() -> bool {
    AXES.with(|a| a.see(|a| !a.is_empty()))
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
            AXES.with(|a| a.change(|a| a.truncate(self.0)));
        }
    }
    let _scope = Scope(AXES.with(|a| a.see(<[Axis]>::len)));
    AXES.with(|a| a.change(|a| a.extend(axis)));
    f()
}

/// The innermost axis of this name.
pub(crate) fn innermost(name: &str) -> Option<Axis> {
    AXES.with(|a| a.see(|a| a.iter().rev().find(|(n, _)| **n == *name).cloned()))
}
