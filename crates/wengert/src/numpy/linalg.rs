//! Linear algebra on matrices: the last two axes; all axes before them are a batch.

use super::operators::Operand;
use super::where_;
use crate::Tree;
use crate::array::Array;
use crate::control::custom_jvp;
use crate::dispatch::{bind, bind_one};
use crate::fail::{fail, ok};
use crate::tape::composite;
use wengert_core::ops::{Cholesky, Eig, Eigenvectors, Eigh, Lu, MatrixTranspose, Qr, Svd, TriangularSolve};
use wengert_core::{DType, Error, Place};

/// How the size of a matrix is measured; see [`Array::matrix_norm`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixNorm {
    /// The root of the sum of squares.
    Frobenius,
    /// The sum of the singular values.
    Nuclear,
    /// The largest sum of absolute values of a column.
    One,
    /// The largest sum of absolute values of a row.
    Inf,
    /// The largest singular value.
    Two,
}

/// The distance from 1 to the next float.
fn epsilon(d: DType) -> f64 {
    match d.real() {
        DType::F16 => 2f64.powi(-10),
        DType::BF16 => 2f64.powi(-7),
        DType::F32 => f32::EPSILON as f64,
        _ => f64::EPSILON,
    }
}

/// What [`Array::lu`] gives of a matrix, or of each in an array of them: `a` with its rows in `order` is `lower · upper`.
#[derive(Clone, Debug, Tree)]
pub struct LuParts {
    /// Both triangles in one matrix; the ones on the diagonal of the lower are left out.
    pub factors: Array,
    /// The row that each was exchanged with, one after the other.
    pub pivots: Array,
    /// The order of the rows after these exchanges.
    pub order: Array,
}

impl LuParts {
    /// The lower triangle, with ones on its diagonal.
    ///
    /// ```
    /// # use wengert::Array;
    /// let parts = Array::from([[2.0f32, 3.0], [1.0, 4.0]]).lu();
    /// assert_eq!(parts.lower(), Array::from([[1.0f32, 0.0], [0.5, 1.0]]));
    /// ```
    #[track_caller]
    pub fn lower(&self) -> Array {
        let (rows, columns) = self.sizes();
        let square = self.factors.slice_axis(self.factors.rank() - 1, 0, rows.min(columns));
        square.tril(-1) + Array::eye(rows, rows.min(columns), 0, self.factors.dtype())
    }

    /// The upper triangle.
    ///
    /// ```
    /// # use wengert::Array;
    /// let parts = Array::from([[2.0f32, 3.0], [1.0, 4.0]]).lu();
    /// assert_eq!(parts.upper(), Array::from([[2.0f32, 3.0], [0.0, 2.5]]));
    /// ```
    #[track_caller]
    pub fn upper(&self) -> Array {
        let (rows, columns) = self.sizes();
        self.factors.slice_axis(self.factors.rank() - 2, 0, rows.min(columns)).triu(0)
    }

    fn sizes(&self) -> (usize, usize) {
        let shape = self.factors.shape();
        (shape[shape.rank() - 2], shape[shape.rank() - 1])
    }
}

impl Array {
    /// The size of square matrices.
    #[track_caller]
    fn square_size(&self, name: &str) -> usize {
        let (rows, columns) = self.matrix_sizes(name);
        if rows != columns {
            let message = format!("`{name}` takes square matrices, and got {}", self.ty());
            fail(Error::shape(message).at(Place::caller()));
        }
        rows
    }

    /// The transpose of each matrix, conjugated.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 2], [3, 4]]).adjoint(), Array::from([[1, 3], [2, 4]]));
    /// ```
    #[track_caller]
    pub fn adjoint(&self) -> Array {
        self.conj().mt()
    }

    /// The half of the matrix and its adjoint: what a symmetric matrix is, rounding apart.
    #[track_caller]
    fn symmetric(&self) -> Array {
        let x = self.to_inexact();
        (&x + x.adjoint()) * 0.5
    }

