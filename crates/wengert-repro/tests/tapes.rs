//! Two recorded runs (D5): a large number hides no difference beside it, and rounding alone is none.

use crate::workloads::{drawn, workloads};
use wengert::{Array, Capture, Recorder, Tape, call_program, device, grad, jit, while_loop, with_device};
use wengert_core::{Program, Tensor};
use wengert_golden::Golden;
use wengert_repro::diff::{TapeDiff, record_program};

/// What differs between two programs on the same inputs, at the tolerance that the command has.
fn between(a: &str, b: &str, x: &[Tensor]) -> TapeDiff {
    let [a, b] = [a, b].map(|text| record_program(&Program::parse(text).unwrap(), x).unwrap());
    TapeDiff::new(&a, &b, 1e-3).unwrap()
}

fn vector(x: &[f32]) -> Tensor {
    Tensor::from_slice([x.len()], x).unwrap()
}

#[test]
fn d5_a_mask_hides_no_difference_of_two_runs() {
    let x = vector(&[0.3, 0.7, 0.9]);
    for mask in ["-1e9", "-3e4", "-3.4e38"] {
        // In a constant, in a number that stands in an equation, and in the attributes of an op.
        let constant = format!("program (x: f32[3]) {{ y: f32[3] = add(x, dense[{mask}, 1.0, 2.0]:f32[3]) return y }}");
        let factor = format!(
            "program (x: f32[3]) {{ a: f32[3] = mul(x, 2.0:f32[3])
                y: f32[3] = select(dense[true, false, false]:bool[3], {mask}:f32[3], a) return y }}"
        );
        let op = format!(
            "program (x: f32[3]) {{ c: f32[3] = add(x, dense[{mask}, 0.0, 0.0]:f32[3])
                y: f32[3] = reduce_precision[exponent=8, mantissa=23](c) return y }}"
        );
        for (text, from, to) in
            [(&constant, "1.0, 2.0]", "1.0, 7.0]"), (&factor, "2.0:", "2.5:"), (&op, "mantissa=23", "mantissa=3")]
        {
            let found = between(text, &text.replace(from, to), std::slice::from_ref(&x));
            assert!(!found.results.is_empty(), "{text}: {found:?}");
        }
    }
}

#[test]
fn d5_an_op_that_is_given_the_same_is_held_to_its_own_rounding() {
    // What a bfloat has lost before is no excuse for a sum of floats.
    for ty in ["bf16", "f16"] {
        let text = format!(
            "program (x: f32[3]) {{ a: {ty}[3] = convert[dtype={ty}](x) b: {ty}[3] = exp(a)
                c: f32[3] = convert[dtype=f32](b) y: f32[] = reduce[combiner=add, dims=[0]](c) return y }}"
        );
        let x = [vector(&[0.0, -3.0, -5.0])];
        let found = between(&text, &text.replace("combiner=add", "combiner=max"), &x);
        let tape = record_program(&Program::parse(&text).unwrap(), &x).unwrap();
        let first = found.first.expect("they part");
        assert_eq!(tape.node(first.at.a.node).function(), "reduce", "{ty}");
    }
}

/// The function of the node that is named where a program and another one part.
fn named(text: &str, other: &str, x: &[Tensor]) -> String {
    let tape = record_program(&Program::parse(text).unwrap(), x).unwrap();
    let first = between(text, other, x).first.unwrap_or_else(|| panic!("nothing is named: {other}"));
    tape.node(first.at.a.node).function().to_string()
}

