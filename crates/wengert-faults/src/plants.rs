//! What each fault needs, as equations of a large program.

use crate::noise::SHAPE;
use wengert_core::ops::{
    ArgReduce, Binary, Clamp, Combiner, Cond, Convolution, Cumulative, CumulativeKind, Direction, DotGeneral, Extreme,
    Gather, Indexing, Iota, Order, OutOfBounds, Pad, Scan, Sort, Unary, While,
};
use wengert_core::{Builder, DType, Dims, Op, Program, Shape, Tensor, Type, Var};
use wengert_x86::faults::Fault;

/// The equations that show a fault: of an array of numbers around ±1.3, to one that depends on every element they gave.
pub fn plant(fault: Fault) -> fn(&mut Builder, Var) -> Var {
    match fault {
        Fault::AbsOfDoubles => |b, v| {
            let wide = b.convert(v, DType::F64);
            let y = b.unary(Unary::Abs, wide);
            back(b, v, y)
        },
        Fault::UnsignedCompare => |b, v| {
            let turned = b.unary(Unary::Cos, v);
            let [x, y] = [v, turned].map(|v| b.one(wengert_core::ops::Bitcast { dtype: DType::U32 }, &[v]));
            let y = b.compare(Direction::Gt, x, y);
            back(b, v, y)
        },
        Fault::SelectOfBools => |b, v| {
            let [p, q, r] = [0.1, -0.3, 0.5].map(|x| above(b, v, x));
            let y = b.select(r, p, q);
            back(b, v, y)
        },
        Fault::NarrowSigned => |b, v| {
            let many = b.scale(v, 40.0);
            let x = b.convert(many, DType::I8);
            let y = b.add(x, x);
            let y = b.convert(y, DType::F32);
            back(b, v, y)
        },
        Fault::NegatedSplat => |b, v| {
            let s = b.sum(v, &[0, 1]);
            let wide = b.broadcast(s, &Shape::from(SHAPE), &[]);
            let y = b.neg(wide);
            back(b, v, y)
        },
        Fault::PermutationOfRank4 => |b, v| {
            let cut = b.slice(v, &[0, 0], &[3, 3], &[1, 1]);
            let four = Shape::from([3, 3, 3, 3]);
            let [x, y] = [[0, 1], [2, 3]].map(|dims| b.broadcast(cut, &four, &dims));
            let turned = b.unary(Unary::Sin, y);
            let z = b.mul(x, turned);
            let y = b.transpose(z, &[1, 2, 3, 0]);
            back(b, v, y)
        },
        Fault::ConcatenateOfThree => |b, v| {
            let parts = [v, b.unary(Unary::Sin, v), b.unary(Unary::Cos, v)];
            let y = b.concatenate(&parts, 0);
            back(b, v, y)
        },
        Fault::ReverseOfTwo => |b, v| {
            let y = b.reverse(v, &[0, 1]);
            back(b, v, y)
        },
        Fault::OddReduction => |b, v| {
            let cut = b.slice_axis(v, 0, 0, 2);
            let y = b.sum(cut, &[1]);
            back(b, v, y)
        },
        Fault::InPlaceHazard => |b, v| {
            let x = b.unary(Unary::Sin, v);
            let update = b.slice(v, &[0, 0], &[2, 2], &[1, 1]);
            let at = [far(b, v, 2), far(b, v, 3)];
            let changed = b.dynamic_update_slice(x, update, &at);
            let y = b.sub(x, changed);
            back(b, v, y)
        },
        Fault::ThreeCarries => |b, v| {
            let body = program(&vec![b.ty(v).clone(); 3], |b, x| {
                vec![b.unary(Unary::Tanh, x[0]), b.unary(Unary::Sin, x[1]), b.unary(Unary::Cos, x[2])]
            });
            let start = [v, b.unary(Unary::Cos, v), b.scale(v, 2.0)];
            let y = b.push(Scan { length: 3, consts: 0, carries: 3, reverse: false, body: body.into() }, &start);
            let (first, rest) = (y[0], b.sub(y[1], y[2]));
            let y = b.add(first, rest);
            back(b, v, y)
        },
        Fault::DynamicSliceClamp => |b, v| {
            let at = [far(b, v, 90), far(b, v, 90)];
            let y = b.dynamic_slice(v, &at, &[3, 4]);
            back(b, v, y)
        },
        Fault::GatherPastTheEnd => |b, v| {
            let cut = b.slice(v, &[0, 0], &[1, 5], &[1, 1]);
            let cut = b.reshape(cut, &Shape::from([5]));
            let many = b.scale(cut, 100.0);
            let indices = b.convert(many, DType::I32);
            let gather = Gather {
                indexing: Indexing::rows(1, 2),
                slice_sizes: [1, SHAPE[1]].into_iter().collect(),
                out_of_bounds: OutOfBounds::Clip,
                indices_are_sorted: false,
                unique_indices: false,
            };
            let y = b.one(gather, &[v, indices]);
            back(b, v, y)
        },
        Fault::DoubleRounding => |b, v| {
            // A little more than half way between two numbers of 8 bits.
            let whole = b.unary(Unary::Sign, v);
            let wide = b.convert(whole, DType::F64);
            let near = b.scale(wide, 1.0 + 1.0 / 256.0 + 1.0 / (1u64 << 40) as f64);
            let y = b.convert(near, DType::BF16);
            let y = b.convert(y, DType::F32);
            let y = b.sub(y, whole);
            let y = b.scale(y, 100.0);
            back(b, v, y)
        },
        Fault::LogisticOverflow => |b, v| {
            let many = b.scale(v, 100.0);
            let y = b.unary(Unary::Logistic, many);
            back(b, v, y)
        },
        Fault::DivisionByZero => |b, v| {
            let [many, few] = [50.0, 2.0].map(|by| {
                let x = b.scale(v, by);
                b.convert(x, DType::I32)
            });
            let y = b.div(many, few);
            back(b, v, y)
        },
        Fault::FlakyProduct => |b, v| {
            let cut = b.slice(v, &[0, 0], &[2, 5], &[1, 1]);
            let more = b.offset(cut, 2.5);
            let y = b.reduce(Combiner::Mul, more, &[1]);
            back(b, v, y)
        },
        Fault::CrashOfClamp => |b, v| {
            let wide = b.convert(v, DType::F64);
            let (low, high) = (b.full_like(wide, -0.5), b.full_like(wide, 0.5));
            let y = b.one(Clamp {}, &[low, wide, high]);
            back(b, v, y)
        },
        Fault::AbortOfBranches => |b, v| {
            let branch = |f: Unary| program(&[b.ty(v).clone()], |b, x| vec![b.unary(f, x[0])]).into();
            let branches = [Unary::Sin, Unary::Cos, Unary::Tanh].map(branch).to_vec();
            let chosen = far(b, v, 0);
            let y = b.one(Cond { branches }, &[chosen, v]);
            back(b, v, y)
        },
        Fault::PanicOfPad => |b, v| {
            let zero = b.zeros(&Type::scalar(DType::F32));
            let pad = Pad { low: vec![0, 1], high: vec![1, 0], interior: [1, 0].into_iter().collect() };
            let y = b.one(pad, &[v, zero]);
            back(b, v, y)
        },
        Fault::HangOfArgReduce => |b, v| {
            let y = b.one(ArgReduce { extreme: Extreme::Max, dim: 1, dtype: DType::I32 }, &[v]);
            back(b, v, y)
        },
        Fault::SlowConstant => |b, v| {
            let numbers = (0..1200).map(|i| (i as f32 * 0.11).cos()).collect();
            let weights = b.constant(Tensor::new([1200], numbers).expect("as many"));
            let s = b.sum(v, &[0, 1]);
            let wide = b.broadcast(s, &Shape::from([1200]), &[]);
            let y = b.mul(wide, weights);
            back(b, v, y)
        },
        Fault::PaddingOfStrides => |b, v| {
            let image = b.reshape(v, &Shape::from([1, 1, SHAPE[0], SHAPE[1]]));
            let cut = b.slice(v, &[1, 1], &[4, 4], &[1, 1]);
            let kernel = b.reshape(cut, &Shape::from([1, 1, 3, 3]));
            let y = b.one(convolution(), &[image, kernel]);
            back(b, v, y)
        },
        Fault::ContractedDifference => |b, v| {
            let (x, y) = (b.unary(Unary::Cos, v), b.unary(Unary::Sin, v));
            let product = b.mul(v, y);
            let y = b.sub(x, product);
            back(b, v, y)
        },
        Fault::ScaledTwice => |b, v| {
            let y = b.scale(v, 3.0);
            let y = b.scale(y, 0.7);
            back(b, v, y)
        },
        Fault::SelectOfSelect => |b, v| {
            let (p, q) = (above(b, v, 0.1), above(b, v, 0.6));
            let (x, y) = (b.unary(Unary::Sin, v), b.unary(Unary::Cos, v));
            let inner = b.select(q, x, y);
            let y = b.select(p, inner, v);
            back(b, v, y)
        },
        Fault::SliceOfConcatenate => |b, v| {
            let joined = b.unary(Unary::Sin, v);
            let joined = b.concatenate(&[v, joined], 1);
            let y = b.slice_axis(joined, 1, 9, 26);
            back(b, v, y)
        },
        Fault::CumulativeBlock => |b, v| {
            let flat = b.reshape(v, &Shape::from([SHAPE[0] * SHAPE[1]]));
            let y = b.one(Cumulative { kind: CumulativeKind::Sum, dim: 0, reverse: false }, &[flat]);
            back(b, v, y)
        },
        Fault::UnstableSort => |b, v| {
            let few = b.scale(v, 2.0);
            let keys = b.unary(Unary::RoundEven, few);
            let y = b.push(Sort { dim: 1, stable: true, order: Order::Natural(1) }, &[keys, v])[1];
            back(b, v, y)
        },
        Fault::LongWhile => |b, v| {
            let types = [Type::scalar(DType::I32), b.ty(v).clone()];
            let cond = program(&types, |b, x| {
                let end = b.full_like(x[0], 12.0);
                vec![b.compare(Direction::Lt, x[0], end)]
            });
            let body = program(&types, |b, x| {
                let y = b.offset(x[1], 0.25);
                vec![b.offset(x[0], 1.0), b.unary(Unary::Sin, y)]
            });
            let start = b.zeros(&types[0]);
            let y = b.push(While { consts: 0, cond: cond.into(), body: body.into() }, &[start, v]);
            let steps = b.convert(y[0], DType::F32);
            let wide = b.broadcast(steps, &Shape::from(SHAPE), &[]);
            let y = b.add(y[1], wide);
            back(b, v, y)
        },
        Fault::OddTransposedProduct => |b, v| {
            let cut = b.slice_axis(v, 0, 0, 5);
            let other = b.unary(Unary::Cos, cut);
            let first = || [0].into_iter().collect::<Dims>();
            let op = DotGeneral { contract: (first(), first()), batch: (Dims::new(), Dims::new()) };
            let y = b.one(op, &[cut, other]);
            back(b, v, y)
        },
        Fault::LaneBeyond32768 => |b, v| {
            let wide = b.broadcast(v, &Shape::from([SHAPE[0], SHAPE[1], 330]), &[0, 1]);
            let y = b.unary(Unary::Sin, wide);
            let y = b.sum(y, &[2]);
            b.add(v, y)
        },
        Fault::MaxOfBroadcast => |b, v| {
            let row = b.reduce(Combiner::Add, v, &[0]);
            let wide = b.broadcast(row, &Shape::from(SHAPE), &[1]);
            let y = b.binary(Binary::Max, v, wide);
            back(b, v, y)
        },
    }
}

