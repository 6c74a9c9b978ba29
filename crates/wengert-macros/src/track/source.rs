//! What is read off the source: names in patterns, the text of expressions, calls, and what types say.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Block, Expr, Ident, Member, Pat, Stmt, Type};

/// The most characters of an expression that are kept.
const TEXT: usize = 60;

/// Where something begins.
pub(super) fn span_of(x: &impl ToTokens) -> Span {
    x.span()
}

/// The text of an expression or pattern, on one line, spaced as it was written.
pub(super) fn text(x: &impl ToTokens) -> String {
    let mut text = Text { out: String::new(), end: None };
    text.put_all(x.to_token_stream());
    match text.out.char_indices().nth(TEXT) {
        None => text.out,
        Some((at, _)) => format!("{}…", &text.out[..at]),
    }
}

struct Text {
    out: String,
    /// Line and column where the last token ended, if that is known.
    end: Option<(usize, usize)>,
}

impl Text {
    fn put(&mut self, token: &str, places: Option<[(usize, usize); 2]>) {
        let touches = places.is_some_and(|[start, _]| self.end == Some(start));
        if !self.out.is_empty() && !touches {
            self.out.push(' ');
        }
        self.out.push_str(token);
        self.end = places.map(|[_, end]| end);
    }

    fn put_all(&mut self, tokens: TokenStream) {
        for t in tokens {
            let places = places(t.span());
            let TokenTree::Group(g) = t else {
                self.put(&t.to_string(), places);
                continue;
            };
            let (open, close) = match g.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => {
                    self.put_all(g.stream());
                    continue;
                }
            };
            self.put(open, places.map(|[start, _]| [start, (start.0, start.1 + 1)]));
            self.put_all(g.stream());
            self.put(close, places.map(|[_, end]| [(end.0, end.1.saturating_sub(1)), end]));
        }
    }
}

/// Tokens as they are laid out in their file, without its comments, and the line and column where they begin.
pub(super) fn written(tokens: &TokenStream) -> (String, [u32; 2]) {
    let Some([start, _]) = tokens.clone().into_iter().next().and_then(|t| places(t.span())) else {
        return (String::new(), [0, 0]);
    };
    let mut layout = Layout { out: String::new(), at: start };
    layout.put_all(tokens.clone());
    (layout.out, [start.0 as u32, start.1 as u32])
}

struct Layout {
    out: String,
    /// The line and column where the text ends.
    at: (usize, usize),
}

impl Layout {
    fn put(&mut self, token: &str, [start, end]: [(usize, usize); 2]) {
        // What a macro wrote lies elsewhere, or nowhere.
        if start < self.at {
            self.out.push(' ');
        } else {
            let lines = start.0 - self.at.0;
            let columns = if lines > 0 { start.1 - 1 } else { start.1 - self.at.1 };
            self.out.extend(std::iter::repeat_n('\n', lines).chain(std::iter::repeat_n(' ', columns)));
        }
        self.out.push_str(token);
        self.at = end.max(self.at);
    }

    fn put_all(&mut self, tokens: TokenStream) {
        for t in tokens {
            let Some(places) = places(t.span()) else { continue };
            let TokenTree::Group(g) = t else {
                self.put(&t.to_string(), places);
                continue;
            };
            let (open, close) = match g.delimiter() {
                Delimiter::Parenthesis => ("(", ")"),
                Delimiter::Brace => ("{", "}"),
                Delimiter::Bracket => ("[", "]"),
                Delimiter::None => ("", ""),
            };
            let [start, end] = places;
            self.put(open, [start, (start.0, start.1 + open.len())]);
            self.put_all(g.stream());
            self.put(close, [(end.0, end.1.saturating_sub(close.len())), end]);
        }
    }
}

