//! Random well-typed programs over the ops that most programs are made of.

use crate::{Choices, awkward};
use std::sync::Arc;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Dims, Op, Place, Program, Scalar, Shape, Tensor, Type, Var};

/// What a random program may be made of.
#[derive(Clone, Debug)]
pub struct Recipe {
    /// Element types of inputs and constants.
    pub dtypes: Vec<DType>,
    /// Only ops with a derivative wherever their operands are between -2 and 2, and values that stay small.
    pub smooth: bool,
    /// How deep programs are nested.
    pub depth: usize,
    /// How many equations there are at most, not counting nested ones.
    pub equations: usize,
    /// Awkward shapes and ops too: many axes, sizes around those of vectors, updates in place, a thousand branches.
    pub awkward: bool,
}

impl Recipe {
    /// Everything there is.
    pub fn any() -> Recipe {
        use DType::*;
        let dtypes = vec![F32, I32, Bool, F64, U8, F16, C64];
        Recipe { dtypes, smooth: false, depth: 2, equations: 12, awkward: false }
    }

    /// Programs that compilers get wrong.
    pub fn awkward() -> Recipe {
        use DType::*;
        let dtypes = vec![F32, F32, I32, Bool, F64, U8, F16, BF16, C64, C128, I8, I16, U32, I64, U64, U16];
        Recipe { dtypes, equations: 25, awkward: true, ..Recipe::any() }
    }

    /// Programs that can be differentiated.
    pub fn smooth() -> Recipe {
        Recipe { dtypes: vec![DType::F64, DType::F64, DType::I32], smooth: true, ..Recipe::any() }
    }
}

/// A program with up to four inputs.
pub fn random_program(recipe: &Recipe, choices: &mut Choices<'_>) -> Program {
    let types: Vec<Type> = (0..1 + choices.below(4)).map(|_| random_type(recipe, choices)).collect();
    let outputs = 1 + choices.below(3);
    nested(recipe, choices, recipe.depth, &types, &[], outputs).with_name("random")
}

fn random_type(recipe: &Recipe, choices: &mut Choices<'_>) -> Type {
    const SHAPES: [&[usize]; 8] = [&[], &[3], &[2, 3], &[3, 2], &[1], &[2], &[2, 1, 3], &[0, 2]];
    let dtype = choices.of(&recipe.dtypes);
    Type::new(dtype, if recipe.awkward { choices.of(&awkward::SHAPES) } else { choices.of(&SHAPES) })
}

/// A program that takes `inputs` and gives `outputs`, then `more` results of any type.
fn nested(
    recipe: &Recipe,
    choices: &mut Choices<'_>,
    depth: usize,
    inputs: &[Type],
    outputs: &[Type],
    more: usize,
) -> Program {
    let mut g = Growing { b: Builder::new(), vars: Vec::new(), recipe, choices, depth };
    for t in inputs {
        let v = g.b.input(t.clone());
        if g.choices.coin() {
            g.b.set_name(v, ["x", "y", "the weights", "return"][g.vars.len() % 4]);
        }
        g.vars.push(v);
    }
    for i in 0..recipe.equations {
        if g.choices.is_empty() {
            break;
        }
        if g.choices.coin() {
            g.b.set_place(Place::named("random.rs", i as u32, depth as u32));
        }
        g.grow();
    }
    let mut results: Vec<Var> = outputs.iter().map(|t| g.of_type(t)).collect();
    results.extend((0..more).map(|_| g.recent()));
    g.b.finish_all(&results)
}

/// A program as it grows.
pub(crate) struct Growing<'a, 'c> {
    pub(crate) b: Builder,
    vars: Vec<Var>,
    recipe: &'a Recipe,
    pub(crate) choices: &'a mut Choices<'c>,
    pub(crate) depth: usize,
}

