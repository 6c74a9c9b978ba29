//! Numbers of the host: methods and functions that the numbers of the standard library have, and constants. Whether a method is
//! called of such a number is decided by its type as it stands in the source, by the compiler.

use super::order::Evaluated;
use super::places::{is_path, method_at, reads_of_variable, spot};
use super::rewrite::{Rewriter, prepend, stmt, take, when_live};
use super::source::{is_place, span_of, text};
use super::values::{Given, Origin, is_what_it_came_from, root};
use super::{call_at, own};
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Expr, Ident, Token};

/// Methods of numbers that a tape computes again, each with the number of its arguments. Each is a `HostFunction`.
#[rustfmt::skip]
const METHODS: [&[&str]; 3] = [
    &[
        "abs", "sqrt", "cbrt", "floor", "ceil", "round", "round_ties_even", "trunc", "fract", "signum", "recip", "to_radians",
        "to_degrees", "exp", "exp2", "exp_m1", "ln", "ln_1p", "log2", "log10", "sin", "cos", "tan", "asin", "acos", "atan", "sinh",
        "cosh", "tanh", "asinh", "acosh", "atanh", "is_nan", "is_finite", "is_infinite", "is_sign_negative", "is_sign_positive",
        "is_negative", "is_positive", "to_bits", "count_ones", "count_zeros", "leading_zeros", "trailing_zeros",
        "is_power_of_two", "unsigned_abs", "is_subnormal", "is_normal", "next_up", "next_down", "leading_ones", "trailing_ones",
        "swap_bytes", "reverse_bits", "wrapping_neg", "wrapping_abs", "isqrt", "ilog2", "ilog10", "next_power_of_two",
    ],
    &[
        "max", "min", "powi", "powf", "pow", "log", "hypot", "atan2", "copysign", "rem_euclid", "div_euclid", "abs_diff",
        "wrapping_add", "wrapping_sub", "wrapping_mul", "wrapping_pow", "saturating_add", "saturating_sub", "saturating_mul",
        "saturating_pow", "ilog", "is_multiple_of", "next_multiple_of", "div_ceil", "midpoint", "rotate_left", "rotate_right",
        "wrapping_shl", "wrapping_shr",
    ],
    &["mul_add", "clamp"],
];

const NUMBER_TYPES: [&str; 12] = ["i8", "i16", "i32", "i64", "isize", "u8", "u16", "u32", "u64", "usize", "f32", "f64"];

/// The `HostFunction` that a method of a number with so many arguments is.
fn host_function(name: &str, arguments: usize) -> Option<Ident> {
    METHODS.get(arguments)?.contains(&name).then(|| {
        let capitalized = |word: &str| word[..1].to_uppercase() + &word[1..];
        format_ident!("{}", name.split('_').map(capitalized).collect::<String>())
    })
}

/// Whether a type is a number, as it is written.
pub(super) fn is_number_type(ty: &syn::Type) -> bool {
    matches!(ty, syn::Type::Path(p) if p.path.get_ident().is_some_and(|i| NUMBER_TYPES.iter().any(|t| i == t)))
}

/// The number type and the function of `f64::max`.
fn function_of_number(f: &Expr, arguments: usize) -> Option<(Ident, Ident, Ident)> {
    let Expr::Path(p) = f else { return None };
    let segments: Vec<&Ident> = p.path.segments.iter().filter(|s| s.arguments.is_none()).map(|s| &s.ident).collect();
    let [ty, name] = segments[..] else { return None };
    let is_it = p.qself.is_none() && p.path.leading_colon.is_none() && p.path.segments.len() == 2;
    let function = host_function(&name.to_string(), arguments.checked_sub(1)?)?;
    (is_it && NUMBER_TYPES.iter().any(|t| ty == t)).then(|| (ty.clone(), name.clone(), function))
}

impl Rewriter {
    /// Whether a path is to a constant, or to a static that nobody changes: its name is in capitals, it is no variable of the
    /// function, and reading it is not unsafe. What a closure names may be a variable of the function around it.
    pub(super) fn is_constant(&self, e: &Expr) -> bool {
        let Expr::Path(p) = e else { return false };
        let Some(last) = p.path.segments.last() else { return false };
        let name = last.ident.unraw().to_string();
        let in_capitals = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
            && name.starts_with(|c: char| c.is_ascii_uppercase());
        let may_be_variable = p.path.get_ident().is_some()
            && (self.captures || self.variables.find(&name).is_some() || self.given_to_macros.contains(&name));
        in_capitals && last.arguments.is_none() && !may_be_variable && self.unsafe_blocks == 0
    }

    /// A constant that is an operand: it is looked at, and its value stands in the node.
    pub(super) fn constant(&mut self, e: &mut Expr) -> Option<Vec<Origin>> {
        if !self.is_constant(e) {
            return None;
        }
        let (label, span) = (text(e), span_of(e));
        Some(self.look(e, span, (&label, "Constant"), &[], Given::default()))
    }

