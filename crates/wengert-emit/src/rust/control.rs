//! Loops, branches, staged functions, and functions with derivatives of their own, as the user calls them.

use super::body::Body;
use super::layout::{Piece, WIDTH, binding, call, expression, list, pattern, text, tuple};
use super::{MOST_ARGUMENTS, called, group, group_type, literal, parameter};
use crate::tree::{FunctionId, Step, VariableId};
use wengert_core::ops::CallKind;
use wengert_core::{DType, Op, Result};

/// A function of nothing as one that transforms take: of one argument that holds no arrays.
pub(super) fn of_nothing(f: &str) -> String {
    format!("|_: ()| {f}()")
}

impl Body<'_, '_> {
    pub(super) fn control(&mut self, op: &Op, inside: &[FunctionId], step: &Step) -> Result<()> {
        let all = &step.operands;
        match op {
            Op::Call(o) => {
                let by = match o.kind {
                    CallKind::Staged => "jit",
                    CallKind::Checkpoint => "checkpoint",
                };
                let f = &self.file.names[inside[0]];
                let f = if all.is_empty() { of_nothing(f) } else { f.clone() };
                let given = self.given(all);
                self.bind(&step.results, called(&format!("{by}({f})"), given));
            }
            Op::Cond(_) => {
                // Branches take arrays; what they take besides is held.
                let is_array = |v: &VariableId| self.function.variables[*v].function.is_none();
                let (arrays, held): (Vec<_>, Vec<_>) = all[1..].iter().copied().partition(is_array);
                let given = self.given(&arrays);
                let index = all[0];
                let is_bool = self.function.variables[index].ty.dtype == DType::Bool;
                let roles = if is_bool { vec!["on_false", "on_true"] } else { vec!["branch"; inside.len()] };
                let mut branches: Vec<Piece> =
                    inside.iter().zip(roles).map(|(&id, role)| text(self.branch(role, id, &held))).collect();
                let operands = group(given, |x| list("", x));
                let value = match is_bool {
                    true => {
                        let on_true = branches.remove(1);
                        call("cond", vec![self.copy(index), on_true, branches.remove(0), operands])
                    }
                    false => {
                        let branches = branches.iter().map(|b| text(format!("&{}", b.line()))).collect();
                        let index = text(format!("&{}", self.names(&[index])[0]));
                        call("lax::case", vec![index, list("&", branches), operands])
                    }
                };
                self.bind(&step.results, value);
            }
            Op::While(o) => {
                let (held, carried) = all.split_at(o.consts);
                let test = self.of_group("test", inside[0], held);
                let body = self.of_group("step", inside[1], held);
                let init = group(self.given(carried), |x| list("", x));
                self.bind(&step.results, call("while_loop", vec![text(test), text(body), init]));
            }
            Op::Scan(o) => {
                let (held, rest) = all.split_at(o.consts);
                let (carried, walked) = rest.split_at(o.carries);
                let body = self.scan_step(inside[0], held, o.carries);
                let given = self.given(rest);
                let (init, xs) = given.split_at(carried.len());
                let both = [init, xs].map(|x| group(x.to_vec(), |x| list("", x)));
                let plain = !o.reverse && !walked.is_empty();
                let mut given = Vec::new();
                if !plain {
                    given.push(text(self.options(o.length, o.reverse, walked.is_empty())));
                }
                given.push(text(body));
                given.extend(both);
                let value = call(if plain { "scan" } else { "scan_with" }, given);
                let (carries, ys) = step.results.split_at(o.carries);
                let both = [carries, ys].map(|r| self.names_pattern(&self.names(r)));
                self.out.push_str(&binding(4, &pattern("(", both.into(), ")"), &value));
            }
            Op::CustomJvp(_) => {
                let rule = self.jvp_rule(inside[0], inside[1]);
                let given = self.given(all);
                let head = format!("custom_jvp({}, {rule})", self.file.names[inside[0]]);
                self.bind(&step.results, called(&head, given));
            }
            Op::CustomVjp(_) => {
                let [forward, backward] = self.vjp_rules(inside[0], inside[1], inside[2]);
                let given = self.given(all);
                let head = format!("custom_vjp({}, {forward}, {backward})", self.file.names[inside[0]]);
                self.bind(&step.results, called(&head, given));
            }
            Op::LinearSolve(o) => {
                let (held, right) = all.split_at(o.shared);
                let roles = inside.iter().zip(["solve", "product", "transposed"]);
                let parts: Vec<String> = roles.map(|(&id, role)| self.of_group(role, id, held)).collect();
                let transposed = parts.get(2).map_or("None".into(), |p| format!("Some(&{p})"));
                let right = group(self.given(right), |x| list("", x));
                let given = vec![text(&parts[0]), text(&parts[1]), text(transposed), right];
                self.bind(&step.results, call("lax::linear_solve", given));
            }
            Op::Root(o) => {
                let (held, guess) = all.split_at(o.shared);
                let (solve, f) = (self.of_group("solve", inside[0], held), self.of_group("equation", inside[1], held));
                let along = self.of_two_groups("along", inside[2], held);
                let guess = group(self.given(guess), |x| list("", x));
                self.bind(&step.results, call("lax::root", vec![text(solve), text(f), text(along), guess]));
            }
            _ => unreachable!("control flow"),
        }
        Ok(())
    }

