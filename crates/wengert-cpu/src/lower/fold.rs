//! Elements of a row that are computed are combined on the way, in registers: a stage of a row, some elements of each lane at
//! a time, in the order in which [trees](super::tree) combine rows.

use super::Lowering;
use super::group::{Member, Slot};
use super::nest::Turn;
use super::stages::Nest;
use super::tree::{ROWS, Tree, WIDTH};
use std::collections::HashMap;
use wengert_kernel::{Kind, Value};

/// Rows that are combined in a turn of a loop.
const AT_ONCE: usize = 4;
/// As many members as a turn may have.
const MOST: usize = 48;

/// A stage of a row that is combined.
pub(super) struct Folds<'n> {
    pub(super) nest: &'n Nest<'n>,
    pub(super) stage: usize,
    pub(super) lines: &'n HashMap<*const Slot, Value>,
    pub(super) reduces: &'n [&'n Member],
}

/// What a loop over lanes combines of them.
pub(super) struct Fold<'n> {
    /// Combinations, and the trees whose last rows they make.
    pub(super) reduces: &'n [&'n Member],
    pub(super) trees: &'n [Tree],
    /// How many rows, and whether they follow others that the trees have.
    pub(super) rows: usize,
    pub(super) goes_on: bool,
}

impl Lowering {
    /// Writes a stage of a row, block by block where there are some.
    pub(super) fn write_folds(&mut self, folds: &Folds<'_>, bases: &[Value], trees: &[Tree]) -> Vec<Option<Value>> {
        let nest = folds.nest;
        let block = ROWS * WIDTH;
        let blocks = if nest.has_blocks() { nest.row / block } else { 0 };
        if blocks > 0 {
            self.all_blocks(trees, blocks, nest.nanoseconds() * block as f64, |l, index, trees| {
                let here = l.advanced(nest, bases, nest.outer, index, block as i64);
                l.fold_rows(folds, here, trees, ROWS);
            });
        }
        let rest = nest.row - blocks * block;
        let here = self.after(nest, bases, blocks * block);
        let rows = rest / WIDTH;
        if rows > 0 {
            self.fold_rows(folds, here.clone(), trees, rows);
        }
        trees.iter().for_each(|tree| self.finish(tree));
        if !rest.is_multiple_of(WIDTH) {
            let here = self.after(nest, &here, rows * WIDTH);
            self.write_fold(folds, trees, [1, rest % WIDTH], true, &here);
        }
        trees.iter().map(|tree| Some(self.row_in_the_end(tree, None))).collect()
    }

    /// Where accesses are so many elements further.
    fn after(&mut self, nest: &Nest<'_>, bases: &[Value], elements: usize) -> Vec<Value> {
        if elements == 0 {
            return bases.to_vec();
        }
        let elements = self.b.constant(Kind::I64, elements as u64);
        self.advanced(nest, bases, nest.outer, elements, 1)
    }

    /// So many rows of a block, some at once.
    fn fold_rows(&mut self, folds: &Folds<'_>, bases: Vec<Value>, trees: &[Tree], rows: usize) {
        let nest = folds.nest;
        let at_once = (MOST / nest.of_stage(folds.stage).len().max(1)).clamp(1, AT_ONCE);
        let first = (rows - 1) % at_once + 1;
        self.write_fold(folds, trees, [first, WIDTH], false, &bases);
        let turns = (rows - first) / at_once;
        if turns == 0 {
            return;
        }
        let bases = self.after(nest, &bases, first * WIDTH);
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let here = self.advanced(nest, &bases, nest.outer, index, (at_once * WIDTH) as i64);
        self.write_fold(folds, trees, [at_once, WIDTH], true, &here);
        let body = self.b.end(Vec::new());
        self.repeat(index, turns, body);
    }

    /// A loop over the lanes of some rows.
    fn write_fold(
        &mut self,
        folds: &Folds<'_>,
        trees: &[Tree],
        [rows, width]: [usize; 2],
        goes_on: bool,
        at: &[Value],
    ) {
        let Folds { nest, stage, lines, reduces } = *folds;
        let members = nest.of_stage(stage);
        let all: Vec<&Member> = members.iter().chain(reduces).copied().collect();
        let (reads, _) = nest.used(&all);
        let (fold, axis) = (Fold { reduces, trees, rows, goes_on }, nest.outer);
        let asks = nest.asks(stage, axis, nest.row);
        let turn = Turn { nest, members: &members, reads: &reads, asks, lines, axis, fold: Some(fold) };
        self.write_lanes(&turn, width, at);
    }
}
