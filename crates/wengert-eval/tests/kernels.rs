//! Kernels on special values, and identities that hold on all values.

use wengert_core::compare::{Difference, Tolerance};
use wengert_core::ops::*;
use wengert_core::{Complex, DType, Element, Op, Scalar, Tensor, bf16, f16};
use wengert_eval::run_op;

/// Runs an op with one result.
fn apply(op: impl Into<Op>, x: &[Tensor]) -> Tensor {
    run_op(&op.into(), x.to_vec()).expect("operands the op takes").remove(0)
}

/// [`check_to`] for results of the type of the operands.
fn check<T: Element>(op: impl Into<Op>, rows: &[(T, T, T)]) {
    check_to(op, rows);
}

/// [`check1_to`] for results of the type of the operand.
fn check1<T: Element>(op: impl Into<Op>, rows: &[(T, T)]) {
    check1_to(op, rows);
}

/// Checks an op of two operands on rows `(x, y, expected)`, compared by bits, as vectors and with either side repeated.
fn check_to<T: Element, U: Element>(op: impl Into<Op>, rows: &[(T, T, U)]) {
    let op = op.into();
    let vector = |f: fn(&(T, T, U)) -> T| Tensor::new([rows.len()], rows.iter().map(f).collect()).unwrap();
    let all = apply(op.clone(), &[vector(|r| r.0), vector(|r| r.1)]);
    for (i, &(x, y, expected)) in rows.iter().enumerate() {
        let same = |t: Tensor, i: usize| {
            assert!(same(t.get(i), expected.scalar()), "{op:?}({x:?}, {y:?}) = {t:?} at {i}, not {expected:?}")
        };
        same(all.clone(), i);
        let (dense, splat) = (|v: T| Tensor::new([2], vec![v, v]).unwrap(), |v: T| Tensor::splat([2], v.scalar()));
        same(apply(op.clone(), &[splat(x), dense(y)]), 1);
        same(apply(op.clone(), &[dense(x), splat(y)]), 1);
        let repeated = apply(op.clone(), &[splat(x), splat(y)]);
        assert!(repeated.splat_value().is_some());
        same(repeated, 0);
    }
}

/// Checks an op of one operand on rows `(x, expected)`.
fn check1_to<T: Element, U: Element>(op: impl Into<Op>, rows: &[(T, U)]) {
    let op = op.into();
    let all = apply(op.clone(), &[Tensor::new([rows.len()], rows.iter().map(|r| r.0).collect()).unwrap()]);
    for (i, &(x, expected)) in rows.iter().enumerate() {
        assert!(same(all.get(i), expected.scalar()), "{op:?}({x:?}) = {:?}, not {expected:?}", all.get(i));
        assert!(same(apply(op.clone(), &[Tensor::scalar(x)]).get(0), expected.scalar()));
    }
}

/// The same bits, or both NaN.
fn same(x: Scalar, y: Scalar) -> bool {
    x.dtype() == y.dtype() && Tolerance::BITS.allows(&Difference::of(x, y))
}

#[test]
fn elementwise_ops_run_on_every_type_they_take() {
    for d in DType::ALL {
        let x = apply(Convert { dtype: d }, &[Tensor::new([2], vec![1.0, 1.0]).unwrap()]);
        for op in Unary::ALL.iter().filter(|op| op.result(d).is_ok()) {
            apply(*op, std::slice::from_ref(&x));
        }
        for op in Binary::ALL.iter().filter(|op| op.result(d).is_ok()) {
            apply(*op, &[x.clone(), x.clone()]);
        }
        for &direction in Direction::ALL {
            let op = Compare { direction };
            if Op::from(op.clone()).result_types(&[x.ty(), x.ty()]).is_ok() {
                apply(op, &[x.clone(), x.clone()]);
            }
        }
    }
}

#[test]
fn integers_wrap_and_divide_by_zero() {
    check(Binary::Add, &[(i8::MAX, 1, i8::MIN), (-1, 1, 0)]);
    check(Binary::Sub, &[(0u32, 1, u32::MAX)]);
    check(Binary::Mul, &[(i64::MAX, 2, -2)]);
    check(Binary::Div, &[(5i32, 0, -1), (i32::MIN, -1, i32::MIN), (-7, 2, -3), (0, 0, -1)]);
    check(Binary::Div, &[(5u8, 0, 255), (200, 7, 28)]);
    check(Binary::Rem, &[(5i32, 0, 5), (i32::MIN, -1, 0), (-7, 2, -1), (7, -2, 1)]);
    check(
        Binary::Pow,
        &[
            (2i32, 10, 1024),
            (2, -1, 0),
            (-1, -3, -1),
            (-1, -2, 1),
            (1, -9, 1),
            (0, 0, 1),
            (3, 40, 3i32.wrapping_pow(40)),
        ],
    );
    check(Binary::Pow, &[(255u8, 2, 1), (2, 8, 0), (255, 255, 255)]);
    check1(Unary::Abs, &[(i8::MIN, i8::MIN), (-3, 3)]);
    check1(Unary::Neg, &[(i16::MIN, i16::MIN), (5, -5)]);
    check1(Unary::Neg, &[(1u16, u16::MAX)]);
    check1(Unary::Sign, &[(i64::MIN, -1), (0, 0), (9, 1)]);
    check1(Unary::Sign, &[(0u64, 0), (u64::MAX, 1)]);
    check1(Unary::Clz, &[(0u16, 16), (1, 15)]);
    check1(Unary::Clz, &[(-1i32, 0), (0, 32)]);
    check1(Unary::Popcnt, &[(-1i8, 8), (0, 0)]);
    check1(Unary::Not, &[(0u8, 255)]);
    check1(Unary::Not, &[(true, false)]);
}

