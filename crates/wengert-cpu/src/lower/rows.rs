//! A group of equations is written: loops over rows, and for each row one stage after the other.

use super::fold::Folds;
use super::form::Memory;
use super::group::{Member, Operand, Slot, Step};
use super::stages::Nest;
use super::tree::{ROWS, Tree};
use super::{Lowering, elementwise};
use std::collections::HashMap;
use std::rc::Rc;
use wengert_core::Op;
use wengert_core::ops::Binary as Division;
use wengert_kernel::{Address, Binary, Kind, Value};

type Key = *const Slot;

impl Lowering {
    /// The loops over rows, from an axis on.
    pub(super) fn write_lines(&mut self, nest: &Nest<'_>, axis: usize, bases: Vec<Value>) {
        if axis == nest.outer {
            return self.write_stages(nest, &bases);
        }
        if axis + 1 == nest.outer && nest.has_short_rows() {
            return self.write_short_rows(nest, &bases);
        }
        self.b.begin();
        let index = self.b.value(Kind::I64);
        let inside = self.advanced(nest, &bases, axis, index, 1);
        self.write_lines(nest, axis + 1, inside);
        let body = self.b.end(Vec::new());
        self.repeat(index, nest.sizes[axis], body);
    }

    /// Where accesses are at an index along an axis, counted in so many elements of it.
    pub(super) fn advanced(
        &mut self,
        nest: &Nest<'_>,
        bases: &[Value],
        axis: usize,
        index: Value,
        times: i64,
    ) -> Vec<Value> {
        let each = nest.accesses.iter().zip(bases).map(|(access, &base)| match access.steps[axis] * times {
            0 => base,
            step if access.is_number => {
                let step = self.b.constant(Kind::I64, step as u64);
                let more = self.b.binary(Binary::Mul, index, step);
                self.b.binary(Binary::Add, base, more)
            }
            step => self.b.pointer(Address { base, index: Some((index, step)), offset: 0 }),
        });
        each.collect()
    }

    /// The stages of one row.
    fn write_stages(&mut self, nest: &Nest<'_>, bases: &[Value]) {
        let mut lines: HashMap<Key, Value> = HashMap::new();
        let count = nest.live().map(|(s, m)| s + m.combines() as usize).max().unwrap_or(0) + 1;
        for stage in 0..count {
            self.write_line_members(nest, stage, bases, &mut lines);
            let here = || nest.live().filter(|(s, m)| *s == stage && !nest.member_is_line(m)).map(|(_, m)| m);
            let reduces: Vec<&Member> = here().filter(|m| m.combines()).collect();
            let computes = here().count() > reduces.len();
            let inner: Vec<(usize, usize)> = (nest.outer..nest.sizes.len()).map(|d| (d, nest.sizes[d])).collect();
            let trees: Vec<Tree> = reduces
                .iter()
                .map(|m| match (&m.step, m.results[0].kind()) {
                    (Step::Reduce { f, columns: false, .. }, kind) => self.tree_of_row(*f, kind, nest.row),
                    (Step::Reduce { f, .. }, kind) => {
                        self.tree(*f, kind, nest.group.width, nest.row / nest.group.width)
                    }
                    _ => unreachable!("chosen above"),
                })
                .collect();
            let combined: Vec<Option<Value>> = if computes && !reduces.is_empty() && nest.folds() {
                let folds = Folds { nest, stage, lines: &lines, reduces: &reduces };
                self.write_folds(&folds, bases, &trees)
            } else if computes && !reduces.is_empty() && nest.has_blocks() {
                self.write_blocks(nest, stage, bases, &lines, &reduces, &trees)
            } else {
                if computes {
                    self.write_inner(nest, stage, inner, bases.to_vec(), &lines);
                }
                let each = reduces.iter().zip(&trees);
                let each = each.map(|(m, tree)| {
                    let from = bases[row_of(nest, m)];
                    if let Step::Reduce { columns: true, .. } = m.step {
                        self.all_rows(tree, from);
                        return None;
                    }
                    Some(self.row_at(tree, from, nest.row))
                });
                each.collect()
            };
            for ((m, v), tree) in reduces.iter().zip(combined).zip(&trees) {
                let Step::Reduce { f, identity, .. } = &m.step else { unreachable!("chosen above") };
                let slot = &m.results[0];
                let access = nest.kept.get(&Rc::as_ptr(slot)).copied();
                let start = elementwise::element(&mut self.b, tree.kind, *identity);
                match (v, access) {
                    (Some(v), _) => {
                        let v = elementwise::binary(&mut self.b, *f, start, v);
                        let v = elementwise::convert(&mut self.b, v, tree.of);
                        lines.insert(Rc::as_ptr(slot), v);
                        if let Some(access) = access {
                            self.b.store(v, Address::at(bases[access], 0));
                        }
                    }
                    (None, Some(access)) => self.columns_in_the_end(tree, start, bases[access]),
                    (None, None) => {}
                }
            }
        }
    }

