//! The values of a function: each expression that computes one is passed through a function that looks at it, and the source
//! says which variables and expressions its operands are.
//!
//! Only what is a value already is passed on. A place stays a place, a borrow stays outermost, and nothing that extends the
//! life of a temporary is touched: names, borrows and drops mean what they meant.

use super::asserted::asserts;
use super::callees::Called;
use super::constructors::makes_unseen;
use super::effects::{Effects, slots, takes_address};
use super::numbers::is_number_type;
use super::order::is_named;
use super::places::is_path;
use super::rewrite::{Rewriter, is_plain, stmt, take, when_live};
use super::sites::operator;
use super::source::{bindings, has_macro, has_ref_mut, is_place, span_of, text};
use super::{call_at, own};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{BinOp, Expr, Pat, Stmt, Token, UnOp};

/// Where a value came from.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Origin {
    /// A variable or an expression, and since when what it has is meant.
    Slot(u32, Since),
    /// What stands in the source, as an operand.
    Literal(String),
}

/// How often a slot had got something before: what gets another value since is not meant.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Since(pub(super) usize);

/// The same slot is the same origin at any time.
impl PartialEq for Since {
    fn eq(&self, _: &Since) -> bool {
        true
    }
}

impl Origin {
    /// The slot that a value was to be given to, to compare with.
    pub(super) fn given(slot: u32) -> Origin {
        Origin::Slot(slot, Since::default())
    }
}

/// What a value is given to: a slot, and the variable that has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) slot: Option<u32>,
    pub(super) name: String,
    /// Whether temporaries of the expression may live longer than it: a macro must stay outermost then.
    pub(super) extends: bool,
}

/// The variable that a place is, or is a part of.
pub(super) fn root(e: &Expr) -> Option<&Ident> {
    match e {
        Expr::Path(p) => p.path.get_ident(),
        Expr::Field(f) => root(&f.base),
        Expr::Index(i) => root(&i.expr),
        Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => root(&u.expr),
        Expr::Paren(p) => root(&p.expr),
        Expr::Group(g) => root(&g.expr),
        _ => None,
    }
}

/// Whether an expression is a macro, or a part of something, or refers to one.
fn is_macro_or_part(e: &Expr) -> bool {
    match e {
        Expr::Macro(_) | Expr::Field(_) | Expr::Index(_) => true,
        Expr::Paren(p) => is_macro_or_part(&p.expr),
        Expr::Group(g) => is_macro_or_part(&g.expr),
        Expr::Reference(r) => is_macro_or_part(&r.expr),
        Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => is_macro_or_part(&u.expr),
        _ => false,
    }
}

/// Whether an expression has a struct with its fields in it, as it stands.
fn is_record(e: &Expr) -> bool {
    match e {
        Expr::Struct(_) => true,
        Expr::Paren(p) => is_record(&p.expr),
        Expr::Group(g) => is_record(&g.expr),
        Expr::Reference(r) => is_record(&r.expr),
        Expr::Tuple(t) => t.elems.iter().any(is_record),
        Expr::Array(a) => a.elems.iter().any(is_record),
        _ => false,
    }
}

/// Whether a macro, by its name, does not give a value.
pub(super) fn leaves(m: &syn::Macro) -> bool {
    let leaving = ["panic", "todo", "unreachable", "unimplemented", "bail"];
    m.path.segments.last().is_some_and(|s| leaving.iter().any(|l| s.ident == l))
}

/// Whether evaluating an expression does nothing but arithmetic of what is there.
fn only_computes(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Paren(p) => only_computes(&p.expr),
        Expr::Group(g) => only_computes(&g.expr),
        Expr::Unary(u) => only_computes(&u.expr),
        Expr::Field(f) => only_computes(&f.base),
        Expr::Index(i) => only_computes(&i.expr) && only_computes(&i.index),
        Expr::Cast(c) => only_computes(&c.expr),
        Expr::Reference(r) => r.mutability.is_none() && only_computes(&r.expr),
        Expr::Tuple(t) => t.elems.iter().all(only_computes),
        Expr::Array(a) => a.elems.iter().all(only_computes),
        Expr::Binary(b) => !operator(&b.op).3 && only_computes(&b.left) && only_computes(&b.right),
        _ => false,
    }
}

