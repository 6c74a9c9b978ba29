//! Contexts (C5), and what a recorder measures and keeps.

use super::{find, ops, run_again, values};
use std::sync::atomic::Ordering::Relaxed;
use wengert::tape::{
    self, Argument, Context, DepthLimit, Draft, Enter, EveryNth, Kind, MetaKey, NodeFilter, NodeId, attach,
};
use wengert::{
    Array, Capture, Node, Recorder, Scalar, Tape, Tensor, cond, fori_loop, jit, nn, record, track, tracked, untracked,
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
    let run = |path| Recorder::new().context(NodeFilter::module(path)).record(|| forward(two())).1;
    let here = module_path!();
    assert_eq!(ops(&run(here.split("::").next().unwrap())), ["sin", "sin", "cos"]);
    let layers: &'static str = format!("{here}::model::layers").leak();
    // `forward` is not in that module: what it does itself is not seen, and the functions of the module that it calls are.
    let tape = run(layers);
    assert_eq!(ops(&tape), ["sin", "sin"]);
    let calls =
        |n: Node<'_>| n.children().filter(|n| n.kind() == Kind::Call).map(|n| n.function().to_string()).collect();
    let (outer, inner): (Vec<String>, Vec<String>) = (calls(tape.root()), calls(find(&tape, "forward")));
    assert_eq!((outer, inner), (vec!["forward".to_string()], vec!["dense".to_string(); 2]), "{tape}");
    // What the second takes is what the first gave.
    let dense: Vec<Node<'_>> = tape.nodes().filter(|n| n.function() == "dense").collect();
    assert!(dense[1].backward().any(|n| n == dense[0]), "{tape}");
    // Called from a place that is recorded, only the function of that very module is looked into.
    let context = NodeFilter::module(layers);
    let both = || model::layers::dense(two()) + model::layers_of_others::dense(two());
    let (_, tape) = Recorder::new().context(context).record(both);
    assert_eq!(ops(&tape), ["sin", "sin", "add"]);
    let add = find(&tape, "add");
    assert!(add.referenced().all(|n| n.function() == "dense"), "{tape}");
    // With another context, and in what is not tracked, it is silent there.
    let context = NodeFilter::module(layers).and(DepthLimit(2));
    let (_, tape) = Recorder::new().context(context).record(|| forward(two()) + untracked!(forward(two())));
    assert_eq!(ops(&tape), ["add"]);
    // On other threads too, and inside staged functions and recordings.
    let threads = || std::thread::spawn(attach(|| forward(two()))).join().unwrap();
    let f = jit(forward);
    let staged = || f(two());
    let around = tracked!("around", |x: Array| f(x) * 2.0);
    let staged_around = || around(two());
    let inner = || record(|| forward(two())).0;
    let ways: [&dyn Fn() -> Array; 3] = [&threads, &staged, &inner];
    let (_, tape) = Recorder::new().context(NodeFilter::module(layers)).record(staged_around);
    assert_eq!(ops(&tape), ["sin", "sin"], "{tape}");
    assert_eq!(find(&tape, "around").children().filter(|n| n.function() == "dense").count(), 2, "{tape}");
    for way in ways {
        let (_, tape) = Recorder::new().context(NodeFilter::module(layers)).record(way);
        assert_eq!(ops(&tape), ["sin", "sin"], "{tape}");
        assert_eq!(find(&tape, "forward").children().filter(|n| n.kind() == Kind::Call).count(), 2);
    }
}

/// Everything that has an inside of some sort: a staged function, twice at one depth and once at another, loops of both
/// sorts, a branch, and a recording.
fn nests(f: &dyn Fn(Array) -> Array) -> Array {
    let x = f(f(two()));
    let x = fori_loop(0, 2, |_, x: Array| f(x).tanh(), x);
    let x = cond(x.sum(..).gt(0.0), |x: Array| x.exp().abs(), |x: Array| x.abs(), x);
    record(|| f(x).sqrt().floor()).0
}

fn staged() -> impl Fn(Array) -> Array {
    let inner = jit(|x: Array| x.cos() * 2.0);
    let outer = jit(move |x: Array| inner(x.sin()) + inner(x));
    move |x| outer(x)
}

