//! Which functions are called: a call that is looked at has with it the type of the function, or of what a method is called of. By its
//! name alone, a function that is not tracked could be taken for the tracked one that it calls.

use super::places::names_in;
use super::rewrite::{Rewriter, take};
use super::source::span_of;
use super::values::{Given, Origin, root};
use super::{call_at, own};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::{BinOp, Expr, UnOp};

/// What is known of the function that an expression calls.
pub(super) enum Called {
    Unknown,
    /// The variable that has its type.
    Path(Ident),
    /// The variable that has the type of what the method is called of.
    MethodOfValue(Ident),
    /// What gives the type of the place that the method is called of.
    MethodOfPlace(TokenStream),
    /// A tracked closure that the function has made.
    Closure,
}

impl Rewriter {
    /// A variable for a type. It gets a value right before each use: so nothing in the type lives longer than the expression.
    pub(super) fn new_tie(&mut self) -> Option<(Ident, TokenStream)> {
        if self.has_conditional_parts {
            return None;
        }
        let tie = own(&format!("__tie_{}", self.ties.len()));
        self.ties.push(tie.clone());
        let set = quote!({ #tie = __wengert::track::Tie::NEW; &#tie });
        Some((tie, set))
    }

    /// The variables for types that tokens have.
    pub(super) fn ties_in(&self, tokens: TokenStream) -> Vec<&Ident> {
        let mut names = Vec::new();
        names_in(tokens, &mut names);
        let names: HashSet<Ident> = names.into_iter().collect();
        self.ties.iter().filter(|t| names.contains(*t)).collect()
    }

    /// A path that is called. In a closure, or given to a macro, a name may be that of a variable.
    pub(super) fn tie_path(&mut self, f: &mut Expr) -> Called {
        let Expr::Path(p) = &*f else { return Called::Unknown };
        let may_be_variable = |i: &Ident| self.captures || self.given_to_macros.contains(&i.unraw().to_string());
        if p.path.get_ident().is_some_and(may_be_variable) || !p.attrs.is_empty() {
            return Called::Unknown;
        }
        let is_declared_here = |s: &syn::PathSegment| self.declared.contains(&s.ident.unraw().to_string());
        if p.path.segments.first().is_some_and(is_declared_here) {
            return Called::Unknown;
        }
        let Some((tie, set)) = self.new_tie() else { return Called::Unknown };
        let (span, path) = (span_of(f), take(f));
        *f = Expr::Verbatim(call_at(span, "tie", quote!(&#path, #set)));
        Called::Path(tie)
    }

    /// The place that a method is called of, if finding it again would do nothing. Before its reports are put in.
    pub(super) fn place_of_receiver(&self, e: &Expr) -> Option<Called> {
        if self.declares_types {
            return None;
        }
        let again = self.again_without_moves(e)?;
        let tie = own("__tie");
        Some(Called::MethodOfPlace(quote!(&{
            let #tie = __wengert::track::Tie::NEW;
            if false {
                __wengert::track::tie_place(::core::ptr::addr_of!(#again), &#tie);
            }
            #tie
        })))
    }

    /// A place of a variable, which may stand in the source twice.
    fn again_without_moves(&self, e: &Expr) -> Option<TokenStream> {
        Some(match e {
            Expr::Path(_) => root(e)
                .filter(|i| self.variables.find(&i.unraw().to_string()).is_some())
                .map(ToTokens::to_token_stream)?,
            Expr::Field(f) if f.attrs.is_empty() => {
                let (base, member) = (self.again_without_moves(&f.base)?, &f.member);
                quote!(#base.#member)
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => {
                let inner = self.again_without_moves(&u.expr)?;
                quote!((*#inner))
            }
            Expr::Paren(p) => self.again_without_moves(&p.expr)?,
            Expr::Index(i) if is_number(&i.index) => {
                let (list, index) = (self.again_without_moves(&i.expr)?, &i.index);
                quote!(#list[__wengert::track::of_type(&(#index))])
            }
            _ => return None,
        })
    }

    /// A value that a method is called of, with its reports.
    pub(super) fn tie_receiver(&mut self, e: &mut Expr) -> Called {
        match e {
            _ if self.declares_types => Called::Unknown,
            Expr::Paren(p) => self.tie_receiver(&mut p.expr),
            Expr::Verbatim(_) => {
                let Some((tie, set)) = self.new_tie() else { return Called::Unknown };
                let (span, value) = (span_of(e), take(e));
                *e = Expr::Verbatim(call_at(span, "tie_value", quote!(#value, #set)));
                Called::MethodOfValue(tie)
            }
            _ => Called::Unknown,
        }
    }

    /// [`Rewriter::look`] at what a call gave.
    pub(super) fn look_at_call(
        &mut self,
        e: &mut Expr,
        span: Span,
        (label, how): (&str, &str),
        from: &[Origin],
        given: Given,
        called: Called,
    ) -> Vec<Origin> {
        let slot = given.slot.unwrap_or_else(|| self.new_slot());
        let effects = std::mem::take(&mut self.effects);
        let site = self.site_with(label, how, from, &[slot], &given.name, &effects);
        let (live, inner) = (own("__live"), take(e));
        let shown = self.shown_value(slot);
        *e = Expr::Verbatim(match called {
            Called::Unknown => call_at(span, "called_unknown", quote!(#inner, #live, #site, #shown)),
            Called::Closure => call_at(span, "called_closure", quote!(#inner, #live, #site, #shown)),
            Called::Path(tie) => call_at(span, "called", quote!(#inner, #live, #site, &#tie, #shown)),
            Called::MethodOfValue(tie) => call_at(span, "called_of_value", quote!(#inner, #live, #site, &#tie, #shown)),
            Called::MethodOfPlace(tie) => call_at(span, "called_of", quote!(#tie, #inner, #live, #site, #shown)),
        });
        vec![self.variables.origin(slot)]
    }
}

/// An index that is a number made of variables.
fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Path(p) => p.path.get_ident().is_some(),
        Expr::Field(f) => is_number(&f.base),
        Expr::Paren(p) => is_number(&p.expr),
        Expr::Unary(u) => is_number(&u.expr),
        Expr::Binary(b) => {
            matches!(b.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Rem(_) | BinOp::Div(_))
                && is_number(&b.left)
                && is_number(&b.right)
        }
        _ => false,
    }
}
