//! Numbers of the host on their way from a read to an array (C10): methods, casts, constants, operators and parts of values are
//! followed by updates, to the bit; what only looks like one of them is refused.

// Functions as users write them.
#![allow(clippy::all, non_snake_case, non_upper_case_globals, static_mut_refs)]

use super::borrows::{Found, NamedFunction};
use wengert::{Array, Capture, Device, Recorder, Tape, cond, track, tracked};

const SCALE: f64 = 1.5;
static OFFSET: f64 = 0.25;
static mut COUNTER: f64 = 1.0;

struct Limits {
    low: f64,
    high: f64,
}

impl Limits {
    const STEP: f64 = 0.125;
    const START: Limits = Limits { low: -1.0, high: 2.5 };
}

#[derive(Clone, Copy)]
struct Length(f64);

impl Length {
    /// Not that of numbers.
    fn abs(self) -> f64 {
        self.0
    }
}

/// Methods that numbers have too, and do otherwise with numbers below zero.
trait Own: Copy {
    fn abs(self) -> f64;
    fn max(self, other: f64) -> f64;
}
impl Own for f64 {
    fn abs(self) -> f64 {
        self
    }
    fn max(self, other: f64) -> f64 {
        if other < 1.0 { self } else { f64::max(self, other) }
    }
}
impl Own for &f64 {
    fn abs(self) -> f64 {
        *self
    }
    fn max(self, _: f64) -> f64 {
        *self
    }
}

/// Methods with names that other numbers have, or with other arguments, and which change what they are called of.
trait Steps {
    fn pow(&mut self, by: f64) -> f64;
    fn abs(&mut self, by: f64) -> f64;
}
impl Steps for f64 {
    fn pow(&mut self, by: f64) -> f64 {
        *self *= by;
        1.0
    }
    fn abs(&mut self, by: f64) -> f64 {
        *self += by;
        1.0
    }
}

struct Holder<T>(T);
impl<T: Own> Holder<T> {
    #[track]
    fn largest(&self, v: T) -> f64 {
        v.max(0.5) + v.abs()
    }
}

#[track]
fn generic<T: Own>(v: T) -> f64 {
    v.abs() + 1.0
}

mod shadowed {
    /// Hides the number type.
    pub mod f64 {
        pub fn abs(x: core::primitive::f64) -> core::primitive::f64 {
            x
        }
    }
}

mod small {
    pub const half: f64 = 0.5;
}

macro_rules! declare_constant {
    ($name:ident, $e:expr) => {
        let $name = $e;
    };
}

/// Macros with names of the standard library's, which do something else.
mod own_macros {
    macro_rules! changing {
        ($e:expr) => {{
            $e += 1.5;
            $e
        }};
    }
    pub(super) use changing as format;
    pub(super) use changing as assert;
}

macro_rules! squared_of {
    ($e:expr) => {
        $e * $e
    };
}

/// Calls alone are recorded.
#[track(calls)]
fn sparse(v: f64) -> f64 {
    v + 1.0
}

#[track(calls)]
fn sparse_pair(v: f64) -> (f64, bool) {
    (v, v > 1.0)
}

trait Loss {
    fn loss(&self, v: f64) -> f64;
}
trait OtherLoss {
    fn loss_of(&self, v: f64) -> f64;
}
trait SameName {
    fn loss_of(&self, v: f64) -> f64;
}
struct Squared;
impl Loss for Squared {
    #[track]
    fn loss(&self, v: f64) -> f64 {
        v * v
    }
}
impl Squared {
    /// Not tracked, around the one that is.
    fn loss(&self, v: f64) -> f64 {
        Loss::loss(self, v).min(1.5)
    }
    #[track]
    fn own(&self, v: f64) -> f64 {
        v * v + 1.0
    }
}
impl OtherLoss for Squared {
    #[track]
    fn loss_of(&self, v: f64) -> f64 {
        v * v
    }
}
impl SameName for Squared {
    fn loss_of(&self, v: f64) -> f64 {
        OtherLoss::loss_of(self, v).min(1.5)
    }
}
#[track]
fn loss_by_a_trait<T: SameName>(t: &T, v: f64) -> f64 {
    t.loss_of(v)
}

