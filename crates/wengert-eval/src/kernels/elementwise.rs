//! Elementwise kernels: find the loop for the op and type, and run it over the operands. An operand may be one value
//! repeated, and may lie where the result goes.

use super::number::{self, Arg, Cast, Map, Number, Zip, map, missing, zip};
use super::parallel::{fill, split};
use super::shape::made;
use std::ops::Range;
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Complex, DType, Element, Shape, Tensor, Type, View, ViewMut, with_dtype, with_word};

/// Bytes of operands that are copied at a time where the result goes over them.
const COPIED: usize = 2048;

pub(crate) fn unary(op: Unary, x: View<'_>, y: &mut ViewMut<'_>) {
    with_dtype!(x.dtype(), T => {
        if let Some(f) = <T as Number>::part(op) {
            map_into(x, y, f)
        } else if let Some(f) = T::test(op) {
            map_into(x, y, f)
        } else {
            map_into(x, y, T::unary(op).unwrap_or_else(|| missing::<T>(op.as_str())))
        }
    })
}

pub(crate) fn binary(op: Binary, x: View<'_>, y: View<'_>, out: &mut ViewMut<'_>) {
    match (op, x.dtype()) {
        (Binary::Complex, DType::F32) => zip_into(x, y, out, zip!(Complex::<f32>::new)),
        (Binary::Complex, _) => zip_into(x, y, out, zip!(Complex::<f64>::new)),
        (op, d) => with_dtype!(d, T => zip_into(x, y, out, number::binary::<T>(op))),
    }
}

pub(crate) fn compare(op: Direction, x: View<'_>, y: View<'_>, out: &mut ViewMut<'_>) {
    with_dtype!(x.dtype(), T => {
        zip_into(x, y, out, <T as Number>::compare(op).unwrap_or_else(|| missing::<T>(op.as_str())))
    })
}

pub(crate) fn select(p: View<'_>, x: View<'_>, y: View<'_>, out: &mut ViewMut<'_>) {
    if let Some(p) = p.splat_value() {
        return out.copy_from(if p.element() { x } else { y });
    }
    let p = p.elements::<bool>();
    // What lies where the result goes is there already, wherever it is chosen.
    for (kept, other, replaced) in [(&x, &y, false), (&y, &x, true)] {
        if out.is(kept) {
            return with_word!(x.dtype(), W => {
                let other = words::<W>(other);
                // SAFETY: what is written are elements of an operand, which has the type of the result.
                let room = unsafe { out.words::<W>() };
                fill(room, &|r, out| {
                    let other = other.slice(r.clone());
                    let each = out.iter_mut().zip(&p[r]).enumerate();
                    each.for_each(|(i, (out, p))| *out = if *p == replaced { other.at(i) } else { *out });
                });
            });
        }
    }
    with_word!(x.dtype(), W => {
        let (a, b) = (words::<W>(&x), words::<W>(&y));
        // SAFETY: what is written are elements of the operands, which have the type of the result.
        fill(unsafe { out.words::<W>() }, &|r, out| {
            let (a, b) = (a.slice(r.clone()), b.slice(r.clone()));
            let choose = |(i, p): (usize, &bool)| if *p { a.at(i) } else { b.at(i) };
            p[r].iter().enumerate().map(choose).zip(out).for_each(|(v, out)| *out = v);
        });
    })
}

/// The bounds are scalars, or have the shape of `x`.
pub(crate) fn clamp(min: View<'_>, x: View<'_>, max: View<'_>, out: &mut ViewMut<'_>) {
    binary(Binary::Max, x, min, out);
    let (dtype, shape) = (out.dtype(), out.shape());
    // SAFETY: what was just written is read where it is overwritten, element by element.
    let so_far = unsafe { View::from_raw(dtype, shape, false, out.start()) };
    binary(Binary::Min, so_far, max, out);
}

