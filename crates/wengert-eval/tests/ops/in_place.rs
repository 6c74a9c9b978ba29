//! Results that go over an operand: the same bits as where every value is held by somebody, and nothing that is held
//! changes.

use crate::ops::common::{eval, reals, tensor};
use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;
use wengert_core::compare::Tolerance;
use wengert_core::ops::*;
use wengert_core::run::{Block, Executable, Observer, Run, Value, Visit};
use wengert_core::{Builder, Complex, DType, Dims, Element, Op, Program, Scalar, Tensor, Type, Var};
use wengert_eval::{Plan, run_op};
use wengert_testing::{Choices, Recipe, random_program, random_values};

/// The same value in memory of its own.
fn copy(t: &Tensor) -> Tensor {
    match t.splat_value() {
        Some(s) => Tensor::splat(t.shape().clone(), s),
        None => Tensor::from_bits(&t.ty(), |i| t.get(i).bits()),
    }
}

fn copies(x: &[Tensor]) -> Vec<Tensor> {
    x.iter().map(copy).collect()
}

fn address(t: &Tensor) -> usize {
    t.view().start() as usize
}

/// Holds every value that a run makes, with a copy made at that moment.
#[derive(Default)]
struct Holder(Vec<(Tensor, Tensor)>);

impl Holder {
    fn hold(&mut self, x: &Value) {
        let t = x.host().unwrap();
        self.0.push((t.clone(), copy(t)));
    }

    /// Checks that nothing changed since.
    fn check(&self) {
        assert!(self.0.iter().all(|(t, before)| t.same_bits(before)), "a value that is held was overwritten");
    }
}

impl Observer for Holder {
    fn enter(&mut self, _: &Arc<Program>, _: Visit, inputs: &[Value]) {
        inputs.iter().for_each(|x| self.hold(x));
    }
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, _: &Arc<Program>, _: usize, outputs: &[Value]) {
        outputs.iter().for_each(|x| self.hold(x));
    }
    fn ran(&mut self, block: Block<'_>) {
        block.outputs.iter().for_each(|(_, x)| self.hold(x));
    }
    fn leave(&mut self, _: &Arc<Program>) {}
}

/// Checks that a program gives the same bits whether all values are held, some are, or none.
fn check(p: &Program, inputs: &[Tensor]) {
    let plan = Plan::new(Arc::new(p.clone()));
    let values = |x: &[Tensor]| x.iter().cloned().map(Value::Host).collect::<Vec<_>>();
    let mut holder = Holder::default();
    let held = Executable::run(&plan, Run::new(values(inputs)).observed_by(&mut holder)).unwrap();
    holder.check();
    let inputs_held = plan.run(inputs.to_vec()).unwrap();
    let free = plan.run(copies(inputs)).unwrap();
    holder.check();
    for (i, held) in held.iter().enumerate() {
        let held = held.host().unwrap();
        for (what, y) in [("inputs held", &inputs_held[i]), ("nothing held", &free[i])] {
            // NaN of any payload: which operand it is taken from is the processor's to say.
            if let Err(m) = Tolerance::BITS.check(y, held) {
                panic!("{what}: output {i}: {m}\n{p}");
            }
        }
    }
}

proptest! {
    #![proptest_config(wengert_testing::cases(100))]

    #[test]
    fn random_programs_give_the_same_with_operands_taken_and_held(
        numbers in vec(any::<u16>(), 0..250),
        values in vec(any::<u16>(), 80),
    ) {
        let p = random_program(&Recipe::any(), &mut Choices::new(&numbers));
        let inputs = random_values(&p.input_types(), &mut Choices::new(&values), false);
        check(&p, &inputs);
    }

    #[test]
    fn chains_of_what_is_overwritten_give_the_same(numbers in vec(any::<u16>(), 20..120)) {
        let mut choices = Choices::new(&numbers);
        let n = choices.of(&[2usize, 3, 7, 300]);
        let (p, inputs) = chain(n, 12, &mut choices);
        check(&p, &inputs);
    }
}

