//! One node of a tape in full: what it is, where it was written, what it gave, and its neighbours.

use crate::listing::{calls, line, plain};
use crate::overview;
use crate::screen::{Ink, Screen};
use std::io;
use wengert::tape::Argument;
use wengert::{Array, Node};

/// The most calls around a node that are shown with it: those next to it.
const CALLS: usize = 8;

/// All that is known of a node.
pub fn in_full(n: Node<'_>, s: &mut Screen) -> io::Result<()> {
    line(n, 0, s)?;
    let mut fact = |name: &str, value: &str| {
        s.put(Ink::Faint, &format!("  {name:<10} "))?;
        plain(s, value)
    };
    fact("kind", n.kind().name())?;
    fact("function", n.function())?;
    if let Some(op) = n.op() {
        for (i, l) in op.to_string().lines().enumerate() {
            fact(if i == 0 { "op" } else { "" }, l)?;
        }
    }
    if let Some(name) = n.name() {
        fact("name", name)?;
    }
    if !n.place().is_unknown() {
        fact("place", &n.place().to_string())?;
    }
    if let Some(source) = n.source() {
        for (i, l) in without_margin(source.statement).enumerate() {
            fact(if i == 0 { "statement" } else { "" }, l)?;
        }
    }
    if let Some(block) = n.block() {
        fact("block", &format!("§{block}"))?;
    }
    if let Some(t) = n.nanos() {
        fact("time", &overview::time(t))?;
    }
    let notes = [(n.unwound(), "ended by unwinding"), (n.is_abstract(), "what is inside is a program, not a run")];
    for (_, note) in notes.iter().filter(|(holds, _)| *holds) {
        fact("", note)?;
    }
    for i in 0..n.result_count() {
        fact(&format!("result {i}"), &result(n, i))?;
    }
    for (key, value) in n.metadata() {
        fact(key, &value.to_string())?;
    }
    for (i, a) in n.arguments().enumerate() {
        match a {
            Argument::Node(r) => section(s, &format!("argument {i}"), [r.node].into_iter())?,
            Argument::Constant(c) => {
                s.put(Ink::Bold, &format!("argument {i}"))?;
                plain(s, &format!(" {c}"))?;
            }
        }
    }
    let calls = calls(n);
    let left_out = calls.len().saturating_sub(CALLS);
    match left_out {
        0 => section(s, "called in", calls.iter().copied())?,
        _ => {
            let title = format!("called in, and in {left_out} more: --calls {} shows them all", n.id());
            section(s, &title, calls[left_out..].iter().copied())?;
        }
    }
    section(s, "before", n.preceding().last().into_iter())?;
    section(s, "after", n.following().take(1))?;
    section(s, "shares the inside of", n.shares().into_iter())?;
    section(s, "inside", n.children().filter(|_| n.shares().is_none()))?;
    section(s, "used by", n.dependents())
}

fn result(n: Node<'_>, i: usize) -> String {
    if let Some(text) = n.text(i) {
        return n.type_name(i).map_or(text.to_string(), |ty| format!("{text} : {ty}"));
    }
    if let Some(x) = n.number(i) {
        return format!("{x} : {}", x.ty.name());
    }
    let mut out = n.ty(i).map(|t| t.to_string()).unwrap_or_default();
    match n.read(i) {
        Err(_) => out += " damaged",
        Ok(_) => n.summary(i).into_iter().for_each(|x| out += &format!(" {x}")),
    }
    if n.ty(i).is_some_and(|t| t.shape.size() <= 16)
        && let Some(t) = n.value(i)
    {
        out += &format!(" = {}", Array::from_tensor(t).to_string().replace('\n', ""));
    }
    out
}

/// A title and nodes under it, if there are any.
fn section<'t>(s: &mut Screen, title: &str, nodes: impl Iterator<Item = Node<'t>>) -> io::Result<()> {
    let mut nodes = nodes.peekable();
    if nodes.peek().is_none() {
        return Ok(());
    }
    s.put(Ink::Bold, title)?;
    s.end()?;
    nodes.try_for_each(|n| line(n, 1, s))
}

/// The lines of a statement without what all but the first are indented by: a statement begins behind its margin.
fn without_margin(statement: &str) -> impl Iterator<Item = &str> {
    let spaces = |l: &str| l.len() - l.trim_start_matches(' ').len();
    let margin = statement.lines().skip(1).filter(|l| !l.trim().is_empty()).map(spaces).min().unwrap_or(0);
    statement.lines().enumerate().map(move |(i, l)| if i == 0 { l } else { l.get(margin..).unwrap_or("") })
}

#[cfg(test)]
mod tests {
    use super::without_margin;

    #[test]
    fn a_statement_is_shown_without_its_margin() {
        let lines = |text| without_margin(text).collect::<Vec<_>>().join("|");
        assert_eq!(lines("let x = f(\n        1,\n\n    );"), "let x = f(|    1,||);");
        assert_eq!(lines("f();"), "f();");
    }
}