/// The product of two operands and a third one, rounded once.
pub(crate) fn mul_add(x: [View<'_>; 3], out: &mut ViewMut<'_>) {
    match out.dtype() {
        DType::F32 => mul_add_into::<f32>(x, out),
        DType::F64 => mul_add_into::<f64>(x, out),
        d => unreachable!("`mul_add` of {d}"),
    }
}

fn mul_add_into<F: Element + num_traits::Float>(x: [View<'_>; 3], out: &mut ViewMut<'_>) {
    assert!(x.iter().all(|x| x.dtype() == F::DTYPE) && out.dtype() == F::DTYPE, "the types of a loop");
    // SAFETY: `run` gives as many elements of the type as it says, and they do not overlap.
    run(&x, out, &|x, out, n| unsafe {
        let [a, b, c] = [x[0], x[1], x[2]].map(|x| x.arg::<F>(n));
        let out = std::slice::from_raw_parts_mut(out.cast::<F>(), n);
        out.iter_mut().enumerate().for_each(|(i, out)| *out = a.at(i).mul_add(b.at(i), c.at(i)));
    });
}

/// Elements of one type as elements of another.
pub fn convert(x: View<'_>, y: &mut ViewMut<'_>) {
    if x.dtype() == y.dtype() {
        return y.copy_from(x);
    }
    if let Some(direct) = often_converted(x.dtype(), y.dtype()) {
        return direct(x, y);
    }
    // Every type goes out through the widest of its class: a few elements at a time, so that they stay near.
    let wide = number::widest(x.dtype());
    let (step, n) = (COPIED / wide.size(), if x.is_splat() { 1 } else { y.size() });
    let steps: Vec<usize> = (0..n).step_by(step).collect();
    let mut one = Tensor::room(&Type::scalar(y.dtype()));
    let out = match x.is_splat() {
        true => Start(one.view_mut().expect("nothing shares it").start()),
        false => Start(y.start()),
    };
    let (from, to, out) = (x.dtype(), y.dtype(), &out);
    super::parallel::each(steps.len(), n, &|i| {
        let at = steps[i];
        let shape = Shape::from([step.min(n - at)]);
        let mut between = Tensor::room(&Type::new(wide, shape.clone()));
        let mut room = between.view_mut().expect("nothing shares it");
        // SAFETY: these elements lie in the operand and in the result, and no other step has them.
        let (part, mut result) = unsafe {
            let part = View::from_raw(from, &shape, false, x.start().add(at * from.size()));
            (part, ViewMut::from_raw(to, &shape, out.0.add(at * to.size())))
        };
        with_dtype!(from, S => map_into(part, &mut room, <S as Cast>::widen()));
        number::narrow_into(between.view(), &mut result);
    });
    if x.is_splat() {
        super::shape::fill(y, one.view());
    }
}

/// A conversion with a loop of its own, for pairs of types that programs convert all the time.
fn often_converted(from: DType, to: DType) -> Option<fn(View<'_>, &mut ViewMut<'_>)> {
    fn direct<S: Cast, T: Cast>(x: View<'_>, y: &mut ViewMut<'_>) {
        map_into(x, y, map!(|x: S| x.cast::<T>()));
    }
    use wengert_core::bf16;
    Some(match (from, to) {
        (DType::Bool, DType::F32) => direct::<bool, f32>,
        (DType::Bool, DType::I32) => direct::<bool, i32>,
        (DType::I32, DType::F32) => direct::<i32, f32>,
        (DType::F32, DType::I32) => direct::<f32, i32>,
        (DType::U32, DType::F32) => direct::<u32, f32>,
        (DType::I32, DType::I64) => direct::<i32, i64>,
        (DType::I64, DType::I32) => direct::<i64, i32>,
        (DType::F32, DType::F64) => direct::<f32, f64>,
        (DType::F64, DType::F32) => direct::<f64, f32>,
        (DType::BF16, DType::F32) => direct::<bf16, f32>,
        (DType::F32, DType::BF16) => direct::<f32, bf16>,
        _ => return None,
    })
}

/// The tensor with elements of another type.
pub fn converted(x: &Tensor, to: DType) -> Tensor {
    match x.splat_value() {
        _ if x.dtype() == to => x.clone(),
        Some(_) => {
            let one = made(&Type::scalar(to), |y| convert(x.view().as_scalar(), y));
            Tensor::splat(x.shape().clone(), one.get(0))
        }
        None => made(&x.ty().with_dtype(to), |y| convert(x.view(), y)),
    }
}

/// The elements of an operand.
pub(crate) fn arg<'a, T: Element>(x: &View<'a>) -> Arg<'a, T> {
    let v = x.elements();
    if x.is_splat() { Arg::One(v[0]) } else { Arg::Each(v) }
}

/// The elements of an operand, by their bytes.
fn words<'a, W: wengert_core::host::Word>(x: &View<'a>) -> Arg<'a, W> {
    let v = x.words();
    if x.is_splat() { Arg::One(v[0]) } else { Arg::Each(v) }
}

