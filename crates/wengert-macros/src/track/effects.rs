//! What expressions do to variables beside giving their values: what they may change, and what they borrow to change it later.

use super::places::is_path;
use super::rewrite::Rewriter;
use super::source::text;
use super::values::{Origin, root};
use super::variables::{Variables, assigned};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::{Expr, Macro, UnOp};

/// How an expression may change a variable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ChangedBy {
    /// All of it is borrowed.
    Whole,
    /// It is what a method is called of, or named where nothing is known of what happens to it.
    Receiver,
    /// A part of it is borrowed.
    Part,
    /// It is what a method is called of that only reads, if it is not of a number of some types.
    Reader(OfNumbers),
}

/// The types of numbers that have no method of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum OfNumbers {
    All,
    NoIntegers,
    NoFloats,
}

/// What an expression does to variables, by their slots.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// What it may change.
    pub(super) changes: Vec<(ChangedBy, u32)>,
    /// What its value may have borrowed.
    pub(super) holds: Vec<u32>,
    /// What it writes through.
    pub(super) through: Vec<u32>,
    /// What it is given to look at alone.
    pub(super) shared: Vec<u32>,
    /// What a macro in it may have changed, which no report tells.
    pub(super) changed: Vec<(ChangedBy, u32)>,
    /// What a call in it, which has no report, may have written through.
    pub(super) given: Vec<u32>,
    /// Whether it is an assignment to a part of a variable, or through a borrow: the place has what the value has borrowed.
    pub(super) stores: bool,
}

/// The slots among origins.
pub(super) fn slots(from: &[Origin]) -> impl Iterator<Item = u32> {
    from.iter().filter_map(|o| match o {
        Origin::Slot(i, _) => Some(*i),
        Origin::Literal(_) => None,
    })
}

/// Adds what is not there.
fn add_new<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
    for x in more {
        if !all.contains(&x) {
            all.push(x);
        }
    }
}

impl Effects {
    pub(super) fn add(&mut self, more: Effects) {
        add_new(&mut self.changes, more.changes);
        add_new(&mut self.changed, more.changed);
        add_new(&mut self.holds, more.holds);
        add_new(&mut self.through, more.through);
        add_new(&mut self.shared, more.shared);
        add_new(&mut self.given, more.given);
        self.stores |= more.stores;
    }

    /// The variable may be changed by what is evaluated next, and borrowed by its value.
    fn change(&mut self, how: ChangedBy, slot: u32) {
        self.add(Effects { changes: vec![(how, slot)], holds: vec![slot], ..Effects::default() });
    }
}

