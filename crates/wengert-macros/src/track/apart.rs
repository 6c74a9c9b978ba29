//! Functions whose body can be a function of its own, beside the code that opens and ends their calls.
//!
//! What ends a call where it is left by a panic belongs to the frame in which the call was opened: around a body, the compiler
//! keeps it also where nothing is recorded, and a small recursive function takes twice as long, since none of its calls is the
//! last thing that it does. In a function of its own the body has none of that. But such a function sees neither `Self` nor
//! the parameters of an `impl` around it, so this is for functions that name nothing which could be one of these; and what is
//! declared in it has another path, so nothing is that has one: closures neither.

use super::effects::READING_MACROS;
use super::own;
use super::variables::captured_by;
use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::{Attribute, Block, FnArg, GenericParam, Pat, Signature};

/// Types and variants that everybody knows. Nobody calls a parameter of an `impl` so.
const KNOWN: [&str; 12] =
    ["Some", "None", "Ok", "Err", "Option", "Result", "Vec", "String", "Box", "Fn", "FnMut", "FnOnce"];

/// After these comes a value: `!` is an operator there, and `|` begins a closure.
const COME_BEFORE_VALUES: [&str; 11] =
    ["if", "while", "return", "in", "match", "else", "break", "move", "mut", "async", "static"];

/// Attributes that mean the same on the function around the body.
const HARMLESS: [&str; 9] = ["doc", "inline", "allow", "warn", "deny", "expect", "must_use", "cold", "test"];

/// A function that is the body of another.
pub(super) struct Apart {
    /// `fn name<..>(parameters, frame) -> ..`, without a body.
    pub signature: TokenStream,
    /// How it is called, and with what; the frame comes last.
    pub path: TokenStream,
    pub given: Vec<Ident>,
}

