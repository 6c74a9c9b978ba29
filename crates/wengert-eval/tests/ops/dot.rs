//! Contractions.

use crate::ops::common::*;

#[test]
fn contractions() {
    let dot = |x: &str, y: &str, z: &str, attributes: &str| {
        let text = format!("program (x: {x}, y: {y}) {{\n z: {z} = dot_general[{attributes}](x, y)\n return z\n}}");
        check_op(&text, &[random(x, 13), random(y, 14)]);
    };
    dot("f64[2,3]", "f64[3,4]", "f64[2,4]", "contract=([1], [0]), batch=([], [])");
    dot("f64[3,2,2]", "f64[2,3,4]", "f64[2,2,4]", "contract=([0], [1]), batch=([2], [0])");
    dot("f64[2,3,2]", "f64[3,2]", "f64[2]", "contract=([1, 2], [0, 1]), batch=([], [])");
    dot("f64[2]", "f64[3]", "f64[2,3]", "contract=([], []), batch=([], [])");
    dot("f64[2,0]", "f64[0,3]", "f64[2,3]", "contract=([1], [0]), batch=([], [])");
    dot("c128[2,2]", "c128[2]", "c128[2]", "contract=([0], [0]), batch=([], [])");
}
