//! The op at fault in a program whose flags say that there is one: inside of loops, branches and calls it is looked for step by
//! step, in compiled parts of the program.

use super::flagged::{called, is_told_by_position, with_flags, with_one_flag};
use super::reach::first_new;
use std::sync::Arc;
use wengert_core::compare::is_finite;
use wengert_core::ops::{Scan, While};
use wengert_core::run::Executable;
use wengert_core::{Op, Place, Program, Result, Scalar, Tensor, Type, Var};

/// Makes a program ready to run.
pub(crate) type Compile<'a> = &'a dyn Fn(Program) -> Result<Arc<dyn Executable>>;

/// How many steps back the chain goes that leads to an op.
const CHAIN: usize = 6;

/// An op that gives what is not finite.
pub(super) struct Fault {
    /// Its name.
    pub(super) op: String,
    pub(super) place: Place,
    /// Whether what it was given at the position of a number is told.
    pub(super) is_told_by_position: bool,
    /// What it was given.
    pub(super) x: Vec<Tensor>,
    /// What it gives.
    pub(super) y: Vec<Tensor>,
    /// What leads to it, one line each, the nearest first: ops, and the loops, branches and calls that it is inside of.
    pub(super) chain: Vec<String>,
    /// The result, and the number in it, that is the first of those made of finite ones alone, where others are not.
    pub(super) first: Option<(usize, usize)>,
    /// What gives it as its result.
    pub(super) given_by: Option<GivenBy>,
}

/// A program that gives what is not finite as its result, and its inputs, which are finite: what leads to the op in the innermost
/// program that it stands in, or the op alone.
pub(crate) struct GivenBy {
    pub(crate) program: Program,
    pub(crate) inputs: Vec<Tensor>,
}

impl GivenBy {
    /// These equations of a program, or their last one alone where the inputs of all are not finite: what it gives is made of finite numbers
    /// alone, so that any others may stand for those that are not.
    fn new(program: &Program, inputs: &[Tensor], at: usize, x: &[Tensor]) -> GivenBy {
        let e = &program.equations()[at];
        let (part, taken) = part(program, inputs, &e.outputs);
        if taken.iter().all(is_finite) {
            return GivenBy { program: part.with_name(program.name()), inputs: taken };
        }
        let mut known = vec![false; program.var_count()];
        e.inputs.iter().for_each(|v| known[v.index()] = true);
        let (alone, taken) = program.part(&known, &e.outputs);
        let value = |v: &Var| x[e.inputs.iter().position(|i| i == v).expect("an operand")].clone();
        let inputs = taken.iter().map(|v| finite(&value(v))).collect();
        GivenBy { program: alone.with_name(program.name()), inputs }
    }
}

/// An array with ones for the numbers that are not finite.
fn finite(x: &Tensor) -> Tensor {
    let one = Scalar::from_f64(x.dtype(), 1.0);
    let is_finite = |c: Scalar| c.as_complex().re.is_finite() && c.as_complex().im.is_finite();
    let dense = x.dense();
    match wengert_core::compare::is_finite(x) {
        true => x.clone(),
        false => Tensor::from_bits(&x.ty(), |i| Some(dense.get(i)).filter(|c| is_finite(*c)).unwrap_or(one).bits()),
    }
}

/// The first equation of a program that is at fault, if one is.
pub(super) fn find(program: &Program, inputs: &[Tensor], compile: Compile<'_>) -> Result<Option<Fault>> {
    let flags = compile(with_flags(program))?.run_on_host(inputs.to_vec())?;
    match first_flag(&flags) {
        None => Ok(None),
        Some(at) => fault(program, inputs, at, compile).map(Some),
    }
}

/// The first equation whose flag is set, of what a program with flags gave.
pub(super) fn first_flag(y: &[Tensor]) -> Option<usize> {
    let flags = y.last()?;
    (0..flags.size()).find(|&i| flags.get(i) == Scalar::Bool(true))
}

/// The op at fault: this equation, or one inside of it.
fn fault(program: &Program, inputs: &[Tensor], at: usize, compile: Compile<'_>) -> Result<Fault> {
    let e = &program.equations()[at];
    let x = values(program, inputs, &e.inputs, compile)?;
    let mut fault = match inside(&e.op, &e.place, &x, compile)? {
        Some(fault) => fault,
        None => {
            let y = values(program, inputs, &e.outputs, compile)?;
            let given_by = y.iter().any(|y| !is_finite(y)).then(|| GivenBy::new(program, inputs, at, &x));
            let first = first_new(&e.op, &x, &y, compile);
            let (op, is_told_by_position) = (e.op.name().into(), is_told_by_position(&e.op));
            Fault { op, place: e.place.clone(), is_told_by_position, x, y, chain: Vec::new(), first, given_by }
        }
    };
    fault.chain.extend(chain(program, at));
    Ok(fault)
}

/// The values of variables of a program.
fn values(program: &Program, inputs: &[Tensor], wanted: &[Var], compile: Compile<'_>) -> Result<Vec<Tensor>> {
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let (part, x) = part(program, inputs, wanted);
    compile(part)?.run_on_host(x)
}

