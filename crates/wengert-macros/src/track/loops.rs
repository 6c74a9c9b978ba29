//! Loops and jumps: each turn of a loop begins with a jump to its header, which says what the variables have then that get
//! other values in the loop.

use super::effects::slots;
use super::rewrite::{BlockMark, Rewriter, names, stmt, take, when_live};
use super::sites::operands;
use super::source::{first_call_in, span_of, text};
use super::values::{Given, Origin, is_what_it_came_from};
use super::{call_at, own};
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::{
    Block, Expr, ExprBreak, ExprContinue, ExprForLoop, ExprIf, ExprLoop, ExprWhile, Label, Lifetime, Stmt, parse_quote,
};

/// A loop or labelled block that `break` and `continue` may name.
pub(super) struct JumpTarget {
    pub(super) label: Option<Lifetime>,
    /// Where the next iteration begins, if it is a loop.
    pub(super) header: Option<BlockMark>,
    pub(super) after: BlockMark,
    /// The variables that the header gets.
    pub(super) passes: Vec<(String, u32)>,
    /// The slot of the value that `break` gives.
    pub(super) value: Option<u32>,
}

impl Rewriter {
    /// What a loop passes on each time: the variables that are declared before it, and get another value in it.
    pub(super) fn passed(&self, body: &impl ToTokens) -> Vec<(String, u32)> {
        if self.full { self.variables.assigned(body.to_token_stream()) } else { Vec::new() }
    }

