//! The cheapest nodes of a graph without which no way leads from its beginnings to its ends: a minimum cut, by the
//! shortest ways along which more can flow.

use std::collections::VecDeque;

const ENDLESS: u64 = u64::MAX >> 2;

/// A graph whose nodes have a price. Each is two vertices, with an arc between them that lets as much through.
pub(super) struct Network {
    arcs: Vec<Arc>,
    /// The arcs that leave each vertex. An arc and the one back are neighbours in the list.
    leaving: Vec<Vec<usize>>,
}

struct Arc {
    to: usize,
    room: u64,
}

impl Network {
    /// A graph of at most so many nodes.
    pub fn new(nodes: usize) -> Network {
        Network { arcs: Vec::new(), leaving: vec![Vec::new(); 2 * nodes + 2] }
    }

    fn source(&self) -> usize {
        self.leaving.len() - 2
    }

    fn sink(&self) -> usize {
        self.leaving.len() - 1
    }

    fn arc(&mut self, from: usize, to: usize, room: u64) {
        self.leaving[from].push(self.arcs.len());
        self.leaving[to].push(self.arcs.len() + 1);
        self.arcs.extend([Arc { to, room }, Arc { to: from, room: 0 }]);
    }

    /// A node, and what it costs to cut it.
    pub fn node(&mut self, node: usize, price: u64) {
        self.arc(2 * node, 2 * node + 1, price);
    }

    /// A way leads from one node to another.
    pub fn edge(&mut self, from: usize, to: usize) {
        self.arc(2 * from + 1, 2 * to, ENDLESS);
    }

    /// Ways begin here.
    pub fn begins(&mut self, node: usize) {
        self.arc(self.source(), 2 * node, ENDLESS);
    }

    /// Ways end here.
    pub fn ends(&mut self, node: usize) {
        self.arc(2 * node + 1, self.sink(), ENDLESS);
    }

    /// What a cheapest cut costs, and its nodes: of all such cuts, the one nearest the ends.
    pub fn cheapest(mut self) -> (u64, Vec<usize>) {
        let mut price = 0;
        while let Some(way) = self.way() {
            let room = way.iter().map(|&a| self.arcs[a].room).min().unwrap_or(0);
            for a in way {
                self.arcs[a].room -= room;
                self.arcs[a ^ 1].room += room;
            }
            price += room;
        }
        let ends = self.reach_sink();
        let nodes = (0..self.leaving.len() / 2 - 1).filter(|n| !ends[2 * n] && ends[2 * n + 1]);
        (price, nodes.collect())
    }

    /// The arcs of a shortest way with room from the source to the sink.
    fn way(&self) -> Option<Vec<usize>> {
        let mut by: Vec<Option<usize>> = vec![None; self.leaving.len()];
        let mut queue = VecDeque::from([self.source()]);
        while let Some(v) = queue.pop_front() {
            for &a in &self.leaving[v] {
                let Arc { to, room } = self.arcs[a];
                if room > 0 && by[to].is_none() && to != self.source() {
                    by[to] = Some(a);
                    queue.push_back(to);
                }
            }
            if by[self.sink()].is_some() {
                break;
            }
        }
        let mut way = vec![by[self.sink()]?];
        while let Some(a) = by[self.arcs[way[way.len() - 1] ^ 1].to] {
            way.push(a);
        }
        Some(way)
    }

    /// The vertices from which there is room on some way to the sink.
    fn reach_sink(&self) -> Vec<bool> {
        let mut reach = vec![false; self.leaving.len()];
        reach[self.sink()] = true;
        let mut stack = vec![self.sink()];
        while let Some(v) = stack.pop() {
            for &a in &self.leaving[v] {
                let from = self.arcs[a].to;
                if self.arcs[a ^ 1].room > 0 && !reach[from] {
                    reach[from] = true;
                    stack.push(from);
                }
            }
        }
        reach
    }
}
