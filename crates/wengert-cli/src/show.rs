//! `wengert show`: what is on a tape.

use crate::arguments::{file, flag, given_file, option};
use crate::condition::{Condition, has_nan};
use crate::failure::Failure;
use crate::overview;
use crate::screen::{Ink, Screen};
use clap::builder::ValueParser;
use clap::{ArgMatches, Command, value_parser};
use std::io;
use std::path::PathBuf;
use wengert::tape::{Argument, NodeId};
use wengert::{Array, Error, ErrorKind, Node, Tape};

/// What `wengert show` was asked for.
#[derive(Debug)]
pub struct Show {
    file: PathBuf,
    levels: Option<usize>,
    node: Option<u32>,
    backward: Option<u32>,
    forward: Option<u32>,
    condition: Option<String>,
    dot: bool,
    summary: bool,
    verify: bool,
    no_pager: bool,
}

/// How many nodes are shown where nobody asked for any.
const FIRST: usize = 40;
/// How deep a picture goes where nobody said.
const PICTURE: usize = 3;

/// `@12`, or `12`.
fn node_id(text: &str) -> Result<u32, String> {
    let number = text.strip_prefix('@').unwrap_or(text);
    number.parse().map_err(|_| format!("`{text}` is not a node: they are written @12"))
}

fn find(tape: &Tape, id: u32) -> Result<Node<'_>, Failure> {
    tape.get(id).ok_or_else(|| {
        let message = format!("{} is not a node of this tape, which has {}", NodeId::from(id), tape.len());
        Error::new(ErrorKind::Run, message).into()
    })
}

impl Show {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Show a recorded run: its tree, one node, what led to a node and what came of it";
        let node = |name| option(name, "@NODE", ValueParser::new(node_id));
        Command::new("show").about(about).args([
            file().help("The tape, as `Tape::save` wrote it"),
            option("levels", "N", value_parser!(usize)).help("The tree to this depth, or what is inside `--node`"),
            node("node").help("One node in full, with its neighbours"),
            node("backward")
                .help("All that a node depends on, the latest first")
                .conflicts_with_all(["forward", "levels", "node"]),
            node("forward").help("All that depends on a node").conflicts_with_all(["levels", "node"]),
            option("where", "CONDITION", ValueParser::string())
                .help(
                    "Only nodes like this: `op=dot && f32`. Tests are op=, name=, function=, kind=, place=, an element \
                     type, a type such as f32[2,3], and nan; they go together with &&, ||, ! and parentheses. If no \
                     node is so, that is said, and the exit code is 1",
                )
                .conflicts_with_all(["levels", "node"]),
            flag("dot")
                .help("As Graphviz text: the tree, or the inside of `--node`")
                .conflicts_with_all(["backward", "forward", "where"]),
            flag("summary").help("Counts by op, depth, time, bytes, and where the first NaN was seen"),
            flag("verify").help("Read all of it first, the arrays too, and look whether it is what was written"),
            flag("no-pager").help("Write to the terminal without a pager"),
        ])
    }

    /// Reads what was given.
    pub fn read(given: &mut ArgMatches) -> Show {
        Show {
            file: given_file(given),
            levels: given.remove_one("levels"),
            node: given.remove_one("node"),
            backward: given.remove_one("backward"),
            forward: given.remove_one("forward"),
            condition: given.remove_one("where"),
            dot: given.get_flag("dot"),
            summary: given.get_flag("summary"),
            verify: given.get_flag("verify"),
            no_pager: given.get_flag("no-pager"),
        }
    }

    /// Shows the tape.
    pub fn perform(&self) -> Result<(), Failure> {
        let condition = match &self.condition {
            None => None,
            Some(text) => Some(Condition::parse(text).map_err(|e| Failure::in_argument(e, "--where", text))?),
        };
        let tape = Tape::open(&self.file)?;
        if self.verify {
            tape.verify().map_err(|e| e.within(self.file.display()))?;
        }
        for id in [self.node, self.backward, self.forward].into_iter().flatten() {
            find(&tape, id)?;
        }
        let mut screen = Screen::new(!self.no_pager);
        let mut found = 0;
        let shown = self.show(&tape, condition.as_ref(), &mut found, &mut screen);
        match shown.and(screen.close()) {
            // The pager was closed before the end.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(e) => Err(Error::new(ErrorKind::File, e.to_string()).into()),
            Ok(()) if condition.is_some() && found == 0 => {
                Err(Error::new(ErrorKind::Run, "no node is as --where says").into())
            }
            Ok(()) => Ok(()),
        }
    }

    fn show(&self, tape: &Tape, condition: Option<&Condition>, found: &mut usize, s: &mut Screen) -> io::Result<()> {
        let node = self.node.map(|id| tape.node(id));
        if self.dot {
            let text = node.unwrap_or(tape.root()).to_dot(self.levels.unwrap_or(PICTURE));
            return text.lines().try_for_each(|l| plain(s, l));
        }
        let slice = self.backward.or(self.forward);
        let quiet = node.is_none() && slice.is_none() && condition.is_none() && self.levels.is_none();
        if self.verify && quiet {
            let values = overview::bytes(tape.value_bytes());
            plain(s, &format!("all is as it was written: {} nodes, values {values}", tape.len()))?;
        }
        if self.summary || (quiet && !self.verify) {
            let size = std::fs::metadata(&self.file).map_or(0, |m| m.len());
            overview::show(tape, size, s)?;
        }
        match (node, self.levels) {
            (n, Some(levels)) => return tree(n.unwrap_or(tape.root()), levels, usize::MAX, s),
            (Some(n), None) => return in_full(n, s),
            (None, None) => {}
        }
        if quiet && !self.summary && !self.verify {
            s.end()?;
            return tree(tape.root(), 1, FIRST, s);
        }
        let wanted = |n: &Node<'_>| condition.is_none_or(|c| c.holds(*n));
        let mut found = |n: Node<'_>, depth: usize, s: &mut Screen| {
            *found += 1;
            line(n, depth, s)
        };
        if let Some(id) = slice {
            line(tape.node(id), 0, s)?;
        }
        match (self.backward, self.forward) {
            (Some(id), _) => tape.node(id).backward().filter(wanted).try_for_each(|n| found(n, 1, s)),
            (_, Some(id)) => tape.node(id).forward().filter(wanted).try_for_each(|n| found(n, 1, s)),
            _ if condition.is_some() => tape.nodes().filter(wanted).try_for_each(|n| found(n, 0, s)),
            _ => Ok(()),
        }
    }
}

