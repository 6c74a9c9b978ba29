//! What single passes of the reducer are for: each of these ends larger without one of them.

use wengert::{Array, make_program, pure_callback};
use wengert_core::{Builder, DType, Op, Program, Scalar, Tensor, Type};
use wengert_repro::{Case, reduce, reduce_by};
use wengert_testing::expect;

fn case(program: Program) -> Case {
    let value = |t: &Type| Tensor::from_bits(t, |i| Scalar::from_f64(t.dtype, 1.25 + i as f64).bits());
    let inputs = program.input_types().iter().map(value).collect();
    Case::new(program, inputs).unwrap()
}

/// Reduces a program while a test holds, and checks that a pass is needed for what comes out.
fn reduced(text: &str, pass: &str, test: impl Fn(&Case) -> bool + Copy) -> Case {
    reduced_program(Program::parse(text).unwrap(), pass, test)
}

fn reduced_program(start: Program, pass: &str, test: impl Fn(&Case) -> bool + Copy) -> Case {
    assert!(wengert_repro::passes().any(|p| p == pass), "no pass is called {pass}");
    let found = reduce(case(start.clone()), &mut { test }, &mut |_| true).unwrap().best;
    let without = reduce_by(|p| p != pass, case(start), &mut { test }, &mut |_| true).unwrap().best;
    let small = (without.size(), without.program().to_text()) != (found.size(), found.program().to_text());
    assert!(small && found.size() <= without.size(), "{pass} is not needed:\n{}", found.program());
    // Nothing more goes.
    let again = reduce(found.clone(), &mut { test }, &mut |_| true).unwrap().best;
    assert_eq!((again.size(), again.program().to_text()), (found.size(), found.program().to_text()));
    found
}

fn has(case: &Case, names: &[&str]) -> bool {
    names.iter().all(|name| case.program().any(|_, e| e.op.name() == *name))
}

#[test]
fn e5_axes_go_from_the_whole_program() {
    let text = "program (x: f32[4,3,5], w: f32[4,5,2], i: i32[], c: f32[4]) {
        p: f32[4,3,2] = dot_general[contract=([2], [1]), batch=([0], [0])](x, w)
        t: f32[3,4,2] = transpose[perm=[1,0,2]](p)
        b: f32[3,4,2] = broadcast[shape=[3,4,2], dims=[1]](c)
        s: f32[3,4,2] = add(t, b)
        d: f32[2,4,2] = dynamic_slice[sizes=[2,4,2]](s, i, i, i)
        k: f32[2,4,4] = concatenate[dim=2](d, d)
        m: f32[2,4] = reduce[combiner=max, dims=[2]](k)
        l: f32[2,4] = scan[length=2, consts=0, carries=1, reverse=false,
            body=program (a: f32[2,4]) { z: f32[2,4] = tanh(a) return z }](m)
        return l }";
    let names = ["dot_general", "transpose", "broadcast", "dynamic_slice", "concatenate", "reduce", "scan"];
    let best = reduced(text, "ranks", |c| has(c, &names));
    expect![
        r#"
        program () {
          %2: f32[1] = dot_general[contract=([], []), batch=([], [])](0.0:f32[], 0.0:f32[1])
          %3: f32[1] = transpose[perm=[0]](%2)
          %5: f32[1] = broadcast[shape=[1], dims=[]](0.0:f32[])
          %6: f32[1] = add(%3, %5)
          %8: f32[1] = dynamic_slice[sizes=[1]](%6, 0:i32[])
          %9: f32[2] = concatenate[dim=0](%8, %8)
          %10: f32[] = reduce[combiner=add, dims=[0]](%9)
          %11: f32[] = scan[length=1, consts=0, carries=1, reverse=false,
            body=program (%0: f32[]) {
              return %0
            }](%10)
          return %11
        }
    "#
    ]
    .assert_eq(&best.program().to_text());
}

