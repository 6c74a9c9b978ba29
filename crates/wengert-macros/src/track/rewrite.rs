//! The reports inside a body: of every decision, jump, return and name, each behind the flag of the function.
//!
//! Blocks are numbered in the order they stand in the source. A jump may go to a block that is not reached yet, so blocks
//! have marks, and the marks become numbers in the end.

use super::source::{Part, bindings, conditions, first_call, first_call_in, is_place, parts, span_of, text};
use super::{DeclaredResult, add_value, call_at, own, parenthesized, replace};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::token::Brace;
use syn::{
    Arm, Attribute, BinOp, Block, Expr, ExprBinary, ExprBlock, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop,
    ExprMatch, ExprReturn, ExprTry, ExprWhile, Label, Lifetime, Local, Pat, Stmt, Type, parse_quote,
};

/// A block of the function, which gets its number when it is reached.
#[derive(Clone, Copy)]
struct BlockMark(usize);

impl ToTokens for BlockMark {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        format_ident!("__wengert_block_{}", self.0).to_tokens(tokens);
    }
}

/// A loop or labelled block that `break` and `continue` may name.
struct JumpTarget {
    label: Option<Lifetime>,
    /// Where the next iteration begins, if it is a loop.
    header: Option<BlockMark>,
    after: BlockMark,
}

/// A value that is compared with patterns.
struct Scrutinee {
    text: String,
    /// Whether a report stands before its evaluation, so that the reads in it belong to the condition.
    began: bool,
}

/// `a && let Some(x) = b && c`: a variable says which `let` is being tried, for the other side to report.
struct LetChain {
    then: BlockMark,
    other: BlockMark,
    flag: Ident,
    parts: Vec<Expr>,
    missed: Vec<TokenStream>,
    /// Names what the `let`s bind.
    names: Vec<Stmt>,
}

