//! What a group of equations that are put off is made of.

use super::blocks::EquationId;
use super::form::{Memory, kind};
use super::gathered::Rows;
use super::held::Held;
use super::tree::WIDTH;
use super::view::Axes;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use wengert_core::ops::Binary;
use wengert_core::{Op, Scalar, Type};
use wengert_kernel::{Kind, Value};

/// A value that is put off: where it lies, once it does.
pub(super) struct Slot {
    pub(super) ty: Type,
    /// The result of the program that it is.
    pub(super) target: Option<usize>,
    /// The equation that computes it.
    pub(super) equation: Option<EquationId>,
    /// Where it is to lie, if that is known before.
    pub(super) place: Option<Place>,
    pub(super) memory: RefCell<Option<Memory>>,
    /// The group that it is put off to.
    pub(super) home: Cell<u32>,
    /// Whether it is the result of a product that follows the loops of its group.
    pub(super) follows: bool,
    /// Whether it may be computed a second time, with what uses it later, instead of being kept ([`super::again`]).
    pub(super) again: Cell<bool>,
}

/// A part of memory that a value is to be written to, along axes.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) memory: Memory,
    pub(super) offset: i64,
    pub(super) axes: Axes,
}

impl Slot {
    pub(super) fn new(
        ty: Type,
        target: Option<usize>,
        place: Option<Place>,
        equation: Option<EquationId>,
        home: u32,
    ) -> Rc<Slot> {
        let (memory, home, again) = (RefCell::new(None), Cell::new(home), Cell::new(false));
        Rc::new(Slot { ty, target, place, equation, memory, home, follows: false, again })
    }

    /// The result of a product that follows the loops of its group.
    pub(super) fn following(ty: Type, target: Option<usize>, equation: Option<EquationId>, home: u32) -> Rc<Slot> {
        let (memory, home, again) = (RefCell::new(None), Cell::new(home), Cell::new(false));
        Rc::new(Slot { ty, target, place: None, equation, memory, home, follows: true, again })
    }

    /// Where it lies. Its loop must be written.
    pub(super) fn memory(&self) -> Memory {
        self.memory.borrow().clone().expect("its loop is written")
    }

    pub(super) fn is_written(&self) -> bool {
        self.memory.borrow().is_some()
    }

    pub(super) fn count(&self) -> usize {
        self.ty.shape.size()
    }

    pub(super) fn kind(&self) -> Kind {
        kind(self.ty.dtype).expect("put off because it has instructions")
    }
}

/// Elements that a group reads by steps: from memory, or the numbers of positions themselves.
pub(super) struct Read {
    pub(super) memory: Option<Memory>,
    pub(super) offset: i64,
    pub(super) axes: Axes,
    pub(super) kind: Kind,
    /// The rows whose positions these are, if they are read through indices.
    pub(super) gathered: Option<Rc<Rows>>,
}

impl Read {
    /// So many elements in their order.
    pub(super) fn dense(memory: Memory, count: usize, kind: Kind) -> Read {
        Read { memory: Some(memory), offset: 0, axes: vec![(count, 1)], kind, gathered: None }
    }

    /// Whether elements are read in their order, one after the other.
    pub(super) fn is_dense(&self) -> bool {
        self.offset == 0 && self.memory.is_some() && self.gathered.is_none() && matches!(self.axes[..], [] | [(_, 1)])
    }
}

/// What an equation of a group takes for each element.
pub(super) enum Operand {
    /// A value of the group: an element, or the one value of a row.
    Inside(Rc<Slot>),
    /// An element of an array.
    Read(Rc<Read>),
    /// The same for all.
    Same(Value),
}

/// What is computed of operands.
pub(super) enum Step {
    /// An elementwise op.
    Op(Box<Op>),
    /// The operand as it is.
    Copy,
    /// All elements of a row, combined in the evaluator's order to one; with `columns`, to one for each of the group's
    /// columns.
    Reduce { f: Binary, identity: Scalar, columns: bool },
    /// Rows of a product of matrices, which are computed before the rest of the group.
    Product(Rc<Held>),
    /// The same of a product whose left operand is a value of the group: after the rest of it.
    After(Rc<Held>),
    /// A product with a value of the group whose rows it sums over: their products are added after the rest of the group.
    Across(Rc<Held>),
}

pub(super) struct Member {
    pub(super) step: Step,
    pub(super) operands: Vec<Operand>,
    pub(super) results: Vec<Rc<Slot>>,
}

impl Member {
    /// The product that it is, if it is one.
    pub(super) fn product(&self) -> Option<&Rc<Held>> {
        match &self.step {
            Step::Product(held) | Step::After(held) | Step::Across(held) => Some(held),
            _ => None,
        }
    }

    /// Whether it is a product that follows the loops of the group.
    pub(super) fn follows(&self) -> bool {
        matches!(self.step, Step::After(_) | Step::Across(_))
    }

    /// Whether it combines the elements of a row.
    pub(super) fn combines(&self) -> bool {
        matches!(self.step, Step::Reduce { .. })
    }
}

/// Equations that become one loop nest.
pub(super) struct Group {
    /// How many elements there are.
    pub(super) count: usize,
    /// How many elements a row has, where rows are combined to one value each: the group has values of both sizes then.
    pub(super) row: Option<usize>,
    /// How many columns a row has, which are combined to one first.
    pub(super) width: usize,
    /// Where axes are apart: how many elements are inside of each, from the innermost on. Each divides the next.
    pub(super) cuts: Vec<usize>,
    /// How many columns its products have, if it has any.
    pub(super) columns: Option<usize>,
    pub(super) members: Vec<Member>,
}

impl Group {
    pub(super) fn new(count: usize) -> Group {
        Group { count, row: None, width: WIDTH, cuts: Vec::new(), columns: None, members: Vec::new() }
    }

    /// How many rows the matrices of its products have, if it has products and these cuts.
    pub(super) fn rows_with(&self, cuts: &[usize]) -> Option<usize> {
        let columns = self.columns?;
        Some(cuts.iter().copied().find(|&c| c > columns).unwrap_or(self.count) / columns)
    }

    /// Whether it may have these cuts: products that follow its loops need the rows that they were put off with.
    pub(super) fn may_have(&self, cuts: &[usize]) -> bool {
        !self.members.iter().any(Member::follows) || self.rows_with(cuts) == self.rows_with(&self.cuts)
    }
}

/// All groups that are put off.
#[derive(Default)]
pub(super) struct Groups {
    pub(super) all: BTreeMap<u32, Group>,
    by_count: HashMap<usize, u32>,
    next: u32,
}

impl Groups {
    /// The group of as many elements.
    pub(super) fn of_count(&mut self, count: usize) -> u32 {
        if let Some(&home) = self.by_count.get(&count) {
            return home;
        }
        self.insert(Group::new(count))
    }

    /// A group of as many elements as no other has.
    pub(super) fn insert(&mut self, group: Group) -> u32 {
        let home = self.next;
        self.next += 1;
        self.by_count.insert(group.count, home);
        self.all.insert(home, group);
        home
    }

    pub(super) fn remove(&mut self, home: u32) -> Option<Group> {
        let group = self.all.remove(&home)?;
        self.by_count.remove(&group.count);
        Some(group)
    }
}
