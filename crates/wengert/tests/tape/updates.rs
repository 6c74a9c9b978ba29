//! What an update follows, and what it says where it can't (C10), and the same of programs (C8, D4): calls that were not
//! recorded inside, values that were set, decisions that hang on arrays.

use super::{find, values};
use wengert::custom::{CustomOp, apply};
use wengert::tape::{Context, DepthLimit, Draft, EveryNth, Kind, LiveRun, NodeFilter, UpdateOutcome};
use wengert::{
    Array, Capture, DType, ErrorKind, Recorder, Tape, Tensor, Type, fori_loop, jit, random, track, untracked,
};

fn two() -> Array {
    Array::from([1.0f32, 2.0])
}

fn other() -> Array {
    Array::from([3.0f32, -1.0])
}

/// Sets the first argument and asks for an update, which must be an error of this kind; then runs again what it must.
#[track_caller]
fn refuses(f: impl Fn(Array) -> Array + Send + Sync, recorder: Recorder, kind: ErrorKind, says: &str) {
    let mut live = recorder.live(&f, (two(),));
    live.set(live.argument(0), other()).unwrap();
    for _ in 0..2 {
        let e = live.update().expect_err("the update can't be complete");
        assert!(e.kind() == kind && e.to_string().contains(says), "{e}");
    }
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
    assert_eq!(live.value().to_tensor(), f(other()).to_tensor());
}

#[track]
fn inner(x: Array) -> Array {
    x.sin() * 2.0
}

#[test]
fn c10_calls_that_were_not_recorded_inside_are_an_error() {
    let not = "was not recorded inside";
    refuses(|x| x.softmax(-1).cos(), Recorder::new().context(DepthLimit(1)), ErrorKind::Run, not);
    refuses(|x| x.softmax(-1).softmax(-1), Recorder::new().context(EveryNth::new(2)), ErrorKind::Run, not);
    refuses(inner, Recorder::new().context(NodeFilter::module("elsewhere")), ErrorKind::Run, not);
    // One that does not depend on what changed is no hindrance.
    let f = |x: Array, y: Array| x.softmax(-1) + y * 2.0;
    let mut live = Recorder::new().context(DepthLimit(1)).live(f, (two(), two()));
    live.set(live.argument(1), other()).unwrap();
    assert_eq!(live.update().unwrap().changed.len(), 2);
    assert_eq!(live.value().to_tensor(), f(two(), other()).to_tensor());
}

#[track(boundary)]
fn solved(x: &Array) -> Array {
    x.sin() * 2.0
}

#[track(boundary)]
fn size_of(x: &Array) -> f32 {
    x.sum(..).item()
}

/// It gives what it made by another way than its result.
#[track(boundary)]
fn keep(x: &Array, kept: &mut Vec<Array>) {
    kept.push(x.cos());
}

#[test]
fn c8_c10_calls_of_boundaries_are_an_error() {
    let not = "was not recorded inside";
    refuses(|x| solved(&x).cos(), Recorder::new(), ErrorKind::Run, not);
    refuses(|x| jit(|x: Array| solved(&x))(x.sin()) + solved(&x), Recorder::new(), ErrorKind::Run, not);
    refuses(|x| wengert::grad(|x: Array| solved(&x).sum(..))(x), Recorder::new(), ErrorKind::Run, not);
    let f = |x: Array| {
        let mut kept = Vec::new();
        keep(&x, &mut kept);
        &kept[0] * 2.0
    };
    refuses(f, Recorder::new(), ErrorKind::Run, "not recorded");
    // A number that was read inside.
    let mut live = Recorder::new().live(|x: Array| &x * size_of(&x), (two(),));
    live.set(live.argument(0), other()).unwrap();
    assert!(live.update().is_err());
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
    assert_eq!(live.value().to_vec::<f32>(), [6.0, -2.0]);
    // A staged function runs as a whole, and needs nothing of what is inside.
    let mut live = Recorder::new().live(jit(|x: Array| solved(&x) + 1.0), (two(),));
    live.set(live.argument(0), other()).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_tensor(), (solved(&other()) + 1.0).to_tensor());
    // It may use what it was not given, as any function of the user's.
    let f = |x: Array, y: Array| solved(&x) + y * 2.0;
    let mut live = Recorder::new().live(f, (two(), two()));
    live.set(live.argument(1), other()).unwrap();
    assert!(live.update().is_err());
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
    assert_eq!(live.value().to_tensor(), f(two(), other()).to_tensor());
    let e = Recorder::new().record(|| solved(&two())).1.to_program().unwrap_err();
    assert!(e.to_string().contains("`solved` was not recorded inside"), "{e}");
}

