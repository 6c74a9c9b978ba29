//! The safetensors format: arrays with names in one file. It begins with the size of a header, eight bytes; the header is a
//! JSON object that says of each array its element type, its shape and where its elements are; then come the elements.
//!
//! Nothing here opens a file: [`Header::parse`] is given its bytes, wherever they lie, and [`Layout::write`] a writer.

mod json;
mod read;
mod write;

pub use read::{Entry, Header};
pub use write::Layout;

use crate::types::{DType, Type};

/// As many bytes a header may take; other readers refuse more.
const MAX_HEADER: usize = 100_000_000;

/// A name that no array has: the object under it holds texts, which are not read.
const METADATA: &str = "__metadata__";

/// The element types that files hold here, with their names there. Arrays of a later one have their elements first.
const TYPES: [(DType, &str); 14] = [
    (DType::Bool, "BOOL"),
    (DType::U8, "U8"),
    (DType::I8, "I8"),
    (DType::I16, "I16"),
    (DType::U16, "U16"),
    (DType::F16, "F16"),
    (DType::BF16, "BF16"),
    (DType::I32, "I32"),
    (DType::U32, "U32"),
    (DType::F32, "F32"),
    (DType::C64, "C64"),
    (DType::F64, "F64"),
    (DType::I64, "I64"),
    (DType::U64, "U64"),
];

/// The type under which a file holds an array of this type. The format has no `c128`: an axis of their own holds its parts.
///
/// ```
/// use wengert_core::{DType, Type, safetensors::stored_type};
/// assert_eq!(stored_type(&Type::new(DType::F32, [3])), Type::new(DType::F32, [3]));
/// assert_eq!(stored_type(&Type::new(DType::C128, [3])), Type::new(DType::F64, [3, 2]));
/// ```
pub fn stored_type(ty: &Type) -> Type {
    match ty.dtype {
        DType::C128 => Type::new(DType::F64, ty.shape.with_axis(ty.rank(), 2)),
        _ => ty.clone(),
    }
}
