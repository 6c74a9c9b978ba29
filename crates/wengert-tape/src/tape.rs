//! The tape itself: its rows, and the tables they refer to.

use crate::function::{HostFunction, Meaning};
use crate::host::{HostNumber, HostType};
use crate::meta::MetaValue;
use crate::node::{Node, NodeId, ResultId};
use crate::row::{Column, KeptValue, Kind, Ref, ResultRow, Row};
use crate::slice::Dependents;
use crate::source::FunctionSource;
use crate::summary::Summary;
use crate::update::Edits;
use crate::values::Values;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use wengert_core::{Op, Place, Result, Scalar, Tensor, Type};

/// The longest name of a file at a place, in bytes; of longer ones the end is kept.
pub(crate) const LONGEST_PATH: usize = 4096;

/// The source of a value that is fewer steps away than this is found without the cache.
const NEAR_STEPS: usize = 64;

/// The sources of values, as far as they were asked for.
#[derive(Default)]
pub(crate) struct SourceCache(FxHashMap<Ref, Ref>);

impl SourceCache {
    /// The source of a value, one step after another. The sources of all values on the way are remembered.
    pub(crate) fn find(&mut self, r: Ref, step: impl Fn(Ref) -> Option<Ref>) -> Ref {
        let (mut at, mut way) = (r, Vec::new());
        let source = loop {
            if let Some(&known) = self.0.get(&at) {
                break known;
            }
            let Some(next) = step(at) else { break at };
            way.push(at);
            at = next;
        };
        self.0.extend(way.into_iter().map(|r| (r, source)));
        source
    }
}

/// What a node did: the name of a function or an op, and the op where there is one to run again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    /// `mul`, `geom`, `jit train_step`; of a branch, the text of its condition.
    pub name: Arc<str>,
    /// The op.
    pub op: Option<Op>,
    /// The function of the host, where no op gives the same bits.
    pub function: Option<HostFunction>,
    /// What a file says of an op that is not known here, such as one of a user's own.
    pub unknown: Option<Arc<str>>,
    /// The path of the module a tracked function is in.
    pub(crate) module: Option<Arc<str>>,
}

impl Label {
    /// Whether a function that is called by this name may be the one: types and modules aside.
    pub(crate) fn is_of(&self, called: &str) -> bool {
        self.name.rfind(':').map_or(&*self.name, |i| &self.name[i + 1..]) == called
    }

    pub(crate) fn new(name: &str, op: Option<Op>) -> Label {
        Label { name: name.into(), op, function: None, unknown: None, module: None }
    }

    /// The label of an expression of the host.
    pub(crate) fn of_host(name: &str, meaning: Option<Meaning>) -> Label {
        match meaning {
            Some(Meaning::Function(f)) => Label { function: Some(f), ..Label::new(name, None) },
            Some(Meaning::Op(op)) => Label::new(name, Some(*op)),
            None => Label::new(name, None),
        }
    }
}

/// A value that stands in a node itself: one number (repeated over a shape), or anything that is not an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// One number, repeated over a shape.
    Number(Scalar, Type),
    /// What `Debug` says of it, cut to a length.
    Text(Arc<str>),
    /// The same, with the name of its type.
    Shown(Arc<str>, Arc<str>),
    /// A number of the host.
    Host(HostNumber),
    /// A number that a node of the host gave, in the element type of this type, and repeated over its shape.
    Linked(ResultId, Type),
}

impl Constant {
    /// The array, if it is one.
    pub fn tensor(&self) -> Option<Tensor> {
        match self {
            Constant::Number(s, t) => Some(Tensor::splat(t.shape.clone(), *s)),
            Constant::Host(x) => Some(x.tensor()),
            Constant::Text(_) | Constant::Shown(..) | Constant::Linked(..) => None,
        }
    }

    /// What it is shown as, if it is neither an array nor a number.
    pub fn text(&self) -> Option<&str> {
        match self {
            Constant::Text(t) | Constant::Shown(t, _) => Some(t),
            Constant::Number(..) | Constant::Host(_) | Constant::Linked(..) => None,
        }
    }
}

/// A number in another element type, as an expression with an array and a number of the host takes it.
pub(crate) fn converted(s: Scalar, ty: &Type) -> Option<Tensor> {
    let s = match ty.dtype.is_float() {
        true => Scalar::from_f64(ty.dtype, s.as_f64()?),
        false => Scalar::from_i64(ty.dtype, s.as_i64()?),
    };
    Some(Tensor::splat(ty.shape.clone(), s))
}

