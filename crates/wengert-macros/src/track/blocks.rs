//! Statements, with reports between them, and what the variables that they declare came from.

use super::asserted::asserts;
use super::constructors::makes_unseen;
use super::effects::{ChangedBy, Effects, only_reads, slots};
use super::left_out::Alternatives;
use super::loops::{JumpTarget, name_of};
use super::places::names_in;
use super::rewrite::{Rewriter, Scrutinee, is_plain, number, prepend, stmt, take, when_live};
use super::shown::{is_call, is_shown_otherwise};
use super::source::{
    Part, bindings, bindings_and_changes, conditions, first_call, has_macro, has_rest, is_place, parts, span_of, text,
};
use super::values::{Given, Origin, bare_pattern, is_what_it_came_from, leaves};
use super::{call_at, own};
use proc_macro2::{Ident, Span};
use quote::{ToTokens, quote, quote_spanned};
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::{Attribute, BinOp, Block, Expr, Local, Macro, Pat, Stmt, parse_quote};

impl Rewriter {
    /// A `let`. Its initializer stays as it is: a temporary that it borrows lives as long as the variable.
    pub(super) fn lower_local(&mut self, mut local: Local, when: &[Attribute], out: &mut Vec<Stmt>) {
        let mut then = Vec::new();
        if self.full && local.init.is_some() {
            local.attrs.push(parse_quote!(#[allow(unreachable_code)]));
        }
        let Some(init) = &mut local.init else {
            if self.full {
                self.is_unknowable |= has_macro(&local.pat);
                for (name, _) in bindings_and_changes(&local.pat, true) {
                    let slot = self.new_slot();
                    self.variables.declare(&name, slot, true);
                }
            }
            return out.push(Stmt::Local(local));
        };
        let text = text(&init.expr);
        let always = init.diverge.is_none();
        let one = match bare_pattern(&local.pat) {
            Pat::Ident(p) if p.subpat.is_none() && p.by_ref.is_none() && always && self.full => {
                let named = bindings_and_changes(&local.pat, true);
                Some((p.ident.clone(), p.mutability.is_some(), named.first().map(|(n, _)| n.unraw().to_string())))
            }
            _ => None,
        };
        let is_taken_apart = one.is_none() && self.full;
        if let Some((ident, changes, name)) = one {
            let slot = self.new_slot();
            let given = Given { slot: Some(slot), name: name.unwrap_or_default(), extends: true };
            let closure = tracked_closure(&init.expr);
            let (shows, by_call) = (!is_shown_otherwise(&init.expr), is_call(&init.expr));
            let from = self.value(&mut init.expr, given);
            if from == [Origin::given(slot)] {
                self.variables.declare(&ident, slot, changes);
                // What the expression has changed on its way: what it holds is not dropped.
                let held = Effects { holds: Vec::new(), ..self.take_held() };
                then.extend(self.dropped(&text, span_of(&init.expr), (&[], false), &held));
            } else {
                let plain = matches!(from[..], [_]) && is_plain(&init.expr);
                then.extend(self.bind(&local.pat, true, if plain { "" } else { &text }, &from));
            }
            let slot_now = self.variables.find(&ident.unraw().to_string()).map(|(slot, _)| slot);
            then.extend(slot_now.filter(|_| shows).and_then(|slot| self.show(&ident, slot, by_call)));
            if let (Some(name), Some((slot, _))) = (closure, self.variables.find(&ident.unraw().to_string())) {
                self.tracked_closures.insert(slot, name);
            }
        } else if let Some(parts) = self.parts_of(&local.pat, &init.expr).filter(|_| always) {
            out.push(self.forget_parts(&parts));
            self.value_in_parts(&mut init.expr, &parts);
            let held = self.take_held();
            then.extend(self.dropped_parts(&local.pat, &parts, &held));
            then.extend(self.bind_parts(&local.pat, &parts, &held));
        } else {
            let is_value = !is_place(&init.expr) || is_plain(&init.expr);
            let from = self.value(&mut init.expr, Given { extends: true, ..Given::default() });
            let exactly = is_value && is_what_it_came_from(&init.expr);
            let s = Scrutinee { text, began: !self.full, from, exactly, held: self.take_held() };
            if let Some((_, otherwise)) = &mut init.diverge {
                let live = own("__live");
                let (other, after) = (self.mark_here(), self.mark_ahead());
                let before = self.variables.given_so_far();
                self.control(otherwise, None);
                // It never comes here.
                self.variables.take_given(before);
                let missed = when_live(self.compared("missed", &s, &local.pat, Some(other)));
                prepend(vec![stmt(missed)], otherwise);
                self.reach(after);
                self.after = None;
                if !self.full {
                    out.push(stmt(quote!(#(#when)* __wengert::track::begin(#live))));
                }
                then.push(stmt(when_live(self.compared("matched", &s, &local.pat, Some(after)))));
            }
            let names = self.names(&local.pat, always, &s);
            let takes_all = !names.is_empty() && !has_rest(&local.pat);
            // A macro whose value nobody gets has no report.
            if let (true, Expr::Macro(_)) = (self.full && names.is_empty(), &*init.expr) {
                let site = self.site_with(&s.text, "Look", &s.from, &[], "", &s.held);
                then.push(stmt(when_live(call_at(span_of(&init.expr), "wrote", site))));
            } else if !takes_all {
                let unread = if self.full && names.is_empty() { self.unread(&init.expr, &s.from) } else { None };
                then.extend(self.dropped(&s.text, span_of(&init.expr), (&s.from, makes_unseen(&init.expr)), &s.held));
                then.extend(unread);
            }
            then.extend(names);
        }
        if is_taken_apart {
            for ident in bindings(&local.pat, true) {
                let slot = self.variables.find(&ident.unraw().to_string()).map(|(slot, _)| slot);
                then.extend(slot.and_then(|slot| self.show(&ident, slot, false)));
            }
        }
        out.push(Stmt::Local(local));
        out.extend(then.into_iter().map(|s| parse_quote!(#(#when)* #s)));
    }
}

/// Whether a place is an element, or a part of one.
fn has_index(e: &Expr) -> bool {
    match e {
        Expr::Index(_) => true,
        Expr::Field(f) => has_index(&f.base),
        Expr::Paren(p) => has_index(&p.expr),
        Expr::Group(g) => has_index(&g.expr),
        _ => false,
    }
}

/// The name of a tracked closure that an expression is.
fn tracked_closure(e: &Expr) -> Option<String> {
    let Expr::Macro(m) = e else { return None };
    let is_it = m.mac.path.segments.last().is_some_and(|s| s.ident == "tracked");
    let named = m.mac.tokens.clone().into_iter().find_map(|t| syn::parse2::<syn::LitStr>(t.into()).ok());
    is_it.then(|| named.map_or("closure".to_string(), |n| n.value()))
}

impl Rewriter {
    /// The statements of a block, with reports between them. Its value goes to a slot.
    pub(super) fn block(&mut self, block: &mut Block, value: Option<u32>) {
        let given = value.map(|slot| self.given_to(slot)).unwrap_or_default();
        let (from, end) = self.block_from(block, given);
        let is_exact = matches!(block.stmts.last(), Some(Stmt::Expr(e, None)) if is_what_it_came_from(e));
        if let Some(Stmt::Expr(_, None)) = block.stmts.last()
            && let Some(report) = value.and_then(|slot| self.copy_into(&from, slot, is_exact))
        {
            block.stmts.insert(end, report);
        }
    }

    /// The same: where its value came from, and the statement that gives it, before which reports of it stand.
    pub(super) fn block_from(&mut self, block: &mut Block, given: Given) -> (Vec<Origin>, usize) {
        let mut out = Vec::with_capacity(2 * block.stmts.len());
        out.extend(self.names_are_variables(block));
        let (mut begins, mut from) = (None, Vec::new());
        let (mut alternatives, mut end, mut is_known) = (Alternatives::default(), None, true);
        let scope = self.variables.mark();
        let beside = std::mem::take(&mut self.effects);
        let count = block.stmts.len();
        for (i, mut s) in std::mem::take(&mut block.stmts).into_iter().enumerate() {
            if let Stmt::Item(_) = s {
                out.push(s);
                continue;
            }
            self.statements.extend(super::source::extent(&s));
            let (call, when) = (first_call(&mut s), conditions(&s));
            alternatives.next(&s, !when.is_empty(), self);
            let may_be_left_out = matches!(s, Stmt::Expr(_, None)) && !when.is_empty();
            match may_be_left_out {
                true => end = end.or(Some(out.len())),
                false => (end, from, is_known) = (None, Vec::new(), true),
            }
            if begins.is_some() || call.is_some() {
                let (span, block) = (call.unwrap_or_else(|| span_of(&s)), number(begins));
                let report = when_live(quote_spanned!(span=> __wengert::track::statement(#block);));
                out.push(stmt(quote!(#(#when)* #report)));
                begins = begins.filter(|_| !when.is_empty());
            }
            self.after = None;
            self.effects = Effects::default();
            match s {
                Stmt::Local(local) => {
                    let (at, first) = (out.len(), self.variables.mark());
                    self.lower_local(local, &when, &mut out);
                    if !when.is_empty() {
                        out.splice(at..at, self.unless_left_out(first, &alternatives));
                    }
                }
                Stmt::Expr(mut e, None) if i + 1 == count && when.is_empty() => {
                    from = self.value_of_block(&mut e, given.clone());
                    self.allow_diverging(&mut e);
                    out.push(Stmt::Expr(e, None));
                }
                // What a `cfg` may remove stays outermost: as an argument it would be removed from the call around it.
                Stmt::Expr(mut e, None) if !when.is_empty() => {
                    match self.may_come_from(&mut e) {
                        Some(more) => from.extend(more),
                        None => is_known = false,
                    }
                    out.push(Stmt::Expr(e, None));
                }
                Stmt::Expr(mut e, semi) if !when.is_empty() => {
                    self.control(&mut e, None);
                    out.push(Stmt::Expr(e, semi));
                }
                Stmt::Expr(mut e, semi) => {
                    let (said, span) = (text(&e), span_of(&e));
                    let from = self.value(&mut e, Given::default());
                    if semi.is_some() {
                        self.allow_diverging(&mut e);
                    }
                    let (held, is_unseen) = (self.take_held(), makes_unseen(&e));
                    let unread = if self.full { self.unread(&e, &from) } else { None };
                    out.push(Stmt::Expr(e, semi));
                    out.extend(self.dropped(&said, span, (&from, is_unseen), &held));
                    out.extend(unread);
                }
                Stmt::Macro(mut m) if self.full && !leaves(&m.mac) => {
                    // It may leave, and what it declares is not known: the report stands before it.
                    let report = self.macro_statement(&m.mac);
                    out.extend(report.map(|r| parse_quote!(#(#when)* #r)));
                    let held = if asserts(&m.mac) { self.assertion(&mut m.mac) } else { None };
                    out.push(Stmt::Macro(m));
                    out.extend(held.map(|h| parse_quote!(#(#when)* #h)));
                }
                s => out.push(s),
            }
            begins = self.after.take().or(begins);
        }
        self.is_unknowable |= !is_known;
        let end = end.unwrap_or(out.len().saturating_sub(1));
        block.stmts = out;
        self.after = begins;
        self.variables.back_to(scope);
        let own = std::mem::replace(&mut self.effects, beside);
        self.effects.add(own);
        (from, end)
    }

    /// Where a macro of the user's may declare constants: a statement, never run, which the compiler refuses if one of them has the name of
    /// a variable that the block speaks of.
    fn names_are_variables(&self, block: &Block) -> Option<Stmt> {
        let may_declare = |s: &Stmt| match s {
            Stmt::Macro(m) => !only_reads(&m.mac) && !leaves(&m.mac),
            Stmt::Expr(Expr::Macro(m), None) => !only_reads(&m.mac) && !leaves(&m.mac),
            _ => false,
        };
        if !self.full || !block.stmts.iter().any(may_declare) {
            return None;
        }
        let mut names = Vec::new();
        names_in(block.to_token_stream(), &mut names);
        let mut seen = HashSet::new();
        names.retain(|n| {
            let name = n.unraw().to_string();
            let is_keyword = syn::parse_str::<Ident>(&n.to_string()).is_err();
            !is_keyword && name != "self" && self.variables.find(&name).is_some() && seen.insert(name)
        });
        let pattern = |n: &Ident| quote!(#[allow(unused_variables, non_snake_case)] let #n = (););
        let patterns = names.iter().map(pattern);
        (!names.is_empty()).then(|| parse_quote!(if false { #(#patterns)* }))
    }

    /// A value that nobody gets may change what it has borrowed, when it is dropped. `is_unseen` says that no report has told what it is.
    pub(super) fn dropped(
        &mut self,
        said: &str,
        span: Span,
        (from, is_unseen): (&[Origin], bool),
        held: &Effects,
    ) -> Option<Stmt> {
        let mut effects = Effects { holds: Vec::new(), ..held.clone() };
        effects.changed.extend(held.holds.iter().map(|&slot| (ChangedBy::Part, slot)));
        let is_block = |slot: &u32| self.blocks_of_slots.contains_key(slot);
        let may_hold = |slot: &u32| self.slots_with_borrows.contains(slot) || is_unseen && !is_block(slot);
        effects.through.extend(slots(from).filter(may_hold));
        if !self.full || effects.changed.is_empty() && effects.through.is_empty() && effects.given.is_empty() {
            return None;
        }
        let site = self.site_with(said, "Look", from, &[], "", &effects);
        Some(stmt(when_live(call_at(span, "wrote", site))))
    }

    /// An element that nobody gets: its index is checked all the same, so that what comes after it depends on it.
    fn unread(&mut self, e: &Expr, from: &[Origin]) -> Option<Stmt> {
        if !has_index(e) || slots(from).next().is_none() {
            return None;
        }
        let site = self.site(&text(e), "Look", from, &[], "");
        Some(stmt(when_live(call_at(span_of(e), "wrote", site))))
    }

    /// What a macro that is a statement did to variables, if it may have done anything.
    fn macro_statement(&mut self, m: &Macro) -> Option<Stmt> {
        let from = self.named_by_macro(m.tokens.clone());
        let mut effects = self.effects_of_statement(m, &from);
        let from = self.variables.now(&from);
        effects.changed.extend(self.changed_by_local_macros());
        self.give_to_macro(m.tokens.clone());
        if effects.changed.is_empty() {
            return None;
        }
        let site = self.site_with(&text(m), "Look", &from, &[], "", &effects);
        Some(stmt(when_live(call_at(span_of(&m.path), "wrote", site))))
    }

    /// What never returns is passed to a function that is never called.
    pub(super) fn allow_diverging(&self, e: &mut Expr) {
        if !self.full {
            return;
        }
        match e {
            Expr::Verbatim(tokens) => {
                let inner = std::mem::take(tokens);
                *e = Expr::Verbatim(quote!(#[allow(unreachable_code)] #inner));
            }
            Expr::Return(r) => r.attrs.push(parse_quote!(#[allow(unreachable_code)])),
            Expr::Break(b) => b.attrs.push(parse_quote!(#[allow(unreachable_code)])),
            _ => {}
        }
    }

    /// An expression that decides, jumps or has blocks, with reports in it. Its value goes to a slot, if it has one.
    pub(super) fn control(&mut self, e: &mut Expr, value: Option<u32>) {
        match e {
            Expr::If(i) => self.lower_if(i, value),
            Expr::Match(m) => self.lower_match(m, value),
            Expr::Loop(_) => {
                if let Expr::Loop(l) = take(e) {
                    *e = self.lower_loop(l, value);
                }
            }
            Expr::ForLoop(_) => {
                if let Expr::ForLoop(f) = take(e) {
                    *e = self.lower_for(f);
                }
            }
            Expr::While(_) => {
                if let Expr::While(w) = take(e) {
                    *e = self.lower_while(w);
                }
            }
            Expr::Block(b) if b.label.is_some() => {
                let after = self.mark_ahead();
                let label = name_of(&b.label);
                self.targets.push(JumpTarget { label, header: None, after, passes: Vec::new(), value });
                self.block(&mut b.block, value);
                self.targets.pop();
                self.join(after);
            }
            Expr::Block(b) => self.block(&mut b.block, value),
            Expr::Unsafe(b) => {
                self.unsafe_blocks += 1;
                self.block(&mut b.block, value);
                self.unsafe_blocks -= 1;
            }
            Expr::Binary(b) if matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => {
                let right = self.new_slot();
                self.lower_short_circuit(b, right);
            }
            Expr::Try(t) => drop(self.lower_try_in(t)),
            Expr::Return(_) => {
                if let Expr::Return(r) = take(e) {
                    *e = self.lower_return(r);
                }
            }
            Expr::Break(_) => {
                if let Expr::Break(b) = take(e) {
                    *e = self.lower_break(b);
                }
            }
            Expr::Continue(_) => {
                if let Expr::Continue(c) = take(e) {
                    *e = self.lower_continue(c);
                }
            }
            e => {
                for part in parts(e) {
                    match part {
                        Part::Expr(e) => drop(self.value(e, Given::default())),
                        Part::Block(b) => self.block(b, None),
                    }
                }
            }
        }
    }
}
