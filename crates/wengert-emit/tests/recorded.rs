//! Call trees of recorded runs (E1, E3), and their text (E2).

use wengert::custom::{Builder, CustomOp, Var, apply};
use wengert::{
    Array, Capture, Pullback, Recorder, Tape, Tensor, Type, cond, custom_jvp, custom_vjp, debug_print, grad, hessian,
    jacrev, jit, linearize, psum, pure_callback, scan, track, value_and_grad, vjp, vmap, while_loop,
};
use wengert_emit::{CallTree, Does, Options, Outcome, RecordedError, Run, Transform, jax, rust};

#[track]
fn layer(x: Array, w: Array) -> Array {
    let y = (x * w).tanh();
    y
}

fn loss(w: Array, x: Array) -> Array {
    layer(x, w).sum(..)
}

fn recorded(f: impl FnOnce() -> Array) -> Tape {
    Recorder::new().capture(Capture::Values).record(f).1
}

fn w() -> Array {
    Array::from([0.5f32, -0.25])
}

/// The names of the functions of a run with what each does.
fn outline(tree: &CallTree) -> Vec<String> {
    let does = |d: &Does| match d {
        Does::Primitive(op, _) => op.name().to_string(),
        Does::Call(id) => tree.functions[*id].name.clone(),
        Does::Returned(by) => format!("{by:?}"),
        Does::Own(call) => call.function.name.to_string(),
        Does::Raise(message) => format!("raise {message:?}"),
        Does::Recorded(op) => format!("recorded {} {}", op.name, op.calls.len()),
        Does::Caught(id, message) => format!("caught {} {message:?}", tree.functions[*id].name),
        Does::Transform { by, function, .. } => {
            let by = match by {
                Transform::Jit => "jit",
                Transform::Grad { .. } => "grad",
                Transform::Jvp => "jvp",
                Transform::Hvp => "hvp",
                Transform::Vjp => "vjp",
                Transform::Linearize => "linearize",
                Transform::Jacobian { by, .. } => by.name(),
                Transform::Vmap { .. } => "vmap",
            };
            format!("{by}({})", tree.functions[*function].name)
        }
    };
    let of = |f: &wengert_emit::Function| {
        format!("{}: {}", f.name, f.steps.iter().map(|s| does(&s.does)).collect::<Vec<_>>().join(", "))
    };
    tree.functions.iter().map(of).collect()
}

#[test]
fn e1_transforms_and_the_functions_they_are_given_are_a_tree() {
    let rows = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let tape = recorded(|| jit(vmap(grad(loss)).in_axes([None, Some(0)]))(w(), rows) * 2.0);
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let want = [
        "layer: mul, tanh",
        "loss: layer, reduce",
        "loss: grad(loss)",
        "loss: vmap(loss)",
        "run: jit(loss), constant, mul",
    ];
    assert_eq!(outline(&tree), want);
}

