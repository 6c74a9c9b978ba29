//! The reports inside a body: of every decision, jump, return and name, each behind the flag of the function.
//!
//! Blocks are numbered in the order they stand in the source. A jump may go to a block that is not reached yet, so blocks
//! have marks, and the marks become numbers in the end.

use super::constructors::makes_unseen;
use super::effects::{Effects, slots};
use super::loops::JumpTarget;
use super::parts::Parts;
use super::places::is_path;
use super::shown::Shown;
use super::source::{bindings, conditions, first_call_in, is_inferred, is_place, span_of, text};
use super::values::{Given, Origin, bare_pattern, is_what_it_came_from, leaves};
use super::variables::Variables;
use super::{DeclaredResult, add_value, call_at, own, parenthesized, replace};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::{HashMap, HashSet};
use syn::ext::IdentExt;
use syn::token::Brace;
use syn::{
    Arm, BinOp, Block, Expr, ExprBinary, ExprBlock, ExprIf, ExprMatch, ExprReturn, ExprTry, Pat, Stmt, Type,
    parse_quote,
};

/// A block of the function, which gets its number when it is reached.
#[derive(Clone, Copy)]
pub(super) struct BlockMark(usize);

impl ToTokens for BlockMark {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        format_ident!("__wengert_block_{}", self.0).to_tokens(tokens);
    }
}

/// A value that is compared with patterns.
pub(super) struct Scrutinee {
    pub(super) text: String,
    /// Whether a report stands before its evaluation, so that the reads in it belong to the condition.
    pub(super) began: bool,
    /// Where it came from.
    pub(super) from: Vec<Origin>,
    /// Whether it is what the one node gave that it came from.
    pub(super) exactly: bool,
    /// What it may have borrowed.
    pub(super) held: Effects,
}

/// `a && let Some(x) = b && c`: a variable says which `let` is being tried, for the other side to report.
pub(super) struct LetChain {
    then: BlockMark,
    other: BlockMark,
    flag: Ident,
    parts: Vec<Expr>,
    missed: Vec<TokenStream>,
}

