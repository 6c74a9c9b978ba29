//! The variables of a function that are in scope, and which of them tokens name or change.

use super::values::{Origin, Since};
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use std::collections::HashMap;
use syn::Lit;
use syn::ext::IdentExt;

/// The variables of a function that are in scope, the innermost last, and what got values so far.
#[derive(Default)]
pub(super) struct Variables {
    all: Vec<(String, u32, bool)>,
    /// The slots that got something, one after the other; those of the variables that are borrowed to be changed, too. Of a part of one,
    /// which it is.
    given: Vec<(u32, String)>,
    /// What each slot may have borrowed.
    holds: HashMap<u32, Vec<u32>>,
}

/// A variable, and the one of its name that it hides.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) slot: u32,
    pub(super) before: Option<Before>,
}

/// A variable that another hides: which it is, its slot, and whether it may get another value.
pub(super) struct Before {
    pub(super) at: usize,
    pub(super) slot: u32,
    pub(super) changes: bool,
}

impl Variables {
    /// What a slot has now.
    pub(super) fn origin(&self, slot: u32) -> Origin {
        Origin::Slot(slot, Since(self.given.len()))
    }

    /// The origins, as they are now: of what is not copied, but looked at when what is beside it is there.
    pub(super) fn now(&self, from: &[Origin]) -> Vec<Origin> {
        let now = |o: &Origin| match o {
            Origin::Slot(slot, _) => self.origin(*slot),
            Origin::Literal(_) => o.clone(),
        };
        from.iter().map(now).collect()
    }

    /// A slot gets something else, or this part of it, if it is no empty text.
    pub(super) fn give(&mut self, slot: u32, part: &str) {
        self.given.push((slot, part.to_string()));
    }

    /// What a slot has may have borrowed these.
    pub(super) fn hold(&mut self, slot: u32, held: &[u32]) {
        let all = self.holds.entry(slot).or_default();
        all.extend(held.iter().filter(|&h| *h != slot && !all.contains(h)).copied().collect::<Vec<_>>());
    }

    /// What a slot has is written through: all that it may have borrowed gets something else.
    pub(super) fn give_behind(&mut self, slot: u32) {
        let (mut found, mut i) = (vec![slot], 0);
        while let Some(slot) = found.get(i) {
            let more: Vec<u32> = self.holds.get(slot).into_iter().flatten().copied().collect();
            more.into_iter().for_each(|slot| {
                if !found.contains(&slot) {
                    found.push(slot)
                }
            });
            i += 1;
        }
        self.given.extend(found[1..].iter().map(|&slot| (slot, String::new())));
    }

    /// Whether some slot got something else since it was meant; of a part of one, that part or one around or inside it.
    pub(super) fn have_changed(&self, from: &[Origin], part: &str) -> bool {
        let touches = |other: &str| part.starts_with(other) || other.starts_with(part) || other.contains(['[', '*']);
        from.iter().any(|o| match o {
            Origin::Slot(slot, Since(at)) => {
                self.given[(*at).min(self.given.len())..].iter().any(|(of, other)| of == slot && touches(other))
            }
            Origin::Literal(_) => false,
        })
    }

    /// Whether one of these got something since.
    pub(super) fn got_since(&self, since: usize, of: impl Fn(&u32) -> bool) -> bool {
        self.given[since.min(self.given.len())..].iter().any(|(slot, _)| of(slot))
    }

    /// How often slots got something so far, to tell apart what is not evaluated one after the other.
    pub(super) fn given_so_far(&self) -> usize {
        self.given.len()
    }

    /// What slots got since, as if it had not been evaluated: the other side of a branch comes next.
    pub(super) fn take_given(&mut self, since: usize) -> Vec<(u32, String)> {
        self.given.split_off(since)
    }

    /// What was taken is evaluated, after all.
    pub(super) fn give_all(&mut self, slots: Vec<(u32, String)>) {
        self.given.extend(slots);
    }

    pub(super) fn declare(&mut self, name: &Ident, slot: u32, changes: bool) {
        self.all.push((name.unraw().to_string(), slot, changes));
    }

    pub(super) fn find(&self, name: &str) -> Option<(u32, bool)> {
        self.all.iter().rev().find(|(n, ..)| n == name).map(|(_, slot, changes)| (*slot, *changes))
    }

