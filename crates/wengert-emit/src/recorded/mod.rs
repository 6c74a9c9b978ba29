//! The call tree of a recorded run: tracked functions, the calls of transforms, and the functions these were given.

use crate::Outcome;
use crate::maker::Maker;
use crate::tree::{CallTree, Does, Function, FunctionId, Step, Transform, Variable, VariableId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;
use wengert_core::ops::CallKind;
use wengert_core::{Error, ErrorKind, Op, Place, Program, Result, Tensor, Type};
use wengert_tape::api::{API, PLACE};
use wengert_tape::{Argument, Constant, Kind, Node, NodeId, ResultId, Tape};

pub(crate) use kernels::Kernels;

mod control;
mod failed;
mod kernels;
mod returned;
mod transforms;
mod values;

/// A run as its call tree, with the values that it began with and ended with.
#[derive(Debug)]
pub struct RecordedTree {
    /// The functions.
    pub tree: CallTree,
    /// The arguments of the outermost function.
    pub inputs: Vec<Tensor>,
    /// How it ended: with an error, or with results, where these were kept.
    pub outcome: Option<Outcome>,
    /// Where on the tape its results are; empty if one of them stands in the tape as a number.
    pub results: Vec<ResultId>,
}

/// The error that a recorded run ended in.
#[derive(Clone, Debug)]
pub struct RecordedError {
    /// What it said.
    pub message: String,
    /// Where in the user's source it happened.
    pub place: Place,
}

impl RecordedError {
    /// The error that a run ended in, if it did.
    ///
    /// ```
    /// use wengert::{Array, Recorder};
    /// use wengert_emit::RecordedError;
    /// let (x, y) = (Array::from([1.0f32, 2.0]), Array::from([1.0f32, 2.0, 3.0]));
    /// let (failed, tape) = Recorder::new().try_record(|| &x + &y);
    /// assert!(failed.is_err());
    /// assert!(RecordedError::of_tape(&tape).unwrap().message.contains("do not broadcast together"));
    /// ```
    pub fn of_tape(tape: &Tape) -> Option<RecordedError> {
        failed::error(tape.root())
    }
}

impl CallTree {
    /// The tree of a recorded run.
    ///
    /// # Errors
    /// If a value that stands in it was not kept, or was made where nothing was recorded.
    pub fn of_tape(tape: &Tape) -> Result<RecordedTree> {
        let written_out = WrittenOut::default();
        let givers = returned::givers(tape);
        let kernels = Kernels::of_tape(tape)?;
        loop {
            let before = written_out.borrow().len();
            let tree = CallTree::with_written_out(tape, &written_out, &givers, kernels.clone());
            // What is found to be one only after a call of it was written is known the next time.
            if written_out.borrow().len() == before {
                return tree;
            }
        }
    }

    fn with_written_out(
        tape: &Tape,
        written_out: &WrittenOut,
        givers: &Givers,
        kernels: Kernels,
    ) -> Result<RecordedTree> {
        let mut made = Maker::default();
        (made.written_out, made.givers) = (written_out.clone(), givers.clone());
        made.tree.is_eager = true;
        made.kernels = kernels;
        let mut scope = Scope::new(&made, tape.root(), true);
        if let Some(message) = failed::message(tape.root()) {
            let (id, inputs) = scope.failed_root(&mut made, &message)?;
            made.bring_last(id);
            if made.tree.check_kernels().is_err() {
                // As what failed, not as what it gave before.
                return CallTree::with_written_out(tape, written_out, givers, Kernels::default());
            }
            return Ok(RecordedTree {
                tree: made.tree,
                inputs,
                outcome: Some(Outcome::Error(message)),
                results: Vec::new(),
            });
        }
        scope.children(&mut made, tape.root(), None)?;
        let results: Vec<Value> = match tape.root().children().find(|n| n.kind() == Kind::Return) {
            Some(n) => n.arguments().filter_map(|a| scope.array(a)).collect(),
            None => scope.unused(&made.tree),
        };
        let of_results = results.iter().map(|v| scope.value_of(v)).collect::<Result<Option<Vec<Tensor>>>>()?;
        let places = results.iter().map(Value::place).collect::<Option<Vec<ResultId>>>().unwrap_or_default();
        let results = results.into_iter().map(|v| scope.variable(v)).collect::<Result<Vec<_>>>()?;
        let inputs = std::mem::take(&mut scope.inputs);
        let id = match made.only_call(&scope.steps, &scope.parameters, &results) {
            Some(id) => id,
            None => made.intern(scope.finish("run", Place::unknown(), results, None)),
        };
        made.bring_last(id);
        made.tree.check_kernels()?;
        Ok(RecordedTree { tree: made.tree, inputs, outcome: of_results.map(Outcome::Results), results: places })
    }
}

/// Calls that can't be written as such: they give functions, or change what they were given.
type WrittenOut = Rc<RefCell<FxHashSet<NodeId>>>;

/// The calls that give a function, by its number.
type Givers = Rc<FxHashMap<i64, Vec<NodeId>>>;

/// Where a value comes from: a result of a node, or a number that stands in one; or the function that a node gave.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Value {
    Result(NodeId, usize),
    Number(Constant),
    Function(NodeId),
}

