//! Rows that lie one after the other are combined into one, and a row into one element, in the evaluator's order
//! (`wengert-eval/src/kernels/reduce.rs`): blocks of [`ROWS`] rows one row after the other, blocks as a binary tree, a row by
//! halves.

use super::form::Memory;
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
    /// What elements are.
    pub(super) of: Kind,
    /// What they are combined in, and rounded from in the end.
    pub(super) kind: Kind,
    pub(super) width: usize,
    /// How many whole blocks there are.
    pub(super) blocks: usize,
    /// How many rows remain.
    pub(super) remain: usize,
    memory: Memory,
}

type At<'a> = dyn Fn(Kind, Value, usize) -> Address + 'a;

impl Lowering {
    /// Room for so many rows on the way to one.
    pub(super) fn tree(&mut self, f: Binary, of: Kind, width: usize, rows: usize) -> Tree {
        let (mut blocks, mut remain) = (rows / ROWS, rows % ROWS);
        if blocks == 1 && remain == 0 {
            (blocks, remain) = (0, ROWS);
        }
        self.tree_of_blocks(f, of, width, blocks, remain)
    }

    fn tree_of_blocks(&mut self, f: Binary, of: Kind, width: usize, blocks: usize, remain: usize) -> Tree {
        let kind = elementwise::computed(of);
        let levels = blocks.checked_ilog2().map_or(0, |n| n as usize + 1);
        let memory = self.temporary((1 + levels) * width * kind.bytes());
        Tree { f, of, kind, width, blocks, remain, memory }
    }

    fn level(&mut self, tree: &Tree, level: usize) -> Value {
        let at = self.address(&tree.memory, (level * tree.width * tree.kind.bytes()) as i64);
        self.b.pointer(at)
    }

    /// The row that was made last; in the end, that of all.
    pub(super) fn root(&mut self, tree: &Tree) -> Value {
        self.level(tree, 0)
    }

