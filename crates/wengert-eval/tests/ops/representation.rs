//! Elements by their bits, and with fewer of them.

use crate::ops::common::*;
use wengert_core::{Element, Tensor, f16};

#[test]
fn bitcast_splits_and_joins() {
    let bits = |from: &str, to: &str, dtype: &str, x: Tensor| {
        eval(&format!("program (x: {from}) {{\n y: {to} = bitcast[dtype={dtype}](x)\n return y\n}}"), &[x]).remove(0)
    };
    let y = bits("f32[]", "u32[]", "u32", Tensor::scalar(1f32));
    assert_eq!(y.get(0), 0x3f80_0000u32.scalar());
    let y = bits("i32[2]", "u8[2,4]", "u8", Tensor::new([2], vec![0x04030201i32, -1]).unwrap());
    assert_eq!(y.to_vec::<u8>().unwrap(), [1, 2, 3, 4, 255, 255, 255, 255]);
    let back = bits("u8[2,4]", "i32[2]", "i32", y);
    assert_eq!(back.to_vec::<i32>().unwrap(), [0x04030201, -1]);
    let y = bits("i16[0]", "f16[0]", "f16", Tensor::new([0], Vec::<i16>::new()).unwrap());
    assert_eq!(y.to_vec::<f16>().unwrap(), []);
    check_op("program (x: f64[2]) {\n y: i32[2,2] = bitcast[dtype=i32](x)\n return y\n}", &[random("f64[2]", 6)]);
    check_op("program (x: i16[3,2]) {\n y: f32[3] = bitcast[dtype=f32](x)\n return y\n}", &[random("i16[3,2]", 6)]);
    assert_eq!(
        refused("program (x: u8[3]) {\n y: u32[] = bitcast[dtype=u32](x)\n return y\n}"),
        "line 2, column 13: `bitcast` to u32 needs a last axis of size 4, and got u8[3]"
    );
}

#[test]
fn reduce_precision_rounds() {
    let round = |e: usize, m: usize, x: f32| {
        let op = format!("reduce_precision[exponent={e}, mantissa={m}]");
        let text = format!("program (x: f32[1]) {{\n y: f32[1] = {op}(x)\n return y\n}}");
        reals(&eval(&text, &[Tensor::new([1], vec![x]).unwrap()])[0])[0] as f32
    };
    assert_eq!(round(5, 10, 65519.0), 65504.0);
    assert_eq!(round(5, 10, 65520.0), f32::INFINITY);
    assert_eq!(round(5, 10, -1e-7), -0.0);
    assert_eq!(round(8, 7, 1.0 + 2f32.powi(-8)), 1.0);
    assert_eq!(round(8, 7, 1.0 + 3.0 * 2f32.powi(-8)), 1.0 + 2f32.powi(-6));
    assert!(round(1, 0, f32::NAN).is_nan());
    assert_eq!(round(11, 52, 1.1), 1.1);
    check_op(
        "program (x: f64[3]) {\n y: f64[3] = reduce_precision[exponent=11, mantissa=52](x)\n return y\n}",
        &[random("f64[3]", 7)],
    );
}
