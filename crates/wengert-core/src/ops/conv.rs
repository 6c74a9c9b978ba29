//! Convolution: products summed over a window that moves over the spatial axes, and over the input features.

use super::window::WindowAxis;
use super::{Reverse, check};
use crate::attributes;
use crate::builder::Builder;
use crate::error::{Error, Result};
use crate::op::{Linearity, Rules};
use crate::program::Var;
use crate::transform::{Batched, Batcher, Operand};
use crate::types::{Dims, Shape, Type};

attributes! {
    /// The general convolution `conv(lhs, rhs)`: the kernel `rhs` moves over `lhs`, dilated and padded with zeros.
    "convolution" => pub struct Convolution {
        /// The axes of the left operand: batch, feature, then the spatial ones.
        pub lhs: Dims,
        /// The axes of the kernel: output feature, input feature, then the spatial ones.
        pub rhs: Dims,
        /// The axes of the result: batch, feature, then the spatial ones.
        pub out: Dims,
        /// The steps of the window, one for each spatial axis; so are the lists that follow.
        pub strides: Dims,
        /// Zeros put before and after; negative numbers take elements away.
        pub padding: Vec<(i64, i64)>,
        /// The distance between neighbouring elements of the left operand, zeros in between.
        pub lhs_dilation: Dims,
        /// The distance between neighbouring elements of the kernel, zeros in between.
        pub rhs_dilation: Dims,
        /// Whether the kernel is turned around.
        pub reversal: Vec<bool>,
        /// The features of both sides are cut in this many groups, and each group convolved by itself.
        pub feature_groups: usize,
        /// The same with the batch of the left side and the features of the kernel.
        pub batch_groups: usize,
    }
}

impl Convolution {
    /// How the window moves along each spatial axis, for a kernel of this shape.
    pub fn windows(&self, rhs: &Shape) -> Vec<WindowAxis> {
        let axis = |i: usize| WindowAxis {
            size: rhs[self.rhs[i + 2]],
            stride: self.strides[i],
            padding: self.padding[i],
            base_dilation: self.lhs_dilation[i],
            window_dilation: self.rhs_dilation[i],
        };
        (0..self.strides.len()).map(axis).collect()
    }

    /// The same convolution with windows that move as said.
    fn with_windows(&self, windows: &[WindowAxis]) -> Convolution {
        Convolution {
            strides: windows.iter().map(|w| w.stride).collect(),
            padding: windows.iter().map(|w| w.padding).collect(),
            lhs_dilation: windows.iter().map(|w| w.base_dilation).collect(),
            rhs_dilation: windows.iter().map(|w| w.window_dilation).collect(),
            ..self.clone()
        }
    }

    fn groups(&self) -> usize {
        self.feature_groups.max(self.batch_groups)
    }

    /// The cotangent of the left operand: the cotangent convolved with the turned kernel, the roles of stride and
    /// dilation exchanged.
    fn back_to_lhs(&self, b: &mut Builder, ty: &Type, rhs: Var, ct: Var) -> Var {
        let windows: Vec<WindowAxis> = (self.windows(b.shape(rhs)).iter().enumerate())
            .map(|(i, w)| w.adjoint(ty.shape[self.lhs[i + 2]]))
            .collect();
        let mut swapped = self.rhs.clone();
        swapped.swap(0, 1);
        // The kernel's groups are of its output features, which are input features now.
        let groups = self.groups();
        let rhs = move_groups(b, rhs, groups, self.rhs[0], self.rhs[1]);
        let back = Convolution {
            lhs: self.out.clone(),
            rhs: swapped,
            out: self.lhs.clone(),
            reversal: self.reversal.iter().map(|r| !r).collect(),
            feature_groups: groups,
            batch_groups: 1,
            ..self.with_windows(&windows)
        };
        let g = b.one(back, &[ct, rhs]);
        // Groups of the batch came out as groups of features.
        move_groups(b, g, self.batch_groups, self.lhs[1], self.lhs[0])
    }

