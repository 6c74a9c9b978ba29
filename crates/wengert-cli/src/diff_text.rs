//! What `wengert diff` says of two recorded runs, as text and as JSON.

use crate::json::Json;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt::Write;
use wengert::tape::Kind;
use wengert::{Node, Tape};
use wengert_core::compare::Comparison;
use wengert_core::counted;
use wengert_emit::RecordedError;
use wengert_repro::INTEGER_STEP;
use wengert_repro::diff::{Change, NodeGap, NodeParting, StructuralDifference, TapeDiff};

/// Two tapes, with the names they are called by.
pub struct TapePair<'a> {
    pub tapes: (&'a Tape, &'a Tape),
    pub names: (&'a str, &'a str),
    /// Whether these are runs of programs: nothing is said then of the call around all equations, which nobody wrote.
    pub are_programs: bool,
}

/// Where numbers are so many times as far apart as their size, how often says nothing: that may be zero.
const MANY: f64 = 1e9;

/// A difference as a part of the size of a number: of itself, or of the numbers that it is what is left of.
pub fn part(by: f64) -> String {
    match by {
        by if by.is_nan() => "a NaN or an infinity that the other side does not have".into(),
        by if (INTEGER_STEP..=u64::MAX as f64 * INTEGER_STEP).contains(&by) => {
            format!("integers that differ by {}", by / INTEGER_STEP)
        }
        by if by > MANY => "far more than its size".into(),
        by => format!("{by:.3e} of its size"),
    }
}

/// How many elements differ, and the worst of them.
pub fn elements(c: &Comparison, a: &str, b: &str) -> String {
    let mut text = format!("{} of {} elements differ", c.count, c.ty.shape.size());
    if let Some(worst) = &c.worst {
        let _ = write!(text, "; most of all element {}, {b} against {a}: {worst}", worst.position);
    }
    text
}