impl LetChain {
    pub(super) fn set(&self, tried: u32) -> Expr {
        let flag = &self.flag;
        parse_quote!({ #flag = #tried; true })
    }
}

pub(super) struct Rewriter {
    pub(super) gives: DeclaredResult,
    /// Variables that say which `let` of a chain is being tried.
    pub(super) flags: Vec<Ident>,
    /// Variables that have the types of what is called.
    pub(super) ties: Vec<Ident>,
    /// The variables that are shown.
    pub(super) shown: Shown,
    /// Whether the compiler may leave out parts of the function: a variable must not be for what is left out.
    pub(super) has_conditional_parts: bool,
    /// The numbers of the marks, once they are reached.
    numbers: Vec<u32>,
    last: u32,
    pub(super) targets: Vec<JumpTarget>,
    /// The block after the last decision, which the next statement begins.
    pub(super) after: Option<BlockMark>,
    /// Whether everything that is evaluated is reported, or calls, decisions and names alone.
    pub(super) full: bool,
    /// The sites of the function.
    pub(super) sites: Vec<TokenStream>,
    /// Where the statements of the function begin and end.
    pub(super) statements: Vec<[u32; 4]>,
    pub(super) slots: u32,
    /// Of the slots of blocks, the variables that have their values, and whether temporaries may live longer than the block.
    pub(super) blocks_of_slots: HashMap<u32, (String, bool)>,
    pub(super) variables: Variables,
    /// The slots of variables that hold tracked closures, with their names.
    pub(super) tracked_closures: HashMap<u32, String>,
    /// What the parts of the expression that is looked at next do to variables.
    pub(super) effects: Effects,
    /// What the values of blocks came from that have no node of their own, such as an element: of each, its slot.
    pub(super) loose: Vec<(u32, Origin)>,
    /// What is evaluated after a part of a value, before the value is there.
    pub(super) later: Vec<Expr>,
    /// The slots of blocks whose values may have borrowed something.
    pub(super) slots_with_borrows: HashSet<u32>,
    /// The parts of what goes to a slot, where that is taken apart.
    pub(super) parts_of_slots: HashMap<u32, Parts>,
    /// The slots of parts that get a value, of all that the part may be: the others are empty.
    pub(super) given_parts: HashSet<u32>,
    /// The functions and types that the function declares inside.
    pub(super) declared: HashSet<String>,
    /// Whether it declares macros or includes a file, which know its variables by their names.
    pub(super) declares_macros: bool,
    /// Whether there are types among them.
    pub(super) declares_types: bool,
    /// Whether the function is a closure, which may name variables of the function around it.
    pub(super) captures: bool,
    /// Whether receivers of methods are told apart.
    pub(super) has_receivers: bool,
    /// How many `unsafe` blocks are around the expression.
    pub(super) unsafe_blocks: u32,
    /// The names that macros were given before it.
    pub(super) given_to_macros: HashSet<String>,
    /// Whether something in the function leaves open which variable has which value: then its calls and decisions alone are reported.
    pub(super) is_unknowable: bool,
}

/// Behind the flag of the function.
pub(super) fn when_live(report: TokenStream) -> TokenStream {
    let live = own("__live");
    quote!(if #live { #report })
}

pub(super) fn stmt(tokens: TokenStream) -> Stmt {
    Stmt::Expr(parse_quote!(#tokens), Some(Default::default()))
}

pub(super) fn number(mark: Option<BlockMark>) -> TokenStream {
    mark.map_or(quote!(0u32), |m| quote!(#m))
}

/// Names what a pattern bound, which `always` matches or may not.
pub(super) fn names(pattern: &Pat, always: bool) -> Vec<Stmt> {
    let name = |n: &Ident| {
        let (span, text) = (n.span(), n.unraw().to_string());
        let call = quote_spanned!(span=> __wengert::track::name(&#n, #text));
        stmt(when_live(quote!(#call;)))
    };
    bindings(pattern, always).iter().map(name).collect()
}

fn and(left: Expr, right: Expr) -> Expr {
    let (left, right) = (Box::new(left), Box::new(right));
    Expr::Binary(ExprBinary { attrs: Vec::new(), left, op: BinOp::And(Default::default()), right })
}

pub(super) fn has_let(e: &Expr) -> bool {
    match e {
        Expr::Let(_) => true,
        Expr::Binary(b) => matches!(b.op, BinOp::And(_)) && (has_let(&b.left) || has_let(&b.right)),
        Expr::Group(g) => has_let(&g.expr),
        _ => false,
    }
}

/// Whether an expression at the end of a body has no value to show. A closure has none: its type may be inferred from its
/// use.
fn has_no_value(e: &Expr) -> bool {
    match e {
        Expr::Return(_) | Expr::Break(_) | Expr::Continue(_) | Expr::Closure(_) => true,
        Expr::Paren(p) => has_no_value(&p.expr),
        Expr::Group(g) => has_no_value(&g.expr),
        Expr::Macro(m) => leaves(&m.mac),
        _ => false,
    }
}

/// Puts statements before an expression.
pub(super) fn prepend(first: Vec<Stmt>, e: &mut Expr) {
    match e {
        Expr::Block(b) if b.label.is_none() && b.attrs.is_empty() => drop(b.block.stmts.splice(0..0, first)),
        e => {
            let brace_token = Brace(span_of(e));
            let inner = take(e);
            let block = Block { brace_token, ..parse_quote!({ #(#first)* #inner }) };
            *e = Expr::Block(ExprBlock { attrs: Vec::new(), label: None, block });
        }
    }
}

pub(super) fn take(e: &mut Expr) -> Expr {
    std::mem::replace(e, Expr::Verbatim(TokenStream::new()))
}

impl Rewriter {
    pub(super) fn new(gives: DeclaredResult, full: bool) -> Rewriter {
        let (flags, numbers, targets) = (Vec::new(), Vec::new(), Vec::new());
        let (sites, effects) = (Vec::new(), Effects::default());
        let variables = Variables::default();
        Rewriter {
            gives,
            flags,
            ties: Vec::new(),
            shown: Shown::default(),
            has_conditional_parts: false,
            numbers,
            last: 1,
            targets,
            after: None,
            full,
            sites,
            statements: Vec::new(),
            slots: 0,
            blocks_of_slots: HashMap::new(),
            variables,
            tracked_closures: HashMap::new(),
            effects,
            loose: Vec::new(),
            later: Vec::new(),
            given_parts: HashSet::new(),
            slots_with_borrows: HashSet::new(),
            parts_of_slots: HashMap::new(),
            declared: HashSet::new(),
            declares_macros: false,
            declares_types: false,
            captures: false,
            has_receivers: false,
            unsafe_blocks: 0,
            given_to_macros: HashSet::new(),
            is_unknowable: false,
        }
    }

    /// Rewrites the body of the function, and gives the place of its result, if it has one.
    pub(super) fn body(&mut self, block: &mut Block) -> Option<Span> {
        let place = block.stmts.last().map(|s| (text(s), span_of(s)));
        let parts = match block.stmts.last() {
            Some(Stmt::Expr(e, None)) => self.parts_returned(e),
            _ => None,
        };
        let given = Given { slot: parts.as_ref().map(|(slot, _)| *slot), ..Given::default() };
        let mut from = (self.block_from(block, given).0, false);
        if let Some((_, parts)) = parts {
            from = self.origins_of_parts(&parts);
        }
        // A macro that is a statement may be several statements, and an expression with `cfg` must stay at the end.
        let Some(Stmt::Expr(e, None)) = block.stmts.last_mut() else {
            let is_open = |s: &Stmt| matches!(s, Stmt::Macro(m) if m.semi_token.is_none());
            if matches!(self.gives, DeclaredResult::Unit) && !block.stmts.last().is_some_and(is_open) {
                block.stmts.extend(self.shown.said().map(stmt));
            }
            return None;
        };
        let (text, span) = place?;
        let shown = matches!(self.gives, DeclaredResult::Type(_) | DeclaredResult::Inferred);
        if shown && !has_no_value(e) && conditions(e).is_empty() {
            let said = self.shown.said();
            let value = self.returned(take(e), span, &text, (&from.0, from.1), said);
            // The value becomes the argument of a function that may never be called.
            *e = Expr::Verbatim(quote!(#[allow(unreachable_code, unused_braces, unused_parens)] #value));
        }
        let is_unit = matches!(self.gives, DeclaredResult::Unit);
        if is_unit
            && !has_no_value(e)
            && conditions(e).is_empty()
            && let Some(said) = self.shown.said()
        {
            let value = take(e);
            let last = quote_spanned!(span=> __wengert::track::last::<()>(#value, { #said }));
            *e = Expr::Verbatim(quote!(#[allow(unreachable_code, unused_braces, unused_parens)] #last));
        }
        (!is_unit).then_some(span)
    }

    /// The tokens with numbers for marks.
    pub(super) fn resolve(&self, tokens: TokenStream) -> TokenStream {
        replace(tokens, &mut |i| {
            let mark = i.to_string().strip_prefix("__wengert_block_")?.parse::<usize>().ok()?;
            Some(Literal::u32_suffixed(self.numbers[mark]).into_token_stream())
        })
    }

    /// A block that is not reached yet.
    pub(super) fn mark_ahead(&mut self) -> BlockMark {
        self.numbers.push(0);
        BlockMark(self.numbers.len() - 1)
    }

    pub(super) fn reach(&mut self, mark: BlockMark) {
        self.last += 1;
        self.numbers[mark.0] = self.last;
    }

    /// A block that begins here.
    pub(super) fn mark_here(&mut self) -> BlockMark {
        let mark = self.mark_ahead();
        self.reach(mark);
        mark
    }

    /// A decision ends here: what follows in the next statement is a block.
    pub(super) fn join(&mut self, after: BlockMark) {
        self.reach(after);
        self.after = Some(after);
    }

    /// A result of the function, passed through a function that shows it.
    /// Something may stand after it.
    fn returned(
        &mut self,
        e: Expr,
        span: Span,
        text: &str,
        (from, in_parts): (&[Origin], bool),
        after: Option<TokenStream>,
    ) -> Expr {
        let (live, frame, given, value) = (own("__live"), own("__frame"), own("__given"), own("__value"));
        let ty: Type = match &self.gives {
            DeclaredResult::Unit => parse_quote!(()),
            DeclaredResult::Type(t) => (**t).clone(),
            DeclaredResult::Never | DeclaredResult::Opaque(_) => return e,
            DeclaredResult::Inferred => parse_quote!(_),
        };
        let add = add_value(&quote!(*#value), "", Some(&ty));
        let show = quote!(|#value, #given| { #[allow(unused_imports)] use __wengert::track::AddValue as _; #add });
        // What is put together of several values, or is a part of one, is looked at here.
        let look = match from {
            [] | [Origin::Literal(_)] => quote!(::core::option::Option::None),
            from => {
                let exact = matches!(from, [_]) && (is_plain(&e) || !is_place(&e));
                let slot = self.new_slot();
                let how = match (in_parts, exact) {
                    (true, _) => "Parts",
                    (false, true) => "Name",
                    (false, false) => "Look",
                };
                let site = self.site(if how == "Name" { "" } else { text }, how, from, &[slot], "");
                quote!(::core::option::Option::Some(#site))
            }
        };
        let look = match after {
            Some(after) => quote!({ #after #look }),
            None => look,
        };
        let arguments = parenthesized(quote!(#e, #frame, #live, #show, #look), span);
        Expr::Verbatim(quote_spanned!(span=> __wengert::track::returned::<#ty> #arguments))
    }

    pub(super) fn lower_return(&mut self, mut r: ExprReturn) -> Expr {
        let said = r.expr.as_ref().map_or(String::new(), text);
        let parts = r.expr.as_ref().and_then(|e| self.parts_returned(e));
        let given = Given { slot: parts.as_ref().map(|(slot, _)| *slot), ..Given::default() };
        let mut from = (r.expr.as_mut().map_or(Vec::new(), |e| self.value(e, given)), false);
        if let Some((_, parts)) = parts {
            from = self.origins_of_parts(&parts);
        }
        let span = span_of(&r.return_token);
        if matches!(self.gives, DeclaredResult::Opaque(_)) || r.expr.as_deref().is_some_and(has_no_value) {
            let (frame, attrs) = (own("__frame"), std::mem::take(&mut r.attrs));
            let ends = stmt(when_live(call_at(span, "ends", quote!(#frame.slot()))));
            return parse_quote!(#(#attrs)* { #ends #r });
        }
        let value = r.expr.take().map_or_else(|| parse_quote!(()), |e| *e);
        r.expr = Some(Box::new(self.returned(value, span, &said, (&from.0, from.1), None)));
        Expr::Return(r)
    }

    /// A condition, and where it leads. Conditions that `&&` and `||` join are decisions of their own.
    /// `clears` is the slot of what is computed only if it leads there.
    pub(super) fn condition(
        &mut self,
        e: &mut Expr,
        then: Option<BlockMark>,
        other: Option<BlockMark>,
        clears: Option<u32>,
    ) -> Vec<Origin> {
        match e {
            Expr::Paren(p) => return self.condition(&mut p.expr, then, other, clears),
            Expr::Group(g) => return self.condition(&mut g.expr, then, other, clears),
            Expr::Binary(b) if matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => {
                let right = self.mark_ahead();
                let mut from = match b.op {
                    BinOp::And(_) => self.condition(&mut b.left, Some(right), other, clears),
                    _ => self.condition(&mut b.left, then, Some(right), clears),
                };
                self.reach(right);
                from.extend(self.condition(&mut b.right, then, other, None));
                return from;
            }
            _ => {}
        }
        let (text, span, place) = (text(e), span_of(e), is_place(e) && !is_plain(e));
        let from = self.value(e, Given::default());
        let live = own("__live");
        let (then, other, inner) = (number(then), number(other), take(e));
        if self.full {
            let site = self.site(&text, exactly(place, &from), &from, clears.as_slice(), "");
            *e = Expr::Verbatim(call_at(span, "decide_by", quote!(#inner, #live, #site, #then, #other)));
            return from;
        }
        let began = quote!(__wengert::track::begin(#live));
        *e = Expr::Verbatim(call_at(span, "decide", quote!(#began, #inner, #text, #then, #other)));
        from
    }

    /// The sides of `a && b`, where it is a value: where the left one came from. The right one has a slot.
    pub(super) fn lower_short_circuit(&mut self, b: &mut ExprBinary, value: u32) -> Vec<Origin> {
        let (right, after) = (self.mark_ahead(), self.mark_ahead());
        let from = match b.op {
            BinOp::And(_) => self.condition(&mut b.left, Some(right), Some(after), Some(value)),
            _ => self.condition(&mut b.left, Some(after), Some(right), Some(value)),
        };
        self.reach(right);
        let to = self.given_to(value);
        let given = self.value_of_block(&mut b.right, to);
        let is_exact = is_what_it_came_from(&b.right);
        if let Some(report) = self.copy_into(&given, value, is_exact) {
            prepend(vec![report], &mut b.right);
        }
        self.join(after);
        from
    }

    /// A value about to be compared with patterns. A value that is not a place has a report before its evaluation.
    pub(super) fn scrutinee(&mut self, e: &mut Expr) -> Scrutinee {
        let text = text(e);
        let began = !is_place(e);
        if self.full {
            let place = is_place(e) && !is_plain(e);
            let from = match e {
                Expr::Macro(_) => self.value(e, Given { extends: true, ..Given::default() }),
                _ => self.place_or_value(e, Given::default()),
            };
            let (held, exactly) = (self.take_held(), !place && is_what_it_came_from(e));
            if makes_unseen(e) {
                // It is dropped after what is around this.
                self.effects.given.extend(slots(&from));
            }
            return Scrutinee { text, began, from, exactly, held };
        }
        self.control(e, None);
        if began {
            let (live, inner) = (own("__live"), take(e));
            *e = parse_quote!(__wengert::track::scrutinee(__wengert::track::begin(#live), #inner));
        }
        Scrutinee { text, began, from: Vec::new(), exactly: false, held: Effects::default() }
    }

    /// The report that a value matched a pattern, or did not.
    pub(super) fn compared(
        &mut self,
        how: &str,
        s: &Scrutinee,
        pattern: &Pat,
        target: Option<BlockMark>,
    ) -> TokenStream {
        let Scrutinee { text: value, began, from, exactly: exact, .. } = s;
        let (pattern_text, target) = (text(pattern), number(target));
        if self.full {
            let site = self.site(value, exactly(!exact, from), from, &[], "");
            let report = call_at(span_of(pattern), &format!("{how}_by"), quote!(#site, #pattern_text, #target));
            return quote!(#report;);
        }
        let how = Ident::new(how, span_of(pattern));
        quote_spanned!(span_of(pattern)=> __wengert::track::#how(#began, #value, #pattern_text, #target);)
    }

    /// Names what a pattern bound, which `always` matches or may not, and says where it came from.
    pub(super) fn names(&mut self, pattern: &Pat, always: bool, s: &Scrutinee) -> Vec<Stmt> {
        if !self.full {
            return names(pattern, always);
        }
        if s.exactly
            && always
            && let Some(reports) = self.bind_given(pattern, &s.from, &s.held)
        {
            return reports;
        }
        let beside = std::mem::replace(&mut self.effects, s.held.clone());
        let is_whole = matches!(bare_pattern(pattern), Pat::Ident(p) if p.subpat.is_none());
        let reports = self.bind(pattern, always, if is_whole && !s.exactly { &s.text } else { "" }, &s.from);
        self.effects.add(beside);
        reports
    }

    /// An `if`, given where its sides are, and the slot of its value.
    pub(super) fn decide(&mut self, i: &mut ExprIf, [then, other, after]: [BlockMark; 3], value: Option<u32>) {
        let mut first: Vec<Stmt> = Vec::new();
        let scope = self.variables.mark();
        let mut missed = TokenStream::new();
        match &mut *i.cond {
            Expr::Let(l) => {
                let s = self.scrutinee(&mut l.expr);
                first.push(stmt(when_live(self.compared("matched", &s, &l.pat, Some(then)))));
                first.extend(self.names(&l.pat, false, &s));
                missed = self.compared("missed", &s, &l.pat, Some(other));
            }
            c if has_let(c) => {
                let flag = own(&format!("__let_{}", self.flags.len()));
                self.flags.push(flag.clone());
                let (parts, missed_parts) = (Vec::new(), Vec::new());
                let mut chain = LetChain { then, other, flag, parts, missed: missed_parts };
                self.chain(take(c), &mut chain, true);
                let reset = chain.set(0);
                *c = chain.parts.into_iter().fold(reset, and);
                let (flag, reports, tried) = (chain.flag, chain.missed, 1u32..);
                missed = quote!(match #flag { #(#tried => { #reports })* _ => {} });
            }
            c => drop(self.condition(c, Some(then), Some(other), None)),
        }
        self.reach(then);
        let before = self.variables.given_so_far();
        self.block(&mut i.then_branch, value);
        let in_then = self.variables.take_given(before);
        self.variables.back_to(scope);
        i.then_branch.stmts.splice(0..0, first);
        let missed = (!missed.is_empty()).then(|| stmt(when_live(missed)));
        match &mut i.else_branch {
            Some((_, e)) => {
                self.reach(other);
                self.control(e, value);
                if let Some(missed) = missed {
                    prepend(vec![missed], e);
                }
            }
            None => {
                if let Some(missed) = missed {
                    i.else_branch = Some((Default::default(), parse_quote!({ #missed })));
                }
            }
        }
        self.variables.give_all(in_then);
        self.join(after);
    }

    /// The parts of a chain of `let`s and conditions, each with a report after it.
    pub(super) fn chain(&mut self, e: Expr, chain: &mut LetChain, last: bool) {
        let target = last.then_some(chain.then);
        match e {
            Expr::Binary(b) if matches!(b.op, BinOp::And(_)) => {
                self.chain(*b.left, chain, false);
                self.chain(*b.right, chain, last);
            }
            Expr::Group(g) => self.chain(*g.expr, chain, last),
            Expr::Let(mut l) => {
                let s = self.scrutinee(&mut l.expr);
                chain.missed.push(self.compared("missed", &s, &l.pat, Some(chain.other)));
                let names = self.names(&l.pat, false, &s);
                let report = when_live(self.compared("matched", &s, &l.pat, target));
                let (tried, reset) = (chain.set(chain.missed.len() as u32), chain.set(0));
                chain.parts.extend([tried, Expr::Let(l), parse_quote!({ #report #(#names)* #reset })]);
            }
            mut e => {
                self.condition(&mut e, target, Some(chain.other), None);
                chain.parts.push(e);
            }
        }
    }

    pub(super) fn lower_if(&mut self, i: &mut ExprIf, value: Option<u32>) {
        let (then, after) = (self.mark_ahead(), self.mark_ahead());
        let other = if i.else_branch.is_some() { self.mark_ahead() } else { after };
        self.decide(i, [then, other, after], value);
    }

    /// The guard of an arm. The arm reports that the `let`s of its guard matched.
    pub(super) fn guard(&mut self, e: &mut Expr, arm: &mut Vec<Stmt>) {
        match e {
            Expr::Let(l) => {
                let value = text(&l.expr);
                let from = self.place_or_value(&mut l.expr, Given::default());
                let s = Scrutinee { text: value, began: false, from, exactly: false, held: self.take_held() };
                arm.push(stmt(when_live(self.compared("matched", &s, &l.pat, None))));
                arm.extend(self.names(&l.pat, false, &s));
            }
            Expr::Binary(b) if has_let(&b.left) || has_let(&b.right) => {
                self.guard(&mut b.left, arm);
                self.guard(&mut b.right, arm);
            }
            Expr::Group(g) => self.guard(&mut g.expr, arm),
            e => drop(self.condition(e, None, None, None)),
        }
    }

    pub(super) fn lower_match(&mut self, m: &mut ExprMatch, value: Option<u32>) {
        if m.arms.is_empty() {
            return;
        }
        let s = self.scrutinee(&mut m.expr);
        let mut in_arms = Vec::new();
        for Arm { pat, guard, body, comma, .. } in &mut m.arms {
            let arm = self.mark_ahead();
            let mut first = Vec::new();
            let scope = self.variables.mark();
            // A guard may speak of what the pattern binds; it is reported once the arm is taken.
            let mut bound = self.names(pat, false, &s);
            if let Some((_, guard)) = guard {
                self.guard(guard, &mut first);
                if self.full && !has_let(guard) {
                    prepend(std::mem::take(&mut bound), guard);
                }
            }
            self.reach(arm);
            let call = first_call_in(body).map(|span| when_live(call_at(span, "statement", quote!(0u32))));
            let given = value.map(|slot| self.given_to(slot)).unwrap_or_default();
            first.push(stmt(when_live(self.compared("matched", &s, pat, Some(arm)))));
            first.extend(bound);
            first.extend(call.map(stmt));
            let before = self.variables.given_so_far();
            let from = self.value_of_block(body, given);
            let is_exact = is_what_it_came_from(body);
            first.extend(value.and_then(|slot| self.copy_into(&from, slot, is_exact)));
            in_arms.extend(self.variables.take_given(before));
            self.variables.back_to(scope);
            self.allow_diverging(body);
            prepend(first, body);
            *comma = Some(Default::default());
        }
        self.variables.give_all(in_arms);
        let after = self.mark_ahead();
        self.join(after);
    }

    pub(super) fn lower_try(&mut self, e: &mut Expr) -> Vec<Origin> {
        let Expr::Try(t) = e else { return Vec::new() };
        self.lower_try_in(t)
    }

    pub(super) fn lower_try_in(&mut self, t: &mut ExprTry) -> Vec<Origin> {
        let (text, start, span) = (text(t), span_of(t), span_of(&t.question_token));
        let from = self.place_or_value(&mut t.expr, Given::default());
        let (live, frame, value, inner) = (own("__live"), own("__frame"), own("__value"), take(&mut t.expr));
        let left = match &self.gives {
            DeclaredResult::Type(t) if !is_inferred(t) => {
                quote!((&&__wengert::track::Declared::<#t>(::core::marker::PhantomData)).wengert_left())
            }
            _ => quote!(__wengert::track::UnshownLeft),
        };
        let outcome = quote!(__wengert::track::Probe::<_, true>(&#value).wengert_try_outcome(#left));

        let (report, began) = match self.full {
            true => {
                let site = self.site(&text, exactly(false, &from), &from, &[], "");
                (call_at(span, "try_outcome_by", quote!(#frame.slot(), #outcome, #site)), quote!(#live))
            }
            false => (
                call_at(span, "try_outcome", quote!(#frame.slot(), #outcome, #text)),
                quote!(__wengert::track::begin(#live)),
            ),
        };
        let seen = quote! {
            match __wengert::track::scrutinee(#began, #inner) {
                #value => {
                    if #live {
                        #[allow(unused_imports)]
                        use __wengert::track::{KnownLeft as _, UnknownLeft as _, UnknownTry as _};
                        #report;
                    }
                    #value
                }
            }
        };
        // With the span of the expression that it replaces, so that expressions around it keep their place.
        *t.expr = Expr::Verbatim(parenthesized(seen, start).to_token_stream());
        from
    }
}

/// Whether a value is that of one node, or only came from some.
fn exactly(is_part: bool, from: &[Origin]) -> &'static str {
    if !is_part && matches!(from, [Origin::Slot(..)]) { "Name" } else { "Look" }
}

/// Whether an expression is a name or a literal.
pub(super) fn is_plain(e: &Expr) -> bool {
    match e {
        Expr::Path(_) | Expr::Lit(_) => true,
        Expr::Paren(p) => is_plain(&p.expr),
        Expr::Unary(u) => matches!(*u.expr, Expr::Lit(_)),
        // What a variable refers to, borrowed again.
        Expr::Reference(r) if matches!(&*r.expr, Expr::Unary(u) if is_path(&u.expr)) => true,
        Expr::Reference(r) => is_plain(&r.expr),
        _ => false,
    }
}