impl ToTokens for Effects {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let Effects { changes, holds, through, shared, changed, given, stores } = self;
        let through: Vec<u32> = through.iter().chain(given.iter().filter(|x| !through.contains(x))).copied().collect();
        let changes: Vec<_> = changed.iter().chain(changes.iter().filter(|c| !changed.contains(c))).collect();
        if changes.is_empty() && holds.is_empty() && through.is_empty() && shared.is_empty() && !stores {
            return quote!(::core::option::Option::None).to_tokens(tokens);
        }
        let changes = changes.into_iter().map(|(how, slot)| match how {
            ChangedBy::Whole => quote!(__wengert::track::Change::Whole(#slot)),
            ChangedBy::Receiver => quote!(__wengert::track::Change::Receiver(#slot)),
            ChangedBy::Part => quote!(__wengert::track::Change::Part(#slot)),
            ChangedBy::Reader(of) => {
                let types = match of {
                    OfNumbers::All => quote!(All),
                    OfNumbers::NoIntegers => quote!(NoIntegers),
                    OfNumbers::NoFloats => quote!(NoFloats),
                };
                quote!(__wengert::track::Change::Reader(#slot, __wengert::track::Types::#types))
            }
        });
        let effects = quote!(::core::option::Option::Some(&__wengert::track::Effects {
            changes: &[#(#changes),*], holds: &[#(#holds),*], through: &[#(#through),*],
            shared: &[#(#shared),*], stores: #stores
        }));
        effects.to_tokens(tokens);
    }
}

impl Rewriter {
    /// The variable that a place is a part of, and whether that is all of it.
    fn variable_of(&self, place: &Expr) -> Option<(bool, u32, bool)> {
        let (slot, changes) = self.variables.find(&root(place)?.unraw().to_string())?;
        // `&mut *r` borrows what `r` has borrowed, all of it.
        let is_whole = match place {
            Expr::Unary(u) => is_path(&u.expr),
            place => is_path(place),
        };
        Some((is_whole, slot, changes))
    }

    /// Whether a place is that of a static, which may be read by its name after it is changed through a borrow.
    pub(super) fn is_elsewhere(&self, place: &Expr) -> bool {
        match place {
            Expr::Path(p) => p.path.get_ident().is_none_or(|i| {
                let name = i.unraw().to_string();
                !self.captures && !self.given_to_macros.contains(&name) && self.variables.find(&name).is_none()
            }),
            Expr::Field(f) => self.is_elsewhere(&f.base),
            Expr::Index(i) => self.is_elsewhere(&i.expr),
            Expr::Unary(u) if matches!(u.op, UnOp::Deref(_)) => self.is_elsewhere(&u.expr),
            Expr::RawAddr(r) => self.is_elsewhere(&r.expr),
            Expr::Paren(p) => self.is_elsewhere(&p.expr),
            Expr::Group(g) => self.is_elsewhere(&g.expr),
            _ => false,
        }
    }

    /// `&mut place`: it may get another value by what this is given to.
    pub(super) fn change(&mut self, place: &Expr) {
        if let Some((is_whole, slot, _)) = self.variable_of(place) {
            let part = if is_whole { String::new() } else { text(place) };
            self.variables.give(slot, &part);
            self.effects.change(if is_whole { ChangedBy::Whole } else { ChangedBy::Part }, slot);
        }
    }

    /// `&place`, as an argument: whoever gets it can only look at it.
    pub(super) fn share(&mut self, argument: &Expr) {
        if let Expr::Reference(r) = argument
            && r.mutability.is_none()
            && let Some((_, slot, true)) = self.variable_of(&r.expr)
        {
            self.effects.shared.push(slot);
        }
    }

    /// What a method of this name is called of.
    pub(super) fn change_if_mutable(&mut self, place: &Expr, method: &str) {
        if let Some((is_whole, slot, true)) = self.variable_of(place) {
            match (READING.contains(&method), is_whole) {
                (false, true) => self.effects.change(ChangedBy::Receiver, slot),
                (false, false) => self.effects.change(ChangedBy::Part, slot),
                (true, true) => self.effects.changes.extend(reads_of(method).map(|of| (ChangedBy::Reader(of), slot))),
                (true, false) => {}
            }
        }
    }

    /// A closure may change what it names; `hidden` are its parameters.
    pub(super) fn change_in_closure(&mut self, body: TokenStream, hidden: &[Ident]) {
        for (how, slot) in self.variables.changed_in(body, hidden, false) {
            if how == ChangedBy::Part {
                self.variables.give(slot, "");
            }
            self.effects.change(how, slot);
        }
    }

    /// The variables that a macro may look at: those that are given to it, and of one that stands in the function itself, all.
    pub(super) fn named_by_macro(&self, tokens: TokenStream) -> Vec<Origin> {
        let mut from = Vec::new();
        match self.declares_macros {
            true => from.extend(self.variables.all().map(|(slot, _)| self.variables.origin(slot))),
            false => self.variables.named(tokens, &[], &mut from),
        }
        from
    }

    /// The variables that a macro may change which stands in the function itself, whatever is given to it.
    pub(super) fn changed_by_local_macros(&self) -> Vec<(ChangedBy, u32)> {
        let all = self.variables.all().filter(|(_, changes)| *changes && self.declares_macros);
        all.map(|(slot, _)| (ChangedBy::Part, slot)).collect()
    }

    /// A macro may change what is given to it. It is evaluated by itself.
    pub(super) fn change_in_macro(&mut self, m: &Macro) {
        let name = m.path.segments.last().map_or(String::new(), |s| s.ident.to_string());
        let only_reads = only_reads(m);
        let found = self.variables.changed_in(m.tokens.clone(), &[], !only_reads);
        for (how, slot) in found {
            // Those that only read are looked through for what is written in them.
            if !(only_reads && how == ChangedBy::Receiver) {
                self.variables.give(slot, "");
                self.effects.change(how, slot);
            }
        }
        let changes = std::mem::take(&mut self.effects.changes);
        // A function is made, and not called.
        if name != "tracked" {
            self.effects.changed = changes;
        }
    }

    /// What a macro that is a statement may have done: it may declare a variable of any name that is given to it, too.
    pub(super) fn effects_of_statement(&mut self, m: &Macro, from: &[Origin]) -> Effects {
        self.change_in_macro(m);
        let mut effects = std::mem::take(&mut self.effects);
        if !only_reads(m) {
            effects.changed = slots(from).map(|slot| (ChangedBy::Part, slot)).collect();
        }
        effects
    }
}

/// Whether a macro, by its name, gives the address of a place.
pub(super) fn takes_address(m: &Macro) -> bool {
    m.path.segments.last().is_some_and(|s| s.ident == "addr_of_mut" || s.ident == "addr_of")
}

/// Macros of the standard library that change nothing by themselves, and name nothing but what they are given.
pub(super) const READING_MACROS: [&str; 24] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "format_args",
    "line",
    "matches",
    "panic",
    "print",
    "println",
    "stringify",
    "todo",
    "unreachable",
    "vec",
];

/// Whether a macro, by its name, changes nothing by itself: one of the standard library, unless its path is to another crate or module.
/// What a name alone stands for is not known here.
pub(super) fn only_reads(m: &Macro) -> bool {
    let path: Vec<String> = m.path.segments.iter().map(|s| s.ident.to_string()).collect();
    match &path[..] {
        [name] => READING_MACROS.contains(&&**name),
        [of, name] => ["std", "core", "alloc"].contains(&&**of) && READING_MACROS.contains(&&**name),
        _ => false,
    }
}

/// Methods of the standard library that leave what they are called of as it is, beside those of numbers in `numbers.rs`.
#[rustfmt::skip]
const READING: [&str; 46] = [
    "as_bytes", "as_ref", "as_slice", "as_str", "bytes", "capacity", "chars", "checked_add", "checked_div", "checked_mul",
    "checked_sub", "chunks", "clone", "cloned", "cmp", "concat", "contains", "contains_key", "copied", "ends_with", "eq",
    "expect", "first", "get", "is_empty", "is_err", "is_none", "is_ok", "is_some", "iter", "join", "keys", "last", "len",
    "lines", "partial_cmp", "repeat", "starts_with", "to_owned", "to_string", "to_vec", "total_cmp", "unwrap", "unwrap_or",
    "values", "windows",
];

/// For which numbers a method that reads is another, and may be one of the user's that changes them.
fn reads_of(method: &str) -> Option<OfNumbers> {
    match method {
        // The library's are found before one that needs `&mut self`.
        "clone" | "eq" | "partial_cmp" | "to_owned" | "to_string" => None,
        "cmp" | "checked_add" | "checked_div" | "checked_mul" | "checked_sub" => Some(OfNumbers::NoIntegers),
        "total_cmp" => Some(OfNumbers::NoFloats),
        _ => Some(OfNumbers::All),
    }
}

impl Variables {
    /// The variables in scope that may get another value where tokens are evaluated: `all` that are named and may get one at
    /// all, or those to which something happens there.
    pub(super) fn changed_in(&self, tokens: TokenStream, hidden: &[Ident], all: bool) -> Vec<(ChangedBy, u32)> {
        let mut names = Vec::new();
        assigned(tokens.clone(), &mut names);
        let hides = |name: &str| hidden.iter().any(|h| *h == *name);
        let mut found: Vec<(ChangedBy, u32)> = names
            .iter()
            .filter(|n| !hides(n))
            .filter_map(|n| self.find(n).map(|(slot, _)| (ChangedBy::Part, slot)))
            .collect();
        self.used_in(tokens, &hides, all.then_some(ChangedBy::Receiver), &mut found);
        found
    }

    /// Those that are used in tokens, or all that are named, if it is said how.
    fn used_in(
        &self,
        tokens: TokenStream,
        hides: &dyn Fn(&str) -> bool,
        all: Option<ChangedBy>,
        found: &mut Vec<(ChangedBy, u32)>,
    ) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let is_mark = |i: usize, mark: char| matches!(tokens.get(i), Some(TokenTree::Punct(p)) if p.as_char() == mark);
        for (i, t) in tokens.iter().enumerate() {
            match t {
                TokenTree::Group(g) => {
                    let of_macro = match i.checked_sub(2).map(|i| &tokens[i]) {
                        Some(TokenTree::Ident(name)) if is_mark(i - 1, '!') => Some(name.to_string()),
                        _ => None,
                    };
                    // A macro of the user's may do anything with what it names, wherever it stands.
                    let how = of_macro.map(|name| match READING_MACROS.contains(&&*name) {
                        true => ChangedBy::Receiver,
                        false => ChangedBy::Part,
                    });
                    let all = if how == Some(ChangedBy::Part) { how } else { all.or(how) };
                    self.used_in(g.stream(), hides, all, found);
                }
                TokenTree::Ident(name) => {
                    let name = name.unraw().to_string();
                    let is_indexed =
                        matches!(tokens.get(i + 1), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Bracket);
                    let is_used = all.is_some() || is_indexed || is_mark(i + 1, '.');
                    let is_field = i > 0 && is_mark(i - 1, '.') && !(i > 1 && is_mark(i - 2, '.'));
                    if let Some((slot, true)) = self.find(&name)
                        && is_used
                        && !is_field
                        && !hides(&name)
                    {
                        let how = all.unwrap_or(ChangedBy::Receiver);
                        match found.iter_mut().find(|f| f.1 == slot) {
                            Some(f) if how == ChangedBy::Part => f.0 = how,
                            Some(_) => {}
                            None => found.push((how, slot)),
                        }
                    }
                }
                _ => {}
            }
        }
    }
}
