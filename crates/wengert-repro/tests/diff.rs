//! One program on two sides (D5): what is named, how deep, and that rounding alone is not.

use crate::workloads::{drawn, workloads};
use wengert::{DType, Device};
use wengert_core::{Program, Result, Scalar, Tensor, Type};
use wengert_golden::Golden;
use wengert_repro::BackendName;
use wengert_repro::diff::{Excuse, InnerProgram, Parting, ProgramDiff, Sides};

fn backend(name: &str) -> BackendName {
    name.parse().unwrap()
}

/// Two backends at the tolerance that the command has.
fn on_backends(p: &Program, x: &[Tensor], a: &str, b: &str) -> Result<ProgramDiff> {
    let (a, b) = (backend(a), backend(b));
    let mut left = |p: &Program, x: &[Tensor]| a.run(p, x);
    let mut right = |p: &Program, x: &[Tensor]| b.run(p, x);
    ProgramDiff::new(p, x, Sides::new(&mut left, &mut right, 1e-3))
}

/// Every program of the repository's own test files, as it is written and after each step, on its inputs or on drawn ones.
#[test]
fn d5_rounding_alone_is_never_reported_of_golden_programs() {
    let (mut compared, mut reported) = (0, Vec::new());
    for golden in Golden::all() {
        let mut programs: Vec<Program> = Vec::new();
        // A file that shows a mistake has no programs beyond it.
        let _ = golden.run(|_, stage| programs.extend(stage.programs().iter().cloned()));
        for p in programs {
            let types = p.input_types();
            let own = golden.inputs().ok().filter(|x| x.iter().map(Tensor::ty).eq(types.iter().cloned()));
            // On other inputs, a loop may never end.
            if own.is_none() && p.any(|_, e| e.op.name() == "while") {
                continue;
            }
            let x = own.unwrap_or_else(|| drawn(&types));
            // Some can't be run: they communicate.
            let Ok(found) = on_backends(&p, &x, "eval", "cpu") else { continue };
            compared += 1;
            if let Some(first) = found.first {
                reported.push(format!("{}: {first:?}\n{p}", golden.name()));
            }
        }
    }
    assert!(compared > 150, "only {compared} programs ran");
    assert!(reported.is_empty(), "{} of {compared}:\n{}", reported.len(), reported.join("\n"));
}

#[test]
fn d5_rounding_alone_is_never_reported_of_workloads() {
    for (name, p, x) in workloads() {
        for (a, b) in [("eval", "cpu"), ("eager", "cpu"), ("rewritten", "cpu")] {
            let found = on_backends(&p, &x, a, b).unwrap();
            assert!(found.first.is_none() && found.is_complete, "{name}, {a} and {b}: {:?}\n{p}", found.first);
        }
    }
}

