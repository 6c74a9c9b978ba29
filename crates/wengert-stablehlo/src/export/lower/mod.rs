//! What StableHLO lacks, written with ops that it has.

pub(crate) mod decompose;
pub(super) mod matrix;

use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Element, Program, Scalar, Shape, Tensor, Type, Var, with_dtype};

/// A program made of one input for each type, by `f`.
pub(super) fn program(types: &[&Type], f: impl FnOnce(&mut Builder, &[Var]) -> Vec<Var>) -> Program {
    let mut b = Builder::new();
    let x: Vec<Var> = types.iter().map(|&t| b.input(t.clone())).collect();
    let y = f(&mut b, &x);
    b.finish_all(&y)
}

/// Zero or one.
pub(super) fn unsigned_sign(ty: &Type) -> Program {
    program(&[ty], |b, x| {
        let one = b.full_like(x[0], 1.0);
        vec![b.binary(Binary::Min, x[0], one)]
    })
}

/// The larger or smaller of two complex numbers: by real parts, and by imaginary parts where those are equal.
pub(super) fn complex_extreme(op: Binary, ty: &Type) -> Program {
    let direction = if op == Binary::Max { Direction::Gt } else { Direction::Lt };
    program(&[ty, ty], |b, x| {
        let [re, im] = [Unary::Real, Unary::Imag].map(|part| [b.unary(part, x[0]), b.unary(part, x[1])]);
        let equal = b.compare(Direction::Eq, re[0], re[1]);
        let first = b.compare(direction, re[0], re[1]);
        let second = b.compare(direction, im[0], im[1]);
        let left = b.select(equal, second, first);
        vec![b.select(left, x[0], x[1])]
    })
}

/// A convolution of complex numbers by four of their parts.
pub(super) fn complex_convolution(op: &Convolution, lhs: &Type, rhs: &Type) -> Program {
    program(&[lhs, rhs], |b, x| {
        let [l, r] = [x[0], x[1]].map(|v| [Unary::Real, Unary::Imag].map(|part| b.unary(part, v)));
        let mut of = |p: Var, q: Var| b.one(op.clone(), &[p, q]);
        let [rr, ii, ri, ir] = [of(l[0], r[0]), of(l[1], r[1]), of(l[0], r[1]), of(l[1], r[0])];
        let (re, im) = (b.sub(rr, ii), b.add(ri, ir));
        vec![b.binary(Binary::Complex, re, im)]
    })
}

/// A convolution of integers by pieces of 16 bits, which floats convolve without rounding; what overflows is cut off.
pub(super) fn integer_convolution(op: &Convolution, lhs: &Type, rhs: &Type) -> Program {
    const PIECE: usize = 16;
    let dtype = lhs.dtype;
    let count = dtype.bits().div_ceil(PIECE);
    program(&[lhs, rhs], |b, x| {
        let [l, r] = [x[0], x[1]].map(|v| {
            let long = b.convert(v, DType::U64);
            let piece = |i: usize| {
                let (by, mask) = (b.full_like(long, (PIECE * i) as f64), b.full_like(long, 65535.0));
                let low = b.binary(Binary::ShrLogical, long, by);
                let low = b.binary(Binary::And, low, mask);
                b.convert(low, DType::F64)
            };
            (0..count).map(piece).collect::<Vec<Var>>()
        });
        let pairs = (0..count).flat_map(|i| (0..count - i).map(move |j| (i, j)));
        let product = |(i, j): (usize, usize)| {
            let y = b.one(op.clone(), &[l[i], r[j]]);
            let y = b.unary(Unary::RoundEven, y);
            let y = b.convert(y, DType::U64);
            let by = b.full_like(y, (PIECE * (i + j)) as f64);
            b.binary(Binary::Shl, y, by)
        };
        let products: Vec<Var> = pairs.map(product).collect();
        let sum = products.into_iter().reduce(|p, q| b.add(p, q)).expect("one piece at least");
        vec![b.convert(sum, dtype)]
    })
}