    /// The cotangent of the kernel: the left operand convolved with the cotangent, the roles of batch and feature
    /// exchanged, and those of stride and kernel dilation.
    fn back_to_rhs(&self, b: &mut Builder, ty: &Type, lhs: Var, ct: Var) -> Var {
        let windows: Vec<WindowAxis> = (self.windows(&ty.shape).iter().enumerate())
            .map(|(i, w)| w.exchanged(b.shape(lhs)[self.lhs[i + 2]]))
            .collect();
        let swap = |d: &Dims| {
            let mut d = d.clone();
            d.swap(0, 1);
            d
        };
        let back = Convolution {
            lhs: swap(&self.lhs),
            rhs: swap(&self.out),
            out: swap(&self.rhs),
            reversal: vec![false; windows.len()],
            feature_groups: self.batch_groups,
            batch_groups: self.feature_groups,
            ..self.with_windows(&windows)
        };
        let g = b.one(back, &[lhs, ct]);
        let dims: Dims = (0..windows.len()).filter(|&i| self.reversal[i]).map(|i| self.rhs[i + 2]).collect();
        if dims.is_empty() { g } else { b.one(Reverse { dims }, &[g]) }
    }
}

/// Axis `at` cut in two, the first of size `outer`.
fn split_axis(b: &mut Builder, x: Var, at: usize, outer: usize) -> Var {
    let mut shape = b.shape(x).clone();
    shape.0[at] /= outer;
    b.reshape(x, &shape.with_axis(at, outer))
}

/// Axis `from` made the outer part of the axis that is `to` once `from` is gone.
fn merge_axis(b: &mut Builder, x: Var, from: usize, to: usize) -> Var {
    let x = b.move_axis(x, from, to);
    let mut shape = b.shape(x).clone();
    let outer = shape.0.remove(to);
    shape.0[to] *= outer;
    b.reshape(x, &shape)
}

/// The groups that are the outer part of axis `from` made the outer part of axis `to`.
fn move_groups(b: &mut Builder, x: Var, groups: usize, from: usize, to: usize) -> Var {
    if groups == 1 {
        return x;
    }
    let x = split_axis(b, x, from, groups);
    merge_axis(b, x, from, to)
}

/// The leading axis made a part of axis `to` of the rest, inside the groups that axis has.
fn merge_inside_groups(b: &mut Builder, x: Var, groups: usize, to: usize) -> Var {
    if groups == 1 {
        return merge_axis(b, x, 0, to);
    }
    let x = split_axis(b, x, to + 1, groups);
    let x = merge_axis(b, x, 0, to + 1);
    merge_axis(b, x, to, to)
}

