//! Places: what an assignment or an operator changes, and what a comparison looks at without taking it.
//!
//! A place that was changed is looked at by its address, right after the statement: that moves nothing, borrows nothing for
//! longer, and is allowed where a field is packed. A field is found again by its name. An element is found by the index that
//! the statement used, which is kept on its way, and only in lists that are known here: no code of the user's runs for it
//! but `Deref`. A field of an element, and what a pointer inside leads to, is not looked at.

use super::constructors::makes_unseen;
use super::effects::{ChangedBy, Effects, slots};
use super::order::is_behind;
use super::rewrite::{Rewriter, is_plain, stmt, take, when_live};
use super::shown::{is_call, is_shown_otherwise};
use super::sites::operator;
use super::source::{has_rest, is_place, span_of, text};
use super::values::{Given, Origin, is_what_it_came_from, leaves, root};
use super::{call_at, own, parenthesized};
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Expr, ExprAssign, ExprBinary, Lit, UnOp, parse_quote};

/// A field of a variable, of a field of one, and so on.
fn is_field(e: &Expr) -> bool {
    matches!(e, Expr::Field(f) if is_path(&f.base) || is_field(&f.base))
}

/// A name.
pub(super) fn is_path(e: &Expr) -> bool {
    matches!(e, Expr::Path(p) if p.qself.is_none() && p.path.get_ident().is_some())
}

/// A variable, a field of one, or what one refers to.
pub(super) fn reads_of_variable(e: &Expr) -> bool {
    match e {
        Expr::Unary(u) => matches!(u.op, UnOp::Deref(_)) && is_path(&u.expr),
        e => is_path(e) || is_field(e),
    }
}

/// Whether evaluating an expression does nothing else.
fn is_still(e: &Expr) -> bool {
    match e {
        Expr::Lit(_) => true,
        Expr::Unary(u) => matches!(u.op, UnOp::Neg(_)) && matches!(*u.expr, Expr::Lit(_)),
        Expr::Paren(p) => is_still(&p.expr),
        e => is_path(e) || is_field(e),
    }
}

/// What finds a place again that a statement changed.
struct Again {
    /// What stands before the statement.
    before: TokenStream,
    /// What gives the place.
    spot: TokenStream,
}

impl Rewriter {
    /// A comparison. A field stays where it is, and is looked at before.
    pub(super) fn compare(
        &mut self,
        e: &mut Expr,
        span: Span,
        (label, how): (&str, &str),
        given: Given,
    ) -> Vec<Origin> {
        let Expr::Binary(b) = e else { return Vec::new() };
        let mut looks = TokenStream::new();
        let left_is_still = is_still(&b.left);
        let was = self.as_it_was(&b.left, &[&*b.right]);
        let mut part = self.evaluated(&mut b.left, false, |of, e| of.compared_value(e, true, &mut looks));
        if let Some((slot, report)) = was {
            looks.extend(report);
            part.from = vec![self.variables.origin(slot)];
        }
        let right = self.compared_value(&mut b.right, left_is_still, &mut looks);
        let left = self.settled_behind(&mut b.left, part);
        let slot = self.look_at_two(e, span, (label, how), [left, right], given);
        if !looks.is_empty() {
            self.after(e, span, looks);
        }
        slot
    }

