//! Products whose rows go on into loops while they are near, and into products after those.

use crate::agree::{ALL, check_text, same};
use std::sync::Arc;
use wengert_core::run::Device;
use wengert_core::{Program, Tensor};
use wengert_cpu::{Cpu, Rewrites};

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
            assert!(same(&expected[0], &y[0]), "{native:?}, {small}, {threads} threads");
        }
    }
}
