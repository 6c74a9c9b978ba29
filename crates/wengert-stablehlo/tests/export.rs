//! The text that goes out. What XLA makes of it is checked by `tests/export/check.py`.

use wengert_core::ops::{Binary, Custom, CustomOp};
use wengert_core::{Builder, DType, ErrorKind, Place, Program, Result, Type};
use wengert_stablehlo::{Options, Platform, Precision, export, export_donating, export_with};
use wengert_testing::{Expect, expect};

fn check(program: &str, text: Expect) {
    let program = Program::parse(program).unwrap_or_else(|e| panic!("{e}"));
    text.assert_eq(&export(&program).unwrap_or_else(|e| panic!("{e}")));
}

#[test]
fn a_loop_in_a_function() {
    check(
        "program f(n: i32[], x: f32[3]) {
          y: f32[3] = call[program=program double(x: f32[3]) { y: f32[3] = add(x, x) return y }, kind=staged](x)
          z: f32[3] = call[program=program twice(x: f32[3]) { y: f32[3] = add(x, x) return y }, kind=checkpoint](y)
          i: i32[], w: f32[3] = while[consts=1,
            cond=program (n: i32[], i: i32[], x: f32[3]) { p: bool[] = compare[direction=lt](i, n) return p },
            body=program (n: i32[], i: i32[], x: f32[3]) {
              j: i32[] = add(i, 1:i32[])
              y: f32[3] = sin(x)
              return j, y
            }](n, 0:i32[], z)
          return w
        }",
        expect![[r##"
            #loc1 = loc("n")
            #loc2 = loc("x")
            #loc3 = loc("y")
            #loc4 = loc("z")
            #loc5 = loc("p")
            #loc6 = loc("j")
            module @f {
              func.func public @main(%arg0: tensor<i32> loc(#loc1), %arg1: tensor<3xf32> loc(#loc2)) -> tensor<3xf32> {
                %0 = func.call @double(%arg1) : (tensor<3xf32>) -> tensor<3xf32> loc(#loc3)
                %1 = stablehlo.optimization_barrier %0 : tensor<3xf32> loc(#loc4)
                %2 = func.call @double(%1) : (tensor<3xf32>) -> tensor<3xf32> loc(#loc4)
                %3 = stablehlo.constant dense<0> : tensor<i32>
                %4:2 = stablehlo.while(%arg2 = %3, %arg3 = %2) : tensor<i32>, tensor<3xf32>
                cond {
                  %5 = stablehlo.compare LT, %arg2, %arg0, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1> loc(#loc5)
                  stablehlo.return %5 : tensor<i1>
                } do {
                  %6 = stablehlo.constant dense<1> : tensor<i32>
                  %7 = stablehlo.add %arg2, %6 : tensor<i32> loc(#loc6)
                  %8 = stablehlo.sine %arg3 : tensor<3xf32> loc(#loc3)
                  stablehlo.return %7, %8 : tensor<i32>, tensor<3xf32>
                }
                return %4#1 : tensor<3xf32>
              }
              func.func private @double(%arg0: tensor<3xf32> loc(#loc2)) -> tensor<3xf32> {
                %0 = stablehlo.add %arg0, %arg0 : tensor<3xf32> loc(#loc3)
                return %0 : tensor<3xf32>
              }
            }
        "##]],
    );
}

#[test]
fn a_scan_is_a_loop_with_a_counter() {
    check(
        "program (%0: f32[], %1: f32[4]) {
          %2: f32[], %3: f32[4] = scan[length=4, consts=0, carries=1, reverse=true,
            body=program (%0: f32[], %1: f32[]) { %2: f32[] = add(%0, %1) return %2, %0 }](%0, %1)
          return %2, %3
        }",
        expect![[r#"
            module {
              func.func public @main(%arg0: tensor<f32>, %arg1: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
                %0 = stablehlo.constant dense<0.0> : tensor<4xf32>
                %1 = stablehlo.constant dense<0> : tensor<i32>
                %2:3 = stablehlo.while(%arg2 = %1, %arg3 = %arg0, %arg4 = %0) : tensor<i32>, tensor<f32>, tensor<4xf32>
                cond {
                  %3 = stablehlo.constant dense<4> : tensor<i32>
                  %4 = stablehlo.compare LT, %arg2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
                  stablehlo.return %4 : tensor<i1>
                } do {
                  %5 = stablehlo.constant dense<3> : tensor<i32>
                  %6 = stablehlo.subtract %5, %arg2 : tensor<i32>
                  %7 = stablehlo.dynamic_slice %arg1, %6, sizes = [1] : (tensor<4xf32>, tensor<i32>) -> tensor<1xf32>
                  %8 = stablehlo.reshape %7 : (tensor<1xf32>) -> tensor<f32>
                  %9 = stablehlo.add %arg3, %8 : tensor<f32>
                  %10 = stablehlo.reshape %arg3 : (tensor<f32>) -> tensor<1xf32>
                  %11 = stablehlo.dynamic_update_slice %arg4, %10, %6 : (tensor<4xf32>, tensor<1xf32>, tensor<i32>) -> tensor<4xf32>
                  %12 = stablehlo.constant dense<1> : tensor<i32>
                  %13 = stablehlo.add %arg2, %12 : tensor<i32>
                  stablehlo.return %13, %9, %11 : tensor<i32>, tensor<f32>, tensor<4xf32>
                }
                return %2#1, %2#2 : tensor<f32>, tensor<4xf32>
              }
            }
        "#]],
    );
}

#[test]
fn branches_and_reductions() {
    check(
        "program (%0: i32[], %1: f32[3]) {
          %2: f32[] = cond[branches=[
            program (%0: f32[3]) { %1: f32[] = reduce[combiner=add, dims=[0]](%0) return %1 },
            program (%0: f32[3]) { %1: f32[] = reduce[combiner=max, dims=[0]](%0) return %1 }
          ]](%0, %1)
          %3: f32[3] = sort[dim=0, stable=true, order=program (%0: f32[], %1: f32[]) {
            %2: bool[] = compare[direction=gt](%0, %1)
            return %2
          }](%1)
          return %2, %3
        }",
        expect![[r##"
            module {
              func.func public @main(%arg0: tensor<i32>, %arg1: tensor<3xf32>) -> (tensor<f32>, tensor<3xf32>) {
                %0 = stablehlo.constant dense<0> : tensor<i32>
                %1 = stablehlo.constant dense<1> : tensor<i32>
                %2 = stablehlo.clamp %0, %arg0, %1 : tensor<i32>
                %3 = "stablehlo.case"(%2) ({
                  %4 = stablehlo.constant dense<0.0> : tensor<f32>
                  %5 = stablehlo.reduce(%arg1 init: %4) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
                  stablehlo.return %5 : tensor<f32>
                }, {
                  %6 = stablehlo.constant dense<0xFF800000> : tensor<f32>
                  %7 = stablehlo.reduce(%arg1 init: %6) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
                  stablehlo.return %7 : tensor<f32>
                }) : (tensor<i32>) -> tensor<f32>
                %8 = "stablehlo.sort"(%arg1) <{dimension = 0 : i64, is_stable = true}> ({
                ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
                  %9 = stablehlo.compare GT, %arg2, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
                  stablehlo.return %9 : tensor<i1>
                }) : (tensor<3xf32>) -> tensor<3xf32>
                return %3, %8 : tensor<f32>, tensor<3xf32>
              }
            }
        "##]],
    );
}

/// XLA runs the function; who knows the name reads the op back.
#[test]
fn what_stablehlo_lacks_is_a_composite() {
    check(
        "program (%0: f32[4]) { %1: f32[4] = cumulative[kind=max, dim=0, reverse=false](%0) return %1 }",
        expect![[r#"
            module {
              func.func public @main(%arg0: tensor<4xf32>) -> tensor<4xf32> {
                %0 = stablehlo.composite "wengert.cumulative" %arg0 {composite_attributes = {op = "cumulative[kind=max, dim=0, reverse=false]"}, decomposition = @cumulative} : (tensor<4xf32>) -> tensor<4xf32>
                return %0 : tensor<4xf32>
              }
              func.func private @cumulative(%arg0: tensor<4xf32>) -> tensor<4xf32> {
                %0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
                %1 = "stablehlo.reduce_window"(%arg0, %0) <{base_dilations = array<i64: 1>, padding = dense<[[3, 0]]> : tensor<1x2xi64>, window_dilations = array<i64: 1>, window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
                ^bb0(%arg1: tensor<f32>, %arg2: tensor<f32>):
                  %2 = stablehlo.maximum %arg1, %arg2 : tensor<f32>
                  stablehlo.return %2 : tensor<f32>
                }) : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
                return %1 : tensor<4xf32>
              }
            }
        "#]],
    );
}

#[test]
fn constants_keep_every_bit() {
    check(
        "program () {
          %0: f32[3] = dense[1.0, -0.0, 1e-7]:f32[3]
          %1: f64[2] = dense[nan, 0.1]:f64[2]
          %2: bf16[] = 1.5:bf16[]
          %3: u64[2,1] = dense[18446744073709551615, 0]:u64[2,1]
          %4: c64[] = (1.0, -inf):c64[]
          %5: bool[2] = dense[true, false]:bool[2]
          %6: i8[0,3] = dense[]:i8[0,3]
          %7: f16[1000] = 2.0:f16[1000]
          %8: f32[2] = dense[3.0, 3.0]:f32[2]
          return %0, %1, %2, %3, %4, %5, %6, %7, %8
        }",
        expect![[r#"
            module {
              func.func public @main() -> (tensor<3xf32>, tensor<2xf64>, tensor<bf16>, tensor<2x1xui64>, tensor<complex<f32>>, tensor<2xi1>, tensor<0x3xi8>, tensor<1000xf16>, tensor<2xf32>) {
                %0 = stablehlo.constant dense<[1.0, -0.0, 1.0e-7]> : tensor<3xf32>
                %1 = stablehlo.constant dense<[0x7FF8000000000000, 0.1]> : tensor<2xf64>
                %2 = stablehlo.constant dense<1.5> : tensor<bf16>
                %3 = stablehlo.constant dense<[[18446744073709551615], [0]]> : tensor<2x1xui64>
                %4 = stablehlo.constant dense<(1.0,0xFF800000)> : tensor<complex<f32>>
                %5 = stablehlo.constant dense<[true, false]> : tensor<2xi1>
                %6 = stablehlo.constant dense<> : tensor<0x3xi8>
                %7 = stablehlo.constant dense<2.0> : tensor<1000xf16>
                %8 = stablehlo.constant dense<[3.0, 3.0]> : tensor<2xf32>
                return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<3xf32>, tensor<2xf64>, tensor<bf16>, tensor<2x1xui64>, tensor<complex<f32>>, tensor<2xi1>, tensor<0x3xi8>, tensor<1000xf16>, tensor<2xf32>
              }
            }
        "#]],
    );
}

#[test]
fn long_constants_are_bytes() {
    let mut b = Builder::new();
    let long = wengert_core::Tensor::new([65], (0..65).map(|i| i as i16 - 1).collect::<Vec<_>>()).expect("its size");
    let y = b.constant(long);
    let text = export(&b.finish(&[y])).expect("it goes out");
    let bytes: String = (0..65).map(|i: i16| format!("{:04X}", (i - 1).swap_bytes())).collect();
    assert!(text.contains(&format!("dense<\"0x{bytes}\"> : tensor<65xi16>")), "{text}");
}

#[test]
fn places_are_a_table() {
    let mut b = Builder::new();
    let x = b.input(Type::scalar(DType::F32));
    b.set_place(Place::named("src/model.rs", 41, 9));
    let y = b.neg(x);
    b.set_name(y, "y");
    let z = b.neg(y);
    let p = b.finish(&[z]);
    expect![[r##"
        #loc1 = loc("src/model.rs":41:9)
        #loc2 = loc("y"(#loc1))
        module {
          func.func public @main(%arg0: tensor<f32>) -> tensor<f32> {
            %0 = stablehlo.negate %arg0 : tensor<f32> loc(#loc2)
            %1 = stablehlo.negate %0 : tensor<f32> loc(#loc1)
            return %1 : tensor<f32>
          }
        }
    "##]]
    .assert_eq(&export(&p).expect("it goes out"));
    let bare = export_with(&p, &Options { locations: false, ..Options::default() }).expect("it goes out");
    assert!(!bare.contains("loc"), "{bare}");
}

#[test]
fn precision_is_said_where_asked() {
    let p = "program (x: f32[2,2]) { y: f32[2,2] = dot_general[contract=([1], [0]), batch=([], [])](x, x) return y }";
    let options = Options { precision: Precision::Highest, ..Options::default() };
    let text = export_with(&Program::parse(p).expect("a program"), &options).expect("it goes out");
    assert!(text.contains("contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] :"), "{text}");
}

/// An op with neither StableHLO of its own nor a decomposition.
#[derive(Debug)]
struct Opaque;

impl CustomOp for Opaque {
    fn name(&self) -> &str {
        "mine.opaque"
    }
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        Ok(x.to_vec())
    }
}

#[test]
fn what_is_refused_is_named() {
    let p = Program::parse("program () { i: i32[] = axis_index[axis=\"batch\", size=3]() return i }");
    let e = export(&p.expect("a program")).expect_err("it is refused");
    assert!(e.message().contains("batch"), "{e}");
    let mut b = Builder::new();
    let x = b.input(Type::scalar(DType::F32));
    let y = b.one(Custom::new(Opaque), &[x]);
    let e = export(&b.finish(&[y])).expect_err("it is refused");
    assert_eq!(e.kind(), ErrorKind::Unsupported);
    assert!(e.message().contains("`mine.opaque`"), "{e}");
}

#[test]
fn platforms_have_their_libraries() {
    let p = "program (x: c64[2,3,3]) { w: f32[2,3], v: c64[2,3,3] = eigh[lower=true](x) return w }";
    let p = Program::parse(p).expect("a program");
    let text = |platform| export_with(&p, &Options { platform, ..Options::default() }).expect("it goes out");
    assert!(text(Platform::Cpu).contains("@lapack_cheevd_ffi("));
    assert!(text(Platform::Cuda).contains("@cusolver_syevd_ffi("));
    assert!(!text(Platform::Portable).contains("custom_call"));
}

/// XLA's compiler for GPUs knows a gradient of a convolution by the reversed kernel.
#[test]
fn kernels_are_reversed_where_a_gpu_wants_them_so() {
    let p = Program::parse(
        "program (x: f32[1,2,5,6], k: f32[3,2,2,3]) {
  y: f32[1,3,4,4] = convolution[lhs=[0, 1, 2, 3], rhs=[0, 1, 2, 3], out=[0, 1, 2, 3], strides=[1, 1], padding=[(0, 0), (0, 0)], lhs_dilation=[1, 1], rhs_dilation=[1, 1], reversal=[false, true], feature_groups=1, batch_groups=1](x, k)
  return y
}",
    )
    .unwrap();
    let text = |platform| export_with(&p, &Options { platform, ..Options::default() }).unwrap();
    assert!(text(Platform::Cpu).contains("reverse = [false, true]"));
    for gpu in [text(Platform::Cuda), text(Platform::Portable)] {
        assert!(
            gpu.contains("stablehlo.reverse %arg1, dims = [3]") && gpu.contains("reverse = [false, false]"),
            "{gpu}"
        );
    }
}

#[test]
fn results_take_the_memory_of_donated_inputs() {
    let p = "program (x: f32[2], y: f32[2], z: i32[]) { a: f32[2] = add(x, y) return a, z }";
    let p = Program::parse(p).expect("a program");
    let text = export_donating(&p, &Options::default(), &[true, true, false]).expect("it goes out");
    let line = text.lines().find(|l| l.contains("@main")).expect("a function");
    assert!(line.contains("%arg0: tensor<2xf32> {tf.aliasing_output = 0 : i32}"), "{line}");
    assert!(line.contains("%arg1: tensor<2xf32> {jax.buffer_donor = true}"), "{line}");
    assert!(line.contains("%arg2: tensor<i32>"), "{line}");
    assert!(!line.contains("%arg2: tensor<i32> {"), "{line}");
}

#[test]
fn a_hundred_thousand_equations() {
    let mut b = Builder::new();
    let x = b.input(Type::new(DType::F32, [8, 8]));
    let mut y = x;
    for i in 0..100_000u32 {
        b.set_place(Place::named("model.rs", i % 500, 1));
        y = b.binary(if i % 2 == 0 { Binary::Add } else { Binary::Mul }, y, x);
    }
    let p = b.finish(&[y]);
    let text = export(&p).expect("it goes out");
    assert_eq!(text.lines().count(), 100_000 + 500 + 5);
}
