//! What lowering decided, as data: blocks of equations in the order they run, and the rooms of temporaries.
//!
//! A block is what runs as one: scalars, a loop over elements, the call of a kernel, a loop or branch of the program with
//! the blocks inside of it. Instructions carry the number of their block as a mark. Block 0 is the function itself.

use super::Lowering;
use wengert_core::{Program, Type};

/// An equation of the program or of one inside of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct EquationId {
    /// The number of the scope.
    pub(crate) scope: u32,
    /// The number of the equation in its program.
    pub(crate) index: u32,
}

/// A program as it was written once: the whole one, or one that an equation holds.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Scope {
    /// The equation that holds it; none of the whole one.
    pub(crate) holder: Option<EquationId>,
    /// Which of the programs of that equation it is, by its address.
    pub(crate) program: usize,
}

/// What runs as one.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// The loop or branch it is inside of.
    pub(crate) parent: u32,
    pub(crate) equations: Vec<EquationId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    /// The function: how it begins and ends.
    Function,
    /// Scalars, in registers or on the stack.
    Scalars,
    /// A loop over the elements of arrays.
    Loop { elements: usize },
    /// The call of a kernel.
    Kernel,
    /// A loop of the program with so many steps.
    Scan { steps: usize },
    /// A loop of the program.
    While,
    /// One of so many branches of the program.
    Branches { count: usize },
    /// Results are put where the caller wants them.
    Results,
}

impl BlockKind {
    /// Whether other blocks are inside of it.
    fn holds_blocks(self) -> bool {
        matches!(self, BlockKind::Scan { .. } | BlockKind::While | BlockKind::Branches { .. })
    }
}

/// A piece of the memory of temporaries, and who has it for how long.
#[derive(Clone, Debug)]
pub(crate) struct RoomUse {
    pub(crate) start: usize,
    pub(crate) bytes: usize,
    /// The array it was taken for; none if it is for the pointers that a kernel is handed.
    pub(crate) array: Option<RoomArray>,
    /// The block it was taken in, and the last one before it was given back.
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// The array that a room was taken for.
#[derive(Clone, Debug)]
pub(crate) struct RoomArray {
    pub(crate) ty: Type,
    /// The equation it is a result of, or that asked for its memory.
    pub(crate) equation: Option<EquationId>,
    /// Whether it is one value repeated, which need not be spelled out.
    pub(crate) repeated: bool,
}

/// All that lowering decided.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) scopes: Vec<Scope>,
    pub(crate) blocks: Vec<Block>,
    pub(crate) rooms: Vec<RoomUse>,
}

/// As many equations on scalars are one block, at most: a profile says more then.
const MOST_SCALARS: usize = 64;

/// Blocks while a function is written.
pub(super) struct Blocks {
    scopes: Vec<Scope>,
    list: Vec<Block>,
    /// The scope that is being written.
    scope: u32,
    /// The equation that is being written.
    pub(super) at: Option<EquationId>,
    /// Whether it is part of another block than that of scalars.
    taken: bool,
    /// The block that instructions belong to.
    current: u32,
    /// The loop or branch that is being written.
    parent: u32,
    /// How many instructions there were before the equation.
    before: usize,
    /// How many there were before the last block, and are there now.
    made_at: usize,
    written: usize,
}

/// What was being written before a block was opened.
pub(super) struct Interrupted {
    current: u32,
    /// Whether that is a block of scalars: those that follow are another one.
    scalars: bool,
    parent: u32,
}

/// What was being written before a program inside of it.
pub(super) struct Outside {
    scope: u32,
    at: Option<EquationId>,
    taken: bool,
    before: usize,
    /// The block around, if it is none of scalars.
    current: Option<u32>,
}

impl Blocks {
    pub(super) fn new() -> Blocks {
        let function = Block { kind: BlockKind::Function, parent: 0, equations: Vec::new() };
        let list = vec![function];
        Blocks {
            scopes: Vec::new(),
            list,
            scope: 0,
            at: None,
            taken: true,
            current: 0,
            parent: 0,
            before: 0,
            made_at: 0,
            written: 0,
        }
    }

    pub(super) fn finish(self, rooms: Vec<RoomUse>) -> Plan {
        Plan { scopes: self.scopes, blocks: self.list, rooms }
    }

    /// The equation that is being written, which becomes part of another block than that of scalars.
    pub(super) fn take(&mut self) -> Option<EquationId> {
        self.taken = true;
        self.at
    }

