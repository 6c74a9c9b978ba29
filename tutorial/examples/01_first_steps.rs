//! Chapter 1: arrays. Making them, computing with them, taking parts of them.
//!
//! `cargo run --release --example 01_first_steps`

use wengert::{Array, DType, keep, s, where_};

fn main() {
    // From Rust values; the element type is theirs.
    let x = Array::from([[1.0f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
    println!("x =\n{x}\nof type {}\n", x.ty());

    // A literal takes the element type of the array beside it. Shapes broadcast as in NumPy.
    let row = Array::from([10.0f32, 20.0, 30.0]);
    println!("2 x + row =\n{}\n", 2.0 * &x + &row);

    // Reductions take one axis, several, or all (`..`); `keep` leaves them with size 1.
    println!("sum of everything: {}", x.sum(..));
    println!("mean of each column: {}", x.mean(0));
    println!("each row with its mean taken off:\n{}\n", &x - x.mean(keep(-1)));

    // Parts: positions, ranges with steps, arrays of positions, masks.
    println!("last column: {}", x.get(s![.., -1]));
    println!("columns backward:\n{}", x.get(s![.., ..; -1]));
    println!("those above 2: {}\n", x.get(x.gt(2.0)));

    // Arrays do not change; `at` gives a changed copy.
    println!("with row 0 set to zero:\n{}", x.at(0).set(0.0));
    println!("negative where odd:\n{}\n", where_((&x % 2.0).eq(1.0), -&x, &x));

    // Other element types, when asked for.
    println!("as integers:\n{}", x.to(DType::I32));
    println!("products: x xᵀ =\n{}", x.matmul(x.t()));
}
