//! The names of what a file holds; `schema/tape.fbs` says what each means.

use crate::plain::plain;

/// The version that is written, and the newest that is read.
pub(super) const VERSION: u32 = 2;

/// Before the name of a function of the host, where the text of an op stands otherwise.
pub(super) const HOST_PREFIX: &str = "host ";

/// The fields of the root table, in the order of the schema.
#[derive(Clone, Copy)]
pub(super) enum Field {
    Version,
    Checksum,
    Nodes,
    References,
    Results,
    Summaries,
    Strings,
    Types,
    Names,
    Places,
    Labels,
    Constants,
    Values,
    Metadata,
    Bytes,
    Limited,
    ArraysFile,
    ArraysFileSize,
    ArraysFileChecksum,
    // Two more are of the first version, and are not needed: all of its arrays are checked when they are opened.
    Numbers = 21,
    Modules,
    Sources,
    BufferSize,
    Arrays,
}

/// A value or a literal.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ValueRow {
    pub(super) ty: u32,
    /// The number of the array, or of the text.
    pub(super) index: u32,
    pub(super) low: u64,
    pub(super) high: u64,
}

impl ValueRow {
    /// One element repeated.
    pub(super) fn number(ty: u32, index: u32, bits: u128) -> ValueRow {
        ValueRow { ty, index, low: bits as u64, high: (bits >> 64) as u64 }
    }

    pub(super) fn bits(&self) -> u128 {
        u128::from(self.high) << 64 | u128::from(self.low)
    }
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct PlaceRow {
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) column: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct LabelRow {
    pub(super) name: u32,
    pub(super) op: u32,
}

#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct MetaRow {
    pub(super) node: u32,
    pub(super) key: u32,
    pub(super) kind: u32,
    pub(super) length: u32,
    pub(super) value: u64,
}

/// Where the elements of an array are.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub(super) struct ArrayRow {
    /// From where arrays begin.
    pub(super) offset: u64,
    pub(super) size: u64,
    pub(super) checksum: u32,
    pub(super) unused: u32,
}

plain! {
    ArrayRow: offset size checksum unused;
    ValueRow: ty index low high;
    PlaceRow: file line column;
    LabelRow: name op;
    MetaRow: node key kind length value;
}
