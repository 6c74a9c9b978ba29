//! `#[track]` and `tracked!`: reports to the recording, inserted between the parts of a function.
//!
//! The body stays where it is, or is a function of its own (`apart.rs`), and no part of it becomes a closure: borrows, `return`,
//! labels and generics mean what they meant. `mod.rs` has the frame around a body, `rewrite.rs` the reports inside it, `source.rs`
//! what is read off the source.

mod all;
mod apart;
mod asserted;
mod blocks;
mod callees;
mod constructors;
mod effects;
mod hiding;
mod left_out;
mod loops;
mod numbers;
mod order;
mod parts;
mod places;
mod rewrite;
mod shown;
mod sites;
pub(crate) mod source;
mod values;
mod variables;

use apart::Apart;
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use rewrite::Rewriter;
use source::{bindings, holds_str, is_inferred, is_opaque, span_of, text, ungrouped};
use std::collections::HashSet;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{
    Block, Error, Expr, ExprClosure, FnArg, ItemFn, Pat, Result, ReturnType, Signature, Token, Type, parse_quote,
};

/// A name that the user's code can neither see nor hide.
pub(crate) fn own(name: &str) -> Ident {
    Ident::new(name, Span::mixed_site())
}

/// Tokens in parentheses that are at a place of the user's source.
pub(crate) fn parenthesized(tokens: TokenStream, span: Span) -> Group {
    let mut group = Group::new(Delimiter::Parenthesis, tokens);
    group.set_span(span);
    group
}

/// A call of one of our functions that is at a place of the user's source.
pub(crate) fn call_at(span: Span, name: &str, arguments: TokenStream) -> TokenStream {
    let (name, arguments) = (Ident::new(name, span), parenthesized(arguments, span));
    quote_spanned!(span=> __wengert::track::#name #arguments)
}

/// The tokens with others for some names.
pub(crate) fn replace(tokens: TokenStream, with: &mut dyn FnMut(&Ident) -> Option<TokenStream>) -> TokenStream {
    let mut out = TokenStream::new();
    for t in tokens {
        match t {
            TokenTree::Group(g) => {
                let mut group = Group::new(g.delimiter(), replace(g.stream(), with));
                group.set_span(g.span());
                out.extend([TokenTree::Group(group)]);
            }
            TokenTree::Ident(i) => out.extend(with(&i).unwrap_or_else(|| i.into_token_stream())),
            t => out.extend([t]),
        }
    }
    out
}

/// The tokens with the path of our crate, which is written `__wengert` here.
pub(crate) fn with_crate(tokens: TokenStream, path: &TokenStream) -> TokenStream {
    replace(tokens, &mut |i| (i == "__wengert").then(|| at(path.clone(), i.span())))
}

/// The tokens at one place.
fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let moved = tokens.into_iter().map(|mut t| {
        t.set_span(span);
        t
    });
    moved.collect()
}

/// Our crate, if the user has it under no other path.
pub(crate) fn usual_crate() -> TokenStream {
    quote!(::wengert)
}

/// `crate = path`, if it is there.
fn crate_path(input: ParseStream<'_>) -> Result<Option<TokenStream>> {
    if !(input.peek(Token![crate]) && input.peek2(Token![=])) {
        return Ok(None);
    }
    input.parse::<Token![crate]>()?;
    input.parse::<Token![=]>()?;
    Ok(Some(input.call(syn::Path::parse_mod_style)?.into_token_stream()))
}

/// What is recorded of a call.
#[derive(Clone, Copy, PartialEq)]
enum Detail {
    /// Everything that it evaluates.
    Full,
    /// The calls and decisions in it.
    Calls,
    /// Nothing inside it.
    Boundary,
}

/// The options of `#[track]`.
struct Options {
    /// The path of our crate.
    path: Option<TokenStream>,
    /// What is recorded of a call.
    detail: Detail,
    /// Where the function came from, if that is not where it stands.
    place: Option<syn::LitStr>,
}

