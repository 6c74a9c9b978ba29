//! Constants, spelled so that every bit comes back.

use std::fmt::{self, Display, Formatter, Write};
use wengert_core::{DType, Element, Scalar, Tensor, with_elements};

/// More elements than this go out as bytes.
const SPELLED: usize = 64;

/// The elements of a constant: `dense<…>`.
pub(super) struct Dense<'a>(pub &'a Tensor);

impl Display for Dense<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let t = self.0;
        f.write_str("dense<")?;
        match repeated(t) {
            Some(s) => number(f, s)?,
            None if t.size() == 0 => (),
            // How bits are packed in the bytes of a bool changed between versions of MLIR.
            None if t.size() > SPELLED && t.dtype() != DType::Bool => bytes(f, t)?,
            None => nested(f, t, 0, &mut 0)?,
        }
        f.write_str(">")
    }
}

/// The one value that all elements have, if they are written so: a short list of equal elements stays one.
pub(super) fn repeated(t: &Tensor) -> Option<Scalar> {
    fn all<T: Element>(v: &[T]) -> Option<Scalar> {
        let (first, rest) = v.split_first()?;
        rest.iter().all(|x| x.bits() == first.bits()).then(|| first.scalar())
    }
    t.splat_value().or_else(|| with_elements!(*t, v => all(v).filter(|_| v.len() > SPELLED)))
}

fn nested(f: &mut Formatter<'_>, t: &Tensor, axis: usize, at: &mut usize) -> fmt::Result {
    if axis == t.shape().rank() {
        *at += 1;
        return number(f, t.get(*at - 1));
    }
    f.write_str("[")?;
    for i in 0..t.shape()[axis] {
        if i > 0 {
            f.write_str(", ")?;
        }
        nested(f, t, axis + 1, at)?;
    }
    f.write_str("]")
}

/// All bytes, lowest first, a complex number as its two parts.
fn bytes(f: &mut Formatter<'_>, t: &Tensor) -> fmt::Result {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let size = t.dtype().size();
    let mut text = String::with_capacity(2 * size * t.size());
    let mut put = |bits: u128, bytes: usize| {
        for byte in &bits.to_le_bytes()[..bytes] {
            text.push(DIGITS[(byte >> 4) as usize] as char);
            text.push(DIGITS[(byte & 15) as usize] as char);
        }
    };
    let complex = t.dtype().is_complex();
    with_elements!(*t, v => for x in v {
        let bits = x.bits();
        match complex {
            true => {
                put(bits >> (size * 4), size / 2);
                put(bits, size / 2);
            }
            false => put(bits, size),
        }
    });
    write!(f, "\"0x{text}\"")
}

/// One element.
fn number(f: &mut Formatter<'_>, s: Scalar) -> fmt::Result {
    match s {
        Scalar::Bool(b) => write!(f, "{b}"),
        Scalar::U64(x) => write!(f, "{x}"),
        Scalar::C64(c) => write!(f, "({},{})", Float(c.re.scalar()), Float(c.im.scalar())),
        Scalar::C128(c) => write!(f, "({},{})", Float(c.re.scalar()), Float(c.im.scalar())),
        s => match s.as_i64() {
            Some(i) => write!(f, "{i}"),
            None => Float(s).fmt(f),
        },
    }
}

/// A float: the fewest digits that read back to it, or its bits.
struct Float(Scalar);

impl Display for Float {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let s = self.0;
        let mut text = String::new();
        match s {
            Scalar::F32(x) => write!(text, "{x:?}")?,
            s => write!(text, "{:?}", s.as_f64().expect("a real number"))?,
        }
        // Readers go through f64, and some digits that are enough for f32 are rounded twice on that way.
        let back = text.parse().map(|x| Scalar::from_f64(s.dtype(), x));
        match s.as_f64().is_some_and(f64::is_finite) && back == Ok(s) {
            false => write!(f, "0x{:0digits$X}", s.bits(), digits = 2 * s.dtype().size()),
            true => match text.split_once('e') {
                // A number has a point.
                Some((digits, exponent)) if !digits.contains('.') => write!(f, "{digits}.0e{exponent}"),
                _ => f.write_str(&text),
            },
        }
    }
}