/// What is excused is rounding: the same programs, compiled with one function taken for another, part there.
#[test]
fn d5_a_fault_of_a_workload_is_not_taken_for_rounding() {
    let mut missed = Vec::new();
    for (workload, from, to) in [
        ("mlp", " tanh(", " sin("),
        ("mlp", " exp(", " expm1("),
        ("attention", " sqrt(", " cbrt("),
        ("attention", " exp(", " expm1("),
        ("attention", " cos(", " sin("),
        ("lstm", " tanh(", " atan("),
        ("newton", " abs(", " neg("),
        ("lorenz", "(28.0:", "(28.1:"),
        ("mandelbrot", " 4.0:", " 4.5:"),
        ("hessian", " 100.0:", " 99.0:"),
        ("sort", " round_even(", " floor("),
    ] {
        let (_, p, x) = workloads().into_iter().find(|(name, ..)| *name == workload).unwrap();
        if !p.to_text().contains(from) {
            missed.push(format!("{workload} has no{from}"));
            continue;
        }
        let (eval, cpu) = (backend("eval"), backend("cpu"));
        let mut right = |p: &Program, x: &[Tensor]| eval.run(p, x);
        let mut wrong = |p: &Program, x: &[Tensor]| cpu.run(&replaced(p, from, to), x);
        let found = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap();
        match found.first.as_ref().map(way) {
            Some((_, text)) if text.contains(from.trim()) => {}
            Some((inside, text)) => missed.push(format!("{workload}:{from} {inside:?} {text}")),
            None => missed.push(format!("{workload}:{from} {:?}", found.excused)),
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// What grows to all of a number from rounding alone: sums that cancel, and a map that doubles every difference. The inputs are such
/// that one rounding less gives another number.
#[test]
fn d5_rounding_that_grew_is_told_apart_from_a_difference() {
    let cancelled = "program (x: f32[6]) {
        p: f32[6] = mul(x, x) q: f32[6] = sub(p, 1.0:f32[6]) r: f32[6] = mul(q, 1e7:f32[6]) s: f32[6] = floor(r) return s }";
    let x = Tensor::new([6], (1..7).map(|i| 1.0f32 + i as f32 * f32::EPSILON * 1001.0).collect()).unwrap();
    let p = Program::parse(cancelled).unwrap();
    let found = on_backends(&p, &[x], "eval", "cpu").unwrap();
    assert!(found.first.is_none() && found.is_complete, "{:?}", found.first);
    let chaotic = "program (x: f32[]) {
        y: f32[] = scan[length=60, consts=0, carries=1, reverse=false, body=program (c: f32[]) {
            a: f32[] = mul(c, 3.99:f32[]) b: f32[] = mul(c, c) d: f32[] = mul(b, 3.99:f32[]) e: f32[] = sub(a, d) return e
        }](x)
        z: f32[] = add(y, 1.0:f32[])
        return z }";
    let p = Program::parse(chaotic).unwrap();
    let found = on_backends(&p, &[Tensor::scalar(0.3f32)], "eval", "cpu").unwrap();
    assert!(found.first.is_none() && found.is_complete, "{:?}", found.first);
    // Where that happens too often, it is said that not all was looked at.
    let long = replaced(&p, "length=60", "length=2400");
    let found = on_backends(&long, &[Tensor::scalar(0.3f32)], "eval", "cpu").unwrap();
    assert!(found.first.is_none() && !found.is_complete, "{:?}", found.first);
    // The same, and a fault: the fault is found.
    let mut right = |p: &Program, x: &[Tensor]| backend("eval").run(p, x);
    let mut wrong = |p: &Program, x: &[Tensor]| backend("cpu").run(&replaced(p, "1.0:f32[]", "1.5:f32[]"), x);
    let found = ProgramDiff::new(&p, &[Tensor::scalar(0.3f32)], Sides::new(&mut right, &mut wrong, 1e-3)).unwrap();
    assert_eq!(found.first.unwrap().equations[0].text, "%2: f32[] = 1.0:f32[]");
}

/// A sum that one side has as zero, by the order in which it adds; and one that is another sum.
#[test]
fn d5_a_sum_that_is_zero_by_chance_is_rounding() {
    let p = Program::parse(
        "program (x: f32[4]) { s: f32[] = reduce[combiner=add, dims=[0]](x) y: f32[] = exp(s) return s, y }",
    );
    let (p, x) = (p.unwrap(), [Tensor::new([4], vec![0.1f32, 0.7, -0.1, -0.7]).unwrap()]);
    let with = |sum: f32| {
        let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
        let sums = |mut y: Vec<Tensor>, p: &Program| {
            let is_sum =
                |v: &wengert_core::Var| p.equations().iter().any(|e| e.op.name() == "reduce" && e.outputs[0] == *v);
            p.outputs().iter().zip(&mut y).filter(|(v, _)| is_sum(v)).for_each(|(_, y)| *y = Tensor::scalar(sum));
            y
        };
        let mut wrong = |p: &Program, x: &[Tensor]| Ok(sums(wengert_eval::run(p, x.to_vec())?, p));
        ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap()
    };
    let sum = wengert_eval::run(&p, x.to_vec()).unwrap().remove(0);
    assert!(sum.same_bits(&Tensor::scalar(0.0f32)));
    let found = with(5.9e-8);
    assert!(found.first.is_none() && found.excused.len() == 1, "{:?}", found.first);
    assert!(with(0.1).first.is_some());
    assert!(with(1e-4).first.is_some());
}

/// Whether a difference is told where the other side has another text for a piece of the program.
fn is_told(text: &str, x: &[Tensor], from: &str, to: &str) -> bool {
    let p = Program::parse(text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| wengert_eval::run(&replaced(p, from, to), x.to_vec());
    ProgramDiff::new(&p, x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.is_some()
}

/// A number that is rounded to all of itself, beside others.
#[test]
fn d5_rounding_of_one_element_excuses_no_other() {
    let text = "program (x: f32[3], c: f32[3]) { a: f32[3] = add(x, c) b: f32[3] = sub(a, c) d: f32[3] = mul(b, dense[1.0, 1.0, 1.0]:f32[3])
        return d }";
    let x = [[0.3f32, 0.7, 0.9], [3e7, 0.0, 0.1]].map(|x| Tensor::new([3], x.to_vec()).unwrap());
    for (factors, is_fault) in [("1.0, 1.0, 1.02", true), ("1.0, 1.02, 1.0", true), ("1.0, 1.0, 1.0000001", false)] {
        assert_eq!(is_told(text, &x, "1.0, 1.0, 1.0", factors), is_fault, "{factors}");
    }
    // A fault of both equations together, which none of them has alone.
    let both = "program (x: f32[3], c: f32[3]) { a: f32[3] = add(x, c) b: f32[3] = sub(a, c) return b }";
    for (factor, is_fault) in [("0.5", true), ("1.02", true), ("1.0000001", false)] {
        let to = format!("add(x, c) e: f32[3] = sub(a, c) b: f32[3] = mul(e, dense[1.0, 1.0, {factor}]:f32[3])");
        assert_eq!(is_told(both, &x, "add(x, c)\n  b: f32[3] = sub(a, c)", &to), is_fault, "{factor}");
    }
    // The first has no digits: any that is as near is as right.
    for (other, is_fault) in [
        ("add(x, dense[30000000.0, 0.0, 0.1]:f32[3])", false),
        ("add(x, dense[30000002.0, 0.0, 0.1]:f32[3])", false),
        ("add(x, dense[30010000.0, 0.0, 0.1]:f32[3])", true),
    ] {
        assert_eq!(is_told(text, &x, "add(x, c)", other), is_fault, "{other}");
    }
}

#[test]
fn d5_numbers_that_are_subnormal_are_no_difference_from_zero() {
    let text = "program (x: f32[2]) { y: f32[2] = mul(x, 1e-40:f32[2]) return y }";
    let x = [Tensor::new([2], vec![1.0f32, 3.0]).unwrap()];
    let constant = Program::parse(text).unwrap().to_text();
    let constant = constant.split("mul(x, ").nth(1).unwrap().split(')').next().unwrap();
    assert!(!is_told(text, &x, constant, "0.0:f32[2]"));
    assert!(is_told(text, &x, constant, "1e-30:f32[2]"));
}

/// So too where another number is made of them: a side that takes them for zero is as right.
#[test]
fn d5_what_is_made_of_numbers_that_are_subnormal_is_no_difference() {
    let x = |x: f32| [Tensor::scalar(x)];
    for (op, zero) in [("sign", "0.0"), ("sqrt", "-0.0"), ("log", "-inf")] {
        let text = format!("program (x: f32[]) {{ y: f32[] = {op}(x) return y }}");
        let (from, to) = (format!("{op}(x)"), format!("mul(abs(x), 0.0:f32[]) y: f32[] = add(z, {zero}:f32[])"));
        let from = format!("y: f32[] = {from}");
        let to = "a: f32[] = abs(x) z: f32[] = TO".replace("TO", &to.replace("abs(x)", "a"));
        let small = if op == "log" { 1e-40 } else { -1e-40 };
        assert!(!is_told(&text, &x(small), &from, &to), "{op}");
        assert!(is_told(&text, &x(small.abs() * 1e20), &from, &to), "{op}");
    }
}

/// Near a root these functions are what is left of logarithms, and libraries part by a rounding of those.
#[test]
fn d5_what_is_left_near_the_root_of_a_function_is_rounding() {
    for (function, root) in [("digamma", 1.461_632_1f32), ("lgamma", 1.000_001), ("lgamma", 1.999_999)] {
        let text = format!("program (x: f32[]) {{ y: f32[] = {function}(x) return y }}");
        let x = [Tensor::scalar(root)];
        let (from, to) =
            (format!("y: f32[] = {function}(x)"), format!("z: f32[] = {function}(x) y: f32[] = add(z, BY:f32[])"));
        assert!(!is_told(&text, &x, &from, &to.replace("BY", "1.2e-7")), "{function}");
        assert!(is_told(&text, &x, &from, &to.replace("BY", "1e-4")), "{function}");
    }
}

/// A device of a PJRT plugin, to which programs go as StableHLO: ours in host memory, which compiles them for this machine.
#[test]
fn d5_a_device_of_a_plugin_is_a_side() {
    let plugin = wengert_testing::MockPlugin::new("");
    let device = Device::plugin(plugin.path(), 0).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    for (name, p, x) in workloads().into_iter().filter(|(name, ..)| ["mlp", "lstm", "newton"].contains(name)) {
        let mut there = |p: &Program, x: &[Tensor]| device.compile(p.clone().into())?.run_on_host(x.to_vec());
        let found = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut there, 1e-3)).unwrap();
        assert!(found.first.is_none() && found.is_complete, "{name}: {:?}", found.first);
    }
    let (_, p, x) = workloads().into_iter().find(|(name, ..)| *name == "lstm").unwrap();
    let mut wrong =
        |p: &Program, x: &[Tensor]| device.compile(replaced(p, " tanh(", " atan(").into())?.run_on_host(x.to_vec());
    let first = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.unwrap();
    let (inside, text) = way(&first);
    assert!(matches!(inside[..], [InnerProgram::Turn(_)]) && text.contains(" tanh("), "{inside:?} {text}");
}

