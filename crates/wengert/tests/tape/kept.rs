//! Parts that variables keep (C10): of `let t = (v, 2.0)`, `t.0` is followed where nothing else is done with `t`; any other use is
//! refused, and nothing gives an old value.

// Functions as users write them.
#![allow(clippy::all, unused)]

use super::borrows::{Found, NamedFunction};
use std::cell::{Cell, RefCell};
use std::task::{Context, Poll, Waker};
use wengert::{Array, Capture, Recorder, cond, track, tracked};

struct Scale {
    by: f64,
}

struct Pair {
    a: f64,
    b: f64,
}

impl Pair {
    fn sum(&self) -> f64 {
        self.a + self.b
    }
}

struct Borrowing<'a> {
    r: &'a mut f64,
    k: f64,
}

/// What has the name of a part is something else.
struct Leads(Pair);
impl std::ops::Deref for Leads {
    type Target = Pair;
    fn deref(&self) -> &Pair {
        &self.0
    }
}

const LIMIT: f64 = 1.75;

fn bump(x: &mut f64, by: f64) -> f64 {
    *x += by;
    *x
}

#[track]
fn bump_tracked(x: &mut f64, by: f64) {
    *x += by;
}

#[track]
fn scaled(x: &Array, k: f64) -> Array {
    x * k
}

#[track]
fn increased(k: f64) -> f64 {
    k + 1.0
}

fn untracked(k: f64) -> f64 {
    k * k
}

#[track]
fn of_pair(p: Pair) -> f64 {
    p.a - p.b
}

/// Writes a number when it is dropped.
struct Late<'a> {
    c: &'a Cell<f64>,
    by: f64,
}
impl Drop for Late<'_> {
    fn drop(&mut self) {
        self.c.set(self.by);
    }
}

/// Runs what waits for nothing.
fn now<T>(f: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match std::pin::pin!(f).poll(&mut context) {
        Poll::Ready(x) => x,
        Poll::Pending => unreachable!(),
    }
}

fn set(c: &Cell<f64>, v: f64) {
    c.set(v);
}

macro_rules! product {
    ($t:ident) => {
        $t.0 * $t.1
    };
}

macro_rules! functions {
    ($all:ident: $($name:ident ($x:ident, $v:ident) $body:block)*) => {
        $(
            #[track]
            fn $name($x: Array) -> Array {
                let $v = $x.to_f64();
                $body
            }
        )*
        const $all: &[NamedFunction] = &[$((stringify!($name), $name)),*];
    };
}

functions! { FOLLOWED:
    tuple(x, v) { let t = (v, 2.0); &x * t.0 * t.1 }
    tuple_with_a_type(x, v) { let t: (f64, f32) = (v, 2.0); &x * t.0 * t.1 as f64 }
    taken_apart(x, v) { let t = (v, 2.0); let (a, b) = t; &x * a * b }
    taken_apart_and_read(x, v) { let t = (v * 3.0, v + 1.0); let (a, _) = t; &x * a * t.1 }
    structure(x, v) { let s = Scale { by: v }; &x * s.by }
    structure_by_its_pattern(x, v) { let p = Pair { a: v, b: 3.0 }; let Pair { a, b } = p; &x * a + b }
    shorthand(x, v) { let a = v * 2.0; let b = 4.0; let p = Pair { a, b }; &x * p.a * p.b }
    option(x, v) { let o = Some(v); if let Some(w) = o { &x * w } else { x } }
    option_by_a_match(x, v) { let o = Some(v + 1.0); let w = match o { Some(w) => w, None => 0.0 }; &x * w }
    option_or_else(x, v) { let o = Option::Some(v); let Option::Some(w) = o else { return x }; &x * w }
    list(x, v) { let a = [v, v * 2.0, 3.0]; &x * a[0] * a[1] + a[2] }
    list_taken_apart(x, v) { let a = [v, 2.0]; let [p, q] = a; &x * p * q }
    computed(x, v) { let t = (v.max(0.5), untracked(2.0), -v); let w = t.0 * 2.0 - t.2; &x * w }
    constants(x, v) { let t = (v, LIMIT, true, -3, 2u8); let w = if t.2 { t.0 * t.1 + t.3 as f64 + t.4 as f64 } else { 0.0 }; &x * w }
    method(x, v) { let t = (v, 2.0); let w = t.0.abs().max(t.1) + f64::hypot(t.0, t.1) + t.0.powf(t.1); &x * w }
    compared(x, v) { let t = (v, 2.0); let w = (t.0 > t.1) as i32 as f64 + (t.0 != t.1) as u8 as f64; &x * w }
    argument(x, v) { let t = (v, 2.0); let w = increased(t.0) * increased(t.1); scaled(&scaled(&x, w), t.0) }
    array_of_a_part(x, v) { let t = (v, 2.0); x * Array::from(t.0) }
    assigned(x, v) { let t = (v, 2.0); let mut w = t.0; w += t.1; w = w * t.0; &x * w }
    in_a_block(x, v) { let t = (v, 2.0); let w = { let u = t.0; u + t.1 }; &x * w }
    in_a_branch(x, v) { let t = (v, 2.0); let w = if v.abs() > -9.0 { t.0 } else { t.1 }; &x * w }
    in_a_loop(x, v) { let mut s = 1.0; for _ in 0..3 { let t = (s + v, 2.0); s = t.0 * t.1; } &x * s }
    by_a_loop(x, v) { let t = (v, 2.0); let mut s = 1.0; for _ in 0..3 { s = s * t.0 + t.1; } &x * s }
    of_a_variable_that_changes_later(x, v) { let mut m = v; let t = (m, 2.0); m += 5.0; &x * t.0 * m }
    of_a_part(x, v) { let t = (v, 2.0); let u = (t.0 * 2.0, t.1, t.0); &x * u.0 * u.1 + u.2 }
    of_a_branch(x, v) { let t = (if v.abs() > -9.0 { v * 2.0 } else { 1.0 }, { let u = v; u }); &x * t.0 * t.1 }
    with_an_array(x, v) { let t = (x.sin(), v, x.clone()); let y = &t.0 * 1.0; y * t.1 + &t.2 }
    borrowed_part(x, v) { let t = (v, 2.0); let r = &t.0; let w = *r * t.1; &x * w }
    with_an_array_moved(x, v) { let t = (x.sin(), v); t.0.cos() * t.1 }
    unused_part_of_another_type(x, v) { let t = (v, "text", &[1, 2]); &x * t.0 }
    negated(x, v) { let t = (v, v > -9.0); let w = if !t.1 { 0.0 } else { -t.0 }; &x * w }
    range_of_parts(x, v) { let t = (0, 3, v); let mut s = t.2; for _ in t.0..t.1 { s *= 2.0; } &x * s }
    or_between_parts(x, v) { let t = (v, 2.0, true); let w = if t.2 || v > 100.0 { t.0 * t.1 } else { 1.0 }; &x * w }
}

