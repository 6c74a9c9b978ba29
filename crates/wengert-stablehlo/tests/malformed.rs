//! Modules that are wrong: each gives an error with line and column, none a panic.

use std::fs;
use std::path::Path;
use wengert_core::{Error, ErrorKind};
use wengert_stablehlo::parse;

/// A module whose `@main` takes `%a: tensor<2x3xf32>`, `%i: tensor<i32>`, `%p: tensor<i1>` and has these operations.
fn main_of(operations: &str) -> String {
    format!(
        "module @m {{\n  func.func public @main(%a: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>) -> tensor<2x3xf32> {{\n    \
         {operations}\n    return %a : tensor<2x3xf32>\n  }}\n}}\n"
    )
}

fn located(e: &Error) -> bool {
    let message = e.message();
    message.starts_with("line ") && message.contains(", column ") && e.offset().is_some()
}

/// Operations that are wrong, one a line: what is written, and a part of the message.
const WRONG: &[(&str, &str)] = &[
    ("%0 = stablehlo.add %a, %b : tensor<2x3xf32>", "`%b` is not defined"),
    ("%0 = stablehlo.add %a, %a#1 : tensor<2x3xf32>", "`%a#1` is not defined"),
    ("%0 = stablehlo.add %a, %a : tensor<3x2xf32>", "is declared to give"),
    ("%0 = stablehlo.add %a, %a : (tensor<3x2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>", "is used as"),
    ("%0 = stablehlo.add %a, %i : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.add %a : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.add %a, %a, %a : tensor<2x3xf32>", ""),
    ("%0:2 = stablehlo.add %a, %a : tensor<2x3xf32>", "has 2 results and 1 type for them"),
    ("stablehlo.add %a, %a : tensor<2x3xf32>", ""),
    ("%a = stablehlo.add %a, %a : tensor<2x3xf32>", "defined twice"),
    ("%0 = stablehlo.add %a, %a : tensor<2x3xf33>", "not an element type"),
    ("%0 = stablehlo.add %a, %a : tensor<2x3f32>", "expected"),
    ("%0 = stablehlo.add %a, %a : tensor<2x3xf32", ""),
    ("%0 = stablehlo.add %a, %a : tensor", ""),
    ("%0 = stablehlo.add %a, %a :", ""),
    ("%0 = stablehlo.add %a, %a", ""),
    ("%0 = stablehlo.add %a, %a : tensor<2x3xf32> loc(", ""),
    ("%0 = stablehlo.add %a, %a : tensor<2x3xf32> loc(nowhere)", "a location"),
    ("%0 = stablehlo.add", ""),
    ("%0 = stablehlo", "expected an operation"),
    ("%0 =", ""),
    ("%0", ""),
    ("%", ""),
    ("= 3", ""),
    ("@", ""),
    ("\"", ""),
    ("\"stablehlo.add\"", ""),
    ("%0 = \"stablehlo.add\"(%a, %a) : (tensor<2x3xf32>) -> tensor<2x3xf32>", "2 operands and 1 type for them"),
    ("%0 = \"stablehlo.add\"(%a, %a) : tensor<2x3xf32>", ""),
    ("%0 = \"stablehlo.add\"(%a, %a", ""),
    ("%0 = \"stablehlo.add\"(%a, %a)[^bb1] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>", "not supported"),
    ("%0 = stablehlo.and %a, %a : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.not %a : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>", "needs 3"),
    ("%0 = stablehlo.constant dense<\u{a0}[x]> : tensor<1xf32>", ""),
    ("%0 = stablehlo.constant dense<[[1.0], 2.0]> : tensor<2x1xf32>", "expected a list"),
    ("%0 = stablehlo.constant dense<[[[1.0]]]> : tensor<1x1xf32>", "nested deeper"),
    ("%0 = stablehlo.constant dense<1.5> : tensor<i32>", "not a value of type"),
    ("%0 = stablehlo.constant dense<300> : tensor<i8>", "not a value of type"),
    ("%0 = stablehlo.constant dense<-1> : tensor<ui8>", "not a value of type"),
    ("%0 = stablehlo.constant dense<maybe> : tensor<i1>", "not a value of type"),
    ("%0 = stablehlo.constant dense<0xFFFFFFFFFF> : tensor<f32>", "not a value of type"),
    ("%0 = stablehlo.constant dense<(1.0)> : tensor<complex<f32>>", "not a value of type"),
    ("%0 = stablehlo.constant dense<> : tensor<2xf32>", "no elements here"),
    ("%0 = stablehlo.constant dense<\"0x00\"> : tensor<2xf32>", "bytes do not make"),
    ("%0 = stablehlo.constant dense<\"0x0\"> : tensor<2xf32>", "pairs of digits"),
    ("%0 = stablehlo.constant dense<\"0xZZ\"> : tensor<1xi8>", "hexadecimal"),
    ("%0 = stablehlo.constant dense<\"0x> : tensor<1xi8>", "no end"),
    ("%0 = stablehlo.constant dense<[1, 2> : tensor<2xi32>", ""),
    ("%0 = stablehlo.constant dense<1 2> : tensor<2xi32>", "nothing after"),
    ("%0 = stablehlo.constant dense_resource<gone> : tensor<2xi32>", "no resource"),
    ("%0 = stablehlo.constant sparse<0, 1> : tensor<2xi32>", "not supported"),
    ("%0 = stablehlo.constant dense<1> : tensor<99999999999x99999999999xi32>", "too large"),
    ("%0 = stablehlo.constant dense<1> : tensor<99999999999999999999999xi32>", "out of range"),
    ("%0 = stablehlo.iota dim = 2 : tensor<2x3xi32>", ""),
    ("%0 = stablehlo.iota dim = -1 : tensor<2x3xi32>", "not negative"),
    ("%0 = stablehlo.iota : tensor<2x3xi32>", "missing"),
    ("%0 = stablehlo.reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>", ""),
    ("%0 = stablehlo.broadcast_in_dim %a, dims = [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>", ""),
    (
        "%0 = stablehlo.broadcast_in_dim %a, dims = [0, 9] : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "axis 9 is out of range: there are 2",
    ),
    ("%0 = stablehlo.broadcast_in_dim %a, dims = [0, 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>", ""),
    ("%0 = stablehlo.transpose %a, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>", ""),
    ("%0 = stablehlo.transpose %a, dims = [a, b] : (tensor<2x3xf32>) -> tensor<3x2xf32>", "should be integers"),
    ("%0 = stablehlo.reverse %a, dims = [5] : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.slice %a [0:9, 0:3] : (tensor<2x3xf32>) -> tensor<9x3xf32>", ""),
    ("%0 = stablehlo.slice %a [1:0, 0:3] : (tensor<2x3xf32>) -> tensor<0x3xf32>", ""),
    ("%0 = stablehlo.slice %a [0:1:0, 0:3] : (tensor<2x3xf32>) -> tensor<1x3xf32>", ""),
    ("%0 = stablehlo.slice %a [-1:1, 0:3] : (tensor<2x3xf32>) -> tensor<2x3xf32>", "not negative"),
    ("%0 = stablehlo.slice %a [0-1] : (tensor<2x3xf32>) -> tensor<2x3xf32>", ""),
    ("%0 = stablehlo.slice %a : (tensor<2x3xf32>) -> tensor<2x3xf32>", "missing"),
    ("%0 = stablehlo.concatenate %a, %a, dim = 3 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>", ""),
    (
        "%0 = stablehlo.pad %a, %i, low = [0], high = [0], interior = [0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>",
        "",
    ),
    ("%0 = stablehlo.compare XX, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>", "not a comparison"),
    ("%0 = stablehlo.compare lt, %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>", "not a comparison"),
    ("%0 = stablehlo.compare LT, %a, %a, UNSIGNED : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>", "no order"),
    ("%0 = stablehlo.compare LT, %i, %i, TOTALORDER : (tensor<i32>, tensor<i32>) -> tensor<i1>", "no order"),
    ("%0 = stablehlo.compare LT, %i, %i, UNSIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>", "no order"),
    ("%0 = stablehlo.compare LT, %p, %p, SIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>", "no order"),
    ("%0 = stablehlo.compare LT, %p, %p, SOME : (tensor<i1>, tensor<i1>) -> tensor<i1>", "not a type of comparison"),
    ("%0 = stablehlo.compare %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>", ""),
    ("%0 = stablehlo.select %a, %a, %a : tensor<2x3xf32>, tensor<2x3xf32>", ""),
    (
        "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "",
    ),
    (
        "%0 = stablehlo.dot_general %a, %a, contracting_dims = [1] [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
        "",
    ),
    ("%0 = stablehlo.dot_general %a, %a : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>", "missing"),
    (
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[o, i]->[b, b], window = {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
        "names each axis once",
    ),
    (
        "%0 = stablehlo.convolution(%a, %a) dim_numbers = [b, f]x[o, i]->[b, f], window = {size = [1]} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
        "a window has no",
    ),
    (
        "%0 = stablehlo.convolution(%a, %a) window = {} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>",
        "names each axis once",
    ),
    ("%0 = stablehlo.reduce_precision %a, format = 5m10 : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.reduce_precision %a, format = e5 : tensor<2x3xf32>", "e5m10"),
    ("%0 = stablehlo.fft %a, type = FFTT, length = [3] : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>", "Fourier"),
    (
        "%0 = stablehlo.reduce(%a init: %a) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<3xf32>",
        "can't start",
    ),
    (
        "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        "can't start",
    ),
    (
        "%0 = stablehlo.reduce(%a init %i) applies stablehlo.add across dimensions = [0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        "expected `:`",
    ),
    (
        "%0 = stablehlo.reduce(%a init: %i) applies stablehlo.frob across dimensions = [0] : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        "not supported",
    ),
    (
        "%0 = stablehlo.while(%x = %a) : tensor<2x3xf32> cond { stablehlo.return %x : tensor<2x3xf32> } do { stablehlo.return %x : tensor<2x3xf32> }",
        "",
    ),
    (
        "%0 = stablehlo.while(%x = %a) : tensor<2x3xf32> cond { stablehlo.return %p : tensor<i1> } do { }",
        "returns nothing",
    ),
    (
        "%0 = stablehlo.while(%x = %a) : tensor<2x3xf32> cond { stablehlo.return %p : tensor<i1> } do { %q = stablehlo.abs %x : tensor<2x3xf32> }",
        "ends with a return",
    ),
    (
        "%0 = stablehlo.while(%x = %a) cond { stablehlo.return %p : tensor<i1> } do { stablehlo.return %x : tensor<2x3xf32> }",
        "types",
    ),
    ("%0 = stablehlo.while(%x = %a) : tensor<2x3xf32> cond { stablehlo.return %p : tensor<i1> }", "expected `do`"),
    (
        "%0 = \"stablehlo.while\"(%a) ({ ^bb0(%x: tensor<2x3xf32>): stablehlo.return %p : tensor<i1> }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "two regions",
    ),
    (
        "%0 = \"stablehlo.case\"(%p) ({ stablehlo.return %a : tensor<2x3xf32> }) : (tensor<i1>) -> tensor<2x3xf32>",
        "i32 scalar",
    ),
    ("%0 = \"stablehlo.case\"(%i) : (tensor<i32>) -> tensor<2x3xf32>", ""),
    (
        "%0 = \"stablehlo.if\"(%p) ({ stablehlo.return %a : tensor<2x3xf32> }, { stablehlo.return %i : tensor<i32> }) : (tensor<i1>) -> tensor<2x3xf32>",
        "",
    ),
    (
        "%0 = \"stablehlo.if\"(%p) ({ ^bb0: stablehlo.return %a : tensor<2x3xf32> ^bb1: stablehlo.return %a : tensor<2x3xf32> }, { stablehlo.return %a : tensor<2x3xf32> }) : (tensor<i1>) -> tensor<2x3xf32>",
        "more than one block",
    ),
    (
        "%0 = \"stablehlo.sort\"(%a) <{dimension = 9 : i64}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1> stablehlo.return %z : tensor<i1> }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "",
    ),
    (
        "%0 = \"stablehlo.gather\"(%a, %i) <{slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        "missing",
    ),
    (
        "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = 3, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        "list of fields",
    ),
    (
        "%0 = \"stablehlo.gather\"(%a, %i) <{dimension_numbers = #nothing, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<i32>) -> tensor<3xf32>",
        "list of fields",
    ),
    ("%0 = call @nobody(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>", "no function"),
    ("%0 = call @main(%a, %i, %p) : (tensor<2x3xf32>, tensor<i32>, tensor<i1>) -> tensor<2x3xf32>", "calls itself"),
    ("return %i : tensor<i32>", "the last operation"),
    ("%0 = stablehlo.é %a : tensor<2x3xf32>", "the name of an operation, found `é`"),
    ("%0 = stablehlo. %a : tensor<2x3xf32>", "the name of an operation"),
    ("%0 = stablehlo.cholesky %a, lower = true : tensor<2x3xf32>", ""),
    ("%0 = stablehlo.custom_call @lapack_spotrf_ffi(%a) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)", ""),
    (
        "%0 = stablehlo.rng_bit_generator %a, algorithm = NONE : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)",
        "not a generator",
    ),
    ("%0 = chlo.top_k(%a, k = 9) : tensor<2x3xf32> -> (tensor<2x9xf32>, tensor<2x9xi32>)", ""),
    ("%0 = stablehlo.bitcast_convert %a : (tensor<2x3xf32>) -> tensor<2x3xf64>", ""),
    ("%0 = stablehlo.complex %i, %i : tensor<complex<f32>>", ""),
    ("%0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xcomplex<f16>>", "no complex numbers"),
    (
        "%0 = \"stablehlo.batch_norm_inference\"(%a) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "missing",
    ),
    (
        "%0:3 = \"stablehlo.batch_norm_training\"(%a, %a, %a) <{epsilon = 0.1 : f32, feature_index = 5 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)",
        "no axis 5",
    ),
    (
        "%0:3 = \"stablehlo.batch_norm_training\"(%a, %a, %a) <{epsilon = 0.1 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)",
        "operand 1",
    ),
    (
        "%0 = stablehlo.einsum %a, %a, config = \"ab,bc\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "does not say",
    ),
    (
        "%0 = stablehlo.einsum %a, %a, config = \"ab,ab->abz\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "`z`",
    ),
    ("%0 = stablehlo.einsum %a, %a, config = \"ab,ba->a\" : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>", ""),
    ("%0 = stablehlo.dynamic_reshape %a : (tensor<2x3xf32>) -> tensor<7xf32>", ""),
    ("%0 = \"stablehlo.dynamic_pad\"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>", "missing"),
    (
        "%0 = stablehlo.tuple %a : tuple<tensor<2x3xf32>> %1 = stablehlo.get_tuple_element %0[1] : (tuple<tensor<2x3xf32>>) -> tensor<2x3xf32>",
        "no element 1",
    ),
    ("%0 = stablehlo.get_tuple_element %a[0] : (tensor<2x3xf32>) -> tensor<2x3xf32>", "no tuple"),
    (
        "%0 = stablehlo.tuple %a : tuple<tensor<2x3xf32>> %0 = stablehlo.tuple %a : tuple<tensor<2x3xf32>>",
        "defined twice",
    ),
    ("%0 = stablehlo.tuple %a : tensor<2x3xf32>", "gives a tuple"),
    ("%0 = stablehlo.tuple %a : tuple<tensor<i32>>", "is declared to give"),
    ("%0 = stablehlo.tuple %a : tuple<tensor<2x3xf32>, tensor<i32>>", "1 result and 2 types for them"),
    ("%0, %1 = stablehlo.tuple %a : tuple<tensor<2x3xf32>>", "results"),
    ("%0 = stablehlo.tuple %a : tuple<tensor<2x3xf32>", ""),
    (
        "%0 = stablehlo.custom_call @lapack_sgees_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8, uplo = 76 : ui8, low = 1 : i32, high = 2 : i32, compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "square",
    ),
    (
        "%0 = stablehlo.custom_call @lapack_sgeev_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8, uplo = 76 : ui8, low = 1 : i32, high = 2 : i32, compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "square",
    ),
    (
        "%0 = stablehlo.custom_call @lapack_sgehrd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8, uplo = 76 : ui8, low = 1 : i32, high = 2 : i32, compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "square",
    ),
    (
        "%0 = stablehlo.custom_call @lapack_ssytrd_ffi(%a) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8, uplo = 76 : ui8, low = 1 : i32, high = 2 : i32, compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
        "square",
    ),
    (
        "%0 = stablehlo.constant dense<0.0> : tensor<2x2xbf16> %1 = stablehlo.custom_call @lapack_sgees_ffi(%0) {mhlo.backend_config = {mode = 86 : ui8, sort = 78 : ui8, uplo = 76 : ui8, low = 1 : i32, high = 2 : i32, compute_left = 86 : ui8, compute_right = 86 : ui8}} : (tensor<2x2xbf16>) -> tensor<2x2xbf16>",
        "expected matrices",
    ),
    ("%0 = stablehlo.custom_call @lapack_sgeqp3_ffi(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>", "missing"),
    (
        "%0 = stablehlo.custom_call @cpu_csr_sparse_dense_ffi(%a, %i, %i, %a) : (tensor<2x3xf32>, tensor<i32>, tensor<i32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
        "multiplied",
    ),
    ("{", ""),
    ("}", ""),
    ("/", ""),
    ("é", ""),
];

/// Operations with all attributes that they must have: of a `%c: tensor<3x3xf32>`, a `%s: tensor<f32>` and an
/// `%i: tensor<3xi32>`.
const COMPLETE: &[(&str, &[&str])] = &[
    (
        "\"stablehlo.broadcast_in_dim\"(%s) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<3xf32>",
        &["broadcast_dimensions"],
    ),
    (
        "\"stablehlo.broadcast\"(%s) <{broadcast_sizes = array<i64: 3>}> : (tensor<f32>) -> tensor<3xf32>",
        &["broadcast_sizes"],
    ),
    (
        "\"stablehlo.transpose\"(%c) <{permutation = array<i64: 1, 0>}> : (tensor<3x3xf32>) -> tensor<3x3xf32>",
        &["permutation"],
    ),
    (
        "\"stablehlo.reverse\"(%c) <{dimensions = array<i64: 1>}> : (tensor<3x3xf32>) -> tensor<3x3xf32>",
        &["dimensions"],
    ),
    (
        "\"stablehlo.slice\"(%i) <{start_indices = array<i64: 0>, limit_indices = array<i64: 2>, strides = array<i64: 1>}> : (tensor<3xi32>) -> tensor<2xi32>",
        &["start_indices", "limit_indices", "strides"],
    ),
    (
        "\"stablehlo.pad\"(%c, %s) <{edge_padding_low = array<i64: 1, 0>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>}> : (tensor<3x3xf32>, tensor<f32>) -> tensor<4x3xf32>",
        &["edge_padding_low", "edge_padding_high", "interior_padding"],
    ),
    (
        "\"stablehlo.reduce\"(%c, %s) <{dimensions = array<i64: 0>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> stablehlo.return %z : tensor<f32> }) : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>",
        &["dimensions"],
    ),
    (
        "\"stablehlo.map\"(%c) <{dimensions = array<i64: 0, 1>}> ({ ^bb0(%x: tensor<f32>): stablehlo.return %x : tensor<f32> }) : (tensor<3x3xf32>) -> tensor<3x3xf32>",
        &["dimensions"],
    ),
    (
        "\"stablehlo.reduce_window\"(%c, %s) <{window_dimensions = array<i64: 1, 1>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> stablehlo.return %z : tensor<f32> }) : (tensor<3x3xf32>, tensor<f32>) -> tensor<3x3xf32>",
        &["window_dimensions"],
    ),
    (
        "\"stablehlo.convolution\"(%c, %c) <{dimension_numbers = #stablehlo.conv<[b, f]x[i, o]->[b, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>",
        &["feature_group_count", "batch_group_count"],
    ),
    (
        "\"stablehlo.triangular_solve\"(%c, %c) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>",
        &["left_side", "lower", "unit_diagonal", "transpose_a"],
    ),
    (
        "\"stablehlo.compare\"(%c, %c) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xi1>",
        &["comparison_direction"],
    ),
];

/// Operations and types that are valid and not supported.
const REFUSED: &[&str] = &[
    "%0 = stablehlo.frobnicate %a : tensor<2x3xf32>",
    "%0 = linalg.matmul %a : tensor<2x3xf32>",
    // A name may have any character, and a short form any shape.
    "%0 = \"stablehlo.cross-replica-sum\"(%a) {replica_groups = dense<[[0]]> : tensor<1x1xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    "%0 = \"a \\22dialect's\\22.own op\"(%a) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
    "%0 = stablehlo.frobnicate %a[1] by 3 x [4] -> %i : tensor<2x3xf32>",
    "%k = stablehlo.constant dense<0> : tensor<2xui64> %0, %1 = stablehlo.rng_bit_generator %k, algorithm = DEFAULT : (tensor<2xui64>) -> (tensor<2xui64>, tensor<f32>)",
    "%0 = \"tosa.add\"(%a, %a) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>",
    "%0 = stablehlo.add %a, %a : tensor<?x3xf32>",
    "%0 = stablehlo.add %a, %a : tensor<?x3xf32, #stablehlo.bounds<?, ?>>",
    "%0 = stablehlo.add %a, %a : tensor<2x3xf32, #sparse_tensor.encoding<{map = (a, b) -> (a : dense, b : compressed)}>>",
    "%0 = arith.constant dense<2.0> : tensor<2x3xf32>",
    "%0 = mhlo.add %a, %a : tensor<2x3xf32>",
    "%0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xf8E4M3FN>",
    "%0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3xi4>",
    "%0 = stablehlo.convert %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.1>>",
    "%0 = stablehlo.tuple %a, %i : tuple<tensor<2x3xf32>, tensor<i32>> %1 = stablehlo.tuple %0 : tuple<tuple<tensor<2x3xf32>, tensor<i32>>>",
    "%0 = \"stablehlo.rng\"(%i, %i, %i) <{rng_distribution = #stablehlo<rng_distribution UNIFORM>}> : (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<i32>",
    "%0 = stablehlo.uniform_quantize %a : (tensor<2x3xf32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.1>>",
    "%0 = \"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> stablehlo.return %z : tensor<f32> }) : (tensor<2x3xf32>) -> tensor<2x3xf32>",
];

/// Texts that are no modules.
fn texts() -> Vec<String> {
    let mut texts: Vec<String> = [
        "",
        "   // nothing here",
        "module",
        "module {",
        "module @m attributes {",
        "module {}",
        "module {} extra",
        "func.func @f()",
        "func.func @f() { return",
        "func.func @f(%a: tensor<2xf32>) -> tensor<3xf32> { return %a : tensor<2xf32> }",
        "func.func @f(%a: tensor<2xf32>, %a: tensor<2xf32>) { return }",
        "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { return %a : tensor<2xf32> } #loc = loc(",
        "func.func @f() { return } func.func @g() { return }",
        "func.func @main() { return } func.func @main() { return }",
        "{-# dialect_resources: { builtin: { x: \"0x\" } }",
        "#alias",
        "!type = tensor<2xf32>",
        "\u{0}",
        "stablehlo.constant dense<//é",
        "program f() { return }",
    ]
    .map(String::from)
    .into();
    // Deep in brackets, of every kind.
    for (open, close) in [("[", "]"), ("{a = ", "}"), ("#stablehlo.scatter<a = ", ">")] {
        texts.push(main_of(&format!(
            "%0 = \"stablehlo.abs\"(%a) {{x = {}0{}}} : (tensor<2x3xf32>) -> tensor<2x3xf32>",
            open.repeat(9000),
            close.repeat(9000)
        )));
    }
    texts.push(main_of(&"%0 = \"stablehlo.if\"(%p) ({ ".repeat(5000)));
    texts.push(format!("func.func @f(%a: {}", "tuple<".repeat(100_000)));
    texts.push(format!("#loc = loc({}", "callsite(".repeat(100_000)));
    texts.push(main_of(&format!("%0 = stablehlo.constant dense<{}> : tensor<2xf32>", "[".repeat(100_000))));
    texts
}

#[test]
fn wrong_operations_are_errors_where_they_stand() {
    let mut failures = Vec::new();
    for (operation, message) in WRONG {
        match parse(&main_of(operation)) {
            Ok(_) => failures.push(format!("accepted: {operation}")),
            Err(e) if located(&e) && e.message().contains(message) => (),
            Err(e) => failures.push(format!("{operation}\n{e}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(WRONG.len() > 100);
}

/// An attribute that MLIR requires has no default: a misspelt one would silently compute something else.
#[test]
fn attributes_that_must_be_there_are_missed() {
    for (operation, attributes) in COMPLETE {
        let text = |operation: &str| {
            format!(
                "func.func @main(%c: tensor<3x3xf32>, %s: tensor<f32>, %i: tensor<3xi32>) {{ %0 = {operation} return }}"
            )
        };
        parse(&text(operation)).unwrap_or_else(|e| panic!("{operation}\n{e}"));
        for name in *attributes {
            let misspelt = operation.replacen(&format!("{name} = "), "misspelt = ", 1);
            let e = parse(&text(&misspelt)).expect_err(&misspelt);
            assert!(located(&e) && e.message().contains(&format!("`{name}` is missing")), "{misspelt}\n{e}");
        }
    }
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    for operation in REFUSED {
        let e = parse(&main_of(operation)).expect_err(operation);
        assert!(located(&e) && e.kind() == ErrorKind::Unsupported, "{operation}\n{e}");
        assert!(e.message().contains('`') && e.message().contains("not supported"), "{operation}\n{e}");
    }
}

#[test]
fn wrong_texts_are_errors() {
    for text in texts() {
        match parse(&text) {
            Ok(_) => panic!("accepted: {}", &text[..text.len().min(300)]),
            Err(e) => assert!(located(&e), "{}\n{e}", &text[..text.len().min(300)]),
        }
    }
}

#[test]
fn an_error_shows_the_line() {
    let e = parse(&main_of("%0 = stablehlo.add %a, %b : tensor<2x3xf32>")).unwrap_err();
    wengert_testing::expect![[r#"
        line 3, column 28: `%b` is not defined before this use
          |     %0 = stablehlo.add %a, %b : tensor<2x3xf32>
          |                            ^"#]]
    .assert_eq(&e.to_string());
}

/// Small changes to modules that JAX wrote, by a generator of our own so that each run makes the same. `MUTATIONS` says
/// how many of each module: a fuzzer for machines without one.
#[test]
fn changed_modules_never_panic() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/cases");
    let mut state = 88172645463325252u64;
    let mut draw = move |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mutations = std::env::var("MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(60);
    let (mut wrong, mut refused) = (0, 0);
    for name in ["mlp_debug", "cond", "sort_keys", "scatter_set_drop", "conv", "window", "constants", "while_captures"]
    {
        let text = fs::read_to_string(folder.join(name).join("module.mlir")).unwrap();
        let bytes = text.as_bytes();
        for _ in 0..mutations {
            let mut changed = bytes.to_vec();
            let at = draw(bytes.len());
            match draw(5) {
                0 => changed.truncate(at),
                1 => drop(changed.drain(at..(at + 1 + draw(8)).min(bytes.len()))),
                2 => changed[at] = b"%<>(){}[],:=x019\" "[draw(18)],
                3 => {
                    let (from, n) = (draw(bytes.len()), 1 + draw(30));
                    let piece = bytes[from..(from + n).min(bytes.len())].to_vec();
                    changed.splice(at..at, piece);
                }
                _ => changed.swap(at, draw(bytes.len())),
            }
            let Ok(changed) = String::from_utf8(changed) else { continue };
            match parse(&changed) {
                Ok(program) => program.verify().unwrap(),
                Err(e) => {
                    assert!(located(&e), "{e}");
                    wrong += 1;
                    refused += (e.kind() == ErrorKind::Unsupported) as usize;
                }
            }
        }
    }
    assert!(wrong > 200 && refused < wrong / 2, "{wrong} wrong, {refused} of them refused");
}

/// A type is shown by its beginning, and one of many axes is valid: the limit is ours.
#[test]
fn long_types() {
    let ones = "1x".repeat(65);
    let long = format!("tuple<{}tensor<f32>>", "tensor<f32>, ".repeat(50_000));
    for (ty, message) in [(format!("tensor<{ones}f32>"), "65 axes"), (long, "the type `tuple<tensor<f32>, ")] {
        let e = parse(&format!("func.func @main(%x: {ty}) {{ return }}")).unwrap_err();
        assert!(e.kind() == ErrorKind::Unsupported && e.message().contains(message), "{e}");
        assert!(e.message().len() < 200 && located(&e), "{e}");
    }
}

/// What a constant claims to be takes no memory: only what is spelled out does.
#[test]
fn a_splat_of_any_size_stays_one_value() {
    let ty = "tensor<100000x100000x100xf32>";
    let text = format!("func.func @main() -> {ty} {{ %0 = stablehlo.constant dense<2.0> : {ty} return %0 : {ty} }}");
    let program = wengert_stablehlo::parse(&text).expect("a program");
    assert_eq!(program.output_types()[0].shape.size(), 1_000_000_000_000);
}
