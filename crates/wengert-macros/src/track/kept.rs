//! Parts that variables keep: of `let t = (v, 2.0)`, where nothing is done with `t` but to read `t.0` and `t.1`, or to take it
//! apart, each part is followed as a variable of its own. `t` can't change then, and neither can its parts that are numbers.
//!
//! While reports are put in, such a part is a name, which is written as it stood in the end. Any other use of the variable, wherever it
//! is, leaves all of it as it is.

use super::effects::Effects;
use super::places::{method_at, spot};
use super::rewrite::{Rewriter, stmt, when_live};
use super::source::bindings;
use super::values::{Given, Origin, bare_pattern, is_what_it_came_from};
use super::variables::captured_by;
use proc_macro2::{Delimiter, Ident, Literal, Punct, Spacing, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::HashMap;
use syn::ext::IdentExt;
use syn::{Block, Expr, ExprLit, Lit, Local, Member, Pat, Path, Stmt};

/// How many parts of a variable are told apart.
const MOST: usize = 16;

/// How names of parts begin.
const NAME: &str = "__wengert_part_";

/// How a variable is made of its parts.
#[derive(Clone, PartialEq)]
pub(super) enum Shape {
    Tuple(usize),
    List(usize),
    /// A struct with these fields.
    Struct(Vec<String>),
    /// `Some`, by the path that is written.
    Some(String),
}

impl Shape {
    /// What an expression makes, if its parts are told apart.
    fn of(e: &Expr) -> Option<Shape> {
        let shape = match e {
            Expr::Tuple(t) => Shape::Tuple(t.elems.len()),
            Expr::Array(a) => Shape::List(a.elems.len()),
            Expr::Struct(s) if s.rest.is_none() && s.dot2_token.is_none() => {
                let name = |f: &syn::FieldValue| match &f.member {
                    Member::Named(name) if f.attrs.is_empty() => Some(name.to_string()),
                    _ => None,
                };
                Shape::Struct(s.fields.iter().map(name).collect::<Option<_>>()?)
            }
            Expr::Call(c) if c.args.len() == 1 => Shape::Some(path_of_some(&c.func)?),
            _ => return None,
        };
        (1..=MOST).contains(&shape.count()).then_some(shape)
    }

    fn count(&self) -> usize {
        match self {
            Shape::Tuple(n) | Shape::List(n) => *n,
            Shape::Struct(fields) => fields.len(),
            Shape::Some(_) => 1,
        }
    }

    /// The part that stands after a variable, and how many tokens that are.
    fn part_after(&self, tokens: &[TokenTree]) -> Option<(usize, usize)> {
        let dot = |t: &TokenTree| matches!(t, TokenTree::Punct(p) if p.as_char() == '.');
        let index = |t: &TokenTree| t.to_string().parse::<usize>().ok().filter(|i| *i < self.count());
        match (self, tokens) {
            (Shape::Tuple(_), [first, i @ TokenTree::Literal(_), ..]) if dot(first) => Some((index(i)?, 2)),
            (Shape::Struct(fields), [first, TokenTree::Ident(name), ..]) if dot(first) => {
                Some((fields.iter().position(|f| name == f)?, 2))
            }
            (Shape::List(_), [TokenTree::Group(g), ..]) if g.delimiter() == Delimiter::Bracket => {
                match &g.stream().into_iter().collect::<Vec<_>>()[..] {
                    [i @ TokenTree::Literal(_)] => Some((index(i)?, 1)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The patterns of the parts, if a pattern takes a variable of this shape apart.
    fn patterns<'a>(&self, p: &'a Pat) -> Option<Vec<(usize, &'a Pat)>> {
        let all: Vec<(usize, &Pat)> = match (self, bare_pattern(p)) {
            (Shape::Tuple(_), Pat::Tuple(t)) => t.elems.iter().enumerate().collect(),
            (Shape::List(_), Pat::Slice(s)) => s.elems.iter().enumerate().collect(),
            (Shape::Some(path), Pat::TupleStruct(s)) if *path == path_text(&s.path) => {
                s.elems.iter().enumerate().collect()
            }
            (Shape::Struct(fields), Pat::Struct(s)) => {
                let named = |f: &'a syn::FieldPat| match &f.member {
                    Member::Named(name) => Some((fields.iter().position(|x| name == x)?, &*f.pat)),
                    Member::Unnamed(_) => None,
                };
                return s.fields.iter().map(named).collect();
            }
            _ => return None,
        };
        (all.len() == self.count() && !all.iter().any(|(_, p)| matches!(p, Pat::Rest(_)))).then_some(all)
    }
}

fn path_text(p: &Path) -> String {
    p.to_token_stream().to_string()
}

/// The path of `Some`, as it is written.
fn path_of_some(f: &Expr) -> Option<String> {
    match f {
        Expr::Path(p) if p.qself.is_none() && p.path.segments.last().is_some_and(|s| s.ident == "Some") => {
            Some(path_text(&p.path))
        }
        _ => None,
    }
}

/// A variable whose parts are followed.
#[derive(Clone)]
pub(super) struct Kept {
    shape: Shape,
    /// The slots of its parts.
    slots: Vec<u32>,
    /// Whether a part is used.
    is_used: Vec<bool>,
}

/// The name that a part has while reports are put in.
fn name_of_part(shape: &Shape, variable: &str, i: usize, span: Span) -> Ident {
    let (kind, part) = match shape {
        Shape::List(_) => ('i', i.to_string()),
        Shape::Struct(fields) => ('f', fields[i].clone()),
        _ => ('f', i.to_string()),
    };
    Ident::new(&format!("{NAME}{kind}{}_{variable}_{part}", variable.len()), span)
}

/// How many characters stand after the variable where a part is written that has this name; none for other names.
pub(super) fn length_after_variable(name: &Ident) -> usize {
    let Some(part) = part_by_name(name) else { return 0 };
    let all: usize = part.clone().into_iter().map(|t| t.to_string().len()).sum();
    all - part.into_iter().next().map_or(0, |t| t.to_string().len())
}

/// A part by its name, as it was written.
pub(super) fn part_by_name(name: &Ident) -> Option<TokenStream> {
    let (text, span) = (name.to_string(), name.span());
    let text = text.strip_prefix(NAME)?;
    let (length, rest) = text[1..].split_once('_')?;
    let (variable, part) = rest.split_at(length.parse().ok()?);
    let (variable, part) = (Ident::new(variable, span), &part[1..]);
    let at = |mut t: TokenTree| {
        t.set_span(span);
        t
    };
    let part = match part.parse::<usize>() {
        Ok(i) => TokenTree::Literal(Literal::usize_unsuffixed(i)),
        Err(_) => TokenTree::Ident(Ident::new(part, span)),
    };
    let part = at(part);
    Some(match text.starts_with('i') {
        true => quote!(#variable[#part]),
        false => {
            let dot = at(TokenTree::Punct(Punct::new('.', Spacing::Alone)));
            quote!(#variable #dot #part)
        }
    })
}

/// The variable that a `let` makes of parts, if it never changes.
fn made_of_parts(s: &Stmt) -> Option<(&Ident, Shape)> {
    let Stmt::Local(Local { attrs, pat, init: Some(init), .. }) = s else { return None };
    match bare_pattern(pat) {
        Pat::Ident(p)
            if p.by_ref.is_none()
                && p.mutability.is_none()
                && p.subpat.is_none()
                && attrs.is_empty()
                && init.diverge.is_none()
                && p.ident == p.ident.unraw() =>
        {
            Some((&p.ident, Shape::of(&init.expr)?))
        }
        _ => None,
    }
}

fn is_mark(t: Option<&TokenTree>, mark: char) -> bool {
    matches!(t, Some(TokenTree::Punct(p)) if p.as_char() == mark)
}

/// Whether a token ends an operand, so that an operator stands after it and no prefix.
fn ends_operand(t: Option<&TokenTree>) -> bool {
    const KEYWORDS: [&str; 11] =
        ["return", "break", "in", "if", "while", "match", "else", "move", "mut", "async", "static"];
    match t {
        Some(TokenTree::Ident(i)) => KEYWORDS.iter().all(|k| i != k),
        Some(TokenTree::Punct(p)) => p.as_char() == '?',
        Some(_) => true,
        None => false,
    }
}

/// Whether a name stands after a dot: it is that of a field or a method.
fn is_after_dot(before: &[TokenTree]) -> bool {
    is_mark(before.last(), '.') && !(before.len() > 1 && is_mark(before.get(before.len() - 2), '.'))
}

/// Counts names in tokens, but for those of fields and methods, and those that texts say in braces.
pub(super) fn count_names(tokens: TokenStream, counts: &mut HashMap<String, usize>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for (i, t) in tokens.iter().enumerate() {
        match t {
            TokenTree::Group(g) => count_names(g.stream(), counts),
            TokenTree::Ident(name) if !is_after_dot(&tokens[..i]) => {
                *counts.entry(name.unraw().to_string()).or_default() += 1;
            }
            TokenTree::Literal(l) => {
                captured_by(&l.to_string()).into_iter().for_each(|name| *counts.entry(name).or_default() += 1);
            }
            _ => {}
        }
    }
}

/// The uses of a variable among tokens.
struct Uses<'a> {
    variable: &'a Ident,
    shape: &'a Shape,
    /// How many uses only read a part, or take the variable apart.
    count: usize,
    is_used: Vec<bool>,
}

impl Uses<'_> {
    /// The tokens with names for the parts that are read. In macros, closures, and behind borrows nothing is.
    fn replaced(&mut self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut out, mut i, mut in_closure) = (TokenStream::new(), 0, false);
        while i < tokens.len() {
            let (before, t) = (&tokens[..i], &tokens[i]);
            let mut taken = 1;
            match t {
                TokenTree::Punct(p) if p.as_char() == ';' => in_closure = false,
                // Of `||` between operands, the second bar stands after the first.
                TokenTree::Punct(p) if p.as_char() == '|' && !ends_operand(before.last()) => {
                    in_closure |= !(is_mark(before.last(), '|') && i > 1 && ends_operand(before.get(i - 2)));
                }
                _ => {}
            }
            match t {
                TokenTree::Group(g) if !in_closure && !is_hidden(before, g.delimiter()) => {
                    let mut group = proc_macro2::Group::new(g.delimiter(), self.replaced(g.stream()));
                    group.set_span(g.span());
                    out.extend([TokenTree::Group(group)]);
                }
                TokenTree::Ident(name) if !in_closure && name == self.variable && !is_after_dot(before) => {
                    match self.shape.part_after(&tokens[i + 1..]) {
                        Some((part, more)) if may_read(before, &tokens[i + 1 + more..]) => {
                            out.extend([name_of_part(self.shape, &name.to_string(), part, name.span())]);
                            (self.count, self.is_used[part], taken) = (self.count + 1, true, 1 + more);
                        }
                        _ => {
                            if takes_apart(before, tokens.get(i + 1)) {
                                self.count += 1;
                                self.is_used.fill(true);
                            }
                            t.to_tokens(&mut out);
                        }
                    }
                }
                t => t.to_tokens(&mut out),
            }
            i += taken;
        }
        out
    }
}

/// Whether what a group holds is given to a macro, or runs later, or what stands before it borrows it or writes behind it.
fn is_hidden(before: &[TokenTree], delimiter: Delimiter) -> bool {
    let nth = |n: usize| before.len().checked_sub(n).and_then(|i| before.get(i));
    let is_name = |t: Option<&TokenTree>| matches!(t, Some(TokenTree::Ident(_)));
    let declares_macro = is_name(nth(1)) && is_mark(nth(2), '!') && is_name(nth(3));
    let in_macro = is_mark(nth(1), '!') && is_name(nth(2)) && ends_operand(nth(2));
    let is_async = ["async", "move"].iter().any(|k| matches!(nth(1), Some(TokenTree::Ident(i)) if i == k));
    in_macro || declares_macro || is_async || delimiter == Delimiter::Parenthesis && is_prefixed(before)
}

/// Whether a borrow or a `*` stands before an operand.
fn is_prefixed(before: &[TokenTree]) -> bool {
    let nth = |n: usize| before.len().checked_sub(n).and_then(|i| before.get(i));
    match nth(1) {
        Some(TokenTree::Ident(i)) => ["mut", "raw", "const", "ref"].iter().any(|k| i == k),
        t if is_mark(t, '*') => !ends_operand(nth(2)),
        // `a && b`, and not a borrow of a borrow.
        t if is_mark(t, '&') => !(ends_operand(nth(2)) || is_mark(nth(2), '&') && ends_operand(nth(3))),
        _ => false,
    }
}

/// Whether `&` stands before an operand, which is not written through it.
fn is_shared(before: &[TokenTree]) -> bool {
    is_mark(before.last(), '&') && !is_mark(before.len().checked_sub(2).and_then(|i| before.get(i)), '&')
}

/// Whether a part is read by itself between these tokens, and not what is inside of it.
fn may_read(before: &[TokenTree], after: &[TokenTree]) -> bool {
    let goes_on = match after {
        [dot, TokenTree::Punct(next), ..] if is_mark(Some(dot), '.') => next.as_char() != '.',
        [dot, TokenTree::Ident(_), TokenTree::Group(g), ..] if is_mark(Some(dot), '.') => {
            g.delimiter() != Delimiter::Parenthesis
        }
        [dot, _, ..] if is_mark(Some(dot), '.') => true,
        [TokenTree::Group(g), ..] => g.delimiter() != Delimiter::Brace,
        _ => false,
    };
    !goes_on && (is_shared(before) || !is_prefixed(before))
}

/// Whether a variable stands where it is taken apart: `match t { … }`, or what a `let` gives to a pattern with parts.
fn takes_apart(before: &[TokenTree], after: Option<&TokenTree>) -> bool {
    let is_word = |t: Option<&TokenTree>, word: &str| matches!(t, Some(TokenTree::Ident(i)) if i == word);
    let is_block = matches!(after, Some(TokenTree::Group(g)) if g.delimiter() == Delimiter::Brace);
    if is_word(before.last(), "match") {
        return is_block;
    }
    let ends = is_block || is_mark(after, ';') || is_mark(after, '&') || is_word(after, "else");
    let Some(from) = before.iter().rposition(|t| is_word(Some(t), "let")).filter(|_| is_mark(before.last(), '='))
    else {
        return false;
    };
    let pattern = &before[from + 1..before.len() - 1];
    let has_end = |t: &TokenTree| is_mark(Some(t), '=') || is_mark(Some(t), ';');
    let has_parts = match pattern {
        [TokenTree::Group(_), ..] => true,
        [TokenTree::Ident(_), second, ..] => {
            matches!(second, TokenTree::Group(_)) || pattern.len() > 3 && is_path(pattern)
        }
        _ => false,
    };
    ends && has_parts && !pattern.iter().any(has_end)
}

/// Whether a pattern begins with a path of several names.
fn is_path(pattern: &[TokenTree]) -> bool {
    is_mark(pattern.get(1), ':') && is_mark(pattern.get(2), ':')
}

impl Rewriter {
    /// Finds the variables among statements whose parts are followed: what is read of them has the names of the parts then.
    pub(super) fn keep_parts(&mut self, stmts: &mut Vec<Stmt>) {
        let may_keep = self.full && !self.has_conditional_parts;
        for i in 0..stmts.len() {
            let Some((variable, shape)) = made_of_parts(&stmts[i]).filter(|_| may_keep) else { continue };
            let (variable, count) = (variable.clone(), shape.count());
            let rest = &stmts[i + 1..];
            let mut uses = Uses { variable: &variable, shape: &shape, count: 0, is_used: vec![false; count] };
            let replaced = uses.replaced(quote!({ #(#rest)* }));
            let Uses { count, is_used, .. } = uses;
            // With the one that makes it, these are all.
            let is_all = self.name_counts.get(&variable.to_string()) == Some(&(count + 1));
            if count == 0 || !is_all {
                continue;
            }
            let Ok(block) = syn::parse2::<Block>(replaced) else { continue };
            stmts.truncate(i + 1);
            stmts.extend(block.stmts);
            let slots = is_used.iter().map(|_| self.new_slot()).collect();
            self.kept.insert(variable.to_string(), Kept { shape, slots, is_used });
        }
    }

    /// The value of a variable whose parts are followed: where it came from, and what says so of each part, once it is there.
    pub(super) fn value_with_parts(&mut self, e: &mut Expr, variable: &Ident, kept: &Kept) -> (Vec<Origin>, Vec<Stmt>) {
        let tokens = e.to_token_stream();
        let parts: Vec<&mut Expr> = match e {
            Expr::Tuple(t) => t.elems.iter_mut().collect(),
            Expr::Array(a) => a.elems.iter_mut().collect(),
            Expr::Struct(s) => s.fields.iter_mut().map(|f| &mut f.expr).collect(),
            Expr::Call(c) => c.args.iter_mut().collect(),
            _ => Vec::new(),
        };
        let (mut all, mut reports) = (Vec::new(), Vec::new());
        for (i, part) in parts.into_iter().enumerate() {
            let changes = self.changes_in(part, &[&Expr::Verbatim(tokens.clone())]);
            let is_constant = is_number(part) || self.is_constant(part);
            let slot = self.new_slot();
            let from = self.value(part, Given { slot: Some(slot), ..Given::default() });
            if kept.is_used[i] {
                let (how, known): (_, &[Origin]) = match &from[..] {
                    [Origin::Literal(_)] if is_constant => ("Constant", &[]),
                    [Origin::Slot(_)] if !changes && is_followed(part) => ("Name", &from),
                    _ => ("Look", &[]),
                };
                if how != "Look" {
                    let site = self.site("", how, known, &[kept.slots[i]], "");
                    reports.push(keep(variable, &kept.shape, i, &site));
                } else {
                    let forget = self.site("", "Name", &[], &[kept.slots[i]], "");
                    reports.push(stmt(when_live(quote!(__wengert::track::copied(#forget);))));
                }
            }
            all.extend(from);
        }
        (all, reports)
    }

    /// Declares the parts of a variable that was declared, and says whether nothing else of it is used.
    pub(super) fn declare_parts(&mut self, variable: &Ident, kept: Kept) -> Option<Stmt> {
        let (of, _) = self.variables.find(&variable.to_string())?;
        let used: Vec<usize> = (0..kept.slots.len()).filter(|&i| kept.is_used[i]).collect();
        for &i in &used {
            let name = name_of_part(&kept.shape, &variable.to_string(), i, variable.span());
            self.variables.declare(&name, kept.slots[i], false);
            self.variables_of_parts.insert(kept.slots[i], of);
        }
        let slots: Vec<u32> = used.iter().map(|&i| kept.slots[i]).collect();
        let only = used.len() == kept.slots.len() && !matches!(kept.shape, Shape::Struct(_));
        self.kept_slots.insert(of, kept);
        let site = self.site("", "Name", &[Origin::Slot(of)], &slots, "");
        Some(stmt(when_live(quote!(__wengert::track::kept(&#variable, #only, #site);))))
    }

    /// Whether a pattern matches, or does not, whatever the parts of the variable are that it is compared with.
    pub(super) fn is_settled(&self, pattern: &Pat, from: &[Origin]) -> bool {
        let [Origin::Slot(of)] = from else { return false };
        let Some(kept) = self.kept_slots.get(of) else { return false };
        let is_none = |p: &Pat| p.to_token_stream().to_string() == "None";
        match kept.shape.patterns(pattern) {
            Some(all) => all.iter().all(|(_, p)| is_name(p)),
            None => matches!(kept.shape, Shape::Some(_)) && is_none(pattern) || matches!(pattern, Pat::Wild(_)),
        }
    }

    /// Names what a pattern bound of a variable whose parts are followed.
    pub(super) fn bind_kept(&mut self, pattern: &Pat, from: &[Origin], held: &Effects) -> Option<Vec<Stmt>> {
        let [Origin::Slot(of)] = from else { return None };
        let kept = self.kept_slots.get(of)?.clone();
        let all = kept.shape.patterns(pattern)?;
        if !all.iter().all(|(_, p)| is_name(p)) {
            return None;
        }
        let mut reports = Vec::new();
        for (i, p) in all {
            self.effects = held.clone();
            reports.extend(self.bind(p, true, "", &[Origin::Slot(kept.slots[i])]));
        }
        Some(reports)
    }
}

/// Whether a pattern is a name that gets the value, or `_`.
fn is_name(p: &Pat) -> bool {
    match p {
        Pat::Ident(i) => i.by_ref.is_none() && i.subpat.is_none() && !bindings(p, false).is_empty(),
        p => matches!(p, Pat::Wild(_)),
    }
}

/// A number that stands in the source, or a bool.
fn is_number(e: &Expr) -> bool {
    match e {
        Expr::Lit(ExprLit { lit: Lit::Int(_) | Lit::Float(_) | Lit::Bool(_), .. }) => true,
        Expr::Unary(u) => matches!(u.op, syn::UnOp::Neg(_)) && matches!(*u.expr, Expr::Lit(_)),
        _ => false,
    }
}

/// Whether a part, with reports in it, is what the one slot has that it came from.
fn is_followed(e: &Expr) -> bool {
    match e {
        Expr::Paren(p) => is_followed(&p.expr),
        Expr::Reference(_) | Expr::Unary(_) | Expr::Field(_) => false,
        e => is_what_it_came_from(e),
    }
}

/// The report that a variable was made with a part.
fn keep(variable: &Ident, shape: &Shape, i: usize, site: &TokenStream) -> Stmt {
    let look = method_at(variable.span(), "keep", site.clone());
    match shape {
        Shape::Some(path) => {
            let path: Path = syn::parse_str(path).expect("it was written");
            let part = Ident::new("__part", Span::mixed_site());
            let report = quote!(unsafe { __wengert::track::Spot::of(#part) } #look;);
            stmt(when_live(quote!(
                #[allow(unreachable_patterns)]
                match &#variable {
                    // SAFETY: a reference to what lives as long as this, which nobody writes to.
                    #path(#part) => { #report }
                    _ => {}
                }
            )))
        }
        _ => {
            let name = name_of_part(shape, &variable.to_string(), i, variable.span());
            let name = Expr::Verbatim(name.to_token_stream());
            let spot = spot(&name);
            stmt(when_live(quote!(#spot #look;)))
        }
    }
}
