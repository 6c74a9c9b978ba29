//! Convolutions of complex numbers and of integers, which libraries for GPUs lack: by convolutions of floats, exactly
//! where the elements are integers.

use crate::program;
use wengert_core::ops::{Binary, Convolution, Unary};
use wengert_core::{DType, Program, Type, Var};

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
