//! The C interface of PJRT, declared by hand: only what is used, at the sizes of API 0.114.
//!
//! A plugin refuses an argument struct smaller than the one it was built with, and takes a larger one. So every struct
//! here ends in some words of zeros: a plugin newer than these declarations finds its new fields there, all unset.
//! Structs that stand in lists or inside others have their exact size instead.

#![allow(missing_docs)]

use std::ffi::{c_char, c_int, c_void};

/// The major version these declarations follow; others have another layout.
pub const MAJOR: c_int = 0;
/// The minor version these declarations follow.
pub const MINOR: c_int = 114;
/// Older plugins have the entries in another order.
pub const OLDEST_MINOR: c_int = 57;

/// What a plugin exports: a function without arguments that gives the table.
pub type GetApi = unsafe extern "C" fn() -> *const Table;
/// The name it is exported under.
pub const GET_API: &str = "GetPjrtApi";

macro_rules! opaque {
    ($($name:ident)*) => { $(
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
        }
    )* };
}
opaque! { Error Event Client Device DeviceDescription Executable LoadedExecutable Buffer Memory }

/// The start of the table of entries. Slots follow, each a function pointer, as far as `struct_size` says.
#[repr(C)]
pub struct Table {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub version: Version,
}

#[repr(C)]
pub struct Version {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub major: c_int,
    pub minor: c_int,
}

/// The arguments of an entry.
pub trait Call: Sized {
    /// The entry's place in the table.
    const SLOT: usize;
    /// The entry's name in the header.
    const NAME: &'static str;

    /// All zeros, but for the size.
    fn new() -> Self;
}

/// Words of zeros after the fields this header knows.
pub type LaterFields = [usize; 8];

macro_rules! sized {
    ($name:ident) => {
        impl $name {
            /// All zeros, but for the size.
            pub fn zeroed() -> Self {
                // SAFETY: the fields are numbers, raw pointers and optional functions; zero is a value of each.
                let mut args: Self = unsafe { std::mem::zeroed() };
                args.struct_size = size_of::<Self>();
                args
            }
        }
    };
}

macro_rules! calls {
    ($($slot:literal $entry:literal => $name:ident { $($field:ident: $t:ty,)* })*) => { $(
        #[repr(C)]
        pub struct $name {
            pub struct_size: usize,
            pub extension_start: *mut c_void,
            $(pub $field: $t,)*
            pub later: LaterFields,
        }
        sized!($name);

        impl Call for $name {
            const SLOT: usize = $slot;
            const NAME: &'static str = $entry;

            fn new() -> Self {
                Self::zeroed()
            }
        }
    )* };
}