#[test]
fn shifts_by_the_width_push_every_bit_out() {
    check(Binary::Shl, &[(1i32, 31, i32::MIN), (1, 32, 0), (1, -1, 0), (-1, 0, -1)]);
    check(Binary::Shl, &[(1u8, 7, 128), (1, 8, 0), (1, 255, 0)]);
    check(Binary::ShrArithmetic, &[(-8i32, 1, -4), (-8, 32, -1), (8, 32, 0), (-8, -1, -1)]);
    check(Binary::ShrArithmetic, &[(0x80u8, 1, 0xc0), (0x80, 8, 0xff), (0x40, 8, 0)]);
    check(Binary::ShrLogical, &[(-8i64, 1, i64::MAX - 3), (-1, 64, 0), (-1, 63, 1)]);
}

#[test]
fn floats_order_as_stablehlo_says() {
    let nan = f32::NAN;
    check(Binary::Max, &[(0.0f32, -0.0, 0.0), (-0.0, 0.0, 0.0), (nan, 1.0, nan), (1.0, nan, nan), (2.0, 1.0, 2.0)]);
    check(Binary::Min, &[(0.0f32, -0.0, -0.0), (-0.0, 0.0, -0.0), (nan, 1.0, nan), (1.0, nan, nan), (2.0, 1.0, 1.0)]);
    let compare = |direction| Compare { direction };
    check_to(compare(Direction::Eq), &[(0.0f64, -0.0, true), (f64::NAN, f64::NAN, false)]);
    check_to(compare(Direction::Ne), &[(0.0f64, -0.0, false), (f64::NAN, f64::NAN, true)]);
    check_to(compare(Direction::Le), &[(f16::NEG_INFINITY, f16::NAN, false), (f16::ONE, f16::ONE, true)]);
    check_to(compare(Direction::Lt), &[(false, true, true), (true, true, false)]);
    check1(Unary::Sign, &[(-0.0f64, -0.0), (f64::NAN, f64::NAN), (-1e-310, -1.0), (f64::INFINITY, 1.0)]);
    check1_to(Unary::IsFinite, &[(bf16::INFINITY, false), (bf16::NAN, false), (bf16::MAX, true)]);
    check1(Unary::Round, &[(2.5f32, 3.0), (-2.5, -3.0), (0.5, 1.0), (-0.2, -0.0), (f32::INFINITY, f32::INFINITY)]);
    check1(Unary::RoundEven, &[(2.5f32, 2.0), (-2.5, -2.0), (3.5, 4.0), (0.5, 0.0), (-0.5, -0.0)]);
    check(Binary::Rem, &[(-7.5f64, 2.0, -1.5), (1.0, 0.0, f64::NAN), (1.0, f64::INFINITY, 1.0)]);
    check(Binary::Pow, &[(0.0f64, 0.0, 1.0), (f64::NAN, 0.0, 1.0), (1.0, f64::NAN, 1.0), (-8.0, 1.0 / 3.0, f64::NAN)]);
    check(
        Binary::Div,
        &[(1.0f32, -0.0, f32::NEG_INFINITY), (0.0, 0.0, nan), (f32::MIN_POSITIVE, 2.0, f32::MIN_POSITIVE / 2.0)],
    );
    check1(Unary::Rsqrt, &[(0.0f32, f32::INFINITY), (f32::INFINITY, 0.0), (-1.0, nan), (4.0, 0.5)]);
    check1(Unary::Logistic, &[(f32::NEG_INFINITY, 0.0), (0.0, 0.5), (f32::INFINITY, 1.0), (nan, nan)]);
    check1(Unary::Acosh, &[(1.0f64, 0.0), (0.5, f64::NAN), (f64::INFINITY, f64::INFINITY), (1e300, 691.4686750787737)]);
}

