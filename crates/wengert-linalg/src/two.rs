//! Singular values of triangular matrices of two rows.

use super::Limits;
use super::rotation::Rotation;

/// The least singular value of `[[f, g], [0, h]]`.
pub(super) fn least_singular_value(f: f64, g: f64, h: f64) -> f64 {
    let (most, least, g) = (f.abs().max(h.abs()), f.abs().min(h.abs()), g.abs());
    if least == 0.0 {
        return 0.0;
    }
    let (sum, apart) = (1.0 + least / most, (most - least) / most);
    if g < most {
        let part = (g / most) * (g / most);
        return least * (2.0 / ((sum * sum + part).sqrt() + (apart * apart + part).sqrt()));
    }
    let part = most / g;
    if part == 0.0 {
        return least * most / g;
    }
    let (sum, apart) = (sum * part, apart * part);
    2.0 * (least / ((1.0 + sum * sum).sqrt() + (1.0 + apart * apart).sqrt())) * part
}

/// The singular values of two rows, and the turns of columns that make them diagonal.
pub(super) struct Two {
    pub most: f64,
    pub least: f64,
    pub left: Rotation,
    pub right: Rotation,
}

/// `[[f, g], [0, h]]` made diagonal. The values may be negative.
pub(super) fn singular_values(f: f64, g: f64, h: f64, limits: Limits) -> Two {
    let swapped = h.abs() > f.abs();
    let (first, second) = if swapped { (h, f) } else { (f, h) };
    let (fa, ga, ha) = (first.abs(), g.abs(), second.abs());
    let (most, least, left, right);
    if ga == 0.0 {
        (most, least) = (fa, ha);
        (left, right) = (Rotation { c: 1.0, s: 0.0 }, Rotation { c: 1.0, s: 0.0 });
    } else if ga > fa && fa / ga < limits.rounding {
        most = ga;
        least = if ha > 1.0 { fa / (ga / ha) } else { (fa / ga) * ha };
        (left, right) = (Rotation { c: 1.0, s: second / g }, Rotation { c: first / g, s: 1.0 });
    } else {
        let d = fa - ha;
        let l = if d == fa { 1.0 } else { d / fa };
        let (m, t) = (g / first, 2.0 - l);
        let s = (t * t + m * m).sqrt();
        let r = if l == 0.0 { m.abs() } else { (l * l + m * m).sqrt() };
        let a = 0.5 * (s + r);
        (most, least) = (fa * a, ha / a);
        // Twice the tangent of the right turn.
        let t = if m * m != 0.0 {
            (m / (s + t) + m / (r + l)) * (1.0 + a)
        } else if l == 0.0 {
            2f64.copysign(first) * 1f64.copysign(g)
        } else {
            g / d.copysign(first) + m / t
        };
        let length = (t * t + 4.0).sqrt();
        right = Rotation { c: 2.0 / length, s: t / length };
        left = Rotation { c: (right.c + right.s * m) / a, s: (second / first) * right.s / a };
    }
    let exchanged = |x: Rotation| Rotation { c: x.s, s: x.c };
    let (left, right) = if swapped { (exchanged(right), exchanged(left)) } else { (left, right) };
    // The sign that goes with the largest of the three.
    let sign = |x: f64| 1f64.copysign(x);
    let turned = if ga > fa {
        sign(right.s) * sign(left.c) * sign(g)
    } else if swapped {
        sign(right.s) * sign(left.s) * sign(h)
    } else {
        sign(right.c) * sign(left.c) * sign(f)
    };
    Two { most: most * turned, least: least * turned * sign(f) * sign(h), left, right }
}
