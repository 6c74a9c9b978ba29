//! Emitted Python files: their text, and what JAX gives for them beside the plain evaluator.
//!
//! `WENGERT_PYTHON` says which interpreter has JAX; without one, the tests that run files are skipped. `EMIT_EVERY=1` runs
//! all reference cases and not one of many, `REFERENCE=scatter` those whose names contain a word.

pub(crate) mod process;
#[path = "../../../tests/reference/reader.rs"]
#[allow(dead_code)]
mod reader;

use std::collections::BTreeMap;
use wengert_core::{Complex, DType, Place, Program, Tensor, Type, bf16};
use wengert_emit::{CallTree, Emitted, Options, Outcome, Run, jax};
use wengert_golden::Golden;
use wengert_testing::{Choices, expect, random_values};

fn run_of(program: &Program, inputs: Vec<Tensor>) -> Run {
    let outcome = match wengert_eval::run(program, inputs.clone()) {
        Ok(y) => Outcome::Results(y),
        Err(e) => Outcome::Error(e.to_string()),
    };
    Run { tree: CallTree::of_program(program), inputs, outcome: Some(outcome) }
}

/// The program of a text as a file, with what the evaluator gives for the inputs.
fn emitted(text: &str, inputs: Vec<Tensor>, options: &Options) -> Emitted {
    let program = Program::parse(text).expect("a program");
    jax(&run_of(&program, inputs), options).expect("a file")
}

/// The functions of a file, without what stands before and after them.
fn functions(e: &Emitted) -> String {
    let start = e.text.find("\n\n\n").expect("a function") + 3;
    let end = e.text.find("def type_name").or(e.text.find("if __name__")).expect("an end");
    e.text[start..end].trim_end().to_string() + "\n"
}

/// Runs all files; each must end well, or the one that has its name and `_or`.
fn check_all(test: &str, files: &[(String, Emitted)]) {
    if !process::has_module("jax") {
        return;
    }
    let results = process::run(test, files);
    let another = |name: &str| results.get(&format!("{name}_or")).is_some_and(|r| r.is_ok());
    let said = results.iter().filter(|(name, _)| !name.ends_with("_or") && !another(name));
    let failed: Vec<String> = said.filter_map(|(name, r)| r.as_ref().err().map(|e| format!("{name}: {e}"))).collect();
    println!("{} files run, {} fail", results.len(), failed.len());
    assert!(failed.is_empty(), "{} of {} files fail:\n{}", failed.len(), results.len(), failed.join("\n"));
}

/// A name for a folder.
fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

#[test]
fn e2_every_op_gives_in_jax_what_the_evaluator_gives() {
    let every: usize = std::env::var("EMIT_EVERY").ok().and_then(|n| n.parse().ok()).unwrap_or(40);
    let only = std::env::var("REFERENCE").unwrap_or_default();
    let (mut files, mut refused, mut i) = (Vec::new(), Vec::new(), 0);
    for family in reader::Family::all() {
        for case in family.cases.iter().filter(|c| c.text("program").is_some() && c.name.contains(&only)) {
            i += 1;
            if i % every != 0 {
                continue;
            }
            let program = Program::parse(case.text("program").expect("asked for")).expect("a program");
            // XLA flushes subnormal numbers to zero, in the middle of this one too.
            if case.name.starts_with("mul_add/") && case.name.ends_with("/special") {
                continue;
            }
            let name = format!("{}_{i}", slug(&case.name));
            let mut run = run_of(&program, family.arrays(case, "in").expect("inputs"));
            match jax(&run, &Options::default()) {
                Ok(emitted) => files.push((name.clone(), emitted)),
                Err(e) => refused.push(format!("{}: {e}", case.name)),
            }
            if case.text("or").is_some() {
                // XLA is known to give other values than the evaluator, and they may be what is found.
                run.outcome = Some(Outcome::Results(family.arrays(case, "out").expect("results")));
                files.extend(jax(&run, &Options::default()).ok().map(|emitted| (format!("{name}_or"), emitted)));
            }
        }
    }
    println!("{} cases are refused\n{}", refused.len(), refused.join("\n"));
    check_all("every_op", &files);
}

