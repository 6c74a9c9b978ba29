//! `wengert diff` of two tapes and of two programs, as a user runs it (D5).

use std::path::PathBuf;
use std::process::Command;
use wengert::{Array, Capture, Recorder, Tape, jit, pure_callback, scan, track, while_loop};

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("wengert-diff-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    /// How the command ended, and what it wrote to both streams.
    fn diff(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_wengert"));
        let out =
            command.current_dir(&self.0).arg("diff").args(arguments).env_remove("WENGERT_BACKEND").output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (out.status.code(), text(&out.stdout) + &text(&out.stderr))
    }

    fn save(&self, name: &str, capture: Capture, f: impl FnOnce() -> Array) -> Tape {
        let (_, tape) = Recorder::new().capture(capture).record(f);
        tape.save(self.0.join(name)).unwrap();
        tape
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn x() -> Array {
    Array::from((1..40).map(|i| i as f32 / 7.0).collect::<Vec<_>>())
}

/// A function with a scale that is not always the same.
fn model(x: Array, scale: f32) -> Array {
    let y = x.sin();
    let z = y * scale;
    let w = z.exp() + 1.0;
    w / x.sum(..)
}

/// What holds of the command's text.
#[track_caller]
fn check((code, text): (Option<i32>, String), wanted: i32, has: &[&str]) {
    assert_eq!(code, Some(wanted), "{text}");
    for line in has {
        assert!(text.contains(line), "`{line}` is missing:\n{text}");
    }
}

#[test]
fn d5_two_tapes_part_at_the_node_that_did_otherwise() {
    let f = Folder::new("values");
    f.save("a.tape", Capture::Values, || model(x(), 2.0));
    f.save("same.tape", Capture::Values, || model(x(), 2.0));
    f.save("b.tape", Capture::Values, || model(x(), 2.5));
    check(f.diff(&["a.tape", "same.tape"]), 0, &["did the same, and agree within 1e-3"]);
    let has = [
        "the first node that parts: @3 [",
        "tests/diff.rs:",
        "mul(@2, ⟨2 : f32[39]⟩)",
        "39 of 39 elements differ; most of all element",
        "absolute ",
        " ulp)",
        "what it is given agrees, but operand 1, which is ⟨2 : f32[39]⟩ in a.tape and ⟨2.5 : f32[39]⟩ in b.tape; ",
        // Each is right by what it was given.
        "what a.tape has is what it gives, and what b.tape has is",
        "then @4 exp at ",
        "result 0 of the runs: ",
        "~ operand 1 is ⟨2 : f32[39]⟩ in a.tape, ⟨2.5 : f32[39]⟩ in b.tape",
    ];
    check(f.diff(&["a.tape", "b.tape"]), 1, &has);
    check(
        f.diff(&["a.tape", "b.tape", "--json"]),
        1,
        &["{\"differs\": true, \"first\": {\"a\": {\"id\": 3,", "\"ulps\": "],
    );
    // Where the tolerance allows it, only what was built otherwise is told.
    let (code, text) = f.diff(&["a.tape", "b.tape", "--tolerance", "1e6"]);
    assert!(code == Some(1) && text.contains("values agree within 1e6") && text.contains("operand 1"), "{text}");
}

#[test]
fn d5_values_that_were_not_kept_are_run_again() {
    let f = Folder::new("again");
    f.save("a.tape", Capture::Shapes, || model(x(), 2.0));
    f.save("b.tape", Capture::Shapes, || model(x(), 2.5));
    // Without the inputs nothing can be run again.
    check(f.diff(&["a.tape", "b.tape"]), 1, &["not compared: ", "the tape did not keep it", "operand 1 is"]);
    let has = ["the first node that parts: @3 ", "most of all element", "run again for values that were not kept: "];
    check(f.diff(&["a.tape", "b.tape", "--random", "1"]), 1, &has);
    check(f.diff(&["a.tape", "a.tape", "--random", "1"]), 0, &["run again for values"]);
    // Summaries tell that values are not the same.
    f.save("c.tape", Capture::Summaries, || model(x(), 2.0));
    f.save("d.tape", Capture::Summaries, || model(x(), 2.5));
    let largest = "measured against the largest number of its array, which hides what smaller ones differ by: ";
    let has = ["the first node that parts: @3 ", "by what was kept of its values", largest];
    check(f.diff(&["c.tape", "d.tape"]), 1, &has);
    let (_, text) = f.diff(&["c.tape", "c.tape"]);
    assert!(!text.contains(largest), "{text}");
    // Few programs are run, however long the runs are.
    let long = |scale: f32| {
        move || {
            let mut y = x();
            for i in 0..200 {
                y = if i == 120 { y * scale } else { y * 1.001 + 0.5 };
            }
            y
        }
    };
    f.save("e.tape", Capture::Shapes, long(2.0));
    f.save("f.tape", Capture::Shapes, long(2.5));
    let (code, text) = f.diff(&["e.tape", "f.tape", "--ones", "--json"]);
    let runs = text.rsplit_once("\"runs\": ").unwrap().1;
    let runs: usize = runs.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    assert!(code == Some(1) && text.contains("\"function\": \"mul\"") && runs < 80, "{runs} {text}");
}

#[track]
fn newton(y: Array, precise: f32) -> Array {
    let mut r = Array::from(1.0f32);
    while (&r * &r - &y).abs().item::<f32>() > precise {
        r = (&r + &y / &r) * 0.5;
    }
    if r.item::<f32>() > 2.4495 { r * 2.0 } else { r.sin() }
}

#[test]
fn d5_what_was_built_otherwise_is_a_tree() {
    let f = Folder::new("tree");
    let y = || Array::from([1.0f32, 2.0, 3.0]).sum(..);
    f.save("a.tape", Capture::Values, || newton(y(), 1e-1));
    f.save("b.tape", Capture::Values, || newton(y(), 1e-4));
    let has = [
        "built otherwise (a.tape against b.tape):\n  @0 ",
        "newton(",
        "~ 3 turns in a.tape, 4 in b.tape of the loop at ",
        "~ only in b.tape: ",
        " (true) in a.tape, §",
        "~ only in a.tape: 1 node",
    ];
    check(f.diff(&["a.tape", "b.tape"]), 1, &has);
    // Loops of programs, with their turns counted; other types.
    let looped = |until: f32| move || while_loop(move |v: Array| v.sum(..).lt(until), |v: Array| v * 1.7, x());
    f.save("c.tape", Capture::Values, looped(1e3));
    f.save("d.tape", Capture::Values, looped(1e4));
    check(f.diff(&["c.tape", "d.tape"]), 1, &["while(", "turns in c.tape, "]);
    f.save("e.tape", Capture::Values, || x().sin() * 2.0);
    f.save("f.tape", Capture::Values, || x().to(wengert::DType::F64).sin() * 2.0);
    let has = ["~ is f32[39] in e.tape, f64[39] in f.tape", "values agree within 1e-3"];
    check(f.diff(&["e.tape", "f.tape"]), 1, &has);
}

#[test]
fn d5_turns_that_were_recorded_are_looked_into() {
    let f = Folder::new("turns");
    let run = |late: f32| {
        let body = move |c: Array, i: Array| {
            // From the third turn on they are not the same.
            let by = wengert::where_(i.gt(1.5), late, 0.5f32);
            let next = &c * by;
            (next.tanh() + 0.1, c)
        };
        let f = jit(move |x: Array| scan(body, x.sum(..), Array::from([0.0f32, 1.0, 2.0, 3.0])).1);
        Recorder::new().capture(Capture::Values).every_step().record(|| f(x())).1
    };
    run(0.6).save(f.0.join("a.tape")).unwrap();
    run(0.75).save(f.0.join("b.tape")).unwrap();
    let (code, text) = f.diff(&["a.tape", "b.tape"]);
    assert!(code == Some(1) && text.contains("the first node that parts: ") && text.contains("select("), "{text}");
    let (a, node) = (Tape::open(f.0.join("a.tape")).unwrap(), text.split("parts: @").nth(1).unwrap());
    let id: u32 = node.split(' ').next().unwrap().parse().unwrap();
    assert!(a.node(id).ancestors().any(|n| n.function() == "step 2"), "{text}");
}

const PROGRAM: &str = "program f(x: f32[4]) {
  a: f32[4] = sin(x)
  b: f32[4] = mul(a, 2.0:f32[4])
  c: f32[4] = exp(b)
  return c
}";

#[test]
fn d5_two_programs_on_the_same_inputs() {
    let f = Folder::new("programs");
    f.write("p.wg", PROGRAM);
    f.write("q.wg", &PROGRAM.replace("exp(b)", "tanh(b)"));
    f.write("r.wg", &PROGRAM.replace("mul(a, 2.0", "mul(a, 3.0"));
    f.write("s.wg", &PROGRAM.replace("f32[4]", "f32[5]"));
    check(f.diff(&["p.wg", "p.wg", "--ones"]), 0, &["did the same, and agree"]);
    check(
        f.diff(&["p.wg", "q.wg", "--ones"]),
        1,
        &["c = exp(", "c = tanh(", "~ exp in p.wg, tanh in q.wg", "result 0"],
    );
    check(f.diff(&["p.wg", "r.wg", "--ones"]), 1, &["the first node that parts: ", "b = mul(", "then "]);
    let message = "`p.wg` takes (f32[4]), and `s.wg` takes (f32[5])";
    check(f.diff(&["p.wg", "s.wg", "--ones"]), 2, &[message, "what to do"]);
}

const DIGITS: &str = "program f(x: f32[4]) {
  a: f32[4] = sin(x)
  s: f32[4] = scan[length=3, consts=0, carries=1, reverse=false, body=program (c: f32[4]) {
    u: f32[4] = add(c, 1e6:f32[4])
    v: f32[4] = sub(u, 1e6:f32[4])
    return v
  }](a)
  c: f32[4] = exp(s)
  return c
}";

