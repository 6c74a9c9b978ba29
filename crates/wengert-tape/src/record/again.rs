//! Expressions of the host that are evaluated again: a loop comes by them many times, and all but the numbers of their nodes is the
//! same.

use super::cursor::Cursor;
use super::evaluate::NOWHERE;
use super::site::{Operand, Site};
use crate::host::{HostNumber, HostType};
use crate::row::{NONE, Ref, Row};
use wengert_core::Place;

/// How many expressions are remembered.
const SITES: usize = 128;

/// What the nodes of an expression that gives a number have in common.
#[derive(Clone, Copy)]
pub(super) struct KnownSite {
    /// The address of the expression; 0 if this is none.
    site: usize,
    line_and_column: (u32, u32),
    kind: u8,
    /// The type of its number.
    ty: u16,
    count: u8,
    operands: [KnownOperand; 2],
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
                ty: 0,
                count: 0,
                operands: [nothing; 2],
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

impl Cursor<'_> {
    /// The node of an expression that was evaluated before, if all is as it was then but the numbers.
    #[inline]
    pub(super) fn again(&mut self, site: &'static Site, x: HostNumber, place: &Place) -> Option<Ref> {
        let address = std::ptr::from_ref(site) as usize;
        let frame = self.frames.last()?;
        let writer = &mut *self.writer;
        let known = &writer.known_sites.0[KnownSites::entry(address)];
        let here = place.parts().map(|(_, line, column)| (line, column));
        if known.site != address
            || known.ty != HostType::code(Some(x.ty))
            || here != Some(known.line_and_column)
            || frame.place.is_some()
            || !frame.parts.is_empty()
        {
            return None;
        }
        let mut refs = [NOWHERE; 2];
        for (r, operand) in refs.iter_mut().zip(&known.operands[..known.count as usize]) {
            *r = match *operand {
                KnownOperand::Literal(r) => r,
                KnownOperand::Slot(slot, ty) => {
                    let r = *frame.slots.get(slot as usize)?;
                    let same = !r.is_constant() && r != NOWHERE && writer.tape.row(r.at).host == ty;
                    same.then_some(r)?
                }
            };
        }
        let row = Row {
            kind: known.kind,
            host: known.ty,
            parent: frame.node,
            label: known.label,
            place: known.place,
            name: known.name,
            block: frame.block,
            refs_len: known.count as u32,
            results_len: 1,
            ..Row::ROOT
        };
        let id = writer.add_number(row, &refs[..known.count as usize], x);
        Some(Ref { at: id, out: 0 })
    }

    /// Remembers the node of an expression for [`Cursor::again`], where all operands that are no literals have nodes.
    pub(super) fn remember_site(&mut self, site: &'static Site, id: u32, place: &Place) {
        let Some((_, line, column)) = place.parts() else { return };
        let frame = self.frames.last().expect("a scope has its root");
        if self.writer.settings.context.is_some() || frame.place.is_some() || !frame.parts.is_empty() || id == NONE {
            return;
        }
        let (row, refs) = (*self.writer.tape.row(id), self.writer.tape.refs_of(id));
        let mut operands = [KnownOperand::Slot(0, 0); 2];
        if refs.len() > operands.len() || refs.len() != site.operands.len() {
            return;
        }
        for ((known, o), &r) in operands.iter_mut().zip(site.operands).zip(refs) {
            *known = match o {
                Operand::Slot(_) if r.is_constant() => return,
                Operand::Slot(slot) => KnownOperand::Slot(*slot, self.writer.tape.row(r.at).host),
                _ => KnownOperand::Literal(r),
            };
        }
        let name = if site.name.is_empty() { 0 } else { self.writer.name(site.name) };
        let address = std::ptr::from_ref(site) as usize;
        self.writer.known_sites.0[KnownSites::entry(address)] = KnownSite {
            site: address,
            line_and_column: (line, column),
            kind: row.kind,
            ty: row.host,
            count: site.operands.len() as u8,
            operands,
            label: row.label,
            place: row.place,
            name,
        };
    }
}
