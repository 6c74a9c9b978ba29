//! Rows that lie one after the other are combined into one, and a row into one element, in the evaluator's order
//! (`wengert-eval/src/kernels/reduce.rs`): blocks of [`ROWS`] rows one row after the other, blocks as a binary tree, a row by
//! halves.

use super::form::{Base, Memory};
use super::{Lowering, elementwise};
use wengert_core::ops::Binary;
use wengert_kernel::{self as k, Address, Compare, Inst, Kind, Value};

/// Rows that are combined one after the other.
pub(super) const ROWS: usize = 16;
/// Elements of a row that are combined at a time.
pub(super) const WIDTH: usize = 256;
/// As many elements as are combined by scalars in the end.
const LAST: usize = 16;

/// Rows on the way to one: the last one that was made, and one for each size of trees that wait.
pub(super) struct Tree {
    pub(super) f: Binary,
    pub(super) kind: Kind,
    pub(super) width: usize,
    /// How many whole blocks there are.
    pub(super) blocks: usize,
    /// How many rows remain.
    pub(super) remain: usize,
    memory: Memory,
}

impl Lowering {
    /// Room for so many rows on the way to one.
    pub(super) fn tree(&mut self, f: Binary, kind: Kind, width: usize, rows: usize) -> Tree {
        let (mut blocks, mut remain) = (rows / ROWS, rows % ROWS);
        if blocks == 1 && remain == 0 {
            (blocks, remain) = (0, ROWS);
        }
        let levels = blocks.checked_ilog2().map_or(0, |n| n as usize + 1);
        let room = self.rooms.take((1 + levels) * width * kind.bytes());
        let memory = Memory { base: Base::Workspace, offset: room.start as i64, room: Some(room), owner: None };
        Tree { f, kind, width, blocks, remain, memory }
    }

    fn level(&mut self, tree: &Tree, level: usize) -> Value {
        let at = self.address(&tree.memory, (level * tree.width * tree.kind.bytes()) as i64);
        self.b.pointer(at)
    }

    /// The row that was made last; in the end, that of all.
    pub(super) fn root(&mut self, tree: &Tree) -> Value {
        self.level(tree, 0)
    }

    /// A loop over so many lanes, of elements of one kind.
    fn over(&mut self, kind: Kind, count: usize, body: impl FnOnce(&mut Self, &dyn Fn(Value, usize) -> Address)) {
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let bytes = kind.bytes() as i64;
        body(self, &|base, first| Address { base, index: Some((index, bytes)), offset: first as i64 * bytes });
        let body = self.b.end(Vec::new());
        self.b.push(Inst::Lanes { index, count: count as u64, body });
    }

    /// Combines rows of a block one after the other.
    pub(super) fn leaf(&mut self, tree: &Tree, from: Value, rows: usize) {
        let (to, f, width) = (self.root(tree), tree.f, tree.width);
        self.over(tree.kind, width, |l, at| {
            let mut sum = l.b.load(tree.kind, at(from, 0));
            for r in 1..rows {
                let next = l.b.load(tree.kind, at(from, r * width));
                sum = elementwise::binary(&mut l.b, f, sum, next);
            }
            l.b.store(sum, at(to, 0));
        });
    }

    /// The row of a level, then the last one: both combined.
    fn with_level(&mut self, tree: &Tree, level: usize) {
        let (to, before) = (self.root(tree), self.level(tree, 1 + level));
        self.over(tree.kind, tree.width, |l, at| {
            let (a, b) = (l.b.load(tree.kind, at(before, 0)), l.b.load(tree.kind, at(to, 0)));
            let y = elementwise::binary(&mut l.b, tree.f, a, b);
            l.b.store(y, at(to, 0));
        });
    }

    /// The row of a block goes to the others: with each tree of as many blocks it becomes one of twice as many.
    pub(super) fn merge(&mut self, tree: &Tree, block: Value, level: usize) {
        let last = tree.blocks.ilog2() as usize;
        if level == last {
            return self.wait(tree, level);
        }
        let bit = self.b.constant(Kind::I64, 1 << level);
        let zero = self.b.constant(Kind::I64, 0);
        let set = self.b.binary(k::Binary::And, block, bit);
        let condition = self.b.compare(Compare::Ne, set, zero);
        self.b.begin();
        self.with_level(tree, level);
        self.merge(tree, block, level + 1);
        let then = self.b.end(Vec::new());
        self.b.begin();
        self.wait(tree, level);
        let otherwise = self.b.end(Vec::new());
        self.b.push(Inst::If { condition, then, otherwise, y: Vec::new() });
    }

    /// The last row waits at a level.
    fn wait(&mut self, tree: &Tree, level: usize) {
        let (from, to) = (self.root(tree), self.level(tree, 1 + level));
        self.copy_row(tree, from, to);
    }

