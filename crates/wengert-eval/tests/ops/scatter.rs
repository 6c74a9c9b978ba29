//! Scatter: values against the definition, on the cases of gather; derivatives, batching, errors.

use super::gather::{Case, Dice, program};
use crate::ops::common::*;
use wengert_core::ops::{Combiner, Indexing, Scatter, Update};
use wengert_core::{Rules, Scalar, Tensor};
use wengert_eval::run_op;

#[test]
fn scatter_values() {
    let mut dice = Dice(2);
    for _ in 0..400 {
        let case = Case::random(&mut dice);
        let (shape, writes) = case.reads(false);
        let (x, u) = (random(&case.operand_type(), 7), random(&format!("f64{shape}"), 8));
        let f = |update: &Update, x: f64, u: f64| match update {
            Update::Combine(Combiner::Add) => x + u,
            Update::Combine(Combiner::Mul) => x * u,
            Update::Combine(_) => x.max(u),
            Update::Set => u,
        };
        // Windows are taken in the order of their indices; inside the windows' array that is not row-major order.
        let mut order: Vec<usize> = (0..writes.len()).collect();
        let all = indices(&shape);
        let place_dims = case.at.place_dims(shape.rank());
        order.sort_by_key(|&i| place_dims.iter().map(|&d| all[i][d]).collect::<Vec<_>>());
        let named = [Combiner::Add, Combiner::Mul, Combiner::Max].map(Update::Combine);
        for update in [Update::Set].into_iter().chain(named) {
            let op = case.scatter(update, false);
            let mut expected = reals(&x);
            for &i in &order {
                if let Some(w) = writes[i] {
                    expected[w] = f(&op.update, expected[w], reals(&u)[i]);
                }
            }
            let y = run_op(&op.clone().into(), vec![x.clone(), case.indices.clone(), u.clone()]).unwrap();
            close(&y[0], &Tensor::new(case.operand.clone(), expected).unwrap(), 1e-12, &|| format!("{op:?}"));
        }
    }
}

#[test]
fn scatter_transforms() {
    let mut dice = Dice(4);
    for _ in 0..12 {
        let case = Case::random(&mut dice);
        let (shape, _) = case.reads(false);
        let inputs = [random(&case.operand_type(), 7), case.indices.clone(), random(&format!("f64{shape}"), 8)];
        for update in [Update::Set, Update::Combine(Combiner::Add), Update::Combine(Combiner::Min)] {
            check_program(&program(case.scatter(update, false), &inputs), &inputs);
        }
    }
}

/// Windows that don't overlap have simpler derivatives.
#[test]
fn scatter_to_unique_places() {
    for update in ["set", "mul"] {
        check_op(
            &format!(
                "program (x: f64[4,2], i: i32[3], u: f64[3,2]) {{
                  y: f64[4,2] = scatter[indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[], \
                   indices_batching_dims=[], index_map=[0], index_vector_dim=1], update={update}, \
                   indices_are_sorted=false, unique_indices=true](x, i, u)
                  return y
                }}"
            ),
            &[random("f64[4,2]", 1), tensor("i32[3]", &[2., 9., 0.]), random("f64[3,2]", 2)],
        );
    }
    // The factor on the operand may meet several.
    let text = "program (x: f64[4], i: i32[3]) {
      y: f64[4] = scatter[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[0], index_vector_dim=1], update=mul, indices_are_sorted=false, \
       unique_indices=false](x, i, 3.0:f64[3])
      return y
    }";
    check_op(text, &[random("f64[4]", 1), tensor("i32[3]", &[2., 2., 0.])]);
}

/// The derivative of an overwritten element is that of the update that stays.
#[test]
fn of_several_updates_one_stays() {
    let text = "program (x: f64[3], i: i32[3], u: f64[3]) {
      y: f64[3] = scatter[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[0], index_vector_dim=1], update=set, indices_are_sorted=false, \
       unique_indices=false](x, i, u)
      return y
    }";
    let inputs = [tensor("f64[3]", &[1., 2., 3.]), tensor("i32[3]", &[1., 1., 5.]), tensor("f64[3]", &[10., 20., 30.])];
    assert_eq!(reals(&eval(text, &inputs)[0]), [1., 20., 3.]);
    let back = wengert_core::transform::vjp(&parse(text), &[true, false, true]).unwrap();
    let y = wengert_eval::run(&back, [&inputs[..], &[tensor("f64[3]", &[1., 1., 1.])]].concat()).unwrap();
    assert_eq!(reals(&y[1]), [1., 0., 1.]);
    assert_eq!(reals(&y[2]), [0., 1., 0.]);
}

