//! Loops, branches, lanes, calls of kernels, and threads: programs as text, and what they leave in memory.

use wengert_kernel::text::Names;
use wengert_kernel::{Callee, Interpreter, Signature, text};

/// Runs a function of one pointer on some numbers, and gives them afterwards, if it ran to its end.
fn run<const N: usize>(source: &str, names: Names<'_>, mut memory: [i64; N]) -> (bool, [i64; N]) {
    let function = text::parse(source, names).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let interpreter = Interpreter::new(&function).unwrap_or_else(|e| panic!("{e}\n{source}"));
    // SAFETY: the functions below stay within the memory they are given.
    let done = unsafe { interpreter.run(&[memory.as_mut_ptr().cast()]) };
    (done, memory)
}

fn check<const N: usize>(source: &str, memory: [i64; N], expected: [i64; N]) {
    assert_eq!(run(source, &[], memory), (true, expected), "{source}");
}

#[test]
fn what_is_carried_changes_places() {
    check(
        "fn fibonacci(%0: ptr) {
           %1: i64 = load [%0]
           %2: i64 = load [%0 + 8]
           for %3 from 0 step 1 count 10 carry (%4: i64 = %1, %5: i64 = %2) -> (%7: i64, %8: i64) {
             %6: i64 = add %4, %5
             yield %5, %6
           }
           store %7, [%0]
           store %8, [%0 + 8]
         }",
        [0, 1],
        [55, 89],
    );
    // Three in a circle, one that stays, and one twice.
    check(
        "fn circle(%0: ptr) {
           %1: i64 = const 1
           %2: i64 = const 2
           %3: i64 = const 3
           for %4 from 0 step 1 count 4 carry (%5: i64 = %1, %6: i64 = %2, %7: i64 = %3, %8: i64 = %3, %9: i64 = %1)
               -> (%10: i64, %11: i64, %12: i64, %13: i64, %14: i64) {
             yield %6, %7, %5, %8, %6
           }
           store %10, [%0]
           store %11, [%0 + 8]
           store %12, [%0 + 16]
           store %13, [%0 + 24]
           store %14, [%0 + 32]
         }",
        [0; 5],
        [2, 3, 1, 3, 2],
    );
}

#[test]
fn loops_count_as_they_say() {
    // What is not run gives what it starts with, and a step may be zero or negative.
    for (from, step, count, sum) in [(5, -2, 4, 5 + 3 + 1 - 1), (7, 0, 3, 21), (1, 1, 0, 0), (-3, 1, 1, -3)] {
        let source = format!(
            "fn sum(%0: ptr) {{
               %1: i64 = const 0
               for %2 from {from} step {step} count {count} carry (%3: i64 = %1) -> (%5: i64) {{
                 %4: i64 = add %3, %2
                 yield %4
               }}
               store %5, [%0]
             }}"
        );
        check(&source, [99], [sum]);
    }
}

#[test]
fn loops_in_loops_begin_anew() {
    check(
        "fn nested(%0: ptr) {
           %1: i64 = const 0
           for %2 from 1 step 1 count 3 carry (%3: i64 = %1) -> (%10: i64) {
             for %4 from 0 step 1 count 4 carry (%5: i64 = %1, %6: i64 = %3) -> (%8: i64, %9: i64) {
               %7: i64 = add %5, %2
               yield %7, %7
             }
             store %8, [%0 + %2*8]
             %11: i64 = add %9, %3
             yield %11
           }
           store %10, [%0]
         }",
        [0; 4],
        [24, 4, 8, 12],
    );
}

#[test]
fn a_loop_ends_when_its_condition_does() {
    let source = "fn gcd(%0: ptr) {
        %1: i64 = load [%0]
        %2: i64 = load [%0 + 8]
        %3: i64 = const 0
        while carry (%4: i64 = %1, %5: i64 = %2) -> (%8: i64, %9: i64) {
          %6: bool = ne %5, %3
          yield %6
        } do {
          %7: i64 = rem %4, %5
          yield %5, %7
        }
        store %8, [%0]
      }";
    check(source, [1071, 462], [21, 462]);
    check(source, [7, 0], [7, 0]);
}

