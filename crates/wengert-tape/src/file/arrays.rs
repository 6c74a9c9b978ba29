//! The arrays of a tape, after all else in its file. They are read when they are asked for, and checked each time.

use super::format::{ArrayRow, ValueRow};
use super::source::{ChecksumWriter, Source};
use super::{damaged, io_error};
use crate::row::{Column, NONE};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use wengert_core::bytes::{from_bytes, write_bytes};
use wengert_core::safetensors::{Header, stored_type};
use wengert_core::{Error, ErrorKind, Result, Scalar, Shape, Tensor, Type};

/// Arrays begin at multiples of this many bytes.
const ALIGNMENT: u64 = 64;

/// Of arrays with no more bytes than this, all elements are checked also where only the first are wanted.
const PAGE: u64 = 4096;

/// Where arrays will lie, one after another.
pub(super) fn places(arrays: &[Tensor]) -> Result<Vec<ArrayRow>> {
    let mut end = 0u64;
    let place = |t: &Tensor| {
        let mut sum = ChecksumWriter::default();
        write_bytes(t, &mut sum).map_err(io_error)?;
        let offset = end.next_multiple_of(ALIGNMENT);
        let size = t.ty().bytes().expect("it is in memory") as u64;
        let too_large = || Error::new(ErrorKind::Unsupported, "its arrays take more bytes than a file can have");
        end = offset.checked_add(size).filter(|end| *end < 1 << 62).ok_or_else(too_large)?;
        Ok(ArrayRow { offset, size, checksum: sum.finish(), unused: 0 })
    };
    arrays.iter().map(place).collect()
}

/// Writes arrays after so many bytes of other things.
pub(super) fn write(arrays: &[Tensor], mut at: u64, out: &mut dyn Write) -> io::Result<()> {
    for t in arrays {
        out.write_all(&[0; ALIGNMENT as usize][..(at.next_multiple_of(ALIGNMENT) - at) as usize])?;
        write_bytes(t, out)?;
        at = at.next_multiple_of(ALIGNMENT) + t.ty().bytes().expect("it is in memory") as u64;
    }
    Ok(())
}

#[cfg(test)]
thread_local! {
    /// How many bytes of arrays were read from files on this thread.
    pub(crate) static READ: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

/// The values of an opened tape.
pub(crate) struct StoredValues {
    rows: Column<ValueRow>,
    /// The tape's.
    types: Vec<Type>,
    source: Source,
    /// Where arrays begin.
    start: u64,
    arrays: Vec<StoredArray>,
}

/// An array in the file.
struct StoredArray {
    row: ArrayRow,
    /// Whether its elements were found to be others than were written, or could not be read.
    damaged: AtomicBool,
}

/// The type of a value.
fn type_of<'a>(row: &ValueRow, types: &'a [Type]) -> Result<&'a Type> {
    let ty = (row.ty as usize).checked_sub(1).and_then(|i| types.get(i));
    ty.ok_or_else(|| damaged(format!("array {} has no type", row.index)))
}

impl StoredValues {
    /// The values of a tape that takes the first `buffer` bytes of its file, and whose arrays come after it. Checks that every
    /// value is there with its size; elements are checked when they are read.
    pub(super) fn in_file(
        rows: Column<ValueRow>,
        types: Vec<Type>,
        arrays: &[ArrayRow],
        (source, buffer): (Source, u64),
    ) -> Result<StoredValues> {
        let start = if arrays.is_empty() { buffer } else { buffer.next_multiple_of(ALIGNMENT) };
        let whole = source.size().checked_sub(start).ok_or_else(|| damaged("its arrays are not there"))?;
        let mut end = 0u64;
        for (i, a) in arrays.iter().enumerate() {
            if a.offset != end.next_multiple_of(ALIGNMENT) {
                return Err(damaged(format!("array {i} is not where it should be")));
            }
            let stop = a.offset.checked_add(a.size).filter(|stop| *stop <= whole);
            end = stop.ok_or_else(|| damaged(format!("it is not whole: array {i} of its {} is not", arrays.len())))?;
        }
        if end != whole {
            return Err(damaged("it is longer than what is in it"));
        }
        for row in rows.iter() {
            let size = type_of(row, &types)?.bytes();
            let wrong = |what: &str| damaged(format!("array {} {what}", row.index));
            if row.index != NONE {
                let array = arrays.get(row.index as usize).ok_or_else(|| wrong("is not there"))?;
                if size.map(|n| n as u64) != Some(array.size) {
                    return Err(wrong("has another size than its value"));
                }
            }
        }
        // Files are kept open for their arrays alone.
        let source = if arrays.is_empty() { Source::Memory(Vec::new()) } else { source };
        Ok(StoredValues::new(rows, types, (source, start), arrays.to_vec()))
    }

    /// The values of a tape of the first version, whose arrays are all of a safetensors file.
    pub(super) fn beside(rows: Column<ValueRow>, types: Vec<Type>, file: Option<Vec<u8>>) -> Result<StoredValues> {
        let header = file.as_ref().map(|f| Header::parse(f).map_err(|e| e.within("its arrays"))).transpose()?;
        let mut arrays: Vec<ArrayRow> = Vec::new();
        for row in rows.iter() {
            let wrong = |what: &str| damaged(format!("array {} {what}", row.index));
            let ty = type_of(row, &types)?;
            if row.index == NONE {
                continue;
            }
            let (Some(header), Some(file)) = (&header, &file) else { return Err(wrong("is not there")) };
            let entry = header.arrays.get(&row.index.to_string()).ok_or_else(|| wrong("is not there"))?;
            if entry.ty != stored_type(ty) {
                return Err(wrong("has another type than its value"));
            }
            let i = row.index as usize;
            // Numbers are those of the file's arrays, each at least a byte of its header.
            if i >= header.end {
                return Err(wrong("has a number that is too large"));
            }
            arrays.resize(arrays.len().max(i + 1), ArrayRow::default());
            let (offset, size) = (entry.range.start as u64, entry.range.len() as u64);
            if arrays[i].size == 0 {
                let checksum = crc32fast::hash(&file[entry.range.clone()]);
                arrays[i] = ArrayRow { offset, size, checksum, unused: 0 };
            }
        }
        Ok(StoredValues::new(rows, types, (Source::Memory(file.unwrap_or_default()), 0), arrays))
    }

