//! Reductions, by name and by a program.

use crate::ops::common::*;
use wengert_core::Tensor;

#[test]
fn reductions() {
    for combiner in ["add", "max", "min", "mul"] {
        for (shape, dims, result) in
            [("f64[5]", "[0]", "f64[]"), ("f64[2,3,2]", "[2, 0]", "f64[3]"), ("f64[3,4]", "[0]", "f64[4]")]
        {
            let op = format!("reduce[combiner={combiner}, dims={dims}]");
            check_op(&format!("program (x: {shape}) {{\n y: {result} = {op}(x)\n return y\n}}"), &[random(shape, 8)]);
        }
    }
    let product = "program (x: f64[4]) {\n y: f64[] = reduce[combiner=mul, dims=[0]](x)\n return y\n}";
    // One zero, two zeros, and none: no division by an element.
    for x in [[2.0, 0.0, 3.0, 5.0], [2.0, 0.0, 0.0, 5.0], [2.0, 1.0, 3.0, 5.0]] {
        check_op(product, &[tensor("f64[4]", &x)]);
    }
    let back = wengert_core::transform::vjp(&parse(product), &[true]).unwrap();
    let g = wengert_eval::run(&back, vec![tensor("f64[4]", &[2.0, 0.0, 3.0, 5.0]), Tensor::scalar(1f64)]).unwrap();
    assert_eq!(reals(&g[1]), [0.0, 30.0, 0.0, 0.0]);
    check_op(
        "program (x: c128[3]) {\n y: c128[] = reduce[combiner=mul, dims=[0]](x)\n return y\n}",
        &[random("c128[3]", 9)],
    );
    check_op(
        "program (x: f64[0,2]) {\n y: f64[2] = reduce[combiner=mul, dims=[0]](x)\n return y\n}",
        &[random("f64[0,2]", 9)],
    );
}

#[test]
fn reductions_by_a_program() {
    // log Σ exp, and the affine maps x -> a x + b composed in order, which does not commute.
    let logsumexp = "program (x: f64[2,5], s: f64[]) {
      y: f64[2] = reduce[combiner=program (a: f64[], b: f64[]) {
        m: f64[] = max(a, b)
        p: f64[] = sub(a, m)
        q: f64[] = sub(b, m)
        e: f64[] = exp(p)
        f: f64[] = exp(q)
        g: f64[] = add(e, f)
        l: f64[] = log(g)
        r: f64[] = add(l, m)
        return r
      }, dims=[1]](x, s)
      return y
    }";
    check_op(logsumexp, &[random("f64[2,5]", 10), tensor("f64[]", &[-0.5])]);
    let compose = "program (a: f64[3,2], b: f64[3,2], a0: f64[], b0: f64[]) {
      c: f64[2], d: f64[2] = reduce[combiner=program (a: f64[], b: f64[], c: f64[], d: f64[]) {
        ac: f64[] = mul(a, c)
        bc: f64[] = mul(b, c)
        e: f64[] = add(bc, d)
        return ac, e
      }, dims=[0]](a, b, a0, b0)
      return c, d
    }";
    let inputs = [random("f64[3,2]", 11), random("f64[3,2]", 12), tensor("f64[]", &[1.0]), tensor("f64[]", &[0.0])];
    check_op(compose, &inputs);
}
