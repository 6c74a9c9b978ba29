//! Where the difference of two recorded runs begins, if that is before the node where it is more than a tolerance allows.

use super::structure::is_same_constant;
use super::tapes::{Point, Search, is_input};
use super::{beyond, rounding};
use crate::sizes::{Sizes, distance};
use crate::symptom::gap;
use wengert::tape::{Argument, Kind, NodeRef};
use wengert_core::{Result, Tensor};

/// What two nodes that stand for each other were given.
enum Given {
    /// The same bits.
    Same,
    /// Bits that what stands for each other before has not in common either.
    Parted,
    /// Another number, or what a node made that stands for another one.
    Other,
    /// Nobody kept it.
    Unknown,
}

impl<'t> Search<'t> {
    /// The first node up to one that parts which makes something else of what it is given, by more than it rounds; none if the node that
    /// parts would not do so on the other run's operands.
    pub(super) fn source(&mut self, parted: usize) -> Result<Option<usize>> {
        let last = self.points[parted];
        if !self.is_inherited(&last)? {
            return Ok(None);
        }
        let by_sign = self.is_by_sign(&last)?;
        // A call begins before what runs inside of it.
        let mut order: Vec<usize> =
            (0..self.points.len()).filter(|&i| self.points[i].a.node.id() <= last.a.node.id()).collect();
        order.sort_by_key(|&i| self.points[i].a.node.id());
        for i in order {
            if self.is_source(&self.points[i].clone(), by_sign)? {
                return Ok(Some(i));
            }
        }
        Ok(None)
    }

    fn kept_of_both(&self, a: NodeRef<'t>, b: NodeRef<'t>) -> Result<Option<(Tensor, Tensor)>> {
        let both = self.left.kept(a)?.zip(self.right.kept(b)?);
        Ok(both.filter(|(x, y)| x.ty() == y.ty()))
    }

    /// Whether the op of the first run gives what the second has, from what that was given.
    fn is_inherited(&self, p: &Point<'t>) -> Result<bool> {
        let (a, b) = (p.a.node, p.b.node);
        let Some(op) = a.op() else { return Ok(true) };
        let mut x = Vec::new();
        for (ours, theirs) in a.arguments().zip(b.arguments()) {
            let value = match (ours, theirs) {
                (Argument::Constant(c), _) => c.tensor(),
                (Argument::Node(ours), Argument::Node(theirs)) => self.kept_of_both(ours, theirs)?.map(|(_, y)| y),
                (Argument::Node(_), Argument::Constant(_)) => None,
            };
            let Some(value) = value else { return Ok(false) };
            x.push(value);
        }
        let now = wengert_eval::run_op(op, x).ok().and_then(|y| y.into_iter().nth(p.b.out));
        let same = |(now, y): (Tensor, Tensor)| now.ty() == y.ty() && !beyond(gap(&y, &now), self.tolerance);
        Ok(now.zip(self.right.kept(p.b)?).is_some_and(same))
    }

    /// Whether two nodes were given numbers that differ in the signs of zeros alone.
    fn is_by_sign(&self, p: &Point<'t>) -> Result<bool> {
        let mut any = false;
        for operands in p.a.node.arguments().zip(p.b.node.arguments()) {
            if let (Argument::Node(a), Argument::Node(b)) = operands
                && let Some((x, y)) = self.kept_of_both(a, b)?
                && !x.same_bits(&y)
            {
                any = true;
                if gap(&x, &y) != 0.0 {
                    return Ok(false);
                }
            }
        }
        Ok(any)
    }

    fn is_source(&self, p: &Point<'t>, by_sign: bool) -> Result<bool> {
        let (a, b) = (p.a.node, p.b.node);
        let is_op = matches!(a.kind(), Kind::Primitive | Kind::Call) && a.kind() == b.kind() && !is_input(a);
        let Some((x, y)) = self.kept_of_both(p.a, p.b)?.filter(|(x, y)| is_op && !x.same_bits(y)) else {
            return Ok(false);
        };
        Ok(match self.given(p)? {
            Given::Parted | Given::Unknown => false,
            Given::Other => true,
            // What ran inside tells.
            Given::Same if a.children().next().is_some() => false,
            Given::Same if a.op() != b.op() || !x.dtype().is_differentiable() => true,
            Given::Same if gap(&x, &y) == 0.0 => by_sign,
            Given::Same => match self.moved_alone(p) {
                Some(moved) => {
                    let apart =
                        Sizes::of_elements(&x).numbers(&x, &y).map(|(a, b, _)| distance(a, b)).collect::<Vec<_>>();
                    let is_rounding = |(k, &by): (usize, &f64)| rounding::covers(moved.by[k / 2], by);
                    !moved.are_outcomes([&x, &y], self.tolerance) && !apart.iter().enumerate().all(is_rounding)
                }
                None => beyond(Sizes::of_elements(&x).gap(&x, &y), self.tolerance),
            },
        })
    }

    fn given(&self, p: &Point<'t>) -> Result<Given> {
        let mut given = Given::Same;
        for operands in p.a.node.arguments().zip(p.b.node.arguments()) {
            if self.is_given_another(operands)? {
                return Ok(Given::Other);
            }
            if let (Argument::Node(a), Argument::Node(b)) = operands {
                match self.kept_of_both(a, b)? {
                    None => return Ok(Given::Unknown),
                    Some((x, y)) if !x.same_bits(&y) => given = Given::Parted,
                    Some(_) => {}
                }
            }
        }
        Ok(given)
    }

    /// Whether two operands are numbers that are not the same, or values that differ of nodes that do not stand for each other.
    pub(super) fn is_given_another(&self, operands: (Argument<'t>, Argument<'t>)) -> Result<bool> {
        Ok(match operands {
            (Argument::Constant(x), Argument::Constant(y)) => !is_same_constant(x, y),
            (Argument::Node(a), Argument::Node(b)) => {
                let are_partners = self.matching.partner(a.node.id()) == Some(b.node.id()) && a.out == b.out;
                !are_partners && self.kept_of_both(a, b)?.is_some_and(|(x, y)| !x.same_bits(&y))
            }
            _ => true,
        })
    }
}
