//! Loops, branches, and functions with derivatives of their own.

use super::function::{Assignment, Body};
use super::helpers::Helper;
use super::layout::{self, Expr};
use crate::tree::{FunctionId, Step, VariableId};
use wengert_core::DType;
use wengert_core::ops::{LinearSolve, Root, Scan, While};

/// `name` for one value, `*name` for several, nothing for none.
fn unpacked(name: &str, count: usize, bare: bool) -> Option<Expr> {
    match count {
        0 => None,
        1 if bare => Some(Expr::atom(name)),
        _ => Some(Expr::atom(format!("*{name}"))),
    }
}

impl Body<'_, '_> {
    /// The body of a scan takes all and gives all in one row, and JAX's a carry and a slice.
    pub(super) fn scan(&mut self, op: &Scan, body: FunctionId, step: &Step) -> Assignment {
        let (consts, rest) = step.operands.split_at(op.consts);
        let (carries, xs) = rest.split_at(op.carries);
        let (lasts, ys) = step.results.split_at(op.carries);
        let both = !lasts.is_empty() && !ys.is_empty();
        let mut arguments = self.variables(consts);
        arguments.extend(unpacked("carry", carries.len(), !both));
        arguments.extend(unpacked("each", xs.len(), true));
        let call = Expr::call(self.function_name(body), arguments);
        let (carry, each) = (if carries.is_empty() { "_" } else { "carry" }, if xs.is_empty() { "_" } else { "each" });
        let parameters = if (carry, each) == ("_", "_") { "*_".into() } else { format!("{carry}, {each}") };
        let none = Expr::Tuple(Vec::new());
        let given = match (lasts.is_empty(), ys.is_empty()) {
            (false, false) => {
                self.file.helper(Helper::Split);
                Expr::call("split", [call, Expr::atom(lasts.len())])
            }
            (_, true) => Expr::Tuple(vec![call, none]),
            (true, false) => Expr::Tuple(vec![none, call]),
        };
        let part = |this: &Self, v: &[VariableId]| match v.len() {
            0 => Expr::atom("_"),
            1 if !both => this.variable(v[0]),
            _ => Expr::Tuple(this.variables(v)),
        };
        let mut items = vec![Expr::lambda(&parameters, given)];
        items.push(if both { Expr::Tuple(self.variables(carries)) } else { self.values(carries) });
        match xs.is_empty() {
            true => items.push(Expr::keyword("length", Expr::atom(op.length))),
            false => items.push(self.values(xs)),
        }
        if op.reverse {
            items.push(super::ops::truth("reverse", true));
        }
        let target = Expr::Tuple(vec![part(self, lasts), part(self, ys)]);
        Assignment { target, value: Expr::call("lax.scan", items) }
    }

    pub(super) fn while_loop(&mut self, op: &While, inside: &[FunctionId], step: &Step) -> Expr {
        let (consts, carries) = step.operands.split_at(op.consts);
        let of = |this: &Self, id: FunctionId| {
            let name = this.function_name(id);
            if consts.is_empty() && carries.len() == 1 {
                return Expr::atom(name);
            }
            let mut arguments = this.variables(consts);
            arguments.extend(unpacked("carry", carries.len(), true));
            Expr::lambda("carry", Expr::call(name, arguments))
        };
        Expr::call("lax.while_loop", [of(self, inside[0]), of(self, inside[1]), self.values(carries)])
    }

    pub(super) fn cond(&mut self, inside: &[FunctionId], step: &Step) -> Expr {
        let is_array = |v: &VariableId| self.function.variables[*v].function.is_none();
        let (which, rest) = (self.variable(step.operands[0]), &step.operands[1..]);
        let arguments: Vec<Expr> = self.variables(&rest.iter().copied().filter(is_array).collect::<Vec<_>>());
        let mut taken = self.taken.clone();
        let names: Vec<String> = arguments.iter().map(|_| taken.fresh("x")).collect();
        let branch = |&id: &FunctionId| {
            if arguments.len() == rest.len() {
                return Expr::atom(self.function_name(id));
            }
            // A branch takes arrays; what it takes besides is held.
            let mut own = names.iter();
            let given = rest.iter().map(|&v| match is_array(&v) {
                true => Expr::atom(own.next().expect("one each")),
                false => self.variable(v),
            });
            Expr::lambda(&names.join(", "), Expr::call(self.function_name(id), given.collect::<Vec<_>>()))
        };
        let branches: Vec<Expr> = inside.iter().map(branch).collect();
        if self.ty(step.operands[0]).dtype == DType::Bool {
            // The first branch is that of `false`.
            let both = [which, branches[1].clone(), branches[0].clone()];
            return Expr::call("lax.cond", both.into_iter().chain(arguments));
        }
        Expr::call("lax.switch", [which, Expr::List(branches)].into_iter().chain(arguments))
    }

    /// Of the parameters and the results of a function, which have derivatives.
    fn differentiable(&self, id: FunctionId) -> [Vec<bool>; 2] {
        let f = &self.file.tree.functions[id];
        let has = |v: &VariableId| f.variables[*v].ty.dtype.is_differentiable();
        [f.parameters.iter().map(has).collect(), f.results.iter().map(has).collect()]
    }

    /// How many results a function gives.
    fn gives(&self, id: FunctionId) -> usize {
        self.file.tree.functions[id].gives()
    }

    /// A name for a function that `how` makes of one of the tree.
    fn with_rule(&mut self, how: &str, id: FunctionId) -> String {
        let name = self.function_name(id);
        let local = self.local(&name);
        layout::assign(&mut self.text, 1, &Expr::atom(&local), &Expr::call(how, [Expr::atom(name)]));
        local
    }

