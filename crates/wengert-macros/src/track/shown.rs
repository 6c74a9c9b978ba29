//! Variables whose values are shown: which types have `Debug` is asked at the end of the function, where all types are known.

use super::rewrite::{Rewriter, stmt, take, when_live};
use super::{call_at, own};
use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::{Expr, Stmt};

/// The variables that are shown, each by what has its type, and by what says how.
#[derive(Default)]
pub(super) struct Shown {
    all: Vec<(Ident, Ident)>,
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
    /// A look at a variable that has got a value.
    pub(super) fn show(&mut self, variable: &Ident, slot: u32) -> Option<Stmt> {
        let (tie, set) = self.new_tie()?;
        let how = own(&format!("__how_{}", self.shown.all.len()));
        let show = stmt(when_live(quote!(__wengert::track::show(&#variable, #set, &#how, #slot);)));
        self.shown.all.push((tie, how));
        Some(show)
    }
}

impl Rewriter {
    /// A look at a value that goes on.
    pub(super) fn show_value(&mut self, e: &mut Expr, span: Span, slot: u32) {
        if let Some((tie, set)) = self.new_tie() {
            let how = own(&format!("__how_{}", self.shown.all.len()));
            let (live, inner) = (own("__live"), take(e));
            *e = Expr::Verbatim(call_at(span, "shown", quote!(#inner, #live, #set, &#how, #slot)));
            self.shown.all.push((tie, how));
        }
    }
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
