//! Assertions: decisions that a run goes on by. What an update makes of one that would fail is an error, as where an `if` goes another way.

use super::effects::only_reads;
use super::rewrite::{Rewriter, has_let, stmt, when_live};
use super::source::{span_of, text};
use super::values::Given;
use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::Parser;
use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Lit, Macro, Stmt, Token, UnOp, parse_quote};

/// Whether a macro, by its name, asserts something.
pub(super) fn asserts(m: &Macro) -> bool {
    let name = m.path.segments.last().map_or(String::new(), |s| s.ident.to_string());
    only_reads(m) && name.trim_start_matches("debug_").starts_with("assert")
}

impl Rewriter {
    /// An assertion, and what reports it, which stands after it: it held.
    pub(super) fn assertion(&mut self, m: &mut Macro) -> Option<Stmt> {
        if !self.full || self.declares_macros {
            return None;
        }
        if let Some(tokens) = self.asserted_condition(m) {
            m.tokens = tokens;
            return None;
        }
        let from = self.named_by_macro(m.tokens.clone());
        if from.is_empty() {
            return None;
        }
        let (span, slot) = (span_of(&m.path), self.new_slot());
        let mut held: Expr = parse_quote!(true);
        self.look(&mut held, span, (&text(m), "Look"), &from, Given { slot: Some(slot), ..Given::default() });
        let report = stmt(when_live(quote!(let _ = #held;)));
        let is_debug = m.path.segments.last().is_some_and(|s| s.ident.to_string().starts_with("debug_"));
        Some(if is_debug { parse_quote!(if cfg!(debug_assertions) { #report }) } else { report })
    }

    /// The tokens of `assert!(a < b)` with reports in the condition, where the macro says the same of it then.
    fn asserted_condition(&mut self, m: &Macro) -> Option<TokenStream> {
        let name = m.path.segments.last()?.ident.to_string();
        if name != "assert" && name != "debug_assert" {
            return None;
        }
        let all = Punctuated::<Expr, Token![,]>::parse_terminated.parse2(m.tokens.clone()).ok()?;
        let mut all = all.into_iter();
        let mut condition = all.next().filter(|e| is_truth(e) && !has_let(e))?;
        let said: Vec<Expr> = all.collect();
        let said = match said.is_empty() {
            true => {
                let shown = printed(&condition)?.replace('{', "{{").replace('}', "}}");
                let message = format!("assertion failed: {shown}");
                quote!(#message)
            }
            false => quote!(#(#said),*),
        };
        // What it changes is told of already.
        let beside = std::mem::take(&mut self.effects);
        self.condition(&mut condition, None, None, None);
        self.effects = beside;
        Some(quote!(#condition, #said))
    }
}

/// Whether an expression is a `bool`, whatever it is made of.
fn is_truth(e: &Expr) -> bool {
    match e {
        Expr::Binary(b) => matches!(
            b.op,
            BinOp::And(_)
                | BinOp::Or(_)
                | BinOp::Eq(_)
                | BinOp::Ne(_)
                | BinOp::Lt(_)
                | BinOp::Le(_)
                | BinOp::Gt(_)
                | BinOp::Ge(_)
        ),
        Expr::Paren(p) => is_truth(&p.expr),
        Expr::Group(g) => is_truth(&g.expr),
        _ => false,
    }
}

/// An expression as the compiler prints it, which an assertion that fails says, if it is short and of plain parts.
fn printed(e: &Expr) -> Option<String> {
    fn all(all: &Punctuated<Expr, Token![,]>) -> Option<String> {
        Some(all.iter().map(one).collect::<Option<Vec<_>>>()?.join(", "))
    }
    fn one(e: &Expr) -> Option<String> {
        Some(match e {
            Expr::Lit(l) if matches!(l.lit, Lit::Int(_) | Lit::Float(_) | Lit::Bool(_)) => quote!(#l).to_string(),
            Expr::Path(p) if p.qself.is_none() && p.path.segments.iter().all(|s| s.arguments.is_empty()) => {
                let names = p.path.segments.iter().map(|s| s.ident.to_string()).collect::<Vec<_>>().join("::");
                if p.path.leading_colon.is_some() { format!("::{names}") } else { names }
            }
            Expr::Binary(b) => {
                let op = b.op;
                format!("{} {} {}", one(&b.left)?, quote!(#op), one(&b.right)?)
            }
            Expr::Unary(u) => {
                let op = match u.op {
                    UnOp::Not(_) => "!",
                    UnOp::Neg(_) => "-",
                    UnOp::Deref(_) => "*",
                    _ => return None,
                };
                format!("{op}{}", one(&u.expr)?)
            }
            Expr::Paren(p) => format!("({})", one(&p.expr)?),
            Expr::Reference(r) if r.mutability.is_none() => format!("&{}", one(&r.expr)?),
            Expr::MethodCall(c) if c.turbofish.is_none() => {
                format!("{}.{}({})", one(&c.receiver)?, c.method, all(&c.args)?)
            }
            Expr::Call(c) => format!("{}({})", one(&c.func)?, all(&c.args)?),
            Expr::Field(f) => {
                let member = &f.member;
                format!("{}.{}", one(&f.base)?, quote!(#member))
            }
            Expr::Index(i) => format!("{}[{}]", one(&i.expr)?, one(&i.index)?),
            _ => return None,
        })
    }
    // The compiler breaks what is long into lines.
    one(e).filter(|said| said.len() <= 50)
}
