//! The variables of a function that are in scope, and which of them tokens name or change.

use super::values::Origin;
use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::Lit;
use syn::ext::IdentExt;

/// The variables of a function that are in scope, the innermost last.
#[derive(Default)]
pub(super) struct Variables(Vec<(String, u32, bool)>);

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
    pub(super) fn declare(&mut self, name: &Ident, slot: u32, changes: bool) {
        self.0.push((name.unraw().to_string(), slot, changes));
    }

    pub(super) fn find(&self, name: &str) -> Option<(u32, bool)> {
        self.0.iter().rev().find(|(n, ..)| n == name).map(|(_, slot, changes)| (*slot, *changes))
    }

    /// All, each with its slot and whether it may get another value.
    pub(super) fn all(&self) -> impl Iterator<Item = (u32, bool)> {
        self.0.iter().map(|(_, slot, changes)| (*slot, *changes))
    }

    /// Those since a mark.
    pub(super) fn since(&self, first: usize) -> Vec<Declared> {
        let (before, since) = self.0.split_at(first);
        let before = |name: &str| {
            let at = before.iter().rposition(|(n, ..)| n == name)?;
            Some(Before { at, slot: before[at].1, changes: before[at].2 })
        };
        since.iter().map(|(n, slot, _)| Declared { name: n.clone(), slot: *slot, before: before(n) }).collect()
    }

    /// Whether a name is that of a variable since a mark.
    pub(super) fn is_since(&self, name: &str, first: usize) -> bool {
        self.0[first..].iter().any(|(n, ..)| n == name)
    }

    /// The innermost variable of a name may get another value if this is so, too.
    pub(super) fn may_change(&mut self, name: &str, changes: bool) {
        if let Some(found) = self.0.iter_mut().rev().find(|(n, ..)| n == name) {
            found.2 |= changes;
        }
    }

    /// How many there are, to go back to.
    pub(super) fn mark(&self) -> usize {
        self.0.len()
    }

    pub(super) fn back_to(&mut self, mark: usize) {
        self.0.truncate(mark);
    }

    /// The variables in scope that tokens give a new value, each with its slot.
    pub(super) fn assigned(&self, tokens: TokenStream) -> Vec<(String, u32)> {
        let mut names = Vec::new();
        assigned(tokens, &mut names);
        let mut found: Vec<(String, u32)> = Vec::new();
        for (i, (name, slot, _)) in self.0.iter().enumerate() {
            let hidden = self.0[i + 1..].iter().any(|(n, ..)| n == name);
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
                        let slot = self.find(&name).map(|(slot, _)| Origin::Slot(slot));
                        found.extend(slot.filter(|s| !found.contains(s)));
                    }
                }
                TokenTree::Ident(i) if !hidden.contains(&i) && dots != [false, true] => {
                    let slot = self.find(&i.unraw().to_string()).map(|(slot, _)| Origin::Slot(slot));
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
                if let Some(TokenTree::Ident(name)) = i.checked_sub(operators + 1).map(|j| &tokens[j]) {
                    names.push(name.unraw().to_string());
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
