//! Ops as elementwise ops and moves, for a compiler that fuses those into one loop and has no instructions for the ops:
//! reductions of few elements, windows of few places, bits that are counted; and gathers and scatters of batches as those of
//! one array.

use crate::program;
use wengert_core::ops::{
    Binary, Bitcast, Combiner, Concatenate, Direction, Gather, Indexing, Iota, Pad, Reduce, ReduceWindow, Scatter,
    Slice, Unary, WindowAxis,
};
use wengert_core::{Builder, DType, Op, Program, Scalar, Tensor, Type, Var};

/// A window of more places than this is no elementwise op: each place is an operand.
const PLACES: usize = 32;

/// The program of elementwise ops and moves that an op on operands of these types stands for; `None` if it has instructions
/// of its own, or would take too many. Values are those of the op, but for sums under windows that reach past the array,
/// which are taken in one order everywhere.
///
/// ```
/// use wengert_core::{DType, Op, Type};
///
/// let op = Op::parse("reduce[combiner=max, dims=[1]]")?;
/// let types = |n| [Type::new(DType::F32, [3, n])];
/// assert!(wengert_expand::fused(&op, &types(1)).is_some());
/// assert!(wengert_expand::fused(&op, &types(9)).is_none());
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn fused(op: &Op, types: &[Type]) -> Option<Program> {
    match op {
        Op::Gather(op) if !op.indexing.operand_batching_dims.is_empty() => return Some(gather(op, types)),
        Op::Scatter(op) if !op.indexing.operand_batching_dims.is_empty() => return scatter(op, types),
        _ if types.first()?.dtype.is_complex() || types[0].shape.size() == 0 => return None,
        _ => {}
    }
    let program = match op {
        Op::Unary(Unary::Popcnt) => program(types, |b, x| vec![ones(b, x[0])]),
        Op::Unary(Unary::Clz) => program(types, |b, x| vec![leading_zeros(b, x[0])]),
        Op::Binary(Binary::Nextafter) => program(types, |b, x| vec![next_after(b, x[0], x[1])]),
        Op::Reduce(op) => reduce(op, &types[0])?,
        Op::ReduceWindow(op) => reduce_window(op, &types[0])?,
        _ => return None,
    };
    Some(program.with_name(op.name()))
}

/// A number at every position, by its bits.
fn pattern(b: &mut Builder, like: Var, bits: u128) -> Var {
    let ty = b.ty(like).clone();
    let mask = (1 << ty.dtype.bits()) - 1;
    b.constant(Tensor::splat(ty.shape, Scalar::from_bits(ty.dtype, bits & mask)))
}

fn shifted(b: &mut Builder, x: Var, by: usize) -> Var {
    let by = pattern(b, x, by as u128);
    b.binary(Binary::ShrLogical, x, by)
}

/// How many bits are set: sums of neighbours, of pairs, and so on.
fn ones(b: &mut Builder, mut x: Var) -> Var {
    let bits = b.dtype(x).bits();
    let mut step = 1;
    while step < bits {
        // Every other group of `step` bits.
        let mask = u128::MAX / ((1 << step) + 1);
        let mask = pattern(b, x, mask);
        let (other, this) = (shifted(b, x, step), b.binary(Binary::And, x, mask));
        let other = b.binary(Binary::And, other, mask);
        x = b.binary(Binary::Add, this, other);
        step *= 2;
    }
    x
}

/// How many bits come before the first that is set: those that are not, once all behind that one are.
fn leading_zeros(b: &mut Builder, mut x: Var) -> Var {
    let bits = b.dtype(x).bits();
    let mut step = 1;
    while step < bits {
        let behind = shifted(b, x, step);
        x = b.binary(Binary::Or, x, behind);
        step *= 2;
    }
    let not = b.unary(Unary::Not, x);
    ones(b, not)
}

