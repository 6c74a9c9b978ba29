//! What comes in from modules that hold more than a program: calls of Python, other platforms, marks of editors.

use std::sync::Arc;
use wengert_core::run::Device;
use wengert_core::{ErrorKind, Program, Scalar, Tensor};
use wengert_stablehlo::{export, parse, read};

/// A call that gives nothing is left out, and that is said; values that Python would give are refused.
#[test]
fn calls_of_python() {
    let module = |call: &str| {
        format!(
            "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {{
               {call}
               return %x : tensor<2xf32>
             }}"
        )
    };
    let call = "stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) {has_side_effect = true} : (tensor<2xf32>) -> ";
    let printed = read(&module(&format!("{call}()"))).unwrap();
    assert_eq!(printed.program.equations().len(), 0);
    let [note] = &printed.notes[..] else { panic!("{:?}", printed.notes) };
    assert!(note.starts_with("line 2, column 16") && note.contains("xla_ffi_python_cpu_callback"), "{note}");
}

/// So equinox writes `error_if`, and with it diffrax, optimistix and lineax: Python is asked only where something is wrong.
#[test]
fn calls_of_python_fail_when_they_are_reached() {
    let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %wrong = stablehlo.compare LT, %x, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %i = stablehlo.convert %wrong : (tensor<i1>) -> tensor<i32>
      %y = \"stablehlo.case\"(%i) ({
        %2 = stablehlo.add %x, %x : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }, {
        %2 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%x) : (tensor<f32>) -> tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }) : (tensor<i32>) -> tensor<f32>
      return %y : tensor<f32>
    }";
    let read = read(text).expect("a program");
    let [note] = &read.notes[..] else { panic!("{:?}", read.notes) };
    assert!(note.starts_with("line 9, column 14") && note.contains("asks Python"), "{note}");
    // As text too.
    let again = Program::parse(&read.program.to_string()).expect("the same");
    for program in [read.program, again].map(Arc::new) {
        let compiled = wengert_cpu::CPU.compile(program.clone(), &[]).expect("machine code");
        let run = |x: f32| {
            let (x, y) = (vec![Tensor::scalar(x)], compiled.run_on_host(vec![Tensor::scalar(x)]));
            let plain = wengert_eval::run(&program, x);
            assert_eq!(plain.is_ok(), y.is_ok());
            y.map(|y| y[0].get(0))
        };
        assert_eq!(run(2.0).expect("nothing is wrong"), Scalar::F32(4.0));
        let e = run(-2.0).expect_err("it is");
        assert_eq!(e.kind(), ErrorKind::Unsupported);
        assert!(e.message().contains("line 9, column 14: the run came to a call of `xla_ffi_python_cpu"), "{e}");
    }
}

/// So JAX writes `jax.debug.print(.., ordered=True)`: tokens go in and out, also of calls and loops.
#[test]
fn tokens_hold_nothing() {
    let print =
        "%t, %u = func.call @say(%token, %x) : (!stablehlo.token, tensor<i32>) -> (!stablehlo.token, tensor<i32>)";
    let text = format!(
        "func.func @main(%token: !stablehlo.token {{jax.token = true}}, %x: tensor<i32>)
           -> (!stablehlo.token {{jax.token = true}}, tensor<i32>) {{
         {print}
         %n = stablehlo.constant dense<3> : tensor<i32>
         %one = stablehlo.constant dense<1> : tensor<i32>
         %loop:3 = stablehlo.while(%a = %u, %s = %t, %k = %one) : tensor<i32>, !stablehlo.token, tensor<i32>
           cond {{
             %more = stablehlo.compare LE, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
             stablehlo.return %more : tensor<i1>
           }} do {{
             %said = stablehlo.custom_call @xla_ffi_python_cpu_callback(%s, %a) {{has_side_effect = true}}
               : (!stablehlo.token, tensor<i32>) -> !stablehlo.token
             %b = stablehlo.multiply %a, %k : tensor<i32>
             %l = stablehlo.add %k, %one : tensor<i32>
             stablehlo.return %b, %said, %l : tensor<i32>, !stablehlo.token, tensor<i32>
           }}
         %all = stablehlo.after_all %loop#1, %t : !stablehlo.token
         %y = stablehlo.add %loop#0, %loop#2 : tensor<i32>
         return %all, %y : !stablehlo.token, tensor<i32>
       }}
       func.func private @say(%token: !stablehlo.token, %x: tensor<i32>) -> (!stablehlo.token, tensor<i32>) {{
         %y = stablehlo.add %x, %x : tensor<i32>
         %new = stablehlo.create_token : !stablehlo.token
         return %new, %y : !stablehlo.token, tensor<i32>
       }}"
    );
    let read = read(&text).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!((read.inputs, read.notes.len()), (vec!["x".to_string()], 1));
    let y = wengert_eval::run(&read.program, vec![Tensor::scalar(5i32)]).expect("a number");
    assert_eq!(y[0].get(0), Scalar::I32(10 * 6 + 4));
    let e = parse(
        "func.func @main(%x: tensor<i32>) -> tensor<i32> { %t = stablehlo.after_all %x : !stablehlo.token return %x : tensor<i32> }",
    );
    assert!(e.is_err());
}

