//! Loops over lanes: counts that do not fit vectors, addresses of all sorts, calls, and many values.

use crate::reference::{self, Random, features};
use wengert_kernel::{Address, Binary, Builder, Callee, Compare, Inst, Kind, Unary, Value};
use wengert_x86::compile;

const COUNTS: [u64; 16] = [0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 100, 127];
/// Bytes in each piece of memory.
const BYTES: usize = 16384;

/// Runs a loop over lanes for all counts and features; it reads what the first two pointers point to, and writes to the
/// third.
fn check(name: &str, write: impl Fn(&mut Builder, Value)) {
    for count in COUNTS {
        let mut b = Builder::new(3);
        let index = b.value(Kind::I64);
        // Scalars that live around the loop.
        let before: Vec<Value> = (0..20).map(|i| b.load(Kind::F64, Address::at(b.param(0), 8 * i))).collect();
        let uniform = b.load(Kind::F32, Address::at(b.param(0), 400));
        b.store(uniform, Address::at(b.param(2), 16000));
        b.begin();
        write(&mut b, index);
        let body = b.end(vec![]);
        b.push(Inst::Lanes { index, count, body });
        for (i, v) in before.into_iter().enumerate() {
            b.store(v, Address::at(b.param(2), 16008 + 8 * i as i64));
        }
        let f = b.finish(name);
        let mut r = Random(count + 5);
        let mut small = |i: usize| ((r.next() % 2000) as f32 - 1000.0) / if i.is_multiple_of(7) { 1e-3 } else { 8.0 };
        let input: Vec<f32> = (0..BYTES / 4).map(&mut small).collect();
        let indices: Vec<i64> = (0..BYTES as i64 / 8).map(|i| (i * 37 + 11) % 512).collect();
        let run = |go: &dyn Fn(&[*mut u8]) -> bool| {
            let (mut a, mut i, mut out) = (input.clone(), indices.clone(), vec![0xeeu8; BYTES]);
            assert!(go(&[a.as_mut_ptr().cast(), i.as_mut_ptr().cast(), out.as_mut_ptr()]));
            out
        };
        // SAFETY: the functions of these tests stay within the memory.
        let expected = run(&|args| unsafe { reference::run(&f, args) });
        for features in features() {
            let code = compile(&f, features).expect("it can be compiled");
            // SAFETY: as above.
            let got = run(&|args| unsafe { code.run(args) });
            let differ = got.iter().zip(&expected).position(|(g, e)| g != e);
            assert_eq!(differ, None, "{name} {count} {features:?}");
        }
    }
}

fn at(base: Value, index: Value, scale: i64, offset: i64) -> Address {
    Address { base, index: Some((index, scale)), offset }
}

fn float(b: &mut Builder, x: f32) -> Value {
    b.constant(Kind::F32, x.to_bits() as u64)
}

#[test]
fn contiguous() {
    check("sum", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let y = b.load(Kind::F32, at(b.param(0), i, 4, 1000));
        let z = b.binary(Binary::Add, x, y);
        b.store(z, at(b.param(2), i, 4, 0));
    });
    check("widths", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let d = b.convert(x, Kind::F64);
        let s = b.load(Kind::I16, at(b.param(1), i, 2, 0));
        let e = b.convert(s, Kind::F64);
        let z = b.binary(Binary::Div, d, e);
        b.store(z, at(b.param(2), i, 8, 0));
        let c = b.compare(Compare::Lt, d, e);
        let t = b.select(c, x, x);
        let n = b.convert(c, Kind::U8);
        b.store(t, at(b.param(2), i, 4, 2000));
        b.store(n, at(b.param(2), i, 1, 4000));
        b.store(c, at(b.param(2), i, 1, 5000));
    });
}

