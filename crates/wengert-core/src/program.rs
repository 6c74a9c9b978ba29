//! A program: a closed, typed, pure list of equations in the order they run.

use crate::op::Op;
use crate::place::Place;
use crate::text::identifier;
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// A variable of one program or builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Var(pub(crate) u32);

impl Var {
    /// The position in the program's list of variables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A short list of variables.
pub type Vars = SmallVec<[Var; 2]>;

/// What a program knows of a variable.
#[derive(Clone, Debug)]
pub struct VarInfo {
    /// Its type.
    pub ty: Type,
    /// The name the user gave it.
    pub name: Option<Arc<str>>,
}

/// `outputs = op(inputs)`, and where the user wrote it.
#[derive(Clone, Debug)]
pub struct Equation {
    /// What is done.
    pub op: Op,
    /// The operands.
    pub inputs: Vars,
    /// The variables defined here.
    pub outputs: Vars,
    /// The user's source.
    pub place: Place,
}

/// A closed, typed, pure list of equations. Made by a [`Builder`](crate::Builder), by tracing, or from text.
///
/// Variables are numbered as they are defined: the inputs first, then the results of each equation in turn.
/// [`Program::verify`] checks that and everything else that must hold.
///
/// Equality compares what programs do: names and places do not count.
#[derive(Debug)]
pub struct Program {
    pub(crate) name: Arc<str>,
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) inputs: Vec<Var>,
    pub(crate) equations: Vec<Equation>,
    pub(crate) outputs: Vec<Var>,
    /// The hash, once asked for: a program nested in many others is read once.
    hash: OnceLock<u64>,
}

impl Program {
    pub(crate) fn new(vars: Vec<VarInfo>, inputs: Vec<Var>, equations: Vec<Equation>, outputs: Vec<Var>) -> Program {
        Program { name: "".into(), vars, inputs, equations, outputs, hash: OnceLock::new() }
    }

    /// The program with its variables numbered as they are defined, and without those that are not. `self` may have
    /// any numbers.
    pub(crate) fn renumbered(self) -> Program {
        let Program { name, vars, mut inputs, mut equations, mut outputs, .. } = self;
        let mut old: Vec<Option<VarInfo>> = vars.into_iter().map(Some).collect();
        let mut number: Vec<Option<Var>> = vec![None; old.len()];
        let mut vars = Vec::with_capacity(old.len());
        let mut define = |v: &mut Var, number: &mut [Option<Var>]| {
            let new = Var(vars.len() as u32);
            vars.push(old[v.index()].take().expect("a variable is defined twice"));
            number[v.index()] = Some(new);
            *v = new;
        };
        let read = |v: &mut Var, number: &[Option<Var>]| {
            *v = number[v.index()].expect("a variable is used that is not defined before");
        };
        inputs.iter_mut().for_each(|v| define(v, &mut number));
        for e in &mut equations {
            e.inputs.iter_mut().for_each(|v| read(v, &number));
            e.outputs.iter_mut().for_each(|v| define(v, &mut number));
        }
        outputs.iter_mut().for_each(|v| read(v, &number));
        Program { name, ..Program::new(vars, inputs, equations, outputs) }
    }

    /// The name; may be empty.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The same program under another name, what the text form can't carry in it replaced.
    pub fn with_name(mut self, name: impl Into<Arc<str>>) -> Program {
        self.name = identifier(name.into());
        self
    }

    /// The variables the caller gives.
    pub fn inputs(&self) -> &[Var] {
        &self.inputs
    }

    /// The variables the caller gets.
    pub fn outputs(&self) -> &[Var] {
        &self.outputs
    }

    /// The equations in the order they run.
    pub fn equations(&self) -> &[Equation] {
        &self.equations
    }

    /// How many variables there are; [`Var::index`] is below this.
    pub fn var_count(&self) -> usize {
        self.vars.len()
    }

    /// The type of a variable.
    pub fn ty(&self, v: Var) -> &Type {
        &self.vars[v.index()].ty
    }

    /// The name of a variable.
    pub fn var_name(&self, v: Var) -> Option<&str> {
        self.vars[v.index()].name.as_deref()
    }