/// A module for several platforms, as `jax.export` writes it, in both forms.
fn several_platforms(quoted: bool) -> String {
    let (name, value) = ("jax.global_constant", "\"_platform_index\"");
    let region = "%5 = \"stablehlo.case\"(%arg0) ({
        %c = stablehlo.constant dense<0> : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }, {
        %c = stablehlo.constant dense<1> : tensor<i32>
        stablehlo.return %c : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %6 = \"stablehlo.case\"(%5) ({
        %y = stablehlo.add %arg1, %arg1 : tensor<2xf32>
        stablehlo.return %y : tensor<2xf32>
      }, {
        %y = func.call @elsewhere(%arg1) : (tensor<2xf32>) -> tensor<2xf32>
        stablehlo.return %y : tensor<2xf32>
      }) : (tensor<i32>) -> tensor<2xf32>";
    let main = match quoted {
        true => format!(
            "\"func.func\"() <{{arg_attrs = [{{{name} = {value}}}, {{}}], function_type = (tensor<i32>, tensor<2xf32>) ->
             tensor<2xf32>, sym_name = \"main\"}}> ({{ ^bb0(%arg0: tensor<i32>, %arg1: tensor<2xf32>): {region}
             \"func.return\"(%6) : (tensor<2xf32>) -> () }}) : () -> ()"
        ),
        false => format!(
            "func.func @main(%arg0: tensor<i32> {{{name} = {value}}}, %arg1: tensor<2xf32>) -> tensor<2xf32> {{ {region}
             return %6 : tensor<2xf32> }}"
        ),
    };
    format!(
        "module {{ {main}
           func.func private @elsewhere(%x: tensor<2xf32>) -> tensor<2xf32> {{
             %0 = stablehlo.custom_call @of_another_platform(%x) : (tensor<2xf32>) -> tensor<2xf32>
             return %0 : tensor<2xf32>
           }}
         }}"
    )
}

