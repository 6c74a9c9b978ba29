//! What a recording shows: the promises C and D on tapes, each test named for it.

/// Tracked functions of an array and of a number that the host read of it, and a list of them.
macro_rules! functions {
    ($($name:ident ($x:ident, $v:ident) $body:block)*) => {
        $(
            #[track]
            fn $name($x: Array) -> Array {
                let $v = $x.to_f64();
                $body
            }
        )*
        const ALL: &[(&str, fn(Array) -> Array)] = &[$((stringify!($name), $name)),*];
    };
}

#[path = "tape/acting.rs"]
mod acting;
#[path = "../../../tutorial/examples/13_backward.rs"]
mod backward;
#[path = "tape/bodies.rs"]
mod bodies;
#[path = "tape/borrows.rs"]
mod borrows;
#[path = "tape/callees.rs"]
mod callees;
#[path = "tape/contexts.rs"]
mod contexts;
#[path = "tape/drops.rs"]
mod drops;
#[path = "tape/elsewhere.rs"]
mod elsewhere;
#[path = "tape/everyday.rs"]
mod everyday;
#[path = "tape/given.rs"]
mod given;
#[path = "tape/guarded.rs"]
mod guarded;
#[path = "tape/inner_nodes.rs"]
mod inner_nodes;
#[path = "tape/later.rs"]
mod later;
#[path = "tape/nowhere.rs"]
mod nowhere;
#[path = "tape/numbers.rs"]
mod numbers;
#[path = "tape/order.rs"]
mod order;
#[path = "tape/outside.rs"]
mod outside;
#[path = "tape/programs.rs"]
mod programs;
#[path = "tape/random.rs"]
mod random_runs;
#[path = "tape/readers.rs"]
mod readers;
#[path = "tape/reads.rs"]
mod reads;
#[path = "tape/seldom.rs"]
mod seldom;
#[path = "tape/slices.rs"]
mod slices;
#[path = "tape/stops.rs"]
mod stops;
#[path = "tape/stored.rs"]
mod stored;
#[path = "tape/updates.rs"]
mod updates;
#[path = "tape/written_out.rs"]
mod written_out;

use wengert::tape::{self, Context, DepthLimit, Draft, EveryNth, Kind, MetaKey, NodeFilter, attach};
use wengert::{
    Array, Capture, ErrorKind, Node, Recorder, Tape, Tensor, cond, custom_jvp, grad, jit, nn, record, scan, try_run,
    vmap, while_loop,
};
use wengert_testing::expect;

/// The tape as text, with lines counted from `here`: they all lie in the file of the test.
#[track_caller]
fn shown(here: u32, tape: &Tape) -> String {
    let text = tape.to_string();
    let file = format!("{}:", std::panic::Location::caller().file());
    let mut parts = text.split(&file);
    let mut out = parts.next().unwrap_or_default().to_string();
    for part in parts {
        let (line, rest) = part.split_once(':').expect("a line and a column");
        out.push_str(&format!("+{}:{rest}", line.parse::<u32>().expect("a line") - here));
    }
    out
}

fn values() -> Recorder {
    Recorder::new().capture(Capture::Values)
}

/// The first node of this function.
fn find<'t>(tape: &'t Tape, function: &str) -> Node<'t> {
    tape.nodes().find(|n| n.function() == function).unwrap_or_else(|| panic!("no {function} in\n{tape}"))
}

/// The ops on a tape, in order.
fn ops(tape: &Tape) -> Vec<&str> {
    tape.nodes().filter(|n| n.kind() == Kind::Primitive).map(|n| n.function()).collect()
}

/// Runs a tape as the program it is, on the values it has.
fn run_again(tape: &Tape) -> Vec<Tensor> {
    let straight = tape.to_program().unwrap();
    straight.run(&wengert::Device::cpu(), straight.recorded_inputs(tape).unwrap()).unwrap()
}