#[test]
fn short_floats_round_once() {
    let h = f16::from_f32;
    check(Binary::Add, &[(h(2048.0), h(1.0), h(2048.0)), (h(60000.0), h(60000.0), f16::INFINITY)]);
    check(
        Binary::Mul,
        &[(f16::MIN_POSITIVE_SUBNORMAL, h(0.5), h(0.0)), (f16::MIN_POSITIVE_SUBNORMAL, h(3.0), f16::from_bits(3))],
    );
    check1(Unary::Exp, &[(bf16::ONE, bf16::from_f32(std::f32::consts::E))]);
}

#[test]
fn bool_adds_as_or_and_multiplies_as_and() {
    for op in [Binary::Add, Binary::Max, Binary::Or] {
        check(op, &[(false, false, false), (true, false, true), (true, true, true)]);
    }
    for op in [Binary::Mul, Binary::Min, Binary::And] {
        check(op, &[(false, false, false), (true, false, false), (true, true, true)]);
    }
    check(Binary::Xor, &[(true, true, false), (false, true, true)]);
}

#[test]
fn complex_numbers_order_by_parts() {
    let c = Complex::<f32>::new;
    check(Binary::Max, &[(c(1.0, 2.0), c(1.0, 3.0), c(1.0, 3.0)), (c(2.0, 0.0), c(1.0, 9.0), c(2.0, 0.0))]);
    check(Binary::Min, &[(c(1.0, 2.0), c(1.0, 3.0), c(1.0, 2.0)), (c(2.0, 0.0), c(1.0, 9.0), c(1.0, 9.0))]);
    check1_to(Unary::Abs, &[(c(3e38, 0.0), 3e38f32), (c(3.0, -4.0), 5.0)]);
    check1(Unary::Sign, &[(c(0.0, 0.0), c(0.0, 0.0)), (c(0.0, -3.0), c(0.0, -1.0))]);
    check1(Unary::Conj, &[(c(1.0, -2.0), c(1.0, 2.0))]);
    check_to(Binary::Complex, &[(1.0f64, -0.0, Complex::new(1.0, -0.0))]);
}

#[test]
fn conversions_saturate_and_round() {
    fn to<S: Element, T: Element>(rows: &[(S, T)]) {
        check1_to(Convert { dtype: T::DTYPE }, rows);
    }
    to(&[(f32::NAN, 0i32), (f32::INFINITY, i32::MAX), (-3e9, i32::MIN), (-1.9, -1)]);
    to(&[(f64::NAN, 0u8), (-1.0, 0), (300.0, 255)]);
    to(&[(300i32, 44u8), (-1, 255)]);
    to(&[(u64::MAX, 18446744073709551616.0f32)]);
    to(&[(u64::MAX, -1i64)]);
    to(&[((1i64 << 24) + 1, 16777216.0f32), ((1 << 54) + 3, 18014398509481988.0)]);
    to(&[(Complex::new(2.5f32, 9.0), 2i16)]);
    to(&[(Complex::new(0.0f32, 9.0), true), (Complex::new(0.0, 0.0), false)]);
    to(&[(f16::NAN, true), (f16::ZERO, false), (f16::MIN_POSITIVE_SUBNORMAL, true)]);
    to(&[(true, Complex::new(1.0f64, 0.0))]);
    to(&[(1e300, f16::INFINITY), (65519.0, f16::MAX), (65520.0, f16::INFINITY)]);
    to(&[(-0.0f64, bf16::NEG_ZERO)]);
    // Just above the middle of two neighbours: rounding twice would lose it.
    to(&[(1.0 + 2f64.powi(-11) + 2f64.powi(-50), f16::from_bits(f16::ONE.to_bits() + 1))]);
    to(&[(1.0 + 2f64.powi(-8) + 2f64.powi(-50), bf16::from_bits(bf16::ONE.to_bits() + 1))]);
}

#[test]
fn every_type_converts_to_every_type() {
    for from in DType::ALL {
        for to in DType::ALL {
            let x = Tensor::splat([3], Scalar::from_i64(from, 1)).dense();
            let y = apply(Convert { dtype: to }, &[x]);
            assert_eq!(y, Tensor::splat([3], Scalar::from_i64(to, 1)).dense());
        }
    }
}

#[test]
fn large_arrays_and_operands_that_may_be_overwritten() {
    let n = 200_001;
    let x = Tensor::new([n], (0..n as i64).collect()).unwrap();
    let y = Tensor::splat([n], Scalar::I64(7));
    let sum: Vec<i64> = (0..n as i64).map(|i| i + 7).collect();
    // Shared: the operand stays as it is.
    assert_eq!(apply(Binary::Add, &[x.clone(), y.clone()]).to_vec::<i64>().unwrap(), sum);
    assert_eq!(x.get(5), Scalar::I64(5));
    let before = x.elements::<i64>().as_ptr();
    let z = run_op(&Binary::Add.into(), vec![x, y]).unwrap().remove(0);
    assert_eq!(z.to_vec::<i64>().unwrap(), sum);
    assert_eq!(z.elements::<i64>().as_ptr(), before);
    let p = apply(Compare { direction: Direction::Lt }, &[z.clone(), Tensor::splat([n], Scalar::I64(100))]);
    let s = apply(Select {}, &[p, z, Tensor::splat([n], Scalar::I64(0))]).to_vec::<i64>().unwrap();
    assert!(s.iter().enumerate().all(|(i, &v)| v == if i < 93 { i as i64 + 7 } else { 0 }));
}