/// The branch of this platform runs, whatever another holds; that one is refused when it runs, and when it goes out.
#[test]
fn what_other_platforms_have() {
    for text in [several_platforms(false), several_platforms(true)] {
        let program = parse(&text).unwrap();
        program.verify().unwrap();
        assert_eq!(Program::parse(&program.to_text()).unwrap(), program);
        let x = Tensor::new([2], vec![1.0f32, 2.0]).unwrap();
        for program in [wengert_core::simplify::simplify(&program), program] {
            let run = |platform: i32| wengert_eval::run(&program, vec![Tensor::scalar(platform), x.clone()]);
            assert_eq!(run(0).unwrap()[0].to_vec::<f32>().unwrap(), [2.0, 4.0]);
            for e in [run(1).unwrap_err(), export(&program).unwrap_err()] {
                assert!(e.kind() == ErrorKind::Unsupported && e.message().contains("`of_another_platform`"), "{e}");
            }
        }
        // Any other branch must be read, and so must one at least.
        for (from, to) in [("_platform_index", "_other_index"), ("stablehlo.add", "stablehlo.frobnicate")] {
            let e = parse(&text.replace(from, to)).unwrap_err();
            assert!(e.kind() == ErrorKind::Unsupported && e.message().contains(" is not supported"), "{e}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_nothing() {
    let text = "\u{feff}func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }";
    assert_eq!(parse(text).unwrap(), parse(text.trim_start_matches('\u{feff}')).unwrap());
}

/// More than `k` results, where choosing among them is left to others.
#[test]
fn approximate_top_k_that_is_not_aggregated() {
    let text = |aggregate: bool, n: usize| {
        format!(
            "func.func @greater(%a: tensor<f32>, %b: tensor<f32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<i1> {{
               %0 = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
               return %0 : tensor<i1>
             }}
             func.func @main(%x: tensor<5xf32>) -> tensor<{n}xi32> {{
               %0 = stablehlo.iota dim = 0 : tensor<5xi32>
               %i = stablehlo.constant dense<-1> : tensor<i32>
               %f = stablehlo.constant dense<0xFF800000> : tensor<f32>
               %1:2 = stablehlo.custom_call @ApproxTopK(%x, %0, %f, %i) {{called_computations = [@greater],
                 mhlo.backend_config = {{aggregate_to_topk = {aggregate}, reduction_dim = 0 : i64, top_k = 2 : i64}}}}
                 : (tensor<5xf32>, tensor<5xi32>, tensor<f32>, tensor<i32>) -> (tensor<{n}xf32>, tensor<{n}xi32>)
               return %1#1 : tensor<{n}xi32>
             }}"
        )
    };
    let x = Tensor::new([5], vec![1.0f32, 5.0, 2.0, 4.0, 3.0]).unwrap();
    for (aggregate, first) in [(true, &[1, 3][..]), (false, &[1, 3, 4])] {
        let program = parse(&text(aggregate, first.len())).unwrap();
        assert_eq!(wengert_eval::run(&program, vec![x.clone()]).unwrap()[0].to_vec::<i32>().unwrap(), first);
    }
    assert!(parse(&text(true, 3)).is_err() && parse(&text(false, 6)).is_err());
}

/// A tuple that a function returns is its elements, for `@main` and for who calls it, as older PyTorch/XLA writes it.
#[test]
fn returned_tuples_are_taken_apart() {
    let (one, both) = ("tensor<2xf32>", "tuple<tensor<2xf32>, tensor<i32>>");
    let text = |returned: &str| {
        format!(
            "func.func @main(%x: {one}, %i: tensor<i32>) -> {returned} {{
               %0 = call @swap(%i, %x) : (tensor<i32>, {one}) -> {both}
               %1 = stablehlo.get_tuple_element %0[0] : ({both}) -> {one}
               %2 = stablehlo.add %1, %1 : {one}
               %3 = \"stablehlo.tuple\"(%2, %i) {{xla_shape = \"(f32[2], s32[])\"}} : ({one}, tensor<i32>) -> {both}
               return %3 : {returned}
             }}
             func.func private @swap(%i: tensor<i32>, %x: {one}) -> {both} {{
               %0 = stablehlo.tuple %x, %i : {both}
               return %0 : {both}
             }}"
        )
    };
    let program = parse(&text(both)).unwrap();
    let x = Tensor::new([2], vec![1.0f32, 2.0]).unwrap();
    let y = wengert_eval::run(&program, vec![x, Tensor::scalar(7)]).unwrap();
    assert_eq!((y[0].to_vec::<f32>().unwrap(), y[1].to_vec::<i32>().unwrap()), (vec![2.0, 4.0], vec![7]));
    for wrong in ["tuple<tensor<2xf32>>", "tuple<tensor<i32>, tensor<2xf32>>", one] {
        parse(&text(wrong)).expect_err(wrong);
    }
}

/// Bounds of sizes that are known say nothing, in both spellings.
#[test]
fn encodings_that_say_nothing() {
    let plain = "func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> { return %x : tensor<2x3xf32> }";
    for encoding in ["#stablehlo.bounds<?, ?>", "#stablehlo.type_extensions<bounds = [?, ?]>"] {
        let text = plain.replacen("x3xf32", &format!("x3xf32, {encoding}"), 1);
        assert_eq!(parse(&text).unwrap(), parse(plain).unwrap());
    }
}

