//! Which instruction sets may be used.

/// Sets of instructions, each with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Features {
    /// What every x86-64 has.
    Sse2,
    /// With roundings.
    Sse41,
    /// With AVX, AVX2, FMA and conversions of floats of 16 bits.
    Avx2,
    /// With AVX-512 F, BW, DQ and VL.
    Avx512,
}

impl Features {
    /// What this machine has; none if its code is not ours.
    pub fn detect() -> Option<Features> {
        #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
        {
            use std::arch::is_x86_feature_detected as has;
            Some(if !has!("sse4.1") {
                Features::Sse2
            } else if !(has!("avx2") && has!("fma") && has!("f16c")) {
                Features::Sse41
            } else if !(has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl")) {
                Features::Avx2
            } else {
                Features::Avx512
            })
        }
        #[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
        None
    }
}