/// The program with another piece of text.
fn replaced(p: &Program, from: &str, to: &str) -> Program {
    Program::parse(&p.to_text().replace(from, to)).unwrap()
}

/// What is found where the other side has another text for a piece of the program.
fn found(text: &str, x: &[Tensor], from: &str, to: &str) -> Parting {
    let p = Program::parse(text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| wengert_eval::run(&replaced(p, from, to), x.to_vec());
    ProgramDiff::new(&p, x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.expect("they part")
}

/// The programs on the way in, and the text of the innermost equation.
fn way(p: &Parting) -> (Vec<InnerProgram>, String) {
    let (mut at, mut way) = (p, Vec::new());
    while let Some(inside) = &at.inside {
        way.push(inside.program);
        match &inside.parting {
            Some(p) => at = p,
            None => return (way, String::new()),
        }
    }
    (way, at.equations.iter().map(|e| e.text.as_str()).collect::<Vec<_>>().join(" with "))
}

#[test]
fn d5_the_equation_inside_of_a_loop_is_named_with_its_turn() {
    // A number is large from the fourth turn on, and there the other side has another one.
    let text = "program (x: f32[2], i: f32[6]) {
        s: f32[2] = sin(x)
        y: f32[2], ys: f32[6,2] = scan[length=6, consts=1, carries=1, reverse=REVERSE, body=program (k: f32[2], c: f32[2], i: f32[]) {
            w: f32[2] = broadcast[shape=[2], dims=[]](i)
            m: f32[2] = max(w, 2.5:f32[2])
            n: f32[2] = add(c, k)
            o: f32[2] = mul(n, m)
            p: f32[2] = tanh(o)
            return p, o
        }](s, x, i)
        z: f32[2] = neg(y)
        return z, ys }";
    let x = [
        Tensor::new([2], vec![0.1f32, 0.2]).unwrap(),
        Tensor::new([6], vec![0.0f32, 1.0, 2.0, 3.0, 4.0, 5.0]).unwrap(),
    ];
    for (reverse, from, to, turn) in [
        // Below 3.5 the two are the same.
        ("false", "max(w, 2.5:f32[2])", "min(w, 3.5:f32[2])", 0),
        ("true", "max(w, 2.5:f32[2])", "min(w, 3.5:f32[2])", 5),
    ] {
        let p = found(&text.replace("REVERSE", reverse), &x, from, to);
        let (way, text) = way(&p);
        assert_eq!((way, text.as_str()), (vec![InnerProgram::Turn(turn)], "m: f32[2] = max(w, 2.5:f32[2])"));
    }
    // The clamp is the same until numbers are larger.
    let p = found(
        &text.replace("REVERSE", "false").replace("max(w, 2.5:f32[2])", "min(w, 9.0:f32[2])"),
        &x,
        "9.0:",
        "3.5:",
    );
    assert_eq!(way(&p), (vec![InnerProgram::Turn(4)], "%4: f32[2] = 9.0:f32[2]".into()));
}

#[test]
fn d5_branches_calls_and_conditions_are_looked_into() {
    let text = "program (x: f32[]) {
        b: bool[] = compare[direction=gt](x, 0.0:f32[])
        y: f32[] = cond[branches=[program (v: f32[]) { w: f32[] = sin(v) return w }, program (v: f32[]) {
            u: f32[] = call[program=program g(v: f32[]) { a: f32[] = exp(v) c: f32[] = cos(a) return c }, kind=staged](v)
            w: f32[] = neg(u)
            return w
        }]](b, x)
        return y }";
    let p = found(text, &[Tensor::scalar(0.7f32)], "cos(a)", "sin(a)");
    assert_eq!(way(&p), (vec![InnerProgram::Branch(1), InnerProgram::Body], "c: f32[] = cos(a)".into()));
    // A loop that goes on once more, by its condition, and one whose body is another after some turns.
    let text = "program (x: f32[]) {
        y: f32[], n: f32[] = while[consts=0, cond=program (v: f32[], n: f32[]) {
            g: bool[] = compare[direction=lt](n, 7.5:f32[]) return g
        }, body=program (v: f32[], n: f32[]) {
            w: f32[] = mul(v, 2.0:f32[]) m: f32[] = min(w, 1e6:f32[]) k: f32[] = add(n, 1.0:f32[]) return m, k
        }](x, 0.0:f32[])
        return y, n }";
    let x = [Tensor::scalar(1.0f32)];
    let p = found(text, &x, "7.5:f32[]", "8.5:f32[]");
    assert_eq!(way(&p), (vec![InnerProgram::Condition(8)], "%2: f32[] = 7.5:f32[]".into()));
    let p = found(text, &x, "1000000.0:f32[]", "20.0:f32[]");
    assert_eq!(way(&p), (vec![InnerProgram::Turn(4)], "%4: f32[] = 1000000.0:f32[]".into()));
}

