//! Elementwise kernels.

use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{DType, Element, Tensor};

fn f32s(x: &Tensor) -> Vec<f32> {
    x.to_vec::<f32>().expect("slice: f32 only")
}

pub(crate) fn unary(op: Unary, x: &Tensor) -> Tensor {
    let f: fn(f32) -> f32 = match op {
        Unary::Neg => |x| -x,
        Unary::Exp => f32::exp,
        Unary::Log => f32::ln,
        Unary::Sin => f32::sin,
        Unary::Cos => f32::cos,
        Unary::Tanh => f32::tanh,
        _ => panic!("slice"),
    };
    Tensor::new(x.shape().clone(), f32s(x).into_iter().map(f).collect()).expect("same size")
}

pub(crate) fn binary(op: Binary, x: &Tensor, y: &Tensor) -> Tensor {
    let f: fn(f32, f32) -> f32 = match op {
        Binary::Add => |x, y| x + y,
        Binary::Sub => |x, y| x - y,
        Binary::Mul => |x, y| x * y,
        Binary::Div => |x, y| x / y,
        Binary::Max => f32::max,
        _ => panic!("slice"),
    };
    let v = f32s(x).into_iter().zip(f32s(y)).map(|(a, b)| f(a, b)).collect();
    Tensor::new(x.shape().clone(), v).expect("same size")
}

pub(crate) fn compare(op: Direction, x: &Tensor, y: &Tensor) -> Tensor {
    let f: fn(&f32, &f32) -> bool = match op {
        Direction::Eq => |x, y| x == y,
        Direction::Ne => |x, y| x != y,
        Direction::Lt => |x, y| x < y,
        Direction::Le => |x, y| x <= y,
        Direction::Gt => |x, y| x > y,
        Direction::Ge => |x, y| x >= y,
    };
    let v = f32s(x).iter().zip(&f32s(y)).map(|(a, b)| f(a, b)).collect();
    Tensor::new(x.shape().clone(), v).expect("same size")
}

pub(crate) fn select(p: &Tensor, x: &Tensor, y: &Tensor) -> Tensor {
    let p = p.to_vec::<bool>().expect("slice");
    let v = f32s(x).into_iter().zip(f32s(y)).enumerate().map(|(i, (a, b))| if p[i.min(p.len() - 1)] { a } else { b });
    Tensor::new(x.shape().clone(), v.collect()).expect("same size")
}

pub(crate) fn convert(x: &Tensor, d: DType) -> Tensor {
    assert!(d == DType::F32, "slice");
    let v: Vec<f32> = (0..x.size()).map(|i| f32::from_f64(x.get(i).as_f64().expect("real"))).collect();
    Tensor::new(x.shape().clone(), v).expect("same size")
}
