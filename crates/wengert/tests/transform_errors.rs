//! What people see when a function does not fit the transform that it is given to, or gives what it must not.

use super::errors::{check, m, v};
use wengert::*;
use wengert_testing::expect;

#[test]
fn functions_that_are_not_linear() {
    let transposed = |f: fn(Array) -> Array| move || linear_transpose(f, (v(),))(v());
    check(
        transposed(|x| (x * 2.0).sin()),
        expect![[r#"
            `linear_transpose` needs a linear function, and `fn(wengert::array::Array) -> wengert::array::Array` is not: `sin` can't be transposed: it is not linear
              at transform_errors.rs
              it is transposed at transform_errors.rs
              what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`
        "#]],
    );
    check(
        transposed(|x| &x * &x),
        expect![[r#"
            `linear_transpose` needs a linear function, and `fn(wengert::array::Array) -> wengert::array::Array` is not: `mul` can't be transposed: it multiplies two arrays that both depend on the arguments
              at transform_errors.rs
              it is transposed at transform_errors.rs
              what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`
        "#]],
    );
    check(
        transposed(|x| 1.0 / x),
        expect![[r#"
            `linear_transpose` needs a linear function, and `fn(wengert::array::Array) -> wengert::array::Array` is not: `div` can't be transposed: it divides by an array that depends on the arguments
              at transform_errors.rs
              it is transposed at transform_errors.rs
              what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`
        "#]],
    );
    check(
        transposed(|x| x * 2.0 + 1.0),
        expect![[r#"
            `linear_transpose` needs a linear function, and `fn(wengert::array::Array) -> wengert::array::Array` is not: `add` adds a constant to what depends on the arguments
              at transform_errors.rs
              it is transposed at transform_errors.rs
              what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`
        "#]],
    );
    check(
        transposed(|x| where_(x.gt(0.0), &x, 0.0)),
        expect![[r#"
            `linear_transpose` needs a linear function, and `fn(wengert::array::Array) -> wengert::array::Array` is not: `select` can't be transposed: it is not linear in each operand that depends on the arguments
              at transform_errors.rs
              it is transposed at transform_errors.rs
              what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`
        "#]],
    );
    check(
        transposed(|x| scan(|c: Array, x: Array| (&c * &x, c), Array::from(1.0f32), x).1),
        expect![[r#"
            `linear_transpose` needs a linear function, and `fn(wengert::array::Array) -> wengert::array::Array` is not: `mul` can't be transposed: it multiplies two arrays that both depend on the arguments
              at transform_errors.rs
              it is transposed at transform_errors.rs
              what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`
        "#]],
    );
    check(
        || linear_transpose(|x: Array| x * 2.0, (v(),))(m()),
        expect![[r#"
            `linear_transpose`: the cotangent of `result`, which is f32[4], must be so too, and is f32[2,3]
              at transform_errors.rs
              the function is the closure given to `linear_transpose` at transform_errors.rs
              what to do: give one number for each of the value: `Array::ones([4], ..)` has its shape
        "#]],
    );
    // What is linear is transposed, with zeros in it or not.
    let padded = |x: Array| concatenate([x * 3.0, Array::zeros([2], DType::F32)], 0) + 0.0;
    let ones = Array::ones([6], DType::F32);
    assert_eq!(linear_transpose(padded, (v(),))(ones).0.to_vec::<f32>(), [3.0; 4]);
}

#[test]
fn rules_of_users_that_do_not_fit() {
    let sin = |x: Array| x.sin();
    check(
        || custom_jvp(sin, |(x,): (Array,), (_,): (Array,)| (x.sin(), m()))(v()),
        expect![[r#"
            `custom_jvp`: the tangent that the rule gives of `result`, which is f32[4], must be so too, and is f32[2,3]
              at transform_errors.rs
              the function is the closure given to `custom_jvp` at transform_errors.rs
              what to do: give one number for each of the value: `Array::ones([4], ..)` has its shape
        "#]],
    );
    let forward = |(x,): (Array,)| (x.sin(), x);
    check(
        || custom_vjp(sin, forward, |_: Array, _: Array| (m(),))(v()),
        expect![[r#"
            `custom_vjp`: the cotangent that the rule gives of `arg.0`, which is f32[4], must be so too, and is f32[2,3]
              at transform_errors.rs
              the function is the closure given to `custom_vjp` at transform_errors.rs
              what to do: give one number for each of the value: `Array::ones([4], ..)` has its shape
        "#]],
    );
    let sum = |x: Array| pure_callback(|x: &[Array]| vec![x[0].sum(..)], &[Type::scalar(DType::F32)], &[&x]).remove(0);
    check(
        || grad(sum)(v()),
        expect![[r#"
            `pure_callback` has no derivative: what its function does is not known
              at transform_errors.rs
              what to do: `custom_jvp` or `custom_vjp` around it gives it one; `stop_gradient` of its operands leaves it out
        "#]],
    );
    let same = |x: Array| pure_callback(|x: &[Array]| x.to_vec(), &[Type::scalar(DType::F32)], &[&x]).remove(0);
    check(
        || jit(same)(v()),
        expect![[r#"
            the function of `pure_callback` was said to give [f32[]], and gave [f32[4]]
              at transform_errors.rs
              what to do: declare the types that it gives
        "#]],
    );
    check(
        || associative_scan(|a: Array, b: Array| (a * b).sum(..), v(), false),
        expect![[r#"
            the function of `associative_scan` must give what it is given, f32[2], and gave f32[]
              at transform_errors.rs
              what to do: it combines many slices at once, stacked along the first axis, each with its own
        "#]],
    );
    check(
        || vjp(sin, (v(),)).1.pull(m()),
        expect![[r#"
            `vjp`: the cotangent of `result`, which is f32[4], must be so too, and is f32[2,3]
              at transform_errors.rs
              the function is the closure given to `vjp` at transform_errors.rs
              what to do: give one number for each of the value: `Array::ones([4], ..)` has its shape
        "#]],
    );
}

#[test]
fn the_ops_of_a_function_of_ours_are_where_the_user_called_it() {
    let p =
        make_program(|x: Array| associative_scan(|a: Array, b: Array| a * b, x, true), (Array::ones([7], DType::F32),));
    for e in p.equations() {
        assert!(e.place.to_string().contains("tests/transform_errors.rs"), "`{}` at {}", e.op.name(), e.place);
    }
    let (_, tape) = record(|| associative_scan(|a: Array, b: Array| a * b, Array::ones([7], DType::F32), false));
    let elsewhere = tape.nodes().find(|n| !n.place().to_string().contains("tests/transform_errors.rs"));
    assert!(elsewhere.is_none(), "{tape}");
}

#[test]
fn what_is_printed_and_given_away() {
    check(
        || debug_print("x = {:zz}", &v()),
        expect![[r#"
            `debug_print`: `{:zz}` is no format in "x = {:zz}"
              at transform_errors.rs
              what to do: write `{}` or `{:.3}` once, where the array is to stand, and `{{` for a brace
        "#]],
    );
    check(
        || debug_print("x = {", &v()),
        expect![[r#"
            `debug_print`: there is a `{` without its other in "x = {"
              at transform_errors.rs
              what to do: write `{}` or `{:.3}` once, where the array is to stand, and `{{` for a brace
        "#]],
    );
    check(
        || debug_print("{} and {}", &v()),
        expect![[r#"
            `debug_print`: there is more than one place for the array in "{} and {}"
              at transform_errors.rs
              what to do: write `{}` or `{:.3}` once, where the array is to stand, and `{{` for a brace
        "#]],
    );
    check(
        || jit(|x: Array| x * 2.0).donate(3)(v()),
        expect![[r#"
            `jit`: argument 3 is donated, and the function has 1 argument
              at transform_errors.rs
              arguments are counted from 0
        "#]],
    );
    check(
        || switch(Array::from(1.0f32), &[&|x: Array| x.sin(), &|x: Array| x], v()),
        expect![[r#"
            `switch` needs an integer scalar and at least one branch, and got an index of type f32[]
              at transform_errors.rs
              what to do: convert the index with `.to(DType::I32)`
        "#]],
    );
    check(
        || grad(|x: Array| x.to(DType::I32).sum(..))(v()),
        expect![[r#"
            `grad` needs a function that gives a real scalar, and this one gives i64[]
              at transform_errors.rs
              it is the closure given to `grad` at transform_errors.rs
              only floats have derivatives: compute the result in floats; integers have none, converted or not
        "#]],
    );
    check(
        || grad(|x: Array| x.to(DType::C64).sum(..))(v()),
        expect![[r#"
            `grad` needs a function that gives a real scalar, and this one gives c64[]
              at transform_errors.rs
              it is the closure given to `grad` at transform_errors.rs
              take its real part with `.real()`, or its size with `.abs()`
        "#]],
    );
}
