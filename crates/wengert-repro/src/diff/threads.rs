//! The threads of two recorded runs: which stands for which, whatever order they began in.

use super::align::Matched;
use super::structure::{DEEPEST, hash};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use wengert::Node;
use wengert::tape::{Argument, Constant, Kind, NodeId, Tape};
use wengert_core::bytes::to_bytes;

/// How many things a thread is told by.
const FEATURES: usize = 6;

/// The name of the thread whose calls a node has, if it is the node of a thread.
fn name(n: Node<'_>) -> Option<String> {
    let is_call = n.kind() == Kind::Call && n.op().is_none() && n.module().is_none();
    if !is_call || n.function() != "thread" || n.place().parts().is_some() {
        return None;
    }
    let Some(Argument::Constant(c)) = n.arguments().next() else { return None };
    c.text().map(str::to_string)
}

pub(super) fn is_thread(n: Node<'_>) -> bool {
    name(n).is_some()
}

/// Whether it is the node of a thread without a name: it has the number that it began with.
pub(super) fn is_unnamed(n: Node<'_>) -> bool {
    name(n).is_some_and(|name| name.starts_with('#'))
}

/// A node as far as it is told by what it is, and not by its number: what other threads did meanwhile changes that.
#[derive(Clone, Copy, Default)]
struct Own {
    /// What it is by itself.
    itself: u64,
    /// With all that it is made of.
    content: u64,
    /// With the values that came from outside, as far as they were kept.
    values: u64,
}

/// What a node did with all inside of it, and what came of it: as little as two runs may have in common, and more and more.
#[derive(Clone, Copy)]
struct Done {
    /// The calls and ops.
    structure: u64,
    content: u64,
    values: u64,
    /// What was made of its results.
    uses: u64,
}

impl Done {
    /// What it may be told by, the most first.
    fn features(self) -> [u64; FEATURES] {
        let Done { structure, content, values, uses } = self;
        [hash((values, uses)), values, hash((content, uses)), content, hash((structure, uses)), structure]
    }
}

/// What the nodes of a run did.
struct Doings {
    own: Vec<Own>,
    /// What was made of the results of each.
    uses: Vec<u64>,
    inside: FxHashMap<NodeId, Done>,
}

impl Doings {
    fn new(tape: &Tape) -> Doings {
        let mut doings = Doings { own: Vec::new(), uses: Vec::new(), inside: FxHashMap::default() };
        for n in tape.nodes() {
            doings.own.resize(n.id().index(), Own::default());
            doings.own.push(doings.own_of(n));
        }
        doings.find_uses(tape);
        doings
    }

    fn own_of(&self, n: Node<'_>) -> Own {
        if is_thread(n) {
            return Own::default();
        }
        let types: Vec<Option<String>> = (0..n.result_count()).map(|i| n.type_name(i)).collect();
        let place = n.place().parts().map(|(_, line, column)| (line, column));
        let itself = hash((n.kind().name(), n.function(), n.name(), n.op(), n.target(), n.block(), types, place));
        let (mut content, mut values) = (vec![itself], vec![itself]);
        for operand in n.arguments() {
            let (without, with) = self.operand(operand);
            content.push(without);
            values.push(with);
        }
        if n.kind() == Kind::Constant {
            values.push(hash((0..n.result_count()).map(|i| n.value(i).map(|x| to_bytes(&x))).collect::<Vec<_>>()));
        }
        Own { itself, content: hash(content), values: hash(values) }
    }

    fn operand(&self, x: Argument<'_>) -> (u64, u64) {
        match (node_of(x), x) {
            (Some((id, out)), _) => {
                let own = self.own.get(id.index()).copied().unwrap_or_default();
                (hash((own.content, out)), hash((own.values, out)))
            }
            (None, Argument::Constant(c)) => (hash(c), hash(c)),
            (None, Argument::Node(_)) => (0, 0),
        }
    }

    /// From the end on: nodes refer to earlier ones.
    fn find_uses(&mut self, tape: &Tape) {
        let mut users: Vec<Vec<u64>> = vec![Vec::new(); self.own.len()];
        self.uses = vec![0; self.own.len()];
        let nodes: Vec<Node<'_>> = tape.nodes().collect();
        for &n in nodes.iter().rev() {
            let at = n.id().index();
            users[at].sort_unstable();
            self.uses[at] = hash(std::mem::take(&mut users[at]));
            for (position, (id, out)) in n.arguments().enumerate().filter_map(|(i, x)| Some((i, node_of(x)?))) {
                users[id.index()].push(hash((position, out, self.own[at].itself, self.uses[at])));
            }
        }
    }

