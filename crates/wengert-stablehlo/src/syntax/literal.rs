//! The elements of arrays of numbers: nested lists, one value repeated, or bytes in hexadecimal.

use super::cursor::{Cursor, parse_int};
use wengert_core::{DType, Element, Scalar, Tensor, Type, counted, with_dtype};

/// What is wrong, and how far into the text.
type Wrong = (usize, String);

/// The array written between the angle brackets of `dense<…>`.
pub(super) fn tensor(body: &str, ty: &Type) -> Result<Tensor, Wrong> {
    if body.is_empty() {
        return match ty.shape.size() {
            0 => Ok(Tensor::zeros(ty).dense()),
            n => Err((0, format!("there are no elements here, and {ty} has {n}"))),
        };
    }
    if let Some(hex) = body.strip_prefix('"').and_then(|b| b.strip_suffix('"')) {
        return bytes(hex).and_then(|b| from_bytes(&b, ty)).map_err(|m| (0, m));
    }
    let mut p = Cursor::new(body);
    if p.peek() != Some(b'[') {
        let value = element(&mut p, ty.dtype)?;
        end(&mut p)?;
        return Ok(Tensor::splat(ty.shape.clone(), value));
    }
    let tensor = with_dtype!(ty.dtype, T => Tensor::new(ty.shape.clone(), elements::<T>(&mut p, ty)?));
    end(&mut p)?;
    tensor.map_err(|e| (0, e.message().into()))
}

fn end(p: &mut Cursor<'_>) -> Result<(), Wrong> {
    match p.position() {
        at if at < p.text.len() => Err((at, "expected nothing after the elements".into())),
        _ => Ok(()),
    }
}

/// Nested lists with as many levels as the type has axes.
fn elements<T: Element>(p: &mut Cursor<'_>, ty: &Type) -> Result<Vec<T>, Wrong> {
    let mut out: Vec<T> = Vec::new();
    // For each open list, how many items it has so far.
    let mut counts: Vec<usize> = Vec::new();
    loop {
        let at = p.position();
        if p.accept("[") {
            if counts.len() == ty.rank() {
                return Err((at, format!("this list is nested deeper than {ty} has axes")));
            }
            counts.push(0);
            if !p.next_is("]") {
                continue;
            }
        } else if counts.len() == ty.rank() {
            let Some(x) = T::from_scalar(element(p, ty.dtype)?) else {
                return Err((at, format!("this is not a value of type {}", ty.dtype)));
            };
            out.push(x);
            if let Some(n) = counts.last_mut() {
                *n += 1;
            }
        } else {
            return Err((at, format!("expected a list here: {ty} has {}", counted(ty.rank(), "axis"))));
        }
        loop {
            let at = p.position();
            if p.accept(",") {
                break;
            }
            if !p.accept("]") {
                return Err((at.min(p.text.len()), "expected `,` or `]`".into()));
            }
            let (n, want) = (counts.pop().unwrap_or(0), ty.shape.get(counts.len()).copied().unwrap_or(0));
            if n != want {
                return Err((at, format!("this list has {n} items, and {ty} needs {want}")));
            }
            match counts.last_mut() {
                Some(outer) => *outer += 1,
                None => return Ok(out),
            }
        }
    }
}

/// One element: a number, `true`, the bits of a float in hexadecimal, or `(re,im)`.
fn element(p: &mut Cursor<'_>, dtype: DType) -> Result<Scalar, Wrong> {
    let at = p.position();
    let wrong = || (at, format!("this is not a value of type {dtype}"));
    if dtype.is_complex() {
        let part = |p: &mut Cursor<'_>| element(p, dtype.real());
        // One real number is fine too.
        let re = match p.accept("(") {
            true => part(p)?,
            false => return Ok(Scalar::from_complex(dtype, part(p)?.as_complex())),
        };
        p.expect(",").map_err(|_| wrong())?;
        let im = part(p)?;
        p.expect(")").map_err(|_| wrong())?;
        return Ok(Scalar::from_bits(dtype, re.bits() << dtype.real().bits() | im.bits()));
    }
    if dtype == DType::Bool && p.next_is("true") | p.next_is("false") {
        return Ok(Scalar::Bool(p.word() == Some("true")));
    }
    let text = p.number_text().ok_or_else(wrong)?;
    let integer = parse_int(text);
    if dtype.is_float() {
        return match integer {
            Some(bits) if text.starts_with("0x") => match bits >> dtype.bits() {
                0 => Ok(Scalar::from_bits(dtype, bits as u128)),
                _ => Err(wrong()),
            },
            _ => text.parse().map(|x| Scalar::from_f64(dtype, x)).map_err(|_| wrong()),
        };
    }
    // Integers without a sign of their own may be written either way.
    let (low, high) = match dtype.is_signed() {
        true => (-(1i128 << (dtype.bits() - 1)), (1i128 << dtype.bits()) - 1),
        false => (0, (1i128 << dtype.bits()) - 1),
    };
    match integer {
        Some(n) if low <= n && n <= high => Ok(Scalar::from_bits(dtype, n as u128)),
        _ => Err(wrong()),
    }
}

/// `0x0123…` as bytes.
fn bytes(hex: &str) -> Result<Vec<u8>, String> {
    let digit = |c: u8| (c as char).to_digit(16).map(|d| d as u8);
    let digits =
        hex.strip_prefix("0x").filter(|d| d.len().is_multiple_of(2)).ok_or("expected `0x` and pairs of digits")?;
    let pair = |c: &[u8]| Some(digit(c[0])? << 4 | digit(c[1])?);
    digits.as_bytes().chunks_exact(2).map(pair).collect::<Option<_>>().ok_or("expected hexadecimal digits".into())
}

/// The array in a resource: after four bytes that say its alignment.
pub(super) fn resource(hex: &str, ty: &Type) -> Result<Tensor, String> {
    let bytes = bytes(hex)?;
    from_bytes(bytes.get(4..).ok_or("a resource begins with its alignment in four bytes")?, ty)
}

fn from_bytes(bytes: &[u8], ty: &Type) -> Result<Tensor, String> {
    let (n, size, shape) = (ty.shape.size(), ty.dtype.size(), ty.shape.clone());
    if ty.dtype == DType::Bool && bytes.len() != n && bytes.len() == n.div_ceil(8) {
        // Older printers pack eight to a byte.
        let bits: Vec<bool> = (0..n).map(|i| bytes[i / 8] >> (i % 8) & 1 == 1).collect();
        return Tensor::new(shape, bits).map_err(|e| e.message().into());
    }
    let scalar = |chunk: &[u8]| {
        let read = |b: &[u8]| b.iter().rev().fold(0u128, |n, &b| n << 8 | b as u128);
        let bits = match ty.dtype.is_complex() {
            true => read(&chunk[..size / 2]) << (size * 4) | read(&chunk[size / 2..]),
            false => read(chunk),
        };
        Scalar::from_bits(ty.dtype, bits)
    };
    if bytes.len() == size && n != 1 {
        return Ok(Tensor::splat(shape, scalar(bytes)));
    }
    if Some(bytes.len()) != n.checked_mul(size) {
        return Err(format!("{} bytes do not make an array of type {ty}", bytes.len()));
    }
    with_dtype!(ty.dtype, T => {
        let element = |c| <T as Element>::from_bits(scalar(c).bits());
        Tensor::new(shape, bytes.chunks_exact(size).map(element).collect::<Vec<T>>()).map_err(|e| e.message().into())
    })
}