impl Growing<'_, '_> {
    pub(crate) fn any(&mut self) -> Var {
        if self.vars.is_empty() {
            let ty = random_type(self.recipe, self.choices);
            return self.constant(&ty);
        }
        self.choices.of(&self.vars)
    }

    /// The last variable, or one of those before it.
    fn recent(&mut self) -> Var {
        let v = self.any();
        let back = self.choices.below(self.vars.len().max(1));
        self.vars.iter().rev().nth(back).copied().unwrap_or(v)
    }

    /// A variable of this type: one that is there, or a constant.
    pub(crate) fn of_type(&mut self, ty: &Type) -> Var {
        let fits: Vec<Var> = self.vars.iter().copied().filter(|&v| self.b.ty(v) == ty).collect();
        match self.choices.below(fits.len() + 1).checked_sub(1) {
            Some(i) => fits[i],
            None if !fits.is_empty() && self.choices.coin() => fits[fits.len() - 1],
            None => self.constant(ty),
        }
    }

    fn constant(&mut self, ty: &Type) -> Var {
        const NUMBERS: [f64; 8] = [0.0, 1.0, -0.0, -1.0, 2.0, 0.5, -3.0, f64::NEG_INFINITY];
        let n = if self.recipe.smooth { NUMBERS.len() - 1 } else { NUMBERS.len() };
        if self.choices.below(4) == 3 {
            let values = crate::random_values(std::slice::from_ref(ty), self.choices, self.recipe.smooth);
            return self.b.constant(values.into_iter().next().expect("one"));
        }
        let x = self.choices.of(&NUMBERS[..n]);
        self.b.constant(Tensor::splat(ty.shape.clone(), Scalar::from_f64(ty.dtype, x)))
    }

    /// Adds an equation if the operands fit.
    pub(crate) fn push(&mut self, op: impl Into<Op>, x: &[Var]) {
        let most = if self.recipe.awkward { 2000 } else { 200 };
        let small = |b: &Builder, v: Var| b.shape(v).size() <= most;
        if let Ok(y) = self.b.try_push(op, x) {
            let y: Vec<Var> = y.into_iter().filter(|&v| small(&self.b, v)).collect();
            self.vars.extend(y);
        }
    }

    fn unary(&mut self) {
        const SMOOTH: [Unary; 5] = [Unary::Neg, Unary::Sin, Unary::Cos, Unary::Tanh, Unary::Logistic];
        let op = self.choices.of(if self.recipe.smooth { &SMOOTH } else { Unary::ALL });
        let x = self.any();
        self.push(op, &[x]);
    }

    fn binary(&mut self) {
        use Binary::*;
        const SMOOTH: [Binary; 3] = [Add, Sub, Mul];
        // Powers become products, which are not the same to the last bit.
        const ANY: [Binary; 12] = [Add, Sub, Mul, Div, Max, Min, And, Or, Xor, Rem, Shl, Complex];
        let op = self.choices.of(if self.recipe.smooth { &SMOOTH[..] } else { &ANY });
        let x = self.any();
        let ty = self.b.ty(x).clone();
        let y = self.of_type(&ty);
        if self.choices.coin() { self.push(op, &[x, y]) } else { self.push(op, &[y, x]) }
    }

    fn choose(&mut self) {
        let x = self.any();
        let ty = self.b.ty(x).clone();
        let y = self.of_type(&ty);
        let direction = self.choices.of(Direction::ALL);
        match self.choices.below(3) {
            0 => self.push(Compare { direction }, &[x, y]),
            1 => {
                let p = self.of_type(&ty.with_dtype(DType::Bool));
                self.push(Select {}, &[p, x, y]);
            }
            _ => {
                let dtype = self.choices.of(&self.recipe.dtypes);
                self.push(Convert { dtype }, &[x]);
            }
        }
    }

    fn axis(&mut self, rank: usize) -> Dims {
        (0..rank).filter(|_| self.choices.coin()).collect()
    }

