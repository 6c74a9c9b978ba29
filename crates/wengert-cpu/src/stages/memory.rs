//! The stage `memory`: who has which piece of the memory of temporaries, and whether this machine has enough for a run.

use super::Shown;
use crate::lower::blocks::{BlockKind, EquationId, RoomArray, RoomUse};
use crate::lower::{Lowered, Returned};
use std::fmt::Write;
use wengert_core::{Error, ErrorKind, MemoryUse, Program, Type};

/// The memory of a run: what is handed in and out, temporaries and constants. What kernels take for themselves is found
/// by [`Shown::kernels_own`].
pub(crate) fn memory_use(program: &Program, lowered: &Lowered, code: usize) -> MemoryUse {
    let all = |types: &mut dyn Iterator<Item = usize>| types.fold(0, usize::saturating_add);
    let types = program.output_types();
    let results = types.iter().zip(&lowered.results).map(|(ty, returned)| match returned {
        Returned::Own => bytes(ty),
        Returned::Splat => ty.dtype.size(),
        Returned::Input(_) => 0,
    });
    MemoryUse {
        inputs: all(&mut program.input_types().iter().map(bytes)),
        results: all(&mut { results }),
        temporaries: lowered.workspace,
        kernels: 0,
        constants: all(&mut lowered.constants.iter().map(|c| bytes(&c.ty()))),
        code,
        moved: None,
    }
}

fn bytes(ty: &Type) -> usize {
    ty.bytes().unwrap_or(usize::MAX)
}

/// Whether a run takes more than this machine has, and so must not begin: the error, or that the evaluator does it with less,
/// because arrays that are one value repeated need not be spelled out there.
pub(crate) fn refuse(program: &Program, lowered: &Lowered, memory: &MemoryUse) -> Option<Refusal> {
    let needed = memory.temporaries.saturating_add(memory.results);
    if wengert_eval::has_room(needed) {
        return None;
    }
    let least = peak(&lowered.plan.rooms, |a| !a.repeated).saturating_add(memory.results);
    if wengert_eval::has_room(least) {
        return Some(Refusal::Evaluate);
    }
    Some(Refusal::Error(Shown::new(program, lowered).no_room(needed)))
}

/// Why a program is not compiled.
pub(crate) enum Refusal {
    /// The evaluator takes less memory.
    Evaluate,
    /// It can't be run.
    Error(Error),
}

/// The most that rooms take at once, of those for arrays that count.
fn peak(rooms: &[RoomUse], counts: impl Fn(&RoomArray) -> bool) -> usize {
    let mut events: Vec<(u32, bool, usize)> = Vec::new();
    for r in rooms.iter().filter(|r| r.array.as_ref().is_none_or(&counts)) {
        // In one block, rooms are taken before others are given back.
        events.extend([(r.from, false, r.bytes), (r.to, true, r.bytes)]);
    }
    events.sort_unstable();
    let (mut now, mut most) = (0usize, 0);
    for (_, given_back, bytes) in events {
        now = if given_back { now.saturating_sub(bytes) } else { now.saturating_add(bytes) };
        most = most.max(now);
    }
    most
}

impl Shown<'_> {
    /// The most that one kernel takes for itself.
    pub(crate) fn kernels_own(&self) -> usize {
        let called = self.plan.blocks.iter().filter(|b| b.kind == BlockKind::Kernel);
        let equations = called.flat_map(|b| &b.equations).filter_map(|&e| self.equations.equation(e));
        equations.map(|(program, e)| wengert_eval::scratch(program, e)).max().unwrap_or(0)
    }

    /// What takes how much, and each piece of the memory of temporaries with the array that has it and for how long.
    pub(super) fn memory(&self, memory: &MemoryUse) -> String {
        let mut text = format!("{memory}\n");
        let arrays = self.plan.rooms.iter().filter_map(|r| Some((r, r.array.as_ref()?)));
        for (r, array) in arrays {
            let (start, end) = (r.start, r.start + r.bytes);
            let blocks =
                if r.from == r.to { format!("block {}", r.from) } else { format!("blocks {} to {}", r.from, r.to) };
            let of = array.equation.map(|e| self.equations.line(e)).unwrap_or_default();
            let repeated = if array.repeated { ", one value repeated" } else { "" };
            let _ = writeln!(text, "{start}..{end}  {}{repeated}, in {blocks}: {of}", array.ty);
        }
        text
    }

    /// The error for a program that takes more than there is: it names the largest array.
    fn no_room(&self, needed: usize) -> Error {
        let temporaries = self.plan.rooms.iter().filter_map(|r| r.array.as_ref()).map(|a| (a.ty.clone(), a.equation));
        let results = self.program.outputs().iter().zip(&self.lowered.results);
        let results = results.filter(|(_, r)| **r == Returned::Own).map(|(&v, _)| {
            let made = self.program.equations().iter().position(|e| e.outputs.contains(&v));
            let made = made.map(|index| EquationId { scope: 0, index: index as u32 });
            (self.program.ty(v).clone(), made)
        });
        let largest = temporaries.chain(results).max_by_key(|(ty, _)| bytes(ty));
        let gib = |bytes: usize| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64);
        let mut m =
            format!("the program takes {} beside its inputs, and this machine has no memory for it", gib(needed));
        let equation = largest.as_ref().and_then(|(_, e)| self.equations.equation((*e)?));
        if let Some((ty, _)) = &largest {
            let by = equation.map(|(_, e)| format!(" that `{}` gives", e.op.name())).unwrap_or_default();
            let _ = write!(m, ": the largest array is the {ty} of {}{by}", gib(bytes(ty)));
        }
        let error = Error::new(ErrorKind::OutOfMemory, m);
        match equation {
            Some((_, e)) => error.at(e.place.clone()),
            None => error,
        }
    }
}
