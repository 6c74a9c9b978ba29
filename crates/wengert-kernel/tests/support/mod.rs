//! What tests of instructions share: edge values, the meaning of operations in plain Rust, and a check that runs an
//! instruction on scalars and in lanes.

#![allow(dead_code)]

mod halves;
pub mod truth;

pub use halves::{half_bits, half_value};

use wengert_kernel::{Address, Builder, Inst, Interpreter, Kind, Value, half, text, verify};

/// The bits of a kind that are set in a register.
pub fn mask(kind: Kind) -> u64 {
    if kind == Kind::Bool { 1 } else { u64::MAX >> (64 - 8 * kind.bytes()) }
}

/// The integer or boolean that bits say.
pub fn integer(kind: Kind, bits: u64) -> i128 {
    let unused = 64 - 8 * kind.bytes() as u32;
    if kind.is_signed() { ((bits << unused) as i64 >> unused) as i128 } else { bits as i128 }
}

/// The bits of an integer, cut to the kind.
pub fn bits(kind: Kind, x: i128) -> u64 {
    x as u64 & mask(kind)
}

/// Numbers where something changes: around zero, ends, widths, and what lies between.
pub fn edges(kind: Kind) -> Vec<u64> {
    match kind {
        Kind::Bool => vec![0, 1],
        Kind::F32 => {
            let mut x = vec![0.0, 0.5, 1.0, 1.5, 2.5, 3.25, 1e-40, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, 1e10];
            x.extend([127.5, 128.0, 255.9, 32768.5, 65535.6, 8388609.0, 16777217.0, 2147483648.0, 4294967296.0]);
            x.extend([9.223_372e18, 1.844_674_4e19, 0.1, 1e-45, 4194303.8, f32::EPSILON]);
            let signed = x.iter().flat_map(|x: &f32| [*x, -*x]).chain([f32::NAN]);
            signed.map(|x| x.to_bits() as u64).chain([0x7f80_0001, 0xffc0_0001]).collect()
        }
        Kind::F64 => {
            let mut x = vec![0.0, 0.5, 1.0, 1.5, 2.5, 3.25, 5e-324, 1e-310, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY];
            x.extend([127.5, 128.0, 255.9, 32768.5, 65535.6, 2147483647.5, 2147483648.0, 4294967295.7, 4294967296.0]);
            x.extend([9.223372036854775e18, 1.8446744073709552e19, 9007199254740993.0, 4503599627370497.5, 0.1, 1e-40]);
            x.extend([3.4028236e38, 1e-46, 1.0000000596046448, 1.0 + f64::EPSILON]);
            let signed = x.iter().flat_map(|x: &f64| [*x, -*x]).chain([f64::NAN]);
            signed.map(f64::to_bits).chain([0x7ff0_0000_0000_0001]).collect()
        }
        kind => {
            let width = 8 * kind.bytes() as u32;
            let mut x: Vec<i128> = vec![0, 1, 2, 3, 5, 7, 8, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127];
            x.extend([1 << (width - 1), (1 << (width - 1)) - 1, (1 << width) - 1, (1 << (width / 2)) + 3]);
            x.extend([16777217, 9007199254740993, 0x7fff_ffbf_ffff_ffff, 1 << 24, 1 << 31]);
            let mut x: Vec<u64> = x.into_iter().flat_map(|x| [bits(kind, x), bits(kind, -x), bits(kind, !x)]).collect();
            x.sort();
            x.dedup();
            x
        }
    }
}

/// Each with each, of as many kinds as there are.
pub fn tuples(kinds: &[Kind]) -> Vec<Vec<u64>> {
    let mut all = vec![Vec::new()];
    for kind in kinds {
        let edges = edges(*kind);
        all = all.iter().flat_map(|t| edges.iter().map(|x| [&t[..], &[*x]].concat())).collect();
    }
    all
}

