//! Arrays on devices, and the events that say when they are ready.

use crate::api::{Api, list};
use crate::client::{Client, Device, non_null};
use crate::ffi::{self, Call};
use smallvec::SmallVec;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::ptr::NonNull;
use std::time::{Duration, Instant};
use wengert_core::{DType, Error, ErrorKind, Result, Shape, Tensor, Type};

/// Arrays up to this many bytes are copied by the call that sends them; larger ones are read while the caller goes on.
const COPIED: usize = 1 << 14;

/// A waiting thread spins this long before it sleeps: a small program takes less time than waking a thread, and processors
/// whose threads all sleep take about as long again to wake.
const AWAKE: Duration = Duration::from_millis(2);

/// An array on a device. Work that makes its elements may still be under way; whatever reads them waits for it.
pub struct Buffer {
    owned: OwnedHandle,
    ty: Type,
    device: usize,
}

/// A buffer of the plugin, freed when this is dropped.
pub(crate) struct OwnedHandle {
    client: Client,
    buffer: NonNull<ffi::Buffer>,
}

// SAFETY: PJRT buffers may be used from any thread.
unsafe impl Send for OwnedHandle {}
// SAFETY: as above.
unsafe impl Sync for OwnedHandle {}

impl Drop for OwnedHandle {
    fn drop(&mut self) {
        let mut args = ffi::BufferDestroy { buffer: self.buffer.as_ptr(), ..Call::new() };
        // SAFETY: the buffer is ours alone. The plugin frees the memory when work that reads it is done.
        unsafe { self.client.0.api.free(&mut args) };
    }
}

impl OwnedHandle {
    pub(crate) fn new(client: &Client, buffer: *mut ffi::Buffer) -> Result<OwnedHandle> {
        Ok(OwnedHandle { client: client.clone(), buffer: non_null(buffer, "a buffer")? })
    }

    /// The type of the buffer, as the plugin says.
    pub(crate) fn query_type(&self) -> Result<Type> {
        let buffer = self.buffer.as_ptr();
        let mut element = ffi::BufferElementType { buffer, ..Call::new() };
        let mut dims = ffi::BufferDimensions { buffer, ..Call::new() };
        // SAFETY: the buffer is valid, and the list lives as long as it.
        let shape: Shape = unsafe {
            self.client.0.api.call("the type of a result can't be read", &mut element)?;
            self.client.0.api.call("the shape of a result can't be read", &mut dims)?;
            list(dims.dims, dims.num_dims).iter().map(|&d| d as usize).collect()
        };
        let dtype = DType::ALL.into_iter().find(|&d| element_type(d) == element.element_type).ok_or_else(|| {
            Error::new(
                ErrorKind::Unsupported,
                format!("a result has elements of PJRT's type {}, which is not known here", element.element_type),
            )
        })?;
        Ok(Type::new(dtype, shape))
    }
}

impl Buffer {
    pub(crate) fn new(owned: OwnedHandle, ty: Type, device: usize) -> Buffer {
        Buffer { owned, ty, device }
    }

    pub(crate) fn client(&self) -> &Client {
        &self.owned.client
    }

    /// Sends a tensor to a device. The transfer may go on after this returns; the tensor's elements are kept until then.
    pub fn from_tensor(device: &Device, tensor: &Tensor) -> Result<Buffer> {
        let tensor = tensor.dense();
        let ty = tensor.ty();
        let dims: SmallVec<[i64; 6]> = ty.shape.iter().map(|&d| d as i64).collect();
        let small = ty.bytes().is_some_and(|n| n <= COPIED);
        let client = &device.client;
        let mut args = ffi::BufferFromHost {
            client: client.0.client.as_ptr(),
            data: tensor.view().start().cast(),
            element_type: element_type(ty.dtype),
            dims: dims.as_ptr(),
            num_dims: dims.len(),
            host_buffer_semantics: if small { ffi::ONLY_DURING_CALL } else { ffi::UNTIL_TRANSFER_COMPLETES },
            device: device.raw(),
            ..Call::new()
        };
        let doing = || format!("an array of type {ty} can't be sent to {device}");
        // SAFETY: the elements are dense, row-major and of this type; they live through the call, and longer if the
        // plugin asks for it (below).
        unsafe { client.0.api.attempt(&mut args) }?.map_err(|f| f.error(&doing()))?;
        let buffer = Buffer::new(OwnedHandle::new(client, args.buffer)?, ty, device.index());
        if let Some(done) = NonNull::new(args.done_with_host_buffer) {
            match small {
                true => drop(Event { client: client.clone(), event: done }),
                false => keep_until(client.0.api, done, tensor),
            }
        }
        Ok(buffer)
    }

