//! The call tree of a run: functions, and what each does in order.

use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::{Op, Place, Program, Type};

/// The functions of a run.
#[derive(Clone, Debug, Default)]
pub struct CallTree {
    /// Each function after those it uses; the last one is the outermost.
    pub functions: Vec<Function>,
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
}

/// A variable of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name that the user gave it, whatever that is.
    pub name: Option<Arc<str>>,
    /// The type.
    pub ty: Type,
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

/// What a step does.
// Nearly all are primitives.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    /// A primitive. The programs that the op holds are these functions, in the order of [`Op::programs`].
    Primitive(Op, Vec<FunctionId>),
    /// A function of the user's, called as it is.
    Call(FunctionId),
}

impl CallTree {
    /// The tree of a program: the programs that its ops hold are functions.
    pub fn of_program(program: &Program) -> CallTree {
        let mut made = Maker::default();
        made.function(program, &Place::unknown());
        made.tree
    }

    /// The outermost function.
    pub fn main(&self) -> &Function {
        self.functions.last().expect("a tree has a function")
    }
}

#[derive(Default)]
struct Maker {
    tree: CallTree,
    /// Functions that are there, by their program's address: a program that is held twice is read once.
    read: FxHashMap<*const Program, FunctionId>,
}

impl Maker {
    fn function(&mut self, p: &Program, place: &Place) -> FunctionId {
        let mut steps = Vec::with_capacity(p.equations().len());
        for e in p.equations() {
            let inside = e.op.programs().into_iter().map(|q| match self.read.get(&Arc::as_ptr(q)) {
                Some(&id) => id,
                None => {
                    let id = self.function(q, &e.place);
                    self.read.insert(Arc::as_ptr(q), id);
                    id
                }
            });
            let inside: Vec<FunctionId> = inside.collect();
            steps.push(Step {
                does: Does::Primitive(e.op.clone(), inside),
                operands: e.inputs.iter().map(|v| v.index()).collect(),
                results: e.outputs.iter().map(|v| v.index()).collect(),
                place: e.place.clone(),
            });
        }
        let variables = p.inputs().iter().copied().chain(p.equations().iter().flat_map(|e| e.outputs.iter().copied()));
        let variables = variables.map(|v| Variable { name: p.var_name(v).map(Arc::from), ty: p.ty(v).clone() });
        let function = Function {
            name: p.name().to_string(),
            place: place.clone(),
            variables: variables.collect(),
            parameters: p.inputs().iter().map(|v| v.index()).collect(),
            steps,
            results: p.outputs().iter().map(|v| v.index()).collect(),
        };
        self.intern(function)
    }

    /// The function, or one that is the same in all.
    fn intern(&mut self, function: Function) -> FunctionId {
        let same = |f: &Function| f.name == function.name && *f == function;
        self.tree.functions.iter().position(same).unwrap_or_else(|| {
            self.tree.functions.push(function);
            self.tree.functions.len() - 1
        })
    }
}