mod shadows {
    use wengert::{Array, track};
    pub mod work {
        #[wengert::track]
        pub fn one(v: f64) -> f64 {
            v + 1.0
        }
    }
    /// Its function has the path of that in the module.
    #[track]
    pub fn work(x: Array) -> Array {
        fn one(v: f64) -> f64 {
            work::one(v).min(2.0)
        }
        let v = x.to_f64();
        let w = one(v);
        &x * w
    }
}

#[track]
fn add_one(x: &mut f64, v: f64) {
    *x += v + 1.0;
}

#[track]
fn increased(v: f64) -> f64 {
    v + 1.0
}

#[track]
fn increased_by(v: &f64) -> f64 {
    *v + 1.0
}

#[track]
fn both(v: f64) -> (f64, f64) {
    (v * 2.0, v + 1.0)
}

#[track]
fn chosen(v: f64, first: bool) -> (f64, i32) {
    if first {
        return (v, 1);
    }
    let n = v as i32;
    (2.0, n)
}

#[track]
fn three(v: f64) -> [f64; 3] {
    let a = v * 2.0;
    [a, v, 1.0]
}

/// What it gives is not in the order of what it is made of.
#[track]
fn second_and_first(t: (f64, f64)) -> (f64, f64) {
    (t.1, t.0)
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
        const $all: &[(&str, fn(Array) -> Array)] = &[$((stringify!($name), $name)),*];
    };
}

