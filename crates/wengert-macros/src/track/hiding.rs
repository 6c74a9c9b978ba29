//! Whether names of a function are its variables: a constant, a static or an import may have the same one.

use super::source::has_conditional_parts;
use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::{Block, UseTree};

/// Whether a function declares or imports a constant or a static that has the name of a variable, or may do so: which of them a name
/// is depends on the block.
pub(super) fn hides_variables(parameters: &[String], body: &Block) -> bool {
    let (mut items, mut variables) = (ItemNames::default(), parameters.iter().cloned().collect());
    let body = body.to_token_stream();
    items.find(body.clone());
    named_variables(body.clone(), (!has_conditional_parts(body)).then(HashSet::new).as_ref(), &mut variables);
    let is_in_capitals = |name: &String| !name.starts_with('_') && !name.contains(char::is_lowercase);
    !items.names.is_disjoint(&variables)
        || items.all_in_capitals && variables.iter().any(is_in_capitals)
        || items.all && !variables.is_empty()
}

/// The constants, statics and imports among tokens.
#[derive(Default)]
struct ItemNames {
    names: HashSet<String>,
    /// Whether all of a module of the standard library or all variants of an enum are imported: of constants, names in capitals.
    all_in_capitals: bool,
    /// Whether all of something else is.
    all: bool,
}

impl ItemNames {
    fn find(&mut self, tokens: TokenStream) {
        let mut declares = false;
        let mut tokens = tokens.into_iter();
        while let Some(t) = tokens.next() {
            match t {
                TokenTree::Group(g) => self.find(g.stream()),
                TokenTree::Ident(i) if i == "use" => {
                    let ends = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == ';');
                    let tree: TokenStream = tokens.by_ref().take_while(|t| !ends(t)).collect();
                    match syn::parse2::<UseTree>(without_leading_colons(tree.clone())) {
                        Ok(tree) => self.import(&tree, &[]),
                        // In a macro, or what `impl` captures.
                        Err(_) => {
                            all_names(tree.clone(), &mut self.names);
                            self.all |= self.names.contains("*");
                        }
                    }
                }
                TokenTree::Ident(i) if i == "const" || i == "static" || declares && i == "mut" => {
                    declares = true;
                    continue;
                }
                TokenTree::Ident(i) if declares => _ = self.names.insert(i.unraw().to_string()),
                _ => {}
            }
            declares = false;
        }
    }

    /// What a part of an import brings, after this path.
    fn import(&mut self, tree: &UseTree, path: &[String]) {
        match tree {
            UseTree::Path(p) => self.import(&p.tree, &[path, &[p.ident.unraw().to_string()]].concat()),
            UseTree::Name(n) if n.ident == "self" => self.names.extend(path.last().cloned()),
            UseTree::Name(n) => _ = self.names.insert(n.ident.unraw().to_string()),
            UseTree::Rename(r) => _ = self.names.insert(r.rename.unraw().to_string()),
            UseTree::Group(g) => g.items.iter().for_each(|t| self.import(t, path)),
            UseTree::Glob(_) => {
                let is_of_std = path.first().is_some_and(|p| ["std", "core", "alloc"].contains(&&**p));
                let is_enum = path.last().is_some_and(|p| p.starts_with(char::is_uppercase));
                match is_of_std || is_enum {
                    true => self.all_in_capitals = true,
                    false => self.all = true,
                }
            }
        }
    }
}

/// `::std::f64` as `std::f64`.
fn without_leading_colons(tokens: TokenStream) -> TokenStream {
    tokens.into_iter().skip_while(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == ':')).collect()
}

