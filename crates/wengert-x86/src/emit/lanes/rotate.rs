//! Rotations: the bits shifted to the left, and those that fell out shifted in from the right, as random bits are made.

use super::{Vector, Z1};
use crate::encode::simd::Mask;
use crate::encode::{BitsHasher, Rm, ops};
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use wengert_kernel::{Binary, Block, Function, Inst, Value};

type Map<T> = HashMap<u32, T, BuildHasherDefault<BitsHasher>>;

/// The rotations of a body, by their results: what is rotated, and by how many bits to the left. The shifts that they are made of
/// are nobody else's.
pub fn rotations(f: &Function, body: &Block, uses: &[u32], constants: &[Option<u64>]) -> Map<(Value, u8)> {
    let mut known: Map<u64> = HashMap::default();
    let mut shifts: Map<(Binary, Value, u64)> = HashMap::default();
    let mut found = Map::default();
    for inst in &body.insts {
        match *inst {
            Inst::Const { y, bits } => _ = known.insert(y.0, bits),
            Inst::Binary { y, op: op @ (Binary::Shl | Binary::ShrLogical), x: [x, by] } if f.kind(y).bytes() >= 4 => {
                let by = known.get(&by.0).copied().or(constants[by.index()]);
                if let Some(by) = by.filter(|_| uses[y.index()] == 1) {
                    shifts.insert(y.0, (op, x, by));
                }
            }
            Inst::Binary { y, op: Binary::Or, x } => {
                let width = 8 * f.kind(y).bytes() as u64;
                let [Some(&a), Some(&b)] = x.map(|v| shifts.get(&v.0)) else { continue };
                let (left, right) = if a.0 == Binary::Shl { (a, b) } else { (b, a) };
                let turns = left.0 == Binary::Shl && right.0 == Binary::ShrLogical && left.1 == right.1;
                if turns && left.2 > 0 && left.2 < width && left.2 + right.2 == width {
                    found.insert(y.0, (left.1, left.2 as u8));
                }
            }
            _ => {}
        }
    }
    found
}

impl Vector<'_, '_> {
    /// `y` is `x` rotated to the left.
    pub(super) fn rotate(&mut self, y: Value, x: Value, by: u8) {
        let kind = self.kind(y);
        let (l, d) = (self.length(kind), self.def(y));
        let x = self.reg(x, Z1);
        // The shift by a number, with another field.
        let wide = Self::wide(kind) as u8;
        self.e.a.evex(&ops::PSHIFTD, wide, l, 1, d.0, Rm::Reg(x).into(), Mask::ALL, false, Some(by));
        self.done(y, d);
    }
}
