//! Loops and branches.

use super::float::Flags;
use super::{Emit, RAX};
use crate::allocate::Loc;
use crate::encode::Label;
use crate::encode::gpr::{Alu, Cond, Width};
use wengert_kernel::{Block, Inst, Value};

/// A loop of a known number of turns.
pub struct Loop<'f> {
    pub index: Value,
    pub from: i64,
    pub step: i64,
    pub count: u64,
    pub carried: &'f [Value],
    pub start: &'f [Value],
}

impl Emit<'_> {
    /// Values to the places of other values, at once.
    fn assign(&mut self, to: &[Value], from: &[Value]) {
        let moves: Vec<_> = to
            .iter()
            .zip(from)
            .map(|(&t, &f)| (self.loc(t), self.loc(f), self.kind(t)))
            .filter(|m| m.0 != m.1)
            .collect();
        self.moves(&moves);
    }

    pub(super) fn for_loop(&mut self, l: &Loop, body: &Block, number: u32) {
        self.assign(l.carried, l.start);
        if l.count == 0 {
            // What is in it has numbers all the same.
            self.number += count(body);
            return;
        }
        let Some(turns) = distance(l.step, l.count) else { return self.counted_loop(l, body, number) };
        self.set_index(l.index, l.from);
        let head = self.a.label();
        if l.count > 1 {
            self.a.align(16);
        }
        self.a.bind(head);
        self.block(body);
        self.mark(number);
        self.assign(l.carried, &body.results);
        if l.count > 1 {
            self.add_to_index(l.index, l.step);
            let last = l.from.wrapping_add(turns);
            self.compare_index(l.index, last);
            self.a.jump_if(Cond::Ne, head);
        }
    }

    /// A loop that counts on the stack.
    fn counted_loop(&mut self, l: &Loop, body: &Block, number: u32) {
        let counter = self.slot(self.places.slots + self.counters);
        self.counters += 1;
        self.set_index(l.index, l.from);
        self.a.mov_imm(RAX, l.count);
        self.a.store(8, counter, RAX);
        let head = self.a.label();
        self.a.bind(head);
        self.block(body);
        self.mark(number);
        self.assign(l.carried, &body.results);
        self.add_to_index(l.index, l.step);
        self.a.alu_imm(Alu::Sub, Width::W64, counter, 1);
        self.a.jump_if(Cond::Ne, head);
        self.counters -= 1;
    }

    pub(super) fn set_index(&mut self, index: Value, to: i64) {
        self.moves(&[(self.loc(index), Loc::Const(to as u64), self.kind(index))]);
    }

    pub(super) fn add_to_index(&mut self, index: Value, step: i64) {
        match (i32::try_from(step), self.loc(index)) {
            (Ok(imm), Loc::Gpr(r)) => self.a.alu_imm(Alu::Add, Width::W64, r, imm),
            (Ok(imm), Loc::Slot(i)) => self.a.alu_imm(Alu::Add, Width::W64, self.slot(i), imm),
            _ => {
                self.a.mov_imm(RAX, step as u64);
                let i = self.gpr_rm(index, RAX);
                self.a.alu(Alu::Add, Width::W64, RAX, i);
                self.done(index, RAX);
            }
        }
    }

    /// Flags of a loop's number and where it ends.
    pub(super) fn compare_index(&mut self, index: Value, last: i64) {
        match (i32::try_from(last), self.loc(index)) {
            (Ok(imm), Loc::Gpr(r)) => self.a.alu_imm(Alu::Cmp, Width::W64, r, imm),
            (Ok(imm), Loc::Slot(i)) => self.a.alu_imm(Alu::Cmp, Width::W64, self.slot(i), imm),
            _ => {
                self.a.mov_imm(RAX, last as u64);
                let i = self.gpr_rm(index, RAX);
                self.a.alu(Alu::Cmp, Width::W64, RAX, i);
            }
        }
    }

    pub(super) fn while_loop(
        &mut self,
        carried: &[Value],
        start: &[Value],
        condition: &Block,
        body: &Block,
        number: u32,
    ) {
        self.assign(carried, start);
        let (head, test) = (self.a.label(), self.a.label());
        self.a.jump(test);
        self.a.align(16);
        self.a.bind(head);
        // The condition comes first in the numbers, and last in the code: so a turn takes one jump.
        let first = self.number;
        self.number += count(condition);
        self.block(body);
        let after = self.number;
        self.mark(number);
        self.assign(carried, &body.results);
        self.a.bind(test);
        self.number = first;
        self.block(condition);
        self.number = after;
        self.mark(number);
        let flags = self.condition(condition.results[0]);
        self.jump_where(flags, head);
    }

    pub(super) fn branch(&mut self, condition: Value, then: &Block, otherwise: &Block, y: &[Value], number: u32) {
        let flags = self.condition(condition);
        let (other, end) = (self.a.label(), self.a.label());
        self.jump_unless(flags, other);
        self.block(then);
        self.mark(number);
        self.assign(y, &then.results);
        let empty = otherwise.insts.is_empty() && self.unmoved(y, &otherwise.results);
        if !empty {
            self.a.jump(end);
        }
        self.a.bind(other);
        self.block(otherwise);
        self.mark(number);
        self.assign(y, &otherwise.results);
        self.a.bind(end);
    }

    fn unmoved(&self, to: &[Value], from: &[Value]) -> bool {
        to.iter().zip(from).all(|(&t, &f)| self.loc(t) == self.loc(f))
    }

    fn jump_where(&mut self, flags: Flags, to: Label) {
        match flags {
            Flags::If(c) => self.a.jump_if(c, to),
            Flags::Equal => {
                let unordered = self.a.skip_if(Cond::P);
                self.a.jump_if(Cond::E, to);
                self.a.land(unordered);
            }
            Flags::NotEqual => {
                self.a.jump_if(Cond::P, to);
                self.a.jump_if(Cond::Ne, to);
            }
        }
    }

    fn jump_unless(&mut self, flags: Flags, to: Label) {
        match flags {
            Flags::If(c) => self.a.jump_if(c.not(), to),
            Flags::Equal => self.jump_where(Flags::NotEqual, to),
            Flags::NotEqual => self.jump_where(Flags::Equal, to),
        }
    }
}

/// How many instructions a block has, with those in blocks inside.
pub fn count(b: &Block) -> u32 {
    let inner = |i: &Inst| i.blocks().into_iter().flatten().map(count).sum::<u32>();
    b.insts.iter().map(|i| 1 + inner(i)).sum()
}

/// How far a loop's number goes, if it does not come back to what it was: else it does not say when to stop.
fn distance(step: i64, count: u64) -> Option<i64> {
    if step == 0 { None } else { i64::try_from(count as i128 * step as i128).ok() }
}

/// How many loops, each in the other, count on the stack.
pub fn counters(b: &Block) -> u32 {
    let inner = |i: &Inst| i.blocks().into_iter().flatten().map(counters).max().unwrap_or(0);
    let own = |i: &Inst| match i {
        Inst::For { step, count, .. } => distance(*step, *count).is_none() as u32,
        _ => 0,
    };
    b.insts.iter().map(|i| own(i) + inner(i)).max().unwrap_or(0)
}
