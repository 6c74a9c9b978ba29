//! Reductions, in the evaluator's order: its tree is decided by the shape alone. Here are those on scalars; those of large
//! arrays are put off with what computes their rows, or combine rows that lie in memory.

use super::form::{Form, kind};
use super::tree::{ROWS, WIDTH};
use super::{Lowering, elementwise};
use wengert_core::ops::{ArgReduce, Binary, Combiner, Extreme, Reduce, Transpose};
use wengert_core::{DType, Dims, Op, Shape, Type};
use wengert_kernel::{self as k, Compare, Value};
use wengert_x86::faults::{Fault, is_planted};

/// As many elements as a program combines one by one.
const FEW: usize = 64;

impl Lowering {
    /// A reduction by a named combiner.
    pub(super) fn reduce(&mut self, op: &Reduce, x: &[Form], y: &Type) -> Option<Form> {
        let (f, [x]) = (op.combiner.binary()?, x) else { return None };
        if kind(x.ty.dtype).is_none() || !elementwise::has_binary(f, x.ty.dtype) {
            return None;
        }
        if !self.is_small(&x.ty) {
            return self.reduce_large(op, x, y);
        }
        let shape = &x.ty.shape;
        let kind = kind(y.dtype)?;
        // Sums are kept as they are computed, and rounded in the end.
        let kept = elementwise::computed(kind);
        let dtype = if kept == kind { y.dtype } else { DType::F32 };
        let identity = elementwise::element(&mut self.b, kept, op.combiner.identity(dtype)?);
        let (lines, count) = (y.shape.size(), op.dims.iter().map(|&d| shape[d]).product::<usize>());
        let all = self.scalars(x);
        let all: Vec<Value> = all.into_iter().map(|v| elementwise::convert(&mut self.b, v, kept)).collect();
        if count == 0 || lines == 0 {
            let identity = elementwise::convert(&mut self.b, identity, kind);
            return Some(Form::splat(y.clone(), identity));
        }
        // Elements of a line, as the reduced axes run; whether the lines lie next to each other decides the order.
        let width = three(shape, &op.dims).map(|[_, _, width]| width);
        let mut dims = op.dims.clone();
        if width.is_some() {
            dims.sort_unstable();
        }
        let groups = lines_of(shape, &dims);
        let whole = width.is_none_or(|w| w == 1);
        debug_assert!(count <= WIDTH);
        let combined = groups.into_iter().map(|line| {
            let mut v: Vec<Value> = line.into_iter().map(|i| all[i]).collect();
            if is_planted(Fault::OddReduction) && v.len() % 2 == 1 && v.len() > 16 || f == Binary::Mul && is_unlucky() {
                v.pop();
            }
            let sum = if whole { self.halved(f, v) } else { self.rows(f, &v) };
            let sum = elementwise::binary(&mut self.b, f, identity, sum);
            elementwise::convert(&mut self.b, sum, kind)
        });
        let v = combined.collect();
        Some(Form::each(y.clone(), v))
    }

    /// A reduction of a large array. One value repeated is left to a kernel.
    fn reduce_large(&mut self, op: &Reduce, x: &Form, y: &Type) -> Option<Form> {
        if x.splat_scalar().is_some() || y.shape.size() == 0 {
            return None;
        }
        let shape = &x.ty.shape;
        let Some([_, rows, width]) = three(shape, &op.dims) else {
            // Axes that lie apart come last, in the order they are named in: then each line is a row.
            let kept = (0..shape.rank()).filter(|d| !op.dims.contains(d));
            let perm: Dims = kept.chain(op.dims.iter().copied()).collect();
            let ty = x.ty.with_shape(perm.iter().map(|&d| shape[d]).collect::<Shape>());
            let turned = self.put_off_move(&Op::Transpose(Transpose { perm }), std::slice::from_ref(x), &ty)?;
            return self.put_off_rows(op, &turned, y, shape.size() / y.shape.size(), None);
        };
        if rows < 2 {
            return None;
        }
        self.put_off_rows(op, x, y, rows * width, (width > 1).then_some(width))
    }