#[test]
fn e1_functions_that_transforms_give_are_called_in_the_tree() {
    let x = Array::from([1.0f32, 2.0]);
    let tape = recorded(|| {
        let (y, back) = vjp(layer, (x.clone(), w()));
        let (a, b) = back.pull(y);
        let (_, along) = linearize(|x: Array| x.sin(), (a,));
        along.apply((b,)) + jacrev(|x: Array| x.exp())(x.clone()).sum(0) + hessian(loss)(w(), x.clone()).sum(0)
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let want = [
        "layer: mul, tanh",
        "closure: sin",
        "closure: exp",
        "loss: layer, reduce",
        "run: vjp(layer), Vjp, linearize(closure), Linearize, jacrev(closure), reduce, add, hessian(loss), reduce, add",
    ];
    assert_eq!(outline(&tree).iter().map(|l| l.replace("{{closure}}", "closure")).collect::<Vec<_>>(), want);
    // Also where an integer is among what it gives.
    let tape = recorded(|| {
        let (_, along) = linearize(|x: Array| (x.sin(), x.argmax(0)), (x.clone(),));
        vmap(move |t: Array| along.apply((t,)).0)(Array::from([[1.0f32, 2.0]]))
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let want =
        ["{{closure}}: sin, arg_reduce", "{{closure}}: Linearize", "run: linearize({{closure}}), vmap({{closure}})"];
    assert_eq!(outline(&tree), want);
    // And where the function leaves the one that it was made in.
    let tape = recorded(|| {
        let (y, back) = pulled_later(x.clone());
        back.pull(y).0
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    assert_eq!(outline(&tree), ["layer: mul, tanh", "run: cos, vjp(layer), Vjp"]);
}

#[track]
fn pulled_later(x: Array) -> (Array, Pullback<(Array, Array), Array>) {
    vjp(layer, (x.cos(), x))
}

#[test]
fn e1_calls_in_the_bodies_of_loops_and_branches_are_in_the_tree() {
    let (x, rows) = (Array::from([1.0f32, 2.0]), Array::from([[1.0f32, 2.0], [3.0, 4.0]]));
    let tape = recorded(|| {
        let y = x.sin();
        let step = |c: Array, r: Array| (layer(c, y.clone()) + r, ());
        let z = scan(step, w(), rows).0;
        cond(z.sum(..).gt(0.0), |z: Array| grad(loss)(z, x.clone()), |z: Array| z.cos(), z.clone())
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let want = [
        "layer: mul, tanh",
        ": layer, add",
        ": cos",
        "loss: layer, reduce",
        ": grad(loss)",
        "run: sin, scan, reduce, constant, compare, cond",
    ];
    assert_eq!(outline(&tree), want);
    // What a body holds is an argument of its function, and no copy.
    assert_eq!(tree.functions[1].parameters.len(), 3);
}

#[test]
fn e1_calls_in_rules_solvers_and_what_is_remembered_less_are_in_the_tree() {
    let x = Array::from([1.0f32, 2.0]);
    let tape = recorded(|| {
        let k = x.sin();
        let y = wengert::checkpoint(|y: Array| grad(loss)(y, k.clone()))(w());
        let rule = |(x,): (Array,), (t,): (Array,)| (layer(x.clone(), k.clone()), jit(layer)(x, k.clone()) * t);
        let z = custom_jvp(|x: Array| layer(x, k.clone()), rule)(y);
        let back = |x: Array, ct: Array| (jit(layer)(x, k.clone()) * ct,);
        let z = custom_vjp(|x: Array| layer(x, k.clone()), |(x,): (Array,)| (layer(x.clone(), k.clone()), x), back)(z);
        wengert::lax::linear_solve(|b: Array| vmap(layer)(b, k.clone()), |x: Array| x * &k, None, z)
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let want = [
        "layer: mul, tanh",
        "loss: layer, reduce",
        "{{closure}}: grad(loss)",
        "{{closure}}: layer, jit(layer), mul",
        "{{closure}}: layer",
        "{{closure}}: jit(layer), mul, constant",
        "layer: mul, tanh",
        ": vmap(layer)",
        ": mul",
        "run: sin, call, custom_jvp, custom_vjp, linear_solve",
    ];
    assert_eq!(outline(&tree), want);
}

#[test]
fn e3_calls_that_find_their_program_are_in_the_tree() {
    let f = jit(loss);
    f(w(), w());
    let tape = recorded(|| f(w(), Array::from([1.0f32, 2.0])) + f(Array::from([1.0f32, 2.0]), w()));
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    assert_eq!(outline(&tree), ["layer: mul, tanh", "loss: layer, reduce", "run: jit(loss), jit(loss), add"]);
}

#[test]
fn e2_a_run_is_written_as_the_user_called_it() {
    let x = Array::from([1.0f32, 2.0]);
    let held = x.sin();
    let tape = recorded(|| {
        let g =
            grad(|w: Array| cond((&w * &held).sum(..).gt(0.0), |w: Array| w.sum(..), |w: Array| -w.sum(..), w))(w());
        vmap(|x: Array| x * 2.0)(g)
    });
    let made = CallTree::of_tape(&tape).unwrap();
    let run = Run { tree: made.tree, inputs: made.inputs, outcome: made.outcome };
    let text = rust(&run, &Options::default()).unwrap().text;
    for part in ["use wengert::*;", "= cond(", "= grad(closure)(", "vmap(closure_2)", "repro::check(got, expected)"] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = jax(&run, &Options::default()).unwrap().text;
    for part in ["lax.cond(", "jax.grad(closure)(", "jax.vmap(closure_2)("] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    // Without names and places.
    let options = Options { anonymous: true, ..Options::default() };
    let text = rust(&run, &options).unwrap().text;
    assert!(!text.contains("closure") && !text.contains("recorded.rs"), "{text}");
}

fn is_small(x: Array) -> Array {
    x.lt(100.0)
}
fn doubled(x: Array) -> Array {
    x * 2.0
}
fn plus(c: Array, x: Array) -> (Array, Array) {
    (&c + x, c)
}

/// Functions that loops and branches are given keep their names; closures are named for what they are there for.
#[test]
fn e2_functions_of_loops_and_branches_have_the_users_names() {
    let tape = recorded(|| {
        let x = while_loop(is_small, doubled, Array::from(3.0f32));
        let staged = jit(|x: Array| {
            let y = scan(plus, x.clone(), Array::from([1.0f32, 2.0])).0;
            cond(y.gt(0.0), doubled, |x: Array| -x, y)
        });
        staged(while_loop(|x: Array| x.lt(1e3), |x: Array| x + 1.0, x))
    });
    let made = CallTree::of_tape(&tape).unwrap();
    let run = Run { tree: made.tree, inputs: made.inputs, outcome: made.outcome };
    let own = ["is_small", "doubled", "plus"];
    let [as_rust, as_python] = [rust, jax].map(|emit| emit(&run, &Options::default()).unwrap().text);
    for name in own.iter().chain(&["while_cond", "while_body", "branch"]) {
        assert!(as_rust.contains(&format!("fn {name}(")) && as_python.contains(&format!("def {name}(")), "{as_rust}");
    }
    assert!(as_rust.contains("while_loop(is_small, doubled, "), "{as_rust}");
    let options = Options { anonymous: true, ..Options::default() };
    let text = rust(&run, &options).unwrap().text;
    assert!(own.iter().all(|name| !text.contains(name)), "{text}");
}

/// A function that is called on two lines, by transforms, is one definition where its bodies agree, and two where they do not.
#[test]
fn e3_a_function_that_is_called_twice_is_one_definition() {
    let tape = recorded(|| {
        let first = grad(loss)(w(), w());
        let second = grad(loss)(w(), first.clone());
        first + second
    });
    let [rust, jax] = written(&tape, &Options::default());
    assert_eq!(rust.text.matches("\nfn loss").count(), 1, "{}", rust.text);
    assert_eq!(jax.text.matches("\ndef loss").count(), 1, "{}", jax.text);
    let tape = recorded(|| {
        let first = grad(loss)(w(), w());
        first + grad(loss)(w(), Array::from(2.0f32))
    });
    let [rust, _] = written(&tape, &Options::default());
    assert_eq!(rust.text.matches("\nfn loss").count(), 2, "{}", rust.text);
}

/// What transforms make of a function has no name of its own, in any language: none could be known where the text is recorded again.
#[test]
fn e7_what_transforms_make_stands_where_it_is_used() {
    let rows = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let tape = recorded(|| jit(vmap(grad(loss)).in_axes([None, Some(0)]))(w(), rows.clone()));
    let [rust, jax] = written(&tape, &Options::default());
    assert!(rust.text.contains("jit(vmap(grad(loss)).in_axes([None, Some(0)]))(v0, v1);"), "{}", rust.text);
    assert!(jax.text.contains("made = jax.jit(jax.vmap(jax.grad(loss), in_axes=(None, 0)))\n"), "{}", jax.text);
    assert_eq!(jax.text.matches("\ndef loss").count(), 1, "{}", jax.text);
    // What is called as it is, too, has one.
    let tape = recorded(|| jit(|x: Array| grad(|x: Array| x.sin())(x))(w().sum(..)));
    let [_, jax] = written(&tape, &Options::default());
    assert!(jax.text.contains("jax.jit(jax.grad(closure))(v"), "{}", jax.text);
}

/// As `rustfmt` has it: a closure that is too long for the rest of a line, and not for one of its own, stands there.
#[test]
fn e2_a_closure_that_fits_a_line_stands_in_one() {
    let loss = |[a, b, c, d]: [Array; 4], x: Array, y: Array| (a * x + b - (c * y + d)).tanh().sum(..);
    let tape = recorded(|| value_and_grad(loss)([w(), w(), w(), w()], w(), w()).1[0].clone());
    let [text, _] = written(&tape, &Options::default()).map(|e| e.text);
    let closure = "    let function =\n        |[x0, x1, x2, x3]: [Array; 4], x4: Array, x5: Array| closure(x0, x1, x2, x3, x4, x5);\n";
    assert!(text.contains(closure), "{text}");
}

#[test]
fn e2_names_inject_nothing() {
    let program = wengert_core::Program::parse("program (x: f32[]) { y: f32[] = mul(x, x) return y }").unwrap();
    let mut tree = CallTree::of_program(&program);
    tree.functions[0].name = "f() {} fn main() { std::process::abort() } fn g".into();
    tree.functions[0].variables[1].name = Some("1; panic!()".into());
    let run = Run { tree, inputs: vec![wengert_core::Tensor::scalar(2.0f32)], outcome: None };
    let text = rust(&run, &Options::default()).unwrap().text;
    assert!(!text.contains("abort()") && !text.contains("panic!"), "{text}");
    assert!(text.contains("fn f_fn_main_std_process_abort_fn_g(x: Array) -> Array {"), "{text}");
}

/// What is written of a run that fails.
fn failed(f: impl FnOnce() -> Array) -> [String; 2] {
    let (result, tape) = Recorder::new().capture(Capture::Values).try_record(f);
    assert!(result.is_err());
    let made = CallTree::of_tape(&tape).unwrap();
    let run = Run { tree: made.tree, inputs: made.inputs, outcome: made.outcome };
    [rust(&run, &Options::default()).unwrap().text, jax(&run, &Options::default()).unwrap().text]
}

#[test]
fn e2_a_run_that_failed_is_written_with_what_led_there() {
    let three = Array::from([1.0f32, 2.0, 3.0]);
    let wrong = |w: Array| layer(w.clone(), w).sin() + three.clone();
    let [text, python] = failed(|| jit(|w: Array| scan(|c: Array, _: Array| (wrong(c), ()), w, three.clone()).0)(w()));
    for part in [
        "fn layer(x: Array, w: Array) -> Array {",
        "= layer(c_0.clone(), c_0);",
        "= scan(",
        "= jit(closure)(v0);",
        "repro::fails(message, || {",
        "let message = \"`add`: arrays of shapes [2] and [3] do not broadcast together\";",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    for part in ["lax.scan(", "jax.jit(closure)(v0)", "    except Exception as error:"] {
        assert!(python.contains(part), "{part}\n{python}");
    }
    // Code of the user's is its message.
    let [text, python] = failed(|| grad(|w: Array| -> Array { panic!("w is {:?}", w.shape()) })(w()));
    assert!(text.contains("    repro::raise(\"w is [2]\")\n"), "{text}");
    assert!(python.contains("    raise RuntimeError(\"w is [2]\")\n"), "{python}");
}

#[test]
fn e2_a_failure_that_the_run_went_on_after_is_written_too() {
    let three = Array::from([1.0f32, 2.0, 3.0]);
    let tape = recorded(|| {
        let y = w().sin();
        wengert::try_run(|| grad(|w: Array| (w + &three).sum(..))(w())).unwrap_err();
        y.cos()
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let message = "`add`: arrays of shapes [2] and [3] do not broadcast together";
    let want = ["{{closure}}: constant, add", "failed: constant, grad({{closure}})"];
    assert_eq!(outline(&tree)[..2], want);
    assert_eq!(outline(&tree)[2], format!("run: sin, caught failed {message:?}, cos"));
    // Where JAX has no error, the function ends by `sys.exit`, which is no `Exception`.
    let [_, jax] = written(&tape, &Options::default());
    assert!(
        jax.text.contains("        check_error(error)\n    except SystemExit:\n        print(\"JAX has no error here"),
        "{}",
        jax.text
    );
    // It may be the last that the run did.
    let tape = recorded(|| {
        let y = w().sin();
        wengert::try_run(|| &y + &three).unwrap_err();
        y
    });
    let made = CallTree::of_tape(&tape).unwrap();
    assert_eq!(outline(&made.tree).last().unwrap(), &format!("run: sin, caught failed {message:?}"));
    assert!(matches!(made.outcome, Some(Outcome::Results(_))) && RecordedError::of_tape(&tape).is_none());
}

/// What the host makes of an array.
fn by_host(x: &Array) -> Array {
    let f = |x: &[Array]| vec![Array::from_vec([2], x[0].to_vec::<f32>().iter().map(|x| x.round()).collect())];
    pure_callback(f, &[x.ty()], &[x]).remove(0)
}

#[test]
fn e2_code_of_the_users_is_written_as_what_it_gave() {
    let rows = Array::from([[1.6f32, 2.2], [3.0, 4.0]]);
    let tape = recorded(|| {
        let f = jit(|x: Array| by_host(&x.sin()) + 1.0);
        let y = f(w()) + f(w() * 4.0) + by_host(&w());
        scan(|c: Array, r: Array| (by_host(&(c * r)), ()), y, rows).0
    });
    let path = std::env::temp_dir().join(format!("wengert-kernels-{}.tape", std::process::id()));
    tape.save(&path).unwrap();
    let saved = Tape::open(&path).unwrap();
    std::fs::remove_file(path).unwrap();
    for tape in [&tape, &saved] {
        let tree = CallTree::of_tape(tape).unwrap().tree;
        let recorded: Vec<String> = outline(&tree).into_iter().filter(|f| f.contains("recorded")).collect();
        assert_eq!(recorded[0], "{{closure}}: sin, recorded wengert.callback 2, constant, add");
        assert_eq!(recorded[1], ": mul, recorded wengert.callback 2");
        assert!(
            recorded[2].contains("mul, jit({{closure}}), add, recorded wengert.callback 1, add, scan"),
            "{recorded:?}"
        );
        let [rust, jax] = written(tape, &Options::default());
        let new = "let mut calls = repro::RecordedCalls::new(\"wengert.callback\", [Type::new(DType::F32, [2])]);";
        assert!(rust.text.contains(new) && rust.text.contains("= calls.call([&v1]);"), "{}", rust.text);
        assert!(jax.text.contains("    gave = jax.pure_callback(look_up, gives, *given"), "{}", jax.text);
        assert!(jax.text.contains("wengert_callback_calls = ["), "{}", jax.text);
        let made = CallTree::of_tape(tape).unwrap();
        let run = Run { tree: made.tree, inputs: made.inputs, outcome: made.outcome };
        let e = wengert_emit::rust(&run, &Options { anonymous: true, ..Default::default() }).unwrap_err();
        assert!(e.message().contains("written as the values that it gave"), "{e}");
    }
    // A program with it says which code it lacks.
    let e = saved.to_program().unwrap_err();
    assert!(e.message().contains("`wengert.callback`"), "{e}");
    // Of a program that no tape is of, nothing is known of it but the name.
    let program = wengert::make_program(|c: Array| scan(|c: Array, _: Array| (by_host(&c), ()), c, w()).0, (w(),));
    let run = Run { tree: CallTree::of_program(&program), inputs: vec![w().to_tensor()], outcome: None };
    let e = rust(&run, &Options::default()).unwrap_err();
    assert!(e.message().contains("`wengert.callback`"), "{e}");
}

#[test]
fn e2_a_rule_that_fails_is_written_with_what_it_holds() {
    let three = Array::from([1.0f32, 2.0, 3.0]);
    let [rust, jax] = failed(|| {
        let k = w().sin();
        let rule = |(x,): (Array,), (t,): (Array,)| (x.sin(), t * &k + &three);
        grad(|x: Array| custom_jvp(|x: Array| x.sin(), rule)(x).sum(..))(w())
    });
    assert!(rust.contains("custom_jvp(closure, rule)(arg0, v1)") && !rust.contains("repro::raise"), "{rust}");
    assert!(jax.contains("lambda primals, tangents: jvp_rule(*primals, *tangents)"), "{jax}");
    let [rust, _] = failed(|| {
        let k = w().sin();
        let back = |x: Array, ct: Array| (x * &k + &three * ct,);
        custom_vjp(|x: Array| x.sin(), |(x,): (Array,)| (x.sin(), x), back)(w())
    });
    assert!(rust.contains("custom_vjp(closure, forward, backward)(") && !rust.contains("repro::raise"), "{rust}");
}

/// Of each function of a run its name and how many arrays it takes.
fn takes(f: impl FnOnce() -> Array) -> Vec<String> {
    let tree = CallTree::of_tape(&recorded(f)).unwrap().tree;
    tree.functions
        .iter()
        .map(|f| format!("{}/{}", f.name.replace("{{closure}}", "closure"), f.parameters.len()))
        .collect()
}

#[test]
fn e1_what_a_traced_function_uses_of_another_is_a_variable_of_that() {
    let rows = Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let batched = |x: Array| vmap(|y: Array| &x * y)(rows.clone()).sum(..);
    assert_eq!(
        takes(|| grad(batched)(w())),
        ["closure/2", "batched/1", "run/1"].map(|n| n.replace("batched", "closure"))
    );
    let tape = recorded(|| grad(batched)(w()));
    let inside = tape.nodes().filter(|n| n.kind() == wengert::tape::Kind::Constant && n.depth() > 3).count();
    assert_eq!(inside, 0, "{tape}");
    // A staged function that is called in a derivative, and a function three deep.
    let staged = |x: Array| jit(|y: Array| (&x * y).sum(..))(w());
    assert_eq!(takes(|| grad(staged)(w())), ["closure/2", "closure/1", "run/1"]);
    let deep = |x: Array| vmap(|y: Array| grad(|z: Array| (&z * &z * &x * &y).sum(..))(w()))(rows.clone()).sum(..);
    assert_eq!(takes(|| grad(deep)(w())), ["closure/3", "closure/2", "closure/1", "run/1"]);
}

#[test]
fn e1_an_argument_is_another_variable_than_what_was_given_for_it() {
    let x = w();
    // The derivative is `x`, and not that of `x * x`.
    assert_eq!(takes(|| grad(|y: Array| (y * &x).sum(..))(x.clone())), ["closure/2", "run/1"]);
    assert_eq!(
        takes(|| grad(|y: Array, z: Array| (y.sin() * z).sum(..))(x.clone(), x.clone())),
        ["closure/2", "run/1"]
    );
}

#[test]
fn e2_numbers_of_the_host_are_no_arguments() {
    #[track]
    fn power(x: Array, n: u32) -> Array {
        if n == 0 { x.ones_like() } else { power(x.clone(), n - 1) * x }
    }
    let tree = CallTree::of_tape(&recorded(|| power(w(), 2))).unwrap().tree;
    assert!(tree.functions.iter().all(|f| f.parameters.len() == 1), "{tree:?}");
    assert_eq!(outline(&tree), ["power: constant", "power: power, constant, mul", "power: power, mul"]);
}

#[test]
fn e2_python_runs_op_by_op_where_few_ops_differ() {
    let text = |f: &dyn Fn(usize, Array) -> Array| {
        let made = CallTree::of_tape(&recorded(|| (0..1500).fold(w(), |x, i| f(i, x)))).unwrap();
        jax(&Run { tree: made.tree, inputs: made.inputs, outcome: None }, &Options::default()).unwrap().text
    };
    assert!(text(&|_, x| x.sin()).contains("results = [run(*inputs)]"));
    let different = text(&|i, x| &x + Array::zeros([i + 1], wengert::DType::F32).sum(..));
    assert!(different.contains("results = [jax.jit(run)(*inputs)]"), "{}", &different[different.len() - 900..]);
}

/// A run of a tape as Rust and as Python.
fn written(tape: &Tape, options: &Options) -> [wengert_emit::Emitted; 2] {
    let recorded = CallTree::of_tape(tape).unwrap();
    let run = Run { tree: recorded.tree, inputs: recorded.inputs, outcome: recorded.outcome };
    [rust(&run, options).unwrap(), jax(&run, options).unwrap()]
}

#[test]
fn e2_a_function_that_a_transform_gave_is_called_where_it_was() {
    let rows = || Array::from([[1.0f32, 2.0], [3.0, 4.0]]);
    let tape = recorded(|| {
        let looped = |x: Array| scan(|c: Array, r: Array| ((c * r).sin(), ()), x, rows()).0;
        let (_, linear) = linearize(looped, (w(),));
        let (_, back) = vjp(looped, (w(),));
        let y = vmap(|t: Array| linear.apply((t,)))(rows());
        y.sum(0) + jit(|t: Array| back.pull(t).0)(w())
    });
    let tree = CallTree::of_tape(&tape).unwrap().tree;
    let does = tree.functions.iter().flat_map(|f| &f.steps).filter(|s| matches!(s.does, Does::Returned(_)));
    assert_eq!(does.count(), 2, "{:?}", outline(&tree));
    let [rust, jax] = written(&tape, &Options::default());
    for part in ["linear: Linear<(Array,), Array>", "linear.apply((arg0,))", "pull: Pullback<(Array,), Array>"] {
        assert!(rust.text.contains(part), "{}", rust.text);
    }
    assert!(jax.text.contains("= linear(arg0)") && jax.notes.is_empty(), "{}", jax.text);
}

#[test]
fn e2_what_prints_is_written_where_it_stands_and_not_where_no_words_of_the_users_are() {
    let tape = recorded(|| grad(|x: Array| jit(|x: Array| debug_print("secret {:.2}", &x).sin())(x).sum(..))(w()));
    let [rust, jax] = written(&tape, &Options::default());
    assert!(rust.text.contains("let v1 = debug_print(\"secret {:.2}\", &arg0);"), "{}", rust.text);
    assert!(jax.text.contains("print_digits(\"secret {}\", 2, arg0)"), "{}", jax.text);
    for emitted in written(&tape, &Options { anonymous: true, ..Default::default() }) {
        assert!(!emitted.text.contains("secret") && emitted.text.contains("sin"), "{}", emitted.text);
    }
}

#[test]
fn e2_named_axes_are_those_of_the_batch_around_them() {
    let tape = recorded(|| vmap(|x: Array| &x / psum(&x, "secret")).axis_name("secret")(w()));
    let [in_rust, in_jax] = written(&tape, &Options::default());
    assert!(
        in_rust.text.contains(".axis_name(\"secret\")") && in_rust.text.contains("psum(&arg0, \"secret\")"),
        "{}",
        in_rust.text
    );
    assert!(
        in_jax.text.contains("axis_name=\"secret\"") && in_jax.text.contains("lax.psum(arg0, \"secret\")"),
        "{}",
        in_jax.text
    );
    for emitted in written(&tape, &Options { anonymous: true, ..Default::default() }) {
        assert!(!emitted.text.contains("secret") && emitted.text.contains("axis0"), "{}", emitted.text);
    }
    // In a program alone there is no batch.
    let p = wengert_core::Program::parse(
        "program (x: f32[]) { y: f32[] = all_reduce[axis=\"i\", size=2, reduction=add](x) return y }",
    );
    let inputs = vec![Array::from(1.0f32).to_tensor()];
    let run = Run { tree: CallTree::of_program(&p.unwrap()), inputs, outcome: None };
    for e in [
        rust(&run, &Options::default()).unwrap_err().to_string(),
        jax(&run, &Options::default()).unwrap_err().to_string(),
    ] {
        assert!(e.contains("no `vmap` of that name is around it"), "{e}");
    }
}

#[test]
fn e2_what_jax_has_no_derivative_of_is_said() {
    let looped = |x: Array| while_loop(|c: Array| c.sum(..).lt(9.0), |c: Array| c * 1.5 + 0.5, x);
    let note = |tape: &Tape| written(tape, &Options::default())[1].notes.concat();
    let refused = note(&recorded(|| grad(|x: Array| looped(x).sum(..))(w())));
    assert!(
        refused.contains("JAX refuses this run") && refused.contains("the loop in `closure` needs one"),
        "{refused}"
    );
    // Forwards, and where nothing of the loop moves, it has one.
    assert_eq!(note(&recorded(|| wengert::jvp(looped, (w(),), (w(),)).1)), "");
    assert_eq!(note(&recorded(|| grad(|x: Array| (x * looped(w())).sum(..))(w()))), "");
    assert_eq!(note(&recorded(|| grad(|x: Array| (looped(wengert::stop_gradient(x.clone())) * x).sum(..))(w()))), "");
}

/// `x³` by an evaluation of its own, with a rule for its tangent.
#[derive(Debug)]
struct Cube;

impl CustomOp for Cube {
    fn name(&self) -> &str {
        "user.cube"
    }
    fn infer(&self, x: &[Type]) -> wengert::Result<Vec<Type>> {
        Ok(x.to_vec())
    }
    fn elementwise(&self) -> bool {
        true
    }
    fn evaluate(&self, x: &[Tensor]) -> Option<wengert::Result<Vec<Tensor>>> {
        let y: Vec<f32> = x[0].dense().elements::<f32>().iter().map(|x| x * x * x).collect();
        Some(Tensor::new(x[0].shape().clone(), y).map(|y| vec![y]))
    }
    fn tangents(
        &self,
        b: &mut Builder,
        x: &[Var],
        _: &[Var],
        t: &[Option<Var>],
    ) -> Option<wengert::Result<Vec<Option<Var>>>> {
        let square = b.mul(x[0], x[0]);
        let slope = b.scale(square, 3.0);
        Some(Ok(vec![t[0].map(|t| b.mul(t, slope))]))
    }
}

fn cube(x: &Array) -> Array {
    apply(Cube, &[x]).remove(0)
}

type Body = Box<dyn Fn() -> Array>;

/// A derivative of an op of the user's is written as the program that the op's own rule gave.
#[test]
fn e2_a_derivative_by_a_rule_of_the_users_is_what_it_did() {
    let f = |x: Array| cube(&x.sin()).sum(..);
    let runs: [(&str, Body); 5] = [
        ("eager", Box::new(|| cube(&w()) + 1.5)),
        ("grad", Box::new(move || grad(f)(w()))),
        ("staged", Box::new(move || jit(grad(f))(w()))),
        ("batched", Box::new(move || vmap(grad(f))(Array::from([[1.0f32, 2.0], [3.0, 4.0]])))),
        ("second", Box::new(move || hessian(f)(w()))),
    ];
    for (name, run) in runs {
        let tape = recorded(&run);
        let path = std::env::temp_dir().join(format!("wengert-rule-{name}-{}.tape", std::process::id()));
        tape.save(&path).unwrap();
        let saved = Tape::open(&path).unwrap();
        let [text, again] = [&tape, &saved].map(|tape| written(tape, &Options::default()).map(|e| e.text));
        assert_eq!(text, again, "{name}");
        let [rust, jax] = text;
        // Where it was staged, nothing asked for the value.
        let is_called = matches!(name, "eager" | "grad" | "second");
        assert_eq!(rust.contains("RecordedCalls::new(\"user.cube\""), is_called, "{rust}");
        assert!(!rust.contains("grad(") && !jax.contains("grad("), "{rust}");
        assert_eq!(rust.contains("3.0f32"), name != "eager", "{rust}");
        std::fs::remove_file(path).unwrap();
    }
}