    /// What is computed once for a row.
    fn write_line_members(&mut self, nest: &Nest<'_>, stage: usize, bases: &[Value], lines: &mut HashMap<Key, Value>) {
        let here = nest.live().filter(|(s, m)| *s == stage && nest.member_is_line(m));
        for (_, m) in here {
            let x: Vec<Value> = m
                .operands
                .iter()
                .map(|x| match x {
                    Operand::Same(v) => *v,
                    Operand::Inside(slot) => lines[&Rc::as_ptr(slot)],
                    Operand::Read(read) => self.scalar_at(nest, nest.of_read(read), bases),
                })
                .collect();
            for (slot, v) in m.results.iter().zip(self.step(m, &x)) {
                lines.insert(Rc::as_ptr(slot), v);
                if let Some(&access) = nest.kept.get(&Rc::as_ptr(slot)) {
                    self.b.store(v, Address::at(bases[access], 0));
                }
            }
        }
    }

    /// What an access has where it is.
    pub(super) fn scalar_at(&mut self, nest: &Nest<'_>, access: usize, bases: &[Value]) -> Value {
        let a = &nest.accesses[access];
        match a.is_number {
            true => elementwise::convert(&mut self.b, bases[access], a.kind),
            false => {
                let at = self.in_window(nest, access, bases);
                self.b.load(a.kind, Address::at(at, 0))
            }
        }
    }

    /// The results of a member that is computed element by element.
    pub(super) fn step(&mut self, m: &Member, x: &[Value]) -> [Value; 2] {
        match &m.step {
            Step::Op(op) => {
                if let Op::Binary(op @ (Division::Div | Division::Rem)) = **op
                    && let Some(y) = elementwise::divide_in_lanes(&mut self.b, op, x[0], x[1])
                {
                    return [y; 2];
                }
                self.element(op, x, m.results[0].kind())
            }
            _ => [x[0]; 2],
        }
    }

    /// A stage of a long row block by block: elements are combined while they are near.
    fn write_blocks(
        &mut self,
        nest: &Nest<'_>,
        stage: usize,
        bases: &[Value],
        lines: &HashMap<Key, Value>,
        reduces: &[&Member],
        trees: &[Tree],
    ) -> Vec<Option<Value>> {
        let first = nest.outer;
        let inside: usize = nest.sizes[first..].iter().skip(1).product();
        let sizes = |count: usize| -> Vec<(usize, usize)> {
            let inner = (first + 1..nest.sizes.len()).map(|d| (d, nest.sizes[d]));
            std::iter::once((first, count / inside)).chain(inner).collect()
        };
        let (block, width) = (nest.block, nest.group.width);
        let blocks = nest.row / block;
        let at = |l: &mut Self, index: Value| {
            let mut moved = l.advanced(nest, bases, first, index, (block / inside) as i64);
            let of_block = nest.accesses.iter().enumerate().filter(|(_, a)| a.is_block);
            of_block.for_each(|(i, _)| moved[i] = bases[i]);
            moved
        };
        let nanoseconds = nest.nanoseconds() * block as f64;
        let shared = self.own.is_none();
        self.all_blocks(trees, blocks, nanoseconds, |l, index, trees| {
            let mut here = at(l, index);
            // Each thread has a block to itself.
            let own = nest.accesses.iter().enumerate().filter(|(_, a)| a.is_block && shared && l.own.is_some());
            let own: Vec<(usize, Memory)> = own.map(|(i, a)| (i, l.temporary(block * a.kind.bytes()))).collect();
            for (i, memory) in &own {
                let at = l.address(memory, 0);
                here[*i] = l.b.pointer(at);
            }
            l.write_inner(nest, stage, sizes(block), here.clone(), lines);
            for (m, tree) in reduces.iter().zip(trees) {
                l.leaf(tree, here[row_of(nest, m)], ROWS);
            }
        });
        let rest = nest.row % block;
        let after = self.b.constant(Kind::I64, blocks as u64);
        let here = at(self, after);
        if rest > 0 {
            self.write_inner(nest, stage, sizes(rest), here.clone(), lines);
        }
        let mut combined = Vec::with_capacity(trees.len());
        for (m, tree) in reduces.iter().zip(trees) {
            let from = here[row_of(nest, m)];
            let rows = rest / width;
            if rows > 0 {
                self.leaf(tree, from, rows);
            }
            self.finish(tree);
            if let Step::Reduce { columns: true, .. } = m.step {
                combined.push(None);
                continue;
            }
            let end = self.b.pointer(Address::at(from, (rows * width * tree.of.bytes()) as i64));
            combined.push(Some(self.row_in_the_end(tree, Some((end, rest % width)))));
        }
        combined
    }
}

/// The access of the elements that are combined.
fn row_of(nest: &Nest<'_>, m: &Member) -> usize {
    match &m.operands[0] {
        Operand::Inside(slot) => nest.kept[&Rc::as_ptr(slot)],
        Operand::Read(read) => nest.of_read(read),
        Operand::Same(_) => unreachable!("one value repeated is left to a kernel"),
    }
}
