//! Functions that are not tracked and have the name of the tracked ones that they call (C10): an update follows a tracked function,
//! and never takes another for it.

use super::borrows::Found;
use wengert::{Array, track};

#[track]
fn one(v: f64) -> f64 {
    v + 1.0
}

#[track]
fn two(v: f64) -> (f64, f64) {
    (v + 1.0, v * 2.0)
}

#[track]
fn push(to: &mut f64, v: f64) {
    *to += v;
}

#[track]
fn scaled(x: &Array, v: f64) -> Array {
    x * v
}

#[track]
fn square<T: std::ops::Mul<Output = T> + Copy>(v: T) -> T {
    v * v
}

mod m {
    use wengert::Array;

    pub fn one(v: f64) -> f64 {
        super::one(v).min(3.0)
    }

    pub fn two(v: f64) -> (f64, f64) {
        let (a, b) = super::two(v);
        (a.min(3.0), b.min(4.0))
    }

    pub fn push(to: &mut f64, v: f64) {
        super::push(to, v);
        *to = to.min(3.0);
    }

    pub fn scaled(x: &Array, v: f64) -> Array {
        super::scaled(x, v.min(2.0))
    }

    pub fn square(v: f64) -> f64 {
        super::square(v).min(4.0)
    }

    pub fn pow(x: &Array, v: f64) -> Array {
        x.pow(v.min(2.0))
    }
}

trait Loss {
    fn loss(&self, v: f64) -> f64;
    fn arrays(&self, x: &Array, v: f64) -> Array;
    fn both(&self, v: f64) -> (f64, f64);
}

struct Base;
impl Loss for Base {
    #[track]
    fn loss(&self, v: f64) -> f64 {
        v * v
    }
    #[track]
    fn arrays(&self, x: &Array, v: f64) -> Array {
        x * v
    }
    #[track]
    fn both(&self, v: f64) -> (f64, f64) {
        (v + 1.0, v * 2.0)
    }
}

struct Clip<L>(L);
impl<L: Loss> Loss for Clip<L> {
    fn loss(&self, v: f64) -> f64 {
        self.0.loss(v).min(4.0)
    }
    fn arrays(&self, x: &Array, v: f64) -> Array {
        self.0.arrays(x, v.min(2.0))
    }
    fn both(&self, v: f64) -> (f64, f64) {
        let (a, b) = self.0.both(v);
        (a.min(3.0), b.min(4.0))
    }
}

struct Model {
    losses: Vec<Clip<Base>>,
    plain: [Base; 2],
    boxed: Box<dyn Loss>,
}

fn model() -> Model {
    Model { losses: vec![Clip(Base), Clip(Base)], plain: [Base, Base], boxed: Box::new(Clip(Base)) }
}

#[track]
fn by_generic<L: Loss>(l: &L, v: f64) -> f64 {
    l.loss(v)
}

