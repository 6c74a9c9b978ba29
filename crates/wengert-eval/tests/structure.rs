//! Ops that cut arrays and put them together: values against loops over indices, derivatives, batching, errors.

mod common;
use common::*;
use wengert_core::ops::DynamicUpdateSlice;
use wengert_core::{DType, Scalar, Tensor};
use wengert_eval::run_op;

/// The element of a row-major array at an index.
fn at<T: Copy>(v: &[T], shape: &[usize], index: &[usize]) -> T {
    v[index.iter().zip(shape).fold(0, |p, (i, n)| p * n + i)]
}

#[test]
fn elements_in_another_shape() {
    for text in [
        "program (x: f64[2,3]) { y: f64[3,1,2] = reshape[shape=[3,1,2]](x) return y }",
        "program (x: f64[1,1]) { y: f64[] = reshape[shape=[]](x) return y }",
        "program (x: f64[0,3]) { y: f64[2,0] = reshape[shape=[2,0]](x) return y }",
        "program (x: f64[2,3,4]) { y: f64[4,2,3] = transpose[perm=[2, 0, 1]](x) return y }",
        "program (x: f64[]) { y: f64[] = transpose[perm=[]](x) return y }",
        "program (x: f64[0,3]) { y: f64[3,0] = transpose[perm=[1, 0]](x) return y }",
        "program (x: f64[3]) { y: f64[2,3] = broadcast[shape=[2,3], dims=[1]](x) return y }",
        "program (x: f64[1,3]) { y: f64[3,2,4] = broadcast[shape=[3,2,4], dims=[1, 0]](x) return y }",
        "program (x: f64[]) { y: f64[2,0] = broadcast[shape=[2,0], dims=[]](x) return y }",
        "program (x: f64[2,3]) { i: f64[2,3] = iota[ty=f64[2,3], dim=1]() y: f64[2,3] = mul(x, i) return y }",
    ] {
        let ty = parse(text).input_types()[0].to_string();
        check_op(text, &[random(&ty, 5)]);
    }
}

#[test]
fn reverse() {
    for (shape, dims) in [("[]", "[]"), ("[4]", "[0]"), ("[2,3,2]", "[0, 2]"), ("[2,0]", "[0, 1]")] {
        let text = format!("program (x: f64{shape}) {{ y: f64{shape} = reverse[dims={dims}](x) return y }}");
        check_op(&text, &[random(&format!("f64{shape}"), 3)]);
    }
    let y = eval(
        "program (x: i32[2,3]) { y: i32[2,3] = reverse[dims=[1]](x) return y }",
        &[tensor("i32[2,3]", &[1., 2., 3., 4., 5., 6.])],
    );
    assert_eq!(reals(&y[0]), [3., 2., 1., 6., 5., 4.]);
}

#[test]
fn slice() {
    let y = eval(
        "program (x: i32[3,5]) { y: i32[2,2] = slice[start=[0, 1], limit=[3, 5], strides=[2, 3]](x) return y }",
        &[tensor("i32[3,5]", &(0..15).map(f64::from).collect::<Vec<_>>())],
    );
    assert_eq!(reals(&y[0]), [1., 4., 11., 14.]);
    for text in [
        "program (x: f64[]) { y: f64[] = slice[start=[], limit=[], strides=[]](x) return y }",
        "program (x: f64[7]) { y: f64[2] = slice[start=[1], limit=[6], strides=[3]](x) return y }",
        "program (x: f64[7]) { y: f64[0] = slice[start=[4], limit=[4], strides=[9]](x) return y }",
        "program (x: f64[3,4]) { y: f64[2,2] = slice[start=[1, 0], limit=[3, 4], strides=[1, 2]](x) return y }",
    ] {
        let ty = parse(text).input_types()[0].to_string();
        check_op(text, &[random(&ty, 5)]);
    }
}

#[test]
fn pad_values() {
    for n in 0..4i64 {
        for low in -3..3i64 {
            for high in -3..3i64 {
                for interior in 0..3i64 {
                    let inside = n + (n - 1).max(0) * interior;
                    let size = low + high + inside;
                    let text = format!(
                        "program (x: i32[{n}], v: i32[]) {{
                          y: i32[{}] = pad[low=[{low}], high=[{high}], interior=[{interior}]](x, v)
                          return y
                        }}",
                        size.max(0)
                    );
                    if size < 0 {
                        assert!(refused(&text).contains("takes away more than all of axis 0"));
                        continue;
                    }
                    let expected = |i: i64| match i - low {
                        k if (0..inside).contains(&k) && k % (interior + 1) == 0 => k / (interior + 1) + 1,
                        _ => -1,
                    };
                    let expected: Vec<f64> = (0..size).map(|i| expected(i) as f64).collect();
                    let x: Vec<f64> = (1..=n).map(|i| i as f64).collect();
                    let y = eval(&text, &[tensor(&format!("i32[{n}]"), &x), tensor("i32[]", &[-1.0])]);
                    assert_eq!(reals(&y[0]), expected, "{text}");
                }
            }
        }
    }
}

