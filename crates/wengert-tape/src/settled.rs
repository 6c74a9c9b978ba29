//! Values of the host that the types of arrays and the source settle: sizes, what is computed of them, and counters of loops. In a
//! program, whose types are what they were, each is as it was.

use crate::node::Node;
use crate::row::{Kind, Ref};
use rustc_hash::FxHashSet;
use wengert_core::Type;

/// What arrays tell of their types.
const OF_TYPES: [&str; 3] = ["size", "rank", "shape"];
/// What walks along values that are known, and makes none up.
const WALKS: [&str; 10] = ["next", "iter", "into_iter", "enumerate", "rev", "step_by", "skip", "take", "zip", "len"];

/// The nodes among these whose values are settled, given in the order they ran. `source` is where a value comes from.
pub(crate) fn settled<'t>(nodes: impl Iterator<Item = Node<'t>>, mut source: impl FnMut(Ref) -> Ref) -> FxHashSet<u32> {
    let mut found = FxHashSet::default();
    for n in nodes {
        // A number that stands in the source; what was drawn has a name.
        if n.kind() == Kind::Constant && n.host_type().is_some() && n.function().is_empty() {
            found.insert(n.id);
        }
        if !n.is_of_host() {
            continue;
        }
        let operands = n.tape.refs_of(n.id);
        let walks = n.label().function.is_some() || WALKS.contains(&n.function()) || is_part_of_shape(n);
        let mut is_settled = |r: &Ref| match r.is_constant() {
            true => n.tape.constants.get(r.at as usize).is_some_and(|c| c.text().is_none()),
            false => found.contains(&source(*r).at),
        };
        if says_type(n) || walks && !operands.is_empty() && operands.iter().all(&mut is_settled) {
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

/// Whether a node took one of the sizes out of a shape.
fn is_part_of_shape(n: Node<'_>) -> bool {
    let shape = n.tape.refs_of(n.id).first().filter(|r| !r.is_constant()).and_then(|r| {
        let of = n.tape.node(r.at);
        asked_type(of).filter(|_| of.function() == "shape")
    });
    shape.is_some_and(|ty| n.number(0).is_some_and(|x| ty.shape.iter().any(|&size| size as u64 == x.bits)))
}