    fn order(&mut self, n: usize) -> Dims {
        let mut rest: Vec<usize> = (0..n).collect();
        (0..n).map(|_| rest.remove(self.choices.below(rest.len()))).collect()
    }

    fn rearrange(&mut self) {
        let x = self.any();
        let shape = self.b.shape(x).clone();
        let rank = shape.rank();
        match self.choices.below(8) {
            0 => {
                let perm = self.order(rank);
                self.push(Transpose { perm }, &[x]);
            }
            1 => {
                let total = shape.size();
                let options: Vec<Shape> =
                    vec![[total].into(), [1, total].into(), [total, 1].into(), [2, total / 2].into()];
                let shape = self.choices.of(&options);
                self.push(Reshape { shape }, &[x]);
            }
            2 => {
                let at = self.choices.below(rank + 1);
                let size = 1 + self.choices.below(3);
                let dims = (0..rank).map(|d| d + (d >= at) as usize).collect();
                self.push(Broadcast { shape: shape.with_axis(at, size), dims }, &[x]);
            }
            3 => {
                let dims = self.axis(rank);
                self.push(Reverse { dims }, &[x]);
            }
            4 => {
                let start: Dims = shape.iter().map(|&n| self.choices.below(n)).collect();
                let limit: Dims = shape.iter().zip(&start).map(|(&n, &s)| n - self.choices.below(n - s + 1)).collect();
                let strides: Dims = shape.iter().map(|_| 1 + self.choices.below(2)).collect();
                self.push(Slice { start, limit, strides }, &[x]);
            }
            5 => {
                let value = self.of_type(&Type::scalar(self.b.dtype(x)));
                let amounts = |c: &mut Choices<'_>| (0..rank).map(|_| c.below(4) as i64 - 1).collect::<Vec<i64>>();
                let (low, high) = (amounts(self.choices), amounts(self.choices));
                let interior = (0..rank).map(|_| self.choices.below(2)).collect();
                self.push(Pad { low, high, interior }, &[x, value]);
            }
            6 => {
                let y = self.of_type(&self.b.ty(x).clone());
                let dim = self.choices.below(rank);
                self.push(Concatenate { dim }, &[x, y]);
            }
            _ => {
                let sizes: Dims = shape.iter().map(|&n| n - self.choices.below(n.min(2))).collect();
                let starts: Vec<Var> = (0..rank).map(|_| self.of_type(&Type::scalar(DType::I32))).collect();
                self.push(DynamicSlice { sizes }, &[vec![x], starts].concat());
            }
        }
    }

    fn contract(&mut self) {
        let x = self.any();
        match self.choices.below(4) {
            0 => {
                let dims = self.axis(self.b.shape(x).rank());
                let all = [Combiner::Add, Combiner::Max, Combiner::Min, Combiner::Mul, Combiner::And, Combiner::Or];
                let combiner = self.choices.of(if self.recipe.smooth { &all[..1] } else { &all });
                self.push(Reduce { combiner, dims }, &[x]);
            }
            1 => {
                let y = self.any();
                let pairs = (0..self.b.shape(x).rank()).flat_map(|i| (0..self.b.shape(y).rank()).map(move |j| (i, j)));
                let fits: Vec<(usize, usize)> =
                    pairs.filter(|&(i, j)| self.b.shape(x)[i] == self.b.shape(y)[j]).collect();
                let one = |d: usize| -> Dims { std::iter::once(d).collect() };
                let mut dot = DotGeneral { contract: Default::default(), batch: Default::default() };
                if !fits.is_empty() {
                    let (i, j) = self.choices.of(&fits);
                    let axes = if self.choices.coin() { &mut dot.batch } else { &mut dot.contract };
                    *axes = (one(i), one(j));
                }
                self.push(dot, &[x, y]);
            }
            2 => {
                let ty = random_type(self.recipe, self.choices);
                let dim = self.choices.below(ty.rank());
                self.push(Iota { ty, dim }, &[]);
            }
            _ => {
                let ty = random_type(self.recipe, self.choices);
                let v = self.constant(&ty);
                self.vars.push(v);
            }
        }
    }

