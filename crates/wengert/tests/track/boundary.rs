//! `#[track(boundary)]`: a call is one node, and nothing inside it is recorded.

use wengert::tape::{Context, Draft, Enter, Substitute};
use wengert::{Array, Recorder, Tape, grad, jit, record, track};
use wengert_testing::expect;

/// The tape, without places: most are in this file.
pub fn shown(tape: &Tape) -> String {
    let line = |l: &str| match (l.split_once(" ["), l.split_once("] ")) {
        (Some((node, _)), Some((_, rest))) => format!("{node} {rest}\n"),
        _ => format!("{l}\n"),
    };
    tape.to_string().lines().map(line).collect()
}

/// What another library has.
mod other {
    use wengert::{Array, track};

    #[track]
    pub fn root(a: f64) -> f64 {
        let mut x = a;
        while (x * x - a).abs() > 1e-9 {
            x = (x + a / x) / 2.0;
        }
        x
    }

    pub fn scale(a: &Array, b: &Array) -> Array {
        a.sin() * b + 1.0
    }
}

#[track(boundary)]
fn root(a: f64) -> Option<f64> {
    if a < 0.0 {
        return None;
    }
    let found = Some(other::root(a))?;
    Some(found)
}

#[track(boundary)]
fn scale(a: &Array, b: &Array) -> Array {
    other::scale(a, b)
}

#[track(boundary)]
fn peek(x: &Array) -> f64 {
    x.sin().to_f64()
}

struct Store(u32);

#[track(boundary)]
impl Store {
    fn add(&mut self, n: u32) -> u32 {
        self.0 += n;
        self.0
    }

    #[track]
    fn twice(&mut self, n: u32) -> u32 {
        self.add(n);
        self.add(n)
    }
}

#[track(boundary)]
mod all {
    pub fn double(x: u32) -> u32 {
        super::half(x * 4)
    }

    pub trait Half {
        fn half(&self) -> u32;
    }

    impl Half for u32 {
        fn half(&self) -> u32 {
            super::half(*self)
        }
    }
}

#[track]
fn half(x: u32) -> u32 {
    x / 2
}

#[track]
fn uses(a: f64) -> f64 {
    let r = root(a).unwrap();
    r + 1.0
}

#[test]
fn c5_a_boundary_is_one_node() {
    let (y, tape) = record(|| uses(4.0));
    assert!((y - 3.0).abs() < 1e-9);
    expect![[r#"
        @0 record() = 3.000000000000002 : f64
          @1 uses(⟨4⟩) = 3.000000000000002 : f64
            @2 a = ⟨4⟩ = 4 : f64
            @3 root(@2) = Some(2.000000000000002) : Option<f64>
            @4 r = unwrap(@3) = 2.000000000000002 : f64
            @5 +(@4, ⟨1⟩) = 3.000000000000002 : f64
            @6 return @5
          @7 return @1
    "#]]
    .assert_eq(&shown(&tape));
    let (_, tape) = record(|| root(-1.0));
    expect![[r#"
        @0 record() = None
          @1 root(⟨-1⟩) = None : Option<f64>
          @2 return ⟨None⟩
    "#]]
    .assert_eq(&shown(&tape));
    use all::Half;
    let (_, tape) = record(|| (Store(1).twice(2), all::double(3), 8.half()));
    expect![[r#"
        @0 record() = (5, 6, 4)
          @1 Store::twice(⟨Store⟩, ⟨2⟩) = 5 : u32
            @2 self = ⟨Store⟩ = Store
            @3 n = ⟨2⟩ = 2 : u32
            @4 Store::add(@2, @3) = 3 : u32
            @5 Store::add(@4, @3) = 5 : u32
            @6 return @5
          @7 double(⟨3⟩) = 6 : u32
          @8 u32::half(⟨8⟩) = 4 : u32
          @9 return ⟨(5, 6, 4)⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c5_arrays_pass_a_boundary() {
    let (a, b) = (Array::from([0.5f64, 1.0]), Array::from([2.0f64, 3.0]));
    let f = |a: Array| (scale(&a, &b) * 2.0).sum(..);
    let plain = |a: Array| (other::scale(&a, &b) * 2.0).sum(..);
    let (y, tape) = record(|| f(a.clone()));
    assert_eq!(y.to_tensor(), plain(a.clone()).to_tensor());
    expect![[r#"
        @0 record() : f64[]
          @1 constant : f64[2]
          @2 constant : f64[2]
          @3 scale(@1, @2) : f64[2]
          @4 mul(@3, ⟨2 : f64[2]⟩) : f64[2]
          @5 reduce[combiner=add, dims=[0]](@4) : f64[]
          @6 return @5
    "#]]
    .assert_eq(&shown(&tape));
    // Under transforms too, and what is inside a staged function is linked.
    let (y, tape) = record(|| grad(f)(a.clone()));
    assert_eq!(y.to_tensor(), grad(plain)(a.clone()).to_tensor());
    assert!(tape.nodes().all(|n| n.function() != "sin"), "{tape}");
    let staged = jit(f);
    for _ in 0..2 {
        let (y, tape) = record(|| staged(a.clone()));
        assert_eq!(y.to_tensor(), plain(a.clone()).to_tensor());
        expect![[r#"
            @0 record() : f64[]
              @1 constant : f64[2]
              @2 jit all::track::boundary::c5_arrays_pass_a_boundary::{{closure}}(@1) : f64[]
                @3 arg0 = argument : f64[2]
                @4 constant : f64[2]
                @5 scale(@3, @4) : f64[2]
                @6 mul(@5, ⟨2 : f64[2]⟩) : f64[2]
                @7 reduce[combiner=add, dims=[0]](@6) : f64[]
                @8 return @7
              @9 return @2
        "#]]
        .assert_eq(&shown(&tape));
    }
}

#[test]
fn c5_a_context_may_give_what_a_boundary_gives() {
    struct Given;
    impl Context for Given {
        fn substitute(&self, draft: &Draft<'_>) -> Option<Substitute> {
            (&*draft.label.name == "peek").then(|| Substitute::Number(0.25.into()))
        }
        fn enter(&self, _: &Draft<'_>) -> Enter {
            Enter::Tracked
        }
    }
    let (y, tape) = Recorder::new().context(Given).record(|| peek(&Array::from(1.0f64)));
    assert_eq!(y, 0.25);
    assert_eq!(tape.nodes().filter(|n| n.function() == "sin").count(), 0, "{tape}");
}
