//! Ops that hold programs: values, derivatives and batching.

mod custom;
mod implicit;

use crate::ops::common::*;
use std::sync::Arc;
use wengert_core::ops::{Call, CallKind, Cond};
use wengert_core::run::Device;
use wengert_core::simplify::{shrink_residuals, simplify};
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Builder, DType, Tensor, Type};
use wengert_eval::{Eval, run};

const COND: &str = "program (p: bool[], x: f64[2], y: f64[]) {
  a: f64[2], b: f64[] = cond[branches=[program (x: f64[2], y: f64[]) {
    %2: f64[2] = sin(x)
    return %2, y
  }, program (x: f64[2], y: f64[]) {
    %2: f64[2] = mul(x, x)
    %3: f64[2] = broadcast[shape=[2], dims=[]](y)
    %4: f64[2] = mul(%2, %3)
    %5: f64[] = constant[value=1.0:f64[]]()
    return %4, %5
  }]](p, x, y)
  return a, b
}
";

#[test]
fn cond_by_bool() {
    for p in [0.0, 1.0] {
        check_op(COND, &[tensor("bool[]", &[p]), random("f64[2]", 1), random("f64[]", 2)]);
    }
}

#[test]
fn cond_by_index() {
    let text = "program (i: i32[], x: f64[]) {
      y: f64[] = cond[branches=[program (x: f64[]) {
        %1: f64[] = sin(x)
        return %1
      }, program (x: f64[]) {
        %1: f64[] = exp(x)
        %2: f64[] = mul(%1, x)
        return %2
      }, program (x: f64[]) {
        return x
      }]](i, x)
      return y
    }";
    for i in [-1.0, 0.0, 1.0, 2.0, 7.0] {
        check_op(text, &[tensor("i32[]", &[i]), random("f64[]", 3)]);
    }
    let at = |i: f64| reals(&eval(text, &[tensor("i32[]", &[i]), tensor("f64[]", &[0.5])])[0])[0];
    assert_eq!((at(-3.0), at(9.0)), (at(0.0), at(2.0)));
}

/// `x ← sin(x)·w` until it is small or five steps have been taken.
const WHILE: &str = "program (w: f64[], x: f64[2]) {
  %2: i32[] = constant[value=0:i32[]]()
  i: i32[], y: f64[2] = while[consts=1, cond=program (w: f64[], i: i32[], x: f64[2]) {
    %3: f64[] = reduce[combiner=max, dims=[0]](x)
    %5: bool[] = compare[direction=gt](%3, 0.3:f64[])
    %7: bool[] = compare[direction=lt](i, 5:i32[])
    %8: bool[] = and(%5, %7)
    return %8
  }, body=program (w: f64[], i: i32[], x: f64[2]) {
    %3: f64[2] = sin(x)
    %4: f64[2] = broadcast[shape=[2], dims=[]](w)
    %5: f64[2] = mul(%3, %4)
    %7: i32[] = add(i, 1:i32[])
    return %7, %5
  }](w, %2, x)
  return i, y
}
";

/// A recurrent network: a scan that shares its weights among the steps, and gives a value at each.
const RECURRENT: &str = "program (w: f64[2,2], h0: f64[2], xs: f64[3,2]) {
  h: f64[2], ys: f64[3] = scan[length=3, consts=1, carries=1, reverse=false, body=program (w: f64[2,2], h: f64[2], x: f64[2]) {
    %3: f64[2] = dot_general[contract=([1], [0]), batch=([], [])](w, h)
    %4: f64[2] = add(%3, x)
    %5: f64[2] = tanh(%4)
    %6: f64[] = reduce[combiner=add, dims=[0]](%5)
    return %5, %6
  }](w, h0, xs)
  %5: f64[] = reduce[combiner=add, dims=[0]](ys)
  %6: f64[] = reduce[combiner=max, dims=[0]](h)
  %8: f64[] = mul(%6, 3.0:f64[])
  %9: f64[] = add(%5, %8)
  return %9
}
";

#[test]
fn scan() {
    check_op(RECURRENT, &[random("f64[2,2]", 1), random("f64[2]", 2), random("f64[3,2]", 3)]);
}

