//! Moves that happen at once: carried values, results of branches, arguments.

use super::{Emit, X0};
use crate::allocate::Loc;
use crate::encode::gpr::Width;
use crate::encode::simd::Length;
use crate::encode::{Gpr, RAX, RCX, Simd, ops};
use wengert_kernel::Kind;

/// To, from, and the kind of what is moved.
pub type Move = (Loc, Loc, Kind);

/// What is known of each place: registers first, then slots.
#[derive(Default)]
pub struct Scratch {
    /// How many moves that are not done read it.
    readers: Vec<u32>,
    /// One more than the number of the move into it.
    writer: Vec<u32>,
}

/// Between places, where a cycle is broken.
const SAVED_GPR: Loc = Loc::Gpr(RAX);
const SAVED_SIMD: Loc = Loc::Simd(X0);

fn place(l: Loc) -> Option<usize> {
    match l {
        Loc::Gpr(Gpr(r)) => Some(r as usize),
        Loc::Simd(Simd(r)) => Some(16 + r as usize),
        Loc::Slot(i) => Some(48 + i as usize),
        Loc::None | Loc::Const(_) => None,
    }
}

impl Emit<'_> {
    /// Does moves as if all sources were read first. No place is written twice.
    pub(super) fn moves(&mut self, moves: &[Move]) {
        if let [m] = moves {
            return self.one_move(*m);
        }
        let mut s = std::mem::take(&mut self.moves);
        s.readers.resize(48 + self.places.slots as usize, 0);
        s.writer.resize(48 + self.places.slots as usize, 0);
        let mut ready = Vec::new();
        for (i, &(to, from, _)) in moves.iter().enumerate() {
            if let (Some(t), Some(f)) = (place(to), place(from))
                && t != f
            {
                s.readers[f] += 1;
                s.writer[t] = i as u32 + 1;
            }
        }
        for (i, &(to, _, _)) in moves.iter().enumerate() {
            if let Some(t) = place(to)
                && s.writer[t] == i as u32 + 1
                && s.readers[t] == 0
            {
                ready.push(i);
            }
        }
        let mut next = 0;
        loop {
            while let Some(i) = ready.pop() {
                let (to, from, _) = moves[i];
                self.one_move(moves[i]);
                if let (Some(t), Some(f)) = (place(to), place(from)) {
                    s.writer[t] = 0;
                    s.readers[f] -= 1;
                    if s.readers[f] == 0 && s.writer[f] != 0 {
                        ready.push(s.writer[f] as usize - 1);
                    }
                }
            }
            // What is left are cycles: one place of each is saved, and read from there.
            let Some(i) = (next..moves.len()).find(|&i| place(moves[i].0).is_some_and(|t| s.writer[t] == i as u32 + 1))
            else {
                break;
            };
            next = i + 1;
            self.cycle(moves, i, &mut s);
        }
        for &m in moves {
            if matches!(m.1, Loc::Const(_)) {
                self.one_move(m);
            }
        }
        self.moves = s;
    }

    fn cycle(&mut self, moves: &[Move], first: usize, s: &mut Scratch) {
        let start = moves[first].0;
        let saved = if matches!(start, Loc::Simd(_)) { SAVED_SIMD } else { SAVED_GPR };
        self.one_move((saved, start, Kind::I64));
        let mut i = first;
        loop {
            let (to, from, kind) = moves[i];
            let (Some(t), Some(f)) = (place(to), place(from)) else { return };
            s.writer[t] = 0;
            s.readers[f] -= 1;
            if from == start {
                return self.one_move((to, saved, kind));
            }
            self.one_move((to, from, kind));
            i = s.writer[f] as usize - 1;
        }
    }

    fn one_move(&mut self, (to, from, kind): Move) {
        if to == from {
            return;
        }
        let form = self.form;
        match (to, from) {
            (Loc::None, _) | (_, Loc::None) | (Loc::Const(_), _) => {}
            (Loc::Gpr(d), Loc::Gpr(s)) => self.a.mov(Width::W64, d, s),
            (Loc::Gpr(d), Loc::Slot(i)) => self.a.mov(Width::W64, d, self.slot(i)),
            (Loc::Gpr(d), Loc::Simd(s)) => self.a.bits_to_gpr(form, 1, d, s),
            (Loc::Gpr(d), Loc::Const(bits)) => self.a.mov_imm(d, Self::constant_bits(kind, bits)),
            (Loc::Slot(i), Loc::Gpr(s)) => self.a.store(8, self.slot(i), s),
            (Loc::Slot(i), Loc::Simd(s)) => {
                self.a.two(form, &ops::MOVSD_TO, Length::L128, s, self.slot(i), None);
            }
            (Loc::Slot(i), Loc::Slot(j)) => {
                self.a.mov(Width::W64, RCX, self.slot(j));
                self.a.store(8, self.slot(i), RCX);
            }
            (Loc::Slot(i), Loc::Const(bits)) => {
                let bits = Self::constant_bits(kind, bits);
                match i32::try_from(bits as i64) {
                    Ok(imm) => self.a.store_imm(8, self.slot(i), imm),
                    Err(_) => {
                        self.a.mov_imm(RCX, bits);
                        self.a.store(8, self.slot(i), RCX);
                    }
                }
            }
            (Loc::Simd(d), Loc::Simd(s)) => self.a.two(form, &ops::MOVAPS, Length::L128, d, s, None),
            (Loc::Simd(d), Loc::Slot(i)) => {
                self.a.two(form, &ops::MOVSD, Length::L128, d, self.slot(i), None);
            }
            (Loc::Simd(d), Loc::Gpr(s)) => self.a.gpr_to_simd(form, &ops::MOVD, 1, d, None, s),
            (Loc::Simd(d), Loc::Const(0)) => self.zero(d),
            (Loc::Simd(d), Loc::Const(bits)) => {
                let n = kind.bytes() as u8;
                let m = self.a.constant(bits, n, n);
                let op = Self::pick(kind, &ops::MOVSS, &ops::MOVSD);
                self.a.two(form, op, Length::L128, d, m, None);
            }
        }
    }
}
