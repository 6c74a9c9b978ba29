//! The code of instructions that read and write memory, and of calls.
//!
//! Registers hold pointers as numbers; scales, offsets, lengths and the addresses of functions lie in registers as well,
//! which hold constants.

use super::codes::{Code, Lanes, LanesCode, Places, ScalarCode, with};
use super::number::Scalar;
use crate::ir::{Kind, Signature};

/// A register.
///
/// # Safety
/// There is one of this number.
#[inline(always)]
unsafe fn get(r: *mut u64, at: u32) -> u64 {
    // SAFETY: as above.
    unsafe { *r.add(at as usize) }
}

/// `base + index · scale + offset`, where these are the places from the second on.
///
/// # Safety
/// The places are those of registers.
#[inline(always)]
unsafe fn address(r: *mut u64, at: &Places) -> u64 {
    // SAFETY: as above.
    unsafe { get(r, at[1]).wrapping_add(get(r, at[2]).wrapping_mul(get(r, at[3]))).wrapping_add(get(r, at[4])) }
}

/// # Safety
/// The places are those of registers, and the memory at the address can be read.
unsafe fn load<T: Scalar>(r: *mut u64, at: &Places) {
    // SAFETY: as above.
    unsafe { *r.add(at[0] as usize) = (address(r, at) as *const T).read_unaligned().bits() }
}

/// # Safety
/// The places are those of registers, and the memory at the address can be written.
unsafe fn store<T: Scalar>(r: *mut u64, at: &Places) {
    // SAFETY: as above.
    unsafe { (address(r, at) as *mut T).write_unaligned(T::read(get(r, at[0]))) }
}

/// # Safety
/// The places are those of registers.
unsafe fn pointer(r: *mut u64, at: &Places) {
    // SAFETY: as above.
    unsafe { *r.add(at[0] as usize) = address(r, at) }
}

/// # Safety
/// The places are those of registers.
unsafe fn copy_register(r: *mut u64, at: &Places) {
    // SAFETY: as above.
    unsafe { *r.add(at[0] as usize) = get(r, at[1]) }
}

/// # Safety
/// The places are those of registers: from, to, and how many bytes. The memory can be read and written, and does not
/// overlap.
unsafe fn copy(r: *mut u64, at: &Places) {
    // SAFETY: as above.
    unsafe {
        std::ptr::copy_nonoverlapping(get(r, at[0]) as *const u8, get(r, at[1]) as *mut u8, get(r, at[2]) as usize)
    }
}

/// Reads from an address.
pub(super) fn load_of(kind: Kind) -> ScalarCode {
    with!(T = unsigned kind => load::<T>)
}

/// Writes to an address.
pub(super) fn store_of(kind: Kind) -> ScalarCode {
    with!(T = unsigned kind => store::<T>)
}

/// Computes an address.
pub(super) const POINTER: ScalarCode = pointer;

/// Copies a register.
pub(super) const MOVE: ScalarCode = copy_register;

/// Copies bytes.
pub(super) const COPY: ScalarCode = copy;

/// Fills a buffer with what a register holds.
///
/// # Safety
/// The places are those of a buffer of this type and of a register.
unsafe fn splat<T: Scalar>(l: &Lanes, at: &Places) {
    // SAFETY: as above.
    unsafe { l.buffer_mut::<T>(at[0]).fill(T::read(l.register(at[1]))) }
}

/// Fills a buffer with what a register holds: its line, and the number of the register.
pub(super) fn splat_of(kind: Kind) -> LanesCode {
    with!(T = unsigned kind => splat::<T>)
}

/// # Safety
/// The place is that of a buffer of this type.
unsafe fn numbers(l: &Lanes, at: &Places) {
    // SAFETY: as above.
    for (y, i) in unsafe { l.buffer_mut::<u64>(at[0]) }.iter_mut().zip(l.first..) {
        *y = i;
    }
}

/// Fills a buffer with the numbers of the lanes.
pub(super) const NUMBERS: LanesCode = numbers;