/// A side that gets sums of products wrong, and neither sums nor products.
#[test]
fn d5_equations_that_part_only_together_are_named_together() {
    let text = "program (x: f32[4], y: f32[4]) {
        a: f32[4] = sin(x) b: f32[4] = cos(y) c: f32[4] = mul(a, b) d: f32[4] = add(c, x) e: f32[4] = tanh(d) return e }";
    let p = Program::parse(text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| {
        let text = p.to_text();
        let fused = text.contains("= mul(") && text.contains("add(c, ");
        wengert_eval::run(&if fused { replaced(p, "add(c, ", "sub(c, ") } else { p.clone() }, x.to_vec())
    };
    let x = drawn(&p.input_types());
    let first = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.unwrap();
    let texts: Vec<&str> = first.equations.iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts, ["c: f32[4] = mul(a, b)", "d: f32[4] = add(c, x)"]);
    assert_eq!(first.case.unwrap().program().equations().len(), 2);
    assert!(first.following.is_empty() && first.gap > 1e-3 && first.output.0 == 0, "{:?}", first.following);
}

/// A side that makes one exponential of a product of two, and takes subnormal numbers for zero.
#[test]
fn d5_a_piece_is_named_that_gives_what_the_program_gives() {
    let text = "program (x: f32[4]) { s: f32[4] = mul(x, 2.0:f32[4]) t: f32[4] = mul(s, 0.5:f32[4]) a: f32[4] = exp(t)
        n: f32[4] = neg(t) b: f32[4] = exp(n) y: f32[4] = mul(a, b) z: f32[4] = add(y, x) return z }";
    let p = Program::parse(text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| {
        let text = p.to_text();
        let text = match ["a: f32[4] = exp(", "b: f32[4] = exp("].map(|e| text.split_once(e)) {
            [Some((_, a)), Some((_, b))] if text.contains("mul(a, b)") => {
                let [a, b] = [a, b].map(|x| x.split_once(')').unwrap().0);
                text.replace("y: f32[4] = mul(a, b)", &format!("u: f32[4] = add({a}, {b}) y: f32[4] = exp(u)"))
            }
            _ => text.replace("y: f32[4] = mul(a, b)", "c: f32[4] = mul(b, 0.0:f32[4]) y: f32[4] = mul(a, c)"),
        };
        wengert_eval::run(&Program::parse(&text)?, x.to_vec())
    };
    let x = [Tensor::new([4], vec![1000.0f32, 95.0, 1.0, 0.0]).unwrap()];
    let first = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.unwrap();
    let texts: Vec<&str> = first.equations.iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts, ["a: f32[4] = exp(t)", "b: f32[4] = exp(n)", "y: f32[4] = mul(a, b)"]);
    // The product alone parts too, and otherwise: that is said, and its numbers are not those of the piece.
    assert_eq!(first.alone.iter().map(|e| e.number).collect::<Vec<_>>(), [first.equations[2].number]);
    let case = first.case.unwrap();
    let own = wengert_eval::run(case.program(), case.inputs().to_vec()).unwrap();
    let (comparison, worst) = (first.comparison.as_ref().unwrap(), first.comparison.as_ref().unwrap().worst.unwrap());
    assert_eq!((comparison.count, worst.right.to_string()), (2, own[0].get(worst.position).to_string()));
    assert_eq!((worst.position, worst.left.to_string()), (0, "1.0".into()));
    assert!(first.in_program.is_none() && first.following.is_empty(), "{:?}", first.following);
}

