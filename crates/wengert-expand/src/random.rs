//! Random bits: the hash function Threefry in integers of 32 bits. The generators of StableHLO are up to the device,
//! and have no expansion.

use crate::program;
use wengert_core::ops::Binary;
use wengert_core::{Builder, Program, Scalar, Tensor, Type};

/// Twenty rounds.
pub(crate) fn threefry(ty: &Type) -> Program {
    const ROTATIONS: [[u32; 4]; 2] = [[13, 15, 26, 6], [17, 29, 16, 24]];
    let word = |b: &mut Builder, n: u32| b.constant(Tensor::splat(ty.shape.clone(), Scalar::U32(n)));
    program([ty, ty, ty, ty], |b, x| {
        let parity = word(b, 0x1BD1_1BDA);
        let both = b.binary(Binary::Xor, x[0], x[1]);
        let keys = [x[0], x[1], b.binary(Binary::Xor, both, parity)];
        let (mut p, mut q) = (b.add(x[2], keys[0]), b.add(x[3], keys[1]));
        for group in 0..5 {
            for r in ROTATIONS[group % 2] {
                p = b.add(p, q);
                let (left, right) = (word(b, r), word(b, 32 - r));
                let high = b.binary(Binary::Shl, q, left);
                let low = b.binary(Binary::ShrLogical, q, right);
                let turned = b.binary(Binary::Or, high, low);
                q = b.binary(Binary::Xor, p, turned);
            }
            p = b.add(p, keys[(group + 1) % 3]);
            q = b.add(q, keys[(group + 2) % 3]);
            let count = word(b, group as u32 + 1);
            q = b.add(q, count);
        }
        vec![p, q]
    })
}
