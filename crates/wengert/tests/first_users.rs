//! What the first users met: each thing that was not as they expected it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use wengert::{
    Array, Complex, DType, IndexMode, Static, eval_shape, grad, jit, linear_transpose, s, scan, select, where_,
    while_loop,
};

/// The message of a function that must fail.
pub fn message<T>(f: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("it fails");
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|s| s.to_string())).expect("a text")
}

pub fn v() -> Array {
    Array::from([1.0f32, 2.0])
}

#[test]
fn equality_is_of_arrays_of_one_shape() {
    assert!(v() == v() && v() != v() + 1.0);
    assert!(Array::from(2.0f32) == 2.0);
    let (row, matrix) = (Array::from([1, 1]), Array::from([[1, 1], [1, 1]]));
    let said = message(|| row == matrix);
    assert!(said.contains("`==` needs two arrays of one shape, and got [2] and [2,2]"), "{said}");
    assert!(said.contains("x.eq(y)") && said.contains("first_users.rs"), "{said}");
    message(|| Array::zeros([0], DType::F32) == 5.0);
    message(|| v() != 1.0);
    assert!(row.eq(&matrix).all(..).to_bool());
}

#[test]
fn masks_are_arrays() {
    let x = v();
    assert_eq!(where_(x.eq(1.0), 0.0, &x).to_vec::<f32>(), [0.0, 2.0]);
    assert_eq!(where_([true, false], 0.0, &x).to_vec::<f32>(), [0.0, 2.0]);
    assert_eq!(where_(vec![false, true], 0.0, &x).to_vec::<f32>(), [1.0, 0.0]);
    assert_eq!(select([[true, false], [true, true]], [&x * 10.0, &x * 100.0], 0.0).to_vec::<f32>(), [10.0, 200.0]);
}

#[test]
fn the_transform_that_hides_the_value_is_named() {
    let f = |x: Array| if x > 0.0 { x } else { -x };
    let said = message(|| jit(grad(f))(Array::from(1.0f32)));
    assert!(said.contains("while `jit` traces it has no value"), "{said}");
    assert!(said.contains("staged by `jit`") && said.contains("with_guards"), "{said}");
    let said = message(|| grad(jit(f))(Array::from(1.0f32)));
    assert!(said.contains("while `jit` traces it has no value"), "{said}");
    // Through what is captured, and through several.
    let g = |x: Array| grad(|y: Array| if x > 0.0 { y } else { -y })(x.clone());
    let said = message(|| jit(g)(Array::from(1.0f32)));
    assert!(said.contains("while `jit` traces it has no value"), "{said}");
    let said = message(|| wengert::vmap(grad(grad(f)))(v()));
    assert!(said.contains("while `vmap` traces it has no value"), "{said}");
}

#[test]
fn conditions_of_loops_say_any() {
    let said = message(|| while_loop(|x: Array| x.lt(10.0), |x| x * 2.0, v()));
    assert!(said.contains("must give bool[], and gives bool[2]") && said.contains("`.any(..)`"), "{said}");
    let said = message(|| while_loop(|x: Array| x, |x| x - 1.0, Array::from(2.0f32)));
    assert!(said.contains("`.ne(0)`"), "{said}");
}

#[test]
fn static_is_offered_where_it_applies() {
    let said = message(|| scan(|c: Array, x: Array| (if x > 0.0 { c } else { -c }, ()), Array::from(1.0f32), v()));
    assert!(!said.contains("Static") && said.contains("`cond`"), "{said}");
    let said = message(|| jit(|x: Array| if x > 0.0 { x } else { -x })(Array::from(1.0f32)));
    assert!(said.contains("Static"), "{said}");
}

#[test]
fn closures_go_by_their_place() {
    let said = message(|| grad(|x: Array| x * 2.0)(v()));
    assert!(!said.contains("{{closure}}") && said.contains("the closure given to `grad` at "), "{said}");
    let said = message(|| jit(|x: Array| if x > 0.0 { x } else { -x })(Array::from(1.0f32)));
    assert!(!said.contains("{{closure}}"), "{said}");
}

