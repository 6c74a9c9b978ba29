//! A tape as a picture: Graphviz text.
//!
//! A call is one box until it is opened; then it is a frame around what ran in it, and arrows go to its arguments and come
//! from its return. A run that is longer than a page goes on in a column beside it.

use crate::node::{Argument, Node, NodeId, NodeRef};
use crate::print::indent;
use crate::row::{Kind, NONE};
use crate::tape::Constant;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The most characters in a line of a box.
const WIDEST: usize = 32;
/// So many boxes one below the other are always one column.
const COLUMN: usize = 28;
/// More arrays than this, from outside and for one box alone, are drawn as one.
const BUNDLE: usize = 6;
/// What is given to more boxes than this is drawn beside them, and not above each.
const MANY_USES: usize = 6;
/// How much wider a box is than it is high, with the space around it.
const ASPECT: usize = 5;

/// How a picture begins.
const HEAD: &str = "digraph tape {
  rankdir=TB; nodesep=0.15; ranksep=0.25; fontname=\"monospace\"; fontsize=10;
  node [shape=box, fontname=\"monospace\", fontsize=10, height=0.3, margin=\"0.08,0.04\"];
  edge [fontname=\"monospace\", fontsize=8, arrowsize=0.6];
";

impl Node<'_> {
    /// The inside of the node as Graphviz text: calls are frames around what ran in them, arrows go where values go.
    /// `levels` is how deep it looks; a call at that depth is one box.
    pub fn to_dot(self, levels: usize) -> String {
        self.to_dot_with(levels, &[])
    }

    /// As [`Node::to_dot`], with these calls opened too, and those that they are in.
    pub fn to_dot_with(self, levels: usize, open: &[NodeId]) -> String {
        self.tape.looked_at();
        let mut picture = Picture::new(self);
        let opened = open.iter().filter_map(|&id| self.tape.get(id));
        let opened: FxHashSet<u32> = opened.flat_map(|n| n.ancestors().chain([n])).map(|n| n.id).collect();
        picture.place_boxes(|n, depth| depth < levels || opened.contains(&n.id));
        picture.find_arrows();
        picture.finish()
    }
}

/// What comes next: a node, or the end of a call's frame.
enum Step<'t> {
    Node(Node<'t>, usize),
    End(usize),
}

struct Picture<'t> {
    root: Node<'t>,
    pieces: Vec<(usize, Piece)>,
    /// For each node, the box that stands for it; [`NONE`] where nothing does.
    boxes: Vec<u32>,
    /// Of calls that are frames, the box that their values come from.
    exits: BTreeMap<u32, u32>,
    arrows: Vec<Arrow>,
    /// The number of the arrow between two boxes.
    between: FxHashMap<(u32, u32), usize>,
}

/// What is drawn, by the number of its node.
enum Piece {
    Box(u32),
    Frame(u32),
    End,
}

/// From a box to another one.
struct Arrow {
    from: u32,
    to: u32,
    /// Which of several results it is, by the first and the last of them.
    label: [String; 2],
    /// Whether the host went this way, from one decision to the next, and no value did.
    is_jump: bool,
}

impl<'t> Picture<'t> {
    fn new(root: Node<'t>) -> Picture<'t> {
        Picture {
            root,
            pieces: Vec::new(),
            boxes: vec![NONE; root.tape.len()],
            exits: BTreeMap::new(),
            arrows: Vec::new(),
            between: FxHashMap::default(),
        }
    }

    fn node(&self, id: u32) -> Node<'t> {
        Node { tape: self.root.tape, id }
    }