#[test]
fn d5_one_program_on_two_sides() {
    let f = Folder::new("sides");
    f.write("p.wg", DIGITS);
    for pair in ["eval,cpu", "cpu,eval", "eager,cpu", "rewritten,eval"] {
        check(f.diff(&["p.wg", "--backends", pair, "--random", "1"]), 0, &["agree within 1e-3"]);
    }
    check(f.diff(&["p.wg", "--eager", "--random", "1"]), 0, &["eager and cpu agree within 1e-3"]);
    let has = [
        "equation 1: s: f32[4] = scan(a)",
        "f32 against f64: ",
        "in turn 0 of the loop:\n    equation 3: v: f32[4] = sub(u, 1000000.0:f32[4]) at p.wg:5:5\n      what it is given agrees, ",
        "in output 0 ",
    ];
    // Whichever is named first: the wider type is taken for right.
    check(f.diff(&["p.wg", "--types", "f32,f64", "--random", "1"]), 1, &has);
    check(f.diff(&["p.wg", "--types", "f64,f32", "--random", "1", "--backend", "cpu"]), 1, &has[..2]);
    check(f.diff(&["p.wg", "--types", "f32,f64", "--random", "1", "--tolerance", "0.5"]), 0, &["f64 and f32 agree"]);
    let json = "\"inside\": {\"program\": \"in turn 0 of the loop\", \"first\": {\"equations\": [{\"number\": 3, ";
    check(f.diff(&["p.wg", "--types", "f32,f64", "--random", "1", "--json"]), 1, &[json]);
    check(f.diff(&["p.wg", "--eager", "--random", "1", "--json"]), 0, &["{\"differs\": false, \"first\": null"]);
    // What is too large for the narrower type is told as it is.
    f.write("large.wg", "program (x: f32[]) {\n  y: f32[] = mul(x, 1e30:f32[])\n  z: f32[] = mul(y, y)\n  w: f32[] = sub(z, z)\n  return w\n}\n");
    let has = ["equation 2: z: f32[] = mul(y, y) at large.wg:3:3", "f32 against f64: inf against 1.0000000"];
    check(f.diff(&["large.wg", "--types", "f32,f64", "--ones"]), 1, &has);
    // A tape is a program, too.
    f.save("a.tape", Capture::Values, || model(x(), 2.0));
    check(f.diff(&["a.tape", "--backends", "eval,cpu"]), 0, &["agree within 1e-3"]);
    for (types, message) in [
        ("f32", "two of f16, bf16, f32 and f64 are needed"),
        ("f32,i32", "two of f16, bf16, f32 and f64 are needed"),
        ("f32,f32", "two of f16, bf16, f32 and f64 are needed"),
        (
            "f16,f64",
            "`p.wg` has no numbers of type f16 or f64\n  what to do: name a type that it has (f32), and another",
        ),
    ] {
        check(f.diff(&["p.wg", "--types", types, "--ones"]), 2, &[message]);
    }
    f.write("bits.wg", "program (x: f32[]) { y: i32[] = bitcast[dtype=i32](x) return y }");
    let own = "for it takes no others: y: i32[] = bitcast[dtype=i32](x) at bits.wg:1:22";
    check(
        f.diff(&["bits.wg", "--types", "f32,bf16", "--ones"]),
        3,
        &["agree within 1e-3 as far as they were looked at\n", own],
    );
    f.write("whole.wg", "program (x: i32[]) { y: i32[] = add(x, x) return y }");
    check(f.diff(&["whole.wg", "--types", "f32,bf16", "--ones"]), 2, &["it has no floats"]);
    check(f.diff(&["p.wg", "--types", "f32,f64", "--eager", "--ones"]), 2, &["cannot be used with"]);
}

