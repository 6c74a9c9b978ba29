//! Two recorded runs: where they were built otherwise, and the first node whose values part although what it was given agrees.

use super::kept::RunValues;
use super::outcomes::Moved;
use super::structure::{Matching, Pair, StructuralDifference, is_same_constant};
use super::{beyond, in_type};
use crate::sizes::{INTEGER_STEP, Sizes};
use crate::symptom::gap;
use rustc_hash::{FxHashMap, FxHashSet};
use wengert::Node;
use wengert::tape::{Argument, Kind, NodeRef, ResultId, Tape};
use wengert_core::compare::{Comparison, compare};
use wengert_core::{Result, Tensor};

/// How many nodes after the first that parts are told of.
const FOLLOWING: usize = 5;

/// How many are looked at for that.
const LOOKED_AT: usize = 200;

/// What two recorded runs do not have in common.
#[derive(Clone, Debug)]
pub struct TapeDiff {
    /// Where they were built otherwise, as a tree from the roots; none if they were not.
    pub structure: Option<StructuralDifference>,
    /// What the runs were given, where that is not the same.
    pub inputs: Vec<NodeGap>,
    /// The first node whose values part although what it was given agrees.
    pub first: Option<NodeParting>,
    /// The results of the runs, as far as they part.
    pub results: Vec<NodeGap>,
    /// How many values were compared.
    pub compared: usize,
    /// How many were not, since they were neither kept nor can be found again, and why the first of them was not.
    pub unknown: (usize, Option<String>),
    /// How many of those compared were held to the largest number of their array, and not each number to its own size: only summaries were
    /// kept, or the run can't be made with other roundings, or is too large for it.
    pub by_largest: usize,
    /// How many programs were run on both sides to find values that were not kept.
    pub runs: usize,
}

/// The values that two nodes have for the same, and by how much they part.
#[derive(Clone, Debug)]
pub struct NodeGap {
    /// The result in the first run.
    pub a: ResultId,
    /// The result in the second run.
    pub b: ResultId,
    /// The largest difference, as a part of the number that the first run has, or of what that is left of; NaN where only one of two
    /// numbers is finite.
    pub gap: f64,
}

/// A node whose values part.
#[derive(Clone, Debug)]
pub struct NodeParting {
    /// Which results, and by how much.
    pub at: NodeGap,
    /// How far apart they are, the second run against the first; none where only summaries were kept.
    pub comparison: Option<Comparison>,
    /// The operands that are not the same: numbers, or what nodes made that do not stand for each other. Which operand, and what it is in
    /// each run.
    pub operands: Vec<(usize, String, String)>,
    /// Whether the evaluator finds what each run has again, from what each was given; none if the op can't be run alone.
    pub again: Option<(bool, bool)>,
    /// The next nodes that part, in order.
    pub following: Vec<NodeGap>,
}

impl TapeDiff {
    /// Compares two runs by the values they kept, or by running them again where they kept none. Values part where they
    /// differ by more than `tolerance` of an element, or of what the element is left of, and by more than rounding makes of it.
    ///
    /// # Errors
    /// If a value on a tape is damaged.
    ///
    /// ```
    /// use wengert::{Array, Capture, Recorder};
    /// use wengert_repro::diff::TapeDiff;
    /// let run = |by: f32| {
    ///     let x = Array::from([1.0f32, 2.0]);
    ///     Recorder::new().capture(Capture::Values).record(move || (x.sin() * by).exp()).1
    /// };
    /// let (a, b) = (run(2.0), run(2.5));
    /// let found = TapeDiff::new(&a, &b, 1e-3)?;
    /// let first = found.first.unwrap();
    /// assert_eq!(a.node(first.at.a.node).function(), "mul");
    /// assert!(TapeDiff::new(&a, &a, 0.0)?.is_none());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn new(a: &Tape, b: &Tape, tolerance: f64) -> Result<TapeDiff> {
        Search::new(a, b, RunValues::new(a), RunValues::new(b), tolerance).run()
    }

    /// The same for both runs on other inputs, which are those of [`Tape::to_program`] in order: all is run again, with the
    /// decisions of the host as they were.
    ///
    /// # Errors
    /// If a run does not take these inputs, or is no program.
    ///
    /// ```
    /// use wengert::{Array, record};
    /// use wengert_repro::diff::TapeDiff;
    /// let x = Array::from([1.0f32, 2.0]);
    /// let (_, a) = record(|| x.sin().exp());
    /// let (_, b) = record(|| x.sin().sinh());
    /// let found = TapeDiff::on(&a, &b, &[x.to_tensor()], 1e-3)?;
    /// // Neither kept values; what is given back is another op's.
    /// assert!(found.structure.is_some() && !found.results.is_empty() && found.runs > 0);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn on(a: &Tape, b: &Tape, inputs: &[Tensor], tolerance: f64) -> Result<TapeDiff> {
        Search::new(a, b, RunValues::on(a, inputs)?, RunValues::on(b, inputs)?, tolerance).run()
    }

    /// Whether nothing was found that differs, and not all that the runs gave could be compared: values were neither kept nor can be
    /// found again.
    ///
    /// ```
    /// use wengert::{Array, record};
    /// use wengert_repro::diff::TapeDiff;
    /// // Neither kept values.
    /// let run = |x: f32| record(|| Array::from([x, 2.0]).sin()).1;
    /// let found = TapeDiff::new(&run(1.0), &run(7.0), 1e-3)?;
    /// assert!(found.is_none() && found.is_undecided());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn is_undecided(&self) -> bool {
        self.is_none() && self.unknown.0 > 0
    }

    /// Whether the runs have all in common, as far as could be compared.
    ///
    /// ```
    /// use wengert::{Array, record};
    /// let (_, tape) = record(|| Array::from([1.0f32, 2.0]).sin());
    /// assert!(wengert_repro::diff::TapeDiff::new(&tape, &tape, 0.0)?.is_none());
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn is_none(&self) -> bool {
        self.structure.is_none() && self.inputs.is_empty() && self.first.is_none() && self.results.is_empty()
    }
}