    pub(super) fn names_pattern(&self, names: &[String]) -> Piece {
        group(names.iter().map(text).collect(), |names| pattern("[", names, "]"))
    }

    /// The options of a loop, under a name.
    fn options(&mut self, length: usize, reverse: bool, by_length: bool) -> String {
        let name = self.names.fresh("options");
        self.out.push_str(&format!("    let {name} = ScanOptions {{\n"));
        if by_length {
            self.out.push_str(&format!("        length: Some({length}),\n"));
        }
        if reverse {
            self.out.push_str("        reverse: true,\n");
        }
        self.out.push_str("        ..Default::default()\n    };\n");
        format!("&{name}")
    }

    /// A function as one of a single argument, a group of arrays, with what it holds besides: itself, or a closure.
    fn of_group(&mut self, role: &str, id: FunctionId, held: &[VariableId]) -> String {
        let f = &self.file.tree.functions[id];
        let own = f.parameters.len() - held.len();
        if held.is_empty() && own == 1 {
            return self.file.names[id].clone();
        }
        let inner = self.inner_names("c", own);
        let held: Vec<Piece> = held.iter().map(|&v| self.copy(v)).collect();
        let given = held.into_iter().chain(inner.iter().map(text)).collect();
        let value = self.file.called(id, given);
        self.closure(role, vec![parameter(&inner)], &[], value)
    }

    /// A branch: a function of a group of arrays, with the functions that it holds.
    fn branch(&mut self, role: &str, id: FunctionId, held: &[VariableId]) -> String {
        let f = &self.file.tree.functions[id];
        let is_function: Vec<bool> = f.parameters.iter().map(|&v| f.variables[v].function.is_some()).collect();
        if held.is_empty() {
            return self.of_group(role, id, held);
        }
        let inner = self.inner_names("c", f.parameters.len() - held.len());
        let (mut arrays, mut functions) = (inner.iter(), held.iter());
        let next = |is_function: &bool| match is_function {
            true => self.copy(*functions.next().expect("one each")),
            false => text(arrays.next().expect("one each")),
        };
        let given = is_function.iter().map(next).collect();
        let value = self.file.called(id, given);
        self.closure(role, vec![parameter(&inner)], &[], value)
    }