#[test]
fn d5_the_node_that_did_otherwise_is_named_and_not_where_more_comes_of_it() {
    let x = [vector(&[0.5, 0.25, 2.0])];
    // Less than the tolerance, until something is left of it.
    let small = "program (x: f32[3]) { e: f32[3] = exp(x) a: f32[3] = mul(e, 1.0:f32[3]) b: f32[3] = sub(a, e)
        c: f32[3] = add(b, 1e-4:f32[3]) y: f32[3] = sqrt(c) return y }";
    assert_eq!(named(small, &small.replace("e, 1.0:", "e, 1.0005:"), &x), "mul");
    // Rounding alone before it is not the reason.
    assert_eq!(named(small, &small.replace("1e-4:", "3e-4:"), &x), "add");
    // The sign of a zero, of which nothing is seen until something is divided by it.
    let zero =
        "program (x: f32[3]) { a: f32[3] = mul(x, 0.0:f32[3]) b: f32[3] = abs(a) c: f32[3] = neg(b) d: f32[3] = neg(c)
        y: f32[3] = div(x, d) return y }";
    assert_eq!(named(zero, &zero.replace("= abs(a)", "= neg(a)"), &x), "abs");
    // Equations more.
    let more = small.replace("a: f32[3] = mul(e, 1.0:f32[3])", "n: f32[3] = mul(e, 1.0005:f32[3]) a: f32[3] = abs(n)");
    let less = small.replace("a: f32[3] = mul(e, 1.0:f32[3])", "a: f32[3] = abs(e)");
    assert_eq!(named(&less, &more, &x), "abs");
    // A number that a call is given.
    let call = "program (x: f32[3]) { y: f32[3] = call[program=program f(x: f32[3], i: i32[]) {
        n: f32[] = convert[dtype=f32](i) b: f32[3] = broadcast[shape=[3], dims=[]](n) r: f32[3] = add(x, b) return r },
        kind=staged](x, 0:i32[]) return y }";
    assert_eq!(named(call, &call.replace("0:i32", "1:i32"), &x), "call");
}

#[test]
fn d5_what_a_loop_is_given_in_a_turn_is_no_input_of_the_run() {
    let text = "program (x: f32[3], i: f32[2]) {
        y: f32[3] = scan[length=2, consts=0, carries=1, reverse=false, body=program (c: f32[3], i: f32[]) {
            m: f32[3] = add(c, dense[-1e9, 1.0, 2.0]:f32[3]) p: f32[3] = tanh(m) q: f32[3] = mul(p, 2.0:f32[3]) return q
        }](x, i)
        return y }";
    let x = [vector(&[0.3, 0.7, 0.9]), vector(&[0.0, 0.0])];
    let found = between(text, &text.replace("2.0:", "2.5:"), &x);
    assert!(found.inputs.is_empty(), "{:?}", found.inputs);
    // The product, and not the turn around it.
    let tape = record_program(&Program::parse(text).unwrap(), &x).unwrap();
    assert_eq!(tape.node(found.first.expect("they part").at.a.node).function(), "mul");
    let found = between(text, &text.replace("1.0, 2.0]", "1.0, 2.5]"), &x);
    let constants = found.inputs.iter().all(|gap| tape.node(gap.a.node).function() == "constant");
    assert!(constants && !found.inputs.is_empty() && found.first.is_none(), "{found:?}");
}

/// A sum whose first element is rounded to all of itself, and what follows it.
#[test]
fn d5_two_runs_that_round_otherwise_agree() {
    let text = "program (x: f32[3]) {
        a: f32[3] = add(x, C) b: f32[3] = sub(a, C) c: f32[3] = neg(b) return c }";
    let text = text.replace('C', "dense[3e7, 0.0, 0.1]:f32[3]");
    let other =
        text.replace("a: f32[3] = add(x,", "n: f32[3] = mul(x, dense[2.5, 1.0, 1.0]:f32[3]) a: f32[3] = add(n,");
    let x = [vector(&[0.9, 0.7, 0.9])];
    let found = between(&text, &other, &x);
    assert!(found.results.is_empty(), "{found:?}");
    // The same of an element that is not rounded.
    let found = between(&text, &other.replace("1.0]:", "1.5]:"), &x);
    assert!(!found.results.is_empty(), "{found:?}");
}

/// The run of a program on a device, with the values of all equations.
fn recorded(p: &Program, x: &[Tensor], name: &str) -> Option<Tape> {
    let x: Vec<Array> = x.iter().cloned().map(Array::from_tensor).collect();
    let recorder = Recorder::new().capture(Capture::Values);
    // As one that is compiled: op by op, the devices give the same bits.
    let p = p.clone();
    let staged = jit(move |x: Vec<Array>| call_program(&p, &x));
    let (y, tape) = recorder.try_record(|| with_device(&device(name).unwrap(), || staged(x)));
    y.ok().map(|_| tape)
}