/// Runs a loop over one operand.
pub(super) fn map_into<T: Element, U: Element>(x: View<'_>, y: &mut ViewMut<'_>, f: Map<T, U>) {
    assert_eq!((x.dtype(), y.dtype()), (T::DTYPE, U::DTYPE), "the types of a loop");
    if x.is_splat() {
        let mut one = [U::default()];
        f(x.elements(), &mut one);
        return y.elements().fill(one[0]);
    }
    // SAFETY: `run` gives as many elements of both types as it says, and they do not overlap.
    run(&[x], y, &|x, y, n| unsafe {
        f(std::slice::from_raw_parts(x[0].start.cast::<T>(), n), std::slice::from_raw_parts_mut(y.cast::<U>(), n));
    });
}

/// Runs a loop over two operands.
pub(super) fn zip_into<T: Element, U: Element>(x: View<'_>, y: View<'_>, out: &mut ViewMut<'_>, f: Zip<T, U>) {
    assert_eq!((x.dtype(), y.dtype(), out.dtype()), (T::DTYPE, T::DTYPE, U::DTYPE), "the types of a loop");
    // SAFETY: `run` gives as many elements of both types as it says, and they do not overlap.
    run(&[x, y], out, &|x, out, n| unsafe {
        f(x[0].arg::<T>(n), x[1].arg::<T>(n), std::slice::from_raw_parts_mut(out.cast::<U>(), n));
    });
}

/// A part of an operand: one value, or one for each element.
#[derive(Clone, Copy)]
struct Part {
    start: *const u8,
    one: bool,
}

impl Part {
    /// # Safety
    /// There are `n` elements of this type, or one.
    unsafe fn arg<'a, T: Element>(self, n: usize) -> Arg<'a, T> {
        // SAFETY: as the caller says.
        unsafe {
            match self.one {
                true => Arg::One(self.start.cast::<T>().read()),
                false => Arg::Each(std::slice::from_raw_parts(self.start.cast::<T>(), n)),
            }
        }
    }
}

/// Where memory starts, for threads.
struct Start(*mut u8);
// SAFETY: threads use parts that do not overlap.
unsafe impl Sync for Start {}

/// A loop over parts of operands, at most three, that writes a part of the result of this many elements.
type Loop<'a> = &'a (dyn Fn(&[Part], *mut u8, usize) + Sync);

/// Runs a loop over operands; those that lie where the result goes are copied aside, a few elements at a time.
fn run(x: &[View<'_>], y: &mut ViewMut<'_>, f: Loop<'_>) {
    #[repr(align(64))]
    struct Aside(std::mem::MaybeUninit<[u8; COPIED]>);
    assert!(x.iter().all(|x| x.is_splat() || x.size() == y.size()), "as many elements as the result has");
    let widths: [usize; 3] = std::array::from_fn(|i| x.get(i).map_or(1, |x| x.dtype().size()));
    let overwritten = x.iter().any(|x| y.is(x));
    let (start, width) = (Start(y.start()), y.dtype().size());
    let (start, x) = (&start, &x);
    split(y.size(), &|range: Range<usize>| {
        let step = if overwritten { COPIED / width } else { range.len().max(1) };
        let mut aside = Aside(std::mem::MaybeUninit::uninit());
        for at in range.clone().step_by(step) {
            let n = step.min(range.end - at);
            let mut parts = [Part { start: std::ptr::null(), one: true }; 3];
            // SAFETY: `at` and the `n` elements from it on lie in every operand that is not one value, and in the result.
            let out = unsafe { start.0.add(at * width) };
            if overwritten {
                // SAFETY: both hold `n` elements of the result's type, which an operand that is overwritten has.
                unsafe { std::ptr::copy_nonoverlapping(out, aside.0.as_mut_ptr().cast::<u8>(), n * width) };
            }
            for ((part, x), w) in parts.iter_mut().zip(x.iter()).zip(widths) {
                *part = match std::ptr::eq(x.start(), start.0) && !x.is_splat() {
                    true => Part { start: aside.0.as_ptr().cast::<u8>(), one: false },
                    // SAFETY: as above.
                    false => unsafe {
                        Part { start: x.start().add(if x.is_splat() { 0 } else { at * w }), one: x.is_splat() }
                    },
                };
            }
            f(&parts[..x.len()], out, n);
        }
    });
}
