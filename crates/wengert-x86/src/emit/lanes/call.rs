//! Calls of functions, lane by lane through the stack.

use super::plan::{FIRST, Place, TAIL};
use super::{K1, Vector, X0, X1, Z0, Z1};
use crate::allocate::ARGUMENTS;
use crate::encode::gpr::{Cond, Width};
use crate::encode::simd::{Form, Length};
use crate::encode::{Gpr, Mem, RAX, RCX, Rm, Simd, ops};
use wengert_kernel::{Callee, Kind, Value};

macro_rules! each {
    ($($name:ident $t:ty)*) => {$(
        /// Calls a function of the numbers whose bits are set.
        ///
        /// # Safety
        /// There are such numbers in both rows.
        unsafe extern "C" fn $name(f: extern "C" fn($t) -> $t, x: *const $t, y: *mut $t, mut lanes: u32) {
            while lanes != 0 {
                let i = lanes.trailing_zeros() as usize;
                // SAFETY: as above.
                unsafe { *y.add(i) = f(*x.add(i)) };
                lanes &= lanes - 1;
            }
        }
    )*};
}
each! { each_f32 f32 each_f64 f64 }

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

    /// Calls a function for the lanes where a condition holds. Nobody expects any: all registers are saved then.
    pub(super) fn call_where(&mut self, y: Value, callee: &Callee, condition: Value, [x, otherwise]: [Value; 2]) {
        let kind = self.kind(y);
        let l = self.length(kind);
        let Some(saves) = self.plan.saves else { return };
        if self.plan.masks {
            let mut k = self.mask(condition);
            if self.partial {
                self.k(&ops::KANDW, K1, k, TAIL);
                k = K1;
            }
            self.mask_to_gpr(RAX, k);
        } else {
            let mask = self.reg(condition, Z0);
            let op = if self.plan.wide { &ops::MOVMSKPD } else { &ops::MOVMSKPS };
            self.e.a.vex(op, 0, Length::L256, RAX.0, 0, Rm::Reg(mask).into(), None);
        }
        let otherwise = self.rm(otherwise);
        self.two(&ops::MOVUPS, l, Z0, otherwise);
        let x = self.reg(x, Z1);
        self.e.a.test(Width::W32, RAX, RAX);
        let skip = self.e.a.label();
        self.e.a.jump_if(Cond::E, skip);
        let [argument, result, masks] = [0, 1, 2].map(|i| self.e.vector_slot(saves + i));
        self.two(&ops::MOVUPS_TO, l, x, argument);
        self.two(&ops::MOVUPS_TO, l, Z0, result);
        self.keep_registers(saves, masks, true);
        self.e.a.zero_upper();
        let [function, from, to, lanes] = [ARGUMENTS[0], ARGUMENTS[1], ARGUMENTS[2], ARGUMENTS[3]];
        self.e.a.mov(Width::W32, lanes, RAX);
        self.e.a.mov_imm(function, callee.address() as u64);
        self.e.a.lea(Width::W64, from, argument);
        self.e.a.lea(Width::W64, to, result);
        let each = if kind == Kind::F32 { each_f32 as *const () } else { each_f64 as *const () };
        self.e.call_address(each as usize);
        self.keep_registers(saves, masks, false);
        self.two(&ops::MOVUPS, l, Z0, result);
        self.e.a.bind(skip);
        self.done(y, Z0);
    }

    /// All registers that hold values go to the stack, or come back.
    fn keep_registers(&mut self, saves: u32, masks: Mem, to_stack: bool) {
        let (last, l) = if self.plan.masks { (32, Length::L512) } else { (16, Length::L256) };
        for r in FIRST..last {
            let m = self.e.vector_slot(saves + 3 + (r - FIRST) as u32);
            self.two(if to_stack { &ops::MOVUPS_TO } else { &ops::MOVUPS }, l, Simd(r), m);
        }
        let Mem::At { base, index, disp } = masks else { return };
        for k in (2..8).filter(|_| self.plan.masks) {
            let m = Mem::At { base, index, disp: disp + 8 * k as i32 };
            if to_stack {
                self.mask_to_gpr(RCX, k);
                self.e.a.store(8, m, RCX);
            } else {
                self.e.a.mov(Width::W64, RCX, m);
                self.e.a.vex(&ops::KMOVW_GPR, 0, Length::L128, k, 0, Rm::Reg(RCX).into(), None);
            }
        }
    }

    fn mask_to_gpr(&mut self, r: Gpr, k: u8) {
        self.e.a.vex(&ops::KMOVW_TO_GPR, 0, Length::L128, r.0, 0, Rm::Reg(Simd(k)).into(), None);
    }

    /// One lane of a vector on the stack.
    fn lane(&self, slot: u32, lane: usize, kind: Kind) -> Mem {
        match self.e.vector_slot(slot) {
            Mem::At { base, index, disp } => Mem::At { base, index, disp: disp + (lane * kind.bytes()) as i32 },
            other => other,
        }
    }
}
