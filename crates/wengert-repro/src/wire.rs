//! Cases and arrays as bytes, for processes that talk to each other.

use crate::case::Case;
use std::io::{self, Read, Write};
use wengert_core::bytes::from_bytes;
use wengert_core::{DType, Program, Shape, Tensor};

fn wrong(what: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what.into())
}

pub(crate) fn write_bytes(to: &mut dyn Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

fn read_number(from: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

pub(crate) fn read_bytes(from: &mut dyn Read) -> io::Result<Vec<u8>> {
    let length = read_number(from)?;
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(bytes) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

pub(crate) fn read_text(from: &mut dyn Read) -> io::Result<String> {
    String::from_utf8(read_bytes(from)?).map_err(|e| wrong(e.to_string()))
}

/// The name of the element type, the sizes, whether it is one number repeated, and the elements.
pub(crate) fn write_tensor(to: &mut dyn Write, x: &Tensor) -> io::Result<()> {
    write_bytes(to, x.dtype().name().as_bytes())?;
    to.write_all(&(x.shape().rank() as u64).to_le_bytes())?;
    x.shape().iter().try_for_each(|&n| to.write_all(&(n as u64).to_le_bytes()))?;
    to.write_all(&[u8::from(x.is_splat())])?;
    write_bytes(to, x.raw())
}

pub(crate) fn read_tensor(from: &mut dyn Read) -> io::Result<Tensor> {
    let name = read_text(from)?;
    let dtype = DType::from_name(&name).ok_or_else(|| wrong(format!("no element type is called {name}")))?;
    let rank = read_number(from)?;
    if rank > wengert_core::MAX_RANK as u64 {
        return Err(wrong("too many axes"));
    }
    let shape: Vec<usize> = (0..rank).map(|_| Ok(read_number(from)? as usize)).collect::<io::Result<_>>()?;
    let mut splat = [0];
    from.read_exact(&mut splat)?;
    let bytes = read_bytes(from)?;
    let stored = if splat[0] == 1 { Shape::scalar() } else { shape.clone().into() };
    let x = from_bytes(dtype, stored, &bytes, cfg!(target_endian = "big")).map_err(|e| wrong(e.message()))?;
    Ok(if splat[0] == 1 { Tensor::splat(shape, x.get(0)) } else { x })
}

pub(crate) fn write_tensors(to: &mut dyn Write, all: &[Tensor]) -> io::Result<()> {
    to.write_all(&(all.len() as u64).to_le_bytes())?;
    all.iter().try_for_each(|x| write_tensor(to, x))
}

pub(crate) fn read_tensors(from: &mut dyn Read) -> io::Result<Vec<Tensor>> {
    (0..read_number(from)?).map(|_| read_tensor(from)).collect()
}

pub(crate) fn write_case(to: &mut dyn Write, case: &Case) -> io::Result<()> {
    write_bytes(to, case.program().to_text().as_bytes())?;
    write_tensors(to, case.inputs())?;
    to.flush()
}

/// A case; none where the other side has nothing more to say.
pub(crate) fn read_case(from: &mut dyn Read) -> io::Result<Option<Case>> {
    let text = match read_text(from) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        Err(e) => return Err(e),
    };
    let program = Program::parse(&text).map_err(|e| wrong(e.to_string()))?;
    let inputs = read_tensors(from)?;
    Case::new(program, inputs).map(Some).map_err(|e| wrong(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wengert_core::Type;

    #[test]
    fn cases_come_back() {
        let text = "program (x: f32[2,3], n: i64[], z: c64[1], h: bf16[4]) { y: f32[2,3] = sin(x) return y, n, z, h }";
        let program = Program::parse(text).unwrap();
        let value =
            |t: &Type| Tensor::from_bits(t, |i| (0x3f80_1234_u128 + i as u128) & ((1 << t.dtype.storage_bits()) - 1));
        let inputs: Vec<Tensor> = program.input_types().iter().map(value).collect();
        let case = Case::new(program, inputs).unwrap();
        let mut bytes = Vec::new();
        write_case(&mut bytes, &case).unwrap();
        let back = read_case(&mut &bytes[..]).unwrap().unwrap();
        assert_eq!((back.program(), back.inputs()), (case.program(), case.inputs()));
        assert!(read_case(&mut &bytes[..0]).unwrap().is_none());
        assert!(read_case(&mut &bytes[..bytes.len() - 1]).is_err());
    }
}
