//! Arrays that are too large for this machine, or for any: an error that says so, never the end of the process.

use wengert::*;

/// Elements that no machine has the memory for, and that can be addressed.
const HUGE: usize = 1 << 45;

type Case = (&'static str, fn() -> Array);

/// One number repeated takes no memory.
fn repeated() -> Array {
    Array::zeros([HUGE], DType::F32)
}

const ERRORS: &[Case] = &[
    ("iota", || Array::iota([HUGE], 0, DType::F32)),
    ("iota of bytes", || Array::iota([1usize << 62], 0, DType::U8)),
    ("not addressable", || Array::iota([1usize << 62, 1 << 10], 0, DType::U8)),
    ("broadcast", || Array::from([1.0f32, 2.0]).expand_dims(0).broadcast_to([HUGE, 2])),
    ("outer", || Array::iota([1 << 22], 0, DType::F32).outer(Array::iota([1 << 22], 0, DType::F32))),
    ("tile", || Array::from([1.0f32, 2.0]).tile([HUGE])),
    ("pad", || Array::from([1.0f32, 2.0]).pad(HUGE / 4, 3)),
    ("concatenate", || concatenate([repeated(), Array::from([1.0f32, 2.0])], 0)),
    ("sort", || repeated().sort(0)),
    ("argsort", || repeated().argsort(0)),
    ("argmax", || repeated().argmax(0)),
    ("top_k", || repeated().top_k(3).0),
    ("cumsum", || repeated().cumsum(0)),
    ("fft", || repeated().fft(0)),
    ("set", || repeated().at(1).set(3.0)),
    ("add at", || repeated().at(Array::from([1i64, 2])).add(3.0)),
    ("matmul", || repeated().reshape([1 << 22, 1 << 23]).matmul(Array::ones([1 << 23, 2], DType::F32))),
    ("svd", || repeated().reshape([1 << 22, 1 << 23]).svd(false).1),
    ("conv", || nn::conv(&repeated().reshape([1, 1, HUGE]), &Array::ones([1, 1, 3], DType::F32), nn::Sliding::new())),
    ("scan", || {
        scan(
            |c: Array, _: Array| (c.clone(), c),
            Array::from(vec![1.0f32; 64]),
            Array::zeros([1usize << 40], DType::I8),
        )
        .1
    }),
    ("to_vec", || Array::from(repeated().to_vec::<f32>())),
    ("grad", || grad(|x: Array| (x * Array::iota([HUGE], 0, DType::F32)).sum(..))(Array::from(1.0f32))),
    ("vmap", || vmap(|x: Array| x + Array::iota([1 << 20], 0, DType::F32))(Array::zeros([1 << 28], DType::F32))),
];

#[test]
fn what_does_not_fit_is_an_error() {
    for (name, f) in ERRORS {
        let e = try_run(f).err().unwrap_or_else(|| panic!("{name}: that worked")).to_string();
        assert!(e.contains("memory") || e.contains("too large"), "{name}: {e}");
        let e = try_run(|| jit(|(): ()| f())(()))
            .err()
            .unwrap_or_else(|| panic!("{name}, staged: that worked"))
            .to_string();
        assert!(e.contains("memory") || e.contains("too large"), "{name}, staged: {e}");
    }
    // The process goes on.
    assert_eq!(Array::iota([3], 0, DType::I32).to_vec::<i32>(), [0, 1, 2]);
}

#[test]
fn one_number_repeated_takes_no_memory() {
    let x = (repeated() + 1.0) * 2.0;
    assert_eq!(x.get(HUGE - 1).item::<f32>(), 2.0);
    assert_eq!(x.reshape([2, HUGE / 2]).t().flip(0).get((5, 1)).item::<f32>(), 2.0);
    assert_eq!(where_(x.gt(0.0), x.sin(), &x).get(7).item::<f32>(), 2.0f32.sin());
    assert_eq!(x.max(..).item::<f32>(), 2.0);
    assert_eq!(x.sum(..).item::<f32>(), 2.0 * HUGE as f32);
    assert!(format!("{x:?}").len() < 200);
    assert!(x.to_string().len() < 10_000);
}