macro_rules! functions {
    ($($(#[$how:meta])* $name:ident: |$x:ident| $body:block)*) => {
        $(#[track] fn $name($x: Array) -> Array $body)*
        fn functions() -> Vec<(&'static str, fn(Array) -> Array)> {
            vec![$((stringify!($name), $name as fn(Array) -> Array)),*]
        }
    };
}

functions! {
    by_path: |x| { let v = x.to_f64(); &x * m::one(v) }
    by_import: |x| { use m::one; let v = x.to_f64(); &x * one(v) }
    in_arguments: |x| { let v = x.to_f64(); &x * one(m::one(one(v))) }
    around_arguments: |x| { let v = x.to_f64(); &x * m::one(one(v)) }
    tuple: |x| { let v = x.to_f64(); let (a, b) = m::two(v); &x * a + b }
    through_a_borrow: |x| { let v = x.to_f64(); let mut s = 1.0; m::push(&mut s, v); &x * s }
    array: |x| { let v = x.to_f64(); m::scaled(&x, v) }
    array_method_of_ours: |x| { let v = x.to_f64(); m::pow(&x, v) }
    generic: |x| { let v = x.to_f64(); &x * m::square(v) }
    method: |x| { let v = x.to_f64(); let l = Clip(Base); &x * l.loss(v) }
    method_of_value: |x| { let v = x.to_f64(); &x * Clip(Base).loss(v) }
    method_of_made: |x| { fn made() -> Clip<Base> { Clip(Base) } let v = x.to_f64(); &x * made().loss(v) }
    method_by_path: |x| { let v = x.to_f64(); &x * Loss::loss(&Clip(Base), v) }
    method_of_dyn: |x| { let v = x.to_f64(); let l: &dyn Loss = &Clip(Base); &x * l.loss(v) }
    method_of_dyn_by_path: |x| { let v = x.to_f64(); let l: &dyn Loss = &Clip(Base); &x * Loss::loss(l, v) }
    method_of_box: |x| { let v = x.to_f64(); let m = model(); &x * m.boxed.loss(v) }
    method_of_element: |x| { let v = x.to_f64(); let m = model(); let i = 1; &x * m.losses[i].loss(v) }
    method_of_each: |x| {
        let v = x.to_f64();
        let m = model();
        let mut s = 0.0;
        for l in &m.losses { s += l.loss(v); }
        &x * s
    }
    method_with_arrays: |x| { let v = x.to_f64(); let l = Clip(Base); l.arrays(&x, v) }
    method_with_tuple: |x| { let v = x.to_f64(); let l = Clip(Base); let (a, b) = l.both(v); &x * a + b }
    method_of_generic: |x| { let v = x.to_f64(); &x * by_generic(&Clip(Base), v) }
    early: |x| {
        #[track]
        fn early(v: Option<f64>) -> Option<f64> { Some(m::one(one(v?))) }
        let v = x.to_f64();
        let missing = early(None).unwrap_or(0.0);
        &x * early(Some(v)).unwrap_or(missing)
    }
}

#[test]
fn c10_functions_of_one_name_are_told_apart() {
    Found::of(&functions());
}

impl Base {
    #[track]
    fn own_loss(&self, v: f64) -> f64 {
        v * v
    }
}

/// What may be another function of the name, by all that is known at the call: methods of traits, and functions inside of functions.
mod uncertain {
    use super::*;

    functions! {
        method: |x| { let v = x.to_f64(); let l = Base; &x * l.loss(v) }
        method_of_generic: |x| { let v = x.to_f64(); &x * by_generic(&Base, v) }
        inside: |x| {
            #[track]
            fn inside(v: f64, n: u32) -> f64 { if n == 0 { v } else { inside(v + 1.0, n - 1) } }
            let v = x.to_f64();
            &x * inside(v, 2)
        }
    }

    #[test]
    fn c10_functions_that_may_be_others_are_no_old_values() {
        Found::of(&functions());
    }
}

mod followed {
    use super::*;

    functions! {
        by_path: |x| { let v = x.to_f64(); &x * super::one(v) }
        in_arguments: |x| { let v = x.to_f64(); &x * one(one(v)) }
        tuple: |x| { let v = x.to_f64(); let (a, b) = two(v); &x * a + b }
        through_a_borrow: |x| { let v = x.to_f64(); let mut s = 1.0; push(&mut s, v); &x * s }
        array: |x| { let v = x.to_f64(); scaled(&x, v) }
        method: |x| { let v = x.to_f64(); let l = Base; &x * l.own_loss(v) }
        method_of_made: |x| { fn made() -> Base { Base } let v = x.to_f64(); &x * made().own_loss(v) }
        method_by_path: |x| { let v = x.to_f64(); &x * Loss::loss(&Base, v) }
        method_of_each: |x| {
            let v = x.to_f64();
            let m = model();
            let mut s = 0.0;
            for l in &m.plain { s += l.own_loss(v); }
            &x * s
        }
        method_with_arrays: |x| { let v = x.to_f64(); let l = Base; l.arrays(&x, v) }
    }

    #[test]
    fn c10_tracked_functions_are_followed_by_their_types() {
        let found = Found::of(&functions());
        assert!(found.refused.is_empty(), "{}", found.refused.join("\n"));
    }
}