/// Where something begins and ends.
pub(super) fn extent(x: &impl ToTokens) -> Option<[u32; 4]> {
    let tokens = x.to_token_stream();
    let (first, last) = (tokens.clone().into_iter().next()?, tokens.into_iter().last()?);
    let ([start, _], [_, end]) = (places(first.span())?, places(last.span())?);
    Some([start.0 as u32, start.1 as u32, end.0 as u32, end.1 as u32])
}

/// Line and column of start and end. Outside a compiler, tokens have no places.
fn places(span: Span) -> Option<[(usize, usize); 2]> {
    let places = || [span.unwrap().start(), span.unwrap().end()].map(|s| (s.line(), s.column()));
    proc_macro::is_available().then(places)
}

/// The tokens without the invisible groups that other macros put around their fragments: the compiler drops these from the
/// output of a macro. Parentheses take their place where a fragment could come apart.
pub(crate) fn ungrouped(tokens: TokenStream) -> TokenStream {
    let one = |t: TokenTree| match t {
        TokenTree::Group(g) => {
            let inner = ungrouped(g.stream());
            let (delimiter, span) = match g.delimiter() {
                Delimiter::None if !comes_apart(&inner) => return inner,
                Delimiter::None => (Delimiter::Parenthesis, Span::mixed_site().located_at(g.span())),
                delimiter => (delimiter, g.span()),
            };
            let mut group = Group::new(delimiter, inner);
            group.set_span(span);
            group.into_token_stream()
        }
        t => t.into(),
    };
    tokens.into_iter().map(one).collect()
}

/// Whether a fragment, be it an expression, a type or a pattern, may mean something else with what is beside it.
fn comes_apart(fragment: &TokenStream) -> bool {
    use Expr::*;
    if let Ok(e) = syn::parse2::<Expr>(fragment.clone()) {
        let operator = matches!(e, Binary(_) | Cast(_) | Range(_) | RawAddr(_) | Reference(_) | Unary(_));
        return operator || matches!(e, Break(_) | Closure(_) | Return(_));
    }
    if let Ok(t) = syn::parse2::<Type>(fragment.clone()) {
        return matches!(t, Type::TraitObject(_) | Type::ImplTrait(_));
    }
    Pat::parse_multi.parse2(fragment.clone()).is_ok_and(|p| matches!(p, Pat::Or(_)))
}

/// The variables that a pattern binds, in order; those of the first alternative stand for all. In a pattern that always
/// matches, a name in capitals is one too.
pub(super) fn bindings(pattern: &Pat, always: bool) -> Vec<Ident> {
    bindings_and_changes(pattern, always).into_iter().map(|(name, _)| name).collect()
}

/// [`bindings`], each with whether it may get another value, or be changed through.
pub(super) fn bindings_and_changes(pattern: &Pat, always: bool) -> Vec<(Ident, bool)> {
    let mut names = Vec::new();
    bound(pattern, always, &mut names);
    names
}

fn bound(pattern: &Pat, always: bool, names: &mut Vec<(Ident, bool)>) {
    let mut all = |patterns: &mut dyn Iterator<Item = &Pat>| patterns.for_each(|p| bound(p, always, names));
    match pattern {
        Pat::Ident(p) => {
            // In capitals it may be a constant or a variant.
            let first = p.ident.unraw().to_string().chars().next();
            if first.is_some_and(|c| always || !c.is_uppercase()) {
                names.push((p.ident.clone(), p.mutability.is_some()));
            }
            p.subpat.iter().for_each(|(_, p)| bound(p, always, names));
        }
        Pat::Or(p) => all(&mut p.cases.iter().take(1)),
        Pat::Paren(p) => bound(&p.pat, always, names),
        Pat::Reference(p) => bound(&p.pat, always, names),
        Pat::Slice(p) => all(&mut p.elems.iter()),
        Pat::Struct(p) => all(&mut p.fields.iter().filter(|f| !conditional(&f.attrs)).map(|f| &*f.pat)),
        Pat::Tuple(p) => all(&mut p.elems.iter()),
        Pat::TupleStruct(p) => all(&mut p.elems.iter()),
        Pat::Type(p) => bound(&p.pat, always, names),
        _ => {}
    }
}

