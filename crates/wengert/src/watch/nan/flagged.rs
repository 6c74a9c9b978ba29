//! A program with flags: beside its results it says which of its equations are at fault, those inside of loops, branches and
//! calls too. It is compiled like any other, so that looking for a fault does not turn the compiler off.

use super::reach::any_new;
use rustc_hash::FxHashMap;
use std::convert::Infallible;
use std::sync::Arc;
use wengert_core::ops::{Binary, Call, CallKind, Combiner, Cond, OutOfBounds, Scan, Unary, While};
use wengert_core::{Builder, DType, Equation, Op, Program, Tensor, Type, Var};

/// The results of a program, then one `bool[n]`: for each equation whether it is at fault.
pub(super) fn with_flags(program: &Program) -> Program {
    let (mut b, mut y, flags) = flagged(program);
    let one = |b: &mut Builder, flag: Option<Var>| {
        let flag = flag.unwrap_or_else(|| b.constant(Tensor::scalar(false)));
        b.reshape(flag, &[1].into())
    };
    let flags: Vec<Var> = flags.into_iter().map(|flag| one(&mut b, flag)).collect();
    y.push(match flags.is_empty() {
        true => b.constant(Tensor::zeros(&Type::new(DType::Bool, [0]))),
        false => b.concatenate(&flags, 0),
    });
    b.finish(&y)
}

/// The results of a program, then one `bool`: whether any equation is at fault.
pub(super) fn with_one_flag(program: &Program) -> Program {
    let (mut b, mut y, flags) = flagged(program);
    let any = flags.into_iter().flatten().reduce(|x, y| b.binary(Binary::Or, x, y));
    y.push(any.unwrap_or_else(|| b.constant(Tensor::scalar(false))));
    b.finish(&y)
}

/// The program that an op runs as it is.
pub(super) fn called(op: &Op) -> Option<&Arc<Program>> {
    match op {
        Op::Call(op) => Some(&op.program),
        Op::CustomJvp(op) => Some(&op.program),
        Op::CustomVjp(op) => Some(&op.program),
        Op::LinearSolve(op) => Some(&op.solve),
        Op::Root(op) => Some(&op.solve),
        _ => None,
    }
}

/// Whether the user asked for a number that is not finite: a constant, or what is read where nothing is.
pub(super) fn is_asked_for(op: &Op) -> bool {
    match op {
        Op::Constant(_) => true,
        Op::Gather(op) => match op.out_of_bounds {
            OutOfBounds::Fill(s) => !(s.as_complex().re.is_finite() && s.as_complex().im.is_finite()),
            OutOfBounds::Clip => false,
        },
        _ => false,
    }
}

/// Whether each number that an op gives is made of those at the same position alone: one that is not finite silences no other.
pub(super) fn is_by_position(op: &Op) -> bool {
    matches!(op, Op::Unary(_) | Op::Binary(_) | Op::Convert(_) | Op::ReducePrecision(_))
}

/// Whether what an op is given at the position of a number says where the number comes from: of an op of the user's, it may.
pub(super) fn is_told_by_position(op: &Op) -> bool {
    is_by_position(op) || matches!(op, Op::MulAdd(_) | Op::Custom(_))
}

/// Whether faults are looked for inside of an op, and not in its results.
pub(super) fn is_looked_into(op: &Op) -> bool {
    matches!(op, Op::Scan(_) | Op::While(_) | Op::Cond(_)) || called(op).is_some()
}

/// The equations of a program, its results, and for each equation its flag; none, where it can't be at fault.
fn flagged(program: &Program) -> (Builder, Vec<Var>, Vec<Option<Var>>) {
    let mut finite = Finite::default();
    let mut flags = Vec::with_capacity(program.equations().len());
    let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
        let (y, inside) = equation(b, program, e, x);
        flags.push(match is_asked_for(&e.op) {
            _ if inside.is_some() => inside,
            true => None,
            false if is_by_position(&e.op) => finite.flag_by_position(b, x, y[0]),
            false => finite.flag(b, &e.op, x, &y),
        });
        Ok::<_, Infallible>(y)
    });
    (b, y, flags)
}

/// Whether the variables of a program with flags are finite, once somebody asked.
#[derive(Default)]
struct Finite {
    of: FxHashMap<Var, Var>,
}

impl Finite {
    /// Whether an array is finite: a `bool`. None if it can't be otherwise.
    fn get(&mut self, b: &mut Builder, x: Var) -> Option<Var> {
        if let Some(&known) = self.of.get(&x) {
            return Some(known);
        }
        let each = each_finite(b, x)?;
        let axes: Vec<usize> = (0..b.shape(x).rank()).collect();
        let found = b.reduce(Combiner::And, each, &axes);
        self.of.insert(x, found);
        Some(found)
    }

    /// Whether an equation gives a number that is not finite where its operands are.
    fn flag_by_position(&mut self, b: &mut Builder, x: &[Var], y: Var) -> Option<Var> {
        let rank = b.shape(y).rank();
        let gives = each_finite(b, y)?;
        let mut fails = b.unary(Unary::Not, gives);
        for &x in x {
            if let Some(takes) = each_finite(b, x) {
                fails = b.binary(Binary::And, takes, fails);
            }
        }
        Some(b.reduce(Combiner::Or, fails, &(0..rank).collect::<Vec<_>>()))
    }