#[test]
fn while_loop() {
    for x in [[0.9, 0.5], [0.1, 0.2], [-0.4, 1.4]] {
        check_op(WHILE, &[tensor("f64[]", &[0.8]), tensor("f64[2]", &x)]);
    }
}

#[test]
fn custom_jvp() {
    // The rule of `exp(x)·n`, off by a factor of 3 to tell it from the true one.
    let text = "program (x: f64[2], n: i32[]) {
      y: f64[2], m: i32[] = custom_jvp[program=program (x: f64[2], n: i32[]) {
        %2: f64[2] = exp(x)
        return %2, n
      }, rule=program (x: f64[2], n: i32[], t: f64[2]) {
        y: f64[2], u: f64[2] = call[program=program (x: f64[2], t: f64[2]) {
          %2: f64[2] = exp(x)
          %3: f64[2] = mul(%2, t)
          %5: f64[2] = mul(%3, 3.0:f64[2])
          return %2, %5
        }, kind=staged](x, t)
        return y, n, u
      }](x, n)
      return y, m
    }";
    let p = parse(text);
    check_text(&p);
    let x = [tensor("f64[2]", &[0.5, -1.0]), tensor("i32[]", &[4.0])];
    check_batch(&p, &x);
    let (forward, moving) = jvp(&p, &[true, false]).unwrap();
    assert_eq!(moving, [true, false]);
    let one = tensor("f64[2]", &[1.0, 1.0]);
    let expected = tensor("f64[2]", &[3.0 * 0.5f64.exp(), 3.0 * (-1f64).exp()]);
    let args = [&x[..], &[one]].concat();
    close(&run(&forward, args.clone()).unwrap()[2], &expected, 1e-12, &|| "jvp".into());
    let back = vjp(&p, &[true, false]).unwrap();
    close(&run(&back, args.clone()).unwrap()[2], &expected, 1e-12, &|| "vjp".into());
    // The rule is differentiated like any program, and the values keep it.
    let second = vjp(&back, &[true, false, false]).unwrap();
    let args = [&args[..], &[tensor("f64[2]", &[1.0, 1.0]), tensor("f64[2]", &[0.0, 0.0])]].concat();
    let y = run(&second, args.clone()).unwrap();
    close(y.last().unwrap(), &expected, 1e-12, &|| format!("{second}"));
    check_batch(&second, &args);
}

#[test]
fn custom_vjp() {
    // The cotangent of x·y in x, clipped to 1, and of y as it is.
    let text = "program (x: f64[2], y: f64[]) {
      z: f64[2] = custom_vjp[program=program (x: f64[2], y: f64[]) {
        %2: f64[2] = broadcast[shape=[2], dims=[]](y)
        %3: f64[2] = mul(x, %2)
        return %3
      }, forward=program (x: f64[2], y: f64[]) {
        %2: f64[2] = broadcast[shape=[2], dims=[]](y)
        %3: f64[2] = mul(x, %2)
        return %3, x, %2
      }, backward=program (x: f64[2], y: f64[2], ct: f64[2]) {
        %3: f64[2] = mul(y, ct)
        %5: f64[2] = min(%3, 1.0:f64[2])
        %6: f64[2] = mul(x, ct)
        %7: f64[] = reduce[combiner=add, dims=[0]](%6)
        return %5, %7
      }](x, y)
      %3: f64[2] = sin(z)
      return %3
    }";
    let p = parse(text);
    check_text(&p);
    let x = [tensor("f64[2]", &[0.5, -1.0]), tensor("f64[]", &[1.5])];
    check_batch(&p, &x);
    let e = jvp(&p, &[true, true]).unwrap_err().to_string();
    assert!(e.contains("only the reverse derivative") && e.contains("custom_jvp"), "{e}");
    let back = vjp(&p, &[true, true]).unwrap();
    let args = [&x[..], &[tensor("f64[2]", &[2.0, 2.0])]].concat();
    let [c0, c1] = [0.75f64, -1.5].map(|z| 2.0 * z.cos());
    let y = run(&back, args.clone()).unwrap();
    close(&y[1], &tensor("f64[2]", &[(1.5 * c0).min(1.0), 1.5 * c1]), 1e-12, &|| "x".into());
    close(&y[2], &tensor("f64[]", &[0.5 * c0 - c1]), 1e-12, &|| "y".into());
    check_batch(&back, &args);
    check_derivatives(&back, &args);
    // Batching first and then differentiating is the same as the other way round.
    for batched in [[true, false], [false, true], [true, true]] {
        let (over, _) = batch(&p, 3, None, &batched, &[true]).unwrap();
        let wide = |t: &Tensor| {
            let shape = t.shape().with_axis(0, 3);
            let elements: Vec<f64> = (0..shape.size()).map(|i| 0.3 * i as f64 - 0.4).collect();
            Tensor::new(shape, elements).unwrap()
        };
        let mut args: Vec<Tensor> = x.iter().zip(batched).map(|(x, on)| if on { wide(x) } else { x.clone() }).collect();
        args.push(wide(&tensor("f64[2]", &[0.0, 0.0])));
        let first = run(&vjp(&over, &[true, true]).unwrap(), args.clone()).unwrap();
        let (back, _) = batch(&back, 3, None, &[batched[0], batched[1], true], &[true; 3]).unwrap();
        let then = run(&back, args).unwrap();
        for (i, on) in batched.into_iter().enumerate() {
            let (mut t, ty) = (then[i + 1].clone(), x[i].ty());
            if !on {
                let (n, v) = (ty.shape.size(), reals(&t));
                let sums = (0..n).map(|k| v.iter().skip(k).step_by(n).sum()).collect();
                t = Tensor::new::<f64>(ty.shape, sums).unwrap();
            }
            close(&first[i + 1], &t, 1e-12, &|| format!("input {i}, batched {batched:?}"));
        }
    }
}

