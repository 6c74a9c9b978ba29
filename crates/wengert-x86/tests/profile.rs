//! Marks and profiles: profiled code computes the same, and counts what the interpreter counts.

use wengert_kernel::profile::Counter;
use wengert_kernel::random::{names, sample};
use wengert_kernel::{Interpreter, text};
use wengert_x86::{Features, compile, compile_profiled};

#[test]
fn profiled_code_counts_what_the_interpreter_counts() {
    let seeds = std::env::var("WENGERT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(300);
    for seed in 0..seeds {
        let sample = sample(seed);
        let f = &sample.function;
        let interpreter = Interpreter::profiled(f).expect("well formed");
        let run = |code: Option<&wengert_x86::Code>, plain: bool| {
            let mut counters = vec![Counter::default(); 10];
            let mut memory = sample.memory.clone();
            let args: Vec<*mut u8> = memory.iter_mut().map(|m| m.as_mut_ptr()).collect();
            // SAFETY: random functions stay within their memory.
            let done = unsafe {
                match code {
                    Some(code) if plain => code.run(&args),
                    Some(code) => code.run_profiled(&args, &mut counters),
                    None => interpreter.run_profiled(&args, &mut counters),
                }
            };
            let runs: Vec<u64> = counters.iter().map(|c| c.runs).collect();
            (done, memory, runs)
        };
        let expected = run(None, false);
        for features in [Features::Sse2, Features::Avx2, Features::Avx512] {
            if let Some(code) = compile_profiled(f, features) {
                let got = run(Some(&code), false);
                let differ: Vec<(usize, usize)> = (0..got.1.len())
                    .flat_map(|k| (0..got.1[k].len()).map(move |i| (k, i)))
                    .filter(|&(k, i)| got.1[k][i] != expected.1[k][i])
                    .collect();
                assert!(
                    got == expected,
                    "seed {seed}, {features:?}: {} and {}, {:?} and {:?}, memory differs at {differ:?}\n{}",
                    got.0,
                    expected.0,
                    got.2,
                    expected.2,
                    text::print(f, &names())
                );
                let plain = compile(f, features).expect("what can be profiled can be compiled");
                let (done, memory, _) = run(Some(&plain), true);
                assert!((done, &memory) == (expected.0, &expected.1), "seed {seed}");
                // Marks are in the same order, whether they read the clock or not.
                let marks = |code: &wengert_x86::Code| code.marks().iter().map(|m| m.1).collect::<Vec<_>>();
                assert!(code.marks().is_sorted() && marks(&code).len() >= marks(&plain).len());
            }
        }
    }
}

#[test]
fn ticks_are_counted_where_time_goes() {
    let source = "fn f(%0: ptr) {
      mark 1
      for %1 from 0 step 1 count 1000000 carry (%2: i64 = %9) -> (%4: i64) { %3: i64 = mul %2, %2 yield %3 }
      mark 2
      store %4, [%0]
    }";
    let source = source.replace("mark 1\n", "mark 1\n %9: i64 = load [%0]\n");
    let f = text::parse(&source, &[]).expect("a text");
    let mut memory = [3i64];
    for code in [compile_profiled(&f, Features::Avx2), None] {
        // Another process may take the core away, anywhere.
        let found = (0..50).any(|_| {
            let mut counters = [Counter::default(); 3];
            let args = [memory.as_mut_ptr().cast()];
            // SAFETY: the function reads and writes one number.
            let done = unsafe {
                match &code {
                    Some(code) => code.run_profiled(&args, &mut counters),
                    None => Interpreter::profiled(&f).expect("well formed").run_profiled(&args, &mut counters),
                }
            };
            assert!(done && counters.iter().all(|c| c.runs == 1), "{counters:?}");
            counters[1].ticks > 100 * counters[2].ticks.max(100)
        });
        assert!(found);
    }
}