#[test]
fn c5_every_node_is_asked_about_inside_of_whatever_it_is() {
    const DEPTH: MetaKey<i64> = MetaKey::new("depth");
    struct Depths;
    impl Context for Depths {
        fn node(&self, node: &mut Draft<'_>) {
            node.set_meta(DEPTH, node.depth as i64);
        }
    }
    let f = staged();
    for recorder in [Recorder::new(), values(), Recorder::new().every_step()] {
        let (_, tape) = recorder.clone().context(Depths).record(|| nests(&f));
        for n in tape.nodes().skip(1) {
            assert_eq!(n.meta(DEPTH), Some(n.ancestors().count() as i64), "{n} of\n{tape}");
        }
        // To be asked changes nothing but what can't be shared any more.
        let (_, plain) = recorder.record(|| nests(&f));
        let shown = |t: &Tape| t.print_levels(99).lines().count();
        assert_eq!(shown(&tape), shown(&plain), "{tape} and {plain}");
    }
    let (y, tape) = values().context(Depths).record(|| nests(&f));
    assert_eq!(run_again(&tape), [y.to_tensor()]);
}

#[test]
fn c5_a_depth_limit_holds_inside_of_whatever_is_staged() {
    let f = staged();
    let levels = |tape: &Tape| tape.nodes().map(|n| n.ancestors().count()).max();
    for recorder in [Recorder::new(), Recorder::new().every_step()] {
        let (_, whole) = recorder.clone().record(|| nests(&f));
        assert!(levels(&whole) >= Some(4), "{whole}");
        for limit in 1..4 {
            let (_, tape) = recorder.clone().context(DepthLimit(limit)).record(|| nests(&f));
            assert_eq!(levels(&tape), Some(limit), "{tape}");
            // As deep as it goes, all of it is there.
            let text = |t: &Tape| {
                let calls = |n: &Node<'_>| n.kind() == Kind::Call && n.ancestors().count() < limit;
                t.nodes().filter(calls).map(|n| (n.function().to_string(), n.children().count())).collect::<Vec<_>>()
            };
            assert_eq!(text(&tape), text(&whole), "{tape} and {whole}");
        }
    }
}

#[test]
fn c5_d3_what_the_kernel_of_an_op_runs_is_inside_it() {
    let image = Array::from([1.0f32, 2.0, 3.0, 4.0]).reshape([1, 1, 4]);
    let convolution = || nn::conv(&image, &image, nn::Sliding::new());
    let inside = |tape: &Tape| find(tape, "convolution").children().count();
    let inner = || record(convolution).0;
    let ways: [(usize, &dyn Fn() -> Array); 2] = [(2, &convolution), (3, &inner)];
    for (depth, way) in ways {
        assert!(inside(&record(way).1) > 0);
        assert_eq!(inside(&Recorder::new().context(DepthLimit(depth)).record(way).1), 0);
        assert!(inside(&Recorder::new().context(DepthLimit(depth + 1)).record(way).1) > 0);
    }
}

#[test]
fn d3_steps_of_a_kernel_are_linked_and_the_op_has_a_decomposition() {
    let image = Array::from((0..64).map(|i| i as f32).collect::<Vec<_>>()).reshape([1, 1, 8, 8]);
    let kernel = Array::from([[1.0f32, 2.0], [3.0, -4.0]]).reshape([1, 1, 2, 2]);
    let sliding = || nn::Sliding::new().padding(1);
    let staged = jit(move |x: Array, k: Array| nn::conv(&x, &k, sliding()));
    let ways: [&dyn Fn() -> Array; 2] =
        [&|| nn::conv(&image, &kernel, sliding()), &|| staged(image.clone(), kernel.clone())];
    for way in ways {
        let (y, tape) = Recorder::new().capture(Capture::Values).every_step().record(way);
        let op = find(&tape, "convolution");
        let steps: Vec<Node<'_>> = op.children().collect();
        assert!(steps.len() > 1, "{tape}");
        let given = |n: Node<'_>| {
            n.arguments()
                .filter_map(|a| match a {
                    Argument::Node(r) => Some(r.node.id()),
                    Argument::Constant(_) => None,
                })
                .collect::<Vec<_>>()
        };
        // Each step takes operands of the op or what an earlier step gave, and the last hangs on all of them.
        let operands = given(op);
        for (i, s) in steps.iter().enumerate() {
            let takes = given(*s);
            assert!(!takes.is_empty(), "{tape}");
            assert!(takes.iter().all(|n| operands.contains(n) || steps[..i].iter().any(|s| s.id() == *n)), "{tape}");
        }
        let before: Vec<NodeId> = steps.last().unwrap().backward().map(|n| n.id()).collect();
        assert!(steps.iter().rev().skip(1).all(|s| before.contains(&s.id())), "{tape}");
        // What the op stands for, in simpler ops, gives the same.
        let program = tape::decomposition(op).expect("of simpler ops").unwrap();
        assert!(!program.any(|_, e| e.op.name() == "convolution"), "{program}");
        let again = wengert::call_program(&program, &[image.clone(), kernel.clone()]).remove(0);
        assert!((again - y).abs().max(..).item::<f32>() < 1e-4);
        // Saved and opened, it is the same.
        let path = std::env::temp_dir().join(format!("wengert-steps-{}.tape", std::process::id()));
        tape.save(&path).unwrap();
        assert_eq!(Tape::open(&path).unwrap().to_string(), tape.to_string());
        std::fs::remove_file(path).unwrap();
    }
}

