//! Products summed over shared axes.

use super::function::Function;
use super::text::List;
use super::{Operand, Precision, Values};
use wengert_core::Type;
use wengert_core::ops::DotGeneral;

impl Function<'_> {
    pub(super) fn dot_general(&mut self, op: &DotGeneral, x: &[Operand<'_>], y: &Type) -> Values {
        let ((lc, rc), (lb, rb)) = (&op.contract, &op.batch);
        let mut more = String::new();
        if !lb.is_empty() {
            more += &format!(", batching_dims = {} x {}", List(lb), List(rb));
        }
        more += &format!(", contracting_dims = {} x {}", List(lc), List(rc));
        if self.module.options.precision == Precision::Highest {
            more += ", precision = [HIGHEST, HIGHEST]";
        }
        self.plain("dot_general", x, more, &[y])
    }
}
