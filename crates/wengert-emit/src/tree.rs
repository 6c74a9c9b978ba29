//! The call tree of a run: functions, and what each does in order.

use crate::data::repeated;
use crate::maker::Maker;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::{Op, Place, Program, Scalar, Tensor, Type};

/// The functions of a run.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    /// Each function after those it uses; the last one is the outermost.
    pub functions: Vec<Function>,
    /// Whether the outermost function ran step by step, and not as a program.
    pub is_eager: bool,
}

/// A function by its position in [`CallTree::functions`].
pub type FunctionId = usize;
/// A variable by its position in [`Function::variables`].
pub type VariableId = usize;

/// A function: what it takes, what it does, what it gives. All that it uses is among its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// The name that the user gave it, whatever that is; may be empty.
    pub name: String,
    /// Where the user wrote it, or called it.
    pub place: Place,
    /// The parameters and all that is defined inside.
    pub variables: Vec<Variable>,
    /// What it takes.
    pub parameters: Vec<VariableId>,
    /// What it does, in order.
    pub steps: Vec<Step>,
    /// What it gives.
    pub results: Vec<VariableId>,
    /// Of a function that ended in an error at its last step, how many arrays its callers expect of it; it gives none.
    pub fails: Option<usize>,
    /// Whether it is a tracked function of the user's, which has its name wherever it is used.
    pub is_tracked: bool,
}

/// The number that an array repeats, and is written as; of no elements, all arrays are alike.
fn only_number(t: &Tensor) -> Option<Scalar> {
    if t.size() == 0 { Some(Scalar::from_i64(t.dtype(), 0)) } else { t.splat_value().or_else(|| repeated(t)) }
}

/// A variable of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name that the user gave it, whatever that is.
    pub name: Option<Arc<str>>,
    /// The type; of a function, nothing is known by it.
    pub ty: Type,
    /// What it is, if it is no array but a function that a transform gave.
    pub function: Option<ReturnedFunction>,
}

impl Variable {
    /// An array of this type.
    pub(crate) fn array(name: Option<Arc<str>>, ty: Type) -> Variable {
        Variable { name, ty, function: None }
    }
}

/// A function that a transform gave besides arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnedFunction {
    /// Whether it pulls cotangents back, as that of `vjp` does, or pushes tangents forward, as that of `linearize`.
    pub pulls: bool,
    /// How many arrays the function takes that it is of.
    pub takes: usize,
    /// How many that gives.
    pub gives: usize,
}

/// One thing that a function does: `results = does(operands)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What is done.
    pub does: Does,
    /// What it is given.
    pub operands: Vec<VariableId>,
    /// What it gives.
    pub results: Vec<VariableId>,
    /// Where the user wrote it.
    pub place: Place,
}

impl Step {
    /// The operands that are held by the functions it uses, and are the same whenever these are called.
    pub(crate) fn held(&self) -> &[VariableId] {
        match &self.does {
            Does::Transform { held, .. } => &self.operands[self.operands.len() - held..],
            Does::Primitive(Op::Scan(o), _) => &self.operands[..o.consts],
            Does::Primitive(Op::While(o), _) => &self.operands[..o.consts],
            Does::Primitive(Op::LinearSolve(o), _) => &self.operands[..o.shared],
            Does::Primitive(Op::Root(o), _) => &self.operands[..o.shared],
            _ => &[],
        }
    }
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // Most are primitives.
pub enum Does {
    /// A primitive. The programs that the op holds are these functions, in the order of [`Op::programs`].
    Primitive(Op, Vec<FunctionId>),
    /// A function of the user's, called as it is.
    Call(FunctionId),
    /// A function that this transform gave, called: the first operand stands for it.
    Returned(Transform),
    /// A function of the library, which failed before it did anything.
    Own(OwnCall),
    /// An error or a panic with this message, which came from code that is not in the tree.
    Raise(String),
    /// Code of the user's: what it gave when it was recorded.
    Recorded(Arc<RecordedOp>),
    /// A call of a function that fails with this message; the run went on after it.
    Caught(FunctionId, String),
    /// A function made from another, called. The last operands, so many as `held`, are what the function takes after its
    /// arguments, and are the same for all that the transform does.
    Transform {
        /// What is made of the function.
        by: Transform,
        /// The function.
        function: FunctionId,
        /// How many of its last parameters are no arguments.
        held: usize,
    },
}

/// An op of the user's that is no program of others, by what it was seen to do.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedOp {
    /// Its name.
    pub name: String,
    /// What it gave, for what it was given.
    pub calls: Vec<RecordedCall>,
}

