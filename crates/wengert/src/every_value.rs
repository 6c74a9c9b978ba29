//! The values of all variables of a program, kept while it runs.

use crate::array::Array;
use std::sync::Arc;
use wengert_core::run::{Block, Observer, Value, Visit};
use wengert_core::{Program, Var};

/// Observes a run of a program, and keeps the value of each of its variables. Programs inside of it are not looked at.
pub(crate) struct EveryValue<'a> {
    program: &'a Arc<Program>,
    values: Vec<Option<Value>>,
    /// How many equations that hold programs are running, one inside the other.
    depth: usize,
}

impl EveryValue<'_> {
    pub(crate) fn of(program: &Arc<Program>) -> EveryValue<'_> {
        EveryValue { program, values: vec![None; program.var_count()], depth: 0 }
    }

    /// The values as arrays.
    pub(crate) fn arrays(self) -> Vec<Option<Array>> {
        self.values.into_iter().map(|v| v.map(Array::from_value)).collect()
    }

    fn keep(&mut self, vars: impl IntoIterator<Item = (Var, Value)>) {
        vars.into_iter().for_each(|(v, value)| self.values[v.index()] = Some(value));
    }
}

impl Observer for EveryValue<'_> {
    fn enter(&mut self, _: &Arc<Program>, _: Visit, inputs: &[Value]) {
        if self.depth == 0 {
            let inputs = self.program.inputs().iter().copied().zip(inputs.iter().cloned());
            self.keep(inputs);
        }
    }

    fn begin(&mut self, _: &Arc<Program>, _: usize) {
        self.depth += 1;
    }

    fn end(&mut self, _: &Arc<Program>, equation: usize, outputs: &[Value]) {
        self.depth -= 1;
        if self.depth == 0 {
            let vars = self.program.equations()[equation].outputs.iter().copied();
            self.keep(vars.zip(outputs.iter().cloned()));
        }
    }

    fn ran(&mut self, block: Block<'_>) {
        if self.depth == 0 {
            self.keep(block.outputs.iter().cloned());
        }
    }

    fn leave(&mut self, _: &Arc<Program>) {}
}