#[test]
fn checkpoint_recomputes() {
    let text = "program (x: f64[2], w: f64[2]) {
      y: f64[2] = call[program=program f(x: f64[2], w: f64[2]) {
        %2: f64[2] = mul(x, w)
        %3: f64[2] = sin(%2)
        %4: f64[2] = call[program=program g(x: f64[2]) {
          %1: f64[2] = exp(x)
          return %1
        }, kind=staged](%3)
        %5: f64[2] = mul(%4, x)
        return %5
      }, kind=checkpoint](x, w)
      return y
    }";
    check_op(text, &[random("f64[2]", 1), random("f64[2]", 2)]);
    // Nothing but the inputs goes from the forward call to the backward one.
    let back = vjp(&parse(text), &[true, true]).unwrap();
    let calls: Vec<_> = back.equations().iter().filter(|e| matches!(e.op, wengert_core::Op::Call(_))).collect();
    assert_eq!(calls.len(), 2, "{back}");
    assert!(calls[1].inputs.iter().all(|v| back.inputs().contains(v)), "{back}");
}

/// `n` steps of `x ← sin(x)·w + c`, all of them values.
const STEPS: &str = "program (n: i32[], w: f64[], c: f64[], x: f64[]) {
  i: i32[], y: f64[] = while[consts=3, cond=program (n: i32[], w: f64[], c: f64[], i: i32[], x: f64[]) {
    %5: bool[] = compare[direction=lt](i, n)
    return %5
  }, body=program (n: i32[], w: f64[], c: f64[], i: i32[], x: f64[]) {
    %5: f64[] = sin(x)
    %6: f64[] = mul(%5, w)
    %7: f64[] = add(%6, c)
    %9: i32[] = add(i, 1:i32[])
    return %9, %7
  }](n, w, c, 0:i32[], x)
  return y
}
";

#[test]
fn while_backward_over_any_number_of_steps() {
    let back = vjp(&parse(STEPS), &[false, true, true, true]).unwrap();
    for n in [0, 1, 2, 30, 31, 32, 33, 34, 35, 100, 561, 562, 1500] {
        let (w, c) = (1.1f64, 0.3);
        // The same by hand, forward.
        let (mut x, mut d) = (0.7f64, [0.0, 0.0, 1.0]);
        for _ in 0..n {
            let (s, slope) = (x.sin(), w * x.cos());
            d = [slope * d[0] + s, slope * d[1] + 1.0, slope * d[2]];
            x = w * s + c;
        }
        let args =
            vec![Tensor::scalar(n), Tensor::scalar(w), Tensor::scalar(c), Tensor::scalar(0.7), Tensor::scalar(1.0)];
        let y = run(&back, args).unwrap();
        for (y, expected) in y.iter().zip([x, d[0], d[1], d[2]]) {
            close(y, &Tensor::scalar(expected), 1e-12, &|| format!("{n} steps"));
        }
    }
}

