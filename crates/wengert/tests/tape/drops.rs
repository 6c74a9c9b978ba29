//! Numbers that are written where nobody sees it (C10): by what runs when a value is dropped, through raw pointers, by `DerefMut`.

#![allow(clippy::unnecessary_operation, unused_assignments)] // Values that are dropped at once are what is tested.

use super::borrows::Found;
use std::ops::{Deref, DerefMut};
use wengert::{Array, track};

/// Writes when it is dropped.
struct Late<'a>(&'a mut f64, f64);
impl Drop for Late<'_> {
    fn drop(&mut self) {
        *self.0 = self.1 * 2.0;
    }
}

/// Adds when it is dropped.
struct Bump<'a>(&'a mut f64);
impl Drop for Bump<'_> {
    fn drop(&mut self) {
        *self.0 += 1.0;
    }
}

fn late(to: &mut f64, v: f64) -> Late<'_> {
    Late(to, v)
}

/// Gives one field, and changes the other.
struct Crossed {
    read: f64,
    written: f64,
}
impl Deref for Crossed {
    type Target = f64;
    fn deref(&self) -> &f64 {
        &self.read
    }
}
impl DerefMut for Crossed {
    fn deref_mut(&mut self) -> &mut f64 {
        &mut self.written
    }
}

thread_local! {
    static CELL: std::cell::Cell<f64> = const { std::cell::Cell::new(0.0) };
}

static mut SM: f64 = 0.0;

functions! {
    dropped_at_the_end_of_a_block (x, v) { let mut s = 1.0; { let _late = Late(&mut s, v); } let t = s + 1.0; &x * t }
    dropped_and_bound_to_nothing (x, v) { let mut s = 1.0; let _ = Late(&mut s, v); let t = s + 1.0; &x * t }
    dropped_as_a_statement (x, v) { let mut s = 1.0; Late(&mut s, v); let t = s + 1.0; &x * t }
    dropped_as_a_block (x, v) { let mut s = v; { Bump(&mut s) }; let t = s + 1.0; &x * t }
    dropped_as_a_block_of_nothing (x, v) { let mut s = v; let _ = { Bump(&mut s) }; let t = s + 1.0; &x * t }
    dropped_as_a_branch (x, v) { let mut s = v; if v > -9.0 { Some(Bump(&mut s)) } else { None }; let t = s + 1.0; &x * t }
    dropped_by_a_function (x, v) { let mut s = 1.0; late(&mut s, v); let t = s + 1.0; &x * t }
    dropped_of_a_function (x, v) { let mut s = 1.0; { let _kept = late(&mut s, v); } let t = s + 1.0; &x * t }
    dropped_by_hand (x, v) { let mut s = v; let b = Bump(&mut s); drop(b); let t = s + 1.0; &x * t }
    dropped_in_a_box (x, v) { let mut s = v; { let _b = Box::new(Bump(&mut s)); } let t = s + 1.0; &x * t }
    dropped_in_a_list (x, v) { let mut s = v; { let _b = vec![Bump(&mut s)]; } let t = s + 1.0; &x * t }
    dropped_in_a_tuple (x, v) { let mut s = v; { let _b = (1, Bump(&mut s)); } let t = s + 1.0; &x * t }
    dropped_in_a_loop (x, v) { let mut s = v; for _ in 0..2 { let _b = Bump(&mut s); } let t = s + 1.0; &x * t }
    dropped_when_it_is_assigned (x, v) {
        let (mut s, mut t) = (v, v);
        let mut b = Bump(&mut s);
        b = Bump(&mut t);
        let w = s + 1.0;
        drop(b);
        &x * w + t
    }
    dropped_when_it_is_taken (x, v) { let mut s = v; { let b = Some(Bump(&mut s)); if let Some(b) = b { drop(b); } } let t = s + 1.0; &x * t }
    read_before_it_is_dropped (x, v) { let mut s = v; let t = { let b = Bump(&mut s); *b.0 * 2.0 }; &x * t + s }
    dropped_by_a_tracked_function (x, v) {
        #[track]
        fn eat(_b: Bump<'_>, v: f64) -> f64 { v + 1.0 }
        let mut s = v;
        let w = eat(Bump(&mut s), 1.0);
        let t = s + w;
        &x * t
    }
    dropped_after_it_was_written_through (x, v) { let mut s = 1.0; { let b = Bump(&mut s); *b.0 = v; } let t = s + 1.0; &x * t }
    dropped_after_a_borrow_of_it (x, v) {
        let mut s = 1.0;
        {
            let mut b = Bump(&mut s);
            let r = &mut b;
            let q = &mut *r.0;
            *q = v;
        }
        let t = s + 1.0;
        &x * t
    }
    dropped_in_a_condition (x, v) { let mut s = v; if v > -9.0 { Bump(&mut s); } else { Bump(&mut s); } let t = s + 1.0; &x * t }
    dropped_with_a_list (x, v) {
        struct Sums<'a>(&'a mut [f64; 2]);
        impl Drop for Sums<'_> { fn drop(&mut self) { self.0[1] += self.0[0]; } }
        let mut s = [v, 1.0];
        { let _sums = Sums(&mut s); }
        let t = s[1] + 1.0;
        &x * t
    }
    dropped_in_a_field (x, v) {
        struct Holder<'a> { _b: Bump<'a> }
        let mut s = v;
        { let _h = Holder { _b: Bump(&mut s) }; }
        let t = s + 1.0;
        &x * t
    }
    through_a_raw_pointer (x, v) {
        let mut s = 1.0;
        let p = &raw mut s;
        // SAFETY: the variable lives, and nothing else refers to it.
        unsafe { *p = v; }
        let t = s + 1.0;
        &x * t
    }
    through_a_raw_pointer_to_a_static (x, v) {
        let p = &raw mut SM;
        // SAFETY: one test uses the static, on one thread.
        unsafe { *p = v; }
        // SAFETY: the same.
        let t = unsafe { SM } + 1.0;
        &x * t
    }
    through_a_raw_pointer_and_read_back (x, v) {
        let p = &raw mut SM;
        // SAFETY: one test uses the static, on one thread.
        unsafe { *p = v * 2.0; }
        // SAFETY: the same.
        let t = unsafe { *p } + 1.0;
        &x * t
    }
    through_what_was_leaked (x, v) { let r: &'static mut f64 = Box::leak(Box::new(1.0)); *r = v; let t = *r + 1.0; &x * t }
    through_what_was_leaked_twice (x, v) {
        let r = Box::leak(Box::new(1.0));
        let p = r as *mut f64;
        *r = v;
        // SAFETY: what was leaked lives, and nobody writes to it now.
        let t = unsafe { *p } + 1.0;
        &x * t
    }
    through_a_cell_of_a_thread (x, v) { CELL.with(|c| c.set(v)); let t = CELL.with(|c| c.get()) + 1.0; &x * t }
    through_another_field (x, v) { let mut c = Crossed { read: 1.0, written: 2.0 }; *c = v; let t = *c + 1.0; &x * t + c.written }
    through_another_field_that_is_read (x, v) { let mut c = Crossed { read: v, written: 2.0 }; *c = 5.0; let t = *c + 1.0; &x * t }
    through_another_field_by_an_operator (x, v) { let mut c = Crossed { read: 1.0, written: 2.0 }; *c += v; let t = *c + 1.0; &x * t + c.written }
}

#[test]
fn c10_numbers_that_are_written_unseen() {
    Found::of(ALL);
}
