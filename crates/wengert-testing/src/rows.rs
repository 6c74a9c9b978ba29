//! Random programs of the shape that normalisations, attention and their gradients have: arrays of one large shape, combined
//! along some of its axes, spread again along those, and combined again.

use crate::{Choices, from_scalars};
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Dims, Op, Program, Scalar, Shape, Tensor, Type, Var};

/// Sizes around those at which loops over rows are cut, unrolled, shared among threads and combined by halves.
const SHAPES: [&[usize]; 18] = [
    &[8, 100],
    &[17, 4],
    &[2, 65],
    &[3, 1030],
    &[100, 8],
    &[1, 5000],
    &[5000, 1],
    &[3, 255],
    &[257, 3],
    &[2, 4200],
    &[5, 6, 64],
    &[2, 33, 40],
    &[4, 1, 300],
    &[3, 70, 2],
    &[2, 3, 4, 50],
    &[20_001],
    &[70, 1000],
    &[9, 8200],
];

/// What an element is combined from: those for which rows have a way of their own.
const COMBINERS: [Combiner; 4] = [Combiner::Add, Combiner::Max, Combiner::Min, Combiner::Mul];

/// A value, and which axes of the large shape it has.
type Known = (Var, Dims);

struct Growing<'a, 'c> {
    b: Builder,
    shape: Shape,
    dtype: DType,
    known: Vec<Known>,
    choices: &'a mut Choices<'c>,
}

/// A program over arrays of one large shape and of some of its axes.
pub fn random_rows(choices: &mut Choices<'_>) -> Program {
    let shape = Shape::from(choices.of(&SHAPES));
    let dtype = choices.of(&[DType::F32, DType::F32, DType::F64, DType::BF16, DType::I32]);
    let mut g = Growing { b: Builder::new(), shape, dtype, known: Vec::new(), choices };
    let all: Dims = (0..g.shape.rank()).collect();
    g.input(all.clone());
    for _ in 0..g.choices.below(3) {
        let axes = g.some(&all);
        g.input(axes);
    }
    for _ in 0..6 + g.choices.below(14) {
        g.grow();
    }
    // The last of all, and some others: what is not used is not computed.
    let mut results: Vec<Var> = g.known.last().map(|k| k.0).into_iter().collect();
    results.extend((0..g.choices.below(4)).map(|_| g.any().0));
    g.b.finish_all(&results).with_name("rows")
}

/// Arrays of these types whose elements differ, with infinities, NaN and zeros among them where they are not plain.
pub fn varied_values(types: &[Type], choices: &mut Choices<'_>, plain: bool) -> Vec<Tensor> {
    const AWKWARD: [f64; 6] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -0.0, 0.0, 1e-40];
    let seed = choices.below(1 << 16) as u64;
    let one = |t: &Type, i: usize| {
        let n = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ seed << 7);
        let n = (n ^ n >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 40;
        let x = match (plain, n % 997) {
            (false, 0) => AWKWARD[(n / 997) as usize % AWKWARD.len()],
            _ => (n % 4001) as f64 / 1000.0 - 2.0,
        };
        Scalar::from_f64(t.dtype, if t.dtype.is_integer() && !x.is_finite() { 3.0 } else { x })
    };
    types.iter().map(|t| from_scalars(t, |i| one(t, i))).collect()
}

impl Growing<'_, '_> {
    fn input(&mut self, axes: Dims) {
        let shape: Shape = axes.iter().map(|&d| self.shape[d]).collect();
        let v = self.b.input(Type::new(self.dtype, shape));
        self.known.push((v, axes));
    }

    /// Some of the axes.
    fn some(&mut self, axes: &Dims) -> Dims {
        axes.iter().copied().filter(|_| self.choices.coin()).collect()
    }

    /// A value: more often one of the last ones.
    fn any(&mut self) -> Known {
        let n = self.known.len();
        let back = self.choices.below(n).min(self.choices.below(n));
        self.known[n - 1 - back].clone()
    }

    fn push(&mut self, op: impl Into<Op>, x: &[Var], axes: &Dims) -> Var {
        let y = self.b.push(op, x)[0];
        self.known.push((y, axes.clone()));
        y
    }

    /// A value spread over these axes, of which it has some.
    fn spread(&mut self, (v, has): Known, axes: &Dims) -> Var {
        if has == *axes {
            return v;
        }
        let shape: Shape = axes.iter().map(|&d| self.shape[d]).collect();
        let place = |d: &usize| axes.iter().position(|a| a == d).expect("one of them");
        let dims: Dims = has.iter().map(place).collect();
        self.push(Broadcast { shape, dims }, &[v], axes)
    }

    /// The value combined along some of its axes: most often the last one.
    fn combine(&mut self, (v, axes): Known) {
        let gone: Dims = match self.choices.below(4) {
            0 => self.some(&axes),
            1 => axes.first().copied().into_iter().collect(),
            _ => axes.last().copied().into_iter().collect(),
        };
        let dims: Dims = gone.iter().map(|d| axes.iter().position(|a| a == d).expect("one of them")).collect();
        let left: Dims = axes.iter().copied().filter(|d| !gone.contains(d)).collect();
        let combiner = self.choices.of(&COMBINERS);
        self.push(Reduce { combiner, dims }, &[v], &left);
    }

    fn grow(&mut self) {
        use Unary::*;
        let x = self.any();
        let (v, axes) = x.clone();
        match self.choices.below(12) {
            0 if self.dtype.is_float() => {
                let op = self.choices.of(&[Exp, Tanh, Logistic, Sqrt, Abs]);
                self.push(op, &[v], &axes);
            }
            0 | 1 => _ = self.push(Neg, &[v], &axes),
            2..=5 => self.combine(x),
            // To all axes, so that what was combined meets what it was combined of.
            6 | 7 => {
                let all = (0..self.shape.rank()).collect();
                self.spread(x, &all);
            }
            8 if axes.is_empty() => {}
            8 => {
                let kind = self.choices.of(&[CumulativeKind::Sum, CumulativeKind::Max]);
                let op = Cumulative { kind, dim: self.choices.below(axes.len()), reverse: self.choices.coin() };
                self.push(op, &[v], &axes);
            }
            kind => {
                let y = self.any();
                let both: Dims = (0..self.shape.rank()).filter(|d| axes.contains(d) || y.1.contains(d)).collect();
                let (v, w) = (self.spread(x, &both), self.spread(y, &both));
                if kind == 11 {
                    let p = self.b.push(Compare { direction: self.choices.of(Direction::ALL) }, &[v, w])[0];
                    let swapped = self.choices.coin();
                    self.push(Select {}, &if swapped { [p, w, v] } else { [p, v, w] }, &both);
                    return;
                }
                let op = self.choices.of(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Max, Binary::Min]);
                self.push(op, &[v, w], &both);
            }
        }
    }
}
