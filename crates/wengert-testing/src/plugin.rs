//! The mock plugin, built and ready to load.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A copy of the mock plugin (`wengert-mock-plugin`) with settings of its own.
#[derive(Debug)]
pub struct MockPlugin {
    path: PathBuf,
    library: libloading::Library,
}

impl MockPlugin {
    /// A plugin with these settings: words such as `minor=40 devices=4`.
    pub fn new(settings: &str) -> MockPlugin {
        static COPIES: AtomicUsize = AtomicUsize::new(0);
        let n = COPIES.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("wengert-mock-{}-{n}{}", std::process::id(), env::consts::DLL_SUFFIX));
        std::fs::copy(built(), &path).expect("a package whose tests load the plugin has it as a dependency");
        // SAFETY: it is our own library.
        let library = unsafe { libloading::Library::new(&path) }.expect("the plugin loads");
        // SAFETY: the function has this type in the plugin.
        unsafe {
            let configure = library.get::<unsafe extern "C" fn(*const u8, usize)>("mock_configure").expect("exported");
            configure(settings.as_ptr(), settings.len());
        }
        MockPlugin { path, library }
    }

    /// The library file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How many objects of the plugin are not yet given back.
    pub fn live(&self) -> isize {
        // SAFETY: the function has this type in the plugin.
        unsafe { self.library.get::<extern "C" fn() -> isize>("mock_live").expect("exported")() }
    }
}

impl Drop for MockPlugin {
    fn drop(&mut self) {
        // The library stays loaded; its file is no longer needed.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// The library, which cargo puts beside the tests of packages that depend on it.
fn built() -> PathBuf {
    let test = env::current_exe().expect("a test has a file");
    let name = format!("{}wengert_mock_plugin{}", env::consts::DLL_PREFIX, env::consts::DLL_SUFFIX);
    test.with_file_name(name)
}
