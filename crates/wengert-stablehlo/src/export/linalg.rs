//! Decompositions of matrices: calls of LAPACK or cuSOLVER as JAX has them, and what is left to do with their results;
//! or, where there is no such library, their expansions.

use super::function::{Function, operands, types};
use super::text::{Joined, Signature, Symbol, Value};
use super::{Operand, Platform, Values};
use wengert_core::ops::*;
use wengert_core::{DType, Result, Shape, Type};
use wengert_expand::linalg::matrix;

/// A call of a library.
struct Library<'a> {
    target: String,
    config: String,
    x: &'a [Operand<'a>],
    /// Whether matrices are stored by columns.
    by_columns: bool,
    /// Whether the first result may take the place of the first operand.
    in_place: bool,
}

/// LAPACK's letter for an element type.
fn letter(d: DType) -> char {
    match d {
        DType::F32 => 's',
        DType::F64 => 'd',
        DType::C64 => 'c',
        _ => 'z',
    }
}

/// The order of the axes in memory, from the one that moves fastest.
fn layout(rank: usize, matrix: bool) -> String {
    let mut order: Vec<usize> = (0..rank).rev().collect();
    if matrix {
        order.swap(0, 1);
    }
    match order[..] {
        [] => "dense<> : tensor<0xindex>".into(),
        [one] => format!("dense<{one}> : tensor<1xindex>"),
        _ => format!("dense<[{}]> : tensor<{rank}xindex>", Joined(&order)),
    }
}

/// The type of a matrix (or vector) with the batch axes of another.
fn like(x: &Type, sizes: &[usize]) -> Type {
    let batch = &x.shape[..x.rank() - 2];
    x.with_shape(Shape::from([batch, sizes].concat()))
}

/// The type of the numbers that say whether a decomposition worked.
fn info(x: &Type) -> Type {
    like(x, &[]).with_dtype(DType::I32)
}

/// Whether no library decomposes matrices of this type: those of short floats, and empty ones.
fn no_library(x: &Type) -> bool {
    matches!(x.dtype, DType::F16 | DType::BF16) || x.shape.size() == 0
}

