//! How far recipes are from the true values, at numbers all over the range and at those that are special.

use super::Recipe;

/// Units in the last place between a result and the true value.
pub(super) fn ulps(got: f32, want: f64) -> f64 {
    let rounded = want as f32;
    if got == rounded || got.is_nan() && rounded.is_nan() {
        return 0.0;
    }
    if !rounded.is_finite() || !got.is_finite() {
        return f64::INFINITY;
    }
    let unit = (f32::from_bits(rounded.abs().to_bits() + 1) - rounded.abs()) as f64;
    (got as f64 - want).abs() / unit
}

type Truth = fn(f64) -> f64;

const TRUTHS: &[(Recipe, Truth)] = &[
    (Recipe::Exp, f64::exp),
    (Recipe::Expm1, f64::exp_m1),
    (Recipe::Log, f64::ln),
    (Recipe::Log1p, f64::ln_1p),
    (Recipe::Logistic, |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) }),
    (Recipe::Tanh, f64::tanh),
];

#[test]
fn recipes_of_f32_are_good_to_two_units() {
    for &(recipe, truth) in TRUTHS {
        for bits in (0..=u32::MAX).step_by(10_007) {
            let x = f32::from_bits(bits);
            let off = ulps(recipe.of_f32(x), truth(x as f64));
            assert!(off <= 2.0, "{recipe:?} of {x:e} is off by {off}");
        }
    }
}

#[test]
fn special_values() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let bits = |x: f32| x.to_bits();
    assert_eq!((Recipe::Exp.of_f32(inf), Recipe::Exp.of_f32(-inf)), (inf, 0.0));
    assert_eq!((Recipe::Log.of_f32(0.0), Recipe::Log.of_f32(-0.0), Recipe::Log.of_f32(inf)), (-inf, -inf, inf));
    assert_eq!((Recipe::Log1p.of_f32(-1.0), Recipe::Expm1.of_f32(-inf)), (-inf, -1.0));
    assert_eq!((Recipe::Tanh.of_f32(inf), Recipe::Tanh.of_f32(-inf)), (1.0, -1.0));
    assert_eq!((Recipe::ErfInv.of_f32(1.0), Recipe::ErfInv.of_f32(-1.0)), (inf, -inf));
    assert_eq!((Recipe::Logistic.of_f32(inf), Recipe::Logistic.of_f32(-inf)), (1.0, 0.0));
    for recipe in [Recipe::Expm1, Recipe::Log1p, Recipe::Tanh, Recipe::ErfInv] {
        assert_eq!(bits(recipe.of_f32(-0.0)), bits(-0.0), "{recipe:?}");
    }
    assert!(Recipe::ALL.iter().all(|r| r.of_f32(nan).is_nan()));
    assert!(Recipe::Log.of_f32(-1.0).is_nan() && Recipe::ErfInv.of_f32(1.5).is_nan());
}
