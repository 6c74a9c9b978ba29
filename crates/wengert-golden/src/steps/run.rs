//! `run`: the results that the evaluator gives for the values of the `input` lines.
//! How an evaluator stores a value, and which NaN it gives, is not to be seen in the text.

use super::{Args, Step};
use crate::{Failure, Stage};
use wengert_core::{Complex, Element, Program, Scalar, Tensor, counted, with_dtype};

pub(super) struct Run;

impl Step for Run {
    fn name(&self) -> &'static str {
        "run"
    }

    fn about(&self) -> &'static str {
        "`test run`: the results for the values of the `input` lines, as text"
    }

    fn reads_inputs(&self) -> bool {
        true
    }

    fn run(&self, stage: &Stage, args: &Args<'_>) -> Result<Stage, Failure> {
        args.none()?;
        let program = stage.one(args)?;
        let inputs = inputs(program, args)?;
        let results = wengert_eval::run(program, inputs)?;
        Ok(Stage::Text(results.iter().map(|y| shown(y).to_text() + "\n").collect()))
    }
}

/// The values of the header, of the types that the program takes.
fn inputs(program: &Program, args: &Args<'_>) -> Result<Vec<Tensor>, Failure> {
    let named = |i: usize| {
        let v = program.inputs()[i];
        format!("`{}`", program.var_name(v).map_or_else(|| format!("%{}", v.index()), ToString::to_string))
    };
    let types = program.input_types();
    for (i, (ty, input)) in types.iter().zip(args.inputs).enumerate() {
        if input.value.ty() != *ty {
            let found = input.value.ty();
            return Err(args.mistake_in(input.line, format!("{} has the type {ty}, and this is {found}", named(i))));
        }
    }
    if let Some(input) = args.inputs.get(types.len()) {
        let inputs = counted(types.len(), "input");
        return Err(args.mistake_in(input.line, format!("one input too many: the program that runs takes {inputs}")));
    }
    if let Some(ty) = types.get(args.inputs.len()) {
        let missing = args.inputs.len();
        return Err(args.mistake(format!("needs a line `input VALUE` for {}, which has the type {ty}", named(missing))));
    }
    Ok(args.inputs.iter().map(|i| i.value.clone()).collect())
}

/// The value with every element spelled out, and one NaN for all.
fn shown(y: &Tensor) -> Tensor {
    let bits = |i: usize| with_one_nan(y.get(i)).bits();
    with_dtype!(y.dtype(), T => {
        let elements: Vec<T> = (0..y.size()).map(|i| <T as Element>::from_bits(bits(i))).collect();
        Tensor::new(y.shape().clone(), elements).expect("as many elements")
    })
}

fn with_one_nan(s: Scalar) -> Scalar {
    let single = |x: f32| if x.is_nan() { f32::NAN } else { x };
    let double = |x: f64| if x.is_nan() { f64::NAN } else { x };
    match s {
        Scalar::C64(c) => Scalar::C64(Complex::new(single(c.re), single(c.im))),
        Scalar::C128(c) => Scalar::C128(Complex::new(double(c.re), double(c.im))),
        s if s.dtype().is_float() && s.as_f64().is_some_and(f64::is_nan) => Scalar::from_f64(s.dtype(), f64::NAN),
        s => s,
    }
}