#[test]
fn arrays_without_elements() {
    for d in DType::ALL {
        for x in [Tensor::splat([0, 3], Scalar::from_i64(d, 1)), Tensor::splat([0, 3], Scalar::from_i64(d, 1)).dense()]
        {
            assert_eq!(apply(Binary::Add, &[x.clone(), x.dense()]).ty(), x.ty());
            assert_eq!(apply(Convert { dtype: DType::F32 }, std::slice::from_ref(&x)).size(), 0);
            assert_eq!(apply(Select {}, &[Tensor::scalar(true), x.clone(), x.dense()]).ty(), x.ty());
        }
    }
}

/// A small generator of numbers that look random.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    /// Small integers in any type: sums and products of a few are exact.
    fn tensor(&mut self, dtype: DType, shape: &[usize]) -> Tensor {
        let n = shape.iter().product();
        let v: Vec<i64> = (0..n).map(|_| (self.next() % 4) as i64).collect();
        apply(Convert { dtype }, &[Tensor::new(shape, v).unwrap()])
    }
}

/// Every index of a shape, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![vec![]], |all, &n| {
        all.iter().flat_map(|i| (0..n).map(|k| [i.as_slice(), &[k]].concat()).collect::<Vec<_>>()).collect()
    })
}

fn at(x: &Tensor, index: &[usize]) -> Scalar {
    x.get(index.iter().zip(x.shape().strides()).map(|(i, s)| i * s).sum())
}

/// What `reduce` should give, element after element.
fn naive_reduce(binary: Binary, identity: Scalar, x: &Tensor, dims: &[usize]) -> Vec<Scalar> {
    let kept: Vec<usize> = (0..x.shape().rank()).filter(|d| !dims.contains(d)).collect();
    let sizes = |axes: &[usize]| axes.iter().map(|&d| x.shape()[d]).collect::<Vec<_>>();
    let one = |k: Vec<usize>| {
        indices(&sizes(dims)).into_iter().fold(identity, |sofar, r| {
            let mut index = vec![0; x.shape().rank()];
            kept.iter().zip(&k).chain(dims.iter().zip(&r)).for_each(|(&d, &i)| index[d] = i);
            apply(binary, &[Tensor::splat([], sofar), Tensor::splat([], at(x, &index))]).get(0)
        })
    };
    indices(&sizes(&kept)).into_iter().map(one).collect()
}

#[test]
fn reductions_over_every_axis_and_type() {
    let mut rng = Rng(1);
    let combiners =
        [Combiner::Add, Combiner::Mul, Combiner::Max, Combiner::Min, Combiner::And, Combiner::Or, Combiner::Xor];
    for dtype in DType::ALL {
        for combiner in &combiners {
            let binary = combiner.binary().unwrap();
            if binary.result(dtype).is_err() {
                continue;
            }
            let identity = combiner.identity(dtype).unwrap();
            for (shape, dims) in [
                (&[2usize, 3, 2, 2][..], vec![0usize, 2]),
                (&[2, 3, 2, 2], vec![3, 1]),
                (&[3, 4], vec![0]),
                (&[3, 4], vec![1]),
                (&[3, 1, 5], vec![1]),
                (&[7], vec![0]),
                (&[2, 3], vec![]),
                (&[2, 0, 3], vec![1]),
                (&[0, 3], vec![1]),
                (&[], vec![]),
            ] {
                let x = rng.tensor(dtype, shape);
                let op = Reduce { combiner: combiner.clone(), dims: dims.as_slice().into() };
                let y = apply(op.clone(), std::slice::from_ref(&x));
                let expected = naive_reduce(binary, identity, &x, &dims);
                assert_eq!((0..y.size()).map(|i| y.get(i)).collect::<Vec<_>>(), expected, "{op:?} of {x:?}");
                let splat = Tensor::splat(shape, Scalar::from_i64(dtype, 1));
                let (a, b) = (apply(op.clone(), &[splat.dense()]), apply(op, &[splat]));
                assert_eq!(a.dense(), b.dense());
            }
        }
    }
}

