//! Expansions of many forms of an op against the op itself, and functions that no op is against what they mean.

use crate::common::{check, check_on, check_patches};
use wengert_core::ops::{Binary, Custom, CustomOp};
use wengert_core::{Builder, DType, Op, Program, Result, Tensor, Type, Var};
use wengert_expand::{expand, special};

#[test]
fn numbers_of_every_type() {
    for d in ["f16", "bf16", "f32", "f64"] {
        check(&format!("program (x: {d}[7]) {{ y: {d}[7] = bessel_i0e(x) return y }}"));
        check(&format!("program (x: {d}[2]) {{ y: {d}[2] = real(x) return y }}"));
    }
    for d in ["u8", "u16", "u32", "u64"] {
        check(&format!("program (x: {d}[5]) {{ y: {d}[5] = sign(x) return y }}"));
    }
    for d in ["c64", "c128"] {
        for op in ["max", "min"] {
            check(&format!("program (x: {d}[9], y: {d}[9]) {{ z: {d}[9] = {op}(x, y) return z }}"));
        }
        for to in ["bool", "i8", "u32", "f16", "f64"] {
            check(&format!("program (x: {d}[9]) {{ y: {to}[9] = convert[dtype={to}](x) return y }}"));
        }
    }
    for (d, bits) in
        [("i8", 8), ("u8", 8), ("f16", 16), ("i16", 16), ("f32", 32), ("u32", 32), ("f64", 64), ("i64", 64)]
    {
        check(&format!("program (x: bool[3,{bits}]) {{ y: {d}[3] = bitcast[dtype={d}](x) return y }}"));
        check(&format!("program (x: {d}[3]) {{ y: bool[3,{bits}] = bitcast[dtype=bool](x) return y }}"));
    }
    for d in ["f16", "bf16"] {
        let op = "triangular_solve[left_side=true, lower=true, unit_diagonal=true, transpose_a=no]";
        check(&format!("program (a: {d}[3,3], x: {d}[3,2]) {{ y: {d}[3,2] = {op}(a, x) return y }}"));
    }
    let words = "k: u32[4], l: u32[4], c: u32[4], d: u32[4]";
    check(&format!("program ({words}) {{ x: u32[4], y: u32[4] = threefry2x32(k, l, c, d) return x, y }}"));
}

#[test]
fn places_of_extremes() {
    for d in ["bool", "i8", "u32", "f32", "bf16"] {
        for (extreme, dim, to) in [("max", 0, "i32[4]"), ("min", 1, "i64[3]")] {
            let dtype = &to[..3];
            let op = format!("arg_reduce[extreme={extreme}, dim={dim}, dtype={dtype}]");
            check(&format!("program (x: {d}[3,4]) {{ y: {to} = {op}(x) return y }}"));
        }
    }
}

#[test]
fn natural_orders() {
    for d in ["bool", "i8", "u32", "i64", "f16", "bf16", "f32", "f64", "c64", "c128"] {
        for keys in 1..=3 {
            let types = [("x", d), ("y", "f32"), ("i", "i32")];
            let [x, y] = ["", "_sorted"].map(|end| types.map(|(name, d)| format!("{name}{end}: {d}[30]")).join(", "));
            let sort = format!("sort[dim=0, stable=true, order={keys}]");
            let text = format!("program ({x}) {{ {y} = {sort}(x, y, i) return x_sorted, y_sorted, i_sorted }}");
            check_on(&text, false);
        }
    }
}

