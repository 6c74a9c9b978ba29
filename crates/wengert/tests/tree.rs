//! Trees of arrays: what functions take and give.

use std::collections::{BTreeMap, HashMap};
use wengert::*;

#[derive(Tree, Clone)]
struct Linear {
    w: Array,
    b: Option<Array>,
    #[tree(static)]
    act: &'static str,
}

#[derive(Tree, Clone)]
struct Model<T> {
    layers: Vec<Linear>,
    head: T,
    scale: f64,
}

#[derive(Tree, Clone)]
enum Schedule {
    Constant(Array),
    Decay { start: Array, rate: Array },
    Off,
}

fn model() -> Model<(Array, Array)> {
    let layer = |act, b| Linear { w: Array::from([[1.0f32, 2.0], [3.0, 4.0]]), b, act };
    Model {
        layers: vec![layer("tanh", Some(Array::from([0.5f32, 0.25]))), layer("none", None)],
        head: (Array::from([1.0f32, 1.0]), Array::from(0.0f32)),
        scale: 2.0,
    }
}

fn loss(m: Model<(Array, Array)>, x: Array) -> Array {
    let mut x = x;
    for l in &m.layers {
        x = (&l.w * &x).sum(-1);
        if let Some(b) = &l.b {
            x += b;
        }
        if l.act == "tanh" {
            x = x.tanh();
        }
    }
    (x * &m.head.0).sum(..) * m.scale + &m.head.1
}

#[test]
fn a_derived_struct_goes_through_every_transform() {
    let x = Array::from([0.1f32, -0.2]);
    let g = grad(loss)(model(), x.clone());
    assert_eq!(g.layers[0].act, "tanh");
    assert_eq!(g.scale, 2.0);
    assert!(g.layers[1].b.is_none());
    let j = jit(grad(loss))(model(), x);
    for (a, b) in leaves(&g).iter().zip(leaves(&j)) {
        assert_eq!(a.to_vec::<f32>(), b.to_vec::<f32>());
    }
}

#[test]
fn names_of_leaves_are_paths() {
    let p = make_program(loss, (model(), Array::from([0.1f32, -0.2])));
    let names: Vec<_> = p.inputs().iter().map(|&v| p.var_name(v).unwrap()).collect();
    assert_eq!(names, ["arg0.layers.0.w", "arg0.layers.0.b", "arg0.layers.1.w", "arg0.head.0", "arg0.head.1", "arg1"]);
}

#[test]
fn a_static_field_is_part_of_the_key() {
    let f = jit(loss);
    let x = Array::from([0.1f32, -0.2]);
    f(model(), x.clone());
    let mut other = model();
    other.layers[1].act = "tanh";
    f(other, x.clone());
    let mut scaled = model();
    scaled.scale = 3.0;
    f(scaled, x.clone());
    f(model(), x);
    assert_eq!((f.misses(), f.hits()), (3, 1));
    assert!(f.explain().contains("\"tanh\""), "{}", f.explain());
}

#[test]
fn structures_are_described_as_they_are_written() {
    let described = |s: Schedule| Schedule::describe(&s.flatten(&mut Vec::new()));
    let (one, two) = (Array::from(0.5f32), Array::from(1.0f32));
    assert_eq!(
        described(Schedule::Decay { start: one.clone(), rate: two }),
        "Schedule::Decay { start: Array, rate: Array }"
    );
    assert_eq!(described(Schedule::Constant(one)), "Schedule::Constant { 0: Array }");
    assert_eq!(described(Schedule::Off), "Schedule::Off");
    let f = |m: Model<(Array, Array)>| {
        scan(|m: Model<(Array, Array)>, x: Array| (Model { scale: 3.0, ..m }, x), m, Array::from([1.0f32]))
    };
    let e = try_run(|| f(model())).err().expect("another scale").to_string();
    assert!(e.contains("one is    Model { layers: [Linear { w: Array, b: Some(Array), act: \"tanh\" }, "), "{e}");
    assert!(e.contains("head: (Array, Array), scale: 3.0 }"), "{e}");
}

#[test]
fn enums_are_trees() {
    let rate = |s: Schedule, t: Array| match s {
        Schedule::Constant(r) => r,
        Schedule::Decay { start, rate } => start * (-(rate * t)).exp(),
        Schedule::Off => Array::from(0.0f32),
    };
    let f = jit(rate);
    let t = Array::from(0.0f32);
    assert_eq!(f(Schedule::Constant(Array::from(0.5f32)), t.clone()).item::<f32>(), 0.5);
    let decay = Schedule::Decay { start: Array::from(2.0f32), rate: Array::from(1.0f32) };
    assert_eq!(f(decay, t.clone()).item::<f32>(), 2.0);
    assert_eq!(f(Schedule::Off, t).item::<f32>(), 0.0);
    assert_eq!(f.misses(), 3);
}

#[test]
fn maps_are_trees_in_the_order_of_their_keys() {
    let entries = [("b", 2.0f32), ("a", 1.0)];
    let hash: HashMap<&'static str, Array> = entries.iter().map(|&(k, v)| (k, Array::from(v))).collect();
    let tree: BTreeMap<&'static str, Array> = hash.clone().into_iter().collect();
    let values = |x: Vec<Array>| x.iter().map(|x| x.item::<f32>()).collect::<Vec<_>>();
    assert_eq!(values(leaves(&hash)), [1.0, 2.0]);
    assert_eq!(values(leaves(&tree)), [1.0, 2.0]);
    let g = grad(|m: HashMap<&'static str, Array>| &m["a"] * &m["b"])(hash);
    assert_eq!(g["a"].item::<f32>(), 2.0);
}