functions! { REFUSED:
    changed(x, v) { let mut t = (1.0, v); t.0 += v; &x * t.0 * t.1 }
    borrowed(x, v) { let t = (v, 2.0); let r = &t; &x * r.0 * t.1 }
    passed_whole(x, v) { let p = Pair { a: v, b: 2.0 }; let w = p.a; let w = w + of_pair(p); &x * w }
    method_of_it(x, v) { let p = Pair { a: v, b: 2.0 }; let w = p.sum() + p.a; &x * w }
    captured(x, v) { let t = (v, 2.0); let f = |k: f64| k * t.0 + t.1; let w = f(3.0) * t.0; &x * w }
    captured_by_a_branch(x, v) { let t = (v, 2.0); let w = t.0; cond(x.gt(0.0), |a: Array| a * t.0, |a: Array| a, x) * w }
    captured_by_a_tracked_closure(x, v) { let t = (v, 2.0); let f = tracked!(|k: f64| { let t = (k, t.0); t.0 * t.1 }); let w = f(3.0) + t.1; &x * w }
    captured_and_given(x, v) { let t = (v, 2.0); let w: f64 = [1.0, 2.0].iter().map(|k| k * t.0).sum(); &x * w * t.1 }
    in_a_macro(x, v) { let t = (v, 2.0); let w = product!(t) + t.0; &x * w }
    in_a_text(x, v) { let t = (v, 2.0); let s = format!("{t:?}"); &x * t.0 * s.len() as f64 }
    shadowed(x, v) { let t = (v, 2.0); let w = t.0; let t = (w + t.1, 3.0); &x * t.0 * t.1 }
    shadowed_in_a_block(x, v) { let t = (v, 2.0); let w = { let t = (t.0 + 1.0, 5.0); t.0 * t.1 }; &x * w * t.1 }
    shadowed_by_a_pattern(x, v) { let t = (v, 2.0); let w = match Some((4.0, v)) { Some(t) => t.0 * t.1, None => 0.0 }; &x * w * t.0 }
    moved_to_another(x, v) { let t = (v, 2.0); let u = t; &x * u.0 * t.1 }
    inside_of_a_part(x, v) { let t = ((v, 1.0), 2.0); &x * t.0.0 * t.1 }
    matched_with_a_value(x, v) { let o = Some(v); let w = match o { Some(2.0) => 7.0, Some(w) => w, None => 0.0 }; &x * w }
    matched_by_a_reference(x, v) { let t = (v, 2.0); let (ref a, b) = t; let w = *a * b; &x * w }
    behind_a_borrow(x, v) { let mut s = 1.0; { let t = (&mut s, 2.0); *t.0 += v * t.1; } &x * s }
    behind_parentheses(x, v) { let mut s = 1.0; { let t = (&mut s, 2.0); *(t.0) += v * t.1; } &x * s }
    behind_a_variable(x, v) { let mut s = 1.0; { let r = &mut s; let t = (r, v); *t.0 += t.1; } &x * s }
    given_a_borrow(x, v) { let mut s = 1.0; { let t = (&mut s, v); bump(t.0, t.1); bump(t.0, t.1); } &x * s }
    given_a_borrow_to_a_tracked_function(x, v) { let mut s = 1.0; { let b = Borrowing { r: &mut s, k: v }; bump_tracked(b.r, b.k); bump_tracked(b.r, b.k); } &x * s }
    field_behind_a_part(x, v) { let mut p = Pair { a: v, b: 1.0 }; { let t = (&mut p, 2.0); t.0.b += v; t.0.a *= t.1; } let w = p.a - p.b; &x * w }
    element_behind_a_part(x, v) { let mut l = [v, 1.0]; { let t = (&mut l, 2.0); t.0[1] += v * t.1; } let w = l[0] - l[1]; &x * w }
    cell(x, v) { let t = (Cell::new(1.0), 2.0); t.0.set(v); let w = t.0.get() * t.1; &x * w }
    cell_behind_a_borrow(x, v) { let c = Cell::new(1.0); let t = (&c, 2.0); set(t.0, v); let w = c.get() * t.1; &x * w }
    cell_that_is_set_by_a_part(x, v) { let c = RefCell::new(1.0); let t = (&c, v); *t.0.borrow_mut() = t.1; let w = *c.borrow(); &x * w }
    changed_on_its_way(x, v) { let mut m = 1.0; let t = (m, bump(&mut m, v), m); &x * t.0 * t.1 * t.2 }
    changed_on_its_way_by_a_block(x, v) { let mut m = v; let t = (m, { m += 1.0; m }); &x * t.0 * t.1 * m }
    changed_behind_on_its_way(x, v) { let mut s = 1.0; let r = &mut s; let t = (*r, bump(r, v), *r); &x * t.0 * t.1 * t.2 }
    through_deref(x, v) { let p = Leads(Pair { a: v, b: 2.0 }); &x * p.a * p.b }
    not_followed(x, v) { let t = (untracked(v), 2.0); &x * t.0 * t.1 }
    list_by_a_variable(x, v) { let a = [v, 3.0]; let i = (v > 1.5) as usize; let w = a[i] * 2.0 + a[0]; &x * w }
    list_in_a_loop(x, v) { let a = [v, 3.0]; let mut s = a[0]; for u in a { s = s * 2.0 + u; } &x * s }
    option_with_a_method(x, v) { let o = Some(v); let w = o.unwrap_or(1.0); &x * w }
    dropped(x, v) { let c = Cell::new(1.0); { let s = Late { c: &c, by: v }; let w = s.by; } let w = c.get(); &x * w }
    dropped_as_a_part(x, v) { let c = Cell::new(1.0); { let t = (Late { c: &c, by: v }, v); let w = t.1; } let w = c.get(); &x * w }
    later(x, v) { let t = (v, 2.0); let f = async { t.0 * t.1 }; let w = now(f); &x * w * t.1 }
    later_and_moved(x, v) { let t = (v, 2.0); let f = async move { t.0 * t.1 }; let w = now(f); &x * w * t.1 }
    conditional(x, v) { let t = (v, 2.0); let mut m = 1.0; #[cfg(all())] { m = t.0; } &x * m * t.1 }
    rest(x, v) { let p = Pair { a: v, ..Pair { a: 0.0, b: v } }; &x * p.a * p.b }
}

#[test]
fn c10_parts_that_variables_keep_are_followed() {
    let found = Found::of(FOLLOWED);
    assert!(found.refused.is_empty(), "{} are refused:\n{}", found.refused.len(), found.refused.join("\n"));
}

#[test]
fn c10_variables_with_parts_give_no_old_value() {
    let found = Found::of(REFUSED);
    let refused: Vec<&str> = found.refused.iter().filter_map(|m| m.split(':').next()).collect();
    let followed: Vec<&str> = REFUSED.iter().map(|f| f.0).filter(|f| !refused.contains(f)).collect();
    assert_eq!(followed, NOW_FOLLOWED);
}

/// Those of [`REFUSED`] in which the parts that matter are known all the same.
const NOW_FOLLOWED: [&str; 0] = [];

/// What is done with all of a variable whose parts are followed stays on the tape, with what it is made of.
#[test]
fn c2_a_variable_with_parts_is_a_node() {
    #[track]
    fn f(x: Array) -> Array {
        let v = x.to_f64();
        let t = (v, 2.0);
        let w = t.0 * t.1;
        &x * w
    }
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| f(Array::from(3.0)));
    let node = |name: &str| tape.nodes().find(|n| n.name() == Some(name)).unwrap();
    let (t, w) = (node("t"), node("w"));
    assert_eq!(t.referenced().map(|n| n.id()).collect::<Vec<_>>(), [node("v").id()]);
    assert_eq!(w.referenced().map(|n| n.id()).collect::<Vec<_>>(), [node("v").id()]);
    assert_eq!(w.source().unwrap().statement, "let w = t.0 * t.1;");
}
