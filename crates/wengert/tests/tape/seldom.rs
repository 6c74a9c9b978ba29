//! What numeric code seldom has in it (C10): parts that the compiler leaves out, values that are thrown away, patterns that a macro
//! makes, functions with the names of constructors. Each is followed or refused; nothing is wrong.

#![allow(non_snake_case, unused_assignments, unused_variables, unused_mut, clippy::all)] // What is seldom written is warned of.

use super::borrows::Found;
use std::cell::Cell;
use wengert::{Array, track};

/// Writes when it is dropped.
struct Late<'a> {
    to: &'a mut f64,
    by: f64,
}

impl Drop for Late<'_> {
    fn drop(&mut self) {
        *self.to *= self.by;
    }
}

/// The same of a cell.
struct LateInCell<'a>(&'a Cell<f64>, f64);

impl Drop for LateInCell<'_> {
    fn drop(&mut self) {
        self.0.set(self.1);
    }
}

fn Set(m: &mut f64, by: &f64) -> f64 {
    *m = *by;
    7.0
}

fn SetCell(c: &Cell<f64>, by: &f64) -> f64 {
    c.set(*by);
    7.0
}

#[track]
fn SetTracked(m: &mut f64, by: &f64) -> f64 {
    *m *= *by;
    7.0
}

#[track]
fn times(m: &mut f64, by: f64) -> f64 {
    *m *= by;
    *m
}

macro_rules! same {
    ($p:pat) => {
        $p
    };
}

static mut STATIC: f64 = 0.0;

