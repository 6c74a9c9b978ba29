//! From tape to program: what this run did, as a straight line that runs again.

use crate::node::{Node, NodeId};
use crate::row::{ABSTRACT, Kind, NONE, Ref};
use crate::tape::{Sources, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use wengert_core::{Builder, Error, ErrorKind, Place, Program, Result, Tensor, Var};

/// A run, or a part of one, as a program without decisions: those of the host went as they went.
#[derive(Debug)]
pub struct Straight {
    program: Program,
    inputs: Vec<(NodeId, usize)>,
    guards: Vec<Guard>,
    /// How many outputs are results; after them come the values that the host read.
    results: usize,
}

/// A value that the host read, and what it decides by it.
#[derive(Clone, Debug)]
struct Guard {
    node: NodeId,
    place: Place,
    saw: Saw,
}

#[derive(Clone, Debug)]
enum Saw {
    Decision(bool),
    Value(Tensor),
    /// A value that was not kept.
    Unknown,
}

impl Straight {
    /// The program: inputs as [`Straight::inputs`] says, then the results.
    pub fn program(&self) -> Program {
        let mut b = Builder::new();
        let x = b.inputs_of(&self.program);
        let y = b.inline(&self.program, &x);
        b.finish(&y[..self.results]).with_name(self.program.name())
    }

    /// The nodes whose values are the inputs, each with the number of the result: arguments, and arrays that came from
    /// outside.
    pub fn inputs(&self) -> &[(NodeId, usize)] {
        &self.inputs
    }

    /// The values of the inputs in the recorded run, if they were kept.
    pub fn recorded_inputs(&self, tape: &Tape) -> Option<Vec<Tensor>> {
        self.inputs.iter().map(|&(n, out)| tape.get(n)?.value(out)).collect()
    }

    /// Runs it on other inputs, the decisions of the host as they were.
    pub fn run(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.check_inputs(&inputs)?;
        let mut y = wengert_cpu::run(&self.program, inputs)?;
        y.truncate(self.results);
        Ok(y)
    }

    /// Runs it on other inputs, and fails where the host would have read something else: it might have gone another way.
    /// The error names the first such place.
    pub fn run_guarded(&self, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.check_inputs(&inputs)?;
        let mut y = wengert_cpu::run(&self.program, inputs)?;
        let read = y.split_off(self.results);
        for (g, now) in self.guards.iter().zip(read) {
            let why = match &g.saw {
                Saw::Decision(was) if *was == truth(&now) => continue,
                Saw::Value(was) if same_bits(was, &now) => continue,
                Saw::Decision(was) => format!("the host read {was} here, and with these inputs it reads {}", !was),
                Saw::Value(was) => format!(
                    "the host read {} here, and with these inputs it reads {}: what it does then is not on the tape",
                    crate::print::short(was),
                    crate::print::short(&now)
                ),
                Saw::Unknown => continue,
            };
            return Err(flipped(why, g.node, g.place.clone()));
        }
        Ok(y)
    }

    /// The places where the host read a value that was not kept: [`Straight::run_guarded`] can't check these.
    pub fn unchecked(&self) -> impl Iterator<Item = NodeId> {
        self.guards.iter().filter(|g| matches!(g.saw, Saw::Unknown)).map(|g| g.node)
    }

    fn check_inputs(&self, inputs: &[Tensor]) -> Result<()> {
        let (want, got): (Vec<_>, Vec<_>) = (self.program.input_types(), inputs.iter().map(Tensor::ty).collect());
        if want == got {
            return Ok(());
        }
        Err(Error::shape(format!("the program of this tape takes {want:?}, and was given {got:?}")))
    }
}

pub(crate) fn flipped(why: String, node: NodeId, place: Place) -> Error {
    Error::new(ErrorKind::Flipped, format!("{why} ({node})")).at(place)
}

/// Whether a value reads as true.
pub(crate) fn truth(t: &Tensor) -> bool {
    t.size() > 0 && {
        let c = t.get(0).as_complex();
        c.re != 0.0 || c.im != 0.0
    }
}

pub(crate) fn same_bits(a: &Tensor, b: &Tensor) -> bool {
    let same = || match (a.splat_value(), b.splat_value()) {
        (Some(a), Some(b)) => a.bits() == b.bits(),
        _ => a.dense().stored().same_bits(b.dense().stored()),
    };
    a.ty() == b.ty() && (a.same_storage(b) || a.size() == 0 || same())
}

impl Tape {
    /// What the run did as a straight program: from the arrays that came from outside to what it gave back. Decisions
    /// of the host become guards.
    pub fn to_program(&self) -> Result<Straight> {
        self.root().to_program()
    }
}

impl Node<'_> {
    /// What the node did as a straight program: from what it was given to what it gave back.
    pub fn to_program(self) -> Result<Straight> {
        Extract::new(self).run()
    }

    /// Whether it ran as a whole: an op, or a call whose children have no part in its value.
    pub(crate) fn is_whole(self) -> bool {
        let row = self.tape.row(self.id);
        match row.kind() {
            Kind::Primitive => true,
            Kind::Call => self.op().is_some() && (row.has(ABSTRACT) || row.extra == NONE),
            _ => false,
        }
    }

    /// Whether the host read an array here.
    pub(crate) fn is_read(self) -> bool {
        matches!(self.kind(), Kind::Branch | Kind::Special)
            && self.tape.refs_of(self.id).len() == 1
            && matches!(self.function(), "to_bool" | "item" | "to_f64" | "to_i64" | "to_vec" | "to_tensor")
    }
}

