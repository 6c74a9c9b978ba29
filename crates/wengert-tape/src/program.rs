//! From tape to program: what this run did, as a straight line that runs again.

use crate::api::{EXIT, RAISED, REPRODUCED};
use crate::host::{HostNumber, HostType};
use crate::node::{Node, NodeId, ResultId};
use crate::row::{ABSTRACT, CONDITION, FOLLOWED, Kind, NONE, OWN, READ, Ref, Row, UNWOUND};
use crate::tape::{Constant, SourceCache, Tape};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use wengert_core::ops::{Broadcast, Convert, Reshape};
use wengert_core::run::Device;
use wengert_core::{Builder, Dims, Error, ErrorKind, Op, Place, Program, Result, Shape, Tensor, Type, Var};

/// A run, or a part of one, as a program without decisions: each decision of the host is as it was in the run.
#[derive(Debug)]
pub struct StraightProgram {
    program: Program,
    inputs: Vec<(NodeId, usize)>,
    guards: Vec<Guard>,
    /// Calls that were not recorded inside, and reads of what no node tells of.
    unchecked: Vec<NodeId>,
    /// How many outputs are results; after them come the values that the host read.
    results: usize,
    /// Of a run that failed, the op that failed, or why the program lacks it.
    failure: Option<std::result::Result<NodeId, String>>,
}

/// A value that the host read, and what it saw.
#[derive(Clone, Debug)]
struct Guard {
    node: NodeId,
    place: Place,
    saw: SeenValue,
}

#[derive(Clone, Debug)]
enum SeenValue {
    Decision(bool),
    Value(Tensor),
    /// The one element, as a number of the host.
    Number(HostNumber),
    /// A value that was not kept.
    Unknown,
}

impl StraightProgram {
    /// The program: inputs as [`StraightProgram::inputs`] says, then the results.
    pub fn program(&self) -> Program {
        let mut b = Builder::new();
        let x = b.inputs_of(&self.program);
        let y = b.inline(&self.program, &x);
        b.finish(&y[..self.results]).with_name(self.program.name())
    }

    /// The program with what the host read: [`StraightProgram::check`] takes what it gives.
    pub fn guarded_program(&self) -> &Program {
        &self.program
    }

    /// The nodes whose values are the inputs, each with the number of the result: arguments, arrays that came from
    /// outside, and what was set on the tape and so is no longer computed.
    pub fn inputs(&self) -> &[(NodeId, usize)] {
        &self.inputs
    }

    /// Of a run that failed, the node of the op that failed, which is the last equation; or why the program ends before it.
    pub fn failure(&self) -> Option<std::result::Result<NodeId, &str>> {
        self.failure.as_ref().map(|f| f.as_ref().map(|n| *n).map_err(String::as_str))
    }

    /// The values of the inputs in the recorded run, if they were kept.
    pub fn recorded_inputs(&self, tape: &Tape) -> Option<Vec<Tensor>> {
        self.inputs.iter().map(|&(n, out)| tape.get(n)?.value(out)).collect()
    }

    /// Runs the program on other inputs, with the decisions of the host as they were.
    pub fn run(&self, device: &dyn Device, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let mut y = self.run_all(device, inputs)?;
        y.truncate(self.results);
        Ok(y)
    }

    /// The results, then what the host read.
    fn run_all(&self, device: &dyn Device, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.check_inputs(&inputs)?;
        device.compile_as_written(Arc::new(self.program.clone()))?.run_on_host(inputs)
    }

    /// Runs the program on other inputs, and fails if the host would have read another value: it might have decided
    /// otherwise. The error names the first such read, or the first that can't be checked.
    pub fn run_guarded(&self, device: &dyn Device, inputs: Vec<Tensor>) -> Result<Vec<Tensor>> {
        self.check(self.run_all(device, inputs)?)
    }

