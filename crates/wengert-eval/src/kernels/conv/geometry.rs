//! Where the numbers of a convolution lie: which elements a window sees from its positions, and the steps along every axis.

use crate::kernels::shape::strides;
use wengert_core::Shape;
use wengert_core::ops::{Convolution, WindowAxis};

/// Positions of a window along an axis that lie alike between dilated elements. From each of them the same places of the
/// window are between elements, and are left out; at the others there is an element, or a zero outside of the array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Phase {
    /// The first position. The others follow at the distance of dilated elements.
    pub first: usize,
    /// How many positions there are.
    pub positions: usize,
    /// The first place that is not left out, and the distance of the others.
    pub place: usize,
    /// See `place`.
    pub place_step: usize,
    /// How many places there are.
    pub places: usize,
    /// The element that is at the first place from the first position: its number, which may lie outside of the array.
    pub site: i64,
    /// How many elements further the next position sees at the same place.
    pub site_by_position: usize,
    /// How many elements further there is at the next place.
    pub site_by_place: usize,
}

impl Phase {
    fn all(w: &WindowAxis, n: usize) -> Vec<Phase> {
        let count = w.positions(n);
        let common = gcd(w.base_dilation, w.window_dilation);
        let (place_step, site_by_place) = (w.base_dilation / common, w.window_dilation / common);
        let phase = |first: usize| {
            let start = (first * w.stride) as i64 - w.padding.0;
            let at = |k: usize| start + (k * w.window_dilation) as i64;
            let place = (0..w.size.min(place_step)).find(|&k| at(k) % w.base_dilation as i64 == 0);
            Phase {
                first,
                positions: (count - first).div_ceil(w.base_dilation),
                place: place.unwrap_or(0),
                place_step,
                places: place.map_or(0, |k| (w.size - k).div_ceil(place_step)),
                site: place.map_or(0, |k| at(k) / w.base_dilation as i64),
                site_by_position: w.stride,
                site_by_place,
            }
        };
        (0..count.min(w.base_dilation)).map(phase).collect()
    }

    /// The numbers of the first element that is seen, and of the last.
    fn sites(&self) -> (i64, i64) {
        let [positions, places] = [self.positions, self.places].map(|n| n.saturating_sub(1));
        (self.site, self.site + (positions * self.site_by_position + places * self.site_by_place) as i64)
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// An axis: how many there are along it, and the steps in the operands and in the result; 0 where they lack it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// How many there are.
    pub n: usize,
    /// The step in the left operand.
    pub x: isize,
    /// The step in the kernel.
    pub y: isize,
    /// The step in the result.
    pub out: isize,
}

/// A spatial axis.
#[derive(Clone, Debug)]
pub struct Spatial {
    /// How many elements the left operand has, and their step.
    pub n: usize,
    /// See `n`.
    pub x: isize,
    /// Where the first place lies in the kernel, and the step to the next: they are turned around where that is asked for.
    pub y_first: isize,
    /// See `y_first`.
    pub y: isize,
    /// The steps in the result from one position of a phase to the next, and from one phase to the next.
    pub out: isize,
    /// See `out`.
    pub out_by_phase: isize,
    /// The distance of the positions of a phase.
    pub dilation: usize,
    /// All positions: the phase of one is its remainder by the distance.
    pub phases: Vec<Phase>,
}

impl Spatial {
    /// The numbers of elements that windows see, from the first to the one after the last; they may lie outside of the
    /// array. None if nothing is seen.
    pub fn sites(&self) -> Option<(i64, i64)> {
        let seen = self.phases.iter().filter(|p| p.places > 0).map(Phase::sites);
        seen.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1))).map(|(low, high)| (low, high + 1))
    }

    /// What is under the window at a position, place by place: how far the element lies in the left operand, if it is
    /// inside, and the number in the kernel.
    pub(super) fn seen(&self, position: usize) -> impl Iterator<Item = (Option<isize>, isize)> + Clone + '_ {
        let (phase, at) = (&self.phases[position % self.dilation], position / self.dilation);
        let first = phase.site + (at * phase.site_by_position) as i64;
        (0..phase.places).map(move |k| {
            let site = first + (k * phase.site_by_place) as i64;
            let inside = site >= 0 && site < self.n as i64;
            let place = (phase.place + k * phase.place_step) as isize;
            (inside.then_some(site as isize * self.x), self.y_first + place * self.y)
        })
    }
}

/// The axes of a convolution.
#[derive(Clone, Debug)]
pub struct Geometry {
    /// Groups, each of which is convolved by itself.
    pub groups: Along,
    /// The batch of a group.
    pub batch: Along,
    /// The output features of a group.
    pub outs: Along,
    /// The input features of a group.
    pub features: Along,
    /// The spatial axes.
    pub spatial: Vec<Spatial>,
    /// Whether groups are of the batch, and not of the features.
    pub groups_of_batch: bool,
    /// Whether the sum over features is around the sum over places: features come before the batch in the left operand.
    pub features_first: bool,
}

impl Geometry {
    /// The axes of a convolution of operands and with a result of these shapes.
    pub fn new(op: &Convolution, lhs: &Shape, rhs: &Shape, out: &Shape) -> Geometry {
        let (ls, rs, os) = (strides(lhs), strides(rhs), strides(out));
        let n = op.feature_groups.max(op.batch_groups);
        let (batch, features, outs) = (out[op.out[0]], rhs[op.rhs[1]], out[op.out[1]] / n);
        let group = match op.batch_groups > 1 {
            true => batch as isize * ls[op.lhs[0]],
            false => features as isize * ls[op.lhs[1]],
        };
        let windows = op.windows(rhs);
        let spatial = |i: usize| {
            let (l, r, o) = (op.lhs[i + 2], op.rhs[i + 2], op.out[i + 2]);
            let last = (windows[i].size as isize - 1) * rs[r];
            let (y_first, y) = if op.reversal[i] { (last, -rs[r]) } else { (0, rs[r]) };
            let dilation = windows[i].base_dilation;
            let phases = Phase::all(&windows[i], lhs[l]);
            let (out, out_by_phase) = (dilation as isize * os[o], os[o]);
            Spatial { n: lhs[l], x: ls[l], y_first, y, out, out_by_phase, dilation, phases }
        };
        Geometry {
            groups: Along { n, x: group, y: outs as isize * rs[op.rhs[0]], out: outs as isize * os[op.out[1]] },
            batch: Along { n: batch, x: ls[op.lhs[0]], y: 0, out: os[op.out[0]] },
            outs: Along { n: outs, x: 0, y: rs[op.rhs[0]], out: os[op.out[1]] },
            features: Along { n: features, x: ls[op.lhs[1]], y: rs[op.rhs[1]], out: 0 },
            spatial: (0..windows.len()).map(spatial).collect(),
            groups_of_batch: op.batch_groups > 1,
            features_first: op.lhs[1] < op.lhs[0],
        }
    }

    /// Whether a copy of the left operand with all that windows see around it is small enough to be made: with far paddings
    /// and dilations it would be mostly zeros.
    pub fn may_be_padded(&self, lhs: &Shape, out: &Shape) -> bool {
        self.padded() / 64 <= lhs.size().max(out.size()).max(1 << 14)
    }

    /// How many elements the left operand has with all that windows see around it.
    pub fn padded(&self) -> usize {
        let sides = self.spatial.iter().map(|s| s.sites().map_or(1, |(low, high)| (high - low) as usize));
        let all = [self.groups.n, self.batch.n, self.features.n].into_iter().chain(sides);
        all.fold(1, usize::saturating_mul)
    }
}