/// A result that both runs have.
#[derive(Clone, Copy)]
pub(super) struct Point<'t> {
    pub(super) a: NodeRef<'t>,
    pub(super) b: NodeRef<'t>,
}

impl Point<'_> {
    fn ids(&self) -> (ResultId, ResultId) {
        (self.a.into(), self.b.into())
    }

    fn with(&self, gap: f64) -> NodeGap {
        NodeGap { a: self.a.into(), b: self.b.into(), gap }
    }
}

pub(super) struct Search<'t> {
    pub(super) matching: Matching<'t>,
    roots: (Node<'t>, Node<'t>),
    tapes: (&'t Tape, &'t Tape),
    pub(super) points: Vec<Point<'t>>,
    pub(super) left: RunValues<'t>,
    pub(super) right: RunValues<'t>,
    pub(super) tolerance: f64,
    gaps: FxHashMap<(ResultId, ResultId), Option<f64>>,
    /// How far the elements of results move where a run is rounded otherwise, as far as that was asked for and can be found.
    moved: FxHashMap<(ResultId, ResultId), Option<Moved>>,
    /// How many results were held to the largest number of their array.
    by_largest: usize,
}

/// Whether what a node gives is its own: neither what it was handed nor a decision.
fn gives(n: Node<'_>) -> bool {
    match n.kind() {
        Kind::Primitive | Kind::Call | Kind::Special | Kind::Constant => true,
        Kind::Argument => n.arguments().len() == 0 && is_input(n),
        _ => false,
    }
}

/// Whether it comes from outside: what the body of a loop is given in a turn does not.
pub(super) fn is_input(n: Node<'_>) -> bool {
    match n.kind() {
        Kind::Constant => true,
        Kind::Argument => n.parent().is_none_or(|p| p.parent().is_none()),
        _ => false,
    }
}

/// The results that two nodes have in common: arrays of one shape, or numbers.
fn points<'t>(pair: Pair<'t>) -> impl Iterator<Item = Point<'t>> {
    let Pair { a, b, ran } = pair;
    let count = a.result_count().min(b.result_count());
    let both = (0..count).filter(move |&i| match (a.ty(i), b.ty(i)) {
        (Some(x), Some(y)) => x.shape == y.shape,
        _ => a.number(i).is_some() && b.number(i).is_some(),
    });
    let both = both.map(move |out| Point { a: NodeRef { node: a, out }, b: NodeRef { node: b, out } });
    both.filter(move |_| ran && gives(a) && gives(b))
}

/// What a run made, and nothing in it uses: that is what came of a run that gives nothing back.
fn unused<'t>(points: &[Point<'t>]) -> Vec<Point<'t>> {
    let mut used = FxHashSet::default();
    for argument in points.iter().flat_map(|p| p.a.node.arguments()) {
        if let Argument::Node(operand) = argument {
            used.insert(ResultId::from(operand));
        }
    }
    let is_unused = |p: &&Point<'t>| !is_input(p.a.node) && !used.contains(&p.a.into());
    points.iter().filter(is_unused).copied().collect()
}

