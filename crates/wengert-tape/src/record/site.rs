//! What `#[track]` knows of an expression before it runs, and what happens when it has run.
//!
//! Values of the host have no identity. But the source says which variable or expression each operand is: each has a *slot*
//! of its function, known when that is compiled, and the frame of a call has for each slot the node that gave its value last.

use crate::function::HostFunction;
use crate::host::{HostNumber, HostType};
use crate::tape::Constant;
use wengert_core::Op;
use wengert_core::ops::{Binary, Compare, Direction, Unary};

/// A tracked function, as it is written.
pub struct Body {
    /// Its name.
    pub name: &'static str,
    /// The path of the module it is in.
    pub module: &'static str,
    /// The text of the type that it gives.
    pub gives: &'static str,
    /// Its parameters, each with its slot, and how what the caller has may be changed through it.
    pub parameters: &'static [(&'static str, u32, Through)],
    /// Its text.
    pub text: &'static str,
    /// The line and column where the text begins, from 1.
    pub start: [u32; 2],
    /// Where its statements begin and end: line and column of both.
    pub statements: &'static [[u32; 4]],
    /// Whether nothing that happens inside is recorded.
    pub boundary: bool,
    /// Whether nothing but calls and decisions inside is recorded: what it gives has no way there.
    pub sparse: bool,
    /// Where it came from, if that is not where it stands; empty if that is not known.
    pub place: Option<&'static str>,
}

/// How what the caller has may be changed through a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Through {
    /// Not at all.
    Nothing,
    /// By a borrow.
    Borrow,
    /// By a value that may have borrowed something, and is dropped by the function.
    Value,
}

/// An expression of a tracked function.
pub struct Site {
    /// What the node is called: `+`, `rand`, `a[i]`.
    pub label: &'static str,
    /// What it does.
    pub does: Does,
    /// Where its operands came from.
    pub operands: &'static [Operand],
    /// The slots that have its value.
    pub into: &'static [u32],
    /// The variable that it is given to; empty if there is none.
    pub name: &'static str,
    /// What it does beside giving its value.
    pub effects: Option<&'static Effects>,
    /// The method of a number that a call may be.
    pub method: Option<Method>,
}

/// A method that a number of the standard library has: where the type of what it is called of is such a number in the source, it
/// can be no other. A call through a parameter of a generic function, or of a value that only refers to a number, may be one.
#[derive(Clone, Copy, Debug)]
pub struct Method {
    /// What it does.
    pub function: HostFunction,
    /// The slot that has something if it is called of a number.
    pub of_number: u32,
    /// Whether each operand is one value, and all of it.
    pub is_known: bool,
}

/// What an expression does to variables, beside giving its value. All are known by their slots.
pub struct Effects {
    /// The variables that it may change.
    pub changes: &'static [Change],
    /// The variables that its value may have borrowed, to change them later.
    pub holds: &'static [u32],
    /// What it writes through: variables and expressions that may have borrowed others.
    pub through: &'static [u32],
    /// What it is given to look at alone.
    pub shared: &'static [u32],
    /// Whether it is an assignment to a part of a variable, or through a borrow: the place has what the value has borrowed.
    pub stores: bool,
}

/// A variable that an expression may change.
#[derive(Clone, Copy, Debug)]
pub enum Change {
    /// All of it, which is borrowed: `&mut x`.
    Whole(u32),
    /// It is what a method is called of, or named where nothing is known of what happens to it.
    Receiver(u32),
    /// A part of it.
    Part(u32),
    /// A method is called of it by a name that methods have which only read: of a number of these types, it is the user's.
    Reader(u32, Types),
}

/// Types of numbers.
#[derive(Clone, Copy, Debug)]
pub enum Types {
    /// All.
    All,
    /// All but those of integers.
    NoIntegers,
    /// All but those of floats.
    NoFloats,
}

impl Types {
    pub(super) fn has(self, ty: HostType) -> bool {
        use HostType::{Bool, Char, F32, F64};
        match self {
            Types::All => true,
            Types::NoIntegers => matches!(ty, Bool | Char | F32 | F64),
            Types::NoFloats => !matches!(ty, F32 | F64),
        }
    }
}

impl Change {
    /// The slot of the variable.
    pub(super) fn slot(self) -> u32 {
        match self {
            Change::Whole(slot) | Change::Receiver(slot) | Change::Part(slot) | Change::Reader(slot, _) => slot,
        }
    }
}

