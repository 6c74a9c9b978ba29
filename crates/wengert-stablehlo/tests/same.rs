//! Operations that say in other words what others say: both become programs with the same results. And LAPACK calls on
//! matrices of no size.

use wengert_core::compare::Tolerance;
use wengert_core::{ErrorKind, Scalar, Tensor};
use wengert_eval::run;
use wengert_stablehlo::parse;
use wengert_testing::{Choices, random_values};

/// Operations that give `%y` from `%a` and `%w`, in two ways; and its type.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "tensor<3x2xf32>",
        "%y = \"stablehlo.unary_einsum\"(%a) <{einsum_config = \"ab->ba\"}> : (tensor<2x3xf32>) -> tensor<3x2xf32>",
        "%y = stablehlo.transpose %a, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>",
    ),
    (
        "tensor<3xf32>",
        "%y = \"stablehlo.unary_einsum\"(%a) <{einsum_config = \"ab->b\"}> : (tensor<2x3xf32>) -> tensor<3xf32>",
        "%z = stablehlo.constant dense<0.0> : tensor<f32>
         %y = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>",
    ),
    (
        "tensor<2xf32>",
        "%y = stablehlo.einsum %a, %w, config = \"ab,abcd->a\" : (tensor<2x3xf32>, tensor<2x3x1x1xf32>) -> tensor<2xf32>",
        "%v = stablehlo.reshape %w : (tensor<2x3x1x1xf32>) -> tensor<2x3xf32>
         %y = stablehlo.dot_general %a, %v, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>",
    ),
    (
        "tensor<1x3x3x1xf32>",
        "%x = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<1x2x3x1xf32>
         %p = stablehlo.constant dense<[[1, 1], [2, 0]]> : tensor<2x2xi32>
         %y = \"stablehlo.dynamic_conv\"(%x, %w, %p) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<1x2x3x1xf32>, tensor<2x3x1x1xf32>, tensor<2x2xi32>) -> tensor<1x3x3x1xf32>",
        "%x = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<1x2x3x1xf32>
         %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [2, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x2x3x1xf32>, tensor<2x3x1x1xf32>) -> tensor<1x3x3x1xf32>",
    ),
];

fn module(ty: &str, operations: &str) -> String {
    format!(
        "func.func @main(%a: tensor<2x3xf32>, %w: tensor<2x3x1x1xf32>, %n: tensor<2xi64>) -> {ty} {{ {operations} return %y : {ty} }}"
    )
}

#[test]
fn both_ways_give_the_same() {
    for (ty, one, other) in PAIRS {
        let [one, other] = [one, other].map(|o| parse(&module(ty, o)).unwrap_or_else(|e| panic!("{o}\n{e}")));
        let numbers: Vec<u16> = (0..400).map(|i: u16| i.wrapping_mul(40503)).collect();
        let x = random_values(&one.input_types(), &mut Choices::new(&numbers), true);
        let [y, z] = [&one, &other].map(|p| run(p, x.clone()).expect("it runs"));
        Tolerance::near(1e-6).check(&y[0], &z[0]).unwrap_or_else(|e| panic!("{one}\n{e}"));
    }
}

#[test]
fn sizes_that_only_show_when_it_runs_are_refused() {
    let slice = "%y = stablehlo.real_dynamic_slice %a, %n, %n, %n : (tensor<2x3xf32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<1x1xf32>";
    let e = parse(&module("tensor<1x1xf32>", slice)).expect_err("it is refused");
    assert!(e.kind() == ErrorKind::Unsupported && e.message().contains("`stablehlo.real_dynamic_slice`"), "{e}");
}

/// Matrices of no or one row and column, and stacks of none, have these forms too.
#[test]
fn matrices_of_no_size() {
    let options = "mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8, uplo = 85 : ui8, low = 1 : i32, high = 1 : i32, compute_left = 86 : ui8, compute_right = 86 : ui8}";
    for (batch, n) in [("", 0), ("", 1), ("2x", 0), ("0x", 1)] {
        let stack = |sizes: &[usize], dtype: &str| {
            let sizes: String = sizes.iter().map(|n| format!("{n}x")).collect();
            format!("tensor<{batch}{sizes}{dtype}>")
        };
        let (a, w, less) = (stack(&[n, n], "f32"), stack(&[n], "f32"), stack(&[n.max(1) - 1], "f32"));
        let (v, p, info) = (stack(&[n, n], "complex<f32>"), stack(&[n], "i32"), stack(&[], "i32"));
        let calls: [(&str, &[&String]); 5] = [
            ("gees", &[&a, &a, &w, &w, &info, &info]),
            ("geev", &[&w, &w, &v, &v, &info]),
            ("gehrd", &[&a, &less, &info]),
            ("sytrd", &[&a, &w, &less, &less, &info]),
            ("geqp3", &[&a, &p, &w]),
        ];
        for (routine, results) in calls {
            let (operands, types) =
                if routine == "geqp3" { ("%a, %p", format!("{a}, {p}")) } else { ("%a", a.clone()) };
            let count = results.len();
            let given = (0..count).map(|i| format!("%0#{i}")).collect::<Vec<_>>().join(", ");
            let results = results.iter().map(|t| t.as_str()).collect::<Vec<_>>().join(", ");
            let text = format!(
                "func.func @main(%a: {a}) -> ({results}) {{
                   %p = stablehlo.constant dense<0> : {p}
                   %0:{count} = stablehlo.custom_call @lapack_s{routine}_ffi({operands}) {{{options}}} : ({types}) -> ({results})
                   return {given} : {results}
                 }}"
            );
            let program = parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            let x = Tensor::splat(program.input_types()[0].shape.clone(), Scalar::F32(3.0));
            run(&program, vec![x]).unwrap_or_else(|e| panic!("{e}\n{text}"));
        }
    }
}
