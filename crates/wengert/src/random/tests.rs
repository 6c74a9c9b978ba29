//! Against values that JAX 0.10 gives for the same key.

use super::*;
use crate::{Element, Tensor};
use wengert_core::compare::Tolerance;

fn k() -> Key {
    key(42)
}

fn close<T: Element>(x: Array, want: &[f64]) {
    let want = want.iter().map(|&x| T::from_f64(x)).collect();
    let want = Tensor::new(x.shape().clone(), want).expect("one for each element");
    Tolerance::near(2e-6).check(&x.to_tensor(), &want).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn keys() {
    assert_eq!(key(8589934597i64).data().to_vec::<u32>(), [2, 5]);
    assert_eq!(key(-1).data().to_vec::<u32>(), [u32::MAX, u32::MAX]);
    let words: Vec<u32> = k().split(3).iter().flat_map(|k| k.data().to_vec::<u32>()).collect();
    assert_eq!(words, [1832780943, 270669613, 64467757, 2916123636, 2465931498, 255383827]);
    assert_eq!(k().split_stacked(3).data().to_vec::<u32>(), words);
    assert_eq!(k().fold_in(7u32).data().to_vec::<u32>(), [2547012911, 1371500959]);
}

#[test]
fn bits_of_every_width() {
    assert_eq!(bits(&k(), [3], DType::U8).to_vec::<u8>(), [162, 217, 249]);
    assert_eq!(bits(&k(), [3], DType::U16).to_vec::<u16>(), [5026, 12505, 63993]);
    assert_eq!(bits(&k(), [3], DType::U32).to_vec::<u32>(), [2098992034, 2919706841, 2646866425]);
    let wide = [7871734211187709741, 276886910877598708, 10591095138341673235];
    assert_eq!(bits(&k(), [3], DType::U64).to_vec::<u64>(), wide);
}

#[test]
fn uniform_numbers() {
    let draw = |d| uniform(&k(), [3], d);
    close::<half::f16>(draw(DType::F16), &[0.076171875, 0.1904296875, 0.9755859375]);
    close::<half::bf16>(draw(DType::BF16), &[0.6328125, 0.84375, 0.96875]);
    close::<f32>(draw(DType::F32), &[0.48870956897735596, 0.6797971725463867, 0.6162714958190918]);
    close::<f64>(draw(DType::F64), &[0.4267275666499091, 0.015010069515314584, 0.5741444178995352]);
    let x = uniform_between(&k(), [3], -2.0, 5.0, DType::F32);
    close::<f32>(x, &[1.4209669828414917, 2.758580207824707, 2.3139004707336426]);
    let x = uniform(&k(), [2, 3], DType::F32);
    close::<f32>(x.get(1), &[0.5610160827636719, 0.4506446123123169, 0.58586585521698]);
}

#[test]
fn other_continuous_distributions() {
    close::<f32>(normal(&k(), [3], DType::F32), &[-0.02830461598932743, 0.4671318531036377, 0.2957029640674591]);
    close::<f64>(normal(&k(), [3], DType::F64), &[-0.18471174528191162, -2.169824560397754, 0.18693555179382582]);
    let x = truncated_normal(&k(), -1.0, 2.0, [3], DType::F32);
    close::<f32>(x, &[0.14770005643367767, 0.5684449076652527, 0.42102551460266113]);
    close::<f32>(gumbel(&k(), [3], DType::F32), &[0.3340933918952942, 0.952019453048706, 0.7255305647850037]);
    close::<f32>(exponential(&k(), [3], DType::F32), &[0.670817494392395, 1.1388006210327148, 0.9578199982643127]);
    close::<f32>(laplace(&k(), [3], DType::F32), &[0.022839652374386787, -0.4456535577774048, -0.2646729052066803]);
    close::<f32>(logistic(&k(), [3], DType::F32), &[-0.0451694130897522, 0.7528398036956787, 0.47375231981277466]);
    close::<f32>(cauchy(&k(), [3], DType::F32), &[-0.03548463061451912, 0.6337261199951172, 0.38244056701660156]);
}

#[test]
fn discrete_distributions() {
    let x = randint(&k(), [6], -5, 100, DType::I32);
    assert_eq!(x.to_vec::<i32>(), [94, 49, 76, -1, 84, 19]);
    assert_eq!(randint(&k(), [4], 0, 10, DType::I64).to_vec::<i64>(), [5, 8, 3, 1]);
    assert_eq!(randint(&k(), [4], 3, 250, DType::U8).to_vec::<u8>(), [53, 145, 28, 220]);
    assert_eq!(permutation(&k(), 10).to_vec::<i64>(), [7, 4, 2, 5, 3, 6, 8, 9, 0, 1]);
    let logits = Array::from([[0.1f32, 0.2, 0.7], [0.6, 0.3, 0.1]]).log();
    assert_eq!(categorical(&k(), &logits, -1, ()).to_vec::<i64>(), [2, 0]);
    let heads = bernoulli(&k(), 0.3, [10]).to_vec::<bool>();
    assert_eq!(heads, [false, true, false, false, false, false, false, false, true, true]);
}

#[test]
fn staged_and_batched_keys_give_the_same() {
    let f = |k: Key| normal(&k, [3], DType::F32);
    assert_eq!(crate::jit(f)(k()).to_vec::<f32>(), f(k()).to_vec::<f32>());
    let keys = k().split_stacked(2);
    let one_by_one: Vec<f32> = k().split(2).into_iter().flat_map(|k| f(k).to_vec::<f32>()).collect();
    assert_eq!(crate::vmap(f)(keys).to_vec::<f32>(), one_by_one);
}

/// Bits, each counted by its position: equal only if all are.
fn checksum(x: Array) -> u64 {
    let t = x.to_tensor();
    (0..t.size()).fold(0, |s: u64, i| s.wrapping_add((t.get(i).bits() as u64).wrapping_mul(i as u64 + 1)))
}

#[test]
fn to_the_last_bit() {
    let draw = |d| checksum(uniform_between(&k(), [1000], 0.1, 3.0, d));
    assert_eq!(draw(DType::F16), 7813064947);
    assert_eq!(draw(DType::BF16), 8149321566);
    assert_eq!(draw(DType::F32), 534597841325545);
    assert_eq!(checksum(uniform(&k(), [1000], DType::F64)), 8205124819861775130);
    let draw = |d, low: i64, high: i64| checksum(randint(&k(), [1000], low, high, d));
    assert_eq!(draw(DType::U8, 0, 256), 66027916);
    assert_eq!(draw(DType::I16, -100, 77), 18205505373);
    assert_eq!(draw(DType::I64, -100, 1 << 40), 273961665291591927);
    assert_eq!(checksum(permutation(&k(), 1000)), 249318105);
}

#[test]
fn complex_normal_numbers() {
    let x = normal(&k(), [2], DType::C64);
    close::<f32>(x.real(), &[0.05368746072053909, -0.34389618039131165]);
    close::<f32>(x.imag(), &[0.4283398389816284, 0.5650094747543335]);
}

#[test]
fn counts() {
    let rates = Array::from([0.1f32, 2.0, 9.9, 10.0, 55.5, 1e4, 0.0]);
    let x = poisson(&k(), rates, [2, 7], DType::I32);
    assert_eq!(x.to_vec::<i32>(), [0, 1, 14, 8, 45, 9946, 0, 0, 3, 9, 15, 51, 10057, 0]);
    let x = geometric(&k(), 0.01, [5], DType::I32);
    assert_eq!(x.to_vec::<i32>(), [85, 418, 56, 32, 38]);
}

/// Values of the gamma distribution, and how they move with the parameter, on both sides of 1.
#[test]
fn gamma_numbers() {
    let a = Array::from([0.05f64, 0.5, 1.0, 2.5, 40.0, 900.0]);
    let values = [
        5.286680022134247e-10,
        0.014509096904634517,
        0.4240212506845043,
        2.764149407028277,
        31.54434821755993,
        855.5586137846578,
    ];
    close::<f64>(gamma(&k(), &a, [6], DType::F64), &values);
    let slopes = [
        2.2059005977459773e-07,
        0.12528652224408424,
        0.7335148441812523,
        1.1233735326036003,
        0.8896454824934483,
        0.9750741538229195,
    ];
    close::<f64>(crate::grad(|a: Array| gamma(&k(), a, [6], DType::F64).sum(..))(a.clone()), &slopes);
    let logs = [
        -21.36066047615015,
        -4.232979453538195,
        -0.8579717054671963,
        1.0167329590857241,
        3.451394435620404,
        6.751754605052663,
    ];
    close::<f64>(loggamma(&k(), &a, [6], DType::F64), &logs);
    let slopes = [
        417.25630991668163,
        8.635032426040592,
        1.7299011382026905,
        0.4064083980942743,
        0.028203007282242894,
        0.0011396929890163429,
    ];
    close::<f64>(crate::grad(|a: Array| loggamma(&k(), a, [6], DType::F64).sum(..))(a), &slopes);
}

#[test]
fn one_key_at_a_time() {
    let keys = k().split_stacked(3);
    let e = crate::try_run(|| uniform(&keys, [2], DType::F32)).unwrap_err();
    assert_eq!(e.message(), "one key is needed here, and these are several: u32[3,2]");
    let x = crate::vmap(|k: Key| gamma(&k, 2.0, (), DType::F32))(keys.clone());
    let first = gamma(&Key::from_data(keys.data().get(0)), 2.0, (), DType::F32);
    assert_eq!(x.get(0).item::<f32>(), first.item::<f32>());
}

#[test]
fn staged_draws_are_the_same() {
    let draw = |k: Key| (normal(&k, [3], DType::F32), permutation(&k, 5), poisson(&k, 12.0, [3], DType::I32));
    let (now, staged) = (draw(k()), crate::jit(draw)(k()));
    assert_eq!(now.0.to_vec::<f32>(), staged.0.to_vec::<f32>());
    assert_eq!(now.1.to_vec::<i64>(), staged.1.to_vec::<i64>());
    assert_eq!(now.2.to_vec::<i32>(), staged.2.to_vec::<i32>());
}
