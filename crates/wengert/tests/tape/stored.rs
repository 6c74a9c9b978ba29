//! Borrows that are put where a variable, or what one refers to, has others already (C10), and writes through borrows that no
//! variable has. Each is followed or refused; nothing is wrong.

#![allow(unused_assignments, unused_variables, unused_mut, clippy::all)] // What is written so is warned of.

use super::borrows::Found;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::ptr::null_mut;
use std::sync::Mutex;
use std::thread::LocalKey;
use wengert::{Array, track};

struct Two<'a> {
    r: &'a mut f64,
    k: f64,
}

impl<'a> Two<'a> {
    fn go(&mut self) {
        *self.r += self.k;
    }

    #[track]
    fn put(&mut self, r: &'a mut f64) {
        self.r = r;
    }

    #[track]
    fn step(&mut self) {
        *self.r += self.k;
    }
}

#[track]
fn store<'a>(o: &mut Option<&'a mut f64>, r: &'a mut f64) {
    *o = Some(r);
}

#[track]
fn put_into<'a>(t: &mut Two<'a>, r: &'a mut f64) {
    t.r = r;
}

#[track]
fn doubled(r: &mut f64) {
    *r *= 2.0;
}

thread_local! {
    static KEPT: Cell<*mut f64> = const { Cell::new(null_mut()) };
    static OTHER: Cell<*mut f64> = const { Cell::new(null_mut()) };
}

static mut POINTER: *mut f64 = null_mut();

fn poke(kept: &'static LocalKey<Cell<*mut f64>>) {
    // SAFETY: what it points to lives in the function that calls this.
    unsafe { *kept.get() = 9.0 }
}

fn poke_pointer() {
    // SAFETY: as in `poke`; one test uses it, on one thread.
    unsafe { *POINTER = 9.0 }
}

#[track]
fn keep(r: &mut f64) {
    // SAFETY: one test uses it, on one thread.
    unsafe { POINTER = r }
}

