//! Random functions, compiled and by the reference.

use crate::reference::{self, KINDS, Random, edges, features, same};
use wengert_kernel::{Address, Binary, Builder, Callee, Compare, Function, Inst, Kind, Unary, Value};
use wengert_x86::compile;

extern "C" fn wave(x: f32) -> f32 {
    (x * 3.0).abs() + 0.25
}
extern "C" fn less(x: f64, y: f64) -> f64 {
    x - y * 0.5
}

/// Words in each of the function's two pieces of memory.
const WORDS: usize = 64;

struct Writer {
    b: Builder,
    r: Random,
    /// Values that can be used here, by kind.
    visible: Vec<Vec<Value>>,
    /// How many instructions to write still.
    left: usize,
    calls: bool,
    /// No stores, and rather no divisions: in lanes.
    no_stores: bool,
}

fn place(kind: Kind) -> usize {
    KINDS.iter().position(|&k| k == kind).expect("a kind of numbers")
}

impl Writer {
    fn any(&mut self, kind: Kind) -> Value {
        let list = &self.visible[place(kind)];
        if list.is_empty() || self.r.below(8) == 0 {
            let bits = self.r.one_of(&edges(kind));
            let v = self.b.constant(kind, bits);
            self.visible[place(kind)].push(v);
            return v;
        }
        // Rather the new ones.
        let n = list.len();
        let i = if self.r.below(3) == 0 { self.r.below(n) } else { n - 1 - self.r.below(n.min(6)) };
        self.visible[place(kind)][i]
    }

    fn keep(&mut self, v: Value) {
        let k = place(self.b.kind(v));
        self.visible[k].push(v);
    }

    fn kind(&mut self) -> Kind {
        self.r.one_of(&KINDS)
    }

    fn address(&mut self, kind: Kind, base: Value) -> Address {
        let n = WORDS * 8 / kind.bytes();
        if self.r.below(2) == 0 {
            return Address::at(base, (self.r.below(n) * kind.bytes()) as i64);
        }
        // Some number, made small enough.
        let i = self.any(Kind::I64);
        let (mask, scale) = (self.b.constant(Kind::I64, 15), self.r.one_of(&[1, 2, 4, 8, 12]));
        let i = self.b.binary(Binary::And, i, mask);
        Address { base, index: Some((i, scale)), offset: self.r.below(32) as i64 }
    }

    /// One instruction that is no loop and no branch.
    fn simple(&mut self) {
        self.left = self.left.saturating_sub(1);
        let kind = self.kind();
        let float = kind.is_float();
        let y = match self.r.below(12) {
            0 => {
                use Unary::*;
                let all: &[Unary] = match kind {
                    Kind::Bool => &[Not],
                    _ if float => &[Neg, Abs, Sqrt, Floor, Ceil, Trunc, RoundEven],
                    k if k.is_signed() => &[Neg, Abs, Not],
                    _ => &[Neg, Not],
                };
                let (op, x) = (self.r.one_of(all), self.any(kind));
                self.b.unary(op, x)
            }
            1..=4 => {
                use Binary::*;
                let all: &[Binary] = match kind {
                    Kind::Bool => &[And, Or, Xor],
                    _ if float => &[Add, Sub, Mul, Div, Max, Min],
                    _ if self.no_stores => &[Add, Sub, Mul, Max, Min, And, Or, Xor, Shl, ShrLogical, ShrArithmetic],
                    _ => &[Add, Sub, Mul, Div, Rem, Max, Min, And, Or, Xor, Shl, ShrLogical, ShrArithmetic],
                };
                let (op, x, y) = (self.r.one_of(all), self.any(kind), self.any(kind));
                self.b.binary(op, x, y)
            }
            5 => {
                let k = self.r.one_of(&[Kind::F32, Kind::F64]);
                let x = [self.any(k), self.any(k), self.any(k)];
                let y = self.b.value(k);
                let negate = [self.r.below(2) == 1, self.r.below(2) == 1];
                self.b.push(Inst::MulAdd { y, x, negate });
                y
            }
            6 => self.comparison(),
            7 => {
                let (x, y) = (self.any(kind), self.any(kind));
                let c = if self.r.below(2) == 0 { self.comparison() } else { self.any(Kind::Bool) };
                self.b.select(c, x, y)
            }
            8 => {
                let from = self.kind();
                let x = self.any(from);
                self.b.convert(x, kind)
            }
            9 => {
                let at = self.address(kind, self.b.param(0));
                if kind == Kind::Bool { self.b.constant(kind, 1) } else { self.b.load(kind, at) }
            }
            10 if !self.no_stores => {
                let x = self.any(kind);
                let at = self.address(kind, self.b.param(1));
                let x = self.without_nan(x);
                return self.b.store(x, at);
            }
            _ if self.calls && self.r.below(3) == 0 => {
                let condition = self.any(Kind::Bool);
                if self.r.below(2) == 0 {
                    let (x, otherwise) = (self.any(Kind::F32), self.any(Kind::F32));
                    self.b.call_where(Callee::f32(wave), condition, &[x], otherwise)
                } else {
                    let (x, y, otherwise) = (self.any(Kind::F64), self.any(Kind::F64), self.any(Kind::F64));
                    self.b.call_where(Callee::pair_f64(less), condition, &[x, y], otherwise)
                }
            }
            _ => {
                let to = self.r.one_of(&[Kind::I32, Kind::U32, Kind::U64, Kind::I64, Kind::I8, Kind::U16]);
                let from = *KINDS.iter().find(|k| k.bytes() == to.bytes() && k.is_integer() && **k != to).expect("one");
                let x = self.any(from);
                self.b.bitcast(x, to)
            }
        };
        self.keep(y);
    }