    /// A macro may declare variables of the names that it is given.
    pub(super) fn give_to_macro(&mut self, tokens: TokenStream) {
        for t in tokens {
            match t {
                TokenTree::Group(g) => self.give_to_macro(g.stream()),
                TokenTree::Ident(i) => drop(self.given_to_macros.insert(i.unraw().to_string())),
                _ => {}
            }
        }
    }

    /// `v.max(w)`, where numbers have a method of the name.
    pub(super) fn method_of_number(&mut self, e: &mut Expr, span: Span, given: &Given) -> Option<Vec<Origin>> {
        let Expr::MethodCall(m) = e else { return None };
        let name = m.method.unraw().to_string();
        let function = host_function(&name, m.args.len()).filter(|_| m.turbofish.is_none())?;
        let of_number = self.new_slot();
        let mut looks = TokenStream::new();
        let was = self.as_it_was(&m.receiver, &m.args.iter().collect::<Vec<_>>());
        let was_receiver = Evaluated::new(&m.receiver);
        let (mut from, mut is_known) = match was {
            // The node of the receiver is kept before it changes; what is called then has it as it was.
            Some((slot, report)) => {
                let from = self.place(&mut m.receiver);
                looks.extend(report);
                self.receiver_spot(&m.receiver, &from, Some(slot), of_number, &mut looks)
            }
            None => self.receiver(&mut m.receiver, of_number, &mut looks),
        };
        let receiver = m.receiver.clone();
        let (operands, all_known) = self.operands_of_number(&mut m.args);
        if self.variables.have_changed(&from, "") {
            // It was not looked at, as it is no number or nobody knows what made it.
            is_known = false;
            from = self.settled(&mut m.receiver, Evaluated { from, ..was_receiver });
        }
        from.extend(operands);
        is_known &= all_known;
        self.change_if_mutable(&receiver, &name);
        let slot = self.look_method(e, span, (&name, &function, of_number, is_known), &from, given);
        if !looks.is_empty() {
            self.after(e, span, looks);
        }
        Some(slot)
    }

