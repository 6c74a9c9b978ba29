//! Loops over numbers, compiled for the instruction sets of a machine. Multiplications and additions are apart, and lanes are
//! those of [`LANES`] whatever the width of vectors is: all machines give the same bits.
//!
//! Complex numbers are two reals beside each other. What is multiplied by them comes in two forms, so that a loop need not
//! know: `P` is 1 for reals, and 2 for complex numbers. Loops are plain ones: what takes closures is compiled apart, without
//! the instructions.

use super::rotation::Rotation;

/// The sums of a dot product, which are added by halves.
const LANES: usize = 8;
/// The rows of a panel whose columns are turned.
pub(super) const ROWS: usize = 32;
/// Rows that stay in the nearest cache while columns are added to them.
const NEAR: usize = 512;

/// A function that is compiled for each instruction set, and calls the one of this machine.
macro_rules! compiled {
    ($(#[$doc:meta])* fn $name:ident $(<const $p:ident: usize>)? ($($arg:ident: $t:ty),* $(,)?) $(-> $r:ty)? $body:block) => {
        $(#[$doc])*
        pub(super) fn $name $(<const $p: usize>)? ($($arg: $t),*) $(-> $r)? {
            #[inline(always)]
            fn body $(<const $p: usize>)? ($($arg: $t),*) $(-> $r)? $body
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f")]
                fn wide $(<const $p: usize>)? ($($arg: $t),*) $(-> $r)? {
                    body $(::<$p>)? ($($arg),*)
                }
                #[target_feature(enable = "avx2")]
                fn half $(<const $p: usize>)? ($($arg: $t),*) $(-> $r)? {
                    body $(::<$p>)? ($($arg),*)
                }
                if is_x86_feature_detected!("avx512f") {
                    // SAFETY: the machine has these instructions.
                    return unsafe { wide $(::<$p>)? ($($arg),*) };
                }
                if is_x86_feature_detected!("avx2") {
                    // SAFETY: the machine has these instructions.
                    return unsafe { half $(::<$p>)? ($($arg),*) };
                }
            }
            body $(::<$p>)? ($($arg),*)
        }
    };
}

/// Eight neighbours.
#[inline(always)]
fn lanes(x: &[f64], at: usize) -> &[f64; LANES] {
    x[at..at + LANES].try_into().expect("as many")
}

/// Lanes added by halves, the first half with the second.
#[inline(always)]
fn all_halves<const N: usize, const P: usize>(sums: [[[f64; LANES]; P]; N]) -> [[f64; P]; N] {
    let mut all = [[0.0; P]; N];
    for n in 0..N {
        for p in 0..P {
            let x = &sums[n][p];
            all[n][p] = ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
        }
    }
    all
}

#[inline(always)]
fn some_dots<const N: usize, const P: usize>(a: [&[f64]; N], v: [&[f64]; P]) -> [[f64; P]; N] {
    let rows = v[0].len();
    let mut sums = [[[0.0; LANES]; P]; N];
    let whole = rows - rows % LANES;
    for at in (0..whole).step_by(LANES) {
        for n in 0..N {
            let x = lanes(a[n], at);
            for p in 0..P {
                let y = lanes(v[p], at);
                for l in 0..LANES {
                    sums[n][p][l] += x[l] * y[l];
                }
            }
        }
    }
    for (l, i) in (whole..rows).enumerate() {
        for n in 0..N {
            for p in 0..P {
                sums[n][p][l] += a[n][i] * v[p][i];
            }
        }
    }
    all_halves(sums)
}

compiled! {
    /// The dot products of vectors with columns, which lie `step` apart.
    fn dots<const P: usize>(a: &[f64], step: usize, v: [&[f64]; P], out: &mut [[f64; P]]) {
        let rows = v[0].len();
        let column = |j: usize| &a[j * step..j * step + rows];
        let mut j = 0;
        while j + 4 <= out.len() {
            let four = some_dots([column(j), column(j + 1), column(j + 2), column(j + 3)], v);
            out[j..j + 4].copy_from_slice(&four);
            j += 4;
        }
        while j < out.len() {
            [out[j]] = some_dots([column(j)], v);
            j += 1;
        }
    }
}

compiled! {
    /// Adds columns, which lie `step` apart, times coefficients to vectors.
    fn times<const P: usize>(a: &[f64], step: usize, c: &[[f64; P]], out: [&mut [f64]; P]) {
        let rows = out[0].len();
        for from in (0..rows).step_by(NEAR) {
            let some = from..rows.min(from + NEAR);
            let column = |j: usize| &a[j * step + some.start..j * step + some.end];
            let mut j = 0;
            while j + 4 <= c.len() {
                let x = [column(j), column(j + 1), column(j + 2), column(j + 3)];
                for p in 0..P {
                    let c = [c[j][p], c[j + 1][p], c[j + 2][p], c[j + 3][p]];
                    let y = &mut out[p][some.clone()];
                    for i in 0..some.len() {
                        y[i] += (x[0][i] * c[0] + x[1][i] * c[1]) + (x[2][i] * c[2] + x[3][i] * c[3]);
                    }
                }
                j += 4;
            }
            while j < c.len() {
                let x = column(j);
                for p in 0..P {
                    let (y, c) = (&mut out[p][some.clone()], c[j][p]);
                    for i in 0..some.len() {
                        y[i] += x[i] * c;
                    }
                }
                j += 1;
            }
        }
    }
}

compiled! {
    /// Adds vectors times the coefficients of each column to columns, which lie `step` apart.
    fn outer<const P: usize>(a: &mut [f64], step: usize, v: [&[f64]; P], c: &[[f64; P]]) {
        let rows = v[0].len();
        for (j, c) in c.iter().enumerate() {
            let y = &mut a[j * step..j * step + rows];
            for p in 0..P {
                let (x, c) = (&v[p][..rows], c[p]);
                for i in 0..rows {
                    y[i] += x[i] * c;
                }
            }
        }
    }
}

compiled! {
    /// Adds four columns times coefficients to vectors, and gives their dot products with other vectors.
    fn both<const P: usize>(a: [&[f64]; 4], c: &[[f64; P]; 4], v: [&[f64]; P], out: [&mut [f64]; P]) -> [[f64; P]; 4] {
        let rows = v[0].len();
        let mut sums = [[[0.0; LANES]; P]; 4];
        let whole = rows - rows % LANES;
        for at in (0..whole).step_by(LANES) {
            let x = [lanes(a[0], at), lanes(a[1], at), lanes(a[2], at), lanes(a[3], at)];
            for p in 0..P {
                let w = lanes(v[p], at);
                let y: &mut [f64; LANES] = (&mut out[p][at..at + LANES]).try_into().expect("as many");
                for l in 0..LANES {
                    y[l] += (x[0][l] * c[0][p] + x[1][l] * c[1][p]) + (x[2][l] * c[2][p] + x[3][l] * c[3][p]);
                }
                for n in 0..4 {
                    for l in 0..LANES {
                        sums[n][p][l] += x[n][l] * w[l];
                    }
                }
            }
        }
        for (l, i) in (whole..rows).enumerate() {
            for p in 0..P {
                out[p][i] += (a[0][i] * c[0][p] + a[1][i] * c[1][p]) + (a[2][i] * c[2][p] + a[3][i] * c[3][p]);
                for n in 0..4 {
                    sums[n][p][l] += a[n][i] * v[p][i];
                }
            }
        }
        all_halves(sums)
    }
}

compiled! {
    /// Reflects columns, by `1 - tau·v·vᵀ` from the right, with a 1 before `v`.
    fn reflect<const N: usize>(x: &mut [f64], rest: [&mut [f64]; N], tau: f64, v: [f64; N]) {
        let rows = x.len();
        let mut t = v;
        for k in 0..N {
            t[k] *= tau;
            assert_eq!(rest[k].len(), rows, "columns of one length");
        }
        for i in 0..rows {
            let mut sum = tau * x[i];
            for k in 0..N {
                sum += t[k] * rest[k][i];
            }
            x[i] -= sum;
            for k in 0..N {
                rest[k][i] -= sum * v[k];
            }
        }
    }
}

compiled! {
    /// Reflects two columns of complex numbers, by `1 - tau·(1, v)·(1, v)ᴴ` from the right; `t` is `tau·v`.
    fn reflect_complex(x: &mut [f64], y: &mut [f64], tau: [f64; 2], t: [f64; 2], v: [f64; 2]) {
        let (x, _) = x.as_chunks_mut::<2>();
        let (y, _) = y.as_chunks_mut::<2>();
        for (x, y) in x.iter_mut().zip(y) {
            let re = (tau[0] * x[0] - tau[1] * x[1]) + (t[0] * y[0] - t[1] * y[1]);
            let im = (tau[0] * x[1] + tau[1] * x[0]) + (t[0] * y[1] + t[1] * y[0]);
            (x[0], x[1]) = (x[0] - re, x[1] - im);
            (y[0], y[1]) = (y[0] - (re * v[0] + im * v[1]), y[1] - (im * v[0] - re * v[1]));
        }
    }
}

compiled! {
    /// Turns neighbouring columns of [`ROWS`] numbers, each with the next, from the first column on, or up to it.
    fn sweep(panel: &mut [f64], first: usize, down: bool, turns: &[Rotation]) {
        let (columns, _) = panel.as_chunks_mut::<ROWS>();
        let columns = &mut columns[first..first + turns.len() + 1];
        let last = turns.len();
        let mut held = columns[if down { 0 } else { last }];
        for (k, &Rotation { c, s }) in turns.iter().enumerate() {
            if down {
                let y = &columns[k + 1];
                let mut x = [0.0; ROWS];
                for l in 0..ROWS {
                    x[l] = held[l] * c + y[l] * s;
                    held[l] = y[l] * c - held[l] * s;
                }
                columns[k] = x;
            } else {
                let x = &columns[last - 1 - k];
                let mut y = [0.0; ROWS];
                for l in 0..ROWS {
                    y[l] = held[l] * c - x[l] * s;
                    held[l] = x[l] * c + held[l] * s;
                }
                columns[last - k] = y;
            }
        }
        columns[if down { last } else { 0 }] = held;
    }
}
