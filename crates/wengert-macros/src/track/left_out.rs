//! Parts that the compiler may leave out: `#[cfg]` on a `let`. Which of two variables of one name there is, is known to the compiler
//! alone, so both have one slot: what the first had goes to that of the second, before the second gets a value, if it does.

use super::places::names_in;
use super::rewrite::{Rewriter, stmt, when_live};
use super::values::{Given, Origin};
use super::variables::Declared;
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Expr, Local, Stmt};

/// The variables of `let`s that may be left out, as long as they follow each other: nothing happens to one before the next.
#[derive(Default)]
pub(super) struct Alternatives(Option<usize>);

impl Alternatives {
    /// A statement comes next, given how many variables there are. Of a `let`, the ones before it may be alternatives.
    pub(super) fn next(&mut self, s: &Stmt, is_conditional: bool, rewriter: &Rewriter) {
        let now = rewriter.variables.mark();
        let Stmt::Local(Local { init, .. }) = s else {
            self.0 = None;
            return;
        };
        let mut names = Vec::new();
        init.iter().for_each(|i| names_in(i.expr.to_token_stream(), &mut names));
        let since = self.0.unwrap_or(now);
        let uses_one = names.iter().any(|n| rewriter.variables.is_since(&n.unraw().to_string(), since));
        self.0 = match is_conditional {
            true => Some(if uses_one { now } else { since }),
            false => None,
        };
    }
}

impl Rewriter {
    /// A `let` that may be left out has declared the variables since `first`: what stands before it, for those of their names that are
    /// there without it.
    pub(super) fn unless_left_out(&mut self, first: usize, alternatives: &Alternatives) -> Option<Stmt> {
        if !self.full {
            return None;
        }
        let mut copies = Vec::new();
        for Declared { name, slot, before } in self.variables.since(first) {
            let from = match before {
                // What is done to it through a borrow is done to another slot.
                Some(b) if b.changes && alternatives.0.is_none_or(|since| b.at < since) => {
                    self.is_unknowable = true;
                    return None;
                }
                Some(b) => {
                    self.variables.may_change(&name, b.changes);
                    vec![self.variables.origin(b.slot)]
                }
                None => Vec::new(),
            };
            let site = self.site("", "Name", &from, &[slot], "");
            copies.push(quote!(__wengert::track::copied(#site);));
        }
        (!copies.is_empty()).then(|| stmt(when_live(quote!(#(#copies)*))))
    }

    /// An expression that may be left out, and may be the value of its block: what that may have come from, if it is known.
    pub(super) fn may_come_from(&mut self, e: &mut Expr) -> Option<Vec<Origin>> {
        let from = match e {
            Expr::Block(b) if b.label.is_none() => self.block_from(&mut b.block, Given::default()).0,
            e => {
                self.control(e, None);
                let gives_nothing = matches!(e, Expr::If(i) if i.else_branch.is_none());
                return gives_nothing.then(Vec::new);
            }
        };
        // None of them is the value.
        Some(from.into_iter().chain([Origin::Literal(String::new())]).collect())
    }
}
