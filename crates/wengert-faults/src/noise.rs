//! Large programs: equations that have nothing to do with a fault, with what the fault needs in the middle.

use wengert_core::ops::{Binary, Call, CallKind, Combiner, Cond, Direction, Scan, Unary};
use wengert_core::{Builder, DType, Program, Result, Scalar, Shape, Tensor, Type, Var};
use wengert_repro::Case;

/// The sizes of the arrays that all of it is about.
pub const SHAPE: [usize; 2] = [6, 17];

/// What writes the equations of a fault: it is given an array of numbers around ±1.3, and gives one back.
pub type Plant = fn(&mut Builder, Var) -> Var;

/// Numbers that look drawn, and are always the same.
struct Draw(u64);

impl Draw {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

fn matrix() -> Type {
    Type::new(DType::F32, SHAPE)
}

/// A program of one array.
fn of_one(write: impl FnOnce(&mut Builder, Var) -> Var) -> Program {
    let mut b = Builder::new();
    let x = b.input(matrix());
    let y = write(&mut b, x);
    b.finish(&[y])
}

/// The mean of two: what is off in one is off by less in it, so that rounding does not grow.
fn mean(b: &mut Builder, x: Var, y: Var) -> Var {
    let sum = b.add(x, y);
    b.scale(sum, 0.5)
}

/// A few equations of one kind or another.
fn some(b: &mut Builder, draw: &mut Draw, all: &mut Vec<Var>, rows: &mut Vec<Var>) {
    let (p, q, r) = (all[all.len() - 1], all[draw.below(all.len())], rows[rows.len() - 1]);
    let shape = Shape::from(SHAPE);
    match draw.below(24) {
        0..3 => all.push(b.unary(Unary::Tanh, p)),
        3..6 => all.push(b.unary(Unary::Atan, p)),
        6..9 => {
            let m = mean(b, p, q);
            all.push(b.unary(Unary::Cos, m));
        }
        9..12 => {
            let wide = b.broadcast(r, &shape, &[1]);
            all.push(mean(b, p, wide));
        }
        12..14 => {
            let m = b.reduce(Combiner::Min, p, &[0]);
            rows.push(b.unary(Unary::Tanh, m));
        }
        14..16 => all.push(b.binary(Binary::Max, p, q)),
        16..18 => {
            let t = b.transpose(p, &[1, 0]);
            let t = b.unary(Unary::Atan, t);
            all.push(b.transpose(t, &[1, 0]));
        }
        18..20 => rows.push(b.unary(Unary::Erf, r)),
        20 => {
            let body = of_one(|b, x| {
                let y = b.unary(Unary::Tanh, x);
                mean(b, x, y)
            });
            all.push(b.one(Scan { length: 3, consts: 0, carries: 1, reverse: false, body: body.into() }, &[p]));
        }
        21 => {
            let program = of_one(|b, x| b.unary(Unary::Cos, x)).with_name("inner");
            all.push(b.one(Call { program: program.into(), kind: CallKind::Checkpoint }, &[p]));
        }
        22 => {
            let branches = [Unary::Atan, Unary::Tanh].map(|f| of_one(|b, x| b.unary(f, x)).into()).to_vec();
            let (sum, zero) = (b.sum(p, &[0, 1]), b.zeros(&Type::scalar(DType::F32)));
            let chosen = b.compare(Direction::Gt, sum, zero);
            all.push(b.one(Cond { branches }, &[chosen, p]));
        }
        _ => {
            let above = b.compare(Direction::Gt, p, q);
            all.push(b.select(above, q, p));
        }
    }
}

/// A program of about so many equations, with what a fault needs in the middle, and its inputs.
pub fn large(equations: usize, plant: Plant) -> Case {
    let mut b = Builder::new();
    let types = [matrix(), Type::new(DType::F32, [SHAPE[1]])];
    let (x, y) = (b.input(types[0].clone()), b.input(types[1].clone()));
    let (mut all, mut rows) = (vec![x], vec![y]);
    let mut draw = Draw(12_345 + equations as u64);
    let written = |b: &Builder| b.equation_count();
    while written(&b) < equations * 2 / 7 {
        some(&mut b, &mut draw, &mut all, &mut rows);
    }
    let little = b.scale(*all.last().expect("there is one"), 0.1);
    let near = b.add(x, little);
    let planted = plant(&mut b, near);
    all.push(planted);
    let until = written(&b) + equations * 2 / 7;
    while written(&b) < until {
        some(&mut b, &mut draw, &mut all, &mut rows);
    }
    // All that was written is used.
    let mut last = *all.last().expect("there is one");
    for &v in all.iter().rev().skip(1).filter(|v| **v != planted) {
        last = mean(&mut b, last, v);
    }
    for &r in &rows[1..] {
        let wide = b.broadcast(r, &Shape::from(SHAPE), &[1]);
        last = mean(&mut b, last, wide);
    }
    let kept = b.add(planted, last);
    let third = all[all.len() / 3];
    let program = b.finish(&[kept, third, rows[rows.len() - 1]]);
    with_inputs(program).expect("a program of these inputs")
}

/// A program with inputs of numbers around ±1.3, always the same for a type.
pub fn with_inputs(program: Program) -> Result<Case> {
    let number = |i: usize| f64::from((i as f32 * 0.37).sin() * 1.3);
    let value = |t: &Type| Tensor::from_bits(t, |i| Scalar::from_f64(t.dtype, number(i)).bits());
    let inputs = program.input_types().iter().map(value).collect();
    Case::new(program, inputs)
}
