//! What is encoded here is decoded by another's decoder: instruction, registers, addresses and numbers are the same.

use super::gpr::{Alu, Cond, Extend, Group, Shift, Width};
use super::ops;
use super::simd::{Form, Length, Mask, NO_EVEX, NO_VEX, Op, Tuple};
use super::{Assembler, Gpr, Mem, Operand, Rm, Simd};
use iced_x86::{Decoder, DecoderOptions, Instruction, OpKind, Register};

/// The one instruction that was encoded.
fn decode(what: &str, write: impl FnOnce(&mut Assembler)) -> Instruction {
    let mut a = Assembler::default();
    write(&mut a);
    let mut d = Decoder::new(64, &a.code, DecoderOptions::NONE);
    let i = d.decode();
    assert!(!i.is_invalid() && i.len() == a.code.len(), "{what}: {:02x?} is {i:?}", a.code);
    i
}

fn name(i: &Instruction) -> String {
    format!("{:?}", i.mnemonic()).to_lowercase()
}

/// Operands that are registers by number, memory as none.
fn registers(i: &Instruction) -> Vec<Option<u8>> {
    (0..i.op_count())
        .filter(|&o| matches!(i.op_kind(o), OpKind::Register | OpKind::Memory))
        .map(|o| (i.op_kind(o) == OpKind::Register).then(|| i.op_register(o).full_register().number() as u8))
        .collect()
}

fn check_memory(what: &str, i: &Instruction, m: Mem) {
    let number = |r: Register| (r != Register::None).then(|| r.number() as u8);
    let scale = i.memory_index_scale().trailing_zeros() as u8;
    let disp = i.memory_displacement64() as i64;
    match m {
        Mem::At { base, index, disp: d } => {
            assert_eq!(number(i.memory_base()), Some(base.0), "{what}");
            assert_eq!(number(i.memory_index()), index.map(|x| x.0.0), "{what}");
            assert_eq!((disp, scale), (d as i64, index.map_or(0, |x| x.1)), "{what}");
        }
        Mem::Lanes { base, index, shift, disp: d } => {
            assert_eq!(number(i.memory_base()), Some(base.0), "{what}");
            assert_eq!(number(i.memory_index()), Some(index.0), "{what}");
            assert_eq!((disp, scale), (d as i64, shift), "{what}");
        }
        Mem::Pool(_) => assert_eq!(i.memory_base(), Register::RIP, "{what}"),
    }
}

/// Places in memory of all forms.
fn memories() -> Vec<Mem> {
    let mut all = vec![Mem::Pool(0)];
    let far = [0, 1, 4, 8, 64, 127, 128, -128, -129, 512, 8128, 8192, -8192, -8256, 100_000];
    for base in 0..16 {
        all.extend(far.map(|d| Mem::at(Gpr(base), d)));
        for index in (0..16).filter(|&i| i != 4) {
            let disp = far[(base as usize * 7 + index as usize) % far.len()];
            all.push(Mem::At { base: Gpr(base), index: Some((Gpr(index), (base + index) & 3)), disp });
            all.push(Mem::At { base: Gpr(base), index: Some((Gpr(index), index & 3)), disp: 0 });
        }
    }
    all
}

const WIDTHS: [Width; 2] = [Width::W32, Width::W64];

/// Two operands: the first a register, the second a register or memory.
fn check_rm(expected: &str, write: impl Fn(&mut Assembler, Gpr, Rm<Gpr>)) {
    for x in 0..16 {
        for y in 0..16 {
            let i = decode(expected, |a| write(a, Gpr(x), Rm::Reg(Gpr(y))));
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(x), Some(y)]));
        }
    }
    for (n, m) in memories().into_iter().enumerate() {
        let i = decode(expected, |a| write(a, Gpr(n as u8 & 15), Rm::Mem(m)));
        assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(n as u8 & 15), None]));
        check_memory(expected, &i, m);
    }
}

