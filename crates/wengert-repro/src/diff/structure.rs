//! Two tapes matched node by node: by structure first (the call tree, the ops, their order), then by content; and where they
//! were built otherwise, as a tree.

use super::align::{Key, Matched, align};
use super::threads::{is_thread, is_unnamed, match_threads};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::{BTreeMap, VecDeque};
use std::hash::{Hash, Hasher};
use wengert::Node;
use wengert::tape::{Argument, Constant, Kind, MetaKey, NodeId, Tape};

/// How two nodes that stand for each other, or all that is on one side alone, are not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// So many nodes, those inside of them too, are in the first run alone: the first of them is the node of the difference.
    OnlyInA(usize),
    /// The same, of the second run.
    OnlyInB(usize),
    /// A loop made another number of turns.
    Turns {
        /// The turns of the first run.
        a: usize,
        /// The turns of the second run.
        b: usize,
        /// Where the loop stands, if it is a loop of the host.
        at: String,
    },
    /// Another branch was taken.
    Branch {
        /// By the first run.
        a: String,
        /// By the second run.
        b: String,
    },
    /// A result has another element type or shape.
    Type {
        /// In the first run.
        a: String,
        /// In the second run.
        b: String,
    },
    /// It is another op, or has other attributes.
    Attributes {
        /// In the first run.
        a: String,
        /// In the second run.
        b: String,
    },
    /// An operand is another node.
    Operand {
        /// Which one.
        position: usize,
        /// In the first run.
        a: String,
        /// In the second run, where another node stands for that of the first.
        b: String,
    },
}

/// A node whose two sides were built otherwise, or hold nodes that were.
#[derive(Clone, Debug)]
pub struct StructuralDifference {
    /// The node of the first run.
    pub a: Option<NodeId>,
    /// The node of the second run.
    pub b: Option<NodeId>,
    /// How they are not the same.
    pub changes: Vec<Change>,
    /// The differences inside, in order.
    pub inside: Vec<StructuralDifference>,
}

impl StructuralDifference {
    /// How many differences there are, at any depth.
    ///
    /// ```
    /// use wengert::{Array, record};
    /// use wengert_repro::diff::TapeDiff;
    /// let (_, a) = record(|| Array::from([1.0f32, 2.0]).sin());
    /// let (_, b) = record(|| Array::from([1.0f32, 2.0]).sin().exp());
    /// let found = TapeDiff::new(&a, &b, 1e-3)?;
    /// // The exponential.
    /// assert_eq!(found.structure.unwrap().count(), 1);
    /// # Ok::<(), wengert_core::Error>(())
    /// ```
    pub fn count(&self) -> usize {
        self.changes.len() + self.inside.iter().map(StructuralDifference::count).sum::<usize>()
    }
}

/// Calls nested deeper than this are not looked into.
pub(super) const DEEPEST: usize = 200;

/// The nodes of two tapes that stand for each other.
pub(super) struct Matching<'t> {
    /// In the order that the nodes ended: what ran inside of a call comes before it.
    pub(super) pairs: Vec<Pair<'t>>,
    partner: FxHashMap<NodeId, NodeId>,
    /// The nodes of the second tape that stand for one of the first.
    matched: FxHashSet<NodeId>,
    children: FxHashMap<(NodeId, NodeId), Vec<Child<'t>>>,
    seen: FxHashSet<(NodeId, NodeId)>,
}

/// Two nodes that stand for each other.
#[derive(Clone, Copy)]
pub(super) struct Pair<'t> {
    pub(super) a: Node<'t>,
    pub(super) b: Node<'t>,
    /// Whether they ran, and are not part of a program that was traced.
    pub(super) ran: bool,
}

#[derive(Clone, Copy)]
enum Child<'t> {
    Both(Node<'t>, Node<'t>),
    Left(Node<'t>),
    Right(Node<'t>),
}

pub(super) fn hash(x: impl Hash) -> u64 {
    let mut h = FxHasher::default();
    x.hash(&mut h);
    h.finish()
}

fn key(n: Node<'_>) -> Key {
    let structure = match n.kind() {
        kind @ (Kind::Primitive | Kind::Call | Kind::Special) => hash((kind.name(), n.function())),
        Kind::Branch => hash(("branch", n.block(), n.condition().is_some())),
        kind => hash(kind.name()),
    };
    let types: Vec<Option<String>> = (0..n.result_count()).map(|i| n.type_name(i)).collect();
    let operand = |x: Argument<'_>| match x {
        Argument::Node(x) => hash((x.node.kind().name(), x.node.function(), x.node.type_name(x.out), x.out)),
        Argument::Constant(c) => hash(c.to_string()),
    };
    let operands: Vec<u64> = n.arguments().map(operand).collect();
    // Two programs are in two files.
    let place = n.place().parts().map(|(_, line, column)| (line, column));
    let own = (n.name(), n.op(), n.target(), n.block());
    Key { structure, content: [hash(own), hash(types), hash(operands), hash(place)] }
}