/// An object of JSON.
pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Json {
    Json::Object(fields.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
}

/// The figures of a comparison.
pub fn comparison_json(c: &Comparison) -> Json {
    let worst = c.worst.map_or(Json::Null, |w| {
        object([
            ("element", Json::count(w.position)),
            ("a", Json::scalar(w.right)),
            ("b", Json::scalar(w.left)),
            ("absolute", Json::float(w.absolute)),
            ("relative", Json::float(w.relative)),
            ("ulps", Json::Number(w.ulps.to_string())),
        ])
    });
    object([("type", Json::text(c.ty.to_string())), ("count", Json::count(c.count)), ("worst", worst)])
}

impl TapePair<'_> {
    /// The differences in words.
    pub fn text(&self, d: &TapeDiff, tolerance: f64) -> String {
        let (a, b) = self.names;
        let mut text = self.failures();
        if d.is_none() {
            let (unknown, compared) = (self.unknown(d), counted(d.compared, "value"));
            return text
                + &match d.is_undecided() {
                    true => format!(
                        "{a} and {b} did the same; whether they gave the same is not known ({compared} compared)\n\
                         {unknown}{}\n",
                        self.way()
                    ),
                    false if d.compared == 0 => format!("{a} and {b} did the same\n{unknown}"),
                    false => format!(
                        "{a} and {b} did the same, and agree within {tolerance:.0e} ({compared} compared)\n{unknown}"
                    ),
                };
        }
        for gap in &d.inputs {
            let _ = writeln!(text, "the runs were given other values: {}", self.input_gap(gap));
        }
        match d.first.as_ref().filter(|p| !self.is_around(p.at.a.node)) {
            Some(p) => {
                let (x, y) = (self.tapes.0.node(p.at.a.node), self.tapes.1.node(p.at.b.node));
                let _ = writeln!(text, "the first node that parts: {}", line(x));
                let _ = writeln!(text, "  in {b}: {}", line(y));
                let given = self.given(p, x.arguments().len());
                let gap = part(p.at.gap);
                let _ = match &p.comparison {
                    Some(c) => writeln!(text, "  {given}; {}: {gap}", elements(c, a, b)),
                    None => writeln!(text, "  {given}; by what was kept of its values, they differ by {gap}"),
                };
                if p.at.gap <= tolerance {
                    let _ = writeln!(
                        text,
                        "  that is within {tolerance:.0e}, and more than it rounds: more comes of it later"
                    );
                }
                // Programs are run by the evaluator anyway.
                if let Some((left, right)) = p.again.filter(|_| !self.are_programs) {
                    let found = |yes: bool| if yes { "is" } else { "is not" };
                    let (left, right) = (found(left), found(right));
                    let _ = writeln!(
                        text,
                        "  run again by the evaluator, what {a} has {left} what it gives, and what {b} has {right}"
                    );
                }
                for gap in p.following.iter().filter(|gap| !self.is_around(gap.a.node)) {
                    let _ = writeln!(text, "  then {}", self.gap(gap));
                }
            }
            None if d.inputs.is_empty() && d.results.is_empty() && d.compared == 0 => {}
            None if d.inputs.is_empty() && d.results.is_empty() => {
                let compared = counted(d.compared, "value");
                let _ = writeln!(text, "values agree within {tolerance:.0e} ({compared} compared)");
            }
            None if d.inputs.is_empty() => {
                let what = if self.are_programs { "equation" } else { "node" };
                let _ = writeln!(text, "no {what} that both have parts although what it is given agrees");
            }
            None => {}
        }
        for gap in &d.results {
            let _ = match gap.a.node.index() {
                0 => writeln!(text, "result {} of the runs: {}", gap.a.out, part(gap.gap)),
                _ => writeln!(text, "at the end of the runs: {}", self.gap(gap)),
            };
        }
        if let Some(s) = &d.structure {
            let _ = writeln!(text, "built otherwise ({} against {}):", a, b);
            self.tree(s, 1, &mut text);
        }
        text + &self.unknown(d)
    }

    fn unknown(&self, d: &TapeDiff) -> String {
        let mut text = String::new();
        if let (n @ 1.., why) = &d.unknown {
            let why = why.as_ref().map_or(String::new(), |w| format!(": {w}"));
            let _ = writeln!(text, "not compared: {}{why}", counted(*n, "value"));
        }
        if let n @ 1.. = d.by_largest {
            let values = counted(n, "value");
            let _ = writeln!(
                text,
                "measured against the largest number of its array, which hides what smaller ones differ by: {values}"
            );
        }
        if d.runs > 0 {
            let _ = writeln!(text, "run again for values that were not kept: {}", counted(d.runs, "program"));
        }
        text
    }

    /// What to do where values are missing.
    fn way(&self) -> &'static str {
        let root = self.tapes.0.root();
        match (0..root.result_count()).any(|i| root.ty(i).is_some()) {
            true => {
                "what to do: record with `Capture::Values` (`WENGERT_TAPE_CAPTURE=values`), or give inputs to run both again on: \
                 `--input FILE`, `--random 0` or `--ones`"
            }
            // What is run again is what leads to the results.
            false => {
                "what to do: record with `Capture::Values` (`WENGERT_TAPE_CAPTURE=values`), or let the runs give back what is to \
                 be compared"
            }
        }
    }

    /// What a node that parts is given, which takes so many operands.
    fn given(&self, p: &NodeParting, operands: usize) -> String {
        let (a, b) = self.names;
        let one = |(i, x, y): &(usize, String, String)| match p.operands.len() < operands {
            true => format!("operand {i}, which is {x} in {a} and {y} in {b}"),
            false => format!("operand {i} is {x} in {a} and {y} in {b}"),
        };
        let others = p.operands.iter().map(one).collect::<Vec<_>>().join(", and ");
        match p.operands.len() {
            0 => "what it is given agrees".into(),
            n if n < operands => format!("what it is given agrees, but {others}"),
            _ => format!("it is given something else: {others}"),
        }
    }

    /// The errors that runs ended in.
    fn failures(&self) -> String {
        let (a, b) = self.names;
        let mut text = String::new();
        for (name, tape) in [(a, self.tapes.0), (b, self.tapes.1)] {
            if let Some(RecordedError { message, place }) = RecordedError::of_tape(tape) {
                let place = if place.is_unknown() { String::new() } else { format!(" at {place}") };
                let _ = writeln!(text, "{name} failed{place}: {message}");
            }
        }
        text
    }

    /// Whether a node is around all equations of a program.
    fn is_around(&self, id: wengert::tape::NodeId) -> bool {
        let n = self.tapes.0.node(id);
        self.are_programs && n.kind() == Kind::Call && n.parent().is_none_or(|p| p.parent().is_none())
    }

    /// What the runs were given, on both sides.
    fn input_gap(&self, gap: &NodeGap) -> String {
        let (x, y) = (self.tapes.0.node(gap.a.node), self.tapes.1.node(gap.b.node));
        let (a, b) = self.names;
        format!("{} in {a}\n  {} in {b}\n  {}", line(x), line(y), part(gap.gap))
    }

    fn gap(&self, gap: &NodeGap) -> String {
        let n = self.tapes.0.node(gap.a.node);
        let place = if n.place().is_unknown() { String::new() } else { format!(" at {}", n.place()) };
        format!("{} {}{place}: {}", gap.a, n.name().unwrap_or(n.function()), part(gap.gap))
    }

    fn tree(&self, s: &StructuralDifference, depth: usize, text: &mut String) {
        if s.a.is_some_and(|a| self.is_around(a)) {
            for change in &s.changes {
                let _ = writeln!(text, "{}~ {}", "  ".repeat(depth), self.change(change));
            }
            return self.trees(&s.inside, depth, text);
        }
        let space = "  ".repeat(depth);
        let line = match (s.a, s.b) {
            (Some(a), _) => line(self.tapes.0.node(a)),
            (None, Some(b)) => line(self.tapes.1.node(b)),
            (None, None) => String::new(),
        };
        let _ = writeln!(text, "{space}{line}");
        for change in &s.changes {
            let _ = writeln!(text, "{space}  ~ {}", self.change(change));
        }
        self.trees(&s.inside, depth + 1, text);
    }

    /// Differences beside each other. Those that are like one before, as in the turns of a loop, are counted.
    fn trees(&self, all: &[StructuralDifference], depth: usize, text: &mut String) {
        let mut kinds: HashMap<String, usize> = HashMap::new();
        let mut more: Vec<Vec<&StructuralDifference>> = Vec::new();
        for s in all {
            match kinds.entry(self.kind(s)) {
                Entry::Occupied(seen) => more[*seen.get()].push(s),
                Entry::Vacant(new) => {
                    new.insert(more.len());
                    more.push(Vec::new());
                    self.tree(s, depth, text);
                }
            }
        }
        for others in more {
            if let [first, ..] = others[..] {
                let at = first.a.or(first.b).map_or(String::new(), |n| format!(", next in {n}"));
                let _ = writeln!(text, "{}the same {}{at}", "  ".repeat(depth), counted(others.len(), "more time"));
            }
        }
    }

    /// A difference, without the numbers of its nodes and the values that they have.
    fn kind(&self, s: &StructuralDifference) -> String {
        let node = match (s.a, s.b) {
            (Some(a), _) => Some(self.tapes.0.node(a)),
            (None, b) => b.map(|b| self.tapes.1.node(b)),
        };
        let mut text = node.map_or(String::new(), |n| format!("{} {}", n.function(), n.place_text()));
        s.changes.iter().for_each(|c| text += &format!("\n{}", self.change(c)));
        let mut text = without_numbers(&text);
        s.inside.iter().for_each(|inner| text += &format!("\n[{}]", self.kind(inner)));
        text
    }

    fn change(&self, change: &Change) -> String {
        let (a, b) = self.names;
        match change {
            Change::OnlyInA(n) => format!("only in {a}: {}", counted(*n, "node")),
            Change::OnlyInB(n) => format!("only in {b}: {}", counted(*n, "node")),
            Change::Turns { a: x, b: y, at } => {
                let at = if at.is_empty() { String::new() } else { format!(" of the loop at {at}") };
                format!("{} in {a}, {y} in {b}{at}", counted(*x, "turn"))
            }
            Change::Branch { a: x, b: y } => format!("took {x} in {a}, {y} in {b}"),
            Change::Type { a: x, b: y } => format!("is {x} in {a}, {y} in {b}"),
            Change::Attributes { a: x, b: y } => format!("{x} in {a}, {y} in {b}"),
            Change::Operand { position, a: x, b: y } => format!("operand {position} is {x} in {a}, {y} in {b}"),
        }
    }

    /// The differences as one object.
    pub fn json(&self, d: &TapeDiff) -> Json {
        let first = d.first.as_ref().map_or(Json::Null, |p| {
            let (a, b) = (self.tapes.0.node(p.at.a.node), self.tapes.1.node(p.at.b.node));
            let again = |x: Option<bool>| x.map_or(Json::Null, Json::Bool);
            object([
                ("a", Json::node(a)),
                ("b", Json::node(b)),
                ("result", Json::count(p.at.a.out)),
                ("gap", Json::float(p.at.gap)),
                ("comparison", p.comparison.as_ref().map_or(Json::Null, comparison_json)),
                ("a_again", again(p.again.map(|x| x.0))),
                ("b_again", again(p.again.map(|x| x.1))),
                ("following", gaps(&p.following)),
            ])
        });
        object([
            ("differs", Json::Bool(!d.is_none())),
            ("first", first),
            ("inputs", gaps(&d.inputs)),
            ("results", gaps(&d.results)),
            ("structure", d.structure.as_ref().map_or(Json::Null, |s| self.tree_json(s))),
            ("undecided", Json::Bool(d.is_undecided())),
            ("compared", Json::count(d.compared)),
            ("unknown", Json::count(d.unknown.0)),
            ("by_largest", Json::count(d.by_largest)),
            ("runs", Json::count(d.runs)),
        ])
    }

    fn tree_json(&self, s: &StructuralDifference) -> Json {
        let id = |n: Option<wengert::tape::NodeId>| n.map_or(Json::Null, |n| Json::count(n.index()));
        let changes = s.changes.iter().map(|c| Json::text(self.change(c))).collect();
        let inside = s.inside.iter().map(|s| self.tree_json(s)).collect();
        object([("a", id(s.a)), ("b", id(s.b)), ("changes", Json::List(changes)), ("inside", Json::List(inside))])
    }
}

/// A text without the numbers of nodes, and of turns.
fn without_numbers(text: &str) -> String {
    let mut out = String::new();
    let mut drops = false;
    for c in text.chars() {
        drops = c == '@' || drops && c.is_ascii_digit() || out.ends_with("step ") && c.is_ascii_digit();
        if !drops || c == '@' {
            out.push(c);
        }
    }
    out
}

/// A node with its number and its place, as tapes are printed.
fn line(n: Node<'_>) -> String {
    let place = n.place_text();
    let space = if place.is_empty() { "" } else { " " };
    format!("{}{space}{place} {}", n.id(), n.line())
}

fn gaps(all: &[NodeGap]) -> Json {
    let one = |g: &NodeGap| {
        let id = |r: wengert::tape::ResultId| {
            object([("node", Json::count(r.node.index())), ("result", Json::count(r.out))])
        };
        object([("a", id(g.a)), ("b", id(g.b)), ("gap", Json::float(g.gap))])
    };
    Json::List(all.iter().map(one).collect())
}
