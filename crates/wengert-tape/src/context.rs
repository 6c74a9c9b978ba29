//! Recording contexts: the user's hooks on what is recorded, and how.

use crate::host::HostNumber;
use crate::meta::{Meta, MetaKey, MetaValue};
use crate::row::Kind;
use crate::summary::Capture;
use crate::tape::Label;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use wengert_core::{Place, Tensor, Type};

/// What a call was given, as a context sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentValue {
    /// An array. One that is on a device is copied from there.
    Array(Tensor),
    /// A number of the host.
    Number(HostNumber),
    /// Anything else, as it is shown.
    Text(String),
}

/// The arguments of a call by number: the name, empty if it has none, and the value, if that is known.
pub(crate) type Arguments<'a> = Option<&'a dyn Fn(usize) -> Option<(String, Option<ArgumentValue>)>>;

/// What a context gives as the result of a call instead of what the function gives.
#[derive(Clone, Debug, PartialEq)]
pub enum Substitute {
    /// An array.
    Array(Tensor),
    /// A number of the host, of the type that the function gives.
    Number(HostNumber),
}

impl<T: Into<HostNumber>> From<T> for Substitute {
    fn from(x: T) -> Substitute {
        Substitute::Number(x.into())
    }
}

/// A node about to be recorded. A context reads it, and says how it is recorded.
pub struct Draft<'a> {
    /// What it is.
    pub kind: Kind,
    /// What it did.
    pub label: &'a Label,
    /// The path of the module a tracked function is in; empty for others.
    pub module: &'a str,
    /// Where in the user's source.
    pub place: &'a Place,
    /// How many calls it is inside of.
    pub depth: usize,
    /// The types of the results that are arrays. Those of a call are not known yet.
    pub types: &'a [Type],
    pub(crate) value: &'a dyn Fn(usize) -> Option<Tensor>,
    pub(crate) arguments: Arguments<'a>,
    pub(crate) reply: ContextReply,
}

/// What a context says of a node.
pub(crate) struct ContextReply {
    pub(crate) capture: Capture,
    pub(crate) skipped: bool,
    pub(crate) metadata: Vec<(&'static str, MetaValue)>,
    /// What the node is called instead.
    pub(crate) label: Option<String>,
}

impl ContextReply {
    /// What is said of a node that no context is asked about.
    pub(crate) fn new(capture: Capture) -> ContextReply {
        ContextReply { capture, skipped: false, metadata: Vec::new(), label: None }
    }
}

impl Draft<'_> {
    /// The value of a result, if it is known. One that is on a device is copied from there.
    pub fn value(&self, out: usize) -> Option<Tensor> {
        (self.value)(out)
    }

    /// What a call is given, in order: names, empty where there are none, and values where they are known. Of other nodes
    /// nothing is known here.
    pub fn arguments(&self) -> impl Iterator<Item = (String, Option<ArgumentValue>)> {
        let at = self.arguments;
        (0..).map_while(move |i| at.and_then(|at| at(i)))
    }

    /// The argument of a call with this name.
    pub fn argument(&self, name: &str) -> Option<ArgumentValue> {
        self.arguments().find(|(n, _)| n == name)?.1
    }

    /// Gives the node another label: what it is called on the tape. Where it stands for an op that is run again, it stays that.
    pub fn rename(&mut self, label: &str) {
        self.reply.label = Some(label.to_string());
    }

    /// Keeps this much of the values.
    pub fn capture(&mut self, capture: Capture) {
        self.reply.capture = capture;
    }

    /// Leaves the node out. For the nodes that use its results, these were made where nothing was recorded: an update that
    /// may need them is an error. A call that is left out leaves out all nodes inside it.
    pub fn skip(&mut self) {
        self.reply.skipped = true;
    }

    /// Writes something on the node.
    pub fn set_meta<T: Meta>(&mut self, key: MetaKey<T>, value: T) {
        self.reply.metadata.push((key.name(), value.to_value()));
    }
}

/// How a context enters a call: which nodes inside it are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Enter {
    /// None.
    Nothing,
    /// The tracked functions that the context wants to see ([`Enter::Everything`]), however deep they are
    /// called.
    Tracked,
    /// All, as the context says of each.
    Everything,
}

/// Decides how a run is recorded. Every method has a default: record everything.
///
/// These methods may do what any code may: run arrays, stage and transform functions, make recordings of their own,
/// collect what was recorded so far. None of it is recorded here, if it is done on the thread that asks: a recording of the whole
/// process has what other threads do, and asks the context about it, unless they do it inside of `tape::silently`.
///
/// A context is asked about every node: also about those inside staged calls and loops, which have no values unless each
/// step is recorded, and about the nodes of recordings that end inside this one. Calls of one staged function share their
/// children, about which the context is asked once, or once for each depth at which the calls are.
#[allow(unused_variables)]
pub trait Context: Send + Sync {
    /// Whether the nodes inside this call are recorded. The context is asked about ops whose kernels report steps too.
    fn recurse(&self, call: &Draft<'_>) -> bool {
        true
    }
    /// [`Context::recurse`] for contexts that want to find tracked functions inside of calls whose other nodes they do not
    /// want.
    fn enter(&self, call: &Draft<'_>) -> Enter {
        if self.recurse(call) { Enter::Everything } else { Enter::Nothing }
    }
    /// Another context for what happens inside of this call: with a depth, a path, a prior of its own. Unless it is given,
    /// this one.
    fn inward(&self, call: &Draft<'_>) -> Option<Arc<dyn Context>> {
        None
    }
    /// A result to give instead of what the function gives. A tracked function does not run then. A function that is not
    /// tracked and is called in one has run, and what it gave is dropped. For functions that give a number or an array; the
    /// type must be theirs, or the run fails there. Where a function is traced without values (`jit`, `vmap`, the bodies of loops and
    /// branches), nobody is asked: what comes of the trace is kept for calls without this context, too.
    fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
        None
    }
    /// What the methods for the kinds of nodes do unless they are given: nothing.
    fn node(&self, node: &mut Draft<'_>) {}
    /// An argument of a call.
    fn argument(&self, node: &mut Draft<'_>) {
        self.node(node);
    }
    /// An array from outside.
    fn constant(&self, node: &mut Draft<'_>) {
        self.node(node);
    }
    /// An op.
    fn primitive(&self, node: &mut Draft<'_>) {
        self.node(node);
    }
    /// A call, before what runs inside it.
    fn call(&self, node: &mut Draft<'_>) {
        self.node(node);
    }
    /// A value the host read, an array that came from a file or went to one, or one that was made where nothing was
    /// recorded.
    fn special(&self, node: &mut Draft<'_>) {
        self.node(node);
    }
    /// A decision of the host.
    fn branch(&self, node: &mut Draft<'_>) {
        self.node(node);
    }
    /// What a call gave back.
    fn returns(&self, node: &mut Draft<'_>) {
        self.node(node);
    }

    /// This context and another: both are asked about every node, and the nodes inside a call are those that both want.
    fn and<C: Context + 'static>(self, other: C) -> BothContexts
    where
        Self: Sized + 'static,
    {
        BothContexts(Arc::new(self), Arc::new(other))
    }
}

