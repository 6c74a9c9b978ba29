//! What the tests of the other crates share: random programs and random values, and texts that are expected.
//!
//! Everything random is made from a list of numbers, the *choices*. A property test draws such lists, and shrinks them: fewer
//! and smaller numbers make smaller programs, and where the numbers end all further choices are 0.

mod awkward;
mod expect;
mod plugin;
mod program;
mod rows;
mod values;

use proptest::test_runner::Config as ProptestConfig;

pub use expect::{Expect, expect_file};
pub use plugin::MockPlugin;
pub use program::{Recipe, random_program};
pub use rows::{random_rows, varied_values};
pub use values::{from_scalars, random_values, same_bits};

/// A list of numbers that decides everything random.
#[derive(Debug)]
pub struct Choices<'a> {
    rest: &'a [u16],
}

impl<'a> Choices<'a> {
    /// Choices from the start of the list.
    pub fn new(numbers: &'a [u16]) -> Choices<'a> {
        Choices { rest: numbers }
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        match self.rest.split_first() {
            None => 0,
            Some((&first, rest)) => {
                self.rest = rest;
                first as usize % n.max(1)
            }
        }
    }

    /// One of the items.
    pub fn of<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }

    /// Whether all numbers are used up.
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }
}

/// How a property test runs: this many cases, or as many as `PROPTEST_CASES` says.
pub fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(usual),
        max_shrink_iters: 4000,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}