/// The record of one run: a tree of nodes in the order they began. Node 0 is the root, the recorded call itself.
#[derive(Clone)]
pub struct Tape {
    pub(crate) rows: Column<Row>,
    pub(crate) refs: Column<Ref>,
    pub(crate) results: Column<ResultRow>,
    pub(crate) summaries: Column<Summary>,
    /// The bits of numbers of the host.
    pub(crate) numbers: Column<u64>,
    /// Number 0 of places, names and types means there is none.
    pub(crate) places: Vec<Place>,
    pub(crate) names: Vec<Arc<str>>,
    pub(crate) types: Vec<Type>,
    pub(crate) labels: Vec<Label>,
    /// The sources of tracked functions, by label.
    pub(crate) sources_of: BTreeMap<u32, FunctionSource>,
    pub(crate) constants: Vec<Constant>,
    pub(crate) values: Values,
    pub(crate) metadata: BTreeMap<(u32, Arc<str>), MetaValue>,
    /// The first node whose value was cut to a summary because the limit was reached.
    pub(crate) limited: Option<u32>,
    pub(crate) edits: Edits,
    /// The number of the recording that it is of; 0 if it is from a file.
    pub(crate) recording: u32,
    pub(crate) dependents: OnceLock<Arc<Dependents>>,
    pub(crate) sources: OnceLock<Arc<SourceCache>>,
}

impl Default for Tape {
    /// The tape of nothing: there is just its root.
    fn default() -> Tape {
        Tape {
            rows: Column::Owned(vec![Row::ROOT]),
            refs: Column::default(),
            results: Column::default(),
            summaries: Column::default(),
            numbers: Column::default(),
            places: Vec::new(),
            names: Vec::new(),
            types: Vec::new(),
            labels: vec![Label::new("nothing", None)],
            sources_of: BTreeMap::new(),
            constants: Vec::new(),
            values: Values::default(),
            metadata: BTreeMap::new(),
            limited: None,
            edits: Edits::default(),
            recording: 0,
            dependents: OnceLock::new(),
            sources: OnceLock::new(),
        }
    }
}

