//! A case written anew, equation by equation.

use crate::case::Case;
use crate::sizes::{MOST_BYTES, bytes_of};
use std::sync::Arc;
use wengert_core::simplify::{Pass, Simplifier};
use wengert_core::{Builder, Equation, Op, Program, Tensor, Type, Var};

/// What stands for the variables of a program in the one being written.
pub(crate) struct Edit<'a> {
    pub(super) old: &'a Program,
    pub(super) b: Builder,
    pub(super) inputs: Vec<Tensor>,
    vars: Vec<Option<Var>>,
}

impl<'a> Edit<'a> {
    /// Begins with the inputs of a case.
    pub(super) fn new(case: &'a Case) -> Edit<'a> {
        let mut e = Edit::of(case.program());
        e.inputs = case.inputs().to_vec();
        e
    }

    /// Begins with the inputs of a program.
    pub(super) fn of(old: &'a Program) -> Edit<'a> {
        let mut b = Builder::new();
        let mut vars = vec![None; old.var_count()];
        for (&v, new) in old.inputs().iter().zip(b.inputs_of(old)) {
            vars[v.index()] = Some(new);
        }
        Edit { old, b, inputs: Vec::new(), vars }
    }

    /// Begins without inputs.
    pub(super) fn empty(old: &'a Program) -> Edit<'a> {
        Edit { old, b: Builder::new(), inputs: Vec::new(), vars: vec![None; old.var_count()] }
    }

    pub(super) fn var(&self, v: Var) -> Option<Var> {
        self.vars[v.index()]
    }

    pub(super) fn set(&mut self, v: Var, new: Var) {
        self.b.copy_name(self.old, v, new);
        self.vars[v.index()] = Some(new);
    }

    /// What an equation takes.
    pub(super) fn operands(&self, e: &Equation) -> Option<Vec<Var>> {
        e.inputs.iter().map(|&v| self.var(v)).collect()
    }

    /// An equation as it was, or with another op; none if the op does not take what there is.
    pub(super) fn push(&mut self, e: &Equation, op: Op) -> Option<()> {
        let x = self.operands(e)?;
        self.push_on(e, op, &x)
    }

    /// Another op, on these variables of the new program, for an equation.
    pub(super) fn push_on(&mut self, e: &Equation, op: Op, x: &[Var]) -> Option<()> {
        self.b.set_place(e.place.clone());
        let y = self.b.try_push(op, x).ok()?;
        if y.len() != e.outputs.len() {
            return None;
        }
        e.outputs.iter().zip(y).for_each(|(&v, new)| self.set(v, new));
        Some(())
    }

    pub(super) fn keep(&mut self, e: &Equation) -> Option<()> {
        self.push(e, e.op.clone())
    }

    /// One more input, with this value.
    pub(super) fn fresh_input(&mut self, value: &Tensor) -> Var {
        self.inputs.push(value.clone());
        self.b.input(value.ty())
    }

    /// A variable becomes an input with this value.
    pub(super) fn input(&mut self, v: Var, value: &Tensor) {
        let new = self.fresh_input(value);
        self.set(v, new);
    }

    /// A variable becomes one number repeated.
    pub(super) fn number(&mut self, v: Var, x: f64) {
        let ty = self.old.ty(v).clone();
        let new = self.b.full(&ty, x);
        self.set(v, new);
    }

    /// The program with the outputs of the old one.
    pub(super) fn program(self) -> Option<Program> {
        let outputs = self.old.outputs().to_vec();
        self.program_of(&outputs)
    }

    fn program_of(self, outputs: &[Var]) -> Option<Program> {
        let y: Option<Vec<Var>> = outputs.iter().map(|&v| self.var(v)).collect();
        Some(self.b.finish(&y?).with_name(self.old.name()))
    }

    /// The case with the outputs of the old one.
    pub(super) fn case(self) -> Option<Case> {
        let outputs = self.old.outputs().to_vec();
        self.case_of(&outputs)
    }

    /// The case with these outputs.
    pub(super) fn case_of(mut self, outputs: &[Var]) -> Option<Case> {
        let inputs = std::mem::take(&mut self.inputs);
        let program = self.program_of(outputs)?;
        (program.inputs().len() == inputs.len()).then(|| Case::pruned(&program, &inputs))
    }
}

/// So many elements along each axis of an array, from this place on.
pub(super) fn part(x: &Tensor, start: &[usize], sizes: &[usize]) -> Tensor {
    let mut b = Builder::new();
    let whole = b.input(x.ty());
    let limit: Vec<usize> = start.iter().zip(sizes).map(|(at, n)| at + n).collect();
    let part = b.slice(whole, start, &limit, &vec![1; start.len()]);
    let found = wengert_eval::run(&b.finish(&[part]), vec![x.clone()]);
    found.expect("a part of an array is there").remove(0)
}

/// A change of types through a whole program at once, and the programs inside of it.
pub(crate) trait TypeChange: Copy {
    fn ty(self, t: &Type) -> Type;

    /// What an input or a constant becomes.
    fn tensor(self, x: &Tensor) -> Option<Tensor>;

    /// The op itself, whose operands had these types; programs inside are seen to.
    fn op(self, op: Op, x: &[Type]) -> Option<Op>;

    /// The case after the change; none if an op does not take it.
    fn case(self, case: &Case) -> Option<Case> {
        let p = case.program();
        let mut edit = Edit::empty(p);
        for (&v, x) in p.inputs().iter().zip(case.inputs()) {
            edit.input(v, &self.tensor(x)?);
        }
        self.equations(&mut edit)?;
        edit.case()
    }

    /// The program after the change, with as many equations; none if an op does not take it.
    fn program(self, p: &Program) -> Option<Program> {
        let mut edit = Edit::empty(p);
        for &v in p.inputs() {
            let new = edit.b.input(self.ty(p.ty(v)));
            edit.set(v, new);
        }
        self.equations(&mut edit)?;
        let y: Option<Vec<Var>> = p.outputs().iter().map(|&v| edit.var(v)).collect();
        Some(edit.b.finish_all(&y?).with_name(p.name()))
    }

    /// What stands for an equation of a program whose op does not take the change; none if nothing does.
    fn instead(self, _: &Program, _: &Equation) -> Option<Op> {
        None
    }

    fn equations(self, edit: &mut Edit<'_>) -> Option<()> {
        let p = edit.old;
        for e in p.equations() {
            if self.equation(edit, e).is_none() {
                edit.push(e, self.instead(p, e)?)?;
            }
        }
        Some(())
    }

    fn equation(self, edit: &mut Edit<'_>, e: &Equation) -> Option<()> {
        let p = edit.old;
        let types: Vec<Type> = e.inputs.iter().map(|&v| p.ty(v).clone()).collect();
        let op = match self.op(e.op.clone(), &types)? {
            Op::Custom(op) => {
                let gives: Vec<Type> = e.outputs.iter().map(|&v| self.ty(p.ty(v))).collect();
                op.get().with_result_types(&gives).unwrap_or(op).into()
            }
            op => op,
        };
        let mut whole = true;
        let op = op.map_programs(&mut |p| match self.program(p) {
            Some(new) => Arc::new(new),
            None => {
                whole = false;
                p.clone()
            }
        });
        if whole { edit.push(e, op) } else { None }
    }
}

/// The equations of a case at all depths: each before those of the programs that it holds.
pub(super) fn all_equations(case: &Case) -> Vec<(&Program, &Equation)> {
    fn add<'a>(p: &'a Program, all: &mut Vec<(&'a Program, &'a Equation)>) {
        for e in p.equations() {
            all.push((p, e));
            e.op.programs().into_iter().for_each(|p| add(p, all));
        }
    }
    let mut all = Vec::new();
    add(case.program(), &mut all);
    all
}

/// The case with something else for one of [`all_equations`], which `write` writes.
pub(super) fn with_equation(
    case: &Case,
    at: usize,
    write: &dyn Fn(&mut Edit<'_>, &Equation) -> Option<()>,
) -> Option<Case> {
    /// `left` is how many equations there are before it, and none after it.
    fn equations(edit: &mut Edit<'_>, left: &mut Option<usize>, write: &Writer<'_>) -> Option<()> {
        for e in edit.old.equations() {
            let Some(before) = *left else {
                edit.keep(e)?;
                continue;
            };
            *left = before.checked_sub(1);
            if before == 0 {
                write(edit, e)?;
                continue;
            }
            let mut whole = true;
            let op = e.op.map_programs(&mut |p| {
                if left.is_none() {
                    return p.clone();
                }
                let mut inner = Edit::of(p);
                let written = equations(&mut inner, left, write).and_then(|()| inner.program());
                whole &= written.is_some();
                written.map_or_else(|| p.clone(), Arc::new)
            });
            edit.push(e, op).filter(|()| whole)?;
        }
        Some(())
    }
    let mut edit = Edit::new(case);
    equations(&mut edit, &mut Some(at), write)?;
    edit.case()
}

type Writer<'a> = dyn Fn(&mut Edit<'_>, &Equation) -> Option<()> + 'a;

/// The case without what loops and calls carry or give and nothing needs.
pub(super) fn narrowed(case: &Case) -> Case {
    let program = Simplifier::new(&[Pass::Dead]).run(case.program());
    Case::pruned(&program, case.inputs())
}

/// The values of all variables of a program in a run, if it can be run and they are not too large.
pub(super) fn values(case: &Case) -> Option<Vec<Tensor>> {
    let p = case.program();
    // They are held at once in the process that reduces.
    if bytes_of(p) > 4 * MOST_BYTES {
        return None;
    }
    let mut e = Edit::of(p);
    p.equations().iter().try_for_each(|q| e.keep(q))?;
    let all: Vec<Var> = p.inputs().iter().chain(p.equations().iter().flat_map(|e| &e.outputs)).copied().collect();
    let y: Option<Vec<Var>> = all.iter().map(|&v| e.var(v)).collect();
    let every = e.b.finish_all(&y?);
    let found = wengert_eval::run(&every, case.inputs().to_vec()).ok()?;
    let mut values: Vec<Option<Tensor>> = vec![None; p.var_count()];
    all.iter().zip(found).for_each(|(v, x)| values[v.index()] = Some(x));
    values.into_iter().collect()
}
