//! Calls that may be of constructors: what has a capital is one, or a function. Of what a constructor borrows, the life may be extended,
//! and one of constants may be a constant: nothing may be put around those. But what a function changes must be known.

use super::call_at;
use super::effects::{Effects, slots};
use super::rewrite::{Rewriter, prepend, stmt, when_live};
use super::source::{is_constructor, is_variant_of_std, span_of, text};
use super::values::{Given, Origin, root};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::{Block, Expr, ExprCall, Stmt, UnOp};

/// Whether an expression borrows a temporary whose life may be extended beyond it.
fn borrows_temporary(e: &Expr) -> bool {
    match e {
        Expr::Reference(r) => is_temporary(&r.expr) || borrows_temporary(&r.expr),
        Expr::Paren(p) => borrows_temporary(&p.expr),
        Expr::Group(g) => borrows_temporary(&g.expr),
        Expr::Cast(c) => borrows_temporary(&c.expr),
        Expr::Tuple(t) => t.elems.iter().any(borrows_temporary),
        Expr::Array(a) => a.elems.iter().any(borrows_temporary),
        Expr::Struct(s) => s.fields.iter().any(|f| borrows_temporary(&f.expr)),
        Expr::Call(c) => is_constructor(&c.func) && c.args.iter().any(borrows_temporary),
        // Such as `format_args!`.
        Expr::Macro(_) => true,
        e => ends(e).into_iter().any(borrows_temporary),
    }
}

/// Whether a place is that of a value which has no name.
fn is_temporary(place: &Expr) -> bool {
    match place {
        Expr::Path(_) => false,
        Expr::Field(f) => is_temporary(&f.base),
        Expr::Index(i) => is_temporary(&i.expr),
        Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => is_temporary(&u.expr),
        Expr::Paren(p) => is_temporary(&p.expr),
        Expr::Group(g) => is_temporary(&g.expr),
        _ => true,
    }
}

/// The expression that a block ends in.
fn end(block: &Block) -> Option<&Expr> {
    match block.stmts.last() {
        Some(Stmt::Expr(e, None)) => Some(e),
        _ => None,
    }
}

/// The expressions at the ends of the blocks of one.
fn ends(e: &Expr) -> Vec<&Expr> {
    match e {
        Expr::Block(b) => end(&b.block).into_iter().collect(),
        Expr::Unsafe(b) => end(&b.block).into_iter().collect(),
        Expr::If(i) => end(&i.then_branch).into_iter().chain(i.else_branch.iter().map(|(_, e)| &**e)).collect(),
        Expr::Match(m) => m.arms.iter().map(|a| &*a.body).collect(),
        _ => Vec::new(),
    }
}

/// Whether an expression, with reports in it, makes a value that no report has seen, and that may do something when it is dropped.
pub(super) fn makes_unseen(e: &Expr) -> bool {
    match e {
        Expr::Struct(_) => true,
        Expr::Call(c) => !is_variant_of_std(&c.func) || c.args.iter().any(makes_unseen),
        Expr::Tuple(t) => t.elems.iter().any(makes_unseen),
        Expr::Array(a) => a.elems.iter().any(makes_unseen),
        Expr::Repeat(r) => makes_unseen(&r.expr),
        Expr::Paren(p) => makes_unseen(&p.expr),
        Expr::Group(g) => makes_unseen(&g.expr),
        Expr::Reference(r) => makes_unseen(&r.expr),
        Expr::Cast(c) => makes_unseen(&c.expr),
        e => ends(e).into_iter().any(makes_unseen),
    }
}

impl Rewriter {
    /// Whether a call may be of a constructor, by its name.
    fn may_construct(&self, c: &ExprCall) -> bool {
        is_constructor(&c.func) && root(&c.func).is_none_or(|i| self.variables.find(&i.unraw().to_string()).is_none())
    }

    /// Whether it is a variant of the standard library, by its name.
    fn is_variant_of_std(&self, c: &ExprCall) -> bool {
        is_variant_of_std(&c.func) && root(&c.func).is_some_and(|i| !self.declared.contains(&i.to_string()))
    }