#[test]
fn c10_what_a_traced_function_does_with_what_it_captures_is_known() {
    let stale = |f: &(dyn Fn(Array) -> Array + Sync)| {
        let mut live = Recorder::new().live(f, (two(),));
        live.set(live.argument(0), other()).unwrap();
        assert!(live.update().is_err(), "{}", live.tape());
        assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
        assert_eq!(live.value().to_tensor(), f(other()).to_tensor());
    };
    stale(&|x| jit(|y: Array| x.sin() * y)(two()));
    stale(&|x| wengert::vmap(|y: Array| if x.min(..) > 0.0 { y * 2.0 } else { y })(two()));
    stale(&|x| jit(|y: Array| if x.min(..) > 0.0 { y * 2.0 } else { y })(two()));
    stale(&|x| jit(|y: Array| if x.sum(..).item::<f32>() > 2.5 { y * 2.0 } else { y })(two()));
}

#[test]
fn c10_values_made_where_nothing_was_recorded_are_an_error() {
    let not = "where nothing was recorded";
    refuses(|x| untracked!(x.sin()) + &x, Recorder::new(), ErrorKind::Run, not);
    refuses(|x| (x * 2.0).sin(), Recorder::new().context(NodeFilter::ops(["sin"])), ErrorKind::Run, not);
    let f = jit(|x: Array| x.sin());
    refuses(|x| untracked!(f(x.clone())) + &x, Recorder::new(), ErrorKind::Run, not);
    refuses(|x| wengert::grad(|x: Array| (untracked!(x.sin()) * x).sum(..))(x), Recorder::new(), ErrorKind::Run, not);
    // What really is from outside is no hindrance.
    let w = two().sin();
    let mut live = Recorder::new().live(|x: Array| x * &w, (two(),));
    live.set(live.argument(0), other()).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_tensor(), (other() * &w).to_tensor());
}

#[test]
fn c8_what_was_not_recorded_is_no_input_of_a_program() {
    let x = two();
    let program = |recorder: Recorder, f: &dyn Fn() -> Array| {
        recorder.capture(Capture::Values).record(f).1.to_program().map(|p| p.inputs().len())
    };
    let e = program(Recorder::new().context(DepthLimit(1)), &|| x.softmax(-1).cos()).unwrap_err();
    assert!(e.to_string().contains("`softmax` was not recorded inside"), "{e}");
    assert!(e.to_string().contains("updates.rs"), "{e}");
    let e = program(Recorder::new(), &|| untracked!(x.sin()) + &x).unwrap_err();
    assert!(e.to_string().contains("where nothing was recorded"), "{e}");
    let e = program(Recorder::new().context(NodeFilter::ops(["cos"])), &|| x.sin().cos()).unwrap_err();
    assert!(e.to_string().contains("where nothing was recorded"), "{e}");
    // Arrays from outside are inputs, and so is what a part of the run was given.
    let made = untracked!(x.sin());
    assert_eq!(program(Recorder::new(), &|| &made + &x).unwrap(), 2);
    let (_, tape) = values().context(DepthLimit(1)).record(|| x.softmax(-1).cos());
    assert_eq!(find(&tape, "cos").to_program().unwrap().inputs().len(), 1);
}

