//! The inside of calls that run as a whole: a program's equations as nodes, once without values or each time with them.

use super::at::At;
use super::scope::{Frame, Opened, leave, with};
use super::shared::Shared;
use super::writer::{Made, Settings, What};
use crate::context::Enter;
use crate::meta::{Meta, MetaValue};
use crate::row::{Keep, Kept, Kind, NONE, Ref};
use crate::tape::Tape;
use smallvec::SmallVec;
use std::sync::Arc;
use wengert_core::run::{Block, Device, Observer, Run, Step, Value, Visit};
use wengert_core::{Equation, Op, Place, Program, Result, Tensor, Type, Var};

/// Loops and calls nested deeper than this are shown without what is inside.
const DEEPEST: usize = 64;

/// A variable without a node.
const UNKNOWN: Ref = Ref { at: NONE, out: NONE };

/// The inside of an op that holds programs, as a tape: their equations as nodes without values.
pub(super) fn of_op(op: &Op, types: &[Type]) -> Tape {
    let place = Place::unknown();
    let shared = Shared::new(Settings::default(), op.name(), &place);
    let mut frames = vec![Frame::new(0)];
    let mut at = At::root(&shared, &mut frames);
    match op {
        Op::Call(c) => abstract_children(&mut at, &c.program, 0),
        Op::Custom(c) => {
            if let Some(Ok(p)) = c.program(types) {
                abstract_children(&mut at, &p, 0);
            }
        }
        op => abstract_parts(&mut at, op, &place, 0),
    }
    drop(at);
    shared.close().unwrap_or_default().tape
}

fn variable(at: &mut At<'_>, program: &Program, v: Var, id: u32) {
    if let Some(name) = program.var_name(v) {
        at.writer.row_mut(id).name = at.writer.name(name);
    }
}

/// The inputs of a program as arguments of the open call.
fn arguments(at: &mut At<'_>, program: &Program, given: &[Ref], values: &[Value], env: &mut [Ref]) {
    let label = at.writer.label("argument", None);
    for (i, &v) in program.inputs().iter().enumerate() {
        let place = Place::unknown();
        let refs: SmallVec<[Ref; 1]> = given.get(i).copied().into_iter().collect();
        let made = Made { types: &[program.ty(v).clone()], value: &|_| values.get(i).and_then(on_host) };
        if let Some(id) = at.push(&What::new(Kind::Argument, label, &place), &refs, made) {
            variable(at, program, v, id);
            env[v.index()] = Ref { at: id, out: 0 };
        }
    }
}

/// A value that somebody wants to keep; one that can't be had is not kept.
fn on_host(v: &Value) -> Option<Tensor> {
    v.host().ok().cloned()
}

/// What an op that holds programs calls them.
fn part(op: &Op, i: usize) -> String {
    match op {
        Op::While(_) => ["condition", "body"][i.min(1)].to_string(),
        Op::Cond(_) => format!("branch {i}"),
        _ => "body".to_string(),
    }
}

/// Where variables come from. Those whose node the context left out are known by their type alone.
fn operands(at: &mut At<'_>, program: &Program, vars: &[Var], env: &[Ref]) -> SmallVec<[Ref; 4]> {
    let place = |&v: &Var| match env[v.index()] {
        UNKNOWN => at.writer.note(&program.ty(v).to_string()),
        r => r,
    };
    vars.iter().map(place).collect()
}

fn abstract_children(at: &mut At<'_>, program: &Program, depth: usize) {
    let mut env = vec![UNKNOWN; program.var_count()];
    arguments(at, program, &[], &[], &mut env);
    for e in program.equations() {
        let refs = operands(at, program, &e.inputs, &env);
        if let Some(r) = literal(at, &e.op) {
            env[e.outputs[0].index()] = r;
            continue;
        }
        let Some(id) = equation(at, program, e, &refs, &[], &mut env) else { continue };
        if depth < DEEPEST {
            at.frames.push(Frame::new(id));
            abstract_parts(at, &e.op, &e.place, depth);
            at.frames.pop();
        }
    }
    returns(at, program, &env);
}

/// The programs an op holds, each as a call.
fn abstract_parts(at: &mut At<'_>, op: &Op, place: &Place, depth: usize) {
    for (i, p) in op.programs().iter().enumerate() {
        let label = at.writer.label(&part(op, i), None);
        let Some(id) = at.push(&What::new(Kind::Call, label, place), &[], Made::NOTHING) else { continue };
        at.frames.push(Frame::new(id));
        abstract_children(at, p, depth + 1);
        at.frames.pop();
    }
}

/// One number that stands in a program: it stands in the nodes that use it.
fn literal(at: &mut At<'_>, op: &Op) -> Option<Ref> {
    let Op::Constant(c) = op else { return None };
    Some(at.writer.number(c.value.splat_value()?, c.value.ty()))
}

