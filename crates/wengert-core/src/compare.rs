//! Two arrays side by side: how far apart their elements are, and whether that is within a [`Tolerance`].
//!
//! Tests, the command's `--compare` and everything else that holds one array against another asks here. What differs, and
//! what the difference means, is decided by nobody else.

use crate::host::{Element, Scalar, Tensor};
use crate::text::scalar_text;
use crate::types::{Dims, Shape, Type};
use num_complex::Complex;
use std::fmt;

/// How far apart two elements are, and which they are.
///
/// Two NaN are the same number, and so are the two zeros. A number that is not finite is infinitely far from every other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// Where they are, counted in row-major order.
    pub position: usize,
    /// The element of the first array.
    pub left: Scalar,
    /// The element of the second array, which is the reference where one of them is.
    pub right: Scalar,
    /// The size of `left - right`; of complex numbers, their distance in the plane.
    pub absolute: f64,
    /// `absolute` as a part of the larger of both numbers: 0 to 2, or infinite.
    pub relative: f64,
    /// How many numbers of the type lie from one to the other, that one included; of a complex number, in the part where
    /// there are more. `u64::MAX` if infinitely far.
    pub ulps: u64,
}

impl Difference {
    /// The difference of two numbers of the same type, as elements at position 0.
    ///
    /// # Panics
    /// If their types are not the same.
    pub fn of(left: Scalar, right: Scalar) -> Difference {
        assert_eq!(left.dtype(), right.dtype(), "numbers of two types are compared");
        let gap = match (left.as_i128(), right.as_i128()) {
            (Some(x), Some(y)) => Gap::integers(x, y),
            _ => Gap::floats(Parts::of(left), Parts::of(right)),
        };
        Difference { position: 0, left, right, absolute: gap.absolute, relative: gap.relative, ulps: gap.ulps }
    }

    /// Whether the numbers are the same, but for the sign of a zero and the bits of a NaN.
    pub fn is_none(&self) -> bool {
        self.absolute == 0.0
    }

    /// Whether this is the larger of two differences.
    fn exceeds(&self, other: &Difference) -> bool {
        (self.relative, self.absolute) > (other.relative, other.absolute)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (left, right) = (shown(self.left), shown(self.right));
        write!(f, "{left} against {right} (absolute {:.3e}, relative {:.3e}", self.absolute, self.relative)?;
        match self.ulps {
            u64::MAX => f.write_str(")"),
            n => write!(f, ", {n} ulp)"),
        }
    }
}

/// A number for people: with all digits that tell it from others, and a NaN is a NaN whatever its bits.
fn shown(s: Scalar) -> String {
    let part = |x: f64, dtype| if x.is_nan() { "NaN".into() } else { scalar_text(Scalar::from_f64(dtype, x)) };
    match s.dtype() {
        d if d.is_complex() => {
            format!("({}, {})", part(s.as_complex().re, d.real()), part(s.as_complex().im, d.real()))
        }
        d if d.is_float() => part(s.as_f64().unwrap_or(f64::NAN), d),
        _ => scalar_text(s),
    }
}

/// How complex numbers are held to a tolerance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComplexRule {
    /// Each part by itself.
    Parts,
    /// By their distance in the plane; each part by itself where one is not finite.
    Distance,
    /// By their distance in the plane, and a number with a NaN in it is a NaN, whatever its other part is.
    AnyNan,
}

/// How far apart elements may be to count as equal: they are if they are the same number, or within any of the three
/// distances. Integers and booleans are held to `absolute` alone.
///
/// ```
/// use wengert_core::{Tensor, compare::Tolerance};
/// let [x, y] = [1.0f32, 1.0 + f32::EPSILON].map(Tensor::scalar);
/// assert!(Tolerance { ulps: 1, ..Tolerance::EXACT }.check(&x, &y).is_ok());
/// let e = Tolerance::EXACT.check(&x, &y).unwrap_err();
/// assert_eq!(e.to_string(), "1 of 1 elements differ, most at []: 1.0 against 1.0000001 (absolute 1.192e-7, relative 1.192e-7, 1 ulp)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// As a distance.
    pub absolute: f64,
    /// As a part of the number on the right.
    pub relative: f64,
    /// As the count of [`Difference::ulps`].
    pub ulps: u64,
    /// Whether a zero must have the sign of the other zero.
    pub signed_zeros: bool,
    /// How complex numbers are held to the distances.
    pub complex: ComplexRule,
}

