//! Loops, branches, calls, and more live values than registers.

use crate::reference::{self, features};
use wengert_kernel::{Address, Binary, Builder, Callee, Compare, Function, Inst, Kind, Signature, Value};
use wengert_x86::compile;

/// Runs a function on words with all features and by the reference; both leave the same words behind.
fn check(f: &Function, words: &[u64]) -> (bool, Vec<u64>) {
    let mut expected = words.to_vec();
    let before = words.to_vec();
    let args = |w: &mut Vec<u64>| vec![w.as_mut_ptr().cast::<u8>(); f.params.len()];
    // SAFETY: functions in these tests stay within the words.
    let ended = unsafe { reference::run(f, &args(&mut expected)) };
    for features in features() {
        let mut words = before.clone();
        let code = compile(f, features).expect("it can be compiled");
        // SAFETY: as above.
        let e = unsafe { code.run(&args(&mut words)) };
        assert_eq!((e, &words), (ended, &expected), "{} {features:?}", f.name);
        assert!(!code.bytes().is_empty());
    }
    (ended, expected)
}

fn at(base: Value, i: i64) -> Address {
    Address::at(base, 8 * i)
}

fn int(b: &mut Builder, x: i64) -> Value {
    b.constant(Kind::I64, x as u64)
}

fn for_loop(
    b: &mut Builder,
    range: (i64, i64, u64),
    start: &[Value],
    write: impl FnOnce(&mut Builder, Value, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let index = b.value(Kind::I64);
    let carried: Vec<Value> = start.iter().map(|&v| b.value(b.kind(v))).collect();
    b.begin();
    let results = write(b, index, &carried);
    let body = b.end(results);
    let y: Vec<Value> = start.iter().map(|&v| b.value(b.kind(v))).collect();
    let (from, step, count) = range;
    b.push(Inst::For { index, from, step, count, carried, start: start.to_vec(), body, y: y.clone() });
    y
}

fn while_loop(
    b: &mut Builder,
    start: &[Value],
    test: impl FnOnce(&mut Builder, &[Value]) -> Value,
    write: impl FnOnce(&mut Builder, &[Value]) -> Vec<Value>,
) -> Vec<Value> {
    let carried: Vec<Value> = start.iter().map(|&v| b.value(b.kind(v))).collect();
    b.begin();
    let t = test(b, &carried);
    let condition = b.end(vec![t]);
    b.begin();
    let results = write(b, &carried);
    let body = b.end(results);
    let y: Vec<Value> = start.iter().map(|&v| b.value(b.kind(v))).collect();
    b.push(Inst::While { carried, start: start.to_vec(), condition, body, y: y.clone() });
    y
}

fn branch(
    b: &mut Builder,
    condition: Value,
    then: impl FnOnce(&mut Builder) -> Vec<Value>,
    otherwise: impl FnOnce(&mut Builder) -> Vec<Value>,
) -> Vec<Value> {
    b.begin();
    let r = then(b);
    let kinds: Vec<Kind> = r.iter().map(|&v| b.kind(v)).collect();
    let then = b.end(r);
    b.begin();
    let r = otherwise(b);
    let otherwise = b.end(r);
    let y: Vec<Value> = kinds.into_iter().map(|k| b.value(k)).collect();
    b.push(Inst::If { condition, then, otherwise, y: y.clone() });
    y
}

#[test]
fn sums() {
    for (from, step, count) in
        [(0, 1, 10), (5, -3, 7), (0, 1, 0), (0, 1, 1), (3, 0, 4), (0, i64::MAX, 5), (1 << 40, 7, 3)]
    {
        let mut b = Builder::new(1);
        let zero = int(&mut b, 0);
        let y = for_loop(&mut b, (from, step, count), &[zero], |b, i, c| vec![b.binary(Binary::Add, c[0], i)]);
        b.store(y[0], at(b.param(0), 0));
        check(&b.finish("sum"), &[99]);
    }
}

#[test]
fn fibonacci_swaps() {
    let mut b = Builder::new(1);
    let (zero, one) = (int(&mut b, 0), int(&mut b, 1));
    let y = for_loop(&mut b, (0, 1, 50), &[zero, one], |b, _, c| vec![c[1], b.binary(Binary::Add, c[0], c[1])]);
    b.store(y[0], at(b.param(0), 0));
    b.store(y[1], at(b.param(0), 1));
    let (_, words) = check(&b.finish("fibonacci"), &[0; 2]);
    assert_eq!(words[0], 12586269025);
}

#[test]
fn rotations_of_carried_values() {
    for n in [2, 3, 5, 20, 60] {
        for kind in [Kind::I64, Kind::F64] {
            let mut b = Builder::new(1);
            let start: Vec<Value> = (0..n).map(|i| b.load(kind, at(b.param(0), i))).collect();
            let y = for_loop(&mut b, (0, 1, 7), &start, |_, _, c| {
                // A cycle of all but two that swap, and one that stays.
                let mut r = c.to_vec();
                r[..n as usize - 1].rotate_left(1);
                r
            });
            for (i, &v) in y.iter().enumerate() {
                b.store(v, at(b.param(0), i as i64));
            }
            check(&b.finish("rotate"), &(0..n as u64).map(|i| i << 52 | 3).collect::<Vec<_>>());
        }
    }
}

#[test]
fn while_with_conditions_of_all_sorts() {
    let mut b = Builder::new(1);
    let (n, zero) = (b.load(Kind::I64, at(b.param(0), 0)), int(&mut b, 0));
    let y = while_loop(
        &mut b,
        &[n, zero],
        |b, c| {
            let one = int(b, 1);
            b.compare(Compare::Ne, c[0], one)
        },
        |b, c| {
            let (one, two, three) = (int(b, 1), int(b, 2), int(b, 3));
            let odd = b.binary(Binary::And, c[0], one);
            let odd = b.compare(Compare::Eq, odd, one);
            let next = branch(
                b,
                odd,
                |b| {
                    let t = b.binary(Binary::Mul, c[0], three);
                    vec![b.binary(Binary::Add, t, one)]
                },
                |b| vec![b.binary(Binary::Div, c[0], two)],
            );
            vec![next[0], b.binary(Binary::Add, c[1], one)]
        },
    );
    b.store(y[1], at(b.param(0), 1));
    let (_, words) = check(&b.finish("collatz"), &[27, 0]);
    assert_eq!(words[1], 111);
}

#[test]
fn while_of_floats() {
    for op in [Compare::Lt, Compare::Le, Compare::Ne, Compare::Gt, Compare::Ge, Compare::Eq] {
        for limit in [100.0, 1.0, f64::NAN] {
            let mut b = Builder::new(1);
            let (x, limit) = (b.constant(Kind::F64, 1f64.to_bits()), b.constant(Kind::F64, limit.to_bits()));
            let zero = int(&mut b, 0);
            let y = while_loop(
                &mut b,
                &[x, zero],
                |b, c| {
                    let more = b.compare(op, c[0], limit);
                    let ten = int(b, 10);
                    let few = b.compare(Compare::Lt, c[1], ten);
                    b.binary(Binary::And, more, few)
                },
                |b, c| {
                    let (two, one) = (b.constant(Kind::F64, 2f64.to_bits()), int(b, 1));
                    vec![b.binary(Binary::Mul, c[0], two), b.binary(Binary::Add, c[1], one)]
                },
            );
            b.store(y[0], at(b.param(0), 0));
            b.store(y[1], at(b.param(0), 1));
            check(&b.finish("while"), &[0; 2]);
        }
    }
}

#[test]
fn branches_on_comparisons_of_floats() {
    for op in [Compare::Lt, Compare::Le, Compare::Ne, Compare::Gt, Compare::Ge, Compare::Eq] {
        for (x, y) in [(1f64, 2f64), (2.0, 1.0), (1.0, 1.0), (f64::NAN, 1.0), (0.0, -0.0)] {
            let mut b = Builder::new(1);
            let (p, q) = (b.load(Kind::F64, at(b.param(0), 0)), b.load(Kind::F64, at(b.param(0), 1)));
            let c = b.compare(op, p, q);
            let r = branch(&mut b, c, |b| vec![int(b, 5), p], |b| vec![int(b, 6), q]);
            b.store(r[0], at(b.param(0), 2));
            b.store(r[1], at(b.param(0), 3));
            check(&b.finish("branch"), &[x.to_bits(), y.to_bits(), 0, 0]);
        }
    }
}

#[test]
fn results_used_twice_and_constants() {
    let mut b = Builder::new(1);
    let x = b.load(Kind::I64, at(b.param(0), 0));
    let zero = int(&mut b, 0);
    let c = b.compare(Compare::Gt, x, zero);
    let r = branch(
        &mut b,
        c,
        |b| {
            let t = b.binary(Binary::Add, x, x);
            vec![t, t, zero]
        },
        |b| {
            let t = b.binary(Binary::Mul, x, x);
            let u = b.binary(Binary::Sub, t, x);
            vec![u, t, u]
        },
    );
    let y = for_loop(&mut b, (0, 1, 3), &[r[0], r[1], r[2]], |b, i, c| {
        let t = b.binary(Binary::Add, c[0], i);
        vec![t, t, c[0]]
    });
    for (i, v) in r.into_iter().chain(y).enumerate() {
        b.store(v, at(b.param(0), i as i64 + 1));
    }
    let f = b.finish("twice");
    check(&f, &[7, 0, 0, 0, 0, 0, 0]);
    check(&f, &[-7i64 as u64, 0, 0, 0, 0, 0, 0]);
}

#[test]
fn nested_loops_keep_what_is_outside() {
    let mut b = Builder::new(1);
    let outside = b.load(Kind::I64, at(b.param(0), 0));
    let zero = int(&mut b, 0);
    let y = for_loop(&mut b, (0, 1, 4), &[zero], |b, i, c| {
        let inner = for_loop(b, (0, 2, 5), &[c[0]], |b, j, d| {
            let t = b.binary(Binary::Mul, i, j);
            let t = b.binary(Binary::Add, t, outside);
            vec![b.binary(Binary::Add, d[0], t)]
        });
        vec![b.binary(Binary::Xor, inner[0], i)]
    });
    b.store(y[0], at(b.param(0), 1));
    b.store(outside, at(b.param(0), 2));
    check(&b.finish("nested"), &[12345, 0, 0]);
}

#[test]
fn more_live_values_than_registers() {
    for kind in [Kind::I64, Kind::F64, Kind::F32, Kind::I8, Kind::U16] {
        let n = 200;
        let mut b = Builder::new(1);
        let all: Vec<Value> = (0..n).map(|i| b.load(kind, at(b.param(0), i))).collect();
        let mut sums = Vec::new();
        for i in 0..n as usize {
            let t = b.binary(Binary::Sub, all[i], all[(i * 7 + 3) % n as usize]);
            let u = b.binary(Binary::Mul, t, all[(i * 3 + 1) % n as usize]);
            let c = b.compare(Compare::Lt, t, u);
            sums.push(b.select(c, u, all[n as usize - 1 - i]));
        }
        for (i, v) in sums.into_iter().enumerate() {
            b.store(v, at(b.param(0), i as i64));
        }
        let words: Vec<u64> = (0..n as u64).map(|i| ((i * i) as f64 / 3.0).to_bits() ^ i).collect();
        check(&b.finish("many"), &words);
    }
}

extern "C" fn half_more(x: f64) -> f64 {
    x * 0.5 + 1.0
}
extern "C" fn over(x: f32, y: f32) -> f32 {
    x / (y + 1.0)
}
extern "C" fn count_down(p: *mut u8, by: i64, c: i64, d: i64, e: i64, f: i64) -> bool {
    let p = p.cast::<i64>();
    // SAFETY: tests give a pointer to a word.
    unsafe {
        *p -= by + c - d + e - f;
        *p > 0
    }
}

#[test]
fn values_live_across_calls() {
    let mut b = Builder::new(1);
    let (mut x, n) = (b.load(Kind::F64, at(b.param(0), 0)), b.load(Kind::I64, at(b.param(0), 1)));
    let mut s = b.convert(x, Kind::F32);
    let mut kept = Vec::new();
    for i in 0..20 {
        let less = b.compare(Compare::Lt, n, n);
        let more = b.compare(Compare::Ge, n, n);
        let y = b.call_where(Callee::f64(half_more), more, &[x], x);
        let c = int(&mut b, i);
        kept.push(b.binary(Binary::Add, n, c));
        let z = b.call_where(Callee::pair_f32(over), if i % 3 == 0 { less } else { more }, &[s, s], s);
        let t = b.convert(y, Kind::F32);
        s = b.binary(Binary::Add, z, t);
        x = b.binary(Binary::Add, y, x);
    }
    let mut sum = n;
    for k in kept {
        sum = b.binary(Binary::Mul, sum, k);
    }
    let s = b.convert(s, Kind::F64);
    for (i, v) in [x, s, sum].into_iter().enumerate() {
        b.store(v, at(b.param(0), i as i64));
    }
    check(&b.finish("calls"), &[3.25f64.to_bits(), 17, 0]);
}

#[test]
fn kernels_end_functions() {
    // SAFETY: it has this signature, does not unwind, and keeps no pointer.
    let callee = unsafe { Callee::new(count_down as *const (), Signature::Kernel) };
    let mut b = Builder::new(6);
    let (one, zero) = (int(&mut b, 1), int(&mut b, 0));
    let limit = b.load(Kind::I64, at(b.param(4), 2));
    for_loop(&mut b, (0, 1, 10), &[zero], |b, i, c| {
        let p = b.param(5);
        b.push(Inst::Call { callee, x: vec![p, one, i, i, limit, limit] });
        let t = b.binary(Binary::Add, c[0], i);
        b.store(t, at(b.param(3), 1));
        vec![t]
    });
    let f = b.finish("kernels");
    assert!(!check(&f, &[4, 0, 77]).0);
    assert!(check(&f, &[40, 0, 77]).0);
}

#[test]
fn addresses_and_copies() {
    let mut b = Builder::new(2);
    let i = b.load(Kind::I64, at(b.param(0), 0));
    for (k, (scale, offset)) in
        [(8, 0), (24, 8), (-8, 64), (1, 3), (0, 16), (1 << 40, 16 - 2 * (1i64 << 40)), (4, -1)].into_iter().enumerate()
    {
        let place = Address { base: b.param(0), index: Some((i, scale)), offset };
        let v = b.load(Kind::U16, place);
        b.store(v, at(b.param(1), 100 + k as i64));
        let p = b.pointer(place);
        let v = b.load(Kind::I8, Address::at(p, 0));
        b.store(v, at(b.param(1), 120 + k as i64));
    }
    let c = int(&mut b, 2);
    let v = b.load(Kind::U64, Address { base: b.param(0), index: Some((c, 8)), offset: -8 });
    b.store(v, at(b.param(1), 130));
    for (k, bytes) in [0, 1, 2, 3, 4, 7, 8, 15, 16, 31, 33, 64, 100, 255, 256, 257, 400].into_iter().enumerate() {
        let from = b.pointer(Address::at(b.param(0), 1));
        let to = b.pointer(Address::at(b.param(1), 2000 + 500 * k as i64));
        b.push(Inst::Copy { x: [from, to], bytes });
    }
    let words: Vec<u64> =
        (0..2000u64).map(|i| if i == 0 { 2 } else { i.wrapping_mul(0x0123_4567_89ab_cdef) }).collect();
    check(&b.finish("places"), &words);
}

#[test]
fn listings_are_in_order() {
    let mut b = Builder::new(1);
    let zero = int(&mut b, 0);
    let y = for_loop(&mut b, (0, 1, 10), &[zero], |b, i, c| vec![b.binary(Binary::Add, c[0], i)]);
    b.store(y[0], at(b.param(0), 0));
    let f = b.finish("sum");
    let code = compile(&f, wengert_x86::Features::Avx2).expect("it can be compiled");
    let numbers: Vec<u32> = code.listing().iter().map(|l| l.1).collect();
    assert_eq!(numbers, [1, 2, 1, 3]);
    assert!(code.listing().is_sorted() && (code.listing()[3].0 as usize) < code.bytes().len());
}

#[test]
fn frames_of_many_pages() {
    let n = 4000;
    let mut b = Builder::new(1);
    let all: Vec<Value> = (0..n).map(|i| b.load(Kind::F32, at(b.param(0), i))).collect();
    for (i, &v) in all.iter().enumerate().rev() {
        b.store(v, at(b.param(0), (i as i64 * 7 + 1) % n));
    }
    let words: Vec<u64> = (0..n as u64).map(|i| i * 3).collect();
    check(&b.finish("frames"), &words);
}

#[test]
fn large_functions() {
    let mut b = Builder::new(1);
    let mut x = b.load(Kind::I64, at(b.param(0), 0));
    for i in 0..300_000 {
        let c = int(&mut b, i);
        x = b.binary(if i % 2 == 0 { Binary::Add } else { Binary::Xor }, x, c);
    }
    b.store(x, at(b.param(0), 1));
    check(&b.finish("large"), &[1, 2]);
}
