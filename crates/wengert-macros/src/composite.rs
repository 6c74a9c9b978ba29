//! `#[composite]`: a function of the library that is made of ops becomes a call of the recording around it.
//!
//! The call opens before the body and ends with its result. Arguments that are converted (`impl Into<Operand>`) are
//! converted before the call opens, so that the call can show them; in the body they have their declared types.

use crate::track::{add_value, own, replace, usual_crate, with_crate};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use syn::{Error, FnArg, GenericArgument, ItemFn, Pat, PathArguments, Result, ReturnType, Type, TypeParamBound};

/// The statements that convert an argument declared by `impl` before the call opens, and back to its declared type for the
/// body. None if the argument stays as it is, and is not shown.
fn converted(x: &Ident, bound: &TypeParamBound) -> Option<(TokenStream, TokenStream)> {
    let TypeParamBound::Trait(t) = bound else { return None };
    let last = t.path.segments.last()?;
    match (last.ident.to_string().as_str(), &last.arguments) {
        ("Arrays", _) => Some((
            quote! {
                let #x: ::std::vec::Vec<crate::Array> = #x.into_iter().map(::std::convert::Into::into).collect();
            },
            quote!(let #x = crate::numpy::several(#x);),
        )),
        ("Masks", _) => Some((
            quote! {
                let #x: ::std::vec::Vec<crate::Array> = #x.into_iter().map(crate::Mask::into_mask).collect();
            },
            quote!(let #x = crate::numpy::several(#x);),
        )),
        ("Into", PathArguments::AngleBracketed(a)) => match a.args.first()? {
            GenericArgument::Type(t) => {
                Some((quote!(let #x: #t = #x.into();), quote!(let #x = crate::tape::into_itself(#x);)))
            }
            _ => None,
        },
        _ => None,
    }
}

/// `#[composite]`, or `#[composite(module)]` for a name with a module before it.
pub fn function(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut f: ItemFn = syn::parse2(item)?;
    let ReturnType::Type(_, out) = &f.sig.output else {
        return Err(Error::new_spanned(&f.sig, "a composite gives arrays"));
    };
    let name = match attr.is_empty() {
        true => f.sig.ident.to_string(),
        false => format!("{attr}::{}", f.sig.ident),
    };
    let (mut before, mut adds, mut after) = (TokenStream::new(), TokenStream::new(), TokenStream::new());
    for arg in &f.sig.inputs {
        let (x, name, ty) = match arg {
            FnArg::Receiver(r) => (r.self_token.to_token_stream(), "self".to_string(), &r.ty),
            FnArg::Typed(p) => {
                let Pat::Ident(x) = &*p.pat else {
                    return Err(Error::new_spanned(&p.pat, "an argument of a composite has a name"));
                };
                if let Type::ImplTrait(t) = &*p.ty {
                    let Some((first, then)) = t.bounds.first().and_then(|b| converted(&x.ident, b)) else { continue };
                    before.extend(first);
                    after.extend(then);
                }
                (x.ident.to_token_stream(), x.ident.to_string(), &p.ty)
            }
        };
        adds.extend(add_value(&x, &name, Some(ty)));
    }
    let mut returns = false;
    // In a closure, where `return` means something else, the compiler refuses this.
    let body = replace(f.block.to_token_stream(), &mut |i| {
        returns |= i == "return";
        (i == "return").then(|| quote!(break 'composite))
    });
    let given = own("__given");
    let label = returns.then(|| quote!('composite:));
    let tokens = quote! {{
        #before
        // Dropped after the call, which is then on the tape as it ended.
        let _watched = crate::watch::Watched::open(#name);
        let call = if crate::tape::is_recording() {
            #[allow(unused_imports)]
            use crate::track::AddValue as _;
            let #given = &mut crate::call_values::CallValues::default();
            #adds
            crate::tape::Composite::open(#name, #given)
        } else {
            crate::tape::Composite::SILENT
        };
        #after
        let out: #out = #label #body;
        call.give(out)
    }};
    *f.block = syn::parse2(with_crate(tokens, &usual_crate()))?;
    Ok(f.into_token_stream())
}