    /// Adds a block; one of scalars that has nothing in it gives way.
    fn add(&mut self, kind: BlockKind, equations: Vec<EquationId>) -> u32 {
        let empty = |b: &mut Block| b.kind == BlockKind::Scalars && b.equations.is_empty();
        if self.made_at == self.written {
            self.list.pop_if(empty);
        }
        self.made_at = self.written;
        self.list.push(Block { kind, parent: self.parent, equations });
        self.list.len() as u32 - 1
    }

    /// A block of scalars that more can be added to: the current one, or a new one.
    fn scalars(&mut self) {
        let last = self.list.len() as u32 - 1;
        let block = &self.list[last as usize];
        let open = block.kind == BlockKind::Scalars && block.parent == self.parent;
        let fits = block.equations.is_empty() || (self.current == last && block.equations.len() < MOST_SCALARS);
        self.current = if open && fits { last } else { self.add(BlockKind::Scalars, Vec::new()) };
    }
}

impl Lowering {
    /// Instructions from here on belong to the current block.
    fn mark(&mut self) {
        self.b.mark(self.blocks.current);
        self.rooms.set_now(self.blocks.current, self.blocks.list.len() as u32 - 1);
    }

    /// Begins the equations of a program: the whole one, or one that the equation holds which is being written.
    pub(super) fn enter_program(&mut self, program: &Program) -> Outside {
        let b = &mut self.blocks;
        let current = Some(b.current).filter(|&c| b.list[c as usize].kind != BlockKind::Scalars);
        let outside = Outside { scope: b.scope, at: b.at, taken: b.taken, before: b.before, current };
        let scope = Scope { holder: b.at, program: std::ptr::from_ref(program) as usize };
        // A program that is written again, as for each element of a reduction, is the same scope.
        if b.scopes.last() != Some(&scope) {
            b.scopes.push(scope);
        }
        b.scope = b.scopes.len() as u32 - 1;
        outside
    }

    /// Ends the equations of a program.
    pub(super) fn leave_program(&mut self, outside: Outside) {
        let Outside { scope, at, taken, before, current } = outside;
        let b = &mut self.blocks;
        (b.scope, b.at, b.taken, b.before) = (scope, at, taken, before);
        if let Some(current) = current {
            b.current = current;
            self.mark();
        }
    }

    /// Begins an equation: its instructions are scalars, unless a block is opened for it.
    pub(super) fn begin_equation(&mut self, index: usize) {
        let b = &mut self.blocks;
        b.written = self.b.written();
        b.at = Some(EquationId { scope: b.scope, index: index as u32 });
        (b.taken, b.before) = (false, b.written);
        b.scalars();
        self.mark();
    }

    /// Ends an equation. One without instructions is but a name for what is there already: it is in no block.
    pub(super) fn end_equation(&mut self) {
        let b = &mut self.blocks;
        b.written = self.b.written();
        if let Some(at) = b.at
            && !b.taken
            && b.written > b.before
        {
            b.scalars();
            let current = b.current as usize;
            b.list[current].equations.push(at);
            self.mark();
        }
    }

    /// Opens a block: instructions until it is closed belong to it, or to blocks that are opened inside.
    pub(super) fn open_block(&mut self, kind: BlockKind, equations: Vec<EquationId>) -> Interrupted {
        let b = &mut self.blocks;
        b.written = self.b.written();
        let scalars = b.list[b.current as usize].kind == BlockKind::Scalars;
        let interrupted = Interrupted { current: b.current, scalars, parent: b.parent };
        b.current = b.add(kind, equations);
        if kind.holds_blocks() {
            b.parent = b.current;
        }
        self.mark();
        interrupted
    }

    /// Closes a block: what it interrupted goes on.
    pub(super) fn close_block(&mut self, interrupted: Interrupted) {
        let b = &mut self.blocks;
        b.written = self.b.written();
        (b.current, b.parent) = (interrupted.current, interrupted.parent);
        if interrupted.scalars {
            b.scalars();
        }
        self.mark();
    }

    /// Writes the equation that is at hand as a block of its own.
    pub(super) fn as_block<T>(&mut self, kind: BlockKind, write: impl FnOnce(&mut Self) -> T) -> T {
        let equation = self.blocks.take();
        let interrupted = self.open_block(kind, equation.into_iter().collect());
        let y = write(self);
        self.close_block(interrupted);
        y
    }
}
