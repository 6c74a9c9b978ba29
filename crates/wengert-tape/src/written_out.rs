//! Ops of the user's in a process that has not their code: they are the programs that they are short for, as these were recorded inside.

use crate::node::Node;
use crate::program::program_name;
use crate::provenance::unknown_step;
use crate::row::{Kind, Ref};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::sync::Arc;
use wengert_core::ops::{Call, CallKind};
use wengert_core::{Builder, Op, Program, Result, Type, Var};

impl<'t> Node<'t> {
    /// Whether it ran an op that this process has not, and inside is the program that the op is short for: the node has that as it
    /// was when the op was recorded, whether this ran or code of the op's own.
    pub(crate) fn is_written_out(self) -> bool {
        let ends = |id: u32| self.tape.row(id).kind() == Kind::Return;
        let last = || self.shares().unwrap_or(self).last_child();
        self.label().unknown.is_some() && self.is_abstract() && last().is_some_and(ends)
    }

    /// The op that computes again what the node did: its own, or a call of the program inside.
    ///
    /// # Errors
    /// If the tape has neither, or a context left a part of the program out.
    pub(crate) fn known_op(self) -> Result<Cow<'t, Op>> {
        match self.op() {
            Some(op) => Ok(Cow::Borrowed(op)),
            None => {
                let program = if self.is_written_out() { self.program_inside() } else { None };
                let program = Arc::new(program.ok_or_else(|| unknown_step(self))?);
                Ok(Cow::Owned(Call { program, kind: CallKind::Staged }.into()))
            }
        }
    }

    /// The program inside, if all of it is there, and takes and gives what the node does.
    fn program_inside(self) -> Option<Program> {
        let mut b = Builder::new();
        let mut vars: FxHashMap<Ref, Var> = FxHashMap::default();
        let mut y = Vec::new();
        for n in self.children() {
            let operands = self.tape.refs_of(n.id).iter().map(|r| match r.is_constant() {
                true => self.tape.constants.get(r.at as usize)?.tensor().map(|t| b.constant(t)),
                false => vars.get(r).copied(),
            });
            let x = operands.collect::<Option<Vec<Var>>>()?;
            b.set_place(n.place());
            y = match n.kind() {
                Kind::Argument => vec![b.input(n.ty(0)?.clone())],
                Kind::Constant => vec![b.constant(n.value(0)?)],
                Kind::Return => x,
                _ => b.try_push(n.op()?.clone(), &x).ok()?.to_vec(),
            };
            vars.extend(y.iter().enumerate().map(|(out, &v)| (Ref { at: n.id, out: out as u32 }, v)));
        }
        let program = b.finish(&y).with_name(program_name(self.function()));
        let takes: Option<Vec<Type>> = self.arguments().map(|a| a.ty().map(Cow::into_owned)).collect();
        let gives: Option<Vec<Type>> = (0..self.result_count()).map(|out| self.ty(out).cloned()).collect();
        let fits = takes == Some(program.input_types()) && gives == Some(program.output_types());
        fits.then_some(program)
    }
}