impl Value {
    /// Where it is on the tape, if it is the result of a node.
    fn place(&self) -> Option<ResultId> {
        match *self {
            Value::Result(node, out) => Some(ResultId { node, out }),
            _ => None,
        }
    }
}

/// A function being put together.
struct Scope<'t> {
    /// The call that it is the inside of.
    call: Node<'t>,
    is_root: bool,
    variables: Vec<Variable>,
    known: FxHashMap<Value, VariableId>,
    parameters: Vec<VariableId>,
    /// What it uses of the functions around it, beyond its arguments: arrays, then functions. These are its last parameters.
    held: Vec<Value>,
    /// Of the outermost function, the values of its parameters.
    inputs: Vec<Tensor>,
    steps: Vec<Step>,
    /// Arguments and results of calls that are written out here, by what they are.
    same: FxHashMap<Value, Value>,
    written_out: WrittenOut,
    givers: Givers,
}

impl<'t> Scope<'t> {
    fn new(made: &Maker, call: Node<'t>, is_root: bool) -> Scope<'t> {
        Scope {
            call,
            is_root,
            variables: Vec::new(),
            known: FxHashMap::default(),
            parameters: Vec::new(),
            held: Vec::new(),
            inputs: Vec::new(),
            steps: Vec::new(),
            same: FxHashMap::default(),
            written_out: made.written_out.clone(),
            givers: made.givers.clone(),
        }
    }

    fn define(&mut self, value: Value, ty: Type, name: Option<&str>) -> VariableId {
        let id = self.variables.len();
        self.variables.push(Variable::array(name.map(Arc::from), ty));
        self.known.insert(value, id);
        id
    }

    /// All that ran inside a call, in the order it ran, before this node.
    fn children(&mut self, made: &mut Maker, call: Node<'t>, before: Option<NodeId>) -> Result<()> {
        let own = made.kernels.end_in(call);
        let children = call.children().filter(|n| own.is_none_or(|end| n.id() > end));
        for n in children.take_while(|n| before != Some(n.id())) {
            match n.kind() {
                // What the function did with a number of the host is written out.
                Kind::Argument if n.host_type().is_some() => {}
                Kind::Argument if self.is_parameter(call, n) => {
                    if let Some(ty) = n.ty(0).cloned() {
                        let id = self.define(Value::Result(n.id(), 0), ty, n.name());
                        self.parameters.push(id);
                        // A tracked function that is given an array twice has the first where it is recorded again.
                        let same = |p: &Node<'t>| p.kind() == Kind::Argument && p.arguments().eq(n.arguments());
                        if let Some(first) = n.preceding().find(same).filter(|_| call.module().is_some()) {
                            self.same.insert(Value::Result(n.id(), 0), Value::Result(first.id(), 0));
                        }
                    }
                }
                Kind::Argument => {
                    if let Some(from) = n.arguments().next().and_then(|a| self.array(a)) {
                        self.same.insert(Value::Result(n.id(), 0), from);
                    }
                }
                // What the host computed is a number where an array is made of it.
                Kind::Primitive if is_of_host(n) || is_made_of_number(n) => {}
                Kind::Primitive if n.op().is_some() || n.user_op().is_some() => self.primitive(made, n)?,
                Kind::Call if n.unwound() => self.caught(made, n)?,
                Kind::Call => self.call(made, n)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an argument inside a call is one of the function; those of blocks, and what a traced function has of the recording
    /// around it, are something else.
    fn is_parameter(&self, call: Node<'t>, n: Node<'t>) -> bool {
        let own = call.id() == self.call.id() && !self.is_root && n.block().is_none_or(|b| b <= 1);
        let given = |a: Argument<'t>| !call.is_abstract() && call.arguments().any(|b| a == b);
        own && n.arguments().next().is_none_or(given)
    }

    fn primitive(&mut self, made: &mut Maker, n: Node<'t>) -> Result<()> {
        if let Some(does) = self.kernel(made, n)? {
            return self.step(n, does, self.arrays(n));
        }
        let Some(op) = n.op().cloned() else { return Ok(()) };
        if self.control(made, n, &op)? {
            return Ok(());
        }
        let inside = made.programs(&op);
        self.step(n, Does::Primitive(op, inside), self.arrays(n))
    }

    /// Adds a step whose results are those of a node.
    fn step(&mut self, n: Node<'t>, does: Does, operands: Vec<Value>) -> Result<()> {
        let operands = self.all(operands)?;
        self.step_of(n, does, operands)
    }

    /// Adds a call of a tracked function. The numbers of the host that it gave come after its arrays, and are no results of the
    /// call's node.
    fn tracked(&mut self, made: &Maker, n: Node<'t>, id: FunctionId, operands: Vec<VariableId>) -> Result<()> {
        let f = &made.tree.functions[id];
        let mut results = self.results_of(n);
        for &number in f.results.iter().skip(results.len()) {
            results.push(self.variables.len());
            self.variables.push(Variable::array(None, f.variables[number].ty.clone()));
        }
        self.push_step(n, Does::Call(id), operands, results);
        Ok(())
    }

    fn step_of(&mut self, n: Node<'t>, does: Does, operands: Vec<VariableId>) -> Result<()> {
        let results = self.results_of(n);
        self.push_step(n, does, operands, results);
        Ok(())
    }

    /// The variables of the arrays that a node gave.
    fn results_of(&mut self, n: Node<'t>) -> Vec<VariableId> {
        let results = (0..n.result_count()).filter(|&i| n.ty(i).is_some());
        let results = results.map(|i| self.define(Value::Result(n.id(), i), n.ty(i).expect("an array").clone(), None));
        results.collect()
    }

    fn push_step(&mut self, n: Node<'t>, does: Does, operands: Vec<VariableId>, results: Vec<VariableId>) {
        self.name(n, &results);
        self.steps.push(Step { does, operands, results, place: n.place() });
    }

    /// Gives the results of a node the name that it has, or, where that is of a pattern, the names in it.
    fn name(&mut self, n: Node<'t>, results: &[VariableId]) {
        let Some(name) = n.name() else { return };
        let names: Vec<&str> = match results {
            [_] => vec![name],
            _ => name.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|s| !s.is_empty()).collect(),
        };
        if names.len() == results.len() {
            results.iter().zip(names).for_each(|(&v, name)| self.variables[v].name = Some(name.into()));
        }
    }

    fn call(&mut self, made: &mut Maker, n: Node<'t>) -> Result<()> {
        if let Some(does) = self.kernel(made, n)? {
            return self.step(n, does, self.arrays(n));
        }
        let given = self.given(n);
        if let Some(does) = self.not_recorded_inside(n)? {
            return self.step(n, does, given);
        }
        let api = n.meta(API);
        let staged = match n.op() {
            Some(Op::Call(c)) if c.kind == CallKind::Staged => Some(Some(&c.program)),
            // A saved tape has no op that holds one of the user's.
            None if api.as_deref() == Some("jit") && n.is_abstract() => Some(None),
            _ => None,
        };
        if let Some(program) = staged {
            if let (None, Some(program)) = (&api, program) {
                return self.program(made, n, program, given);
            }
            if n.has_children()
                && let Ok(staged) = Inside::of(made, n, n.function())
                // What a function gave that was not recorded inside is known by the program alone.
                && staged.held.iter().all(|v| !self.is_made_in(v, n))
                // What it captures comes after its arguments; a recording once had that as constants inside.
                && (given.len() == staged.arguments || !staged.held.is_empty())
            {
                let Inside { function, arguments, held } = staged;
                let does = Does::Transform { by: Transform::Jit, function, held: held.len() };
                return self.step(n, does, given.into_iter().take(arguments).chain(held).collect());
            }
        }
        if let Some(Op::Custom(op)) = n.op()
            && op.printed_text().is_some()
        {
            return self.primitive(made, n);
        }
        // An op of the user's that is a program of others; a tape that was saved knows no more of it.
        let is_custom = n.op().is_none_or(|op| matches!(op, Op::Custom(_))) && n.module().is_none();
        if is_custom && n.is_abstract() && n.has_children() && n.result_count() > 0 {
            let inside = Inside::at(made, n, n.function(), Place::unknown())?;
            let operands = self.all(given.into_iter().chain(inside.held))?;
            let f = made.tree.functions[inside.function].clone();
            let function = made.intern(f.with_same(&operands));
            return self.step_of(n, Does::Call(function), operands);
        }
        // What ran inside of an op of ours that holds programs are kernels of the user's.
        let ran_kernel = |n: Node<'t>| n.has_children() && n.children().any(|c| c.kind() != Kind::Call);
        let is_whole = |op: &Op| n.is_abstract() || !matches!(op, Op::Custom(_)) || !ran_kernel(n);
        if n.op().is_some_and(is_whole) {
            return self.primitive(made, n);
        }
        if let Some(api) = n.meta(API)
            && self.transform(made, n, &api, &given)?
        {
            return Ok(());
        }
        if n.is_abstract() && n.op().is_none() {
            // A function that was traced: it ran as a part of something else.
            return Ok(());
        }
        let is_written_out = self.written_out.borrow().contains(&n.id());
        if n.module().is_some() && n.op().is_none() && n.has_children() && !is_written_out {
            let inside = Inside::of(made, n, n.function())?;
            let operands = self.all(given.into_iter().chain(inside.held))?;
            return self.tracked(made, n, inside.function, operands);
        }
        if self.ruled(made, n, &given)? {
            return Ok(());
        }
        // Our own functions, and transforms that have no form of their own, are what they did.
        match n.meta(API).as_deref() {
            // What the function did is in the op.
            Some("custom_jvp" | "custom_vjp" | "checkpoint") => {
                for c in n.children().filter(|c| c.op().is_some()) {
                    self.known_inside(made, n, c)?;
                    self.call(made, c)?;
                }
            }
            _ => self.children(made, n, None)?,
        }
        let Some(end) = n.children().find(|c| c.kind() == Kind::Return) else { return Ok(()) };
        for (i, a) in end.arguments().enumerate() {
            if let Some(v) = self.array(a) {
                self.same.insert(Value::Result(n.id(), i), v);
            }
        }
        Ok(())
    }

    /// Whether a value was made inside of a call, or of that which has its inside.
    fn is_made_in(&self, v: &Value, call: Node<'t>) -> bool {
        let owner = call.shares().unwrap_or(call);
        let made = match v {
            Value::Result(id, _) | Value::Function(id) => self.call.tape().get(*id),
            Value::Number(_) => None,
        };
        made.is_some_and(|n| n.ancestors().any(|a| a.id() == owner.id()))
    }

    /// What was computed of known arrays alone inside of a call, while a function of it was traced, and an op of the call is given: it
    /// comes before the op.
    fn known_inside(&mut self, made: &mut Maker, call: Node<'t>, n: Node<'t>) -> Result<()> {
        self.arrays(n).into_iter().try_for_each(|v| self.known_of(made, call, v, false))
    }

    /// The same of what the functions of a call hold.
    fn known_held(&mut self, made: &mut Maker, call: Node<'t>, held: &[Value]) -> Result<()> {
        held.iter().try_for_each(|v| self.known_of(made, call, v.clone(), true))
    }

    /// The same of one value; `here` where what the call itself did is not written otherwise.
    fn known_of(&mut self, made: &mut Maker, call: Node<'t>, v: Value, here: bool) -> Result<()> {
        let Value::Result(id, _) = self.source(v.clone()) else { return Ok(()) };
        let mut from = self.call.tape().node(id);
        // The argument of one of our own functions is what it was given.
        while from.kind() == Kind::Argument && from.ancestors().any(|a| a.id() == call.id()) {
            let Some(given) = from.arguments().next().and_then(|a| self.array(a)) else { break };
            self.same.insert(Value::Result(from.id(), 0), given.clone());
            let Value::Result(id, _) = self.source(given) else { break };
            from = self.call.tape().node(id);
        }
        let is_made = matches!(from.kind(), Kind::Primitive | Kind::Call) && (here || from.parent() != Some(call));
        if !is_made || self.known.contains_key(&self.source(v)) || !from.ancestors().any(|a| a.id() == call.id()) {
            return Ok(());
        }
        self.arrays(from).into_iter().try_for_each(|v| self.known_of(made, call, v, here))?;
        match from.kind() {
            Kind::Call => self.call(made, from),
            _ => self.primitive(made, from),
        }
    }

    /// What a program did that ran as a whole, step by step.
    fn program(&mut self, made: &mut Maker, n: Node<'t>, p: &Program, given: Vec<Value>) -> Result<()> {
        let given = given.into_iter().map(|v| self.variable(v)).collect::<Result<Vec<_>>>()?;
        let mut variables: Vec<Option<VariableId>> = vec![None; p.var_count()];
        for (v, id) in p.inputs().iter().zip(given) {
            variables[v.index()] = Some(id);
        }
        for e in p.equations() {
            let operands = e.inputs.iter().map(|v| variables[v.index()].expect("defined before it is used")).collect();
            let does = made.does(p, e);
            let mut results = Vec::new();
            for v in &e.outputs {
                let id = self.variables.len();
                self.variables.push(Variable::array(p.var_name(*v).map(Arc::from), p.ty(*v).clone()));
                variables[v.index()] = Some(id);
                results.push(id);
            }
            self.steps.push(Step { does, operands, results, place: e.place.clone() });
        }
        for (i, v) in p.outputs().iter().enumerate() {
            self.known.insert(Value::Result(n.id(), i), variables[v.index()].expect("defined"));
        }
        Ok(())
    }

    /// What nothing uses, of a recording that was not ended with a result. Where a call takes a part of what an op inside of it gave, the rest
    /// is the call's own. A function that gives back what it was given makes no array: that is what the run ended with.
    fn unused(&self, tree: &CallTree) -> Vec<Value> {
        let is_inside = |value: &Value| match value {
            Value::Result(id, _) => {
                let calls = self.call.tape().node(*id).ancestors().filter(|a| a.id() != self.call.id());
                calls.into_iter().any(|a| a.result_count() > 0)
            }
            _ => false,
        };
        let used: Vec<VariableId> = self.steps.iter().flat_map(|s| s.operands.iter().copied()).collect();
        let last = self.steps.iter().filter(|s| !matches!(s.does, Does::Primitive(Op::Constant(_), _)));
        let of = |v: VariableId| self.known.iter().find(|(_, k)| **k == v).map(|(value, _)| value.clone());
        let results = last.flat_map(|s| {
            let is_partly_used = s.results.iter().any(|v| used.contains(v));
            let unused = s.results.iter().copied().filter(|v| !used.contains(v));
            let unused = unused.filter(|v| !is_partly_used || !of(*v).is_some_and(|value| is_inside(&value)));
            unused.filter_map(|v| of(tree.same_as_given(s, v))).collect::<Vec<_>>()
        });
        results.collect()
    }

    fn finish(self, name: &str, place: Place, results: Vec<VariableId>, fails: Option<usize>) -> Function {
        let mut parameters = self.parameters;
        parameters.extend(self.held.iter().map(|v| self.known[v]));
        Function {
            name: last_segment(name).into(),
            place,
            variables: self.variables,
            parameters,
            steps: kernels::without_uncalled(self.steps, &results),
            results,
            fails,
            is_tracked: self.call.module().is_some(),
        }
        .numbered()
    }
}

/// The inside of a call as a function.
struct Inside {
    function: FunctionId,
    /// How many arguments it has.
    arguments: usize,
    /// What it uses besides.
    held: Vec<Value>,
}

impl Inside {
    fn of(made: &mut Maker, n: Node<'_>, name: &str) -> Result<Inside> {
        Inside::at(made, n, name, place_of(n))
    }

    /// The same, of a function that was written at this place.
    fn at(made: &mut Maker, n: Node<'_>, name: &str, place: Place) -> Result<Inside> {
        let owner = n.shares().unwrap_or(n);
        let mut scope = Scope::new(made, owner, false);
        scope.children(made, owner, None)?;
        let end = owner.children().find(|c| c.kind() == Kind::Return);
        let end = end.ok_or_else(|| missing(&format!("what `{name}` gave"), n.place()))?;
        let results: Vec<Value> = end.arguments().filter_map(|a| scope.array(a)).collect();
        let results = results.into_iter().map(|v| scope.variable(v)).collect::<Result<Vec<_>>>()?;
        let (arguments, held) = (scope.parameters.len(), scope.held.clone());
        // A function that only calls another, with what it was given, is that one.
        let all: Vec<VariableId> =
            scope.parameters.iter().copied().chain(held.iter().map(|v| scope.known[v])).collect();
        if let Some(function) = made.only_call(&scope.steps, &all, &results) {
            return Ok(Inside { function, arguments, held });
        }
        let function = made.intern(scope.finish(name, place, results, None));
        Ok(Inside { function, arguments, held })
    }
}

/// Where the function of a call came from, if it says so, else where it was called.
fn place_of(n: Node<'_>) -> Place {
    let Some(said) = n.meta(PLACE) else { return n.place() };
    let mut parts = said.rsplitn(3, ':');
    let (column, line, file) = (parts.next(), parts.next(), parts.next());
    let number = |s: Option<&str>| s.and_then(|s| s.parse().ok());
    match (file, number(line), number(column)) {
        (Some(file), Some(line), Some(column)) => Place::named(file, line, column),
        _ => Place::unknown(),
    }
}

/// The last part of a path: `loss` of `model::loss`, `closure` of `main::{{closure}}`.
fn last_segment(path: &str) -> &str {
    let path = path.split('<').next().unwrap_or(path);
    let last = path.rsplit("::").next().unwrap_or(path);
    last.rsplit(' ').next().unwrap_or(last)
}

/// Whether a node is the end of a function.
fn is_return(n: Node<'_>) -> bool {
    n.kind() == Kind::Return
}

/// Whether a node is arithmetic of the host.
fn is_of_host(n: Node<'_>) -> bool {
    n.kind() == Kind::Primitive && n.result_count() > 0 && n.number(0).is_some()
}

/// Whether a node is an array that the host made of a number which it computed.
fn is_made_of_number(n: Node<'_>) -> bool {
    let of_number = || matches!(n.arguments().next(), Some(Argument::Constant(Constant::Linked(..))));
    matches!(n.op(), Some(Op::Convert(_))) && of_number()
}

fn missing(what: &str, place: Place) -> Error {
    Error::new(
        ErrorKind::Run,
        format!("{what} is used, and its value was not kept, or was made where nothing was recorded"),
    )
    .at(place)
    .note("record with `Capture::Values`")
}