/// How the body of a function is one of its own, if it can be. Then the parameters of the function around it are never changed.
pub(super) fn apart(attrs: &[Attribute], sig: &mut Signature, block: &Block) -> Option<Apart> {
    let harmless = |a: &Attribute| HARMLESS.iter().any(|h| a.path().is_ident(h));
    let is_name = |a: &FnArg| match a {
        FnArg::Typed(p) => {
            let named = matches!(&*p.pat, Pat::Ident(i) if i.by_ref.is_none() && i.subpat.is_none());
            named && p.attrs.is_empty()
        }
        FnArg::Receiver(_) => false,
    };
    if !attrs.iter().all(harmless) || !sig.inputs.iter().all(is_name) || sig.variadic.is_some() {
        return None;
    }
    let mut names = Names::default();
    for p in &sig.generics.params {
        match p {
            GenericParam::Lifetime(l) => names.lifetimes.insert(l.lifetime.ident.to_string()),
            GenericParam::Type(t) => names.types.insert(t.ident.to_string()),
            GenericParam::Const(c) => names.types.insert(c.ident.to_string()),
        };
    }
    names.bound.insert(sig.ident.unraw().to_string());
    for a in &sig.inputs {
        if let FnArg::Typed(p) = a {
            names.add_names(&p.pat.to_token_stream().into_iter().collect::<Vec<_>>());
        }
    }
    names.add_bound(block.to_token_stream());
    let known = names.all_known(sig.to_token_stream()) && names.all_known(block.to_token_stream());
    if !known || declares(block.to_token_stream()) {
        return None;
    }
    let (run, frame) = (own("__wengert_run"), own("__frame"));
    let Signature { generics, inputs, output, .. } = &*sig;
    let (inputs, place) = (inputs.iter(), &generics.where_clause);
    let signature = quote!(fn #run #generics (#(#inputs,)* #[allow(unused_mut, unused_variables)] mut #frame: __wengert::track::RunningCall) #output #place);
    let explicit = generics.params.iter().filter_map(|p| match p {
        GenericParam::Lifetime(_) => None,
        GenericParam::Type(t) => Some(&t.ident),
        GenericParam::Const(c) => Some(&c.ident),
    });
    let path = quote!(#run::<#(#explicit),*>);
    let mut given = Vec::new();
    for a in &mut sig.inputs {
        let FnArg::Typed(p) = a else { return None };
        let Pat::Ident(i) = &mut *p.pat else { return None };
        i.mutability = None;
        given.push(i.ident.clone());
    }
    Some(Apart { signature, path, given })
}

/// What a function names, beside what everybody knows.
#[derive(Default)]
struct Names {
    /// Its own parameters.
    types: HashSet<String>,
    lifetimes: HashSet<String>,
    /// What its patterns name, and its constants.
    bound: HashSet<String>,
}

impl Names {
    /// Adds the names in patterns, and those of constants. None of them is a parameter of an `impl`: a pattern may neither name
    /// such a one nor hide it.
    fn add_bound(&mut self, tokens: TokenStream) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mark = |i: usize| match tokens.get(i) {
            Some(TokenTree::Punct(p)) => p.as_char(),
            _ => ' ',
        };
        let is_arrow = |i: usize| mark(i) == '=' && mark(i + 1) == '>';
        for (i, t) in tokens.iter().enumerate() {
            match t {
                TokenTree::Group(g) => self.add_bound(g.stream()),
                TokenTree::Ident(word) if word == "let" => {
                    // To its type, or to its value: `..=` belongs to the pattern.
                    let ends = |j: &usize| match mark(*j) {
                        '=' => mark(j - 1) != '.',
                        ':' => mark(j - 1) != ':' && mark(j + 1) != ':',
                        m => m == ';',
                    };
                    let end = (i + 1..tokens.len()).find(ends).unwrap_or(tokens.len());
                    self.add_names(&tokens[i + 1..end]);
                }
                TokenTree::Ident(word) if word == "for" => {
                    let is_in = |t: &TokenTree| matches!(t, TokenTree::Ident(word) if word == "in");
                    let count = tokens[i + 1..].iter().position(is_in).unwrap_or(0);
                    self.add_names(&tokens[i + 1..i + 1 + count]);
                }
                TokenTree::Ident(word) if word == "const" || word == "static" => {
                    let count =
                        if matches!(tokens.get(i + 1), Some(TokenTree::Ident(word)) if word == "mut") { 2 } else { 1 };
                    self.add_names(&tokens[i + 1..tokens.len().min(i + 1 + count)]);
                }
                TokenTree::Punct(_) if is_arrow(i) => {
                    // Back to the arm before it, and without what the arm asks for besides.
                    let is_before = |j: &usize| match &tokens[*j] {
                        TokenTree::Punct(p) => p.as_char() == ',',
                        TokenTree::Group(g) => g.delimiter() == Delimiter::Brace && *j >= 2 && is_arrow(j - 2),
                        _ => false,
                    };
                    let arm = &tokens[(0..i).rev().find(is_before).map_or(0, |j| j + 1)..i];
                    let is_if = |t: &TokenTree| matches!(t, TokenTree::Ident(word) if word == "if");
                    self.add_names(&arm[..arm.iter().position(is_if).unwrap_or(arm.len())]);
                }
                _ => {}
            }
        }
    }

    fn add_names(&mut self, pattern: &[TokenTree]) {
        for t in pattern {
            match t {
                TokenTree::Ident(name) => _ = self.bound.insert(name.unraw().to_string()),
                TokenTree::Group(g) => self.add_names(&g.stream().into_iter().collect::<Vec<_>>()),
                _ => {}
            }
        }
    }

    /// Whether a name can't be a parameter of an `impl`.
    fn is_own(&self, name: &str) -> bool {
        let is_small = name.starts_with(|c: char| c.is_lowercase() || c == '_');
        self.types.contains(name) || KNOWN.contains(&name) || is_small && (self.bound.contains(name) || is_word(name))
    }

    /// Whether no name is one that could be a parameter of an `impl` around the function, or that a macro brings.
    fn all_known(&self, tokens: TokenStream) -> bool {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mark = |i: usize| match tokens.get(i) {
            Some(TokenTree::Punct(p)) => p.as_char(),
            _ => ' ',
        };
        tokens.iter().enumerate().all(|(i, t)| {
            let before = |n: usize| mark(i.wrapping_sub(n));
            match t {
                // Of a macro, a fragment that it was given may be anything.
                TokenTree::Group(g) => g.delimiter() != Delimiter::None && self.all_known(g.stream()),
                TokenTree::Punct(_) => true,
                // A text of a format names what is in it.
                TokenTree::Literal(l) => captured_by(&l.to_string()).iter().all(|name| self.is_own(name)),
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    if before(1) == '\'' {
                        return name == "static" || name == "_" || self.lifetimes.contains(&name);
                    }
                    let is_macro = mark(i + 1) == '!' && mark(i + 2) != '=';
                    if is_macro && !READING_MACROS.contains(&name.as_str()) && !COME_BEFORE_VALUES.contains(&name.as_str()) {
                        return false;
                    }
                    let follows = |marks: [char; 2]| [mark(i + 1), mark(i + 2)] == marks;
                    let is_of_another = [before(2), before(1)] == [':', ':'] || before(1) == '.';
                    let is_small = name.starts_with(|c: char| c.is_lowercase() || c == '_');
                    let is_function = matches!(tokens.get(i + 1), Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Parenthesis);
                    let leads_on = is_small && (is_function || is_macro || follows([':', ':']));
                    (is_of_another || leads_on || self.is_own(&name)) && name != "impl"
                }
            }
        })
    }
}