/// The address of the first lane where the number is the index: places of base, scale and offset from the second on.
///
/// # Safety
/// The places are those of registers.
#[inline(always)]
unsafe fn first(l: &Lanes, at: &Places) -> *mut u8 {
    // SAFETY: as above.
    unsafe {
        let scaled = l.first.wrapping_mul(l.register(at[2]));
        l.register(at[1]).wrapping_add(scaled).wrapping_add(l.register(at[3])) as *mut u8
    }
}

/// # Safety
/// The places are those of a buffer of this type, and of base, scale and offset; the memory can be read.
unsafe fn load_row<T: Scalar>(l: &Lanes, at: &Places) {
    // SAFETY: as above. The buffer is the interpreter's own: it does not overlap.
    unsafe {
        let (from, scale) = (first(l, at), l.register(at[2]) as isize);
        let y = l.buffer_mut::<T>(at[0]);
        if scale == size_of::<T>() as isize {
            std::ptr::copy_nonoverlapping(from, y.as_mut_ptr().cast(), size_of_val(y));
            return;
        }
        for (i, y) in y.iter_mut().enumerate() {
            *y = from.wrapping_offset(scale.wrapping_mul(i as isize)).cast::<T>().read_unaligned();
        }
    }
}

/// # Safety
/// The places are those of a buffer of this type, and of base, scale and offset; the memory can be written.
unsafe fn store_row<T: Scalar>(l: &Lanes, at: &Places) {
    // SAFETY: as above. The buffer is the interpreter's own: it does not overlap.
    unsafe {
        let (to, scale) = (first(l, at), l.register(at[2]) as isize);
        let x = l.buffer::<T>(at[0]);
        if scale == size_of::<T>() as isize {
            std::ptr::copy_nonoverlapping(x.as_ptr().cast(), to, size_of_val(x));
            return;
        }
        for (i, x) in x.iter().enumerate() {
            to.wrapping_offset(scale.wrapping_mul(i as isize)).cast::<T>().write_unaligned(*x);
        }
    }
}

/// Reads where the index is the number of the lane.
pub(super) fn load_row_of(kind: Kind) -> LanesCode {
    with!(T = unsigned kind => load_row::<T>)
}

/// Writes where the index is the number of the lane.
pub(super) fn store_row_of(kind: Kind) -> LanesCode {
    with!(T = unsigned kind => store_row::<T>)
}

/// # Safety
/// The places are those of buffers of result, base and index, and of registers of scale and offset.
unsafe fn addresses(l: &Lanes, at: &Places) {
    // SAFETY: as above.
    unsafe {
        let (scale, offset) = (l.register(at[3]), l.register(at[4]));
        let (base, index) = (l.buffer::<u64>(at[1]), l.buffer::<u64>(at[2]));
        for ((y, base), index) in l.buffer_mut::<u64>(at[0]).iter_mut().zip(base).zip(index) {
            *y = base.wrapping_add(index.wrapping_mul(scale)).wrapping_add(offset);
        }
    }
}

/// Computes the address of each lane.
pub(super) const ADDRESSES: LanesCode = addresses;

/// # Safety
/// The places are those of buffers of this type and of addresses, which can be read.
unsafe fn gather<T: Scalar>(l: &Lanes, at: &Places) {
    // SAFETY: as above.
    unsafe {
        for (y, &from) in l.buffer_mut::<T>(at[0]).iter_mut().zip(l.buffer::<u64>(at[1])) {
            *y = (from as *const T).read_unaligned();
        }
    }
}

/// # Safety
/// The places are those of buffers of this type and of addresses, which can be written.
unsafe fn scatter<T: Scalar>(l: &Lanes, at: &Places) {
    // SAFETY: as above.
    unsafe {
        for (&x, &to) in l.buffer::<T>(at[0]).iter().zip(l.buffer::<u64>(at[1])) {
            (to as *mut T).write_unaligned(x);
        }
    }
}

/// Reads from the addresses in a buffer.
pub(super) fn gather_of(kind: Kind) -> LanesCode {
    with!(T = unsigned kind => gather::<T>)
}

/// Writes to the addresses in a buffer.
pub(super) fn scatter_of(kind: Kind) -> LanesCode {
    with!(T = unsigned kind => scatter::<T>)
}

