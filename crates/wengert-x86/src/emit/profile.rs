//! Marks in code that is profiled: each reads the clock of the core, and adds what went by to the counter of the mark that
//! held until there.
//!
//! The function takes one pointer more, to the counters, one for each mark; the first is that of no mark. It keeps on the
//! stack where they lie, when the last mark was come by, and which counter is that mark's.

use super::Emit;
use crate::allocate::ARGUMENTS;
use crate::encode::gpr::{Alu, Shift, Width};
use crate::encode::{Mem, RAX, RCX, RDX};
use wengert_kernel::profile::Counter;

/// Words on the stack: where the counters are, the clock at the last mark, the counter of that mark.
pub const WORDS: u32 = 3;
const EACH: i32 = size_of::<Counter>() as i32;
const RUNS: i32 = std::mem::offset_of!(Counter, runs) as i32;

impl Emit<'_> {
    /// A word of the stack that is for profiles, if this code is profiled.
    fn profile_word(&self, i: u32) -> Option<Mem> {
        self.profile.map(|first| self.slot(first + i))
    }

    /// The clock, in rax.
    fn clock(&mut self) {
        self.a.rdtsc();
        self.a.shift_imm(Shift::Shl, Width::W64, RDX, 32);
        self.a.alu(Alu::Or, Width::W64, RAX, RDX);
    }

    /// At the entry, where arguments are still where they came in.
    pub(super) fn begin_profile(&mut self) {
        let (Some(base), Some(last), Some(current)) =
            (self.profile_word(0), self.profile_word(1), self.profile_word(2))
        else {
            return;
        };
        let counters = ARGUMENTS[self.f.params.len()];
        self.a.store(8, base, counters);
        self.a.store(8, current, counters);
        self.a.alu_imm(Alu::Add, Width::W64, Mem::at(counters, RUNS), 1);
        // The clock overwrites rdx, where the third argument comes in; its own counter's register is not needed any longer.
        self.a.mov(Width::W64, counters, RDX);
        self.clock();
        self.a.store(8, last, RAX);
        self.a.mov(Width::W64, RDX, counters);
    }

    /// Ends the mark that holds; the next one, if there is one, begins.
    pub(super) fn profile(&mut self, next: Option<u32>) {
        let (Some(base), Some(last), Some(current)) =
            (self.profile_word(0), self.profile_word(1), self.profile_word(2))
        else {
            return;
        };
        self.clock();
        self.a.mov(Width::W64, RCX, last);
        self.a.store(8, last, RAX);
        self.a.alu(Alu::Sub, Width::W64, RAX, RCX);
        self.a.mov(Width::W64, RCX, current);
        self.a.alu_to(Alu::Add, Width::W64, Mem::at(RCX, 0), RAX);
        if let Some(next) = next {
            self.a.mov(Width::W64, RCX, base);
            self.a.alu_imm(Alu::Add, Width::W64, RCX, EACH * next as i32);
            self.a.store(8, current, RCX);
            self.a.alu_imm(Alu::Add, Width::W64, Mem::at(RCX, RUNS), 1);
        }
    }
}