#[test]
fn a_branch_gives_what_its_block_gives() {
    let source = "fn branch(%0: ptr) {
        %1: i64 = load [%0]
        %2: i64 = load [%0 + 8]
        %3: bool = lt %1, %2
        if %3 -> (%5: i64, %6: i64) {
          yield %2, %1
        } else {
          %4: i64 = const 100
          store %4, [%0 + 16]
          yield %1, %4
        }
        store %5, [%0]
        store %6, [%0 + 8]
      }";
    check(source, [1, 2, 3], [2, 1, 3]);
    check(source, [2, 1, 3], [2, 100, 100]);
}

#[test]
fn bytes_are_copied_and_pointers_kept_in_memory() {
    check(
        "fn copy(%0: ptr) {
           %1: ptr = pointer [%0 + 24]
           copy 16 bytes from %0 to %1
           store %1, [%0 + 16]
           %2: ptr = load [%0 + 16]
           %3: i64 = const 7
           store %3, [%2 - 24]
           store %3, [%0 + 16]
         }",
        [1, 2, 3, 4, 5],
        [7, 2, 7, 1, 2],
    );
}

/// Adds up to three numbers to the last, and says whether the sum is small.
extern "C" fn count_to(at: *mut i64, more: i64) -> bool {
    // SAFETY: the functions below hand it a pointer to a number.
    unsafe {
        *at += more;
        *at < 10
    }
}

#[test]
fn a_kernel_ends_the_function() {
    // SAFETY: it takes a pointer and a number, and gives whether to go on.
    let names = [("count_to", unsafe { Callee::new(count_to as *const (), Signature::Kernel) })];
    let source = "fn until(%0: ptr) {
        for %1 from 1 step 1 count 6 {
          call count_to(%0, %1)
          store %1, [%0 + 8]
        }
        store %0, [%0]
      }";
    // 0 + 1 + 2 + 3 + 4 = 10: what comes after the call is not done the last time.
    assert_eq!(run(source, &names, [0, 0]), (false, [10, 3]));
}

#[test]
fn lanes_of_any_count() {
    for count in [0, 1, 2, 255, 256, 257, 511, 512, 1000] {
        let source = format!(
            "fn squares(%0: ptr) {{
               %1: i64 = load [%0]
               lanes %2 count {count} {{
                 %3: i64 = mul %2, %2
                 %4: i64 = add %3, %1
                 store %4, [%0 + %2*8 + 8]
               }}
             }}"
        );
        let (done, memory) = run(&source, &[], [-5; 1002]);
        assert!(done);
        let expected = |i: usize| if i == 0 || i > count { -5 } else { ((i - 1) * (i - 1)) as i64 - 5 };
        assert!((0..memory.len()).all(|i| memory[i] == expected(i)), "{count}");
    }
}

#[test]
fn lanes_that_gather_and_scatter() {
    // Each lane reads where its number says, and writes from the end.
    check(
        "fn permute(%0: ptr) {
           %1: i64 = const 3
           lanes %2 count 4 {
             %3: i64 = load [%0 + %2*8]
             %4: i64 = load [%0 + %3*8 + 32]
             %5: i64 = sub %1, %2
             store %4, [%0 + %5*8 + 64]
           }
         }",
        [2, 0, 3, 1, 10, 11, 12, 13, 0, 0, 0, 0],
        [2, 0, 3, 1, 10, 11, 12, 13, 11, 13, 10, 12],
    );
}

#[test]
fn threads_run_the_same_function() {
    let source = "fn square(%0: ptr) {
        lanes %1 count 1000 {
          %2: i64 = load [%0 + %1*8]
          %3: i64 = mul %2, %2
          store %3, [%0 + %1*8]
        }
      }";
    let f = Interpreter::new(&text::parse(source, &[]).expect("a text")).expect("a function");
    std::thread::scope(|s| {
        for t in 0..4 {
            let f = &f;
            s.spawn(move || {
                let mut memory: Vec<i64> = (t..t + 1000).collect();
                // SAFETY: it reads and writes a thousand numbers.
                assert!(unsafe { f.run(&[memory.as_mut_ptr().cast()]) });
                assert!(memory.iter().zip(t..).all(|(y, x)| *y == x * x));
            });
        }
    });
}
