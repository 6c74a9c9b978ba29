//! The arrays beside a tape: a safetensors file, whose tensors are read when they are asked for.

use super::format::ValueRow;
use super::{Bytes, damaged, io_error};
use crate::row::{Column, NONE};
use std::io::{BufWriter, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering};
use wengert_core::bytes::from_bytes;
use wengert_core::replace::TemporaryFile;
use wengert_core::safetensors::{Header, Layout, stored_type};
use wengert_core::{Error, Result, Scalar, Shape, Tensor, Type};

/// Writes arrays, named by their numbers.
pub(super) fn write(arrays: &[Tensor], to: &mut TemporaryFile) -> Result<()> {
    let named = arrays.iter().enumerate().map(|(i, t)| (i.to_string(), t.clone())).collect();
    let unsupported = |e: Error| {
        let e = e.within(format!("a safetensors file can't hold its {} arrays", arrays.len()));
        e.note("record with a limit of bytes, with summaries, or in parts")
    };
    let layout = Layout::new(&named).map_err(unsupported)?;
    let mut out = BufWriter::new(&mut to.file);
    layout.write(&mut out).and_then(|()| out.flush()).map_err(io_error)
}

#[cfg(test)]
thread_local! {
    /// How many bytes of arrays were read from files on this thread.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The checksums of the parts of an arrays file.
#[derive(Clone)]
pub(super) struct Checksums {
    /// Of what is before the first array.
    pub(super) header: u32,
    /// Of each array, by its number.
    pub(super) arrays: Column<u32>,
}

impl Checksums {
    /// Those of a file with so many arrays, which was just written.
    pub(super) fn of(file: &[u8], count: usize) -> Result<Checksums> {
        let header = parse(file)?;
        let sum = |i: usize| {
            let entry = header.arrays.get(&i.to_string()).ok_or_else(|| damaged(format!("array {i} is not there")))?;
            Ok(crc32fast::hash(&file[entry.range.clone()]))
        };
        let arrays = (0..count).map(sum).collect::<Result<Vec<u32>>>()?;
        Ok(Checksums { header: crc32fast::hash(&file[..header.end]), arrays: Column::Owned(arrays) })
    }
}

fn parse(file: &[u8]) -> Result<Header> {
    Header::parse(file).map_err(|e| e.within("its arrays"))
}

pub(super) fn other_arrays() -> Error {
    damaged("its arrays are those of another tape, or were damaged")
}

/// The values of an opened tape.
pub(crate) struct StoredValues {
    rows: Column<ValueRow>,
    /// The tape's.
    types: Vec<Type>,
    file: Bytes,
    checksum: u32,
    arrays: Vec<StoredArray>,
}

/// An array in the file.
#[derive(Default)]
struct StoredArray {
    range: Range<usize>,
    checksum: Option<u32>,
    /// Whether its elements were checked: [`UNCHECKED`], [`SOUND`] or [`DAMAGED`].
    state: AtomicU8,
}

const UNCHECKED: u8 = 0;
const SOUND: u8 = 1;
const DAMAGED: u8 = 2;

/// Of arrays with no more bytes than this, all elements are checked also where only the first are wanted.
const PAGE: usize = 4096;

impl StoredValues {
    /// Checks that every value is there with its type. Its elements are checked when it is read; here, where the file has no
    /// checksum for each array.
    pub(super) fn new(
        rows: Column<ValueRow>,
        types: Vec<Type>,
        file: Bytes,
        (checksum, parts): (u32, Option<Checksums>),
    ) -> Result<StoredValues> {
        let bytes = (*file).as_ref();
        let mut stored = StoredValues { rows, types, file: file.clone(), checksum, arrays: Vec::new() };
        if parts.is_none() {
            stored.verify()?;
        }
        let in_file = if bytes.is_empty() { None } else { Some(parse(bytes)?) };
        if let (Some(header), Some(parts)) = (&in_file, &parts)
            && crc32fast::hash(&bytes[..header.end]) != parts.header
        {
            return Err(other_arrays());
        }
        for row in stored.rows.iter() {
            let wrong = |what: &str| damaged(format!("array {} {what}", row.index));
            let ty = (row.ty as usize).checked_sub(1).and_then(|i| stored.types.get(i));
            let ty = ty.ok_or_else(|| wrong("has no type"))?;
            if row.index == NONE {
                continue;
            }
            let Some(header) = &in_file else { return Err(wrong("is not there")) };
            let entry = header.arrays.get(&row.index.to_string()).ok_or_else(|| wrong("is not there"))?;
            if entry.ty != stored_type(ty) {
                return Err(wrong("has another type than its value"));
            }
            let i = row.index as usize;
            // Numbers are those of the file's arrays, each at least a byte of its header.
            if i >= stored.arrays.len() {
                if i >= header.end {
                    return Err(wrong("has a number that is too large"));
                }
                stored.arrays.resize_with(i + 1, StoredArray::default);
            }
            let checksum = match &parts {
                None => None,
                Some(p) => Some(*p.arrays.get(i).ok_or_else(|| wrong("has no checksum"))?),
            };
            stored.arrays[i] = StoredArray { range: entry.range.clone(), checksum, state: UNCHECKED.into() };
        }
        Ok(stored)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn ty(&self, i: usize) -> &Type {
        &self.types[self.rows[i].ty as usize - 1]
    }

    /// The elements of an array as they lie in the file.
    fn elements(&self, array: &StoredArray) -> &[u8] {
        &(*self.file).as_ref()[array.range.clone()]
    }

    /// Checks all elements of an array, the first time.
    fn check(&self, number: u32) -> Result<()> {
        let array = &self.arrays[number as usize];
        if array.state.load(Ordering::Relaxed) == UNCHECKED {
            let sound = array.checksum.is_none_or(|sum| {
                let bytes = self.elements(array);
                count(bytes.len());
                crc32fast::hash(bytes) == sum
            });
            array.state.store(if sound { SOUND } else { DAMAGED }, Ordering::Relaxed);
        }
        match array.state.load(Ordering::Relaxed) {
            DAMAGED => Err(damaged(format!("array {number} beside the tape was damaged"))),
            _ => Ok(()),
        }
    }

    pub(crate) fn get(&self, i: usize) -> Result<Tensor> {
        if self.rows[i].index != NONE {
            self.check(self.rows[i].index)?;
        }
        Ok(self.read(i, self.ty(i).shape.clone()))
    }

    /// The first elements, at most so many, as a vector. A large array that was not read yet is not checked for them.
    pub(crate) fn first(&self, i: usize, count: usize) -> Result<Tensor> {
        let array = self.arrays.get(self.rows[i].index as usize);
        if array.is_some_and(|a| a.range.len() <= PAGE || a.state.load(Ordering::Relaxed) != UNCHECKED) {
            self.check(self.rows[i].index)?;
        }
        Ok(self.read(i, [self.ty(i).shape.size().min(count)].into()))
    }

    /// As many elements as this shape has.
    fn read(&self, i: usize, shape: Shape) -> Tensor {
        let (row, ty) = (self.rows[i], self.ty(i));
        if row.index == NONE {
            return Tensor::splat(shape, Scalar::from_bits(ty.dtype, row.bits()));
        }
        let bytes = &self.elements(&self.arrays[row.index as usize])[..shape.size() * ty.dtype.size()];
        count(bytes.len());
        from_bytes(ty.dtype, shape, bytes, false).expect("its size was checked when the file was opened")
    }

    /// Bytes of the elements of a value.
    pub(crate) fn bytes(&self, i: usize) -> usize {
        match self.rows[i].index {
            NONE => self.ty(i).dtype.size(),
            array => self.arrays[array as usize].range.len(),
        }
    }

    /// Checks all of the file, and each array whether or not it was checked before.
    pub(crate) fn verify(&self) -> Result<()> {
        for (i, array) in self.arrays.iter().enumerate().filter(|(_, a)| a.checksum.is_some()) {
            array.state.store(UNCHECKED, Ordering::Relaxed);
            self.check(i as u32)?;
        }
        let bytes = (*self.file).as_ref();
        count(bytes.len());
        if crc32fast::hash(bytes) == self.checksum { Ok(()) } else { Err(other_arrays()) }
    }
}

/// Counts bytes of arrays that are read, for tests.
fn count(_bytes: usize) {
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
        let beside = super::super::read::arrays_beside(&path).unwrap();
        let root = opened.root();
        assert!(root.has_summary(0) && READ.get() == 0);
        assert!(root.line().starts_with("nothing() = [0, 1, 2, 3, ") && READ.get() <= 60 * 4, "{root}");
        READ.set(0);
        assert_eq!(root.summary(0).unwrap().max, 9999.0);
        assert_eq!(READ.get(), 2 * 40_000, "once for the checksum");
        READ.set(0);
        assert_eq!(root.value(0).unwrap().size(), 10_000);
        assert_eq!(READ.get(), 40_000);
        std::fs::remove_file(path.with_file_name(beside)).unwrap();
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn more_arrays_than_a_header_has_room_for_are_an_error() {
        // Few arrays whose types are long, for many.
        let shape: Vec<usize> = [0].into_iter().chain([10usize.pow(18); 10_000]).collect();
        let long = Tensor::new(shape, Vec::<f32>::new()).unwrap();
        let path = std::env::temp_dir().join(format!("wengert-many-{}.tape", std::process::id()));
        let mut file = TemporaryFile::beside(&path).unwrap();
        write(&vec![long.clone(); 4], &mut file).unwrap();
        let e = write(&vec![long; 600], &mut file).unwrap_err();
        assert!(
            e.to_string().contains("can't hold its 600 arrays: their names and types take more than 100 MB"),
            "{e}"
        );
        assert!(e.to_string().contains("summaries"), "{e}");
    }
}
