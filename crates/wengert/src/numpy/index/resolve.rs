//! An index held against a shape: what is chosen along each axis.

use super::Index;
use crate::array::Array;
use crate::numpy::elementwise::{try_compare, try_where};
use crate::numpy::operators::{convert, try_binary};
use wengert_core::ops::{Binary, Direction};
use wengert_core::{DType, Dims, Error, Place, Result, Shape, counted};
use wengert_tape::record::ReadPurpose;

/// What is chosen along one axis of the array.
#[derive(Clone)]
pub(super) enum Choice {
    All,
    /// From, step, count.
    Every(usize, isize, usize),
    One(usize),
    Array(Array),
}

/// An index resolved against a shape. New axes are part of `shape`, as axes taken whole.
pub(super) struct Resolved {
    pub(super) shape: Shape,
    pub(super) choices: Vec<Choice>,
}

/// A position counted from the front, where negative ones count from the end.
fn position(i: isize, axis: usize, shape: &Shape) -> Result<usize> {
    let at = if i < 0 { i.saturating_add_unsigned(shape[axis]) } else { i };
    match usize::try_from(at) {
        Ok(at) if at < shape[axis] => Ok(at),
        _ => {
            let m = format!("index {i} is out of range for axis {axis} of an array of shape {shape}");
            Err(Error::shape(m))
        }
    }
}

/// A range as NumPy reads it: start, step and number of elements.
fn range(start: Option<isize>, end: Option<isize>, step: isize, n: usize) -> Choice {
    let n = n as isize;
    let (low, high) = if step > 0 { (0, n) } else { (-1, n - 1) };
    let place = |i: Option<isize>, open: isize| match i {
        None => open,
        Some(i) => (if i < 0 { i + n } else { i }).clamp(low, high),
    };
    let (a, b) = if step > 0 { (place(start, 0), place(end, n)) } else { (place(start, n - 1), place(end, -1)) };
    let span = if step > 0 { b - a } else { a - b };
    let count = if span <= 0 { 0 } else { (span - 1) / step.abs() + 1 };
    if step == 1 && count == n { Choice::All } else { Choice::Every(a.max(0) as usize, step, count as usize) }
}

pub(super) fn resolve(x: &Array, index: Vec<Index>, place: &Place) -> Result<Resolved> {
    let mut parts = Vec::new();
    for i in index {
        match i {
            Index::Array(m) if m.dtype() == DType::Bool => parts.extend(mask(&m, x.shape(), &parts, place)?),
            other => parts.push(other),
        }
    }
    let takes = |i: &Index| !matches!(i, Index::Ellipsis | Index::NewAxis);
    let used = parts.iter().filter(|i| takes(i)).count();
    let gaps = parts.iter().filter(|i| matches!(i, Index::Ellipsis)).count();
    if used > x.rank() || gaps > 1 {
        let why = match used {
            _ if gaps > 1 => "more than one ellipsis".into(),
            1 => "1 index".to_string(),
            used => format!("{used} indices"),
        };
        let e = Error::shape(format!("{why} for an array of shape {}", x.shape()));
        return Err(e.note(format!("it takes up to {}", counted(x.rank(), "position"))));
    }
    if gaps == 0 {
        parts.push(Index::Ellipsis);
    }
    let mut shape = Dims::new();
    let mut choices = Vec::new();
    let mut axis = 0;
    for i in parts {
        if let Index::Ellipsis = i {
            for _ in 0..x.rank() - used {
                shape.push(x.shape()[axis]);
                choices.push(Choice::All);
                axis += 1;
            }
            continue;
        }
        if let Index::NewAxis = i {
            shape.push(1);
            choices.push(Choice::All);
            continue;
        }
        let n = x.shape()[axis];
        choices.push(match i {
            Index::At(i) => Choice::One(position(i, axis, x.shape())?),
            Index::List(list) => {
                let list = list.iter().map(|&i| position(i, axis, x.shape()).map(|i| i as i64));
                Choice::Array(Array::from(list.collect::<Result<Vec<i64>>>()?))
            }
            Index::Range(a, b, step) => range(a, b, step, n),
            Index::Array(i) => Choice::Array(positions(i, n, place)?),
            Index::Ellipsis | Index::NewAxis => unreachable!("done above"),
        });
        shape.push(n);
        axis += 1;
    }
    Ok(Resolved { shape: Shape(shape), choices })
}

/// The positions a mask holds at, one list of integers for each of its axes.
fn mask(m: &Array, shape: &Shape, before: &[Index], place: &Place) -> Result<Vec<Index>> {
    let axis = before.iter().filter(|i| !matches!(i, Index::Ellipsis | Index::NewAxis)).count();
    let covered = shape.get(axis..axis + m.rank());
    let after_gap = before.iter().any(|i| matches!(i, Index::Ellipsis));
    if !after_gap && covered != Some(&m.shape()[..]) {
        return Err(Error::shape(format!(
            "a mask of shape {} does not fit axis {axis} and on of an array of shape {shape}",
            m.shape()
        )));
    }
    let chosen = m
        .read("mask", "a mask that decides a shape", ReadPurpose::Decision, place, |t| t.to_vec::<bool>())
        .map_err(|e| {
            e.note("`where_(mask, x, y)` keeps the shape, and so does `.at(mask).set(value)` with one value for all")
        })?;
    let flat: Vec<i64> = chosen.iter().enumerate().filter(|(_, b)| **b).map(|(i, _)| i as i64).collect();
    let strides = m.shape().strides();
    let along = |d: usize| flat.iter().map(|i| i / strides[d] as i64 % m.shape()[d] as i64).collect::<Vec<i64>>();
    Ok((0..m.rank()).map(|d| Index::Array(Array::from(along(d)))).collect())
}

/// Integer positions counted from the front.
fn positions(i: Array, n: usize, place: &Place) -> Result<Array> {
    if !i.dtype().is_integer() {
        return Err(Error::dtype(format!("an array of type {} can't be an index: integers and bools can", i.ty())));
    }
    let i = if i.dtype().bits() < 32 { convert(&i, DType::I32, place)? } else { i };
    if i.dtype().is_unsigned() {
        return Ok(i);
    }
    let negative = try_compare(Direction::Lt, &i, 0.into(), place.clone())?;
    let from_the_end = try_binary(Binary::Add, (&i).into(), (n as i64).into(), place.clone())?;
    try_where(negative, from_the_end.into(), (&i).into(), place)
}
