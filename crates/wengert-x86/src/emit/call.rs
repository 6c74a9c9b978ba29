//! Calls of functions outside of the language, and those that stand in for instructions a machine may not have.

use super::{Emit, X0, X1};
use crate::allocate::{ARGUMENTS, Loc};
use crate::encode::RAX;
use crate::encode::gpr::Cond;
use wengert_kernel::{Callee, Kind, Unary, Value, half};

macro_rules! helpers {
    ($($name:ident($($x:ident),+) = $single:expr, $double:expr;)*) => {
        $(mod $name {
            pub extern "C" fn f32($($x: f32),+) -> f32 { $single($($x),+) }
            pub extern "C" fn f64($($x: f64),+) -> f64 { $double($($x),+) }
        })*
    };
}

helpers! {
    floor(x) = f32::floor, f64::floor;
    ceil(x) = f32::ceil, f64::ceil;
    trunc(x) = f32::trunc, f64::trunc;
    round_even(x) = f32::round_ties_even, f64::round_ties_even;
    fused(a, b, c) = f32::mul_add, f64::mul_add;
}

/// Both of [`Kind::F16`].
pub extern "C" fn f16_to_f32(x: u32) -> f32 {
    half::f16_to_f32(x as u16)
}

pub extern "C" fn f16_from_f32(x: f32) -> u32 {
    half::f16_from_f32(x) as u32
}

/// The function that rounds a float so.
pub fn rounding(op: Unary, kind: Kind) -> usize {
    let (single, double): (extern "C" fn(f32) -> f32, extern "C" fn(f64) -> f64) = match op {
        Unary::Floor => (floor::f32, floor::f64),
        Unary::Ceil => (ceil::f32, ceil::f64),
        Unary::Trunc => (trunc::f32, trunc::f64),
        _ => (round_even::f32, round_even::f64),
    };
    if kind == Kind::F32 { single as usize } else { double as usize }
}

/// The function that multiplies and adds with one rounding.
pub fn mul_add(kind: Kind) -> usize {
    if kind == Kind::F32 { fused::f32 as *const () as usize } else { fused::f64 as *const () as usize }
}

impl Emit<'_> {
    /// Calls what lies at an address; arguments are where they belong.
    pub(super) fn call_address(&mut self, address: usize) {
        self.a.mov_imm(RAX, address as u64);
        self.a.call(RAX);
    }

    pub(super) fn call(&mut self, callee: &Callee, x: &[Value]) {
        let moves: Vec<_> = x.iter().zip(ARGUMENTS).map(|(&v, r)| (Loc::Gpr(r), self.loc(v), self.kind(v))).collect();
        self.moves(&moves);
        self.call_address(callee.address());
        let fail = match self.fail {
            Some(l) => l,
            None => *self.fail.insert(self.a.label()),
        };
        self.a.test_al();
        self.a.jump_if(Cond::E, fail);
    }

    pub(super) fn call_where(&mut self, y: Value, callee: &Callee, condition: Value, x: &[Value], otherwise: Value) {
        self.read_gpr(RAX, condition);
        self.read_simd(X0, otherwise);
        self.a.test_al();
        let skip = self.a.label();
        self.a.jump_if(Cond::E, skip);
        // The scratch registers are those of the arguments.
        for (&v, r) in x.iter().zip([X0, X1]) {
            self.read_simd(r, v);
        }
        self.call_address(callee.address());
        self.a.bind(skip);
        self.done_simd(y, X0);
    }

    pub(super) fn call_memcpy(&mut self, from: Value, to: Value, bytes: usize) {
        let moves = [
            (Loc::Gpr(ARGUMENTS[0]), self.loc(to), Kind::Ptr),
            (Loc::Gpr(ARGUMENTS[1]), self.loc(from), Kind::Ptr),
            (Loc::Gpr(ARGUMENTS[2]), Loc::Const(bytes as u64), Kind::I64),
        ];
        self.moves(&moves);
        self.call_address(libc::memcpy as *const () as usize);
    }
}
