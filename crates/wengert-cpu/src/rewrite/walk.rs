//! The walk over a program and those nested in it, which all rewrites share; and how a program is written anew.

use std::collections::HashMap;
use std::sync::Arc;
use wengert_core::{Builder, Equation, Op, Program, Var, Vars};

/// How often a rewrite was made, and how often it still may be.
pub(super) struct Budget {
    made: usize,
    limit: usize,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Budget {
        Budget { made: 0, limit }
    }

    /// Whether it may be made once more; counts it, if so.
    pub(super) fn take(&mut self) -> bool {
        let may = self.made < self.limit;
        self.made += may as usize;
        may
    }

    /// Whether it may not be made any more.
    pub(super) fn is_spent(&self) -> bool {
        self.made >= self.limit
    }

    /// How often it was made.
    pub(super) fn made(&self) -> usize {
        self.made
    }
}

/// Makes a rewrite in the equations of one program, not in those nested in it; none if it can't be made.
pub(super) type Level = fn(&Program, &mut Budget) -> Option<Program>;

/// Makes a rewrite in a program and those nested in it that run as a part of it, innermost first.
pub(super) struct Walk<'a> {
    level: Level,
    budget: &'a mut Budget,
    /// What became of programs: one that is held many times is rewritten once, and stays shared.
    done: HashMap<*const Program, (Arc<Program>, Arc<Program>)>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(level: Level, budget: &'a mut Budget) -> Walk<'a> {
        Walk { level, budget, done: HashMap::new() }
    }

    /// The program rewritten; itself, if nothing was.
    pub(super) fn program(&mut self, program: &Arc<Program>) -> Arc<Program> {
        if let Some((_, done)) = self.done.get(&Arc::as_ptr(program)) {
            return done.clone();
        }
        let before = self.budget.made;
        let ops: Vec<Option<Op>> = program.equations().iter().map(|e| self.nested(&e.op)).collect();
        let mut new = program.clone();
        if self.budget.made > before {
            let mut ops = ops.into_iter();
            new = Arc::new(rebuilt(program, |b, env, e| {
                let op = ops.next().flatten()?;
                let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
                let x: Vars = e.inputs.iter().map(|v| env[v.index()]).collect();
                Some(b.push_typed(op, &x, types))
            }));
        }
        if let Some(own) = (self.level)(&new, self.budget) {
            new = Arc::new(own);
        }
        self.done.insert(Arc::as_ptr(program), (program.clone(), new.clone()));
        new
    }

    /// An op with the programs rewritten that it runs as a part of the program around it.
    fn nested(&mut self, op: &Op) -> Option<Op> {
        // Rules of derivatives do not run.
        let running = match op {
            Op::Scan(_) | Op::While(_) | Op::Cond(_) | Op::Call(_) => usize::MAX,
            Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => 1,
            _ => return None,
        };
        let (before, mut number) = (self.budget.made, 0);
        let new = op.map_programs(&mut |p| {
            number += 1;
            if number <= running { self.program(p) } else { p.clone() }
        });
        (self.budget.made > before).then_some(new)
    }
}

/// A program written anew, equation by equation: `f` gives what stands for the results of an equation, or none where it
/// stays. It is given what stands for the variables so far. Equations that nothing uses then are left out.
pub(super) fn rebuilt(
    program: &Program,
    mut f: impl FnMut(&mut Builder, &[Var], &Equation) -> Option<Vars>,
) -> Program {
    let mut b = Builder::new();
    let mut env: Vec<Var> = b.inputs_of(program);
    for e in program.equations() {
        b.set_place(e.place.clone());
        let y = f(&mut b, &env, e).unwrap_or_else(|| {
            let x: Vars = e.inputs.iter().map(|v| env[v.index()]).collect();
            b.push_typed(e.op.clone(), &x, e.outputs.iter().map(|&v| program.ty(v).clone()).collect())
        });
        for (&v, &new) in e.outputs.iter().zip(&y) {
            if b.name(new).is_none() {
                b.copy_name(program, v, new);
            }
            // Variables are numbered as they are defined.
            debug_assert_eq!(v.index(), env.len());
            env.push(new);
        }
    }
    let outputs: Vec<Var> = program.outputs().iter().map(|v| env[v.index()]).collect();
    b.finish(&outputs).with_name(program.name())
}
