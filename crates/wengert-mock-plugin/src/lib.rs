//! A PJRT plugin that keeps arrays in host memory and runs programs there. It exists for tests: it can be told to
//! be older or newer than it is, to lack entries, to run out of memory, and to fail at every step.
//!
//! Every copy of the library file is a plugin of its own. A test copies it, calls `mock_configure` with words such as
//! `minor=40 devices=4 missing=PJRT_Buffer_CopyToDevice`, and loads it as any plugin. `mock_live` says how many objects
//! are out. What a program does is said in its text by a line `// mock: WORDS`; see `program.rs`.

#[allow(dead_code)]
mod ffi;
mod objects;
mod program;

use ffi::Call;
use objects::{Answer, Array, Buffer, Fault, LIVE, Promise, error, give, object, take};
use program::Executable;
use std::ffi::{c_char, c_int};
use std::slice;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

/// The plugin's table has this many slots, unless told otherwise.
const SLOTS: usize = 138;
const INVALID_ARGUMENT: c_int = 3;

#[derive(Clone)]
struct Config {
    major: c_int,
    minor: c_int,
    slots: usize,
    /// Words that argument structs must have beyond those the declarations know.
    grown: usize,
    devices: usize,
    /// Bytes of memory on each device.
    memory: i64,
    missing: Vec<String>,
    /// Entries that report an error.
    failing: Vec<String>,
}

static CONFIG: Mutex<Config> = Mutex::new(Config {
    major: ffi::MAJOR,
    minor: ffi::MINOR,
    slots: SLOTS,
    grown: 0,
    devices: 1,
    memory: i64::MAX,
    missing: Vec::new(),
    failing: Vec::new(),
});
static USED: AtomicI64 = AtomicI64::new(0);

fn config() -> Config {
    CONFIG.lock().expect("no panics").clone()
}

/// Sets what words say, each `name=value`.
///
/// # Safety
/// `words` points to `size` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mock_configure(words: *const c_char, size: usize) {
    // SAFETY: the caller's.
    let words = unsafe { slice::from_raw_parts(words.cast::<u8>(), size) };
    let mut c = CONFIG.lock().expect("no panics");
    for word in String::from_utf8_lossy(words).split_whitespace() {
        let (name, value) = word.split_once('=').expect("name=value");
        let number = || value.parse::<i64>().expect("a number");
        match name {
            "major" => c.major = number() as c_int,
            "minor" => c.minor = number() as c_int,
            "slots" => c.slots = number() as usize,
            "grown" => c.grown = number() as usize,
            "devices" => c.devices = number() as usize,
            "memory" => c.memory = number(),
            "missing" => c.missing.push(value.to_string()),
            "failing" => c.failing.push(value.to_string()),
            _ => panic!("no setting `{name}`"),
        }
    }
}

/// How many objects are out.
#[unsafe(no_mangle)]
pub extern "C" fn mock_live() -> isize {
    LIVE.load(Ordering::SeqCst)
}

/// The table of entries.
#[unsafe(no_mangle)]
pub extern "C" fn GetPjrtApi() -> *const ffi::Table {
    static TABLE: OnceLock<Vec<usize>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let c = config();
        let version = u64::from(c.major as u32) | u64::from(c.minor as u32) << 32;
        let mut words = vec![(5 + c.slots) * size_of::<usize>(), 0, 24, 0, version as usize];
        words.extend(entries(&c).into_iter().take(c.slots));
        words
    });
    table.as_ptr().cast()
}

/// What a struct of arguments must have, in bytes.
fn required<A>() -> usize {
    size_of::<A>() - size_of::<ffi::LaterFields>() + config().grown * size_of::<usize>()
}

