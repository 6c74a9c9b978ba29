//! Tensors as the bytes that files have: row-major, real parts before imaginary ones.

use crate::error::{Error, ErrorKind, Result};
use crate::host::Tensor;
use crate::types::{DType, Shape, Type};
use crate::with_dtype;
use std::io::{self, Write};

/// As many elements of a splat are written at a time.
const PIECE: usize = 1 << 16;

/// The elements in row-major order, little end first.
pub fn to_bytes(t: &Tensor) -> Vec<u8> {
    let mut bytes = t.dense().raw().to_vec();
    if t.size() == 0 {
        bytes.clear();
    }
    if cfg!(target_endian = "big") {
        reverse_parts(t.dtype(), &mut bytes);
    }
    bytes
}

/// Writes the elements in row-major order, little end first. A splat is never spelled out whole.
pub fn write_bytes(t: &Tensor, to: &mut dyn Write) -> io::Result<()> {
    match t.splat_value() {
        _ if t.size() == 0 => Ok(()),
        None if cfg!(target_endian = "little") => to.write_all(t.raw()),
        None => to.write_all(&to_bytes(t)),
        Some(value) => {
            let piece = to_bytes(&Tensor::splat([PIECE.min(t.size())], value));
            (0..t.size() / PIECE).try_for_each(|_| to.write_all(&piece))?;
            to.write_all(&piece[..t.size() % PIECE * t.dtype().size()])
        }
    }
}

/// Turns the bytes of each number around.
fn reverse_parts(dtype: DType, bytes: &mut [u8]) {
    bytes.chunks_exact_mut(dtype.real().size()).for_each(<[u8]>::reverse);
}

/// The elements of `bytes`, as many as the shape has.
pub fn from_bytes(dtype: DType, shape: Shape, bytes: &[u8], big_endian: bool) -> Result<Tensor> {
    let ty = Type::new(dtype, shape);
    ty.check().map_err(|e| Error::new(ErrorKind::File, e.message()))?;
    if ty.bytes() != Some(bytes.len()) {
        let message = format!("{} bytes of elements do not make an array of type {ty}", bytes.len());
        return Err(Error::new(ErrorKind::File, message));
    }
    let mut t = Tensor::room(&ty);
    let mut room = t.view_mut().expect("nothing shares it");
    if dtype == DType::Bool {
        // Any byte but 0 is true, as NumPy has it.
        room.elements().iter_mut().zip(bytes).for_each(|(x, b)| *x = *b != 0);
        return Ok(t);
    }
    with_dtype!(dtype, T => {
        let room = room.elements::<T>();
        // SAFETY: numbers are plain: any bytes make one, and there are as many bytes as the room has.
        let room = unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast::<u8>(), bytes.len()) };
        room.copy_from_slice(bytes);
        if big_endian != cfg!(target_endian = "big") {
            reverse_parts(dtype, room);
        }
    });
    Ok(t)
}
