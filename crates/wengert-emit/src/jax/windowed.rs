//! Reductions, over axes and under windows, and convolutions.

use super::elementwise::binary_name;
use super::function::Body;
use super::helpers::Helper;
use super::layout::Expr;
use super::literal;
use crate::tree::{FunctionId, Step, VariableId};
use wengert_core::DType;
use wengert_core::ops::{Binary, Combiner, Convolution, Reduce, ReduceWindow, SelectAndScatter, Selector, Window};

/// `((0, 1), (2, 3))`.
fn pairs(padding: &[(i64, i64)]) -> Expr {
    Expr::Tuple(padding.iter().map(|&(low, high)| Expr::numbers([low, high])).collect())
}

/// The list under its name, or nothing if it says no more than the default.
fn unless_ones(name: &str, list: &[usize]) -> Option<Expr> {
    list.iter().any(|&d| d != 1).then(|| Expr::keyword(name, Expr::numbers(list)))
}

/// What moves over the array, by JAX's names.
fn window(w: &Window) -> Vec<Expr> {
    let mut items = vec![Expr::keyword("window_dimensions", Expr::numbers(w.size.iter()))];
    items.extend(unless_ones("window_strides", &w.strides));
    if w.padding.iter().any(|&p| p != (0, 0)) {
        items.push(Expr::keyword("padding", pairs(&w.padding)));
    }
    items.extend(unless_ones("base_dilation", &w.base_dilation));
    items.extend(unless_ones("window_dilation", &w.window_dilation));
    items
}

/// The reduction over axes that has a name.
fn reduction(op: Binary, d: DType) -> &'static str {
    match op {
        Binary::Add | Binary::Max if d == DType::Bool => "lax.reduce_or",
        Binary::Mul | Binary::Min if d == DType::Bool => "lax.reduce_and",
        Binary::Add => "lax.reduce_sum",
        Binary::Mul => "lax.reduce_prod",
        Binary::Max => "lax.reduce_max",
        Binary::Min => "lax.reduce_min",
        Binary::And => "lax.reduce_and",
        Binary::Or => "lax.reduce_or",
        _ => "lax.reduce_xor",
    }
}

impl Body<'_, '_> {
    pub(super) fn reduce(&mut self, op: &Reduce, inside: &[FunctionId], step: &Step) -> Expr {
        let dims = Expr::numbers(op.dims.iter());
        if let Some(binary) = op.combiner.binary() {
            let (x, d) = (step.operands[0], self.ty(step.operands[0]).dtype);
            if d.is_complex() && matches!(binary, Binary::Max | Binary::Min) {
                // JAX starts from another number.
                let (combine, start) = self.combiner(&op.combiner, None, d, None);
                return Expr::call("lax.reduce", [self.variable(x), start, combine, dims]);
            }
            return Expr::call(reduction(binary, d), [self.variable(x), dims]);
        }
        let (arrays, starts) = step.operands.split_at(step.results.len());
        Expr::call("lax.reduce", [self.values(arrays), self.values(starts), self.over_tuples(inside[0], arrays), dims])
    }

    /// A function of scalars as JAX takes it: of two scalars, or of two tuples.
    fn over_tuples(&self, id: FunctionId, arrays: &[VariableId]) -> Expr {
        let name = self.function_name(id);
        match arrays.len() {
            1 => Expr::atom(name),
            _ => Expr::lambda("carry, each", Expr::call(name, [Expr::atom("*carry"), Expr::atom("*each")])),
        }
    }

    /// What combines two elements, and what it starts from: the identity, or the operand that says so.
    fn combiner(&mut self, c: &Combiner, id: Option<FunctionId>, d: DType, start: Option<VariableId>) -> (Expr, Expr) {
        match c.binary() {
            Some(binary) => {
                self.file.uses_numpy = true;
                (Expr::atom(binary_name(binary, d)), literal::known(c.identity(d).expect("a named one has it")))
            }
            None => {
                let name = self.function_name(id.expect("a combining program"));
                (Expr::atom(name), self.variable(start.expect("a combining program starts from an operand")))
            }
        }
    }

    pub(super) fn reduce_window(&mut self, op: &ReduceWindow, inside: &[FunctionId], step: &Step) -> Expr {
        let (arrays, starts) = step.operands.split_at(step.results.len());
        let mut items = match arrays {
            [one] => {
                let first = inside.first().copied();
                let (combine, start) = self.combiner(&op.combiner, first, self.ty(*one).dtype, starts.first().copied());
                vec![self.variable(*one), start, combine]
            }
            many => vec![self.values(many), self.values(starts), self.over_tuples(inside[0], many)],
        };
        items.extend(window(&op.window));
        Expr::call("lax.reduce_window", items)
    }

    pub(super) fn select_and_scatter(&mut self, op: &SelectAndScatter, inside: &[FunctionId], step: &Step) -> Expr {
        let mut inside = inside.iter().copied();
        let select = match &op.select {
            Selector::Named(direction) => format!("lax.{}", direction.as_str()),
            Selector::Program(_) => self.function_name(inside.next().expect("a selecting program")),
        };
        let (operand, source) = (step.operands[0], step.operands[1]);
        let d = self.ty(source).dtype;
        let (combine, start) = self.combiner(&op.combiner, inside.next(), d, step.operands.get(2).copied());
        self.file.helper(Helper::SelectAndScatter);
        let w = &op.window;
        Expr::call(
            "select_and_scatter",
            [
                Expr::atom(select),
                combine,
                self.variable(operand),
                self.variable(source),
                start,
                Expr::numbers(w.size.iter()),
                Expr::numbers(w.strides.iter()),
                pairs(&w.padding),
            ],
        )
    }

    pub(super) fn convolution(&mut self, op: &Convolution, step: &Step) -> Expr {
        let mut kernel = self.variable(step.operands[1]);
        if op.reversal.contains(&true) {
            let axes = op.rhs[2..].iter().zip(&op.reversal).filter(|(_, reversed)| **reversed).map(|(axis, _)| axis);
            kernel = Expr::call("lax.rev", [kernel, Expr::numbers(axes)]);
        }
        let axes = [&op.lhs, &op.rhs, &op.out].map(|dims| Expr::numbers(dims.iter()));
        let mut items = vec![
            self.variable(step.operands[0]),
            kernel,
            Expr::keyword("window_strides", Expr::numbers(op.strides.iter())),
            Expr::keyword("padding", pairs(&op.padding)),
        ];
        items.extend(unless_ones("lhs_dilation", &op.lhs_dilation));
        items.extend(unless_ones("rhs_dilation", &op.rhs_dilation));
        items.push(Expr::keyword("dimension_numbers", Expr::call("lax.ConvDimensionNumbers", axes)));
        items.extend(
            unless_ones("feature_group_count", &[op.feature_groups])
                .map(|_| Expr::keyword("feature_group_count", Expr::atom(op.feature_groups))),
        );
        items.extend(
            unless_ones("batch_group_count", &[op.batch_groups])
                .map(|_| Expr::keyword("batch_group_count", Expr::atom(op.batch_groups))),
        );
        Expr::call("lax.conv_general_dilated", items)
    }
}