impl Tolerance {
    /// The same numbers; zeros are equal, and so are NaN.
    pub const EXACT: Tolerance =
        Tolerance { absolute: 0.0, relative: 0.0, ulps: 0, signed_zeros: false, complex: ComplexRule::Parts };

    /// The same bits, but that any NaN is as good as another.
    pub const BITS: Tolerance = Tolerance { signed_zeros: true, ..Tolerance::EXACT };

    /// As a distance between small numbers, and as a part of large ones: relative to the larger of 1 and the number.
    pub const fn near(tolerance: f64) -> Tolerance {
        Tolerance { absolute: tolerance, relative: tolerance, complex: ComplexRule::Distance, ..Tolerance::EXACT }
    }

    /// The same with another rule for complex numbers.
    pub const fn complex(self, complex: ComplexRule) -> Tolerance {
        Tolerance { complex, ..self }
    }

    /// Whether two numbers of the same type count as equal.
    pub fn allows(&self, d: &Difference) -> bool {
        if d.left.as_i128().is_some() {
            return d.absolute <= self.absolute;
        }
        let (x, y) = (Parts::of(d.left), Parts::of(d.right));
        if self.signed_zeros && !(x.re.has_sign_of(y.re) && x.im.has_sign_of(y.im)) {
            return false;
        }
        let each =
            || self.within(Gap::parts(x.re, y.re), y.re.value) && self.within(Gap::parts(x.im, y.im), y.im.value);
        match self.complex {
            ComplexRule::Parts => each(),
            ComplexRule::AnyNan if x.number().is_nan() && y.number().is_nan() => true,
            _ if x.number().is_finite() && y.number().is_finite() => self.within(
                Gap { absolute: d.absolute, relative: d.relative, ulps: d.ulps },
                y.number().norm().min(f64::MAX),
            ),
            _ => each(),
        }
    }

    fn within(&self, gap: Gap, right: f64) -> bool {
        let Gap { absolute, ulps, .. } = gap;
        let near = absolute <= self.absolute || absolute <= self.relative * right.abs() || ulps <= self.ulps;
        absolute == 0.0 || absolute.is_finite() && near
    }

    /// The elements of `left` that are not equal to those of `right`, in order. Of one number repeated on both sides, the
    /// first only.
    ///
    /// # Errors
    /// If the arrays are not of the same type.
    pub fn misses(self, left: &Tensor, right: &Tensor) -> Result<impl Iterator<Item = Difference>, Mismatch> {
        Ok(differences(left, right)?.filter(move |d| !self.allows(d)))
    }

    /// Whether all elements of `left` are equal to those of `right`.
    ///
    /// # Errors
    /// If not, or if the arrays are not of the same type; in words where and by how much.
    pub fn check(self, left: &Tensor, right: &Tensor) -> Result<(), Mismatch> {
        match Comparison::of(left, self.misses(left, right)?, right) {
            c if c.count == 0 => Ok(()),
            c => Err(Mismatch::Elements(Box::new(c))),
        }
    }
}

/// Whether no number of an array is NaN or infinite.
///
/// ```
/// use wengert_core::{Tensor, compare::is_finite};
/// assert!(is_finite(&Tensor::scalar(1.0f32)) && !is_finite(&Tensor::scalar(f64::NAN)));
/// ```
pub fn is_finite(t: &Tensor) -> bool {
    // One of no elements may be a splat of any number.
    t.size() == 0
        || !t.dtype().is_differentiable()
        || crate::with_elements!(*t, v => v.iter().all(|x| {
            let c = Element::scalar(*x).as_complex();
            c.re.is_finite() && c.im.is_finite()
        }))
}