calls! {
    0 "PJRT_Error_Destroy" => ErrorDestroy { error: *mut Error, }
    1 "PJRT_Error_Message" => ErrorMessage { error: *const Error, message: *const c_char, message_size: usize, }
    2 "PJRT_Error_GetCode" => ErrorGetCode { error: *const Error, code: c_int, }
    3 "PJRT_Plugin_Initialize" => PluginInitialize {}
    4 "PJRT_Plugin_Attributes" => PluginAttributes { attributes: *const NamedValue, num_attributes: usize, }
    5 "PJRT_Event_Destroy" => EventDestroy { event: *mut Event, }
    6 "PJRT_Event_IsReady" => EventIsReady { event: *mut Event, is_ready: bool, }
    8 "PJRT_Event_Await" => EventAwait { event: *mut Event, }
    9 "PJRT_Event_OnReady" => EventOnReady {
        event: *mut Event,
        callback: Option<unsafe extern "C" fn(*mut Error, *mut c_void)>,
        user_arg: *mut c_void,
    }
    10 "PJRT_Client_Create" => ClientCreate {
        create_options: *const NamedValue,
        num_options: usize,
        kv_get_callback: *const c_void,
        kv_get_user_arg: *mut c_void,
        kv_put_callback: *const c_void,
        kv_put_user_arg: *mut c_void,
        client: *mut Client,
        kv_try_get_callback: *const c_void,
        kv_try_get_user_arg: *mut c_void,
    }
    11 "PJRT_Client_Destroy" => ClientDestroy { client: *mut Client, }
    12 "PJRT_Client_PlatformName" => ClientPlatformName {
        client: *mut Client,
        platform_name: *const c_char,
        platform_name_size: usize,
    }
    14 "PJRT_Client_PlatformVersion" => ClientPlatformVersion {
        client: *mut Client,
        platform_version: *const c_char,
        platform_version_size: usize,
    }
    16 "PJRT_Client_AddressableDevices" => ClientAddressableDevices {
        client: *mut Client,
        addressable_devices: *const *mut Device,
        num_addressable_devices: usize,
    }
    20 "PJRT_Client_Compile" => ClientCompile {
        client: *mut Client,
        program: *const Program,
        compile_options: *const c_char,
        compile_options_size: usize,
        executable: *mut LoadedExecutable,
    }
    22 "PJRT_Client_BufferFromHostBuffer" => BufferFromHost {
        client: *mut Client,
        data: *const c_void,
        element_type: c_int,
        dims: *const i64,
        num_dims: usize,
        byte_strides: *const i64,
        num_byte_strides: usize,
        host_buffer_semantics: c_int,
        device: *mut Device,
        memory: *mut Memory,
        device_layout: *mut MemoryLayout,
        done_with_host_buffer: *mut Event,
        buffer: *mut Buffer,
    }
    23 "PJRT_DeviceDescription_Id" => DescriptionId { description: *mut DeviceDescription, id: c_int, }
    26 "PJRT_DeviceDescription_Kind" => DescriptionKind {
        description: *mut DeviceDescription,
        kind: *const c_char,
        kind_size: usize,
    }
    28 "PJRT_DeviceDescription_ToString" => DescriptionToString {
        description: *mut DeviceDescription,
        to_string: *const c_char,
        to_string_size: usize,
    }
    29 "PJRT_Device_GetDescription" => DeviceGetDescription {
        device: *mut Device,
        description: *mut DeviceDescription,
    }
    34 "PJRT_Device_MemoryStats" => DeviceMemoryStats {
        device: *mut Device,
        bytes_in_use: i64,
        peak_bytes_in_use: Statistic,
        num_allocs: Statistic,
        largest_alloc_size: Statistic,
        bytes_limit: Statistic,
        others: [Statistic; 7],
    }
    40 "PJRT_Executable_Destroy" => ExecutableDestroy { executable: *mut Executable, }
    44 "PJRT_Executable_NumOutputs" => ExecutableNumOutputs { executable: *mut Executable, num_outputs: usize, }
    50 "PJRT_LoadedExecutable_Destroy" => LoadedDestroy { executable: *mut LoadedExecutable, }
    51 "PJRT_LoadedExecutable_GetExecutable" => LoadedGetExecutable {
        loaded_executable: *mut LoadedExecutable,
        executable: *mut Executable,
    }
    52 "PJRT_LoadedExecutable_AddressableDevices" => LoadedAddressableDevices {
        executable: *mut LoadedExecutable,
        addressable_devices: *const *mut Device,
        num_addressable_devices: usize,
    }
    55 "PJRT_LoadedExecutable_Execute" => LoadedExecute {
        executable: *mut LoadedExecutable,
        options: *mut ExecuteOptions,
        argument_lists: *const *const *mut Buffer,
        num_devices: usize,
        num_args: usize,
        output_lists: *const *mut *mut Buffer,
        device_complete_events: *mut *mut Event,
        execute_device: *mut Device,
    }
    58 "PJRT_Buffer_Destroy" => BufferDestroy { buffer: *mut Buffer, }
    59 "PJRT_Buffer_ElementType" => BufferElementType { buffer: *mut Buffer, element_type: c_int, }
    60 "PJRT_Buffer_Dimensions" => BufferDimensions { buffer: *mut Buffer, dims: *const i64, num_dims: usize, }
    68 "PJRT_Buffer_IsDeleted" => BufferIsDeleted { buffer: *mut Buffer, is_deleted: bool, }
    69 "PJRT_Buffer_CopyToDevice" => BufferCopyToDevice {
        buffer: *mut Buffer,
        dst_device: *mut Device,
        dst_buffer: *mut Buffer,
    }
    70 "PJRT_Buffer_ToHostBuffer" => BufferToHost {
        src: *mut Buffer,
        host_layout: *mut MemoryLayout,
        dst: *mut c_void,
        dst_size: usize,
        event: *mut Event,
    }
    72 "PJRT_Buffer_ReadyEvent" => BufferReadyEvent { buffer: *mut Buffer, event: *mut Event, }
}

/// A number that a device may or may not know.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Statistic {
    pub value: i64,
    pub is_set: bool,
}