    pub(crate) fn raw(&self) -> *mut ffi::Buffer {
        self.owned.buffer.as_ptr()
    }

    /// Element type and shape.
    pub fn ty(&self) -> &Type {
        &self.ty
    }

    /// Where it is.
    pub fn device(&self) -> Device {
        self.client().device(self.device).expect("buffers are made on devices of the list")
    }

    /// An event that happens when the elements are there, or the work that makes them failed.
    pub fn ready(&self) -> Result<Event> {
        let mut args = ffi::BufferReadyEvent { buffer: self.raw(), ..Call::new() };
        // SAFETY: the buffer is valid.
        unsafe { self.client().0.api.call("an array on a device can't be waited for", &mut args) }?;
        Ok(Event { client: self.client().clone(), event: non_null(args.event, "an event")? })
    }

    /// Waits until the elements are there.
    pub fn wait(&self) -> Result<()> {
        self.ready()?.wait()
    }

    /// Copies the elements to the host; waits for them.
    pub fn to_tensor(&self) -> Result<Tensor> {
        let failed =
            |e: Error| e.within(format_args!("an array of type {} can't be read from {}", self.ty, self.device()));
        if self.ty.shape.size() == 0 {
            self.wait().map_err(failed)?;
            return Ok(Tensor::zeros(&self.ty));
        }
        // A byte that is neither 0 nor 1 is no `bool`: such elements are read as numbers first.
        let dtype = if self.ty.dtype == DType::Bool { DType::U8 } else { self.ty.dtype };
        // One element lies in its handle, which must not move while the device writes.
        let mut elements = Box::new(Tensor::room(&self.ty.with_dtype(dtype)));
        let dst_size = elements.stored_bytes();
        let dst = elements.view_mut().expect("nothing shares it").start().cast::<c_void>();
        let order: SmallVec<[i64; 6]> = (0..self.ty.rank() as i64).rev().collect();
        let mut layout = ffi::MemoryLayout::zeroed();
        layout.tiled.struct_size = size_of::<ffi::TiledLayout>();
        layout.tiled.minor_to_major = order.as_ptr();
        layout.tiled.minor_to_major_size = order.len();
        let mut args = ffi::BufferToHost { src: self.raw(), host_layout: &mut layout, dst, dst_size, ..Call::new() };
        // SAFETY: `dst` has room for `dst_size` bytes, and stays until the event below has happened.
        unsafe { self.client().0.api.call("reading fails", &mut args) }.map_err(failed)?;
        let written = match non_null(args.event, "an event") {
            Ok(event) => Event { client: self.client().clone(), event }.settle(),
            Err(e) => Err(e),
        };
        match written {
            Ok(done) => done.map_err(failed)?,
            // The device may still write there: the memory is leaked.
            Err(e) => {
                std::mem::forget(elements);
                return Err(failed(e));
            }
        }
        if self.ty.dtype == DType::Bool {
            return Ok(Tensor::from_bits(&self.ty, |i| u128::from(elements.elements::<u8>()[i] != 0)));
        }
        Ok(*elements)
    }

    /// A copy on another device of the same client.
    pub fn copy_to(&self, device: &Device) -> Result<Buffer> {
        if device.client != *self.client() {
            let m = format!("an array on {} can't be copied to {device}, which is another client's", self.device());
            return Err(Error::new(ErrorKind::Device, m)
                .note("what to do: read it to this machine with `to_tensor`, and send it with `from_tensor`"));
        }
        let mut args = ffi::BufferCopyToDevice { buffer: self.raw(), dst_device: device.raw(), ..Call::new() };
        // SAFETY: buffer and device are valid, and have the same client.
        unsafe { self.client().0.api.call("an array can't be copied to another device", &mut args) }?;
        Ok(Buffer::new(OwnedHandle::new(self.client(), args.dst_buffer)?, self.ty.clone(), device.index()))
    }

