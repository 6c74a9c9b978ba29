//! `wengert show`: what is on a tape.

use crate::arguments::{file, flag, given_file, given_list, option};
use crate::condition::{Condition, is_damaged};
use crate::failure::{EXIT_CODES, Failure};
use crate::full::in_full;
use crate::listing::{Listing, Nodes, calls, plain, tree};
use crate::overview;
use crate::recorded::check_any;
use crate::screen::Screen;
use clap::builder::ValueParser;
use clap::{ArgMatches, Command, value_parser};
use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use wengert::tape::NodeId;
use wengert::{Error, ErrorKind, Node, Tape};

/// What `wengert show` was asked for.
#[derive(Debug)]
pub struct Show {
    file: PathBuf,
    levels: Option<usize>,
    node: Option<u32>,
    backward: Option<u32>,
    forward: Option<u32>,
    calls: Option<u32>,
    condition: Option<String>,
    limit: Option<usize>,
    in_call: bool,
    decompose: Option<u32>,
    json: bool,
    dot: bool,
    open: Vec<u32>,
    summary: bool,
    verify: bool,
    no_pager: bool,
}

/// How many nodes are shown where nobody asked for any.
const FIRST: usize = 40;
/// How deep a picture goes where nobody said: a call in it is one box.
const PICTURE: usize = 1;

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

/// The program that the op of a node stands for.
fn decomposition(tape: &Tape, id: u32) -> Result<String, Failure> {
    let node = find(tape, id)?;
    match wengert::tape::decomposition(node) {
        Some(program) => Ok(program?.to_string()),
        None => {
            let what = if node.op().is_some() { "has no simpler ops" } else { "is no op" };
            let message = format!("{} (`{}`) {what}", node.id(), node.function());
            Err(Error::new(ErrorKind::Run, message).into())
        }
    }
}

/// The error, and a hint where the file is a program.
fn hinted(e: Error, path: &Path) -> Error {
    match path.extension().is_some_and(|end| end == "wg" || end == "mlir") {
        true => e.note("`wengert show` shows tapes of runs; what to do with a program: `wengert convert` prints it"),
        false => e,
    }
}

