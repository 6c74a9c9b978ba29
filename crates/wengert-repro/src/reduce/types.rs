//! Element types that become narrower through the whole program at once: floats and complex numbers of half the width, integers
//! of 32 bits.

use super::Reducer;
use super::edit::TypeChange;
use wengert_core::ops::OutOfBounds;
use wengert_core::{Builder, DType, Op, Scalar, Tensor, Type};

/// What may become what.
const NARROWER: [(DType, DType); 7] = [
    (DType::F64, DType::F32),
    (DType::C128, DType::C64),
    (DType::I64, DType::I32),
    (DType::U64, DType::U32),
    (DType::F16, DType::F32),
    (DType::BF16, DType::F32),
    (DType::C64, DType::F32),
];

pub(super) fn types(r: &mut Reducer<'_>) {
    for (from, to) in NARROWER {
        let candidate = ElementTypes(&[(from, to)]).case(&r.best);
        r.take(candidate);
    }
}

/// Element types that become others: what, and what it becomes.
#[derive(Clone, Copy)]
pub(crate) struct ElementTypes<'a>(pub(crate) &'a [(DType, DType)]);

impl ElementTypes<'_> {
    pub(crate) fn dtype(self, d: DType) -> DType {
        self.0.iter().find(|(from, _)| *from == d).map_or(d, |(_, to)| *to)
    }
}

impl TypeChange for ElementTypes<'_> {
    fn ty(self, t: &Type) -> Type {
        Type::new(self.dtype(t.dtype), t.shape.clone())
    }

    fn tensor(self, x: &Tensor) -> Option<Tensor> {
        let dtype = self.dtype(x.dtype());
        if x.dtype() == dtype {
            return Some(x.clone());
        }
        let mut b = Builder::new();
        let v = b.input(x.ty());
        let y = b.try_push(wengert_core::ops::Convert { dtype }, &[v]).ok()?;
        let y = wengert_eval::run(&b.finish(&y), vec![x.clone()]).ok()?.pop()?;
        // One number stays one number.
        let splat = x.splat_value().is_some() && y.size() > 0;
        Some(if splat { Tensor::splat(y.shape().clone(), y.get(0)) } else { y })
    }

    fn op(self, mut op: Op, x: &[Type]) -> Option<Op> {
        match &mut op {
            Op::Constant(c) => c.value = self.tensor(&c.value)?,
            Op::Iota(i) => i.ty = self.ty(&i.ty),
            Op::Convert(c) => c.dtype = self.dtype(c.dtype),
            Op::ArgReduce(a) => a.dtype = self.dtype(a.dtype),
            Op::Gather(g) => {
                if let OutOfBounds::Fill(s) = &mut g.out_of_bounds {
                    let dtype = self.dtype(s.dtype());
                    *s = match dtype.is_differentiable() {
                        true => Scalar::from_complex(dtype, s.as_complex()),
                        false => Scalar::from_i64(dtype, s.as_i64().unwrap_or(0)),
                    };
                }
            }
            // Bits of another width are other bits.
            Op::Bitcast(o) if [x[0].dtype, o.dtype].iter().any(|&d| self.dtype(d) != d) => return None,
            _ => {}
        }
        Some(op)
    }
}
