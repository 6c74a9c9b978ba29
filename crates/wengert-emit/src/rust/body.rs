//! The steps of one function, line by line.

use super::layout::{Piece, binding, expression, list, pattern, text, tuple};
use super::ops::{Gives, primitive, refused};
use super::{File, group, literal, taken};
use crate::names::Names;
use crate::tree::{Does, Function, FunctionId, OwnCall, RecordedOp, Step, Variable, VariableId};
use wengert_core::{Op, Result, Type};

/// A function being written.
pub(crate) struct Body<'f, 'a> {
    pub(crate) file: &'f mut File<'a>,
    pub(crate) function: &'f Function,
    /// The name of each variable.
    variables: Vec<String>,
    /// The last step that uses each variable; the results come after all steps.
    last_use: Vec<Option<usize>>,
    /// The step being written.
    now: usize,
    pub(crate) names: Names,
    pub(crate) out: String,
}

impl<'f, 'a> Body<'f, 'a> {
    pub(crate) fn new(file: &'f mut File<'a>, function: &'f Function) -> Body<'f, 'a> {
        let mut names = taken();
        for name in file.names.iter().filter(|name| !name.is_empty()) {
            names.fresh(name);
        }
        let mut last_use = vec![None; function.variables.len()];
        let steps = function.steps.iter().map(|s| &s.operands).chain([&function.results]);
        for (i, operands) in steps.enumerate() {
            operands.iter().for_each(|&v| last_use[v] = Some(i));
        }
        let named = |(i, v): (usize, &Variable)| {
            let wanted = v.name.as_deref();
            names.fresh(wanted.unwrap_or(&format!("v{i}")))
        };
        let variables = function.variables.iter().enumerate().map(named).collect();
        // A name with an underscore before it would not be recorded.
        file.has_unused |= last_use.iter().any(Option::is_none);
        Body { file, function, variables, last_use, now: 0, names, out: String::new() }
    }

    pub(crate) fn names(&self, of: &[VariableId]) -> Vec<String> {
        of.iter().map(|&v| self.variables[v].clone()).collect()
    }

    pub(crate) fn steps(&mut self) -> Result<()> {
        for (i, step) in self.function.steps.iter().enumerate() {
            self.now = i;
            self.step(step)?;
        }
        self.now = self.function.steps.len();
        Ok(())
    }

    /// The lines, with the results at the end.
    pub(crate) fn finish(mut self) -> String {
        if self.function.fails.is_some() {
            self.out.push_str(&self.end());
            return self.out;
        }
        let results = self.given(&self.function.results);
        if !results.is_empty() {
            let results = group(results, |r| list("", r));
            self.out.push_str(&expression(4, &results, ""));
        }
        self.out
    }

    /// The end of a function that fails before it.
    fn end(&self) -> String {
        let (name, said) = match self.function.steps.last() {
            Some(Step { does: Does::Raise(message), .. }) => ("repro::raise", message.as_str()),
            _ => ("unreachable!", "when this was recorded, it failed above"),
        };
        // A text is as wide as its line.
        let line = format!("    {name}({said:?})\n");
        match line.chars().count() <= 101 {
            true => line,
            false => format!("    {name}(\n        {said:?},\n    )\n"),
        }
    }

    fn step(&mut self, step: &Step) -> Result<()> {
        match &step.does {
            Does::Returned(by) => {
                self.returned(by, step);
                Ok(())
            }
            Does::Own(OwnCall { function, plain, .. }) => {
                let x = self.names(&step.operands);
                if let (Some(sign), [a, b]) = (function.operator(), &x[..]) {
                    self.bind(&step.results, text(format!("&{a} {sign} &{b}")));
                    return Ok(());
                }
                let borrowed = |x: &[String]| x.iter().map(|x| text(format!("&{x}"))).collect::<Vec<_>>();
                let (called, mut given) = match &x[..] {
                    [x, rest @ ..] if rest.len() < 2 => (format!("{x}.{}", function.name), borrowed(rest)),
                    x => (function.name.to_string(), borrowed(x)),
                };
                given.extend(plain.clone().map(text));
                self.bind(&step.results, super::call(&called, given));
                Ok(())
            }
            // It is the end.
            Does::Raise(_) => Ok(()),
            Does::Recorded(op) => {
                self.recorded(op, step);
                Ok(())
            }
            Does::Call(id) => {
                let given = self.given(&step.operands);
                let value = self.file.called(*id, given);
                self.bind(&step.results, value);
                Ok(())
            }
            Does::Caught(id, message) => {
                let name = self.names.fresh("failure");
                self.out.push_str(&binding(4, &text(&name), &text(format!("{message:?}"))));
                let given = step.operands.iter().map(|&v| self.copy(v)).collect();
                self.out.push_str(&format!("    repro::caught({name}, || {{\n"));
                self.out.push_str(&expression(8, &self.file.called(*id, given), ";"));
                self.out.push_str("    });\n");
                Ok(())
            }
            Does::Transform { by, function, held } => {
                self.transform(by, *function, *held, step);
                Ok(())
            }
            Does::Primitive(Op::Constant(o), _) => {
                let [result] = step.results[..] else {
                    return Err(refused(&Op::Constant(o.clone()), "has one result", &step.place));
                };
                let name = self.variables[result].clone();
                let value = self.file.array(&o.value, &name);
                self.bind(&step.results, value);
                Ok(())
            }
            Does::Primitive(op, inside) => match op {
                Op::Scan(_) | Op::While(_) | Op::Cond(_) | Op::Call(_) => self.control(op, inside, step),
                Op::CustomJvp(_) | Op::CustomVjp(_) | Op::LinearSolve(_) | Op::Root(_) => {
                    self.control(op, inside, step)
                }
                _ => self.primitive(op, inside, step),
            },
        }
    }