impl Tape {
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() <= 1
    }

    /// The recorded call itself.
    pub fn root(&self) -> Node<'_> {
        Node { tape: self, id: 0 }
    }

    /// The node with this number, if there is one.
    pub fn get(&self, id: impl Into<NodeId>) -> Option<Node<'_>> {
        let id: NodeId = id.into();
        (id.index() < self.len()).then_some(Node { tape: self, id: id.index() as u32 })
    }

    /// The node with this number.
    ///
    /// # Panics
    /// If there is none.
    #[track_caller]
    pub fn node(&self, id: impl Into<NodeId>) -> Node<'_> {
        let id = id.into();
        self.get(id).unwrap_or_else(|| panic!("{id} is not a node of this tape, which has {}", self.len()))
    }

    /// All nodes in the order they began.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node<'_>> + ExactSizeIterator {
        (0..self.len() as u32).map(|id| Node { tape: self, id })
    }

    /// The first node whose value was cut to a summary because the memory limit was reached.
    pub fn limited(&self) -> Option<Node<'_>> {
        self.limited.map(|id| Node { tape: self, id })
    }

    /// Bytes that the nodes take in memory, without the values kept.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.rows)
            + size_of_val(&*self.refs)
            + size_of_val(&*self.results)
            + size_of_val(&*self.summaries)
            + size_of_val(&*self.numbers)
            + self.labels.len() * size_of::<Label>()
            + self.constants.len() * size_of::<Constant>()
            + self.types.len() * size_of::<Type>()
    }

    /// Bytes of the values kept; elements that several values share count once each.
    pub fn value_bytes(&self) -> usize {
        self.values.bytes()
    }

    #[inline]
    pub(crate) fn row(&self, id: u32) -> &Row {
        &self.rows[id as usize]
    }

    #[inline]
    pub(crate) fn refs_of(&self, id: u32) -> &[Ref] {
        let r = self.row(id);
        &self.refs[r.refs as usize..(r.refs + r.refs_len) as usize]
    }

    #[inline]
    pub(crate) fn results_of(&self, id: u32) -> &[ResultRow] {
        let r = self.row(id);
        &self.results[r.results as usize..(r.results + r.results_len) as usize]
    }

    pub(crate) fn type_of(&self, k: ResultRow) -> Option<&Type> {
        (k.ty != 0).then(|| &self.types[k.ty as usize - 1])
    }

    /// The host looks at its values: see [`record::read_of_whole_tape`](crate::record::read_of_whole_tape).
    pub(crate) fn looked_at(&self) {
        if self.recording != 0 && crate::record::any_recording() {
            crate::record::read_of_whole_tape(self);
        }
    }

    /// The same tape for our own use: that it is looked at is known to no recording.
    pub fn unobserved(&self) -> Tape {
        Tape { recording: 0, ..self.clone() }
    }

    #[inline]
    pub(crate) fn keep_of(&self, r: Ref) -> Option<ResultRow> {
        self.results_of(r.at).get(r.out as usize).copied()
    }

    /// Where a value really comes from: through the arguments of calls, and through the returns of calls that have
    /// children with values of their own.
    pub(crate) fn resolve(&self, mut r: Ref) -> Ref {
        for _ in 0..NEAR_STEPS {
            match self.step(r) {
                None => return r,
                Some(next) => r = next,
            }
        }
        // The value goes through many calls. To resolve it in each of them must not be quadratic.
        let sources = self.sources.get_or_init(|| {
            let mut sources = SourceCache::default();
            for (at, row) in self.rows.iter().enumerate() {
                for out in 0..row.results_len {
                    sources.find(Ref { at: at as u32, out }, |r| self.step(r));
                }
            }
            Arc::new(sources)
        });
        sources.0.get(&r).copied().unwrap_or(r)
    }

    /// One step of [`Tape::resolve`].
    pub(crate) fn step(&self, r: Ref) -> Option<Ref> {
        if r.is_constant() {
            return None;
        }
        let row = self.row(r.at);
        match row.kind() {
            Kind::Argument => self.refs_of(r.at).first().copied(),
            Kind::Branch => self.refs_of(r.at).get(r.out as usize).copied(),
            _ => self.refs_of(row.returns()?).get(r.out as usize).copied(),
        }
    }

    /// What was kept of the value of a reference, if that is the value itself: its number among [`Tape::values`] or
    /// [`Tape::constants`].
    fn kept(&self, r: Ref) -> Option<KeptValue> {
        if r.is_constant() {
            return Some(KeptValue::Constant(r.at));
        }
        // A jump keeps nothing of what it gives.
        match self.keep_of(r).map_or(KeptValue::Nothing, |k| KeptValue::unpack(k.kept)) {
            keep
            @ (KeptValue::Value(_) | KeptValue::Constant(_) | KeptValue::Number(_) | KeptValue::SmallNumber(_)) => {
                Some(keep)
            }
            _ => match self.resolve(r) {
                from if from == r => None,
                from => self.kept(from),
            },
        }
    }

    /// The node that an operand is of, if it is of one: also of a number that stands in an op and came from a node.
    pub(crate) fn node_of(&self, r: Ref) -> Option<u32> {
        match r.is_constant() {
            false => Some(r.at),
            true => match self.constants.get(r.at as usize)? {
                Constant::Linked(from, _) => Some(from.node.0),
                _ => None,
            },
        }
    }

    /// The type of the value a reference stands for, where that is kept.
    fn source_type(&self, r: Ref) -> Option<&Type> {
        // A jump has no results of its own.
        let k = self.keep_of(r).or_else(|| self.keep_of(self.resolve(r)))?;
        match KeptValue::unpack(k.kept) {
            KeptValue::Number(_) | KeptValue::SmallNumber(_) => self.type_of(k),
            _ => self.type_of(self.keep_of(self.resolve(r))?),
        }
    }

    /// The number of the host that a reference is, if its value was kept.
    pub(crate) fn number_at(&self, r: Ref) -> Option<HostNumber> {
        let ty = match r.is_constant() {
            true => match self.constants.get(r.at as usize)? {
                Constant::Host(x) => return Some(*x),
                _ => return None,
            },
            false => HostType::of_code(self.row(r.at).host)?,
        };
        let now = self.value_of(r).filter(|t| t.size() == 1)?;
        HostNumber::of_scalar(ty, now.get(0))
    }

    /// The bits of a number of the host, if it is one.
    pub(crate) fn number_bits(&self, kept: KeptValue) -> Option<u64> {
        match kept {
            KeptValue::Number(i) => Some(self.numbers[i as usize]),
            KeptValue::SmallNumber(bits) => Some(bits.into()),
            _ => None,
        }
    }

    /// The value a reference stands for, if it was kept.
    ///
    /// # Errors
    /// If it is in a file that is damaged.
    pub(crate) fn read_of(&self, r: Ref) -> Result<Option<Tensor>> {
        match self.kept(r) {
            Some(KeptValue::Value(i)) => self.values.get(i as usize).map(Some),
            Some(KeptValue::Constant(i)) => match self.constants.get(i as usize) {
                Some(Constant::Linked(from, ty)) => {
                    Ok(self.read_of(from.reference())?.and_then(|t| converted(t.get(0), ty)))
                }
                constant => Ok(constant.and_then(Constant::tensor)),
            },
            Some(kept @ (KeptValue::Number(_) | KeptValue::SmallNumber(_))) => {
                let number = self.source_type(r).zip(self.number_bits(kept));
                Ok(number.map(|(ty, bits)| Tensor::splat([], Scalar::from_bits(ty.dtype, u128::from(bits)))))
            }
            Some(KeptValue::Nothing | KeptValue::Summary(_)) | None => Ok(None),
        }
    }

    /// The value a reference stands for, if it was kept and is not damaged.
    pub(crate) fn value_of(&self, r: Ref) -> Option<Tensor> {
        self.read_of(r).ok().flatten()
    }

    /// Whether the value a reference stands for was kept.
    pub(crate) fn has_value(&self, r: Ref) -> bool {
        match self.kept(r) {
            Some(KeptValue::Constant(i)) => self.constants[i as usize].text().is_none(),
            kept => kept.is_some(),
        }
    }

    /// The first elements of the value a reference stands for, if it was kept: no more of a file is read.
    pub(crate) fn first_of(&self, r: Ref, count: usize) -> Result<Option<Tensor>> {
        match self.kept(r) {
            Some(KeptValue::Value(i)) => self.values.first(i as usize, count).map(Some),
            _ => self.read_of(r),
        }
    }
}

impl fmt::Debug for Tape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tape of {} nodes", self.len())
    }
}
