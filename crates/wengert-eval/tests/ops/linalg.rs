//! Linear algebra under every transform, and where its results do not exist.

use crate::ops::common::{
    check_batch, check_derivatives, check_op, check_text, close, eval, parse, random, reals, refused, tensor,
};
use wengert_core::{Complex, DType, Tensor};

/// A random matrix, moved away from singular.
fn regular(of: &str, seed: u64) -> Tensor {
    let x = random(of, seed);
    let n = x.shape()[x.shape().rank() - 1];
    let shifted = (0..x.size()).map(|i| {
        let diagonal = (i / n) % n == i % n;
        x.get(i).as_complex() + if diagonal { 4.0 + (i % n) as f64 } else { 0.0 }
    });
    match x.dtype() {
        DType::C128 => Tensor::new(x.shape().clone(), shifted.collect()),
        _ => Tensor::new(x.shape().clone(), shifted.map(|x| x.re).collect()),
    }
    .unwrap()
}

#[test]
fn triangular_solve() {
    for dtype in ["f64", "c128"] {
        for (left, b) in [("true", "[3,2]"), ("false", "[2,3]")] {
            for lower in ["true", "false"] {
                for unit in ["true", "false"] {
                    for transpose in ["no", "transpose", "adjoint"] {
                        let text = format!(
                            "program (a: {dtype}[3,3], b: {dtype}{b}) {{
                               x: {dtype}{b} = triangular_solve[left_side={left}, lower={lower}, unit_diagonal={unit}, \
                                 transpose_a={transpose}](a, b)
                               return x
                             }}"
                        );
                        let a = regular(&format!("{dtype}[3,3]"), 1);
                        check_op(&text, &[a, random(&format!("{dtype}{b}"), 2)]);
                    }
                }
            }
        }
    }
}

#[test]
fn cholesky() {
    for dtype in ["f64", "c128"] {
        for lower in ["true", "false"] {
            let text = format!(
                "program (a: {dtype}[2,3,3]) {{
                   l: {dtype}[2,3,3] = cholesky[lower={lower}](a)
                   return l
                 }}"
            );
            check_op(&text, &[regular(&format!("{dtype}[2,3,3]"), 3)]);
        }
    }
}

#[test]
fn eigh() {
    for lower in ["true", "false"] {
        let text = format!(
            "program (a: f64[3,3]) {{
               w: f64[3], v: f64[3,3] = eigh[lower={lower}](a)
               return w, v
             }}"
        );
        check_op(&text, &[regular("f64[3,3]", 4)]);
    }
}

/// Complex eigenvectors are determined up to a phase: v·diag(w²)·vᴴ is not.
#[test]
fn eigh_complex() {
    let text = "program (a: c128[3,3]) {
        w: f64[3], v: c128[3,3] = eigh[lower=true](a)
        w2: f64[3] = mul(w, w)
        wc: c128[3] = convert[dtype=c128](w2)
        ws: c128[3,3] = broadcast[shape=[3,3], dims=[1]](wc)
        vw: c128[3,3] = mul(v, ws)
        vc: c128[3,3] = conj(v)
        y: c128[3,3] = dot_general[contract=([1], [1]), batch=([], [])](vw, vc)
        return w, y
    }";
    check_op(text, &[regular("c128[3,3]", 5)]);
}

#[test]
fn eigenvalues() {
    for dtype in ["f64", "c128"] {
        let text = format!(
            "program (a: {dtype}[3,3]) {{
               w: c128[3] = eig[compute_v=false](a)
               y: c128[3] = mul(w, w)
               s: c128[] = reduce[combiner=add, dims=[0]](y)
               return s
             }}"
        );
        // The vectors of the first derivative have none of their own.
        let (program, inputs) = (parse(&text), [regular(&format!("{dtype}[3,3]"), 6)]);
        check_text(&program);
        check_batch(&program, &inputs);
        check_derivatives(&program, &inputs);
    }
}

#[test]
fn svd() {
    for (m, n) in [(3, 3), (4, 2), (2, 4)] {
        let k = m.min(n);
        let text = format!(
            "program (a: f64[{m},{n}]) {{
               u: f64[{m},{k}], s: f64[{k}], v: f64[{k},{n}] = svd[full_matrices=false, compute_uv=true](a)
               return u, s, v
             }}"
        );
        check_op(&text, &[random(&format!("f64[{m},{n}]"), 7)]);
        let text = format!(
            "program (a: c128[2,{m},{n}]) {{
               s: f64[2,{k}] = svd[full_matrices=false, compute_uv=false](a)
               return s
             }}"
        );
        check_op(&text, &[random(&format!("c128[2,{m},{n}]"), 8)]);
    }
}