#[test]
fn pad() {
    for (attributes, x, y) in [
        ("[low=[], high=[], interior=[]]", "[]", "[]"),
        ("[low=[2], high=[1], interior=[0]]", "[3]", "[6]"),
        ("[low=[-1], high=[2], interior=[2]]", "[3]", "[8]"),
        ("[low=[1], high=[-4], interior=[0]]", "[3]", "[0]"),
        ("[low=[1, -1], high=[0, 1], interior=[1, 0]]", "[2,3]", "[4,3]"),
        ("[low=[1, 1], high=[0, 1], interior=[1, 3]]", "[0,1]", "[1,3]"),
    ] {
        let text = format!("program (x: f64{x}, v: f64[]) {{ y: f64{y} = pad{attributes}(x, v) return y }}");
        check_op(&text, &[random(&format!("f64{x}"), 1), random("f64[]", 2)]);
    }
    // Amounts that cancel and can't be counted along the way.
    let far = i64::MAX;
    let text = format!(
        "program (x: i8[2], v: i8[]) {{
          y: i8[2] = pad[low=[-{far}], high=[1], interior=[{}]](x, v)
          return y
        }}",
        far - 1
    );
    assert_eq!(reals(&eval(&text, &[tensor("i8[2]", &[4., 5.]), tensor("i8[]", &[9.])])[0]), [5., 9.]);
}

#[test]
fn concatenate() {
    let y = eval(
        "program (a: i8[2,1], b: i8[2,2]) { y: i8[2,3] = concatenate[dim=1](a, b) return y }",
        &[tensor("i8[2,1]", &[1., 2.]), tensor("i8[2,2]", &[3., 4., 5., 6.])],
    );
    assert_eq!(reals(&y[0]), [1., 3., 4., 2., 5., 6.]);
    check_op(
        "program (a: f64[2,1], b: f64[2,0], c: f64[2,3]) {
          y: f64[2,4] = concatenate[dim=1](a, b, c)
          return y
        }",
        &[random("f64[2,1]", 1), random("f64[2,0]", 2), random("f64[2,3]", 3)],
    );
    check_op(
        "program (a: f64[2]) { y: f64[4] = concatenate[dim=0](a, a) z: f64[4] = mul(y, y) return z }",
        &[random("f64[2]", 1)],
    );
}

#[test]
fn dynamic_slice() {
    let shape = [4, 5];
    let x = random("f64[4,5]", 1);
    let text = "program (x: f64[4,5], i: i32[], j: i32[]) {
      y: f64[2,3] = dynamic_slice[sizes=[2, 3]](x, i, j)
      return y
    }";
    for i in -1..5 {
        for j in -1..6 {
            let y = eval(text, &[x.clone(), tensor("i32[]", &[i as f64]), tensor("i32[]", &[j as f64])]);
            let (i, j) = (i.clamp(0, 2) as usize, j.clamp(0, 2) as usize);
            let expected: Vec<f64> =
                indices(&[2, 3]).iter().map(|k| at(&reals(&x), &shape, &[i + k[0], j + k[1]])).collect();
            assert_eq!(reals(&y[0]), expected);
        }
    }
    check_op(text, &[x, tensor("i32[]", &[1.0]), tensor("i32[]", &[0.0])]);
    check_op("program (x: f64[]) { y: f64[] = dynamic_slice[sizes=[]](x) return y }", &[random("f64[]", 1)]);
    // An unsigned start past all limits.
    let y = eval(
        "program (x: i8[4], i: u64[]) { y: i8[3] = dynamic_slice[sizes=[3]](x, i) return y }",
        &[tensor("i8[4]", &[1., 2., 3., 4.]), Tensor::scalar(u64::MAX)],
    );
    assert_eq!(reals(&y[0]), [2., 3., 4.]);
}

#[test]
fn dynamic_update_slice() {
    let text = "program (x: f64[3,4], u: f64[2,2], i: u8[], j: u8[]) {
      y: f64[3,4] = dynamic_update_slice(x, u, i, j)
      return y
    }";
    let inputs = [random("f64[3,4]", 1), random("f64[2,2]", 2), tensor("u8[]", &[9.0]), tensor("u8[]", &[1.0])];
    let y = eval(text, &inputs);
    for k in indices(&[3, 4]) {
        let inside = (1..3).contains(&k[0]) && (1..3).contains(&k[1]);
        let expected = match inside {
            true => at(&reals(&inputs[1]), &[2, 2], &[k[0] - 1, k[1] - 1]),
            false => at(&reals(&inputs[0]), &[3, 4], &k),
        };
        assert_eq!(at(&reals(&y[0]), &[3, 4], &k), expected);
    }
    check_op(text, &[&inputs[..3], &[tensor("u8[]", &[1.0])]].concat());
    // A start type that can't count to the limits.
    check_op(
        "program (x: f64[300], u: f64[2], i: i8[]) { y: f64[300] = dynamic_update_slice(x, u, i) return y }",
        &[random("f64[300]", 1), random("f64[2]", 2), tensor("i8[]", &[5.0])],
    );
}

