//! Programs as children of the calls that run them: one node an equation, once without values or at each run with them.

use super::cursor::Cursor;
use super::scope::{Frame, FrameId, leave, with_cursor};
use super::shared::SharedWriter;
use super::writer::{FixedLabel, NodeHeader, NodeResults, Settings};
use crate::context::Enter;
use crate::meta::{Meta, MetaValue};
use crate::row::{KeptValue, Kind, NONE, Ref, ResultRow};
use crate::tape::Tape;
use smallvec::SmallVec;
use std::sync::Arc;
use wengert_core::ops::without;
use wengert_core::run::{Block, Device, Observer, Run, Step, Value, Visit};
use wengert_core::{Equation, Op, Place, Program, Result, Tensor, Type, Var};

/// Loops and calls nested deeper than this have no children.
const DEEPEST: usize = 64;

/// A variable without a node.
const UNKNOWN: Ref = Ref { at: NONE, out: NONE };

/// The programs that an op holds, as a tape: one node without values for each equation.
pub(super) fn tape_of_op(op: &Op, types: &[Type]) -> Tape {
    let place = Place::unknown();
    let shared = SharedWriter::new(Settings { constants: true, ..Settings::default() }, op.name(), &place);
    let mut frames = vec![Frame::new(0)];
    let mut cursor = Cursor::root(&shared, &mut frames);
    match op {
        Op::Call(c) => abstract_children(&mut cursor, &c.program, 0),
        Op::Custom(c) => match c.program(types) {
            // Who has not this op has not those in it either.
            Some(Ok(p)) => abstract_children(&mut cursor, &without(&p, &|op| !op.is_readable()), 0),
            _ => abstract_parts(&mut cursor, op, &place, 0),
        },
        op => abstract_parts(&mut cursor, op, &place, 0),
    }
    drop(cursor);
    shared.close().unwrap_or_default().tape
}

/// Gives a node the name of a variable.
fn name_variable(cursor: &mut Cursor<'_>, program: &Program, v: Var, id: u32) {
    if let Some(name) = program.var_name(v) {
        cursor.writer.row_mut(id).name = cursor.writer.name(name);
    }
}

/// The inputs of a program as arguments of the open call.
fn arguments(cursor: &mut Cursor<'_>, program: &Program, given: &[Ref], values: &[Value], env: &mut [Ref]) {
    let label = cursor.writer.fixed_label(FixedLabel::Argument);
    for (i, &v) in program.inputs().iter().enumerate() {
        let place = Place::unknown();
        let refs: SmallVec<[Ref; 1]> = given.get(i).copied().into_iter().collect();
        let results = NodeResults { types: &[program.ty(v).clone()], value: &|_| values.get(i).and_then(on_host) };
        if let Some(id) = cursor.push(&NodeHeader::new(Kind::Argument, label, &place), &refs, results) {
            name_variable(cursor, program, v, id);
            env[v.index()] = Ref { at: id, out: 0 };
        }
    }
}

/// A value that is to be kept; none if it can't be copied from its device.
fn on_host(v: &Value) -> Option<Tensor> {
    v.host().ok().cloned()
}

/// The name of a program that an op holds.
fn part_name(op: &Op, i: usize) -> String {
    match op {
        Op::While(_) => ["condition", "body"][i.min(1)].to_string(),
        Op::Cond(_) => format!("branch {i}"),
        Op::LinearSolve(_) => ["solve", "matvec", "transpose_solve"][i.min(2)].to_string(),
        Op::Root(_) => ["solve", "f", "tangent_solve"][i.min(2)].to_string(),
        Op::Custom(_) if op.programs().len() > 1 => format!("program {i}"),
        _ => "body".to_string(),
    }
}

