//! One function of the tree as one of Python.

use super::File;
use super::helpers::Helper;
use super::layout::{self, Expr};
use super::literal;
use crate::names::Names;
use crate::tree::{Does, Function, FunctionId, OwnCall, OwnFunction, RecordedOp, Step, VariableId};
use std::sync::Arc;
use wengert_core::{Error, ErrorKind, Result, Type};

/// A function as it is written.
pub(super) struct Body<'f, 'r> {
    pub(super) file: &'f mut File<'r>,
    pub(super) function: &'f Function,
    /// The names of variables, by their number.
    variables: Vec<String>,
    pub(super) taken: Names,
    pub(super) text: String,
}

/// What is assigned to, and what is assigned.
pub(super) struct Assignment {
    pub(super) target: Expr,
    pub(super) value: Expr,
}

/// Writes the function of this number.
pub(super) fn define(file: &mut File<'_>, id: FunctionId) -> Result<String> {
    let tree = file.tree;
    let function = &tree.functions[id];
    let mut taken = file.taken.clone();
    let wanted = |(i, v): (usize, &crate::Variable)| match &v.name {
        Some(name) if !name.is_empty() => name.to_string(),
        _ => format!("v{i}"),
    };
    let variables: Vec<String> =
        function.variables.iter().enumerate().map(wanted).map(|name| taken.fresh(&name)).collect();
    let mut text = String::new();
    if let Some((path, row, column)) = function.place.parts() {
        layout::line(&mut text, 0, &format!("# {}", literal::comment(&format!("{path}:{row}:{column}"))));
    }
    let parameters: Vec<String> = function.parameters.iter().map(|&v| variables[v].clone()).collect();
    layout::define(&mut text, &file.names[id], &parameters);
    let mut body = Body { file, function, variables, taken, text };
    for step in &function.steps {
        body.step(step).map_err(|e| e.at(step.place.clone()))?;
    }
    if function.fails.is_some() {
        if !matches!(function.steps.last(), Some(Step { does: Does::Raise(_), .. })) {
            body.file.uses_sys = true;
            layout::line(&mut body.text, 1, "sys.exit(\"when this was recorded, it failed above\")");
        }
        return Ok(body.text);
    }
    let results = body.variables(&function.results);
    layout::give_back(&mut body.text, 1, &results);
    Ok(body.text)
}

impl Body<'_, '_> {
    fn step(&mut self, step: &Step) -> Result<()> {
        let written = match &step.does {
            Does::Call(id) => {
                let value = Expr::call(self.file.names[*id].clone(), self.variables(&step.operands));
                Assignment { target: self.targets(&step.results), value }
            }
            Does::Returned(by) => {
                let [function, given] = [&step.operands[..1], &step.operands[1..]];
                let head = self.variable(function[0]).flat();
                self.returned(by, head, given, &step.results)
            }
            Does::Own(OwnCall { function: OwnFunction { jax: Some(name), .. }, .. }) => {
                let value = Expr::call(format!("jnp.{name}"), self.variables(&step.operands));
                Assignment { target: self.targets(&step.results), value }
            }
            // An axis or a position that is not there may be none of JAX's mistakes.
            Does::Raise(message) | Does::Own(OwnCall { message, .. }) => {
                let raised = Expr::call("raise RuntimeError", [Expr::atom(literal::string(message))]);
                layout::statement(&mut self.text, 1, &raised);
                return Ok(());
            }
            Does::Caught(id, message) => {
                let said = match self.file.options.anonymous {
                    true => String::new(),
                    false => format!(": {}", literal::comment(message)),
                };
                layout::line(&mut self.text, 1, &format!("# The run went on after an error{said}"));
                layout::line(&mut self.text, 1, "try:");
                let call = Expr::call(self.file.names[*id].clone(), self.variables(&step.operands));
                layout::statement(&mut self.text, 2, &call);
                layout::line(&mut self.text, 1, "except Exception as error:");
                let checked = self.file.check_error(*id);
                layout::statement(&mut self.text, 2, &checked);
                // What ends a function that ran to its end is no `Exception`.
                layout::line(&mut self.text, 1, "except SystemExit:");
                layout::line(
                    &mut self.text,
                    2,
                    "print(\"JAX has no error here, and goes on as the recorded run did\")",
                );
                return Ok(());
            }
            Does::Recorded(op) => self.recorded(op, step),
            Does::Transform { by, function, held } => self.transform(by, *function, *held, step)?,
            Does::Primitive(op, inside) => self.op(op, inside, step)?,
        };
        layout::assign(&mut self.text, 1, &written.target, &written.value);
        Ok(())
    }

    /// Code of the user's: what it gave is looked up.
    fn recorded(&mut self, op: &Arc<RecordedOp>, step: &Step) -> Assignment {
        self.file.helper(Helper::Recorded);
        let calls = self.file.table(op);
        let gives = step.results.iter().map(|&v| {
            let ty = self.ty(v);
            Expr::call("jax.ShapeDtypeStruct", [Expr::numbers(ty.shape.iter()), literal::dtype(ty.dtype)])
        });
        let own = [Expr::atom(literal::string(&op.name)), Expr::atom(calls), Expr::Tuple(gives.collect())];
        let value = Expr::call("recorded", own.into_iter().chain(self.variables(&step.operands)));
        Assignment { target: self.targets(&step.results), value }
    }

    pub(super) fn variable(&self, v: VariableId) -> Expr {
        Expr::atom(&self.variables[v])
    }

    pub(super) fn variables(&self, v: &[VariableId]) -> Vec<Expr> {
        v.iter().map(|&v| self.variable(v)).collect()
    }

    pub(super) fn ty(&self, v: VariableId) -> &Type {
        &self.function.variables[v].ty
    }

    /// One variable, or a tuple of them: what a function of that many results gives.
    pub(super) fn targets(&self, v: &[VariableId]) -> Expr {
        match v {
            [] => Expr::atom("unused"),
            [one] => self.variable(*one),
            many => Expr::Tuple(self.variables(many)),
        }
    }

    /// One variable, or a tuple of them, as a value.
    pub(super) fn values(&self, v: &[VariableId]) -> Expr {
        match v {
            [one] => self.variable(*one),
            many => Expr::Tuple(self.variables(many)),
        }
    }

    /// The name of a function of the tree.
    pub(super) fn function_name(&self, id: FunctionId) -> String {
        self.file.names[id].clone()
    }

    /// A name that no variable has, as near to the wanted one as can be.
    pub(super) fn local(&mut self, wanted: &str) -> String {
        self.taken.fresh(wanted)
    }
}

/// An op that JAX can't say, and why.
pub(super) fn unsupported(op: &str, why: &str) -> Error {
    Error::new(ErrorKind::Unsupported, format!("`{op}` can't be written for JAX: {why}"))
}