#[test]
fn a_number_that_changes_from_call_to_call_is_warned_of() {
    let f = jit(|x: Array, rate: f64| x * rate);
    (0..8).for_each(|i| drop(f(v(), i as f64)));
    let said = f.explain();
    assert_eq!(said.matches("warning").count(), 1, "{said}");
    assert!(said.contains("give it as an array, as in `Array::from(0.1)`"), "{said}");
    let f = jit(|x: Array, rate: Array| x * rate);
    (0..8).for_each(|i| drop(f(v(), Array::from(i as f64))));
    assert!(!f.explain().contains("warning"));
    // What is said to be static is meant to be, and shapes are no plain values.
    let f = jit(|x: Array, n: Static<usize>| x * n.0 as f64);
    (0..8).for_each(|i| drop(f(Array::zeros([i], DType::F32), Static(i))));
    assert!(!f.explain().contains("warning"), "{}", f.explain());
}

#[test]
fn arrays_are_summed_as_numbers_are() {
    let x = [v(), v() * 2.0];
    assert_eq!(x.iter().sum::<Array>().to_vec::<f32>(), [3.0, 6.0]);
    assert_eq!(x.into_iter().product::<Array>().to_vec::<f32>(), [2.0, 8.0]);
    assert_eq!(Vec::<Array>::new().iter().sum::<Array>().to_f64(), 0.0);
    assert_eq!([1.5, 2.0].into_iter().product::<Array>().to_f64(), 3.0);
}

#[test]
fn literals_of_arrays_are_indices() {
    let x = Array::from([[0, 1, 2], [3, 4, 5]]);
    assert_eq!(x.get([1, 0]).to_vec::<i32>(), [3, 4, 5, 0, 1, 2]);
    assert_eq!(x.get((.., [2, 0])).to_vec::<i32>(), [2, 0, 5, 3]);
    assert_eq!(x.get(s![0, [-1]]).to_vec::<i32>(), [2]);
    assert_eq!(x.get([true, false]).to_vec::<i32>(), [0, 1, 2]);
    assert_eq!(x.at((1, [0, 2])).set(9).to_vec::<i32>(), [0, 1, 2, 9, 4, 9]);
    assert_eq!(x.at(&[0usize][..]).add(1).to_vec::<i32>(), [1, 2, 3, 3, 4, 5]);
}

#[test]
fn integers_beside_a_float_become_floats() {
    let ints = Array::from([1, 2]);
    let y = &ints * 0.5;
    assert_eq!((y.dtype(), y.to_vec::<f32>()), (DType::F32, vec![0.5, 1.0]));
    assert_eq!((1.0 / &ints).to_vec::<f32>(), [1.0, 0.5]);
    assert_eq!((Array::from([1i64, 2]) + 0.5).to_vec::<f64>(), [1.5, 2.5]);
    assert_eq!(where_([true, false], &ints, 0.5).to_vec::<f32>(), [1.0, 0.5]);
    assert_eq!(ints.gt(1.5).to_vec::<bool>(), [false, true]);
    assert_eq!((Array::from([true]) * 2.5).to_vec::<f32>(), [2.5]);
    assert_eq!((&ints * wengert::Complex::new(0.0, 1.0)).dtype(), DType::C64);
    assert_eq!((Array::from([1.0f64]) * wengert::Complex::new(0.0, 1.0)).dtype(), DType::C128);
    // Numbers still take the type of floats beside them.
    assert_eq!((v() * 0.1).dtype(), DType::F32);
    assert_eq!((&ints * 2).dtype(), DType::I32);
}

