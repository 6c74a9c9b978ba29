//! Random functions that are well-formed, end, and stay within their memory: for tests that compare what runs them.
//!
//! Every value reaches memory in the end. Which NaN it is does not: a float is made one certain NaN before its bits are
//! seen. A function may end early, for kernels that it calls may say so.

mod insts;
mod structure;

use crate::half::{bf16_from_f32, f16_from_f32};
use crate::ir::{Builder, Callee, Function, Kind, Signature, Value};

/// A random function, and what it is run on.
#[derive(Debug)]
pub struct Sample {
    /// The function.
    pub function: Function,
    /// What each parameter points to at first.
    pub memory: Vec<Vec<u8>>,
}

/// The random function of a seed.
pub fn sample(seed: u64) -> Sample {
    let mut random = Random::new(seed);
    let mut memory = vec![random.numbers(INPUT), random.truths(TRUTHS), random.numbers(SCRATCH)];
    memory.extend((0..random.below(3)).map(|_| random.numbers(INPUT)));
    let favourites = [0; 4].map(|_| random.one(&Kind::ALL[..Kind::ALL.len() - 1]));
    let mut g = Generator {
        b: Builder::new(memory.len() + 1),
        random,
        favourites,
        values: Vec::new(),
        regions: Vec::new(),
        ranges: Vec::new(),
        used: Vec::new(),
        output: Value(memory.len() as u32),
        output_bytes: 0,
        depth: 0,
        times: 1,
        lanes: None,
    };
    for (i, bytes) in memory.iter().enumerate() {
        let rights = match i {
            TRUTHS_PARAM => Rights::Truths,
            SCRATCH_PARAM => Rights::Write,
            _ => Rights::Read,
        };
        g.regions.push(Region { pointer: Value(i as u32), bytes: bytes.len(), rights });
    }
    let most = 1 + g.random.below(30);
    let count = 2 + g.random.below(most);
    g.scope(|g| (0..count).for_each(|_| g.inst()));
    memory.push(vec![0; g.output_bytes]);
    Sample { function: g.b.finish(format!("random{seed}")), memory }
}

/// The functions that random functions call, and their names.
pub fn names() -> Vec<(&'static str, Callee)> {
    // SAFETY: they have these signatures, never unwind, and keep no pointer.
    let kernel = |f: *const ()| unsafe { Callee::new(f, Signature::Kernel) };
    vec![
        ("half", Callee::f32(half)),
        ("third", Callee::f64(third)),
        ("blend", Callee::pair_f32(blend)),
        ("ratio", Callee::pair_f64(ratio)),
        ("nothing", kernel(nothing as *const ())),
        ("mix", kernel(mix as *const ())),
        ("mix_all", kernel(mix_all as *const ())),
    ]
}

extern "C" fn half(x: f32) -> f32 {
    x * 0.5 + 1.0
}

extern "C" fn third(x: f64) -> f64 {
    x / 3.0 - 1.0
}

extern "C" fn blend(x: f32, y: f32) -> f32 {
    x * 0.75 + y * 0.25
}

extern "C" fn ratio(x: f64, y: f64) -> f64 {
    x / (y * y + 1.0)
}

extern "C" fn nothing() -> bool {
    true
}

/// Writes a number that depends on the other to where the pointer points to; says rarely that it is enough.
extern "C" fn mix(to: *mut u64, x: i64) -> bool {
    // SAFETY: random functions hand it a pointer to eight bytes.
    unsafe { to.write_unaligned(to.read_unaligned().wrapping_mul(3) ^ x as u64) };
    x & 0xff != 0x77
}

extern "C" fn mix_all(a: i64, from: *const u64, to: *mut u64, b: i64, c: i64, d: i64) -> bool {
    // SAFETY: random functions hand it pointers to eight bytes.
    let x = unsafe { from.read_unaligned() } as i64;
    mix(to, a.wrapping_add(b.wrapping_mul(3)).wrapping_add(c.wrapping_mul(5)).wrapping_add(d.wrapping_mul(7)) ^ x)
}

/// Bytes of numbers to read, of booleans to read, and of what can be read and written.
const INPUT: usize = 4096;
const TRUTHS: usize = 512;
const SCRATCH: usize = 512;

/// Which parameters are these; the last is the output, and those between are more numbers.
const TRUTHS_PARAM: usize = 1;
const SCRATCH_PARAM: usize = 2;

/// What can be done with memory.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rights {
    /// To read numbers.
    Read,
    /// To read booleans.
    Truths,
    /// To read and write numbers, but not in lanes.
    Write,
}

/// Bytes that a pointer points to.
#[derive(Clone, Copy, Debug)]
struct Region {
    pointer: Value,
    bytes: usize,
    rights: Rights,
}

struct Generator {
    b: Builder,
    random: Random,
    /// Kinds that come up more often than others, so that instructions find values.
    favourites: [Kind; 4],
    /// Values that are seen, but for pointers.
    values: Vec<Value>,
    /// Pointers that are seen.
    regions: Vec<Region>,
    /// Values of `i64` of which the least and the most is known.
    ranges: Vec<(Value, i64, i64)>,
    /// Whether a value is used by something.
    used: Vec<bool>,
    /// The pointer to the output, and how many bytes of it are taken.
    output: Value,
    output_bytes: usize,
    /// How deep the block is.
    depth: usize,
    /// How often the block is run, at most.
    times: u64,
    /// The number of the lane and how many there are, in lanes.
    lanes: Option<(Value, u64)>,
}

impl Generator {
    /// Marks a value as used.
    fn using(&mut self, v: Value) -> Value {
        if self.used.len() <= v.index() {
            self.used.resize(v.index() + 1, false);
        }
        self.used[v.index()] = true;
        v
    }

