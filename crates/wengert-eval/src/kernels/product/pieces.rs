//! Products that are computed piece by piece, on one thread each: some rows of the result at a time, or some of the products
//! of all results. Either gives the bits of the whole.

use super::{Part, Products, Real};

impl<T: Real> Products<T> {
    /// Whether columns of the right operand are neighbours: some rows of the result are then computed as fast as all.
    pub fn has_columns_together(&self) -> bool {
        self.part.y[0] == 1 && self.part.chains == 1
    }

    /// Where a row of a matrix starts in the left operand.
    pub fn row(&self, matrix: usize, row: usize) -> isize {
        self.starts[matrix][0] + row as isize * self.part.x[0]
    }

    /// Computes some rows of a matrix, of which there are so many at `x`.
    ///
    /// # Safety
    /// All numbers of these rows and of the right operand lie there, and there is room for the rows of the result, one after
    /// the other, apart from the operands.
    pub unsafe fn run_rows(&self, matrix: usize, rows: usize, x: *const T, y: *const T, out: *mut T) {
        let part = Part { m: rows, ..self.part };
        // SAFETY: the caller's word.
        unsafe { (self.kernel)(&part, x, y.offset(self.starts[matrix][1]), out) }
    }

    /// Whether an operand, the left one or the right one, is matrices of so many columns that lie one after the other, each
    /// with a row for every product of a result: products of some rows are added before there are others.
    pub fn adds_rows_of(&self, side: usize, columns: usize) -> bool {
        let Part { m, n, k, x, y, chains, .. } = self.part;
        let (own, steps) = if side == 0 { (m, x) } else { (n, y) };
        let in_order = |(i, starts): (usize, &[isize; 2])| starts[side] == (i * k * columns) as isize;
        let lies = own == columns && steps == [1, columns as isize];
        chains == 1 && lies && self.starts.iter().enumerate().all(in_order)
    }

    /// Where the products of a matrix start in both operands, from one of them on.
    pub fn from_product(&self, matrix: usize, number: usize) -> [isize; 2] {
        let ([x, y], number) = (self.starts[matrix], number as isize);
        [x + number * self.part.x[1], y + number * self.part.y[1]]
    }

    /// How many numbers are kept beside the results of a matrix while its products are added piece by piece: the sums of a
    /// chain that is not complete.
    pub fn kept_beside(&self) -> usize {
        if self.part.k > self.part.chain { self.part.m * self.part.n } else { 0 }
    }

    /// Adds products to the results of a matrix: `count` from number `first` on, which lie at `x` and `y`. Those before are
    /// added already. The results are complete with the last ones.
    ///
    /// # Safety
    /// All numbers of these products lie there. There is room for the results of the matrix at `out`, and for
    /// [`Products::kept_beside`] numbers at `kept`, apart from each other and from the operands, where nothing else has
    /// written since products were added before.
    pub unsafe fn add_products(
        &self,
        [first, count]: [usize; 2],
        [mut x, mut y]: [*const T; 2],
        out: *mut T,
        kept: *mut T,
    ) {
        let Part { m, n, k, chain, .. } = self.part;
        let mut at = first;
        while at < first + count {
            let chain_end = ((at / chain + 1) * chain).min(k);
            let some = (first + count).min(chain_end) - at;
            let part = Part { k: some, chain: some, goes_on: !at.is_multiple_of(chain), ..self.part };
            // The first chain is complete where it is.
            let is_first = at < chain;
            // SAFETY: the caller's word.
            unsafe {
                (self.kernel)(&part, x, y, if is_first { out } else { kept });
                if !is_first && at + some == chain_end {
                    (0..m * n).for_each(|i| *out.add(i) = *out.add(i) + *kept.add(i));
                }
            }
            let steps = [part.x[1], part.y[1]].map(|step| some as isize * step);
            (x, y) = (x.wrapping_offset(steps[0]), y.wrapping_offset(steps[1]));
            at += some;
        }
    }
}
