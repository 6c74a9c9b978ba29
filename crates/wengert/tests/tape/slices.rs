//! C11: the part of a run between chosen results as a program; C4: queries within one call.

use super::values;
use wengert::{Array, Device, Tape, call_program, jit, stack, track};

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

const DATA: [f64; 4] = [-1.2, -0.4, 0.9, 1.6];
/// What a mean may be.
const GRID: [f64; 5] = [-2.0, -1.0, 0.0, 1.0, 2.0];

/// A mixture of two components: the means, which component each number is of, and how likely the numbers are then. The
/// component is a sampled integer, and the means are indexed by it.
#[track]
fn joint(means: Vec<Array>, z: Vec<Array>) -> Array {
    let stacked = stack(means.clone(), 0);
    let mut total = -stacked.square().sum(..) * 0.25;
    for n in 0..DATA.len() {
        let centre = stacked.get(&z[n]);
        let term = -(centre - DATA[n]).square() * 0.5;
        total = total + term;
    }
    total
}

/// The same in plain numbers, for all that can be.
fn exact(m: [usize; 2], z: [usize; 4]) -> f64 {
    let means = m.map(|i| GRID[i]);
    let prior = -0.25 * (means[0] * means[0] + means[1] * means[1]);
    prior - 0.5 * z.iter().zip(DATA).map(|(&z, x)| (means[z] - x).powi(2)).sum::<f64>()
}

#[test]
fn c11_gibbs_sampling_by_slices_follows_the_exact_posterior() {
    let start = || {
        let means: Vec<Array> = [0.0, 1.0].map(Array::from).into();
        let z: Vec<Array> = [0i32, 1, 0, 1].map(Array::from).into();
        (means, z)
    };
    let (_, tape) = values().record(|| {
        let (means, z) = start();
        joint(means, z)
    });
    let named: Vec<_> = ["means.0", "means.1", "z.0", "z.1", "z.2", "z.3"].map(|n| named(&tape, n)).into();
    let terms: Vec<_> = tape.nodes().filter(|n| n.name() == Some("term")).map(|n| n.id()).collect();
    assert_eq!(terms.len(), 4, "{tape}");
    // The conditional of a component needs the term it stands in and no other; that of a mean needs all.
    let of_component: Vec<_> = (0..4)
        .map(|n| {
            let part = tape.slice(&[named[0], named[1], named[2 + n]], &[terms[n]]).unwrap();
            let program = part.program();
            assert_eq!(program.equations().iter().filter(|e| e.op.name() == "gather").count(), 1, "{program}");
            jit(move |x: Vec<Array>| call_program(&program, &x).remove(0))
        })
        .collect();
    let whole = tape.slice(&named, &[tape.root().id()]).unwrap().program();
    let of_mean = jit(move |x: Vec<Array>| call_program(&whole, &x).remove(0));
    let state = |m: [usize; 2], z: &[usize]| -> Vec<Array> {
        m.iter().map(|&i| Array::from(GRID[i])).chain(z.iter().map(|&z| Array::from(z as i32))).collect()
    };

    // The exact posterior, by counting; and the slices are its conditionals.
    let (mut total, mut expected) = (0.0, [0.0; 3]);
    let features = |m: [usize; 2], z: [usize; 4]| {
        [f64::from(u8::from(z[0] == z[1])), f64::from(u8::from(z[0] == z[3])), (GRID[m[0]] - GRID[m[1]]).abs()]
    };
    for at in 0..400 {
        let (m, z) = ([at % 5, at / 5 % 5], [0, 1, 2, 3].map(|n| (at / 25) >> n & 1));
        let p = exact(m, z).exp();
        total += p;
        features(m, z).iter().zip(&mut expected).for_each(|(f, e)| *e += p * f);
        if at % 7 == 0 {
            let found = of_mean(state(m, &z)).item::<f64>();
            assert!((found - exact(m, z)).abs() < 1e-12, "{m:?} {z:?}");
            for (n, of_one) in of_component.iter().enumerate() {
                let found = |z: usize| of_one(state(m, &[z])).item::<f64>();
                let with = |v: usize| exact(m, std::array::from_fn(|i| if i == n { v } else { z[i] }));
                assert!((found(1) - found(0) - (with(1) - with(0))).abs() < 1e-12, "{m:?} {z:?} {n}");
            }
        }
    }
    expected.iter_mut().for_each(|e| *e /= total);

    let mut seed = 7u64;
    let mut uniform = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut choose = |log_p: Vec<f64>| {
        let sum: f64 = log_p.iter().map(|p| p.exp()).sum();
        let mut u = uniform() * sum;
        log_p.iter().position(|p| {
            u -= p.exp();
            u <= 0.0
        })
    };
    let (mut m, mut z, mut found) = ([2, 3], [0, 1, 0, 1], [0.0; 3]);
    const SWEEPS: usize = 3000;
    for _ in 0..SWEEPS {
        for n in 0..4 {
            let log_p = (0..2).map(|z| of_component[n](state(m, &[z])).item::<f64>()).collect();
            z[n] = choose(log_p).unwrap_or(1);
        }
        for k in 0..2 {
            let with = |i: usize| if k == 0 { [i, m[1]] } else { [m[0], i] };
            let log_p = (0..5).map(|i| of_mean(state(with(i), &z)).item::<f64>()).collect();
            m[k] = choose(log_p).unwrap_or(4);
        }
        features(m, z).iter().zip(&mut found).for_each(|(f, s)| *s += f / SWEEPS as f64);
    }
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 0.04, "{found} and {expected}");
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
