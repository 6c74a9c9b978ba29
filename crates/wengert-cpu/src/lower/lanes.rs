//! Elementwise equations on arrays that are too large for scalars, and sums along their rows: those on as many elements are
//! put off into one group, which becomes one loop nest when the memory of one of its values is asked for
//! ([`super::stages`]). What only the group itself uses never gets to memory.

use super::Lowering;
use super::blocks::{BlockKind, EquationId};
use super::form::{Form, Memory, kind};
use super::group::{Group, Member, Operand, Place, Read, Slot, Step};
use super::tree::WIDTH;
use super::view::{Axes, Source, View, dense, merged};
use std::rc::Rc;
use wengert_core::ops::Reduce;
use wengert_core::{DType, Op, Type};
use wengert_kernel::Kind;

/// The group must be written before it can have more.
struct Conflict;

/// Cuts together with others, if each still divides the next.
pub(super) fn join_cuts(cuts: &[usize], more: impl IntoIterator<Item = usize>, count: usize) -> Option<Vec<usize>> {
    let mut all: Vec<usize> = cuts.iter().copied().chain(more).filter(|&c| c > 1 && c < count).collect();
    all.sort_unstable();
    all.dedup();
    let fits = all.iter().zip(all.iter().skip(1).chain([&count])).all(|(a, b)| b.is_multiple_of(*a));
    fits.then_some(all)
}

/// Where axes are apart; each has `inside` elements of the group for one of its own.
fn cuts_of(axes: &Axes, inside: usize) -> Vec<usize> {
    let mut cuts = vec![inside];
    for (n, _) in axes.iter().rev() {
        cuts.push(cuts[cuts.len() - 1] * n);
    }
    cuts
}

impl Lowering {
    /// Puts off an elementwise op that has instructions.
    pub(super) fn put_off(&mut self, op: &Op, x: &[Form], y: &Type) -> Vec<Form> {
        let results = if matches!(op, Op::Threefry(_)) { 2 } else { 1 };
        self.join(Step::Op(Box::new(op.clone())), x, y, results)
    }

    /// Whether an elementwise op of these belongs to what is done for each row of a group.
    pub(super) fn is_of_rows(&self, x: &[Form], count: usize) -> bool {
        x.iter().any(|x| self.home_as_line(x, count).is_some())
    }

    /// The group that has this value for each of its rows.
    fn home_as_line(&self, x: &Form, count: usize) -> Option<u32> {
        let slot = x.slot.as_ref().filter(|s| s.count() == count && count > 1 && x.scalars.is_none())?;
        self.is_line_put_off(slot).then_some(slot.home.get())
    }

    /// Whether a value is put off that is one for each row of a group.
    pub(super) fn is_line_put_off(&self, slot: &Slot) -> bool {
        let group = self.groups.all.get(&slot.home.get()).filter(|_| !slot.is_written() && !slot.follows);
        slot.count() > 1 && group.is_some_and(|g| g.count != slot.count())
    }

    fn join(&mut self, step: Step, x: &[Form], y: &Type, results: usize) -> Vec<Form> {
        let count = y.shape.size();
        let (home, operands) = loop {
            let line = x.iter().find_map(|x| self.home_as_line(x, count));
            let home = line.unwrap_or_else(|| self.groups.of_count(count));
            match self.operands(home, x, count, None, None) {
                Ok(operands) => break (home, operands),
                Err(Conflict) => self.write_group(home),
            }
        };
        let equation = self.blocks.take();
        let slots = (0..results).map(|k| {
            let target = self.targets.get(k).copied().flatten();
            let slot = Slot::new(y.clone(), target, None, equation, home);
            slot.again.set(self.again);
            slot
        });
        let slots = slots.collect();
        self.add(home, step, operands, slots)
    }

    pub(super) fn add(&mut self, home: u32, step: Step, operands: Vec<Operand>, results: Vec<Rc<Slot>>) -> Vec<Form> {
        let forms = results.iter().map(|slot| Form::put_off(slot.ty.clone(), slot.clone())).collect();
        let group = self.groups.all.get_mut(&home).expect("it was found");
        group.members.push(Member { step, operands, results });
        forms
    }

    /// Puts off writing a value to a part of memory; it is done when the value that is given is asked for its memory.
    pub(super) fn put_off_part(&mut self, x: &Form, place: Place) -> Rc<Slot> {
        let (count, forms) = (x.ty.shape.size(), std::slice::from_ref(x));
        let (home, operands) = loop {
            let line = self.home_as_line(x, count);
            let home = line.unwrap_or_else(|| self.groups.of_count(count));
            match self.operands(home, forms, count, None, Some(&place.axes)) {
                Ok(operands) => break (home, operands),
                Err(Conflict) => self.write_group(home),
            }
        };
        let equation = self.blocks.take();
        let slot = Slot::new(x.ty.clone(), None, Some(place), equation, home);
        self.add(home, Step::Copy, operands, vec![slot.clone()]);
        slot
    }

