//! Calls of functions, lane by lane through the stack.

use super::plan::FIRST;
use super::{Vector, Z0, Z1};
use crate::allocate::ARGUMENTS;
use crate::encode::gpr::{Alu, Cond, Width};
use crate::encode::simd::Length;
use crate::encode::{Gpr, Mem, RAX, RCX, Rm, Simd, ops};
use wengert_kernel::{Callee, Signature, Value};

/// Rows that a call of a function for some lanes keeps on the stack, beside the registers: its two arguments, its result, and
/// the masks.
pub(super) const KEPT: u32 = 4;

macro_rules! each {
    ($($name:ident $t:ty, $($x:ident)+;)*) => {$(
        /// Calls a function of the numbers whose bits are set.
        ///
        /// # Safety
        /// There are such numbers in all rows.
        unsafe extern "C" fn $name(f: extern "C" fn($(each!(@type $x $t)),+) -> $t, mut lanes: u32, y: *mut $t, $($x: *const $t),+) {
            while lanes != 0 {
                let i = lanes.trailing_zeros() as usize;
                // SAFETY: as above.
                unsafe { *y.add(i) = f($(*$x.add(i)),+) };
                lanes &= lanes - 1;
            }
        }
    )*};
    (@type $x:ident $t:ty) => { $t };
}
each! {
    each_f32 f32, x;
    each_f64 f64, x;
    each_pair_f32 f32, x z;
    each_pair_f64 f64, x z;
}

impl Vector<'_, '_> {
    /// Calls a function for the lanes where a condition holds. Nobody expects any: all registers are saved then.
    pub(super) fn call_where(&mut self, y: Value, callee: &Callee, condition: Value, x: &[Value], otherwise: Value) {
        let kind = self.kind(y);
        let l = self.length(kind);
        let Some(saves) = self.plan.saves else { return };
        if self.plan.masks {
            let k = self.mask(condition);
            self.mask_to_gpr(RAX, k);
            // A mask that is the same in all lanes has bits of lanes that there are not.
            if self.present < 16 {
                self.e.a.alu_imm(Alu::And, Width::W32, RAX, (1 << self.present) - 1);
            }
        } else {
            let mask = self.reg(condition, Z0);
            let op = if self.plan.wide { &ops::MOVMSKPD } else { &ops::MOVMSKPS };
            self.e.a.vex(op, 0, Length::L256, RAX.0, 0, Rm::Reg(mask).into(), None);
        }
        let otherwise = self.rm(otherwise);
        self.two(&ops::MOVUPS, l, Z0, otherwise);
        self.e.a.test(Width::W32, RAX, RAX);
        let skip = self.e.a.label();
        self.e.a.jump_if(Cond::E, skip);
        let [first, second, result, masks] = [0, 1, 2, 3].map(|i| self.e.vector_slot(saves + i));
        for (&x, argument) in x.iter().zip([first, second]) {
            let x = self.reg(x, Z1);
            self.two(&ops::MOVUPS_TO, l, x, argument);
        }
        self.two(&ops::MOVUPS_TO, l, Z0, result);
        self.keep_registers(saves, masks, true);
        self.e.a.zero_upper();
        self.e.a.mov(Width::W32, ARGUMENTS[1], RAX);
        self.e.a.mov_imm(ARGUMENTS[0], callee.address() as u64);
        for (row, to) in [result, first, second].into_iter().zip(&ARGUMENTS[2..]) {
            self.e.a.lea(Width::W64, *to, row);
        }
        let each = match callee.signature() {
            Signature::F32 => each_f32 as *const (),
            Signature::F64 => each_f64 as *const (),
            Signature::PairF32 => each_pair_f32 as *const (),
            _ => each_pair_f64 as *const (),
        };
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
            let m = self.e.vector_slot(saves + KEPT + (r - FIRST) as u32);
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
}
