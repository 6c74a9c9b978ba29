//! Every instruction of every kind, on numbers that things go wrong with, against what it means.

use crate::reference::{self, HALVES, KINDS, edges, features, pack, same, unpack};
use wengert_kernel::{Address, Binary, Builder, Compare, Inst, Kind, Unary, Value};
use wengert_x86::{Features, compile};

/// One operand of an instruction: from memory each time, or a constant.
#[derive(Clone, Copy)]
enum From {
    Memory(Kind),
    Constant(Kind, u64),
}

/// Runs an instruction on all numbers.
fn run(
    features: Features,
    lanes: bool,
    from: &[From],
    out: Kind,
    inputs: &[Vec<u64>],
    write: impl Fn(&mut Builder, &[Value]) -> Value,
) -> Vec<u64> {
    let count = inputs.iter().map(Vec::len).max().unwrap_or(0);
    let mut b = Builder::new(from.len() + 1);
    b.begin();
    let index = b.value(Kind::I64);
    let mut x = Vec::new();
    for (i, f) in from.iter().enumerate() {
        x.push(match *f {
            From::Memory(k) => {
                let at = Address { base: b.param(i), index: Some((index, k.bytes() as i64)), offset: 0 };
                b.load(k, at)
            }
            From::Constant(k, bits) => b.constant(k, bits),
        });
    }
    let y = write(&mut b, &x);
    b.store(y, Address { base: b.param(from.len()), index: Some((index, out.bytes() as i64)), offset: 0 });
    let body = b.end(vec![]);
    let count = count as u64;
    b.push(if lanes {
        Inst::Lanes { index, count, body }
    } else {
        Inst::For { index, from: 0, step: 1, count, carried: vec![], start: vec![], body, y: vec![] }
    });
    let f = b.finish("one");
    let code = compile(&f, features).expect("it can be compiled");
    let mut memory: Vec<Vec<u8>> = from
        .iter()
        .enumerate()
        .map(|(i, f)| match f {
            From::Memory(k) => pack(*k, &inputs[i]),
            From::Constant(..) => vec![],
        })
        .collect();
    memory.push(vec![0xaa; count as usize * out.bytes()]);
    let args: Vec<*mut u8> = memory.iter_mut().map(|m| m.as_mut_ptr()).collect();
    // SAFETY: the function reads and writes `count` elements of each.
    assert!(unsafe { code.run(&args) });
    unpack(out, &memory[from.len()])
}

/// All ways to take two numbers.
fn pairs(a: &[u64], b: &[u64]) -> [Vec<u64>; 2] {
    let all: Vec<(u64, u64)> = a.iter().flat_map(|&x| b.iter().map(move |&y| (x, y))).collect();
    [all.iter().map(|p| p.0).collect(), all.iter().map(|p| p.1).collect()]
}

fn every(mut f: impl FnMut(Features, bool)) {
    for features in features() {
        for lanes in [false, true] {
            f(features, lanes);
        }
    }
}

fn check(what: &str, out: Kind, got: &[u64], expected: impl Fn(usize) -> u64, show: impl Fn(usize) -> String) {
    for (i, &g) in got.iter().enumerate() {
        let e = expected(i);
        assert!(same(out, g, e), "{what}: {}: {g:#x}, not {e:#x}", show(i));
    }
}

#[test]
fn unary() {
    use Unary::*;
    for kind in KINDS {
        let all: &[Unary] = match kind {
            Kind::Bool => &[Not],
            Kind::F32 | Kind::F64 => &[Neg, Abs, Sqrt, Floor, Ceil, Trunc, RoundEven],
            k if k.is_signed() => &[Neg, Abs, Not],
            _ => &[Neg, Not],
        };
        let x = edges(kind);
        for &op in all {
            every(|features, lanes| {
                let got = run(features, lanes, &[From::Memory(kind)], kind, std::slice::from_ref(&x), |b, v| {
                    b.unary(op, v[0])
                });
                let what = format!("{op:?} {kind:?} {features:?} lanes {lanes}");
                check(&what, kind, &got, |i| reference::unary(op, kind, x[i]), |i| format!("{:#x}", x[i]));
            });
        }
    }
}

fn binaries(kind: Kind) -> &'static [Binary] {
    use Binary::*;
    match kind {
        Kind::Bool => &[And, Or, Xor],
        Kind::F32 | Kind::F64 => &[Add, Sub, Mul, Div, Max, Min, CopySign, MinOrSecond, MaxOrSecond],
        _ => &[Add, Sub, Mul, Div, Rem, Max, Min, And, Or, Xor, Shl, ShrLogical, ShrArithmetic],
    }
}

#[test]
fn binary() {
    for kind in KINDS {
        let x = pairs(&edges(kind), &edges(kind));
        for &op in binaries(kind) {
            every(|features, lanes| {
                let from = [From::Memory(kind), From::Memory(kind)];
                let got = run(features, lanes, &from, kind, &x, |b, v| b.binary(op, v[0], v[1]));
                let what = format!("{op:?} {kind:?} {features:?} lanes {lanes}");
                let show = |i: usize| format!("{:#x}, {:#x}", x[0][i], x[1][i]);
                check(&what, kind, &got, |i| reference::binary(op, kind, x[0][i], x[1][i]), show);
            });
        }
    }
}

