//! Rust that is emitted, for names of every length: `rustfmt` changes nothing of it (E2).

use std::io::Write;
use std::process::{Command, Stdio};
use wengert_core::{DType, Place, Tensor, Type};
use wengert_emit::{CallTree, Derivatives, Does, Function, Options, Outcome, Run, Step, Transform, Variable, rust};

/// A function of this name, which takes so many scalars and gives the first of them.
fn named(name: String, parameters: usize) -> Function {
    let variables = (0..parameters).map(|_| scalar(None)).collect();
    let parameters: Vec<usize> = (0..parameters).collect();
    let place = Place::unknown();
    Function { name, place, variables, results: vec![0], parameters, steps: Vec::new(), fails: None, is_tracked: false }
}

fn scalar(name: Option<&str>) -> Variable {
    Variable { name: name.map(Into::into), ty: Type::scalar(DType::F32), function: None }
}

/// A name of so many letters.
fn letters(count: usize) -> String {
    "abcdefghij".repeat(4)[..count].into()
}

/// A function that does one thing with what it is given, whose names have so many letters.
fn does(what: Does, takes: usize, gives: usize, name: usize) -> Function {
    let mut f = named("does".into(), takes);
    f.variables.iter_mut().for_each(|v| v.name = Some(letters(name).into()));
    f.results = (takes..takes + gives).collect();
    f.variables.extend((0..gives).map(|_| scalar(Some(&letters(name)))));
    f.steps.push(Step {
        does: what,
        operands: f.parameters.clone(),
        results: f.results.clone(),
        place: Place::unknown(),
    });
    f
}

/// The transforms of a function of so many arguments, with how many arrays they take and give.
fn transforms(n: usize) -> Vec<(Transform, usize, usize)> {
    let jacobian = |wrt, holomorphic| Transform::Jacobian { by: Derivatives::Forward, wrt, holomorphic };
    let vmap = |axis: Option<usize>, out_axis, size, name: Option<&str>| {
        let mut in_axes = vec![Some(0); n];
        in_axes[0] = axis;
        let out_axes = if out_axis > 1 { vec![Some(2)] } else { Vec::new() };
        Transform::Vmap { in_axes, out_axis, out_axes, size, name: name.map(Into::into) }
    };
    vec![
        (Transform::Jit, n, 1),
        (Transform::Grad { wrt: 1, value: false }, n, 1),
        (Transform::Grad { wrt: n, value: true }, n, 1 + n),
        (Transform::Jvp, 2 * n, 2),
        (jacobian(1, false), n, 1),
        (jacobian(n, true), n, n),
        (vmap(Some(0), 0, None, None), n, 1),
        (vmap(Some(1), 0, None, None), n, 1),
        (vmap(None, 1, None, None), n, 1),
        (vmap(Some(1), 2, None, None), n, 1),
        (vmap(Some(1), 1, Some(3), Some("examples")), n, 1),
    ]
}

/// Functions of so many arguments and held arrays, with names of every length, all that is made of them, and one that calls all.
fn family(arguments: usize, held: usize) -> Vec<Function> {
    let mut functions = Vec::new();
    for length in (1 + (arguments + held) % 3..=40).step_by(3) {
        let f = functions.len();
        let name = length % 13 + 1;
        functions.push(named(letters(length), arguments + held));
        functions.push(does(Does::Call(f), arguments + held, 1, name));
        functions.push(does(Does::Caught(f, letters(length).repeat(3)), arguments + held, 0, name));
        for (by, takes, gives) in transforms(arguments) {
            let once = Does::Transform { by: by.clone(), function: f, held };
            functions.push(does(once, takes + held, gives, name));
            if held == 0 && gives == 1 {
                // Made of what is made.
                let function = functions.len() - 1;
                for by in [Transform::Jit, by] {
                    functions.push(does(Does::Transform { by, function, held }, takes, 1, name));
                }
            }
        }
    }
    // What nothing calls is not written.
    let mut all = named("all".into(), 32);
    for (id, f) in functions.iter().enumerate() {
        let operands = (0..f.parameters.len()).collect();
        let results = (all.variables.len()..all.variables.len() + f.results.len()).collect();
        all.variables.extend(f.results.iter().map(|_| scalar(None)));
        all.steps.push(Step { does: Does::Call(id), operands, results, place: Place::unknown() });
    }
    functions.push(all);
    functions
}