/// XLA's compiler, by pip's JAX. `WENGERT_PYTHON` says which interpreter has it; without one, this is skipped.
#[test]
fn d5_pips_jax_is_a_side() {
    let python = std::env::var("WENGERT_PYTHON").unwrap_or_else(|_| "python3".into());
    if !Command::new(&python).args(["-c", "import jax"]).output().is_ok_and(|o| o.status.success()) {
        println!("skipped: `{python}` has no JAX (WENGERT_PYTHON says which interpreter has it)");
        return;
    }
    let f = Folder::new("jax");
    f.write("p.wg", DIGITS);
    for pair in ["eval,jax", "jax,cpu"] {
        let sides = pair.replace(',', " and ") + " agree within 1e-3";
        check(f.diff(&["p.wg", "--backends", pair, "--random", "1", "--python", &python]), 0, &[&sides]);
    }
    // Not as above: XLA takes a number that is added and taken away again out, and no digit is lost.
    let squares = "program (x: f32[4]) {
        a: f32[4] = add(x, 1e5:f32[4]) b: f32[4] = mul(a, a) c: f32[4] = sub(b, 1e10:f32[4]) return c }";
    f.write("q.wg", squares);
    let has = ["c: f32[4] = sub(b, ", "f32 against f64: "];
    check(f.diff(&["q.wg", "--types", "f32,f64", "--backend", "jax", "--random", "1", "--python", &python]), 1, &has);
    // XLA leaves the sum out, and with it the zero is a negative one: that is no rounding.
    f.write(
        "z.wg",
        "program (x: f32[]) { m: f32[] = mul(x, -0.0:f32[]) y: f32[] = add(m, 0.0:f32[]) z: f32[] = atan2(y, -1.0:f32[]) return z }",
    );
    let said = f.diff(&["z.wg", "--backends", "eval,jax", "--ones", "--python", &python]);
    check(said, 1, &["y: f32[] = add(m, 0.0:f32[])", "z: f32[] = atan2(y, -1.0:f32[])", "2.000e0 of its size"]);
    // XLA makes one exponential of a product of two. It also takes subnormal numbers for zero, by which the product parts alone: that is
    // no difference.
    f.write(
        "e.wg",
        "program (x: f32[4]) { t: f32[4] = mul(x, dense[1e3, 95.0, 1.0, 0.0]:f32[4]) a: f32[4] = exp(t) n: f32[4] = neg(t)
            b: f32[4] = exp(n) y: f32[4] = mul(a, b) return y }",
    );
    let has = [
        "a: f32[4] = exp(t)",
        "b: f32[4] = exp(n)",
        "y: f32[4] = mul(a, b)",
        "these 3 equations together differ, none of them alone",
        "what they are given agrees, and 2 of 4 elements differ; most of all element 0, jax against eval: 1.0 against NaN",
    ];
    check(f.diff(&["e.wg", "--backends", "eval,jax", "--ones", "--python", &python]), 1, &has);
    // Of dependent columns, LAPACK has others.
    f.write("d.wg", "program (x: f32[3,3]) { q: f32[3,3], r: f32[3,3] = qr[full_matrices=false](x) return q }");
    let has = [
        "eval and jax agree within 1e-3",
        "the matrix does not determine this decomposition, and both are as right: equation 0: q: f32[3,3], r: f32[3,3] = qr",
    ];
    let args = ["d.wg", "--backends", "eval,jax", "--ones", "--python", &python];
    check(f.diff(&args), 0, &has);
    // The same numbers are something else, and so is what comes after it.
    check(f.diff(&[&args[..], &["--tolerance", "0"]].concat()), 1, &["that may be a part of the reason"]);
    // A triangular solve is what JAX makes of it, also where the matrix is singular.
    let solve = |left, lower, unit, transpose| {
        format!("triangular_solve[left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}]")
    };
    let (singular, given) =
        ("dense[1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 3.0, 4.0, 5.0]:f32[3,3]", "dense[1.0, 3.0, 1.0]:f32[3,1]");
    let mut text = format!("x: f32[3,1] = {}({singular}, {given})", solve(true, true, false, "no"));
    let mut names = vec!["x".to_string()];
    let both = [false, true];
    for (left, lower, unit) in both.iter().flat_map(|l| both.map(|w| both.map(|u| (*l, w, u)))).flatten() {
        for transpose in ["no", "transpose", "adjoint"] {
            names.push(format!("y{}", names.len()));
            text += &format!(" {}: c64[2,3,3] = {}(m, b)", names[names.len() - 1], solve(left, lower, unit, transpose));
        }
    }
    let program = format!("program (m: c64[2,3,3], b: c64[2,3,3]) {{ {text} return {} }}", names.join(", "));
    f.write("s.wg", &program);
    let args = ["s.wg", "--backends", "eval,jax", "--random", "1", "--python", &python];
    check(f.diff(&args), 0, &["eval and jax agree within 1e-3\nfound with 1 program"]);
}

