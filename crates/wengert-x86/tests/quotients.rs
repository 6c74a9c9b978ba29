//! Quotients by a number that is the same in all lanes: the bits of a division, whatever the numbers.

use crate::reference::{Random, features};
use wengert_kernel::{Address, Binary, Builder, Inst, Kind};
use wengert_x86::{Code, Features, compile};

const COUNT: usize = 2051;

/// Divides all numbers that the second pointer points to by that of the first.
fn divide(kind: Kind, features: Features) -> Code {
    let mut b = Builder::new(3);
    let by = b.load(kind, Address::at(b.param(0), 0));
    let index = b.value(Kind::I64);
    let at = |base| Address { base, index: Some((index, kind.bytes() as i64)), offset: 0 };
    b.begin();
    let x = b.load(kind, at(b.param(1)));
    let y = b.binary(Binary::Div, x, by);
    b.store(y, at(b.param(2)));
    let body = b.end(vec![]);
    b.push(Inst::Lanes { index, count: COUNT as u64, body });
    compile(&b.finish("divide"), features).expect("it can be compiled")
}

/// Integers of `bits` bits whose quotients by a divisor, an odd one, are next to the middle between two floats: such that
/// `dividend · 2^(bits + 1) = middle · divisor + rest` with a small rest.
fn near_middles(divisor: u64, bits: u32) -> impl Iterator<Item = u64> {
    let modulus = 1u128 << (bits + 1);
    // Newton's iteration for the inverse of an odd number modulo a power of two.
    let inverse = (0..6).fold(1u128, |i, _| i.wrapping_mul(2u128.wrapping_sub(i.wrapping_mul(divisor as u128))));
    (-40i128..40).filter(|rest| rest % 2 != 0).filter_map(move |rest| {
        let middle = inverse.wrapping_mul((-rest) as u128) % modulus;
        let dividend = (middle * divisor as u128).wrapping_add(rest as u128) >> (bits + 1);
        let fits = |x: u128, bits: u32| x >> (bits - 1) == 1;
        (fits(middle, bits + 1) && fits(dividend, bits)).then_some(dividend as u64)
    })
}

macro_rules! quotients {
    ($name:ident, $t:ty, $kind:expr, $bits:ty, $fraction:expr, $bias:expr) => {
        #[test]
        fn $name() {
            let mut r = Random(7);
            let mut number = |exponents: std::ops::Range<i64>| {
                let e = exponents.start + (r.next() % (exponents.end - exponents.start) as u64) as i64;
                let fraction = match r.next() % 4 {
                    0 => r.next() % 16,
                    1 => (1 << $fraction) - 1 - r.next() % 16,
                    _ => r.next() % (1 << $fraction),
                };
                let sign = (r.next() % 2) << (8 * size_of::<$t>() - 1);
                <$t>::from_bits((sign | ((e + $bias) as u64) << $fraction | fraction) as $bits)
            };
            let any = -$bias..$bias + 1;
            let odd = [0.0, -0.0, <$t>::NAN, <$t>::INFINITY, -<$t>::INFINITY, <$t>::MIN_POSITIVE, 1.0, 3.0, <$t>::MAX];
            let mut divisors = odd.to_vec();
            divisors.extend((0..60).map(|_| number(-8..8).abs()));
            divisors.extend((0..30).map(|_| number(any.clone())));
            let mut dividends: Vec<$t> = (0..COUNT - 3).map(|_| number(-3..3)).collect();
            // Whole vectors of what is divided, some of them with one odd number.
            let subnormal = <$t>::from_bits(3);
            for (i, &x) in odd.iter().chain(&[-subnormal, subnormal, <$t>::MIN]).enumerate() {
                dividends[40 * i + 5] = x;
            }
            for x in &mut dividends[1000..1500] {
                *x = number(any.clone());
            }
            dividends.extend([0.0, -0.0, 7.0]);
            let mut hard = Random(11);
            let hard: Vec<(u64, Vec<$t>)> = (0..300)
                .map(|_| (hard.next() % (1 << $fraction)) | 1 | 1 << $fraction)
                .map(|d| (d, near_middles(d, $fraction + 1).map(|x| x as $t).collect()))
                .collect();
            for features in features() {
                let code = divide($kind, features);
                let check = |d: $t, dividends: &[$t]| {
                    let mut by = d;
                    let mut dividends = dividends.to_vec();
                    dividends.resize(COUNT, 1.0);
                    let mut y: Vec<$t> = vec![0.0; COUNT];
                    let args = [(&raw mut by).cast(), dividends.as_mut_ptr().cast(), y.as_mut_ptr().cast()];
                    // SAFETY: one number, and two rows of the count.
                    assert!(unsafe { code.run(&args) });
                    for (&x, y) in dividends.iter().zip(y) {
                        let expected: $t = x / d;
                        let same = y.to_bits() == expected.to_bits() || (y.is_nan() && expected.is_nan());
                        assert!(same, "{x:e} / {d:e} is {expected:e}, not {y:e} {features:?}");
                    }
                };
                for &d in &divisors {
                    check(d, &dividends);
                }
                // Divided by a power of two, they are in reach, and are the same quotients.
                let scale = (2.0 as $t).powi($fraction);
                for (d, x) in &hard {
                    check(*d as $t / scale, x);
                }
            }
        }
    };
}
quotients!(of_f32, f32, Kind::F32, u32, 23, 127);
quotients!(of_f64, f64, Kind::F64, u64, 52, 1023);
