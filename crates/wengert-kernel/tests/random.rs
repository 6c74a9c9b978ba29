//! Random functions: they are well-formed, are read back as they are printed, stay within their memory, and give the same
//! with loops in place of lanes.

use wengert_kernel::random::{Sample, names, sample};
use wengert_kernel::{Block, Function, Inst, Interpreter, text, verify};

/// How many seeds; more with `WENGERT_SEEDS`.
fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("WENGERT_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// Bytes around memory that are not to be touched.
const GUARD: usize = 256;
const GUARD_BYTE: u8 = 0xa5;

/// Runs a function on the memory of a sample, and gives what it says and the memory afterwards.
fn run(function: &Function, sample: &Sample) -> (bool, Vec<Vec<u8>>) {
    let interpreter = Interpreter::new(function).expect("well-formed");
    let guard = vec![GUARD_BYTE; GUARD];
    let mut memory: Vec<Vec<u8>> = sample.memory.iter().map(|m| [&guard[..], m, &guard].concat()).collect();
    let args: Vec<*mut u8> = memory.iter_mut().map(|m| m[GUARD..].as_mut_ptr()).collect();
    // SAFETY: random functions stay within their memory, or the guards around it.
    let done = unsafe { interpreter.run(&args) };
    for m in &mut memory {
        let end = m.len() - GUARD;
        assert!(m[..GUARD] == guard && m[end..] == guard, "out of bounds in\n{}", text::print(function, &names()));
        *m = m[GUARD..end].to_vec();
    }
    (done, memory)
}

/// Puts a loop in place of lanes.
fn without_lanes(block: &mut Block) {
    for inst in &mut block.insts {
        match inst {
            Inst::For { body, .. } => without_lanes(body),
            Inst::While { condition: a, body: b, .. } | Inst::If { then: a, otherwise: b, .. } => {
                without_lanes(a);
                without_lanes(b);
            }
            Inst::Lanes { index, count, body } => {
                let none = Vec::new;
                let (index, count, body) = (*index, *count, std::mem::take(body));
                *inst = Inst::For { index, from: 0, step: 1, count, carried: none(), start: none(), body, y: none() };
            }
            _ => {}
        }
    }
}

#[test]
fn random_functions_are_well_formed() {
    for seed in seeds() {
        let f = sample(seed).function;
        verify(&f).unwrap_or_else(|e| panic!("{e}\n{}", text::print(&f, &names())));
    }
}

#[test]
fn random_functions_are_read_back() {
    let names = names();
    for seed in seeds() {
        let f = sample(seed).function;
        let printed = text::print(&f, &names);
        let read = text::parse(&printed, &names).unwrap_or_else(|e| panic!("{e}\n{printed}"));
        assert!(read == f, "{printed}");
    }
}

#[test]
fn lanes_give_what_loops_give() {
    let mut ended = 0;
    for seed in seeds() {
        let sample = sample(seed);
        let mut loops = sample.function.clone();
        without_lanes(&mut loops.body);
        let (a, b) = (run(&sample.function, &sample), run(&loops, &sample));
        ended += !a.0 as u64;
        assert!(a == b, "seed {seed}\n{}", text::print(&sample.function, &names()));
    }
    assert!(ended < seeds().end / 4, "{ended} of all functions ended early");
}

#[test]
fn what_runs_twice_gives_the_same() {
    for seed in seeds().take(300) {
        let sample = sample(seed);
        assert!(run(&sample.function, &sample) == run(&sample.function, &sample), "seed {seed}");
    }
}

/// Every instruction and operation comes up, of every kind that has it.
#[test]
fn random_functions_hold_everything() {
    let names = names();
    let mut heads = std::collections::BTreeSet::new();
    for seed in 0..2000 {
        for line in text::print(&sample(seed).function, &names).lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [_, kind, "=", "call", name, ..] => {
                    _ = heads.insert(format!("{kind} {}", name.split('(').next().unwrap()))
                }
                [_, kind, "=", op, ..] => _ = heads.insert(format!("{kind} {op}")),
                ["call", name, ..] => _ = heads.insert(name.split('(').next().unwrap().to_string()),
                [word, ..] => _ = heads.insert(word.to_string()),
                [] => {}
            }
        }
    }
    let mut missing = Vec::new();
    let mut expect = |head: String| {
        if !heads.contains(&head) {
            missing.push(head);
        }
    };
    use wengert_kernel::{Binary, Compare, Kind, Unary};
    for kind in Kind::ALL {
        Unary::ALL.iter().filter(|op| op.takes(*kind)).for_each(|op| expect(format!("{} {}", kind.name(), op.name())));
        Binary::ALL.iter().filter(|op| op.takes(*kind)).for_each(|op| expect(format!("{} {}", kind.name(), op.name())));
        expect(format!("{} load", kind.name()));
        expect(format!("{} select", kind.name()));
    }
    Compare::ALL.iter().for_each(|op| expect(format!("bool {}", op.name())));
    for word in ["f32 muladd", "f64 muladd", "store", "copy", "ptr pointer", "for", "while", "if", "lanes", "yield"] {
        expect(word.to_string());
    }
    for name in ["f32 half", "f64 third", "f32 blend", "f64 ratio", "nothing", "mix", "mix_all"] {
        expect(name.to_string());
    }
    assert!(missing.is_empty(), "{missing:?}");
}