    /// What a method is called of: where it came from, and whether that is its value. A slot gets something if it is a number.
    fn receiver(&mut self, e: &mut Expr, of_number: u32, looks: &mut TokenStream) -> (Vec<Origin>, bool) {
        if let Expr::Paren(p) = e {
            return self.receiver(&mut p.expr, of_number, looks);
        }
        // A static may not be moved.
        if self.is_constant(e) {
            let spot = quote!((match &#e {
                // SAFETY: a reference to what lives as long as this, which nobody writes to.
                constant => unsafe { __wengert::track::Spot::of(constant) },
            }));
            return self.look_receiver(e, spot, (&text(e), "Constant"), &[], of_number, looks);
        }
        if matches!(e, Expr::Lit(_)) {
            let (label, span) = (text(e), span_of(e));
            let from = self.look(e, span, (&label, "Constant"), &[], Given::default());
            self.wrap_receiver(e, &from, of_number);
            return (from, true);
        }
        if reads_of_variable(e) && root(e).is_some_and(|i| self.variables.find(&i.unraw().to_string()).is_some()) {
            let from = self.place(e);
            return self.receiver_spot(e, &from, None, of_number, looks);
        }
        let was_place = is_place(e);
        let from = self.place_or_value(e, Given::default());
        let is_known = matches!(from[..], [Origin::Slot(..)]) && !was_place && is_what_it_came_from(e);
        if is_known {
            self.wrap_receiver(e, &from, of_number);
        }
        (from, is_known)
    }

    /// A variable, a field or what a variable refers to: it stays where it is, and is looked at before.
    fn receiver_spot(
        &mut self,
        e: &Expr,
        from: &[Origin],
        was: Option<u32>,
        of_number: u32,
        looks: &mut TokenStream,
    ) -> (Vec<Origin>, bool) {
        let from = was.map_or(from.to_vec(), |slot| vec![self.variables.origin(slot)]);
        let is_whole = is_path(e) || matches!(e, Expr::Unary(_));
        let (label, how) = if is_whole { (String::new(), "Name") } else { (text(e), "Look") };
        self.look_receiver(e, spot(e), (&label, how), &from, of_number, looks)
    }

    fn look_receiver(
        &mut self,
        e: &Expr,
        spot: TokenStream,
        (label, how): (&str, &str),
        from: &[Origin],
        of_number: u32,
        looks: &mut TokenStream,
    ) -> (Vec<Origin>, bool) {
        let operand = self.new_slot();
        let number = self.site(label, how, from, &[operand, of_number], "");
        let other = self.site("", "Name", from, &[operand], "");
        let look = method_at(span_of(e), "wengert_receiver", quote!(#number, #other));
        self.has_receivers = true;
        looks.extend(quote!(#spot #look;));
        (vec![self.variables.origin(operand)], true)
    }

    /// A value that a method is called of goes through a type that tells numbers from others.
    fn wrap_receiver(&mut self, e: &mut Expr, from: &[Origin], of_number: u32) {
        let site = self.site("", "Name", from, &[of_number], "");
        let (live, span, inner) = (own("__live"), span_of(e), take(e));
        let receiver = quote_spanned!(span=> __wengert::track::Receiver);
        self.has_receivers = true;
        *e = Expr::Verbatim(quote!(#receiver(#inner).wengert_receiver(#live, #site)));
    }

    /// The arguments of a method or a function of numbers: where they came from, and whether each is what its one origin gave.
    fn operands_of_number(&mut self, all: &mut Punctuated<Expr, Token![,]>) -> (Vec<Origin>, bool) {
        let given: Vec<Expr> = all.iter().cloned().collect();
        let (mut parts, mut all_known) = (Vec::new(), true);
        for (i, e) in all.iter_mut().enumerate() {
            let later: Vec<&Expr> = given[i + 1..].iter().collect();
            let changes = self.changes_in(e, &later);
            self.share(e);
            let one = |of: &mut Rewriter, e: &mut Expr| {
                let (from, is_known) = of.operand_of_number(e);
                all_known &= is_known;
                let from =
                    if changes { of.look(e, span_of(&given[i]), ("", "Name"), &from, Given::default()) } else { from };
                // One operand for each argument, where that is possible.
                if from.is_empty() { vec![Origin::Literal(text(&given[i]))] } else { from }
            };
            parts.push(self.evaluated(e, !later.is_empty(), one));
        }
        let operands = all.iter_mut().zip(parts).flat_map(|(e, part)| {
            all_known &= !self.variables.have_changed(&part.from, "");
            self.settled(e, part)
        });
        (operands.collect(), all_known)
    }

    /// One of them.
    fn operand_of_number(&mut self, e: &mut Expr) -> (Vec<Origin>, bool) {
        match self.constant(e) {
            Some(from) => (from, true),
            // A field stays where it is, which may be behind a reference, and is looked at right before.
            None if self.looks_at_field(e) => {
                let (label, from, slot) = (text(e), self.place(e), self.new_slot());
                let site = self.site(&label, "Look", &from, &[slot], "");
                let (spot, look) = (spot(e), method_at(span_of(e), "look", site));
                prepend(vec![stmt(when_live(quote!(#spot #look;)))], e);
                (vec![self.variables.origin(slot)], true)
            }
            None => {
                let from = self.value(e, Given::default());
                let is_known = from.len() == 1 && is_what_it_came_from(e);
                (from, is_known)
            }
        }
    }

    /// `f64::max(v, w)`. The user may have another `f64`: the function must be the one of the number.
    pub(super) fn call_of_number(&mut self, e: &mut Expr, span: Span, given: &Given) -> Option<Vec<Origin>> {
        let Expr::Call(c) = e else { return None };
        let (ty, name, function) = function_of_number(&c.func, c.args.len())?;
        let of_number = self.new_slot();
        let mut looks = TokenStream::new();
        let (from, is_known) = self.operands_of_number(&mut c.args);
        let label = name.to_string();
        let slot = match is_known {
            true => {
                let path = Origin::Literal(format!("{ty}::{name}"));
                let site = self.site("", "Name", &[path], &[of_number], "");
                let func = &c.func;
                looks.extend(quote!(__wengert::track::same_function(#func, ::core::primitive::#ty::#name, #site);));
                self.look_method(e, span, (&label, &function, of_number, true), &from, given)
            }
            false => self.look(e, span, (&label, "Call"), &from, given.clone()),
        };
        if !looks.is_empty() {
            self.after(e, span, looks);
        }
        Some(slot)
    }

    /// [`Rewriter::look`] at what a method gave that may be one of a number.
    fn look_method(
        &mut self,
        e: &mut Expr,
        span: Span,
        (label, function, of_number, is_known): (&str, &Ident, u32, bool),
        from: &[Origin],
        given: &Given,
    ) -> Vec<Origin> {
        let slot = given.slot.unwrap_or_else(|| self.new_slot());
        let effects = std::mem::take(&mut self.effects);
        let method = quote!(::core::option::Option::Some(__wengert::track::Method {
            function: __wengert::track::HostFunction::#function, of_number: #of_number, is_known: #is_known
        }));
        let site = self.add_site((label, "Call", method), from, &[slot], &given.name, &effects);
        let (live, inner) = (own("__live"), take(e));
        *e = Expr::Verbatim(call_at(span, "seen", quote!(#inner, #live, #site)));
        vec![self.variables.origin(slot)]
    }
}
