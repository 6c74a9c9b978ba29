//! Lists of nodes: one on a line, or as JSON, no more of them than were asked for.

use crate::condition::has_nan;
use crate::json::Json;
use crate::screen::{Ink, Screen};
use std::io;
use wengert::{Node, Tape};

/// The most characters of a line: nodes may have thousands of operands. `--node` and `--json` show all of one.
const LONGEST: usize = 1000;

/// Nodes in the order they are listed, each with how far it is indented.
pub type Nodes<'t> = Box<dyn Iterator<Item = (Node<'t>, usize)> + 't>;

/// The tree to this depth.
pub fn tree(root: Node<'_>, levels: usize) -> Nodes<'_> {
    let mut stack: Vec<Box<dyn Iterator<Item = Node<'_>>>> = vec![Box::new(std::iter::once(root))];
    Box::new(std::iter::from_fn(move || {
        loop {
            let Some(n) = stack.last_mut()?.next() else {
                stack.pop();
                continue;
            };
            let depth = stack.len() - 1;
            if depth < levels && n.shares().is_none() {
                stack.push(Box::new(n.children()));
            }
            return Some((n, depth));
        }
    }))
}

/// The calls that a node is inside of, from the root to its parent.
pub fn calls(n: Node<'_>) -> Vec<Node<'_>> {
    let mut calls: Vec<Node<'_>> = n.ancestors().collect();
    calls.reverse();
    calls
}

/// How nodes are listed.
pub struct Listing {
    pub json: bool,
    /// The most nodes that are listed; of the others it is said how many there are.
    pub limit: usize,
    /// Which option shows more.
    pub more: &'static str,
}

impl Listing {
    /// Lists nodes under the one that they were asked for, if there is one, and gives how many there are.
    pub fn show(&self, tape: &Tape, of: Option<Node<'_>>, nodes: Nodes<'_>, s: &mut Screen) -> io::Result<usize> {
        if self.json {
            let of = of.map_or(Json::Null, |n| Json::count(n.id().index()));
            s.put(Ink::Plain, &format!("{{\"tape_nodes\": {}, \"of\": {of}, \"nodes\": [", tape.len()))?;
        } else if let Some(n) = of {
            line(n, 0, s)?;
        }
        let mut count = 0;
        for (n, depth) in nodes {
            count += 1;
            match self.json {
                _ if count > self.limit => {}
                true => {
                    s.put(Ink::Plain, if count > 1 { "," } else { "" })?;
                    s.end()?;
                    s.put(Ink::Plain, &Json::node(n).to_string())?;
                }
                false => line(n, depth, s)?,
            }
        }
        let left_out = count.saturating_sub(self.limit);
        if self.json {
            plain(s, "")?;
            plain(s, &format!("], \"left_out\": {left_out}}}"))?;
        } else if left_out > 0 {
            plain(s, &format!("… and {left_out} more; {}", self.more))?;
        }
        Ok(count)
    }
}

/// A line of text.
pub fn plain(s: &mut Screen, text: &str) -> io::Result<()> {
    s.put(Ink::Plain, text)?;
    s.end()
}

/// One node on a line.
pub fn line(n: Node<'_>, depth: usize, s: &mut Screen) -> io::Result<()> {
    s.put(Ink::Plain, &"  ".repeat(depth.min(60)))?;
    s.put(Ink::Number, &n.id().to_string())?;
    let place = n.place_text();
    if !place.is_empty() {
        s.put(Ink::Faint, &format!(" {place}"))?;
    }
    // Whether there is a NaN takes reading all of the value, and only colours say it.
    let ink = if s.has_colours() && has_nan(n) { Ink::Alarm } else { Ink::Plain };
    s.put(ink, &format!(" {}", cut(n.line())))?;
    s.end()
}

/// A line that ends in `…` if it was longer.
fn cut(mut line: String) -> String {
    if let Some((at, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(at);
        line.push('…');
    }
    line
}
