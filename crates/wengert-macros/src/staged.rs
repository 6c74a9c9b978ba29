//! `#[jit]`: a function whose calls go to a staged one.

use crate::track::usual_crate;
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use syn::{Error, FnArg, ItemFn, Result, ReturnType, Type};

/// The function, which calls what `jit` makes of itself, once for the process.
pub fn function(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !attr.is_empty() {
        return Err(Error::new_spanned(attr, "`#[jit]` takes nothing; say more with `jit(f)` in code"));
    }
    let inner: ItemFn = syn::parse2(item)?;
    let refused = |at: &dyn ToTokens, why: &str| Err(Error::new_spanned(at, why));
    let sig = &inner.sig;
    if let Some(generic) = sig.generics.params.first() {
        return refused(
            generic,
            "a function under `#[jit]` has no parameters of types or lifetimes: call `jit(f)` in code",
        );
    }
    if let Some(word) = sig.asyncness.map(|t| t.to_token_stream()).or(sig.constness.map(|t| t.to_token_stream())) {
        return refused(&word, "a function under `#[jit]` is neither `async` nor `const`");
    }
    if sig.inputs.is_empty() {
        return refused(&sig.ident, "a function under `#[jit]` takes at least one argument");
    }
    let mut types: Vec<&Type> = Vec::new();
    for arg in &sig.inputs {
        match arg {
            FnArg::Receiver(r) => return refused(r, "`#[jit]` is for functions, not for methods: call `jit` in code"),
            FnArg::Typed(t) => match &*t.ty {
                Type::ImplTrait(i) => {
                    return refused(i, "an argument under `#[jit]` has a type of its own, not `impl`");
                }
                Type::Reference(r) => return refused(r, "an argument under `#[jit]` is given by value: `x: Array`"),
                ty => types.push(ty),
            },
        }
    }
    let unit: Type = syn::parse_quote!(());
    let gives = match &sig.output {
        ReturnType::Default => &unit,
        ReturnType::Type(_, ty) => &**ty,
    };
    let (attrs, vis, name, library) = (&inner.attrs, &inner.vis, &sig.ident, usual_crate());
    let x: Vec<_> = (0..types.len()).map(|i| format_ident!("x{i}")).collect();
    let (body, output) = (&inner.block, &sig.output);
    let inputs = &sig.inputs;
    Ok(quote! {
        #(#attrs)*
        #[track_caller]
        #vis fn #name(#(#x: #types),*) #output {
            fn #name(#inputs) #output #body
            static STAGED: ::std::sync::LazyLock<#library::Jit<'static, (#(#types,)*), #gives>> =
                ::std::sync::LazyLock::new(|| #library::jit(#name));
            let staged: &#library::Jit<'static, (#(#types,)*), #gives> = &STAGED;
            staged(#(#x),*)
        }
    })
}
