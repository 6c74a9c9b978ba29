//! Derive macros for Wengert.

mod tree;

use proc_macro::TokenStream;

/// Makes a struct or an enum a tree of arrays: its fields are the branches, those marked `#[tree(static)]` plain values.
///
/// A static field needs `Clone + Eq + Hash + Debug + Send + Sync + 'static`. See `wengert::Tree`.
#[proc_macro_derive(Tree, attributes(tree))]
pub fn derive_tree(input: TokenStream) -> TokenStream {
    let input = syn::parse_macro_input!(input as syn::DeriveInput);
    tree::derive(input).unwrap_or_else(syn::Error::into_compile_error).into()
}