macro_rules! entries {
    ($($name:ident(|$a:ident: $args:ty| $body:expr);)*) => {
        $(
            unsafe extern "C" fn $name(args: *mut $args) -> *mut ffi::Error {
                // SAFETY: callers pass a struct of at least the size it states.
                let $a = unsafe { &mut *args };
                let call = |$a: &mut $args| -> Answer {
                    if $a.struct_size < required::<$args>() {
                        let message = format!("{} has {} bytes", <$args>::NAME, $a.struct_size);
                        return Err(Fault(INVALID_ARGUMENT, message));
                    }
                    if config().failing.iter().any(|n| n == <$args>::NAME) {
                        return Err(Fault(13, format!("{} was told to fail", <$args>::NAME)));
                    }
                    #[allow(unused_unsafe)]
                    // SAFETY: callers pass the pointers the header asks for, and what was handed out here.
                    unsafe { $body }
                };
                error(call($a))
            }
        )*

        fn entries(c: &Config) -> Vec<usize> {
            let mut table = vec![0; SLOTS];
            $(if !c.missing.iter().any(|n| n == <$args>::NAME) {
                table[<$args>::SLOT] = $name as *const () as usize;
            })*
            // These two return nothing.
            table[ffi::ErrorDestroy::SLOT] = error_destroy as *const () as usize;
            table[ffi::ErrorMessage::SLOT] = error_message as *const () as usize;
            table
        }
    };
}

unsafe extern "C" fn error_destroy(args: *mut ffi::ErrorDestroy) {
    // SAFETY: callers pass what was handed out.
    unsafe { take::<Fault, _>((*args).error) };
}

unsafe extern "C" fn error_message(args: *mut ffi::ErrorMessage) {
    // SAFETY: callers pass what was handed out.
    let (a, fault) = unsafe { (&mut *args, object::<Fault, _>((*args).error)) };
    (a.message, a.message_size) = (fault.1.as_ptr().cast(), fault.1.len());
}

/// What a client is.
struct Client {
    /// What the pointers point to.
    _devices: Vec<Device>,
    pointers: Vec<*mut ffi::Device>,
}

struct Device {
    index: usize,
    name: String,
}

const PLATFORM: &str = "mock";
const VERSION: &str = "host memory";
const KIND: &str = "Mock Device";

fn client(devices: usize) -> Client {
    let name = |index| format!("MockDevice(id={})", id(index));
    let mut devices: Vec<Device> = (0..devices).map(|index| Device { index, name: name(index) }).collect();
    let pointers = devices.iter_mut().map(|d| (&raw mut *d).cast()).collect();
    Client { _devices: devices, pointers }
}

/// The id of a device is not its position.
fn id(index: usize) -> c_int {
    index as c_int + 10
}

/// Takes memory, if there is enough.
fn allocate(bytes: usize) -> Answer {
    let limit = config().memory;
    let used = USED.fetch_add(bytes as i64, Ordering::SeqCst) + bytes as i64;
    if used > limit {
        USED.fetch_sub(bytes as i64, Ordering::SeqCst);
        let message = format!("out of memory: {bytes} bytes were asked for, and {limit} are all there is");
        return Err(Fault(ffi::RESOURCE_EXHAUSTED, message));
    }
    Ok(())
}

fn hand_out(array: Array, device: usize) -> Answer<*mut ffi::Buffer> {
    allocate(array.bytes.len())?;
    Ok(give(Buffer::new(array, device)))
}