    /// The results among what [`StraightProgram::guarded_program`] gave, if the host would have read the same values.
    ///
    /// # Errors
    /// As of [`StraightProgram::run_guarded`].
    pub fn check(&self, mut y: Vec<Tensor>) -> Result<Vec<Tensor>> {
        let read = y.split_off(self.results);
        for (g, now) in self.guards.iter().zip(read) {
            let why = match &g.saw {
                SeenValue::Decision(was) if *was == truth(&now) => continue,
                SeenValue::Value(was) if was.same_bits(&now) => continue,
                SeenValue::Number(was)
                    if now.size() == 1 && HostNumber::of_scalar(was.ty, now.get(0)) == Some(*was) =>
                {
                    continue;
                }
                SeenValue::Number(was) => format!(
                    "the host read {was} here, and with these inputs it reads {}: what it does then is not on the tape",
                    crate::print::short(&now)
                ),
                SeenValue::Decision(was) => {
                    format!("the host read {was} here, and with these inputs it reads {}", !was)
                }
                SeenValue::Value(was) => format!(
                    "the host read {} here, and with these inputs it reads {}: what it does then is not on the tape",
                    crate::print::short(was),
                    crate::print::short(&now)
                ),
                SeenValue::Unknown => {
                    let m = format!("what the host read here was not kept, and can't be compared ({})", g.node);
                    return Err(Error::new(ErrorKind::Run, m)
                        .at(g.place.clone())
                        .note("record with `Capture::Values`, or use `run`, which checks nothing"));
                }
            };
            return Err(flipped(why, g.node, g.place.clone()));
        }
        Ok(y)
    }

    /// The places where the host read a value that was not kept, or one that no node tells of, and the calls that were not recorded inside and may have
    /// used more than they were given: [`StraightProgram::run_guarded`] can't check these.
    pub fn unchecked(&self) -> impl Iterator<Item = NodeId> {
        let unknown = self.guards.iter().filter(|g| matches!(g.saw, SeenValue::Unknown)).map(|g| g.node);
        self.unchecked.iter().copied().chain(unknown)
    }

    fn check_inputs(&self, inputs: &[Tensor]) -> Result<()> {
        let (want, got): (Vec<_>, Vec<_>) = (self.program.input_types(), inputs.iter().map(Tensor::ty).collect());
        if want == got {
            return Ok(());
        }
        Err(Error::shape(format!("the program of this tape takes {want:?}, and was given {got:?}")))
    }
}