#[test]
fn while_backward_of_nested_loops() {
    // An inner loop until the value exceeds 2, within an outer loop of three steps.
    let text = "program (w: f64[], x: f64[]) {
      %2: i32[] = constant[value=0:i32[]]()
      i: i32[], y: f64[] = while[consts=1, cond=program (w: f64[], i: i32[], x: f64[]) {
        %4: bool[] = compare[direction=lt](i, 3:i32[])
        return %4
      }, body=program (w: f64[], i: i32[], x: f64[]) {
        y: f64[] = while[consts=1, cond=program (w: f64[], x: f64[]) {
          %3: bool[] = compare[direction=lt](x, 2.0:f64[])
          return %3
        }, body=program (w: f64[], x: f64[]) {
          %2: f64[] = mul(x, w)
          %4: f64[] = add(%2, 0.1:f64[])
          return %4
        }](w, x)
        %4: f64[] = log(y)
        %5: f64[] = mul(%4, x)
        %7: i32[] = add(i, 1:i32[])
        return %7, %5
      }](w, %2, x)
      return y
    }";
    let x = [tensor("f64[]", &[1.3]), tensor("f64[]", &[0.6])];
    let p = parse(text);
    check_batch(&p, &x);
    let (back, args) = check_derivatives(&p, &x);
    check_batch(&back, &args);
    check_derivatives(&back, &args);
}

#[test]
fn while_over_complex_and_empty_carries() {
    let text = "program (z: c128[], e: f64[0]) {
      i: i32[], y: c128[], f: f64[0] = while[consts=0, cond=program (i: i32[], z: c128[], e: f64[0]) {
        p: bool[] = compare[direction=lt](i, 2:i32[])
        return p
      }, body=program (i: i32[], z: c128[], e: f64[0]) {
        y: c128[] = sin(z)
        f: f64[0] = exp(e)
        j: i32[] = add(i, 1:i32[])
        return j, y, f
      }](0:i32[], z, e)
      return y, f
    }";
    check_op(text, &[random("c128[]", 1), random("f64[0]", 2)]);
}

#[test]
fn while_third_order() {
    let p = parse(WHILE);
    let x = [tensor("f64[]", &[0.8]), tensor("f64[2]", &[0.9, 0.5])];
    let (back, args) = check_derivatives(&p, &x);
    let (again, args) = check_derivatives(&back, &args);
    check_derivatives(&again, &args);
}

#[test]
fn carry_of_another_type_is_refused() {
    let e = refused(
        "program (x: f64[]) {
          y: f64[] = while[consts=0, cond=program (x: f64[]) {
            %2: bool[] = compare[direction=lt](x, 1.0:f64[])
            return %2
          }, body=program (x: f64[]) {
            %1: f32[] = convert[dtype=f32](x)
            return %1
          }](x)
          return y
        }",
    );
    assert!(e.contains("starts as f64[] and the body gives f32[]"), "{e}");
}

/// Checks `f(x)` in a scan over two steps, in a while loop of two steps, in a branch and in a checkpoint: whatever holds
/// a program takes whatever can be in it.
#[track_caller]
fn check_within(f: &str) {
    for text in within(f) {
        check_op(&text, &[tensor("f64[]", &[0.4])]);
    }
}

