//! What is computed for a length once, and kept.

use super::lanes::Float;
use super::line;
use super::passes::{LARGEST, Pass, numbers};
use super::roots::Roots;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The largest length that is transformed by passes alone, and not as a matrix.
const DIRECT: usize = 128;
/// Lanes that lie side by side in [`Split::twist`], whatever the vectors of the machine are.
pub const BESIDE: usize = 16;
/// The bytes that kept plans take at most, unless one alone takes more.
const KEPT_BYTES: usize = 64 << 20;
/// How many plans are kept at most.
const KEPT_PLANS: usize = 64;

/// How lines of one length are transformed.
pub struct Plan<T> {
    /// The length.
    pub n: usize,
    /// The way.
    pub way: Way<T>,
    /// Roots of twice the order, for real lines of twice the length.
    half: OnceLock<Vec<T>>,
}

/// The ways there are.
pub enum Way<T> {
    /// By passes.
    Direct(Direct<T>),
    /// As a matrix.
    Split(Split<T>),
    /// As a convolution.
    Chirp(Box<Chirp<T>>),
}

/// A transform by passes.
pub struct Direct<T> {
    /// The length.
    pub n: usize,
    /// The passes, of which there is at least one.
    pub passes: Vec<Pass<T>>,
}

/// A line as a matrix of `rows.n` rows and `columns.n` columns: its columns are transformed, then each number is turned, then
/// the rows are transformed.
pub struct Split<T> {
    /// The transform of a column, which has a number in each row.
    pub rows: Direct<T>,
    /// The transform of a row.
    pub columns: Direct<T>,
    /// What numbers are turned by: for [`BESIDE`] columns after the other, for each row, real parts and imaginary parts.
    pub twist: Vec<T>,
}

/// A transform as a convolution with a chirp: `j k` is half of `j² + k² - (j - k)²`.
pub struct Chirp<T> {
    /// The transform of the convolution.
    pub inner: Plan<T>,
    /// `exp(-π i j² / n)`.
    pub chirp: Vec<T>,
    /// The transform of the conjugate chirp, divided by the length of the convolution.
    pub filter: Vec<T>,
}

impl<T: Float> Plan<T> {
    /// The plan for a length, which is not zero.
    pub fn new(n: usize) -> Plan<T> {
        let primes = primes(n);
        let way = match primes.last().is_none_or(|&p| p <= LARGEST) {
            true if n <= DIRECT || primes.len() == 1 => Way::Direct(Direct::new(n)),
            true => Way::Split(Split::new(n)),
            false => Way::Chirp(Box::new(Chirp::new(n))),
        };
        Plan { n, way, half: OnceLock::new() }
    }

    /// The roots of order `2 n` up to a quarter of a turn: real parts, then imaginary parts.
    pub fn half(&self) -> &[T] {
        self.half.get_or_init(|| numbers(&half(self.n)))
    }

    fn bytes(&self) -> usize {
        let direct = |d: &Direct<T>| d.passes.iter().map(Pass::bytes).sum::<usize>();
        // With what real lines ask for.
        (self.n + 2) * size_of::<T>()
            + match &self.way {
                Way::Direct(d) => direct(d),
                Way::Split(s) => direct(&s.rows) + direct(&s.columns) + s.twist.len() * size_of::<T>(),
                Way::Chirp(c) => c.inner.bytes() + (c.chirp.len() + c.filter.len()) * size_of::<T>(),
            }
    }
}

impl<T: Float> Direct<T> {
    fn new(n: usize) -> Direct<T> {
        Direct { n, passes: Pass::plan(&factors(n)) }
    }
}

impl<T: Float> Split<T> {
    fn new(n: usize) -> Split<T> {
        let (rows, columns) = sides(n, T::WIDEST);
        let twist = numbers(&twist(rows, columns));
        Split { rows: Direct::new(rows), columns: Direct::new(columns), twist }
    }

    /// Where the real part lies of what the number in a row and a column is turned by; the imaginary part is [`BESIDE`] further.
    pub fn twist_at(&self, row: usize, column: usize) -> usize {
        (column / BESIDE * self.rows.n + row) * 2 * BESIDE + column % BESIDE
    }
}

impl<T: Float> Chirp<T> {
    fn new(n: usize) -> Chirp<T> {
        let inner = Plan::new(smooth(2 * n - 1));
        let m = inner.n;
        let (chirp, conjugate) = chirps(n, m);
        let mut filter = vec![T::default(); 2 * m];
        line::forward(&inner, &numbers(&conjugate), &mut filter);
        Chirp { inner, chirp: numbers(&chirp), filter }
    }
}

/// What [`Plan::half`] holds.
fn half(n: usize) -> Vec<f64> {
    let roots = Roots::new(2 * n);
    let count = n / 2 + 1;
    let mut half = vec![0.0; 2 * count];
    for k in 0..count {
        [half[k], half[count + k]] = roots.get(k);
    }
    half
}

