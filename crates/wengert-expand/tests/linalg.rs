//! The decompositions against this machine's own, and both against what they mean where results are not unique.

use wengert_core::compare::{ComplexRule, Tolerance};
use wengert_core::ops::*;
use wengert_core::{Builder, Complex, DType, Op, Scalar, Tensor, Type, Var};
use wengert_expand::expand;
use wengert_expand::linalg::{pairs, real_schur, schur};
use wengert_testing::from_scalars;

const TYPES: [DType; 4] = [DType::F32, DType::F64, DType::C64, DType::C128];

fn run(op: &Op, x: &Tensor) -> Vec<Tensor> {
    let p = expand(op, &[x.ty()]).expect("an expansion").unwrap();
    assert_eq!(p.output_types(), op.result_types(&[x.ty()]).unwrap(), "{}", op.name());
    wengert_eval::run(&p, vec![x.clone()]).unwrap()
}

/// Numbers between -1 and 1 that look random.
fn values(dtype: DType, shape: &[usize]) -> Tensor {
    let ty = Type::new(dtype, shape);
    let number = |i: usize| {
        let mixed = (i as u64 + 7).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        ((mixed ^ (mixed >> 29)) >> 40) as f64 / (1 << 23) as f64 - 1.0
    };
    from_scalars(&ty, |i| Scalar::from_complex(dtype, Complex::new(number(2 * i), number(2 * i + 1))))
}

/// With every element made by `f` from its row and column.
fn made(dtype: DType, shape: [usize; 2], f: impl Fn(usize, usize) -> f64) -> Tensor {
    from_scalars(&Type::new(dtype, shape), |i| Scalar::from_f64(dtype, f(i / shape[1], i % shape[1])))
}

/// Matrices that are hard on something: no rank, little rank, equal values, large and small ones, NaN.
fn hard(dtype: DType, shape: [usize; 2]) -> Vec<Tensor> {
    let far = if dtype.real() == DType::F32 { 1e15 } else { 1e120 };
    vec![
        made(dtype, shape, |_, _| 0.0),
        made(dtype, shape, |_, _| 1.0),
        made(dtype, shape, |i, j| (i == j) as u8 as f64),
        made(dtype, shape, |i, j| if i == j { -2.0 } else { 0.0 }),
        made(dtype, shape, |i, j| (i * j) as f64 - (i + j) as f64),
        made(dtype, shape, |i, j| far * ((3 * i + 5 * j) % 7) as f64),
        made(dtype, shape, |i, j| ((3 * i + 5 * j) % 7) as f64 / far),
        made(dtype, shape, |i, j| if i <= j { 1.0 } else { 0.0 }),
        made(dtype, shape, |i, j| if i + 1 == j { 1.0 } else { 0.0 }),
    ]
}

type Matrix = Vec<Vec<Complex<f64>>>;

/// The matrices of a batch.
fn each(t: &Tensor) -> Vec<Matrix> {
    let s = t.shape();
    let (m, n) = (s[s.rank() - 2], s[s.rank() - 1]);
    let at = |k: usize| t.get(k).as_complex();
    let one = |b: usize| (0..m).map(|i| (0..n).map(|j| at((b * m + i) * n + j)).collect()).collect();
    (0..t.size() / (m * n)).map(one).collect()
}

fn tensor(x: &Matrix) -> Tensor {
    Tensor::new([x.len(), x[0].len()], x.concat()).expect("rows of one length")
}

fn product(x: &Matrix, y: &Matrix) -> Matrix {
    let element = |r: &Vec<Complex<f64>>, j: usize| r.iter().zip(y).map(|(a, row)| a * row[j]).sum();
    x.iter().map(|r| (0..y[0].len()).map(|j| element(r, j)).collect()).collect()
}

fn adjoint_of(x: &Matrix) -> Matrix {
    (0..x[0].len()).map(|j| x.iter().map(|r| r[j].conj()).collect()).collect()
}

