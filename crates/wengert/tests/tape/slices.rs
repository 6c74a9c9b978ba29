//! C11: the part of a run between chosen results as a program; C4: queries within one call.

use super::values;
use wengert::{Array, Device, Tape, track};

fn named(tape: &Tape, name: &str) -> wengert::tape::NodeId {
    tape.nodes().find(|n| n.name() == Some(name)).unwrap_or_else(|| panic!("no {name} in\n{tape}")).id()
}

#[track]
fn model(x: Array, scale: f64) -> Array {
    let mean = (&x * 2.0).sin();
    let spread = mean.exp() + scale;
    let score = (&mean - &x) / &spread;
    score.square().sum(..)
}

#[test]
fn c11_the_part_between_chosen_results() {
    let x = Array::from([0.5f32, 1.5]);
    let (y, tape) = values().record(|| model(x.clone(), 0.25));
    let (mean, spread) = (named(&tape, "mean"), named(&tape, "spread"));
    // Of the mean alone: the spread follows it, and `x` is as it was.
    let part = tape.slice(&[mean], &[tape.root().id()]).unwrap();
    assert_eq!(part.inputs(), &[(mean, 0)]);
    let was = tape.node(mean).value(0).unwrap();
    assert_eq!(part.run(&Device::cpu(), vec![was.clone()]).unwrap(), [y.to_tensor()]);
    let other = Array::from([0.1f32, -0.2]);
    let expected = ((&other - &x) / (other.exp() + 0.25)).square().sum(..);
    assert_eq!(part.run(&Device::cpu(), vec![other.to_tensor()]).unwrap(), [expected.to_tensor()]);
    assert!(!part.program().to_text().contains("sin"), "{}", part.program());
    // Of both: the spread is taken, and no longer computed.
    let part = tape.slice(&[spread, mean], &[tape.root().id()]).unwrap();
    assert_eq!(part.inputs(), &[(spread, 0), (mean, 0)]);
    assert!(!part.program().to_text().contains("exp"), "{}", part.program());
    let one = Array::from([1.0f32, 1.0]);
    let expected = ((&other - &x) / &one).square().sum(..);
    assert_eq!(part.run(&Device::cpu(), vec![one.to_tensor(), other.to_tensor()]).unwrap(), [expected.to_tensor()]);
}

#[track]
fn mixture(data: [f64; 3], means: Array, z: [usize; 3]) -> Array {
    let mut total = Array::from(0.0f64);
    for n in 0..3 {
        let centre = means.get(z[n] as isize);
        total = total - (centre - data[n]).square() * 0.5;
    }
    total
}

#[test]
fn c11_conditionals_of_a_mixture() {
    // The log density as a function of the means, with assignments as they were in the run.
    let means = Array::from([-1.0f64, 2.0]);
    let (_, tape) = values().record(|| mixture([-0.5, 1.5, 2.5], means.clone(), [0, 1, 1]));
    let given =
        tape.nodes().find(|n| n.kind() == wengert::tape::Kind::Constant && n.ty(0).is_some_and(|t| t.rank() == 1));
    let part = tape.slice(&[given.unwrap().id()], &[tape.root().id()]).unwrap();
    let density =
        |m: [f64; 2]| part.run(&Device::cpu(), vec![Array::from(m).to_tensor()]).unwrap()[0].get(0).as_f64().unwrap();
    let exact = |m: [f64; 2]| -0.5 * ((m[0] + 0.5).powi(2) + (m[1] - 1.5).powi(2) + (m[1] - 2.5).powi(2));
    for m in [[0.0, 0.0], [-0.5, 2.0], [3.0, -1.0]] {
        assert!((density(m) - exact(m)).abs() < 1e-12, "{m:?}");
    }
}

#[test]
fn c4_queries_within_one_call() {
    let x = Array::from([0.5f32, 1.5]);
    let (_, tape) = values().record(|| model(&x * 3.0, 0.25) + 1.0);
    let score = tape.node(named(&tape, "score"));
    let inside: Vec<&str> = score.backward_in_call().filter_map(|n| n.name()).collect();
    assert_eq!(inside, ["spread", "mean", "scale", "x"], "{tape}");
    assert!(score.backward().any(|n| n.depth() == 1) && score.backward_in_call().all(|n| n.parent() == score.parent()));
    let call = score.parent().unwrap();
    assert_eq!(call.child(0), call.children().next());
    assert!(score.forward_in_call().all(|n| n.parent() == Some(call)));
    assert!(score.forward_in_call().count() < score.forward().count());
}

#[track]
fn both(x: Array, n: f64) -> (Array, Array) {
    let (a, b) = (x.sin(), x.cos());
    (a * n, b.exp())
}

#[test]
fn c4_c10_slices_go_by_result() {
    let (x, w) = (Array::from([0.5f32, 1.5]), Array::from([2.0f32, 3.0]));
    // Two sums that have nothing to do with each other in one loop, a function of two results around them.
    let run = || {
        let (u, v) = (x.tanh(), w.abs());
        let step = |(s, t): (Array, Array), (a, b): (Array, Array)| ((s + a, t * b), ());
        let ((s, t), ()) = wengert::scan(step, (Array::from(0.0f32), Array::from(1.0f32)), (u, v));
        let (p, q) = both(s, 2.0);
        (p, q, t)
    };
    let (_, tape) = values().record(run);
    let scan = tape.nodes().find(|n| n.function() == "scan").unwrap();
    let names = |n: wengert::Node<'_>, out| -> Vec<String> {
        wengert::tape::NodeRef { node: n, out }.backward().map(|n| n.function().to_string()).collect()
    };
    let (first, second) = (names(scan, 0), names(scan, 1));
    assert!(first.contains(&"tanh".into()) && !first.contains(&"abs".into()), "{first:?}");
    assert!(second.contains(&"abs".into()) && !second.contains(&"tanh".into()), "{second:?}");
    assert!(scan.backward().any(|n| n.function() == "abs") && scan.backward().any(|n| n.function() == "tanh"));
    let call = tape.nodes().find(|n| n.function() == "both").unwrap();
    let (p, q) = (names(call, 0), names(call, 1));
    assert!(p.contains(&"sin".into()) && !p.contains(&"cos".into()), "{p:?}");
    assert!(q.contains(&"cos".into()) && !q.contains(&"sin".into()) && q.contains(&"tanh".into()), "{q:?}");
}
