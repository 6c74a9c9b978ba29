//! The right operand as tiles read it: columns side by side, in panels, product after product.

use super::contraction::Contraction;
use wengert_core::{Element, Tensor, Type};
use wengert_eval::kernels::{Along, Chains, Parts, each};

/// The most vectors of 64 bytes in a panel: tiles have rows of as many.
const VECTORS: usize = 3;
/// The same where rows are few.
const MANY_VECTORS: usize = 24;

/// Columns in panels of one width, but for the last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Panels {
    pub(super) columns: usize,
    pub(super) width: usize,
    pub(super) count: usize,
}

impl Panels {
    /// Panels of so many columns in all, which are wide if rows are few.
    pub(super) fn new<T>(columns: usize, wide: bool) -> Panels {
        let line = 64 / size_of::<T>();
        let vectors = columns.div_ceil(line);
        let most = if wide { MANY_VECTORS } else { VECTORS };
        let width = vectors.div_ceil(vectors.div_ceil(most).max(1)).max(1) * line;
        Panels { columns, width, count: columns.div_ceil(width) }
    }

    /// How many columns a panel has.
    pub(super) fn size(&self, panel: usize) -> usize {
        self.width.min(self.columns - panel * self.width)
    }
}

/// The panels of all groups: `[group, panel, product, column]`.
pub(super) fn packed<T: Element>(c: &Contraction, y: &[T], panels: &Panels) -> Tensor {
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
            if c.columns.y == 1 {
                for (p, to) in to.chunks_mut(panels.width).enumerate() {
                    let from = (from + p as isize * chains.y) as usize;
                    to[..columns].copy_from_slice(&y[from..from + columns]);
                }
            } else {
                for j in 0..columns {
                    let from = from + j as isize * c.columns.y;
                    let to = to.iter_mut().skip(j).step_by(panels.width);
                    to.enumerate().for_each(|(p, to)| *to = y[(from + p as isize * chains.y) as usize]);
                }
            }
        }
    });
    all
}
