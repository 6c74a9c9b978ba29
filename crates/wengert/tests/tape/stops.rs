//! Where updates and programs of a run stop, and what they say (C10): a number that nothing can compute again, or that a run would
//! not have either.

use wengert::{Array, Device, Recorder, track};

/// What an update says of the first thing that it can't follow.
#[test]
fn c10_what_is_not_followed_is_named() {
    fn half(v: f64) -> f64 {
        v / 2.0
    }
    #[track]
    fn by_a_function(x: Array) -> Array {
        let w = half(x.to_f64());
        &x * w
    }
    #[track]
    fn by_an_element(x: Array) -> Array {
        let v = x.to_f64();
        let list = vec![v, 1.0];
        &x * list[0]
    }
    #[track]
    fn by_a_part(x: Array) -> Array {
        let mut t = (x.to_f64(), 2.0);
        t.1 += 1.0;
        &x * t.0
    }
    #[track]
    fn by_a_decision(x: Array) -> Array {
        if x.to_f64() < 2.5 { x * 2.0 } else { x }
    }
    #[track]
    fn by_a_text(x: Array) -> Array {
        let text = format!("{x}");
        &x * text.len() as f64
    }
    fn untracked(x: Array) -> Array {
        &x * x.to_f64()
    }
    #[track]
    fn given_to_others(x: Array) -> Array {
        fn twice(x: &Array) -> f64 {
            inner(x) * 2.0
        }
        #[track]
        fn inner(x: &Array) -> f64 {
            x.to_f64() + 1.0
        }
        let w = twice(&x);
        &x * w
    }
    #[track]
    fn full(x: Array) -> Array {
        let v = x.to_f64();
        x.full_like(v) * 2.0
    }
    #[track]
    fn by_a_constant_of_its_own(x: Array) -> Array {
        const LIMIT: i64 = 900;
        let n = x.to_f64() as i64;
        let w = match n {
            LIMIT => 1,
            _ => n * 2,
        };
        &x * w as f64
    }
    type Function = fn(Array) -> Array;
    let all: [(Function, &str); 9] = [
        (by_a_function, "`half` gave 1 here, by a value that changed, and the tape can't compute it again"),
        (
            by_an_element,
            "`vec![v, 1.0]` was evaluated here, of a value that changed, and is no number: what is inside of it is not followed",
        ),
        (by_a_part, "`(x.to_f64(), 2.0)` was evaluated here, of a value that changed, and is no number"),
        (by_a_decision, "`x.to_f64() < 2.5` was true here, and is false now"),
        (by_a_text, "the host read a value here (`shown`, "),
        (untracked, "the host read a value here (`to_f64`, "),
        (
            given_to_others,
            "`inner` gave a value that is another now to code that is not tracked: what that did with it is not on the tape",
        ),
        (by_a_constant_of_its_own, "`n` was matched _ here, and depends on a value that changed"),
        (full, "`full_like` was made with a value of the host that changed"),
    ];
    for (f, words) in all {
        let mut live = Recorder::new().live(f, (Array::from(2.0),));
        live.set(live.argument(0), Array::from(3.0)).unwrap();
        let e = live.update().unwrap_err().to_string();
        assert!(e.contains(words), "{e}\n{}", live.tape());
    }
}

/// Operators of integers that overflow, which stop a run or wrap: the update stops.
#[test]
fn c10_an_operator_that_would_panic_is_no_number() {
    #[track]
    fn before(x: Array) -> Array {
        let n = x.to_f64() as u32;
        let w = n - 1;
        x * (w as f64)
    }
    #[track]
    fn squared(x: Array) -> Array {
        let n = x.to_f64() as i8;
        let w = n * n;
        x * (w as f64)
    }
    #[track]
    fn negated(x: Array) -> Array {
        let n = x.to_f64() as i8;
        let w = -n;
        x * (w as f64)
    }
    for (f, other) in [(before as fn(Array) -> Array, -2.0), (squared, 100.0), (negated, -200.0)] {
        let mut live = Recorder::new().live(f, (Array::from(3.0),));
        live.set(live.argument(0), Array::from(other)).unwrap();
        let message = live.update().unwrap_err().to_string();
        assert!(message.contains("overflows here"), "{message}");
        live.set(live.argument(0), Array::from(5.0)).unwrap();
        live.update().unwrap();
        assert_eq!(live.value().to_f64(), f(Array::from(5.0)).to_f64());
    }
}

/// A program of a run, whose ops wrap, stops at every overflow where it has guards, and nowhere else.
#[test]
fn c10_programs_find_the_overflows_that_rust_finds() {
    macro_rules! check {
        ($t:ident: $($operator:tt $checked:ident),*) => {
            $({
                #[track]
                fn f(x: Array, y: Array) -> Array {
                    let (a, b) = (x.to_i64() as $t, y.to_i64() as $t);
                    let w = a $operator b;
                    &x * (0 as $t) + w
                }
                let numbers = [$t::MIN, $t::MIN + 1, 0, 1, 2, 3, $t::MAX / 2, $t::MAX / 2 + 1, $t::MAX - 1, $t::MAX];
                let numbers = numbers.into_iter().chain((0 as $t).checked_sub(1)).chain((0 as $t).checked_sub(2));
                let numbers: Vec<$t> = numbers.collect();
                let (_, tape) = Recorder::new().record(|| f(Array::from(3 as $t), Array::from(2 as $t)));
                let program = tape.to_program().unwrap();
                for &a in &numbers {
                    for &b in &numbers {
                        let inputs = vec![Array::from(a).to_tensor(), Array::from(b).to_tensor()];
                        let got = program.run_guarded(&Device::cpu(), inputs).map(|y| y[0].to_vec::<$t>().unwrap()[0]);
                        assert_eq!(got.as_ref().ok().copied(), a.$checked(b), "{a} {} {b}: {got:?}", stringify!($operator));
                    }
                }
            })*
        };
    }
    check!(i64: + checked_add, - checked_sub, * checked_mul);
    check!(i32: + checked_add, - checked_sub, * checked_mul);
    check!(u32: + checked_add, - checked_sub, * checked_mul);
}

/// A number for which the method gives none, where the run would panic: the update stops there, and a new run says so.
#[test]
fn c10_a_method_that_would_panic_is_no_number() {
    #[track]
    fn divided(x: Array) -> Array {
        let n = x.to_f64() as i64;
        let w = 12 / n;
        &x * w as f64
    }
    let mut live = Recorder::new().live(divided, (Array::from(3.0),));
    live.set(live.argument(0), Array::from(0.0)).unwrap();
    let e = live.update().unwrap_err().to_string();
    assert!(e.contains("`/` gives no number for 12, 0"), "{e}");
}
