//! `#[derive(Tree)]`.
//!
//! The structure of a struct is the tuple of its fields' structures; that of an enum also has the position of the
//! variant. Tuples are nested in pairs, so that any number of fields works.

use crate::track::{usual_crate, with_crate};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{Data, DeriveInput, Error, Field, Fields, Ident, Member, Result, parse_quote};

/// One field: how it is named, what it is called in paths, and whether it is a plain value.
struct Part {
    member: Member,
    binding: Ident,
    ty: syn::Type,
    fixed: bool,
}

fn is_static(field: &Field) -> Result<bool> {
    let mut fixed = false;
    for attr in field.attrs.iter().filter(|a| a.path().is_ident("tree")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("static") {
                fixed = true;
                return Ok(());
            }
            Err(meta.error("the only attribute of a field of a tree is `#[tree(static)]`"))
        })?;
    }
    Ok(fixed)
}

/// The path of our crate: what `#[tree(crate = path)]` on the type says.
fn crate_path(input: &DeriveInput) -> Result<TokenStream> {
    let mut path = usual_crate();
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("tree")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                path = meta.value()?.call(syn::Path::parse_mod_style)?.into_token_stream();
                return Ok(());
            }
            Err(meta.error("the only attribute of a tree is `#[tree(crate = path)]`"))
        })?;
    }
    Ok(path)
}

fn parts(fields: &Fields) -> Result<Vec<Part>> {
    fields
        .iter()
        .enumerate()
        .map(|(i, f)| {
            Ok(Part {
                member: match &f.ident {
                    Some(name) => Member::Named(name.clone()),
                    None => Member::Unnamed(i.into()),
                },
                binding: format_ident!("field_{i}"),
                ty: f.ty.clone(),
                fixed: is_static(f)?,
            })
        })
        .collect()
}