#[test]
fn c1_c2_c3_a_run_is_a_tree_of_nodes() {
    let here = line!();
    let x = Array::from([1.0f32, 2.0]);
    let (_, tape) = values().record(|| {
        let y = (&x * 2.0).named("y");
        if y.sum(..) > 5.0 { y.sin() } else { y.cos() }
    });
    expect![[r#"
        @0 [+2:30] record() = [0.9092974, -0.7568025] : f32[2]
          @1 [+3:17] constant = [1, 2] : f32[2]
          @2 [+3:17] y = mul(@1, ⟨2 : f32[2]⟩) = [2, 4] : f32[2]
          @3 [+4:14] reduce[combiner=add, dims=[0]](@2) = 6 : f32[]
          @4 [+4:12] compare[direction=gt](@3, ⟨5⟩) = true : bool[]
          @5 [+4:12] went on since @4 == true
          @6 [+4:32] sin(@2) = [0.9092974, -0.7568025] : f32[2]
          @7 [+2:30] return @6
    "#]]
    .assert_eq(&shown(here, &tape));
    let y = tape.nodes().find(|n| n.name() == Some("y")).unwrap();
    assert_eq!((y.kind(), y.function(), y.position()), (Kind::Primitive, "mul", 1));
    assert_eq!(y.parent(), Some(tape.root()));
    assert_eq!(y.value(0).unwrap().to_vec::<f32>().unwrap(), [2.0, 4.0]);
    assert_eq!(y.place().parts().unwrap().0, file!());
    assert_eq!(tape.print_levels(0).lines().count(), 1);
}

#[test]
fn c4_queries() {
    let x = Array::from([1.0f32, 2.0]);
    let (_, tape) = record(|| {
        let a = x.sin().named("a");
        let b = x.cos().named("b");
        let c = (&a * &b).named("c");
        let _unused = (&a + 1.0).named("d");
        (c.exp() * &a).named("e")
    });
    let named = |n: &str| tape.nodes().find(|x| x.name() == Some(n)).unwrap();
    let functions =
        |i: &mut dyn Iterator<Item = wengert::Node<'_>>| i.map(|n| n.function().to_string()).collect::<Vec<_>>();
    let (a, c, e) = (named("a"), named("c"), named("e"));
    assert_eq!(functions(&mut tape.root().children()).len(), tape.len() - 1);
    assert_eq!(functions(&mut c.ancestors()), ["record"]);
    assert_eq!(functions(&mut tape.root().descendants()), functions(&mut tape.root().children()));
    assert_eq!(functions(&mut c.preceding()), ["constant", "sin", "cos"]);
    assert_eq!(functions(&mut c.following()), ["add", "exp", "mul", "return"]);
    assert_eq!(functions(&mut c.referenced()), ["sin", "cos"]);
    assert_eq!(e.referenced_at().map(|(i, n)| (i, n.function())).collect::<Vec<_>>(), [(0, "exp"), (1, "sin")]);
    assert_eq!(functions(&mut e.backward()), ["exp", "mul", "cos", "sin", "constant"]);
    assert_eq!(functions(&mut a.dependents()), ["mul", "add", "mul"]);
    // The call itself gives what its return gives.
    assert_eq!(functions(&mut c.forward()), ["exp", "mul", "return", "record"]);
    assert!(tape.root().to_dot(1).contains("->"));
}

/// Every node and all that it depends on, by both ways of asking.
#[test]
fn c4_backward_and_forward_are_each_others_reverse() {
    let f = jit(|x: Array| (x * 2.0).tanh());
    let (_, tape) = values().record(|| {
        let x = Array::from([1.0f32, 2.0]);
        let g = grad(|x: Array| f(x.softmax(-1)).sum(..))(&x * 3.0);
        let w = while_loop(|c: Array| c.sum(..).lt(10.0), |c: Array| c + 2.0, g.softmax(0));
        if w.sum(..) > 0.0 { f(w) } else { x }
    });
    let all = |i: &mut dyn Iterator<Item = wengert::Node<'_>>| i.map(|n| n.id().index()).collect::<Vec<_>>();
    let backward: Vec<Vec<usize>> = tape.nodes().map(|n| all(&mut n.backward())).collect();
    let forward: Vec<Vec<usize>> = tape.nodes().map(|n| all(&mut n.forward())).collect();
    for (a, b) in (0..tape.len()).flat_map(|a| (0..tape.len()).map(move |b| (a, b))) {
        assert_eq!(backward[b].contains(&a), forward[a].contains(&b), "@{a} and @{b} of\n{tape}");
    }
    // In order: what a node of the one depends on comes after it, and before it in the other.
    for list in &backward {
        let ordered = |(i, &n): (usize, &usize)| list[..i].iter().all(|&earlier| !backward[n].contains(&earlier));
        assert!(list.iter().enumerate().all(ordered), "{list:?} of\n{tape}");
    }
    for list in &forward {
        let ordered = |(i, &n): (usize, &usize)| list[..i].iter().all(|&earlier| !forward[n].contains(&earlier));
        assert!(list.iter().enumerate().all(ordered), "{list:?} of\n{tape}");
    }
    // From the result into the calls it came through.
    let last = tape.root().children().last().unwrap();
    let softmax = tape.root().children().find(|n| n.function() == "softmax").unwrap();
    for inside in softmax.children().filter(|n| n.kind() == Kind::Primitive) {
        assert!(last.backward().any(|n| n == inside), "{inside}");
    }
}

#[test]
fn c5_contexts_decide_what_is_recorded() {
    let x = Array::from([1.0f32, 2.0]);
    let f = || x.softmax(-1).sum(..);
    let (_, whole) = record(f);
    let (_, flat) = Recorder::new().context(DepthLimit(1)).record(f);
    assert!(whole.nodes().any(|n| n.function() == "exp"));
    assert!(!flat.nodes().any(|n| n.function() == "exp"));
    // What the call gave still comes from it.
    let sum = find(&flat, "reduce");
    assert_eq!(sum.referenced().next().unwrap().function(), "softmax");

    let (_, only) = Recorder::new().context(NodeFilter::ops(["exp", "div"])).record(f);
    let ops = ops(&only);
    assert_eq!(ops, ["exp", "div"]);

    let (_, some) = Recorder::new().context(EveryNth::new(2)).record(|| (0..4).map(|_| f()).collect::<Vec<_>>());
    let inside = some.nodes().filter(|n| n.function() == "softmax" && n.has_children()).count();
    assert_eq!((some.nodes().filter(|n| n.function() == "softmax").count(), inside), (4, 2));

    const SIZE: MetaKey<i64> = MetaKey::new("size");
    struct Sizes;
    impl Context for Sizes {
        fn primitive(&self, node: &mut Draft<'_>) {
            node.set_meta(SIZE, node.types.iter().map(|t| t.shape.size() as i64).sum());
            if &*node.label.name == "exp" {
                node.capture(Capture::Values);
            }
        }
    }
    let (_, both) = Recorder::new().context(Sizes).context(NodeFilter::ops(["exp"])).record(f);
    let exp = find(&both, "exp");
    assert_eq!(exp.meta(SIZE), Some(2));
    assert!(exp.value(0).is_some());
    assert_eq!(both.nodes().filter(|n| n.kind() == Kind::Primitive).count(), 1);
}

#[test]
fn c6_reverse_mode_on_a_tape_equals_grad() {
    // The example compares both; so do we for other functions.
    backward::main();
    // Both ways of a decision, a value used twice, and a loop of the host.
    let f = |x: Array| {
        let mut y = x.sin() * &x;
        if y.sum(..) > 0.0 {
            y = y.exp() / (y.cos() + 2.0);
        }
        while y.sum(..) < 2.0 {
            y = &y * &y + 1.0 - (-&y).tanh();
        }
        (y - x).sum(..)
    };
    for x in [[0.5, 1.5, -0.25], [0.1, -4.0, 0.2]] {
        let x = Array::from(x);
        let (_, tape) = values().record(|| f(x.clone()));
        let ours = backward::backward(&tape)[&tape.node(1).id()].to_vec::<f64>();
        let theirs = grad(f)(x).to_vec::<f64>();
        assert!(ours.iter().zip(&theirs).all(|(a, b)| (a - b).abs() < 1e-12), "{ours:?} and {theirs:?} of\n{tape}");
    }
}

#[test]
fn c8_d4_a_tape_is_a_program() {
    let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([0.5f32, 0.25]));
    let step = jit(|x: Array| (x.sin() * 3.0).tanh());
    let f = || {
        let z = step(x.clone()) * y.softmax(-1);
        let w = scan(|c: Array, x: Array| (&c + &x, c * x), z.sum(..), z.clone()).1;
        if z.sum(..) > 0.0 { (w * &x).sum(..) } else { w.sum(..) }
    };
    let (out, tape) = values().record(f);
    let straight = tape.to_program().unwrap();
    let inputs = straight.recorded_inputs(&tape).unwrap();
    assert_eq!(straight.run(&wengert::Device::cpu(), inputs.clone()).unwrap(), [out.to_tensor()]);
    assert_eq!(straight.run_guarded(&wengert::Device::cpu(), inputs.clone()).unwrap(), [out.to_tensor()]);
    straight.program().verify().unwrap();
    assert_eq!(straight.program(), wengert::Program::parse(&straight.program().to_text()).unwrap());
    // Every node that ran is a program too, and gives what was recorded.
    let mut parts = 0;
    for n in tape.nodes().filter(|n| !n.ancestors().any(|a| a.is_abstract())) {
        if !matches!(n.kind(), Kind::Primitive | Kind::Call) {
            continue;
        }
        let part = n.to_program().unwrap();
        let y = part.run(&wengert::Device::cpu(), part.recorded_inputs(&tape).unwrap()).unwrap();
        let recorded: Vec<_> = (0..n.result_count()).map(|i| n.value(i).unwrap()).collect();
        assert!(y.len() == recorded.len() && y.iter().zip(&recorded).all(|(y, r)| y.same_bits(r)), "{n}: {y:?}");
        parts += 1;
    }
    assert!(parts > 10);
    // Inputs that turn the decision around.
    let mut other = inputs;
    other[0] = Array::from([-1.0f32, -2.0]).to_tensor();
    assert!(straight.run(&wengert::Device::cpu(), other.clone()).is_ok());
    let e = straight.run_guarded(&wengert::Device::cpu(), other).unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Flipped);
    assert!(e.message().contains("read true here"), "{e}");
}

