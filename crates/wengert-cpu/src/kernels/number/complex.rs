//! Complex numbers.

use super::{Cast, Map, Number, Real, Zip, map, zip};
use num_traits::{One, Zero};
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Complex, Element};

impl<R: Real> Number for Complex<R>
where
    Complex<R>: Element + Cast,
{
    type Part = R;

    fn unary(op: Unary) -> Option<Map<Self, Self>> {
        Some(match op {
            Unary::Sign => map!(|x: Self| {
                let r = x.re.hypot(x.im);
                if r == R::zero() { Complex::zero() } else { Complex::new(x.re / r, x.im / r) }
            }),
            Unary::Neg => map!(|x: Self| -x),
            Unary::Conj => map!(|x: Self| x.conj()),
            Unary::Exp => map!(|x: Self| x.exp()),
            Unary::Expm1 => map!(expm1::<R>),
            Unary::Log => map!(|x: Self| Complex::new(x.re.hypot(x.im).ln(), x.im.atan2(x.re))),
            Unary::Log1p => map!(log1p::<R>),
            Unary::Logistic => map!(|x: Self| (Self::one() + (-x).exp()).inv()),
            Unary::Tanh => map!(|x: Self| x.tanh()),
            Unary::Sin => map!(|x: Self| x.sin()),
            Unary::Cos => map!(|x: Self| x.cos()),
            Unary::Tan => map!(|x: Self| x.tan()),
            Unary::Asin => map!(|x: Self| x.asin()),
            Unary::Acos => map!(|x: Self| x.acos()),
            Unary::Atan => map!(|x: Self| x.atan()),
            Unary::Sinh => map!(|x: Self| x.sinh()),
            Unary::Cosh => map!(|x: Self| x.cosh()),
            Unary::Asinh => map!(|x: Self| x.asinh()),
            Unary::Acosh => map!(|x: Self| x.acosh()),
            Unary::Atanh => map!(|x: Self| x.atanh()),
            Unary::Sqrt => map!(|x: Self| x.sqrt()),
            Unary::Rsqrt => map!(|x: Self| x.sqrt().inv()),
            _ => return None,
        })
    }

    fn part(op: Unary) -> Option<Map<Self, R>> {
        Some(match op {
            Unary::Abs => map!(|x: Self| x.re.hypot(x.im)),
            Unary::Real => map!(|x: Self| x.re),
            Unary::Imag => map!(|x: Self| x.im),
            _ => return None,
        })
    }

    fn binary(op: Binary) -> Option<Zip<Self, Self>> {
        Some(match op {
            Binary::Add => zip!(|x: Self, y: Self| x + y),
            Binary::Sub => zip!(|x: Self, y: Self| x - y),
            Binary::Mul => zip!(|x: Self, y: Self| x * y),
            Binary::Div => zip!(|x: Self, y: Self| x / y),
            Binary::Pow => zip!(|x: Self, y: Self| x.powc(y)),
            Binary::Max => zip!(|x: Self, y: Self| if before(y, x) { x } else { y }),
            Binary::Min => zip!(|x: Self, y: Self| if before(x, y) { x } else { y }),
            Binary::Atan2 => zip!(atan2::<R>),
            _ => return None,
        })
    }

    fn compare(op: Direction) -> Option<Zip<Self, bool>> {
        match op {
            Direction::Eq => Some(zip!(|x: Self, y: Self| x == y)),
            Direction::Ne => Some(zip!(|x: Self, y: Self| x != y)),
            _ => None,
        }
    }
}

/// The order that `max` and `min` go by: real parts first, imaginary ones where those are equal.
pub(crate) fn before<R: Real>(x: Complex<R>, y: Complex<R>) -> bool {
    if x.re == y.re { x.im < y.im } else { x.re < y.re }
}

fn expm1<R: Real>(x: Complex<R>) -> Complex<R> {
    // Re = expm1(a) cos b + (cos b - 1), with cos b - 1 = -2 sin²(b/2).
    let (s, c) = x.im.sin_cos();
    let half = (x.im * R::of(0.5)).sin();
    let less = -(half * half * R::of(2.0));
    Complex::new(x.re.exp_m1() * c + less, x.re.exp() * s)
}

fn log1p<R: Real>(x: Complex<R>) -> Complex<R> {
    // |1+x|² - 1 = a(a+2) + b², without the sum with one that loses small parts.
    let one = R::one();
    let im = x.im.atan2(x.re + one);
    let r = (x.re + one).hypot(x.im);
    let near = r > R::of(0.5) && r < R::of(2.0);
    let re = if near { (x.re * (x.re + R::of(2.0)) + x.im * x.im).ln_1p() * R::of(0.5) } else { r.ln() };
    Complex::new(re, im)
}

/// `-i log((x + iy) / sqrt(x² + y²))`, of `y` first.
fn atan2<R: Real>(y: Complex<R>, x: Complex<R>) -> Complex<R> {
    let i = Complex::<R>::i();
    let norm = (x * x + y * y).sqrt();
    -i * ((x + i * y) / norm).ln()
}