functions! { METHODS:
    absolute(x, v) { let w = v.abs(); &x * w }
    root(x, v) { let w = (v * v + 1.0).sqrt(); &x * w }
    larger(x, v) { let w = v.max(2.5); &x * w }
    larger_of_two(x, v) { let u = v * 3.0; let w = u.min(v); &x * w }
    rounded(x, v) { let w = (v * 1.3).floor() + (v * 1.7).ceil() + (v * 0.9).round() + (v * 1.1).trunc(); &x * w }
    rounded_otherwise(x, v) { let w = (v * 1.25).fract() + (v / 4.0).round_ties_even(); &x * w }
    signs(x, v) { let w = v.signum() + (v + 0.5).recip() + v.copysign(-1.0); &x * w }
    exponentials(x, v) { let w = v.exp() + v.exp2() + v.exp_m1() + (v * v + 1.0).ln() + (v * v).ln_1p(); &x * w }
    logarithms(x, v) { let u = v * v + 1.5; let w = u.log2() + u.log10() + u.log(3.0) + u.cbrt(); &x * w }
    circular(x, v) { let w = v.sin() + v.cos() + v.tan() + v.atan() + (v / 9.0).asin() + (v / 9.0).acos(); &x * w }
    hyperbolic(x, v) { let w = v.sinh() + v.cosh() + v.tanh() + v.asinh() + (v / 9.0).atanh() + (v * v + 1.5).acosh(); &x * w }
    angles(x, v) { let w = v.to_radians() + v.to_degrees() + v.atan2(2.0) + v.hypot(1.0); &x * w }
    powers(x, v) { let w = v.powi(3) + v.abs().powf(0.3); &x * w }
    powers_by_a_variable(x, v) { let n = v as i32; let w = 1.1f64.powi(n); &x * w }
    fused(x, v) { let w = v.mul_add(0.1, 0.7).clamp(-0.5, 0.9); &x * w }
    remainders(x, v) { let w = v.rem_euclid(1.5) + v.div_euclid(1.5); &x * w }
    of_32_bits(x, v) { let u = v as f32; let w = (u.sin() * 1.1f32).max(-0.25); &x * w }
    of_integers(x, v) { let n = (v * 4.0) as i64; let w = n.pow(2).max(3).rem_euclid(5).abs_diff(-2); &x * w as f64 }
    of_small_integers(x, v) { let n = (v * 40.0) as i8; let w = n.wrapping_add(100).saturating_sub(3).signum(); &x * w as f64 }
    of_unsigned_integers(x, v) {
        let n = (v * v * 90.0) as u64;
        let w = n.isqrt() + n.div_ceil(7) + n.next_multiple_of(5) + n.next_power_of_two() + n.midpoint(3);
        &x * (w + n.is_multiple_of(2) as u64) as f64
    }
    of_logarithms_of_integers(x, v) { let n = (v * v * 90.0) as u32 + 1; let w = n.ilog2() + n.ilog10() + n.ilog(3); &x * w as f64 }
    of_turned_bits(x, v) { let n = (v * 90.0) as i32; let w = n.rotate_left(3) ^ n.rotate_right(1).swap_bytes().reverse_bits(); &x * w as f64 }
    of_ones(x, v) { let n = (v * 90.0) as i16; let w = n.leading_ones() + n.trailing_ones() + n.wrapping_neg().wrapping_abs().wrapping_shl(17) as u32; &x * w as f64 }
    of_neighbours(x, v) { let w = v.next_up() - v.next_down() + v.midpoint(1.0); let b = v.is_normal() ^ v.is_subnormal(); &x * (w + b as u8 as f64) }
    of_what_changes(x, v) { let mut s = v; let mut n = 0; while n < 3 { s = s.abs() + 1.0; n += 1; } let w = s.max(2.0) + s; &x * w }
    of_bits(x, v) { let n = v.to_bits(); let w = n.count_ones() + n.leading_zeros(); &x * w as f64 }
    decided(x, v) { if v.is_finite() && !v.is_nan() { &x * 2.0 } else { &x * 3.0 } }
    of_a_type_of_its_own(x, v) { let l = Squared; let w = l.own(v) * 2.0; &x * w }
    chained(x, v) { &x * v.abs().sqrt().max(0.5).ln() }
    of_what_is_read(x, v) { &x * x.to_f64().abs() + v }
    by_function(x, v) { let w = f64::max(v, 1.25) + f64::sqrt(f64::abs(v)) + f64::powi(v, 2); &x * w }
    by_function_of_integers(x, v) { let w = i64::max(v as i64, 1) + i64::pow(v as i64, 2); &x * w as f64 }
    of_a_field(x, v) { let l = Limits { low: -0.5, high: 1.5 }; let w = v.clamp(l.low, l.high).max(l.high); &x * w }
    of_what_a_reference_leads_to(x, v) { let mut s = v; let r = &mut s; *r += 1.0; let w = (*r).abs(); &x * w }
    in_a_loop(x, v) { let mut s = v; let mut i = 0; while i < 4 { s = (s * 1.5).sin().max(-0.25); i += 1; } &x * s }
    in_a_tracked_closure(x, v) { let g = tracked!(|k: f64| k.abs() + 1.0); let w = g(v); &x * w }
}

functions! { CASTS:
    to_32_bits(x, v) { let w = (v * 1.1) as f32; &x * w }
    there_and_back(x, v) { let w = (v * 2.7) as i64 as f64; &x * w }
    saturating(x, v) { let w = (v * 100.0) as u8; &x * w as f64 }
    to_an_index(x, v) { let w = (v * 2.0) as usize; &x * w as f64 }
    wrapping(x, v) { let w = (v * 1000.0) as i32 as i8 as f32; &x * w }
    of_a_bool(x, v) { let w = (v > 1.5) as i32; &x * w as f64 }
    of_a_large_integer(x, v) { let w = ((v + 4.0) * 1e15) as i64 as f32; &x * w }
}

