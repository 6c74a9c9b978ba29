//! Transforms of functions, as the user calls them.

use super::body::Body;
use super::control::of_nothing;
use super::layout::{Chain, Piece, binding, call, list, pattern, text, tuple};
use super::{MOST_ARGUMENTS, called, group, parameter};
use crate::tree::{Derivatives, FunctionId, Step, Transform, VariableId};

impl Body<'_, '_> {
    pub(super) fn transform(&mut self, by: &Transform, id: FunctionId, held: usize, step: &Step) {
        let own = step.operands.len() - held;
        match by {
            Transform::Jit => {
                let f = self.callable(id, &step.operands[own..], &one_by_one(own), false);
                let given = self.given(&step.operands[..own]);
                self.bind(&step.results, called(&format!("jit({f})"), given));
            }
            Transform::Grad { wrt, value } => self.gradient(*wrt, *value, id, held, step),
            Transform::Jvp => {
                let own = own / 2;
                let f = self.callable(id, &step.operands[2 * own..], &one_by_one(own), false);
                let given = self.given(&step.operands[..2 * own]);
                let both = [&given[..own], &given[own..]].map(|x| arguments(x.to_vec()));
                let given = [text(f)].into_iter().chain(both).collect();
                let (values, tangents) = step.results.split_at(step.results.len() / 2);
                let both = [values, tangents].map(|r| self.names_pattern(&self.names(r)));
                self.out.push_str(&binding(4, &pattern("(", both.into(), ")"), &call("jvp", given)));
            }
            Transform::Hvp => {
                let own = own / 2;
                let f = self.callable(id, &step.operands[2 * own..], &[own], false);
                let both = grouped(self.given(&step.operands[..2 * own]), &[own, own]);
                self.bind(&step.results, call("hvp", [text(f)].into_iter().chain(both).collect()));
            }
            Transform::Vjp | Transform::Linearize => {
                let how = if *by == Transform::Vjp { "vjp" } else { "linearize" };
                let f = self.callable(id, &step.operands[own..], &one_by_one(own), false);
                let given = vec![text(f), arguments(self.given(&step.operands[..own]))];
                let (function, values) = step.results.split_last().expect("a function is given");
                let both = vec![self.names_pattern(&self.names(values)), text(&self.names(&[*function])[0])];
                self.out.push_str(&binding(4, &pattern("(", both, ")"), &call(how, given)));
            }
            Transform::Jacobian { by, wrt, holomorphic } => {
                let (every, sizes) = chosen(*wrt, own);
                let f = self.callable(id, &step.operands[own..], &sizes, false);
                let head = self.short(jacobian(*by, &f, every, *holomorphic), HEAD);
                let value = call(&head, grouped(self.given(&step.operands[..own]), &sizes));
                if step.results.is_empty() {
                    return self.bind(&step.results, value);
                }
                let names = self.names(&step.results).into_iter().map(text).collect();
                let array = |names: Vec<Piece>| group(names, |n| pattern("[", n, "]"));
                let argument = |n: Vec<Piece>| if every { pattern("(", n, ")") } else { array(n) };
                let target = by.nested(*wrt, names, &argument, &array);
                self.out.push_str(&binding(4, &target, &value));
            }
            Transform::Vmap { in_axes, out_axis, out_axes, size, name } => {
                // More arguments than can be named are taken together where their batch lies along the same axis.
                let sizes = if own > MOST_ARGUMENTS { runs(in_axes) } else { ones(own) };
                let f = self.callable(id, &step.operands[own..], &sizes, false);
                // What is mapped borrows what it holds for as long as it has a name.
                self.keep(&step.operands[own..]);
                let made = vmapped(&f, in_axes, &sizes, (*out_axis, out_axes), *size, name.as_deref());
                let name = self.names.fresh("batched");
                self.out.push_str(&made.binding(4, &name));
                let given = grouped(self.given(&step.operands[..own]), &sizes);
                self.bind(&step.results, call(&name, given));
            }
        }
    }