fn is_borrow(e: &Expr) -> bool {
    match e {
        Expr::Reference(_) | Expr::RawAddr(_) => true,
        Expr::Paren(p) => is_borrow(&p.expr),
        Expr::Group(g) => is_borrow(&g.expr),
        Expr::Cast(c) => is_borrow(&c.expr),
        _ => false,
    }
}

impl Rewriter {
    pub(super) fn new_slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    /// What a value is given to that goes to a slot.
    pub(super) fn given_to(&self, slot: u32) -> Given {
        let (name, extends) = self.blocks_of_slots.get(&slot).cloned().unwrap_or_default();
        Given { slot: Some(slot), name, extends }
    }

    /// What the value may have borrowed that was evaluated last.
    pub(super) fn take_held(&mut self) -> Effects {
        let Effects { holds, changed, given, .. } = std::mem::take(&mut self.effects);
        Effects { holds, changed, given, ..Effects::default() }
    }

    /// Passes the value of an expression through a function that looks at it.
    pub(super) fn look(
        &mut self,
        e: &mut Expr,
        span: Span,
        (label, how): (&str, &str),
        from: &[Origin],
        given: Given,
    ) -> Vec<Origin> {
        self.look_at_call(e, span, (label, how), from, given, Called::Unknown)
    }

    /// A variable, or what stands in the source.
    fn name_or_text(&self, e: &Expr) -> Vec<Origin> {
        let slot =
            root(e).filter(|_| matches!(e, Expr::Path(_))).and_then(|i| self.variables.find(&i.unraw().to_string()));
        match slot {
            Some((slot, _)) => vec![self.variables.origin(slot)],
            None => vec![Origin::Literal(text(e))],
        }
    }

    /// An expression whose value is used, with reports in it: where its value came from. Either it was given to the slot that
    /// it is for, or it is that of variables and of what stands in the source.
    pub(super) fn value(&mut self, e: &mut Expr, given: Given) -> Vec<Origin> {
        if !self.full {
            self.control(e, None);
            return Vec::new();
        }
        // What stands beside it is done by what is around both.
        let beside = std::mem::take(&mut self.effects);
        let from = self.value_by_itself(e, given);
        let own = std::mem::replace(&mut self.effects, beside);
        self.effects.add(own);
        from
    }

