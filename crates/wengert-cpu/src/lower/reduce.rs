//! Reductions on scalars, in the evaluator's order: its tree is decided by the shape alone.

use super::form::{Form, kind};
use super::{Lowering, elementwise};
use wengert_core::Type;
use wengert_core::ops::{Binary, Reduce};
use wengert_kernel::Value;

/// Rows that the evaluator combines one after the other; more are halved.
const ROWS: usize = 16;
/// Elements of a row that it combines by halves.
const WIDTH: usize = 256;

impl Lowering {
    /// A reduction of a small array by a named combiner, to a small one.
    pub(super) fn reduce(&mut self, op: &Reduce, x: &[Form], y: &Type) -> Option<Form> {
        let (f, [x]) = (op.combiner.binary()?, x) else { return None };
        if !self.is_small(&x.ty) || !elementwise::has_binary(f, x.ty.dtype) {
            return None;
        }
        let shape = &x.ty.shape;
        let kind = kind(y.dtype)?;
        let identity = elementwise::element(&mut self.b, kind, op.combiner.identity(y.dtype)?);
        let (lines, count) = (y.shape.size(), op.dims.iter().map(|&d| shape[d]).product::<usize>());
        let all = self.scalars(x);
        if count == 0 || lines == 0 {
            return Some(Form::splat(y.clone(), identity));
        }
        // Elements of a line, as the reduced axes run; whether the lines lie next to each other decides the order.
        let width = width(shape, &op.dims);
        let mut dims = op.dims.clone();
        if width.is_some() {
            dims.sort_unstable();
        }
        let groups = lines_of(shape, &dims);
        let whole = width.is_none_or(|w| w == 1);
        debug_assert!(count <= WIDTH);
        let combined = groups.into_iter().map(|line| {
            let v: Vec<Value> = line.into_iter().map(|i| all[i]).collect();
            let sum = if whole { self.halved(f, v) } else { self.rows(f, &v) };
            elementwise::binary(&mut self.b, f, identity, sum)
        });
        let v = combined.collect();
        Some(Form::each(y.clone(), v))
    }

    /// Combines by halves. An odd element in the middle waits for the next round.
    fn halved(&mut self, f: Binary, mut v: Vec<Value>) -> Value {
        while v.len() > 1 {
            let (h, rest) = (v.len() / 2, v.len().div_ceil(2));
            for i in 0..h {
                v[i] = elementwise::binary(&mut self.b, f, v[i], v[rest + i]);
            }
            v.truncate(rest);
        }
        v[0]
    }

    /// Combines one after the other; many, half by half.
    fn rows(&mut self, f: Binary, v: &[Value]) -> Value {
        if v.len() <= ROWS {
            return v[1..].iter().fold(v[0], |sum, &x| elementwise::binary(&mut self.b, f, sum, x));
        }
        let (first, second) = v.split_at(v.len() / 2);
        let (first, second) = (self.rows(f, first), self.rows(f, second));
        elementwise::binary(&mut self.b, f, first, second)
    }
}

/// How many elements lie between neighbours of a line, if the reduced axes lie together.
fn width(shape: &[usize], dims: &[usize]) -> Option<usize> {
    let mut sizes = [1; 3];
    let mut at = 0;
    for (d, &n) in shape.iter().enumerate().filter(|(_, n)| **n != 1) {
        if dims.contains(&d) != (at == 1) {
            at += 1;
        }
        *sizes.get_mut(at)? *= n;
    }
    Some(sizes[2])
}

/// The row-major positions of the elements of each line, in the order of the result.
fn lines_of(shape: &[usize], dims: &[usize]) -> Vec<Vec<usize>> {
    let size: usize = shape.iter().product();
    let kept: Vec<usize> = (0..shape.len()).filter(|d| !dims.contains(d)).collect();
    let lines: usize = kept.iter().map(|&d| shape[d]).product();
    // The reduced axes run in the order they are named in.
    let mut positions: Vec<(usize, usize, usize)> = (0..size)
        .map(|i| {
            let mut index = vec![0; shape.len()];
            let mut rest = i;
            for d in (0..shape.len()).rev() {
                (index[d], rest) = (rest % shape[d], rest / shape[d]);
            }
            let flat = |axes: &[usize]| axes.iter().fold(0, |at, &d| at * shape[d] + index[d]);
            (flat(&kept), flat(dims), i)
        })
        .collect();
    positions.sort_unstable();
    let mut groups = vec![Vec::new(); lines];
    positions.into_iter().for_each(|(line, _, i)| groups[line].push(i));
    groups
}
