//! Convolutions.

use super::function::{Function, operands, types};
use super::text::{List, Signature, rows};
use super::{Operand, Platform, Precision, Values};
use std::fmt::{self, Display, Formatter};
use wengert_core::Type;
use wengert_core::ops::Convolution;

impl Function<'_> {
    /// Whether numbers are convolved by their parts: the library of GPUs knows floats only.
    pub(super) fn convolves_parts(&self, x: &Type) -> bool {
        (x.dtype.is_complex() || x.dtype.is_integer()) && self.module.options.platform != Platform::Cpu
    }

    pub(super) fn convolution(&mut self, op: &Convolution, x: &[Operand<'_>], y: &Type) -> Values {
        if self.module.options.platform != Platform::Cpu && op.reversal.contains(&true) {
            return self.backward_convolution(op, x, y);
        }
        let (sides, from) = (operands(x), types(x));
        let dims = format!("{}x{}->{}", Axes(&op.lhs, "bf"), Axes(&op.rhs, "oi"), Axes(&op.out, "bf"));
        let mut pad = String::new();
        rows(&mut pad, &op.padding).expect("a string");
        let window = format!(
            "stride = {}, pad = {pad}, lhs_dilate = {}, rhs_dilate = {}, reverse = {}",
            List(&op.strides),
            List(&op.lhs_dilation),
            List(&op.rhs_dilation),
            List(&op.reversal),
        );
        let mut attributes =
            format!("batch_group_count = {} : i64, feature_group_count = {} : i64", op.batch_groups, op.feature_groups);
        if self.module.options.precision == Precision::Highest {
            attributes += ", precision_config = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGHEST>]";
        }
        self.many(
            1,
            format_args!(
                "stablehlo.convolution({sides}) dim_numbers = {dims}, window = {{{window}}} {{{attributes}}} : {}",
                Signature(&from, &[y])
            ),
        )
    }

    /// A convolution whose kernel is reversed by an op of its own. Only so does XLA know the gradient of a convolution in
    /// its input, for which GPUs have faster kernels.
    fn backward_convolution(&mut self, op: &Convolution, x: &[Operand<'_>], y: &Type) -> Values {
        let reversed = op.rhs[2..].iter().zip(&op.reversal).filter(|(_, reversed)| **reversed);
        let mut dims: Vec<usize> = reversed.map(|(axis, _)| *axis).collect();
        dims.sort();
        let kernel = self.short("reverse", &x[1..], format_args!(", dims = {}", List(&dims)), x[1].ty)[0];
        let forward = Convolution { reversal: op.reversal.iter().map(|_| false).collect(), ..op.clone() };
        self.convolution(&forward, &[x[0], Operand { value: kernel, ty: x[1].ty }], y)
    }
}

/// What each axis of a convolution's operand is: `[b, 0, 1, f]`.
struct Axes<'a>(&'a [usize], &'static str);

impl Display for Axes<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut roles = vec![String::new(); self.0.len()];
        for (i, &axis) in self.0.iter().enumerate() {
            roles[axis] = match i {
                0 | 1 => self.1[i..i + 1].to_string(),
                spatial => (spatial - 2).to_string(),
            };
        }
        List(&roles).fmt(f)
    }
}
