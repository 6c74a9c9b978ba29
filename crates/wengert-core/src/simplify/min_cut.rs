//! The minimum cut of a graph: the cheapest nodes without which no path leads from its sources to its sinks. Found as a
//! maximum flow, by shortest augmenting paths (Edmonds–Karp).

use std::collections::VecDeque;

const INFINITE: u64 = u64::MAX >> 2;

/// A flow network of nodes that have a price. Each node is two vertices, with an arc between them whose capacity is the
/// price.
pub(super) struct Network {
    arcs: Vec<Arc>,
    /// The arcs that leave each vertex. An arc and its reverse are neighbours in `arcs`.
    outgoing: Vec<Vec<usize>>,
}

struct Arc {
    to: usize,
    capacity: u64,
}

impl Network {
    /// A graph of at most so many nodes.
    pub fn new(nodes: usize) -> Network {
        Network { arcs: Vec::new(), outgoing: vec![Vec::new(); 2 * nodes + 2] }
    }

    fn source(&self) -> usize {
        self.outgoing.len() - 2
    }

    fn sink(&self) -> usize {
        self.outgoing.len() - 1
    }

    fn arc(&mut self, from: usize, to: usize, capacity: u64) {
        self.outgoing[from].push(self.arcs.len());
        self.outgoing[to].push(self.arcs.len() + 1);
        self.arcs.extend([Arc { to, capacity }, Arc { to: from, capacity: 0 }]);
    }

    /// A node, and what it costs to cut it.
    pub fn add_node(&mut self, node: usize, price: u64) {
        self.arc(2 * node, 2 * node + 1, price);
    }

    /// An edge between two nodes.
    pub fn add_edge(&mut self, from: usize, to: usize) {
        self.arc(2 * from + 1, 2 * to, INFINITE);
    }

    /// Paths may begin at this node.
    pub fn add_source(&mut self, node: usize) {
        self.arc(self.source(), 2 * node, INFINITE);
    }

    /// Paths may end at this node.
    pub fn add_sink(&mut self, node: usize) {
        self.arc(2 * node + 1, self.sink(), INFINITE);
    }

    /// What a minimum cut costs, and its nodes: of all such cuts, the one nearest the sinks.
    pub fn min_cut(mut self) -> (u64, Vec<usize>) {
        let mut price = 0;
        while let Some(path) = self.augmenting_path() {
            let flow = path.iter().map(|&a| self.arcs[a].capacity).min().unwrap_or(0);
            for a in path {
                self.arcs[a].capacity -= flow;
                self.arcs[a ^ 1].capacity += flow;
            }
            price += flow;
        }
        let reach = self.reach_sink();
        let nodes = (0..self.outgoing.len() / 2 - 1).filter(|n| !reach[2 * n] && reach[2 * n + 1]);
        (price, nodes.collect())
    }

    /// The arcs of a shortest path with capacity left from the source to the sink, the last first.
    fn augmenting_path(&self) -> Option<Vec<usize>> {
        let mut by: Vec<Option<usize>> = vec![None; self.outgoing.len()];
        let mut queue = VecDeque::from([self.source()]);
        while let Some(v) = queue.pop_front() {
            for &a in &self.outgoing[v] {
                let Arc { to, capacity } = self.arcs[a];
                if capacity > 0 && by[to].is_none() && to != self.source() {
                    by[to] = Some(a);
                    queue.push_back(to);
                }
            }
            if by[self.sink()].is_some() {
                break;
            }
        }
        let mut path = vec![by[self.sink()]?];
        while let Some(a) = by[self.arcs[path[path.len() - 1] ^ 1].to] {
            path.push(a);
        }
        Some(path)
    }

    /// The vertices from which some path with capacity left leads to the sink.
    fn reach_sink(&self) -> Vec<bool> {
        let mut reach = vec![false; self.outgoing.len()];
        reach[self.sink()] = true;
        let mut stack = vec![self.sink()];
        while let Some(v) = stack.pop() {
            for &a in &self.outgoing[v] {
                let from = self.arcs[a].to;
                if self.arcs[a ^ 1].capacity > 0 && !reach[from] {
                    reach[from] = true;
                    stack.push(from);
                }
            }
        }
        reach
    }
}
