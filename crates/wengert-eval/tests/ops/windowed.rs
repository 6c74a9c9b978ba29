//! Windowed reductions, and selection under a window.

use crate::ops::common::*;
use wengert_core::ops::WindowAxis;

/// The attribute of a window: sizes, strides, padding, base and window dilation.
fn window(size: &str, strides: &str, padding: &str, base: &str, dilation: &str) -> String {
    format!(
        "window=[size=[{size}], strides=[{strides}], padding=[{padding}], base_dilation=[{base}], \
         window_dilation=[{dilation}]]"
    )
}

/// Windows over arrays of a shape, with the shape of their positions.
fn windows() -> Vec<(&'static str, &'static str, String)> {
    vec![
        ("[]", "[]", window("", "", "", "", "")),
        ("[5]", "[4]", window("2", "1", "(0, 0)", "1", "1")),
        ("[6]", "[3]", window("3", "2", "(1, 1)", "1", "1")),
        ("[7]", "[2]", window("3", "3", "(-1, 0)", "1", "1")),
        ("[4]", "[4]", window("2", "2", "(2, 1)", "2", "3")),
        ("[3]", "[0]", window("2", "1", "(-1, -1)", "1", "1")),
        ("[0]", "[2]", window("2", "1", "(1, 2)", "1", "1")),
        ("[2,5,3]", "[2,2,2]", window("1, 3, 2", "1, 2, 1", "(0, 0), (0, 0), (0, 0)", "1, 1, 1", "1, 1, 1")),
        ("[3,4]", "[4,2]", window("2, 2", "1, 3", "(1, 1), (0, 2)", "1, 1", "1, 2")),
        ("[2,0,3]", "[1,0,3]", window("2, 1, 1", "1, 1, 1", "(0, 0), (0, 0), (0, 0)", "1, 1, 1", "1, 1, 1")),
    ]
}

#[test]
fn reductions_under_every_transform() {
    for combiner in ["add", "mul", "max", "min"] {
        for (x, y, window) in windows() {
            let text = format!(
                "program (x: f64{x}) {{ y: f64{y} = reduce_window[combiner={combiner}, {window}](x)
                return y }}"
            );
            if y.contains('0') || !matches!((combiner, x), ("max" | "min", "[4]" | "[0]" | "[3,4]")) {
                check_op(&text, &[random(&format!("f64{x}"), 3)]);
            } else {
                // Where nothing lies under a window the value is infinite, and has no difference quotient.
                check_batch(&parse(&text), &[random(&format!("f64{x}"), 3)]);
            }
        }
    }
    for combiner in ["add", "mul", "max"] {
        let window = &windows()[1].2;
        let op = format!("reduce_window[combiner={combiner}, {window}]");
        check_op(&format!("program (x: c128[5]) {{ y: c128[4] = {op}(x) return y }}"), &[random("c128[5]", 3)]);
    }
}

#[test]
fn products_with_zeros() {
    let text =
        format!("program (x: f64[5]) {{ y: f64[4] = reduce_window[combiner=mul, {}](x) return y }}", windows()[1].2);
    check_op(&text, &[tensor("f64[5]", &[1.0, 0.0, 0.0, 3.0, 0.0])]);
}

/// A program that keeps the larger of two pairs, and starts below all of them.
const LARGER: &str = "program (k: f64[], v: f64[], l: f64[], w: f64[]) {
    first: bool[] = compare[direction=ge](k, l)
    %5: f64[] = select(first, k, l)
    %6: f64[] = select(first, v, w)
    return %5, %6
}";

#[test]
fn programs() {
    for (x, y, window) in windows().into_iter().step_by(3) {
        let text = format!(
            "program (k: f64{x}, v: f64{x}, a: f64[], b: f64[]) {{
            y: f64{y}, z: f64{y} = reduce_window[combiner={LARGER}, {window}](k, v, a, b)
            return y, z }}"
        );
        let x = format!("f64{x}");
        check_op(&text, &[random(&x, 3), random(&x, 4), tensor("f64[]", &[-9.0]), tensor("f64[]", &[5.0])]);
    }
}

