//! Moving windows: those of few places become elementwise loops, and what a window selects has a kernel of its own.

use crate::agree::check_text;

/// How a window moves over two axes between others: size, strides, padding, dilations of the array and of the window.
const WINDOWS: [[&str; 5]; 6] = [
    ["[1, 2, 2, 1]", "[1, 2, 2, 1]", "[(0, 0), (0, 0), (0, 0), (0, 0)]", "[1, 1, 1, 1]", "[1, 1, 1, 1]"],
    ["[1, 3, 3, 1]", "[1, 2, 2, 1]", "[(0, 0), (0, 1), (1, 1), (0, 0)]", "[1, 1, 1, 1]", "[1, 1, 1, 1]"],
    ["[1, 3, 2, 1]", "[1, 1, 1, 1]", "[(0, 0), (2, 2), (-1, 0), (0, 0)]", "[1, 1, 1, 1]", "[1, 2, 1, 1]"],
    ["[1, 2, 3, 1]", "[1, 1, 3, 1]", "[(0, 0), (0, 0), (0, 0), (0, 0)]", "[1, 2, 1, 1]", "[1, 1, 1, 1]"],
    ["[2, 1, 1, 3]", "[1, 1, 1, 1]", "[(0, 0), (0, 0), (0, 0), (1, 1)]", "[1, 1, 1, 1]", "[1, 1, 1, 1]"],
    ["[1, 6, 7, 1]", "[1, 1, 1, 1]", "[(0, 0), (0, 0), (0, 0), (0, 0)]", "[1, 1, 1, 1]", "[1, 1, 1, 1]"],
];

/// The window as text, and the positions it has over an array.
fn window([size, strides, padding, base, dilation]: [&str; 5], shape: [i64; 4]) -> (String, Vec<i64>) {
    let numbers = |text: &str| -> Vec<i64> {
        let digits = |c: char| c.is_ascii_digit() || c == '-';
        text.split(|c| !digits(c)).filter(|s| !s.is_empty()).map(|s| s.parse().unwrap()).collect()
    };
    let [n, by, pad, base_dilation, window_dilation] = [size, strides, padding, base, dilation].map(numbers);
    let positions = (0..4).map(|d| {
        let length = (shape[d] - 1) * base_dilation[d] + 1 + pad[2 * d] + pad[2 * d + 1];
        (length - (n[d] - 1) * window_dilation[d] - 1) / by[d] + 1
    });
    let text = format!(
        "window=[size={size}, strides={strides}, padding={padding}, base_dilation={base}, window_dilation={dilation}]"
    );
    (text, positions.collect())
}

fn with_commas(shape: &[i64]) -> String {
    shape.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
}

#[test]
fn reduced() {
    for spec in WINDOWS {
        for shape in [[2, 7, 8, 5], [1, 9, 9, 1]] {
            let (window, positions) = window(spec, shape);
            let (from, to) = (with_commas(&shape), with_commas(&positions));
            for (combiner, dtype) in [("max", "f32"), ("add", "f32"), ("add", "bf16"), ("mul", "i32"), ("min", "f64")] {
                check_text(&format!(
                    "program (x: {dtype}[{from}]) {{
                      a: {dtype}[{from}] = add(x, x)
                      y: {dtype}[{to}] = reduce_window[combiner={combiner}, {window}](a)
                      z: {dtype}[{to}] = mul(y, y)
                      return z
                    }}"
                ));
            }
        }
    }
}

#[test]
fn selected() {
    for spec in WINDOWS {
        for shape in [[2, 7, 8, 5], [1, 9, 9, 1]] {
            let (window, positions) = window(spec, shape);
            let (from, to) = (with_commas(&shape), with_commas(&positions));
            for (direction, combiner, dtype) in [("ge", "add", "f32"), ("le", "add", "f64"), ("gt", "max", "f32")] {
                check_text(&format!(
                    "program (x: {dtype}[{from}], s: {dtype}[{to}]) {{
                      y: {dtype}[{from}] = select_and_scatter[select={direction}, {window}, combiner={combiner}](x, s)
                      return y
                    }}"
                ));
            }
        }
    }
}

#[test]
fn bits_that_are_counted_and_axes_of_one_element() {
    for dtype in ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"] {
        for n in [3, 70] {
            check_text(&format!(
                "program (x: {dtype}[{n},1]) {{
                  a: {dtype}[{n},1] = popcnt(x)
                  b: {dtype}[{n},1] = clz(x)
                  c: {dtype}[{n},1] = mul(a, b)
                  y: {dtype}[{n}] = reduce[combiner=max, dims=[1]](c)
                  return y, a, b
                }}"
            ));
        }
    }
    for (combiner, dtype) in [("add", "f32"), ("mul", "f16"), ("max", "f64"), ("or", "bool")] {
        check_text(&format!(
            "program (x: {dtype}[40,1,3]) {{
              y: {dtype}[40,3] = reduce[combiner={combiner}, dims=[1]](x)
              z: {dtype}[40,1,3] = reduce[combiner={combiner}, dims=[]](x)
              return y, z
            }}"
        ));
    }
}