/// How far two arrays of the same type are apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Their type.
    pub ty: Type,
    /// How many of their elements differ.
    pub count: usize,
    /// The elements that differ most: by [`Difference::relative`], then by [`Difference::absolute`]; the first of equals.
    pub worst: Option<Difference>,
    /// The largest absolute difference of any elements.
    pub absolute: f64,
    /// The largest relative difference of any elements.
    pub relative: f64,
    /// The largest difference of any elements in numbers of their type.
    pub ulps: u64,
}

impl Comparison {
    fn of(left: &Tensor, differences: impl Iterator<Item = Difference>, right: &Tensor) -> Comparison {
        let mut c = Comparison { ty: left.ty(), count: 0, worst: None, absolute: 0.0, relative: 0.0, ulps: 0 };
        let each = if is_repeated(left, right) { left.size() } else { 1 };
        for d in differences {
            c.count += each;
            c.absolute = c.absolute.max(d.absolute);
            c.relative = c.relative.max(d.relative);
            c.ulps = c.ulps.max(d.ulps);
            if c.worst.is_none_or(|w| d.exceeds(&w)) {
                c.worst = Some(d);
            }
        }
        c
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let size = self.ty.shape.size();
        match &self.worst {
            None => write!(f, "none of {size} elements differs"),
            Some(w) => {
                let at = index(&self.ty.shape, w.position);
                write!(f, "{} of {size} elements differ, most at {at}: {w}", self.count)
            }
        }
    }
}

/// Why two arrays do not count as equal.
#[derive(Clone, Debug, PartialEq)]
pub enum Mismatch {
    /// They are not of the same type.
    Types {
        /// Of the first array.
        left: Type,
        /// Of the second array.
        right: Type,
    },
    /// Some elements differ: those beyond the tolerance.
    Elements(Box<Comparison>),
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Mismatch::Types { left, right } => write!(f, "the types differ: {left} against {right}"),
            Mismatch::Elements(c) => c.fmt(f),
        }
    }
}

impl std::error::Error for Mismatch {}

/// How far two arrays are apart, over all elements that are not the same number.
///
/// # Errors
/// If they are not of the same type.
pub fn compare(left: &Tensor, right: &Tensor) -> Result<Comparison, Mismatch> {
    Ok(Comparison::of(left, Tolerance::EXACT.misses(left, right)?, right))
}

/// How many elements of two arrays are NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NanCounts {
    /// In both arrays.
    pub both: usize,
    /// In the first array alone.
    pub left: usize,
    /// In the second array alone.
    pub right: usize,
}

impl NanCounts {
    /// Whether there is one at all.
    pub fn any(&self) -> bool {
        *self != NanCounts::default()
    }
}

impl fmt::Display for NanCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in both", self.both)?;
        match (self.left, self.right) {
            (0, 0) => Ok(()),
            (left, right) => write!(f, ", {left} in the first alone, {right} in the second alone"),
        }
    }
}

/// How many elements of two arrays are NaN. A complex number is one if either part is.
///
/// ```
/// use wengert_core::{Tensor, compare::nan_counts};
/// let [x, y] = [[1.0, f32::NAN, f32::NAN], [f32::NAN, 2.0, f32::NAN]].map(|x| Tensor::new([3], x.to_vec()).unwrap());
/// assert_eq!(nan_counts(&x, &y).unwrap().to_string(), "1 in both, 1 in the first alone, 1 in the second alone");
/// ```
///
/// # Errors
/// If they are not of the same type.
pub fn nan_counts(left: &Tensor, right: &Tensor) -> Result<NanCounts, Mismatch> {
    let mut counts = NanCounts::default();
    let each = if is_repeated(left, right) { left.size() } else { 1 };
    let is_nan = |x: Scalar| x.as_i128().is_none() && Parts::of(x).number().is_nan();
    for d in differences(left, right)? {
        match (is_nan(d.left), is_nan(d.right)) {
            (true, true) => counts.both += each,
            (true, false) => counts.left += each,
            (false, true) => counts.right += each,
            (false, false) => (),
        }
    }
    Ok(counts)
}

/// Whether both are one number repeated: then one comparison is as good as all.
fn is_repeated(left: &Tensor, right: &Tensor) -> bool {
    left.splat_value().is_some() && right.splat_value().is_some()
}

