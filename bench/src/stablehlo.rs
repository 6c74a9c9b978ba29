//! What reading StableHLO costs: time by the line, and memory by the text.

use crate::tape_file::phase;
use std::fmt::Write;
use std::time::Instant;
use wengert_stablehlo::{import, parse, syntax::Module};

/// A module of about this many lines, with constants, products, locations.
fn module(lines: usize) -> String {
    let mut text = String::from(
        "module @m {\n  func.func public @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {\n",
    );
    let t = "tensor<4x8xf32>";
    let mut last = "x".to_string();
    for i in 0..lines / 5 {
        let loc = format!("loc(#loc{})", i % 50);
        let five = [
            format!("%c{i} = stablehlo.constant dense<1.5{i}e+00> : tensor<f32> {loc}"),
            format!("%b{i} = stablehlo.broadcast_in_dim %c{i}, dims = [] : (tensor<f32>) -> {t} {loc}"),
            format!(
                "%d{i} = stablehlo.dot_general %{last}, %w, contracting_dims = [1] x [0], \
                 precision = [DEFAULT, DEFAULT] : ({t}, tensor<8x8xf32>) -> {t} {loc}"
            ),
            format!("%s{i} = stablehlo.slice %d{i} [0:4, 0:8] : ({t}) -> {t} {loc}"),
            format!("%a{i} = stablehlo.add %s{i}, %b{i} : {t} {loc}"),
        ];
        five.iter().for_each(|line| writeln!(text, "    {line}").expect("a string"));
        last = format!("a{i}");
    }
    write!(text, "    return %{last} : {t}\n  }}\n}}\n").expect("a string");
    for i in 0..50 {
        writeln!(text, "#loc{i} = loc(\"f\"(\"model.py\":{i}:3))").expect("a string");
    }
    text
}

/// A module of constants, each of which claims a terabyte.
fn claims(lines: usize) -> String {
    let t = "tensor<1000000x250000xf32>";
    let one = |i| format!("    %{i} = stablehlo.constant dense<{i}.5> : {t}\n");
    let body: String = (0..lines).map(one).collect();
    format!("func.func @main() -> {t} {{\n{body}    return %0 : {t}\n}}\n")
}

/// Prints the costs of reading.
pub fn print() {
    let (text, claims) = (module(100_000), claims(10_000));
    println!("read, and kept as a program:");
    for (text, what) in [(&claims, "that claim 10 PB"), (&text, "of text")] {
        let name = format!("{} kB {what}", text.len() / 1000);
        drop(phase(&name, || parse(text).expect("it is a program")));
    }
    let read = || {
        let start = Instant::now();
        let module = Module::parse(&text).expect("it is well formed");
        let syntax = start.elapsed();
        assert!(import::program(&module).expect("it is a program").equations().len() >= 100_000);
        (start.elapsed(), syntax)
    };
    let (all, syntax) = (0..5).map(|_| read()).min().expect("five");
    let verdict = if all.as_secs_f64() < 1.0 { "ok" } else { "TOO SLOW" };
    println!(
        "{} lines, {} bytes: {all:.0?}, the tree {syntax:.0?} of that; under a second: {verdict}",
        text.lines().count(),
        text.len()
    );
}
