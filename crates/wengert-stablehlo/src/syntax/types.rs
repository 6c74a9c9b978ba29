//! Types: `tensor<2x3xf32>`, and those that Wengert has no arrays of, kept as they are written.

use super::cursor::Cursor;
use wengert_core::text::error_at;
use wengert_core::{DType, Dims, ErrorKind, MAX_RANK, Result, Shape, Type};

/// A type as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty<'a> {
    /// An array.
    Array(Type),
    /// Several, of which no program has one: how that is written, and the types in it.
    Tuple(&'a str, Vec<Ty<'a>>),
    /// A type that is valid and has no arrays here: tokens, dynamic sizes, element types we lack.
    Other(&'a str),
}

/// More of a type is not shown.
const SHOWN: usize = 80;

impl<'a> Ty<'a> {
    /// The array type, or why there is none, at the place where the type stands in the text it was read from.
    pub fn array(&self, text: &'a str) -> Result<&Type> {
        let written = match self {
            Ty::Array(ty) => return Ok(ty),
            Ty::Tuple(written, _) | Ty::Other(written) => *written,
        };
        let shown = written.char_indices().nth(SHOWN).map_or(written.into(), |(i, _)| format!("{}…", &written[..i]));
        let at = written.as_ptr().addr() - text.as_ptr().addr();
        let e = error_at(ErrorKind::Unsupported, text, at, format!("the type `{shown}` is not supported"));
        Err(match way_out(written) {
            Some(note) => e.note(note),
            None => e,
        })
    }

    /// The types in a tuple, or this one.
    pub fn parts(&self) -> &[Ty<'a>] {
        match self {
            Ty::Tuple(_, parts) => parts,
            _ => std::slice::from_ref(self),
        }
    }
}

/// What to do about a type that is refused.
fn way_out(written: &str) -> Option<&'static str> {
    let inside = written.strip_prefix("tensor<")?;
    if inside.contains(['?', '*']) {
        return Some("what to do: lower the function for arguments of known shapes, without symbolic sizes");
    }
    let element = inside.split(['x', '<', '>', ',']).find(|part| !part.bytes().all(|c| c.is_ascii_digit()))?;
    let narrow = is_foreign_element(element) || inside.contains('!');
    narrow.then_some("what to do: convert to an element type that is supported, such as bf16 or i8, before lowering")
}

/// The types of an operation, as written after its colon.
#[derive(Clone, Debug, Default)]
pub enum Signature<'a> {
    /// Nothing.
    #[default]
    None,
    /// Types without an arrow: one for all operands and results, or one for each.
    Plain(Vec<Ty<'a>>),
    /// Types of operands, types of results.
    Function(Vec<Ty<'a>>, Vec<Ty<'a>>),
}

impl<'a> Signature<'a> {
    /// The types in the tuple that is the only result.
    pub fn tuple(&self) -> Option<&[Ty<'a>]> {
        match self {
            Signature::Function(_, types) | Signature::Plain(types) => match &types[..] {
                [Ty::Tuple(_, parts)] => Some(parts),
                _ => None,
            },
            Signature::None => None,
        }
    }
}

/// Element types that MLIR has and Wengert lacks.
fn is_foreign_element(name: &str) -> bool {
    let bits = |prefix: &str| name.strip_prefix(prefix).is_some_and(|n| n.bytes().all(|c| c.is_ascii_digit()));
    ["f8", "f6", "f4"].iter().any(|p| name.starts_with(p))
        || bits("i")
        || bits("ui")
        || bits("si")
        || matches!(name, "f80" | "f128" | "tf32" | "index" | "none")
}

/// Whether an encoding says of every size that it has no bound, which says nothing where all are known.
fn without_bounds(encoding: &str) -> bool {
    let bounds = encoding.strip_prefix("#stablehlo.bounds<").and_then(|s| s.strip_suffix('>'));
    let old = || encoding.strip_prefix("#stablehlo.type_extensions<bounds = [").and_then(|s| s.strip_suffix("]>"));
    bounds.or_else(old).is_some_and(|b| b.bytes().all(|c| matches!(c, b'?' | b',' | b' ')))
}

fn element(name: &str) -> Option<DType> {
    Some(match name {
        "i1" => DType::Bool,
        "i8" => DType::I8,
        "i16" => DType::I16,
        "i32" => DType::I32,
        "i64" => DType::I64,
        "ui8" => DType::U8,
        "ui16" => DType::U16,
        "ui32" => DType::U32,
        "ui64" => DType::U64,
        "f16" => DType::F16,
        "bf16" => DType::BF16,
        "f32" => DType::F32,
        "f64" => DType::F64,
        _ => return None,
    })
}

