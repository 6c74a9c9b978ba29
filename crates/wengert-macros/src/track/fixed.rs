//! Values of several parts that a variable keeps as they are: `let p = Point { x: v, y: 2.0 }` without `mut`. What stands in a tuple, a
//! list or a structure where it is made has a slot of its own, and `p.x` is what that has.

use super::call_at;
use super::effects::Effects;
use super::parts::Parts;
use super::places::{is_path, method_at, spot};
use super::rewrite::{Rewriter, stmt, when_live};
use super::source::{bindings_and_changes, text};
use super::values::{Origin, bare_pattern, root};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use std::fmt;
use syn::ext::IdentExt;
use syn::{Expr, ExprLit, Lit, Local, Pat, Stmt, Token, parse_quote};

/// How many parts are told apart.
const MOST: usize = 16;

/// The parts of a variable that is not changed: the name or number of each, and its slot.
pub(super) type FixedParts = Vec<(String, u32)>;

/// A part by its name or number.
enum Member {
    Field(syn::Member),
    Element(usize),
}

impl Member {
    fn of_field(member: &syn::Member) -> Member {
        Member::Field(member.clone())
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Member::Field(syn::Member::Named(i)) => write!(f, ".{}", i.unraw()),
            Member::Field(syn::Member::Unnamed(i)) => write!(f, ".{}", i.index),
            Member::Element(i) => write!(f, "[{i}]"),
        }
    }
}