#[test]
fn d5_bad_input_is_told() {
    let f = Folder::new("bad");
    f.write("p.wg", PROGRAM);
    f.save("a.tape", Capture::Values, || model(x(), 2.0));
    check(f.diff(&["a.tape", "p.wg"]), 2, &["`a.tape` is a tape, and `p.wg` is a program", "what to do"]);
    check(f.diff(&["p.wg", "a.tape"]), 2, &["`a.tape` is a tape, and `p.wg` is a program"]);
    check(f.diff(&["p.wg", "--backends", "eval,quantum", "--ones"]), 2, &["backends are cpu, eval"]);
    check(f.diff(&["p.wg", "--backends", "eval", "--ones"]), 2, &["two backends are needed"]);
    check(f.diff(&["p.wg", "--backends", "eval,cpu"]), 2, &["no value for input 0 `x`"]);
    check(f.diff(&["p.wg", "missing.wg", "--ones"]), 2, &["missing.wg"]);
    let (code, text) = f.diff(&["p.wg", "--ones"]);
    assert!(code == Some(2) && text.contains("--backends") && !text.contains("taken for an input"), "{text}");
    check(f.diff(&["--eager", "--input", "x.npy", "p.wg"]), 2, &["`p.wg` was taken for an input"]);
    for tolerance in ["--tolerance=-1", "--tolerance=inf", "--tolerance=nan"] {
        check(f.diff(&["p.wg", "p.wg", "--ones", tolerance]), 2, &["a finite number from 0 on is needed"]);
    }
    let has = [" is a folder, and a program or a tape is a file", "name a file in it, such as", "p.wg"];
    check(f.diff(&[f.0.to_str().unwrap(), "--eager", "--ones"]), 2, &has);
    // Runs that do not take the same.
    f.save("short.tape", Capture::Shapes, || Array::from([1.0f32]).sin());
    f.save("long.tape", Capture::Shapes, || x().sin());
    check(
        f.diff(&["short.tape", "long.tape", "--ones"]),
        2,
        &["the run takes 1 input: f32[39]; and it is given f32[1]"],
    );
    // A tape that is cut, and one whose values are not what was written.
    let whole = std::fs::read(f.0.join("a.tape")).unwrap();
    std::fs::write(f.0.join("cut.tape"), &whole[..whole.len() / 2]).unwrap();
    check(f.diff(&["a.tape", "cut.tape"]), 2, &["cut.tape"]);
    let mut changed = whole.clone();
    let at = changed.len() - 40;
    changed[at] ^= 0x55;
    std::fs::write(f.0.join("changed.tape"), &changed).unwrap();
    check(f.diff(&["a.tape", "changed.tape"]), 2, &["error:"]);
}

