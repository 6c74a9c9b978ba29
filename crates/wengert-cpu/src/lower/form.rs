//! Where a value of a program is while a function computes it: in scalars, in memory, or both.

use super::group::Slot;
use super::rooms::Room;
use super::view::View;
use std::rc::Rc;
use wengert_core::{DType, Type};
use wengert_kernel::{Kind, Value};

/// The kind of scalar that an element is; none for types that are computed by kernels alone.
pub(super) fn kind(dtype: DType) -> Option<Kind> {
    Some(match dtype {
        DType::Bool => Kind::Bool,
        DType::I8 => Kind::I8,
        DType::I16 => Kind::I16,
        DType::I32 => Kind::I32,
        DType::I64 => Kind::I64,
        DType::U8 => Kind::U8,
        DType::U16 => Kind::U16,
        DType::U32 => Kind::U32,
        DType::U64 => Kind::U64,
        DType::F16 => Kind::F16,
        DType::BF16 => Kind::BF16,
        DType::F32 => Kind::F32,
        DType::F64 => Kind::F64,
        _ => return None,
    })
}

/// The elements of an array as scalars.
#[derive(Clone)]
pub(super) enum Scalars {
    /// One for each, in row-major order.
    Each(Rc<[Value]>),
    /// One for all.
    Splat(Value),
}

/// What a place in memory is counted from.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Base {
    /// The memory of temporaries.
    Workspace,
    /// An input of the program.
    Input(usize),
    /// A result of the program.
    Output(usize),
    /// Memory that lies where it is for as long as the function exists.
    Fixed(usize),
    /// A pointer that the function computes.
    Pointer(Value),
}

/// Where elements lie, dense and in row-major order.
#[derive(Clone)]
pub(super) struct Memory {
    pub(super) base: Base,
    pub(super) offset: i64,
    /// Keeps the room of a temporary from being used for another.
    pub(super) room: Option<Rc<Room>>,
    /// Held by all forms that are this value: who holds it alone may overwrite the elements. None if nobody may.
    pub(super) owner: Option<Rc<()>>,
}

impl Memory {
    /// Elements that nobody may overwrite.
    pub(super) fn fixed(base: Base, offset: i64) -> Memory {
        Memory { base, offset, room: None, owner: None }
    }

    /// Whether both lie at the same place.
    pub(super) fn is(&self, other: &Memory) -> bool {
        self.base == other.base && self.offset == other.offset
    }

    /// Whether elements of one may lie where elements of the other do.
    pub(super) fn may_touch(&self, other: &Memory) -> bool {
        let computed = |m: &Memory| matches!(m.base, Base::Pointer(_));
        match (&self.room, &other.room) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b),
            (None, None) => self.base == other.base || computed(self) || computed(other),
            _ => false,
        }
    }

    /// The same place, for a value of its own.
    pub(super) fn owned(&self) -> Memory {
        Memory { owner: Some(Rc::new(())), ..self.clone() }
    }

    /// Whether the value that has this form can be overwritten: nothing else is it.
    pub(super) fn is_alone(&self) -> bool {
        self.is_held_by(1)
    }

    /// Whether so many hold the value, and nothing else is it. What lies at a pointer is never overwritten: it may be a part
    /// of an input that somebody else reads.
    pub(super) fn is_held_by(&self, count: usize) -> bool {
        !matches!(self.base, Base::Pointer(_)) && self.owner.as_ref().is_some_and(|o| Rc::strong_count(o) == count)
    }
}

/// A value of a program: at least one of the four is there.
#[derive(Clone)]
pub(super) struct Form {
    pub(super) ty: Type,
    pub(super) scalars: Option<Scalars>,
    pub(super) memory: Option<Memory>,
    /// A value that a loop computes, which may not be written yet.
    pub(super) slot: Option<Rc<Slot>>,
    /// A value that is read where another lies.
    pub(super) view: Option<Rc<View>>,
}

impl Form {
    pub(super) fn each(ty: Type, scalars: Vec<Value>) -> Form {
        debug_assert_eq!(ty.shape.size(), scalars.len());
        Form { ty, scalars: Some(Scalars::Each(scalars.into())), memory: None, slot: None, view: None }
    }

    pub(super) fn splat(ty: Type, scalar: Value) -> Form {
        Form { ty, scalars: Some(Scalars::Splat(scalar)), memory: None, slot: None, view: None }
    }

    pub(super) fn memory(ty: Type, memory: Memory) -> Form {
        Form { ty, scalars: None, memory: Some(memory), slot: None, view: None }
    }

    pub(super) fn put_off(ty: Type, slot: Rc<Slot>) -> Form {
        Form { ty, scalars: None, memory: None, slot: Some(slot), view: None }
    }

    /// The form once the loop that computes it is written, or its elements are put together.
    pub(super) fn settled(mut self) -> Form {
        if let Some(slot) = self.slot.take_if(|s| s.is_written()) {
            self.memory = Some(slot.memory());
        }
        if let Some(memory) = self.view.as_ref().and_then(|v| v.written()) {
            (self.view, self.memory) = (None, Some(memory));
        }
        self
    }

    /// The one scalar that all elements are, if they are.
    pub(super) fn splat_scalar(&self) -> Option<Value> {
        match &self.scalars {
            Some(Scalars::Splat(v)) => Some(*v),
            Some(Scalars::Each(v)) if v.len() == 1 => Some(v[0]),
            _ => None,
        }
    }
}
