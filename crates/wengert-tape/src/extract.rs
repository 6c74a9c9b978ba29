//! The equations of a run: what of it its results need, in order, and what the host read of it.

use crate::api::UNWINDING;
use crate::host::HostNumber;
use crate::node::{Node, NodeId};
use crate::overflow::overflow;
use crate::program::{Guard, SeenValue, StraightProgram, UnknownRead, program_name};
use crate::provenance::unrecorded;
use crate::row::{CONDITION, Kind, Ref};
use crate::settled::settled;
use crate::tape::{Constant, SourceCache, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use wengert_core::ops::{Broadcast, Convert, Reshape};
use wengert_core::{Builder, Dims, Error, ErrorKind, Op, Result, Shape, Type, Var, Vars};

/// The ends of a part of a run, and the nodes that depend on the first.
pub(crate) struct Between {
    pub(crate) from: Vec<Ref>,
    pub(crate) to: Vec<Ref>,
    pub(crate) after: FxHashSet<u32>,
}

const LEFT_OUT: &str = "an operand was made where nothing was recorded";

/// A program being made of a node.
pub(crate) struct Extraction<'t> {
    node: Node<'t>,
    builder: Builder,
    vars: FxHashMap<Ref, Var>,
    inputs: Vec<(NodeId, usize)>,
    /// The variables that depend on inputs.
    dependent: FxHashSet<Var>,
    /// Operators of the host that may overflow with other inputs, and the variables that say whether they do.
    overflows: Vec<(Node<'t>, Var)>,
    /// The node and those that ran inside it; none stands for all, if the node is the root.
    extent: Option<FxHashSet<u32>>,
    sources: SourceCache,
    /// The ends of the part that is wanted, if it is not all.
    between: Option<Between>,
    /// The results that are wanted, if they are not those of the node.
    wanted: Option<Vec<Ref>>,
    /// The op that failed, which comes last.
    failed: Option<Node<'t>>,
    /// Values of the host that are as they were for all inputs.
    settled: FxHashSet<u32>,
}

/// The nodes that ran inside a node: the programs of calls that ran as a whole are not among them, nor the steps of an op.
fn inner_nodes(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.within(|n| !n.is_abstract() && n.kind() != Kind::Primitive).take(if node.is_whole() { 0 } else { usize::MAX })
}

impl<'t> Extraction<'t> {
    pub(crate) fn new(node: Node<'t>) -> Self {
        let extent = || std::iter::once(node).chain(inner_nodes(node)).map(|n| n.id).collect();
        Extraction {
            node,
            builder: Builder::new(),
            vars: FxHashMap::default(),
            inputs: Vec::new(),
            dependent: FxHashSet::default(),
            overflows: Vec::new(),
            extent: (node.id != 0).then(extent),
            sources: SourceCache::default(),
            between: None,
            wanted: None,
            failed: None,
            settled: FxHashSet::default(),
        }
    }

    /// Of a part of the run.
    pub(crate) fn between(self, between: Between) -> Self {
        Extraction { between: Some(between), ..self }
    }

    /// Of these results.
    pub(crate) fn wanted(self, wanted: Vec<Ref>) -> Self {
        Extraction { wanted: Some(wanted), ..self }
    }

    /// With the op that failed.
    pub(crate) fn failed(self, failed: Node<'t>) -> Self {
        Extraction { failed: Some(failed), ..self }
    }

    fn tape(&self) -> &'t Tape {
        self.node.tape
    }

    fn contains(&self, id: u32) -> bool {
        self.extent.as_ref().is_none_or(|set| set.contains(&id))
    }

    /// The source of a value, no further back than the arguments of the node.
    fn resolve(&mut self, r: Ref) -> Ref {
        let mut sources = std::mem::take(&mut self.sources);
        let source = sources.find(r, |r| {
            let next = self.tape().step(r)?;
            let leaves = !next.is_constant() && !self.contains(next.at);
            let given = leaves && self.tape().row(r.at).kind() == Kind::Argument;
            (self.contains(r.at) && !given).then_some(next)
        });
        self.sources = sources;
        source
    }

    pub(crate) fn run(mut self) -> Result<StraightProgram> {
        let tape = self.tape();
        let row = tape.row(self.node.id);
        let is_cut = self.node.is_open() || self.node.failed_op().is_some();
        let mut outputs: Vec<Ref> = match (&self.between, &self.wanted, is_cut) {
            (Some(between), ..) => between.to.clone(),
            (None, Some(wanted), _) => wanted.clone(),
            (None, None, true) => self.unused(),
            (None, None, false) => (0..row.results_len).map(|out| Ref { at: self.node.id, out }).collect(),
        };
        outputs.retain(|r| self.is_array(*r));
        if !self.node.is_whole() {
            outputs.iter_mut().for_each(|r| *r = self.resolve(*r));
        }
        self.settled = settled(inner_nodes(self.node), |r| self.resolve(r));
        let mut reads: Vec<(Node<'t>, Ref)> = Vec::new();
        let mut unchecked = Vec::new();
        let is_checked = self.wanted.is_none();
        let last = self.last_of_open();
        for n in inner_nodes(self.node).filter(|n| is_checked && n.is_guarded()) {
            // What the host read when nothing more was computed changes no result.
            if last.is_some_and(|last| n.id > last) {
                continue;
            }
            if self.between.as_ref().is_some_and(|b| !b.after.contains(&n.id)) {
                continue;
            }
            if n.lacks_operand() {
                return Err(unrecorded(n));
            }
            if n.may_use_anything() || n.is_unknown_read() {
                unchecked.push(n.id());
            }
            if n.op().is_some() && n.kind() == Kind::Primitive {
                let numbers = n.built_in().map(|r| self.resolve(r)).collect::<Vec<_>>();
                reads.extend(numbers.into_iter().filter(|r| !self.is_settled(*r)).map(|r| (n, r)));
                continue;
            }
            // An array that was chosen by numbers of the host is followed itself.
            let skipped = usize::from(n.kind() == Kind::Argument);
            for &r in tape.refs_of(n.id).iter().skip(skipped) {
                let is_seen = n.sees_arrays() || tape.is_host_value(r);
                for r in tape.numbers_behind(r) {
                    let is_array = self.is_array(r);
                    let from = self.resolve(r);
                    if is_seen && is_array && !self.is_settled(from) {
                        reads.push((n, from));
                    }
                }
            }
        }
        // Everything needed, earliest first.
        let (mut computed, mut given) = (BTreeSet::new(), BTreeSet::new());
        let mut todo: Vec<Ref> = outputs.iter().chain(reads.iter().map(|(_, r)| r)).copied().collect();
        let failed = self.failed;
        let given_to_failed = failed.map_or(&[][..], |n| tape.refs_of(n.id));
        todo.extend(given_to_failed.iter().map(|&r| self.resolve(r)));
        while let Some(r) = todo.pop() {
            let r = match self.linked(r) {
                Some((from, _)) => self.resolve(from),
                None => r,
            };
            if r.is_constant() {
                continue;
            }
            let n = Node { tape, id: r.at };
            match self.contains(r.at) {
                _ if self.between.as_ref().is_some_and(|b| b.from.contains(&r)) => {}
                // What does not depend on what it takes is as it was.
                _ if self.between.as_ref().is_some_and(|b| !b.after.contains(&r.at)) => {}
                // A value that was set is no longer computed.
                _ if tape.is_fixed_at(r) => drop(given.insert(r.id())),
                _ if self.is_settled(r) => {}
                true if n.is_unrecorded() || n.lacks_operand() => return Err(unrecorded(n)),
                true if n.is_followed_read() => {
                    if computed.insert(r.at) {
                        todo.extend(tape.refs_of(r.at).first().map(|&r| self.resolve(r)));
                    }
                }
                // An array that the host made comes from outside.
                true if n.is_whole() && (n.op().is_some() || n.is_written_out()) => {
                    if computed.insert(r.at) {
                        todo.extend(tape.refs_of(r.at).iter().map(|&r| self.resolve(r)));
                    }
                }
                _ => given.extend((0..tape.row(r.at).results_len).map(|out| Ref { at: r.at, out }.id())),
            }
        }
        // Inputs first: they are the first variables of a program.
        for r in self.between.as_ref().map_or(Vec::new(), |b| b.from.clone()) {
            self.input(r);
        }
        self.check_between(&computed)?;
        for r in given {
            self.input(r.reference());
        }
        for id in computed {
            self.equation(Node { tape, id })?;
        }
        let mut outs = outputs.iter().map(|&r| self.var(r)).collect::<Result<Vec<Var>>>()?;
        if let Some(n) = failed {
            outs.extend(self.equation(n)?);
        }
        let mut all = outs.clone();
        let mut guards = Vec::new();
        for (n, r) in reads {
            all.push(self.var(r)?);
            let decides = n.is_read() || tape.row(n.id).has(CONDITION) && n.result_count() == 1;
            let saw = match (n.condition(), n.number(0)) {
                (Some(c), _) if decides => SeenValue::Decision(c),
                (None, Some(x)) if n.is_read() => SeenValue::Number(x),
                _ => tape.value_of(r).map_or(SeenValue::Unknown, SeenValue::Value),
            };
            guards.push(Guard { node: n.id(), place: n.place(), saw });
        }
        for (n, v) in std::mem::take(&mut self.overflows) {
            all.push(v);
            guards.push(Guard { node: n.id(), place: n.place(), saw: SeenValue::NoOverflow(n.function().into()) });
        }
        let program = self.builder.finish_all(&all).with_name(match &*program_name(self.node.function()) {
            "" => "run",
            name => name,
        });
        let unknown = unchecked.iter().map(|&id| tape.node(id)).find(|n| n.is_unknown_read()).map(|n| UnknownRead {
            node: n.id(),
            place: n.place(),
            with: self.inputs.iter().map(|&(node, out)| tape.node(node).value(out)).collect(),
        });
        let results = outs.len();
        Ok(StraightProgram { program, inputs: self.inputs, guards, unchecked, unknown, results, failure: None })
    }

    /// The last node that gave an array or failed, in a run whose results are all that it computed and did not use: of one
    /// that was ended with a result, the host chose that by what it had read.
    fn last_of_open(&self) -> Option<u32> {
        let is_all = self.node.is_open() && self.between.is_none() && self.wanted.is_none();
        let gave =
            |n: &Node<'t>| (0..self.tape().row(n.id).results_len).any(|out| self.is_array(Ref { at: n.id, out }));
        let computed = inner_nodes(self.node).filter(|n| !n.is_read() && (gave(n) || n.unwound()));
        is_all.then(|| computed.map(|n| n.id).max().unwrap_or(0))
    }

    /// Refuses what depends on the inputs of a part in a way that no op says.
    fn check_between(&self, computed: &BTreeSet<u32>) -> Result<()> {
        let Some(between) = &self.between else { return Ok(()) };
        let depends = |r: &Ref| !r.is_constant() && (between.after.contains(&r.at) || between.from.contains(r));
        let needed = computed.iter().flat_map(|&id| self.tape().refs_of(id)).chain(&between.to);
        for r in needed.filter(|r| !r.is_constant()) {
            let (mut at, mut steps) = (*r, 0);
            while let Some(next) = self.tape().step(at).filter(|_| steps < 1 << 20) {
                let n = Node { tape: self.tape(), id: at.at };
                if n.kind() == Kind::Argument && self.tape().refs_of(at.at).iter().skip(1).any(depends) {
                    let m = format!("{} (`{}`) was chosen by a value that the part takes", n.id(), n.function());
                    return Err(Error::new(ErrorKind::Run, m).at(n.place()));
                }
                (at, steps) = (next, steps + 1);
            }
        }
        Ok(())
    }

    /// The number of the host that an operand is, and the type it has there.
    fn linked(&self, r: Ref) -> Option<(Ref, &'t Type)> {
        match r.is_constant().then(|| self.tape().constants.get(r.at as usize))?? {
            Constant::Linked(from, ty) => Some((from.reference(), ty)),
            _ => None,
        }
    }

    /// Whether it is a value of the host that is as it was for all inputs; one that was set is not.
    fn is_settled(&self, r: Ref) -> bool {
        let is = !r.is_constant() && self.settled.contains(&r.at) && !self.tape().is_fixed_at(r);
        is && self.tape().number_at(r).is_some()
    }

    fn is_array(&self, r: Ref) -> bool {
        match r.is_constant() {
            true => self.tape().constants.get(r.at as usize).is_some_and(|c| c.text().is_none()),
            false => self.tape().keep_of(r).is_some_and(|k| k.ty != 0),
        }
    }

    /// The values that were computed in a call that has not ended, and that nothing uses: its results, as far as they are
    /// known. A read of the host is no use, unless it decides something.
    fn unused(&self) -> Vec<Ref> {
        let tape = self.tape();
        let only_reads = |n: &Node<'t>| n.kind() == Kind::Special && n.is_read();
        // Nor is what failed, where the program ends before it.
        let failed = |n: &Node<'t>| self.failed.is_none() && n.unwound() && n.result_count() == 0;
        let users = std::iter::once(self.node).chain(inner_nodes(self.node));
        let users = users.filter(|n| !only_reads(n) && !failed(n));
        let mut used: FxHashMap<Ref, Vec<Node<'t>>> = FxHashMap::default();
        users.for_each(|n| tape.refs_of(n.id).iter().for_each(|r| used.entry(*r).or_default().push(n)));
        // What a call gave, other threads know by the node inside it.
        let used_by_others = |r: Ref| {
            let inside = |n: &Node<'t>| n.ancestors().any(|a| a.id == r.at);
            let inner = tape.resolve(r);
            inner != r && used.get(&inner).is_some_and(|users| users.iter().any(|n| !inside(n)))
        };
        // Nor is what destructors did while a panic unwound.
        let came_after = |n: &Node<'t>| n.meta(UNWINDING) == Some(true) && self.node.meta(UNWINDING) != Some(true);
        let made = self.node.within(|n| n.is_open()).filter(|n| matches!(n.kind(), Kind::Primitive | Kind::Call));
        let made = made.filter(|n| !came_after(n) && !n.parent().is_some_and(|p| came_after(&p)));
        let results = made.flat_map(|n| (0..tape.row(n.id).results_len).map(move |out| Ref { at: n.id, out }));
        results.filter(|r| !used.contains_key(r) && !used_by_others(*r)).collect()
    }

    fn input(&mut self, r: Ref) {
        if self.vars.contains_key(&r) {
            return;
        }
        let Some(ty) = self.tape().keep_of(r).and_then(|k| self.tape().type_of(k)) else { return };
        let v = self.builder.input(ty.clone());
        let node = Node { tape: self.tape(), id: r.at };
        if let Some(name) = node.name() {
            self.builder.set_name(v, name);
        }
        self.inputs.push((node.id(), r.out as usize));
        self.dependent.insert(v);
        self.vars.insert(r, v);
    }

    fn push(&mut self, op: Op, x: &[Var]) -> Result<Vars> {
        let y = self.builder.try_push(op, x)?;
        if x.iter().any(|v| self.dependent.contains(v)) {
            self.dependent.extend(y.iter().copied());
        }
        Ok(y)
    }

    fn var(&mut self, r: Ref) -> Result<Var> {
        if let Some((from, ty)) = self.linked(r) {
            let from = self.resolve(from);
            let x = self.var(from)?;
            let x = self.push(Op::Convert(Convert { dtype: ty.dtype }), &[x])?[0];
            let broadcast = Broadcast { shape: ty.shape.clone(), dims: Dims::default() };
            return Ok(self.push(Op::Broadcast(broadcast), &[x])?[0]);
        }
        if r.is_constant() {
            let constant = self.tape().constants.get(r.at as usize).and_then(|c| c.tensor());
            let Some(t) = constant else { return Err(Error::new(ErrorKind::Run, LEFT_OUT)) };
            return Ok(self.builder.constant(t));
        }
        if self.is_settled(r)
            && !self.vars.contains_key(&r)
            && let Some(x) = self.tape().number_at(r)
        {
            let v = self.builder.constant(x.tensor());
            self.vars.insert(r, v);
        }
        if let Some(between) = &self.between
            && !between.after.contains(&r.at)
            && !self.vars.contains_key(&r)
        {
            let was = self.tape().read_of(r)?.ok_or_else(|| {
                Error::new(ErrorKind::Run, format!("the value of @{} was not kept", r.at))
                    .note("record with `Capture::Values`")
            })?;
            let v = self.builder.constant(was);
            self.vars.insert(r, v);
        }
        self.vars.get(&r).copied().ok_or_else(|| Error::new(ErrorKind::Run, format!("@{} has no value", r.at)))
    }

    /// The one element of an array that the host read, in the type that the host has it in.
    fn read(&mut self, n: Node<'t>) -> Result<()> {
        let from = self.resolve(self.tape().refs_of(n.id)[0]);
        let mut x = self.var(from).map_err(|e| e.at(n.place()))?;
        self.builder.set_place(n.place());
        let dtype = n.host_type().expect("it gave a number").dtype();
        x = self.push(Op::Reshape(Reshape { shape: Shape::scalar() }), &[x]).map_err(|e| e.at(n.place()))?[0];
        x = self.push(Op::Convert(Convert { dtype }), &[x]).map_err(|e| e.at(n.place()))?[0];
        self.vars.entry(Ref { at: n.id, out: 0 }).or_insert(x);
        Ok(())
    }

    /// Whether an operator of the host overflowed in the run, which did not stop it: it was compiled so.
    fn has_overflowed(&self, n: Node<'t>, op: &Op) -> bool {
        let numbers = self.tape().refs_of(n.id).iter().map(|&r| self.tape().number_at(r));
        let numbers: Option<Vec<HostNumber>> = numbers.collect();
        matches!((numbers, n.number(0)), (Some(x), Some(y)) if HostNumber::overflows(op, &x, y))
    }

    /// Adds what a node did, and gives the results.
    fn equation(&mut self, n: Node<'t>) -> Result<Vec<Var>> {
        if n.is_followed_read() {
            self.read(n)?;
            return Ok(Vec::new());
        }
        let op = &*n.known_op()?;
        let refs: Vec<Ref> = self.tape().refs_of(n.id).iter().map(|&r| self.resolve(r)).collect();
        let x = refs.iter().map(|&r| self.var(r)).collect::<Result<Vec<Var>>>().map_err(|e| e.at(n.place()))?;
        self.builder.set_place(n.place());
        let y = self.push(op.clone(), &x).map_err(|e| e.at(n.place()))?;
        if let ([v], true) = (&y[..], n.host_type().is_some() && self.wanted.is_none())
            && self.dependent.contains(v)
            && !self.has_overflowed(n, op)
            && let Some(v) = overflow(&mut self.builder, op, &x, *v)
        {
            self.overflows.push((n, v));
        }
        for (out, &v) in y.iter().enumerate() {
            self.vars.entry(Ref { at: n.id, out: out as u32 }).or_insert(v);
        }
        if let ([v], Some(name)) = (&y[..], n.name()) {
            self.builder.set_name(*v, name);
        }
        Ok(y.to_vec())
    }
}