#[test]
fn ties_share_the_derivative_of_an_extreme() {
    let text = "program (x: f64[2], i: i32[2], u: f64[2]) {
      y: f64[2] = scatter[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[0], index_vector_dim=1], update=max, indices_are_sorted=false, \
       unique_indices=false](x, i, u)
      return y
    }";
    let back = wengert_core::transform::vjp(&parse(text), &[true, false, true]).unwrap();
    let inputs = [[2., 0.], [0., 0.], [2., 1.], [1., 1.]];
    let y = wengert_eval::run(
        &back,
        inputs.iter().zip(["f64[2]", "i32[2]", "f64[2]", "f64[2]"]).map(|(v, t)| tensor(t, v)).collect(),
    );
    let y = y.unwrap();
    assert_eq!(reals(&y[1]), [0.5, 1.]);
    assert_eq!(reals(&y[2]), [0.5, 0.]);
}

/// Two arrays at once: the larger value, and the number that came with it.
#[test]
fn scatter_with_a_program() {
    let text = "program (x: f32[2], k: i32[2], i: u8[4,1], u: f32[4], n: i32[4]) {
      y: f32[2], m: i32[2] = scatter[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[0], index_vector_dim=1], \
       update=program (x: f32[], k: i32[], u: f32[], n: i32[]) {
        p: bool[] = compare[direction=gt](u, x)
        v: f32[] = select(p, u, x)
        w: i32[] = select(p, n, k)
        return v, w
      }, indices_are_sorted=false, unique_indices=false](x, k, i, u, n)
      return y, m
    }";
    let inputs = [
        tensor("f32[2]", &[0., 5.]),
        tensor("i32[2]", &[-1., -1.]),
        tensor("u8[4,1]", &[0., 1., 0., 0.]),
        tensor("f32[4]", &[1., 4., 3., 2.]),
        tensor("i32[4]", &[0., 1., 2., 3.]),
    ];
    let y = eval(text, &inputs);
    assert_eq!((reals(&y[0]), reals(&y[1])), (vec![3., 5.], vec![2., -1.]));
    check_text(&parse(text));
    check_batch(&parse(text), &inputs);
}

/// There is no element to write, though a window would have one.
#[test]
fn nothing_is_scattered_to_nothing() {
    let text = "program (x: f64[0,3], i: i32[2], u: f64[2,1]) {
      y: f64[0,3] = scatter[indexing=[window_dims=[1], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[1], index_vector_dim=1], update=add, indices_are_sorted=false, \
       unique_indices=false](x, i, u)
      return y
    }";
    let inputs = [random("f64[0,3]", 1), tensor("i32[2]", &[0., 1.]), random("f64[2,1]", 1)];
    assert_eq!(eval(text, &inputs)[0].size(), 0);
}

#[test]
fn an_array_nothing_else_holds_is_scattered_to_in_place() {
    let address = |t: &Tensor| t.elements::<f32>().as_ptr();
    let x = Tensor::new([4, 2], vec![0f32; 8]).unwrap();
    let before = address(&x);
    let op = Scatter {
        indexing: Indexing::rows(1, 2),
        update: Update::Combine(Combiner::Add),
        indices_are_sorted: false,
        unique_indices: false,
    };
    let ones = Tensor::splat([3, 2], Scalar::F32(1.0));
    let y = run_op(&op.into(), vec![x, tensor("i64[3]", &[1., 3., 1.]), ones]).unwrap();
    assert_eq!(address(&y[0]), before);
    assert_eq!(reals(&y[0]), [0., 0., 2., 2., 0., 0., 1., 1.]);
}

#[test]
fn mistakes() {
    let t = |ty: &str| tensor(ty, &vec![0.0; random(ty, 0).size()]).ty();
    let (x, i) = (t("f32[4,3]"), t("i32[5]"));
    let add = Scatter {
        indexing: Indexing::rows(1, 2),
        update: Update::Combine(Combiner::Add),
        indices_are_sorted: false,
        unique_indices: false,
    };
    for (types, expected) in [
        ([x.clone(), i.clone(), t("f32[5,4]")], "a window of size 4 does not fit in axis 1 of f32[4,3]"),
        ([x.clone(), i.clone(), t("f32[6,3]")], "must have the shape [5,3], and got f32[6,3]"),
        ([x.clone(), i.clone(), t("f64[5,3]")], "needs operands of one element type, and got f32[4,3] and f64[5,3]"),
        ([x.clone(), i.clone(), t("f32[5]")], "window axis 1 is out of range"),
    ] {
        let message = add.infer(&types).unwrap_err().message().to_string();
        assert!(message.contains(expected), "{message}");
    }
}