/// Whether something is declared that has a path, by which it is called on tapes.
fn declares(tokens: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let begins = |i: usize| match tokens.get(i.wrapping_sub(1)) {
        None | Some(TokenTree::Punct(_)) => true,
        Some(TokenTree::Ident(k)) => COME_BEFORE_VALUES.iter().any(|c| k == c),
        _ => false,
    };
    tokens.iter().enumerate().any(|(i, t)| match t {
        TokenTree::Group(g) => declares(g.stream()),
        TokenTree::Ident(k) => ["fn", "struct", "enum", "union", "trait", "mod", "async"].iter().any(|d| k == d),
        // The second one of `||` has one before it.
        TokenTree::Punct(p) => p.as_char() == '|' && begins(i) && !ends_or(&tokens, i),
        TokenTree::Literal(_) => false,
    })
}

/// Whether this is the second `|` of an operator.
fn ends_or(tokens: &[TokenTree], i: usize) -> bool {
    matches!(tokens.get(i.wrapping_sub(1)), Some(TokenTree::Punct(p)) if p.as_char() == '|')
}

/// Whether a name is a word of the language, or a type of it.
fn is_word(name: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 45] = [
        "as", "bool", "break", "char", "const", "continue", "crate", "dyn", "else", "f32", "f64", "false", "fn", "for", "i128",
        "i16", "i32", "i64", "i8", "if", "in", "isize", "let", "loop", "match", "move", "mut", "raw", "ref", "return", "self",
        "static", "str", "super", "true", "u128", "u16", "u32", "u64", "u8", "unsafe", "use", "usize", "where", "while",
    ];
    WORDS.contains(&name) || name == "_"
}

#[cfg(test)]
mod tests {
    use super::super::function;
    use proc_macro2::TokenStream;
    use quote::quote;

    fn is_apart(item: TokenStream) -> bool {
        function(TokenStream::new(), item).expect("fine").to_string().contains("__wengert_run")
    }

    #[test]
    fn functions_of_numbers_are_apart() {
        let fib = quote!(
            fn fib(n: u64) -> u64 {
                if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
            }
        );
        let steps = quote!(
            fn steps(mut n: u64, most: usize) -> Option<u32> {
                let (mut count, limit) = (0, most as u32);
                while n != 1 && !(count > limit) {
                    n = if n % 2 == 0 { n / 2 } else { n.checked_mul(3)? + 1 };
                    count += 1;
                    assert!(count < u32::MAX, "{count} steps of {n}");
                }
                Some(count)
            }
        );
        assert!(is_apart(fib) && is_apart(steps));
        assert!(!is_apart(quote!(
            fn f(x: f64) -> f64 {
                x + SIZE
            }
        )));
        assert!(!is_apart(quote!(
            fn f(x: f64) -> String {
                format!("{x} of {N}")
            }
        )));
        assert!(!is_apart(quote!(
            fn f(x: usize) -> usize {
                x + size
            }
        )));
        // A parameter of an `impl` may have a small letter.
        for uses in [
            quote!({ size }),
            quote!(f(size)),
            quote!((x, size).1),
            quote!([0; size][x]),
            quote!({
                let y: [usize; size] = list(x);
                y[0]
            }),
            quote!(match x {
                y if y > size => y,
                _ => size,
            }),
        ] {
            assert!(!is_apart(quote!(fn f(x: usize) -> usize { #uses })), "{uses}");
        }
        assert!(is_apart(quote!(
            fn f(x: usize) -> usize {
                const most: usize = 3;
                let (a, mut b) = (x, 0);
                for (i, k) in [(0, a)] {
                    if let Some(found @ 1..=9) = k.checked_sub(i) {
                        b = found;
                    }
                }
                match b {
                    0 => {}
                    1 | 2 => return f(b),
                    other if other > most => b = other,
                    _ => (),
                }
                (a, b).1
            }
        )));
        assert!(!is_apart(quote!(
            fn f(&self, x: usize) -> usize {
                x
            }
        )));
        assert!(!is_apart(quote!(
            #[track_caller]
            fn f(x: usize) -> usize {
                x
            }
        )));
        assert!(!is_apart(quote!(
            fn f(x: usize) -> usize {
                called(&mut |y| y + x)
            }
        )));
    }
}
