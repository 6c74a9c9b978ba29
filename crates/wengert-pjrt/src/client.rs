//! A plugin's devices, opened.

use crate::api::{Api, list, text};
use crate::ffi::{self, Call};
use crate::plugin::Plugin;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Result};

/// The devices of one plugin, ready to compile for and to hold arrays. A cheap handle; the client is closed when the last
/// handle, and everything made with it, is dropped.
#[derive(Clone)]
pub struct Client(pub(crate) Arc<OpenClient>);

pub(crate) struct OpenClient {
    pub(crate) api: Api,
    pub(crate) client: NonNull<ffi::Client>,
    plugin: Plugin,
    platform: String,
    version: String,
    devices: Vec<DeviceInfo>,
}

struct DeviceInfo {
    device: NonNull<ffi::Device>,
    id: i32,
    kind: String,
    name: String,
}

// SAFETY: PJRT clients and devices may be used from any thread, and nothing here changes after it was made.
unsafe impl Send for OpenClient {}
// SAFETY: as above.
unsafe impl Sync for OpenClient {}

impl Drop for OpenClient {
    fn drop(&mut self) {
        // SAFETY: everything that was made with the client holds it, so nothing is left that could use it.
        unsafe { self.api.free(&mut ffi::ClientDestroy { client: self.client.as_ptr(), ..Call::new() }) };
    }
}

/// The variable with options for plugins: `preallocate=false,memory_fraction=0.5`.
const OPTIONS_VARIABLE: &str = "WENGERT_XLA_OPTIONS";

/// The value of an option a client is opened with. What options there are depends on the plugin.
#[derive(Clone, Debug, PartialEq)]
pub enum ClientOption {
    /// Words.
    Text(String),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f32),
    /// A switch.
    Bool(bool),
    /// Whole numbers.
    Ints(Vec<i64>),
}

impl ClientOption {
    /// Reads `true`, `3`, `0.5`, `[0, 1]`, or else words. Plugins look at the type: where they want a number that need
    /// not be whole, write `1.0`.
    pub fn parse(text: &str) -> ClientOption {
        let list = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
        let ints = |t: &str| t.split(',').map(|n| n.trim().parse()).collect::<std::result::Result<_, _>>();
        if let Some(Ok(x)) = list.map(ints) {
            ClientOption::Ints(x)
        } else if let Ok(x) = text.parse() {
            ClientOption::Bool(x)
        } else if let Ok(x) = text.parse() {
            ClientOption::Int(x)
        } else if let Ok(x) = text.parse() {
            ClientOption::Float(x)
        } else {
            ClientOption::Text(text.to_string())
        }
    }

    /// The options that `WENGERT_XLA_OPTIONS` gives to plugins when they are opened, as [`ClientOption::parse_list`] reads
    /// them.
    pub fn from_environment() -> Result<Vec<(String, ClientOption)>> {
        let text = std::env::var(OPTIONS_VARIABLE).unwrap_or_default();
        ClientOption::parse_list(&text).map_err(|e| e.within(OPTIONS_VARIABLE))
    }

    /// Reads `name=value` of several options, with commas between.
    pub fn parse_list(text: &str) -> Result<Vec<(String, ClientOption)>> {
        let mut inside = 0usize;
        let parts = text.split(|c: char| {
            inside = match c {
                '[' => inside + 1,
                ']' => inside.saturating_sub(1),
                _ => inside,
            };
            c == ',' && inside == 0
        });
        let one = |part: &str| match part.split_once('=') {
            Some((name, value)) => Ok((name.trim().to_string(), ClientOption::parse(value.trim()))),
            None => Err(Error::new(ErrorKind::Plugin, format!("`{}` is not an option of a plugin", part.trim()))
                .note("what to do: write a name and a value, as in `preallocate=false,memory_fraction=0.5`")),
        };
        parts.filter(|p| !p.trim().is_empty()).map(one).collect()
    }