/// The nodes of variables. A variable whose node the context left out is its type, as text.
fn operands(cursor: &mut Cursor<'_>, program: &Program, vars: &[Var], env: &[Ref]) -> SmallVec<[Ref; 4]> {
    let place = |&v: &Var| match env[v.index()] {
        UNKNOWN => cursor.writer.text_operand(&program.ty(v).to_string()),
        r => r,
    };
    vars.iter().map(place).collect()
}

fn abstract_children(cursor: &mut Cursor<'_>, program: &Program, depth: usize) {
    let mut env = vec![UNKNOWN; program.var_count()];
    arguments(cursor, program, &[], &[], &mut env);
    for e in program.equations() {
        let refs = operands(cursor, program, &e.inputs, &env);
        if let Some(r) = literal(cursor, &e.op) {
            env[e.outputs[0].index()] = r;
            continue;
        }
        let value = match &e.op {
            Op::Constant(c) => Some(Value::Host(c.value.clone())),
            _ => None,
        };
        let Some(id) = equation(cursor, program, e, &refs, &[value.as_ref()], &mut env) else { continue };
        if depth < DEEPEST {
            cursor.frames.push(Frame::new(id));
            abstract_parts(cursor, &e.op, &e.place, depth);
            cursor.frames.pop();
        }
    }
    returns(cursor, program, &env);
}

/// The programs an op holds, each as a call.
fn abstract_parts(cursor: &mut Cursor<'_>, op: &Op, place: &Place, depth: usize) {
    for (i, p) in op.programs().iter().enumerate() {
        let label = cursor.writer.label(&part_name(op, i), None);
        let Some(id) = cursor.push(&NodeHeader::new(Kind::Call, label, place), &[], NodeResults::NONE) else {
            continue;
        };
        cursor.frames.push(Frame::new(id));
        abstract_children(cursor, p, depth + 1);
        cursor.frames.pop();
    }
}

/// A splat that stands in a program: it stands in the nodes that use it.
fn literal(cursor: &mut Cursor<'_>, op: &Op) -> Option<Ref> {
    let Op::Constant(c) = op else { return None };
    Some(cursor.writer.splat_operand(c.value.splat_value()?, c.value.ty()))
}

fn equation(
    cursor: &mut Cursor<'_>,
    program: &Program,
    e: &Equation,
    refs: &[Ref],
    values: &[Option<&Value>],
    env: &mut [Ref],
) -> Option<u32> {
    let (kind, label) = match (&e.op, e.op.programs().is_empty()) {
        (Op::Constant(_), _) => (Kind::Constant, cursor.writer.label("constant", None)),
        (op, true) => (Kind::Primitive, cursor.writer.op(op)),
        (op, false) => (Kind::Call, cursor.writer.structured(op.name(), op)),
    };
    let types: SmallVec<[Type; 2]> = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
    let results = NodeResults { types: &types, value: &|i| values.get(i).copied().flatten().and_then(on_host) };
    let id = cursor.push(&NodeHeader::new(kind, label, &e.place), refs, results)?;
    if let [v] = e.outputs[..] {
        name_variable(cursor, program, v, id);
    }
    for (out, v) in e.outputs.iter().enumerate() {
        env[v.index()] = Ref { at: id, out: out as u32 };
    }
    Some(id)
}

fn returns(cursor: &mut Cursor<'_>, program: &Program, env: &[Ref]) {
    let label = cursor.writer.fixed_label(FixedLabel::Return);
    let place = Place::unknown();
    let refs = operands(cursor, program, program.outputs(), env);
    let id = cursor.push(&NodeHeader::new(Kind::Return, label, &place), &refs, NodeResults::NONE);
    let call = cursor.frame().node;
    cursor.writer.row_mut(call).extra = id.unwrap_or(NONE);
    set_results(cursor, call, program);
}

/// Gives a call the results of the program that it runs, without values.
fn set_results(cursor: &mut Cursor<'_>, call: u32, program: &Program) {
    let kept: Vec<ResultRow> = (program.outputs().iter())
        .map(|&v| ResultRow { ty: cursor.writer.ty(program.ty(v)), kept: KeptValue::Nothing.pack() })
        .collect();
    if cursor.writer.tape.row(call).results_len == 0 {
        cursor.writer.set_results(call, &kept);
    }
}