#[track]
fn positive(x: Array) -> bool {
    x.sum(..) > 0.0
}

#[test]
fn c8_what_a_call_that_was_not_recorded_told_the_host_is_guarded() {
    let x = two();
    let f = || if positive(x.clone()) { &x * 2.0 } else { -&x };
    let (y, tape) = values().context(DepthLimit(1)).record(f);
    let p = tape.to_program().unwrap();
    assert_eq!(p.run_guarded(&wengert::Device::cpu(), p.recorded_inputs(&tape).unwrap()).unwrap(), [y.to_tensor()]);
    assert_eq!(
        p.run_guarded(&wengert::Device::cpu(), vec![other().to_tensor()]).unwrap_err().kind(),
        ErrorKind::Flipped
    );
    // It may have used more than it was given, and read what nobody knows, and the program says so.
    assert_eq!(p.unchecked().collect::<Vec<_>>(), ["positive", "to_bool"].map(|name| find(&tape, name).id()));
}

#[test]
fn c10_a_call_that_was_not_recorded_may_use_what_it_was_not_given() {
    struct Model(Array);
    impl Model {
        #[track]
        fn forward(&self, x: Array) -> Array {
            x * &self.0
        }
    }
    let y = two();
    let f = |x: Array| Model(x.sin()).forward(y.clone());
    refuses(f, Recorder::new().context(DepthLimit(1)), ErrorKind::Run, "was not recorded inside");
    // A decision in a function that is differentiated.
    let f =
        |x: Array| wengert::grad(|y: Array| if x.min(..) > 0.0 { y.sum(..) } else { y.square().sum(..) })(y.clone());
    refuses(f, Recorder::new().context(DepthLimit(2)), ErrorKind::Run, "was not recorded inside");
}

fn scaled(x: Array, y: Array) -> Array {
    let a = (&x * 2.0).named("a");
    if y.sum(..) > 0.0 { (&a * 10.0).named("b") + y } else { a - y }
}

fn live_scaled() -> LiveRun<'static, (Array, Array), Array> {
    Recorder::new().live(scaled, (two(), two()))
}

fn named(live: &LiveRun<'_, (Array, Array), Array>, name: &str) -> wengert::tape::NodeId {
    live.tape().nodes().find(|n| n.name() == Some(name)).unwrap().id()
}

#[test]
fn c10_what_was_set_stays_set() {
    let mut live = live_scaled();
    let a = named(&live, "a");
    live.set(a, Array::from([7.0f32, 8.0])).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), [71.0, 82.0]);
    // Also after an update, where what it was computed from changes.
    live.set(live.argument(0), other()).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), [71.0, 82.0]);
    // And in a run from after it.
    live.set(live.argument(1), Array::from([-1.0f32, -2.0])).unwrap();
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Reran(_)));
    assert_eq!(live.value().to_vec::<f32>(), [8.0, 10.0]);
    live.set(live.argument(0), two()).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), [8.0, 10.0]);
    // To the value that it has, too.
    let mut live = live_scaled();
    let a = named(&live, "a");
    live.set(a, Array::from([2.0f32, 4.0])).unwrap();
    live.set(live.argument(0), other()).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_vec::<f32>(), [21.0, 42.0]);
}

#[test]
fn c10_what_was_set_and_would_be_computed_again_is_an_error() {
    let mut live = live_scaled();
    live.set(named(&live, "b"), Array::from([7.0f32, 8.0])).unwrap();
    live.update().unwrap();
    live.set(live.argument(1), Array::from([-1.0f32, -2.0])).unwrap();
    let e = live.update_or_rerun().unwrap_err();
    assert!(e.to_string().contains("was set"), "{e}");
    // An array from outside: a run would see its old value.
    let w = two();
    let f = |x: Array| if x.sum(..) > 0.0 { &w * 2.0 } else { &w * 3.0 };
    let mut live = Recorder::new().live(f, (two(),));
    let constant = live.tape().nodes().find(|n| n.kind() == Kind::Constant).unwrap().id();
    live.set(constant, other()).unwrap();
    live.update().unwrap();
    live.set(live.argument(0), Array::from([-1.0f32, -2.0])).unwrap();
    let e = live.update_or_rerun().unwrap_err();
    assert!(e.to_string().contains("came from outside"), "{e}");
}

