//! The table of a plugin's entries, and the one way to call an entry.

use crate::ffi::{self, Call};
use std::ffi::{c_char, c_int};
use std::path::Path;
use std::ptr::NonNull;
use wengert_core::{Error, ErrorKind, Result};

/// A plugin's table. Plugins are never unloaded, so it lives as long as the process.
#[derive(Clone, Copy)]
pub(crate) struct Api(NonNull<ffi::Table>);

// SAFETY: the table is not written after the plugin made it, and PJRT's entries may be called from any thread.
unsafe impl Send for Api {}
// SAFETY: as above.
unsafe impl Sync for Api {}

/// What a plugin reported: a code of absl's list, and its words.
pub(crate) struct Failure {
    pub(crate) code: c_int,
    pub(crate) message: String,
}

impl Api {
    /// The table a plugin gave, if these declarations can read it.
    ///
    /// # Safety
    /// `table` is null or what a plugin's `GetPjrtApi` gave.
    pub(crate) unsafe fn new(table: *const ffi::Table, path: &Path) -> Result<Api> {
        let plugin = |problem: String| Error::new(ErrorKind::Plugin, format!("{}: {problem}", path.display()));
        let Some(table) = NonNull::new(table.cast_mut()) else {
            return Err(plugin("the plugin gave no table of entries".into())
                .note("what to do: install the plugin again; it may have been built for another machine"));
        };
        // SAFETY: every version of the table starts with its size; the version is read only if the size covers it.
        let size = unsafe { table.as_ref().struct_size };
        if size < size_of::<ffi::Table>() {
            return Err(plugin(format!("the plugin's table of entries has {size} bytes, too few to hold a version"))
                .note("what to do: install a newer version of the plugin"));
        }
        let api = Api(table);
        let (major, minor) = api.version();
        if major != ffi::MAJOR || minor < ffi::OLDEST_MINOR {
            let newer = major > ffi::MAJOR;
            let what = if newer { "a newer version of Wengert" } else { "a newer version of the plugin" };
            return Err(plugin(format!("the plugin speaks PJRT {major}.{minor}, which is not understood here"))
                .note(format!(
                    "0.{} and newer are; the declarations here are those of 0.{}",
                    ffi::OLDEST_MINOR,
                    ffi::MINOR
                ))
                .note(format!("what to do: install {what}")));
        }
        Ok(api)
    }

    /// Major and minor version of PJRT that the plugin was built with.
    pub(crate) fn version(self) -> (i32, i32) {
        // SAFETY: `new` checked that the table is large enough.
        let version = unsafe { &self.0.as_ref().version };
        (version.major, version.minor)
    }

    /// The function in a slot, if the plugin has one there.
    fn entry<A: Call, R>(self) -> Option<unsafe extern "C" fn(*mut A) -> R> {
        let offset = size_of::<ffi::Table>() + A::SLOT * size_of::<usize>();
        // SAFETY: the table was checked in `new`; the slot is read only if the table reaches there. A slot holds null
        // or the address of the entry named in the header, whose signature the declaration of `A` states.
        unsafe {
            if self.0.as_ref().struct_size < offset + size_of::<usize>() {
                return None;
            }
            self.0.as_ptr().byte_add(offset).cast::<Option<unsafe extern "C" fn(*mut A) -> R>>().read()
        }
    }

    /// Calls an entry; a failure is what the plugin reports.
    ///
    /// # Safety
    /// The pointers in the arguments must be what the header asks for.
    #[inline]
    pub(crate) unsafe fn attempt<A: Call>(self, args: &mut A) -> Result<Result<(), Failure>> {
        let Some(entry) = self.entry::<A, *mut ffi::Error>() else {
            let (major, minor) = self.version();
            return Err(Error::new(
                ErrorKind::Plugin,
                format!("the plugin has no `{}`; it speaks PJRT {major}.{minor}", A::NAME),
            )
            .note("what to do: install a newer version of the plugin"));
        };
        // SAFETY: the caller's; the struct has the size it states.
        let error = unsafe { entry(args) };
        if error.is_null() {
            return Ok(Ok(()));
        }
        // SAFETY: the plugin gave this error and nobody else has it.
        Ok(Err(unsafe { self.read(error) }))
    }

    /// Calls an entry; a failure that it reports becomes an error about `doing`.
    ///
    /// # Safety
    /// As for [`Api::attempt`].
    #[inline]
    pub(crate) unsafe fn call<A: Call>(self, doing: &str, args: &mut A) -> Result<()> {
        // SAFETY: the caller's.
        unsafe { self.attempt(args) }?.map_err(|f| f.error(doing))
    }

    /// Calls an entry that frees something. A failure is ignored.
    ///
    /// # Safety
    /// As for [`Api::attempt`]; what is freed is not used again.
    pub(crate) unsafe fn free<A: Call>(self, args: &mut A) {
        // SAFETY: the caller's.
        let _ = unsafe { self.attempt(args) };
    }

    /// Reads an error and frees it.
    ///
    /// # Safety
    /// The plugin gave the error, and it is not used again.
    pub(crate) unsafe fn read(self, error: *mut ffi::Error) -> Failure {
        let mut failure = Failure { code: ffi::UNKNOWN, message: String::new() };
        let mut args = ffi::ErrorMessage { error, ..Call::new() };
        if let Some(message) = self.entry::<_, ()>() {
            // SAFETY: the error is valid until it is destroyed below, and the message lives as long.
            unsafe {
                message(&mut args);
                failure.message = text(args.message, args.message_size);
            }
        }
        let destroy = |error| {
            if let Some(destroy) = self.entry::<ffi::ErrorDestroy, ()>() {
                // SAFETY: the error is not used after this.
                unsafe { destroy(&mut ffi::ErrorDestroy { error, ..Call::new() }) };
            }
        };
        let mut args = ffi::ErrorGetCode { error, ..Call::new() };
        if let Some(code) = self.entry::<_, *mut ffi::Error>() {
            // SAFETY: as above. Of an error about the error nothing is read.
            match unsafe { code(&mut args) } {
                none if none.is_null() => failure.code = args.code,
                another => destroy(another),
            }
        }
        destroy(error);
        failure
    }
}

impl Failure {
    /// The error a user sees: what was being done, the plugin's words, and what to do where that is known.
    pub(crate) fn error(self, doing: &str) -> Error {
        let Failure { code, message } = self;
        let message = format!("{doing}: {}", message.trim_end());
        match code {
            ffi::RESOURCE_EXHAUSTED => Error::new(ErrorKind::OutOfMemory, message)
                .note("what to do: drop arrays that are no longer needed, donate inputs, or use smaller batches;")
                .note("another process may hold memory of the device too"),
            ffi::UNIMPLEMENTED => Error::new(ErrorKind::Unsupported, message),
            _ => Error::new(ErrorKind::Device, message),
        }
    }
}

/// A plugin's string.
///
/// # Safety
/// `start` points to `size` bytes, or `size` is zero.
pub(crate) unsafe fn text(start: *const c_char, size: usize) -> String {
    if start.is_null() || size == 0 {
        return String::new();
    }
    // SAFETY: the caller's.
    let bytes = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), size) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// A plugin's list.
///
/// # Safety
/// `start` points to `size` values that live as long as `'a`, or `size` is zero.
pub(crate) unsafe fn list<'a, T>(start: *const T, size: usize) -> &'a [T] {
    if start.is_null() || size == 0 {
        return &[];
    }
    // SAFETY: the caller's.
    unsafe { std::slice::from_raw_parts(start, size) }
}