fn within(f: &str) -> [String; 4] {
    let body = f.replace('\n', "\n      ");
    [
        format!(
            "program (x: f64[]) {{
              y: f64[], ys: f64[2] = scan[length=2, consts=0, carries=1, reverse=false, body=program (x: f64[]) {{
                {body}
                return y, y
              }}](x)
              z: f64[] = reduce[combiner=add, dims=[0]](ys)
              return y, z
            }}"
        ),
        format!(
            "program (x: f64[]) {{
              i: i32[], y: f64[] = while[consts=0, cond=program (i: i32[], x: f64[]) {{
                %3: bool[] = compare[direction=lt](i, 2:i32[])
                return %3
              }}, body=program (i: i32[], x: f64[]) {{
                {body}
                j: i32[] = add(i, 1:i32[])
                return j, y
              }}](0:i32[], x)
              return y
            }}"
        ),
        format!(
            "program (x: f64[]) {{
              p: bool[] = compare[direction=gt](x, 0.41:f64[])
              y: f64[] = cond[branches=[program (x: f64[]) {{
                {body}
                return y
              }}, program (x: f64[]) {{
                return x
              }}]](p, x)
              return y
            }}"
        ),
        format!(
            "program (x: f64[]) {{
              y: f64[] = call[program=program (x: f64[]) {{
                {body}
                return y
              }}, kind=checkpoint](x)
              return y
            }}"
        ),
    ]
}

#[test]
fn programs_within_programs() {
    check_within(
        "y: f64[], ys: f64[2] = scan[length=2, consts=0, carries=1, reverse=false, body=program (x: f64[]) {
          y: f64[] = sin(x)
          return y, x
        }](x)",
    );
    check_within(
        "y: f64[] = while[consts=0, cond=program (x: f64[]) {
          p: bool[] = compare[direction=lt](x, 2.0:f64[])
          return p
        }, body=program (x: f64[]) {
          y: f64[] = exp(x)
          return y
        }](x)",
    );
    check_within(
        "k: i32[] = convert[dtype=i32](x)
        y: f64[] = cond[branches=[program (x: f64[]) {
          y: f64[] = sin(x)
          return y
        }, program (x: f64[]) {
          return x
        }]](k, x)",
    );
    check_within(
        "y: f64[] = call[program=program (x: f64[]) {
          %1: f64[] = sin(x)
          y: f64[] = mul(%1, x)
          return y
        }, kind=checkpoint](x)",
    );
    check_within(
        "y: f64[] = custom_jvp[program=program (x: f64[]) {
          y: f64[] = sin(x)
          return y
        }, rule=program (x: f64[], t: f64[]) {
          y: f64[] = sin(x)
          %3: f64[] = cos(x)
          u: f64[] = mul(t, %3)
          return y, u
        }](x)",
    );
}

#[test]
fn custom_vjp_within_programs() {
    let custom = "y: f64[] = custom_vjp[program=program (x: f64[]) {
      y: f64[] = sin(x)
      return y
    }, forward=program (x: f64[]) {
      y: f64[] = sin(x)
      d: f64[] = cos(x)
      return y, d
    }, backward=program (d: f64[], ct: f64[]) {
      c: f64[] = mul(d, ct)
      return c
    }](x)";
    let x = tensor("f64[]", &[0.4]);
    for (custom, plain) in within(custom).iter().zip(within("y: f64[] = sin(x)")) {
        let [custom, plain] = [custom, &plain].map(|text| vjp(&parse(text), &[true]).unwrap());
        let args: Vec<Tensor> = plain.inputs().iter().map(|_| x.clone()).collect();
        let [found, expected] = [&custom, &plain].map(|p| run(p, args.clone()).unwrap());
        for (y, e) in found.iter().zip(&expected) {
            close(y, e, 1e-12, &|| format!("{custom}"));
        }
        check_batch(&custom, &args);
        check_derivatives(&custom, &args);
    }
}

/// Members of a batch that stop at different times, and take different branches, differentiated.
#[test]
fn derivatives_of_batches() {
    let (over, _) = batch(&parse(WHILE), 3, None, &[false, true], &[true; 2]).unwrap();
    let x = [tensor("f64[]", &[0.8]), tensor("f64[3,2]", &[0.9, 0.5, 0.1, 0.2, 0.3, 0.35])];
    let steps = reals(&run(&over, x.to_vec()).unwrap()[0]);
    assert!(steps[0] != steps[1] && steps[1] != steps[2], "{steps:?}");
    let (back, args) = check_derivatives(&over, &x);
    check_derivatives(&back, &args);
    let (over, _) = batch(&parse(COND), 2, None, &[true, true, false], &[true; 2]).unwrap();
    check_op(&over.to_text(), &[tensor("bool[2]", &[0.0, 1.0]), random("f64[2,2]", 1), random("f64[]", 2)]);
}