/// The names that may be of variables: those in patterns, as far as tokens tell. A constant or static in capitals of the block around
/// is none: a pattern with it binds nothing. Which there are is not known where the compiler may leave some out.
fn named_variables(tokens: TokenStream, constants: Option<&HashSet<String>>, found: &mut HashSet<String>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let is_mark = |t: &TokenTree, marks: &str| matches!(t, TokenTree::Punct(p) if marks.contains(p.as_char()));
    let is_word = |t: &TokenTree, word: &str| matches!(t, TokenTree::Ident(i) if i == word);
    let here = constants.map(|around| {
        // `const NAME: `, unlike `*const Name`.
        let declared = tokens.windows(3).filter_map(|t| match t {
            [keyword, TokenTree::Ident(name), colon] if is_mark(colon, ":") => {
                (is_word(keyword, "const") || is_word(keyword, "static")).then(|| name.unraw().to_string())
            }
            _ => None,
        });
        around
            .iter()
            .cloned()
            .chain(declared.filter(|name| name.starts_with(char::is_uppercase)))
            .collect::<HashSet<_>>()
    });
    let mut collect = |part: &[TokenTree]| {
        let mut names = HashSet::new();
        all_names(part.iter().cloned().collect(), &mut names);
        found.extend(names.into_iter().filter(|name| here.as_ref().is_none_or(|c| !c.contains(name))));
    };
    for (i, t) in tokens.iter().enumerate() {
        let (before, after) = (&tokens[..i], &tokens[i + 1..]);
        let until = |ends: &dyn Fn(&TokenTree) -> bool| &after[..after.iter().position(ends).unwrap_or(after.len())];
        match t {
            TokenTree::Ident(word) if word == "let" => collect(until(&|t| is_mark(t, "=;"))),
            TokenTree::Ident(word) if word == "for" => collect(until(&|t| is_word(t, "in"))),
            TokenTree::Punct(p) if p.as_char() == '|' => collect(until(&|t| is_mark(t, "|"))),
            // The arm of a `match`.
            TokenTree::Punct(p) if p.as_char() == '=' && after.first().is_some_and(|t| is_mark(t, ">")) => {
                let from = before.iter().rposition(|t| is_mark(t, ",")).map_or(0, |at| at + 1);
                collect(&before[from..]);
            }
            _ => {}
        }
    }
    for t in tokens {
        if let TokenTree::Group(g) = t {
            named_variables(g.stream(), here.as_ref(), found);
        }
    }
}

fn all_names(tokens: TokenStream, found: &mut HashSet<String>) {
    for t in tokens {
        match t {
            TokenTree::Group(g) => all_names(g.stream(), found),
            TokenTree::Ident(i) => _ = found.insert(i.unraw().to_string()),
            TokenTree::Punct(p) if p.as_char() == '*' => _ = found.insert("*".into()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hides(parameter: &str, body: &str) -> bool {
        hides_variables(&[parameter.to_string()], &syn::parse_str(body).expect("a block"))
    }

    #[test]
    fn a_constant_of_the_block_around_is_no_variable() {
        assert!(!hides("n", "{ const LIMIT: i64 = 3; match n { LIMIT => 1, _ => 2 } }"));
        assert!(!hides("n", "{ let v = { const LIMIT: i64 = 3; match n { Some(LIMIT) => 1, _ => 2 } }; v }"));
        assert!(!hides("n", "{ if let Some(LIMIT) = n { 1 } else { 2 } static LIMIT: i64 = 3; }"));
        // A parameter is declared outside of the block.
        assert!(hides("LIMIT", "{ const LIMIT: i64 = 3; LIMIT }"));
        // Elsewhere, the name may be bound.
        assert!(hides("n", "{ { const LIMIT: i64 = 3; } match n { LIMIT => LIMIT } }"));
        assert!(hides("n", "{ #[cfg(any())] const LIMIT: i64 = 3; match n { LIMIT => LIMIT } }"));
        // A pattern with such a name is taken for a variable.
        assert!(hides("n", "{ const limit: i64 = 3; match n { limit => 1, _ => 2 } }"));
    }

    #[test]
    fn imports_may_be_constants() {
        assert!(hides("n", "{ let v = n; { use constants::v; v } }"));
        assert!(hides("n", "{ let v = n; { use constants::{w as v}; v } }"));
        assert!(!hides("n", "{ let v = n; { use constants::{v as w}; v * w } }"));
        assert!(!hides("n", "{ use Direction::*; match n { Left => 1, Right => 2 } }"));
        assert!(!hides("n", "{ use ::std::f64::consts::*; let v = n; v * PI }"));
        assert!(hides("n", "{ use std::f64::consts::*; let E = n; E }"));
        assert!(hides("n", "{ { use super::*; n * 2.0 } }"));
        assert!(hides("n", "{ let f = || { use constants::{inner::*}; n }; f() }"));
    }
}