    /// Whether a call has no report around it. `extends` says that temporaries in it may live longer.
    pub(super) fn stays_a_constructor(&self, c: &ExprCall, extends: bool) -> bool {
        self.is_variant_of_std(c)
            || self.may_construct(c)
                && (c.args.iter().all(|e| self.may_be_constant(e)) || extends && c.args.iter().any(borrows_temporary))
    }

    /// Whether what is borrowed is made by a constructor: the type that is expected of it reaches that.
    pub(super) fn is_borrowed_constructor(&self, e: &Expr) -> bool {
        match e {
            Expr::Paren(p) => self.is_borrowed_constructor(&p.expr),
            Expr::Group(g) => self.is_borrowed_constructor(&g.expr),
            Expr::Call(c) => self.may_construct(c),
            _ => false,
        }
    }

    /// Whether an expression may be a constant, by what it is made of.
    pub(super) fn may_be_constant(&self, e: &Expr) -> bool {
        let one = |e: &Expr| self.may_be_constant(e);
        match e {
            Expr::Lit(_) => true,
            Expr::Path(p) => {
                let is_hidden = |i: &syn::Ident| {
                    let name = i.unraw().to_string();
                    self.variables.find(&name).is_some()
                        || self.given_to_macros.contains(&name)
                        || self.captures && !name.starts_with(char::is_uppercase)
                };
                self.unsafe_blocks == 0 && !p.path.get_ident().is_some_and(is_hidden)
            }
            Expr::Paren(p) => one(&p.expr),
            Expr::Group(g) => one(&g.expr),
            Expr::Unary(u) => !matches!(u.op, UnOp::Deref(_)) && one(&u.expr),
            Expr::Binary(b) => !super::sites::operator(&b.op).3 && one(&b.left) && one(&b.right),
            Expr::Cast(c) => one(&c.expr),
            Expr::Field(f) => one(&f.base),
            Expr::Index(i) => one(&i.expr) && one(&i.index),
            Expr::Reference(r) => r.mutability.is_none() && one(&r.expr),
            Expr::Tuple(t) => t.elems.iter().all(one),
            Expr::Array(a) => a.elems.iter().all(one),
            Expr::Repeat(r) => one(&r.expr),
            Expr::Range(r) => r.start.iter().chain(&r.end).all(|e| one(e)),
            Expr::Struct(s) => s.rest.is_none() && s.fields.iter().all(|f| one(&f.expr)),
            Expr::Call(c) => self.may_construct(c) && c.args.iter().all(one),
            _ => false,
        }
    }

    /// A call that stays as it is: where its value came from. What it does to variables is reported by what stands around it, and,
    /// where that is a `let`, before it, too.
    pub(super) fn constructor(&mut self, e: &mut Expr, given: &Given) -> Vec<Origin> {
        let (said, span) = (text(e), span_of(e));
        let c = match e {
            Expr::Paren(p) => return self.constructor(&mut p.expr, given),
            Expr::Group(g) => return self.constructor(&mut g.expr, given),
            Expr::Call(c) => c,
            _ => return Vec::new(),
        };
        let is_known = self.is_variant_of_std(c) || c.args.iter().all(|e| self.may_be_constant(e));
        let mut named = Vec::new();
        self.variables.named(c.args.to_token_stream(), &[], &mut named);
        c.args.iter_mut().for_each(|e| self.share(e));
        let inside = Given { extends: given.extends, ..Given::default() };
        let mut from = self.one_after_the_other(c.args.iter_mut(), &inside);
        if is_known {
            return from;
        }
        let effects = &mut self.effects;
        effects.changed.extend(std::mem::take(&mut effects.changes));
        effects.given.extend(slots(&from).filter(|slot| !effects.shared.contains(slot)));
        if given.extends && !(effects.changed.is_empty() && effects.given.is_empty()) {
            let effects = Effects { holds: Vec::new(), ..effects.clone() };
            let site = self.site_with(&said, "Look", &named, &[], "", &effects);
            prepend(vec![stmt(when_live(call_at(span, "wrote", site)))], e);
        }
        // What it is made of is not what it is.
        from.push(Origin::Literal(said));
        from
    }
}
