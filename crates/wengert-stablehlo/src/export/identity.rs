//! Barriers.

use super::function::{Function, operands, types};
use super::text::Types;
use super::{Operand, Values};

impl Function<'_> {
    /// All operands at once, held where they are.
    pub(super) fn barrier(&mut self, x: &[Operand<'_>]) -> Values {
        if x.is_empty() {
            return Values::new();
        }
        let (values, from) = (operands(x), types(x));
        self.many(x.len(), format_args!("stablehlo.optimization_barrier {values} : {}", Types(&from)))
    }
}