#[test]
fn d5_nothing_is_said_to_agree_that_was_not_compared() {
    let f = Folder::new("undecided");
    let other = || Array::from((1..40).map(|i| i as f32).collect::<Vec<_>>());
    f.save("a.tape", Capture::Shapes, || model(x(), 2.0));
    f.save("b.tape", Capture::Shapes, || model(other(), 2.0));
    let has = ["whether they gave the same is not known (0 values compared)", "not compared: 1 value", "`--random 0`"];
    check(f.diff(&["a.tape", "b.tape"]), 3, &has);
    check(f.diff(&["a.tape", "b.tape", "--json"]), 3, &["\"undecided\": true, \"compared\": 0"]);
    check(
        f.diff(&["a.tape", "b.tape", "--random", "1"]),
        0,
        &["did the same, and agree within 1e-3 (1 value compared)"],
    );
    // A run that gives nothing back is known by what nothing in it uses.
    let quiet = |name: &str, capture: Capture, scale: f32| {
        let x = x();
        let (_, tape) = Recorder::new().capture(capture).record(|| drop(model(x, scale)));
        tape.save(f.0.join(name)).unwrap();
    };
    quiet("d.tape", Capture::Shapes, 2.0);
    let has = ["is not known (0 values compared)", "let the runs give back what is to be compared"];
    check(f.diff(&["d.tape", "d.tape"]), 3, &has);
    quiet("e.tape", Capture::Values, 2.0);
    check(f.diff(&["e.tape", "e.tape"]), 0, &["agree within 1e-3"]);
    // Nothing that both have.
    f.save("f.tape", Capture::Values, || x().sin());
    f.save("g.tape", Capture::Values, || Array::from([1i32, 2]).sum(..));
    let (code, text) = f.diff(&["f.tape", "g.tape"]);
    assert!(code == Some(1) && text.starts_with("built otherwise") && !text.contains("agree"), "{text}");
}