/// The logarithm of the sum of the exponentials of two numbers.
pub(super) fn log_add_exp(dtype: DType) -> Program {
    let ty = Type::scalar(dtype);
    program(&[&ty, &ty], |b, x| vec![CumulativeKind::LogSumExp.combine(b, x[0], x[1])])
}

/// The Bessel function by its two series.
pub(super) fn bessel_i0e(ty: &Type) -> Program {
    let wide = ty.with_dtype(if ty.dtype == DType::F64 { DType::F64 } else { DType::F32 });
    program(&[ty], |b, x| {
        let x = b.convert(x[0], wide.dtype);
        let a = b.unary(Unary::Abs, x);
        let quarter = b.scale(a, 0.25);
        let inner = b.offset(quarter, -1.0);
        let small = chebyshev(b, &series::I0E_SMALL, inner);
        let sixteen = b.full(&wide, 16.0);
        let inverse = b.div(sixteen, a);
        let outer = b.offset(inverse, -1.0);
        let large = chebyshev(b, &series::I0E_LARGE, outer);
        let root = b.unary(Unary::Sqrt, a);
        let large = b.div(large, root);
        let eight = b.full(&wide, 8.0);
        let near = b.compare(Direction::Le, a, eight);
        let y = b.select(near, small, large);
        vec![b.convert(y, ty.dtype)]
    })
}

/// `c₀/2 + Σ cᵢ Tᵢ(x)`, from the last term.
fn chebyshev(b: &mut Builder, c: &[f64], x: Var) -> Var {
    let twice = b.scale(x, 2.0);
    let (mut last, mut before) = (b.full_like(x, 0.0), b.full_like(x, 0.0));
    for &c in c[1..].iter().rev() {
        let next = b.mul(twice, last);
        let next = b.sub(next, before);
        (before, last) = (last, b.offset(next, c));
    }
    let y = b.mul(x, last);
    let y = b.sub(y, before);
    b.offset(y, c[0] / 2.0)
}

/// Twenty rounds.
pub(super) fn threefry(ty: &Type) -> Program {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let word = |b: &mut Builder, n: u32| b.constant(Tensor::splat(ty.shape.clone(), n.scalar()));
    program(&[ty, ty, ty, ty], |b, x| {
        let parity = word(b, 0x1BD1_1BDA);
        let both = b.binary(Binary::Xor, x[0], x[1]);
        let keys = [x[0], x[1], b.binary(Binary::Xor, both, parity)];
        let (mut p, mut q) = (b.add(x[2], keys[0]), b.add(x[3], keys[1]));
        for group in 0..5 {
            for r in ROTATIONS[group % 2] {
                p = b.add(p, q);
                let (left, right) = (word(b, r), word(b, 32 - r));
                let high = b.binary(Binary::Shl, q, left);
                let low = b.binary(Binary::ShrLogical, q, right);
                let turned = b.binary(Binary::Or, high, low);
                q = b.binary(Binary::Xor, p, turned);
            }
            p = b.add(p, keys[(group + 1) % 3]);
            q = b.add(q, keys[(group + 2) % 3]);
            let count = word(b, group as u32 + 1);
            q = b.add(q, count);
        }
        vec![p, q]
    })
}

/// The extreme and its index reduced together.
pub(super) fn arg_reduce(op: &ArgReduce, ty: &Type) -> Program {
    let (combiner, direction) = match op.extreme {
        Extreme::Max => (Combiner::Max, Direction::Gt),
        Extreme::Min => (Combiner::Min, Direction::Lt),
    };
    let (value, index) = (Type::scalar(ty.dtype), Type::scalar(op.dtype));
    let better = program(&[&value, &index, &value, &index], |b, x| {
        let mut first = b.compare(direction, x[0], x[2]);
        if ty.dtype.is_float() {
            let nan = b.compare(Direction::Ne, x[0], x[0]);
            first = b.binary(Binary::Or, first, nan);
        }
        let equal = b.compare(Direction::Eq, x[0], x[2]);
        let earlier = b.compare(Direction::Lt, x[1], x[3]);
        let tie = b.binary(Binary::And, equal, earlier);
        let index_first = b.binary(Binary::Or, first, tie);
        vec![b.select(first, x[0], x[2]), b.select(index_first, x[1], x[3])]
    });
    program(&[ty], |b, x| {
        let places = b.one(Iota { ty: ty.with_dtype(op.dtype), dim: op.dim }, &[]);
        let worst = combiner.identity(ty.dtype).expect("a named combiner");
        let worst = b.constant(Tensor::splat(Shape::scalar(), worst));
        let zero = b.zeros(&index);
        let reduce = Reduce { combiner: Combiner::Program(better.into()), dims: [op.dim].as_slice().into() };
        vec![b.push(reduce, &[x[0], places, worst, zero])[1]]
    })
}

