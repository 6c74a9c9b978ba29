//! Printing arrays as NumPy does: aligned columns, nested brackets, the middle of large arrays left out.

use crate::array::{Array, Repr};
use std::fmt;
use wengert_core::host::{LARGEST_SHOWN, shown_positions};
use wengert_core::{Scalar, Shape, Tensor};

/// Digits after the point, at the most.
const DIGITS: usize = 8;
/// Rows longer than this go on in a new line.
const WIDTH: usize = 75;

impl fmt::Display for Array {
    /// The elements, or for a traced array its type (`Traced<f32[3,4]>`) and the elements where it has them. `{:.3}` gives each
    /// number three digits after the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.shown();
        match &self.0 {
            Repr::Concrete(v) => match v.host() {
                Ok(t) => write!(f, "{:>width$}", tensor(t, f.precision()), width = f.width().unwrap_or(0)),
                Err(e) => write!(f, "Array<{}> that can't be read: {e}", v.ty()),
            },
            Repr::Traced(t) => match t.shown_value() {
                None => write!(f, "Traced<{}>", t.ty),
                Some(v) => write!(f, "Traced<{}> {}", t.ty, tensor(v, f.precision())),
            },
        }
    }
}

/// Calls `f` with the flat position of every element that is shown.
fn each_shown(shape: &Shape, cut: bool, offset: usize, axis: usize, f: &mut dyn FnMut(usize)) {
    if axis == shape.rank() {
        return f(offset);
    }
    let stride = shape.strides()[axis];
    for i in shown_positions(shape[axis], cut).flatten() {
        each_shown(shape, cut, offset + i * stride, axis + 1, f);
    }
}

fn tensor(t: &Tensor, digits: Option<usize>) -> String {
    if t.shape().rank() == 0 {
        return Style { digits, ..Style::plain() }.format(t.get(0)).trim().to_string();
    }
    // However many axes and rows without elements there are.
    if t.size() == 0 {
        return "[]".into();
    }
    let cut = t.size() > LARGEST_SHOWN;
    let mut elements = Vec::new();
    each_shown(t.shape(), cut, 0, 0, &mut |i| elements.push(t.get(i)));
    let style = Style::of(&elements, digits);
    let mut out = String::new();
    block(t, cut, &style, 0, 0, &mut out);
    out
}

fn block(t: &Tensor, cut: bool, style: &Style, offset: usize, axis: usize, out: &mut String) {
    let shape = t.shape();
    let stride = shape.strides()[axis];
    let last = axis + 1 == shape.rank();
    out.push('[');
    let mut column = axis + 1;
    for (k, i) in shown_positions(shape[axis], cut).enumerate() {
        let mut item = String::new();
        match i {
            None => item.push_str("..."),
            Some(i) if last => item = style.format(t.get(offset + i * stride)),
            Some(i) => block(t, cut, style, offset + i * stride, axis + 1, &mut item),
        }
        if k > 0 && last {
            if column + 1 + item.len() > WIDTH {
                out.push('\n');
                out.push_str(&" ".repeat(axis + 1));
                column = axis + 1;
            } else {
                out.push(' ');
                column += 1;
            }
        } else if k > 0 {
            // A blank line between matrices, two between stacks of them.
            out.push_str(&"\n".repeat(shape.rank() - axis - 1));
            out.push_str(&" ".repeat(axis + 1));
        }
        column += item.len();
        out.push_str(&item);
    }
    out.push(']');
}

/// How all elements of one array are written, so that they line up.
struct Style {
    scientific: bool,
    /// Characters before and after the point; for integers and the like, before alone.
    before: usize,
    after: usize,
    /// A lone number keeps a digit after its point.
    alone: bool,
    /// As many digits after each point, where the user says so.
    digits: Option<usize>,
}

fn parts(s: Scalar) -> Vec<f64> {
    let c = s.as_complex();
    if s.dtype().is_complex() { vec![c.re, c.im] } else { vec![c.re] }
}

/// The shortest decimal that reads back as the same number of its type, with at most `most` digits after the point.
fn shortest(x: f64, s: Scalar, scientific: bool, most: usize) -> String {
    let single = matches!(s, Scalar::F32(_) | Scalar::C64(_) | Scalar::F16(_) | Scalar::BF16(_));
    let text = match (scientific, single) {
        (true, true) => format!("{:e}", x as f32),
        (true, false) => format!("{x:e}"),
        (false, true) => format!("{}", x as f32),
        (false, false) => format!("{x}"),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, ""));
    let digits = mantissa.split_once('.').map_or(0, |(_, d)| d.len());
    let mantissa = if digits > most {
        let rounded = match exponent.parse::<i32>() {
            // In two steps: a power of ten that small numbers need is no number itself.
            Ok(e) if scientific => format!("{:.most$}", x / 10f64.powi(e / 2) / 10f64.powi(e - e / 2)),
            _ => format!("{x:.most$}"),
        };
        rounded.trim_end_matches('0').to_string()
    } else if digits == 0 && x.is_finite() {
        format!("{mantissa}.")
    } else {
        mantissa.to_string()
    };
    if !scientific || !x.is_finite() {
        return mantissa;
    }
    let e: i32 = exponent.parse().unwrap_or(0);
    format!("{mantissa}e{}{:02}", if e < 0 { '-' } else { '+' }, e.abs())
}

fn split(text: &str) -> (usize, usize) {
    let point = text.find('.').map_or(text.len(), |p| p + 1);
    (point, text.len() - point)
}

impl Style {
    fn plain() -> Style {
        Style { scientific: false, before: 0, after: 0, alone: true, digits: None }
    }