/// Records a program as it runs: each equation is a child of the open call of this thread, with its values.
pub struct ProgramRecorder {
    running: Vec<RunningProgram>,
    /// The frame and the node of each op whose programs run, if it is recorded.
    ops: Vec<Option<(FrameId, Option<u32>)>>,
    /// Whether the outermost programs are parts of the open call's op, with calls of their own: steps of a loop, branches.
    of_op: bool,
    /// The operands of the open call.
    given: Vec<Ref>,
}

/// A program that runs.
#[derive(Default)]
struct RunningProgram {
    /// The node of each variable, if the program is recorded.
    env: Option<Vec<Ref>>,
    /// The frame and the node of the program's own call, if it has one.
    call: Option<(FrameId, Option<u32>)>,
}

impl ProgramRecorder {
    /// Records the program that the open call runs on its operands.
    pub fn new() -> ProgramRecorder {
        let given = with_cursor(|cursor| {
            let call = cursor.frame().node;
            cursor.writer.tape.refs_of(call).to_vec()
        });
        ProgramRecorder { running: Vec::new(), ops: Vec::new(), of_op: false, given: given.unwrap_or_default() }
    }

    /// Records the programs that the op of the open call holds.
    pub fn of_op() -> ProgramRecorder {
        ProgramRecorder { running: Vec::new(), ops: Vec::new(), of_op: true, given: Vec::new() }
    }
}

impl Default for ProgramRecorder {
    fn default() -> Self {
        ProgramRecorder::new()
    }
}

impl Observer for ProgramRecorder {
    fn enter(&mut self, program: &Arc<Program>, visit: Visit, inputs: &[Value]) {
        let of_op = self.of_op || !self.running.is_empty();
        let given = std::mem::take(&mut self.given);
        let running = with_cursor(|cursor| {
            let mut call = None;
            if of_op {
                let name = match visit {
                    Visit::Whole => "body".to_string(),
                    Visit::Step(i) => format!("step {i}"),
                    Visit::Condition(i) => format!("condition {i}"),
                    Visit::Branch(i) => format!("branch {i}"),
                };
                let label = cursor.writer.label(&name, None);
                let (frame, node, enter) =
                    cursor.open_call(&NodeHeader::new(Kind::Call, label, &Place::unknown()), &[]);
                call = Some((frame, node));
                if enter != Enter::Everything {
                    return RunningProgram { env: None, call };
                }
            }
            let mut env = vec![UNKNOWN; program.var_count()];
            arguments(cursor, program, &given, inputs, &mut env);
            RunningProgram { env: Some(env), call }
        });
        self.running.push(running.unwrap_or_default());
    }

    fn begin(&mut self, program: &Arc<Program>, number: usize) {
        let e = &program.equations()[number];
        let env = self.running.last_mut().and_then(|r| r.env.as_mut());
        let op = env.and_then(|env| {
            with_cursor(|cursor| {
                let refs = operands(cursor, program, &e.inputs, env);
                let id = equation(cursor, program, e, &refs, &[], env);
                let label = cursor.writer.structured(e.op.name(), &e.op);
                (cursor.enter_call(id, &NodeHeader::new(Kind::Call, label, &e.place), None).0, id)
            })
        });
        self.ops.push(op);
    }

    fn end(&mut self, program: &Arc<Program>, equation: usize, outputs: &[Value]) {
        let e = &program.equations()[equation];
        let Some(Some((frame, id))) = self.ops.pop() else { return };
        leave(frame, |cursor, _| {
            let Some(id) = id else { return };
            let kept: Vec<ResultRow> = (e.outputs.iter().zip(outputs))
                .map(|(&v, t)| cursor.writer.array_result(program.ty(v), || on_host(t), id))
                .collect();
            cursor.writer.set_results(id, &kept);
        });
    }

