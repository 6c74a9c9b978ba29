//! Products whose rows go on into loops while they are near, and into products after those.

use crate::agree::{ALL, check_text};
use std::sync::Arc;
use wengert_core::run::Device;
use wengert_core::{Program, Tensor};
use wengert_cpu::{Cpu, Rewrites};
use wengert_testing::same_bits;

/// What is computed of the elements of a product: bias, activation, residual, sums of rows and of columns.
#[test]
fn ends_of_products() {
    for dtype in ["f32", "f64", "bf16"] {
        check_text(&format!(
            "program (x: {dtype}[3,14,9], w: {dtype}[9,11], v: {dtype}[11,9], b: {dtype}[11], r: {dtype}[3,14,11]) {{
              p: {dtype}[3,14,11] = dot_general[contract=([2], [0]), batch=([], [])](x, w)
              a: {dtype}[3,14,11] = broadcast[shape=[3,14,11], dims=[2]](b)
              c: {dtype}[3,14,11] = add(p, a)
              d: {dtype}[3,14,11] = tanh(c)
              e: {dtype}[3,14,11] = add(d, r)
              s: {dtype}[3,14] = reduce[combiner=add, dims=[2]](e)
              t: {dtype}[11] = reduce[combiner=add, dims=[0,1]](e)
              q: {dtype}[3,14,11] = dot_general[contract=([2], [1]), batch=([], [])](x, v)
              f: {dtype}[3,14,11] = mul(q, p)
              m: {dtype}[3] = reduce[combiner=max, dims=[1,2]](f)
              g: {dtype}[11,3,14] = transpose[perm=[2,0,1]](q)
              h: {dtype}[11,3,14] = exp(g)
              return e, s, t, f, m, h
            }}"
        ));
    }
}

/// The operand that a product reads is not overwritten by what is computed of it.
#[test]
fn residuals_of_the_operand_itself() {
    check_text(
        "program (x: f32[40,12], w: f32[12,12]) {
          y: f32[40,12] = exp(x)
          p: f32[40,12] = dot_general[contract=([1], [0]), batch=([], [])](y, w)
          z: f32[40,12] = add(y, p)
          q: f32[40,12] = dot_general[contract=([1], [1]), batch=([], [])](z, w)
          u: f32[40,12] = sub(z, q)
          return u
        }",
    );
}

/// Attention: scores are normalized and used row by row, with a mask or without; others may read them too.
#[test]
fn products_of_normalized_rows() {
    for (extra, results) in
        [("", "o"), ("g: f32[2,3,10,10] = mul(n, n)", "o, g"), ("y: f32[2,3,10,10] = neg(p)", "o, y")]
    {
        for after in [
            "o: f32[2,3,10,5] = dot_general[contract=([3], [2]), batch=([0, 1], [0, 1])](n, v)",
            // As JAX writes it where heads come after tokens.
            "c: f32[2,3,5,10] = dot_general[contract=([2], [3]), batch=([0, 1], [0, 1])](v, n)
             o: f32[2,10,3,5] = transpose[perm=[0,3,1,2]](c)",
        ] {
            check_text(&format!(
                "program (q: f32[2,3,10,6], k: f32[2,3,10,6], v: f32[2,3,10,5], m: bool[10,10]) {{
                  p: f32[2,3,10,10] = dot_general[contract=([3], [3]), batch=([0, 1], [0, 1])](q, k)
                  w: bool[2,3,10,10] = broadcast[shape=[2,3,10,10], dims=[2,3]](m)
                  l: f32[2,3,10,10] = broadcast[shape=[2,3,10,10], dims=[]](-1e9:f32[])
                  s: f32[2,3,10,10] = select(w, p, l)
                  a: f32[2,3,10] = reduce[combiner=max, dims=[3]](s)
                  b: f32[2,3,10,10] = broadcast[shape=[2,3,10,10], dims=[0,1,2]](a)
                  d: f32[2,3,10,10] = sub(s, b)
                  e: f32[2,3,10,10] = exp(d)
                  t: f32[2,3,10] = reduce[combiner=add, dims=[3]](e)
                  u: f32[2,3,10,10] = broadcast[shape=[2,3,10,10], dims=[0,1,2]](t)
                  n: f32[2,3,10,10] = div(e, u)
                  {extra}
                  {after}
                  return {results}
                }}"
            ));
        }
    }
}