    /// Whether an equation gives what is not finite, of operands that are; or, where some are not, of those that are, as far as that is
    /// known of its op. That is looked at only then.
    fn flag(&mut self, b: &mut Builder, op: &Op, x: &[Var], y: &[Var]) -> Option<Var> {
        let mut all = |b: &mut Builder, of: &[Var]| {
            let each: Vec<Var> = of.iter().filter_map(|&v| self.get(b, v)).collect();
            each.into_iter().reduce(|x, y| b.binary(Binary::And, x, y))
        };
        let gives = all(b, y)?;
        let takes = all(b, x);
        let fails = b.unary(Unary::Not, gives);
        let Some(takes) = takes else { return Some(fails) };
        let fails_alone = b.binary(Binary::And, takes, fails);
        let types = |b: &Builder, of: &[Var]| of.iter().map(|&v| b.ty(v).clone()).collect::<Vec<Type>>();
        let Some(look) = any_new(op, &types(b, x), &types(b, y)) else { return Some(fails_alone) };
        let given_bad = b.unary(Unary::Not, takes);
        let looks = b.binary(Binary::And, given_bad, fails);
        let operands = [x, y].concat();
        let mut none = Builder::new();
        none.inputs(&types(b, &operands));
        let no = none.constant(Tensor::scalar(false));
        let branches = vec![Arc::new(none.finish(&[no])), Arc::new(look)];
        let found = b.push(Cond { branches }, &[&[looks], &operands[..]].concat())[0];
        Some(b.binary(Binary::Or, fails_alone, found))
    }
}

/// Whether each number of an array is finite. None if it can't be otherwise.
pub(super) fn each_finite(b: &mut Builder, x: Var) -> Option<Var> {
    let dtype = b.dtype(x);
    if !dtype.is_differentiable() {
        return None;
    }
    if !dtype.is_complex() {
        return Some(b.unary(Unary::IsFinite, x));
    }
    let [re, im] = [Unary::Real, Unary::Imag].map(|part| b.unary(part, x)).map(|part| b.unary(Unary::IsFinite, part));
    Some(b.binary(Binary::And, re, im))
}

/// Adds an equation; of one that is looked into, its flag.
fn equation(b: &mut Builder, program: &Program, e: &Equation, x: &[Var]) -> (Vec<Var>, Option<Var>) {
    let with_last = |y: Vec<Var>| {
        let (flag, y) = y.split_last().expect("a flag");
        (y.to_vec(), Some(*flag))
    };
    if let Some(inner) = called(&e.op) {
        let op = Call { program: Arc::new(with_one_flag(inner)), kind: CallKind::Staged };
        return with_last(b.push(op, x).to_vec());
    }
    match &e.op {
        Op::Cond(op) => {
            let branches = op.branches.iter().map(|p| Arc::new(with_one_flag(p))).collect();
            with_last(b.push(Cond { branches }, x).to_vec())
        }
        Op::Scan(op) => {
            let first = op.consts + op.carries;
            let body = stepped(&op.body, first, op.carries);
            let none = b.constant(Tensor::scalar(false));
            let operands = [&x[..first], &[none], &x[first..]].concat();
            let scan = Scan { carries: op.carries + 1, body: Arc::new(body), ..op.clone() };
            let mut y = b.push(scan, &operands).to_vec();
            let flag = y.remove(op.carries);
            (y, Some(flag))
        }
        Op::While(op) => {
            let carries = op.body.outputs().len();
            let body = stepped(&op.body, op.consts + carries, carries);
            let mut c = Builder::new();
            let args = c.inputs_of(&op.cond);
            c.input(Type::scalar(DType::Bool));
            let go_on = c.inline(&op.cond, &args);
            let cond = Arc::new(c.finish(&go_on));
            // The condition is at fault before a step, or when it ends the loop.
            let looks = with_one_flag(&op.cond);
            let none = b.constant(Tensor::scalar(false));
            let body = Arc::new(conditioned(&body, &looks));
            let y = b.push(While { consts: op.consts, cond, body }, &[x, &[none]].concat()).to_vec();
            let (before, y) = y.split_last().expect("a flag");
            let last = b.inline(&looks, &[&x[..op.consts], y].concat()).pop().expect("a flag");
            let flag = b.binary(Binary::Or, *before, last);
            (y.to_vec(), Some(flag))
        }
        op => {
            let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
            (b.push_typed(op.clone(), x, types).to_vec(), None)
        }
    }
}

/// The body of a loop, whose last operand and result is a flag, that looks at the condition before it too.
fn conditioned(body: &Program, cond: &Program) -> Program {
    let mut b = Builder::new();
    let args = b.inputs(&body.input_types());
    let mut y = b.inline(body, &args);
    let cond = b.inline(cond, &args[..args.len() - 1]).pop().expect("a flag");
    let now = y.pop().expect("a flag");
    y.push(b.binary(Binary::Or, now, cond));
    b.finish(&y)
}

/// The body of a loop that carries one flag more, after its carries: whether any step so far was at fault.
fn stepped(body: &Program, first: usize, carries: usize) -> Program {
    let mut b = Builder::new();
    let types = body.input_types();
    let mut args = b.inputs(&types[..first]);
    let before = b.input(Type::scalar(DType::Bool));
    args.extend(b.inputs(&types[first..]));
    let mut y = b.inline(&with_one_flag(body), &args);
    let now = y.pop().expect("a flag");
    y.insert(carries, b.binary(Binary::Or, before, now));
    b.finish(&y)
}