fn reduced(combiner: &str, from: &str, to: &str, window: &str, x: &[f64]) -> Vec<f64> {
    let text = format!("program (x: {from}) {{ y: {to} = reduce_window[combiner={combiner}, {window}](x) return y }}");
    reals(&eval(&text, &[tensor(from, x)])[0])
}

#[test]
fn values() {
    let pairs = window("2", "1", "(1, 2)", "1", "1");
    let y = reduced("max", "f32[3]", "f32[5]", &pairs, &[1.0, f64::NAN, 3.0]);
    assert!(y[0] == 1.0 && y[1].is_nan() && y[2].is_nan() && y[3] == 3.0 && y[4] == f64::NEG_INFINITY);
    assert_eq!(reduced("min", "u8[2]", "u8[4]", &pairs, &[3.0, 9.0]), [3.0, 3.0, 9.0, 255.0]);
    assert_eq!(reduced("add", "i8[2]", "i8[4]", &pairs, &[100.0, 100.0]), [100.0, -56.0, 100.0, 0.0]);
    assert_eq!(reduced("or", "bool[2]", "bool[4]", &pairs, &[0.0, 1.0]), [0.0, 1.0, 1.0, 0.0]);
    assert_eq!(reduced("and", "i16[2]", "i16[4]", &pairs, &[6.0, 3.0]), [6.0, 2.0, 3.0, -1.0]);
    let three = window("3", "1", "(0, 0)", "1", "1");
    // Rounded at each step, as XLA does it.
    assert_eq!(reduced("add", "bf16[3]", "bf16[1]", &three, &[256.0, 1.0, 1.0]), [256.0]);
    let grid = window("2, 3", "2, 1", "(0, 1), (0, 0)", "1, 1", "2, 1");
    let x: Vec<f64> = (0..12).map(f64::from).collect();
    assert_eq!(reduced("add", "i32[3,4]", "i32[1,2]", &grid, &x), [30.0, 36.0]);
    // Starting values count once, whatever lies in the padding.
    let text = format!(
        "program (x: f64[3], a: f64[]) {{
        y: f64[5] = reduce_window[combiner=program (p: f64[], q: f64[]) {{ %2: f64[] = mul(p, q) return %2 }}, {pairs}](x, a)
        return y }}"
    );
    let y = eval(&text, &[tensor("f64[3]", &[3.0, 5.0, 7.0]), tensor("f64[]", &[2.0])]);
    assert_eq!(reals(&y[0]), [6.0, 30.0, 70.0, 14.0, 2.0]);
}

