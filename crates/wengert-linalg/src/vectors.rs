//! Products of matrices with vectors, real or complex.

use super::Number;
use super::lanes::{both, dots, outer, times};

/// The products of the adjoint of columns, which lie `step` apart, with a vector.
pub(super) fn adjoint_times<T: Number>(a: &[T], step: usize, columns: usize, v: &[T]) -> Vec<T> {
    if T::REAL {
        let mut out = vec![[0.0]; columns];
        dots(T::parts_of(a), step, [T::parts_of(v)], &mut out);
        return out.into_iter().map(|[x]| T::real(x)).collect();
    }
    let turned = turned_back(v);
    let mut out = vec![[0.0; 2]; columns];
    dots(T::parts_of(a), 2 * step, [T::parts_of(v), &turned], &mut out);
    out.into_iter().map(|[re, im]| T::new(re, im)).collect()
}

/// Takes columns, which lie `step` apart, times coefficients from a vector.
pub(super) fn take_times<T: Number>(a: &[T], step: usize, c: &[T], out: &mut [T]) {
    if T::REAL {
        let c: Vec<[f64; 1]> = c.iter().map(|c| [-c.re()]).collect();
        return times(T::parts_of(a), step, &c, [T::parts_of_mut(out)]);
    }
    let c: Vec<[f64; 2]> = c.iter().map(|c| [-c.re(), -c.im()]).collect();
    let (mut re, mut im) = (vec![0.0; 2 * out.len()], vec![0.0; 2 * out.len()]);
    times(T::parts_of(a), 2 * step, &c, [&mut re, &mut im]);
    gather(out, &re, &im);
}

/// Takes `v·cᵀ` from columns, which lie `step` apart.
pub(super) fn take_outer<T: Number>(a: &mut [T], step: usize, v: &[T], c: &[T]) {
    if T::REAL {
        let c: Vec<[f64; 1]> = c.iter().map(|c| [-c.re()]).collect();
        return outer(T::parts_of_mut(a), step, [T::parts_of(v)], &c);
    }
    let c: Vec<[f64; 2]> = c.iter().map(|c| [-c.re(), c.im()]).collect();
    let turned = turned_back(v);
    outer(T::parts_of_mut(a), 2 * step, [T::parts_of(v), &turned], &c);
}

/// The product of a Hermitian matrix, of whose columns, which lie `step` apart, the elements from the diagonal on are read,
/// with a vector.
pub(super) fn hermitian_times<T: Number>(a: &[T], step: usize, v: &[T]) -> Vec<T> {
    let n = v.len();
    let parts = if T::REAL { 1 } else { 2 };
    let (mut re, mut im) = (vec![0.0; parts * n], vec![0.0; (parts - 1) * parts * n]);
    let mut out = vec![T::zero(); n];
    let turned = if T::REAL { Vec::new() } else { turned_back(v) };
    for first in (0..n).step_by(4) {
        let end = n.min(first + 4);
        for j in first..end {
            out[j] += v[j].times(a[j + j * step].re());
            for i in j + 1..end {
                let x = a[i + j * step];
                out[i] += x * v[j];
                out[j] += x.conj() * v[i];
            }
        }
        if end == n {
            break;
        }
        let column = |k: usize| &T::parts_of(a)[parts * ((first + k) * step + end)..][..parts * (n - end)];
        let a = [column(0), column(1), column(2), column(3)];
        let some = parts * end..;
        let v_parts = &T::parts_of(v)[some.clone()];
        if T::REAL {
            let c = [0, 1, 2, 3].map(|k| [v[first + k].re()]);
            let dots = both(a, &c, [v_parts], [&mut re[some]]);
            dots.iter().enumerate().for_each(|(k, x)| out[first + k] += T::real(x[0]));
        } else {
            let c = [0, 1, 2, 3].map(|k| [v[first + k].re(), v[first + k].im()]);
            let dots = both(a, &c, [v_parts, &turned[some.clone()]], [&mut re[some.clone()], &mut im[some]]);
            dots.iter().enumerate().for_each(|(k, x)| out[first + k] += T::new(x[0], x[1]));
        }
    }
    match T::REAL {
        true => out.iter_mut().zip(&re).for_each(|(x, re)| *x += T::real(*re)),
        false => gather(&mut out, &re, &im),
    }
    out
}

/// A vector divided by the imaginary unit, as reals.
fn turned_back<T: Number>(v: &[T]) -> Vec<f64> {
    v.iter().flat_map(|x| [x.im(), -x.re()]).collect()
}

/// Adds a vector, and the imaginary unit times another, both as reals.
fn gather<T: Number>(out: &mut [T], re: &[f64], im: &[f64]) {
    for (i, x) in out.iter_mut().enumerate() {
        *x += T::new(re[2 * i] - im[2 * i + 1], re[2 * i + 1] + im[2 * i]);
    }
}