functions! { CONSTANTS:
    constant(x, v) { let w = v * SCALE; &x * w }
    of_a_type(x, v) { let w = v + Limits::STEP; &x * w }
    of_the_standard_library(x, v) { let w = v * std::f64::consts::PI + f64::EPSILON; &x * w }
    on_the_left(x, v) { let w = SCALE - v; &x * w }
    static_that_nobody_changes(x, v) { let w = v * OFFSET; &x * w }
    in_a_method(x, v) { let w = v.max(SCALE).min(Limits::STEP); &x * w }
    that_has_a_method(x, v) { let w = SCALE.powf(v); &x * w }
    inside_of_a_function(x, v) { const HERE: f64 = 3.0; let w = v / HERE; &x * w }
    all_imported(x, v) { use std::f64::consts::*; let w = v * PI + E; &x * w }
    compared(x, v) { if v > -9.0 * SCALE { &x * SCALE } else { &x * Limits::STEP } }
    assigned(x, v) { let mut s = v; s *= SCALE; s -= OFFSET; &x * s }
    cast(x, v) { let w = v * i32::MAX as f64; &x * w }
    in_a_loop_with_others(x, v) { let mut s = v; for _ in 0..3 { s = s * SCALE + OFFSET; } &x * s }
}

functions! { OPERATORS:
    bits(x, v) { let n = (v * 8.0) as i64; let w = (n & 12) | (n ^ 5); &x * w as f64 }
    shifts(x, v) { let n = (v * 8.0) as i32; let w = (n << 3) + (n >> 1); &x * w as f64 }
    quotients(x, v) { let n = (v * 8.0) as i64; let w = n / 3 + n % 5; &x * w as f64 }
    negations(x, v) { let n = (v * 8.0) as i64; let w = !n + -n; &x * w as f64 }
    truths(x, v) { let b = (v > 1.5) ^ !(v < 0.75) & (v != 1.0); &x * (b as u8) as f64 }
}

functions! { PARTS:
    reborrowed(x, v) { let mut s = v; let r = &mut s; let q = &mut *r; *q += 1.0; let w = *r * 2.0; &x * w }
    reborrowed_and_left(x, v) { let mut s = 1.0; { let r = &mut s; let q = &mut *r; *q += v; } let w = s * 2.0; &x * w }
    reborrowed_as_an_argument(x, v) { let mut s = 1.0; let r = &mut s; add_one(&mut *r, v); let w = *r + s; &x * w }
    tuple_of_a_tracked_function(x, v) { let (a, b) = both(v); let w = a * b; &x * w }
    tuple_of_a_tracked_function_that_chooses(x, v) { let (a, n) = chosen(v, v > -9.0); let w = a * n as f64; &x * w }
    tuple_that_a_tracked_function_ends_with(x, v) { let (a, n) = chosen(v, v < -9.0); let w = a * n as f64; &x * w }
    list_of_a_tracked_function(x, v) { let [a, b, _] = three(v); let w = a - b; &x * w }
    tuple(x, v) { let (a, b) = (v * 2.0, v); let w = a * b; &x * w }
    tuple_with_a_literal(x, v) { let (a, b) = (v, 2.0); let w = a * b; &x * w }
    tuple_that_changes(x, v) { let (mut a, b) = (v, 2.0); a += b; let w = a * b; &x * w }
    tuple_in_a_tuple(x, v) { let (a, (b, c)) = (v, (v * 2.0, -3.0)); let w = a * b + c; &x * w }
    list(x, v) { let [a, b] = [v, v * 3.0]; let w = a - b; &x * w }
    tuple_of_a_branch(x, v) { let (a, b) = if v > -9.0 { (v, 1.0) } else { (2.0, v) }; let w = a * b; &x * w }
    tuple_of_a_match(x, v) { let (a, b) = match 1 { 1 => (v, 1.0), _ => (2.0, v) }; let w = a * b; &x * w }
    tuple_of_a_block(x, v) { let (a, b) = { let u = v * 2.0; (u, v) }; let w = a * b; &x * w }
    tuples_in_a_loop(x, v) { let (mut a, mut b) = (v, 1.0); for _ in 0..3 { (a, b) = (b, a + b); } let w = a * b; &x * w }
    swapped(x, v) { let (mut a, mut b) = (v, 1.0); (a, b) = (b, a + b); let w = a * b; &x * w }
    tuple_that_changes_on_its_way(x, v) { let mut m = v; let (a, b) = (m, { m += 1.0; m }); let w = a * b + m; &x * w }
}

