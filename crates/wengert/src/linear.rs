//! Linear functions backwards.

use crate::array::{Array, Stager, StagingInfo};
use crate::fail::ok;
use crate::fit::{leaf_names_of, same_type};
use crate::function::{Args, Func, Function};
use crate::stage::{FlatArgs, call_program, stage_program};
use crate::tape::call_if_failed;
use crate::tree::Tree;
use wengert_core::ops::Binary;
use wengert_core::{Error, ErrorKind, Op, Place, Program, Result, Scalar, Tensor, Type, Var, transform};

/// The transpose of a linear function: what pulls cotangents of its result back to its arguments, of which only the types
/// count here. A function that is not linear is an error, at the op that is not.
///
/// ```
/// use wengert::{linear_transpose, Array};
/// let a = Array::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
/// let f = |x: Array| a.matmul(x);
/// let back = linear_transpose(f, (Array::from([0.0f32, 0.0]),));
/// assert_eq!(back(Array::from([1.0f32, 0.0, 10.0])).0.to_vec::<f32>(), [51.0, 62.0]);
/// ```
#[track_caller]
pub fn linear_transpose<'f, A: Args + 'f, F: Function<A>>(f: F, args: A) -> Func<'f, (F::Output,), A>
where
    F::Output: Tree + 'f,
    A::Structure: 'f,
{
    let place = Place::caller();
    let info = StagingInfo { by: Stager::Transpose, function: f.name().into(), place: place.clone() };
    let flat = FlatArgs::new(&args);
    let traced = ok(stage_program(info.clone(), &flat, &|a| f.call(a)));
    let linear: Vec<bool> = (0..traced.program.inputs().len()).map(|i| i < flat.leaves.len()).collect();
    let given = vec![true; traced.program.outputs().len()];
    let transposed = || {
        let back = adds_nothing(&traced.program, &linear)
            .and_then(|()| transform::transpose(&traced.program, &linear, &given));
        back.map_err(|e| not_linear(e, &info))
    };
    let (back, have) = ok(call_if_failed(&info, || flat.leaves.clone(), || (), transposed));
    let types: Vec<_> = flat.leaves.iter().map(Array::ty).collect();
    let (structure, captures, wanted) = (flat.structure, traced.captures, traced.program.output_types());
    let (name, out) = (format!("transpose of {}", f.name()), traced.out);
    Func::new(&name, move |(cotangent,): (F::Output,)| {
        let mut given = Vec::new();
        cotangent.flatten(&mut given);
        for ((want, ct), name) in wanted.iter().zip(&given).zip(leaf_names_of::<F::Output>("result", &out)) {
            ok(same_type("cotangent", &name, want, ct, &info, &place));
        }
        let x: Vec<Array> = captures.iter().cloned().chain(given).collect();
        let mut found = call_program(&back, &x).into_iter();
        // What the result does not depend on gets nothing.
        let mut next = |(ty, have): (&Type, &bool)| match have {
            true => found.next().expect("a result for each"),
            false => Array::from_tensor(Tensor::zeros(ty)),
        };
        let leaves: Vec<Array> = types.iter().zip(&have).map(&mut next).collect();
        A::unflatten(&structure, &mut leaves.into_iter())
    })
}

/// The error of an op that is not linear, as one of the function that it is in.
fn not_linear(e: Error, info: &StagingInfo) -> Error {
    let e = match e.kind() {
        ErrorKind::NoRule => {
            e.within(format!("`linear_transpose` needs a linear function, and {} is not", info.shown_function()))
        }
        _ => e.within("`linear_transpose`"),
    };
    let e = e.at(info.place.clone()).note(format!("it is transposed at {}", info.place));
    e.note("what to do: for a function that is not linear, transpose its derivative: `vjp` or `linearize`")
}

/// An error if a program adds a constant to what depends on its linear inputs: it is not linear then, but its transpose would
/// not show it.
fn adds_nothing(program: &Program, linear: &[bool]) -> Result<()> {
    let mut depends = vec![false; program.var_count()];
    program.inputs().iter().zip(linear).for_each(|(v, &on)| depends[v.index()] = on);
    let definitions = program.definitions();
    let constant = |v: Var| match &program.equations()[definitions[v.index()]?].op {
        Op::Constant(c) => Some(&c.value),
        Op::Broadcast(_) => {
            let of = program.equations()[definitions[v.index()]?].inputs[0];
            match &program.equations()[definitions[of.index()]?].op {
                Op::Constant(c) => Some(&c.value),
                _ => None,
            }
        }
        _ => None,
    };
    let is_zero = |t: &Tensor| (0..t.size()).all(|i| t.get(i).as_complex() == Scalar::F64(0.0).as_complex());
    for e in program.equations() {
        let on = e.inputs.iter().any(|v| depends[v.index()]);
        e.outputs.iter().for_each(|v| depends[v.index()] = on);
        if on && matches!(e.op, Op::Binary(Binary::Add | Binary::Sub)) {
            let fixed = e.inputs.iter().find(|v| !depends[v.index()]);
            if fixed.and_then(|&v| constant(v)).is_some_and(|t| !is_zero(t)) {
                let m = format!("`{}` adds a constant to what depends on the arguments", e.op.name());
                return Err(Error::new(ErrorKind::NoRule, m).at(e.place.clone()));
            }
        }
    }
    Ok(())
}
