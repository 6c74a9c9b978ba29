//! The programs that paths are made of. Those that do the same are one, also where they differ in numbers: what a native
//! loop counts or halves is a constant of each turn, and an operand of the part that all turns share.

use crate::array::Array;
use crate::staged::StagedProgram;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::ops::Broadcast;
use wengert_core::{Builder, Equation, Op, Program, Shape, Tensor, Type, Var};

/// A program that steps share.
pub(super) struct Part {
    /// Counted from 1, in the order they were made.
    pub(super) number: usize,
    /// What a tape calls it.
    pub(super) name: String,
    pub(super) staged: StagedProgram,
}

/// The part that does what a program does, and the numbers that it takes after the operands.
pub(super) struct FoundPart {
    pub(super) part: Arc<Part>,
    pub(super) numbers: Vec<Array>,
}

/// All parts.
#[derive(Default)]
pub(super) struct Parts {
    made: usize,
    /// By the program in which every constant is an operand.
    kept: FxHashMap<Program, Vec<Variant>>,
}

/// A part for some values of the constants.
struct Variant {
    /// The value of each constant, if it is one of the part too and not an operand.
    fixed: Vec<Option<Tensor>>,
    part: Arc<Part>,
}

impl Variant {
    fn fits(&self, constants: &[&Tensor]) -> bool {
        self.fixed.iter().zip(constants).all(|(f, c)| f.as_ref().is_none_or(|f| f.same_bits(c)))
    }
}

impl Parts {
    /// The part for a program: one that is there, if it fits; else a new one, in which constants that were another value
    /// before are operands.
    pub(super) fn find(&mut self, program: Program) -> FoundPart {
        let constants: Vec<&Tensor> = constants(&program).collect();
        let variants = self.kept.entry(with_operands(&program, |_| true)).or_default();
        let number = self.made + 1;
        let found = variants.iter().position(|v| v.fits(&constants)).unwrap_or_else(|| {
            let stays = |i: usize, c: &Tensor| {
                variants.iter().all(|v| v.fixed[i].as_ref().is_some_and(|fixed| fixed.same_bits(c)))
            };
            let fixed: Vec<Option<Tensor>> =
                constants.iter().enumerate().map(|(i, &c)| stays(i, c).then(|| c.clone())).collect();
            let general = with_operands(&program, |i| fixed[i].is_none()).with_name(program.name());
            let name = format!("jit {}, part {number}", program.name());
            let staged = StagedProgram::new(Arc::new(general), Vec::new(), None);
            variants.push(Variant { fixed, part: Arc::new(Part { number, name, staged }) });
            self.made = number;
            variants.len() - 1
        });
        let Variant { fixed, part } = &variants[found];
        let passed = fixed.iter().zip(&constants).filter(|(f, _)| f.is_none());
        FoundPart { part: part.clone(), numbers: passed.map(|(_, c)| operand(c)).collect() }
    }

    /// Forgets what nothing uses.
    pub(super) fn forget_unused(&mut self) {
        self.kept.retain(|_, variants| {
            variants.retain(|v| Arc::strong_count(&v.part) > 1);
            !variants.is_empty()
        });
    }

    /// In the order they were made.
    pub(super) fn all(&self) -> Vec<Arc<Part>> {
        let mut all: Vec<Arc<Part>> = self.kept.values().flatten().map(|v| v.part.clone()).collect();
        all.sort_by_key(|p| p.number);
        all
    }
}

fn constants(program: &Program) -> impl Iterator<Item = &Tensor> {
    program.equations().iter().filter_map(constant)
}

fn constant(e: &Equation) -> Option<&Tensor> {
    match &e.op {
        Op::Constant(c) => Some(&c.value),
        _ => None,
    }
}

fn operand_type(c: &Tensor) -> Type {
    if c.splat_value().is_some() { Type::scalar(c.dtype()) } else { c.ty() }
}

/// A constant as an operand: of a number that is repeated, the number.
fn operand(c: &Tensor) -> Array {
    let one = c.splat_value().map(|s| Tensor::splat(Shape::scalar(), s));
    Array::from_tensor(one.unwrap_or_else(|| c.clone()))
}

/// A program that takes those of its constants, by position, as further operands.
fn with_operands(program: &Program, taken: impl Fn(usize) -> bool) -> Program {
    let mut b = Builder::new();
    let mut vars: Vec<Option<Var>> = vec![None; program.var_count()];
    for (&v, new) in program.inputs().iter().zip(b.inputs_of(program)) {
        vars[v.index()] = Some(new);
    }
    let chosen = program.equations().iter().filter_map(|e| Some((e.outputs[0], constant(e)?))).enumerate();
    let chosen: Vec<(Var, &Tensor)> = chosen.filter(|(i, _)| taken(*i)).map(|(_, c)| c).collect();
    // Inputs come before all else.
    let inputs: Vec<(Var, Var)> = chosen.iter().map(|&(v, c)| (v, b.input(operand_type(c)))).collect();
    for (v, input) in inputs {
        let shape = &program.ty(v).shape;
        let repeated = b.shape(input) != shape;
        let op = Broadcast { shape: shape.clone(), dims: Default::default() };
        vars[v.index()] = Some(if repeated { b.one(op, &[input]) } else { input });
    }
    for e in program.equations() {
        if e.outputs.iter().any(|v| vars[v.index()].is_some()) {
            continue;
        }
        let x: Vec<Var> = e.inputs.iter().map(|v| vars[v.index()].expect("defined before")).collect();
        b.set_place(e.place.clone());
        let types = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
        for (&v, new) in e.outputs.iter().zip(b.push_typed(e.op.clone(), &x, types)) {
            b.copy_name(program, v, new);
            vars[v.index()] = Some(new);
        }
    }
    let outputs: Vec<Var> = program.outputs().iter().map(|v| vars[v.index()].expect("defined")).collect();
    b.finish_all(&outputs)
}
