//! What an op stands for, in simpler ops.

use std::borrow::Cow;
use wengert_core::{Op, Program, Result, Type};
use wengert_tape::Node;

/// The program of simpler ops that the op of a node stands for: a convolution as a product of patches, a sort as merges, a custom
/// op as its own decomposition. `None` if the node is no op, or the op has no simpler ones. It says what the op means, and
/// may run other work than the kernel of the op does, which is inside the node where it was recorded.
///
/// ```
/// use wengert::{record, tape, Array};
/// let (_, tape) = record(|| Array::from([1.0f32, -2.0]).argmax(0));
/// let op = tape.nodes().find(|n| n.function() == "arg_reduce").unwrap();
/// let program = tape::decomposition(op).expect("it has one")?;
/// assert!(program.equation_count() > 1);
/// # Ok::<(), wengert::Error>(())
/// ```
pub fn decomposition(node: Node<'_>) -> Option<Result<Program>> {
    let types: Option<Vec<Type>> = node.arguments().map(|a| a.ty().map(Cow::into_owned)).collect();
    let (op, types) = (node.op()?, types?);
    match (wengert_expand::expand(op, &types), op) {
        (None, Op::Convolution(op)) => wengert_expand::convolution_by_patches(op, &types).map(Ok),
        (found, _) => found,
    }
}
