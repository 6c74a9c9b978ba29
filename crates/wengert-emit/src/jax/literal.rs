//! Numbers and arrays as Python text, so that every bit comes back.

use super::layout::Expr;
use wengert_core::{DType, Element, Scalar, Shape, Tensor};

/// The element type as `jax.numpy` has it.
pub(super) fn dtype(d: DType) -> Expr {
    Expr::atom(format!("jnp.{}", dtype_name(d)))
}

pub(super) fn dtype_name(d: DType) -> &'static str {
    match d {
        DType::Bool => "bool_",
        DType::I8 => "int8",
        DType::I16 => "int16",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U8 => "uint8",
        DType::U16 => "uint16",
        DType::U32 => "uint32",
        DType::U64 => "uint64",
        DType::F16 => "float16",
        DType::BF16 => "bfloat16",
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::C64 => "complex64",
        DType::C128 => "complex128",
    }
}

/// An array of no axes.
pub(super) fn scalar(s: Scalar) -> Expr {
    match has_other_nan(s) {
        true => as_bits(scalar(unsigned(s)), s.dtype()),
        false => Expr::call(format!("jnp.{}", dtype_name(s.dtype())), [number(s)]),
    }
}

/// A number that JAX knows while it traces, as it has to know what a window starts from to see which reduction that is.
pub(super) fn known(s: Scalar) -> Expr {
    match s.dtype() {
        DType::BF16 => Expr::call("np.array", [number(s), dtype(DType::BF16)]),
        d => Expr::call(format!("np.{}", dtype_name(d)), [number(s)]),
    }
}

/// An array of one value.
pub(super) fn repeated(shape: &Shape, s: Scalar) -> Expr {
    let (d, sizes) = (s.dtype(), Expr::numbers(shape.iter()));
    if has_other_nan(s) {
        return as_bits(repeated(shape, unsigned(s)), d);
    }
    let is = |x: i64| s.bits() == Scalar::from_i64(d, x).bits();
    match () {
        () if is(0) => Expr::call("jnp.zeros", [sizes, dtype(d)]),
        () if is(1) => Expr::call("jnp.ones", [sizes, dtype(d)]),
        () => Expr::call("jnp.full", [sizes, number(s), dtype(d)]),
    }
}

/// An array, element by element.
pub(super) fn array(t: &Tensor) -> Expr {
    let d = t.dtype();
    if t.size() == 0 {
        return Expr::call("jnp.zeros", [Expr::numbers(t.shape().iter()), dtype(d)]);
    }
    if t.shape().rank() == 0 {
        return scalar(t.get(0));
    }
    if (0..t.size()).any(|i| has_other_nan(t.get(i))) {
        let bits = Tensor::from_bits(&t.ty().with_dtype(unsigned(t.get(0)).dtype()), |i| t.get(i).bits());
        return as_bits(array(&bits), d);
    }
    Expr::call("jnp.array", [nested(t, 0, &mut 0), dtype(d)])
}

fn nested(t: &Tensor, axis: usize, at: &mut usize) -> Expr {
    if axis == t.shape().rank() {
        *at += 1;
        return number(t.get(*at - 1));
    }
    Expr::List((0..t.shape()[axis]).map(|_| nested(t, axis + 1, at)).collect())
}

/// Whether a real float is a NaN with other bits than Python's.
fn has_other_nan(s: Scalar) -> bool {
    let d = s.dtype();
    d.is_float() && s.as_f64().is_some_and(f64::is_nan) && s.bits() != Scalar::from_f64(d, f64::NAN).bits()
}

/// The bits of a float.
fn unsigned(s: Scalar) -> Scalar {
    let d = match s.dtype().size() {
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    };
    Scalar::from_bits(d, s.bits())
}

fn as_bits(bits: Expr, d: DType) -> Expr {
    Expr::call("lax.bitcast_convert_type", [bits, dtype(d)])
}

