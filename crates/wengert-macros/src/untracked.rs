//! `untracked!`: the values of an expression are computed while nothing is recorded.
//!
//! A borrow stays outermost, and an expression that is not a block does not become one: temporaries live as long as they
//! did.

use crate::track::own;
use crate::track::source::{is_constructor, ungrouped};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Block, Error, Expr, Result, parse_quote};

/// The input is the path of our crate, which is one token, and then the expression that is not to be recorded.
pub fn expression(input: TokenStream) -> Result<TokenStream> {
    let mut tokens = input.into_iter();
    let Some(path) = tokens.next() else {
        return Err(Error::new(Span::call_site(), "`untracked!` goes around an expression"));
    };
    let body = ungrouped(tokens.collect());
    let silencer = Silencer(path);
    match syn::parse2::<Expr>(body.clone()) {
        Ok(mut e) => {
            silencer.value(&mut e);
            Ok(e.into_token_stream())
        }
        // Several statements, or syntax that only the compiler knows.
        Err(_) => {
            let (first, inner) = (silencer.statement(), quote!({ #body }));
            Ok(quote!({ #first #inner }))
        }
    }
}

/// Writes silences into an expression; it has the path of our crate.
struct Silencer(TokenTree);

impl Silencer {
    fn statement(&self) -> TokenStream {
        let (path, name) = (&self.0, own("__silence"));
        quote!(let #name = #path::track::silence();)
    }

    fn block(&self, block: &mut Block) {
        let first = self.statement();
        block.stmts.insert(0, parse_quote!(#first));
    }

    /// A value. Where a `let` extends the life of what an expression borrows, the borrowed value is computed in the silence
    /// and the borrow stays outside.
    fn value(&self, e: &mut Expr) {
        match e {
            Expr::Reference(r) => self.place(&mut r.expr),
            Expr::Array(a) => a.elems.iter_mut().for_each(|e| self.value(e)),
            Expr::Tuple(t) => t.elems.iter_mut().for_each(|e| self.value(e)),
            Expr::Struct(s) => {
                s.fields.iter_mut().for_each(|f| self.value(&mut f.expr));
                s.rest.iter_mut().for_each(|e| self.value(e));
            }
            Expr::Call(c) if is_constructor(&c.func) => c.args.iter_mut().for_each(|e| self.value(e)),
            Expr::Cast(c) => self.value(&mut c.expr),
            Expr::Paren(p) => self.value(&mut p.expr),
            Expr::Group(g) => self.value(&mut g.expr),
            Expr::Block(b) if b.label.is_none() => self.block(&mut b.block),
            Expr::Unsafe(b) => self.block(&mut b.block),
            Expr::Path(_) | Expr::Lit(_) | Expr::Closure(_) => {}
            e => {
                let path = &self.0;
                *e = parse_quote!(#path::track::silenced(#path::track::silence(), #e));
            }
        }
    }

    /// The operand of a borrow. A place stays one.
    fn place(&self, e: &mut Expr) {
        match e {
            Expr::Field(f) => self.place(&mut f.base),
            Expr::Index(i) => {
                self.place(&mut i.expr);
                self.value(&mut i.index);
            }
            Expr::Unary(u) if matches!(u.op, syn::UnOp::Deref(_)) => self.value(&mut u.expr),
            Expr::Paren(p) => self.place(&mut p.expr),
            Expr::Group(g) => self.place(&mut g.expr),
            e => self.value(e),
        }
    }
}