/// What an op of the user's gave once.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedCall {
    /// What it was given.
    pub given: Vec<Tensor>,
    /// What it gave.
    pub gave: Vec<Tensor>,
}

/// A call of one of our functions that are made of ops.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnCall {
    /// The function.
    pub function: &'static OwnFunction,
    /// What it takes after the arrays, as it stands in Rust.
    pub plain: Option<String>,
    /// The error that it ended in.
    pub message: String,
}

/// One of our functions that are made of ops.
#[derive(Debug, PartialEq)]
pub struct OwnFunction {
    /// Its name: of a method of arrays, if it takes fewer than three.
    pub name: &'static str,
    /// How many arrays it takes.
    pub arrays: usize,
    /// Its name in `jax.numpy`, if it takes arrays alone; else it takes axes, or a position.
    pub jax: Option<&'static str>,
}

const fn own(name: &'static str, arrays: usize, jax: Option<&'static str>) -> OwnFunction {
    OwnFunction { name, arrays, jax }
}

/// Those that can be written when they fail.
pub(crate) const OWN: &[OwnFunction] = &[
    own("add", 2, Some("add")),
    own("sub", 2, Some("subtract")),
    own("mul", 2, Some("multiply")),
    own("div", 2, Some("divide")),
    own("matmul", 2, Some("matmul")),
    own("dot", 2, Some("dot")),
    own("eq", 2, Some("equal")),
    own("ne", 2, Some("not_equal")),
    own("lt", 2, Some("less")),
    own("le", 2, Some("less_equal")),
    own("gt", 2, Some("greater")),
    own("ge", 2, Some("greater_equal")),
    own("where_", 3, Some("where")),
    own("sum", 1, None),
    own("prod", 1, None),
    own("max", 1, None),
    own("min", 1, None),
    own("all", 1, None),
    own("any", 1, None),
    own("mean", 1, None),
    own("var", 1, None),
    own("std", 1, None),
    own("logsumexp", 1, None),
    own("softmax", 1, None),
    own("log_softmax", 1, None),
    own("get", 1, None),
];

/// Whether a text is what axes or a position are written as, and nothing else: `-1`, `[0, 2]`, `..`, `keep(1)`.
pub(crate) fn is_axes(text: &str) -> bool {
    let text = text.strip_prefix("keep(").and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let is_number = |t: &str| t.parse::<i64>().is_ok_and(|n| n.to_string() == t);
    let list = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    text == ".." || is_number(text) || list.is_some_and(|t| t.split(", ").all(is_number))
}

impl OwnFunction {
    /// The operator that it is written as, if it is one.
    pub(crate) fn operator(&self) -> Option<&'static str> {
        match self.name {
            "add" => Some("+"),
            "sub" => Some("-"),
            "mul" => Some("*"),
            "div" => Some("/"),
            _ => None,
        }
    }
}

impl Does {
    /// The functions that it uses.
    pub fn functions(&self) -> Vec<FunctionId> {
        match self {
            Does::Primitive(_, inside) => inside.clone(),
            Does::Call(id) | Does::Caught(id, _) | Does::Transform { function: id, .. } => vec![*id],
            Does::Returned(_) | Does::Own(_) | Does::Raise(_) | Does::Recorded(_) => Vec::new(),
        }
    }

    fn map_functions(&mut self, place: impl Fn(FunctionId) -> FunctionId) {
        match self {
            Does::Primitive(_, inside) => inside.iter_mut().for_each(|id| *id = place(*id)),
            Does::Call(id) | Does::Caught(id, _) | Does::Transform { function: id, .. } => *id = place(*id),
            Does::Returned(_) | Does::Own(_) | Does::Raise(_) | Does::Recorded(_) => {}
        }
    }
}

