//! Where values live: in a register or a stack slot, the same for all of a value's life.
//!
//! [`live`] finds from where to where each value is live, and joins values that can share one place; [`scan`] gives out
//! registers in that order. Both are linear in the length of the function.

pub mod live;
pub mod scan;

use crate::Features;
use crate::emit::lanes::plan::Plan;
use crate::encode::{Gpr, Simd};
use std::collections::HashMap;
use wengert_kernel::{Block, Function, Inst, Kind, Unary, Value};

/// The place of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Loc {
    /// Nowhere: it is not defined.
    None,
    /// In a general register.
    Gpr(Gpr),
    /// In a vector register.
    Simd(Simd),
    /// On the stack, 8 bytes.
    Slot(u32),
    /// Made where it is used.
    Const(u64),
}

/// General registers that are given to values, those first that calls overwrite; rax, rcx and rdx are kept for emission.
pub const CALLER_SAVED: u32 = 1 << 6 | 1 << 7 | 0xf << 8;
/// General registers that calls keep.
pub const CALLEE_SAVED: u32 = 1 << 3 | 1 << 5 | 0xf << 12;
/// Where pointers come in.
pub const ARGUMENTS: [Gpr; 6] = [Gpr(7), Gpr(6), Gpr(2), Gpr(1), Gpr(8), Gpr(9)];

/// Copies up to this many bytes are done by moves.
pub const COPY_INLINE: usize = 256;

/// Where everything lives.
pub struct Allocation {
    /// By value.
    pub locs: Vec<Loc>,
    /// By value: comparisons that are done by the instruction that uses them.
    pub fused: Vec<bool>,
    /// How many stack slots.
    pub slots: u32,
    /// Which registers are used that calls keep.
    pub saved: u32,
    /// Whether anything is called.
    pub calls: bool,
    /// How loops over lanes are done by vectors, by their bodies.
    pub plans: HashMap<*const Block, Plan>,
}

impl Allocation {
    /// The place of a value.
    pub fn loc(&self, v: Value) -> Loc {
        self.locs[v.index()]
    }
}

/// Whether an instruction calls a function, and so overwrites registers.
pub fn calls(f: &Function, inst: &Inst, features: Features) -> bool {
    match inst {
        Inst::Convert { y, x } if f.kind(*x) != f.kind(*y) => {
            calls_for(f.kind(*x), features) || calls_for(f.kind(*y), features)
        }
        Inst::Call { .. } | Inst::CallWhere { .. } => true,
        Inst::Copy { bytes, .. } => *bytes > COPY_INLINE,
        Inst::MulAdd { .. } => features < Features::Avx2,
        Inst::Unary { op: Unary::Floor | Unary::Ceil | Unary::Trunc | Unary::RoundEven, .. } => {
            features < Features::Sse41
        }
        _ => false,
    }
}

/// Whether a float of this kind is converted by a function.
pub fn calls_for(kind: Kind, features: Features) -> bool {
    kind == Kind::F16 && features < Features::Avx2
}

/// Whether values of this kind live in vector registers.
pub fn in_simd(kind: Kind) -> bool {
    kind.is_float()
}

/// Finds a place for every value.
pub fn allocate(f: &Function, features: Features) -> Allocation {
    let live = live::Live::of(f, features);
    scan::scan(f, live, features)
}