fn equation(
    at: &mut At<'_>,
    program: &Program,
    e: &Equation,
    refs: &[Ref],
    values: &[Option<&Value>],
    env: &mut [Ref],
) -> Option<u32> {
    let (kind, label) = match (&e.op, e.op.programs().is_empty()) {
        (Op::Constant(_), _) => (Kind::Constant, at.writer.label("constant", None)),
        (op, true) => (Kind::Primitive, at.writer.op(op)),
        (op, false) => (Kind::Call, at.writer.structured(op.name(), op)),
    };
    let types: SmallVec<[Type; 2]> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
    let made = Made { types: &types, value: &|i| values.get(i).copied().flatten().and_then(on_host) };
    let id = at.push(&What::new(kind, label, &e.place), refs, made)?;
    if let [v] = e.outputs[..] {
        variable(at, program, v, id);
    }
    for (out, v) in e.outputs.iter().enumerate() {
        env[v.index()] = Ref { at: id, out: out as u32 };
    }
    Some(id)
}

fn returns(at: &mut At<'_>, program: &Program, env: &[Ref]) {
    let label = at.writer.label("return", None);
    let place = Place::unknown();
    let refs = operands(at, program, program.outputs(), env);
    let id = at.push(&What::new(Kind::Return, label, &place), &refs, Made::NOTHING);
    let call = at.frame().node;
    at.writer.row_mut(call).extra = id.unwrap_or(NONE);
    gives(at, call, program);
}

/// What a program gives are the results of the call that runs it.
fn gives(at: &mut At<'_>, call: u32, program: &Program) {
    let kept: Vec<Kept> = (program.outputs().iter())
        .map(|&v| Kept { ty: at.writer.ty(program.ty(v)), kept: Keep::Nothing.pack() })
        .collect();
    if at.writer.tape.row(call).results_len == 0 {
        at.writer.set_results(call, &kept);
    }
}

/// Records a program as it runs, each equation with its values, inside the call that is open on this thread.
pub struct Watch {
    running: Vec<Running>,
    /// The ops whose programs run, if they are recorded.
    ops: Vec<Option<(Opened, Option<u32>)>>,
    /// Whether the programs are those of the op of the open call, and not its own.
    of_op: bool,
    given: Vec<Ref>,
}

/// A program that runs.
#[derive(Default)]
struct Running {
    /// The node of each of its variables, if it is recorded.
    env: Option<Vec<Ref>>,
    /// The call that it is, unless it is that of a call which was open before.
    call: Option<(Opened, Option<u32>)>,
}

impl Watch {
    /// Watches a program that the open call runs, given its arguments.
    pub fn new() -> Watch {
        let given = with(|at| {
            let call = at.frame().node;
            at.writer.tape.refs_of(call).to_vec()
        });
        Watch { running: Vec::new(), ops: Vec::new(), of_op: false, given: given.unwrap_or_default() }
    }

    /// Watches the programs that the op of the open call holds.
    pub fn of_op() -> Watch {
        Watch { running: Vec::new(), ops: Vec::new(), of_op: true, given: Vec::new() }
    }
}

impl Default for Watch {
    fn default() -> Self {
        Watch::new()
    }
}

impl Observer for Watch {
    fn enter(&mut self, program: &Arc<Program>, visit: Visit, inputs: &[Value]) {
        let of_op = self.of_op || !self.running.is_empty();
        let given = std::mem::take(&mut self.given);
        let running = with(|at| {
            let mut call = None;
            if of_op {
                let name = match visit {
                    Visit::Whole => "body".to_string(),
                    Visit::Step(i) => format!("step {i}"),
                    Visit::Condition(i) => format!("condition {i}"),
                    Visit::Branch(i) => format!("branch {i}"),
                };
                let label = at.writer.label(&name, None);
                let (opened, node, enter) = at.open(&What::new(Kind::Call, label, &Place::unknown()), &[]);
                call = Some((opened, node));
                if enter != Enter::Everything {
                    return Running { env: None, call };
                }
            }
            let mut env = vec![UNKNOWN; program.var_count()];
            arguments(at, program, &given, inputs, &mut env);
            Running { env: Some(env), call }
        });
        self.running.push(running.unwrap_or_default());
    }

    fn begin(&mut self, program: &Arc<Program>, number: usize) {
        let e = &program.equations()[number];
        let env = self.running.last_mut().and_then(|r| r.env.as_mut());
        let op = env.and_then(|env| {
            with(|at| {
                let refs = operands(at, program, &e.inputs, env);
                let id = equation(at, program, e, &refs, &[], env);
                let label = at.writer.structured(e.op.name(), &e.op);
                (at.go_inside(id, &What::new(Kind::Call, label, &e.place), None).0, id)
            })
        });
        self.ops.push(op);
    }

