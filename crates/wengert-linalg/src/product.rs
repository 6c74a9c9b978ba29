//! Products of matrices, by what the caller multiplies reals with.

use super::{Matrix, Number};
use std::ops::Range;

/// What decompositions are done with: the products and the threads of the evaluator.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// Adds a product to numbers.
    pub product: &'a (dyn Fn(Product<'_>) + Sync),
    /// Spreads work over threads.
    pub spread: Spread<'a>,
}

/// Calls a function with each number below a count, on many threads if the work, which follows the count, is large.
pub type Spread<'a> = &'a (dyn Fn(usize, usize, &(dyn Fn(usize) + Sync)) + Sync);

/// A product of `m` by `k` and `k` by `n` numbers.
pub struct Product<'a> {
    /// `m`, `n` and `k`.
    pub sizes: [usize; 3],
    /// The left numbers, and the steps along rows and along what is summed over.
    pub x: (&'a [f64], [usize; 2]),
    /// The right numbers, and the steps along columns and along what is summed over.
    pub y: (&'a [f64], [usize; 2]),
    /// What the product is added to. Columns are neighbours.
    pub out: &'a mut [f64],
    /// The step along rows of `out`.
    pub row: usize,
}

/// How a factor is read.
#[derive(Clone, Copy, PartialEq)]
enum Turn {
    No,
    Transposed,
    Adjoint,
}

/// Some rows and columns of a matrix, as a factor.
#[derive(Clone, Copy)]
pub(super) struct Factor<'a, T> {
    numbers: &'a [T],
    /// The step along columns.
    step: usize,
    rows: usize,
    columns: usize,
    turn: Turn,
}

impl<'a, T: Number> Factor<'a, T> {
    /// Columns that lie `step` apart.
    pub(super) fn new(numbers: &'a [T], step: usize, rows: usize, columns: usize) -> Factor<'a, T> {
        Factor { numbers, step, rows, columns, turn: Turn::No }
    }

    pub(super) fn adjoint(self) -> Factor<'a, T> {
        Factor { turn: Turn::Adjoint, ..self }
    }

    pub(super) fn transposed(self) -> Factor<'a, T> {
        Factor { turn: Turn::Transposed, ..self }
    }

    /// How many rows and columns it has as it is read.
    fn shape(&self) -> [usize; 2] {
        if self.turn == Turn::No { [self.rows, self.columns] } else { [self.columns, self.rows] }
    }

    /// The steps along rows and columns as it is read.
    fn steps(&self) -> [usize; 2] {
        if self.turn == Turn::No { [1, self.step] } else { [self.step, 1] }
    }

    fn get(&self, i: usize, j: usize) -> T {
        let [row, column] = self.steps();
        let x = self.numbers[i * row + j * column];
        if self.turn == Turn::Adjoint { x.conj() } else { x }
    }

    /// The negated numbers, column after column as they lie.
    fn negated(&self) -> Vec<T> {
        let column = |j: usize| &self.numbers[j * self.step..j * self.step + self.rows];
        (0..self.columns).flat_map(|j| column(j).iter().map(|x| -*x)).collect()
    }
}

impl<T: Number> Matrix<T> {
    pub(super) fn all(&self) -> Factor<'_, T> {
        self.some(0..self.rows, 0..self.columns)
    }

    /// These rows and columns as a factor.
    pub(super) fn some(&self, rows: Range<usize>, columns: Range<usize>) -> Factor<'_, T> {
        let start = if rows.is_empty() || columns.is_empty() { 0 } else { rows.start + columns.start * self.rows };
        Factor::new(&self.elements()[start..], self.rows, rows.len(), columns.len())
    }

    /// Takes a product from the elements from a row and a column on.
    pub(super) fn take_product(&mut self, at: (usize, usize), x: Factor<'_, T>, y: Factor<'_, T>, tools: Tools<'_>) {
        if at.0 < self.rows && at.1 < self.columns {
            let (start, step) = (at.0 + at.1 * self.rows, self.rows);
            take(&mut self.elements_mut()[start..], step, x, y, tools);
        }
    }

    /// A product.
    pub(super) fn product(x: Factor<'_, T>, y: Factor<'_, T>, tools: Tools<'_>) -> Matrix<T> {
        let (m, n) = (x.shape()[0], y.shape()[1]);
        let mut out = Matrix::zero(m, n);
        add(out.elements_mut(), m, x, y, tools);
        out
    }
}

/// Takes `x·y` from a matrix whose columns lie `step` apart.
pub(super) fn take<T: Number>(out: &mut [T], step: usize, x: Factor<'_, T>, y: Factor<'_, T>, tools: Tools<'_>) {
    // The smaller factor is negated.
    if x.rows * x.columns <= y.rows * y.columns {
        let negated = x.negated();
        add(out, step, Factor { numbers: &negated, step: x.rows, ..x }, y, tools);
    } else {
        let negated = y.negated();
        add(out, step, x, Factor { numbers: &negated, step: y.rows, ..y }, tools);
    }
}

/// Adds `x·y` to a matrix whose columns lie `step` apart: its columns are rows of `yᵀ·xᵀ`.
pub(super) fn add<T: Number>(out: &mut [T], step: usize, x: Factor<'_, T>, y: Factor<'_, T>, tools: Tools<'_>) {
    let ([m, k], [inner, n]) = (x.shape(), y.shape());
    assert_eq!(k, inner, "as many columns as rows");
    if m == 0 || n == 0 || k == 0 {
        return;
    }
    if T::REAL {
        let ([y_down, y_across], [x_down, x_across]) = (y.steps(), x.steps());
        return (tools.product)(Product {
            sizes: [n, m, k],
            x: (T::parts_of(y.numbers), [y_across, y_down]),
            y: (T::parts_of(x.numbers), [x_down, x_across]),
            out: T::parts_of_mut(out),
            row: step,
        });
    }
    // Columns of `y` are rows of reals as they lie; each number of `x` is the two by two reals that multiply by it.
    let turned: Vec<T>;
    let (rows, row) = match y.turn {
        Turn::No => (y.numbers, y.step),
        _ => {
            turned = (0..n).flat_map(|j| (0..k).map(move |p| y.get(p, j))).collect();
            (&turned[..], k)
        }
    };
    let mut squares = vec![0.0; 4 * m * k];
    for (p, two) in squares.chunks_exact_mut(4 * m).enumerate() {
        let (upper, lower) = two.split_at_mut(2 * m);
        for (i, (u, l)) in upper.chunks_exact_mut(2).zip(lower.chunks_exact_mut(2)).enumerate() {
            let z = x.get(i, p);
            (u[0], u[1]) = (z.re(), z.im());
            (l[0], l[1]) = (-z.im(), z.re());
        }
    }
    (tools.product)(Product {
        sizes: [n, 2 * m, 2 * k],
        x: (T::parts_of(rows), [2 * row, 1]),
        y: (&squares, [1, 2 * m]),
        out: T::parts_of_mut(out),
        row: 2 * step,
    });
}
