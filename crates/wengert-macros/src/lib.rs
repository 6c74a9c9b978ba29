//! The macros of Wengert: `#[derive(Tree)]`, `#[track]`, `tracked!`.

extern crate proc_macro;

mod composite;
mod staged;
mod track;
mod tree;
mod untracked;

use proc_macro::TokenStream;

/// Makes a struct or an enum a tree of arrays: its fields are the branches, those marked `#[tree(static)]` plain values.
///
/// A static field needs `Clone + Eq + Hash + Debug + Send + Sync + 'static`. See `wengert::Tree`.
#[proc_macro_derive(Tree, attributes(tree))]
pub fn derive_tree(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    tree::derive(input).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the calls of a function nodes of the recording around them. See `wengert::track`.
#[proc_macro_attribute]
pub fn track(attr: TokenStream, item: TokenStream) -> TokenStream {
    let item = proc_macro2::TokenStream::from(item);
    // What is refused is there all the same: errors about its users would hide this one.
    let refused = |e: syn::Error| {
        let e = e.into_compile_error();
        quote::quote!(#e #item)
    };
    track::function(attr.into(), item.clone()).unwrap_or_else(refused).into()
}

/// Makes the calls of a closure nodes of the recording around them. See `wengert::tracked`.
#[proc_macro]
pub fn tracked(input: TokenStream) -> TokenStream {
    track::closure(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// What `wengert::untracked!` writes.
#[doc(hidden)]
#[proc_macro]
pub fn untracked_in(input: TokenStream) -> TokenStream {
    untracked::expression(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes the calls of a function of the library nodes of the recording around them, with the ops they run inside. For
/// `wengert` itself alone.
#[doc(hidden)]
#[proc_macro_attribute]
pub fn composite(attr: TokenStream, item: TokenStream) -> TokenStream {
    composite::function(attr.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Stages a function. See `wengert::jit`.
#[proc_macro_attribute]
pub fn jit(attr: TokenStream, item: TokenStream) -> TokenStream {
    staged::function(attr.into(), item.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}