#[test]
fn the_parts_of_lu_have_names() {
    for (rows, columns) in [(3, 3), (4, 2), (2, 4)] {
        let n = rows * columns;
        let a = (Array::arange(0.0, n as f64, 1.0) * 7.0 % 5.0 - 1.5).reshape([rows, columns]);
        let parts = a.lu();
        let again = parts.lower().matmul(parts.upper());
        assert!(again.is_close(a.take(&parts.order, 0), 1e-12, 1e-12).all(..).to_bool(), "{again}");
    }
}

#[test]
fn functions_have_up_to_twelve_arguments() {
    type A = Array;
    let f = |a: A, b: A, c: A, d: A, e: A, f: A, g: A, h: A, i: A, j: A, k: A, l: A| {
        a + b * 2.0 + c + d + e + f + g + h + i + j + k * l
    };
    let x = || Array::from(3.0f32);
    let y = jit(f)(x(), x(), x(), x(), x(), x(), x(), x(), x(), x(), x(), x());
    assert_eq!(y.item::<f32>(), 42.0);
    let dl = grad(f).wrt(wengert::Arg::<11>);
    assert_eq!(dl(x(), x(), x(), x(), x(), x(), x(), x(), x(), x(), x(), x()).item::<f32>(), 3.0);
}

#[test]
fn functions_under_jit_are_staged_once() {
    static TRACED: AtomicUsize = AtomicUsize::new(0);

    /// What its documentation says.
    #[jit]
    fn shifted((x, y): (Array, Array), by: f64) -> Array {
        TRACED.fetch_add(1, Ordering::Relaxed);
        x + y * by
    }
    for i in 0..5 {
        assert_eq!(shifted((Array::from(1.0f32), Array::from(i as f32)), 2.0).item::<f32>(), 1.0 + 2.0 * i as f32);
    }
    assert_eq!(TRACED.load(Ordering::Relaxed), 1);
    let slope = grad(|x: Array| shifted((x.clone(), x), 3.0));
    assert_eq!(slope(Array::from(1.0f32)).item::<f32>(), 4.0);
}

#[test]
fn shapes_without_values() {
    let x = Array::zeros([1_000_000, 1_000_000], DType::F32);
    let types =
        eval_shape(|x: Array, (y, n): (Array, usize)| (x.matmul(y), [Array::from(n as i32)]), (x.clone(), (x, 3)));
    let shown: Vec<String> = types.iter().map(|(path, ty)| format!("{path} {ty}")).collect();
    assert_eq!(shown, ["0 f32[1000000,1000000]", "1.0 i32[]"]);
}

#[test]
fn linear_functions_are_transposed() {
    let a = Array::from([[1.0f64, 2.0], [3.0, 4.0]]);
    let f = |x: Array, y: Array, unused: Array| (a.matmul(x) + y.sum(..), y.get(0) * 3.0 + 0.0 * unused.sum(..));
    let like = |n: usize| Array::zeros([n], DType::F64);
    let back = linear_transpose(f, (like(2), like(3), like(1)));
    let (x, y, unused) = back((Array::from([1.0, 10.0]), Array::from(100.0)));
    assert_eq!((x.to_vec::<f64>(), y.to_vec::<f64>()), (vec![31.0, 42.0], vec![311.0, 11.0, 11.0]));
    assert_eq!(unused.to_vec::<f64>(), [0.0]);
    // Under other transforms, also where it is made of what they trace.
    let g = jit(|a: Array, ct: Array| linear_transpose(|x: Array| a.matmul(x), (like(2),))(ct).0);
    assert_eq!(g(a.clone(), Array::from([1.0, 0.0])).to_vec::<f64>(), [1.0, 2.0]);
    let said = message(|| linear_transpose(|x: Array| x.sin(), (like(2),)));
    assert!(said.contains("linear_transpose") && said.contains("sin"), "{said}");
}

