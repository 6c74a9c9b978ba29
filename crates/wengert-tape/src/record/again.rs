//! What the host does again: a loop comes by an expression many times, and all but the numbers of its nodes is the same. Here
//! stands what most nodes of the host go through, without hooks; what has no short way goes the long one of `evaluate.rs`.

use super::cursor::Cursor;
use super::evaluate::NOWHERE;
use super::scope::Frame;
use super::site::{Change, Does, Effects, Operand, Site};
use super::writer::{FixedLabel, Writer};
use crate::host::{HostNumber, HostType};
use crate::row::{CONDITION, KeptValue, Kind, NONE, READ, Ref, ResultRow, Row};
use wengert_core::Place;

/// How many expressions are remembered.
const SITES: usize = 128;

/// The operands that one of them has at most.
const OPERANDS: usize = 3;

/// What the nodes of an expression that gives a number, or of a decision, have in common.
#[derive(Clone, Copy)]
pub(super) struct KnownSite {
    /// The address of the expression; 0 if this is none.
    site: usize,
    line_and_column: (u32, u32),
    kind: u8,
    flags: u8,
    /// The type of its number.
    ty: u16,
    count: u8,
    /// Whether it is computed again, as an op or a function of numbers: such leave variables as they are.
    is_computed: bool,
    operands: [KnownOperand; OPERANDS],
    label: u32,
    place: u32,
    name: u32,
}

#[derive(Clone, Copy)]
enum KnownOperand {
    /// What a slot has: a node whose result is of this type.
    Slot(u32, u16),
    Literal(Ref),
}

/// The expressions that were evaluated last.
pub(super) struct KnownSites([KnownSite; SITES]);

impl Default for KnownSites {
    fn default() -> Self {
        let nothing = KnownOperand::Slot(0, 0);
        KnownSites(
            [KnownSite {
                site: 0,
                line_and_column: (0, 0),
                kind: 0,
                flags: 0,
                ty: 0,
                count: 0,
                is_computed: false,
                operands: [nothing; OPERANDS],
                label: 0,
                place: 0,
                name: 0,
            }; SITES],
        )
    }
}

impl KnownSites {
    fn entry(site: usize) -> usize {
        // Sites lie beside each other.
        (site / size_of::<Site>()) % SITES
    }
}

/// The open call and its tape, where no hook sees the nodes: there is no context, and the call has no place of its own.
pub(super) struct OpenCallWriter<'a> {
    pub(super) frame: &'a mut Frame,
    pub(super) writer: &'a mut Writer,
}