/// The windows moved to where they fit, and those that had to move replaced.
pub(super) fn gather_or_fill(op: &Gather, fill: Scalar, operand: &Type, indices: &Type) -> Program {
    let at = &op.indexing;
    program(&[operand, indices], |b, x| {
        let y = b.one(Gather { out_of_bounds: OutOfBounds::Clip, ..op.clone() }, x);
        let shape = b.shape(y).clone();
        let vectors = at.index_vector_dim < indices.rank();
        // A limit past the largest index there can be limits nothing.
        let largest = Combiner::Min.identity(indices.dtype).and_then(Scalar::as_i64).unwrap_or(i64::MAX);
        let limit = |&d: &usize| ((operand.shape[d] - op.slice_sizes[d]) as i64).min(largest);
        let limits = with_dtype!(indices.dtype, T => {
            let limits: Vec<T> = at.index_map.iter().map(|d| T::from_i64(limit(d))).collect();
            Tensor::new([limits.len()], limits)
        });
        let limits = b.constant(limits.expect("one for each component"));
        let limits = match vectors {
            true => b.broadcast(limits, &indices.shape, &[at.index_vector_dim]),
            false => {
                let limit = b.reshape(limits, &Shape::scalar());
                b.broadcast(limit, &indices.shape, &[])
            }
        };
        let zero = b.zeros(indices);
        let low = b.compare(Direction::Ge, x[1], zero);
        let high = b.compare(Direction::Le, x[1], limits);
        let mut fits = b.binary(Binary::And, low, high);
        if vectors {
            fits = b.reduce(Combiner::And, fits, &[at.index_vector_dim]);
        }
        let fits = b.broadcast(fits, &shape, &at.place_dims(shape.rank()));
        let fill = b.constant(Tensor::splat(shape, fill));
        vec![b.select(fits, y, fill)]
    })
}

/// Operands padded as a window asks, the padding marked, and the window over that. The first is whether there is an
/// element.
fn padded(b: &mut Builder, w: &Window, x: &[Var], holes: &[Var]) -> (Vec<Var>, Window) {
    let pad = Pad {
        low: w.padding.iter().map(|p| p.0).collect(),
        high: w.padding.iter().map(|p| p.1).collect(),
        interior: w.base_dilation.iter().map(|d| d - 1).collect(),
    };
    let bool = Type::new(DType::Bool, b.shape(x[0]).clone());
    let (element, none) = (b.full(&bool, 1.0), b.zeros(&Type::scalar(DType::Bool)));
    let mut out = vec![b.one(pad.clone(), &[element, none])];
    out.extend(x.iter().zip(holes).map(|(&x, &hole)| b.one(pad.clone(), &[x, hole])));
    let rank = w.size.len();
    let window =
        Window { padding: vec![(0, 0); rank], base_dilation: std::iter::repeat_n(1, rank).collect(), ..w.clone() };
    (out, window)
}