    pub(crate) fn body(&mut self, inputs: &[Type], outputs: &[Type], more: usize) -> Arc<Program> {
        let recipe = Recipe { equations: 5, ..self.recipe.clone() };
        Arc::new(nested(&recipe, self.choices, self.depth - 1, inputs, outputs, more))
    }

    fn types(&self, vars: &[Var]) -> Vec<Type> {
        vars.iter().map(|&v| self.b.ty(v).clone()).collect()
    }

    fn some(&mut self) -> Vec<Var> {
        (0..self.choices.below(3)).map(|_| self.any()).collect()
    }

    fn structured(&mut self) {
        let consts = self.some();
        match self.choices.below(4) {
            0 => {
                let carries = self.some();
                let length = self.choices.below(4);
                let walked: Vec<Var> = (self.vars.iter().copied())
                    .filter(|&v| self.b.shape(v).first() == Some(&length))
                    .filter(|_| self.choices.coin())
                    .collect();
                let slice = |t: Type| t.with_shape(t.shape.without_axes(&[0]));
                let slices: Vec<Type> = self.types(&walked).into_iter().map(slice).collect();
                let inputs = [self.types(&consts), self.types(&carries), slices].concat();
                let more = self.choices.below(3);
                let body = self.body(&inputs, &self.types(&carries), more);
                let reverse = self.choices.coin();
                let scan = Scan { length, consts: consts.len(), carries: carries.len(), reverse, body };
                self.push(scan, &[consts, carries, walked].concat());
            }
            1 => {
                let more = 1 + self.choices.below(2);
                let program = self.body(&self.types(&consts), &[], more);
                let kind = self.choices.of(CallKind::ALL);
                let call = Call { program, kind };
                self.push(call.clone(), &consts);
                if self.choices.coin() {
                    let again: Vec<Var> = self.types(&consts).iter().map(|t| self.of_type(t)).collect();
                    self.push(call, &again);
                }
            }
            2 => {
                let inputs = self.types(&consts);
                let first = self.body(&inputs, &[], 1 + self.depth % 2);
                let second = self.body(&inputs, &first.output_types(), 0);
                let p = self.of_type(&Type::scalar(DType::Bool));
                self.push(Cond { branches: vec![first, second] }, &[vec![p], consts].concat());
            }
            _ => {
                // Counts up to at most three, whatever else it does.
                let count = Type::scalar(DType::I32);
                let carries = self.some();
                let inputs = [self.types(&consts), vec![count.clone()], self.types(&carries)].concat();
                let at = consts.len();
                let mut c = Builder::new();
                let args = c.inputs(&inputs);
                let limit = c.full(&count, self.choices.below(4) as f64);
                let go = c.compare(Direction::Lt, args[at], limit);
                let inner = self.body(&inputs, &self.types(&carries), 0);
                let mut s = Builder::new();
                let args = s.inputs(&inputs);
                let next = s.offset(args[at], 1.0);
                let next = [vec![next], s.inline(&inner, &args)].concat();
                let op = While { consts: at, cond: Arc::new(c.finish(&[go])), body: Arc::new(s.finish_all(&next)) };
                let zero = self.b.zeros(&count);
                self.push(op, &[consts, vec![zero], carries].concat());
            }
        }
    }

    fn grow(&mut self) {
        match self.choices.below(if self.recipe.awkward { 10 } else { 8 }) {
            8 | 9 => self.awkward(),
            0 => self.unary(),
            1 | 2 => self.binary(),
            3 => self.choose(),
            4 | 5 => self.rearrange(),
            6 => self.contract(),
            _ if self.depth > 0 => self.structured(),
            _ => self.unary(),
        }
    }
}