#[test]
fn strided_and_indexed() {
    check("strided", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 12, 8));
        let y = b.load(Kind::F64, at(b.param(0), i, -8, 4000));
        let z = b.load(Kind::F32, at(b.param(0), i, 0, 8));
        let z = b.binary(Binary::Mul, x, z);
        b.store(z, at(b.param(2), i, 20, 0));
        b.store(y, at(b.param(2), i, 16, 6000));
    });
    check("strided floats", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 8, 4));
        let y = b.load(Kind::U32, at(b.param(0), i, 64, 0));
        b.store(x, at(b.param(2), i, 12, 0));
        b.store(y, at(b.param(2), i, -4, 9000));
    });
    for kind in [Kind::F32, Kind::F64, Kind::I32, Kind::I64] {
        let n = kind.bytes() as i64;
        check(&format!("pairs of {kind:?}"), |b, i| {
            let re = b.load(kind, at(b.param(0), i, 2 * n, 0));
            let im = b.load(kind, at(b.param(0), i, 2 * n, n));
            let sum = b.binary(Binary::Add, re, im);
            let difference = b.binary(Binary::Sub, re, im);
            b.store(sum, at(b.param(2), i, 2 * n, 0));
            b.store(difference, at(b.param(2), i, 2 * n, n));
        });
    }
    check("pairs of several widths", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 8, 4));
        let y = b.load(Kind::F64, at(b.param(0), i, 16, 8));
        let z = b.convert(x, Kind::F64);
        let z = b.binary(Binary::Mul, y, z);
        let w = b.convert(z, Kind::F32);
        b.store(w, at(b.param(2), i, 8, 4));
        b.store(z, at(b.param(2), i, 16, 5000));
    });
    check("indexed", |b, i| {
        let j = b.load(Kind::I64, at(b.param(1), i, 8, 0));
        let x = b.load(Kind::F32, at(b.param(0), j, 4, 12));
        let y = b.load(Kind::F64, at(b.param(0), j, 8, 16));
        let one = b.constant(Kind::I64, 3);
        let k = b.binary(Binary::Add, i, one);
        b.store(x, at(b.param(2), k, 4, 0));
        b.store(y, at(b.param(2), k, 8, 4000));
        let n = b.load(Kind::I8, at(b.param(0), j, 1, 0));
        b.store(n, at(b.param(2), i, 1, 8000));
    });
}

#[test]
fn numbers_of_lanes() {
    check("iota", |b, i| {
        let x = b.convert(i, Kind::F32);
        let y = b.convert(i, Kind::I32);
        let z = b.convert(i, Kind::U8);
        b.store(x, at(b.param(2), i, 4, 0));
        b.store(y, at(b.param(2), i, 4, 1000));
        b.store(z, at(b.param(2), i, 1, 2000));
        b.store(i, at(b.param(2), i, 8, 3000));
    });
}

#[test]
fn narrow_numbers_of_lanes() {
    check("narrow", |b, i| {
        for (k, kind) in [Kind::I8, Kind::U16, Kind::I32, Kind::U32].into_iter().enumerate() {
            let x = b.convert(i, kind);
            let y = b.binary(Binary::Mul, x, x);
            b.store(y, at(b.param(2), i, kind.bytes() as i64, 1000 * k as i64));
        }
        let x = b.convert(i, Kind::I32);
        let x = b.convert(x, Kind::F32);
        b.store(x, at(b.param(2), i, 4, 5000));
    });
}

#[test]
fn same_in_all_lanes() {
    check("uniform", |b, i| {
        let x = b.load(Kind::F32, Address::at(b.param(0), 44));
        let y = b.load(Kind::I8, Address::at(b.param(0), 45));
        let c = b.load(Kind::U8, Address::at(b.param(0), 46));
        let c = b.convert(c, Kind::Bool);
        let z = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let s = b.binary(Binary::Mul, x, z);
        let t = b.convert(y, Kind::F32);
        let u = b.binary(Binary::Add, s, t);
        let u = b.select(c, u, z);
        b.store(u, at(b.param(2), i, 4, 0));
        let yes = b.constant(Kind::Bool, 1);
        let w = b.select(yes, z, u);
        b.store(w, at(b.param(2), i, 4, 1000));
        let c = b.binary(Binary::And, yes, c);
        b.store(c, at(b.param(2), i, 1, 2000));
    });
}

#[test]
fn more_values_than_registers() {
    for kind in [Kind::F32, Kind::F64, Kind::I32] {
        let n = 70;
        check("many", |b, i| {
            let bytes = kind.bytes() as i64;
            let all: Vec<Value> = (0..n).map(|k| b.load(kind, at(b.param(0), i, bytes, 8 * k))).collect();
            let consts: Vec<Value> = (0..40).map(|k| b.constant(kind, 0x3f80_0000 + k * 0x1_0000)).collect();
            let mut sum = all[0];
            for k in 0..n as usize {
                let t = b.binary(Binary::Mul, all[n as usize - 1 - k], consts[k % 40]);
                sum = b.binary(Binary::Sub, sum, t);
            }
            b.store(sum, at(b.param(2), i, bytes, 0));
        });
    }
    check("many comparisons", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let c: Vec<Value> = (0..9)
            .map(|k| {
                let t = float(b, k as f32 * 20.0);
                b.compare(Compare::Gt, x, t)
            })
            .collect();
        let mut any = c[8];
        for k in (0..8).rev() {
            any = b.binary(if k % 2 == 0 { Binary::Or } else { Binary::Xor }, any, c[k]);
        }
        b.store(any, at(b.param(2), i, 1, 0));
    });
}