/// A window over operands that are marked where there is an element; what is not there is left out.
pub(super) fn reduce_window(op: &ReduceWindow, types: &[&Type]) -> Program {
    let Combiner::Program(combine) = &op.combiner else { unreachable!("named combiners have an identity") };
    let n = types.len() / 2;
    let mark = Type::scalar(DType::Bool);
    let scalars: Vec<Type> = types[..n].iter().map(|t| Type::scalar(t.dtype)).collect();
    let one: Vec<&Type> = [&mark].into_iter().chain(&scalars).collect();
    let marked = program(&[&one[..], &one[..]].concat(), |b, x| {
        let (p, q) = x.split_at(n + 1);
        let both = b.inline(combine, &[&p[1..], &q[1..]].concat());
        let mut out = vec![b.binary(Binary::Or, p[0], q[0])];
        for i in 0..n {
            let there = b.select(p[0], both[i], q[i + 1]);
            out.push(b.select(q[0], there, p[i + 1]));
        }
        out
    });
    program(types, |b, x| {
        let (arrays, starts) = x.split_at(n);
        let (mut args, window) = padded(b, &op.window, arrays, starts);
        args.push(b.full(&mark, 1.0));
        args.extend(starts);
        let over = ReduceWindow { combiner: Combiner::Program(Arc::new(marked)), window };
        b.push(over, &args)[1..].to_vec()
    })
}

/// The element of another array at the place each window selects, and zero where there is nothing to select.
fn selected(b: &mut Builder, select: &Selector, window: &Window, operand: Var, source: Var) -> Var {
    let mark = Type::scalar(DType::Bool);
    let (value, other) = (Type::scalar(b.dtype(operand)), Type::scalar(b.dtype(source)));
    let one = [&mark, &value, &other];
    let choose = program(&[one, one].concat(), |b, x| {
        let keep = match select {
            Selector::Named(direction) => b.compare(*direction, x[1], x[4]),
            Selector::Program(p) => b.inline(p, &[x[1], x[4]])[0],
        };
        let alone = b.unary(Unary::Not, x[3]);
        let keep = b.binary(Binary::Or, keep, alone);
        let first = b.binary(Binary::And, x[0], keep);
        let there = b.binary(Binary::Or, x[0], x[3]);
        vec![there, b.select(first, x[1], x[4]), b.select(first, x[2], x[5])]
    });
    let zeros = [b.zeros(&value), b.zeros(&other)];
    let (mut args, window) = padded(b, window, &[operand, source], &zeros);
    args.extend([b.zeros(&mark), zeros[0], zeros[1]]);
    b.push(ReduceWindow { combiner: Combiner::Program(choose.into()), window }, &args)[2]
}

/// Both arrays reduced together.
pub(super) fn select_and_gather(op: &SelectAndGather, operand: &Type, source: &Type) -> Program {
    program(&[operand, source], |b, x| vec![selected(b, &op.select, &op.window, x[0], x[1])])
}

/// The places selected, and a scatter to them.
pub(super) fn select_and_scatter(op: &SelectAndScatter, types: &[&Type]) -> Program {
    program(types, |b, x| {
        let (operand, source) = (b.ty(x[0]).clone(), b.ty(x[1]).clone());
        let flat = Type::new(super::ops::counter(operand.shape.size()), [operand.shape.size()]);
        let places = b.one(Iota { ty: flat, dim: 0 }, &[]);
        // From one, so that zero says that nothing was selected; then from zero, where that lies outside.
        let places = b.offset(places, 1.0);
        let places = b.reshape(places, &operand.shape);
        let at = selected(b, &op.select, &op.window, x[0], places);
        let at = b.offset(at, -1.0);
        let count = source.shape.size();
        let at = b.reshape(at, &[count, 1].into());
        let updates = b.reshape(x[1], &[count].into());
        let line: Shape = [operand.shape.size()].into();
        let start = match op.combiner.identity(source.dtype) {
            Some(identity) => b.constant(Tensor::splat(line, identity)),
            None => b.broadcast(x[2], &line, &[]),
        };
        let scatter = Scatter {
            indexing: Indexing::rows(1, 1),
            update: Update::Combine(op.combiner.clone()),
            indices_are_sorted: false,
            unique_indices: false,
        };
        let y = b.one(scatter, &[start, at, updates]);
        vec![b.reshape(y, &operand.shape)]
    })
}
