//! `#[track]`, `tracked!` and `untracked!`: what they write on a tape (promises C1, C2, C3, C7, C9 of the tape), and that
//! a tracked function does what the function did.

#[path = "track/functions.rs"]
mod functions;
#[path = "track/same.rs"]
mod same;
#[path = "track/unusual/mod.rs"]
mod unusual;
#[path = "track/warnings.rs"]
mod warnings;

use functions::*;
use wengert::tape::Kind;
use wengert::{Array, Node, Recorder, Tape, grad, make_program, record, tracked, untracked};
use wengert_testing::expect;

/// The tape, without lines of this file, which change with what is expected here.
fn shown(tape: &Tape) -> String {
    let text = tape.to_string().replace("crates/wengert/tests/track/", "");
    let lines = text.lines().map(|l| match l.split_once("crates/wengert/tests/track.rs:") {
        None => format!("{l}\n"),
        Some((before, after)) => format!("{before}here{}\n", &after[after.find(']').unwrap_or(0)..]),
    });
    lines.collect()
}

/// The first node of this function.
fn find<'t>(tape: &'t Tape, function: &str) -> Node<'t> {
    tape.nodes().find(|n| n.function() == function).unwrap_or_else(|| panic!("no {function} in\n{tape}"))
}

#[test]
fn c7_geom_records_its_whole_nest() {
    RANDOM.set(0);
    let (n, tape) = record(|| geom(1, 0.3));
    assert_eq!(n, 3);
    expect![[r#"
        @0 [here] record() = 3
          @1 [functions.rs:16:8] geom(⟨1⟩, ⟨0.3⟩) = 3
            @2 [functions.rs:16:8] n = ⟨1⟩ = 1
            @3 [functions.rs:16:8] beta = ⟨0.3⟩ = 0.3
            @4 [§1 functions.rs:17:8] rand() = 0.9
              @5 [§1 functions.rs:12:5] return ⟨0.9⟩
            @6 [§1 functions.rs:17:8] goto §3 since rand() < beta == false
            @7 [§3 functions.rs:17:35] geom(⟨2⟩, ⟨0.3⟩) = 3
              @8 [functions.rs:17:35] n = ⟨2⟩ = 2
              @9 [functions.rs:17:35] beta = ⟨0.3⟩ = 0.3
              @10 [§1 functions.rs:17:8] rand() = 0.5
                @11 [§1 functions.rs:12:5] return ⟨0.5⟩
              @12 [§1 functions.rs:17:8] goto §3 since rand() < beta == false
              @13 [§3 functions.rs:17:35] geom(⟨3⟩, ⟨0.3⟩) = 3
                @14 [functions.rs:17:35] n = ⟨3⟩ = 3
                @15 [functions.rs:17:35] beta = ⟨0.3⟩ = 0.3
                @16 [§1 functions.rs:17:8] rand() = 0.1
                  @17 [§1 functions.rs:12:5] return ⟨0.1⟩
                @18 [§1 functions.rs:17:8] goto §2 since rand() < beta == true
                @19 [§2 functions.rs:17:5] return ⟨3⟩ since rand() < beta == true
              @20 [§3 functions.rs:17:5] return ⟨3⟩ since rand() < beta == false
            @21 [§3 functions.rs:17:5] return ⟨3⟩ since rand() < beta == false
          @22 [here] return ⟨3⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c7_geom_of_arrays() {
    RANDOM.set(1);
    let (n, tape) = record(|| geom_of_arrays(Array::from(1.0f32), Array::from(0.3f32)));
    assert_eq!(n.item::<f32>(), 2.0);
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:21:8] constant : f32[]
          @2 [functions.rs:21:8] constant : f32[]
          @3 [functions.rs:21:8] geom_of_arrays(@1, @2) : f32[]
            @4 [functions.rs:21:8] n = @1 : f32[]
            @5 [functions.rs:21:8] beta = @2 : f32[]
            @6 [§1 functions.rs:22:13] rand() = 0.5
              @7 [§1 functions.rs:12:5] return ⟨0.5⟩
            @8 [§1 functions.rs:22:9] u = constant : f32[]
            @9 [§1 functions.rs:23:8] compare[direction=lt](@8, @5) : bool[]
            @10 [§1 functions.rs:23:8] goto §3 since @9 == false
            @11 [§3 functions.rs:23:45] add(@4, ⟨1⟩) : f32[]
            @12 [§3 functions.rs:23:30] geom_of_arrays(@11, @5) : f32[]
              @13 [functions.rs:23:30] n = @11 : f32[]
              @14 [functions.rs:23:30] beta = @5 : f32[]
              @15 [§1 functions.rs:22:13] rand() = 0.1
                @16 [§1 functions.rs:12:5] return ⟨0.1⟩
              @17 [§1 functions.rs:22:9] u = constant : f32[]
              @18 [§1 functions.rs:23:8] compare[direction=lt](@17, @14) : bool[]
              @19 [§1 functions.rs:23:8] goto §2 since @18 == true
              @20 [§2 functions.rs:23:5] return @13 since @18 == true
            @21 [§3 functions.rs:23:5] return @11 since @9 == false
          @22 [here] return @3
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_an_if_under_grad() {
    let (_, tape) = record(|| grad(clipped)(Array::from(0.25f32)));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [here] constant : f32[]
          @2 [here] grad all::track::functions::clipped(@1) : f32[] · : f32[]
            @3 [here] all::track::functions::clipped(@1) : f32[]
              @4 [here] arg0 = @1 : f32[]
              @5 [functions.rs:27:8] clipped(@4) : f32[]
                @6 [functions.rs:27:8] x = @4 : f32[]
                @7 [§1 functions.rs:28:13] y = mul(@6, ⟨2⟩) : f32[]
                @8 [§1 functions.rs:29:10] to_f64(@7) = 0.5
                @9 [§1 functions.rs:29:8] goto §3 since y.to_f64() > 1.0 == false (read @8)
                @10 [§3 functions.rs:32:13] z = mul(@7, @6) : f32[]
                @11 [§3 functions.rs:33:5] return @10 since y.to_f64() > 1.0 == false (read @8)
              @12 [here] return @5
            @13 [here] value and gradient(@1, ⟨1⟩, @7, @3) : f32[] · : f32[]
              @14 x = argument : f32[]
              @15 z.ct = argument : f32[]
              @16 y = argument : f32[]
              @17 z = argument : f32[]
              @18 [functions.rs:32:13] mul(@16, @15) : f32[]
              @19 [functions.rs:32:13] mul(@15, @14) : f32[]
              @20 [functions.rs:28:13] mul(@19, ⟨2⟩) : f32[]
              @21 [functions.rs:28:13] add(@18, @20) : f32[]
              @22 return @17, @21
            @23 [here] return @13.0, @13.1
          @24 [here] return @2.1
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn names_are_in_programs_too() {
    let p = make_program(inner_names, (Array::from(1.0f32),));
    expect![[r#"
        program inner_names(x: f32[]) {
          doubled: f32[] = mul(x, 2.0:f32[]) @ crates/wengert/tests/track/functions.rs:38:19
          sine: f32[] = sin(doubled) @ crates/wengert/tests/track/functions.rs:39:24
          %5: f32[] = add(sine, 1.0:f32[]) @ crates/wengert/tests/track/functions.rs:40:5
          return %5
        }
    "#]]
    .assert_eq(&p.to_text());
}

#[test]
fn c9_a_while_with_break() {
    let (_, tape) = record(|| newton(Array::from(2.0f64)));
    expect![[r#"
        @0 [here] record() : f64[]
          @1 [functions.rs:44:8] constant : f64[]
          @2 [functions.rs:44:8] newton(@1) : f64[]
            @3 [functions.rs:44:8] x = @1 : f64[]
            @4 [§2 functions.rs:47:11] goto §3 since steps < 5 == true
            @5 [§3 functions.rs:48:21] mul(@3, @3) : f64[]
            @6 [§3 functions.rs:48:21] error = sub(@5, @3) : f64[]
            @7 [§3 functions.rs:49:18] to_f64(@6) = 2.0
            @8 [§3 functions.rs:49:12] goto §5 since error.to_f64().abs() < 0.1 == false (read @7)
            @9 [§5 functions.rs:52:26] mul(@3, ⟨2⟩) : f64[]
            @10 [§5 functions.rs:52:18] div(@6, @9) : f64[]
            @11 [§5 functions.rs:52:13] sub(@3, @10) : f64[]
            @12 [§2 functions.rs:47:11] goto §3 since steps < 5 == true
            @13 [§3 functions.rs:48:21] mul(@11, @11) : f64[]
            @14 [§3 functions.rs:48:21] error = sub(@13, @3) : f64[]
            @15 [§3 functions.rs:49:18] to_f64(@14) = 0.25
            @16 [§3 functions.rs:49:12] goto §5 since error.to_f64().abs() < 0.1 == false (read @15)
            @17 [§5 functions.rs:52:26] mul(@11, ⟨2⟩) : f64[]
            @18 [§5 functions.rs:52:18] div(@14, @17) : f64[]
            @19 [§5 functions.rs:52:13] sub(@11, @18) : f64[]
            @20 [§2 functions.rs:47:11] goto §3 since steps < 5 == true
            @21 [§3 functions.rs:48:21] mul(@19, @19) : f64[]
            @22 [§3 functions.rs:48:21] error = sub(@21, @3) : f64[]
            @23 [§3 functions.rs:49:18] to_f64(@22) = 0.006944444444444642
            @24 [§3 functions.rs:49:12] goto §4 since error.to_f64().abs() < 0.1 == true (read @23)
            @25 [§4 functions.rs:50:13] goto §6 (break)
            @26 [§6 functions.rs:55:5] return @19
          @27 [here] return @2
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn a_scan_in_a_tracked_function() {
    let (_, tape) = record(|| running_sum(Array::from([1.0f32, 2.0, 3.0])));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:59:8] constant : f32[3]
          @2 [functions.rs:59:8] running_sum(@1) : f32[]
            @3 [functions.rs:59:8] xs = @1 : f32[3]
            @4 [§1 functions.rs:60:9] zero = constant : f32[]
            @5 [§1 functions.rs:61:25] total, sums = scan(@4, @3) × 3 : f32[] · : f32[3]
              @6 body() : f32[] · : f32[]
                @7 c.0 = argument : f32[]
                @8 c.1 = argument : f32[]
                @9 [functions.rs:61:52] add(@7, @8) : f32[]
                @10 [functions.rs:61:61] add(@7, @8) : f32[]
                @11 return @9, @10
            @12 [§1 functions.rs:62:18] reduce[combiner=add, dims=[0]](@5.1) : f32[]
            @13 [§1 functions.rs:62:5] add(@5.0, @12) : f32[]
            @14 [§1 functions.rs:62:5] return @13
          @15 [here] return @2
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_a_match_says_what_matched() {
    let (_, tape) = record(|| [Some(10), Some(7), None].map(|x| describe(x).to_string()));
    expect![[r#"
        @0 [here] record() = ["large", "small", "nothing"]
          @1 [functions.rs:66:8] describe(⟨Some(10)⟩) = "large"
            @2 [functions.rs:66:8] x = ⟨Some(10)⟩ = Some(10)
            @3 [§1 functions.rs:69:20] goto §3 since n > 10 == true
            @4 [§3 functions.rs:69:30] went on since n % 4 == 0 == true
            @5 [§3 functions.rs:69:9] goto §4 since x.map(|x| x * 2) matched Some(n)
            @6 [§4 functions.rs:67:5] return ⟨"large"⟩ since x.map(|x| x * 2) matched Some(n)
          @7 [functions.rs:66:8] describe(⟨Some(7)⟩) = "small"
            @8 [functions.rs:66:8] x = ⟨Some(7)⟩ = Some(7)
            @9 [§1 functions.rs:69:20] goto §3 since n > 10 == true
            @10 [§3 functions.rs:69:30] went on since n % 4 == 0 == false
            @11 [§3 functions.rs:70:9] goto §5 since x.map(|x| x * 2) matched Some(_)
            @12 [§5 functions.rs:67:5] return ⟨"small"⟩ since x.map(|x| x * 2) matched Some(_)
          @13 [functions.rs:66:8] describe(⟨None⟩) = "nothing"
            @14 [functions.rs:66:8] x = ⟨None⟩ = None
            @15 [§1 functions.rs:68:9] goto §2 since x.map(|x| x * 2) matched None
            @16 [§2 functions.rs:67:5] return ⟨"nothing"⟩ since x.map(|x| x * 2) matched None
          @17 [here] return ⟨["large", "small", "nothing"]⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_question_marks_on_options_and_results() {
    let (_, tape) = record(|| {
        assert!(parse("1.5").is_ok() && parse("x").is_err());
        assert!(head(&[]).is_none());
        head(&[Array::from(1.0f32)])
    });
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:75:8] parse(⟨"1.5"⟩) = Ok(3.0)
            @2 [functions.rs:75:8] text = ⟨"1.5"⟩ = "1.5"
            @3 [§1 functions.rs:76:30] went on since text.parse()? == Ok
            @4 [§1 functions.rs:77:5] return ⟨Ok(3.0)⟩
          @5 [functions.rs:75:8] parse(⟨"x"⟩) = Err(ParseFloatError)
            @6 [functions.rs:75:8] text = ⟨"x"⟩ = "x"
            @7 [§1 functions.rs:76:30] left since text.parse()? == Err
            @8 [§1 functions.rs:76:30] return ⟨Err(ParseFloatError)⟩ since text.parse()? == Err
          @9 [functions.rs:81:8] head(⟨[]⟩) = None
            @10 [functions.rs:81:8] x = ⟨[]⟩ = []
            @11 [§1 functions.rs:82:19] left since x.first()? == None
            @12 [§1 functions.rs:82:19] return ⟨None⟩ since x.first()? == None
          @13 [functions.rs:81:8] constant : f32[]
          @14 [functions.rs:81:8] head(@13) : f32[]
            @15 [functions.rs:81:8] x.0 = @13 : f32[]
            @16 [§1 functions.rs:82:19] went on since x.first()? == Some
            @17 [§1 functions.rs:82:10] add(@15, ⟨1⟩) : f32[]
            @18 [§1 functions.rs:82:5] return @17
          @19 [here] return @14
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_labels_and_for() {
    let (found, tape) = record(|| search(2));
    assert_eq!(found, 3);
    expect![[r#"
        @0 [here] record() = 3
          @1 [functions.rs:86:8] search(⟨2⟩) = 3
            @2 [functions.rs:86:8] n = ⟨2⟩ = 2
            @3 [§3 functions.rs:88:18] goto §4 since next of 0.. == Some
            @4 [§4 functions.rs:89:16] goto §6 since i * i > n == false
            @5 [§3 functions.rs:88:18] goto §4 since next of 0.. == Some
            @6 [§4 functions.rs:89:16] goto §6 since i * i > n == false
            @7 [§3 functions.rs:88:18] goto §4 since next of 0.. == Some
            @8 [§4 functions.rs:89:16] goto §5 since i * i > n == true
            @9 [§5 functions.rs:90:17] goto §8 (break)
            @10 [§8 functions.rs:94:5] return ⟨3⟩
          @11 [here] return ⟨3⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_methods_and_trees_of_arrays() {
    let layer = Layer { weight: Array::from([1.0f32, 2.0]), bias: Array::from([0.5f32, 0.5]) };
    let mut model = Model { layer, calls: 0 };
    let (_, tape) = record(|| model.apply(&Array::from([3.0f32, 4.0])));
    assert_eq!(model.calls, 1);
    expect![[r#"
        @0 [here] record() : f32[2]
          @1 [functions.rs:110:12] constant : f32[2]
          @2 [functions.rs:110:12] Model::apply(⟨Model⟩, @1) : f32[2]
            @3 [functions.rs:110:12] self = ⟨Model⟩ = Model
            @4 [functions.rs:110:12] x = @1 : f32[2]
            @5 [§1 functions.rs:112:9] constant : f32[2]
            @6 [§1 functions.rs:112:9] constant : f32[2]
            @7 [§1 functions.rs:112:9] affine(@5, @6, @4) : f32[2]
              @8 [functions.rs:112:9] layer.weight = @5 : f32[2]
              @9 [functions.rs:112:9] layer.bias = @6 : f32[2]
              @10 [functions.rs:112:9] x = @4 : f32[2]
              @11 [§1 functions.rs:119:13] y = mul(@8, @10) : f32[2]
              @12 [§1 functions.rs:120:13] y = add(@11, @9) : f32[2]
              @13 [§1 functions.rs:121:5] return @12
            @14 [§1 functions.rs:112:9] return @7
          @15 [here] return @2
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_patterns_and_shadowed_names() {
    let (_, tape) = record(|| {
        let x = (Array::from(1.0f32), Array::from(2.0f32));
        (pairs(x.clone(), None), pairs(x, Some("twice")))
    });
    expect![[r#"
        @0 [here] record() : f32[] · : f32[] · : f32[] · : f32[]
          @1 [functions.rs:125:8] constant : f32[]
          @2 [functions.rs:125:8] constant : f32[]
          @3 [functions.rs:125:8] pairs(@1, @2, ⟨None⟩) : f32[] · : f32[]
            @4 [functions.rs:125:8] a = @1 : f32[]
            @5 [functions.rs:125:8] b = @2 : f32[]
            @6 [functions.rs:125:8] note = ⟨None⟩ = None
            @7 [§1 functions.rs:126:19] s = add(@4, @5) : f32[]
            @8 [§1 functions.rs:126:28] d = sub(@4, @5) : f32[]
            @9 [§1 functions.rs:127:9] goto §2 since note did not match Some(_)
            @10 [§2 functions.rs:127:31] return @7, @8 since note did not match Some(_)
          @11 [functions.rs:125:8] pairs(@1, @2, ⟨Some("twice")⟩) : f32[] · : f32[]
            @12 [functions.rs:125:8] a = @1 : f32[]
            @13 [functions.rs:125:8] b = @2 : f32[]
            @14 [functions.rs:125:8] note = ⟨Some("twice")⟩ = Some("twice")
            @15 [§1 functions.rs:126:19] s = add(@12, @13) : f32[]
            @16 [§1 functions.rs:126:28] d = sub(@12, @13) : f32[]
            @17 [§1 functions.rs:127:9] goto §3 since note matched Some(_)
            @18 [§3 functions.rs:128:13] s = mul(@15, ⟨2⟩) : f32[]
            @19 [§3 functions.rs:129:5] return @18, @16 since note matched Some(_)
          @20 [here] return @3.0, @3.1, @11.0, @11.1
    "#]]
    .assert_eq(&shown(&tape));
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
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [here] constant : f32[]
          @2 [here] scaled(@1, ⟨2⟩) : f32[]
            @3 [here] x = @1 : f32[]
            @4 [here] n = ⟨2⟩ = 2
            @5 [§1 here] hidden = unrecorded() : f32[]
            @6 [§1 here] goto §3 since n == 0 == false
            @7 [§3 here] mul(@3, ⟨3⟩) : f32[]
            @8 [§3 here] add(@7, @5) : f32[]
            @9 [§3 here] return @8 since n == 0 == false
          @10 [here] return @2
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn a_call_that_unwinds_says_so() {
    let (_, tape) = record(|| {
        let failed = std::panic::catch_unwind(|| fails(Array::from(1.0f32))).is_err();
        Array::from(if failed { 1.0f32 } else { 0.0 }) + 1.0
    });
    let call = find(&tape, "fails");
    assert!(call.unwound());
    assert_eq!(call.parent().unwrap().id().index(), 0);
    // What follows is not inside it.
    assert_eq!(find(&tape, "add").parent(), call.parent());
}

#[test]
fn c1_every_kind_of_node() {
    RANDOM.set(0);
    let path = std::env::temp_dir().join(format!("wengert-c1-{}.npy", std::process::id()));
    let (_, tape) = record(|| {
        Array::from([1.0f32]).save_npy(&path).unwrap();
        let n = Array::load_npy(&path).unwrap().sum(..);
        geom_of_arrays(n, Array::from(0.3f32))
    });
    std::fs::remove_file(&path).unwrap();
    for kind in Kind::ALL {
        assert!(tape.nodes().any(|n| n.kind() == kind), "{kind:?}");
    }
    // What came from a file is known by that, and is an input of the program.
    let loaded = find(&tape, "load_npy");
    assert_eq!((loaded.kind(), loaded.ty(0).unwrap().to_string()), (Kind::Special, "f32[1]".to_string()));
    assert!(loaded.to_string().contains("wengert-c1"), "{loaded}");
    assert!(loaded.dependents().any(|n| n.function() == "reduce"));
    assert!(tape.to_program().unwrap().inputs().contains(&(loaded.id(), 0)));
    assert!(find(&tape, "save_npy").line().contains("wengert-c1"));
}

#[test]
fn closures_inside_closures_borrow_as_they_did() {
    let mut total = 0.0;
    let (_, tape) = record(|| {
        let mut all = tracked!("all", |xs: &[Array]| {
            let mut each = tracked!("each", |x: &Array| {
                if *x > 1.0 {
                    total += x.to_f64();
                }
            });
            for x in xs {
                each(x);
            }
        });
        all(&[Array::from(1.0f32), Array::from(2.0f32)]);
        all(&[Array::from(3.0f32)]);
    });
    assert_eq!(total, 5.0);
    let each: Vec<_> = tape.nodes().filter(|n| n.function() == "each").collect();
    assert_eq!(each.len(), 3);
    assert!(each.iter().all(|n| n.parent().unwrap().function() == "all"));
    assert_eq!(each.iter().filter(|n| n.descendants().any(|n| n.function() == "to_f64")).count(), 2);
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
    let (_, tape) = Recorder::new().context(wengert::tape::DepthLimit(2)).record(|| geom(1, 0.3));
    assert_eq!(tape.nodes().filter(|n| n.function() == "geom").count(), 2);
    RANDOM.set(0);
    let (_, tape) = Recorder::new().context(wengert::tape::NodeFilter::module("elsewhere")).record(|| geom(1, 0.3));
    assert_eq!(tape.nodes().filter(|n| n.function() == "geom").count(), 1);
}

#[test]
fn c2_arguments_of_every_sort() {
    struct Unseen;
    let (_, tape) = record(|| {
        let x = Array::from(1.0f32);
        let mut y = x.clone();
        let tree = (x.clone(), 3usize);
        sorts(
            std::slice::from_ref(&x),
            &mut y,
            Some(x.clone()),
            vec![0.5; 100],
            "text",
            |n| n + 1,
            Unseen,
            'c',
            &tree,
            [1, 2],
            true,
        )
    });
    expect![[r#"
        @0 [here] record() = 102
          @1 [functions.rs:143:8] constant : f32[]
          @2 [functions.rs:143:8] sorts(@1, @1, @1, ⟨[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,…⟩, ⟨"text"⟩, ⟨{{closure}}⟩, ⟨Unseen⟩, ⟨'c'⟩, @1, ⟨[1, 2]⟩, ⟨_⟩) = 102
            @3 [functions.rs:143:8] slice.0 = @1 : f32[]
            @4 [functions.rs:143:8] changed = @1 : f32[]
            @5 [functions.rs:143:8] maybe = @1 : f32[]
            @6 [functions.rs:143:8] list = ⟨[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,…⟩ = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,…
            @7 [functions.rs:143:8] text = ⟨"text"⟩ = "text"
            @8 [functions.rs:143:8] opaque = ⟨{{closure}}⟩ = {{closure}}
            @9 [functions.rs:143:8] any = ⟨Unseen⟩ = Unseen
            @10 [functions.rs:143:8] shown = ⟨'c'⟩ = 'c'
            @11 [functions.rs:143:8] tree.0 = @1 : f32[]
            @12 [functions.rs:143:8] numbers = ⟨[1, 2]⟩ = [1, 2]
            @13 [functions.rs:143:8] _ = ⟨_⟩ = _
            @14 [§1 functions.rs:156:16] add(@3, ⟨1⟩) : f32[]
            @15 [§1 functions.rs:157:5] return ⟨102⟩
          @16 [here] return ⟨102⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_methods_of_traits() {
    let (_, tape) = record(|| Triangle.angles() + (&Triangle as &dyn Shape).angles());
    expect![[r#"
        @0 [here] record() = 6
          @1 [functions.rs:164:8] Triangle::angles(⟨Triangle⟩) = 3
            @2 [functions.rs:164:8] self = ⟨Triangle⟩ = Triangle
            @3 [§1 functions.rs:165:17] Triangle::sides(⟨Triangle⟩) = 3
              @4 [functions.rs:165:17] self = ⟨Triangle⟩ = Triangle
              @5 [§1 functions.rs:175:9] return ⟨3⟩
            @6 [§1 functions.rs:165:12] goto §3 since self.sides() < 3 == false
            @7 [§3 functions.rs:165:47] Triangle::sides(⟨Triangle⟩) = 3
              @8 [functions.rs:165:47] self = ⟨Triangle⟩ = Triangle
              @9 [§1 functions.rs:175:9] return ⟨3⟩
            @10 [§3 functions.rs:165:9] return ⟨3⟩ since self.sides() < 3 == false
          @11 [functions.rs:164:8] Triangle::angles(⟨Triangle⟩) = 3
            @12 [functions.rs:164:8] self = ⟨Triangle⟩ = Triangle
            @13 [§1 functions.rs:165:17] Triangle::sides(⟨Triangle⟩) = 3
              @14 [functions.rs:165:17] self = ⟨Triangle⟩ = Triangle
              @15 [§1 functions.rs:175:9] return ⟨3⟩
            @16 [§1 functions.rs:165:12] goto §3 since self.sides() < 3 == false
            @17 [§3 functions.rs:165:47] Triangle::sides(⟨Triangle⟩) = 3
              @18 [functions.rs:165:47] self = ⟨Triangle⟩ = Triangle
              @19 [§1 functions.rs:175:9] return ⟨3⟩
            @20 [§3 functions.rs:165:9] return ⟨3⟩ since self.sides() < 3 == false
          @21 [here] return ⟨6⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_chains_and_while_let() {
    let (_, tape) = record(|| [chained(None, true), chained(Some(3), true), chained(Some(1), false)].map(|b| b as u32));
    expect![[r#"
        @0 [here] record() = [0, 1, 0]
          @1 [functions.rs:180:8] chained(⟨None⟩, ⟨true⟩) = false
            @2 [functions.rs:180:8] x = ⟨None⟩ = None
            @3 [functions.rs:180:8] on = ⟨true⟩ = true
            @4 [§2 functions.rs:182:15] goto §4 since left did not match Some(n)
            @5 [§4 functions.rs:185:8] went on since on == true
            @6 [§4 functions.rs:186:16] goto §8 since x did not match Some(n)
            @7 [§8 functions.rs:185:5] return ⟨false⟩ since x did not match Some(n)
          @8 [functions.rs:180:8] chained(⟨Some(3)⟩, ⟨true⟩) = true
            @9 [functions.rs:180:8] x = ⟨Some(3)⟩ = Some(3)
            @10 [functions.rs:180:8] on = ⟨true⟩ = true
            @11 [§2 functions.rs:182:15] goto §3 since left matched Some(n)
            @12 [§2 functions.rs:182:15] goto §3 since left matched Some(n)
            @13 [§2 functions.rs:182:15] goto §4 since left did not match Some(n)
            @14 [§4 functions.rs:185:8] went on since on == true
            @15 [§4 functions.rs:186:16] went on since x matched Some(n)
            @16 [§4 functions.rs:187:12] goto §5 since n > 2 == true
            @17 [§5 functions.rs:189:9] goto §6 since n > 5 == false
            @18 [§6 functions.rs:185:5] return ⟨true⟩ since n > 5 == false
          @19 [functions.rs:180:8] chained(⟨Some(1)⟩, ⟨false⟩) = false
            @20 [functions.rs:180:8] x = ⟨Some(1)⟩ = Some(1)
            @21 [functions.rs:180:8] on = ⟨false⟩ = false
            @22 [§2 functions.rs:182:15] goto §3 since left matched Some(n)
            @23 [§2 functions.rs:182:15] goto §4 since left did not match Some(n)
            @24 [§4 functions.rs:185:8] goto §8 since on == false
            @25 [§8 functions.rs:185:5] return ⟨false⟩ since on == false
          @26 [here] return ⟨[0, 1, 0]⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_names_in_capitals_and_raw_names() {
    let (_, tape) = record(|| attend(Array::from(1.0f32), (&Array::from(2.0f32), 3)));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:197:8] constant : f32[]
          @2 [functions.rs:197:8] constant : f32[]
          @3 [functions.rs:197:8] attend(@1, @2, ⟨3⟩) : f32[]
            @4 [functions.rs:197:8] Q = @1 : f32[]
            @5 [functions.rs:197:8] K = @2 : f32[]
            @6 [functions.rs:197:8] type = ⟨3⟩ = 3
            @7 [§1 functions.rs:198:14] Wq = mul(@4, ⟨2⟩) : f32[]
            @8 [§1 functions.rs:199:17] box = mul(@7, @5) : f32[]
            @9 [§1 functions.rs:200:5] return @8
          @10 [here] return @3
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_results_that_are_not_looked_at() {
    let (_, tape) = record(|| layer(0.0)(layer(2.0)(Array::from(1.0f32))));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:204:8] layer(⟨0.0⟩) = impl Fn(Array) -> Array
            @2 [functions.rs:204:8] k = ⟨0.0⟩ = 0.0
            @3 [§1 functions.rs:205:8] goto §2 since k == 0.0 == true
            @4 [§2 functions.rs:206:9] return ⟨impl Fn(Array) -> Array⟩ since k == 0.0 == true
          @5 [functions.rs:204:8] layer(⟨2.0⟩) = impl Fn(Array) -> Array
            @6 [functions.rs:204:8] k = ⟨2.0⟩ = 2.0
            @7 [§1 functions.rs:205:8] goto §3 since k == 0.0 == false
            @8 [§3 functions.rs:208:5] return ⟨impl Fn(Array) -> Array⟩ since k == 0.0 == false
          @9 [functions.rs:208:25] constant : f32[]
          @10 [functions.rs:208:25] sin(@9) : f32[]
          @11 [functions.rs:208:23] mul(@10, ⟨2⟩) : f32[]
          @12 [here] return @11
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_let_else_and_arrays_in_results() {
    let (_, tape) = record(|| [2.0f32, 0.0].map(|x| checked(Array::from(x)).ok()));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:212:8] constant : f32[]
          @2 [functions.rs:212:8] checked(@1) : f32[]
            @3 [functions.rs:212:8] x = @1 : f32[]
            @4 [§1 functions.rs:213:25] y = mul(@3, ⟨2⟩) : f32[]
            @5 [§1 functions.rs:213:46] compare[direction=gt](@4, ⟨1⟩) : bool[]
            @6 [§1 functions.rs:213:46] went on since @5 == true
            @7 [§1 functions.rs:213:9] goto §3 since &Some(&x * 2.0).filter(|y| *y > 1.0) matched Some(y) (read @6)
            @8 [§3 functions.rs:214:8] add(@4, ⟨1⟩) : f32[]
            @9 [§3 functions.rs:214:5] return @8 since &Some(&x * 2.0).filter(|y| *y > 1.0) matched Some(y) (read @6)
          @10 [functions.rs:212:8] constant : f32[]
          @11 [functions.rs:212:8] checked(@10) = Err("small")
            @12 [functions.rs:212:8] x = @10 : f32[]
            @13 [§1 functions.rs:213:25] mul(@12, ⟨2⟩) : f32[]
            @14 [§1 functions.rs:213:46] compare[direction=gt](@13, ⟨1⟩) : bool[]
            @15 [§1 functions.rs:213:46] went on since @14 == false
            @16 [§1 functions.rs:213:9] goto §2 since &Some(&x * 2.0).filter(|y| *y > 1.0) did not match Some(y) (read @15)
            @17 [§2 functions.rs:213:63] return ⟨Err("small")⟩ since &Some(&x * 2.0).filter(|y| *y > 1.0) did not match Some(y) (read @15)
          @18 [here] return @2
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn our_crate_by_another_path() {
    mod elsewhere {
        pub use wengert as w;
        #[derive(w::Tree)]
        #[tree(crate = w)]
        pub struct One(pub w::Array);
    }
    #[wengert::track(crate = elsewhere::w)]
    fn double(x: Array) -> Result<Array, String> {
        let y = if x.size() == 1 { Some(&x + &x) } else { None };
        y.ok_or("no".to_string())
    }
    let half = tracked!(crate = elsewhere::w, "half", |x: elsewhere::One| x.0 / 2.0);
    let (_, tape) = record(|| double(Array::from(1.0f32)).map(|x| half(elsewhere::One(x))).ok());
    assert_eq!(find(&tape, "double").children().last().unwrap().kind(), Kind::Return);
    assert!(find(&tape, "div").parent().unwrap().function() == "half");
}

#[test]
fn what_shows_a_value_may_be_tracked() {
    struct Total(Vec<u32>);
    impl std::fmt::Debug for Total {
        #[wengert::track]
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{} in all", self.total())
        }
    }
    impl Total {
        #[wengert::track]
        fn total(&self) -> u32 {
            self.0.iter().sum()
        }
    }
    let f = |x: Array| x * Total(vec![1, 2]).total() as f32;
    let (_, tape) = record(|| f(Array::from(1.0f32)));
    assert!(tape.to_string().contains("Total::total(⟨3 in all⟩) = 3"), "{tape}");
    assert!(!tape.nodes().any(|n| n.function() == "Total::fmt"));
    make_program(f, (Array::from(1.0f32),));
}
