//! Products, convolutions, transforms and solves.

use super::body::{Body, Handler};
use super::elementwise::operand;
use super::fields::Fields;
use crate::syntax::{Attr, Operation};
use wengert_core::ops::*;
use wengert_core::{DType, Dims, Error, ErrorKind, Op, Result, Var, Vars};

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "dot_general" => |c, op, x| {
            let d = c.fields(op).part("dot_dimension_numbers")?;
            let pair = |kind: &str| {
                let dims = |side| d.dims_or_none(&format!("{side}_{kind}_dimensions"));
                Ok::<_, Error>((dims("lhs")?, dims("rhs")?))
            };
            widened(c, op, x, DotGeneral { contract: pair("contracting")?, batch: pair("batching")? }.into())
        },
        "dot" => |c, op, x| {
            let last = c.b.shape(operand(x, 0)?).rank().saturating_sub(1);
            let contract = ([last].as_slice().into(), [0].as_slice().into());
            widened(c, op, x, DotGeneral { contract, batch: Default::default() }.into())
        },
        "convolution" => |c, op, x| convolution(c, op, x, None),
        "fft" => |c, op, x| {
            let f = c.fields(op);
            let kind = f.choice("fft_type", "a Fourier transform")?;
            c.push(Fft { kind, lengths: f.dims("fft_length")? }, x)
        },
        "cholesky" => |c, op, x| c.push(Cholesky { lower: c.fields(op).flag_or("lower", false)? }, x),
        "triangular_solve" => |c, op, x| {
            let f = c.fields(op);
            let transpose_a = f.choice("transpose_a", "a way to transpose")?;
            let solve = TriangularSolve {
                left_side: f.flag("left_side")?,
                lower: f.flag("lower")?,
                unit_diagonal: f.flag("unit_diagonal")?,
                transpose_a,
            };
            c.push(solve, x)
        },
        "rng_bit_generator" => |c, op, x| {
            let algorithm = c.fields(op).choice("rng_algorithm", "a generator")?;
            let ty = c.result_type(op, 1)?;
            if !ty.dtype.is_integer() {
                let m = format!("`{}` that gives {ty} is not supported: bits are integers here", op.name);
                return Err(Error::new(ErrorKind::Unsupported, m));
            }
            c.push(RngBitGenerator { algorithm, ty }, x)
        },
        _ => return None,
    })
}

/// A product whose result may have another element type than its operands: done in the widest of them.
pub(super) fn widened<'a>(c: &mut Body<'_, '_, 'a>, op: &Operation<'a>, x: &[Var], product: Op) -> Result<Vars> {
    let result = c.result_type(op, 0)?.dtype;
    let (a, b) = (operand(x, 0)?, operand(x, 1)?);
    let wide = c.b.dtype(a).promote(c.b.dtype(b)).promote(result);
    // Sums of small numbers are kept in 32 bits where the result is short.
    let wide = if result == DType::F16 && wide == DType::BF16 { DType::F32 } else { wide };
    let (a, b) = (c.b.convert(a, wide), c.b.convert(b, wide));
    let y = c.one(product, &[a, b])?;
    Ok([c.b.convert(y, result)].as_slice().into())
}

/// The axes of one side: those with these two names, then the spatial ones in order.
fn axes(f: &Fields<'_, '_>, side: usize, first: &str, second: &str) -> Result<Dims> {
    let malformed = || Error::new(ErrorKind::Text, "the attribute `dimension_numbers` names each axis once");
    let Some(Attr::List(sides)) = f.get("dimension_numbers") else { return Err(malformed()) };
    let Some(Attr::List(labels)) = sides.get(side) else { return Err(malformed()) };
    let find = |wanted: &dyn Fn(&Attr<'_>) -> bool| labels.iter().position(wanted).ok_or_else(malformed);
    let mut out = Dims::new();
    for name in [first, second] {
        out.push(find(&|a| matches!(a, Attr::Word(w) if *w == name))?);
    }
    for i in 0..labels.len() - 2 {
        out.push(find(&|a| matches!(a, Attr::Int(n) if *n == i as i128))?);
    }
    Ok(out)
}

/// A convolution, padded as its attribute says unless that is given.
pub(super) fn convolution<'m, 'a>(
    c: &mut Body<'_, 'm, 'a>,
    op: &'m Operation<'a>,
    x: &[Var],
    padding: Option<Vec<(i64, i64)>>,
) -> Result<Vars> {
    let f = c.fields(op);
    let lhs = axes(&f, 0, "b", "f")?;
    let n = lhs.len() - 2;
    let reversal = f.ints("window_reversal")?.map_or(vec![false; n], |r| r.iter().map(|&n| n != 0).collect());
    let convolution = Convolution {
        lhs,
        rhs: axes(&f, 1, "o", "i")?,
        out: axes(&f, 2, "b", "f")?,
        strides: f.each("window_strides", n, 1)?,
        padding: padding.map_or_else(|| f.padding("padding", n), Ok)?,
        lhs_dilation: f.each("lhs_dilation", n, 1)?,
        rhs_dilation: f.each("rhs_dilation", n, 1)?,
        reversal,
        feature_groups: f.size("feature_group_count")?,
        batch_groups: f.size("batch_group_count")?,
    };
    widened(c, op, x, convolution.into())
}