#[test]
fn c10_only_what_depends_is_recomputed() {
    let x = Array::from([1.0f32, -2.0]);
    let y = Array::from([3.0f32, 4.0]);
    let f = |x: Array, y: Array| {
        let a = x.abs().named("a");
        let b = (&a * 2.0).named("b");
        let c = (&y * &y).named("c");
        if c.sum(..) > 1.0 { (b + c).sum(..) } else { b.sum(..) }
    };
    let mut live = Recorder::new().live(f, (x, y));
    // The absolute value is the same: nothing after it runs.
    live.set(live.argument(0), Array::from([-1.0f32, 2.0])).unwrap();
    let changes = live.update().unwrap();
    assert_eq!((changes.changed.len(), changes.same.len()), (0, 1));
    live.set(live.argument(0), Array::from([5.0f32, 2.0])).unwrap();
    let changes = live.update().unwrap();
    let names: Vec<&str> = changes.changed.iter().map(|&n| live.tape().node(n).function()).collect();
    assert_eq!(names, ["abs", "mul", "add", "reduce"]);
    assert_eq!(live.value().item::<f32>(), 14.0 + 25.0);
    // A decision that goes the other way is an error that names its place, or is run again.
    live.set(live.argument(1), Array::from([0.5f32, 0.5])).unwrap();
    let e = live.update().unwrap_err();
    assert_eq!(e.kind(), ErrorKind::Flipped);
    assert!(e.to_string().contains("tests/tape.rs"), "{e}");
    // It stays one, however often it is asked and whatever else is set meanwhile.
    for _ in 0..3 {
        assert_eq!(live.update().unwrap_err().to_string(), e.to_string());
    }
    live.set(live.argument(0), Array::from([6.0f32, 2.0])).unwrap();
    assert_eq!(live.update().unwrap_err().to_string(), e.to_string());
    live.set(live.argument(0), Array::from([5.0f32, 2.0])).unwrap();
    assert_eq!(live.update().unwrap_err().to_string(), e.to_string());
    assert!(matches!(live.update_or_rerun().unwrap(), wengert::tape::UpdateOutcome::Reran(_)));
    assert_eq!(live.value().item::<f32>(), 14.0);
    // The tape is now that of the other branch.
    assert!(!live.tape().nodes().any(|n| n.function() == "add"));
    // Wrong values are refused.
    let wrong = live.set(live.argument(0), Array::from(1.0f32)).unwrap_err();
    assert!(wrong.to_string().contains("f32[2]"), "{wrong}");
    let (_, mut shapes) = record(|| Array::from([1.0f32]).sin());
    assert!(shapes.set(1, Array::from([2.0f32]).to_tensor()).unwrap_err().to_string().contains("Capture::Values"));
}