#[test]
fn two_operands() {
    for w in WIDTHS {
        for (op, name) in [
            (Alu::Add, "add"),
            (Alu::Or, "or"),
            (Alu::And, "and"),
            (Alu::Sub, "sub"),
            (Alu::Xor, "xor"),
            (Alu::Cmp, "cmp"),
        ] {
            check_rm(name, |a, d, s| a.alu(op, w, d, s));
            for m in memories() {
                let i = decode(name, |a| a.alu_to(op, w, m, Gpr(9)));
                assert_eq!(registers(&i), [None, Some(9)]);
                check_memory(name, &i, m);
                for imm in [0, 1, -1, 127, 128, -128, -129, i32::MAX, i32::MIN] {
                    let i = decode(name, |a| a.alu_imm(op, w, m, imm));
                    let mask = if w == Width::W64 { u64::MAX } else { u32::MAX as u64 };
                    assert_eq!(i.immediate(1) & mask, imm as i64 as u64 & mask, "{name}");
                    check_memory(name, &i, m);
                }
            }
        }
        check_rm("mov", |a, d, s| a.mov(w, d, s));
        check_rm("imul", |a, d, s| a.imul(w, d, s));
        for imm in [3, -100, 1000, i32::MIN] {
            check_rm("imul", |a, d, s| a.imul_imm(w, d, s, imm));
        }
        check_rm("movzx", |a, d, s| a.extend(Extend::Z8, w, d, s));
        check_rm("movzx", |a, d, s| a.extend(Extend::Z16, w, d, s));
        check_rm("movsx", |a, d, s| a.extend(Extend::S8, w, d, s));
        check_rm("movsx", |a, d, s| a.extend(Extend::S16, w, d, s));
        check_rm("movsxd", |a, d, s| a.extend(Extend::S32, w, d, s));
        for (c, name) in [
            (Cond::B, "cmovb"),
            (Cond::Ae, "cmovae"),
            (Cond::E, "cmove"),
            (Cond::Ne, "cmovne"),
            (Cond::Be, "cmovbe"),
            (Cond::A, "cmova"),
            (Cond::S, "cmovs"),
            (Cond::Ns, "cmovns"),
            (Cond::P, "cmovp"),
            (Cond::Np, "cmovnp"),
            (Cond::L, "cmovl"),
            (Cond::Ge, "cmovge"),
            (Cond::Le, "cmovle"),
            (Cond::G, "cmovg"),
        ] {
            check_rm(name, |a, d, s| a.cmov(c, w, d, s));
            assert_eq!(c.not().not(), c);
            let i = decode(name, |a| a.cmov(c.not(), w, Gpr(0), Gpr(1)));
            assert_eq!(i.condition_code(), decode(name, |a| a.cmov(c, w, Gpr(0), Gpr(1))).condition_code_negated());
        }
        for m in memories() {
            for (name_of, write) in [("prefetcht0", false), ("prefetchw", true)] {
                let i = decode(name_of, |a| a.prefetch(m, write));
                assert_eq!(name(&i), name_of);
                check_memory(name_of, &i, m);
            }
            let i = decode("lea", |a| a.lea(w, Gpr(11), m));
            assert_eq!(name(&i), "lea");
            check_memory("lea", &i, m);
        }
    }
}

/// The condition that is left when this one is not.
trait Negated {
    fn condition_code_negated(&self) -> iced_x86::ConditionCode;
}

impl Negated for Instruction {
    fn condition_code_negated(&self) -> iced_x86::ConditionCode {
        let mut other = *self;
        other.negate_condition_code();
        other.condition_code()
    }
}

