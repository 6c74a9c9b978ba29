//! Values of the host that the types of arrays and the source settle: sizes, what is computed of them, counters of loops, and counts of
//! what was added one by one. In a program, whose types are what they were, each is as it was.

use crate::node::Node;
use crate::row::{Kind, Ref};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use wengert_core::Type;

/// What arrays tell of their types.
const OF_TYPES: [&str; 3] = ["size", "rank", "shape"];
/// What walks along values that are known, and makes none up.
const WALKS: [&str; 10] = ["next", "iter", "into_iter", "enumerate", "rev", "step_by", "skip", "take", "zip", "len"];

/// The nodes among these whose values are settled, given in the order they ran. `source` is where a value comes from.
pub(crate) fn settled<'t>(nodes: impl Iterator<Item = Node<'t>>, mut source: impl FnMut(Ref) -> Ref) -> FxHashSet<u32> {
    let (mut found, mut counts) = (FxHashSet::default(), Counts::default());
    for n in nodes {
        // A number that stands in the source; what was drawn has a name.
        if n.kind() == Kind::Constant && n.host_type().is_some() && n.function().is_empty() {
            found.insert(n.id);
        }
        if !n.is_of_host() {
            continue;
        }
        counts.add(n, &mut source);
        let operands: SmallVec<[Ref; 4]> =
            n.tape.refs_of(n.id).iter().flat_map(|r| parts_given(n, r)).map(|r| source(*r)).collect();
        let walks = n.label().function.is_some() || WALKS.contains(&n.function()) || is_part_of_shapes(n, &operands);
        let is_settled = |r: &Ref| match r.is_constant() {
            true => n.tape.constants.get(r.at as usize).is_some_and(|c| c.text().is_none()),
            false => found.contains(&r.at),
        };
        let is_known = walks && !operands.is_empty() && operands.iter().all(is_settled);
        if says_type(n) || is_everything(n) || is_known || counts.says(n, &mut source) {
            found.insert(n.id);
        }
    }
    found
}

/// The type of the array that a node asks for its type, if it does.
fn asked_type(n: Node<'_>) -> Option<&Type> {
    let &[r] = n.tape.refs_of(n.id) else { return None };
    let is_array = !r.is_constant() && !n.tape.is_host_value(r) && OF_TYPES.contains(&n.function());
    n.tape.node(r.at).ty(r.out as usize).filter(|_| is_array)
}

/// Whether a node says what the type of an array is: a function of the user's may have the same name.
fn says_type(n: Node<'_>) -> bool {
    let is = |x: usize| n.number(0).is_some_and(|y| y.bits == x as u64);
    asked_type(n).is_some_and(|ty| match n.function() {
        "size" => is(ty.shape.size()),
        "rank" => is(ty.shape.rank()),
        _ => n.number(0).is_none(),
    })
}

/// An operand; those of its parts if a function gave several values together, which no one number is.
fn parts_given<'t>(n: Node<'t>, r: &'t Ref) -> &'t [Ref] {
    let given = Some(r).filter(|r| !r.is_constant()).map(|r| Node { tape: n.tape, id: r.at });
    let together = given.filter(|g| g.kind() == Kind::Call && g.number(r.out as usize).is_none());
    let returned = together.and_then(|g| n.tape.row(g.id).returns()).map(|id| n.tape.refs_of(id));
    returned.filter(|parts| parts.len() > 1).unwrap_or(std::slice::from_ref(r))
}

/// Whether a node took one of the sizes out of shapes that it was made of.
fn is_part_of_shapes(n: Node<'_>, operands: &[Ref]) -> bool {
    let shape = |r: &Ref| {
        let of = n.tape.node(r.at);
        asked_type(of).filter(|_| of.function() == "shape")
    };
    let is_size = |ty: &Type| n.number(0).is_some_and(|x| ty.shape.iter().any(|&size| size as u64 == x.bits));
    operands.iter().filter(|r| !r.is_constant()).filter_map(shape).any(is_size)
}

/// Whether it is the range of all that there is.
fn is_everything(n: Node<'_>) -> bool {
    n.function() == ".." && n.tape.refs_of(n.id).is_empty()
}

/// How many elements vectors have to which all was added one by one.
#[derive(Default)]
struct Counts(FxHashMap<u32, usize>);

impl Counts {
    /// Counts what a node makes or adds to.
    fn add(&mut self, n: Node<'_>, source: impl FnMut(Ref) -> Ref) {
        let is_vector = || n.type_name(0).is_some_and(|ty| ty.starts_with("Vec<"));
        let count = match (n.function(), n.tape.refs_of(n.id)) {
            ("new", []) if is_vector() => Some(0),
            ("push", [to, _]) if n.type_name(0).as_deref() == Some("()") => {
                self.of(n, *to, source).map(|count| count + 1)
            }
            _ => None,
        };
        self.0.extend(count.map(|count| (n.id, count)));
    }

    /// The elements of a vector that a node refers to.
    fn of(&self, n: Node<'_>, r: Ref, mut source: impl FnMut(Ref) -> Ref) -> Option<usize> {
        if r.is_constant() {
            return None;
        }
        let given = Node { tape: n.tape, id: r.at };
        let from = source(r);
        let is_empty = || n.tape.constants.get(from.at as usize).and_then(|c| c.text()) == Some("[]");
        match self.0.get(&r.at) {
            Some(&count) => Some(count),
            None if given.kind() == Kind::Argument && from.is_constant() => is_empty().then_some(0),
            None => self.0.get(&from.at).copied().or_else(|| elements_given(given)),
        }
    }

    /// Whether a node says how many there are.
    fn says(&self, n: Node<'_>, source: impl FnMut(Ref) -> Ref) -> bool {
        let &[r] = n.tape.refs_of(n.id) else { return false };
        let said = n.number(0).filter(|_| n.function() == "len");
        said.is_some_and(|said| self.of(n, r, source).is_some_and(|count| count as u64 == said.bits))
    }
}

/// How many elements there are beside an argument that is an element of a vector of arrays, and the argument: `v.0`, `v.1`.
fn elements_given(n: Node<'_>) -> Option<usize> {
    let of_vector = |n: Node<'_>| {
        let (vector, element) = n.name().filter(|_| n.kind() == Kind::Argument)?.rsplit_once('.')?;
        element.parse::<usize>().ok().map(|_| vector.to_string())
    };
    let vector = of_vector(n)?;
    Some(n.parent()?.children().filter(|c| of_vector(*c).as_ref() == Some(&vector)).count())
}