/// A side that drops a sum with zero, which makes another infinity of a zero: no number before it differs.
#[test]
fn d5_an_infinity_of_the_other_sign_is_no_rounding() {
    let text = "program (x: f32[]) { a: f32[] = mul(x, -1.0:f32[]) b: f32[] = add(a, 0.0:f32[]) c: f32[] = div(x, b)
        d: f32[] = div(1.0:f32[], b) return d }";
    let p = found(text, &[Tensor::scalar(0.0f32)], "b: f32[] = add(a, 0.0:f32[])", "b: f32[] = mul(a, 1.0:f32[])");
    assert_eq!(way(&p).1, "b: f32[] = add(a, 0.0:f32[]) with d: f32[] = div(1.0:f32[], b)");
}

/// A side that makes one exponential of a product of two, and takes each by itself for zero where it is small.
#[test]
fn d5_what_parts_first_is_not_named_alone_where_more_is_needed() {
    let text = "program (x: f32[], y: f32[]) { a: f32[] = exp(x) b: f32[] = exp(y) c: f32[] = mul(a, b) return c }";
    let p = Program::parse(text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| {
        let text = p.to_text();
        let has_all = text.contains("exp(x)") && text.contains("exp(y)") && text.contains("c: f32[] = mul(a, b)");
        let text = match has_all {
            true => text.replace("c: f32[] = mul(a, b)", "u: f32[] = add(x, y) c: f32[] = exp(u)"),
            false => text.replace("b: f32[] = exp(y)", "v: f32[] = exp(y) b: f32[] = mul(v, 0.0:f32[])"),
        };
        wengert_eval::run(&Program::parse(&text)?, x.to_vec())
    };
    let x = [100.0f32, -80.0].map(Tensor::scalar);
    let found = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.expect("they part");
    assert_eq!(found.equations.len(), 3, "{:?}", found.equations);
    assert_eq!(found.alone.iter().map(|e| e.number).collect::<Vec<_>>(), [1]);
    assert!(found.in_program.is_none());
}

/// Where no piece gives what the program gives, what the program gives is told beside what parts alone.
#[test]
fn d5_what_parts_alone_in_another_way_is_told_beside_the_program() {
    let negated: String = (0..320).map(|i| format!("v{}: f32[2] = neg(v{i}) ", i + 1)).collect();
    let text = format!("program (v0: f32[2]) {{ {negated} y: f32[2] = exp(v320) return y }}");
    let p = Program::parse(&text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    // Wrong in one way in large programs, and in another in small ones.
    let mut wrong = |p: &Program, x: &[Tensor]| {
        let is_large = p.equations().len() > 310;
        wengert_eval::run(&replaced(p, "exp(", if is_large { "cos(" } else { "sin(" }), x.to_vec())
    };
    let x = [Tensor::new([2], vec![2.0f32, 1.0]).unwrap()];
    let first = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.unwrap();
    assert_eq!(first.equations.iter().map(|e| e.number).collect::<Vec<_>>(), [320]);
    let worst = |c: Option<wengert_core::compare::Comparison>| c.unwrap().worst.unwrap().left.as_f64().unwrap();
    assert!((worst(first.comparison) - 2f64.sin()).abs() < 1e-6);
    let (equation, comparison) = first.in_program.unwrap();
    assert_eq!(equation.number, 320);
    assert!((worst(comparison) - 2f64.cos()).abs() < 1e-6);
}

/// A side that writes one of its results over another, and neither alone; and one that gives an input back changed.
#[test]
fn d5_outputs_that_part_only_together_are_named() {
    let text = "program (x: f32[4]) { a: f32[4] = sin(x) b: f32[4] = cos(a) c: f32[4] = exp(x) return a, b, c }";
    let p = Program::parse(text).unwrap();
    let x = drawn(&p.input_types());
    let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
    let mut wrong = |p: &Program, x: &[Tensor]| {
        let mut y = wengert_eval::run(p, x.to_vec())?;
        let text = p.to_text();
        let find = |name: &str| p.outputs().iter().position(|&v| p.var_name(v) == Some(name));
        if let (Some(a), Some(b), true) = (find("a"), find("b"), text.contains("sin(")) {
            y[a] = y[b].clone();
        }
        Ok(y)
    };
    let first = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap().first.unwrap();
    let texts: Vec<&str> = first.equations.iter().map(|e| e.text.as_str()).collect();
    assert_eq!((texts, first.output.0), (vec!["a: f32[4] = sin(x)", "b: f32[4] = cos(a)"], 0));
    let same = Program::parse("program (x: f32[4]) { return x }").unwrap();
    let mut negated = |_: &Program, x: &[Tensor]| {
        wengert_eval::run(&Program::parse("program (x: f32[4]) { y: f32[4] = neg(x) return y }")?, x.to_vec())
    };
    let first = ProgramDiff::new(&same, &x, Sides::new(&mut right, &mut negated, 1e-3)).unwrap().first.unwrap();
    assert!(first.equations.is_empty() && first.shown_by.is_none() && first.gap > 1.0);
}

/// The first equation that parts in two element types, and what is said of the element that does so most.
fn in_types(text: &str, x: f64, types: (DType, DType)) -> Option<(String, String)> {
    let p = Program::parse(text).unwrap();
    let number = |t: Type| Tensor::splat(t.shape, Scalar::from_f64(t.dtype, x));
    let inputs: Vec<Tensor> = p.input_types().into_iter().map(number).collect();
    let mut first = ProgramDiff::in_types(&p, &inputs, &backend("eval"), types, 1e-3).unwrap().first?;
    while let Some(inner) = first.inside.take().and_then(|i| i.parting) {
        first = *inner;
    }
    let texts: Vec<String> = first.equations.iter().map(|e| e.text.clone()).collect();
    Some((texts.join("; "), first.comparison.unwrap().worst.unwrap().to_string()))
}

#[test]
fn d5_numbers_too_large_for_the_narrower_type_are_named_where_they_are_made() {
    let found = |text: &str, x, types| in_types(text, x, types).expect("the types part");
    let singles = (DType::F32, DType::F64);
    // The equation that overflows, not the first that gives NaN; and one that nothing needs counts in their numbers.
    let text = "program (x: f32[2]) {
        u: f32[2] = neg(x) a: f32[2] = mul(x, 1e30:f32[2]) b: f32[2] = mul(a, a) c: f32[2] = sub(b, b)
        d: f32[2] = add(c, x) return d }";
    let (equation, said) = found(text, 1.0, singles);
    assert_eq!(equation, "b: f32[2] = mul(a, a)");
    assert!(said.starts_with("inf against 1.0000000") && said.ends_with("e60 (absolute inf, relative inf)"), "{said}");
    // In the program of a double, the other way round, and where it is hidden from what follows it directly.
    assert_eq!(found(&text.replace("f32", "f64"), 1.0, (DType::F64, DType::F32)).0, "b: f64[2] = mul(a, a)");
    let hidden = "program (x: f32[]) {
        a: f32[] = mul(x, 1e30:f32[]) b: f32[] = mul(a, a) p: bool[] = compare[direction=gt](b, x) q: f32[] = convert[dtype=f32](p)
        s: f32[] = add(q, 1e8:f32[]) t: f32[] = sub(s, 1e8:f32[]) r: f32[] = div(t, b) w: f32[] = add(r, t) return w }";
    assert_eq!(found(hidden, 1.0, singles).0, "b: f32[] = mul(a, a)");
    // NaN where the narrower one alone has it.
    let nan =
        "program (x: f32[]) { a: f32[] = add(x, 1e8:f32[]) b: f32[] = sub(1e8:f32[], a) c: f32[] = add(b, 1.5:f32[])
        d: f32[] = sub(c, 1.0:f32[]) e: f32[] = log(d) return e }";
    assert_eq!(found(nan, 0.25, singles).0, "b: f32[] = sub(100000000.0:f32[], a)");
    // Neither type of 16 bits is the wider one: what is too large for the one is seen, and so are digits that the other lacks,
    // also beside numbers of 32 bits.
    let halves = (DType::F16, DType::BF16);
    let large = "program (x: bf16[]) { a: bf16[] = mul(x, 3e4:bf16[]) b: bf16[] = mul(a, a) return b }";
    assert_eq!(found(large, 2.0, halves).0, "b: bf16[] = mul(a, a)");
    let mixed = "program (x: f16[]) { a: f16[] = add(x, 2048.0:f16[]) s: f32[] = convert[dtype=f32](a)
        t: f32[] = sub(s, 2048.0:f32[]) return t }";
    let together = "s: f32[] = convert[dtype=f32](a); t: f32[] = sub(s, 2048.0:f32[])";
    assert_eq!(found(mixed, 2.0, halves).0, together);
    // Inside of a loop.
    let turns = "program (x: f32[]) { y: f32[] = scan[length=9, consts=0, carries=1, reverse=false,
        body=program (c: f32[]) { u: f32[] = neg(c) v: f32[] = mul(c, 1e8:f32[]) return v }](x) return y }";
    assert_eq!(found(turns, 1.0, singles).0, "v: f32[] = mul(c, 100000000.0:f32[])");
    assert_eq!(in_types(turns, 1e-40, singles).map(|f| f.0), None);
}

