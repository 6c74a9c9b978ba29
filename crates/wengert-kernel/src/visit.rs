//! The values that instructions name.

use crate::ir::{Address, Block, Inst, Value};

impl Inst {
    /// Calls a function with each value that the instruction itself uses; blocks that it holds use others.
    pub fn operands(&self, mut f: impl FnMut(Value)) {
        let address = |at: &Address, f: &mut dyn FnMut(Value)| {
            f(at.base);
            at.index.into_iter().for_each(|(i, _)| f(i));
        };
        match self {
            Inst::Const { .. } | Inst::Lanes { .. } => {}
            Inst::Unary { x, .. } | Inst::Convert { x, .. } | Inst::Bitcast { x, .. } => f(*x),
            Inst::Binary { x, .. } | Inst::Compare { x, .. } | Inst::Copy { x, .. } => x.iter().copied().for_each(f),
            Inst::MulAdd { x, .. } => x.iter().copied().for_each(f),
            Inst::Select { condition, x, .. } => [*condition, x[0], x[1]].into_iter().for_each(f),
            Inst::Load { at, .. } | Inst::Prefetch { at, .. } | Inst::Pointer { at, .. } => address(at, &mut f),
            Inst::Store { x, at } => {
                f(*x);
                address(at, &mut f);
            }
            Inst::Call { x, .. } => x.iter().copied().for_each(f),
            Inst::CallWhere { condition, x, otherwise, .. } => {
                [condition, otherwise].into_iter().chain(x).copied().for_each(f);
            }
            Inst::For { start, .. } | Inst::While { start, .. } => start.iter().copied().for_each(f),
            Inst::If { condition, .. } => f(*condition),
        }
    }

    /// What an instruction that holds no block defines.
    pub fn result(&self) -> Option<Value> {
        match self {
            Inst::Const { y, .. }
            | Inst::Unary { y, .. }
            | Inst::Binary { y, .. }
            | Inst::MulAdd { y, .. }
            | Inst::Compare { y, .. }
            | Inst::Select { y, .. }
            | Inst::CallWhere { y, .. }
            | Inst::Convert { y, .. }
            | Inst::Bitcast { y, .. }
            | Inst::Load { y, .. }
            | Inst::Pointer { y, .. } => Some(*y),
            _ => None,
        }
    }

    /// Puts other values in the place of all that the instruction names, in its blocks too.
    pub(crate) fn rename(&mut self, f: &mut dyn FnMut(&mut Value)) {
        let address = |at: &mut Address, f: &mut dyn FnMut(&mut Value)| {
            f(&mut at.base);
            at.index.iter_mut().for_each(|(i, _)| f(i));
        };
        match self {
            Inst::Const { y, .. } => f(y),
            Inst::Unary { y, x, .. } | Inst::Convert { y, x } | Inst::Bitcast { y, x } => {
                [y, x].into_iter().for_each(f)
            }
            Inst::Binary { y, x, .. } | Inst::Compare { y, x, .. } => {
                f(y);
                x.iter_mut().for_each(f);
            }
            Inst::MulAdd { y, x, .. } => {
                f(y);
                x.iter_mut().for_each(f);
            }
            Inst::Copy { x, .. } => x.iter_mut().for_each(f),
            Inst::Select { y, condition, x } => {
                [y, condition].into_iter().for_each(&mut *f);
                x.iter_mut().for_each(f);
            }
            Inst::Load { y, at } | Inst::Pointer { y, at } => {
                f(y);
                address(at, f);
            }
            Inst::Store { x, at } => {
                f(x);
                address(at, f);
            }
            Inst::Prefetch { at, .. } => address(at, f),
            Inst::Call { x, .. } => x.iter_mut().for_each(f),
            Inst::CallWhere { y, condition, x, otherwise, .. } => {
                [y, condition, otherwise].into_iter().chain(x).for_each(f);
            }
            Inst::For { index, carried, start, body, y, .. } => {
                f(index);
                carried.iter_mut().chain(start).chain(y).for_each(&mut *f);
                body.rename(f);
            }
            Inst::While { carried, start, condition, body, y } => {
                carried.iter_mut().chain(start).chain(y).for_each(&mut *f);
                condition.rename(f);
                body.rename(f);
            }
            Inst::If { condition, then, otherwise, y } => {
                f(condition);
                y.iter_mut().for_each(&mut *f);
                then.rename(f);
                otherwise.rename(f);
            }
            Inst::Lanes { index, body, .. } => {
                f(index);
                body.rename(f);
            }
        }
    }
}

impl Block {
    /// Puts other values in the place of all that the block names.
    pub(crate) fn rename(&mut self, f: &mut dyn FnMut(&mut Value)) {
        self.insts.iter_mut().for_each(|i| i.rename(f));
        self.results.iter_mut().for_each(f);
    }
}
