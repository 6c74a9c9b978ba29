//! What is evaluated one after the other, and used together: a part that is there before a later one changes what it is made of has what
//! was there then.
//!
//! An origin says since when it is meant (`Since`). Once all parts are rewritten, it is known which slots got something after that: the part
//! is looked at where it is evaluated, then. What is no part of such a whole, and has changed before it is used, is not known: of such a
//! function only calls are reported (`Rewriter::add_site`).

use super::places::is_path;
use super::rewrite::{Rewriter, take};
use super::source::{is_place, span_of, text};
use super::values::{Given, Origin, root};
use super::{call_at, own};
use proc_macro2::Span;
use quote::quote;
use syn::{Expr, UnOp, parse_quote};

/// A part that is evaluated before others.
pub(super) struct Evaluated {
    /// As it is written.
    pub(super) said: String,
    pub(super) span: Span,
    /// Whether it is a variable, or what one refers to.
    pub(super) is_variable: bool,
    /// Whether it is a place, other than a variable: it may not be moved.
    pub(super) is_place: bool,
    pub(super) from: Vec<Origin>,
}

impl Evaluated {
    /// A part as it is written, which is evaluated next.
    pub(super) fn new(e: &Expr) -> Evaluated {
        let (is_variable, is_place) = (is_variable(e), is_named(e) && !is_variable(e));
        Evaluated { said: text(e), span: span_of(e), is_variable, is_place, from: Vec::new() }
    }
}

/// Whether an expression is what a reference leads to, as a value.
pub(super) fn is_behind(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_behind(&p.expr),
        Expr::Group(g) => is_behind(&g.expr),
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)),
        _ => false,
    }
}

/// Whether an expression is a variable, or what one refers to.
fn is_variable(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_variable(&p.expr),
        Expr::Group(g) => is_variable(&g.expr),
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)) && is_variable(&u.expr),
        e => is_path(e),
    }
}

/// Whether an expression is a variable, or a place in one, by names alone.
pub(super) fn is_named(e: &Expr) -> bool {
    is_place(e) && root(e).is_some()
}

impl Rewriter {
    /// A part, with what evaluates it. What a macro in it changes is told before `others` are evaluated.
    pub(super) fn evaluated(
        &mut self,
        e: &mut Expr,
        others: bool,
        evaluate: impl FnOnce(&mut Self, &mut Expr) -> Vec<Origin>,
    ) -> Evaluated {
        let part = Evaluated::new(e);
        let changed = self.effects.changed.len();
        let mut from = evaluate(self, e);
        if others && self.full && self.effects.changed.len() > changed {
            from = self.look(e, part.span, (&part.said, "Look"), &from, Given::default());
        }
        Evaluated { from, ..part }
    }

    /// All other parts are evaluated: where this one came from. If that has changed since, it is looked at where it stands.
    pub(super) fn settled(&mut self, e: &mut Expr, part: Evaluated) -> Vec<Origin> {
        let Evaluated { said, span, is_variable, is_place, from } = part;
        let place = if is_place { &said } else { "" };
        if !self.full || !self.variables.have_changed(&from, place) {
            return if is_place { self.variables.now(&from) } else { from };
        }
        if is_place {
            // It can't be told whether it may be moved.
            self.is_unknowable = true;
            return from;
        }
        let beside = std::mem::take(&mut self.effects);
        let (label, how) = if is_variable { ("", "Name") } else { (&*said, "Look") };
        let from = self.look(e, span, (label, how), &self.variables.now(&from), Given::default());
        self.effects = beside;
        from
    }

    /// The value of a block, which goes to a slot. What a reference leads to is copied, and what the reference has borrowed is not.
    pub(super) fn value_of_block(&mut self, e: &mut Expr, given: Given) -> Vec<Origin> {
        let (is_behind, span) = (is_behind(e), span_of(e));
        let from = self.value(e, given.clone());
        match &from[..] {
            [Origin::Slot(..)]
                if is_behind && given.slot.is_some() && from != [Origin::given(given.slot.unwrap_or(0))] =>
            {
                self.look(e, span, ("", "Name"), &from, given)
            }
            _ => from,
        }
    }

    /// The same of an operand of a comparison, which is borrowed.
    pub(super) fn settled_behind(&mut self, e: &mut Expr, part: Evaluated) -> Vec<Origin> {
        let Evaluated { said, is_variable, from, .. } = part;
        if !self.full || !self.variables.have_changed(&from, "") {
            return from;
        }
        let from = self.variables.now(&from);
        let how = if is_variable { "Name" } else { "Look" };
        self.seen_in_place(e, (if is_variable { "" } else { &said }, how), &from)
    }

    /// A look at what stands somewhere, or is a value, by a borrow of it.
    pub(super) fn seen_in_place(&mut self, e: &mut Expr, (label, how): (&str, &str), from: &[Origin]) -> Vec<Origin> {
        let (span, slot) = (span_of(e), self.new_slot());
        let site = self.site(label, how, from, &[slot], "");
        let (live, inner) = (own("__live"), take(e));
        let seen = call_at(span, "seen_at", quote!(&#inner, #live, #site));
        *e = parse_quote!((*#seen));
        vec![self.variables.origin(slot)]
    }
}
