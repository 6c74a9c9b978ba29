//! The text form of functions: one line for each instruction.
//!
//! ```text
//! fn step(%0: ptr, %1: ptr) {
//!   %2: f32 = load [%0 + 4]
//!   %3: f32 = mul %2, %2
//!   for %4 from 0 step 1 count 10 carry (%5: f32 = %3) -> (%7: f32) {
//!     store %5, [%1 + %4*4 + 8]
//!     %6: f32 = add %5, %2
//!     yield %6
//!   }
//!   lanes %8 count 1000 {
//!     %9: f32 = load [%0 + %8*4]
//!     %10: f32 = call exp(%9)
//!     store %10, [%1 + %8*4]
//!   }
//!   while carry (%11: f32 = %7) -> (%14: f32) {
//!     %12: bool = lt %11, %2
//!     yield %12
//!   } do {
//!     %13: f32 = add %11, %3
//!     yield %13
//!   }
//!   mark 7
//!   copy 16 bytes from %0 to %1
//! }
//! ```
//!
//! A mark is a line before the instructions that it is for.
//!
//! Functions that are called go by names, from a table. One that is not in the table is printed as its address, which is
//! not read back.

mod parse;
mod print;

use crate::ir::{Binary, Callee, Compare, Kind, Unary};

pub use parse::parse;
pub(crate) use print::head;
pub use print::{heads, print};

/// The names of functions that are called.
pub type Names<'a> = &'a [(&'a str, Callee)];

/// Names for each of a family of operations, and the operation of a name.
macro_rules! names {
    ($T:ident: $($op:ident $name:literal)*) => {
        impl $T {
            /// All of them.
            pub const ALL: &[$T] = &[$($T::$op),*];

            /// Its name in the text form.
            pub fn name(self) -> &'static str {
                match self {
                    $($T::$op => $name,)*
                }
            }

            /// The one of a name.
            pub fn from_name(name: &str) -> Option<$T> {
                $T::ALL.iter().copied().find(|op| op.name() == name)
            }
        }
    };
}

names! { Unary:
    Neg "neg"
    Abs "abs"
    Not "not"
    Sqrt "sqrt"
    Floor "floor"
    Ceil "ceil"
    Trunc "trunc"
    RoundEven "roundeven"
}

names! { Binary:
    Add "add"
    Sub "sub"
    Mul "mul"
    Div "div"
    Rem "rem"
    Max "max"
    Min "min"
    And "and"
    Or "or"
    Xor "xor"
    Shl "shl"
    ShrLogical "shrl"
    ShrArithmetic "shra"
    CopySign "copysign"
    MinOrSecond "min_or_second"
    MaxOrSecond "max_or_second"
    Scale "scale"
}

names! { Compare:
    Eq "eq"
    Ne "ne"
    Lt "lt"
    Le "le"
    Gt "gt"
    Ge "ge"
}

impl Kind {
    /// All of them.
    pub const ALL: &[Kind] = &[
        Kind::Bool,
        Kind::I8,
        Kind::I16,
        Kind::I32,
        Kind::I64,
        Kind::U8,
        Kind::U16,
        Kind::U32,
        Kind::U64,
        Kind::F16,
        Kind::BF16,
        Kind::F32,
        Kind::F64,
        Kind::Ptr,
    ];

    /// The one of a name.
    pub fn from_name(name: &str) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.name() == name)
    }
}