/// Every program that a golden file has or makes on its way, with its inputs or random ones.
fn golden_runs() -> BTreeMap<String, Run> {
    let numbers: Vec<u16> = (0..4000u32).map(|i| (i.wrapping_mul(40503) >> 3) as u16).collect();
    let mut runs = BTreeMap::new();
    for golden in Golden::all() {
        let inputs = golden.inputs().unwrap_or_default();
        let mut programs: Vec<Program> = Vec::new();
        let _ = golden.run(|_, stage| programs.extend(stage.programs().iter().cloned()));
        for (i, program) in programs.iter().enumerate() {
            let types = program.input_types();
            let given: Vec<Type> = inputs.iter().map(Tensor::ty).collect();
            let inputs = match given == types {
                true => inputs.clone(),
                // A loop may never end on random numbers.
                false if program.to_string().contains("while[") => continue,
                false => random_values(&types, &mut Choices::new(&numbers), true),
            };
            runs.insert(format!("{}_{i}", golden.name()), run_of(program, inputs));
        }
    }
    runs
}

#[test]
fn e2_every_golden_program_runs_in_jax() {
    let mut files = Vec::new();
    for (name, run) in golden_runs() {
        match jax(&run, &Options::default()) {
            Ok(emitted) => files.push((name, emitted)),
            Err(e) => println!("{name} is refused: {e}"),
        }
    }
    assert!(files.len() > 100, "{} files", files.len());
    check_all("golden", &files);
}

#[test]
fn e7_black_changes_nothing() {
    let texts: Vec<(String, String)> = golden_runs()
        .into_iter()
        .filter_map(|(name, run)| Some((name, jax(&run, &Options::default()).ok()?.text)))
        .collect();
    let Some(formatted) = process::black("black", &texts) else { return };
    for ((name, text), formatted) in texts.iter().zip(&formatted) {
        assert_eq!(text, formatted, "{name}");
    }
}

const LOOPS: &str = "program outer(n: i32[], x: f32[2]) {
  y: f32[2], z: f32[3,2] = scan[length=3, consts=1, carries=1, reverse=false, body=program step(n: i32[], c: f32[2]) {
    even: bool[] = compare[direction=eq](n, 0:i32[])
    d: f32[2] = cond[branches=[program halve(c: f32[2]) {
      h: f32[] = 0.5:f32[]
      hs: f32[2] = broadcast[shape=[2], dims=[]](h)
      r: f32[2] = mul(c, hs)
      return r
    }, program grow(c: f32[2]) {
      k: i32[], r: f32[2] = while[consts=0, cond=program (k: i32[], r: f32[2]) {
        more: bool[] = compare[direction=lt](k, 4:i32[])
        return more
      }, body=program (k: i32[], r: f32[2]) {
        next: i32[] = add(k, 1:i32[])
        s: f32[2] = call[program=program double(v: f32[2]) {
          w: f32[2] = add(v, v)
          return w
        }, kind=staged](r)
        return next, s
      }](0:i32[], c)
      return r
    }]](even, c)
    return d, c
  }](n, x)
  return y, z
}";

fn two() -> Vec<Tensor> {
    vec![Tensor::scalar(0i32), Tensor::from_slice([2], &[1.5f32, -2.0]).expect("two")]
}