    fn of(elements: &[Scalar], digits: Option<usize>) -> Style {
        let float = elements.first().is_some_and(|s| s.dtype().is_differentiable());
        if !float {
            let before = elements.iter().map(|s| Style::plain().format(*s).len()).max().unwrap_or(0);
            return Style { scientific: false, before, after: 0, alone: false, digits };
        }
        let sizes = elements.iter().flat_map(|s| parts(*s)).filter(|x| x.is_finite() && *x != 0.0).map(f64::abs);
        let (low, high) = sizes.fold((f64::INFINITY, 0f64), |(l, h), x| (l.min(x), h.max(x)));
        let scientific = digits.is_none() && (high >= 1e8 || high > 0.0 && (low < 1e-4 || high / low > 1e3));
        let style = Style { scientific, before: 0, after: 0, alone: false, digits };
        let texts = elements.iter().flat_map(|s| parts(*s).into_iter().map(|x| style.number(x, *s)));
        let (before, after) =
            texts.map(|t| split(&t)).fold((0, 0), |(b, a), (before, after)| (b.max(before), a.max(after)));
        Style { before, after, ..style }
    }

    /// A number that is not aligned yet.
    fn number(&self, x: f64, s: Scalar) -> String {
        match self.digits {
            Some(digits) => format!("{x:.digits$}"),
            None if self.alone => {
                let text = shortest(x, s, self.scientific, usize::MAX);
                if text.ends_with('.') { text + "0" } else { text }
            }
            None => shortest(x, s, self.scientific, DIGITS),
        }
    }

    fn float(&self, x: f64, s: Scalar) -> String {
        let text = self.number(x, s);
        let (before, after) = split(&text);
        let left = " ".repeat(self.before.saturating_sub(before));
        // In scientific notation digits are filled up; otherwise columns line up by spaces, as NumPy has it.
        let right = " ".repeat(self.after.saturating_sub(after));
        format!("{left}{text}{right}")
    }

    fn format(&self, s: Scalar) -> String {
        let text = match s {
            Scalar::Bool(x) => if x { "True" } else { "False" }.to_string(),
            Scalar::U64(x) => x.to_string(),
            s if s.dtype().is_complex() => {
                let c = s.as_complex();
                let sign = if c.im.is_sign_negative() { '-' } else { '+' };
                let im = Style { before: 0, ..*self }.float(c.im.abs(), s);
                return format!("{}{sign}{}j", self.float(c.re, s), im.trim_end());
            }
            s if s.dtype().is_float() => return self.float(s.as_f64().expect("real"), s),
            s => s.as_i64().expect("an integer").to_string(),
        };
        format!("{text:>width$}", width = self.before)
    }
}

#[cfg(test)]
mod tests {
    use crate::Array;
    use wengert_core::{Scalar, Tensor};
    use wengert_testing::{Expect, expect};

    fn check(x: Array, expected: Expect) {
        expected.assert_eq(&x.to_string());
    }

    #[test]
    fn numbers_line_up() {
        check(Array::from([1.0f32, 2.5, -30.0]), expect!["[  1.    2.5 -30. ]"]);
        check(
            Array::from([[1, 20], [300, 4]]),
            expect![[r#"
            [[  1  20]
             [300   4]]"#]],
        );
        check(Array::from([true, false]), expect!["[ True False]"]);
        check(Array::from([0.1f32, 1.0 / 3.0]), expect!["[0.1        0.33333334]"]);
        check(Array::from([1e-7f64, 1.0]), expect!["[1.e-07 1.e+00]"]);
        check(Array::from([1.23456789012e-310f64, 1.0]), expect!["[1.23456789e-310 1.e+00         ]"]);
        check(Array::from([f32::NAN, f32::INFINITY, 1.0]), expect!["[NaN inf  1.]"]);
        check(Array::from(2.0f32), expect!["2.0"]);
        check(Array::from(2f64.sqrt()), expect!["1.4142135623730951"]);
        check(Array::from(7), expect!["7"]);
        check(Array::from([0f32; 0]), expect!["[]"]);
        check(Array::from_tensor(Tensor::splat([1_000_000_000_000, 0], Scalar::F32(0.0))), expect!["[]"]);
    }

    #[test]
    fn digits_are_as_asked_for() {
        let x = Array::from([1.0f32, 20.25, -1.0 / 3.0]);
        assert_eq!(format!("{x:.2}"), "[ 1.00 20.25 -0.33]");
        assert_eq!(format!("{x:.0}"), "[ 1 20 -0]");
        assert_eq!(format!("{:.3}", Array::from(std::f64::consts::PI)), "3.142");
        assert_eq!(format!("{:8.3}|", Array::from(1e9f32)), "1000000000.000|");
        assert_eq!(format!("{:8.1}|", Array::from(2.0f32)), "     2.0|");
        assert_eq!(format!("{:.2}", Array::from([1, 2])), "[1 2]");
        assert_eq!(format!("{x:?} {:?}", Array::from(2)), "Array<f32[3]>([1.0, 20.25, -0.33333334]) Array<i32[]>(2)");
        assert_eq!(format!("{x:.1?}"), "Array<f32[3]>([1.0, 20.2, -0.3])");
    }

    #[test]
    fn large_arrays_show_their_edges() {
        check(Array::from((0..2000).collect::<Vec<i32>>()), expect!["[   0    1    2 ... 1997 1998 1999]"]);
    }

    #[test]
    fn matrices_are_set_apart() {
        let x = Array::from([[[1], [2]], [[3], [4]]]);
        check(
            x,
            expect![[r#"
            [[[1]
              [2]]

             [[3]
              [4]]]"#]],
        );
    }
}