/// What an expression does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// An operator, a comparison or a cast of the host.
    Operator(HostOp),
    /// A call of a function. One that is recorded has a node already.
    Call,
    /// A call of what a variable holds: the name of what is called is not known.
    CallOfVariable,
    /// It looks at a place, or takes a value apart.
    Look,
    /// A tuple of numbers that a function returns: its operands are its parts.
    Parts,
    /// It takes this part of so many out of a tuple that was given.
    Part(u8, u8),
    /// It looks at a constant, whose value stands in what uses it.
    Constant,
    /// It gives a name to a value that has a node, or none.
    Name,
}

/// An operator of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `-x`.
    Neg,
    /// `!x`.
    Not,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `x as f32`.
    Cast,
    /// Any other: a tape knows only its name.
    Other,
}

/// Where an operand came from.
#[derive(Clone, Copy, Debug)]
pub enum Operand {
    /// A variable or an expression, by its slot.
    Slot(u32),
    /// An integer in the source.
    Int(i64),
    /// A float in the source.
    Float(f64),
    /// A bool in the source.
    Bool(bool),
    /// Something else that stands in the source.
    Text(&'static str),
}

impl Operand {
    /// What stands in the source, as a number of this type, if it is one.
    pub(super) fn literal(self, ty: Option<HostType>) -> Option<Constant> {
        let float = |x: f64| match ty {
            Some(HostType::F32) => HostNumber::from(x as f32),
            _ => HostNumber::from(x),
        };
        Some(match self {
            Operand::Slot(_) => return None,
            Operand::Bool(x) => Constant::Host(x.into()),
            Operand::Float(x) => Constant::Host(float(x)),
            Operand::Int(x) => Constant::Host(match ty {
                Some(t @ (HostType::F32 | HostType::F64)) => return Operand::Float(x as f64).literal(Some(t)),
                Some(t) if t.is_arithmetic() => {
                    let s = wengert_core::Scalar::from_i64(t.dtype(), x);
                    HostNumber { ty: t, bits: s.bits() as u64 }
                }
                _ => i32::try_from(x).map_or(x.into(), HostNumber::from),
            }),
            Operand::Text(t) => Constant::Text(t.into()),
        })
    }
}

impl HostOp {
    /// The op that does the same with numbers of this type, whatever they are.
    pub(super) fn op(self, ty: HostType) -> Option<Op> {
        use HostOp::*;
        let float = matches!(ty, HostType::F32 | HostType::F64);
        let compare = |direction| Some(Op::Compare(Compare { direction }));
        match self {
            Add if ty.is_arithmetic() => Some(Op::Binary(Binary::Add)),
            Sub if ty.is_arithmetic() => Some(Op::Binary(Binary::Sub)),
            Mul if ty.is_arithmetic() => Some(Op::Binary(Binary::Mul)),
            // The host refuses to divide an integer by zero.
            Div if float => Some(Op::Binary(Binary::Div)),
            Rem if float => Some(Op::Binary(Binary::Rem)),
            Neg if ty.is_arithmetic() => Some(Op::Unary(Unary::Neg)),
            Eq => compare(Direction::Eq),
            Ne => compare(Direction::Ne),
            Lt => compare(Direction::Lt),
            Le => compare(Direction::Le),
            Gt => compare(Direction::Gt),
            Ge => compare(Direction::Ge),
            _ => None,
        }
    }

    /// The function that it is of numbers of the host, where there is no op for all of them.
    pub(super) fn function(self, ty: Option<HostType>) -> Option<HostFunction> {
        let is_integer = ty.is_some_and(|t| t.is_arithmetic() && !matches!(t, HostType::F32 | HostType::F64));
        match self {
            HostOp::Not => Some(HostFunction::Not),
            HostOp::BitAnd => Some(HostFunction::BitAnd),
            HostOp::BitOr => Some(HostFunction::BitOr),
            HostOp::BitXor => Some(HostFunction::BitXor),
            HostOp::Shl => Some(HostFunction::Shl),
            HostOp::Shr => Some(HostFunction::Shr),
            HostOp::Cast => Some(HostFunction::Cast),
            HostOp::Div if is_integer => Some(HostFunction::Div),
            HostOp::Rem if is_integer => Some(HostFunction::Rem),
            _ => None,
        }
    }

    /// Whether it compares: its operands are not of the type of its result.
    pub(super) fn compares(self) -> bool {
        use HostOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}
