//! Convolutions as this crate computes them have the bits of the evaluator's: any layout, stride, padding, dilation and grouping,
//! every type, few elements and many.

use std::sync::{Arc, LazyLock};
use wengert_core::compare::Tolerance;
use wengert_core::ops::Convolution;
use wengert_core::run::{Device, Run, Value};
use wengert_core::{Builder, Complex, DType, Dims, Op, Scalar, Shape, Tensor, Type};
use wengert_eval::Eval;

/// Numbers in no order.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn order(&mut self, n: usize) -> Dims {
        let mut rest: Vec<usize> = (0..n).collect();
        (0..n).map(|_| rest.remove(self.below(rest.len()))).collect()
    }
}

/// A shape whose axes at these places have these sizes.
fn placed(axes: &Dims, sizes: &[usize]) -> Shape {
    let mut shape = vec![0; sizes.len()];
    axes.iter().zip(sizes).for_each(|(&a, &n)| shape[a] = n);
    shape.into_iter().collect()
}

/// A convolution with up to three spatial axes, and the shapes of its operands.
fn any(dice: &mut Dice, large: usize) -> (Convolution, Shape, Shape) {
    let spatial = dice.below(4);
    let groups = 1 + dice.below(3);
    let (feature_groups, batch_groups) = [(groups, 1), (1, groups), (1, 1)][dice.below(3)];
    let (batch, features, outs) = (dice.below(3 * large + 1), dice.below(4), 1 + dice.below(3));
    let [lhs, rhs, out] = [0; 3].map(|_| dice.order(spatial + 2));
    let mut each = |n: usize| (0..spatial).map(|_| 1 + dice.below(n)).collect::<Vec<usize>>();
    let (sizes, kernel, strides) = (each(6 * large), each(3), each(3));
    let (lhs_dilation, rhs_dilation) = (each(3), each(3));
    let padding = (0..spatial).map(|_| (dice.below(7) as i64 - 2, dice.below(7) as i64 - 2)).collect();
    let reversal = (0..spatial).map(|_| dice.below(2) == 1).collect();
    let all = feature_groups.max(batch_groups);
    let left = placed(&lhs, &[vec![batch * batch_groups, features * feature_groups], sizes].concat());
    let right = placed(&rhs, &[vec![outs * all, features], kernel].concat());
    let op = Convolution {
        lhs,
        rhs,
        out,
        strides: strides.into_iter().collect(),
        padding,
        lhs_dilation: lhs_dilation.into_iter().collect(),
        rhs_dilation: rhs_dilation.into_iter().collect(),
        reversal,
        feature_groups,
        batch_groups,
    };
    (op, left, right)
}

/// Numbers of both signs and many digits. Some arrays have a few that are awkward: zeros of both signs, numbers with no
/// digits to spare, infinities and NaN.
fn numbers(dtype: DType, shape: &Shape, dice: &mut Dice) -> Tensor {
    const AWKWARD: [f64; 8] = [0.0, -0.0, 1e-40, -3e-310, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 3e38];
    let awkward = dice.below(4) == 0;
    let mut number = || match awkward && dice.below(12) == 0 {
        true => AWKWARD[dice.below(AWKWARD.len())],
        false => (dice.below(1 << 20) as f64 / 3e4 - 17.0) / (1 + dice.below(3)) as f64,
    };
    Tensor::from_bits(&Type::new(dtype, shape.clone()), |_| {
        Scalar::from_complex(dtype, Complex::new(number(), number())).bits()
    })
}

fn on(device: &dyn Device, op: &Op, x: &[Tensor]) -> Tensor {
    let run = Run::new(x.iter().cloned().map(Value::Host).collect());
    device.run_op(op, run).unwrap().remove(0).into_host().unwrap()
}

/// One, two and seven threads.
fn pools() -> &'static [rayon::ThreadPool; 3] {
    static POOLS: LazyLock<[rayon::ThreadPool; 3]> =
        LazyLock::new(|| [1, 2, 7].map(|n| rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap()));
    &POOLS
}

/// Holds a convolution to the evaluator's, to the bit, run by itself on as many threads as there are and on some others, and
/// compiled.
fn check(op: Convolution, left: Shape, right: Shape, dice: &mut Dice) -> usize {
    let op: Op = op.into();
    let dtype = DType::ALL[dice.below(DType::ALL.len())];
    let types = [Type::new(dtype, left.clone()), Type::new(dtype, right.clone())];
    let Ok(result) = op.result_types(&types) else { return 0 };
    let mut x = [numbers(dtype, &left, dice), numbers(dtype, &right, dice)];
    // One side, or both, may be one number repeated.
    for x in &mut x {
        if dice.below(6) == 0 && x.size() > 0 {
            *x = Tensor::splat(x.shape().clone(), x.get(0));
        }
    }
    let plain = on(&Eval::PLAIN, &op, &x);
    let same = |found: &Tensor| {
        assert_eq!(found.ty(), result[0]);
        let why = |m| panic!("{m}\n{op:?} of {} and {}", types[0], types[1]);
        Tolerance::BITS.check(found, &plain).unwrap_or_else(why);
    };
    same(&on(&wengert_cpu::CPU, &op, &x));
    same(&pools()[dice.below(3)].install(|| on(&wengert_cpu::CPU, &op, &x)));
    let mut b = Builder::new();
    let args = b.inputs(&types);
    let y = b.one(op.clone(), &args);
    let program = Arc::new(b.finish(&[y]));
    same(&wengert_cpu::CPU.compile(program, &[]).unwrap().run_on_host(x.to_vec()).unwrap()[0]);
    1
}