    fn named(&self, name: &str) -> ffi::NamedValue {
        let (kind, value, value_size) = match self {
            ClientOption::Text(s) => (ffi::VALUE_STRING, ffi::Value { string: s.as_ptr().cast() }, s.len()),
            ClientOption::Int(x) => (ffi::VALUE_INT, ffi::Value { int: *x }, 1),
            ClientOption::Float(x) => (ffi::VALUE_FLOAT, ffi::Value { float: *x }, 1),
            ClientOption::Bool(x) => (ffi::VALUE_BOOL, ffi::Value { bool: *x }, 1),
            ClientOption::Ints(x) => (ffi::VALUE_INTS, ffi::Value { ints: x.as_ptr() }, x.len()),
        };
        let name_size = name.len();
        ffi::NamedValue { name: name.as_ptr().cast(), name_size, kind, value, value_size, ..ffi::NamedValue::zeroed() }
    }
}

impl Client {
    /// Opens the devices of a plugin. For options, see the plugin's documentation: a CUDA plugin takes
    /// `memory_fraction`, `preallocate`, `allocator` and others.
    pub fn open(plugin: &Plugin, options: &[(&str, ClientOption)]) -> Result<Client> {
        let api = plugin.api;
        let given = !options.is_empty();
        let options: Vec<ffi::NamedValue> = options.iter().map(|(name, value)| value.named(name)).collect();
        let mut args =
            ffi::ClientCreate { create_options: options.as_ptr(), num_options: options.len(), ..Call::new() };
        let failed = |e: Error| {
            let e = match given {
                true => e.note("what to do: see whether the plugin knows the options it was given, and their types;"),
                false => e,
            };
            e.within(plugin.path().display())
                .note("what to do: check that the device and its driver work (for NVIDIA, run `nvidia-smi`),")
                .note("and that the plugin is made for this driver")
        };
        // SAFETY: the options live through the call; no callbacks are given.
        unsafe { api.call("the devices can't be opened", &mut args) }.map_err(failed)?;
        let client = non_null(args.client, "a client")?;
        let mut open = OpenClient {
            api,
            client,
            plugin: plugin.clone(),
            platform: String::new(),
            version: String::new(),
            devices: Vec::new(),
        };
        let client = client.as_ptr();
        let mut name = ffi::ClientPlatformName { client, ..Call::new() };
        let mut version = ffi::ClientPlatformVersion { client, ..Call::new() };
        let mut devices = ffi::ClientAddressableDevices { client, ..Call::new() };
        // SAFETY: the client is open; its strings and lists live as long as it does.
        unsafe {
            api.call("the name of the platform can't be read", &mut name)?;
            open.platform = text(name.platform_name, name.platform_name_size);
            api.call("the version of the platform can't be read", &mut version)?;
            open.version = text(version.platform_version, version.platform_version_size);
            api.call("the devices can't be listed", &mut devices)?;
            for &device in list(devices.addressable_devices, devices.num_addressable_devices) {
                open.devices.push(describe(api, non_null(device, "a device")?)?);
            }
        }
        if open.devices.is_empty() {
            return Err(failed(Error::new(ErrorKind::Device, "the plugin sees no device")));
        }
        Ok(Client(Arc::new(open)))
    }

    /// The plugin.
    pub fn plugin(&self) -> &Plugin {
        &self.0.plugin
    }

    /// What the plugin calls its platform: `cuda`, `cpu`, `tpu`.
    pub fn platform(&self) -> &str {
        &self.0.platform
    }

    /// The platform's version, in the plugin's words.
    pub fn platform_version(&self) -> &str {
        &self.0.version
    }

    /// The devices that this process can use.
    pub fn devices(&self) -> Vec<Device> {
        (0..self.0.devices.len()).map(|index| Device { client: self.clone(), index }).collect()
    }

