//! What the kernel language means, written down as plainly as can be: what compiled code is judged by.

#![allow(dead_code)]

#[path = "../../../wengert-kernel/tests/support/halves.rs"]
mod halves;

use halves::{half_bits, half_value};
use wengert_kernel::{Address, Binary, Block, Callee, Compare, Function, Inst, Kind, Signature, Unary, Value};
use wengert_x86::Features;

pub const KINDS: [Kind; 11] = [
    Kind::Bool,
    Kind::I8,
    Kind::I16,
    Kind::I32,
    Kind::I64,
    Kind::U8,
    Kind::U16,
    Kind::U32,
    Kind::U64,
    Kind::F32,
    Kind::F64,
];

/// Kinds that are converted from and to `f32`, and else only moved.
pub const HALVES: [Kind; 2] = [Kind::F16, Kind::BF16];

/// All sets of features this machine has.
pub fn features() -> impl Iterator<Item = Features> {
    let here = Features::detect();
    [Features::Sse2, Features::Sse41, Features::Avx2, Features::Avx512].into_iter().filter(move |&f| Some(f) <= here)
}

fn bits(kind: Kind) -> u32 {
    if kind == Kind::Bool { 1 } else { 8 * kind.bytes() as u32 }
}

fn mask(kind: Kind) -> u64 {
    u64::MAX >> (64 - bits(kind))
}

/// The number that bits are.
fn integer(kind: Kind, x: u64) -> i128 {
    let x = x & mask(kind);
    if kind.is_signed() && x >> (bits(kind) - 1) & 1 == 1 { x as i128 - (1 << bits(kind)) } else { x as i128 }
}

pub fn float(kind: Kind, x: u64) -> f64 {
    if kind == Kind::F32 { f32::from_bits(x as u32) as f64 } else { f64::from_bits(x) }
}

pub fn unary(op: Unary, kind: Kind, x: u64) -> u64 {
    macro_rules! float {
        ($t:ty, $bits:ty) => {{
            let v = <$t>::from_bits(x as $bits);
            let y = match op {
                Unary::Neg => -v,
                Unary::Abs => v.abs(),
                Unary::Sqrt => v.sqrt(),
                Unary::Floor => v.floor(),
                Unary::Ceil => v.ceil(),
                Unary::Trunc => v.trunc(),
                Unary::RoundEven => v.round_ties_even(),
                Unary::Not => panic!("{op:?} of {kind:?}"),
            };
            y.to_bits() as u64
        }};
    }
    match kind {
        Kind::F32 => float!(f32, u32),
        Kind::F64 => float!(f64, u64),
        _ => {
            let v = integer(kind, x);
            (match op {
                Unary::Neg => -v,
                Unary::Abs => v.abs(),
                Unary::Not => !v,
                _ => panic!("{op:?} of {kind:?}"),
            }) as u64
                & mask(kind)
        }
    }
}

pub fn binary(op: Binary, kind: Kind, a: u64, b: u64) -> u64 {
    macro_rules! float {
        ($t:ty, $bits:ty) => {{
            let (a, b) = (<$t>::from_bits(a as $bits), <$t>::from_bits(b as $bits));
            let y = match op {
                Binary::Add => a + b,
                Binary::Sub => a - b,
                Binary::Mul => a * b,
                Binary::Div => a / b,
                Binary::Max | Binary::Min if a.is_nan() || b.is_nan() => <$t>::NAN,
                Binary::Max if a == b => {
                    if a.is_sign_negative() {
                        b
                    } else {
                        a
                    }
                }
                Binary::Min if a == b => {
                    if a.is_sign_negative() {
                        a
                    } else {
                        b
                    }
                }
                Binary::Max => {
                    if a > b {
                        a
                    } else {
                        b
                    }
                }
                Binary::Min => {
                    if a < b {
                        a
                    } else {
                        b
                    }
                }
                Binary::CopySign => a.copysign(b),
                Binary::MinOrSecond => {
                    if a < b {
                        a
                    } else {
                        b
                    }
                }
                Binary::MaxOrSecond => {
                    if a > b {
                        a
                    } else {
                        b
                    }
                }
                Binary::Scale => {
                    // In `f64`, of which the last factor alone rounds.
                    let n = b as i32;
                    (a as f64 * 2f64.powi(n / 2) * 2f64.powi(n - n / 2)) as $t
                }
                _ => panic!("{op:?} of {kind:?}"),
            };
            y.to_bits() as u64
        }};
    }
    let (x, y, n) = (integer(kind, a), integer(kind, b), bits(kind));
    let by = b & mask(kind);
    let wide = match (op, kind) {
        (_, Kind::F32) => return float!(f32, u32),
        (_, Kind::F64) => return float!(f64, u64),
        (Binary::Add, _) => x + y,
        (Binary::Sub, _) => x - y,
        (Binary::Mul, _) => x.wrapping_mul(y),
        (Binary::Div, _) => {
            if y == 0 {
                -1
            } else {
                x / y
            }
        }
        (Binary::Rem, _) => {
            if y == 0 {
                x
            } else {
                x % y
            }
        }
        (Binary::Max, _) => x.max(y),
        (Binary::Min, _) => x.min(y),
        (Binary::And, _) => x & y,
        (Binary::Or, _) => x | y,
        (Binary::Xor, _) => x ^ y,
        (Binary::Shl, _) => {
            if by >= n as u64 {
                0
            } else {
                (a as i128) << by
            }
        }
        (Binary::ShrLogical, _) => {
            if by >= n as u64 {
                0
            } else {
                ((a & mask(kind)) >> by) as i128
            }
        }
        (Binary::ShrArithmetic, _) => {
            let top = a >> (n - 1) & 1 == 1;
            let signed = if top { (a & mask(kind)) as i128 - (1 << n) } else { (a & mask(kind)) as i128 };
            signed >> by.min(n as u64 - 1)
        }
        _ => panic!("{op:?} of {kind:?}"),
    };
    wide as u64 & mask(kind)
}