#[test]
fn c10_what_was_set_can_be_taken_back() {
    let w = two();
    let f = |x: Array| (&w * x.exp().named("e")).sum(..);
    let mut live = Recorder::new().live(f, (two(),));
    let fresh = live.value().to_tensor();
    let find =
        |live: &LiveRun<'_, _, _>, name: &str| live.tape().nodes().find(|n| n.line().contains(name)).unwrap().id();
    let (constant, e) = (find(&live, "constant"), find(&live, "e = exp"));
    for node in [constant, e] {
        live.set(node, other()).unwrap();
        live.update().unwrap();
        assert_ne!(live.value().to_tensor(), fresh);
        assert_eq!(live.tape().fixed().collect::<Vec<_>>(), [node.into()]);
        live.unset(node);
        live.update().unwrap();
        assert_eq!(live.value().to_tensor(), fresh);
        assert_eq!(live.tape().fixed().count(), 0);
    }
    // An array from outside that is set to what it was is not changed at all.
    live.set(constant, other()).unwrap();
    live.set(constant, two()).unwrap();
    assert_eq!(live.tape().fixed().count(), 0);
}

#[test]
fn c10_any_result_of_a_node_can_be_set() {
    let f = |x: Array| {
        let (q, r) = x.qr(false);
        q.sum(..) + r.sum(..) * 10.0
    };
    let mut live = Recorder::new().live(f, (Array::from([[1.0f32, 0.0], [0.0, 2.0]]),));
    let qr = live.tape().nodes().find(|n| n.op().is_some() && n.result_count() > 1).unwrap().id();
    let ones = |n: f32| Array::from([[n, n], [n, n]]);
    live.set((qr, 1), ones(1.0)).unwrap();
    live.update().unwrap();
    let q = |live: &LiveRun<'_, _, Array>| live.tape().node(qr).value(0).unwrap();
    let sum = |q| Array::from_tensor(q).sum(..).item::<f32>();
    assert_eq!(live.value().item::<f32>(), sum(q(&live)) + 40.0);
    // The other result follows, this one stays.
    let before = q(&live);
    live.set(live.argument(0), Array::from([[0.0f32, 1.0], [3.0, 0.0]])).unwrap();
    live.update().unwrap();
    assert_ne!(q(&live), before);
    assert_eq!(live.value().item::<f32>(), sum(q(&live)) + 40.0);
    assert!(live.set((qr, 2), ones(1.0)).unwrap_err().to_string().contains(".2 is not an array"));
}

#[test]
fn c10_what_is_inside_something_that_ran_as_a_whole_is_not_set() {
    let f = |x: Array| wengert::scan(|c: Array, x: Array| (&c * x, ()), Array::from(1.0f32), x).0;
    let mut live = Recorder::new().every_step().live(f, (two(),));
    let step = live.tape().nodes().find(|n| n.function() == "mul").unwrap().id();
    assert!(live.set(step, Array::from(5.0f32)).unwrap_err().to_string().contains("ran as a whole"));
}

#[test]
fn c8_c10_what_was_set_is_an_input_of_the_program() {
    let (_, mut tape) = values().record(|| (two() * 2.0).named("a").sin());
    let a = tape.nodes().find(|n| n.name() == Some("a")).unwrap().id();
    tape.set(a, other().to_tensor()).unwrap();
    tape.update(&wengert::Device::cpu()).unwrap();
    let p = tape.to_program().unwrap();
    assert_eq!(p.inputs(), [(a, 0)]);
    assert_eq!(p.run(&wengert::Device::cpu(), p.recorded_inputs(&tape).unwrap()).unwrap(), [other().sin().to_tensor()]);
}

