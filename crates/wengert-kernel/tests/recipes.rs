//! How far recipes are from the true values, at numbers all over the range and at special ones, and that instructions give
//! the bits of numbers.

use crate::support::truth::{truth, ulps};
use wengert_kernel::recipes::{PairRecipe, Recipe};
use wengert_kernel::{Address, Builder, Inst, Interpreter, Kind, Value};

const INF: f32 = f32::INFINITY;

fn of(recipe: Recipe, x: f32) -> f32 {
    let mut y = [0.0];
    recipe.row_f32()(&[x], &mut y);
    y[0]
}

fn pair(recipe: PairRecipe, x: f32, y: f32) -> f32 {
    let mut z = [0.0];
    recipe.row_f32()(&[x], &[y], &mut z);
    z[0]
}

/// Same bits, or both NaN.
fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

#[test]
fn recipes_of_f32_are_good_to_two_units() {
    for &recipe in Recipe::ALL {
        let (row, truth) = (recipe.row_f32(), truth(recipe));
        let x: Vec<f32> = (0..=u32::MAX).step_by(200_003).map(f32::from_bits).collect();
        let mut y = vec![0.0; x.len()];
        row(&x, &mut y);
        for (x, y) in x.iter().zip(y) {
            let off = ulps(y, truth(*x as f64));
            assert!(off <= 2.0, "{recipe:?} of {x:e} is off by {off}");
        }
    }
}

/// Numbers with the largest errors among many, and their true values in two parts.
const HARD: &str = include_str!("recipes_f64.txt");

#[test]
fn recipes_of_f64_are_good_to_two_units() {
    for line in HARD.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |i: usize| f64::from_bits(u64::from_str_radix(words[i], 16).expect("a number"));
        let recipe = Recipe::ALL.iter().find(|r| format!("{r:?}") == words[0]).expect("a recipe");
        let (x, high, low) = (number(1), number(2), number(3));
        let mut y = [0.0];
        recipe.row_f64()(&[x], &mut y);
        let unit = f64::from_bits(high.abs().to_bits() + 1) - high.abs();
        let off = ((y[0] - high) - low).abs() / unit;
        let limit = if *recipe == Recipe::ErfInv { 5.0 } else { 2.0 };
        assert!(off <= limit, "{recipe:?} of {x:e} is off by {off}");
    }
}

#[test]
fn large_angles() {
    let all = [(Recipe::Sin, f64::sin as fn(f64) -> f64), (Recipe::Cos, f64::cos), (Recipe::Tan, f64::tan)];
    for (recipe, f) in all {
        let x = [1e5, 1.0e9, -1e22, 1e300, f64::MAX, 1e9 + 0.5, f64::INFINITY];
        let mut y = [0.0; 7];
        recipe.row_f64()(&x, &mut y);
        for (x, y) in x.into_iter().zip(y) {
            let (narrow, off) = (x as f32, (y - f(x)).abs());
            assert!(off <= 4.0 * f64::EPSILON * f(x).abs() || y.is_nan() && f(x).is_nan(), "{recipe:?} of {x:e}");
            assert!(ulps(of(recipe, narrow), f(narrow as f64)) <= 2.0, "{recipe:?} of {narrow:e}");
        }
    }
}