fn plain(s: &mut Screen, text: &str) -> io::Result<()> {
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
    s.put(ink, &format!(" {}", n.line()))?;
    s.end()
}

/// The tree to this depth, at most so many nodes.
fn tree(root: Node<'_>, levels: usize, most: usize, s: &mut Screen) -> io::Result<()> {
    let mut stack: Vec<Box<dyn Iterator<Item = Node<'_>>>> = vec![Box::new(std::iter::once(root))];
    let (mut shown, mut more) = (0, 0);
    while let Some(children) = stack.last_mut() {
        let Some(n) = children.next() else {
            stack.pop();
            continue;
        };
        shown += 1;
        if shown > most {
            more += 1;
            continue;
        }
        line(n, stack.len() - 1, s)?;
        if stack.len() <= levels && n.shares().is_none() {
            stack.push(Box::new(n.children()));
        }
    }
    match more {
        0 => Ok(()),
        more => plain(s, &format!("… and {more} more; --levels 1 shows them all")),
    }
}

/// All that is known of a node.
fn in_full(n: Node<'_>, s: &mut Screen) -> io::Result<()> {
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
    section(s, "parent", n.parent().into_iter())?;
    section(s, "before", n.preceding().last().into_iter())?;
    section(s, "after", n.following().take(1))?;
    section(s, "shares the inside of", n.shares().into_iter())?;
    section(s, "inside", n.children().filter(|_| n.shares().is_none()))?;
    section(s, "used by", n.dependents())
}

fn result(n: Node<'_>, i: usize) -> String {
    if let Some(text) = n.text(i) {
        return text.to_string();
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