#[test]
fn long_sums_are_accurate() {
    let n = 1_000_003;
    let x = Tensor::new([n], vec![0.1f32; n]).unwrap();
    let sum = |x: &Tensor, dims: &[usize]| {
        apply(Reduce { combiner: Combiner::Add, dims: dims.into() }, std::slice::from_ref(x)).get(0).as_f64().unwrap()
    };
    assert!((sum(&x, &[0]) / (0.1f32 as f64 * n as f64) - 1.0).abs() < 1e-6);
    let x = Tensor::new([30_000, 3], vec![0.1f32; 90_000]).unwrap();
    assert!((sum(&x, &[0]) / (0.1f32 as f64 * 30_000.0) - 1.0).abs() < 1e-6);
    // Sums of short floats are kept in f32: added one by one in f16 this would stop at 2048.
    let x = Tensor::new([10_000], vec![f16::ONE; 10_000]).unwrap();
    assert_eq!(sum(&x, &[0]), 10_000.0);
    assert_eq!(sum(&Tensor::splat([10_000], f16::ONE.scalar()), &[0]), 10_000.0);
}

#[test]
fn long_reductions_by_a_program_keep_the_order() {
    // The affine maps x -> a x + b, composed: associative, and not commutative.
    let reduce = |shape: &str, out: &str, dims: &str| {
        let text = format!(
            "program (a: i32{shape}, b: i32{shape}) {{
              c: i32{out}, d: i32{out} = reduce[combiner=program (a: i32[], b: i32[], c: i32[], d: i32[]) {{
                ac: i32[] = mul(a, c)
                bc: i32[] = mul(b, c)
                e: i32[] = add(bc, d)
                return ac, e
              }}, dims={dims}](a, b, 1:i32[], 7:i32[])
              return c, d
            }}"
        );
        wengert_core::Program::parse(&text).unwrap()
    };
    let numbers = |n: i32, by: i32| (0..n).map(|i| i.wrapping_mul(by) % 7 - 3).collect::<Vec<i32>>();
    for (rows, columns) in [(1000, 1), (33, 5), (17, 40), (3, 100), (0, 70)] {
        let n = rows * columns;
        let (a, b) = (numbers(n, 31), numbers(n, 17));
        let shape = [rows as usize, columns as usize];
        let operands = [&a, &b].map(|v| Tensor::new(shape, v.clone()).unwrap()).to_vec();
        let p = reduce(&format!("[{rows},{columns}]"), &format!("[{columns}]"), "[0]");
        let y = wengert_eval::run(&p, operands).unwrap();
        for k in 0..columns {
            let step = |(c, d): (i32, i32), i: i32| {
                let at = (i * columns + k) as usize;
                (c.wrapping_mul(a[at]), d.wrapping_mul(a[at]).wrapping_add(b[at]))
            };
            let (c, d) = (0..rows).fold((1, 7), step);
            assert_eq!((y[0].get(k as usize), y[1].get(k as usize)), (Scalar::I32(c), Scalar::I32(d)), "{rows} {k}");
        }
    }
}

#[test]
fn reduction_by_a_program_of_two_operands() {
    // The largest element and its position.
    let text = "program largest(a: f32[], i: i32[], b: f32[], j: i32[]) {
        p: bool[] = compare[direction=ge](a, b)
        v: f32[] = select(p, a, b)
        k: i32[] = select(p, i, j)
        return v, k
    }";
    let program = std::sync::Arc::new(wengert_core::Program::parse(text).unwrap());
    let op = Op::from(Reduce { combiner: Combiner::Program(program), dims: [1].as_slice().into() });
    let x = Tensor::new([2, 3], vec![1f32, 5.0, 2.0, -1.0, -3.0, -2.0]).unwrap();
    let i = Tensor::new([2, 3], vec![0i32, 1, 2, 0, 1, 2]).unwrap();
    let start = [Tensor::scalar(f32::NEG_INFINITY), Tensor::scalar(-1i32)];
    let y = run_op(&op, [&[x, i], &start[..]].concat()).unwrap();
    assert_eq!(y[0].to_vec::<f32>().unwrap(), [5.0, -1.0]);
    assert_eq!(y[1].to_vec::<i32>().unwrap(), [1, 0]);
    let empty = [Tensor::new([2, 0], Vec::<f32>::new()).unwrap(), Tensor::new([2, 0], Vec::<i32>::new()).unwrap()];
    let y = run_op(&op, [&empty, &start[..]].concat()).unwrap();
    assert_eq!(y[1].to_vec::<i32>().unwrap(), [-1, -1]);
}