fn part_of(variable: &Ident, member: &Member) -> Expr {
    match member {
        Member::Field(field) => parse_quote!(#variable.#field),
        Member::Element(i) => parse_quote!(#variable[#i]),
    }
}

/// The parts of an expression that is made of them where it stands.
fn members(e: &Expr) -> Option<Vec<Member>> {
    let members: Vec<Member> = match e {
        Expr::Paren(p) => return members(&p.expr),
        Expr::Group(g) => return members(&g.expr),
        Expr::Tuple(t) if t.elems.iter().all(is_there) => {
            (0..t.elems.len()).map(|i| Member::Field(syn::Member::from(i))).collect()
        }
        Expr::Array(a) if a.elems.iter().all(is_there) => (0..a.elems.len()).map(Member::Element).collect(),
        // Of what the rest has nothing is known here, and what has one field may be a union.
        Expr::Struct(s) if s.rest.is_none() && s.dot2_token.is_none() && s.fields.len() > 1 => {
            let is_there = s.fields.iter().all(|f| f.attrs.is_empty());
            s.fields.iter().filter(|_| is_there).map(|f| Member::of_field(&f.member)).collect()
        }
        _ => return None,
    };
    (1..=MOST).contains(&members.len()).then_some(members)
}

/// Whether an element has no attribute, which may say that it is none.
fn is_there(e: &Expr) -> bool {
    !matches!(e.to_token_stream().into_iter().next(), Some(TokenTree::Punct(p)) if p.as_char() == '#')
}

/// The parts of an expression that has members.
fn values(e: &mut Expr) -> Vec<&mut Expr> {
    match e {
        Expr::Paren(p) => values(&mut p.expr),
        Expr::Group(g) => values(&mut g.expr),
        Expr::Tuple(t) => t.elems.iter_mut().collect(),
        Expr::Array(a) => a.elems.iter_mut().collect(),
        Expr::Struct(s) => {
            // A field that is given by its name alone has an expression of its own now.
            s.fields
                .iter_mut()
                .for_each(|f| _ = f.colon_token.get_or_insert(Token![:](proc_macro2::Span::call_site())));
            s.fields.iter_mut().map(|f| &mut f.expr).collect()
        }
        _ => Vec::new(),
    }
}

/// The parts that a function names of its variables, as `p.x`, `t.0` or `a[0]`: others need no slots.
#[derive(Default)]
pub(super) struct NamedParts {
    parts: HashSet<(String, String)>,
    /// The variables that are taken apart by a pattern: `let (a, b) = t;`.
    taken_apart: HashSet<String>,
}

impl NamedParts {
    pub(super) fn of(body: TokenStream) -> NamedParts {
        let mut named = NamedParts::default();
        named.look_through(body);
        named
    }

    fn look_through(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_mark = |i: Option<usize>, mark: char| matches!(i.and_then(|i| tokens.get(i)), Some(TokenTree::Punct(p)) if p.as_char() == mark);
        for (i, t) in tokens.iter().enumerate() {
            let name = match t {
                TokenTree::Group(g) => {
                    self.look_through(g.stream());
                    continue;
                }
                TokenTree::Ident(name) => name.unraw().to_string(),
                _ => continue,
            };
            let part = match (is_mark(Some(i + 1), '.'), tokens.get(i + 1), tokens.get(i + 2)) {
                (true, _, Some(TokenTree::Ident(part))) => Some(format!(".{}", part.unraw())),
                // `t.0.1` has one literal.
                (true, _, Some(TokenTree::Literal(part))) => {
                    part.to_string().split('.').next().map(|part| format!(".{part}"))
                }
                (_, Some(TokenTree::Group(g)), _) if g.delimiter() == Delimiter::Bracket => {
                    Some(format!("[{}]", g.stream()))
                }
                _ => None,
            };
            if let Some(part) = part {
                self.parts.insert((name, part));
            } else if is_mark(i.checked_sub(1), '=') && is_mark(Some(i + 1), ';') {
                self.taken_apart.insert(name);
            }
        }
    }

    fn has(&self, variable: &str, part: &str) -> bool {
        self.taken_apart.contains(variable) || self.parts.contains(&(variable.to_string(), part.to_string()))
    }
}

impl Rewriter {
    /// A variable gets a value that is made of parts where it stands: what stands before the statement, and after it.
    pub(super) fn bind_fixed(&mut self, local: &mut Local) -> Option<(Stmt, Vec<Stmt>)> {
        let name = match bare_pattern(&local.pat) {
            Pat::Ident(p) => p.ident.clone(),
            _ => return None,
        };
        let shown = name.unraw().to_string();
        let e = &mut *local.init.as_mut()?.expr;
        let members = members(e).filter(|all| all.iter().any(|m| self.named_parts.has(&shown, &m.to_string())))?;
        let label = text(e);
        let slots: Vec<u32> = members.iter().map(|_| self.new_slot()).collect();
        let parts = Parts::Several(slots.iter().copied().map(Parts::One).collect());
        let forget = self.forget_parts(&parts);
        values(e).into_iter().zip(&slots).for_each(|(e, slot)| self.value_in_parts(e, &Parts::One(*slot)));
        let is_exact = |slot: &u32| !self.loose.iter().any(|(of, _)| of == slot);
        let all_exact = slots.iter().all(is_exact);
        let fixed: Vec<(Member, u32)> = members.into_iter().zip(slots).filter(|(_, slot)| is_exact(slot)).collect();
        let held = self.take_held();
        let from = self.take_parts(&parts);
        let whole = self.new_slot();
        let site = self.site_with(&label, "Look", &from, &[whole], &shown, &held);
        let mut reports = vec![call_at(name.span(), "bound", quote!(&#name, #site))];
        // A part that is no number may be changed through what it refers to.
        for (member, slot) in &fixed {
            let (place, forget): (Expr, _) = (part_of(&name, member), self.site("", "Name", &[], &[*slot], ""));
            let (spot, check) = (spot(&place), method_at(name.span(), "part", forget));
            reports.push(quote!(#spot #check));
        }
        if all_exact {
            let from: Vec<Origin> = fixed.iter().map(|(_, slot)| Origin::Slot(*slot)).collect();
            let site = self.site(&label, "Look", &from, &[whole], "");
            reports.push(call_at(name.span(), "gathered", quote!(&#name, #site)));
        }
        self.variables.declare(&name, whole, false);
        self.fixed_parts.insert(whole, fixed.into_iter().map(|(m, slot)| (m.to_string(), slot)).collect());
        Some((forget, vec![stmt(when_live(quote!(#(#reports;)*)))]))
    }

    /// The parts of a variable, and its slot.
    fn fixed_parts_of(&self, variable: &Expr) -> Option<(&FixedParts, u32)> {
        let name = root(variable).filter(|_| is_path(variable))?.unraw().to_string();
        let (slot, _) = self.variables.find(&name).filter(|_| !self.given_to_macros.contains(&name))?;
        Some((self.fixed_parts.get(&slot)?, slot))
    }

    /// The slots of `p.x`, `t.0` or `a[0]` and of the variable, where that has its parts for good.
    pub(super) fn fixed_part(&self, e: &Expr) -> Option<[u32; 2]> {
        let (of, member) = match e {
            Expr::Paren(p) => return self.fixed_part(&p.expr),
            Expr::Field(f) => (&*f.base, Member::of_field(&f.member)),
            Expr::Index(i) => match &*i.index {
                Expr::Lit(ExprLit { lit: Lit::Int(n), .. }) => (&*i.expr, Member::Element(n.base10_parse().ok()?)),
                _ => return None,
            },
            _ => return None,
        };
        let (parts, whole) = self.fixed_parts_of(of)?;
        parts.iter().find(|(name, _)| *name == member.to_string()).map(|(_, slot)| [*slot, whole])
    }

    /// A field or an element that is looked at: where it came from, what the look is called, and what it does.
    pub(super) fn looked_at(&mut self, e: &mut Expr) -> (Vec<Origin>, String, &'static str) {
        let label = text(e);
        match self.fixed_part(e) {
            Some(slots) => (slots.map(Origin::Slot).to_vec(), label, "PartOf"),
            None => (self.place(e), label, "Look"),
        }
    }

    /// A variable gets a part of another: what reports it.
    pub(super) fn bind_part(&mut self, name: &Ident, changes: bool, label: &str, part: [u32; 2]) -> Stmt {
        let (slot, held) = (self.new_slot(), self.take_held());
        let shown = name.unraw().to_string();
        let site = self.site_with(label, "PartOf", &part.map(Origin::Slot), &[slot], &shown, &held);
        self.variables.declare(name, slot, changes);
        let call = call_at(name.span(), "bound", quote!(&#name, #site));
        stmt(when_live(quote!(#call;)))
    }

    /// `let (a, b) = t`, where `t` has its parts for good.
    pub(super) fn bind_fixed_parts(&mut self, pattern: &Pat, e: &Expr, held: &Effects) -> Option<Vec<Stmt>> {
        let all: Vec<&Pat> = match bare_pattern(pattern) {
            Pat::Tuple(t) => t.elems.iter().collect(),
            Pat::Slice(s) => s.elems.iter().collect(),
            _ => return None,
        };
        let is_name = |p: &&Pat| {
            matches!(p, Pat::Ident(i) if i.by_ref.is_none() && i.subpat.is_none()) || matches!(p, Pat::Wild(_))
        };
        let (parts, whole) = self.fixed_parts_of(e)?;
        let numbered =
            parts.iter().enumerate().all(|(i, (name, _))| *name == format!(".{i}") || *name == format!("[{i}]"));
        if !numbered || parts.len() != all.len() || !all.iter().all(is_name) {
            return None;
        }
        let (slots, label) = (parts.iter().map(|(_, slot)| *slot).collect::<Vec<u32>>(), text(pattern));
        let mut reports = Vec::new();
        for (p, slot) in all.into_iter().zip(slots) {
            for (name, changes) in bindings_and_changes(p, true) {
                self.effects = held.clone();
                reports.push(self.bind_part(&name, changes, &label, [slot, whole]));
            }
        }
        Some(reports)
    }
}
