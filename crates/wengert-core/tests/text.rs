//! The text form: what is printed parses back, and what does not parse says where.
use wengert_core::ops::Binary;
use wengert_core::simplify::simplify;
use wengert_core::{Builder, DType, Place, Program, Scalar, Tensor, Type};
use wengert_testing::{Expect, expect};

fn refused(text: &str, message: Expect) {
    message.assert_eq(&Program::parse(text).unwrap_err().to_string());
}

#[test]
fn mistakes_are_shown_with_line_and_column() {
    refused("", expect!["line 1, column 1: expected `program`, found the end of the text"]);
    refused(
        "program f(x: f32[3]) {\n  y: f32[3] = nag(x)\n  return y\n}",
        expect![[r#"
        line 2, column 15: there is no op `nag`
          |   y: f32[3] = nag(x)
          |               ^"#]],
    );
    refused(
        "program f(x: f32[3]) {\n  y: f32[3] = add(x, z)\n  return y\n}",
        expect![[r#"
        line 2, column 22: `z` is not defined before this use
          |   y: f32[3] = add(x, z)
          |                      ^"#]],
    );
    refused(
        "program f(x: f32[3]) {\n\ty: f32[3] = add(x, 1.0:f32[4])\n  return y\n}",
        expect![[r#"
        line 2, column 14: `add` needs operands of one shape, and got f32[3] and f32[4]
          |  y: f32[3] = add(x, 1.0:f32[4])
          |              ^"#]],
    );
    refused(
        "program f(x: f32[3]) {\n  y: f32[4] = neg(x)\n  return y\n}",
        expect![[r#"
        line 2, column 3: `y` is declared f32[4], and the op gives f32[3]
          |   y: f32[4] = neg(x)
          |   ^"#]],
    );
    refused(
        "program f(x: f32[3]) {\n  y, z: f32[3] = neg(x)\n  return y\n}",
        expect![[r#"
        line 2, column 4: expected `:`, found `,`
          |   y, z: f32[3] = neg(x)
          |    ^"#]],
    );
    refused(
        "program f(x: f32[3]) {\n  y: f32[3] = neg(x\n  return y\n}",
        expect![[r#"
        line 3, column 3: expected `,` or `)`, found `return`
          |   return y
          |   ^"#]],
    );
    refused(
        "program f(x: f32[3], x: f32[3]) {\n  return x\n}",
        expect![[r#"
        line 1, column 22: `x` is defined twice
          | program f(x: f32[3], x: f32[3]) {
          |                      ^"#]],
    );
    refused(
        "program f(x: f33[3]) {\n  return x\n}",
        expect![[r#"
        line 1, column 14: `f33` is not an element type
          | program f(x: f33[3]) {
          |              ^"#]],
    );
    refused(
        "program f(x: f32[99999999999999999999]) {\n  return x\n}",
        expect![[r#"
        line 1, column 18: this integer is out of range
          | program f(x: f32[99999999999999999999]) {
          |                  ^"#]],
    );
    refused(
        "program f(x: f32[4294967296,4294967296]) {\n  return x\n}",
        expect![[r#"
        line 1, column 14: an array of type f32[4294967296,4294967296] is too large to address
          | program f(x: f32[4294967296,4294967296]) {
          |              ^"#]],
    );
    refused(
        "program f() {\n  y: i8[] = 300:i8[]\n  return y\n}",
        expect![[r#"
        line 2, column 13: `300` is not a number of type i8
          |   y: i8[] = 300:i8[]
          |             ^"#]],
    );
    refused(
        "program f() {\n  y: i8[] = 0x1ff:i8[]\n  return y\n}",
        expect![[r#"
        line 2, column 13: `0x1ff` is not a number of type i8
          |   y: i8[] = 0x1ff:i8[]
          |             ^"#]],
    );
    refused(
        "program f() {\n  y: f32[3] = dense[1.0, 2.0]:f32[3]\n  return y\n}",
        expect![[r#"
        line 2, column 15: 2 elements do not fill the shape [3], which has 3
          |   y: f32[3] = dense[1.0, 2.0]:f32[3]
          |               ^"#]],
    );
    refused(
        "program f() {\n  y: f32[3] = dense\"123\":f32[3]\n  return y\n}",
        expect![[r#"
        line 2, column 15: these are not elements of type f32 in hexadecimal
          |   y: f32[3] = dense"123":f32[3]
          |               ^"#]],
    );
    refused(
        "program f() {\n  y: f32[] = 1.0:f32[] @ nowhere\n  return y\n}",
        expect![[r#"
        line 2, column 25: expected a place: file:line:column
          |   y: f32[] = 1.0:f32[] @ nowhere
          |                         ^"#]],
    );
    refused(
        "program f() {\n  return %\n}",
        expect![[r#"
        line 3, column 1: expected the number of a variable, found `}`
          | }
          | ^"#]],
    );
    refused(
        "program f() {\n  return none\n}",
        expect![[r#"
        line 2, column 10: expected a variable, found `none`
          |   return none
          |          ^"#]],
    );
    refused(
        "program f() {\n  return\n} and more",
        expect![[r#"
        line 3, column 3: expected nothing after the program
          | } and more
          |   ^"#]],
    );
    refused(
        &format!("program f(x: f32[]) {{\n  return {}é\n}}", "x, ".repeat(100)),
        expect![[r#"
            line 2, column 310: `é` is not defined before this use
              | …, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, é
              |                                                    ^"#]],
    );
}

#[test]
fn programs_nested_too_deep_are_refused() {
    refused(
        &"program f() {\n  y: f32[] = call[program=".repeat(100_000),
        expect![[r#"
        line 273, column 27: programs are nested more than 272 deep
          |   y: f32[] = call[program=program f() {
          |                           ^"#]],
    );
    let most = 272;
    let open = "program () {\n  y: f32[] = call[program=".repeat(most - 1);
    let close = ", kind=staged]() return y }".repeat(most - 1);
    let p = Program::parse(&format!("{open}program () {{ y: f32[] = 0.0:f32[] return y }}{close}")).unwrap();
    p.verify().unwrap();
    assert_eq!(Program::parse(&p.to_text()).unwrap(), p);
    assert_eq!(simplify(&p).equations().len(), 1);
}

#[test]
fn any_name_can_be_given() {
    let mut b = Builder::new();
    b.set_place(Place::named("a b\n: // c.rs", 1, 2));
    let x = b.input(Type::new(DType::F32, [2]));
    b.set_name(x, "the input (é) %3");
    let y = b.input(Type::new(DType::F32, [2]));
    b.set_name(y, "return");
    let z = b.binary(Binary::Add, x, y);
    b.set_name(z, "");
    let w = b.binary(Binary::Add, z, y);
    b.set_name(w, "1st");
    let p = b.finish(&[z, w]).with_name("fn { 2 }");
    p.verify().unwrap();
    expect![[r#"
        program fn___2__(the_input__é___3: f32[2], return%1: f32[2]) {
          %2: f32[2] = add(the_input__é___3, return%1) @ a b : // c.rs:1:2
          _1st: f32[2] = add(%2, return%1) @ a b : // c.rs:1:2
          return %2, _1st
        }
    "#]]
    .assert_eq(&p.to_text());
    let q = Program::parse(&p.to_text()).unwrap();
    assert_eq!(q.to_text(), p.to_text());
    assert_eq!(p, q);
}

#[test]
fn long_lists_are_continued() {
    let inputs = (0..20).map(|i| format!("parameter_{i}: f32[{i}]")).collect::<Vec<_>>().join(", ");
    let names = (0..20).map(|i| format!("parameter_{i}")).collect::<Vec<_>>().join(", ");
    let p = Program::parse(&format!("program f({inputs}) {{ return {names} }}")).unwrap();
    expect![[r#"
        program f(parameter_0: f32[0], parameter_1: f32[1], parameter_2: f32[2], parameter_3: f32[3],
            parameter_4: f32[4], parameter_5: f32[5], parameter_6: f32[6], parameter_7: f32[7], parameter_8: f32[8],
            parameter_9: f32[9], parameter_10: f32[10], parameter_11: f32[11], parameter_12: f32[12],
            parameter_13: f32[13], parameter_14: f32[14], parameter_15: f32[15], parameter_16: f32[16],
            parameter_17: f32[17], parameter_18: f32[18], parameter_19: f32[19]) {
          return parameter_0, parameter_1, parameter_2, parameter_3, parameter_4, parameter_5, parameter_6,
              parameter_7, parameter_8, parameter_9, parameter_10, parameter_11, parameter_12, parameter_13,
              parameter_14, parameter_15, parameter_16, parameter_17, parameter_18, parameter_19
        }
    "#]]
    .assert_eq(&p.to_text());
    assert_eq!(Program::parse(&p.to_text()).unwrap().to_text(), p.to_text());
}

#[test]
fn numbers_are_exact() {
    let mut b = Builder::new();
    let mut outputs = Vec::new();
    for dtype in DType::ALL {
        let ones = [7, 15, 31, 63, 127].map(|k| 1u128 << k);
        for bits in [0, 1, u128::MAX, u128::MAX / 3, 0x7fc0_0001, 0x7e01].into_iter().chain(ones) {
            outputs.push(b.constant(Tensor::splat([2, 0], Scalar::from_bits(dtype, bits))));
        }
        for n in [0, 1, 3, 64, 65] {
            let value = Tensor::zeros(&Type::new(dtype, [n])).dense();
            outputs.push(b.constant(value));
        }
    }
    let p = b.finish(&outputs);
    let q = Program::parse(&p.to_text()).unwrap();
    assert_eq!(p, q);
    assert_eq!(p.to_text(), q.to_text());
}
