//! Products of all sizes, the rewrite that takes transposes off them, and small solves.

use crate::agree::{check_text, check_values_stay, made};
use wengert_cpu::Rewrites;

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
    assert_eq!(made(text, Rewrites::ALL), [("transposed_products", 4)]);
    // Products that something else reads stay as they are.
    let text = "program (a: f32[5,30], b: f32[30,40]) {
      p: f32[5,40] = dot_general[contract=([1], [0]), batch=([], [])](a, b)
      q: f32[40,5] = transpose[perm=[1, 0]](p)
      return q, p
    }";
    check_text(text);
    assert_eq!(made(text, Rewrites::ALL), []);
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
    assert_eq!(made(text, Rewrites::ALL), [("transposed_products", 1)]);
}

#[test]
fn products_of_all_sizes_and_layouts() {
    for (m, n, k) in
        [(1, 1, 5), (1, 1, 300), (1, 40, 30), (33, 1, 20), (3, 4, 50), (4, 4, 4), (2, 30, 17), (17, 20, 40), (9, 50, 3)]
    {
        for dtype in ["f32", "f64", "bf16", "i32"] {
            check_text(&format!(
                "program (a: {dtype}[{m},{k}], b: {dtype}[{k},{n}], c: {dtype}[{n},{k}], d: {dtype}[{k},{m}]) {{
                  p: {dtype}[{m},{n}] = dot_general[contract=([1], [0]), batch=([], [])](a, b)
                  q: {dtype}[{m},{n}] = dot_general[contract=([1], [1]), batch=([], [])](a, c)
                  r: {dtype}[{m},{n}] = dot_general[contract=([0], [0]), batch=([], [])](d, b)
                  s: {dtype}[{n},{m}] = dot_general[contract=([1], [0]), batch=([], [])](c, d)
                  t: {dtype}[{m},{n}] = add(p, q)
                  u: {dtype}[{m},{n}] = mul(t, r)
                  return p, q, r, s, u
                }}"
            ));
        }
    }
    for dtype in ["f32", "f64", "f16"] {
        check_text(&format!(
            "program (a: {dtype}[2,5,3,4], b: {dtype}[4,5,6,3], c: {dtype}[3,70,2], d: {dtype}[70,3,2]) {{
              p: {dtype}[5,2,6] = dot_general[contract=([2, 3], [3, 0]), batch=([1], [1])](a, b)
              q: {dtype}[3,2,2] = dot_general[contract=([1], [0]), batch=([0], [1])](c, d)
              return p, q
            }}"
        ));
    }
}

#[test]
fn triangular_solves_and_cholesky_of_small_matrices() {
    for (dtype, n) in [("f32", 1), ("f32", 3), ("f64", 4), ("f64", 8), ("f32", 9), ("bf16", 3)] {
        for (left, lower, unit, transpose) in [
            (true, true, false, "no"),
            (true, false, true, "no"),
            (false, true, false, "transpose"),
            (false, false, false, "no"),
        ] {
            let (l, r) = if left { (n, 2) } else { (2, n) };
            check_text(&format!(
                "program (a: {dtype}[{n},{n}], b: {dtype}[{l},{r}], c: {dtype}[2,{n},{n}], d: {dtype}[2,{l},{r}]) {{
                  x: {dtype}[{l},{r}] = triangular_solve[left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}](a, b)
                  y: {dtype}[2,{l},{r}] = triangular_solve[left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}](c, d)
                  s: {dtype}[{n},{n}] = dot_general[contract=([1], [1]), batch=([], [])](a, a)
                  z: {dtype}[{n},{n}] = cholesky[lower={lower}](s)
                  w: {dtype}[{n},{n}] = cholesky[lower={lower}](a)
                  return x, y, z, w
                }}"
            ));
        }
    }
}

/// Products of bytes go through floats where nothing is rounded, and are those of integers.
#[test]
fn of_bytes() {
    let text = |(a, b, k, out): (&str, &str, usize, &str)| {
        format!(
            "program (x: {a}[7,{k}], y: {b}[{k},20]) {{
              v: {out}[7,{k}] = convert[dtype={out}](x)
              w: {out}[{k},20] = convert[dtype={out}](y)
              z: {out}[7,20] = dot_general[contract=([1], [0]), batch=([], [])](v, w)
              s: {out}[7,{k}] = add(v, v)
              return z, s
            }}"
        )
    };
    for case in [("i8", "i8", 9, "i32"), ("i8", "u8", 500, "i64"), ("u8", "u8", 256, "i32")] {
        check_text(&text(case));
        check_values_stay(&text(case));
    }
    let large = text(("i8", "i8", 2000, "i32"));
    assert!(made(&large, Rewrites::ALL).is_empty());
    check_text(&large);
}
