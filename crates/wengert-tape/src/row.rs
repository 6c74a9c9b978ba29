//! How a tape lies in memory and in its file: rows of fixed size that refer to each other by number.

use crate::file::AlignedBytes;
use crate::node::{NodeId, ResultId};
use crate::plain::plain;
use bytemuck::Pod;
use std::sync::Arc;

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Kind {
    /// What a call was given.
    Argument,
    /// An array that came from outside the recording.
    Constant,
    /// One op.
    Primitive,
    /// A call: of a user's function, a transform, a staged function, a loop. Its children are what ran inside.
    Call,
    /// Something outside our knowledge: a value that the host read, an array that came from a file or went to one, or was
    /// made where nothing was recorded.
    Special,
    /// A decision of the host, with its condition.
    Branch,
    /// What a call gave back.
    Return,
}

impl Kind {
    /// Every kind, by its number.
    pub const ALL: [Kind; 7] =
        [Kind::Argument, Kind::Constant, Kind::Primitive, Kind::Call, Kind::Special, Kind::Branch, Kind::Return];

    /// The name in listings and queries: `argument`, `primitive`.
    pub fn name(self) -> &'static str {
        ["argument", "constant", "primitive", "call", "special", "branch", "return"][self as usize]
    }
}

/// The children of this call are those of the call in `extra`.
pub(crate) const SHARED: u8 = 1;
/// The call ended by unwinding: it gave nothing back.
pub(crate) const UNWOUND: u8 = 2;
/// The children of this call are a program: they have no values of their own.
pub(crate) const ABSTRACT: u8 = 4;
/// The host read an array here.
pub(crate) const READ: u8 = 8;
/// A decision that left its function: `?`.
pub(crate) const LEFT: u8 = 16;
/// A jump whose operands, but the first where it has a condition, are what the block gets that it goes to.
pub(crate) const CONDITION: u8 = 32;
/// The number that was read, or what a call gave, is used in no other way than the nodes that refer to it say.
pub(crate) const FOLLOWED: u8 = 64;
/// A call of one of our own functions: it uses no more than its arguments.
pub(crate) const OWN: u8 = 128;
/// An op in a function that is traced: the numbers of the host that it has stand in the programs too that are made of the function.
/// No call has this, and no op the one above.
pub(crate) const BUILT_IN: u8 = 128;

/// One node.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub(crate) struct Row {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    /// The type of its result, if that is a number of the host; see [`HostType::code`](crate::HostType).
    pub(crate) host: u16,
    pub(crate) parent: u32,
    /// The position among the children of the parent.
    pub(crate) position: u32,
    pub(crate) next: u32,
    pub(crate) first_child: u32,
    pub(crate) last_child: u32,
    pub(crate) label: u32,
    pub(crate) place: u32,
    pub(crate) name: u32,
    /// The block of the enclosing function, from 1; 0 is unknown.
    pub(crate) block: u32,
    pub(crate) refs: u32,
    pub(crate) refs_len: u32,
    pub(crate) results: u32,
    pub(crate) results_len: u32,
    /// Of a call, the node of its return, or the call whose children it shares. Of a branch, the block it goes to.
    pub(crate) extra: u32,
    /// Nanoseconds; NaN if not measured.
    pub(crate) nanos: f32,
}

impl Row {
    /// The root of a tape: a call that nothing is known of.
    pub(crate) const ROOT: Row = Row {
        kind: Kind::Call as u8,
        flags: 0,
        host: 0,
        parent: NONE,
        position: 0,
        next: NONE,
        first_child: NONE,
        last_child: NONE,
        label: 0,
        place: 0,
        name: 0,
        block: 0,
        refs: 0,
        refs_len: 0,
        results: 0,
        results_len: 0,
        extra: NONE,
        nanos: f32::NAN,
    };

    pub(crate) fn kind(&self) -> Kind {
        Kind::ALL[self.kind as usize]
    }

    /// Of a call that ran here and came to its end, the node of its return.
    pub(crate) fn returns(&self) -> Option<u32> {
        (self.kind == Kind::Call as u8 && self.has_own_children() && self.extra != NONE).then_some(self.extra)
    }

    /// How many values can be referred to: of a jump, those that it gives to the block it goes to.
    pub(crate) fn outputs(&self) -> u32 {
        let gives = self.kind == Kind::Branch as u8 && self.results_len == 0;
        if gives { self.refs_len } else { self.results_len }
    }

    /// Whether its children are what ran in it, to its end.
    pub(crate) fn has_own_children(&self) -> bool {
        self.flags & (SHARED | UNWOUND | ABSTRACT) == 0
    }

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// An operand: result `out` of node `at`, or, with `out` = [`NONE`], constant number `at`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(C)]
pub(crate) struct Ref {
    pub(crate) at: u32,
    pub(crate) out: u32,
}

impl Ref {
    pub(crate) fn constant(index: u32) -> Ref {
        Ref { at: index, out: NONE }
    }

    pub(crate) fn is_constant(self) -> bool {
        self.out == NONE
    }

    pub(crate) fn id(self) -> ResultId {
        ResultId { node: NodeId(self.at), out: self.out as usize }
    }
}

/// One result of a node: its type (number 0 is "not an array"), and what was kept of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub(crate) struct ResultRow {
    pub(crate) ty: u32,
    pub(crate) kept: u32,
}

plain! {
    Row: kind flags host parent position next first_child last_child label place name block refs refs_len results results_len
        extra nanos;
    Ref: at out;
    ResultRow: ty kept;
}

/// What [`ResultRow::kept`] says: the two highest bits are the sort, the others the number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptValue {
    Nothing,
    Value(u32),
    Summary(u32),
    Constant(u32),
    /// A number of the host, by its number in the table of these.
    Number(u32),
    /// A number of the host whose bits these are.
    SmallNumber(u32),
}