fn largest(x: &Matrix) -> f64 {
    x.iter().flatten().map(|x| x.norm()).fold(0.0, f64::max)
}

#[track_caller]
fn near(found: &Matrix, expected: &Matrix, size: f64, dtype: DType, what: &str) {
    let absolute = tolerance(dtype) * size.max(f64::MIN_POSITIVE);
    let tolerance = Tolerance { absolute, complex: ComplexRule::Distance, ..Tolerance::EXACT };
    tolerance
        .check(&tensor(found), &tensor(expected))
        .unwrap_or_else(|e| panic!("{what}: {e}, with {absolute:e} allowed"));
}

fn tolerance(dtype: DType) -> f64 {
    300.0 * if dtype.real() == DType::F32 { f32::EPSILON as f64 } else { f64::EPSILON }
}

/// Checks that columns have length 1 and are orthogonal.
#[track_caller]
fn orthonormal(x: &Matrix, dtype: DType) {
    let n = x[0].len();
    let one = |i: usize, j: usize| Complex::from((i == j) as u8 as f64);
    let eye = (0..n).map(|i| (0..n).map(|j| one(i, j)).collect()).collect();
    near(&product(&adjoint_of(x), x), &eye, 1.0, dtype, "orthonormal");
}

fn columns_times(x: &Matrix, by: impl Fn(usize) -> Complex<f64>) -> Matrix {
    x.iter().map(|r| r.iter().enumerate().map(|(j, x)| x * by(j)).collect()).collect()
}

/// Results whose columns in one of them, and rows in the other, have the factors that they have in `found`.
fn turned(mut y: Vec<Tensor>, found: &[Tensor], columns: usize, rows: Option<usize>) -> Vec<Tensor> {
    let (theirs, ours) = (each(&found[columns]), each(&y[columns]));
    let factors: Vec<Vec<Complex<f64>>> = theirs
        .iter()
        .zip(&ours)
        .map(|(their, our)| {
            let dot = |j: usize| their.iter().zip(our).map(|(t, o)| t[j] * o[j].conj()).sum::<Complex<f64>>();
            (0..their[0].len()).map(|j| dot(j) / dot(j).norm()).collect()
        })
        .collect();
    let mut turn = |at: usize, factor: &dyn Fn(usize, usize, usize) -> Complex<f64>| {
        let ty = y[at].ty();
        let (m, n) = (ty.shape[ty.rank() - 2], ty.shape[ty.rank() - 1]);
        y[at] = from_scalars(&ty, |k| {
            let x = y[at].get(k).as_complex() * factor(k / (m * n), k / n % m, k % n);
            Scalar::from_complex(ty.dtype, x)
        });
    };
    turn(columns, &|k, _, j| factors[k][j]);
    if let Some(rows) = rows {
        turn(rows, &|k, i, _| factors[k][i].conj());
    }
    y
}

#[test]
fn the_same_as_on_this_machine() {
    for dtype in TYPES {
        for shape in [&[3usize, 3][..], &[1, 1], &[5, 3], &[3, 5], &[1, 4], &[4, 1], &[2, 6, 6], &[2, 1, 7, 5]] {
            let x = values(dtype, shape);
            let mut ops: Vec<Op> = vec![Lu {}.into()];
            for full_matrices in [false, true] {
                ops.push(Qr { full_matrices }.into());
            }
            ops.push(Svd { full_matrices: false, compute_uv: true }.into());
            ops.push(Svd { full_matrices: false, compute_uv: false }.into());
            if shape[shape.len() - 1] == shape[shape.len() - 2] {
                ops.extend([true, false].map(|lower| Op::from(Eigh { lower })));
            }
            for op in ops {
                let expected = wengert_eval::run_op(&op, vec![x.clone()]).unwrap();
                let found = run(&op, &x);
                // Vectors that are determined up to a factor have another one than LAPACK's here.
                let expected = match op {
                    Op::Eigh(_) => turned(expected, &found, 1, None),
                    Op::Svd(Svd { compute_uv: true, .. }) => turned(expected, &found, 0, Some(2)),
                    _ => expected,
                };
                for (i, (f, e)) in found.iter().zip(&expected).enumerate() {
                    if let Err(e) = Tolerance::near(tolerance(dtype)).check(f, e) {
                        panic!("{} of {}, result {i}: {e}", op.to_text(), x.ty());
                    }
                }
            }
        }
    }
}

