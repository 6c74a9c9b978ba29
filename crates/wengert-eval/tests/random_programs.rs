//! Random programs: simplified, parsed back, differentiated and batched, they compute what they should.
use proptest::collection::vec;
use proptest::prelude::*;
use wengert_core::compare::Tolerance;
use wengert_core::simplify::{Simplifier, shrink_residuals};
use wengert_core::transform::{batch, jvp, vjp};
use wengert_core::{Program, Tensor, Type};
use wengert_eval::{run, run_op};
use wengert_testing::{Choices, Recipe, from_scalars, random_program, random_values};

type Outcome<T = ()> = Result<T, TestCaseError>;

/// How near values come that were computed in another order.
const NEAR: Tolerance = Tolerance::near(1e-12);

fn fail<T>(message: String) -> Outcome<T> {
    Err(TestCaseError::fail(message))
}

fn run_on(p: &Program, inputs: &[Tensor]) -> Outcome<Vec<Tensor>> {
    run(p, inputs.to_vec()).or_else(|e| fail(format!("{e}\n{p}")))
}

/// Checks that two programs give the same, bit by bit.
fn same(what: &str, p: &Program, q: &Program, inputs: &[Tensor]) -> Outcome {
    let (expected, found) = (run_on(p, inputs)?, run_on(q, inputs)?);
    for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
        if let Err(m) = Tolerance::BITS.check(f, e) {
            return fail(format!("{what}: output {i}: {m}\ninputs {inputs:?}\n{p}\n{q}"));
        }
    }
    Ok(())
}

fn check_same(p: &Program, inputs: &[Tensor]) -> Outcome {
    let parsed = Program::parse(&p.to_text()).or_else(|e| fail(format!("{e}\n{p}")))?;
    same("parsed back", p, &parsed, inputs)?;
    same("simplified", p, &Simplifier::default().run(p), inputs)?;
    let folded = Simplifier::default().evaluating(&|op, x| run_op(op, x.to_vec()), 64).run(p);
    same("folded", p, &folded, inputs)
}

fn differentiable(types: &[Type]) -> Vec<bool> {
    types.iter().map(|t| t.dtype.is_differentiable()).collect()
}

fn moving(types: &[Type]) -> Vec<Type> {
    types.iter().filter(|t| t.dtype.is_differentiable()).cloned().collect()
}

fn paired(x: &[Tensor], y: &[Tensor]) -> f64 {
    let number = |t: &Tensor, i: usize| t.get(i).as_f64().expect("real");
    x.iter().zip(y).flat_map(|(x, y)| (0..x.size()).map(move |i| number(x, i) * number(y, i))).sum()
}

/// `⟨ct, J t⟩ = ⟨Jᵀ ct, t⟩`, and the values are those of the program.
fn check_derivatives(p: &Program, inputs: &[Tensor], choices: &mut Choices<'_>) -> Outcome {
    let (wrt, kept) = (differentiable(&p.input_types()), differentiable(&p.output_types()));
    if !wrt.contains(&true) {
        return Ok(());
    }
    let tangents = random_values(&moving(&p.input_types()), choices, true);
    let cotangents = random_values(&moving(&p.output_types()), choices, true);
    let values = run_on(p, inputs)?;
    let (forward, moves) = jvp(p, &wrt).or_else(|e| fail(format!("jvp: {e}\n{p}")))?;
    let back = vjp(p, &wrt).or_else(|e| fail(format!("vjp: {e}\n{p}")))?;
    let y = run_on(&forward, &[inputs, &tangents].concat())?;
    let args = [inputs, &cotangents].concat();
    let z = run_on(&back, &args)?;
    same("with fewer residuals", &back, &shrink_residuals(&back), &args)?;
    for (i, value) in values.iter().enumerate() {
        NEAR.check(&y[i], value).or_else(|m| fail(format!("value {i} of the jvp: {m}\n{p}\n{forward}")))?;
        NEAR.check(&z[i], value).or_else(|m| fail(format!("value {i} of the vjp: {m}\n{p}\n{back}")))?;
    }
    let mut there = y[values.len()..].iter();
    let mut dy = Vec::new();
    for (i, value) in values.iter().enumerate() {
        let t = if moves[i] { there.next().expect("a tangent").clone() } else { Tensor::zeros(&value.ty()) };
        if kept[i] {
            dy.push(t);
        }
    }
    let (a, b) = (paired(&cotangents, &dy), paired(&z[values.len()..], &tangents));
    if (a - b).abs() > 1e-9 * a.abs().max(1.0) {
        return fail(format!("forward gives {a}, reverse {b}\n{p}\n{forward}\n{back}"));
    }
    check_same(&forward, &[inputs, &tangents].concat())?;
    check_same(&back, &args)
}