functions! { REFUSED:
    part_beside_one_that_changed(x, v) { let mut t = (v, 2.0); t.1 += 1.0; let w = increased(t.0); &x * w }
    part_by_reference_beside_one_that_changed(x, v) { let mut t = [v, 2.0]; t[1] += 1.0; let w = increased_by(&t[0]); &x * w }
    part_of_an_array_function(x, v) { let t = (v, 2.0); x.full_like(t.0) }
    part_of_what_a_function_gives(x, v) { let t = both(v); x.full_like(t.0) }
    parts_that_are_taken_out_of_a_variable(x, v) { let t = both(v); let (a, b) = t; &x * a * b * x.full_like(t.0) }
    part_of_what_a_function_gives_at_once(x, v) { x.full_like(both(v).0) }
    what_a_function_gives_as_an_argument(x, v) { fn first(t: (f64, f64)) -> f64 { t.0 } x.full_like(first(both(v))) }
    part_of_what_a_function_gives_in_a_branch(x, v) { let t = both(v); cond(x.gt(0.0), |a: Array| a * t.0, |a: Array| a, x) }
    part_in_a_branch(x, v) { let t = (v, 2.0); cond(x.gt(0.0), |a: Array| a * t.0, |a: Array| a, x) }
    constant_in_a_block(x, v) { let w = { const v: f64 = 2.0; v * 3.0 }; &x * w * v }
    static_in_a_block(x, v) { let q = v + 1.0; let w = { static q: f64 = 2.0; q * 3.0 }; &x * w * q }
    import_in_a_block(x, v) { let E = v; let w = { use std::f64::consts::E; E * 2.0 }; &x * w * E }
    imports_in_a_block(x, v) { let E = v; let w = { use std::f64::consts::*; E * 2.0 }; &x * w * E }
    all_imports_in_a_block(x, v) { let half = v; let w = { use small::*; half * 2.0 }; &x * w * half }
    all_imports_of_a_group(x, v) { let half = v; let w = { use self::{small::{*}}; half * 2.0 }; &x * w * half }
    parts_of_a_part(x, v) { let (a, b) = second_and_first((v, 2.0)); let w = a - b; &x * w }
    parts_by_reference(x, v) { let (a, b) = &(v, 2.0); let w = a * b; &x * w }
    parts_that_are_borrowed(x, v) { let mut s = v; let (r, k) = (&mut s, 2.0); *r += k; let w = s * k; &x * w }
    parts_that_are_fields(x, v) { let mut t = (v, 1.0); add_one(&mut t.1, v); t.0 *= 2.0; let (a, b) = (t.1, t.0); let w = a - b; &x * w }
    part_behind_a_borrow(x, v) { let mut s = 1.0; { let t = (&mut s, 2.0); *t.0 += v * t.1; } let w = s * 2.0; &x * w }
    part_behind_a_borrow_of_a_borrow(x, v) { let mut s = 1.0; { let r = &mut s; let t = (r, 2.0); *t.0 += v * t.1; let u = *t.0 * t.1; *t.0 = u; } let w = s * 2.0; &x * w }
    part_in_a_cell(x, v) { let t = (std::cell::Cell::new(v), 2.0); t.0.set(t.0.get() * 3.0); let w = t.0.get() * t.1; &x * w }
    part_of_what_changes(x, v) { let mut t = (1.0, 2.0); t.0 = v; let u = &mut t; u.1 += v; let w = t.0 * t.1; &x * w }
    part_that_was_moved_and_made_again(x, v) { let t = (1.0, v); let t = { let mut t = t; t.1 += 1.0; t }; let w = t.0 * t.1; &x * w }
    part_in_a_closure(x, v) { let t = (v, 2.0); let g = |k: f64| k * t.0 + t.1; let w = g(3.0); &x * w }
    part_in_a_tracked_closure(x, v) { let t = (v, 2.0); let g = tracked!(|k: f64| { let t = (k, t.0); t.0 * t.1 }); let w = g(3.0) + t.1; &x * w }
    part_of_a_shared_borrow(x, v) { let s = v * 2.0; let t = (&s, 2.0); let w = *t.0 * t.1; &x * w }
    part_of_a_tuple_in_a_tuple(x, v) { let t = ((v, 1.0), 2.0); let w = t.0.0 * t.1; &x * w }
    part_as_an_argument(x, v) { let t = (v, 2.0); let (a, b) = both(t.0); let w = a * b + increased(t.1); &x * w }
    part_of_a_block(x, v) { let t = (v, 2.0); let w = if v > -9.0 { t.0 } else { t.1 }; &x * w }
    part_that_is_a_reference(x, v) { let mut s = 1.0; { let r = &mut s; let t = (r, 2.0); *t.0 += v; let u = t.0.sqrt() * t.1; *t.0 = u; } let w = s * 2.0; &x * w }
    parts_that_a_closure_has(x, v) { let t = (v, 2.0); let mut s = 0.0; let mut g = || s += t.0 * t.1; g(); let w = s * 2.0; &x * w }
    parts_that_a_loop_matches(x, v) { let t = [v, 2.0]; let mut s = t[0]; for u in t { s = s * 2.0 + u; } &x * s }
    parts_that_are_matched(x, v) { let t = (v, 2.0); let w = match t { (a, b) if a > 1.0 => a * b, (a, _) => a + 9.0 }; let w = w + t.1; &x * w }
    parts_by_a_borrow(x, v) { let t = (v, 2.0); let r = &t; let w = r.0 * r.1 + t.1; &x * w }
    part_of_the_rest(x, v) { let l = Limits { low: v, ..Limits::START }; let w = l.low * l.high; &x * w }
    part_by_a_variable(x, v) { let a = [v, 3.0]; let i = (v > 1.5) as usize; let w = a[i] * 2.0; &x * w }
    parts_in_a_loop(x, v) {
        let mut s = 0.0;
        for i in 0..3 { let (a, b) = if i == 1 { (v, s) } else { [(1.0, v), (v, 2.0)][i / 2] }; s += a * b; }
        &x * s
    }
    method_of_a_type(x, v) { let l = Length(v); let w = l.abs(); &x * w }
    method_of_a_trait(x, v) { let w = generic(v); &x * w }
    method_of_a_trait_in_a_generic_type(x, v) { let w = Holder(2.0).largest(v); &x * w }
    method_of_a_reference(x, v) { let r = &v; let w = r.max(1.0) + r.abs(); &x * w }
    method_that_changes_and_numbers_have(x, v) { let mut s = v; let u = Steps::abs(&mut s, 0.5); let w = s.pow(2.0) + s * u; &x * w }
    method_that_changes_and_has_another_argument(x, v) { let mut s = v; let u = s.pow(v); let w = s * u; &x * w }
    macro_in_a_product(x, v) { let w = 0.5 * squared_of!(v); &x * w }
    macro_that_is_added(x, v) { let mut s = 1.0; s += squared_of!(v); &x * s }
    macro_that_is_negated(x, v) { let w = -squared_of!(v); &x * w }
    macro_that_is_cast(x, v) { let w = (squared_of!(v)) as i64 as f64; &x * w }
    macro_of_the_standard_library(x, v) { let n = v as i64; let w = matches!(n, 0..=2) as i64; &x * w as f64 }
    macro_as_an_argument(x, v) { let w = generic(squared_of!(v)) + both(squared_of!(v)).0; &x * w }
    macro_by_its_path(x, v) { let mut s = v; own_macros::assert!(s); let w = s * 2.0; &x * w }
    macro_by_its_path_as_a_value(x, v) { let mut s = v * 2.0; let u = own_macros::format!(s); let w = s * u; &x * w }
    macro_of_two_variables(x, v) { let u = v + 1.0; let w = squared_of!(u - v) + 1.0; &x * w }
    macro_of_the_function(x, v) { macro_rules! make { ($i:ident) => { let $i = v.min(0.75); } } make!(NN); let w = NN + 1.0; &x * w }
    macro_of_the_function_that_changes(x, v) { let mut s = 0.5; macro_rules! add { ($e:expr) => { s += $e * v; } } add!(2.0); let w = s * 2.0; &x * w }
    macro_of_the_function_as_a_value(x, v) { macro_rules! twice { () => { v * 2.0 } } let w = twice!() + 1.0; &x * w }
    sparse_function(x, v) { let w = sparse(v) * 2.0; &x * w }
    sparse_function_of_a_pair(x, v) { let (a, b) = sparse_pair(v); let w = if b { a } else { 2.0 }; &x * w }
    method_beside_that_of_a_trait(x, v) { let l = Squared; let w = l.loss(v) * 2.0; &x * w }
    method_beside_that_of_a_trait_by_reference(x, v) { let l = &Squared; let w = l.loss(v) * 2.0; &x * w }
    method_of_one_of_two_traits(x, v) { let w = loss_by_a_trait(&Squared, v); &x * w }
    function_with_the_path_of_another(x, v) { let w = shadows::work(Array::from(v)).to_f64(); &x * w }
    function_of_another_f64(x, v) { use shadowed::f64; let w = f64::abs(v); &x * w }
    static_that_changes(x, v) {
        // SAFETY: no other thread has it.
        let w = unsafe { COUNTER = v; COUNTER * 2.0 };
        &x * w
    }
    variable_of_a_macro(x, v) { declare_constant!(HIDDEN, v * 2.0); let w = HIDDEN + 1.0; &x * w }
    captured_in_capitals(x, v) { let UPPER = v; let g = tracked!(|k: f64| k * UPPER); let w = g(2.0) + 1.0; &x * w }
    variable_in_capitals(x, v) { let UPPER = v * 2.0; let w = v * UPPER; &x * w }
    argument_that_is_a_part(x, v) { let l = Limits { low: v, ..Limits::START }; let w = 1.0f64.max(Limits { ..l }.high); &x * w + v }
}

