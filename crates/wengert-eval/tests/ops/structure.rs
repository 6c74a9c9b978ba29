//! Ops that cut arrays and put them together: values against loops over indices, derivatives, batching, errors.

use crate::ops::common::*;
use wengert_core::DType;

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
    ] {
        let message = refused(text);
        assert!(message.contains(expected), "{message}");
    }
}
