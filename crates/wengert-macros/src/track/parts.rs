//! Tuples and lists that are taken apart where they are made: `let (a, b) = (v, w)`, also out of branches. Each part has a slot of its
//! own, so that a variable is known by the one value that it got, and not by all that were beside it.

use super::effects::Effects;
use super::numbers::is_number_type;
use super::order::Evaluated;
use super::rewrite::{Rewriter, prepend, stmt, take, when_live};
use super::source::{bindings_and_changes, has_rest, span_of, text};
use super::values::{Given, Origin, bare_pattern, leaves, root};
use super::{DeclaredResult, call_at};
use quote::quote;
use syn::ext::IdentExt;
use syn::{Block, Expr, ExprLit, Lit, Pat, Stmt, Type, UnOp, parse_quote};

/// How many parts of what a function returns are told apart.
const MOST: usize = 16;

/// The slots of what a pattern takes apart.
#[derive(Clone, Debug)]
pub(super) enum Parts {
    One(u32),
    Several(Vec<Parts>),
}

impl Parts {
    /// All slots.
    fn slots(&self) -> Vec<u32> {
        match self {
            Parts::One(slot) => vec![*slot],
            Parts::Several(all) => all.iter().flat_map(Parts::slots).collect(),
        }
    }

    /// Whether it is one part, and what its slot has.
    fn are_exactly(&self, from: &[Origin]) -> bool {
        matches!((self, from), (Parts::One(slot), [Origin::Slot(of, _)]) if slot == of)
    }
}

/// The parts of a pattern, if it has any: of a tuple or a list without `..`.
fn patterns(p: &Pat) -> Option<Vec<&Pat>> {
    let all: Vec<&Pat> = match bare_pattern(p) {
        Pat::Tuple(t) => t.elems.iter().collect(),
        Pat::Slice(s) => s.elems.iter().collect(),
        _ => return None,
    };
    let has_rest = |p: &&Pat| matches!(p, Pat::Rest(_)) || matches!(p, Pat::Ident(i) if i.subpat.is_some());
    (!all.is_empty() && !all.iter().any(has_rest)).then_some(all)
}

/// The parts of a tuple or a list that an expression is.
fn expressions(e: &mut Expr) -> Option<Vec<&mut Expr>> {
    match e {
        Expr::Paren(p) => expressions(&mut p.expr),
        Expr::Group(g) => expressions(&mut g.expr),
        Expr::Tuple(t) => Some(t.elems.iter_mut().collect()),
        Expr::Array(a) => Some(a.elems.iter_mut().collect()),
        _ => None,
    }
}

/// Whether every value that an expression may have is made of so many parts where it stands.
fn is_made_of(e: &Expr, count: usize) -> bool {
    let ends = |b: &Block| matches!(b.stmts.last(), Some(Stmt::Expr(e, None)) if is_made_of(e, count));
    match e {
        Expr::Paren(p) => is_made_of(&p.expr, count),
        Expr::Group(g) => is_made_of(&g.expr, count),
        Expr::Tuple(t) => t.elems.len() == count,
        Expr::Array(a) => a.elems.len() == count,
        Expr::Block(b) => b.label.is_none() && ends(&b.block),
        Expr::If(i) => ends(&i.then_branch) && i.else_branch.as_ref().is_some_and(|(_, e)| is_made_of(e, count)),
        Expr::Match(m) => m.arms.iter().all(|a| is_made_of(&a.body, count)),
        Expr::Return(_) => true,
        Expr::Macro(m) => leaves(&m.mac),
        _ => false,
    }
}

/// A number or a bool that stands in the source.
fn is_number_or_truth(e: &Expr) -> bool {
    match e {
        Expr::Lit(l) => matches!(l.lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_)),
        Expr::Unary(u) => matches!(u.op, UnOp::Neg(_)) && is_number_or_truth(&u.expr),
        _ => false,
    }
}

impl Rewriter {
    /// The slots of the parts of a pattern, if the value it takes apart is made of them where it stands.
    pub(super) fn parts_of(&mut self, pattern: &Pat, e: &Expr) -> Option<Parts> {
        let all = patterns(pattern)?;
        if !self.full || !is_made_of(e, all.len()) {
            return None;
        }
        Some(self.parts(pattern))
    }

    fn parts(&mut self, pattern: &Pat) -> Parts {
        match patterns(pattern) {
            Some(all) => Parts::Several(all.into_iter().map(|p| self.parts(p)).collect()),
            None => Parts::One(self.new_slot()),
        }
    }