#[test]
fn c5_ops_that_are_not_wanted_are_nowhere() {
    let f = staged();
    for recorder in [Recorder::new(), Recorder::new().every_step()] {
        let (_, tape) = recorder.clone().context(NodeFilter::ops(["cos", "tanh", "floor"])).record(|| nests(&f));
        let found: std::collections::BTreeSet<&str> = ops(&tape).into_iter().collect();
        assert_eq!(found.into_iter().collect::<Vec<_>>(), ["cos", "floor", "tanh"], "{tape}");
        // What used them shows what they were, and the tape is a sound one.
        let path = std::env::temp_dir().join(format!("wengert-only-{}.tape", std::process::id()));
        tape.save(&path).unwrap();
        assert_eq!(Tape::open(&path).unwrap().to_string(), tape.to_string());
        std::fs::remove_file(path).unwrap();
        // Without calls there is nothing inside them.
        struct NoCalls;
        impl Context for NoCalls {
            fn call(&self, node: &mut Draft<'_>) {
                node.skip();
            }
        }
        let (_, tape) = recorder.context(NoCalls).record(|| nests(&f));
        assert!(tape.nodes().skip(1).all(|n| n.kind() != Kind::Call && n.parent() == Some(tape.root())), "{tape}");
        assert_eq!(ops(&tape).iter().filter(|n| ["cos", "tanh", "exp"].contains(n)).count(), 0, "{tape}");
    }
}

#[test]
fn c5_what_two_calls_share_is_looked_at_for_each_depth() {
    let g = jit(|x: Array| x.cos());
    let f = jit({
        let g = g.clone();
        move |x: Array| g(x.sin())
    });
    // The same function one level deep, then three.
    let run = || f(g(two()));
    let (_, tape) = Recorder::new().context(DepthLimit(2)).record(run);
    let calls: Vec<(usize, usize)> = (tape.nodes().filter(|n| n.kind() == Kind::Call).skip(1))
        .map(|n| (n.ancestors().count(), n.children().count()))
        .collect();
    assert_eq!(calls, [(1, 3), (1, 4), (2, 0)], "{tape}");
    // And the other way round: what the first did not show, the second does.
    let (_, tape) = Recorder::new().context(DepthLimit(2)).record(|| g(f(two())));
    let calls: Vec<usize> =
        tape.root().children().filter(|n| n.kind() == Kind::Call).map(|n| n.children().count()).collect();
    assert_eq!(calls, [4, 3], "{tape}");
}

/// Contexts that say this and that.
struct Whims(std::sync::atomic::AtomicU64);

impl Whims {
    fn below(&self, n: u64) -> u64 {
        let next = |x: u64| x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        let x = self.0.fetch_update(Relaxed, Relaxed, |x| Some(next(x))).unwrap();
        (next(x) >> 33) % n
    }
}

impl Context for Whims {
    fn enter(&self, _: &Draft<'_>) -> Enter {
        [Enter::Everything, Enter::Everything, Enter::Everything, Enter::Tracked, Enter::Nothing]
            [self.below(5) as usize]
    }
    fn node(&self, node: &mut Draft<'_>) {
        if self.below(8) == 0 {
            node.skip();
        }
        node.capture([Capture::Shapes, Capture::Summaries, Capture::Values][self.below(3) as usize]);
    }
}

#[test]
fn c5_whatever_a_context_says_the_tape_is_sound() {
    let f = staged();
    let run = || {
        let x = forward(nests(&|x| forward(f(x))));
        let x = record(|| record(|| forward(x.sin())).0 + nests(&f)).0;
        if x.sum(..) > 0.0 { x.softmax(-1) } else { forward(x) }
    };
    let expected = run().to_tensor();
    for seed in 0..60 {
        let recorder = if seed % 2 == 0 { values() } else { values().every_step() };
        let (y, mut tape) = recorder.context(Whims(seed.into())).record(run);
        assert_eq!(y.to_tensor(), expected);
        let path = std::env::temp_dir().join(format!("wengert-whims-{}-{seed}.tape", std::process::id()));
        tape.save(&path).unwrap_or_else(|e| panic!("{e} of\n{tape}"));
        let opened = Tape::open(&path).unwrap();
        opened.verify().unwrap();
        assert_eq!(opened.to_string(), tape.to_string());
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for entry in std::fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
            if entry.file_name().to_string_lossy().starts_with(&name) {
                std::fs::remove_file(entry.path()).unwrap();
            }
        }
        // A program that it makes is one of the run, and so is what an update comes to.
        if let Ok(straight) = tape.to_program()
            && let Some(inputs) = straight.recorded_inputs(&tape)
        {
            straight.run(&wengert::Device::cpu(), inputs).unwrap();
        }
        let outside = tape.nodes().find(|n| n.kind() == Kind::Constant && n.value(0).is_some()).map(|n| n.id());
        if let Some(id) = outside {
            let other = tape.node(id).value(0).unwrap();
            tape.set(id, Tensor::splat(other.shape().clone(), Scalar::from_i64(other.dtype(), 1))).unwrap();
            let _ = tape.update(&wengert::Device::cpu());
        }
    }
}