/// A program to be compiled.
#[repr(C)]
pub struct Program {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub code: *mut c_char,
    pub code_size: usize,
    pub format: *const c_char,
    pub format_size: usize,
    pub later: LaterFields,
}
sized!(Program);

/// How one execution goes.
#[repr(C)]
pub struct ExecuteOptions {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub send_callbacks: *mut c_void,
    pub recv_callbacks: *mut c_void,
    pub num_send_ops: usize,
    pub num_recv_ops: usize,
    pub launch_id: c_int,
    pub non_donatable_input_indices: *const i64,
    pub num_non_donatable_input_indices: usize,
    pub context: *mut c_void,
    pub call_location: *const c_char,
    pub num_tasks: usize,
    pub task_ids: *mut c_int,
    pub incarnation_ids: *mut i64,
    pub multi_slice_config: *mut c_void,
    pub use_major_to_minor_data_layout_for_callbacks: bool,
    pub hlo_output_callbacks: *mut c_void,
    pub num_hlo_output_callbacks: usize,
    pub later: LaterFields,
}
sized!(ExecuteOptions);

/// An option or an attribute. Stands in lists: no words for later.
#[repr(C)]
pub struct NamedValue {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub name: *const c_char,
    pub name_size: usize,
    pub kind: c_int,
    pub value: Value,
    pub value_size: usize,
}
sized!(NamedValue);

#[repr(C)]
pub union Value {
    pub string: *const c_char,
    pub int: i64,
    pub ints: *const i64,
    pub float: f32,
    pub bool: bool,
}

pub const VALUE_STRING: c_int = 0;
pub const VALUE_INT: c_int = 1;
pub const VALUE_INTS: c_int = 2;
pub const VALUE_FLOAT: c_int = 3;
pub const VALUE_BOOL: c_int = 4;

/// The order of axes in memory, without tiles; the other kind of layout (strides) is not used, and is smaller.
#[repr(C)]
pub struct MemoryLayout {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub tiled: TiledLayout,
    pub kind: c_int,
    pub later: LaterFields,
}
sized!(MemoryLayout);

#[repr(C)]
pub struct TiledLayout {
    pub struct_size: usize,
    pub extension_start: *mut c_void,
    pub minor_to_major: *const i64,
    pub minor_to_major_size: usize,
    pub tile_dims: *const i64,
    pub tile_dim_sizes: *const usize,
    pub num_tiles: usize,
}

/// The plugin copies the host's elements before the call returns.
pub const ONLY_DURING_CALL: c_int = 0;
/// The plugin reads the host's elements until an event says that it is done.
pub const UNTIL_TRANSFER_COMPLETES: c_int = 1;

pub const UNKNOWN: c_int = 2;
pub const RESOURCE_EXHAUSTED: c_int = 8;
pub const UNIMPLEMENTED: c_int = 12;

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::offset_of;

    /// Sizes and offsets as a C compiler gives them for the header.
    #[test]
    fn layouts_are_those_of_the_header() {
        assert_eq!(offset_of!(ErrorGetCode, code) + size_of::<c_int>(), 28);
        assert_eq!(offset_of!(EventIsReady, is_ready) + 1, 25);
        assert_eq!(offset_of!(EventOnReady, later), 40);
        assert_eq!(offset_of!(ClientCreate, client), 64);
        assert_eq!(offset_of!(ClientCreate, later), 88);
        assert_eq!(offset_of!(ClientCompile, later), 56);
        assert_eq!(offset_of!(Program, later), 48);
        assert_eq!(size_of::<NamedValue>(), 56);
        assert_eq!(offset_of!(BufferFromHost, later), 120);
        assert_eq!(offset_of!(DescriptionId, id) + size_of::<c_int>(), 28);
        assert_eq!(offset_of!(DeviceMemoryStats, bytes_limit), 80);
        assert_eq!(offset_of!(DeviceMemoryStats, later), 208);
        assert_eq!(offset_of!(LoadedExecute, later), 80);
        assert_eq!(offset_of!(ExecuteOptions, non_donatable_input_indices), 56);
        assert_eq!(offset_of!(ExecuteOptions, later), 144);
        assert_eq!(offset_of!(BufferToHost, later), 56);
        assert_eq!(offset_of!(MemoryLayout, kind), 72);
        assert_eq!(size_of::<TiledLayout>(), 56);
        assert_eq!(size_of::<Table>(), 40);
    }
}