#[test]
fn scale() {
    for (kind, most) in [(Kind::F32, 250), (Kind::F64, 2000)] {
        let bits = |x: f64| if kind == Kind::F32 { (x as f32).to_bits() as u64 } else { x.to_bits() };
        let numbers: Vec<u64> = [0.25, -0.7, 1.0, 1.3000001, -3.7, 4.0, f64::NAN].into_iter().map(bits).collect();
        let powers = (-most..=most).step_by(if kind == Kind::F32 { 1 } else { 7 });
        let x = pairs(&numbers, &powers.map(|n| bits(n as f64)).collect::<Vec<_>>());
        every(|features, lanes| {
            let from = [From::Memory(kind), From::Memory(kind)];
            let got = run(features, lanes, &from, kind, &x, |b, v| b.binary(Binary::Scale, v[0], v[1]));
            let what = format!("{kind:?} {features:?} lanes {lanes}");
            let show = |i: usize| format!("{:#x}, {:#x}", x[0][i], x[1][i]);
            check(&what, kind, &got, |i| reference::binary(Binary::Scale, kind, x[0][i], x[1][i]), show);
        });
    }
}

#[test]
fn binary_with_constants() {
    for kind in KINDS {
        let x = edges(kind);
        for &op in binaries(kind) {
            for &c in x.iter().step_by(if kind.is_float() { 4 } else { 2 }) {
                every(|features, lanes| {
                    let what = format!("{op:?} {kind:?} {features:?} lanes {lanes} constant {c:#x}");
                    let show = |i: usize| format!("{:#x}", x[i]);
                    let from = [From::Memory(kind), From::Constant(kind, c)];
                    let got =
                        run(features, lanes, &from, kind, std::slice::from_ref(&x), |b, v| b.binary(op, v[0], v[1]));
                    check(&what, kind, &got, |i| reference::binary(op, kind, x[i], c), show);
                    let got =
                        run(features, lanes, &from, kind, std::slice::from_ref(&x), |b, v| b.binary(op, v[1], v[0]));
                    check(&what, kind, &got, |i| reference::binary(op, kind, c, x[i]), show);
                });
            }
        }
    }
}

#[test]
fn fused() {
    for kind in [Kind::F32, Kind::F64] {
        let e = edges(kind);
        let few: Vec<u64> = e.iter().step_by(5).copied().collect();
        let p = pairs(&e, &e);
        let [a, b] = pairs(&(0..p[0].len() as u64).collect::<Vec<_>>(), &few);
        let x =
            [a.iter().map(|&i| p[0][i as usize]).collect::<Vec<_>>(), a.iter().map(|&i| p[1][i as usize]).collect(), b];
        for negate in [[false, false], [false, true], [true, false], [true, true]] {
            let sign = |x: u64, other: bool| if other { reference::unary(Unary::Neg, kind, x) } else { x };
            every(|features, lanes| {
                let got = run(features, lanes, &[From::Memory(kind); 3], kind, &x, |b, v| {
                    let y = b.value(kind);
                    b.push(Inst::MulAdd { y, x: [v[0], v[1], v[2]], negate });
                    y
                });
                let what = format!("{kind:?} {features:?} lanes {lanes} {negate:?}");
                let show = |i: usize| format!("{:#x}, {:#x}, {:#x}", x[0][i], x[1][i], x[2][i]);
                let want =
                    |i: usize| reference::mul_add(kind, sign(x[0][i], negate[0]), x[1][i], sign(x[2][i], negate[1]));
                check(&what, kind, &got, want, show);
            });
        }
    }
}

const COMPARES: [Compare; 6] = [Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge];

#[test]
fn compare() {
    for kind in KINDS {
        let x = pairs(&edges(kind), &edges(kind));
        for op in COMPARES {
            every(|features, lanes| {
                let from = [From::Memory(kind), From::Memory(kind)];
                let got = run(features, lanes, &from, Kind::Bool, &x, |b, v| b.compare(op, v[0], v[1]));
                let what = format!("{op:?} {kind:?} {features:?} lanes {lanes}");
                let show = |i: usize| format!("{:#x}, {:#x}", x[0][i], x[1][i]);
                check(&what, Kind::Bool, &got, |i| reference::compare(op, kind, x[0][i], x[1][i]) as u64, show);
            });
        }
    }
}