#[test]
fn one_operand() {
    for r in 0..16 {
        let g = Gpr(r);
        for w in WIDTHS {
            for (op, expected) in [(Group::Not, "not"), (Group::Neg, "neg"), (Group::Div, "div"), (Group::Idiv, "idiv")]
            {
                let i = decode(expected, |a| a.group(op, w, g));
                assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(r)]));
            }
            for (op, expected) in [(Shift::Shl, "shl"), (Shift::Shr, "shr"), (Shift::Sar, "sar")] {
                let i = decode(expected, |a| a.shift(op, w, g));
                assert_eq!((name(&i).as_str(), i.op_register(0).number()), (expected, r as usize));
                let i = decode(expected, |a| a.shift_imm(op, w, g, 13));
                assert_eq!((name(&i).as_str(), i.op_register(0).number()), (expected, r as usize));
                assert_eq!(i.immediate8(), 13);
            }
            let i = decode("test", |a| a.test(w, g, Gpr(3)));
            assert_eq!((name(&i).as_str(), registers(&i)), ("test", vec![Some(r), Some(3)]));
        }
        let i = decode("set", |a| a.set(Cond::P, g));
        assert_eq!((name(&i).as_str(), registers(&i)), ("setp", vec![Some(r)]));
        assert!(!matches!(i.op0_register(), Register::AH | Register::CH | Register::DH | Register::BH));
        for (expected, i) in [
            ("push", decode("push", |a| a.push(g))),
            ("pop", decode("pop", |a| a.pop(g))),
            ("call", decode("call", |a| a.call(g))),
        ] {
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(r)]));
        }
        for imm in [0, 1, u32::MAX as u64, 1 << 32, u64::MAX, i32::MIN as i64 as u64, 0x0123_4567_89ab_cdef] {
            let i = decode("mov", |a| a.mov_imm(g, imm));
            assert_eq!((name(&i).as_str(), registers(&i), i.immediate(1)), ("mov", vec![Some(r)], imm));
        }
        for m in memories() {
            for bytes in [1, 2, 4, 8] {
                let i = decode("mov", |a| a.store(bytes, m, g));
                assert_eq!((name(&i).as_str(), registers(&i)), ("mov", vec![None, Some(r)]));
                assert_eq!(i.memory_size().size(), bytes);
                assert!(!matches!(i.op1_register(), Register::AH | Register::CH | Register::DH | Register::BH));
                check_memory("mov", &i, m);
                let i = decode("mov", |a| a.store_imm(bytes, m, -3));
                assert_eq!(i.memory_size().size(), bytes);
                check_memory("mov", &i, m);
            }
        }
    }
    assert_eq!(name(&decode("cdq", |a| a.sign_to_rdx(Width::W32))), "cdq");
    assert_eq!(name(&decode("cqo", |a| a.sign_to_rdx(Width::W64))), "cqo");
    assert_eq!(name(&decode("ret", |a| a.ret())), "ret");
    assert_eq!(name(&decode("rdtsc", |a| a.rdtsc())), "rdtsc");
    assert_eq!(name(&decode("vzeroupper", |a| a.zero_upper())), "vzeroupper");
    assert_eq!(registers(&decode("test", |a| a.test_al())), [Some(0), Some(0)]);
}

#[test]
fn jumps() {
    for distance in [0, 10, 120, 124, 126, 127, 128, 300] {
        let mut a = Assembler::default();
        let (back, forth) = (a.label(), a.label());
        a.bind(back);
        a.align(16);
        (0..distance).for_each(|_| a.ret());
        a.jump_if(Cond::L, back);
        a.jump(back);
        a.jump(forth);
        a.jump_if(Cond::Ne, forth);
        let skip = a.skip_if(Cond::E);
        a.ret();
        a.land(skip);
        a.bind(forth);
        let end = a.here() as u64;
        let (code, _) = a.finish();
        let targets: Vec<u64> = Decoder::new(64, &code, DecoderOptions::NONE)
            .into_iter()
            .filter(|i| i.near_branch_target() != 0 || i.is_jcc_short_or_near() || i.is_jmp_short_or_near())
            .map(|i| i.near_branch_target())
            .collect();
        assert_eq!(targets, [0, 0, end, end, end]);
    }
    for missing in 1..16 {
        let mut a = Assembler::default();
        (0..16 - missing).for_each(|_| a.ret());
        a.align(16);
        assert_eq!(a.here(), 16);
        let names: Vec<String> =
            Decoder::new(64, &a.code, DecoderOptions::NONE).into_iter().map(|i| name(&i)).collect();
        assert!(names[16 - missing..].iter().all(|n| n == "nop"));
    }
}

/// How an instruction's operands stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// Result, and two operands.
    Three,
    /// Result and operand; with VEX scalars have the result's upper part between.
    Two,
    /// The operand goes to the second.
    To,
    /// A mask is the result, of two operands.
    ToMask,
    /// Something that has a test of its own.
    Other,
}