impl Function {
    /// How many arrays it gives, as its callers see it.
    pub fn gives(&self) -> usize {
        self.fails.unwrap_or(self.results.len())
    }

    /// Whether another function has the same name, and does the same at the same places.
    pub(crate) fn does_same(&self, other: &Function) -> bool {
        let Function { name, place: _, variables, parameters, steps, results, fails, is_tracked: _ } = self;
        *name == other.name
            && (parameters, results, fails) == (&other.parameters, &other.results, &other.fails)
            && (variables, steps) == (&other.variables, &other.steps)
    }

    /// Whether these results are all that a call of it gave, in order. What a function gives may be what it was given, or the
    /// same twice.
    pub(crate) fn is_all_of(&self, call: &Step, results: &[VariableId]) -> bool {
        let same = |i: usize, r: VariableId| {
            let of_results = self.results.iter().zip(&call.results);
            let of_parameters = self.parameters.iter().zip(&call.operands);
            of_results.chain(of_parameters).any(|(own, v)| *own == self.results[i] && *v == r)
        };
        let count = call.results.len() == results.len() && self.results.len() == results.len();
        self.fails.is_some() || count && results.iter().enumerate().all(|(i, &r)| same(i, r))
    }

    /// The same function as one that is called with these: where two are the same, it uses the first alone, as a tracked function
    /// does that is given an array twice.
    pub(crate) fn with_same(mut self, given: &[VariableId]) -> Function {
        let first = |i: usize| given.iter().position(|v| *v == given[i]).filter(|&first| first < i);
        for i in 0..self.parameters.len().min(given.len()) {
            let Some(first) = first(i) else { continue };
            let (old, new) = (self.parameters[i], self.parameters[first]);
            let uses = self.steps.iter_mut().map(|s| &mut s.operands).chain([&mut self.results]);
            uses.flatten().filter(|v| **v == old).for_each(|v| *v = new);
        }
        self
    }

    /// Gives what a loop carries, after so many parameters, the names `c.0`, `c.1` … where it has none of the user's: a loop that is
    /// recorded names it by its place in what the user gave, one that a transform made not at all.
    pub(crate) fn name_carried(&mut self, consts: usize) {
        let carried = self.parameters.get(consts..).unwrap_or(&[]);
        for (i, &v) in carried.iter().enumerate() {
            let name = &mut self.variables[v].name;
            if name.as_deref().is_none_or(|n| n == "c" || n.starts_with("c.")) {
                *name = Some(if carried.len() == 1 { "c".into() } else { format!("c.{i}").into() });
            }
        }
    }

    /// The same function with one number for each value that is repeated over a shape: a program that is traced again has one for
    /// each use.
    fn with_numbers_once(mut self) -> Function {
        let mut first: FxHashMap<(Type, Scalar), VariableId> = FxHashMap::default();
        let mut same: FxHashMap<VariableId, VariableId> = FxHashMap::default();
        self.steps.retain(|step| match (&step.does, &step.results[..]) {
            (Does::Primitive(Op::Constant(c), _), &[v]) => match only_number(&c.value) {
                Some(s) => {
                    let of = *first.entry((c.value.ty(), s)).or_insert(v);
                    same.insert(v, of);
                    of == v
                }
                None => true,
            },
            _ => true,
        });
        let uses = self.steps.iter_mut().map(|s| &mut s.operands).chain([&mut self.results]);
        uses.flatten().for_each(|v| *v = same.get(v).copied().unwrap_or(*v));
        self
    }