    /// A function of two groups of arrays, each a half of what it takes besides what it holds.
    fn of_two_groups(&mut self, role: &str, id: FunctionId, held: &[VariableId]) -> String {
        let own = (self.file.tree.functions[id].parameters.len() - held.len()) / 2;
        let halves = [self.inner_names("x", own), self.inner_names("y", own)];
        let held: Vec<Piece> = held.iter().map(|&v| self.copy(v)).collect();
        let given = held.into_iter().chain(halves.iter().flatten().map(text)).collect();
        let value = self.file.called(id, given);
        self.closure(role, halves.iter().map(|names| parameter(names)).collect(), &[], value)
    }

    fn scan_step(&mut self, id: FunctionId, held: &[VariableId], carries: usize) -> String {
        let f = &self.file.tree.functions[id];
        let (own, results) = (f.parameters.len() - held.len(), f.gives());
        let (c, x) = (self.inner_names("c", carries), self.inner_names("x", own - carries));
        let held: Vec<Piece> = held.iter().map(|&v| self.copy(v)).collect();
        let given = held.into_iter().chain(c.iter().chain(&x).map(text)).collect();
        let value = self.file.called(id, given);
        let parameters = vec![parameter(&c), parameter(&x)];
        let y = self.inner_names("y", results);
        let (next, ys) = y.split_at(carries);
        let pair = [next, ys].map(|n| group(n.iter().map(text).collect(), |n| list("", n)));
        let first = if results == 0 { expression(8, &value, ";") } else { binding(8, &self.names_pattern(&y), &value) };
        self.closure("step", parameters, &[first], tuple(pair.into()))
    }

    /// The types of a function's parameters and results, and which of them have derivatives.
    fn differentiable(&self, id: FunctionId) -> [Vec<bool>; 2] {
        let f = &self.file.tree.functions[id];
        let has = |v: &VariableId| f.variables[*v].ty.dtype.is_differentiable();
        [f.parameters.iter().map(has).collect(), f.results.iter().map(has).collect()]
    }

    fn jvp_rule(&mut self, id: FunctionId, rule: FunctionId) -> String {
        let [takes, gives] = self.differentiable(id);
        let (x, dx) = (self.inner_names("x", takes.len()), self.inner_names("dx", takes.len()));
        let tangents = dx.iter().zip(&takes).filter(|(_, has)| **has).map(|(n, _)| text(n));
        let value = self.file.called(rule, x.iter().map(text).chain(tangents).collect());
        let unused = |names: &[String]| -> Vec<String> {
            names.iter().zip(&takes).map(|(n, has)| if *has { n.clone() } else { format!("_{n}") }).collect()
        };
        let parameters = vec![arguments(&x), arguments(&unused(&dx))];
        let y = self.inner_names("y", gives.len() + gives.iter().filter(|has| **has).count());
        let (out, mut rest) = (y[..gives.len()].to_vec(), y[gives.len()..].iter());
        // A result without a derivative stands in the place of one.
        let derivatives = out.iter().zip(&gives).map(|(n, has)| match *has {
            true => text(rest.next().expect("one each")),
            false => text(format!("{n}.clone()")),
        });
        let derivatives = group(derivatives.collect(), |d| list("", d));
        let values = group(
            out.iter()
                .zip(&gives)
                .map(|(n, has)| text(if *has { n.clone() } else { format!("{n}.clone()") }))
                .collect(),
            |v| list("", v),
        );
        let first = binding(8, &self.names_pattern(&y), &value);
        self.closure("rule", parameters, &[first], tuple(vec![values, derivatives]))
    }

