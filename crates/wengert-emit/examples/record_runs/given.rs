//! Tracked functions that are given closures, lists, records and functions, as real programs give them.

use super::{Body, layer, rows, w, x};
use wengert::*;

#[track]
fn newton(f: impl Fn(Array) -> Array + Copy + Send + Sync, x: Array, n: usize) -> Array {
    let mut x = x;
    for _ in 0..n {
        let y = f(x.clone());
        x = x.clone() - y / grad(|x: Array| f(x).sum(..))(x);
    }
    x
}

#[track]
fn residual(x: Array, a: &Array) -> Array {
    &x * &x - a
}

#[track]
fn root(a: Array) -> Array {
    newton(|x| residual(x, &a), a.ones_like(), 3)
}

#[track]
fn euler(f: &dyn Fn(&Array) -> Array, mut y: Array, dt: f32, steps: u32) -> Array {
    for _ in 0..steps {
        y = &y + f(&y) * dt;
    }
    y
}

#[track]
fn in_turn(layers: &[Box<dyn Fn(Array) -> Array>], x: Array) -> Array {
    layers.iter().fold(x, |x, f| f(x))
}

#[track]
fn weighted(parts: Vec<Array>, weights: &[f32]) -> Array {
    parts.iter().zip(weights).map(|(p, &w)| p * w).reduce(|a, b| a + b).unwrap()
}

#[track]
fn shifted(x: Array, by: Option<Array>) -> Array {
    match by {
        Some(by) => x + by,
        None => x,
    }
}

#[track]
fn swapped((a, b): (Array, Array)) -> (Array, Array) {
    (b.sin(), a)
}

#[track]
fn called(f: fn(Array) -> Array, x: Array) -> Array {
    f(x) * 2.0
}

#[track]
fn twice<F: FnMut(Array) -> Array>(mut f: F, x: Array) -> Array {
    let y = f(x);
    f(y)
}

#[track]
fn only_staged(x: Array) -> Array {
    jit(root)(x)
}

#[track]
fn moved(x: &mut Array, by: &Array) {
    *x = &*x + by;
}

#[track]
fn mapped(x: Array, f: impl FnOnce(Array) -> Array) -> Array {
    f(x.cos())
}

struct Dense {
    w: Array,
    b: Option<Array>,
    act: fn(Array) -> Array,
}

#[track]
impl Dense {
    fn call(&self, x: Array) -> Array {
        let y = x * &self.w;
        let y = self.b.as_ref().map_or(y.clone(), |b| y + b);
        (self.act)(y)
    }

    fn with(mut self, b: Array) -> Self {
        self.b = Some(b);
        self
    }
}

fn dense() -> Dense {
    Dense { w: w(), b: None, act: |x| x.tanh() }
}

struct Net {
    layers: Vec<Dense>,
}

#[track]
impl Net {
    fn call(&self, x: Array) -> Array {
        let mut x = x;
        for l in &self.layers {
            x = l.call(x);
        }
        x
    }
}

fn net() -> Net {
    Net { layers: vec![dense(), dense().with(x())] }
}

#[derive(Tree, Clone)]
struct State {
    at: Array,
    speed: Array,
}

#[track]
fn pushed(s: State, dt: f64) -> State {
    let speed = &s.speed - &s.at * dt;
    State { at: &s.at + &speed * dt, speed }
}

fn state() -> State {
    State { at: x(), speed: w() }
}

