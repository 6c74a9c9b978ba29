//! Random bits. Both ops are functions of their operands: the same key gives the same bits.

use super::check;
use super::control::Scan;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::transform::{Batched, Batcher};
use crate::types::{DType, Type};
use crate::{attributes, named_attr, names};
use std::sync::Arc;

attributes! {
    /// `threefry2x32(key0, key1, count0, count1)`: the two words each pair of counts becomes under its key, by twenty
    /// rounds of Threefry.
    "threefry2x32" => pub struct Threefry {}
}

impl Rules for Threefry {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [word, ..] = check::operands::<4>("threefry2x32", x)?;
        check::same_types("threefry2x32", x)?;
        check::dtype("threefry2x32", word.dtype, "u32", word.dtype == DType::U32)?;
        Ok(vec![word.clone(), word.clone()])
    }

    fn elementwise(&self) -> bool {
        true
    }
}

names! {
    /// How bits are made from a state.
    pub enum RngAlgorithm {
        /// The choice of the backend.
        Default = "default",
        /// Threefry 2x32.
        ThreeFry = "three_fry",
        /// Philox 4x32.
        Philox = "philox",
    }
}
named_attr!(RngAlgorithm);

attributes! {
    /// The state after, and as many random bits as an array of the type holds. A state is a key, then a counter of one
    /// word, or of two for Philox.
    "rng_bit_generator" => pub struct RngBitGenerator {
        /// How the bits are made.
        pub algorithm: RngAlgorithm,
        /// The type of the array of bits.
        pub ty: Type,
    }
}

impl Rules for RngBitGenerator {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [state] = check::operands("rng_bit_generator", x)?;
        let most = if self.algorithm == RngAlgorithm::ThreeFry { 2 } else { 3 };
        check::that(state.dtype == DType::U64 && state.rank() == 1 && (2..=most).contains(&state.shape[0]), || {
            format!("`rng_bit_generator` takes a state of type u64[2] (or u64[3] for philox), and got {state}")
        })?;
        check::dtype("rng_bit_generator", self.ty.dtype, "integers to fill", self.ty.dtype.is_integer())?;
        Ok(vec![state.clone(), self.ty.clone()])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        // Each lane has its own state, so each is its own call.
        let mut inner = Builder::new();
        let state = b.ty(x[0].var);
        let state = inner.input(state.with_shape(state.shape.without_axes(&[0])));
        let y = inner.push(self.clone(), &[state]);
        let body = Arc::new(inner.finish(&y));
        let scan = Scan { length: b.size, consts: 0, carries: 0, reverse: false, body };
        Ok(b.push(scan, &[x[0].var]).iter().map(|&v| Batched::yes(v)).collect())
    }
}