fn program(types: &[Type], write: impl FnOnce(&mut Builder, &[Var]) -> Vec<Var>) -> Program {
    let mut b = Builder::new();
    let x = b.inputs(types);
    let y = write(&mut b, &x);
    b.finish(&y)
}

fn above(b: &mut Builder, v: Var, than: f64) -> Var {
    let bound = b.full_like(v, than);
    b.compare(Direction::Gt, v, bound)
}

/// An integer that depends on the data, and is always this one or a little more.
fn far(b: &mut Builder, v: Var, than: i32) -> Var {
    let s = b.sum(v, &[0, 1]);
    let little = b.unary(Unary::Logistic, s);
    let x = b.offset(little, f64::from(than));
    b.convert(x, DType::I32)
}

/// A convolution of one feature with steps of two, and other zeros before than after.
fn convolution() -> Op {
    let dims = |n: &[usize]| n.iter().copied().collect::<Dims>();
    Op::Convolution(Convolution {
        lhs: dims(&[0, 1, 2, 3]),
        rhs: dims(&[0, 1, 2, 3]),
        out: dims(&[0, 1, 2, 3]),
        strides: dims(&[2, 2]),
        padding: vec![(0, 1), (0, 1)],
        lhs_dilation: dims(&[1, 1]),
        rhs_dilation: dims(&[1, 1]),
        reversal: vec![false; 2],
        feature_groups: 1,
        batch_groups: 1,
    })
}

/// The array with a sum of all elements of another, each with a weight of its own, added to it.
fn back(b: &mut Builder, v: Var, y: Var) -> Var {
    let y = b.convert(y, DType::F32);
    let n = b.shape(y).size();
    let flat = b.reshape(y, &Shape::from([n]));
    let numbers = b.one(Iota { ty: Type::new(DType::F32, [n]), dim: 0 }, &[]);
    let weights = b.unary(Unary::Cos, numbers);
    let each = b.mul(flat, weights);
    let sum = b.sum(each, &[0]);
    let wide = b.broadcast(sum, &Shape::from(SHAPE), &[]);
    b.add(v, wide)
}
