//! Linear scan: registers are given out in the order of the positions where intervals start.

use super::live::{Live, NO_HINT, REGISTER_HINT};
use super::{Allocation, CALLEE_SAVED, CALLER_SAVED, Loc, in_simd};
use crate::Features;
use crate::encode::{Gpr, Simd};
use wengert_kernel::{Function, Value};

/// The registers of one class.
struct Class {
    /// Free now.
    free: u32,
    /// Given to intervals now.
    taken: u32,
    /// Taken first.
    first: u32,
    /// Kept by calls.
    kept: u32,
    /// The interval in each.
    owner: [u32; 32],
    /// What that one is worth.
    worth: [f32; 32],
    used: u32,
}

impl Class {
    fn new(first: u32, then: u32, kept: u32) -> Class {
        Class { free: first | then, taken: 0, first, kept, owner: [NONE; 32], worth: [0.0; 32], used: 0 }
    }

    fn take(&mut self, r: u8, i: u32, worth: f32) {
        self.worth[r as usize] = worth;
        self.free &= !(1 << r);
        self.taken |= 1 << r;
        self.owner[r as usize] = i;
        self.used |= 1 << r;
    }

    /// A free register, if there is one that will do.
    fn pick(&self, across_call: bool, hint: Option<u8>) -> Option<u8> {
        let fit = if across_call { self.free & self.kept } else { self.free };
        if let Some(h) = hint
            && fit >> h & 1 == 1
        {
            return Some(h);
        }
        let best = if fit & self.first != 0 { fit & self.first } else { fit };
        (best != 0).then(|| best.trailing_zeros() as u8)
    }
}

const NONE: u32 = u32::MAX;
/// The place of an interval before slots are given out.
const NO_REGISTER: u8 = u8::MAX;

/// Intervals in lists by position.
struct Buckets {
    head: Vec<u32>,
    next: Vec<u32>,
}

impl Buckets {
    fn new(positions: usize, intervals: usize) -> Buckets {
        Buckets { head: vec![NONE; positions], next: vec![NONE; intervals] }
    }

    fn add(&mut self, at: u32, i: usize) {
        self.next[i] = std::mem::replace(&mut self.head[at as usize], i as u32);
    }

    fn each(&self, at: usize, mut f: impl FnMut(usize)) {
        let mut i = self.head[at];
        while i != NONE {
            f(i as usize);
            i = self.next[i as usize];
        }
    }
}

/// Finds a place for every value.
pub fn scan(f: &Function, mut live: Live, features: Features) -> Allocation {
    let n = f.kinds.len();
    let length = live.length as usize;
    let (mut starts, mut ends) = (Buckets::new(length, n), Buckets::new(length, n));
    for i in (0..n).rev() {
        if live.parent[i] as usize == i && live.start[i] != 0 && live.constants[i].is_none() && !live.fused[i] {
            starts.add(live.start[i], i);
            ends.add(live.end[i], i);
        }
    }
    let many = features >= Features::Avx512;
    let mut classes = [
        Class::new(CALLER_SAVED, CALLEE_SAVED, CALLEE_SAVED),
        Class::new(0xfffc, if many { 0xffff_0000 } else { 0 }, 0),
    ];
    let mut register = vec![NO_REGISTER; n];
    for at in 0..length {
        ends.each(at, |i| {
            let r = register[i];
            let class = &mut classes[in_simd(f.kinds[i]) as usize];
            if r != NO_REGISTER && class.owner[r as usize] == i as u32 {
                class.owner[r as usize] = NONE;
                class.free |= 1 << r;
                class.taken &= !(1 << r);
            }
        });
        let mut i = starts.head[at];
        while i != NONE {
            give(f, &mut live, &mut classes, &mut register, i as usize);
            i = starts.next[i as usize];
        }
    }
    let slots = give_slots(&register, &starts, &ends, length, n);
    let place = |i: usize| {
        let h = live.find(Value(i as u32));
        match (live.constants[i], register[h]) {
            (Some(bits), _) => Loc::Const(bits),
            (_, NO_REGISTER) if slots.0[h] == NONE => Loc::None,
            (_, NO_REGISTER) => Loc::Slot(slots.0[h]),
            (_, r) if in_simd(f.kinds[i]) => Loc::Simd(Simd(r)),
            (_, r) => Loc::Gpr(Gpr(r)),
        }
    };
    let locs = (0..n).map(place).collect();
    Allocation {
        locs,
        fused: live.fused,
        slots: slots.1,
        saved: classes[0].used & CALLEE_SAVED,
        calls: !live.calls.is_empty(),
        plans: live.plans,
    }
}

/// A register for an interval that starts, or for one that is more worth it than it.
fn give(f: &Function, live: &mut Live, classes: &mut [Class; 2], register: &mut [u8], i: usize) {
    let simd = in_simd(f.kinds[i]);
    let class = &mut classes[simd as usize];
    let (start, end) = (live.start[i], live.end[i]);
    let within = |all: &[u32]| all.get(all.partition_point(|&c| c <= start)).is_some_and(|&c| c < end);
    let across_call = within(&live.calls) || simd && within(&live.vector_loops);
    let hint = match live.hint[i] {
        NO_HINT => None,
        r if r >= REGISTER_HINT => Some((r - REGISTER_HINT) as u8),
        v => {
            let h = live.find(Value(v));
            (register[h] != NO_REGISTER && in_simd(f.kinds[h]) == simd).then_some(register[h])
        }
    };
    let worth = live.weight[i] / (end - start) as f32;
    if let Some(r) = class.pick(across_call, hint) {
        class.take(r, i as u32, worth);
        register[i] = r;
        return;
    }
    let (mut cheapest, mut least) = (None, worth);
    let mut candidates = class.taken & if across_call { class.kept } else { u32::MAX };
    while candidates != 0 {
        let r = candidates.trailing_zeros() as usize;
        candidates &= candidates - 1;
        if class.worth[r] < least {
            (cheapest, least) = (Some(r as u8), class.worth[r]);
        }
    }
    if let Some(r) = cheapest {
        register[class.owner[r as usize] as usize] = NO_REGISTER;
        class.take(r, i as u32, worth);
        register[i] = r;
    }
}

/// Slots for what has no register: by interval, and how many.
fn give_slots(register: &[u8], starts: &Buckets, ends: &Buckets, length: usize, n: usize) -> (Vec<u32>, u32) {
    let mut slots = vec![NONE; n];
    let mut free = Vec::new();
    let mut count = 0;
    for at in 0..length {
        ends.each(at, |i| {
            if slots[i] != NONE {
                free.push(slots[i]);
            }
        });
        starts.each(at, |i| {
            if register[i] == NO_REGISTER {
                slots[i] = free.pop().unwrap_or_else(|| {
                    count += 1;
                    count - 1
                });
            }
        });
    }
    (slots, count)
}
