//! Convolution against its definition, and under every transform.

use crate::ops::common::*;
use wengert_core::ops::Convolution;
use wengert_core::{Builder, DType, Dims, Program, Rules, Shape, Tensor, Type};

/// Numbers that look random.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }

    fn order(&mut self, n: usize) -> Dims {
        let mut axes: Dims = (0..n).collect();
        (1..n).for_each(|i| axes.swap(i, self.below(i + 1)));
        axes
    }
}

/// A convolution with attributes of every kind, and shapes it takes.
fn any(dice: &mut Dice) -> (Convolution, Shape, Shape) {
    loop {
        let spatial = dice.below(3);
        let groups = 1 + dice.below(3);
        let (fg, bg) = [(1, 1), (groups, 1), (1, groups)][dice.below(3)];
        let each = |dice: &mut Dice, n: usize| (0..spatial).map(|_| 1 + dice.below(n)).collect::<Dims>();
        let op = Convolution {
            lhs: dice.order(spatial + 2),
            rhs: dice.order(spatial + 2),
            out: dice.order(spatial + 2),
            strides: each(dice, 3),
            padding: (0..spatial).map(|_| (dice.below(4) as i64 - 1, dice.below(4) as i64 - 1)).collect(),
            lhs_dilation: each(dice, 3),
            rhs_dilation: each(dice, 3),
            reversal: (0..spatial).map(|_| dice.below(2) == 1).collect(),
            feature_groups: fg,
            batch_groups: bg,
        };
        let features = dice.below(3);
        let (mut lhs, mut rhs) = (vec![0; spatial + 2], vec![0; spatial + 2]);
        lhs[op.lhs[0]] = bg * (1 + dice.below(2));
        lhs[op.lhs[1]] = fg * features;
        rhs[op.rhs[0]] = fg * bg * (1 + dice.below(2));
        rhs[op.rhs[1]] = features;
        for i in 2..spatial + 2 {
            lhs[op.lhs[i]] = dice.below(6);
            rhs[op.rhs[i]] = 1 + dice.below(3);
        }
        let (lhs, rhs) = (Shape::from(lhs), Shape::from(rhs));
        let types = [&lhs, &rhs].map(|s| Type::new(DType::F64, s.clone()));
        if op.infer(&types).is_ok_and(|y| y[0].shape.size() > 0 || dice.below(8) == 0) {
            return (op, lhs, rhs);
        }
    }
}

fn program(op: &Convolution, types: &[Type]) -> Program {
    let mut b = Builder::new();
    let x = b.inputs(types);
    let y = b.try_push(op.clone(), &x).unwrap();
    b.finish(&y)
}

fn index(flat: usize, shape: &Shape) -> Vec<usize> {
    shape.strides().iter().zip(shape.iter()).map(|(s, n)| flat / s % n).collect()
}