/// In the total order of floats, 0 is above -0 and NaN above all: the values are XLA's.
#[test]
fn selections_by_the_total_order() {
    let text = |order: &str| {
        format!(
            "func.func @main(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {{
               %c = stablehlo.constant dense<0.0> : tensor<f32>
               %0 = \"stablehlo.select_and_scatter\"(%x, %y, %c) <{{window_dimensions = array<i64: 2>,
                 window_strides = array<i64: 2>}}> ({{
               ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                 %1 = stablehlo.compare GE, %a, %b, {order} : (tensor<f32>, tensor<f32>) -> tensor<i1>
                 stablehlo.return %1 : tensor<i1>
               }}, {{
               ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                 %1 = stablehlo.add %a, %b : tensor<f32>
                 stablehlo.return %1 : tensor<f32>
               }}) : (tensor<4xf32>, tensor<2xf32>, tensor<f32>) -> tensor<4xf32>
               return %0 : tensor<4xf32>
             }}"
        )
    };
    let x = Tensor::new([4], vec![-0.0f32, 0.0, f32::NAN, 1.0]).unwrap();
    let y = Tensor::new([2], vec![1.0f32, 2.0]).unwrap();
    for (order, expected) in [("FLOAT", [1.0, 0.0, 0.0, 2.0]), ("TOTALORDER", [0.0, 1.0, 2.0, 0.0])] {
        let z = wengert_eval::run(&parse(&text(order)).unwrap(), vec![x.clone(), y.clone()]).unwrap();
        assert_eq!(z[0].to_vec::<f32>().unwrap(), expected, "{order}");
    }
}

/// A window as long as the axis that ends, or starts, at each element: JAX's `cumsum` and its relatives.
#[test]
fn what_jax_accumulates() {
    let read = |start: &str, padding: &str, size: usize, body: &str| {
        let text = format!(
            r#"func.func @main(%x: tensor<2x9xf32>) -> tensor<2x9xf32> {{
              %start = stablehlo.constant dense<{start}> : tensor<f32>
              %y = "stablehlo.reduce_window"(%x, %start) <{{base_dilations = array<i64: 1, 1>,
                  padding = dense<[[0, 0], {padding}]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>,
                  window_dimensions = array<i64: 1, {size}>, window_strides = array<i64: 1, 1>}}> ({{
              ^bb0(%a: tensor<f32>, %b: tensor<f32>):
                {body}
                stablehlo.return %r : tensor<f32>
              }}) : (tensor<2x9xf32>, tensor<f32>) -> tensor<2x9xf32>
              return %y : tensor<2x9xf32>
            }}"#
        );
        let program = wengert_stablehlo::parse(&text).unwrap();
        program.equations().iter().map(|e| e.op.to_text()).collect::<Vec<_>>()
    };
    let log_add_exp = "%0 = stablehlo.maximum %a, %b : tensor<f32>
        %1 = stablehlo.subtract %a, %b : tensor<f32>
        %2 = stablehlo.compare NE, %1, %1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
        %3 = stablehlo.add %a, %b : tensor<f32>
        %4 = stablehlo.abs %1 : tensor<f32>
        %5 = stablehlo.negate %4 : tensor<f32>
        %6 = stablehlo.exponential %5 : tensor<f32>
        %7 = stablehlo.log_plus_one %6 : tensor<f32>
        %8 = stablehlo.add %0, %7 : tensor<f32>
        %r = stablehlo.select %2, %3, %8 : tensor<i1>, tensor<f32>";
    let [add, max] = ["add", "maximum"].map(|op| format!("%r = stablehlo.{op} %a, %b : tensor<f32>"));
    let (before, after) = ("[8, 0]", "[0, 8]");
    assert_eq!(read("0.0", before, 9, &add), ["cumulative[kind=sum, dim=1, reverse=false]"]);
    assert_eq!(read("0xFF800000", after, 9, &max), ["cumulative[kind=max, dim=1, reverse=true]"]);
    assert_eq!(read("0xFF800000", before, 9, log_add_exp), ["cumulative[kind=logsumexp, dim=1, reverse=false]"]);
    // Another start is combined with the sum; the logarithms of a sum that starts elsewhere stay as they are.
    let ops = read("2.0", before, 9, &add);
    assert!(
        ops.contains(&"cumulative[kind=sum, dim=1, reverse=false]".into()) && ops.contains(&"add".into()),
        "{ops:?}"
    );
    for ops in [read("0.0", before, 9, log_add_exp), read("0.0", "[4, 4]", 9, &add), read("0.0", "[1, 1]", 3, &add)] {
        assert!(ops.last().is_some_and(|op| op.starts_with("reduce_window")), "{ops:?}");
    }
}