/// A part of an expression.
pub(super) enum Part<'a> {
    Expr(&'a mut Expr),
    Block(&'a mut Block),
}

/// The parts of an expression that run with it, in the order they stand. The bodies of closures and the like are not among
/// them: they run on their own, or when the program is compiled.
pub(super) fn parts(e: &mut Expr) -> Vec<Part<'_>> {
    fn one(e: &mut Expr) -> Vec<Part<'_>> {
        vec![Part::Expr(e)]
    }
    fn two<'a>(a: &'a mut Expr, b: &'a mut Expr) -> Vec<Part<'a>> {
        vec![Part::Expr(a), Part::Expr(b)]
    }
    match e {
        Expr::Array(e) => e.elems.iter_mut().map(Part::Expr).collect(),
        Expr::Assign(e) => two(&mut e.left, &mut e.right),
        Expr::Binary(e) => two(&mut e.left, &mut e.right),
        Expr::Block(e) => vec![Part::Block(&mut e.block)],
        Expr::Break(e) => e.expr.iter_mut().map(|e| Part::Expr(e)).collect(),
        Expr::Call(e) => std::iter::once(&mut *e.func).chain(&mut e.args).map(Part::Expr).collect(),
        Expr::Cast(e) => one(&mut e.expr),
        Expr::Field(e) => one(&mut e.base),
        Expr::ForLoop(e) => vec![Part::Expr(&mut e.expr), Part::Block(&mut e.body)],
        Expr::Group(e) => one(&mut e.expr),
        Expr::If(e) => {
            let other = e.else_branch.iter_mut().map(|(_, e)| Part::Expr(e));
            [Part::Expr(&mut e.cond), Part::Block(&mut e.then_branch)].into_iter().chain(other).collect()
        }
        Expr::Index(e) => two(&mut e.expr, &mut e.index),
        Expr::Let(e) => one(&mut e.expr),
        Expr::Loop(e) => vec![Part::Block(&mut e.body)],
        Expr::Match(e) => one(&mut e.expr),
        Expr::MethodCall(e) => std::iter::once(&mut *e.receiver).chain(&mut e.args).map(Part::Expr).collect(),
        Expr::Paren(e) => one(&mut e.expr),
        Expr::Range(e) => e.start.iter_mut().chain(&mut e.end).map(|e| Part::Expr(e)).collect(),
        Expr::RawAddr(e) => one(&mut e.expr),
        Expr::Reference(e) => one(&mut e.expr),
        Expr::Repeat(e) => one(&mut e.expr),
        Expr::Return(e) => e.expr.iter_mut().map(|e| Part::Expr(e)).collect(),
        Expr::Struct(e) => {
            let fields = e.fields.iter_mut();
            // `Point { x }` has no expression of its own to change.
            let fields = fields.filter(|f| f.colon_token.is_some() || matches!(f.member, Member::Unnamed(_)));
            fields.map(|f| &mut f.expr).chain(e.rest.iter_mut().map(|e| &mut **e)).map(Part::Expr).collect()
        }
        Expr::Try(e) => one(&mut e.expr),
        Expr::Tuple(e) => e.elems.iter_mut().map(Part::Expr).collect(),
        Expr::Unary(e) => one(&mut e.expr),
        Expr::Unsafe(e) => vec![Part::Block(&mut e.block)],
        Expr::While(e) => vec![Part::Expr(&mut e.cond), Part::Block(&mut e.body)],
        _ => Vec::new(),
    }
}

/// The first call of a statement outside its blocks, which have statements of their own: where it is.
pub(super) fn first_call(s: &mut Stmt) -> Option<Span> {
    match s {
        Stmt::Local(l) => first_call_in(&mut l.init.as_mut()?.expr),
        Stmt::Expr(e, _) => first_call_in(e),
        Stmt::Macro(m) => Some(m.mac.path.span()),
        Stmt::Item(_) => None,
    }
}