#[test]
fn convolutions_by_patches() {
    let check = |x: &str, w: &str, y: &str, op: &str| {
        let program =
            check_patches(&format!("program (x: {x}, w: {w}) {{ y: {y} = convolution[{op}](x, w) return y }}"));
        assert!(!program.any(|_, e| e.op.name() == "convolution"), "{program}");
    };
    check(
        "f32[2,6,4]",
        "f32[3,2,4]",
        "f32[2,3,4]",
        "lhs=[0, 2, 1], rhs=[2, 1, 0], out=[0, 2, 1], strides=[2], padding=[(1, 0)], lhs_dilation=[1], \
         rhs_dilation=[1], reversal=[true], feature_groups=2, batch_groups=1",
    );
    check(
        "f64[4,2,5,6]",
        "f64[6,2,2,3]",
        "f64[2,6,7,4]",
        "lhs=[0, 1, 2, 3], rhs=[0, 1, 2, 3], out=[0, 1, 2, 3], strides=[1, 1], padding=[(0, -1), (1, 1)], \
         lhs_dilation=[2, 1], rhs_dilation=[1, 2], reversal=[false, true], feature_groups=1, batch_groups=2",
    );
    check(
        "f32[3,8,1]",
        "f32[1,1,1]",
        "f32[3,8,1]",
        "lhs=[0, 2, 1], rhs=[0, 1, 2], out=[0, 2, 1], strides=[1], padding=[(0, 0)], lhs_dilation=[1], \
         rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1",
    );
    check(
        "f32[1,2,2]",
        "f32[3,2,5]",
        "f32[1,3,0]",
        "lhs=[0, 1, 2], rhs=[0, 1, 2], out=[0, 1, 2], strides=[1], padding=[(0, 0)], lhs_dilation=[1], \
         rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1",
    );
}

#[test]
fn convolutions_by_parts() {
    for d in ["i8", "u16", "i32", "u64", "i64", "c64", "c128"] {
        check(&format!(
            "program (x: {d}[2,6,4], w: {d}[3,2,4]) {{
               y: {d}[2,3,4] = convolution[lhs=[0, 2, 1], rhs=[2, 1, 0], out=[0, 2, 1], strides=[2], padding=[(1, 0)],
                 lhs_dilation=[1], rhs_dilation=[1], reversal=[true], feature_groups=2, batch_groups=1](x, w)
               return y
             }}"
        ));
    }
}

#[test]
fn windows_with_holes() {
    let less = "program (p: f32[], q: f32[]) { s: f32[] = sub(p, q) return s }";
    for (x, y, window) in [
        ("[6]", "[3]", "size=[3], strides=[2], padding=[(1, 1)], base_dilation=[1], window_dilation=[1]"),
        ("[4]", "[4]", "size=[2], strides=[2], padding=[(2, 1)], base_dilation=[2], window_dilation=[3]"),
        (
            "[3,4]",
            "[4,2]",
            "size=[2, 2], strides=[1, 3], padding=[(1, 1), (0, 2)], base_dilation=[1, 1], window_dilation=[1, 2]",
        ),
    ] {
        let reduce = format!("reduce_window[combiner={less}, window=[{window}]]");
        check(&format!("program (x: f32{x}, a: f32[]) {{ y: f32{y} = {reduce}(x, a) return y }}"));
        for select in ["ge", "lt"] {
            let gather = format!("select_and_gather[select={select}, window=[{window}]]");
            check(&format!("program (x: f32{x}, s: f32{x}) {{ y: f32{y} = {gather}(x, s) return y }}"));
            let scatter = format!("select_and_scatter[select={select}, window=[{window}], combiner=add]");
            check(&format!("program (x: f32{x}, s: f32{y}) {{ y: f32{x} = {scatter}(x, s) return y }}"));
        }
    }
}

#[test]
fn short_floats_and_matrices_without_elements() {
    for op in ["lu", "qr[full_matrices=false]", "svd[full_matrices=true, compute_uv=false]", "eigh[lower=false]"] {
        for ty in [Type::new(DType::F16, [3, 3]), Type::new(DType::F32, [0, 0]), Type::new(DType::C64, [2, 0, 0])] {
            let op = Op::parse(op).unwrap();
            let results: Vec<String> = op
                .result_types(std::slice::from_ref(&ty))
                .unwrap()
                .iter()
                .enumerate()
                .map(|(i, t)| format!("y{i}: {t}"))
                .collect();
            let names: Vec<String> = (0..results.len()).map(|i| format!("y{i}")).collect();
            let (results, names) = (results.join(", "), names.join(", "));
            check(&format!("program (x: {ty}) {{ {results} = {}(x) return {names} }}", op.to_text()));
        }
    }
}

