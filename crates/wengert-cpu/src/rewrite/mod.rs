//! Rewrites of programs before they are compiled. Each has a name, is counted, can be turned off, and can be stopped
//! after some. What changes values is done here and nowhere later: the evaluator gives the bits of the compiled program
//! on the rewritten one.
//!
//! | name | what becomes what | values |
//! |---|---|---|
//! | `expand` | an op that has no instructions becomes a program of ops that have: bits that are counted, reductions of one element, windows of few places | stay as they are, but for the order of sums at the borders of windows |
//! | `while_in_blocks` | a `while` over many lanes becomes a `scan` over blocks of lanes | stay as they are |
//! | `gathers_last` | an elementwise op of a `gather` of many elements becomes a `gather` of its results | stay as they are |
//! | `contract` | a product and the sum or difference that alone uses it become `mul_add` | are rounded once instead of twice |
//! | `transposed_products` | a transpose of an operand of a product, or of a product that it alone uses, becomes another way to read | stay as they are, but for the last place of large products |
//! | `products_after_loops` | a product that each step of a `scan` adds to a carry becomes one over all steps, after it | are rounded in other places |
//! | `pairs` | complex arrays become two real ones | stay as they are, but for the last place of `abs` and of `exp` of `c64` |

mod contract;
mod expand;
mod gathers_last;
mod pairs;
#[cfg(feature = "faults")]
pub(crate) mod planted;
mod products_after_loops;
mod transposed_products;
mod walk;
mod while_in_blocks;

use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};
pub(crate) use transposed_products::has_rows;
use walk::{Budget, Walk};
use wengert_core::{Error, ErrorKind, Program, Result, names};

names! {
    /// A rewrite. They are made in this order.
    pub enum Rewrite {
        /// Ops that have no instructions become programs of ops that have.
        Expand = "expand",
        /// A loop over many lanes that stop at different times becomes a loop over blocks of lanes: each block runs until
        /// its own lanes are done. Values stay as they are.
        WhileInBlocks = "while_in_blocks",
        /// What is computed of each gathered element by itself is computed before, where there are fewer elements. Values
        /// stay as they are.
        GathersLast = "gathers_last",
        /// A product that one sum or difference uses is rounded with it, once. On machines that have an instruction for
        /// that.
        Contract = "contract",
        /// Products read operands that are transposed, and give results that are, as they do others.
        TransposedProducts = "transposed_products",
        /// A product that each step of a loop adds to a carry becomes one product over all steps, after the loop.
        ProductsAfterLoops = "products_after_loops",
        /// Complex numbers become pairs of real ones.
        Pairs = "pairs",
    }
}

/// The variable that says how often rewrites may be made, where [`Cpu::with_rewrites`](crate::Cpu::with_rewrites) does not.
pub const REWRITES_VARIABLE: &str = "WENGERT_REWRITES";

/// How often each rewrite may be made in a program.
///
/// As text, a list of names, each with a number, `on` (as often as it can be) or `off`; `all` stands for every name.
/// Rewrites that are not named are as [`Rewrites::default`] has them: on, but for `contract` on machines that have no
/// instruction for it.
///
/// ```
/// use wengert_cpu::{Rewrite, Rewrites};
/// let some: Rewrites = "all=off,contract=3".parse()?;
/// assert_eq!(some, Rewrites::NONE.with(Rewrite::Contract, 3));
/// assert!("contrast=on".parse::<Rewrites>().is_err());
/// # Ok::<(), wengert_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rewrites {
    limits: [usize; Rewrite::ALL.len()],
}

impl Rewrites {
    /// No rewrite at all.
    pub const NONE: Rewrites = Rewrites { limits: [0; Rewrite::ALL.len()] };
    /// Every rewrite, as often as it can be made.
    pub const ALL: Rewrites = Rewrites { limits: [usize::MAX; Rewrite::ALL.len()] };

    /// The same, with this rewrite made so often at most.
    pub const fn with(mut self, rewrite: Rewrite, at_most: usize) -> Rewrites {
        self.limits[rewrite as usize] = at_most;
        self
    }

    /// How often a rewrite may be made.
    pub const fn limit(&self, rewrite: Rewrite) -> usize {
        self.limits[rewrite as usize]
    }

    /// What the environment asks for, or what is on by default.
    pub(crate) fn asked() -> Result<Rewrites> {
        static ASKED: OnceLock<Result<Rewrites>> = OnceLock::new();
        let read = || match std::env::var(REWRITES_VARIABLE) {
            Ok(text) => text.parse().map_err(|e: Error| e.note(format!("the variable {REWRITES_VARIABLE} has it"))),
            Err(_) => Ok(Rewrites::default()),
        };
        ASKED.get_or_init(read).clone()
    }