/// # Safety
/// The places are those of buffers of addresses, from and to, and of a register that holds how many bytes. The memory can
/// be read and written, and does not overlap.
unsafe fn copies(l: &Lanes, at: &Places) {
    // SAFETY: as above.
    unsafe {
        for (&from, &to) in l.buffer::<u64>(at[0]).iter().zip(l.buffer::<u64>(at[1])) {
            std::ptr::copy_nonoverlapping(from as *const u8, to as *mut u8, l.register(at[2]) as usize);
        }
    }
}

/// Copies bytes from the addresses in a buffer to those in another.
pub(super) const COPIES: LanesCode = copies;

/// Calls a function where a condition holds.
macro_rules! call_where {
    ($scalar:ident, $lanes:ident, $T:ident, $f:expr; $($i:tt $X:ident),*) => {
        /// # Safety
        /// The places are those of registers: the result, the condition, the result elsewhere, the arguments, and the
        /// address of a function of these types.
        unsafe fn $scalar(r: *mut u64, at: &Places) {
            // SAFETY: as above.
            unsafe {
                let f: extern "C" fn($($X),*) -> $T = std::mem::transmute(get(r, at[$f]) as *const ());
                let called = u8::read(get(r, at[1])) != 0;
                let y = if called { f($($T::read(get(r, at[$i]))),*) } else { $T::read(get(r, at[2])) };
                *r.add(at[0] as usize) = y.bits();
            }
        }

        /// # Safety
        /// The places are those of buffers, and of a register that holds the address of a function of these types.
        unsafe fn $lanes(l: &Lanes, at: &Places) {
            // SAFETY: as above.
            unsafe {
                let f: extern "C" fn($($X),*) -> $T = std::mem::transmute(l.register(at[$f]) as *const ());
                let y = l.buffer_mut::<$T>(at[0]);
                let (condition, otherwise) = (l.buffer::<u8>(at[1]), l.buffer::<$T>(at[2]));
                for i in 0..l.count {
                    y[i] = if condition[i] != 0 { f($(l.buffer::<$T>(at[$i])[i]),*) } else { otherwise[i] };
                }
            }
        }
    };
}

call_where! { call_where_f32, calls_where_f32, f32, 4; 3 f32 }
call_where! { call_where_f64, calls_where_f64, f64, 4; 3 f64 }
call_where! { call_pair_where_f32, calls_pair_where_f32, f32, 5; 3 f32, 4 f32 }
call_where! { call_pair_where_f64, calls_pair_where_f64, f64, 5; 3 f64, 4 f64 }

/// Calls a function of floats where a condition holds: the places are of the result, the condition, the result elsewhere,
/// the arguments, and a register that holds the function's address.
pub(super) fn call_where_of(signature: Signature) -> Code {
    match signature {
        Signature::F32 => Code { scalar: call_where_f32, lanes: calls_where_f32 },
        Signature::F64 => Code { scalar: call_where_f64, lanes: calls_where_f64 },
        Signature::PairF32 => Code { scalar: call_pair_where_f32, lanes: calls_pair_where_f32 },
        Signature::PairF64 => Code { scalar: call_pair_where_f64, lanes: calls_pair_where_f64 },
        Signature::Kernel => unreachable!("a function of floats, as verified"),
    }
}

/// Calls a kernel with what these registers hold.
///
/// # Safety
/// There are registers of these numbers, and the function at the address takes as many arguments, pointers and `i64`.
pub(super) unsafe fn call_kernel(address: usize, r: *mut u64, x: &[u32]) -> bool {
    let f = address as *const ();
    /// The function takes numbers of 64 bits, as which pointers are passed as well.
    macro_rules! call {
        (@ $i:tt) => {
            u64
        };
        ($($i:tt)*) => {
            // SAFETY: as above.
            unsafe {
                let f: extern "C" fn($(call!(@ $i)),*) -> bool = std::mem::transmute(f);
                f($(get(r, x[$i])),*)
            }
        };
    }
    match x.len() {
        0 => call!(),
        1 => call!(0),
        2 => call!(0 1),
        3 => call!(0 1 2),
        4 => call!(0 1 2 3),
        5 => call!(0 1 2 3 4),
        6 => call!(0 1 2 3 4 5),
        _ => unreachable!("at most six arguments, as verified"),
    }
}