/// A gradient of attention of these sizes (matrices, rows, columns, products of a score, columns of values), with the last
/// products in this order, and these results.
fn gradient(dtype: &str, [b, t, s, d, e]: [usize; 5], last: [&str; 3], results: &str) -> String {
    let products = last.map(|name| match name {
        "v" => format!("dv: {dtype}[{b},{s},{e}] = dot_general[contract=([1], [1]), batch=([0], [0])](n, g)"),
        // The same with the rows on the right.
        "w" => format!("dv: {dtype}[{b},{e},{s}] = dot_general[contract=([1], [1]), batch=([0], [0])](g, n)"),
        "k" => format!("dk: {dtype}[{b},{s},{d}] = dot_general[contract=([1], [1]), batch=([0], [0])](z, q)"),
        _ => format!("dq: {dtype}[{b},{t},{d}] = dot_general[contract=([2], [1]), batch=([0], [0])](z, k)"),
    });
    // The cotangent of the values does not need that of the scores.
    let (first, last) = products.split_at(if matches!(last[0], "v" | "w") { 1 } else { 0 });
    let (first, last) = (first.join("\n"), last.join("\n"));
    format!(
        "program (q: {dtype}[{b},{t},{d}], k: {dtype}[{b},{s},{d}], v: {dtype}[{b},{s},{e}], m: bool[{t},{s}]) {{
          p: {dtype}[{b},{t},{s}] = dot_general[contract=([2], [2]), batch=([0], [0])](q, k)
          w: bool[{b},{t},{s}] = broadcast[shape=[{b},{t},{s}], dims=[1,2]](m)
          l: {dtype}[{b},{t},{s}] = broadcast[shape=[{b},{t},{s}], dims=[]](-9:{dtype}[])
          s: {dtype}[{b},{t},{s}] = select(w, p, l)
          a: {dtype}[{b},{t}] = reduce[combiner=max, dims=[2]](s)
          c: {dtype}[{b},{t},{s}] = broadcast[shape=[{b},{t},{s}], dims=[0,1]](a)
          i: {dtype}[{b},{t},{s}] = sub(s, c)
          e: {dtype}[{b},{t},{s}] = exp(i)
          h: {dtype}[{b},{t}] = reduce[combiner=add, dims=[2]](e)
          u: {dtype}[{b},{t},{s}] = broadcast[shape=[{b},{t},{s}], dims=[0,1]](h)
          n: {dtype}[{b},{t},{s}] = div(e, u)
          o: {dtype}[{b},{t},{e}] = dot_general[contract=([2], [1]), batch=([0], [0])](n, v)
          g: {dtype}[{b},{t},{e}] = sin(o)
          {first}
          f: {dtype}[{b},{t},{s}] = dot_general[contract=([2], [2]), batch=([0], [0])](g, v)
          j: {dtype}[{b},{t},{s}] = mul(f, n)
          r: {dtype}[{b},{t}] = reduce[combiner=add, dims=[2]](j)
          x: {dtype}[{b},{t},{s}] = broadcast[shape=[{b},{t},{s}], dims=[0,1]](r)
          y: {dtype}[{b},{t},{s}] = sub(f, x)
          z: {dtype}[{b},{t},{s}] = mul(y, e)
          {last}
          return {results}
        }}"
    )
}

/// Gradients of attention: products over the rows of scores are added piece by piece, and scores are computed again.
#[test]
fn products_over_rows() {
    for last in [["v", "k", "q"], ["w", "q", "k"], ["k", "v", "q"]] {
        check_text(&gradient("f32", [3, 10, 9, 6, 5], last, "dq, dk, dv"));
    }
    check_text(&gradient("f64", [2, 9, 12, 6, 5], ["w", "k", "q"], "dq, dk, dv"));
    check_text(&gradient("bf16", [2, 9, 12, 6, 5], ["v", "k", "q"], "dq, dk, dv"));
    // Sums of several chains.
    check_text(&gradient("f32", [1, 801, 7, 3, 2], ["v", "k", "q"], "dq, dk, dv"));
}

/// Others read the scores too, or what is made of them, before and after.
#[test]
fn scores_of_gradients_that_are_results() {
    for results in ["dq, dk, dv, n", "dk, e, dv", "dq, dv, z", "p, dk, dq, dv", "o, dk, j"] {
        check_text(&gradient("f32", [2, 10, 9, 6, 5], ["v", "k", "q"], results));
    }
}

/// A result that goes over a donated operand is written when the product no longer reads that.
#[test]
fn results_over_donated_operands() {
    let text = "program (x: f32[40,12], w: f32[12,12]) {
      p: f32[40,12] = dot_general[contract=([1], [0]), batch=([], [])](x, w)
      y: f32[40,12] = add(x, p)
      q: f32[40,12] = dot_general[contract=([1], [1]), batch=([], [])](y, w)
      z: f32[40,12] = sub(y, q)
      return z
    }";
    let program = Arc::new(Program::parse(text).unwrap());
    let array = |rows: usize| {
        let numbers = (0..rows * 12).map(|i| (i as f32 * 0.37).sin()).collect::<Vec<f32>>();
        Tensor::new([rows, 12], numbers).unwrap()
    };
    let expected = wengert_eval::run(&program, vec![array(40), array(12)]).unwrap();
    for &(native, small, threads) in &ALL {
        let cpu = Cpu::with(native).with_scalars_up_to(small).with_threads(threads, 0).with_rewrites(Rewrites::NONE);
        let compiled = cpu.compile(program.clone(), &[true, true]).unwrap();
        for _ in 0..2 {
            let y = compiled.run_on_host(vec![array(40), array(12)]).unwrap();
            assert!(same_bits(&expected[0], &y[0]), "{native:?}, {small}, {threads} threads");
        }
    }
}