    /// Which NaN it is is not said: none goes to memory, where others write over parts of it.
    fn without_nan(&mut self, x: Value) -> Value {
        let kind = self.b.kind(x);
        if !kind.is_float() {
            return x;
        }
        let zero = self.b.constant(kind, 0);
        let c = self.b.compare(Compare::Eq, x, x);
        self.b.select(c, x, zero)
    }

    fn comparison(&mut self) -> Value {
        let kind = self.kind();
        let op = self.r.one_of(&[Compare::Eq, Compare::Ne, Compare::Lt, Compare::Le, Compare::Gt, Compare::Ge]);
        let (x, y) = (self.any(kind), self.any(kind));
        self.b.compare(op, x, y)
    }

    /// Instructions, with what they define visible only here; gives a value of each kind.
    fn block(&mut self, depth: usize, most: usize, results: &[Kind]) -> Vec<Value> {
        let before: Vec<usize> = self.visible.iter().map(Vec::len).collect();
        for _ in 0..self.r.below(most) + 1 {
            self.inst(depth);
        }
        let r = results.iter().map(|&k| self.any(k)).collect();
        self.visible.iter_mut().zip(before).for_each(|(v, n)| v.truncate(n));
        r
    }

    /// A loop over lanes, which reads the first memory and writes the second.
    fn lanes(&mut self) {
        let index = self.b.value(Kind::I64);
        let before: Vec<usize> = self.visible.iter().map(Vec::len).collect();
        let vectors = self.r.below(3) > 0;
        if !vectors {
            self.keep(index);
        }
        self.b.begin();
        let own = vectors.then(|| self.kinds_alike());
        for _ in 0..self.r.below(25) + 1 {
            if self.r.below(4) == 0 {
                let kind = own.unwrap_or_else(|| self.kind());
                let bytes = kind.bytes() as i64;
                let scale = if self.r.below(3) > 0 { bytes } else { 4 };
                let at = Address { base: self.b.param(0), index: Some((index, scale)), offset: 0 };
                if kind != Kind::Bool {
                    let v = self.b.load(kind, at);
                    self.keep(v);
                }
            } else {
                self.simple_but_stores();
            }
        }
        // Each lane writes its own places: as far from each other as the widest number.
        for i in 0..self.r.below(3) as i64 {
            let kind = self.kind();
            let x = self.any(kind);
            let scale = if self.r.below(2) == 0 { kind.bytes() as i64 } else { 8 };
            let at = Address {
                base: self.b.param(1),
                index: Some((index, scale)),
                offset: (WORDS as i64 + 8) * 8 * (1 + i),
            };
            let x = self.without_nan(x);
            self.b.store(x, at);
        }
        let body = self.b.end(vec![]);
        self.visible.iter_mut().zip(before).for_each(|(v, n)| v.truncate(n));
        let count = self.r.one_of(&[0, 1, 2, 5, 8, 15, 16, 17, 31, 32, 33, 40, WORDS as u64]);
        self.b.push(Inst::Lanes { index, count, body });
    }

    /// A kind that vectors may like.
    fn kinds_alike(&mut self) -> Kind {
        self.r.one_of(&[Kind::F32, Kind::F64, Kind::I32, Kind::U8])
    }

    fn simple_but_stores(&mut self) {
        self.no_stores = true;
        self.simple();
        self.no_stores = false;
    }

    fn kinds(&mut self) -> Vec<Kind> {
        (0..self.r.below(5)).map(|_| self.kind()).collect()
    }

