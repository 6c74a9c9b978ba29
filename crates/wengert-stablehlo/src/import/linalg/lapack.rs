//! LAPACK's routines as JAX calls them on the CPU. Options are letters in `backend_config`; the last result of most
//! says whether the routine failed, which ours say with NaN instead.

use crate::import::body::{Body, Handler, operand};
use crate::import::fields::Fields;
use crate::syntax::Operation;
use wengert_core::ops::*;
use wengert_core::{Builder, DType, Equation, Error, ErrorKind, Op, Program, Result, Type, Var, Vars};
use wengert_expand::linalg::{self, householder, matrix, perturbed, stacked, tridiagonal};

/// JAX's own solver of systems with three diagonals that may be singular.
pub(in crate::import) fn perturbed<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    check_diagonals(c, x)?;
    let y = stacked(&mut c.b, x, &[1, 1, 1, 2], |t| perturbed::solve(&t[1], &t[3]))?;
    results(c, op, &y)
}

/// What a routine does, by its name without `lapack_` and `_ffi`: one letter for the element type, then the name.
pub(in crate::import) fn handler(routine: &str) -> Option<Handler> {
    let name = routine.strip_prefix(['s', 'd', 'c', 'z'])?;
    Some(match name {
        "getrf" => |c, op, x| {
            let y = c.push(Lu {}, x)?;
            // LAPACK counts rows from 1.
            let one = c.b.full_like(y[1], 1.0);
            let pivots = c.one(Binary::Add, &[y[1], one])?;
            results(c, op, &[y[0], pivots])
        },
        "potrf" => |c, op, x| {
            let lower = letter(c, op, "uplo")? == b'L';
            let y = c.one(Cholesky { lower }, x)?;
            let y = matrix::keep_other_triangle(&mut c.b, y, operand(x, 0)?, lower);
            results(c, op, &[y])
        },
        "syevd" | "heevd" => |c, op, x| {
            let lower = letter(c, op, "uplo")? == b'L';
            let y = c.push(Eigh { lower }, x)?;
            results(c, op, &[y[1], y[0]])
        },
        "gesdd" | "gesvd" => |c, op, x| {
            let mode = letter(c, op, "mode")?;
            let svd = Svd { full_matrices: mode == b'A', compute_uv: mode != b'N' };
            let y = c.push(svd, x)?;
            match mode {
                b'N' => results(c, op, &[operand(x, 0)?, y[0]]),
                _ => results(c, op, &[operand(x, 0)?, y[1], y[0], y[2]]),
            }
        },
        "geev" => geev,
        "gees" => gees,
        "gtsv" => |c, op, x| {
            let [lower, main, upper] = check_diagonals(c, x)?;
            let y = stacked(&mut c.b, x, &[1, 1, 1, 2], |t| tridiagonal::solve(&t[1], &t[3]))?;
            results(c, op, &[lower, main, upper, y[0], y[1]])
        },
        "trsm" => |c, op, x| {
            let transpose_a = match letter(c, op, "trans_x")? {
                b'T' => MatrixTranspose::Transpose,
                b'C' => MatrixTranspose::Adjoint,
                _ => MatrixTranspose::No,
            };
            let solve = TriangularSolve {
                left_side: letter(c, op, "side")? == b'L',
                lower: letter(c, op, "uplo")? == b'L',
                unit_diagonal: letter(c, op, "diag")? == b'U',
                transpose_a,
            };
            c.push(solve, &x[..x.len().min(2)])
        },
        "geqrf" => |c, op, x| {
            check_matrix(c, operand(x, 0)?)?;
            reflected(c, op, x[0], householder::factor)
        },
        "geqp3" => |c, op, x| {
            check_matrix(c, operand(x, 0)?)?;
            let kept = operand(x, 1)?;
            if !is_zero(c, kept) {
                check_kept(c, x[0], kept)?;
                let y = match c.b.shape(kept).last() {
                    Some(0) => Vec::new(),
                    _ => stacked(&mut c.b, &[x[0], kept], &[2, 1], |t| householder::factor_keeping(&t[0], &t[1]))?,
                };
                return results(c, op, &y);
            }
            reflected(c, op, x[0], householder::factor_pivoting)
        },
        "gehrd" => |c, op, x| {
            let n = check_square(c, operand(x, 0)?)?;
            let f = options(c, op)?;
            if (f.size("low")?, f.size("high")?) != (1, n) && n > 0 {
                return Err(Error::new(ErrorKind::Unsupported, "a part of a matrix by `gehrd` is not supported"));
            }
            reflected(c, op, x[0], householder::hessenberg)
        },
        "sytrd" | "hetrd" => |c, op, x| {
            check_square(c, operand(x, 0)?)?;
            let lower = letter(c, op, "uplo")? == b'L';
            reflected(c, op, x[0], |t| householder::tridiagonal(t, lower))
        },
        "ormqr" | "unmqr" => |c, op, x| {
            check_reflections(c, x)?;
            let f = options(c, op)?;
            let (left, adjoint) = (f.flag_or("left", true)?, f.flag_or("transpose", false)?);
            let (a, other) = (c.b.ty(x[0]).clone(), c.b.ty(operand(x, 2)?).clone());
            check_matrix(c, x[2])?;
            let rows = |t: &Type, from_end: usize| t.shape[t.rank() - from_end];
            if other.dtype != a.dtype || rows(&other, if left { 2 } else { 1 }) != rows(&a, 2) {
                return Err(Error::shape(format!("reflections {a} can't be multiplied with {other}")));
            }
            let y = stacked(&mut c.b, x, &[2, 1, 2], |t| householder::multiplied(t, left, adjoint))?;
            results(c, op, &y)
        },
        "orgqr" | "ungqr" => |c, op, x| {
            check_reflections(c, x)?;
            let y = stacked(&mut c.b, x, &[2, 1], |t| householder::product(&t[0], &t[1]))?;
            results(c, op, &y)
        },
        _ => return None,
    })
}