/// A reduction of values and places together is the index of an extreme, if it combines them so; another one is not.
#[test]
fn the_index_of_an_extreme() {
    let module = |element: &str, worst: &str, direction: &str, ties: &str| {
        format!(
            "func.func @main(%x: tensor<3x5x{element}>) -> (tensor<3x{element}>, tensor<3xi32>) {{
               %i = stablehlo.iota dim = 1 : tensor<3x5xi32>
               %w = stablehlo.constant dense<{worst}> : tensor<{element}>
               %z = stablehlo.constant dense<0> : tensor<i32>
               %r:2 = stablehlo.reduce(%x init: %w), (%i init: %z) across dimensions = [1] :
                   (tensor<3x5x{element}>, tensor<3x5xi32>, tensor<{element}>, tensor<i32>)
                   -> (tensor<3x{element}>, tensor<3xi32>)
                reducer(%a: tensor<{element}>, %b: tensor<{element}>) (%k: tensor<i32>, %l: tensor<i32>)  {{
                 %2 = stablehlo.compare {direction}, %a, %b : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
                 %3 = stablehlo.compare NE, %a, %a : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
                 %4 = stablehlo.or %2, %3 : tensor<i1>
                 %5 = stablehlo.compare EQ, %a, %b : (tensor<{element}>, tensor<{element}>) -> tensor<i1>
                 %6 = stablehlo.compare {ties}, %k, %l : (tensor<i32>, tensor<i32>) -> tensor<i1>
                 %7 = stablehlo.and %5, %6 : tensor<i1>
                 %8 = stablehlo.or %4, %7 : tensor<i1>
                 %9 = stablehlo.select %4, %a, %b : tensor<i1>, tensor<{element}>
                 %10 = stablehlo.select %8, %k, %l : tensor<i1>, tensor<i32>
                 stablehlo.return %9, %10 : tensor<{element}>, tensor<i32>
               }}
               return %r#0, %r#1 : tensor<3x{element}>, tensor<3xi32>
             }}"
        )
    };
    let found = |text: &str| parse(text).unwrap().any(|_, e| e.op.name() == "arg_reduce");
    assert!(found(&module("f32", "0xFF800000", "GT", "LT")));
    assert!(found(&module("f32", "0x7F800000", "LT", "LT")));
    assert!(found(&module("i32", "-2147483648", "GT", "LT")));
    // The last of equal ones, and values below zero alone.
    assert!(!found(&module("f32", "0xFF800000", "GT", "GT")));
    assert!(!found(&module("f32", "0.0", "GT", "LT")));
    let x =
        Tensor::new([3, 5], vec![1f32, 4., 4., 0., -1., f32::NAN, 9., f32::NAN, 0., 0., 2., 1., 0., 3., 3.]).unwrap();
    let y = wengert_eval::run(&parse(&module("f32", "0xFF800000", "GT", "LT")).unwrap(), vec![x]).unwrap();
    assert_eq!(y[1].elements::<i32>(), [1, 0, 3]);
    assert_eq!((y[0].get(0).as_f64(), y[0].get(2).as_f64()), (Some(4.0), Some(3.0)));
}

/// What a module without arguments gives, element by element.
fn given(operations: &str, ty: &str) -> Vec<Scalar> {
    let text = format!("func.func @main() -> {ty} {{ {operations} return %y : {ty} }}");
    let program = parse(&text).unwrap_or_else(|e| panic!("{e}"));
    let y = wengert_eval::run(&program, Vec::new()).unwrap_or_else(|e| panic!("{e}")).remove(0);
    let out = export(&program).expect("it goes out");
    // XLA keeps a bool in a byte, and refuses to take it for a bit.
    let refused = |l: &str| l.contains("bitcast_convert") && l.contains("xi1>");
    assert!(!out.lines().any(refused), "{out}");
    let again = parse(&out).unwrap_or_else(|e| panic!("{e}"));
    let z = wengert_eval::run(&again, Vec::new()).unwrap_or_else(|e| panic!("{e}")).remove(0);
    assert!(wengert_testing::same_bits(&y, &z), "{y:?} {z:?}");
    (0..y.size()).map(|i| y.get(i)).collect()
}