/// A reduction of axes of one element each: the element with the identity.
fn reduce(op: &Reduce, ty: &Type) -> Option<Program> {
    let f = op.combiner.binary()?;
    if op.dims.iter().any(|&d| ty.shape[d] != 1) {
        return None;
    }
    let kept = (0..ty.shape.rank()).filter(|d| !op.dims.contains(d)).map(|d| ty.shape[d]).collect();
    Some(program([ty], |b, x| {
        let x = b.reshape(x[0], &kept);
        let start = identity(b, &op.combiner, x);
        vec![b.binary(f, start, x)]
    }))
}

fn identity(b: &mut Builder, combiner: &Combiner, like: Var) -> Var {
    let ty = b.ty(like).clone();
    let identity = combiner.identity(ty.dtype).expect("a named combiner");
    b.constant(Tensor::splat(ty.shape, identity))
}

/// A window of few places: along one axis after the other, what is at each place.
fn reduce_window(op: &ReduceWindow, ty: &Type) -> Option<Program> {
    let f = op.combiner.binary()?;
    let axes = op.window.axes();
    let moving: Vec<usize> = (0..axes.len()).filter(|&d| !axes[d].stays()).collect();
    let places: usize = moving.iter().map(|&d| axes[d].size).product();
    let positions = op.window.positions(&ty.shape).size();
    // With far paddings and dilations the padded array would be mostly holes, more than there is memory for.
    let padded = |(w, &n): (&WindowAxis, &usize)| {
        ((n as i64 - 1) * w.base_dilation as i64 + 1 + w.padding.0 + w.padding.1).max(0) as usize
    };
    let padded = axes.iter().zip(ty.shape.iter()).map(padded).fold(1, usize::saturating_mul);
    let is_far = padded / 64 > ty.shape.size().max(positions).max(1 << 14);
    if places > PLACES || positions == 0 || is_far {
        return None;
    }
    // Short floats are rounded at each step along one axis, and in the end along several.
    let short = matches!(ty.dtype, DType::F16 | DType::BF16) && moving.len() > 1;
    Some(program([ty], |b, x| {
        let mut x = if short { b.convert(x[0], DType::F32) } else { x[0] };
        for d in moving {
            x = along(b, f, &op.combiner, x, d, &axes[d]);
        }
        vec![if short { b.convert(x, ty.dtype) } else { x }]
    }))
}

/// What a window sees along one axis, combined.
fn along(b: &mut Builder, f: Binary, combiner: &Combiner, x: Var, d: usize, w: &WindowAxis) -> Var {
    let shape = b.shape(x).clone();
    let only = |at: i64, other: i64| (0..shape.rank()).map(move |i| if i == d { at } else { other });
    let mut padded = x;
    if (w.padding, w.base_dilation) != ((0, 0), 1) {
        let ty = Type::scalar(b.dtype(x));
        let hole = b.constant(Tensor::splat(ty.shape, combiner.identity(ty.dtype).expect("a named combiner")));
        let pad = Pad {
            low: only(w.padding.0, 0).collect(),
            high: only(w.padding.1, 0).collect(),
            interior: only(w.base_dilation as i64 - 1, 0).map(|n| n as usize).collect(),
        };
        padded = b.one(pad, &[x, hole]);
    }
    let positions = w.positions(shape[d]);
    let mut sofar = None;
    for place in 0..w.size {
        let first = place * w.window_dilation;
        let whole = b.shape(padded).clone();
        let mut slice = Slice {
            start: whole.iter().map(|_| 0).collect(),
            limit: whole.iter().copied().collect(),
            strides: whole.iter().map(|_| 1).collect(),
        };
        (slice.start[d], slice.strides[d]) = (first, w.stride);
        slice.limit[d] = first + (positions - 1) * w.stride + 1;
        let next = b.one(slice, &[padded]);
        let before = sofar.unwrap_or_else(|| identity(b, combiner, next));
        sofar = Some(b.binary(f, before, next));
    }
    sofar.expect("a window has places")
}