/// What `rustfmt` makes of a text; none where there is no `rustfmt`.
fn formatted(text: &str) -> Option<String> {
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--config", "max_width=100,use_small_heuristics=Default"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    let mut to = child.stdin.take().unwrap();
    let out = std::thread::scope(|s| {
        s.spawn(move || to.write_all(text.as_bytes()).unwrap());
        child.wait_with_output().unwrap()
    });
    assert!(out.status.success());
    Some(String::from_utf8(out.stdout).unwrap())
}

/// Whether `rustfmt` changes nothing of the text of a run; false if there is no `rustfmt`.
fn is_left_alone(run: &Run) -> bool {
    let text = rust(run, &Options::default()).unwrap().text;
    assert!(text.lines().count() > 500);
    let Some(formatted) = formatted(&text) else { return false };
    let parted = text.lines().zip(formatted.lines()).position(|(a, b)| a != b).unwrap_or(0);
    let around = |s: &str| s.lines().skip(parted.saturating_sub(3)).take(20).collect::<Vec<_>>().join("\n");
    assert!(text == formatted, "written:\n{}\nformatted:\n{}", around(&text), around(&formatted));
    true
}

/// A call of what is made of a function, by arrays whose names are so wide together.
fn given_names(function: usize, arrays: usize, width: usize) -> Function {
    let does = Does::Transform { by: Transform::Jit, function, held: 0 };
    let mut f = self::does(does, arrays, 1, 1);
    for (i, v) in f.variables.iter_mut().enumerate().take(arrays) {
        let more = letters(width / arrays + usize::from(i < width % arrays) - 1);
        v.name = Some(format!("{}{more}", (b'a' + i as u8) as char).into());
    }
    f
}

/// Numbers of many widths.
fn numbers(k: usize) -> Tensor {
    let x: Vec<f32> = (0..24).map(|j| ((k * j) as f32 * 0.31).cos() * 11.0).collect();
    Tensor::from_slice([2, 12], &x).unwrap()
}

#[test]
fn e2_rustfmt_changes_nothing_of_lists_of_any_width() {
    let mut functions = vec![named("g".into(), 13)];
    let mut all = named("all".into(), 13);
    for width in 13..80 {
        functions.push(given_names(0, 13, width));
        all.steps.push(Step {
            does: Does::Call(functions.len() - 1),
            operands: (0..13).collect(),
            results: vec![all.variables.len()],
            place: Place::unknown(),
        });
        all.variables.push(scalar(None));
    }
    functions.push(all);
    let tree = CallTree { functions, is_eager: false };
    let inputs = (0..13).map(|_| Tensor::scalar(1f32)).collect();
    let results = Some(Outcome::Results((0..130).map(numbers).collect()));
    if !is_left_alone(&Run { tree, inputs, outcome: results }) {
        println!("skipped: there is no `rustfmt`");
    }
}

#[test]
fn e2_rustfmt_changes_nothing_whatever_the_length_of_names() {
    for (arguments, held) in [(1, 0), (2, 0), (3, 1), (4, 0), (7, 0), (7, 2), (12, 0), (13, 0), (14, 1)] {
        let tree = CallTree { functions: family(arguments, held), is_eager: false };
        let run = Run { tree, inputs: vec![Tensor::scalar(1f32); 32], outcome: None };
        if !is_left_alone(&run) {
            return println!("skipped: there is no `rustfmt`");
        }
    }
}

/// Gradients in the first arguments together, beside many others.
#[test]
fn e2_rustfmt_changes_nothing_of_closures_of_many_arguments() {
    let mut functions = Vec::new();
    for (first, others) in (2..8).flat_map(|first| (1..12).map(move |others| (first, others))) {
        for length in [1, 8, 9, 20, 31] {
            let function = functions.len();
            functions.push(named(letters(length), first + others));
            let by = Transform::Grad { wrt: first, value: length % 2 == 0 };
            functions.push(does(Does::Transform { by, function, held: 0 }, first + others, first + 1 - length % 2, 1));
        }
    }
    let mut all = named("all".into(), 32);
    for (id, f) in functions.iter().enumerate().filter(|(id, _)| id % 2 == 1) {
        let operands = (0..f.parameters.len()).collect();
        let results = (all.variables.len()..all.variables.len() + f.results.len()).collect();
        all.variables.extend(f.results.iter().map(|_| scalar(None)));
        all.steps.push(Step { does: Does::Call(id), operands, results, place: Place::unknown() });
    }
    functions.push(all);
    let tree = CallTree { functions, is_eager: false };
    if !is_left_alone(&Run { tree, inputs: vec![Tensor::scalar(1f32); 32], outcome: None }) {
        println!("skipped: there is no `rustfmt`");
    }
}
