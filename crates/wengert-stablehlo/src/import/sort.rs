//! Sorting. A region that compares by the natural order, as JAX and our own export write it, is known as that order: as
//! a program it is the same expression as [`natural_order`].

use super::body::{Body, Handler, operand};
use super::definitions::Definitions;
use crate::syntax::Operation;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use wengert_core::ops::{Order, Sort, TopK};
use wengert_core::{Equation, Error, ErrorKind, Program, Result, Var, Vars};
use wengert_expand::sort::natural_order;

pub(super) fn handler(name: &str) -> Option<Handler> {
    Some(match name {
        "stablehlo.sort" => sort,
        "chlo.top_k" => |c, op, x| c.push(TopK { k: c.fields(op).size("k")? }, x),
        _ => return None,
    })
}

fn sort<'m, 'a>(c: &mut Body<'_, 'm, 'a>, op: &'m Operation<'a>, x: &[Var]) -> Result<Vars> {
    let f = c.fields(op);
    // A negative axis counts from the end, and the last one is the default.
    let rank = c.b.shape(operand(x, 0)?).rank() as i64;
    let dim = f.ints("dimension")?.and_then(|d| d.first().copied()).unwrap_or(-1);
    let dim = if dim < 0 { dim.saturating_add(rank) } else { dim };
    let dim = usize::try_from(dim).map_err(|_| Error::shape(format!("there is no axis {dim}")))?;
    let [region] = &op.regions[..] else {
        return Err(Error::new(ErrorKind::Text, "`sort` needs a region that compares"));
    };
    let program = c.closed_region(op, region)?;
    let order = match natural_keys(&program) {
        Some(keys) => Order::Natural(keys),
        None => Order::Program(Arc::new(program)),
    };
    c.push(Sort { dim, stable: f.flag_or("is_stable", false)?, order }, x)
}

/// Nobody sorts by more keys than this and has the order told.
const MOST: usize = 8;

/// By how many keys a program orders pairs of scalars naturally, if it does.
fn natural_keys(program: &Program) -> Option<usize> {
    let pairs = program.input_types();
    if pairs.chunks(2).any(|p| p.len() < 2 || p[0] != p[1] || p[0].rank() > 0) {
        return None;
    }
    (1..=(pairs.len() / 2).min(MOST)).find(|&keys| same(program, &natural_order(&pairs, keys)))
}

/// Whether two programs compute the same expression, in whatever order, and however often they write one part of it.
fn same(p: &Program, q: &Program) -> bool {
    let both = Both { p: Definitions::new(p), q: Definitions::new(q) };
    let ([x], [y]) = (p.outputs(), q.outputs()) else { return false };
    both.same(*x, *y, &mut FxHashMap::default())
}

struct Both<'p> {
    p: Definitions<'p>,
    q: Definitions<'p>,
}

impl Both<'_> {
    fn same(&self, x: Var, y: Var, known: &mut FxHashMap<(Var, Var), bool>) -> bool {
        if let Some(&known) = known.get(&(x, y)) {
            return known;
        }
        let same = match (self.p.get(x), self.q.get(y)) {
            (None, None) => x == y,
            (Some(e), Some(g)) => {
                let position = |e: &Equation, v: Var| e.outputs.iter().position(|&o| o == v);
                e.op == g.op
                    && e.inputs.len() == g.inputs.len()
                    && position(e, x) == position(g, y)
                    && e.inputs.iter().zip(&g.inputs).all(|(&x, &y)| self.same(x, y, known))
            }
            _ => false,
        };
        known.insert((x, y), same);
        same
    }
}

#[cfg(test)]
mod tests {
    use wengert_core::ops::{Order, Sort};
    use wengert_core::{Builder, DType, Op, Type};

    /// What export writes for a natural order is known as one, for keys of every type.
    #[test]
    fn natural_orders_come_back() {
        let all = [DType::Bool, DType::I8, DType::U64, DType::F16, DType::BF16, DType::F32, DType::F64, DType::C64];
        for d in all {
            for keys in 1..=3 {
                let mut b = Builder::new();
                let x = b.inputs(&[d, DType::F32, DType::C128].map(|d| Type::new(d, [4])));
                let y = b.push(Sort { dim: 0, stable: true, order: Order::Natural(keys) }, &x);
                let text = crate::export(&b.finish(&y)).expect("it goes out");
                let back = crate::parse(&text).expect("it comes back");
                let Op::Sort(sort) = &back.equations()[0].op else { panic!("{back}") };
                assert_eq!(sort.order, Order::Natural(keys), "{d}\n{text}");
            }
        }
    }
}
