//! Random bits, bit for bit as XLA makes them on a CPU.

use super::elementwise::arg;
use super::number::Arg;
use wengert_core::ops::{RngAlgorithm, RngBitGenerator};
use wengert_core::{Element, Shape, View, ViewMut, with_dtype};

/// Twenty rounds of Threefry 2x32.
#[inline(always)]
fn threefry2x32(key: [u32; 2], count: [u32; 2]) -> [u32; 2] {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let schedule = [key[0], key[1], key[0] ^ key[1] ^ 0x1bd1_1bda];
    let [mut x, mut y] = [count[0].wrapping_add(key[0]), count[1].wrapping_add(key[1])];
    for i in 0..5 {
        for r in ROTATIONS[i % 2] {
            x = x.wrapping_add(y);
            y = y.rotate_left(r) ^ x;
        }
        x = x.wrapping_add(schedule[(i + 1) % 3]);
        y = y.wrapping_add(schedule[(i + 2) % 3]).wrapping_add(i as u32 + 1);
    }
    [x, y]
}

/// Ten rounds of Philox 4x32.
#[inline(always)]
fn philox4x32(mut key: [u32; 2], mut x: [u32; 4]) -> [u32; 4] {
    let wide = |a: u32, b: u32| a as u64 * b as u64;
    for _ in 0..10 {
        let (p, q) = (wide(x[0], 0xd251_1f53), wide(x[2], 0xcd9e_8d57));
        x = [(q >> 32) as u32 ^ x[1] ^ key[0], q as u32, (p >> 32) as u32 ^ x[3] ^ key[1], p as u32];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    x
}

/// The low word, then the high one.
fn words(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

fn joined([low, high]: [u32; 2]) -> u64 {
    low as u64 | (high as u64) << 32
}

pub(crate) fn threefry(x: &[View<'_>], y: &mut [ViewMut<'_>]) {
    let [y0, y1] = y else { unreachable!("two results") };
    let (y0, y1) = (y0.elements::<u32>(), y1.elements::<u32>());
    let [k0, k1, c0, c1] = [0, 1, 2, 3].map(|i| arg::<u32>(&x[i]));
    let outputs = y0.iter_mut().zip(y1).enumerate();
    // Keys are mostly one value repeated, which leaves a loop over counts alone.
    match (k0, k1, c0, c1) {
        (Arg::One(k0), Arg::One(k1), Arg::Each(c0), Arg::Each(c1)) => {
            let counts = c0.iter().zip(c1);
            outputs.zip(counts).for_each(|((_, (y0, y1)), (&c0, &c1))| [*y0, *y1] = threefry2x32([k0, k1], [c0, c1]));
        }
        _ => outputs.for_each(|(i, (y0, y1))| [*y0, *y1] = threefry2x32([k0.at(i), k1.at(i)], [c0.at(i), c1.at(i)])),
    }
}

pub(crate) fn rng_bit_generator(op: &RngBitGenerator, state: View<'_>, y: &mut [ViewMut<'_>]) {
    let s: Vec<u64> = (0..state.size()).map(|i| state.get(i).element()).collect();
    let shape = &op.ty.shape;
    let wide = op.ty.dtype.size() == 8;
    let key = words(s[0]);
    let (bits, counter): (Vec<u64>, u128) = match op.algorithm {
        RngAlgorithm::ThreeFry => {
            let hash = |i: u64| threefry2x32(key, words(s[1].wrapping_add(i)));
            let (bits, used) = match wide {
                true => ((0..shape.size() as u64).map(|i| joined(hash(i))).collect(), shape.size() as u64),
                false => halves(shape, hash),
            };
            (bits, s[1].wrapping_add(used) as u128)
        }
        RngAlgorithm::Philox | RngAlgorithm::Default => {
            // A state without a high word of the counter lends its key for one.
            let start = s[1] as u128 | (*s.get(2).unwrap_or(&s[0]) as u128) << 64;
            let blocks = (shape.size() * if wide { 2 } else { 1 }).div_ceil(4) as u64;
            let words = (0..blocks).flat_map(|i| {
                let c = start.wrapping_add(i as u128);
                philox4x32(key, [c as u32, (c >> 32) as u32, (c >> 64) as u32, (c >> 96) as u32])
            });
            let mut bits: Vec<u64> = match wide {
                true => words.collect::<Vec<u32>>().chunks_exact(2).map(|w| joined([w[0], w[1]])).collect(),
                false => words.map(u64::from).collect(),
            };
            bits.truncate(shape.size());
            (bits, start.wrapping_add(blocks as u128))
        }
    };
    let [after, out] = y else { unreachable!("two results") };
    after.elements().copy_from_slice(&[s[0], counter as u64, (counter >> 64) as u64][..s.len()]);
    // The low bits, as many as the type has.
    with_dtype!(op.ty.dtype, T => {
        out.elements::<T>().iter_mut().zip(bits).for_each(|(y, b)| *y = T::from_i64(b as i64));
    });
}

/// The words of the hash over a shape cut in two along its first even axis, or its longest if there is none: the first
/// word of each hash has the even positions along it, the second the odd ones. Also gives how many hashes that took.
fn halves(shape: &Shape, hash: impl Fn(u64) -> [u32; 2]) -> (Vec<u64>, u64) {
    if shape.rank() == 0 {
        return (vec![hash(0)[0] as u64], 1);
    }
    let even = shape.iter().position(|n| n % 2 == 0);
    let longest = || (0..shape.rank()).rev().max_by_key(|&d| shape[d]).expect("an axis");
    let axis = even.unwrap_or_else(longest);
    let inner: usize = shape[axis + 1..].iter().product();
    let (n, half) = (shape[axis], shape[axis].div_ceil(2));
    let bits = (0..shape.size()).map(|i| {
        let (outer, at, inside) = (i / inner / n, i / inner % n, i % inner);
        hash(((outer * half + at / 2) * inner + inside) as u64)[at % 2] as u64
    });
    (bits.collect(), (shape.size() / n.max(1) * half) as u64)
}