#[test]
fn the_host_is_called_from_staged_code() {
    use wengert::{Type, debug_print, pure_callback, vmap};
    let called = std::sync::Arc::new(AtomicUsize::new(0));
    let count = called.clone();
    let sorted = move |x: Array| {
        let count = count.clone();
        let f = move |x: &[Array]| {
            count.fetch_add(1, Ordering::Relaxed);
            let mut v = x[0].to_vec::<f64>();
            v.sort_by(f64::total_cmp);
            vec![Array::from(v)]
        };
        pure_callback(f, &[x.ty()], &[&x]).remove(0)
    };
    let x = Array::from([[3.0, 1.0], [0.0, -1.0]]);
    let f = jit(vmap(sorted.clone()));
    assert_eq!(f(x.clone()).to_vec::<f64>(), [1.0, 3.0, -1.0, 0.0]);
    assert_eq!(f(x.clone()).to_vec::<f64>(), [1.0, 3.0, -1.0, 0.0]);
    assert_eq!(called.load(Ordering::Relaxed), 4);
    assert!(message(|| grad(move |x: Array| sorted(x).sum(..))(Array::from([1.0, 0.0]))).contains("pure_callback"));
    let wrong = |x: Array| pure_callback(|x| x.to_vec(), &[Type::scalar(DType::F32)], &[&x]).remove(0);
    assert!(message(|| wrong(Array::from([1.0]))).contains("f32[]"));
    // Printing is the identity to transforms.
    let f = |x: Array| debug_print("in {:.2} here", &x.sin()).sum(..);
    let x = Array::from([0.0, 0.5]);
    assert_eq!(jit(grad(f))(x.clone()).to_vec::<f64>(), x.cos().to_vec::<f64>());
    assert_eq!(jit(vmap(f))(x.clone()).to_vec::<f64>(), x.sin().to_vec::<f64>());
}

/// The values are those of JAX.
#[test]
fn fourier_transforms_of_other_lengths() {
    let x = Array::from([[1.0, 2.0, 4.0], [0.5, -1.0, 3.0]]);
    let close = |y: Array, shape: &[usize], re: &[f64], im: &[f64]| {
        assert_eq!(y.shape()[..], *shape);
        for (part, wanted) in [(y.real(), re), (y.imag(), im)] {
            let differs = part.ravel() - Array::from(wanted);
            assert!(differs.abs().max(..).item::<f64>() < 1e-12, "{y}");
        }
    };
    close(
        x.get(0).fft_n(5, 0),
        &[5],
        &[7.0, -1.618033988749895, 0.6180339887498949, 0.6180339887498949, -1.618033988749895],
        &[0.0, -4.2532540417602, 2.628655560595668, -2.628655560595668, 4.2532540417602],
    );
    close(x.ifft_n(2, 1), &[2, 2], &[1.5, -0.5, -0.25, 0.75], &[0.0; 4]);
    close(
        x.rfft_n(4, 0),
        &[3, 3],
        &[1.5, 1.0, 7.0, 1.0, 2.0, 4.0, 0.5, 3.0, 1.0],
        &[0.0, 0.0, 0.0, -0.5, 1.0, -3.0, 0.0, 0.0, 0.0],
    );
    close(x.rfftn(..), &[2, 2], &[9.5, -2.5, 4.5, -1.5], &[0.0, 5.196152422706632, 0.0, -1.7320508075688772]);
    close(x.rfftn(..).irfftn(3, ..), &[2, 3], &x.to_vec::<f64>(), &[0.0; 6]);
    let half = wengert::complex(&x, &x * 0.5);
    close(
        half.get(0).hfft(5, 0),
        &[5],
        &[13.0, 0.017186064260410028, -2.392587583095878, 2.8647235380954577, -8.48932201925999],
        &[0.0; 5],
    );
    close(
        x.ihfft(1),
        &[2, 2],
        &[2.333333333333333, -0.6666666666666666, 0.8333333333333333, -0.16666666666666666],
        &[0.0, -0.5773502691896257, 0.0, -1.1547005383792515],
    );
    assert_eq!(Array::rfftfreq(5, 0.1, DType::F64).to_vec::<f64>(), [0.0, 2.0, 4.0]);
    assert!(message(|| x.rfftn(Vec::<i32>::new())).contains("at least one axis"));
}