/// The options.
fn options<'m, 'a>(c: &Body<'_, 'm, 'a>, op: &'m Operation<'a>) -> Result<Fields<'m, 'a>> {
    let f = c.fields(op);
    f.part("mhlo.backend_config").or_else(|_| f.part("backend_config"))
}

/// An option that is a letter.
fn letter<'m, 'a>(c: &Body<'_, 'm, 'a>, op: &'m Operation<'a>, name: &str) -> Result<u8> {
    let code = options(c, op)?.size(name)?;
    u8::try_from(code).map_err(|_| Error::new(ErrorKind::Text, format!("`{name}` should be the code of a letter")))
}

/// The number of columns of what must be matrices of floats or complex numbers.
fn check_matrix(c: &Body<'_, '_, '_>, x: Var) -> Result<usize> {
    let ty = c.b.ty(x);
    match &ty.shape[..] {
        [.., _, n] if ty.dtype.is_differentiable() && ty.dtype.bits() >= 32 => Ok(*n),
        _ => Err(Error::shape(format!("expected matrices of f32, f64, c64 or c128, and got {ty}"))),
    }
}

/// What a program of reflections makes of matrices; of such without columns there is nothing.
fn reflected<'a>(
    c: &mut Body<'_, '_, 'a>,
    op: &Operation<'a>,
    x: Var,
    program: impl FnOnce(&Type) -> Program,
) -> Result<Vars> {
    let y = match c.b.shape(x).last() {
        Some(0) => Vec::new(),
        _ => stacked(&mut c.b, &[x], &[2], |t| program(&t[0]))?,
    };
    results(c, op, &y)
}

/// Whether it is known to be zero everywhere.
fn is_zero(c: &Body<'_, '_, '_>, mut x: Var) -> bool {
    while let Some(Equation { op: Op::Broadcast(_) | Op::Reshape(_), inputs, .. }) = c.b.definition(x) {
        x = inputs[0];
    }
    c.b.constant_splat(x).and_then(|s| s.as_i64()) == Some(0)
}

/// Checks that there is a number for each column.
fn check_kept(c: &Body<'_, '_, '_>, a: Var, kept: Var) -> Result<()> {
    let (a, kept) = (c.b.ty(a), c.b.ty(kept));
    match kept.dtype == DType::I32 && kept.shape.last() == a.shape.last() && kept.rank() + 1 == a.rank() {
        true => Ok(()),
        false => Err(Error::shape(format!("columns to keep, of type {kept}, do not go with matrices {a}"))),
    }
}