/// The definition, on windows of all kinds: those that grow, shrink, leave elements out, and see none at all.
#[test]
fn values_are_as_defined() {
    let mut checked = 0;
    for (n, size, stride) in [(5, 5, 1), (6, 3, 2), (4, 9, 1), (3, 2, 5), (7, 4, 3), (1, 1, 1)] {
        for padding in [(0, 0), (n - 1, 0), (0, n - 1), (3, 4), (-1, 8), (9, 9)] {
            for (base_dilation, window_dilation) in [(1, 1), (2, 1), (1, 3), (2, 2), (4, 6), (6, 4)] {
                let w = WindowAxis { size, stride, padding, base_dilation, window_dilation };
                let n = n as usize;
                let (from, to) = (format!("f64[2,{n},3]"), format!("f64[2,{},3]", w.positions(n)));
                let x = random(&from, 3);
                let v = reals(&x);
                let expected: Vec<f64> = indices(&[2, w.positions(n), 3])
                    .iter()
                    .map(|i| {
                        let seen = (0..size).filter_map(|k| w.element(n, i[1], k));
                        seen.map(|e| v[(i[0] * n + e) * 3 + i[2]]).sum()
                    })
                    .collect();
                let (low, high) = padding;
                let window = window(
                    &format!("1, {size}, 1"),
                    &format!("1, {stride}, 1"),
                    &format!("(0, 0), ({low}, {high}), (0, 0)"),
                    &format!("1, {base_dilation}, 1"),
                    &format!("1, {window_dilation}, 1"),
                );
                let sum = "program (p: f64[], q: f64[]) { %2: f64[] = add(p, q) return %2 }";
                let text = format!(
                    "program (x: {from}, a: f64[]) {{
                    y: {to} = reduce_window[combiner=add, {window}](x)
                    z: {to} = reduce_window[combiner={sum}, {window}](x, a)
                    return y, z }}"
                );
                for y in eval(&text, &[x, tensor("f64[]", &[0.0])]) {
                    close(&y, &tensor(&to, &expected), 1e-12, &|| format!("{w:?}"));
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 216);
}

/// Sums of all before and all after are made in one go along the axis, as is a window that is much longer than it: each
/// of these would not end otherwise.
#[test]
fn long_windows() {
    let n = 100_000;
    let (all, shape) = (n.to_string(), format!("i64[{n}]"));
    let x: Vec<f64> = (0..n).map(|i| (i % 7) as f64).collect();
    let total: f64 = x.iter().sum();
    let running: Vec<f64> = x.iter().scan(0.0, |sum, x| Some(std::mem::replace(sum, *sum + x) + x)).collect();
    let before = window(&all, "1", &format!("({}, 0)", n - 1), "1", "1");
    assert_eq!(reduced("add", &shape, &shape, &before, &x), running);
    let after = window(&all, "1", &format!("(0, {})", n - 1), "1", "1");
    let rest: Vec<f64> = running.iter().zip(&x).map(|(sum, x)| total - sum + x).collect();
    assert_eq!(reduced("add", &shape, &shape, &after, &x), rest);
    let around = window(&all, "1", &format!("({}, {})", n / 2, n - 1 - n / 2), "1", "1");
    let y = reduced("max", &shape, &shape, &around, &x);
    assert!(y.iter().all(|y| *y == 6.0));

    let huge = window("4000000000000", "1", "(2000000000000, 2000000000002)", "1", "1");
    assert_eq!(reduced("add", "f32[4]", "f32[7]", &huge, &[1.0, 2.0, 3.0, 4.0]), [10.0; 7]);
    let apart = window("3", "1000000000000", "(0, 0)", "1000000000000", "999999999999");
    assert_eq!(reduced("max", "f32[4]", "f32[2]", &apart, &[1.0, 2.0, 3.0, 4.0]), [1.0, 2.0]);
}

/// A program that is combined with one element more at each position, forward and backward.
#[test]
fn programs_along_an_axis() {
    let n = 3000;
    let shape = format!("f32[2,{n},2]");
    let last = "program (p: f32[], q: f32[]) { %2: f32[] = mul(p, p) %3: f32[] = add(%2, q) return %3 }";
    let x: Vec<f64> = (0..4 * n).map(|i| ((i * 7) % 5) as f64 / 10.0).collect();
    for reverse in [false, true] {
        let padding = if reverse { format!("(0, {})", n - 1) } else { format!("({}, 0)", n - 1) };
        let window =
            window(&format!("1, {n}, 1"), "1, 1, 1", &format!("(0, 0), {padding}, (0, 0)"), "1, 1, 1", "1, 1, 1");
        let text = format!(
            "program (x: {shape}, a: f32[]) {{
            y: {shape} = reduce_window[combiner={last}, {window}](x, a) return y }}"
        );
        let y = reals(&eval(&text, &[tensor(&shape, &x), tensor("f32[]", &[0.5])])[0]);
        for (outer, inner) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let mut sofar = 0.5f32;
            for i in 0..n {
                let at = (outer * n + if reverse { n - 1 - i } else { i }) * 2 + inner;
                sofar = sofar * sofar + x[at] as f32;
                assert_eq!(y[at], sofar as f64, "at {at}");
            }
        }
    }
}

