//! How a convolution is laid out for tiles: what their columns are, and the order of axes in the copies that are made so
//! that columns lie side by side.

use wengert_core::Shape;
use wengert_core::ops::Convolution;
use wengert_eval::kernels::{Along, Geometry};

/// Features from which on their sums are long enough wherever they lie.
const FEATURES: usize = 16;

/// What the columns of tiles are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Columns {
    /// Output features.
    Outs,
    /// Groups, where each is one channel.
    Groups,
    /// The batch, and positions that go on from it, where output features are few.
    Batch,
    /// Positions along the last axis, where output features are few.
    Line,
}

/// How the axes of a copy of the left operand lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// As those of the operand.
    Same,
    /// The batch outermost, features innermost.
    Features,
    /// Features outermost, the batch innermost.
    Batch,
    /// The batch outermost, then features, then the spatial axes.
    Line,
}

impl Columns {
    /// What they are best, for numbers of so many bytes.
    pub(super) fn of(g: &Geometry, bytes: usize) -> Columns {
        let channels = if g.groups_of_batch { g.batch.n } else { g.features.n };
        if g.groups.n > 1 && g.outs.n == 1 && channels == 1 {
            return Columns::Groups;
        }
        let half = 32 / bytes;
        let line = g.spatial.last().filter(|s| s.dilation == 1).and_then(|s| s.phases.first());
        let line = line.is_some_and(|p| p.site_by_position == 1 && p.positions >= half);
        let batch = g.batch.n >= half;
        match g.features_first {
            _ if g.outs.n >= half => Columns::Outs,
            true if batch => Columns::Batch,
            _ if line => Columns::Line,
            _ if batch => Columns::Batch,
            _ => Columns::Outs,
        }
    }

    /// The step in the left operand from one column to the next, if it has a number for each.
    fn step(self, g: &Geometry) -> Option<isize> {
        match self {
            Columns::Outs => None,
            Columns::Groups => Some(g.groups.x),
            Columns::Batch => Some(g.batch.x),
            Columns::Line => g.spatial.last().map(|s| s.x),
        }
    }

    /// The step in the result.
    fn step_in_result(self, g: &Geometry) -> isize {
        match self {
            Columns::Outs | Columns::Groups => g.outs.out,
            Columns::Batch => g.batch.out,
            Columns::Line => g.spatial.last().map_or(1, |s| s.out),
        }
    }

    /// The order of a copy of the left operand.
    pub(super) fn order(self, g: &Geometry) -> Order {
        match self {
            Columns::Outs if g.features_first => Order::Same,
            Columns::Outs => Order::Features,
            Columns::Groups if g.groups_of_batch => Order::Batch,
            Columns::Groups => Order::Features,
            Columns::Batch => Order::Batch,
            Columns::Line => Order::Line,
        }
    }

    /// Whether the left operand is copied although no window reaches over an edge: its columns do not lie side by side, or
    /// its features are few and lie apart.
    pub(super) fn needs_copy(self, g: &Geometry, places: usize) -> bool {
        let few = (2..FEATURES).contains(&g.features.n) && g.features.x != 1;
        self.step(g).map_or(few && !g.features_first && places > 1, |step| step != 1)
    }

    /// The order of the result's axes in which columns lie side by side, if that is another; steps in the geometry become
    /// those of an array in that order.
    pub(super) fn result_axes(self, op: &Convolution, shape: &Shape, g: &mut Geometry) -> Option<Vec<usize>> {
        let side = match self {
            Columns::Outs | Columns::Groups => op.out[1],
            Columns::Batch => op.out[0],
            Columns::Line => *op.out.last()?,
        };
        if self.step_in_result(g) == 1 || shape[side] == 1 {
            return None;
        }
        let features = op.out[1];
        let rest = (0..shape.rank()).filter(|&d| d != side && d != features);
        let mut axes: Vec<usize> = rest.chain([side]).collect();
        if side != features {
            axes.insert(0, features);
        }
        let mut steps = vec![0; axes.len()];
        let mut step = 1;
        for &d in axes.iter().rev() {
            steps[d] = step;
            step *= shape[d] as isize;
        }
        let at = |a: &mut Along, d: usize| a.out = steps[d];
        at(&mut g.batch, op.out[0]);
        at(&mut g.outs, features);
        g.groups.out = g.outs.n as isize * g.outs.out;
        g.spatial.iter_mut().zip(&op.out[2..]).for_each(|(s, &d)| s.out = steps[d]);
        Some(axes)
    }
}
