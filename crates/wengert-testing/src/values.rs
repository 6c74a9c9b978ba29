//! Random values. How near two of them are is said by `wengert_core::compare`.

use crate::Choices;
use wengert_core::bytes::to_bytes;
use wengert_core::{Complex, DType, Scalar, Tensor, Type};

/// The array of this type with these elements.
pub fn from_scalars(ty: &Type, mut f: impl FnMut(usize) -> Scalar) -> Tensor {
    Tensor::from_bits(ty, |i| f(i).bits())
}

/// Arrays of these types. Plain numbers are between -2 and 2; otherwise infinities, NaN, subnormal numbers and both zeros are
/// among them.
pub fn random_values(types: &[Type], choices: &mut Choices<'_>, plain: bool) -> Vec<Tensor> {
    types.iter().map(|t| from_scalars(t, |_| random_scalar(t.dtype, choices, plain))).collect()
}

fn random_scalar(dtype: DType, choices: &mut Choices<'_>, plain: bool) -> Scalar {
    // With the least number and one below all normal ones, of `f32` and of `f64`.
    const AWKWARD: [f64; 12] =
        [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e30, 1e-45, -1e-39, 5e-324, 1e-310];
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

/// Whether both are the same to the bit; which NaN it is does not count.
pub fn same_bits(x: &Tensor, y: &Tensor) -> bool {
    /// So many elements are looked at one by one where their bytes differ.
    const PIECE: usize = 64;
    if x.ty() != y.ty() {
        return false;
    }
    let (a, b) = (to_bytes(x), to_bytes(y));
    a == b
        || (0..x.size()).step_by(PIECE).all(|start| {
            let end = x.size().min(start + PIECE);
            let size = x.dtype().size();
            a[start * size..end * size] == b[start * size..end * size]
                || (start..end).all(|i| same_but_for_nan(x.get(i), y.get(i)))
        })
}

fn same_but_for_nan(x: Scalar, y: Scalar) -> bool {
    let nan = |z: f64| z.is_nan();
    x.bits() == y.bits()
        || match x.dtype() {
            d if d.is_float() => nan(x.as_f64().unwrap()) && nan(y.as_f64().unwrap()),
            DType::C64 | DType::C128 => {
                let (x, y) = (x.as_complex(), y.as_complex());
                [(x.re, y.re), (x.im, y.im)].iter().all(|(a, b)| a.to_bits() == b.to_bits() || nan(*a) && nan(*b))
            }
            _ => false,
        }
}