#[test]
fn factors_of_hard_matrices() {
    for dtype in TYPES {
        for shape in [[4, 4], [5, 3], [3, 6], [2, 2]] {
            for x in hard(dtype, shape) {
                let expected = wengert_eval::run_op(&Lu {}.into(), vec![x.clone()]).unwrap();
                let found = run(&Lu {}.into(), &x);
                assert_eq!(found[1..], expected[1..], "{x:?}");
                near(&each(&found[0])[0], &each(&expected[0])[0], largest(&each(&expected[0])[0]), dtype, "lu");
                for full_matrices in [false, true] {
                    let y = run(&Qr { full_matrices }.into(), &x);
                    let (a, q, r) = (&each(&x)[0], &each(&y[0])[0], &each(&y[1])[0]);
                    orthonormal(q, dtype);
                    near(&product(q, r), a, largest(a), dtype, "q·r");
                    assert!(r.iter().enumerate().all(|(i, r)| r[..i.min(r.len())].iter().all(|x| x.norm() == 0.0)));
                }
            }
        }
    }
}

#[test]
fn singular_values_of_hard_matrices() {
    for dtype in TYPES {
        for shape in [[4, 4], [5, 3], [3, 6], [7, 7]] {
            for x in hard(dtype, shape) {
                for full_matrices in [false, true] {
                    let op = Op::from(Svd { full_matrices, compute_uv: true });
                    for y in [run(&op, &x), wengert_eval::run_op(&op, vec![x.clone()]).unwrap()] {
                        let (a, u, vh) = (&each(&x)[0], &each(&y[0])[0], &each(&y[2])[0]);
                        let s: Vec<f64> = (0..y[1].size()).map(|i| y[1].get(i).as_f64().unwrap()).collect();
                        assert!(s.windows(2).all(|w| w[0] >= w[1]) && s.iter().all(|&s| s >= 0.0), "{s:?}");
                        orthonormal(u, dtype);
                        orthonormal(&adjoint_of(vh), dtype);
                        let us = columns_times(u, |j| Complex::from(s.get(j).copied().unwrap_or(0.0)));
                        let us = us.into_iter().map(|r| r[..s.len()].to_vec()).collect();
                        near(&product(&us, &vh[..s.len()].to_vec()), a, largest(a), dtype, "u·s·vᴴ");
                    }
                }
            }
        }
    }
}

#[test]
fn eigenvalues_of_hard_matrices() {
    for dtype in TYPES {
        for n in [1, 2, 5, 8] {
            for x in hard(dtype, [n, n]) {
                let expected = wengert_eval::run_op(&Eigh { lower: true }.into(), vec![x.clone()]).unwrap();
                for y in [run(&Eigh { lower: true }.into(), &x), expected.clone()] {
                    let v = &each(&y[1])[0];
                    orthonormal(v, dtype);
                    let a: Matrix = each(&x)[0].clone();
                    let a: Matrix = (0..n)
                        .map(|i| (0..n).map(|j| if i >= j { a[i][j] } else { a[j][i].conj() }).collect())
                        .collect();
                    let w = |t: &Tensor| {
                        (0..n).map(|i| vec![Complex::from(t.get(i).as_f64().unwrap())]).collect::<Matrix>()
                    };
                    let size = largest(&a) * n as f64;
                    near(&w(&y[0]), &w(&expected[0]), size, dtype, "eigenvalues");
                    near(&product(&a, v), &columns_times(v, |j| w(&y[0])[j][0]), size, dtype, "a·v = v·w");
                }
            }
        }
    }
}