/// The error that nothing on the tape says how the value of a node, or of one of its operands, came about.
pub(crate) fn unrecorded(n: Node<'_>) -> Error {
    let (id, function) = (n.id(), n.function());
    let m = match n.kind() {
        _ if n.is_unknown_read() => {
            format!(
                "the host read `{function}` here ({id}), of values that were made where nothing was recorded, or of many"
            )
        }
        _ if n.lacks_operand() => format!("{id} (`{function}`) uses a value that was made where nothing was recorded"),
        Kind::Call if n.label().unknown.is_some() => format!("{id} ran `{function}`, and a tape knows only its name"),
        Kind::Call => format!("`{function}` was not recorded inside ({id})"),
        _ => format!("the value of {id} was made where nothing was recorded"),
    };
    Error::new(ErrorKind::Run, m).at(n.place())
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

impl Tape {
    /// What the run did as a straight program: from the arrays that came from outside to what it gave back. Decisions
    /// of the host become guards. A recording that was not ended with a result ([`record::collect`](crate::record::collect))
    /// gives what nothing in it uses. So does a run that failed, up to the op that failed, which is the last equation where that
    /// is possible ([`StraightProgram::failure`]): the program then fails as the run did.
    ///
    /// # Errors
    /// If it needs a value that was not recorded: of a call that was not recorded inside, or of an op that was left out.
    pub fn to_program(&self) -> Result<StraightProgram> {
        self.root().to_program()
    }
}

impl Tape {
    /// The part of the run between these results and those: a program that takes the first, in their order, and gives the
    /// second. Whatever else it needs is as it was in the run. Decisions of the host that depend on what it takes become
    /// guards.
    ///
    /// # Errors
    /// As [`Tape::to_program`]; if a value that it needs was not kept; or if something between them depends on what it takes in
    /// a way that no op says: a call of the host, an element that it chose.
    pub fn slice<I: Into<ResultId> + Copy, O: Into<ResultId> + Copy>(
        &self,
        from: &[I],
        to: &[O],
    ) -> Result<StraightProgram> {
        let from = from.iter().map(|&r| self.array(r.into())).collect::<Result<Vec<Ref>>>()?;
        let to = to.iter().map(|&r| self.array(r.into())).collect::<Result<Vec<Ref>>>()?;
        if let Some(r) = from.iter().find(|r| r.is_constant()) {
            return Err(Error::shape(format!("⟨{}⟩ stands in the program itself", self.constants[r.at as usize])));
        }
        let mut after: FxHashSet<u32> = from.iter().flat_map(|r| self.node(r.at).forward()).map(|n| n.id).collect();
        // What was made where nothing was recorded may depend on any node before it.
        if let Some(first) = from.iter().map(|r| r.at).min() {
            for id in self.dependents().unknown_after(first) {
                after.insert(id);
                after.extend(self.node(id).forward().map(|n| n.id));
            }
        }
        let between = Between { from, to, after };
        Extraction { between: Some(between), ..Extraction::new(self.root()) }.run()
    }

    /// The run as a straight program that gives these results instead of its own: what a value was that was not kept, the
    /// program finds out again. Decisions of the host are as they were, and are not checked.
    ///
    /// # Errors
    /// As [`Tape::to_program`], or if one of them is no array.
    pub fn program_of<R: Into<ResultId> + Copy>(&self, results: &[R]) -> Result<StraightProgram> {
        let wanted = results.iter().map(|&r| self.array(r.into())).collect::<Result<Vec<Ref>>>()?;
        Extraction { wanted: Some(wanted), ..Extraction::new(self.root()) }.run()
    }

    /// Whether a reference is to a node whose result is a value of the host, or has one beside its arrays.
    pub(crate) fn is_host_value(&self, r: Ref) -> bool {
        let is_number_or_text = |row: &Row| row.host != 0 || self.keep_of(r).is_none_or(|k| k.ty == 0);
        let row = if r.is_constant() { return false } else { self.row(r.at) };
        is_number_or_text(row) || row.returns().is_some_and(|id| self.row(id).refs_len > row.results_len)
    }

    /// The numbers of the host that the result of a call is made of, if all of those in it are among them: each with its node, or
    /// none where it stands in the source.
    pub fn numbers_given_by(&self, call: NodeId) -> Option<Vec<(Option<ResultId>, HostNumber)>> {
        let row = self.row(call.0);
        let arrays = if row.host == 0 { self.results_of(call.0).iter().filter(|k| k.ty != 0).count() } else { 0 };
        let parts = self.refs_of(row.returns()?).get(arrays..)?;
        let number = |&r: &Ref| match r.is_constant() {
            true => match self.constants.get(r.at as usize)? {
                Constant::Host(x) => Some((None, *x)),
                _ => None,
            },
            false => Some((Some(r.id()), self.node(r.at).number(r.out as usize)?)),
        };
        let numbers: Vec<_> = parts.iter().filter_map(number).collect();
        // Beside a value that is no number, one that is may be a part of the result, or the index of one.
        let is_float = |(_, x): &(_, HostNumber)| matches!(x.ty, HostType::F32 | HostType::F64);
        (numbers.len() == parts.len() || numbers.iter().all(is_float)).then_some(numbers)
    }

    /// The numbers of the host to which the return of a call refers.
    pub fn host_values_given_by(&self, call: NodeId) -> impl Iterator<Item = (ResultId, HostNumber)> {
        let refs = self.row(call.0).returns().into_iter().flat_map(|id| self.host_values_of(id));
        refs.filter_map(|r| Some((r.id(), self.node(r.at).number(r.out as usize)?)))
    }

    /// The values of the host to which a node refers.
    pub(crate) fn host_values_of(&self, id: u32) -> impl Iterator<Item = Ref> {
        self.refs_of(id).iter().copied().filter(|&r| self.is_host_value(r))
    }

    /// Where an array comes from.
    fn array(&self, r: ResultId) -> Result<Ref> {
        let there = self.get(r.node).is_some_and(|n| r.out < n.result_count() && n.ty(r.out).is_some());
        match there {
            true => Ok(self.resolve(r.reference())),
            false => Err(Error::shape(format!("{r} is no array or number of this tape"))),
        }
    }
}

/// The ends of a part of a run, and the nodes that depend on the first.
struct Between {
    from: Vec<Ref>,
    to: Vec<Ref>,
    after: FxHashSet<u32>,
}

impl Node<'_> {
    /// What the node did as a straight program: from what it was given to what it gave back; see [`Tape::to_program`].
    pub fn to_program(self) -> Result<StraightProgram> {
        let all = || Extraction::new(self).run();
        let failed = match self.failed_op() {
            None => return all(),
            Some(Err(why)) => Err(why),
            Some(Ok(n)) => match (Extraction { failed: Some(n), ..Extraction::new(self) }).run() {
                Ok(p) => return Ok(StraightProgram { failure: Some(Ok(n.id())), ..p }),
                Err(e) => Err(format!("`{}` ({}) can't be a part of it: {}", n.function(), n.id(), e.message())),
            },
        };
        Ok(StraightProgram { failure: Some(failed), ..all()? })
    }

    /// Whether it is the whole run, and that ended well: an error that came last was caught.
    pub fn ended_well(self) -> bool {
        let is_process = || self.meta(EXIT) == Some(0) && self.meta(REPRODUCED) != Some(true);
        self.id == 0 && (self.gives_arrays() || is_process())
    }

    fn gives_arrays(self) -> bool {
        (0..self.result_count()).any(|out| self.ty(out).is_some())
    }

    /// The op that a call failed at, if it did; an error says what failed instead.
    fn failed_op(self) -> Option<std::result::Result<Self, String>> {
        // An error that came from no call may be that of the op before it: a kernel that panics is apart from what is open.
        let is_error = |n: &Self| n.op().is_none() && n.function() == RAISED;
        let last = |n: Self| {
            let ended = n.children().filter(|n| n.kind() != Kind::Return);
            let [before, last] = ended.fold([None; 2], |[_, before], n| [before, n.unwound().then_some(n)]);
            before.filter(|before| before.op().is_some() && last.is_some_and(|n| is_error(&n))).or(last)
        };
        if self.ended_well() {
            return None;
        }
        let mut found = last(self).filter(|_| !self.gives_arrays() && !self.is_whole())?;
        while found.op().is_none()
            && let Some(inside) = last(found)
        {
            found = inside;
        }
        Some(match found.op() {
            Some(_) => Ok(found),
            None if is_error(&found) => Err("it is no op that failed".to_string()),
            None if found.label().unknown.is_some() => {
                Err(format!("`{}` ({}) needs an op that this process does not have", found.function(), found.id()))
            }
            None => Err(format!("`{}` ({}) failed before it came to an op", found.function(), found.id())),
        })
    }

    /// Whether it is a call that has not ended, as far as the tape goes: its inside is there, and nothing that it gave.
    fn is_open(self) -> bool {
        let row = self.tape.row(self.id);
        row.kind() == Kind::Call
            && self.op().is_none()
            && row.has_own_children()
            && row.extra == NONE
            && row.results_len == 0
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

    /// Whether a part of its op is code of the user's, which may use more than the operands.
    pub(crate) fn runs_code_of_users(self) -> bool {
        let custom = |op: &Op| matches!(op, Op::Custom(_));
        self.op().is_some_and(|op| custom(op) || op.programs().iter().any(|p| p.any(|_, e| custom(&e.op))))
    }

    /// Whether the host read an array here: from one array (or one that was left out) comes what it saw, as text. A
    /// branch on what was read elsewhere refers to the reads, which are no arrays.
    pub(crate) fn is_read(self) -> bool {
        self.tape.row(self.id).has(READ) && !self.tape.refs_of(self.id).is_empty()
    }

    /// Whether the host read something here, and nothing on the tape says what.
    fn is_unknown_read(self) -> bool {
        self.tape.row(self.id).has(READ) && self.tape.refs_of(self.id).is_empty()
    }

    /// Whether it is a read of one number that is used as the nodes that refer to it say.
    pub(crate) fn is_followed_read(self) -> bool {
        let row = self.tape.row(self.id);
        row.has(FOLLOWED) && row.kind() == Kind::Special && self.is_read() && self.host_type().is_some()
    }

    /// Whether the host evaluated something here, which gave no array and of which no op is known.
    pub(crate) fn is_of_host(self) -> bool {
        let gives_array = || (0..self.result_count()).any(|out| self.ty(out).is_some()) && self.host_type().is_none();
        self.kind() == Kind::Primitive && self.op().is_none() && self.label().unknown.is_none() && !gives_array()
    }

    /// Whether it is a call whose result is used as the nodes that refer to it say, or the run itself.
    pub(crate) fn is_followed_call(self) -> bool {
        self.id == 0 || self.tape.row(self.id).has(FOLLOWED)
    }

    /// Whether it is the return of a call that gave values of the host to code that is not tracked.
    fn tells_host(self) -> bool {
        let is_own = |call: &Self| self.tape.row(call.id).returns() == Some(self.id);
        let call = self.parent().filter(is_own);
        call.is_some_and(|call| !call.is_followed_call()) && self.tape.host_values_of(self.id).next().is_some()
    }

    /// Whether a program that is run on other values must see here what the run saw: the host decided by it, read it, or
    /// did something with it that no op says.
    fn is_guarded(self) -> bool {
        let row = self.tape.row(self.id);
        let given = row.refs_len > 0;
        match row.kind() {
            Kind::Special => self.is_unknown_read() || self.is_read() && !self.is_followed_read(),
            Kind::Branch => self.is_read() || given && row.results_len > 0,
            Kind::Primitive => given && self.op().is_none() && row.results_len > 0,
            Kind::Argument => row.refs_len > 1,
            Kind::Return => self.tells_host(),
            _ => self.may_use_anything(),
        }
    }

    /// Whether it gave values, and nothing on the tape says how: a call that was not recorded inside, or what was made
    /// where nothing was recorded.
    pub(crate) fn is_unrecorded(self) -> bool {
        let row = self.tape.row(self.id);
        match row.kind() {
            _ if row.results_len == 0 => false,
            // What came from a file says from which.
            Kind::Special => row.refs_len == 0,
            Kind::Call => self.op().is_none() && row.returns().is_none() && !row.has(UNWOUND),
            _ => false,
        }
    }

    /// Whether it is a call that was not recorded inside, of a function that is not our own: beyond what it was given it
    /// may have used anything, and what the host does next, or a program made inside, may hang on that.
    pub(crate) fn may_use_anything(self) -> bool {
        let nothing = self.result_count() == 1 && self.type_name(0).as_deref() == Some("()");
        self.kind() == Kind::Call && self.is_unrecorded() && !nothing && !self.tape.row(self.id).has(OWN)
    }

    /// Whether a context left out an array that it uses: what is not an array stands there.
    pub(crate) fn lacks_operand(self) -> bool {
        let constant = |r: &Ref| r.is_constant().then(|| self.tape.constants.get(r.at as usize)).flatten();
        let text = |r: &Ref| constant(r).is_some_and(|c| c.text().is_some());
        self.tape.refs_of(self.id).iter().enumerate().any(|(i, r)| text(r) && self.takes_array(i))
    }

    /// Whether an operand is an array.
    fn takes_array(self, i: usize) -> bool {
        match self.kind() {
            Kind::Argument => self.ty(i).is_some(),
            Kind::Return => self.parent().is_some_and(|p| p.ty(i).is_some()),
            Kind::Primitive | Kind::Call => self.is_whole() && self.op().is_some(),
            _ => i == 0 && self.is_read(),
        }
    }
}

const LEFT_OUT: &str = "an operand was made where nothing was recorded";

struct Extraction<'t> {
    node: Node<'t>,
    builder: Builder,
    vars: FxHashMap<Ref, Var>,
    inputs: Vec<(NodeId, usize)>,
    /// The node and those that ran inside it; none stands for all, if the node is the root.
    extent: Option<FxHashSet<u32>>,
    sources: SourceCache,
    /// The ends of the part that is wanted, if it is not all.
    between: Option<Between>,
    /// The results that are wanted, if they are not those of the node.
    wanted: Option<Vec<Ref>>,
    /// The op that failed, which comes last.
    failed: Option<Node<'t>>,
}