fn check_any(dice: &mut Dice, large: usize) -> usize {
    let (op, left, right) = any(dice, large);
    check(op, left, right, dice)
}

#[test]
fn small_convolutions_are_the_evaluators() {
    let mut dice = Dice(1);
    let checked: usize = (0..2000).map(|_| check_any(&mut dice, 1)).sum();
    assert!(checked > 1000, "{checked}");
}

/// Large enough for threads, and for more than one block of rows.
#[test]
fn large_convolutions_are_the_evaluators() {
    let mut dice = Dice(2);
    let checked: usize = (0..40).map(|_| check_any(&mut dice, 3)).sum();
    assert!(checked > 20, "{checked}");
}

/// Layers as they are met: sums of several chains, more columns than a panel has, and channels each by itself; with the
/// gradients of both sides.
#[test]
fn layers_are_the_evaluators() {
    let mut dice = Dice(3);
    let nhwc = |n: usize| -> Dims { (0..1).chain([n + 1]).chain(1..n + 1).collect() };
    for (image, features, kernel, outs, groups, stride) in [
        (vec![5, 9], 70, vec![3, 3], 70, 1, 1),
        (vec![8, 8], 4, vec![3, 3], 100, 1, 2),
        (vec![7, 20], 40, vec![3, 3], 40, 40, 1),
        (vec![9, 9], 12, vec![2, 2], 6, 3, 1),
        (vec![1100], 1, vec![5], 2, 1, 1),
        (vec![6, 6], 600, vec![1, 1], 5, 1, 1),
        (vec![3, 4, 5], 9, vec![2, 1, 3], 17, 1, 1),
    ] {
        let n = image.len();
        let op = Convolution {
            lhs: nhwc(n),
            // The kernel's spatial axes, then input features, then output features.
            rhs: [n + 1, n].into_iter().chain(0..n).collect(),
            out: nhwc(n),
            strides: (0..n).map(|_| stride).collect(),
            padding: vec![(1, 1); n],
            lhs_dilation: (0..n).map(|_| 1).collect(),
            rhs_dilation: (0..n).map(|_| 1).collect(),
            reversal: vec![false; n],
            feature_groups: groups,
            batch_groups: 1,
        };
        let left: Shape = [&[2], &image[..], &[features]].concat().into_iter().collect();
        let right: Shape = [&kernel[..], &[features / groups, outs]].concat().into_iter().collect();
        let types = [left.clone(), right.clone()].map(|s| Type::new(DType::F32, s));
        let mut b = Builder::new();
        let args = b.inputs(&types);
        let y = b.one(op.clone(), &args);
        let program = b.finish(&[y]);
        let gradient = wengert_core::transform::vjp(&program, &[true, true]).unwrap();
        let x: Vec<Tensor> = gradient.input_types().iter().map(|t| numbers(DType::F32, &t.shape, &mut dice)).collect();
        let want = wengert_eval::run(&gradient, x.clone()).unwrap();
        let got = wengert_cpu::CPU.compile(Arc::new(gradient), &[]).unwrap().run_on_host(x).unwrap();
        for (got, want) in got.iter().zip(&want) {
            Tolerance::BITS.check(got, want).unwrap_or_else(|m| panic!("{m}\n{op:?} of {} and {}", types[0], types[1]));
        }
        assert_eq!(check(op, left, right, &mut dice), 1);
    }
}

/// Windows far outside of the array: the copy with zeros around it would take more memory than there is.
#[test]
fn far_paddings_take_no_memory() {
    let far = 3_000_000_000u64;
    let text = format!(
        "program (x: f32[1,3,4], w: f32[2,4,5]) {{
          y: f32[1,2,5] = convolution[lhs=[0, 2, 1], rhs=[2, 1, 0], out=[0, 2, 1], strides=[{far}], padding=[({far}, 0)],
            lhs_dilation=[1], rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1](x, w)
          return y
        }}"
    );
    let program = Arc::new(wengert_core::Program::parse(&text).unwrap());
    let mut dice = Dice(3);
    let x = program.input_types().iter().map(|t| numbers(t.dtype, &t.shape, &mut dice)).collect::<Vec<Tensor>>();
    let compiled = wengert_cpu::CPU.compile(program.clone(), &[]).unwrap().run_on_host(x.clone()).unwrap();
    let plain = wengert_eval::run(&program, x).unwrap();
    assert!(compiled[0].same_bits(&plain[0]));
}