/// The neighbour of a float in the direction of another: numbers of one sign have the order of their bits.
fn next_after(b: &mut Builder, x: Var, to: Var) -> Var {
    let dtype = b.dtype(x);
    let word = match dtype.bits() {
        16 => DType::U16,
        32 => DType::U32,
        _ => DType::U64,
    };
    let [bits, to_bits] = [x, to].map(|v| b.one(Bitcast { dtype: word }, &[v]));
    let (one, sign) = (pattern(b, bits, 1), pattern(b, bits, 1 << (dtype.bits() - 1)));
    let zero = b.full_like(x, 0.0);
    let (below, positive) = (b.compare(Direction::Lt, x, to), b.compare(Direction::Gt, x, zero));
    let grows = b.compare(Direction::Eq, below, positive);
    let (more, less) = (b.binary(Binary::Add, bits, one), b.binary(Binary::Sub, bits, one));
    let next = b.select(grows, more, less);
    let sign = b.binary(Binary::And, to_bits, sign);
    let least = b.binary(Binary::Or, sign, one);
    let nothing = b.compare(Direction::Eq, x, zero);
    let next = b.select(nothing, least, next);
    let next = b.one(Bitcast { dtype }, &[next]);
    let same = b.compare(Direction::Eq, x, to);
    let next = b.select(same, to, next);
    let [x_nan, to_nan] = [x, to].map(|v| b.compare(Direction::Ne, v, v));
    let nan = b.binary(Binary::Or, x_nan, to_nan);
    let none = b.full_like(x, f64::NAN);
    b.select(nan, none, next)
}

/// Indices that point into a batch of arrays as ones that point into one: the numbers of the batch come first.
fn of_one_array(b: &mut Builder, at: &Indexing, indices: Var) -> (Indexing, Var) {
    let mut indices = match b.dtype(indices).bits() {
        n if n < 32 => b.convert(indices, DType::I32),
        _ => indices,
    };
    let axis = at.index_vector_dim;
    let mut shape = b.shape(indices).clone();
    if axis == shape.rank() {
        shape = shape.with_axis(axis, 1);
        indices = b.reshape(indices, &shape);
    }
    shape.0[axis] = 1;
    let ty = Type::new(b.dtype(indices), shape);
    let numbers = at.indices_batching_dims.iter().map(|&dim| b.one(Iota { ty: ty.clone(), dim }, &[]));
    let mut all: Vec<Var> = numbers.collect();
    // A vector of no numbers points at the start of each array.
    if b.shape(indices)[axis] > 0 {
        all.push(indices);
    }
    let indices = if all.len() == 1 { all[0] } else { b.one(Concatenate { dim: axis }, &all) };
    let mut collapsed = [&at.collapsed_dims[..], &at.operand_batching_dims[..]].concat();
    collapsed.sort_unstable();
    let indexing = Indexing {
        window_dims: at.window_dims.clone(),
        collapsed_dims: collapsed.into(),
        operand_batching_dims: [].as_slice().into(),
        indices_batching_dims: [].as_slice().into(),
        index_map: [&at.operand_batching_dims[..], &at.index_map[..]].concat().into(),
        index_vector_dim: axis,
    };
    (indexing, indices)
}

fn gather(op: &Gather, types: &[Type]) -> Program {
    program(types, |b, x| {
        let (indexing, indices) = of_one_array(b, &op.indexing, x[1]);
        vec![b.one(Gather { indexing, indices_are_sorted: false, ..op.clone() }, &[x[0], indices])]
    })
    .with_name(Op::from(op.clone()).name())
}

fn scatter(op: &Scatter, types: &[Type]) -> Option<Program> {
    // Of several operands none is the first.
    let [_, _, _] = types else { return None };
    let program = program(types, |b, x| {
        let (indexing, indices) = of_one_array(b, &op.indexing, x[1]);
        vec![b.one(Scatter { indexing, indices_are_sorted: false, ..op.clone() }, &[x[0], indices, x[2]])]
    });
    Some(program.with_name(Op::from(op.clone()).name()))
}
