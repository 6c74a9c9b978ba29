//! The first op that gives NaN or an infinity of finite numbers.

use wengert_core::compare::is_finite;
use wengert_core::run::Value;
use wengert_core::{Error, ErrorKind, Op, Program, Result, Tensor, Var};

/// How many steps back the chain goes that leads to the op.
const CHAIN: usize = 6;

fn is_bad(t: &Tensor) -> bool {
    !is_finite(t)
}

/// What is not finite in an array: `NaN`, `infinity`.
fn what(t: &Tensor) -> &'static str {
    let nan = (0..t.size()).map(|i| t.get(i).as_complex()).any(|c| c.re.is_nan() || c.im.is_nan());
    if nan { "NaN" } else { "an infinity" }
}

/// An error if an op that runs by itself gives what is not finite, of operands that are.
pub(crate) fn check_op(op: &Op, x: &[Value], y: &[Value]) -> Result<()> {
    if !super::checks_nan() || matches!(op, Op::Constant(_)) {
        return Ok(());
    }
    let host = |v: &Value| v.clone().into_host().ok();
    let Some(bad) = y.iter().filter_map(host).find(is_bad) else { return Ok(()) };
    if x.iter().filter_map(host).any(|t| is_bad(&t)) {
        return Ok(());
    }
    let m = format!("`{}` gives {} of finite numbers: {}", op.name(), what(&bad), bad.ty());
    Err(Error::new(ErrorKind::Run, m))
}

/// An error if a program gave what is not finite of inputs that are: it names the first equation that does. `again` runs
/// parts of the program.
pub(super) fn check(
    program: &Program,
    inputs: &[Tensor],
    outputs: &[Value],
    again: &dyn Fn(Program, Vec<Tensor>) -> Result<Vec<Tensor>>,
) -> Result<()> {
    let given = outputs.iter().filter_map(|v| v.clone().into_host().ok()).any(|t| is_bad(&t));
    if !given || inputs.iter().any(is_bad) {
        return Ok(());
    }
    let Some((at, bad)) = first_bad(program, inputs, again)? else { return Ok(()) };
    let e = &program.equations()[at];
    let m = format!("`{}` gives {} of finite numbers: {}", e.op.name(), what(&bad), bad.ty());
    let mut error = Error::new(ErrorKind::Run, m).at(e.place.clone());
    for line in chain(program, at) {
        error = error.note(line);
    }
    Err(error)
}

/// The first equation with a result that is not finite, by halves.
fn first_bad(
    program: &Program,
    inputs: &[Tensor],
    again: &dyn Fn(Program, Vec<Tensor>) -> Result<Vec<Tensor>>,
) -> Result<Option<(usize, Tensor)>> {
    let mut known = vec![false; program.var_count()];
    program.inputs().iter().for_each(|v| known[v.index()] = true);
    let bad_among = |from: usize, to: usize| -> Result<Option<Tensor>> {
        let defined = program.equations()[from..=to].iter().flat_map(|e| e.outputs.iter().copied());
        let wanted: Vec<Var> = defined.filter(|&v| program.ty(v).dtype.is_differentiable()).collect();
        if wanted.is_empty() {
            return Ok(None);
        }
        let (part, taken) = program.part(&known, &wanted);
        let position = |v: &Var| program.inputs().iter().position(|i| i == v).expect("an input");
        let given = taken.iter().map(|v| inputs[position(v)].clone()).collect();
        Ok(again(part, given)?.into_iter().find(is_bad))
    };
    let (mut low, mut high) = (0, program.equations().len().saturating_sub(1));
    let Some(mut found) = bad_among(low, high)? else { return Ok(None) };
    while low < high {
        let middle = (low + high) / 2;
        match bad_among(low, middle)? {
            Some(t) => (high, found) = (middle, t),
            None => low = middle + 1,
        }
    }
    Ok(Some((low, found)))
}

/// What leads to an equation, one op a line, the nearest first.
fn chain(program: &Program, at: usize) -> Vec<String> {
    let maker = |v: Var| program.equations().iter().position(|e| e.outputs.contains(&v));
    let mut lines = Vec::new();
    let mut now = at;
    while lines.len() < CHAIN {
        let operands = program.equations()[now].inputs.iter().filter_map(|&v| maker(v));
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
