//! Sorting along an axis, and the largest elements along one.

use super::{Iota, check};
use crate::attr::{Attr, ProgramMap};
use crate::attributes;
use crate::builder::Builder;
use crate::error::Result;
use crate::op::Rules;
use crate::program::{Program, Var};
use crate::text::{Parser, Printer};
use crate::transform::{Batched, Batcher, Dual};
use crate::types::{DType, Type};
use std::sync::Arc;

/// The order elements are sorted in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The natural one, ascending: by the first operand, then, where that is equal, by the second, for this many
    /// operands. NaN comes last, the zeros are equal, complex numbers go by real, then by imaginary part.
    Natural(usize),
    /// A program tells whether one element comes before another: it takes two scalars of each operand in turn, and gives
    /// a `bool`.
    Program(Arc<Program>),
}

impl Attr for Order {
    fn print(&self, p: &mut Printer) {
        match self {
            Order::Natural(keys) => keys.print(p),
            Order::Program(program) => program.print(p),
        }
    }
    fn parse(p: &mut Parser<'_>) -> Result<Self> {
        Ok(if p.next_is("program") { Order::Program(Attr::parse(p)?) } else { Order::Natural(Attr::parse(p)?) })
    }
    fn programs<'a>(&'a self, out: &mut Vec<&'a Arc<Program>>) {
        if let Order::Program(p) = self {
            out.push(p);
        }
    }
    fn map_programs(&self, f: ProgramMap<'_>) -> Self {
        match self {
            Order::Program(p) => Order::Program(f(p)),
            natural => natural.clone(),
        }
    }
}

attributes! {
    /// Sorts along an axis. Several operands are sorted together.
    "sort" => pub struct Sort {
        /// The axis along which.
        pub dim: usize,
        /// Whether equal elements keep their order.
        pub stable: bool,
        /// The order: the number of operands that are keys, or a program.
        pub order: Order,
    }
}

impl Sort {
    /// The sort that takes one more operand along, which does not count in the order.
    fn with_passenger(&self, ty: DType) -> Sort {
        let order = match &self.order {
            Order::Natural(keys) => Order::Natural(*keys),
            Order::Program(p) => {
                let mut b = Builder::new();
                let x = b.inputs(&p.input_types());
                b.inputs(&[Type::scalar(ty), Type::scalar(ty)]);
                let y = b.inline(p, &x);
                Order::Program(Arc::new(b.finish(&y).with_name(p.name())))
            }
        };
        Sort { order, ..self.clone() }
    }
}

impl Rules for Sort {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        check::that(!x.is_empty(), || "`sort` takes at least one operand, and got none".into())?;
        check::axes("sort", "axis", &[self.dim], x[0].rank())?;
        check::that(x.iter().all(|t| t.shape == x[0].shape), || {
            format!("`sort` needs operands of one shape, and got {}", check::list(x))
        })?;
        match &self.order {
            Order::Natural(keys) => check::that((1..=x.len()).contains(keys), || {
                format!("`sort` can't sort {} operands by {keys} of them", x.len())
            })?,
            Order::Program(p) => {
                let pairs: Vec<Type> = x.iter().flat_map(|t| [Type::scalar(t.dtype), Type::scalar(t.dtype)]).collect();
                check::that(p.input_types() == pairs && p.output_types() == [Type::scalar(DType::Bool)], || {
                    format!("`sort`: the comparing program must take {} and give bool[]", check::list(&pairs))
                })?;
            }
        }
        Ok(x.to_vec())
    }

    fn jvp(&self, b: &mut Builder, x: &[Var], t: &[Option<Var>]) -> Result<Dual> {
        // The tangents go where their elements go.
        let ty = Type::new(DType::I64, b.shape(x[0]).clone());
        let iota = b.one(Iota { ty, dim: self.dim }, &[]);
        let operands: Vec<Var> = x.iter().copied().chain([iota]).collect();
        let y = b.push(self.with_passenger(DType::I64), &operands);
        let (&from, primals) = y.split_last().expect("the positions");
        let tangents = t.iter().map(|t| t.map(|t| b.take_along(t, from, self.dim))).collect();
        Ok(Dual { primals: primals.to_vec(), tangents })
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        let v = b.broadcast_together(x);
        let op = Sort { dim: self.dim + 1, ..self.clone() };
        Ok(b.push(op, &v).iter().map(|&v| Batched::yes(v)).collect())
    }
}

attributes! {
    /// The `k` largest elements along the last axis, in descending order, and their indices (`i32`). Equal elements come
    /// in the order of their indices. The order of floats is total: NaN above infinity, zero above negative zero.
    "top_k" => pub struct TopK {
        /// How many.
        pub k: usize,
    }
}

impl Rules for TopK {
    fn infer(&self, x: &[Type]) -> Result<Vec<Type>> {
        let [x] = check::operands("top_k", x)?;
        check::dtype("top_k", x.dtype, "types with an order", !x.dtype.is_complex())?;
        let n = x.shape.last().copied();
        check::that(n.is_some_and(|n| self.k <= n), || {
            format!("`top_k` can't take {} elements along the last axis of {x}", self.k)
        })?;
        let mut shape = x.shape.clone();
        *shape.0.last_mut().expect("an axis") = self.k;
        Ok(vec![x.with_shape(shape.clone()), Type::new(DType::I32, shape)])
    }

    fn tangents(&self, b: &mut Builder, x: &[Var], y: &[Var], t: &[Option<Var>]) -> Result<Vec<Option<Var>>> {
        let last = b.shape(x[0]).rank() - 1;
        Ok(vec![t[0].map(|t| b.take_along(t, y[1], last)), None])
    }

    fn batch(&self, b: &mut Batcher<'_>, x: &[Batched]) -> Result<Vec<Batched>> {
        Ok(b.push(self.clone(), &[x[0].var]).iter().map(|&v| Batched::yes(v)).collect())
    }
}