#[test]
fn contractions_of_every_layout_and_type() {
    let mut rng = Rng(2);
    type Axes = (&'static [usize], &'static [usize]);
    let cases: [(&[usize], &[usize], Axes, Axes); 10] = [
        (&[3, 4], &[4, 5], (&[1], &[0]), (&[], &[])),
        (&[4, 3], &[5, 4], (&[0], &[1]), (&[], &[])),
        (&[2, 3, 4], &[2, 4, 5], (&[2], &[1]), (&[0], &[0])),
        (&[3, 2, 4], &[4, 5, 2], (&[2], &[0]), (&[1], &[2])),
        (&[2, 3, 2, 2], &[2, 2, 3], (&[0, 3], &[1, 0]), (&[1], &[2])),
        (&[2, 3, 4], &[3, 4], (&[1, 2], &[0, 1]), (&[], &[])),
        (&[3], &[4], (&[], &[]), (&[], &[])),
        (&[3, 0], &[0, 2], (&[1], &[0]), (&[], &[])),
        (&[0, 3], &[3, 2], (&[1], &[0]), (&[], &[])),
        (&[], &[2], (&[], &[]), (&[], &[])),
    ];
    for (first, dtype) in DType::ALL.into_iter().enumerate() {
        // Half of them for each type, and the other half for the next.
        for (xs, ys, contract, batch) in cases.into_iter().skip(first % 2).step_by(2) {
            let (x, y) = (rng.tensor(dtype, xs), rng.tensor(dtype, ys));
            let dims = |(a, b): Axes| (a.into(), b.into());
            let op = DotGeneral { contract: dims(contract), batch: dims(batch) };
            let z = apply(op.clone(), &[x.clone(), y.clone()]);
            let (xf, yf) = (op.lhs_free(xs.len()), op.rhs_free(ys.len()));
            let sizes = |d: &[usize], s: &[usize]| d.iter().map(|&d| s[d]).collect::<Vec<_>>();
            let mut expected = Vec::new();
            for b in indices(&sizes(batch.0, xs)) {
                for i in indices(&sizes(&xf, xs)) {
                    for j in indices(&sizes(&yf, ys)) {
                        let mut sum = Tensor::splat([], Scalar::from_i64(dtype, 0));
                        for k in indices(&sizes(contract.0, xs)) {
                            let place = |rank: usize, parts: [(&[usize], &[usize]); 3]| {
                                let mut index = vec![0; rank];
                                parts.iter().for_each(|(d, v)| d.iter().zip(*v).for_each(|(&d, &v)| index[d] = v));
                                index
                            };
                            let a = at(&x, &place(xs.len(), [(batch.0, &b), (&xf, &i), (contract.0, &k)]));
                            let c = at(&y, &place(ys.len(), [(batch.1, &b), (&yf, &j), (contract.1, &k)]));
                            let product = apply(Binary::Mul, &[Tensor::splat([], a), Tensor::splat([], c)]);
                            sum = apply(Binary::Add, &[sum, product]);
                        }
                        expected.push(sum.get(0).as_complex());
                    }
                }
            }
            let z = (0..z.size()).map(|i| z.get(i).as_complex()).collect::<Vec<_>>();
            assert_eq!(z, expected, "{op:?} of {x:?} and {y:?}");
        }
    }
}

#[test]
fn many_small_products_and_one_large() {
    let mut rng = Rng(3);
    let (x, y) = (rng.tensor(DType::F64, &[500, 8, 9]), rng.tensor(DType::F64, &[500, 9, 7]));
    let dot = |c: (usize, usize), b: &[usize]| DotGeneral {
        contract: ([c.0].as_slice().into(), [c.1].as_slice().into()),
        batch: (b.into(), b.into()),
    };
    let z = apply(dot((2, 1), &[0]), &[x.clone(), y.clone()]);
    let expected = (0..9).map(|k| at(&x, &[321, 3, k]).as_f64().unwrap() * at(&y, &[321, k, 5]).as_f64().unwrap());
    assert_eq!(at(&z, &[321, 3, 5]).as_f64().unwrap(), expected.sum::<f64>());
    let (x, y) = (rng.tensor(DType::F32, &[200, 300]), rng.tensor(DType::F32, &[300, 150]));
    let z = apply(dot((1, 0), &[]), &[x.clone(), y.clone()]);
    let expected = (0..300).map(|k| at(&x, &[77, k]).as_f64().unwrap() * at(&y, &[k, 99]).as_f64().unwrap());
    assert_eq!(at(&z, &[77, 99]).as_f64().unwrap(), expected.sum::<f64>());
}

/// Checks an op of floats on rows of operands and result, to 13 digits in `f64` and 6 in `f32`.
fn check_close<const N: usize>(op: impl Into<Op>, rows: &[([f64; N], f64)]) {
    let op = op.into();
    for &(x, expected) in rows {
        for (d, relative) in [(DType::F64, 1e-13), (DType::F32, 1e-6)] {
            let number = |x: f64| Tensor::splat([], Scalar::from_f64(d, x));
            let found =
                Tolerance { relative, ..Tolerance::EXACT }.check(&apply(op.clone(), &x.map(number)), &number(expected));
            found.unwrap_or_else(|e| panic!("{op:?}{x:?} in {d}: {e}"));
        }
    }
}

