//! Numbers and arrays of numbers in text, exact to the bit.

use super::{Parser, Printer};
use crate::error::Result;
use crate::tensor::{Data, Scalar, Tensor};
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

fn scalar(s: Scalar) -> String {
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
                self.word(&format!("{:0digits$x}", t.get(i).bits()));
            }
            self.word("\"");
        }
        self.word(&format!(":{}", t.ty()));
    }
}

fn from_bits(dtype: DType, bits: u128) -> Scalar {
    match dtype {
        DType::Bool => Scalar::Bool(bits != 0),
        DType::I8 => Scalar::I8(bits as i8),
        DType::I16 => Scalar::I16(bits as i16),
        DType::I32 => Scalar::I32(bits as i32),
        DType::I64 => Scalar::I64(bits as i64),
        DType::U8 => Scalar::U8(bits as u8),
        DType::U16 => Scalar::U16(bits as u16),
        DType::U32 => Scalar::U32(bits as u32),
        DType::U64 => Scalar::U64(bits as u64),
        DType::F16 => Scalar::F16(half::f16::from_bits(bits as u16)),
        DType::BF16 => Scalar::BF16(half::bf16::from_bits(bits as u16)),
        DType::F32 => Scalar::F32(f32::from_bits(bits as u32)),
        DType::F64 => Scalar::F64(f64::from_bits(bits as u64)),
        DType::C64 => Scalar::C64(Complex::new(f32::from_bits((bits >> 32) as u32), f32::from_bits(bits as u32))),
        DType::C128 => Scalar::C128(Complex::new(f64::from_bits((bits >> 64) as u64), f64::from_bits(bits as u64))),
    }
}

fn collect(dtype: DType, scalars: &[Scalar]) -> Data {
    use crate::tensor::Element;
    let mut data = Data::zeros(dtype, scalars.len());
    with_dtype!(dtype, T => {
        let out = T::unwrap_mut(&mut data).expect("just made with this type");
        for (o, s) in out.iter_mut().zip(scalars) {
            *o = T::unwrap(&s.repeat(1)).expect("parsed with this type")[0];
        }
    });
    data
}

/// A number as it stands in the text, before its type is known.
enum Raw {
    Word(String),
    Pair(String, String),
}

impl Parser<'_> {
    fn raw(&mut self) -> Result<Raw> {
        if self.accept("(") {
            let re = self.literal_word()?;
            self.expect(",")?;
            let im = self.literal_word()?;
            self.expect(")")?;
            return Ok(Raw::Pair(re, im));
        }
        Ok(Raw::Word(self.literal_word()?))
    }

    fn scalar_of(&self, at: usize, raw: &Raw, dtype: DType) -> Result<Scalar> {
        let bad = |w: &str| self.error_at(at, format!("`{w}` is not a number of type {dtype}"));
        match raw {
            Raw::Pair(re, im) if dtype.is_complex() => {
                let re = self.scalar_of(at, &Raw::Word(re.clone()), dtype.real())?;
                let im = self.scalar_of(at, &Raw::Word(im.clone()), dtype.real())?;
                Ok(match (re, im) {
                    (Scalar::F32(re), Scalar::F32(im)) => Scalar::C64(Complex::new(re, im)),
                    (Scalar::F64(re), Scalar::F64(im)) => Scalar::C128(Complex::new(re, im)),
                    _ => unreachable!("the parts of a complex number are f32 or f64"),
                })
            }
            Raw::Pair(re, im) => Err(bad(&format!("({re}, {im})"))),
            Raw::Word(w) => {
                if let Some(hex) = w.strip_prefix("0x") {
                    let bits = u128::from_str_radix(hex, 16).map_err(|_| bad(w))?;
                    return Ok(from_bits(dtype, bits));
                }
                match dtype {
                    DType::Bool => w.parse().map(Scalar::Bool).map_err(|_| bad(w)),
                    DType::F32 => w.parse().map(Scalar::F32).map_err(|_| bad(w)),
                    DType::U64 => w.parse().map(Scalar::U64).map_err(|_| bad(w)),
                    d if d.is_integer() => {
                        let i: i64 = w.parse().map_err(|_| bad(w))?;
                        let s = Scalar::from_i64(d, i);
                        if s.as_i64() == Some(i) { Ok(s) } else { Err(bad(w)) }
                    }
                    d if d.is_float() => w.parse().map(|x: f64| Scalar::from_f64(d, x)).map_err(|_| bad(w)),
                    _ => Err(bad(w)),
                }
            }
        }
    }

    /// Reads what [`Printer::tensor`] writes.
    pub fn tensor(&mut self) -> Result<Tensor> {
        let at = self.position();
        if !self.accept("dense") {
            let raw = self.raw()?;
            self.expect(":")?;
            let ty = self.ty()?;
            return Ok(Tensor::splat(ty.shape.clone(), self.scalar_of(at, &raw, ty.dtype)?));
        }
        let make = |p: &Self, ty: Type, scalars: Vec<Scalar>| {
            Tensor::from_data(ty.shape, collect(ty.dtype, &scalars)).map_err(|e| p.error_at(at, e.message()))
        };
        if self.accept("[") {
            let mut raws = Vec::new();
            while !self.accept("]") {
                if !raws.is_empty() {
                    self.expect(",")?;
                }
                raws.push((self.position(), self.raw()?));
            }
            self.expect(":")?;
            let ty = self.ty()?;
            let scalars = raws.iter().map(|(at, r)| self.scalar_of(*at, r, ty.dtype)).collect::<Result<_>>()?;
            return make(self, ty, scalars);
        }
        let hex = self.string()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let digits = ty.dtype.size() * 2;
        if !hex.is_ascii() || hex.len() % digits != 0 {
            return Err(self.error_at(at, format!("the bytes are not whole elements of type {}", ty.dtype)));
        }
        let scalars = (0..hex.len() / digits)
            .map(|i| {
                u128::from_str_radix(&hex[i * digits..(i + 1) * digits], 16)
                    .map(|bits| from_bits(ty.dtype, bits))
                    .map_err(|_| self.error_at(at, "the bytes are not hexadecimal".to_string()))
            })
            .collect::<Result<_>>()?;
        make(self, ty, scalars)
    }
}