/// Whether a result is as expected; which NaN it is does not matter.
pub fn same(kind: Kind, a: u64, b: u64) -> bool {
    let nan = |x: u64| match kind {
        Kind::F16 => half::f16_to_f32(x as u16).is_nan(),
        Kind::BF16 => half::bf16_to_f32(x as u16).is_nan(),
        Kind::F32 => f32::from_bits(x as u32).is_nan(),
        Kind::F64 => f64::from_bits(x).is_nan(),
        _ => false,
    };
    a == b || nan(a) && nan(b)
}

/// Runs an instruction of operands of these kinds on scalars, and in lanes with all that can vary or stay the same, and
/// compares with what is expected.
pub fn check(
    kinds: &[Kind],
    build: impl Fn(&mut Builder, &[Value]) -> Value,
    inputs: &[Vec<u64>],
    expected: impl Fn(&[u64]) -> u64,
) {
    let arity = kinds.len();
    let load = |b: &mut Builder, i: usize, index: Option<(Value, i64)>| {
        let at = Address { base: b.param(0), index, offset: 8 * i as i64 };
        b.load(kinds[i], at)
    };

    let mut b = Builder::new(2);
    let x: Vec<Value> = (0..arity).map(|i| load(&mut b, i, None)).collect();
    let y = build(&mut b, &x);
    let kind = b.kind(y);
    b.store(y, Address::at(b.param(1), 0));
    let f = b.finish("scalar");
    verify(&f).expect("well-formed");
    let scalar = Interpreter::new(&f).expect("well-formed");
    let mut results = Vec::new();
    for x in inputs {
        let (mut x, mut y) = (x.clone(), 0u64);
        // SAFETY: the function reads the operands, and writes the result.
        assert!(unsafe { scalar.run(&[x.as_mut_ptr().cast(), (&raw mut y).cast()]) });
        let e = expected(&x);
        assert!(same(kind, y, e), "{f} of {x:x?} gives {y:#x}, not {e:#x}");
        results.push(y);
    }

    // Bit i of the choice says whether operand i is the same in every lane.
    for choice in 0..1 << arity {
        let uniform = |i: usize| choice >> i & 1 == 1;
        let count = if choice == 0 { inputs.len() } else { inputs.len().min(300) };
        let mut b = Builder::new(2);
        let same_x: Vec<Option<Value>> = (0..arity).map(|i| uniform(i).then(|| load(&mut b, i, None))).collect();
        let index = b.value(Kind::I64);
        b.begin();
        let step = 8 * arity as i64;
        let x: Vec<Value> =
            (0..arity).map(|i| same_x[i].unwrap_or_else(|| load(&mut b, i, Some((index, step))))).collect();
        let y = build(&mut b, &x);
        let at = Address { base: b.param(1), index: Some((index, kind.bytes() as i64)), offset: 0 };
        b.store(y, at);
        let body = b.end(Vec::new());
        b.push(Inst::Lanes { index, count: count as u64, body });
        let f = b.finish("lanes");
        let lanes = Interpreter::new(&f).unwrap_or_else(|e| panic!("{e}\n{}", text::print(&f, &[])));
        let first = if choice == 0 { 0 } else { inputs.len() / 3 };
        let inputs: Vec<&Vec<u64>> = inputs.iter().cycle().skip(first).take(count).collect();
        let mut x: Vec<u64> = inputs.iter().flat_map(|x| x.iter().copied()).collect();
        let mut y = vec![0u8; count * kind.bytes() + 8];
        // SAFETY: the function reads as many operands, and writes as many results.
        assert!(unsafe { lanes.run(&[x.as_mut_ptr().cast(), y.as_mut_ptr().cast()]) });
        for i in 0..count {
            let x: Vec<u64> = (0..arity).map(|k| if uniform(k) { inputs[0][k] } else { inputs[i][k] }).collect();
            let y = u64::from_le_bytes(y[i * kind.bytes()..][..8].try_into().expect("eight")) & mask(kind);
            let e = expected(&x);
            assert!(same(kind, y, e), "{f} of {x:x?} in lane {i} gives {y:#x}, not {e:#x}");
        }
    }
}