    fn inside(&mut self, n: Node<'_>, depth: usize) -> Done {
        if let Some(done) = self.inside.get(&n.id()) {
            return *done;
        }
        let (own, uses) = (self.own[n.id().index()], self.uses[n.id().index()]);
        let itself =
            Done { structure: hash((n.kind().name(), n.function())), content: own.content, values: own.values, uses };
        let mut all = vec![itself];
        if depth < DEEPEST {
            all.extend(n.children().map(|child| self.inside(child, depth + 1)));
        }
        let together = |feature: fn(&Done) -> u64| hash(all.iter().map(feature).collect::<Vec<u64>>());
        let done = Done {
            structure: together(|d| d.structure),
            content: together(|d| d.content),
            values: together(|d| d.values),
            uses: together(|d| d.uses),
        };
        self.inside.insert(n.id(), done);
        done
    }
}

/// The node that an operand is of, and which of its results.
fn node_of(x: Argument<'_>) -> Option<(NodeId, usize)> {
    match x {
        Argument::Node(x) => Some((x.node.id(), x.out)),
        Argument::Constant(Constant::Linked(x, _)) => Some((x.node, x.out)),
        Argument::Constant(_) => None,
    }
}

/// A thread, and what it may be told by.
struct Thread {
    name: Option<String>,
    features: [u64; FEATURES],
}

fn threads(all: &[Node<'_>], among: &[usize]) -> Vec<Thread> {
    let Some(first) = among.first() else { return Vec::new() };
    let mut doings = Doings::new(all[*first].tape());
    let thread = |&i: &usize| {
        let n = all[i];
        Thread { name: name(n).filter(|_| !is_unnamed(n)), features: doings.inside(n, 0).features() }
    };
    among.iter().map(thread).collect()
}

/// The threads of two runs that are not matched yet, and those that are.
struct Unmatched<'t> {
    a: Vec<&'t Thread>,
    b: Vec<&'t Thread>,
    /// Which thread of the second run stands for each of the first.
    found: Vec<Option<usize>>,
}

impl Unmatched<'_> {
    /// Matches threads that are alike in this, the first with the first; only those that no other of their run is like, if `alone`.
    fn matched_by<K: Hash + Eq>(&mut self, alone: bool, key: impl Fn(&Thread) -> Option<K>) {
        let taken: Vec<usize> = self.found.iter().flatten().copied().collect();
        let mut of_b: FxHashMap<K, Vec<usize>> = FxHashMap::default();
        for j in (0..self.b.len()).rev().filter(|j| !taken.contains(j)) {
            key(self.b[j]).into_iter().for_each(|k| of_b.entry(k).or_default().push(j));
        }
        let free: Vec<usize> = (0..self.a.len()).filter(|&i| self.found[i].is_none()).collect();
        let mut count: FxHashMap<K, usize> = FxHashMap::default();
        free.iter().filter_map(|&i| key(self.a[i])).for_each(|k| *count.entry(k).or_default() += 1);
        for i in free {
            let Some(k) = key(self.a[i]) else { continue };
            let Some(alike) = of_b.get_mut(&k) else { continue };
            if !alone || alike.len() == 1 && count[&k] == 1 {
                self.found[i] = alike.pop();
            }
        }
    }
}

/// Matches the threads among the children of two nodes, by their names where these are unlike each other, then by what they do and what
/// is made of it, then by the order in which they began. In the order of the first.
pub(super) fn match_threads(x: &[Node<'_>], of_x: &[usize], y: &[Node<'_>], of_y: &[usize]) -> Vec<Matched> {
    let (a, b) = (threads(x, of_x), threads(y, of_y));
    let mut all = Unmatched { a: a.iter().collect(), b: b.iter().collect(), found: vec![None; a.len()] };
    all.matched_by(true, |t| t.name.clone());
    (0..FEATURES).for_each(|i| all.matched_by(false, |t| Some((t.name.clone(), t.features[i]))));
    (0..FEATURES).for_each(|i| all.matched_by(false, |t| Some(t.features[i])));
    all.matched_by(false, |t| t.name.clone());
    all.matched_by(false, |_| Some(()));
    let matched = |(i, j): (usize, &Option<usize>)| match j {
        Some(j) => Matched::Both(of_x[i], of_y[*j]),
        None => Matched::Left(of_x[i]),
    };
    let mut found: Vec<Matched> = all.found.iter().enumerate().map(matched).collect();
    let alone = (0..b.len()).filter(|j| !all.found.contains(&Some(*j)));
    found.extend(alone.map(|j| Matched::Right(of_y[j])));
    found
}