/// See [`first_call`].
pub(super) fn first_call_in(e: &mut Expr) -> Option<Span> {
    match e {
        Expr::Call(c) if !is_constructor(&c.func) => return Some(c.func.span()),
        Expr::MethodCall(c) => return Some(c.method.span()),
        Expr::Macro(m) => return Some(m.mac.path.span()),
        _ => {}
    }
    parts(e).into_iter().find_map(|p| match p {
        Part::Expr(e) => first_call_in(e),
        Part::Block(_) => None,
    })
}

/// Whether what is called is, by its name, a tuple struct or a variant.
pub(crate) fn is_constructor(f: &Expr) -> bool {
    let Expr::Path(p) = f else { return false };
    p.path.segments.last().is_some_and(|s| s.ident.to_string().starts_with(char::is_uppercase))
}

/// Whether what is called is a variant of the standard library, by its name alone.
pub(super) fn is_variant_of_std(f: &Expr) -> bool {
    let Expr::Path(p) = f else { return false };
    p.path.get_ident().is_some_and(|name| ["Some", "Ok", "Err"].iter().any(|known| name == known))
}

fn is_condition(a: &Attribute) -> bool {
    a.path().is_ident("cfg") || a.path().is_ident("cfg_attr")
}

/// Whether the compiler may leave out parts of the tokens.
pub(super) fn has_conditional_parts(tokens: TokenStream) -> bool {
    let is_condition = |t: TokenTree| matches!(t, TokenTree::Ident(i) if i == "cfg" || i == "cfg_attr");
    let mut after_hash = false;
    tokens.into_iter().any(|t| {
        let was = std::mem::replace(&mut after_hash, matches!(&t, TokenTree::Punct(p) if p.as_char() == '#'));
        match t {
            TokenTree::Group(g) => {
                was && g.stream().into_iter().next().is_some_and(is_condition) || has_conditional_parts(g.stream())
            }
            _ => false,
        }
    })
}

/// Whether a name is among tokens.
pub(super) fn has_ident(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|t| match t {
        TokenTree::Group(g) => has_ident(g.stream(), name),
        TokenTree::Ident(i) => i == name,
        _ => false,
    })
}

/// The names of functions and types that tokens declare: within one function, several may have one path. `types` says of which.
pub(super) fn declared(tokens: TokenStream, types: bool, found: &mut HashSet<String>) {
    let mut declares = false;
    for t in tokens {
        match t {
            TokenTree::Group(g) => declared(g.stream(), types, found),
            TokenTree::Ident(i) if declares => _ = found.insert(i.unraw().to_string()),
            TokenTree::Ident(i) => {
                declares = ["struct", "enum", "union", "trait", "type"].iter().any(|k| i == k)
                    || !types && ["fn", "mod"].iter().any(|k| i == k);
                continue;
            }
            _ => {}
        }
        declares = false;
    }
}

/// Whether the attributes may remove what they are on.
pub(super) fn conditional(attrs: &[Attribute]) -> bool {
    attrs.iter().any(is_condition)
}

/// The `cfg` attributes of a statement or an expression: its reports get them too.
pub(super) fn conditions(x: &impl ToTokens) -> Vec<Attribute> {
    let leading = |input: ParseStream<'_>| {
        let attrs = input.call(Attribute::parse_outer)?;
        input.parse::<TokenStream>().map(|_| attrs)
    };
    let attrs = leading.parse2(x.to_token_stream()).unwrap_or_default();
    attrs.into_iter().filter(is_condition).collect()
}

/// Whether an expression may be a place, from which a pattern may borrow or move: it must stay as it is.
pub(super) fn is_place(e: &Expr) -> bool {
    match e {
        Expr::Path(_) | Expr::Field(_) | Expr::Index(_) | Expr::Macro(_) => true,
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Deref(_)),
        Expr::Paren(p) => is_place(&p.expr),
        Expr::Group(g) => is_place(&g.expr),
        _ => false,
    }
}