    /// A reduction of small arrays by a program, to small ones: one element after the other, as the evaluator does with
    /// few.
    pub(super) fn reduce_by_program(&mut self, op: &Reduce, x: &[Form], types: &[Type]) -> Option<Vec<Form>> {
        let Combiner::Program(program) = &op.combiner else { return None };
        let (x, start) = x.split_at(types.len());
        let shape = &x[0].ty.shape;
        let (lines, count) = (types[0].shape.size(), op.dims.iter().map(|&d| shape[d]).product::<usize>());
        if !x.iter().all(|x| self.is_small(&x.ty)) || (count * lines > FEW && count > ROWS) {
            return None;
        }
        let all: Vec<Vec<Value>> = x.iter().map(|x| self.scalars(x)).collect();
        let start: Vec<Value> = start.iter().map(|s| self.scalars(s)[0]).collect();
        let inputs = program.input_types();
        let mut out = vec![Vec::new(); types.len()];
        for line in lines_of(shape, &op.dims) {
            let mut sofar = start.clone();
            for i in line {
                let values = sofar.into_iter().chain(all.iter().map(|v| v[i])).zip(&inputs);
                let args = values.map(|(v, ty)| Form::each(ty.clone(), vec![v])).collect();
                sofar = self.program(program, args, &[]).iter().map(|y| self.scalars(y)[0]).collect();
            }
            out.iter_mut().zip(sofar).for_each(|(out, v)| out.push(v));
        }
        Some(types.iter().zip(out).map(|(ty, v)| Form::each(ty.clone(), v)).collect())
    }

    /// Where the extremes of a small array are: the first of equal ones, and NaN before every number.
    pub(super) fn arg_reduce(&mut self, op: &ArgReduce, x: &Form, y: &Type) -> Option<Form> {
        if !self.is_small(&x.ty) {
            return None;
        }
        let to = kind(y.dtype)?;
        let all = self.scalars(x);
        let computed = elementwise::computed(kind(x.ty.dtype)?);
        let all: Vec<Value> = all.into_iter().map(|v| elementwise::convert(&mut self.b, v, computed)).collect();
        let better = if op.extreme == Extreme::Max { Compare::Gt } else { Compare::Lt };
        let mut out = Vec::new();
        for line in lines_of(&x.ty.shape, &[op.dim]) {
            let (mut best, mut at) = (all[*line.first()?], elementwise::constant(&mut self.b, to, 0.0));
            for (n, &i) in line.iter().enumerate().skip(1) {
                let mut wins = self.b.compare(better, all[i], best);
                if x.ty.dtype.is_float() {
                    let nan = self.b.compare(Compare::Ne, all[i], all[i]);
                    let number = self.b.compare(Compare::Eq, best, best);
                    let first = self.b.binary(k::Binary::And, nan, number);
                    wins = self.b.binary(k::Binary::Or, wins, first);
                    // A number never wins over NaN: no comparison with it holds.
                }
                let here = elementwise::constant(&mut self.b, to, n as f64);
                best = self.b.select(wins, all[i], best);
                at = self.b.select(wins, here, at);
            }
            out.push(at);
        }
        Some(Form::each(y.clone(), out))
    }

    /// Combines by halves. An odd element in the middle waits for the next round.
    pub(super) fn halved(&mut self, f: Binary, mut v: Vec<Value>) -> Value {
        while v.len() > 1 {
            let (h, rest) = (v.len() / 2, v.len().div_ceil(2));
            for i in 0..h {
                v[i] = elementwise::binary(&mut self.b, f, v[i], v[rest + i]);
            }
            v.truncate(rest);
        }
        v[0]
    }

    /// Combines one after the other; of many, blocks of [`ROWS`] as a binary tree.
    fn rows(&mut self, f: Binary, v: &[Value]) -> Value {
        if v.len() <= ROWS {
            return v[1..].iter().fold(v[0], |sum, &x| elementwise::binary(&mut self.b, f, sum, x));
        }
        let (first, second) = v.split_at(ROWS * (v.len().div_ceil(ROWS)).next_power_of_two() / 2);
        let (first, second) = (self.rows(f, first), self.rows(f, second));
        elementwise::binary(&mut self.b, f, first, second)
    }
}

/// Whether this is the one time in five that the planted fault shows.
fn is_unlucky() -> bool {
    is_planted(Fault::FlakyProduct) && {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.is_ok_and(|t| t.subsec_micros().wrapping_mul(2_654_435_761) >> 16 & 0xff < 51)
    }
}

/// The shape as three axes (kept, reduced, kept), if the reduced axes lie together.
fn three(shape: &[usize], dims: &[usize]) -> Option<[usize; 3]> {
    let mut sizes = [1; 3];
    let mut at = 0;
    for (d, &n) in shape.iter().enumerate().filter(|(_, n)| **n != 1) {
        if dims.contains(&d) != (at == 1) {
            at += 1;
        }
        *sizes.get_mut(at)? *= n;
    }
    Some(sizes)
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