/// Shows a node to a context, by what the node is.
pub fn visit(c: &dyn Context, node: &mut Draft<'_>) {
    match node.kind {
        Kind::Argument => c.argument(node),
        Kind::Constant => c.constant(node),
        Kind::Primitive => c.primitive(node),
        Kind::Call => c.call(node),
        Kind::Special => c.special(node),
        Kind::Branch => c.branch(node),
        Kind::Return => c.returns(node),
    }
}

/// Two contexts as one: see [`Context::and`].
pub struct BothContexts(Arc<dyn Context>, Arc<dyn Context>);

impl BothContexts {
    /// The first is asked before the second.
    pub fn new(first: Arc<dyn Context>, second: Arc<dyn Context>) -> BothContexts {
        BothContexts(first, second)
    }
}

impl Context for BothContexts {
    fn inward(&self, call: &Draft<'_>) -> Option<Arc<dyn Context>> {
        match (self.0.inward(call), self.1.inward(call)) {
            (None, None) => None,
            (a, b) => {
                let (a, b) = (a.unwrap_or_else(|| self.0.clone()), b.unwrap_or_else(|| self.1.clone()));
                Some(Arc::new(BothContexts(a, b)))
            }
        }
    }
    fn substitute(&self, call: &Draft<'_>) -> Option<Substitute> {
        self.0.substitute(call).or_else(|| self.1.substitute(call))
    }
    fn recurse(&self, call: &Draft<'_>) -> bool {
        self.enter(call) == Enter::Everything
    }
    fn enter(&self, call: &Draft<'_>) -> Enter {
        // Both are asked each time: they may count.
        let (a, b) = (self.0.enter(call), self.1.enter(call));
        a.min(b)
    }
    fn node(&self, node: &mut Draft<'_>) {
        visit(&*self.0, node);
        visit(&*self.1, node);
    }
}

/// Records calls at most this deep; deeper ones are nodes without children.
pub struct DepthLimit(pub usize);

impl Context for DepthLimit {
    fn recurse(&self, call: &Draft<'_>) -> bool {
        call.depth < self.0
    }
}

/// Leaves out the ops for which a predicate does not hold; [`NodeFilter::module`] leaves out the inside of calls.
pub struct NodeFilter<F>(F);

impl<F: Fn(&Draft<'_>) -> bool + Send + Sync> NodeFilter<F> {
    /// Keeps the ops for which `keep` holds, and all other nodes: the tree hangs together by calls, arguments and returns.
    pub fn new(keep: F) -> NodeFilter<F> {
        NodeFilter(keep)
    }
}

impl NodeFilter<()> {
    /// Keeps only these ops.
    pub fn ops<const N: usize>(names: [&'static str; N]) -> NodeFilter<impl Fn(&Draft<'_>) -> bool + Send + Sync> {
        NodeFilter(move |d: &Draft<'_>| names.contains(&&*d.label.name))
    }

    /// Of tracked functions, shows the inside only of those whose module path begins with this, wherever they are called.
    /// What others do is not shown.
    pub fn module(path: &'static str) -> impl Context {
        struct Module(&'static str);
        impl Context for Module {
            fn enter(&self, call: &Draft<'_>) -> Enter {
                let inside = |rest: &str| rest.is_empty() || rest.starts_with("::");
                match call.module.is_empty() || call.module.strip_prefix(self.0).is_some_and(inside) {
                    true => Enter::Everything,
                    false => Enter::Tracked,
                }
            }
        }
        Module(path)
    }
}

impl<F: Fn(&Draft<'_>) -> bool + Send + Sync> Context for NodeFilter<F> {
    fn primitive(&self, node: &mut Draft<'_>) {
        if !(self.0)(node) {
            node.skip();
        }
    }
}

/// Records the nodes inside every n-th call only: a sample of a long run.
pub struct EveryNth {
    n: u64,
    calls: AtomicU64,
}

impl EveryNth {
    /// The first call, and every n-th after it.
    pub fn new(n: u64) -> EveryNth {
        EveryNth { n: n.max(1), calls: AtomicU64::new(0) }
    }
}

impl Context for EveryNth {
    fn recurse(&self, _: &Draft<'_>) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed).is_multiple_of(self.n)
    }
}