#[test]
fn eigenvalues_of_general_matrices() {
    for dtype in TYPES {
        let mut all = vec![values(dtype, &[1, 1]), values(dtype, &[3, 2, 2]), values(dtype, &[2, 9, 9])];
        all.extend(hard(dtype, [5, 5]));
        // A permutation, and a matrix whose rows sum to 1.
        all.push(made(dtype, [6, 6], |i, j| ((i + 1) % 6 == j) as u8 as f64));
        all.push(made(dtype, [4, 4], |i, j| [0.1, 0.2, 0.3, 0.4][(i + j) % 4]));
        for x in all {
            let n = x.shape()[x.shape().rank() - 1];
            let y = run(&Eig { compute_v: Eigenvectors::Right }.into(), &x);
            let alone = run(&Eig { compute_v: Eigenvectors::None }.into(), &x);
            assert_eq!(alone[0], y[0]);
            for (k, (a, v)) in each(&x).iter().zip(each(&y[1])).enumerate() {
                let w = |j: usize| y[0].get(k * n + j).as_complex();
                // Of matrices that lack eigenvectors the last are exact to the root of the precision.
                near(&product(a, &v), &columns_times(&v, w), largest(a) * n as f64, dtype, "a·v = v·w");
                let trace: Complex<f64> = (0..n).map(|i| a[i][i]).sum();
                let sum: Complex<f64> = (0..n).map(w).sum();
                near(&vec![vec![sum]], &vec![vec![trace]], largest(a) * n as f64, dtype, "trace");
                (0..n).for_each(|j| {
                    let length = v.iter().map(|r| r[j].norm_sqr()).sum::<f64>();
                    assert!((length - 1.0).abs() < tolerance(dtype), "{length}");
                });
            }
        }
    }
}

#[test]
fn what_is_not_finite_has_no_decomposition() {
    let x = Tensor::new([2, 2, 2], vec![1f32, 2.0, f32::NAN, 4.0, 1.0, 2.0, 3.0, 4.0]).unwrap();
    for op in [
        Op::from(Svd { full_matrices: true, compute_uv: true }),
        Eigh { lower: true }.into(),
        Eig { compute_v: Eigenvectors::Right }.into(),
    ] {
        for y in run(&op, &x) {
            let half = y.size() / 2;
            assert!((0..half).all(|i| y.get(i).as_complex().is_nan()), "{y:?}");
            assert!((half..y.size()).all(|i| !y.get(i).as_complex().is_nan()), "{y:?}");
        }
    }
}

/// Matrices of a kind for Schur's form: any, hard ones, rotations, and some whose eigenvalues are close or missing.
fn square_ones(dtype: DType) -> Vec<Tensor> {
    let mut all = vec![values(dtype, &[1, 1]), values(dtype, &[3, 2, 2]), values(dtype, &[2, 9, 9])];
    all.extend([3, 4, 13].map(|n| values(dtype, &[n, n])));
    all.extend(hard(dtype, [5, 5]));
    all.extend(hard(dtype, [2, 2]));
    all.push(made(dtype, [6, 6], |i, j| ((i + 1) % 6 == j) as u8 as f64));
    all.push(made(dtype, [4, 4], |i, j| [0.1, 0.2, 0.3, 0.4][(i + j) % 4]));
    all.push(made(dtype, [4, 4], |i, j| if i == j { 1.0 } else { 1e-9 * (i as f64 - j as f64) }));
    all.push(made(dtype, [2, 2], |i, j| [[1.0, 1e-6], [1e-6, 1.0]][i][j]));
    all.push(made(dtype, [2, 2], |i, j| [[1.0, 0.0], [3.0, 1.0]][i][j]));
    all.push(made(dtype, [2, 2], |i, j| [[1.0, 4.0], [-1.0, 1.0]][i][j]));
    all.push(made(dtype, [8, 8], |i, j| if i == j + 1 || (i, j) == (0, 7) { 1.0 } else { 0.0 }));
    all
}