pub fn mul_add(kind: Kind, a: u64, b: u64, c: u64) -> u64 {
    match kind {
        Kind::F32 => {
            f32::from_bits(a as u32).mul_add(f32::from_bits(b as u32), f32::from_bits(c as u32)).to_bits() as u64
        }
        _ => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
    }
}

pub fn compare(op: Compare, kind: Kind, a: u64, b: u64) -> bool {
    let order = if kind.is_float() {
        float(kind, a).partial_cmp(&float(kind, b))
    } else {
        integer(kind, a).partial_cmp(&integer(kind, b))
    };
    match op {
        Compare::Eq => order.is_some_and(|o| o.is_eq()),
        Compare::Ne => order.is_none_or(|o| o.is_ne()),
        Compare::Lt => order.is_some_and(|o| o.is_lt()),
        Compare::Le => order.is_some_and(|o| o.is_le()),
        Compare::Gt => order.is_some_and(|o| o.is_gt()),
        Compare::Ge => order.is_some_and(|o| o.is_ge()),
    }
}

pub fn convert(from: Kind, to: Kind, x: u64) -> u64 {
    if to == Kind::Bool {
        return if from.is_float() { (float(from, x) != 0.0) as u64 } else { (x & mask(from) != 0) as u64 };
    }
    match (from, to) {
        (Kind::F16 | Kind::BF16, Kind::F32) => return (half_value(from, x) as f32).to_bits() as u64,
        (Kind::F32, Kind::F16 | Kind::BF16) => return half_bits(to, float(from, x)),
        _ => {}
    }
    if from.is_float() {
        let v = float(from, x);
        return match to {
            Kind::F32 if from == Kind::F32 => x,
            Kind::F32 => (v as f32).to_bits() as u64,
            Kind::F64 => v.to_bits(),
            Kind::I8 => v as i8 as u64 & 0xff,
            Kind::I16 => v as i16 as u64 & 0xffff,
            Kind::I32 => v as i32 as u32 as u64,
            Kind::I64 => v as i64 as u64,
            Kind::U8 => v as u8 as u64,
            Kind::U16 => v as u16 as u64,
            Kind::U32 => v as u32 as u64,
            _ => v as u64,
        };
    }
    let v = integer(from, x);
    match to {
        Kind::F32 => (v as f32).to_bits() as u64,
        Kind::F64 => (v as f64).to_bits(),
        _ => v as u64 & mask(to),
    }
}

/// Runs functions.
pub struct Machine<'f> {
    f: &'f Function,
    values: Vec<u64>,
}

/// Runs a function.
///
/// # Safety
/// As for compiled code.
pub unsafe fn run(f: &Function, args: &[*mut u8]) -> bool {
    let mut m = Machine { f, values: vec![0; f.kinds.len()] };
    for (p, a) in f.params.iter().zip(args) {
        m.values[p.index()] = *a as u64;
    }
    // SAFETY: the caller's word.
    unsafe { m.block(&f.body) }
}

