//! How long compiling takes, and how fast what comes out is. `cargo run --release -p wengert-x86 --example speed`

use std::time::Instant;
use wengert_kernel::{Address, Binary, Builder, Compare, Function, Inst, Kind, Unary, Value};
use wengert_x86::{Features, compile};

/// Straight-line code of all sorts.
fn long(n: usize) -> Function {
    let mut b = Builder::new(2);
    let mut floats: Vec<Value> = (0..8).map(|i| b.load(Kind::F32, Address::at(b.param(0), 4 * i))).collect();
    let mut ints: Vec<Value> = (0..8).map(|i| b.load(Kind::I32, Address::at(b.param(0), 4 * i))).collect();
    let mut seed = 1u64;
    let mut any = |n: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % n
    };
    for i in 0..n {
        let (f, g) = (floats[any(floats.len())], floats[any(floats.len())]);
        let (x, y) = (ints[any(ints.len())], ints[any(ints.len())]);
        match i % 10 {
            0 => floats.push(b.binary(Binary::Add, f, g)),
            1 => floats.push(b.binary(Binary::Mul, f, g)),
            2 => floats.push(b.unary(Unary::Abs, f)),
            3 => ints.push(b.binary(Binary::Add, x, y)),
            4 => ints.push(b.binary(Binary::Xor, x, y)),
            5 => {
                let v = b.constant(Kind::I32, any(100) as u64);
                ints.push(b.binary(Binary::Mul, x, v));
            }
            6 => {
                let c = b.compare(Compare::Lt, f, g);
                floats.push(b.select(c, g, f));
            }
            7 => floats.push(b.load(Kind::F32, Address::at(b.param(0), 4 * any(64) as i64))),
            8 => b.store(f, Address::at(b.param(1), 4 * any(64) as i64)),
            _ => b.store(x, Address::at(b.param(1), 4 * any(64) as i64)),
        }
        if floats.len() > 16 {
            floats.remove(0);
        }
        if ints.len() > 12 {
            ints.remove(0);
        }
    }
    b.finish("long")
}

/// `x = x·a + b` in a loop.
fn chain(count: u64, fused: bool) -> Function {
    let mut b = Builder::new(1);
    let p = b.param(0);
    let (x, m, a) = (
        b.load(Kind::F32, Address::at(p, 0)),
        b.load(Kind::F32, Address::at(p, 4)),
        b.load(Kind::F32, Address::at(p, 8)),
    );
    let (index, c, y) = (b.value(Kind::I64), b.value(Kind::F32), b.value(Kind::F32));
    b.begin();
    let r = if fused {
        b.mul_add([c, m, a])
    } else {
        let t = b.binary(Binary::Mul, c, m);
        b.binary(Binary::Add, t, a)
    };
    let body = b.end(vec![r]);
    b.push(Inst::For { index, from: 0, step: 1, count, carried: vec![c], start: vec![x], body, y: vec![y] });
    b.store(y, Address::at(p, 0));
    b.finish("chain")
}

/// A polynomial of each number of a row.
fn polynomial(count: u64) -> Function {
    let mut b = Builder::new(2);
    let index = b.value(Kind::I64);
    b.begin();
    let at = |base| Address { base, index: Some((index, 4)), offset: 0 };
    let x = b.load(Kind::F32, at(b.param(0)));
    let mut y = b.constant(Kind::F32, 0.1f32.to_bits() as u64);
    for i in 1..8 {
        let c = b.constant(Kind::F32, (i as f32 * 0.3).to_bits() as u64);
        y = b.mul_add([y, x, c]);
    }
    b.store(y, at(b.param(1)));
    let body = b.end(vec![]);
    b.push(Inst::Lanes { index, count, body });
    b.finish("polynomial")
}

fn best(mut f: impl FnMut()) -> f64 {
    (0..20)
        .map(|_| {
            let t = Instant::now();
            f();
            t.elapsed().as_secs_f64()
        })
        .fold(f64::MAX, f64::min)
}

fn main() {
    let Some(here) = Features::detect() else { return };
    for n in [100, 10_000, 300_000] {
        let f = long(n);
        let insts = f.body.insts.len();
        let t = best(|| drop(compile(&f, here)));
        let bytes = compile(&f, here).map_or(0, |c| c.bytes().len());
        println!("compile {insts} instructions: {:.1} ns each, {bytes} bytes", t * 1e9 / insts as f64);
    }
    for features in [Features::Sse2, Features::Avx2, Features::Avx512] {
        let mut x = [1f32, 0.999, 0.5];
        for fused in [true, false] {
            let Some(code) = compile(&chain(100_000, fused), features) else { return };
            // SAFETY: the function has three floats to read and one to write.
            let t = best(|| assert!(unsafe { code.run(&[x.as_mut_ptr().cast()]) }));
            println!("{features:?}: x = x·a + b, fused {fused}: {:.2} ns a turn", t * 1e9 / 1e5);
        }
        let (mut from, mut to) = (vec![0.5f32; 65536], vec![0f32; 65536]);
        let Some(code) = compile(&polynomial(65536), features) else { return };
        // SAFETY: both rows have as many floats.
        let t = best(|| assert!(unsafe { code.run(&[from.as_mut_ptr().cast(), to.as_mut_ptr().cast()]) }));
        println!("{features:?}: polynomial of degree 7: {:.3} ns an element", t * 1e9 / 65536.0);
    }
}