/// `(a, (b, (c, ())))`.
fn nest(items: impl DoubleEndedIterator<Item = TokenStream>) -> TokenStream {
    items.rev().fold(quote!(()), |rest, item| quote!((#item, #rest)))
}

impl Part {
    fn structure(&self) -> TokenStream {
        let ty = &self.ty;
        if self.fixed { quote!(#ty) } else { quote!(<#ty as __wengert::Tree>::Structure) }
    }

    fn flatten(&self) -> TokenStream {
        let v = &self.binding;
        match self.fixed {
            true => quote!(::core::clone::Clone::clone(#v)),
            false => quote!(__wengert::Tree::flatten(#v, leaves)),
        }
    }

    fn unflatten(&self) -> TokenStream {
        let (member, v, ty) = (&self.member, &self.binding, &self.ty);
        match self.fixed {
            true => quote!(#member: ::core::clone::Clone::clone(#v)),
            false => quote!(#member: <#ty as __wengert::Tree>::unflatten(#v, leaves)),
        }
    }

    fn name(&self) -> String {
        match &self.member {
            Member::Named(n) => n.to_string(),
            Member::Unnamed(i) => i.index.to_string(),
        }
    }

    /// The name with what the field is.
    fn describe(&self) -> TokenStream {
        let (name, v, ty) = (self.name(), &self.binding, &self.ty);
        match self.fixed {
            true => quote!((#name, ::std::format!("{:?}", #v))),
            false => quote!((#name, <#ty as __wengert::Tree>::describe(#v))),
        }
    }

    /// Its numbers replaced; whether all were found.
    fn replace_numbers(&self) -> TokenStream {
        let (v, ty) = (&self.binding, &self.ty);
        match self.fixed {
            true => quote!(__wengert::replace_static(#v, by)),
            false => quote!(<#ty as __wengert::Tree>::replace_numbers(#v, by)),
        }
    }

    fn path(&self) -> TokenStream {
        let (name, v, ty) = (self.name(), &self.binding, &self.ty);
        if self.fixed {
            return quote!(let _ = #v;);
        }
        quote! {
            <#ty as __wengert::Tree>::paths(#v, &__wengert::join_path(path, #name), names);
        }
    }
}

pub(crate) fn derive(input: DeriveInput) -> Result<TokenStream> {
    let variants: Vec<(TokenStream, Vec<Part>)> = match &input.data {
        Data::Struct(s) => vec![(quote!(Self), parts(&s.fields)?)],
        Data::Enum(e) => e
            .variants
            .iter()
            .map(|v| {
                let name = &v.ident;
                Ok((quote!(Self::#name), parts(&v.fields)?))
            })
            .collect::<Result<_>>()?,
        Data::Union(_) => return Err(Error::new(Span::call_site(), "a union can't be a tree of arrays")),
    };
    if variants.is_empty() {
        return Err(Error::new(Span::call_site(), "an enum without variants can't be a tree of arrays"));
    }

    let name = &input.ident;
    let mut generics = input.generics.clone();
    for p in generics.type_params_mut().map(|p| p.ident.clone()).collect::<Vec<_>>() {
        let in_tree = variants.iter().flat_map(|(_, parts)| parts).any(|part| {
            let ty = &part.ty;
            !part.fixed && quote!(#ty).to_string().split(|c: char| !c.is_alphanumeric() && c != '_').any(|w| p == w)
        });
        let clause = generics.make_where_clause();
        if in_tree {
            clause.predicates.push(parse_quote!(#p: __wengert::Tree));
        }
    }
    let (impl_generics, ty_generics, where_clause) = generics.split_for_impl();

    // The structure of an enum is that of one variant: an `Option` for each, one of them there.
    let structures = variants.iter().map(|(_, parts)| nest(parts.iter().map(Part::structure)));
    let structure = nest(structures.map(|s| quote!(::core::option::Option<#s>)));
    let count = variants.len();
    let place = |at: usize, pattern: TokenStream| {
        nest((0..count).map(|i| if i == at { quote!(Some(#pattern)) } else { quote!(None) }))
    };
    let bindings = |parts: &[Part]| {
        nest(parts.iter().map(|p| {
            let v = &p.binding;
            quote!(#v)
        }))
    };

    let flatten = variants.iter().enumerate().map(|(i, (path, parts))| {
        let fields = parts.iter().map(|p| {
            let (member, v) = (&p.member, &p.binding);
            quote!(#member: #v)
        });
        let flat = parts.iter().map(|p| {
            let (v, e) = (&p.binding, p.flatten());
            quote!(let #v = #e;)
        });
        let value = place(i, bindings(parts));
        quote!(#path { #(#fields),* } => { #(#flat)* #value })
    });
    let unflatten = variants.iter().enumerate().map(|(i, (path, parts))| {
        let pattern = place(i, bindings(parts));
        let fields = parts.iter().map(Part::unflatten);
        quote!(#pattern => #path { #(#fields),* },)
    });
    let paths = variants.iter().enumerate().map(|(i, (_, parts))| {
        let pattern = place(i, bindings(parts));
        let each = parts.iter().map(Part::path);
        quote!(#pattern => { #(#each)* })
    });
    let describe = variants.iter().enumerate().map(|(i, (path, parts))| {
        let (pattern, each) = (place(i, bindings(parts)), parts.iter().map(Part::describe));
        let name = path.to_string().replace(' ', "").replace("Self", &name.to_string());
        quote!(#pattern => __wengert::describe_fields(#name, ::std::vec![#(#each),*]),)
    });
    let replace_numbers = variants.iter().enumerate().map(|(i, (_, parts))| {
        let (pattern, each) = (place(i, bindings(parts)), parts.iter().map(Part::replace_numbers));
        quote!(#pattern => { let mut all = true; #(all &= #each;)* all })
    });
    let tokens = quote! {
        #[automatically_derived]
        impl #impl_generics __wengert::Tree for #name #ty_generics #where_clause {
            type Structure = #structure;
            #[allow(unused_variables)]
            fn flatten(&self, leaves: &mut ::std::vec::Vec<__wengert::Array>) -> Self::Structure {
                match self { #(#flatten)* }
            }
            #[allow(unused_variables, unreachable_patterns)]
            fn unflatten(
                structure: &Self::Structure,
                leaves: &mut dyn ::core::iter::Iterator<Item = __wengert::Array>,
            ) -> Self {
                match structure {
                    #(#unflatten)*
                    _ => ::core::unreachable!("a structure that `flatten` did not give"),
                }
            }
            #[allow(unused_variables, unreachable_patterns)]
            fn paths(structure: &Self::Structure, path: &str, names: &mut ::std::vec::Vec<::std::string::String>) {
                match structure {
                    #(#paths)*
                    _ => {}
                }
            }
            #[allow(unused_variables, unreachable_patterns)]
            fn describe(structure: &Self::Structure) -> ::std::string::String {
                match structure {
                    #(#describe)*
                    _ => ::core::unreachable!("a structure that `flatten` did not give"),
                }
            }
            #[allow(unused_variables, unused_mut, unreachable_patterns)]
            fn replace_numbers(
                structure: &mut Self::Structure,
                by: &mut dyn ::core::ops::FnMut(__wengert::tape::HostNumber) -> __wengert::tape::HostNumber,
            ) -> bool {
                match structure {
                    #(#replace_numbers)*
                    _ => false,
                }
            }
        }

        #[automatically_derived]
        impl #impl_generics __wengert::ReplaceLeaves for #name #ty_generics #where_clause {
            type By<WengertP: __wengert::ReplaceLeaves> = __wengert::Jacobian<Self, WengertP>;
            fn replace<WengertP: __wengert::ReplaceLeaves>(
                structure: &Self::Structure,
                next: &mut dyn ::core::ops::FnMut() -> WengertP,
            ) -> Self::By<WengertP> {
                __wengert::Jacobian::new(structure, next)
            }
        }

        #[automatically_derived]
        impl #impl_generics __wengert::track::Inspect for #name #ty_generics #where_clause {
            fn arrays(
                &self,
                path: &__wengert::track::ValuePath<'_>,
                to: &mut ::std::vec::Vec<(::std::string::String, __wengert::Array)>,
            ) {
                __wengert::track::Inspect::arrays(&__wengert::track::TreeLeaves(self), path, to);
            }
            fn show(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                __wengert::track::Inspect::show(&__wengert::track::TreeLeaves(self), f)
            }
        }
    };
    Ok(with_crate(tokens, &crate_path(&input)?))
}
