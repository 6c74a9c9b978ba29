//! The results of an op that a kernel computes: those that take no memory, those that go over an operand, and fresh room
//! for all others.

use crate::plan::{Kernels, Plan};
use crate::{kernels, memory};
use smallvec::{SmallVec, smallvec};
use wengert_core::ops::{Combiner, OutOfBounds};
use wengert_core::run::Step;
use wengert_core::{Error, Op, Result, Scalar, Tensor, Type, View, ViewMut};

/// Runs the kernel of an op. Operands that nothing else holds may be overwritten.
pub(crate) fn of_kernel(
    op: &Op,
    mut x: Vec<Tensor>,
    types: &[&Type],
    nested: &[Plan],
    faster: &'static dyn Kernels,
    steps: &mut Option<Vec<Step>>,
) -> Result<Vec<Tensor>> {
    match op {
        Op::Reshape(op) => return Ok(vec![x.remove(0).into_reshaped(op.shape.clone())]),
        Op::Barrier(_) | Op::StopGradient(_) => return Ok(x),
        _ => {}
    }
    let mut run = |x: &[View<'_>], y: &mut [ViewMut<'_>]| match faster.run(op, x, y, steps) {
        true => Ok(()),
        false => kernels::run(op, x, y, nested),
    };
    if let Some(y) = shared(op, &x, types[0], &mut run)? {
        return Ok(vec![y]);
    }
    // Each result goes over an operand, or into a room of its own.
    let mut over: SmallVec<[Option<usize>; 4]> = smallvec![None; types.len()];
    let mut fresh: SmallVec<[Option<Tensor>; 1]> = SmallVec::with_capacity(types.len());
    let mut starts: SmallVec<[*mut u8; 4]> = SmallVec::with_capacity(types.len());
    for (k, ty) in types.iter().enumerate() {
        let fits =
            |i: usize, x: &mut Tensor| x.size() > 1 && x.is_of(ty) && x.is_writable() && !over.contains(&Some(i));
        let chosen = overwritable(op, k).find(|&i| x.get_mut(i).is_some_and(|x| fits(i, x)));
        over[k] = chosen;
        let mut room = match chosen {
            Some(_) => None,
            None => Some(Tensor::try_room(ty).ok_or_else(|| no_room(op, ty))?),
        };
        let target = match (&mut room, chosen) {
            (Some(room), _) => room,
            (None, i) => &mut x[i.expect("one of both")],
        };
        starts.push(target.view_mut().expect("nothing shares it").start());
        fresh.push(room);
    }
    // Rooms of one element lie in their handles, which have moved.
    for (room, start) in fresh.iter_mut().zip(&mut starts) {
        if let Some(room) = room {
            *start = room.view_mut().expect("nothing shares it").start();
        }
    }
    let views: Views<'_> = x.iter().map(Tensor::view).collect();
    // SAFETY: each start is the room of a tensor of this type that nothing else shares: one of its own, or an operand
    // that the op may overwrite. No tensor moves until the kernel is done.
    let rooms = types.iter().zip(&starts).map(|(ty, &start)| unsafe { ViewMut::from_raw(ty.dtype, &ty.shape, start) });
    run(&views, &mut rooms.collect::<SmallVec<[_; 2]>>())?;
    drop(views);
    let mut take = |i: usize| std::mem::replace(&mut x[i], Tensor::scalar(false));
    let take =
        |(room, over): (Option<Tensor>, Option<usize>)| room.or_else(|| over.map(&mut take)).expect("one of both");
    Ok(fresh.into_iter().zip(over).map(take).collect())
}

/// The operands of most ops, without an allocation.
type Views<'a> = SmallVec<[View<'a>; 4]>;

fn no_room(op: &Op, ty: &Type) -> Error {
    memory::no_room(&format!("`{}`", op.name()), &ty.to_string(), ty.bytes().unwrap_or(usize::MAX))
}

/// The operands whose memory a result may take: their elements are read before, or where, it is written. An op that is not
/// here is only slower.
pub fn overwritable(op: &Op, result: usize) -> std::ops::Range<usize> {
    match op {
        Op::Unary(_) | Op::Cumulative(_) | Op::DynamicUpdateSlice(_) => 0..1,
        Op::Binary(_) => 0..2,
        Op::Clamp(_) => 1..2,
        Op::MulAdd(_) => 0..3,
        Op::Select(_) => 1..3,
        Op::Scatter(_) => result..result + 1,
        _ => 0..0,
    }
}

type Kernel<'a> = dyn FnMut(&[View<'_>], &mut [ViewMut<'_>]) -> Result<()> + 'a;

/// A result that is an operand, or one value repeated. An op that is not here is only slower.
fn shared(op: &Op, x: &[Tensor], ty: &Type, run: &mut Kernel<'_>) -> Result<Option<Tensor>> {
    let splat = |s: Scalar| Ok(Some(Tensor::splat(ty.shape.clone(), s)));
    let all_splat = x.iter().all(Tensor::is_splat);
    match op {
        Op::Constant(op) => Ok(Some(op.value.clone())),
        Op::Convert(_) | Op::Bitcast(_) if x[0].dtype() == ty.dtype => Ok(Some(x[0].clone())),
        Op::Transpose(op) if op.perm.is_sorted() => Ok(Some(x[0].clone())),
        Op::Select(_) if x[0].is_splat() => Ok(Some(if x[0].get(0).element() { &x[1] } else { &x[2] }.clone())),
        Op::Bitcast(_) if x[0].dtype().bits() != ty.dtype.bits() => Ok(None),
        Op::Unary(_)
        | Op::Binary(_)
        | Op::Compare(_)
        | Op::Clamp(_)
        | Op::MulAdd(_)
        | Op::Convert(_)
        | Op::Bitcast(_)
        | Op::ReducePrecision(_)
            if all_splat =>
        {
            let views: Views<'_> = x.iter().map(|x| x.view().as_scalar()).collect();
            let mut one = Tensor::room(&Type::scalar(ty.dtype));
            run(&views, &mut [one.view_mut().expect("nothing shares it")])?;
            if ty.rank() == 0 { Ok(Some(one)) } else { splat(one.get(0)) }
        }
        Op::Broadcast(_) | Op::Reverse(_) | Op::Slice(_) | Op::Transpose(_) | Op::DynamicSlice(_) => {
            x[0].splat_value().map_or(Ok(None), splat)
        }
        Op::Pad(_) | Op::Concatenate(_) => match x[0].splat_value() {
            Some(s) if x.iter().all(|x| x.splat_value() == Some(s)) => splat(s),
            _ => Ok(None),
        },
        Op::DynamicUpdateSlice(_) if x[0].is_splat() && x[0].splat_value() == x[1].splat_value() => {
            Ok(Some(x[0].clone()))
        }
        Op::Gather(op) => match (x[0].splat_value(), op.out_of_bounds) {
            (Some(s), OutOfBounds::Clip) if x[0].size() > 0 => splat(s),
            (Some(s), OutOfBounds::Fill(f)) if s == f => splat(s),
            _ => Ok(None),
        },
        Op::Reduce(op) if !matches!(op.combiner, Combiner::Program(_)) && all_splat => {
            let mut one = Tensor::room(&Type::scalar(ty.dtype));
            run(&[x[0].view()], &mut [one.view_mut().expect("nothing shares it")])?;
            splat(one.get(0))
        }
        _ => Ok(None),
    }
}
