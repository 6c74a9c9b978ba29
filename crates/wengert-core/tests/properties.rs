//! Random programs: what is printed reads back, and every pass and transform makes a well-formed program.
use proptest::collection::vec;
use proptest::prelude::*;
use wengert_core::simplify::{Pass, Simplifier, shrink_residuals};
use wengert_core::{Error, ErrorKind, Program, transform};
use wengert_testing::{Choices, Recipe, random_program};

fn check(p: &Program, what: &str) -> Result<(), TestCaseError> {
    if let Err(e) = p.verify() {
        return Err(TestCaseError::fail(format!("{what}: {e}\n{p}")));
    }
    let text = p.to_text();
    match Program::parse(&text) {
        Err(e) => Err(TestCaseError::fail(format!("{what}: {e}\n{text}"))),
        Ok(q) => {
            prop_assert_eq!(q.to_text(), text, "{}", what);
            prop_assert!(q == *p, "{what}: the text form lost something\n{p}");
            Ok(())
        }
    }
}

fn made<T>(result: Result<T, Error>, what: &str, p: &Program) -> Result<Option<T>, TestCaseError> {
    match result {
        Ok(x) => Ok(Some(x)),
        // Some ops have no such rule, and say so.
        Err(e) if e.kind() == ErrorKind::NoRule => Ok(None),
        Err(e) => Err(TestCaseError::fail(format!("{what}: {e}\n{p}"))),
    }
}

fn check_all(p: &Program) -> Result<(), TestCaseError> {
    check(p, "as made")?;
    for &pass in Pass::ALL {
        check(&Simplifier::new(&[pass]).run(p), pass.as_str())?;
    }
    let simple = Simplifier::default().run(p);
    check(&simple, "simplify")?;
    // Simplifying is done when it is done.
    prop_assert!(simple.equation_count() <= Simplifier::new(&[Pass::Inline]).run(p).equation_count() + 8);
    let wrt: Vec<bool> = p.input_types().iter().map(|t| t.dtype.is_differentiable()).collect();
    let none = vec![false; p.outputs().len()];
    if wrt.contains(&true) {
        if let Some((q, _)) = made(transform::jvp(p, &wrt), "jvp", p)? {
            check(&q, "jvp")?;
        }
        if let Some(q) = made(transform::linearize(p, &wrt, &none), "linearize", p)? {
            check(&q.forward, "forward")?;
            check(&q.linear, "linear")?;
        }
        if let Some(q) = made(transform::vjp(p, &wrt), "vjp", p)? {
            check(&q, "vjp")?;
            let simple = Simplifier::default().run(&q);
            check(&simple, "simplified vjp")?;
            let less = shrink_residuals(&simple);
            check(&less, "vjp with fewer residuals")?;
            prop_assert!(shrink_residuals(&less) == less, "shrinking again changes nothing\n{less}");
        }
    }
    let all = vec![true; p.inputs().len()];
    if let Some((q, _)) = made(transform::batch(p, 2, None, &all, &none), "batch", p)? {
        check(&q, "batch")?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(wengert_testing::cases(100))]

    #[test]
    fn programs_stay_well_formed(numbers in vec(any::<u16>(), 0..250)) {
        check_all(&random_program(&Recipe::any(), &mut Choices::new(&numbers)))?;
    }

    #[test]
    fn smooth_programs_stay_well_formed(numbers in vec(any::<u16>(), 0..250)) {
        check_all(&random_program(&Recipe::smooth(), &mut Choices::new(&numbers)))?;
    }
}