    /// Boxes and frames, with a stack of its own: a run may be nested deeper than ours.
    fn place_boxes(&mut self, is_open: impl Fn(Node<'t>, usize) -> bool) {
        let mut stack = vec![Step::Node(self.root, 0)];
        while let Some(step) = stack.pop() {
            let (node, depth) = match step {
                Step::Node(node, depth) => (node, depth),
                Step::End(depth) => {
                    self.pieces.push((depth, Piece::End));
                    continue;
                }
            };
            let id = node.id;
            let opened = node.has_children() && node.shares().is_none() && is_open(node, depth);
            if !opened {
                self.boxes[id as usize] = id;
                self.pieces.push((depth, Piece::Box(id)));
                continue;
            }
            self.pieces.push((depth, Piece::Frame(id)));
            let last = node.last_child().map(|id| self.node(id));
            let exit = last.filter(|n| n.kind() == Kind::Return).map_or(id, |n| n.id);
            self.exits.insert(id, exit);
            self.boxes[id as usize] = exit;
            if exit == id {
                // Nothing inside gives its value.
                self.pieces.push((depth + 1, Piece::Box(id)));
            }
            stack.push(Step::End(depth));
            let at = stack.len();
            stack.extend(node.children().map(|c| Step::Node(c, depth + 1)));
            stack[at..].reverse();
        }
        // What is inside a box has no other: parents come before their children.
        for id in 0..self.boxes.len() {
            let parent = self.root.tape.row(id as u32).parent;
            if self.boxes[id] == NONE && parent != NONE && !self.exits.contains_key(&parent) {
                self.boxes[id] = self.boxes[parent as usize];
            }
        }
    }

    /// An arrow between two boxes, of which there is one for all values.
    fn arrow(&mut self, from: u32, to: u32, label: &str, is_jump: bool) {
        if from == NONE || to == NONE || from == to {
            return;
        }
        let next = self.arrows.len();
        match *self.between.entry((from, to)).or_insert(next) {
            i if i < next => self.arrows[i].label[1] = label.into(),
            _ => self.arrows.push(Arrow { from, to, label: [label.into(), label.into()], is_jump }),
        }
    }

    /// Where values go between boxes: what is used inside a box goes to the box.
    fn find_arrows(&mut self) {
        for node in self.root.tape.nodes() {
            // The arguments inside a frame stand for those of its call, unless they say themselves where they are from.
            let framed = self.exits.get(&node.id).copied();
            let inside = node.children().filter(|n| framed.is_some() && n.kind() == Kind::Argument);
            let entries: Vec<u32> = inside.map(|n| if n.arguments().len() == 0 { n.id } else { NONE }).collect();
            for (i, a) in node.arguments().enumerate() {
                let r = match a {
                    Argument::Node(r) => r,
                    Argument::Constant(Constant::Linked(from, _)) => {
                        NodeRef { node: self.root.tape.node(from.node), out: from.out }
                    }
                    Argument::Constant(_) => continue,
                };
                let to = match (framed, entries.get(i)) {
                    (None, _) => self.boxes[node.id as usize],
                    (Some(_), Some(&entry)) => entry,
                    (Some(exit), None) => {
                        if exit == node.id {
                            exit
                        } else {
                            NONE
                        }
                    }
                };
                let from = self.boxes[r.node.id as usize];
                let label = match r.to_string().find(['.', '#']).filter(|_| from == r.node.id) {
                    Some(at) => r.to_string()[at..].to_string(),
                    None => String::new(),
                };
                self.arrow(from, to, &label, false);
            }
        }
        let frames: Vec<u32> = self.exits.keys().copied().collect();
        frames.into_iter().for_each(|call| self.find_jumps(self.node(call)));
    }

    /// The way of the host through a frame: from each jump to the next, and to the return that the last one led to.
    fn find_jumps(&mut self, call: Node<'t>) {
        let mut last = NONE;
        for n in call.children().filter(|n| matches!(n.kind(), Kind::Branch | Kind::Return)) {
            self.arrow(last, n.id, "", true);
            last = n.id;
        }
    }

    /// Arrays from outside that one box alone uses, where these are many: the first of them stands for all.
    fn bundles(&mut self) -> BTreeMap<u32, Vec<u32>> {
        let mut users: BTreeMap<u32, Option<u32>> = BTreeMap::new();
        for a in &self.arrows {
            users.entry(a.from).and_modify(|to| *to = to.filter(|&to| to == a.to)).or_insert(Some(a.to));
        }
        let mut bundles: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (from, to) in users.into_iter().filter(|&(from, _)| self.node(from).kind() == Kind::Constant) {
            to.into_iter().for_each(|to| bundles.entry(to).or_default().push(from));
        }
        bundles.retain(|_, all| all.len() > BUNDLE);
        let hidden: FxHashSet<u32> = bundles.values().flat_map(|all| &all[1..]).copied().collect();
        self.arrows.retain(|a| !hidden.contains(&a.from));
        self.pieces.retain(|(_, piece)| !matches!(piece, Piece::Box(id) if hidden.contains(id)));
        bundles.into_values().map(|all| (all[0], all)).collect()
    }

    /// For boxes in frames that are short beside a column, the outermost such frame.
    fn whole_frames(&self) -> FxHashMap<u32, u32> {
        let tape = self.root.tape;
        let is_box = |piece: &(usize, Piece)| matches!(piece.1, Piece::Box(_));
        let short = longest_column(self.pieces.iter().filter(|p| is_box(p)).count()) / 2;
        // The frames that are open here, each with how many boxes it has; then those of the boxes.
        let (mut open, mut sizes): (Vec<(u32, usize)>, FxHashMap<u32, usize>) = (Vec::new(), FxHashMap::default());
        let mut boxes = 0;
        for (_, piece) in &self.pieces {
            match piece {
                Piece::Box(_) => boxes += 1,
                Piece::Frame(id) => open.push((*id, boxes)),
                Piece::End => {
                    let (id, before) = open.pop().expect("a frame that ends began");
                    sizes.insert(id, boxes - before);
                }
            }
        }
        let mut whole: FxHashMap<u32, u32> = FxHashMap::default();
        for (_, piece) in &self.pieces {
            let (Piece::Box(id) | Piece::Frame(id)) = *piece else { continue };
            let around = whole.get(&tape.row(id).parent).copied();
            let own = || sizes.get(&id).is_some_and(|&n| n <= short && id != self.root.id).then_some(id);
            if let Some(frame) = around.or_else(own) {
                whole.insert(id, frame);
            }
        }
        whole
    }

    fn finish(mut self) -> String {
        let bundles = self.bundles();
        let is_given = |id: u32| matches!(self.node(id).kind(), Kind::Argument | Kind::Constant);
        let spots = spots(&self.arrows, self.whole_frames(), is_given);
        let mut out = String::from(HEAD);
        for (depth, piece) in &self.pieces {
            let pad = indent(depth + 1);
            let _ = match piece {
                // The picture itself is the frame of its root.
                Piece::Frame(id) if *id == self.root.id => {
                    writeln!(out, "  label=\"{}\"; labelloc=t; labeljust=l;", label(self.root))
                }
                Piece::End if *depth == 0 => Ok(()),
                Piece::End => writeln!(out, "{pad}}}"),
                Piece::Frame(id) => {
                    let text = label(self.node(*id));
                    writeln!(out, "{pad}subgraph cluster_{id} {{\n{pad}  label=\"{text}\"; labeljust=l; color=gray;")
                }
                Piece::Box(id) => {
                    let text = match bundles.get(id) {
                        None => label(self.node(*id)),
                        Some(all) => format!("@{id} … @{}\\n{} constants", all[all.len() - 1], all.len()),
                    };
                    writeln!(out, "{pad}n{id} [label=\"{text}\"{}];", style(self.node(*id)))
                }
            };
        }
        let mut uses: BTreeMap<u32, usize> = BTreeMap::new();
        self.arrows.iter().for_each(|a| *uses.entry(a.from).or_default() += 1);
        let spot = |id: u32| spots.get(&id).copied().unwrap_or_default();
        let follows = |a: &Arrow| !a.is_jump && spot(a.from).column == spot(a.to).column;
        // Of the arrows to a box, the one from furthest down is drawn straight: a chain stands in a line.
        let mut straight: BTreeMap<u32, u32> = BTreeMap::new();
        for a in self.arrows.iter().filter(|a| follows(a)) {
            let from = straight.entry(a.to).or_insert(a.from);
            *from = std::cmp::max_by_key(*from, a.from, |&id| spot(id).rank);
        }
        for a in &self.arrows {
            let label = match &a.label {
                [first, last] if first.is_empty() || last.is_empty() => String::new(),
                [first, last] if first == last => format!("label=\"{first}\" "),
                [first, last] => format!("label=\"{first} … {last}\" "),
            };
            let dashed = if a.is_jump { "style=dashed weight=2 " } else { "" };
            // An arrow to another column pulls nothing down, nor does one of many from what is given.
            let many = is_given(a.from) && uses[&a.from] > MANY_USES;
            let way = match () {
                () if many || spot(a.from).column != spot(a.to).column => "constraint=false color=gray",
                () if follows(a) && straight[&a.to] == a.from => "weight=8",
                () => "",
            };
            let style = format!("{label}{dashed}{way}");
            let style = if style.is_empty() { style } else { format!(" [{}]", style.trim_end()) };
            let _ = writeln!(out, "  n{} -> n{}{style};", a.from, a.to);
        }
        // Columns stand in the order of the run, side by side: as far as they are not in inner frames, where Graphviz decides.
        let is_head = |id: u32| self.root.tape.row(id).parent == self.root.id;
        let heads = spots.iter().rev().filter(|&(&id, _)| is_head(id)).map(|(&id, spot)| (spot.column, id));
        let heads: Vec<String> = heads.collect::<BTreeMap<_, _>>().values().map(|id| format!("n{id}")).collect();
        if heads.len() > 1 {
            let _ = writeln!(out, "  {{ rank=same; {} [style=invis]; }}", heads.join(" -> "));
        }
        out.push_str("}\n");
        out
    }
}

/// Where a box is: its column, and how far down.
#[derive(Clone, Copy, Default)]
struct Spot {
    column: usize,
    rank: usize,
}

/// Where the boxes are: in the order of the run, a new column begins where a box would be too far down, and not inside a frame
/// that is `whole`. What is given stands where it is used first.
fn spots(arrows: &[Arrow], whole: FxHashMap<u32, u32>, is_given: impl Fn(u32) -> bool) -> BTreeMap<u32, Spot> {
    let mut above: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    let mut below: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for a in arrows {
        above.entry(a.to).or_default().push(a.from);
        below.entry(a.from).or_default().push(a.to);
        above.entry(a.from).or_default();
    }
    let longest = longest_column(above.len());
    let (mut spots, mut column, mut last): (BTreeMap<u32, Spot>, _, _) = (BTreeMap::new(), 0, None);
    for (&id, from) in &above {
        let beside = from.iter().filter_map(|f| spots.get(f)).filter(|s| s.column == column);
        let mut rank = beside.map(|s| s.rank + 1).max().unwrap_or(0);
        let frame = whole.get(&id);
        if rank >= longest && (frame.is_none() || frame != last) {
            (column, rank) = (column + 1, 0);
        }
        last = frame;
        spots.insert(id, Spot { column, rank });
    }
    for (&id, to) in below.iter().rev().filter(|(id, _)| is_given(**id)) {
        let first = to.iter().filter(|&&t| t > id).map(|t| spots[t].column).min();
        spots.entry(id).and_modify(|s| s.column = first.unwrap_or(s.column));
    }
    spots
}

/// So many boxes are one below the other in a picture of so many.
fn longest_column(boxes: usize) -> usize {
    COLUMN.max((boxes * ASPECT).isqrt())
}

/// How the box of a node looks.
fn style(n: Node<'_>) -> &'static str {
    match n.kind() {
        Kind::Branch => ", style=filled, fillcolor=\"#fff4d6\"",
        Kind::Argument | Kind::Constant => ", shape=ellipse",
        Kind::Return => ", style=rounded",
        Kind::Call if n.has_children() => ", style=filled, fillcolor=\"#e8eefc\", peripheries=2",
        Kind::Call => ", style=filled, fillcolor=\"#e8eefc\"",
        Kind::Special => ", style=dashed",
        Kind::Primitive => "",
    }
}

/// The number of a node and what it did, then what it gave.
fn label(n: Node<'_>) -> String {
    let args = || n.arguments().map(|a| a.to_string()).collect::<Vec<_>>().join(", ");
    let name = n.name().map_or(String::new(), |name| format!("{name} = "));
    let did = match n.kind() {
        Kind::Branch | Kind::Return => n.line(),
        Kind::Constant => format!("{name}constant"),
        Kind::Argument if n.arguments().len() == 0 => format!("{name}argument"),
        Kind::Argument if n.arguments().len() == 1 => format!("{name}{}", args()),
        _ => format!("{name}{}({})", n.function(), args()),
    };
    let mut lines = vec![cut(&format!("{} {did}", n.id()))];
    if !matches!(n.kind(), Kind::Branch | Kind::Return) {
        let gave: Vec<String> = (0..n.result_count()).filter_map(|i| gave(n, i)).collect();
        if !gave.is_empty() {
            lines.push(cut(&gave.join(" · ")));
        }
    }
    lines.iter().map(|l| escape(l)).collect::<Vec<_>>().join("\\n")
}

/// A result in a few words: `3 : i64`, `f32[2,3]`.
fn gave(n: Node<'_>, i: usize) -> Option<String> {
    let ty = n.type_name(i);
    let value = match n.number(i) {
        Some(x) => Some(x.to_string()),
        None => n.text(i).map(str::to_string),
    };
    match (value, ty) {
        (Some(value), _) if value == "()" => None,
        (Some(value), Some(ty)) => Some(format!("{value} : {ty}")),
        (value, ty) => value.or(ty),
    }
}

/// A text that ends in `…` if it was longer.
fn cut(text: &str) -> String {
    match text.char_indices().nth(WIDEST) {
        None => text.to_string(),
        Some(_) => text.chars().take(WIDEST - 1).chain(['…']).collect(),
    }
}

fn escape(s: &str) -> String {
    s.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, "\u{fffd}")
}
