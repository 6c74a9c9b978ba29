//! Convolutions as this crate computes them against the evaluator's: any layout, stride, padding, dilation and grouping,
//! every type, few elements and many.

use std::sync::Arc;
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

fn numbers(dtype: DType, shape: &Shape, dice: &mut Dice) -> Tensor {
    let mut number = || dice.below(17) as f64 / 4.0 - 2.0;
    Tensor::from_bits(&Type::new(dtype, shape.clone()), |_| {
        let c = Complex::new(number(), number());
        Scalar::from_complex(dtype, if dtype.is_integer() { c * 4.0 } else { c }).bits()
    })
}

/// How near both are. Sums in another order may round otherwise.
fn tolerance(d: DType) -> Tolerance {
    match d {
        DType::F16 => Tolerance::near(1e-2),
        DType::BF16 => Tolerance::near(5e-2),
        DType::F32 | DType::C64 => Tolerance::near(1e-5),
        DType::F64 | DType::C128 => Tolerance::near(1e-12),
        _ => Tolerance::BITS,
    }
}

fn on(device: &dyn Device, op: &Op, x: &[Tensor]) -> Tensor {
    let run = Run::new(x.iter().cloned().map(Value::Host).collect());
    device.run_op(op, run).unwrap().remove(0).into_host().unwrap()
}

fn check(dice: &mut Dice, large: usize) -> usize {
    let (op, left, right) = any(dice, large);
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
    let (fast, plain) = (on(&wengert_cpu::CPU, &op, &x), on(&Eval::PLAIN, &op, &x));
    assert_eq!(fast.ty(), result[0]);
    tolerance(dtype).check(&fast, &plain).unwrap_or_else(|m| panic!("{m}\n{op:?} of {} and {}", types[0], types[1]));
    // Compiled, it is the same to the bit.
    let mut b = Builder::new();
    let args = b.inputs(&types);
    let y = b.one(op, &args);
    let program = Arc::new(b.finish(&[y]));
    let compiled = wengert_cpu::CPU.compile(program, &[]).unwrap().run_on_host(x.to_vec()).unwrap();
    assert!(compiled[0].same_bits(&fast));
    1
}

#[test]
fn small_convolutions_are_the_evaluators() {
    let mut dice = Dice(1);
    let checked: usize = (0..2000).map(|_| check(&mut dice, 1)).sum();
    assert!(checked > 1000, "{checked}");
}

/// Large enough for threads, and for more than one block of rows.
#[test]
fn large_convolutions_are_the_evaluators() {
    let mut dice = Dice(2);
    let checked: usize = (0..40).map(|_| check(&mut dice, 3)).sum();
    assert!(checked > 20, "{checked}");
}