#[test]
fn d5_two_element_types_part_where_digits_are_lost() {
    let text = "program (x: f32[3]) {
        a: f32[3] = sin(x) b: f32[3] = add(a, 1e6:f32[3]) c: f32[3] = sub(b, 1e6:f32[3]) d: f32[3] = exp(c) return d }";
    let p = Program::parse(text).unwrap();
    let x = drawn(&p.input_types());
    let in_types = |a, b| ProgramDiff::in_types(&p, &x, &backend("eval"), (a, b), 1e-3);
    let first = in_types(DType::F32, DType::F64).unwrap().first.unwrap();
    // The sum is right to seven digits: it is the difference that has none left.
    let texts: Vec<&str> = first.equations.iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts, ["c: f32[3] = sub(b, 1000000.0:f32[3])"]);
    assert!(in_types(DType::I32, DType::F64).is_err());
}

/// It runs in its own types, wherever it stands; all else is looked at.
#[test]
fn d5_an_op_that_takes_no_other_types_is_named_and_the_rest_is_compared() {
    let bits = "b: u32[2] = bitcast[dtype=u32](a) c: f32[2] = bitcast[dtype=f32](b)";
    let inner = format!(
        "program (x: f32[2]) {{ a: f32[2] = call[program=program f(x: f32[2]) {{ a: f32[2] = sin(x) {bits} return c }}, kind=staged](x)
            d: f32[2] = add(a, OFFSET:f32[2]) y: f32[2] = sub(d, OFFSET:f32[2]) return y }}"
    );
    let x = [Tensor::from_slice([2], &[1.0f32, 2.0]).unwrap()];
    let on = |offset: &str| {
        let p = Program::parse(&inner.replace("OFFSET", offset)).unwrap();
        ProgramDiff::in_types(&p, &x, &backend("eval"), (DType::F32, DType::F64), 1e-3).unwrap()
    };
    let found = on("1.0");
    assert!(found.first.is_none(), "{:?}", found.first);
    let texts: Vec<&str> = found.in_own_types.iter().map(|e| e.text.as_str()).collect();
    assert_eq!(texts, ["b: u32[2] = bitcast[dtype=u32](a)", "c: f32[2] = bitcast[dtype=f32](b)"]);
    let first = on("1000000.0").first.expect("digits are lost");
    assert_eq!(first.equations[0].text, "y: f32[2] = sub(d, 1000000.0:f32[2])");
}