    /// The program rewritten; `watch` sees it after each rewrite that was made, with how often.
    pub fn rewrite(self, program: &Arc<Program>, mut watch: impl FnMut(Rewrite, &Program, usize)) -> Arc<Program> {
        let mut program = program.clone();
        for &rewrite in Rewrite::ALL {
            let mut budget = Budget::new(self.limit(rewrite));
            program = match rewrite {
                Rewrite::Expand => Walk::new(expand::expand, &mut budget).program(&program),
                Rewrite::WhileInBlocks => Walk::new(while_in_blocks::while_in_blocks, &mut budget).program(&program),
                Rewrite::GathersLast => Walk::new(gathers_last::gathers_last, &mut budget).program(&program),
                Rewrite::Contract => Walk::new(contract::contract, &mut budget).program(&program),
                Rewrite::TransposedProducts => {
                    Walk::new(transposed_products::transposed_products, &mut budget).program(&program)
                }
                Rewrite::ProductsAfterLoops => {
                    Walk::new(products_after_loops::products_after_loops, &mut budget).program(&program)
                }
                Rewrite::Pairs => pairs::in_pairs(&program, &mut budget),
            };
            if cfg!(debug_assertions)
                && let Err(e) = program.verify()
            {
                panic!("the rewrite `{}` made a malformed program: {e}\n{program}", rewrite.as_str());
            }
            if budget.made() > 0 {
                watch(rewrite, &program, budget.made());
            }
        }
        program
    }
}

impl Default for Rewrites {
    /// All that this machine runs fast.
    fn default() -> Rewrites {
        static DEFAULT: OnceLock<Rewrites> = OnceLock::new();
        *DEFAULT.get_or_init(|| if has_mul_add() { Rewrites::ALL } else { Rewrites::ALL.with(Rewrite::Contract, 0) })
    }
}

/// Whether this machine rounds a product and a sum at once: whatever code programs become, so that values depend on the
/// machine alone.
fn has_mul_add() -> bool {
    #[cfg(target_arch = "x86_64")]
    return std::arch::is_x86_feature_detected!("fma");
    #[cfg(not(target_arch = "x86_64"))]
    cfg!(target_arch = "aarch64")
}

impl FromStr for Rewrites {
    type Err = Error;

    fn from_str(text: &str) -> Result<Rewrites> {
        let mut rewrites = Rewrites::default();
        for part in text.split(',').map(str::trim).filter(|p| !p.is_empty()) {
            let mistake =
                |m: String| Error::new(ErrorKind::Text, format!("`{part}` is no rewrite with its limit: {m}"));
            let (name, limit) = part.split_once('=').ok_or_else(|| mistake("there is no `=`".to_string()))?;
            let limit = match limit.trim() {
                "on" => usize::MAX,
                "off" => 0,
                n => n.parse().map_err(|_| mistake(format!("`{n}` is neither a number nor `on` nor `off`")))?,
            };
            match (name.trim(), Rewrite::from_name(name.trim())) {
                (_, Some(rewrite)) => rewrites = rewrites.with(rewrite, limit),
                ("all", None) => rewrites.limits.fill(limit),
                (name, None) => {
                    let known: Vec<&str> = Rewrite::ALL.iter().map(|r| r.as_str()).collect();
                    return Err(mistake(format!("there is no rewrite `{name}`, but {} and all", known.join(", "))));
                }
            }
        }
        Ok(rewrites)
    }
}

impl fmt::Display for Rewrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, &rewrite) in Rewrite::ALL.iter().enumerate() {
            let (comma, name) = (if i > 0 { "," } else { "" }, rewrite.as_str());
            match self.limit(rewrite) {
                0 => write!(f, "{comma}{name}=off")?,
                usize::MAX => write!(f, "{comma}{name}=on")?,
                n => write!(f, "{comma}{name}={n}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_printed_is_read() {
        for r in [Rewrites::NONE, Rewrites::ALL, Rewrites::NONE.with(Rewrite::WhileInBlocks, 7)] {
            assert_eq!(r.to_string().parse::<Rewrites>().unwrap(), r);
        }
        assert_eq!("all=off".parse::<Rewrites>().unwrap(), Rewrites::NONE);
        assert_eq!("".parse::<Rewrites>().unwrap(), Rewrites::default());
    }

    #[test]
    fn mistakes_say_what_is_wrong() {
        let said = |text: &str| text.parse::<Rewrites>().unwrap_err().to_string();
        assert_eq!(said("contract"), "`contract` is no rewrite with its limit: there is no `=`");
        assert_eq!(
            said("all=off, contract=some"),
            "`contract=some` is no rewrite with its limit: `some` is neither a number nor `on` nor `off`"
        );
        assert_eq!(
            said("contrast=on"),
            "`contrast=on` is no rewrite with its limit: there is no rewrite `contrast`, but expand, while_in_blocks, \
             gathers_last, contract, transposed_products, products_after_loops, pairs and all"
        );
    }
}