proptest! {
    #![proptest_config(wengert_testing::cases(2))]

    #[test]
    fn long_chains_of_what_is_overwritten_give_the_same(numbers in vec(any::<u16>(), 20..120)) {
        // Long enough for threads, and no multiple of what a thread takes.
        let (p, inputs) = chain(70_001, 8, &mut Choices::new(&numbers));
        check(&p, &inputs);
    }
}

/// A program of ops whose results may go over operands, on lines of `n` elements, with inputs for it.
fn chain(n: usize, length: usize, choices: &mut Choices<'_>) -> (Program, Vec<Tensor>) {
    use DType::*;
    let dtypes = [F32, F64, I32, Bool, C64, C128, F16, U8];
    let dtype = choices.of(&dtypes);
    let line = |d: DType| Type::new(d, [n]);
    let types = [line(dtype), line(dtype), line(Bool), line(I32), Type::scalar(I32), Type::scalar(dtype)];
    let mut inputs: Vec<Tensor> = types[..3].iter().map(|t| pattern(t, 7)).collect();
    inputs.push(Tensor::new([n], (0..n).map(|i| (i * 31 % (n + 2)) as i32 - 1).collect()).unwrap());
    inputs.push(Tensor::scalar(choices.below(n) as i32));
    inputs.push(pattern(&types[5], 3));
    let mut b = Builder::new();
    let x = b.inputs(&types);
    let (mut lines, mut masks) = (vec![x[0], x[1]], vec![x[2]]);
    for _ in 0..length {
        let y = link(&mut b, n, (&lines, &masks), (x[3], x[4], x[5]), choices);
        if let Some(y) = y {
            if b.dtype(y) == Bool {
                masks.push(y)
            } else {
                lines.push(y)
            }
            // With few variables in use, most operands are used for the last time.
            if dtype == Bool {
                lines.push(y);
            }
            if lines.len() > 3 {
                lines.remove(choices.below(2));
            }
        }
    }
    (b.finish(&[lines[lines.len() - 1], lines[0]]), inputs)
}

/// One equation more, if it takes the type.
fn link(
    b: &mut Builder,
    n: usize,
    (lines, masks): (&[Var], &[Var]),
    (indices, start, scalar): (Var, Var, Var),
    choices: &mut Choices<'_>,
) -> Option<Var> {
    let (x, y, mask) = (choices.of(lines), choices.of(lines), choices.of(masks));
    let ty = b.ty(x).clone();
    let (op, args): (Op, Vec<Var>) = match choices.below(10) {
        0 => (choices.of(Unary::ALL).into(), vec![x]),
        1 | 2 => (choices.of(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Max, Binary::Xor]).into(), vec![x, y]),
        3 => {
            let all = b.broadcast(scalar, &ty.shape, &[]);
            (
                choices.of(&[Binary::Add, Binary::Sub, Binary::Min]).into(),
                if choices.coin() { vec![x, all] } else { vec![all, x] },
            )
        }
        4 => (Select {}.into(), vec![mask, x, y]),
        5 => (Clamp {}.into(), if choices.coin() { vec![y, x, y] } else { vec![scalar, x, y] }),
        6 => {
            let kind = choices.of(CumulativeKind::ALL);
            (Cumulative { kind, dim: 0, reverse: choices.coin() }.into(), vec![x])
        }
        7 => {
            let update = b.slice(y, &[0], &[n.div_ceil(2)], &[1]);
            (DynamicUpdateSlice {}.into(), vec![x, update, start])
        }
        8 => {
            let named = [Combiner::Add, Combiner::Max, Combiner::Mul];
            let update = if choices.coin() { Update::Set } else { Update::Combine(choices.of(&named)) };
            let indexing = Indexing::rows(1, 1);
            let op = Scatter { indexing, update, indices_are_sorted: false, unique_indices: false };
            (op.into(), vec![x, indices, y])
        }
        _ => (Compare { direction: choices.of(Direction::ALL) }.into(), vec![x, y]),
    };
    let y = b.try_push(op, &args).ok()?[0];
    Some(y).filter(|&y| b.ty(y).dtype == ty.dtype || b.dtype(y) == DType::Bool)
}