    fn value_by_itself(&mut self, e: &mut Expr, given: Given) -> Vec<Origin> {
        let span = match &*e {
            Expr::MethodCall(m) => m.method.span(),
            e => span_of(e),
        };
        if let (Some(slot), Expr::Tuple(_) | Expr::Array(_)) = (given.slot, &*e)
            && let Some(parts) = self.parts_of_slots.get(&slot).cloned()
        {
            self.value_in_parts(e, &parts);
            return vec![self.variables.origin(slot)];
        }
        if let Some(from) = self.call_of_number(e, span, &given).or_else(|| self.method_of_number(e, span, &given)) {
            return from;
        }
        let inside = Given { extends: given.extends, ..Given::default() };
        match e {
            Expr::Lit(_) => vec![Origin::Literal(text(e))],
            Expr::Path(_) => self.name_or_text(e),
            Expr::Paren(p) => self.value(&mut p.expr, given),
            Expr::Group(g) => self.value(&mut g.expr, given),
            Expr::Reference(r) if r.mutability.is_none() && !is_plain(&r.expr) && self.may_be_constant(&r.expr) => {
                vec![Origin::Literal(text(&r.expr))]
            }
            Expr::Reference(r) if r.mutability.is_none() && self.is_borrowed_constructor(&r.expr) => {
                self.constructor(&mut r.expr, &given)
            }
            Expr::Reference(r) => {
                let (was_place, borrowed) = (is_place(&r.expr), (*r.expr).clone());
                self.is_unknowable |= r.mutability.is_some() && self.is_elsewhere(&borrowed);
                let mut from = self.place_or_value(&mut r.expr, given);
                if r.mutability.is_some() {
                    self.change(&borrowed);
                    from = self.variables.now(&from);
                }
                // What is wanted behind the borrow may be what the value derefs to, and must not be asked of the value itself:
                // through a field, no type is expected of it.
                if let (Expr::Verbatim(looked_at), false) = (&*r.expr, was_place) {
                    *r.expr = Expr::Verbatim(quote!((#looked_at,).0));
                }
                from
            }
            Expr::RawAddr(r) => {
                self.is_unknowable |= self.is_elsewhere(&r.expr);
                let from = self.place_or_value(&mut r.expr, Given::default());
                if matches!(r.mutability, syn::PointerMutability::Mut(_)) {
                    self.change(&r.expr.clone());
                }
                self.variables.now(&from)
            }
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.place_or_value(&mut u.expr, Given::default()),
            Expr::Unary(u) if matches!(u.op, UnOp::Neg(_)) && matches!(*u.expr, Expr::Lit(_)) => {
                vec![Origin::Literal(text(e))]
            }
            Expr::Unary(u) => {
                let (label, how) = if matches!(u.op, UnOp::Neg(_)) { ("-", "Neg") } else { ("!", "Not") };
                let is_block = ends_in_block(&u.expr);
                let from = self.number(&mut u.expr);
                let how = if from.len() == 1 { how } else { "Other" };
                if !is_block && !is_path(&u.expr) {
                    let mut inner = take(&mut u.expr);
                    while let Expr::Paren(p) = inner {
                        inner = *p.expr;
                    }
                    *u.expr = Expr::Verbatim(call_at(span_of(&inner), "operand", quote!(#inner)));
                }
                self.look(e, span, (label, how), &from, given)
            }
            Expr::Binary(b) if matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => self.short_circuit(e, given),
            Expr::Binary(b) => {
                let (label, how, compares, assigns) = operator(&b.op);
                if assigns {
                    return self.change_by(e);
                }
                if compares {
                    return self.compare(e, span, (label, how), given);
                }
                let left_changes = self.changes_in(&b.left, &[&*b.right]);
                let left = self.evaluated(&mut b.left, true, |of, e| {
                    let from = of.number(e);
                    if left_changes { of.look(e, span, ("", "Name"), &from, Given::default()) } else { from }
                });
                let right = self.number(&mut b.right);
                let left = self.settled(&mut b.left, left);
                self.look_at_two(e, span, (label, how), [left, right], given)
            }
            Expr::Assign(_) => self.assign(e),
            Expr::Call(c) if self.stays_a_constructor(c, given.extends) => self.constructor(e, &given),
            Expr::Call(c) => {
                let local = root(&c.func).and_then(|i| self.variables.find(&i.unraw().to_string()));
                let tracked = local.and_then(|(slot, _)| Some((slot, self.tracked_closures.get(&slot)?.clone())));
                let (label, how) = match (&*c.func, local) {
                    _ if tracked.is_some() => (tracked.as_ref().map_or(String::new(), |t| t.1.clone()), "Call"),
                    (Expr::Path(p), None) => {
                        (p.path.segments.last().map_or(String::new(), |s| s.ident.unraw().to_string()), "Call")
                    }
                    (f, _) => (text(f), "CallOfVariable"),
                };
                let mut from = match local {
                    Some((slot, _)) => vec![self.variables.origin(slot)],
                    None => Vec::new(),
                };
                let called = match (&*c.func, local) {
                    _ if tracked.is_some() => Called::Closure,
                    (Expr::Path(_), None) => self.tie_path(&mut c.func),
                    (Expr::Path(_), Some(_)) => Called::Unknown,
                    _ => {
                        from.extend(self.place_or_value(&mut c.func, Given::default()));
                        Called::Unknown
                    }
                };
                // What a variable holds is not among the arguments of a call that is recorded.
                let held = if how == "Call" { from.len() } else { 0 };
                from.drain(..held);
                let arguments = self.arguments(&mut c.args);
                from = self.variables.now(&from);
                from.extend(arguments);
                self.effects.through.extend(tracked.map(|(slot, _)| slot));
                self.look_at_call(e, span, (&label, how), &from, given, called)
            }
            Expr::MethodCall(m) => {
                let label = m.method.unraw().to_string();
                let was = self.as_it_was(&m.receiver, &m.args.iter().collect::<Vec<_>>());
                let place = self.place_of_receiver(&m.receiver);
                let is_place = is_named(&m.receiver);
                let of = self.evaluated(&mut m.receiver, false, |of, e| of.place_or_value(e, Given::default()));
                let receiver = m.receiver.clone();
                let called = place.unwrap_or_else(|| self.tie_receiver(&mut m.receiver));
                let arguments = self.arguments(&mut m.args);
                // A place is borrowed when the arguments are there.
                let mut from = match is_place {
                    true => self.variables.now(&of.from),
                    false => self.settled(&mut m.receiver, of),
                };
                from.extend(arguments);
                self.change_if_mutable(&receiver, &label);
                if let Some((slot, _)) = was {
                    from[0] = self.variables.origin(slot);
                }
                let slot = self.look_at_call(e, span, (&label, "Call"), &from, given, called);
                if let Some((_, report)) = was {
                    self.after(e, span, report);
                }
                slot
            }
            Expr::Cast(c) => {
                let label = format!("as {}", text(&c.ty));
                if is_number_type(&c.ty) {
                    let from = self.number(&mut c.expr);
                    let how = if from.len() == 1 { "Cast" } else { "Other" };
                    return self.look(e, span, (&label, how), &from, given);
                }
                let from = self.value(&mut c.expr, inside);
                if is_borrow(e) { from } else { self.look(e, span, (&label, "Other"), &from, given) }
            }
            Expr::Field(_) | Expr::Index(_) => self.place(e),
            Expr::Range(r) => {
                let parts = r.start.iter_mut().chain(&mut r.end);
                self.one_after_the_other(parts.map(|e| &mut **e), &Given::default())
            }
            Expr::Tuple(t) => self.one_after_the_other(t.elems.iter_mut(), &inside),
            Expr::Array(a) => self.one_after_the_other(a.elems.iter_mut(), &inside),
            Expr::Repeat(r) => self.value(&mut r.expr, inside),
            Expr::Struct(_) => self.fields(e, &inside),
            Expr::Macro(m) if asserts(&m.mac) => {
                self.change_in_macro(&m.mac);
                if let Some(held) = self.assertion(&mut m.mac) {
                    let asserted = take(e);
                    *e = syn::parse_quote!({ #asserted; #held });
                }
                Vec::new()
            }
            Expr::Macro(m) => {
                let from = self.named_by_macro(m.mac.tokens.clone());
                self.is_unknowable |= from.is_empty() && takes_address(&m.mac);
                self.change_in_macro(&m.mac);
                let from = self.variables.now(&from);
                self.effects.changed.extend(self.changed_by_local_macros());
                if leaves(&m.mac) || given.extends {
                    return from;
                }
                let label = text(e);
                self.look(e, span, (&label, "Look"), &from, given)
            }
            Expr::Closure(c) => {
                let mut from = Vec::new();
                let parameters: Vec<Ident> = c.inputs.iter().flat_map(|p| bindings(p, true)).collect();
                self.variables.named(c.body.to_token_stream(), &parameters, &mut from);
                self.change_in_closure(c.body.to_token_stream(), &parameters);
                self.variables.now(&from)
            }
            // What it names it has until it is polled, and changes then.
            Expr::Async(a) => {
                let mut from = Vec::new();
                self.variables.named(a.block.to_token_stream(), &[], &mut from);
                self.change_in_closure(a.block.to_token_stream(), &[]);
                self.variables.now(&from)
            }
            Expr::Try(_) => {
                let from = self.lower_try(e);
                self.look(e, span, ("?", "Look"), &from, given)
            }
            Expr::If(_) | Expr::Match(_) | Expr::Loop(_) | Expr::Block(_) | Expr::Unsafe(_) => {
                let slot = given.slot.unwrap_or_else(|| self.new_slot());
                self.blocks_of_slots.insert(slot, (given.name, given.extends));
                self.control(e, Some(slot));
                let all = std::mem::take(&mut self.loose).into_iter();
                let (loose, others): (Vec<_>, Vec<_>) = all.partition(|(of, _)| *of == slot);
                self.loose = others;
                let loose = loose.into_iter().map(|(_, origin)| origin);
                std::iter::once(self.variables.origin(slot)).chain(loose).collect()
            }
            e => {
                self.control(e, None);
                Vec::new()
            }
        }
    }

    /// The fields of a struct: `Point { x }` has no expression of its own to change.
    fn fields(&mut self, e: &mut Expr, given: &Given) -> Vec<Origin> {
        let Expr::Struct(s) = e else { return Vec::new() };
        let mut from = Vec::new();
        let all: Vec<Expr> = s.fields.iter().map(|f| f.expr.clone()).collect();
        let mut parts = Vec::new();
        for (f, later) in s.fields.iter_mut().zip(1..) {
            let stays = f.colon_token.is_none() && matches!(f.member, syn::Member::Named(_));
            if stays && !self.changes_in(&f.expr, &all[later..].iter().chain(&self.later).collect::<Vec<_>>()) {
                parts.push((true, self.evaluated(&mut f.expr, false, |of, e| of.name_or_text(e))));
                continue;
            }
            f.colon_token = Some(Default::default());
            let others = later < all.len() || s.rest.is_some();
            let part = self.evaluated(&mut f.expr, others, |of, e| of.part_before(e, &all[later..], given));
            parts.push((false, part));
        }
        let rest = s.rest.as_mut().map(|rest| self.place_or_value(rest, Given::default()));
        for (f, (stays, part)) in s.fields.iter_mut().zip(parts) {
            let was = part.from.clone();
            let now = self.settled(&mut f.expr, part);
            if stays && now != was {
                f.colon_token = Some(Default::default());
            }
            from.extend(now);
        }
        from.extend(rest.into_iter().flatten());
        from
    }

    /// The parts of a value, in the order that they are evaluated in.
    pub(super) fn one_after_the_other<'e>(
        &mut self,
        parts: impl Iterator<Item = &'e mut Expr>,
        given: &Given,
    ) -> Vec<Origin> {
        let mut parts: Vec<&mut Expr> = parts.collect();
        if self.later.is_empty() && parts.iter().all(|e| only_computes(e)) {
            return parts.into_iter().flat_map(|e| self.value(e, given.clone())).collect();
        }
        let all: Vec<Expr> = parts.iter().map(|e| (**e).clone()).collect();
        let mut evaluated = Vec::new();
        for (e, later) in parts.iter_mut().zip(1..) {
            evaluated.push(self.evaluated(e, later < all.len(), |of, e| of.part_before(e, &all[later..], given)));
        }
        parts.iter_mut().zip(evaluated).flat_map(|(e, part)| self.settled(e, part)).collect()
    }

    /// A part of a value, before others are evaluated that may change what it is, or is made of.
    fn part_before(&mut self, e: &mut Expr, others: &[Expr], given: &Given) -> Vec<Origin> {
        let known = self.later.len();
        self.later.extend_from_slice(others);
        let from = match self.changes_in(e, &self.later.iter().collect::<Vec<_>>()) {
            true => {
                let span = span_of(e);
                let from = self.value(e, Given::default());
                self.look(e, span, ("", "Name"), &from, Given::default())
            }
            false => self.value(e, given.clone()),
        };
        self.later.truncate(known);
        from
    }

    /// What an operator makes of two operands; of what has another number of origins nobody knows what is one.
    pub(super) fn look_at_two(
        &mut self,
        e: &mut Expr,
        span: Span,
        (label, how): (&str, &str),
        operands: [Vec<Origin>; 2],
        given: Given,
    ) -> Vec<Origin> {
        let how = if operands.iter().all(|from| from.len() == 1) { how } else { "Other" };
        self.look(e, span, (label, how), &operands.concat(), given)
    }

    fn arguments(&mut self, all: &mut Punctuated<Expr, Token![,]>) -> Vec<Origin> {
        let given: Vec<Expr> = all.iter().cloned().collect();
        let mut parts = Vec::new();
        for (i, e) in all.iter_mut().enumerate() {
            let later: Vec<&Expr> = given[i + 1..].iter().collect();
            let changes = self.changes_in(e, &later);
            self.share(e);
            parts.push(self.evaluated(e, !later.is_empty(), |of, e| {
                let from = of.value(e, Given::default());
                // One operand for each argument, where that is possible.
                match from.len() {
                    0 => vec![Origin::Literal(text(&given[i]))],
                    // The function may name the fields in another order.
                    2.. if is_record(&given[i]) && slots(&from).next().is_some() => {
                        of.look(e, span_of(&given[i]), (&text(&given[i]), "Look"), &from, Given::default())
                    }
                    // What a macro makes of the variable that it names is not that variable, and neither is a part of it.
                    1 if is_macro_or_part(&given[i]) => vec![from[0].clone(), Origin::Literal(text(&given[i]))],
                    _ if changes => of.look(e, span_of(&given[i]), ("", "Name"), &from, Given::default()),
                    _ => from,
                }
            }));
        }
        all.iter_mut().zip(parts).flat_map(|(e, part)| self.settled(e, part)).collect()
    }

    /// Whether an expression is a variable, or what one refers to, that may get another value while those after it are evaluated: a
    /// look at it then would come too late.
    pub(super) fn changes_in(&self, e: &Expr, later: &[&Expr]) -> bool {
        let name = match e {
            Expr::Paren(p) => return self.changes_in(&p.expr, later),
            Expr::Path(_) => root(e).map(|i| i.unraw().to_string()),
            // Whoever may change it needs no name that is known here.
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => return !later.iter().all(|e| only_computes(e)),
            _ => None,
        };
        let Some((slot, true)) = name.and_then(|n| self.variables.find(&n)) else { return false };
        later.iter().any(|e| self.variables.changed_in(e.to_token_stream(), &[], false).iter().any(|c| c.1 == slot))
    }

    /// What keeps the node of a variable, before it gets another value, for what stays in its place: a slot that has it.
    pub(super) fn as_it_was(&mut self, e: &Expr, later: &[&Expr]) -> Option<(u32, TokenStream)> {
        if !self.changes_in(e, later) {
            return None;
        }
        let (slot, _) = root(e).and_then(|i| self.variables.find(&i.unraw().to_string()))?;
        let from = vec![self.variables.origin(slot)];
        let slot = self.new_slot();
        let site = self.site("", "Name", &from, &[slot], "");
        Some((slot, quote!(__wengert::track::copied(#site);)))
    }

    /// Reports before an expression, which stays one.
    pub(super) fn after(&self, e: &mut Expr, span: Span, reports: TokenStream) {
        let (live, inner) = (own("__live"), take(e));
        *e = Expr::Verbatim(call_at(span, "after", quote!({ if #live { #reports } }, #inner)));
    }

    /// An operand of arithmetic: a place is copied or moved there, and can be looked at.
    pub(super) fn number(&mut self, e: &mut Expr) -> Vec<Origin> {
        match e {
            Expr::Field(_) | Expr::Index(_) => {
                let (label, span) = (text(e), span_of(e));
                let from = self.place(e);
                self.look(e, span, (&label, "Look"), &from, Given::default())
            }
            Expr::Paren(p) => self.number(&mut p.expr),
            // What it refers to is known of a variable.
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) && !self.is_of_variable(e) => {
                let (label, span) = (text(e), span_of(e));
                let from = self.place(e);
                self.look(e, span, (&label, "Look"), &from, Given::default())
            }
            // What it makes of the variables that it names, nobody knows.
            Expr::Macro(m) if !leaves(&m.mac) => {
                let (label, span) = (text(e), span_of(e));
                let from = self.place_or_value(e, Given::default());
                self.look(e, span, (&label, "Look"), &from, Given::default())
            }
            e => self.one_value(e),
        }
    }

    /// Whether a place is a variable, a part of one, or what one refers to.
    pub(super) fn is_of_variable(&self, e: &Expr) -> bool {
        root(e).is_some_and(|i| self.variables.find(&i.unraw().to_string()).is_some())
    }

    /// An operand, which is what its one origin gave, or is looked at.
    pub(super) fn one_value(&mut self, e: &mut Expr) -> Vec<Origin> {
        if let Some(from) = self.constant(e) {
            return from;
        }
        let (label, span) = (text(e), span_of(e));
        let from = self.place_or_value(e, Given::default());
        match from[..] {
            [_] if is_what_it_came_from(e) => from,
            _ if is_place(e) => from,
            _ => self.look(e, span, (&label, "Look"), &from, Given::default()),
        }
    }

    pub(super) fn place_or_value(&mut self, e: &mut Expr, given: Given) -> Vec<Origin> {
        match e {
            Expr::Macro(_) => self.value(e, Given { extends: true, ..Given::default() }),
            e if is_place(e) => self.place(e),
            e => self.value(e, given),
        }
    }

    /// A place, which stays one: where the variable came from that it is a part of, and the indices.
    pub(super) fn place(&mut self, e: &mut Expr) -> Vec<Origin> {
        match e {
            Expr::Path(_) => self.name_or_text(e),
            Expr::Field(f) => {
                let from = self.place_or_value(&mut f.base, Given::default());
                // What it is a field of is dropped later.
                if makes_unseen(&f.base) {
                    self.effects.given.extend(slots(&from));
                }
                from
            }
            Expr::Index(i) => {
                let is_place = is_named(&i.expr);
                let of = self.evaluated(&mut i.expr, true, |of, e| of.place_or_value(e, Given::default()));
                let index = self.number(&mut i.index);
                // An element of a place is read when its index is there.
                let mut from = match is_place {
                    true => self.variables.now(&of.from),
                    false => self.settled(&mut i.expr, of),
                };
                from.extend(index);
                from
            }
            Expr::Unary(u) => self.place_or_value(&mut u.expr, Given::default()),
            Expr::Paren(p) => self.place(&mut p.expr),
            Expr::Group(g) => self.place(&mut g.expr),
            // A macro may be a place.
            Expr::Macro(_) => self.value(e, Given { extends: true, ..Given::default() }),
            e => self.value(e, Given::default()),
        }
    }

    /// `a && b`, as a value.
    fn short_circuit(&mut self, e: &mut Expr, given: Given) -> Vec<Origin> {
        let span = span_of(e);
        let Expr::Binary(b) = e else { return Vec::new() };
        let label = if matches!(b.op, BinOp::And(_)) { "&&" } else { "||" };
        let right = self.new_slot();
        let mut from = self.lower_short_circuit(b, right);
        from.push(self.variables.origin(right));
        self.look(e, span, (label, "Other"), &from, given)
    }

    /// A value that a slot gets as it is: what reports it, before the expression that has it.
    pub(super) fn copy_into(&mut self, from: &[Origin], slot: u32, is_exact: bool) -> Option<Stmt> {
        if from == [Origin::given(slot)] {
            return None;
        }
        // Of several values, of what is made of one, or of what came from nowhere, the slot has nothing, and not what it had in the turn of
        // a loop before: what uses it depends on all of them.
        let one = matches!(from, [_]) && is_exact;
        if !one {
            let matters = |o: &&Origin| from.len() > 1 || matches!(o, Origin::Slot(..));
            self.loose.extend(from.iter().filter(matters).map(|o| (slot, o.clone())));
        }
        let mut held = self.take_held();
        // What is dropped later is said by what stands around it.
        self.effects.given = std::mem::take(&mut held.given);
        if !held.holds.is_empty() {
            self.slots_with_borrows.insert(slot);
        }
        let site = self.site_with("", "Name", if one { from } else { &[] }, &[slot], "", &held);
        Some(stmt(when_live(quote!(__wengert::track::copied(#site);))))
    }

    /// Declares what a pattern binds, and says of each variable where it came from.
    pub(super) fn bind(&mut self, pattern: &Pat, always: bool, label: &str, from: &[Origin]) -> Vec<Stmt> {
        let mut reports = Vec::new();
        let whole = matches!(bare_pattern(pattern), Pat::Ident(p) if p.subpat.is_none());
        let mut held = self.take_held();
        if has_ref_mut(pattern) {
            held.holds.extend(slots(from));
        }
        // It may bind any name that it is given.
        self.is_unknowable |= has_macro(pattern);
        for (name, changes) in super::source::bindings_and_changes(pattern, always) {
            let slot = self.new_slot();
            let shown = name.unraw().to_string();
            let site = match from {
                [Origin::Slot(..)] if whole && label.is_empty() => {
                    self.site_with("", "Name", from, &[slot], &shown, &held)
                }
                [Origin::Literal(_)] if whole && label.is_empty() => self.site("", "Name", &[], &[slot], &shown),
                _ if label.is_empty() => self.site_with(&text(pattern), "Look", from, &[slot], &shown, &held),
                _ => self.site_with(label, "Look", from, &[slot], &shown, &held),
            };
            let call = call_at(name.span(), "bound", quote!(&#name, #site));
            reports.push(stmt(when_live(quote!(#call;))));
            self.variables.declare(&name, slot, changes);
        }
        reports
    }
}

/// Whether an expression with reports in it is what the one origin gave that it has: nothing is put around that.
pub(super) fn is_what_it_came_from(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_what_it_came_from(&p.expr),
        Expr::Group(g) => is_what_it_came_from(&g.expr),
        Expr::Reference(r) => is_place(&r.expr) || is_what_it_came_from(&r.expr),
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)) || matches!(*u.expr, Expr::Lit(_)),
        Expr::Field(f) => matches!(*f.base, Expr::Tuple(_)),
        Expr::Verbatim(_) | Expr::Path(_) | Expr::Lit(_) => true,
        Expr::If(_) | Expr::Match(_) | Expr::Loop(_) | Expr::Block(_) | Expr::Unsafe(_) => true,
        _ => false,
    }
}

/// Whether an expression has its value from a block, where it may matter what is expected of it.
fn ends_in_block(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => ends_in_block(&p.expr),
        Expr::Group(g) => ends_in_block(&g.expr),
        e => matches!(e, Expr::If(_) | Expr::Match(_) | Expr::Loop(_) | Expr::Block(_) | Expr::Unsafe(_)),
    }
}

/// The pattern without its type and parentheses.
pub(super) fn bare_pattern(p: &Pat) -> &Pat {
    match p {
        Pat::Type(t) => bare_pattern(&t.pat),
        Pat::Paren(p) => bare_pattern(&p.pat),
        p => p,
    }
}
