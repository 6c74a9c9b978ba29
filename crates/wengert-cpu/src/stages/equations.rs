//! Equations by the numbers that a plan has for them: their text, their path, their place in the source.

use crate::lower::blocks::{EquationId, Plan};
use std::cell::OnceCell;
use std::sync::Arc;
use wengert_core::{Equation, Op, Program, Var};

/// The programs that a plan names, the whole one and those inside.
pub(super) struct Equations<'p> {
    scopes: Vec<Option<ScopeText<'p>>>,
}

struct ScopeText<'p> {
    program: &'p Program,
    /// What stands before the number of an equation: `4.body.`.
    path: String,
    lines: OnceCell<Vec<String>>,
}

impl<'p> Equations<'p> {
    pub(super) fn new(program: &'p Program, plan: &Plan) -> Equations<'p> {
        let mut scopes: Vec<Option<ScopeText<'p>>> = Vec::with_capacity(plan.scopes.len());
        for scope in &plan.scopes {
            let found = match scope.holder {
                None => Some((program, String::new())),
                Some(h) => scopes[h.scope as usize].as_ref().and_then(|outer: &ScopeText<'p>| {
                    let op = &outer.program.equations().get(h.index as usize)?.op;
                    let programs = op.programs();
                    let part = programs.iter().position(|p| Arc::as_ptr(p) as usize == scope.program)?;
                    Some((&**programs[part], format!("{}{}.{}.", outer.path, h.index, part_name(op, part))))
                }),
            };
            scopes.push(found.map(|(program, path)| ScopeText { program, path, lines: OnceCell::new() }));
        }
        Equations { scopes }
    }

    fn scope(&self, id: EquationId) -> Option<&ScopeText<'p>> {
        self.scopes.get(id.scope as usize)?.as_ref()
    }

    /// The equation, and the program that it is of.
    pub(super) fn equation(&self, id: EquationId) -> Option<(&'p Program, &'p Equation)> {
        let program = self.scope(id)?.program;
        Some((program, program.equations().get(id.index as usize)?))
    }

    /// The equation on a line: its path, its text, and its place where that is known.
    pub(super) fn line(&self, id: EquationId) -> String {
        let Some(scope) = self.scope(id) else { return format!("equation {}", id.index) };
        let lines = scope.lines.get_or_init(|| scope.program.lines());
        let (Some(line), Some((_, e))) = (lines.get(id.index as usize), self.equation(id)) else {
            return format!("{}{}", scope.path, id.index);
        };
        let place = if e.place.is_unknown() { String::new() } else { format!(" @ {}", e.place) };
        format!("{}{}  {line}{place}", scope.path, id.index)
    }
}

/// What a program that an op holds is to it.
fn part_name(op: &Op, part: usize) -> String {
    match op {
        Op::While(_) => ["condition", "body"][part.min(1)].into(),
        Op::Cond(_) => format!("branch{part}"),
        _ => "body".into(),
    }
}

/// A variable as people see it.
pub(super) fn variable(program: &Program, v: Var) -> String {
    program.var_name(v).map_or_else(|| format!("%{}", v.index()), str::to_string)
}