/// The three diagonals, which go with the right sides after them.
fn check_diagonals(c: &Body<'_, '_, '_>, x: &[Var]) -> Result<[Var; 3]> {
    let &[lower, main, upper, right] = x else {
        return Err(Error::new(ErrorKind::Text, "a system of equations takes three diagonals and the right sides"));
    };
    let rows = check_matrix(c, right).map(|_| c.b.shape(right).iter().rev().nth(1).copied())?;
    let same = [lower, upper].iter().all(|&v| c.b.ty(v) == c.b.ty(main));
    if !same || c.b.dtype(main) != c.b.dtype(right) || c.b.shape(main).last().copied() != rows {
        return Err(Error::shape(format!("diagonals {} do not go with {}", c.b.ty(main), c.b.ty(right))));
    }
    Ok([lower, main, upper])
}

/// The number of rows and of columns.
fn check_square(c: &Body<'_, '_, '_>, x: Var) -> Result<usize> {
    let n = check_matrix(c, x)?;
    match c.b.shape(x).iter().rev().nth(1) == Some(&n) {
        true => Ok(n),
        false => Err(Error::shape(format!("expected square matrices, and got {}", c.b.ty(x)))),
    }
}

/// Checks that the first operands are reflections as they are stored, and the `tau` of each.
fn check_reflections(c: &Body<'_, '_, '_>, x: &[Var]) -> Result<()> {
    let columns = check_matrix(c, operand(x, 0)?)?;
    let taus = c.b.ty(operand(x, 1)?);
    match taus.dtype == c.b.dtype(x[0]) && taus.shape.last().is_some_and(|&k| k <= columns) {
        true => Ok(()),
        false => Err(Error::shape(format!("reflections {} do not go with {taus}", c.b.ty(x[0])))),
    }
}

/// The results a routine is written with: those that are known, and zeros, which say that nothing failed.
fn results<'a>(c: &mut Body<'_, '_, 'a>, op: &Operation<'a>, known: &[Var]) -> Result<Vars> {
    let mut out: Vars = known.into();
    for i in known.len()..op.result_count() {
        let ty = c.result_type(op, i)?;
        out.push(c.b.zeros(&ty));
    }
    Ok(out)
}

/// Eigenvalues (their parts for real matrices), left and right eigenvectors.
fn geev<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let [left, right] = ["compute_left", "compute_right"].map(|name| Ok::<_, Error>(letter(c, op, name)? == b'V'));
    let a = operand(x, 0)?;
    check_square(c, a)?;
    let (left, right) = (left?, right?);
    let real = !c.b.dtype(a).is_complex();
    let compute_v = match (left, right) {
        (true, _) => Eigenvectors::Both,
        (false, true) => Eigenvectors::Right,
        (false, false) => Eigenvectors::None,
    };
    let y = c.push(Eig { compute_v }, x)?;
    let mut out = match real {
        true => vec![c.one(Unary::Real, &[y[0]])?, c.one(Unary::Imag, &[y[0]])?],
        false => vec![y[0]],
    };
    let ty: Type = c.result_type(op, out.len())?;
    out.push(match left {
        true => y[1],
        false => c.b.zeros(&ty),
    });
    if right {
        out.push(y[y.len() - 1]);
    }
    results(c, op, &out)
}

/// The Schur form, the change of basis, and the eigenvalues (their parts for real matrices).
fn gees<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let a = operand(x, 0)?;
    check_square(c, a)?;
    if letter(c, op, "sort")? != b'N' {
        return Err(Error::new(
            ErrorKind::Unsupported,
            "eigenvalues in an order of one's own by `gees` are not supported",
        ));
    }
    let real = !c.b.dtype(a).is_complex();
    let y = whole(c, a, "gees", |b, a| {
        let mut y = if real { linalg::real_schur(b, a) } else { linalg::schur(b, a) };
        let values = if real { linalg::pairs(b, y[0]) } else { vec![linalg::diagonal(b, y[0])] };
        y.extend(values);
        y
    })?;
    results(c, op, &y)
}

/// A call of a function of all matrices of a stack.
fn whole(
    c: &mut Body<'_, '_, '_>,
    x: Var,
    name: &str,
    f: impl FnOnce(&mut Builder, Var) -> Vec<Var>,
) -> Result<Vec<Var>> {
    let rank = c.b.shape(x).rank();
    stacked(&mut c.b, &[x], &[rank], |types| {
        let mut b = Builder::new();
        let x = b.input(types[0].clone());
        let y = f(&mut b, x);
        b.finish(&y).with_name(name)
    })
}