fn differences(left: &Tensor, right: &Tensor) -> Result<impl Iterator<Item = Difference>, Mismatch> {
    if left.ty() != right.ty() {
        return Err(Mismatch::Types { left: left.ty(), right: right.ty() });
    }
    let n = if is_repeated(left, right) { left.size().min(1) } else { left.size() };
    Ok((0..n).map(|position| Difference { position, ..Difference::of(left.get(position), right.get(position)) }))
}

/// The index of an element along each axis.
fn index(shape: &Shape, position: usize) -> Shape {
    let along =
        shape.strides().iter().zip(shape.iter()).map(|(&stride, &size)| position / stride % size).collect::<Dims>();
    Shape(along)
}

/// One real number of a floating type.
#[derive(Clone, Copy)]
struct Part {
    value: f64,
    /// Its place among the numbers of its type, in their order; both zeros are at 0.
    place: i64,
}

impl Part {
    fn new(value: f64, bits: u64, width: u32) -> Part {
        let sign = 1 << (width - 1);
        let magnitude = (bits & (sign - 1)) as i64;
        Part { value, place: if bits & sign == 0 { magnitude } else { -magnitude } }
    }

    fn single(x: f32) -> Part {
        Part::new(x.into(), x.to_bits().into(), 32)
    }

    fn double(x: f64) -> Part {
        Part::new(x, x.to_bits(), 64)
    }

    /// Whether both are zeros of the same sign, or not both zeros.
    fn has_sign_of(self, other: Part) -> bool {
        self.value != 0.0 || other.value != 0.0 || self.value.is_sign_negative() == other.value.is_sign_negative()
    }
}

/// A floating number as a complex one.
#[derive(Clone, Copy)]
struct Parts {
    re: Part,
    im: Part,
}

impl Parts {
    fn of(x: Scalar) -> Parts {
        let real = |re| Parts { re, im: Part::double(0.0) };
        match x {
            Scalar::F16(x) => real(Part::new(x.into(), x.to_bits().into(), 16)),
            Scalar::BF16(x) => real(Part::new(x.into(), x.to_bits().into(), 16)),
            Scalar::F32(x) => real(Part::single(x)),
            Scalar::C64(c) => Parts { re: Part::single(c.re), im: Part::single(c.im) },
            Scalar::C128(c) => Parts { re: Part::double(c.re), im: Part::double(c.im) },
            // Integers have been compared as such.
            x => real(Part::double(x.as_f64().unwrap_or(f64::NAN))),
        }
    }

    fn number(self) -> Complex<f64> {
        Complex::new(self.re.value, self.im.value)
    }
}

/// How far apart two numbers are.
struct Gap {
    absolute: f64,
    relative: f64,
    ulps: u64,
}

impl Gap {
    const NONE: Gap = Gap { absolute: 0.0, relative: 0.0, ulps: 0 };
    const INFINITE: Gap = Gap { absolute: f64::INFINITY, relative: f64::INFINITY, ulps: u64::MAX };

    fn integers(x: i128, y: i128) -> Gap {
        let ulps = x.abs_diff(y);
        let (absolute, largest) = (ulps as f64, x.unsigned_abs().max(y.unsigned_abs()).max(1) as f64);
        Gap { absolute, relative: absolute / largest, ulps: ulps.try_into().unwrap_or(u64::MAX) }
    }

    fn parts(x: Part, y: Part) -> Gap {
        if x.value == y.value || x.value.is_nan() && y.value.is_nan() {
            return Gap::NONE;
        }
        if !(x.value.is_finite() && y.value.is_finite()) {
            return Gap::INFINITE;
        }
        let (absolute, largest) = ((x.value - y.value).abs(), x.value.abs().max(y.value.abs()));
        Gap { absolute, relative: absolute / largest, ulps: x.place.abs_diff(y.place) }
    }