pub const GIVEN: &[(&str, Body)] = runs! {
    closure_with_array: vec![root(x())];
    closure_with_array_twice: vec![root(x()) + root(x() * 2.0)];
    closure_with_array_in_gradient: vec![grad(|a: Array| root(a).sum(..))(x())];
    closure_with_array_in_batched: vec![vmap(root)(rows())];
    closure_with_array_in_staged: vec![jit(root)(x())];
    closure_with_two_arrays: { let (k, m) = (x().sin(), w().exp()); vec![newton(|y| &y * &y * &k - &m, x(), 2)] };
    closure_with_none: vec![newton(|y| &y * &y - 2.0, x(), 2)];
    closures_of_both: vec![newton(|y| residual(y, &x()), x(), 1), newton(|y| y.sin() - 0.5, x(), 1)];
    closure_by_reference: { let k = w().exp(); vec![euler(&|y| -y * &k, x(), 0.1, 3)] };
    closures_in_a_list: {
        let k = x().sin();
        let layers: Vec<Box<dyn Fn(Array) -> Array>> = vec![Box::new(move |x| x * &k), Box::new(|x| x.tanh()), Box::new(|x| layer(x, w()))];
        vec![in_turn(&layers, x())]
    };
    closure_once: { let k = x().sin(); vec![mapped(w(), |x| x + k)] };
    closure_that_counts: { let mut n = 0; vec![twice(|x| { n += 1; x * n }, x())] };
    function_by_pointer: vec![called(|x| x.sin(), x()), called(root, x())];
    function_that_a_transform_gave: { let (f, g) = (vmap(|x: Array| x.sin()), jit(root)); vec![mapped(x(), &*f), mapped(x(), &*g)] };
    list_of_arrays: vec![weighted(vec![x(), w(), x().sin()], &[0.5, 0.25, 2.0])];
    list_of_one_array_twice: { let y = x().sin(); vec![weighted(vec![y.clone(), y], &[1.0, 3.0])] };
    array_or_none: vec![shifted(x(), Some(w())), shifted(x(), None)];
    pair_taken_apart: { let (a, b) = swapped((x(), w())); vec![a, b] };
    given_back_last: vec![shifted(x(), None)];
    given_back_last_after_op: vec![shifted(x().sin(), None)];
    given_back_last_of_plain: vec![mapped(x(), |x| x)];
    given_back: vec![shifted(x().sin(), None) + 1.0, mapped(x(), |x| x), shifted(shifted(x(), None), Some(w()))];
    empty_twice: vec![Array::zeros([0], DType::F32) + Array::full([0], 1.0, DType::F32) * Array::full([0], 2.0, DType::F32)];
    nested_staged: { let f = jit(root); vec![jit(|x: Array| f(x) * 2.0)(x()), only_staged(x()), jit(only_staged)(x())] };
    changed_in_place: { let mut y = x().sin(); moved(&mut y, &w()); moved(&mut y, &x()); vec![y] };
    record_with_function: vec![dense().call(x()), dense().with(x()).call(w())];
    records_in_a_record: vec![net().call(x())];
    records_in_a_record_in_gradient: { let net = net(); vec![grad(|x: Array| net.call(x).sum(..))(x())] };
    records_in_a_record_in_staged: { let net = net(); vec![jit(|x: Array| net.call(x))(x())] };
    records_in_a_record_in_batched: { let net = net(); vec![vmap(|x: Array| net.call(x))(rows())] };
    tree_and_number: { let s = pushed(pushed(state(), 0.1), 0.2); vec![s.at, s.speed] };
    tree_in_counted_loop: { let s = fori_loop(0, 5, |_: Array, s: State| pushed(s, 0.1), state()); vec![s.at, s.speed] };
    tree_in_scan: { let (s, path) = scan(|s: State, dt: Array| { let s = pushed(State { at: s.at * dt, ..s }, 0.1); (s.clone(), s.at) }, state(), x()); vec![s.at, s.speed, path] };
    tree_in_gradient_of_loop: { let g = grad(|s: State| fori_loop(0, 5, |_: Array, s: State| pushed(s, 0.1), s).at.sum(..))(state()); vec![g.at, g.speed] };
    tree_in_batched_loop: { let s = vmap(|k: Array| fori_loop(0, 3, |_: Array, s: State| pushed(s, 0.1), State { at: k, speed: w() }))(rows()); vec![s.at, s.speed] };
    tree_in_batched_while: { let s = vmap(|k: Array| while_loop(|s: State| s.at.sum(..).lt(9.0), |s: State| State { at: s.at + s.speed.abs() + 1.0, ..s }, State { at: k, speed: w() }))(rows()); vec![s.at] };
    newton_in_while: { let a = x(); vec![while_loop(|y: Array| residual(y, &a).abs().max(..).gt(1e-3), |y: Array| newton(|y| residual(y, &a), y, 1), x())] };
};