impl Rules for Convolution {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [l, r] = check::operands("convolution", x)?;
        if l.dtype != r.dtype {
            return Err(Error::dtype(format!("`convolution` needs operands of one element type, and got {l} and {r}")));
        }
        check::that(l.rank() == r.rank() && l.rank() >= 2, || {
            format!("`convolution` needs operands with as many axes, at least batch and feature, and got {l} and {r}")
        })?;
        for (what, axes) in [("left", &self.lhs), ("kernel", &self.rhs), ("result", &self.out)] {
            check::that(axes.len() == l.rank(), || {
                format!("`convolution` needs all {} axes of the {what} side named, and got {}", l.rank(), axes.len())
            })?;
            check::axes("convolution", "axis", axes, l.rank())?;
        }
        let spatial = l.rank() - 2;
        let lists = [
            ("strides", self.strides.len()),
            ("padding", self.padding.len()),
            ("lhs_dilation", self.lhs_dilation.len()),
            ("rhs_dilation", self.rhs_dilation.len()),
            ("reversal", self.reversal.len()),
        ];
        for (what, n) in lists {
            check::that(n == spatial, || {
                format!("`convolution` has {spatial} spatial axes, and {n} entries in `{what}`")
            })?;
        }
        let (fg, bg) = (self.feature_groups, self.batch_groups);
        check::that(fg >= 1 && bg >= 1 && (fg == 1 || bg == 1), || {
            format!("`convolution` takes one kind of groups, and got {fg} of features and {bg} of the batch")
        })?;
        let (batch, feature) = (l.shape[self.lhs[0]], l.shape[self.lhs[1]]);
        let (out_feature, in_feature) = (r.shape[self.rhs[0]], r.shape[self.rhs[1]]);
        check::that(in_feature.checked_mul(fg) == Some(feature), || {
            format!("`convolution` of {l} has {feature} features, and the kernel {r} takes {in_feature} in {fg} groups")
        })?;
        check::that(out_feature % fg == 0 && out_feature % bg == 0, || {
            format!("`convolution`: the {out_feature} features of the kernel can't be cut in {} groups", fg.max(bg))
        })?;
        check::that(batch % bg == 0, || format!("`convolution`: the batch of {batch} can't be cut in {bg} groups"))?;
        let mut shape = Shape(Dims::from_elem(0, l.rank()));
        shape.0[self.out[0]] = batch / bg;
        shape.0[self.out[1]] = out_feature;
        for (i, w) in self.windows(&r.shape).iter().enumerate() {
            shape.0[self.out[i + 2]] = w.check("convolution", l.shape[self.lhs[i + 2]])?;
        }
        Ok(vec![l.with_shape(shape)])
    }

    fn linearity(&self) -> Linearity {
        Linearity::Each(|_| true)
    }

    fn transpose(&self, b: &mut Builder, x: &[Operand], ct: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        // A result without elements moves nothing, and would make a kernel without elements.
        let Some(ct) = ct[0].filter(|&ct| b.shape(ct).size() > 0) else { return Ok(vec![None, None]) };
        Ok(match (&x[0], &x[1]) {
            (Operand::Linear(ty), r) => vec![Some(self.back_to_lhs(b, ty, r.known(), ct)), None],
            (l, Operand::Linear(ty)) => vec![None, Some(self.back_to_rhs(b, ty, l.known(), ct))],
            _ => vec![None, None],
        })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let [l, r] = [x[0], x[1]];
        let n = b.size;
        if n == 0 {
            let [lt, rt] = [l, r].map(|x| {
                let ty = b.ty(x.var);
                if x.batched { ty.with_shape(ty.shape.without_axes(&[0])) } else { ty.clone() }
            });
            let out = self.infer(&[lt, rt])?.remove(0);
            let zeros = b.zeros(&out.with_shape(out.shape.with_axis(0, 0)));
            return Ok(vec![Batched::yes(zeros)]);
        }
        let mut op = self.clone();
        let groups = self.groups();
        // The batch becomes the outer part of an axis: of the groups if both sides have it, else of the axis of the one
        // side that is kept in the result, inside its groups.
        let (lhs, rhs, at) = match (l.batched, r.batched) {
            (true, true) => {
                let grouped = if self.batch_groups > 1 { 0 } else { 1 };
                *(if self.batch_groups > 1 { &mut op.batch_groups } else { &mut op.feature_groups }) *= n;
                (merge_axis(b, l.var, 0, self.lhs[grouped]), merge_axis(b, r.var, 0, self.rhs[0]), self.out[1])
            }
            (true, false) => (merge_inside_groups(b, l.var, self.batch_groups, self.lhs[0]), r.var, self.out[0]),
            (false, _) => (l.var, merge_inside_groups(b, r.var, groups, self.rhs[0]), self.out[1]),
        };
        let y = b.one(op, &[lhs, rhs]);
        let y = if l.batched || groups == 1 {
            let y = split_axis(b, y, at, n);
            b.move_axis(y, at, 0)
        } else {
            // The features come as groups, batch, rest.
            let y = split_axis(b, y, at, groups);
            let y = split_axis(b, y, at + 1, n);
            let y = b.move_axis(y, at + 1, 0);
            merge_axis(b, y, at + 1, at + 1)
        };
        Ok(vec![Batched::yes(y)])
    }
}