    /// What is known of parts from an earlier turn of a loop is so no more.
    pub(super) fn forget_parts(&mut self, parts: &Parts) -> Stmt {
        let site = self.site("", "Name", &[], &parts.slots(), "");
        stmt(when_live(quote!(__wengert::track::copied(#site);)))
    }

    /// The value that is taken apart: each part goes to its slot.
    pub(super) fn value_in_parts(&mut self, e: &mut Expr, parts: &Parts) {
        match parts {
            Parts::Several(parts) if matches!(expressions(e), Some(all) if all.len() == parts.len()) => {
                let (mut all, mut evaluated) = (expressions(e).unwrap_or_default(), Vec::new());
                let count = all.len();
                for (i, (e, part)) in all.iter_mut().zip(parts).enumerate() {
                    let known = self.loose.len();
                    let changed = self.effects.changed.len();
                    let said = Evaluated::new(e);
                    self.value_in_parts(e, part);
                    // What a macro changes is told before the next part is evaluated.
                    if let (true, &Parts::One(slot)) = (i + 1 < count && self.effects.changed.len() > changed, part) {
                        self.part_at_once(e, slot, &said, known);
                    }
                    evaluated.push(said);
                }
                for ((e, part), said) in all.into_iter().zip(parts).zip(evaluated) {
                    let Parts::One(slot) = *part else { continue };
                    let of_part: Vec<Origin> = self.loose.iter().filter(|l| l.0 == slot).map(|l| l.1.clone()).collect();
                    if self.variables.have_changed(&of_part, "") {
                        let beside = std::mem::take(&mut self.effects);
                        self.part_at_once(e, slot, &said, 0);
                        self.effects = beside;
                    }
                }
            }
            Parts::Several(all) if is_made_of(e, all.len()) => {
                let slot = self.new_slot();
                self.parts_of_slots.insert(slot, parts.clone());
                self.value(e, Given { slot: Some(slot), ..Given::default() });
            }
            // Of a part that is itself taken apart, and is not made here, all is known together.
            parts => {
                let slots = parts.slots();
                let from = match slots[..] {
                    [slot] if matches!(parts, Parts::One(_)) => self.part(e, slot),
                    _ => self.value(e, Given { extends: true, ..Given::default() }),
                };
                if from.is_empty() {
                    self.given_parts.extend(&slots);
                }
                self.loose.extend(slots.iter().flat_map(|&slot| from.iter().map(move |o| (slot, o.clone()))));
            }
        }
    }

    /// A part goes to its slot when it is evaluated, with all that is known of where it came from.
    fn part_at_once(&mut self, e: &mut Expr, slot: u32, said: &Evaluated, known: usize) {
        let (own, others) =
            self.loose.split_off(known.min(self.loose.len())).into_iter().partition(|(of, _)| *of == slot);
        self.loose.extend(others);
        let own: Vec<(u32, Origin)> = own;
        let from: Vec<Origin> = own.into_iter().map(|(_, origin)| origin).collect();
        let from = self.variables.now(&from);
        let (label, how) = if said.is_variable { ("", "Name") } else { (&*said.said, "Look") };
        self.look(e, said.span, (label, how), &from, Given { slot: Some(slot), ..Given::default() });
        self.given_parts.insert(slot);
    }

    /// One part: where it came from, if its slot does not have it.
    fn part(&mut self, e: &mut Expr, slot: u32) -> Vec<Origin> {
        if is_number_or_truth(e) {
            let (label, span) = (text(e), span_of(e));
            self.look(e, span, (&label, "Constant"), &[], Given { slot: Some(slot), ..Given::default() });
            return Vec::new();
        }
        let is_variable = matches!(e, Expr::Path(_))
            && root(e).is_some_and(|i| self.variables.find(&i.unraw().to_string()).is_some());
        let from = self.value(e, Given { slot: Some(slot), name: String::new(), extends: true });
        if from == [Origin::given(slot)] {
            return Vec::new();
        }
        if is_variable {
            let site = self.site("", "Name", &from, &[slot], "");
            prepend(vec![stmt(when_live(quote!(__wengert::track::copied(#site);)))], e);
            return Vec::new();
        }
        from
    }

    /// Names what a pattern bound of these parts.
    pub(super) fn bind_parts(&mut self, pattern: &Pat, parts: &Parts, held: &Effects) -> Vec<Stmt> {
        match (parts, patterns(pattern)) {
            (Parts::Several(parts), Some(all)) => {
                all.into_iter().zip(parts).flat_map(|(p, part)| self.bind_parts(p, part, held)).collect()
            }
            (parts, _) => {
                let from = self.take_parts(parts);
                let beside = std::mem::replace(&mut self.effects, held.clone());
                let is_one = parts.are_exactly(&from);
                let label = text(pattern);
                let reports = self.bind(pattern, true, if is_one { "" } else { &label }, &from);
                self.effects.add(beside);
                reports
            }
        }
    }

    /// What a pattern leaves out of these parts is dropped.
    pub(super) fn dropped_parts(&mut self, pattern: &Pat, parts: &Parts, held: &Effects) -> Vec<Stmt> {
        match (parts, patterns(pattern)) {
            (Parts::Several(parts), Some(all)) => {
                all.into_iter().zip(parts).flat_map(|(p, part)| self.dropped_parts(p, part, held)).collect()
            }
            (parts, _) if has_rest(pattern) => {
                let slots = parts.slots();
                let of_part = |(of, origin): &(u32, Origin)| slots.contains(of).then(|| origin.clone());
                let from: Vec<Origin> = self.loose.iter().filter_map(of_part).collect();
                self.dropped(&text(pattern), span_of(pattern), (&from, true), held).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// Where parts came from: their slots, if these have anything, and what they were made of that has none.
    fn take_parts(&mut self, parts: &Parts) -> Vec<Origin> {
        let slots = parts.slots();
        let (own, others) = std::mem::take(&mut self.loose).into_iter().partition(|(of, _)| slots.contains(of));
        self.loose = others;
        let own: Vec<(u32, Origin)> = own;
        let has_value = |slot: &u32| self.given_parts.contains(slot) || !own.iter().any(|(of, _)| of == slot);
        let given: Vec<u32> = slots.into_iter().filter(has_value).collect();
        given
            .into_iter()
            .map(|slot| self.variables.origin(slot))
            .chain(own.into_iter().map(|(_, origin)| origin))
            .collect()
    }

    /// The parts of what the function returns, if that is a tuple or a list of numbers, made where it stands: a slot for all, and theirs.
    pub(super) fn parts_returned(&mut self, e: &Expr) -> Option<(u32, Parts)> {
        let DeclaredResult::Type(ty) = &self.gives else { return None };
        let count = match &**ty {
            Type::Tuple(t) if t.elems.iter().all(is_number_type) => t.elems.len(),
            Type::Array(a) if is_number_type(&a.elem) => match &a.len {
                Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => n.base10_parse().ok()?,
                _ => return None,
            },
            _ => return None,
        };
        if !self.full || !(1..=MOST).contains(&count) || !is_made_of(e, count) {
            return None;
        }
        let parts = Parts::Several((0..count).map(|_| Parts::One(self.new_slot())).collect());
        let slot = self.new_slot();
        self.parts_of_slots.insert(slot, parts.clone());
        Some((slot, parts))
    }

    /// Where the parts of what is returned came from, and whether each is what its one origin gave.
    pub(super) fn origins_of_parts(&mut self, parts: &Parts) -> (Vec<Origin>, bool) {
        let (mut from, mut is_exact) = (Vec::new(), true);
        for slot in parts.slots() {
            let part = Parts::One(slot);
            let of_part = self.take_parts(&part);
            if part.are_exactly(&of_part) {
                from.extend(of_part);
            } else {
                from.extend(of_part.into_iter().filter(|o| *o != Origin::given(slot)));
                is_exact = false;
            }
        }
        (from, is_exact)
    }

    /// Names what a pattern bound of a tuple or a list that one expression gave.
    pub(super) fn bind_given(&mut self, pattern: &Pat, from: &[Origin], held: &Effects) -> Option<Vec<Stmt>> {
        let all = patterns(pattern).filter(|all| all.len() <= MOST)?;
        let is_name = |p: &&Pat| matches!(p, Pat::Ident(i) if i.by_ref.is_none()) || matches!(p, Pat::Wild(_));
        if !matches!(from, [Origin::Slot(..)]) || !all.iter().all(is_name) {
            return None;
        }
        let (count, label, mut reports) = (all.len(), text(pattern), Vec::new());
        for (i, p) in all.into_iter().enumerate() {
            for (name, changes) in bindings_and_changes(p, true) {
                let (slot, how) = (self.new_slot(), format!("Part({i}, {count})"));
                let site = self.site_with(&label, &how, from, &[slot], &name.unraw().to_string(), held);
                let call = call_at(name.span(), "bound", quote!(&#name, #site));
                reports.push(stmt(when_live(quote!(#call;))));
                self.variables.declare(&name, slot, changes);
            }
        }
        Some(reports)
    }

    /// `(a, b) = (v, w)`, of variables.
    pub(super) fn assign_parts(&mut self, e: &mut Expr) -> bool {
        let Expr::Assign(a) = e else { return false };
        let Some(names) = expressions(&mut a.left) else { return false };
        let names: Vec<Expr> = names.into_iter().map(|e| e.clone()).collect();
        let variable = |e: &Expr| match e {
            Expr::Path(_) => root(e).and_then(|i| self.variables.find(&i.unraw().to_string())),
            _ => None,
        };
        let slots: Option<Vec<u32>> = names.iter().map(|e| variable(e).map(|(slot, _)| slot)).collect();
        let Some(slots) = slots.filter(|_| self.full && is_made_of(&a.right, names.len())) else { return false };
        let parts: Vec<u32> = names.iter().map(|_| self.new_slot()).collect();
        let parts = Parts::Several(parts.into_iter().map(Parts::One).collect());
        let forget = self.forget_parts(&parts);
        self.value_in_parts(&mut a.right, &parts);
        let held = self.take_held();
        let Parts::Several(parts) = parts else { return false };
        let mut reports = Vec::new();
        for ((name, slot), part) in names.iter().zip(slots).zip(&parts) {
            let from = self.take_parts(part);
            let (label, how) = if part.are_exactly(&from) { (String::new(), "Name") } else { (text(name), "Look") };
            let site = self.site_with(&label, how, &from, &[slot], &text(name), &held);
            let report = call_at(span_of(name), "bound", quote!(&#name, #site));
            reports.push(stmt(when_live(quote!(#report;))));
        }
        let inner = take(e);
        *e = parse_quote!({ #forget #inner; #(#reports)* });
        true
    }
}
