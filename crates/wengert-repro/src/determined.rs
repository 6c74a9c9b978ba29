//! Results that depend on a decomposition which its matrix does not determine: where eigenvalues or singular values repeat, or columns
//! depend on each other, rounding chooses the vectors, and another library has others that are as right.

use std::convert::Infallible;
use std::sync::Arc;
use wengert::repro::rounding;
use wengert_core::{Builder, DType, Program, Scalar, Tensor, Var};
use wengert_emit::free_results;

/// How often the matrices are disturbed: vectors that are not determined turn by chance, and once that may be by little.
const TRIES: u64 = 4;

/// The results of a program on these inputs, by their numbers, that are others where the matrices of its decompositions, at any
/// depth, are disturbed by as little as rounding does. What is made of singular values alone, or of all that a matrix was taken
/// apart into, is none of them. A run that fails has none.
///
/// ```
/// use wengert_core::{Program, Tensor};
/// use wengert_repro::undetermined_results;
/// let p = Program::parse("program (x: f32[2,2]) { w: f32[2], v: f32[2,2] = eigh[lower=true](x) return w, v }")?;
/// let matrix = |x: [f32; 4]| [Tensor::new([2, 2], x.to_vec()).unwrap()];
/// assert_eq!(undetermined_results(&p, &matrix([1.0, 0.0, 0.0, 1.0])), [1]);
/// assert!(undetermined_results(&p, &matrix([1.0, 0.0, 0.0, 2.0])).is_empty());
/// # Ok::<(), wengert_core::Error>(())
/// ```
pub fn undetermined_results(program: &Program, inputs: &[Tensor]) -> Vec<usize> {
    if !program.any(|_, e| !free_results(&e.op).is_empty()) {
        return Vec::new();
    }
    let run = |p: &Program| wengert_eval::run(p, inputs.to_vec());
    let Ok(expected) = run(program) else { return Vec::new() };
    let mut is_free = vec![false; expected.len()];
    for number in 0..TRIES {
        let Ok(got) = run(&disturbed(program, number)) else { continue };
        for (is_free, (got, expected)) in is_free.iter_mut().zip(got.iter().zip(&expected)) {
            *is_free |= rounding(expected, None).check(got, expected).is_err();
        }
    }
    (0..is_free.len()).filter(|&i| is_free[i]).collect()
}

/// The program whose decompositions, at any depth, are those of matrices that are a little different.
fn disturbed(program: &Program, number: u64) -> Program {
    let Ok((b, y)) = Builder::rewritten(program, |b, e, x| {
        let mut x = x.to_vec();
        if !free_results(&e.op).is_empty() {
            x[0] = near(b, x[0], number);
        }
        let gives = e.outputs.iter().map(|&v| program.ty(v).clone()).collect();
        let op = e.op.map_programs(&mut |p| Arc::new(disturbed(p, number)));
        Ok::<_, Infallible>(b.push_typed(op, &x, gives))
    });
    b.finish(&y).with_name(program.name())
}

/// A matrix whose numbers are each a few roundings away from those of another one: what is zero stays so, and with it the signs that
/// libraries agree on.
fn near(b: &mut Builder, x: Var, number: u64) -> Var {
    let ty = b.ty(x).clone();
    let rounding = if ty.dtype.real() == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) };
    // Numbers that are the same change their order in one of two tries.
    let (seed, sign) = (0x9e37_79b9_7f4a_7c15 ^ (number / 2), if number.is_multiple_of(2) { 1.0 } else { -1.0 });
    let factor = |i| 1.0 + 8.0 * sign * rounding * drawn(seed, i);
    let factors = b.constant(Tensor::from_bits(&ty, |i| Scalar::from_f64(ty.dtype, factor(i)).bits()));
    b.mul(x, factors)
}

/// A number between -1 and 1, by chance.
fn drawn(seed: u64, i: usize) -> f64 {
    let mut z = seed.wrapping_mul(i as u64 + 1);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(equations: &str, shape: [usize; 2], x: &[f32]) -> Vec<usize> {
        let [m, n] = shape;
        let p = Program::parse(&format!("program (x: f32[{m},{n}]) {{ {equations} }}")).unwrap();
        undetermined_results(&p, &[Tensor::from_slice([m, n], x).unwrap()])
    }

    #[test]
    fn e2_what_a_matrix_determines_is_not_free() {
        let svd = "u: f32[2,2], s: f32[2], v: f32[2,2] = svd[full_matrices=false, compute_uv=true](x)
            t: f32[2] = log(s) r: f32[2,2] = broadcast[shape=[2,2], dims=[1]](s) us: f32[2,2] = mul(u, r)
            y: f32[2,2] = dot_general[contract=([1], [0]), batch=([], [])](us, v) return u, t, y, v";
        // Two singular values that are the same, and two that are not.
        assert_eq!(free(svd, [2, 2], &[0.0, 2.0, -2.0, 0.0]), [0, 3]);
        assert!(free(svd, [2, 2], &[0.0, 2.0, -3.0, 0.0]).is_empty());
        // A vector that stands for no column.
        let qr = "q: f32[4,3], r: f32[3,3] = qr[full_matrices=false](x)
            y: f32[4,3] = dot_general[contract=([1], [0]), batch=([], [])](q, r) return q, y";
        let outer: Vec<f32> = (0..12).map(|i| (i / 3 * (i % 3)) as f32).collect();
        assert_eq!(free(qr, [4, 3], &outer), [0]);
        let other: Vec<f32> = (0..12).map(|i| (i * i % 7) as f32).collect();
        assert!(free(qr, [4, 3], &other).is_empty());
    }
}
