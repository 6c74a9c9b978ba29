//! Elementwise ops, reductions and contractions: derivatives and batching.

mod common;
use common::*;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{DType, Element, Tensor, f16};

/// Real arguments inside the domain of an op, away from where it jumps or bends.
fn domain(op: Unary) -> Vec<f64> {
    match op {
        Unary::Acosh => vec![1.3, 2.5, 7.0],
        Unary::Log | Unary::Sqrt | Unary::Rsqrt | Unary::Cbrt | Unary::Lgamma | Unary::Digamma => vec![0.4, 1.7, 3.1],
        Unary::Log1p => vec![-0.4, 0.2, 3.0],
        Unary::Asin | Unary::Acos | Unary::Atanh | Unary::ErfInv => vec![-0.7, 0.1, 0.5],
        _ => vec![-1.3, 0.4, 2.2],
    }
}

#[test]
fn every_unary_op_on_floats() {
    for op in Unary::ALL.iter().filter(|op| op.result(DType::F64).is_ok_and(|d| d == DType::F64)) {
        let text = format!("program (x: f64[3]) {{\n y: f64[3] = {}(x)\n return y\n}}", op.as_str());
        check_op(&text, &[tensor("f64[3]", &domain(*op))]);
    }
}

#[test]
fn every_unary_op_on_complex_numbers() {
    for op in Unary::ALL {
        let Ok(result) = op.result(DType::C128) else { continue };
        // |x| has a second derivative, but not one that is holomorphic: real steps do not see it.
        let text = format!("program (x: c128[3]) {{\n y: {result}[3] = {}(x)\n return y\n}}", op.as_str());
        check_op(&text, &[random("c128[3]", 5)]);
    }
}

#[test]
fn every_binary_op() {
    for op in Binary::ALL {
        for d in [DType::F64, DType::C128] {
            let Ok(result) = op.result(d) else { continue };
            if matches!(op, Binary::Nextafter | Binary::Polygamma) {
                continue;
            }
            let text =
                format!("program (x: {d}[4], y: {d}[4]) {{\n z: {result}[4] = {}(x, y)\n return z\n}}", op.as_str());
            let x = match (op, d) {
                (Binary::Pow, DType::F64) => tensor("f64[4]", &[0.3, 1.2, 2.0, 0.9]),
                _ => random(&format!("{d}[4]"), 1),
            };
            check_op(&text, &[x, random(&format!("{d}[4]"), 2)]);
        }
    }
    // In its order, polygamma has no derivative.
    check_op(
        "program (x: f64[3]) {\n y: f64[3] = polygamma(2.0:f64[3], x)\n return y\n}",
        &[tensor("f64[3]", &[0.5, 1.5, 4.0])],
    );
}

#[test]
fn conversions_and_comparisons() {
    for (from, to) in [("f64", "c128"), ("c128", "f64"), ("f64", "i32"), ("i32", "f64"), ("bool", "i8")] {
        let text = format!("program (x: {from}[4]) {{\n y: {to}[4] = convert[dtype={to}](x)\n return y\n}}");
        check_op(&text, &[random(&format!("{from}[4]"), 1)]);
    }
    for direction in Direction::ALL {
        let text = format!(
            "program (x: f64[4], y: f64[4]) {{\n z: bool[4] = compare[direction={}](x, y)\n return z\n}}",
            direction.as_str()
        );
        check_op(&text, &[random("f64[4]", 1), random("f64[4]", 2)]);
    }
}

#[test]
fn select_and_clamp() {
    for p in ["bool[4]", "bool[]"] {
        check_op(
            &format!("program (p: {p}, x: f64[4], y: f64[4]) {{\n z: f64[4] = select(p, x, y)\n return z\n}}"),
            &[random(p, 3), random("f64[4]", 4), random("f64[4]", 5)],
        );
    }
    for bound in ["f64[5]", "f64[]"] {
        let n = if bound == "f64[]" { 1 } else { 5 };
        check_op(
            &format!("program (a: {bound}, x: f64[5], b: {bound}) {{\n z: f64[5] = clamp(a, x, b)\n return z\n}}"),
            &[
                tensor(bound, &vec![-0.5; n]),
                tensor("f64[5]", &[-1.0, -0.2, 0.1, 0.9, 3.0]),
                tensor(bound, &vec![0.7; n]),
            ],
        );
    }
    let clamp = |x: f64| {
        let text = "program (x: f64[]) {\n z: f64[] = clamp(0.0:f64[], x, 1.0:f64[])\n return z\n}";
        reals(&eval(text, &[Tensor::scalar(x)])[0])[0]
    };
    assert_eq!([clamp(-1.0), clamp(0.5), clamp(9.0)], [0.0, 0.5, 1.0]);
    assert!(clamp(f64::NAN).is_nan());
    assert_eq!(
        refused("program (a: f32[2], x: f32[3]) {\n z: f32[3] = clamp(a, x, a)\n return z\n}"),
        "line 2, column 14: `clamp` needs bounds that are scalars or have the shape [3], and got f32[2]"
    );
}