    /// A call of a function that a transform gave.
    pub(super) fn returned(&mut self, by: &Transform, step: &Step) {
        let (function, given) = step.operands.split_first().expect("the function");
        let function = &self.names(&[*function])[0];
        let given = self.given(given);
        match by {
            Transform::Vjp => {
                let cotangent = group(given, |x| list("", x));
                let names: Vec<Piece> = self.names(&step.results).into_iter().map(text).collect();
                let target = match names.len() {
                    1..=MOST_ARGUMENTS => pattern("(", names, ")"),
                    _ => pattern("(", vec![group(names, |n| pattern("[", n, "]"))], ")"),
                };
                self.out.push_str(&binding(4, &target, &call(&format!("{function}.pull"), vec![cotangent])));
            }
            _ => self.bind(&step.results, call(&format!("{function}.apply"), vec![arguments(given)])),
        }
    }

    fn gradient(&mut self, wrt: usize, value: bool, id: FunctionId, held: usize, step: &Step) {
        let own = step.operands.len() - held;
        let results = self.file.tree.functions[id].gives();
        let (every, sizes) = chosen(wrt, own);
        let f = self.callable(id, &step.operands[own..], &sizes, results > 1);
        let by = if value { "value_and_grad" } else { "grad" };
        let head = format!("{by}({f}){}", if every { ".wrt(All)" } else { "" });
        let value_of = call(&head, grouped(self.given(&step.operands[..own]), &sizes));
        let (values, slopes) = step.results.split_at(if value { results } else { 0 });
        let slopes: Vec<Piece> = self.names(slopes).into_iter().map(text).collect();
        let slopes = match every {
            true => pattern("(", slopes, ")"),
            false => group(slopes, |s| pattern("[", s, "]")),
        };
        let pattern_of = match values {
            [] => slopes,
            [v] => pattern("(", vec![text(&self.names(&[*v])[0]), slopes], ")"),
            [v, aux @ ..] => {
                let both = vec![text(&self.names(&[*v])[0]), self.names_pattern(&self.names(aux))];
                pattern("(", vec![pattern("(", both, ")"), slopes], ")")
            }
        };
        self.out.push_str(&binding(4, &pattern_of, &value_of));
    }

    /// A function as a transform takes it: itself, or a closure that takes its arguments in groups of these sizes, holds what
    /// else it takes, and gives a loss apart from the rest.
    fn callable(&mut self, id: FunctionId, held: &[VariableId], sizes: &[usize], loss: bool) -> String {
        let own: usize = sizes.iter().sum();
        let natural = sizes.iter().all(|n| *n == 1) || sizes.len() == 1 && own > MOST_ARGUMENTS;
        let fits = own <= MOST_ARGUMENTS || sizes.len() == 1;
        if held.is_empty() && natural && fits && !loss {
            return self.expression(id);
        }
        if held.is_empty() && own == 0 && !loss {
            return of_nothing(&self.file.names[id]);
        }
        let names = self.inner_names("x", own);
        let mut rest = &names[..];
        let mut parameters = Vec::new();
        for &n in sizes {
            let (these, after) = rest.split_at(n);
            parameters.push(parameter(these));
            rest = after;
        }
        let held: Vec<Piece> = held.iter().map(|&v| self.copy(v)).collect();
        let value = self.file.called(id, names.iter().map(text).chain(held).collect());
        if !loss {
            return self.closure("function", parameters, &[], value);
        }
        let results = self.file.tree.functions[id].gives();
        let y = self.inner_names("y", results);
        let first = binding(8, &self.names_pattern(&y), &value);
        let aux = group(y[1..].iter().map(text).collect(), |n| list("", n));
        self.closure("function", parameters, &[first], tuple(vec![text(&y[0]), aux]))
    }
}

/// What a function is made by stands where it is used if it is no longer than this.
const ARGUMENT: usize = 50;
/// The same where it is called.
const HEAD: usize = 60;

impl Body<'_, '_> {
    /// A function as a value: its name, or the transforms that it is made by, if it is no more than that.
    fn expression(&mut self, id: FunctionId) -> String {
        let Some((by, function)) = self.file.tree.made_by(id) else { return self.file.names[id].clone() };
        let by = by.clone();
        let g = self.expression(function);
        let plain = |by: &str| Chain { root: format!("{by}({g})"), calls: Vec::new() };
        let made = match by {
            Transform::Jit => plain("jit"),
            Transform::Jacobian { by, holomorphic, .. } => jacobian(by, &g, false, holomorphic),
            Transform::Grad { .. } => plain("grad"),
            Transform::Vmap { in_axes, out_axis, out_axes, size, name } => {
                let own = self.file.tree.functions[id].parameters.len();
                vmapped(&g, &in_axes, &ones(own), (out_axis, &out_axes), size, name.as_deref())
            }
            Transform::Jvp | Transform::Hvp | Transform::Vjp | Transform::Linearize => {
                unreachable!("these give more than a function")
            }
        };
        self.short(made, ARGUMENT)
    }