/// Other vectors of values that repeat, alone and in a call; and digits of the values that are lost in the narrower type.
#[test]
fn d5_two_element_types_may_have_two_decompositions() {
    let eigh = "w: f32[4], v: f32[4,4] = eigh[lower=true](x)";
    let call = format!(
        "w: f32[4], v: f32[4,4] = call[program=program f(x: f32[4,4]) {{ {eigh} return w, v }}, kind=staged](x)"
    );
    // A reflection, which each type rounds otherwise: three of its values are the same.
    let reflection = "n: f32[] = dot_general[contract=([0], [0]), batch=([], [])](v0, v0) m: f32[4,4] = broadcast[shape=[4,4], dims=[]](n)
        a: f32[4,4] = broadcast[shape=[4,4], dims=[0]](v0) b: f32[4,4] = broadcast[shape=[4,4], dims=[1]](v0)
        c: f32[4,4] = mul(a, b) d: f32[4,4] = div(c, m) e: f32[4,4] = mul(d, 1.4:f32[4,4]) x: f32[4,4] = sub(one, e)";
    let identity = Tensor::new([4, 4], (0..16).map(|k| f32::from(u8::from(k % 5 == 0))).collect()).unwrap();
    let x = [Tensor::from_slice([4], &[0.3f32, 0.7, -0.4, 0.9]).unwrap(), identity];
    for equation in [eigh, &call] {
        let on = |rest: &str| {
            let p =
                Program::parse(&format!("program (v0: f32[4], one: f32[4,4]) {{ {reflection} {equation} {rest} }}"))
                    .unwrap();
            ProgramDiff::in_types(&p, &x, &backend("eval"), (DType::F32, DType::F64), 1e-3).unwrap()
        };
        let found = on("return w, v");
        assert!(found.first.is_none(), "{:?}", found.first);
        assert_eq!(found.excused[0].why, Excuse::Undetermined);
        let found = on("t: f32[4] = add(w, 1e6:f32[4]) u: f32[4] = sub(t, 1e6:f32[4]) return u, v");
        assert_eq!(found.first.expect("digits are lost").equations[0].text, "u: f32[4] = sub(t, 1000000.0:f32[4])");
    }
}

/// A program of more values than are run with other roundings, and the same without them.
#[test]
fn d5_where_the_largest_number_counts_it_is_said() {
    for (length, is_known) in [(70_000_000, false), (7, true)] {
        let text = format!(
            "program (x: f32[2]) {{ big: f32[{length}] = 1.0:f32[{length}]
                s: f32[2] = slice[start=[0], limit=[2], strides=[1]](big) y: f32[2] = mul(x, s) return y }}"
        );
        let p = Program::parse(&text).unwrap();
        let x = [Tensor::from_slice([2], &[1e6f32, 1.0]).unwrap()];
        let mut right = |p: &Program, x: &[Tensor]| wengert_eval::run(p, x.to_vec());
        let mut other = |p: &Program, x: &[Tensor]| {
            let text = p.to_text().replace("mul(x, s)", "add(x, dense[0.0, 0.1]:f32[2])");
            wengert_eval::run(&Program::parse(&text)?, x.to_vec())
        };
        let found = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut other, 1e-3)).unwrap();
        assert_eq!((found.first.is_some(), found.by_largest), (is_known, !is_known));
    }
}

