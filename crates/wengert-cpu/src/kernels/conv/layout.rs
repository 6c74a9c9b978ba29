//! How a convolution is laid out for tiles: what their columns are, and the order of axes in the copies that are made so
//! that columns lie side by side.

use wengert_core::Shape;
use wengert_core::ops::Convolution;
use wengert_eval::kernels::{Geometry, Phase};

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
    /// The batch outermost, features around the last spatial axis, which is innermost.
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
        // The phases of a line are put side by side, and have to be of one size.
        let is_long = |p: &Phase, first: &Phase| p.positions == first.positions && p.positions >= half;
        let line = g.spatial.last().and_then(|s| Some((s, s.phases.first()?))).is_some_and(|(s, first)| {
            first.site_by_position == 1 && s.phases.len() == s.dilation && s.phases.iter().all(|p| is_long(p, first))
        });
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
    /// features lie apart that are summed over first.
    pub(super) fn needs_copy(self, g: &Geometry) -> bool {
        let apart = g.features.n > 1 && g.features.x != 1 && !g.features_first;
        self.step(g).map_or(apart, |step| step != 1)
    }

    /// An array for the result in which columns lie side by side, if it is not the result itself; the steps in the geometry
    /// become those of that array.
    pub(super) fn aside(self, op: &Convolution, shape: &Shape, g: &mut Geometry) -> Option<Aside> {
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
        g.batch.out = steps[op.out[0]];
        g.outs.out = steps[features];
        g.groups.out = g.outs.n as isize * g.outs.out;
        let mut lie: Vec<(usize, isize)> = shape.iter().copied().zip(steps.iter().copied()).collect();
        for (s, &d) in g.spatial.iter_mut().zip(&op.out[2..]) {
            (s.out, s.out_by_phase) = (s.dilation as isize * steps[d], steps[d]);
            if d == side && s.dilation > 1 {
                // One phase after the other.
                let positions = shape[d] / s.dilation;
                (s.out, s.out_by_phase) = (1, positions as isize);
                lie[d] = (positions, 1);
                lie.insert(d + 1, (s.dilation, positions as isize));
            }
        }
        Some(Aside { shape: axes.iter().map(|&d| shape[d]).collect(), axes: lie })
    }
}

/// An array that results are put in first.
pub(super) struct Aside {
    pub(super) shape: Shape,
    /// The sizes of the result's axes, and how far the numbers along each lie apart in this array. An axis whose phases lie
    /// one after the other is two.
    pub(super) axes: Vec<(usize, isize)>,
}
