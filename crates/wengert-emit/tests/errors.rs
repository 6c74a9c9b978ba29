//! Emitted Python files of runs that failed by the rules of ops, under every transform: each fails in JAX as recorded (E2).
//!
//! `WENGERT_PYTHON` says which interpreter has JAX; without one, the files are written and not run.

use crate::jax::process;
use wengert::{Array, Capture, Recorder, concatenate, grad, jit, lax, scan, stack, vmap, where_};
use wengert_emit::{CallTree, Emitted, Options, RecordedTree, Run, jax, rust};

type Fails = fn(Array) -> Array;
type Calls = fn(Fails) -> Array;

/// What does not take a matrix of this shape, nor one of its rows.
const FAILS: &[(&str, Fails)] = &[
    ("reshape", |x| x.reshape([5])),
    ("reshape_to_more", |x| x.sin().reshape([4, 4])),
    ("add", |x| x + Array::from([1.0f32, 2.0])),
    ("and", |x| x & Array::from(true)),
    ("matmul", |x| x.matmul(Array::from([[1.0f32], [2.0]]))),
    ("dot", |x| x.dot(Array::from([1.0f32, 2.0]))),
    ("transpose_to_the_same", |x| x.transpose([0, 0])),
    ("transpose_of_more", |x| x.transpose([0, 1, 2])),
    ("broadcast", |x| x.broadcast_to([7])),
    ("concatenate", |x| concatenate([&x, &Array::from([[[1.0f32]]])], 0)),
    ("stack", |x| stack([&x, &Array::from([1.0f32])], 0)),
    ("where", |x| where_(Array::from([true, false]), &x, Array::from([1.0f32, 2.0, 3.0, 4.0]))),
    ("slice_of_less", |x| lax::slice(&x, &[0], &[9], &[1])),
    ("slice_back", |x| lax::slice(&x, &[2, 2], &[1, 1], &[1, 1])),
    ("sum", |x| x.sum(5)),
    ("max", |x| x.max(-4)),
    ("get", |x| x.get(9)),
    ("expand_dims", |x| x.expand_dims(9)),
    ("squeeze", |x| x.squeeze(0)),
    ("take", |x| x.take(Array::from([0.5f32]), 0)),
    ("cumsum", |x| x.cumsum(7)),
    ("sort", |x| x.sort(7)),
];

/// The same, called in these ways.
const WAYS: &[(&str, Calls)] = &[
    ("eager", |f| f(x())),
    ("jit", |f| jit(f)(x())),
    ("vmap", |f| vmap(f)(x())),
    ("jit_of_vmap", |f| jit(vmap(f))(x())),
    ("vmap_of_jit", |f| vmap(jit(f))(x())),
    ("grad", |f| grad(move |x: Array| f(x).sum(..))(x())),
    ("vmap_of_grad", |f| vmap(grad(move |x: Array| f(x).sum(..)))(x())),
    ("scan", |f| scan(move |c: Array, r: Array| (f(c) + r.sum(..), ()), x(), x()).0),
];

fn x() -> Array {
    Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]])
}

/// The Python file of a run that fails.
fn file(run: impl FnOnce() -> Array) -> Emitted {
    let (failed, tape) = Recorder::new().capture(Capture::Values).try_record(run);
    assert!(failed.is_err());
    let RecordedTree { tree, inputs, outcome, .. } = CallTree::of_tape(&tape).unwrap();
    let run = Run { tree, inputs, outcome };
    rust(&run, &Options::default()).unwrap();
    jax(&run, &Options::default()).unwrap()
}

#[test]
fn e2_every_error_of_a_rule_is_one_in_jax_under_every_transform() {
    let mut files = Vec::new();
    for (op, f) in FAILS {
        files.extend(WAYS.iter().map(|(way, run)| (format!("{op}-{way}"), file(|| run(*f)))));
    }
    if !process::has_module("jax") {
        return;
    }
    let said = process::run("errors_of_rules", &files);
    let is_recorded = |said: &Result<String, String>| said.as_ref().is_ok_and(|s| s.contains("failed, as recorded"));
    let wrong: Vec<_> = said.iter().filter(|(_, said)| !is_recorded(said)).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:?}", wrong.len(), said.len());
}