    fn vjp_rules(&mut self, id: FunctionId, forward: FunctionId, backward: FunctionId) -> [String; 2] {
        let [takes, gives] = self.differentiable(id);
        let kept = self.file.tree.functions[forward].results.len() - gives.len();
        let x = self.inner_names("x", takes.len());
        let y = self.inner_names("y", gives.len() + kept);
        let value = self.file.called(forward, x.iter().map(text).collect());
        let (out, residuals) = y.split_at(gives.len());
        let first = match y.is_empty() {
            true => expression(8, &value, ";"),
            false => binding(8, &self.names_pattern(&y), &value),
        };
        let residuals: Vec<Piece> = residuals.iter().map(text).collect();
        let pair = vec![group(out.iter().map(text).collect(), |n| list("", n)), group(residuals, |n| list("", n))];
        let forward = self.closure("forward", vec![arguments(&x)], &[first], tuple(pair));

        let (r, ct) = (self.inner_names("r", kept), self.inner_names("ct", gives.len()));
        let cotangents = ct.iter().zip(&gives).filter(|(_, has)| **has).map(|(n, _)| text(n));
        let value = self.file.called(backward, r.iter().map(text).chain(cotangents).collect());
        let unused: Vec<String> =
            ct.iter().zip(&gives).map(|(n, has)| if *has { n.clone() } else { format!("_{n}") }).collect();
        let own = self.inner_names("dx", takes.iter().filter(|has| **has).count());
        let (mut own_names, f) = (own.iter(), &self.file.tree.functions[id]);
        // What has no derivative needs something in its place, of the argument's own kind.
        let place = |(&v, has): (&VariableId, &bool)| match has {
            true => text(own_names.next().expect("one each")),
            false => literal::zeros(&f.variables[v].ty),
        };
        let all: Vec<Piece> = f.parameters.iter().zip(&takes).map(place).collect();
        let first = match own.is_empty() {
            true => expression(8, &value, ";"),
            false => binding(8, &self.names_pattern(&own), &value),
        };
        let all = if all.len() > MOST_ARGUMENTS { tuple(vec![list("", all)]) } else { tuple(all) };
        let backward = self.closure("backward", vec![parameter(&r), parameter(&unused)], &[first], all);
        [forward, backward]
    }

    /// Names of variables inside a closure: what is outside is not hidden by them.
    pub(super) fn inner_names(&mut self, letter: &str, n: usize) -> Vec<String> {
        let mut names = self.names.clone();
        (0..n).map(|i| names.fresh(&if n == 1 { letter.to_string() } else { format!("{letter}{i}") })).collect()
    }