fn shape(op: &Op) -> Shape {
    let all_of = |list: &[&Op]| list.contains(&op);
    if all_of(&[&ops::PCMPD, &ops::PCMPQ, &ops::PCMPUD, &ops::PCMPUQ, &ops::PTESTMD, &ops::PTESTMQ]) {
        return Shape::ToMask;
    }
    if all_of(&[&ops::MOVD, &ops::MOVD_TO, &ops::PMOVM2D, &ops::PMOVM2Q, &ops::PBROADCASTD_GPR, &ops::PSHIFTD])
        || ["k", "blendv", "maskmov", "movmsk", "gather", "scatter", "cvtsi", "cvttss", "cvttsd"]
            .iter()
            .any(|n| op.name.starts_with(n))
    {
        return Shape::Other;
    }
    if all_of(&[
        &ops::MOVSS_TO,
        &ops::MOVSD_TO,
        &ops::MOVUPS_TO,
        &ops::MOVUPD_TO,
        &ops::PMOVDB_TO,
        &ops::PMOVDW_TO,
        &ops::PMOVQD_TO,
        &ops::EXTRACTF128_TO,
        &ops::CVTPS2PH_TO,
    ]) {
        return Shape::To;
    }
    if *op == ops::PERMPD_BY {
        return Shape::Two;
    }
    let scalar_three = [&ops::SQRTSS, &ops::SQRTSD, &ops::CVTSS2SD, &ops::CVTSD2SS, &ops::ROUNDSS, &ops::ROUNDSD];
    let two = ["mov", "sqrt", "cvt", "ucomis", "round", "broadcast", "pbroadcast", "pabs", "pmov"];
    if two.iter().any(|n| op.name.starts_with(n)) && !all_of(&scalar_three) { Shape::Two } else { Shape::Three }
}

fn immediate(op: &Op) -> Option<u8> {
    let takes = op.map == 3 || op.name.starts_with("cmp") || op.name.starts_with("shuf");
    takes.then_some(1)
}

fn scalar_move(op: &Op) -> bool {
    matches!(op.name, "movss" | "movsd")
}

/// What EVEX calls it.
fn evex_name(op: &Op) -> String {
    match op.name.strip_prefix("round") {
        Some(rest) => format!("vrndscale{rest}"),
        None => format!("v{}", op.name),
    }
}

/// Checks an instruction on three vector registers, or two and memory.
fn check_simd(op: &Op, form: Form, l: Length, [y, a, b]: [u8; 3], m: Option<Mem>, mask: Mask) {
    let shape = shape(op);
    let (imm, what) = (immediate(op), format!("{} {form:?} {l:?} {y} {a} {b} {m:?} {mask:?}", op.name));
    let rm: Operand = m.map_or(Operand::Reg(b), Operand::Mem);
    let v = if matches!(shape, Shape::Two | Shape::To) { 0 } else { a };
    let i = decode(&what, |s| match form {
        Form::Sse => s.sse(op, 0, y, rm, imm),
        Form::Vex => s.vex(op, op.vex_w, l, y, v, rm, imm),
        Form::Evex => s.evex(op, op.evex_w, l, y, v, rm, mask, false, imm),
    });
    let expected = match form {
        Form::Sse => op.name.to_string(),
        Form::Vex => format!("v{}", op.name),
        Form::Evex => evex_name(op),
    };
    assert_eq!(name(&i), expected, "{what}");
    let last = m.is_none().then_some(b);
    let operands = match shape {
        Shape::Three | Shape::ToMask if form != Form::Sse => vec![Some(y), Some(a), last],
        Shape::To => vec![last, Some(y)],
        _ => vec![Some(y), last],
    };
    assert_eq!(registers(&i), operands, "{what}");
    if let Some(m) = m {
        check_memory(&what, &i, m);
        let size = match op.tuple {
            Tuple::One(n) => n as usize,
            Tuple::Full(_) => l.bytes(),
            Tuple::Part(by) => l.bytes() >> by,
        };
        assert_eq!(i.memory_size().size(), size, "{what}");
    }
    assert_eq!(i.op_mask() != Register::None, mask.k != 0, "{what}");
    assert_eq!(i.zeroing_masking(), mask.zero, "{what}");
}