struct Extract<'t> {
    node: Node<'t>,
    builder: Builder,
    vars: FxHashMap<Ref, Var>,
    inputs: Vec<(NodeId, usize)>,
    /// What ran inside the node, itself with it; all if it is the root.
    inside: Option<FxHashSet<u32>>,
    sources: Sources,
}

/// What ran inside a node: not the programs that calls ran as a whole.
fn ran(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.within(|n| !n.is_abstract()).take(if node.is_whole() { 0 } else { usize::MAX })
}

impl<'t> Extract<'t> {
    fn new(node: Node<'t>) -> Self {
        let inside = || std::iter::once(node).chain(ran(node)).map(|n| n.id).collect();
        Extract {
            node,
            builder: Builder::new(),
            vars: FxHashMap::default(),
            inputs: Vec::new(),
            inside: (node.id != 0).then(inside),
            sources: Sources::default(),
        }
    }

    fn tape(&self) -> &'t Tape {
        self.node.tape
    }

    fn inside(&self, id: u32) -> bool {
        self.inside.as_ref().is_none_or(|set| set.contains(&id))
    }

    /// Where a value comes from, no further than what the node was given.
    fn resolve(&mut self, r: Ref) -> Ref {
        let mut sources = std::mem::take(&mut self.sources);
        let source = sources.find(r, |r| {
            let next = self.tape().step(r)?;
            let leaves = !next.is_constant() && !self.inside(next.at);
            let given = leaves && self.tape().row(r.at).kind() == Kind::Argument;
            (self.inside(r.at) && !given).then_some(next)
        });
        self.sources = sources;
        source
    }

    fn run(mut self) -> Result<Straight> {
        let tape = self.tape();
        let row = tape.row(self.node.id);
        let mut outputs: Vec<Ref> = (0..row.results_len).map(|out| Ref { at: self.node.id, out }).collect();
        if !self.node.is_whole() {
            outputs.iter_mut().for_each(|r| *r = self.resolve(*r));
        }
        outputs.retain(|r| self.is_array(*r));
        let mut reads: Vec<(Node<'t>, Ref)> = Vec::new();
        for n in ran(self.node).filter(|n| n.is_read()) {
            reads.push((n, self.resolve(tape.refs_of(n.id)[0])));
        }
        reads.retain(|(_, r)| self.is_array(*r));
        // Everything needed, earliest first.
        let mut needed: BTreeSet<u32> = BTreeSet::new();
        let mut todo: Vec<Ref> = outputs.iter().chain(reads.iter().map(|(_, r)| r)).copied().collect();
        while let Some(r) = todo.pop() {
            if !r.is_constant() && needed.insert(r.at) && self.computed(r) {
                todo.extend(tape.refs_of(r.at).iter().map(|&r| self.resolve(r)));
            }
        }
        // Inputs first: they are the first variables of a program.
        for &id in &needed {
            if !self.computed(Ref { at: id, out: 0 }) {
                for out in 0..tape.row(id).results_len {
                    self.input(Ref { at: id, out })?;
                }
            }
        }
        for &id in &needed {
            if self.computed(Ref { at: id, out: 0 }) {
                self.equation(Node { tape, id })?;
            }
        }
        let outs = outputs.iter().map(|&r| self.var(r)).collect::<Result<Vec<Var>>>()?;
        let mut all = outs.clone();
        let mut guards = Vec::new();
        for (n, r) in reads {
            all.push(self.var(r)?);
            let saw = match n.condition() {
                Some(c) => Saw::Decision(c),
                None => tape.value_of(r).map_or(Saw::Unknown, Saw::Value),
            };
            guards.push(Guard { node: n.id(), place: n.place(), saw });
        }
        let program = self.builder.finish_all(&all).with_name(match &*program_name(self.node.function()) {
            "" => "run",
            name => name,
        });
        Ok(Straight { program, inputs: self.inputs, guards, results: outs.len() })
    }

    fn is_array(&self, r: Ref) -> bool {
        match r.is_constant() {
            true => self.tape().constants.get(r.at as usize).is_some_and(|c| c.tensor().is_some()),
            false => self.tape().keep_of(r).is_some_and(|k| k.ty != 0),
        }
    }

    /// Whether a value is computed by the program, and not given to it.
    fn computed(&self, r: Ref) -> bool {
        self.inside(r.at) && Node { tape: self.tape(), id: r.at }.is_whole()
    }

    fn input(&mut self, r: Ref) -> Result<()> {
        let Some(ty) = self.tape().keep_of(r).and_then(|k| self.tape().type_of(k)) else { return Ok(()) };
        let v = self.builder.input(ty.clone());
        let node = Node { tape: self.tape(), id: r.at };
        if let Some(name) = node.name() {
            self.builder.set_name(v, name);
        }
        self.inputs.push((node.id(), r.out as usize));
        self.vars.insert(r, v);
        Ok(())
    }

    fn var(&mut self, r: Ref) -> Result<Var> {
        if r.is_constant() {
            let constant = self.tape().constants.get(r.at as usize).and_then(|c| c.tensor());
            let Some(t) = constant else {
                return Err(Error::new(ErrorKind::Run, "an operand was left out of the tape by its context"));
            };
            return Ok(self.builder.constant(t));
        }
        self.vars.get(&r).copied().ok_or_else(|| Error::new(ErrorKind::Run, format!("@{} has no value", r.at)))
    }

    fn equation(&mut self, n: Node<'t>) -> Result<()> {
        let Some(op) = n.op() else {
            let m = format!("{} ran `{}`, and a tape knows only its name", n.id(), n.function());
            return Err(Error::new(ErrorKind::Run, m).at(n.place()));
        };
        let refs: Vec<Ref> = self.tape().refs_of(n.id).iter().map(|&r| self.resolve(r)).collect();
        let x = refs.iter().map(|&r| self.var(r)).collect::<Result<Vec<Var>>>()?;
        self.builder.set_place(n.place());
        let y = self.builder.try_push(op.clone(), &x).map_err(|e| e.at(n.place()))?;
        for (out, &v) in y.iter().enumerate() {
            self.vars.insert(Ref { at: n.id, out: out as u32 }, v);
        }
        if let ([v], Some(name)) = (&y[..], n.name()) {
            self.builder.set_name(*v, name);
        }
        Ok(())
    }
}

/// The name of a program made from the function at this path: the last word that was written, without its types.
pub fn program_name(path: &str) -> String {
    let mut depth = 0usize;
    let outside = |c: &char| {
        depth = (depth + usize::from(*c == '<')).saturating_sub(usize::from(*c == '>'));
        depth == 0 && *c != '>'
    };
    let path: String = path.chars().filter(outside).collect();
    let word = path.rsplit([':', ' ']).find(|p| !p.is_empty() && !p.starts_with('{')).unwrap_or_default();
    let mut name: String = word.chars().map(|c| if c.is_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_numeric()) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::program_name;

    #[test]
    fn programs_are_named_for_functions() {
        for (path, name) in [
            ("jit model::train_step", "train_step"),
            ("model::train::{{closure}}", "train"),
            ("<model::Net<f32> as model::Layer>::apply", "apply"),
            ("model::step<alloc::vec::Vec<f32>, (f32, f32)>", "step"),
            ("value and gradient", "gradient"),
            ("branch 0", "_0"),
            ("{{closure}}", ""),
        ] {
            assert_eq!(program_name(path), name, "{path}");
        }
    }
}