#[test]
fn d2_shapes_and_no_values_unless_asked() {
    let here = line!();
    let f = || Array::from([[1.0f32, 2.0], [3.0, f32::NAN]]).sum(0);
    let (_, tape) = record(f);
    assert!(tape.nodes().all(|n| n.value(0).is_none() && n.summary(0).is_none()));
    let (_, tape) = Recorder::new().capture(Capture::Summaries).record(f);
    let s = tape.node(1).summary(0).unwrap();
    assert_eq!((s.min, s.max, s.mean, s.nans), (1.0, 3.0, 2.0, 1));
    let (_, tape) = values().limit(10).record(f);
    assert_eq!(tape.limited().unwrap().id().index(), 1);
    expect![[r#"
        @0 [+7:40] record() : f32[2]
          @1 [+1:62] constant in 1.0000..3.0000, mean 2.0000, 1 NaN : f32[2,2]
          @2 [+1:62] reduce[combiner=add, dims=[0]](@1) in 4.0000..4.0000, mean 4.0000, 1 NaN : f32[2]
          @3 [+7:40] return @2
    "#]]
    .assert_eq(&shown(here, &tape));
}

#[test]
fn c3_numbers_have_the_digits_of_their_type() {
    let line = |x: Array| {
        let (_, tape) = values().record(|| x.clone() + 0.0);
        let line = tape.node(1).line();
        line[line.find('=').unwrap()..].to_string()
    };
    assert_eq!(line(Array::from([1e300, 1e-50, 0.1])), "= [1e300, 1e-50, 0.1] : f64[3]");
    assert_eq!(line(Array::from([0.1 + 0.2, -0.0])), "= [0.30000000000000004, -0] : f64[2]");
    assert_eq!(line(Array::from([1e38f32, 1e-20, 0.1, 16777216.0])), "= [1e38, 1e-20, 0.1, 16777216] : f32[4]");
    assert_eq!(line(Array::from([f64::INFINITY, f64::NAN])), "= [inf, NaN] : f64[2]");
    let c = [wengert::Complex::new(0.1f32, -1e-9), wengert::Complex::new(1.0, f32::NAN)];
    assert_eq!(line(Array::from(c)), "= [0.1-1e-9i, 1+NaNi] : c64[2]");
    // Two numbers that differ are shown as two.
    let (_, tape) = values().record(|| {
        let x = Array::from(0.1f64);
        if x.to_f64() < 1.0 { &x * 2.0 } else { x }
    });
    let e = tape
        .to_program()
        .unwrap()
        .run_guarded(&wengert::Device::cpu(), vec![Array::from(0.1f64 + 1e-12).to_tensor()])
        .unwrap_err();
    assert!(e.message().contains("read 0.1 here") && e.message().contains("reads 0.100000000001"), "{e}");
}

#[test]
fn a_name_that_many_nodes_share_is_cut() {
    let (_, tape) = record(|| Array::from(1.0f32).sin().named(&"x".repeat(10_000)));
    assert!(tape.nodes().any(|n| n.name().is_some_and(|n| n.len() == 10_000)));
    assert!(tape.to_string().len() < 1000 && tape.to_string().contains("xxx… = sin"));
}

#[test]
fn from_the_limit_on_summaries_are_kept() {
    let (_, tape) = values().limit(40).record(|| {
        let x = Array::from([1.0f32; 8].map(|x| x + 1.0)).sin();
        x.sum(..) + 1.0
    });
    let from = tape.limited().unwrap().id();
    assert_eq!(from.index(), 2);
    for n in tape.nodes().filter(|n| matches!(n.kind(), Kind::Constant | Kind::Primitive)) {
        assert_eq!(n.value(0).is_some(), n.id() < from, "{n}");
        assert!(n.summary(0).is_some(), "{n}");
    }
}

#[test]
fn a_tape_of_nothing_can_be_asked() {
    for tape in [tape::collect(), Tape::default()] {
        assert!(tape.is_empty());
        assert_eq!(tape.to_string(), "@0 nothing()\n");
        assert!(tape.to_program().unwrap().run(&wengert::Device::cpu(), Vec::new()).unwrap().is_empty());
        assert!(tape.root().to_dot(9).contains("nothing"));
        let root = tape.root();
        assert_eq!((root.children().count(), root.backward().count(), root.forward().count()), (0, 0, 0));
        assert!(root.value(0).is_none() && root.parent().is_none() && root.op().is_none());
    }
}

#[test]
fn c10_a_run_that_fails_leaves_the_last_one() {
    let f = |x: Array| if x.sum(..) > 0.0 { &x * 2.0 } else { x + Array::from([1.0f32, 2.0, 3.0]) };
    let mut live = Recorder::new().live(f, (Array::from([1.0f32, 2.0]),));
    live.set(live.argument(0), Array::from([-1.0f32, -2.0])).unwrap();
    assert!(try_run(|| live.update_or_rerun()).is_err());
    assert_eq!(live.value().shape()[..], [2]);
    assert!(live.tape().nodes().any(|n| n.function() == "mul"));
    live.set(live.argument(0), Array::from([3.0f32, 4.0])).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), [6.0, 8.0]);
}

