//! The rewrite that takes transposes off products, and products after it.

mod agree;

use agree::{ALL, check};
use std::sync::Arc;
use wengert_core::Program;
use wengert_cpu::Rewrites;
use wengert_testing::{Choices, random_values};

/// How often each rewrite is made in a program.
fn made(text: &str) -> Vec<(&'static str, usize)> {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let mut made = Vec::new();
    Rewrites::ALL.rewrite(&program, |rewrite, _, count| made.push((rewrite.as_str(), count)));
    made
}

/// Checks a program on numbers that are no round ones.
fn check_text(text: &str) {
    let program = Arc::new(Program::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}")));
    let numbers: Vec<u16> = (0..2000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), false);
    check(&program, &x, &ALL).unwrap_or_else(|m| panic!("{m}"));
}

#[test]
fn transposes_around_products_go() {
    let text = "program (a: f32[5,30], b: f32[30,40], c: f32[2,30,9], d: f32[2,9,7]) {
      t: f32[30,5] = transpose[perm=[1, 0]](a)
      p: f32[5,40] = dot_general[contract=([0], [0]), batch=([], [])](t, b)
      q: f32[40,5] = transpose[perm=[1, 0]](p)
      r: f32[2,30,7] = dot_general[contract=([2], [1]), batch=([0], [0])](c, d)
      s: f32[2,7,30] = transpose[perm=[0, 2, 1]](r)
      u: f32[2,9,30] = transpose[perm=[0, 2, 1]](c)
      v: f32[2,30,7] = dot_general[contract=([1], [1]), batch=([0], [0])](u, d)
      w: f32[30,2,7] = transpose[perm=[1, 0, 2]](v)
      return q, s, w
    }";
    check_text(text);
    assert_eq!(made(text), [("transposed_products", 4)]);
    // Products that something else reads stay as they are.
    let text = "program (a: f32[5,30], b: f32[30,40]) {
      p: f32[5,40] = dot_general[contract=([1], [0]), batch=([], [])](a, b)
      q: f32[40,5] = transpose[perm=[1, 0]](p)
      return q, p
    }";
    check_text(text);
    assert_eq!(made(text), []);
}

#[test]
fn a_matrix_that_a_loop_reads_across_is_transposed_before_it() {
    let text = "program (w: f32[20,30], x: f32[6,30], s: f32[4,6,20]) {
      y: f32[6,30], z: f32[4,6,20] = scan[length=4, consts=1, carries=1, reverse=false, body=program (w: f32[20,30], x: f32[6,30], s: f32[6,20]) {
        p: f32[6,20] = dot_general[contract=([1], [1]), batch=([], [])](x, w)
        q: f32[6,20] = add(p, s)
        r: f32[6,30] = dot_general[contract=([1], [0]), batch=([], [])](q, w)
        return r, q
      }](w, x, s)
      return y, z
    }";
    check_text(text);
    assert_eq!(made(text), [("transposed_products", 1)]);
}
