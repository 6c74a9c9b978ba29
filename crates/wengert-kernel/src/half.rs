//! Floats of 16 bits, by their bits: from and to `f32`. Nothing is computed with them.

/// What an [`F16`](crate::Kind::F16) is as an `f32`; exact.
#[inline(always)]
pub fn f16_to_f32(x: u16) -> f32 {
    let size = (x as u32 & 0x7fff) << 13;
    // Bits where those of an `f32` are say a number too small by 2^112, subnormal ones too.
    let number = (f32::from_bits(size) * f32::from_bits(0x7780_0000)).to_bits();
    // The largest exponent says infinity or NaN.
    let size = if x & 0x7c00 == 0x7c00 { size | 0x7f80_0000 } else { number };
    f32::from_bits(size | (x as u32 & 0x8000) << 16)
}

/// The nearest [`F16`](crate::Kind::F16), ties to even.
#[inline(always)]
pub fn f16_from_f32(x: f32) -> u16 {
    let (size, sign) = (x.to_bits() & 0x7fff_ffff, x.to_bits() >> 16 & 0x8000);
    let normal = (size + 0xfff + (size >> 13 & 1)).wrapping_sub(112 << 23) >> 13;
    // The last bit of one half is worth as much as that of a subnormal number.
    let subnormal = (f32::from_bits(size) + 0.5).to_bits().wrapping_sub(0.5f32.to_bits());
    let number = if size < 113 << 23 { subnormal } else { normal };
    let number = if size >= 143 << 23 { 0x7c00 } else { number };
    let number = if size > 0x7f80_0000 { 0x7e00 } else { number };
    (number | sign) as u16
}

/// What a [`BF16`](crate::Kind::BF16) is as an `f32`; exact.
#[inline(always)]
pub fn bf16_to_f32(x: u16) -> f32 {
    f32::from_bits((x as u32) << 16)
}

/// The nearest [`BF16`](crate::Kind::BF16), ties to even.
#[inline(always)]
pub fn bf16_from_f32(x: f32) -> u16 {
    let bits = x.to_bits();
    let nearest = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
    if x.is_nan() { 0x7fc0 } else { nearest as u16 }
}