impl OpenCallWriter<'_> {
    /// An expression that gave a number was evaluated: its node, if nothing but the numbers is new.
    #[inline(always)]
    pub(super) fn evaluated(&mut self, site: &'static Site, x: HostNumber, place: &Place) -> Option<Ref> {
        let calls = matches!(site.does, Does::Call | Does::CallOfVariable);
        let has_borrows = self.frame.has_borrows();
        let may_be = |c: &Change| {
            let now = self.slot(c.slot());
            self.frame.may_be(*c, now.and_then(|r| self.writer.host_type_of(r)))
        };
        let acts = |e: &Effects| {
            e.changes.iter().any(may_be)
                || !e.holds.is_empty()
                || !e.through.is_empty() && (has_borrows || site.does == Does::Name)
        };
        let changes = site.effects.is_some_and(acts) || calls && has_borrows;
        if changes && site.method.is_none() {
            return None;
        }
        let r = match (site.does, site.operands) {
            (Does::Name, [Operand::Slot(i)]) => {
                let r = self.slot(*i).filter(|r| !r.is_constant() && r.out == 0)?;
                if !site.name.is_empty() && self.writer.tape.row(r.at).name == 0 {
                    let name = self.writer.name(site.name);
                    self.writer.row_mut(r.at).name = name;
                }
                r
            }
            (does, _) => {
                let may_be_recorded = match does {
                    Does::Operator(op) => op.compares(),
                    does => matches!(does, Does::Call | Does::CallOfVariable),
                };
                if may_be_recorded && self.has_unclaimed() {
                    return None;
                }
                self.again(site, x, place, changes)?
            }
        };
        site.into.iter().for_each(|&slot| self.frame.set_slot(slot, r));
        Some(r)
    }

    /// Whether the last node is a call or a read that may be what an expression did.
    #[inline(always)]
    fn has_unclaimed(&self) -> bool {
        let Frame { node, claimed, .. } = *self.frame;
        let last = if node == NONE { NONE } else { self.writer.tape.row(node).last_child };
        if last == NONE || claimed != NONE && last <= claimed {
            return false;
        }
        let row = self.writer.tape.row(last);
        row.kind == Kind::Call as u8 || row.has(READ)
    }

    #[inline(always)]
    fn slot(&self, slot: u32) -> Option<Ref> {
        self.frame.slots.get(slot as usize).copied().filter(|r| *r != NOWHERE && !self.frame.is_part(slot))
    }

    /// What the nodes of an expression have in common, if it is known and gives this type.
    #[inline(always)]
    fn known(&self, site: &'static Site, ty: HostType, place: &Place) -> Option<KnownSite> {
        let address = std::ptr::from_ref(site) as usize;
        let known = &self.writer.known_sites.0[KnownSites::entry(address)];
        let here = place.parts().map(|(_, line, column)| (line, column));
        let same = known.site == address && known.ty == HostType::code(Some(ty)) && here == Some(known.line_and_column);
        same.then_some(*known)
    }

    /// The operands of an expression that is known, if they are of the types that they were of.
    #[inline(always)]
    fn operands(&self, known: &KnownSite) -> Option<[Ref; OPERANDS]> {
        let mut refs = [NOWHERE; OPERANDS];
        for (i, operand) in known.operands.iter().enumerate().take(known.count as usize) {
            refs[i] = match *operand {
                KnownOperand::Literal(r) => r,
                KnownOperand::Slot(slot, ty) => {
                    let r = self.slot(slot).filter(|r| !r.is_constant())?;
                    (self.writer.tape.row(r.at).host == ty).then_some(r)?
                }
            };
        }
        Some(refs)
    }

    /// The row of a node of the open call that is like those that are known.
    #[inline(always)]
    fn row(&self, known: &KnownSite) -> Row {
        Row {
            kind: known.kind,
            flags: known.flags,
            host: known.ty,
            parent: self.frame.node,
            label: known.label,
            place: known.place,
            name: known.name,
            block: self.frame.block,
            ..Row::ROOT
        }
    }

    /// The node of an expression that was evaluated before, if all is as it was then but the numbers. One that may change variables
    /// must be a method of numbers, which does not.
    #[inline(always)]
    fn again(&mut self, site: &'static Site, x: HostNumber, place: &Place, changes: bool) -> Option<Ref> {
        let known = self.known(site, x.ty, place).filter(|known| known.kind != Kind::Branch as u8)?;
        if changes && !known.is_computed {
            return None;
        }
        let refs = self.operands(&known)?;
        let (row, result) = (self.row(&known), self.writer.number_result(x));
        let id = self.writer.add_row(row, &refs[..known.count as usize], Some(result));
        Some(Ref { at: id, out: 0 })
    }

    /// A decision that is like one before, by a condition that has a node, and where the open call goes.
    #[inline(always)]
    pub(super) fn decided(
        &mut self,
        site: &'static Site,
        taken: bool,
        target: Option<u32>,
        place: &Place,
    ) -> Option<()> {
        let known = self.known(site, HostType::Bool, place).filter(|known| known.kind == Kind::Branch as u8)?;
        let refs = self.operands(&known)?;
        let refs = &refs[..known.count as usize];
        // A read that is the condition itself is the branch.
        if refs.iter().any(|r| !r.is_constant() && self.writer.tape.row(r.at).has(READ)) {
            return None;
        }
        let row = Row { extra: target.unwrap_or(NONE), ..self.row(&known) };
        let result = self.writer.number_result(taken.into());
        self.writer.add_row(row, refs, Some(result));
        if let Some(block) = target {
            self.frame.block = block;
        }
        Some(())
    }

    /// The open call goes to a block that has arguments, all of which have nodes.
    #[inline(always)]
    pub(super) fn passed(&mut self, target: u32, arguments: &'static [Operand], place: &Place) -> Option<()> {
        const MOST: usize = 8;
        let mut refs = [NOWHERE; MOST];
        let refs = refs.get_mut(..arguments.len())?;
        for (r, a) in refs.iter_mut().zip(arguments) {
            let Operand::Slot(slot) = a else { return None };
            *r = self.slot(*slot)?;
        }
        let row = Row {
            kind: Kind::Branch as u8,
            parent: self.frame.node,
            label: self.writer.fixed_label(FixedLabel::Goto),
            place: self.writer.place(place),
            block: self.frame.block,
            extra: target,
            ..Row::ROOT
        };
        let id = self.writer.add_row(row, refs, None);
        (self.frame.jump, self.frame.block) = (id, target);
        Some(())
    }

    /// A block begins whose arguments, if it was gone to with any, are these variables, which have nodes.
    #[inline(always)]
    pub(super) fn received(&mut self, block: u32, variables: &[(&str, u32)], place: &Place) -> Option<()> {
        let jump = self.frame.jump;
        let has_long_way =
            |(_, slot): &(&str, u32)| self.frame.is_part(*slot) || self.slot(*slot).is_some_and(Ref::is_constant);
        if jump != NONE && variables.iter().any(has_long_way) {
            return None;
        }
        (self.frame.jump, self.frame.block) = (NONE, block);
        if jump == NONE {
            return Some(());
        }
        for (i, (name, slot)) in variables.iter().enumerate() {
            let Some(given) = self.slot(*slot) else { continue };
            let Some(result) = self.writer.tape.keep_of(given) else { continue };
            let kept = self.writer.kept_again(result.kept);
            let row = Row {
                kind: Kind::Argument as u8,
                host: self.writer.tape.row(given.at).host,
                parent: self.frame.node,
                label: self.writer.fixed_label(FixedLabel::Argument),
                place: self.writer.place(place),
                name: self.writer.name(name),
                block,
                ..Row::ROOT
            };
            let from = Ref { at: jump, out: i as u32 };
            let id = self.writer.add_row(row, &[from], Some(ResultRow { kept, ..result }));
            self.frame.set_slot(*slot, Ref { at: id, out: 0 });
        }
        Some(())
    }
}

