//! Reverse-mode differentiation written by a user, on a tape, with the public interface alone. `grad` gives the same.

use std::collections::HashMap;
use wengert::tape::{Argument, Kind, NodeId};
use wengert::{Array, Capture, Node, Recorder, Tape, grad};

/// The value of what a node was given.
fn value(a: Argument<'_>) -> Array {
    match a {
        Argument::Node(r) => Array::from_tensor(r.node.value(r.out).expect("values are kept")),
        Argument::Constant(c) => Array::from_tensor(c.tensor().expect("a number")),
    }
}

/// What the adjoint of a node adds to those of its arguments.
fn pullback(node: Node<'_>, ct: &Array) -> Vec<Array> {
    let x: Vec<Array> = node.arguments().map(value).collect();
    match (node.function(), &x[..]) {
        ("add", _) => vec![ct.clone(), ct.clone()],
        ("sub", _) => vec![ct.clone(), -ct],
        ("mul", [x, y]) => vec![ct * y, ct * x],
        ("div", [x, y]) => vec![ct / y, -(ct * x) / (y * y)],
        ("neg", _) => vec![-ct],
        ("sin", [x]) => vec![ct * x.cos()],
        ("cos", [x]) => vec![-(ct * x.sin())],
        ("exp", [x]) => vec![ct * x.exp()],
        ("tanh", [x]) => vec![ct * (1.0 - x.tanh() * x.tanh())],
        ("reduce", [x]) => vec![x.ones_like() * ct],
        (other, _) => panic!("no rule for `{other}`, at {}", node.place()),
    }
}

/// The derivative of what the tape gave back, in the arrays that came from outside.
pub fn backward(tape: &Tape) -> HashMap<NodeId, Array> {
    let root = tape.root();
    let end = root.children().last().expect("a return").referenced().next().expect("a result");
    let mut adjoint = HashMap::from([(end.id(), Array::from_tensor(end.value(0).expect("kept")).ones_like())]);
    // A node comes before what it refers to, so its adjoint is complete when it is its turn.
    for node in std::iter::once(end).chain(end.backward()) {
        let Some(ct) = adjoint.get(&node.id()).cloned() else { continue };
        let parts: Vec<(Node<'_>, Array)> = match node.kind() {
            // Into a call, to what it gave back; and out of it, from its arguments to what it was given.
            Kind::Call => node.children().last().map(|end| (end, ct)).into_iter().collect(),
            Kind::Argument | Kind::Return => node.referenced().map(|from| (from, ct.clone())).collect(),
            Kind::Constant => continue,
            _ => {
                let parts = pullback(node, &ct);
                node.referenced_at().map(|(i, from)| (from, parts[i].clone())).collect()
            }
        };
        for (from, part) in parts {
            let sum = adjoint.remove(&from.id()).map_or(part.clone(), |known| known + part);
            adjoint.insert(from.id(), sum);
        }
    }
    adjoint
}

fn f(x: Array) -> Array {
    let y = x.sin() * &x;
    // A decision of the host: the tape has the branch that was taken.
    let z = if y.sum(..) > 0.0 { y.exp() / (y.cos() + 2.0) } else { -y };
    // And one of the library's functions, which is a call with its ops inside.
    (z.tanh() - x).mean(..)
}

/// Both derivatives, which are equal. A test runs it too.
pub fn main() {
    let x = Array::from([0.5, 1.5, -0.25]);
    let (_, tape) = Recorder::new().capture(Capture::Values).record(|| f(x.clone()));
    print!("{tape}");
    let ours = &backward(&tape)[&NodeId::from(1)];
    let theirs = grad(f)(x);
    println!("by the tape {ours}\nby `grad`   {theirs}");
    let (a, b) = (ours.to_vec::<f64>(), theirs.to_vec::<f64>());
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12));
}
