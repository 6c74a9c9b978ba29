//! Contexts (C5), and what a recorder measures and keeps.

use super::{find, ops, values};
use wengert::{
    Array, Capture, Context, DepthLimit, Draft, Every, Kind, MetaKey, Only, Recorder, Tape, jit, record, track,
};

mod model {
    pub mod layers {
        use wengert::{Array, track};

        #[track]
        pub fn dense(x: Array) -> Array {
            x.sin()
        }
    }

    pub mod layers_of_others {
        use wengert::{Array, track};

        #[track]
        pub fn dense(x: Array) -> Array {
            super::layers::dense(x).cos()
        }
    }
}

#[track]
fn forward(x: Array) -> Array {
    model::layers_of_others::dense(model::layers::dense(x))
}

fn two() -> Array {
    Array::from([1.0f32, 2.0])
}

#[test]
fn c5_by_module() {
    let run = |path| Recorder::new().context(Only::module(path)).record(|| forward(two())).1;
    let here = module_path!();
    assert_eq!(ops(&run(here.split("::").next().unwrap())), ["sin", "sin", "cos"]);
    let layers: &'static str = format!("{here}::model::layers").leak();
    // `forward` is not in that module: it is a node, and what is inside is not seen.
    let tape = run(layers);
    assert_eq!(ops(&tape), [""; 0]);
    assert!(tape.nodes().any(|n| n.function() == "forward"));
    // Called from a place that is recorded, only the function of that very module is looked into.
    let context = Only::module(layers);
    let both = || model::layers::dense(two()) + model::layers_of_others::dense(two());
    let (_, tape) = Recorder::new().context(context).record(both);
    assert_eq!(ops(&tape), ["sin", "add"]);
}

#[test]
fn c5_sampling_and_composition() {
    let run = |context: Recorder| context.record(|| (0..6).map(|_| forward(two())).collect::<Vec<_>>()).1;
    let inside = |tape: &Tape| tape.nodes().filter(|n| n.function() == "forward" && n.has_children()).count();
    // Every second call that is reached: the two inside each `forward` that is seen count too.
    assert_eq!(inside(&run(Recorder::new().context(DepthLimit(2)).context(Every::nth(2)))), 3);
    // Both must want to see inside, and both see every node, in the order they were given.
    const FIRST: MetaKey<bool> = MetaKey::new("first");
    const SECOND: MetaKey<i64> = MetaKey::new("second");
    struct First;
    impl Context for First {
        fn recurse(&self, call: &Draft<'_>) -> bool {
            &*call.label.name != "dense"
        }
        fn node(&self, node: &mut Draft<'_>) {
            node.set_meta(FIRST, true);
        }
    }
    struct Second;
    impl Context for Second {
        fn call(&self, node: &mut Draft<'_>) {
            node.set_meta(SECOND, node.depth as i64);
        }
    }
    for tape in [
        Recorder::new().context(First.and(Second)).record(|| forward(two())).1,
        Recorder::new().context(First).context(Second).record(|| forward(two())).1,
    ] {
        assert_eq!(ops(&tape), [""; 0]);
        let dense = find(&tape, "dense");
        assert_eq!((dense.meta(FIRST), dense.meta(SECOND)), (Some(true), Some(2)));
        assert!(tape.nodes().skip(1).all(|n| n.meta(FIRST) == Some(true)));
        assert_eq!(tape.nodes().filter(|n| n.meta(SECOND).is_some()).count(), 3);
    }
}

#[test]
fn c5_d4_metadata_is_saved_with_the_tape() {
    const SIZE: MetaKey<i64> = MetaKey::new("size");
    const WORD: MetaKey<String> = MetaKey::new("word");
    struct Sizes;
    impl Context for Sizes {
        fn primitive(&self, node: &mut Draft<'_>) {
            node.set_meta(SIZE, node.types.iter().map(|t| t.shape.size() as i64).sum());
            node.set_meta(WORD, format!("{:?}", node.value(0).map(|t| t.get(0).as_f64())));
        }
    }
    let (_, tape) = Recorder::new().context(Sizes).record(|| two().exp());
    let path = std::env::temp_dir().join(format!("wengert-metadata-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    let exp = find(&opened, "exp");
    assert_eq!(exp.meta(SIZE), Some(2));
    assert!(exp.meta(WORD).unwrap().starts_with("Some(Some(2.718"));
    // Under a key of another type there is nothing.
    assert_eq!(exp.meta(MetaKey::<bool>::new("size")), None);
    assert!(exp.value(0).is_none());
    std::fs::remove_file(path).unwrap();
}

#[test]
fn times_are_measured_where_they_are_asked_for() {
    let f = jit(|x: Array| x.sin());
    let run = || f(two()).softmax(-1).cos();
    let (_, tape) = Recorder::new().times().record(run);
    let timed = |name: &str| tape.nodes().find(|n| n.function().starts_with(name)).and_then(|n| n.nanos());
    for name in ["jit", "softmax", "exp", "cos"] {
        assert!(timed(name).is_some_and(|t| t > 0.0), "{name}: {tape}");
    }
    // A call takes as long as what is inside, or longer.
    assert!(timed("softmax") > timed("exp"));
    assert!(record(run).1.nodes().all(|n| n.nanos().is_none()));
}

#[test]
fn d2_beyond_the_limit_summaries_are_kept() {
    let run = || {
        let mut x = Array::from(vec![1.5f32; 100]);
        for _ in 0..10 {
            x = x.sin();
        }
        x + Array::from(vec![2.5f32; 100]).cos()
    };
    let (y, tape) = values().limit(1000).record(run);
    let kept = tape.nodes().filter(|n| n.kind() != Kind::Return && n.value(0).is_some()).count();
    assert_eq!((kept, tape.value_bytes()), (2, 800));
    let first = tape.limited().unwrap();
    assert_eq!(first.id().index(), 3);
    assert!(tape.nodes().skip(1).all(|n| n.result_count() == 0 || n.summary(0).is_some()));
    let last = tape.nodes().rfind(|n| n.function() == "sin").unwrap();
    assert!(last.summary(0).unwrap().max < y.max(..).item::<f32>() as f64 + 1.0);
    // It says so where it is asked for what it does not have.
    assert!(tape.to_program().unwrap().recorded_inputs(&tape).is_none());
    let mut tape = tape;
    tape.set(1, Array::from(vec![0.5f32; 100]).to_tensor()).unwrap();
    let e = tape.update().unwrap_err();
    assert!(e.to_string().contains("limit"), "{e}");
    let (_, whole) = values().limit(1 << 20).record(run);
    assert!(whole.limited().is_none());
    // What another recording kept counts as well, once it is a part of this one.
    let (_, outer) = values().limit(1000).record(|| values().record(run).0);
    assert_eq!(outer.value_bytes(), 800);
    assert!(outer.limited().is_some());
}

#[test]
fn a_context_may_ask_for_values_of_some_nodes_alone() {
    struct OnlyCos;
    impl Context for OnlyCos {
        fn primitive(&self, node: &mut Draft<'_>) {
            if &*node.label.name == "cos" {
                node.capture(Capture::Values);
            }
        }
    }
    let (_, tape) = Recorder::new().context(OnlyCos).record(|| two().sin().cos().exp());
    let kept: Vec<&str> = tape.nodes().filter(|n| n.value(0).is_some()).map(|n| n.function()).collect();
    assert_eq!(kept, ["cos"]);
}
