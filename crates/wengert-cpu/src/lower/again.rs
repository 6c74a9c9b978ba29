//! Values of many elements that are computed a second time instead of being kept. When a group with products is written, what
//! is used later of its elements is not: the equations that compute it are put off once more, with products and all, and
//! become a part of the group that uses it. What was combined of rows is kept. So the gradient of attention has no matrix of all
//! scores.

use super::group::{Group, Member, Operand, Read, Slot, Step};
use super::view::merged;
use super::{Lowering, is_reshape};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use wengert_core::{Equation, Op, Program, Var};

/// Results of fewer bytes than this are kept: where caches hold them, it takes less time to read than to compute them.
const FAR: usize = 24 << 20;

type Key = *const Slot;

/// What is computed a second time: the results of members of the group.
pub(super) type Again = HashSet<Key>;

impl Lowering {
    /// For each variable, whether it may be computed again where it is used later: all that uses it can be a part of a group
    /// that goes through its rows.
    pub(super) fn may_be_computed_again(&self, program: &Program) -> Vec<bool> {
        let least = if self.piece > 1 { FAR } else { 1 };
        let is_large = |v: Var| program.ty(v).bytes().is_some_and(|b| b >= least);
        let mut may = vec![false; program.var_count()];
        let results = program.equations().iter().flat_map(|e| &e.outputs);
        results.filter(|v| is_large(**v)).for_each(|v| may[v.index()] = true);
        program.outputs().iter().for_each(|v| may[v.index()] = false);
        for e in program.equations().iter().rev() {
            for (side, v) in e.inputs.iter().enumerate().filter(|(_, v)| is_large(**v)) {
                let is_same = |&y: &Var| is_reshape(&e.op, &program.ty(*v).shape, &program.ty(y).shape);
                let stays = match &e.op {
                    Op::StopGradient(_) | Op::Barrier(_) => may[e.outputs[side].index()],
                    _ if e.outputs.first().is_some_and(is_same) => may[e.outputs[0].index()],
                    _ => self.goes_through_rows(program, e, side),
                };
                may[v.index()] &= stays;
            }
        }
        may
    }

    /// Whether an equation can be a part of a group that goes through the rows of an operand, or follow it.
    fn goes_through_rows(&self, program: &Program, e: &Equation, side: usize) -> bool {
        let shape = &program.ty(e.inputs[side]).shape;
        match &e.op {
            Op::Unary(_)
            | Op::Binary(_)
            | Op::Compare(_)
            | Op::Select(_)
            | Op::Clamp(_)
            | Op::Convert(_)
            | Op::MulAdd(_) => program.ty(e.outputs[0]).shape.size() == shape.size(),
            Op::Reduce(op) => {
                let are_last = op.dims.iter().all(|&d| d + op.dims.len() >= shape.rank());
                op.combiner.binary().is_some() && are_last
            }
            Op::DotGeneral(op) => {
                let (batch, contract) = match side {
                    0 => (&op.batch.0, &op.contract.0),
                    _ => (&op.batch.1, &op.contract.1),
                };
                let of_matrix: Vec<usize> =
                    (0..shape.rank()).filter(|d| shape[*d] != 1 && !batch.contains(d)).collect();
                let matrices = batch.iter().map(|&d| shape[d]).product();
                match of_matrix[..] {
                    [rows, columns] if contract.contains(&rows) => {
                        !contract.contains(&columns) && self.are_shared_well(matrices)
                    }
                    [_, columns] => side == 0 && contract.contains(&columns),
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// What of a group with products is computed again: all values of its elements that are used outside, if each may be.
    /// What that needs of rows is used outside too from now on.
    pub(super) fn found_again(&self, group: &Group, products: &[Member], outside: &mut HashMap<Key, bool>) -> Again {
        let mut again = Again::new();
        let made: HashMap<Key, &Member> = group
            .members
            .iter()
            .chain(products)
            .flat_map(|m| m.results.iter().map(move |s| (Rc::as_ptr(s), m)))
            .collect();
        // Something is computed now: what products that follow take of the loops.
        let from_loops = |x: &Operand| matches!(x, Operand::Inside(s) if made[&Rc::as_ptr(s)].product().is_none());
        if !products.iter().any(|m| m.follows() && m.operands.iter().any(from_loops)) {
            return again;
        }
        let mut next: Vec<Rc<Slot>> = Vec::new();
        for slot in made.values().flat_map(|m| &m.results) {
            if outside[&Rc::as_ptr(slot)] && slot.count() == group.count && !slot.follows {
                if !slot.again.get() || slot.target.is_some() || slot.place.is_some() {
                    return Again::new();
                }
                next.push(slot.clone());
            }
        }
        let mut of_rows = Vec::new();
        while let Some(slot) = next.pop() {
            if slot.count() != group.count {
                of_rows.push(slot);
                continue;
            }
            let m = made[&Rc::as_ptr(&slot)];
            // A random number takes longer than to keep it.
            let is_long = matches!(&m.step, Step::Op(op) if matches!(**op, Op::Threefry(_)));
            if is_long || m.combines() {
                return Again::new();
            }
            if again.insert(Rc::as_ptr(&slot)) {
                let inside = m.operands.iter().filter_map(|x| if let Operand::Inside(s) = x { Some(s) } else { None });
                next.extend(inside.cloned());
            }
        }
        again.iter().for_each(|key| _ = outside.insert(*key, false));
        of_rows.iter().for_each(|slot| _ = outside.insert(Rc::as_ptr(slot), true));
        again
    }

    /// Puts off once more what is computed again of a group that is written.
    pub(super) fn put_off_again(&mut self, group: Group, products: Vec<Member>, again: &Again) {
        let (columns, cuts, row) = (group.columns, group.cuts, group.row);
        // A group has a number of elements to itself.
        let other = self.groups.of_count(group.count);
        self.write_group(other);
        let home = self.groups.insert(Group { columns, cuts, ..Group::new(group.count) });
        for mut m in products.into_iter().chain(group.members) {
            if m.follows() || !m.results.iter().any(|s| again.contains(&Rc::as_ptr(s))) {
                continue;
            }
            for slot in &m.results {
                slot.home.set(home);
                slot.again.set(false);
            }
            for x in &mut m.operands {
                if let Operand::Inside(slot) = x
                    && slot.count() != group.count
                {
                    let row = row.expect("rows were combined");
                    let axes = merged([(slot.count(), 1), (row, 0)]);
                    let (memory, kind) = (Some(slot.memory()), slot.kind());
                    *x = Operand::Read(Rc::new(Read { memory, offset: 0, axes, kind, gathered: None }));
                }
            }
            self.groups.all.get_mut(&home).expect("it was made").members.push(m);
        }
    }
}
