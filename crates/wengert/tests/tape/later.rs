//! What is evaluated before something that changes what it is made of: copies, parts, arguments, receivers, operands and loops (C10).

#![allow(clippy::all, unused_parens, unused_assignments, unused_variables, dead_code)] // What is written so is warned of.

use super::borrows::Found;
use wengert::{Array, track};

#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    a: f64,
    b: f64,
}

impl Pair {
    fn grow(self, by: f64) -> f64 {
        (self.a + self.b) * by
    }
}

struct Two(f64, f64);

fn sum(t: (f64, f64), y: f64) -> f64 {
    t.0 + t.1 + y
}

fn sum_of_list(l: [f64; 1], y: f64) -> f64 {
    l[0] + y
}

fn or_zero(x: Option<f64>, y: f64) -> f64 {
    x.unwrap_or(0.0) + y
}

#[track]
fn bump(x: &mut f64) -> f64 {
    *x += 1.0;
    *x
}

macro_rules! itself {
    ($x:expr) => {
        $x
    };
}

macro_rules! set {
    ($x:ident, $y:expr) => {{
        $x = $y;
        $x
    }};
}

macro_rules! limit {
    () => {
        2.5
    };
}

functions! {
    copy_through_a_borrow (x, v) { let mut k = v; let r = &mut k; let mut z = 0.0; z = *r; z += 1.0; &x * (z + *r) }
    copy_declared_first (x, v) { let mut k = v; let r = &mut k; let mut z; z = *r; z += 1.0; &x * (z + *r) }
    copy_of_a_block (x, v) { let mut k = v; let r = &mut k; let mut z = { *r }; z += 1.0; &x * (z + *r) }
    copy_of_a_branch (x, v) { let mut k = v; let r = &mut k; let mut z = if v > 0.5 { *r } else { 1.0 }; z += 1.0; &x * (z + *r) }
    copy_of_an_arm (x, v) { let mut k = v; let r = &mut k; let mut z = match 1 { 1 => *r, _ => 2.0 }; z *= 2.0; &x * (z + *r) }
    copy_of_a_loop (x, v) { let mut k = v; let r = &mut k; let mut z = loop { break *r }; bump(&mut z); &x * (z + *r) }
    copy_in_a_branch (x, v) { let mut k = v; let r = &mut k; let mut z = 0.0; if v > 0.5 { z = *r } z += 1.0; &x * (z + k) }
    copy_of_an_integer (x, v) { let mut k = v as i64; let r = &mut k; let mut z = 0; z = *r; z += 1; &x * (z + k) as f64 }
    copy_by_a_box (x, v) { let mut k = v; let r = Box::new(&mut k); let z = { *r }; *z += 1.0; &x * k }

    turns_of_a_list (x, v) { let mut u = v; for q in [{ u = 2.0; 1.0 }, 3.0] { u += q; } &x * u }
    turns_of_a_call (x, v) { let mut u = v; for _ in std::iter::repeat_n((), { u *= 3.0; 2 }) { u += 1.0; } &x * u }
    turns_of_a_tracked_call (x, v) { let mut u = v; for _ in 0..(bump(&mut u) * 0.0) as i64 + 2 { u += 1.0; } &x * u }
    turns_of_a_drain (x, v) {
        let mut u = v; let mut l = vec![1.0, 3.0, 5.0];
        for q in l.drain({ u = 2.0; 0..2 }) { u += q; }
        &x * u
    }
    turns_inside (x, v) { let mut u = v; 'a: for _ in 0..2 { for q in [{ u += 2.0; 1.0 }, 3.0] { u += q; if u > 90.0 { break 'a } } } &x * u }
    turns_that_change_the_list (x, v) {
        let mut u = v; let mut s = 0.0;
        for (i, q) in [u, { u = 2.0; u }, u].iter().enumerate() { s += q * i as f64; u += *q; }
        &x * (s + u)
    }
    turns_up_to_what_changes (x, v) { let mut n = v as i64 + 3; let mut s = 0; for i in 0..n { n -= 1; s += i * n; } &x * s as f64 }

    part_behind_a_borrow (x, v) { let mut u = v; let r = &mut u; let (a, b) = (*r, { *r = 1.0; 2.0 }); &x * (a * b + u) }
    part_in_parentheses (x, v) { let mut u = v; let (a, b) = ((u), { u = 1.0; 2.0 }); &x * (a * b + u) }
    part_of_a_macro (x, v) { let mut u = v; let (a, b) = (itself!(u), { u = 1.0; 2.0 }); &x * (a * b) }
    part_of_an_option (x, v) { let mut u = v; let (a, b) = (Some(u), { u = 1.0; 2.0 }); &x * (a.unwrap() * b) }
    part_of_a_list (x, v) { let mut u = v; let (a, b) = ([u], { u = 1.0; 2.0 }); &x * (a[0] * b) }
    part_of_many (x, v) { let mut u = v; let (a, b) = ([u; 2], { u = 1.0; 2.0 }); &x * (a[1] * b) }
    part_of_a_tuple (x, v) { let mut u = v; let (a, b) = ((u, 3.0), { u = 1.0; 2.0 }); &x * (a.0 * b) }
    part_of_a_struct (x, v) { let mut u = v; let (a, b) = (Pair { a: u, b: 1.0 }, { u = 1.0; 2.0 }); &x * (a.a * b) }
    part_of_a_vector (x, v) { let mut u = v; let (a, b) = (vec![u], { u = 1.0; 2.0 }); &x * (a[0] * b) }
    part_of_a_text (x, v) { let mut u = v; let (a, b) = (format!("{u}"), { u = 1.0; 2.0 }); &x * (a.len() as f64 * b) }
    part_of_a_pattern_of_a_list (x, v) { let mut u = v; let [a, b] = [itself!(u), { u = 1.0; 2.0 }]; &x * (a * b) }
    part_assigned (x, v) { let mut u = v; let (mut a, mut b) = (0.0, 0.0); (a, b) = (itself!(u), { u = 1.0; 2.0 }); &x * (a * b) }
    part_of_a_branch (x, v) { let mut u = v; let (a, b) = if v > 0.5 { ((u), { u = 1.0; 2.0 }) } else { (v, 1.0) }; &x * (a * b) }

    tuple_of_a_macro (x, v) { let mut u = v; let t = (itself!(u), { u = 2.0; 1.0 }); &x * t.0 }
    tuple_of_a_vector (x, v) { let mut u = v; let t = (vec![u, 3.0], { u = 2.0; 1.0 }); &x * t.0[0] }
    tuple_of_a_text (x, v) { let mut u = v; let t = (format!("{}", u), { u = 2.0; 1.0 }); &x * t.0.len() as f64 }
    tuple_of_many (x, v) { let mut u = v; let t = ([u; 2], { u = 4.0; 1.0 }); &x * t.0[1] }
    lists_of_many (x, v) { let mut u = v; let l = [[u; 2], [{ u = 4.0; u }; 2]]; &x * (l[0][1] + l[1][1]) }
    option_of_many (x, v) { let mut u = v; let t = Some(([u; 2], { u = 4.0; 1.0 })); &x * t.unwrap().0[1] }
    struct_of_a_macro (x, v) { let mut u = v; let q = Pair { a: itself!(u), b: { u = 2.0; 1.0 } }; &x * (q.a + q.b) }
    struct_with_others (x, v) { let mut u = v; let q = Pair { a: itself!(u), ..{ u = 2.0; Pair::default() } }; &x * (q.a + u) }

    argument_tuple (x, v) { let mut u = v; &x * sum((u, 1.0), { u = 2.0; 1.0 }) }
    argument_list (x, v) { let mut u = v; &x * sum_of_list([u], { u = 2.0; 1.0 }) }
    argument_option (x, v) { let mut u = v; &x * or_zero(Some(u), { u = 2.0; 1.0 }) }
    argument_field (x, v) { let mut p = Pair { a: v, b: 1.0 }; &x * f64::max(p.a, { p.a = 1.0; 2.0 }) }
    argument_of_a_closure (x, v) { let mut u = v; let f = |t: (f64, f64), y: f64| t.0 * y; &x * f((u, 1.0), { u = 2.0; 3.0 }) }
    receiver_option (x, v) { let mut u = v; &x * Some(u).unwrap_or({ u = 1.0; 9.0 }) }
    receiver_mapped (x, v) { let mut u = v; &x * Some(u).map_or({ u = 1.0; u }, |q| q + 1.0) }
    receiver_list (x, v) { let mut u = v; &x * *[u, 2.0].get({ u = 1.0; 0 }).unwrap() }
    receiver_vector (x, v) { let mut u = v; &x * *vec![u, 1.0].get({ u = -9.0; 0 }).unwrap() }
    receiver_struct (x, v) { let mut u = v; &x * Pair { a: u, b: 2.0 }.grow({ u = 1.0; 0.5 }) }
    receiver_range (x, v) { let mut u = v; if (u..9.0).contains(&{ u = 2.0; 2.5 }) { &x * 1.0 } else { &x * 2.0 } }
    receiver_macro (x, v) { let mut u = v; &x * itself!(u).max({ u = -9.0; 0.0 }) }
    receiver_part (x, v) { let mut u = v; &x * (u, 1.0).0.max({ u = 1.0; 0.0 }) }
    receiver_element (x, v) { let mut u = v; &x * [u, 1.0][0].max({ u = 1.0; 0.0 }) }
    receiver_of_many (x, v) { let mut u = v; &x * [u; 2].map({ u = 4.0; |q| q })[1] }
    operand_of_a_function (x, v) { let mut u = v; &x * f64::max((u, 1.0).0, { u = 1.0; 0.0 }) }
    element_of_a_list (x, v) { let mut u = v; &x * [u, 7.0][{ u = 1.0; 0 }] }

    compared_part (x, v) { let mut u = v; if (u, 1.0).0 < { u = 2.5; u } { &x * 1.0 } else { &x * 2.0 } }
    compared_field (x, v) { let mut u = v; if (Pair { a: u, b: 1.0 }).a < { u = 2.5; u } { &x * 1.0 } else { &x * 2.0 } }
    compared_behind_a_macro (x, v) { let u = v; if *itself!(&u) < limit!() { &x * 1.0 } else { &x * 2.0 } }
    compared_behind_a_borrow (x, v) { let u = v; if *(&u) < 1.5f64.max(2.5) { &x * 1.0 } else { &x * 2.0 } }
    compared_behind_a_block (x, v) { let u = v; if *{ &u } < limit!() { &x * 1.0 } else { &x * 2.0 } }
    compared_to_a_block (x, v) { let u = v; if *(&u) == { 2.0 } { &x * 1.0 } else { &x * 2.0 } }
    compared_in_a_guard (x, v) { let u = v; match 1 { _ if *itself!(&u) < limit!() => &x * 1.0, _ => &x * 2.0 } }
    added_behind_a_macro (x, v) { let u = v; &x * (*itself!(&(u + 1.0)) + 1.0) }

    taken_apart_later (x, v) { let mut u = v; let t = (u, { (u, _) = (5.0, 1); 1.0 }); &x * t.0 }
    taken_apart_later_of_a_list (x, v) { let mut u = v; let t = (u, { [u] = [5.0]; 1.0 }); &x * t.0 }
    taken_apart_later_of_a_struct (x, v) { let mut u = v; let t = (u, { Pair { a: u, .. } = Pair { a: 5.0, b: 1.0 }; 1.0 }); &x * t.0 }
    taken_apart_later_of_two (x, v) { let mut u = v; let t = (u, { Two(u, _) = Two(5.0, 1.0); 1.0 }); &x * t.0 }
    taken_apart_in_an_operand (x, v) { let mut u = v; let w = u + { (u, _) = (5.0, 1); 1.0 }; &x * (w + u) }
    taken_apart_in_an_argument (x, v) { let mut u = v; &x * f64::max(u, { (u, _) = (-5.0, 1); 0.0 }) }
    taken_apart_in_a_comparison (x, v) { let mut u = v; if u < { (u, _) = (-5.0, 1); 2.5 } { &x * 1.0 } else { &x * 2.0 } }
    borrowed_by_a_pattern (x, v) { let mut u = v; let t = (u, { let ref mut r = u; *r = 5.0; 1.0 }); &x * t.0 }

    changed_by_a_macro (x, v) { let mut u = v; let (a, b) = (itself!({ u = 5.0; 1.0 }), u); &x * (a + b) }
    changed_by_a_macro_of_its_name (x, v) { let mut u = v; let (a, b) = (set!(u, 5.0), u); &x * (a + b) }
    changed_by_an_element (x, v) { let mut u = v; let (a, b) = (vec![{ u = 5.0; 1.0 }][0], u); &x * (a + b) }
    changed_by_a_text (x, v) { let mut u = v; let (a, b) = (format!("{}", { u = 2.0; 1 }), u); &x * (a.len() as f64 + b) }
    changed_in_a_tuple (x, v) { let mut u = v; let t = (set!(u, 5.0), u + 1.0); &x * (t.0 + t.1) }
    changed_in_an_argument (x, v) { let mut u = v; &x * f64::max(set!(u, 5.0), u + 1.0) }
    changed_by_an_index (x, v) { let mut w = v; let mut p = Pair { a: 1.0, b: 1.0 }; p.b = vec![set!(w, 2.5)][0]; &x * (w + p.b) }
    changed_by_a_statement (x, v) { let mut u = v; set!(u, v * 2.0); &x * u }
}

#[test]
fn c10_what_is_evaluated_before_a_change_is_no_old_value() {
    let found = Found::of(ALL);
    let names: Vec<&str> = found.refused.iter().filter_map(|r| r.split(':').next()).collect();
    // Copies, turns, and what is assigned by a pattern, are followed.
    for followed in
        ["copy_through_a_borrow", "copy_of_a_block", "copy_of_an_arm", "turns_of_a_list", "taken_apart_in_an_operand"]
    {
        assert!(!names.contains(&followed), "{followed} of {names:?}");
    }
}

/// A loop that writes to an element passes on what changes, and not the index.
#[test]
fn an_index_is_no_argument_of_a_block() {
    #[track]
    fn summed(x: Array) -> Array {
        let (k, w) = (1, 2);
        let mut v = [0.0; 3];
        let mut n = 0;
        while n < 3 {
            v[k] += x.to_f64();
            v[w] = v[k];
            n += 1;
        }
        &x * v[w]
    }
    let (y, tape) = wengert::record(|| summed(Array::from(2.0)));
    let text = tape.to_string();
    assert_eq!(y.to_f64(), 12.0);
    assert!(text.contains("n = @") && !text.contains("k = @") && !text.contains("w = @"), "{text}");
}