#[test]
fn special_values() {
    use Recipe::*;
    let pi = std::f32::consts::PI;
    // The results for 0, -0, infinity and its negative; NaN for NaN.
    let table = [
        (Exp, [1.0, 1.0, INF, 0.0]),
        (Expm1, [0.0, -0.0, INF, -1.0]),
        (Log, [-INF, -INF, INF, f32::NAN]),
        (Log1p, [0.0, -0.0, INF, f32::NAN]),
        (Logistic, [0.5, 0.5, 1.0, 0.0]),
        (Tanh, [0.0, -0.0, 1.0, -1.0]),
        (Sinh, [0.0, -0.0, INF, -INF]),
        (Cosh, [1.0, 1.0, INF, INF]),
        (Asinh, [0.0, -0.0, INF, -INF]),
        (Acosh, [f32::NAN, f32::NAN, INF, f32::NAN]),
        (Atanh, [0.0, -0.0, f32::NAN, f32::NAN]),
        (Sin, [0.0, -0.0, f32::NAN, f32::NAN]),
        (Cos, [1.0, 1.0, f32::NAN, f32::NAN]),
        (Tan, [0.0, -0.0, f32::NAN, f32::NAN]),
        (Asin, [0.0, -0.0, f32::NAN, f32::NAN]),
        (Acos, [pi / 2.0, pi / 2.0, f32::NAN, f32::NAN]),
        (Atan, [0.0, -0.0, pi / 2.0, -pi / 2.0]),
        (Cbrt, [0.0, -0.0, INF, -INF]),
        (Erf, [0.0, -0.0, 1.0, -1.0]),
        (Erfc, [1.0, 1.0, 0.0, 2.0]),
        (ErfInv, [0.0, -0.0, f32::NAN, f32::NAN]),
        (Lgamma, [INF, INF, INF, INF]),
        (Digamma, [f32::NAN, f32::NAN, INF, f32::NAN]),
        (BesselI0e, [1.0, 1.0, 0.0, 0.0]),
        (BesselI1e, [0.0, -0.0, 0.0, -0.0]),
    ];
    assert_eq!(table.len(), Recipe::ALL.len());
    for (recipe, want) in table {
        for (x, want) in [0.0, -0.0, INF, -INF].into_iter().zip(want) {
            assert!(same(of(recipe, x), want), "{recipe:?} of {x} is {}, not {want}", of(recipe, x));
        }
        assert!(of(recipe, f32::NAN).is_nan(), "{recipe:?} of NaN");
    }
    for (recipe, x, want) in [
        (Log1p, -1.0, -INF),
        (Log1p, -1.5, f32::NAN),
        (Log, -1.0, f32::NAN),
        (ErfInv, 1.0, INF),
        (ErfInv, -1.0, -INF),
        (ErfInv, 1.5, f32::NAN),
        (Atanh, 1.0, INF),
        (Atanh, -1.0, -INF),
        (Acosh, 1.0, 0.0),
        (Asin, 1.0, pi / 2.0),
        (Asin, 1.5, f32::NAN),
        (Acos, 1.0, 0.0),
        (Acos, -1.0, pi),
        (Lgamma, 1.0, 0.0),
        (Lgamma, 2.0, 0.0),
        (Lgamma, -3.0, INF),
        (Lgamma, -1e38, INF),
        (Digamma, -3.0, f32::NAN),
    ] {
        assert!(same(of(recipe, x), want), "{recipe:?} of {x} is {}, not {want}", of(recipe, x));
    }
}

#[test]
fn pairs_are_those_of_the_standard_library() {
    let x: [f32; 22] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        2.0,
        -2.0,
        3.0,
        -3.0,
        1.5,
        -2.5,
        1e-40,
        -1e-40,
        1e30,
        -1e30,
        0.9999,
        1.0001,
        INF,
        -INF,
        f32::NAN,
        7e-3,
    ];
    for (a, b) in x.iter().flat_map(|a| x.iter().map(move |b| (*a, *b))) {
        let (power, angle) = (pair(PairRecipe::Pow, a, b), pair(PairRecipe::Atan2, a, b));
        let off = ulps(power, (a as f64).powf(b as f64));
        assert!(
            off <= 0.6 && power.is_sign_negative() == a.powf(b).is_sign_negative() || power.is_nan(),
            "{a:e}^{b:e}"
        );
        let off = ulps(angle, (a as f64).atan2(b as f64));
        assert!(
            off <= 2.0 && angle.is_sign_negative() == a.atan2(b).is_sign_negative() || angle.is_nan(),
            "{a:e}, {b:e}"
        );
        assert_eq!((power.is_nan(), angle.is_nan()), (a.powf(b).is_nan(), a.atan2(b).is_nan()), "{a:e}, {b:e}");
    }
}