    fn ran(&mut self, block: Block<'_>) {
        let Some(env) = self.running.last_mut().and_then(|r| r.env.as_mut()) else { return };
        let program = block.program;
        with_cursor(|cursor| {
            // Equations that ran as one block have the first node of the block as metadata.
            let mut first = None;
            for &i in block.equations {
                let e = &program.equations()[i];
                if let Some(r) = literal(cursor, &e.op) {
                    env[e.outputs[0].index()] = r;
                    continue;
                }
                let refs = operands(cursor, program, &e.inputs, env);
                let value = |v: &Var| block.outputs.iter().find(|(o, _)| o == v).map(|(_, x)| x);
                let values: SmallVec<[Option<&Value>; 2]> = e.outputs.iter().map(value).collect();
                let id = equation(cursor, program, e, &refs, &values, env);
                if let (Some(id), [_]) = (id, block.equations)
                    && !block.steps.is_empty()
                {
                    cursor.push_steps(id, block.steps, &e.place);
                }
                if let Some(id) = id.filter(|_| block.equations.len() > 1) {
                    let first = *first.get_or_insert(id);
                    cursor.writer.set_meta(id, "block", i64::from(first).to_value());
                }
            }
        });
    }

    fn leave(&mut self, program: &Arc<Program>) {
        let Some(RunningProgram { env, call }) = self.running.pop() else { return };
        if let Some(env) = env {
            with_cursor(|cursor| returns(cursor, program, &env));
        }
        if let Some((frame, node)) = call {
            leave(frame, |cursor, frame| {
                node.filter(|_| frame.silent).into_iter().for_each(|n| set_results(cursor, n, program))
            });
        }
    }
}

/// Metadata of a node, with its key.
pub type MetaEntry = (&'static str, MetaValue);

/// Counts the steps of a loop, or sees which branch a conditional takes.
#[derive(Default)]
pub struct ControlObserver {
    /// Whether a program was seen to run.
    entered: bool,
    steps: i64,
    branch: i64,
    depth: usize,
}

impl ControlObserver {
    /// Runs an op, and gives its results and the metadata for its node.
    pub fn run(device: &dyn Device, op: &Op, x: Vec<Tensor>) -> Result<(Vec<Tensor>, Option<MetaEntry>)> {
        let run = Run::new(x.into_iter().map(Value::Host).collect());
        let on_host = |y: Vec<Value>| y.into_iter().map(Value::into_host).collect::<Result<Vec<Tensor>>>();
        if !matches!(op, Op::Cond(_)) && op.rules().as_loop().is_none() {
            return Ok((on_host(device.run_op(op, run)?)?, None));
        }
        let mut observer = ControlObserver::default();
        let y = on_host(device.run_op(op, run.observed_by(&mut observer))?)?;
        Ok((y, observer.metadata(op)))
    }

    /// The metadata for the node of an op that was observed; none if the device reported nothing.
    pub fn metadata(&self, op: &Op) -> Option<MetaEntry> {
        let (key, value) = match op {
            Op::Cond(_) => ("branch", self.branch),
            op if op.rules().as_loop().is_some() => ("iterations", self.steps),
            _ => return None,
        };
        self.entered.then(|| (key, value.to_value()))
    }
}

impl Observer for ControlObserver {
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

/// Collects the steps that the kernels of an op ran.
#[derive(Default)]
pub struct StepObserver(pub Vec<Step>);

impl Observer for StepObserver {
    fn enter(&mut self, _: &Arc<Program>, _: Visit, _: &[Value]) {}
    fn begin(&mut self, _: &Arc<Program>, _: usize) {}
    fn end(&mut self, _: &Arc<Program>, _: usize, _: &[Value]) {}
    fn ran(&mut self, block: Block<'_>) {
        self.0.extend_from_slice(block.steps);
    }
    fn leave(&mut self, _: &Arc<Program>) {}
}