/// Each place at which rounding grew costs some runs of each side, and a compiler may take a second for one.
#[test]
fn d5_where_rounding_grows_at_many_places_patience_ends() {
    let p = Program::parse(
        "program (x: f32[]) {
        y: f32[] = scan[length=2400, consts=0, carries=1, reverse=false, body=program (c: f32[]) {
            a: f32[] = mul(c, 3.99:f32[]) b: f32[] = mul(c, c) d: f32[] = mul(b, 3.99:f32[]) e: f32[] = sub(a, d) return e
        }](x)
        return y }",
    )
    .unwrap();
    let run = |name: &'static str| move |p: &Program, x: &[Tensor]| backend(name).run(p, x);
    let (mut right, mut other) = (run("eval"), run("cpu"));
    let sides = Sides::new(&mut right, &mut other, 1e-3).patience(std::time::Duration::ZERO);
    let found = ProgramDiff::new(&p, &[Tensor::scalar(0.3f32)], sides).unwrap();
    assert!(found.first.is_none() && !found.is_complete, "{:?}", found.first);
    assert!(found.excused.len() == 1, "what was begun is ended: {:?}", found.excused);
}

/// What follows an equation that parts agrees again, and parts again, many times: each way up to an earlier one is by halves.
#[test]
fn d5_a_chain_that_agrees_in_between_takes_few_runs() {
    let mut text = "program (x: f32[]) { v0: f32[] = sin(x) ".to_string();
    for i in 0..400 {
        text += &format!("f{i}: f32[] = floor(v{i}) v{}: f32[] = add(v{i}, f{i}) ", i + 1);
    }
    text += "return v400 }";
    let p = Program::parse(&text).unwrap();
    let mut right = |p: &Program, x: &[Tensor]| backend("eval").run(p, x);
    let mut wrong = |p: &Program, x: &[Tensor]| backend("eval").run(&replaced(p, "sin(", "tanh("), x);
    let found = ProgramDiff::new(&p, &[Tensor::scalar(0.3f32)], Sides::new(&mut right, &mut wrong, 1e-3)).unwrap();
    let first = found.first.expect("they part");
    assert!(first.equations[0].text.contains("sin(x)"), "{}", first.equations[0].text);
    assert!(found.runs < 100, "{} runs", found.runs);
}

/// What is left of a matrix and its eigenvectors is rounding, whose size no number of it tells: some are zero by chance.
#[test]
fn d5_what_is_left_of_a_decomposition_is_rounding() {
    let p = Program::parse(
        "program (a: f32[6,6]) {
        t: f32[6,6] = transpose[perm=[1, 0]](a) s: f32[6,6] = dot_general[contract=([1], [0]), batch=([], [])](a, t)
        w: f32[6], v: f32[6,6] = eigh[lower=true](s)
        l: f32[6,6] = dot_general[contract=([1], [0]), batch=([], [])](s, v)
        b: f32[6,6] = broadcast[shape=[6, 6], dims=[1]](w) r: f32[6,6] = mul(v, b) y: f32[6,6] = sub(l, r) return y }",
    )
    .unwrap();
    for seed in 1..9 {
        let number = |i: usize| ((i * i + 7 * seed) as f32 * 0.37).sin();
        let x = [Tensor::new([6, 6], (0..36).map(number).collect()).unwrap()];
        let found = on_backends(&p, &x, "eval", "cpu").unwrap();
        assert!(found.first.is_none(), "{seed}: {:?}", found.first);
        // A fault is not.
        let mut right = |p: &Program, x: &[Tensor]| backend("eval").run(p, x);
        let mut wrong = |p: &Program, x: &[Tensor]| backend("cpu").run(&replaced(p, "sub(", "add("), x);
        let found = ProgramDiff::new(&p, &x, Sides::new(&mut right, &mut wrong, 1e-3)).unwrap();
        assert!(found.first.is_some(), "{seed}: the fault is excused");
    }
}

/// The number that a gather fills with is of the type of its operand, in whatever type a program is run to see how it rounds.
#[test]
fn d5_what_is_left_beside_a_gather_is_rounding() {
    let text = "program (a: f32[3,3], i: i64[3,1]) {
        g: f32[3,3] = gather[indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[], indices_batching_dims=[], index_map=[0], index_vector_dim=1], slice_sizes=[1, 3], out_of_bounds=NaN:f32[], indices_are_sorted=false, unique_indices=false](a, i)
        e: f32[3,3] = exp(g) n: f32[3,3] = neg(g) f: f32[3,3] = exp(n) m: f32[3,3] = mul(e, f) y: f32[3,3] = sub(m, 1.0:f32[3,3]) return y }";
    let p = Program::parse(text).unwrap();
    let a = Tensor::new([3, 3], (0..9).map(|i| 0.37f32 * i as f32 + 0.11).collect()).unwrap();
    let x = [a, Tensor::new([3, 1], vec![2i64, 0, 1]).unwrap()];
    // A product that is rounded once there.
    let found = on_backends(&p, &x, "eval", "cpu").unwrap();
    assert!(found.first.is_none() && !found.excused.is_empty(), "{:?}", found.first);
}
