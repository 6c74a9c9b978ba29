//! A convolution without edges, of positions in one phase: sums of products whose numbers lie at regular steps.

use super::layout::Columns;
use super::pack::{Panels, packed};
use wengert_core::{Element, Tensor};
use wengert_eval::kernels::parallel::threads;
use wengert_eval::kernels::{Along, Chains, Geometry, Phase, Real, Sums, each};

/// About how many products a thread computes at a time.
const TASK: usize = 1 << 21;
/// The most rows that are computed before others: what they read stays in a near cache.
const ROWS: usize = 96;
/// Rows from which on tiles are high enough, on average.
const HIGH: usize = 6;
/// The most vectors of 64 bytes in a panel: tiles have rows of as many. Where rows are few, there are more.
const VECTORS: usize = 3;
const MANY_VECTORS: usize = 24;
/// An axis of one.
const ONE: Along = Along { n: 1, x: 0, y: 0, out: 0 };

/// Sums of products, as tiles compute them: rows have numbers of the left operand, and columns, which lie side by side, of
/// the right one. The left operand is that of the convolution, or its kernel.
pub(super) struct Contraction {
    /// Where the first numbers of operands and result lie.
    pub(super) x: isize,
    pub(super) y: isize,
    pub(super) out: isize,
    pub(super) groups: Along,
    pub(super) columns: Along,
    row: Along,
    /// What all other results are.
    others: Vec<Along>,
    /// What is summed over, in order.
    pub(super) sums: Vec<Along>,
    /// Whether the left operand has a number for each column.
    spread: bool,
    /// Whether the left operand is the kernel.
    pub(super) turned: bool,
}

impl Contraction {
    /// The positions of one phase along each axis. The window sees nothing outside of the left operand.
    pub(super) fn new(g: &Geometry, phases: &[&Phase], kind: Columns) -> Contraction {
        let (groups, columns) = if kind == Columns::Groups { (ONE, g.groups) } else { (g.groups, g.outs) };
        let mut c = Contraction {
            x: 0,
            y: 0,
            out: 0,
            groups,
            columns,
            row: ONE,
            others: vec![g.batch],
            sums: Vec::new(),
            spread: kind == Columns::Groups,
            turned: false,
        };
        for (s, p) in g.spatial.iter().zip(phases) {
            c.x += p.site as isize * s.x;
            c.y += s.y_first + p.place as isize * s.y;
            c.out += p.first as isize * s.out_by_phase;
            c.others.push(Along { n: p.positions, x: p.site_by_position as isize * s.x, y: 0, out: s.out });
            let (x, y) = (p.site_by_place as isize * s.x, p.place_step as isize * s.y);
            c.sums.push(Along { n: p.places, x, y, out: 0 });
        }
        c.sums.insert(if g.features_first { 0 } else { c.sums.len() }, g.features);
        c.others = merged(c.others);
        let is_high = |a: &Along| a.n >= HIGH;
        match kind {
            Columns::Outs | Columns::Groups => {}
            _ if g.outs.n == 1 && c.others.iter().rev().skip(1).any(is_high) => c.spread(),
            _ => c.turn(),
        }
        if !c.turned && !c.others.is_empty() {
            c.row = c.others.remove(c.tile_axis());
        }
        c
    }

    /// Makes the positions that lie side by side columns, of one output feature.
    fn spread(&mut self) {
        self.columns = self.others.pop().unwrap_or(Along { n: 1, x: 1, y: 0, out: 1 });
        self.spread = true;
    }

    /// Makes the output features rows, and the positions that lie side by side columns.
    fn turn(&mut self) {
        self.turned = true;
        let turned = |a: Along| Along { x: a.y, y: a.x, ..a };
        let side = self.others.pop().unwrap_or(Along { n: 1, x: 1, y: 0, out: 1 });
        (self.x, self.y) = (self.y, self.x);
        (self.row, self.columns) = (turned(self.columns), turned(side));
        self.groups = turned(self.groups);
        self.others.iter_mut().chain(&mut self.sums).for_each(|a| *a = turned(*a));
    }

    /// How many products a sum has.
    pub(super) fn depth(&self) -> usize {
        self.sums.iter().map(|s| s.n).product()
    }

    /// Whether the right operand is read where it lies: its columns are neighbours, and all products of one column are at
    /// one step, in one panel or not taken often.
    fn is_direct(&self, panels: &Panels) -> bool {
        if self.turned {
            return true;
        }
        let axes: Vec<&Along> = self.sums.iter().filter(|s| s.n != 1).collect();
        let one_step = axes.windows(2).all(|a| a[0].y == a[1].y * a[1].n as isize);
        let step = axes.last().map_or(1, |a| a.y);
        let rows = self.others.iter().chain([&self.row]).map(|r| r.n).product::<usize>();
        let near = panels.count == 1 || rows < 48;
        (self.columns.y == 1 || self.columns.n == 1) && one_step && step > 0 && near
    }

    /// The axis that the rows of tiles go along: one with small steps, if it has enough of them.
    fn tile_axis(&self) -> usize {
        let height = |i: usize| self.others[i].n.div_ceil(self.others[i].n.div_ceil(12));
        let high = (0..self.others.len()).rev().find(|&i| height(i) >= HIGH);
        high.or_else(|| (0..self.others.len()).max_by_key(|&i| height(i))).unwrap_or(0)
    }

