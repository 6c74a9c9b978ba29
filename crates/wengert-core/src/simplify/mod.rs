//! Simplification: from a program to a smaller one that gives the same values.
//!
//! A [`Pass`] is a list of small [`Rewrite`]s, each with a name. Passes that go forward try their rewrites on every
//! equation in turn ([`rewrite`](self)), innermost programs first; [`Pass::Common`] looks each equation up among those
//! before it; [`Pass::Dead`] goes backward. Each takes time in proportion to the program.
//!
//! A rewrite keeps every value bit by bit: no sum is reordered, and where `x·0` might be NaN it is left alone. What may
//! change is said here: which NaN a result is; the last place of powers that become products; and the last place of
//! what the evaluator computes beforehand, if the program then runs elsewhere.
//!
//! [`shrink_residuals`] is no pass: it makes the steps of backward loops longer, which pays where kernels are fused.

mod algebra;
mod common;
mod dead;
mod fold;
mod inline;
mod loops;
mod min_cut;
mod movement;
mod residuals;
mod rewrite;

pub use dead::{NarrowedOp, Narrower};
pub use residuals::shrink_residuals;
pub use rewrite::{Evaluate, Rewrite};

use crate::names;
use crate::program::Program;
use rewrite::{ForwardPass, Settings};
use rustc_hash::FxHashMap;

names! {
    /// A pass over a program and those nested in it.
    pub enum Pass {
        /// Inlining: calls of programs that are small, or called once.
        Inline = "inline",
        /// Constant folding: what depends on constants alone becomes a constant.
        Fold = "fold",
        /// Arithmetic that changes nothing goes, and so do moves of elements that undo each other.
        Algebra = "algebra",
        /// Loop-invariant equations are hoisted out of loops, and known operands are used inside.
        Loops = "loops",
        /// Common subexpressions are computed once.
        Common = "common",
        /// Dead code goes: equations that nothing needs, and such results and operands of loops and calls.
        Dead = "dead",
    }
}

impl Pass {
    /// The rewrites of this pass, in the order they are tried.
    pub fn rewrites(self) -> Vec<&'static Rewrite> {
        let lists: &[&'static [Rewrite]] = match self {
            Pass::Inline => &[inline::REWRITES],
            Pass::Fold => &[fold::REWRITES],
            Pass::Algebra => &[algebra::REWRITES, movement::REWRITES],
            Pass::Loops => &[loops::REWRITES],
            Pass::Common | Pass::Dead => &[],
        };
        lists.iter().copied().flatten().collect()
    }
}

/// How often each rewrite was made, by the name of the rewrite.
pub type RewriteCounts = FxHashMap<&'static str, usize>;

/// Passes to run, and how.
#[derive(Clone, Debug)]
pub struct Simplifier<'a> {
    passes: Vec<Pass>,
    rounds: usize,
    settings: Settings<'a>,
}

impl Default for Simplifier<'_> {
    /// Every pass, again while that makes a difference, a few times at most.
    fn default() -> Self {
        Simplifier { rounds: 4, ..Simplifier::new(Pass::ALL) }
    }
}

impl<'a> Simplifier<'a> {
    /// These passes in this order, once.
    pub fn new(passes: &[Pass]) -> Simplifier<'a> {
        Simplifier { passes: passes.to_vec(), rounds: 1, settings: Settings::default() }
    }

    /// Lets [`Pass::Fold`] compute: `evaluate` runs one op, where operands and results have at most `limit` elements.
    pub fn evaluating(mut self, evaluate: Evaluate<'a>, limit: usize) -> Simplifier<'a> {
        self.settings = Settings { evaluate: Some(evaluate), limit };
        self
    }

    /// The simplified program.
    pub fn run(&self, program: &Program) -> Program {
        self.run_watched(program, |_, _, _| ())
    }

    /// The simplified program; `watch` sees it after each pass that made a difference, with the rewrites that were made.
    pub fn run_watched(&self, program: &Program, mut watch: impl FnMut(Pass, &Program, &RewriteCounts)) -> Program {
        let mut program = program.clone();
        for _ in 0..self.rounds {
            let mut changed = false;
            for &pass in &self.passes {
                let mut made = RewriteCounts::default();
                program = match pass {
                    Pass::Dead => dead::program(program, &mut made),
                    Pass::Common => common::program(program, &mut made),
                    _ => ForwardPass::new(pass, &self.settings, &program, &mut made).program(program),
                };
                if cfg!(debug_assertions)
                    && let Err(e) = program.verify()
                {
                    panic!("the pass `{}` made a malformed program: {e}\n{program}", pass.as_str());
                }
                if !made.is_empty() {
                    changed = true;
                    watch(pass, &program, &made);
                }
            }
            if !changed {
                break;
            }
        }
        program
    }
}

/// The program with every pass run, without computing anything: see [`Simplifier`] for more.
///
/// ```
/// use wengert_core::{Program, simplify::simplify};
/// let p = Program::parse(
///     "program f(x: f32[3]) {
///   y: f32[3] = mul(x, 1.0:f32[3])
///   z: f32[3] = neg(y)
///   w: f32[3] = neg(z)
///   s: f32[3] = add(w, y)
///   return s
/// }",
/// )
/// .unwrap();
/// assert_eq!(simplify(&p).to_string(), "program f(x: f32[3]) {\n  s: f32[3] = add(x, x)\n  return s\n}");
/// ```
pub fn simplify(program: &Program) -> Program {
    Simplifier::default().run(program)
}
