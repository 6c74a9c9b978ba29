//! Loading a plugin.

use crate::api::{Api, list, text};
use crate::discover;
use crate::ffi::{self, Call};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Result};

/// A loaded plugin, which opens clients. A cheap handle. Plugins stay loaded until the process ends, for their
/// threads can't be stopped.
#[derive(Clone)]
pub struct Plugin {
    pub(crate) api: Api,
    path: Arc<Path>,
}

impl Plugin {
    /// Loads the shared library at this path, and the libraries of the `nvidia-*` packages installed beside it.
    ///
    /// A library runs code of its own when it is loaded: load only what you trust.
    pub fn load(path: impl AsRef<Path>) -> Result<Plugin> {
        let path = path.as_ref();
        let failed = |problem: String| Error::new(ErrorKind::Plugin, format!("{}: {problem}", path.display()));
        if !path.is_file() {
            return Err(failed("there is no such file".into())
                .note("what to do: give the path of a PJRT plugin in WENGERT_XLA_PLUGIN,")
                .note("or install one with pip, such as `jax-cuda13-plugin`"));
        }
        discover::preload(path);
        // A name without a folder would be looked for where the system has its libraries.
        let absolute = std::path::absolute(path).map_err(|e| failed(e.to_string()))?;
        // SAFETY: loading runs the library's initializers; that they do no harm is what the caller trusts in.
        let library = unsafe { libloading::Library::new(absolute) }.map_err(|e| {
            failed(format!("the library can't be loaded: {}", cause(&e)))
                .note("what to do: if it misses a library, install the package that has it, or name its folder in")
                .note("LD_LIBRARY_PATH; if it is for another machine, install the one for this machine")
        })?;
        // SAFETY: the header gives the exported function this type.
        let get_api = unsafe { library.get::<ffi::GetApi>(ffi::GET_API) }.map(|f| *f);
        // A plugin stays loaded: it starts threads, and its table must outlive them.
        std::mem::forget(library);
        let get_api = get_api.map_err(|_| {
            failed(format!("not a PJRT plugin: it exports no `{}`", ffi::GET_API))
                .note("what to do: give the path of a plugin, such as jax_plugins/xla_cuda13/xla_cuda_plugin.so")
        })?;
        // SAFETY: the function takes nothing, and what it gives is checked by `Api::new`.
        let api = unsafe { Api::new(get_api(), path) }?;
        // SAFETY: the struct holds no pointers.
        unsafe { api.call("the plugin does not start", &mut ffi::PluginInitialize::new()) }?;
        Ok(Plugin { api, path: path.into() })
    }

    /// Loads the plugin that the environment names, or the one found for this backend; see [`discover::find`].
    pub fn find(backend: &str) -> Result<Plugin> {
        Plugin::load(discover::find(backend)?.path)
    }

    /// Where the library is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Major and minor version of PJRT that the plugin was built with.
    pub fn version(&self) -> (i32, i32) {
        self.api.version()
    }

    /// What the plugin says of itself: names, and values as text.
    pub fn attributes(&self) -> Result<Vec<(String, String)>> {
        let mut args = ffi::PluginAttributes::new();
        // SAFETY: no pointers go in; what comes out lives as long as the process.
        let attributes = unsafe {
            self.api.call("the plugin's attributes can't be read", &mut args)?;
            list(args.attributes, args.num_attributes)
        };
        Ok(attributes.iter().map(attribute).collect())
    }
}

fn attribute(a: &ffi::NamedValue) -> (String, String) {
    // SAFETY: a plugin's named values point to as many bytes and numbers as they say, and `kind` says which field of
    // the union is set.
    unsafe {
        let value = match a.kind {
            ffi::VALUE_STRING => text(a.value.string, a.value_size),
            ffi::VALUE_INT => a.value.int.to_string(),
            ffi::VALUE_INTS => {
                list(a.value.ints, a.value_size).iter().map(i64::to_string).collect::<Vec<_>>().join(".")
            }
            ffi::VALUE_FLOAT => a.value.float.to_string(),
            ffi::VALUE_BOOL => a.value.bool.to_string(),
            _ => String::new(),
        };
        (text(a.name, a.name_size), value)
    }
}

/// The loader's own words, which `libloading` keeps one level down.
fn cause(e: &libloading::Error) -> String {
    std::error::Error::source(e).map_or_else(|| e.to_string(), |s| s.to_string())
}

impl std::fmt::Debug for Plugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (major, minor) = self.version();
        write!(f, "Plugin({}, PJRT {major}.{minor})", self.path.display())
    }
}

/// A plugin that was found, and is not loaded yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundPlugin {
    /// The name of its folder, or of its file: `xla_cuda13`.
    pub name: String,
    /// The library.
    pub path: PathBuf,
}