#[test]
fn select_and_scatter_and_gather() {
    let greater = "program (p: f64[], q: f64[]) { %2: bool[] = compare[direction=gt](p, q) return %2 }";
    for select in ["ge", "le", greater] {
        for (x, y, window) in windows() {
            let text = format!(
                "program (x: f64{x}, s: f64{y}) {{
                y: f64{x} = select_and_scatter[select={select}, {window}, combiner=add](x, s)
                return y }}"
            );
            check_op(&text, &[random(&format!("f64{x}"), 3), random(&format!("f64{y}"), 4)]);
            let text = format!(
                "program (x: f64{x}, s: f64{x}) {{
                y: f64{y} = select_and_gather[select={select}, {window}](x, s)
                return y }}"
            );
            check_op(&text, &[random(&format!("f64{x}"), 3), random(&format!("f64{x}"), 4)]);
        }
    }
    let text = format!(
        "program (x: i32[6], s: f32[3], a: f32[]) {{
        y: f32[6] = select_and_scatter[select=ge, {}, combiner=program (p: f32[], q: f32[]) {{
            %2: f32[] = sub(p, q)
            return %2
        }}](x, s, a)
        return y }}",
        windows()[2].2
    );
    let x = [
        tensor("i32[6]", &[1.0, 7.0, 7.0, 2.0, 2.0, 1.0]),
        tensor("f32[3]", &[1.0, 2.0, 3.0]),
        tensor("f32[]", &[10.0]),
    ];
    assert_eq!(reals(&eval(&text, &x)[0]), [10.0, 7.0, 10.0, 7.0, 10.0, 10.0]);
    check_text(&parse(&text));
    check_batch(&parse(&text), &x);
}

#[test]
fn refusals() {
    let reduce = |x: &str, combiner: &str, window: &str| {
        refused(&format!("program (x: {x}) {{ y: f32[1] = reduce_window[combiner={combiner}, {window}](x) return y }}"))
    };
    let plain = window("2", "1", "(0, 0)", "1", "1");
    for (found, reason) in [
        (reduce("f32[3,3]", "add", &plain), "one window size for each of the 2 axes of f32[3,3], and got 1"),
        (reduce("f32[3]", "and", &plain), "takes bool and integers"),
        (reduce("f32[3]", "sub", &plain), "`sub` does not combine two elements"),
        (reduce("f32[3]", "add", &window("0", "1", "(0, 0)", "1", "1")), "windows of at least one element"),
        (reduce("f32[3]", "add", &window("1", "0", "(0, 0)", "1", "1")), "strides and dilations of at least 1"),
        (reduce("f32[3]", "add", &window("1", "1", "(-2, -2)", "1", "1")), "takes away more than all of an axis"),
        (reduce("f32[3]", LARGER, &plain), "as many starting values as arrays, and got 1"),
        (
            refused(&format!(
                "program (x: f32[3], s: f32[3]) {{
                y: f32[3] = select_and_scatter[select=ge, {plain}, combiner=add](x, s) return y }}"
            )),
            "windows at [2] positions over f32[3], and a source of type f32[3]",
        ),
        (
            refused(&format!(
                "program (x: c64[3], s: f32[3]) {{ y: f32[2] = select_and_gather[select=ge, {plain}](x, s) return y }}"
            )),
            "takes real numbers to compare, and got elements of type c64",
        ),
        (
            refused(&format!(
                "program (x: f32[3], s: f32[3]) {{
                y: f32[2] = select_and_gather[select={LARGER}, {plain}](x, s) return y }}"
            )),
            "the selecting program must take f32[] and f32[] and give bool[]",
        ),
    ] {
        assert!(found.contains(reason), "{found}");
    }
}