/// An op of a user's own, made of ops, that is not registered.
#[derive(Debug)]
struct Nameless;

impl CustomOp for Nameless {
    fn name(&self) -> &str {
        "tests.nameless"
    }
    fn infer(&self, x: &[Type]) -> wengert::Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<wengert::Result<Vec<Tensor>>> {
        Some(Ok(x.to_vec()))
    }
}

#[test]
fn c10_d4_an_op_that_is_not_known_here_is_an_error() {
    let (_, tape) = values().record(|| apply(Nameless, &[&two()]).remove(0).sin());
    let path = std::env::temp_dir().join(format!("wengert-nameless-{}", std::process::id()));
    std::fs::create_dir_all(&path).unwrap();
    tape.save(path.join("run.tape")).unwrap();
    let mut opened = Tape::open(path.join("run.tape")).unwrap();
    std::fs::remove_dir_all(path).unwrap();
    opened.set(1, other().to_tensor()).unwrap();
    for e in [opened.update(&wengert::Device::cpu()).unwrap_err(), opened.to_program().unwrap_err()] {
        assert!(e.to_string().contains("knows only its name"), "{e}");
    }
}

#[test]
fn c10_masks_and_bounds_are_decisions_of_the_host() {
    let flipped = ErrorKind::Flipped;
    refuses(|x| x.get(x.gt(0.0)).sum(..), Recorder::new(), flipped, "updates.rs");
    refuses(
        |x| fori_loop(0, x.sum(..).to(DType::I32), |_, c: Array| c * 2.0, x),
        Recorder::new(),
        flipped,
        "updates.rs",
    );
    // How a product is rounded is no such decision: an update gives what a run gives.
    let key = random::key(0);
    let f = |x: Array| random::uniform_between(&key, [100], -0.7, x.max(..), DType::F32);
    let mut live = Recorder::new().live(f, (two() * 0.65,));
    live.set(live.argument(0), other()).unwrap();
    live.update().unwrap();
    assert_eq!(live.value().to_tensor(), f(other()).to_tensor());
    // And guards of programs.
    let x = two();
    let (_, tape) = values().record(|| x.get(x.gt(1.5)).sum(..));
    let p = tape.to_program().unwrap();
    // The positions that the host made of the mask are an input too.
    let run = |x: Array| {
        let mut inputs = p.recorded_inputs(&tape).unwrap();
        inputs[0] = x.to_tensor();
        p.run_guarded(&wengert::Device::cpu(), inputs)
    };
    assert_eq!(run(Array::from([1.25f32, 5.0])).unwrap(), [Array::from(5.0f32).to_tensor()]);
    assert_eq!(run(Array::from([2.0f32, 5.0])).unwrap_err().kind(), flipped);
}

#[track]
fn clipped(x: Array) -> Array {
    let y = x.sum(..);
    if y.to_f64() > 2.5 { y * 0.0 } else { y }
}

#[test]
fn c10_a_branch_that_hangs_on_a_number_that_changed_is_an_error() {
    refuses(clipped, Recorder::new(), ErrorKind::Flipped, "y.to_f64() > 2.5");
    // The same number again, and nothing hangs on a change.
    let mut live = Recorder::new().live(clipped, (two(),));
    live.set(live.argument(0), other()).unwrap();
    assert!(live.update().is_err());
    live.set(live.argument(0), Array::from([2.0f32, 1.0])).unwrap();
    live.update().unwrap();
    assert!(live.tape().stale_reads().next().is_none());
    assert!(matches!(live.update_or_rerun().unwrap(), UpdateOutcome::Updated(_)));
}

