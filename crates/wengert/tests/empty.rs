//! Arrays of no elements through the functions of arrays: a result or an error, eager and staged alike, and never a panic
//! of ours.

use std::panic::{AssertUnwindSafe, catch_unwind};
use wengert::nn::Sliding;
use wengert::*;

type Case = (&'static str, fn(Array) -> Array);

const CASES: &[Case] = &[
    ("sin", |x| x.sin()),
    ("add", |x| &x + &x),
    ("compare", |x| x.lt(&x)),
    ("where", |x| where_(x.eq(&x), &x, 1)),
    ("clip", |x| x.clip(0, 1)),
    ("convert", |x| x.to(DType::F16)),
    ("bitcast", |x| x.bitcast(DType::U8)),
    ("sum", |x| x.sum(..)),
    ("sum 0", |x| x.sum(0)),
    ("sum -1", |x| x.sum(-1)),
    ("mean", |x| x.mean(..)),
    ("max", |x| x.max(..)),
    ("max 0", |x| x.max(0)),
    ("min -1", |x| x.min(-1)),
    ("prod", |x| x.prod(..)),
    ("all", |x| x.all(..)),
    ("any", |x| x.any(0)),
    ("argmax", |x| x.argmax(0)),
    ("argmin", |x| x.argmin(-1)),
    ("var", |x| x.var(0)),
    ("median", |x| x.median(0)),
    ("quantile", |x| x.quantile(0.5, 0)),
    ("norm", |x| x.norm(2.0, ..)),
    ("logsumexp", |x| x.logsumexp(..)),
    ("softmax", |x| x.softmax(-1)),
    ("cumsum", |x| x.cumsum(0)),
    ("cumsum -1", |x| x.cumsum(-1)),
    ("cummax", |x| x.cummax(0)),
    ("sort", |x| x.sort(-1)),
    ("argsort", |x| x.argsort(0)),
    ("top_k", |x| x.top_k(0).0),
    ("unique", |x| x.unique(3, 0)),
    ("nonzero", |x| x.nonzero(2, 0).remove(0)),
    ("searchsorted", |x| x.ravel().searchsorted(1, false)),
    ("histogram", |x| x.histogram(3, 0.0, 1.0).0),
    ("bincount", |x| x.bincount(3)),
    ("reshape", |x| x.reshape([0])),
    ("ravel", |x| x.ravel()),
    ("transpose", |x| x.t()),
    ("flip", |x| x.flip(0)),
    ("roll", |x| x.roll(1, 0)),
    ("pad", |x| x.pad(1, 0)),
    ("tile", |x| x.tile([2])),
    ("repeat", |x| x.repeat(2, 0)),
    ("concatenate", |x| concatenate([&x, &x], 0)),
    ("stack", |x| stack([&x, &x], 0)),
    ("split", |x| x.split(1, 0).remove(0)),
    ("diff", |x| x.diff(1, 0)),
    ("get", |x| x.get(..)),
    ("get one", |x| x.get(0)),
    ("get range", |x| x.get(0..0)),
    ("take", |x| x.take(Array::from([0, 5]), 0)),
    ("take nothing", |x| x.take(Array::zeros([0], DType::I32), 0)),
    ("set", |x| x.at(0..0).set(1)),
    ("add at", |x| x.at(Array::from([0, 1])).add(1)),
    ("add at nothing", |x| x.at(Array::zeros([0], DType::I32)).add(1)),
    ("max at", |x| x.at(Array::from([0, 1])).max(1)),
    ("matmul", |x| x.matmul(x.t())),
    ("matmul other way", |x| x.t().matmul(&x)),
    ("dot", |x| x.dot(&x)),
    ("inner", |x| x.inner(&x)),
    ("outer", |x| x.outer(&x)),
    ("einsum", |x| einsum("ij,kj->ik", [&x, &x])),
    ("kron", |x| x.kron(&x)),
    ("fft", |x| x.fft(-1)),
    ("ifft", |x| x.ifft(0)),
    ("rfft", |x| x.rfft(-1)),
    ("irfft", |x| x.irfft(4, -1)),
    ("cholesky", |x| x.matmul(x.t()).cholesky()),
    ("lu", |x| x.lu().pivots),
    ("qr", |x| x.qr(false).0),
    ("qr full", |x| x.qr(true).1),
    ("svd", |x| x.svd(false).1),
    ("svd full", |x| x.svd(true).0),
    ("eigh", |x| x.matmul(x.t()).eigh().0),
    ("eig", |x| x.t().matmul(&x).eig().0),
    ("inv", |x| x.matmul(x.t()).inv()),
    ("det", |x| x.matmul(x.t()).det()),
    ("solve", |x| x.matmul(x.t()).solve(&x)),
    ("triangular", |x| x.matmul(x.t()).solve_triangular(&x, true)),
    ("pinv", |x| x.pinv(None)),
    ("lstsq", |x| x.lstsq(&x, None)),
    ("trace", |x| x.trace()),
    ("diagonal", |x| x.diagonal(0, [0, 1])),
    ("tril", |x| x.tril(0)),
    ("convolve", |x| x.ravel().convolve(&Array::from([1.0f32]), ConvolveMode::Full)),
    ("conv", |x| nn::conv(&x.reshape([1, 1, 0]), &Array::ones([1, 1, 1], DType::F32), Sliding::new())),
    ("conv with room", |x| {
        nn::conv(&x.reshape([1, 1, 0]), &Array::ones([2, 1, 3], DType::F32), Sliding::new().padding(3))
    }),
    ("conv of no channels", |x| nn::conv(&x.reshape([1, 0, 4]), &Array::ones([2, 0, 3], DType::F32), Sliding::new())),
    ("conv of no images", |x| nn::conv(&x.reshape([0, 1, 4]), &Array::ones([2, 1, 3], DType::F32), Sliding::new())),
    ("conv to nothing", |x| nn::conv(&Array::ones([1, 1, 4], DType::F32), &x.reshape([0, 1, 3]), Sliding::new())),
    ("max_pool", |x| nn::max_pool(&x.reshape([1, 1, 0]), 2, Sliding::new())),
    ("avg_pool", |x| nn::avg_pool(&x.reshape([0, 1, 4]), 2, Sliding::new())),
    ("interp", |x| x.interp(&Array::from([0.0f32, 1.0]), &Array::from([0.0f32, 1.0]))),
    ("map", |x| map(|x: Array| &x + &x, x)),
    ("scan", |x| scan(|c: Array, x: Array| (c + x.sum(..), x), x.sum(..), x).1),
    ("scan of nothing", |x| scan(|c: Array, _: Array| (&c + &c, c), x, Array::zeros([0], DType::I32)).1),
    ("fori_loop", |x| fori_loop(0, 3, |_, x: Array| &x + &x, x)),
    ("cond", |x| cond(x.size() == 0, |x: Array| &x + &x, |x: Array| x, x)),
    ("associative_scan", |x| associative_scan(|a: Array, b: Array| a + b, x, false)),
    ("vmap", |x| vmap(|x: Array| &x + &x)(x)),
    ("vmap of sum", |x| vmap(|x: Array| x.sum(..))(x)),
    ("grad", |x| grad(|x: Array| x.sin().sum(..))(x)),
    ("grad of max", |x| grad(|x: Array| x.cumsum(0).sum(..))(x)),
    ("jacrev", |x| jacrev(|x: Array| x.sin())(x)),
    ("jacfwd", |x| jacfwd(|x: Array| x.sin())(x)),
    ("hessian", |x| hessian(|x: Array| x.sin().sum(..))(x)),
    ("checkpoint", |x| checkpoint(|x: Array| x.sin())(x)),
];

/// What a function gives: a result, an error, or a panic that is no error.
fn outcome(f: impl FnOnce() -> Array) -> std::result::Result<String, String> {
    match catch_unwind(AssertUnwindSafe(|| try_run(|| f().to_tensor()))) {
        Ok(Ok(t)) => Ok(format!("{} {}", t.ty(), t.size().min(1) == 0 || t.dense().size() == t.size())),
        Ok(Err(_)) => Ok("an error".into()),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            Err(text.or(panic.downcast_ref::<&str>().map(|s| s.to_string())).unwrap_or_default())
        }
    }
}

#[test]
fn functions_of_nothing_give_a_result_or_an_error() {
    let mut failures = Vec::new();
    for shape in [&[0][..], &[0, 3], &[3, 0], &[2, 0, 3], &[0, 0]] {
        for dtype in [DType::F32, DType::I32, DType::Bool, DType::C64] {
            for spelled_out in [false, true] {
                for (name, f) in CASES {
                    let x = Tensor::zeros(&Type::new(dtype, shape));
                    let x = Array::from_tensor(if spelled_out { x.dense() } else { x });
                    let eager = outcome(|| f(x.clone()));
                    let staged = outcome(|| jit(*f)(x.clone()));
                    if eager != staged || eager.is_err() {
                        failures.push(format!("{name} of {dtype}{shape:?}: {eager:?}, staged {staged:?}"));
                    }
                }
            }
        }
    }
    let count = failures.len();
    failures.truncate(60);
    assert!(failures.is_empty(), "{count} fail:\n{}", failures.join("\n"));
}