impl Machine<'_> {
    fn get(&self, v: Value) -> u64 {
        self.values[v.index()]
    }

    fn set(&mut self, v: Value, x: u64) {
        self.values[v.index()] = x;
    }

    fn copy(&mut self, to: &[Value], from: &[Value]) {
        let all: Vec<u64> = from.iter().map(|&v| self.get(v)).collect();
        to.iter().zip(all).for_each(|(&v, x)| self.set(v, x));
    }

    fn place(&self, at: &Address) -> *mut u8 {
        let index = at.index.map_or(0, |(i, s)| (self.get(i) as i64).wrapping_mul(s));
        (self.get(at.base) as i64).wrapping_add(index).wrapping_add(at.offset) as *mut u8
    }

    unsafe fn block(&mut self, b: &Block) -> bool {
        // SAFETY: the caller's word.
        b.insts.iter().all(|i| unsafe { self.inst(i) })
    }

    unsafe fn inst(&mut self, inst: &Inst) -> bool {
        let kind = |v: &Value| self.f.kind(*v);
        match inst {
            Inst::Const { y, bits } => self.set(*y, *bits),
            Inst::Unary { y, op, x } => self.set(*y, unary(*op, kind(x), self.get(*x))),
            Inst::Binary { y, op, x } => self.set(*y, binary(*op, kind(y), self.get(x[0]), self.get(x[1]))),
            Inst::MulAdd { y, x, negate: [product, last] } => {
                let sign = |v: Value, other: bool| {
                    if other { unary(Unary::Neg, kind(y), self.get(v)) } else { self.get(v) }
                };
                let (a, b, c) = (sign(x[0], *product), self.get(x[1]), sign(x[2], *last));
                self.set(*y, mul_add(kind(y), a, b, c));
            }
            Inst::Compare { y, op, x } => {
                self.set(*y, compare(*op, kind(&x[0]), self.get(x[0]), self.get(x[1])) as u64);
            }
            Inst::Select { y, condition, x } => {
                self.set(*y, if self.get(*condition) != 0 { self.get(x[0]) } else { self.get(x[1]) });
            }
            Inst::Convert { y, x } => self.set(*y, convert(kind(x), kind(y), self.get(*x))),
            Inst::Bitcast { y, x } => self.set(*y, self.get(*x)),
            Inst::Load { y, at } => {
                let mut b = [0; 8];
                let n = kind(y).bytes();
                // SAFETY: the caller's word.
                unsafe { std::ptr::copy_nonoverlapping(self.place(at), b.as_mut_ptr(), n) };
                self.set(*y, u64::from_le_bytes(b));
            }
            Inst::Store { x, at } => {
                let b = self.get(*x).to_le_bytes();
                // SAFETY: the caller's word.
                unsafe { std::ptr::copy_nonoverlapping(b.as_ptr(), self.place(at), kind(x).bytes()) };
            }
            Inst::Prefetch { .. } => {}
            Inst::Pointer { y, at } => self.set(*y, self.place(at) as u64),
            Inst::Copy { x, bytes } => {
                let (from, to) = (self.get(x[0]) as *const u8, self.get(x[1]) as *mut u8);
                // SAFETY: the caller's word.
                unsafe { std::ptr::copy_nonoverlapping(from, to, *bytes) };
            }
            Inst::Call { callee, x } => {
                let args: Vec<u64> = x.iter().map(|&v| self.get(v)).collect();
                // SAFETY: the caller's word.
                return unsafe { call(callee, &args) }.1;
            }
            Inst::CallWhere { y, callee, condition, x, otherwise } => {
                let called = self.get(*condition) != 0;
                let x: Vec<u64> = x.iter().map(|&x| self.get(x)).collect();
                // SAFETY: the caller's word.
                let r = if called { unsafe { call(callee, &x) }.0 } else { self.get(*otherwise) };
                self.set(*y, r);
            }
            Inst::For { index, from, step, count, carried, start, body, y } => {
                self.copy(carried, start);
                for i in 0..*count {
                    self.set(*index, from.wrapping_add((i as i64).wrapping_mul(*step)) as u64);
                    // SAFETY: the caller's word.
                    if !unsafe { self.block(body) } {
                        return false;
                    }
                    self.copy(carried, &body.results);
                }
                self.copy(y, carried);
            }
            Inst::While { carried, start, condition, body, y } => {
                self.copy(carried, start);
                loop {
                    // SAFETY: the caller's word.
                    if !unsafe { self.block(condition) } {
                        return false;
                    }
                    if self.get(condition.results[0]) == 0 {
                        break;
                    }
                    // SAFETY: the caller's word.
                    if !unsafe { self.block(body) } {
                        return false;
                    }
                    self.copy(carried, &body.results);
                }
                self.copy(y, carried);
            }
            Inst::If { condition, then, otherwise, y } => {
                let b = if self.get(*condition) != 0 { then } else { otherwise };
                // SAFETY: the caller's word.
                if !unsafe { self.block(b) } {
                    return false;
                }
                self.copy(y, &b.results);
            }
            Inst::Lanes { index, count, body } => {
                for i in 0..*count {
                    self.set(*index, i);
                    // SAFETY: the caller's word.
                    unsafe { self.block(body) };
                }
            }
        }
        true
    }
}

