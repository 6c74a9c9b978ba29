//! Complex numbers. But for arithmetic, both types compute in the longer one.

use super::super::math::complex as math;
use super::{Cast, Map, Number, Real, Zip, map, zip};
use wengert_core::ops::{Binary, Direction, Unary};
use wengert_core::{Complex, Element};

impl<R: Real> Number for Complex<R>
where
    Complex<R>: Element + Cast,
{
    type Part = R;

    fn unary(op: Unary) -> Option<Map<Self, Self>> {
        macro_rules! double {
            ($f:expr) => {
                map!(|x: Self| Self::from_complex($f(x.cast())))
            };
        }
        Some(match op {
            Unary::Neg => map!(|x: Self| -x),
            Unary::Conj => map!(|x: Self| x.conj()),
            Unary::Sign => double!(math::sign),
            Unary::Exp => double!(math::exp),
            Unary::Expm1 => double!(math::expm1),
            Unary::Log => double!(math::log),
            Unary::Log1p => double!(math::log1p),
            Unary::Logistic => double!(math::logistic),
            Unary::Tanh => double!(math::tanh),
            Unary::Sin => double!(math::sin),
            Unary::Cos => double!(math::cos),
            Unary::Tan => double!(math::tan),
            Unary::Asin => double!(math::asin),
            Unary::Acos => double!(math::acos),
            Unary::Atan => double!(math::atan),
            Unary::Sinh => double!(math::sinh),
            Unary::Cosh => double!(math::cosh),
            Unary::Asinh => double!(math::asinh),
            Unary::Acosh => double!(math::acosh),
            Unary::Atanh => double!(math::atanh),
            Unary::Sqrt => double!(math::sqrt),
            Unary::Rsqrt => double!(math::rsqrt),
            _ => return None,
        })
    }

    fn part(op: Unary) -> Option<Map<Self, R>> {
        Some(match op {
            Unary::Abs => map!(|x: Self| R::of(math::abs(x.cast()))),
            Unary::Real => map!(|x: Self| x.re),
            Unary::Imag => map!(|x: Self| x.im),
            _ => return None,
        })
    }

    fn binary(op: Binary) -> Option<Zip<Self, Self>> {
        macro_rules! double {
            ($f:expr) => {
                zip!(|x: Self, y: Self| Self::from_complex($f(x.cast(), y.cast())))
            };
        }
        Some(match op {
            Binary::Add => zip!(|x: Self, y: Self| x + y),
            Binary::Sub => zip!(|x: Self, y: Self| x - y),
            Binary::Mul => zip!(|x: Self, y: Self| x * y),
            Binary::Div => double!(math::div),
            Binary::Pow => double!(math::pow),
            Binary::Max => zip!(|x: Self, y: Self| if before(y, x) { x } else { y }),
            Binary::Min => zip!(|x: Self, y: Self| if before(x, y) { x } else { y }),
            Binary::Atan2 => double!(math::atan2),
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
fn before<R: Real>(x: Complex<R>, y: Complex<R>) -> bool {
    if x.re == y.re { x.im < y.im } else { x.re < y.re }
}