impl Function<'_> {
    /// Whether the platform may have no libraries at all.
    fn is_portable(&self) -> bool {
        self.module.options.platform == Platform::Portable
    }

    fn library(&mut self, call: Library<'_>, y: &[&Type]) -> Values {
        let batch = call.x[0].ty.rank() - 2;
        let layouts = |types: &[&Type]| {
            let one = |t: &&Type| layout(t.rank(), call.by_columns && t.rank() == batch + 2);
            Joined(types.iter().map(one).collect::<Vec<_>>()).to_string()
        };
        let (values, from) = (operands(call.x), types(call.x));
        let aliases = match (call.in_place, y.len()) {
            (false, _) => String::new(),
            (true, n) => format!(
                "output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [{}], \
                 operand_index = 0, operand_tuple_indices = []>], ",
                if n > 1 { "0" } else { "" }
            ),
        };
        self.many(
            y.len(),
            format_args!(
                "stablehlo.custom_call {}({values}) {{api_version = 4 : i32, backend_config = {{{}}}, \
                 operand_layouts = [{}], {aliases}result_layouts = [{}]}} : {}",
                Symbol(&call.target),
                call.config,
                layouts(&from),
                layouts(y),
                Signature(&from, y)
            ),
        )
    }

    pub(super) fn cholesky(&mut self, op: &Cholesky, x: Operand<'_>) -> Result<Values> {
        if no_library(x.ty) {
            return self.expanded(op.clone(), &[x]);
        }
        let platform = self.module.options.platform;
        if platform == Platform::Portable {
            let l = self.short("cholesky", &[x], format_args!(", lower = {}", op.lower), x.ty)[0];
            let y = self.inline(&matrix::triangle(x.ty, op.lower), &[l])?;
            return self.inline(&matrix::nan_throughout(x.ty), &y);
        }
        let uplo = if op.lower { 'L' } else { 'U' } as u32;
        let (target, config) = match platform {
            Platform::Cpu => (format!("lapack_{}potrf_ffi", letter(x.ty.dtype)), format!("uplo = {uplo} : ui8")),
            _ => ("cusolver_potrf_ffi".into(), format!("lower = {}", op.lower)),
        };
        let info = info(x.ty);
        let call = Library { target, config, x: &[x], by_columns: true, in_place: true };
        let z = self.library(call, &[x.ty, &info]);
        let y = self.inline(&matrix::triangle(x.ty, op.lower), &[z[0]])?[0];
        self.inline(&matrix::or_nan(&info, Direction::Eq, &[x.ty]), &[z[1], y])
    }

    pub(super) fn lu(&mut self, op: &Lu, x: Operand<'_>, y: &[&Type]) -> Result<Values> {
        if no_library(x.ty) || self.is_portable() {
            return self.expanded(op.clone(), &[x]);
        }
        let (platform, counted) = (self.module.options.platform, &y[1..]);
        let target = match platform {
            Platform::Cpu => format!("lapack_{}getrf_ffi", letter(x.ty.dtype)),
            _ => "cusolver_getrf_ffi".into(),
        };
        let info = info(x.ty);
        let call = Library { target, config: String::new(), x: &[x], by_columns: true, in_place: true };
        let z = self.library(call, &[x.ty, counted[0], &info]);
        let lu = self.inline(&matrix::or_nan(&info, Direction::Ge, &[x.ty]), &[z[2], z[0]])?[0];
        let pivots = self.inline(&matrix::from_zero(counted[0]), &[z[1]])?[0];
        let order = match platform {
            Platform::Cuda => {
                let pivots = Operand { value: pivots, ty: counted[0] };
                let text = format!(
                    "stablehlo.custom_call @cu_lu_pivots_to_permutation({}) {{api_version = 4 : i32, \
                     backend_config = {{}}}} : {}",
                    pivots.value,
                    Signature(&[pivots.ty], &[counted[1]])
                );
                self.one(format_args!("{text}"))
            }
            _ => {
                let program = matrix::permutation(counted[0], counted[1]).into();
                self.call(&program, "lu_permutation", &[Operand { value: pivots, ty: counted[0] }])[0]
            }
        };
        Ok(Values::from_slice(&[lu, pivots, order]))
    }

    pub(super) fn qr(&mut self, op: &Qr, x: Operand<'_>, y: &[&Type]) -> Result<Values> {
        if no_library(x.ty) || self.is_portable() {
            return self.expanded(op.clone(), &[x]);
        }
        let platform = self.module.options.platform;
        let d = x.ty.dtype;
        let [m, n] = [x.ty.shape[x.ty.rank() - 2], x.ty.shape[x.ty.rank() - 1]];
        let group = if d.is_complex() { "un" } else { "or" };
        let (factor, product) = match platform {
            Platform::Cpu => (format!("lapack_{}geqrf_ffi", letter(d)), format!("lapack_{}{group}gqr_ffi", letter(d))),
            _ => ("cusolver_geqrf_ffi".into(), "cusolver_orgqr_ffi".into()),
        };
        let scales = like(x.ty, &[m.min(n)]);
        let call = |target, x| Library { target, config: String::new(), x, by_columns: true, in_place: true };
        let one = [x];
        let z = self.library(call(factor, &one), &[x.ty, &scales]);
        // The reflections are columns; as many as q has, whatever stands in the others.
        let reflections = self.inline(&matrix::resized(x.ty, y[0]), &[z[0]])?[0];
        let both = [Operand { value: reflections, ty: y[0] }, Operand { value: z[1], ty: &scales }];
        let q = self.library(call(product, &both), &[y[0]])[0];
        let r = self.inline(&matrix::resized(x.ty, y[1]), &[z[0]])?[0];
        let r = self.inline(&matrix::triangle(y[1], false), &[r])?[0];
        Ok(Values::from_slice(&[q, r]))
    }

    pub(super) fn svd(&mut self, op: &Svd, x: Operand<'_>, y: &[&Type]) -> Result<Values> {
        if no_library(x.ty) || self.is_portable() {
            return self.expanded(op.clone(), &[x]);
        }
        let platform = self.module.options.platform;
        let d = x.ty.dtype;
        let [m, n] = [x.ty.shape[x.ty.rank() - 2], x.ty.shape[x.ty.rank() - 1]];
        let k = m.min(n);
        let info = info(x.ty);
        let s = like(x.ty, &[k]).with_dtype(d.real());
        let full = op.full_matrices;
        let (z, u, vh): (Values, Type, Type) = if platform == Platform::Cpu {
            let mode = if !op.compute_uv { 'N' } else { if full { 'A' } else { 'S' } } as u32;
            let (u, vh) = (like(x.ty, &[m, if full { m } else { k }]), like(x.ty, &[if full { n } else { k }, n]));
            let (target, config) = (format!("lapack_{}gesdd_ffi", letter(d)), format!("mode = {mode} : ui8"));
            let call = Library { target, config, x: &[x], by_columns: true, in_place: true };
            (self.library(call, &[x.ty, &s, &u, &vh, &info]), u, vh)
        } else if m <= 1024 && n <= 1024 {
            // By Jacobi's method, which gives v and not its adjoint, and for small matrices all of it.
            let short = !full && m > 32 && n > 32;
            let (u, v) = (like(x.ty, &[m, if short { k } else { m }]), like(x.ty, &[n, if short { k } else { n }]));
            let config = format!("compute_uv = {}, full_matrices = {}", op.compute_uv, !short);
            let target = "cusolver_gesvdj_ffi".into();
            let call = Library { target, config, x: &[x], by_columns: true, in_place: true };
            let mut z = self.library(call, &[x.ty, &s, &u, &v, &info]);
            let vh = like(x.ty, &[v.shape[v.rank() - 1], n]);
            if op.compute_uv {
                z[3] = self.inline(&matrix::adjoint(&v), &[z[3]])?[0];
            }
            (z, u, vh)
        } else {
            // The library wants no fewer rows than columns: the same memory read by rows is the transpose.
            let turned = m < n;
            let (u, vh) = match op.compute_uv {
                true => (y[0].clone(), y[2].clone()),
                false => (Type::scalar(d), Type::scalar(d)),
            };
            let config = format!("compute_uv = {}, full_matrices = {full}, transposed = {turned}", op.compute_uv);
            let target = "cusolver_gesvd_ffi".into();
            let call = Library { target, config, x: &[x], by_columns: !turned, in_place: true };
            let (first, second) = if turned { (&vh, &u) } else { (&u, &vh) };
            let mut z = self.library(call, &[x.ty, &s, first, second, &info]);
            if turned {
                z.swap(2, 3);
            }
            (z, u, vh)
        };
        let names = if op.compute_uv { vec![(z[2], &u), (z[1], &s), (z[3], &vh)] } else { vec![(z[1], &s)] };
        let mut parts: Vec<Value> = vec![z[4]];
        for ((value, from), &to) in names.iter().zip(y) {
            parts.push(self.inline(&matrix::resized(from, to), &[*value])?[0]);
        }
        self.inline(&matrix::or_nan(&info, Direction::Eq, y), &parts)
    }

    pub(super) fn eigh(&mut self, op: &Eigh, x: Operand<'_>, y: &[&Type]) -> Result<Values> {
        if no_library(x.ty) || self.is_portable() {
            return self.expanded(op.clone(), &[x]);
        }
        let platform = self.module.options.platform;
        let d = x.ty.dtype;
        let kind = if d.is_complex() { "he" } else { "sy" };
        let uplo = if op.lower { 'L' } else { 'U' } as u32;
        let (target, config) = match platform {
            Platform::Cpu => {
                let target = format!("lapack_{}{kind}evd_ffi", letter(d));
                (target, format!("mode = {} : ui8, uplo = {uplo} : ui8", 'V' as u32))
            }
            _ => ("cusolver_syevd_ffi".into(), format!("algorithm = 0 : ui8, lower = {}", op.lower)),
        };
        let info = info(x.ty);
        let call = Library { target, config, x: &[x], by_columns: true, in_place: true };
        let z = self.library(call, &[y[1], y[0], &info]);
        self.inline(&matrix::or_nan(&info, Direction::Eq, y), &[z[2], z[1], z[0]])
    }

    pub(super) fn eig(&mut self, op: &Eig, x: Operand<'_>, y: &[&Type]) -> Result<Values> {
        // GPUs have no library for it either; JAX calls the host's through Python.
        if no_library(x.ty) || self.module.options.platform != Platform::Cpu {
            return self.expanded(op.clone(), &[x]);
        }
        let d = x.ty.dtype;
        let letter_if = |wanted: bool| if wanted { 'V' } else { 'N' } as u32;
        let [left, right] = [op.compute_v == Eigenvectors::Both, op.compute_v != Eigenvectors::None].map(letter_if);
        let config = format!("compute_left = {left} : ui8, compute_right = {right} : ui8");
        let target = format!("lapack_{}geev_ffi", letter(d));
        let (w, info) = (y[0], info(x.ty));
        let v = x.ty.with_dtype(w.dtype);
        let part = w.with_dtype(w.dtype.real());
        let call = Library { target, config, x: &[x], by_columns: true, in_place: false };
        let (values, [left, right, failed]) = match d.is_complex() {
            true => {
                let z = self.library(call, &[w, &v, &v, &info]);
                (z[0], [z[1], z[2], z[3]])
            }
            false => {
                let z = self.library(call, &[&part, &part, &v, &v, &info]);
                let parts = [z[0], z[1]].map(|value| Operand { value, ty: &part });
                (self.binary(Binary::Complex, &parts, w)?[0], [z[2], z[3], z[4]])
            }
        };
        let vectors = match op.compute_v {
            Eigenvectors::None => vec![],
            Eigenvectors::Right => vec![right],
            Eigenvectors::Both => vec![left, right],
        };
        let parts = [vec![failed, values], vectors].concat();
        self.inline(&matrix::or_nan(&info, Direction::Eq, y), &parts)
    }
}