#[test]
fn lu() {
    for dtype in ["f64", "c128"] {
        for shape in ["[3,3]", "[4,2]", "[2,4]", "[2,3,3]"] {
            let (dims, batch) = match shape {
                "[2,3,3]" => ((3, 3), "2,"),
                "[3,3]" => ((3, 3), ""),
                "[4,2]" => ((4, 2), ""),
                _ => ((2, 4), ""),
            };
            let text = format!(
                "program (a: {dtype}{shape}) {{
                   y: {dtype}{shape}, p: i32[{batch}{}], q: i32[{batch}{}] = lu(a)
                   return y, q
                 }}",
                dims.0.min(dims.1),
                dims.0
            );
            check_op(&text, &[random(&format!("{dtype}{shape}"), 9)]);
        }
    }
}

#[test]
fn qr() {
    for dtype in ["f64", "c128"] {
        for (m, n) in [(3, 3), (4, 2), (2, 4)] {
            for full in [false, true] {
                let k = if full { m } else { m.min(n) };
                let text = format!(
                    "program (a: {dtype}[{m},{n}]) {{
                       q: {dtype}[{m},{k}], r: {dtype}[{k},{n}] = qr[full_matrices={full}](a)
                       return q, r
                     }}"
                );
                check_op(&text, &[random(&format!("{dtype}[{m},{n}]"), 10)]);
            }
        }
    }
}

/// What does not exist is NaN, for that matrix of the batch alone.
#[test]
fn not_positive_definite() {
    let a = tensor("f64[2,2,2]", &[1.0, 2.0, 2.0, 1.0, 4.0, 2.0, 2.0, 2.0]);
    let text = "program (a: f64[2,2,2]) {
        l: f64[2,2,2] = cholesky[lower=true](a)
        return l
    }";
    let l = reals(&eval(text, &[a])[0]);
    assert!(l[..4].iter().all(|x| x.is_nan()));
    assert_eq!(l[4..], [2.0, 0.0, 1.0, 1.0]);
}

/// A column without a pivot is left as it is.
#[test]
fn singular() {
    let text = "program (a: f32[2,2]) {
        y: f32[2,2], p: i32[2], q: i32[2] = lu(a)
        return y, p, q
    }";
    let y = eval(text, &[tensor("f32[2,2]", &[0.0, 1.0, 0.0, 2.0])]);
    assert_eq!(reals(&y[0]), [0.0, 1.0, 0.0, 2.0]);
    assert_eq!((reals(&y[1]), reals(&y[2])), (vec![0.0, 1.0], vec![0.0, 1.0]));
}

/// LAPACK's signs, as `jnp.linalg.qr` gives them.
#[test]
fn signs() {
    let text = "program (a: f64[2,2]) {
        q: f64[2,2], r: f64[2,2] = qr[full_matrices=false](a)
        return q, r
    }";
    let y = eval(text, &[tensor("f64[2,2]", &[3.0, 1.0, 4.0, 2.0])]);
    let expected = [[-0.6, -0.8, -0.8, 0.6], [-5.0, -2.2, 0.0, 0.4]];
    for (y, e) in y.iter().zip(expected) {
        close(y, &tensor("f64[2,2]", &e), 1e-14, &|| "signs".into());
    }
}

#[test]
fn half_precision() {
    let text = "program (a: bf16[2,2], b: bf16[2,1]) {
        x: bf16[2,1] = triangular_solve[left_side=true, lower=true, unit_diagonal=false, transpose_a=no](a, b)
        return x
    }";
    let a = tensor("bf16[2,2]", &[2.0, 0.0, 1.0, 4.0]);
    assert_eq!(reals(&eval(text, &[a, tensor("bf16[2,1]", &[1.0, 2.0])])[0]), [0.5, 0.375]);
}

