//! Random programs as users meet them: `f`, simplified and parsed back `f` agree, and `jit(f)` with the rewritten program;
//! `vmap` is a loop; derivatives agree staged and not, forward and reverse.

use proptest::collection::vec;
use proptest::prelude::*;
use std::sync::Arc;
use wengert::*;
use wengert_core::compare::Tolerance;
use wengert_testing::{Choices, Recipe, random_program, random_values};

type Outcome = std::result::Result<(), TestCaseError>;

fn arrays(values: &[Tensor]) -> Vec<Array> {
    values.iter().cloned().map(Array::from_tensor).collect()
}

/// Checks that two lists of arrays are the same within a tolerance.
fn same(what: &str, p: &Program, found: &[Array], expected: &[Array], tolerance: Tolerance) -> Outcome {
    prop_assert_eq!(found.len(), expected.len());
    for (i, (f, e)) in found.iter().zip(expected).enumerate() {
        tolerance
            .check(&f.to_tensor(), &e.to_tensor())
            .map_err(|m| TestCaseError::fail(format!("{what}: result {i}: {m}\n{p}")))?;
    }
    Ok(())
}

/// The sum of all real results, each with its own weight: a scalar function of the program's inputs.
fn weighted(y: &[Array]) -> Array {
    let real = y.iter().filter(|y| y.dtype().is_float());
    real.enumerate().fold(Array::from(0.0f64), |sum, (i, y)| sum + (y * (i as f64 + 0.5)).sum(..))
}

proptest! {
    #![proptest_config(wengert_testing::cases(60))]

    #[test]
    fn staged_simplified_and_parsed_back(numbers in vec(any::<u16>(), 0..250), values in vec(any::<u16>(), 60)) {
        let p = random_program(&Recipe::any(), &mut Choices::new(&numbers));
        let x = arrays(&random_values(&p.input_types(), &mut Choices::new(&values), false));
        let f = |x: Vec<Array>| call_program(&p, &x);
        let expected = f(x.clone());
        let traced = make_program(f, (x.clone(),));
        same("traced", &traced, &call_program(&traced, &x), &expected, Tolerance::BITS)?;
        let simple = simplify(&traced);
        same("simplified", &simple, &call_program(&simple, &x), &expected, Tolerance::BITS)?;
        // Compiled, a program gives the bits of the rewritten one.
        let rewritten = rewrite_watched(&Arc::new(simple), |_, _, _| ()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        let compiled = call_program(&rewritten, &x);
        same("jit", &p, &jit(f)(x.clone()), &compiled, Tolerance::BITS)?;
        same("jit of jit", &p, &jit(jit(f))(x.clone()), &compiled, Tolerance::BITS)?;
        let parsed = Program::parse(&traced.to_text()).map_err(|e| TestCaseError::fail(e.to_string()))?;
        same("parsed back", &parsed, &call_program(&parsed, &x), &expected, Tolerance::BITS)?;
    }

    #[test]
    fn vmap_is_a_loop(numbers in vec(any::<u16>(), 0..200), values in vec(any::<u16>(), 200)) {
        const SIZE: usize = 3;
        let p = random_program(&Recipe::smooth(), &mut Choices::new(&numbers));
        let mut choices = Choices::new(&values);
        let members: Vec<Vec<Array>> =
            (0..SIZE).map(|_| arrays(&random_values(&p.input_types(), &mut choices, true))).collect();
        let column = |i: usize| members.iter().map(|m| m[i].clone()).collect::<Vec<_>>();
        let x: Vec<Array> = (0..p.inputs().len()).map(|i| stack(column(i), 0)).collect();
        let f = |x: Vec<Array>| call_program(&p, &x);
        let each: Vec<Vec<Array>> = members.iter().map(|m| f(m.clone())).collect();
        let expected: Vec<Array> = (0..p.outputs().len())
            .map(|i| stack(each.iter().map(|y| y[i].clone()).collect::<Vec<_>>(), 0))
            .collect();
        let near = Tolerance::near(1e-12);
        same("vmap", &p, &vmap(f)(x.clone()), &expected, near)?;
        same("jit of vmap", &p, &jit(vmap(f))(x.clone()), &expected, near)?;
        same("vmap of jit", &p, &vmap(jit(f))(x.clone()), &expected, near)?;
        // The same over the last axis, in and out.
        let last = |x: &[Array]| x.iter().map(|x| x.move_axis(0, -1)).collect::<Vec<_>>();
        let over_last = vmap(f).in_axes([Some(-1)]).out_axis(-1);
        same("vmap over the last axis", &p, &over_last(last(&x)), &last(&expected), near)?;
    }

    #[test]
    fn derivatives_staged_and_not_forward_and_reverse(
        numbers in vec(any::<u16>(), 0..150),
        values in vec(any::<u16>(), 120),
    ) {
        let p = random_program(&Recipe::smooth(), &mut Choices::new(&numbers));
        let mut choices = Choices::new(&values);
        let all = arrays(&random_values(&p.input_types(), &mut choices, true));
        let directions = arrays(&random_values(&p.input_types(), &mut choices, true));
        let moves = |x: &Array| x.dtype().is_float();
        let x: Vec<Array> = all.iter().filter(|x| moves(x)).cloned().collect();
        let t: Vec<Array> = directions.into_iter().filter(moves).collect();
        let f = |x: Vec<Array>| {
            let mut x = x.into_iter();
            let args: Vec<Array> =
                all.iter().map(|a| if moves(a) { x.next().expect("one each") } else { a.clone() }).collect();
            weighted(&call_program(&p, &args))
        };
        let near = Tolerance::near(1e-9);
        let slope = grad(f)(x.clone());
        same("jit of grad", &p, &jit(grad(f))(x.clone()), &slope, near)?;
        same("grad of jit", &p, &grad(jit(f))(x.clone()), &slope, near)?;
        let (value, along) = jvp(f, (x.clone(),), (t.clone(),));
        same("value of the jvp", &p, &[value], &[f(x.clone())], near)?;
        let paired = slope.iter().zip(&t).fold(Array::from(0.0f64), |sum, (s, t)| sum + (s * t).sum(..));
        same("forward against reverse", &p, &[along], &[paired], near)?;
        // Second order: forward over reverse, and reverse over reverse.
        let forward = jvp(grad(f), (x.clone(),), (t.clone(),)).1;
        let dotted = |x: Vec<Array>| {
            let slope = grad(f)(x);
            slope.iter().zip(&t).fold(Array::from(0.0f64), |sum, (s, t)| sum + (s * t).sum(..))
        };
        same("second order", &p, &grad(dotted)(x), &forward, Tolerance::near(1e-7))?;
    }
}