/// Checks functions: what updates and programs give is right, and all are followed, or those that are not named.
#[track_caller]
fn all_are_followed(all: &[NamedFunction]) {
    let found = Found::of(all);
    assert!(found.refused.is_empty(), "{} are refused:\n{}", found.refused.len(), found.refused.join("\n"));
}

#[test]
fn c10_methods_of_numbers_are_followed() {
    all_are_followed(METHODS);
}

#[test]
fn c10_casts_are_followed() {
    all_are_followed(CASTS);
}

#[test]
fn c10_constants_are_followed() {
    all_are_followed(CONSTANTS);
}

/// Reborrows, and tuples and lists that are taken apart.
#[test]
fn c10_parts_of_tuples_are_followed() {
    all_are_followed(PARTS);
}

#[test]
fn c10_operators_of_integers_and_truths_are_followed() {
    all_are_followed(OPERATORS);
}

/// What has the name of a method of numbers, or of a constant, and is none.
#[test]
fn c10_what_looks_like_a_number_is_no_old_value() {
    Found::of(REFUSED);
}

/// What was set is computed again once it is not.
#[test]
fn c10_a_number_that_is_set_no_more_is_computed() {
    #[track]
    fn f(x: Array) -> Array {
        let v = x.to_f64();
        let w = v.min(5.0);
        &x * w
    }
    let mut live = Recorder::new().live(f, (Array::from(2.0),));
    let set = live.tape().nodes().find(|n| n.function() == "min").unwrap().id();
    live.set(set, Array::from(1.75)).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_f64(), 3.5);
    live.unset(set);
    live.update().unwrap();
    assert_eq!(live.value().to_f64(), 4.0);
    // A literal that has other bits when it is rounded twice.
    #[track]
    fn rounded(x: Array) -> Array {
        let v = x.to_f64() as f32;
        let w = v * 1.00000017881393432617187499;
        &x * w as f64
    }
    let mut live = Recorder::new().live(rounded, (Array::from(2.0),));
    live.set(live.argument(0), Array::from(3.0)).unwrap();
    let now = live.update().map(|_| live.value().to_f64());
    assert!(now.is_err() || now.unwrap() == rounded(Array::from(3.0)).to_f64());
}

