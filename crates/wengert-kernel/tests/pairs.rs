//! Recipes of two numbers: remainders are exact, derivatives of `digamma` are near the true ones, and instructions give the
//! bits of numbers.

use crate::support::truth::ulps;
use wengert_kernel::recipes::PairRecipe;
use wengert_kernel::{Address, Builder, Inst, Interpreter, Kind};

/// Floats of every class, by their bits: so many below those of the exponent.
fn classes(place: u32, exponents: u64) -> Vec<u64> {
    let fraction = (1u64 << place) - 1;
    let bias = exponents / 2;
    let mut sizes =
        vec![0, 1, 2, 3, fraction / 3, fraction, (exponents << place) | 1 << (place - 1), exponents << place];
    for e in [1, 2, bias / 2, bias - 24, bias - 1, bias, bias + 1, bias + 23, bias + 24, bias + 52, bias + 53] {
        sizes.extend(
            [0, 1, fraction, fraction - 1, fraction / 3, fraction & 0x5a5_a5a5_a5a5_a5a5].map(|f| (e << place) | f),
        );
    }
    sizes.extend([0, fraction].map(|f| ((exponents - 1) << place) | f));
    sizes.iter().flat_map(|s| [*s, s | (exponents + 1) << place]).collect()
}

/// Words that look drawn.
fn words(count: u64) -> impl Iterator<Item = u64> {
    (1..=count).map(|i| {
        let x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x ^ (x >> 32)
    })
}

/// Pairs of all classes, of any bits, and of numbers whose quotient is whole or next to that.
macro_rules! pairs {
    ($name:ident, $f:ty, $place:literal, $exponents:literal) => {
        fn $name() -> (Vec<$f>, Vec<$f>) {
            let all: Vec<$f> = classes($place, $exponents).into_iter().map(|b| <$f>::from_bits(b as _)).collect();
            let mut pairs: Vec<[$f; 2]> = all.iter().flat_map(|x| all.iter().map(|y| [*x, *y])).collect();
            pairs.extend(words(20_000).map(|w| [w, w.rotate_left(32) ^ w].map(|w| <$f>::from_bits(w as _))));
            for w in words(20_000) {
                let y = 0.3 + (w % 100_003) as $f;
                let x = y * (w >> 40) as $f;
                pairs.extend([x, x.next_up(), x.next_down()].map(|x| [x, y]));
            }
            pairs.iter().map(|[x, y]| (*x, *y)).unzip()
        }
    };
}
pairs! { pairs_f32, f32, 23, 255 }
pairs! { pairs_f64, f64, 52, 2047 }

#[test]
fn remainders_are_exact() {
    let (x, y) = pairs_f32();
    let mut z = vec![0.0; x.len()];
    PairRecipe::Rem.row_f32()(&x, &y, &mut z);
    for ((x, y), z) in x.iter().zip(&y).zip(z) {
        let want = x % y;
        assert!(z.to_bits() == want.to_bits() || z.is_nan() && want.is_nan(), "{x:e} % {y:e} is {want:e}, not {z:e}");
    }
    let (x, y) = pairs_f64();
    let mut z = vec![0.0; x.len()];
    PairRecipe::Rem.row_f64()(&x, &y, &mut z);
    for ((x, y), z) in x.iter().zip(&y).zip(z) {
        let want = x % y;
        assert!(z.to_bits() == want.to_bits() || z.is_nan() && want.is_nan(), "{x:e} % {y:e} is {want:e}, not {z:e}");
    }
}

/// Orders, numbers, and the true derivatives of `digamma` in two parts.
const DERIVATIVES: &str = include_str!("polygamma_f64.txt");

#[test]
fn derivatives_of_digamma_are_near() {
    for line in DERIVATIVES.lines() {
        let bits = line.split(' ').map(|w| u64::from_str_radix(w, 16).expect("a number"));
        let number: Vec<f64> = bits.map(f64::from_bits).collect();
        let [n, x, high, low] = number[..] else { panic!("four numbers") };
        let mut y = [0.0];
        PairRecipe::Polygamma.row_f64()(&[n], &[x], &mut y);
        let unit = f64::from_bits(high.abs().to_bits() + 1) - high.abs();
        let off = ((y[0] - high) - low).abs() / unit;
        assert!(off <= 6.0, "order {n} at {x:e} is off by {off}");
        // Of an `f32`, all digits are right.
        let (narrow, mut z) = ([n as f32, x as f32], [0.0]);
        PairRecipe::Polygamma.row_f32()(&narrow[..1], &narrow[1..], &mut z);
        PairRecipe::Polygamma.row_f64()(&[n], &[narrow[1] as f64], &mut y);
        let off = ulps(z[0], y[0]);
        assert!(off <= 0.52, "order {n} at {:e} is off by {off}", narrow[1]);
    }
}