    /// The same function with constants right before their first use, and its variables numbered as they are defined, the
    /// parameters first.
    pub fn numbered(self) -> Function {
        let mut this = self.with_numbers_once();
        let mut waiting = FxHashMap::default();
        let mut steps = Vec::with_capacity(this.steps.len());
        for step in std::mem::take(&mut this.steps) {
            match (&step.does, &step.results[..]) {
                (Does::Primitive(Op::Constant(_), _), &[v]) => drop(waiting.insert(v, step)),
                _ => {
                    steps.extend(step.operands.iter().filter_map(|v| waiting.remove(v)));
                    steps.push(step);
                }
            }
        }
        steps.extend(this.results.iter().filter_map(|v| waiting.remove(v)));
        this.steps = steps;
        let order = this.parameters.iter().chain(this.steps.iter().flat_map(|s| &s.results)).copied();
        let mut number = vec![usize::MAX; this.variables.len()];
        let mut variables = Vec::with_capacity(this.variables.len());
        for old in order {
            if number[old] == usize::MAX {
                number[old] = variables.len();
                variables.push(this.variables[old].clone());
            }
        }
        let map = |v: &mut VariableId| *v = number[*v];
        let Function { name, place, mut parameters, mut steps, mut results, fails, is_tracked, .. } = this;
        parameters.iter_mut().for_each(map);
        results.iter_mut().for_each(map);
        for s in &mut steps {
            s.operands.iter_mut().for_each(map);
            s.results.iter_mut().for_each(map);
        }
        Function { name, place, variables, parameters, steps, results, fails, is_tracked }
    }
}

/// What makes a function of a function.
#[derive(Clone, Debug, PartialEq)]
pub enum Transform {
    /// Staged: compiled as a whole.
    Jit,
    /// The gradient in the first `wrt` arguments; with `value`, what the function gives comes first.
    Grad {
        /// How many.
        wrt: usize,
        /// Whether the value is given too.
        value: bool,
    },
    /// Pushes tangents forward: operands are the arguments, then a tangent of each; results are those of the function, then
    /// a tangent of each.
    Jvp,
    /// The product of the Hessian of a function with a vector: operands are the arguments, then a part of the vector for each; so are
    /// the results.
    Hvp,
    /// Gives the results of the function, then a function that pulls cotangents back: the last result stands for that.
    Vjp,
    /// Gives the results of the function, then its linear part: the last result stands for that.
    Linearize,
    /// All derivatives of each result in the first `wrt` arguments: results are those for the first result, then for the next.
    Jacobian {
        /// Which, and how they are computed.
        by: Derivatives,
        /// How many.
        wrt: usize,
        /// Whether the function is one of complex numbers, and differentiated as such.
        holomorphic: bool,
    },
    /// Runs it for each example of a batch.
    Vmap {
        /// For each argument its axis that is the batch, or none if all examples share it.
        in_axes: Vec<Option<usize>>,
        /// The axis of the results that is the batch.
        out_axis: i64,
        /// The same for each result, or none if it does not depend on the example; empty where `out_axis` goes for all.
        out_axes: Vec<Option<usize>>,
        /// The size of the batch, where no argument tells it.
        size: Option<usize>,
        /// The name of the axis that the batch is, by which ops inside know it.
        name: Option<Arc<str>>,
    },
}

/// The derivatives that make up a Jacobian or a Hessian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivatives {
    /// The first, by forward mode.
    Forward,
    /// The first, by reverse mode.
    Reverse,
    /// The second: for each of the arguments, those in each of the arguments.
    Second,
}

impl Derivatives {
    /// The function that gives them, in Rust and in JAX.
    pub fn name(self) -> &'static str {
        match self {
            Derivatives::Forward => "jacfwd",
            Derivatives::Reverse => "jacrev",
            Derivatives::Second => "hessian",
        }
    }

    /// Of which order they are.
    pub fn order(self) -> u32 {
        if self == Derivatives::Second { 2 } else { 1 }
    }

    /// Derivatives that come one after the other, put together: `arguments` makes one of those in each argument (twice, for
    /// second derivatives), and `results` one of what belongs to each result.
    pub(crate) fn nested<T>(
        self,
        wrt: usize,
        flat: Vec<T>,
        arguments: &dyn Fn(Vec<T>) -> T,
        results: &dyn Fn(Vec<T>) -> T,
    ) -> T {
        let grouped = |items: Vec<T>| {
            let mut items = items.into_iter().peekable();
            let mut groups = Vec::new();
            while items.peek().is_some() {
                groups.push(arguments(items.by_ref().take(wrt).collect()));
            }
            groups
        };
        results((0..self.order()).fold(flat, |items, _| grouped(items)))
    }
}