#[test]
fn d5_what_the_runs_were_given_is_shown_on_both_sides() {
    let f = Folder::new("given");
    let given = |by: f32| Array::from((1..40).map(|i| i as f32 * by).collect::<Vec<_>>());
    f.save("a.tape", Capture::Values, || model(given(1.0), 2.0));
    f.save("b.tape", Capture::Values, || model(given(3.0), 2.0));
    let has = [
        "the runs were given other values: @1 [",
        "] constant = [1, 2, 3, ",
        " in a.tape\n",
        "] constant = [3, 6, 9, ",
    ];
    check(f.diff(&["a.tape", "b.tape"]), 1, &has);
    // An array of one number stands where it is used.
    let filled = |x: f32| model(Array::full([39], x, wengert::DType::F32), 2.0);
    f.save("c.tape", Capture::Values, || filled(1.5));
    f.save("d.tape", Capture::Values, || filled(2.5));
    let has =
        "  it is given something else: operand 0 is ⟨1.5 : f32[39]⟩ in c.tape and ⟨2.5 : f32[39]⟩ in d.tape; 39 of 39";
    check(f.diff(&["c.tape", "d.tape"]), 1, &["the first node that parts: @1 [", " sin(⟨1.5 : f32[39]⟩) = ", has]);
}

#[test]
fn d5_two_programs_part_at_the_equation_that_is_another() {
    let f = Folder::new("equation");
    let program = |name: &str, op: &str| {
        let text =
            format!("program {name}(x: f32[3]) {{\n  y: f32[3] = sin(x)\n  z: f32[3] = {op}(y)\n  return z\n}}\n");
        f.write(&format!("{name}.wg"), &text);
    };
    program("a", "exp");
    program("b", "cosh");
    let (code, text) = f.diff(&["a.wg", "b.wg", "--random", "1"]);
    // At the line of the user's, by whatever name the program goes, and nothing of ours.
    let has = [
        "the first node that parts: @5 [a.wg:3:3] z = exp(@4)",
        "  in b.wg: @5 [b.wg:3:3] z = cosh(@4)",
        "built otherwise (a.wg against b.wg):\n  @5 [a.wg:3:3] z = exp(@4)",
        "    ~ exp in a.wg, cosh in b.wg\n",
    ];
    assert!(!text.contains("crates/") && !text.contains("record("), "{text}");
    check((code, text), 1, &has);
    // The same of StableHLO, as JAX prints it: without locations.
    let module = |name: &str, op: &str| {
        let f32s = "tensor<3xf32>";
        let text = format!(
            "module {{\n  func.func public @main(%arg0: {f32s}) -> {f32s} {{\n    %0 = stablehlo.sine %arg0 : {f32s}\n    \
             %1 = stablehlo.{op} %0 : {f32s}\n    return %1 : {f32s}\n  }}\n}}\n"
        );
        f.write(name, &text);
    };
    module("a.mlir", "exponential");
    module("b.mlir", "cosine");
    let has = ["the first node that parts: @5 [a.mlir:4:10] exp(@4)", "  in b.mlir: @5 [b.mlir:4:10] cos(@4)"];
    check(f.diff(&["a.mlir", "b.mlir", "--random", "1"]), 1, &has);
    // An equation more.
    f.write("c.wg", "program c(x: f32[3]) {\n  z: f32[3] = exp(x)\n  return z\n}\n");
    let has = [
        "the first node that parts: @5 [a.wg:3:3] z = exp(@4)",
        "it is given something else: operand 0 is @4 in a.wg and @3 in c.wg; ",
        "  @4 [a.wg:2:3] y = sin(@3)",
        "~ only in a.wg: 1 node",
    ];
    check(f.diff(&["a.wg", "c.wg", "--random", "1"]), 1, &has);
    // Operands in the other order: the node is not said to be given what agrees.
    for (name, operands) in [("d", "y, x"), ("e", "x, y")] {
        f.write(
            &format!("{name}.wg"),
            &format!("program (x: f32[3]) {{\n  y: f32[3] = sin(x)\n  z: f32[3] = sub({operands})\n  return z\n}}\n"),
        );
    }
    let has = [
        "it is given something else: operand 0 is @4 in d.wg and @3 in e.wg, and operand 1 is @3 in d.wg and @4 in e.wg; ",
        "~ operand 0 is @4 in d.wg, @3 in e.wg",
        "~ operand 1 is @3 in d.wg, @4 in e.wg",
    ];
    check(f.diff(&["d.wg", "e.wg", "--random", "1"]), 1, &has);
    // The op in the place of another is that of the next equation too.
    for (name, op) in [("g", "sin"), ("h", "cos")] {
        f.write(
            &format!("{name}.wg"),
            &format!("program (x: f32[3]) {{\n  y: f32[3] = {op}(x)\n  z: f32[3] = cos(x)\n  return y, z\n}}\n"),
        );
    }
    let has = ["the first node that parts: @4 [g.wg:2:3] y = sin(@3)", "  in h.wg: @4 [h.wg:2:3] y = cos(@3)"];
    check(f.diff(&["g.wg", "h.wg", "--random", "1"]), 1, &has);
    // What is less than the tolerance, and becomes more.
    for (name, op) in [("i", "add"), ("j", "sub")] {
        f.write(
            &format!("{name}.wg"),
            &format!("program (x: f32[3]) {{\n  y: f32[3] = {op}(1.0:f32[3], 2e-4:f32[3])\n  z: f32[3] = log(y)\n  return z\n}}\n"),
        );
    }
    let has = [
        "the first node that parts: @4 [i.wg:2:3] y = add(",
        "  that is within 1e-3, and more than it rounds: more comes of it later\n  then @5 z at i.wg:3:3",
    ];
    check(f.diff(&["i.wg", "j.wg", "--ones"]), 1, &has);
    let types = ["a.wg", "--types", "f32,bf16", "--random", "1", "--tolerance", "1e-9"];
    check(f.diff(&types), 1, &["equation 0: y: f32[3] = sin(x) at a.wg:2:3"]);
    check(f.diff(&["-", "-", "--ones"]), 2, &["can't be both sides"]);
}