    /// Code of the user's, as the calls of it that were recorded.
    fn recorded(&mut self, op: &RecordedOp, step: &Step) {
        let types = step.results.iter().map(|&v| literal::ty(&self.function.variables[v].ty));
        let new = vec![text(format!("{:?}", op.name)), list("", types.collect())];
        let name = self.names.fresh("calls");
        let bound = if op.calls.is_empty() { name.clone() } else { format!("mut {name}") };
        self.out.push_str(&binding(4, &text(bound), &super::call("repro::RecordedCalls::new", new)));
        for call in &op.calls {
            let both = [("given", &call.given), ("gave", &call.gave)]
                .map(|(kind, arrays)| list("", arrays.iter().map(|t| self.file.array(t, kind)).collect()));
            self.out.push_str(&expression(4, &super::call(&format!("{name}.add"), both.into()), ";"));
        }
        let given = self.names(&step.operands).into_iter().map(|x| text(format!("&{x}"))).collect();
        let names = self.names(&step.results).into_iter().map(text).collect();
        let value = super::call(&format!("{name}.call"), vec![list("", given)]);
        self.out.push_str(&binding(4, &pattern("[", names, "]"), &value));
    }

    fn primitive(&mut self, op: &Op, inside: &[FunctionId], step: &Step) -> Result<()> {
        let parts: Vec<String> = inside.iter().map(|&id| self.part(id)).collect();
        let operands = self.names(&step.operands);
        let types: Vec<Type> = step.operands.iter().map(|&v| self.function.variables[v].ty.clone()).collect();
        let (value, gives) = primitive(op, &operands, &types, &parts, &step.place)?;
        match gives {
            Gives::One => self.bind(&step.results, value),
            Gives::Array => {
                let names = self.names(&step.results).into_iter().map(text).collect();
                self.out.push_str(&binding(4, &pattern("[", names, "]"), &value));
            }
        }
        Ok(())
    }

    /// A function of scalars as a part of an op, under a name.
    fn part(&mut self, id: FunctionId) -> String {
        let f = &self.file.tree.functions[id];
        let zero = |&v: &VariableId| {
            let zero = wengert_core::Tensor::zeros(&f.variables[v].ty);
            self.file.array(&zero, "zero")
        };
        let mut zeros: Vec<Piece> = f.parameters.iter().map(zero).collect();
        if zeros.len() > super::MOST_ARGUMENTS {
            zeros = vec![list("", zeros)];
        }
        let arguments = tuple(zeros);
        let name = self.names.fresh("part");
        let value = super::call("lax::part", vec![text(&self.file.names[id]), arguments]);
        self.out.push_str(&binding(4, &text(&name), &value));
        name
    }

    /// `let results = value;` where the value is one array, or an array of several.
    pub(crate) fn bind(&mut self, results: &[VariableId], value: Piece) {
        if results.is_empty() {
            return self.out.push_str(&expression(4, &value, ";"));
        }
        let names = self.names(results).into_iter().map(text).collect();
        let pattern = group(names, |names| pattern("[", names, "]"));
        self.out.push_str(&binding(4, &pattern, &value));
    }

    /// Variables that are given away: those that are used no more as they are, others as copies.
    pub(crate) fn given(&self, operands: &[VariableId]) -> Vec<Piece> {
        // What a closure of the step holds is borrowed until the step is done.
        let held = self.function.steps.get(self.now).map_or(&[][..], Step::held);
        let used_later = |i: usize, v: VariableId| operands[i + 1..].contains(&v) || held.contains(&v);
        let last = |i: usize, v: VariableId| self.last_use[v] == Some(self.now) && !used_later(i, v);
        let give = |(i, &v): (usize, &VariableId)| match last(i, v) {
            true => text(&self.variables[v]),
            false => self.copy(v),
        };
        operands.iter().enumerate().map(give).collect()
    }

    /// These variables are not given away until the function ends.
    pub(crate) fn keep(&mut self, held: &[VariableId]) {
        held.iter().for_each(|&v| self.last_use[v] = Some(usize::MAX));
    }

    /// A copy of a variable.
    pub(crate) fn copy(&self, v: VariableId) -> Piece {
        text(format!("{}.clone()", self.variables[v]))
    }
}
