//! `#[track]` on an `impl`, a trait or a module: all functions in it are tracked that can be, but those with the attribute
//! themselves, which says how.

use super::refuse;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Attribute, ImplItem, Item, Signature, TraitItem};

/// The item with its functions tracked; none if it has no functions in it.
pub(super) fn functions(attr: &TokenStream, item: &TokenStream) -> Option<TokenStream> {
    let mut item = syn::parse2::<Item>(item.clone()).ok()?;
    let known = match &item {
        Item::Impl(_) | Item::Trait(_) => true,
        Item::Mod(m) => m.content.is_some(),
        _ => false,
    };
    if !known {
        return None;
    }
    track(attr, &mut item);
    Some(item.into_token_stream())
}

/// Whether a function gets the attribute.
fn wants(attrs: &[Attribute], sig: &Signature) -> bool {
    let is_test = |a: &Attribute| a.path().is_ident("test");
    let own = |a: &Attribute| a.path().segments.last().is_some_and(|s| s.ident == "track");
    refuse(sig).is_ok() && !attrs.iter().any(|a| own(a) || is_test(a))
}

fn track(attr: &TokenStream, item: &mut Item) {
    let attribute = || -> Attribute {
        let path = super::with_crate(quote!(__wengert::track), &path_of(attr));
        match attr.is_empty() {
            true => syn::parse_quote!(#[#path]),
            false => syn::parse_quote!(#[#path(#attr)]),
        }
    };
    match item {
        Item::Fn(f) if wants(&f.attrs, &f.sig) => f.attrs.push(attribute()),
        Item::Impl(i) => {
            for f in &mut i.items {
                if let ImplItem::Fn(f) = f
                    && wants(&f.attrs, &f.sig)
                {
                    f.attrs.push(attribute());
                }
            }
        }
        Item::Trait(t) => {
            for f in &mut t.items {
                if let TraitItem::Fn(f) = f
                    && f.default.is_some()
                    && wants(&f.attrs, &f.sig)
                {
                    f.attrs.push(attribute());
                }
            }
        }
        Item::Mod(m) => m.content.iter_mut().flat_map(|(_, items)| items).for_each(|item| track(attr, item)),
        _ => {}
    }
}

/// The path of our crate that the options say.
fn path_of(attr: &TokenStream) -> TokenStream {
    use syn::parse::Parser;
    super::options.parse2(attr.clone()).ok().and_then(|all| all.path).unwrap_or_else(super::usual_crate)
}