entries! {
    error_get_code(|a: ffi::ErrorGetCode| {
        a.code = object::<Fault, _>(a.error).0;
        Ok(())
    });
    plugin_initialize(|_a: ffi::PluginInitialize| Ok(()));
    plugin_attributes(|a: ffi::PluginAttributes| {
        struct Shared(ffi::NamedValue);
        // SAFETY: it is never written.
        unsafe impl Send for Shared {}
        // SAFETY: as above.
        unsafe impl Sync for Shared {}
        static ATTRIBUTE: OnceLock<Shared> = OnceLock::new();
        let attribute = ATTRIBUTE.get_or_init(|| Shared(ffi::NamedValue {
            name: c"made_for".as_ptr(),
            name_size: 8,
            kind: ffi::VALUE_STRING,
            value: ffi::Value { string: c"tests".as_ptr() },
            value_size: 5,
            ..ffi::NamedValue::zeroed()
        }));
        (a.attributes, a.num_attributes) = (&attribute.0, 1);
        Ok(())
    });
    event_destroy(|a: ffi::EventDestroy| {
        take::<Arc<Promise>, _>(a.event);
        Ok(())
    });
    event_is_ready(|a: ffi::EventIsReady| {
        a.is_ready = object::<Arc<Promise>, _>(a.event).is_ready();
        Ok(())
    });
    event_await(|a: ffi::EventAwait| object::<Arc<Promise>, _>(a.event).wait());
    event_on_ready(|a: ffi::EventOnReady| {
        // The event may be destroyed by the callback: it is not touched after that.
        let promise = object::<Arc<Promise>, _>(a.event).clone();
        promise.on_ready(a.callback.expect("a callback"), a.user_arg);
        Ok(())
    });
    client_create(|a: ffi::ClientCreate| {
        let mut devices = config().devices;
        for option in list(a.create_options, a.num_options) {
            let name = text(option.name, option.name_size);
            match (&*name, option.kind) {
                ("devices", ffi::VALUE_INT) => devices = option.value.int as usize,
                _ => return Err(Fault(INVALID_ARGUMENT, format!("unknown option `{name}`"))),
            }
        }
        a.client = give(client(devices));
        Ok(())
    });
    client_destroy(|a: ffi::ClientDestroy| {
        take::<Client, _>(a.client);
        Ok(())
    });
    client_platform_name(|a: ffi::ClientPlatformName| {
        (a.platform_name, a.platform_name_size) = (PLATFORM.as_ptr().cast(), PLATFORM.len());
        Ok(())
    });
    client_platform_version(|a: ffi::ClientPlatformVersion| {
        (a.platform_version, a.platform_version_size) = (VERSION.as_ptr().cast(), VERSION.len());
        Ok(())
    });
    client_devices(|a: ffi::ClientAddressableDevices| {
        let pointers = &object::<Client, _>(a.client).pointers;
        (a.addressable_devices, a.num_addressable_devices) = (pointers.as_ptr(), pointers.len());
        Ok(())
    });
    client_compile(|a: ffi::ClientCompile| {
        let (client, program) = (object::<Client, _>(a.client), &*a.program);
        if program.struct_size < size_of::<ffi::Program>() - size_of::<ffi::LaterFields>() {
            return Err(Fault(INVALID_ARGUMENT, "the struct of the program is too small".into()));
        }
        let code = text(program.code, program.code_size);
        let options = list(a.compile_options.cast(), a.compile_options_size);
        a.executable = give(Executable::compile(&code, options, &client.pointers)?);
        Ok(())
    });
    buffer_from_host(|a: ffi::BufferFromHost| {
        let dims = list(a.dims, a.num_dims).to_vec();
        let size = dims.iter().product::<i64>() as usize * program::width(a.element_type)?;
        let bytes: Arc<[u8]> = list(a.data.cast::<u8>(), size).into();
        let device = object::<Device, _>(a.device).index;
        let ready = Promise::kept(Ok(()));
        a.buffer = hand_out(Array { element: a.element_type, dims, bytes, ready }, device)?;
        let done = match a.host_buffer_semantics {
            ffi::ONLY_DURING_CALL => Promise::kept(Ok(())),
            _ => Promise::later(Ok(()), Duration::from_millis(5)),
        };
        a.done_with_host_buffer = give(done);
        Ok(())
    });
    description_id(|a: ffi::DescriptionId| {
        a.id = id(object::<Device, _>(a.description).index);
        Ok(())
    });
    description_kind(|a: ffi::DescriptionKind| {
        (a.kind, a.kind_size) = (KIND.as_ptr().cast(), KIND.len());
        Ok(())
    });
    description_to_string(|a: ffi::DescriptionToString| {
        let name = &object::<Device, _>(a.description).name;
        (a.to_string, a.to_string_size) = (name.as_ptr().cast(), name.len());
        Ok(())
    });
    device_get_description(|a: ffi::DeviceGetDescription| {
        a.description = a.device.cast();
        Ok(())
    });
    device_memory_stats(|a: ffi::DeviceMemoryStats| {
        a.bytes_in_use = USED.load(Ordering::SeqCst);
        a.bytes_limit = ffi::Statistic { value: config().memory, is_set: true };
        Ok(())
    });
    executable_destroy(|a: ffi::ExecutableDestroy| {
        take::<usize, _>(a.executable);
        Ok(())
    });
    executable_num_outputs(|a: ffi::ExecutableNumOutputs| {
        a.num_outputs = *object::<usize, _>(a.executable);
        Ok(())
    });
    loaded_destroy(|a: ffi::LoadedDestroy| {
        take::<Executable, _>(a.executable);
        Ok(())
    });
    loaded_get_executable(|a: ffi::LoadedGetExecutable| {
        a.executable = give(object::<Executable, _>(a.loaded_executable).outputs);
        Ok(())
    });
    loaded_devices(|a: ffi::LoadedAddressableDevices| {
        let pointers = &object::<Executable, _>(a.executable).devices;
        (a.addressable_devices, a.num_addressable_devices) = (pointers.as_ptr(), pointers.len());
        Ok(())
    });
    loaded_execute(|a: ffi::LoadedExecute| {
        let (executable, options) = (object::<Executable, _>(a.executable), &*a.options);
        let kept = list(options.non_donatable_input_indices, options.num_non_donatable_input_indices);
        if a.num_devices != executable.devices.len() {
            return Err(Fault(INVALID_ARGUMENT, "wrong number of devices".into()));
        }
        for (i, &device) in executable.devices.iter().enumerate() {
            let device = object::<Device, _>(device).index;
            let inputs = list(*a.argument_lists.add(i), a.num_args);
            let inputs: Vec<&Buffer> = inputs.iter().map(|&b| object(b)).collect();
            let results = executable.run(&inputs, device, kept)?;
            for (j, array) in results.into_iter().enumerate() {
                *(*a.output_lists.add(i)).add(j) = hand_out(array, device)?;
            }
        }
        Ok(())
    });
    buffer_destroy(|a: ffi::BufferDestroy| {
        let bytes = object::<Buffer, _>(a.buffer).array.bytes.len();
        USED.fetch_sub(bytes as i64, Ordering::SeqCst);
        take::<Buffer, _>(a.buffer);
        Ok(())
    });
    buffer_element_type(|a: ffi::BufferElementType| {
        a.element_type = object::<Buffer, _>(a.buffer).array.element;
        Ok(())
    });
    buffer_dimensions(|a: ffi::BufferDimensions| {
        let dims = &object::<Buffer, _>(a.buffer).array.dims;
        (a.dims, a.num_dims) = (dims.as_ptr(), dims.len());
        Ok(())
    });
    buffer_is_deleted(|a: ffi::BufferIsDeleted| {
        a.is_deleted = object::<Buffer, _>(a.buffer).deleted.load(Ordering::SeqCst);
        Ok(())
    });
    buffer_copy(|a: ffi::BufferCopyToDevice| {
        let (from, to) = (object::<Buffer, _>(a.buffer), object::<Device, _>(a.dst_device));
        if from.device == to.index {
            return Err(Fault(INVALID_ARGUMENT, "the buffer is there already".into()));
        }
        a.dst_buffer = hand_out(from.array()?.clone(), to.index)?;
        Ok(())
    });
    buffer_to_host(|a: ffi::BufferToHost| {
        let array = object::<Buffer, _>(a.src).array()?;
        let layout = &*a.host_layout;
        let order = list(layout.tiled.minor_to_major, layout.tiled.minor_to_major_size);
        if order.len() != array.dims.len() || !order.iter().rev().eq(&(0..order.len() as i64).collect::<Vec<_>>()) {
            return Err(Fault(ffi::UNIMPLEMENTED, "only row-major arrays are read".into()));
        }
        if a.dst_size < array.bytes.len() {
            return Err(Fault(INVALID_ARGUMENT, "no room for the elements".into()));
        }
        let outcome = array.ready.wait();
        std::ptr::copy_nonoverlapping(array.bytes.as_ptr(), a.dst.cast(), array.bytes.len());
        a.event = give(Promise::kept(outcome));
        Ok(())
    });
    buffer_ready_event(|a: ffi::BufferReadyEvent| {
        a.event = give(object::<Buffer, _>(a.buffer).array()?.ready.clone());
        Ok(())
    });
}

unsafe fn list<'a, T>(start: *const T, size: usize) -> &'a [T] {
    if size == 0 {
        return &[];
    }
    // SAFETY: the header asks for `size` values here.
    unsafe { slice::from_raw_parts(start, size) }
}

unsafe fn text(start: *const c_char, size: usize) -> String {
    // SAFETY: as for `list`.
    String::from_utf8_lossy(unsafe { list(start.cast::<u8>(), size) }).into_owned()
}