impl<'t> Search<'t> {
    fn new(a: &'t Tape, b: &'t Tape, left: RunValues<'t>, right: RunValues<'t>, tolerance: f64) -> Search<'t> {
        let matching = Matching::new(a, b);
        let points = matching.pairs.iter().flat_map(|&p| points(p)).collect();
        let roots = (a.root(), b.root());
        Search {
            matching,
            roots,
            tapes: (a, b),
            points,
            left,
            right,
            tolerance,
            gaps: FxHashMap::default(),
            moved: FxHashMap::default(),
            by_largest: 0,
        }
    }

    fn run(mut self) -> Result<TapeDiff> {
        let structure = self.matching.differences(self.roots.0, self.roots.1);
        let points = self.points.clone();
        let root = self.roots.0;
        let is_root = |p: &Point<'t>| p.a.node == root;
        let mut results: Vec<Point<'t>> = points.iter().copied().filter(is_root).collect();
        if results.is_empty() {
            results = unused(&points);
        }
        self.measure_kept()?;
        let (mut inputs, mut first, mut any) = (Vec::new(), None, None);
        // What is around a node that parts does so for that.
        let mut around = FxHashSet::default();
        for (i, p) in points.iter().enumerate() {
            let Some(by) = self.kept_gap(p)?.filter(|&by| beyond(by, self.tolerance)) else { continue };
            let is_around = around.contains(&p.a.node.id());
            around.extend(std::iter::successors(p.a.node.parent(), |n| n.parent()).map(|n| n.id()));
            if is_input(p.a.node) {
                inputs.push(p.with(by));
            } else if first.is_none() && !is_root(p) && !is_around {
                any = any.or(Some(i));
                if self.parted_operand(p)?.is_none() {
                    first = Some(i);
                }
            }
        }
        if inputs.is_empty()
            && let Some(parted) = first.or(any)
        {
            first = self.source(parted)?.or(first);
        }
        // Of values that nobody kept, few are asked for: those of the results, and on the way back to where they part.
        let mut parted = Vec::new();
        for p in &results {
            if let Some(by) = self.gap(p)?.filter(|&by| beyond(by, self.tolerance)) {
                parted.push(p.with(by));
            }
        }
        if first.is_none() && !parted.is_empty() {
            first = self.earliest()?.filter(|&i| !around.contains(&points[i].a.node.id()));
            if let Some(p) = first.map(|i| points[i]).filter(|p| is_input(p.a.node)) {
                let by = self.gap(&p)?.unwrap_or(f64::NAN);
                if inputs.is_empty() {
                    inputs.push(p.with(by));
                }
                first = None;
            }
        }
        let first = first.map(|i| self.parting(i)).transpose()?;
        let unknown = self.gaps.values().filter(|g| g.is_none()).count();
        let why = self.left.unknown.take().or(self.right.unknown.take()).map(|e| e.message().to_string());
        let (compared, runs) = (self.gaps.len() - unknown, self.left.runs + self.right.runs);
        let (unknown, by_largest) = ((unknown, why), self.by_largest);
        Ok(TapeDiff { structure, inputs, first, results: parted, compared, unknown, by_largest, runs })
    }

    /// Whether it depends on what elements are left of by how much two results differ. What a run was given is nothing but itself.
    fn asks_for_sizes(&self, p: &Point<'t>, x: &Tensor, y: &Tensor) -> bool {
        let may_be = self.tolerance > 0.0 && x.dtype().is_differentiable() && !is_input(p.a.node);
        may_be && beyond(Sizes::of_elements(x).gap(x, y), self.tolerance)
    }

    /// Finds out what the elements of results that were kept are left of, of all at once.
    fn measure_kept(&mut self) -> Result<()> {
        let mut asked = Vec::new();
        for p in self.points.iter().filter(|p| self.left.is_kept(p.a) && self.right.is_kept(p.b)) {
            if let (Some(x), Some(y)) = (self.left.kept(p.a)?, self.right.kept(p.b)?)
                && self.asks_for_sizes(p, &x, &y)
            {
                asked.push(p.ids());
            }
        }
        self.move_all(&asked);
        Ok(())
    }

    fn move_all(&mut self, asked: &[(ResultId, ResultId)]) {
        if asked.is_empty() {
            return;
        }
        let (a, b): (Vec<ResultId>, Vec<ResultId>) = asked.iter().copied().unzip();
        // What both were given is the same within the tolerance.
        let there = |id: ResultId| {
            let (a, b) = (id, ResultId { node: self.matching.partner(id.node)?, out: id.out });
            let at = |tape: &'t Tape, id: ResultId| NodeRef { node: tape.node(id.node), out: id.out };
            let (p, q) = (at(self.tapes.0, a), at(self.tapes.1, b));
            let (x, y) = (self.left.kept(p).ok()??, self.right.kept(q).ok()??);
            let sizes = if is_input(p.node) { Sizes::of_elements(&x) } else { Sizes::of_values(&x) };
            (x.ty() == y.ty() && !beyond(sizes.gap(&x, &y), self.tolerance)).then_some(y)
        };
        let both = self.left.moved(&a, &there).into_iter().zip(self.right.moved(&b, &|_| None));
        let both: Vec<Option<Moved>> = both.map(|(a, b)| Some(a?.or(b?))).collect();
        self.moved.extend(asked.iter().copied().zip(both));
    }

    /// What may become of a result by what its op itself rounds, where both runs gave it the same bits.
    pub(super) fn moved_alone(&self, p: &Point<'t>) -> Option<Moved> {
        let same = |(x, y): (Argument<'t>, Argument<'t>)| match (x, y) {
            (Argument::Node(a), Argument::Node(b)) => {
                matches!((self.left.kept(a), self.right.kept(b)), (Ok(Some(x)), Ok(Some(y))) if x.same_bits(&y))
            }
            (Argument::Constant(x), Argument::Constant(y)) => is_same_constant(x, y),
            _ => false,
        };
        let (a, b) = (p.a.node, p.b.node);
        let is_given_the_same =
            a.arguments().len() == b.arguments().len() && a.arguments().zip(b.arguments()).all(same);
        if a.op().is_none() || b.op().is_none() || !is_given_the_same {
            return None;
        }
        Some(self.left.moved_alone(p.a)?.or(self.right.moved_alone(p.b)?))
    }

    /// By how much two values of a result differ.
    fn difference(&mut self, p: &Point<'t>, x: &Tensor, y: &Tensor) -> f64 {
        if !self.asks_for_sizes(p, x, y) {
            let of_elements = is_input(p.a.node) && x.dtype().is_differentiable();
            return if of_elements { Sizes::of_elements(x).gap(x, y) } else { gap(x, y) };
        }
        if let Some(moved) = self.moved_alone(p) {
            return moved.gap(x, y, self.tolerance);
        }
        if !self.moved.contains_key(&p.ids()) {
            self.move_all(&[p.ids()]);
        }
        match &self.moved[&p.ids()] {
            Some(moved) => moved.gap(x, y, self.tolerance),
            None => {
                self.by_largest += 1;
                gap(x, y)
            }
        }
    }

    /// By how much two results differ, as far as both were kept.
    fn kept_gap(&mut self, p: &Point<'t>) -> Result<Option<f64>> {
        if !(self.left.is_kept(p.a) && self.right.is_kept(p.b)) {
            return Ok(None);
        }
        if let Some(&known) = self.gaps.get(&p.ids()) {
            return Ok(known);
        }
        let found = match (self.left.kept(p.a)?, self.right.kept(p.b)?) {
            (Some(x), Some(y)) => Some(self.difference(p, &x, &y)),
            _ => {
                let found = summary_gap(p);
                self.by_largest += usize::from(found.is_some_and(|by| by != 0.0));
                found
            }
        };
        self.gaps.insert(p.ids(), found);
        Ok(found)
    }

    /// By how much two results differ; what was not kept is run again.
    fn gap(&mut self, p: &Point<'t>) -> Result<Option<f64>> {
        if let Some(known) = self.kept_gap(p)? {
            return Ok(Some(known));
        }
        if let Some(&known) = self.gaps.get(&p.ids()) {
            return Ok(known);
        }
        let found = match (self.left.value(p.a)?, self.right.value(p.b)?) {
            (Some(x), Some(y)) => Some(self.difference(p, &x, &y)),
            _ => None,
        };
        self.gaps.insert(p.ids(), found);
        Ok(found)
    }

    fn parts(&mut self, p: &Point<'t>) -> Result<bool> {
        Ok(self.gap(p)?.is_some_and(|by| beyond(by, self.tolerance)))
    }

    /// The first operand that two nodes were not given the same of.
    fn parted_operand(&mut self, p: &Point<'t>) -> Result<Option<Point<'t>>> {
        for (x, y) in p.a.node.arguments().zip(p.b.node.arguments()) {
            if let (Argument::Node(a), Argument::Node(b)) = (x, y) {
                let operand = Point { a, b };
                let alike = a.node.ty(a.out).map(|t| &t.shape) == b.node.ty(b.out).map(|t| &t.shape);
                if !alike || self.parts(&operand)? {
                    return Ok(Some(operand));
                }
            }
        }
        Ok(None)
    }

    /// Where values that nobody kept part first: as if all that follow one that parts did so too, and from there up to one
    /// whose operands agree.
    fn earliest(&mut self) -> Result<Option<usize>> {
        let root = self.roots.0;
        let inner: Vec<usize> = (0..self.points.len()).filter(|&i| self.points[i].a.node != root).collect();
        let (mut low, mut high) = (0, inner.len());
        while low < high {
            let middle = (low + high) / 2;
            let point = self.points[inner[middle]];
            if self.parts(&point)? {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        let Some(&found) = inner.get(low) else { return Ok(None) };
        let mut at = found;
        let position = |all: &[Point<'t>], wanted: Point<'t>| all.iter().position(|q| q.ids() == wanted.ids());
        while let Some(operand) = self.parted_operand(&self.points[at].clone())? {
            let are_partners = self.matching.partner(operand.a.node.id()) == Some(operand.b.node.id());
            match position(&self.points, operand).filter(|&i| i < at) {
                Some(before) => at = before,
                // It was handed on: what made it is one of the points before.
                None if are_partners => break,
                // The node is given something else.
                None => return Ok(None),
            }
        }
        Ok(Some(at))
    }

    fn parting(&mut self, i: usize) -> Result<NodeParting> {
        let p = self.points[i];
        let by = self.gap(&p)?.unwrap_or(f64::NAN);
        let comparison = match (self.left.value(p.a)?, self.right.value(p.b)?) {
            (Some(x), Some(y)) => compare(&in_type(&y, x.dtype()), &x).ok(),
            _ => None,
        };
        let mut operands = Vec::new();
        for (i, (x, y)) in p.a.node.arguments().zip(p.b.node.arguments()).enumerate() {
            if self.is_given_another((x, y))? {
                operands.push((i, x.to_string(), y.to_string()));
            }
        }
        let again = match (self.again(p.a, true)?, self.again(p.b, false)?) {
            (Some(x), Some(y)) => Some((x, y)),
            _ => None,
        };
        let mut following = Vec::new();
        for q in self.points[i + 1..].iter().take(LOOKED_AT).copied().collect::<Vec<_>>() {
            if following.len() == FOLLOWING {
                break;
            }
            if q.a.node != self.roots.0 && q.a.node != p.a.node && self.parts(&q)? {
                let by = self.gap(&q)?.unwrap_or(f64::NAN);
                following.push(q.with(by));
            }
        }
        Ok(NodeParting { at: p.with(by), comparison, operands, again, following })
    }

    /// Whether the evaluator finds again what a run has for a result, from what the node was given.
    fn again(&mut self, r: NodeRef<'t>, left: bool) -> Result<Option<bool>> {
        let tolerance = self.tolerance;
        let values = if left { &mut self.left } else { &mut self.right };
        let Some(op) = r.node.op() else { return Ok(None) };
        let mut x = Vec::new();
        for argument in r.node.arguments() {
            let value = match argument {
                Argument::Node(operand) => values.value(operand)?,
                Argument::Constant(c) => c.tensor(),
            };
            let Some(value) = value else { return Ok(None) };
            x.push(value);
        }
        let Some(was) = values.value(r)? else { return Ok(None) };
        let now = wengert_eval::run_op(op, x).ok().and_then(|mut y| (r.out < y.len()).then(|| y.swap_remove(r.out)));
        Ok(now.filter(|now| now.ty() == was.ty()).map(|now| !beyond(gap(&now, &was), tolerance)))
    }
}

/// By how much the summaries of two values differ at least; nothing, if the values are the same.
fn summary_gap(p: &Point<'_>) -> Option<f64> {
    let (x, y) = (p.a.node.summary(p.a.out)?, p.b.node.summary(p.b.out)?);
    if x.hash == y.hash {
        return Some(0.0);
    }
    if x.nans != y.nans {
        return Some(f64::NAN);
    }
    if p.a.node.ty(p.a.out).is_some_and(|t| !t.dtype.is_differentiable()) {
        return Some(INTEGER_STEP);
    }
    let largest = x.max.abs().max(x.min.abs()).max(f64::MIN_POSITIVE);
    let each = [(x.min, y.min), (x.max, y.max), (x.mean, y.mean)];
    let gap = |(a, b): (f64, f64)| if a == b || a.is_nan() && b.is_nan() { 0.0 } else { (a - b).abs() / largest };
    Some(each.into_iter().map(gap).fold(0.0, f64::max))
}
