//! A tape as a picture: Graphviz text.

use crate::node::Node;
use crate::print::indent;
use crate::row::Kind;
use std::fmt::Write;

impl<'t> Node<'t> {
    /// The inside of the node as Graphviz text: calls are boxes around what ran in them, arrows go where values go.
    /// `levels` is how deep it looks.
    pub fn to_dot(self, levels: usize) -> String {
        let mut out = String::from("digraph tape {\n  rankdir=TB; node [shape=box, fontname=\"monospace\"];\n");
        let mut shown = Vec::new();
        boxes(self, levels, &mut out, &mut shown);
        shown.sort_unstable();
        let is_shown = |n: Node<'t>| shown.binary_search(&n.id).is_ok();
        for &id in &shown {
            let node = Node { tape: self.tape, id };
            for (i, from) in node.referenced_at() {
                if is_shown(from) {
                    let _ = writeln!(out, "  n{} -> n{id} [label=\"{i}\"];", from.id);
                }
            }
        }
        out.push_str("}\n");
        out
    }
}

/// What comes next: a node, or the end of a call's box.
enum Step<'t> {
    Node(Node<'t>, usize),
    End(usize),
}

/// Nodes and boxes, with a stack of its own: a run may be nested deeper than ours.
fn boxes(root: Node<'_>, levels: usize, out: &mut String, shown: &mut Vec<u32>) {
    let mut stack = vec![Step::Node(root, 0)];
    while let Some(step) = stack.pop() {
        let (node, depth) = match step {
            Step::Node(node, depth) => (node, depth),
            Step::End(depth) => {
                let _ = writeln!(out, "{}}}", indent(depth + 1));
                continue;
            }
        };
        let pad = indent(depth + 1);
        let text = escape(&node.line());
        shown.push(node.id);
        let style = match node.kind() {
            Kind::Branch => ", shape=diamond",
            Kind::Argument | Kind::Constant => ", shape=ellipse",
            _ => "",
        };
        if depth < levels && node.has_children() && node.shares().is_none() {
            let _ = writeln!(out, "{pad}subgraph cluster_{} {{", node.id);
            let _ = writeln!(out, "{pad}  label=\"{}\";", escape(node.function()));
            let _ = writeln!(out, "{pad}  n{} [label=\"{text}\", style=bold];", node.id);
            stack.push(Step::End(depth));
            let at = stack.len();
            stack.extend(node.children().map(|c| Step::Node(c, depth + 1)));
            stack[at..].reverse();
        } else {
            let _ = writeln!(out, "{pad}n{} [label=\"{text}\"{style}];", node.id);
        }
    }
}

fn escape(s: &str) -> String {
    s.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}
