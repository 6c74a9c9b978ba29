//! Random bits: JAX's values, and batches of keys and states.

use crate::ops::common::{check_op, eval, refused};
use wengert_core::Tensor;

const THREEFRY: &str = "program (k0: u32[4], k1: u32[4], c0: u32[4], c1: u32[4]) {
    y0: u32[4], y1: u32[4] = threefry2x32(k0, k1, c0, c1)
    return y0, y1
}";

#[test]
fn threefry() {
    // The known answers of the generator's authors, then counts under one key.
    let words = |w: [u32; 4]| Tensor::new([4], w.to_vec()).unwrap();
    let inputs = [
        words([0, u32::MAX, 0x1319_8a2e, 1]),
        words([0, u32::MAX, 0x0370_7344, 2]),
        words([0, u32::MAX, 0x243f_6a88, 0]),
        words([0, u32::MAX, 0x85a3_08d3, 7]),
    ];
    let y = eval(THREEFRY, &inputs);
    assert_eq!(y[0].to_vec::<u32>().unwrap(), [0x6b20_0159, 0x1cb9_96fc, 0xc492_3a9c, 0xcc47_5156]);
    assert_eq!(y[1].to_vec::<u32>().unwrap(), [0x99ba_4efe, 0xbb00_2be7, 0x483d_f7a0, 0xb886_0fbf]);
    check_op(THREEFRY, &inputs);
}

#[test]
fn rng_bit_generator() {
    let state = Tensor::new([2], vec![1u64, u64::MAX]).unwrap();
    let check = |algorithm: &str, ty: &str, after: [u64; 2], bits: &[u64]| {
        let text = format!(
            "program (s: u64[2]) {{
               t: u64[2], y: {ty} = rng_bit_generator[algorithm={algorithm}, ty={ty}](s)
               return t, y
             }}"
        );
        let y = eval(&text, std::slice::from_ref(&state));
        assert_eq!(y[0].to_vec::<u64>().unwrap(), after, "{text}");
        let found: Vec<u64> = (0..y[1].size()).map(|i| y[1].get(i).bits() as u64).collect();
        assert_eq!(found, bits, "{text}");
        check_op(&text, std::slice::from_ref(&state));
    };
    check("three_fry", "u32[]", [1, 0], &[277883032]);
    check("three_fry", "u8[3]", [1, 1], &[152, 118, 250]);
    check("three_fry", "u16[1,4]", [1, 1], &[10392, 31862, 43002, 10117]);
    check(
        "three_fry",
        "u32[3,5]",
        [1, 8],
        &[
            277883032, 1381858422, 3023415290, 2531993477, 247883890, 43444564, 2150618427, 3979645651, 3745730563,
            1672743891, 2109414752, 618976052, 2534981805, 3824176357, 2868795927,
        ],
    );
    check("three_fry", "u64[3]", [1, 2], &[5935036730470049944, 10874829180423743482, 3280001176275675250]);
    check("three_fry", "u32[0]", [1, 18446744073709551615], &[]);
    check("philox", "u32[]", [1, 0], &[1483621553]);
    check("philox", "u8[3]", [1, 0], &[177, 42, 217]);
    check("philox", "u16[1,4]", [1, 0], &[17585, 45354, 35033, 12492]);
    check(
        "philox",
        "u32[3,5]",
        [1, 3],
        &[
            1483621553, 651866410, 3635972313, 3644338380, 3878945999, 2364392915, 1057429302, 168492509, 3082076531,
            3674517586, 1146363793, 235617523, 2481929813, 1518692275, 2704098374,
        ],
    );
    check("philox", "u64[3]", [1, 1], &[2799744913794548913, 15652314161293592793, 10154990248698053839]);
    check("philox", "u32[0]", [1, 18446744073709551615], &[]);
    check("default", "u32[]", [1, 0], &[1483621553]);
}

#[test]
fn refusals() {
    let message = refused(
        "program (s: u64[3]) {
           t: u64[3], y: u8[2] = rng_bit_generator[algorithm=three_fry, ty=u8[2]](s)
           return y
         }",
    );
    assert!(message.ends_with("takes a state of type u64[2] (or u64[3] for philox), and got u64[3]"), "{message}");
    let message = refused("program (a: i32[]) { x: i32[], y: i32[] = threefry2x32(a, a, a, a) return x }");
    assert!(message.ends_with("`threefry2x32` takes u32, and got elements of type i32"), "{message}");
}