#[test]
fn special_derivatives_of_digamma() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for (n, x, want) in [
        (1.0, 0.0, inf),
        (2.0, -0.0, nan),
        (1.0, -3.0, inf),
        (4.0, -3.0, nan),
        (1.0, inf, 0.0),
        (20.0, inf, -0.0),
        (2.0, inf, -0.0),
        (1.0, 5e-324, inf),
        (2.0, 1e-310, -inf),
        (20.0, 1e-200, -inf),
        (1.0, 1e200, 1e-200),
        (2.0, 1e200, -0.0),
        (1.5, 1.0, nan),
        (-1.0, 1.0, nan),
        (inf, 1.0, nan),
        (nan, 1.0, nan),
        (1.0, nan, nan),
        (3.0, nan, nan),
        (0.0, inf, inf),
        (0.0, -1.0, nan),
    ] {
        let same = |y: f64, want: f64| y.to_bits() == want.to_bits() || y.is_nan() && want.is_nan();
        let (mut y, mut z) = ([0.0], [0.0]);
        PairRecipe::Polygamma.row_f64()(&[n], &[x], &mut y);
        assert!(same(y[0], want), "order {n} at {x:e} is {:e}, not {want:e}", y[0]);
        PairRecipe::Polygamma.row_f32()(&[n as f32], &[x as f32], &mut z);
        // A number that an `f32` cannot hold is zero or infinite.
        PairRecipe::Polygamma.row_f64()(&[n], &[x as f32 as f64], &mut y);
        assert!(same(z[0] as f64, y[0] as f32 as f64), "order {n} at {x:e} of `f32` is {:e}", z[0]);
    }
}

/// Runs a recipe with instructions on two rows, by lanes.
fn interpreted<T: Clone + Default>(recipe: PairRecipe, kind: Kind, x: &mut [T], y: &mut [T]) -> Vec<T> {
    let mut b = Builder::new(3);
    let index = b.value(Kind::I64);
    b.begin();
    let at = |base| Address { base, index: Some((index, kind.bytes() as i64)), offset: 0 };
    let operands = [0, 1].map(|i| b.load(kind, at(b.param(i))));
    let z = recipe.build(&mut b, operands[0], operands[1]);
    b.store(z, at(b.param(2)));
    let body = b.end(vec![]);
    b.push(Inst::Lanes { index, count: x.len() as u64, body });
    let f = Interpreter::new(&b.finish("rows")).expect("a function");
    let mut out = vec![T::default(); x.len()];
    // SAFETY: all rows have as many numbers of this kind.
    assert!(unsafe { f.run(&[x.as_mut_ptr().cast(), y.as_mut_ptr().cast(), out.as_mut_ptr().cast()]) });
    out
}

#[test]
fn instructions_give_the_bits_of_pairs() {
    let (mut x, mut y) = pairs_f32();
    let (mut wide_x, mut wide_y) = pairs_f64();
    // Every fifth pair, with orders that derivatives have in half of them.
    let thin = |i: &usize| i.is_multiple_of(5);
    let order = |i: usize, n: f64| if i.is_multiple_of(2) { (i % 23) as f64 } else { n };
    (x, y) = (0..x.len()).filter(thin).map(|i| (order(i / 5, x[i] as f64) as f32, y[i])).unzip();
    (wide_x, wide_y) = (0..wide_x.len()).filter(thin).map(|i| (order(i / 5, wide_x[i]), wide_y[i])).unzip();
    for &recipe in PairRecipe::ALL {
        let mut want = vec![0.0; x.len()];
        recipe.row_f32()(&x, &y, &mut want);
        let got = interpreted(recipe, Kind::F32, &mut x, &mut y);
        for (i, (a, b)) in want.iter().zip(got).enumerate() {
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{recipe:?} of {:e}, {:e}", x[i], y[i]);
        }
        let mut want = vec![0.0; wide_x.len()];
        recipe.row_f64()(&wide_x, &wide_y, &mut want);
        let got = interpreted(recipe, Kind::F64, &mut wide_x, &mut wide_y);
        for (i, (a, b)) in want.iter().zip(got).enumerate() {
            let same = a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            assert!(same, "{recipe:?} of {:e}, {:e} in `f64`", wide_x[i], wide_y[i]);
        }
    }
}