/// A tape from a file follows them too; a program has the ops that give the same bits, and guards for the others.
#[test]
fn c10_methods_in_files_and_programs() {
    #[track]
    fn f(x: Array) -> Array {
        let v = x.to_f64();
        let w = v.abs().sqrt() + (v as f32) as f64;
        let u = w.tanh();
        &x * u
    }
    let x = Array::from(2.0);
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| f(x.clone()));
    let path = std::env::temp_dir().join(format!("wengert-methods-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    let mut opened = Tape::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let argument = opened.nodes().find(|n| n.kind() == wengert::tape::Kind::Constant).unwrap().id();
    opened.set(argument, Array::from(3.0).to_tensor()).unwrap();
    opened.update(&Device::cpu()).unwrap();
    let y = opened.root().value(0).unwrap();
    assert_eq!(Array::from_tensor(y).to_f64(), f(Array::from(3.0)).to_f64());
    let program = tape.to_program().unwrap();
    let text = program.guarded_program().to_string();
    assert!(
        text.contains("abs") && text.contains("sqrt") && text.contains("convert") && !text.contains("tanh"),
        "{text}"
    );
    let inputs = program.recorded_inputs(&tape).unwrap();
    assert!(program.run_guarded(&Device::cpu(), inputs.clone()).is_ok());
    let other: Vec<_> = inputs.iter().map(|_| Array::from(3.0).to_tensor()).collect();
    assert!(program.run_guarded(&Device::cpu(), other).is_err());
}

fn clamped(v: f64) -> Array {
    Array::from(v.min(4.0))
}

struct Clamped;

impl Clamped {
    /// Not that of arrays.
    #[track_caller]
    fn from(v: f64) -> Array {
        Array::from(v.max(5.0))
    }
}

macro_rules! doubled {
    ($v:expr) => {
        Array::from($v * 2.0)
    };
}

/// An array that is made of a number follows it; one that a function made of it, of which nothing is known, does not.
#[test]
fn c10_arrays_made_of_numbers_are_followed() {
    #[track]
    fn made(x: Array) -> Array {
        let v = x.sum(..).to_f64();
        let w = Array::from(v * 2.0);
        &x * w.sin() + Array::from(v as f32) * Array::from(v > 4.0)
    }
    #[track]
    fn made_elsewhere(x: Array) -> Array {
        let v = x.sum(..).to_f64();
        &x * clamped(v)
    }
    #[track]
    fn made_by_a_macro(x: Array) -> Array {
        let v = x.sum(..).to_f64() - 3.0;
        &x * doubled!(v)
    }
    #[track]
    fn made_of_a_part(x: Array) -> Array {
        let mut t = (x.sum(..).to_f64(), 1.0);
        t.0 += 1.0;
        &x * Array::from(t.0)
    }
    #[track]
    fn made_by_another(x: Array) -> Array {
        let v = x.sum(..).to_f64() + 3.0;
        &x * Clamped::from(v)
    }
    let functions: [(fn(Array) -> Array, bool); 5] = [
        (made, true),
        (made_elsewhere, false),
        (made_by_a_macro, false),
        (made_of_a_part, false),
        (made_by_another, false),
    ];
    for (i, (f, is_followed)) in functions.into_iter().enumerate() {
        let (x, other) = (Array::from([1.0, 2.0]), Array::from([-3.0, -4.0]));
        let mut live = Recorder::new().live(f, (x.clone(),));
        live.set(live.argument(0), other.clone()).unwrap();
        let updated = live.update();
        assert!(updated.is_ok() || !is_followed, "{i}: {updated:?}\n{}", live.tape());
        if updated.is_err() {
            live.update_or_rerun().unwrap();
        }
        assert_eq!(live.value(), &f(other), "{i}: {}", live.tape());
    }
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| made(Array::from([1.0, 2.0])));
    let program = tape.to_program().unwrap();
    let given = program.recorded_inputs(&tape).unwrap();
    assert_eq!(given.len(), 1, "{}", program.program());
    let y = program.run(&Device::cpu(), vec![Array::from([1.0, 2.0]).to_tensor()]).unwrap();
    assert_eq!(y[0], made(Array::from([1.0, 2.0])).to_tensor());
}
