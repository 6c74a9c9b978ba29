//! Programs of one matrix on stacks of matrices: a call of the program, batched over the leading axes that all operands
//! share.

use std::sync::Arc;
use wengert_core::ops::{Call, CallKind};
use wengert_core::{Builder, Error, Program, Result, Shape, Type, Var, transform};

/// Runs a program of matrices on stacks of them: over all axes but the last `ranks[i]` of each operand. The program is
/// made for the types without the axes of the stack.
pub fn stacked(
    b: &mut Builder,
    x: &[Var],
    ranks: &[usize],
    program: impl FnOnce(&[Type]) -> Program,
) -> Result<Vec<Var>> {
    let (leading, types) = split(b, x, ranks)?;
    let program = program(&types);
    over_stack(b, x, &leading, &types, program)
}

/// The axes of the stack, which all operands have, and the types of the operands without them.
fn split(b: &Builder, x: &[Var], ranks: &[usize]) -> Result<(Vec<usize>, Vec<Type>)> {
    let split = |(&v, &rank): (&Var, &usize)| {
        let ty = b.ty(v).clone();
        let cut =
            ty.rank().checked_sub(rank).ok_or_else(|| Error::shape(format!("expected a matrix, and got {ty}")))?;
        Ok((ty.shape[..cut].to_vec(), ty.with_shape(&ty.shape[cut..])))
    };
    let parts: Vec<(Vec<usize>, Type)> = x.iter().zip(ranks).map(split).collect::<Result<_>>()?;
    let leading = parts[0].0.clone();
    if parts.iter().any(|p| p.0 != leading) {
        return Err(Error::shape("stacks of matrices have different sizes"));
    }
    Ok((leading, parts.into_iter().map(|p| p.1).collect()))
}

/// Runs a program for these types on operands with the axes of a stack before theirs.
fn over_stack(b: &mut Builder, x: &[Var], leading: &[usize], types: &[Type], program: Program) -> Result<Vec<Var>> {
    let call = |program: Program| Call { program: Arc::new(program), kind: CallKind::Staged };
    if leading.is_empty() {
        return Ok(b.try_push(call(program), x)?.to_vec());
    }
    let size = leading.iter().product();
    let all = |n: usize| vec![true; n];
    let (batched, _) = transform::batch(&program, size, None, &all(x.len()), &all(program.outputs().len()))?;
    let under = |axes: &[usize], ty: &Type| -> Shape { axes.iter().chain(ty.shape.iter()).copied().collect() };
    let flat: Vec<Var> = x.iter().zip(types).map(|(&v, t)| b.reshape(v, &under(&[size], t))).collect();
    let y = b.try_push(call(batched), &flat)?;
    Ok(y.iter().zip(program.output_types()).map(|(&v, t)| b.reshape(v, &under(leading, &t))).collect())
}
