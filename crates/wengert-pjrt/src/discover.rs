//! Where plugins are found: `WENGERT_XLA_PLUGIN`, or the packages that pip installs under `jax_plugins/`.
//!
//! No Python is run: the usual folders of packages are looked through.

pub use crate::plugin::FoundPlugin;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use wengert_core::{Error, ErrorKind, Result};

/// The variable that names a plugin's path.
pub const PLUGIN_VARIABLE: &str = "WENGERT_XLA_PLUGIN";

/// The plugin for a backend: the one that `WENGERT_XLA_PLUGIN` names; otherwise, of those installed with pip, the
/// first whose name has the backend's in it (`cuda`, `rocm`, `tpu`), the first of `cuda` and `rocm` for `gpu`, or the
/// first of all for `xla`.
pub fn find(backend: &str) -> Result<FoundPlugin> {
    if let Some(path) = env::var_os(PLUGIN_VARIABLE).filter(|p| !p.is_empty()) {
        let path = PathBuf::from(path);
        let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        return Ok(FoundPlugin { name, path });
    }
    let all = installed();
    all.iter().find(|f| fits(backend, &f.name)).cloned().ok_or_else(|| {
        let e = Error::new(ErrorKind::Plugin, format!("no PJRT plugin was found for the backend `{backend}`"));
        let e = match all.is_empty() {
            true => e.note("no plugin is installed in the usual folders of Python packages"),
            false => e.note(format!(
                "plugins that were found: {}",
                all.iter().map(|f| f.name.as_str()).collect::<Vec<_>>().join(", ")
            )),
        };
        e.note(format!(
            "what to do: install one with pip, such as `jax-cuda13-plugin`, or name its path in {PLUGIN_VARIABLE}"
        ))
    })
}

/// Whether a plugin's name is that of a backend.
fn fits(backend: &str, plugin: &str) -> bool {
    match backend {
        "" => false,
        "xla" => true,
        "gpu" => plugin.contains("cuda") || plugin.contains("rocm"),
        _ => plugin.contains(backend),
    }
}

/// A name's words and the number it ends with: `xla_cuda9` is older than `xla_cuda13`.
fn version(name: &str) -> (&str, u64) {
    let words = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (words, name[words.len()..].parse().unwrap_or(0))
}

/// Every plugin installed with pip, by name. Where there are several versions of one kind, the newest comes first.
pub fn installed() -> Vec<FoundPlugin> {
    let mut found: Vec<FoundPlugin> = package_folders().iter().flat_map(|folder| plugins_in(folder)).collect();
    // A folder may be reached on two ways.
    let mut seen = BTreeSet::new();
    found.retain(|f| seen.insert(f.path.canonicalize().unwrap_or_else(|_| f.path.clone())));
    found.sort_by(|a, b| version(&b.name).cmp(&version(&a.name)));
    found
}

/// The plugins of one folder of packages.
fn plugins_in(packages: &Path) -> Vec<FoundPlugin> {
    let mut found = Vec::new();
    for folder in entries(&packages.join("jax_plugins")) {
        let name = file_name(&folder);
        let libraries = entries(&folder).into_iter().filter(|p| is_library(p));
        found.extend(libraries.map(|path| FoundPlugin { name: name.clone(), path }));
    }
    let tpu = packages.join("libtpu").join("libtpu.so");
    if tpu.is_file() {
        found.push(FoundPlugin { name: "tpu".into(), path: tpu });
    }
    found
}

/// A plugin's library among the files of its package: `xla_cuda_plugin.so`, `pjrt_plugin_….so`.
fn is_library(path: &Path) -> bool {
    let name = file_name(path);
    (name.ends_with(".so") || name.ends_with(".dylib") || name.ends_with(".dll"))
        && (name.contains("plugin") || name.contains("pjrt"))
}