    /// The jump to the header of a loop, with what it passes.
    pub(super) fn pass(&self, header: BlockMark, passed: &[(String, u32)], span: Span) -> Stmt {
        let report = self.pass_report(header, passed, span);
        stmt(quote!(#[allow(unreachable_code)] #report))
    }

    fn pass_report(&self, header: BlockMark, passed: &[(String, u32)], span: Span) -> TokenStream {
        let given: Vec<Origin> = passed.iter().map(|(_, slot)| self.variables.origin(*slot)).collect();
        let given = operands(&given);
        when_live(call_at(span, "pass", quote!(#header, #given)))
    }

    /// The header of a loop begins.
    pub(super) fn begin(&self, header: BlockMark, passed: &[(String, u32)], span: Span) -> Stmt {
        if passed.is_empty() {
            return stmt(when_live(call_at(span, "statement", quote!(#header))));
        }
        let (names, slots) = (passed.iter().map(|p| &p.0), passed.iter().map(|p| p.1));
        stmt(when_live(call_at(span, "receive", quote!(#header, &[#((#names, #slots)),*]))))
    }

    /// Adds the jump back to the header at the end of the body of a loop.
    pub(super) fn jump_back(&self, body: &mut Block, header: BlockMark, passed: &[(String, u32)], span: Span) {
        if let Some(Stmt::Expr(_, semi @ None)) = body.stmts.last_mut() {
            *semi = Some(Default::default());
        }
        body.stmts.push(self.pass(header, passed, span));
    }

    /// A loop, with the jump into it before it.
    pub(super) fn entered(&self, looped: Expr, header: BlockMark, passed: &[(String, u32)], span: Span) -> Expr {
        if passed.is_empty() {
            return looped;
        }
        let enter = self.pass(header, passed, span);
        parse_quote!({ #enter #looped })
    }

    /// `while c { … }` is `loop { if c { … } else { break } }`, for the compiler as well.
    pub(super) fn lower_while(&mut self, w: ExprWhile) -> Expr {
        let passed = self.passed(&w);
        let ExprWhile { attrs, label, mut cond, body, while_token } = w;
        let begins = first_call_in(&mut cond).unwrap_or(span_of(&while_token));
        let (header, inside, after) = (self.mark_here(), self.mark_ahead(), self.mark_ahead());
        let mut decision =
            ExprIf { attrs: Vec::new(), if_token: Default::default(), cond, then_branch: body, else_branch: None };
        let label_name = name_of(&label);
        let target = JumpTarget { label: label_name, header: Some(header), after, passes: passed.clone(), value: None };
        self.targets.push(target);
        self.decide(&mut decision, [inside, after, after], None);
        self.targets.pop();
        if !passed.is_empty() {
            self.jump_back(&mut decision.then_branch, header, &passed, span_of(&while_token));
        }
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
        let begin = self.begin(header, &passed, begins);
        let body: Block = parse_quote!({ #begin #decision });
        let looped = Expr::Loop(ExprLoop { attrs, label, loop_token: Default::default(), body });
        self.entered(looped, header, &passed, span_of(&while_token))
    }

    pub(super) fn lower_loop(&mut self, mut l: ExprLoop, value: Option<u32>) -> Expr {
        let passed = self.passed(&l);
        let (inside, after) = (self.mark_here(), self.mark_ahead());
        let label = name_of(&l.label);
        self.targets.push(JumpTarget { label, header: Some(inside), after, passes: passed.clone(), value });
        self.block(&mut l.body, None);
        self.targets.pop();
        let span = span_of(&l.loop_token);
        l.body.stmts.insert(0, self.begin(inside, &passed, span));
        if !passed.is_empty() {
            self.jump_back(&mut l.body, inside, &passed, span);
        }
        self.join(after);
        self.entered(Expr::Loop(l), inside, &passed, span)
    }

    pub(super) fn lower_for(&mut self, mut f: ExprForLoop) -> Expr {
        let passed = self.passed(&f.body);
        let (value, span) = (text(&f.expr), span_of(&f.expr));
        let before = self.variables.given_so_far();
        let mut from = self.value(&mut f.expr, Given { extends: true, ..Given::default() });
        let assigned_in = |slot: &u32| passed.iter().any(|p| p.1 == *slot);
        if self.full && slots(&from).any(|slot| assigned_in(&slot)) {
            // Each turn depends on what it was made of, and not on what that has become.
            from = self.look(&mut f.expr, span, (&value, "Look"), &from, Given::default());
        }
        let passes_later = self.full && self.variables.got_since(before, assigned_in);
        let (header, inside, after) = (self.mark_here(), self.mark_here(), self.mark_ahead());
        let label = name_of(&f.label);
        self.targets.push(JumpTarget { label, header: Some(header), after, passes: passed.clone(), value: None });
        let scope = self.variables.mark();
        let bound = match self.full {
            true => self.bind(&f.pat, true, "next", &from),
            false => names(&f.pat, true),
        };
        let each = format!("next of {value}");
        let site = if self.full { self.site(&each, "Look", &from, &[], "") } else { TokenStream::new() };
        self.block(&mut f.body, None);
        self.is_unknowable |= self.variables.have_changed(&from, "");
        self.variables.back_to(scope);
        self.targets.pop();
        f.body.stmts.splice(0..0, bound);
        if !passed.is_empty() {
            self.jump_back(&mut f.body, header, &passed, span_of(&f.for_token));
        }
        let live = own("__live");
        if passes_later {
            let (pass, inner) = (self.pass_report(header, &passed, span_of(&f.for_token)), take(&mut f.expr));
            *f.expr = Expr::Verbatim(call_at(span, "then", quote!(#inner, { #pass })));
        }
        let inner = take(&mut f.expr);
        let blocks = quote!([#header, #inside, #after]);
        *f.expr = Expr::Verbatim(match self.full {
            true => {
                let (names, slots) = (passed.iter().map(|p| &p.0), passed.iter().map(|p| p.1));
                call_at(span, "each_by", quote!(#inner, #live, #site, #blocks, &[#((#names, #slots)),*]))
            }
            false => call_at(span, "each", quote!(#inner, #live, #each, #blocks)),
        });
        self.join(after);
        if passes_later {
            return Expr::ForLoop(f);
        }
        let span = span_of(&f.for_token);
        self.entered(Expr::ForLoop(f), header, &passed, span)
    }

    /// Where a `break` or `continue` goes.
    pub(super) fn target(&self, label: &Option<Lifetime>) -> Option<&JumpTarget> {
        self.targets.iter().rev().find(|t| match label {
            Some(l) => t.label.as_ref() == Some(l),
            None => t.header.is_some(),
        })
    }

    pub(super) fn lower_break(&mut self, mut b: ExprBreak) -> Expr {
        let found = self.target(&b.label).map(|t| (t.after, t.value));
        let value = found.and_then(|(_, value)| value);
        let mut copies = None;
        if let Some(e) = &mut b.expr {
            let given = value.map(|slot| self.given_to(slot)).unwrap_or_default();
            let from = self.value_of_block(e, given);
            let is_exact = is_what_it_came_from(e);
            copies = value.and_then(|slot| self.copy_into(&from, slot, is_exact));
        }
        let Some((after, _)) = found else { return Expr::Break(b) };
        let span = span_of(&b.break_token);
        match b.expr.take() {
            Some(e) => {
                let jump = jump("break", e.to_token_stream(), after, span);
                // A path right after a label would not be read as one.
                b.expr = Some(match copies {
                    None => parse_quote!((#jump)),
                    Some(copies) => parse_quote!(({ #copies #jump })),
                });
                Expr::Break(b)
            }
            None => {
                let (jump, attrs) = (jump("break", quote!(()), after, span), std::mem::take(&mut b.attrs));
                parse_quote!(#(#attrs)* { #jump; #b })
            }
        }
    }

    pub(super) fn lower_continue(&mut self, mut c: ExprContinue) -> Expr {
        let Some((header, passed)) = self.target(&c.label).and_then(|t| Some((t.header?, t.passes.clone()))) else {
            return Expr::Continue(c);
        };
        let (span, attrs) = (span_of(&c.continue_token), std::mem::take(&mut c.attrs));
        if !passed.is_empty() {
            let pass = self.pass(header, &passed, span);
            return parse_quote!(#(#attrs)* { #pass #c });
        }
        let jump = jump("continue", quote!(()), header, span);
        parse_quote!(#(#attrs)* { #jump; #c })
    }
}

/// A jump that gives a value where it goes.
fn jump(name: &str, value: TokenStream, target: BlockMark, span: Span) -> Expr {
    let live = own("__live");
    Expr::Verbatim(call_at(span, "jump", quote!(#value, #live, #name, #target)))
}

pub(super) fn name_of(label: &Option<Label>) -> Option<Lifetime> {
    label.as_ref().map(|l| l.name.clone())
}
