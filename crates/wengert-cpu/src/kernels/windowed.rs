//! The element of each window that is selected, and what is added there: the cotangent of a maximum under windows.

use wengert_core::ops::{Combiner, Direction, SelectAndScatter, Selector, WindowAxis};
use wengert_core::{DType, Element, View, ViewMut};
use wengert_eval::kernels::{Parts, each};

/// `false` if this op is one for the plain kernel.
pub(crate) fn select_and_scatter(op: &SelectAndScatter, x: &[View<'_>], y: &mut ViewMut<'_>) -> bool {
    let Selector::Named(direction) = op.select else { return false };
    if op.combiner != Combiner::Add
        || x[0].is_splat()
        || x[1].is_splat()
        || y.size() == 0
        || y.size() > u32::MAX as usize
    {
        return false;
    }
    match (direction, x[0].dtype()) {
        (Direction::Ge, DType::F32) => scatter(op, x, y, |a: f32, b: f32| a >= b),
        (Direction::Le, DType::F32) => scatter(op, x, y, |a: f32, b: f32| a <= b),
        (Direction::Ge, DType::F64) => scatter(op, x, y, |a: f64, b: f64| a >= b),
        (Direction::Le, DType::F64) => scatter(op, x, y, |a: f64, b: f64| a <= b),
        _ => return false,
    }
    true
}

/// An axis that the window moves along: for each position, the elements it sees, in order.
struct Along {
    n: usize,
    seen: Vec<Vec<usize>>,
}

impl Along {
    fn new(w: &WindowAxis, n: usize) -> Along {
        let seen = |at: usize| (0..w.size).filter_map(|k| w.element(n, at, k)).collect();
        Along { n, seen: (0..w.positions(n)).map(seen).collect() }
    }
}

/// Elements lie as `[outer, axes of the window, inner]`: rows of inner ones are compared side by side.
fn scatter<T: Element + std::ops::Add<Output = T>>(
    op: &SelectAndScatter,
    x: &[View<'_>],
    y: &mut ViewMut<'_>,
    keeps: impl Fn(T, T) -> bool + Copy + Sync,
) {
    let (axes, shape) = (op.window.axes(), x[0].shape());
    let first = axes.iter().position(|w| !w.stays()).unwrap_or(0);
    let end = axes.iter().rposition(|w| !w.stays()).map_or(first, |d| d + 1);
    let along: Vec<Along> = (first..end).map(|d| Along::new(&axes[d], shape[d])).collect();
    let outer: usize = shape[..first].iter().product();
    let inner: usize = shape[end..].iter().product();
    let elements: usize = along.iter().map(|a| a.n).product();
    let positions: usize = along.iter().map(|a| a.seen.len()).product();
    let (v, source) = (x[0].elements::<T>(), x[1].elements::<T>());
    let places: usize = axes.iter().map(|w| w.size).product();
    let work = source.len().saturating_mul(places);
    let out = y.elements::<T>();
    out.fill(T::default());
    let parts = Parts::of(out);
    each(outer, work, &|o| {
        let all = o * elements * inner..(o + 1) * elements * inner;
        // SAFETY: each has its own.
        let out = unsafe { parts.part(all.clone()) };
        let v = &v[all];
        let mut best = vec![T::default(); inner];
        let (mut at, mut sites) = (vec![0u32; inner], Vec::new());
        for position in 0..positions {
            sites_under(&along, position, &mut sites);
            let Some((&site, rest)) = sites.split_first() else { continue };
            best.copy_from_slice(&v[site as usize * inner..][..inner]);
            at.fill(site);
            for &site in rest {
                let row = &v[site as usize * inner..][..inner];
                for ((best, at), &x) in best.iter_mut().zip(&mut at).zip(row) {
                    let keep = keeps(*best, x);
                    *best = if keep { *best } else { x };
                    *at = if keep { *at } else { site };
                }
            }
            let source = &source[(o * positions + position) * inner..][..inner];
            for (c, (&at, &x)) in at.iter().zip(source).enumerate() {
                let to = &mut out[at as usize * inner + c];
                *to = *to + x;
            }
        }
    });
}

/// The rows that the window sees from a position, in order.
fn sites_under(along: &[Along], mut position: usize, sites: &mut Vec<u32>) {
    sites.clear();
    sites.push(0);
    // The last axis has the nearest rows.
    let mut below = along.iter().map(|a| a.seen.len()).product::<usize>();
    for a in along {
        below /= a.seen.len();
        let seen = &a.seen[position / below];
        position %= below;
        *sites = sites.iter().flat_map(|&s| seen.iter().map(move |&i| s * a.n as u32 + i as u32)).collect();
    }
}
