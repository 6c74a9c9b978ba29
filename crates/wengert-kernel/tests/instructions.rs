//! Each instruction of each kind, with edge values, against plain Rust.

use crate::support::{bits, check, edges, half_bits, half_value, integer, mask, tuples};
use wengert_kernel::{Binary, Callee, Compare, Inst, Kind, Unary};

fn integers() -> impl Iterator<Item = Kind> {
    Kind::ALL.iter().copied().filter(|k| k.is_integer())
}

/// A float of either kind, as `f64`, and back.
fn float(kind: Kind, x: u64) -> f64 {
    if kind == Kind::F32 { f32::from_bits(x as u32) as f64 } else { f64::from_bits(x) }
}

fn check_unary(op: Unary, kind: Kind, expected: impl Fn(u64) -> u64) {
    check(&[kind], |b, x| b.unary(op, x[0]), &tuples(&[kind]), |x| expected(x[0]));
}

fn check_binary(op: Binary, kind: Kind, expected: impl Fn(u64, u64) -> u64) {
    check(&[kind; 2], |b, x| b.binary(op, x[0], x[1]), &tuples(&[kind; 2]), |x| expected(x[0], x[1]));
}

#[test]
fn unary_of_integers() {
    for kind in integers() {
        check_unary(Unary::Neg, kind, |x| bits(kind, -integer(kind, x)));
        check_unary(Unary::Not, kind, |x| !x & mask(kind));
        if kind.is_signed() {
            check_unary(Unary::Abs, kind, |x| bits(kind, integer(kind, x).abs()));
        }
    }
    check_unary(Unary::Not, Kind::Bool, |x| 1 - x);
}

#[test]
fn unary_of_floats() {
    macro_rules! check_all {
        ($kind:expr, $T:ident) => {
            for (op, f) in [
                (Unary::Neg, (|x: $T| -x) as fn($T) -> $T),
                (Unary::Abs, |x| if x.is_sign_negative() { -x } else { x }),
                (Unary::Sqrt, |x| x.sqrt()),
                (Unary::Floor, |x| x.floor()),
                (Unary::Ceil, |x| x.ceil()),
                (Unary::Trunc, |x| x.trunc()),
                (Unary::RoundEven, |x| {
                    let (down, up) = (x.floor(), x.ceil());
                    let even = if down % 2.0 == 0.0 { down } else { up };
                    let nearest = if x - down < up - x { down } else { up };
                    if x.is_infinite() || down == up {
                        x
                    } else {
                        if x - down == up - x { even } else { nearest }.copysign(x)
                    }
                }),
            ] {
                check_unary(op, $kind, |x| f($T::from_bits(x as _)).to_bits() as u64);
            }
        };
    }
    check_all!(Kind::F32, f32);
    check_all!(Kind::F64, f64);
}

#[test]
fn binary_of_integers() {
    for kind in integers() {
        let width = 8 * kind.bytes() as u32;
        for op in [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div, Binary::Rem, Binary::Max, Binary::Min] {
            check_binary(op, kind, |a, b| {
                let (a, b) = (integer(kind, a), integer(kind, b));
                let y = match op {
                    Binary::Add => a + b,
                    Binary::Sub => a - b,
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::Div if b == 0 => -1,
                    Binary::Div => a / b,
                    Binary::Rem if b == 0 => a,
                    Binary::Rem => a % b,
                    Binary::Max => a.max(b),
                    _ => a.min(b),
                };
                bits(kind, y)
            });
        }
        check_binary(Binary::Shl, kind, |a, b| if b < width as u64 { (a << b) & mask(kind) } else { 0 });
        check_binary(Binary::ShrLogical, kind, |a, b| if b < width as u64 { a >> b } else { 0 });
        check_binary(Binary::ShrArithmetic, kind, |a, b| {
            let signed = (a << (64 - width)) as i64 >> (64 - width);
            (signed >> b.min(63)) as u64 & mask(kind)
        });
    }
    for kind in integers().chain([Kind::Bool]) {
        check_binary(Binary::And, kind, |a, b| a & b);
        check_binary(Binary::Or, kind, |a, b| a | b);
        check_binary(Binary::Xor, kind, |a, b| a ^ b);
    }
}

