//! Variables that change while what they are a part of is put together, and comparisons of parts and macros (C10).

#![allow(clippy::all, unused_parens)] // What is written so is warned of.

use super::borrows::Found;
use wengert::{Array, track};

#[derive(Clone, Copy, Debug)]
struct Pair {
    a: f64,
    b: f64,
}

#[derive(Clone, Copy, Debug)]
enum Either {
    Both(f64, f64),
}

#[track]
fn set_one(u: &mut f64) -> f64 {
    *u = 1.0;
    *u
}

#[track]
fn first(t: (f64, f64)) -> f64 {
    t.0
}

macro_rules! limit {
    () => {
        2.5
    };
}

macro_rules! itself {
    ($x:expr) => {
        $x
    };
}

functions! {
    a_tuple_and_a_call (x, v) { let mut u = v * 2.0; let t = (u, set_one(&mut u)); &x * t.0 }
    a_tuple_and_a_block (x, v) { let mut u = v * 2.0; let t = (u, { u = 1.0; u }); &x * (t.0 + t.1) }
    a_part_at_once (x, v) { let mut u = v * 2.0; &x * (u, { u = 1.0; u }).0 }
    a_list (x, v) { let mut u = v * 2.0; let t = [u, { u = 1.0; u }]; &x * t[0] }
    a_list_at_once (x, v) { let mut u = v * 2.0; let y = [u, { u = 1.0; u }][0]; &x * y }
    a_struct (x, v) { let mut u = v * 2.0; let p = Pair { a: u, b: { u = 1.0; u } }; &x * (p.a + p.b) }
    a_field_by_its_name (x, v) { let mut a = v * 2.0; let p = Pair { a, b: { a = 1.0; a } }; &x * (p.a + p.b) }
    of_three (x, v) { let mut u = v * 2.0; let t = (u, 1.0, { u = 7.0; u }); &x * t.0 }
    in_each_other (x, v) { let mut u = v * 2.0; let t = ((u, 1.0), { u = 1.0; u }); &x * (t.0).0 }
    lists_in_lists (x, v) { let mut u = v * 2.0; let t = [[u, 1.0], [{ u = 1.0; u }, u]]; &x * t[0][0] }
    by_a_loop (x, v) { let mut u = v * 2.0; let t = (u, loop { u = 1.0; break u; }); &x * t.0 }
    by_a_branch (x, v) { let mut u = v * 2.0; let t = (u, if v > 0.5 { u = 1.0; u } else { 2.0 }); &x * t.0 }
    given (x, v) { let mut u = v * 2.0; &x * first((u, { u = 1.0; u })) }
    a_variant (x, v) { let mut u = v * 2.0; let Either::Both(a, b) = Either::Both(u, { u = 1.0; u }); &x * (a + b) }
    in_an_option (x, v) { let mut u = v * 2.0; &x * Some((u, { u = 1.0; u })).unwrap().0 }
    in_an_option_taken_apart (x, v) {
        let mut u = v * 2.0;
        if let Some((a, _)) = Some((u, { u = 1.0; u })) { &x * a } else { x.clone() }
    }
    a_decision (x, v) { let mut u = v * 2.0; if [u, { u = 1.0; u }][0] < 5.0 { &x * 1.0 } else { &x * 2.0 } }
    a_match (x, v) {
        let mut u = v * 2.0;
        match (u, { u = 1.0; u }) { (a, _) if a < 5.0 => &x * 1.0, (a, b) => &x * (a + b) }
    }
    compared_tuples (x, v) { let mut u = v * 2.0; if (u, { u = 1.0; u }) < (5.0, 0.0) { &x * 1.0 } else { &x * 2.0 } }
    a_range (x, v) { let mut u = v as u32; let r = u..{ u += 3; u }; &x * (r.start + r.end) as f64 }
    taken_apart (x, v) { let mut u = v * 2.0; let (a, b) = (u, { u = 1.0; u }); &x * (a + b) }
    a_macro_before (x, v) { if limit!() > v { &x * 2.0 } else { &x * 3.0 } }
    a_macro_after (x, v) { if v < limit!() { &x * 2.0 } else { &x * 3.0 } }
    a_macro_and_more (x, v) { if v >= limit!() && v < 9.0 { &x * 2.0 } else { &x * 3.0 } }
    equal_to_a_macro (x, v) { if v == limit!() { &x * 2.0 } else { &x * 3.0 } }
    two_macros (x, v) { if limit!() < limit!() { &x * v } else { &x * 3.0 } }
    a_macro_in_parentheses (x, v) { if v < (limit!()) { &x * 2.0 } else { &x * 3.0 } }
    a_macro_of_a_variable (x, v) { let n = v as i64; if itself!(n) > itself!(2) { &x * 2.0 } else { &x * 3.0 } }
    a_macro_in_a_guard (x, v) { match v { z if z < limit!() => &x * 2.0, _ => &x * 3.0 } }
    a_macro_in_a_loop (x, v) { let mut n = 0; while (n as f64) < limit!() { n += 1; } &x * (v + n as f64) }
    a_text (x, v) { let s = format!("{v}"); if s == format!("{}", 2.0) || &s[..] == concat!("3", "") { &x * 2.0 } else { &x * 3.0 } }
    a_macro_beside_a_part (x, v) { let u = v + 1.0; if limit!() > (v, u).0 { &x * 2.0 } else { &x * 3.0 } }
    integers_beside_a_part (x, v) { let (u, w) = (v as i64, 9); if itself!(3) > (u, w).0 { &x * 2.0 } else { &x * 3.0 } }
    a_part_and_a_number (x, v) { if (v, 1.0).0 < 2.5 { &x * 2.0 } else { &x * 3.0 } }
    a_part_of_two (x, v) { let u = v + 1.0; if (v, u).1 < 2.5 { &x * 2.0 } else { &x * 3.0 } }
    a_number_and_a_part (x, v) { let u = v + 1.0; if 5.0 > (u, 1).0 { &x * 2.0 } else { &x * 3.0 } }
    a_field_of_a_struct (x, v) { if (Pair { a: v, b: v }).a < 2.5 { &x * 2.0 } else { &x * 3.0 } }
    an_element_in_parentheses (x, v) { if ([v, v + 1.0][0]) < 2.5 { &x * 2.0 } else { &x * 3.0 } }
    an_element (x, v) { let (a, i) = ([v, 3.0], 0); if (a[i]) < 2.5 && *&a[i] != 7.0 { &x * 2.0 } else { &x * 3.0 } }
    behind_a_borrow (x, v) { let (a, i) = ([&v, &3.0], 0); if *a[i] < 2.5 { &x * *a[i] } else { &x * -*a[i] } }
}

#[test]
fn c10_what_changes_while_something_is_put_together_is_no_old_value() {
    let found = Found::of(ALL);
    // Comparisons with macros are followed.
    assert!(
        !found.refused.iter().any(|r| r.starts_with("a_macro_before") && !r.contains("is false now")),
        "{:?}",
        found.refused
    );
}