/// A run with code of the user's, which is no program here, is compared by its values.
#[test]
fn d5_runs_with_code_of_the_users_are_compared() {
    let f = Folder::new("code");
    let run = |scale: f32, by_code: f32| {
        let y = x() * scale;
        let code =
            move |x: &[Array]| vec![Array::from(x[0].to_vec::<f32>().iter().map(|x| x * by_code).collect::<Vec<_>>())];
        pure_callback(code, &[y.ty()], &[&y]).remove(0) + 1.0
    };
    for (name, scale, by_code) in
        [("a.tape", 2.0, 1.0), ("b.tape", 2.0, 1.0), ("x.tape", 3.0, 1.0), ("c.tape", 2.0, 3.0)]
    {
        f.save(name, Capture::Values, || run(scale, by_code));
    }
    check(f.diff(&["a.tape", "b.tape"]), 0, &["did the same, and agree within 1e-3"]);
    check(f.diff(&["a.tape", "x.tape"]), 1, &["the first node that parts: @2 ", "then @3 wengert.callback at"]);
    let code = ["the first node that parts: @8 kernel(⟨wengert.callback⟩)", "what it is given agrees"];
    check(f.diff(&["a.tape", "c.tape"]), 1, &code);
    check(f.diff(&["a.tape", "b.tape", "--ones"]), 2, &["ran `wengert.callback`, and a tape knows only its name"]);
}

/// What is built otherwise in each turn of a loop is told once.
#[test]
fn d5_what_every_turn_has_otherwise_is_told_once() {
    let f = Folder::new("turns");
    let program = |name: &str, op: &str| {
        let text = format!(
            "program (x: f32[]) {{\n  y: f32[] = scan[length=9, consts=0, carries=1, reverse=false, body=program (c: f32[]) {{\n    \
             s: f32[] = {op}(c)\n    return s\n  }}](x)\n  return y\n}}\n"
        );
        f.write(name, &text);
    };
    program("a.wg", "sin");
    program("b.wg", "tanh");
    let (code, text) = f.diff(&["a.wg", "b.wg", "--random", "1"]);
    assert!(
        text.contains("the same 8 more times, next in @") && text.matches("sin in a.wg, tanh in b.wg").count() == 1,
        "{text}"
    );
    assert_eq!(code, Some(1));
}