/// The children of two nodes side by side: threads by what they are, wherever they began, and all else in order.
fn side_by_side(x: &[Node<'_>], y: &[Node<'_>]) -> Vec<Matched> {
    let parted = |n: &[Node<'_>]| (0..n.len()).partition::<Vec<usize>, _>(|&i| is_thread(n[i]));
    let ((threads_x, others_x), (threads_y, others_y)) = (parted(x), parted(y));
    let keys = |n: &[Node<'_>], at: &[usize]| at.iter().map(|&i| key(n[i])).collect::<Vec<Key>>();
    let others = align(&keys(x, &others_x), &keys(y, &others_y)).into_iter().map(|m| match m {
        Matched::Both(i, j) => Matched::Both(others_x[i], others_y[j]),
        Matched::Left(i) => Matched::Left(others_x[i]),
        Matched::Right(j) => Matched::Right(others_y[j]),
    });
    let mut threads = match_threads(x, &threads_x, y, &threads_y).into_iter().peekable();
    let mut all = Vec::new();
    for m in others {
        if let Matched::Both(i, _) | Matched::Left(i) = m {
            let is_before = |t: &Matched| matches!(t, Matched::Both(at, _) | Matched::Left(at) if *at < i);
            all.extend(std::iter::from_fn(|| threads.next_if(is_before)));
        }
        all.push(m);
    }
    all.extend(threads);
    all
}

impl<'t> Matching<'t> {
    /// The node of the second tape that stands for one of the first.
    pub(super) fn partner(&self, a: NodeId) -> Option<NodeId> {
        self.partner.get(&a).copied()
    }

    pub(super) fn new(a: &'t Tape, b: &'t Tape) -> Matching<'t> {
        let mut m = Matching {
            pairs: Vec::new(),
            partner: FxHashMap::default(),
            matched: FxHashSet::default(),
            children: FxHashMap::default(),
            seen: FxHashSet::default(),
        };
        m.pair(a.root(), b.root(), true, 0);
        m
    }

    fn pair(&mut self, a: Node<'t>, b: Node<'t>, ran: bool, depth: usize) {
        self.partner.insert(a.id(), b.id());
        self.matched.insert(b.id());
        let owner = |n: Node<'t>| n.shares().map_or(n.id(), Node::id);
        let ran_inside = ran && !a.is_abstract() && !b.is_abstract() && a.kind() == Kind::Call;
        // Children that calls share are looked at once.
        if depth < DEEPEST && self.seen.insert((owner(a), owner(b))) {
            let (x, y): (Vec<Node<'t>>, Vec<Node<'t>>) = (a.children().collect(), b.children().collect());
            let mut children = Vec::new();
            let mut alone: (VecDeque<Node<'t>>, VecDeque<Node<'t>>) = Default::default();
            for m in side_by_side(&x, &y) {
                match m {
                    // What stands beside threads does not end where they begin.
                    Matched::Both(i, j) if is_thread(x[i]) => {
                        self.pair(x[i], y[j], ran_inside, depth + 1);
                        children.push(Child::Both(x[i], y[j]));
                    }
                    Matched::Both(i, j) => {
                        self.replaced(&mut alone, &mut children, ran_inside, depth);
                        self.pair(x[i], y[j], ran_inside, depth + 1);
                        children.push(Child::Both(x[i], y[j]));
                    }
                    Matched::Left(i) => alone.0.push_back(x[i]),
                    Matched::Right(j) => alone.1.push_back(y[j]),
                }
            }
            self.replaced(&mut alone, &mut children, ran_inside, depth);
            self.children.insert((a.id(), b.id()), children);
        }
        self.pairs.push(Pair { a, b, ran });
    }

    /// Nodes that stand between the same two on both sides: an op in the place of another, on the same operands, stands for it; the
    /// rest are on one side alone.
    fn replaced(
        &mut self,
        (left, right): &mut (VecDeque<Node<'t>>, VecDeque<Node<'t>>),
        children: &mut Vec<Child<'t>>,
        ran: bool,
        depth: usize,
    ) {
        while let Some(x) = left.pop_front() {
            match right.iter().position(|&y| self.is_in_place_of(x, y)) {
                None => children.push(Child::Left(x)),
                Some(at) => {
                    children.extend(right.drain(..at).map(Child::Right));
                    let y = right.pop_front().expect("it was found there");
                    self.pair(x, y, ran, depth + 1);
                    children.push(Child::Both(x, y));
                }
            }
        }
        children.extend(right.drain(..).map(Child::Right));
    }

    /// Whether two ops give arrays of the same types, made of nodes that stand for each other and of as many numbers.
    fn is_in_place_of(&self, x: Node<'t>, y: Node<'t>) -> bool {
        let types = |n: Node<'t>| (0..n.result_count()).map(|i| n.ty(i).cloned()).collect::<Vec<_>>();
        let same = |(a, b): (Argument<'t>, Argument<'t>)| match (a, b) {
            (Argument::Node(a), Argument::Node(b)) => {
                a.out == b.out && self.partner.get(&a.node.id()) == Some(&b.node.id())
            }
            (Argument::Constant(_), Argument::Constant(_)) => true,
            _ => false,
        };
        let is_op = |n: Node<'t>| n.kind() == Kind::Primitive && n.op().is_some();
        is_op(x)
            && is_op(y)
            && types(x) == types(y)
            && x.arguments().len() == y.arguments().len()
            && x.arguments().zip(y.arguments()).all(same)
    }

    /// What was built otherwise in two nodes that stand for each other, and inside of them.
    pub(super) fn differences(&self, a: Node<'t>, b: Node<'t>) -> Option<StructuralDifference> {
        let mut changes = self.own_changes(a, b);
        let mut inside: Vec<StructuralDifference> = Vec::new();
        let children = self.children.get(&(a.id(), b.id())).map_or(&[][..], Vec::as_slice);
        changes.extend(turns_of_programs(a, b, children));
        changes.extend(turns_of_host(a, b));
        for &child in children {
            match child {
                Child::Both(x, y) => inside.extend(self.differences(x, y)),
                Child::Left(n) if !is_part(n) => add_alone(&mut inside, n, true),
                Child::Right(n) if !is_part(n) => add_alone(&mut inside, n, false),
                Child::Left(_) | Child::Right(_) => {}
            }
        }
        let any = !changes.is_empty() || !inside.is_empty();
        any.then(|| StructuralDifference { a: Some(a.id()), b: Some(b.id()), changes, inside })
    }

    fn own_changes(&self, a: Node<'t>, b: Node<'t>) -> Vec<Change> {
        let mut changes = Vec::new();
        let branch = |n: Node<'t>| match n.meta(MetaKey::<i64>::new("branch")) {
            Some(i) => Some(format!("branch {i}")),
            None => n.target().map(|t| match n.condition() {
                Some(c) => format!("§{t} ({c})"),
                None => format!("§{t}"),
            }),
        };
        if let (Some(a), Some(b)) = (branch(a), branch(b))
            && a != b
        {
            changes.push(Change::Branch { a, b });
        }
        let types = |n: Node<'t>| (0..n.result_count()).map(|i| n.type_name(i)).collect::<Vec<_>>();
        let (x, y) = (types(a), types(b));
        for (x, y) in x.iter().zip(&y).filter(|(x, y)| x != y) {
            let shown = |t: &Option<String>| t.clone().unwrap_or_else(|| "nothing".into());
            changes.push(Change::Type { a: shown(x), b: shown(y) });
        }
        let other_op = a.op().zip(b.op()).is_some_and(|(a, b)| a.name() != b.name());
        let attributes = |n: Node<'t>| match n.op()? {
            op if op.programs().is_empty() => Some(op.to_string()),
            op => other_op.then(|| op.name().to_string()),
        };
        if let (Some(a), Some(b)) = (attributes(a), attributes(b))
            && a != b
        {
            changes.push(Change::Attributes { a, b });
        }
        // The numbers of threads without names say no more than which began first.
        let operands = if is_unnamed(a) && is_unnamed(b) { 0 } else { usize::MAX };
        for (position, (x, y)) in a.arguments().zip(b.arguments()).enumerate().take(operands) {
            if self.is_other(x, y) {
                changes.push(Change::Operand { position, a: x.to_string(), b: y.to_string() });
            }
        }
        changes
    }

    /// Whether two operands are not the same. Nodes that are on one side alone are told of themselves.
    fn is_other(&self, x: Argument<'t>, y: Argument<'t>) -> bool {
        let other = |x: NodeId, y: NodeId| {
            self.matched.contains(&y) && self.partner.get(&x).is_some_and(|&partner| partner != y)
        };
        match (x, y) {
            (Argument::Node(x), Argument::Node(y)) => other(x.node.id(), y.node.id()) || x.out != y.out,
            (Argument::Constant(Constant::Linked(x, _)), Argument::Constant(Constant::Linked(y, _))) => {
                other(x.node, y.node)
            }
            (Argument::Constant(x), Argument::Constant(y)) => !is_same_constant(x, y),
            _ => true,
        }
    }
}

