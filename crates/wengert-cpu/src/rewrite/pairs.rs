//! Complex numbers become pairs of real ones.
//!
//! A small complex array is two real arrays, in loops and branches too; it is whole where the program takes or gives it, and
//! where an op has no form for the parts. Larger arrays are whole when loops and branches take and give them, and taken
//! apart where elements are computed. Values stay as they are, for the parts are computed as the evaluator computes them,
//! but for the last place of `abs` and of `exp` of `c64`.

use super::walk::Budget;
use std::sync::Arc;
use wengert_core::ops::{
    Binary, Combiner, Compare, Cond, Convert, Direction, Gather, OutOfBounds, Reduce, Scan, Scatter, Unary, Update,
    While,
};
use wengert_core::{Builder, DType, Equation, Op, Program, Scalar, Type, Var, Vars};

/// Arrays of up to this many elements are pairs wherever they can be.
const SMALL: usize = 64;

fn is_pair(ty: &Type) -> bool {
    ty.dtype.is_complex() && ty.shape.size() <= SMALL
}

/// Whether a program has complex numbers.
fn has_complex(program: &Program) -> bool {
    let complex = |ty: &Type| ty.dtype.is_complex();
    program.input_types().iter().any(complex) || program.any(|p, e| e.outputs.iter().any(|&v| complex(p.ty(v))))
}

/// The program with complex arrays as pairs, which takes and gives what it did.
pub(super) fn in_pairs(program: &Arc<Program>, budget: &mut Budget) -> Arc<Program> {
    if budget.is_spent() || !has_complex(program) {
        return program.clone();
    }
    let whole = |n: usize| vec![false; n];
    let new = rewritten(program, &whole(program.inputs().len()), &whole(program.outputs().len()), budget);
    if budget.made() == 0 { program.clone() } else { Arc::new(new) }
}

/// A program that takes and gives the parts of some of what it did, one after the other.
fn rewritten(program: &Program, takes: &[bool], gives: &[bool], budget: &mut Budget) -> Program {
    let mut p = Pairs { b: Builder::new(), budget };
    let mut args = Vec::with_capacity(takes.len());
    for (&v, &parts) in program.inputs().iter().zip(takes) {
        let ty = program.ty(v);
        args.push(match parts {
            true => Held::parts([(); 2].map(|()| p.b.input(ty.with_dtype(ty.dtype.real())))),
            false => {
                let x = p.b.input(ty.clone());
                p.b.copy_name(program, v, x);
                Held::whole(x)
            }
        });
    }
    let mut y = p.program(program, args);
    let outputs = p.flat(&mut y, gives);
    p.b.finish(&outputs).with_name(program.name())
}

/// What stands for a variable: itself, or the parts of what is complex, or both.
#[derive(Clone, Copy, Default)]
struct Held {
    whole: Option<Var>,
    parts: Option<[Var; 2]>,
}

impl Held {
    fn whole(v: Var) -> Held {
        Held { whole: Some(v), parts: None }
    }

    fn parts(parts: [Var; 2]) -> Held {
        Held { whole: None, parts: Some(parts) }
    }
}

struct Pairs<'a> {
    b: Builder,
    budget: &'a mut Budget,
}