    /// The device at this position of the list.
    pub fn device(&self, index: usize) -> Result<Device> {
        let n = self.0.devices.len();
        if index >= n {
            return Err(Error::new(
                ErrorKind::Device,
                format!("device {index} was asked for, and the platform `{}` has {n}", self.platform()),
            )
            .note("what to do: devices are counted from 0; `wengert devices` lists them"));
        }
        Ok(Device { client: self.clone(), index })
    }

    /// The position of a device in the list.
    pub(crate) fn position(&self, device: *mut ffi::Device) -> Option<usize> {
        self.0.devices.iter().position(|d| d.device.as_ptr() == device)
    }
}

/// # Safety
/// The device belongs to an open client of this plugin.
unsafe fn describe(api: Api, device: NonNull<ffi::Device>) -> Result<DeviceInfo> {
    let what = "a device can't be described";
    let mut args = ffi::DeviceGetDescription { device: device.as_ptr(), ..Call::new() };
    // SAFETY: the caller's.
    unsafe { api.call(what, &mut args) }?;
    let description = non_null(args.description, "a description")?.as_ptr();
    let mut id = ffi::DescriptionId { description, ..Call::new() };
    let mut kind = ffi::DescriptionKind { description, ..Call::new() };
    let mut name = ffi::DescriptionToString { description, ..Call::new() };
    // SAFETY: the description and its strings live as long as the client.
    unsafe {
        api.call(what, &mut id)?;
        api.call(what, &mut kind)?;
        api.call(what, &mut name)?;
        let (kind, name) = (text(kind.kind, kind.kind_size), text(name.to_string, name.to_string_size));
        Ok(DeviceInfo { device, id: id.id, kind, name })
    }
}

/// A pointer that a plugin must give where it reports no error.
pub(crate) fn non_null<T>(pointer: *mut T, what: &str) -> Result<NonNull<T>> {
    NonNull::new(pointer).ok_or_else(|| {
        Error::new(ErrorKind::Plugin, format!("the plugin gave no error, and not {what} either"))
            .note("what to do: report this to the makers of the plugin")
    })
}

impl PartialEq for Client {
    fn eq(&self, other: &Client) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}
impl Eq for Client {}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Client({}, {} devices)", self.platform(), self.0.devices.len())
    }
}

/// One device of a client. A cheap handle.
#[derive(Clone)]
pub struct Device {
    pub(crate) client: Client,
    index: usize,
}

/// How much memory a device uses, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryUse {
    /// In use now.
    pub used: u64,
    /// The most that was in use at a time, if the device knows.
    pub peak: Option<u64>,
    /// The most that can be in use, if the device knows.
    pub limit: Option<u64>,
}

impl Device {
    fn about(&self) -> &DeviceInfo {
        &self.client.0.devices[self.index]
    }

    pub(crate) fn raw(&self) -> *mut ffi::Device {
        self.about().device.as_ptr()
    }

    /// Its client.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Its position in the client's list.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The number the platform knows it by.
    pub fn id(&self) -> i32 {
        self.about().id
    }

    /// What it is: `NVIDIA H200`.
    pub fn kind(&self) -> &str {
        &self.about().kind
    }

    /// How the plugin prints it: `CudaDevice(id=0)`.
    pub fn description(&self) -> &str {
        &self.about().name
    }

    /// How much memory it uses. Not every plugin can tell.
    pub fn memory(&self) -> Result<MemoryUse> {
        let mut args = ffi::DeviceMemoryStats { device: self.raw(), ..Call::new() };
        // SAFETY: the device lives as long as the client, which this handle holds.
        unsafe { self.client.0.api.call("the use of memory can't be read", &mut args) }?;
        let known = |s: ffi::Statistic| s.is_set.then_some(s.value.max(0) as u64);
        Ok(MemoryUse {
            used: args.bytes_in_use.max(0) as u64,
            peak: known(args.peak_bytes_in_use),
            limit: known(args.bytes_limit),
        })
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Device) -> bool {
        self.client == other.client && self.index == other.index
    }
}
impl Eq for Device {}

impl fmt::Display for Device {
    /// `cuda:0`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.client.platform(), self.index)
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
