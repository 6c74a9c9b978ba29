//! Slices at places that are computed: addresses, and a few loads and stores.

use super::Lowering;
use super::form::{Base, Form, Memory, kind};
use wengert_core::Type;
use wengert_kernel::{Address, Binary, Kind, Value};
use wengert_x86::faults::{Fault, is_planted};

/// The steps through a dense array along each axis.
fn strides(shape: &[usize]) -> Vec<usize> {
    let mut steps = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        steps[d - 1] = steps[d] * shape[d];
    }
    steps
}

/// The row-major positions in an array of the elements of a slice of these sizes that starts at its first element.
fn positions(shape: &[usize], sizes: &[usize]) -> Vec<usize> {
    let steps = strides(shape);
    sizes
        .iter()
        .zip(&steps)
        .fold(vec![0], |some, (&n, step)| some.iter().flat_map(|at| (0..n).map(move |i| at + i * step)).collect())
}

impl Lowering {
    /// The number of the element where a slice starts, moved to where it fits.
    fn start(&mut self, shape: &[usize], sizes: &[usize], starts: &[Form]) -> Value {
        let mut sum = None;
        for (((&n, &size), start), step) in shape.iter().zip(sizes).zip(starts).zip(strides(shape)) {
            if n == size {
                continue;
            }
            let start = self.scalars(start)[0];
            let too_far = usize::from(is_planted(Fault::DynamicSliceClamp));
            let (zero, last) = (self.b.constant(Kind::I64, 0), self.b.constant(Kind::I64, (n - size - too_far) as u64));
            // Only unsigned integers past all limits are no `i64`: they are cut before.
            let start = match self.b.kind(start) {
                Kind::U64 => {
                    let last = self.b.constant(Kind::U64, (n - size) as u64);
                    let cut = self.b.binary(Binary::Min, start, last);
                    self.b.convert(cut, Kind::I64)
                }
                _ => self.b.convert(start, Kind::I64),
            };
            let low = self.b.binary(Binary::Max, start, zero);
            let inside = self.b.binary(Binary::Min, low, last);
            let part = self.times(inside, step);
            sum = Some(match sum {
                None => part,
                Some(sum) => self.b.binary(Binary::Add, sum, part),
            });
        }
        sum.unwrap_or_else(|| self.b.constant(Kind::I64, 0))
    }

    /// A number of steps, in elements.
    pub(super) fn times(&mut self, number: Value, step: usize) -> Value {
        if step == 1 {
            return number;
        }
        let step = self.b.constant(Kind::I64, step as u64);
        self.b.binary(Binary::Mul, number, step)
    }

    /// A slice of a large array that is large itself: it is read where it lies.
    pub(super) fn put_off_dynamic_slice(&mut self, x: &[Form], y: &Type) -> Option<Form> {
        let kind = kind(y.dtype).filter(|_| y.shape.size() > 0 && x[0].splat_scalar().is_none())?;
        let shape = x[0].ty.shape.clone();
        let memory = self.memory(&x[0]);
        let number = self.start(&shape, &y.shape, &x[1..]);
        let base = Base::Pointer(self.element_at(&memory, number, kind.bytes()));
        Some(self.view_at(Memory { base, offset: 0, ..memory }, &shape, y))
    }

    /// The pointer to an element.
    fn element_at(&mut self, memory: &Memory, number: Value, bytes: usize) -> Value {
        let at = self.address(memory, 0);
        self.b.pointer(Address { index: Some((number, bytes as i64)), ..at })
    }

    /// A slice of a few elements.
    pub(super) fn dynamic_slice(&mut self, x: &[Form], y: &Type) -> Option<Form> {
        if let Some(v) = x[0].splat_scalar() {
            return Some(Form::splat(y.clone(), v));
        }
        let kind = kind(y.dtype)?;
        let (shape, bytes) = (&x[0].ty.shape, kind.bytes());
        let number = self.start(shape, &y.shape, &x[1..]);
        let memory = self.memory(&x[0]);
        let base = self.element_at(&memory, number, bytes);
        let places = positions(shape, &y.shape);
        let v = places.into_iter().map(|i| self.b.load(kind, Address::at(base, (i * bytes) as i64))).collect();
        Some(Form::each(y.clone(), v))
    }

    /// An array with a few elements written: in place, if nothing else is the array.
    pub(super) fn dynamic_update_slice(&mut self, x: &mut Vec<Form>, y: &Type) -> Option<Form> {
        let kind = kind(y.dtype)?;
        if !self.is_small(&x[1].ty) {
            return None;
        }
        let number = self.start(&y.shape, &x[1].ty.shape, &x[2..]);
        let update = self.scalars(&x[1]);
        let places = positions(&y.shape, &x[1].ty.shape);
        let target = x.remove(0);
        let memory = self.overwritable_place(target, 0);
        let base = self.element_at(&memory, number, kind.bytes());
        for (v, i) in update.into_iter().zip(places) {
            self.b.store(v, Address::at(base, (i * kind.bytes()) as i64));
        }
        let memory = memory.owned();
        if self.is_small(y) {
            let v = (0..y.shape.size()).map(|i| self.load(kind, &memory, i)).collect();
            return Some(Form::each(y.clone(), v));
        }
        Some(Form::memory(y.clone(), memory))
    }
}