/// The program that computes variables of one, and its inputs.
fn part(program: &Program, inputs: &[Tensor], wanted: &[Var]) -> (Program, Vec<Tensor>) {
    let mut known = vec![false; program.var_count()];
    program.inputs().iter().for_each(|v| known[v.index()] = true);
    let (part, taken) = program.part(&known, wanted);
    let position = |v: &Var| program.inputs().iter().position(|i| i == v).expect("an input");
    let x = taken.iter().map(|v| inputs[position(v)].clone()).collect();
    (part, x)
}

/// The op at fault inside of one that holds programs, or is one of the user's that is short for a program.
pub(super) fn inside(op: &Op, place: &Place, x: &[Tensor], compile: Compile<'_>) -> Result<Option<Fault>> {
    let at = |what: String| match place.is_unknown() {
        true => format!("inside of {what}"),
        false => format!("inside of {what} at {place}"),
    };
    let (found, line) = match op {
        Op::Scan(op) => match step_of_scan(op, x, compile)? {
            Some((step, args)) => (find(&op.body, &args, compile)?, at(format!("step {step} of `scan`"))),
            None => return Ok(None),
        },
        Op::While(op) => match step_of_while(op, x, compile)? {
            Some((step, args, WhilePart::Body)) => {
                (find(&op.body, &args, compile)?, at(format!("step {step} of `while`")))
            }
            Some((step, args, WhilePart::Condition)) => {
                (find(&op.cond, &args, compile)?, at(format!("the condition before step {step} of `while`")))
            }
            None => return Ok(None),
        },
        Op::Cond(op) => {
            let index = x[0].get(0).as_i64().expect("a bool or an i32");
            let index = index.clamp(0, op.branches.len() as i64 - 1) as usize;
            (find(&op.branches[index], &x[1..], compile)?, at(format!("branch {index} of `cond`")))
        }
        Op::Custom(op) => {
            let types: Vec<Type> = x.iter().map(Tensor::ty).collect();
            let Some(Ok(program)) = op.program(&types) else { return Ok(None) };
            (find(&program, x, compile)?, at(format!("`{}`", op.get().name())))
        }
        op => match called(op) {
            Some(program) => {
                let name = if program.name().is_empty() { op.name() } else { program.name() };
                (find(program, x, compile)?, at(format!("`{name}`")))
            }
            None => return Ok(None),
        },
    };
    Ok(found.map(|mut fault| {
        if fault.place.is_unknown() {
            fault.place = place.clone();
        }
        fault.chain.push(line);
        fault
    }))
}

/// What the body of a loop is given, and in which step, where it is at fault first.
type FaultyStep = Option<(usize, Vec<Tensor>)>;

fn step_of_scan(op: &Scan, x: &[Tensor], compile: Compile<'_>) -> Result<FaultyStep> {
    let body = compile(with_one_flag(&op.body))?;
    let (consts, rest) = x.split_at(op.consts);
    let (carry, xs) = rest.split_at(op.carries);
    let mut carry = carry.to_vec();
    for step in 0..op.length {
        let i = if op.reverse { op.length - 1 - step } else { step };
        let slices = xs.iter().map(|x| x.leading_slice(i));
        let args: Vec<Tensor> = consts.iter().cloned().chain(carry).chain(slices).collect();
        let mut y = body.run_on_host(args.clone())?;
        if first_flag(&y).is_some() {
            return Ok(Some((i, args)));
        }
        y.truncate(op.carries);
        carry = y;
    }
    Ok(None)
}

/// A program that a `while` holds.
enum WhilePart {
    Condition,
    Body,
}

fn step_of_while(op: &While, x: &[Tensor], compile: Compile<'_>) -> Result<Option<(usize, Vec<Tensor>, WhilePart)>> {
    let cond = compile(with_one_flag(&op.cond))?;
    let body = compile(with_one_flag(&op.body))?;
    let (consts, carry) = x.split_at(op.consts);
    let mut carry = carry.to_vec();
    for step in 0.. {
        let args = [consts, &carry].concat();
        let goes_on = cond.run_on_host(args.clone())?;
        if first_flag(&goes_on).is_some() {
            return Ok(Some((step, args, WhilePart::Condition)));
        }
        if goes_on[0].get(0) != Scalar::Bool(true) {
            break;
        }
        let mut y = body.run_on_host(args.clone())?;
        if first_flag(&y).is_some() {
            return Ok(Some((step, args, WhilePart::Body)));
        }
        y.pop();
        carry = y;
    }
    Ok(None)
}

/// What leads to an equation, one op a line, the nearest first.
fn chain(program: &Program, at: usize) -> Vec<String> {
    let definitions = program.definitions();
    let mut lines = Vec::new();
    let mut now = at;
    while lines.len() < CHAIN {
        let operands = program.equations()[now].inputs.iter().filter_map(|v| definitions[v.index()]);
        let Some(next) = operands.filter(|&i| !matches!(program.equations()[i].op, Op::Constant(_))).max() else {
            break;
        };
        let e = &program.equations()[next];
        let place = if e.place.is_unknown() { String::new() } else { format!(" at {}", e.place) };
        lines.push(format!("it is given the result of `{}`{place}", e.op.name()));
        now = next;
    }
    lines
}