    /// All, each with its slot and whether it may get another value.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, bool)> {
        self.all.iter().map(|(_, slot, changes)| (*slot, *changes))
    }

    /// Those since a mark.
    pub(super) fn since(&self, first: usize) -> Vec<Declared> {
        let (before, since) = self.all.split_at(first);
        let before = |name: &str| {
            let at = before.iter().rposition(|(n, ..)| n == name)?;
            Some(Before { at, slot: before[at].1, changes: before[at].2 })
        };
        since.iter().map(|(n, slot, _)| Declared { name: n.clone(), slot: *slot, before: before(n) }).collect()
    }

    /// Whether a name is that of a variable since a mark.
    pub(super) fn is_since(&self, name: &str, first: usize) -> bool {
        self.all[first..].iter().any(|(n, ..)| n == name)
    }

    /// The innermost variable of a name may get another value if this is so, too.
    pub(super) fn may_change(&mut self, name: &str, changes: bool) {
        if let Some(found) = self.all.iter_mut().rev().find(|(n, ..)| n == name) {
            found.2 |= changes;
        }
    }

    /// How many there are, to go back to.
    pub(super) fn mark(&self) -> usize {
        self.all.len()
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        self.all.truncate(mark);
    }

    /// The variables in scope that tokens give a new value, each with its slot.
    pub(super) fn assigned(&self, tokens: TokenStream) -> Vec<(String, u32)> {
        let mut names = Vec::new();
        assigned(tokens, &mut names);
        let mut found: Vec<(String, u32)> = Vec::new();
        for (i, (name, slot, _)) in self.all.iter().enumerate() {
            let hidden = self.all[i + 1..].iter().any(|(n, ..)| n == name);
            if !hidden && names.contains(name) {
                found.push((name.clone(), *slot));
            }
        }
        found
    }

    /// The variables in scope that tokens speak of, but for those that others of the same name hide there.
    pub(super) fn named(&self, tokens: TokenStream, hidden: &[Ident], found: &mut Vec<Origin>) {
        // The last two tokens, as far as they are dots: a name after one dot is that of a field or a method.
        let mut dots = [false; 2];
        for t in tokens {
            let is_dot = matches!(&t, TokenTree::Punct(p) if p.as_char() == '.');
            match t {
                TokenTree::Group(g) => self.named(g.stream(), hidden, found),
                TokenTree::Literal(l) => {
                    for name in captured_by(&l.to_string()) {
                        let slot = self.find(&name).map(|(slot, _)| self.origin(slot));
                        found.extend(slot.filter(|s| !found.contains(s)));
                    }
                }
                TokenTree::Ident(i) if !hidden.contains(&i) && dots != [false, true] => {
                    let slot = self.find(&i.unraw().to_string()).map(|(slot, _)| self.origin(slot));
                    found.extend(slot.filter(|s| !found.contains(s)));
                }
                _ => {}
            }
            dots = [dots[1], is_dot];
        }
    }
}

/// The names that a text says in braces, as texts of formats do.
pub(super) fn captured_by(literal: &str) -> Vec<String> {
    if !literal.contains('"') {
        return Vec::new();
    }
    // As the compiler reads it: a name may be written with escapes.
    let Ok(Lit::Str(text)) = syn::parse_str(literal) else { return Vec::new() };
    let text = text.value();
    let name = |part: &str| {
        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        (!name.is_empty()).then_some(name)
    };
    // A width or a precision may be a name too: `{x:w$.p$}`.
    text.split('{')
        .skip(1)
        .flat_map(|part| part.split('}').next().unwrap_or("").split([':', '$', '.', '<', '>', '^']).filter_map(name))
        .collect()
}

/// Whether these tokens end in what borrows: `&`, or `&raw`.
fn borrows(before: &[TokenTree]) -> bool {
    match before {
        [.., TokenTree::Punct(p)] => p.as_char() == '&',
        [.., TokenTree::Punct(p), TokenTree::Ident(raw)] => p.as_char() == '&' && raw == "raw",
        _ => false,
    }
}

/// Whether the last of these tokens, in brackets, is a pattern, and not the index of an element: `v[i] = x` gives no `i`.
fn is_pattern(tokens: &[TokenTree]) -> bool {
    match tokens {
        [.., TokenTree::Ident(_) | TokenTree::Group(_), TokenTree::Group(g)] => g.delimiter() != Delimiter::Bracket,
        _ => true,
    }
}

/// Whether what stands before an `=` is a pattern of a `let`.
fn is_declared(before: &[TokenTree]) -> bool {
    let ends = |t: &&TokenTree| !matches!(t, TokenTree::Punct(p) if p.as_char() == ';');
    before.iter().rev().take_while(ends).any(|t| matches!(t, TokenTree::Ident(i) if i == "let"))
}

fn all_names(tokens: TokenStream, names: &mut Vec<String>) {
    for t in tokens {
        match t {
            TokenTree::Group(g) => all_names(g.stream(), names),
            TokenTree::Ident(i) => names.push(i.unraw().to_string()),
            _ => {}
        }
    }
}

/// The names that stand before an `=`, or an operator with one, or after `&mut` or `&raw mut`.
pub(super) fn assigned(tokens: TokenStream, names: &mut Vec<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mark = |i: Option<usize>| match i.and_then(|i| tokens.get(i)) {
        Some(TokenTree::Punct(p)) => p.as_char(),
        _ => ' ',
    };
    for (i, t) in tokens.iter().enumerate() {
        match t {
            TokenTree::Group(g) => assigned(g.stream(), names),
            TokenTree::Punct(p) if p.as_char() == '=' => {
                let before = mark(i.checked_sub(1));
                if matches!(before, '=' | '!') || matches!(mark(Some(i + 1)), '=' | '>') {
                    continue;
                }
                let operators = (0..i).rev().take_while(|&j| "+-*/%^&|<>".contains(mark(Some(j)))).count();
                // `<=` and `>=` compare; `<<=` and `>>=` do not.
                if operators == 1 && matches!(before, '<' | '>') {
                    continue;
                }
                match i.checked_sub(operators + 1).map(|j| &tokens[j]) {
                    Some(TokenTree::Ident(name)) => names.push(name.unraw().to_string()),
                    // `(a, b) = c`, and not `let (a, b) = c`.
                    Some(TokenTree::Group(g)) if is_pattern(&tokens[..i - operators]) && !is_declared(&tokens[..i]) => {
                        all_names(g.stream(), names)
                    }
                    _ => {}
                }
            }
            TokenTree::Ident(name) if name == "mut" && borrows(&tokens[..i]) => {
                if let Some(TokenTree::Ident(name)) = tokens.get(i + 1) {
                    names.push(name.unraw().to_string());
                }
            }
            _ => {}
        }
    }
}