/// A function that does a recipe on a row.
fn function(kind: Kind, count: u64, recipe: impl Fn(&mut Builder, Value) -> Value) -> Interpreter {
    let mut b = Builder::new(2);
    let index = b.value(Kind::I64);
    b.begin();
    let at = |base| Address { base, index: Some((index, kind.bytes() as i64)), offset: 0 };
    let x = b.load(kind, at(b.param(0)));
    let y = recipe(&mut b, x);
    b.store(y, at(b.param(1)));
    let body = b.end(vec![]);
    b.push(Inst::Lanes { index, count, body });
    Interpreter::new(&b.finish("row")).expect("a function")
}

#[test]
fn instructions_give_the_bits_of_numbers() {
    let mut x: Vec<f32> = (0..=u32::MAX).step_by(3_000_017).map(f32::from_bits).collect();
    x.extend((0..2000).map(|i| (i as f32 - 1000.0) * 0.0123));
    let mut wide: Vec<f64> = x.iter().map(|x| *x as f64 * 1.000_000_01).collect();
    for recipe in Recipe::ALL {
        let (mut want, mut got) = (vec![0f32; x.len()], vec![0f32; x.len()]);
        recipe.row_f32()(&x, &mut want);
        let f = function(Kind::F32, x.len() as u64, |b, x| recipe.build(b, x));
        // SAFETY: both rows have as many numbers.
        assert!(unsafe { f.run(&[x.as_mut_ptr().cast(), got.as_mut_ptr().cast()]) });
        let differs = x.iter().zip(got.iter().zip(&want)).find(|(_, (a, b))| !same(**a, **b));
        assert_eq!(differs, None, "{recipe:?}");
        let f = function(Kind::F64, x.len() as u64, |b, x| recipe.build(b, x));
        let (mut want, mut got) = (vec![0f64; x.len()], vec![0f64; x.len()]);
        recipe.row_f64()(&wide, &mut want);
        // SAFETY: both rows have as many numbers.
        assert!(unsafe { f.run(&[wide.as_mut_ptr().cast(), got.as_mut_ptr().cast()]) });
        let same = |a: f64, b: f64| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        let differs = wide.iter().zip(got.iter().zip(&want)).find(|(_, (a, b))| !same(**a, **b));
        assert_eq!(differs, None, "{recipe:?} of `f64`");
    }
}

/// Powers with the largest errors among many, and others, with their true values in two parts.
const POWERS: &str = include_str!("pairs_f64.txt");

#[test]
fn powers_of_f64_are_good_to_one_unit() {
    for line in POWERS.lines() {
        let bits = line.split(' ').skip(1).map(|w| u64::from_str_radix(w, 16).expect("a number"));
        let number: Vec<f64> = bits.map(f64::from_bits).collect();
        let mut z = [0.0];
        PairRecipe::Pow.row_f64()(&number[..1], &number[1..2], &mut z);
        let unit = f64::from_bits(number[2].to_bits() + 1) - number[2];
        let off = ((z[0] - number[2]) - number[3]).abs() / unit;
        assert!(off <= 1.0, "{:e}^{:e} is off by {off}", number[0], number[1]);
    }
}

#[test]
fn special_powers_of_f64() {
    let sizes = [0.0, 5e-324, 1e-310, 0.5, 1.0, 1.0 + f64::EPSILON, 2.0, 3.0, 4.5, 1e15 + 1.0, 1e300, f64::MAX];
    let mut all: Vec<f64> = sizes.iter().flat_map(|x| [*x, -x]).collect();
    all.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
    for (&x, &y) in all.iter().flat_map(|x| all.iter().map(move |y| (x, y))) {
        let (mut z, want) = ([0.0], x.powf(y));
        PairRecipe::Pow.row_f64()(&[x], &[y], &mut z);
        let near = (z[0] - want).abs() <= 2.0 * f64::EPSILON * want.abs() || z[0] == want;
        let sign = z[0].is_sign_negative() == want.is_sign_negative();
        assert!(z[0].is_nan() && want.is_nan() || near && sign, "{x:e}^{y:e} is {want:e}, not {:e}", z[0]);
    }
}
