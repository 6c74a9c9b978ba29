//! Arrays in files: NumPy's `.npy`, and `.safetensors`. A damaged file is an error, whatever it claims to hold.

mod npy;
mod safetensors;

pub use self::safetensors::{load_safetensors, save_safetensors};

use std::path::Path;
use wengert_core::{DType, Element, Error, ErrorKind, Result, Shape, Tensor, Type, with_data, with_dtype};

/// An error about a file's content.
fn damaged(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::File, message)
}

/// Says which file it was about.
fn in_file<T>(path: &Path, result: Result<T>) -> Result<T> {
    result.map_err(|e| e.within(path.display()))
}

/// A failure of the operating system.
fn io_error(e: std::io::Error) -> Error {
    Error::new(ErrorKind::File, e.to_string())
}

/// The bits of a complex number with its parts exchanged: files have the real part first.
fn swap_parts(dtype: DType, bits: u128) -> u128 {
    if !dtype.is_complex() {
        return bits;
    }
    let width = dtype.size() * 4;
    bits >> width | (bits << (128 - width)) >> (128 - 2 * width)
}

/// The elements in row-major order, little end first.
fn to_bytes(t: &Tensor) -> Vec<u8> {
    let (dtype, size) = (t.dtype(), t.dtype().size());
    let mut out = Vec::with_capacity(t.size() * size);
    with_data!(t.dense().stored(), v => {
        for x in v {
            out.extend_from_slice(&swap_parts(dtype, x.bits()).to_le_bytes()[..size]);
        }
    });
    out
}

/// The elements of `bytes`, as many as the shape has.
fn from_bytes(dtype: DType, shape: Shape, bytes: &[u8], big_endian: bool) -> Result<Tensor> {
    let ty = Type::new(dtype, shape);
    if ty.bytes() != Some(bytes.len()) {
        return Err(damaged(format!("{} bytes of elements do not make an array of type {ty}", bytes.len())));
    }
    let part = dtype.real().size();
    let element = |bytes: &[u8]| {
        let mut padded = [0; 16];
        padded[..bytes.len()].copy_from_slice(bytes);
        if big_endian {
            padded[..bytes.len()].chunks_mut(part).for_each(<[u8]>::reverse);
        }
        swap_parts(dtype, u128::from_le_bytes(padded))
    };
    let bits = bytes.chunks_exact(dtype.size()).map(element);
    with_dtype!(dtype, T => Tensor::new(ty.shape, bits.map(<T as Element>::from_bits).collect::<Vec<T>>()))
}