fn stacked(x: &[Tensor], each: &Type) -> Tensor {
    let n = each.shape.size();
    from_scalars(&each.with_shape(each.shape.with_axis(0, x.len())), |i| x[i / n].get(i % n))
}

/// The program over a batch is a loop of the program.
fn check_batch(p: &Program, choices: &mut Choices<'_>) -> Outcome {
    const SIZE: usize = 3;
    let types = p.input_types();
    let batched: Vec<bool> = types.iter().map(|_| choices.below(3) > 0).collect();
    let first = random_values(&types, choices, true);
    let members: Vec<Vec<Tensor>> = (0..SIZE)
        .map(|_| {
            let other = random_values(&types, choices, true);
            (0..types.len()).map(|i| if batched[i] { other[i].clone() } else { first[i].clone() }).collect()
        })
        .collect();
    let column = |i: usize| members.iter().map(|m| m[i].clone()).collect::<Vec<_>>();
    let args: Vec<Tensor> =
        (0..types.len()).map(|i| if batched[i] { stacked(&column(i), &types[i]) } else { first[i].clone() }).collect();
    let demand = vec![true; p.outputs().len()];
    let (over, _) = batch(p, SIZE, None, &batched, &demand).or_else(|e| fail(format!("batch: {e}\n{p}")))?;
    let found = run_on(&over, &args)?;
    let each = members.iter().map(|m| run_on(p, m)).collect::<Outcome<Vec<_>>>()?;
    for (i, ty) in p.output_types().iter().enumerate() {
        let expected = stacked(&each.iter().map(|y| y[i].clone()).collect::<Vec<_>>(), ty);
        NEAR.check(&found[i], &expected).or_else(|m| fail(format!("batched output {i}: {m}\n{p}\n{over}")))?;
    }
    check_same(&over, &args)
}

proptest! {
    #![proptest_config(wengert_testing::cases(100))]

    #[test]
    fn simplified_and_parsed_back(numbers in vec(any::<u16>(), 0..250)) {
        let mut choices = Choices::new(&numbers);
        let inputs_first: Vec<u16> = numbers.iter().rev().copied().collect();
        let p = random_program(&Recipe::any(), &mut choices);
        let inputs = random_values(&p.input_types(), &mut Choices::new(&inputs_first), false);
        check_same(&p, &inputs)?;
    }

    #[test]
    fn derivatives_forward_and_reverse(numbers in vec(any::<u16>(), 0..200), values in vec(any::<u16>(), 60)) {
        let p = random_program(&Recipe::smooth(), &mut Choices::new(&numbers));
        let mut choices = Choices::new(&values);
        let inputs = random_values(&p.input_types(), &mut choices, true);
        check_derivatives(&p, &inputs, &mut choices)?;
    }

    #[test]
    fn batch_is_a_loop(numbers in vec(any::<u16>(), 0..200), values in vec(any::<u16>(), 100)) {
        let p = random_program(&Recipe::smooth(), &mut Choices::new(&numbers));
        check_batch(&p, &mut Choices::new(&values))?;
    }
}
