//! The functions of these tests, in a file of their own: their places are in what is expected.

use std::cell::Cell;
use wengert::{Array, Tree, scan, track};

thread_local!(pub static RANDOM: Cell<usize> = const { Cell::new(0) });

/// Numbers that a test knows.
#[track]
pub fn rand() -> f64 {
    let i = RANDOM.replace(RANDOM.get() + 1);
    [0.9, 0.5, 0.1][i % 3]
}

#[track]
pub fn geom(n: u32, beta: f64) -> u32 {
    if rand() < beta { n } else { geom(n + 1, beta) }
}

#[track]
pub fn geom_of_arrays(n: Array, beta: Array) -> Array {
    let u = Array::from(rand() as f32);
    if u < beta { n } else { geom_of_arrays(n + 1.0, beta) }
}

#[track]
pub fn clipped(x: Array) -> Array {
    let y = &x * 2.0;
    if y.to_f64() > 1.0 {
        return y.sin();
    }
    let z = y * x;
    z
}

#[track]
pub fn inner_names(x: Array) -> Array {
    let doubled = x * 2.0;
    let sine = doubled.sin();
    sine + 1.0
}

#[track]
pub fn newton(x: Array) -> Array {
    let mut y = x.clone();
    let mut steps = 0;
    while steps < 5 {
        let error = &y * &y - &x;
        if error.to_f64().abs() < 0.1 {
            break;
        }
        y = &y - error / (&y * 2.0);
        steps += 1;
    }
    y
}

#[track]
pub fn running_sum(xs: Array) -> Array {
    let zero = Array::from(0.0f32);
    let (total, sums) = scan(|c: Array, x: Array| (&c + &x, c + x), zero, xs);
    total + sums.sum(..)
}

#[track]
pub fn describe(x: Option<u32>) -> &'static str {
    match x.map(|x| x * 2) {
        None => "nothing",
        Some(n) if n > 10 && n % 4 == 0 => "large",
        Some(_) => "small",
    }
}

#[track]
pub fn parse(text: &str) -> Result<f64, std::num::ParseFloatError> {
    let x: f64 = text.parse()?;
    Ok(x * 2.0)
}

#[track]
pub fn head(x: &[Array]) -> Option<Array> {
    Some(x.first()? + 1.0)
}

#[track]
pub fn search(n: u32) -> u32 {
    let found = 'outer: loop {
        for i in 0.. {
            if i * i > n {
                break 'outer i;
            }
        }
    };
    found + 1
}

/// A module, an `impl` and a trait whose functions are all tracked, but those that say otherwise.
#[track]
pub mod machine {
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum State {
        Idle,
        Counting(u32),
        Done,
    }

    impl State {
        pub fn next(self, go: bool) -> State {
            match self {
                State::Idle if go => State::Counting(1),
                State::Counting(n) if n < 2 => State::Counting(n + 1),
                State::Counting(_) => State::Done,
                other => other,
            }
        }

        pub const fn start() -> State {
            State::Idle
        }
    }

    #[wengert::track(calls)]
    pub fn run(go: bool) -> u32 {
        let mut state = State::start();
        let mut steps = 0;
        while state != State::Done && steps < 10 {
            state = state.next(go);
            steps += 1;
        }
        steps
    }
}

#[derive(Tree, Clone)]
pub struct Layer {
    pub weight: Array,
    pub bias: Array,
}

pub struct Model {
    pub layer: Layer,
    pub calls: u32,
}

impl Model {
    #[track]
    pub fn apply(&mut self, x: &Array) -> Array {
        self.calls += 1;
        affine(&self.layer, x)
    }
}

#[track]
pub fn affine(layer: &Layer, x: &Array) -> Array {
    let Layer { weight, bias } = layer;
    let y = weight * x;
    let y = y + bias;
    y
}

#[track]
pub fn pairs((a, b): (Array, Array), note: Option<&str>) -> (Array, Array) {
    let (s, d) = (&a + &b, &a - &b);
    let Some(_) = note else { return (s, d) };
    let s = s * 2.0;
    (s, d)
}

#[track]
pub fn fails(x: Array) -> Array {
    if x.size() == 1 {
        panic!("no axes");
    }
    x
}

/// One of each sort of argument.
#[track]
#[allow(clippy::too_many_arguments)]
pub fn sorts<T, D: std::fmt::Debug, L: Tree, const N: usize>(
    slice: &[Array],
    changed: &mut Array,
    maybe: Option<Array>,
    list: Vec<f64>,
    text: &str,
    opaque: impl Fn(u32) -> u32,
    any: T,
    shown: D,
    tree: &L,
    numbers: [u8; N],
    _: bool,
) -> usize {
    *changed = &*changed + 1.0;
    opaque(slice.len() as u32) as usize + list.len()
}

pub trait Shape {
    fn sides(&self) -> u32;

    #[track]
    fn angles(&self) -> u32 {
        if self.sides() < 3 { 0 } else { self.sides() }
    }
}

pub struct Triangle;

impl Shape for Triangle {
    #[track]
    #[inline]
    fn sides(&self) -> u32 {
        3
    }
}

#[track]
pub fn chained(x: Option<u32>, on: bool) -> bool {
    let mut left = x;
    while let Some(n) = left {
        left = n.checked_sub(2);
    }
    if on
        && let Some(n) = x
        && n > 2
    {
        n > 5 || n == 3
    } else {
        false
    }
}

#[track]
#[allow(non_snake_case)]
pub fn attend(Q: Array, (K, r#type): (&Array, u32)) -> Array {
    let Wq = &Q * 2.0;
    let r#box = Wq * K;
    r#box
}

#[track]
pub fn layer(k: f32) -> impl Fn(Array) -> Array {
    if k == 0.0 {
        return Box::new(|x| x) as Box<dyn Fn(Array) -> Array>;
    }
    Box::new(move |x| x.sin() * k)
}

#[track]
pub fn checked(x: Array) -> Result<Array, String> {
    let Some(y) = &Some(&x * 2.0).filter(|y| *y > 1.0) else { return Err("small".to_string()) };
    Ok(y + 1.0)
}

/// The loop of the document that the tape grew from.
#[track]
pub fn h(x: f64, n: u32) -> f64 {
    let mut r = 1.0;
    let mut n = n;
    while n > 0 {
        n -= 1;
        r *= x;
    }
    r
}

/// A mixture with as many components as a coin says.
#[track]
pub fn mixture(beta: f64) -> f64 {
    let components = geom(1, beta);
    let mut weights = Vec::new();
    for k in 0..components {
        weights.push(rand() + k as f64);
    }
    let total: f64 = weights.iter().sum();
    weights[0] / total
}

pub enum Branching {
    Leaf(i64),
    Node(Box<Branching>, Box<Branching>),
}

/// The sum over a tree, by recursion.
#[track]
pub fn total(tree: &Branching) -> i64 {
    match tree {
        Branching::Leaf(n) => *n,
        Branching::Node(left, right) => total(left) + total(right),
    }
}