#[test]
fn e2_control_flow_in_control_flow_is_the_same_in_python() {
    let emitted = emitted(LOOPS, two(), &Options::default());
    expect![[r#"
        def split(values, n):
            """The first n values, and the others."""
            return values[:n], values[n:]


        def halve(c):
            h = jnp.float32(0.5)
            hs = lax.broadcast_in_dim(h, (2,), ())
            r = lax.mul(c, hs)
            return r


        def while_cond(k, r):
            v2 = jnp.int32(4)
            more = lax.lt(k, v2)
            return more


        def double(v):
            w = lax.add(v, v)
            return w


        def while_body(k, r):
            v2 = jnp.int32(1)
            next_2 = lax.add(k, v2)
            s = jax.jit(double)(r)
            return next_2, s


        def grow(c):
            v1 = jnp.int32(0)
            k, r = lax.while_loop(
                lambda carry: while_cond(*carry), lambda carry: while_body(*carry), (v1, c)
            )
            return r


        def step(n, c):
            v2 = jnp.int32(0)
            even = lax.eq(n, v2)
            d = lax.cond(even, grow, halve, c)
            return d, c


        def outer(n, x):
            (y,), (z,) = lax.scan(lambda carry, _: split(step(n, *carry), 1), (x,), length=3)
            return y, z
    "#]]
    .assert_eq(&functions(&emitted));
    check_all("nested", &[("nested".into(), emitted)]);
}

#[test]
fn e2_names_inject_nothing() {
    let mut run = run_of(&Program::parse(LOOPS).expect("a program"), two());
    let hostile = ["import os; os.abort()", "lambda", "jnp", "carry", "x\nraise SystemExit(7)", "None", "print", "é"];
    for (i, f) in run.tree.functions.iter_mut().enumerate() {
        f.name = hostile[i % hostile.len()].into();
        f.place = wengert_core::Place::named("a.rs\nimport os\u{2028}x", 1, 2);
        for (j, v) in f.variables.iter_mut().enumerate() {
            v.name = Some(hostile[(i + j) % hostile.len()].into());
        }
    }
    let emitted = jax(&run, &Options::default()).expect("a file");
    for line in emitted.text.lines() {
        assert!(!line.trim_start().starts_with("raise SystemExit") && !line.contains("os.abort"), "{line}");
    }
    assert!(emitted.text.contains("# a.rs?import os?x:1:2\n") || emitted.text.contains("# a.rs import os?x:1:2\n"));
    check_all("hostile", &[("hostile".into(), emitted)]);
}

#[test]
fn e2_anonymous_files_have_no_names_and_no_places() {
    let mut run = run_of(&Program::parse(LOOPS).expect("a program"), two());
    run.tree.functions.iter_mut().for_each(|f| f.place = wengert_core::Place::named("secret.rs", 1, 2));
    let emitted = jax(&run, &Options { anonymous: true, ..Options::default() }).expect("a file");
    for name in ["secret", "outer", "halve", "grow", "double", "even", "more"] {
        assert!(!emitted.text.contains(name), "{name} in\n{}", emitted.text);
    }
    check_all("anonymous", &[("anonymous".into(), emitted)]);
}

#[test]
fn e2_large_arrays_are_read_from_the_file_beside() {
    let mut files = Vec::new();
    for d in DType::ALL {
        let ty = Type::new(d, [7, 6]);
        let t = wengert_testing::from_scalars(&ty, |i| wengert_core::Scalar::from_f64(d, i as f64 - 3.0));
        let mut b = wengert_core::Builder::new();
        let x = b.input(ty.clone());
        let c = b.constant(t.reshaped([7, 6]));
        let same = b.compare(wengert_core::ops::Direction::Eq, x, c);
        let program = b.finish(&[c, same]);
        let emitted = jax(&run_of(&program, vec![t]), &Options::default()).expect("a file");
        assert!(!emitted.data.is_empty() && emitted.text.contains("jnp.asarray(data[\""), "{}", emitted.text);
        files.push((d.name().to_string(), emitted));
    }
    check_all("data", &files);
}

#[test]
fn e2_numbers_come_back_to_the_bit() {
    let tensors = [
        Tensor::from_slice([4], &[f32::from_bits(1), -0.0, f32::MAX, 16777217.0]).expect("four"),
        Tensor::from_slice([3], &[f32::from_bits(0x7fc0_0001), f32::NAN, f32::NEG_INFINITY]).expect("three"),
        Tensor::from_slice([2], &[bf16::from_f32(1.1), bf16::from_bits(0xffc0)]).expect("two"),
        Tensor::from_slice([2], &[u64::MAX, 1]).expect("two"),
        Tensor::from_slice([2], &[i64::MIN, i64::MAX]).expect("two"),
        Tensor::from_slice([2], &[Complex::new(-0.0f64, 0.1), Complex::new(1e300, f64::INFINITY)]).expect("two"),
        Tensor::scalar(f64::from_bits(0xfff8_0000_0000_0000)),
        Tensor::splat([2, 3], wengert_core::Scalar::F32(-0.0)),
    ];
    let mut b = wengert_core::Builder::new();
    let mut outputs = Vec::new();
    for t in &tensors {
        let c = b.constant(t.clone());
        let d = match t.dtype().size() {
            2 => DType::U16,
            4 => DType::U32,
            _ => DType::U64,
        };
        match t.dtype().is_complex() {
            true => outputs.push(c),
            false => outputs.push(b.one(wengert_core::ops::Bitcast { dtype: d }, &[c])),
        }
    }
    let run = run_of(&b.finish(&outputs), vec![]);
    check_all("numbers", &[("numbers".into(), jax(&run, &Options::default()).expect("a file"))]);
}

#[test]
fn e2_a_file_tells_whether_what_was_recorded_happens() {
    let program = Program::parse("program f(x: f32[2]) { y: f32[2] = add(x, x) return y }").expect("a program");
    let x = Tensor::from_slice([2], &[1.0f32, 2.0]).expect("two");
    let on = |x: &Tensor, outcome: Option<Outcome>, within: Option<f64>| {
        let run = Run { tree: CallTree::of_program(&program), inputs: vec![x.clone()], outcome };
        jax(&run, &Options { within, ..Options::default() }).expect("a file")
    };
    let with = |outcome: Option<Outcome>| on(&x, outcome, None);
    let small = Tensor::from_slice([2], &[1.0e-20f32, 2.0e-20]).expect("two");
    let results = |v: &[f32]| Some(Outcome::Results(vec![Tensor::from_slice([v.len()], v).expect("a vector")]));
    let files = [
        ("right".to_string(), with(results(&[2.0, 4.0]))),
        ("wrong".to_string(), with(results(&[2.0, 5.0]))),
        ("other_type".to_string(), with(results(&[2.0]))),
        ("no_error".to_string(), with(Some(Outcome::Error("it\nfailed".into())))),
        ("unknown".to_string(), with(None)),
        ("small".to_string(), on(&small, results(&[2.0e-20, 4.01e-20]), None)),
        ("small_within".to_string(), on(&small, results(&[2.0e-20, 4.01e-20]), Some(1e-5))),
        ("right_within".to_string(), on(&small, results(&[2.0e-20, 4.00001e-20]), Some(1e-5))),
    ];
    if !process::has_module("jax") {
        return;
    }
    let said = process::run("outcomes", &files);
    assert_eq!(said["right"], Ok("result 0: f32[2] equal within 0.0001".into()));
    assert!(said["wrong"].as_ref().is_err_and(|e| e.starts_with("result 0: f32[2] differs by 0.2,")), "{said:?}");
    assert_eq!(said["other_type"], Err("result 0: f32[2], and f32[1] was recorded".into()));
    assert_eq!(said["no_error"], Err("no error, and one was recorded".into()));
    assert_eq!(said["unknown"], Ok("result 0: f32[2] | [2. 4.]".into()));
    // Small numbers are held to as many digits as large ones.
    assert!(said["small"].as_ref().is_err_and(|e| e.starts_with("result 0: f32[2] differs by 0.002")), "{said:?}");
    assert!(
        said["small_within"].as_ref().is_err_and(|e| e.starts_with("result 0: f32[2] differs by 0.002")),
        "{said:?}"
    );
    assert_eq!(said["right_within"], Ok("result 0: f32[2] equal within 1e-05".into()));
}

/// An error that the file raises itself is known by its message; any error of an op may be JAX's for the recorded one, but for
/// mistakes of the file.
#[test]
fn e2_another_error_is_not_the_recorded_one() {
    let program = Program::parse("program f(x: f32[2]) { y: f32[2] = add(x, x) return y }").expect("a program");
    let x = Tensor::from_slice([2], &[1.0f32, 2.0]).expect("two");
    let message = "the \"step\" must be\npositive";
    let file = |tree: CallTree, now: &str| {
        let run = Run { tree, inputs: vec![x.clone()], outcome: Some(Outcome::Error(message.into())) };
        let file = jax(&run, &Options::default()).expect("a file");
        assert!(file.text.contains("lax.add(x, x)"), "{}", file.text);
        Emitted { text: file.text.replace("lax.add(x, x)", now), ..file }
    };
    let raised = |now: &str| file(CallTree::of_failure(&program, message, Place::unknown()), now);
    let of_op = |now: &str| file(CallTree::of_program(&program), now);
    let files = [
        ("raised".to_string(), raised("lax.add(x, x)")),
        ("raised_otherwise".to_string(), raised("lax.add(x, jnp.zeros(3))")),
        ("raised_with_other_words".to_string(), raised("(_ for _ in ()).throw(RuntimeError('other'))")),
        ("of_op".to_string(), of_op("lax.add(x, jnp.zeros(3))")),
        ("no_name".to_string(), of_op("lax.add(x, z)")),
        ("no_function".to_string(), of_op("lax.ad(x, x)")),
        ("no_module".to_string(), of_op("__import__('no_such_module')")),
    ];
    if !process::has_module("jax") {
        return;
    }
    let said = process::run("errors", &files);
    for (name, is_recorded, says) in [
        ("raised", true, "the \"step\" must be | positive"),
        ("raised_otherwise", false, "TypeError: "),
        ("raised_with_other_words", false, "RuntimeError: other"),
        ("of_op", true, "add got incompatible shapes"),
        ("no_name", false, "NameError: "),
        ("no_function", false, "AttributeError: "),
        ("no_module", false, "ModuleNotFoundError: "),
    ] {
        let begin = if is_recorded { "failed, as recorded: " } else { "failed otherwise than recorded: " };
        let (is_ok, said) = match &said[name] {
            Ok(said) => (true, said),
            Err(said) => (false, said),
        };
        assert!(is_ok == is_recorded && said.starts_with(&format!("{begin}{says}")), "{name}: {said}");
    }
}

/// Whatever part of the largest floats may differ by, integers may not.
#[test]
fn e2_integers_are_compared_exactly_in_jax() {
    let program = Program::parse("program f(x: i32[3]) { y: i32[3] = add(x, x) return y }").expect("a program");
    let ints = |v: [i32; 3]| vec![Tensor::from_slice([3], &v).expect("three")];
    let file = |results: [i32; 3]| {
        let outcome = Some(Outcome::Results(ints(results)));
        let run = Run { tree: CallTree::of_program(&program), inputs: ints([1015, 20, -10]), outcome };
        jax(&run, &Options { within: Some(0.02), ..Options::default() }).expect("a file")
    };
    if !process::has_module("jax") {
        return;
    }
    let files = [("right".to_string(), file([2030, 40, -20])), ("wrong".to_string(), file([2000, 14, 6]))];
    let said = process::run("integers", &files);
    assert!(said["right"].is_ok() && said["wrong"].is_err(), "{said:?}");
}

/// The large numbers of a mask do not say how far others are rounded; those that others are left of do.
#[test]
fn e2_a_mask_hides_no_difference_in_jax() {
    let program = Program::parse("program f(x: f32[6]) { y: f32[6] = neg(x) return y }").expect("a program");
    let floats = |v: [f32; 6]| vec![Tensor::from_slice([6], &v).expect("six")];
    let file = |x: [f32; 6], results: [f32; 6], within: Option<f64>| {
        let outcome = Some(Outcome::Results(floats(results)));
        let run = Run { tree: CallTree::of_program(&program), inputs: floats(x), outcome };
        jax(&run, &Options { within, ..Options::default() }).expect("a file")
    };
    let (masked, wrong) = ([1.0, 2.0, 3.0, 1e9, 1e9, 1e9], [-1.0, -2.5, -3.0, -1e9, -1e9, -1e9]);
    let (wave, other) = ([1e-6, 512.0, 2e-6, 3e-6, -1e-6, 0.0], [1e-6, -512.0, 2e-6, 0.0, -1e-6, 4e-6]);
    let files = [
        ("right".to_string(), file(masked, masked.map(|x: f32| (-x).next_down()), None)),
        ("wrong".to_string(), file(masked, wrong, None)),
        ("wrong_within".to_string(), file(masked, wrong, Some(1e-3))),
        ("wave".to_string(), file(wave, other, None)),
    ];
    if !process::has_module("jax") {
        return;
    }
    let said = process::run("masks", &files);
    assert!(said["right"].is_ok() && said["wave"].is_ok(), "{said:?}");
    assert!(said["wrong"].is_err() && said["wrong_within"].is_err(), "{said:?}");
}

/// A NaN that was an error when it was recorded is one in JAX, and one that does not come is told of.
#[test]
fn e2_a_number_that_is_not_finite_fails_in_jax() {
    let on = |equations: &str, what: &str, x: [f32; 2]| {
        let program = Program::parse(&format!("program f(x: f32[2]) {{ {equations} }}")).expect("a program");
        let message = format!("`log` gives {what} of finite numbers: f32[2]");
        let inputs = vec![Tensor::from_slice([2], &x).expect("two")];
        let run = Run { tree: CallTree::of_program(&program), inputs, outcome: Some(Outcome::Error(message)) };
        jax(&run, &Options::default()).expect("a file")
    };
    if !process::has_module("jax") {
        return;
    }
    let log = "y: f32[2] = log(x) return y";
    let sqrt = "n: f32[2] = neg(x) y: f32[2] = sqrt(n) z: f32[2] = log(x) return z";
    // Inside of staged code, of which no result has it.
    let masked = "y: f32[2] = call[program=program g(x: f32[2]) {
        y: f32[2] = log(x) c: bool[2] = compare[direction=gt](x, 0.0:f32[2]) z: f32[2] = select(c, y, x) return z }, kind=staged](x) return y";
    let files = [
        ("nan", log, "NaN", [1.0, -1.0]),
        ("none", log, "NaN", [1.0, 2.0]),
        ("masked", masked, "NaN", [1.0, -1.0]),
        // A NaN that is given, or comes before, is no infinity.
        ("infinity", log, "an infinity", [f32::NAN, 0.0]),
        ("only_nan", sqrt, "an infinity", [f32::NAN, 1.0]),
        // One that is given may be what JAX fails at.
        ("given", log, "NaN", [f32::NAN, -1.0]),
    ];
    let files = files.map(|(name, equations, what, x)| (name.to_string(), on(equations, what, x)));
    let said = process::run("not_finite", &files);
    let failed = |name: &str, what: &str| {
        let as_recorded = |s: &String| s.starts_with("failed, as recorded: ") && s.contains(what);
        assert!(said[name].as_ref().is_ok_and(as_recorded), "{name}: {said:?}");
    };
    failed("nan", "nan");
    failed("masked", "nan");
    failed("infinity", "inf");
    let of_the_kind = |s: &String| s.starts_with("failed, at a number of the kind that was recorded: ");
    assert!(said["given"].as_ref().is_ok_and(of_the_kind), "{said:?}");
    assert_eq!(said["only_nan"], Err("no error, and one was recorded".into()));
    assert_eq!(said["none"], Err("no error, and one was recorded".into()));
}

