//! The left operand with zeros around it, so that every window lies inside: then all positions of a phase see its places at
//! the same distances, and nothing is asked about edges while numbers are multiplied.

use super::layout::Order;
use wengert_core::{Element, Shape, Tensor, Type};
use wengert_eval::kernels::{Geometry, Parts, each};

/// An axis of the copy: it holds `n` elements from number `low` on, of which `inside` are in the array at this step.
#[derive(Clone, Copy, Debug)]
struct Side {
    n: usize,
    low: i64,
    inside: usize,
    step: isize,
}

impl Side {
    /// The elements of the copy that are in the array, and the number of the first of them there.
    fn seen(&self) -> (usize, usize, usize) {
        let from = (-self.low).clamp(0, self.n as i64);
        let to = (self.inside as i64 - self.low).clamp(from, self.n as i64);
        (from as usize, to as usize, (from + self.low) as usize)
    }
}

/// Whether some window reaches over an edge.
pub(super) fn is_needed(g: &Geometry) -> bool {
    g.spatial.iter().any(|s| s.sites().is_some_and(|(low, high)| low < 0 || high > s.n as i64))
}

/// The copy; the steps and numbers of elements in the geometry become those of it.
pub(super) fn padded<T: Element>(g: &mut Geometry, x: &[T], lie: Order) -> Tensor {
    let (batch_groups, feature_groups) = if g.groups_of_batch { (g.groups.n, 1) } else { (1, g.groups.n) };
    let whole = |n: usize, step: isize| Side { n, low: 0, inside: n, step };
    let batch = whole(g.batch.n * batch_groups, g.batch.x);
    let features = whole(g.features.n * feature_groups, g.features.x);
    let mut order: Vec<usize> = (0..g.spatial.len() + 2).collect();
    let mut sides = vec![batch];
    sides.extend(g.spatial.iter().map(|s| {
        let (low, high) = s.sites().unwrap_or((0, 1));
        Side { n: (high - low) as usize, low, inside: s.n, step: s.x }
    }));
    sides.push(features);
    match lie {
        Order::Same => order.sort_by_key(|&i| std::cmp::Reverse(sides[i].step)),
        Order::Features => {}
        Order::Batch => order.swap(0, g.spatial.len() + 1),
        Order::Line => order[1..].rotate_right(1),
    }
    let arranged: Vec<Side> = order.iter().map(|&i| sides[i]).collect();
    let mut copy = Tensor::room(&Type::new(T::DTYPE, arranged.iter().map(|s| s.n).collect::<Vec<usize>>()));
    copied(&arranged, x, copy.elements_mut::<T>().expect("nothing shares it"));
    let mut step = 1;
    for &i in order.iter().rev() {
        let before = step;
        step *= sides[i].n as isize;
        match i {
            0 => g.batch.x = before,
            i if i > g.spatial.len() => g.features.x = before,
            i => {
                let s = &mut g.spatial[i - 1];
                (s.x, s.n) = (before, sides[i].n);
                s.phases.iter_mut().for_each(|p| p.site -= sides[i].low);
            }
        }
    }
    g.groups.x = if g.groups_of_batch { g.batch.n as isize * g.batch.x } else { g.features.n as isize * g.features.x };
    copy
}

/// Puts an array, whose axes lie in this order, into a room for its elements in the order of the axes themselves.
pub(super) fn put_back<T: Element>(axes: &[usize], shape: &Shape, x: &[T], to: &mut [T]) {
    let mut sides: Vec<Side> = shape.iter().map(|&n| Side { n, low: 0, inside: n, step: 0 }).collect();
    let mut step = 1;
    for &d in axes.iter().rev() {
        sides[d].step = step;
        step *= shape[d] as isize;
    }
    copied(&sides, x, to);
}

fn copied<T: Element>(sides: &[Side], x: &[T], to: &mut [T]) {
    let ([outer @ .., line, run], size) = (sides, to.len()) else { unreachable!("a batch and features") };
    let (plane, planes) = (line.n * run.n, outer.iter().map(|s| s.n).product::<usize>());
    let parts = Parts::of(to);
    // Some planes at a time, for threads.
    let some = ((1 << 13) / plane.max(1)).max(1);
    each(planes.div_ceil(some), size, &|task| {
        for at in task * some..planes.min((task + 1) * some) {
            // SAFETY: planes do not overlap.
            let to = unsafe { parts.part(at * plane..(at + 1) * plane) };
            let (mut rest, mut start) = (at, Some(0));
            for s in outer.iter().rev() {
                let site = (rest % s.n) as i64 + s.low;
                rest /= s.n;
                start =
                    start.filter(|_| site >= 0 && site < s.inside as i64).map(|start| start + site as isize * s.step);
            }
            match start {
                Some(start) => copy_plane(line, run, x, start, to),
                None => to.fill(T::default()),
            }
        }
    });
}

/// Copies a plane that starts at this place, if both axes are counted from their first elements.
fn copy_plane<T: Element>(line: &Side, run: &Side, x: &[T], start: isize, to: &mut [T]) {
    let ((l0, l1, l_first), (r0, r1, r_first)) = (line.seen(), run.seen());
    if l0 == l1 || r0 == r1 {
        return to.fill(T::default());
    }
    let start = start + l_first as isize * line.step + r_first as isize * run.step;
    to[..l0 * run.n].fill(T::default());
    to[l1 * run.n..].fill(T::default());
    let to = &mut to[l0 * run.n..l1 * run.n];
    if run.step == 1 && (line.step == run.n as isize && r1 - r0 == run.n) {
        return to.copy_from_slice(&x[start as usize..start as usize + to.len()]);
    }
    if r1 - r0 < run.n {
        to.chunks_mut(run.n).for_each(|to| {
            to[..r0].fill(T::default());
            to[r1..].fill(T::default());
        });
    }
    if run.step == 1 {
        for (i, to) in to.chunks_mut(run.n).enumerate() {
            let from = (start + i as isize * line.step) as usize;
            to[r0..r1].copy_from_slice(&x[from..from + r1 - r0]);
        }
        return;
    }
    // What lies side by side is read together, a few lines at a time.
    for (i, to) in to.chunks_mut(16 * run.n).enumerate() {
        for r in r0..r1 {
            let from = start + (i * 16) as isize * line.step + (r - r0) as isize * run.step;
            to.iter_mut().skip(r).step_by(run.n).enumerate().for_each(|(k, to)| {
                *to = x[(from + k as isize * line.step) as usize];
            });
        }
    }
}
