//! The left operand with zeros around it, so that every window lies inside: then all positions of a phase see its places at
//! the same distances, and nothing is asked about edges while numbers are multiplied.

use super::layout::Order;
use wengert_core::{Tensor, Type};
use wengert_eval::kernels::{Geometry, Real, each, fill, lay};

/// How many rows are copied at a time.
const NEAR: usize = 64;

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
pub(super) fn padded<T: Real>(g: &mut Geometry, x: &[T], lie: Order) -> Tensor {
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
        Order::Line => order.swap(g.spatial.len(), g.spatial.len() + 1),
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

/// Puts the numbers of an array, which lie apart as said along each axis, into a room for them.
pub(super) fn put_back<T: Real>(axes: &[(usize, isize)], x: &[T], to: &mut [T]) {
    let sides: Vec<Side> = axes.iter().map(|&(n, step)| Side { n, low: 0, inside: n, step }).collect();
    copied(&sides, x, to);
}

/// Copies an array into a room whose axes are these, the last innermost.
fn copied<T: Real>(sides: &[Side], x: &[T], to: &mut [T]) {
    let steps: Vec<usize> = (0..sides.len()).map(|i| sides[i + 1..].iter().map(|s| s.n).product()).collect();
    if sides.iter().any(|s| s.seen().1 < s.n || s.low < 0) {
        fill(to, &|_, to| to.fill(T::default()));
    }
    // Two axes are copied at once: the innermost one, and the one along which numbers are neighbours.
    let last = sides.len() - 1;
    let side = (0..last).find(|&i| sides[last].step != 1 && sides[i].step == 1).unwrap_or(last - 1);
    let outer: Vec<usize> = (0..last).filter(|&i| i != side).collect();
    let [(row, rows, first_row), (column, columns, first_column)] = [side, last].map(|i| {
        let (from, end, first) = sides[i].seen();
        (from, end - from, first as isize * sides[i].step)
    });
    let planes: usize = outer.iter().map(|&i| sides[i].seen().1 - sides[i].seen().0).product();
    let (end, room) = (x.len(), to.len());
    let (from, to) = (Shared(x.as_ptr().cast_mut()), Shared(to.as_mut_ptr()));
    if rows == 0 || columns == 0 || planes == 0 {
        return;
    }
    // Some planes at a time, for threads.
    let some = ((1 << 13) / (rows * columns)).max(1);
    each(planes.div_ceil(some), room, &|task| {
        let (from, to) = (&from, &to);
        for plane in task * some..planes.min((task + 1) * some) {
            let (mut rest, mut start, mut place) = (plane, first_row + first_column, row * steps[side] + column);
            for &i in outer.iter().rev() {
                let (low, high, first) = sides[i].seen();
                let at = rest % (high - low);
                rest /= high - low;
                start += (first + at) as isize * sides[i].step;
                place += (low + at) * steps[i];
            }
            let reach = |n: usize, step: isize| (n as isize - 1) * step;
            let high = start + reach(rows, sides[side].step) + reach(columns, sides[last].step);
            assert!(start >= 0 && (high as usize) < end && place + (rows - 1) * steps[side] + columns <= room);
            let [across, down] = [sides[last].step, sides[side].step];
            // What is written stays in the nearest cache until its lines are whole.
            for row in (0..rows).step_by(NEAR) {
                // SAFETY: the numbers are in the array, as asserted, and so is the room; planes have no place in common.
                unsafe {
                    let from = from.0.cast_const().offset(start + row as isize * down);
                    let sizes = [columns, NEAR.min(rows - row)];
                    lay(from, [across, down], sizes, to.0.add(place + row * steps[side]), steps[side]);
                }
            }
        }
    });
}

/// Where numbers start that threads share.
struct Shared<T>(*mut T);

// SAFETY: `copied` writes each place on one thread.
unsafe impl<T> Sync for Shared<T> {}