    fn end(&mut self, program: &Arc<Program>, equation: usize, outputs: &[Value]) {
        let e = &program.equations()[equation];
        let Some(Some((opened, id))) = self.ops.pop() else { return };
        leave(opened, |at, _| {
            let Some(id) = id else { return };
            let kept: Vec<Kept> = (e.outputs.iter().zip(outputs))
                .map(|(&v, t)| at.writer.result(program.ty(v), || on_host(t), id))
                .collect();
            at.writer.set_results(id, &kept);
        });
    }

    fn ran(&mut self, block: Block<'_>) {
        let Some(env) = self.running.last_mut().and_then(|r| r.env.as_mut()) else { return };
        let program = block.program;
        with(|at| {
            // Equations that ran as one say so, by the first node of their block.
            let mut first = None;
            for &i in block.equations {
                let e = &program.equations()[i];
                if let Some(r) = literal(at, &e.op) {
                    env[e.outputs[0].index()] = r;
                    continue;
                }
                let refs = operands(at, program, &e.inputs, env);
                let value = |v: &Var| block.outputs.iter().find(|(o, _)| o == v).map(|(_, x)| x);
                let values: SmallVec<[Option<&Value>; 2]> = e.outputs.iter().map(value).collect();
                let id = equation(at, program, e, &refs, &values, env);
                if let Some(id) = id.filter(|_| block.equations.len() > 1) {
                    let first = *first.get_or_insert(id);
                    at.writer.set_meta(id, "block", i64::from(first).to_value());
                }
            }
        });
    }

    fn leave(&mut self, program: &Arc<Program>) {
        let Some(Running { env, call }) = self.running.pop() else { return };
        if let Some(env) = env {
            with(|at| returns(at, program, &env));
        }
        if let Some((opened, node)) = call {
            leave(opened, |at, frame| node.filter(|_| frame.silent).into_iter().for_each(|n| gives(at, n, program)));
        }
    }
}

/// What is written on a node, under its key.
pub type Note = (&'static str, MetaValue);

/// Counts the steps of a loop, or sees which branch is taken.
#[derive(Default)]
pub struct Taken {
    /// Whether a program was seen to run.
    entered: bool,
    steps: i64,
    branch: i64,
    depth: usize,
}

impl Taken {
    /// Runs an op, and gives what is worth writing on its node.
    pub fn run(device: &dyn Device, op: &Op, x: Vec<Tensor>) -> Result<(Vec<Tensor>, Option<Note>)> {
        let run = Run::new(x.into_iter().map(Value::Host).collect());
        let on_host = |y: Vec<Value>| y.into_iter().map(Value::into_host).collect::<Result<Vec<Tensor>>>();
        if !matches!(op, Op::Cond(_)) && op.rules().as_loop().is_none() {
            return Ok((on_host(device.run_op(op, run)?)?, None));
        }
        let mut taken = Taken::default();
        let y = on_host(device.run_op(op, run.watched(&mut taken))?)?;
        Ok((y, taken.note(op)))
    }

    /// What is worth writing on the node of an op that was watched; nothing, where it ran unseen.
    pub fn note(&self, op: &Op) -> Option<Note> {
        let note = match op {
            Op::Cond(_) => ("branch", self.branch),
            op if op.rules().as_loop().is_some() => ("iterations", self.steps),
            _ => return None,
        };
        self.entered.then(|| (note.0, note.1.to_value()))
    }
}

impl Observer for Taken {
    fn enter(&mut self, _: &Arc<Program>, visit: Visit, _: &[Value]) {
        self.entered = true;
        if self.depth == 0 {
            match visit {
                Visit::Step(_) => self.steps += 1,
                Visit::Branch(i) => self.branch = i as i64,
                Visit::Whole | Visit::Condition(_) => {}
            }
        }
        self.depth += 1;
    }
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, _: &Arc<Program>, _: usize, _: &[Value]) {}
    fn ran(&mut self, _: Block<'_>) {}
    fn leave(&mut self, _: &Arc<Program>) {
        self.depth -= 1;
    }
}

/// What the kernels of an op ran inside.
#[derive(Default)]
pub struct Steps(pub Vec<Step>);

impl Observer for Steps {
    fn enter(&mut self, _: &Arc<Program>, _: Visit, _: &[Value]) {}
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, _: &Arc<Program>, _: usize, _: &[Value]) {}
    fn ran(&mut self, block: Block<'_>) {
        self.0.extend_from_slice(block.steps);
    }
    fn leave(&mut self, _: &Arc<Program>) {}
}