    /// Where the rows of tiles start, in the left operand, the right one and the result.
    fn starts(&self) -> Vec<[isize; 3]> {
        self.others.iter().fold(vec![[0, 0, 0]], |all, a| {
            let further = |at: &[isize; 3]| {
                let at = *at;
                (0..a.n as isize).map(move |i| [at[0] + i * a.x, at[1] + i * a.y, at[2] + i * a.out])
            };
            all.iter().flat_map(further).collect()
        })
    }

    /// Computes all sums. Gives back the right operand as it was laid out, if it was.
    pub(super) fn run<T: Real>(&self, x: &[T], y: &[T], out: &mut [T]) -> Option<Tensor> {
        let vectors = if self.turned { MANY_VECTORS } else { VECTORS };
        // One vector has all that is repeated for each column.
        let panels = Panels::new::<T>(self.columns.n, if self.spread && self.columns.y == 0 { 1 } else { vectors });
        let depth = self.depth();
        let laid = (!self.is_direct(&panels)).then(|| packed(self, y, &panels));
        let mut sums = self.sums.clone();
        if laid.is_some() {
            let mut step = panels.width as isize;
            for axis in sums.iter_mut().rev() {
                axis.y = step;
                step *= axis.n as isize;
            }
        }
        let chains = Chains::new(&sums);
        let starts = self.starts();

        // Units of some rows each, of which a task has several.
        let row = self.row;
        let panels_in_all = self.groups.n * panels.count;
        let wanted = 4 * threads();
        let pieces = row.n.div_ceil(ROWS).max(wanted.div_ceil(starts.len() * panels_in_all).min(row.n.div_ceil(12)));
        let rows = row.n.div_ceil(pieces);
        let units = starts.len() * pieces;
        let work = [row.n, starts.len(), self.groups.n, self.columns.n, depth];
        let work = work.into_iter().fold(1, usize::saturating_mul);
        let chunk = (units * panels_in_all).div_ceil((work / TASK).max(wanted)).max(1);
        let chunks = units.div_ceil(chunk);

        self.check(x, out, y, laid.is_none());
        let right = laid.as_ref().map_or(y, |laid| laid.view().elements::<T>());
        let p = Pointers { x: x.as_ptr(), y: right.as_ptr(), out: out.as_mut_ptr() };
        each(chunks * panels_in_all, work, &|task| {
            let p = &p;
            let (first, panel) = (task % chunks * chunk, task / chunks);
            let (group, column) = ((panel / panels.count) as isize, panel % panels.count);
            let along = (column * panels.width) as isize;
            let x = self.x + group * self.groups.x + if self.spread { along } else { 0 };
            let y = match laid.is_some() {
                true => (panel * depth * panels.width) as isize,
                false => self.y + group * self.groups.y + along,
            };
            let out = self.out + group * self.groups.out + along;
            for (number, segments) in chains.chains.iter().enumerate() {
                for unit in first..units.min(first + chunk) {
                    let (start, from) = (starts[unit / pieces], (unit % pieces * rows).min(row.n));
                    let sums = Sums {
                        rows: rows.min(row.n - from),
                        columns: panels.size(column),
                        segments,
                        x: [row.x, chains.x],
                        spread: self.spread,
                        y: chains.y,
                        out: row.out,
                        add: number > 0,
                    };
                    let from = from as isize;
                    // SAFETY: all numbers lie in the operands and in the result, as was checked; no two units have a
                    // result in common.
                    unsafe {
                        let (x, y) = (p.x.offset(x + start[0] + from * row.x), p.y.offset(y + start[1]));
                        sums.run::<T>(x, y, p.out.offset(out + start[2] + from * row.out));
                    }
                }
            }
        });
        laid
    }

    /// Sees to it that all numbers lie in the operands and in the result.
    fn check<T>(&self, x: &[T], out: &[T], y: &[T], direct: bool) {
        let ends = |start: isize, step: fn(&Along) -> isize| {
            let axes = self.others.iter().chain(&self.sums).chain([&self.row, &self.groups, &self.columns]);
            let reach = |a: &Along| (a.n as isize - 1) * step(a);
            axes.fold((start, start), |(low, high), a| (low + reach(a).min(0), high + reach(a).max(0)))
        };
        let inside = |(low, high): (isize, isize), n: usize| low >= 0 && (high as usize) < n;
        assert!(inside(ends(self.x, |a| a.x), x.len()), "the left operand");
        assert!(inside(ends(self.out, |a| a.out), out.len()), "the result");
        assert!(!direct || inside(ends(self.y, |a| a.y), y.len()), "the right operand");
        let side_by_side = self.columns.out == 1 && (!direct || self.columns.y == 1);
        assert!(side_by_side || self.columns.n == 1, "columns side by side");
    }
}

/// Numbers that threads read, and write each in places of its own.
struct Pointers<T> {
    x: *const T,
    y: *const T,
    out: *mut T,
}

// SAFETY: `Contraction::run` gives each result to one thread.
unsafe impl<T: Element> Sync for Pointers<T> {}

/// Axes that go on where others end are one with them; those with the smallest steps come last.
fn merged(mut axes: Vec<Along>) -> Vec<Along> {
    axes.retain(|a| a.n != 1);
    axes.sort_by_key(|a| std::cmp::Reverse(a.x));
    let mut all: Vec<Along> = Vec::new();
    for a in axes {
        match all.last_mut() {
            Some(b) if b.x == a.x * a.n as isize && b.out == a.out * a.n as isize => *b = Along { n: a.n * b.n, ..a },
            _ => all.push(a),
        }
    }
    all
}
