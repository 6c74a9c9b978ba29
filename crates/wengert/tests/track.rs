//! `#[track]`, `tracked!` and `untracked!`: what they write on a tape (promises C1, C2, C3, C7, C9 of the tape), and that
//! a tracked function does what the function did.

#[path = "track/apart.rs"]
mod apart;
#[path = "track/boundary.rs"]
mod boundary;
#[path = "track/functions.rs"]
mod functions;
#[path = "track/host.rs"]
mod host;
#[path = "track/names.rs"]
mod names;
#[path = "track/places.rs"]
mod places;
#[path = "track/same.rs"]
mod same;
#[path = "track/shown.rs"]
mod shown;
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
        @0 [here] record() = 3 : u32
          @1 [functions.rs:16:8] geom(⟨1⟩, ⟨0.3⟩) = 3 : u32
            @2 [functions.rs:16:8] n = ⟨1⟩ = 1 : u32
            @3 [functions.rs:16:8] beta = ⟨0.3⟩ = 0.3 : f64
            @4 [§1 functions.rs:17:8] rand() = 0.9 : f64
              @5 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 0 : usize
              @6 [§1 functions.rs:11:28] +(@5, ⟨1⟩) = 1 : usize
              @7 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @6) = 0 : usize
              @8 [§1 functions.rs:12:21] %(@7, ⟨3⟩) = 0 : usize
              @9 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @8) = 0.9 : f64
              @10 [§1 functions.rs:12:5] return @9
            @11 [§1 functions.rs:17:8] <(@4, @3) = false : bool
            @12 [§1 functions.rs:17:8] goto §3 since @11 == false
            @13 [§3 functions.rs:17:40] +(@2, ⟨1⟩) = 2 : u32
            @14 [§3 functions.rs:17:35] geom(@13, @3) = 3 : u32
              @15 [functions.rs:17:35] n = @13 = 2 : u32
              @16 [functions.rs:17:35] beta = @3 = 0.3 : f64
              @17 [§1 functions.rs:17:8] rand() = 0.5 : f64
                @18 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 1 : usize
                @19 [§1 functions.rs:11:28] +(@18, ⟨1⟩) = 2 : usize
                @20 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @19) = 1 : usize
                @21 [§1 functions.rs:12:21] %(@20, ⟨3⟩) = 1 : usize
                @22 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @21) = 0.5 : f64
                @23 [§1 functions.rs:12:5] return @22
              @24 [§1 functions.rs:17:8] <(@17, @16) = false : bool
              @25 [§1 functions.rs:17:8] goto §3 since @24 == false
              @26 [§3 functions.rs:17:40] +(@15, ⟨1⟩) = 3 : u32
              @27 [§3 functions.rs:17:35] geom(@26, @16) = 3 : u32
                @28 [functions.rs:17:35] n = @26 = 3 : u32
                @29 [functions.rs:17:35] beta = @16 = 0.3 : f64
                @30 [§1 functions.rs:17:8] rand() = 0.1 : f64
                  @31 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 2 : usize
                  @32 [§1 functions.rs:11:28] +(@31, ⟨1⟩) = 3 : usize
                  @33 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @32) = 2 : usize
                  @34 [§1 functions.rs:12:21] %(@33, ⟨3⟩) = 2 : usize
                  @35 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @34) = 0.1 : f64
                  @36 [§1 functions.rs:12:5] return @35
                @37 [§1 functions.rs:17:8] <(@30, @29) = true : bool
                @38 [§1 functions.rs:17:8] goto §2 since @37 == true
                @39 [§2 functions.rs:17:5] return @28 since @37 == true
              @40 [§3 functions.rs:17:5] return @27 since @24 == false
            @41 [§3 functions.rs:17:5] return @14 since @11 == false
          @42 [here] return @1
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
            @6 [§1 functions.rs:22:13] rand() = 0.5 : f64
              @7 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 1 : usize
              @8 [§1 functions.rs:11:28] +(@7, ⟨1⟩) = 2 : usize
              @9 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @8) = 1 : usize
              @10 [§1 functions.rs:12:21] %(@9, ⟨3⟩) = 1 : usize
              @11 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @10) = 0.5 : f64
              @12 [§1 functions.rs:12:5] return @11
            @13 [§1 functions.rs:22:25] as f32(@6) = 0.5 : f32
            @14 [§1 functions.rs:22:13] u = from(@13) : f32[]
            @15 [§1 functions.rs:23:8] compare[direction=lt](@14, @5) : bool[]
            @16 [§1 functions.rs:23:8] goto §3 since @15 == false
            @17 [§3 functions.rs:23:45] add(@4, ⟨1⟩) : f32[]
            @18 [§3 functions.rs:23:30] geom_of_arrays(@17, @5) : f32[]
              @19 [functions.rs:23:30] n = @17 : f32[]
              @20 [functions.rs:23:30] beta = @5 : f32[]
              @21 [§1 functions.rs:22:13] rand() = 0.1 : f64
                @22 [§1 functions.rs:11:35] get(⟨RANDOM⟩) = 2 : usize
                @23 [§1 functions.rs:11:28] +(@22, ⟨1⟩) = 3 : usize
                @24 [§1 functions.rs:11:20] i = replace(⟨RANDOM⟩, @23) = 2 : usize
                @25 [§1 functions.rs:12:21] %(@24, ⟨3⟩) = 2 : usize
                @26 [§1 functions.rs:12:5] [0.9, 0.5, 0.1][i % 3](⟨0.9⟩, ⟨0.5⟩, ⟨0.1⟩, @25) = 0.1 : f64
                @27 [§1 functions.rs:12:5] return @26
              @28 [§1 functions.rs:22:25] as f32(@21) = 0.1 : f32
              @29 [§1 functions.rs:22:13] u = from(@28) : f32[]
              @30 [§1 functions.rs:23:8] compare[direction=lt](@29, @20) : bool[]
              @31 [§1 functions.rs:23:8] goto §2 since @30 == true
              @32 [§2 functions.rs:23:5] return @19 since @30 == true
            @33 [§3 functions.rs:23:5] return @17 since @15 == false
          @34 [here] return @3
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
                @8 [§1 functions.rs:29:10] to_f64(@7) = 0.5 : f64
                @9 [§1 functions.rs:29:8] >(@8, ⟨1⟩) = false : bool
                @10 [§1 functions.rs:29:8] goto §3 since @9 == false
                @11 [§3 functions.rs:32:13] z = mul(@7, @6) : f32[]
                @12 [§3 functions.rs:33:5] return @11 since @9 == false
              @13 [here] return @5
            @14 [here] value and gradient(@1, ⟨1⟩, @7, @3) : f32[] · : f32[]
              @15 x = argument : f32[]
              @16 z.ct = argument : f32[]
              @17 y = argument : f32[]
              @18 z = argument : f32[]
              @19 [functions.rs:32:13] mul(@17, @16) : f32[]
              @20 [functions.rs:32:13] mul(@16, @15) : f32[]
              @21 [functions.rs:28:13] mul(@20, ⟨2⟩) : f32[]
              @22 [functions.rs:28:13] add(@19, @21) : f32[]
              @23 return @18, @22
            @24 [here] return @14.0, @14.1
          @25 [here] return @2.1
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
            @4 [§1 functions.rs:46:13] steps = constant = 0 : i32
            @5 [§1 functions.rs:47:5] goto §2 (@3, @4)
            @6 [§2 functions.rs:47:5] y = @5#0 : f64[]
            @7 [§2 functions.rs:47:5] steps = @5#1 = 0 : i32
            @8 [§2 functions.rs:47:11] <(@7, ⟨5⟩) = true : bool
            @9 [§2 functions.rs:47:11] goto §3 since @8 == true
            @10 [§3 functions.rs:48:21] mul(@6, @6) : f64[]
            @11 [§3 functions.rs:48:21] error = sub(@10, @3) : f64[]
            @12 [§3 functions.rs:49:18] to_f64(@11) = 2 : f64
            @13 [§3 functions.rs:49:27] abs(@12) = 2 : f64
            @14 [§3 functions.rs:49:12] <(@13, ⟨0.1⟩) = false : bool
            @15 [§3 functions.rs:49:12] goto §5 since @14 == false
            @16 [§5 functions.rs:52:27] mul(@6, ⟨2⟩) : f64[]
            @17 [§5 functions.rs:52:18] div(@11, @16) : f64[]
            @18 [§5 functions.rs:52:13] y = sub(@6, @17) : f64[]
            @19 [§5 functions.rs:53:9] steps = +(@7, ⟨1⟩) = 1 : i32
            @20 [§5 functions.rs:47:5] goto §2 (@18, @19)
            @21 [§2 functions.rs:47:5] y = @20#0 : f64[]
            @22 [§2 functions.rs:47:5] steps = @20#1 = 1 : i32
            @23 [§2 functions.rs:47:11] <(@22, ⟨5⟩) = true : bool
            @24 [§2 functions.rs:47:11] goto §3 since @23 == true
            @25 [§3 functions.rs:48:21] mul(@21, @21) : f64[]
            @26 [§3 functions.rs:48:21] error = sub(@25, @3) : f64[]
            @27 [§3 functions.rs:49:18] to_f64(@26) = 0.25 : f64
            @28 [§3 functions.rs:49:27] abs(@27) = 0.25 : f64
            @29 [§3 functions.rs:49:12] <(@28, ⟨0.1⟩) = false : bool
            @30 [§3 functions.rs:49:12] goto §5 since @29 == false
            @31 [§5 functions.rs:52:27] mul(@21, ⟨2⟩) : f64[]
            @32 [§5 functions.rs:52:18] div(@26, @31) : f64[]
            @33 [§5 functions.rs:52:13] y = sub(@21, @32) : f64[]
            @34 [§5 functions.rs:53:9] steps = +(@22, ⟨1⟩) = 2 : i32
            @35 [§5 functions.rs:47:5] goto §2 (@33, @34)
            @36 [§2 functions.rs:47:5] y = @35#0 : f64[]
            @37 [§2 functions.rs:47:5] steps = @35#1 = 2 : i32
            @38 [§2 functions.rs:47:11] <(@37, ⟨5⟩) = true : bool
            @39 [§2 functions.rs:47:11] goto §3 since @38 == true
            @40 [§3 functions.rs:48:21] mul(@36, @36) : f64[]
            @41 [§3 functions.rs:48:21] error = sub(@40, @3) : f64[]
            @42 [§3 functions.rs:49:18] to_f64(@41) = 0.006944444444444642 : f64
            @43 [§3 functions.rs:49:27] abs(@42) = 0.006944444444444642 : f64
            @44 [§3 functions.rs:49:12] <(@43, ⟨0.1⟩) = true : bool
            @45 [§3 functions.rs:49:12] goto §4 since @44 == true
            @46 [§4 functions.rs:50:13] goto §6 (break)
            @47 [§6 functions.rs:55:5] return @33
          @48 [here] return @2
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
            @4 [§1 functions.rs:60:16] zero = from(⟨0⟩) : f32[]
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
          @1 [functions.rs:66:8] describe(⟨Some(10)⟩) = "large" : &str
            @2 [functions.rs:66:8] x = ⟨Some(10)⟩ = Some(10) : Option<u32>
            @3 [§1 functions.rs:67:13] map(@2, ⟨|x| x * 2⟩) = Some(20) : Option<u32>
            @4 [§1 functions.rs:69:14] n = Some(n)(@3) = 20 : u32
            @5 [§1 functions.rs:69:20] >(@4, ⟨10⟩) = true : bool
            @6 [§1 functions.rs:69:20] goto §3 since @5 == true
            @7 [§3 functions.rs:69:30] %(@4, ⟨4⟩) = 0 : u32
            @8 [§3 functions.rs:69:30] ==(@7, ⟨0⟩) = true : bool
            @9 [§3 functions.rs:69:30] went on since @8 == true
            @10 [§3 functions.rs:69:9] goto §4 since @3 matched Some(n)
            @11 [§4 functions.rs:67:5] return ⟨"large"⟩ since @3 matched Some(n)
          @12 [functions.rs:66:8] describe(⟨Some(7)⟩) = "small" : &str
            @13 [functions.rs:66:8] x = ⟨Some(7)⟩ = Some(7) : Option<u32>
            @14 [§1 functions.rs:67:13] map(@13, ⟨|x| x * 2⟩) = Some(14) : Option<u32>
            @15 [§1 functions.rs:69:14] n = Some(n)(@14) = 14 : u32
            @16 [§1 functions.rs:69:20] >(@15, ⟨10⟩) = true : bool
            @17 [§1 functions.rs:69:20] goto §3 since @16 == true
            @18 [§3 functions.rs:69:30] %(@15, ⟨4⟩) = 2 : u32
            @19 [§3 functions.rs:69:30] ==(@18, ⟨0⟩) = false : bool
            @20 [§3 functions.rs:69:30] went on since @19 == false
            @21 [§3 functions.rs:70:9] goto §5 since @14 matched Some(_)
            @22 [§5 functions.rs:67:5] return ⟨"small"⟩ since @14 matched Some(_)
          @23 [functions.rs:66:8] describe(⟨None⟩) = "nothing" : &str
            @24 [functions.rs:66:8] x = ⟨None⟩ = None : Option<u32>
            @25 [§1 functions.rs:67:13] map(@24, ⟨|x| x * 2⟩) = None : Option<u32>
            @26 [§1 functions.rs:68:9] goto §2 since @25 matched None
            @27 [§2 functions.rs:67:5] return ⟨"nothing"⟩ since @25 matched None
          @28 [here] return ⟨["large", "small", "nothing"]⟩
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
          @1 [functions.rs:75:8] parse(⟨"1.5"⟩) = Ok(3.0) : Result<f64, ParseFloatError>
            @2 [functions.rs:75:8] text = ⟨"1.5"⟩ = "1.5" : &str
            @3 [§1 functions.rs:76:23] parse(@2) = Ok(1.5) : Result<f64, ParseFloatError>
            @4 [§1 functions.rs:76:30] went on since @3 == Ok
            @5 [§1 functions.rs:76:18] x = ?(@3) = 1.5 : f64
            @6 [§1 functions.rs:77:8] *(@5, ⟨2⟩) = 3 : f64
            @7 [§1 functions.rs:77:5] return @6
          @8 [functions.rs:75:8] parse(⟨"x"⟩) = Err(ParseFloatError { kind: Invalid })
            @9 [functions.rs:75:8] text = ⟨"x"⟩ = "x" : &str
            @10 [§1 functions.rs:76:23] parse(@9) = Err(ParseFloatError { kind: Invalid }) : Result<f64, ParseFloatError>
            @11 [§1 functions.rs:76:30] left since @10 == Err
            @12 [§1 functions.rs:76:30] return ⟨Err(ParseFloatError { kind: Invalid })⟩ since @10 == Err
          @13 [functions.rs:81:8] head(⟨[]⟩) = None
            @14 [functions.rs:81:8] x = ⟨[]⟩ = [] : &[Array]
            @15 [§1 functions.rs:82:12] first(@14) = None : Option<&Array>
            @16 [§1 functions.rs:82:19] left since @15 == None
            @17 [§1 functions.rs:82:19] return ⟨None⟩ since @15 == None
          @18 [functions.rs:81:8] constant : f32[]
          @19 [functions.rs:81:8] head(@18) : f32[]
            @20 [functions.rs:81:8] x.0 = @18 : f32[]
            @21 [§1 functions.rs:82:12] first(@20) = Some(f32[]) : Option<&Array>
            @22 [§1 functions.rs:82:19] went on since @21 == Some
            @23 [§1 functions.rs:82:10] add(@20, ⟨1⟩) : f32[]
            @24 [§1 functions.rs:82:5] return @23
          @25 [here] return @19
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_labels_and_for() {
    let (found, tape) = record(|| search(2));
    assert_eq!(found, 3);
    expect![[r#"
        @0 [here] record() = 3 : u32
          @1 [functions.rs:86:8] search(⟨2⟩) = 3 : u32
            @2 [functions.rs:86:8] n = ⟨2⟩ = 2 : u32
            @3 [§3 functions.rs:88:18] goto §4 since next of 0.. == Some
            @4 [§4 functions.rs:88:13] i = next(⟨0⟩) = 0 : u32
            @5 [§4 functions.rs:89:16] *(@4, @4) = 0 : u32
            @6 [§4 functions.rs:89:16] >(@5, @2) = false : bool
            @7 [§4 functions.rs:89:16] goto §6 since @6 == false
            @8 [§3 functions.rs:88:18] goto §4 since next of 0.. == Some
            @9 [§4 functions.rs:88:13] i = next(⟨0⟩) = 1 : u32
            @10 [§4 functions.rs:89:16] *(@9, @9) = 1 : u32
            @11 [§4 functions.rs:89:16] >(@10, @2) = false : bool
            @12 [§4 functions.rs:89:16] goto §6 since @11 == false
            @13 [§3 functions.rs:88:18] goto §4 since next of 0.. == Some
            @14 [§4 functions.rs:88:13] i = next(⟨0⟩) = 2 : u32
            @15 [§4 functions.rs:89:16] *(@14, @14) = 4 : u32
            @16 [§4 functions.rs:89:16] >(@15, @2) = true : bool
            @17 [§4 functions.rs:89:16] goto §5 since @16 == true
            @18 [§5 functions.rs:90:17] goto §8 (break)
            @19 [§8 functions.rs:94:5] +(@14, ⟨1⟩) = 3 : u32
            @20 [§8 functions.rs:94:5] return @19
          @21 [here] return @1
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
          @1 [functions.rs:147:12] constant : f32[2]
          @2 [functions.rs:147:12] Model::apply(⟨Model⟩, @1) : f32[2]
            @3 [functions.rs:147:12] self = ⟨Model⟩ = Model
            @4 [functions.rs:147:12] x = @1 : f32[2]
            @5 [§1 functions.rs:148:9] self.calls +=(@3, ⟨1⟩) = 1 : u32
            @6 [§1 functions.rs:149:9] constant : f32[2]
            @7 [§1 functions.rs:149:9] constant : f32[2]
            @8 [§1 functions.rs:149:9] affine(@6, @7, @4) : f32[2]
              @9 [functions.rs:149:9] layer.weight = @6 : f32[2]
              @10 [functions.rs:149:9] layer.bias = @7 : f32[2]
              @11 [functions.rs:149:9] x = @4 : f32[2]
              @12 [§1 functions.rs:156:13] y = mul(@9, @11) : f32[2]
              @13 [§1 functions.rs:157:13] y = add(@12, @10) : f32[2]
              @14 [§1 functions.rs:158:5] return @13
            @15 [§1 functions.rs:149:9] return @8
          @16 [here] return @2
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
          @1 [functions.rs:162:8] constant : f32[]
          @2 [functions.rs:162:8] constant : f32[]
          @3 [functions.rs:162:8] pairs(@1, @2, ⟨None⟩) : f32[] · : f32[]
            @4 [functions.rs:162:8] a = @1 : f32[]
            @5 [functions.rs:162:8] b = @2 : f32[]
            @6 [functions.rs:162:8] note = ⟨None⟩ = None : Option<&str>
            @7 [§1 functions.rs:163:19] s = add(@4, @5) : f32[]
            @8 [§1 functions.rs:163:28] d = sub(@4, @5) : f32[]
            @9 [§1 functions.rs:164:9] goto §2 since @6 did not match Some(_)
            @10 [§2 functions.rs:164:31] return @7, @8 since @6 did not match Some(_)
          @11 [functions.rs:162:8] pairs(@1, @2, ⟨Some("twice")⟩) : f32[] · : f32[]
            @12 [functions.rs:162:8] a = @1 : f32[]
            @13 [functions.rs:162:8] b = @2 : f32[]
            @14 [functions.rs:162:8] note = ⟨Some("twice")⟩ = Some("twice") : Option<&str>
            @15 [§1 functions.rs:163:19] s = add(@12, @13) : f32[]
            @16 [§1 functions.rs:163:28] d = sub(@12, @13) : f32[]
            @17 [§1 functions.rs:164:9] goto §3 since @14 matched Some(_)
            @18 [§3 functions.rs:165:13] s = mul(@15, ⟨2⟩) : f32[]
            @19 [§3 functions.rs:166:5] return @18, @16 since @14 matched Some(_)
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
            @4 [here] n = ⟨2⟩ = 2 : usize
            @5 [§1 here] hidden = unrecorded() : f32[]
            @6 [§1 here] ==(@4, ⟨0⟩) = false : bool
            @7 [§1 here] goto §3 since @6 == false
            @8 [§3 here] mul(@3, ⟨3⟩) : f32[]
            @9 [§3 here] add(@8, @5) : f32[]
            @10 [§3 here] return @9 since @6 == false
          @11 [here] return @2
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
        @0 [here] record() = 102 : usize
          @1 [functions.rs:180:8] constant : f32[]
          @2 [functions.rs:180:8] sorts(@1, @1, @1, ⟨[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,…⟩, ⟨"text"⟩, ⟨{{closure}}⟩, ⟨Unseen⟩, ⟨'c'⟩, @1, ⟨[1, 2]⟩, ⟨_⟩) = 102 : usize
            @3 [functions.rs:180:8] slice.0 = @1 : f32[]
            @4 [functions.rs:180:8] changed = @1 : f32[]
            @5 [functions.rs:180:8] maybe = @1 : f32[]
            @6 [functions.rs:180:8] list = ⟨[0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,…⟩ = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5,… : Vec<f64>
            @7 [functions.rs:180:8] text = ⟨"text"⟩ = "text" : &str
            @8 [functions.rs:180:8] opaque = ⟨{{closure}}⟩ = {{closure}}
            @9 [functions.rs:180:8] any = ⟨Unseen⟩ = Unseen
            @10 [functions.rs:180:8] shown = ⟨'c'⟩ = 'c' : char
            @11 [functions.rs:180:8] tree.0 = @1 : f32[]
            @12 [functions.rs:180:8] numbers = ⟨[1, 2]⟩ = [1, 2] : [u8; 2]
            @13 [functions.rs:180:8] _ = ⟨_⟩ = _
            @14 [§1 functions.rs:193:16] add(@4, ⟨1⟩) : f32[]
            @15 [§1 functions.rs:194:18] len(@3) = 1 : usize
            @16 [§1 functions.rs:194:12] as u32(@15) = 1 : u32
            @17 [§1 functions.rs:194:5] opaque(@8, @16) = 2 : u32
            @18 [§1 functions.rs:194:5] as usize(@17) = 2 : usize
            @19 [§1 functions.rs:194:48] len(@6) = 100 : usize
            @20 [§1 functions.rs:194:5] +(@18, @19) = 102 : usize
            @21 [§1 functions.rs:194:5] return @20
          @22 [here] return @2
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_methods_of_traits() {
    let (_, tape) = record(|| Triangle.angles() + (&Triangle as &dyn Shape).angles());
    expect![[r#"
        @0 [here] record() = 6 : u32
          @1 [functions.rs:201:8] Triangle::angles(⟨Triangle⟩) = 3 : u32
            @2 [functions.rs:201:8] self = ⟨Triangle⟩ = Triangle
            @3 [§1 functions.rs:202:17] Triangle::sides(@2) = 3 : u32
              @4 [functions.rs:202:17] self = @2 = Triangle
              @5 [§1 functions.rs:212:9] return ⟨3⟩
            @6 [§1 functions.rs:202:12] <(@3, ⟨3⟩) = false : bool
            @7 [§1 functions.rs:202:12] goto §3 since @6 == false
            @8 [§3 functions.rs:202:47] Triangle::sides(@2) = 3 : u32
              @9 [functions.rs:202:47] self = @2 = Triangle
              @10 [§1 functions.rs:212:9] return ⟨3⟩
            @11 [§3 functions.rs:202:9] return @8 since @6 == false
          @12 [functions.rs:201:8] Triangle::angles(⟨Triangle⟩) = 3 : u32
            @13 [functions.rs:201:8] self = ⟨Triangle⟩ = Triangle
            @14 [§1 functions.rs:202:17] Triangle::sides(@13) = 3 : u32
              @15 [functions.rs:202:17] self = @13 = Triangle
              @16 [§1 functions.rs:212:9] return ⟨3⟩
            @17 [§1 functions.rs:202:12] <(@14, ⟨3⟩) = false : bool
            @18 [§1 functions.rs:202:12] goto §3 since @17 == false
            @19 [§3 functions.rs:202:47] Triangle::sides(@13) = 3 : u32
              @20 [functions.rs:202:47] self = @13 = Triangle
              @21 [§1 functions.rs:212:9] return ⟨3⟩
            @22 [§3 functions.rs:202:9] return @19 since @17 == false
          @23 [here] return ⟨6⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_chains_and_while_let() {
    let (_, tape) = record(|| [chained(None, true), chained(Some(3), true), chained(Some(1), false)].map(|b| b as u32));
    expect![[r#"
        @0 [here] record() = [0, 1, 0]
          @1 [functions.rs:217:8] chained(⟨None⟩, ⟨true⟩) = false : bool
            @2 [functions.rs:217:8] x = ⟨None⟩ = None : Option<u32>
            @3 [functions.rs:217:8] on = ⟨true⟩ = true : bool
            @4 [§1 functions.rs:219:5] goto §2 (@2)
            @5 [§2 functions.rs:219:5] left = @4#0 = None : Option<u32>
            @6 [§2 functions.rs:219:15] goto §4 since @5 did not match Some(n)
            @7 [§4 functions.rs:222:8] went on since @3 == true
            @8 [§4 functions.rs:223:16] goto §8 since @2 did not match Some(n)
            @9 [§8 functions.rs:222:5] return ⟨false⟩ since @2 did not match Some(n)
          @10 [functions.rs:217:8] chained(⟨Some(3)⟩, ⟨true⟩) = true : bool
            @11 [functions.rs:217:8] x = ⟨Some(3)⟩ = Some(3) : Option<u32>
            @12 [functions.rs:217:8] on = ⟨true⟩ = true : bool
            @13 [§1 functions.rs:219:5] goto §2 (@11)
            @14 [§2 functions.rs:219:5] left = @13#0 = Some(3) : Option<u32>
            @15 [§2 functions.rs:219:15] goto §3 since @14 matched Some(n)
            @16 [§3 functions.rs:219:20] n = Some(n)(@14) = 3 : u32
            @17 [§3 functions.rs:220:18] left = checked_sub(@16, ⟨2⟩) = Some(1) : Option<u32>
            @18 [§3 functions.rs:219:5] goto §2 (@17)
            @19 [§2 functions.rs:219:5] left = @18#0 = Some(1) : Option<u32>
            @20 [§2 functions.rs:219:15] goto §3 since @19 matched Some(n)
            @21 [§3 functions.rs:219:20] n = Some(n)(@19) = 1 : u32
            @22 [§3 functions.rs:220:18] left = checked_sub(@21, ⟨2⟩) = None : Option<u32>
            @23 [§3 functions.rs:219:5] goto §2 (@22)
            @24 [§2 functions.rs:219:5] left = @23#0 = None : Option<u32>
            @25 [§2 functions.rs:219:15] goto §4 since @24 did not match Some(n)
            @26 [§4 functions.rs:222:8] went on since @12 == true
            @27 [§4 functions.rs:223:16] went on since @11 matched Some(n)
            @28 [§4 functions.rs:223:21] n = Some(n)(@11) = 3 : u32
            @29 [§4 functions.rs:224:12] >(@28, ⟨2⟩) = true : bool
            @30 [§4 functions.rs:224:12] goto §5 since @29 == true
            @31 [§5 functions.rs:226:9] >(@28, ⟨5⟩) = false : bool
            @32 [§5 functions.rs:226:9] goto §6 since @31 == false
            @33 [§6 functions.rs:226:18] ==(@28, ⟨3⟩) = true : bool
            @34 [§6 functions.rs:226:9] ||(@31, @33) = true : bool
            @35 [§6 functions.rs:222:5] return @34 since @31 == false
          @36 [functions.rs:217:8] chained(⟨Some(1)⟩, ⟨false⟩) = false : bool
            @37 [functions.rs:217:8] x = ⟨Some(1)⟩ = Some(1) : Option<u32>
            @38 [functions.rs:217:8] on = ⟨false⟩ = false : bool
            @39 [§1 functions.rs:219:5] goto §2 (@37)
            @40 [§2 functions.rs:219:5] left = @39#0 = Some(1) : Option<u32>
            @41 [§2 functions.rs:219:15] goto §3 since @40 matched Some(n)
            @42 [§3 functions.rs:219:20] n = Some(n)(@40) = 1 : u32
            @43 [§3 functions.rs:220:18] left = checked_sub(@42, ⟨2⟩) = None : Option<u32>
            @44 [§3 functions.rs:219:5] goto §2 (@43)
            @45 [§2 functions.rs:219:5] left = @44#0 = None : Option<u32>
            @46 [§2 functions.rs:219:15] goto §4 since @45 did not match Some(n)
            @47 [§4 functions.rs:222:8] goto §8 since @38 == false
            @48 [§8 functions.rs:222:5] return ⟨false⟩ since @38 == false
          @49 [here] return ⟨[0, 1, 0]⟩
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_names_in_capitals_and_raw_names() {
    let (_, tape) = record(|| attend(Array::from(1.0f32), (&Array::from(2.0f32), 3)));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:234:8] constant : f32[]
          @2 [functions.rs:234:8] constant : f32[]
          @3 [functions.rs:234:8] attend(@1, @2, ⟨3⟩) : f32[]
            @4 [functions.rs:234:8] Q = @1 : f32[]
            @5 [functions.rs:234:8] K = @2 : f32[]
            @6 [functions.rs:234:8] type = ⟨3⟩ = 3 : u32
            @7 [§1 functions.rs:235:14] Wq = mul(@4, ⟨2⟩) : f32[]
            @8 [§1 functions.rs:236:17] box = mul(@7, @5) : f32[]
            @9 [§1 functions.rs:237:5] return @8
          @10 [here] return @3
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c2_results_that_are_not_looked_at() {
    let (_, tape) = record(|| layer(0.0)(layer(2.0)(Array::from(1.0f32))));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:241:8] layer(⟨0⟩) = impl Fn(Array) -> Array
            @2 [functions.rs:241:8] k = ⟨0⟩ = 0 : f32
            @3 [§1 functions.rs:242:8] ==(@2, ⟨0⟩) = true : bool
            @4 [§1 functions.rs:242:8] goto §2 since @3 == true
            @5 [§2 functions.rs:243:16] new(⟨|x| x⟩) = … : Box<{{closure}}>
            @6 [§2 functions.rs:243:16] as Box<dyn Fn(Array) -> Array>(@5) = … : Box<dyn Fn(Array) -> Array>
            @7 [§2 functions.rs:243:9] return @2, @3, @5, @6 since @3 == true
          @8 [functions.rs:241:8] layer(⟨2⟩) = impl Fn(Array) -> Array
            @9 [functions.rs:241:8] k = ⟨2⟩ = 2 : f32
            @10 [§1 functions.rs:242:8] ==(@9, ⟨0⟩) = false : bool
            @11 [§1 functions.rs:242:8] goto §3 since @10 == false
            @12 [§3 functions.rs:245:5] new(@9) = … : Box<dyn Fn(Array) -> Array>
            @13 [§3 functions.rs:245:5] return @9, @10, @12 since @10 == false
          @14 [functions.rs:245:25] constant : f32[]
          @15 [functions.rs:245:25] sin(@14) : f32[]
          @16 [functions.rs:245:23] mul(@15, ⟨2⟩) : f32[]
          @17 [here] return @16
    "#]]
    .assert_eq(&shown(&tape));
}

#[test]
fn c9_let_else_and_arrays_in_results() {
    let (_, tape) = record(|| [2.0f32, 0.0].map(|x| checked(Array::from(x)).ok()));
    expect![[r#"
        @0 [here] record() : f32[]
          @1 [functions.rs:249:8] constant : f32[]
          @2 [functions.rs:249:8] checked(@1) : f32[]
            @3 [functions.rs:249:8] x = @1 : f32[]
            @4 [§1 functions.rs:250:25] y = mul(@3, ⟨2⟩) : f32[]
            @5 [§1 functions.rs:250:46] compare[direction=gt](@4, ⟨1⟩) : bool[]
            @6 [§1 functions.rs:250:46] went on since @5 == true
            @7 [§1 functions.rs:250:35] filter(@4, ⟨|y| *y > 1.0⟩) = Some(f32[]) : Option<Array>
            @8 [§1 functions.rs:250:9] goto §3 since @7 matched Some(y)
            @9 [§3 functions.rs:251:8] add(@4, ⟨1⟩) : f32[]
            @10 [§3 functions.rs:251:5] return @9 since @7 matched Some(y)
          @11 [functions.rs:249:8] constant : f32[]
          @12 [functions.rs:249:8] checked(@11) = Err("small") : Result<Array, String>
            @13 [functions.rs:249:8] x = @11 : f32[]
            @14 [§1 functions.rs:250:25] mul(@13, ⟨2⟩) : f32[]
            @15 [§1 functions.rs:250:46] compare[direction=gt](@14, ⟨1⟩) : bool[]
            @16 [§1 functions.rs:250:46] went on since @15 == false
            @17 [§1 functions.rs:250:35] filter(@14, ⟨|y| *y > 1.0⟩) = None : Option<Array>
            @18 [§1 functions.rs:250:9] goto §2 since @17 did not match Some(y)
            @19 [§2 functions.rs:250:82] to_string(⟨"small"⟩) = "small" : String
            @20 [§2 functions.rs:250:63] return @19 since @17 did not match Some(y)
          @21 [here] return @2
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
