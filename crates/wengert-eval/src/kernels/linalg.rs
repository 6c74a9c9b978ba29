//! Linear algebra.

use super::elementwise::{convert, converted};
use super::parallel::each;
use super::product::Products;
use super::shape::made;
use wengert_core::ops::{MatrixTranspose, TriangularSolve};
use wengert_core::{DType, Op, Shape, Tensor, View, ViewMut};
use wengert_kernel::matrices::{self, Triangle};
use wengert_kernel::recipes::Numbers;
use wengert_linalg::{Product, Tools};

/// Runs an op of the linear algebra family. What is shorter goes through `f64` and `c128`: decompositions are compiled for
/// these alone.
pub(crate) fn linalg(op: &Op, x: &[View<'_>], y: &mut [ViewMut<'_>]) {
    let wide = |d: DType| match d {
        d if d.is_float() => DType::F64,
        d if d.is_complex() => DType::C128,
        d => d,
    };
    let dtype = x[0].dtype();
    let is_wide = dtype == wide(dtype);
    if is_wide && !is_small(op, dtype, x[0].shape()) {
        return wengert_linalg::run(op, dtype, x, y, TOOLS);
    }
    if is_wide && x.iter().all(|x| !x.is_splat()) {
        return small(op, x, &mut y[0]);
    }
    let x: Vec<Tensor> = x.iter().map(|x| made(&x.ty().with_dtype(wide(x.dtype())), |w| convert(*x, w))).collect();
    let x: Vec<View<'_>> = x.iter().map(Tensor::view).collect();
    let mut wider: Vec<Tensor> =
        y.iter().map(|y| Tensor::room(&wengert_core::Type::new(wide(y.dtype()), y.shape().clone()))).collect();
    let mut rooms: Vec<ViewMut<'_>> = wider.iter_mut().map(|t| t.view_mut().expect("nothing shares it")).collect();
    match is_small(op, x[0].dtype(), x[0].shape()) {
        true => small(op, &x, &mut rooms[0]),
        false => wengert_linalg::run(op, dtype, &x, &mut rooms, TOOLS),
    }
    drop(rooms);
    for (y, w) in y.iter_mut().zip(&wider) {
        y.copy_from(converted(w, y.dtype()).view());
    }
}

/// What decompositions are made of: our own products, and our threads.
const TOOLS: Tools<'_> = Tools { product: &add_product, spread: &each };

/// Adds a product of reals to a matrix.
fn add_product(p: Product<'_>) {
    let [m, n, k] = p.sizes;
    let end = |sizes: [usize; 2], steps: [usize; 2]| (sizes[0] - 1) * steps[0] + (sizes[1] - 1) * steps[1];
    assert!(p.sizes.iter().all(|&size| size > 0), "there is something to multiply");
    assert!(end([m, k], p.x.1) < p.x.0.len() && end([n, k], p.y.1) < p.y.0.len(), "all numbers of a product");
    assert!(n <= p.row && end([m, n], [p.row, 1]) < p.out.len(), "room for a product");
    let steps = |steps: [usize; 2]| steps.map(|step| step as isize);
    let products = Products::adding(p.sizes, steps(p.x.1), steps(p.y.1), p.row);
    // SAFETY: all numbers that are read and written lie inside, and what is written is borrowed alone.
    unsafe { products.run(p.x.0.as_ptr(), p.y.0.as_ptr(), p.out.as_mut_ptr()) };
}

/// Whether matrices of this type are solved or decomposed by a recipe.
pub fn is_small(op: &Op, dtype: DType, shape: &Shape) -> bool {
    let n = shape[shape.rank() - 1];
    matches!(op, Op::TriangularSolve(_) | Op::Cholesky(_)) && dtype.is_float() && n > 0 && n <= matrices::ROWS
}

/// How the recipe reads the matrix of a triangular solve, and the steps of rows and columns of a right side of so many
/// columns of memory.
pub fn triangle(op: &TriangularSolve, columns: usize) -> (Triangle, [usize; 2]) {
    // x·a = b is aᵀ·xᵀ = bᵀ.
    let turned = (op.transpose_a == MatrixTranspose::No) != op.left_side;
    let triangle = Triangle { lower: op.lower != turned, turned, unit: op.unit_diagonal };
    (triangle, if op.left_side { [columns, 1] } else { [1, columns] })
}

/// Small matrices of `f64`, by recipes.
fn small(op: &Op, x: &[View<'_>], y: &mut ViewMut<'_>) {
    let rank = x[0].shape().rank();
    let n = x[0].shape()[rank - 1];
    let of_one = y.shape()[rank - 2] * y.shape()[rank - 1];
    let columns = y.shape()[rank - 1];
    if let Op::TriangularSolve(_) = op {
        y.copy_from(x[1]);
    }
    for (a, y) in x[0].elements::<f64>().chunks(n * n).zip(y.elements::<f64>().chunks_mut(of_one.max(1))) {
        match op {
            Op::TriangularSolve(op) => {
                let (triangle, steps) = triangle(op, columns);
                matrices::triangular_solve(&Numbers::<f64>::new(), triangle, n, a, y, (of_one / n, steps));
            }
            Op::Cholesky(op) => {
                let turned = |i: usize| if op.lower { i } else { i % n * n + i / n };
                let lower: Vec<f64> = (0..n * n).map(|i| a[turned(i)]).collect();
                let l = matrices::cholesky(&Numbers::<f64>::new(), n, &lower);
                y.iter_mut().enumerate().for_each(|(i, y)| *y = l[turned(i)]);
            }
            op => unreachable!("`{}` has no recipe", op.name()),
        }
    }
}