    fn is_used(&self, v: Value) -> bool {
        self.used.get(v.index()).copied().unwrap_or(false)
    }

    /// Some kind that is not a pointer.
    fn kind(&mut self) -> Kind {
        if self.random.below(4) > 0 {
            return self.random.one(&self.favourites);
        }
        Kind::ALL[self.random.below(Kind::ALL.len() - 1)]
    }

    /// Some kind that is computed with.
    fn number_kind(&mut self) -> Kind {
        match self.kind() {
            Kind::F16 | Kind::BF16 => Kind::F32,
            kind => kind,
        }
    }

    /// Some value of a kind that is not a pointer.
    fn any(&mut self, kind: Kind) -> Value {
        let found: Vec<Value> = self.values.iter().copied().filter(|v| self.b.kind(*v) == kind).collect();
        if found.is_empty() && self.random.below(4) > 0 {
            return self.load(kind);
        }
        if found.is_empty() || self.random.below(10) == 0 {
            let bits = self.random.number(kind);
            return self.b.constant(kind, bits);
        }
        let last = self.random.below(4).min(found.len() - 1);
        let at = if self.random.below(2) == 0 { found.len() - 1 - last } else { self.random.below(found.len()) };
        self.using(found[at])
    }

    /// A value comes to be seen.
    fn add(&mut self, v: Value) {
        if self.b.kind(v) != Kind::Ptr {
            self.values.push(v);
        }
    }

    /// What is generated inside is not seen outside; what of it is not used is stored.
    fn scope(&mut self, inside: impl FnOnce(&mut Self)) {
        self.scope_with(|g| {
            inside(g);
            Vec::new()
        });
    }

    /// As [`Generator::scope`], with results of the block.
    fn scope_with(&mut self, inside: impl FnOnce(&mut Self) -> Vec<Value>) -> Vec<Value> {
        let lengths = (self.values.len(), self.regions.len(), self.ranges.len());
        self.depth += 1;
        let results = inside(self);
        let own: Vec<Value> = self.values[lengths.0..].to_vec();
        for v in own {
            if !self.is_used(v) {
                self.sink(v);
            }
        }
        let own: Vec<Region> = self.regions[lengths.1..].to_vec();
        for region in own {
            if !self.is_used(region.pointer) && (self.lanes.is_none() || region.rights != Rights::Write) {
                self.sink_pointer(region);
            }
        }
        self.depth -= 1;
        self.values.truncate(lengths.0);
        self.regions.truncate(lengths.1);
        self.ranges.truncate(lengths.2);
        results
    }
}

/// Random numbers, always the same for a seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678_9abc_def1);
        random.0 |= u64::from(random.0 == 0);
        random.bits();
        random
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// The next number below another.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    /// One of several.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A number of a kind, by its bits, often one where something changes.
    pub fn number(&mut self, kind: Kind) -> u64 {
        let mask = if kind == Kind::Bool { 1 } else { u64::MAX >> (64 - 8 * kind.bytes()) };
        let width = 8 * kind.bytes() as u64;
        let small = self.below(40) as f64 / 4.0 - 5.0;
        let wide = f64::exp2(self.below(160) as f64 - 80.0) * small;
        let bits = match (kind, self.below(4)) {
            (Kind::F16, 0) => self.one(&[0x7e00, 0x7c01, 0x7c00, 0xfc00, 0x8000, 0x7bff, 0x0400, 0x03ff, 1]),
            (Kind::F16, 1) => f16_from_f32(wide as f32) as u64,
            (Kind::F16, 2) => f16_from_f32(small as f32) as u64,
            (Kind::BF16, 0) => self.one(&[0x7fc0, 0x7f81, 0x7f80, 0xff80, 0x8000, 0x7f7f, 0x0080, 0x007f, 1]),
            (Kind::BF16, 1) => bf16_from_f32(wide as f32) as u64,
            (Kind::BF16, 2) => bf16_from_f32(small as f32) as u64,
            (Kind::F32, 0) => {
                let edges = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MAX, f32::MIN_POSITIVE, 1e-42];
                self.one(&edges).to_bits() as u64
            }
            (Kind::F32, 1) => (wide as f32).to_bits() as u64,
            (Kind::F32, 2) => (small as f32).to_bits() as u64,
            (Kind::F64, 0) => {
                let edges = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, f64::MAX, f64::MIN_POSITIVE, 5e-320];
                self.one(&edges).to_bits()
            }
            (Kind::F64, 1) => wide.to_bits(),
            (Kind::F64, 2) => small.to_bits(),
            (_, 0) => self.one(&[0, 1, u64::MAX, 1 << (width - 1), (1 << (width - 1)) - 1, width, width - 1]),
            (_, 1) => self.below(20) as u64,
            (_, 2) => (self.below(20) as u64).wrapping_neg(),
            _ => self.bits(),
        };
        bits & mask
    }

    /// Memory full of numbers of all kinds.
    fn numbers(&mut self, bytes: usize) -> Vec<u8> {
        let mut all = Vec::with_capacity(bytes + 8);
        while all.len() < bytes {
            let kind = self.one(&Kind::ALL[1..Kind::ALL.len() - 1]);
            // Eight bytes of one kind, so that they lie where they are read most often.
            for _ in 0..8 / kind.bytes() {
                let bits = self.number(kind);
                all.extend(&bits.to_le_bytes()[..kind.bytes()]);
            }
        }
        all.truncate(bytes);
        all
    }

    /// Memory full of booleans.
    fn truths(&mut self, bytes: usize) -> Vec<u8> {
        (0..bytes).map(|_| self.below(2) as u8).collect()
    }
}