    fn floats(x: Parts, y: Parts) -> Gap {
        let (re, im) = (Gap::parts(x.re, y.re), Gap::parts(x.im, y.im));
        let (absolute, ulps) = (re.absolute.hypot(im.absolute), re.ulps.max(im.ulps));
        let largest = x.number().norm().max(y.number().norm());
        // A part that is not finite is the same in both, or infinitely far: the other part says the rest.
        let relative = match largest {
            0.0 if absolute == 0.0 => 0.0,
            n if n.is_finite() => absolute / n,
            _ => re.relative.max(im.relative),
        };
        Gap { absolute, relative, ulps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::Element;
    use crate::types::DType;
    use half::{bf16, f16};

    const INF: f64 = f64::INFINITY;
    const NAN: f64 = f64::NAN;

    fn of<T: Element>(x: T, y: T) -> Difference {
        let (d, back) = (Difference::of(x.scalar(), y.scalar()), Difference::of(y.scalar(), x.scalar()));
        assert_eq!((d.absolute, d.relative, d.ulps), (back.absolute, back.relative, back.ulps), "{x:?} and {y:?}");
        d
    }

    fn allowed<T: Element>(t: Tolerance, x: T, y: T) -> bool {
        let found = t.allows(&Difference::of(x.scalar(), y.scalar()));
        assert_eq!(found, t.check(&Tensor::scalar(x), &Tensor::scalar(y)).is_ok());
        found
    }

    fn c(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }

    #[test]
    fn numbers_of_the_type_are_counted() {
        assert_eq!(of(1.0f32, 1.0 + f32::EPSILON).ulps, 1);
        assert_eq!(of(1.0f32, 1.0 - f32::EPSILON).ulps, 2);
        assert_eq!(of(1.0f64, 2.0).ulps, 1 << 52);
        assert_eq!(of(f16::ONE, f16::from_f32(2.0)).ulps, 1 << 10);
        assert_eq!(of(bf16::ONE, bf16::from_f32(2.0)).ulps, 1 << 7);
        assert_eq!(of(f16::from_bits(1), f16::ZERO).ulps, 1);
        assert_eq!(of(bf16::MAX, bf16::MIN).ulps, 2 * 0x7f7f);
        let parts = of(Complex::new(1.0f32, 5.0), Complex::new(1.0 + f32::EPSILON, 5.0 + 16.0 * f32::EPSILON));
        assert_eq!(parts.ulps, 4);
        assert_eq!(of(c(0.0, 1.0), c(0.0, 1.0 + f64::EPSILON)).ulps, 1);
    }

    #[test]
    fn and_across_zero() {
        let tiny = f32::from_bits(1);
        assert_eq!(of(tiny, -tiny).ulps, 2);
        assert_eq!(of(0.0f32, -tiny).ulps, 1);
        assert_eq!(of(-0.0f32, tiny).ulps, 1);
        assert_eq!(of(-1.0f64, 1.0).ulps, 2 * 1f64.to_bits());
        assert_eq!(of(f64::MAX, f64::MIN).ulps, 2 * f64::MAX.to_bits());
        assert_eq!((of(-1.0f64, 1.0).absolute, of(-1.0f64, 1.0).relative), (2.0, 2.0));
    }

    #[test]
    fn zeros_are_one_number_unless_their_sign_counts() {
        assert!(of(0.0f32, -0.0).is_none() && of(0.0f32, -0.0).ulps == 0);
        assert!(allowed(Tolerance::EXACT, 0.0f64, -0.0));
        assert!(!allowed(Tolerance::BITS, 0.0f64, -0.0) && !allowed(Tolerance::BITS, f16::ZERO, f16::NEG_ZERO));
        assert!(!allowed(Tolerance::BITS, c(1.0, 0.0), c(1.0, -0.0)));
        assert!(allowed(Tolerance::BITS, -0.0f32, -0.0));
        let near = Tolerance { signed_zeros: true, ..Tolerance::near(1e-3) };
        assert!(!allowed(near, 0.0, -0.0) && allowed(near, 0.0, -1e-9));
    }

    #[test]
    fn what_is_not_finite_is_the_same_or_infinitely_far() {
        let far = Difference { absolute: INF, relative: INF, ulps: u64::MAX, ..of(0.0, 0.0) };
        for (x, y) in [(NAN, 1.0), (NAN, INF), (INF, -INF), (INF, f64::MAX), (-INF, 0.0)] {
            let d = of(x, y);
            assert_eq!((d.absolute, d.relative, d.ulps), (far.absolute, far.relative, far.ulps), "{x} and {y}");
            // The number on the right is infinite, and a part of it too.
            let wide = Tolerance { absolute: INF, relative: INF, ulps: u64::MAX, ..Tolerance::EXACT };
            assert!(!allowed(wide, x, y) && !allowed(wide, y, x) && !allowed(Tolerance::near(1.0), x, y));
        }
        assert_eq!((of(NAN, 0.0).relative, of(0.0, INF).relative), (INF, INF));
        let said = |d: Difference| d.to_string();
        assert_eq!(said(of(-f32::NAN, 0.0)), "NaN against 0.0 (absolute inf, relative inf)");
        assert_eq!(said(of(c(1.0, -NAN), c(1.0, 2.0))), "(1.0, NaN) against (1.0, 2.0) (absolute inf, relative inf)");
        for x in [NAN, INF, -INF] {
            assert!(of(x, x).is_none() && allowed(Tolerance::BITS, x, x));
        }
        let quiet = f64::from_bits(NAN.to_bits() ^ 1);
        assert!(quiet.is_nan() && allowed(Tolerance::BITS, quiet, -NAN));
    }

    #[test]
    fn integers_are_compared_as_such() {
        assert_eq!(of(1i64 << 53, (1 << 53) + 1).absolute, 1.0);
        assert_eq!(of(u64::MAX, u64::MAX - 1).ulps, 1);
        assert_eq!(of(i64::MIN, i64::MAX).ulps, u64::MAX);
        assert_eq!((of(false, true).absolute, of(false, true).relative, of(false, true).ulps), (1.0, 1.0, 1));
        assert!(!allowed(Tolerance { ulps: 9, relative: 0.5, ..Tolerance::EXACT }, 1_000_000i32, 1_000_001));
        assert!(allowed(Tolerance { absolute: 1.0, ..Tolerance::EXACT }, 1_000_000i32, 1_000_001));
    }

    #[test]
    fn any_of_the_distances_is_enough() {
        let none = Tolerance::EXACT;
        assert!(
            allowed(Tolerance { absolute: 0.5, ..none }, 1.0, 1.5)
                && !allowed(Tolerance { absolute: 0.4, ..none }, 1.0, 1.5)
        );
        // Relative to the right.
        assert!(
            allowed(Tolerance { relative: 0.25, ..none }, 3.0, 4.0)
                && !allowed(Tolerance { relative: 0.25, ..none }, 4.0, 3.0)
        );
        assert!(allowed(Tolerance { ulps: 2, ..none }, 1.0, 1.0 - f64::EPSILON));
        assert!(!allowed(Tolerance { ulps: 1, ..none }, 1.0, 1.0 - f64::EPSILON));
        assert!(allowed(Tolerance::near(1e-3), 1e-9, 1e-4) && allowed(Tolerance::near(1e-3), 1e9, 1e9 + 1e5));
        assert!(!allowed(Tolerance::near(1e-3), 0.0, 2e-3) && !allowed(Tolerance::near(1e-3), 1e9, 1e9 + 1e7));
    }

    #[test]
    fn complex_numbers_by_their_rule() {
        let relative = |complex| Tolerance { relative: 1e-6, complex, ..Tolerance::EXACT };
        let (parts, distance, any) =
            (relative(ComplexRule::Parts), relative(ComplexRule::Distance), relative(ComplexRule::AnyNan));
        // Far in a small part, and not in the plane.
        let (x, y) = (c(1e6, 1e-3), c(1e6, 2e-3));
        assert!(!allowed(parts, x, y) && allowed(distance, x, y) && allowed(any, x, y));
        assert!(of(x, y).relative < 2e-9 && of(x, y).absolute == 1e-3);
        // Where one part is not finite, the other still counts.
        for part in [NAN, INF] {
            let (x, y, z) = (c(part, 1.0), c(part, 1.0 + 1e-9), c(part, 4.0));
            assert!(allowed(parts, x, y) && allowed(distance, x, y) && allowed(any, x, y));
            assert!(!allowed(parts, x, z) && !allowed(distance, x, z));
            assert_eq!(allowed(any, x, z), part.is_nan());
            assert_eq!((of(x, z).absolute, of(x, z).relative), (3.0, 0.75));
        }
        assert!(!allowed(any, c(NAN, 1.0), c(1.0, 1.0)) && !allowed(any, c(INF, 1.0), c(1.0, 1.0)));
        assert!(allowed(any, c(NAN, 1.0), c(1.0, NAN)) && !allowed(distance, c(NAN, 1.0), c(1.0, NAN)));
    }

    #[test]
    fn the_worst_element_is_found_and_said() {
        let x = Tensor::new([2, 3], vec![1.0f32, 2.0, 3.0, 4.0, 5.0, NAN as f32]).unwrap();
        let y = Tensor::new([2, 3], vec![1.0f32, 2.5, 3.0, 3.0, 5.0, NAN as f32]).unwrap();
        let all = compare(&x, &y).unwrap();
        assert_eq!((all.count, all.absolute, all.relative, all.ulps), (2, 1.0, 0.25, 1 << 22));
        let worst = all.worst.unwrap();
        assert_eq!((worst.position, worst.left, worst.right), (3, Scalar::F32(4.0), Scalar::F32(3.0)));
        let said =
            "2 of 6 elements differ, most at [1,0]: 4.0 against 3.0 (absolute 1.000e0, relative 2.500e-1, 4194304 ulp)";
        assert_eq!(Tolerance::BITS.check(&x, &y).unwrap_err().to_string(), said);
        // Only what is beyond the tolerance is told.
        let e = Tolerance { absolute: 0.5, ..Tolerance::EXACT }.check(&x, &y).unwrap_err();
        assert!(e.to_string().starts_with("1 of 6 elements differ, most at [1,0]"), "{e}");
        assert!(Tolerance::near(0.4).check(&x, &y).is_ok());
        assert_eq!(compare(&x, &x).unwrap().to_string(), "none of 6 elements differs");
        let e = Tolerance::EXACT.check(&Tensor::scalar(NAN), &Tensor::scalar(1.0)).unwrap_err();
        assert_eq!(e.to_string(), "1 of 1 elements differ, most at []: NaN against 1.0 (absolute inf, relative inf)");
    }

    #[test]
    fn types_must_be_the_same() {
        let (x, y) = (Tensor::splat([2, 3], Scalar::F32(0.0)), Tensor::splat([3, 2], Scalar::F32(0.0)));
        let said = "the types differ: f32[2,3] against f32[3,2]";
        assert_eq!(Tolerance::near(1.0).check(&x, &y).unwrap_err().to_string(), said);
        let y = Tensor::splat([2, 3], Scalar::F64(0.0));
        assert!(compare(&x, &y).is_err());
    }

    #[test]
    fn one_number_repeated_is_looked_at_once() {
        let repeated = |x: f64| Tensor::splat([1_000_000, 1_000_000], Scalar::F64(x));
        let d = compare(&repeated(4.0), &repeated(3.0)).unwrap();
        assert_eq!((d.count, d.absolute, d.relative), (1_000_000_000_000, 1.0, 0.25));
        let empty = Tensor::splat([0, 4], Scalar::F64(1.0));
        assert!(Tolerance::BITS.check(&empty, &Tensor::zeros(&empty.ty())).is_ok());
        let dense = Tensor::new([2], vec![3.0, 4.0]).unwrap();
        assert_eq!(compare(&dense, &Tensor::splat([2], Scalar::F64(3.0))).unwrap().count, 1);
    }

    #[test]
    fn every_type_is_equal_to_itself_and_to_nothing_else() {
        for dtype in DType::ALL {
            let [x, y] = [0, 1].map(|n| Tensor::splat([3], Scalar::from_i64(dtype, n)));
            assert!(Tolerance::BITS.check(&x, &x).is_ok(), "{dtype}");
            assert_eq!(compare(&x, &y).unwrap().absolute, 1.0, "{dtype}");
            assert!(Tolerance::near(1e-3).check(&x, &y).is_err(), "{dtype}");
        }
    }
}