#[test]
fn e5_ops_become_simpler_ones() {
    let text = "program (x: f32[3], b: bool[3]) {
        y: f32[3] = erf_inv(x) z: f32[3] = atan2(y, x) k: bool[3] = compare[direction=gt](z, y)
        f: bool[3] = xor(k, b) s: f32[3] = select(f, y, z)
        m: f32[] = reduce[combiner=min, dims=[0]](s) c: f32[3] = cumulative[kind=logsumexp, dim=0, reverse=true](s)
        return m, c }";
    // As many ops as there are kinds.
    let count = |c: &Case| c.program().equations().iter().filter(|e| !matches!(e.op, Op::Constant(_))).count();
    let best = reduced(text, "ops", |c| count(c) >= 5 && has(c, &["reduce", "compare"]));
    expect![
        r#"
        program () {
          %0: f32[] = 0.0:f32[]
          %1: f32[] = neg(%0)
          %2: bool[] = compare[direction=eq](%1, %0)
          %3: bool[] = not(%2)
          %4: f32[] = convert[dtype=f32](%3)
          %5: f32[] = reduce[combiner=add, dims=[]](%4)
          return %5
        }
    "#
    ]
    .assert_eq(&best.program().to_text());
}

#[test]
fn e5_attributes_become_the_plainest() {
    let text = "program (x: f32[1,1,9,9], k: f32[1,1,3,3], y: f32[6], i: i32[2,1]) {
        c: f32[1,1,5,4] = convolution[lhs=[0,1,2,3], rhs=[0,1,2,3], out=[0,1,2,3], strides=[2,2], padding=[(1,1),(0,1)],
            lhs_dilation=[1,1], rhs_dilation=[1,1], reversal=[true,false], feature_groups=1, batch_groups=1](x, k)
        s: f32[6] = sort[dim=0, stable=true, order=1](y)
        p: f32[14] = pad[low=[2], high=[1], interior=[1]](s, 0.0:f32[])
        e: f32[4] = slice[start=[3], limit=[10], strides=[2]](p)
        r: f32[4] = cumulative[kind=max, dim=0, reverse=true](e)
        return c, r }";
    let names = ["convolution", "sort", "pad", "slice", "cumulative"];
    let best = reduced(text, "attributes", |c| has(c, &names));
    expect![r#"
        program () {
          %2: f32[1,1,1,1] = convolution[lhs=[0, 1, 2, 3], rhs=[0, 1, 2, 3], out=[0, 1, 2, 3], strides=[1, 1], padding=[(0, 0), (0, 0)], lhs_dilation=[1, 1], rhs_dilation=[1, 1], reversal=[false, false], feature_groups=1, batch_groups=1](0.0:f32[1,1,1,1],
              0.0:f32[1,1,1,1])
          %4: f32[1] = sort[dim=0, stable=false, order=1](0.0:f32[1])
          %6: f32[1] = pad[low=[0], high=[0], interior=[0]](%4, 0.0:f32[])
          %7: f32[0] = slice[start=[0], limit=[0], strides=[1]](%6)
          %8: f32[0] = cumulative[kind=sum, dim=0, reverse=false](%7)
          return %2, %8
        }
    "#].assert_eq(&best.program().to_text());
}

#[test]
fn e5_numbers_become_zeros_but_for_those_that_matter() {
    let mut b = Builder::new();
    let x = b.input(Type::new(DType::F32, [40]));
    let k = b.constant(Tensor::new([40], (0..40).map(|i| i as f32 + 1.7).collect()).unwrap());
    let y = b.add(x, k);
    let program = b.finish(&[y]);
    // One element of the constant, two of the input.
    let test = |c: &Case| {
        let constant = c.program().equations().iter().find_map(|e| match &e.op {
            Op::Constant(k) if k.value.size() == 40 => Some(k.value.clone()),
            _ => None,
        });
        let number = |t: &Tensor, i: usize| t.get(i).as_f64().unwrap_or(0.0);
        constant.is_some_and(|k| number(&k, 17) > 18.5)
            && c.inputs().first().is_some_and(|x| x.size() == 40 && number(x, 3) > 4.0 && number(x, 31) > 32.0)
    };
    let best = reduced_program(program, "data", test);
    let nonzero = |t: &Tensor| (0..t.size()).filter(|&i| t.get(i).as_f64() != Some(0.0)).collect::<Vec<_>>();
    assert_eq!(nonzero(&best.inputs()[0]), [3, 31], "{:?}", best.inputs());
    let Op::Constant(k) = &best.program().equations()[0].op else { panic!("{}", best.program()) };
    assert_eq!(nonzero(&k.value), [17], "{}", best.program());
}