impl Writer {
    /// What is kept of a value of the host where another node has it too.
    #[inline]
    pub(super) fn kept_again(&mut self, kept: u32) -> u32 {
        match KeptValue::unpack(kept) {
            KeptValue::Number(i) => {
                let bits = self.tape.numbers[i as usize];
                self.keep_number(bits).pack()
            }
            KeptValue::SmallNumber(_) | KeptValue::Constant(_) => kept,
            _ => KeptValue::Nothing.pack(),
        }
    }
}

impl Cursor<'_> {
    /// Remembers the node of an expression or of a decision for [`OpenCallWriter`], where all operands that are no literals have nodes.
    pub(super) fn remember_site(&mut self, site: &'static Site, id: u32, place: &Place) {
        let Some((_, line, column)) = place.parts() else { return };
        let frame = self.frames.last().expect("a scope has its root");
        if self.writer.settings.context.is_some() || frame.place.is_some() || id == NONE {
            return;
        }
        let (row, refs) = (*self.writer.tape.row(id), self.writer.tape.refs_of(id));
        let mut operands = [KnownOperand::Slot(0, 0); OPERANDS];
        if refs.len() > operands.len() || refs.len() != site.operands.len() || row.results_len != 1 {
            return;
        }
        for ((known, o), &r) in operands.iter_mut().zip(site.operands).zip(refs) {
            *known = match o {
                Operand::Slot(slot) if r.is_constant() || frame.is_part(*slot) => return,
                Operand::Slot(slot) => KnownOperand::Slot(*slot, self.writer.tape.row(r.at).host),
                _ => KnownOperand::Literal(r),
            };
        }
        let label = &self.writer.tape.labels[row.label as usize];
        let is_computed = label.op.is_some() || label.function.is_some();
        let name = if site.name.is_empty() { 0 } else { self.writer.name(site.name) };
        let address = std::ptr::from_ref(site) as usize;
        self.writer.known_sites.0[KnownSites::entry(address)] = KnownSite {
            site: address,
            line_and_column: (line, column),
            kind: row.kind,
            flags: row.flags & CONDITION,
            ty: row.host,
            count: site.operands.len() as u8,
            is_computed,
            operands,
            label: row.label,
            place: row.place,
            name,
        };
    }
}
