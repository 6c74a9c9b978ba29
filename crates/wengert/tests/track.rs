//! `#[track]`, `tracked!` and `untracked!`: what they write on a tape (promises C1, C2, C3, C7, C9 of the tape), and that
//! a tracked function does what the function did.

#[path = "track/same.rs"]
mod same;

use expect_test::{Expect, expect};
use std::cell::Cell;
use wengert::{Array, Kind, Recorder, Tape, Tree, grad, make_program, record, scan, track, tracked, untracked};

/// The tape without the path to this file.
fn check(tape: &Tape, expect: Expect) {
    expect.assert_eq(&tape.to_string().replace("crates/wengert/tests/", ""));
}

thread_local!(static RANDOM: Cell<usize> = const { Cell::new(0) });

/// Numbers that a test knows.
#[track]
fn rand() -> f64 {
    let i = RANDOM.replace(RANDOM.get() + 1);
    [0.9, 0.5, 0.1][i % 3]
}

#[track]
fn geom(n: u32, beta: f64) -> u32 {
    if rand() < beta { n } else { geom(n + 1, beta) }
}

#[test]
fn c7_geom_records_its_whole_nest() {
    RANDOM.set(0);
    let (n, tape) = record(|| geom(1, 0.3));
    assert_eq!(n, 3);
    check(&tape, expect![[r#""#]]);
}

#[track]
fn geom_of_arrays(n: Array, beta: Array) -> Array {
    let u = Array::from(rand() as f32);
    if u < beta { n } else { geom_of_arrays(n + 1.0, beta) }
}

#[test]
fn c7_geom_of_arrays() {
    RANDOM.set(1);
    let (n, tape) = record(|| geom_of_arrays(Array::from(1.0f32), Array::from(0.3f32)));
    assert_eq!(n.item::<f32>(), 2.0);
    check(&tape, expect![[r#""#]]);
}

#[track]
fn clipped(x: Array) -> Array {
    let y = &x * 2.0;
    if y.to_f64() > 1.0 {
        return y.sin();
    }
    let z = y * x;
    z
}

#[test]
fn c9_an_if_under_grad() {
    let (_, tape) = record(|| grad(clipped)(Array::from(0.25f32)));
    check(&tape, expect![[r#""#]]);
}

#[test]
fn names_are_in_programs_too() {
    let p = make_program(inner_names, (Array::from(1.0f32),));
    expect![[r#""#]].assert_eq(&p.to_text());
}

#[track]
fn inner_names(x: Array) -> Array {
    let doubled = x * 2.0;
    let sine = doubled.sin();
    sine + 1.0
}

#[track]
fn newton(x: Array) -> Array {
    let mut y = x.clone();
    let mut steps = 0;
    while steps < 5 {
        let error = &y * &y - &x;
        if error.to_f64().abs() < 0.1 {
            break;
        }
        y = &y - error / (&y * 2.0);
        steps += 1;
    }
    y
}

#[test]
fn c9_a_while_with_break() {
    let (_, tape) = record(|| newton(Array::from(2.0f64)));
    check(&tape, expect![[r#""#]]);
}

#[track]
fn running_sum(xs: Array) -> Array {
    let zero = Array::from(0.0f32);
    let (total, sums) = scan(|c: Array, x: Array| (&c + &x, c + x), zero, xs);
    total + sums.sum(..)
}

#[test]
fn a_scan_in_a_tracked_function() {
    let (_, tape) = record(|| running_sum(Array::from([1.0f32, 2.0, 3.0])));
    check(&tape, expect![[r#""#]]);
}

#[track]
fn describe(x: Option<u32>) -> &'static str {
    match x.map(|x| x * 2) {
        None => "nothing",
        Some(n) if n > 10 && n % 4 == 0 => "large",
        Some(_) => "small",
    }
}

#[test]
fn c9_a_match_says_what_matched() {
    let (_, tape) = record(|| [Some(10), Some(7), None].map(|x| describe(x).to_string()));
    check(&tape, expect![[r#""#]]);
}

#[track]
fn parse(text: &str) -> Result<f64, std::num::ParseFloatError> {
    let x: f64 = text.parse()?;
    Ok(x * 2.0)
}

#[track]
fn head(x: &[Array]) -> Option<Array> {
    Some(x.first()? + 1.0)
}

#[test]
fn c9_question_marks_on_options_and_results() {
    let (_, tape) = record(|| {
        assert!(parse("1.5").is_ok() && parse("x").is_err());
        assert!(head(&[]).is_none());
        head(&[Array::from(1.0f32)])
    });
    check(&tape, expect![[r#""#]]);
}

#[track]
fn search(n: u32) -> u32 {
    let found = 'outer: loop {
        for i in 0.. {
            if i * i > n {
                break 'outer i;
            }
        }
    };
    found + 1
}

#[test]
fn c9_labels_and_for() {
    let (found, tape) = record(|| search(2));
    assert_eq!(found, 3);
    check(&tape, expect![[r#""#]]);
}

#[derive(Tree, Clone)]
struct Layer {
    weight: Array,
    bias: Array,
}

struct Model {
    layer: Layer,
    calls: u32,
}

impl Model {
    #[track]
    fn apply(&mut self, x: &Array) -> Array {
        self.calls += 1;
        affine(&self.layer, x)
    }
}

#[track]
fn affine(layer: &Layer, x: &Array) -> Array {
    let Layer { weight, bias } = layer;
    let y = weight * x;
    let y = y + bias;
    y
}

#[test]
fn c2_methods_and_trees_of_arrays() {
    let layer = Layer { weight: Array::from([1.0f32, 2.0]), bias: Array::from([0.5f32, 0.5]) };
    let mut model = Model { layer, calls: 0 };
    let (_, tape) = record(|| model.apply(&Array::from([3.0f32, 4.0])));
    assert_eq!(model.calls, 1);
    check(&tape, expect![[r#""#]]);
}

#[track]
fn pairs((a, b): (Array, Array), note: Option<&str>) -> (Array, Array) {
    let (s, d) = (&a + &b, &a - &b);
    let Some(_) = note else { return (s, d) };
    let s = s * 2.0;
    (s, d)
}

#[test]
fn c2_patterns_and_shadowed_names() {
    let (_, tape) = record(|| {
        let x = (Array::from(1.0f32), Array::from(2.0f32));
        (pairs(x.clone(), None), pairs(x, Some("twice")))
    });
    check(&tape, expect![[r#""#]]);
}

#[test]
fn closures_and_what_opts_out() {
    let scale = 3.0;
    let f = tracked!("scaled", |x: Array, n: usize| {
        let hidden = untracked!(x.exp());
        if n == 0 {
            return x;
        }
        x * scale + hidden
    });
    let (_, tape) = record(|| f(Array::from(1.0f32), 2));
    check(&tape, expect![[r#""#]]);
}

#[track]
fn fails(x: Array) -> Array {
    if x.ndim() == 0 {
        panic!("no axes");
    }
    x
}

#[test]
fn a_call_that_unwinds_says_so() {
    let (_, tape) = record(|| {
        let failed = std::panic::catch_unwind(|| fails(Array::from(1.0f32))).is_err();
        Array::from(if failed { 1.0f32 } else { 0.0 }) + 1.0
    });
    let call = tape.nodes().find(|n| n.function() == "fails").unwrap();
    assert!(call.unwound());
    assert_eq!(call.parent().unwrap().id().index(), 0);
    // What follows is not inside it.
    assert_eq!(tape.nodes().find(|n| n.function() == "add").unwrap().parent(), call.parent());
}

#[test]
fn c1_every_kind_of_node() {
    RANDOM.set(0);
    let (_, tape) = record(|| geom_of_arrays(Array::from([1.0f32]).sum(..), Array::from(0.3f32)));
    for kind in [Kind::Argument, Kind::Constant, Kind::Primitive, Kind::Call, Kind::Branch, Kind::Return] {
        assert!(tape.nodes().any(|n| n.kind() == kind), "{kind:?}");
    }
}

#[test]
fn c9_a_return_knows_why_it_was_reached() {
    RANDOM.set(0);
    let (_, tape) = record(|| geom(1, 0.3));
    let returns: Vec<_> =
        tape.nodes().filter(|n| n.kind() == Kind::Return && n.parent().unwrap().function() == "geom").collect();
    let taken: Vec<_> = returns.iter().map(|r| r.since().and_then(|n| n.condition())).collect();
    assert_eq!(taken, [Some(true), Some(false), Some(false)]);
}

#[test]
fn contexts_see_modules_and_depth() {
    RANDOM.set(0);
    let (_, tape) = Recorder::new().context(wengert::DepthLimit(2)).record(|| geom(1, 0.3));
    assert_eq!(tape.nodes().filter(|n| n.function() == "geom").count(), 2);
    RANDOM.set(0);
    let (_, tape) = Recorder::new().context(wengert::Only::module("elsewhere")).record(|| geom(1, 0.3));
    assert_eq!(tape.nodes().filter(|n| n.function() == "geom").count(), 1);
}