#[test]
fn bitcast_splits_and_joins() {
    let bits = |from: &str, to: &str, dtype: &str, x: Tensor| {
        eval(&format!("program (x: {from}) {{\n y: {to} = bitcast[dtype={dtype}](x)\n return y\n}}"), &[x]).remove(0)
    };
    let y = bits("f32[]", "u32[]", "u32", Tensor::scalar(1f32));
    assert_eq!(y.get(0), 0x3f80_0000u32.scalar());
    let y = bits("i32[2]", "u8[2,4]", "u8", Tensor::new([2], vec![0x04030201i32, -1]).unwrap());
    assert_eq!(y.to_vec::<u8>().unwrap(), [1, 2, 3, 4, 255, 255, 255, 255]);
    let back = bits("u8[2,4]", "i32[2]", "i32", y);
    assert_eq!(back.to_vec::<i32>().unwrap(), [0x04030201, -1]);
    let y = bits("i16[0]", "f16[0]", "f16", Tensor::new([0], Vec::<i16>::new()).unwrap());
    assert_eq!(y.to_vec::<f16>().unwrap(), []);
    check_op("program (x: f64[2]) {\n y: i32[2,2] = bitcast[dtype=i32](x)\n return y\n}", &[random("f64[2]", 6)]);
    check_op("program (x: i16[3,2]) {\n y: f32[3] = bitcast[dtype=f32](x)\n return y\n}", &[random("i16[3,2]", 6)]);
    assert_eq!(
        refused("program (x: u8[3]) {\n y: u32[] = bitcast[dtype=u32](x)\n return y\n}"),
        "line 2, column 13: `bitcast` to u32 needs a last axis of size 4, and got u8[3]"
    );
}

#[test]
fn reduce_precision_rounds() {
    let round = |e: usize, m: usize, x: f32| {
        let op = format!("reduce_precision[exponent={e}, mantissa={m}]");
        let text = format!("program (x: f32[1]) {{\n y: f32[1] = {op}(x)\n return y\n}}");
        reals(&eval(&text, &[Tensor::new([1], vec![x]).unwrap()])[0])[0] as f32
    };
    assert_eq!(round(5, 10, 65519.0), 65504.0);
    assert_eq!(round(5, 10, 65520.0), f32::INFINITY);
    assert_eq!(round(5, 10, -1e-7), -0.0);
    assert_eq!(round(8, 7, 1.0 + 2f32.powi(-8)), 1.0);
    assert_eq!(round(8, 7, 1.0 + 3.0 * 2f32.powi(-8)), 1.0 + 2f32.powi(-6));
    assert!(round(1, 0, f32::NAN).is_nan());
    assert_eq!(round(11, 52, 1.1), 1.1);
    check_op(
        "program (x: f64[3]) {\n y: f64[3] = reduce_precision[exponent=11, mantissa=52](x)\n return y\n}",
        &[random("f64[3]", 7)],
    );
}

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

#[test]
fn contractions() {
    let dot = |x: &str, y: &str, z: &str, attributes: &str| {
        let text = format!("program (x: {x}, y: {y}) {{\n z: {z} = dot_general[{attributes}](x, y)\n return z\n}}");
        check_op(&text, &[random(x, 13), random(y, 14)]);
    };
    dot("f64[2,3]", "f64[3,4]", "f64[2,4]", "contract=([1], [0]), batch=([], [])");
    dot("f64[3,2,2]", "f64[2,3,4]", "f64[2,2,4]", "contract=([0], [1]), batch=([2], [0])");
    dot("f64[2,3,2]", "f64[3,2]", "f64[2]", "contract=([1, 2], [0, 1]), batch=([], [])");
    dot("f64[2]", "f64[3]", "f64[2,3]", "contract=([], []), batch=([], [])");
    dot("f64[2,0]", "f64[0,3]", "f64[2,3]", "contract=([1], [0]), batch=([], [])");
    dot("c128[2,2]", "c128[2]", "c128[2]", "contract=([0], [0]), batch=([], [])");
}