fn options(input: ParseStream<'_>) -> Result<Options> {
    let mut all = Options { path: None, detail: Detail::Full, place: None };
    while !input.is_empty() {
        match crate_path(input)? {
            Some(given) => all.path = Some(given),
            None => {
                let word: Ident = input.parse()?;
                match word.to_string().as_str() {
                    "calls" if all.detail == Detail::Full => all.detail = Detail::Calls,
                    "boundary" if all.detail == Detail::Full => all.detail = Detail::Boundary,
                    "place" => {
                        input.parse::<Token![=]>()?;
                        all.place = Some(input.parse()?);
                    }
                    _ => return Err(Error::new_spanned(word, "not an option")),
                };
            }
        }
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(all)
}

/// The declared result of a function.
#[derive(Clone)]
pub(crate) enum DeclaredResult {
    /// `()`, or nothing declared.
    Unit,
    /// A type.
    Type(Box<Type>),
    /// A type with `impl` in it: the compiler infers it from the expressions that give it, which must stay as they are.
    Opaque(Box<Type>),
    /// It never returns.
    Never,
    /// Nothing is declared, which a closure may do.
    Inferred,
}

impl DeclaredResult {
    fn of(output: &ReturnType) -> DeclaredResult {
        match output {
            ReturnType::Default => DeclaredResult::Unit,
            ReturnType::Type(_, t) => match bare(t) {
                Type::Never(_) => DeclaredResult::Never,
                Type::Tuple(t) if t.elems.is_empty() => DeclaredResult::Unit,
                t if is_opaque(t) => DeclaredResult::Opaque(Box::new(t.clone())),
                t => DeclaredResult::Type(Box::new(t.clone())),
            },
        }
    }

    /// The text for a result that is not shown.
    fn text(&self) -> String {
        match self {
            DeclaredResult::Unit | DeclaredResult::Inferred => "()".to_string(),
            DeclaredResult::Type(t) | DeclaredResult::Opaque(t) => text(t),
            DeclaredResult::Never => "!".to_string(),
        }
    }
}

/// The type without parentheses, those of macros too.
fn bare(t: &Type) -> &Type {
    match t {
        Type::Group(t) => bare(&t.elem),
        Type::Paren(t) => bare(&t.elem),
        t => t,
    }
}

/// Adds a variable to the values of a call, as its type allows.
pub(crate) fn add_value(x: &TokenStream, name: &str, ty: Option<&Type>) -> TokenStream {
    let given = own("__given");
    let probe = match ty {
        Some(t) if !is_inferred(t) => match holds_str(t) {
            // `&'static str` is a tree, and what holds a `&str` of any lifetime would be taken for one.
            true => quote!(__wengert::track::Probe::<_, false>(&#x)),
            false => quote!(__wengert::track::Probe::<_, true>(&#x)),
        },
        _ => return quote!(__wengert::track::CallValues::any(#given, #name, &#x);),
    };
    quote!((&&&&&#probe).wengert_add_value(#name, #given);)
}

/// A parameter of a tracked function.
struct Parameter {
    name: Ident,
    /// Whether it may get other values, or others through it.
    changes: bool,
    /// How what the caller has may get other values through it: a variant of `Through`.
    through: &'static str,
}

/// What the pattern of a parameter binds.
fn changing(pattern: &Pat, ty: Option<&Type>) -> Vec<Parameter> {
    let through = ty.map_or("Value", source::changes_through);
    let borrows = ty.is_some_and(source::borrows_mutably);
    let names = source::bindings_and_changes(pattern, true).into_iter();
    names.map(|(name, changes)| Parameter { name, changes: changes || borrows, through }).collect()
}

/// What is looked at in place of a parameter.
fn held(parameter: &Ident) -> Ident {
    own(&format!("__held_{}", parameter.unraw()))
}

/// The arguments of a function: a pattern, and its type if it says so.
fn arguments<'a>(parts: impl Iterator<Item = (&'a Pat, Option<&'a Type>)>) -> TokenStream {
    let given = own("__given");
    let mut out = TokenStream::new();
    for (pattern, ty) in parts {
        let names = bindings(pattern, true);
        // The type of a part of a pattern is known to the compiler; only that it is declared matters here.
        for n in &names {
            let held = held(n);
            out.extend(add_value(&quote!(*#held.get()), &n.unraw().to_string(), ty));
        }
        if names.is_empty() {
            out.extend(quote!(__wengert::track::CallValues::unnamed(#given);));
        }
    }
    out
}

/// The tracked function: its name, the type it belongs to, where it is written, and the path of our crate there.
struct Callee {
    name: String,
    owner: TokenStream,
    span: Span,
    path: TokenStream,
    parameters: Vec<Parameter>,
    detail: Detail,
    /// Whether it is a closure.
    captures: bool,
    /// Its text, and where that begins.
    text: String,
    start: [u32; 2],
    /// Where it came from, if that is not where it stands.
    place: Option<syn::LitStr>,
}

/// A parameter as a variable: its name, its slot, and how what the caller has may be changed through it.
type ParameterSlot = (String, u32, &'static str);

/// The body with reports in it, its parameters, and the place of its end.
fn rewritten(
    block: &mut Block,
    gives: &DeclaredResult,
    callee: &Callee,
    detail: Detail,
) -> (Rewriter, Vec<ParameterSlot>, Span) {
    let full = detail == Detail::Full;
    let mut rewriter = Rewriter::new(gives.clone(), full);
    rewriter.captures = callee.captures;
    source::declared(block.to_token_stream(), false, &mut rewriter.declared);
    let mut types = HashSet::new();
    source::declared(block.to_token_stream(), true, &mut types);
    // What `include!` brings sees all variables, too.
    rewriter.declares_macros = ["macro_rules", "include"].iter().any(|m| source::has_ident(block.to_token_stream(), m));
    rewriter.declares_types = !types.is_empty();
    rewriter.has_conditional_parts = source::has_conditional_parts(block.to_token_stream());
    let mut variables = Vec::new();
    if full {
        for Parameter { name, changes, through } in &callee.parameters {
            let slot = rewriter.new_slot();
            rewriter.variables.declare(name, slot, *changes);
            variables.push((name.unraw().to_string(), slot, *through));
        }
    }
    let end = rewriter.body(block).unwrap_or(block.brace_token.span.close());
    (rewriter, variables, end)
}

/// The body, with the code that opens and ends its call; as a function of its own, if it is said how.
fn body(
    mut block: Block,
    gives: DeclaredResult,
    arguments: &TokenStream,
    callee: &Callee,
    apart: Option<Apart>,
) -> Result<Block> {
    let (live, frame, given, slot) = (own("__live"), own("__frame"), own("__given"), own("__slot"));
    let braces = block.brace_token;
    let names: Vec<String> = callee.parameters.iter().map(|p| p.name.unraw().to_string()).collect();
    let mut detail = match callee.detail {
        Detail::Full if hiding::hides_variables(&names, &block) => Detail::Calls,
        detail => detail,
    };
    let written = block.clone();
    let (mut rewriter, mut variables, mut end) = rewritten(&mut block, &gives, callee, detail);
    if rewriter.is_unknowable {
        (block, detail) = (written, Detail::Calls);
        (rewriter, variables, end) = rewritten(&mut block, &gives, callee, detail);
    }
    let (end, gives) = (call_at(end, "place", TokenStream::new()), rewriter.gives.text());
    let Callee { name, owner, span, path, .. } = callee;
    let add_arguments = quote!(|#given: &mut __wengert::track::CallValues| {
        #[allow(unused_imports)]
        use __wengert::track::AddValue as _;
        #arguments
    });
    let held = callee.parameters.iter().filter(|p| p.name != "self").map(|Parameter { name, .. }| {
        let held = held(name);
        quote!(#[allow(unused_variables)] let #held = __wengert::track::Held::of(&#name);)
    });
    let parameters = variables.iter().map(|(name, slot, through)| {
        let through = Ident::new(through, Span::call_site());
        quote!((#name, #slot, __wengert::track::Through::#through))
    });
    let (text, [line, column]) = (&callee.text, callee.start);
    let (boundary, sparse) = (detail == Detail::Boundary, detail == Detail::Calls);
    let place = match &callee.place {
        Some(text) => quote!(::core::option::Option::Some(#text)),
        None => quote!(::core::option::Option::None),
    };
    let statements = rewriter.statements.iter().map(|[a, b, c, d]| quote!([#a, #b, #c, #d]));
    let about = quote! {
        #[allow(clippy::all)]
        static __WENGERT_BODY: __wengert::track::Body = __wengert::track::Body {
            name: #name,
            module: ::core::module_path!(),
            gives: #gives,
            parameters: &[#(#parameters),*],
            text: #text,
            start: [#line, #column],
            statements: &[#(#statements),*],
            boundary: #boundary,
            sparse: #sparse,
            place: #place,
        };
    };
    let call = quote!(&mut #slot, &__WENGERT_BODY, #owner, #end, #add_arguments);
    // What a context gives instead, of a type that is declared.
    let enter = match &rewriter.gives {
        DeclaredResult::Type(t) if !is_inferred(t) => {
            let (value, given) = (own("__value"), call_at(*span, "enter_or_end", call));
            quote!(
                let #value: ::core::option::Option<#t> = #given;
                if let ::core::option::Option::Some(#value) = #value {
                    return #value;
                }
            )
        }
        gives => {
            let gives = if let DeclaredResult::Inferred = gives { "_".to_string() } else { gives.text() };
            let enter = call_at(*span, "enter", quote!(#call, #gives));
            quote!(#enter;)
        }
    };
    let flags = rewriter.flags.iter();
    let stmts = &block.stmts;
    let ties = rewriter.ties_in(quote!(#(#stmts)*));
    let (sites, count) = (&rewriter.sites, rewriter.sites.len());
    let table = (count > 0).then(
        || quote!(#[allow(clippy::all)] static __WENGERT_SITES: [__wengert::track::Site; #count] = [#(#sites),*];),
    );
    let receivers = rewriter.has_receivers.then(|| {
        quote!(
            #[allow(unused_imports)]
            use __wengert::track::OtherReceiver as _;
        )
    });
    let shown = rewriter.shown.declared();
    let attrs = quote!(#[allow(unused_mut, unused_variables, unused_assignments)]);
    let items = quote!(#about #table);
    let open = quote! {
        #attrs
        let mut #slot = __wengert::track::OpenSlot::NEW;
    };
    let variables = quote! {
        #(#attrs let mut #flags = 0u32;)*
        #(#attrs let mut #ties;)*
        #shown
    };
    let tokens = match apart {
        None => quote! {{
            #items
            #receivers
            #attrs
            let #live = __wengert::track::live();
            #open
            if #live {
                #(#held)*
                #enter
            }
            #attrs
            let mut #frame = __wengert::track::TrackedCall::new(#live, &mut #slot);
            #variables
            #(#stmts)*
        }},
        Some(Apart { signature, path, given }) => {
            let inner = quote!({
                #receivers
                #attrs
                let #live = #frame.is_live();
                #variables
                #(#stmts)*
            });
            let inner = Block { brace_token: braces, ..syn::parse2(inner)? };
            quote! {{
                #items
                #[inline]
                #[allow(clippy::too_many_arguments)]
                #signature #inner
                if __wengert::track::live() {
                    #open
                    {
                        #(#held)*
                        #enter
                    }
                    let mut #frame = __wengert::track::TrackedCall::new(true, &mut #slot);
                    #path(#(#given,)* #frame.running())
                } else {
                    #path(#(#given,)* __wengert::track::RunningCall::NONE)
                }
            }}
        }
    };
    // With the user's braces: by them, the compiler knows the edition by whose rules temporaries are dropped.
    Ok(Block { brace_token: braces, ..syn::parse2(with_crate(rewriter.resolve(tokens), path))? })
}

/// Refuses functions that cannot be tracked.
fn refuse(sig: &Signature) -> Result<()> {
    let no = |at: &dyn ToTokens, what: &str, why: &str| {
        Err(Error::new_spanned(at.to_token_stream(), format!("`#[track]` cannot record {what} function: {why}")))
    };
    if let Some(t) = &sig.asyncness {
        return no(t, "an async", "it runs in pieces, on threads that change; track the functions it calls");
    }
    if let Some(t) = &sig.unsafety {
        return no(t, "an unsafe", "wrap it in a safe function, and track that");
    }
    if let Some(t) = &sig.constness {
        return no(t, "a const", "nothing can be recorded while the compiler runs it");
    }
    if let Some(t) = &sig.abi {
        return no(t, "an extern", "a panic of a recording must not reach code in another language");
    }
    Ok(())
}

/// `#[track]` on a function or method.
pub fn function(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let (path, detail, place) = match options.parse2(attr.clone()) {
        Ok(all) => (all.path.unwrap_or_else(usual_crate), all.detail, all.place),
        Err(_) => {
            let takes = "`#[track]` takes nothing but `calls` or `boundary`, `place = \"…\"`, and `crate = path`";
            return Err(Error::new_spanned(attr, takes));
        }
    };
    let (written, start) = source::written(&item);
    let item = ungrouped(item);
    if let Some(tracked) = all::functions(&attr, &item) {
        return Ok(tracked);
    }
    let mut f: ItemFn = match syn::parse2(item.clone()) {
        Ok(f) => f,
        Err(_) if syn::parse2::<syn::TraitItemFn>(item.clone()).is_ok() => {
            return Err(Error::new_spanned(
                item,
                "there is no body to track: put `#[track]` on the functions of the impls",
            ));
        }
        Err(_) if syn::parse2::<syn::Item>(item.clone()).is_ok_and(|i| !matches!(i, syn::Item::Verbatim(_))) => {
            return Err(Error::new_spanned(
                item,
                "`#[track]` goes on functions, methods, `impl`s, traits and modules; for closures there is `tracked!`",
            ));
        }
        Err(e) => return Err(e),
    };
    refuse(&f.sig)?;
    let mut given = TokenStream::new();
    let mut owner = quote!("");
    let mut parameters = Vec::new();
    for arg in &f.sig.inputs {
        match arg {
            FnArg::Receiver(r) => {
                let ty = &r.ty;
                let this = Ident::new("self", r.self_token.span);
                let changes = r.mutability.is_some() || source::borrows_mutably(ty);
                parameters.push(Parameter { name: this.clone(), changes, through: source::changes_through(ty) });
                given.extend(add_value(&quote!(#this), "self", Some(ty)));
                owner = quote!(::core::any::type_name::<Self>());
            }
            FnArg::Typed(p) if source::conditional(&p.attrs) => {}
            FnArg::Typed(p) => {
                given.extend(arguments(std::iter::once((&*p.pat, Some(&*p.ty)))));
                parameters.extend(changing(&p.pat, Some(&p.ty)));
            }
        }
    }
    let name = f.sig.ident.unraw().to_string();
    let span = f.sig.ident.span();
    let callee = Callee { name, owner, span, path, parameters, detail, captures: false, text: written, start, place };
    let gives = DeclaredResult::of(&f.sig.output);
    let apart = apart::apart(&f.attrs, &mut f.sig, &f.block);
    *f.block = body(*f.block, gives, &given, &callee, apart)?;
    Ok(f.into_token_stream())
}

/// What `tracked!` takes: a closure, and before it, if wanted, the path of our crate and a name.
struct Closure {
    path: Option<TokenStream>,
    name: Option<syn::LitStr>,
    closure: ExprClosure,
}

impl Parse for Closure {
    fn parse(input: ParseStream<'_>) -> Result<Closure> {
        let path = crate_path(input)?;
        if path.is_some() {
            input.parse::<Token![,]>()?;
        }
        let name = if input.peek(syn::LitStr) { Some(input.parse()?) } else { None };
        if name.is_some() {
            input.parse::<Token![,]>()?;
        }
        let closure = match input.parse::<Expr>()? {
            Expr::Closure(c) => c,
            other => return Err(Error::new_spanned(other, "`tracked!` goes around a closure: `tracked!(|x| …)`")),
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Closure { path, name, closure })
    }
}

/// `tracked!` around a closure.
pub fn closure(input: TokenStream) -> Result<TokenStream> {
    let (written, start) = source::written(&input);
    let Closure { path, name, mut closure } = syn::parse2(ungrouped(input))?;
    if let Some(t) = &closure.asyncness {
        return Err(Error::new_spanned(t, "`tracked!` cannot record an async closure: track the functions it calls"));
    }
    let parts = closure.inputs.iter().map(|p| match p {
        Pat::Type(t) => (&*t.pat, Some(&*t.ty)),
        p => (p, None),
    });
    let parameters = parts.clone().flat_map(|(p, t)| changing(p, t)).collect();
    let given = arguments(parts);
    let gives = match &closure.output {
        ReturnType::Default => DeclaredResult::Inferred,
        said => DeclaredResult::of(said),
    };
    let callee = Callee {
        name: name.map_or("closure".to_string(), |n| n.value()),
        owner: quote!(""),
        span: span_of(&closure.or1_token),
        path: path.unwrap_or_else(usual_crate),
        parameters,
        detail: Detail::Full,
        captures: true,
        text: written,
        start,
        place: None,
    };
    let block = match *closure.body {
        Expr::Block(b) if b.label.is_none() && b.attrs.is_empty() => b.block,
        e => parse_quote!({ #e }),
    };
    let block = body(block, gives, &given, &callee, None)?;
    *closure.body = Expr::Block(syn::ExprBlock { attrs: Vec::new(), label: None, block });
    Ok(closure.into_token_stream())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(item: TokenStream) -> String {
        function(TokenStream::new(), item).expect_err("refused").to_string()
    }

    #[test]
    fn what_cannot_be_tracked_is_said() {
        assert!(
            refused(quote!(
                async fn f() {}
            ))
            .starts_with("`#[track]` cannot record an async function: ")
        );
        assert!(
            refused(quote!(
                unsafe fn f() {}
            ))
            .starts_with("`#[track]` cannot record an unsafe function: ")
        );
        assert!(
            refused(quote!(
                const fn f() {}
            ))
            .starts_with("`#[track]` cannot record a const function: ")
        );
        assert!(
            refused(quote!(
                extern "C" fn f() {}
            ))
            .starts_with("`#[track]` cannot record an extern function: ")
        );
        assert!(
            refused(quote!(
                fn f(&self);
            ))
            .starts_with("there is no body to track")
        );
        assert!(
            refused(quote!(
                struct S;
            ))
            .starts_with("`#[track]` goes on functions, methods")
        );
        let e = closure(quote!(async |x| x)).expect_err("refused");
        assert!(e.to_string().contains("an async closure"));
        assert!(closure(quote!(1 + 2)).expect_err("refused").to_string().contains("around a closure"));
    }

    #[test]
    fn blocks_are_numbered_as_they_stand() {
        let f = quote! {
            fn f(x: u32) {
                while a {
                    if b { break; } else { c }
                }
                d;
            }
        };
        let text = function(quote!(calls), f.clone()).expect("fine").to_string();
        let full = function(TokenStream::new(), f).expect("fine").to_string();
        let in_full =
            ["a , __live , & __WENGERT_SITES [0usize] , 3u32 , 7u32", "[1usize] , 4u32 , 5u32", "\"break\" , 7u32"];
        in_full.iter().for_each(|n| assert!(full.contains(n), "{n} in {full}"));
        let numbers = [
            "statement (2u32)",
            "begin (__live) , a , \"a\" , 3u32 , 7u32",
            "b , \"b\" , 4u32 , 5u32",
            "\"break\" , 7u32",
        ];
        numbers.iter().for_each(|n| assert!(text.contains(n), "{n} in {text}"));
        assert!(text.contains("statement (7u32)"), "{text}");
    }
    /// Not in `same.rs`: the oldest compiler that we ask for does not know these guards.
    #[test]
    fn lets_in_guards_stay() {
        let f = quote! {
            fn f(x: Option<u32>) -> u32 {
                match x {
                    Some(n) if let Some(m) = n.checked_sub(3) && m > 2 => m,
                    _ => 0,
                }
            }
        };
        let full = function(TokenStream::new(), f.clone()).expect("fine").to_string();
        assert!(full.contains("Some (n) if let Some (m) = :: wengert :: track :: called_of ("), "{full}");
        assert!(full.contains("} , n . checked_sub (3) , __live , & __WENGERT_SITES"), "{full}");
        assert!(full.contains(r#"[2usize] , "Some ( m )""#), "{full}");
        let text = function(quote!(calls), f).expect("fine").to_string();
        assert!(text.contains("if let Some (m) = n . checked_sub (3) && :: wengert :: track :: decide"), "{text}");
        assert!(text.contains(r#"matched (false , "n . checked_sub ( 3 )" , "Some ( m )""#), "{text}");
    }
}
