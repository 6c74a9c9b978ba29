//! C5: contexts that act. They see what a call is given, pass another context inward, and give results of their own.

use std::sync::{Arc, Mutex};
use wengert::tape::{ArgumentValue, Context, Draft, HostNumber, Kind, MetaKey, Substitute};
use wengert::{Array, Recorder, Tape, Tensor, track};

thread_local!(static SEED: std::cell::Cell<u64> = const { std::cell::Cell::new(1) });

/// A generator of the host's own, which is not tracked.
fn rand() -> f64 {
    let x = SEED.get().wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    SEED.set(x);
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// A coin.
#[track]
fn flip(p: f64) -> bool {
    rand() < p
}

#[track]
fn geom(n: u32, beta: f64) -> u32 {
    if rand() < beta { n } else { geom(n + 1, beta) }
}

/// As in the seed: each call is entered with a context that knows how deep it is.
struct Depth {
    level: usize,
    most: usize,
}

impl Context for Depth {
    fn recurse(&self, _: &Draft<'_>) -> bool {
        self.level < self.most
    }
    fn inward(&self, _: &Draft<'_>) -> Option<Arc<dyn Context>> {
        Some(Arc::new(Depth { level: self.level + 1, most: self.most }))
    }
}

#[test]
fn c5_a_context_passes_another_inward() {
    SEED.set(5);
    let (n, tape) = Recorder::new().context(Depth { level: 0, most: 2 }).record(|| geom(1, 0.05));
    assert!(n > 4);
    assert_eq!(tape.nodes().filter(|n| n.function() == "geom").count(), 3, "{tape}");
    let last = tape.nodes().rfind(|n| n.function() == "geom").unwrap();
    assert!(!last.has_children() && last.number(0) == Some(n.into()), "{tape}");
}

#[track]
fn twice(x: Array) -> Array {
    &x * 2.0
}

#[track]
fn directly(x: Array) -> Array {
    twice(x)
}

#[track]
fn by_a_handle(x: Array) -> Array {
    wengert::tape::handle().run(|| twice(x))
}

#[track]
fn on_a_thread(x: Array) -> Array {
    let handle = wengert::tape::handle();
    std::thread::scope(|s| s.spawn(|| handle.run(|| twice(x))).join().unwrap())
}

#[test]
fn c5_what_was_passed_inward_goes_to_threads_too() {
    struct Outer;
    impl Context for Outer {
        fn inward(&self, _: &Draft<'_>) -> Option<Arc<dyn Context>> {
            Some(Arc::new(Inner))
        }
    }
    struct Inner;
    impl Context for Inner {
        fn substitute(&self, node: &Draft<'_>) -> Option<Substitute> {
            (&*node.label.name == "twice").then(|| Substitute::Array(Tensor::new([], vec![100.0f32]).unwrap()))
        }
    }
    for f in [directly, by_a_handle, on_a_thread] {
        let (y, tape) = Recorder::new().context(Outer).record(|| f(Array::from(3.0f32)));
        assert_eq!(y.to_f64(), 100.0, "{tape}");
    }
}

#[test]
fn c5_a_context_sees_what_a_call_is_given() {
    struct Sees(Arc<Mutex<Vec<String>>>);
    impl Context for Sees {
        fn call(&self, node: &mut Draft<'_>) {
            let given: Vec<String> = node.arguments().map(|(n, v)| format!("{n}: {v:?}")).collect();
            self.0.lock().unwrap().push(format!("{} {}", node.label.name, given.join(", ")));
            if node.argument("n") == Some(ArgumentValue::Number(2u32.into())) {
                node.rename("second");
            }
        }
    }
    SEED.set(5);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (_, tape) = Recorder::new().context(Sees(seen.clone())).record(|| geom(1, 0.05));
    let seen = seen.lock().unwrap();
    assert!(seen[0].contains("geom n: Some(Number(HostNumber { ty: U32, bits: 1 }))"), "{seen:?}");
    assert_eq!(tape.nodes().filter(|n| n.function() == "second").count(), 1);
}

/// Gives the draws of an earlier run again, and then one's own.
struct Replay {
    draws: Mutex<std::vec::IntoIter<HostNumber>>,
}

impl Replay {
    fn of(tape: &Tape) -> Replay {
        let draws: Vec<HostNumber> =
            tape.nodes().filter(|n| n.function() == "rand").filter_map(|n| n.number(0)).collect();
        Replay { draws: Mutex::new(draws.into_iter()) }
    }
}

impl Context for Replay {
    fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
        match &*call.label.name {
            "rand" => self.draws.lock().unwrap().next().map(Substitute::Number),
            _ => None,
        }
    }
}

