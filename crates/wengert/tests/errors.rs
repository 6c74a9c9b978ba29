//! What people see when something is wrong: one test for each kind of mistake, the message kept as it is.

use std::sync::Mutex;
use wengert::*;
use wengert_testing::{Expect, expect};

/// The message, with line numbers of this file left out.
pub(crate) fn check<T>(f: impl FnOnce() -> T, expected: Expect) {
    let text = match try_run(f) {
        Ok(_) => panic!("no error"),
        Err(e) => e.to_string(),
    };
    let mut out = String::new();
    let mut rest = text.as_str();
    while let Some(i) = rest.find("errors.rs:") {
        let end = i + "errors.rs".len();
        out.push_str(&rest[..end]);
        rest = rest[end..].trim_start_matches(|c: char| c == ':' || c.is_ascii_digit());
    }
    out.push_str(rest);
    expected.assert_eq(&(out.replace("crates/wengert/tests/", "") + "\n"));
}

pub(crate) fn m() -> Array {
    Array::zeros([2, 3], DType::F32)
}

pub(crate) fn v() -> Array {
    Array::zeros([4], DType::F32)
}

#[test]
fn shapes_elementwise() {
    check(
        || m() + v(),
        expect![[r#"
        `add`: arrays of shapes [2,3] and [4] do not broadcast together
          at errors.rs
          sizes are compared from the last axis; each pair must be equal, or one of them 1
    "#]],
    );
    check(
        || where_(v().gt(0.0), m(), 0.0),
        expect![[r#"
        `where_`: arrays of shapes [4] and [2,3] do not broadcast together
          at errors.rs
          sizes are compared from the last axis; each pair must be equal, or one of them 1
    "#]],
    );
}

#[test]
fn shapes_contraction() {
    check(
        || m().matmul(v()),
        expect![[r#"
        `matmul` can't multiply f32[2,3] and f32[4]: the last axis of the left and the second to last of the right differ
          at errors.rs
    "#]],
    );
    check(
        || einsum("ij,jk->ik", [m(), m()]),
        expect![[r#"
        `einsum` of "ij,jk->ik": the axis `j` has both size 3 and size 2
          at errors.rs
    "#]],
    );
}

#[test]
fn shapes_structure() {
    check(
        || m().reshape([4, 2]),
        expect![[r#"
        `reshape` can't put the 6 elements of f32[2,3] in the shape [4,2], which has 8
          at errors.rs
          the sizes must multiply to 6; one of them may be -1, for what is left
    "#]],
    );
    check(
        || m().reshape([-1, 4]),
        expect![[r#"
        [-1, 4] is not a shape for 6 elements
          at errors.rs
          the sizes must multiply to 6; one of them may be -1, for what is left
    "#]],
    );
    check(
        || m().transpose([0, 0]),
        expect![[r#"
        axis 0 is named twice
          at errors.rs
    "#]],
    );
    check(
        || concatenate([m(), m().t()], 0),
        expect![[r#"
        `concatenate` along axis 0 needs operands alike in all other axes, and got f32[2,3] and f32[3,2]
          at errors.rs
    "#]],
    );
    check(
        || stack([m(), m().t()], 0),
        expect![[r#"
        `stack` needs arrays of one shape, and got f32[2,3] and f32[3,2]
          at errors.rs
    "#]],
    );
    check(
        || m().broadcast_to([2, 4]),
        expect![[r#"
        an array of type f32[2,3] does not broadcast to the shape [2, 4]
          at errors.rs
          sizes are compared from the last axis; each must be equal, or 1 in the array
    "#]],
    );
}

#[test]
fn shapes_indexing() {
    check(
        || m().get(2),
        expect![[r#"
        index 2 is out of range for axis 0 of an array of shape [2,3]
          at errors.rs
    "#]],
    );
    check(
        || m().at(0).set(v()),
        expect![[r#"
        a value of shape [4] can't be written to a part of shape [3]
          at errors.rs
    "#]],
    );
}

#[test]
fn axis_out_of_range() {
    check(
        || m().sum(2),
        expect![[r#"
        axis 2 is out of range for an array with 2 axes
          at errors.rs
          axes count from 0 to 1, and from the end from -1 to -2
    "#]],
    );
    check(
        || v().sum(3),
        expect![[r#"
        axis 3 is out of range for an array with 1 axis
          at errors.rs
          axes count from 0 to 0, and from the end from -1 to -1
    "#]],
    );
    check(
        || v().sum(..).sum(0),
        expect![[r#"
        axis 0 is out of range for an array with 0 axes
          at errors.rs
          it is a scalar, and has one element alone
    "#]],
    );
    check(
        || m().sum([0, 0]),
        expect![[r#"
        axis 0 is named twice
          at errors.rs
    "#]],
    );
    check(
        || vmap(|x: Array| x).in_axes([Some(2)])(m()),
        expect![[r#"
            `vmap` over axis 2 of `arg0`, which has type f32[2,3]: there is no such axis
              at errors.rs
              the function is the closure given to `vmap` at errors.rs
              what to do: `.in_axes([..])` says which axis is the batch, and `None` shares an argument among all
        "#]],
    );
}

#[test]
fn wrong_element_type() {
    check(
        || Array::full([2], 0.5, DType::I32),
        expect![[r#"
            the float number 0.5 can't take the element type i32 of the array beside it
              at errors.rs
              convert the array first, for example with `.to(DType::F32)`
        "#]],
    );
    check(
        || m() & 1,
        expect![[r#"
        `and` takes bool and integers, and got elements of type f32
          at errors.rs
    "#]],
    );
    check(
        || m().to_vec::<f64>(),
        expect![[r#"
        elements of type f32 were asked for as f64
          at errors.rs
          convert it first with `.to(DType::F64)`
    "#]],
    );
    check(
        || m().get(Array::from([0.0f32])),
        expect![[r#"
        an array of type f32[1] can't be an index: integers and bools can
          at errors.rs
    "#]],
    );
    check(
        || grad(|x: Array| x.sum(..))(Array::from([1, 2])),
        expect![[r#"
        `grad` can't differentiate in `arg0`, which has type i32[2]
          at errors.rs
          only floats and complex numbers have derivatives: convert it, or leave it out with `.wrt(..)`
    "#]],
    );
}

#[test]
fn wrong_arguments_of_a_program() {
    let p = Program::parse("program f(x: f32[2], y: f32[]) { z: f32[] = sin(y) return x, z }").unwrap();
    check(
        || call_program(&p, &[v(), Array::from(1.0f32)]),
        expect![[r#"
        `call_program`: argument 0 of `f` must be f32[2], and is f32[4]
          at errors.rs
          `f` takes (x: f32[2], y: f32[])
          what to do: reshape it; for a batch of such arrays, use `vmap`
    "#]],
    );
    check(
        || call_program(&p, &[v().get(..2), Array::from(1)]),
        expect![[r#"
        `call_program`: argument 1 of `f` must be f32[], and is i32[]
          at errors.rs
          `f` takes (x: f32[2], y: f32[])
          convert it first with `.to(DType::F32)`
    "#]],
    );
    check(
        || call_program(&p, &[v()]),
        expect![[r#"
        `call_program`: `f` takes 2 arrays, and got 1
          at errors.rs
          `f` takes (x: f32[2], y: f32[])
    "#]],
    );
}

#[test]
fn a_device_nobody_knows() {
    expect![[r#"
        no device is called `abacus`
          what to do: choose one of cpu, eval, xla, gpu, cuda, rocm, tpu; the last five with a number, as in `cuda:1`
    "#]]
    .assert_eq(&format!("{}\n", device("abacus").unwrap_err()));
    assert_eq!(Device::cpu().to_string(), "cpu");
    expect![[r#"
        `cpu:-1` names no device: `-1` is no number of a device; they count from 0
          what to do: there is one `cpu`; name it without a number
        no device is called `cpu:1`: there is one `cpu`
          what to do: name it without a number
        `eval:x` names no device: `x` is no number of a device; they count from 0
          what to do: there is one `eval`; name it without a number
        `cuda:-1` names no device: `-1` is no number of a device; they count from 0
          what to do: write `cuda` for the first, `cuda:1` for the second
        `tpu:` names no device: `` is no number of a device; they count from 0
          what to do: write `tpu` for the first, `tpu:1` for the second
    "#]]
    .assert_eq(
        &["cpu:-1", "cpu:1", "eval:x", "cuda:-1", "tpu:"].map(|n| format!("{}\n", device(n).unwrap_err())).concat(),
    );
}

#[test]
fn masks_that_choose_an_unknown_number_of_elements() {
    let mask = || Array::from([true, false, true]);
    let x = || Array::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    // One value for all that may be chosen needs no count.
    for value in [Array::from(0.0f32), Array::from([7.0f32, 8.0])] {
        let set = |x: Array, m: Array| x.at(&m).set(&value) + x.at(&m).add(&value);
        assert_eq!(jit(set)(x(), mask()).to_vec::<f32>(), set(x(), mask()).to_vec::<f32>());
    }
    // Nor does one whose values are known.
    let two = |x: Array| x.at(x.get((.., 0)).gt(2.0)).set(Array::from([[7.0f32, 8.0], [9.0, 0.0]])).sum(..);
    assert_eq!(grad(two)(x()).to_vec::<f32>(), [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
    check(
        || jit(|x: Array, m: Array| x.at(&m).set(Array::from([[1.0f32, 2.0], [3.0, 4.0]])))(x(), mask()),
        expect![[r#"
            how many elements a traced mask [3] chooses is not known, and values of shape [2,2] are one for each
              at errors.rs
              what to do: `where_(mask, values, x)`, with values of the shape of `x` or one for all
        "#]],
    );
    check(
        || jit(|x: Array, m: Array| x.at(&m).set(Array::from([1.0f32, 2.0])))(Array::from([1.0f32, 2.0, 3.0]), mask()),
        expect![[r#"
            how many elements a traced mask [3] chooses is not known, and values of shape [2] are one for each
              at errors.rs
              what to do: `where_(mask, values, x)`, with values of the shape of `x` or one for all
        "#]],
    );
    check(
        || jit(|x: Array, m: Array| x.at(&m).get())(x(), mask()),
        expect![[r#"
        a traced array was read as a mask that decides a shape, and while `jit` traces it has no value
          at errors.rs
          it is Traced<bool[3]>, made at errors.rs, and depends on argument `arg1` of the closure given to `jit` at errors.rs
          the function was staged by `jit` at errors.rs
          what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged; or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged once for each value
          or say `jit(..).with_guards()`, which stages each path that calls take
          `where_(mask, x, y)` keeps the shape, and so does `.at(mask).set(value)` with one value for all
    "#]],
    );
}

#[test]
fn mistakes_in_callbacks_have_the_users_places() {
    let add = |x: &[Array]| {
        x.iter().cloned().chain([Array::from([1.0f32, 2.0, 3.0])]).reduce(std::ops::Add::add).into_iter().collect()
    };
    let f = move |x: Array| pure_callback(add, &[Type::new(DType::F32, [3])], &[&x]).remove(0);
    let expected = || {
        expect![[r#"
        `add`: arrays of shapes [4] and [3] do not broadcast together
          at errors.rs
          sizes are compared from the last axis; each pair must be equal, or one of them 1
          it came in the function of `pure_callback`
    "#]]
    };
    check(|| f(v()), expected());
    check(|| jit(f)(v()), expected());
}

#[test]
fn wrong_tree() {
    check(
        || cond(true, |x: Array| vec![x.clone()], |x: Array| vec![x.clone(), x], m()),
        expect![[r#"
            the results of the branches of `cond` must have one structure
              at errors.rs
              one is    [Array, Array]
              the other [Array]
        "#]],
    );
    check(
        || scan(|c: Vec<Array>, x: Array| ([c, vec![x]].concat(), ()), vec![], v()),
        expect![[r#"
            the carry of `scan` and what its body gives must have one structure
              at errors.rs
              one is    []
              the other [Array]
        "#]],
    );
    check(
        || jvp(|x: Vec<Array>| x[0].sin(), (vec![v()],), (vec![],)),
        expect![[r#"
            primals and tangents must have one structure
              at errors.rs
              one is    ([Array])
              the other ([])
        "#]],
    );
}

#[test]
fn leaked_tracer() {
    let kept = Mutex::new(None);
    grad(|x: Array| {
        *kept.lock().unwrap() = Some(x.sin());
        x
    })(Array::from(1.0f32));
    let leaked = kept.lock().unwrap().take().unwrap();
    check(
        || leaked + 1.0,
        expect![[r#"
            a traced array of type f32[] is used after the trace it belongs to has ended
              at errors.rs
              it was made at errors.rs
              while the closure given to `grad` at errors.rs was traced
              what to do: return the array from the function instead of keeping it elsewhere
        "#]],
    );
}

#[test]
fn concretization() {
    check(
        || jit(|x: Array| if x > 0.0 { x } else { -x })(Array::from(1.0f32)),
        expect![[r#"
            a traced array was read as a bool, and while `jit` traces it has no value
              at errors.rs
              it is Traced<bool[]>, made at errors.rs, and depends on argument `arg0` of the closure given to `jit` at errors.rs
              the function was staged by `jit` at errors.rs
              what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged; or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged once for each value
              or say `jit(..).with_guards()`, which stages each path that calls take
        "#]],
    );
    check(
        || vmap(|x: Array| Array::from(x.item::<f32>()))(v()),
        expect![[r#"
            a traced array was read as an element of type f32, and while `vmap` traces it has no value
              at errors.rs
              it is Traced<f32[]>, made at errors.rs, and depends on argument `arg0` of the closure given to `vmap` at errors.rs
              the function was staged by `vmap` at errors.rs
              what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged; or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged once for each value
        "#]],
    );
    check(
        || scan(|c: Array, x: Array| (c.clone() * x.to_f64(), ()), Array::from(1.0f32), v()),
        expect![[r#"
            a traced array was read as a float, and while `scan` traces it has no value
              at errors.rs
              it is Traced<f32[]>, made at errors.rs, and depends on argument `c.1`
              the function was staged by `scan` at errors.rs
              what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged
        "#]],
    );
}

#[test]
fn static_argument_missing() {
    let repeat = |x: Array, n: Array| (0..n.to_i64()).fold(x, |x, _| x.sin());
    check(
        || jit(repeat)(Array::from(1.0f32), Array::from(3)),
        expect![[r#"
            a traced array was read as an integer, and while `jit` traces it has no value
              at errors.rs
              it is Traced<i32[]>, made at errors.rs, and depends on argument `arg1` of the closure given to `jit` at errors.rs
              the function was staged by `jit` at errors.rs
              what to do: choose with `where_`, `cond`, `while_loop` or `scan`, which are staged; or pass the argument as a plain value (`f64`, `usize`, `bool`) or in `Static(..)`, and it is staged once for each value
              or say `jit(..).with_guards()`, which stages each path that calls take
        "#]],
    );
}

#[test]
fn wrong_carry() {
    check(
        || scan(|c: Array, x: Array| (c.to(DType::F64) + x, ()), Array::from(0f32), v()),
        expect![[r#"
        `scan`: the carry must keep its type from step to step; `carry` starts as f32[], and the body gives f64[]
          at errors.rs
          convert with `.to(..)` or broadcast it, in the body or before the loop
    "#]],
    );
    check(
        || while_loop(|c: Array| c.sum(..).lt(5.0), |c: Array| stack([c.clone(), c], 0), v()),
        expect![[r#"
        `while_loop`: the carry must keep its type from step to step; `carry` starts as f32[4], and the body gives f32[2,4]
          at errors.rs
          convert with `.to(..)` or broadcast it, in the body or before the loop
    "#]],
    );
    check(
        || while_loop(|c: Array| c.lt(5.0), |c: Array| c, v()),
        expect![[r#"
            `while_loop`: the condition must give bool[], and gives bool[4]
              at errors.rs
              `.any(..)` goes on while any element holds, `.all(..)` while all do
        "#]],
    );
    check(
        || fori_loop(0, 3, |_: Array, c: Array| c.gt(0.0), v()),
        expect![[r#"
            `fori_loop`: the carry must keep its type from step to step; `carry` starts as f32[4], and the body gives bool[4]
              at errors.rs
              convert with `.to(..)` or broadcast it, in the body or before the loop
        "#]],
    );
}

#[test]
fn control_flow_operands() {
    check(
        || cond(v().gt(0.0), |x: Array| x, |x: Array| -x, v()),
        expect![[r#"
        `cond` needs a predicate that is a scalar, and got bool[4]
          at errors.rs
          to choose element by element, use `where_`
    "#]],
    );
    check(
        || cond(true, |x: Array| x, |x: Array| x.to(DType::F64), v()),
        expect![[r#"
            the branches of `cond` must give the same types; `result` is f64[4] if the predicate is false, and f32[4] if it is true
              at errors.rs
              what to do: convert with `.to(..)`, or broadcast it, in one of them
        "#]],
    );
    check(
        || scan(|c: Array, (a, b): (Array, Array)| (c + a.sum(..) + b, ()), Array::from(0f32), (m(), v())),
        expect![[r#"
            `scan` of 2 steps can't walk along `xs.1`, which has 4 slices
              at errors.rs
              what to do: all arrays of `xs` need one size along their first axis, and `length` too if it is given
        "#]],
    );
    check(
        || map(|x: Array| x, Array::from(1.0f32)),
        expect![[r#"
            `map` can't walk along `xs`, which is a scalar
              at errors.rs
              what to do: use what is the same in every step in the body as it is, or carry it
        "#]],
    );
}

#[test]
fn derivatives() {
    check(
        || grad(|x: Array| x.sin())(v()),
        expect![[r#"
            `grad` needs a function that gives a real scalar, and this one gives f32[4]
              at errors.rs
              it is the closure given to `grad` at errors.rs
              reduce the result, for example with `.sum(..)` or `.mean(..)`; `vjp` and `jacrev` take any result
        "#]],
    );
    check(
        || jvp(|x: Array| x.sin(), (v(),), (m(),)),
        expect![[r#"
            `jvp`: the tangent of `arg0`, which is f32[4], must be so too, and is f32[2,3]
              at errors.rs
              the function is the closure given to `jvp` at errors.rs
              what to do: give one number for each of the value: `Array::ones([4], ..)` has its shape
        "#]],
    );
}

#[test]
fn batches() {
    check(
        || vmap(|x: Array, y: Array| x + y)(m(), v()),
        expect![[r#"
            `vmap` over arrays of different sizes: `arg0` has 2, and `arg1` has 4
              at errors.rs
              the function is the closure given to `vmap` at errors.rs
              what to do: batch them alike, or share one among all examples with `None` in `.in_axes([..])`
        "#]],
    );
    check(
        || vmap(|x: Array| x).in_axes([None])(m()),
        expect![[r#"
        `vmap` over no array: the size of the batch is not known
          at errors.rs
          map over at least one argument, or say `.axis_size(n)`
    "#]],
    );
    check(
        || vmap(|x: Array| x).in_axes([Some(0), None])(m()),
        expect![[r#"
            `vmap` of a function of 1 argument got 2 in_axes
              at errors.rs
              the function is the closure given to `vmap` at errors.rs
              what to do: give an axis, or `None`, for each argument; `in_axes_at` takes them by path
        "#]],
    );
    check(
        || psum(Array::from(1.0f32), "i"),
        expect![[r#"
        no axis named `i` is there to communicate over
          at errors.rs
          name one around this call: `vmap(f).axis_name("i")`
    "#]],
    );
}

#[test]
fn too_large() {
    check(
        || Array::zeros([1], DType::F32).broadcast_to([1usize << 40, 1 << 40]),
        expect![[r#"
        an array of type f32[1099511627776,1099511627776] is too large to address
          at errors.rs
    "#]],
    );
}

#[test]
fn malformed_text() {
    let parse = |text: &str, expected: Expect| {
        expected.assert_eq(&format!("{}\n", Program::parse(text).expect_err("no error")));
    };
    parse(
        "program f(x: f32[3]) {\n  y: f32[3] = sine(x)\n  return y\n}",
        expect![[r#"
        line 2, column 15: there is no op `sine`
          |   y: f32[3] = sine(x)
          |               ^
    "#]],
    );
    parse(
        "program f(x: f32[3]) {\n  y: f32[4] = sin(x)\n  return y\n}",
        expect![[r#"
        line 2, column 3: `y` is declared f32[4], and the op gives f32[3]
          |   y: f32[4] = sin(x)
          |   ^
    "#]],
    );
    parse(
        "program f(x: f32[3]) {\n  y: f32[3] = add(x, z)\n  return y\n}",
        expect![[r#"
        line 2, column 22: `z` is not defined before this use
          |   y: f32[3] = add(x, z)
          |                      ^
    "#]],
    );
    parse(
        "program f(x: f33[3]) {\n  return x\n}",
        expect![[r#"
        line 1, column 14: `f33` is not an element type
          | program f(x: f33[3]) {
          |              ^
    "#]],
    );
    parse(
        "program f(x: f32[3]) {\n  return x",
        expect![[r#"
        line 2, column 11: expected `,` or `}`, found the end of the text
          |   return x
          |           ^
    "#]],
    );
    parse(
        "program f(x: f32[3]) {\n  y: f32[3] = add(x, 1.0:f32[4])\n  return y\n}",
        expect![[r#"
        line 2, column 15: `add` needs operands of one shape, and got f32[3] and f32[4]
          |   y: f32[3] = add(x, 1.0:f32[4])
          |               ^
    "#]],
    );
}
