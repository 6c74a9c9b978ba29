//! Methods of the user's that change what they are called of and have the name of one of the standard library that only reads
//! (C10).

#![allow(clippy::all)] // What is written so is warned of.

use super::borrows::Found;
use std::cell::Cell;
use wengert::{Array, track};

/// Methods on numbers that are none of them.
trait Odd {
    fn len(&mut self) -> usize;
    fn get(&mut self, by: f64) -> f64;
    fn first(&mut self) -> &mut f64;
    fn checked_add(&mut self, by: f64) -> Option<f64>;
    fn cmp(&mut self, by: f64) -> bool;
}

impl Odd for f64 {
    fn len(&mut self) -> usize {
        *self += 1.0;
        3
    }

    fn get(&mut self, by: f64) -> f64 {
        *self *= by;
        *self
    }

    fn first(&mut self) -> &mut f64 {
        *self = -*self;
        self
    }

    fn checked_add(&mut self, by: f64) -> Option<f64> {
        *self += by;
        None
    }

    fn cmp(&mut self, by: f64) -> bool {
        *self += by;
        true
    }
}

trait OfIntegers {
    fn total_cmp(&mut self, by: u32) -> u32;
}

impl OfIntegers for u32 {
    fn total_cmp(&mut self, by: u32) -> u32 {
        *self += by;
        *self
    }
}

#[derive(Clone, Debug, Default)]
struct Store {
    last: f64,
    all: Vec<f64>,
    cell: Cell<f64>,
}

impl Store {
    fn get(&mut self, x: f64) -> f64 {
        self.last = x;
        x * 2.0
    }

    fn join(&mut self, x: f64) -> usize {
        self.all.push(x);
        self.all.len()
    }

    fn contains(&self, x: f64) -> bool {
        self.cell.set(x);
        x > 0.0
    }

    fn first(&mut self) -> &mut f64 {
        &mut self.last
    }

    #[track]
    fn repeat(&mut self, x: f64) {
        self.last = x + 1.0;
    }
}

/// A variable that keeps what it is given.
struct Holder<'a>(Option<&'a mut f64>);

impl<'a> Holder<'a> {
    fn values(&mut self, r: &'a mut f64) {
        self.0 = Some(r);
    }

    fn windows(&mut self) {
        if let Some(r) = &mut self.0 {
            **r += 1.0;
        }
    }
}

functions! {
    a_length_of_a_number (x, v) { let mut k = v; let n = k.len(); &x * (k + n as f64) }
    a_length_of_a_sum (x, v) { let mut k = v + 1.0; k.len(); &x * k }
    got_of_a_number (x, v) { let mut k = v; let g = k.get(3.0); &x * (k + g) }
    got_of_a_constant (x, v) { let mut k = 2.0; let g = k.get(v); &x * (k + g) }
    the_first_of_a_number (x, v) { let mut k = v; *k.first() += 2.0; &x * k }
    a_sum_of_floats (x, v) { let mut k = 1.0; k.checked_add(v); &x * k }
    compared_floats (x, v) { let mut k = 1.0; k.cmp(v); &x * k }
    compared_integers (x, v) { let mut k = 1u32; let n = k.total_cmp(v.abs() as u32); &x * (k + n) as f64 }
    through_a_borrow (x, v) { let mut k = v; { let r = &mut k; r.len(); } &x * k }
    through_a_borrow_with_a_number (x, v) { let mut k = 2.0; { let r = &mut k; r.get(v); } &x * k }
    the_first_in_a_name (x, v) { let mut k = 2.0; { let r = k.first(); *r = v; } &x * k }
    a_number_of_which_nothing_is_known (x, v) {
        let mut k = 2.0;
        {
            let p: *mut f64 = &mut k;
            // SAFETY: it points to `k`.
            unsafe { *p = 3.0 }
        }
        k.get(v);
        &x * k
    }
    a_length_in_between (x, v) { let mut a = vec![1.0]; a.push(v); let n = a.len(); a[0] = v; &x * (a[0] + n as f64) }
    a_field (x, v) { let mut t = (1.0, 2.0); t.0.get(v); &x * t.0 }
    an_element (x, v) { let mut t = [1.0, 2.0]; t[0].get(v); &x * t[0] }
    got_of_a_store (x, v) { let mut s = Store::default(); let y = s.get(v); &x * (s.last + y) }
    got_and_thrown_away (x, v) { let mut s = Store::default(); s.get(v); &x * s.last }
    joined (x, v) { let mut s = Store::default(); let n = s.join(v); &x * (s.all[0] + n as f64) }
    contained_in_a_cell (x, v) { let s = Store::default(); let c = s.contains(v); &x * (s.cell.get() + c as u8 as f64) }
    the_first_of_a_store (x, v) { let mut s = Store::default(); *s.first() = v; &x * s.last }
    the_first_in_a_variable (x, v) { let mut s = Store::default(); { let r = s.first(); *r = v; } &x * s.last }
    repeated (x, v) { let mut s = Store::default(); s.repeat(v); &x * s.last }
    a_part_of_a_store (x, v) { let mut s = (Store::default(), 1.0); s.0.get(v); &x * s.0.last }
    a_holder (x, v) { let mut k = 2.0; { let mut h = Holder(None); h.values(&mut k); h.windows(); } &x * (k + v) }
    the_first_of_a_list (x, v) { let mut a = vec![v, 2.0]; *a.first_mut().unwrap() += 1.0; &x * a[0] }
    in_a_text (x, v) { let mut s = Store::default(); let t = format!("{}", s.get(v)); &x * (s.last + t.len() as f64) }
    in_an_assertion (x, v) { let mut s = Store::default(); assert!(s.get(v) < 99.0); &x * s.last }
    a_number_in_an_assertion (x, v) { let mut k = 1.0; assert!(k.get(v) < 99.0); &x * k }
    in_a_loop (x, v) { let mut s = Store::default(); for i in 0..3 { s.get(v + i as f64); } &x * s.last }
}

#[test]
fn c10_methods_with_the_names_of_readers_give_no_old_value() {
    Found::of(ALL);
}