functions! {
    a_let_that_is_left_out (x, v) {
        #[cfg(all())]
        let q = v * 2.0;
        #[cfg(any())]
        let q = 1.0;
        &x * q
    }
    the_first_let_is_left_out (x, v) {
        #[cfg(any())]
        let q = 1.0;
        #[cfg(all())]
        let q = v * 2.0;
        &x * q
    }
    a_let_that_would_hide (x, v) {
        #[cfg(any())]
        let v = 1.0;
        &x * v
    }
    a_let_that_hides (x, v) {
        let w = v;
        #[cfg(all())]
        let v = 1.0;
        &x * (v + w)
    }
    a_pattern_that_is_left_out (x, v) {
        let (a, b) = (v, 2.0);
        #[cfg(any())]
        let (a, b) = (2.0, 1.0);
        &x * (a + b)
    }
    a_let_with_cfg_attr (x, v) {
        #[cfg_attr(all(), cfg(any()))]
        let v = 1.0;
        &x * v
    }
    left_out_in_a_loop (x, v) {
        let mut s = 0.0;
        for i in 0..3 {
            let q = if i == 1 { v } else { 3.0 };
            #[cfg(any())]
            let q = 1.0;
            s = s * 10.0 + q;
        }
        &x * s
    }
    left_out_variables_that_change (x, v) {
        #[cfg(all())]
        let mut q = v;
        #[cfg(any())]
        let mut q = 1.0;
        q += 1.0;
        #[cfg(any())]
        let mut q = 5.0;
        q *= 2.0;
        &x * q
    }
    left_out_and_borrowed (x, v) {
        let mut q = v;
        let r = &mut q;
        #[cfg(any())]
        let q = 5.0;
        *r = v * 3.0;
        &x * q
    }
    left_out_and_compared (x, v) {
        #[cfg(any())]
        let v = 1.0;
        if v > 0.5 { &x * 2.0 } else { &x * 3.0 }
    }
    a_block_that_ends_in_alternatives (x, v) {
        let q = {
            #[cfg(all())]
            {
                v * 2.0
            }
            #[cfg(any())]
            {
                1.0
            }
        };
        &x * q
    }
    another_that_does (x, v) {
        let q = {
            #[cfg(any())]
            {
                1.0
            }
            #[cfg(all())]
            {
                x.to_f64() * 2.0
            }
        };
        &x * q
    }
    what_the_right_side_changes (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = *r + {
            *r *= v;
            1.0
        };
        &x * w
    }
    what_the_right_side_changes_in_parentheses (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = (*r) * {
            *r *= v;
            *r
        };
        &x * w
    }
    what_the_right_side_lets_change (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = *r - {
            times(r, v);
            *r
        };
        &x * w
    }
    what_the_right_side_of_an_assignment_changes (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let mut w = 0.0;
        w = *r * times(r, v);
        &x * w
    }
    what_the_right_side_changes_in_a_box (x, v) {
        let mut b = Box::new(2.0);
        let w = *b + {
            *b *= v;
            1.0
        };
        &x * w
    }
    what_the_right_side_of_a_comparison_changes (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = if *r > { *r *= v; 1.0 } { 2.0 } else { 3.0 };
        &x * w * m
    }
    what_an_argument_changes (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = f64::max(*r, {
            *r *= v;
            1.0
        });
        &x * w * m
    }
    what_breaks_out (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = loop {
            break *r + {
                *r *= v;
                1.0
            };
        };
        &x * w
    }
    a_function_that_is_given_a_temporary (x, v) {
        let mut m = 1.0;
        let r = &mut m;
        let k = Set(r, &(v + 1.0));
        let w = m * k;
        &x * w
    }
    one_that_is_given_a_constant (x, v) {
        let mut m = v;
        let r = &mut m;
        let k = Set(r, &(4.0 + 1.0));
        let w = m * k;
        &x * w
    }
    one_of_a_cell (x, v) {
        let c = Cell::new(2.0);
        SetCell(&c, &(v + 1.0));
        let w = c.get();
        &x * w
    }
    one_that_is_tracked (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let k = SetTracked(r, &(v + 1.0));
        let w = m * k;
        &x * w
    }
    one_inside_of_a_variant (x, v) {
        let mut m = 1.0;
        let r = &mut m;
        let k = Some(Set(r, &(v + 1.0)));
        let w = m * 2.0;
        &x * w
    }
    a_closure_with_a_capital (x, v) {
        let mut m = v;
        let mut Go = || m = 4.0;
        Go();
        &x * m
    }
    a_variant_that_is_thrown_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        Some(Late { to: r, by: v });
        &x * m
    }
    what_a_let_throws_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let _ = Some(Late { to: r, by: v });
        &x * m
    }
    what_an_assignment_throws_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        _ = Late { to: r, by: v };
        &x * m
    }
    what_an_assignment_of_a_borrow_throws_away (x, v) {
        let mut m = 2.0;
        _ = Late { to: &mut m, by: v };
        &x * m
    }
    a_part_that_an_assignment_throws_away (x, v) {
        let mut m = 2.0;
        let mut k = 0.0;
        let r = &mut m;
        (k, _) = (3.0, Late { to: r, by: v });
        &x * m * k
    }
    a_part_that_a_let_throws_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let (k, _) = (3.0, Late { to: r, by: v });
        &x * m * k
    }
    a_part_of_a_constructor_that_a_let_throws_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let Some((k, _)) = Some((3.0, Late { to: r, by: v })) else { return x };
        &x * m * k
    }
    what_a_match_throws_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = match (1.0, Late { to: r, by: v }) {
            (k, _) => k,
        };
        &x * (m * w)
    }
    a_field_of_what_is_thrown_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let k = Late { to: r, by: v }.by;
        &x * (m * k)
    }
    a_part_of_a_tuple_that_is_thrown_away (x, v) {
        let mut m = 2.0;
        let r = &mut m;
        let w = (Late { to: r, by: v }, 3.0).1;
        &x * (m * w)
    }
    what_is_thrown_away_of_a_cell (x, v) {
        let c = Cell::new(2.0);
        let _ = LateInCell(&c, v);
        let w = c.get();
        &x * w
    }
    a_tuple_that_is_thrown_away (x, v) {
        let c = Cell::new(2.0);
        (1.0, LateInCell(&c, v));
        let w = c.get();
        &x * w
    }
    a_pattern_of_a_macro (x, v) {
        let k = 2.0;
        let same!(k) = v;
        &x * k
    }
    a_pattern_of_a_macro_in_a_loop (x, v) {
        let (k, mut s) = (2.0, 1.0);
        for same!(k) in [v, 3.0] {
            s = s * 10.0 + k;
        }
        &x * (s + k)
    }
    a_pattern_of_a_macro_in_an_arm (x, v) {
        let k = 2.0;
        let w = match Some(v) {
            Some(same!(k)) => k,
            None => k,
        };
        &x * w
    }
    a_static_that_is_borrowed (x, v) {
        // SAFETY: one test uses the static, on one thread.
        unsafe {
            STATIC = 2.0;
            let r = &mut *(&raw mut STATIC);
            *r *= v;
            let w = STATIC;
            &x * w
        }
    }
    a_static_behind_a_macro (x, v) {
        // SAFETY: one test uses the static, on one thread.
        unsafe {
            STATIC = 2.0;
            let r = &mut *std::ptr::addr_of_mut!(STATIC);
            *r = v;
            let w = STATIC;
            &x * w
        }
    }
    a_static_that_a_call_changes (x, v) {
        // SAFETY: one test uses the static, on one thread.
        unsafe {
            STATIC = 2.0;
            times(&mut *(&raw mut STATIC), v);
            let w = STATIC;
            &x * w
        }
    }
    a_static_that_a_loop_changes (x, v) {
        // SAFETY: one test uses the static, on one thread.
        unsafe {
            STATIC = 2.0;
            for k in [&mut *(&raw mut STATIC)] {
                *k *= v;
            }
            let w = STATIC;
            &x * w
        }
    }
}

#[test]
fn c10_what_is_seldom_written_is_never_an_old_value() {
    let found = Found::of(ALL);
    // What is left out by the compiler is followed all the same.
    let is_refused = |name: &str| found.refused.iter().any(|m| m.starts_with(&format!("{name}:")));
    for followed in ["a_let_that_is_left_out", "the_first_let_is_left_out", "a_let_that_would_hide", "a_let_that_hides"]
    {
        assert!(!is_refused(followed), "{followed} is refused");
    }
}
