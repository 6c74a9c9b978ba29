//! The arrays beside a tape: a safetensors file, whose tensors are read when they are asked for.

use super::format::Stored;
use super::replace::Temporary;
use super::{Bytes, damaged, io_error};
use crate::row::{Column, NONE};
use safetensors::tensor::{Dtype, SafeTensors, View, serialize_to_file};
use std::borrow::Cow;
use std::ops::Range;
use wengert_core::bytes::{from_bytes, to_bytes};
use wengert_core::{DType, Error, ErrorKind, Result, Scalar, Shape, Tensor, Type};

fn dtype(d: DType) -> Dtype {
    match d {
        DType::Bool => Dtype::BOOL,
        DType::I8 => Dtype::I8,
        DType::I16 => Dtype::I16,
        DType::I32 => Dtype::I32,
        DType::I64 => Dtype::I64,
        DType::U8 => Dtype::U8,
        DType::U16 => Dtype::U16,
        DType::U32 => Dtype::U32,
        DType::U64 => Dtype::U64,
        DType::F16 => Dtype::F16,
        DType::BF16 => Dtype::BF16,
        DType::F32 => Dtype::F32,
        DType::F64 | DType::C128 => Dtype::F64,
        DType::C64 => Dtype::C64,
    }
}

/// The shape in the file: the format has no type for `c128`, whose parts get an axis of their own.
fn shape(ty: &Type) -> Shape {
    match ty.dtype {
        DType::C128 => ty.shape.with_axis(ty.rank(), 2),
        _ => ty.shape.clone(),
    }
}

/// A tensor on its way to the file.
struct Outgoing<'a> {
    tensor: &'a Tensor,
    shape: Shape,
}

impl View for Outgoing<'_> {
    fn dtype(&self) -> Dtype {
        dtype(self.tensor.dtype())
    }
    fn shape(&self) -> &[usize] {
        &self.shape
    }
    fn data(&self) -> Cow<'_, [u8]> {
        to_bytes(self.tensor).into()
    }
    fn data_len(&self) -> usize {
        self.tensor.size() * self.tensor.dtype().size()
    }
}

/// Writes arrays, named by their numbers.
pub(super) fn write(arrays: &[Tensor], to: &mut Temporary) -> Result<()> {
    let views = arrays.iter().enumerate().map(|(i, t)| (i.to_string(), Outgoing { tensor: t, shape: shape(&t.ty()) }));
    serialize_to_file(views, None, to.path()).map_err(|e| match e {
        safetensors::SafeTensorError::IoError(e) => io_error(e),
        e => Error::new(ErrorKind::Unsupported, format!("a safetensors file can't hold {} arrays: {e}", arrays.len())),
    })?;
    to.replaced().map_err(io_error)
}

#[cfg(test)]
thread_local! {
    /// How many bytes of arrays were read from files on this thread.
    pub(crate) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The values of an opened tape.
pub(crate) struct StoredValues {
    rows: Column<Stored>,
    /// The tape's.
    types: Vec<Type>,
    file: Bytes,
    /// Where each array lies in the file.
    arrays: Vec<Range<usize>>,
}

impl StoredValues {
    /// Checks that every value is there with its type, so that reading it later can't fail.
    pub(super) fn new(rows: Column<Stored>, types: Vec<Type>, file: Bytes) -> Result<StoredValues> {
        let bytes = (*file).as_ref();
        let mut arrays = Vec::new();
        let in_file = match bytes.is_empty() {
            true => None,
            false => {
                let (header, metadata) = SafeTensors::read_metadata(bytes)
                    .map_err(|e| damaged(format!("its arrays are not a sound safetensors file: {e}")))?;
                Some((8 + header, metadata))
            }
        };
        for row in rows.iter() {
            let wrong = |what: &str| damaged(format!("array {} {what}", row.index));
            let ty = (row.ty as usize).checked_sub(1).and_then(|i| types.get(i)).ok_or_else(|| wrong("has no type"))?;
            if row.index == NONE {
                continue;
            }
            let Some((start, metadata)) = &in_file else { return Err(wrong("is not there")) };
            let info = metadata.info(&row.index.to_string()).ok_or_else(|| wrong("is not there"))?;
            if info.dtype != dtype(ty.dtype) || info.shape != shape(ty)[..] {
                return Err(wrong("has another type than its value"));
            }
            // Numbers are those of the file's arrays, each at least a byte of its header.
            if row.index as usize >= arrays.len() {
                if row.index as usize >= *start {
                    return Err(wrong("has a number that is too large"));
                }
                arrays.resize(row.index as usize + 1, 0..0);
            }
            arrays[row.index as usize] = start + info.data_offsets.0..start + info.data_offsets.1;
        }
        Ok(StoredValues { rows, types, file, arrays })
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn ty(&self, i: usize) -> &Type {
        &self.types[self.rows[i].ty as usize - 1]
    }

    pub(crate) fn get(&self, i: usize) -> Tensor {
        self.read(i, self.ty(i).shape.clone())
    }

    /// The first elements, at most so many, as a vector.
    pub(crate) fn first(&self, i: usize, count: usize) -> Tensor {
        self.read(i, [self.ty(i).shape.size().min(count)].into())
    }

    /// As many elements as this shape has.
    fn read(&self, i: usize, shape: Shape) -> Tensor {
        let (row, ty) = (self.rows[i], self.ty(i));
        if row.index == NONE {
            return Tensor::splat(shape, Scalar::from_bits(ty.dtype, row.bits()));
        }
        let bytes = &(*self.file).as_ref()[self.arrays[row.index as usize].clone()];
        let bytes = &bytes[..shape.size() * ty.dtype.size()];
        #[cfg(test)]
        READ.set(READ.get() + bytes.len());
        from_bytes(ty.dtype, shape, bytes, false).expect("its size was checked when the file was opened")
    }

    pub(crate) fn bytes(&self) -> usize {
        let size = |(i, row): (usize, &Stored)| match row.index {
            NONE => self.ty(i).dtype.size(),
            array => self.arrays[array as usize].len(),
        };
        self.rows.iter().enumerate().map(size).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{Keep, Kept};
    use crate::tape::Tape;
    use crate::values::Values;

    #[test]
    fn a_line_reads_as_much_of_an_array_as_it_shows() {
        let x = Tensor::new([100, 100], (0..10_000).map(|i| i as f32).collect()).unwrap();
        let mut tape = Tape { types: vec![x.ty()], values: Values::Owned(vec![x]), ..Tape::default() };
        tape.results = Column::Owned(vec![Kept { ty: 1, kept: Keep::Value(0).pack() }]);
        tape.rows.to_mut()[0].results_len = 1;
        let path = std::env::temp_dir().join(format!("wengert-first-{}.tape", std::process::id()));
        tape.save(&path).unwrap();
        let opened = Tape::open(&path).unwrap();
        let beside = super::super::read::arrays_beside(&path).unwrap();
        let root = opened.root();
        READ.set(0);
        assert!(root.has_summary(0) && READ.get() == 0);
        assert!(root.line().starts_with("nothing() = [0, 1, 2, 3, ") && READ.get() <= 60 * 4, "{root}");
        READ.set(0);
        assert_eq!(root.summary(0).unwrap().max, 9999.0);
        assert_eq!(READ.get(), 40_000);
        std::fs::remove_file(path.with_file_name(beside)).unwrap();
        std::fs::remove_file(path).unwrap();
    }
}
