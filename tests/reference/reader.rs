//! Reads the reference values (see README.md beside this file). Included by the tests that check against them.

use std::fmt;
use std::path::{Path, PathBuf};
use wengert_core::compare::{ComplexRule, Difference, Tolerance};
use wengert_core::{Complex, DType, Element, Scalar, Shape, Tensor, bf16, f16};

/// One case: its name, and its lines as word and text.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    lines: Vec<(String, String)>,
}

/// The cases of one family, with the bytes their arrays are in.
pub struct Family {
    pub cases: Vec<Case>,
    bytes: Vec<u8>,
}

impl Family {
    /// Reads every family under `data/`.
    pub fn all() -> Vec<Family> {
        let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/data");
        let mut texts: Vec<PathBuf> = std::fs::read_dir(data)
            .expect("the reference values")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|e| e == "txt"))
            .collect();
        texts.sort();
        texts.iter().map(|text| Family::read(text)).collect()
    }

    fn read(path: &Path) -> Family {
        let text = std::fs::read_to_string(path).expect("the text of the cases");
        let mut cases: Vec<Case> = Vec::new();
        for line in text.lines().filter(|l| !l.is_empty()) {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "case" => cases.push(Case { name: rest.into(), lines: Vec::new() }),
                _ => cases.last_mut().expect("a case first").lines.push((word.into(), rest.into())),
            }
        }
        Family { cases, bytes: std::fs::read(path.with_extension("bin")).expect("the bytes of the arrays") }
    }

    /// The arrays in a line of a case, if it has that line.
    pub fn arrays(&self, case: &Case, word: &str) -> Option<Vec<Tensor>> {
        Some(case.text(word)?.split_whitespace().map(|a| self.array(a)).collect())
    }

    /// An array written as `f32[2,3]@96`.
    fn array(&self, written: &str) -> Tensor {
        let (ty, at) = written.split_once('@').expect("a type and an offset");
        let (dtype, dims) = ty.trim_end_matches(']').split_once('[').expect("a type");
        let dtype = DType::from_name(dtype).expect("an element type");
        let shape: Shape = dims.split(',').filter(|d| !d.is_empty()).map(|d| d.parse().expect("a size")).collect();
        let bytes = &self.bytes[at.parse().expect("an offset")..];
        let n = shape.size();
        match dtype {
            DType::Bool => tensor(shape, n, bytes, |[b]: [u8; 1]| b != 0),
            DType::I8 => tensor(shape, n, bytes, i8::from_le_bytes),
            DType::I16 => tensor(shape, n, bytes, i16::from_le_bytes),
            DType::I32 => tensor(shape, n, bytes, i32::from_le_bytes),
            DType::I64 => tensor(shape, n, bytes, i64::from_le_bytes),
            DType::U8 => tensor(shape, n, bytes, u8::from_le_bytes),
            DType::U16 => tensor(shape, n, bytes, u16::from_le_bytes),
            DType::U32 => tensor(shape, n, bytes, u32::from_le_bytes),
            DType::U64 => tensor(shape, n, bytes, u64::from_le_bytes),
            DType::F16 => tensor(shape, n, bytes, f16::from_le_bytes),
            DType::BF16 => tensor(shape, n, bytes, bf16::from_le_bytes),
            DType::F32 => tensor(shape, n, bytes, f32::from_le_bytes),
            DType::F64 => tensor(shape, n, bytes, f64::from_le_bytes),
            DType::C64 => tensor(shape, n, bytes, |b: [u8; 8]| {
                let b = u64::from_le_bytes(b);
                Complex::new(f32::from_bits(b as u32), f32::from_bits((b >> 32) as u32))
            }),
            DType::C128 => tensor(shape, n, bytes, |b: [u8; 16]| {
                let b = u128::from_le_bytes(b);
                Complex::new(f64::from_bits(b as u64), f64::from_bits((b >> 64) as u64))
            }),
        }
    }
}

fn tensor<T: Element, const N: usize>(shape: Shape, n: usize, bytes: &[u8], read: impl Fn([u8; N]) -> T) -> Tensor {
    let v = bytes[..n * N].chunks_exact(N).map(|c| read(c.try_into().expect("N bytes"))).collect();
    Tensor::new(shape, v).expect("as many as the shape has")
}

impl Case {
    /// The text of a line.
    pub fn text(&self, word: &str) -> Option<&str> {
        self.lines.iter().find(|(w, _)| w == word).map(|(_, text)| text.as_str())
    }

    /// The measure its values are compared by.
    pub fn measure(&self) -> Measure {
        let mut factors = self.text("tol").unwrap_or("1 1").split(' ').map(|f| f.parse().expect("a factor"));
        let mut next = || factors.next().expect("two factors");
        Measure { relative: next(), absolute: next() }
    }
}

/// How far a value may be from the reference, in units of the element type's tolerance.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    relative: f64,
    /// With zero here, the sign of a zero counts too, and both parts of a complex number of which one is not finite.
    absolute: f64,
}

fn tolerance(d: DType) -> f64 {
    match d {
        DType::F16 => 2e-3,
        DType::BF16 => 1.6e-2,
        DType::F32 | DType::C64 => 1e-5,
        DType::F64 | DType::C128 => 1e-12,
        _ => 0.0,
    }
}

impl Measure {
    /// The same without regard for numbers close to zero and signs of zeros.
    pub fn loose(self) -> Measure {
        Measure { absolute: self.relative, ..self }
    }

    /// As a tolerance for elements of this type.
    fn tolerance(self, d: DType) -> Tolerance {
        let (unit, strict) = (tolerance(d), self.absolute == 0.0);
        Tolerance {
            absolute: unit * self.absolute,
            relative: unit * self.relative,
            signed_zeros: strict && d.is_float(),
            complex: if strict { ComplexRule::Distance } else { ComplexRule::AnyNan },
            ..Tolerance::EXACT
        }
    }

    /// The first places where `got` is neither near `want` nor near `other`, in words.
    pub fn check(self, got: &Tensor, want: &Tensor, other: Option<&Tensor>) -> Result<(), String> {
        let tolerance = self.tolerance(want.dtype());
        let other =
            |d: &Difference| other.is_some_and(|o| tolerance.allows(&Difference::of(d.left, o.get(d.position))));
        let misses = tolerance.misses(got, want).map_err(|e| e.to_string())?;
        let wrong: Vec<Difference> = misses.filter(|d| !other(d)).collect();
        if wrong.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = wrong.iter().take(4).map(|d| format!("[{}] {d}", d.position)).collect();
        Err(format!("{} of {} elements are wrong: {}", wrong.len(), want.size(), shown.join("; ")))
    }
}

/// A number as it is written.
pub struct Shown(pub Scalar);

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.as_f64() {
            _ if self.0.as_i64().is_some() => write!(f, "{}", self.0.as_i64().expect("just asked")),
            Some(x) => write!(f, "{x:?}"),
            None => write!(f, "{}", self.0.as_complex()),
        }
    }
}

/// Arrays in one line, cut where they are long.
pub fn show<'a>(x: impl IntoIterator<Item = &'a Tensor>) -> String {
    let one = |t: &Tensor| {
        let n = t.size().min(40);
        let v: Vec<String> = (0..n).map(|i| Shown(t.get(i)).to_string()).collect();
        format!("{} [{}{}]", t.ty(), v.join(", "), if n < t.size() { ", …" } else { "" })
    };
    x.into_iter().map(one).collect::<Vec<_>>().join("\n    ")
}
