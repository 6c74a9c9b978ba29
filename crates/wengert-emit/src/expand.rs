//! Runs as a language can say them: ops that it lacks are calls of functions of those that it has.

use crate::tree::{CallTree, Does, Function, FunctionId, Step, Transform, VariableId};
use crate::{Options, Run};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::ops::{Combiner, Custom, Window};
use wengert_core::{DType, Error, ErrorKind, Op, Result, Type};

/// Whether an op on operands of these types has no form in a language.
pub(crate) type IsLacking = fn(&Op, &[Type]) -> bool;

/// The run as it is written: with functions in place of the ops that a language lacks, and without what is the user's if that is
/// asked for.
pub(crate) fn prepared(run: &Run, options: &Options, is_lacking: IsLacking) -> Result<Run> {
    check_axes(&run.tree)?;
    if options.anonymous {
        check_kernels(&run.tree)?;
    }
    let tree = expanded(&run.tree, is_lacking, options.anonymous)?;
    let run = Run { tree, inputs: run.inputs.clone(), outcome: run.outcome.clone() };
    Ok(if options.anonymous { run.without_names() } else { run })
}

/// An error if an op is over a named axis that nothing binds: there is no function of that around it.
fn check_axes(tree: &CallTree) -> Result<()> {
    let steps = || tree.functions.iter().flat_map(|f| &f.steps);
    let bound = |step: &Step| match &step.does {
        Does::Transform { by: Transform::Vmap { name, .. }, .. } => name.clone(),
        _ => None,
    };
    let bound: Vec<Arc<str>> = steps().filter_map(bound).collect();
    for step in steps() {
        let Does::Primitive(op, _) = &step.does else { continue };
        let Some(axis) = op.rules().axis_name().filter(|axis| bound.iter().all(|b| **b != **axis)) else { continue };
        let m = format!("`{}` is over the axis `{axis}`, and no `vmap` of that name is around it", op.name());
        return Err(Error::new(ErrorKind::Unsupported, m).at(step.place.clone()));
    }
    Ok(())
}

/// An error if there is code of the user's: all that is known of it are values of the user's.
fn check_kernels(tree: &CallTree) -> Result<()> {
    let mut steps = tree.functions.iter().flat_map(|f| &f.steps);
    match steps.find(|s| matches!(s.does, Does::Recorded(_))) {
        None => Ok(()),
        Some(step) => {
            let m = "code of the user's that is no program of ops is written as the values that it gave, and these are the user's";
            let e = Error::new(ErrorKind::Unsupported, m).at(step.place.clone());
            Err(e.note("what to do: give the op a decomposition, or emit without `--anonymous`"))
        }
    }
}

/// The same tree with functions in place of the ops that a language lacks.
fn expanded(tree: &CallTree, is_lacking: IsLacking, is_anonymous: bool) -> Result<CallTree> {
    let mut made = Expander { is_lacking, is_anonymous, tree: CallTree::default(), ops: FxHashMap::default() };
    made.tree.is_eager = tree.is_eager;
    let last = made.functions_of(tree)?;
    // Nothing uses the programs of an op that became a function.
    made.tree.bring_last(last);
    Ok(made.tree)
}

struct Expander {
    is_lacking: IsLacking,
    is_anonymous: bool,
    tree: CallTree,
    /// The functions of ops, by their text and the types of their operands.
    ops: FxHashMap<(String, Vec<Type>), FunctionId>,
}

impl Expander {
    /// Adds the functions of a tree; gives the outermost.
    fn functions_of(&mut self, tree: &CallTree) -> Result<FunctionId> {
        let mut ids: Vec<FunctionId> = Vec::with_capacity(tree.functions.len());
        for function in &tree.functions {
            let function = self.function(function, &ids)?;
            self.tree.functions.push(function);
            ids.push(self.tree.functions.len() - 1);
        }
        Ok(*ids.last().expect("a tree has a function"))
    }

    fn function(&mut self, function: &Function, ids: &[FunctionId]) -> Result<Function> {
        let mut function = function.clone();
        for step in &mut function.steps {
            match &mut step.does {
                Does::Call(id) | Does::Caught(id, _) | Does::Transform { function: id, .. } => *id = ids[*id],
                Does::Returned(_) | Does::Own(_) | Does::Raise(_) | Does::Recorded(_) => {}
                Does::Primitive(op, inside) => {
                    let types: Vec<Type> = step.operands.iter().map(|&v| function.variables[v].ty.clone()).collect();
                    if let Some(id) = self.op(op, &types).map_err(|e| e.at(step.place.clone()))? {
                        step.does = Does::Call(self.given_same(id, &step.operands));
                        continue;
                    }
                    inside.iter_mut().for_each(|id| *id = ids[*id]);
                }
            }
        }
        Ok(function)
    }

    /// The function of an op that is given these.
    fn given_same(&mut self, id: FunctionId, operands: &[VariableId]) -> FunctionId {
        let f = self.tree.functions[id].clone().with_same(operands);
        self.tree.functions.iter().position(|g| *g == f).unwrap_or_else(|| {
            self.tree.functions.push(f);
            self.tree.functions.len() - 1
        })
    }

    /// The function of an op that is lacking.
    fn op(&mut self, op: &Op, types: &[Type]) -> Result<Option<FunctionId>> {
        // What is printed is a text of the user's.
        let prints = matches!(op, Op::Custom(op) if op.printed_text().is_some());
        if !(self.is_lacking)(op, types) || prints && !self.is_anonymous {
            return Ok(None);
        }
        let key = (op.to_string(), types.to_vec());
        if let Some(id) = self.ops.get(&key) {
            return Ok(Some(*id));
        }
        let Some(program) = wengert_expand::expand(op, types) else { return Ok(None) };
        let id = self.functions_of(&CallTree::of_program(&program?))?;
        self.ops.insert(key, id);
        Ok(Some(id))
    }
}

/// The name that an op of the user's has, also where its code is not.
pub(crate) fn name_of_user_op(op: &Custom) -> String {
    let text = op.text();
    text.split('[').next().unwrap_or_default().into()
}

/// Whether Rust has no function for an op.
pub(crate) fn rust_lacks(op: &Op, _: &[Type]) -> bool {
    matches!(op, Op::Custom(_))
}

/// Whether JAX has no function for an op.
pub(crate) fn jax_lacks(op: &Op, x: &[Type]) -> bool {
    match op {
        Op::Custom(_) | Op::SelectAndGather(_) => true,
        Op::Convert(op) => x[0].dtype.is_complex() && op.dtype == DType::Bool,
        // XLA combines what it pads with; only an identity does no harm.
        Op::ReduceWindow(op) => matches!(op.combiner, Combiner::Program(_)) && op.window.has_holes(),
        Op::SelectAndScatter(op) => !is_plain(&op.window),
        Op::Cholesky(_) | Op::Lu(_) | Op::Qr(_) | Op::Svd(_) | Op::Eigh(_) | Op::Eig(_) => {
            matches!(x[0].dtype, DType::F16 | DType::BF16) || x[0].shape.size() == 0
        }
        _ => false,
    }
}

/// Whether a window neither skips elements nor cuts any off.
fn is_plain(w: &Window) -> bool {
    w.base_dilation.iter().chain(&w.window_dilation).all(|&d| d == 1) && w.padding.iter().all(|p| p.0 >= 0 && p.1 >= 0)
}