    fn new(
        rows: Column<ValueRow>,
        types: Vec<Type>,
        (source, start): (Source, u64),
        arrays: Vec<ArrayRow>,
    ) -> StoredValues {
        let arrays = arrays.into_iter().map(|row| StoredArray { row, damaged: false.into() }).collect();
        StoredValues { rows, types, source, start, arrays }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn ty(&self, i: usize) -> &Type {
        &self.types[self.rows[i].ty as usize - 1]
    }

    /// The number of the array in the file that a value is, unless it is one element repeated.
    pub(crate) fn array(&self, i: usize) -> Option<u32> {
        Some(self.rows[i].index).filter(|i| *i != NONE)
    }

    /// Bytes of an array, from its first on.
    fn read(&self, number: u32, size: u64) -> Result<Vec<u8>> {
        count(size);
        let StoredArray { row, damaged } = &self.arrays[number as usize];
        let bytes = self.source.bytes(self.start + row.offset, size);
        bytes.inspect_err(|_| damaged.store(true, Ordering::Relaxed))
    }

    /// Looks whether this is the checksum of an array.
    fn check(&self, number: u32, sum: Result<u32>) -> Result<()> {
        let array = &self.arrays[number as usize];
        let is_damaged = !matches!(sum, Ok(sum) if sum == array.row.checksum);
        array.damaged.store(is_damaged, Ordering::Relaxed);
        sum?;
        if is_damaged { Err(damaged(format!("array {number} of the tape was damaged"))) } else { Ok(()) }
    }

    fn splat(&self, i: usize, shape: Shape) -> Tensor {
        Tensor::splat(shape, Scalar::from_bits(self.ty(i).dtype, self.rows[i].bits()))
    }

    pub(crate) fn get(&self, i: usize) -> Result<Tensor> {
        let ty = self.ty(i);
        let Some(number) = self.array(i) else { return Ok(self.splat(i, ty.shape.clone())) };
        let bytes = self.read(number, self.arrays[number as usize].row.size)?;
        self.check(number, Ok(crc32fast::hash(&bytes)))?;
        from_bytes(ty.dtype, ty.shape.clone(), &bytes, false)
    }

    /// The first elements, at most so many, as a vector. Those of a large array are not checked, unless it was found to be
    /// damaged.
    pub(crate) fn first(&self, i: usize, count: usize) -> Result<Tensor> {
        let ty = self.ty(i);
        let count = ty.shape.size().min(count);
        let Some(number) = self.array(i) else { return Ok(self.splat(i, [count].into())) };
        let StoredArray { row, damaged } = &self.arrays[number as usize];
        let (size, all) = ((count * ty.dtype.size()) as u64, row.size <= PAGE || damaged.load(Ordering::Relaxed));
        let bytes = self.read(number, if all { row.size } else { size })?;
        if all {
            self.check(number, Ok(crc32fast::hash(&bytes)))?;
        }
        from_bytes(ty.dtype, [count].into(), &bytes[..size as usize], false)
    }

    /// Bytes of the elements of a value.
    pub(crate) fn bytes(&self, i: usize) -> usize {
        match self.array(i) {
            None => self.ty(i).dtype.size(),
            Some(number) => self.arrays[number as usize].row.size as usize,
        }
    }

    /// Checks each array, whether or not it was read before.
    pub(crate) fn verify(&self) -> Result<()> {
        for (i, array) in self.arrays.iter().enumerate() {
            count(array.row.size);
            self.check(i as u32, self.source.checksum(self.start + array.row.offset, array.row.size))?;
        }
        Ok(())
    }
}

/// Counts bytes of arrays that are read, for tests.
fn count(_bytes: u64) {
    #[cfg(test)]
    READ.set(READ.get() + _bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{KeptValue, ResultRow};
    use crate::tape::Tape;

    #[test]
    fn a_line_reads_as_much_of_an_array_as_it_shows() {
        let x = Tensor::new([100, 100], (0..10_000).map(|i| i as f32).collect()).unwrap();
        let mut tape = Tape { types: vec![x.ty()], ..Tape::default() };
        tape.values.push(x);
        tape.results = Column::Owned(vec![ResultRow { ty: 1, kept: KeptValue::Value(0).pack() }]);
        tape.rows.to_mut()[0].results_len = 1;
        let path = std::env::temp_dir().join(format!("wengert-first-{}.tape", std::process::id()));
        tape.save(&path).unwrap();
        READ.set(0);
        let opened = Tape::open(&path).unwrap();
        assert_eq!(READ.get(), 0, "to open it takes nothing of the arrays");
        let root = opened.root();
        assert!(root.has_summary(0) && READ.get() == 0);
        assert!(root.line().starts_with("nothing() = [0, 1, 2, 3, ") && READ.get() <= 60 * 4, "{root}");
        READ.set(0);
        assert_eq!(root.summary(0).unwrap().max, 9999.0);
        assert_eq!(READ.get(), 40_000);
        assert_eq!(root.value(0).unwrap().size(), 10_000);
        assert_eq!(READ.get(), 2 * 40_000);
        std::fs::remove_file(path).unwrap();
    }
}
