//! Constants, and ops that move elements or contract them without a program: attributes and little else.

use super::function::{Function, operands, types};
use super::literal::{Dense, repeated};
use super::text::{List, Short, Signature, Ty, Value, rows};
use super::{Operand, Platform, Precision, Values};
use std::fmt::{self, Display, Formatter};
use wengert_core::ops::*;
use wengert_core::{Element, Tensor, Type};

impl Function<'_> {
    pub(super) fn constant(&mut self, t: &Tensor) -> Value {
        let y = self.one(format_args!("stablehlo.constant {} : {}", Dense(t), Ty(&t.ty())));
        if t.shape().rank() == 0
            && let Some(n) = t.get(0).as_i64()
        {
            self.ranges.insert(y, (n, n));
        }
        if let Some(value) = repeated(t) {
            self.repeated.insert(y, Tensor::splat(t.shape().clone(), value));
        }
        y
    }

    /// A scalar constant.
    pub(super) fn scalar<T: Element>(&mut self, x: T) -> Value {
        self.constant(&Tensor::scalar(x))
    }

    /// `stablehlo.name x, y, … : types`, with text after the operands.
    pub(super) fn plain(&mut self, name: &str, x: &[Operand<'_>], more: impl Display, y: &[&Type]) -> Values {
        let (values, from) = (operands(x), types(x));
        self.many(y.len(), format_args!("stablehlo.{name} {values}{more} : {}", Signature(&from, y)))
    }

    /// The same where the types are said in short if they are all one.
    pub(super) fn short(&mut self, name: &str, x: &[Operand<'_>], more: impl Display, y: &Type) -> Values {
        let (values, from, y) = (operands(x), types(x), [y]);
        self.many(1, format_args!("stablehlo.{name} {values}{more} : {}", Short(Signature(&from, &y))))
    }

    pub(super) fn dot_general(&mut self, op: &DotGeneral, x: &[Operand<'_>], y: &Type) -> Values {
        let ((lc, rc), (lb, rb)) = (&op.contract, &op.batch);
        let mut more = String::new();
        if !lb.is_empty() {
            more += &format!(", batching_dims = {} x {}", List(lb), List(rb));
        }
        more += &format!(", contracting_dims = {} x {}", List(lc), List(rc));
        if self.module.options.precision == Precision::Highest {
            more += ", precision = [HIGHEST, HIGHEST]";
        }
        self.plain("dot_general", x, more, &[y])
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

/// Along each axis `start:limit`, or `start:limit:stride`.
pub(super) struct Ranges<'a>(pub &'a Slice);

impl Display for Ranges<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Slice { start, limit, strides } = self.0;
        let range = |i: usize| match strides[i] {
            1 => format!("{}:{}", start[i], limit[i]),
            stride => format!("{}:{}:{stride}", start[i], limit[i]),
        };
        write!(f, " {}", List(&(0..start.len()).map(range).collect::<Vec<_>>()))
    }
}