    fn copy_row(&mut self, tree: &Tree, from: Value, to: Value) {
        self.over(tree.kind, tree.width, |l, at| {
            let x = l.b.load(tree.kind, at(from, 0));
            l.b.store(x, at(to, 0));
        });
    }

    /// What waits is combined, the smallest first, with the row of what remains, if anything does.
    pub(super) fn finish(&mut self, tree: &Tree) {
        let mut waiting = (0..usize::BITS as usize).filter(|l| tree.blocks >> l & 1 == 1);
        if tree.remain == 0
            && let Some(first) = waiting.next()
        {
            let (from, to) = (self.level(tree, 1 + first), self.root(tree));
            self.copy_row(tree, from, to);
        }
        for level in waiting {
            self.with_level(tree, level);
        }
    }

    /// All rows from a place on, combined.
    pub(super) fn all_rows(&mut self, tree: &Tree, from: Value) {
        let bytes = (ROWS * tree.width * tree.kind.bytes()) as i64;
        if tree.blocks > 0 {
            self.b.begin();
            let index = self.b.value(Kind::I64);
            let at = self.b.pointer(Address { base: from, index: Some((index, bytes)), offset: 0 });
            self.leaf(tree, at, ROWS);
            self.merge(tree, index, 0);
            let body = self.b.end(Vec::new());
            self.repeat(index, tree.blocks, body);
        }
        if tree.remain > 0 {
            let at = self.b.pointer(Address::at(from, tree.blocks as i64 * bytes));
            self.leaf(tree, at, tree.remain);
        }
        self.finish(tree);
    }

    /// A loop that carries nothing.
    pub(super) fn repeat(&mut self, index: Value, count: usize, body: wengert_kernel::Block) {
        let none = Vec::new;
        let (carried, start, y) = (none(), none(), none());
        self.b.push(Inst::For { index, from: 0, step: 1, count: count as u64, carried, start, body, y });
    }

    /// A tree for the elements of a row, so many.
    pub(super) fn tree_of_row(&mut self, f: Binary, kind: Kind, n: usize) -> Tree {
        self.tree(f, kind, WIDTH.min(n), n / WIDTH)
    }

    /// The elements of a row, one after the other from a place on.
    pub(super) fn row_at(&mut self, tree: &Tree, from: Value, n: usize) -> Value {
        if n < WIDTH {
            return self.halves(tree, from, n);
        }
        self.all_rows(tree, from);
        let rest = n % WIDTH;
        let at = self.b.pointer(Address::at(from, ((n - rest) * tree.kind.bytes()) as i64));
        self.row_in_the_end(tree, at, rest)
    }

    /// What rows of elements were combined to, with the rest of them, as one element.
    pub(super) fn row_in_the_end(&mut self, tree: &Tree, rest: Value, count: usize) -> Value {
        let to = self.root(tree);
        if count > 0 {
            self.over(tree.kind, count, |l, at| {
                let (a, b) = (l.b.load(tree.kind, at(to, 0)), l.b.load(tree.kind, at(rest, 0)));
                let y = elementwise::binary(&mut l.b, tree.f, a, b);
                l.b.store(y, at(to, 0));
            });
        }
        self.halves(tree, to, WIDTH)
    }

    /// What rows were combined to, one element for each column, with what sums start from.
    pub(super) fn columns_in_the_end(&mut self, tree: &Tree, start: Value, to: Value) {
        let root = self.root(tree);
        self.over(tree.kind, tree.width, |l, at| {
            let v = l.b.load(tree.kind, at(root, 0));
            let v = elementwise::binary(&mut l.b, tree.f, start, v);
            l.b.store(v, at(to, 0));
        });
    }

    /// Combines elements by halves. An odd element in the middle waits for the next round.
    fn halves(&mut self, tree: &Tree, from: Value, mut n: usize) -> Value {
        let (mut from, to, kind) = (from, self.root(tree), tree.kind);
        while n > LAST {
            let (half, rest) = (n / 2, n.div_ceil(2));
            self.over(kind, half, |l, at| {
                let (a, b) = (l.b.load(kind, at(from, 0)), l.b.load(kind, at(from, rest)));
                let y = elementwise::binary(&mut l.b, tree.f, a, b);
                l.b.store(y, at(to, 0));
            });
            if half != rest && from != to {
                let offset = (half * kind.bytes()) as i64;
                let odd = self.b.load(kind, Address::at(from, offset));
                self.b.store(odd, Address::at(to, offset));
            }
            (from, n) = (to, rest);
        }
        let v = (0..n).map(|i| self.b.load(kind, Address::at(from, (i * kind.bytes()) as i64))).collect();
        self.halved(tree.f, v)
    }
}