    /// The types of the inputs.
    pub fn input_types(&self) -> Vec<Type> {
        self.inputs.iter().map(|&v| self.ty(v).clone()).collect()
    }

    /// The types of the outputs.
    pub fn output_types(&self) -> Vec<Type> {
        self.outputs.iter().map(|&v| self.ty(v).clone()).collect()
    }

    /// The number of equations, those of nested programs included each time they are held.
    pub fn equation_count(&self) -> usize {
        fn count(p: &Program, known: &mut FxHashMap<*const Program, usize>) -> usize {
            let nested = p.equations.iter().flat_map(|e| e.op.programs());
            let inner = nested.map(|q| match known.get(&Arc::as_ptr(q)) {
                Some(&n) => n,
                None => {
                    let n = count(q, known);
                    known.insert(Arc::as_ptr(q), n);
                    n
                }
            });
            let inner = inner.fold(0, usize::saturating_add);
            p.equations.len().saturating_add(inner)
        }
        count(self, &mut FxHashMap::default())
    }

    /// Calls `f` on every equation, nested ones included, outer before inner.
    pub fn visit<'a>(&'a self, f: &mut dyn FnMut(&'a Equation)) {
        for e in &self.equations {
            f(e);
            for p in e.op.programs() {
                p.visit(f);
            }
        }
    }

    /// Whether this holds of some equation of some program, nested ones included. A program that many equations hold is
    /// looked at once.
    pub fn any(&self, holds: impl Fn(&Program, &Equation) -> bool) -> bool {
        type Holds<'a> = &'a dyn Fn(&Program, &Equation) -> bool;
        fn within(p: &Program, seen: &mut FxHashSet<*const Program>, holds: Holds<'_>) -> bool {
            p.equations.iter().any(|e| {
                let mut nested = e.op.programs().into_iter();
                holds(p, e) || nested.any(|q| seen.insert(Arc::as_ptr(q)) && within(q, seen, holds))
            })
        }
        within(self, &mut FxHashSet::default(), &holds)
    }

    /// Which outputs depend on the inputs with `on`.
    pub fn dependent_outputs(&self, on: &[bool]) -> Vec<bool> {
        let mut marked = vec![false; self.var_count()];
        for (v, &on) in self.inputs.iter().zip(on) {
            marked[v.index()] = on;
        }
        for e in &self.equations {
            if e.inputs.iter().any(|v| marked[v.index()]) {
                e.outputs.iter().for_each(|v| marked[v.index()] = true);
            }
        }
        self.outputs.iter().map(|v| marked[v.index()]).collect()
    }

    /// Which inputs the outputs with `of` are computed from.
    pub fn needed_inputs(&self, of: &[bool]) -> Vec<bool> {
        let wanted: Vec<Var> = self.outputs.iter().zip(of).filter(|(_, of)| **of).map(|(v, _)| *v).collect();
        let needed = self.needed(&wanted, |_| None);
        self.inputs.iter().map(|v| needed[v.index()]).collect()
    }

    /// Which inputs any output is computed from.
    pub fn used_inputs(&self) -> Vec<bool> {
        self.needed_inputs(&vec![true; self.outputs.len()])
    }

    /// Which variables these depend on, themselves included. Where `fed` gives a variable for an input (by position),
    /// as for the carry of a loop, what that depends on counts too.
    pub fn needed(&self, wanted: &[Var], fed: impl Fn(usize) -> Option<Var>) -> Vec<bool> {
        let mut defined_by: Vec<Option<&Equation>> = vec![None; self.var_count()];
        for e in &self.equations {
            e.outputs.iter().for_each(|v| defined_by[v.index()] = Some(e));
        }
        let mut needed = vec![false; self.var_count()];
        let mut open = wanted.to_vec();
        while let Some(v) = open.pop() {
            if std::mem::replace(&mut needed[v.index()], true) {
                continue;
            }
            match defined_by[v.index()] {
                Some(e) => open.extend(&e.inputs),
                // An input: inputs are numbered first.
                None => open.extend(fed(v.index())),
            }
        }
        needed
    }

    /// The equation that defines each variable; inputs have none.
    pub fn definitions(&self) -> Vec<Option<usize>> {
        let mut definitions = vec![None; self.var_count()];
        for (i, e) in self.equations.iter().enumerate() {
            e.outputs.iter().for_each(|v| definitions[v.index()] = Some(i));
        }
        definitions
    }