#[test]
fn bools_are_the_bits_of_numbers() {
    let to = "%x = stablehlo.constant dense<[[true, false, true, false, false, false, false, true], [false, true, true, true, false, false, false, false]]> : tensor<2x8xi1> %y = stablehlo.bitcast_convert %x : (tensor<2x8xi1>) -> tensor<2xui8>";
    assert_eq!(given(to, "tensor<2xui8>"), [Scalar::U8(0b1000_0101), Scalar::U8(0b0000_1110)]);
    let from = "%x = stablehlo.constant dense<-127> : tensor<i8> %y = stablehlo.bitcast_convert %x : (tensor<i8>) -> tensor<8xi1>";
    assert_eq!(given(from, "tensor<8xi1>"), [1, 0, 0, 0, 0, 0, 0, 1].map(|b| Scalar::Bool(b == 1)));
    let float = "%x = stablehlo.constant dense<1.0> : tensor<f32> %b = stablehlo.bitcast_convert %x : (tensor<f32>) -> tensor<32xi1> %y = stablehlo.bitcast_convert %b : (tensor<32xi1>) -> tensor<f32>";
    assert_eq!(given(float, "tensor<f32>"), [Scalar::F32(1.0)]);
    let same = "%x = stablehlo.constant dense<true> : tensor<i1> %y = stablehlo.bitcast_convert %x : (tensor<i1>) -> tensor<i1>";
    assert_eq!(given(same, "tensor<i1>"), [Scalar::Bool(true)]);
}

#[test]
fn cube_roots_of_complex_numbers_are_the_principal_ones() {
    let text = "%x = stablehlo.constant dense<[(-8.0, 0.0), (0.0, 27.0), (0.0, 0.0)]> : tensor<3xcomplex<f64>> %y = stablehlo.cbrt %x : tensor<3xcomplex<f64>>";
    let half = 3f64.sqrt();
    for (y, (re, im)) in
        given(text, "tensor<3xcomplex<f64>>").into_iter().zip([(1.0, half), (1.5 * half, 1.5), (0.0, 0.0)])
    {
        let y = y.as_complex();
        assert!((y.re - re).abs() < 1e-14 && (y.im - im).abs() < 1e-14, "{y} {re} {im}");
    }
}

#[test]
fn a_complex_number_is_true_where_its_real_part_is() {
    let text = "%x = stablehlo.constant dense<[(0.0, 1.0), (2.0, 0.0), (0.0, 0.0)]> : tensor<3xcomplex<f32>> %y = stablehlo.convert %x : (tensor<3xcomplex<f32>>) -> tensor<3xi1>";
    assert_eq!(given(text, "tensor<3xi1>"), [false, true, false].map(Scalar::Bool));
}

#[test]
fn without_a_mantissa_nan_is_infinite() {
    let text = "%x = stablehlo.constant dense<[0x7FC00000, 1.5, 0xFFC00000]> : tensor<3xf32> %y = stablehlo.reduce_precision %x, format = e8m0 : tensor<3xf32>";
    assert_eq!(given(text, "tensor<3xf32>"), [f32::INFINITY, 2.0, f32::INFINITY].map(Scalar::F32));
}

/// The libraries of GPUs have no solves of half precision.
#[test]
fn solves_of_half_precision_go_out_widened() {
    for d in ["f16", "bf16"] {
        let op = "triangular_solve[left_side=true, lower=true, unit_diagonal=true, transpose_a=no](a, x)";
        let text = format!("program (a: {d}[3,3], x: {d}[3,2]) {{ y: {d}[3,2] = {op} return y }}");
        let program = Program::parse(&text).expect("a program");
        let out = export(&program).expect("it goes out");
        let solve = out.lines().find(|l| l.contains("\"stablehlo.triangular_solve\"")).expect("a solve");
        assert!(solve.ends_with(": (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>"), "{out}");
        assert_eq!(parse(&out).expect("it comes in").equations()[0].op, program.equations()[0].op);
    }
}
