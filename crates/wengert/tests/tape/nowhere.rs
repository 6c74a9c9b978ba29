//! Values that come from nowhere that `#[track]` knows: what had another value before is not taken for them (C10).

use super::borrows::{Found, NamedFunction};
use wengert::{Array, track};

#[allow(non_snake_case)]
fn Two() -> f64 {
    2.0
}

#[allow(non_snake_case)]
fn Bump(m: &mut f64, by: f64) -> f64 {
    *m += by;
    *m
}

#[allow(non_snake_case)]
fn Set(m: &mut f64) -> f64 {
    *m = 2.0;
    7.0
}

#[track]
fn a_constant_block(x: Array) -> Array {
    let (v, mut s) = (x.to_f64(), 0.0);
    for i in 0..2 {
        let q = if i == 0 { v } else { const { 2.0 } };
        s = s * 10.0 + q;
    }
    &x * s
}

#[track]
fn a_function_with_a_capital(x: Array) -> Array {
    let (v, mut s) = (x.to_f64(), 0.0);
    for i in 0..2 {
        let q = match i {
            0 => v,
            _ => Two(),
        };
        s = s * 10.0 + q;
    }
    &x * s
}

#[track]
fn what_a_block_breaks_with(x: Array) -> Array {
    let (v, mut s, mut i) = (x.to_f64(), 0.0, 0);
    while i < 2 {
        let q = 'a: {
            if i > 0 {
                break 'a const { 2.0 };
            }
            v
        };
        (s, i) = (s * 10.0 + q, i + 1);
    }
    &x * s
}

#[track]
fn what_is_assigned(x: Array) -> Array {
    let (v, mut s, mut q) = (x.to_f64(), 0.0, 1.0);
    for i in 0..3 {
        s = s * 10.0 + q;
        q = if i == 0 { v } else { *const { &2.0 } };
    }
    &x * s
}

#[track]
fn a_function_with_a_capital_that_changes(x: Array) -> Array {
    let v = x.to_f64();
    let mut m = 1.0;
    let _ = Bump(&mut m, 2.0);
    let w = m * v;
    &x * w
}

#[track]
fn a_function_with_a_capital_that_sets(x: Array) -> Array {
    let v = x.to_f64();
    let mut m = v;
    let k = 1.0;
    let _ = if k > 0.0 { Set(&mut m) } else { 1.0 };
    let w = m * 3.0;
    &x * w
}

#[track]
#[rustfmt::skip]
fn names_behind_escapes(x: Array) -> Array {
    let v = x.to_f64();
    let (s, t, u) = (format!("{\x76}"), format!("{\u{76}}"), format!("{\
        v}"));
    &x * (s.len() + t.len() + u.len()) as f64
}

#[track]
fn included(x: Array) -> Array {
    let v = x.to_f64();
    let w: f64 = include!("nowhere.in");
    &x * w
}

struct Held<'a>(&'a mut f64);

#[allow(non_snake_case)]
fn Kept(m: &mut f64) -> Held<'_> {
    Held(m)
}

/// Refers to what it is given, which may be a temporary.
struct Shared<'a>(&'a f64, f64);

#[track]
fn a_variable_that_is_a_borrow(x: Array) -> Array {
    let v = x.to_f64();
    let mut m = v;
    let r = &mut m;
    let _ = Bump(r, 2.0);
    let w = m * 3.0;
    &x * w
}

#[track]
fn a_borrow_of_the_caller(x: Array) -> Array {
    #[track]
    fn inner(r: &mut f64) -> f64 {
        Bump(r, 2.0);
        *r * 3.0
    }
    let mut m = x.to_f64();
    let w = inner(&mut m);
    &x * (w + m)
}

#[track]
fn what_a_constructor_holds(x: Array) -> Array {
    let v = x.to_f64();
    let mut m = v;
    let held = Held(&mut m);
    *held.0 = 2.0;
    let w = m * 3.0;
    &x * w
}

#[track]
fn what_a_function_with_a_capital_holds(x: Array) -> Array {
    let v = x.to_f64();
    let mut m = v;
    let r = &mut m;
    let held = Kept(r);
    *held.0 += 2.0;
    let w = m * 3.0;
    &x * w
}

#[track]
fn what_it_gives_is_used(x: Array) -> Array {
    let v = x.to_f64();
    let mut m = v;
    let r = &mut m;
    let b = Bump(r, v) + Bump(r, 1.0);
    let w = m * b;
    &x * w
}

#[track]
fn a_temporary_that_is_extended(x: Array) -> Array {
    let v = x.to_f64();
    let s = Shared(&(v + 1.0), 2.0);
    let w = *s.0 * s.1;
    &x * w
}

struct Constants(f64, &'static [f64]);

#[track]
fn constructors_of_constants(x: Array) -> Array {
    const THREE: f64 = 3.0;
    let c: &'static Constants = &Constants(2.0, &[THREE, -1.0]);
    &x * (c.0 + c.1[0])
}

#[test]
fn c10_values_from_nowhere_are_never_those_from_before() {
    let functions: [NamedFunction; 15] = [
        ("const", a_constant_block),
        ("capital", a_function_with_a_capital),
        ("break", what_a_block_breaks_with),
        ("assigned", what_is_assigned),
        ("changes", a_function_with_a_capital_that_changes),
        ("sets", a_function_with_a_capital_that_sets),
        ("escapes", names_behind_escapes),
        ("include", included),
        ("borrow", a_variable_that_is_a_borrow),
        ("caller", a_borrow_of_the_caller),
        ("held", what_a_constructor_holds),
        ("kept", what_a_function_with_a_capital_holds),
        ("given", what_it_gives_is_used),
        ("constants", constructors_of_constants),
        ("extended", a_temporary_that_is_extended),
    ];
    // Whether they are followed or refused; nothing is wrong.
    Found::of(&functions);
}
