//! What a compiled program can show of itself: its stages as text, where time went, a map for `perf`.
//!
//! Everything here is made from the plan that lowering left ([`Plan`]) when somebody asks.

mod blocks;
mod equations;
mod listing;
mod memory;
mod moved;
pub(crate) mod perf_map;
pub(crate) mod profile;

use crate::lower::Lowered;
use crate::lower::blocks::{Block, BlockKind, Plan};
use equations::Equations;
pub(crate) use memory::{Refusal, memory_use, refuse};
use wengert_core::{MemoryUse, Program};
use wengert_kernel as k;
use wengert_x86::Code;

/// The stages that a program goes through on the CPU after it was simplified.
pub const STAGES: &[&str] = &["rewrite", "fuse", "schedule", "memory", "kernel", "machine"];

/// What the texts of stages are made from.
pub(crate) struct Stages<'c> {
    pub(crate) program: &'c Program,
    pub(crate) lowered: &'c Lowered,
    /// None if the function is interpreted.
    pub(crate) code: Option<&'c Code>,
    pub(crate) memory: MemoryUse,
}

impl Stages<'_> {
    /// What the program became after a stage.
    pub(crate) fn text(&self, stage: &str) -> Option<String> {
        let shown = Shown::new(self.program, self.lowered);
        Some(match stage {
            "rewrite" => format!("{}\n", self.program),
            "fuse" => shown.fuse(),
            "schedule" => shown.schedule(),
            "memory" => shown.memory(&self.memory),
            "kernel" => shown.kernel(),
            "machine" => shown.machine(self.code),
            _ => return None,
        })
    }
}

/// Blocks with what is known of their equations.
pub(crate) struct Shown<'c> {
    program: &'c Program,
    lowered: &'c Lowered,
    plan: &'c Plan,
    equations: Equations<'c>,
    /// For each block whether it has instructions, or holds blocks.
    used: Vec<bool>,
}

impl<'c> Shown<'c> {
    pub(crate) fn new(program: &'c Program, lowered: &'c Lowered) -> Shown<'c> {
        let plan = &lowered.plan;
        let mut used = vec![false; plan.blocks.len()];
        mark_used(&lowered.function.body, &mut used);
        for (i, b) in plan.blocks.iter().enumerate() {
            used[i] |= !matches!(b.kind, BlockKind::Function | BlockKind::Scalars | BlockKind::Results)
                || !b.equations.is_empty();
        }
        Shown { program, lowered, plan, equations: Equations::new(program, plan), used }
    }

    /// The blocks that do something, with their numbers.
    fn blocks(&self) -> impl Iterator<Item = (u32, &Block)> {
        self.plan.blocks.iter().enumerate().filter(|(i, _)| self.used[*i]).map(|(i, b)| (i as u32, b))
    }

    /// How many loops and branches are around a block.
    fn depth(&self, block: &Block) -> usize {
        let (mut depth, mut parent) = (0, block.parent);
        while parent != 0 {
            depth += 1;
            parent = self.plan.blocks[parent as usize].parent;
        }
        depth
    }

    /// What a block is.
    fn name(&self, block: &Block) -> String {
        match block.kind {
            BlockKind::Function => "the function".into(),
            BlockKind::Scalars => "scalars".into(),
            BlockKind::Loop { elements } => format!("loop over {elements} elements"),
            BlockKind::Kernel => {
                let op = block.equations.first().and_then(|&e| self.equations.equation(e)).map(|(_, e)| e.op.name());
                format!("kernel of `{}`", op.unwrap_or("?"))
            }
            BlockKind::Scan { steps } => format!("scan of {steps} steps"),
            BlockKind::While => "while".into(),
            BlockKind::Branches { count } => format!("one of {count} branches"),
            BlockKind::Results => "results".into(),
        }
    }
}

/// Finds the marks that instructions have.
fn mark_used(block: &k::Block, used: &mut [bool]) {
    for &(_, mark) in &block.marks {
        used[mark as usize] = true;
    }
    for inner in block.insts.iter().flat_map(|i| i.blocks()).flatten() {
        mark_used(inner, used);
    }
}