impl<'a> Cursor<'a> {
    /// A type.
    pub fn ty(&mut self) -> Result<Ty<'a>> {
        let start = self.position();
        if self.accept("tensor") {
            return self.tensor_type(start);
        }
        if self.accept("tuple") {
            self.expect("<")?;
            let parts = self.nested(|p| p.items(">", Self::ty))?;
            return Ok(Ty::Tuple(&self.text[start..self.at], parts));
        }
        if self.accept("!") {
            self.name("the name of a type")?;
        } else if self.accept("(") {
            // The type of a function.
            self.skip_balanced()?;
            self.expect("->")?;
            match self.accept("(") {
                true => drop(self.skip_balanced()?),
                false => drop(self.nested(|p| p.ty())?),
            }
            return Ok(Ty::Other(&self.text[start..self.at]));
        } else {
            let at = self.position();
            let name = self.name("a type")?;
            if element(name).is_none() && !is_foreign_element(name) && !matches!(name, "complex" | "vector" | "memref")
            {
                return Err(self.error_at(at, format!("`{name}` is not a type")));
            }
        }
        if self.text[self.at..].starts_with('<') {
            self.at += 1;
            self.skip_balanced()?;
        }
        Ok(Ty::Other(&self.text[start..self.at]))
    }

    fn tensor_type(&mut self, start: usize) -> Result<Ty<'a>> {
        self.expect("<")?;
        let mut dims = Dims::new();
        let mut foreign = false;
        loop {
            let at = self.position();
            let digits = self.take(|c| c.is_ascii_digit());
            if digits.is_empty() {
                if !(self.accept("?") || self.accept("*")) {
                    break;
                }
                foreign = true;
            } else {
                let size = digits.parse().map_err(|_| self.error_at(at, "this size is out of range"))?;
                dims.push(size);
            }
            if !self.text[self.at..].starts_with('x') {
                return Err(self.expected("`x` after a size"));
            }
            self.at += 1;
        }
        let at = self.position();
        let dtype = if self.accept("!") {
            self.name("an element type")?;
            None
        } else if self.accept("complex") {
            self.expect("<")?;
            let at = self.position();
            let part = self.name("f32 or f64")?;
            self.expect(">")?;
            match part {
                "f32" => Some(DType::C64),
                "f64" => Some(DType::C128),
                _ => return Err(self.error_at(at, format!("there are no complex numbers of `{part}`"))),
            }
        } else {
            let name = self.name("an element type")?;
            let dtype = element(name);
            if dtype.is_none() && !is_foreign_element(name) {
                return Err(self.error_at(at, format!("`{name}` is not an element type")));
            }
            dtype
        };
        if dtype.is_none() && self.accept("<") {
            self.skip_balanced()?;
        }
        if self.accept(",") {
            // An encoding: bounds of dynamic sizes, sparsity.
            let encoding = self.skip_balanced()?.trim_ascii();
            foreign |= !without_bounds(encoding);
        } else {
            self.expect(">")?;
        }
        match dtype {
            Some(dtype) if !foreign => {
                let ty = Type { dtype, shape: Shape(dims) };
                if ty.rank() > MAX_RANK {
                    let m = format!("arrays with {} axes, more than {MAX_RANK}, are not supported", ty.rank());
                    return Err(self.unsupported_at(start, m));
                }
                ty.check().map_err(|e| self.error_at(start, e.message()))?;
                Ok(Ty::Array(ty))
            }
            _ => Ok(Ty::Other(&self.text[start..self.at])),
        }
    }

    /// The types after the colon of an operation.
    pub fn signature(&mut self) -> Result<Signature<'a>> {
        let operands = match self.next_is("(") {
            true => self.type_list()?,
            false => {
                let mut types = vec![self.ty()?];
                while self.accept(",") {
                    types.push(self.ty()?);
                }
                types
            }
        };
        if !self.accept("->") {
            return Ok(Signature::Plain(operands));
        }
        let results = if self.next_is("(") { self.type_list()? } else { vec![self.ty()?] };
        Ok(Signature::Function(operands, results))
    }

    fn type_list(&mut self) -> Result<Vec<Ty<'a>>> {
        self.expect("(")?;
        self.items(")", Self::ty)
    }
}