extern "C" fn wave(x: f32) -> f32 {
    x.abs().sqrt() + 1.0
}
extern "C" fn blend(x: f64, y: f64) -> f64 {
    x * 0.25 - y
}

#[test]
fn calls() {
    check("calls", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let half = float(b, 0.5);
        let y = b.binary(Binary::Mul, x, half);
        let large = b.compare(Compare::Gt, x, half);
        let r = b.call_where(Callee::f32(wave), large, &[y], half);
        let s = b.call_where(Callee::f32(wave), large, &[half], x);
        let z = b.binary(Binary::Add, r, x);
        let z = b.binary(Binary::Add, z, s);
        b.store(z, at(b.param(2), i, 4, 0));
        b.store(y, at(b.param(2), i, 4, 1000));
    });
    check("wide calls", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let d = b.convert(x, Kind::F64);
        let e = b.load(Kind::F64, at(b.param(1), i, 8, 0));
        let below = b.compare(Compare::Lt, d, e);
        let r = b.call_where(Callee::pair_f64(blend), below, &[d, e], e);
        let q = b.unary(Unary::Abs, r);
        let c = b.compare(Compare::Lt, q, d);
        let z = b.select(c, r, d);
        b.store(z, at(b.param(2), i, 8, 0));
        b.store(x, at(b.param(2), i, 4, 2000));
    });
}

#[test]
fn exponents() {
    // What exponential functions do: the power of two is made of the bits of an integer.
    check("exponents", |b, i| {
        let x = b.load(Kind::F32, at(b.param(0), i, 4, 0));
        let scale = float(b, 0.03);
        let t = b.binary(Binary::Mul, x, scale);
        let r = b.unary(Unary::RoundEven, t);
        let n = b.convert(r, Kind::I32);
        let (bias, shift) = (b.constant(Kind::I32, 127), b.constant(Kind::I32, 23));
        let e = b.binary(Binary::Add, n, bias);
        let e = b.binary(Binary::Shl, e, shift);
        let p = b.bitcast(e, Kind::F32);
        let rest = b.binary(Binary::Sub, t, r);
        let y = b.binary(Binary::Mul, p, rest);
        b.store(y, at(b.param(2), i, 4, 0));
    });
}

/// Shifts to both sides that make a rotation, and others that look like one.
#[test]
fn rotations() {
    for kind in [Kind::U32, Kind::I32, Kind::U64, Kind::I64] {
        let width = 8 * kind.bytes() as u64;
        check("rotations", |b, i| {
            let bytes = kind.bytes() as i64;
            let x = b.load(kind, at(b.param(0), i, bytes, 0));
            let z = b.load(kind, at(b.param(1), i, bytes, 0));
            let turned = |b: &mut Builder, [p, q]: [Value; 2], left: u64, right: u64| {
                let [l, r] = [left, right].map(|n| b.constant(kind, n));
                let (p, q) = (b.binary(Binary::Shl, p, l), b.binary(Binary::ShrLogical, q, r));
                (b.binary(Binary::Or, q, p), p)
            };
            let one = b.constant(kind, 1);
            let (a, _) = turned(b, [x, x], 1, width - 1);
            let (c, _) = turned(b, [a, a], width - 3, 3);
            // Not a rotation: other bits, another number, by nothing, and a shift that is used once more.
            let (d, _) = turned(b, [c, c], 5, 9);
            let (e, _) = turned(b, [d, z], 7, width - 7);
            let (f, _) = turned(b, [e, e], 0, width);
            let (g, shifted) = turned(b, [f, f], 4, width - 4);
            let (h, _) = turned(b, [one, one], 9, width - 9);
            let y = [shifted, h].into_iter().fold(g, |y, v| b.binary(Binary::Add, y, v));
            b.store(y, at(b.param(2), i, bytes, 0));
        });
    }
}