#[test]
fn c3_one_node_a_line_whatever_values_are_called() {
    struct Lines;
    impl std::fmt::Debug for Lines {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("[[1,\n  2],\n\t[3]]")
        }
    }
    #[track]
    fn shown(x: Array, lines: Lines) -> Array {
        let _ = &lines;
        x.sin().named("two\nlines")
    }
    let (_, tape) = values().record(|| shown(two(), Lines));
    assert_eq!(tape.to_string().lines().count(), tape.len(), "{tape}");
    assert!(tape.to_string().contains("[[1, 2], [3]]"), "{tape}");
    assert!(!tape.to_string().replace('\n', "").contains(char::is_control));
}

#[test]
fn c8_c10_what_a_traced_function_captures_is_followed() {
    type Named = (&'static str, fn(Array) -> Array);
    let functions: [Named; 13] = [
        ("scan", |x| {
            let w = x.sin();
            wengert::scan(|c: Array, y: Array| (&c * y + &w, ()), two(), two()).0
        }),
        ("scan in scan", |x| {
            let w = x.sin();
            let inner =
                |c: Array, y: Array| (wengert::scan(|c: Array, z: Array| (&c * z + &w, ()), c, two()).0 + y, ());
            wengert::scan(inner, two(), two()).0
        }),
        ("while", |x| {
            let (w, n) = (x.exp(), x.sum(..).abs() + 9.0);
            wengert::while_loop(|c: Array| c.sum(..).lt(&n), |c: Array| c + &w, two())
        }),
        ("cond", |x| {
            let w = x.sin();
            wengert::cond(Array::from(true), |y: Array| y * &w, |y: Array| y + &w, two())
        }),
        ("vmap", |x| {
            let w = x.sum(..);
            wengert::vmap(|y: Array| y * &w)(two())
        }),
        ("vmap of what it computes", |x| wengert::vmap(|y: Array| y * x.sin().sum(..) + x.cos().sin().sum(..))(two())),
        ("vmap that gives what it computes", |x| wengert::vmap(|_: Array| x.sin())(two())),
        ("vmap in vmap", |x| wengert::vmap(|y: Array| wengert::vmap(|z: Array| z * &y + &x)(two()))(two())),
        ("vmap in grad", |x| wengert::grad(|y: Array| wengert::vmap(|z: Array| z * &y * &x)(two()).sum(..))(two())),
        ("jit in grad", |x| wengert::grad(|y: Array| jit(|z: Array| (&y * z).sum(..))(x.clone()))(two())),
        ("grad", |x| wengert::grad(|y: Array| (y.sin() * &x * x.cos()).sum(..))(two())),
        ("grad of scan", |x| {
            wengert::grad(|y: Array| wengert::scan(|c: Array, z: Array| (&c * z * &x, ()), y, two()).0.sum(..))(two())
        }),
        ("checkpoint", |x| {
            let f = wengert::checkpoint(|y: Array| y.sin() * &x);
            wengert::grad(move |y: Array| f(y).sum(..))(two())
        }),
    ];
    for (name, f) in functions {
        let mut live = Recorder::new().live(f, (two(),));
        assert_eq!(live.value().to_tensor(), f(two()).to_tensor(), "{name}");
        let p = live.tape().to_program().unwrap();
        live.set(live.argument(0), other()).unwrap();
        live.update().unwrap();
        assert_eq!(live.value().to_tensor(), f(other()).to_tensor(), "{name}\n{}", live.tape());
        let mut inputs = p.recorded_inputs(live.tape()).unwrap();
        inputs[0] = other().to_tensor();
        assert_eq!(p.run_guarded(&wengert::Device::cpu(), inputs).unwrap(), [f(other()).to_tensor()], "{name}");
    }
}

#[test]
fn c10_what_a_staged_function_captures_is_a_decision() {
    let f = |x: Array| {
        let w = x.sin();
        jit(move |y: Array| y * &w)(two())
    };
    refuses(f, Recorder::new(), ErrorKind::Flipped, "captured");
}

#[track]
fn decides(x: Array) -> Array {
    let v = x.sum(..).item::<f32>();
    if v > 2.0 { x * v } else { x * 7.0 }
}

/// Contexts that leave out what the host decides, and what it reads.
struct WithoutDecisions;

impl Context for WithoutDecisions {
    fn branch(&self, node: &mut Draft<'_>) {
        node.skip();
    }
}

struct WithoutReads;

impl Context for WithoutReads {
    fn special(&self, node: &mut Draft<'_>) {
        node.skip();
    }
}

#[test]
fn c10_decisions_and_reads_that_were_left_out_are_an_error() {
    let says = "left out what the host decided or read";
    refuses(decides, Recorder::new().context(WithoutDecisions), ErrorKind::Run, says);
    refuses(decides, Recorder::new().context(WithoutReads), ErrorKind::Run, says);
    let f = |x: Array| if x.sum(..) > 2.0 { x * 2.0 } else { x * 7.0 };
    refuses(f, Recorder::new().context(WithoutDecisions), ErrorKind::Run, says);
    let f = |x: Array| if x.sum(..).item::<f32>() > 2.0 { x * 2.0 } else { x * 7.0 };
    refuses(f, Recorder::new().context(WithoutReads), ErrorKind::Run, says);
    let f = |x: Array| wengert::record(|| if x.sum(..) > 2.0 { &x * 2.0 } else { &x * 7.0 }).0;
    refuses(f, Recorder::new().context(WithoutDecisions), ErrorKind::Run, says);
}

/// Functions of many sorts, under every context: after any changes, what comes out is what a run gives.
#[test]
fn c10_never_an_old_value() {
    type Function = fn(Array) -> Array;
    let functions: [Function; 24] = [
        |x| x.softmax(-1).cos(),
        |x| inner(inner(x.clone()) + x),
        |x| {
            let n = x.sum(..).item::<f32>();
            x * n
        },
        |x| if x.sum(..) > 0.0 { x.get(x.gt(0.5)).sum(..) } else { x.sum(..) },
        |x| clipped(clipped(x.clone()) + x),
        |x| fori_loop(0, x.abs().sum(..).to(DType::I32), |i, c: Array| c * i.to(DType::F32) + &x, x.sin()),
        |x| {
            let f = jit(|y: Array| (y.sin() * 3.0).tanh());
            f(f(x.clone())) + x.std(..)
        },
        |x| {
            let w = x.cos();
            wengert::grad(|y: Array| jit(|z: Array| (z * &w).sum(..))(y.sin()))(x)
        },
        |x| {
            let w = x.cos();
            wengert::vmap(|y: Array| wengert::scan(|c: Array, z: Array| (&c * z + &w, c), y + &w, two()).1)(x)
        },
        |x| untracked!(x.sin()) + wengert::record(|| x.cos() * &x).0,
        |x| {
            let (y, tape) = wengert::record(|| wengert::scan(|c: Array, y: Array| (c * &x + y, ()), x.sin(), two()).0);
            y * tape.len() as f32
        },
        |x| {
            let y = wengert::record(|| x.cos() * 2.0).0;
            wengert::cond(y.sum(..).gt(0.0), |z: Array| z * &y, |z: Array| z + &y, x)
        },
        |x| if positive(x.clone()) { random::normal(&random::key(0), [2], DType::F32) * x } else { x.sort(-1) },
        |x| {
            wengert::custom_jvp(|y: Array| y.exp(), |(y,): (Array,), (t,): (Array,)| (y.exp(), t * y.exp()))(x.clone())
                * x
        },
        |x| {
            let k = x.sin();
            fori_loop(0, 3, |i, c: Array| c * (&k * 3.0) + inner(k.clone()) + i.to(DType::F32), &k + 1.0)
        },
        |x| {
            let k = x.cos();
            let body = |c: Array, z: Array| {
                let c = wengert::cond(z.gt(0.0), |c: Array| c * k.exp(), |c: Array| c - k.softmax(-1), c);
                (c * wengert::grad(|k: Array| (k.sin() * &k).sum(..))(k.clone()), z * k.sum(..))
            };
            wengert::vmap(|y: Array| wengert::scan(body, &k * y, two()).0)(x)
        },
        |x| {
            let k = x.sin();
            let less = |c: Array| c.sum(..).lt(clipped(&k * &k).sum(..) + 5.0);
            wengert::while_loop(less, |c: Array| c + (&k * 0.5).exp() * untracked!(k.cos() + 2.0), two())
        },
        |x| {
            let k = x.sin();
            wengert::switch(
                x.sum(..).to(DType::I32),
                &[&|c: Array| c * k.sum(..).item::<f32>(), &|c| c + k.exp()],
                two(),
            )
        },
        |x| {
            let k = x.sin();
            wengert::pure_callback(move |y| vec![&y[0] * k.sum(..).item::<f32>()], &[two().ty()], &[&two()]).remove(0)
        },
        |x| {
            let k = x.sin();
            let f = move |y: Array| {
                let k = k.clone();
                wengert::pure_callback(move |y| vec![&y[0] + Array::from_tensor(k.to_tensor())], &[y.ty()], &[&y])
                    .remove(0)
            };
            jit(f)(two())
        },
        decides,
        |x| wengert::record(|| decides(x.clone())).0 * x,
        |x| wengert::record(|| if x.sum(..) > 2.0 { &x * 2.0 } else { &x * 7.0 }).0,
        |x| if x.sum(..).item::<f32>() > 2.0 { x * 2.0 } else { x * 7.0 },
    ];
    let contexts: [fn() -> Recorder; 9] = [
        Recorder::new,
        || Recorder::new().every_step(),
        || Recorder::new().context(DepthLimit(1)),
        || Recorder::new().context(DepthLimit(2)),
        || Recorder::new().context(EveryNth::new(2)),
        || Recorder::new().context(NodeFilter::ops(["sin", "mul"])),
        || Recorder::new().context(NodeFilter::module("elsewhere")),
        || Recorder::new().context(WithoutDecisions),
        || Recorder::new().context(WithoutReads),
    ];
    let values = [[1.0f32, 2.0], [3.0, -1.0], [-3.0, 1.0], [1.0, 1.0], [0.75, 0.5], [1.0, 2.0]];
    let mut updated = 0;
    for (i, f) in functions.into_iter().enumerate() {
        for (j, recorder) in contexts.into_iter().enumerate() {
            let mut live = recorder().live(f, (Array::from(values[0]),));
            for x in values {
                let fresh = f(Array::from(x)).to_tensor();
                live.set(live.argument(0), Array::from(x)).unwrap();
                if live.update().is_ok() && live.tape().stale_reads().next().is_none() {
                    assert_eq!(live.value().to_tensor(), fresh, "function {i}, context {j}, {x:?}\n{}", live.tape());
                    updated += 1;
                }
                live.update_or_rerun().unwrap();
                assert_eq!(live.value().to_tensor(), fresh, "function {i}, context {j}, {x:?}\n{}", live.tape());
            }
            // And so is the program, or it says that it is not.
            let Ok(p) = live.tape().to_program() else { continue };
            let Some(inputs) = p.recorded_inputs(live.tape()).filter(|_| p.unchecked().next().is_none()) else {
                continue;
            };
            let argument = p.inputs().iter().position(|&(n, _)| n == live.argument(0));
            for x in values {
                let mut inputs = inputs.clone();
                let Some(argument) = argument else { break };
                inputs[argument] = Array::from(x).to_tensor();
                if let Ok(y) = p.run_guarded(&wengert::Device::cpu(), inputs) {
                    assert_eq!(y, [f(Array::from(x)).to_tensor()], "function {i}, context {j}, {x:?}\n{}", live.tape());
                }
            }
        }
    }
    assert!(updated > 150, "{updated}");
}
