//! What is recorded: arrays that know where they came from, and what else goes into calls and out of them.

use crate::host::HostNumber;
use crate::row::NONE;
use std::borrow::Cow;
use std::sync::atomic::{AtomicU32, Ordering};
use wengert_core::{Id, Tensor, Type};

/// Which result of which node of which recording an array is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// 0: of none.
    pub(super) recording: u32,
    pub(super) node: u32,
    pub(super) out: u32,
}

impl Origin {
    /// Of an array that was made in a silence of a recording.
    pub(super) fn unrecorded(recording: u32) -> Origin {
        Origin { recording, node: NONE, out: 0 }
    }

    /// The same of one that has no identity: its number, which is not 0, tells it from others.
    pub(super) fn unrecorded_with_number(recording: u32) -> Origin {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed) % u32::MAX + 1;
        Origin { recording, node: NONE, out: number }
    }

    /// The number of an array that was made in a silence of a recording and has no identity.
    pub(super) fn number_in_silence(self, recording: u32) -> Option<u32> {
        (self.recording == recording && self.node == NONE && self.out != 0).then_some(self.out)
    }

    /// A number that the user wrote into an expression: it stands in the node that uses it.
    pub const LITERAL: Origin = Origin { recording: u32::MAX, node: 0, out: 0 };
}

/// What can be an operand or a result on a tape.
pub trait Recorded {
    /// Where it came from.
    fn origin(&self) -> Origin;
    /// Says where it came from.
    fn set_origin(&mut self, origin: Origin);
    /// Its type.
    fn ty(&self) -> Type;
    /// Whether that is its type.
    fn is_of(&self, ty: &Type) -> bool {
        self.ty() == *ty
    }
    /// Its value, if known. One that is on a device is copied from there.
    fn tensor(&self) -> Option<&Tensor>;
    /// The identity of its value, if that is known: the same for all handles on one value.
    fn id(&self) -> Option<Id>;
    /// Whether it is a variable of a function that is traced.
    fn is_traced(&self) -> bool;
    /// Of a variable of a function that is staged with guards: recordings from this number on began after that did. What they
    /// kept of its value the function could read, and nothing would guard it.
    fn guarded_since(&self) -> Option<u32> {
        None
    }
}

/// Where there are no arrays.
#[derive(Clone)]
pub(super) enum NoArray {}

impl Recorded for NoArray {
    fn origin(&self) -> Origin {
        match *self {}
    }
    fn set_origin(&mut self, _: Origin) {
        match *self {}
    }
    fn ty(&self) -> Type {
        match *self {}
    }
    fn tensor(&self) -> Option<&Tensor> {
        match *self {}
    }
    fn id(&self) -> Option<Id> {
        match *self {}
    }
    fn is_traced(&self) -> bool {
        match *self {}
    }
}

/// A value as the host has it.
#[derive(Clone)]
pub enum HostValue<'a, A> {
    /// An array.
    Array(&'a A),
    /// A number.
    Number(HostNumber),
    /// Anything else: what it is shown as, and the name of its type.
    Text {
        /// What it is shown as.
        text: Cow<'a, str>,
        /// The name of its type.
        ty: Cow<'a, str>,
    },
}

impl<A> HostValue<'_, A> {
    /// The same where there are no arrays, if it is none.
    pub(super) fn without_arrays(&self) -> Option<HostValue<'static, NoArray>> {
        match self {
            HostValue::Array(_) => None,
            HostValue::Number(x) => Some(HostValue::Number(*x)),
            HostValue::Text { text, ty } => {
                Some(HostValue::Text { text: text.to_string().into(), ty: ty.to_string().into() })
            }
        }
    }

    /// A number as an array.
    pub(super) fn tensor(&self) -> Option<Tensor> {
        match self {
            HostValue::Number(x) => Some(x.tensor()),
            _ => None,
        }
    }
}

/// An argument or a result of a call.
pub enum CallValue<'a, A> {
    /// An array.
    Array(&'a A),
    /// A number of the host.
    Number(HostNumber),
    /// Anything else, as `Debug` shows it.
    Text(&'a str),
    /// The same, with the name of its type.
    Shown(&'a str, &'a str),
}