/// The nodes that ran inside a node: the programs of calls that ran as a whole are not among them, nor the steps of an op.
fn inner_nodes(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.within(|n| !n.is_abstract() && n.kind() != Kind::Primitive).take(if node.is_whole() { 0 } else { usize::MAX })
}

impl<'t> Extraction<'t> {
    fn new(node: Node<'t>) -> Self {
        let extent = || std::iter::once(node).chain(inner_nodes(node)).map(|n| n.id).collect();
        Extraction {
            node,
            builder: Builder::new(),
            vars: FxHashMap::default(),
            inputs: Vec::new(),
            extent: (node.id != 0).then(extent),
            sources: SourceCache::default(),
            between: None,
            wanted: None,
            failed: None,
        }
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

    fn run(mut self) -> Result<StraightProgram> {
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
        let mut reads: Vec<(Node<'t>, Ref)> = Vec::new();
        let mut unchecked = Vec::new();
        let is_checked = self.wanted.is_none();
        for n in inner_nodes(self.node).filter(|n| is_checked && n.is_guarded()) {
            if self.between.as_ref().is_some_and(|b| !b.after.contains(&n.id)) {
                continue;
            }
            if n.lacks_operand() {
                return Err(unrecorded(n));
            }
            if n.may_use_anything() || n.is_unknown_read() {
                unchecked.push(n.id());
            }
            // An array that was chosen by numbers of the host is followed itself.
            let skipped = usize::from(n.kind() == Kind::Argument);
            for &r in tape.refs_of(n.id).iter().skip(skipped) {
                let is_seen = !(n.kind() == Kind::Return || n.is_of_host()) || tape.is_host_value(r);
                if is_seen && self.is_array(r) {
                    reads.push((n, self.resolve(r)));
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
                true if n.is_unrecorded() || n.lacks_operand() => return Err(unrecorded(n)),
                true if n.is_followed_read() => {
                    if computed.insert(r.at) {
                        todo.extend(tape.refs_of(r.at).first().map(|&r| self.resolve(r)));
                    }
                }
                // An array that the host made comes from outside.
                true if n.is_whole() && n.op().is_some() => {
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
        let program = self.builder.finish_all(&all).with_name(match &*program_name(self.node.function()) {
            "" => "run",
            name => name,
        });
        Ok(StraightProgram { program, inputs: self.inputs, guards, unchecked, results: outs.len(), failure: None })
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
        let made = self.node.within(|n| n.is_open()).filter(|n| matches!(n.kind(), Kind::Primitive | Kind::Call));
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
        self.vars.insert(r, v);
    }

    fn var(&mut self, r: Ref) -> Result<Var> {
        if let Some((from, ty)) = self.linked(r) {
            let from = self.resolve(from);
            let x = self.var(from)?;
            let x = self.builder.try_push(Op::Convert(Convert { dtype: ty.dtype }), &[x])?[0];
            let broadcast = Broadcast { shape: ty.shape.clone(), dims: Dims::default() };
            return Ok(self.builder.try_push(Op::Broadcast(broadcast), &[x])?[0]);
        }
        if r.is_constant() {
            let constant = self.tape().constants.get(r.at as usize).and_then(|c| c.tensor());
            let Some(t) = constant else { return Err(Error::new(ErrorKind::Run, LEFT_OUT)) };
            return Ok(self.builder.constant(t));
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
        x = self
            .builder
            .try_push(Op::Reshape(Reshape { shape: Shape::scalar() }), &[x])
            .map_err(|e| e.at(n.place()))?[0];
        x = self.builder.try_push(Op::Convert(Convert { dtype }), &[x]).map_err(|e| e.at(n.place()))?[0];
        self.vars.entry(Ref { at: n.id, out: 0 }).or_insert(x);
        Ok(())
    }

    /// Adds what a node did, and gives the results.
    fn equation(&mut self, n: Node<'t>) -> Result<Vec<Var>> {
        if n.is_followed_read() {
            self.read(n)?;
            return Ok(Vec::new());
        }
        let Some(op) = n.op() else {
            let m = format!("{} ran `{}`, and a tape knows only its name", n.id(), n.function());
            return Err(Error::new(ErrorKind::Run, m).at(n.place()));
        };
        let refs: Vec<Ref> = self.tape().refs_of(n.id).iter().map(|&r| self.resolve(r)).collect();
        let x = refs.iter().map(|&r| self.var(r)).collect::<Result<Vec<Var>>>().map_err(|e| e.at(n.place()))?;
        self.builder.set_place(n.place());
        let y = self.builder.try_push(op.clone(), &x).map_err(|e| e.at(n.place()))?;
        for (out, &v) in y.iter().enumerate() {
            self.vars.entry(Ref { at: n.id, out: out as u32 }).or_insert(v);
        }
        if let ([v], Some(name)) = (&y[..], n.name()) {
            self.builder.set_name(*v, name);
        }
        Ok(y.to_vec())
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