    /// What makes a function, in one line; under a name if it is longer than this.
    fn short(&mut self, made: Chain, most: usize) -> String {
        let line = made.line();
        if line.chars().count() <= most {
            return line;
        }
        let name = self.names.fresh("function");
        self.out.push_str(&made.binding(4, &name));
        name
    }
}

/// `jacfwd(f)` and what is said of it.
fn jacobian(by: Derivatives, f: &str, every: bool, holomorphic: bool) -> Chain {
    let wrt = every.then(|| call(".wrt", vec![text("All")]));
    let calls = wrt.into_iter().chain(holomorphic.then(|| call(".holomorphic", Vec::new()))).collect();
    Chain { root: format!("{}({f})", by.name()), calls }
}

/// Of a derivative in the first `wrt` of `own` arguments, whether it is in all of several that are taken one by one, and else
/// the sizes of the groups in which they are taken: what the derivative is in is the first.
fn chosen(wrt: usize, own: usize) -> (bool, Vec<usize>) {
    let all = wrt == own && own <= MOST_ARGUMENTS;
    let sizes = match (all || wrt == 1, own - wrt) {
        (true, _) if own <= MOST_ARGUMENTS => ones(own),
        (_, 0) => vec![wrt],
        (_, rest) if rest < MOST_ARGUMENTS => [wrt].into_iter().chain(ones(rest)).collect(),
        (_, rest) => vec![wrt, rest],
    };
    (all && own > 1, sizes)
}

/// `vmap(f)` and what is said of it.
fn vmapped(
    f: &str,
    in_axes: &[Option<usize>],
    sizes: &[usize],
    (out_axis, out_axes): (i64, &[Option<usize>]),
    size: Option<usize>,
    name: Option<&str>,
) -> Chain {
    let shown = |axis: Option<usize>| axis.map_or("None".into(), |a| format!("Some({a})"));
    let mut calls = Vec::new();
    if in_axes.iter().any(|a| *a != Some(0)) {
        let mut first = 0;
        let axes = sizes.iter().map(|n| {
            first += n;
            text(shown(in_axes[first - n]))
        });
        calls.push(call(".in_axes", vec![list("", axes.collect())]));
    }
    let others = out_axes.iter().enumerate().filter(|(_, a)| **a != Some(0));
    let path = |i: usize| if out_axes.len() == 1 { String::new() } else { i.to_string() };
    let others: Vec<Piece> = others.map(|(i, a)| text(format!("({:?}, {})", path(i), shown(*a)))).collect();
    if !others.is_empty() {
        calls.push(call(".out_axes_at", vec![list("", others)]));
    }
    if out_axis != 0 && out_axes.is_empty() {
        calls.push(call(".out_axis", vec![text(out_axis.to_string())]));
    }
    calls.extend(name.map(|name| call(".axis_name", vec![text(format!("{name:?}"))])));
    calls.extend(size.map(|n| call(".axis_size", vec![text(n.to_string())])));
    Chain { root: format!("vmap({f})"), calls }
}

/// Arguments one by one, or all in a list where a function takes no more.
fn one_by_one(n: usize) -> Vec<usize> {
    if n > MOST_ARGUMENTS { vec![n] } else { ones(n) }
}

/// Arguments one by one; none are one argument that holds nothing.
fn ones(n: usize) -> Vec<usize> {
    if n == 0 { vec![0] } else { vec![1; n] }
}

/// The lengths of runs of equals.
fn runs(axes: &[Option<usize>]) -> Vec<usize> {
    axes.chunk_by(|a, b| a == b).map(<[_]>::len).collect()
}

/// Arguments in groups of these sizes.
fn grouped(given: Vec<Piece>, sizes: &[usize]) -> Vec<Piece> {
    let mut given = given.into_iter();
    sizes.iter().map(|&n| group(given.by_ref().take(n).collect(), |x| list("", x))).collect()
}

/// All arguments as a tuple.
fn arguments(x: Vec<Piece>) -> Piece {
    match x.len() {
        1..=MOST_ARGUMENTS => tuple(x),
        _ => tuple(vec![group(x, |x| list("", x))]),
    }
}
