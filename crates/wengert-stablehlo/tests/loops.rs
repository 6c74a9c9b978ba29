//! Which loops come in as scans: those that go through all rows of arrays, forward or backward, however their counter
//! counts; and that they do the same as the loops they were.

use wengert_core::{Op, Program, Scalar, Shape, Tensor};
use wengert_stablehlo::parse;

/// A loop that reads and writes one row of four at each step.
#[derive(Clone, Copy)]
struct Loop {
    start: i32,
    go_on: &'static str,
    limit: i32,
    step: i32,
    /// Defines `%p`, where the row is, by the counter `%i`.
    place: &'static str,
    /// What is added to the carry besides the row: a value of type f32.
    more: &'static str,
}

const PLAIN: Loop =
    Loop { start: 0, go_on: "LT", limit: 4, step: 1, place: "%p = stablehlo.add %i, %zero : tensor<i32>", more: "" };

impl Loop {
    /// The module. A start that is not known when it is read keeps the loop what it is.
    fn text(&self, known: bool) -> String {
        let Loop { start, go_on, limit, step, place, more } = self;
        let start = if known {
            format!("stablehlo.constant dense<{start}> : tensor<i32>")
        } else {
            "stablehlo.add %n, %n : tensor<i32>".into()
        };
        let more = if more.is_empty() { "%m = stablehlo.constant dense<0.0> : tensor<f32>" } else { more };
        format!(
            "func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> (tensor<i32>, tensor<f32>, tensor<4xf32>) {{
               %s = {start}
               %z = stablehlo.constant dense<0.0> : tensor<f32>
               %e = stablehlo.constant dense<0.0> : tensor<4xf32>
               %0:3 = stablehlo.while(%i = %s, %c = %z, %o = %e) : tensor<i32>, tensor<f32>, tensor<4xf32>
               cond {{
                 %l = stablehlo.constant dense<{limit}> : tensor<i32>
                 %t = stablehlo.compare {go_on}, %i, %l, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 stablehlo.return %t : tensor<i1>
               }} do {{
                 %zero = stablehlo.constant dense<0> : tensor<i32>
                 {place}
                 {more}
                 %r = stablehlo.dynamic_slice %x, %p, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
                 %v = stablehlo.reshape %r : (tensor<1xf32>) -> tensor<f32>
                 %a = stablehlo.add %c, %v : tensor<f32>
                 %d = stablehlo.add %a, %m : tensor<f32>
                 %w = stablehlo.reshape %d : (tensor<f32>) -> tensor<1xf32>
                 %q = stablehlo.dynamic_update_slice %o, %w, %p : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
                 %b = stablehlo.constant dense<{step}> : tensor<i32>
                 %j = stablehlo.add %i, %b : tensor<i32>
                 stablehlo.return %j, %d, %q : tensor<i32>, tensor<f32>, tensor<4xf32>
               }}
               return %0#0, %0#1, %0#2 : tensor<i32>, tensor<f32>, tensor<4xf32>
             }}"
        )
    }

    /// What it comes in as: the direction of the scan and its number of carries, or nothing.
    fn scan(&self) -> Option<(bool, usize)> {
        let read = |known| parse(&self.text(known)).unwrap_or_else(|e| panic!("{e}"));
        let (found, plain) = (read(true), read(false));
        assert!(!plain.equations().iter().any(|e| matches!(e.op, Op::Scan(_))));
        let x = Tensor::new([4], vec![1.0f32, 2.0, 4.0, 8.0]).expect("its size");
        let start = Tensor::splat(Shape::scalar(), Scalar::I32(self.start / 2));
        let run = |p: &Program| wengert_eval::run(p, vec![x.clone(), start.clone()]).unwrap_or_else(|e| panic!("{e}"));
        let values = |p: &Program| -> Vec<Vec<f64>> {
            let list = |t: &Tensor| (0..t.size()).map(|i| t.get(i).as_f64().expect("a number")).collect();
            run(p).iter().map(list).collect()
        };
        assert_eq!(values(&found), values(&plain), "{found}");
        found.equations().iter().find_map(|e| match &e.op {
            Op::Scan(s) => Some((s.reverse, s.carries)),
            _ => None,
        })
    }
}