    /// What a group takes of these values, for an equation on so many elements: all of the group's, or one for each row.
    /// With `row`, rows of that length, in so many columns, are to be combined; with `written`, the result goes along these axes.
    fn operands(
        &mut self,
        home: u32,
        x: &[Form],
        count: usize,
        row: Option<(usize, usize)>,
        written: Option<&Axes>,
    ) -> Result<Vec<Operand>, Conflict> {
        let group = &self.groups.all[&home];
        let (all, mut cuts, fresh) = (group.count, group.cuts.clone(), group.members.is_empty());
        let rows = row.map(|r| r.0).or(group.row);
        let width = row.map_or(group.width, |r| r.1);
        if let Some((n, width)) = row {
            let parts_products = group.columns.is_some_and(|c| !c.is_multiple_of(n));
            if parts_products || group.row.is_some_and(|r| (r, group.width) != (n, width)) {
                return Err(Conflict);
            }
            cuts = join_cuts(&cuts, [n], all).ok_or(Conflict)?;
        }
        let inside = all / count;
        if let Some(axes) = written {
            cuts = join_cuts(&cuts, cuts_of(axes, inside), all).ok_or(Conflict)?;
        }
        let mut operands = Vec::with_capacity(x.len());
        for x in x {
            if let Some(v) = x.splat_scalar() {
                operands.push(Operand::Same(v));
                continue;
            }
            if x.ty.shape.size() == 1 {
                let v = self.scalars(x)[0];
                operands.push(Operand::Same(v));
                continue;
            }
            if let Some(slot) = x.slot.as_ref().filter(|s| !s.is_written() && x.scalars.is_none()) {
                if slot.home.get() == home && !slot.follows {
                    operands.push(Operand::Inside(slot.clone()));
                    continue;
                }
                self.write_loop_of(slot);
            }
            let kind = kind(x.ty.dtype).expect("it has instructions");
            let read = match x.view.as_ref().filter(|v| v.written().is_none()) {
                None => Read::dense(self.memory(x), count, kind),
                Some(view) => {
                    if let Source::Slot(slot) = view.source() {
                        if slot.home.get() == home {
                            let line = rows.is_some_and(|n| view.offset() == 0 && is_line_repeated(view, all / n, n));
                            if line && slot.count() != all && count == all {
                                operands.push(Operand::Inside(slot));
                                continue;
                            }
                            return Err(Conflict);
                        }
                        self.write_loop_of(&slot);
                    }
                    let read = self.read_of(view, kind);
                    match join_cuts(&cuts, cuts_of(&read.axes, inside), all) {
                        Some(_) => read,
                        None if !fresh => return Err(Conflict),
                        None => Read::dense(self.memory(x), count, kind),
                    }
                }
            };
            cuts = match join_cuts(&cuts, cuts_of(&read.axes, inside), all) {
                Some(cuts) => cuts,
                None => return Err(Conflict),
            };
            operands.push(Operand::Read(Rc::new(read)));
        }
        // An operand of one element may have asked for the memory of the group itself.
        let group = self.groups.all.get_mut(&home).ok_or(Conflict)?;
        if !group.may_have(&cuts) {
            return Err(Conflict);
        }
        (group.cuts, group.row, group.width) = (cuts, rows, width);
        Ok(operands)
    }

    /// What is read for a view that waits for no loop.
    fn read_of(&mut self, view: &View, kind: Kind) -> Read {
        if let Source::Gathered(gathered) = view.source() {
            if let Some(rows) = gathered.rows()
                && let Some(axes) = rows.split(view.offset(), view.axes())
            {
                let memory = Some(rows.elements.clone());
                return Read { memory, offset: view.offset(), axes, kind, gathered: Some(rows) };
            }
            self.write_gathered(&gathered);
        }
        let memory = match view.source() {
            Source::Memory(memory) => Some(memory),
            _ => None,
        };
        Read { memory, offset: view.offset(), axes: view.axes(), kind, gathered: None }
    }