#[test]
fn e5_the_same_failure_has_the_same_text() {
    let one = "program mine(a: f32[], b: f32[]) {
        first: f32[] = sin(a) second: f32[] = cos(b) third: f32[] = mul(second, first) return third }";
    let other = "program theirs(p: f32[], q: f32[]) {
        u: f32[] = cos(p) v: f32[] = sin(q) w: f32[] = mul(u, v) return w }";
    let test = |c: &Case| has(c, &["sin", "cos", "mul"]);
    let texts = [one, other].map(|text| reduced(text, "canonical", test).program().to_text());
    assert_eq!(texts[0], texts[1]);
    expect![
        r#"
        program () {
          %1: f32[] = cos(0.0:f32[])
          %3: f32[] = sin(0.0:f32[])
          %4: f32[] = mul(%1, %3)
          return %4
        }
    "#
    ]
    .assert_eq(&texts[0]);
}

#[test]
fn e5_a_narrower_type_and_no_axes() {
    let has_add = |c: &Case| has(c, &["add"]);
    let best = reduced("program (x: f64[4,2]) { y: f64[4,2] = add(x, x) return y }", "types", has_add);
    assert_eq!(best.program().output_types(), [Type::scalar(DType::F32)]);
}

/// Whether a run gives NaN, of inputs that have none.
fn gives_nan(case: &Case) -> bool {
    let has_nan = |t: &Tensor| (0..t.size()).any(|i| t.get(i).as_f64().is_some_and(f64::is_nan));
    let y = wengert_eval::run(case.program(), case.inputs().to_vec());
    !case.inputs().iter().any(has_nan) && y.is_ok_and(|y| y.iter().any(has_nan))
}

#[test]
fn e5_a_loop_goes_to_the_turn_that_fails() {
    // What is carried falls below zero in a turn of the inner loop, after some of the outer one.
    let text = "program (x: f32[5,4]) {
        z: f32[], ys: f32[5,4] = scan[length=5, consts=0, carries=1, reverse=false, body=program (c: f32[], x: f32[4]) {
            d: f32[], y: f32[4] = scan[length=4, consts=0, carries=1, reverse=true, body=program (c: f32[], x: f32[]) {
                d: f32[] = sub(c, x) q: f32[] = sqrt(d) s: f32[] = sin(q) return d, s }](c, x)
            return d, y }](90.0:f32[], x)
        r: f32[] = reduce[combiner=add, dims=[0, 1]](ys) return r }";
    let start = case(Program::parse(text).unwrap());
    let best = reduce_by(|p| p == "turns", start, &mut { gives_nan }, &mut |_| true).unwrap().best;
    expect![[r#"
        program (c: f32[], x: f32[]) {
          d: f32[] = sub(c, x)
          q: f32[] = sqrt(d)
          s: f32[] = sin(q)
          return d, s
        }
    "#]]
    .assert_eq(&best.program().to_text());
}

#[test]
fn e5_the_element_that_fails_is_found_wherever_it_is() {
    for at in [0, 5, 12] {
        let p = Program::parse("program (x: f32[13]) { y: f32[13] = log(x) return y }").unwrap();
        let x: Vec<f32> = (0..13).map(|i| if i == at { -2.5 } else { 1.5 }).collect();
        let start = Case::new(p, vec![Tensor::new([13], x).unwrap()]).unwrap();
        let best = reduce(start, &mut { gives_nan }, &mut |_| true).unwrap().best;
        assert_eq!((best.size().equations, best.size().elements), (1, 1), "{}", best.program());
    }
}

/// Code of the user's that says which types it gives is asked for smaller ones.
#[test]
fn e5_arrays_shrink_through_code_of_the_users() {
    let x = Array::ones([8, 24], DType::F32);
    let f = |x: Array| {
        let y = x.sin() + 1.0;
        pure_callback(|x| vec![-x[0].abs()], &[y.ty()], &[&y]).remove(0).log()
    };
    let start = Case::new(make_program(f, (x.clone(),)), vec![x.to_tensor()]).unwrap();
    let fails = |case: &Case| has(case, &["wengert.callback"]) && gives_nan(case);
    let best = reduce(start, &mut { fails }, &mut |_| true).unwrap().best;
    assert_eq!((best.size().equations, best.program().output_types()[0].shape.size()), (2, 1), "{}", best.program());
}