/// What `f` makes of scalars.
fn scalars<const N: usize>(x: [Tensor; N], f: impl FnOnce(&mut Builder, &[Var]) -> Result<Var>) -> Tensor {
    let mut b = Builder::new();
    let inputs = b.inputs(&x.each_ref().map(Tensor::ty));
    let y = f(&mut b, &inputs).unwrap();
    wengert_eval::run(&b.finish(&[y]), x.into()).unwrap().remove(0)
}

#[test]
fn zeta() {
    let zeta = |s: f64, q: f64| {
        let y = scalars([Tensor::scalar(s), Tensor::scalar(q)], |b, x| special::zeta(b, x[0], x[1]));
        y.get(0).as_f64().unwrap()
    };
    let pi = std::f64::consts::PI;
    assert!((zeta(2.0, 1.0) - pi * pi / 6.0).abs() < 1e-14);
    assert!((zeta(4.0, 2.0) - (pi.powi(4) / 90.0 - 1.0)).abs() < 1e-14);
    assert_eq!((zeta(1.0, 3.0), zeta(2.0, -1.0)), (f64::INFINITY, f64::INFINITY));
    assert!(zeta(0.5, 1.0).is_nan());
}

#[test]
fn upper_halves_of_products() {
    let mulhi = |b: &mut Builder, x: &[Var]| special::mulhi(b, x[0], x[1]);
    for (x, y) in [(i64::MIN, i64::MAX), (-3, 5), (i64::MAX, i64::MAX), (-1, -1), (1 << 40, -(1 << 41))] {
        let upper = scalars([Tensor::scalar(x), Tensor::scalar(y)], mulhi);
        assert_eq!(upper.get(0).as_i64(), Some(((x as i128 * y as i128) >> 64) as i64), "{x} {y}");
        let (x, y) = (x as u64, y as u64);
        let upper = scalars([Tensor::scalar(x), Tensor::scalar(y)], mulhi);
        assert_eq!(upper, Tensor::scalar(((x as u128 * y as u128) >> 64) as u64), "{x} {y}");
        let (x, y) = (x as i16, y as i16);
        let upper = scalars([Tensor::scalar(x), Tensor::scalar(y)], mulhi);
        assert_eq!(upper.get(0).as_i64(), Some((x as i64 * y as i64) >> 16), "{x} {y}");
    }
}

/// Twice its operand, as a user's op.
#[derive(Debug)]
struct Twice;

impl CustomOp for Twice {
    fn name(&self) -> &str {
        "twice"
    }
    fn decompose(&self, x: &[Type]) -> Option<Result<Program>> {
        let mut b = Builder::new();
        let v = b.input(x[0].clone());
        let y = b.add(v, v);
        Some(Ok(b.finish(&[y])))
    }
}

/// An op without a decomposition.
#[derive(Debug)]
struct Opaque;

impl CustomOp for Opaque {
    fn name(&self) -> &str {
        "opaque"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
}

#[test]
fn custom_ops_are_their_decompositions() {
    let types = [Type::new(DType::F32, [3])];
    let program = expand(&Custom::new(Twice).into(), &types).unwrap().unwrap();
    assert_eq!(program.equations()[0].op, Binary::Add.into());
    assert!(expand(&Custom::new(Opaque).into(), &types).is_none());
}

#[test]
fn ops_that_are_simple_stay() {
    for text in ["add", "exp", "dot_general[contract=([0], [0]), batch=([], [])]", "cholesky[lower=true]"] {
        let op = Op::parse(text).unwrap();
        let n = if matches!(text, "exp" | "cholesky[lower=true]") { 1 } else { 2 };
        assert!(expand(&op, &vec![Type::new(DType::F32, [3, 3]); n]).is_none(), "{text}");
    }
}
