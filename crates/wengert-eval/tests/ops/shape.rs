//! The same elements in another shape.

use crate::ops::common::*;

#[test]
fn elements_in_another_shape() {
    for text in [
        "program (x: f64[2,3]) { y: f64[3,1,2] = reshape[shape=[3,1,2]](x) return y }",
        "program (x: f64[1,1]) { y: f64[] = reshape[shape=[]](x) return y }",
        "program (x: f64[0,3]) { y: f64[2,0] = reshape[shape=[2,0]](x) return y }",
        "program (x: f64[2,3,4]) { y: f64[4,2,3] = transpose[perm=[2, 0, 1]](x) return y }",
        "program (x: f64[]) { y: f64[] = transpose[perm=[]](x) return y }",
        "program (x: f64[0,3]) { y: f64[3,0] = transpose[perm=[1, 0]](x) return y }",
        "program (x: f64[3]) { y: f64[2,3] = broadcast[shape=[2,3], dims=[1]](x) return y }",
        "program (x: f64[1,3]) { y: f64[3,2,4] = broadcast[shape=[3,2,4], dims=[1, 0]](x) return y }",
        "program (x: f64[]) { y: f64[2,0] = broadcast[shape=[2,0], dims=[]](x) return y }",
    ] {
        let ty = parse(text).input_types()[0].to_string();
        check_op(text, &[random(&ty, 5)]);
    }
}