functions! {
    through_a_borrow_at_once (x, v) { let mut p = 1.0; *(&mut p) += 4.0; &x * (p * v) }
    through_a_borrow_in_parentheses (x, v) { let mut p = 1.0; (*(&mut p)) = 6.0; &x * (p * v) }
    through_a_bare_borrow (x, v) { let mut p = 1.0; *&mut p = 5.0; &x * (p * v) }
    through_an_element (x, v) { let (mut p, mut q) = (1.0, 2.0); *[&mut p, &mut q][1] += 5.0; &x * (q * v) }
    through_an_element_by_a_number (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        let i = v as usize % 2;
        *[&mut p, &mut q][i] = 5.0;
        &x * (p * v + q)
    }
    through_a_field (x, v) { let mut p = 1.0; *(&mut p, 1).0 -= 3.0; &x * (p * v) }
    through_a_struct (x, v) { let mut p = 1.0; *Two { r: &mut p, k: 1.0 }.r = 5.0; &x * (p * v) }
    through_what_a_loop_gives (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        *loop { break &mut p } = 5.0;
        let y = p * v + q;
        &x * y
    }
    one_borrow_for_another (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        {
            let mut r = &mut p;
            std::mem::replace(&mut r, &mut q);
            *r = 5.0;
        }
        &x * (p * 3.0 + q * v)
    }
    a_field_gets_a_borrow (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; t.r = &mut q; *t.r += t.k; }
        &x * (q * v)
    }
    a_field_of_a_tuple_gets_one (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = (&mut p, 4.0); t.0 = &mut q; *t.0 += t.1; }
        &x * (q * v)
    }
    an_element_gets_one (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut a = [&mut p]; a[0] = &mut q; *a[0] = 9.0; }
        &x * (q * v)
    }
    an_element_is_some_borrow (x, v) {
        let mut q = 2.0;
        { let mut slots = [None, None]; slots[0] = Some(&mut q); for r in slots.into_iter().flatten() { *r = 9.0 } }
        &x * (q * v)
    }
    a_raw_pointer_in_a_field (x, v) {
        let mut q = 2.0;
        let mut o = (null_mut(), 1);
        o.0 = &raw mut q;
        // SAFETY: it points to `q`.
        unsafe { *o.0 = 9.0 }
        &x * (q * v)
    }
    from_part_to_part (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; let other = Two { r: &mut q, k: 1.0 }; t.r = other.r; *t.r += t.k; }
        &x * (q * v)
    }
    by_a_name_first (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; let r = &mut q; t.r = r; t.go(); }
        &x * (q * v)
    }
    under_a_condition (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; if x.rank() == 0 { t.r = &mut q; } t.step(); }
        &x * (q * v)
    }
    what_a_reference_refers_to (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut r = &mut p; let rr = &mut r; *rr = &mut q; *r = 9.0; }
        &x * (q * v)
    }
    through_a_pattern (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut o = Some(&mut p); if let Some(m) = &mut o { *m = &mut q; } *o.unwrap() = 9.0; }
        &x * (q * v)
    }
    the_last_of_a_list (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut o = vec![&mut p]; *o.last_mut().unwrap() = &mut q; *o[0] = 9.0; }
        &x * (q * v)
    }
    an_iterator_of_a_list (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut o = vec![&mut p]; *o.iter_mut().next().unwrap() = &mut q; *o[0] = 9.0; }
        &x * (q * v)
    }
    an_entry_of_a_map (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut map = BTreeMap::new(); *map.entry(1).or_insert(&mut p) = &mut q; for r in map.into_values() { *r = 9.0 } }
        &x * (q * v)
    }
    what_is_locked (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let m = Mutex::new(Some(&mut p)); *m.lock().unwrap() = Some(&mut q); *m.into_inner().unwrap().unwrap() = 9.0; }
        &x * (q * v)
    }
    what_a_cell_has (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let c = RefCell::new(vec![&mut p]); c.borrow_mut()[0] = &mut q; *c.into_inner()[0] = 9.0; }
        &x * (q * v)
    }
    taken_apart (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; t.r = &mut q; let Two { r, .. } = t; *r += 3.0; }
        &x * (q * v)
    }
    a_tracked_method_stores (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; t.put(&mut q); *t.r += t.k; }
        &x * (q * v)
    }
    a_tracked_method_of_a_part_stores (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = (Two { r: &mut p, k: 4.0 }, 1); t.0.put(&mut q); t.0.step(); }
        &x * (q * v)
    }
    a_tracked_function_stores_in_what_there_is (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut o = Some(&mut p); store(&mut o, &mut q); *o.unwrap() = 8.0; }
        &x * (q * v)
    }
    a_tracked_function_stores_in_a_field (x, v) {
        let (mut p, mut q) = (1.0, 2.0);
        { let mut t = Two { r: &mut p, k: 4.0 }; put_into(&mut t, &mut q); t.step(); }
        &x * (q * v)
    }
    a_pointer_that_a_thread_keeps (x, v) {
        let mut q = 2.0;
        KEPT.set(&raw mut q);
        poke(&KEPT);
        &x * (q * v)
    }
    a_pointer_that_a_closure_keeps (x, v) {
        let mut q = 2.0;
        OTHER.with(|t| t.set(&raw mut q));
        poke(&OTHER);
        &x * (q * v)
    }
    a_pointer_in_a_static (x, v) {
        let mut q = 2.0;
        // SAFETY: one test uses the static, on one thread.
        unsafe { POINTER = &raw mut q; }
        poke_pointer();
        &x * (q * v)
    }
    a_pointer_that_a_tracked_function_keeps (x, v) {
        let mut q = 2.0;
        keep(&mut q);
        poke_pointer();
        &x * (q * v)
    }
    an_index_that_nobody_reads (x, v) { let a = [1, 2, 3]; let _ = a[v as usize]; &x * 2.0 }
    an_index_that_is_a_statement (x, v) { let a = vec![1, 2, 3]; a[v as usize]; &x * 2.0 }
    a_field_of_an_element_that_nobody_reads (x, v) { let a = [(1, 2), (3, 4)]; let _ = a[v as usize].0; &x * 2.0 }
    a_number_in_a_field (x, v) { let mut t = (1.0, 2.0); t.0 = v; t.1 = 3.0; &x * (t.1 * v) }
    a_number_behind_a_name (x, v) { let mut p = 1.0; { let r = &mut p; *r = v; doubled(r); } &x * p }
}

#[test]
fn c10_what_is_stored_is_never_an_old_value() {
    let found = Found::of(ALL);
    let is_refused = |name: &str| found.refused.iter().any(|m| m.starts_with(&format!("{name}:")));
    assert!(!is_refused("a_number_behind_a_name"), "{:?}", found.refused);
}