#[test]
fn an_array_nothing_else_holds_is_updated_in_place() {
    let address = |t: &Tensor| t.elements::<f32>().as_ptr();
    let x = Tensor::new([8], vec![0f32; 8]).unwrap();
    let (before, shared) = (address(&x), x.clone());
    let update = |x: Tensor| {
        let one = Tensor::splat([2], Scalar::F32(1.0));
        let y = run_op(&DynamicUpdateSlice {}.into(), vec![x, one, Tensor::scalar(5i32)]).unwrap().remove(0);
        assert_eq!(y.to_vec::<f32>().unwrap(), [0., 0., 0., 0., 0., 1., 1., 0.]);
        y
    };
    assert_ne!(address(&update(x)), before);
    assert_eq!(shared.get(5), Scalar::F32(0.0));
    assert_eq!(address(&update(shared)), before);
}

#[test]
fn every_element_type() {
    for d in DType::ALL {
        let text = format!(
            "program (x: {d}[3], v: {d}[]) {{
              r: {d}[3] = reverse[dims=[0]](x)
              s: {d}[2] = slice[start=[0], limit=[3], strides=[2]](r)
              p: {d}[5] = pad[low=[1], high=[1], interior=[1]](s, v)
              c: {d}[8] = concatenate[dim=0](p, x)
              return c
            }}"
        );
        let y = eval(&text, &[tensor(&format!("{d}[3]"), &[1., 0., 1.]), tensor(&format!("{d}[]"), &[1.])]);
        assert_eq!(numbers(&y[0]).iter().map(|c| c.re).collect::<Vec<_>>(), [1., 1., 1., 1., 1., 1., 0., 1.], "{d}");
    }
}

#[test]
fn mistakes() {
    for (text, expected) in [
        ("program (x: f32[2]) { y: f32[2] = reverse[dims=[1]](x) return y }", "axis 1 is out of range"),
        ("program (x: f32[2]) { y: f32[2] = reverse[dims=[0, 0]](x) return y }", "axis 0 is named twice"),
        (
            "program (x: f32[2]) { y: f32[2] = slice[start=[], limit=[2], strides=[1]](x) return y }",
            "needs one start for each of the 1 axes of f32[2], and got 0",
        ),
        (
            "program (x: f32[2]) { y: f32[2] = slice[start=[1], limit=[3], strides=[1]](x) return y }",
            "from 1 to 3 does not lie within axis 0 of f32[2]",
        ),
        (
            "program (x: f32[2]) { y: f32[2] = slice[start=[0], limit=[2], strides=[0]](x) return y }",
            "needs a stride of at least 1",
        ),
        (
            "program (x: f32[2], v: f32[1]) { y: f32[2] = pad[low=[0], high=[0], interior=[0]](x, v) return y }",
            "needs a scalar to pad with, and got f32[1]",
        ),
        (
            "program (x: f32[2], v: i32[]) { y: f32[2] = pad[low=[0], high=[0], interior=[0]](x, v) return y }",
            "needs operands of one element type, and got f32[2] and i32[]",
        ),
        (
            "program (x: f32[2], v: f32[]) { y: f32[2] = pad[low=[0], high=[0, 1], interior=[0]](x, v) return y }",
            "needs one high amount for each of the 1 axes of f32[2], and got 2",
        ),
        (
            "program (x: f32[2], v: f32[]) {
              y: f32[2] = pad[low=[9223372036854775807], high=[9223372036854775807], interior=[0]](x, v)
              return y
            }",
            "makes axis 0 of f32[2] too large to address",
        ),
        ("program (x: f32[2]) { y: f32[2] = concatenate[dim=0]() return y }", "takes more operands than it got"),
        (
            "program (x: f32[2,1], z: f32[3,1]) { y: f32[2,2] = concatenate[dim=1](x, z) return y }",
            "along axis 1 needs operands alike in all other axes, and got f32[2,1] and f32[3,1]",
        ),
        (
            "program (x: f32[2], i: f32[]) { y: f32[1] = dynamic_slice[sizes=[1]](x, i) return y }",
            "takes integers for its starts, and got elements of type f32",
        ),
        (
            "program (x: f32[2], i: i32[1]) { y: f32[1] = dynamic_slice[sizes=[1]](x, i) return y }",
            "needs scalars for its starts, and got i32[1]",
        ),
        (
            "program (x: f32[2]) { y: f32[1] = dynamic_slice[sizes=[1]](x) return y }",
            "needs one start for each of the 1 axes of f32[2], and got 0",
        ),
        (
            "program (x: f32[2], u: f32[3], i: i32[]) { y: f32[2] = dynamic_update_slice(x, u, i) return y }",
            "a slice of shape [3] does not fit in f32[2]",
        ),
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{message}");
    }
}
