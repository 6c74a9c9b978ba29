//! Complex numbers lie in memory, the real part before the imaginary one: parts are read and written there.

use super::Lowering;
use super::form::{Form, kind};
use super::group::Place;
use super::view::{dense, merged};
use wengert_core::Type;
use wengert_kernel::Address;

impl Lowering {
    /// One part of an array of complex numbers.
    pub(super) fn part(&mut self, which: usize, x: &Form, y: &Type) -> Option<Form> {
        if !x.ty.dtype.is_complex() || y.shape.size() == 0 {
            return None;
        }
        let (memory, kind) = (self.memory(x), kind(y.dtype)?);
        if !self.is_small(y) {
            return Some(self.every_other(memory, which, y));
        }
        let v = (0..y.shape.size()).map(|i| self.load(kind, &memory, 2 * i + which)).collect();
        Some(Form::each(y.clone(), v))
    }

    /// An array of complex numbers, from its parts.
    pub(super) fn complex(&mut self, x: &[Form], y: &Type) -> Option<Form> {
        if y.shape.size() == 0 {
            return None;
        }
        let room = self.room_of(0, y);
        if !x.iter().all(|x| self.is_small(&x.ty)) {
            let axes = merged(y.shape.iter().copied().zip(dense(&y.shape).into_iter().map(|step| 2 * step)));
            let place = |k: usize| Place { memory: room.clone(), offset: k as i64, axes: axes.clone() };
            let parts: Vec<_> = x.iter().enumerate().map(|(k, x)| self.put_off_part(x, place(k))).collect();
            parts.iter().for_each(|slot| self.write_loop_of(slot));
            return Some(Form::memory(y.clone(), room.owned()));
        }
        let at = self.address(&room, 0);
        for (k, part) in x.iter().enumerate() {
            for (i, v) in self.scalars(part).into_iter().enumerate() {
                let bytes = self.b.kind(v).bytes();
                self.b.store(v, Address { offset: at.offset + ((2 * i + k) * bytes) as i64, ..at });
            }
        }
        Some(Form::memory(y.clone(), room))
    }
}