#[test]
fn rows_in_order() {
    assert_eq!(PLAIN.scan(), Some((false, 1)));
    let backward = "%k = stablehlo.constant dense<3> : tensor<i32> %p = stablehlo.subtract %k, %i : tensor<i32>";
    assert_eq!(Loop { place: backward, ..PLAIN }.scan(), Some((true, 1)));
    assert_eq!(Loop { start: 0, go_on: "LE", limit: 3, ..PLAIN }.scan(), Some((false, 1)));
    assert_eq!(Loop { go_on: "NE", ..PLAIN }.scan(), Some((false, 1)));
    // From 4 down to 1, and from 6 by two.
    let below = "%k = stablehlo.constant dense<1> : tensor<i32> %p = stablehlo.subtract %i, %k : tensor<i32>";
    assert_eq!(Loop { start: 4, go_on: "GT", limit: 0, step: -1, place: below, ..PLAIN }.scan(), Some((true, 1)));
    let from = "%k = stablehlo.constant dense<6> : tensor<i32> %p = stablehlo.subtract %i, %k : tensor<i32>";
    assert_eq!(Loop { start: 6, limit: 10, place: from, ..PLAIN }.scan(), Some((false, 1)));
}

/// As JAX writes an index that may be negative, and one that may be too large.
#[test]
fn indices_that_are_in_range_already() {
    let wrapped = "%k = stablehlo.constant dense<4> : tensor<i32>
      %neg = stablehlo.compare LT, %i, %zero, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %up = stablehlo.add %i, %k : tensor<i32>
      %p = stablehlo.select %neg, %up, %i : tensor<i1>, tensor<i32>";
    assert_eq!(Loop { place: wrapped, ..PLAIN }.scan(), Some((false, 1)));
    let clamped = "%k = stablehlo.constant dense<3> : tensor<i32> %p = stablehlo.clamp %zero, %i, %k : tensor<i32>";
    assert_eq!(Loop { place: clamped, ..PLAIN }.scan(), Some((false, 1)));
    let wide = "%long = stablehlo.convert %i : (tensor<i32>) -> tensor<i64>
      %p = stablehlo.convert %long : (tensor<i64>) -> tensor<i32>";
    assert_eq!(Loop { place: wide, ..PLAIN }.scan(), Some((false, 1)));
}

/// A counter that the step needs is a carry beside the others.
#[test]
fn counters_that_are_used() {
    let more = "%m = stablehlo.convert %i : (tensor<i32>) -> tensor<f32>";
    assert_eq!(Loop { more, ..PLAIN }.scan(), Some((false, 2)));
}

/// Rows that are left out, met twice or clamped are no scan.
#[test]
fn what_is_not_exactly_a_scan() {
    let shifted = "%k = stablehlo.constant dense<1> : tensor<i32> %p = stablehlo.add %i, %k : tensor<i32>";
    assert_eq!(Loop { place: shifted, ..PLAIN }.scan(), None);
    let clamped = "%k = stablehlo.constant dense<2> : tensor<i32> %p = stablehlo.clamp %zero, %i, %k : tensor<i32>";
    assert_eq!(Loop { place: clamped, ..PLAIN }.scan(), None);
    assert_eq!(Loop { limit: 3, ..PLAIN }.scan(), None);
    assert_eq!(Loop { start: -2, ..PLAIN }.scan(), None);
    assert_eq!(Loop { step: 2, ..PLAIN }.scan(), None);
    let never = Loop { limit: 0, ..PLAIN };
    assert_eq!(never.scan(), None);
}

/// A counter that wraps around goes on for longer than its limit says.
#[test]
fn counters_that_wrap() {
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %s = stablehlo.constant dense<120> : tensor<i8>
      %0:2 = stablehlo.while(%i = %s, %c = %x) : tensor<i8>, tensor<f32>
      cond {
        %l = stablehlo.constant dense<126> : tensor<i8>
        %t = stablehlo.compare LE, %i, %l, SIGNED : (tensor<i8>, tensor<i8>) -> tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %d = stablehlo.sine %c : tensor<f32>
        %b = stablehlo.constant dense<4> : tensor<i8>
        %j = stablehlo.add %i, %b : tensor<i8>
        stablehlo.return %j, %d : tensor<i8>, tensor<f32>
      }
      return %0#1 : tensor<f32>
    }";
    let program = parse(text).expect("a program");
    assert!(program.equations().iter().any(|e| matches!(e.op, Op::While(_))), "{program}");
}