    /// The lower triangle `l` with `l · lᴴ` equal to this symmetric, positive definite matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[4.0f32, 2.0], [2.0, 5.0]]).cholesky(), Array::from([[2.0f32, 0.0], [1.0, 2.0]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn cholesky(&self) -> Array {
        self.square_size("cholesky");
        bind_one(Cholesky { lower: true }, &[&self.symmetric()])
    }

    /// An orthogonal matrix and an upper triangle whose product this is. With `full`, the first is square.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[3.0f64, 1.0], [4.0, 2.0]]);
    /// let (q, r) = x.qr(false);
    /// assert!((q.matmul(r) - x).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn qr(&self, full: bool) -> (Array, Array) {
        let mut y = bind(Qr { full_matrices: full }, &[&self.to_inexact()]);
        let r = y.remove(1);
        (y.remove(0), r)
    }

    /// The singular value decomposition `u · diag(s) · vᴴ`, as `(u, s, vᴴ)`. With `full`, `u` and `vᴴ` are square.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (u, s, vh) = Array::from([[3.0f64, 0.0], [0.0, -2.0]]).svd(false);
    /// assert_eq!(s.to_vec::<f64>(), [3.0, 2.0]);
    /// assert_eq!((u * s.expand_dims(0)).matmul(vh), Array::from([[3.0f64, 0.0], [0.0, -2.0]]));
    /// ```
    #[track_caller]
    pub fn svd(&self, full: bool) -> (Array, Array, Array) {
        let mut y = bind(Svd { full_matrices: full, compute_uv: true }, &[&self.to_inexact()]).into_iter();
        let mut next = || y.next().expect("three results");
        (next(), next(), next())
    }

    /// The singular values, the largest first.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[3.0f32, 0.0], [0.0, -2.0]]).svdvals().to_vec::<f32>(), [3.0, 2.0]);
    /// ```
    #[track_caller]
    pub fn svdvals(&self) -> Array {
        bind_one(Svd { full_matrices: false, compute_uv: false }, &[&self.to_inexact()])
    }

    /// The eigenvalues in ascending order, and the eigenvectors as columns, of a symmetric matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (w, _) = Array::from([[2.0f64, 1.0], [1.0, 2.0]]).eigh();
    /// assert!((w - Array::from([1.0, 3.0])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn eigh(&self) -> (Array, Array) {
        self.square_size("eigh");
        let mut y = bind(Eigh { lower: true }, &[&self.symmetric()]);
        let v = y.remove(1);
        (y.remove(0), v)
    }

    /// The eigenvalues in ascending order of a symmetric matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// let w = Array::from([[2.0f64, 1.0], [1.0, 2.0]]).eigvalsh();
    /// assert!((w - Array::from([1.0, 3.0])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn eigvalsh(&self) -> Array {
        self.eigh().0
    }

    /// The eigenvalues, which are complex, and the eigenvectors as columns.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (w, _) = Array::from([[0.0f64, -1.0], [1.0, 0.0]]).eig();
    /// assert!((w.imag().abs() - 1.0).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn eig(&self) -> (Array, Array) {
        let mut y = bind(Eig { compute_v: Eigenvectors::Right }, &[&self.to_inexact()]);
        let v = y.remove(1);
        (y.remove(0), v)
    }

    /// The eigenvalues, which are complex.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert!(Array::from([[0.0f64, -1.0], [1.0, 0.0]]).eigvals().real().abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[track_caller]
    pub fn eigvals(&self) -> Array {
        bind_one(Eig { compute_v: Eigenvectors::None }, &[&self.to_inexact()])
    }

    /// Gaussian elimination with exchanges of rows.
    ///
    /// ```
    /// # use wengert::Array;
    /// let a = Array::from([[0.0f32, 1.0], [2.0, 3.0]]);
    /// let parts = a.lu();
    /// assert_eq!(parts.factors, Array::from([[2.0f32, 3.0], [0.0, 1.0]]));
    /// assert_eq!((parts.pivots.to_vec::<i32>(), parts.order.to_vec::<i32>()), (vec![1, 1], vec![1, 0]));
    /// assert_eq!(parts.lower().matmul(parts.upper()), a.take(&parts.order, 0));
    /// ```
    #[track_caller]
    pub fn lu(&self) -> LuParts {
        let mut y = bind(Lu {}, &[&self.to_inexact()]).into_iter();
        let mut next = || y.next().expect("three results");
        LuParts { factors: next(), pivots: next(), order: next() }
    }

    /// The `x` with `self · x = b`, for a triangular matrix of which only the lower (or upper) triangle is read. `b` is
    /// a matrix, or an array of them.
    ///
    /// ```
    /// # use wengert::Array;
    /// let l = Array::from([[2.0f32, 0.0], [1.0, 4.0]]);
    /// assert_eq!(l.solve_triangular(Array::from([[2.0f32], [9.0]]), true), Array::from([[1.0f32], [2.0]]));
    /// ```
    #[track_caller]
    pub fn solve_triangular(&self, b: impl Into<Array>, lower: bool) -> Array {
        let b = b.into();
        let dtype = self.to_inexact().dtype().promote(b.dtype());
        self.to(dtype).triangular(&b.to(dtype), lower, false)
    }

    #[track_caller]
    fn triangular(&self, b: &Array, lower: bool, unit_diagonal: bool) -> Array {
        let op = TriangularSolve { left_side: true, lower, unit_diagonal, transpose_a: MatrixTranspose::No };
        bind_one(op, &[self, b])
    }

    /// The `x` with `self · x = b`. `b` is a vector, or a matrix or array of them whose columns are solved for.
    ///
    /// ```
    /// # use wengert::Array;
    /// let a = Array::from([[2.0f64, 1.0], [1.0, 3.0]]);
    /// let x = a.solve(Array::from([3.0f64, 5.0]));
    /// assert!((x - Array::from([0.8, 1.4])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn solve(&self, b: impl Into<Array>) -> Array {
        let b = b.into();
        let n = self.square_size("solve");
        let dtype = self.to_inexact().dtype().promote(b.dtype());
        let (a, columns) = (self.to(dtype), if b.rank() == 1 { b.expand_dims(1) } else { b.clone() }.to(dtype));
        if columns.rank() < 2 || columns.shape()[columns.rank() - 2] != n {
            let message = format!("`solve` can't find x with {} · x = {}", self.ty(), b.ty());
            fail(Error::shape(message).at(Place::caller()).note("the right side needs as many rows as the matrix"));
        }
        // One batch for both.
        let batch = a.batch_shape(&columns);
        let with = [&batch[..], &[columns.shape()[columns.rank() - 1]]].concat();
        let columns = columns.broadcast_to([&batch[..], &[n], &with[batch.len()..]].concat());
        let a = a.broadcast_to([&batch[..], &[n, n]].concat());
        let LuParts { factors: lu, order, .. } = a.lu();
        let mut order_shape = batch.clone();
        order_shape.extend([n, 1]);
        let columns = columns.take_along_axis(order.reshape(order_shape), -2);
        let x = lu.triangular(&lu.triangular(&columns, true, true), false, false);
        if b.rank() == 1 { x.squeeze(-1) } else { x }
    }

    /// The shape that the batches of two arrays of matrices broadcast to.
    #[track_caller]
    fn batch_shape(&self, other: &Array) -> Vec<usize> {
        let batch = |x: &Array| wengert_core::Shape::from(&x.shape()[..x.rank() - 2]);
        let both = super::operators::broadcast_shapes(&[&batch(self), &batch(other)]);
        let place = Place::caller();
        ok(both.map_err(|e| e.at(place))).to_vec()
    }

    /// The inverse of each matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[2.0f32, 0.0], [0.0, 4.0]]).inv(), Array::from([[0.5f32, 0.0], [0.0, 0.25]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn inv(&self) -> Array {
        let n = self.square_size("inv");
        self.solve(Array::identity(n, self.to_inexact().dtype()))
    }

    /// The determinant of each matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0], [3.0, 4.0]]).det().item::<f32>(), -2.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn det(&self) -> Array {
        let x = self.to_inexact();
        match x.square_size("det") {
            2 => {
                let [a, b, c, d] = [(0, 0), (0, 1), (1, 0), (1, 1)];
                x.entry(a) * x.entry(d) - x.entry(b) * x.entry(c)
            }
            3 => {
                // By the first row: written out, it has a derivative at singular matrices too.
                let minor = |i: usize| [(1, (i + 1) % 3), (2, (i + 2) % 3), (1, (i + 2) % 3), (2, (i + 1) % 3)];
                let mut sum = x.zeros_like().slice_axis(x.rank() - 1, 0, 1).sum([-2, -1]);
                for i in 0..3 {
                    let [a, b, c, d] = minor(i);
                    let minor = x.entry(a) * x.entry(b) - x.entry(c) * x.entry(d);
                    sum += x.entry((0, i)) * minor;
                }
                sum
            }
            _ => {
                let LuParts { factors: lu, pivots, .. } = x.lu();
                lu.diagonal(0, [-2, -1]).prod(-1) * parity(&pivots).to(x.dtype())
            }
        }
    }

    /// One entry of each matrix.
    #[track_caller]
    fn entry(&self, (row, column): (usize, usize)) -> Array {
        let last = self.rank() - 1;
        self.slice_axis(last - 1, row, row + 1).slice_axis(last, column, column + 1).squeeze([-2, -1])
    }

    /// The sign of the determinant of each matrix (of modulus 1 for complex ones, 0 if it is 0), and the logarithm of its
    /// absolute value.
    ///
    /// ```
    /// # use wengert::Array;
    /// let (sign, log) = Array::from([[1.0f64, 2.0], [3.0, 4.0]]).slogdet();
    /// assert_eq!(sign.item::<f64>(), -1.0);
    /// assert!((log.item::<f64>() - 2f64.ln()).abs() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn slogdet(&self) -> (Array, Array) {
        self.square_size("slogdet");
        let x = self.to_inexact();
        let LuParts { factors: lu, pivots, .. } = x.lu();
        let diagonal = lu.diagonal(0, [-2, -1]);
        let singular = diagonal.eq(0).any(-1);
        let sign = diagonal.sign().prod(-1) * parity(&pivots).to(x.dtype());
        let log = diagonal.abs().log().sum(-1);
        (where_(&singular, sign.zeros_like(), &sign), where_(&singular, f64::NEG_INFINITY, log))
    }

    /// The inverse where there is one, else what is nearest to it. Singular values below `rtol` times the largest count
    /// as zero; give `None` for a bound that goes with the precision of the elements.
    ///
    /// ```
    /// # use wengert::Array;
    /// let x = Array::from([[2.0f64, 0.0], [0.0, 0.0]]);
    /// assert_eq!(x.pinv(None), Array::from([[0.5f64, 0.0], [0.0, 0.0]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn pinv(&self, rtol: Option<f64>) -> Array {
        let x = self.to_inexact();
        let (rows, columns) = x.matrix_sizes("pinv");
        let rtol = rtol.unwrap_or(10.0 * rows.max(columns) as f64 * epsilon(x.dtype()));
        // The derivative goes by the inverse itself, and is there for equal singular values too.
        let value = move |a: Array| a.pinv_value(rtol);
        let rule = move |(a,): (Array,), (t,): (Array,)| {
            let p = a.pinv_value(rtol);
            let (ph, th) = (p.adjoint(), t.adjoint());
            let moved = -p.matmul(t).matmul(&p);
            let left = p.matmul(&ph).matmul(&th);
            let left = &left - left.matmul(&a).matmul(&p);
            let right = th.matmul(&ph).matmul(&p);
            let right = &right - p.matmul(&a).matmul(&right);
            (p, moved + left + right)
        };
        custom_jvp(value, rule)(x)
    }

    #[track_caller]
    fn pinv_value(&self, rtol: f64) -> Array {
        if self.size() == 0 {
            return self.adjoint();
        }
        let (u, s, vh) = self.svd(false);
        let small = s.le(s.max(super::keep(-1)) * rtol);
        let inverse = where_(&small, 0, 1 / where_(&small, 1, &s)).to(self.dtype());
        (vh.adjoint() * inverse.expand_dims(-2)).matmul(u.adjoint())
    }

    /// The `x` that makes `|self · x - b|` least; of several, the shortest. `b` is a vector or a matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// let a = Array::from([[1.0f64, 0.0], [1.0, 1.0], [1.0, 2.0]]);
    /// let x = a.lstsq(Array::from([1.0f64, 3.0, 5.0]), None);
    /// assert!((x - Array::from([1.0, 2.0])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn lstsq(&self, b: impl Into<Operand>, rtol: Option<f64>) -> Array {
        self.pinv(rtol).matmul(b)
    }

    /// Each matrix multiplied `n` times with itself; for negative `n`, its inverse.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1, 1], [0, 1]]).matrix_power(5), Array::from([[1, 5], [0, 1]]));
    /// ```
    #[composite]
    #[track_caller]
    pub fn matrix_power(&self, n: i64) -> Array {
        let size = self.square_size("matrix_power");
        let (mut left, mut power, mut result) =
            (n.unsigned_abs(), if n < 0 { self.inv() } else { self.clone() }, None::<Array>);
        while left > 0 {
            if left & 1 == 1 {
                result = Some(match result {
                    None => power.clone(),
                    Some(r) => r.matmul(&power),
                });
            }
            left >>= 1;
            if left > 0 {
                power = power.matmul(&power);
            }
        }
        result.unwrap_or_else(|| Array::identity(size, self.dtype()).broadcast_to(self.shape()))
    }

    /// The number of singular values above `rtol` times the largest; `None` for a bound that goes with the precision.
    ///
    /// ```
    /// # use wengert::Array;
    /// assert_eq!(Array::from([[1.0f32, 2.0], [2.0, 4.0]]).matrix_rank(None).item::<i64>(), 1);
    /// ```
    #[composite]
    #[track_caller]
    pub fn matrix_rank(&self, rtol: Option<f64>) -> Array {
        let x = self.to_inexact();
        let (rows, columns) = x.matrix_sizes("matrix_rank");
        let rtol = rtol.unwrap_or(rows.max(columns) as f64 * epsilon(x.dtype()));
        let s = x.svdvals();
        if s.size() == 0 {
            return s.count_nonzero(-1);
        }
        s.gt(s.max(super::keep(-1)) * rtol).count_nonzero(-1)
    }

    /// The size of each matrix.
    ///
    /// ```
    /// # use wengert::{Array, MatrixNorm};
    /// let x = Array::from([[1.0f32, -2.0], [3.0, 4.0]]);
    /// assert_eq!(x.matrix_norm(MatrixNorm::One).item::<f32>(), 6.0);
    /// assert_eq!(x.matrix_norm(MatrixNorm::Inf).item::<f32>(), 7.0);
    /// ```
    #[composite]
    #[track_caller]
    pub fn matrix_norm(&self, norm: MatrixNorm) -> Array {
        self.matrix_sizes("matrix_norm");
        match norm {
            MatrixNorm::Frobenius => self.norm(2, [-2, -1]),
            MatrixNorm::Nuclear => self.svdvals().sum(-1),
            MatrixNorm::One => self.to_inexact().abs().sum(-2).max(-1),
            MatrixNorm::Inf => self.to_inexact().abs().sum(-1).max(-1),
            MatrixNorm::Two => self.svdvals().max(-1),
        }
    }

    /// The exponential of each matrix.
    ///
    /// ```
    /// # use wengert::Array;
    /// let y = Array::from([[0.0f64, 1.0], [0.0, 0.0]]).expm();
    /// assert!((y - Array::from([[1.0, 1.0], [0.0, 1.0]])).abs().max(..).item::<f64>() < 1e-12);
    /// ```
    #[composite]
    #[track_caller]
    pub fn expm(&self) -> Array {
        // A rational approximation of degree 13 near zero, where scaling by a power of two brings the matrix, and as many
        // squarings to undo that. The number of squarings depends on the values; all that could be needed are there.
        const SQUARINGS: usize = 16;
        const REACH: f64 = 5.371920351148152;
        const B: [f64; 14] = [
            64764752532480000.0,
            32382376266240000.0,
            7771770303897600.0,
            1187353796428800.0,
            129060195264000.0,
            10559470521600.0,
            670442572800.0,
            33522128640.0,
            1323241920.0,
            40840800.0,
            960960.0,
            16380.0,
            182.0,
            1.0,
        ];
        let x = self.to_inexact();
        let n = x.square_size("expm");
        let size = crate::stop_gradient(x.matrix_norm(MatrixNorm::One).expand_dims([-2, -1]));
        let squarings = (size.maximum(f64::MIN_POSITIVE.sqrt()) / REACH).log2().ceil().clip(0, SQUARINGS);
        let a = &x / squarings.exp2().to(x.dtype());
        let one = Array::identity(n, x.dtype());
        let a2 = a.matmul(&a);
        let a4 = a2.matmul(&a2);
        let a6 = a2.matmul(&a4);
        let u = a6.matmul(&a6 * B[13] + &a4 * B[11] + &a2 * B[9]) + &a6 * B[7] + &a4 * B[5] + &a2 * B[3] + &one * B[1];
        let u = a.matmul(u);
        let v = a6.matmul(&a6 * B[12] + &a4 * B[10] + &a2 * B[8]) + &a6 * B[6] + &a4 * B[4] + &a2 * B[2] + &one * B[0];
        let mut y = (&v - &u).solve(&v + &u);
        for i in 0..SQUARINGS {
            y = where_(squarings.gt(i), y.matmul(&y), &y);
        }
        y
    }
}

/// 1 or -1 by the number of exchanges of rows.
#[track_caller]
fn parity(pivots: &Array) -> Array {
    let n = pivots.shape()[pivots.rank() - 1];
    let exchanges = pivots.ne(Array::iota([n], 0, pivots.dtype())).count_nonzero(-1);
    1 - (exchanges % 2) * 2
}