#[test]
fn empty() {
    let text = "program (a: f32[0,3], b: f32[2,0,0]) {
        u: f32[0,0], s: f32[0], v: f32[3,3] = svd[full_matrices=true, compute_uv=true](a)
        q: f32[0,0], r: f32[0,3] = qr[full_matrices=true](a)
        y: f32[0,3], p: i32[0], o: i32[0] = lu(a)
        w: f32[2,0], x: f32[2,0,0] = eigh[lower=true](b)
        e: c64[2,0], f: c64[2,0,0] = eig[compute_v=true](b)
        l: f32[2,0,0] = cholesky[lower=true](b)
        return v
    }";
    let y = eval(text, &[random("f32[0,3]", 1), random("f32[2,0,0]", 1)]);
    assert_eq!(reals(&y[0]), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
}

#[test]
fn refusals() {
    #[track_caller]
    fn check(op: &str, x: &str, why: &str) {
        let message = refused(&format!("program (a: {x}) {{ y: {x} = {op}(a) return y }}"));
        assert!(message.ends_with(why), "{message}");
    }
    check("cholesky[lower=true]", "f32[2,3]", "`cholesky` takes square matrices, and got f32[2,3]");
    check("lu", "f32[3]", "`lu` takes matrices, with at least two axes, and got f32[3]");
    check("lu", "i32[3,3]", "`lu` takes floats and complex numbers, and got elements of type i32");
    check("eig[compute_v=false]", "f16[3,3]", "`eig` takes f32, f64 and complex numbers, and got elements of type f16");
    let message = refused(
        "program (a: f32[2,2], b: f32[3,1]) {
           x: f32[3,1] = triangular_solve[left_side=true, lower=true, unit_diagonal=false, transpose_a=no](a, b)
           return x
         }",
    );
    assert!(
        message.ends_with("f32[2,2] needs as many rows and the same batch axes on the other side, and got f32[3,1]")
    );
}

/// The results of `eig` with all vectors.
fn eig_both(a: Tensor) -> Vec<Tensor> {
    let (x, n) = (a.ty(), a.shape().rank() - 1);
    let c = x.dtype.complex().unwrap();
    let (w, v) = (x.with_dtype(c).with_shape(x.shape.without_axes(&[n])), x.with_dtype(c));
    eval(&format!("program (a: {x}) {{ w: {w}, u: {v}, v: {v} = eig[compute_v=both](a) return w, u, v }}"), &[a])
}

/// What is left of `a·v - v·w` and of `uᴴ·a - w·uᴴ` for each matrix of a batch, next to its largest element.
fn left_over(a: &Tensor, y: &[Tensor]) -> f64 {
    let n = a.shape()[a.shape().rank() - 1];
    let all = |x: &Tensor| (0..x.size()).map(|i| x.get(i).as_complex()).collect::<Vec<Complex<f64>>>();
    let (a, w, u, v) = (all(a), all(&y[0]), all(&y[1]), all(&y[2]));
    let mut worst: f64 = 0.0;
    for (k, a) in a.chunks(n * n).enumerate() {
        let (w, u, v) = (&w[k * n..], &u[k * n * n..], &v[k * n * n..]);
        let size = a.iter().fold(f64::MIN_POSITIVE, |m, x| m.max(x.norm()));
        let at = |i: usize, j: usize| a[i * n + j] / size;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let w = w[j] / size;
            let right = (0..n).map(|l| at(i, l) * v[l * n + j]).sum::<Complex<f64>>() - v[i * n + j] * w;
            let left = (0..n).map(|l| u[l * n + j].conj() * at(l, i)).sum::<Complex<f64>>() - u[i * n + j].conj() * w;
            worst = [right, left].iter().fold(worst, |m, x| if x.norm() <= m { m } else { x.norm() });
        }
    }
    worst
}

#[test]
fn a_thousand_random_matrices_have_eigenvectors() {
    for (dtype, tolerance) in [("f64", 1e-13), ("f32", 1e-5), ("c128", 1e-13), ("c64", 1e-5)] {
        for n in 1..=25 {
            let a = random(&format!("{dtype}[10,{n},{n}]"), n as u64);
            let rest = left_over(&a, &eig_both(a.clone()));
            assert!(rest < tolerance, "{dtype} {n}: {rest:e}");
        }
    }
}

/// Left ones are computed here for matrices of all sizes.
#[test]
fn left_eigenvectors_of_large_matrices() {
    for dtype in ["f64", "c128"] {
        let a = random(&format!("{dtype}[60,60]"), 1);
        let rest = left_over(&a, &eig_both(a.clone()));
        assert!(rest < 1e-13, "{dtype}: {rest:e}");
    }
}