    /// `let name = |parameters| { lines value };`, and the name.
    pub(super) fn closure(&mut self, role: &str, parameters: Vec<Piece>, lines: &[String], value: Piece) -> String {
        let name = self.names.fresh(role);
        // A pattern that is too long for its line stands in one of its own.
        let (mut heads, mut first) = (Vec::new(), String::new());
        for (i, p) in parameters.into_iter().enumerate() {
            match p {
                Piece::List { open, items, .. } if items.len() > 4 || open == "(" => {
                    let (all, ty) = (format!("all{i}"), group_type(items.len()));
                    let (parts, head) = match &*open {
                        // All arguments of a rule are a tuple, of one array of arrays where they are many.
                        "(" => (pattern("(", items.clone(), ")"), format!("{all}: ({})", arrays(items.len()))),
                        "([" => (pattern("[", items, "]"), format!("({all},): ({ty},)")),
                        _ => (pattern("[", items, "]"), format!("{all}: {ty}")),
                    };
                    first.push_str(&binding(8, &parts, &text(&all)));
                    heads.push(head);
                }
                p => heads.push(p.line()),
            }
        }
        let before = format!("    let {name} = |");
        let mut head = format!("|{}| ", heads.join(", "));
        let is_alone = lines.is_empty() && first.is_empty() && value.fits(WIDTH);
        let is_narrow = |h: &String| !h.ends_with(')') || h.len() < BROKEN_TYPE;
        let widest = if is_alone { WIDTH } else { BLOCK_HEAD };
        if before.len() + head.len() > widest || !heads.iter().all(is_narrow) {
            let line = format!("        {head}{{");
            let fits = |h: &String| before.len() + h.len() + "| {".len() <= WIDTH && is_narrow(h);
            // The parameters begin a line where the last of them would end far to the right, or all of several fit in it.
            let last = heads.last().map_or(0, String::len);
            let is_far = 2 * before.len() + last + "| {".len() > BLOCK_HEAD + 3;
            let has_line = match is_alone {
                true => line.len() <= WIDTH,
                false => is_far || heads.len() > 2 && line.len() <= BLOCK_HEAD,
            };
            if has_line && heads.iter().all(fits) {
                let line = match is_alone || line.len() <= BLOCK_HEAD {
                    true => line,
                    false => format!("        |{}| {{", heads.join(",\n         ")),
                };
                // With a block below it.
                let body = first + &lines.concat();
                let body: String = body.lines().map(|line| format!("    {line}\n")).collect();
                let value = expression(12, &value, "");
                self.out.push_str(&format!("    let {name} =\n{line}\n{body}{value}        }};\n"));
                return name;
            }
            let below = is_alone.then(|| one_below_the_other(&before, &heads, &value.line())).flatten();
            if let Some(text) = below {
                self.out.push_str(&text);
                return name;
            }
            // One below the other.
            let next = format!(",\n{}", " ".repeat(before.len()));
            let heads: Vec<String> = heads.into_iter().map(|h| if fits(&h) { h } else { broken_type(&h) }).collect();
            head = format!("|{}| ", heads.join(&next));
        }
        if lines.is_empty() && first.is_empty() && value.fits(WIDTH) && !head.contains('\n') {
            // Where it has a line to itself, it stands there.
            let bound = binding(4, &text(&name), &text(head.clone() + &value.line()));
            if bound.lines().all(|line| line.chars().count() <= WIDTH) {
                self.out.push_str(&bound);
                return name;
            }
        }
        self.out.push_str(&format!("    let {name} = {head}{{\n{first}"));
        lines.iter().for_each(|l| self.out.push_str(l));
        self.out.push_str(&expression(8, &value, ""));
        self.out.push_str("    };\n");
        name
    }
}

/// The widest line that a closure with a block begins with.
const BLOCK_HEAD: usize = 98;

/// From this length on a parameter that is a tuple, with its name, has each part of its type in a line.
const BROKEN_TYPE: usize = 67;

/// A closure of one call whose parameters are more than a line holds: one below the other, with the call beside the last of them, if there
/// is room.
fn one_below_the_other(before: &str, heads: &[String], call: &str) -> Option<String> {
    let let_name = before.trim_end_matches(" |");
    let last = heads.last()?;
    let column = |pad: usize| {
        let lines = heads.join(&format!(",\n{}", " ".repeat(pad)));
        // The formatter counts what stands before the parameters for the call, too.
        let fits = 2 * pad + last.len() + call.len() + "| ".len() <= WIDTH;
        fits.then(|| format!("|{lines}| {call};\n"))
    };
    let here = column(before.len()).map(|text| format!("{let_name} {text}"));
    here.or_else(|| column(9).map(|text| format!("{let_name}\n        {text}")))
}

/// The parameter of a rule: all arguments as a tuple.
fn arguments(names: &[String]) -> Piece {
    let n = names.len();
    if n > MOST_ARGUMENTS {
        let items = names.iter().map(text).collect();
        return pattern("([", items, &format!("],): ([Array; {n}],)"));
    }
    if n > 3 {
        return pattern("(", names.iter().map(text).collect(), &format!("): ({})", arrays(n)));
    }
    let comma = if n == 1 { "," } else { "" };
    text(format!("({}{comma}): ({}{comma})", names.join(", "), arrays(n)))
}

fn arrays(n: usize) -> String {
    vec!["Array"; n].join(", ")
}

/// A parameter with each part of its type in a line.
fn broken_type(head: &str) -> String {
    let (open, rest) = head.split_at(head.rfind('(').map_or(head.len(), |i| i + 1));
    let parts: String = rest.trim_end_matches(')').split(", ").map(|part| format!("\n        {part},")).collect();
    format!("{open}{parts}\n    )")
}
