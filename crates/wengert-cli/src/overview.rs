//! A tape in a few lines: how much there is of what, how long it took, and where it went wrong.

use crate::screen::{Ink, Screen};
use std::collections::BTreeMap;
use std::io;
use wengert::tape::Kind;
use wengert::{Node, Tape};

/// What is counted of each op.
#[derive(Default)]
struct OpCount {
    nodes: usize,
    nanos: f64,
    bytes: usize,
}

/// A time for people.
pub fn time(nanos: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    match units.into_iter().find(|(size, _)| nanos >= *size) {
        Some((size, name)) => format!("{:.2} {name}", nanos / size),
        None => format!("{nanos:.0} ns"),
    }
}

/// A number of bytes for people.
pub fn bytes(n: usize) -> String {
    let units = [(1u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(size, _)| n as u64 >= *size) {
        Some((size, name)) => format!("{:.1} {name}", n as f64 / size as f64),
        None => format!("{n} B"),
    }
}

fn count(n: Node<'_>, into: &mut OpCount) {
    into.nodes += 1;
    into.nanos += n.nanos().unwrap_or(0.0);
    into.bytes += (0..n.result_count()).filter_map(|i| n.ty(i)?.bytes()).fold(0, usize::saturating_add);
}

/// Shows the overview of a tape whose file has this many bytes.
pub fn show(tape: &Tape, size: u64, s: &mut Screen) -> io::Result<()> {
    let mut ops: BTreeMap<&str, OpCount> = BTreeMap::new();
    let mut kinds = [0usize; Kind::ALL.len()];
    let mut depths = vec![0u32; tape.len()];
    let mut kept = false;
    let (mut nan, mut damaged) = (None, None);
    for n in tape.nodes() {
        kinds[n.kind() as usize] += 1;
        if let Some(p) = n.parent() {
            depths[n.id().index()] = depths[p.id().index()] + 1;
        }
        if n.kind() == Kind::Primitive || n.op().is_some() {
            count(n, ops.entry(n.op().map_or(n.function(), |op| op.name())).or_default());
        }
        kept = kept || n.has_summary(0);
        // The values of calls with children, and of arguments that refer to a node, were made by other nodes.
        let made = !n.has_children() && (n.kind() != Kind::Argument || n.arguments().len() == 0);
        for i in (0..n.result_count()).filter(|&i| made && n.has_summary(i)) {
            if nan.is_some() {
                break;
            }
            match n.summary(i) {
                Some(s) if s.nans > 0 => nan = Some(n),
                Some(_) => {}
                None => damaged = damaged.or(Some(n)),
            }
        }
    }
    let mut fact = |name: &str, value: &str| {
        s.put(Ink::Faint, &format!("{name:<8}"))?;
        s.put(Ink::Plain, value)?;
        s.end()
    };
    let depth = depths.iter().max().copied().unwrap_or(0);
    let (size, values) = (bytes(size as usize), bytes(tape.value_bytes()));
    fact("nodes", &format!("{} to depth {depth}, {size}; values {values}", tape.len()))?;
    let kinds: Vec<String> =
        (Kind::ALL.iter().zip(kinds).filter(|(_, n)| *n > 0)).map(|(k, n)| format!("{} {n}", k.name())).collect();
    fact("kinds", &kinds.join(", "))?;
    match ops.values().map(|c| c.nanos).sum::<f64>() {
        0.0 => fact("time", "not measured")?,
        t => fact("time", &format!("{} in ops", time(t)))?,
    }
    match nan {
        Some(n) => fact("NaN", &format!("first seen at {n}"))?,
        None if kept => fact("NaN", "none seen")?,
        None => fact("NaN", "not known: no values were kept")?,
    }
    if let Some(n) = damaged {
        fact("damage", &format!("first found at {}; --verify looks at all", n.id()))?;
    }
    if let Some(n) = tape.limited() {
        fact("limit", &format!("from {} on, summaries were kept instead of values", n.id()))?;
    }
    if ops.is_empty() {
        return Ok(());
    }
    let mut ops: Vec<(&str, OpCount)> = ops.into_iter().collect();
    ops.sort_by(|a, b| (b.1.nodes, a.0).cmp(&(a.1.nodes, b.0)));
    s.end()?;
    s.put(Ink::Bold, &format!("{:<24}{:>10}{:>12}{:>14}", "op", "nodes", "time", "results"))?;
    s.end()?;
    for (name, c) in ops {
        let t = if c.nanos > 0.0 { time(c.nanos) } else { "-".into() };
        s.put(Ink::Plain, &format!("{name:<24}{:>10}{t:>12}{:>14}", c.nodes, bytes(c.bytes)))?;
        s.end()?;
    }
    Ok(())
}