/// Whether `like` holds for a name in a type as it is written, given the punctuation before it and after it.
fn any_name(tokens: TokenStream, like: &impl Fn(char, &Ident, char) -> bool) -> bool {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mark = |i: usize| match tokens.get(i) {
        Some(TokenTree::Punct(p)) => p.as_char(),
        _ => ' ',
    };
    tokens.iter().enumerate().any(|(i, t)| match t {
        TokenTree::Group(g) => any_name(g.stream(), like),
        TokenTree::Ident(name) => like(mark(i.wrapping_sub(1)), name, mark(i + 1)),
        _ => false,
    })
}

/// Whether a type speaks of `str`.
pub(super) fn holds_str(t: &Type) -> bool {
    any_name(t.to_token_stream(), &|_, name, _| name == "str")
}

/// Whether a type, as it is written, is a borrow through which something may be changed, or has one.
pub(super) fn borrows_mutably(t: &Type) -> bool {
    any_name(t.to_token_stream(), &|_, name, _| name == "mut")
}

/// How what the caller has may be changed through a parameter of a type: a variant of `Through`.
pub(super) fn changes_through(t: &Type) -> &'static str {
    match t {
        t if changes_nothing(t) => "Nothing",
        Type::Reference(_) => "Borrow",
        _ => "Value",
    }
}

/// Whether nothing outside can be changed through a value of a type: it is a shared borrow, or made of numbers, texts and arrays.
pub(super) fn changes_nothing(t: &Type) -> bool {
    const KNOWN: [&str; 21] = [
        "bool", "char", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32",
        "f64", "String", "Array", "Tensor", "Vec", "Option",
    ];
    match t {
        Type::Paren(t) => changes_nothing(&t.elem),
        Type::Group(t) => changes_nothing(&t.elem),
        Type::Reference(r) => r.mutability.is_none() && !borrows_mutably(&r.elem),
        Type::Array(t) => changes_nothing(&t.elem),
        Type::Tuple(t) => t.elems.iter().all(changes_nothing),
        Type::Path(p) => p.path.segments.last().is_some_and(|s| {
            let inner = match &s.arguments {
                syn::PathArguments::AngleBracketed(a) => {
                    a.args.iter().all(|a| matches!(a, syn::GenericArgument::Type(t) if changes_nothing(t)))
                }
                syn::PathArguments::None => true,
                syn::PathArguments::Parenthesized(_) => false,
            };
            inner && KNOWN.iter().any(|k| s.ident == k)
        }),
        _ => false,
    }
}

/// Whether a pattern borrows what it matches, to change it.
pub(super) fn has_ref_mut(pattern: &Pat) -> bool {
    any_name(pattern.to_token_stream(), &|_, name, _| name == "ref")
        && any_name(pattern.to_token_stream(), &|_, name, _| name == "mut")
}

/// Whether a pattern, or what is assigned to, leaves out parts of what it takes: `_`, `..`.
pub(super) fn has_rest(takes: &impl ToTokens) -> bool {
    let tokens = takes.to_token_stream();
    any_name(tokens.clone(), &|_, name, _| name == "_") || tokens.to_string().contains("..")
}

/// Whether a macro makes a part of a pattern.
pub(super) fn has_macro(pattern: &Pat) -> bool {
    any_name(pattern.to_token_stream(), &|_, _, after| after == '!')
}

/// Whether the compiler has to infer a part of a type, lifetimes aside.
pub(super) fn is_inferred(t: &Type) -> bool {
    any_name(t.to_token_stream(), &|before, name, _| before != '\'' && name == "_")
}

/// Whether a type has `impl` in it, or may have by a macro.
pub(super) fn is_opaque(t: &Type) -> bool {
    any_name(t.to_token_stream(), &|_, name, after| name == "impl" || after == '!')
}
