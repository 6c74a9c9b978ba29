//! Tensors as the bytes that files have: row-major, real parts before imaginary ones.

use crate::error::{Error, ErrorKind, Result};
use crate::tensor::{Element, Tensor};
use crate::types::{DType, Shape, Type};
use crate::{with_data, with_dtype};

/// The bits of a complex number with its parts exchanged: files have the real part first.
fn swap_parts(dtype: DType, bits: u128) -> u128 {
    if !dtype.is_complex() {
        return bits;
    }
    let width = dtype.size() * 4;
    bits >> width | (bits << (128 - width)) >> (128 - 2 * width)
}

/// The elements in row-major order, little end first.
pub fn to_bytes(t: &Tensor) -> Vec<u8> {
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
pub fn from_bytes(dtype: DType, shape: Shape, bytes: &[u8], big_endian: bool) -> Result<Tensor> {
    let ty = Type::new(dtype, shape);
    ty.check().map_err(|e| Error::new(ErrorKind::File, e.message()))?;
    if ty.bytes() != Some(bytes.len()) {
        let message = format!("{} bytes of elements do not make an array of type {ty}", bytes.len());
        return Err(Error::new(ErrorKind::File, message));
    }
    let part = dtype.real().size();
    let element = |bytes: &[u8]| {
        if dtype == DType::Bool {
            // Any byte but 0 is true, as NumPy has it.
            return (bytes[0] != 0).into();
        }
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
