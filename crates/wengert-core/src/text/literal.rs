//! Numbers and arrays of numbers in text, exact to the bit.

use super::{Parser, Printer};
use crate::error::Result;
use crate::host::{Element, Scalar, Tensor};
use crate::types::{DType, Type};
use crate::with_dtype;
use num_complex::Complex;

/// Arrays longer than this are written as bytes in hexadecimal.
const LONGEST_LIST: usize = 64;
/// In a text for people, arrays longer than this are cut.
const LONGEST_SHOWN: usize = 8;

fn float(x: f64, exact_nan: u128, quiet_nan: u128) -> String {
    if x.is_nan() && exact_nan != quiet_nan {
        return format!("0x{exact_nan:x}");
    }
    format!("{x:?}")
}

/// One number, without its type.
pub(crate) fn scalar(s: Scalar) -> String {
    match s {
        Scalar::Bool(x) => x.to_string(),
        Scalar::F32(x) if x.is_finite() => format!("{x:?}"),
        Scalar::C64(c) => {
            format!("({}, {})", scalar(Scalar::F32(c.re)), scalar(Scalar::F32(c.im)))
        }
        Scalar::C128(c) => {
            format!("({}, {})", scalar(Scalar::F64(c.re)), scalar(Scalar::F64(c.im)))
        }
        Scalar::F16(_) | Scalar::BF16(_) | Scalar::F32(_) | Scalar::F64(_) => {
            float(s.as_f64().expect("a real number"), s.bits(), Scalar::from_f64(s.dtype(), f64::NAN).bits())
        }
        Scalar::U64(x) => x.to_string(),
        s => s.as_i64().expect("an integer").to_string(),
    }
}

impl Printer {
    /// A tensor: `2.0:f32[3]`, or `dense[1.0, 2.0]:f32[2]`.
    pub fn tensor(&mut self, t: &Tensor) {
        if let Some(s) = t.splat_value() {
            self.word(&scalar(s));
        } else if t.size() > LONGEST_SHOWN && !self.is_full() {
            self.word("dense[");
            for i in 0..4 {
                self.word(&scalar(t.get(i)));
                self.word(", ");
            }
            self.word("…]");
        } else if t.size() <= LONGEST_LIST {
            self.word("dense[");
            for i in 0..t.size() {
                if i > 0 {
                    self.word(", ");
                }
                self.word(&scalar(t.get(i)));
            }
            self.word("]");
        } else {
            let digits = t.dtype().size() * 2;
            self.word("dense\"");
            for i in 0..t.size() {
                self.display(format_args!("{:0digits$x}", t.get(i).bits()));
            }
            self.word("\"");
        }
        self.word(":");
        self.display(t.ty());
    }
}

/// A number as it stands in the text, before its type is known.
#[derive(Clone, Copy)]
enum RawNumber<'a> {
    Word(&'a str),
    Pair(&'a str, &'a str),
}

/// A tensor of the elements with these bits, of which there are `n`.
fn collect(ty: Type, n: usize, mut bits: impl FnMut(usize) -> Result<u128>) -> Result<Result<Tensor>> {
    with_dtype!(ty.dtype, T => {
        let elements = (0..n).map(|i| bits(i).map(<T as Element>::from_bits)).collect::<Result<Vec<T>>>()?;
        Ok(Tensor::new(ty.shape, elements))
    })
}

/// A hexadecimal number no longer than an element is.
fn hexadecimal(dtype: DType, digits: &str) -> Option<u128> {
    // `from_str_radix` would take a sign.
    let plain = digits.bytes().all(|c| c.is_ascii_hexdigit());
    let bits = u128::from_str_radix(digits, 16).ok().filter(|_| plain)?;
    (dtype.bits() == 128 || bits >> dtype.bits() == 0).then_some(bits)
}

fn real(dtype: DType, w: &str) -> Option<Scalar> {
    if let Some(digits) = w.strip_prefix("0x") {
        return hexadecimal(dtype, digits).map(|bits| Scalar::from_bits(dtype, bits));
    }
    match dtype {
        DType::Bool => w.parse().ok().map(Scalar::Bool),
        DType::F32 => w.parse().ok().map(Scalar::F32),
        DType::U64 => w.parse().ok().map(Scalar::U64),
        d if d.is_integer() => {
            let i: i64 = w.parse().ok()?;
            Some(Scalar::from_i64(d, i)).filter(|s| s.as_i64() == Some(i))
        }
        d if d.is_float() => w.parse().ok().map(|x: f64| Scalar::from_f64(d, x)),
        _ => None,
    }
}

impl<'a> Parser<'a> {
    fn raw(&mut self) -> Result<RawNumber<'a>> {
        if !self.accept("(") {
            return Ok(RawNumber::Word(self.literal_word()?));
        }
        let re = self.literal_word()?;
        self.expect(",")?;
        let im = self.literal_word()?;
        self.expect(")")?;
        Ok(RawNumber::Pair(re, im))
    }

    fn scalar(&self, at: usize, raw: RawNumber<'a>, dtype: DType) -> Result<Scalar> {
        let value = match raw {
            RawNumber::Word(w) => real(dtype, w),
            RawNumber::Pair(re, im) => match (real(dtype.real(), re), real(dtype.real(), im)) {
                (Some(Scalar::F32(re)), Some(Scalar::F32(im))) => Some(Scalar::C64(Complex::new(re, im))),
                (Some(Scalar::F64(re)), Some(Scalar::F64(im))) => Some(Scalar::C128(Complex::new(re, im))),
                _ => None,
            },
        };
        value.filter(|v| v.dtype() == dtype).ok_or_else(|| {
            let written = match raw {
                RawNumber::Word(w) => w.to_string(),
                RawNumber::Pair(re, im) => format!("({re}, {im})"),
            };
            self.error_at(at, format!("`{written}` is not a number of type {dtype}"))
        })
    }

    /// Reads what [`Printer::tensor`] writes.
    pub fn tensor(&mut self) -> Result<Tensor> {
        let at = self.position();
        if !self.accept("dense") {
            let raw = self.raw()?;
            let ty = self.literal_type()?;
            return Ok(Tensor::splat(ty.shape, self.scalar(at, raw, ty.dtype)?));
        }
        let tensor = if self.accept("[") {
            let raws = self.items("]", |p| Ok((p.position(), p.raw()?)))?;
            let ty = self.literal_type()?;
            let bits = |i: usize| Ok(self.scalar(raws[i].0, raws[i].1, ty.dtype)?.bits());
            collect(ty.clone(), raws.len(), bits)?
        } else {
            let hex = self.string()?;
            let ty = self.literal_type()?;
            let digits = ty.dtype.size() * 2;
            let whole = hex.is_ascii() && hex.len() % digits == 0;
            let bits = |i: usize| {
                let word = if whole { &hex[i * digits..(i + 1) * digits] } else { "" };
                hexadecimal(ty.dtype, word).ok_or_else(|| {
                    self.error_at(at, format!("these are not elements of type {} in hexadecimal", ty.dtype))
                })
            };
            collect(ty.clone(), hex.len().div_ceil(digits), bits)?
        };
        tensor.map_err(|e| self.error_at(at, e.message()))
    }

    fn literal_type(&mut self) -> Result<Type> {
        self.expect(":")?;
        self.ty()
    }
}