    /// Puts off a reduction of rows, `n` elements each, by a named combiner: to one element, or to so many columns.
    pub(super) fn put_off_rows(
        &mut self,
        op: &Reduce,
        x: &Form,
        y: &Type,
        n: usize,
        columns: Option<usize>,
    ) -> Option<Form> {
        let f = op.combiner.binary()?;
        // Halves are combined as numbers of 32 bits.
        let half = kind(y.dtype)?.is_half();
        let identity = op.combiner.identity(if half { DType::F32 } else { y.dtype })?;
        let (count, x) = (x.ty.shape.size(), std::slice::from_ref(x));
        let (home, mut operands) = loop {
            let home = self.groups.of_count(count);
            match self.operands(home, x, count, Some((n, columns.unwrap_or(WIDTH))), None) {
                Ok(operands) => break (home, operands),
                Err(Conflict) => self.write_group(home),
            }
        };
        let equation = self.blocks.take();
        // Elements of a row lie one after the other; a value of the row is not there for each.
        let lies = match &operands[0] {
            Operand::Read(read) => {
                let along = read.axes.last().is_some_and(|(m, step)| *step == 1 && m.is_multiple_of(n));
                read.memory.is_some() && read.gathered.is_none() && along
            }
            Operand::Inside(slot) => slot.count() == count,
            Operand::Same(_) => true,
        };
        if !lies {
            let copied = Slot::new(x[0].ty.clone(), None, None, equation, home);
            self.add(home, Step::Copy, operands, vec![copied.clone()]);
            operands = vec![Operand::Inside(copied)];
        }
        let slot = Slot::new(y.clone(), self.targets.first().copied().flatten(), None, equation, home);
        let step = Step::Reduce { f, identity, columns: columns.is_some() };
        let form = self.add(home, step, operands, vec![slot]).remove(0);
        // Columns are nothing that the next stage of a row could use.
        if columns.is_some() {
            self.write_group(home);
        }
        Some(form.settled())
    }

    /// Writes the elements of a view to a place, one after the other.
    pub(super) fn write_view(&mut self, view: &View, to: &Memory) {
        self.write_source(view);
        let ty = view.ty();
        let kind = kind(ty.dtype).expect("views are of plain numbers");
        let read = self.read_of(view, kind);
        let count = ty.shape.size();
        let cuts = join_cuts(&[], cuts_of(&read.axes, 1), count).expect("axes of one array");
        let place = Place { memory: to.clone(), offset: 0, axes: vec![(count, 1)] };
        let slot = Slot::new(ty.clone(), None, Some(place), self.blocks.at, u32::MAX);
        let operands = vec![Operand::Read(Rc::new(read))];
        let members = vec![Member { step: Step::Copy, operands, results: vec![slot.clone()] }];
        self.write_block(Group { cuts, members, ..Group::new(count) });
        drop(slot);
    }

    pub(super) fn write_group(&mut self, home: u32) {
        if let Some(mut group) = self.groups.remove(home) {
            if self.piece_of(&group).is_none() {
                self.release_products(&mut group);
            }
            if !group.members.is_empty() {
                self.write_block(group);
            }
        }
    }

    fn write_block(&mut self, group: Group) {
        let mut equations: Vec<EquationId> = group.members.iter().filter_map(|m| m.results[0].equation).collect();
        equations.dedup();
        let interrupted = self.open_block(BlockKind::Loop { elements: group.count }, equations);
        self.write_nest(group);
        self.close_block(interrupted);
    }

    /// Writes the loop that a value is put off to, if it is.
    pub(super) fn write_loop_of(&mut self, slot: &Rc<Slot>) {
        if !slot.is_written() {
            slot.again.set(false);
            self.write_group(slot.home.get());
        }
    }

    /// Writes all loops that were put off.
    pub(super) fn write_loops(&mut self) {
        // Values that are computed again wait in a group of their own.
        while let Some((&home, _)) = self.groups.all.first_key_value() {
            let results = self.groups.all[&home].members.iter().flat_map(|m| &m.results);
            results.for_each(|slot| slot.again.set(false));
            self.write_group(home);
        }
    }
}

/// Whether a view has one element for each line, repeated along it.
fn is_line_repeated(view: &View, lines: usize, n: usize) -> bool {
    view.axes() == merged([(lines, 1), (n, 0)])
}

/// Steps along the axes of a nest, of elements that are read along axes which it divides.
pub(super) fn steps_on(axes: &Axes, sizes: &[usize]) -> Vec<i64> {
    let mut rest = axes.clone();
    let mut steps = vec![0; sizes.len()];
    for (d, &n) in sizes.iter().enumerate().rev().filter(|(_, n)| **n != 1) {
        let Some((size, step)) = rest.pop() else { break };
        steps[d] = step;
        if size != n {
            rest.push((size / n, step * n as i64));
        }
    }
    steps
}

/// Row-major steps along the axes of a nest, in bytes.
pub(super) fn dense_bytes(sizes: &[usize], kind: Kind) -> Vec<i64> {
    dense(sizes).into_iter().map(|s| s * kind.bytes() as i64).collect()
}
