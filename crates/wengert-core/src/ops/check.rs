//! What typing rules have in common: the checks, and the words in which they fail.

use crate::error::{Error, Result, counted};
use crate::types::{DType, Type};

/// The operands, which must be this many.
pub(super) fn operands<'a, const N: usize>(op: &str, x: &'a [Type]) -> Result<&'a [Type; N]> {
    x.try_into().map_err(|_| Error::shape(format!("`{op}` takes {}, and got {}", counted(N, "operand"), x.len())))
}

/// The first operand and the others.
pub(super) fn first<'a>(op: &str, x: &'a [Type]) -> Result<(&'a Type, &'a [Type])> {
    x.split_first().ok_or_else(|| Error::shape(format!("`{op}` takes more operands than it got")))
}

/// The types as a list: `f32[3] and i32[2]`.
pub(super) fn list(x: &[Type]) -> String {
    let names: Vec<String> = x.iter().map(Type::to_string).collect();
    match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

/// All operands have the same type.
pub(super) fn same_types(op: &str, x: &[Type]) -> Result<()> {
    if x.windows(2).all(|w| w[0] == w[1]) {
        return Ok(());
    }
    same_dtypes(op, x)?;
    Err(Error::shape(format!("`{op}` needs operands of one shape, and got {}", list(x))))
}

/// All operands have the same element type.
pub(super) fn same_dtypes(op: &str, x: &[Type]) -> Result<()> {
    if x.windows(2).all(|w| w[0].dtype == w[1].dtype) {
        return Ok(());
    }
    Err(Error::dtype(format!("`{op}` needs operands of one element type, and got {}", list(x))))
}

/// The element type is one the op takes.
pub(super) fn dtype(op: &str, d: DType, takes: &str, ok: bool) -> Result<()> {
    if ok {
        return Ok(());
    }
    Err(Error::dtype(format!("`{op}` takes {takes}, and got elements of type {d}")))
}

/// Axes are in range and different.
pub(super) fn axes(op: &str, what: &str, axes: &[usize], rank: usize) -> Result<()> {
    for (i, &a) in axes.iter().enumerate() {
        if a >= rank {
            return Err(Error::shape(format!("`{op}`: {what} {a} is out of range: there are {rank}")));
        }
        if axes[..i].contains(&a) {
            return Err(Error::shape(format!("`{op}`: {what} {a} is named twice")));
        }
    }
    Ok(())
}

/// A condition of the op, with its own words if it does not hold.
pub(super) fn that(ok: bool, message: impl FnOnce() -> String) -> Result<()> {
    if ok { Ok(()) } else { Err(Error::shape(message())) }
}