impl CallTree {
    /// The tree of a program: the programs that its ops hold are functions.
    pub fn of_program(program: &Program) -> CallTree {
        let mut made = Maker::default();
        made.function(program);
        made.tree
    }

    /// The tree of a program after which comes an error, of code that is in no tree.
    pub fn of_failure(program: &Program, message: &str, place: Place) -> CallTree {
        let mut tree = CallTree::of_program(program);
        let main = tree.functions.last_mut().expect("a tree has a function");
        let does = Does::Raise(message.into());
        main.steps.push(Step { does, operands: Vec::new(), results: Vec::new(), place });
        main.results.clear();
        main.fails = Some(1);
        tree
    }

    /// Whether nothing is known of a run that failed but its error.
    pub fn is_error_alone(&self) -> bool {
        matches!(&self.main().steps[..], [Step { does: Does::Raise(_), .. }])
    }

    /// What a result of a step is: of a call that gave back what it was given, that.
    pub(crate) fn same_as_given(&self, step: &Step, result: VariableId) -> VariableId {
        let Does::Call(id) = &step.does else { return result };
        let f = &self.functions[*id];
        let own = step.results.iter().position(|v| *v == result).and_then(|i| f.results.get(i));
        let given = own.and_then(|own| f.parameters.iter().position(|p| p == own));
        given.map_or(result, |i| step.operands[i])
    }

    /// The step that a function failed at, and the function inside of it that failed.
    pub(crate) fn failed_step(&self, id: FunctionId) -> Option<(&Step, Option<FunctionId>)> {
        let step = self.functions[id].fails.and(self.functions[id].steps.last())?;
        Some((step, step.does.functions().into_iter().find(|&id| self.functions[id].fails.is_some())))
    }

    /// Makes a function the outermost one; what nothing uses then is dropped. The others come in the order in which they are
    /// used first, however they were found.
    pub fn bring_last(&mut self, id: FunctionId) {
        let mut seen = vec![false; self.functions.len()];
        let (mut kept, mut todo) = (Vec::new(), vec![(id, false)]);
        while let Some((i, uses_are_kept)) = todo.pop() {
            if uses_are_kept {
                kept.push(i);
            } else if !std::mem::replace(&mut seen[i], true) {
                todo.push((i, true));
                let uses: Vec<FunctionId> = self.functions[i].steps.iter().flat_map(|s| s.does.functions()).collect();
                todo.extend(uses.into_iter().rev().map(|used| (used, false)));
            }
        }
        let mut place = vec![usize::MAX; self.functions.len()];
        kept.iter().enumerate().for_each(|(new, &old)| place[old] = new);
        let functions = kept.iter().map(|&i| {
            let mut f = self.functions[i].clone();
            f.steps.iter_mut().for_each(|s| s.does.map_functions(|old| place[old]));
            f
        });
        self.functions = functions.collect();
    }

    /// The outermost function.
    pub fn main(&self) -> &Function {
        self.functions.last().expect("a tree has a function")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_axes_are_axes() {
        let right = ["7", "-1", "..", "[0, 2]", "[-1]", "keep(1)", "keep([0, -2])", "keep(..)"];
        let wrong =
            ["", "7)", "[0", "0); std::process::exit(1", "1 + 1", "keep(keep(1))", "[0,2]", "07", "[]", "x", "+1"];
        assert!(right.iter().all(|t| is_axes(t)));
        wrong.iter().for_each(|t| assert!(!is_axes(t), "{t}"));
    }

    #[test]
    fn e2_what_a_function_gives_back_is_what_it_was_given() {
        let ty = Type::scalar(wengert_core::DType::F32);
        let gives = |results: Vec<VariableId>| Function {
            name: "f".into(),
            place: Place::unknown(),
            variables: vec![Variable::array(None, ty.clone()); 3],
            parameters: vec![0, 1],
            steps: Vec::new(),
            results,
            fails: None,
            is_tracked: true,
        };
        let tree = CallTree { functions: vec![gives(vec![2, 1])], is_eager: true };
        let step = Step { does: Does::Call(0), operands: vec![5, 6], results: vec![7, 8], place: Place::unknown() };
        assert_eq!([7, 8].map(|v| tree.same_as_given(&step, v)), [7, 6]);
    }
}