/// Numbers of both signs, some of them repeated.
fn pattern(ty: &Type, seed: usize) -> Tensor {
    let number = |i: usize| ((i * 37 + seed) % 23) as f64 / 8.0 - 1.0;
    Tensor::from_bits(ty, |i| match ty.dtype {
        d if d.is_complex() => Scalar::from_complex(d, Complex::new(number(i), number(i + 5))).bits(),
        d => Scalar::from_f64(d, number(i) * if d.is_float() { 1.0 } else { 8.0 }).bits(),
    })
}

/// The operand whose memory the first result took, if it took one's.
fn taken(op: impl Into<Op>, x: Vec<Tensor>) -> Option<usize> {
    let op = op.into();
    let held = run_op(&op, copies(&x).to_vec()).unwrap();
    let places: Vec<usize> = x.iter().map(address).collect();
    let y = run_op(&op, x).unwrap();
    assert!(y[0].same_bits(&held[0]), "{op:?}");
    places.iter().position(|p| *p == address(&y[0]))
}

#[test]
fn what_nothing_else_holds_is_overwritten() {
    let [x, y] = [1, 2].map(|seed| move || pattern(&Type::new(DType::F32, [10]), seed));
    let mask = || pattern(&Type::new(DType::Bool, [10]), 3);
    let splat = || Tensor::splat([10], Scalar::F32(0.5));
    let scalar = || Tensor::scalar(0.5f32);
    let row = || Tensor::from_slice([3], &[1.0f32, 2.0, 3.0]).unwrap();
    let cumulative = || Cumulative { kind: CumulativeKind::Sum, dim: 0, reverse: false };
    assert_eq!(taken(Unary::Sin, vec![x()]), Some(0));
    assert_eq!(taken(Binary::Add, vec![x(), y()]), Some(0));
    assert_eq!(taken(Binary::Sub, vec![splat(), y()]), Some(1));
    assert_eq!(taken(Clamp {}, vec![scalar(), x(), y()]), Some(1));
    assert_eq!(taken(Select {}, vec![mask(), x(), y()]), Some(1));
    assert_eq!(taken(Select {}, vec![mask(), splat(), y()]), Some(2));
    assert_eq!(taken(cumulative(), vec![x()]), Some(0));
    assert_eq!(taken(DynamicUpdateSlice {}, vec![x(), row(), Tensor::scalar(4)]), Some(0));
    // What is held is not.
    let held = [x(), y()];
    for op in [Binary::Add, Binary::Mul] {
        assert_eq!(taken(op, vec![held[0].clone(), held[1].clone()]), None);
        assert_eq!(taken(op, vec![held[0].clone(), y()]), Some(1));
        assert_eq!(taken(op, vec![held[0].clone(), held[0].clone()]), None);
    }
    assert!(held[0].same_bits(&x()) && held[1].same_bits(&y()));
    // One handle twice is two handles.
    let twice = x();
    assert_eq!(taken(Binary::Sub, vec![twice.clone(), twice]), None);
    // Results of another type lie elsewhere.
    assert_eq!(taken(Compare { direction: Direction::Lt }, vec![x(), y()]), None);
    assert_eq!(taken(Convert { dtype: DType::I32 }, vec![x()]), None);
    assert_eq!(taken(Binary::Complex, vec![x(), y()]), None);
    let complex = || pattern(&Type::new(DType::C64, [10]), 1);
    assert_eq!(taken(Unary::Real, vec![complex()]), None);
    assert_eq!(taken(Unary::Exp, vec![complex()]), Some(0));
}