#[test]
fn c10_values_that_the_limit_cut_are_an_error() {
    let f = |n: Array, x: Array| if n > 0.0 { x.sum(..) } else { -x.sum(..) };
    let mut live = Recorder::new().limit(8).live(f, (Array::from(1.0f32), Array::from([1.0f32, 2.0, 3.0])));
    assert!(try_run(|| live.value()).unwrap_err().to_string().contains("Recorder::limit"));
    live.set(live.argument(0), Array::from(-1.0f32)).unwrap();
    assert!(live.update_or_rerun().unwrap_err().to_string().contains("Recorder::limit"));
}

#[test]
fn d3_composites_show_what_they_run() {
    let here = line!();
    let x = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let (_, tape) = record(|| nn::conv(&x.reshape([1, 1, 4]), &x.reshape([2, 1, 2]), nn::Sliding::new()));
    expect![[r#"
        @0 [+2:21] record() : f32[1,2,3]
          @1 [+2:43] constant : f32[2,2]
          @2 [+2:43] reshape[shape=[1, 1, 4]](@1) : f32[1,1,4]
          @3 [+2:66] reshape[shape=[2, 1, 2]](@1) : f32[2,1,2]
          @4 [+2:31] conv(@2, @3, ⟨Sliding { strides: None, padding: Valid, dilation: Every(1), groups: 1, channels…⟩) : f32[1,2,3]
            @5 [+2:31] x = @2 : f32[1,1,4]
            @6 [+2:31] kernel = @3 : f32[2,1,2]
            @7 [+2:31] convolution[lhs=[0, 1, 2], rhs=[0, 1, 2], out=[0, 1, 2], strides=[1], padding=[(0, 0)], lhs_dilation=[1], rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1](@5, @6) : f32[1,2,3]
              @8 [+2:31] pack(@6) : f32[1,1,2,16]
              @9 [+2:31] tiles(@5, @8) : f32[1,3,2]
              @10 [+2:31] transpose(@9) : f32[1,2,3]
            @11 [+2:31] return @7
          @12 [+2:21] return @4
    "#]]
    .assert_eq(&shown(here, &tape));
    let (_, tape) = record(|| nn::attention(&x, &x, &x, None));
    expect![[r#"
        @0 [+19:21] record() : f32[2,2]
          @1 [+19:31] constant : f32[2,2]
          @2 [+19:31] attention(@1, @1, @1, ⟨None⟩) : f32[2,2]
            @3 [+19:31] q = @1 : f32[2,2]
            @4 [+19:31] k = @1 : f32[2,2]
            @5 [+19:31] v = @1 : f32[2,2]
            @6 [+19:31] transpose[perm=[1, 0]](@3) : f32[2,2]
            @7 [+19:31] dot_general[contract=([1], [0]), batch=([], [])](@3, @6) : f32[2,2]
            @8 [+19:31] div(@7, ⟨1.4142135 : f32[2,2]⟩) : f32[2,2]
            @9 [+19:31] softmax(@8, ⟨-1⟩) : f32[2,2]
              @10 [+19:31] self = @8 : f32[2,2]
              @11 [+19:31] reduce[combiner=max, dims=[1]](@10) : f32[2]
              @12 [+19:31] reshape[shape=[2, 1]](@11) : f32[2,1]
              @13 [+19:31] stop_gradient(@12) : f32[2,1]
              @14 [+19:31] broadcast[shape=[2, 2], dims=[0, 1]](@13) : f32[2,2]
              @15 [+19:31] sub(@10, @14) : f32[2,2]
              @16 [+19:31] exp(@15) : f32[2,2]
              @17 [+19:31] reduce[combiner=add, dims=[1]](@16) : f32[2]
              @18 [+19:31] reshape[shape=[2, 1]](@17) : f32[2,1]
              @19 [+19:31] broadcast[shape=[2, 2], dims=[0, 1]](@18) : f32[2,2]
              @20 [+19:31] div(@16, @19) : f32[2,2]
              @21 [+19:31] return @20
            @22 [+19:31] dot_general[contract=([1], [0]), batch=([], [])](@9, @3) : f32[2,2]
            @23 [+19:31] return @22
          @24 [+19:21] return @2
    "#]]
    .assert_eq(&shown(here, &tape));
}

#[test]
fn decision_9_cached_calls_share_the_tape_of_their_tracing() {
    let f = jit(|x: Array| (x * 2.0).tanh());
    let x = Array::from([1.0f32, 2.0]);
    f(x.clone());
    let (_, tape) = record(|| f(f(x.clone())));
    let calls: Vec<_> = tape.root().children().filter(|n| n.kind() == Kind::Call).collect();
    assert_eq!(calls.len(), 2);
    assert_eq!(calls[1].shares(), Some(calls[0]));
    assert!(calls.iter().all(|c| c.children().any(|n| n.function() == "tanh")));
    assert_eq!(calls[1].referenced().next(), Some(calls[0]));
}

#[test]
fn transforms_and_loops() {
    let here = line!();
    let (_, tape) = values().record(|| {
        let g = grad(|x: Array| if x > 0.0 { &x * &x } else { x })(Array::from(3.0f32));
        let v = vmap(|x: Array| x.exp())(Array::from([0.0f32, 1.0]));
        let w = while_loop(|c: Array| c.lt(10.0), |c: Array| c * 2.0, g);
        cond(w.gt(5.0), |x: Array| x, |x: Array| -x, v)
    });
    expect![[r#"
        @0 [+1:30] record() = [1, 2.7182817] : f32[2]
          @1 [+2:17] constant = 3 : f32[]
          @2 [+2:17] grad all::tape::transforms_and_loops::{{closure}}::{{closure}}(@1) = 9 : f32[] · = 6 : f32[]
            @3 [+2:17] all::tape::transforms_and_loops::{{closure}}::{{closure}}(@1) = 9 : f32[]
              @4 [+2:17] arg0 = @1 = 3 : f32[]
              @5 [+2:36] compare[direction=gt](@4, ⟨0⟩) = true : bool[]
              @6 [+2:36] went on since @5 == true
              @7 [+2:46] mul(@4, @4) = 9 : f32[]
              @8 [+2:17] return @7
            @9 [+2:17] value and gradient(@1, ⟨1⟩, @3) = 9 : f32[] · = 6 : f32[]
              @10 arg0 = argument : f32[]
              @11 argument : f32[]
              @12 argument : f32[]
              @13 [+2:46] mul(@10, @11) : f32[]
              @14 [+2:46] mul(@11, @10) : f32[]
              @15 [+2:46] add(@13, @14) : f32[]
              @16 return @12, @15
            @17 [+2:17] return @9.0, @9.1
          @18 [+3:17] constant = [0, 1] : f32[2]
          @19 [+3:17] vmap all::tape::transforms_and_loops::{{closure}}::{{closure}}(@18) = [1, 2.7182817] : f32[2]
            @20 [+3:17] all::tape::transforms_and_loops::{{closure}}::{{closure}}()
              @21 [+3:17] arg0 = argument : f32[]
              @22 [+3:35] exp(@21) : f32[]
              @23 [+3:17] return @22
            @24 [+3:17] batch(@18) = [1, 2.7182817] : f32[2]
              @25 arg0 = argument : f32[2]
              @26 [+3:35] exp(@25) : f32[2]
              @27 return @26
            @28 [+3:17] return @24
          @29 [+4:17] while(@2.1) × 1 = 12 : f32[]
            @30 condition() : bool[]
              @31 c = argument : f32[]
              @32 [+4:41] compare[direction=lt](@31, ⟨10⟩) : bool[]
              @33 return @32
            @34 body() : f32[]
              @35 c = argument : f32[]
              @36 [+4:62] mul(@35, ⟨2⟩) : f32[]
              @37 return @36
          @38 [+5:16] compare[direction=gt](@29, ⟨5⟩) = true : bool[]
          @39 [+5:9] cond(@38, @19) took branch 1 = [1, 2.7182817] : f32[2]
            @40 branch 0() : f32[2]
              @41 x = argument : f32[2]
              @42 [+5:50] neg(@41) : f32[2]
              @43 return @42
            @44 branch 1() : f32[2]
              @45 x = argument : f32[2]
              @46 return @45
          @47 [+1:30] return @39
    "#]]
    .assert_eq(&shown(here, &tape));
    let (_, tape) = values().every_step().record(|| {
        scan(
            |c: Array, x: Array| (scan(|d: Array, y: Array| (d + y, ()), c, x).0, ()),
            Array::from(0.0f32),
            Array::from([[1.0f32, 2.0], [3.0, 4.0]]),
        )
        .0
    });
    expect![[r#"
        @0 [+58:43] record() = 10 : f32[]
          @1 [+59:9] constant = 0 : f32[]
          @2 [+59:9] constant = [1, 2, 3, 4] : f32[2,2]
          @3 [+59:9] scan(@1, @2) = 10 : f32[]
            @4 step 0() = 3 : f32[]
              @5 c.0 = argument = 0 : f32[]
              @6 c.1 = argument = [1, 2] : f32[2]
              @7 [+60:35] scan(@5, @6) = 3 : f32[]
                @8 step 0() = 1 : f32[]
                  @9 c.0 = argument = 0 : f32[]
                  @10 c.1 = argument = 1 : f32[]
                  @11 [+60:62] add(@9, @10) = 1 : f32[]
                  @12 return @11
                @13 step 1() = 3 : f32[]
                  @14 c.0 = argument = 1 : f32[]
                  @15 c.1 = argument = 2 : f32[]
                  @16 [+60:62] add(@14, @15) = 3 : f32[]
                  @17 return @16
              @18 return @7
            @19 step 1() = 10 : f32[]
              @20 c.0 = argument = 3 : f32[]
              @21 c.1 = argument = [3, 4] : f32[2]
              @22 [+60:35] scan(@20, @21) = 10 : f32[]
                @23 step 0() = 6 : f32[]
                  @24 c.0 = argument = 3 : f32[]
                  @25 c.1 = argument = 3 : f32[]
                  @26 [+60:62] add(@24, @25) = 6 : f32[]
                  @27 return @26
                @28 step 1() = 10 : f32[]
                  @29 c.0 = argument = 6 : f32[]
                  @30 c.1 = argument = 4 : f32[]
                  @31 [+60:62] add(@29, @30) = 10 : f32[]
                  @32 return @31
              @33 return @22
          @34 [+58:43] return @3
    "#]]
    .assert_eq(&shown(here, &tape));
}

#[test]
fn derivatives_of_our_own_and_errors() {
    let f = custom_jvp(|x: Array| x.exp(), |(x,): (Array,), (t,): (Array,)| (x.exp(), t * x.exp()));
    let (_, tape) = record(|| grad(f)(Array::from(0.0f32)));
    assert!(tape.nodes().any(|n| n.function() == "custom_jvp"));
    // A mistake leaves the tape of what led to it.
    let (out, tape) = Recorder::new().try_record(|| {
        let x = Array::from([1.0f32, 2.0]).sin();
        &x + &Array::from([1.0f32, 2.0, 3.0])
    });
    assert!(out.is_err());
    assert!(tape.nodes().any(|n| n.function() == "sin"));
    // A recording that unwinds is closed: the next one is not inside it.
    let _ = try_run(|| record(|| Array::from([1.0f32]) + Array::from([1.0f32, 2.0])));
    let (_, tape) = record(|| Array::from([1.0f32]).sin());
    assert_eq!(tape.len(), 4);
}

#[test]
fn d7_many_threads_record_at_once() {
    let functions =
        [Array::sin, Array::cos, Array::exp, Array::tanh, Array::abs, Array::sqrt, Array::floor, Array::ceil];
    let names = ["sin", "cos", "exp", "tanh", "abs", "sqrt", "floor", "ceil"];
    std::thread::scope(|s| {
        for (op, name) in functions.into_iter().zip(names) {
            s.spawn(move || {
                let (_, tape) = record(|| {
                    let mut x = Array::from([0.5f32, 0.25]);
                    // Half of it here, half on threads it hands work to.
                    for _ in 0..50 {
                        x = op(&x);
                        let y = x.clone();
                        x = std::thread::spawn(attach(move || op(&y))).join().unwrap();
                    }
                    x
                });
                let ops = ops(&tape);
                assert_eq!(ops, vec![name; 100]);
                assert_eq!(tape.nodes().last().unwrap().backward().count(), 101);
            });
        }
    });
}