/// Whether two constants are shown as the same, but for their types, which are told of apart.
pub(super) fn is_same_constant(a: &Constant, b: &Constant) -> bool {
    let number = |c: &Constant| c.to_string().split(" : ").next().unwrap_or_default().to_string();
    number(a) == number(b)
}

/// Whether a node is a program of an op that ran: which of them ran is said of the op.
fn is_part(n: Node<'_>) -> bool {
    part(n).is_some()
}

/// The word and the number of a program that an op ran: `step 3`.
fn part<'t>(n: Node<'t>) -> Option<(&'t str, usize)> {
    let of_op = n.kind() == Kind::Call && n.op().is_none() && n.parent().is_some_and(|p| p.op().is_some());
    let (word, number) = n.function().split_once(' ').filter(|_| of_op)?;
    matches!(word, "step" | "condition" | "branch").then_some(())?;
    Some((word, number.parse().ok()?))
}

/// Loops and branches of programs: the turns that were counted, or the programs that ran inside.
fn turns_of_programs(a: Node<'_>, b: Node<'_>, children: &[Child<'_>]) -> Option<Change> {
    let counted = |n: Node<'_>| {
        let steps = || n.children().filter(|c| part(*c).is_some_and(|(word, _)| word == "step")).count();
        n.meta(MetaKey::<i64>::new("iterations")).map_or_else(steps, |i| i.max(0) as usize)
    };
    let is_loop = |n: Node<'_>| n.op().is_some_and(|op| op.rules().as_loop().is_some());
    let (x, y) = (counted(a), counted(b));
    if is_loop(a) && is_loop(b) && x != y {
        return Some(Change::Turns { a: x, b: y, at: String::new() });
    }
    let (mut left, mut right) = (None, None);
    for child in children {
        match child {
            Child::Left(n) if part(*n).is_some_and(|p| p.0 == "branch") => left = Some(n.function().to_string()),
            Child::Right(n) if part(*n).is_some_and(|p| p.0 == "branch") => right = Some(n.function().to_string()),
            _ => {}
        }
    }
    left.zip(right).map(|(a, b)| Change::Branch { a, b })
}