    pub(super) fn custom_jvp(&mut self, inside: &[FunctionId], step: &Step) -> Expr {
        let name = self.with_rule("jax.custom_jvp", inside[0]);
        let [takes, gives] = self.differentiable(inside[0]);
        let tangents = match !takes.contains(&false) {
            true => Expr::atom("*tangents"),
            false => {
                self.file.helper(Helper::Moving);
                Expr::atom("*moving(tangents)")
            }
        };
        let call = Expr::call(self.function_name(inside[1]), [Expr::atom("*primals"), tangents]);
        let n = gives.len();
        let rule = match !gives.contains(&false) {
            true if n == 1 => call,
            true => {
                self.file.helper(Helper::Split);
                Expr::call("split", [call, Expr::atom(n)])
            }
            false => {
                self.file.helper(Helper::Dual);
                // A function of one result gives it bare.
                let values = if self.gives(inside[1]) == 1 { Expr::Tuple(vec![call]) } else { call };
                Expr::call("dual", [values, Expr::atom(n)])
            }
        };
        let rule = Expr::call(format!("{name}.defjvp"), [Expr::lambda("primals, tangents", rule)]);
        layout::statement(&mut self.text, 1, &rule);
        self.with_its_rule(name, step)
    }

    pub(super) fn custom_vjp(&mut self, inside: &[FunctionId], step: &Step) -> Expr {
        let name = self.with_rule("jax.custom_vjp", inside[0]);
        let [takes, gives] = self.differentiable(inside[0]);
        let (n, left) = (gives.len(), self.gives(inside[1]) - gives.len());
        let forward = Expr::call(self.function_name(inside[1]), [Expr::atom("*arguments")]);
        let forward = match (n, left) {
            (_, 0) => Expr::Tuple(vec![forward, Expr::Tuple(Vec::new())]),
            (1, _) => {
                self.file.helper(Helper::First);
                Expr::call("first", [forward])
            }
            _ => {
                self.file.helper(Helper::Split);
                // A function of one result gives it bare.
                let values = if n + left == 1 { Expr::Tuple(vec![forward]) } else { forward };
                Expr::call("split", [values, Expr::atom(n)])
            }
        };
        let mut arguments: Vec<Expr> = (left > 0).then(|| Expr::atom("*residuals")).into_iter().collect();
        let moving = gives.iter().enumerate().filter(|(_, has)| **has).map(|(i, _)| i);
        match !gives.contains(&false) {
            true => arguments.extend(unpacked("cotangents", n, true)),
            false if n == 1 => {}
            false => arguments.extend(moving.map(|i| Expr::atom(format!("cotangents[{i}]")))),
        }
        let call = Expr::call(self.function_name(inside[2]), arguments);
        let back = takes.iter().filter(|has| **has).count();
        let backward = match (back == takes.len(), back) {
            (true, 1) => Expr::Tuple(vec![call]),
            (true, _) => call,
            (false, _) => {
                // Integers have no cotangent.
                self.file.helper(Helper::Spread);
                let call = if back == 1 { Expr::Tuple(vec![call]) } else { call };
                let places = takes.iter().map(|has| if *has { "True" } else { "False" });
                Expr::call("spread", [call, Expr::numbers(places)])
            }
        };
        let rules = [Expr::lambda("*arguments", forward), Expr::lambda("residuals, cotangents", backward)];
        layout::statement(&mut self.text, 1, &Expr::call(format!("{name}.defvjp"), rules));
        self.with_its_rule(name, step)
    }

    pub(super) fn linear_solve(&mut self, op: &LinearSolve, inside: &[FunctionId], step: &Step) -> Expr {
        let (shared, right) = step.operands.split_at(op.shared);
        let of = |this: &mut Self, parameters: &str, id: FunctionId| {
            let given = this.variables(shared).into_iter().chain(unpacked("arguments", right.len(), true));
            Expr::lambda(parameters, Expr::call(this.function_name(id), given))
        };
        let mut items = vec![of(self, "arguments", inside[1]), self.values(right), of(self, "_, arguments", inside[0])];
        items.extend(inside.get(2).map(|&id| of(self, "_, arguments", id)));
        Expr::call("lax.custom_linear_solve", items)
    }

    /// JAX's `custom_root` does not tell its solver of tangents where the root is.
    pub(super) fn root(&mut self, op: &Root, inside: &[FunctionId], step: &Step) -> Expr {
        self.file.helper(Helper::RootRule);
        let name = self.with_rule("jax.custom_jvp", inside[0]);
        let functions =
            [Expr::atom(&name), Expr::atom(self.function_name(inside[1])), Expr::atom(self.function_name(inside[2]))];
        let given = [Expr::atom(op.shared), Expr::atom("primals"), Expr::atom("tangents")];
        let rule = Expr::call("root_rule", functions.into_iter().chain(given));
        let rule = Expr::call(format!("{name}.defjvp"), [Expr::lambda("primals, tangents", rule)]);
        layout::statement(&mut self.text, 1, &rule);
        self.with_its_rule(name, step)
    }

    /// A call of a function with a derivative of its own. JAX runs rules only where a derivative is taken; where one of them
    /// failed, that is.
    fn with_its_rule(&mut self, name: String, step: &Step) -> Expr {
        let failed = self.function.fails.is_some() && self.function.steps.last() == Some(step);
        let head = if failed { format!("jax.jacrev({name})") } else { name };
        Expr::call(head, self.variables(&step.operands))
    }
}