/// The definition: a sum over the places of the window and the input features.
fn defined(op: &Convolution, l: &Tensor, r: &Tensor) -> Vec<f64> {
    let out = op.infer(&[l.ty(), r.ty()]).unwrap().remove(0).shape;
    let (lv, rv) = (reals(l), reals(r));
    let at = |shape: &Shape, i: &[usize]| shape.strides().iter().zip(i).map(|(s, i)| s * i).sum::<usize>();
    let features = r.shape()[op.rhs[1]];
    let outs = r.shape()[op.rhs[0]] / (op.feature_groups * op.batch_groups);
    let window: Shape = op.rhs[2..].iter().map(|&d| r.shape()[d]).collect();
    (0..out.size())
        .map(|o| {
            let o = index(o, &out);
            let group = o[op.out[1]] / outs;
            let mut sum = 0.0;
            for k in 0..window.size() {
                let k = index(k, &window);
                for f in 0..features {
                    let (mut li, mut ri) = (vec![0; out.rank()], vec![0; out.rank()]);
                    (ri[op.rhs[0]], ri[op.rhs[1]]) = (o[op.out[1]], f);
                    let (fg, bg) = if op.batch_groups > 1 { (0, group) } else { (group, 0) };
                    li[op.lhs[0]] = bg * (l.shape()[op.lhs[0]] / op.batch_groups) + o[op.out[0]];
                    li[op.lhs[1]] = fg * features + f;
                    let inside = (0..window.rank()).all(|i| {
                        let place = o[op.out[i + 2]] * op.strides[i] + k[i] * op.rhs_dilation[i];
                        let place = place as i64 - op.padding[i].0;
                        let dilation = op.lhs_dilation[i] as i64;
                        li[op.lhs[i + 2]] = place.max(0) as usize / op.lhs_dilation[i];
                        ri[op.rhs[i + 2]] = if op.reversal[i] { window[i] - 1 - k[i] } else { k[i] };
                        place >= 0 && place % dilation == 0 && place / dilation < l.shape()[op.lhs[i + 2]] as i64
                    });
                    if inside {
                        sum += lv[at(l.shape(), &li)] * rv[at(r.shape(), &ri)];
                    }
                }
            }
            sum
        })
        .collect()
}

#[test]
fn values_are_as_defined() {
    let mut dice = Dice(1);
    for i in 0..400 {
        let (op, lhs, rhs) = any(&mut dice);
        let dtype = [DType::F64, DType::I32, DType::F32, DType::U8][i % 4];
        let [l, r] = [(lhs, 2), (rhs, 3)].map(|(s, seed)| random(&Type::new(dtype, s).to_string(), seed));
        let y = wengert_eval::run(&program(&op, &[l.ty(), r.ty()]), vec![l.clone(), r.clone()]).unwrap();
        let wrapped = |e: f64| if dtype == DType::U8 { e % 256.0 } else { e };
        let expected: Vec<f64> = defined(&op, &l, &r).into_iter().map(wrapped).collect();
        close(&y[0], &tensor(&y[0].ty().to_string(), &expected), 1e-5, &|| format!("{op:?} of {l:?} and {r:?}"));
    }
}

#[test]
fn every_transform() {
    let mut dice = Dice(2);
    for _ in 0..40 {
        let (op, lhs, rhs) = any(&mut dice);
        let [l, r] = [(lhs, 2), (rhs, 3)].map(|(s, seed)| random(&Type::new(DType::F64, s).to_string(), seed));
        check_program(&program(&op, &[l.ty(), r.ty()]), &[l, r]);
    }
}

/// A layer large enough for several blocks, along each way they are cut, forward and backward.
#[test]
fn large() {
    let text = "program (x: f64[4,10000,1], w: f64[3,1,2]) {
        y: f64[4,5000,2] = convolution[lhs=[0, 2, 1], rhs=[2, 1, 0], out=[0, 2, 1], strides=[2], padding=[(1, 0)],
            lhs_dilation=[1], rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1](x, w)
        return y }";
    let (l, r) = (random("f64[4,10000,1]", 1), random("f64[3,1,2]", 2));
    let (lv, rv) = (reals(&l), reals(&r));
    let y = eval(text, &[l.clone(), r.clone()]);
    let defined = |i: usize| -> f64 {
        let (image, at, out) = (i / 10000, i / 2 % 5000, i % 2);
        let under = (0..3).filter(|k| 2 * at + k > 0);
        under.map(|k| lv[image * 10000 + 2 * at + k - 1] * rv[k * 2 + out]).sum()
    };
    let expected: Vec<f64> = (0..y[0].size()).map(defined).collect();
    close(&y[0], &tensor("f64[4,5000,2]", &expected), 1e-12, &|| "by hand".into());
    check_derivatives(&parse(text), &[l, r]);
}