#[test]
fn a_part_of_an_array_is_overwritten_and_the_rest_is_not() {
    let whole = pattern(&Type::new(DType::F64, [4, 100]), 1);
    let rows: Vec<Tensor> = (0..4).map(|i| whole.leading_slice(i)).collect();
    let before = copies(&rows);
    // All rows share the block: none is written.
    assert_eq!(taken(Unary::Neg, vec![whole.leading_slice(1)]), None);
    drop(whole);
    let [a, b, c, d] = rows.try_into().ok().unwrap();
    drop((a, c, d));
    assert_eq!(address(&b) % 8, 0);
    let y = run_op(&Unary::Neg.into(), vec![b]).unwrap();
    assert_eq!(reals(&y[0]), reals(&before[1]).iter().map(|x| -x).collect::<Vec<_>>());
}

#[test]
fn operands_of_one_element_are_not_overwritten_where_they_lay() {
    for shape in [&[][..], &[1], &[1, 1, 1]] {
        let x = pattern(&Type::new(DType::C128, shape), 1);
        let y = run_op(&Unary::Neg.into(), vec![x.clone()]).unwrap();
        assert_eq!(y[0].get(0).as_complex(), -x.get(0).as_complex());
        let z = run_op(&Binary::Add.into(), vec![x.clone(), y[0].clone()]).unwrap();
        assert_eq!(z[0].get(0).as_complex(), Complex::new(0.0, 0.0));
    }
}

/// Several results at once: each goes over its own operand, unless that is held.
#[test]
fn each_result_of_a_scatter_goes_over_its_own_operand() {
    let text = "program (x: f32[3], k: i32[3], i: i32[2,1], u: f32[2], n: i32[2]) {
      y: f32[3], m: i32[3] = scatter[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[0], index_vector_dim=1], \
       update=program (x: f32[], k: i32[], u: f32[], n: i32[]) {
        v: f32[] = add(x, u)
        w: i32[] = add(k, n)
        return v, w
      }, indices_are_sorted=false, unique_indices=false](x, k, i, u, n)
      return y, m
    }";
    let inputs = || {
        vec![
            tensor("f32[3]", &[0., 1., 2.]),
            tensor("i32[3]", &[10., 20., 30.]),
            tensor("i32[2,1]", &[2., 0.]),
            tensor("f32[2]", &[5., 6.]),
            tensor("i32[2]", &[7., 8.]),
        ]
    };
    let p = Program::parse(text).unwrap();
    for held in 0..4 {
        let x = inputs();
        let places = [address(&x[0]), address(&x[1])];
        let kept: Vec<Tensor> = (0..2).filter(|i| held >> i & 1 == 1).map(|i| x[i].clone()).collect();
        let y = wengert_eval::run(&p, x).unwrap();
        assert_eq!((reals(&y[0]), reals(&y[1])), (vec![6., 1., 7.], vec![18., 20., 37.]));
        for i in 0..2 {
            assert_eq!(address(&y[i]) == places[i], held >> i & 1 == 0);
        }
        assert!(kept.iter().all(|k| k.same_bits(&inputs()[(k.dtype() == DType::I32) as usize])));
    }
}

