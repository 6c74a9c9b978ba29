//! Roots of unity, each part right to less than a unit in its last place.

/// `exp(-2 π i k / n)`: the angle is brought into an eighth of the circle exactly, and has twice the digits there.
pub fn root(k: usize, n: usize) -> [f64; 2] {
    turned(k, n, |r| eighth_turn(r, n))
}

/// Many roots of one order.
pub struct Roots {
    n: usize,
    /// Those of the first eighth of the circle, if it has a whole number of them.
    first: Vec<(f64, f64)>,
}

impl Roots {
    /// Roots of this order, of which at least as many are asked for.
    pub fn new(n: usize) -> Roots {
        let first = if n.is_multiple_of(8) { (0..=n / 8).map(|k| eighth_turn(8 * k, n)).collect() } else { Vec::new() };
        Roots { n, first }
    }

    /// What [`root`] gives.
    pub fn get(&self, k: usize) -> [f64; 2] {
        if self.first.is_empty() { root(k, self.n) } else { turned(k, self.n, |r| self.first[r / 8]) }
    }
}

/// A root by cosine and sine of `r / n` eighths of a turn.
fn turned(k: usize, n: usize, within: impl Fn(usize) -> (f64, f64)) -> [f64; 2] {
    // In eighths of a turn: 8 k = q n + r, and from the middle of an eighth on the angle is counted from its end.
    let k = k % n * 8;
    let (eighth, rest) = (k / n, k % n);
    let (cos, sin) = within(if eighth % 2 == 0 { rest } else { n - rest });
    let (cos, sin) = match eighth {
        0 => (cos, sin),
        1 => (sin, cos),
        2 => (-sin, cos),
        3 => (-cos, sin),
        4 => (-cos, -sin),
        5 => (-sin, -cos),
        6 => (sin, -cos),
        _ => (cos, -sin),
    };
    [cos, -sin]
}

/// Cosine and sine of `r / n` eighths of a turn, for `r` up to `n`.
fn eighth_turn(r: usize, n: usize) -> (f64, f64) {
    /// π / 4, and what it lacks.
    const HIGH: f64 = std::f64::consts::FRAC_PI_4;
    const LOW: f64 = 3.061616997868383e-17;
    let (r, n) = (r as f64, n as f64);
    let product = r * HIGH;
    let missing = r.mul_add(HIGH, -product);
    let angle = product / n;
    let rest = ((-angle).mul_add(n, product) + missing + r * LOW) / n;
    let (sin, cos) = angle.sin_cos();
    ((-rest).mul_add(sin, cos), rest.mul_add(cos, sin))
}
