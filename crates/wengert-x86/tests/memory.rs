//! Executable memory: many functions made and dropped, by several threads, while others run.

use wengert_kernel::{Address, Binary, Builder, Function, Kind};
use wengert_x86::{Features, compile};

/// A function that adds a number, of some length.
fn adder(n: u64, length: usize) -> Function {
    let mut b = Builder::new(1);
    let mut x = b.load(Kind::U64, Address::at(b.param(0), 0));
    for i in 0..length {
        let c = b.constant(Kind::U64, if i == 0 { n } else { 0 });
        x = b.binary(Binary::Add, x, c);
    }
    b.store(x, Address::at(b.param(0), 0));
    b.finish("adder")
}

fn resident() -> usize {
    let all = std::fs::read_to_string("/proc/self/statm").expect("it is there");
    all.split(' ').nth(1).and_then(|n| n.parse().ok()).map_or(0, |n: usize| n * 4096)
}

#[test]
fn memory_does_not_grow() {
    let run = |i: u64| {
        let code = compile(&adder(i, 1 + i as usize % 40), Features::Avx512).expect("it can be compiled");
        let mut x = 1u64;
        // SAFETY: the function has one word to read and write.
        assert!(unsafe { code.run(&[(&raw mut x).cast()]) });
        assert_eq!(x, 1 + i);
    };
    (0..5000).for_each(run);
    let before = resident();
    (0..100_000).for_each(run);
    assert!(resident() < before + (8 << 20), "{} and then {}", before, resident());
}

#[test]
fn threads_compile_and_run_beside_each_other() {
    std::thread::scope(|s| {
        for t in 0..4u64 {
            s.spawn(move || {
                let mut kept = Vec::new();
                for i in 0..3000u64 {
                    let n = t << 32 | i;
                    kept.push((
                        n,
                        compile(&adder(n, 1 + i as usize % 60), Features::Sse2).expect("it can be compiled"),
                    ));
                    if kept.len() > 100 {
                        kept.remove(i as usize % 100);
                    }
                    let (n, code) = &kept[i as usize * 7 % kept.len()];
                    let mut x = 5u64;
                    // SAFETY: the function has one word to read and write.
                    assert!(unsafe { code.run(&[(&raw mut x).cast()]) });
                    assert_eq!(x, 5 + n);
                }
            });
        }
    });
}
