//! Vector instructions, by name.

use super::simd::{NO_EVEX, NO_VEX, Op, Tuple};
use Tuple::{Full, One, Part};

macro_rules! ops {
    ($($id:ident $name:literal $pp:literal $map:literal $code:literal $vex_w:tt $evex_w:tt $tuple:expr;)*) => {
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
    FMADD213SS "fmadd213ss" 1 2 0xa9 0 0 One(4);
    FMSUB213SS "fmsub213ss" 1 2 0xab 0 0 One(4);
    FNMADD213SS "fnmadd213ss" 1 2 0xad 0 0 One(4);
    FNMSUB213SS "fnmsub213ss" 1 2 0xaf 0 0 One(4);
    FMADD213SD "fmadd213sd" 1 2 0xa9 1 1 One(8);
    FMSUB213SD "fmsub213sd" 1 2 0xab 1 1 One(8);
    FNMADD213SD "fnmadd213sd" 1 2 0xad 1 1 One(8);
    FNMSUB213SD "fnmsub213sd" 1 2 0xaf 1 1 One(8);
    FMADD231SS "fmadd231ss" 1 2 0xb9 0 0 One(4);
    FMSUB231SS "fmsub231ss" 1 2 0xbb 0 0 One(4);
    FNMADD231SS "fnmadd231ss" 1 2 0xbd 0 0 One(4);
    FNMSUB231SS "fnmsub231ss" 1 2 0xbf 0 0 One(4);
    FMADD231SD "fmadd231sd" 1 2 0xb9 1 1 One(8);
    FMSUB231SD "fmsub231sd" 1 2 0xbb 1 1 One(8);
    FNMADD231SD "fnmadd231sd" 1 2 0xbd 1 1 One(8);
    FNMSUB231SD "fnmsub231sd" 1 2 0xbf 1 1 One(8);
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
    PMOVM2D "pmovm2d" 2 2 0x38 NO_VEX 0 Full(4);
    PMOVM2Q "pmovm2q" 2 2 0x38 NO_VEX 1 Full(8);
    // Vectors of floats.
    ANDPS "andps" 0 1 0x54 0 0 Full(4);
    ANDNPS "andnps" 0 1 0x55 0 0 Full(4);
    ORPS "orps" 0 1 0x56 0 0 Full(4);
    XORPS "xorps" 0 1 0x57 0 0 Full(4);
    MOVUPD "movupd" 1 1 0x10 0 1 Full(8);
    MOVUPD_TO "movupd" 1 1 0x11 0 1 Full(8);
    ADDPS "addps" 0 1 0x58 0 0 Full(4);
    ADDPD "addpd" 1 1 0x58 0 1 Full(8);
    MULPS "mulps" 0 1 0x59 0 0 Full(4);
    MULPD "mulpd" 1 1 0x59 0 1 Full(8);
    SUBPS "subps" 0 1 0x5c 0 0 Full(4);
    SUBPD "subpd" 1 1 0x5c 0 1 Full(8);
    MINPS "minps" 0 1 0x5d 0 0 Full(4);
    MINPD "minpd" 1 1 0x5d 0 1 Full(8);
    DIVPS "divps" 0 1 0x5e 0 0 Full(4);
    DIVPD "divpd" 1 1 0x5e 0 1 Full(8);
    MAXPS "maxps" 0 1 0x5f 0 0 Full(4);
    MAXPD "maxpd" 1 1 0x5f 0 1 Full(8);
    SQRTPS "sqrtps" 0 1 0x51 0 0 Full(4);
    SQRTPD "sqrtpd" 1 1 0x51 0 1 Full(8);
    CMPPS "cmpps" 0 1 0xc2 0 0 Full(4);
    CMPPD "cmppd" 1 1 0xc2 0 1 Full(8);
    ROUNDPS "roundps" 1 3 0x08 0 0 Full(4);
    ROUNDPD "roundpd" 1 3 0x09 0 1 Full(8);
    FMADD213PS "fmadd213ps" 1 2 0xa8 0 0 Full(4);
    FMSUB213PS "fmsub213ps" 1 2 0xaa 0 0 Full(4);
    FNMADD213PS "fnmadd213ps" 1 2 0xac 0 0 Full(4);
    FNMSUB213PS "fnmsub213ps" 1 2 0xae 0 0 Full(4);
    FMADD213PD "fmadd213pd" 1 2 0xa8 1 1 Full(8);
    FMSUB213PD "fmsub213pd" 1 2 0xaa 1 1 Full(8);
    FNMADD213PD "fnmadd213pd" 1 2 0xac 1 1 Full(8);
    FNMSUB213PD "fnmsub213pd" 1 2 0xae 1 1 Full(8);
    FMADD231PS "fmadd231ps" 1 2 0xb8 0 0 Full(4);
    FMSUB231PS "fmsub231ps" 1 2 0xba 0 0 Full(4);
    FNMADD231PS "fnmadd231ps" 1 2 0xbc 0 0 Full(4);
    FNMSUB231PS "fnmsub231ps" 1 2 0xbe 0 0 Full(4);
    FMADD231PD "fmadd231pd" 1 2 0xb8 1 1 Full(8);
    FMSUB231PD "fmsub231pd" 1 2 0xba 1 1 Full(8);
    FNMADD231PD "fnmadd231pd" 1 2 0xbc 1 1 Full(8);
    FNMSUB231PD "fnmsub231pd" 1 2 0xbe 1 1 Full(8);
    BROADCASTSS "broadcastss" 1 2 0x18 0 0 One(4);
    BROADCASTSD "broadcastsd" 1 2 0x19 0 1 One(8);
    SCALEFPS "scalefps" 1 2 0x2c NO_VEX 0 Full(4);
    SCALEFPD "scalefpd" 1 2 0x2c NO_VEX 1 Full(8);
    BLENDMPS "blendmps" 1 2 0x65 NO_VEX 0 Full(4);
    BLENDMPD "blendmpd" 1 2 0x65 NO_VEX 1 Full(8);
    // The larger or smaller, by a number; of NaN and a number the number.
    RANGEPS "rangeps" 1 3 0x50 NO_VEX 0 Full(4);
    RANGEPD "rangepd" 1 3 0x50 NO_VEX 1 Full(8);
    // Vectors of integers.
    PADDD "paddd" 1 1 0xfe 0 0 Full(4);
    PADDQ "paddq" 1 1 0xd4 0 1 Full(8);
    PSUBD "psubd" 1 1 0xfa 0 0 Full(4);
    PSUBQ "psubq" 1 1 0xfb 0 1 Full(8);
    PMULLD "pmulld" 1 2 0x40 0 0 Full(4);
    PMULLQ "pmullq" 1 2 0x40 NO_VEX 1 Full(8);
    PMAXSD "pmaxsd" 1 2 0x3d 0 0 Full(4);
    PMAXSQ "pmaxsq" 1 2 0x3d NO_VEX 1 Full(8);
    PMAXUD "pmaxud" 1 2 0x3f 0 0 Full(4);
    PMAXUQ "pmaxuq" 1 2 0x3f NO_VEX 1 Full(8);
    PMINSD "pminsd" 1 2 0x39 0 0 Full(4);
    PMINSQ "pminsq" 1 2 0x39 NO_VEX 1 Full(8);
    PMINUD "pminud" 1 2 0x3b 0 0 Full(4);
    PMINUQ "pminuq" 1 2 0x3b NO_VEX 1 Full(8);
    PABSD "pabsd" 1 2 0x1e 0 0 Full(4);
    PABSQ "pabsq" 1 2 0x1f NO_VEX 1 Full(8);
    PSLLVD "psllvd" 1 2 0x47 0 0 Full(4);
    PSLLVQ "psllvq" 1 2 0x47 1 1 Full(8);
    PSRLVD "psrlvd" 1 2 0x45 0 0 Full(4);
    PSRLVQ "psrlvq" 1 2 0x45 1 1 Full(8);
    PSRAVD "psravd" 1 2 0x46 0 0 Full(4);
    PSRAVQ "psravq" 1 2 0x46 NO_VEX 1 Full(8);
    // Elements by their numbers: of two vectors, whose place the result takes, and of one.
    PERMI2PS "permi2ps" 1 2 0x77 NO_VEX 0 Full(4);
    PERMI2PD "permi2pd" 1 2 0x77 NO_VEX 1 Full(8);
    PERMPS "permps" 1 2 0x16 NO_VEX 0 Full(4);
    PERMPD "permpd" 1 2 0x16 NO_VEX 1 Full(8);
    PTERNLOGD "pternlogd" 1 3 0x25 NO_VEX 0 Full(4);
    PTERNLOGQ "pternlogq" 1 3 0x25 NO_VEX 1 Full(8);
    PCMPD "pcmpd" 1 3 0x1f NO_VEX 0 Full(4);
    PCMPQ "pcmpq" 1 3 0x1f NO_VEX 1 Full(8);
    PCMPUD "pcmpud" 1 3 0x1e NO_VEX 0 Full(4);
    PCMPUQ "pcmpuq" 1 3 0x1e NO_VEX 1 Full(8);
    PTESTMD "ptestmd" 1 2 0x27 NO_VEX 0 Full(4);
    PTESTMQ "ptestmq" 1 2 0x27 NO_VEX 1 Full(8);
    PBROADCASTD_GPR "pbroadcastd" 1 2 0x7c NO_VEX 0 One(4);
    // Shifts by a number; the register field says which.
    PSHIFTD "pslld" 1 1 0x72 0 0 Full(4);
    // Between widths of elements.
    PMOVSXBD "pmovsxbd" 1 2 0x21 0 0 Part(2);
    PMOVZXBD "pmovzxbd" 1 2 0x31 0 0 Part(2);
    PMOVSXWD "pmovsxwd" 1 2 0x23 0 0 Part(1);
    PMOVZXWD "pmovzxwd" 1 2 0x33 0 0 Part(1);
    PMOVSXDQ "pmovsxdq" 1 2 0x25 0 0 Part(1);
    PMOVZXDQ "pmovzxdq" 1 2 0x35 0 0 Part(1);
    PMOVDB_TO "pmovdb" 2 2 0x31 NO_VEX 0 Part(2);
    PMOVDW_TO "pmovdw" 2 2 0x33 NO_VEX 0 Part(1);
    PMOVQD_TO "pmovqd" 2 2 0x35 NO_VEX 0 Part(1);
    // Between integers and floats.
    CVTDQ2PS "cvtdq2ps" 0 1 0x5b 0 0 Full(4);
    CVTUDQ2PS "cvtudq2ps" 3 1 0x7a NO_VEX 0 Full(4);
    CVTDQ2PD "cvtdq2pd" 2 1 0xe6 0 0 Part(1);
    CVTUDQ2PD "cvtudq2pd" 2 1 0x7a NO_VEX 0 Part(1);
    CVTQQ2PD "cvtqq2pd" 2 1 0xe6 NO_VEX 1 Full(8);
    CVTUQQ2PD "cvtuqq2pd" 2 1 0x7a NO_VEX 1 Full(8);
    CVTQQ2PS "cvtqq2ps" 0 1 0x5b NO_VEX 1 Full(8);
    CVTUQQ2PS "cvtuqq2ps" 3 1 0x7a NO_VEX 1 Full(8);
    CVTPS2PD "cvtps2pd" 0 1 0x5a 0 0 Part(1);
    CVTPH2PS "cvtph2ps" 1 2 0x13 0 0 Part(1);
    CVTPS2PH_TO "cvtps2ph" 1 3 0x1d 0 0 Part(1);
    CVTPD2PS "cvtpd2ps" 1 1 0x5a 0 1 Full(8);
    CVTTPS2DQ "cvttps2dq" 2 1 0x5b 0 0 Full(4);
    CVTTPS2UDQ "cvttps2udq" 0 1 0x78 NO_VEX 0 Full(4);
    CVTTPD2DQ "cvttpd2dq" 1 1 0xe6 0 1 Full(8);
    CVTTPD2UDQ "cvttpd2udq" 0 1 0x78 NO_VEX 1 Full(8);
    CVTTPS2QQ "cvttps2qq" 1 1 0x7a NO_VEX 0 Part(1);
    CVTTPS2UQQ "cvttps2uqq" 1 1 0x78 NO_VEX 0 Part(1);
    CVTTPD2QQ "cvttpd2qq" 1 1 0x7a NO_VEX 1 Full(8);
    CVTTPD2UQQ "cvttpd2uqq" 1 1 0x78 NO_VEX 1 Full(8);
    // Gathers and scatters, by indices of 32 or 64 bits.
    GATHERDPS "gatherdps" 1 2 0x92 NO_VEX 0 One(4);
    GATHERDPD "gatherdpd" 1 2 0x92 NO_VEX 1 One(8);
    GATHERQPS "gatherqps" 1 2 0x93 NO_VEX 0 One(4);
    GATHERQPD "gatherqpd" 1 2 0x93 NO_VEX 1 One(8);
    SCATTERDPS "scatterdps" 1 2 0xa2 NO_VEX 0 One(4);
    SCATTERDPD "scatterdpd" 1 2 0xa2 NO_VEX 1 One(8);
    SCATTERQPS "scatterqps" 1 2 0xa3 NO_VEX 0 One(4);
    SCATTERQPD "scatterqpd" 1 2 0xa3 NO_VEX 1 One(8);
    // Where there are no mask registers.
    PCMPEQD "pcmpeqd" 1 1 0x76 0 NO_EVEX Full(4);
    PCMPEQQ "pcmpeqq" 1 2 0x29 0 NO_EVEX Full(8);
    PCMPGTD "pcmpgtd" 1 1 0x66 0 NO_EVEX Full(4);
    PCMPGTQ "pcmpgtq" 1 2 0x37 0 NO_EVEX Full(8);
    BLENDVPS "blendvps" 1 3 0x4a 0 NO_EVEX Full(4);
    EXTRACTF128_TO "extractf128" 1 3 0x19 0 NO_EVEX Part(1);
    SHUFPS "shufps" 0 1 0xc6 0 NO_EVEX Full(4);
    SHUFPD "shufpd" 1 1 0xc6 0 NO_EVEX Full(8);
    PERMPD_BY "permpd" 1 3 0x01 1 NO_EVEX Full(8);
    PERM2F128 "perm2f128" 1 3 0x06 0 NO_EVEX Full(4);
    UNPCKLPS "unpcklps" 0 1 0x14 0 NO_EVEX Full(4);
    UNPCKHPS "unpckhps" 0 1 0x15 0 NO_EVEX Full(4);
    UNPCKLPD "unpcklpd" 1 1 0x14 0 NO_EVEX Full(8);
    UNPCKHPD "unpckhpd" 1 1 0x15 0 NO_EVEX Full(8);
    MASKMOVPS_TO "maskmovps" 1 2 0x2e 0 NO_EVEX Full(4);
    MASKMOVPD_TO "maskmovpd" 1 2 0x2f 0 NO_EVEX Full(8);
    PACKSSDW "packssdw" 1 1 0x6b 0 NO_EVEX Full(4);
    PACKUSDW "packusdw" 1 2 0x2b 0 NO_EVEX Full(4);
    PACKSSWB "packsswb" 1 1 0x63 0 NO_EVEX Full(4);
    PACKUSWB "packuswb" 1 1 0x67 0 NO_EVEX Full(4);
    PBROADCASTD "pbroadcastd" 1 2 0x58 0 NO_EVEX One(4);
    PBROADCASTQ "pbroadcastq" 1 2 0x59 0 NO_EVEX One(8);
    PMOVZXBQ "pmovzxbq" 1 2 0x32 0 NO_EVEX Part(3);
    // Masks of up to 16 lanes.
    KANDW "kandw" 0 1 0x41 0 0 Full(2);
    KANDNW "kandnw" 0 1 0x42 0 0 Full(2);
    KNOTW "knotw" 0 1 0x44 0 0 Full(2);
    KORW "korw" 0 1 0x45 0 0 Full(2);
    KXNORW "kxnorw" 0 1 0x46 0 0 Full(2);
    KORTESTW "kortestw" 0 1 0x98 0 0 Full(2);
    KXORW "kxorw" 0 1 0x47 0 0 Full(2);
    KMOVW "kmovw" 0 1 0x90 0 0 Full(2);
    KMOVW_GPR "kmovw" 0 1 0x92 0 0 Full(2);
    KMOVW_TO_GPR "kmovw" 0 1 0x93 0 0 Full(2);
    MOVMSKPS "movmskps" 0 1 0x50 0 NO_EVEX Full(4);
    MOVMSKPD "movmskpd" 1 1 0x50 0 NO_EVEX Full(8);
}

/// What [`CMPSS`] and its siblings compare for.
pub mod compare {
    pub const EQ: u8 = 0;
    pub const LT: u8 = 1;
    pub const LE: u8 = 2;
    pub const UNORDERED: u8 = 3;
    pub const NE: u8 = 4;
    pub const ORDERED: u8 = 7;
    pub const GE: u8 = 13;
    pub const GT: u8 = 14;
}

/// How [`ROUNDSS`] and its siblings round, without telling that a result is not exact.
pub mod round {
    /// Of [`CVTPS2PH_TO`](super::CVTPS2PH_TO): to the nearest, ties to even.
    pub const NEAREST: u8 = 0;
    pub const EVEN: u8 = 8;
    pub const FLOOR: u8 = 9;
    pub const CEIL: u8 = 10;
    pub const TRUNC: u8 = 11;
}

/// Products with sums, by what happens to the signs of the product and of the last operand. The register that is written is
/// a factor (`213`) or the last operand (`231`).
pub struct MulAdd {
    pub over_factor: [[&'static Op; 2]; 2],
    pub over_last: [[&'static Op; 2]; 2],
}

macro_rules! mul_add {
    ($($id:ident: $a:ident $b:ident $c:ident $d:ident, $e:ident $f:ident $g:ident $h:ident;)*) => {
        $(pub const $id: MulAdd =
            MulAdd { over_factor: [[&$a, &$b], [&$c, &$d]], over_last: [[&$e, &$f], [&$g, &$h]] };)*
    };
}

mul_add! {
    MUL_ADD_SS: FMADD213SS FMSUB213SS FNMADD213SS FNMSUB213SS, FMADD231SS FMSUB231SS FNMADD231SS FNMSUB231SS;
    MUL_ADD_SD: FMADD213SD FMSUB213SD FNMADD213SD FNMSUB213SD, FMADD231SD FMSUB231SD FNMADD231SD FNMSUB231SD;
    MUL_ADD_PS: FMADD213PS FMSUB213PS FNMADD213PS FNMSUB213PS, FMADD231PS FMSUB231PS FNMADD231PS FNMSUB231PS;
    MUL_ADD_PD: FMADD213PD FMSUB213PD FNMADD213PD FNMSUB213PD, FMADD231PD FMSUB231PD FNMADD231PD FNMSUB231PD;
}