#[test]
fn index_arrays_mean_the_same_eager_and_staged() {
    let x = Array::from([[1.0f32, 2.0], [3.0, 4.0], [5.0, 6.0]]);
    let i = Array::from([0, 3, -4, -1]);
    type F = fn(Array, Array) -> Array;
    let cases: [(F, Vec<f32>); 7] = [
        (|x, i| x.get((&i, 0)), vec![1.0, 5.0, 1.0, 5.0]),
        (|x, i| x.at((&i, 0)).get(), vec![1.0, 5.0, 1.0, 5.0]),
        (|x, i| x.at((&i, 0)).mode(IndexMode::Fill).get(), vec![1.0, f32::NAN, f32::NAN, 5.0]),
        (|x, i| x.at((&i, 1)).add(10.0), vec![1.0, 12.0, 3.0, 4.0, 5.0, 16.0]),
        (|x, i| x.at((&i, 1)).mode(IndexMode::Drop).set(0.0), vec![1.0, 0.0, 3.0, 4.0, 5.0, 0.0]),
        (|x, i| x.at((&i, 1)).mode(IndexMode::Clip).add(10.0), vec![1.0, 22.0, 3.0, 4.0, 5.0, 26.0]),
        (|x, i| x.take(&i, 0).get((.., 0)), vec![1.0, f32::NAN, f32::NAN, 5.0]),
    ];
    for (n, (f, wanted)) in cases.into_iter().enumerate() {
        for y in [f(x.clone(), i.clone()), jit(f)(x.clone(), i.clone())] {
            let y = y.to_vec::<f32>();
            assert!(y.iter().zip(&wanted).all(|(a, b)| a == b || a.is_nan() && b.is_nan()), "case {n}: {y:?}");
        }
    }
    // The imaginary part of a NaN is 0, as in JAX.
    let z = Array::from([Complex::new(1.0f32, 2.0)]).at(&i).mode(IndexMode::Fill).get().to_vec::<Complex<f32>>();
    assert!(z[0] == Complex::new(1.0, 2.0) && z[1].re.is_nan() && z[1].im == 0.0, "{z:?}");
    // In the code itself it is a mistake.
    assert!(message(|| x.get(3)).contains("out of range"));
    assert!(message(|| jit(|x: Array| x.get([0, 3]))(x.clone())).contains("out of range"));
    let none = Array::zeros([0, 2], DType::F32);
    assert_eq!(none.get(Array::from([0i32; 0])).shape()[..], [0, 2]);
}

#[test]
fn factors_of_a_part_have_derivatives() {
    let x = Array::from([1.0, 2.0, 3.0, 4.0]);
    let f = |x: Array, by: Array| (x.at(s![1..; 2]).mul(&by) * Array::from([1.0, 10.0, 100.0, 1000.0])).sum(..);
    let (dx, dby) = grad(f).wrt(wengert::All)(x.clone(), Array::from([5.0, 7.0]));
    assert_eq!((dx.to_vec::<f64>(), dby.to_vec::<f64>()), (vec![1.0, 50.0, 100.0, 7000.0], vec![20.0, 4000.0]));
    let i = Array::from([3, 0]);
    let f = |by: Array| x.at(&i).unique().mul(by).sum(..);
    assert_eq!(jit(grad(f))(Array::from([5.0, 7.0])).to_vec::<f64>(), [4.0, 1.0]);
    let said = message(|| grad(|by: Array| x.at(&i).mul(by).sum(..))(Array::from([5.0, 7.0])));
    assert!(said.contains(".unique()"), "{said}");
}
