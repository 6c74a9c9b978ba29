//! The right operand as tiles read it: columns side by side, in panels, product after product.

use super::contraction::Contraction;
use wengert_core::{Tensor, Type};
use wengert_eval::kernels::{Along, Chains, Parts, Real, each, lay};

/// Columns in panels of one width, but for the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panels {
    pub(super) columns: usize,
    pub(super) width: usize,
    pub(super) count: usize,
}

impl Panels {
    /// Panels of so many columns in all, and of at most so many vectors.
    pub(super) fn new<T>(columns: usize, most: usize) -> Panels {
        let line = 64 / size_of::<T>();
        let vectors = columns.div_ceil(line);
        let width = vectors.div_ceil(vectors.div_ceil(most).max(1)).max(1) * line;
        Panels { columns, width, count: columns.div_ceil(width) }
    }

    /// How many columns a panel has.
    pub(super) fn size(&self, panel: usize) -> usize {
        self.width.min(self.columns - panel * self.width)
    }
}

/// The panels of all groups: `[group, panel, product, column]`.
pub(super) fn packed<T: Real>(c: &Contraction, y: &[T], panels: &Panels) -> Tensor {
    let depth = c.depth();
    let mut all = Tensor::room(&Type::new(T::DTYPE, [c.groups.n, panels.count, depth, panels.width]));
    let size = all.size();
    let parts = Parts::of(all.elements_mut::<T>().expect("nothing shares it"));
    // The number of each product in the place of the left operand.
    let mut count = 1;
    let mut axes: Vec<Along> = c.sums.clone();
    for axis in axes.iter_mut().rev() {
        axis.x = count;
        count *= axis.n as isize;
    }
    let chains = Chains::new(&axes);
    each(c.groups.n * panels.count * chains.chains.len(), size, &|task| {
        let (chain, panel) = (&chains.chains[task % chains.chains.len()], task / chains.chains.len());
        let (group, column) = (panel / panels.count, panel % panels.count);
        let start = c.y + group as isize * c.groups.y + (column * panels.width) as isize * c.columns.y;
        let columns = panels.size(column);
        for s in chain {
            let first = (panel * depth + s.x as usize) * panels.width;
            // SAFETY: no two tasks have a product of a panel in common.
            let to = unsafe { parts.part(first..first + s.k * panels.width) };
            let from = start + s.y;
            let reach = |n: usize, step: isize| (n as isize - 1) * step;
            let (across, down) = (reach(columns, c.columns.y), reach(s.k, chains.y));
            let (low, high) = (from + across.min(0) + down.min(0), from + across.max(0) + down.max(0));
            assert!(low >= 0 && (high as usize) < y.len(), "numbers of the right operand");
            // SAFETY: the numbers are there, as asserted, and the room has so many rows.
            unsafe {
                let from = y.as_ptr().offset(from);
                lay(from, [c.columns.y, chains.y], [columns, s.k], to.as_mut_ptr(), panels.width);
            }
        }
    });
    all
}