/// Results that depend on vectors of a decomposition are marked where its matrix does not determine them, and no others.
#[test]
fn e2_results_that_are_not_determined_may_be_others() {
    let text = "program f(x: f32[2,2]) {
        w: f32[2], v: f32[2,2] = eigh[lower=true](x)
        q: f32[2,2] = call[program=program g(x: f32[2,2]) { q: f32[2,2], r: f32[2,2] = qr[full_matrices=false](x) return q }, kind=staged](x)
        s: f32[2,2] = sin(v) c: f32[2,2] = cos(x) return w, v, q, s, c }";
    let program = Program::parse(text).expect("a program");
    let x = Tensor::from_slice([2, 2], &[1.0f32, 0.0, 0.0, 1.0]).expect("a matrix");
    let right = wengert_eval::run(&program, vec![x.clone()]).expect("runs");
    let with = |results: &[Tensor], free: &[usize]| {
        let outcome = Some(Outcome::Results(results.to_vec()));
        let run = Run { tree: CallTree::of_program(&program), inputs: vec![x.clone()], outcome };
        jax(&run, &Options { free: free.to_vec(), ..Options::default() }).expect("a file")
    };
    assert!(with(&right, &[1, 2, 3]).text.contains("    check(results, expected, free=[1, 2, 3])\n"));
    assert!(with(&right, &[]).text.contains("    check(results, expected)\n"));
    let other = |which: &[usize]| {
        let one = |(i, y): (usize, &Tensor)| match which.contains(&i) {
            true => Tensor::splat(y.shape().clone(), wengert_core::Scalar::from_f64(y.dtype(), 0.5)),
            false => y.clone(),
        };
        right.iter().enumerate().map(one).collect::<Vec<Tensor>>()
    };
    let files = [
        ("free".to_string(), with(&other(&[1, 2, 3]), &[1, 2, 3])),
        ("told_otherwise".to_string(), with(&other(&[1]), &[])),
        ("determined".to_string(), with(&other(&[0]), &[1, 2, 3])),
    ];
    if !process::has_module("jax") {
        return;
    }
    let said = process::run("undetermined", &files);
    let free = said["free"].as_ref().expect("no failure");
    assert_eq!(free.matches("is another: it is not determined").count(), 3, "{free}");
    assert!(said["told_otherwise"].as_ref().is_err_and(|e| e.contains("result 1: f32[2,2] differs by")), "{said:?}");
    assert!(said["determined"].as_ref().is_err_and(|e| e.contains("result 0: f32[2] differs by")), "{said:?}");
}