impl Show {
    /// What the subcommand takes.
    pub fn command() -> Command {
        let about = "Show a recorded run: its tree, one node, what led to a node and what came of it";
        let node = |name| option(name, "@NODE", ValueParser::new(node_id));
        Command::new("show").about(about).after_help(EXIT_CODES).args([
            file().help("The tape, as `Tape::save` wrote it"),
            option("levels", "N", value_parser!(usize))
                .help("The tree to this depth, or what is inside `--node`")
                .visible_alias("depth"),
            node("node").help("One node in full, with its statement, the calls it is in, and its neighbours"),
            node("backward")
                .help("All that a node depends on, the latest first")
                .conflicts_with_all(["forward", "levels", "node"]),
            node("forward").help("All that depends on a node").conflicts_with_all(["levels", "node"]),
            flag("in-call")
                .help("Of `--backward` or `--forward`, only what is in the same call: calls beside it are one step each"),
            node("calls")
                .help("The calls that a node is in, from the outermost to the node")
                .conflicts_with_all(["backward", "forward", "levels", "node", "where"]),
            node("decompose")
                .help("What the op of a node stands for, as a program of simpler ops")
                .conflicts_with_all(["backward", "forward", "calls", "levels", "node", "where", "json", "dot", "summary"]),
            option("where", "CONDITION", ValueParser::string())
                .help(
                    "Only nodes like this: `op=dot && f32`. Tests are op=, name=, function=, kind=, place=, an element \
                     type, a type such as f32[2,3], and nan; they go together with &&, ||, ! and parentheses. If no \
                     node is so, that is said, and the exit code is 1",
                )
                .conflicts_with_all(["levels", "node"]),
            option("limit", "N", value_parser!(usize)).help("List at most so many nodes, and say how many are left out"),
            flag("json")
                .help(
                    "As one document of JSON: all nodes, or those that were asked for. NaN and infinities are strings; \
                     arrays of up to 16 elements are given in row-major order",
                )
                .conflicts_with_all(["dot", "summary"]),
            flag("dot")
                .help(
                    "As Graphviz text: the tree, or the inside of `--node`, to the depth of `--levels`, or 1. A call at \
                     that depth is one box",
                )
                .conflicts_with_all(["backward", "forward", "calls", "where", "limit"]),
            node("open").help("Calls that are opened in the picture, however deep").value_delimiter(',').requires("dot"),
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
            calls: given.remove_one("calls"),
            condition: given.remove_one("where"),
            limit: given.remove_one("limit"),
            in_call: given.get_flag("in-call"),
            decompose: given.remove_one("decompose"),
            json: given.get_flag("json"),
            dot: given.get_flag("dot"),
            open: given_list(given, "open"),
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
        if self.in_call && self.backward.or(self.forward).is_none() {
            let e = Error::new(ErrorKind::Run, "`--in-call` goes with `--backward` or `--forward`");
            return Err(Failure::in_argument(e, "--in-call", ""));
        }
        let tape = Tape::open(&self.file).map_err(|e| Failure::of_tape(hinted(e, &self.file)))?;
        if self.verify {
            tape.verify().map_err(|e| Failure::of_tape(e.within(self.file.display())))?;
        }
        check_any(&tape, &self.file)?;
        let asked = [self.node, self.backward, self.forward, self.calls, self.decompose].into_iter().flatten();
        for id in asked.chain(self.open.iter().copied()) {
            find(&tape, id)?;
        }
        let decomposition = match self.decompose {
            None => None,
            Some(id) => Some(decomposition(&tape, id)?),
        };
        let mut screen = Screen::new(!self.no_pager);
        if let Some(text) = decomposition {
            let shown = text.lines().try_for_each(|l| plain(&mut screen, l)).and_then(|()| screen.close());
            return match shown {
                Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
                    Err(Error::new(ErrorKind::File, e.to_string()).into())
                }
                _ => Ok(()),
            };
        }
        let damaged = Cell::new(None);
        let shown = self.show(&tape, condition.as_ref(), &damaged, &mut screen);
        match shown.and_then(|found| screen.close().map(|()| found)) {
            // The pager was closed before the end.
            Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            Err(e) => Err(Error::new(ErrorKind::File, e.to_string()).into()),
            Ok(_) if damaged.get().is_some() => {
                let id = NodeId::from(damaged.get().unwrap_or_default());
                let m = format!("the value of {id} is damaged: whether it is as --where says is not known");
                Err(Failure::of_tape(Error::new(ErrorKind::File, m).within(self.file.display())))
            }
            Ok(0) if condition.is_some() => Err(Error::new(ErrorKind::Run, "no node is as --where says").into()),
            Ok(_) => Ok(()),
        }
    }

    /// Shows what was asked for, and gives how many nodes were found; the first that a condition can't be asked of, since
    /// its value is damaged, goes to `damaged`.
    fn show(
        &self,
        tape: &Tape,
        condition: Option<&Condition>,
        damaged: &Cell<Option<u32>>,
        s: &mut Screen,
    ) -> io::Result<usize> {
        let node = self.node.map(|id| tape.node(id));
        let inside = node.unwrap_or(tape.root());
        if self.dot {
            let open: Vec<NodeId> = self.open.iter().map(|&id| id.into()).collect();
            let text = inside.to_dot_with(self.levels.unwrap_or(PICTURE), &open);
            return text.lines().try_for_each(|l| plain(s, l)).map(|()| 0);
        }
        let slice = self.backward.or(self.forward).map(|id| tape.node(id));
        let listed = slice.is_some() || condition.is_some() || self.levels.is_some() || self.calls.is_some();
        let quiet = node.is_none() && !listed && !self.json;
        if self.verify && quiet {
            let values = overview::bytes(tape.value_bytes());
            plain(s, &format!("all is as it was written: {} nodes, values {values}", tape.len()))?;
        }
        if self.summary || (quiet && !self.verify) {
            let size = std::fs::metadata(&self.file).map_or(0, |m| m.len());
            overview::show(tape, size, s)?;
        }
        if quiet && (self.summary || self.verify) {
            return Ok(0);
        }
        if let (Some(n), None, false) = (node, self.levels, self.json) {
            return in_full(n, s).map(|()| 1);
        }
        let listing = match (quiet, self.limit) {
            (true, None) => Listing { json: false, limit: FIRST, more: "--levels 1 shows them all" },
            (_, limit) => {
                Listing { json: self.json, limit: limit.unwrap_or(usize::MAX), more: "--limit N shows the first N" }
            }
        };
        let nodes: Nodes<'_> = match (slice, self.levels, self.calls) {
            (Some(n), ..) => self.slice(n),
            (_, Some(levels), _) => tree(inside, levels),
            (_, _, Some(id)) => {
                let n = tape.node(id);
                Box::new(calls(n).into_iter().chain([n]).enumerate().map(|(depth, n)| (n, depth)))
            }
            _ if condition.is_some() => Box::new(tape.nodes().map(|n| (n, 0))),
            _ if quiet => {
                s.end()?;
                tree(inside, 1)
            }
            // As JSON, all of the tape, or one node.
            _ => tree(inside, if node.is_some() { 0 } else { usize::MAX }),
        };
        let wanted = move |&(n, _): &(Node<'_>, usize)| {
            let Some(condition) = condition else { return true };
            if damaged.get().is_none() && condition.asks_values() && is_damaged(n) {
                damaged.set(Some(n.id().index() as u32));
            }
            condition.holds(n)
        };
        listing.show(tape, slice, Box::new(nodes.filter(wanted)), s)
    }

    /// What a node depends on, or what depends on it.
    fn slice<'t>(&self, n: Node<'t>) -> Nodes<'t> {
        let nodes: Box<dyn Iterator<Item = Node<'t>>> = match (self.backward.is_some(), self.in_call) {
            (true, false) => Box::new(n.backward()),
            (true, true) => Box::new(n.backward_in_call()),
            (false, false) => Box::new(n.forward()),
            (false, true) => Box::new(n.forward_in_call()),
        };
        Box::new(nodes.map(|n| (n, 1)))
    }
}