#[test]
fn c10_what_a_context_left_out_of_an_inner_recording_is_missed() {
    let x = two();
    let run = || values().record(|| x.sin().cos()).0.exp();
    let contexts: [&dyn Fn(Recorder) -> Recorder; 3] =
        [&|r| r, &|r| r.context(NodeFilter::ops(["cos", "exp"])), &|r| r.context(DepthLimit(1))];
    for (i, context) in contexts.iter().enumerate() {
        let (_, mut tape) = context(values()).record(run);
        let outside = tape.nodes().find(|n| n.kind() == Kind::Constant).map(|n| n.id());
        // Where the inside is not there, neither is what came from outside.
        let Some(id) = outside else { continue };
        tape.set(id, Array::from([0.5f32, 0.25]).to_tensor()).unwrap();
        assert_eq!(tape.update(&wengert::Device::cpu()).is_err(), i > 0, "{tape}");
    }
}

#[test]
fn d2_a_recording_keeps_of_an_inner_one_what_it_keeps_of_its_own() {
    let run = |recorder: Recorder| recorder.record(|| two().sin().cos()).0;
    let keeps = |n: Node<'_>| (n.value(0).is_some(), n.summary(0).is_some());
    let (_, shapes) = record(|| run(values()));
    assert!(shapes.nodes().all(|n| keeps(n) == (false, false)), "{shapes}");
    let (_, tape) = Recorder::new().capture(Capture::Summaries).record(|| run(values()));
    assert_eq!(keeps(find(&tape, "sin")), (false, true));
    let (_, tape) = values().record(|| run(Recorder::new().capture(Capture::Summaries)));
    assert_eq!(keeps(find(&tape, "sin")), (false, true));
    assert!(tape.limited().is_none());
    // Of one that was cut, it is known where; what comes after is kept as the outer one wants it.
    let inner = || run(values().limit(8)).exp();
    let (_, tape) = values().record(inner);
    assert_eq!(tape.limited().map(|n| n.function()), Some("sin"));
    assert_eq!((keeps(find(&tape, "cos")).0, keeps(find(&tape, "exp")).0), (false, true));
    assert!(record(inner).1.limited().is_none());
    let mut tape = tape;
    let x = tape.nodes().find(|n| n.kind() == Kind::Constant).unwrap().id();
    tape.set(x, Array::from([0.5f32, 0.25]).to_tensor()).unwrap();
    tape.update(&wengert::Device::cpu()).unwrap();
    assert!(tape.limited().is_some());
    // A context may want less, or more.
    struct OnlyCos;
    impl Context for OnlyCos {
        fn primitive(&self, node: &mut Draft<'_>) {
            assert!(node.value(0).is_some());
            node.capture(if &*node.label.name == "cos" { Capture::Values } else { Capture::Shapes });
        }
    }
    let (_, tape) = Recorder::new().context(OnlyCos).record(|| run(values()));
    assert_eq!((keeps(find(&tape, "sin")), keeps(find(&tape, "cos")).0), ((false, false), true));
}

#[test]
fn d2_a_call_shown_without_its_inside_still_has_its_value() {
    struct NotRecord;
    impl Context for NotRecord {
        fn recurse(&self, call: &Draft<'_>) -> bool {
            call.depth < 2
        }
    }
    let inner = || values().record(|| two().softmax(-1)).0;
    let (y, tape) = values().context(NotRecord).record(inner);
    let softmax = find(&tape, "softmax");
    assert_eq!((softmax.children().count(), softmax.value(0)), (0, Some(y.to_tensor())));
}

#[test]
fn c5_sampling_and_composition() {
    let run = |context: Recorder| context.record(|| (0..6).map(|_| forward(two())).collect::<Vec<_>>()).1;
    let inside = |tape: &Tape| tape.nodes().filter(|n| n.function() == "forward" && n.has_children()).count();
    // Every second call that is reached: the two inside each `forward` that is seen count too.
    assert_eq!(inside(&run(Recorder::new().context(DepthLimit(2)).context(EveryNth::new(2)))), 3);
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
    let e = tape.update(&wengert::Device::cpu()).unwrap_err();
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