unsafe fn call(callee: &Callee, x: &[u64]) -> (u64, bool) {
    use std::mem::transmute;
    let at = callee.address();
    let single = |i: usize| f32::from_bits(x[i] as u32);
    let double = |i: usize| f64::from_bits(x[i]);
    // SAFETY: callees have the signature they say.
    unsafe {
        match callee.signature() {
            Signature::F32 => {
                let f: extern "C" fn(f32) -> f32 = transmute(at);
                (f(single(0)).to_bits() as u64, true)
            }
            Signature::F64 => {
                let f: extern "C" fn(f64) -> f64 = transmute(at);
                (f(double(0)).to_bits(), true)
            }
            Signature::PairF32 => {
                let f: extern "C" fn(f32, f32) -> f32 = transmute(at);
                (f(single(0), single(1)).to_bits() as u64, true)
            }
            Signature::PairF64 => {
                let f: extern "C" fn(f64, f64) -> f64 = transmute(at);
                (f(double(0), double(1)).to_bits(), true)
            }
            Signature::Kernel => {
                let f: extern "C" fn(u64, u64, u64, u64, u64, u64) -> bool = transmute(at);
                let get = |i: usize| x.get(i).copied().unwrap_or(0);
                (0, f(get(0), get(1), get(2), get(3), get(4), get(5)))
            }
        }
    }
}

/// Whether two results are the same, whichever NaN they are.
pub fn same(kind: Kind, a: u64, b: u64) -> bool {
    let nan = |x: u64| match kind {
        Kind::F16 => x & 0x7fff > 0x7c00,
        Kind::BF16 => x & 0x7fff > 0x7f80,
        _ => kind.is_float() && float(kind, x).is_nan(),
    };
    a == b || nan(a) && nan(b)
}

/// Numbers that things go wrong with.
pub fn edges(kind: Kind) -> Vec<u64> {
    let floats: Vec<f64> = vec![
        0.0,
        1.0,
        0.5,
        1.5,
        2.5,
        3.0,
        0.1,
        0.99999,
        7.3,
        127.0,
        127.5,
        128.0,
        255.9,
        256.0,
        32767.9,
        65535.5,
        65536.0,
        8388607.5,
        8388608.0,
        16777217.0,
        2147483647.0,
        2147483648.0,
        4294967295.0,
        4294967296.0,
        9.3e9,
        9.0071993e15,
        9.223372036854775e18,
        9223372036854775808.0,
        1.0e19,
        18446744073709551616.0,
        1.7e19,
        1e30,
        1e300,
        f64::INFINITY,
        f64::NAN,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        1e-310,
        f32::MAX as f64,
        f32::MIN_POSITIVE as f64,
        1e-40,
        1.4e-45,
        1e-20,
    ];
    match kind {
        Kind::Bool => vec![0, 1],
        Kind::F32 => floats.iter().flat_map(|&x| [x as f32, -x as f32]).map(|x| x.to_bits() as u64).collect(),
        Kind::F64 => floats.iter().flat_map(|&x| [x, -x]).map(f64::to_bits).collect(),
        _ => {
            let n = bits(kind);
            let mut all: Vec<u64> =
                vec![0, 1, 2, 3, 5, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 255];
            all.extend([1 << (n - 1), (1 << (n - 1)) + 1, (1u64 << (n - 1)) - 1, (1u64 << (n - 1)) - 2]);
            all.extend([0x5555_5555_5555_5555, 0x0123_4567_89ab_cdef, 1 << (n / 2), (1 << (n / 2)) - 1]);
            all.extend([
                0x7fff_ff80,
                0xffff_ff00_0000_0001,
                (1 << 53) + 1,
                0x8000_0000_0000_0401,
                0xffff_ff7f_ffff_ffff,
            ]);
            let negative: Vec<u64> = all.iter().map(|x| x.wrapping_neg()).collect();
            all.extend(negative);
            let mut all: Vec<u64> = all.into_iter().map(|x| x & mask(kind)).collect();
            all.sort_unstable();
            all.dedup();
            all
        }
    }
}

/// Memory that holds numbers of one kind.
pub fn pack(kind: Kind, all: &[u64]) -> Vec<u8> {
    all.iter().flat_map(|x| x.to_le_bytes()[..kind.bytes()].to_vec()).collect()
}

/// The numbers in memory.
pub fn unpack(kind: Kind, all: &[u8]) -> Vec<u64> {
    let one = |c: &[u8]| {
        let mut b = [0; 8];
        b[..c.len()].copy_from_slice(c);
        u64::from_le_bytes(b)
    };
    all.chunks(kind.bytes()).map(one).collect()
}

/// Random numbers.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}
