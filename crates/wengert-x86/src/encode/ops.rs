//! Vector instructions, by name.

use super::simd::{Op, Tuple};
use Tuple::{Full, One};

macro_rules! ops {
    ($($id:ident $name:literal $pp:literal $map:literal $code:literal $vex_w:literal $evex_w:literal $tuple:expr;)*) => {
        $(pub const $id: Op = Op {
            name: $name, pp: $pp, map: $map, code: $code, vex_w: $vex_w, evex_w: $evex_w, tuple: $tuple,
        };)*
        /// All of them.
        #[cfg(test)]
        pub const ALL: &[Op] = &[$($id),*];
    };
}

ops! {
    // Scalars.
    ADDSS "addss" 2 1 0x58 0 0 One(4);
    ADDSD "addsd" 3 1 0x58 0 1 One(8);
    MULSS "mulss" 2 1 0x59 0 0 One(4);
    MULSD "mulsd" 3 1 0x59 0 1 One(8);
    SUBSS "subss" 2 1 0x5c 0 0 One(4);
    SUBSD "subsd" 3 1 0x5c 0 1 One(8);
    MINSS "minss" 2 1 0x5d 0 0 One(4);
    MINSD "minsd" 3 1 0x5d 0 1 One(8);
    DIVSS "divss" 2 1 0x5e 0 0 One(4);
    DIVSD "divsd" 3 1 0x5e 0 1 One(8);
    MAXSS "maxss" 2 1 0x5f 0 0 One(4);
    MAXSD "maxsd" 3 1 0x5f 0 1 One(8);
    SQRTSS "sqrtss" 2 1 0x51 0 0 One(4);
    SQRTSD "sqrtsd" 3 1 0x51 0 1 One(8);
    UCOMISS "ucomiss" 0 1 0x2e 0 0 One(4);
    UCOMISD "ucomisd" 1 1 0x2e 0 1 One(8);
    CMPSS "cmpss" 2 1 0xc2 0 0 One(4);
    CMPSD "cmpsd" 3 1 0xc2 0 1 One(8);
    ROUNDSS "roundss" 1 3 0x0a 0 0 One(4);
    ROUNDSD "roundsd" 1 3 0x0b 0 1 One(8);
    CVTSS2SD "cvtss2sd" 2 1 0x5a 0 0 One(4);
    CVTSD2SS "cvtsd2ss" 3 1 0x5a 0 1 One(8);
    FMADD132SS "fmadd132ss" 1 2 0x99 0 0 One(4);
    FMADD132SD "fmadd132sd" 1 2 0x99 1 1 One(8);
    FMADD213SS "fmadd213ss" 1 2 0xa9 0 0 One(4);
    FMADD213SD "fmadd213sd" 1 2 0xa9 1 1 One(8);
    FMADD231SS "fmadd231ss" 1 2 0xb9 0 0 One(4);
    FMADD231SD "fmadd231sd" 1 2 0xb9 1 1 One(8);
    // Between general and vector registers.
    CVTSI2SS "cvtsi2ss" 2 1 0x2a 0 0 One(4);
    CVTSI2SD "cvtsi2sd" 3 1 0x2a 0 0 One(4);
    CVTTSS2SI "cvttss2si" 2 1 0x2c 0 0 One(4);
    CVTTSD2SI "cvttsd2si" 3 1 0x2c 0 0 One(8);
    MOVD "movd" 1 1 0x6e 0 0 One(4);
    MOVD_TO "movd" 1 1 0x7e 0 0 One(4);
    // Moves.
    MOVSS "movss" 2 1 0x10 0 0 One(4);
    MOVSS_TO "movss" 2 1 0x11 0 0 One(4);
    MOVSD "movsd" 3 1 0x10 0 1 One(8);
    MOVSD_TO "movsd" 3 1 0x11 0 1 One(8);
    MOVAPS "movaps" 0 1 0x28 0 0 Full(4);
    MOVUPS "movups" 0 1 0x10 0 0 Full(4);
    MOVUPS_TO "movups" 0 1 0x11 0 0 Full(4);
    // Between masks and vectors.
    PMOVM2D "pmovm2d" 2 2 0x38 0 0 Full(4);
    PMOVM2Q "pmovm2q" 2 2 0x38 0 1 Full(8);
    // Vectors of floats.
    ANDPS "andps" 0 1 0x54 0 0 Full(4);
    ANDNPS "andnps" 0 1 0x55 0 0 Full(4);
    ORPS "orps" 0 1 0x56 0 0 Full(4);
    XORPS "xorps" 0 1 0x57 0 0 Full(4);
}

/// What [`CMPSS`] and its siblings compare for.
pub mod compare {
    pub const EQ: u8 = 0;
    pub const LT: u8 = 1;
    pub const LE: u8 = 2;
    pub const UNORDERED: u8 = 3;
    pub const NE: u8 = 4;
}

/// How [`ROUNDSS`] and its siblings round, without telling that a result is not exact.
pub mod round {
    pub const EVEN: u8 = 8;
    pub const FLOOR: u8 = 9;
    pub const CEIL: u8 = 10;
    pub const TRUNC: u8 = 11;
}
