//! Random functions of all instructions and kinds: machine code leaves in memory what the interpreter does.

use wengert_kernel::random::sample;
use wengert_kernel::{Interpreter, text};
use wengert_x86::{Features, compile};

#[test]
fn machine_code_does_what_the_interpreter_does() {
    for seed in 0..1500 {
        let s = sample(seed);
        let interpreter = Interpreter::new(&s.function).expect("well-formed");
        let mut expected = s.memory.clone();
        let args: Vec<*mut u8> = expected.iter_mut().map(|m| m.as_mut_ptr()).collect();
        // SAFETY: random functions stay within their memory.
        let ends = unsafe { interpreter.run(&args) };
        for features in [Features::Sse2, Features::Sse41, Features::Avx2, Features::Avx512] {
            let Some(code) = compile(&s.function, features) else { continue };
            let mut memory = s.memory.clone();
            let args: Vec<*mut u8> = memory.iter_mut().map(|m| m.as_mut_ptr()).collect();
            // SAFETY: as above.
            let same = unsafe { code.run(&args) } == ends;
            let differs = |(a, b): (&Vec<u8>, &Vec<u8>)| a.iter().zip(b).position(|(a, b)| a != b);
            let at: Vec<Option<usize>> = memory.iter().zip(&expected).map(differs).collect();
            let same = same && at.iter().all(Option::is_none);
            assert!(same, "seed {seed}, {features:?}, at {at:?}:\n{}", text::print(&s.function, &[]));
        }
    }
}
