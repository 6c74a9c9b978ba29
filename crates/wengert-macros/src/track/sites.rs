//! Sites: what is known of an expression before it runs, one row each in the table of its function.

use super::effects::Effects;
use super::rewrite::Rewriter;
use super::values::Origin;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{BinOp, Expr, Lit, UnOp};

fn operand(o: &Origin) -> TokenStream {
    match o {
        Origin::Slot(i, _) => quote!(__wengert::track::Operand::Slot(#i)),
        Origin::Literal(text) => match syn::parse_str::<Expr>(text) {
            Ok(e) => literal(&e).unwrap_or_else(|| quote!(__wengert::track::Operand::Text(#text))),
            Err(_) => quote!(__wengert::track::Operand::Text(#text)),
        },
    }
}

/// A number or a bool in the source.
fn literal(e: &Expr) -> Option<TokenStream> {
    let (negative, e) = match e {
        Expr::Unary(u) if matches!(u.op, UnOp::Neg(_)) => (true, &*u.expr),
        e => (false, e),
    };
    let Expr::Lit(l) = e else { return None };
    Some(match &l.lit {
        Lit::Int(i) => {
            let n = i.base10_parse::<i64>().ok()?;
            let n = if negative { -n } else { n };
            quote!(__wengert::track::Operand::Int(#n))
        }
        Lit::Float(x) => {
            // As a number of 32 bits it must be what the compiler makes of it, which does not round twice.
            let (single, x) = (x.base10_parse::<f32>().ok()?, x.base10_parse::<f64>().ok()?);
            if x as f32 != single {
                return None;
            }
            let x = if negative { -x } else { x };
            quote!(__wengert::track::Operand::Float(#x))
        }
        Lit::Bool(b) => quote!(__wengert::track::Operand::Bool(#b)),
        _ => return None,
    })
}

/// Operands as a list that lives forever.
pub(super) fn operands(all: &[Origin]) -> TokenStream {
    let all = all.iter().map(operand);
    quote!(&[#(#all),*])
}

/// The operator, its label, and whether it compares or assigns.
pub(super) fn operator(op: &BinOp) -> (&'static str, &'static str, bool, bool) {
    use BinOp::*;
    match op {
        Add(_) => ("+", "Add", false, false),
        Sub(_) => ("-", "Sub", false, false),
        Mul(_) => ("*", "Mul", false, false),
        Div(_) => ("/", "Div", false, false),
        Rem(_) => ("%", "Rem", false, false),
        BitXor(_) => ("^", "BitXor", false, false),
        BitAnd(_) => ("&", "BitAnd", false, false),
        BitOr(_) => ("|", "BitOr", false, false),
        Shl(_) => ("<<", "Shl", false, false),
        Shr(_) => (">>", "Shr", false, false),
        Eq(_) => ("==", "Eq", true, false),
        Ne(_) => ("!=", "Ne", true, false),
        Lt(_) => ("<", "Lt", true, false),
        Le(_) => ("<=", "Le", true, false),
        Gt(_) => (">", "Gt", true, false),
        Ge(_) => (">=", "Ge", true, false),
        AddAssign(_) => ("+", "Add", false, true),
        SubAssign(_) => ("-", "Sub", false, true),
        MulAssign(_) => ("*", "Mul", false, true),
        DivAssign(_) => ("/", "Div", false, true),
        RemAssign(_) => ("%", "Rem", false, true),
        BitXorAssign(_) => ("^", "BitXor", false, true),
        BitAndAssign(_) => ("&", "BitAnd", false, true),
        BitOrAssign(_) => ("|", "BitOr", false, true),
        ShlAssign(_) => ("<<", "Shl", false, true),
        ShrAssign(_) => (">>", "Shr", false, true),
        _ => ("?", "Other", false, false),
    }
}

fn does(how: &str) -> TokenStream {
    match how {
        "Call" | "CallOfVariable" | "Look" | "Name" | "Constant" => {
            let how = format_ident!("{how}");
            quote!(__wengert::track::Does::#how)
        }
        "Parts" => quote!(__wengert::track::Does::Parts),
        part if part.starts_with("Part(") => {
            let part: TokenStream = part.parse().expect("it is written here");
            quote!(__wengert::track::Does::#part)
        }
        op => {
            let op = format_ident!("{op}");
            quote!(__wengert::track::Does::Operator(__wengert::track::HostOp::#op))
        }
    }
}

impl Rewriter {
    /// The site of an expression: a place in the table of the function.
    pub(super) fn site(&mut self, label: &str, how: &str, from: &[Origin], into: &[u32], name: &str) -> TokenStream {
        self.site_with(label, how, from, into, name, &Effects::default())
    }

    /// The same of one that does more than to give its value.
    pub(super) fn site_with(
        &mut self,
        label: &str,
        how: &str,
        from: &[Origin],
        into: &[u32],
        name: &str,
        effects: &Effects,
    ) -> TokenStream {
        self.add_site((label, how, quote!(::core::option::Option::None)), from, into, name, effects)
    }

    /// The same of one that may be the method of a number.
    pub(super) fn add_site(
        &mut self,
        (label, how, method): (&str, &str, TokenStream),
        from: &[Origin],
        into: &[u32],
        name: &str,
        effects: &Effects,
    ) -> TokenStream {
        // What has changed since it was evaluated would be another value here: only calls are reported then.
        self.is_unknowable |= self.variables.have_changed(from, "");
        into.iter().for_each(|&slot| {
            self.variables.give(slot, "");
            self.variables.hold(slot, &effects.holds);
        });
        effects.through.iter().chain(&effects.given).for_each(|&slot| self.variables.give_behind(slot));
        effects.changed.iter().for_each(|(_, slot)| self.variables.give(*slot, ""));
        let (does, operands) = (does(how), operands(from));
        let i = self.sites.len();
        self.sites.push(quote!(__wengert::track::Site {
            label: #label, does: #does, operands: #operands, into: &[#(#into),*], name: #name, effects: #effects,
            method: #method
        }));
        quote!(&__WENGERT_SITES[#i])
    }
}