/// A long kernel: what each position sees at each place is not kept.
#[test]
fn long_kernel() {
    let (n, k) = (12_000, 1_001);
    let text = format!(
        "program (x: f64[1,{n},1], w: f64[{k},1,1]) {{
        y: f64[1,{n},1] = convolution[lhs=[0, 2, 1], rhs=[2, 1, 0], out=[0, 2, 1], strides=[1], padding=[(500, 500)],
            lhs_dilation=[1], rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1](x, w)
        return y }}"
    );
    let x: Vec<f64> = (0..n).map(|i| (i % 11) as f64).collect();
    let y = eval(&text, &[tensor(&format!("f64[1,{n},1]"), &x), tensor(&format!("f64[{k},1,1]"), &vec![1.0; k])]);
    for (i, y) in reals(&y[0]).into_iter().enumerate().step_by(97) {
        let e: f64 = x[i.saturating_sub(500)..(i + 501).min(n)].iter().sum();
        assert_eq!(y, e, "at {i}");
    }
}

#[test]
fn short_floats_sum_in_f32() {
    let text = "program (x: bf16[1,300], w: bf16[1,300]) {
        y: bf16[1,1] = convolution[lhs=[0, 1], rhs=[0, 1], out=[0, 1], strides=[], padding=[], lhs_dilation=[],
            rhs_dilation=[], reversal=[], feature_groups=1, batch_groups=1](x, w)
        return y }";
    let ones = tensor("bf16[1,300]", &[1.0; 300]);
    assert_eq!(reals(&eval(text, &[ones.clone(), ones])[0]), [300.0]);
}

#[test]
fn refusals() {
    let because = |types: &str, change: (&str, &str)| {
        let text = format!(
            "program ({types}) {{
            y: f32[1] = convolution[lhs=[0, 1, 2], rhs=[0, 1, 2], out=[0, 1, 2], strides=[1], padding=[(0, 0)],
            lhs_dilation=[1], rhs_dilation=[1], reversal=[false], feature_groups=1, batch_groups=1](x, w)
            return y }}"
        );
        refused(&text.replace(change.0, change.1))
    };
    let fit = "x: f32[2,4,9], w: f32[6,4,3]";
    for (types, change, reason) in [
        ("x: f32[2,4,9], w: f64[6,4,3]", ("", ""), "operands of one element type, and got f32[2,4,9] and f64[6,4,3]"),
        ("x: f32[2,4,9], w: f32[6,4]", ("", ""), "operands with as many axes"),
        ("x: f32[2,4,9], w: f32[6,3,3]", ("", ""), "has 4 features, and the kernel f32[6,3,3] takes 3 in 1 groups"),
        ("x: f32[2,4,9], w: f32[6,4,0]", ("", ""), "windows of at least one element"),
        (fit, ("lhs=[0, 1, 2]", "lhs=[0, 1]"), "all 3 axes of the left side named, and got 2"),
        (fit, ("out=[0, 1, 2]", "out=[0, 1, 1]"), "axis 1 is named twice"),
        (fit, ("strides=[1]", "strides=[1, 1]"), "1 spatial axes, and 2 entries in `strides`"),
        (fit, ("strides=[1]", "strides=[0]"), "strides and dilations of at least 1"),
        (fit, ("rhs_dilation=[1]", "rhs_dilation=[0]"), "strides and dilations of at least 1"),
        (fit, ("(0, 0)", "(-5, -5)"), "takes away more than all of an axis of size 9"),
        (fit, ("(0, 0)", "(0, 9223372036854775807)"), "too large to address"),
        (fit, ("feature_groups=1", "feature_groups=0"), "one kind of groups, and got 0 of features"),
        (fit, ("feature_groups=1", "feature_groups=4"), "takes 4 in 4 groups"),
        (fit, ("batch_groups=1", "batch_groups=3"), "the batch of 2 can't be cut in 3 groups"),
        (fit, ("batch_groups=1", "batch_groups=4"), "the 6 features of the kernel can't be cut in 4 groups"),
    ] {
        let found = because(types, change);
        assert!(found.contains(reason), "{found}");
    }
}
