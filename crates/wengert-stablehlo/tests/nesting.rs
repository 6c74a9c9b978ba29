//! Modules as JAX prints deep ones: a function for each level, and what of that is refused.

use wengert_core::{ErrorKind, Program, Tensor, simplify, transform};
use wengert_stablehlo::{export, parse};

/// `levels` functions, each of which calls the next: from a loop of one step, if it is one of the `loops`.
fn chain(levels: usize, loops: impl Fn(usize) -> bool) -> String {
    let (ty, call) = ("tensor<f32>", "(tensor<f32>) -> tensor<f32>");
    let function = |i: usize| {
        let name = if i == 0 { "main".into() } else { format!("f{i}") };
        let body = match i + 1 < levels {
            false => format!("%y = stablehlo.sine %x : {ty}"),
            true if loops(i) => format!(
                "%zero = stablehlo.constant dense<0> : tensor<i32>
                %n:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, {ty} cond {{
                  %end = stablehlo.constant dense<1> : tensor<i32>
                  %p = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
                  stablehlo.return %p : tensor<i1>
                }} do {{
                  %one = stablehlo.constant dense<1> : tensor<i32>
                  %j = stablehlo.add %i, %one : tensor<i32>
                  %w = func.call @f{}(%v) : {call}
                  stablehlo.return %j, %w : tensor<i32>, {ty}
                }}
                %y = stablehlo.abs %n#1 : {ty}",
                i + 1
            ),
            true => format!("%y = call @f{}(%x) : {call}", i + 1),
        };
        format!("func.func @{name}(%x: {ty}) -> {ty} {{ {body} return %y : {ty} }}\n")
    };
    (0..levels).map(function).collect()
}

/// A program goes through everything there is.
fn works(program: &Program) {
    program.verify().unwrap();
    let at = || vec![Tensor::scalar(0.5f32)];
    let plain = wengert_eval::run(program, at()).unwrap();
    let simple = simplify::simplify(program);
    assert_eq!(wengert_eval::run(&simple, at()).unwrap(), plain);
    let back = parse(&export(program).unwrap()).unwrap();
    assert_eq!(wengert_eval::run(&back, at()).unwrap(), plain);
    assert!(Program::parse(&program.to_text()).unwrap() == *program);
    let gradient = transform::vjp(program, &[true]).unwrap();
    gradient.verify().unwrap();
}

/// C8: as deep as JAX's programs are, and deeper.
#[test]
fn calls_inside_of_calls() {
    works(&parse(&chain(256, |_| false)).unwrap());
}

#[test]
fn loops_inside_of_loops() {
    works(&parse(&chain(128, |_| true)).unwrap());
}

/// However long the chain, it is refused and nothing overflows.
#[test]
fn too_deep_is_refused() {
    for text in [chain(257, |_| false), chain(20_000, |_| false), chain(1000, |_| true)] {
        let e = parse(&text).unwrap_err();
        assert!(e.kind() == ErrorKind::Unsupported && e.offset().is_some(), "{e}");
        assert!(e.message().contains("more than 256"), "{e}");
    }
}

/// D3: batched, each of these has one more axis than the one around it, and an array has up to 64. Then that is an error,
/// and elements are combined one by one.
#[test]
fn reductions_inside_of_reductions() {
    let open = "program (x: f32[], y: f32[]) {\n z: f32[] = reduce[combiner=".repeat(66);
    let close = ", dims=[]](x, y) return z }".repeat(66);
    let text = format!("{open}program (x: f32[], y: f32[]) {{ z: f32[] = add(x, y) return z }}{close}");
    let program = Program::parse(&text).unwrap();
    let y = wengert_eval::run(&program, vec![Tensor::scalar(0.5f32), Tensor::scalar(2.0f32)]).unwrap();
    assert_eq!(y, [Tensor::scalar(2.5f32)]);
    let e = transform::batch(&program, 3, None, &[true, true], &[true]).unwrap_err();
    assert!(e.message().contains("an array can't have 65 axes"), "{e}");
}