#[test]
fn binary_of_floats() {
    macro_rules! check_all {
        ($kind:expr, $T:ident) => {
            for (op, f) in [
                (Binary::Add, (|a: $T, b: $T| a + b) as fn($T, $T) -> $T),
                (Binary::Sub, |a, b| a - b),
                (Binary::Mul, |a, b| a * b),
                (Binary::Div, |a, b| a / b),
                (Binary::Max, |a, b| match a.partial_cmp(&b) {
                    None => $T::NAN,
                    Some(_) => {
                        if a.total_cmp(&b).is_gt() {
                            a
                        } else {
                            b
                        }
                    }
                }),
                (Binary::Min, |a, b| match a.partial_cmp(&b) {
                    None => $T::NAN,
                    Some(_) => {
                        if a.total_cmp(&b).is_lt() {
                            a
                        } else {
                            b
                        }
                    }
                }),
                (Binary::MinOrSecond, |a, b| if a < b { a } else { b }),
                (Binary::MaxOrSecond, |a, b| if a > b { a } else { b }),
                (Binary::CopySign, |a, b| if a.is_sign_negative() == b.is_sign_negative() { a } else { -a }),
            ] {
                check_binary(op, $kind, |a, b| f($T::from_bits(a as _), $T::from_bits(b as _)).to_bits() as u64);
            }
        };
    }
    check_all!(Kind::F32, f32);
    check_all!(Kind::F64, f64);
}

#[test]
fn mul_add() {
    for kind in [Kind::F32, Kind::F64] {
        let some: Vec<u64> = edges(kind).into_iter().step_by(2).collect();
        let mut inputs = Vec::new();
        for &a in &some {
            for &b in &some {
                inputs.extend(some.iter().map(|&c| vec![a, b, c]));
            }
        }
        for [product, last] in [[false, false], [false, true], [true, false], [true, true]] {
            let sign = |negate: bool| if negate { -1.0 } else { 1.0 };
            check(
                &[kind; 3],
                |b, x| {
                    let y = b.value(kind);
                    b.push(Inst::MulAdd { y, x: [x[0], x[1], x[2]], negate: [product, last] });
                    y
                },
                &inputs,
                |x| match kind {
                    Kind::F32 => {
                        let [a, b, c] = [0, 1, 2].map(|i| f32::from_bits(x[i] as u32));
                        (a * sign(product) as f32).mul_add(b, c * sign(last) as f32).to_bits() as u64
                    }
                    _ => {
                        let [a, b, c] = [0, 1, 2].map(|i| f64::from_bits(x[i]));
                        (a * sign(product)).mul_add(b, c * sign(last)).to_bits()
                    }
                },
            );
        }
    }
}

#[test]
fn comparisons() {
    for &kind in Kind::ALL.iter().filter(|k| **k != Kind::Ptr && !k.is_half()) {
        for &op in Compare::ALL {
            check(
                &[kind; 2],
                |b, x| b.compare(op, x[0], x[1]),
                &tuples(&[kind; 2]),
                |x| {
                    let order = if kind.is_float() {
                        float(kind, x[0]).partial_cmp(&float(kind, x[1]))
                    } else {
                        Some(integer(kind, x[0]).cmp(&integer(kind, x[1])))
                    };
                    let holds = match op {
                        Compare::Eq => order.is_some_and(|o| o.is_eq()),
                        Compare::Ne => order.is_none_or(|o| o.is_ne()),
                        Compare::Lt => order.is_some_and(|o| o.is_lt()),
                        Compare::Le => order.is_some_and(|o| o.is_le()),
                        Compare::Gt => order.is_some_and(|o| o.is_gt()),
                        Compare::Ge => order.is_some_and(|o| o.is_ge()),
                    };
                    holds as u64
                },
            );
        }
    }
}

#[test]
fn selections() {
    for &kind in Kind::ALL.iter().filter(|k| **k != Kind::Ptr) {
        let kinds = [Kind::Bool, kind, kind];
        check(&kinds, |b, x| b.select(x[0], x[1], x[2]), &tuples(&kinds), |x| if x[0] == 1 { x[1] } else { x[2] });
    }
    // Pointers are selected, but not compared: they are read as what they point to.
    let inputs = [vec![0, 3, 4], vec![1, 3, 4]];
    check(
        &[Kind::Bool, Kind::I64, Kind::I64],
        |b, x| {
            let at = |v| wengert_kernel::Address { base: wengert_kernel::Value(0), index: Some((v, 1)), offset: 0 };
            let (p, q) = (b.pointer(at(x[1])), b.pointer(at(x[2])));
            let p = b.select(x[0], p, q);
            b.load(Kind::U8, wengert_kernel::Address::at(p, 5))
        },
        &inputs,
        |x| if x[0] == 1 { 3 } else { 0 },
    );
}

#[test]
fn conversions() {
    let kinds = Kind::ALL.iter().copied().filter(|k| *k != Kind::Ptr && !k.is_half());
    for from in kinds.clone() {
        for to in kinds.clone().filter(|k| *k != from) {
            check(
                &[from],
                |b, x| b.convert(x[0], to),
                &tuples(&[from]),
                |x| match (from.is_float(), to) {
                    (true, Kind::Bool) => (float(from, x[0]) != 0.0) as u64,
                    (true, Kind::F32) => (float(from, x[0]) as f32).to_bits() as u64,
                    (true, Kind::F64) => float(from, x[0]).to_bits(),
                    (true, _) => {
                        let width = 8 * to.bytes() as u32;
                        let (least, most) = match to.is_signed() {
                            true => (-1i128 << (width - 1), (1i128 << (width - 1)) - 1),
                            false => (0, (1i128 << width) - 1),
                        };
                        bits(to, (float(from, x[0]) as i128).clamp(least, most))
                    }
                    (false, Kind::Bool) => (x[0] != 0) as u64,
                    (false, Kind::F32) => (integer(from, x[0]) as f32).to_bits() as u64,
                    (false, Kind::F64) => (integer(from, x[0]) as f64).to_bits(),
                    (false, _) => bits(to, integer(from, x[0])),
                },
            );
        }
    }
}

