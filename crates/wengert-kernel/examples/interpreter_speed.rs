//! How long the interpreter takes: for an instruction on scalars, for a call that does nothing, and for an element in
//! lanes, where a loop of Rust is what it is measured by.
//!
//! `cargo run --release -p wengert-kernel --example interpreter_speed`

use std::time::Instant;
use wengert_kernel::{Interpreter, text};

/// The shortest of several runs, in seconds.
fn best(mut f: impl FnMut()) -> f64 {
    let once = |f: &mut dyn FnMut()| {
        let start = Instant::now();
        f();
        start.elapsed().as_secs_f64()
    };
    (0..100).map(|_| once(&mut f)).fold(f64::INFINITY, f64::min)
}

fn main() {
    // Seven instructions each time, and what the loop itself takes.
    let scalars = "fn scalars(%0: ptr) {
        %1: f32 = load [%0]
        for %2 from 0 step 1 count 10000 carry (%3: f32 = %1) -> (%11: f32) {
            %4: i64 = const 255
            %5: i64 = and %2, %4
            %6: f32 = load [%0 + %5*4]
            %7: f32 = mul %3, %6
            %8: f32 = add %7, %1
            %9: bool = lt %8, %6
            %10: f32 = select %9, %8, %6
            store %10, [%0 + %5*4 + 4096]
            yield %10
        }
        store %11, [%0]
    }";
    let f = Interpreter::new(&text::parse(scalars, &[]).expect("a text")).expect("a function");
    let mut memory = vec![0.5f32; 4096];
    // SAFETY: the function stays within the memory.
    let t = best(|| assert!(unsafe { f.run(&[memory.as_mut_ptr().cast()]) }));
    println!("scalars: {:.2} ns an instruction", t / 7e4 * 1e9);

    let f = Interpreter::new(&text::parse("fn nothing(%0: ptr) {\n}", &[]).expect("a text")).expect("a function");
    // SAFETY: the function does nothing.
    let t = best(|| (0..1000).for_each(|_| assert!(unsafe { f.run(&[memory.as_mut_ptr().cast()]) })));
    println!("a call: {:.1} ns", t / 1e3 * 1e9);

    for count in [256, 4096, 1 << 22] {
        let (from, mut to) = (vec![0.5f32; 2 * count], vec![0.5f32; count]);
        let times = ((1 << 22) / count).min(1000);
        let t = best(|| {
            for _ in 0..times {
                let (a, b) = std::hint::black_box(&from).split_at(count);
                let c = a[0];
                for ((y, a), b) in to.iter_mut().zip(a).zip(b) {
                    *y = a * b + c;
                }
                std::hint::black_box(&mut to);
            }
        });
        println!("a·b + c in Rust, {count} elements: {:.3} ns an element", t / (count * times) as f64 * 1e9);
    }
    for (name, line) in [
        ("a·b + c, rounded twice", "%6: f32 = mul %3, %4\n %7: f32 = add %6, %5"),
        ("a·b + c, rounded once", "%7: f32 = muladd %3, %4, %5"),
        ("max(a, ⌊b⌋)", "%6: f32 = floor %4\n %7: f32 = max %3, %6"),
    ] {
        for count in [16, 256, 4096, 1 << 22] {
            let body = format!(
                "%3: f32 = load [%0 + %2*4]
                 %4: f32 = load [%0 + %2*4 + {}]
                 %5: f32 = load [%0]
                 {line}
                 store %7, [%1 + %2*4]",
                4 * count
            );
            let lanes = format!("fn lanes(%0: ptr, %1: ptr) {{\n lanes %2 count {count} {{\n {body} }} }}");
            let f = Interpreter::new(&text::parse(&lanes, &[]).expect("a text")).expect("a function");
            let (mut from, mut to) = (vec![0.5f32; 2 * count], vec![0.5f32; count]);
            let times = ((1 << 22) / count).min(1000);
            let t = best(|| {
                for _ in 0..times {
                    // SAFETY: the function stays within the memory.
                    assert!(unsafe { f.run(&[from.as_mut_ptr().cast(), to.as_mut_ptr().cast()]) })
                }
            });
            println!("{name}, {count} lanes: {:.3} ns an element", t / (count * times) as f64 * 1e9);
        }
    }
}
