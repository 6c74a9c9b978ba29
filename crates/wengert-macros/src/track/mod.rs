//! `#[track]` and `tracked!`: reports to the recording, written into a function between what is there.
//!
//! The body stays where it is and no part of it becomes a closure: borrows, `return`, labels and generics mean what they
//! meant. `mod.rs` has the frame around a body, `rewrite.rs` what goes into it, `look.rs` what is read off the source.

mod look;
mod rewrite;

use look::{bindings, holds_str, span_of, without_impl};
use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use rewrite::Rewriter;
use syn::parse::{Parse, ParseStream};
use syn::{
    Block, Error, Expr, ExprClosure, FnArg, ItemFn, Pat, Result, ReturnType, Signature, Stmt, Type, parse_quote,
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
    quote_spanned!(span=> ::wengert::track::#name #arguments)
}

/// What a function says of its result.
pub(crate) enum Gives {
    /// `()`, or nothing said.
    Unit,
    /// A type, with `_` for what it says by `impl`.
    This(Box<Type>),
    /// It never returns.
    Never,
    /// A closure does not have to say.
    Unsaid,
}

impl Gives {
    fn of(output: &ReturnType) -> Gives {
        match output {
            ReturnType::Default => Gives::Unit,
            ReturnType::Type(_, t) => match &**t {
                Type::Never(_) => Gives::Never,
                Type::Tuple(t) if t.elems.is_empty() => Gives::Unit,
                t => Gives::This(Box::new(t.clone())),
            },
        }
    }
}

/// Adds a variable to the values of a call, as its type allows.
pub(crate) fn give(x: &TokenStream, name: &str, ty: Option<&Type>) -> TokenStream {
    let given = own("__given");
    match ty {
        None => quote!(#given.any(#name, &#x);),
        // `&'static str` is a tree, and a `&str` of any lifetime would be taken for one.
        Some(t) if holds_str(t) => quote!((&&::wengert::track::Probe(&#x)).give(#name, #given);),
        Some(_) => quote!((&&&&::wengert::track::Probe(&#x)).give(#name, #given);),
    }
}

/// The arguments of a function: a pattern, and its type if it says so.
fn arguments<'a>(parts: impl Iterator<Item = (&'a Pat, Option<&'a Type>)>) -> TokenStream {
    let given = own("__given");
    let mut out = TokenStream::new();
    for (pattern, ty) in parts {
        let names = bindings(pattern);
        // The type of a part of a pattern is known to the compiler; only that it is declared matters here.
        names.iter().for_each(|n| out.extend(give(&quote!(#n), &n.to_string(), ty)));
        if names.is_empty() {
            out.extend(quote!(#given.unnamed();));
        }
    }
    out
}

/// Who is called: a name, the type it belongs to, and where it is written.
struct Callee {
    name: String,
    owner: TokenStream,
    span: Span,
}

/// The body with what opens and ends its call.
fn body(mut block: Block, gives: Gives, arguments: &TokenStream, callee: &Callee) -> Result<Block> {
    let (live, frame, given) = (own("__live"), own("__frame"), own("__given"));
    let braces = block.brace_token;
    let end = braces.span.close();
    let mut rewriter = Rewriter::new(gives);
    rewriter.body(&mut block);
    let falls = match rewriter.gives {
        Gives::Unit => true,
        Gives::Unsaid => !matches!(block.stmts.last(), Some(Stmt::Expr(_, None))),
        _ => false,
    };
    let end = match falls {
        true => {
            let place = call_at(end, "place", TokenStream::new());
            quote!(::core::option::Option::Some(#place))
        }
        false => quote!(::core::option::Option::None),
    };
    let Callee { name, owner, span } = callee;
    let enter = call_at(*span, "enter", quote!(#name, #owner, ::core::module_path!(), #given, #end));
    let flags = rewriter.flags.iter();
    let stmts = &block.stmts;
    let attrs = quote!(#[allow(unused_mut, unused_variables, unused_assignments)]);
    let tokens = quote! {{
        #attrs
        let #live = ::wengert::track::live();
        #attrs
        let mut #frame = if #live {
            #[allow(unused_imports)]
            use ::wengert::track::Give as _;
            let #given = &mut ::wengert::track::Values::default();
            #arguments
            #enter
        } else {
            ::wengert::track::Frame::SILENT
        };
        #(#attrs let mut #flags = 0u32;)*
        #(#stmts)*
    }};
    // With the user's braces: by them, the compiler knows the edition by whose rules temporaries are dropped.
    Ok(Block { brace_token: braces, ..syn::parse2(rewriter.resolve(tokens))? })
}

/// What cannot be tracked, said where it stands.
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
    if !attr.is_empty() {
        return Err(Error::new_spanned(attr, "`#[track]` takes nothing"));
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
                "`#[track]` goes on functions and methods; for closures there is `tracked!`",
            ));
        }
        Err(e) => return Err(e),
    };
    refuse(&f.sig)?;
    let mut given = TokenStream::new();
    let mut owner = quote!("");
    for arg in &f.sig.inputs {
        match arg {
            FnArg::Receiver(r) => {
                let ty = &r.ty;
                let this = Ident::new("self", r.self_token.span);
                given.extend(give(&quote!(#this), "self", Some(ty)));
                owner = quote!(::core::any::type_name::<Self>());
            }
            FnArg::Typed(p) if look::conditional(&p.attrs) => {}
            FnArg::Typed(p) => given.extend(arguments(std::iter::once((&*p.pat, Some(&*p.ty))))),
        }
    }
    let callee = Callee { name: f.sig.ident.to_string(), owner, span: f.sig.ident.span() };
    let gives = match Gives::of(&f.sig.output) {
        Gives::This(mut t) => {
            without_impl(&mut t);
            Gives::This(t)
        }
        gives => gives,
    };
    *f.block = body(*f.block, gives, &given, &callee)?;
    Ok(f.into_token_stream())
}

/// What `tracked!` takes: a closure, and a name before it if wanted.
struct Closure {
    name: Option<syn::LitStr>,
    closure: ExprClosure,
}

impl Parse for Closure {
    fn parse(input: ParseStream<'_>) -> Result<Closure> {
        let name = if input.peek(syn::LitStr) { Some(input.parse()?) } else { None };
        if name.is_some() {
            input.parse::<syn::Token![,]>()?;
        }
        let closure = match input.parse::<Expr>()? {
            Expr::Closure(c) => c,
            other => return Err(Error::new_spanned(other, "`tracked!` goes around a closure: `tracked!(|x| …)`")),
        };
        input.parse::<Option<syn::Token![,]>>()?;
        Ok(Closure { name, closure })
    }
}

/// `tracked!` around a closure.
pub fn closure(input: TokenStream) -> Result<TokenStream> {
    let Closure { name, mut closure } = syn::parse2(input)?;
    if let Some(t) = &closure.asyncness {
        return Err(Error::new_spanned(t, "`tracked!` cannot record an async closure: track the functions it calls"));
    }
    let parts = closure.inputs.iter().map(|p| match p {
        Pat::Type(t) => (&*t.pat, Some(&*t.ty)),
        p => (p, None),
    });
    let given = arguments(parts);
    let gives = match &closure.output {
        ReturnType::Default => Gives::Unsaid,
        said => Gives::of(said),
    };
    let callee = Callee {
        name: name.map_or("closure".to_string(), |n| n.value()),
        owner: quote!(""),
        span: span_of(&closure.or1_token),
    };
    let block = match *closure.body {
        Expr::Block(b) if b.label.is_none() && b.attrs.is_empty() => b.block,
        e => parse_quote!({ #e }),
    };
    let block = body(block, gives, &given, &callee)?;
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
            .starts_with("`#[track]` goes on functions and methods")
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
        let text = function(TokenStream::new(), f).expect("fine").to_string();
        let numbers = [
            "statement (2u32)",
            "begin (__live) , a , \"a\" , 3u32 , 7u32",
            "b , \"b\" , 4u32 , 5u32",
            "\"break\" , 7u32",
        ];
        numbers.iter().for_each(|n| assert!(text.contains(n), "{n} in {text}"));
        assert!(text.contains("statement (7u32)"), "{text}");
    }
}