#[test]
fn select_by_comparison() {
    for kind in KINDS {
        let few: Vec<u64> = edges(kind).into_iter().step_by(6).collect();
        let x = pairs(&few, &few);
        for out in [Kind::F32, Kind::F64, Kind::I8, Kind::U32, Kind::I64, Kind::Bool] {
            let (p, q) = (edges(out)[1], edges(out)[0]);
            for op in COMPARES {
                every(|features, lanes| {
                    let n = x[0].len();
                    let mut inputs = x.to_vec();
                    inputs.push(vec![p; n]);
                    for constant in [false, true] {
                        let third = if constant { From::Constant(out, p) } else { From::Memory(out) };
                        let from = [From::Memory(kind), From::Memory(kind), third];
                        let got = run(features, lanes, &from, out, &inputs, |b, v| {
                            let other = b.constant(out, q);
                            let c = b.compare(op, v[0], v[1]);
                            b.select(c, v[2], other)
                        });
                        let what = format!("{op:?} {kind:?} to {out:?} {features:?} lanes {lanes}");
                        let show = |i: usize| format!("{:#x}, {:#x}", x[0][i], x[1][i]);
                        let expected = |i: usize| if reference::compare(op, kind, x[0][i], x[1][i]) { p } else { q };
                        check(&what, out, &got, expected, show);
                    }
                });
            }
        }
    }
}

#[test]
fn select_by_boolean() {
    for kind in KINDS.into_iter().chain(HALVES) {
        let e = edges(kind);
        let [a, b] = pairs(&e, &e);
        let c: Vec<u64> = (0..a.len() as u64).map(|i| i % 2).collect();
        let x = [c, a, b];
        every(|features, lanes| {
            let from = [From::Memory(Kind::Bool), From::Memory(kind), From::Memory(kind)];
            let got = run(features, lanes, &from, kind, &x, |b, v| b.select(v[0], v[1], v[2]));
            let what = format!("{kind:?} {features:?} lanes {lanes}");
            check(&what, kind, &got, |i| if x[0][i] == 1 { x[1][i] } else { x[2][i] }, |i| i.to_string());
        });
    }
}

#[test]
fn convert() {
    for from in KINDS {
        let mut x = edges(from);
        let mut r = reference::Random(7);
        if from != Kind::Bool {
            x.extend((0..100).map(|_| r.next() << 20 ^ r.next() & (u64::MAX >> (64 - 8 * from.bytes()))));
            let n = from.bytes();
            x.iter_mut().for_each(|v| *v &= u64::MAX >> (64 - 8 * n));
        }
        for to in KINDS {
            every(|features, lanes| {
                let got = run(features, lanes, &[From::Memory(from)], to, std::slice::from_ref(&x), |b, v| {
                    let y = b.value(to);
                    b.push(Inst::Convert { y, x: v[0] });
                    y
                });
                let what = format!("{from:?} to {to:?} {features:?} lanes {lanes}");
                check(&what, to, &got, |i| reference::convert(from, to, x[i]), |i| format!("{:#x}", x[i]));
            });
        }
    }
}

#[test]
fn floats_of_16_bits() {
    let all: Vec<u64> = (0..1 << 16).collect();
    // Each number of 16 bits, what lies halfway to the next, and the neighbours of all these; then any bits.
    let around = |x: u64| [-2i64, -1, 0, 1, 2].map(|d| (x as i64 + d) as u32 as u64);
    let single = |x: u64| reference::convert(Kind::F16, Kind::F32, x);
    let mut numbers: Vec<u64> = all.iter().flat_map(|&x| around(single(x))).collect();
    numbers.extend(all.iter().flat_map(|&x| around(single(x) + (1 << 12))));
    numbers.extend(all.iter().flat_map(|&x| around(x << 16)));
    numbers.extend(all.iter().flat_map(|&x| around((x << 16) + (1 << 15))));
    numbers.extend((0..1 << 14).flat_map(|x| around((f32::exp2(-25.0) * x as f32).to_bits() as u64)));
    let mut r = reference::Random(3);
    numbers.extend((0..2_000_000).map(|_| r.next() & 0xffff_ffff));
    for half in HALVES {
        for (from, to, x) in [(half, Kind::F32, &all), (Kind::F32, half, &numbers)] {
            every(|features, lanes| {
                let got = run(features, lanes, &[From::Memory(from)], to, std::slice::from_ref(x), |b, v| {
                    b.convert(v[0], to)
                });
                let what = format!("{from:?} to {to:?} {features:?} lanes {lanes}");
                check(&what, to, &got, |i| reference::convert(from, to, x[i]), |i| format!("{:#x}", x[i]));
            });
        }
    }
}

#[test]
fn bitcast() {
    for from in KINDS.into_iter().chain(HALVES) {
        let x = edges(from);
        for to in KINDS
            .into_iter()
            .chain(HALVES)
            .filter(|k| k.bytes() == from.bytes() && (*k == Kind::Bool) == (from == Kind::Bool))
        {
            every(|features, lanes| {
                let got = run(features, lanes, &[From::Memory(from)], to, std::slice::from_ref(&x), |b, v| {
                    let y = b.value(to);
                    b.push(Inst::Bitcast { y, x: v[0] });
                    y
                });
                assert_eq!(got, x, "{from:?} to {to:?} {features:?} lanes {lanes}");
            });
        }
    }
}

#[test]
fn constants() {
    for kind in KINDS.into_iter().chain(HALVES) {
        for c in edges(kind) {
            every(|features, lanes| {
                let got = run(features, lanes, &[From::Constant(kind, c)], kind, &[vec![0; 5]], |_, v| v[0]);
                assert_eq!(got, vec![c; 5], "{kind:?} {features:?} lanes {lanes}");
            });
        }
    }
}