#[test]
fn floats_of_16_bits() {
    let all: Vec<Vec<u64>> = (0..1 << 16).map(|x| vec![x]).collect();
    // Each number of 16 bits, what lies halfway to the next, and the neighbours of all these; then any bits.
    let around = |x: u64| [-2i64, -1, 0, 1, 2].map(|d| vec![(x as i64 + d) as u32 as u64]);
    let single = |x: u64| (half_value(Kind::F16, x) as f32).to_bits() as u64;
    let mut numbers: Vec<Vec<u64>> = (0..1u64 << 16).flat_map(|x| around(single(x))).collect();
    numbers.extend((0..1u64 << 16).flat_map(|x| around(single(x) + (1 << 12))));
    numbers.extend((0..1u64 << 16).flat_map(|x| around(x << 16)));
    numbers.extend((0..1u64 << 16).flat_map(|x| around((x << 16) + (1 << 15))));
    numbers.extend((0..1u64 << 14).flat_map(|x| around((f32::exp2(-25.0) * x as f32).to_bits() as u64)));
    let mut random = wengert_kernel::random::Random::new(1);
    numbers.extend((0..2_000_000).map(|_| vec![random.bits() >> 32]));
    for kind in [Kind::F16, Kind::BF16] {
        check(&[kind], |b, x| b.convert(x[0], Kind::F32), &all, |x| (half_value(kind, x[0]) as f32).to_bits() as u64);
        check(&[Kind::F32], |b, x| b.convert(x[0], kind), &numbers, |x| half_bits(kind, float(Kind::F32, x[0])));
    }
}

#[test]
fn bits_in_another_kind() {
    let kinds = Kind::ALL.iter().copied().filter(|k| *k != Kind::Bool && *k != Kind::Ptr);
    for from in kinds.clone() {
        for to in kinds.clone().filter(|k| k.bytes() == from.bytes()) {
            check(&[from], |b, x| b.bitcast(x[0], to), &tuples(&[from]), |x| x[0]);
        }
    }
}

#[test]
fn constants() {
    for &kind in Kind::ALL {
        for constant in if kind == Kind::Ptr { vec![0, 4096] } else { edges(kind) } {
            let mut b = wengert_kernel::Builder::new(1);
            let x = b.constant(kind, constant);
            b.store(x, wengert_kernel::Address::at(b.param(0), 0));
            let f = wengert_kernel::Interpreter::new(&b.finish("constant")).expect("well-formed");
            let mut y = 0u64;
            // SAFETY: it writes at most eight bytes.
            assert!(unsafe { f.run(&[(&raw mut y).cast()]) });
            assert_eq!(y, constant);
        }
    }
}

extern "C" fn f32_of_one(x: f32) -> f32 {
    x * 0.5 + 1.0
}

extern "C" fn f64_of_one(x: f64) -> f64 {
    x * 0.5 + 1.0
}

extern "C" fn f32_of_two(x: f32, y: f32) -> f32 {
    x * 0.5 - y
}

extern "C" fn f64_of_two(x: f64, y: f64) -> f64 {
    x * 0.5 - y
}

#[test]
fn calls() {
    for (callee, kind, arity) in [
        (Callee::f32(f32_of_one), Kind::F32, 1),
        (Callee::f64(f64_of_one), Kind::F64, 1),
        (Callee::pair_f32(f32_of_two), Kind::F32, 2),
        (Callee::pair_f64(f64_of_two), Kind::F64, 2),
    ] {
        let kinds = &[Kind::Bool, kind, kind][..1 + arity];
        check(
            kinds,
            |b, x| {
                let one = b.constant(kind, 1);
                b.call_where(callee, x[0], &x[1..], one)
            },
            &tuples(kinds),
            |x| match (kind, arity) {
                _ if x[0] == 0 => 1,
                (Kind::F32, 1) => f32_of_one(f32::from_bits(x[1] as u32)).to_bits() as u64,
                (Kind::F32, _) => f32_of_two(f32::from_bits(x[1] as u32), f32::from_bits(x[2] as u32)).to_bits() as u64,
                (_, 1) => f64_of_one(f64::from_bits(x[1])).to_bits(),
                _ => f64_of_two(f64::from_bits(x[1]), f64::from_bits(x[2])).to_bits(),
            },
        );
    }
}