/// Folders where pip puts packages: of the active environment, of the user, of the system.
fn package_folders() -> Vec<PathBuf> {
    let mut roots = Vec::new();
    for variable in ["VIRTUAL_ENV", "CONDA_PREFIX"] {
        roots.extend(env::var_os(variable).map(|p| PathBuf::from(p).join("lib")));
    }
    let home = env::var_os("HOME").map(PathBuf::from);
    roots.extend(home.iter().map(|h| h.join(".local/lib")));
    // The Python that the shell would run, wherever it was installed.
    let path = env::var_os("PATH").unwrap_or_default();
    for folder in env::split_paths(&path) {
        let python = ["python3", "python"].iter().map(|n| folder.join(n)).find(|p| p.is_file());
        // In a virtual environment it is a link, and packages are beside the link.
        let places = python.into_iter().flat_map(|p| [Some(p.clone()), p.canonicalize().ok()]).flatten();
        roots.extend(places.filter_map(|p| Some(p.parent()?.parent()?.join("lib"))));
    }
    for versions in home.iter().map(|h| h.join(".pyenv/versions")) {
        roots.extend(entries(&versions).into_iter().map(|v| v.join("lib")));
    }
    roots.extend(["/usr/local/lib", "/usr/lib", "/usr/lib64", "/opt/venv/lib", "/opt/conda/lib"].map(PathBuf::from));
    let mut folders: Vec<PathBuf> = env::var_os("PYTHONPATH").iter().flat_map(env::split_paths).collect();
    for root in roots {
        for python in entries(&root).into_iter().filter(|p| file_name(p).starts_with("python")) {
            folders.extend(["site-packages", "dist-packages"].map(|n| python.join(n)));
        }
    }
    folders
}

/// What is in a folder, in order; nothing if it can't be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().filter_map(|e| Some(e.ok()?.path())).collect();
    paths.sort();
    paths
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned())
}

/// Libraries that a CUDA plugin asks the loader for by name, each after those it needs itself.
const NVIDIA: [&str; 12] = [
    "libcudart.so",
    "libnvJitLink.so",
    "libnvrtc.so",
    "libcublasLt.so",
    "libcublas.so",
    "libnccl.so",
    "libcupti.so",
    "libcusparse.so",
    "libcusolver.so",
    "libcufft.so",
    "libnvshmem_host.so",
    "libcudnn.so",
];

/// Loads the libraries that `nvidia-*` packages have beside a plugin that pip installed, so that it finds them without
/// `LD_LIBRARY_PATH`. What does not load is left: the plugin says what it misses.
pub(crate) fn preload(plugin: &Path) {
    let Some(packages) = packages_of(plugin) else { return };
    for path in nvidia_libraries(&packages.join("nvidia")) {
        // SAFETY: these are the vendor's own libraries, which the plugin would load itself.
        if let Ok(library) = unsafe { libloading::Library::new(path) } {
            std::mem::forget(library);
        }
    }
}

/// The folder of packages that holds `jax_plugins/…/` with this plugin.
fn packages_of(plugin: &Path) -> Option<PathBuf> {
    let plugin = plugin.canonicalize().ok()?;
    let plugins = plugin.parent()?.parent()?;
    (file_name(plugins) == "jax_plugins").then(|| plugins.parent().map(Path::to_path_buf))?
}

/// `nvidia/cublas/lib/libcublas.so.12`, `nvidia/cu13/lib/libcudart.so.13`, in the order to load them.
fn nvidia_libraries(nvidia: &Path) -> Vec<PathBuf> {
    let files: Vec<PathBuf> = entries(nvidia).iter().flat_map(|package| entries(&package.join("lib"))).collect();
    NVIDIA.iter().flat_map(|name| files.iter().filter(|f| file_name(f).starts_with(*name)).cloned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_pip_are_recognized() {
        let root = env::temp_dir().join(format!("wengert-discover-{}", std::process::id()));
        let touch = |path: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "").unwrap();
            path
        };
        let cuda = touch("jax_plugins/xla_cuda13/xla_cuda_plugin.so");
        touch("jax_plugins/xla_cuda13/__init__.py");
        touch("jax_plugins/xla_cuda13/version.so.txt");
        let tpu = touch("libtpu/libtpu.so");
        let cublas = touch("nvidia/cu13/lib/libcublas.so.13");
        let runtime = touch("nvidia/cu13/lib/libcudart.so.13");
        touch("nvidia/cu13/include/cublas.h");
        let found = plugins_in(&root);
        let libraries = nvidia_libraries(&root.join("nvidia"));
        let (of_cuda, of_tpu) = (packages_of(&cuda), packages_of(&tpu));
        let here = root.canonicalize().unwrap();
        fs::remove_dir_all(&root).unwrap();
        assert_eq!(
            found,
            [FoundPlugin { name: "xla_cuda13".into(), path: cuda }, FoundPlugin { name: "tpu".into(), path: tpu }]
        );
        assert_eq!(libraries, [runtime, cublas]);
        assert_eq!((of_cuda, of_tpu), (Some(here), None));
    }

    #[test]
    fn names_mean_what_people_expect() {
        assert!(fits("gpu", "xla_cuda13") && fits("gpu", "xla_rocm7") && !fits("gpu", "tpu"));
        assert!(fits("xla", "tpu") && fits("cuda", "xla_cuda12") && !fits("", "xla_cuda12"));
        assert!(version("xla_cuda13") > version("xla_cuda9"));
    }
}