fn compiled(x: &Tensor, f: impl FnOnce(&mut Builder, Var) -> Vec<Var>) -> Vec<Tensor> {
    let mut b = Builder::new();
    let a = b.input(x.ty());
    let y = f(&mut b, a);
    wengert_eval::run(&b.finish_all(&y), vec![x.clone()]).unwrap()
}

#[test]
fn schur_forms() {
    for dtype in TYPES {
        for x in square_ones(dtype) {
            let real = !dtype.is_complex();
            let y = compiled(&x, |b, a| if real { real_schur(b, a) } else { schur(b, a) });
            for (a, (t, q)) in each(&x).iter().zip(each(&y[0]).iter().zip(&each(&y[1]))) {
                orthonormal(q, dtype);
                let size = largest(a) * a.len() as f64;
                near(&product(&product(q, t), &adjoint_of(q)), a, size, dtype, "q·t·qᴴ");
                for (i, row) in t.iter().enumerate() {
                    let zeros = if real { i.saturating_sub(1) } else { i };
                    assert!(row[..zeros].iter().all(|x| x.norm() == 0.0), "{t:?}");
                    if !real || i == 0 || row[i - 1].norm() == 0.0 {
                        continue;
                    }
                    let above = &t[i - 1];
                    assert!(row[i] == above[i - 1] && (row[i - 1] * above[i]).re < 0.0, "{x:?} {t:?}");
                    assert!(i < 2 || above[i - 2].norm() == 0.0, "a block of three rows: {t:?}");
                }
            }
        }
    }
}

#[test]
fn eigenvalues_of_real_schur_forms() {
    for dtype in [DType::F32, DType::F64] {
        let x = values(dtype, &[2, 9, 9]);
        let y = compiled(&x, |b, a| {
            let t = real_schur(b, a)[0];
            pairs(b, t)
        });
        let expected = wengert_eval::run_op(&Eig { compute_v: Eigenvectors::None }.into(), vec![x.clone()]).unwrap();
        for k in 0..2 {
            for i in 9 * k..9 * k + 9 {
                let (re, im) = (y[0].get(i).as_f64().unwrap(), y[1].get(i).as_f64().unwrap());
                let found = Complex::new(re, im);
                let near = (9 * k..9 * k + 9).any(|j| (expected[0].get(j).as_complex() - found).norm() < 1e-4);
                assert!(near, "{found} is no eigenvalue");
            }
        }
    }
}

#[test]
fn left_and_right_eigenvectors() {
    for dtype in TYPES {
        for x in square_ones(dtype) {
            let y = run(&Eig { compute_v: Eigenvectors::Both }.into(), &x);
            let n = x.shape()[x.shape().rank() - 1];
            let batch = each(&x).into_iter().zip(each(&y[1]).into_iter().zip(each(&y[2])));
            for (k, (a, (left, right))) in batch.enumerate() {
                let w = |j: usize| y[0].get(k * n + j).as_complex();
                let size = largest(&a) * n as f64;
                near(&product(&a, &right), &columns_times(&right, w), size, dtype, "a·v = v·w");
                near(
                    &product(&adjoint_of(&a), &left),
                    &columns_times(&left, |j| w(j).conj()),
                    size,
                    dtype,
                    "aᴴ·u = u·w̄",
                );
                for v in [left, right] {
                    let length = |j: usize| v.iter().map(|r| r[j].norm_sqr()).sum::<f64>();
                    assert!((0..n).all(|j| (length(j) - 1.0).abs() < tolerance(dtype)));
                }
            }
        }
    }
}
