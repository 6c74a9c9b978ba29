//! NumPy's format for one array: a magic string, a version, a Python dictionary that says the type, the elements.

use super::{damaged, from_bytes, in_file, io_error};
use crate::array::Array;
use crate::tape::{loaded, saved};
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use wengert_core::bytes::write_bytes;
use wengert_core::{DType, Error, Place, Result, Shape, Tensor, Type, shown};
use wengert_tape::record::{ReadPurpose, silently};

const MAGIC: &[u8] = b"\x93NUMPY";

/// NumPy's name of an element type. It has none for `bf16`, and writes two bytes of no type.
fn descr(d: DType) -> &'static str {
    match d {
        DType::Bool => "|b1",
        DType::I8 => "|i1",
        DType::I16 => "<i2",
        DType::I32 => "<i4",
        DType::I64 => "<i8",
        DType::U8 => "|u1",
        DType::U16 => "<u2",
        DType::U32 => "<u4",
        DType::U64 => "<u8",
        DType::F16 => "<f2",
        DType::BF16 => "<V2",
        DType::F32 => "<f4",
        DType::F64 => "<f8",
        DType::C64 => "<c8",
        DType::C128 => "<c16",
    }
}

/// The element type of a name, and whether its bytes come in the other order.
fn parse_descr(name: &str) -> Option<(DType, bool)> {
    let rest = name.strip_prefix(['<', '>', '|', '='])?;
    let dtype = DType::ALL.into_iter().find(|&d| descr(d)[1..] == *rest)?;
    Some((dtype, name.starts_with('>')))
}

/// What the header says.
struct Header {
    dtype: DType,
    big_endian: bool,
    fortran_order: bool,
    shape: Shape,
}

/// A cursor over the text of the header, a Python dictionary.
struct Text<'a>(&'a str);

