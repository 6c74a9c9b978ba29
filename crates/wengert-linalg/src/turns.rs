//! The vectors that rotations are applied to: many sweeps of rotations at a time, on some rows that stay in the cache.

use super::lanes::{ROWS, sweep};
use super::rotation::Rotation;
use super::{Matrix, Tools};
use std::ops::Range;
use std::sync::Mutex;

/// So many rotations are collected before they are applied.
const MANY: usize = 1 << 12;

/// A square matrix whose columns are turned.
pub(super) struct Turns<'a> {
    columns: usize,
    /// Some rows each, column after column.
    panels: Vec<Mutex<Vec<f64>>>,
    /// What is not applied yet.
    sweeps: Vec<Sweep>,
    turns: Vec<Rotation>,
    tools: Tools<'a>,
}

/// Rotations of neighbouring columns, from the first on or up to it.
struct Sweep {
    first: usize,
    down: bool,
    turns: Range<usize>,
}

impl<'a> Turns<'a> {
    pub(super) fn identity(n: usize, tools: Tools<'a>) -> Turns<'a> {
        let panel = |p: usize| {
            let mut panel = vec![0.0; n * ROWS];
            (p * ROWS..n.min((p + 1) * ROWS)).for_each(|i| panel[i * ROWS + i % ROWS] = 1.0);
            Mutex::new(panel)
        };
        let panels = (0..n.div_ceil(ROWS)).map(panel).collect();
        Turns { columns: n, panels, sweeps: Vec::new(), turns: Vec::new(), tools }
    }

    /// Turns columns, each with the next: down from the first one, or up to it, in the order of the rotations.
    pub(super) fn sweep(&mut self, first: usize, down: bool, turns: &[Rotation]) {
        let start = self.turns.len();
        self.turns.extend(turns);
        self.sweeps.push(Sweep { first, down, turns: start..self.turns.len() });
        if self.turns.len() > MANY {
            self.apply();
        }
    }

    fn apply(&mut self) {
        let work = self.turns.len() * self.columns;
        (self.tools.spread)(self.panels.len(), work, &|p| {
            let mut panel = self.panels[p].lock().expect("nobody else has it");
            self.sweeps.iter().for_each(|s| sweep(&mut panel, s.first, s.down, &self.turns[s.turns.clone()]));
        });
        self.sweeps.clear();
        self.turns.clear();
    }

    /// The columns in this order.
    pub(super) fn ordered(mut self, order: &[usize]) -> Matrix<f64> {
        self.apply();
        let mut all = Matrix::zero(self.columns, self.columns);
        for (p, panel) in self.panels.into_iter().enumerate() {
            let panel = panel.into_inner().expect("nobody else has it");
            let rows = p * ROWS..self.columns.min((p + 1) * ROWS);
            for (j, &from) in order.iter().enumerate() {
                all.column_mut(j)[rows.clone()].copy_from_slice(&panel[from * ROWS..][..rows.len()]);
            }
        }
        all
    }
}

/// The left and right vectors so far, if they are wanted, and the rotations of a sweep.
pub(super) struct Vectors<'a> {
    pub both: Option<[Turns<'a>; 2]>,
    left: Vec<Rotation>,
    right: Vec<Rotation>,
}

impl<'a> Vectors<'a> {
    pub(super) fn new(both: Option<[Turns<'a>; 2]>) -> Vectors<'a> {
        Vectors { both, left: Vec::new(), right: Vec::new() }
    }

    pub(super) fn push(&mut self, left: Rotation, right: Rotation) {
        if self.both.is_some() {
            self.left.push(left);
            self.right.push(right);
        }
    }

    /// Turns columns by what was pushed, down from the first one or up to it.
    pub(super) fn sweep(&mut self, first: usize, down: bool) {
        if let Some([u, v]) = &mut self.both {
            u.sweep(first, down, &self.left);
            v.sweep(first, down, &self.right);
            self.left.clear();
            self.right.clear();
        }
    }
}
