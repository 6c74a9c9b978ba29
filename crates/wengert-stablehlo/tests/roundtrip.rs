//! Out and in again: what we print, read and printed once more is the same text; and what is read computes the same.

use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert_core::compare::Tolerance;
use wengert_core::transform::{batch, vjp};
use wengert_core::{Program, Tensor};
use wengert_eval::run;
use wengert_stablehlo::{Options, export, export_with, parse};
use wengert_testing::{Choices, Recipe, random_program, random_values};

/// Names count in the text, but it is the same only up to them.
fn bare(p: &Program) -> Result<String, String> {
    let options = Options { locations: false, ..Options::default() };
    export_with(&p.clone().with_name(""), &options).map_err(|e| e.to_string())
}

fn check(p: &Program, inputs: Option<Vec<Tensor>>) -> Result<(), String> {
    let text = bare(p)?;
    let q = parse(&text).map_err(|e| format!("{e}\n{text}"))?;
    let again = bare(&q)?;
    if again != text {
        let (a, b) = text.lines().zip(again.lines()).find(|(a, b)| a != b).unwrap_or(("", "…"));
        return Err(format!("printed again it is different:\n  {a}\n  {b}\n{p}\n{text}\n{again}"));
    }
    let Some(x) = inputs else { return Ok(()) };
    // Some programs are there for their derivatives alone, and do not run.
    let Ok(expected) = run(p, x.clone()) else { return Ok(()) };
    let found = run(&q, x).map_err(|e| format!("{e}\n{q}"))?;
    for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
        Tolerance::near(1e-6).check(f, e).map_err(|m| format!("output {i}: {m}\n{p}\n{q}"))?;
    }
    Ok(())
}

/// Checks all, and reports the failures together.
fn check_all(cases: impl Iterator<Item = (String, Program, Option<Vec<Tensor>>)>) {
    let (mut passed, mut failures) = (0, Vec::new());
    for (name, p, x) in cases {
        match catch_unwind(AssertUnwindSafe(|| check(&p, x))) {
            Ok(Ok(())) => passed += 1,
            Ok(Err(why)) => failures.push(format!("{name}: {why}")),
            Err(_) => failures.push(format!("{name}: it panicked\n{p}")),
        }
    }
    println!("{passed} programs come back the same");
    assert!(failures.is_empty(), "{} do not:\n\n{}", failures.len(), failures.join("\n\n"));
}

#[test]
fn every_op() {
    let only = std::env::var("REFERENCE").unwrap_or_default();
    let mut cases = Vec::new();
    for family in crate::reader::Family::all() {
        for case in family.cases.iter().filter(|c| c.name.contains(&only)) {
            let Some(text) = case.text("program") else { continue };
            let program = Program::parse(text).expect("a program");
            let x = family.arrays(case, "in").expect("inputs");
            let all = |n: usize| vec![true; n];
            let (inputs, outputs) = (program.inputs().len(), program.outputs().len());
            if let Ok((over, _)) = batch(&program, 2, None, &all(inputs), &all(outputs)) {
                cases.push((format!("{} batch", case.name), over, None));
            }
            cases.push((case.name.clone(), program, Some(x)));
        }
    }
    check_all(cases.into_iter());
}

/// Numbers for choices.
fn numbers(seed: u64, count: usize) -> Vec<u16> {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut next = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u16
    };
    (0..count).map(|_| next()).collect()
}

#[test]
fn random_programs() {
    let cases = (0..200).flat_map(|seed| {
        let choices = numbers(seed, 250);
        let any = random_program(&Recipe::any(), &mut Choices::new(&choices));
        let values = random_values(&any.input_types(), &mut Choices::new(&numbers(seed + 1, 4000)), true);
        let smooth = random_program(&Recipe::smooth(), &mut Choices::new(&choices));
        let active: Vec<bool> = smooth.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
        let back = vjp(&smooth, &active).ok().map(|p| (format!("random {seed} vjp"), p, None));
        [Some((format!("random {seed}"), any, Some(values))), back].into_iter().flatten()
    });
    check_all(cases);
}

#[test]
fn places_come_back() {
    let text = "program f(x: f32[3]) {\n  y: f32[3] = sin(x) @ src/model.rs:41:9\n  return y\n}\n";
    let p = Program::parse(text).expect("a program");
    assert_eq!(parse(&export(&p).expect("it goes out")).expect("it comes in").to_text(), text);
}

/// To StableHLO an index out of range means the last branch, on either side; bounds below zero change nothing in that.
#[test]
fn a_choice_out_of_range_is_the_last_branch() {
    for (low, x, branch) in [(0, -3, 0.0), (-5, -3, 1.0), (-5, 0, 0.0), (-5, 9, 1.0)] {
        let text = format!(
            r#"func.func @main(%x: tensor<i32>) -> tensor<f32> {{
              %low = stablehlo.constant dense<{low}> : tensor<i32>
              %high = stablehlo.constant dense<5> : tensor<i32>
              %i = stablehlo.clamp %low, %x, %high : tensor<i32>
              %y = "stablehlo.case"(%i) ({{
                %a = stablehlo.constant dense<0.0> : tensor<f32>
                stablehlo.return %a : tensor<f32>
              }}, {{
                %b = stablehlo.constant dense<1.0> : tensor<f32>
                stablehlo.return %b : tensor<f32>
              }}) : (tensor<i32>) -> tensor<f32>
              return %y : tensor<f32>
            }}"#
        );
        let program = wengert_stablehlo::parse(&text).unwrap();
        let got = wengert_eval::run(&program, vec![Tensor::scalar(x)]).unwrap();
        assert_eq!(got, [Tensor::scalar(branch as f32)], "{low} {x}");
    }
}