impl<'a> Text<'a> {
    fn accept(&mut self, token: &str) -> bool {
        self.0 = self.0.trim_start();
        match self.0.strip_prefix(token) {
            Some(rest) => {
                self.0 = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<()> {
        if self.accept(token) { Ok(()) } else { Err(self.wrong(&format!("`{token}`"))) }
    }

    fn wrong(&self, expected: &str) -> Error {
        damaged(format!("the header of the npy file has `{}` where {expected} should be", shown(self.0, 20)))
    }

    fn string(&mut self) -> Result<&'a str> {
        let quote = ["'", "\""].into_iter().find(|q| self.accept(q)).ok_or_else(|| self.wrong("a string"))?;
        let (s, rest) = self.0.split_once(quote).ok_or_else(|| self.wrong("a string"))?;
        self.0 = rest;
        Ok(s)
    }

    fn number(&mut self) -> Result<usize> {
        self.0 = self.0.trim_start();
        let end = self.0.find(|c: char| !c.is_ascii_digit()).unwrap_or(self.0.len());
        let n = self.0[..end].parse().map_err(|_| self.wrong("a size"))?;
        self.0 = &self.0[end..];
        // Python 2 wrote large integers so.
        self.accept("L");
        Ok(n)
    }

    fn shape(&mut self) -> Result<Shape> {
        self.expect("(")?;
        let mut sizes = Vec::new();
        while !self.accept(")") {
            sizes.push(self.number()?);
            if !self.accept(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(sizes.into())
    }

    fn header(&mut self) -> Result<Header> {
        let (mut dtype, mut order, mut shape) = (None, None, None);
        self.expect("{")?;
        while !self.accept("}") {
            let key = self.string()?;
            self.expect(":")?;
            match key {
                "descr" => {
                    let name = self.string()?;
                    let unknown = || damaged(format!("elements of NumPy's type `{}` can't be read", shown(name, 20)));
                    dtype = Some(parse_descr(name).ok_or_else(unknown)?);
                }
                "fortran_order" if self.accept("True") => order = Some(true),
                "fortran_order" => {
                    self.expect("False")?;
                    order = Some(false);
                }
                "shape" => shape = Some(self.shape()?),
                key => {
                    return Err(damaged(format!("the header of the npy file has an unknown key `{}`", shown(key, 20))));
                }
            }
            if !self.accept(",") {
                self.expect("}")?;
                break;
            }
        }
        if !self.0.trim().is_empty() {
            return Err(self.wrong("its end"));
        }
        match (dtype, order, shape) {
            (Some((dtype, big_endian)), Some(fortran_order), Some(shape)) => {
                Ok(Header { dtype, big_endian, fortran_order, shape })
            }
            _ => Err(damaged("the header of the npy file does not say `descr`, `fortran_order` and `shape`")),
        }
    }
}

/// This many bytes, taking memory only as they come.
fn read_exactly(from: &mut impl Read, n: usize, what: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(n as u64).read_to_end(&mut bytes).map_err(io_error)?;
    if bytes.len() < n {
        return Err(ends_within(what, bytes.len(), n));
    }
    Ok(bytes)
}

fn ends_within(what: &str, there: usize, of: usize) -> Error {
    damaged(format!("the npy file ends within {what}: {there} of {of} bytes are there"))
}

/// Writes a value in NumPy's npy format.
fn write(t: &Tensor, mut to: impl Write) -> Result<()> {
    let sizes: Vec<String> = t.shape().iter().map(|d| format!("{d},")).collect();
    let (descr, shape) = (descr(t.dtype()), sizes.join(" "));
    let mut header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}");
    // The elements start at a multiple of 64 bytes.
    let before = MAGIC.len() + 4 + header.len() + 1;
    header.push_str(&" ".repeat(before.next_multiple_of(64) - before));
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(|_| damaged("the shape has too many axes for an npy file"))?;
    let start = [MAGIC, &[1, 0], &length.to_le_bytes(), header.as_bytes()];
    start.into_iter().try_for_each(|bytes| to.write_all(bytes)).map_err(io_error)?;
    write_bytes(t, &mut to).map_err(io_error)
}

impl Array {
    /// Reads an array in NumPy's npy format.
    ///
    /// ```
    /// # use wengert::Array;
    /// let mut file = Vec::new();
    /// Array::from([[1.0f32, 2.0]]).write_npy(&mut file)?;
    /// assert_eq!(Array::read_npy(&file[..])?, Array::from([[1.0f32, 2.0]]));
    /// assert!(Array::read_npy(&file[..100]).is_err());
    /// # Ok::<(), wengert::Error>(())
    /// ```
    pub fn read_npy(mut from: impl Read) -> Result<Array> {
        let mut start = Vec::new();
        from.by_ref().take(8).read_to_end(&mut start).map_err(io_error)?;
        let mark = &start[..start.len().min(MAGIC.len())];
        if mark.is_empty() || !MAGIC.starts_with(mark) {
            let why = if mark.is_empty() { "it is empty" } else { "it does not start with NumPy's mark" };
            return Err(damaged(format!("this is not an npy file: {why}")).note("what to do: write it with `np.save`"));
        }
        if start.len() < 8 {
            return Err(ends_within("its first line", start.len(), 8));
        }
        let width = match (start[6], start[7]) {
            (1, 0) => 2,
            (2 | 3, 0) => 4,
            (v, w) => return Err(damaged(format!("npy files of version {v}.{w} can't be read"))),
        };
        let length = read_exactly(&mut from, width, "its header")?;
        let length = length.iter().rev().fold(0, |n, &b| n << 8 | b as usize);
        let header = read_exactly(&mut from, length, "its header")?;
        let header = String::from_utf8(header).map_err(|_| damaged("the header of the npy file is not text"))?;
        let Header { dtype, big_endian, fortran_order, shape } = Text(&header).header()?;
        let reversed: Shape = shape.iter().rev().copied().collect();
        let stored = if fortran_order { reversed } else { shape };
        let ty = Type::new(dtype, stored);
        ty.check().map_err(|e| damaged(e.message()))?;
        let size = ty.bytes().expect("just checked");
        let bytes = read_exactly(&mut from, size, "its elements")?;
        let x = Array::from_tensor(from_bytes(dtype, ty.shape, &bytes, big_endian)?);
        Ok(if fortran_order { x.t() } else { x })
    }

    /// Writes the array in NumPy's npy format.
    ///
    /// ```
    /// # use wengert::Array;
    /// let mut file = Vec::new();
    /// Array::from([1.0f32, 2.0]).write_npy(&mut file)?;
    /// assert!(file.starts_with(b"\x93NUMPY"));
    /// # Ok::<(), wengert::Error>(())
    /// ```
    #[track_caller]
    pub fn write_npy(&self, to: impl Write) -> Result<()> {
        let t = self.read("write_npy", "an npy file", ReadPurpose::Unknown, &Place::caller(), |t| Ok(t.clone()))?;
        write(&t, to)
    }

    /// Reads an npy file.
    ///
    /// ```no_run
    /// # use wengert::Array;
    /// let x = Array::load_npy("x.npy")?;
    /// # Ok::<(), wengert::Error>(())
    /// ```
    #[track_caller]
    pub fn load_npy(path: impl AsRef<Path>) -> Result<Array> {
        let (path, place) = (path.as_ref(), Place::caller());
        let read = || File::open(path).map_err(io_error).and_then(|f| Array::read_npy(BufReader::new(f)));
        let mut x = in_file(path, silently(read))?;
        loaded("load_npy", path, &mut x, &place);
        Ok(x)
    }

    /// Writes an npy file.
    ///
    /// ```no_run
    /// # use wengert::Array;
    /// Array::from([1.0f32, 2.0]).save_npy("x.npy")?;
    /// # Ok::<(), wengert::Error>(())
    /// ```
    #[track_caller]
    pub fn save_npy(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let value = self.concretize_for_file("an npy file")?;
        saved("save_npy", path, self, &Place::caller());
        in_file(path, File::create(path).map_err(io_error).and_then(|f| write(value, f)))
    }
}