/// One of several arrays of updates is one number repeated, the others are not.
#[test]
fn updates_of_a_scatter_are_repeated_or_not_each_on_its_own() {
    let text = "program (x: f32[3], k: i32[3], i: i32[2,1], u: f32[2], n: i32[2]) {
      y: f32[3], m: i32[3] = scatter[indexing=[window_dims=[], collapsed_dims=[0], operand_batching_dims=[], \
       indices_batching_dims=[], index_map=[0], index_vector_dim=1], \
       update=program (x: f32[], k: i32[], u: f32[], n: i32[]) {
        v: f32[] = add(x, u)
        w: i32[] = add(k, n)
        return v, w
      }, indices_are_sorted=false, unique_indices=false](x, k, i, u, n)
      return y, m
    }";
    let (x, k, i) = (tensor("f32[3]", &[0., 1., 2.]), tensor("i32[3]", &[0., 0., 0.]), tensor("i32[2,1]", &[2., 0.]));
    let (u, n) = (tensor("f32[2]", &[5., 5.]), tensor("i32[2]", &[7., 8.]));
    let splat = |t: &Tensor| Tensor::splat(t.shape().clone(), t.get(0));
    let expected = eval(text, &[x.clone(), k.clone(), i.clone(), u.clone(), n.clone()]);
    let found = eval(text, &[x.clone(), k.clone(), i.clone(), splat(&u), n.clone()]);
    assert_eq!((reals(&found[0]), reals(&found[1])), (reals(&expected[0]), reals(&expected[1])));
    let m = tensor("i32[2]", &[7., 7.]);
    let expected = eval(text, &[x.clone(), k.clone(), i.clone(), u.clone(), m.clone()]);
    for (u, m) in [(u.clone(), splat(&m)), (splat(&u), splat(&m))] {
        let found = eval(text, &[x.clone(), k.clone(), i.clone(), u, m]);
        assert_eq!((reals(&found[0]), reals(&found[1])), (reals(&expected[0]), reals(&expected[1])));
    }
}

/// The carries of a loop are written over each other; what the loop is given, and what it stacks, is not.
#[test]
fn loops_overwrite_their_carries_alone() {
    let text = "program (x: f64[50], s: f64[4,50]) {
      y: f64[50], z: f64[4,50] = scan[length=4, consts=0, carries=1, reverse=false, body=program (c: f64[50], s: f64[50]) {
        d: f64[50] = add(c, s)
        e: f64[50] = mul(d, d)
        f: f64[50] = sub(e, s)
        return d, f
      }](x, s)
      return y, z, s
    }";
    let p = Program::parse(text).unwrap();
    let inputs = [pattern(&Type::new(DType::F64, [50]), 1), pattern(&Type::new(DType::F64, [4, 50]), 2)];
    check(&p, &inputs);
}

/// An operand that has the memory of the result is found by its place, also at the ends of what is copied at a time.
#[test]
fn every_length_around_what_is_copied_at_a_time() {
    fn lengths<T: Element>(op: Binary) {
        let width = size_of::<T>();
        for n in [2, 3, 2048 / width - 1, 2048 / width, 2048 / width + 1, 4096 / width + 3, (1 << 16) + 1] {
            let ty = Type::new(T::DTYPE, [n]);
            let [x, y] = [pattern(&ty, 1), pattern(&ty, 2)];
            let expected = run_op(&op.into(), vec![x.clone(), y.clone()]).unwrap();
            let over_x = run_op(&op.into(), vec![copy(&x), y.clone()]).unwrap();
            let over_y = run_op(&op.into(), vec![x.clone(), copy(&y)]).unwrap();
            assert!(over_x[0].same_bits(&expected[0]) && over_y[0].same_bits(&expected[0]), "{} of {n}", T::DTYPE);
        }
    }
    lengths::<bool>(Binary::Xor);
    lengths::<u8>(Binary::Sub);
    lengths::<i16>(Binary::Sub);
    lengths::<f32>(Binary::Sub);
    lengths::<f64>(Binary::Div);
    lengths::<Complex<f64>>(Binary::Mul);
}

#[test]
fn slices_of_a_loop_are_read_where_they_lie() {
    let op = DynamicSlice { sizes: Dims::from_slice(&[2]) };
    let x = pattern(&Type::new(DType::F32, [3, 5]), 1);
    for i in 0..3 {
        let y = run_op(&op.clone().into(), vec![x.leading_slice(i), Tensor::scalar(3)]).unwrap();
        assert_eq!(reals(&y[0]), reals(&x)[5 * i + 3..5 * i + 5]);
    }
}