/// Elements so far apart that squares and quotients leave the range of the type.
#[test]
fn eigenvectors_of_extreme_matrices() {
    type Kind = (&'static str, fn(usize, usize) -> f64);
    let kinds: [Kind; 8] = [
        ("next to nothing beside ones", |i, j| if i == j { 1.0 } else { 1e-200 * (1 + i + 2 * j) as f64 }),
        ("subnormal", |i, j| 1e-310 * ((3 * i + 5 * j) % 7) as f64),
        ("huge", |i, j| 1e305 * ((3 * i + 5 * j) % 7) as f64),
        ("another unit for each row", |i, j| 2f64.powi(40 * (i as i32 - j as i32)) * (1 + (3 * i + j) % 4) as f64),
        ("nothing but one", |i, j| if (i, j) == (3, 0) { 1e-300 } else { 0.0 }),
        ("large beside nilpotent", |i, j| if j == i + 1 { 1e120 } else { 0.0 }),
        ("a small cycle", |i, j| if j == (i + 1) % 5 { 1e-160 } else { 0.0 }),
        ("zeros", |_, _| 0.0),
    ];
    for (name, f) in kinds {
        let elements: Vec<f64> = (0..25).map(|k| f(k / 5, k % 5)).collect();
        for a in [
            Tensor::new([5, 5], elements.clone()).unwrap(),
            Tensor::new([5, 5], elements.iter().map(|&x| Complex::new(x, x / 2.0)).collect()).unwrap(),
        ] {
            let y = eig_both(a.clone());
            let rest = left_over(&a, &y);
            assert!(rest < 1e-13, "{name} {}: {rest:e}", a.dtype());
            for v in &y[1..] {
                let length = |j: usize| (0..5).map(|i| v.get(5 * i + j).as_complex().norm_sqr()).sum::<f64>();
                assert!((0..5).all(|j| (length(j) - 1.0).abs() < 1e-13), "{name}: {v:?}");
            }
        }
    }
}

/// The squares of these elements are zero, and there are reflections of them.
#[test]
fn eigenvectors_of_hermitian_matrices_with_tiny_elements() {
    let tiny = |i: usize, j: usize| match i.cmp(&j) {
        std::cmp::Ordering::Equal => Complex::new((1 + i) as f64, 0.0),
        std::cmp::Ordering::Less => Complex::new(1e-170, 2e-170),
        std::cmp::Ordering::Greater => Complex::new(1e-170, -2e-170),
    };
    let a = Tensor::new([4, 4], (0..16).map(|k| tiny(k / 4, k % 4)).collect()).unwrap();
    for lower in [true, false] {
        let text = format!("program (a: c128[4,4]) {{ w: f64[4], v: c128[4,4] = eigh[lower={lower}](a) return w }}");
        let w = &eval(&text, std::slice::from_ref(&a))[0];
        close(w, &tensor("f64[4]", &[1.0, 2.0, 3.0, 4.0]), 1e-14, &|| text.clone());
    }
}

/// A run with such numbers ends, and gives NaN for that matrix of the batch alone.
#[test]
fn eigenvectors_of_what_is_not_finite() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut elements = vec![1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0];
        elements[2] = bad;
        for y in eig_both(Tensor::new([2, 2, 2], elements).unwrap()) {
            let half = y.size() / 2;
            assert!((0..half).all(|i| y.get(i).as_complex().is_nan()), "{y:?}");
            assert!((half..y.size()).all(|i| y.get(i).as_complex().is_finite()), "{y:?}");
        }
    }
}

#[test]
fn large_decompositions_have_the_same_bits_on_any_number_of_threads() {
    let text = "program (a: f64[320,320]) {
       w: f64[320], v: f64[320,320] = eigh[lower=true](a)
       u: f64[320,320], s: f64[320], vt: f64[320,320] = svd[full_matrices=false, compute_uv=true](a)
       q: f64[320,320], r: f64[320,320] = qr[full_matrices=false](a)
       y: f64[320,320], p: i32[320], m: i32[320] = lu(a)
       e: c128[320] = eig[compute_v=false](a)
       return w, v, u, s, vt, q, r, y, p, m, e
     }";
    let a = regular("f64[320,320]", 5);
    let on = |threads: usize| {
        let pool = rayon_core::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| eval(text, std::slice::from_ref(&a)))
    };
    let one = on(1);
    for threads in [2, 7] {
        assert!(one.iter().zip(on(threads)).all(|(x, y)| x.same_bits(&y)), "{threads} threads");
    }
}