/// One element, as a number of Python's.
pub(super) fn number(s: Scalar) -> Expr {
    match s {
        Scalar::Bool(b) => Expr::atom(if b { "True" } else { "False" }),
        Scalar::C64(c) => Expr::call("complex", [c.re.scalar(), c.im.scalar()].map(number)),
        Scalar::C128(c) => Expr::call("complex", [c.re.scalar(), c.im.scalar()].map(number)),
        s => match s.as_i128() {
            Some(i) => Expr::atom(i),
            None => Expr::atom(float(s)),
        },
    }
}

/// The fewest digits that give the float back, read as `f64` and then rounded, as Python and NumPy do.
fn float(s: Scalar) -> String {
    let (d, x) = (s.dtype(), s.as_f64().expect("a real float"));
    if x.is_nan() {
        return "jnp.nan".into();
    }
    if x.is_infinite() {
        return if x > 0.0 { "jnp.inf" } else { "-jnp.inf" }.into();
    }
    let comes_back = |text: &str| {
        let y: f64 = text.parse().expect("a float");
        // Some libraries go to short floats through `f32`.
        let short = d.size() > 2 || Scalar::from_f64(d, y as f32 as f64).bits() == s.bits();
        short && Scalar::from_f64(d, y).bits() == s.bits()
    };
    let text = match s {
        Scalar::F32(x) => format!("{x:?}"),
        Scalar::F64(x) => format!("{x:?}"),
        _ => {
            let digits = (0..17).map(|digits| format!("{x:.digits$e}")).find(|text| comes_back(text));
            digits.map_or_else(|| format!("{x:?}"), |text| format!("{:?}", text.parse::<f64>().expect("a float")))
        }
    };
    if comes_back(&text) { text } else { format!("{x:?}") }
}

/// A text as a string of Python, in the quotes that take fewer backslashes.
pub(super) fn string(text: &str) -> String {
    let count = |of: char| text.matches(of).count();
    let quote = if count('"') > count('\'') { '\'' } else { '"' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            c if c == quote || c == '\\' => out.extend(['\\', c]),
            ' '..='~' => out.push(c),
            c if (c as u32) < 0x10000 => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push_str(&format!("\\U{:08x}", c as u32)),
        }
    }
    out.push(quote);
    out
}

/// Whether a tensor has anything that a word of 64 bits is needed for.
pub(super) fn is_wide(d: DType) -> bool {
    matches!(d, DType::I64 | DType::U64 | DType::F64 | DType::C128)
}

/// A text on one line of a comment.
pub(super) fn comment(text: &str) -> String {
    let safe = |c: char| c.is_ascii_graphic() || c == ' ' || c.is_alphanumeric();
    text.chars().map(|c| if safe(c) { c } else { '?' }).collect::<String>().trim().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wengert_core::{bf16, f16};

    #[test]
    fn floats_have_the_fewest_digits_that_bring_every_bit_back() {
        let of = |s: Scalar| float(s);
        assert_eq!(of(Scalar::F32(0.1)), "0.1");
        assert_eq!(of(Scalar::F64(0.1)), "0.1");
        assert_eq!(of(Scalar::F32(1e-45)), "1e-45");
        assert_eq!(of(Scalar::F32(-0.0)), "-0.0");
        assert_eq!(of(Scalar::BF16(bf16::from_f32(1.1))), "1.1");
        assert_eq!(of(Scalar::F16(f16::from_f32(65504.0))), "65500.0");
        assert_eq!(of(Scalar::F64(f64::NEG_INFINITY)), "-jnp.inf");
        for bits in 0..=u16::MAX as u128 {
            for d in [DType::F16, DType::BF16] {
                let s = Scalar::from_bits(d, bits);
                if s.as_f64().is_some_and(f64::is_finite) {
                    let back: f64 = float(s).parse().expect("a float");
                    assert_eq!(Scalar::from_f64(d, back).bits(), bits, "{s:?}");
                }
            }
        }
    }

    #[test]
    fn texts_are_one_string_or_one_line() {
        assert_eq!(string("a\"b\\\n\u{e9}"), "'a\"b\\\\\\u000a\\u00e9'");
        assert_eq!(string("a\"b'"), "\"a\\\"b'\"");
        assert_eq!(comment("a\nimport os\u{2028}x"), "a?import os?x");
    }
}