impl Pairs<'_> {
    /// Writes the equations of a program of these inputs, and gives its results.
    fn program(&mut self, program: &Program, args: Vec<Held>) -> Vec<Held> {
        let mut env = vec![Held::default(); program.var_count()];
        for (v, held) in program.inputs().iter().zip(args) {
            env[v.index()] = held;
        }
        for e in program.equations() {
            self.b.set_place(e.place.clone());
            let mut x: Vec<Held> = e.inputs.iter().map(|v| env[v.index()]).collect();
            let inputs: Vec<Type> = e.inputs.iter().map(|&v| program.ty(v).clone()).collect();
            let types: Vec<Type> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
            let y = self.equation(e, &mut x, &inputs, &types);
            // What was taken apart or put together here is known from now on.
            for (v, x) in e.inputs.iter().zip(x) {
                let held = &mut env[v.index()];
                *held = Held { whole: held.whole.or(x.whole), parts: held.parts.or(x.parts) };
            }
            for (&v, held) in e.outputs.iter().zip(y) {
                if let Some(new) = held.whole
                    && self.b.name(new).is_none()
                {
                    self.b.copy_name(program, v, new);
                }
                env[v.index()] = held;
            }
        }
        program.outputs().iter().map(|v| env[v.index()]).collect()
    }

    fn equation(&mut self, e: &Equation, x: &mut [Held], inputs: &[Type], types: &[Type]) -> Vec<Held> {
        if e.op.programs().into_iter().any(|p| has_complex(p)) {
            let (takes, gives): (Vec<bool>, Vec<bool>) =
                (inputs.iter().map(is_pair).collect(), types.iter().map(is_pair).collect());
            match &e.op {
                Op::Call(op) => return self.program(&op.program, x.to_vec()),
                Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => {
                    return self.program(e.op.programs()[0], x.to_vec());
                }
                Op::Scan(op) => return self.scan(op, x, &takes, &gives),
                Op::While(op) => return self.while_loop(op, x, &takes),
                Op::Cond(op) => return self.cond(op, x, &takes, &gives),
                _ => {}
            }
        }
        let complex = || inputs.iter().chain(types).filter(|t| t.dtype.is_complex());
        if complex().next().is_some()
            && !self.budget.is_spent()
            && let Some(y) = self.apart(&e.op, x, inputs, types)
        {
            self.budget.take();
            return y;
        }
        let x: Vars = x.iter_mut().map(|x| self.whole(x)).collect();
        self.b.push_typed(e.op.clone(), &x, types.to_vec()).into_iter().map(Held::whole).collect()
    }

    /// A value whole, put together if need be.
    fn whole(&mut self, x: &mut Held) -> Var {
        match (x.whole, x.parts) {
            (Some(v), _) => v,
            (None, Some([re, im])) => *x.whole.insert(self.b.binary(Binary::Complex, re, im)),
            (None, None) => unreachable!("a verified program defines before use"),
        }
    }

    /// The parts of a complex value, taken apart if need be.
    fn parts(&mut self, x: &mut Held) -> [Var; 2] {
        if let Some(parts) = x.parts {
            return parts;
        }
        let whole = self.whole(x);
        let constant = self.b.definition(whole).and_then(|e| match &e.op {
            Op::Constant(c) => Some(c.value.clone()),
            _ => None,
        });
        let parts = [Unary::Real, Unary::Imag].map(|part| {
            let known = constant.clone().and_then(|value| wengert_eval::run_op(&Op::Unary(part), vec![value]).ok());
            match known {
                Some(mut value) => self.b.constant(value.remove(0)),
                None => self.b.unary(part, whole),
            }
        });
        *x.parts.insert(parts)
    }

    /// Values one after the other, some of them as parts.
    fn flat(&mut self, x: &mut [Held], parts: &[bool]) -> Vec<Var> {
        let mut all = Vec::with_capacity(x.len());
        for (x, &parts) in x.iter_mut().zip(parts) {
            match parts {
                true => all.extend(self.parts(x)),
                false => all.push(self.whole(x)),
            }
        }
        all
    }

    fn scan(&mut self, op: &Scan, x: &mut [Held], takes: &[bool], gives: &[bool]) -> Vec<Held> {
        let body = rewritten(&op.body, takes, gives, self.budget);
        let op = Scan {
            consts: count(&takes[..op.consts]),
            carries: count(&gives[..op.carries]),
            body: Arc::new(body),
            ..op.clone()
        };
        let x = self.flat(x, takes);
        grouped(&self.b.push(op, &x), gives)
    }

    fn while_loop(&mut self, op: &While, x: &mut [Held], takes: &[bool]) -> Vec<Held> {
        let gives = &takes[op.consts..];
        let op = While {
            consts: count(&takes[..op.consts]),
            cond: Arc::new(rewritten(&op.cond, takes, &[false], self.budget)),
            body: Arc::new(rewritten(&op.body, takes, gives, self.budget)),
        };
        let x = self.flat(x, takes);
        grouped(&self.b.push(op, &x), gives)
    }

    fn cond(&mut self, op: &Cond, x: &mut [Held], takes: &[bool], gives: &[bool]) -> Vec<Held> {
        let branches = op.branches.iter().map(|p| Arc::new(rewritten(p, &takes[1..], gives, self.budget))).collect();
        let x = self.flat(x, takes);
        grouped(&self.b.push(Cond { branches }, &x), gives)
    }

    /// An op on parts; none if it has no form for them.
    fn apart(&mut self, op: &Op, x: &mut [Held], inputs: &[Type], types: &[Type]) -> Option<Vec<Held>> {
        let part = types.first()?.dtype.real();
        let held = match op {
            Op::Unary(Unary::Real) => Held::whole(self.parts(&mut x[0])[0]),
            Op::Unary(Unary::Imag) => Held::whole(self.parts(&mut x[0])[1]),
            Op::Unary(Unary::Abs) => {
                let parts = self.parts(&mut x[0]);
                Held::whole(self.distance(parts))
            }
            Op::Unary(Unary::Exp) if part == DType::F32 => {
                let parts = self.parts(&mut x[0]);
                Held::parts(self.exp(parts))
            }
            Op::Unary(Unary::Neg) => Held::parts(self.parts(&mut x[0]).map(|v| self.b.neg(v))),
            Op::Unary(Unary::Conj) => {
                let [re, im] = self.parts(&mut x[0]);
                Held::parts([re, self.b.neg(im)])
            }
            Op::Binary(Binary::Complex) => Held::parts([self.whole(&mut x[0]), self.whole(&mut x[1])]),
            Op::Binary(op) => {
                let (x, y) = (self.parts(&mut x[0]), self.parts(&mut x[1]));
                Held::parts(self.binary(*op, x, y)?)
            }
            Op::Compare(Compare { direction: direction @ (Direction::Eq | Direction::Ne) }) => {
                let (x, y) = (self.parts(&mut x[0]), self.parts(&mut x[1]));
                let [re, im] = [0, 1].map(|k| self.b.compare(*direction, x[k], y[k]));
                let both = if *direction == Direction::Eq { Binary::And } else { Binary::Or };
                Held::whole(self.b.binary(both, re, im))
            }
            Op::Select(_) => {
                let (p, x, y) = (self.whole(&mut x[0]), self.parts(&mut x[1]), self.parts(&mut x[2]));
                Held::parts([0, 1].map(|k| self.b.select(p, x[k], y[k])))
            }
            Op::Convert(Convert { dtype }) => match (inputs[0].dtype.is_complex(), dtype.is_complex()) {
                (true, true) => Held::parts(self.parts(&mut x[0]).map(|v| self.b.convert(v, part))),
                (true, false) if *dtype == DType::Bool => {
                    let [re, im] = self.parts(&mut x[0]).map(|v| self.b.convert(v, *dtype));
                    Held::whole(self.b.binary(Binary::Or, re, im))
                }
                (true, false) => {
                    let [re, _] = self.parts(&mut x[0]);
                    Held::whole(self.b.convert(re, *dtype))
                }
                _ => {
                    let re = self.whole(&mut x[0]);
                    Held::parts([self.b.convert(re, part), self.b.zeros(&types[0].with_dtype(part))])
                }
            },
            Op::Reduce(Reduce { combiner: Combiner::Add, .. })
            | Op::Reshape(_)
            | Op::Broadcast(_)
            | Op::Transpose(_)
            | Op::Reverse(_)
            | Op::Slice(_)
            | Op::Pad(_)
            | Op::Concatenate(_)
            | Op::DynamicSlice(_)
            | Op::DynamicUpdateSlice(_)
            | Op::Gather(_)
            | Op::Scatter(Scatter { update: Update::Set | Update::Combine(Combiner::Add), .. })
            | Op::StopGradient(_) => {
                // What lies whole is moved whole, unless it is small.
                let in_parts = |(x, ty): (&Held, &Type)| !ty.dtype.is_complex() || is_pair(ty) || x.whole.is_none();
                if !types.iter().all(is_pair) && !x.iter().zip(inputs).all(in_parts) {
                    return None;
                }
                return self.alike(op, x, inputs, types);
            }
            _ => return None,
        };
        Some(vec![held])
    }

    /// An op that does the same with both parts.
    fn alike(&mut self, op: &Op, x: &mut [Held], inputs: &[Type], types: &[Type]) -> Option<Vec<Held>> {
        if !types.iter().all(|t| t.dtype.is_complex()) {
            return None;
        }
        let mut operands = [Vec::new(), Vec::new()];
        for (x, ty) in x.iter_mut().zip(inputs) {
            let both = if ty.dtype.is_complex() { self.parts(x) } else { [self.whole(x); 2] };
            operands.iter_mut().zip(both).for_each(|(all, v)| all.push(v));
        }
        let [re, im] = [0, 1].map(|k| {
            let part = match op {
                Op::Gather(Gather { out_of_bounds: OutOfBounds::Fill(s), .. }) => {
                    let (Op::Gather(op), z) = (op.clone(), s.as_complex()) else { unreachable!("it is one") };
                    let s = Scalar::from_f64(types[0].dtype.real(), [z.re, z.im][k]);
                    Op::Gather(Gather { out_of_bounds: OutOfBounds::Fill(s), ..op })
                }
                op => op.clone(),
            };
            self.b.push(part, &operands[k])
        });
        Some(re.into_iter().zip(im).map(|(re, im)| Held::parts([re, im])).collect())
    }

    /// How far a number is from zero; NaN if a part is.
    fn distance(&mut self, parts: [Var; 2]) -> Var {
        let b = &mut self.b;
        if b.dtype(parts[0]) == DType::F32 {
            // Squares of `f32` are numbers in `f64`, neither too large nor too small.
            let [re, im] = parts.map(|v| b.convert(v, DType::F64));
            let (re, im) = (b.mul(re, re), b.mul(im, im));
            let sum = b.add(re, im);
            let root = b.unary(Unary::Sqrt, sum);
            return b.convert(root, DType::F32);
        }
        let [re, im] = parts.map(|v| b.unary(Unary::Abs, v));
        let (large, small) = (b.binary(Binary::Max, re, im), b.binary(Binary::Min, re, im));
        let ratio = b.div(small, large);
        let square = b.mul(ratio, ratio);
        let sum = b.offset(square, 1.0);
        let root = b.unary(Unary::Sqrt, sum);
        let distance = b.mul(large, root);
        // Nothing divided by nothing, or by infinity, is no ratio.
        let (zero, infinity) = (b.full_like(large, 0.0), b.full_like(large, f64::INFINITY));
        let nothing = b.compare(Direction::Eq, large, zero);
        let infinite = b.compare(Direction::Eq, large, infinity);
        let whole = b.binary(Binary::Or, nothing, infinite);
        b.select(whole, large, distance)
    }

    /// `eˣ (cos y, sin y)` of `f32`, in `f64`, where `eˣ` is not too large.
    fn exp(&mut self, parts: [Var; 2]) -> [Var; 2] {
        let b = &mut self.b;
        let [re, im] = parts.map(|v| b.convert(v, DType::F64));
        let size = b.unary(Unary::Exp, re);
        let (cos, sin) = (b.unary(Unary::Cos, im), b.unary(Unary::Sin, im));
        let re = b.mul(size, cos);
        let product = b.mul(size, sin);
        // An infinite size leaves nothing as it is.
        let zero = b.full_like(sin, 0.0);
        let nothing = b.compare(Direction::Eq, sin, zero);
        let im = b.select(nothing, sin, product);
        [re, im].map(|v| b.convert(v, DType::F32))
    }

    /// An op on two complex numbers, if it is one of few on their parts.
    fn binary(&mut self, op: Binary, x: [Var; 2], y: [Var; 2]) -> Option<[Var; 2]> {
        let b = &mut self.b;
        Some(match op {
            Binary::Add | Binary::Sub => [0, 1].map(|k| b.binary(op, x[k], y[k])),
            Binary::Mul => {
                let (squares, crossed) =
                    ([b.mul(x[0], y[0]), b.mul(x[1], y[1])], [b.mul(x[0], y[1]), b.mul(x[1], y[0])]);
                [b.sub(squares[0], squares[1]), b.add(crossed[0], crossed[1])]
            }
            Binary::Max | Binary::Min => {
                // By the real parts, and where those are equal by the others; the second if none is before.
                let (less, more) = if op == Binary::Max { (y, x) } else { (x, y) };
                let equal = b.compare(Direction::Eq, less[0], more[0]);
                let [re, im] = [0, 1].map(|k| b.compare(Direction::Lt, less[k], more[k]));
                let first = b.select(equal, im, re);
                [0, 1].map(|k| b.select(first, x[k], y[k]))
            }
            _ => return None,
        })
    }
}

/// How many values as many are, some of them as parts.
fn count(parts: &[bool]) -> usize {
    parts.iter().map(|&p| 1 + p as usize).sum()
}

/// Values that stand one after the other, some of them as parts.
fn grouped(all: &[Var], parts: &[bool]) -> Vec<Held> {
    let mut rest = all.iter().copied();
    let mut next = || rest.next().expect("as many as were given");
    parts.iter().map(|&p| if p { Held::parts([next(), next()]) } else { Held::whole(next()) }).collect()
}