    /// An operand of a comparison, which borrows it. Nothing happens between the looks and it if it is the `first` to do so.
    fn compared_value(&mut self, e: &mut Expr, first: bool, looks: &mut TokenStream) -> Vec<Origin> {
        match e {
            Expr::Paren(p) if matches!(*p.expr, Expr::Index(_) | Expr::Macro(_)) => {
                self.compared_value(&mut p.expr, first, looks)
            }
            // What a macro makes of the variables that it names, nobody knows.
            Expr::Index(_) | Expr::Macro(_) if !matches!(e, Expr::Macro(m) if leaves(&m.mac)) => {
                let label = text(e);
                let from = self.place(e);
                self.seen_in_place(e, (&label, "Look"), &from)
            }
            e if first && self.looks_at_field(e) => {
                let from = self.place(e);
                let slot = self.new_slot();
                let site = self.site(&text(e), "Look", &from, &[slot], "");
                let (spot, look) = (spot(e), method_at(span_of(e), "look", site));
                looks.extend(quote!(#spot #look;));
                vec![self.variables.origin(slot)]
            }
            e if self.is_constant(e) => {
                let label = text(e);
                self.seen_in_place(e, (&label, "Constant"), &[])
            }
            // A part of what has no name, or what that refers to.
            e if is_place(e) && !self.is_of_variable(e) => {
                let label = text(e);
                let from = self.place(e);
                let has_slots = slots(&from).next().is_some();
                if has_slots { self.seen_in_place(e, (&label, "Look"), &from) } else { from }
            }
            e => self.one_value(e),
        }
    }

    /// Whether a place is a field of a variable: a constant has no place.
    pub(super) fn looks_at_field(&self, e: &Expr) -> bool {
        is_field(e) && root(e).is_some_and(|i| self.variables.find(&i.unraw().to_string()).is_some())
    }

    /// What finds this place again once a statement changed it; its indices are kept on their way. After [`Rewriter::place`].
    fn again(&mut self, place: &mut Expr) -> Option<Again> {
        match place {
            e if is_field(e) => Some(Again { before: TokenStream::new(), spot: spot(e) }),
            Expr::Index(i) => {
                let Again { before, spot } = match &mut *i.expr {
                    e if is_path(e) || is_field(e) => Again { before: TokenStream::new(), spot: spot(e) },
                    e => self.again(e)?,
                };
                let kept = own(&format!("__index_{}", self.new_slot()));
                let value = match &mut *i.index {
                    Expr::Lit(l) => match &l.lit {
                        Lit::Int(n) => {
                            let n = n.base10_parse::<usize>().ok()?;
                            quote!(::core::option::Option::Some(#n))
                        }
                        _ => return None,
                    },
                    // A name, or what is passed through a function already.
                    e @ (Expr::Path(_) | Expr::Verbatim(_)) => {
                        let (live, index) = (own("__live"), take(e));
                        *e = Expr::Verbatim(call_at(span_of(&index), "index", quote!(#index, #live, &mut #kept)));
                        quote!(::core::option::Option::None)
                    }
                    _ => return None,
                };
                let before = quote!(#before #[allow(unused_mut)] let mut #kept = #value;);
                Some(Again { before, spot: quote!(#spot.wengert_element(&#kept)) })
            }
            _ => None,
        }
    }

    /// Reports that a part of a variable has another value now.
    fn part_changed(&mut self, e: &mut Expr, place: Span, again: Option<Again>, site: &TokenStream) {
        let Some(Again { before, spot }) = again else {
            return self.beside(e, (false, call_at(place, "bound", quote!(&(), #site))));
        };
        let look = method_at(place, "changed", site.clone());
        let import = quote!(
            #[allow(unused_imports)]
            use __wengert::track::UnknownElement as _;
        );
        let report = stmt(when_live(quote!(#import #spot #look;)));
        let inner = take(e);
        *e = parse_quote!({ #before #inner; #report });
    }

    /// `x = e`, and `place = e`.
    pub(super) fn assign(&mut self, e: &mut Expr) -> Vec<Origin> {
        if self.assign_parts(e) {
            return Vec::new();
        }
        let Expr::Assign(ExprAssign { left, right, .. }) = e else { return Vec::new() };
        let variable = match &**left {
            Expr::Path(_) => root(left).map(|i| (i.clone(), self.variables.find(&i.unraw().to_string()))),
            _ => None,
        };
        if let Some((name, Some((slot, _)))) = variable {
            // As it is written: what is inside of it is reported, too.
            let label = text(right);
            let (shows, by_call) = (!is_shown_otherwise(right), is_call(right));
            let from = self.value(right, Given { slot: Some(slot), name: name.unraw().to_string(), extends: false });
            if from != [Origin::given(slot)] {
                let report = match &from[..] {
                    // What is behind a reference is copied, and what the reference has borrowed is not.
                    [Origin::Slot(..)] if is_behind(right) => {
                        let held = self.take_held();
                        let site = self.site_with("", "Name", &from, &[slot], "", &held);
                        (false, call_at(span_of(left), "bound", quote!(&#left, #site)))
                    }
                    [Origin::Slot(..)] if is_what_it_came_from(right) => {
                        let held = self.take_held();
                        let site = self.site_with("", "Name", &from, &[slot], "", &held);
                        (true, quote!(__wengert::track::copied(#site)))
                    }
                    _ => {
                        let name = name.unraw().to_string();
                        let how = if matches!(from[..], [Origin::Literal(_)]) { "Name" } else { "Look" };
                        let from = if how == "Name" { &[] } else { &from[..] };
                        let held = self.take_held();
                        let site = self.site_with(&label, how, from, &[slot], &name, &held);
                        (false, call_at(span_of(left), "bound", quote!(&#left, #site)))
                    }
                };
                self.beside(e, report);
            }
            if shows && let Some(show) = self.show(&name, slot, by_call) {
                let inner = take(e);
                *e = parse_quote!({ #inner; #show });
            }
            return Vec::new();
        }
        if let Some((name, slot)) = self.behind(left) {
            return self.assign_behind(e, &name, slot);
        }
        let mut names = Vec::new();
        let mut changes = None;
        let mut target = Vec::new();
        let mut behind = Vec::new();
        let mut from = match &mut **left {
            Expr::Tuple(_) | Expr::Array(_) | Expr::Struct(_) | Expr::Call(_) | Expr::Infer(_) => {
                names_in(left.to_token_stream(), &mut names);
                Vec::new()
            }
            place => {
                let (said, from) = (text(place), self.place(place));
                let slot = root(place).and_then(|i| self.variables.find(&i.unraw().to_string()));
                behind = self.written_behind(slot.is_some());
                let again = if slot.is_some() { self.again(place) } else { None };
                changes = Some((said, span_of(place), slot.map(|(slot, _)| slot), again));
                target.clone_from(&from);
                from
            }
        };
        let value = self.value(right, Given::default());
        from = self.variables.now(&from);
        from.extend(value);
        let held = self.take_held();
        let mut reports = TokenStream::new();
        if changes.is_none() && has_rest(left) {
            let dropped = self.dropped(&text(left), span_of(left), (&from, makes_unseen(right)), &held);
            reports.extend(dropped.map(ToTokens::into_token_stream));
        }
        for name in names {
            if let Some((slot, _)) = self.variables.find(&name.unraw().to_string()) {
                let name_text = name.unraw().to_string();
                let site = self.site_with(&text(left), "Look", &from, &[slot], &name_text, &held);
                reports.extend(call_at(name.span(), "bound", quote!(&#name, #site)));
                reports.extend(quote!(;));
            }
        }
        if let Some((said, span, slot, again)) = changes {
            let effects = Effects { through: slots(&target).collect(), changes: behind, stores: true, ..held };
            let site = self.site_with(&format!("{said} ="), "Look", &from, slot.as_slice(), "", &effects);
            match slot {
                Some(_) => self.part_changed(e, span, again, &site),
                None => self.beside(e, (false, call_at(span, "wrote", site))),
            }
            return Vec::new();
        }
        if !reports.is_empty() {
            self.beside(e, (false, reports));
        }
        Vec::new()
    }

    /// The variables that a write to the place changes which was evaluated last: of one that is no part of a variable, what it has
    /// borrowed.
    fn written_behind(&mut self, is_of_variable: bool) -> Vec<(ChangedBy, u32)> {
        if is_of_variable {
            return Vec::new();
        }
        let borrowed = std::mem::take(&mut self.effects.holds);
        borrowed.into_iter().map(|slot| (ChangedBy::Part, slot)).collect()
    }

    /// The variable that a place is what it refers to: `*x`.
    fn behind(&self, place: &Expr) -> Option<(Ident, u32)> {
        match place {
            Expr::Paren(p) => self.behind(&p.expr),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) && is_path(&u.expr) => {
                let name = root(&u.expr)?;
                self.variables.find(&name.unraw().to_string()).map(|(slot, _)| (name.clone(), slot))
            }
            _ => None,
        }
    }

    /// `*x = e`.
    fn assign_behind(&mut self, e: &mut Expr, name: &Ident, slot: u32) -> Vec<Origin> {
        let Expr::Assign(ExprAssign { left, right, .. }) = e else { return Vec::new() };
        let (label, span) = (text(left), span_of(left));
        let from = self.value(right, Given::default());
        let effects = Effects { through: vec![slot], stores: true, ..self.take_held() };
        let name = name.unraw().to_string();
        let site = match &from[..] {
            [Origin::Slot(..)] if is_plain(right) || !is_place(right) && is_what_it_came_from(right) => {
                self.site_with("", "Name", &from, &[slot], "", &effects)
            }
            [Origin::Literal(_)] => self.site_with("", "Name", &[], &[slot], &name, &effects),
            _ => self.site_with(&format!("{label} ="), "Look", &from, &[slot], &name, &effects),
        };
        let report = look_behind(left, span, &site);
        self.beside(e, (false, report));
        Vec::new()
    }

    /// `x += e`.
    pub(super) fn change_by(&mut self, e: &mut Expr) -> Vec<Origin> {
        let Expr::Binary(ExprBinary { left, op, right, .. }) = e else { return Vec::new() };
        let (label, how, ..) = operator(op);
        let (said, span) = (text(left), span_of(left));
        let behind = self.behind(left);
        let whole = matches!(**left, Expr::Path(_)) || behind.is_some();
        let mut from = self.place(left);
        let name = root(left).cloned();
        let found = name.as_ref().and_then(|i| self.variables.find(&i.unraw().to_string()));
        let again = if whole || found.is_none() { None } else { self.again(left) };
        let through = slots(&from).collect();
        let changes = self.written_behind(found.is_some());
        let right = self.number(right);
        // The place is read, or borrowed, when the other operand is there.
        from = self.variables.now(&from);
        from.extend(right);
        let effects = Effects { through, changes, ..self.take_held() };
        let (Some(name), Some((slot, _))) = (name, found) else {
            let site = self.site_with(&format!("{said} {label}="), "Look", &from, &[], "", &effects);
            self.beside(e, (false, call_at(span, "wrote", site)));
            return Vec::new();
        };
        if whole {
            let site = self.site_with(label, how, &from, &[slot], &name.unraw().to_string(), &effects);
            let report = match behind {
                None => call_at(span, "bound", quote!(&#name, #site)),
                Some(_) => look_behind(left, span, &site),
            };
            self.beside(e, (false, report));
        } else {
            let site = self.site_with(&format!("{said} {label}="), "Look", &from, &[slot], "", &effects);
            self.part_changed(e, span, again, &site);
        }
        Vec::new()
    }

    /// A report before an expression without a value, or after it.
    fn beside(&mut self, e: &mut Expr, (before, report): (bool, TokenStream)) {
        let report = stmt(when_live(quote!(#report;)));
        let inner = take(e);
        *e = match before {
            true => parse_quote!({ #report #inner }),
            false => parse_quote!({ #inner; #report }),
        };
    }
}

/// A look at what a variable refers to, which was changed.
fn look_behind(place: &Expr, span: Span, site: &TokenStream) -> TokenStream {
    let (name, spot) = (root(place), spot(place));
    let look = method_at(span, "look_behind", quote!(::core::ptr::addr_of!(#name), #site));
    quote!(#spot #look)
}

/// The address of a field, or of a variable.
pub(super) fn spot(e: &Expr) -> TokenStream {
    let (looking, spot) = (own("__looking"), own("__spot"));
    quote!((match {
        let #looking = __wengert::track::only_looking();
        ::core::ptr::addr_of!(#e)
    } {
        // SAFETY: the address is of a place that lives, taken right before; what the user wrote is outside of the block.
        #spot => unsafe { __wengert::track::Spot::of(#spot) },
    }))
}

/// A call of a method of ours that is at a place of the user's source.
pub(super) fn method_at(span: Span, name: &str, argument: TokenStream) -> TokenStream {
    let (name, argument) = (Ident::new(name, span), parenthesized(argument, span));
    quote_spanned!(span=> .#name #argument)
}

pub(super) fn names_in(tokens: TokenStream, names: &mut Vec<Ident>) {
    for t in tokens {
        match t {
            TokenTree::Group(g) => names_in(g.stream(), names),
            TokenTree::Ident(i) => names.push(i),
            _ => {}
        }
    }
}