    /// The program that computes these variables from known ones, and which of those it takes, in the order of their
    /// numbers. What has no operands is made again rather than taken. Names and places stay.
    ///
    /// # Panics
    /// If a variable depends on an input that is not known.
    pub fn part(&self, known: &[bool], wanted: &[Var]) -> (Program, Vec<Var>) {
        self.part_by(&self.definitions(), known, wanted)
    }

    /// [`Program::part`] for one who has the [`Program::definitions`]: it takes the time of the part, not of the whole.
    ///
    /// # Panics
    /// As there.
    pub fn part_by(&self, definitions: &[Option<usize>], known: &[bool], wanted: &[Var]) -> (Program, Vec<Var>) {
        let (mut needed, mut taken) = (BTreeSet::new(), BTreeSet::new());
        let mut open = wanted.to_vec();
        while let Some(v) = open.pop() {
            match definitions[v.index()] {
                Some(i) if !known[v.index()] || self.equations[i].inputs.is_empty() => {
                    if needed.insert(i) {
                        open.extend(&self.equations[i].inputs);
                    }
                }
                _ => {
                    assert!(known[v.index()], "a part needs an input that is not known");
                    taken.insert(v);
                }
            }
        }
        // An equation that is computed for one of its results gives the others too.
        needed.iter().flat_map(|&i| &self.equations[i].outputs).for_each(|v| _ = taken.remove(v));
        let mut vars: Vec<VarInfo> = Vec::new();
        let mut number: FxHashMap<Var, Var> = FxHashMap::default();
        let mut define = |v: Var, number: &mut FxHashMap<Var, Var>| {
            let new = Var(vars.len() as u32);
            vars.push(self.vars[v.index()].clone());
            number.insert(v, new);
            new
        };
        let inputs = taken.iter().map(|&v| define(v, &mut number)).collect();
        let mut equations = Vec::with_capacity(needed.len());
        for &i in &needed {
            let mut e = self.equations[i].clone();
            e.inputs.iter_mut().for_each(|v| *v = number[v]);
            e.outputs.iter_mut().for_each(|v| *v = define(*v, &mut number));
            equations.push(e);
        }
        let outputs = wanted.iter().map(|v| number[v]).collect();
        (Program::new(vars, inputs, equations, outputs), taken.into_iter().collect())
    }

    /// Whether an op inside communicates over this named axis.
    pub fn mentions_axis(&self, axis: &str) -> bool {
        self.any(|_, e| e.op.rules().axis_name() == Some(axis))
    }
}

impl Clone for Program {
    /// Without the hash: a copy is made to be changed.
    fn clone(&self) -> Program {
        let copy = Program::new(self.vars.clone(), self.inputs.clone(), self.equations.clone(), self.outputs.clone());
        Program { name: self.name.clone(), ..copy }
    }
}

impl PartialEq for Program {
    fn eq(&self, other: &Program) -> bool {
        let types = |p: &Program, q: &Program| p.vars.iter().map(|v| &v.ty).eq(q.vars.iter().map(|v| &v.ty));
        let same = |e: &Equation, g: &Equation| e.inputs == g.inputs && e.outputs == g.outputs && e.op == g.op;
        std::ptr::eq(self, other)
            || self.inputs.len() == other.inputs.len()
                && self.outputs == other.outputs
                && self.equations.len() == other.equations.len()
                && self.structural_hash() == other.structural_hash()
                && types(self, other)
                && self.equations.iter().zip(&other.equations).all(|(e, g)| same(e, g))
    }
}
impl Eq for Program {}

impl Program {
    fn structural_hash(&self) -> u64 {
        *self.hash.get_or_init(|| {
            let mut h = FxHasher::default();
            for v in &self.inputs {
                self.ty(*v).hash(&mut h);
            }
            for e in &self.equations {
                // The types of the results follow from these.
                (&e.op, &e.inputs).hash(&mut h);
            }
            self.outputs.hash(&mut h);
            h.finish()
        })
    }
}

impl Hash for Program {
    fn hash<H: Hasher>(&self, h: &mut H) {
        h.write_u64(self.structural_hash());
    }
}