/// Loops of the host: the first block of a tracked function that both runs came to more than once in all, and not as often.
fn turns_of_host(a: Node<'_>, b: Node<'_>) -> Option<Change> {
    let visits = |n: Node<'_>| {
        let mut all = BTreeMap::<u32, (usize, String)>::new();
        for (target, from) in n.children().filter_map(|c| Some((c.target()?, c))) {
            let visit = all.entry(target).or_insert_with(|| (0, from.place().to_string()));
            visit.0 += 1;
        }
        all
    };
    let (x, y) = (visits(a), visits(b));
    x.iter().find_map(|(block, (n, at))| {
        let (m, _) = y.get(block)?;
        // A block is entered once more than its loop makes turns.
        (n != m && n.max(m) > &1).then(|| Change::Turns { a: n - 1, b: m - 1, at: at.clone() })
    })
}

/// One more node that is on one side alone, with those before it if they are so too.
fn add_alone(all: &mut Vec<StructuralDifference>, n: Node<'_>, left: bool) {
    let count = 1 + n.descendants().count();
    if let Some(last) = all.last_mut()
        && let (1, true) = (last.changes.len(), last.inside.is_empty())
    {
        match &mut last.changes[0] {
            Change::OnlyInA(nodes) if left => return *nodes += count,
            Change::OnlyInB(nodes) if !left => return *nodes += count,
            _ => {}
        }
    }
    let (a, b) = if left { (Some(n.id()), None) } else { (None, Some(n.id())) };
    let changes = vec![if left { Change::OnlyInA(count) } else { Change::OnlyInB(count) }];
    all.push(StructuralDifference { a, b, changes, inside: Vec::new() });
}
