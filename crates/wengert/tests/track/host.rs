//! What the host does, as nodes: values, sources, blocks with their arguments.

use super::functions::*;
use super::{find, shown};
use wengert::tape::Kind;
use wengert::{Array, Node, record, track};
use wengert_testing::expect;

#[test]
fn c2_a_node_knows_the_statement_and_the_function_it_came_from() {
    RANDOM.set(0);
    let (_, tape) = record(|| newton(Array::from(2.0f64)));
    let source = |n: Node<'_>| n.source().map(|s| s.statement.to_string());
    assert_eq!(source(find(&tape, "div")).unwrap(), "y = &y - error / (&y * 2.0);");
    assert_eq!(source(find(&tape, "abs")).unwrap().lines().next().unwrap(), "if error.to_f64().abs() < 0.1 {");
    let call = find(&tape, "newton");
    assert!(call.body().unwrap().starts_with("pub fn newton(x: Array) -> Array {"));
    assert_eq!(find(&tape, "div").source().unwrap().function, call.body().unwrap());
    assert!(call.source().is_none(), "the caller is not tracked");
}

#[test]
fn c1_all_functions_of_a_module_and_the_sparser_form() {
    let (steps, tape) = record(|| machine::run(true));
    assert_eq!(steps, 3);
    expect![[r#"
        @0 [host.rs:24:25] record() = 3 : u32
          @1 [functions.rs:123:12] run(⟨true⟩) = 3 : u32
            @2 [functions.rs:123:12] go = ⟨true⟩ = true : bool
            @3 [§2 functions.rs:126:15] goto §3 since state != State::Done == true
            @4 [§3 functions.rs:126:39] goto §4 since steps < 10 == true
            @5 [§4 functions.rs:127:27] State::next(⟨Idle⟩, ⟨true⟩) = Counting(1) : State
              @6 [functions.rs:127:27] self = ⟨Idle⟩ = Idle : State
              @7 [functions.rs:127:27] go = ⟨true⟩ = true : bool
              @8 [§1 functions.rs:110:32] went on since @7 == true
              @9 [§1 functions.rs:110:17] goto §2 since @6 matched State::Idle
              @10 [§2 functions.rs:109:13] return ⟨Counting(1)⟩ since @6 matched State::Idle
            @11 [§2 functions.rs:126:15] goto §3 since state != State::Done == true
            @12 [§3 functions.rs:126:39] goto §4 since steps < 10 == true
            @13 [§4 functions.rs:127:27] State::next(⟨Counting(1)⟩, ⟨true⟩) = Counting(2) : State
              @14 [functions.rs:127:27] self = ⟨Counting(1)⟩ = Counting(1) : State
              @15 [functions.rs:127:27] go = ⟨true⟩ = true : bool
              @16 [§1 functions.rs:111:33] n = State::Counting(n)(@14) = 1 : u32
              @17 [§1 functions.rs:111:39] <(@16, ⟨2⟩) = true : bool
              @18 [§1 functions.rs:111:39] went on since @17 == true
              @19 [§1 functions.rs:111:17] goto §3 since @14 matched State::Counting(n)
              @20 [§3 functions.rs:111:64] +(@16, ⟨1⟩) = 2 : u32
              @21 [§3 functions.rs:111:48] Counting(@20) = Counting(2) : State
              @22 [§3 functions.rs:109:13] return @21 since @14 matched State::Counting(n)
            @23 [§2 functions.rs:126:15] goto §3 since state != State::Done == true
            @24 [§3 functions.rs:126:39] goto §4 since steps < 10 == true
            @25 [§4 functions.rs:127:27] State::next(⟨Counting(2)⟩, ⟨true⟩) = Done : State
              @26 [functions.rs:127:27] self = ⟨Counting(2)⟩ = Counting(2) : State
              @27 [functions.rs:127:27] go = ⟨true⟩ = true : bool
              @28 [§1 functions.rs:111:33] n = State::Counting(n)(@26) = 2 : u32
              @29 [§1 functions.rs:111:39] <(@28, ⟨2⟩) = false : bool
              @30 [§1 functions.rs:111:39] went on since @29 == false
              @31 [§1 functions.rs:112:17] goto §4 since @26 matched State::Counting(_)
              @32 [§4 functions.rs:109:13] return ⟨Done⟩ since @26 matched State::Counting(_)
            @33 [§2 functions.rs:126:15] goto §5 since state != State::Done == false
            @34 [§5 functions.rs:130:9] return ⟨3⟩ since state != State::Done == false
          @35 [host.rs:24:25] return @1
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c3_a_loop_passes_its_variables_from_jump_to_block() {
    let (y, tape) = record(|| h(3.0, 2));
    assert_eq!(y, 9.0);
    expect![[r#"
        @0 [host.rs:69:21] record() = 9 : f64
          @1 [functions.rs:256:8] h(⟨3⟩, ⟨2⟩) = 9 : f64
            @2 [functions.rs:256:8] x = ⟨3⟩ = 3 : f64
            @3 [functions.rs:256:8] n = ⟨2⟩ = 2 : u32
            @4 [§1 functions.rs:257:13] r = constant = 1 : f64
            @5 [§1 functions.rs:259:5] goto §2 (@4, @3)
            @6 [§2 functions.rs:259:5] r = @5#0 = 1 : f64
            @7 [§2 functions.rs:259:5] n = @5#1 = 2 : u32
            @8 [§2 functions.rs:259:11] >(@7, ⟨0⟩) = true : bool
            @9 [§2 functions.rs:259:11] goto §3 since @8 == true
            @10 [§3 functions.rs:260:9] n = -(@7, ⟨1⟩) = 1 : u32
            @11 [§3 functions.rs:261:9] r = *(@6, @2) = 3 : f64
            @12 [§3 functions.rs:259:5] goto §2 (@11, @10)
            @13 [§2 functions.rs:259:5] r = @12#0 = 3 : f64
            @14 [§2 functions.rs:259:5] n = @12#1 = 1 : u32
            @15 [§2 functions.rs:259:11] >(@14, ⟨0⟩) = true : bool
            @16 [§2 functions.rs:259:11] goto §3 since @15 == true
            @17 [§3 functions.rs:260:9] n = -(@14, ⟨1⟩) = 0 : u32
            @18 [§3 functions.rs:261:9] r = *(@13, @2) = 9 : f64
            @19 [§3 functions.rs:259:5] goto §2 (@18, @17)
            @20 [§2 functions.rs:259:5] r = @19#0 = 9 : f64
            @21 [§2 functions.rs:259:5] n = @19#1 = 0 : u32
            @22 [§2 functions.rs:259:11] >(@21, ⟨0⟩) = false : bool
            @23 [§2 functions.rs:259:11] goto §4 since @22 == false
            @24 [§4 functions.rs:263:5] return @20 since @22 == false
          @25 [host.rs:69:21] return @1
    "#]]
    .assert_eq(&shown(&tape));
    // What the loop gave leads back through every turn to what came in.
    let last = tape.nodes().rfind(|n| n.kind() == Kind::Return && n.parent().unwrap().function() == "h").unwrap();
    let names: Vec<&str> = last.backward().filter_map(|n| n.name()).collect();
    assert!(names.contains(&"x") && names.iter().filter(|n| **n == "r").count() > 3, "{names:?}");
}

#[test]
fn c7_a_mixture_with_a_random_number_of_components() {
    RANDOM.set(1);
    let (_, tape) = record(|| mixture(0.3));
    expect![[r#"
        @0 [host.rs:109:21] record() = 0.375 : f64
          @1 [functions.rs:268:8] mixture(⟨0.3⟩) = 0.375 : f64
            @2 [functions.rs:268:8] beta = ⟨0.3⟩ = 0.3 : f64
            @3 [§1 functions.rs:269:22] components = geom(⟨1⟩, @2) = 2 : u32
              @4 [functions.rs:269:22] n = ⟨1⟩ = 1 : u32
              @5 [functions.rs:269:22] beta = @2 = 0.3 : f64
              @6 [§1 functions.rs:17:8] rand() = 0.5 : f64
                @7 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 1 : usize
                @8 [§1 functions.rs:11:28] +(@7, ⟨1⟩) = 2 : usize
                @9 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @8) = 1 : usize
                @10 [§1 functions.rs:12:21] %(@9, ⟨3⟩) = 1 : usize
                @11 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @10) = 0.5 : f64
                @12 [§1 functions.rs:12:5] return @11
              @13 [§1 functions.rs:17:8] <(@6, @5) = false : bool
              @14 [§1 functions.rs:17:8] goto §3 since @13 == false
              @15 [§3 functions.rs:17:40] +(@4, ⟨1⟩) = 2 : u32
              @16 [§3 functions.rs:17:35] geom(@15, @5) = 2 : u32
                @17 [functions.rs:17:35] n = @15 = 2 : u32
                @18 [functions.rs:17:35] beta = @5 = 0.3 : f64
                @19 [§1 functions.rs:17:8] rand() = 0.1 : f64
                  @20 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 2 : usize
                  @21 [§1 functions.rs:11:28] +(@20, ⟨1⟩) = 3 : usize
                  @22 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @21) = 2 : usize
                  @23 [§1 functions.rs:12:21] %(@22, ⟨3⟩) = 2 : usize
                  @24 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @23) = 0.1 : f64
                  @25 [§1 functions.rs:12:5] return @24
                @26 [§1 functions.rs:17:8] <(@19, @18) = true : bool
                @27 [§1 functions.rs:17:8] goto §2 since @26 == true
                @28 [§2 functions.rs:17:5] return @17 since @26 == true
              @29 [§3 functions.rs:17:5] return @16 since @13 == false
            @30 [§1 functions.rs:270:23] weights = new() = [] : Vec<f64>
            @31 [§2 functions.rs:271:14] goto §3 since next of 0..components == Some (read @3)
            @32 [§3 functions.rs:271:9] k = next(⟨0⟩, @3) = 0 : u32
            @33 [§3 functions.rs:272:17] rand() = 0.9 : f64
              @34 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 3 : usize
              @35 [§1 functions.rs:11:28] +(@34, ⟨1⟩) = 4 : usize
              @36 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @35) = 3 : usize
              @37 [§1 functions.rs:12:21] %(@36, ⟨3⟩) = 0 : usize
              @38 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @37) = 0.9 : f64
              @39 [§1 functions.rs:12:5] return @38
            @40 [§3 functions.rs:272:31] as f64(@32) = 0 : f64
            @41 [§3 functions.rs:272:22] +(@33, @40) = 0.9 : f64
            @42 [§3 functions.rs:272:17] push(@30, @41)
            @43 [§2 functions.rs:271:14] goto §3 since next of 0..components == Some (read @3)
            @44 [§3 functions.rs:271:9] k = next(⟨0⟩, @3) = 1 : u32
            @45 [§3 functions.rs:272:17] rand() = 0.5 : f64
              @46 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 4 : usize
              @47 [§1 functions.rs:11:28] +(@46, ⟨1⟩) = 5 : usize
              @48 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @47) = 4 : usize
              @49 [§1 functions.rs:12:21] %(@48, ⟨3⟩) = 1 : usize
              @50 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @49) = 0.5 : f64
              @51 [§1 functions.rs:12:5] return @50
            @52 [§3 functions.rs:272:31] as f64(@44) = 1 : f64
            @53 [§3 functions.rs:272:22] +(@45, @52) = 1.5 : f64
            @54 [§3 functions.rs:272:17] push(@42, @53)
            @55 [§2 functions.rs:271:14] goto §4 since next of 0..components == None (read @3)
            @56 [§4 functions.rs:274:30] iter(@54) = Iter([0.9, 1.5]) : Iter<'_, f64>
            @57 [§4 functions.rs:274:37] total = sum(@56) = 2.4 : f64
            @58 [§4 functions.rs:275:5] weights[0](@54, ⟨0⟩) = 0.9 : f64
            @59 [§4 functions.rs:275:5] /(@58, @57) = 0.375 : f64
            @60 [§4 functions.rs:275:5] return @59 since next of 0..components == None (read @3)
          @61 [host.rs:109:21] return @1
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c7_a_recursive_tree() {
    let leaf = |n| Box::new(Branching::Leaf(n));
    let tree = Branching::Node(leaf(1), Box::new(Branching::Node(leaf(2), leaf(3))));
    let (sum, tape) = record(|| total(&tree));
    assert_eq!(sum, 6);
    expect![[r#"
        @0 [host.rs:181:23] record() = 6 : i64
          @1 [functions.rs:285:8] total(⟨Branching⟩) = 6 : i64
            @2 [functions.rs:285:8] tree = ⟨Branching⟩ = Branching
            @3 [§1 functions.rs:288:9] goto §3 since @2 matched Branching::Node(left, right)
            @4 [§3 functions.rs:288:25] left = Branching::Node(left, right)(@2) = … : &Box<Branching>
            @5 [§3 functions.rs:288:31] right = Branching::Node(left, right)(@2) = … : &Box<Branching>
            @6 [§3 functions.rs:288:41] total(@4) = 1 : i64
              @7 [functions.rs:288:41] tree = @4 = Branching
              @8 [§1 functions.rs:287:9] goto §2 since @7 matched Branching::Leaf(n)
              @9 [§2 functions.rs:287:25] n = Branching::Leaf(n)(@7) = 1 : i64
              @10 [§2 functions.rs:286:5] return @9 since @7 matched Branching::Leaf(n)
            @11 [§3 functions.rs:288:41] total(@5) = 5 : i64
              @12 [functions.rs:288:41] tree = @5 = Branching
              @13 [§1 functions.rs:288:9] goto §3 since @12 matched Branching::Node(left, right)
              @14 [§3 functions.rs:288:25] left = Branching::Node(left, right)(@12) = … : &Box<Branching>
              @15 [§3 functions.rs:288:31] right = Branching::Node(left, right)(@12) = … : &Box<Branching>
              @16 [§3 functions.rs:288:41] total(@14) = 2 : i64
                @17 [functions.rs:288:41] tree = @14 = Branching
                @18 [§1 functions.rs:287:9] goto §2 since @17 matched Branching::Leaf(n)
                @19 [§2 functions.rs:287:25] n = Branching::Leaf(n)(@17) = 2 : i64
                @20 [§2 functions.rs:286:5] return @19 since @17 matched Branching::Leaf(n)
              @21 [§3 functions.rs:288:41] total(@15) = 3 : i64
                @22 [functions.rs:288:41] tree = @15 = Branching
                @23 [§1 functions.rs:287:9] goto §2 since @22 matched Branching::Leaf(n)
                @24 [§2 functions.rs:287:25] n = Branching::Leaf(n)(@22) = 3 : i64
                @25 [§2 functions.rs:286:5] return @24 since @22 matched Branching::Leaf(n)
              @26 [§3 functions.rs:288:41] +(@16, @21) = 5 : i64
              @27 [§3 functions.rs:286:5] return @26 since @12 matched Branching::Node(left, right)
            @28 [§3 functions.rs:288:41] +(@6, @11) = 6 : i64
            @29 [§3 functions.rs:286:5] return @28 since @2 matched Branching::Node(left, right)
          @30 [host.rs:181:23] return @1
    "#]]
    .assert_eq(&shown(&tape));
}

/// How many steps a number takes to 1.
#[track]
fn steps(mut n: u64) -> u64 {
    let mut steps = 0;
    while n != 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

#[test]
fn a_node_of_the_host_takes_84_bytes_at_most() {
    let (sum, tape) = record(|| (1..500).map(steps).sum::<u64>());
    let expected = [(2, 1), (3, 7), (27, 111)];
    for (n, steps) in expected {
        let call = tape.nodes().filter(|x| &*x.label().name == "steps" && x.kind() == Kind::Call).nth(n - 1).unwrap();
        assert_eq!(call.number(0).unwrap().bits, steps);
    }
    assert!(sum > 0 && tape.bytes() <= 84 * tape.len(), "{} for {}", tape.bytes(), tape.len());
}

/// A closure that is not tracked gives what a tracked function gave last: the run refers to that call. What it did with other numbers is
/// not known, and an update that would give another one is refused.
#[test]
fn c4_what_a_run_gives_is_what_the_tracked_call_gave_last() {
    #[track]
    fn halves(x: Array) -> u32 {
        let (mut v, mut n) = (x.to_f64(), 0);
        while v > 1.0 {
            v /= 2.0;
            n += 1;
        }
        n
    }
    let x = Array::from(5.0);
    let (n, tape) = wengert::Recorder::new().capture(wengert::Capture::Values).record(|| halves(x.clone()));
    assert_eq!(n, 3);
    let returned = tape.nodes().last().unwrap();
    let back: Vec<&str> = returned.backward().map(|n| n.function()).collect();
    assert!(back[0] == "halves" && back.contains(&"+"), "{back:?} in\n{tape}");
    let (_, other) = wengert::record(|| halves(x.clone()) + 1);
    assert_eq!(other.nodes().last().unwrap().backward().count(), 0, "{other}");
    let mut changed = tape.clone();
    let argument = changed.nodes().find(|n| n.kind() == wengert::tape::Kind::Constant).unwrap().id();
    changed.set(argument, Array::from(9.0).to_tensor()).unwrap();
    assert!(changed.update(&wengert::Device::cpu()).is_err());
    assert_eq!(changed.root().number(0), tape.root().number(0));
}

/// A jump leads back to its condition, a return to its value; what it was reached by has a way back of its own.
#[test]
fn c4_backward_of_jumps_and_of_returns() {
    RANDOM.set(0);
    let (_, tape) = record(|| geom(1, 0.3));
    let call = find(&tape, "geom");
    let drawn = |n: Node<'_>| n.backward().any(|n| n.function() == "rand");
    let jump = call.children().find(|n| n.kind() == Kind::Branch).unwrap();
    let returned = call.children().last().unwrap();
    assert!(drawn(jump) && !drawn(returned), "{tape}");
    assert_eq!(returned.since().map(|n| n.id()), Some(jump.id()));
    assert!(returned.to_string().ends_with("since @11 == false"), "{returned}");
}
