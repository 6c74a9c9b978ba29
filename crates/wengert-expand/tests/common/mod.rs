//! Checks of expansions against the ops themselves.

use wengert_core::compare::Tolerance;
use wengert_core::{Op, Program, Result, Type};
use wengert_expand::{convolution_by_patches, expand, fused};
use wengert_testing::{Choices, random_values};

/// The operand types of the only equation of a program, and its op.
fn only_op(program: &Program) -> (&Op, Vec<Type>) {
    let [e] = program.equations() else { panic!("one op is expanded at a time:\n{program}") };
    assert_eq!((&e.inputs[..], &e.outputs[..]), (program.inputs(), program.outputs()), "the op takes and gives all");
    (&e.op, program.input_types())
}

/// How often expansions of expansions are looked at: none goes on for ever.
const DEEPEST: usize = 5;

fn comes_to_an_end(program: &Program, depth: usize) {
    assert!(depth < DEEPEST, "still expanding:\n{program}");
    for e in program.equations() {
        let types: Vec<Type> = e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
        if let Some(inner) = expand(&e.op, &types) {
            comes_to_an_end(&inner.unwrap(), depth + 1);
        }
        e.op.programs().into_iter().for_each(|p| comes_to_an_end(p, depth));
    }
}

/// The expansion of a program of one op, which has its types, verifies, and gives its values on plain numbers.
pub fn check(text: &str) -> Program {
    check_on(text, true)
}

/// The same for a convolution as one product.
pub fn check_patches(text: &str) -> Program {
    let form = |op: &Op, types: &[Type]| match op {
        Op::Convolution(op) => convolution_by_patches(op, types).map(Ok),
        _ => None,
    };
    check_by(text, true, form, Tolerance::near(1e-5))
}

/// The same for the form of the op that a compiler fuses: to the bit, whatever the numbers are.
pub fn check_fused(text: &str) -> Program {
    let form = |op: &Op, types: &[Type]| fused(op, types).map(Ok);
    check_by(text, true, form, Tolerance::BITS);
    check_by(text, false, form, Tolerance::BITS)
}

/// The same, on plain numbers or with infinities, NaN and both zeros among them.
pub fn check_on(text: &str, plain: bool) -> Program {
    check_by(text, plain, expand, Tolerance::near(1e-5))
}

type Expand = fn(&Op, &[Type]) -> Option<Result<Program>>;

fn check_by(text: &str, plain: bool, expand: Expand, tolerance: Tolerance) -> Program {
    let program = Program::parse(text).unwrap_or_else(|e| panic!("{text}\n{e}"));
    let (op, types) = only_op(&program);
    let expanded = expand(op, &types).unwrap_or_else(|| panic!("no expansion:\n{text}")).unwrap();
    expanded.verify().unwrap_or_else(|e| panic!("{text}\n{e}"));
    assert_eq!((expanded.input_types(), expanded.output_types()), (types, program.output_types()), "{text}");
    comes_to_an_end(&expanded, 0);
    let numbers: Vec<u16> = (0..4000).map(|i: u16| i.wrapping_mul(40503) >> 3).collect();
    let x = random_values(&program.input_types(), &mut Choices::new(&numbers), plain);
    let [found, expected] = [&expanded, &program].map(|p| wengert_eval::run(p, x.clone()).unwrap());
    for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
        tolerance.check(f, e).unwrap_or_else(|e| panic!("result {i}: {e}\n{text}\n{expanded}"));
    }
    expanded
}
