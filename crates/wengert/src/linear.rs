//! Linear functions backwards.

use crate::array::{Array, StagingInfo};
use crate::fail::ok;
use crate::function::{Args, Func, Function};
use crate::stage::{FlatArgs, Tracers, call_program, stage};
use crate::tree::Tree;
use wengert_core::{Error, Place, Result, Tensor, Type, transform};

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
    let info = StagingInfo::new("linear_transpose", f.name(), place.clone());
    let flat = FlatArgs::new(&args);
    let traced = ok(stage(info, Tracers::Abstract, &flat, &|a| f.call(a)));
    let linear: Vec<bool> = (0..traced.program.inputs().len()).map(|i| i < flat.leaves.len()).collect();
    let given = vec![true; traced.program.outputs().len()];
    let at_place = |e: Error| e.within("`linear_transpose`").at(place.clone());
    let (back, have) = ok(transform::transpose(&traced.program, &linear, &given).map_err(at_place));
    let types: Vec<_> = flat.leaves.iter().map(Array::ty).collect();
    let (structure, captures, wanted) = (flat.structure, traced.captures, traced.program.output_types());
    let name = format!("transpose of {}", f.name());
    Func::new(&name, move |(cotangent,): (F::Output,)| {
        let mut given = Vec::new();
        cotangent.flatten(&mut given);
        ok(same_types(&wanted, &given.iter().map(Array::ty).collect::<Vec<_>>()).map_err(|e| e.at(place.clone())));
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

fn same_types(wanted: &[Type], got: &[Type]) -> Result<()> {
    match wanted == got {
        true => Ok(()),
        false => Err(Error::dtype(format!("a transposed function of {wanted:?} got {got:?}"))),
    }
}