#[test]
fn e2_inputs_are_made_from_a_seed_if_asked() {
    let mut files = Vec::new();
    for d in DType::ALL {
        let ty = Type::new(d, [40]);
        let mut b = wengert_core::Builder::new();
        let x = b.input(ty.clone());
        let program = b.finish(&[x]);
        let t = wengert_testing::from_scalars(&ty, |i| wengert_core::Scalar::from_f64(d, i as f64));
        let emitted = jax(&run_of(&program, vec![t]), &Options { fake_data: Some(7), ..Options::default() });
        let emitted = emitted.expect("a file");
        assert!(emitted.data.is_empty() && emitted.text.contains("jax.random.key(7)"), "{}", emitted.text);
        files.push((d.name().to_string(), emitted));
    }
    check_all("fake", &files);
}

#[test]
fn e2_an_op_that_jax_can_not_say_is_named_with_its_place() {
    let refused = |text: &str| {
        let program = Program::parse(text).unwrap_or_else(|e| panic!("{e}"));
        let inputs = program.input_types().iter().map(Tensor::zeros).collect();
        let run = Run { tree: CallTree::of_program(&program), inputs, outcome: None };
        let e = jax(&run, &Options::default()).expect_err("no such op");
        format!("{e}\n{}\n", e.place())
    };
    expect![[r#"
        `all_reduce` is over the axis `i`, and no `vmap` of that name is around it
          at m.rs:3:4
        m.rs:3:4
    "#]]
    .assert_eq(&refused(
        "program f(x: f32[2]) {\n  y: f32[2] = all_reduce[axis=\"i\", size=3, reduction=add](x) @ m.rs:3:4\n  return y\n}",
    ));
    expect![[r#"
        `rng_bit_generator` can't be written for JAX: the state of JAX's has two words
          at m.rs:3:4
        m.rs:3:4
    "#]].assert_eq(&refused(
        "program f(s: u64[3]) {\n  t: u64[3], y: u8[2] = rng_bit_generator[algorithm=philox, ty=u8[2]](s) @ m.rs:3:4\n  return t, y\n}",
    ));
}

#[test]
fn e2_a_scatter_into_several_arrays_is_the_same_in_python() {
    // Sums of rows and the largest of columns, in windows of two, some of which lie outside and are dropped.
    let text = "program (x: f32[5,2], k: i32[5,2], i: i32[4,1], u: f32[4,2], n: i32[4,2]) {
        y: f32[5,2], l: i32[5,2] = scatter[indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[],
        indices_batching_dims=[], index_map=[0], index_vector_dim=1], update=program (x: f32[], k: i32[], u: f32[], n: i32[]) {
          c: f32[] = convert[dtype=f32](k)
          p: f32[] = mul(c, u)
          a: f32[] = add(x, p)
          b: i32[] = max(k, n)
          return a, b
        }, indices_are_sorted=false, unique_indices=false](x, k, i, u, n)
        return y, l
      }";
    let f = |shape: &[usize], by: f32| {
        let n: usize = shape.iter().product();
        Tensor::from_slice(shape, &(0..n).map(|i| (i as f32 * by).sin()).collect::<Vec<f32>>()).unwrap()
    };
    let n = |shape: &[usize], x: &[i32]| Tensor::from_slice(shape, x).unwrap();
    let inputs = vec![
        f(&[5, 2], 0.7),
        n(&[5, 2], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
        n(&[4, 1], &[3, 1, 7, 3]),
        f(&[4, 2], 1.3),
        n(&[4, 2], &[20, -1, 2, 30, 99, 99, 5, 40]),
    ];
    let files = [("scatter_all".to_string(), emitted(text, inputs, &Options::default()))];
    assert!(files[0].1.text.contains("y, l = scatter_all_by("), "{}", files[0].1.text);
    check_all("e2_a_scatter_into_several_arrays_is_the_same_in_python", &files);
}