    /// A loop over so many lanes, which is told where elements of a kind are: from a base, so many after it.
    fn over(&mut self, count: usize, body: impl FnOnce(&mut Self, &At<'_>)) {
        self.b.begin();
        let index = self.b.value(Kind::I64);
        body(self, &|kind, base, first| {
            let bytes = kind.bytes() as i64;
            Address { base, index: Some((index, bytes)), offset: first as i64 * bytes }
        });
        let body = self.b.end(Vec::new());
        self.b.push(Inst::Lanes { index, count: count as u64, body });
    }

    /// Reads an element, as it is combined.
    fn lifted(&mut self, tree: &Tree, at: Address) -> Value {
        let v = self.b.load(tree.of, at);
        elementwise::convert(&mut self.b, v, tree.kind)
    }

    /// Combines rows of a block one after the other.
    pub(super) fn leaf(&mut self, tree: &Tree, from: Value, rows: usize) {
        let (to, f, width) = (self.root(tree), tree.f, tree.width);
        self.over(width, |l, at| {
            let mut sum = l.lifted(tree, at(tree.of, from, 0));
            for r in 1..rows {
                let next = l.lifted(tree, at(tree.of, from, r * width));
                sum = elementwise::binary(&mut l.b, f, sum, next);
            }
            l.b.store(sum, at(tree.kind, to, 0));
        });
    }

    /// The row of a level, then the last one: both combined.
    fn with_level(&mut self, tree: &Tree, level: usize) {
        let (to, before) = (self.root(tree), self.level(tree, 1 + level));
        self.over(tree.width, |l, at| {
            let at = |base| at(tree.kind, base, 0);
            let (a, b) = (l.b.load(tree.kind, at(before)), l.b.load(tree.kind, at(to)));
            let y = elementwise::binary(&mut l.b, tree.f, a, b);
            l.b.store(y, at(to));
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
        self.over(tree.width, |l, at| {
            let x = l.b.load(tree.kind, at(tree.kind, from, 0));
            l.b.store(x, at(tree.kind, to, 0));
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

    /// Combines the rows of all whole blocks, so many, in several trees at once. `leaves` writes what makes the rows of a block,
    /// by its number, the last ones of trees; that takes about so many nanoseconds. Threads share the blocks, if that is
    /// worth it: each piece is a tree of its own, which waits among the others then as it would have.
    pub(super) fn all_blocks(
        &mut self,
        trees: &[Tree],
        blocks: usize,
        nanoseconds: f64,
        mut leaves: impl FnMut(&mut Self, Value, &[Tree]),
    ) {
        let level = (self.piece as f64 / nanoseconds).max(1.0).log2() as usize;
        let pieces = blocks.checked_shr(level as u32).unwrap_or(0);
        let done = match self.is_for_threads(nanoseconds * blocks as f64) && pieces > 1 {
            true => pieces << level,
            false => 0,
        };
        if done > 0 {
            self.blocks_in_pieces(trees, pieces, level, &mut leaves);
        }
        if blocks == done {
            return;
        }
        self.b.begin();
        let index = self.b.value(Kind::I64);
        leaves(self, index, trees);
        // One block is no tree, but what remains of none.
        for tree in trees.iter().filter(|t| t.blocks > 0) {
            self.merge(tree, index, 0);
        }
        let body = self.b.end(Vec::new());
        let none = Vec::new;
        let (from, count) = (done as i64, (blocks - done) as u64);
        self.b.push(Inst::For { index, from, step: 1, count, carried: none(), start: none(), body, y: none() });
    }

    /// The first blocks in pieces of so many that their trees have this level.
    fn blocks_in_pieces(
        &mut self,
        trees: &[Tree],
        pieces: usize,
        level: usize,
        leaves: &mut dyn FnMut(&mut Self, Value, &[Tree]),
    ) {
        let mut rows: Vec<(Value, i64)> = Vec::new();
        let mut rooms = Vec::new();
        for tree in trees {
            let bytes = tree.width * tree.kind.bytes();
            let memory = self.temporary(pieces * bytes);
            let at = self.address(&memory, 0);
            rows.push((self.b.pointer(at), bytes as i64));
            rooms.push(memory);
        }
        let row = |l: &mut Self, (base, bytes): (Value, i64), piece: Value| {
            l.b.pointer(Address { base, index: Some((piece, bytes)), offset: 0 })
        };
        let shift = |l: &mut Self, piece: Value| {
            let level = l.b.constant(Kind::I64, level as u64);
            l.b.binary(k::Binary::Shl, piece, level)
        };
        self.in_pieces(pieces, |l, piece| {
            let own = trees.iter().map(|t| l.tree_of_blocks(t.f, t.of, t.width, 1 << level, 0));
            let own: Vec<Tree> = own.collect();
            let first = shift(l, piece);
            l.b.begin();
            let index = l.b.value(Kind::I64);
            let block = l.b.binary(k::Binary::Add, first, index);
            leaves(l, block, &own);
            own.iter().for_each(|tree| l.merge(tree, index, 0));
            let body = l.b.end(Vec::new());
            l.repeat(index, 1 << level, body);
            for (tree, &at) in own.iter().zip(&rows) {
                let (from, to) = (l.level(tree, 1 + level), row(l, at, piece));
                l.copy_row(tree, from, to);
            }
        });
        self.b.begin();
        let piece = self.b.value(Kind::I64);
        let block = shift(self, piece);
        for (tree, &at) in trees.iter().zip(&rows) {
            let (from, to) = (row(self, at, piece), self.root(tree));
            self.copy_row(tree, from, to);
            self.merge(tree, block, level);
        }
        let body = self.b.end(Vec::new());
        self.repeat(piece, pieces, body);
    }

    /// All rows from a place on, combined.
    pub(super) fn all_rows(&mut self, tree: &Tree, from: Value) {
        let bytes = (ROWS * tree.width * tree.of.bytes()) as i64;
        if tree.blocks > 0 {
            let nanoseconds = 0.1 * (ROWS * tree.width) as f64;
            self.all_blocks(std::slice::from_ref(tree), tree.blocks, nanoseconds, |l, block, trees| {
                let at = l.b.pointer(Address { base: from, index: Some((block, bytes)), offset: 0 });
                l.leaf(&trees[0], at, ROWS);
            });
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
            return self.halves(tree, Some(from), n);
        }
        self.all_rows(tree, from);
        let rest = n % WIDTH;
        let at = self.b.pointer(Address::at(from, ((n - rest) * tree.of.bytes()) as i64));
        self.row_in_the_end(tree, Some((at, rest)))
    }

    /// What rows of elements were combined to, with the rest of them, as one element.
    pub(super) fn row_in_the_end(&mut self, tree: &Tree, rest: Option<(Value, usize)>) -> Value {
        let to = self.root(tree);
        if let Some((rest, count)) = rest.filter(|r| r.1 > 0) {
            self.over(count, |l, at| {
                let a = l.b.load(tree.kind, at(tree.kind, to, 0));
                let b = l.lifted(tree, at(tree.of, rest, 0));
                let y = elementwise::binary(&mut l.b, tree.f, a, b);
                l.b.store(y, at(tree.kind, to, 0));
            });
        }
        self.halves(tree, None, WIDTH)
    }

    /// What rows were combined to, one element for each column, with what combinations start from.
    pub(super) fn columns_in_the_end(&mut self, tree: &Tree, start: Value, to: Value) {
        let root = self.root(tree);
        self.over(tree.width, |l, at| {
            let v = l.b.load(tree.kind, at(tree.kind, root, 0));
            let v = elementwise::binary(&mut l.b, tree.f, start, v);
            let v = elementwise::convert(&mut l.b, v, tree.of);
            l.b.store(v, at(tree.of, to, 0));
        });
    }

    /// Combines elements by halves: those from a place on, or those that were combined last. An odd element in the middle
    /// waits for the next round.
    fn halves(&mut self, tree: &Tree, mut elements: Option<Value>, mut n: usize) -> Value {
        let (to, kind) = (self.root(tree), tree.kind);
        if n > LAST && n.is_power_of_two() {
            self.over(LAST, |l, at| {
                let load = |l: &mut Self, row: usize| match elements {
                    Some(from) => l.lifted(tree, at(tree.of, from, row * LAST)),
                    None => l.b.load(kind, at(kind, to, row * LAST)),
                };
                let y = l.halves_of_rows(tree.f, 0, 1, n / LAST, &load);
                l.b.store(y, at(kind, to, 0));
            });
            (elements, n) = (None, LAST);
        }
        while n > LAST {
            let (half, rest) = (n / 2, n.div_ceil(2));
            self.over(half, |l, at| {
                let [a, b] = [0, rest].map(|first| match elements {
                    Some(from) => l.lifted(tree, at(tree.of, from, first)),
                    None => l.b.load(kind, at(kind, to, first)),
                });
                let y = elementwise::binary(&mut l.b, tree.f, a, b);
                l.b.store(y, at(kind, to, 0));
            });
            if half != rest
                && let Some(from) = elements
            {
                let odd = self.lifted(tree, Address::at(from, (half * tree.of.bytes()) as i64));
                self.b.store(odd, Address::at(to, (half * kind.bytes()) as i64));
            }
            (elements, n) = (None, rest);
        }
        let each = (0..n).map(|i| match elements {
            Some(from) => self.lifted(tree, Address::at(from, (i * tree.of.bytes()) as i64)),
            None => self.b.load(kind, Address::at(to, (i * kind.bytes()) as i64)),
        });
        let v = each.collect();
        self.halved(tree.f, v)
    }

    /// The row of this number when rows, a power of two, were combined by halves to so many.
    fn halves_of_rows(
        &mut self,
        f: Binary,
        row: usize,
        to: usize,
        rows: usize,
        load: &dyn Fn(&mut Self, usize) -> Value,
    ) -> Value {
        if to == rows {
            return load(self, row);
        }
        let a = self.halves_of_rows(f, row, 2 * to, rows, load);
        let b = self.halves_of_rows(f, row + to, 2 * to, rows, load);
        elementwise::binary(&mut self.b, f, a, b)
    }
}