#[test]
fn c5_the_draws_of_an_earlier_run_are_replayed() {
    SEED.set(5);
    let (n, tape) = wengert::record(|| geom(1, 0.2));
    SEED.set(77);
    let (again, same) = Recorder::new().context(Replay::of(&tape)).record(|| geom(1, 0.2));
    let shown = |t: &Tape| t.node(1).print_levels(99);
    assert_eq!((again, shown(&same)), (n, shown(&tape)));
    SEED.set(77);
    assert_ne!(shown(&wengert::record(|| geom(1, 0.2)).1), shown(&tape));
}

/// Whether it rained, and whether the grass is wet of it.
#[track]
fn grass() -> bool {
    let rain = flip(0.2);
    let sprinkler = flip(if rain { 0.01 } else { 0.4 });
    let _wet = flip(if rain && sprinkler {
        0.99
    } else if rain || sprinkler {
        0.9
    } else {
        0.0
    });
    rain
}

/// Likelihood weighting: the third coin shows what was observed, and the run weighs what the coin would have given it.
struct Observed {
    calls: Mutex<(usize, f64)>,
}

impl Context for Observed {
    fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
        if &*call.label.name != "flip" {
            return None;
        }
        let mut calls = self.calls.lock().unwrap();
        calls.0 += 1;
        let Some(ArgumentValue::Number(p)) = call.argument("p") else { return None };
        if calls.0 != 3 {
            return None;
        }
        calls.1 *= f64::from_bits(p.bits);
        Some(true.into())
    }
}

#[test]
fn c5_likelihood_weighting_by_conditioning() {
    SEED.set(3);
    let (mut rained, mut all) = (0.0, 0.0);
    for _ in 0..4000 {
        let observed = Arc::new(Observed { calls: Mutex::new((0, 1.0)) });
        struct Shared(Arc<Observed>);
        impl Context for Shared {
            fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
                self.0.substitute(call)
            }
        }
        let (rain, tape) = Recorder::new().context(Shared(observed.clone())).record(grass);
        let weight = observed.calls.lock().unwrap().1;
        // What was observed did not run.
        let last = tape.nodes().filter(|n| n.function() == "flip").nth(2).unwrap();
        assert!(!last.children().any(|n| n.function() == "rand"), "{tape}");
        all += weight;
        rained += if rain { weight } else { 0.0 };
    }
    // By enumeration: rain 0.2·(0.01·0.99 + 0.99·0.9), none 0.8·0.4·0.9.
    let (wet_of_rain, wet) = (0.2 * (0.01 * 0.99 + 0.99 * 0.9), 0.2 * (0.01 * 0.99 + 0.99 * 0.9) + 0.8 * 0.4 * 0.9);
    assert!((rained / all - wet_of_rain / wet).abs() < 0.03, "{} {}", rained / all, wet_of_rain / wet);
}

#[test]
fn c5_an_array_instead_and_a_type_that_does_not_fit() {
    #[track]
    fn prior(x: &Array) -> Array {
        x.sin()
    }
    struct Gives(Substitute);
    impl Context for Gives {
        fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
            (&*call.label.name == "prior").then(|| self.0.clone())
        }
    }
    let x = Array::from([1.0f32, 2.0]);
    let given = Tensor::new([2], vec![5.0f32, 6.0]).unwrap();
    let (y, tape) = Recorder::new().context(Gives(Substitute::Array(given))).record(|| prior(&x) * 2.0);
    assert_eq!(y.to_vec::<f32>(), [10.0, 12.0]);
    assert!(!tape.nodes().any(|n| n.function() == "sin"), "{tape}");
    let wrong = wengert::try_run(|| Recorder::new().context(Gives(2.5f64.into())).record(|| prior(&x)).0);
    let text = wrong.unwrap_err().to_string();
    assert!(text.contains("a context gave another type than `prior` gives, which is `Array`"), "{text}");
    // Who catches it goes on where the call was made: that has ended.
    let go_on = || {
        assert!(wengert::try_run(|| prior(&x)).is_err());
        x.cos()
    };
    let (_, tape) = Recorder::new().context(Gives(2.5f64.into())).record(go_on);
    let cosine = tape.nodes().find(|n| n.function() == "cos").unwrap();
    assert_eq!(cosine.parent().map(|n| n.id()), Some(tape.root().id()), "{tape}");
}