    fn inst(&mut self, depth: usize) {
        if self.left == 0 || depth >= 4 || self.r.below(10) > 0 {
            return self.simple();
        }
        let kinds = self.kinds();
        match self.r.below(6) {
            4 | 5 => self.lanes(),
            0 | 1 => {
                let start: Vec<Value> = kinds.iter().map(|&k| self.any(k)).collect();
                let carried: Vec<Value> = kinds.iter().map(|&k| self.b.value(k)).collect();
                let index = self.b.value(Kind::I64);
                let before: Vec<usize> = self.visible.iter().map(Vec::len).collect();
                carried.iter().chain([&index]).for_each(|&v| self.keep(v));
                self.b.begin();
                let results = self.block(depth + 1, 12, &kinds);
                let body = self.b.end(results);
                self.visible.iter_mut().zip(before).for_each(|(v, n)| v.truncate(n));
                let y: Vec<Value> = kinds.iter().map(|&k| self.b.value(k)).collect();
                y.iter().for_each(|&v| self.keep(v));
                let (from, step) = (self.r.below(9) as i64 - 4, self.r.below(5) as i64 - 2);
                let count = self.r.below(4) as u64;
                self.b.push(Inst::For { index, from, step, count, carried, start, body, y });
            }
            2 => {
                let c = if self.r.below(2) == 0 { self.any(Kind::Bool) } else { self.comparison() };
                self.b.begin();
                let results = self.block(depth + 1, 8, &kinds);
                let then = self.b.end(results);
                self.b.begin();
                let results = self.block(depth + 1, 8, &kinds);
                let otherwise = self.b.end(results);
                let y: Vec<Value> = kinds.iter().map(|&k| self.b.value(k)).collect();
                y.iter().for_each(|&v| self.keep(v));
                self.b.push(Inst::If { condition: c, then, otherwise, y });
            }
            _ => {
                // It ends after a few turns, whatever else its condition says.
                let mut kinds = kinds;
                kinds.insert(0, Kind::I32);
                let mut start: Vec<Value> = kinds.iter().map(|&k| self.any(k)).collect();
                start[0] = self.b.constant(Kind::I32, 0);
                let carried: Vec<Value> = kinds.iter().map(|&k| self.b.value(k)).collect();
                let before: Vec<usize> = self.visible.iter().map(Vec::len).collect();
                carried[1..].iter().for_each(|&v| self.keep(v));
                self.b.begin();
                let limit = self.b.constant(Kind::I32, self.r.below(4) as u64);
                let mut test = self.b.compare(Compare::Lt, carried[0], limit);
                if self.r.below(2) == 0 {
                    let c = self.comparison();
                    test = self.b.binary(Binary::And, test, c);
                }
                self.visible.iter_mut().zip(&before).for_each(|(v, n)| v.truncate(*n));
                let condition = self.b.end(vec![test]);
                carried[1..].iter().for_each(|&v| self.keep(v));
                self.b.begin();
                let mut results = self.block(depth + 1, 10, &kinds);
                let one = self.b.constant(Kind::I32, 1);
                results[0] = self.b.binary(Binary::Add, carried[0], one);
                let body = self.b.end(results);
                self.visible.iter_mut().zip(before).for_each(|(v, n)| v.truncate(n));
                let y: Vec<Value> = kinds.iter().map(|&k| self.b.value(k)).collect();
                y.iter().for_each(|&v| self.keep(v));
                self.b.push(Inst::While { carried, start, condition, body, y });
            }
        }
    }
}

/// A random function of three pointers, and the kinds of what it writes one after the other to the third.
fn function(seed: u64, length: usize) -> (Function, Vec<Kind>) {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    r.next();
    let calls = r.below(3) == 0;
    let mut w =
        Writer { b: Builder::new(3), r, visible: vec![Vec::new(); KINDS.len()], left: length, calls, no_stores: false };
    while w.left > 0 {
        w.inst(0);
    }
    // Some of all, which so live long.
    let all: Vec<Value> = w.visible.iter().flatten().copied().collect();
    let mut kinds = Vec::new();
    for v in all.into_iter().filter(|v| v.0 % 3 == 0).take(200) {
        w.b.store(v, Address::at(w.b.param(2), 8 * kinds.len() as i64));
        kinds.push(w.b.kind(v));
    }
    (w.b.finish(format!("random {seed}")), kinds)
}

fn check(seed: u64, length: usize) {
    let (f, kinds) = function(seed, length);
    let mut r = Random(seed + 99);
    let input: Vec<u64> = (0..WORDS + 8).map(|_| r.next() << 30 ^ r.next()).collect();
    let memory = || (input.clone(), vec![0u64; 4 * (WORDS + 8)], vec![0u64; kinds.len() + 1]);
    let args = |m: &mut (Vec<u64>, Vec<u64>, Vec<u64>)| {
        [m.0.as_mut_ptr().cast::<u8>(), m.1.as_mut_ptr().cast(), m.2.as_mut_ptr().cast()]
    };
    let mut expected = memory();
    // SAFETY: the writer keeps addresses within these.
    unsafe { reference::run(&f, &args(&mut expected)) };
    for features in features() {
        let mut got = memory();
        let code = compile(&f, features).expect("it can be compiled");
        // SAFETY: as above.
        assert!(unsafe { code.run(&args(&mut got)) });
        let differ = got.1.iter().zip(&expected.1).position(|(g, e)| g != e);
        assert_eq!(differ, None, "seed {seed} length {length} {features:?}");
        for (i, &k) in kinds.iter().enumerate() {
            let (g, e) = (got.2[i], expected.2[i]);
            assert!(same(k, g, e), "seed {seed} length {length} {features:?}: value {i} of {k:?}: {g:#x}, not {e:#x}");
        }
    }
}

#[test]
fn short_functions() {
    for seed in 0..3000 {
        check(seed, 12);
    }
}

#[test]
fn middle_functions() {
    for seed in 0..1000 {
        check(seed, 100);
    }
}

#[test]
fn long_functions() {
    for seed in 0..40 {
        check(seed, 2000);
    }
}