#[test]
fn d5_rounding_alone_is_never_reported_of_two_runs() {
    let mut all: Vec<(Program, Vec<Tensor>)> = workloads().into_iter().map(|(_, p, x)| (p, x)).collect();
    let (mut compared, mut rounded, mut reported) = (0, 0, Vec::new());
    for golden in Golden::all() {
        // A file that shows a mistake has no programs beyond it.
        let _ = golden.run(|_, stage| {
            all.extend(stage.programs().iter().filter_map(|p| {
                let own = golden.inputs().ok().filter(|x| x.iter().map(Tensor::ty).eq(p.input_types()));
                // On other inputs, a loop may never end.
                let drawn = || (!p.any(|_, e| e.op.name() == "while")).then(|| drawn(&p.input_types()));
                own.or_else(drawn).map(|x| (p.clone(), x))
            }));
        });
    }
    for (p, x) in all {
        // Some can't be run: they communicate.
        let (Some(a), Some(b)) = (recorded(&p, &x, "eval"), recorded(&p, &x, "cpu")) else { continue };
        compared += 1;
        let bits = |t: &Tape| (0..t.root().result_count()).filter_map(|i| t.root().value(i)).collect::<Vec<_>>();
        rounded += usize::from(!bits(&a).iter().zip(&bits(&b)).all(|(x, y)| x.same_bits(y)));
        let found = TapeDiff::new(&a, &b, 1e-3).unwrap();
        if !found.is_none() {
            reported.push(format!("{:?} {:?} {:?}\n{p}", found.inputs, found.first, found.results));
        }
    }
    assert!(compared > 150 && rounded > 10, "only {compared} programs ran, {rounded} with other bits");
    assert!(reported.is_empty(), "{} of {compared}:\n{}", reported.len(), reported.join("\n"));
}

/// Which of two numbers is the larger is asked of the numbers themselves: rounding flips nothing there, and hides no other result.
#[test]
fn d5_what_is_chosen_of_numbers_hides_no_difference() {
    type Run = fn(f32) -> Array;
    let runs: [Run; 2] = [
        |c| jit(grad(move |x: Array| x.logaddexp(&x * c)))(Array::from(0.7f32)),
        |c| jit(grad(move |x: Array| (&x * c).max(..) * x.sum(..)))(Array::from([0.7f32, 0.9, -0.3])),
    ];
    for (i, run) in runs.into_iter().enumerate() {
        let tape = |c| Recorder::new().capture(Capture::Values).record(|| run(c)).1;
        let found = TapeDiff::new(&tape(0.5), &tape(0.6), 1e-3).unwrap();
        assert!(found.first.is_some() && !found.results.is_empty(), "{i}: {found:?}");
        assert!(TapeDiff::new(&tape(0.5), &tape(0.5), 1e-3).unwrap().is_none(), "{i}");
    }
}

/// A loop that ends at a tie: one turn more is as right, and excuses nothing between the two.
#[test]
fn d5_a_turn_more_excuses_nothing_but_itself() {
    for ty in ["f32", "f64"] {
        let looped = |step: &str, factor: &str| {
            format!(
                "program (x: {ty}[]) {{ t: {ty}[] = while[consts=0, cond=program (t: {ty}[]) {{
                        b: bool[] = compare[direction=lt](t, 1.0:{ty}[]) return b }},
                    body=program (t: {ty}[]) {{ u: {ty}[] = add(t, {step}:{ty}[]) return u }}](x)
                    y: {ty}[] = mul(t, {factor}:{ty}[]) return y }}"
            )
        };
        let x = [if ty == "f32" { Tensor::scalar(0.0f32) } else { Tensor::scalar(0.0f64) }];
        let right = looped("0.1", "1.0");
        assert!(between(&right, &right, &x).is_none());
        // Nearly a whole turn away, and no outcome.
        for wrong in [looped("0.1", "0.955"), looped("0.1", "1.045")] {
            let found = between(&right, &wrong, &x);
            assert!(!found.is_none() && found.first.is_some(), "{ty}: {found:?}");
        }
    }
    // As another rounding of what it is given has it: eleven turns, and not ten.
    let run = |x: f32| {
        let looped = || while_loop(|t: Array| t.lt(1.0), |t: Array| t + 0.1, Array::from(x)) * 3.0;
        let eval = device("eval").unwrap();
        let (y, tape) = Recorder::new().capture(Capture::Values).record(|| with_device(&eval, looped));
        (y.item::<f32>(), tape)
    };
    let [(ten, a), (eleven, b)] = [run(0.1), run(0.1 - 4e-7)];
    assert!(eleven > ten + 0.2, "{ten} {eleven}");
    let found = TapeDiff::new(&a, &b, 1e-3).unwrap();
    assert!(found.first.is_none() && found.results.is_empty(), "{found:?}");
}
