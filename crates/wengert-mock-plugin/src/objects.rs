//! What the plugin hands out: errors, events, buffers. All are counted, so that a test can tell whether all came back.

use crate::ffi;
use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicBool, AtomicIsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Objects handed out and not yet given back.
pub static LIVE: AtomicIsize = AtomicIsize::new(0);

/// Hands an object out.
pub fn give<T, C>(object: T) -> *mut C {
    LIVE.fetch_add(1, Ordering::SeqCst);
    Box::into_raw(Box::new(object)).cast()
}

/// Takes an object back.
///
/// # Safety
/// The pointer is null or came from [`give`] of this type, and is not used again.
pub unsafe fn take<T, C>(pointer: *mut C) {
    if !pointer.is_null() {
        LIVE.fetch_sub(1, Ordering::SeqCst);
        // SAFETY: the caller's.
        drop(unsafe { Box::from_raw(pointer.cast::<T>()) });
    }
}

/// An object that was handed out.
///
/// # Safety
/// The pointer came from [`give`] of this type, and lives through `'a`.
pub unsafe fn object<'a, T, C>(pointer: *const C) -> &'a T {
    // SAFETY: the caller's.
    unsafe { &*pointer.cast::<T>() }
}

/// What went wrong: a code of absl's list, and words.
#[derive(Clone, Debug)]
pub struct Fault(pub c_int, pub String);

/// What an entry answers.
pub type Answer<T = ()> = Result<T, Fault>;

type Callback = unsafe extern "C" fn(*mut ffi::Error, *mut c_void);

/// Something that will have happened.
#[derive(Default)]
pub struct Promise {
    state: Mutex<State>,
    happened: Condvar,
}

#[derive(Default)]
struct State {
    outcome: Option<Answer>,
    callbacks: Vec<(Callback, usize)>,
}

impl Promise {
    /// One that has happened.
    pub fn kept(outcome: Answer) -> Arc<Promise> {
        let promise = Arc::new(Promise::default());
        promise.set(outcome);
        promise
    }

    /// One that happens on another thread after a while.
    pub fn later(outcome: Answer, delay: Duration) -> Arc<Promise> {
        let promise = Arc::new(Promise::default());
        let same = promise.clone();
        std::thread::spawn(move || {
            std::thread::sleep(delay);
            same.set(outcome);
        });
        promise
    }

    fn set(&self, outcome: Answer) {
        let mut state = self.state.lock().expect("no panics");
        state.outcome = Some(outcome.clone());
        let callbacks = std::mem::take(&mut state.callbacks);
        drop(state);
        self.happened.notify_all();
        for (callback, argument) in callbacks {
            // SAFETY: whoever gave the callback promised that it may be called with its argument.
            unsafe { callback(error(outcome.clone()), argument as *mut c_void) };
        }
    }

    pub fn is_ready(&self) -> bool {
        self.state.lock().expect("no panics").outcome.is_some()
    }

    pub fn wait(&self) -> Answer {
        let state = self.state.lock().expect("no panics");
        let state = self.happened.wait_while(state, |s| s.outcome.is_none()).expect("no panics");
        state.outcome.clone().expect("waited for")
    }

    pub fn on_ready(&self, callback: Callback, argument: *mut c_void) {
        let mut state = self.state.lock().expect("no panics");
        match state.outcome.clone() {
            None => state.callbacks.push((callback, argument as usize)),
            Some(outcome) => {
                drop(state);
                // SAFETY: as in `set`.
                unsafe { callback(error(outcome), argument) };
            }
        }
    }
}

/// The pointer an entry returns.
pub fn error(answer: Answer) -> *mut ffi::Error {
    match answer {
        Ok(()) => std::ptr::null_mut(),
        Err(fault) => give(fault),
    }
}

/// An array.
#[derive(Clone)]
pub struct Array {
    pub element: c_int,
    pub dims: Vec<i64>,
    pub bytes: Arc<[u8]>,
    pub ready: Arc<Promise>,
}

/// An array on a device, until it is donated.
pub struct Buffer {
    pub array: Array,
    pub device: usize,
    pub deleted: AtomicBool,
}

impl Buffer {
    pub fn new(array: Array, device: usize) -> Buffer {
        Buffer { array, device, deleted: AtomicBool::new(false) }
    }

    /// The array, unless it was given away.
    pub fn array(&self) -> Answer<&Array> {
        match self.deleted.load(Ordering::SeqCst) {
            true => Err(Fault(3, "the buffer was deleted or donated".into())),
            false => Ok(&self.array),
        }
    }
}
