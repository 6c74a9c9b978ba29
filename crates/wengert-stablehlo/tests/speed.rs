//! How long reading takes: `cargo test --release -p wengert-stablehlo --test speed -- --ignored --nocapture`.

use std::fmt::Write;
use std::time::Instant;
use wengert_stablehlo::{import, syntax::Module};

/// A module of about this many lines, with constants, products, locations.
fn module(lines: usize) -> String {
    let mut text = String::from(
        "module @m {\n  func.func public @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {\n",
    );
    let mut last = "x".to_string();
    for i in 0..lines / 5 {
        let loc = i % 50;
        let t = "tensor<4x8xf32>";
        writeln!(text, "    %c{i} = stablehlo.constant dense<1.5{i}e+00> : tensor<f32> loc(#loc{loc})").unwrap();
        writeln!(text, "    %b{i} = stablehlo.broadcast_in_dim %c{i}, dims = [] : (tensor<f32>) -> {t} loc(#loc{loc})")
            .unwrap();
        writeln!(
            text,
            "    %d{i} = stablehlo.dot_general %{last}, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : \
             ({t}, tensor<8x8xf32>) -> {t} loc(#loc{loc})"
        )
        .unwrap();
        writeln!(text, "    %s{i} = stablehlo.slice %d{i} [0:4, 0:8] : ({t}) -> {t} loc(#loc{loc})").unwrap();
        writeln!(text, "    %a{i} = stablehlo.add %s{i}, %b{i} : {t} loc(#loc{loc})").unwrap();
        last = format!("a{i}");
    }
    write!(text, "    return %{last} : tensor<4x8xf32>\n  }}\n}}\n").unwrap();
    for i in 0..50 {
        writeln!(text, "#loc{i} = loc(\"f\"(\"model.py\":{i}:3))").unwrap();
    }
    text
}

#[test]
#[ignore = "a measurement, for optimized builds"]
fn a_hundred_thousand_lines_take_less_than_a_second() {
    let text = module(100_000);
    let best = (0..5).map(|_| {
        let start = Instant::now();
        let module = Module::parse(&text).unwrap();
        let syntax = start.elapsed();
        assert!(import::program(&module).unwrap().equations().len() >= 100_000);
        (start.elapsed(), syntax)
    });
    let (all, syntax) = best.min().unwrap();
    println!("{} lines, {} bytes: {all:.0?}, the tree {syntax:.0?} of that", text.lines().count(), text.len());
    assert!(all.as_secs_f64() < 1.0);
}

/// What a constant claims to be takes no memory: only what is spelled out does.
#[test]
fn a_splat_of_any_size_stays_one_value() {
    let ty = "tensor<100000x100000x100xf32>";
    let text = format!("func.func @main() -> {ty} {{ %0 = stablehlo.constant dense<2.0> : {ty} return %0 : {ty} }}");
    let program = wengert_stablehlo::parse(&text).unwrap();
    assert_eq!(program.output_types()[0].shape.size(), 1_000_000_000_000);
}
