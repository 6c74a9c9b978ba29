//! The stages `fuse`, which equations run as one, and `schedule`, what runs after what.

use super::Shown;
use super::equations::variable;
use crate::lower::blocks::{Block, EquationId};
use std::collections::HashSet;
use std::fmt::Write;
use wengert_core::{Op, Program, Var, counted};

impl Shown<'_> {
    /// Each block with its equations.
    pub(super) fn fuse(&self) -> String {
        let mut text = String::new();
        for (i, b) in self.blocks().filter(|(_, b)| !b.equations.is_empty()) {
            let indent = "  ".repeat(self.depth(b));
            let _ = writeln!(text, "{indent}block {i}: {}", self.name(b));
            for &e in &b.equations {
                let _ = writeln!(text, "{indent}  {}", self.equations.line(e));
            }
        }
        text
    }

    /// Blocks in the order they run, with the variables they read and write.
    pub(super) fn schedule(&self) -> String {
        let mut text = String::new();
        for (i, b) in self.blocks() {
            let indent = "  ".repeat(self.depth(b));
            let _ = write!(text, "{indent}block {i}: {}", self.name(b));
            if b.equations.len() > 1 {
                let _ = write!(text, ", {}", counted(b.equations.len(), "equation"));
            }
            let (reads, writes) = self.interface(b);
            for (word, names) in [("reads", reads), ("writes", writes)] {
                if !names.is_empty() {
                    let _ = write!(text, "; {word} {}", names.join(", "));
                }
            }
            text.push('\n');
        }
        text
    }

    /// The variables that a block takes from outside, and those of its own that are used outside.
    fn interface(&self, block: &Block) -> (Vec<String>, Vec<String>) {
        let (mut reads, mut writes) = (Vec::new(), Vec::new());
        let own: HashSet<EquationId> = block.equations.iter().copied().collect();
        let mut scopes: Vec<u32> = block.equations.iter().map(|e| e.scope).collect();
        scopes.dedup();
        for scope in scopes {
            let ids = block.equations.iter().filter(|e| e.scope == scope);
            let equations: Vec<_> = ids.filter_map(|&id| self.equations.equation(id)).collect();
            let Some(&(program, _)) = equations.first() else { continue };
            let defined: HashSet<Var> = equations.iter().flat_map(|(_, e)| e.outputs.iter().copied()).collect();
            let outside = used_outside(program, |index| own.contains(&EquationId { scope, index }));
            let constants = constants(program);
            for (_, e) in &equations {
                for &v in e.inputs.iter().filter(|v| !defined.contains(v) && !constants.contains(v)) {
                    reads.push(variable(program, v));
                }
                writes.extend(e.outputs.iter().filter(|v| outside.contains(v)).map(|&v| variable(program, v)));
            }
        }
        let mut seen = HashSet::new();
        reads.retain(|r| seen.insert(r.clone()));
        (reads, writes)
    }
}

/// The variables that equations other than these use, or that are results.
fn used_outside(program: &Program, is_own: impl Fn(u32) -> bool) -> HashSet<Var> {
    let others = program.equations().iter().enumerate().filter(|(i, _)| !is_own(*i as u32));
    others.flat_map(|(_, e)| e.inputs.iter()).chain(program.outputs()).copied().collect()
}

fn constants(program: &Program) -> HashSet<Var> {
    let is_constant = |op: &Op| matches!(op, Op::Constant(_));
    program.equations().iter().filter(|e| is_constant(&e.op)).flat_map(|e| e.outputs.iter().copied()).collect()
}
