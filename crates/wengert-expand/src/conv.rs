//! Convolutions of complex numbers and of integers, which libraries for GPUs lack: by convolutions of floats, exactly
//! where the elements are integers. And any convolution as one product: what the window sees at each place is laid out as a
//! column.

use crate::program;
use wengert_core::ops::{Binary, Concatenate, Convolution, DotGeneral, Pad, Reverse, Slice, Unary};
use wengert_core::{DType, Dims, Program, Rules, Shape, Type, Var};

pub(crate) fn convolution(op: &Convolution, types: &[Type]) -> Option<Program> {
    match types[0].dtype {
        d if d.is_complex() => Some(complex_convolution(op, types)),
        d if d.is_integer() => Some(integer_convolution(op, types)),
        _ => None,
    }
}

/// A convolution of complex numbers by four of their parts.
fn complex_convolution(op: &Convolution, types: &[Type]) -> Program {
    program(types, |b, x| {
        let [l, r] = [x[0], x[1]].map(|v| [Unary::Real, Unary::Imag].map(|part| b.unary(part, v)));
        let mut of = |p: Var, q: Var| b.one(op.clone(), &[p, q]);
        let [rr, ii, ri, ir] = [of(l[0], r[0]), of(l[1], r[1]), of(l[0], r[1]), of(l[1], r[0])];
        let (re, im) = (b.sub(rr, ii), b.add(ri, ir));
        vec![b.binary(Binary::Complex, re, im)]
    })
}

/// A convolution of integers by pieces of 16 bits, which floats convolve without rounding; what overflows is cut off.
fn integer_convolution(op: &Convolution, types: &[Type]) -> Program {
    const PIECE: usize = 16;
    let dtype = types[0].dtype;
    let count = dtype.bits().div_ceil(PIECE);
    program(types, |b, x| {
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

/// The program that pads the left operand, slices it for each element of the window, puts the slices side by side and
/// multiplies them by the kernel. `None` if the operands do not fit the op.
///
/// ```
/// use wengert_core::{DType, Op, Type};
///
/// let (op, types) = (Op::parse("convolution[lhs=[0, 1, 2], rhs=[0, 1, 2], out=[0, 1, 2], strides=[1], \
///     padding=[(0, 0)], lhs_dilation=[1], rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1]")?,
///     [Type::new(DType::F32, [1, 2, 9]), Type::new(DType::F32, [4, 2, 3])]);
/// let Op::Convolution(op) = &op else { unreachable!() };
/// let program = wengert_expand::convolution_by_patches(op, &types).expect("it fits");
/// assert!(program.any(|_, e| e.op.name() == "dot_general"));
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn convolution_by_patches(op: &Convolution, types: &[Type]) -> Option<Program> {
    let result = op.infer(types).ok()?.into_iter().next()?;
    let spatial = op.strides.len();
    let out: Vec<usize> = op.out.iter().map(|&d| result.shape[d]).collect();
    let places: usize = out[2..].iter().product();
    let kernel: Vec<usize> = op.rhs.iter().map(|&d| types[1].shape[d]).collect();
    let window: usize = kernel[2..].iter().product();
    let (features, inputs) = (kernel[0], kernel[1]);
    let (groups, batches) = (op.feature_groups, op.batch_groups);
    let parts = groups * batches;
    Some(program(types, |b, x| {
        if result.shape.iter().product::<usize>() == 0 || inputs * window == 0 {
            return vec![b.zeros(&result)];
        }
        // Batch, feature, then the spatial axes.
        let image = b.transpose(x[0], &op.lhs);
        let around = |f: &dyn Fn(usize) -> i64| [0, 0].into_iter().chain((0..spatial).map(f)).collect::<Vec<i64>>();
        let interior: Dims = [0, 0].into_iter().chain(op.lhs_dilation.iter().map(|d| d - 1)).collect();
        let pad = Pad { low: around(&|i| op.padding[i].0), high: around(&|i| op.padding[i].1), interior };
        let zero = b.zeros(&Type::scalar(types[0].dtype));
        let image = b.one(pad, &[image, zero]);
        let shape = b.shape(image).clone();
        let (batch, channels) = (shape[0], shape[1]);
        let seen: Vec<Var> = (0..window)
            .map(|at| {
                let mut rest = at;
                let mut start: Vec<usize> = vec![0; spatial];
                for i in (0..spatial).rev() {
                    start[i] = rest % kernel[i + 2] * op.rhs_dilation[i];
                    rest /= kernel[i + 2];
                }
                let end = (0..spatial).map(|i| start[i] + (out[i + 2] - 1) * op.strides[i] + 1);
                let limit: Dims = [batch, channels].into_iter().chain(end).collect();
                let strides: Dims = [1, 1].into_iter().chain(op.strides.iter().copied()).collect();
                let start: Dims = [0, 0].into_iter().chain(start).collect();
                let slice = b.one(Slice { start, limit, strides }, &[image]);
                b.reshape(slice, &Shape::from([batch, channels, 1, places]))
            })
            .collect();
        let patches = if seen.len() == 1 { seen[0] } else { b.one(Concatenate { dim: 2 }, &seen) };
        // The groups first, then the batch, the column, and the places.
        let (batch, column) = (batch / batches, inputs * window);
        let patches = b.reshape(patches, &Shape::from([batches, batch, groups, column, places]));
        let patches = b.transpose(patches, &[0, 2, 1, 3, 4]);
        let patches = b.reshape(patches, &Shape::from([parts, batch, column, places]));
        let weights = b.transpose(x[1], &op.rhs);
        let turned: Dims = (0..spatial).filter(|&i| op.reversal[i]).map(|i| i + 2).collect();
        let weights = if turned.is_empty() { weights } else { b.one(Reverse { dims: turned }, &[weights]) };
        let weights = b.reshape(weights, &Shape::from([parts, features / parts, column]));
        let dims = |d: usize| Dims::from_slice(&[d]);
        let product = DotGeneral { contract: (dims(2), dims(2)), batch: (dims(0), dims(0)) };
        let y = b.one(product, &[weights, patches]);
        // The group, its features, the batch, the places.
        let y = b.transpose(y, &[2, 0, 1, 3]);
        let y = b.reshape(y, &Shape::from(out.clone()));
        let mut back: Dims = vec![0; op.out.len()].into_iter().collect();
        op.out.iter().enumerate().for_each(|(i, &d)| back[d] = i);
        vec![b.transpose(y, &back)]
    }))
}