#[test]
fn simplified_loops_compute_the_same() {
    for (text, x) in [
        (WHILE, vec![tensor("f64[]", &[0.8]), tensor("f64[2]", &[0.9, 0.5])]),
        (COND, vec![tensor("bool[]", &[1.0]), random("f64[2]", 1), random("f64[]", 2)]),
    ] {
        let mut p = parse(text);
        let mut args = x;
        for _ in 0..3 {
            let small = simplify(&p);
            for (y, e) in run(&small, args.clone()).unwrap().iter().zip(run(&p, args.clone()).unwrap()) {
                close(y, &e, 1e-12, &|| format!("{small}"));
            }
            let wrt: Vec<bool> = small.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
            let outputs = small.output_types().into_iter().filter(|t| t.dtype.is_differentiable());
            args.extend(outputs.map(|t| random(&t.to_string(), 7)));
            p = vjp(&small, &wrt).unwrap();
        }
    }
}

/// A gradient with fewer residuals gives the same to the bit: gates of a product, with a carry beside them.
#[test]
fn shrinking_residuals_changes_no_bit() {
    let p = parse(
        "program (w: f32[4,8], c: f32[2,4], xs: f32[9,2,4]) {
  y: f32[2,4], hs: f32[9,2,4] = scan[length=9, consts=1, carries=1, reverse=false,
    body=program (w: f32[4,8], c: f32[2,4], x: f32[2,4]) {
      z: f32[2,8] = dot_general[contract=([1], [0]), batch=([], [])](x, w)
      a: f32[2,4] = slice[start=[0, 0], limit=[2, 4], strides=[1, 1]](z)
      b: f32[2,4] = slice[start=[0, 4], limit=[2, 8], strides=[1, 1]](z)
      i: f32[2,4] = logistic(a)
      g: f32[2,4] = tanh(b)
      k: f32[2,4] = mul(i, c)
      n: f32[2,4] = add(k, g)
      h: f32[2,4] = tanh(n)
      return n, h
    }](w, c, xs)
  return y, hs
}",
    );
    let back = simplify(&vjp(&p, &[true; 3]).unwrap());
    let less = shrink_residuals(&back);
    let stacked = |p: &wengert_core::Program| p.equations().iter().map(|e| e.outputs.len()).max();
    assert_eq!((stacked(&back), stacked(&less)), (Some(7), Some(4)), "{less}");
    let types = ["f32[4,8]", "f32[2,4]", "f32[9,2,4]", "f32[2,4]", "f32[9,2,4]"];
    let inputs: Vec<Tensor> = (0..).zip(types).map(|(seed, ty)| random(ty, seed)).collect();
    assert_eq!(run(&less, inputs.clone()).unwrap(), run(&back, inputs).unwrap());
}

/// Programs that hold another twice, forty deep: planned once each, and a branch that is not taken costs nothing.
#[test]
fn shared_programs_are_planned_once() {
    let mut p = parse("program f(x: f64[]) { y: f64[] = sin(x) return y }");
    for _ in 0..40 {
        let held = Call { kind: CallKind::Staged, program: Arc::new(p) };
        let mut b = Builder::new();
        let x = b.input(Type::scalar(DType::F64));
        let y = b.one(held.clone(), &[x]);
        let z = b.one(held, &[y]);
        p = b.finish(&[z]);
    }
    let mut b = Builder::new();
    let (i, x) = (b.input(Type::scalar(DType::I32)), b.input(Type::scalar(DType::F64)));
    let same = parse("program (x: f64[]) { return x }");
    let y = b.one(Cond { branches: vec![Arc::new(same), Arc::new(p)] }, &[i, x]);
    let plan = Eval::PLAIN.compile(Arc::new(b.finish(&[y])), &[]).unwrap();
    assert_eq!(reals(&plan.run_on_host(vec![tensor("i32[]", &[0.0]), tensor("f64[]", &[3.0])]).unwrap()[0]), [3.0]);
}
