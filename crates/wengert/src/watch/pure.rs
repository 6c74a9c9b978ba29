//! `WENGERT_CHECK=pure`: a staged function that does not do the same when it is traced again depends on something that its
//! program can't know: a counter, a clock, random numbers of the host.

use wengert_core::{Equation, Error, ErrorKind, Op, Program, Result, Var};

/// An error if a function was traced to two different programs: the first thing it did otherwise, and where.
pub(crate) fn check_pure(function: &str, first: &Program, again: &Program) -> Result<()> {
    let (p, q) = (first.equations(), again.equations());
    let differs = p.iter().zip(q).position(|(e, f)| !is_same(first, e, again, f));
    let ends = p.len().min(q.len());
    let same_end = p.len() == q.len() && first.outputs() == again.outputs();
    let i = match differs {
        Some(i) => i,
        None if same_end => return Ok(()),
        None => ends,
    };
    let shown = |program: &Program, equations: &[Equation]| match equations.get(i) {
        Some(e) => format!("`{}` at {}", program.lines()[i], e.place),
        None => "nothing more".to_string(),
    };
    Err(Error::new(ErrorKind::Run, format!("{function} does not do the same when it is traced again"))
        .note(format!("first it did {}", shown(first, p)))
        .note(format!("then {}", shown(again, q)))
        .note(
            "what to do: give what changes as an argument (random numbers by `random::key`); a staged function runs once for \
             each type of its arguments, and what it read elsewhere stays as it was then",
        ))
}

/// Whether two equations do the same: as two programs are compared, but for calls of Rust, which are never the same.
fn is_same(first: &Program, e: &Equation, again: &Program, f: &Equation) -> bool {
    let ops = match (&e.op, &f.op) {
        (Op::Custom(_), Op::Custom(_)) => e.op.name() == f.op.name(),
        (e, f) => e == f,
    };
    let types = |p: &Program, v: &[Var]| v.iter().map(|v| p.ty(*v).clone()).collect::<Vec<_>>();
    ops && e.inputs == f.inputs && e.outputs == f.outputs && types(first, &e.outputs) == types(again, &f.outputs)
}
