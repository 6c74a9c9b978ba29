//! Elementwise ops of one and two operands, and random bits.

use super::function::{Assignment, Body, unsupported};
use super::helpers::Helper;
use super::layout::{self, Expr};
use super::literal;
use crate::tree::Step;
use wengert_core::ops::{Binary, RngAlgorithm, RngBitGenerator, Unary};
use wengert_core::{DType, Result};

/// The function of two operands of this element type.
pub(super) fn binary_name(op: Binary, d: DType) -> String {
    let name = match op {
        // JAX has no sums and products of bools.
        Binary::Add | Binary::Max if d == DType::Bool => "bitwise_or",
        Binary::Mul | Binary::Min if d == DType::Bool => "bitwise_and",
        Binary::And => "bitwise_and",
        Binary::Or => "bitwise_or",
        Binary::Xor => "bitwise_xor",
        op => op.as_str(),
    };
    format!("lax.{name}")
}

impl Body<'_, '_> {
    pub(super) fn unary(&mut self, op: Unary, step: &Step) -> Expr {
        let complex = self.ty(step.operands[0]).dtype.is_complex();
        let name = match op {
            Unary::Real | Unary::Imag if !complex => format!("jnp.{}", op.as_str()),
            Unary::RoundEven => "lax.round".into(),
            Unary::Not => "lax.bitwise_not".into(),
            Unary::Popcnt => "lax.population_count".into(),
            op => format!("lax.{}", op.as_str()),
        };
        let mut x = self.variables(&step.operands);
        if op == Unary::RoundEven {
            x.push(Expr::atom("lax.RoundingMethod.TO_NEAREST_EVEN"));
        }
        Expr::call(name, x)
    }

    pub(super) fn binary(&mut self, op: Binary, step: &Step) -> Expr {
        let (d, x) = (self.ty(step.operands[0]).dtype, self.variables(&step.operands));
        if op == Binary::Pow && d.is_integer() {
            self.file.helper(Helper::Power);
            return Expr::call("power", x);
        }
        Expr::call(binary_name(op, d), x)
    }

    pub(super) fn rng_bit_generator(&mut self, op: &RngBitGenerator, step: &Step) -> Result<Assignment> {
        if self.ty(step.operands[0]).shape[0] != 2 {
            return Err(unsupported("rng_bit_generator", "the state of JAX's has two words"));
        }
        let algorithm = match op.algorithm {
            RngAlgorithm::Default => "DEFAULT",
            RngAlgorithm::ThreeFry => "THREE_FRY",
            RngAlgorithm::Philox => "PHILOX",
        };
        let (d, made) = (op.ty.dtype, unsigned(op.ty.dtype));
        let value = Expr::call(
            "lax.rng_bit_generator",
            [
                self.variable(step.operands[0]),
                Expr::numbers(op.ty.shape.iter()),
                literal::dtype(made),
                Expr::atom(format!("lax.RandomAlgorithm.RNG_{algorithm}")),
            ],
        );
        let (state, result) = (self.variable(step.results[0]), self.variable(step.results[1]));
        if d == made {
            return Ok(Assignment { target: Expr::Tuple(vec![state, result]), value });
        }
        let bits = Expr::atom(self.local("bits"));
        layout::assign(&mut self.text, 1, &Expr::Tuple(vec![state, bits.clone()]), &value);
        let value = Expr::call("lax.bitcast_convert_type", [bits, literal::dtype(d)]);
        Ok(Assignment { target: result, value })
    }
}

/// The integers without a sign of this size.
fn unsigned(d: DType) -> DType {
    match d {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        d => d,
    }
}
