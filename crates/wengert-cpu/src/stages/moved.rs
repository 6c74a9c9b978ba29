//! How much a run reads and writes, by the plan.

use super::Shown;
use crate::lower::blocks::{Block, BlockKind, EquationId};
use std::collections::{HashMap, HashSet};
use wengert_core::{Op, Program, Var};

impl Shown<'_> {
    /// The bytes that all blocks read and write, each array once for each block. Loops whose steps are not known count as
    /// one step.
    pub(crate) fn moved(&self) -> usize {
        // Loops and branches are what is in them; products are called where scalars are computed.
        let working = |b: &Block| matches!(b.kind, BlockKind::Loop { .. } | BlockKind::Kernel | BlockKind::Scalars);
        // Loops may compute the same again; the kernel of an equation that loops compute only lays out what they read.
        let mut blocks: HashMap<EquationId, Vec<u32>> = HashMap::new();
        let is_in_loop = |i: u32| matches!(self.plan.blocks[i as usize].kind, BlockKind::Loop { .. });
        for (i, b) in self.blocks().filter(|(_, b)| working(b)) {
            let control = |op: &Op| matches!(op, Op::Scan(_) | Op::While(_) | Op::Cond(_) | Op::Call(_));
            let is_loop = |e: EquationId| self.equations.equation(e).is_none_or(|(_, e)| control(&e.op));
            for &e in b.equations.iter().filter(|e| !is_loop(**e)) {
                let of_equation = blocks.entry(e).or_default();
                of_equation.retain(|&before| is_in_loop(before) && is_in_loop(i));
                of_equation.push(i);
            }
        }
        let mut scopes: Vec<EquationId> = blocks.keys().map(|e| EquationId { index: 0, ..*e }).collect();
        scopes.sort_unstable_by_key(|e| e.scope);
        scopes.dedup();
        let mut moved = 0usize;
        for first in scopes {
            let Some((program, _)) = self.equations.equation(first) else { continue };
            let of_equation =
                |index: usize| blocks.get(&EquationId { index: index as u32, ..first }).map_or(&[][..], |b| &b[..]);
            self.moved_in(program, &of_equation, &mut |block, bytes| {
                let times = self.times(&self.plan.blocks[block as usize]);
                moved = moved.saturating_add(bytes.saturating_mul(times));
            });
        }
        moved
    }

    /// What the blocks of one program read and write: calls `add` with the block and the bytes of each array.
    fn moved_in<'b>(&self, program: &Program, blocks: &dyn Fn(usize) -> &'b [u32], add: &mut dyn FnMut(u32, usize)) {
        let mut made: HashMap<Var, usize> = HashMap::new();
        for (i, e) in program.equations().iter().enumerate() {
            made.extend(e.outputs.iter().map(|&v| (v, i)));
        }
        let makers = |v: Var| made.get(&v).map_or(&[][..], |&i| blocks(i));
        let (mut read, mut written) = (HashSet::new(), HashSet::new());
        for (i, e) in program.equations().iter().enumerate() {
            for &v in &e.inputs {
                for &user in blocks(i).iter().filter(|user| !makers(v).contains(user)) {
                    if read.insert((user, v)) {
                        let part = matches!(e.op, Op::Slice(_) | Op::DynamicSlice(_) | Op::Gather(_));
                        let part = part && v == e.inputs[0];
                        let most = if part { bytes(program, e.outputs[0]) } else { usize::MAX };
                        add(user, lying(program, &made, v).min(most));
                    }
                    written.insert(v);
                }
                if blocks(i).is_empty() {
                    written.insert(v);
                }
            }
        }
        written.extend(program.outputs().iter().copied());
        for v in written {
            if let Some(&maker) = makers(v).first() {
                add(maker, bytes(program, v));
            }
        }
    }

    /// How often a block runs.
    fn times(&self, block: &Block) -> usize {
        let (mut times, mut parent) = (1usize, block.parent);
        while parent != 0 {
            let around = &self.plan.blocks[parent as usize];
            if let BlockKind::Scan { steps } = around.kind {
                times = times.saturating_mul(steps);
            }
            parent = around.parent;
        }
        times
    }
}

fn bytes(program: &Program, v: Var) -> usize {
    program.ty(v).bytes().unwrap_or(usize::MAX)
}

/// The bytes that lie in memory of a variable that is read: of one that is another way to read an array, no more than the
/// array has.
fn lying(program: &Program, made: &HashMap<Var, usize>, mut v: Var) -> usize {
    let mut least = bytes(program, v);
    while let Some(&i) = made.get(&v) {
        let e = &program.equations()[i];
        match e.op {
            Op::Iota(_) => return 0,
            Op::Constant(ref c) if c.value.is_splat() => return 0,
            Op::Broadcast(_) | Op::Reshape(_) | Op::Transpose(_) | Op::Slice(_) | Op::Reverse(_) => v = e.inputs[0],
            _ => break,
        }
        least = least.min(bytes(program, v));
    }
    least
}