impl KeptValue {
    const BITS: u32 = 30;
    /// Among numbers of the host, what says that the others are the bits of the number.
    const SMALL: u32 = 1 << 29;

    /// A number of the host that needs no place in the table.
    #[inline]
    pub(crate) fn small(bits: u64) -> Option<KeptValue> {
        (bits < u64::from(KeptValue::SMALL)).then_some(KeptValue::SmallNumber(bits as u32))
    }

    #[inline]
    pub(crate) fn pack(self) -> u32 {
        match self {
            KeptValue::Nothing => 3 << KeptValue::BITS,
            KeptValue::Value(i) => i,
            KeptValue::Summary(i) => 1 << KeptValue::BITS | i,
            KeptValue::Constant(i) => 2 << KeptValue::BITS | i,
            KeptValue::Number(i) => 3 << KeptValue::BITS | (i + 1),
            KeptValue::SmallNumber(bits) => 3 << KeptValue::BITS | KeptValue::SMALL | bits,
        }
    }

    #[inline]
    pub(crate) fn unpack(x: u32) -> KeptValue {
        let i = x & ((1 << KeptValue::BITS) - 1);
        match x >> KeptValue::BITS {
            0 => KeptValue::Value(i),
            1 => KeptValue::Summary(i),
            2 => KeptValue::Constant(i),
            _ if i & KeptValue::SMALL != 0 => KeptValue::SmallNumber(i & !KeptValue::SMALL),
            _ => i.checked_sub(1).map_or(KeptValue::Nothing, KeptValue::Number),
        }
    }
}

/// Rows: our own, or (of an opened file) a part of what was read of the file.
#[derive(Clone)]
pub(crate) enum Column<T: Pod> {
    Owned(Vec<T>),
    InFile(Arc<AlignedBytes>, std::ops::Range<usize>),
}

impl<T: Pod> Default for Column<T> {
    fn default() -> Self {
        Column::Owned(Vec::new())
    }
}

impl<T: Pod> std::ops::Deref for Column<T> {
    type Target = [T];
    #[inline]
    fn deref(&self) -> &[T] {
        match self {
            Column::Owned(v) => v,
            // The range was checked to be whole and aligned when the file was opened.
            Column::InFile(file, range) => bytemuck::cast_slice(&file.bytes()[range.clone()]),
        }
    }
}

impl<T: Pod> Column<T> {
    /// To write to; what was read of a file is copied first.
    #[inline]
    pub(crate) fn to_mut(&mut self) -> &mut Vec<T> {
        if let Column::InFile(..) = self {
            self.make_own();
        }
        match self {
            Column::Owned(v) => v,
            Column::InFile(..) => unreachable!("made our own above"),
        }
    }

    #[cold]
    fn make_own(&mut self) {
        *self = Column::Owned(self.to_vec());
    }

    /// To add so many to.
    #[inline]
    pub(crate) fn room(&mut self, more: usize) -> &mut Vec<T> {
        let v = self.to_mut();
        if v.capacity() - v.len() < more {
            grow(v, more);
        }
        v
    }
}

/// Makes room. A long vector gets much more than it needs, in large pages: what it is not used for costs addresses and no memory.
/// What is so large is not copied when it grows, which would take as long as recording what it holds: the system moves its pages.
#[cold]
fn grow<T>(v: &mut Vec<T>, more: usize) {
    const LONG: usize = 1 << 20;
    /// Allocators have mappings of their own for what is as large.
    const MAPPED: usize = 1 << 26;
    let is_long = size_of_val(&**v) >= LONG;
    let wanted = v.len().saturating_mul(8).max(MAPPED / size_of::<T>()).max(v.len() + more);
    if !is_long || v.try_reserve_exact(wanted - v.len()).is_err() {
        v.reserve(more);
    }
    ask_for_large_pages(v);
}

/// Asks for large pages for all that a vector has room for. A node is less work than the fault at the first touch of a small
/// page is, shared by the nodes that are on it.
pub(crate) fn ask_for_large_pages<T>(_v: &Vec<T>) {
    #[cfg(target_os = "linux")]
    {
        const LARGE: usize = 1 << 21;
        const SMALL: usize = 1 << 12;
        let bytes = _v.capacity() * size_of::<T>();
        if bytes >= 2 * LARGE {
            // With the pages that it begins and ends in: a mapping that were advised of in part would be two, and is not moved.
            let start = _v.as_ptr() as usize / SMALL * SMALL;
            let end = (_v.as_ptr() as usize + bytes).next_multiple_of(SMALL);
            // SAFETY: the pages are there, as the vector is, and advice changes nothing of what is in them. Whether it is taken
            // does not matter.
            unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_column_keeps_what_it_has_when_it_grows() {
        let mut column = Column::<u64>::default();
        let mut grown = 0;
        // Past the size of a mapping.
        for i in 0..9_000_000 {
            let before = column.to_mut().capacity();
            column.room(1).push(i);
            grown += usize::from(column.to_mut().capacity() != before);
        }
        assert!(column.iter().copied().eq(0..9_000_000));
        assert!(grown < 24, "it grew {grown} times");
    }

    #[test]
    fn what_is_kept_is_found_again() {
        let small = |bits| KeptValue::small(bits).expect("it is small");
        let all = [
            KeptValue::Nothing,
            KeptValue::Value(0),
            KeptValue::Summary(7),
            KeptValue::Constant(7),
            KeptValue::Number(0),
            KeptValue::Number((1 << 29) - 2),
            small(0),
            small((1 << 29) - 1),
        ];
        all.into_iter().for_each(|k| assert_eq!(KeptValue::unpack(k.pack()), k));
        assert_eq!(KeptValue::small(1 << 29), None);
    }
}