#[test]
fn special_functions_at_known_values() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    use std::f64::consts::{LN_2, PI};
    let euler = 0.577_215_664_901_532_9;
    check_close(
        Unary::Erf,
        &[([0.5], 0.5204998778130465), ([-2.0], -0.9953222650189527), ([inf], 1.0), ([-inf], -1.0)],
    );
    check_close(
        Unary::Erfc,
        &[([2.0], 0.004677734981047265), ([-1.0], 1.8427007929497148), ([inf], 0.0), ([-inf], 2.0)],
    );
    check_close(
        Unary::ErfInv,
        &[([0.5], 0.4769362762044699), ([1.0], inf), ([-1.0], -inf), ([1.5], nan), ([0.0], 0.0)],
    );
    check_close(Unary::Lgamma, &[([1.0], 0.0), ([2.0], 0.0), ([0.5], PI.ln() / 2.0), ([8.0], 5040f64.ln())]);
    check_close(
        Unary::Lgamma,
        &[([-0.5], (4.0 * PI).ln() / 2.0), ([0.0], inf), ([-3.0], inf), ([-inf], inf), ([nan], nan)],
    );
    check_close(
        Unary::Digamma,
        &[([1.0], -euler), ([0.5], -euler - 2.0 * LN_2), ([0.0], nan), ([-1.0], nan), ([inf], inf)],
    );
    check_close(Binary::Polygamma, &[([1.0, 1.0], PI * PI / 6.0), ([0.0, 1.0], -euler), ([1.0, 0.0], inf)]);
    check_close(
        Binary::Polygamma,
        &[([1.0, -0.5], PI * PI / 2.0 + 4.0), ([3.0, 1.0], PI.powi(4) / 15.0), ([2.0, -1.0], nan)],
    );
    check_close(Binary::Polygamma, &[([1.5, 1.0], nan), ([-1.0, 1.0], nan), ([1.0, inf], 0.0)]);
    check_close(
        Unary::BesselI0e,
        &[([0.0], 1.0), ([1.0], 0.46575960759364043), ([-20.0], 0.089780311884826), ([inf], 0.0)],
    );
    check_close(Unary::BesselI1e, &[([0.0], 0.0), ([1.0], 0.2079104153497085), ([-20.0], -0.08750622218328867)]);
}

#[test]
fn nextafter_steps_by_one_bit() {
    let (inf, nan, tiny) = (f32::INFINITY, f32::NAN, f32::from_bits(1));
    check(Binary::Nextafter, &[(0.0f32, 1.0, tiny), (0.0, -1.0, -tiny), (-0.0, 0.0, 0.0), (tiny, -1.0, 0.0)]);
    check(
        Binary::Nextafter,
        &[(1.0f32, 2.0, 1.0 + f32::EPSILON), (inf, 0.0, f32::MAX), (f32::MAX, inf, inf), (nan, 0.0, nan)],
    );
    check(Binary::Nextafter, &[(-1.0f64, -2.0, -1.0 - f64::EPSILON)]);
    check(Binary::Nextafter, &[(f16::ONE, f16::ZERO, f16::from_bits(f16::ONE.to_bits() - 1))]);
    check(Binary::Nextafter, &[(bf16::ZERO, bf16::NEG_ONE, bf16::from_bits(0x8001))]);
}

#[test]
fn special_functions_satisfy_their_identities() {
    let mut rng = Rng(4);
    for _ in 0..500 {
        let x = rng.next() as f64 / 2f64.powi(31) * 12.0 - 6.0;
        let f = |op: Unary, x: f64| apply(op, &[Tensor::scalar(x)]).get(0).as_f64().unwrap();
        let g =
            |op: Binary, x: f64, y: f64| apply(op, &[Tensor::scalar(x), Tensor::scalar(y)]).get(0).as_f64().unwrap();
        let close = |a: f64, b: f64, scale: f64| assert!((a - b).abs() <= 1e-12 * (a.abs() + scale), "{a} {b} at {x}");
        close(f(Unary::Erf, x) + f(Unary::Erfc, x), 1.0, 1.0);
        close(f(Unary::Erf, f(Unary::ErfInv, x / 6.1)), x / 6.1, 0.0);
        close(f(Unary::Lgamma, x + 1.0) - f(Unary::Lgamma, x), x.abs().ln(), 20.0);
        close(f(Unary::Digamma, x + 1.0) - f(Unary::Digamma, x), 1.0 / x, 10.0 + f(Unary::Digamma, x).abs());
        let trigamma = g(Binary::Polygamma, 1.0, x);
        close(trigamma - g(Binary::Polygamma, 1.0, x + 1.0), 1.0 / (x * x), trigamma.abs());
    }
}