/// A function that is not tracked has run by then; what does not fit is refused there too.
#[test]
fn c5_a_type_that_does_not_fit_a_function_that_is_not_tracked() {
    fn draw() -> f64 {
        0.5
    }
    fn words() -> Vec<&'static str> {
        vec!["one"]
    }
    static FIXED: f64 = 1.5;
    fn borrowed() -> &'static f64 {
        &FIXED
    }
    #[track]
    fn model() -> f64 {
        let x = draw();
        let count = words().len();
        let y = borrowed();
        x + y + count as f64
    }
    struct Gives(&'static str, Substitute);
    impl Context for Gives {
        fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
            (&*call.label.name == self.0).then(|| self.1.clone())
        }
    }
    let run = |to: &'static str, what: Substitute| {
        wengert::try_run(|| Recorder::new().context(Gives(to, what)).record(model).0).map_err(|e| e.to_string())
    };
    assert_eq!(run("draw", 2.0f64.into()).unwrap(), 4.5);
    let array = || Substitute::Array(Tensor::new([1], vec![5.0f64]).unwrap());
    let cases = [
        ("draw", 2.0f32.into(), "f64"),
        ("draw", array(), "f64"),
        ("words", 2.0f64.into(), "Vec<&str>"),
        ("borrowed", 2.0f64.into(), "&f64"),
    ];
    for (to, what, ty) in cases {
        let text = run(to, what).unwrap_err();
        let message = format!("a context gave another type than `{to}` gives, which is `{ty}`");
        assert!(text.contains(&message) && text.contains("acting.rs"), "{text}");
    }
}

/// A result for a function that gives none, or whose type nothing says, is refused as one of another type is.
#[test]
fn c5_a_result_for_a_function_without_one() {
    #[track]
    fn tell(x: &mut f64) {
        *x += 1.0;
    }
    #[track]
    fn adder() -> impl Fn(f64) -> f64 {
        |x| x + 1.0
    }
    #[track(calls)]
    fn sparse(x: f64) -> f64 {
        x + 1.0
    }
    struct Gives(&'static str);
    impl Context for Gives {
        fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
            (&*call.label.name == self.0).then(|| 7.0f64.into())
        }
    }
    let all = |x: f64| {
        let mut x = x;
        tell(&mut x);
        let twice = wengert::tracked!("twice", |x: f64| x * 2.0);
        twice(adder()(x)) + sparse(x)
    };
    for (name, ty) in [("tell", "()"), ("adder", "impl Fn(f64) -> f64"), ("twice", "_")] {
        let text = wengert::try_run(|| Recorder::new().context(Gives(name)).record(|| all(1.0)).0).unwrap_err();
        let said = format!("a context gave another type than `{name}` gives, which is `{ty}`");
        assert!(text.to_string().contains(&said), "{text}");
    }
    assert_eq!(Recorder::new().context(Gives("sparse")).record(|| all(1.0)).0, 13.0);
}

#[test]
fn c2_metadata_is_written_afterwards_arrays_too_and_saved() {
    const ADJOINT: MetaKey<Tensor> = MetaKey::new("adjoint");
    const NOTE: MetaKey<String> = MetaKey::new("note");
    let x = Array::from([1.0f32, 2.0]);
    let (_, mut tape) = wengert::record(|| (&x * 2.0).sin());
    let sine = tape.nodes().find(|n| n.function() == "sin").unwrap().id();
    tape.set_meta(sine, ADJOINT, Tensor::new([2], vec![0.5f32, f32::NAN]).unwrap());
    tape.set_meta(sine, NOTE, "first".to_string());
    tape.set_meta(sine, NOTE, "second".to_string());
    let path = std::env::temp_dir().join(format!("wengert-meta-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    let opened = Tape::open(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    for t in [&tape, &opened] {
        let n = t.node(sine);
        assert_eq!(n.kind(), Kind::Primitive);
        let kept = n.meta(ADJOINT).unwrap().to_vec::<f32>().unwrap();
        assert!(kept[0] == 0.5 && kept[1].is_nan());
        assert_eq!(n.meta(NOTE).as_deref(), Some("second"));
    }
}
