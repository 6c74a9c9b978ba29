//! Complex numbers lie in memory, the real part before the imaginary one: parts that are scalars are read and written
//! there.

use super::Lowering;
use super::form::{Form, kind};
use wengert_core::Type;

impl Lowering {
    /// One part of a small array of complex numbers.
    pub(super) fn part(&mut self, which: usize, x: &Form, y: &Type) -> Option<Form> {
        if !self.is_small(y) || !x.ty.dtype.is_complex() {
            return None;
        }
        let (memory, kind) = (self.memory(x), kind(y.dtype)?);
        let v = (0..y.shape.size()).map(|i| self.load(kind, &memory, 2 * i + which)).collect();
        Some(Form::each(y.clone(), v))
    }

    /// A small array of complex numbers, from its parts.
    pub(super) fn complex(&mut self, x: &[Form], y: &Type) -> Option<Form> {
        if !x.iter().all(|x| self.is_small(&x.ty)) {
            return None;
        }
        let parts = [self.scalars(&x[0]), self.scalars(&x[1])];
        let room = self.room_of(0, y);
        let at = self.address(&room, 0);
        for (k, part) in parts.into_iter().enumerate() {
            for (i, v) in part.into_iter().enumerate() {
                let bytes = self.b.kind(v).bytes();
                self.b.store(v, wengert_kernel::Address { offset: at.offset + ((2 * i + k) * bytes) as i64, ..at });
            }
        }
        Some(Form::memory(y.clone(), room))
    }
}
