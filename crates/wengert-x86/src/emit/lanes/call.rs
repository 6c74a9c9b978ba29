//! Calls of functions, lane by lane through the stack.

use super::plan::Place;
use super::{Vector, X0, X1, Z0};
use crate::encode::simd::{Form, Length};
use crate::encode::{Mem, ops};
use wengert_kernel::{Callee, Kind, Value};

impl Vector<'_, '_> {
    pub(super) fn call(&mut self, y: Value, callee: &Callee, x: &[Value]) {
        let kind = self.kind(y);
        let l = self.length(kind);
        let buffers = self.plan.slots - 2;
        let mut from = Vec::new();
        for (i, &v) in x.iter().enumerate() {
            let slot = match self.plan.place(v, self.copy) {
                Place::Slot(s) => s,
                _ => {
                    let r = self.reg(v, Z0);
                    let buffer = buffers + i as u32;
                    let m = self.e.vector_slot(buffer);
                    self.two(&ops::MOVUPS_TO, l, r, m);
                    buffer
                }
            };
            from.push(slot);
        }
        self.e.a.zero_upper();
        let (read, write) =
            if kind == Kind::F32 { (&ops::MOVSS, &ops::MOVSS_TO) } else { (&ops::MOVSD, &ops::MOVSD_TO) };
        let form = Form::Vex;
        for lane in 0..self.present {
            for (&slot, r) in from.iter().zip([X0, X1]) {
                let m = self.lane(slot, lane, kind);
                self.e.a.two(form, read, Length::L128, r, m, None);
            }
            self.e.call_address(callee.address());
            // The result goes where the first argument may have come from: this lane of it is used up.
            let m = self.lane(buffers, lane, kind);
            self.e.a.two(form, write, Length::L128, X0, m, None);
        }
        if self.partial {
            self.e.tail_mask(self.present);
        }
        let (d, m) = (self.def(y), self.e.vector_slot(buffers));
        self.two(&ops::MOVUPS, l, d, m);
        self.done(y, d);
    }

    /// One lane of a vector on the stack.
    fn lane(&self, slot: u32, lane: usize, kind: Kind) -> Mem {
        match self.e.vector_slot(slot) {
            Mem::At { base, index, disp } => Mem::At { base, index, disp: disp + (lane * kind.bytes()) as i32 },
            other => other,
        }
    }
}
