//! Random values, and how near two values are.

use crate::Choices;
use wengert_core::{Complex, DType, Scalar, Tensor, Type};

/// The array of this type with these elements.
pub fn from_scalars(ty: &Type, mut f: impl FnMut(usize) -> Scalar) -> Tensor {
    Tensor::from_bits(ty, |i| f(i).bits())
}

/// Arrays of these types. Plain numbers are between -2 and 2; otherwise infinities, NaN and both zeros are among them.
pub fn random_values(types: &[Type], choices: &mut Choices<'_>, plain: bool) -> Vec<Tensor> {
    types.iter().map(|t| from_scalars(t, |_| random_scalar(t.dtype, choices, plain))).collect()
}

fn random_scalar(dtype: DType, choices: &mut Choices<'_>, plain: bool) -> Scalar {
    const AWKWARD: [f64; 8] = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30];
    let mut real = || match choices.below(if plain { 1 } else { 3 }) {
        2 => choices.of(&AWKWARD),
        _ => choices.below(4001) as f64 / 1000.0 - 2.0,
    };
    match dtype {
        DType::Bool => Scalar::Bool(choices.coin()),
        d if d.is_integer() => Scalar::from_i64(d, choices.below(9) as i64 - 3),
        d => Scalar::from_complex(d, Complex::new(real(), if d.is_complex() { real() } else { 0.0 })),
    }
}

/// Where two arrays first differ: bit by bit, but that any NaN is as good as another.
pub fn bits_agree(found: &Tensor, expected: &Tensor) -> Result<(), String> {
    agree(found, expected, |a, e| a == e)
}

/// Where two arrays first differ by more than `tolerance`, relative to the larger of 1 and the number.
pub fn close(found: &Tensor, expected: &Tensor, tolerance: f64) -> Result<(), String> {
    agree(found, expected, |a, e| {
        let (a, e) = (a.as_complex(), e.as_complex());
        a == e || (a - e).norm() <= tolerance * e.norm().max(1.0)
    })
}

fn agree(found: &Tensor, expected: &Tensor, same: impl Fn(Scalar, Scalar) -> bool) -> Result<(), String> {
    if found.ty() != expected.ty() {
        return Err(format!("the type is {}, and should be {}", found.ty(), expected.ty()));
    }
    let part = |a: f64, e: f64| a.is_nan() && e.is_nan() || a.to_bits() == e.to_bits();
    for i in 0..found.size() {
        let (a, e) = (found.get(i), expected.get(i));
        let (ca, ce) = (a.as_complex(), e.as_complex());
        let nan = (ca.is_nan() || ce.is_nan()) && part(ca.re, ce.re) && part(ca.im, ce.im);
        if !nan && !same(a, e) {
            return Err(format!("element {i} is {a:?}, and should be {e:?}"));
        }
    }
    Ok(())
}