    /// Whether the buffer was donated to an execution.
    pub fn is_deleted(&self) -> Result<bool> {
        let mut args = ffi::BufferIsDeleted { buffer: self.raw(), ..Call::new() };
        // SAFETY: the buffer is valid.
        unsafe { self.client().0.api.call("a buffer can't be asked whether it is there", &mut args) }?;
        Ok(args.is_deleted)
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer<{}> on {}", self.ty, self.device())
    }
}

/// Something that happens on a device, once: a transfer ends, or an array is computed.
pub struct Event {
    client: Client,
    event: NonNull<ffi::Event>,
}

// SAFETY: PJRT events may be used from any thread.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    /// Whether it has happened, well or not.
    pub fn is_ready(&self) -> Result<bool> {
        let mut args = ffi::EventIsReady { event: self.event.as_ptr(), ..Call::new() };
        // SAFETY: the event is valid.
        unsafe { self.client.0.api.call("an event can't be asked whether it has happened", &mut args) }?;
        Ok(args.is_ready)
    }

    /// Waits for the event. An error is what went wrong in the work that the event ends.
    pub fn wait(&self) -> Result<()> {
        self.settle()?
    }

    /// As `wait`; the outer error means that waiting failed, and the work may still be under way.
    fn settle(&self) -> Result<Result<()>> {
        let end = Instant::now() + AWAKE;
        while !self.is_ready().unwrap_or(true) && Instant::now() < end {
            std::hint::spin_loop();
        }
        let mut args = ffi::EventAwait { event: self.event.as_ptr(), ..Call::new() };
        // SAFETY: the event is valid.
        let awaited = unsafe { self.client.0.api.attempt(&mut args) }?;
        Ok(awaited.map_err(|f| f.error("work on the device failed")))
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        // SAFETY: the event is ours alone.
        unsafe { self.client.0.api.free(&mut ffi::EventDestroy { event: self.event.as_ptr(), ..Call::new() }) };
    }
}

impl fmt::Debug for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_ready().unwrap_or(false) { "Event(ready)" } else { "Event(pending)" })
    }
}

/// The elements that the plugin still reads. The client is not held: it must not be closed on one of its own threads.
struct KeptAlive {
    api: Api,
    event: NonNull<ffi::Event>,
    _tensor: Tensor,
}

/// Keeps a tensor until an event has happened, without waiting. An error of the transfer shows at the buffer.
fn keep_until(api: Api, event: NonNull<ffi::Event>, tensor: Tensor) {
    /// # Safety
    /// `kept` is a `KeptAlive` that was boxed for this call alone; the error is the callback's.
    unsafe extern "C" fn release(error: *mut ffi::Error, kept: *mut c_void) {
        // SAFETY: the caller's.
        unsafe {
            let kept = Box::from_raw(kept.cast::<KeptAlive>());
            if !error.is_null() {
                kept.api.read(error);
            }
            kept.api.free(&mut ffi::EventDestroy { event: kept.event.as_ptr(), ..Call::new() });
        }
    }
    let kept = Box::into_raw(Box::new(KeptAlive { api, event, _tensor: tensor }));
    let (event, user_arg) = (event.as_ptr(), kept.cast());
    let mut args = ffi::EventOnReady { event, callback: Some(release), user_arg, ..Call::new() };
    // SAFETY: the event is valid until `release` frees it, which is called once, here or on a thread of the plugin.
    // Where the plugin does not take the callback, the transfer is waited for before everything is freed here.
    unsafe {
        if api.call("the end of a transfer can't be waited for", &mut args).is_err() {
            // Where that can't be done either, the elements are leaked: the plugin may read them at any time.
            if api.attempt(&mut ffi::EventAwait { event, ..Call::new() }).is_ok() {
                release(std::ptr::null_mut(), user_arg);
            }
        }
    }
}

/// PJRT's number for an element type.
pub(crate) fn element_type(dtype: DType) -> c_int {
    use DType::*;
    match dtype {
        Bool => 1,
        I8 => 2,
        I16 => 3,
        I32 => 4,
        I64 => 5,
        U8 => 6,
        U16 => 7,
        U32 => 8,
        U64 => 9,
        F16 => 10,
        F32 => 11,
        F64 => 12,
        BF16 => 13,
        C64 => 14,
        C128 => 15,
    }
}