#[test]
fn complex_functions_at_special_values() {
    use std::f64::consts::{FRAC_PI_2, PI};
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let c = Complex::<f64>::new;
    let huge = 355f64.exp() / 2.0 * 355f64.exp();
    // Rows of op, operand and result; a zero has no sign here.
    let rows = [
        (Unary::Exp, c(inf, 0.0), c(inf, 0.0)),
        (Unary::Exp, c(-inf, 1.0), c(0.0, 0.0)),
        (Unary::Exp, c(inf, inf), c(nan, nan)),
        (Unary::Expm1, c(nan, 0.0), c(nan, 0.0)),
        (Unary::Expm1, c(1e-20, 1e-20), c(1e-20, 1e-20)),
        (Unary::Log, c(0.0, 0.0), c(-inf, 0.0)),
        (Unary::Log, c(-1.0, -0.0), c(0.0, -PI)),
        (Unary::Log, c(1e308, 1e308), c(1e308f64.ln() + 2f64.ln() / 2.0, PI / 4.0)),
        (Unary::Log, c(1.0, 1e-10), c(5e-21, 1e-10)),
        (Unary::Log1p, c(1e-20, 1e-30), c(1e-20, 1e-30)),
        (Unary::Tanh, c(inf, nan), c(1.0, 0.0)),
        (Unary::Tanh, c(-1000.0, 1.0), c(-1.0, 0.0)),
        (Unary::Sqrt, c(-4.0, 0.0), c(0.0, 2.0)),
        (Unary::Sqrt, c(-4.0, -0.0), c(0.0, 2.0)),
        (Unary::Sqrt, c(1.0, inf), c(inf, inf)),
        (Unary::Sqrt, c(0.0, f64::from_bits(1 << 13)), c(2f64.powi(-531), 2f64.powi(-531))),
        (Unary::Rsqrt, c(inf, 1.0), c(0.0, 0.0)),
        (Unary::Asin, c(1e200, 0.0), c(FRAC_PI_2, 2e200f64.ln())),
        (Unary::Acos, c(1.0, 0.0), c(0.0, 0.0)),
        (Unary::Acosh, c(-inf, 1.0), c(inf, PI)),
        (Unary::Asinh, c(1e-30, 1e-30), c(1e-30, 1e-30)),
        (Unary::Atanh, c(1.0, 0.0), c(inf, 0.0)),
        (Unary::Atanh, c(1e300, 1.0), c(1e-300, FRAC_PI_2)),
        (Unary::Sinh, c(710.0, FRAC_PI_2 - 1e-3), c(huge * 1e-3f64.sin(), huge * 1e-3f64.cos())),
        (Unary::Sign, c(0.0, -5.0), c(0.0, -1.0)),
    ];
    for (op, x, expected) in rows {
        let y = apply(op, &[Tensor::scalar(x)]);
        let near = Tolerance { relative: 1e-12, ..Tolerance::EXACT };
        near.check(&y, &Tensor::scalar(expected)).unwrap_or_else(|e| panic!("{op:?}({x}): {e}"));
    }
    let quotient = |x, y| apply(Binary::Div, &[Tensor::scalar(x), Tensor::scalar(y)]).get(0).as_complex();
    assert_eq!(quotient(c(1.0, 1.0), c(0.0, 0.0)), c(inf, inf));
    assert_eq!(quotient(c(1.0, 1.0), c(inf, 1.0)), c(0.0, 0.0));
    assert_eq!(quotient(c(1e308, 1e308), c(1e308, 1e308)), c(1.0, 0.0));
    let power = |x, y| apply(Binary::Pow, &[Tensor::scalar(x), Tensor::scalar(y)]).get(0).as_complex();
    assert_eq!(power(c(0.0, 0.0), c(0.0, 0.0)), c(1.0, 0.0));
    assert_eq!(power(c(0.0, 0.0), c(2.0, 0.0)), c(0.0, 0.0));
}

/// Lines side by side, in more than one block of them, with equal elements and NaN: as of the array with the axis last.
#[test]
fn extremes_of_lines_across() {
    let (n, length, step) = (3, 7, 300);
    let x: Vec<f32> =
        (0..n * length * step).map(|i| [0.5, -1.0, 2.0, f32::NAN, -0.0, 0.0, 2.0][i * i % 331 % 7]).collect();
    let x = Tensor::new([n, length, step], x).unwrap();
    let turned = apply(Transpose { perm: vec![0, 2, 1].into() }, std::slice::from_ref(&x));
    for extreme in [Extreme::Max, Extreme::Min] {
        let [across, along] = [(1, &x), (2, &turned)]
            .map(|(dim, x)| apply(ArgReduce { extreme, dim, dtype: DType::I32 }, std::slice::from_ref(x)));
        assert_eq!(across, along);
    }
}
