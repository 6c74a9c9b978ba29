//! Gather, scatter and sorting.

use super::elementwise::binary_name;
use super::function::{Assignment, Body};
use super::helpers::Helper;
use super::layout::Expr;
use super::literal;
use super::ops::{flag, truth};
use crate::tree::{FunctionId, Step, VariableId};
use wengert_core::ops::{Binary, Combiner, Gather, Indexing, Order, OutOfBounds, Scatter, Sort, Update};
use wengert_core::{DType, Dims};

/// How indices point, once the vectors are along the last axis of the indices. JAX has these lists under two sets of names.
fn dimension_numbers(kind: &str, names: [&str; 5], at: &Indexing) -> Expr {
    let moved: Dims =
        at.indices_batching_dims.iter().map(|&d| if d > at.index_vector_dim { d - 1 } else { d }).collect();
    let lists = [&at.window_dims, &at.collapsed_dims, &at.index_map, &at.operand_batching_dims, &moved];
    // The first three have no default.
    let used = names.iter().zip(lists).enumerate().filter(|(i, (_, l))| *i < 3 || !l.is_empty());
    let items = used.map(|(_, (name, list))| Expr::keyword(name, Expr::numbers(list.iter())));
    Expr::call(format!("lax.{kind}DimensionNumbers"), items)
}

fn gather_numbers(at: &Indexing) -> Expr {
    let names = [
        "offset_dims",
        "collapsed_slice_dims",
        "start_index_map",
        "operand_batching_dims",
        "start_indices_batching_dims",
    ];
    dimension_numbers("Gather", names, at)
}

impl Body<'_, '_> {
    /// The indices with the vectors along the last axis.
    fn indices(&self, v: VariableId, at: &Indexing) -> Expr {
        let (ty, axis) = (self.ty(v), at.index_vector_dim);
        if axis == ty.rank() {
            return Expr::call("lax.expand_dims", [self.variable(v), Expr::numbers([axis])]);
        }
        if axis + 1 == ty.rank() {
            return self.variable(v);
        }
        let order = (0..ty.rank()).filter(|&d| d != axis).chain([axis]);
        Expr::call("lax.transpose", [self.variable(v), Expr::numbers(order)])
    }

    pub(super) fn gather(&mut self, op: &Gather, step: &Step) -> Expr {
        let mut items = vec![
            self.variable(step.operands[0]),
            self.indices(step.operands[1], &op.indexing),
            Expr::keyword("dimension_numbers", gather_numbers(&op.indexing)),
            Expr::keyword("slice_sizes", Expr::numbers(op.slice_sizes.iter())),
        ];
        items.extend(flag("unique_indices", op.unique_indices));
        items.extend(flag("indices_are_sorted", op.indices_are_sorted));
        match op.out_of_bounds {
            OutOfBounds::Clip => items.push(Expr::keyword("mode", Expr::atom("\"clip\""))),
            OutOfBounds::Fill(s) => {
                items.push(Expr::keyword("mode", Expr::atom("\"fill\"")));
                items.push(Expr::keyword("fill_value", literal::number(s)));
            }
        }
        Expr::call("lax.gather", items)
    }

    pub(super) fn scatter(&mut self, op: &Scatter, inside: &[FunctionId], step: &Step) -> Expr {
        let [operand, indices, updates] = step.operands[..] else { unreachable!("of one array") };
        let d = self.ty(operand).dtype;
        let (name, combine) = match &op.update {
            Update::Set => ("lax.scatter", None),
            Update::Combine(Combiner::Program(_)) => ("scatter_by", Some(self.function_name(inside[0]))),
            Update::Combine(c) => match c.binary().expect("named") {
                Binary::Add if d != DType::Bool => ("lax.scatter_add", None),
                Binary::Mul if d != DType::Bool => ("lax.scatter_mul", None),
                Binary::Max if !d.is_complex() && d != DType::Bool => ("lax.scatter_max", None),
                Binary::Min if !d.is_complex() && d != DType::Bool => ("lax.scatter_min", None),
                named => ("scatter_by", Some(binary_name(named, d))),
            },
        };
        let names = [
            "update_window_dims",
            "inserted_window_dims",
            "scatter_dims_to_operand_dims",
            "operand_batching_dims",
            "scatter_indices_batching_dims",
        ];
        let mut items: Vec<Expr> = combine.iter().map(Expr::atom).collect();
        items.extend([
            self.variable(operand),
            self.indices(indices, &op.indexing),
            self.variable(updates),
            Expr::keyword("dimension_numbers", dimension_numbers("Scatter", names, &op.indexing)),
        ]);
        items.extend(flag("indices_are_sorted", op.indices_are_sorted));
        items.extend(flag("unique_indices", op.unique_indices));
        match combine {
            Some(_) => self.file.helper(Helper::ScatterBy),
            None => items.push(Expr::keyword("mode", Expr::atom("\"drop\""))),
        }
        Expr::call(name, items)
    }

    /// A scatter into several arrays at once, which JAX's is not.
    pub(super) fn scatter_all(&mut self, op: &Scatter, inside: &[FunctionId], step: &Step) -> Assignment {
        self.file.helper(Helper::ScatterAllBy);
        let count = step.results.len();
        let (operands, updates) = (&step.operands[..count], &step.operands[count + 1..]);
        let sizes = op.indexing.slice_sizes(&self.ty(operands[0]).shape, &self.ty(updates[0]).shape);
        let items = [
            Expr::atom(self.function_name(inside[0])),
            Expr::List(self.variables(operands)),
            self.indices(step.operands[count], &op.indexing),
            Expr::List(self.variables(updates)),
            gather_numbers(&op.indexing),
            Expr::numbers(sizes.iter()),
        ];
        let target = Expr::Tuple(self.variables(&step.results));
        Assignment { target, value: Expr::call("scatter_all_by", items) }
    }

    pub(super) fn sort(&mut self, op: &Sort, inside: &[FunctionId], step: &Step) -> Assignment {
        let dimension = Expr::keyword("dimension", Expr::atom(op.dim));
        let Order::Natural(keys) = op.order else {
            self.file.helper(Helper::SortBy);
            let (before, operands) = (Expr::atom(self.function_name(inside[0])), self.variables(&step.operands));
            let value = Expr::call("sort_by", [before, Expr::List(operands), dimension]);
            return Assignment { target: Expr::Tuple(self.variables(&step.results)), value };
        };
        let mut items = vec![self.values(&step.operands), dimension, truth("is_stable", op.stable)];
        if step.operands.len() > 1 {
            items.push(Expr::keyword("num_keys", Expr::atom(keys)));
        }
        Assignment { target: self.targets(&step.results), value: Expr::call("lax.sort", items) }
    }
}
