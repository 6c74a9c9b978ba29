//! Variables whose values are shown: which types have `Debug` is asked at the end of the function, where all types are known.

use super::own;
use super::rewrite::{Rewriter, stmt, when_live};
use proc_macro2::{Ident, TokenStream};
use quote::quote;
use std::collections::HashSet;
use syn::{Expr, Stmt};

/// The variables that are shown, each by what has its type, and by what says how.
#[derive(Default)]
pub(super) struct Shown {
    all: Vec<(Ident, Ident)>,
    /// The slots whose values were shown by the calls that gave them.
    by_calls: HashSet<u32>,
    /// Whether it is said how.
    is_said: bool,
}

impl Shown {
    /// What says how, in code that is never run, if there is something to say.
    pub(super) fn said(&mut self) -> Option<TokenStream> {
        self.is_said = true;
        let said = self.all.iter().map(|(tie, how)| {
            quote!(
                #tie = __wengert::track::Tie::NEW;
                #how.is((&&#tie).wengert_how());
            )
        });
        (!self.all.is_empty()).then(|| {
            quote!(#[allow(unreachable_code)] if false {
                use __wengert::track::{HasDebug as _, HasNone as _};
                #(#said)*
            })
        })
    }

    /// The variables that say how.
    pub(super) fn declared(&self) -> TokenStream {
        let how = self.all.iter().map(|(_, how)| how);
        match self.is_said {
            true => quote!(#(let #how = __wengert::track::How::NEW;)*),
            false => quote!(#(let #how = __wengert::track::How::<__wengert::track::ByNothing>::NEW;)*),
        }
    }
}

impl Rewriter {
    /// A look at a variable that has got a value, if what gave it did not look; `by_call` says whether that was a call.
    pub(super) fn show(&mut self, variable: &Ident, slot: u32, by_call: bool) -> Option<Stmt> {
        if self.shown.by_calls.remove(&slot) && by_call {
            return None;
        }
        let (set, how) = self.shown_by()?;
        let show = when_live(quote!(__wengert::track::show(&#variable, #set, &#how, #slot);));
        // What gave the value may have left the function.
        Some(stmt(quote!(#[allow(unreachable_code)] #show)))
    }

    /// What a call is given that shows its value.
    pub(super) fn shown_value(&mut self, slot: u32) -> TokenStream {
        match self.shown_by() {
            Some((set, how)) => {
                self.shown.by_calls.insert(slot);
                quote!(#set, &#how)
            }
            None => quote!(&__wengert::track::Tie::NEW, &__wengert::track::How::<__wengert::track::ByNothing>::NEW),
        }
    }

    fn shown_by(&mut self) -> Option<(TokenStream, Ident)> {
        let (tie, set) = self.new_tie()?;
        let how = own(&format!("__how_{}", self.shown.all.len()));
        self.shown.all.push((tie, how.clone()));
        Some((set, how))
    }
}

/// Whether an expression is a call.
pub(super) fn is_call(e: &Expr) -> bool {
    matches!(e, Expr::Call(_) | Expr::MethodCall(_))
}

/// Whether an expression is a number, a text or a function, as it stands.
pub(super) fn is_shown_otherwise(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Cast(_) | Expr::Closure(_) => true,
        Expr::Paren(p) => is_shown_otherwise(&p.expr),
        Expr::Group(g) => is_shown_otherwise(&g.expr),
        Expr::Unary(u) => is_shown_otherwise(&u.expr),
        _ => false,
    }
}