#[test]
fn vectors() {
    for op in ops::ALL {
        let shape = shape(op);
        if shape == Shape::Other {
            continue;
        }
        let scalar = matches!(op.tuple, Tuple::One(_)) && !op.name.contains("broadcast");
        let only_memory = scalar_move(op);
        let compare = op.name.starts_with("cmp");
        for form in [Form::Sse, Form::Vex, Form::Evex] {
            let fma = ["fmadd", "fmsub", "fnmadd", "fnmsub", "broadcast", "pbroadcast", "extract", "perm"]
                .iter()
                .any(|n| op.name.starts_with(n));
            let newer = ["psllv", "psrlv", "psrav", "cvtph2ps", "cvtps2ph"].iter().any(|n| op.name.starts_with(n));
            if form == Form::Sse && (fma || newer)
                || form < Form::Evex && op.vex_w == NO_VEX
                || form == Form::Evex && op.evex_w == NO_EVEX
            {
                continue;
            }
            let lengths: &[Length] = match form {
                _ if matches!(op.name, "broadcastsd" | "extractf128" | "perm2f128") => &[Length::L256],
                Form::Vex if *op == ops::PERMPD_BY => &[Length::L256],
                Form::Evex if matches!(op.name, "permps" | "permpd") => &[Length::L256, Length::L512],
                _ if scalar || form == Form::Sse => &[Length::L128],
                Form::Vex => &[Length::L128, Length::L256],
                _ => &[Length::L128, Length::L256, Length::L512],
            };
            let most = if form == Form::Evex { 32 } else { 16 };
            for &l in lengths {
                for r in 0..most {
                    let result = if form == Form::Evex && (shape == Shape::ToMask || compare) { r & 7 } else { r };
                    for regs in [[result, 3, 5], [2, r, 5], [2, 3, r], [result, r ^ 1, r ^ 9]] {
                        if !only_memory {
                            check_simd(op, form, l, regs, None, Mask::ALL);
                        }
                        check_simd(op, form, l, regs, Some(Mem::at(Gpr(1), 64)), Mask::ALL);
                    }
                }
                for m in memories() {
                    check_simd(op, form, l, [1, 9, 0], Some(m), Mask::ALL);
                }
                if form == Form::Evex && !op.name.starts_with("ucomis") {
                    for k in 1..8 {
                        check_simd(op, form, l, [1, 29, 30], Some(Mem::at(Gpr(1), 64)), Mask::keep(k));
                        if shape != Shape::To && shape != Shape::ToMask && !compare {
                            check_simd(op, form, l, [1, 29, 30], Some(Mem::at(Gpr(1), 64)), Mask::zero(k));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn stores_under_a_mask_of_lanes() {
    for (op, expected) in [(&ops::MASKMOVPS_TO, "vmaskmovps"), (&ops::MASKMOVPD_TO, "vmaskmovpd")] {
        for (n, m) in memories().into_iter().enumerate() {
            let (x, mask) = (n as u8 & 15, (n as u8 >> 4) & 15);
            let i = decode(expected, |a| a.vex(op, 0, Length::L256, x, mask, Operand::Mem(m), None));
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![None, Some(mask), Some(x)]));
            check_memory(expected, &i, m);
        }
    }
}

#[test]
fn between_general_and_vector_registers() {
    for form in [Form::Sse, Form::Vex] {
        let v = if form == Form::Sse { "" } else { "v" };
        for x in 0..if form == Form::Sse { 16 } else { 32 } {
            for g in 0..16 {
                for w in 0..2u8 {
                    let (s, r) = (Simd(x), Gpr(g));
                    let moved = format!("{v}mov{}", if w == 1 { "q" } else { "d" });
                    let i = decode("to", |a| a.gpr_to_simd(form, &ops::MOVD, w, s, None, r));
                    assert_eq!((name(&i), registers(&i)), (moved.clone(), vec![Some(x), Some(g)]));
                    let i = decode("from", |a| a.bits_to_gpr(form, w, r, s));
                    assert_eq!((name(&i), registers(&i)), (moved, vec![Some(g), Some(x)]));
                    for (op, size) in [(&ops::CVTSI2SS, w), (&ops::CVTSI2SD, w)] {
                        let i = decode("cvt", |a| a.gpr_to_simd(form, op, size, s, Some(s), r));
                        let middle = if form == Form::Sse { vec![] } else { vec![Some(x)] };
                        let expected = [vec![Some(x)], middle, vec![Some(g)]].concat();
                        assert_eq!((name(&i), registers(&i)), (format!("{v}{}", op.name), expected));
                        assert_eq!(i.op_register(i.op_count() - 1).size(), 4 << w);
                    }
                    for op in [&ops::CVTTSS2SI, &ops::CVTTSD2SI] {
                        let i = decode("cvtt", |a| a.simd_to_gpr(form, op, w, r, s));
                        assert_eq!((name(&i), registers(&i)), (format!("{v}{}", op.name), vec![Some(g), Some(x)]));
                        assert_eq!(i.op0_register().size(), 4 << w);
                    }
                }
            }
        }
    }
}

#[test]
fn masks_gathers_and_shifts() {
    let all = Mask::ALL;
    for r in 0..16 {
        let i = decode("blend", |a| {
            a.vex(&ops::BLENDVPS, 0, Length::L256, r, 15 - r, Operand::Reg(r ^ 3), Some((r ^ 5) << 4));
        });
        let expected = vec![Some(r), Some(15 - r), Some(r ^ 3), Some(r ^ 5)];
        assert_eq!((name(&i).as_str(), registers(&i)), ("vblendvps", expected));
    }
    for k in 1..8u8 {
        for (op, expected) in [
            (&ops::KANDW, "kandw"),
            (&ops::KANDNW, "kandnw"),
            (&ops::KORW, "korw"),
            (&ops::KXNORW, "kxnorw"),
            (&ops::KXORW, "kxorw"),
        ] {
            let i = decode(expected, |a| a.vex(op, 0, Length::L256, k, 3, Operand::Reg(8 - k), None));
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(k), Some(3), Some(8 - k)]));
        }
        for (op, expected) in
            [(&ops::KNOTW, "knotw"), (&ops::KORTESTW, "kortestw"), (&ops::KMOVW, "kmovw"), (&ops::KMOVW_GPR, "kmovw")]
        {
            let i = decode(expected, |a| a.vex(op, 0, Length::L128, k, 0, Operand::Reg(5), None));
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(k), Some(5)]));
        }
        for (op, expected, l) in [
            (&ops::KMOVW_TO_GPR, "kmovw", Length::L128),
            (&ops::MOVMSKPS, "vmovmskps", Length::L256),
            (&ops::MOVMSKPD, "vmovmskpd", Length::L256),
        ] {
            let i = decode(expected, |a| a.vex(op, 0, l, 8 - k, 0, Operand::Reg(k), None));
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(8 - k), Some(k)]));
        }
        for op in [&ops::PMOVM2D, &ops::PMOVM2Q] {
            let i = decode("movm", |a| a.evex(op, op.evex_w, Length::L512, 17, 0, Operand::Reg(k), all, false, None));
            assert_eq!((name(&i), registers(&i)), (format!("v{}", op.name), vec![Some(17), Some(k)]));
        }
    }
    for (op, l) in [
        (&ops::GATHERDPS, Length::L512),
        (&ops::GATHERDPD, Length::L512),
        (&ops::GATHERQPS, Length::L512),
        (&ops::GATHERQPD, Length::L512),
        (&ops::SCATTERDPS, Length::L256),
        (&ops::SCATTERDPD, Length::L512),
        (&ops::SCATTERQPS, Length::L512),
        (&ops::SCATTERQPD, Length::L512),
    ] {
        for index in 0..32 {
            for base in 0..16 {
                let m = Mem::Lanes { base: Gpr(base), index: Simd(index), shift: index & 3, disp: 8 * index as i32 };
                let y = (index + 7) % 32;
                let i =
                    decode(op.name, |a| a.evex(op, op.evex_w, l, y, 0, Operand::Mem(m), Mask::keep(1), false, None));
                assert_eq!(name(&i), format!("v{}", op.name));
                assert!(registers(&i).contains(&Some(y)));
                check_memory(op.name, &i, m);
            }
        }
    }
    for x in 0..32 {
        for (digit, expected) in [(4, "vpsrad"), (6, "vpslld")] {
            let i = decode(expected, |a| {
                a.evex(&ops::PSHIFTD, 0, Length::L512, digit, 31 - x, Operand::Reg(x), all, false, Some(9))
            });
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(31 - x), Some(x)]));
        }
        for (w, expected) in [(0, "vpbroadcastd"), (1, "vpbroadcastq")] {
            let i = decode(expected, |a| {
                a.evex(&ops::PBROADCASTD_GPR, w, Length::L512, x, 0, Operand::Reg(x & 15), all, false, None)
            });
            assert_eq!((name(&i).as_str(), registers(&i)), (expected, vec![Some(x), Some(x & 15)]));
        }
    }
}