impl LetChain {
    fn set(&self, tried: u32) -> Expr {
        let flag = &self.flag;
        parse_quote!({ #flag = #tried; true })
    }
}

pub(super) struct Rewriter {
    pub(super) gives: DeclaredResult,
    /// Variables that say which `let` of a chain is being tried.
    pub(super) flags: Vec<Ident>,
    /// The numbers of the marks, once they are reached.
    numbers: Vec<u32>,
    last: u32,
    targets: Vec<JumpTarget>,
    /// The block after the last decision, which the next statement begins.
    after: Option<BlockMark>,
}

/// Behind the flag of the function.
fn when_live(report: TokenStream) -> TokenStream {
    let live = own("__live");
    quote!(if #live { #report })
}

fn stmt(tokens: TokenStream) -> Stmt {
    Stmt::Expr(parse_quote!(#tokens), Some(Default::default()))
}

fn number(mark: Option<BlockMark>) -> TokenStream {
    mark.map_or(quote!(0u32), |m| quote!(#m))
}

/// Names what a pattern bound, which `always` matches or may not.
fn names(pattern: &Pat, always: bool) -> Vec<Stmt> {
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

fn has_let(e: &Expr) -> bool {
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
        Expr::Macro(m) => m.mac.path.segments.last().is_some_and(|s| {
            ["panic", "todo", "unreachable", "unimplemented", "bail"].iter().any(|leaving| s.ident == leaving)
        }),
        _ => false,
    }
}

/// Puts statements before an expression.
fn prepend(first: Vec<Stmt>, e: &mut Expr) {
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

fn take(e: &mut Expr) -> Expr {
    std::mem::replace(e, Expr::Verbatim(TokenStream::new()))
}

impl Rewriter {
    pub(super) fn new(gives: DeclaredResult) -> Rewriter {
        let (flags, numbers, targets) = (Vec::new(), Vec::new(), Vec::new());
        Rewriter { gives, flags, numbers, last: 1, targets, after: None }
    }

    /// Rewrites the body of the function, and gives the place of its result, if it has one.
    pub(super) fn body(&mut self, block: &mut Block) -> Option<Span> {
        self.block(block);
        // A macro that is a statement may be several statements, and an expression with `cfg` must stay at the end.
        let Some(Stmt::Expr(e, None)) = block.stmts.last_mut() else { return None };
        let span = span_of(e);
        let shown = matches!(self.gives, DeclaredResult::Type(_) | DeclaredResult::Inferred);
        if shown && !has_no_value(e) && conditions(e).is_empty() {
            let value = self.returned(take(e), span);
            // The value becomes the argument of a function that may never be called.
            *e = Expr::Verbatim(quote!(#[allow(unreachable_code, unused_braces, unused_parens)] #value));
        }
        (!matches!(self.gives, DeclaredResult::Unit)).then_some(span)
    }

    /// The tokens with numbers for marks.
    pub(super) fn resolve(&self, tokens: TokenStream) -> TokenStream {
        replace(tokens, &mut |i| {
            let mark = i.to_string().strip_prefix("__wengert_block_")?.parse::<usize>().ok()?;
            Some(Literal::u32_suffixed(self.numbers[mark]).into_token_stream())
        })
    }

    /// A block that is not reached yet.
    fn mark_ahead(&mut self) -> BlockMark {
        self.numbers.push(0);
        BlockMark(self.numbers.len() - 1)
    }

    fn reach(&mut self, mark: BlockMark) {
        self.last += 1;
        self.numbers[mark.0] = self.last;
    }

    /// A block that begins here.
    fn mark_here(&mut self) -> BlockMark {
        let mark = self.mark_ahead();
        self.reach(mark);
        mark
    }

    /// A decision ends here: what follows in the next statement is a block.
    fn join(&mut self, after: BlockMark) {
        self.reach(after);
        self.after = Some(after);
    }

    /// A result of the function, passed through a function that shows it.
    fn returned(&self, e: Expr, span: Span) -> Expr {
        let (live, frame, given, value) = (own("__live"), own("__frame"), own("__given"), own("__value"));
        let ty: Type = match &self.gives {
            DeclaredResult::Unit => parse_quote!(()),
            DeclaredResult::Type(t) => (**t).clone(),
            DeclaredResult::Never | DeclaredResult::Opaque(_) => return e,
            DeclaredResult::Inferred => parse_quote!(_),
        };
        let add = add_value(&quote!(*#value), "", Some(&ty));
        let show = quote!(|#value, #given| { #[allow(unused_imports)] use __wengert::track::AddValue as _; #add });
        let arguments = parenthesized(quote!(#e, &mut #frame, #live, #show), span);
        Expr::Verbatim(quote_spanned!(span=> __wengert::track::returned::<#ty> #arguments))
    }

    fn lower_return(&mut self, mut r: ExprReturn) -> Expr {
        if let Some(e) = &mut r.expr {
            self.expr(e);
        }
        let span = span_of(&r.return_token);
        if matches!(self.gives, DeclaredResult::Opaque(_)) || r.expr.as_deref().is_some_and(has_no_value) {
            let (frame, attrs) = (own("__frame"), std::mem::take(&mut r.attrs));
            let ends = stmt(when_live(call_at(span, "ends", quote!(&mut #frame))));
            return parse_quote!(#(#attrs)* { #ends #r });
        }
        let value = r.expr.take().map_or_else(|| parse_quote!(()), |e| *e);
        r.expr = Some(Box::new(self.returned(value, span)));
        Expr::Return(r)
    }

    /// A condition, and where it leads. Conditions that `&&` and `||` join are decisions of their own.
    fn condition(&mut self, e: &mut Expr, then: Option<BlockMark>, other: Option<BlockMark>) {
        match e {
            Expr::Paren(p) => return self.condition(&mut p.expr, then, other),
            Expr::Group(g) => return self.condition(&mut g.expr, then, other),
            Expr::Binary(b) if matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => {
                let right = self.mark_ahead();
                match b.op {
                    BinOp::And(_) => self.condition(&mut b.left, Some(right), other),
                    _ => self.condition(&mut b.left, then, Some(right)),
                }
                self.reach(right);
                return self.condition(&mut b.right, then, other);
            }
            _ => {}
        }
        let (text, span) = (text(e), span_of(e));
        self.expr(e);
        let live = own("__live");
        let (then, other, inner) = (number(then), number(other), take(e));
        let began = quote!(__wengert::track::begin(#live));
        *e = Expr::Verbatim(call_at(span, "decide", quote!(#began, #inner, #text, #then, #other)));
    }

    /// A value about to be compared with patterns. A value that is not a place has a report before its evaluation.
    fn scrutinee(&mut self, e: &mut Expr) -> Scrutinee {
        let text = text(e);
        let began = !is_place(e);
        self.expr(e);
        if began {
            let (live, inner) = (own("__live"), take(e));
            *e = parse_quote!(__wengert::track::scrutinee(__wengert::track::begin(#live), #inner));
        }
        Scrutinee { text, began }
    }

    /// The report that a value matched a pattern, or did not.
    fn compared(&self, how: &str, s: &Scrutinee, pattern: &Pat, target: Option<BlockMark>) -> TokenStream {
        let Scrutinee { text: value, began } = s;
        let (pattern_text, target) = (text(pattern), number(target));
        let how = Ident::new(how, span_of(pattern));
        quote_spanned!(span_of(pattern)=> __wengert::track::#how(#began, #value, #pattern_text, #target);)
    }

    /// An `if`, given where its sides are.
    fn decide(&mut self, i: &mut ExprIf, then: BlockMark, other: BlockMark, after: BlockMark) {
        let mut first: Vec<Stmt> = Vec::new();
        let mut missed = TokenStream::new();
        match &mut *i.cond {
            Expr::Let(l) => {
                let s = self.scrutinee(&mut l.expr);
                first.push(stmt(when_live(self.compared("matched", &s, &l.pat, Some(then)))));
                first.extend(names(&l.pat, false));
                missed = self.compared("missed", &s, &l.pat, Some(other));
            }
            c if has_let(c) => {
                let flag = own(&format!("__let_{}", self.flags.len()));
                self.flags.push(flag.clone());
                let (parts, missed_parts, names) = (Vec::new(), Vec::new(), Vec::new());
                let mut chain = LetChain { then, other, flag, parts, missed: missed_parts, names };
                self.chain(take(c), &mut chain, true);
                let reset = chain.set(0);
                *c = chain.parts.into_iter().fold(reset, and);
                first = chain.names;
                let (flag, reports, tried) = (chain.flag, chain.missed, 1u32..);
                missed = quote!(match #flag { #(#tried => { #reports })* _ => {} });
            }
            c => self.condition(c, Some(then), Some(other)),
        }
        self.reach(then);
        self.block(&mut i.then_branch);
        i.then_branch.stmts.splice(0..0, first);
        let missed = (!missed.is_empty()).then(|| stmt(when_live(missed)));
        match &mut i.else_branch {
            Some((_, e)) => {
                self.reach(other);
                self.expr(e);
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
        self.join(after);
    }

    /// The parts of a chain of `let`s and conditions, each with a report after it.
    fn chain(&mut self, e: Expr, chain: &mut LetChain, last: bool) {
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
                chain.names.extend(names(&l.pat, false));
                let report = when_live(self.compared("matched", &s, &l.pat, target));
                let (tried, reset) = (chain.set(chain.missed.len() as u32), chain.set(0));
                chain.parts.extend([tried, Expr::Let(l), parse_quote!({ #report #reset })]);
            }
            mut e => {
                self.condition(&mut e, target, Some(chain.other));
                chain.parts.push(e);
            }
        }
    }

    fn lower_if(&mut self, i: &mut ExprIf) {
        let (then, after) = (self.mark_ahead(), self.mark_ahead());
        let other = if i.else_branch.is_some() { self.mark_ahead() } else { after };
        self.decide(i, then, other, after);
    }

    /// `while c { … }` is `loop { if c { … } else { break } }`, for the compiler as well.
    fn lower_while(&mut self, w: ExprWhile) -> Expr {
        let ExprWhile { attrs, label, mut cond, body, while_token } = w;
        let begins = first_call_in(&mut cond).unwrap_or(span_of(&while_token));
        let (header, inside, after) = (self.mark_here(), self.mark_ahead(), self.mark_ahead());
        let mut decision =
            ExprIf { attrs: Vec::new(), if_token: Default::default(), cond, then_branch: body, else_branch: None };
        self.targets.push(JumpTarget { label: name_of(&label), header: Some(header), after });
        self.decide(&mut decision, inside, after, after);
        self.targets.pop();
        match &mut decision.else_branch {
            Some((_, e)) => {
                let missed = take(e);
                **e = parse_quote!({ #missed break; });
            }
            none => {
                *none = Some((
                    Default::default(),
                    parse_quote!({
                        break;
                    }),
                ))
            }
        }
        let begin = when_live(call_at(begins, "statement", quote!(#header)));
        let body: Block = parse_quote!({ #begin #decision });
        Expr::Loop(ExprLoop { attrs, label, loop_token: Default::default(), body })
    }

    fn lower_loop(&mut self, l: &mut ExprLoop) {
        let (inside, after) = (self.mark_here(), self.mark_ahead());
        self.targets.push(JumpTarget { label: name_of(&l.label), header: Some(inside), after });
        self.block(&mut l.body);
        self.targets.pop();
        let span = span_of(&l.loop_token);
        let begin = quote_spanned!(span=> __wengert::track::statement(#inside););
        l.body.stmts.insert(0, stmt(when_live(begin)));
        self.join(after);
    }

    fn lower_for(&mut self, f: &mut ExprForLoop) {
        let (value, span) = (text(&f.expr), span_of(&f.expr));
        self.expr(&mut f.expr);
        let (header, inside, after) = (self.mark_here(), self.mark_here(), self.mark_ahead());
        self.targets.push(JumpTarget { label: name_of(&f.label), header: Some(header), after });
        self.block(&mut f.body);
        self.targets.pop();
        f.body.stmts.splice(0..0, names(&f.pat, true));
        let (live, inner) = (own("__live"), take(&mut f.expr));
        let value = format!("next of {value}");
        *f.expr = Expr::Verbatim(call_at(span, "each", quote!(#inner, #live, #value, [#header, #inside, #after])));
        self.join(after);
    }

    /// The guard of an arm. The arm reports that the `let`s of its guard matched.
    fn guard(&mut self, e: &mut Expr, arm: &mut Vec<Stmt>) {
        match e {
            Expr::Let(l) => {
                let s = Scrutinee { text: text(&l.expr), began: false };
                self.expr(&mut l.expr);
                arm.push(stmt(when_live(self.compared("matched", &s, &l.pat, None))));
                arm.extend(names(&l.pat, false));
            }
            Expr::Binary(b) if has_let(&b.left) || has_let(&b.right) => {
                self.guard(&mut b.left, arm);
                self.guard(&mut b.right, arm);
            }
            Expr::Group(g) => self.guard(&mut g.expr, arm),
            e => self.condition(e, None, None),
        }
    }

    fn lower_match(&mut self, m: &mut ExprMatch) {
        if m.arms.is_empty() {
            return;
        }
        let s = self.scrutinee(&mut m.expr);
        for Arm { pat, guard, body, comma, .. } in &mut m.arms {
            let arm = self.mark_ahead();
            let mut first = Vec::new();
            if let Some((_, guard)) = guard {
                self.guard(guard, &mut first);
            }
            self.reach(arm);
            let call = first_call_in(body).map(|span| when_live(call_at(span, "statement", quote!(0u32))));
            self.expr(body);
            first.push(stmt(when_live(self.compared("matched", &s, pat, Some(arm)))));
            first.extend(names(pat, false));
            first.extend(call.map(stmt));
            prepend(first, body);
            *comma = Some(Default::default());
        }
        let after = self.mark_ahead();
        self.join(after);
    }

    fn lower_try(&mut self, t: &mut ExprTry) {
        let (text, start, span) = (text(t), span_of(t), span_of(&t.question_token));
        self.expr(&mut t.expr);
        let (live, frame, value, inner) = (own("__live"), own("__frame"), own("__value"), take(&mut t.expr));
        let outcome = quote!(__wengert::track::Probe::<_, true>(&#value).wengert_try_outcome());
        let report = call_at(span, "try_outcome", quote!(&mut #frame, #outcome, #text));
        let seen = quote! {
            match __wengert::track::scrutinee(__wengert::track::begin(#live), #inner) {
                #value => {
                    if #live {
                        #[allow(unused_imports)]
                        use __wengert::track::UnknownTry as _;
                        #report;
                    }
                    #value
                }
            }
        };
        // With the span of the expression that it replaces, so that expressions around it keep their place.
        *t.expr = Expr::Verbatim(parenthesized(seen, start).to_token_stream());
    }

    /// Where a `break` or `continue` goes.
    fn target(&self, label: &Option<Lifetime>) -> Option<&JumpTarget> {
        self.targets.iter().rev().find(|t| match label {
            Some(l) => t.label.as_ref() == Some(l),
            None => t.header.is_some(),
        })
    }

    fn lower_break(&mut self, mut b: ExprBreak) -> Expr {
        if let Some(e) = &mut b.expr {
            self.expr(e);
        }
        let Some(after) = self.target(&b.label).map(|t| t.after) else { return Expr::Break(b) };
        let span = span_of(&b.break_token);
        match b.expr.take() {
            Some(e) => {
                let jump = jump("break", e.to_token_stream(), after, span);
                // A path right after a label would not be read as one.
                b.expr = Some(parse_quote!((#jump)));
                Expr::Break(b)
            }
            None => {
                let (jump, attrs) = (jump("break", quote!(()), after, span), std::mem::take(&mut b.attrs));
                parse_quote!(#(#attrs)* { #jump; #b })
            }
        }
    }

    fn lower_continue(&mut self, mut c: ExprContinue) -> Expr {
        let Some(header) = self.target(&c.label).and_then(|t| t.header) else { return Expr::Continue(c) };
        let jump = jump("continue", quote!(()), header, span_of(&c.continue_token));
        let attrs = std::mem::take(&mut c.attrs);
        parse_quote!(#(#attrs)* { #jump; #c })
    }

    /// A `let`. Its initializer stays as it is: a temporary that it borrows lives as long as the variable.
    fn lower_local(&mut self, mut local: Local, when: &[Attribute], out: &mut Vec<Stmt>) {
        let mut then = Vec::new();
        let Some(init) = &mut local.init else { return out.push(Stmt::Local(local)) };
        let text = text(&init.expr);
        self.expr(&mut init.expr);
        let always = init.diverge.is_none();
        if let Some((_, otherwise)) = &mut init.diverge {
            let (live, s) = (own("__live"), Scrutinee { text, began: true });
            let (other, after) = (self.mark_here(), self.mark_ahead());
            self.expr(otherwise);
            let missed = when_live(self.compared("missed", &s, &local.pat, Some(other)));
            prepend(vec![stmt(missed)], otherwise);
            self.reach(after);
            self.after = None;
            out.push(stmt(quote!(#(#when)* __wengert::track::begin(#live))));
            then.push(stmt(when_live(self.compared("matched", &s, &local.pat, Some(after)))));
        }
        then.extend(names(&local.pat, always));
        out.push(Stmt::Local(local));
        out.extend(then.into_iter().map(|s| parse_quote!(#(#when)* #s)));
    }
}

/// A jump that gives a value where it goes.
fn jump(name: &str, value: TokenStream, target: BlockMark, span: Span) -> Expr {
    let live = own("__live");
    Expr::Verbatim(call_at(span, "jump", quote!(#value, #live, #name, #target)))
}

fn name_of(label: &Option<Label>) -> Option<Lifetime> {
    label.as_ref().map(|l| l.name.clone())
}

impl Rewriter {
    /// The statements of a block, with reports between them.
    fn block(&mut self, block: &mut Block) {
        let mut out = Vec::with_capacity(2 * block.stmts.len());
        let mut begins = None;
        for mut s in std::mem::take(&mut block.stmts) {
            if let Stmt::Item(_) = s {
                out.push(s);
                continue;
            }
            let (call, when) = (first_call(&mut s), conditions(&s));
            if begins.is_some() || call.is_some() {
                let (span, block) = (call.unwrap_or_else(|| span_of(&s)), number(begins));
                let report = when_live(quote_spanned!(span=> __wengert::track::statement(#block);));
                out.push(stmt(quote!(#(#when)* #report)));
                begins = begins.filter(|_| !when.is_empty());
            }
            self.after = None;
            match s {
                Stmt::Local(local) => self.lower_local(local, &when, &mut out),
                Stmt::Expr(mut e, semi) => {
                    self.expr(&mut e);
                    out.push(Stmt::Expr(e, semi));
                }
                s => out.push(s),
            }
            begins = self.after.take().or(begins);
        }
        block.stmts = out;
        self.after = begins;
    }

    /// An expression, with reports in it.
    fn expr(&mut self, e: &mut Expr) {
        match e {
            Expr::If(i) => self.lower_if(i),
            Expr::Match(m) => self.lower_match(m),
            Expr::Loop(l) => self.lower_loop(l),
            Expr::ForLoop(f) => self.lower_for(f),
            Expr::While(_) => {
                if let Expr::While(w) = take(e) {
                    *e = self.lower_while(w);
                }
            }
            Expr::Block(b) if b.label.is_some() => {
                let after = self.mark_ahead();
                self.targets.push(JumpTarget { label: name_of(&b.label), header: None, after });
                self.block(&mut b.block);
                self.targets.pop();
                self.join(after);
            }
            Expr::Binary(b) if matches!(b.op, BinOp::And(_) | BinOp::Or(_)) => {
                let (right, after) = (self.mark_ahead(), self.mark_ahead());
                match b.op {
                    BinOp::And(_) => self.condition(&mut b.left, Some(right), Some(after)),
                    _ => self.condition(&mut b.left, Some(after), Some(right)),
                }
                self.reach(right);
                self.expr(&mut b.right);
                self.join(after);
            }
            Expr::Try(t) => self.lower_try(t),
            Expr::Return(_) => {
                if let Expr::Return(r) = take(e) {
                    *e = self.lower_return(r);
                }
            }
            Expr::Break(_) => {
                if let Expr::Break(b) = take(e) {
                    *e = self.lower_break(b);
                }
            }
            Expr::Continue(_) => {
                if let Expr::Continue(c) = take(e) {
                    *e = self.lower_continue(c);
                }
            }
            e => {
                for part in parts(e) {
                    match part {
                        Part::Expr(e) => self.expr(e),
                        Part::Block(b) => self.block(b),
                    }
                }
            }
        }
    }
}