/// What [`Split::twist`] holds.
fn twist(rows: usize, columns: usize) -> Vec<f64> {
    let roots = Roots::new(rows * columns);
    let mut twist = vec![0.0; columns.div_ceil(BESIDE) * rows * 2 * BESIDE];
    for (block, twist) in twist.chunks_mut(rows * 2 * BESIDE).enumerate() {
        for (row, twist) in twist.chunks_mut(2 * BESIDE).enumerate() {
            for lane in 0..BESIDE.min(columns - block * BESIDE) {
                [twist[lane], twist[BESIDE + lane]] = roots.get(row * (block * BESIDE + lane));
            }
        }
    }
    twist
}

/// The chirp of a length, and its conjugate on both sides of zero in a line of `m` numbers, divided by that.
fn chirps(n: usize, m: usize) -> (Vec<f64>, Vec<f64>) {
    let roots = Roots::new(2 * n);
    let (mut chirp, mut conjugate) = (Vec::new(), vec![0.0; 2 * m]);
    for j in 0..n {
        // The square modulo twice the length, without overflow.
        let [re, im] = roots.get((j as u128 * j as u128 % (2 * n) as u128) as usize);
        chirp.extend([re, im]);
        for at in [j, (m - j) % m] {
            [conjugate[2 * at], conjugate[2 * at + 1]] = [re / m as f64, -im / m as f64];
        }
    }
    (chirp, conjugate)
}

/// The prime factors of a number, in ascending order.
fn primes(mut n: usize) -> Vec<usize> {
    let mut primes = Vec::new();
    let mut p = 2;
    while p * p <= n {
        while n.is_multiple_of(p) {
            primes.push(p);
            n /= p;
        }
        p += 1;
    }
    if n > 1 {
        primes.push(n);
    }
    primes
}

/// The radices of the passes for a length.
fn factors(n: usize) -> Vec<usize> {
    let mut factors = primes(n);
    let twos = factors.iter().take_while(|&&p| p == 2).count();
    factors.drain(..twos);
    let (eights, rest): (_, &[usize]) = match twos % 3 {
        0 => (twos / 3, &[]),
        1 if twos > 1 => (twos / 3 - 1, &[4, 4]),
        1 => (0, &[2]),
        _ => (twos / 3, &[4]),
    };
    // The first and the last pass can do more if they are of radix 4 or 8.
    factors.extend_from_slice(rest);
    factors.resize(factors.len() + eights, 8);
    factors
}

/// The sides of the matrix for a length: near each other, and near multiples of the lanes.
fn sides(n: usize, lanes: usize) -> (usize, usize) {
    let full = |side: usize| (side.div_ceil(lanes) * lanes) as f64 / side as f64;
    let cost = |a: usize| {
        let b = n / a;
        full(a) + full(b) + 0.1 * (b as f64 / a as f64).log2().abs()
    };
    let (mut best, mut a) = (1, 2);
    while a * a <= n {
        if n.is_multiple_of(a) && (best == 1 || cost(a) < cost(best)) {
            best = a;
        }
        a += 1;
    }
    (best, n / best)
}

/// The length from `n` on that has no primes but 2, 3 and 5, is a multiple of 16, and is the smallest of these.
fn smooth(n: usize) -> usize {
    let mut best = n.next_power_of_two().max(16);
    let mut fives = 1;
    while fives * 16 < best {
        let mut odd = fives;
        while odd * 16 < best {
            best = best.min(odd * n.div_ceil(odd).next_power_of_two().max(16));
            odd *= 3;
        }
        fives *= 5;
    }
    best
}

/// The plans of a process for one float type, the one that was used last in front.
pub struct Kept<T>(Mutex<Vec<Arc<Plan<T>>>>);

impl<T: Float> Kept<T> {
    /// None.
    pub const fn new() -> Kept<T> {
        Kept(Mutex::new(Vec::new()))
    }

    /// The plan for a length, which is not zero: the one that is kept, or a new one.
    pub fn get(&self, n: usize) -> Arc<Plan<T>> {
        let mut plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = plans.iter().position(|p| p.n == n) {
            let plan = plans.remove(at);
            plans.insert(0, plan);
        } else {
            plans.insert(0, Arc::new(Plan::new(n)));
            let (mut count, mut bytes) = (0, 0);
            for plan in plans.iter() {
                bytes += plan.bytes();
                if count > 0 && (bytes > KEPT_BYTES || count == KEPT_PLANS) {
                    break;
                }
                count += 1;
            }
            plans.truncate(count);
        }
        plans[0].clone()
    }

    /// How many plans are kept, and the bytes they take.
    #[cfg(test)]
    pub fn held(&self) -> (usize, usize) {
        let plans = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        (plans.len(), plans.iter().map(|p| p.bytes()).sum())
    }
}
